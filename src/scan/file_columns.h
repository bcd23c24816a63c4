/*
 * Where each column that a task reads comes from in one data file: a column of the file, a
 * constant, or the row's position (spec "Column Projection", "Reserved Field IDs", "Row lineage
 * assignment").
 */
#ifndef FRZ_SCAN_FILE_COLUMNS_H
#define FRZ_SCAN_FILE_COLUMNS_H

#include "scan/plan.h"
#include "scan/stored_column.h"

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
    frz_stored_column
        *stored; /* FROM_FILE; ROW_ID and SEQUENCE when the file stores the column; else NULL */
    frz_value constant;
} frz_file_column;

typedef struct frz_file_columns {
    frz_file_column *items;
    size_t count;
} frz_file_columns;

/* Resolves every field of `wanted` (a struct type) against the file of the task. Lives in `arena`.
 */
FRZ_MUST_CHECK frz_status frz_file_columns_resolve(const frz_scan *scan, const frz_scan_task *task,
                                                   frz_stored_file *file, const frz_type *wanted,
                                                   frz_arena *arena, frz_file_columns *out,
                                                   frz_error **err);

#endif
