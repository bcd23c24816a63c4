#include "arrow/pack.h"

#include "arrow/array.h"
#include "arrow_equal.h"

static const char all_types[] =
    "+s![b i l! f g d:9,2 tdD ttu tsu: tsn:UTC u z w:16 w:5 "
    "+s[i u!] +l[l] +l[+l[u]] +m[+s![u! l]] +s[+m[+s![i! +l[g]]] +l[+s[+l[b]]]]]";

static void check_same(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    struct ArrowArray back = {0};
    CHECK_OK(frz_arrow_array_pack(schema, array, &bytes, &err), err);
    frz_cursor cursor = frz_cursor_over(bytes.data, bytes.size);
    CHECK_OK(frz_arrow_array_unpack(schema, &cursor, &back, &err), err);
    CHECK(frz_cursor_left(&cursor) == 0 && back.length == array->length);
    for (int64_t i = 0; i < array->length; i++)
        CHECK(rows_equal(schema, array, i, &back, i));
    frz_arrow_array_clear(&back);
    frz_buffer_clear(&bytes);
}

static void test_arrays_of_every_type_come_back(void **state)
{
    (void)state;
    struct ArrowSchema schema = parse_schema(all_types);
    for (int64_t length = 0; length < 40; length++) {
        frz_error *err = NULL;
        struct ArrowArray array = random_array(&schema, length, (uint64_t)length * 77 + 1);
        struct ArrowArray taken = {0};
        int64_t rows[40];
        for (int64_t i = 0; i < length; i++)
            rows[i] = length - 1 - i;
        CHECK_OK(frz_arrow_array_take(&schema, &array, rows, length, &taken, &err), err);
        check_same(&schema, &taken);
        frz_arrow_array_clear(&taken);
        frz_arrow_array_clear(&array);
    }
    frz_arrow_schema_clear(&schema);
}

static void test_bytes_that_end_early_are_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    struct ArrowSchema schema = parse_schema("+s![l u +l[i]]");
    struct ArrowArray array = random_array(&schema, 9, 4);
    CHECK_OK(frz_arrow_array_pack(&schema, &array, &bytes, &err), err);
    for (size_t size = 0; size < bytes.size; size++) {
        struct ArrowArray back = {0};
        frz_cursor cursor = frz_cursor_over(bytes.data, size);
        err = NULL;
        CHECK_FAILS(frz_arrow_array_unpack(&schema, &cursor, &back, &err), FRZ_CORRUPT, err,
                    "packed rows end within a column");
        CHECK(!back.release);
    }
    frz_buffer_clear(&bytes);
    frz_arrow_array_clear(&array);
    frz_arrow_schema_clear(&schema);
}

static void test_a_type_that_is_not_plain_is_named(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    struct ArrowSchema schema = parse_schema("+s![U]");
    struct ArrowArray empty = {0};
    struct ArrowArray root = {0};
    CHECK_OK(frz_arrow_array_nulls(schema.children[0], 0, &empty, &err), err);
    CHECK_OK(frz_arrow_array_init(&root, 0, 0, (frz_buffer[1]){{0}}, 1, 1, &err), err);
    *root.children[0] = empty;
    CHECK_FAILS(frz_arrow_array_pack(&schema, &root, &bytes, &err), FRZ_UNSUPPORTED, err,
                "packing arrays of type large_string");
    frz_buffer_clear(&bytes);
    frz_arrow_array_clear(&root);
    frz_arrow_schema_clear(&schema);
}

static struct ArrowSchema swept_schema;
static struct ArrowArray swept;

static void pack_under_failure(void)
{
    frz_buffer bytes = {0};
    struct ArrowArray back = {0};
    frz_status status = frz_arrow_array_pack(&swept_schema, &swept, &bytes, NULL);
    if (status == FRZ_OK) {
        frz_cursor cursor = frz_cursor_over(bytes.data, bytes.size);
        status = frz_arrow_array_unpack(&swept_schema, &cursor, &back, NULL);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arrow_array_clear(&back);
    frz_buffer_clear(&bytes);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    swept_schema = parse_schema("+s![l u +l[+s[i u]]]");
    swept = random_array(&swept_schema, 12, 8);
    sweep_allocation_failures(pack_under_failure);
    frz_arrow_array_clear(&swept);
    frz_arrow_schema_clear(&swept_schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays_of_every_type_come_back),
        cmocka_unit_test(test_bytes_that_end_early_are_refused),
        cmocka_unit_test(test_a_type_that_is_not_plain_is_named),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
