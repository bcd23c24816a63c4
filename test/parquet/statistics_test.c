#include "parquet/statistics.h"

#include "harness.h"

enum { OLD_MAX = 1, OLD_MIN = 2, NEW_MAX = 5, NEW_MIN = 6 };

static frz_parquet_statistics read_bounds(const frz_parquet_node *node, int min_id, frz_slice min,
                                          int max_id, frz_slice max)
{
    static uint8_t bytes[256];
    frz_buffer out = {0};
    frz_thrift_writer writer = frz_thrift_writer_to(&out);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_binary(&writer, (int16_t)max_id, max);
    frz_thrift_write_binary(&writer, (int16_t)min_id, min);
    frz_thrift_write_end(&writer, top);
    CHECK(out.size <= sizeof bytes);
    memcpy(bytes, out.data, out.size);
    frz_thrift_reader reader = frz_thrift_reader_over(frz_slice_of(bytes, out.size), 8);
    frz_buffer_clear(&out);
    frz_parquet_statistics got;
    frz_parquet_statistics_read(&reader, node, &got);
    CHECK(!reader.cursor.failed);
    return got;
}

static frz_slice of_i32(int32_t value)
{
    static int32_t kept[8];
    static size_t next;
    int32_t *at = &kept[next++ % 8];
    *at = value;
    return frz_slice_of(at, sizeof *at);
}

static frz_slice of_f64(double value)
{
    static double kept[8];
    static size_t next;
    double *at = &kept[next++ % 8];
    *at = value;
    return frz_slice_of(at, sizeof *at);
}

static void test_new_bounds_count_only_under_a_known_order(void **state)
{
    (void)state;
    frz_parquet_node node = {.type = FRZ_PARQUET_INT32, .ordered = true};
    frz_parquet_statistics got = read_bounds(&node, NEW_MIN, of_i32(-3), NEW_MAX, of_i32(5));
    CHECK(got.has_min && got.has_max && !got.deprecated && got.min_exact && got.max_exact);
    int32_t min = 0;
    memcpy(&min, got.min.data, sizeof min);
    CHECK(min == -3 && got.null_count == -1 && got.nan_count == -1 && got.distinct_count == -1);
    node.ordered = false;
    got = read_bounds(&node, NEW_MIN, of_i32(-3), NEW_MAX, of_i32(5));
    CHECK(!got.has_min && !got.has_max);
}

static void test_deprecated_bounds_count_only_where_signed_order_is_right(void **state)
{
    (void)state;
    frz_parquet_node node = {.type = FRZ_PARQUET_INT32};
    CHECK(read_bounds(&node, OLD_MIN, of_i32(-3), OLD_MAX, of_i32(5)).deprecated);
    node.logical = FRZ_PARQUET_LOGICAL_INTEGER;
    node.bit_width = 32;
    CHECK(!read_bounds(&node, OLD_MIN, of_i32(1), OLD_MAX, of_i32(5)).has_min);
    node.is_signed = true;
    CHECK(read_bounds(&node, OLD_MIN, of_i32(1), OLD_MAX, of_i32(5)).has_min);
    node =
        (frz_parquet_node){.type = FRZ_PARQUET_BYTE_ARRAY, .logical = FRZ_PARQUET_LOGICAL_STRING};
    CHECK(!read_bounds(&node, OLD_MIN, frz_slice_of_text("a"), OLD_MAX, frz_slice_of_text("b"))
               .has_min);
}

static void d097_int96_has_no_bounds(void **state)
{
    (void)state;
    const frz_parquet_node node = {.type = FRZ_PARQUET_INT96, .ordered = true};
    const uint8_t int96[12] = {0};
    CHECK(!read_bounds(&node, NEW_MIN, frz_slice_of(int96, 12), NEW_MAX, frz_slice_of(int96, 12))
               .has_min);
    CHECK(!read_bounds(&node, OLD_MIN, frz_slice_of(int96, 12), OLD_MAX, frz_slice_of(int96, 12))
               .has_max);
}

static void test_bounds_that_cannot_be_are_ignored(void **state)
{
    (void)state;
    frz_parquet_node node = {.type = FRZ_PARQUET_INT32, .ordered = true};
    CHECK(!read_bounds(&node, NEW_MIN, of_i32(6), NEW_MAX, of_i32(5)).has_min);
    CHECK(!read_bounds(&node, NEW_MIN, frz_slice_of_text("abc"), NEW_MAX, of_i32(5)).has_max);
    node.logical = FRZ_PARQUET_LOGICAL_INTEGER; /* unsigned: -1 is the greatest */
    node.bit_width = 32;
    CHECK(read_bounds(&node, NEW_MIN, of_i32(6), NEW_MAX, of_i32(-1)).has_max);
    node = (frz_parquet_node){.type = FRZ_PARQUET_BYTE_ARRAY, .ordered = true};
    CHECK(!read_bounds(&node, NEW_MIN, frz_slice_of_text("b"), NEW_MAX, frz_slice_of_text("a"))
               .has_min);
    node.logical = FRZ_PARQUET_LOGICAL_GEOMETRY;
    CHECK(!read_bounds(&node, NEW_MIN, frz_slice_of_text("a"), NEW_MAX, frz_slice_of_text("b"))
               .has_min);
}

/* parquet.thrift, ColumnOrder (*), and field report D101. */
static void d101_nan_and_zero_bounds_of_doubles(void **state)
{
    (void)state;
    const frz_parquet_node node = {.type = FRZ_PARQUET_DOUBLE, .ordered = true};
    const double nan = strtod("nan", NULL);
    CHECK(!read_bounds(&node, NEW_MIN, of_f64(nan), NEW_MAX, of_f64(5)).has_max);
    CHECK(!read_bounds(&node, NEW_MIN, of_f64(1), NEW_MAX, of_f64(nan)).has_min);
    const frz_parquet_statistics got =
        read_bounds(&node, NEW_MIN, of_f64(0.0), NEW_MAX, of_f64(-0.0));
    uint64_t min = 0, max = 1;
    memcpy(&min, got.min.data, sizeof min);
    memcpy(&max, got.max.data, sizeof max);
    CHECK(got.has_min && min == UINT64_C(1) << 63 && max == 0);
}

static void test_half_bounds_are_compared_as_numbers(void **state)
{
    (void)state;
    const frz_parquet_node node = {.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY,
                                   .type_length = 2,
                                   .logical = FRZ_PARQUET_LOGICAL_FLOAT16,
                                   .ordered = true};
    const uint8_t minus_two[2] = {0x00, 0xc0}, one[2] = {0x00, 0x3c}, nan[2] = {0x01, 0x7e};
    CHECK(read_bounds(&node, NEW_MIN, frz_slice_of(minus_two, 2), NEW_MAX, frz_slice_of(one, 2))
              .has_min);
    CHECK(!read_bounds(&node, NEW_MIN, frz_slice_of(one, 2), NEW_MAX, frz_slice_of(minus_two, 2))
               .has_min);
    CHECK(
        !read_bounds(&node, NEW_MIN, frz_slice_of(one, 2), NEW_MAX, frz_slice_of(nan, 2)).has_min);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_bounds_count_only_under_a_known_order),
        cmocka_unit_test(test_deprecated_bounds_count_only_where_signed_order_is_right),
        cmocka_unit_test(d097_int96_has_no_bounds),
        cmocka_unit_test(test_bounds_that_cannot_be_are_ignored),
        cmocka_unit_test(d101_nan_and_zero_bounds_of_doubles),
        cmocka_unit_test(test_half_bounds_are_compared_as_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
