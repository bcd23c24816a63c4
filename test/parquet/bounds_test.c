#include "parquet/bounds.h"

#include <math.h>

#include "harness.h"

static double bound_f64(const frz_buffer *bound)
{
    double value;
    CHECK(bound->size == sizeof value);
    memcpy(&value, bound->data, sizeof value);
    return value;
}

static void test_nan_is_counted_and_zeros_get_their_sign(void **state)
{
    (void)state;
    frz_parquet_bounds bounds = {0};
    const double values[] = {NAN, 0.0, NAN};
    frz_parquet_bounds_add_fixed(&bounds, FRZ_PARQUET_ORDER_DOUBLE, values, 8, 1);
    CHECK(!bounds.any && bounds.nan_count == 1);
    frz_parquet_bounds_add_fixed(&bounds, FRZ_PARQUET_ORDER_DOUBLE, values, 8, 3);
    CHECK(bounds.any && bounds.nan_count == 3);
    CHECK(bound_f64(&bounds.min) == 0 && signbit(bound_f64(&bounds.min)));
    CHECK(bound_f64(&bounds.max) == 0 && !signbit(bound_f64(&bounds.max)));
    frz_parquet_bounds other = {0};
    const double more[] = {INFINITY, -1.5};
    frz_parquet_bounds_add_fixed(&other, FRZ_PARQUET_ORDER_DOUBLE, more, 8, 2);
    frz_parquet_bounds_merge(&bounds, FRZ_PARQUET_ORDER_DOUBLE, &other);
    CHECK(bound_f64(&bounds.min) == -1.5 && isinf(bound_f64(&bounds.max)) && bounds.nan_count == 3);
    frz_parquet_bounds_reset(&bounds);
    CHECK(!bounds.any && bounds.nan_count == 0);
    frz_parquet_bounds_clear(&bounds);
    frz_parquet_bounds_clear(&other);
}

static void check_bounds(frz_parquet_order order, const void *values, size_t width, size_t count,
                         size_t min_index, size_t max_index)
{
    frz_parquet_bounds bounds = {0};
    frz_parquet_bounds_add_fixed(&bounds, order, values, width, count);
    CHECK(bounds.any && bounds.min.size == width && bounds.max.size == width);
    CHECK(memcmp(bounds.min.data, (const uint8_t *)values + min_index * width, width) == 0);
    CHECK(memcmp(bounds.max.data, (const uint8_t *)values + max_index * width, width) == 0);
    frz_parquet_bounds_clear(&bounds);
}

static void test_every_order(void **state)
{
    (void)state;
    check_bounds(FRZ_PARQUET_ORDER_BOOL, (uint8_t[]){1, 0}, 1, 2, 1, 0);
    check_bounds(FRZ_PARQUET_ORDER_INT32, (int32_t[]){5, -7, 9}, 4, 3, 1, 2);
    check_bounds(FRZ_PARQUET_ORDER_INT64, (int64_t[]){INT64_MAX, INT64_MIN}, 8, 2, 1, 0);
    check_bounds(FRZ_PARQUET_ORDER_FLOAT, (float[]){1.0f, -2.0f}, 4, 2, 1, 0);
    check_bounds(FRZ_PARQUET_ORDER_BYTES, "\x7f\x01\x80\x00", 2, 2, 0, 1);
    check_bounds(FRZ_PARQUET_ORDER_BIG_ENDIAN, "\x7f\x01\x80\x00\xff\xff", 2, 3, 1, 0);
    const frz_slice texts[] = {frz_slice_of_text("b"), frz_slice_of_text("ab"),
                               frz_slice_of_text("a")};
    frz_parquet_bounds bounds = {0};
    frz_parquet_bounds_add_slices(&bounds, texts, 0);
    CHECK(!bounds.any);
    frz_parquet_bounds_add_slices(&bounds, texts, 3);
    CHECK(frz_slice_is_text(frz_buffer_slice(&bounds.min), "a"));
    CHECK(frz_slice_is_text(frz_buffer_slice(&bounds.max), "b"));
    frz_parquet_bounds_clear(&bounds);
}

/* Fixed decimals of several row groups are merged as signed big-endian numbers. */
static void d084_decimals_of_row_groups_merge_by_value(void **state)
{
    (void)state;
    static const uint8_t one[16] = {[15] = 1};
    static const uint8_t few[16] = {[15] = 255};
    static const uint8_t more[16] = {[14] = 1};
    static const uint8_t most[16] = {[13] = 1};
    uint8_t minus[16]; /* -256: its bytes reversed are the least of all */
    memset(minus, 0xff, sizeof minus);
    minus[15] = 0;
    frz_parquet_bounds total = {0};
    const uint8_t *const groups[][2] = {{more, most}, {one, few}, {minus, one}};
    for (size_t i = 0; i < 3; i++) {
        frz_parquet_bounds group = {0};
        for (size_t k = 0; k < 2; k++)
            frz_parquet_bounds_add_fixed(&group, FRZ_PARQUET_ORDER_BIG_ENDIAN, groups[i][k], 16, 1);
        frz_parquet_bounds_merge(&total, FRZ_PARQUET_ORDER_BIG_ENDIAN, &group);
        frz_parquet_bounds_clear(&group);
        CHECK(memcmp(total.min.data, i == 0 ? more : i == 1 ? one : minus, 16) == 0);
        CHECK(memcmp(total.max.data, most, 16) == 0);
    }
    frz_parquet_bounds_clear(&total);
}

static void test_orders_of_leaves(void **state)
{
    (void)state;
    frz_parquet_node node = {.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY};
    CHECK(frz_parquet_order_of(&node) == FRZ_PARQUET_ORDER_BYTES);
    node.logical = FRZ_PARQUET_LOGICAL_DECIMAL;
    CHECK(frz_parquet_order_of(&node) == FRZ_PARQUET_ORDER_BIG_ENDIAN);
    node.type = FRZ_PARQUET_INT32;
    CHECK(frz_parquet_order_of(&node) == FRZ_PARQUET_ORDER_INT32);
}

/* `unit` repeated up to 72 bytes; what its upper bound ends with. */
static void check_raised(const char *unit, size_t kept, const char *end)
{
    const frz_parquet_node text = {.type = FRZ_PARQUET_BYTE_ARRAY,
                                   .logical = FRZ_PARQUET_LOGICAL_STRING};
    char value[96];
    uint8_t scratch[FRZ_PARQUET_BOUND_SIZE_MAX];
    bool exact = true;
    size_t size = 0;
    for (; size < 72; size += strlen(unit))
        memcpy(value + size, unit, strlen(unit));
    const frz_slice max =
        frz_parquet_shorten_max(&text, frz_slice_of(value, size), scratch, &exact);
    CHECK(!exact && max.size == kept + strlen(end) && max.size <= 64);
    CHECK(memcmp(max.data, value, kept) == 0);
    CHECK(memcmp(max.data + kept, end, strlen(end)) == 0);
    CHECK(frz_slice_compare(max, frz_slice_of(value, size)) > 0);
    const frz_slice min = frz_parquet_shorten_min(&text, frz_slice_of(value, size), &exact);
    CHECK(!exact && min.size == kept + strlen(end) && memcmp(min.data, value, min.size) == 0);
}

static void test_text_is_cut_and_raised_by_characters(void **state)
{
    (void)state;
    check_raised("a", 63, "b");
    check_raised("\xc3\xa9", 62, "\xc3\xaa");
    check_raised("\xc3\xbf", 62, "\xc4\x80");
    check_raised("\xed\x9f\xbf", 60, "\xee\x80\x80"); /* over the surrogates */
    check_raised("\xf0\x9f\x98\x80", 60, "\xf0\x9f\x98\x81");
    check_raised("\xe0\xbf\xbf", 60, "\xe1\x80\x80");
}

static void test_a_bound_that_cannot_be_raised_stays_whole(void **state)
{
    (void)state;
    const frz_parquet_node text = {.type = FRZ_PARQUET_BYTE_ARRAY,
                                   .logical = FRZ_PARQUET_LOGICAL_STRING};
    const frz_parquet_node bytes = {.type = FRZ_PARQUET_BYTE_ARRAY};
    const frz_parquet_node fixed = {.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY};
    char value[72];
    uint8_t scratch[FRZ_PARQUET_BOUND_SIZE_MAX];
    bool exact = false;
    for (size_t i = 0; i < sizeof value; i += 4)
        memcpy(value + i, "\xf4\x8f\xbf\xbf", 4); /* U+10FFFF */
    const frz_slice max = frz_slice_of(value, sizeof value);
    CHECK(frz_slice_equal(frz_parquet_shorten_max(&text, max, scratch, &exact), max) && exact);
    value[0] = 'z'; /* the last characters go, the first is raised; the second is now broken */
    memset(value + 1, 0x7f, sizeof value - 1);
    const frz_slice raised = frz_parquet_shorten_max(&text, max, scratch, &exact);
    CHECK(!exact && raised.size == 1 && raised.data[0] == '{');
    memset(value, 0xff, sizeof value);
    CHECK(frz_slice_equal(frz_parquet_shorten_max(&bytes, max, scratch, &exact), max) && exact);
    value[2] = 1;
    const frz_slice short_max = frz_parquet_shorten_max(&bytes, max, scratch, &exact);
    CHECK(!exact && short_max.size == 3 && short_max.data[2] == 2);
    CHECK(frz_parquet_shorten_max(&fixed, max, scratch, &exact).size == 72 && exact);
    CHECK(frz_parquet_shorten_min(&fixed, max, &exact).size == 72 && exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nan_is_counted_and_zeros_get_their_sign),
        cmocka_unit_test(test_every_order),
        cmocka_unit_test(d084_decimals_of_row_groups_merge_by_value),
        cmocka_unit_test(test_orders_of_leaves),
        cmocka_unit_test(test_text_is_cut_and_raised_by_characters),
        cmocka_unit_test(test_a_bound_that_cannot_be_raised_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
