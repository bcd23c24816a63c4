/*
 * From what a Parquet file holds to the metrics of its manifest entry (spec "Data File Fields" 108
 * to 128, "Field-level Metrics"), under the modes none, counts, truncate(N) and full of
 * write.metadata.metrics.*.
 *
 * Bounds exclude nulls and NaN; a column within a list or map has counts but no bounds; a bound
 * that cannot be given (no code point above) is left out, never guessed.
 */
#ifndef FRZ_WRITE_METRICS_H
#define FRZ_WRITE_METRICS_H

#include "parquet/writer.h"
#include "spec/manifest.h"

typedef enum frz_metrics_kind {
    FRZ_METRICS_NONE,
    FRZ_METRICS_COUNTS,
    FRZ_METRICS_TRUNCATE,
    FRZ_METRICS_FULL
} frz_metrics_kind;

typedef struct frz_metrics_mode {
    frz_metrics_kind kind;
    int32_t length; /* TRUNCATE: code points of strings, bytes of binaries */
} frz_metrics_mode;

/* The mode of every field of a schema, in its pre-order. Lives in the arena it was made in. */
typedef struct frz_metrics_config {
    const frz_schema *schema; /* borrowed */
    const frz_metrics_mode *modes;
} frz_metrics_config;

/* From the table's properties and its sort order: sorted columns have bounds at least. FRZ_INVALID
 * names a property whose mode is unknown. */
FRZ_MUST_CHECK frz_status frz_metrics_config_read(const frz_metadata *metadata,
                                                  const frz_schema *schema, frz_arena *arena,
                                                  frz_metrics_config *out, frz_error **err);

/* The mode of a field of the schema. */
frz_metrics_mode frz_metrics_config_mode(const frz_metrics_config *config, const frz_field *field);

FRZ_MUST_CHECK frz_status frz_metrics_mode_parse(const char *text, frz_metrics_mode *out,
                                                 frz_error **err);

/* Metrics of the columns of the schema that the file has, sorted by field id, in `arena`. */
FRZ_MUST_CHECK frz_status frz_metrics_of_summary(const frz_metrics_config *config,
                                                 const frz_parquet_summary *summary,
                                                 frz_arena *arena, frz_column_metrics **out,
                                                 size_t *count_out, frz_error **err);

/*
 * Bounds of at most `length` code points (text) or bytes: the lower is a prefix, the upper the
 * least prefix above. False when there is no such upper bound, or the text is no UTF-8. The lower
 * one borrows from `value`.
 */
bool frz_bound_truncate_lower(frz_slice value, bool text, int32_t length, frz_slice *out);
bool frz_bound_truncate_upper(frz_slice value, bool text, int32_t length, frz_arena *arena,
                              frz_slice *out);

#endif
