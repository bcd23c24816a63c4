/*
 * The metadata tables of a table as Arrow streams, with the columns, types and field ids of Java's
 * MetadataTableType. A kind of table gives its rows a few at a time, and cells of them by field id:
 * what filters, projects and makes batches is the same for all.
 */
#ifndef FRZ_METATABLE_ROWS_H
#define FRZ_METATABLE_ROWS_H

#include "arrow/builder.h"
#include "expr/evaluate.h"
#include "frazil/table.h"
#include "metatable/cell.h"

typedef struct frz_metadata_rows frz_metadata_rows;

typedef struct frz_metadata_rows_ops {
    /* Moves on to the next rows, *count_out of them, which may be 0; FRZ_END when there are none.
     */
    frz_status (*next)(frz_metadata_rows *rows, size_t *count_out, frz_error **err);
    /* Appends the cell of one of those rows; `column` is a column of the row type, or a part of a
     * nested one. */
    frz_status (*cell)(frz_metadata_rows *rows, size_t index, const frz_field *column,
                       frz_arrow_builder *out, frz_error **err);
    /* Optional: looks at what will be read, once the projection is known. */
    frz_status (*start)(frz_metadata_rows *rows, frz_error **err);
    void (*clear)(frz_metadata_rows *rows); /* optional */
} frz_metadata_rows_ops;

/* Columns to be built, and what builds them. */
typedef struct frz_metadata_columns {
    const frz_type *type;
    struct ArrowSchema schema;
    frz_arrow_builder *builder;
} frz_metadata_columns;

enum { FRZ_METADATA_BATCH_ROWS = 1024 };

struct frz_metadata_rows {
    const frz_metadata_rows_ops *ops;
    frz_scan *scan;          /* a reference: metadata, snapshot, schema, io, limits */
    char *metadata_location; /* owned */
    frz_metadata_table kind;
    frz_arena arena;      /* owns type, filter, projection and state */
    const frz_type *type; /* the row; set by the kind's set-up */
    void *state;

    frz_schema *schema;     /* a reference: owns the types that options chose; NULL without any */
    const frz_expr *filter; /* over `type`; frz_expr_true when there is none */
    frz_evaluator *evaluator;
    frz_metadata_columns filtered; /* what the filter reads; no type without filter */
    frz_metadata_columns output;
    int64_t batch_rows;
    size_t run_count; /* rows that `next` gave */
    size_t run_at;    /* of those, done with */
    bool done;
};

/* Set-up of each kind: chooses ops, type and state. */
FRZ_MUST_CHECK frz_status frz_log_rows_init(frz_metadata_rows *rows, frz_error **err);
FRZ_MUST_CHECK frz_status frz_manifest_rows_init(frz_metadata_rows *rows, frz_error **err);
FRZ_MUST_CHECK frz_status frz_file_rows_init(frz_metadata_rows *rows, frz_error **err);
FRZ_MUST_CHECK frz_status frz_partition_rows_init(frz_metadata_rows *rows, frz_error **err);
FRZ_MUST_CHECK frz_status frz_position_rows_init(frz_metadata_rows *rows, frz_error **err);

/* Calls `visit` for each column that is output or filtered by. */
void frz_metadata_rows_visit(const frz_metadata_rows *rows,
                             void (*visit)(void *context, const frz_field *column), void *context);

#endif
