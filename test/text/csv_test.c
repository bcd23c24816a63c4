/* Covers: text/csv_record text/source text/window */
#include "text/csv.h"

#include "json/writer.h"
#include "text/rows_check.h"

static const test_column pair_columns[] = {{.name = "id", .format = "l", .required = true},
                                           {.name = "name", .format = "u"}};
static const test_column pair = TEST_SCHEMA(pair_columns);
static const test_column single_columns[] = {{.name = "x", .format = "i"}};
static const test_column single = TEST_SCHEMA(single_columns);
static const frz_print_options jsonl = {.struct_size = sizeof jsonl,
                                        .format = FRZ_ROW_FORMAT_JSONL};
static const frz_print_options csv = {.struct_size = sizeof csv, .format = FRZ_ROW_FORMAT_CSV};

static void test_empty_is_null_and_quoted_empty_is_a_string(void **state)
{
    (void)state;
    check_converts(
        "a.csv", "id,name\n1,\n2,\"\"\n3,x\n", &pair, &jsonl,
        "{\"id\":1,\"name\":null}\n{\"id\":2,\"name\":\"\"}\n{\"id\":3,\"name\":\"x\"}\n");
}

static void test_quotes_hold_commas_line_ends_and_quotes(void **state)
{
    (void)state;
    check_converts("a.csv", "id,name\r\n1,\"a,b\r\nc\"\"d\"\r\n\"2\",\" \"", &pair, &jsonl,
                   "{\"id\":1,\"name\":\"a,b\\r\\nc\\\"d\"}\n{\"id\":2,\"name\":\" \"}\n");
}

static void test_the_header_may_order_and_leave_out_columns(void **state)
{
    (void)state;
    check_converts("a.csv", "\"name\",id\nx,1\n", &pair, &jsonl, "{\"id\":1,\"name\":\"x\"}\n");
    check_converts("a.csv", "\xef\xbb\xbfid\n7\n", &pair, &jsonl, "{\"id\":7}\n");
    check_converts("a.csv", "id,name\n", &pair, &jsonl, "");
    check_converts("a.csv", "id,name", &pair, &csv, "id,name\n");
}

static void test_blank_lines_are_nulls_of_one_column_and_nothing_of_two(void **state)
{
    (void)state;
    check_converts("a.csv", "x\n1\n\n2\n", &single, &jsonl, "{\"x\":1}\n{\"x\":null}\n{\"x\":2}\n");
    check_converts("a.csv", "id,name\n\n1,a\n\r\n\n", &pair, &jsonl, "{\"id\":1,\"name\":\"a\"}\n");
}

static void check_dialect(const char *text, const test_column *root, const frz_rows_options *given,
                          frz_status status, const char *want)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    frz_rows_options options = *given;
    struct ArrowSchema schema;
    struct ArrowArrayStream rows = {0};
    frz_io *io = memory_with("a.csv", text, strlen(text));
    fill_schema(&schema, root);
    options.schema = &schema;
    frz_status got = frz_rows_open_with("a.csv", &options, io, &rows, &err);
    if (got == FRZ_OK)
        got = frz_rows_print(&rows, &jsonl, append_text, &out, NULL, &err);
    frz_buffer_append_byte(&out, 0);
    if (status == FRZ_OK) {
        CHECK_OK(got, err);
        assert_string_equal((const char *)out.data, want);
    } else {
        CHECK_FAILS(got, status, err, want);
    }
    frz_buffer_clear(&out);
    frz_arrow_schema_clear(&schema);
    frz_io_free(io);
}

static void test_dialects(void **state)
{
    (void)state;
    static const char *const nulls[] = {"NA", "-"};
    static const test_column columns[] = {{.name = "id", .format = "l"},
                                          {.name = "name", .format = "u"},
                                          {.name = "day", .format = "tdD"},
                                          {.name = "at", .format = "tsu:"},
                                          {.name = "on", .format = "tsu:UTC"}};
    static const test_column root = TEST_SCHEMA(columns);
    frz_rows_options options = FRZ_ROWS_OPTIONS_INIT;
    options.csv = (frz_csv_options){.delimiter = ';', .quote = '\''};
    check_dialect("id;name\n1;'a;''b''\n'\n2;x\"y\n", &root, &options, FRZ_OK,
                  "{\"id\":1,\"name\":\"a;'b'\\n\"}\n{\"id\":2,\"name\":\"x\\\"y\"}\n");
    check_dialect("id;name\n1;'a'b\n", &root, &options, FRZ_CORRUPT,
                  "a.csv:2: column name: expected the delimiter behind the closing quote");
    options.csv = (frz_csv_options){.delimiter = '\t', .null_texts = nulls, .null_text_count = 2};
    check_dialect(
        "id\tname\nNA\t-\n1\t\n2\t\"NA\"\n", &root, &options, FRZ_OK,
        "{\"id\":null,\"name\":null}\n{\"id\":1,\"name\":\"\"}\n{\"id\":2,\"name\":\"NA\"}\n");
    check_dialect("id\tname\n\tx\n", &root, &options, FRZ_INVALID, "column id: \"\" is no long");
    options.csv = (frz_csv_options){.no_header = true};
    check_dialect("\xef\xbb\xbf"
                  "1,a\n2,b\n",
                  &root, &options, FRZ_OK,
                  "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n");
    check_dialect("1,a,2026-01-01,,,7\n", &root, &options, FRZ_INVALID,
                  "a.csv:1: without header, columns go by their place, and the schema has only 5");
    check_dialect("1,a\nx,b\n", &root, &options, FRZ_INVALID, "a.csv:2: column id");
    options.csv =
        (frz_csv_options){.date_format = "%d/%m/%Y", .timestamp_format = "%d/%m/%Y %H:%M"};
    check_dialect(
        "day,at\n31/12/2026,01/02/2026 3:04\n,\n", &root, &options, FRZ_OK,
        "{\"day\":\"2026-12-31\",\"at\":\"2026-02-01T03:04:00.000000\"}\n{\"day\":null,\"at\":"
        "null}\n");
    check_dialect("day\n2026-12-31\n", &root, &options, FRZ_INVALID,
                  "a.csv:2: column day: \"2026-12-31\" is no date of the form %d/%m/%Y");
    check_dialect("day\n31/02/2026\n", &root, &options, FRZ_INVALID, "\"2026-02-31\" is no date");
    options.csv = (frz_csv_options){.date_format = "%Q"};
    check_dialect("day\n", &root, &options, FRZ_INVALID, "%Q is none of");
    options.csv = (frz_csv_options){.delimiter = '"'};
    check_dialect("day\n", &root, &options, FRZ_INVALID, "two different characters");
    options.csv = (frz_csv_options){0};
    options.case_insensitive = true;
    check_dialect("ID,NAME\n1,x\n", &root, &options, FRZ_OK, "{\"id\":1,\"name\":\"x\"}\n");
}

static void test_errors_name_file_line_and_column(void **state)
{
    (void)state;
    check_refuses("a.csv", "", &pair, FRZ_CORRUPT, "a.csv: expected a header line");
    check_refuses("a.csv", "id,nme\n", &pair, FRZ_INVALID,
                  "a.csv:1: header: the schema has no column \"nme\"");
    check_refuses("a.csv", "id,id\n", &pair, FRZ_INVALID, "column \"id\" stands twice");
    check_refuses("a.csv", "id,name\n1,a\n2,b,c\n", &pair, FRZ_CORRUPT,
                  "a.csv:3: expected 2 fields, got more than 2");
    check_refuses("a.csv", "id,name\n1\n", &pair, FRZ_CORRUPT, "a.csv:2: expected 2 fields, got 1");
    check_refuses("a.csv", "id,name\n1,\"a\nb\"\nx,c\n", &pair, FRZ_INVALID,
                  "a.csv:4: column id: \"x\" is no long");
    check_refuses("a.csv", "id,name\n,c\n", &pair, FRZ_INVALID,
                  "a.csv:2: column id: null in a required column");
    check_refuses("a.csv", "id,name\n1,a\"b\n", &pair, FRZ_CORRUPT,
                  "a.csv:2: column name: a quote inside an unquoted field");
    check_refuses("a.csv", "id,name\n1,\"a\"b\n", &pair, FRZ_CORRUPT,
                  "a.csv:2: column name: expected a comma behind the closing quote");
    check_refuses("a.csv", "id,name\n1,\"a\n\n", &pair, FRZ_CORRUPT,
                  "a.csv:2: column name: a quote that is never closed");
    check_refuses("a.csv", "id,name\n1,\xff\n", &pair, FRZ_INVALID, "expected UTF-8");
    check_refuses("a.csv", "x\n2147483648\n", &single, FRZ_INVALID, "a.csv:2: column x:");
    check_refuses("a.csv", "x\n\"\"\n", &single, FRZ_INVALID, "a.csv:2: column x:");
}

static void test_a_file_larger_than_a_window_keeps_its_lines(void **state)
{
    (void)state;
    frz_buffer text = {0};
    frz_buffer want = {0};
    frz_buffer got = {0};
    frz_error *err = NULL;
    frz_buffer_append_text(&text, "id,name\n");
    for (int i = 0; i < 60000; i++) {
        frz_buffer_printf(&text, "%d,\"n%d\n%0*d\"\n", i, i, i % 37 + 1, i);
        frz_buffer_printf(&want, "{\"id\":%d,\"name\":\"n%d\\n%0*d\"}\n", i, i, i % 37 + 1, i);
    }
    CHECK(text.size > 1500000);
    CHECK_OK(convert_n("big.csv", text.data, text.size, &pair, &jsonl, &got, &err), err);
    CHECK(frz_slice_equal(frz_buffer_slice(&got), frz_buffer_slice(&want)));
    frz_buffer_append_text(&text, "7\n");
    CHECK_FAILS(convert_n("big.csv", text.data, text.size, &pair, &jsonl, &got, &err), FRZ_CORRUPT,
                err, "big.csv:120002: expected 2 fields, got 1");
    frz_buffer_clear(&text);
    frz_buffer_clear(&want);
    frz_buffer_clear(&got);
}

/* What is printed as CSV reads back as the same rows. */
static void test_random_rows_survive_csv(void **state)
{
    (void)state;
    static const char *const parts[] = {"", "a", ",", "\"", "\n", "\r\n", " ", "\xc3\xa4", "null"};
    uint32_t seed = 20261130;
    for (int round = 0; round < 200; round++) {
        frz_buffer lines = {0};
        for (int row = 0; row < 5; row++) {
            frz_json_writer json = frz_json_writer_to(&lines, 0);
            char name[40] = "";
            seed = seed * 1664525 + 1013904223;
            for (uint32_t i = seed >> 28 & 3; i > 0; i--) {
                seed = seed * 1664525 + 1013904223;
                strncat(name, parts[(seed >> 16) % 9], sizeof name - strlen(name) - 1);
            }
            frz_json_open_object(&json);
            frz_json_key(&json, "id");
            frz_json_i64(&json, (int64_t)seed);
            frz_json_key(&json, "name");
            if (seed >> 30 == 0)
                frz_json_null(&json);
            else
                frz_json_string(&json, name);
            frz_json_close_object(&json);
            frz_buffer_append_byte(&lines, '\n');
        }
        frz_error *err = NULL;
        frz_buffer as_csv = {0};
        frz_buffer back = {0};
        CHECK_OK(convert_n("a.jsonl", lines.data, lines.size, &pair, &csv, &as_csv, &err), err);
        CHECK_OK(convert_n("a.csv", as_csv.data, as_csv.size, &pair, &jsonl, &back, &err), err);
        CHECK(frz_slice_equal(frz_buffer_slice(&lines), frz_buffer_slice(&back)));
        frz_buffer_clear(&lines);
        frz_buffer_clear(&as_csv);
        frz_buffer_clear(&back);
    }
}

static void test_damaged_files_are_safe(void **state)
{
    (void)state;
    const char text[] = "id,name\n1,\"a,\"\"b\"\n2,\n3,c\r\n4,\"\n\"\n";
    uint32_t seed = 3;
    int good = 0;
    for (int i = 0; i < 3000; i++) {
        char bytes[sizeof text];
        memcpy(bytes, text, sizeof text);
        seed = seed * 1664525 + 1013904223;
        bytes[(seed >> 8) % (sizeof text - 1)] = ",\"\n\rx1\xff\0"[seed >> 29];
        frz_buffer out = {0};
        const frz_status status =
            convert_n("a.csv", bytes, seed % 5 ? sizeof text - 1 : (seed >> 8) % sizeof text, &pair,
                      &jsonl, &out, NULL);
        CHECK(status == FRZ_OK || status == FRZ_INVALID || status == FRZ_CORRUPT);
        good += status == FRZ_OK;
        frz_buffer_clear(&out);
    }
    CHECK(good > 50 && good < 2900);
}

static void sweep_body(void)
{
    frz_buffer out = {0};
    frz_error *err = NULL;
    frz_io *io = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArrayStream rows = {0};
    frz_status status =
        frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 1, &err);
    if (status == FRZ_OK)
        status = frz_arrow_schema_init(schema.children[0], "u", "name", true, FRZ_ARROW_NO_FIELD_ID,
                                       0, &err);
    if (status == FRZ_OK)
        status = frz_io_memory_new(&io, &err);
    if (status == FRZ_OK)
        status = frz_io_write_file(io, "a.csv", frz_slice_of("name\n\"a\"\"b\"\n\n", 14), &err);
    if (status == FRZ_OK)
        status = frz_rows_open("a.csv", FRZ_ROW_FORMAT_CSV, &schema, io, &rows, &err);
    if (status == FRZ_OK)
        status = frz_rows_print(&rows, &jsonl, append_text, &out, NULL, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_arrow_schema_clear(&schema);
    frz_error_free(err);
    frz_buffer_clear(&out);
    frz_io_free(io);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(sweep_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_is_null_and_quoted_empty_is_a_string),
        cmocka_unit_test(test_quotes_hold_commas_line_ends_and_quotes),
        cmocka_unit_test(test_the_header_may_order_and_leave_out_columns),
        cmocka_unit_test(test_blank_lines_are_nulls_of_one_column_and_nothing_of_two),
        cmocka_unit_test(test_errors_name_file_line_and_column),
        cmocka_unit_test(test_dialects),
        cmocka_unit_test(test_a_file_larger_than_a_window_keeps_its_lines),
        cmocka_unit_test(test_random_rows_survive_csv),
        cmocka_unit_test(test_damaged_files_are_safe),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
