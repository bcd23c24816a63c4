#include "harness.h"

#include "spec/partition.h"

static frz_partition_field make_field(frz_arena *arena, const int32_t *source, int32_t id,
                                      const char *name, const char *transform)
{
    frz_error *err = NULL;
    frz_partition_field field = {
        .source_ids = source, .source_count = 1, .field_id = id, .name = name};
    CHECK_OK(frz_transform_parse(frz_slice_of_text(transform), arena, &field.transform, &err), err);
    return field;
}

static frz_schema *make_schema(int32_t first_id, frz_type_kind kind)
{
    const frz_field columns[] = {
        {.id = first_id, .name = "data", .type = frz_type_of(kind)},
        {.id = first_id + 1, .name = "ts", .type = frz_type_of(FRZ_TYPE_TIMESTAMP)}};
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(frz_schema_new(0, columns, 2, NULL, 0, &schema, &err), err);
    return schema;
}

static void test_void_fields_do_not_partition(void **state)
{
    (void)state;
    static const int32_t source = 1;
    frz_arena arena = {0};
    const frz_partition_field fields[] = {make_field(&arena, &source, 1000, "a_null", "void"),
                                          make_field(&arena, &source, 1001, "a", "identity")};
    CHECK(frz_partition_spec_is_unpartitioned(&(frz_partition_spec){0}));
    CHECK(frz_partition_spec_is_unpartitioned(
        &(frz_partition_spec){.fields = fields, .field_count = 1}));
    CHECK(!frz_partition_spec_is_unpartitioned(
        &(frz_partition_spec){.fields = fields, .field_count = 2}));
    frz_arena_clear(&arena);
}

static void test_equivalence_ignores_ids(void **state)
{
    (void)state;
    static const int32_t one[] = {1, 2};
    static const int32_t two[] = {2};
    frz_arena arena = {0};
    frz_partition_field a = make_field(&arena, one, 1000, "x", "bucket[4]");
    frz_partition_field b = make_field(&arena, one, 1007, "x", "Bucket[4]");
    const frz_partition_spec left = {.spec_id = 1, .fields = &a, .field_count = 1};
    const frz_partition_spec right = {.spec_id = 2, .fields = &b, .field_count = 1};
    CHECK(frz_partition_spec_equivalent(&left, &right));
    b.name = "y";
    CHECK(!frz_partition_spec_equivalent(&left, &right));
    CHECK(frz_partition_field_equivalent(&a, &b));
    b.source_count = 2;
    CHECK(!frz_partition_field_equivalent(&a, &b));
    b.source_count = 1;
    b.source_ids = two;
    CHECK(!frz_partition_field_equivalent(&a, &b));
    CHECK(!frz_partition_spec_equivalent(&left, &(frz_partition_spec){0}));
    frz_arena_clear(&arena);
}

/* Specs of dropped columns load, and void keeps its source's type. */
static void d114_d132_types_come_from_any_schema_that_has_the_source(void **state)
{
    (void)state;
    static const int32_t sources[] = {1, 11, 99};
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_schema *current = make_schema(1, FRZ_TYPE_STRING);
    frz_schema *older[] = {make_schema(11, FRZ_TYPE_INT), make_schema(11, FRZ_TYPE_LONG)};
    const frz_partition_field fields[] = {
        make_field(&arena, &sources[0], 1000, "data", "identity"),
        make_field(&arena, &sources[1], 1001, "dropped", "truncate[4]"),
        make_field(&arena, &sources[1], 1002, "dropped_null", "void"),
        make_field(&arena, &sources[2], 1003, "lost", "identity"),
        make_field(&arena, &sources[2], 1004, "lost_bucket", "bucket[4]"),
        make_field(&arena, &sources[2], 1005, "lost_day", "day"),
        make_field(&arena, &sources[0], 1006, "strange", "zorder"),
    };
    static const frz_type_kind want[] = {FRZ_TYPE_STRING,  FRZ_TYPE_INT, FRZ_TYPE_INT,
                                         FRZ_TYPE_UNKNOWN, FRZ_TYPE_INT, FRZ_TYPE_DATE,
                                         FRZ_TYPE_STRING};
    const frz_partition_spec spec = {.fields = fields, .field_count = 7};
    const frz_type *type = NULL;
    CHECK_OK(frz_partition_type(&spec, current, older, 2, &arena, &type, &err), err);
    CHECK(type->kind == FRZ_TYPE_STRUCT && type->field_count == 7);
    for (size_t i = 0; i < 7; i++) {
        CHECK(type->fields[i].type->kind == want[i]);
        CHECK(type->fields[i].id == 1000 + (int32_t)i && !type->fields[i].required);
        assert_string_equal(type->fields[i].name, fields[i].name);
    }
    frz_schema_unref(current);
    frz_schema_unref(older[0]);
    frz_schema_unref(older[1]);
    frz_arena_clear(&arena);
}

typedef struct path_case {
    const char *name;
    const char *transform;
    frz_type_kind type;
    frz_value value;
    const char *want;
} path_case;

static frz_value text_value(const char *text)
{
    return (frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text(text)};
}

static void check_path(const path_case *c)
{
    static const int32_t source = 1;
    frz_arena arena = {0};
    const frz_partition_field field = make_field(&arena, &source, 1000, c->name, c->transform);
    const frz_partition_spec spec = {.fields = &field, .field_count = 1};
    const frz_field of_type = {.id = 1000, .name = c->name, .type = frz_type_of(c->type)};
    const frz_type type = {.kind = FRZ_TYPE_STRUCT, .fields = &of_type, .field_count = 1};
    frz_buffer path = {0};
    frz_partition_path(&spec, &type, &c->value, &path);
    if (!frz_slice_is_text(frz_buffer_slice(&path), c->want))
        fail_msg("\"%.*s\", want \"%s\"", (int)path.size, (const char *)path.data, c->want);
    frz_buffer_clear(&path);
    frz_arena_clear(&arena);
}

/* As java.net.URLEncoder escapes, names too. */
static void test_paths_are_escaped_as_java_does(void **state)
{
    (void)state;
    const path_case cases[] = {
        {"data", "identity", FRZ_TYPE_STRING, text_value("a/b/c/d"), "data=a%2Fb%2Fc%2Fd"},
        {"\"esc\"#1", "identity", FRZ_TYPE_STRING, text_value("x"), "%22esc%22%231=x"},
        {"p", "identity", FRZ_TYPE_STRING, text_value("a b"), "p=a+b"},
        {"p", "identity", FRZ_TYPE_STRING, text_value("a+b"), "p=a%2Bb"},
        {"p", "identity", FRZ_TYPE_STRING, text_value("100%"), "p=100%25"},
        {"p", "identity", FRZ_TYPE_STRING, text_value("a=b"), "p=a%3Db"},
        {"p", "identity", FRZ_TYPE_STRING, text_value(""), "p="},
        {"p", "identity", FRZ_TYPE_STRING, text_value("A-z.0*_"), "p=A-z.0*_"},
        {"p", "identity", FRZ_TYPE_STRING, text_value("~!'()@:,;"),
         "p=%7E%21%27%28%29%40%3A%2C%3B"},
        {"p", "identity", FRZ_TYPE_STRING, text_value("\xe6\x97\xa5\xf0\x9f\x98\x80"),
         "p=%E6%97%A5%F0%9F%98%80"},
        {"p", "identity", FRZ_TYPE_STRING, {.form = FRZ_VALUE_NULL}, "p=null"},
        {"\xf0\x9f\x98\x8e",
         "bucket[4]",
         FRZ_TYPE_INT,
         {.form = FRZ_VALUE_INTEGER, .integer = 3},
         "%F0%9F%98%8E=3"},
        {"ts_hour",
         "hour",
         FRZ_TYPE_INT,
         {.form = FRZ_VALUE_INTEGER, .integer = 420034},
         "ts_hour=2017-12-01-10"},
        {"ts",
         "identity",
         FRZ_TYPE_TIMESTAMPTZ,
         {.form = FRZ_VALUE_INTEGER, .integer = 0},
         "ts=1970-01-01T00%3A00%3A00%2B00%3A00"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_path(&cases[i]);
}

static void test_paths_join_fields_and_append(void **state)
{
    (void)state;
    static const int32_t source = 1;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_schema *schema = make_schema(1, FRZ_TYPE_STRING);
    const frz_partition_field fields[] = {make_field(&arena, &source, 1000, "a", "identity"),
                                          make_field(&arena, &source, 1001, "b", "void")};
    const frz_partition_spec spec = {.fields = fields, .field_count = 2};
    const frz_value values[] = {text_value("x y"), {.form = FRZ_VALUE_NULL}};
    const frz_type *type = NULL;
    frz_buffer path = {0};
    CHECK_OK(frz_partition_type(&spec, schema, NULL, 0, &arena, &type, &err), err);
    frz_buffer_append_text(&path, "data/");
    frz_partition_path(&spec, type, values, &path);
    CHECK(frz_slice_is_text(frz_buffer_slice(&path), "data/a=x+y/b=null"));
    frz_buffer_clear(&path);
    frz_schema_unref(schema);
    frz_arena_clear(&arena);
}

static void type_and_path_once(void)
{
    static const int32_t source = 1;
    const frz_partition_field field = {
        .source_ids = &source,
        .source_count = 1,
        .field_id = 1000,
        .name = "a",
        .transform = {.kind = FRZ_TRANSFORM_IDENTITY, .text = "identity"}};
    const frz_partition_spec spec = {.fields = &field, .field_count = 1};
    const frz_field column = {.id = 1, .name = "a", .type = frz_type_of(FRZ_TYPE_STRING)};
    const frz_value value = text_value("x");
    frz_arena arena = {0};
    frz_buffer path = {0};
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    const frz_type *type = NULL;
    frz_status status = frz_schema_new(0, &column, 1, NULL, 0, &schema, &err);
    if (status == FRZ_OK)
        status = frz_partition_type(&spec, schema, NULL, 0, &arena, &type, &err);
    if (status == FRZ_OK) {
        frz_partition_path(&spec, type, &value, &path);
        status = frz_buffer_check(&path, &err);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_buffer_clear(&path);
    frz_schema_unref(schema);
    frz_arena_clear(&arena);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(type_and_path_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_void_fields_do_not_partition),
        cmocka_unit_test(test_equivalence_ignores_ids),
        cmocka_unit_test(d114_d132_types_come_from_any_schema_that_has_the_source),
        cmocka_unit_test(test_paths_are_escaped_as_java_does),
        cmocka_unit_test(test_paths_join_fields_and_append),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
