#include "parquet/gather.h"

#include "arrow_equal.h"

/* The leaf of "+s![FORMAT]", its column with these nulls, gathered. */
typedef struct gathered_case {
    frz_arena arena;
    struct ArrowSchema schema;
    frz_parquet_write_schema *made;
    frz_parquet_shredded shredded;
    frz_parquet_gathered out;
} gathered_case;

static frz_status gather(gathered_case *test, const char *format, struct ArrowArray *column,
                         frz_error **err)
{
    char text[32];
    const void *none[] = {NULL};
    struct ArrowArray *children[] = {column};
    const struct ArrowArray batch = {.length = column->length,
                                     .n_buffers = 1,
                                     .buffers = none,
                                     .n_children = 1,
                                     .children = children};
    (void)snprintf(text, sizeof text, "+s![%s]", format);
    test->schema = parse_schema(text);
    CHECK_OK(frz_parquet_write_schema_make(&test->schema, &test->arena, &test->made, err), *err);
    CHECK_OK(
        frz_parquet_shred(&test->made->leaves[0], &batch, 0, batch.length, &test->shredded, err),
        *err);
    return frz_parquet_gather(&test->made->leaves[0], &test->shredded, &test->out, err);
}

static void clear(gathered_case *test)
{
    frz_parquet_gathered_clear(&test->out);
    frz_parquet_shredded_clear(&test->shredded);
    frz_arena_clear(&test->arena);
    frz_arrow_schema_clear(&test->schema);
}

static void check_fixed(const char *format, const void *values, const void *want, size_t size)
{
    frz_error *err = NULL;
    static const uint8_t valid = 0x5; /* rows 0 and 2 of 3 */
    for (int nulls = 0; nulls < 2; nulls++) {
        gathered_case test = {0};
        const void *buffers[] = {nulls ? &valid : NULL, values};
        struct ArrowArray column = {
            .length = nulls ? 3 : 2, .null_count = nulls, .n_buffers = 2, .buffers = buffers};
        CHECK_OK(gather(&test, format, &column, &err), err);
        CHECK(test.out.count == 2 && test.out.plain_size == size && !test.out.slices);
        if (nulls) /* row 1 left out: `values` has the second one again behind it */
            CHECK(memcmp(test.out.fixed, want, size) == 0);
        else
            CHECK(memcmp(test.out.fixed, want, size / 2) == 0);
        clear(&test);
    }
}

static void test_values_take_their_physical_form(void **state)
{
    (void)state;
    check_fixed("i", (int32_t[]){1, 9, 2}, (int32_t[]){1, 2}, 8);
    check_fixed("g", (double[]){1, 9, 2}, (double[]){1, 2}, 16);
    check_fixed("w:3", "abc___def", "abcdef", 6);
    check_fixed("b", "\x05", "\x01\x01", 2);
    check_fixed("d:9,0", (frz_int128[]){-1, 9, 2}, (int32_t[]){-1, 2}, 8);
    check_fixed("d:18,0", (frz_int128[]){-1, 9, 2}, (int64_t[]){-1, 2}, 16);
    check_fixed("d:19,0", (frz_int128[]){-2, 9, 258},
                "\xff\xff\xff\xff\xff\xff\xff\xff\xfe\0\0\0\0\0\0\0\1\2", 18);
}

static void test_texts_are_borrowed(void **state)
{
    (void)state;
    frz_error *err = NULL;
    gathered_case test = {0};
    static const int32_t offsets[] = {1, 3, 3, 6};
    static const char data[] = "_abcde";
    const void *buffers[] = {NULL, offsets, data};
    struct ArrowArray column = {.length = 3, .n_buffers = 3, .buffers = buffers};
    CHECK_OK(gather(&test, "u", &column, &err), err);
    CHECK(test.out.count == 3 && test.out.plain_size == 3 * 4 + 5 && !test.out.fixed);
    CHECK(test.out.slices[0].data == (const uint8_t *)data + 1 && test.out.slices[0].size == 2);
    CHECK(test.out.slices[1].size == 0 && test.out.slices[2].size == 3);
    clear(&test);
}

static void test_a_decimal_of_too_many_digits_is_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    gathered_case test = {0};
    static const frz_int128 values[] = {99999, 100000};
    const void *buffers[] = {NULL, values};
    struct ArrowArray column = {.length = 2, .n_buffers = 2, .buffers = buffers};
    CHECK_FAILS(gather(&test, "d:5,2", &column, &err), FRZ_INVALID, err,
                "column \"c0\": a value with more than the 5 digits of its type");
    clear(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_take_their_physical_form),
        cmocka_unit_test(test_texts_are_borrowed),
        cmocka_unit_test(test_a_decimal_of_too_many_digits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
