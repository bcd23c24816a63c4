/*
 * One value of an Arrow column as a value of the specification: for partition tuples and sort keys.
 */
#ifndef FRZ_WRITE_ROW_VALUE_H
#define FRZ_WRITE_ROW_VALUE_H

#include "frazil/arrow.h"
#include "spec/value.h"

/* `array` is in the Arrow type of frz_type_to_arrow for the primitive `type`; bytes are borrowed
 * from it. */
void frz_row_value(const frz_type *type, const struct ArrowArray *array, int64_t index,
                   frz_value *out);

/* Where a column lies in a struct array: the child at each level. */
enum { FRZ_COLUMN_DEPTH_MAX = 64 };
typedef struct frz_column_path {
    int64_t children[FRZ_COLUMN_DEPTH_MAX];
    size_t depth;
    const frz_type *type;
} frz_column_path;

/* The path to a field through structs from the schema's root; false when it is not reached so. */
bool frz_column_path_find(const frz_type *root, int32_t field_id, frz_column_path *out);

/* The value at the end of a path; null when a struct on the way is null. */
void frz_column_path_value(const frz_column_path *path, const struct ArrowArray *batch,
                           int64_t index, frz_value *out);

#endif
