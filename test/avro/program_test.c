#include "avro/program.h"

#include "harness.h"

static frz_arena arena;

static const frz_avro_schema *parse(const char *json)
{
    frz_error *err = NULL;
    const frz_avro_schema *schema = NULL;
    CHECK_OK(frz_avro_schema_parse(frz_slice_of_text(json), NULL, &arena, &schema, &err), err);
    return schema;
}

static int clear_arena(void **state)
{
    (void)state;
    frz_arena_clear(&arena);
    return 0;
}

static const char entry[] =
    "{\"type\":\"record\",\"name\":\"entry\",\"fields\":["
    "{\"name\":\"status\",\"type\":\"int\",\"field-id\":0},"
    "{\"name\":\"snapshot_id\",\"type\":[\"null\",\"long\"],\"field-id\":1},"
    "{\"name\":\"file\",\"field-id\":2,\"type\":{\"type\":\"record\",\"name\":\"r2\",\"fields\":["
    "{\"name\":\"path\",\"type\":\"string\",\"field-id\":100},"
    "{\"name\":\"count\",\"type\":\"long\",\"field-id\":103},"
    "{\"name\":\"size\",\"type\":\"long\",\"field-id\":104},"
    "{\"name\":\"rest\",\"type\":\"bytes\"}]}}]}";

static void test_unwanted_fields_become_one_skip(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_avro_program program;
    const frz_avro_projection file[] = {{.field_id = 9, .name = "absent", .absent_format = "l"},
                                        {.field_id = 100}};
    const frz_avro_projection fields[] = {{.field_id = 2, .children = file, .child_count = 2}};
    const frz_avro_projection root = {
        .field_id = FRZ_AVRO_NO_ID, .children = fields, .child_count = 1};
    CHECK_OK(frz_avro_program_compile(parse(entry), &root, &frz_limits_default, &program, &err),
             err);
    static const frz_avro_op_kind kinds[] = {FRZ_AVRO_OP_RECORD, FRZ_AVRO_OP_SKIP,
                                             FRZ_AVRO_OP_RECORD, FRZ_AVRO_OP_BYTES,
                                             FRZ_AVRO_OP_SKIP,   FRZ_AVRO_OP_NULL};
    CHECK(program.op_count == sizeof kinds / sizeof *kinds);
    for (size_t i = 0; i < program.op_count; i++)
        CHECK(program.ops[i].kind == kinds[i]);
    const frz_avro_column *columns = program.root.children[0].children;
    CHECK(strcmp(columns[0].name, "absent") == 0 && strcmp(columns[0].format, "l") == 0);
    CHECK(strcmp(columns[1].name, "path") == 0 && columns[1].field_id == 100);
    char path[64];
    frz_avro_program_path(&program, &columns[1], path, sizeof path);
    CHECK(strcmp(path, "file.path") == 0);
    frz_avro_program_clear(&program);
}

static void compile_fails(const char *json, frz_status want, const char *message)
{
    frz_error *err = NULL;
    frz_avro_program program;
    CHECK_FAILS(frz_avro_program_compile(parse(json), NULL, &frz_limits_default, &program, &err),
                want, err, message);
}

static void test_types_without_a_column_are_refused_by_name(void **state)
{
    (void)state;
    char json[8192] = "[\"null\"";
    size_t at = strlen(json);
    for (int i = 0; i < 127; i++)
        at += (size_t)snprintf(json + at, sizeof json - at,
                               ",{\"type\":\"fixed\",\"name\":\"f%d\",\"size\":1}", i);
    (void)snprintf(json + at, sizeof json - at, "]");
    compile_fails(json, FRZ_UNSUPPORTED, "Avro field value: a union of 128 types");
    compile_fails(
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"n\",\"type\":[\"null\","
        "\"r\"]}]}",
        FRZ_UNSUPPORTED, "record r contains itself");
    compile_fails(
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"d\",\"type\":{\"type\":"
        "\"bytes\",\"logicalType\":\"decimal\",\"precision\":39}}]}",
        FRZ_UNSUPPORTED, "Avro field d: decimal(39,0): more than 38 digits");
}

static void test_logical_types_choose_the_arrow_type(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *format;
    } formats[] = {
        {"\"null\"", "n"},
        {"\"boolean\"", "b"},
        {"\"int\"", "i"},
        {"{\"type\":\"int\",\"logicalType\":\"date\"}", "tdD"},
        {"{\"type\":\"int\",\"logicalType\":\"time-millis\"}", "ttm"},
        {"{\"type\":\"long\",\"logicalType\":\"time-micros\"}", "ttu"},
        {"{\"type\":\"long\",\"logicalType\":\"timestamp-micros\"}", "tsu:"},
        {"{\"type\":\"long\",\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":true}",
         "tsu:UTC"},
        {"{\"type\":\"long\",\"logicalType\":\"timestamp-nanos\",\"adjust-to-utc\":true}",
         "tsn:UTC"},
        {"{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}", "tsm:"},
        {"{\"type\":\"long\",\"logicalType\":\"local-timestamp-micros\",\"adjust-to-utc\":true}",
         "tsu:"},
        {"\"float\"", "f"},
        {"\"double\"", "g"},
        {"\"string\"", "u"},
        {"\"bytes\"", "z"},
        {"{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}", "d:9,2"},
        {"{\"type\":\"fixed\",\"name\":\"f\",\"size\":16,\"logicalType\":\"uuid\"}", "w:16"},
        {"{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"a\"]}", "u"},
        {"{\"type\":\"array\",\"items\":\"int\"}", "+l"},
        {"{\"type\":\"map\",\"values\":\"int\"}", "+m"},
        {"[\"int\"]", "i"},
        {"[\"string\",\"null\"]", "u"},
        {"[\"null\",\"string\",\"long\"]", "+us:0,1,2"},
        {"[\"int\",\"string\"]", "+us:0,1"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        frz_error *err = NULL;
        frz_avro_program program;
        CHECK_OK(frz_avro_program_compile(parse(formats[i].type), NULL, &frz_limits_default,
                                          &program, &err),
                 err);
        CHECK(program.root.child_count == 1 && strcmp(program.root.children[0].name, "value") == 0);
        if (strcmp(program.root.children[0].format, formats[i].format) != 0)
            fail_msg("%s became %s", formats[i].type, program.root.children[0].format);
        frz_avro_program_clear(&program);
    }
}

static void test_a_batch_of_wide_nulls_is_short(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_avro_program program;
    CHECK_OK(frz_avro_program_compile(
                 parse("[\"null\",{\"type\":\"fixed\",\"name\":\"f\",\"size\":1048576}]"), NULL,
                 &frz_limits_default, &program, &err),
             err);
    CHECK(program.rows_max == 31);
    frz_avro_program_clear(&program);
}

/* Records of two fields, each the next record, 40 deep: 2^40 columns. */
static void test_columns_have_a_limit(void **state)
{
    (void)state;
    char json[16384];
    size_t at = 0;
    for (int i = 0; i < 40; i++)
        at += (size_t)snprintf(
            json + at, sizeof json - at,
            "{\"type\":\"record\",\"name\":\"r%d\",\"fields\":[{\"name\":\"a\",\"type\":", i);
    at += (size_t)snprintf(json + at, sizeof json - at, "\"int\"}]}");
    for (int i = 39; i > 0; i--)
        at += (size_t)snprintf(json + at, sizeof json - at, "},{\"name\":\"b\",\"type\":\"r%d\"}]}",
                               i);
    compile_fails(json, FRZ_UNSUPPORTED, "limit schema_columns");
}

static void compile_entry(void)
{
    frz_error *err = NULL;
    frz_avro_program program;
    frz_arena own = {0};
    const frz_avro_schema *schema = NULL;
    frz_status status = frz_avro_schema_parse(frz_slice_of_text(entry), NULL, &own, &schema, &err);
    if (status == FRZ_OK) {
        status = frz_avro_program_compile(schema, NULL, &frz_limits_default, &program, &err);
        if (status == FRZ_OK)
            frz_avro_program_clear(&program);
    }
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    frz_arena_clear(&own);
}

static void test_short_memory_is_clean(void **state)
{
    (void)state;
    sweep_allocation_failures(compile_entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_unwanted_fields_become_one_skip, clear_arena),
        cmocka_unit_test_teardown(test_types_without_a_column_are_refused_by_name, clear_arena),
        cmocka_unit_test_teardown(test_logical_types_choose_the_arrow_type, clear_arena),
        cmocka_unit_test_teardown(test_a_batch_of_wide_nulls_is_short, clear_arena),
        cmocka_unit_test_teardown(test_columns_have_a_limit, clear_arena),
        cmocka_unit_test_teardown(test_short_memory_is_clean, clear_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
