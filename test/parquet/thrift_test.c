#include "parquet/thrift.h"

#include "harness.h"

static void write_sample(frz_buffer *out)
{
    frz_thrift_writer writer = frz_thrift_writer_to(out);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_bool(&writer, 1, true);
    frz_thrift_write_bool(&writer, 2, false);
    frz_thrift_write_i8(&writer, 3, -7);
    frz_thrift_write_i16(&writer, 40, -300);     /* too far for a short header */
    frz_thrift_write_i32(&writer, 5, INT32_MIN); /* ids may go back */
    frz_thrift_write_i64(&writer, 6, INT64_MAX);
    frz_thrift_write_double(&writer, 7, 0.1);
    frz_thrift_write_text(&writer, 8, "ice");
    const int16_t inner = frz_thrift_write_struct(&writer, 9);
    frz_thrift_write_i32(&writer, 1, 42);
    frz_thrift_write_end(&writer, inner);
    frz_thrift_write_list(&writer, 10, FRZ_THRIFT_I64, 20);
    for (int i = 0; i < 20; i++)
        frz_thrift_write_integer_element(&writer, i - 10);
    frz_thrift_write_list(&writer, 11, FRZ_THRIFT_TRUE, 2);
    frz_thrift_write_bool_element(&writer, true);
    frz_thrift_write_bool_element(&writer, false);
    frz_thrift_write_list(&writer, 12, FRZ_THRIFT_BINARY, 1);
    frz_thrift_write_binary_element(&writer, frz_slice_of_text("x"));
    frz_thrift_write_empty(&writer, 13);
    frz_thrift_write_end(&writer, top);
}

static void test_what_is_written_reads_back(void **state)
{
    (void)state;
    frz_buffer bytes = {0};
    write_sample(&bytes);
    frz_thrift_reader reader = frz_thrift_reader_over(frz_buffer_slice(&bytes), 8);
    frz_thrift_reader *r = &reader;
    frz_thrift_field f = {0};

    const int16_t top = frz_thrift_struct_begin(r);
    CHECK(frz_thrift_field_next(r, &f) && f.id == 1 && frz_thrift_bool(r, f.type));
    CHECK(frz_thrift_field_next(r, &f) && f.id == 2 && !frz_thrift_bool(r, f.type));
    CHECK(frz_thrift_field_next(r, &f) && f.id == 3 && frz_thrift_i8(r, f.type) == -7);
    CHECK(frz_thrift_field_next(r, &f) && f.id == 40 && frz_thrift_i16(r, f.type) == -300);
    CHECK(frz_thrift_field_next(r, &f) && f.id == 5 && frz_thrift_i32(r, f.type) == INT32_MIN);
    CHECK(frz_thrift_field_next(r, &f) && f.id == 6 && frz_thrift_i64(r, f.type) == INT64_MAX);
    CHECK(frz_thrift_field_next(r, &f) && f.id == 7);
    CHECK(frz_thrift_double(r, f.type) > 0.0999 && !r->cursor.failed);
    CHECK(frz_thrift_field_next(r, &f) && f.id == 8);
    CHECK(frz_slice_is_text(frz_thrift_binary(r, f.type), "ice"));
    CHECK(frz_thrift_field_next(r, &f) && f.id == 9 && f.type == FRZ_THRIFT_STRUCT);
    const int16_t inner = frz_thrift_struct_begin(r);
    CHECK(frz_thrift_field_next(r, &f) && f.id == 1 && frz_thrift_i32(r, f.type) == 42);
    CHECK(!frz_thrift_field_next(r, &f));
    frz_thrift_struct_end(r, inner);
    CHECK(frz_thrift_field_next(r, &f) && f.id == 10);
    CHECK(frz_thrift_list(r, f.type, FRZ_THRIFT_I64) == 20);
    for (int i = 0; i < 20; i++)
        CHECK(frz_thrift_i64(r, FRZ_THRIFT_I64) == i - 10);
    CHECK(frz_thrift_field_next(r, &f) && f.id == 11);
    CHECK(frz_thrift_list(r, f.type, FRZ_THRIFT_TRUE) == 2);
    CHECK(frz_thrift_bool_element(r) && !frz_thrift_bool_element(r));
    CHECK(frz_thrift_field_next(r, &f) && f.id == 12);
    frz_thrift_skip(r, f.type);
    CHECK(frz_thrift_field_next(r, &f) && f.id == 13);
    frz_thrift_skip(r, f.type);
    CHECK(!frz_thrift_field_next(r, &f));
    frz_thrift_struct_end(r, top);
    CHECK(!r->cursor.failed && r->cursor.pos == bytes.size && r->depth_left == 8);
    frz_buffer_clear(&bytes);
}

static void skip_all(frz_thrift_reader *reader)
{
    frz_thrift_skip(reader, FRZ_THRIFT_STRUCT);
}

static void test_skipping_ends_where_reading_ends(void **state)
{
    (void)state;
    frz_buffer bytes = {0};
    write_sample(&bytes);
    frz_thrift_reader reader = frz_thrift_reader_over(frz_buffer_slice(&bytes), 8);
    skip_all(&reader);
    CHECK(!reader.cursor.failed && reader.cursor.pos == bytes.size);
    frz_buffer_clear(&bytes);
}

static void test_every_truncation_is_corrupt(void **state)
{
    (void)state;
    frz_buffer bytes = {0};
    write_sample(&bytes);
    frz_error *err = NULL;
    for (size_t size = 0; size < bytes.size; size++) {
        frz_thrift_reader reader = frz_thrift_reader_over(frz_slice_of(bytes.data, size), 8);
        skip_all(&reader);
        CHECK_FAILS(frz_thrift_check(&reader, 1000, "sample", &err), FRZ_CORRUPT, err,
                    "sample at offset 10");
    }
    frz_buffer_clear(&bytes);
}

static frz_status check_bytes(const uint8_t *bytes, size_t size, uint32_t depth, frz_error **err)
{
    frz_thrift_reader reader = frz_thrift_reader_over(frz_slice_of(bytes, size), depth);
    skip_all(&reader);
    return frz_thrift_check(&reader, 0, "sample", err);
}

static void test_hostile_bytes_are_named(void **state)
{
    (void)state;
    frz_error *err = NULL;
    const uint8_t long_list[] = {0x19, 0xf5, 0xff, 0xff, 0xff, 0x7f, 0};
    CHECK_FAILS(check_bytes(long_list, sizeof long_list, 8, &err), FRZ_CORRUPT, err,
                "more elements than bytes left");
    const uint8_t long_text[] = {0x18, 0x7f, 'a', 0};
    CHECK_FAILS(check_bytes(long_text, sizeof long_text, 8, &err), FRZ_CORRUPT, err,
                "longer than the bytes left");
    const uint8_t bad_type[] = {0x1e, 0};
    CHECK_FAILS(check_bytes(bad_type, sizeof bad_type, 8, &err), FRZ_CORRUPT, err,
                "unknown field type");
    uint8_t deep[100];
    memset(deep, 0x1c, sizeof deep); /* a struct in a struct in ... */
    CHECK_FAILS(check_bytes(deep, sizeof deep, 16, &err), FRZ_UNSUPPORTED, err, "nesting_depth");
    const uint8_t map[] = {0x1b, 0x02, 0x58, 0x02, 0x01, 'k', 0x04, 0x00, 0};
    CHECK_OK(check_bytes(map, sizeof map, 8, &err), err);
}

static void test_a_field_of_another_type_is_refused(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x15, 0x02, 0};
    frz_thrift_reader reader = frz_thrift_reader_over(frz_slice_of(bytes, sizeof bytes), 8);
    frz_thrift_field f = {0};
    (void)frz_thrift_struct_begin(&reader);
    CHECK(frz_thrift_field_next(&reader, &f) && f.type == FRZ_THRIFT_I32);
    CHECK(frz_thrift_i64(&reader, f.type) == 0);
    frz_error *err = NULL;
    CHECK_FAILS(frz_thrift_check(&reader, 0, "sample", &err), FRZ_CORRUPT, err, "another type");

    const uint8_t wide[] = {0x15, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0};
    reader = frz_thrift_reader_over(frz_slice_of(wide, sizeof wide), 8);
    (void)frz_thrift_struct_begin(&reader);
    CHECK(frz_thrift_field_next(&reader, &f));
    CHECK(frz_thrift_i32(&reader, f.type) == 0);
    CHECK_FAILS(frz_thrift_check(&reader, 0, "sample", &err), FRZ_CORRUPT, err, "exceeds its type");

    frz_thrift_fail_memory(&reader);
    reader = frz_thrift_reader_over(frz_slice_of(wide, sizeof wide), 8);
    frz_thrift_fail_memory(&reader);
    CHECK(frz_thrift_check(&reader, 0, "sample", NULL) == FRZ_NO_MEMORY);
}

static void write_under_failure(void)
{
    frz_buffer bytes = {0};
    write_sample(&bytes);
    CHECK(bytes.failed == frz_mem_failed());
    frz_buffer_clear(&bytes);
}

static void test_allocation_failures_stick_in_the_buffer(void **state)
{
    (void)state;
    sweep_allocation_failures(write_under_failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_reads_back),
        cmocka_unit_test(test_skipping_ends_where_reading_ends),
        cmocka_unit_test(test_every_truncation_is_corrupt),
        cmocka_unit_test(test_hostile_bytes_are_named),
        cmocka_unit_test(test_a_field_of_another_type_is_refused),
        cmocka_unit_test(test_allocation_failures_stick_in_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
