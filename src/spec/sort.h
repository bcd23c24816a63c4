/*
 * Sort orders (spec "Sorting").
 */
#ifndef FRZ_SPEC_SORT_H
#define FRZ_SPEC_SORT_H

#include "spec/schema.h"
#include "spec/transform.h"

typedef struct frz_sort_field {
    const int32_t *source_ids;
    size_t source_count;
    frz_transform transform;
    bool descending;
    bool nulls_last;
} frz_sort_field;

typedef struct frz_sort_order {
    int32_t order_id; /* 0 = unsorted */
    const frz_sort_field *fields;
    size_t field_count;
} frz_sort_order;

/* Same fields, whatever the ids of the orders. */
bool frz_sort_order_equivalent(const frz_sort_order *a, const frz_sort_order *b);

/* Appendix C; FRZ_CORRUPT when members are missing. */
FRZ_MUST_CHECK frz_status frz_sort_order_read_json(frz_json_reader *json, frz_arena *arena,
                                                   frz_sort_order *out, frz_error **err);
void frz_sort_order_write_json(const frz_sort_order *order, frz_json_writer *json);

#endif
