/*
 * A column of an open file, whatever its format, read as the table's type (spec "Column
 * Projection"): found by field id, then reshaped (scan/reshape.h).
 *
 * All columns of a file are found before the first is opened: Avro decodes the rows for all of them
 * at once.
 */
#ifndef FRZ_SCAN_STORED_COLUMN_H
#define FRZ_SCAN_STORED_COLUMN_H

#include "parquet/field_reader.h"
#include "scan/reshape.h"
#include "scan/stored_file.h"

typedef struct frz_stored_column {
    const frz_field *field; /* as wanted */
    frz_stored_file *file;
    size_t avro; /* its number in file->avro */
    const frz_parquet_node *node;
    bool *leaf_selected; /* leaves below node that are wanted; all leaves of the file long */
    frz_parquet_field_reader *values;
    const frz_reshape *reshape;
} frz_stored_column;

/* Looks for a top-level column; *out is NULL when the file has none. It lives in `arena` and
 * borrows `file` and `field`. FRZ_UNSUPPORTED for a type that is not read. */
FRZ_MUST_CHECK frz_status frz_stored_column_find(frz_stored_file *file, const frz_field *field,
                                                 frz_arena *arena, frz_stored_column **out,
                                                 frz_error **err);

/* `ranges` tells which rows will be read (NULL = all of them). FRZ_UNSUPPORTED or FRZ_CORRUPT when
 * the file's type cannot become the table's. */
FRZ_MUST_CHECK frz_status frz_stored_column_open(frz_stored_column *column,
                                                 const frz_row_ranges *ranges, frz_arena *arena,
                                                 frz_error **err);
/* Accepts NULL. */
void frz_stored_column_close(frz_stored_column *column);

/* The selected rows, which lie in one window of the file (frz_stored_file_window); of Avro, the
 * last window as a whole. */
FRZ_MUST_CHECK frz_status frz_stored_column_read(frz_stored_column *column,
                                                 const frz_row_selection *rows,
                                                 struct ArrowArray *out, frz_error **err);

/* The node of a Parquet file with that field id, at any depth outside lists and maps; NULL when
 * absent. */
const frz_parquet_node *frz_file_find_node(const frz_parquet_node *parent, int32_t field_id);

#endif
