/* Covers: text/avro_stream text/file_stream text/ipc_rows text/parquet_rows */
#include "frazil/text.h"

#include "arrow/stream.h"
#include "io/fault.h"
#include "text/rows_check.h"

static const test_column columns[] = {{.name = "id", .format = "l"}, {.name = "s", .format = "u"}};
static const test_column root = TEST_SCHEMA(columns);
static const frz_print_options jsonl = {.struct_size = sizeof jsonl,
                                        .format = FRZ_ROW_FORMAT_JSONL};

static struct ArrowArrayStream open_rows(frz_io *io, const char *name, const test_column *layout)
{
    frz_error *err = NULL;
    struct ArrowSchema schema;
    struct ArrowArrayStream rows = {0};
    fill_schema(&schema, layout);
    CHECK_OK(frz_rows_open(name, FRZ_ROW_FORMAT_GUESS, &schema, io, &rows, &err), err);
    frz_arrow_schema_clear(&schema);
    return rows;
}

static void put(frz_io *io, const char *name, const char *text)
{
    frz_error *err = NULL;
    CHECK_OK(frz_io_write_file(io, name, frz_slice_of_text(text), &err), err);
}

static void check_rows(struct ArrowArrayStream *rows, const char *want)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    CHECK_OK(frz_rows_print(rows, &jsonl, append_text, &out, NULL, &err), err);
    frz_buffer_append_byte(&out, 0);
    assert_string_equal((const char *)out.data, want);
    frz_buffer_clear(&out);
}

static void test_every_output_format_reads_back(void **state)
{
    (void)state;
    static const char *const names[] = {"b.parquet", "b.csv",    "b.jsonl",
                                        "b.arrow",   "b.arrows", "b.feather"};
    static const char text[] =
        "{\"id\":1,\"s\":\"x\"}\n{\"id\":null,\"s\":\"\"}\n{\"id\":3,\"s\":null}\n";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        frz_error *err = NULL;
        frz_io *io = memory_with("a.jsonl", text, sizeof text - 1);
        struct ArrowArrayStream rows = open_rows(io, "a.jsonl", &root);
        int64_t count = 0;
        CHECK_OK(frz_rows_write_file(&rows, names[i], NULL, io, &count, &err), err);
        CHECK(count == 3 && rows.release == NULL);
        rows = open_rows(io, names[i], &root);
        check_rows(&rows, text);
        frz_io_free(io);
    }
}

static void test_a_file_that_exists_or_fails_is_not_written(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = memory_with("a.jsonl", "{}\n{\"id\":\"x\"}\n", 14);
    uint64_t size = 0;
    struct ArrowArrayStream rows = open_rows(io, "a.jsonl", &root);
    CHECK_FAILS(frz_rows_write_file(&rows, "a.jsonl", NULL, io, NULL, &err), FRZ_ALREADY_EXISTS,
                err, "a.jsonl");
    static const char *const names[] = {"b.parquet", "b.csv", "b.arrow", "b.arrows"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        rows = open_rows(io, "a.jsonl", &root);
        CHECK_FAILS(frz_rows_write_file(&rows, names[i], NULL, io, NULL, &err), FRZ_INVALID, err,
                    "a.jsonl:2: column id:");
        CHECK_FAILS(frz_io_stat(io, names[i], &size, &err), FRZ_NOT_FOUND, err, "");
    }
    frz_io_free(io);
}

/* Every call to the storage fails in turn, on the way out and on the way in. */
static void test_storage_that_fails_is_told(void **state)
{
    (void)state;
    static const char *const names[] = {"b.arrow", "b.arrows"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        frz_error *err = NULL;
        frz_io *inner = memory_with("a.jsonl", "{\"id\":1}\n{\"s\":\"x\"}\n", 19);
        frz_io *io = NULL;
        int64_t count = 0;
        int failures = 0;
        CHECK_OK(frz_io_fault_new(inner, &io, &err), err);
        for (;; failures++) {
            struct ArrowArrayStream rows = open_rows(inner, "a.jsonl", &root);
            uint64_t size = 0;
            frz_io_fault_fail_after(io, failures);
            const frz_status status = frz_rows_write_file(&rows, names[i], NULL, io, &count, &err);
            frz_io_fault_fail_after(io, -1);
            if (status == FRZ_OK)
                break;
            CHECK_FAILS(status, FRZ_IO, err, "injected");
            CHECK_FAILS(frz_io_stat(inner, names[i], &size, &err), FRZ_NOT_FOUND, err, "");
        }
        CHECK(count == 2 && failures >= 3);
        for (failures = 0;; failures++) {
            frz_buffer out = {0};
            struct ArrowArrayStream rows = {0};
            frz_io_fault_fail_after(io, failures);
            frz_status status =
                frz_rows_open(names[i], FRZ_ROW_FORMAT_GUESS, NULL, io, &rows, &err);
            if (status == FRZ_OK)
                status = frz_rows_print(&rows, &jsonl, append_text, &out, &count, &err);
            frz_io_fault_fail_after(io, -1);
            frz_buffer_clear(&out);
            if (status == FRZ_OK)
                break;
            CHECK_FAILS(status, FRZ_IO, err, "injected");
        }
        CHECK(count == 2 && failures >= 4);
        frz_io_free(io);
        frz_io_free(inner);
    }
}

static void test_streams_of_one_schema_follow_each_other(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = NULL;
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    put(io, "a.csv", "id,s\n1,x\n");
    put(io, "b.jsonl", "");
    put(io, "c.csv", "s,id\ny,2\n");
    struct ArrowArrayStream streams[] = {open_rows(io, "a.csv", &root),
                                         open_rows(io, "b.jsonl", &root),
                                         open_rows(io, "c.csv", &root)};
    struct ArrowArrayStream all = {0};
    CHECK_OK(frz_rows_concat(streams, 3, &all, &err), err);
    CHECK(streams[0].release == NULL);
    check_rows(&all, "{\"id\":1,\"s\":\"x\"}\n{\"id\":2,\"s\":\"y\"}\n");
    CHECK_FAILS(frz_rows_concat(NULL, 0, &all, &err), FRZ_INVALID, err, "no streams");
    frz_io_free(io);
}

static void test_streams_of_different_schemas_are_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = NULL;
    const test_column narrow[] = {{.name = "id", .format = "i"}, {.name = "s", .format = "u"}};
    const test_column other = TEST_SCHEMA(narrow);
    struct ArrowArrayStream all = {0};
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    put(io, "a.csv", "id,s\n1,x\n");
    put(io, "b.csv", "id\n1\n");
    struct ArrowArrayStream types[] = {open_rows(io, "a.csv", &root),
                                       open_rows(io, "a.csv", &other)};
    CHECK_FAILS(frz_rows_concat(types, 2, &all, &err), FRZ_INVALID, err,
                "column id is of Arrow type l in one file and i in another");
    struct ArrowArrayStream counts[] = {open_rows(io, "a.csv", &root),
                                        open_rows(io, "b.csv", &root)};
    CHECK_FAILS(frz_rows_concat(counts, 2, &all, &err), FRZ_INVALID, err,
                "2 columns in one file and 1 in another");
    frz_io_free(io);
}

static void test_formats_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    CHECK_FAILS(frz_rows_open("x.JSON", FRZ_ROW_FORMAT_GUESS, NULL, NULL, &rows, &err), FRZ_INVALID,
                err, "a JSON array is only written");
    CHECK_FAILS(frz_rows_open("x.csv", FRZ_ROW_FORMAT_GUESS, NULL, NULL, &rows, &err), FRZ_INVALID,
                err, "text is read by a schema");
    CHECK_FAILS(frz_rows_open("/no/such/x.parquet", FRZ_ROW_FORMAT_GUESS, NULL, NULL, &rows, &err),
                FRZ_NOT_FOUND, err, "/no/such/x.parquet");
    CHECK_FAILS(frz_rows_open("/no/such/x.orc", FRZ_ROW_FORMAT_GUESS, NULL, NULL, &rows, &err),
                FRZ_NOT_FOUND, err, "/no/such/x.orc");
    static const char *const starts[][2] = {{"ORC\3", "an ORC file"},
                                            {"FEA1", "a Feather V1 file"},
                                            {"\x1f\x8b\x08", "gzip"},
                                            {"PFA1", "a Puffin file"}};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        frz_io *io = memory_with("x", starts[i][0], strlen(starts[i][0]));
        CHECK_FAILS(frz_rows_open("x", FRZ_ROW_FORMAT_GUESS, NULL, io, &rows, &err),
                    FRZ_UNSUPPORTED, err, starts[i][1]);
        frz_io_free(io);
    }
    const frz_print_options avro = {.struct_size = sizeof avro, .format = FRZ_ROW_FORMAT_AVRO};
    static const test_column single_columns[] = {{.name = "x", .format = "l"}};
    static const test_column single = TEST_SCHEMA(single_columns);
    frz_buffer out = {0};
    CHECK_FAILS(convert_n("a.csv", "x\n1\n", 4, &single, &avro, &out, &err), FRZ_INVALID, err,
                "read from Avro, not written");
    frz_buffer_clear(&out);
}

static void test_a_format_is_told_by_the_first_bytes(void **state)
{
    (void)state;
    static const test_column single_columns[] = {{.name = "x", .format = "l"}};
    static const test_column single = TEST_SCHEMA(single_columns);
    check_converts("-", " \n{\"x\": 1}\n", &single, &jsonl, "{\"x\":1}\n");
    check_converts("-", "\xef\xbb\xbf{\"x\": 1}\n", &single, &jsonl, "{\"x\":1}\n");
    check_converts("-", "x\n1\n", &single, &jsonl, "{\"x\":1}\n");
    static const char avro_file[] = "Obj\x01\x02\x16"
                                    "avro.schema\x84\x01{\"type\":\"record\",\"name\":\"r\","
                                    "\"fields\":[{\"name\":\"x\",\"type\":"
                                    "\"long\"}]}\0"
                                    "0123456789abcdef\x04\x04\x02\x04"
                                    "0123456789abcdef";
    frz_error *err = NULL;
    frz_buffer out = {0};
    CHECK_OK(convert_n("-", avro_file, sizeof avro_file - 1, &single, &jsonl, &out, &err), err);
    frz_buffer_append_byte(&out, 0);
    assert_string_equal((const char *)out.data, "{\"x\":1}\n{\"x\":2}\n");
    frz_buffer_clear(&out);
}

static void sweep_body(void)
{
    static const char *const names[] = {"b.csv", "b.parquet", "b.arrow", "b.arrows"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        frz_error *err = NULL;
        frz_io *io = NULL;
        struct ArrowSchema schema = {0};
        struct ArrowArrayStream rows[2] = {{0}, {0}};
        struct ArrowArrayStream all = {0};
        frz_status status =
            frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 1, &err);
        if (status == FRZ_OK)
            status = frz_arrow_schema_init(schema.children[0], "u", "s", true,
                                           FRZ_ARROW_NO_FIELD_ID, 0, &err);
        if (status == FRZ_OK)
            status = frz_io_memory_new(&io, &err);
        if (status == FRZ_OK)
            status = frz_io_write_file(io, "a.csv", frz_slice_of("s\nx\n", 4), &err);
        for (size_t j = 0; j < 2; j++) {
            if (status == FRZ_OK)
                status = frz_rows_open("a.csv", FRZ_ROW_FORMAT_CSV, &schema, io, &rows[j], &err);
        }
        if (status == FRZ_OK)
            status = frz_rows_concat(rows, 2, &all, &err);
        if (status == FRZ_OK)
            status = frz_rows_write_file(&all, names[i], NULL, io, NULL, &err);
        if (status == FRZ_OK)
            status = frz_rows_open(names[i], FRZ_ROW_FORMAT_GUESS, &schema, io, &all, &err);
        frz_buffer out = {0};
        if (status == FRZ_OK)
            status = frz_rows_print(&all, &jsonl, append_text, &out, NULL, &err);
        CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
        frz_arrow_stream_clear(&rows[0]);
        frz_arrow_stream_clear(&rows[1]);
        frz_arrow_stream_clear(&all);
        frz_arrow_schema_clear(&schema);
        frz_buffer_clear(&out);
        frz_error_free(err);
        frz_io_free(io);
    }
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(sweep_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_output_format_reads_back),
        cmocka_unit_test(test_a_file_that_exists_or_fails_is_not_written),
        cmocka_unit_test(test_storage_that_fails_is_told),
        cmocka_unit_test(test_streams_of_one_schema_follow_each_other),
        cmocka_unit_test(test_streams_of_different_schemas_are_refused),
        cmocka_unit_test(test_formats_that_cannot_be_read_are_named),
        cmocka_unit_test(test_a_format_is_told_by_the_first_bytes),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
