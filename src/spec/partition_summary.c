#include "spec/partition_summary.h"

#include <math.h>

#include "base/fail.h"
#include "base/mem.h"

/* The bound of one side; `bytes` holds the value's bytes, so that a change costs no new memory. */
typedef struct bound {
    bool set;
    frz_value value;
    frz_buffer bytes;
} bound;

typedef struct field_facts {
    bool contains_null;
    bool contains_nan;
    bound lower;
    bound upper;
} field_facts;

struct frz_partition_summary {
    const frz_type *partition; /* borrowed */
    field_facts *fields;
};

frz_status frz_partition_summary_new(const frz_type *partition, frz_partition_summary **out,
                                     frz_error **err)
{
    frz_partition_summary *summary = frz_alloc_zero(sizeof *summary);
    if (!summary)
        return frz_fail_memory(err);
    summary->partition = partition;
    summary->fields = frz_alloc_array(partition->field_count, sizeof *summary->fields);
    if (!summary->fields) {
        frz_free(summary);
        return frz_fail_memory(err);
    }
    *out = summary;
    return FRZ_OK;
}

void frz_partition_summary_free(frz_partition_summary *summary)
{
    if (!summary)
        return;
    for (size_t i = 0; i < summary->partition->field_count; i++) {
        frz_buffer_clear(&summary->fields[i].lower.bytes);
        frz_buffer_clear(&summary->fields[i].upper.bytes);
    }
    frz_free(summary->fields);
    frz_free(summary);
}

/* Note 2 of field_summary: -0.0 lies before +0.0. */
static int order(const frz_value *a, const frz_value *b)
{
    const int compared = frz_value_compare(a, b);
    if (compared != 0 || a->form != FRZ_VALUE_NUMBER)
        return compared;
    return (signbit(b->number) != 0) - (signbit(a->number) != 0);
}

static void set_bound(bound *out, const frz_value *value)
{
    out->set = true;
    out->value = *value;
    if (value->form != FRZ_VALUE_BYTES)
        return;
    frz_buffer_reset(&out->bytes);
    frz_buffer_append(&out->bytes, value->bytes.data, value->bytes.size);
    out->value.bytes = frz_buffer_slice(&out->bytes);
}

frz_status frz_partition_summary_add(frz_partition_summary *summary, const frz_value *values,
                                     frz_error **err)
{
    for (size_t i = 0; i < summary->partition->field_count; i++) {
        field_facts *facts = &summary->fields[i];
        const frz_value *value = &values[i];
        if (value->form == FRZ_VALUE_NULL) {
            facts->contains_null = true;
            continue;
        }
        if (frz_value_is_nan(value)) {
            facts->contains_nan = true;
            continue;
        }
        if (!facts->lower.set || order(value, &facts->lower.value) < 0)
            set_bound(&facts->lower, value);
        if (!facts->upper.set || order(value, &facts->upper.value) > 0)
            set_bound(&facts->upper, value);
        FRZ_TRY(frz_buffer_check(&facts->lower.bytes, err));
        FRZ_TRY(frz_buffer_check(&facts->upper.bytes, err));
    }
    return FRZ_OK;
}

static frz_status encode_bound(const frz_type *type, const bound *from, frz_arena *arena,
                               bool *has_out, frz_slice *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer bytes = {0};
    *has_out = from->set;
    if (!from->set)
        return FRZ_OK;
    frz_value_encode(type, &from->value, &bytes);
    if (bytes.failed || !frz_arena_slice(arena, frz_buffer_slice(&bytes), out))
        status = frz_fail_memory(err);
    frz_buffer_clear(&bytes);
    return status;
}

frz_status frz_partition_summary_finish(const frz_partition_summary *summary, frz_arena *arena,
                                        const frz_field_summary **out, frz_error **err)
{
    const size_t count = summary->partition->field_count;
    frz_field_summary *summaries = frz_arena_array(arena, count, sizeof *summaries);
    if (!summaries)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const field_facts *facts = &summary->fields[i];
        const frz_type *type = summary->partition->fields[i].type;
        summaries[i].contains_null = facts->contains_null;
        summaries[i].contains_nan = (int8_t)(facts->contains_nan ? 1 : 0);
        FRZ_TRY(encode_bound(type, &facts->lower, arena, &summaries[i].has_lower,
                             &summaries[i].lower, err));
        FRZ_TRY(encode_bound(type, &facts->upper, arena, &summaries[i].has_upper,
                             &summaries[i].upper, err));
    }
    *out = summaries;
    return FRZ_OK;
}
