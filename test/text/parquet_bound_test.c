#include "text/parquet_bound.h"

#include "harness.h"

static void check_text(frz_parquet_node leaf, const void *bytes, size_t size, const char *want)
{
    frz_buffer out = {0};
    leaf.shape = FRZ_PARQUET_SHAPE_LEAF;
    frz_parquet_bound_print(&leaf, frz_slice_of(bytes, size), &out);
    frz_buffer_append_byte(&out, 0);
    assert_string_equal((const char *)out.data, want);
    frz_buffer_clear(&out);
}

#define LEAF(...) ((frz_parquet_node){__VA_ARGS__})

static void test_numbers_by_their_logical_type(void **state)
{
    (void)state;
    check_text(LEAF(.type = FRZ_PARQUET_INT32), "\xff\xff\xff\xff", 4, "-1");
    check_text(LEAF(.type = FRZ_PARQUET_INT32, .logical = FRZ_PARQUET_LOGICAL_INTEGER),
               "\xff\xff\xff\xff", 4, "4294967295");
    check_text(LEAF(.type = FRZ_PARQUET_INT64, .logical = FRZ_PARQUET_LOGICAL_INTEGER),
               "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "18446744073709551615");
    check_text(LEAF(.type = FRZ_PARQUET_INT32, .logical = FRZ_PARQUET_LOGICAL_DECIMAL, .scale = 2),
               "\x6d\xfd\xff\xff", 4, "-6.59");
    check_text(
        LEAF(.type = FRZ_PARQUET_BYTE_ARRAY, .logical = FRZ_PARQUET_LOGICAL_DECIMAL, .scale = 2),
        "\xfd\x6d", 2, "-6.59");
    check_text(LEAF(.type = FRZ_PARQUET_BOOLEAN), "\1", 1, "true");
    check_text(LEAF(.type = FRZ_PARQUET_FLOAT), "\0\0\0\x3f", 4, "0.5");
    check_text(LEAF(.type = FRZ_PARQUET_DOUBLE), "\0\0\0\0\0\0\0\x80", 8, "-0.0");
}

static void test_times_by_their_unit(void **state)
{
    (void)state;
    const frz_parquet_logical timestamp = FRZ_PARQUET_LOGICAL_TIMESTAMP;
    const char *one = "\1\0\0\0\0\0\0\0";
    check_text(LEAF(.type = FRZ_PARQUET_INT32, .logical = FRZ_PARQUET_LOGICAL_DATE), one, 4,
               "1970-01-02");
    check_text(
        LEAF(.type = FRZ_PARQUET_INT64, .logical = timestamp, .unit = 'm', .adjusted_to_utc = true),
        one, 8, "1970-01-01T00:00:00.001000Z");
    check_text(LEAF(.type = FRZ_PARQUET_INT64, .logical = timestamp, .unit = 'u'), one, 8,
               "1970-01-01T00:00:00.000001");
    check_text(LEAF(.type = FRZ_PARQUET_INT64, .logical = timestamp, .unit = 'n'), one, 8,
               "1970-01-01T00:00:00.000000001");
    check_text(LEAF(.type = FRZ_PARQUET_INT32, .logical = FRZ_PARQUET_LOGICAL_TIME, .unit = 'm'),
               one, 4, "00:00:00.001000");
    /* Milliseconds beyond what microseconds of 64 bits reach. */
    check_text(LEAF(.type = FRZ_PARQUET_INT64, .logical = timestamp, .unit = 'm'),
               "\xff\xff\xff\xff\xff\xff\xff\x7f", 8, "9223372036854775807");
}

static void test_bytes_as_text_uuid_or_digits(void **state)
{
    (void)state;
    check_text(LEAF(.type = FRZ_PARQUET_BYTE_ARRAY, .logical = FRZ_PARQUET_LOGICAL_STRING), "abc",
               3, "abc");
    check_text(LEAF(.type = FRZ_PARQUET_BYTE_ARRAY), "\1\xab", 2, "0x01ab");
    check_text(LEAF(.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, .logical = FRZ_PARQUET_LOGICAL_UUID),
               "0123456789abcdef", 16, "30313233-3435-3637-3839-616263646566");
    check_text(LEAF(.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, .logical = FRZ_PARQUET_LOGICAL_UUID),
               "01", 2, "0x3031");
    check_text(LEAF(.type = FRZ_PARQUET_INT32), "\1", 1,
               "0x01"); /* of a size that is not the type's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_by_their_logical_type),
        cmocka_unit_test(test_times_by_their_unit),
        cmocka_unit_test(test_bytes_as_text_uuid_or_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
