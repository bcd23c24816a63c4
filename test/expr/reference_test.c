#include "expr/reference.h"

#include "expr/sample.h"

static frz_schema *schema;

static const frz_reference *resolve(const char *text, frz_arena *arena)
{
    frz_buffer test = {0};
    frz_buffer_printf(&test, "%s IS NULL%c", text, 0);
    const frz_expr *expr = sample_parse(schema, (const char *)test.data, arena);
    frz_buffer_clear(&test);
    return expr->reference;
}

static void references_carry_ids_types_and_steps(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_reference *r = resolve("i", &arena);
    CHECK(r->field_id == 2 && r->type->kind == FRZ_TYPE_INT && !r->required && r->direct);
    CHECK(r->step_count == 1 && r->steps[0].kind == FRZ_STEP_FIELD && r->steps[0].field_id == 2);
    r = resolve("lst[2].x", &arena);
    CHECK(r->field_id == 33 && r->type->kind == FRZ_TYPE_LONG && !r->direct && r->step_count == 3);
    CHECK(r->steps[0].field_id == 31);
    CHECK(r->steps[1].kind == FRZ_STEP_ELEMENT && r->steps[1].index == 2 &&
          r->steps[1].field_id == 32);
    CHECK(r->steps[2].kind == FRZ_STEP_FIELD && r->steps[2].field_id == 33);
    r = resolve("size(ls)", &arena);
    CHECK(r->step_count == 2 && r->steps[1].kind == FRZ_STEP_SIZE && !r->direct && !r->required);
    CHECK(r->type->kind == FRZ_TYPE_INT);
    r = resolve("m['k']", &arena);
    CHECK(r->field_id == 25 && !r->direct && r->steps[1].kind == FRZ_STEP_KEY);
    CHECK(frz_slice_is_text(r->steps[1].key.bytes, "k"));
    r = resolve("_row_id", &arena);
    CHECK(r->field_id == FRZ_FIELD_ID_ROW_ID && r->type->kind == FRZ_TYPE_LONG && !r->required);
    frz_arena_clear(&arena);
}

/* Field report D062: a required field of an optional struct is null where the struct is. */
static void d062_a_field_is_required_only_with_its_parents(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_reference *r = resolve("st.req", &arena);
    CHECK(!r->required && r->direct && r->step_count == 2);
    CHECK(sample_parse(schema, "id IS NULL", &arena) == &frz_expr_false);
    frz_arena_clear(&arena);
}

/* Ids below _partition are partition field ids. */
static void d086_partition_columns_are_not_direct(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_reference *r = resolve("_partition.q", &arena);
    CHECK(r->field_id == 2 && !r->direct && r->type->kind == FRZ_TYPE_STRING);
    CHECK(r->steps[0].field_id == FRZ_FIELD_ID_PARTITION);
    frz_arena_clear(&arena);
}

static void the_schema_comes_before_metadata_columns(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_schema *own = NULL;
    const frz_expr *expr = NULL;
    const frz_type deep = {
        .kind = FRZ_TYPE_STRUCT,
        .fields = &(const frz_field){.id = 3, .name = "c", .type = frz_type_of(FRZ_TYPE_INT)},
        .field_count = 1};
    const frz_field fields[] = {
        {.id = 1, .name = "_pos", .type = frz_type_of(FRZ_TYPE_STRING)},
        {.id = 2, .name = "a", .type = &deep},
        {.id = 4, .name = "a.b", .type = frz_type_of(FRZ_TYPE_INT)},
    };
    CHECK_OK(frz_schema_new(0, fields, 3, NULL, 0, &own, &err), err);
    CHECK_OK(frz_expr_parse(frz_slice_of_text("_pos = 'x' AND a.c = 1 AND a.b = 2"),
                            &(const frz_expr_scope){own, NULL, true, true}, &arena, &expr, &err),
             err);
    check_prints(expr, "_pos = 'x' AND a.c = 1 AND \"a.b\" = 2", "own _pos");
    CHECK(expr->left->left->reference->field_id == 1);
    frz_schema_unref(own);
    frz_arena_clear(&arena);
}

static void rebinding_follows_ids_through_renames_and_types(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_schema *newer = NULL;
    const frz_expr *out = NULL;
    const frz_field items[] = {{.id = 22, .name = "element", .type = frz_type_of(FRZ_TYPE_LONG)}};
    const frz_field pair[] = {
        {.id = 24, .name = "key", .required = true, .type = frz_type_of(FRZ_TYPE_STRING)},
        {.id = 25, .name = "value", .type = frz_type_of(FRZ_TYPE_INT)}};
    const frz_type list = {.kind = FRZ_TYPE_LIST, .fields = items, .field_count = 1};
    const frz_type map = {.kind = FRZ_TYPE_MAP, .fields = pair, .field_count = 2};
    const frz_field fields[] = {
        {.id = 2, .name = "renamed", .type = frz_type_of(FRZ_TYPE_LONG)},
        {.id = 3, .name = "l", .type = frz_type_of(FRZ_TYPE_INT)},
        {.id = 7, .name = "dt", .type = frz_type_of(FRZ_TYPE_TIMESTAMP)},
        {.id = 21, .name = "list", .type = &list},
        {.id = 23, .name = "map", .type = &map},
    };
    CHECK_OK(frz_schema_new(9, fields, 5, NULL, 0, &newer, &err), err);
    const frz_expr *expr =
        sample_parse(schema,
                     "i IN (1, 2) AND l < 5000000000 AND dt = date '1969-12-31' AND ls[1] > 3 AND "
                     "m['k'] IS NULL AND _pos = 4 AND size(ls) = 1 AND size(m) = 2 AND (l = "
                     "5000000000 OR NOT i = 3)",
                     &arena);
    CHECK_OK(frz_expr_rebind(expr, newer, &arena, &out, &err), err);
    frz_buffer text = {0};
    frz_expr_print(out, &text);
    frz_buffer_append_byte(&text, 0);
    CHECK(strstr((const char *)text.data, "renamed IN (1, 2) AND l IS NOT NULL"));
    CHECK(strstr((const char *)text.data, "dt = timestamp '1969-12-31T00:00:00.000000'"));
    CHECK(strstr((const char *)text.data, "list[1] > 3"));
    CHECK(strstr((const char *)text.data, "map['k'] IS NULL"));
    CHECK(strstr((const char *)text.data, "_pos = 4"));
    CHECK(strstr((const char *)text.data, "size(list) = 1 AND size(map) = 2"));
    CHECK(strstr((const char *)text.data, "renamed != 3"));
    CHECK(!strstr((const char *)text.data, "5000000000"));
    frz_buffer_clear(&text);
    CHECK_FAILS(frz_expr_rebind(sample_parse(schema, "s = 'x'", &arena), newer, &arena, &out, &err),
                FRZ_INVALID, err, "the schema with id 9 has no column s (field id 13)");
    frz_schema_unref(newer);
    frz_arena_clear(&arena);
}

static void rebind_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *expr = NULL;
    const frz_expr *out = NULL;
    frz_status status =
        frz_expr_parse(frz_slice_of_text("m['k'] = 1 OR NOT lst[0].x IN (1, 2) OR size(ls) = 1"),
                       &(const frz_expr_scope){schema, NULL, true, false}, &arena, &expr, &err);
    if (status == FRZ_OK)
        status = frz_expr_rebind(expr, schema, &arena, &out, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(rebind_once);
}

static int open_schema(void **state)
{
    (void)state;
    schema = sample_schema();
    return schema ? 0 : -1;
}

static int close_schema(void **state)
{
    (void)state;
    frz_schema_unref(schema);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_carry_ids_types_and_steps),
        cmocka_unit_test(d062_a_field_is_required_only_with_its_parents),
        cmocka_unit_test(d086_partition_columns_are_not_direct),
        cmocka_unit_test(the_schema_comes_before_metadata_columns),
        cmocka_unit_test(rebinding_follows_ids_through_renames_and_types),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
