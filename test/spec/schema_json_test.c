#include "harness.h"

#include "spec/schema.h"

static frz_status read_text(const char *text, frz_schema **out, frz_error **err)
{
    frz_arena arena = {0};
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(text), &arena);
    const frz_status status = frz_schema_read_json(&json, out, err);
    frz_arena_clear(&arena);
    return status;
}

static void check_written(const frz_schema *schema, const char *want)
{
    frz_buffer text = {0};
    frz_json_writer json = frz_json_writer_to(&text, 0);
    frz_schema_write_json(schema, &json);
    if (!frz_slice_is_text(frz_buffer_slice(&text), want))
        fail_msg("written %.*s\nwant %s", (int)text.size, (const char *)text.data, want);
    frz_buffer_clear(&text);
}

/* Nested in all ways, every type, docs, ids in any order: what Java writes is written again to the
 * byte. */
static const char whole[] =
    "{\"type\":\"struct\",\"schema-id\":3,\"identifier-field-ids\":[1,21],\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\",\"doc\":\"the \\\"key\\\"\"},"
    "{\"id\":20,\"name\":\"s\",\"required\":true,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":21,\"name\":\"a.b\",\"required\":true,\"type\":\"uuid\"}]}},"
    "{\"id\":2,\"name\":\"l\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":3,"
    "\"element\":\"decimal(38, 10)\",\"element-required\":true}},"
    "{\"id\":4,\"name\":\"m\",\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":5,"
    "\"key\":\"fixed[16]\",\"value-id\":6,\"value\":{\"type\":\"list\",\"element-id\":7,"
    "\"element\":\"timestamptz_ns\",\"element-required\":false},\"value-required\":false}},"
    "{\"id\":8,\"name\":\"u\",\"required\":false,\"type\":\"unknown\"},"
    "{\"id\":9,\"name\":\"v\",\"required\":false,\"type\":\"variant\"},"
    "{\"id\":10,\"name\":\"g\",\"required\":false,\"type\":\"geometry(srid:3857)\"},"
    "{\"id\":11,\"name\":\"h\",\"required\":false,\"type\":\"geography(OGC:CRS84, karney)\"}]}";

static void test_round_trips_every_part(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(read_text(whole, &schema, &err), err);
    check_written(schema, whole);
    CHECK(frz_schema_id(schema) == 3 && frz_schema_highest_id(schema) == 21);
    assert_string_equal(frz_schema_find_id(schema, 1)->doc, "the \"key\"");
    CHECK(frz_schema_find_id(schema, 5)->required && !frz_schema_find_id(schema, 6)->required);
    CHECK(frz_schema_find_name(schema, frz_slice_of_text("s.a.b"), true)->id == 21);
    frz_schema_unref(schema);
}

/* Defaults of all types survive, {} of a struct too. */
static const char defaults[] =
    "{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
    "{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"uuid\","
    "\"initial-default\":\"0db3e2a8-9d1d-42b9-aa7b-74ebe558dceb\","
    "\"write-default\":\"ec5911be-b0a7-458c-8438-c9a3e53cffae\"},"
    "{\"id\":2,\"name\":\"b\",\"required\":false,\"type\":\"decimal(9, 2)\","
    "\"initial-default\":\"14.20\"},"
    "{\"id\":3,\"name\":\"c\",\"required\":false,\"type\":\"date\","
    "\"write-default\":\"1969-12-31\"},"
    "{\"id\":4,\"name\":\"d\",\"required\":false,\"type\":\"timestamptz_ns\","
    "\"write-default\":\"2017-11-16T22:31:08.123456789+00:00\"},"
    "{\"id\":5,\"name\":\"e\",\"required\":false,\"type\":\"fixed[2]\",\"write-default\":\"00ff\"},"
    "{\"id\":6,\"name\":\"f\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":7,\"name\":\"x\",\"required\":true,\"type\":\"int\",\"initial-default\":0,"
    "\"write-default\":-1}]},\"initial-default\":{},\"write-default\":{}},"
    "{\"id\":8,\"name\":\"g\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":9,"
    "\"element\":\"float\",\"element-required\":false},\"write-default\":[0.1,null]},"
    "{\"id\":10,\"name\":\"h\",\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":11,"
    "\"key\":\"string\",\"value-id\":12,\"value\":\"double\",\"value-required\":false},"
    "\"write-default\":{\"keys\":[\"k\"],\"values\":[1.0]}}]}";

static void d130_defaults_survive(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(read_text(defaults, &schema, &err), err);
    check_written(schema, defaults);
    const frz_field *point = frz_schema_find_id(schema, 6);
    CHECK(point->initial_default->form == FRZ_VALUE_STRUCT &&
          point->initial_default->items.count == 0);
    CHECK(frz_schema_find_id(schema, 7)->write_default->integer == -1);
    CHECK(frz_schema_find_id(schema, 2)->write_default == NULL);
    frz_schema_unref(schema);
}

static void test_members_come_in_any_order_and_unknown_ones_are_passed(void **state)
{
    (void)state;
    static const char text[] =
        "{\"fields\": [ {\"write-default\": {\"keys\":[], \"values\":[]}, \"extra\": [1, {\"a\": "
        "2}],"
        " \"initial-default\": null, \"doc\": null, \"required\": false, \"name\": \"m\","
        " \"type\": {\"value\": \"int\", \"value-required\": true, \"value-id\": 3, \"key\": "
        "\"string\","
        " \"x\": null, \"key-id\": 2, \"type\": \"map\"}, \"id\": 1} ], \"identifier-field-ids\": "
        "null,"
        " \"new\": {\"b\": []}, \"type\": \"struct\"}";
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(read_text(text, &schema, &err), err);
    check_written(schema,
                  "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"m\","
                  "\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":2,\"key\":\"string\","
                  "\"value-id\":3,\"value\":\"int\",\"value-required\":true},"
                  "\"write-default\":{\"keys\":[],\"values\":[]}}]}");
    frz_schema_unref(schema);
}

/* Two fields with one path: Java makes no such table, but what others made must stay readable. */
static void test_equal_paths_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "{\"type\":\"struct\",\"fields\":["
        "{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
        "{\"id\":2,\"name\":\"b\",\"required\":false,\"type\":\"int\"}]}},"
        "{\"id\":3,\"name\":\"a.b\",\"required\":false,\"type\":\"int\"}]}";
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(read_text(text, &schema, &err), err);
    CHECK(frz_schema_find_name(schema, frz_slice_of_text("a.b"), true)->id == 2);
    CHECK(frz_schema_find_id(schema, 3) != NULL);
    frz_schema_unref(schema);
}

#define COLUMN(members) "{\"type\":\"struct\",\"fields\":[{" members "}]}"
#define TYPED(type) COLUMN("\"id\":1,\"name\":\"c\",\"required\":false,\"type\":" type)

static void test_refuses_broken_schemas(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        frz_status status;
        int64_t offset; /* -1: the fault is of the whole schema */
        const char *message;
    } rows[] = {
        {"[]", FRZ_CORRUPT, 0, "expected an object"},
        {"{}", FRZ_CORRUPT, 0, "schema: expected the type \"struct\" and its fields"},
        {" {\"fields\":[]}", FRZ_CORRUPT, 1, "expected the type \"struct\""},
        {"{\"type\":\"list\",\"fields\":[]}", FRZ_CORRUPT, 0, "expected the type \"struct\""},
        {"{\"type\":\"struct\",\"fields\":{}}", FRZ_CORRUPT, 26, "expected an array"},
        {COLUMN("\"id\":1"), FRZ_CORRUPT, 27, "the members id, name, required and type"},
        {COLUMN("\"id\":1.5"), FRZ_CORRUPT, 33, "expected a 32-bit integer"},
        {COLUMN("\"name\":\"a\\u0000\""), FRZ_CORRUPT, 35, "a name or doc with a zero byte"},
        {TYPED("\"interval\""), FRZ_UNSUPPORTED, 70, "schema: type \"interval\" is not known"},
        {TYPED("\"decimal(39, 2)\""), FRZ_CORRUPT, 70, "P from 1 to 38"},
        {TYPED("5"), FRZ_CORRUPT, 70, "expected an object"},
        {TYPED("{\"type\":\"struct\"}"), FRZ_CORRUPT, 70, "with all of its members"},
        {TYPED("{\"type\":\"list\",\"element\":\"int\",\"element-id\":2}"), FRZ_CORRUPT, 70,
         "with all of its members"},
        {TYPED("{\"type\":\"tuple\",\"fields\":[]}"), FRZ_CORRUPT, 70, "a struct, list or map"},
        {TYPED("\"int\",\"write-default\":\"x\""), FRZ_CORRUPT, 92,
         "default of column c: JSON at offset 92: expected a number"},
        {TYPED("\"variant\",\"write-default\":1"), FRZ_CORRUPT, 96, "expected null"},
        {TYPED("{\"type\":\"struct\",\"fields\":[{\"id\":2,\"name\":\"x\",\"required\":false,"
               "\"type\":\"int\"}]},\"initial-default\":{\"2\":5}"),
         FRZ_CORRUPT, -1, "column c (id 1): a struct's default may only be null or {}"},
        {TYPED("\"int\"},{\"id\":1,\"name\":\"d\",\"required\":false,\"type\":\"int\""),
         FRZ_CORRUPT, -1, "field id 1 of both c and d"},
        {TYPED("\"int\"},{\"id\":2,\"name\":\"c\",\"required\":false,\"type\":\"int\""),
         FRZ_CORRUPT, -1, "two columns named c"},
        {COLUMN("\"id\":2147483540,\"name\":\"_row_id\",\"required\":false,\"type\":\"long\""),
         FRZ_CORRUPT, -1, "ids above 2147483447 are reserved"},
        {COLUMN("\"id\":1,\"name\":\"c\",\"required\":true,\"type\":\"unknown\""), FRZ_CORRUPT, -1,
         "must be optional"},
        {"{\"type\":\"struct\",\"identifier-field-ids\":[4],\"fields\":[]}", FRZ_CORRUPT, -1,
         "identifier field id 4 is of no column"},
        {"{\"type\":\"struct\",\"fields\":[", FRZ_CORRUPT, 27, "expected a value, got the end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        frz_schema *schema = NULL;
        uint64_t offset = 0;
        CHECK(read_text(rows[i].text, &schema, &err) == rows[i].status && schema == NULL);
        const bool has_offset = frz_error_offset(err, &offset);
        if (!strstr(frz_error_message(err), rows[i].message) ||
            has_offset != (rows[i].offset >= 0) ||
            (has_offset && offset != (uint64_t)rows[i].offset))
            fail_msg("%s: %d %s", rows[i].text, (int)offset, frz_error_message(err));
        frz_error_free(err);
    }
}

static void read_and_write_once(void)
{
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    frz_buffer text = {0};
    frz_status status = read_text(defaults, &schema, &err);
    if (status == FRZ_OK) {
        frz_json_writer json = frz_json_writer_to(&text, 0);
        frz_schema_write_json(schema, &json);
        status = frz_buffer_check(&text, &err);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_buffer_clear(&text);
    frz_schema_unref(schema);
    frz_error_free(err);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(read_and_write_once);
}

/* Every prefix and every changed byte of a schema is read or refused, never more than that. */
static void test_damaged_text_is_refused_or_read(void **state)
{
    (void)state;
    char text[sizeof whole];
    for (size_t size = 0; size < sizeof whole - 1; size++) {
        frz_error *err = NULL;
        frz_schema *schema = NULL;
        memcpy(text, whole, size);
        text[size] = 0;
        CHECK(read_text(text, &schema, &err) == FRZ_CORRUPT && schema == NULL);
        frz_error_free(err);
        err = NULL;
        memcpy(text, whole, sizeof whole);
        text[size] = (char)(text[size] ^ 1);
        const frz_status status = read_text(text, &schema, &err);
        CHECK((status == FRZ_OK) == (schema != NULL));
        frz_schema_unref(schema);
        frz_error_free(err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips_every_part),
        cmocka_unit_test(d130_defaults_survive),
        cmocka_unit_test(test_members_come_in_any_order_and_unknown_ones_are_passed),
        cmocka_unit_test(test_equal_paths_are_read),
        cmocka_unit_test(test_refuses_broken_schemas),
        cmocka_unit_test(test_short_memory_is_reported),
        cmocka_unit_test(test_damaged_text_is_refused_or_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
