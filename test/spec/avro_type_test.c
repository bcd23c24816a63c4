#include "spec/avro_type.h"

#include "avro/schema.h"
#include "harness.h"
#include "spec/ddl.h"

static void expect_name(const char *name, const char *expected)
{
    frz_buffer out = {0};
    frz_avro_name_print(name, &out);
    if (!frz_slice_is_text(frz_buffer_slice(&out), expected))
        fail_msg("%s became %.*s, expected %s", name, (int)out.size, (const char *)out.data,
                 expected);
    frz_buffer_clear(&out);
}

static void d115_names_are_escaped_as_java_does(void **state)
{
    (void)state;
    expect_name("plain_9", "plain_9");
    expect_name("9lives", "_9lives");
    expect_name("a.b", "a_x2Eb");
    expect_name("part name +&", "part_x20name_x20_x2B_x26");
    expect_name("data#1", "data_x231");
    expect_name("_", "_");
    expect_name("\xf0\x9f\x98\x80", "_xD83D_xDE00"); /* UTF-16 units of U+1F600 */
    expect_name("\xff", "_xFF");
}

/* The schema text of a table of one DDL, which the Avro reader must accept. */
static void expect_schema(const char *ddl, const char *expected)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_buffer out = {0};
    frz_schema *schema = NULL;
    const frz_avro_schema *parsed = NULL;
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text(ddl), &schema, &err), err);
    frz_field fields[4] = {0};
    frz_type root = *frz_schema_type(schema);
    for (size_t i = 0; i < root.field_count; i++) { /* as an added column has them */
        fields[i] = root.fields[i];
        fields[i].initial_default = fields[i].write_default;
    }
    root.fields = fields;
    CHECK_OK(frz_rows_avro_schema(&root, "table", &out, &err), err);
    CHECK_OK(frz_avro_schema_parse(frz_buffer_slice(&out), NULL, &arena, &parsed, &err), err);
    frz_buffer whole = {0};
    frz_buffer_printf(&whole, "{\"type\":\"record\",\"name\":\"table\",\"fields\":[%s]}", expected);
    if (frz_slice_compare(frz_buffer_slice(&whole), frz_buffer_slice(&out)) != 0)
        fail_msg("%s\ngot      %.*s\nexpected %.*s", ddl, (int)out.size, (const char *)out.data,
                 (int)whole.size, (const char *)whole.data);
    frz_buffer_clear(&whole);
    frz_buffer_clear(&out);
    frz_arena_clear(&arena);
    frz_schema_unref(schema);
}

/* What stands before and behind the type of an optional first column. */
#define OPTIONAL(type) \
    "{\"name\":\"a\",\"type\":[\"null\"," type "],\"default\":null,\"field-id\":1}"

static void every_primitive_type_has_the_form_of_appendix_a(void **state)
{
    static const struct {
        const char *type;
        const char *expected;
    } cases[] = {
        {"boolean", OPTIONAL("\"boolean\"")},
        {"int", OPTIONAL("\"int\"")},
        {"long", OPTIONAL("\"long\"")},
        {"float", OPTIONAL("\"float\"")},
        {"double", OPTIONAL("\"double\"")},
        {"string", OPTIONAL("\"string\"")},
        {"binary", OPTIONAL("\"bytes\"")},
        {"date", OPTIONAL("{\"type\":\"int\",\"logicalType\":\"date\"}")},
        {"time", OPTIONAL("{\"type\":\"long\",\"logicalType\":\"time-micros\"}")},
        {"timestamp", OPTIONAL("{\"type\":\"long\",\"logicalType\":\"timestamp-micros\","
                               "\"adjust-to-utc\":false}")},
        {"timestamptz", OPTIONAL("{\"type\":\"long\",\"logicalType\":\"timestamp-micros\","
                                 "\"adjust-to-utc\":true}")},
        {"timestamp_ns", OPTIONAL("{\"type\":\"long\",\"logicalType\":\"timestamp-nanos\","
                                  "\"adjust-to-utc\":false}")},
        {"timestamptz_ns", OPTIONAL("{\"type\":\"long\",\"logicalType\":\"timestamp-nanos\","
                                    "\"adjust-to-utc\":true}")},
        {"uuid", OPTIONAL("{\"type\":\"fixed\",\"name\":\"uuid_fixed\",\"size\":16,"
                          "\"logicalType\":\"uuid\"}")},
        {"fixed(7)", OPTIONAL("{\"type\":\"fixed\",\"name\":\"fixed_7\",\"size\":7}")},
        {"decimal(9,2)", OPTIONAL("{\"type\":\"fixed\",\"name\":\"decimal_9_2\",\"size\":4,"
                                  "\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}")},
        {"unknown", "{\"name\":\"a\",\"type\":\"null\",\"default\":null,\"field-id\":1}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char ddl[64];
        (void)snprintf(ddl, sizeof ddl, "a %s", cases[i].type);
        expect_schema(ddl, cases[i].expected);
    }
}

static void nested_types_carry_their_ids(void **state)
{
    (void)state;
    expect_schema("a list<int>", OPTIONAL("{\"type\":\"array\",\"items\":[\"null\",\"int\"],"
                                          "\"element-id\":2}"));
    expect_schema("a map<string, int>", OPTIONAL("{\"type\":\"map\",\"values\":[\"null\",\"int\"],"
                                                 "\"key-id\":2,\"value-id\":3}"));
    expect_schema("a map<int, string>",
                  OPTIONAL("{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"k2_v3\","
                           "\"fields\":[{\"name\":\"key\",\"type\":\"int\",\"field-id\":2},"
                           "{\"name\":\"value\",\"type\":[\"null\",\"string\"],\"default\":null,"
                           "\"field-id\":3}]},\"logicalType\":\"map\"}"));
    expect_schema("a struct<x: int>",
                  OPTIONAL("{\"type\":\"record\",\"name\":\"r1\",\"fields\":[{\"name\":\"x\","
                           "\"type\":[\"null\",\"int\"],\"default\":null,\"field-id\":2}]}"));
}

static void a_named_type_stands_in_full_once(void **state)
{
    (void)state;
    expect_schema("a uuid not null, b uuid not null",
                  "{\"name\":\"a\",\"type\":{\"type\":\"fixed\",\"name\":\"uuid_fixed\","
                  "\"size\":16,\"logicalType\":\"uuid\"},\"field-id\":1},"
                  "{\"name\":\"b\",\"type\":\"uuid_fixed\",\"field-id\":2}");
}

static void a_name_that_avro_lacks_is_kept_beside(void **state)
{
    (void)state;
    expect_schema("`a.b` int not null comment 'why'",
                  "{\"name\":\"a_x2Eb\",\"iceberg-field-name\":\"a.b\",\"type\":\"int\","
                  "\"doc\":\"why\",\"field-id\":1}");
}

static void defaults_are_avros_and_come_first(void **state)
{
    static const struct {
        const char *ddl;
        const char *expected;
    } cases[] = {
        {"a int default 7", "\"type\":[\"int\",\"null\"],\"default\":7"},
        {"a int not null default 7", "\"type\":\"int\",\"default\":7"},
        {"a string not null default 'x'", "\"type\":\"string\",\"default\":\"x\""},
        {"a boolean not null default true", "\"type\":\"boolean\",\"default\":true"},
        {"a double not null default 1.5", "\"type\":\"double\",\"default\":1.5"},
        {"a binary not null default 0x01ff", "\"type\":\"bytes\",\"default\":\"\\u0001\xc3\xbf\""},
        {"a decimal(4,2) not null default -0.01",
         "\"type\":{\"type\":\"fixed\",\"name\":\"decimal_4_2\",\"size\":2,\"logicalType\":"
         "\"decimal\",\"precision\":4,\"scale\":2},\"default\":\"\xc3\xbf\xc3\xbf\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        frz_buffer field = {0};
        frz_buffer_printf(&field, "{\"name\":\"a\",%s,\"field-id\":1}", cases[i].expected);
        frz_buffer_append_byte(&field, 0);
        expect_schema(cases[i].ddl, (const char *)field.data);
        frz_buffer_clear(&field);
    }
}

static void print_nested(void)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    const frz_type uuid = {.kind = FRZ_TYPE_UUID};
    const frz_type fixed = {.kind = FRZ_TYPE_FIXED, .length = 3};
    const frz_field fields[] = {{.id = 1, .name = "a.b", .type = &uuid},
                                {.id = 2, .name = "c", .type = &fixed}};
    const frz_type root = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 2};
    const frz_status status = frz_rows_avro_schema(&root, "table", &out, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    frz_buffer_clear(&out);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(print_nested);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d115_names_are_escaped_as_java_does),
        cmocka_unit_test(every_primitive_type_has_the_form_of_appendix_a),
        cmocka_unit_test(nested_types_carry_their_ids),
        cmocka_unit_test(a_named_type_stands_in_full_once),
        cmocka_unit_test(a_name_that_avro_lacks_is_kept_beside),
        cmocka_unit_test(defaults_are_avros_and_come_first),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
