/*
 * The metadata tables of a table as Arrow streams, with the columns, types and field ids of Java's
 * MetadataTableType. Tables over files read one manifest at a time, so that a million files stay in
 * bounded memory.
 */
#ifndef FRZ_SCAN_METADATA_TABLE_H
#define FRZ_SCAN_METADATA_TABLE_H

#include "arrow/builder.h"
#include "frazil/table.h"
#include "scan/scan.h"
#include "spec/manifest.h"

typedef struct frz_metadata_rows frz_metadata_rows;

/* One kind of table: `fill` appends the next rows, a bounded number of them; FRZ_END when there are
 * none. */
typedef struct frz_metadata_rows_ops {
    frz_status (*fill)(frz_metadata_rows *rows, frz_arrow_builder *out, frz_error **err);
    void (*clear)(frz_metadata_rows *rows); /* optional */
} frz_metadata_rows_ops;

struct frz_metadata_rows {
    const frz_metadata_rows_ops *ops;
    frz_scan *scan;          /* a reference: metadata, snapshot, io, limits */
    char *metadata_location; /* owned */
    frz_metadata_table kind;
    frz_arena arena;      /* owns type and state */
    const frz_type *type; /* the row; set by the kind's set-up */
    void *state;
    bool done;
};

/* Set-up of each kind: chooses ops, type and state. */
FRZ_MUST_CHECK frz_status frz_log_rows_init(frz_metadata_rows *rows, frz_error **err);
FRZ_MUST_CHECK frz_status frz_manifest_rows_init(frz_metadata_rows *rows, frz_error **err);
FRZ_MUST_CHECK frz_status frz_file_rows_init(frz_metadata_rows *rows, frz_error **err);
FRZ_MUST_CHECK frz_status frz_partition_rows_init(frz_metadata_rows *rows, frz_error **err);

/* Appending cells; negative numbers and NULL texts are null where `frz_cell_count`, `frz_cell_text`
 * say so. */
void frz_cell_count(frz_arrow_builder *column, int64_t value);   /* null when negative */
void frz_cell_text(frz_arrow_builder *column, const char *text); /* null when NULL */
void frz_cell_slice(frz_arrow_builder *column, frz_slice bytes); /* null when size 0 */

/* The file's partition tuple in the union of all specs. */
void frz_cell_partition(frz_arrow_builder *column, const frz_scan *scan, const frz_data_file *file);

/* Reads one manifest with every field, without the cache. */
FRZ_MUST_CHECK frz_status frz_metadata_read_manifest(const frz_scan *scan,
                                                     const frz_manifest_file *source, bool metrics,
                                                     frz_manifest **out, frz_error **err);

/* Types of cells, and a field of a row type. */
extern const frz_type frz_cell_int;
extern const frz_type frz_cell_long;
extern const frz_type frz_cell_string;
extern const frz_type frz_cell_boolean;
extern const frz_type frz_cell_binary;
extern const frz_type frz_cell_timestamptz;
#define FRZ_CELL(field_id, field_name, is_required, cell_type)                                  \
    {                                                                                           \
        .id = (field_id), .name = (field_name), .required = (is_required), .type = &(cell_type) \
    }

#endif
