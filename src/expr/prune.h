/*
 * Pruning: may any row match, must all rows match, from statistics alone (spec "Scan Planning").
 * One evaluator for manifests' field summaries, files' metrics, row groups and pages: each gives
 * its statistics through frz_column_stats.
 *
 * Never prunes on unknown (design rule 3). NaN counts decide for floating columns, as bounds
 * exclude NaN and NaN is the greatest value: unknown, NaN may be there. Bounds that are NaN or
 * inverted are not believed.
 */
#ifndef FRZ_EXPR_PRUNE_H
#define FRZ_EXPR_PRUNE_H

#include "expr/expression.h"
#include "spec/metadata.h"

/* What is known of one column within one file, row group, page or manifest. */
typedef struct frz_column_stats {
    int64_t value_count; /* -1 unknown, as all counts */
    int64_t null_count;
    int64_t nan_count;
    bool has_lower; /* value >= lower for all non-null, non-NaN values */
    bool has_upper;
    frz_value lower;
    frz_value upper;
    bool absent_constant; /* the column is not in the file: every row has `lower` (or null when
                             !has_lower) */
} frz_column_stats;

/*
 * The statistics of the column that a direct reference names; false when nothing is known. Bounds
 * are wanted in the reference's type. A null in a parent is a null of the field: a source whose
 * value count for a nested field is not the row count must leave null_count unknown.
 */
typedef bool (*frz_stats_source)(void *context, const frz_reference *reference,
                                 frz_column_stats *out);

/* False only when certainly no row is true. */
bool frz_prune_may_match(const frz_expr *expr, frz_stats_source source, void *context);

/* True only when certainly every row is true. */
bool frz_prune_must_match(const frz_expr *expr, frz_stats_source source, void *context);

/*
 * Projects a row predicate onto the partition tuple of `spec`: a predicate over the fields of
 * `partition_type` (bound to partition field ids, top-level). Inclusive: true wherever a row may
 * match. Strict: true only where all rows match.
 */
FRZ_MUST_CHECK frz_status frz_expr_project_inclusive(const frz_expr *expr,
                                                     const frz_partition_spec *spec,
                                                     const frz_type *partition_type,
                                                     frz_arena *arena, const frz_expr **out,
                                                     frz_error **err);
FRZ_MUST_CHECK frz_status frz_expr_project_strict(const frz_expr *expr,
                                                  const frz_partition_spec *spec,
                                                  const frz_type *partition_type, frz_arena *arena,
                                                  const frz_expr **out, frz_error **err);

/* The partition of a file. */
typedef struct frz_partition_tuple {
    const frz_partition_spec *spec;
    const frz_type *type;
    const frz_value *values; /* by field of the type */
} frz_partition_tuple;

/*
 * What is left to test on the rows of a file of this partition: leaves that the tuple decides
 * become true or false. Leaves that stay are those of `expr`.
 */
FRZ_MUST_CHECK frz_status frz_expr_residual(const frz_expr *expr, const frz_partition_tuple *tuple,
                                            frz_arena *arena, const frz_expr **out,
                                            frz_error **err);

#endif
