/*
 * JSON of the first items of a list that grows from version to version of a table: printed once,
 * and shared by the versions. Snapshots and the snapshot log of a table are kept so.
 */
#ifndef FRZ_SPEC_PRINTED_H
#define FRZ_SPEC_PRINTED_H

#include "base/slice.h"
#include "json/writer.h"
#include "spec/tape.h"

/* All zero is valid and covers nothing. */
typedef struct frz_printed {
    frz_tape *tape;
    size_t size;  /* of the text */
    size_t count; /* of the items in it */
} frz_printed;

/* The items from `first` to `end`, into an array that is open. */
typedef void (*frz_printed_write)(const void *list, size_t first, size_t end,
                                  frz_json_writer *json);

/* What stands between the brackets of an array; borrowed. */
frz_slice frz_printed_text(const frz_printed *printed);

/* Takes the text up to `count` items of the list that it is of. */
FRZ_MUST_CHECK frz_status frz_printed_complete(frz_printed *printed, const void *list, size_t count,
                                               frz_printed_write write, frz_error **err);

/* The same text with a reference of its own. */
frz_printed frz_printed_share(const frz_printed *printed);
void frz_printed_clear(frz_printed *printed);

#endif
