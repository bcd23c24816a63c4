#include "arrow/array.h"

#include "arrow/schema.h"
#include "harness.h"

/* int32 0, 1, 2, ... with every third one null when `nulls`. */
static struct ArrowArray numbers(int64_t length, bool nulls)
{
    frz_error *err = NULL;
    frz_buffer buffers[2] = {0};
    struct ArrowArray array;
    int64_t null_count = 0;
    if (nulls)
        frz_buffer_append_fill(&buffers[0], 0, (size_t)(length + 7) / 8);
    for (int64_t i = 0; i < length; i++) {
        frz_buffer_append_u32le(&buffers[1], (uint32_t)i);
        if (nulls && i % 3 != 2)
            frz_bit_set(buffers[0].data, i);
        null_count += nulls && i % 3 == 2;
    }
    CHECK_OK(frz_arrow_array_init(&array, length, null_count, buffers, 2, 0, &err), err);
    CHECK(buffers[0].data == NULL && buffers[1].data == NULL);
    return array;
}

static void test_bits_are_counted_from_any_position(void **state)
{
    (void)state;
    uint8_t bits[40];
    for (size_t i = 0; i < sizeof bits; i++)
        bits[i] = (uint8_t)(i * 37 + 11);
    for (int64_t start = 0; start < 70; start++) {
        int64_t want = 0;
        for (int64_t length = 0; start + length <= 320; length++) {
            CHECK(frz_bit_count(bits, start, length) == want);
            if (start + length < 320)
                want += frz_bit_get(bits, start + length);
        }
    }
}

static void test_a_slice_shares_memory_and_outlives_its_source(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArray array = numbers(100, true);
    struct ArrowArray slice;
    struct ArrowArray inner;
    const void *values = array.buffers[1];
    CHECK_OK(frz_arrow_array_slice(&array, 10, 50, &slice, &err), err);
    CHECK_OK(frz_arrow_array_slice(&slice, 5, 4, &inner, &err), err);
    frz_arrow_array_clear(&array);
    CHECK(slice.buffers[1] == values && slice.offset == 10 && slice.length == 50);
    CHECK(frz_arrow_null_count(&slice) == 17);
    frz_arrow_array_clear(&slice);
    CHECK(inner.offset == 15 && inner.length == 4 && frz_arrow_null_count(&inner) == 1);
    CHECK(!frz_arrow_is_null(&inner, 0) && frz_arrow_is_null(&inner, 2));
    CHECK(((const int32_t *)inner.buffers[1])[inner.offset] == 15);
    frz_arrow_array_clear(&inner);
}

static int foreign_released;

static void release_foreign(struct ArrowArray *array)
{
    foreign_released++;
    array->release = NULL;
}

static void test_a_foreign_array_is_adopted_by_its_slice(void **state)
{
    (void)state;
    frz_error *err = NULL;
    static const int32_t values[] = {3, 1, 4, 1, 5};
    const void *buffers[] = {NULL, values};
    struct ArrowArray foreign = {
        .length = 5, .n_buffers = 2, .buffers = buffers, .release = release_foreign};
    struct ArrowArray slice;
    foreign_released = 0;
    frz_mem_fail_after(1);
    CHECK(frz_arrow_array_slice(&foreign, 2, 3, &slice, &err) == FRZ_NO_MEMORY);
    frz_mem_fail_after(-1);
    frz_error_free(err);
    err = NULL;
    CHECK(foreign.release == release_foreign && foreign_released == 0);
    CHECK_OK(frz_arrow_array_slice(&foreign, 2, 3, &slice, &err), err);
    CHECK(foreign.buffers[1] == values && foreign.length == 5);
    frz_arrow_array_clear(&foreign);
    CHECK(foreign_released == 0 && slice.buffers[1] == values && slice.offset == 2);
    frz_arrow_array_clear(&slice);
    CHECK(foreign_released == 1);
}

static void test_nulls_of_nested_types(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema root;
    struct ArrowArray array;
    CHECK_OK(frz_arrow_schema_init(&root, "+s", "", true, FRZ_ARROW_NO_FIELD_ID, 3, &err), err);
    CHECK_OK(frz_arrow_schema_init(root.children[0], "+l", "l", true, 1, 1, &err), err);
    CHECK_OK(frz_arrow_schema_init(root.children[0]->children[0], "u", "e", true, 2, 0, &err), err);
    CHECK_OK(frz_arrow_schema_init(root.children[1], "+w:3", "f", true, 3, 1, &err), err);
    CHECK_OK(frz_arrow_schema_init(root.children[1]->children[0], "b", "e", true, 4, 0, &err), err);
    CHECK_OK(frz_arrow_schema_init(root.children[2], "n", "n", true, 5, 0, &err), err);
    CHECK_OK(frz_arrow_array_nulls(&root, 9, &array, &err), err);
    CHECK(array.length == 9 && array.null_count == 9 && frz_arrow_is_null(&array, 8));
    CHECK(array.children[0]->null_count == 9 && array.children[0]->children[0]->length == 0);
    CHECK(array.children[1]->children[0]->length == 27);
    CHECK(array.children[2]->n_buffers == 0 && frz_arrow_is_null(array.children[2], 0));
    CHECK_OK(frz_arrow_array_validate(&root, &array, &err), err);
    frz_arrow_array_clear(&array);
    frz_arrow_schema_clear(&root);
    CHECK_OK(frz_arrow_schema_init(&root, "vu", "v", true, 1, 0, &err), err);
    CHECK_FAILS(frz_arrow_array_nulls(&root, 1, &array, &err), FRZ_UNSUPPORTED, err,
                "making nulls of Arrow type string_view");
    frz_arrow_schema_clear(&root);
}

static void make_and_slice(void)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    struct ArrowArray slice = {0};
    frz_status status = frz_arrow_schema_init(&schema, "+l", "l", true, 1, 1, &err);
    if (status == FRZ_OK)
        status = frz_arrow_schema_init(schema.children[0], "u", "e", true, 2, 0, &err);
    if (status == FRZ_OK)
        status = frz_arrow_array_nulls(&schema, 4, &array, &err);
    if (status == FRZ_OK)
        status = frz_arrow_array_slice(&array, 1, 2, &slice, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arrow_array_clear(&array);
    frz_arrow_array_clear(&slice);
    frz_arrow_schema_clear(&schema);
    frz_error_free(err);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(make_and_slice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_are_counted_from_any_position),
        cmocka_unit_test(test_a_slice_shares_memory_and_outlives_its_source),
        cmocka_unit_test(test_a_foreign_array_is_adopted_by_its_slice),
        cmocka_unit_test(test_nulls_of_nested_types),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
