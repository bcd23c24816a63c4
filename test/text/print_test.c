/* Covers: text/table text/value_write text/column */
/* frz_rows_print: the output formats. The forms of values are tested with the readers. */
#include "text/rows_check.h"

static const test_column list_item[] = {{.name = "element", .format = "u"}};
static const test_column columns[] = {
    {.name = "id", .format = "l"},
    {.name = "name", .format = "u"},
    {.name = "tags", .format = "+l", .children = list_item, .child_count = 1}};
static const test_column root = TEST_SCHEMA(columns);
static const char rows[] =
    "{\"id\":9007199254740993,\"name\":\"a,\\\"b\\\"\",\"tags\":[\"x\",null]}\n"
    "{\"id\":-1,\"name\":null,\"tags\":null}\n"
    "{\"name\":\"\"}\n";

static frz_print_options as(frz_row_format format)
{
    return (frz_print_options){.struct_size = sizeof(frz_print_options), .format = format};
}

static void test_csv_quotes_what_must_be_and_keeps_null_apart(void **state)
{
    (void)state;
    const frz_print_options options = as(FRZ_ROW_FORMAT_CSV);
    check_converts(
        "a.jsonl", rows, &root, &options,
        "id,name,tags\n9007199254740993,\"a,\"\"b\"\"\",\"[\"\"x\"\",null]\"\n-1,,\n,\"\",\n");
}

static void test_json_is_one_array(void **state)
{
    (void)state;
    frz_print_options options = as(FRZ_ROW_FORMAT_JSON);
    check_converts(
        "a.jsonl", rows, &root, &options,
        "[\n  {\"id\":9007199254740993,\"name\":\"a,\\\"b\\\"\",\"tags\":[\"x\",null]},\n"
        "  {\"id\":-1,\"name\":null,\"tags\":null},\n"
        "  {\"id\":null,\"name\":\"\",\"tags\":null}\n]\n");
    check_converts("a.jsonl", "", &root, &options, "[]\n");
    options.ids_as_strings = true;
    check_converts("a.jsonl", "{\"id\":1}", &root, &options,
                   "[\n  {\"id\":\"1\",\"name\":null,\"tags\":null}\n]\n");
}

static void test_a_table_lines_up(void **state)
{
    (void)state;
    const frz_print_options options = as(FRZ_ROW_FORMAT_TABLE);
    check_converts(
        "a.jsonl",
        "{\"id\":1,\"name\":\"\xc3\xa4\",\"tags\":[\"x\"]}\n{\"id\":100,\"name\":\"bcd\"}", &root,
        &options,
        "  id | name | tags\n"
        "-----+------+-------\n"
        "   1 | \xc3\xa4    | [\"x\"]\n"
        " 100 | bcd  | null\n");
    check_converts("a.jsonl", "", &root, &options, " id | name | tags\n----+------+------\n");
}

static void test_a_table_cannot_drive_a_terminal(void **state)
{
    (void)state;
    const test_column one[] = {{.name = "s", .format = "u"}};
    const test_column single = TEST_SCHEMA(one);
    frz_print_options options = as(FRZ_ROW_FORMAT_TABLE);
    options.color = true;
    check_converts("a.jsonl", "{\"s\":\"\\u001b[2J\\n\\t\\u0085\\u007f\"}", &single, &options,
                   " \x1b[1ms\x1b[0m\n---------------------\n \\x1b[2J\\n\\t\\x85\\x7f\n");
}

static void test_a_table_fits_the_terminal(void **state)
{
    (void)state;
    const test_column two[] = {{.name = "a", .format = "u"}, {.name = "b", .format = "l"}};
    const test_column pair = TEST_SCHEMA(two);
    frz_print_options options = as(FRZ_ROW_FORMAT_TABLE);
    options.width = 17;
    check_converts("a.jsonl", "{\"a\":\"0123456789\xc3\xa4\xc3\xa4\xc3\xa4\",\"b\":1}", &pair,
                   &options,
                   " a           | b\n"
                   "-------------+---\n"
                   " 0123456789\xe2\x80\xa6 | 1\n");
}

/* Blocks behind the first keep its widths. */
static void test_a_long_table_has_one_heading(void **state)
{
    (void)state;
    const test_column one[] = {{.name = "n", .format = "i"}};
    const test_column single = TEST_SCHEMA(one);
    const frz_print_options options = as(FRZ_ROW_FORMAT_TABLE);
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_buffer want = {0};
    frz_buffer got = {0};
    frz_buffer_append_text(&want, "   n\n-----\n");
    for (int i = 0; i < 20000; i++) {
        frz_buffer_printf(&text, "{\"n\":%d}\n", i);
        frz_buffer_printf(&want, " %3d\n", i);
    }
    CHECK_OK(convert_n("a.jsonl", text.data, text.size, &single, &options, &got, &err), err);
    CHECK(frz_slice_equal(frz_buffer_slice(&got), frz_buffer_slice(&want)));
    frz_buffer_clear(&text);
    frz_buffer_clear(&want);
    frz_buffer_clear(&got);
}

static frz_status refuse_to_write(void *context, const void *bytes, size_t size, frz_error **err)
{
    (void)bytes;
    (void)size;
    (void)err;
    ++*(int *)context;
    return FRZ_CANCELLED;
}

static void test_a_writer_that_fails_stops_the_printing(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = memory_with("a.jsonl", rows, sizeof rows - 1);
    struct ArrowSchema schema;
    struct ArrowArrayStream stream = {0};
    int calls = 0;
    const frz_print_options options = as(FRZ_ROW_FORMAT_JSONL);
    fill_schema(&schema, &root);
    CHECK_OK(frz_rows_open("a.jsonl", FRZ_ROW_FORMAT_GUESS, &schema, io, &stream, &err), err);
    CHECK(frz_rows_print(&stream, &options, refuse_to_write, &calls, NULL, &err) == FRZ_CANCELLED);
    CHECK(calls == 1 && stream.release == NULL);
    frz_arrow_schema_clear(&schema);
    frz_io_free(io);
}

/* Children of one batch by hand, as other producers may send them: four rows, the first cut off by
 * the offset of the batch. */
static const int32_t day_values[] = {0, 1, -1, 2};
static const int64_t large_offsets[] = {0, 1, 3, 3, 6};
static const uint8_t index_values[] = {1, 0, 1, 0};
static const int32_t dictionary_offsets[] = {0, 3, 7};
static const uint8_t validity[] = {0x0b}; /* row 2 is null */
static const int32_t long_view_parts[] = {14, 0, 0, 2};

static void release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static int foreign_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    *out = *(struct ArrowSchema *)stream->private_data;
    return 0;
}

static struct ArrowArray *foreign_batch;

static int foreign_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    (void)stream;
    *out = (struct ArrowArray){0};
    if (foreign_batch)
        *out = *foreign_batch;
    foreign_batch = NULL;
    return 0;
}

static void foreign_release(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static void test_offsets_large_types_views_and_dictionaries_print(void **state)
{
    (void)state;
    uint8_t views[4 * 16] = {0};
    memcpy(views + 16, "\2\0\0\0hi", 6);
    memcpy(views + 48, long_view_parts, 16);
    const void *day_buffers[] = {NULL, day_values};
    const void *large_buffers[] = {validity, large_offsets, "abcdef"};
    const void *index_buffers[] = {NULL, index_values};
    const void *dictionary_buffers[] = {NULL, dictionary_offsets, "onetwo?"};
    const void *view_buffers[] = {NULL, views, "--fourteen bytes", NULL};
    const void *root_buffers[] = {NULL};
    struct ArrowArray values = {.length = 2, .n_buffers = 3, .buffers = dictionary_buffers};
    struct ArrowArray days = {.length = 4, .n_buffers = 2, .buffers = day_buffers};
    struct ArrowArray large = {
        .length = 4, .null_count = 1, .n_buffers = 3, .buffers = large_buffers};
    struct ArrowArray indices = {
        .length = 4, .n_buffers = 2, .buffers = index_buffers, .dictionary = &values};
    struct ArrowArray view = {.length = 4, .n_buffers = 4, .buffers = view_buffers};
    struct ArrowArray *arrays[] = {&days, &large, &indices, &view};
    struct ArrowArray batch = {.length = 3,
                               .offset = 1,
                               .n_buffers = 1,
                               .n_children = 4,
                               .buffers = root_buffers,
                               .children = arrays,
                               .release = release_array};
    struct ArrowSchema value_schema = {.format = "u", .name = ""};
    struct ArrowSchema parts[] = {{.format = "tdD", .name = "day"},
                                  {.format = "U", .name = "large"},
                                  {.format = "C", .name = "word", .dictionary = &value_schema},
                                  {.format = "vu", .name = "view"}};
    struct ArrowSchema *children[] = {&parts[0], &parts[1], &parts[2], &parts[3]};
    struct ArrowSchema schema = {.format = "+s",
                                 .name = "",
                                 .n_children = 4,
                                 .children = children,
                                 .release = release_schema};
    struct ArrowArrayStream stream = {.get_schema = foreign_schema,
                                      .get_next = foreign_next,
                                      .release = foreign_release,
                                      .private_data = &schema};
    const frz_print_options options = as(FRZ_ROW_FORMAT_JSONL);
    frz_error *err = NULL;
    frz_buffer out = {0};
    int64_t count = 0;
    foreign_batch = &batch;
    CHECK_OK(frz_rows_print(&stream, &options, append_text, &out, &count, &err), err);
    frz_buffer_append_byte(&out, 0);
    assert_string_equal(
        (const char *)out.data,
        "{\"day\":\"1970-01-02\",\"large\":\"bc\",\"word\":\"one\",\"view\":\"hi\"}\n"
        "{\"day\":\"1969-12-31\",\"large\":null,\"word\":\"two?\",\"view\":\"\"}\n"
        "{\"day\":\"1970-01-03\",\"large\":\"def\",\"word\":\"one\","
        "\"view\":\"fourteen bytes\"}\n");
    CHECK(count == 3);
    frz_buffer_clear(&out);
}

static void test_half_floats_are_printed_as_the_floats_they_are(void **state)
{
    (void)state;
    uint16_t halves[] = {0x3c00, 0xc000, 0x8000, 0x0001, 0x7e00, 0xfc00};
    const void *buffers[] = {NULL, halves};
    struct ArrowArray half = {
        .length = 6, .n_buffers = 2, .buffers = buffers, .release = release_array};
    struct ArrowArray *halves_only[] = {&half};
    const void *none[] = {NULL};
    struct ArrowArray batch = {.length = 6,
                               .n_buffers = 1,
                               .buffers = none,
                               .n_children = 1,
                               .children = halves_only,
                               .release = release_array};
    struct ArrowSchema part = {.format = "e", .name = "x"};
    struct ArrowSchema *children[] = {&part};
    struct ArrowSchema schema = {.format = "+s",
                                 .name = "",
                                 .n_children = 1,
                                 .children = children,
                                 .release = release_schema};
    struct ArrowArrayStream stream = {.get_schema = foreign_schema,
                                      .get_next = foreign_next,
                                      .release = foreign_release,
                                      .private_data = &schema};
    const frz_print_options options = as(FRZ_ROW_FORMAT_JSONL);
    frz_error *err = NULL;
    frz_buffer out = {0};
    foreign_batch = &batch;
    CHECK_OK(frz_rows_print(&stream, &options, append_text, &out, NULL, &err), err);
    frz_buffer_append_byte(&out, 0);
    assert_string_equal((const char *)out.data, "{\"x\":1.0}\n{\"x\":-2.0}\n{\"x\":-0.0}\n"
                                                "{\"x\":5.9604645e-8}\n{\"x\":\"NaN\"}\n"
                                                "{\"x\":\"-Infinity\"}\n");
    frz_buffer_clear(&out);
}

static void test_a_type_without_text_is_refused_by_name(void **state)
{
    (void)state;
    struct ArrowSchema part = {.format = "tDs", .name = "span"};
    struct ArrowSchema *children[] = {&part};
    struct ArrowSchema schema = {.format = "+s",
                                 .name = "",
                                 .n_children = 1,
                                 .children = children,
                                 .release = release_schema};
    struct ArrowArrayStream stream = {.get_schema = foreign_schema,
                                      .get_next = foreign_next,
                                      .release = foreign_release,
                                      .private_data = &schema};
    const frz_print_options options = as(FRZ_ROW_FORMAT_JSONL);
    frz_error *err = NULL;
    frz_buffer out = {0};
    CHECK_FAILS(frz_rows_print(&stream, &options, append_text, &out, NULL, &err), FRZ_UNSUPPORTED,
                err, "column span: the Arrow type tDs has no text form");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv_quotes_what_must_be_and_keeps_null_apart),
        cmocka_unit_test(test_json_is_one_array),
        cmocka_unit_test(test_a_table_lines_up),
        cmocka_unit_test(test_a_table_cannot_drive_a_terminal),
        cmocka_unit_test(test_a_table_fits_the_terminal),
        cmocka_unit_test(test_a_long_table_has_one_heading),
        cmocka_unit_test(test_a_writer_that_fails_stops_the_printing),
        cmocka_unit_test(test_offsets_large_types_views_and_dictionaries_print),
        cmocka_unit_test(test_half_floats_are_printed_as_the_floats_they_are),
        cmocka_unit_test(test_a_type_without_text_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
