#include "scan/projection.h"

#include "harness.h"
#include "spec/ddl.h"

static frz_schema *parse(const char *ddl)
{
    frz_schema *schema = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text(ddl), &schema, &err), err);
    return schema;
}

/* The projection of a comma-free list of names as DDL-like text. */
static void check(const char *const *names, size_t count, const char *wanted)
{
    frz_schema *schema =
        parse("id long, s struct<a: int, b: struct<c: int, d: string>>, "
              "l list<struct<x: int, y: int>>, m map<string, struct<p: int, q: int>>");
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_projection out = {0};
    frz_buffer text = {0};
    const frz_name_list list = {.items = names, .count = count};
    CHECK_OK(frz_projection_resolve(schema, NULL, &list, true, &arena, &out, &err), err);
    for (size_t i = 0; i < out.type->field_count; i++) {
        frz_buffer_printf(&text, "%s%s ", i ? "; " : "", out.type->fields[i].name);
        frz_type_print(out.type->fields[i].type, &text);
    }
    frz_buffer_append_byte(&text, 0);
    if (strcmp((char *)text.data, wanted) != 0)
        fail_msg("got %s, want %s", (char *)text.data, wanted);
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
    frz_schema_unref(schema);
}

static void test_names_give_columns_in_their_order_once(void **state)
{
    (void)state;
    const char *const names[] = {"_row_id", "id", "id", "_file"};
    check(names, 4, "_row_id long; id long; _file string");
}

static void test_nested_names_prune(void **state)
{
    (void)state;
    const char *const one[] = {"s.b.c"};
    const char *const two[] = {"s.a", "s.b"};
    const char *const list[] = {"l.element.y"};
    const char *const map[] = {"m.value.p"};
    check(one, 1, "s struct<6: b: optional struct<7: c: optional int>>");
    check(two, 2,
          "s struct<5: a: optional int, 6: b: optional struct<7: c: optional int, 8: d: optional "
          "string>>");
    check(list, 1, "l list<struct<11: y: optional int>>");
    check(map, 1, "m map<string, struct<14: p: optional int>>");
}

static void test_an_unknown_name_is_refused_with_near_ones(void **state)
{
    (void)state;
    frz_schema *schema = parse("order_id long, amount int");
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_projection out = {0};
    const char *const wrong[] = {"ordr_id"};
    const char *const partition[] = {"_partition"};
    const frz_name_list list = {.items = wrong, .count = 1};
    const frz_name_list none = {.items = partition, .count = 1};
    CHECK_FAILS(frz_projection_resolve(schema, NULL, &list, true, &arena, &out, &err), FRZ_INVALID,
                err, "no column \"ordr_id\"; near: order_id");
    CHECK_FAILS(frz_projection_resolve(schema, NULL, &none, true, &arena, &out, &err), FRZ_INVALID,
                err, "not partitioned");
    frz_arena_clear(&arena);
    frz_schema_unref(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_give_columns_in_their_order_once),
        cmocka_unit_test(test_nested_names_prune),
        cmocka_unit_test(test_an_unknown_name_is_refused_with_near_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
