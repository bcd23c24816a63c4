/*
 * JSON arrays whose items are read one by one into a list in an arena.
 */
#ifndef FRZ_SPEC_JSON_LIST_H
#define FRZ_SPEC_JSON_LIST_H

#include "json/reader.h"
#include "json/writer.h"
#include "spec/list.h"

typedef struct frz_json_list {
    frz_arena *arena;
    size_t item_size;
    /* Reads the value at the reader into `item`, which is zeroed. */
    frz_status (*read)(frz_json_reader *json, const struct frz_json_list *list, void *item,
                       frz_error **err);
    const void *context; /* for `read` */
} frz_json_list;

/* Where the value at the reader begins, past blanks: the offset that a message about it gives. */
size_t frz_json_value_offset(frz_json_reader *json);

/* Appends the items of the array at the reader to *out. */
FRZ_MUST_CHECK frz_status frz_json_list_read(frz_json_reader *json, const frz_json_list *list,
                                             frz_list *out, frz_error **err);

/* 32-bit ids. */
FRZ_MUST_CHECK frz_status frz_json_list_read_ids(frz_json_reader *json, frz_arena *arena,
                                                 frz_list *out, frz_error **err);
void frz_json_list_write_ids(const int32_t *ids, size_t count, frz_json_writer *json);

#endif
