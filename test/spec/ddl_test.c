/* Covers: spec/ddl spec/ddl_print */
#include "harness.h"

#include "spec/ddl.h"

static frz_schema *parsed(const char *text)
{
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text(text), &schema, &err), err);
    return schema;
}

static void check_type(const char *text, const char *want)
{
    frz_buffer printed = {0};
    frz_schema *schema = parsed(text);
    frz_type_print(frz_schema_type(schema), &printed);
    if (!frz_slice_is_text(frz_buffer_slice(&printed), want))
        fail_msg("%s: %.*s", text, (int)printed.size, (const char *)printed.data);
    frz_buffer_clear(&printed);
    frz_schema_unref(schema);
}

static void test_every_name_of_every_type(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"boolean", "boolean"},
        {"BOOL", "boolean"},
        {"int", "int"},
        {"Integer", "int"},
        {"tinyint", "int"},
        {"smallint", "int"},
        {"byte", "int"},
        {"short", "int"},
        {"long", "long"},
        {"bigint", "long"},
        {"float", "float"},
        {"real", "float"},
        {"double", "double"},
        {"double precision", "double"},
        {"decimal", "decimal(10, 0)"},
        {"decimal(5)", "decimal(5, 0)"},
        {"decimal(38,2)", "decimal(38, 2)"},
        {"numeric( 9 , 2 )", "decimal(9, 2)"},
        {"dec(9,9)", "decimal(9, 9)"},
        {"date", "date"},
        {"time", "time"},
        {"timestamp", "timestamp"},
        {"timestamp_ntz", "timestamp"},
        {"timestamp(6)", "timestamp"},
        {"timestamp(9)", "timestamp_ns"},
        {"timestamp without time zone", "timestamp"},
        {"timestamp with time zone", "timestamptz"},
        {"timestamp(6) with time zone", "timestamptz"},
        {"timestamp(9) with time zone", "timestamptz_ns"},
        {"timestamp_ltz", "timestamptz"},
        {"timestamptz", "timestamptz"},
        {"timestamptz(9)", "timestamptz_ns"},
        {"timestamp_ns", "timestamp_ns"},
        {"timestamptz_ns", "timestamptz_ns"},
        {"string", "string"},
        {"text", "string"},
        {"varchar", "string"},
        {"varchar(255)", "string"},
        {"char(1)", "string"},
        {"uuid", "uuid"},
        {"fixed(16)", "fixed[16]"},
        {"fixed[16]", "fixed[16]"},
        {"binary", "binary"},
        {"varbinary", "binary"},
        {"bytea", "binary"},
        {"unknown", "unknown"},
        {"void", "unknown"},
        {"variant", "variant"},
        {"geometry", "geometry(OGC:CRS84)"},
        {"geometry(srid:3857)", "geometry(srid:3857)"},
        {"geography", "geography(OGC:CRS84, spherical)"},
        {"geography(EPSG:4326, karney)", "geography(EPSG:4326, karney)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        char want[128];
        (void)snprintf(text, sizeof text, "c %s", rows[i][0]);
        (void)snprintf(want, sizeof want, "struct<1: c: optional %s>", rows[i][1]);
        check_type(text, want);
    }
}

/* As Java assigns them: a level before what is inside of it (report D004: the highest id counts
 * all). */
static void test_nested_types_and_their_ids(void **state)
{
    (void)state;
    check_type("id long not null, t struct<a: int, b int not null>, c int",
               "struct<1: id: required long, 2: t: optional struct<4: a: optional int, "
               "5: b: required int>, 3: c: optional int>");
    check_type("l list<int not null>, a array<struct<x:int>>, m map<string, list<long> not null>",
               "struct<1: l: optional list<int>, 2: a: optional list<struct<6: x: optional int>>, "
               "3: m: optional map<string, list<long>>>");
    frz_schema *schema = parsed("l list<int not null>, m map<string, struct<v: int> not null>,"
                                "r row<\"a b\": map<struct<k int>, int>>");
    static const struct {
        const char *path;
        int32_t id;
        bool required;
    } rows[] = {{"l.element", 4, true},     {"m.key", 5, true},        {"m.value", 6, true},
                {"m.value.v", 7, false},    {"r.a b", 8, false},       {"r.a b.key", 9, true},
                {"r.a b.value", 10, false}, {"r.a b.key.k", 11, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const frz_field *field =
            frz_schema_find_name(schema, frz_slice_of_text(rows[i].path), true);
        CHECK(field && field->id == rows[i].id && field->required == rows[i].required);
    }
    CHECK(frz_schema_highest_id(schema) == 11);
    frz_schema_unref(schema);
}

static void test_options_in_any_order(void **state)
{
    (void)state;
    static const char *const rows[] = {"a int not null default 5 comment 'x''y'",
                                       "a int comment 'x''y' default 5 NOT NULL",
                                       "\"a\" int Default 5 comment 'x''y' not null",
                                       "`a`: int not null comment 'x''y' DEFAULT 5"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_schema *schema = parsed(rows[i]);
        const frz_field *field = frz_schema_field_at(schema, 0);
        assert_string_equal(field->name, "a");
        assert_string_equal(field->doc, "x'y");
        CHECK(field->required && field->write_default->integer == 5);
        CHECK(field->initial_default == NULL); /* "at create it sets the write default alone" */
        frz_schema_unref(schema);
    }
    frz_schema *schema = parsed("a int null, s struct<x: int default -1 comment 'in'>");
    CHECK(!frz_schema_field_at(schema, 0)->required);
    const frz_field *x = frz_schema_find_name(schema, frz_slice_of_text("s.x"), true);
    CHECK(x->write_default->integer == -1);
    assert_string_equal(x->doc, "in");
    frz_schema_unref(schema);
}

static void test_keywords_may_be_names(void **state)
{
    (void)state;
    check_type("not int, default int not null, comment string, date date, int int",
               "struct<1: not: optional int, 2: default: required int, 3: comment: optional "
               "string, 4: date: optional date, 5: int: optional int>");
}

/* The literal of each type, and how describe prints it. */
static void test_defaults_of_every_type(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"a boolean default true", NULL},
        {"a int default -5", NULL},
        {"a int default +5", "a int default 5"},
        {"a int default '5'", "a int default 5"},
        {"a long default 9223372036854775807", NULL},
        {"a long default -9223372036854775808", NULL},
        {"a float default 0.1", NULL},
        {"a double default 1e300", NULL},
        {"a double default -1.5e-3", "a double default -0.0015"},
        {"a double default nan", "a double default NaN"},
        {"a double default -infinity", "a double default -Infinity"},
        {"a decimal(9, 2) default 14.2", "a decimal(9, 2) default 14.20"},
        {"a decimal(38, 38) default -0.99999999999999999999999999999999999999", NULL},
        {"a date default '1969-12-31'", NULL},
        {"a date default date '1969-12-31'", "a date default '1969-12-31'"},
        {"a time default time '10:00'", "a time default '10:00:00.000000'"},
        {"a timestamp default timestamp '2024-01-01 00:00:00'",
         "a timestamp default '2024-01-01T00:00:00.000000'"},
        {"a timestamptz default timestamp '2024-01-01T00:00:00Z'",
         "a timestamptz default '2024-01-01T00:00:00.000000Z'"},
        {"a timestamptz_ns default timestamptz_ns '1969-12-31T23:59:59.999999999Z'",
         "a timestamptz_ns default '1969-12-31T23:59:59.999999999Z'"},
        {"a string default 'it''s'", NULL},
        {"a string default ''", NULL},
        {"a uuid default uuid 'f79c3e09-677c-4bbd-a479-3f349cb785e7'",
         "a uuid default 'f79c3e09-677c-4bbd-a479-3f349cb785e7'"},
        {"a fixed[2] default X'00ff'", "a fixed[2] default 0x00ff"},
        {"a binary default 0x", NULL},
        {"a binary default '0x01'", "a binary default 0x01"},
        {"a int default null", "a int"},
        {"a unknown default null", "a unknown"},
        {"a struct<x: int default 3> default {}", NULL},
        {"a list<struct<x: int>> default []", NULL},
        {"a list<int> default []", NULL},
        {"a map<string, int> default {}", NULL},
        {"a list<string not null> default '[\"x''y\"]'", NULL},
        {"a map<string, int> default '{\"keys\":[\"k\"],\"values\":[1]}'", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_buffer printed = {0};
        const char *want = rows[i][1] ? rows[i][1] : rows[i][0];
        frz_schema *schema = parsed(rows[i][0]);
        frz_ddl_print_schema(schema, &printed);
        if (!frz_slice_is_text(frz_buffer_slice(&printed), want))
            fail_msg("%s: %.*s", rows[i][0], (int)printed.size, (const char *)printed.data);
        frz_buffer_append_byte(&printed, 0);
        frz_schema *again = parsed((const char *)printed.data);
        CHECK(frz_type_equal(frz_schema_type(schema), frz_schema_type(again)));
        frz_schema_unref(again);
        frz_schema_unref(schema);
        frz_buffer_clear(&printed);
    }
}

static void test_prints_what_it_reads(void **state)
{
    (void)state;
    static const char text[] =
        "id long not null comment 'the key', \"a \"\"b\" list<struct<x: map<string, int not null>, "
        "\"9\": decimal(38, 10) not null default 1.0000000000> not null>, g geography(OGC:CRS84, "
        "karney), \"caf\xc3\xa9\" string default 'x' comment ''";
    frz_buffer printed = {0};
    frz_schema *schema = parsed(text);
    frz_ddl_print_schema(schema, &printed);
    if (!frz_slice_is_text(frz_buffer_slice(&printed), text))
        fail_msg("%.*s", (int)printed.size, (const char *)printed.data);
    frz_buffer_clear(&printed);
    frz_schema_unref(schema);
}

static void test_refuses_with_the_column_of_the_fault(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t offset;
        const char *message;
    } rows[] = {
        {"", 0, "schema: expected a column name, got the end"},
        {"a", 1, "schema: expected a type, got the end"},
        {"a int,", 6, "schema: expected a column name, got the end"},
        {"a int b int", 6, "schema: expected \",\", not null, default, comment or the end of the"},
        {"a blob", 2, "schema: expected a type, got blob"},
        {"a int, A int, a string", 14, "schema: a second column named a"},
        {"9col int", 0, "schema: expected a column name, got 9col"},
        {"\"\" int", 0, "expected a column name, got \"\""},
        {"a decimal(39,2)", 2, "P from 1 to 38"},
        {"a decimal(9,2", 13, "expected \")\", got the end"},
        {"a fixed", 2, "fixed[L] with a length L"},
        {"a varchar(x)", 10, "expected a length, got x"},
        {"a timestamp(3)", 12, "expected 6 or 9 digits of a second, got 3"},
        {"a timestamp with zone", 17, "expected time, got zone"},
        {"a geography(x, flat)", 2, "\"flat\" is not known"},
        {"a list", 6, "expected \"<\", got the end"},
        {"a list<int", 10, "expected \">\", got the end"},
        {"a map<int>", 9, "expected \",\", got >"},
        {"a struct<>", 9, "expected a column name, got >"},
        {"a struct<x: int, x: int>", 17, "a second column named x"},
        {"a int not", 9, "expected null, got the end"},
        {"a int not null not null", 15, "expected null or not null once"},
        {"a int null not null", 11, "expected null or not null once"},
        {"a int default 1 default 2", 16, "expected one default"},
        {"a int comment 'x' comment 'y'", 18, "expected one comment"},
        {"a int comment x", 14, "expected a text in single quotes, got x"},
        {"a int default", 13, "expected a literal of the column's type, got the end"},
        {"a int default 2147483648", 14, "is no int: expected a whole number of 32 bits"},
        {"a int default x", 14, "expected a literal of the column's type, got x"},
        {"a int default - 5", 16, "expected a number, got 5"},
        {"a int default {}", 14, "expected a literal of the column's type, got {"},
        {"a string default 5", 17, "expected a literal of the column's type, got 5"},
        {"a string default date '2024-01-01'", 17, "expected a literal of the column's type"},
        {"a string default X'00'", 17, "expected a literal of the column's type, got X"},
        {"a date default date 5", 20, "expected a text in single quotes, got 5"},
        {"a date default '2024-02-30'", 15, "is no date"},
        {"a binary default X'0'", 17, "two hexadecimal digits"},
        {"a list<int> default {}", 20, "expected a literal of the column's type, got {"},
        {"a list<int> default '[1'", 20, "expected"},
        {"a struct<x: int> default {\"x\": 1}", 25, "a struct's default may only be {}"},
        {"a struct<x: int> default '{\"2\": 1}'", 25, "structs inside of a default are not"},
        {"a map<int, list<struct<x: int>>> default '{}'", 41,
         "structs inside of a default are not"},
        {"a variant default 1", 18, "a variant has no literal"},
        {"a int, b unknown not null", 7, "a column of type unknown cannot be required"},
        {"a list<unknown not null>", 7, "a column of type unknown cannot be required"},
        {"a 'int'", 2, "expected a type, got 'int'"},
        {"a int; drop", 5, "got ;"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        frz_schema *schema = NULL;
        uint64_t offset = 999;
        CHECK(frz_ddl_parse_schema(frz_slice_of_text(rows[i].text), &schema, &err) == FRZ_INVALID);
        CHECK(schema == NULL && frz_error_offset(err, &offset));
        if (offset != rows[i].offset || !strstr(frz_error_message(err), rows[i].message))
            fail_msg("%s: %d %s", rows[i].text, (int)offset, frz_error_message(err));
        frz_error_free(err);
    }
}

static void test_limits_type_parameters(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *message; /* NULL: read */
    } rows[] = {{200, NULL},
                {201, "a coordinate reference system of more than 200 bytes"},
                {241, "type parameters of more than 240 bytes"}};
    for (size_t i = 0; i < 3; i++) {
        frz_buffer text = {0};
        frz_error *err = NULL;
        frz_schema *schema = NULL;
        frz_buffer_append_text(&text, "a geography(");
        frz_buffer_append_fill(&text, 'x', rows[i].size);
        frz_buffer_append_byte(&text, ')');
        if (rows[i].message)
            CHECK_FAILS(frz_ddl_parse_schema(frz_buffer_slice(&text), &schema, &err), FRZ_INVALID,
                        err, rows[i].message);
        else
            CHECK_OK(frz_ddl_parse_schema(frz_buffer_slice(&text), &schema, &err), err);
        frz_schema_unref(schema);
        frz_buffer_clear(&text);
    }
}

static void test_refuses_what_java_could_not_name(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_FAILS(
        frz_ddl_parse_schema(frz_slice_of_text("a struct<b: int>, \"a.b\" int"), &schema, &err),
        FRZ_INVALID, err, "two columns named a.b");
}

static void test_limits_depth(void **state)
{
    (void)state;
    frz_buffer text = {0};
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    frz_buffer_append_text(&text, "a ");
    for (int i = 0; i < 200; i++)
        frz_buffer_append_text(&text, "list<");
    frz_buffer_append_text(&text, "int");
    frz_buffer_append_fill(&text, '>', 200);
    CHECK_FAILS(frz_ddl_parse_schema(frz_buffer_slice(&text), &schema, &err), FRZ_INVALID, err,
                "limit nesting_depth");
    frz_buffer_clear(&text);
}

static void parse_and_print_once(void)
{
    static const char text[] = "a long not null default 5 comment 'x', s struct<x: list<int>, "
                               "d: decimal(9, 2) default 1.00>, m map<string, int> default "
                               "'{\"keys\":[\"k\"],\"values\":[1]}'";
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    frz_buffer printed = {0};
    frz_status status = frz_ddl_parse_schema(frz_slice_of_text(text), &schema, &err);
    if (status == FRZ_OK) {
        frz_ddl_print_schema(schema, &printed);
        status = frz_buffer_check(&printed, &err);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_buffer_clear(&printed);
    frz_schema_unref(schema);
    frz_error_free(err);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(parse_and_print_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name_of_every_type),
        cmocka_unit_test(test_nested_types_and_their_ids),
        cmocka_unit_test(test_options_in_any_order),
        cmocka_unit_test(test_keywords_may_be_names),
        cmocka_unit_test(test_defaults_of_every_type),
        cmocka_unit_test(test_prints_what_it_reads),
        cmocka_unit_test(test_refuses_with_the_column_of_the_fault),
        cmocka_unit_test(test_limits_type_parameters),
        cmocka_unit_test(test_refuses_what_java_could_not_name),
        cmocka_unit_test(test_limits_depth),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
