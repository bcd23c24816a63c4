#include "catalog/arrow_schema.h"

#include "harness.h"

#include "arrow/schema.h"
#include "base/fail.h"

typedef struct leaf_case {
    const char *format;
    const char *type;
} leaf_case;

static const leaf_case leaves[] = {
    {"n", "unknown"},
    {"b", "boolean"},
    {"c", "int"},
    {"C", "int"},
    {"s", "int"},
    {"S", "int"},
    {"i", "int"},
    {"I", "long"},
    {"l", "long"},
    {"e", "float"},
    {"f", "float"},
    {"g", "double"},
    {"d:9,2", "decimal(9, 2)"},
    {"u", "string"},
    {"U", "string"},
    {"vu", "string"},
    {"z", "binary"},
    {"Z", "binary"},
    {"vz", "binary"},
    {"w:3", "fixed[3]"},
    {"tdD", "date"},
    {"tdm", "date"},
    {"ttm", "time"},
    {"ttu", "time"},
    {"tss:", "timestamp"},
    {"tsu:", "timestamp"},
    {"tsu:UTC", "timestamptz"},
    {"tsn:", "timestamp_ns"},
    {"tsn:Europe/Bern", "timestamptz_ns"},
};

static void leaves_map_to_the_type_that_holds_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        frz_error *err = NULL;
        frz_schema *schema = NULL;
        frz_buffer text = {0};
        struct ArrowSchema root = {0};
        CHECK_OK(frz_arrow_schema_init(&root, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 1, &err),
                 err);
        CHECK_OK(frz_arrow_schema_init(root.children[0], leaves[i].format, "x", true,
                                       FRZ_ARROW_NO_FIELD_ID, 0, &err),
                 err);
        CHECK_OK(frz_schema_from_arrow(&root, &schema, &err), err);
        const frz_field *field = &frz_schema_type(schema)->fields[0];
        frz_type_print(field->type, &text);
        frz_buffer_append_byte(&text, 0);
        assert_string_equal((const char *)text.data, leaves[i].type);
        CHECK(field->id == 1 && !field->required);
        CHECK((field->type->length != 0) == (field->type->kind == FRZ_TYPE_FIXED));
        CHECK((field->type->precision != 0) == (field->type->kind == FRZ_TYPE_DECIMAL));
        frz_buffer_clear(&text);
        frz_schema_unref(schema);
        frz_arrow_schema_clear(&root);
    }
}

static void what_no_type_holds_is_refused_by_column(void **state)
{
    static const char *const formats[] = {"L", "tDu", "tiM", "ttn"};
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        frz_error *err = NULL;
        frz_schema *schema = NULL;
        struct ArrowSchema root = {0};
        CHECK_OK(frz_arrow_schema_init(&root, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 1, &err),
                 err);
        CHECK_OK(frz_arrow_schema_init(root.children[0], formats[i], "bad", true,
                                       FRZ_ARROW_NO_FIELD_ID, 0, &err),
                 err);
        CHECK_FAILS(frz_schema_from_arrow(&root, &schema, &err), FRZ_UNSUPPORTED, err,
                    i ? "column bad" : "column bad: Arrow type uint64 (L) has no Iceberg type");
        frz_arrow_schema_clear(&root);
    }
}

static frz_status make_nested(struct ArrowSchema *root, frz_error **err)
{
    FRZ_TRY(frz_arrow_schema_init(root, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 3, err));
    struct ArrowSchema *s = root->children[0];
    struct ArrowSchema *l = root->children[1];
    struct ArrowSchema *m = root->children[2];
    FRZ_TRY(frz_arrow_schema_init(s, "+s", "s", true, FRZ_ARROW_NO_FIELD_ID, 1, err));
    FRZ_TRY(frz_arrow_schema_init(s->children[0], "i", "a", false, 77, 0, err));
    FRZ_TRY(frz_arrow_schema_init(l, "+L", "l", true, FRZ_ARROW_NO_FIELD_ID, 1, err));
    FRZ_TRY(
        frz_arrow_schema_init(l->children[0], "u", "item", true, FRZ_ARROW_NO_FIELD_ID, 0, err));
    FRZ_TRY(frz_arrow_schema_init(m, "+m", "m", false, FRZ_ARROW_NO_FIELD_ID, 1, err));
    struct ArrowSchema *entries = m->children[0];
    FRZ_TRY(frz_arrow_schema_init(entries, "+s", "entries", false, FRZ_ARROW_NO_FIELD_ID, 2, err));
    FRZ_TRY(
        frz_arrow_schema_init(entries->children[0], "u", "k", true, FRZ_ARROW_NO_FIELD_ID, 0, err));
    return frz_arrow_schema_init(entries->children[1], "w:16", "v", true, FRZ_ARROW_NO_FIELD_ID, 0,
                                 err);
}

static void a_level_gets_its_ids_before_its_children(void **state)
{
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    struct ArrowSchema root = {0};
    (void)state;
    CHECK_OK(make_nested(&root, &err), err);
    CHECK_OK(frz_schema_from_arrow(&root, &schema, &err), err);
    CHECK(frz_schema_find_name(schema, frz_slice_of_text("s"), true)->id == 1);
    CHECK(frz_schema_find_name(schema, frz_slice_of_text("m"), true)->id == 3);
    CHECK(frz_schema_find_name(schema, frz_slice_of_text("s.a"), true)->id == 4);
    CHECK(frz_schema_find_name(schema, frz_slice_of_text("s.a"), true)->required);
    CHECK(frz_schema_find_name(schema, frz_slice_of_text("l.element"), true)->id == 5);
    CHECK(frz_schema_find_name(schema, frz_slice_of_text("m.key"), true)->id == 6);
    CHECK(frz_schema_find_name(schema, frz_slice_of_text("m.key"), true)->required);
    CHECK(frz_schema_find_name(schema, frz_slice_of_text("m.value"), true)->id == 7);
    frz_schema_unref(schema);
    frz_arrow_schema_clear(&root);
}

static struct ArrowSchema swept;

static void convert_swept(void)
{
    frz_schema *schema = NULL;
    const frz_status status = frz_schema_from_arrow(&swept, &schema, NULL);
    CHECK((status == FRZ_OK) == !frz_mem_failed());
    frz_schema_unref(schema);
}

static void survives_every_failing_allocation(void **state)
{
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(make_nested(&swept, &err), err);
    sweep_allocation_failures(convert_swept);
    frz_arrow_schema_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_map_to_the_type_that_holds_them),
        cmocka_unit_test(what_no_type_holds_is_refused_by_column),
        cmocka_unit_test(a_level_gets_its_ids_before_its_children),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
