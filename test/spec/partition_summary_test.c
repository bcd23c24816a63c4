#include "spec/table_fixture.h"

#include <math.h>

#include "spec/partition_summary.h"

static const frz_field fields[] = {
    {.id = 1000, .name = "s", .type = &(const frz_type){.kind = FRZ_TYPE_STRING}},
    {.id = 1001, .name = "d", .type = &(const frz_type){.kind = FRZ_TYPE_DOUBLE}}};
static const frz_type partition = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 2};

static frz_value text(const char *value)
{
    if (!value)
        return (frz_value){.form = FRZ_VALUE_NULL};
    return (frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text(value)};
}

static frz_value number(double value)
{
    return (frz_value){.form = FRZ_VALUE_NUMBER, .number = value};
}

static const frz_field_summary *summarise(const frz_value rows[][2], size_t count, frz_arena *arena)
{
    frz_partition_summary *summary = NULL;
    const frz_field_summary *out = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_partition_summary_new(&partition, &summary, &err), err);
    for (size_t i = 0; i < count; i++)
        CHECK_OK(frz_partition_summary_add(summary, rows[i], &err), err);
    CHECK_OK(frz_partition_summary_finish(summary, arena, &out, &err), err);
    frz_partition_summary_free(summary);
    return out;
}

static double bound_of(frz_slice bytes)
{
    double value = 0;
    CHECK(bytes.size == sizeof value);
    memcpy(&value, bytes.data, sizeof value);
    return value;
}

static void d094_bounds_exclude_nulls_and_nan(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_value rows[][2] = {
        {text("m"), number(NAN)}, {text(NULL), number(1.0)}, {text("b"), number(3.0)}};
    const frz_field_summary *s = summarise(rows, 3, &arena);
    CHECK(s[0].contains_null && s[0].contains_nan == 0);
    CHECK(s[0].has_lower && frz_slice_is_text(s[0].lower, "b") &&
          frz_slice_is_text(s[0].upper, "m"));
    CHECK(!s[1].contains_null && s[1].contains_nan == 1);
    CHECK(bound_of(s[1].lower) == 1.0 && bound_of(s[1].upper) == 3.0);
    frz_arena_clear(&arena);
}

static void d154_nothing_but_nan_or_null_has_no_bounds(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_value rows[][2] = {{text(NULL), number(NAN)}};
    const frz_field_summary *s = summarise(rows, 1, &arena);
    CHECK(s[0].contains_null && !s[0].has_lower && !s[0].has_upper);
    CHECK(s[1].contains_nan == 1 && !s[1].contains_null && !s[1].has_lower && !s[1].has_upper);
    frz_arena_clear(&arena);
}

static void d060_minus_zero_lies_below_zero(void **state) /* note 2; D060 */
{
    (void)state;
    frz_arena arena = {0};
    const frz_value rows[][2] = {
        {text("a"), number(0.0)}, {text("a"), number(-0.0)}, {text("a"), number(0.0)}};
    const frz_field_summary *s = summarise(rows, 3, &arena);
    CHECK(signbit(bound_of(s[1].lower)) && !signbit(bound_of(s[1].upper)));
    frz_arena_clear(&arena);
}

static void an_empty_string_is_a_bound(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_value rows[][2] = {{text(""), number(0.0)}};
    const frz_field_summary *s = summarise(rows, 1, &arena);
    CHECK(s[0].has_lower && s[0].lower.size == 0 && s[0].has_upper);
    frz_arena_clear(&arena);
}

static void summarise_once(void)
{
    frz_arena arena = {0};
    frz_partition_summary *summary = NULL;
    const frz_field_summary *out = NULL;
    frz_error *err = NULL;
    const frz_value row[2] = {text("some text"), number(1)};
    frz_status status = frz_partition_summary_new(&partition, &summary, &err);
    if (status == FRZ_OK)
        status = frz_partition_summary_add(summary, row, &err);
    if (status == FRZ_OK)
        status = frz_partition_summary_finish(summary, &arena, &out, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_partition_summary_free(summary);
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(summarise_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d094_bounds_exclude_nulls_and_nan),
        cmocka_unit_test(d154_nothing_but_nan_or_null_has_no_bounds),
        cmocka_unit_test(d060_minus_zero_lies_below_zero),
        cmocka_unit_test(an_empty_string_is_a_bound),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
