#include "avro/reader.h"

#include "arrow/array.h"
#include "table_fixture.h"

static frz_status open_bytes(bytes_input *input, frz_slice bytes, frz_avro_reader **out,
                             frz_error **err)
{
    *input = input_over(bytes);
    return frz_avro_reader_open(&input->base, NULL, out, err);
}

static int64_t decimal_at(const struct ArrowArray *array, int64_t row)
{
    return ((const int64_t *)array->buffers[1])[2 * (array->offset + row)];
}

static void check_row(const struct ArrowArray *batch, int64_t row, int64_t i)
{
    char path[64];
    const struct ArrowArray *file = batch->children[2];
    const struct ArrowArray *sizes = file->children[0];
    (void)snprintf(path, sizeof path, "s3://bucket/data/%lld.parquet", (long long)(i * i));
    CHECK(int_at(batch->children[0], row) == i % 3);
    CHECK(frz_slice_is_text(text_at(batch->children[1], row), path));
    CHECK(frz_arrow_is_null(file, row) == (i % 5 == 4));
    CHECK(((const uint8_t *)batch->children[3]->buffers[1])[4 * row + 3] == (uint8_t)(i + 3));
    CHECK(frz_arrow_is_null(batch->children[4], row) == (i % 6 == 5));
    CHECK(i % 6 == 5 || decimal_at(batch->children[4], row) == i - 50);
    if (i % 5 == 4)
        return;
    const int32_t start = offset_at(sizes, row);
    const int32_t end = offset_at(sizes, row + 1);
    CHECK(frz_arrow_is_null(sizes, row) == (i % 7 == 0));
    CHECK(end - start == (i % 7 == 0 ? 0 : i % 11));
    for (int32_t at = start; at < end; at++) {
        CHECK(int_at(sizes->children[0]->children[0], at) == at - start + 1);
        CHECK(long_at(sizes->children[0]->children[1], at) == i * 1000 + at - start + 1);
    }
    CHECK(offset_at(file->children[1], row + 1) - offset_at(file->children[1], row) == i % 4);
    CHECK(frz_arrow_is_null(file->children[2], row) == (i % 2 == 0));
    CHECK(i % 2 == 0 || long_at(file->children[2], row) == -i);
}

static void test_what_is_written_is_read_with_every_codec(void **state)
{
    (void)state;
    static const frz_codec codecs[] = {FRZ_CODEC_NONE, FRZ_CODEC_DEFLATE, FRZ_CODEC_SNAPPY,
                                       FRZ_CODEC_ZSTD};
    static const int64_t counts[] = {0, 1, 100, 20000};
    for (size_t k = 0; k < 16; k++) {
        frz_error *err = NULL;
        frz_buffer file = {0};
        bytes_input input;
        frz_avro_reader *reader = NULL;
        struct ArrowSchema schema = {0};
        struct ArrowArray batch = {0};
        const int64_t rows = counts[k / 4];
        int64_t read = 0;
        frz_status status = FRZ_OK;
        CHECK_OK(write_table(rows, codecs[k % 4], k % 3 ? 0 : 5000, &file, &err), err);
        CHECK_OK(open_bytes(&input, frz_buffer_slice(&file), &reader, &err), err);
        CHECK_OK(frz_avro_reader_arrow_schema(reader, &schema, &err), err);
        CHECK(frz_arrow_schema_field_id(schema.children[2]->children[1]->children[0]) == 133);
        while ((status = frz_avro_reader_next(reader, &batch, &err)) == FRZ_OK) {
            CHECK_OK(frz_arrow_array_validate(&schema, &batch, &err), err);
            for (int64_t row = 0; row < batch.length; row++)
                check_row(&batch, row, read + row);
            read += batch.length;
            frz_arrow_array_clear(&batch);
        }
        if (status != FRZ_END)
            fail_msg("%s", frz_error_message(err));
        CHECK(read == rows && !frz_avro_reader_prefixed(reader));
        CHECK(frz_avro_reader_next(reader, &batch, &err) == FRZ_END);
        frz_arrow_schema_clear(&schema);
        frz_avro_reader_close(reader);
        frz_buffer_clear(&file);
    }
}

static void test_a_projection_gives_its_fields_in_its_order(void **state)
{
    (void)state;
    static const int32_t keys[] = {2, 5, 99};
    const frz_avro_projection file_fields[] = {
        {.field_id = 103},
        {.field_id = 777, .name = "new", .absent_format = "u"},
        {.field_id = 108, .map_keys = keys, .map_key_count = 3},
    };
    const frz_avro_projection fields[] = {
        {.field_id = FRZ_AVRO_NO_ID, .name = "path"},
        {.field_id = 2, .children = file_fields, .child_count = 3},
    };
    const frz_avro_projection root = {
        .field_id = FRZ_AVRO_NO_ID, .children = fields, .child_count = 2};
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    bytes_input input;
    frz_avro_reader *reader = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    CHECK_OK(write_table(200, FRZ_CODEC_NONE, 0, &bytes, &err), err);
    CHECK_OK(open_bytes(&input, frz_buffer_slice(&bytes), &reader, &err), err);
    CHECK_OK(frz_avro_reader_project(reader, &root, &err), err);
    CHECK_OK(frz_avro_reader_arrow_schema(reader, &schema, &err), err);
    CHECK(schema.n_children == 2 && strcmp(schema.children[0]->name, "path") == 0);
    CHECK(strcmp(schema.children[1]->children[1]->name, "new") == 0);
    CHECK(strcmp(schema.children[1]->children[1]->format, "u") == 0);
    CHECK_OK(frz_avro_reader_next(reader, &batch, &err), err);
    CHECK_OK(frz_arrow_array_validate(&schema, &batch, &err), err);
    CHECK(batch.length == 200);
    for (int64_t i = 0; i < 200; i++) {
        const struct ArrowArray *file = batch.children[1];
        const struct ArrowArray *sizes = file->children[2];
        CHECK(frz_arrow_is_null(file, i) == (i % 5 == 4));
        if (i % 5 == 4)
            continue;
        CHECK(frz_arrow_is_null(file->children[1], i));
        CHECK(i % 2 == 0 || long_at(file->children[0], i) == -i);
        const int64_t all = i % 7 == 0 ? 0 : i % 11;
        const int64_t kept = (all >= 2) + (all >= 5);
        CHECK(offset_at(sizes, i + 1) - offset_at(sizes, i) == kept);
        if (kept == 2)
            CHECK(int_at(sizes->children[0]->children[0], offset_at(sizes, i) + 1) == 5 &&
                  long_at(sizes->children[0]->children[1], offset_at(sizes, i) + 1) ==
                      i * 1000 + 5);
    }
    CHECK_FAILS(frz_avro_reader_project(reader, &root, &err), FRZ_INVALID, err,
                "a projection after the first batch");
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
    frz_avro_reader_close(reader);
    frz_buffer_clear(&bytes);
}

static const char partition_json[] = "{\"type\":\"record\",\"name\":\"e\",\"fields\":[{\"name\":"
                                     "\"p\",\"field-id\":102,\"type\":{\"type\":"
                                     "\"record\",\"name\":\"r102\",\"fields\":[{\"name\":\"f\","
                                     "\"field-id\":1000,\"type\":[\"null\",{\"type\":"
                                     "\"fixed\",\"name\":\"f4\",\"size\":4}]}]}},{\"name\":\"n\","
                                     "\"field-id\":103,\"type\":\"long\"}]}";

/* Java writes identity partition values of fixed[L] with a length; the schema has none. */
static void test_prefixed_fixed_partition_values_are_read_with_a_flag(void **state)
{
    (void)state;
    static const uint8_t strict[] = {2, 'a', 'b', 'c', 'd', 14, 0, 16};
    static const uint8_t prefixed[] = {2, 8, 'a', 'b', 'c', 'd', 14, 0, 16};
    for (int java = 0; java < 2; java++) {
        frz_error *err = NULL;
        frz_buffer bytes = {0};
        bytes_input input;
        frz_avro_reader *reader = NULL;
        struct ArrowArray batch = {0};
        put_header(&bytes, partition_json, "null");
        put_block(&bytes, 2, java ? prefixed : strict, java ? sizeof prefixed : sizeof strict);
        CHECK_OK(open_bytes(&input, frz_buffer_slice(&bytes), &reader, &err), err);
        CHECK_OK(frz_avro_reader_next(reader, &batch, &err), err);
        const struct ArrowArray *fixed = batch.children[0]->children[0];
        CHECK(batch.length == 2 && memcmp(fixed->buffers[1], "abcd", 4) == 0);
        CHECK(frz_arrow_is_null(fixed, 1) && long_at(batch.children[1], 1) == 8);
        CHECK(frz_avro_reader_prefixed(reader) == java);
        frz_arrow_array_clear(&batch);
        frz_avro_reader_close(reader);
        frz_buffer_clear(&bytes);
    }
}

static void read_fails(const char *json, int64_t rows, const void *block, size_t size,
                       frz_status want, const char *message)
{
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    bytes_input input;
    frz_avro_reader *reader = NULL;
    struct ArrowArray batch = {0};
    put_header(&bytes, json, NULL);
    put_block(&bytes, rows, block, size);
    CHECK_OK(open_bytes(&input, frz_buffer_slice(&bytes), &reader, &err), err);
    CHECK_FAILS(frz_avro_reader_next(reader, &batch, &err), want, err, message);
    CHECK(batch.release == NULL);
    CHECK_FAILS(frz_avro_reader_next(reader, &batch, &err), FRZ_INVALID, err,
                "used after its failure");
    frz_avro_reader_close(reader);
    frz_buffer_clear(&bytes);
}

/* A million records of a hundred nulls take no bytes, but time. */
static void test_records_of_nulls_are_counted_by_their_fields(void **state)
{
    (void)state;
    frz_buffer record = {0};
    frz_buffer list = {0};
    frz_buffer_append_text(&record, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[");
    for (int i = 0; i < 100; i++)
        frz_buffer_printf(&record, "%s{\"name\":\"f%d\",\"type\":\"null\"}", i ? "," : "", i);
    frz_buffer_append(&record, "]}", 3);
    frz_buffer_printf(&list, "{\"type\":\"array\",\"items\":%s}", (const char *)record.data);
    frz_buffer_append_byte(&list, 0);
    read_fails((const char *)record.data, 1 << 20, "", 0, FRZ_UNSUPPORTED, "rows without bytes");
    read_fails((const char *)list.data, 1, "\x80\x80\x80\x01", 5, FRZ_UNSUPPORTED,
               "beyond the budget of a batch");
    frz_buffer_clear(&record);
    frz_buffer_clear(&list);
}

static void test_blocks_must_come_out_even(void **state)
{
    (void)state;
    read_fails("\"int\"", 1, "\x02\x02", 2, FRZ_CORRUPT, "1 bytes are left behind its 1 rows");
    read_fails("\"int\"", 3, "\x02\x02", 2, FRZ_CORRUPT, "3 rows of at least 1 bytes in 2 bytes");
    read_fails("\"null\"", INT64_C(1) << 40, "", 0, FRZ_UNSUPPORTED, "rows without bytes");
    read_fails("\"string\"", 1,
               "\x08"
               "abc",
               4, FRZ_CORRUPT, "column value");
    read_fails(partition_json, 2,
               "\x02"
               "ab",
               3, FRZ_CORRUPT, "rows of at least 2 bytes");
    read_fails(partition_json, 1,
               "\x02\x08"
               "abc",
               5, FRZ_CORRUPT, "column n");
}

static void test_files_without_a_usable_schema_are_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    bytes_input input;
    frz_avro_reader *reader = NULL;
    put_header(&bytes, "{\"type\":\"nope\"}", NULL);
    CHECK_FAILS(open_bytes(&input, frz_buffer_slice(&bytes), &reader, &err), FRZ_CORRUPT, err,
                "type \"nope\" is not defined");
    frz_buffer_reset(&bytes);
    frz_buffer_append(&bytes, "Obj\x01\x00", 5);
    frz_buffer_append(&bytes, sync_marker, 16);
    CHECK_FAILS(open_bytes(&input, frz_buffer_slice(&bytes), &reader, &err), FRZ_CORRUPT, err,
                "no avro.schema");
    frz_avro_reader_close(NULL);
    frz_buffer_clear(&bytes);
}

/* Reads to the end; the rows that came are valid arrays. */
static frz_status drain(frz_slice bytes, int64_t *rows_out, frz_error **err)
{
    bytes_input input;
    frz_avro_reader *reader = NULL;
    struct ArrowSchema schema = {0};
    frz_status status = open_bytes(&input, bytes, &reader, err);
    if (status == FRZ_OK)
        status = frz_avro_reader_arrow_schema(reader, &schema, err);
    while (status == FRZ_OK) {
        struct ArrowArray batch = {0};
        status = frz_avro_reader_next(reader, &batch, err);
        if (status == FRZ_OK && !frz_mem_failed())
            CHECK(frz_arrow_array_validate(&schema, &batch, NULL) == FRZ_OK);
        *rows_out += batch.length;
        frz_arrow_array_clear(&batch);
    }
    frz_arrow_schema_clear(&schema);
    frz_avro_reader_close(reader);
    return status;
}

static void test_every_cut_is_refused(void **state)
{
    (void)state;
    static const frz_codec codecs[] = {FRZ_CODEC_NONE, FRZ_CODEC_DEFLATE, FRZ_CODEC_ZSTD};
    for (size_t k = 0; k < 3; k++) {
        frz_error *err = NULL;
        frz_buffer file = {0};
        CHECK_OK(write_table(12, codecs[k], 100000, &file, &err), err);
        size_t header = file.size;
        for (size_t size = 0; size < file.size; size++) {
            int64_t rows = 0;
            uint8_t *exact = frz_alloc(size);
            if (size)
                memcpy(exact, file.data, size);
            const frz_status status = drain(frz_slice_of(exact, size), &rows, &err);
            if (status == FRZ_END && header == file.size)
                header = size; /* the header alone is a file without rows */
            else
                CHECK(status == FRZ_CORRUPT);
            CHECK(rows == 0);
            frz_error_free(err);
            err = NULL;
            frz_free(exact);
        }
        CHECK(header < file.size);
        frz_buffer_clear(&file);
    }
}

static void test_every_flipped_bit_is_refused_or_safe(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    int refused = 0;
    CHECK_OK(write_table(6, FRZ_CODEC_NONE, 0, &file, &err), err);
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        int64_t rows = 0;
        file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        const frz_status status = drain(frz_buffer_slice(&file), &rows, &err);
        CHECK(status == FRZ_END || status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED);
        refused += status != FRZ_END;
        file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        frz_error_free(err);
        err = NULL;
    }
    CHECK(refused > 1000);
    frz_buffer_clear(&file);
}

static frz_buffer swept;

static void read_swept(void)
{
    frz_error *err = NULL;
    int64_t rows = 0;
    const frz_status status = drain(frz_buffer_slice(&swept), &rows, &err);
    CHECK(status == FRZ_END ? rows == 30 : status == FRZ_NO_MEMORY && frz_mem_failed());
    frz_error_free(err);
}

static void test_short_memory_is_clean(void **state)
{
    (void)state;
    frz_error *err = NULL;
    CHECK_OK(write_table(30, FRZ_CODEC_DEFLATE, 200, &swept, &err), err);
    sweep_allocation_failures(read_swept);
    frz_buffer_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read_with_every_codec),
        cmocka_unit_test(test_a_projection_gives_its_fields_in_its_order),
        cmocka_unit_test(test_prefixed_fixed_partition_values_are_read_with_a_flag),
        cmocka_unit_test(test_records_of_nulls_are_counted_by_their_fields),
        cmocka_unit_test(test_blocks_must_come_out_even),
        cmocka_unit_test(test_files_without_a_usable_schema_are_refused),
        cmocka_unit_test(test_every_cut_is_refused),
        cmocka_unit_test(test_every_flipped_bit_is_refused_or_safe),
        cmocka_unit_test(test_short_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
