/* Covers: text/guess text/csv_columns text/dialect */
#include "text/shape.h"

#include "text/csv.h"
#include "text/guess.h"
#include "text/rows_check.h"

static const test_column pair[] = {{.name = "key", .format = "u", .required = true},
                                   {.name = "value", .format = "u"}};
static const test_column string_map[] = {
    {.name = "entries", .format = "+s", .required = true, .children = pair, .child_count = 2}};
static const test_column inner_columns[] = {{.name = "x", .format = "l"},
                                            {.name = "y", .format = "l"}};
static const test_column outer_columns[] = {
    {.name = "a", .format = "l"},
    {.name = "s", .format = "+s", .children = inner_columns, .child_count = 2},
    {.name = "b", .format = "u"},
    {.name = "m", .format = "+m", .children = string_map, .child_count = 1},
};

/* The names that are left, nested ones in parentheses. */
static void print_names(const struct ArrowSchema *schema, frz_buffer *out)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        frz_buffer_append_text(out, i ? " " : "");
        frz_buffer_append_text(out, schema->children[i]->name);
        if (strcmp(schema->children[i]->format, "+s") != 0)
            continue;
        frz_buffer_append_text(out, "(");
        print_names(schema->children[i], out);
        frz_buffer_append_text(out, ")");
    }
}

static frz_status members_of(const char *lines, struct ArrowSchema *out, frz_error **err)
{
    static const test_column root = TEST_SCHEMA(outer_columns);
    struct ArrowSchema schema;
    frz_io *io = memory_with("a.jsonl", lines, strlen(lines));
    fill_schema(&schema, &root);
    frz_rows_options options = FRZ_ROWS_OPTIONS_INIT;
    options.schema = &schema;
    options.present_only = true;
    const frz_status status = frz_jsonl_shape("a.jsonl", io, &options, out, err);
    frz_arrow_schema_clear(&schema);
    frz_io_free(io);
    return status;
}

static void test_members_are_those_that_a_line_has(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        const char *want;
    } cases[] = {
        {"{\"a\": 1}\n", "a"},
        {"{\"b\": null}\n\n{\"a\": 2}\n", "a b"},
        {"{\"s\": {\"y\": 1}}\n{\"s\": null}\n", "s(y)"},
        {"{\"s\": null, \"a\": 1}\n", "a s(x y)"},
        {"{\"s\": {\"z\": {\"x\": 1}}, \"c\": 1}\n", "s(x y)"},
        {"{\"m\": {\"x\": \"1\"}, \"s\": {\"y\": 2, \"x\": 1}}\n", "s(x y) m"},
        {"", "a s(x y) b m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_error *err = NULL;
        struct ArrowSchema schema = {0};
        frz_buffer names = {0};
        CHECK_OK(members_of(cases[i].lines, &schema, &err), err);
        print_names(&schema, &names);
        frz_buffer_append_byte(&names, 0);
        assert_string_equal((const char *)names.data, cases[i].want);
        frz_buffer_clear(&names);
        frz_arrow_schema_clear(&schema);
    }
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    CHECK_FAILS(members_of("{\"a\": 1}\n{\"a\": }\n", &schema, &err), FRZ_CORRUPT, err,
                "a.jsonl:2");
}

/* "id l, s(x l, y[u])": names and Arrow formats. */
static void print_types(const struct ArrowSchema *schema, frz_buffer *out)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *child = schema->children[i];
        frz_buffer_append_text(out, i ? ", " : "");
        frz_buffer_append_text(out, child->name);
        frz_buffer_append_text(out, " ");
        frz_buffer_append_text(out, child->format);
        if (child->n_children == 0)
            continue;
        frz_buffer_append_text(out, "(");
        print_types(child, out);
        frz_buffer_append_text(out, ")");
    }
}

static frz_status infer(const char *name, const char *text, const frz_rows_options *given,
                        frz_buffer *out, frz_error **err)
{
    frz_rows_options options = *given;
    struct ArrowSchema schema = {0};
    frz_io *io = memory_with(name, text, strlen(text));
    options.infer = true;
    const frz_status status = strcmp(name, "a.csv") == 0
                                  ? frz_csv_columns(name, io, &options, &schema, err)
                                  : frz_jsonl_shape(name, io, &options, &schema, err);
    if (status == FRZ_OK)
        print_types(&schema, out);
    frz_arrow_schema_clear(&schema);
    frz_io_free(io);
    return status;
}

static void check_infers(const char *name, const char *text, const frz_rows_options *options,
                         const char *want)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    CHECK_OK(infer(name, text, options, &out, &err), err);
    frz_buffer_append_byte(&out, 0);
    assert_string_equal((const char *)out.data, want);
    frz_buffer_clear(&out);
}

static void check_infers_nothing(const char *name, const char *text,
                                 const frz_rows_options *options, frz_status want,
                                 const char *message)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    CHECK_FAILS(infer(name, text, options, &out, &err), want, err, message);
}

static const frz_rows_options plain = FRZ_ROWS_OPTIONS_INIT;

static void test_types_of_lines_are_told_by_their_values(void **state)
{
    (void)state;
    check_infers("a.jsonl",
                 "{\"i\": 1, \"f\": 1, \"b\": true, \"n\": null, \"t\": \"x\"}\n"
                 "{\"i\": -9223372036854775808, \"f\": 0.5, \"n\": null, \"t\": null}\n",
                 &plain, "i l, f g, b b, n u, t u");
    check_infers("a.jsonl",
                 "{\"d\": \"2026-01-02\", \"t\": \"2026-01-02T03:04:05\", \"z\": "
                 "\"2026-01-02 03:04:05.5+01:00\", \"n\": \"2026-01-02T03:04:05.123456789\", "
                 "\"w\": \"2026-02-30\", \"v\": \"7\"}\n",
                 &plain, "d tdD, t tsu:, z tsu:UTC, n tsn:, w u, v u");
    check_infers("a.jsonl", "{\"a\": 9223372036854775808}\n{\"a\": 1}\n", &plain, "a d:38,0");
    check_infers("a.jsonl", "{\"a\": 9223372036854775808}\n{\"a\": 1e5}\n", &plain, "a g");
    check_infers("a.jsonl", "{\"a\": \"2026-01-02\"}\n{\"a\": \"soon\"}\n", &plain, "a u");
    check_infers("a.jsonl",
                 "{\"s\": {\"x\": 1}}\n{\"s\": {\"y\": [\"a\", null]}, \"l\": [{\"p\": 1}, {\"q\": "
                 "true}], \"e\": []}\n",
                 &plain, "s +s(x l, y +l(element u)), l +l(element +s(p l, q b)), e +l(element u)");
    check_infers_nothing("a.jsonl", "{\"a\": {\"b\": 1}}\n{\"a\": {\"b\": \"x\"}}\n", &plain,
                         FRZ_INVALID,
                         "a.jsonl: column a: column b: it holds numbers in some lines and texts in "
                         "others");
    check_infers_nothing("a.jsonl", "{\"a\": {\"b\": 1}}\n{\"a\": [1]}\n", &plain, FRZ_INVALID,
                         "column a: it holds objects in some lines and arrays in others");
    check_infers_nothing("a.jsonl", "{\"a\": 1}\n{\"a\": true}\n", &plain, FRZ_INVALID,
                         "numbers in some lines and booleans in others");
    check_infers_nothing("a.jsonl", "{\"a\": {}}\n", &plain, FRZ_INVALID,
                         "column a: objects without members have no type");
    check_infers_nothing("a.jsonl", "[1]\n", &plain, FRZ_INVALID, "a.jsonl: it holds objects");
}

static void test_what_the_schema_lacks_follows_it(void **state)
{
    (void)state;
    static const test_column items[] = {
        {.name = "element", .format = "+s", .children = inner_columns, .child_count = 2}};
    static const test_column columns[] = {
        {.name = "id", .format = "i", .required = true},
        {.name = "s", .format = "+s", .children = inner_columns, .child_count = 2},
        {.name = "m", .format = "+m", .children = string_map, .child_count = 1},
        {.name = "l", .format = "+l", .children = items, .child_count = 1},
    };
    static const test_column root = TEST_SCHEMA(columns);
    struct ArrowSchema schema;
    frz_rows_options options = FRZ_ROWS_OPTIONS_INIT;
    fill_schema(&schema, &root);
    options.schema = &schema;
    static const char text[] = "{\"new\": 1, \"id\": 1, \"s\": {\"z\": \"q\"}, \"m\": {\"k\": "
                               "\"v\"}, \"l\": [{\"w\": 1.5}]}\n";
    check_infers("a.jsonl", text, &options,
                 "id i, s +s(x l, y l, z u), m +m(entries +s(key u, value u)), l +l(element +s(x "
                 "l, y l, w g)), new l");
    options.present_only = true;
    check_infers("a.jsonl", text, &options,
                 "id i, s +s(z u), m +m(entries +s(key u, value u)), l +l(element +s(w g)), new l");
    check_infers("a.jsonl", "{\"ID\": 1}\n", &options, "ID l");
    options.case_insensitive = true;
    check_infers("a.jsonl", "{\"ID\": 1}\n", &options, "id i");
    check_infers("a.csv", "NEW,S,Id\n1,{},7\n", &options, "id i, s +s(x l, y l), NEW l");
    frz_arrow_schema_clear(&schema);
}

static void test_types_of_csv_are_told_by_all_values_or_a_sample(void **state)
{
    (void)state;
    frz_rows_options options = FRZ_ROWS_OPTIONS_INIT;
    check_infers("a.csv",
                 "i,f,b,d,t,z,s,zip,plus,none\n1,1.5,true,2026-01-02,2026-01-02 "
                 "03:04:05,2026-01-02T03:04:05Z,x,00123,+1,\n-2,3,FALSE,,,,,,,\n",
                 &options, "i l, f g, b b, d tdD, t tsu:, z tsu:UTC, s u, zip u, plus u, none u");
    check_infers("a.csv", "a,b\n\"1\",\"\"\n\"2\",3\n", &options, "a l, b u");
    check_infers("a.csv", "a\n123456789012345678901234567890123456789\n", &options, "a u");
    check_infers("a.csv", "a\n1\nx\n", &options, "a u");
    options.sample_rows = 1;
    check_infers("a.csv", "a\n1\nx\n", &options, "a l");
    options.csv = (frz_csv_options){.delimiter = ';', .no_header = true, .date_format = "%d.%m.%y"};
    check_infers("a.csv", "1;31.12.25;x\n", &options, "column1 l, column2 tdD, column3 u");
    check_infers_nothing("a.csv", "", &options, FRZ_CORRUPT, "a.csv: expected rows");
    check_infers_nothing("a.csv", "a,,b\n", &plain, FRZ_INVALID,
                         "a.csv:1: header: column 2 has no name");
    check_infers_nothing("a.csv", "a,b\n1,\"x\n", &plain, FRZ_CORRUPT,
                         "a.csv:2: a quote that is never closed");
}

static void sweep_body(void)
{
    static const char *const texts[] = {"{\"a\": 1, \"s\": {\"x\": [1]}}\n", "a,b\n1,x\n"};
    static const char *const names[] = {"a.jsonl", "a.csv"};
    for (size_t i = 0; i < 2; i++) {
        frz_error *err = NULL;
        frz_io *io = NULL;
        struct ArrowSchema schema = {0};
        frz_rows_options options = FRZ_ROWS_OPTIONS_INIT;
        options.infer = true;
        frz_status status = frz_io_memory_new(&io, &err);
        if (status == FRZ_OK)
            status = frz_io_write_file(io, names[i], frz_slice_of_text(texts[i]), &err);
        if (status == FRZ_OK)
            status = i == 0 ? frz_jsonl_shape(names[i], io, &options, &schema, &err)
                            : frz_csv_columns(names[i], io, &options, &schema, &err);
        CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
        frz_arrow_schema_clear(&schema);
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
        cmocka_unit_test(test_members_are_those_that_a_line_has),
        cmocka_unit_test(test_types_of_lines_are_told_by_their_values),
        cmocka_unit_test(test_what_the_schema_lacks_follows_it),
        cmocka_unit_test(test_types_of_csv_are_told_by_all_values_or_a_sample),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
