#include "harness.h"

#include "spec/schema.h"
#include "spec/type.h"
#include "spec/value.h"

static const frz_type *parsed(frz_arena *arena, const char *text)
{
    frz_error *err = NULL;
    const frz_type *type = NULL;
    CHECK_OK(frz_type_parse(frz_slice_of_text(text), arena, &type, &err), err);
    return type;
}

static void check_print(const frz_type *type, const char *want)
{
    frz_buffer text = {0};
    frz_type_print(type, &text);
    frz_buffer_append_byte(&text, 0);
    CHECK(!text.failed);
    assert_string_equal((const char *)text.data, want);
    frz_buffer_clear(&text);
}

/* Appendix C, "Types are serialized according to this table", and blanks and case as Java reads
 * them. */
static const struct {
    const char *text;
    frz_type_kind kind;
    const char *printed;
    int version;
} forms[] = {
    {"unknown", FRZ_TYPE_UNKNOWN, "unknown", 3},
    {"boolean", FRZ_TYPE_BOOLEAN, "boolean", 1},
    {"int", FRZ_TYPE_INT, "int", 1},
    {"long", FRZ_TYPE_LONG, "long", 1},
    {"float", FRZ_TYPE_FLOAT, "float", 1},
    {"double", FRZ_TYPE_DOUBLE, "double", 1},
    {"date", FRZ_TYPE_DATE, "date", 1},
    {"time", FRZ_TYPE_TIME, "time", 1},
    {"timestamp", FRZ_TYPE_TIMESTAMP, "timestamp", 1},
    {"timestamptz", FRZ_TYPE_TIMESTAMPTZ, "timestamptz", 1},
    {"timestamp_ns", FRZ_TYPE_TIMESTAMP_NS, "timestamp_ns", 3},
    {"timestamptz_ns", FRZ_TYPE_TIMESTAMPTZ_NS, "timestamptz_ns", 3},
    {"string", FRZ_TYPE_STRING, "string", 1},
    {"String", FRZ_TYPE_STRING, "string", 1},
    {"uuid", FRZ_TYPE_UUID, "uuid", 1},
    {"fixed[16]", FRZ_TYPE_FIXED, "fixed[16]", 1},
    {"fixed[ 16 ]", FRZ_TYPE_FIXED, "fixed[16]", 1},
    {"fixed[0]", FRZ_TYPE_FIXED, "fixed[0]", 1},
    {"binary", FRZ_TYPE_BINARY, "binary", 1},
    {"decimal(9,2)", FRZ_TYPE_DECIMAL, "decimal(9, 2)", 1},
    {"decimal( 9 , 2 )", FRZ_TYPE_DECIMAL, "decimal(9, 2)", 1},
    {"decimal(38,38)", FRZ_TYPE_DECIMAL, "decimal(38, 38)", 1},
    {"variant", FRZ_TYPE_VARIANT, "variant", 3},
    {"geometry", FRZ_TYPE_GEOMETRY, "geometry(OGC:CRS84)", 3},
    {"geometry(srid:4326)", FRZ_TYPE_GEOMETRY, "geometry(srid:4326)", 3},
    {"geography", FRZ_TYPE_GEOGRAPHY, "geography(OGC:CRS84, spherical)", 3},
    {"geography( srid:4326 , Karney )", FRZ_TYPE_GEOGRAPHY, "geography(srid:4326, karney)", 3},
    {"geography(EPSG:4326)", FRZ_TYPE_GEOGRAPHY, "geography(EPSG:4326, spherical)", 3},
};

static void test_reads_and_prints_every_type(void **state)
{
    (void)state;
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const frz_type *type = parsed(&arena, forms[i].text);
        CHECK(type->kind == forms[i].kind);
        check_print(type, forms[i].printed);
        CHECK(frz_type_format_version(type) == forms[i].version);
        CHECK(frz_type_equal(type, parsed(&arena, forms[i].printed)));
        CHECK(frz_type_is_primitive(type) == (type->kind != FRZ_TYPE_VARIANT));
    }
    const frz_type *decimal = parsed(&arena, "decimal(38, 10)");
    CHECK(decimal->precision == 38 && decimal->scale == 10);
    CHECK(parsed(&arena, "fixed[2147483647]")->length == 2147483647);
    frz_arena_clear(&arena);
}

static void test_refuses_what_is_no_type(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        frz_status status;
        const char *message;
    } bad[] = {
        {"", FRZ_UNSUPPORTED, "type \"\" is not known"},
        {"blob", FRZ_UNSUPPORTED, "type \"blob\" is not known"},
        {"struct", FRZ_UNSUPPORTED, "not known"},
        {"int(4)", FRZ_UNSUPPORTED, "type \"int(4)\" is not known"},
        {"interval(day)", FRZ_UNSUPPORTED, "interval(day)"},
        {"decimal", FRZ_CORRUPT, "expected decimal(P, S)"},
        {"decimal(39,2)", FRZ_CORRUPT, "P from 1 to 38"},
        {"decimal(0,0)", FRZ_CORRUPT, "P from 1 to 38"},
        {"decimal(9,10)", FRZ_CORRUPT, "S from 0 to P"},
        {"decimal(9,-2)", FRZ_CORRUPT, "S from 0 to P"},
        {"decimal(9)", FRZ_CORRUPT, "decimal(P, S)"},
        {"decimal(9,2", FRZ_CORRUPT, "\")\" at the end"},
        {"decimal[9,2]", FRZ_CORRUPT, "decimal(P, S)"},
        {"decimal(99999999999999999999,2)", FRZ_CORRUPT, "decimal(P, S)"},
        {"fixed", FRZ_CORRUPT, "fixed[L]"},
        {"fixed[]", FRZ_CORRUPT, "fixed[L]"},
        {"fixed[", FRZ_CORRUPT, "\"]\" at the end"},
        {"fixed[2147483648]", FRZ_CORRUPT, "fixed[L]"},
        {"geometry()", FRZ_CORRUPT, "geometry(CRS)"},
        {"geometry(a,b)", FRZ_CORRUPT, "geometry(CRS)"},
        {"geography(, karney)", FRZ_CORRUPT, "geography(CRS, ALGORITHM)"},
        {"geography(a, flat)", FRZ_UNSUPPORTED, "\"flat\" is not known"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        frz_error *err = NULL;
        const frz_type *type = NULL;
        CHECK_FAILS(frz_type_parse(frz_slice_of_text(bad[i].text), &arena, &type, &err),
                    bad[i].status, err, bad[i].message);
        CHECK(type == NULL);
    }
    frz_arena_clear(&arena);
}

/* "CRS" and "Edge-Interpolation Algorithm": what stands in brackets may have blanks around it and
 * defaults for what is left out; text that could not be printed again is refused. */
static void d152_crs_and_algorithm_survive_the_type_string(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *printed; /* NULL: refused */
        frz_status status;
    } cases[] = {
        {"geometry", "geometry(OGC:CRS84)", FRZ_OK},
        {"geography", "geography(OGC:CRS84, spherical)", FRZ_OK},
        {"geometry( srid:4326 )", "geometry(srid:4326)", FRZ_OK},
        {"geography(srid:4326,spherical)", "geography(srid:4326, spherical)", FRZ_OK},
        {"geography( srid:4326 ,  karney )", "geography(srid:4326, karney)", FRZ_OK},
        {"geography(srid:4326)", "geography(srid:4326, spherical)", FRZ_OK},
        {"geometry(foo)bar)", NULL, FRZ_CORRUPT},
        {"geography(a,b, karney)", NULL, FRZ_UNSUPPORTED},
        {"geography(a, karney", NULL, FRZ_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        frz_arena arena = {0};
        frz_buffer text = {0};
        frz_error *err = NULL;
        const frz_type *type = NULL;
        const frz_status status =
            frz_type_parse(frz_slice_of_text(cases[i].text), &arena, &type, &err);
        if (cases[i].printed) {
            CHECK_OK(status, err);
            frz_type_print(type, &text);
            frz_buffer_append_byte(&text, 0);
            assert_string_equal((const char *)text.data, cases[i].printed);
        } else {
            CHECK_FAILS(status, cases[i].status, err, "geo");
        }
        frz_buffer_clear(&text);
        frz_arena_clear(&arena);
    }
}

/* Spec "Schema Evolution", the table of promotions; every other pair must be refused. */
static void test_promotes_as_the_table_says(void **state)
{
    (void)state;
    static const struct {
        const char *from;
        const char *to;
        int version; /* the first that allows it */
    } allowed[] = {
        {"int", "long", 1},
        {"float", "double", 1},
        {"decimal(9,2)", "decimal(10,2)", 1},
        {"decimal(9,2)", "decimal(38,2)", 1},
        {"date", "timestamp", 3},
        {"date", "timestamp_ns", 3},
    };
    static const char *const types[] = {
        "unknown",   "boolean",       "int",           "long",           "float",
        "double",    "decimal(9,2)",  "decimal(10,2)", "date",           "time",
        "timestamp", "timestamptz",   "timestamp_ns",  "timestamptz_ns", "string",
        "uuid",      "fixed[4]",      "binary",        "variant",        "geometry",
        "geography", "decimal(38,2)", "decimal(10,3)",
    };
    frz_arena arena = {0};
    const size_t count = sizeof types / sizeof types[0];
    for (size_t i = 0; i < count * count; i++) {
        const char *from = types[i / count];
        const char *to = types[i % count];
        int want = strcmp(from, to) == 0 ? 1 : strcmp(from, "unknown") == 0 ? 3 : 9;
        for (size_t j = 0; j < sizeof allowed / sizeof allowed[0]; j++)
            if (strcmp(allowed[j].from, from) == 0 && strcmp(allowed[j].to, to) == 0)
                want = allowed[j].version;
        if (strcmp(from, "decimal(10,2)") == 0 && strcmp(to, "decimal(38,2)") == 0)
            want = 1;
        for (int version = 1; version <= 3; version++)
            if (frz_type_promotes(parsed(&arena, from), parsed(&arena, to), version) !=
                (version >= want))
                fail_msg("%s to %s in V%d", from, to, version);
    }
    frz_arena_clear(&arena);
}

static void test_geo_types_equal_by_crs_without_case(void **state)
{
    (void)state;
    frz_arena arena = {0};
    CHECK(frz_type_equal(parsed(&arena, "geometry"), parsed(&arena, "geometry(ogc:crs84)")));
    CHECK(!frz_type_equal(parsed(&arena, "geometry"), parsed(&arena, "geometry(srid:3857)")));
    CHECK(frz_type_equal(parsed(&arena, "geography"),
                         parsed(&arena, "geography(OGC:CRS84, SPHERICAL)")));
    CHECK(!frz_type_equal(parsed(&arena, "geography"),
                          parsed(&arena, "geography(OGC:CRS84, thomas)")));
    CHECK(!frz_type_equal(parsed(&arena, "geography"), parsed(&arena, "geometry")));
    frz_arena_clear(&arena);
}

/* struct<1: a: required int, 2: m: optional map<string, list<timestamp_ns>>>, with a default on a.
 */
static frz_type nested_type(frz_field fields[2], frz_field map[2], frz_field element[1],
                            frz_type inner[2], const frz_value *initial)
{
    element[0] =
        (frz_field){.id = 5, .name = "element", .type = frz_type_of(FRZ_TYPE_TIMESTAMP_NS)};
    inner[0] = (frz_type){.kind = FRZ_TYPE_LIST, .fields = element, .field_count = 1};
    map[0] =
        (frz_field){.id = 3, .name = "key", .required = true, .type = frz_type_of(FRZ_TYPE_STRING)};
    map[1] = (frz_field){.id = 4, .name = "value", .type = &inner[0]};
    inner[1] = (frz_type){.kind = FRZ_TYPE_MAP, .fields = map, .field_count = 2};
    fields[0] = (frz_field){.id = 1,
                            .name = "a",
                            .required = true,
                            .type = frz_type_of(FRZ_TYPE_STRING),
                            .doc = "text",
                            .initial_default = initial,
                            .write_default = initial};
    fields[1] = (frz_field){.id = 2, .name = "m", .type = &inner[1]};
    return (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 2};
}

static void test_nested_types_copy_deeply(void **state)
{
    (void)state;
    frz_field fields[2];
    frz_field map[2];
    frz_field element[1];
    frz_type inner[2];
    uint8_t letters[] = {'x', 'y'};
    const frz_value initial = {.form = FRZ_VALUE_BYTES, .bytes = {letters, 2}};
    const frz_type type = nested_type(fields, map, element, inner, &initial);
    frz_arena arena = {0};

    const frz_type *copy = frz_type_copy(&type, &arena);
    CHECK(copy && frz_type_equal(&type, copy));
    letters[0] = 'z';
    CHECK(frz_slice_is_text(copy->fields[0].initial_default->bytes, "xy"));
    CHECK(copy->fields[0].write_default != copy->fields[0].initial_default);
    assert_string_equal(copy->fields[0].doc, "text");
    check_print(copy,
                "struct<1: a: required string, 2: m: optional map<string, list<timestamp_ns>>>");
    CHECK(frz_type_format_version(copy) == 3);
    CHECK(!frz_type_is_primitive(copy));

    element[0].id = 6;
    CHECK(!frz_type_equal(&type, copy));
    element[0].id = 5;
    map[1].required = true;
    CHECK(!frz_type_equal(&type, copy));
    map[1].required = false;
    fields[1].name = "n";
    CHECK(!frz_type_equal(&type, copy));
    frz_arena_clear(&arena);
}

/* Java's AssignFreshIds: the columns of a level first, key and value before what is inside of them.
 */
static void test_fresh_ids_go_level_by_level(void **state)
{
    (void)state;
    frz_field fields[3];
    frz_field map[2];
    frz_field element[1];
    frz_type inner[2];
    frz_arena arena = {0};
    const frz_type first = nested_type(fields, map, element, inner, NULL);
    const frz_field columns[] = {{.id = 70, .name = "s", .type = &first},
                                 {.id = 70, .name = "t", .type = &first},
                                 {.id = 70, .name = "u", .type = frz_type_of(FRZ_TYPE_INT)}};
    const frz_type whole = {.kind = FRZ_TYPE_STRUCT, .fields = columns, .field_count = 3};
    int32_t last_id = 10;
    const frz_type *fresh = frz_type_assign_ids(&whole, &arena, &last_id);
    CHECK(fresh != NULL && last_id == 23);
    check_print(fresh, "struct<11: s: optional struct<14: a: required string, "
                       "15: m: optional map<string, list<timestamp_ns>>>, "
                       "12: t: optional struct<19: a: required string, "
                       "20: m: optional map<string, list<timestamp_ns>>>, 13: u: optional int>");
    const frz_type *fresh_map = fresh->fields[0].type->fields[1].type;
    CHECK(fresh_map->fields[0].id == 16 && fresh_map->fields[1].id == 17);
    CHECK(fresh_map->fields[1].type->fields[0].id == 18);
    CHECK(columns[0].id == 70 && map[0].id == 3);
    frz_arena_clear(&arena);
}

static void copy_once(void)
{
    frz_field fields[2];
    frz_field map[2];
    frz_field element[1];
    frz_type inner[2];
    const frz_value initial = {.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("xy")};
    const frz_type type = nested_type(fields, map, element, inner, &initial);
    frz_arena arena = {0};
    const frz_type *copy = frz_type_copy(&type, &arena);
    CHECK((copy != NULL) == !frz_mem_failed());
    frz_arena_clear(&arena);

    frz_error *err = NULL;
    const frz_type *geo = NULL;
    const frz_status status =
        frz_type_parse(frz_slice_of_text("geography(x, thomas)"), &arena, &geo, &err);
    CHECK(status == (frz_mem_failed() && !geo ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(copy_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_and_prints_every_type),
        cmocka_unit_test(test_refuses_what_is_no_type),
        cmocka_unit_test(d152_crs_and_algorithm_survive_the_type_string),
        cmocka_unit_test(test_promotes_as_the_table_says),
        cmocka_unit_test(test_geo_types_equal_by_crs_without_case),
        cmocka_unit_test(test_nested_types_copy_deeply),
        cmocka_unit_test(test_fresh_ids_go_level_by_level),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
