#include "harness.h"

#include "arrow/schema.h"
#include "spec/schema.h"

static frz_field make_field(int32_t id, const char *name, bool required, const frz_type *type)
{
    return (frz_field){.id = id, .name = name, .required = required, .type = type};
}

static void test_every_type_has_its_format(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *format; /* NULL: refused */
    } rows[] = {
        {"unknown", "n"},
        {"boolean", "b"},
        {"int", "i"},
        {"long", "l"},
        {"float", "f"},
        {"double", "g"},
        {"decimal(9,2)", "d:9,2"},
        {"decimal(38,38)", "d:38,38"},
        {"date", "tdD"},
        {"time", "ttu"},
        {"timestamp", "tsu:"},
        {"timestamptz", "tsu:UTC"},
        {"timestamp_ns", "tsn:"},
        {"timestamptz_ns", "tsn:UTC"},
        {"string", "u"},
        {"uuid", "w:16"},
        {"fixed[5]", "w:5"},
        {"binary", "z"},
        {"variant", NULL},
        {"geometry", NULL},
        {"geography", NULL},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        const frz_type *type = NULL;
        struct ArrowSchema schema = {0};
        CHECK_OK(frz_type_parse(frz_slice_of_text(rows[i].type), &arena, &type, &err), err);
        const frz_field field = make_field(7, "c", i % 2 == 0, type);
        if (!rows[i].format) {
            CHECK_FAILS(frz_type_to_arrow(&field, &schema, &err), FRZ_UNSUPPORTED, err,
                        "column c: columns of type ");
            CHECK(schema.release == NULL);
            continue;
        }
        CHECK_OK(frz_type_to_arrow(&field, &schema, &err), err);
        assert_string_equal(schema.format, rows[i].format);
        assert_string_equal(schema.name, "c");
        CHECK(((schema.flags & ARROW_FLAG_NULLABLE) != 0) == (i % 2 != 0));
        CHECK(frz_arrow_schema_field_id(&schema) == 7);
        const frz_slice extension = frz_arrow_schema_metadata(&schema, "ARROW:extension:name");
        CHECK(frz_slice_is_text(extension, type->kind == FRZ_TYPE_UUID ? "arrow.uuid" : ""));
        frz_arrow_schema_clear(&schema);
    }
    frz_arena_clear(&arena);
}

/* s struct<l: list<int not null>, m: map<string, uuid>> */
static frz_schema *nested_schema(void)
{
    const frz_field element = make_field(4, "element", true, frz_type_of(FRZ_TYPE_INT));
    const frz_field map[] = {make_field(5, "key", true, frz_type_of(FRZ_TYPE_STRING)),
                             make_field(6, "value", false, frz_type_of(FRZ_TYPE_UUID))};
    const frz_type types[] = {{.kind = FRZ_TYPE_LIST, .fields = &element, .field_count = 1},
                              {.kind = FRZ_TYPE_MAP, .fields = map, .field_count = 2}};
    const frz_field inner[] = {make_field(2, "l", false, &types[0]),
                               make_field(3, "m", true, &types[1])};
    const frz_type whole = {.kind = FRZ_TYPE_STRUCT, .fields = inner, .field_count = 2};
    const frz_field column = make_field(1, "s", false, &whole);
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    const frz_status status = frz_schema_new(0, &column, 1, NULL, 0, &schema, &err);
    CHECK(status == (schema ? FRZ_OK : FRZ_NO_MEMORY));
    frz_error_free(err);
    return schema;
}

static void check_node(const struct ArrowSchema *schema, const char *format, const char *name,
                       int32_t id, bool nullable, int64_t children)
{
    assert_string_equal(schema->format, format);
    assert_string_equal(schema->name, name);
    CHECK(frz_arrow_schema_field_id(schema) == id);
    CHECK(((schema->flags & ARROW_FLAG_NULLABLE) != 0) == nullable);
    CHECK(schema->n_children == children);
}

static void test_nested_types_keep_ids_and_nullability(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema arrow = {0};
    frz_schema *schema = nested_schema();
    CHECK_OK(frz_schema_to_arrow(schema, &arrow, &err), err);
    frz_schema_unref(schema);
    check_node(&arrow, "+s", "", FRZ_ARROW_NO_FIELD_ID, false, 1);
    const struct ArrowSchema *s = arrow.children[0];
    check_node(s, "+s", "s", 1, true, 2);
    check_node(s->children[0], "+l", "l", 2, true, 1);
    check_node(s->children[0]->children[0], "i", "element", 4, false, 0);
    const struct ArrowSchema *map = s->children[1];
    check_node(map, "+m", "m", 3, false, 1);
    check_node(map->children[0], "+s", "entries", FRZ_ARROW_NO_FIELD_ID, false, 2);
    check_node(map->children[0]->children[0], "u", "key", 5, false, 0);
    check_node(map->children[0]->children[1], "w:16", "value", 6, true, 0);
    frz_arrow_schema_clear(&arrow);
}

static void test_a_refused_column_releases_what_was_made(void **state)
{
    (void)state;
    const frz_field inner[] = {make_field(2, "u", false, frz_type_of(FRZ_TYPE_UUID)),
                               make_field(3, "v", false, frz_type_of(FRZ_TYPE_VARIANT))};
    const frz_type whole = {.kind = FRZ_TYPE_STRUCT, .fields = inner, .field_count = 2};
    const frz_field column = make_field(1, "s", false, &whole);
    frz_error *err = NULL;
    struct ArrowSchema arrow = {0};
    CHECK_FAILS(frz_type_to_arrow(&column, &arrow, &err), FRZ_UNSUPPORTED, err,
                "column v: columns of type variant cannot be read or written yet");
    CHECK(arrow.release == NULL);
}

static void convert_once(void)
{
    frz_schema *schema = nested_schema();
    if (!schema)
        return;
    frz_error *err = NULL;
    struct ArrowSchema arrow = {0};
    const frz_status status = frz_schema_to_arrow(schema, &arrow, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    CHECK((arrow.release != NULL) == (status == FRZ_OK));
    frz_error_free(err);
    frz_arrow_schema_clear(&arrow);
    frz_schema_unref(schema);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(convert_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_has_its_format),
        cmocka_unit_test(test_nested_types_keep_ids_and_nullability),
        cmocka_unit_test(test_a_refused_column_releases_what_was_made),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
