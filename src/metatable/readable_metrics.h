/*
 * The column readable_metrics of the tables over files: per primitive column of the table's schema
 * its counts and its bounds as values (Java's MetricsUtil.readableMetricsSchema).
 *
 * Java numbers the columns in the order of a hash map of their names, which nobody can rely on, and
 * sorts them by name afterwards; here the ids ascend with the names.
 *
 * Bounds of geometry and geography columns are points ("Appendix D", bounds of geo types): a list
 * of x, y, z and m, NaN where the bound has none.
 */
#ifndef FRZ_METATABLE_READABLE_METRICS_H
#define FRZ_METATABLE_READABLE_METRICS_H

#include "arrow/builder.h"
#include "spec/manifest.h"
#include "spec/schema.h"

typedef struct frz_readable_metrics {
    const frz_type *type;      /* a struct of one struct per column, by dotted path */
    const frz_field **columns; /* of the schema, in the same order */
    int32_t first_id;          /* ids count up from here: a column, its metrics, the next column */
} frz_readable_metrics;

/* Takes ids from *next_id on. Lives in `arena`, borrows the schema. */
FRZ_MUST_CHECK frz_status frz_readable_metrics_make(const frz_schema *schema, int32_t *next_id,
                                                    frz_arena *arena, frz_readable_metrics *out,
                                                    frz_error **err);

/* The field id of the table's column that a field of the type tells of. */
int32_t frz_readable_metrics_column(const frz_readable_metrics *metrics, const frz_field *field);

/* Whether `part` of the type has any column's size. */
bool frz_readable_metrics_has_size(const frz_type *part);

/* The metrics of a file, in those columns and fields that `part` has. */
void frz_readable_metrics_append(const frz_readable_metrics *metrics, const frz_data_file *file,
                                 const frz_type *part, frz_arrow_builder *out);

#endif
