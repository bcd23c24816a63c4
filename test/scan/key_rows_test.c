#include "scan/key_rows.h"

#include "arrow/array.h"
#include "scan/key_fixture.h"

/* The rows of one column that are equal, as pairs of letters: "aba" says that the first and the
 * third of three are. Hashes must agree with equality. */
static void check_classes(const char *type, const char *values, const char *classes)
{
    frz_error *err = NULL;
    key_columns columns = {0};
    frz_key_rows rows = {0};
    key_column(&columns, type, values);
    key_layout(&columns);
    const int64_t count = columns.arrays[0].length;
    CHECK((size_t)count == strlen(classes));
    CHECK_OK(frz_key_rows_fill(&rows, &columns.layout,
                               &(frz_key_span){.columns = columns.list, .count = count}, 42, &err),
             err);
    const size_t width = columns.layout.word_count;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < count; k++) {
            const bool same =
                memcmp(rows.words + (size_t)i * width, rows.words + (size_t)k * width,
                       width * sizeof *rows.words) == 0 &&
                (!columns.layout.apart_count ||
                 frz_slice_equal(frz_key_rows_bytes(&rows, 0, i), frz_key_rows_bytes(&rows, 0, k)));
            if (same != (classes[i] == classes[k]) || same != (rows.hashes[i] == rows.hashes[k]))
                fail_msg("%s: rows %lld and %lld", type, (long long)i, (long long)k);
        }
    }
    frz_key_rows_clear(&rows);
    key_columns_clear(&columns);
}

static void test_rows_are_equal_when_their_keys_are(void **state)
{
    (void)state;
    check_classes("boolean", "true false - true", "abca");
    check_classes("int", "1 -1 0 - 1 -", "abcdad");
    check_classes("long", "0 - 9223372036854775807 0", "abca");
    check_classes("date", "1970-01-01 1969-12-31 1970-01-01", "aba");
    check_classes("time", "00:00:00 00:00:00.000001 -", "abc");
    check_classes("timestamp", "1970-01-01T00:00:00 1970-01-01T00:00:00.000001", "ab");
    check_classes("timestamptz_ns", "1970-01-01T00:00:00+00:00 1970-01-01T00:00:00.000000001+00:00",
                  "ab");
    check_classes("decimal(38, 3)", "1.000 -1.000 0.001 - 1.000", "abcda");
    check_classes("uuid",
                  "f79c3e09-677c-4bbd-a479-3f349cb785e7 f79c3e09-677c-4bbd-a479-3f349cb785e8 -",
                  "abc");
    check_classes("fixed[3]", "0x000001 0x010000 0x000000 - 0x000001", "abcda");
    check_classes("fixed[9]", "0x000000000000000001 0x000000000000000000 -", "abc");
    check_classes("string", "a ab b ' - a", "abcdea");
    check_classes("binary", "0x00 0x 0x0000 - 0x00", "abcda");
    check_classes("unknown", "- - -", "aaa");
}

/* All NaNs are one key, -0.0 and 0.0 two. */
static void test_floats_are_equal_by_bits_but_for_nan(void **state)
{
    (void)state;
    check_classes("double", "0.0 -0.0 nan -nan inf -inf - 1", "abccdefg");
    check_classes("float", "0.0 -0.0 nan -nan inf -inf - 1", "abccdefg");
}

static void test_columns_count_in_their_order(void **state)
{
    (void)state;
    frz_error *err = NULL;
    key_columns columns = {0};
    frz_key_rows rows = {0};
    key_column(&columns, "string", "a ab ab - '");
    key_column(&columns, "string", "bc c c ' -");
    key_column(&columns, "int", "1 1 1 1 1");
    key_layout(&columns);
    CHECK(columns.layout.apart_count == 2 && columns.layout.word_count == 4);
    CHECK_OK(frz_key_rows_fill(&rows, &columns.layout,
                               &(frz_key_span){.columns = columns.list, .count = 5}, 0, &err),
             err);
    CHECK(rows.hashes[0] != rows.hashes[1] && rows.hashes[1] == rows.hashes[2]);
    CHECK(rows.hashes[3] != rows.hashes[4]);
    CHECK(frz_slice_is_text(frz_key_rows_bytes(&rows, 0, 1), "ab"));
    CHECK(frz_slice_is_text(frz_key_rows_bytes(&rows, 1, 1), "c"));
    CHECK(frz_key_rows_bytes(&rows, 0, 3).size == 0);
    CHECK(rows.words[3 * 4 + 3] == 1 && rows.words[4 * 4 + 3] == 2);
    const uint64_t before = rows.hashes[0];
    CHECK_OK(frz_key_rows_fill(&rows, &columns.layout,
                               &(frz_key_span){.columns = columns.list, .count = 5}, 1, &err),
             err);
    CHECK(rows.hashes[0] != before);
    frz_key_rows_clear(&rows);
    key_columns_clear(&columns);
}

/* Null bits of more columns than a word has. */
static void test_seventy_columns(void **state)
{
    (void)state;
    frz_error *err = NULL;
    key_columns columns = {0};
    frz_key_rows rows = {0};
    for (int i = 0; i < KEY_COLUMNS_MAX; i++)
        key_column(&columns, "int", i == 69 ? "0 -" : "0 0");
    key_layout(&columns);
    CHECK(columns.layout.word_count == 72);
    CHECK_OK(frz_key_rows_fill(&rows, &columns.layout,
                               &(frz_key_span){.columns = columns.list, .count = 2}, 0, &err),
             err);
    CHECK(rows.words[71] == 0 && rows.words[72 + 71] == 1 << 5 && rows.words[72 + 70] == 0);
    frz_key_rows_clear(&rows);
    key_columns_clear(&columns);
}

/* A slice has an offset; so has what is in a struct. */
static void test_slices_and_structs_are_looked_through(void **state)
{
    (void)state;
    frz_error *err = NULL;
    key_columns columns = {0};
    frz_key_rows rows = {0};
    struct ArrowArray slice = {0};
    struct ArrowArray outer = {0};
    frz_buffer validity[1] = {0};
    key_column(&columns, "long", "10 20 - 40 50");
    key_layout(&columns);
    CHECK_OK(frz_arrow_array_slice(&columns.arrays[0], 1, 4, &slice, &err), err);
    const struct ArrowArray *list[1] = {&slice};
    CHECK_OK(frz_key_rows_fill(&rows, &columns.layout, &(frz_key_span){.columns = list, .count = 4},
                               0, &err),
             err);
    CHECK(rows.words[0] == 20 && rows.words[3] == 1 && rows.words[4] == 40 && rows.words[5] == 0);

    frz_buffer_append_byte(&validity[0], 0x0d); /* the second struct is null */
    CHECK_OK(frz_arrow_array_init(&outer, 4, 1, validity, 1, 1, &err), err);
    *outer.children[0] = slice;
    list[0] = &outer;
    CHECK_OK(frz_key_rows_fill(&rows, &columns.layout, &(frz_key_span){.columns = list, .count = 4},
                               0, &err),
             err);
    CHECK(rows.words[0] == 20 && rows.words[1] == 0);
    CHECK(rows.words[2] == 0 && rows.words[3] == 1);
    CHECK(rows.words[4] == 40 && rows.words[6] == 50 && rows.words[7] == 0);
    frz_arrow_array_clear(&outer);
    frz_key_rows_clear(&rows);
    key_columns_clear(&columns);
}

static key_columns swept;

static void fill_two(void)
{
    frz_error *err = NULL;
    frz_key_rows rows = {0};
    frz_arena arena = {0};
    frz_key_layout layout = {0};
    frz_status status = frz_key_layout_new(swept.types, swept.count, &arena, &layout, &err);
    if (status == FRZ_OK)
        status = frz_key_rows_fill(&rows, &layout,
                                   &(frz_key_span){.columns = swept.list, .count = 2}, 0, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_key_rows_clear(&rows);
    frz_arena_clear(&arena);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    key_column(&swept, "long", "10 -");
    key_column(&swept, "string", "a b");
    sweep_allocation_failures(fill_two);
    key_columns_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_equal_when_their_keys_are),
        cmocka_unit_test(test_floats_are_equal_by_bits_but_for_nan),
        cmocka_unit_test(test_columns_count_in_their_order),
        cmocka_unit_test(test_seventy_columns),
        cmocka_unit_test(test_slices_and_structs_are_looked_through),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
