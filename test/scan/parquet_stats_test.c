#include "scan/parquet_stats.h"

#include "harness.h"

static frz_parquet_node leaf(frz_parquet_type type, frz_parquet_logical logical)
{
    return (frz_parquet_node){.shape = FRZ_PARQUET_SHAPE_LEAF,
                              .type = type,
                              .logical = logical,
                              .is_signed = true,
                              .unit = 'u'};
}

static frz_type of(frz_type_kind kind)
{
    return (frz_type){.kind = kind};
}

/* INT32-backed decimals are little-endian; the table may have widened the precision. */
static void d047_integer_decimals_are_little_endian(void **state)
{
    (void)state;
    frz_value value = {0};
    const uint8_t minus_659[] = {0x6d, 0xfd, 0xff, 0xff};
    const frz_type wide = {.kind = FRZ_TYPE_DECIMAL, .precision = 38, .scale = 0};
    frz_parquet_node node = leaf(FRZ_PARQUET_INT32, FRZ_PARQUET_LOGICAL_DECIMAL);
    CHECK(frz_parquet_bound(&node, frz_slice_of(minus_659, 4), &wide, &value));
    CHECK(value.form == FRZ_VALUE_DECIMAL && value.decimal == -659);
    node.scale = 2;
    CHECK(!frz_parquet_bound(&node, frz_slice_of(minus_659, 4), &wide, &value));
    node = leaf(FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, FRZ_PARQUET_LOGICAL_DECIMAL);
    const uint8_t big_endian[] = {0xfd, 0x6d};
    CHECK(frz_parquet_bound(&node, frz_slice_of(big_endian, 2), &wide, &value));
    CHECK(value.decimal == -659);
}

static void test_a_wrong_size_is_no_bound(void **state)
{
    (void)state;
    frz_value value = {0};
    const uint8_t bytes[8] = {1};
    const frz_type kinds[] = {of(FRZ_TYPE_INT), of(FRZ_TYPE_DOUBLE), of(FRZ_TYPE_BOOLEAN)};
    const frz_parquet_type types[] = {FRZ_PARQUET_INT32, FRZ_PARQUET_DOUBLE, FRZ_PARQUET_BOOLEAN};
    for (size_t i = 0; i < 3; i++) {
        const frz_parquet_node node = leaf(types[i], FRZ_PARQUET_LOGICAL_NONE);
        CHECK(!frz_parquet_bound(&node, frz_slice_of(bytes, 3), &kinds[i], &value));
        CHECK(!frz_parquet_bound(&node, frz_slice_of(bytes, 0), &kinds[i], &value));
    }
}

static void test_nan_is_no_bound(void **state)
{
    (void)state;
    frz_value value = {0};
    const uint8_t nan[] = {0, 0, 0xc0, 0x7f};
    const uint8_t half[] = {0, 0, 0, 0x3f};
    const frz_type type = of(FRZ_TYPE_DOUBLE);
    const frz_parquet_node node = leaf(FRZ_PARQUET_FLOAT, FRZ_PARQUET_LOGICAL_NONE);
    CHECK(!frz_parquet_bound(&node, frz_slice_of(nan, 4), &type, &value));
    CHECK(frz_parquet_bound(&node, frz_slice_of(half, 4), &type, &value) && value.number == 0.5);
}

static void test_times_take_the_tables_unit(void **state)
{
    (void)state;
    frz_value value = {0};
    const uint8_t minus_one[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const frz_type micros = of(FRZ_TYPE_TIMESTAMP);
    const frz_type nanos = of(FRZ_TYPE_TIMESTAMP_NS);
    frz_parquet_node node = leaf(FRZ_PARQUET_INT64, FRZ_PARQUET_LOGICAL_TIMESTAMP);
    node.unit = 'm';
    CHECK(frz_parquet_bound(&node, frz_slice_of(minus_one, 8), &micros, &value) &&
          value.integer == -1000);
    node.unit = 'n';
    CHECK(frz_parquet_bound(&node, frz_slice_of(minus_one, 8), &micros, &value) &&
          value.integer == -1);
    CHECK(frz_parquet_bound(&node, frz_slice_of(minus_one, 8), &nanos, &value) &&
          value.integer == -1);
    node = leaf(FRZ_PARQUET_INT32, FRZ_PARQUET_LOGICAL_DATE);
    CHECK(frz_parquet_bound(&node, frz_slice_of(minus_one, 4), &micros, &value));
    CHECK(value.integer == INT64_C(-86400000000));
}

static void test_types_without_order_have_no_bounds(void **state)
{
    (void)state;
    frz_value value = {0};
    const uint8_t bytes[12] = {0};
    const frz_type tz = of(FRZ_TYPE_TIMESTAMPTZ);
    const frz_parquet_node node = leaf(FRZ_PARQUET_INT96, FRZ_PARQUET_LOGICAL_NONE);
    CHECK(!frz_parquet_bound(&node, frz_slice_of(bytes, 12), &tz, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d047_integer_decimals_are_little_endian),
        cmocka_unit_test(test_a_wrong_size_is_no_bound),
        cmocka_unit_test(test_nan_is_no_bound),
        cmocka_unit_test(test_times_take_the_tables_unit),
        cmocka_unit_test(test_types_without_order_have_no_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
