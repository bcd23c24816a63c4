/* Covers: text/value_read */
#include "text/jsonl.h"

#include "text/rows_check.h"

static const test_column item_children[] = {{.name = "element", .format = "i"}};
static const test_column string_map[] = {{.name = "key", .format = "u", .required = true},
                                         {.name = "value", .format = "l"}};
static const test_column string_entries[] = {{.name = "entries",
                                              .format = "+s",
                                              .required = true,
                                              .children = string_map,
                                              .child_count = 2}};
static const test_column int_map[] = {{.name = "key", .format = "i", .required = true},
                                      {.name = "value", .format = "u"}};
static const test_column int_entries[] = {
    {.name = "entries", .format = "+s", .required = true, .children = int_map, .child_count = 2}};
static const test_column inner[] = {{.name = "a", .format = "b"},
                                    {.name = "b", .format = "u", .required = true}};
static const test_column columns[] = {
    {.name = "flag", .format = "b"},
    {.name = "i", .format = "i"},
    {.name = "l", .format = "l"},
    {.name = "f", .format = "f"},
    {.name = "d", .format = "g"},
    {.name = "dec", .format = "d:38,2"},
    {.name = "day", .format = "tdD"},
    {.name = "t", .format = "ttu"},
    {.name = "ts", .format = "tsu:"},
    {.name = "tz", .format = "tsu:UTC"},
    {.name = "tns", .format = "tsn:UTC"},
    {.name = "s", .format = "u"},
    {.name = "u", .format = "w:16", .uuid = true},
    {.name = "fx", .format = "w:2"},
    {.name = "bin", .format = "z"},
    {.name = "none", .format = "n"},
    {.name = "list", .format = "+l", .children = item_children, .child_count = 1},
    {.name = "m", .format = "+m", .children = string_entries, .child_count = 1},
    {.name = "im", .format = "+m", .children = int_entries, .child_count = 1},
    {.name = "st", .format = "+s", .children = inner, .child_count = 2},
};
static const test_column all = TEST_SCHEMA(columns);
static const frz_print_options jsonl = {.struct_size = sizeof jsonl,
                                        .format = FRZ_ROW_FORMAT_JSONL};

static const char full_row[] =
    "{\"flag\":true,\"i\":-2147483648,\"l\":9223372036854775807,\"f\":0.1,\"d\":1e300,"
    "\"dec\":\"999999999999999999999999999999999999.99\",\"day\":\"2026-01-02\","
    "\"t\":\"22:31:08.000001\",\"ts\":\"2017-11-16T22:31:08.000001\","
    "\"tz\":\"1969-12-31T23:59:59.999999Z\",\"tns\":\"2017-11-16T22:31:08.000001001Z\","
    "\"s\":\"\xc3\xa4 \\\"q\\\"\",\"u\":\"f79c3e09-677c-4bbd-a479-3f349cb785e7\",\"fx\":\"0x00ff\","
    "\"bin\":\"0x\",\"none\":null,\"list\":[1,null,3],\"m\":{\"a\":1,\"b\":null},"
    "\"im\":[[1,\"x\"],[2,null]],\"st\":{\"a\":false,\"b\":\"y\"}}\n";

static void test_every_type_reads_as_it_prints(void **state)
{
    (void)state;
    check_converts("a.jsonl", full_row, &all, &jsonl, full_row);
}

static void test_missing_fields_are_null_and_order_is_free(void **state)
{
    (void)state;
    const test_column some[] = {{.name = "a", .format = "l"}, {.name = "b", .format = "u"}};
    const test_column root = TEST_SCHEMA(some);
    check_converts("a.jsonl", "{\"b\":\"x\",\"a\":1}\n\n{}\n  {\"a\": 2 }\r\n{\"b\":null}", &root,
                   &jsonl,
                   "{\"a\":1,\"b\":\"x\"}\n{\"a\":null,\"b\":null}\n{\"a\":2,\"b\":null}\n"
                   "{\"a\":null,\"b\":null}\n");
}

/* "The write default for a field must be written if a field is not supplied to a write"; null is
 * supplied. */
static void test_a_missing_field_gets_its_write_default(void **state)
{
    (void)state;
    const test_column some[] = {
        {.name = "a", .format = "l", .write_default = "7"},
        {.name = "b", .format = "u", .required = true, .write_default = "\"x\""},
        {.name = "c", .format = "d:9,2", .write_default = "\"1.50\""}};
    const test_column root = TEST_SCHEMA(some);
    check_converts("a.jsonl", "{}\n{\"a\":null,\"b\":\"y\",\"c\":2}\n", &root, &jsonl,
                   "{\"a\":7,\"b\":\"x\",\"c\":\"1.50\"}\n"
                   "{\"a\":null,\"b\":\"y\",\"c\":\"2.00\"}\n");
}

static const test_column point[] = {
    {.name = "x", .format = "i", .write_default = "1"},
    {.name = "y", .format = "i", .required = true, .write_default = "2"},
    {.name = "z", .format = "u"}};
static const test_column held_point[] = {
    {.name = "element", .format = "+s", .children = point, .child_count = 3}};
static const test_column strict[] = {{.name = "x", .format = "i", .required = true}};

/* The table of "Default values": a struct's default is null or {}, its fields have their own. */
static void test_missing_members_of_structs_get_theirs(void **state)
{
    (void)state;
    const test_column some[] = {
        {.name = "n", .format = "+s", .children = point, .child_count = 3},
        {.name = "e", .format = "+s", .write_default = "{}", .children = point, .child_count = 3},
        {.name = "l", .format = "+l", .children = held_point, .child_count = 1}};
    const test_column root = TEST_SCHEMA(some);
    check_converts("a.jsonl",
                   "{}\n"
                   "{\"n\":{\"x\":3},\"e\":{\"y\":-1},\"l\":[{},{\"x\":null,\"z\":\"q\"}]}\n"
                   "{\"n\":{},\"e\":null}\n",
                   &root, &jsonl,
                   "{\"n\":null,\"e\":{\"x\":1,\"y\":2,\"z\":null},\"l\":null}\n"
                   "{\"n\":{\"x\":3,\"y\":2,\"z\":null},\"e\":{\"x\":1,\"y\":-1,\"z\":null},"
                   "\"l\":[{\"x\":1,\"y\":2,\"z\":null},{\"x\":null,\"y\":2,\"z\":\"q\"}]}\n"
                   "{\"n\":{\"x\":1,\"y\":2,\"z\":null},\"e\":null,\"l\":null}\n");
}

static void test_a_missing_field_without_default_is_refused_where_it_is_required(void **state)
{
    (void)state;
    const test_column some[] = {
        {.name = "a", .format = "l", .required = true},
        {.name = "s", .format = "+s", .write_default = "{}", .children = strict, .child_count = 1}};
    const test_column root = TEST_SCHEMA(some);
    check_refuses("a.jsonl", "{\"a\":1,\"s\":null}\n{}\n", &root, FRZ_INVALID,
                  "a.jsonl:2: column a: the field is missing; it is required and has no write "
                  "default");
    check_refuses("a.jsonl", "{\"a\":1,\"s\":{}}\n", &root, FRZ_INVALID,
                  "a.jsonl:1: column s: column x: the field is missing");
    check_refuses("a.jsonl", "{\"a\":1}\n", &root, FRZ_INVALID,
                  "a.jsonl:1: column s: column x: the field is missing");
    const test_column listed[] = {{.name = "l",
                                   .format = "+l",
                                   .write_default = "[1]",
                                   .children = item_children,
                                   .child_count = 1}};
    const test_column holder = TEST_SCHEMA(listed);
    check_refuses("a.jsonl", "{\"l\":null}\n{}\n", &holder, FRZ_UNSUPPORTED,
                  "a.jsonl:2: column l: the field is missing, and write defaults of lists");
}

static void test_other_forms_of_values_are_accepted_exactly(void **state)
{
    (void)state;
    const test_column some[] = {
        {.name = "l", .format = "l"},
        {.name = "dec", .format = "d:10,2"},
        {.name = "d", .format = "g"},
        {.name = "tz", .format = "tsu:UTC"},
        {.name = "im", .format = "+m", .children = int_entries, .child_count = 1}};
    const test_column root = TEST_SCHEMA(some);
    check_converts(
        "a.jsonl",
        "{\"l\":\"4598286611352242717\",\"dec\":14.2,\"d\":\"NaN\","
        "\"tz\":\"2017-11-16T14:31:08-08:00\",\"im\":{\"7\":\"x\"}}\n"
        "{\"l\":1e3,\"dec\":\"1e2\",\"d\":\"-Infinity\",\"tz\":\"2017-11-16 22:31:08\"}\n",
        &root, &jsonl,
        "{\"l\":4598286611352242717,\"dec\":\"14.20\",\"d\":\"NaN\","
        "\"tz\":\"2017-11-16T22:31:08.000000Z\",\"im\":[[7,\"x\"]]}\n"
        "{\"l\":1000,\"dec\":\"100.00\",\"d\":\"-Infinity\","
        "\"tz\":\"2017-11-16T22:31:08.000000Z\",\"im\":null}\n");
}

static void test_errors_name_file_line_and_column(void **state)
{
    (void)state;
    check_refuses("a.jsonl", "{}\n{\"x\":1}\n", &all, FRZ_INVALID,
                  "a.jsonl:2: unknown field \"x\"");
    check_refuses("a.jsonl", "{\"i\":1,\"i\":2}\n", &all, FRZ_INVALID, "repeated field \"i\"");
    check_refuses("a.jsonl", "{\"i\":2147483648}\n", &all, FRZ_INVALID,
                  "column i: \"2147483648\" is no int: expected a whole number of 32 bits");
    check_refuses("a.jsonl", "{\"i\":1.5}\n", &all, FRZ_INVALID, "column i:");
    check_refuses("a.jsonl", "{\"s\":1}\n", &all, FRZ_INVALID,
                  "a.jsonl:1: column s: expected string, got a number");
    check_refuses("a.jsonl", "{\"flag\":\"yes\"}\n", &all, FRZ_INVALID, "column flag:");
    check_refuses("a.jsonl", "{\"i\":true}\n", &all, FRZ_INVALID, "got a boolean");
    check_refuses("a.jsonl", "{\"i\":[]}\n", &all, FRZ_INVALID, "got an array");
    check_refuses("a.jsonl", "{\"dec\":\"1.005\"}\n", &all, FRZ_INVALID, "needs no rounding");
    check_refuses("a.jsonl", "{\"ts\":\"2017-11-16T22:31:08Z\"}\n", &all, FRZ_INVALID,
                  "no time zone");
    check_refuses("a.jsonl", "{\"fx\":\"0x01\"}\n", &all, FRZ_INVALID, "column fx:");
    check_refuses("a.jsonl", "{\"st\":{\"a\":true}}\n", &all, FRZ_INVALID,
                  "column st: column b: the field is missing; it is required");
    check_refuses("a.jsonl", "{\"im\":[[1]]}\n", &all, FRZ_INVALID, "pairs of key and value");
    check_refuses("a.jsonl", "{\"im\":[[1,\"a\",2]]}\n", &all, FRZ_INVALID, "pairs");
    check_refuses("a.jsonl", "{\"im\":[[null,\"a\"]]}\n", &all, FRZ_INVALID,
                  "null in a required column");
    check_refuses("a.jsonl", "[]\n", &all, FRZ_CORRUPT, "a.jsonl:1: expected one JSON object");
    check_refuses("a.jsonl", "{} {}\n", &all, FRZ_CORRUPT, "expected the end");
    check_refuses("a.jsonl", "{\"i\":\n1}\n", &all, FRZ_CORRUPT, "a.jsonl:1: column i:");
    check_refuses("a.jsonl", "{\"f\":1e400}\n", &all, FRZ_INVALID, "within its range");
}

static void test_damaged_lines_are_safe(void **state)
{
    (void)state;
    uint32_t seed = 11;
    for (int i = 0; i < 3000; i++) {
        char bytes[sizeof full_row];
        memcpy(bytes, full_row, sizeof full_row);
        seed = seed * 1664525 + 1013904223;
        bytes[(seed >> 8) % (sizeof full_row - 1)] = (char)(seed >> 24);
        frz_buffer out = {0};
        const frz_status status =
            convert_n("a.jsonl", bytes, sizeof full_row - 1, &all, &jsonl, &out, NULL);
        CHECK(status == FRZ_OK || status == FRZ_INVALID || status == FRZ_CORRUPT);
        frz_buffer_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_reads_as_it_prints),
        cmocka_unit_test(test_missing_fields_are_null_and_order_is_free),
        cmocka_unit_test(test_a_missing_field_gets_its_write_default),
        cmocka_unit_test(test_missing_members_of_structs_get_theirs),
        cmocka_unit_test(test_a_missing_field_without_default_is_refused_where_it_is_required),
        cmocka_unit_test(test_other_forms_of_values_are_accepted_exactly),
        cmocka_unit_test(test_errors_name_file_line_and_column),
        cmocka_unit_test(test_damaged_lines_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
