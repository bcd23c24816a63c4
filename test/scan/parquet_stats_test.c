#include "scan/parquet_stats.h"

#include <math.h>

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
    CHECK(frz_parquet_bound(&node, frz_slice_of(minus_one, 8), &nanos, &value) &&
          value.integer == -1000000);
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

static bool plain(const frz_parquet_node *node, frz_value value, const frz_type *type,
                  const void *bytes, size_t size)
{
    frz_parquet_plain out;
    return frz_parquet_plain_of(node, &value, type, &out) && out.bytes.size == size &&
           memcmp(out.bytes.data, bytes, size) == 0;
}

static bool has_plain(const frz_parquet_node *node, frz_value value, const frz_type *type)
{
    frz_parquet_plain out;
    return frz_parquet_plain_of(node, &value, type, &out);
}

static void test_decimals_of_four_physical_types(void **state)
{
    (void)state;
    const frz_type type = {.kind = FRZ_TYPE_DECIMAL, .precision = 9, .scale = 0};
    const frz_value minus_659 = {.form = FRZ_VALUE_DECIMAL, .decimal = -659};
    frz_parquet_node node = leaf(FRZ_PARQUET_INT32, FRZ_PARQUET_LOGICAL_DECIMAL);
    CHECK(plain(&node, minus_659, &type, "\x6d\xfd\xff\xff", 4));
    node.scale = 2;
    CHECK(!has_plain(&node, minus_659, &type));
    node = leaf(FRZ_PARQUET_INT64, FRZ_PARQUET_LOGICAL_DECIMAL);
    CHECK(plain(&node, minus_659, &type, "\x6d\xfd\xff\xff\xff\xff\xff\xff", 8));
    node = leaf(FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, FRZ_PARQUET_LOGICAL_DECIMAL);
    node.type_length = 3;
    CHECK(plain(&node, minus_659, &type, "\xff\xfd\x6d", 3));
    node.type_length = 1;
    CHECK(!has_plain(&node, minus_659, &type)); /* too large for the column */
    node.type_length = 40;
    CHECK(!has_plain(&node, minus_659, &type));
    node = leaf(FRZ_PARQUET_BYTE_ARRAY, FRZ_PARQUET_LOGICAL_DECIMAL);
    CHECK(!has_plain(&node, minus_659, &type));
    frz_value value = {0};
    CHECK(frz_parquet_bound(&node, frz_slice_of("\xff\xff\xfd\x6d", 4), &type, &value));
    CHECK(value.decimal == -659);
}

static void test_a_value_of_another_range_has_no_plain_form(void **state)
{
    (void)state;
    const frz_type wide = of(FRZ_TYPE_LONG);
    const frz_type number = of(FRZ_TYPE_DOUBLE);
    const frz_value large = {.form = FRZ_VALUE_INTEGER, .integer = INT64_C(3000000000)};
    const frz_value negative = {.form = FRZ_VALUE_INTEGER, .integer = -1};
    frz_parquet_node node = leaf(FRZ_PARQUET_INT32, FRZ_PARQUET_LOGICAL_INTEGER);
    CHECK(!has_plain(&node, large, &wide) && has_plain(&node, negative, &wide));
    node.is_signed = false;
    CHECK(plain(&node, large, &wide, "\x00\x5e\xd0\xb2", 4) && !has_plain(&node, negative, &wide));
    node = leaf(FRZ_PARQUET_FLOAT, FRZ_PARQUET_LOGICAL_NONE);
    CHECK(!has_plain(&node, (frz_value){.form = FRZ_VALUE_NUMBER, .number = 0.1}, &number));
    CHECK(!has_plain(&node, (frz_value){.form = FRZ_VALUE_NUMBER, .number = (double)NAN}, &number));
    node = leaf(FRZ_PARQUET_INT64, FRZ_PARQUET_LOGICAL_TIMESTAMP);
    const frz_type micros = of(FRZ_TYPE_TIMESTAMP);
    CHECK(has_plain(&node, negative, &micros));
    node.unit = 'm';
    CHECK(!has_plain(&node, negative, &micros));
}

/* The text of a uuid is longer than its bytes, and of another order where letters differ in case.
 */
static void test_the_text_of_a_uuid_proves_nothing(void **state)
{
    (void)state;
    frz_value value = {0};
    const uint8_t bytes[16] = {1};
    const frz_type uuid = of(FRZ_TYPE_UUID);
    const frz_value wanted = {.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of(bytes, 16)};
    frz_parquet_node node = leaf(FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, FRZ_PARQUET_LOGICAL_NONE);
    node.type_length = 16;
    CHECK(frz_parquet_bound(&node, wanted.bytes, &uuid, &value) && has_plain(&node, wanted, &uuid));
    node = leaf(FRZ_PARQUET_BYTE_ARRAY, FRZ_PARQUET_LOGICAL_STRING);
    CHECK(!frz_parquet_bound(&node, wanted.bytes, &uuid, &value));
    CHECK(!has_plain(&node, wanted, &uuid));
}

static void test_not_a_number_is_a_value_but_no_bound(void **state)
{
    (void)state;
    frz_value value = {0};
    const frz_type type = of(FRZ_TYPE_FLOAT);
    const frz_parquet_node node = leaf(FRZ_PARQUET_FLOAT, FRZ_PARQUET_LOGICAL_NONE);
    const frz_slice nan = frz_slice_of("\0\0\xc0\x7f", 4);
    CHECK(frz_parquet_value(&node, nan, &type, &value) && frz_value_is_nan(&value));
    CHECK(!frz_parquet_bound(&node, nan, &type, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d047_integer_decimals_are_little_endian),
        cmocka_unit_test(test_a_wrong_size_is_no_bound),
        cmocka_unit_test(test_nan_is_no_bound),
        cmocka_unit_test(test_times_take_the_tables_unit),
        cmocka_unit_test(test_the_text_of_a_uuid_proves_nothing),
        cmocka_unit_test(test_types_without_order_have_no_bounds),
        cmocka_unit_test(test_decimals_of_four_physical_types),
        cmocka_unit_test(test_a_value_of_another_range_has_no_plain_form),
        cmocka_unit_test(test_not_a_number_is_a_value_but_no_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
