#include "parquet/element.h"

#include "harness.h"
#include "parquet/footer_bytes.h"

static frz_parquet_element read_one(frz_buffer *bytes, frz_arena *arena)
{
    frz_thrift_reader reader = frz_thrift_reader_over(frz_buffer_slice(bytes), 8);
    frz_parquet_element out;
    frz_parquet_element_read(&reader, arena, &out);
    CHECK(!reader.cursor.failed && reader.cursor.pos == bytes->size);
    return out;
}

static frz_parquet_element read_spec(const element_spec *spec, frz_arena *arena)
{
    frz_buffer bytes = {0};
    frz_thrift_writer writer = frz_thrift_writer_to(&bytes);
    write_element(&writer, spec);
    const frz_parquet_element out = read_one(&bytes, arena);
    frz_buffer_clear(&bytes);
    return out;
}

static void test_converted_types_become_logical_types(void **state)
{
    (void)state;
    static const struct {
        int converted;
        frz_parquet_logical logical;
        int bits;
        bool is_signed;
        char unit;
        bool utc;
    } cases[] = {
        {0, FRZ_PARQUET_LOGICAL_STRING, 0, false, 0, false},
        {4, FRZ_PARQUET_LOGICAL_STRING, 0, false, 0, false},
        {7, FRZ_PARQUET_LOGICAL_TIME, 0, false, 'm', true},
        {10, FRZ_PARQUET_LOGICAL_TIMESTAMP, 0, false, 'u', true},
        {11, FRZ_PARQUET_LOGICAL_INTEGER, 8, false, 0, false},
        {18, FRZ_PARQUET_LOGICAL_INTEGER, 64, true, 0, false},
        {21, FRZ_PARQUET_LOGICAL_INTERVAL, 0, false, 0, false},
        {22, FRZ_PARQUET_LOGICAL_NONE, 0, false, 0, false},
        {-5, FRZ_PARQUET_LOGICAL_NONE, 0, false, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_arena arena = {0};
        const element_spec spec = LEAF("c", 1, FRZ_PARQUET_INT64, cases[i].converted);
        const frz_parquet_element got = read_spec(&spec, &arena);
        CHECK(strcmp(got.name, "c") == 0 && got.has_type && got.type == FRZ_PARQUET_INT64);
        CHECK(got.logical == cases[i].logical && got.bit_width == cases[i].bits);
        CHECK(got.is_signed == cases[i].is_signed && got.unit == cases[i].unit);
        CHECK(got.adjusted_to_utc == cases[i].utc);
        frz_arena_clear(&arena);
    }
}

static void test_a_logical_type_wins_over_the_converted_one(void **state)
{
    (void)state;
    frz_buffer bytes = {0};
    frz_thrift_writer writer = frz_thrift_writer_to(&bytes);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_i32(&writer, 1, FRZ_PARQUET_INT64);
    frz_thrift_write_text(&writer, 4, "ts");
    frz_thrift_write_i32(&writer, 6, 10); /* TIMESTAMP_MICROS: would be UTC */
    const int16_t logical = frz_thrift_write_struct(&writer, 10);
    const int16_t timestamp = frz_thrift_write_struct(&writer, 8);
    frz_thrift_write_bool(&writer, 1, false);
    const int16_t unit = frz_thrift_write_struct(&writer, 2);
    frz_thrift_write_empty(&writer, 3);
    frz_thrift_write_end(&writer, unit);
    frz_thrift_write_end(&writer, timestamp);
    frz_thrift_write_end(&writer, logical);
    frz_thrift_write_end(&writer, top);
    frz_arena arena = {0};
    const frz_parquet_element got = read_one(&bytes, &arena);
    CHECK(got.logical == FRZ_PARQUET_LOGICAL_TIMESTAMP && got.unit == 'n' && !got.adjusted_to_utc);
    CHECK(strcmp(got.annotation, "TIMESTAMP") == 0);
    frz_arena_clear(&arena);
    frz_buffer_clear(&bytes);
}

static void test_an_unknown_logical_type_is_kept_as_a_word(void **state)
{
    (void)state;
    frz_arena arena = {0};
    element_spec spec = LEAF("c", 1, FRZ_PARQUET_BYTE_ARRAY, NONE);
    spec.logical = 77;
    frz_parquet_element got = read_spec(&spec, &arena);
    CHECK(got.logical == FRZ_PARQUET_LOGICAL_NONE);
    CHECK(strcmp(got.annotation, "of an unknown logical type") == 0);
    spec.converted = 0; /* and a converted type that we know stays in force */
    got = read_spec(&spec, &arena);
    CHECK(got.logical == FRZ_PARQUET_LOGICAL_STRING && strcmp(got.annotation, "UTF8") == 0);
    frz_arena_clear(&arena);
}

static void test_an_element_needs_a_name(void **state)
{
    (void)state;
    const uint8_t nothing[] = {0};
    frz_thrift_reader reader = frz_thrift_reader_over(frz_slice_of(nothing, 1), 8);
    frz_arena arena = {0};
    frz_parquet_element out;
    frz_parquet_element_read(&reader, &arena, &out);
    frz_error *err = NULL;
    CHECK_FAILS(frz_thrift_check(&reader, 4, "schema", &err), FRZ_CORRUPT, err, "without a name");
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_converted_types_become_logical_types),
        cmocka_unit_test(test_a_logical_type_wins_over_the_converted_one),
        cmocka_unit_test(test_an_unknown_logical_type_is_kept_as_a_word),
        cmocka_unit_test(test_an_element_needs_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
