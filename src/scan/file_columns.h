/*
 * Where each column that a task reads comes from in one data file: a node of the file, a constant,
 * or the row's position (spec "Column Projection", "Reserved Field IDs", "Row lineage assignment").
 */
#ifndef FRZ_SCAN_FILE_COLUMNS_H
#define FRZ_SCAN_FILE_COLUMNS_H

#include "arrow/schema.h"
#include "parquet/field_reader.h"
#include "scan/plan.h"
#include "scan/reshape.h"

typedef enum frz_column_source {
    FRZ_COLUMN_FROM_FILE,
    FRZ_COLUMN_CONSTANT, /* the same value in every row */
    FRZ_COLUMN_POSITION, /* _pos */
    FRZ_COLUMN_ROW_ID,   /* stored value, else first_row_id + position; null without first_row_id */
    FRZ_COLUMN_SEQUENCE, /* stored value, else the data sequence number; null without row lineage */
    FRZ_COLUMN_DELETED   /* _deleted */
} frz_column_source;

typedef struct frz_file_column {
    const frz_field *field; /* as wanted */
    frz_column_source source;
    const frz_parquet_node
        *node;           /* FROM_FILE; ROW_ID and SEQUENCE when the file stores the column */
    bool *leaf_selected; /* leaves below node that are wanted; all leaves of the file long */
    const frz_reshape *reshape;
    frz_value constant;
} frz_file_column;

typedef struct frz_file_columns {
    frz_file_column *items;
    size_t count;
} frz_file_columns;

/* Resolves every field of `wanted` (a struct type) against the file of the task. Lives in `arena`.
 */
FRZ_MUST_CHECK frz_status frz_file_columns_resolve(const frz_scan *scan, const frz_scan_task *task,
                                                   const frz_parquet_file *file,
                                                   const frz_type *wanted, frz_arena *arena,
                                                   frz_file_columns *out, frz_error **err);

/* The node of the file with that field id, at any depth outside lists and maps; NULL when absent.
 */
const frz_parquet_node *frz_file_find_node(const frz_parquet_node *parent, int32_t field_id);

#endif
