/*
 * Cells of metadata tables: the types their columns have, and appending what may be unknown.
 */
#ifndef FRZ_METATABLE_CELL_H
#define FRZ_METATABLE_CELL_H

#include "arrow/builder.h"
#include "scan/scan.h"
#include "spec/manifest.h"

void frz_cell_count(frz_arrow_builder *column, int64_t value);   /* null when negative */
void frz_cell_text(frz_arrow_builder *column, const char *text); /* null when NULL */
void frz_cell_slice(frz_arrow_builder *column, frz_slice bytes); /* null when size 0 */

/*
 * The column `partition` of a metadata table: the union of all specs, as frz_scan has it, but with
 * names and ids that are no other column's.
 */
typedef struct frz_partition_column {
    const frz_scan *scan;
    const frz_type *type; /* field i is field i of scan->partition_type */
} frz_partition_column;

/* Fields that have an id below `lowest` get another, from *next_id on and no column's of the table.
 * Lives in `arena`. */
FRZ_MUST_CHECK frz_status frz_partition_column_make(const frz_scan *scan, int32_t lowest,
                                                    int32_t *next_id, frz_arena *arena,
                                                    frz_partition_column *out, frz_error **err);

/* The field of `spec` that stands behind a field of the column; false when the spec has none. */
bool frz_partition_column_find(const frz_partition_column *column, const frz_partition_spec *spec,
                               int32_t id, size_t *index_out);

/* The file's tuple, in those fields of the column that `part` has. */
void frz_partition_column_append(const frz_partition_column *column, const frz_data_file *file,
                                 const frz_type *part, frz_arrow_builder *out);

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
