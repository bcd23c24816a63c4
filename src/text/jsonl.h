/*
 * JSON lines in: one object per line, columns by name. What an object lacks is null; a name that
 * the schema does not have is an error.
 */
#ifndef FRZ_TEXT_JSONL_H
#define FRZ_TEXT_JSONL_H

#include <stdbool.h>

#include "base/slice.h"
#include "frazil/arrow.h"
#include "frazil/io.h"
#include "frazil/text.h"

/* The batches have all columns of `schema` (borrowed). */
FRZ_MUST_CHECK frz_status frz_jsonl_open(const char *location, frz_io *io,
                                         const struct ArrowSchema *schema,
                                         const frz_rows_options *options,
                                         struct ArrowArrayStream *out, frz_error **err);

/* A line of blanks only, which is no row. */
bool frz_jsonl_is_blank(frz_slice record);

#endif
