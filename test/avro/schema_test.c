#include "avro/schema.h"

#include "harness.h"

static frz_arena arena;

static const frz_avro_schema *parse(const char *json)
{
    frz_error *err = NULL;
    const frz_avro_schema *schema = NULL;
    CHECK_OK(frz_avro_schema_parse(frz_slice_of_text(json), NULL, &arena, &schema, &err), err);
    return schema;
}

static void parse_fails(const char *json, frz_status want, const char *message)
{
    frz_error *err = NULL;
    const frz_avro_schema *schema = NULL;
    CHECK_FAILS(frz_avro_schema_parse(frz_slice_of_text(json), NULL, &arena, &schema, &err), want,
                err, message);
    CHECK(schema == NULL);
}

static int clear_arena(void **state)
{
    (void)state;
    frz_arena_clear(&arena);
    return 0;
}

static void test_iceberg_ids_and_map_arrays_are_kept(void **state)
{
    (void)state;
    const frz_avro_schema *s = parse(
        "{\"fields\":[{\"name\":\"l\",\"type\":[\"null\",\"long\"],\"default\":null,\"field-id\":8}"
        ","
        "{\"field-id\":9,\"type\":{\"element-id\":10,\"items\":\"int\",\"type\":\"array\"},"
        "\"name\":\"a\"},"
        "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"int\",\"key-id\":11,\"value-id\":"
        "12}},"
        "{\"name\":\"k\",\"type\":{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{\"type\":"
        "\"record\","
        "\"name\":\"k13_v14\",\"fields\":[{\"name\":\"key\",\"type\":\"int\",\"field-id\":13},"
        "{\"name\":\"value\",\"type\":\"string\",\"field-id\":14}]}}}],"
        "\"name\":\"r\",\"type\":\"record\"}");
    CHECK(s->kind == FRZ_AVRO_RECORD && s->field_count == 4 && strcmp(s->name, "r") == 0);
    CHECK(s->fields[0].field_id == 8 && s->fields[0].type->kind == FRZ_AVRO_UNION);
    CHECK(s->fields[0].type->branch_count == 2);
    CHECK(s->fields[0].type->branches[1]->kind == FRZ_AVRO_LONG);
    CHECK(s->fields[1].field_id == 9 && s->fields[1].type->element_id == 10);
    CHECK(s->fields[2].field_id == FRZ_AVRO_NO_ID && s->fields[2].type->key_id == 11);
    CHECK(s->fields[2].type->value_id == 12 && s->fields[2].type->items->kind == FRZ_AVRO_INT);
    CHECK(s->fields[3].type->is_map && s->fields[3].type->items->fields[1].field_id == 14);
    CHECK(!s->fields[1].type->is_map);
}

static void test_an_array_is_a_map_only_by_its_annotation_and_shape(void **state)
{
    (void)state;
    CHECK(!parse("{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"p\",\"fields\":["
                 "{\"name\":\"key\",\"type\":\"int\"},{\"name\":\"value\",\"type\":\"int\"}]}}")
               ->is_map);
    CHECK(!parse("{\"type\":\"array\",\"logicalType\":\"map\",\"items\":\"int\"}")->is_map);
    CHECK(
        !parse(
             "{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{\"type\":\"record\",\"name\":"
             "\"p\",\"fields\":[{\"name\":\"key\",\"type\":[\"null\",\"int\"]},"
             "{\"name\":\"value\",\"type\":\"int\"}]}}")
             ->is_map);
}

static void test_logical_types_that_do_not_fit_are_dropped(void **state)
{
    (void)state;
    const frz_avro_schema *s =
        parse("{\"type\":\"fixed\",\"name\":\"d\",\"size\":5,\"logicalType\":"
              "\"decimal\",\"precision\":11,\"scale\":2}");
    CHECK(s->precision == 11 && s->scale == 2 && s->size == 5);
    CHECK(parse("{\"type\":\"fixed\",\"name\":\"d\",\"size\":4,\"logicalType\":\"decimal\","
                "\"precision\":10}")
              ->logical_type == NULL);
    CHECK(parse("{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":5,\"scale\":7}")
              ->logical_type == NULL);
    CHECK(parse("{\"type\":\"string\",\"logicalType\":\"date\"}")->logical_type == NULL);
    CHECK(parse("{\"type\":\"fixed\",\"name\":\"u\",\"size\":15,\"logicalType\":\"uuid\"}")
              ->logical_type == NULL);
    CHECK(strcmp(parse("{\"type\":\"long\",\"logicalType\":\"own.unknown\"}")->logical_type,
                 "own.unknown") == 0);
}

/* Appendix A, Avro, note 1: false where it is not said. */
static void d153_timestamps_are_not_adjusted_unless_said(void **state)
{
    (void)state;
    static const char *const units[] = {"micros", "nanos"};
    for (size_t i = 0; i < 2; i++) {
        char text[96];
        (void)snprintf(text, sizeof text, "{\"type\":\"long\",\"logicalType\":\"timestamp-%s\"}",
                       units[i]);
        CHECK(!parse(text)->adjust_to_utc && strcmp(parse(text)->logical_type + 10, units[i]) == 0);
        (void)snprintf(
            text, sizeof text,
            "{\"type\":\"long\",\"logicalType\":\"timestamp-%s\",\"adjust-to-utc\":true}",
            units[i]);
        CHECK(parse(text)->adjust_to_utc);
    }
}

static void test_names_resolve_by_namespace(void **state)
{
    (void)state;
    const frz_avro_schema *s = parse(
        "{\"type\":\"record\",\"name\":\"a.full.Name\",\"namespace\":\"ignored\",\"fields\":["
        "{\"name\":\"x\",\"type\":{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"d\",\"e\"]}},"
        "{\"name\":\"y\",\"type\":{\"type\":\"fixed\",\"name\":\"E\",\"namespace\":\"other\","
        "\"size\":2}},"
        "{\"name\":\"z\",\"type\":\"E\"},{\"name\":\"w\",\"type\":\"other.E\"},"
        "{\"name\":\"v\",\"type\":{\"type\":\"a.full.E\"}},"
        "{\"name\":\"next\",\"type\":[\"null\",\"Name\"]}]}");
    CHECK(strcmp(s->name, "a.full.Name") == 0);
    CHECK(strcmp(s->fields[0].type->name, "a.full.E") == 0);
    CHECK(s->fields[0].type->symbol_count == 2 && strcmp(s->fields[0].type->symbols[1], "e") == 0);
    CHECK(s->fields[2].type == s->fields[0].type && s->fields[4].type == s->fields[0].type);
    CHECK(s->fields[3].type == s->fields[1].type && s->fields[1].type->size == 2);
    CHECK(s->fields[5].type->branches[1] == s);
}

static void test_each_fault_is_named(void **state)
{
    (void)state;
    parse_fails("", FRZ_CORRUPT, "");
    parse_fails("42", FRZ_CORRUPT, "expected a type name, object or union");
    parse_fails("\"nope\"", FRZ_CORRUPT, "type \"nope\" is not defined");
    parse_fails("\"record\"", FRZ_CORRUPT, "type \"record\" is not defined");
    parse_fails("[]", FRZ_CORRUPT, "a union without branches");
    parse_fails("[\"null\",[\"int\"]]", FRZ_CORRUPT, "a union immediately inside a union");
    parse_fails("{\"name\":\"x\"}", FRZ_CORRUPT, "type without \"type\"");
    parse_fails("{\"type\":\"record\",\"fields\":[]}", FRZ_CORRUPT, "record without \"name\"");
    parse_fails("{\"type\":\"record\",\"name\":\"r\"}", FRZ_CORRUPT, "record without \"fields\"");
    parse_fails("{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\"}]}", FRZ_CORRUPT,
                "field without \"type\"");
    parse_fails("{\"type\":\"fixed\",\"name\":\"f\",\"size\":-1}", FRZ_CORRUPT,
                "fixed \"f\" of size -1");
    parse_fails("{\"type\":\"array\"}", FRZ_CORRUPT, "array without \"items\"");
    parse_fails("{\"type\":\"map\"}", FRZ_CORRUPT, "map without \"values\"");
    parse_fails("{\"type\":\"enum\",\"name\":\"e\"}", FRZ_CORRUPT, "enum without \"symbols\"");
    parse_fails("[{\"type\":\"fixed\",\"name\":\"f\",\"size\":1},"
                "{\"type\":\"fixed\",\"name\":\"f\",\"size\":1}]",
                FRZ_CORRUPT, "\"f\" is defined twice");
    parse_fails("\"int\" 1", FRZ_CORRUPT, "");
}

static void test_depth_and_width_have_limits(void **state)
{
    (void)state;
    char deep[8192] = "";
    frz_limits narrow = frz_limits_default;
    frz_error *err = NULL;
    const frz_avro_schema *schema = NULL;
    size_t at = 0;
    for (int i = 0; i < 200; i++)
        at += (size_t)snprintf(deep + at, sizeof deep - at, "{\"type\":\"array\",\"items\":");
    at += (size_t)snprintf(deep + at, sizeof deep - at, "\"int\"");
    memset(deep + at, '}', 200);
    CHECK(frz_avro_schema_parse(frz_slice_of_text(deep), NULL, &arena, &schema, &err) != FRZ_OK);
    CHECK(frz_error_status(err) == FRZ_UNSUPPORTED || frz_error_status(err) == FRZ_CORRUPT);
    frz_error_free(err);
    err = NULL;
    narrow.schema_columns = 1;
    CHECK_FAILS(
        frz_avro_schema_parse(
            frz_slice_of_text("{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\","
                              "\"type\":\"int\"},{\"name\":\"b\",\"type\":\"int\"}]}"),
            &narrow, &arena, &schema, &err),
        FRZ_UNSUPPORTED, err, "more than 1 fields (limit schema_columns)");
}

static const char whole[] =
    "{\"type\":\"record\",\"name\":\"n.r\",\"fields\":[{\"name\":\"a\",\"type\":[\"null\",{"
    "\"type\":\"enum\","
    "\"name\":\"e\",\"symbols\":[\"x\\u0041\",\"y\"]}],\"field-id\":1},{\"name\":\"b\",\"type\":{"
    "\"type\":"
    "\"array\",\"items\":{\"type\":\"fixed\",\"name\":\"f\",\"size\":3}}}]}";

static void parse_whole(void)
{
    frz_arena own = {0};
    frz_error *err = NULL;
    const frz_avro_schema *schema = NULL;
    const frz_status status =
        frz_avro_schema_parse(frz_slice_of_text(whole), NULL, &own, &schema, &err);
    CHECK(status == FRZ_OK ? schema->field_count == 2
                           : frz_mem_failed() && status == FRZ_NO_MEMORY);
    frz_error_free(err);
    frz_arena_clear(&own);
}

static void test_short_memory_and_cut_text_are_clean(void **state)
{
    (void)state;
    sweep_allocation_failures(parse_whole);
    for (size_t size = 0; size < sizeof whole - 1; size++) {
        frz_error *err = NULL;
        const frz_avro_schema *schema = NULL;
        CHECK(frz_avro_schema_parse(frz_slice_of(whole, size), NULL, &arena, &schema, &err) ==
              FRZ_CORRUPT);
        frz_error_free(err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d153_timestamps_are_not_adjusted_unless_said),
        cmocka_unit_test_teardown(test_iceberg_ids_and_map_arrays_are_kept, clear_arena),
        cmocka_unit_test_teardown(test_an_array_is_a_map_only_by_its_annotation_and_shape,
                                  clear_arena),
        cmocka_unit_test_teardown(test_logical_types_that_do_not_fit_are_dropped, clear_arena),
        cmocka_unit_test_teardown(test_names_resolve_by_namespace, clear_arena),
        cmocka_unit_test_teardown(test_each_fault_is_named, clear_arena),
        cmocka_unit_test_teardown(test_depth_and_width_have_limits, clear_arena),
        cmocka_unit_test_teardown(test_short_memory_and_cut_text_are_clean, clear_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
