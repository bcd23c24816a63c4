/*
 * Partition and sort transforms (spec "Partition Transforms", Appendix B for bucket hashes).
 */
#ifndef FRZ_SPEC_TRANSFORM_H
#define FRZ_SPEC_TRANSFORM_H

#include "spec/value.h"

typedef enum frz_transform_kind {
    FRZ_TRANSFORM_IDENTITY,
    FRZ_TRANSFORM_BUCKET,   /* parameter: number of buckets */
    FRZ_TRANSFORM_TRUNCATE, /* parameter: width */
    FRZ_TRANSFORM_YEAR,
    FRZ_TRANSFORM_MONTH,
    FRZ_TRANSFORM_DAY,
    FRZ_TRANSFORM_HOUR,
    FRZ_TRANSFORM_VOID,
    FRZ_TRANSFORM_UNKNOWN /* kept as text, read unpruned, never written */
} frz_transform_kind;

typedef struct frz_transform {
    frz_transform_kind kind;
    int32_t parameter;
    const char *text; /* as metadata has it; never NULL */
} frz_transform;

/* A kind by its bare word of any case ("bucket", "day"); UNKNOWN when there is none. */
frz_transform_kind frz_transform_find_kind(frz_slice word);

/* A known transform with the text that metadata has for it. */
FRZ_MUST_CHECK frz_status frz_transform_make(frz_transform_kind kind, int32_t parameter,
                                             frz_arena *arena, frz_transform *out, frz_error **err);

/*
 * "bucket[16]", "day", ... of any case; an unknown one parses as UNKNOWN. `arena` keeps the text as
 * it stands. FRZ_CORRUPT for a parameter that is no positive 32-bit number.
 */
FRZ_MUST_CHECK frz_status frz_transform_parse(frz_slice text, frz_arena *arena, frz_transform *out,
                                              frz_error **err);

bool frz_transform_equal(const frz_transform *a, const frz_transform *b);

/* Whether the transform may be applied to the type. */
bool frz_transform_accepts(const frz_transform *transform, const frz_type *source);

/* The type of its results; unknown transforms give string. */
const frz_type *frz_transform_result_type(const frz_transform *transform, const frz_type *source);

/*
 * Null in, null out. Bytes of the result point into the source value or into `arena`.
 * FRZ_UNSUPPORTED for UNKNOWN. FRZ_INVALID where the result leaves its type's range: truncated
 * numbers beside the smallest one, hours of timestamps after the year 240000 (Java wraps around
 * there, which would break the order).
 */
FRZ_MUST_CHECK frz_status frz_transform_apply(const frz_transform *transform,
                                              const frz_type *source, const frz_value *value,
                                              frz_arena *arena, frz_value *out, frz_error **err);

/* As Java prints a partition value in paths and metadata tables: 2024-03-01, 2024-03-01-07, base64
 * of binary ... ; null as "null". */
void frz_transform_print(const frz_transform *transform, const frz_type *result_type,
                         const frz_value *value, frz_buffer *out);

/* Whether ordering by the source orders by the result too. */
bool frz_transform_preserves_order(const frz_transform *transform);

#endif
