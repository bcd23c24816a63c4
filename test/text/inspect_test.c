/* Covers: text/inspect_parquet text/inspect_avro text/inspect_puffin text/inspect_metadata
 * text/inspect_rows text/outline */
/* frz_inspect_file, frz_inspect_rows and the outline. */
#include "text/inspect.h"

#include "arrow/stream.h"
#include "frazil/schema.h"
#include "io/file.h"
#include "puffin/file.h"
#include "text/outline.h"
#include "text/rows_check.h"

static const test_column columns[] = {{.name = "id", .format = "l"}, {.name = "s", .format = "u"}};
static const test_column root = TEST_SCHEMA(columns);

static frz_io *parquet_file(void)
{
    frz_error *err = NULL;
    static const char text[] = "{\"id\":1,\"s\":\"x\"}\n{\"id\":2}\n";
    frz_io *io = memory_with("a.jsonl", text, sizeof text - 1);
    struct ArrowSchema schema;
    struct ArrowArrayStream rows = {0};
    fill_schema(&schema, &root);
    CHECK_OK(frz_rows_open("a.jsonl", FRZ_ROW_FORMAT_GUESS, &schema, io, &rows, &err), err);
    CHECK_OK(frz_rows_write_file(&rows, "a.parquet", NULL, io, NULL, &err), err);
    frz_arrow_schema_clear(&schema);
    return io;
}

static void check_holds(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("lacks %s: %s", part, text);
}

static void test_a_parquet_file_shows_its_columns_and_row_groups(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = parquet_file();
    char *text = NULL;
    CHECK_OK(frz_inspect_file("a.parquet", io, true, &text, &err), err);
    check_holds(text, "\"kind\": \"parquet\"");
    check_holds(text, "\"rows\": 2");
    check_holds(text, "\"path\": \"id\"");
    check_holds(text, "\"type\": \"INT64\"");
    check_holds(text, "\"codec\": \"zstd\"");
    check_holds(text, "\"nulls\": 1");
    frz_text_free(text);
    text = NULL;
    CHECK_OK(frz_inspect_file("a.parquet", io, false, &text, &err), err);
    check_holds(text, "kind: parquet\n");
    check_holds(text, "columns:\n  - path: id, field_id: null, type: INT64, ");
    frz_text_free(text);
    frz_io_free(io);
}

static void test_a_puffin_file_shows_its_blobs(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_output *output = NULL;
    frz_puffin_writer *writer = NULL;
    const int32_t fields[] = {1, 2};
    const frz_puffin_property properties[] = {{"cardinality", "3"}};
    const frz_puffin_blob blob = {.type = "some-sketch",
                                  .fields = fields,
                                  .field_count = 2,
                                  .snapshot_id = 9007199254740993,
                                  .sequence_number = 5,
                                  .properties = properties,
                                  .property_count = 1};
    int64_t offset = 0;
    uint64_t size = 0;
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    CHECK_OK(frz_io_create(io, "a.puffin", &output, &err), err);
    CHECK_OK(frz_puffin_writer_open(output, &writer, &err), err);
    CHECK_OK(frz_puffin_writer_add(writer, &blob, frz_slice_of_text("bytes"), &offset, &err), err);
    CHECK_OK(frz_puffin_writer_finish(writer, &size, &err), err);
    CHECK_OK(frz_output_commit(output, &err), err);
    frz_puffin_writer_free(writer);
    char *text = NULL;
    CHECK_OK(frz_inspect_file("a.puffin", io, true, &text, &err), err);
    check_holds(text, "\"type\": \"some-sketch\"");
    check_holds(text, "\"snapshot_id\": 9007199254740993");
    frz_text_free(text);
    struct ArrowArrayStream rows = {0};
    frz_buffer out = {0};
    const frz_print_options jsonl = {.struct_size = sizeof jsonl, .format = FRZ_ROW_FORMAT_JSONL};
    CHECK_OK(frz_inspect_rows("a.puffin", io, &rows, &err), err);
    CHECK_OK(frz_rows_print(&rows, &jsonl, append_text, &out, NULL, &err), err);
    frz_buffer_append_byte(&out, 0);
    assert_string_equal(
        (const char *)out.data,
        "{\"type\":\"some-sketch\",\"snapshot_id\":9007199254740993,\"sequence_number\":5,"
        "\"offset\":4,\"length\":5,\"compression_codec\":null,\"cardinality\":\"3\","
        "\"referenced_data_file\":null}\n");
    frz_buffer_clear(&out);
    frz_io_free(io);
}

static void test_parquet_rows_come_out_as_they_are(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = parquet_file();
    struct ArrowArrayStream rows = {0};
    frz_buffer out = {0};
    const frz_print_options jsonl = {.struct_size = sizeof jsonl, .format = FRZ_ROW_FORMAT_JSONL};
    CHECK_OK(frz_inspect_rows("a.parquet", io, &rows, &err), err);
    CHECK_OK(frz_rows_print(&rows, &jsonl, append_text, &out, NULL, &err), err);
    CHECK(frz_slice_is_text(frz_buffer_slice(&out),
                            "{\"id\":1,\"s\":\"x\"}\n{\"id\":2,\"s\":null}\n"));
    frz_buffer_clear(&out);
    frz_io_free(io);
}

/* A value of a union of several types comes out as what it is, and so in every format. */
static void test_avro_rows_of_several_types_come_out_as_they_are(void **state)
{
    (void)state;
    static const char file[] =
        "Obj\x01\x02\x16"
        "avro.schema\xd2\x01[\"null\",\"long\",\"string\",{\"type\":\"record\",\"name\":\"r\","
        "\"fields\":[{\"name\":\"x\",\"type\":[\"int\",\"boolean\"]}]}]   \0"
        "0123456789abcdef\x0c\x1c"
        "\x02\x0e\x04\x02q\0\x06\x02\x01\x06\0\x0a\x02\x10"
        "0123456789abcdef";
    static const struct {
        frz_row_format format;
        const char *text;
    } cases[] = {
        {FRZ_ROW_FORMAT_JSONL, "{\"value\":7}\n{\"value\":\"q\"}\n{\"value\":null}\n"
                               "{\"value\":{\"x\":true}}\n{\"value\":{\"x\":5}}\n{\"value\":8}\n"},
        {FRZ_ROW_FORMAT_CSV, "value\n7\nq\n\n\"{\"\"x\"\":true}\"\n\"{\"\"x\"\":5}\"\n8\n"},
    };
    frz_error *err = NULL;
    frz_io *io = memory_with("u.avro", file, sizeof file - 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ArrowArrayStream rows = {0};
        frz_buffer out = {0};
        const frz_print_options options = {.struct_size = sizeof options,
                                           .format = cases[i].format};
        CHECK_OK(frz_inspect_rows("u.avro", io, &rows, &err), err);
        CHECK_OK(frz_rows_print(&rows, &options, append_text, &out, NULL, &err), err);
        frz_buffer_append_byte(&out, 0);
        assert_string_equal((char *)out.data, cases[i].text);
        frz_buffer_clear(&out);
    }
    frz_io_free(io);
}

static void test_other_files_are_refused_with_their_first_bytes(void **state)
{
    (void)state;
    frz_error *err = NULL;
    char *text = NULL;
    struct ArrowArrayStream rows = {0};
    frz_io *io = memory_with("x.bin", "ORC!", 4);
    CHECK_FAILS(frz_inspect_file("x.bin", io, true, &text, &err), FRZ_CORRUPT, err,
                "x.bin: expected a metadata.json, Avro, Parquet or Puffin file");
    CHECK_FAILS(frz_inspect_rows("x.bin", io, &rows, &err), FRZ_CORRUPT, err, "4f 52 43 21");
    CHECK_FAILS(frz_inspect_file("none", io, true, &text, &err), FRZ_NOT_FOUND, err, "none");
    CHECK(text == NULL && rows.release == NULL);
    frz_io_free(io);
}

/* What was sound comes out beside the failure, and JSON stays JSON. */
static void test_a_broken_file_shows_how_far_it_was_sound(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = parquet_file();
    frz_buffer bytes = {0};
    char *text = NULL;
    CHECK_OK(frz_io_read_file(io, "a.parquet", SIZE_MAX, &bytes, &err), err);
    CHECK_OK(frz_io_remove(io, "a.parquet", &err), err);
    memset(bytes.data + 4, 0xff, 4); /* the header of the first page */
    CHECK_OK(frz_io_write_file(io, "a.parquet", frz_buffer_slice(&bytes), &err), err);
    CHECK_FAILS(frz_inspect_file("a.parquet", io, true, &text, &err), FRZ_CORRUPT, err,
                "a.parquet: row group 0, column id: page header at offset 5");
    check_holds(
        text,
        "\"pages\": []\n        }\n      ]\n    }\n  ],\n  \"error\": \"a.parquet: row group 0");
    frz_text_free(text);
    text = NULL;
    CHECK(frz_inspect_file("a.parquet", io, false, &text, NULL) == FRZ_CORRUPT);
    check_holds(text, "columns:\n  - path: id");
    check_holds(text, "        pages: []\n");
    frz_text_free(text);
    frz_buffer_clear(&bytes);
    frz_io_free(io);
}

static frz_io *swept;

static void inspect_under_failure(void)
{
    for (int json = 0; json < 2; json++) {
        char *text = NULL;
        const frz_status status = frz_inspect_file("a.parquet", swept, json, &text, NULL);
        CHECK(status == FRZ_OK ? text != NULL
                               : status == FRZ_NO_MEMORY && frz_mem_failed() && !text);
        frz_text_free(text);
    }
}

static void test_short_memory_is_clean(void **state)
{
    (void)state;
    swept = parquet_file();
    sweep_allocation_failures(inspect_under_failure);
    frz_io_free(swept);
}

/* The golden files of other implementations: whatever their content, all have a structure. */
static void test_golden_files_of_each_kind_are_inspected(void **state)
{
    (void)state;
    static const char *const names[] = {
        "iceberg-tables/spark-1.12/h24_variant_shred_uniform/data/00034-1-golden-00001.puffin",
        "avro/apache-avro/share/test/data/weather.avro",
        "parquet/parquet-testing/data/alltypes_plain.parquet",
        "metadata-json/iceberg-java/TableMetadataV2Valid.json"};
    const char *folder = testdata_folder();
    int found = 0;
    for (size_t i = 0; folder && i < sizeof names / sizeof names[0]; i++) {
        frz_error *err = NULL;
        char path[5000];
        char *text = NULL;
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        const frz_status status = frz_inspect_file(path, NULL, true, &text, &err);
        if (status == FRZ_OK)
            check_holds(text, "\"kind\":");
        else if (status != FRZ_NOT_FOUND)
            fail_msg("%s: %s", path, frz_error_message(err));
        found += status == FRZ_OK;
        frz_error_free(err);
        frz_text_free(text);
    }
    print_message("skipped: %d cases\n", (int)(sizeof names / sizeof names[0]) - found);
}

static void test_an_outline_indents_and_shows_control_characters(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer out = {0};
    CHECK_OK(frz_text_outline(
                 frz_slice_of_text(
                     "{\"a\":{\"b\":[1,\"x\\n\\u009by\",{\"c\":null}]},\"d\":\"\xc3\xa4\"}"),
                 &out, &err),
             err);
    frz_buffer_append_byte(&out, 0);
    assert_string_equal((const char *)out.data,
                        "a:\n  b:\n    - 1\n    - x\\x0a\\x9by\n    - c: null\nd: \xc3\xa4\n");
    frz_buffer_clear(&out);
    CHECK_FAILS(frz_text_outline(frz_slice_of_text("{\"a\":}"), &out, &err), FRZ_CORRUPT, err,
                "offset 5");
    frz_buffer_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_parquet_file_shows_its_columns_and_row_groups),
        cmocka_unit_test(test_a_puffin_file_shows_its_blobs),
        cmocka_unit_test(test_parquet_rows_come_out_as_they_are),
        cmocka_unit_test(test_avro_rows_of_several_types_come_out_as_they_are),
        cmocka_unit_test(test_other_files_are_refused_with_their_first_bytes),
        cmocka_unit_test(test_a_broken_file_shows_how_far_it_was_sound),
        cmocka_unit_test(test_short_memory_is_clean),
        cmocka_unit_test(test_golden_files_of_each_kind_are_inspected),
        cmocka_unit_test(test_an_outline_indents_and_shows_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
