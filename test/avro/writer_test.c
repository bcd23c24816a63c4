#include "avro/writer.h"

#include "table_fixture.h"

static void test_the_schema_and_metadata_stand_in_the_file_to_the_byte(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_avro_reader *reader = NULL;
    frz_slice value = {0};
    CHECK_OK(write_table(3, FRZ_CODEC_DEFLATE, 0, &file, &err), err);
    bytes_input input = input_over(frz_buffer_slice(&file));
    CHECK_OK(frz_avro_reader_open(&input.base, NULL, &reader, &err), err);
    CHECK(frz_avro_reader_metadata(reader, "avro.schema", &value) &&
          frz_slice_is_text(value, table_json));
    CHECK(frz_avro_reader_metadata(reader, "avro.codec", &value) &&
          frz_slice_is_text(value, "deflate"));
    CHECK(frz_avro_reader_metadata(reader, "content", &value) && frz_slice_is_text(value, "data"));
    CHECK(frz_avro_reader_metadata_count(reader) == 3);
    frz_avro_reader_close(reader);
    frz_buffer_clear(&file);
}

static void open_fails(const frz_avro_writer_options *options, const char *json, frz_status want,
                       const char *message)
{
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_avro_writer *writer = NULL;
    buffer_output output = output_to(&file);
    CHECK_FAILS(frz_avro_writer_open(&output.base, frz_slice_of_text(json), options, &writer, &err),
                want, err, message);
    CHECK(file.size == 0);
    frz_buffer_clear(&file);
}

static void test_bad_options_are_refused(void **state)
{
    (void)state;
    const frz_avro_key_value own[] = {{"avro.codec", {0}}};
    open_fails(&(frz_avro_writer_options){.codec = FRZ_CODEC_BZIP2}, "\"int\"", FRZ_UNSUPPORTED,
               "writing Avro with codec bzip2");
    open_fails(&(frz_avro_writer_options){.metadata = own, .metadata_count = 1}, "\"int\"",
               FRZ_INVALID, "Avro metadata key avro.codec is reserved");
    open_fails(NULL, "\"integer\"", FRZ_CORRUPT, "type \"integer\" is not defined");
}

static void test_a_full_disk_is_reported_and_ends_the_writer(void **state)
{
    (void)state;
    static const char json[] =
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\",\"type\":\"long\"}]}";
    for (int writes = 0; writes < 4; writes++) {
        frz_error *err = NULL;
        frz_buffer file = {0};
        frz_avro_writer *writer = NULL;
        struct ArrowSchema schema = {0};
        struct ArrowArray batch = {0};
        frz_arrow_builder *builder = NULL;
        uint64_t size = 0;
        buffer_output output = output_to(&file);
        output.fail_after = writes;
        parent(&schema, "+s", "", false, 1);
        leaf(schema.children[0], "l", "x", false);
        CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), 7);
        frz_arrow_append_struct(builder);
        CHECK_OK(frz_arrow_builder_finish(builder, &batch, &err), err);
        frz_status status =
            frz_avro_writer_open(&output.base, frz_slice_of_text(json), NULL, &writer, &err);
        CHECK((status == FRZ_OK) == (writes > 0));
        if (status == FRZ_OK) {
            CHECK_OK(frz_avro_writer_write(writer, &schema, &batch, &err), err);
            status = frz_avro_writer_finish(writer, &size, &err);
            CHECK_FAILS(frz_avro_writer_write(writer, &schema, &batch, NULL) == FRZ_INVALID
                            ? status
                            : FRZ_OK,
                        FRZ_IO, err, "the disk is full");
        } else {
            CHECK_FAILS(status, FRZ_IO, err, "the disk is full");
        }
        frz_avro_writer_free(writer);
        frz_arrow_builder_free(builder);
        frz_arrow_array_clear(&batch);
        frz_arrow_schema_clear(&schema);
        frz_buffer_clear(&file);
    }
}

static table swept;

static void write_swept(void)
{
    frz_error *err = NULL;
    frz_buffer file = {0};
    const frz_status status = write_batch(&swept, FRZ_CODEC_SNAPPY, 64, &file, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    frz_buffer_clear(&file);
}

static void test_short_memory_is_clean(void **state)
{
    (void)state;
    swept = make_table(4);
    sweep_allocation_failures(write_swept);
    clear_table(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_schema_and_metadata_stand_in_the_file_to_the_byte),
        cmocka_unit_test(test_bad_options_are_refused),
        cmocka_unit_test(test_a_full_disk_is_reported_and_ends_the_writer),
        cmocka_unit_test(test_short_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
