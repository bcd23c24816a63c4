#include "harness.h"

#include "spec/schema.h"

/* id long not null, "a.b" string, point struct<x: double not null, y: double> not null,
 * tags list<struct<k: string>>, m map<string, struct<v: int>>, ID2 int. */
typedef struct sample {
    frz_field point[2];
    frz_field tag[1];
    frz_field element[1];
    frz_field value[1];
    frz_field map[2];
    frz_type nested[5];
    frz_field columns[6];
} sample;

static frz_field make_field(int32_t id, const char *name, bool required, const frz_type *type)
{
    return (frz_field){.id = id, .name = name, .required = required, .type = type};
}

static frz_type make_type(frz_type_kind kind, const frz_field *fields, size_t count)
{
    return (frz_type){.kind = kind, .fields = fields, .field_count = count};
}

static void make_sample(sample *s)
{
    const frz_type *string = frz_type_of(FRZ_TYPE_STRING);
    s->point[0] = make_field(4, "x", true, frz_type_of(FRZ_TYPE_INT));
    s->point[1] = make_field(5, "y", false, frz_type_of(FRZ_TYPE_DOUBLE));
    s->nested[0] = make_type(FRZ_TYPE_STRUCT, s->point, 2);
    s->tag[0] = make_field(8, "k", false, string);
    s->nested[1] = make_type(FRZ_TYPE_STRUCT, s->tag, 1);
    s->element[0] = make_field(7, "element", false, &s->nested[1]);
    s->nested[2] = make_type(FRZ_TYPE_LIST, s->element, 1);
    s->value[0] = make_field(12, "v", false, frz_type_of(FRZ_TYPE_INT));
    s->nested[3] = make_type(FRZ_TYPE_STRUCT, s->value, 1);
    s->map[0] = make_field(10, "key", true, string);
    s->map[1] = make_field(11, "value", false, &s->nested[3]);
    s->nested[4] = make_type(FRZ_TYPE_MAP, s->map, 2);
    s->columns[0] = make_field(1, "id", true, frz_type_of(FRZ_TYPE_LONG));
    s->columns[1] = make_field(2, "a.b", false, string);
    s->columns[2] = make_field(3, "point", true, &s->nested[0]);
    s->columns[3] = make_field(6, "tags", false, &s->nested[2]);
    s->columns[4] = make_field(9, "m", false, &s->nested[4]);
    s->columns[5] = make_field(13, "ID2", false, frz_type_of(FRZ_TYPE_INT));
}

static frz_schema *sample_schema(void)
{
    sample s;
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    const int32_t ids[] = {1, 4};
    make_sample(&s);
    CHECK_OK(frz_schema_new(7, s.columns, 6, ids, 2, &schema, &err), err);
    memset(&s, 0xAB, sizeof s); /* the schema has copies */
    return schema;
}

static int32_t id_of(const frz_schema *schema, const char *path, bool case_sensitive)
{
    const frz_field *field = frz_schema_find_name(schema, frz_slice_of_text(path), case_sensitive);
    return field ? field->id : -1;
}

static void test_finds_by_id_and_name(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int32_t id;
        int32_t folded_id;
    } rows[] = {
        {"id", 1, 1},
        {"ID", -1, 1},
        {"a.b", 2, 2},
        {"A.B", -1, 2},
        {"point", 3, 3},
        {"point.x", 4, 4},
        {"Point.Y", -1, 5},
        {"tags", 6, 6},
        {"tags.element", 7, 7},
        {"tags.element.k", 8, 8},
        {"tags.k", 8, 8},
        {"TAGS.K", -1, 8},
        {"m", 9, 9},
        {"m.key", 10, 10},
        {"m.value", 11, 11},
        {"m.value.v", 12, 12},
        {"m.v", 12, 12},
        {"m.key.v", -1, -1},
        {"id2", -1, 13},
        {"", -1, -1},
        {"point.", -1, -1},
        {".id", -1, -1},
        {"a", -1, -1},
        {"idx", -1, -1},
    };
    frz_schema *schema = sample_schema();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (id_of(schema, rows[i].path, true) != rows[i].id ||
            id_of(schema, rows[i].path, false) != rows[i].folded_id)
            fail_msg("%s", rows[i].path);
    }
    assert_string_equal(frz_schema_path(schema, 8), "tags.element.k");
    assert_string_equal(frz_schema_path(schema, 2), "a.b");
    CHECK(frz_schema_path(schema, 14) == NULL && frz_schema_find_id(schema, 14) == NULL);
    CHECK(frz_schema_find_id(schema, 12)->type->kind == FRZ_TYPE_INT);
    CHECK(frz_schema_parent(schema, 12)->id == 11 && frz_schema_parent(schema, 9) == NULL);
    CHECK(frz_schema_id(schema) == 7 && frz_schema_highest_id(schema) == 13);
    size_t count = 0;
    CHECK(frz_schema_identifier_ids(schema, &count)[1] == 4 && count == 2);
    CHECK(frz_schema_field_count(schema) == 13);
    for (size_t i = 0; i < 13; i++)
        CHECK(frz_schema_field_at(schema, i)->id == (int32_t)i + 1);
    frz_schema_unref(frz_schema_ref(schema));
    CHECK(frz_schema_type(schema)->field_count == 6);
    frz_schema_unref(schema);
    frz_schema_unref(NULL);
}

static void test_ambiguous_names_without_case_find_none(void **state)
{
    (void)state;
    const frz_type *type = frz_type_of(FRZ_TYPE_INT);
    const frz_field columns[] = {make_field(1, "a", false, type), make_field(2, "A", false, type),
                                 make_field(3, "B", false, type)};
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(frz_schema_new(0, columns, 3, NULL, 0, &schema, &err), err);
    CHECK(id_of(schema, "a", false) == 1 && id_of(schema, "A", false) == 2);
    CHECK(id_of(schema, "b", false) == 3 && id_of(schema, "b", true) == -1);
    frz_schema_unref(schema);
    const frz_field more[] = {make_field(1, "Ab", false, type), make_field(2, "aB", false, type)};
    CHECK_OK(frz_schema_new(0, more, 2, NULL, 0, &schema, &err), err);
    CHECK(id_of(schema, "ab", false) == -1);
    frz_schema_unref(schema);
}

/* Report D136: 0 is an id as any other. Ids above 1000 are columns, not partition fields. */
static void d136_all_ids_below_the_reserved_ones_are_valid(void **state)
{
    (void)state;
    const frz_type *type = frz_type_of(FRZ_TYPE_INT);
    const frz_field columns[] = {make_field(0, "zero", false, type),
                                 make_field(1000, "thousand", false, type),
                                 make_field(FRZ_FIELD_ID_MAX, "last", false, type)};
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(frz_schema_new(0, columns, 3, NULL, 0, &schema, &err), err);
    assert_string_equal(frz_schema_find_id(schema, 0)->name, "zero");
    CHECK(frz_schema_highest_id(schema) == FRZ_FIELD_ID_MAX);
    frz_schema_unref(schema);

    const frz_field metadata[] = {make_field(FRZ_FIELD_ID_ROW_ID, "_row_id", false, type),
                                  make_field(FRZ_FIELD_ID_FILE, "_file", false, type)};
    CHECK_OK(frz_schema_new(0, metadata, 2, NULL, 0, &schema, &err), err);
    frz_schema_unref(schema);
    CHECK_OK(frz_schema_new(0, NULL, 0, NULL, 0, &schema, &err), err);
    CHECK(frz_schema_highest_id(schema) == 0 && frz_schema_field_count(schema) == 0);
    frz_schema_unref(schema);
}

static void refuse(const frz_field *columns, size_t count, const int32_t *ids, size_t id_count,
                   const char *message)
{
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_FAILS(frz_schema_new(0, columns, count, ids, id_count, &schema, &err), FRZ_INVALID, err,
                message);
    CHECK(schema == NULL);
}

static void test_refuses_broken_schemas(void **state)
{
    (void)state;
    const frz_type *type = frz_type_of(FRZ_TYPE_INT);
    frz_field pair[] = {make_field(1, "a", false, type), make_field(1, "b", false, type)};
    refuse(pair, 2, NULL, 0, "field id 1 of both a and b");
    pair[1] = make_field(2, "a", false, type);
    refuse(pair, 2, NULL, 0, "two columns named a (ids 1 and 2)");
    pair[1] = make_field(-1, "b", false, type);
    refuse(pair, 2, NULL, 0, "column b (id -1): a field id must not be negative");
    pair[1] = make_field(FRZ_FIELD_ID_MAX + 1, "b", false, type);
    refuse(pair, 2, NULL, 0, "ids above 2147483447 are reserved");
    pair[1] = make_field(2, "b", true, frz_type_of(FRZ_TYPE_UNKNOWN));
    refuse(pair, 2, NULL, 0, "a column of type unknown must be optional");

    sample s;
    make_sample(&s);
    s.tag[0].id = 3;
    refuse(s.columns, 6, NULL, 0, "field id 3 of both point and tags.element.k");
    make_sample(&s);
    s.point[0].id = FRZ_FIELD_ID_ROW_ID; /* a metadata column is no nested one */
    refuse(s.columns, 6, NULL, 0, "column point.x (id 2147483540): ids above");
    make_sample(&s);
    s.columns[1].name = "point.x";
    refuse(s.columns, 6, NULL, 0, "two columns named point.x (ids 2 and 4)");
}

static void test_refuses_wrong_identifier_fields(void **state)
{
    (void)state;
    static const struct {
        int32_t id;
        const char *message;
    } rows[] = {
        {99, "identifier field id 99 is of no column"},
        {2, "column a.b (id 2): an identifier field and all it is nested in must be required"},
        {3, "column point (id 3): an identifier field must be of a primitive type"},
        {5, "must not be float or double"},
        {10, "all it is nested in must be required"},
    };
    sample s;
    make_sample(&s);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refuse(s.columns, 6, &rows[i].id, 1, rows[i].message);
    const int32_t key = 10;
    s.columns[4].required = true;
    refuse(s.columns, 6, &key, 1, "must not be inside of a list or map");
    const int32_t x = 4;
    s.columns[2].required = false;
    refuse(s.columns, 6, &x, 1, "column point.x (id 4): an identifier field and all");
}

/* "Default values": what may stand in a schema. */
static void d129_a_struct_has_no_default_but_null_and_empty(void **state)
{
    (void)state;
    const frz_value one = {.form = FRZ_VALUE_INTEGER, .integer = 1};
    const frz_value text = {.form = FRZ_VALUE_BYTES, .bytes = {(const uint8_t *)"x", 1}};
    const frz_value nothing = {.form = FRZ_VALUE_NULL};
    const frz_value empty = {.form = FRZ_VALUE_STRUCT};
    const frz_value full = {.form = FRZ_VALUE_STRUCT, .items = {&one, 1}};
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    sample s;
    make_sample(&s);
    s.point[0].initial_default = &one;
    s.columns[2].initial_default = &empty;
    s.columns[2].write_default = &nothing;
    CHECK_OK(frz_schema_new(0, s.columns, 6, NULL, 0, &schema, &err), err);
    CHECK(frz_schema_find_id(schema, 4)->initial_default->integer == 1);
    CHECK(frz_schema_find_id(schema, 3)->initial_default->form == FRZ_VALUE_STRUCT);
    frz_schema_unref(schema);
    schema = NULL;

    s.columns[2].write_default = &full;
    refuse(s.columns, 6, NULL, 0, "column point (id 3): a struct's default may only be null or {}");
    s.columns[2].write_default = NULL;
    s.point[0].write_default = &text;
    refuse(s.columns, 6, NULL, 0, "column point.x (id 4): its default is of another type");
    static const frz_type_kind kinds[] = {FRZ_TYPE_UNKNOWN, FRZ_TYPE_VARIANT, FRZ_TYPE_GEOMETRY,
                                          FRZ_TYPE_GEOGRAPHY};
    for (size_t i = 0; i < 4; i++) {
        frz_field column = make_field(1, "c", false, frz_type_of(kinds[i]));
        column.initial_default = &text;
        refuse(&column, 1, NULL, 0, "column c (id 1): its type allows no default but null");
    }
}

static void check_version(const frz_field *column, int version, const char *message)
{
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(frz_schema_new(0, column, 1, NULL, 0, &schema, &err), err);
    if (message)
        CHECK_FAILS(frz_schema_check_version(schema, version, &err), FRZ_INVALID, err, message);
    else
        CHECK_OK(frz_schema_check_version(schema, version, &err), err);
    frz_schema_unref(schema);
}

static void test_knows_what_needs_version_3(void **state)
{
    (void)state;
    const frz_value one = {.form = FRZ_VALUE_INTEGER, .integer = 1};
    const frz_value nothing = {.form = FRZ_VALUE_NULL};
    frz_field inner = make_field(2, "t", false, frz_type_of(FRZ_TYPE_TIMESTAMP_NS));
    const frz_type nested = make_type(FRZ_TYPE_STRUCT, &inner, 1);
    const frz_field column = make_field(1, "s", false, &nested);
    check_version(&column, 2,
                  "column s.t: type timestamp_ns needs format version 3, the table has 2");
    check_version(&column, 3, NULL);
    inner.type = frz_type_of(FRZ_TYPE_INT);
    inner.write_default = &one;
    inner.initial_default = &nothing;
    check_version(&column, 1, NULL);
    inner.initial_default = &one;
    check_version(&column, 1, "column s.t: an initial default needs format version 3");
    check_version(&column, 3, NULL);
}

static void check_suggestions(const frz_schema *schema, const char *name, const char *want)
{
    frz_buffer text = {0};
    frz_schema_suggest(schema, frz_slice_of_text(name), &text);
    if (!frz_slice_is_text(frz_buffer_slice(&text), want))
        fail_msg("%s: %.*s", name, (int)text.size, (const char *)text.data);
    frz_buffer_clear(&text);
}

static void test_suggests_near_names(void **state)
{
    (void)state;
    frz_schema *schema = sample_schema();
    check_suggestions(schema, "poimt", "point");
    check_suggestions(schema, "pointx", "point, point.x, point.y");
    check_suggestions(schema, "ID3", "id, ID2");
    check_suggestions(schema, "tag", "tags");
    check_suggestions(schema, "elephantine", "");
    check_suggestions(schema, "", "");
    frz_schema_unref(schema);
}

static frz_status nest(size_t depth, frz_schema **out, frz_error **err)
{
    frz_type *types = calloc(depth + 1, sizeof *types);
    frz_field *fields = calloc(depth + 1, sizeof *fields);
    types[0] = *frz_type_of(FRZ_TYPE_INT);
    for (size_t i = 0; i < depth; i++) {
        fields[i] = make_field((int32_t)i, "f", false, &types[i]);
        types[i + 1] = make_type(FRZ_TYPE_STRUCT, &fields[i], 1);
    }
    const frz_status status = frz_schema_new(0, types[depth].fields, 1, NULL, 0, out, err);
    free(types);
    free(fields);
    return status;
}

static void test_limits_depth(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(nest(frz_limits_default.nesting_depth, &schema, &err), err);
    frz_schema_unref(schema);
    CHECK_FAILS(nest(frz_limits_default.nesting_depth + 2, &schema, &err), FRZ_UNSUPPORTED, err,
                "limit nesting_depth");
}

static void make_once(void)
{
    sample s;
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    const int32_t ids[] = {1, 4};
    make_sample(&s);
    const frz_status status = frz_schema_new(7, s.columns, 6, ids, 2, &schema, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    CHECK((schema != NULL) == (status == FRZ_OK));
    frz_schema_unref(schema);
    frz_error_free(err);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(make_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_by_id_and_name),
        cmocka_unit_test(test_ambiguous_names_without_case_find_none),
        cmocka_unit_test(d136_all_ids_below_the_reserved_ones_are_valid),
        cmocka_unit_test(test_refuses_broken_schemas),
        cmocka_unit_test(test_refuses_wrong_identifier_fields),
        cmocka_unit_test(d129_a_struct_has_no_default_but_null_and_empty),
        cmocka_unit_test(test_knows_what_needs_version_3),
        cmocka_unit_test(test_suggests_near_names),
        cmocka_unit_test(test_limits_depth),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
