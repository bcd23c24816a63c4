#include "avro/column.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "harness.h"

static frz_avro_budget budget;

static frz_avro_column column(frz_avro_layout layout, const char *format, bool nullable,
                              size_t width)
{
    budget = (frz_avro_budget){.max = (size_t)1 << 20};
    return (frz_avro_column){.layout = layout,
                             .format = format,
                             .name = "c",
                             .field_id = 5,
                             .nullable = nullable,
                             .width = width,
                             .budget = &budget};
}

static void put_i64(frz_avro_column *c, int64_t value)
{
    CHECK(frz_avro_column_reserve(c, 1) == FRZ_AVRO_FAULT_NONE);
    memcpy(c->values.data + 8 * (size_t)c->length, &value, sizeof value);
    frz_avro_column_advance(c);
}

static void test_nulls_and_values_become_an_arrow_array(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    struct ArrowSchema schema = {0};
    frz_avro_column c = column(FRZ_AVRO_LAYOUT_WIDTH, "l", true, 8);
    for (int i = 0; i < 1000; i++) {
        if (i % 3 == 1) {
            CHECK(frz_avro_column_reserve(&c, 1) == FRZ_AVRO_FAULT_NONE);
            frz_avro_column_put_null(&c);
        } else {
            put_i64(&c, i);
        }
    }
    CHECK_OK(frz_avro_column_schema(&c, &schema, &err), err);
    CHECK(strcmp(schema.format, "l") == 0 && frz_arrow_schema_field_id(&schema) == 5);
    CHECK(schema.flags & ARROW_FLAG_NULLABLE);
    CHECK_OK(frz_avro_column_finish(&c, &array, &err), err);
    CHECK(c.length == 0 && budget.used == 0);
    CHECK_OK(frz_arrow_array_validate(&schema, &array, &err), err);
    CHECK(array.length == 1000 && array.null_count == 333);
    for (int i = 0; i < 1000; i++) {
        CHECK(frz_arrow_is_null(&array, i) == (i % 3 == 1));
        CHECK(((const int64_t *)array.buffers[1])[i] == (i % 3 == 1 ? 0 : i));
    }
    frz_arrow_array_clear(&array);
    frz_arrow_schema_clear(&schema);
}

static void test_without_nulls_there_is_no_validity(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    frz_avro_column c = column(FRZ_AVRO_LAYOUT_WIDTH, "l", true, 8);
    put_i64(&c, 42);
    CHECK_OK(frz_avro_column_finish(&c, &array, &err), err);
    CHECK(array.null_count == 0 && array.buffers[0] == NULL);
    frz_arrow_array_clear(&array);
}

static void test_an_empty_list_column_still_has_its_first_offset(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    frz_avro_column child = column(FRZ_AVRO_LAYOUT_VARIABLE, "u", false, 0);
    frz_avro_column c = column(FRZ_AVRO_LAYOUT_LIST, "+l", false, 0);
    c.children = &child;
    c.child_count = 1;
    CHECK_OK(frz_avro_column_finish(&c, &array, &err), err);
    CHECK(((const int32_t *)array.buffers[1])[0] == 0);
    CHECK(((const int32_t *)array.children[0]->buffers[1])[0] == 0);
    frz_arrow_array_clear(&array);
}

static void test_a_null_struct_puts_a_row_into_each_child(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    frz_avro_column children[2] = {column(FRZ_AVRO_LAYOUT_WIDTH, "l", false, 8),
                                   column(FRZ_AVRO_LAYOUT_VARIABLE, "z", true, 0)};
    frz_avro_column c = column(FRZ_AVRO_LAYOUT_STRUCT, "+s", true, 0);
    frz_avro_fault fault = FRZ_AVRO_FAULT_NONE;
    c.children = children;
    c.child_count = 2;
    CHECK(frz_avro_column_row_size(&c) == 1 + 9 + 5);
    CHECK(frz_avro_column_reserve(&c, 2) == FRZ_AVRO_FAULT_NONE);
    frz_avro_column_put_null(&c);
    frz_avro_column_advance(&c);
    memset(children[0].values.data + 8, 1, 8);
    frz_avro_column_advance(&children[0]);
    CHECK(frz_avro_column_put_bytes(&children[1], (const uint8_t *)"xyz", 3, &fault));
    CHECK_OK(frz_avro_column_finish(&c, &array, &err), err);
    CHECK(array.length == 2 && array.null_count == 1 && array.children[0]->null_count == 0);
    CHECK(array.children[1]->null_count == 1 && frz_arrow_is_null(array.children[1], 0));
    CHECK(((const int32_t *)array.children[1]->buffers[1])[2] == 3);
    frz_arrow_array_clear(&array);
}

static void test_the_budget_holds(void **state)
{
    (void)state;
    frz_avro_column c = column(FRZ_AVRO_LAYOUT_WIDTH, "w:1000", false, 1000);
    CHECK(frz_avro_column_reserve(&c, 2000) == FRZ_AVRO_FAULT_TOO_MUCH);
    CHECK(frz_avro_column_reserve(&c, 1000) == FRZ_AVRO_FAULT_NONE);
    CHECK(frz_avro_column_reserve(&c, (uint64_t)INT32_MAX + 1) == FRZ_AVRO_FAULT_TOO_MUCH);
    frz_avro_column_clear(&c);
    CHECK(budget.used == 0);
    frz_avro_column text = column(FRZ_AVRO_LAYOUT_VARIABLE, "u", false, 0);
    CHECK(frz_avro_column_reserve_bytes(&text, (size_t)2 << 20) == FRZ_AVRO_FAULT_TOO_MUCH);
    frz_avro_column_clear(&text);
}

static void test_absent_columns_take_leaf_formats(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_avro_column c = column(FRZ_AVRO_LAYOUT_NULL, NULL, true, 0);
    CHECK_OK(frz_avro_column_absent(&c, "d:10,2", &arena, &err), err);
    CHECK(c.layout == FRZ_AVRO_LAYOUT_WIDTH && c.width == 16);
    CHECK_OK(frz_avro_column_absent(&c, "u", &arena, &err), err);
    CHECK(c.layout == FRZ_AVRO_LAYOUT_VARIABLE);
    CHECK_OK(frz_avro_column_absent(&c, "b", &arena, &err), err);
    CHECK(c.layout == FRZ_AVRO_LAYOUT_BITS);
    CHECK_FAILS(frz_avro_column_absent(&c, "+l", &arena, &err), FRZ_INVALID, err,
                "absent field c cannot have the Arrow type +l");
    frz_arena_clear(&arena);
}

static void fill_and_finish(void)
{
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    frz_avro_column c = column(FRZ_AVRO_LAYOUT_VARIABLE, "u", true, 0);
    frz_avro_fault fault = FRZ_AVRO_FAULT_NONE;
    bool whole = true;
    for (int i = 0; i < 300 && whole; i++) {
        fault = frz_avro_column_reserve(&c, 1);
        whole = fault == FRZ_AVRO_FAULT_NONE &&
                frz_avro_column_put_bytes(&c, (const uint8_t *)"0123456789", 10, &fault);
        CHECK(whole || (fault == FRZ_AVRO_FAULT_MEMORY && frz_mem_failed()));
    }
    if (frz_avro_column_finish(&c, &array, &err) == FRZ_OK)
        CHECK(array.length == (whole ? 300 : array.length));
    else
        CHECK(frz_error_status(err) == FRZ_NO_MEMORY);
    frz_error_free(err);
    frz_arrow_array_clear(&array);
    frz_avro_column_clear(&c);
}

static void test_short_memory_is_a_fault_and_leaks_nothing(void **state)
{
    (void)state;
    sweep_allocation_failures(fill_and_finish);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nulls_and_values_become_an_arrow_array),
        cmocka_unit_test(test_without_nulls_there_is_no_validity),
        cmocka_unit_test(test_an_empty_list_column_still_has_its_first_offset),
        cmocka_unit_test(test_a_null_struct_puts_a_row_into_each_child),
        cmocka_unit_test(test_the_budget_holds),
        cmocka_unit_test(test_absent_columns_take_leaf_formats),
        cmocka_unit_test(test_short_memory_is_a_fault_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
