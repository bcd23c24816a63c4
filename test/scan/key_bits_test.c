/*
 * Keys as bits: the same rows go as by a table, whatever the order, the offsets and the nulls; and
 * keys that lie too far apart are told in advance.
 */
#include "scan/key_bits.h"

#include "arrow/array.h"
#include "scan/key_fixture.h"
#include "scan/key_table.h"

static frz_key_bits *bits_for(key_columns *keys, uint64_t expected)
{
    frz_error *err = NULL;
    frz_key_bits *bits = NULL;
    CHECK(frz_key_bits_suit(&keys->layout));
    CHECK_OK(frz_key_bits_new(&keys->layout, expected, &bits, &err), err);
    return bits;
}

static frz_key_span all_of(const key_columns *keys)
{
    return (frz_key_span){.columns = keys->list, .count = keys->arrays[0].length};
}

static void add(frz_key_bits *bits, const key_columns *keys)
{
    frz_error *err = NULL;
    const frz_key_span span = all_of(keys);
    const size_t told = frz_key_bits_memory_with(bits, &span);
    CHECK_OK(frz_key_bits_add(bits, &span, &err), err);
    CHECK(told == frz_key_bits_memory(bits));
}

/* The bits that are left of all ones, over rows of the same type written down as text. */
static uint64_t left(const frz_key_bits *bits, const char *type, const char *values)
{
    key_columns rows = {0};
    uint64_t mask = UINT64_MAX;
    key_column(&rows, type, values);
    const frz_key_span span = all_of(&rows);
    frz_key_bits_apply(bits, &span, &mask);
    key_columns_clear(&rows);
    return mask;
}

static void test_integers_and_times_suit_alone(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        bool suits;
    } cases[] = {{"int", true},     {"long", true},          {"date", true},
                 {"time", true},    {"timestamp", true},     {"timestamptz", true},
                 {"string", false}, {"timestamp_ns", true},  {"timestamptz_ns", true},
                 {"double", false}, {"float", false},        {"boolean", false},
                 {"uuid", false},   {"decimal(9,2)", false}, {"fixed[4]", false},
                 {"binary", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        key_columns keys = {0};
        key_column(&keys, cases[i].type, "");
        key_layout(&keys);
        if (frz_key_bits_suit(&keys.layout) != cases[i].suits)
            fail_msg("%s", cases[i].type);
        key_columns_clear(&keys);
    }
    key_columns two = {0};
    key_column(&two, "int", "");
    key_column(&two, "int", "");
    key_layout(&two);
    CHECK(!frz_key_bits_suit(&two.layout));
    key_columns_clear(&two);
}

static void test_a_key_that_is_in_clears_the_bit_of_its_row(void **state)
{
    (void)state;
    key_columns keys = {0};
    key_column(&keys, "long", "5 -70 1000 5");
    key_layout(&keys);
    frz_key_bits *bits = bits_for(&keys, 4);
    CHECK(left(bits, "long", "5 -70 -") == UINT64_MAX); /* nothing is in yet */
    add(bits, &keys);
    /* In, in, in, beside each, and null, which is no key; rows behind the span stay. */
    CHECK(left(bits, "long", "5 -70 1000 4 6 -71 1001 -") == ~UINT64_C(7));
    CHECK(left(bits, "long", "9223372036854775807 -9223372036854775808 0") == UINT64_MAX);
    frz_key_bits_free(bits);
    key_columns_clear(&keys);

    key_column(&keys, "date", "2026-01-02 - 1969-12-31");
    key_layout(&keys);
    bits = bits_for(&keys, 3);
    add(bits, &keys);
    CHECK(left(bits, "date", "2026-01-02 2026-01-03 1969-12-31 - 1970-01-01") == ~UINT64_C(0xd));
    frz_key_bits_free(bits);
    key_columns_clear(&keys);
}

static void test_null_alone_is_a_key(void **state)
{
    (void)state;
    key_columns keys = {0};
    key_column(&keys, "int", "- -");
    key_layout(&keys);
    frz_key_bits *bits = bits_for(&keys, 2);
    add(bits, &keys);
    CHECK(left(bits, "int", "0 - 1 -") == ~UINT64_C(0xa));
    frz_key_bits_free(bits);
    key_columns_clear(&keys);
}

static void test_the_ends_of_the_values_have_bits(void **state)
{
    (void)state;
    key_columns keys = {0};
    key_column(&keys, "long", "9223372036854775807");
    key_layout(&keys);
    frz_key_bits *bits = bits_for(&keys, 1);
    add(bits, &keys);
    CHECK(left(bits, "long", "9223372036854775807 9223372036854775806 -1") == ~UINT64_C(1));
    frz_key_bits_free(bits);
    key_columns_clear(&keys);
    key_column(&keys, "long", "-9223372036854775808 -9223372036854775000");
    key_layout(&keys);
    bits = bits_for(&keys, 1);
    add(bits, &keys);
    CHECK(left(bits, "long", "-9223372036854775000 -9223372036854775808 0") == ~UINT64_C(3));
    frz_key_bits_free(bits);
    key_columns_clear(&keys);
}

static void test_keys_too_far_apart_are_told(void **state)
{
    (void)state;
    frz_error *err = NULL;
    key_columns near = {0};
    key_columns far = {0};
    key_column(&near, "long", "0 60000000");
    key_layout(&near);
    key_column(&far, "long", "80000000");
    key_layout(&far);
    const frz_key_span span = all_of(&far);
    frz_key_bits *bits = bits_for(&near, 2); /* 8 MiB in any case: 67 million values */
    add(bits, &near);
    CHECK(frz_key_bits_memory(bits) > 7000000);
    CHECK(frz_key_bits_memory_with(bits, &span) == SIZE_MAX);
    CHECK_FAILS(frz_key_bits_add(bits, &span, &err), FRZ_INVALID, err, "too far apart");
    CHECK(left(bits, "long", "0 60000000 80000000") == ~UINT64_C(3));
    frz_key_bits_free(bits);
    bits = bits_for(&near, 1000000); /* 48 bytes a key: 384 million values */
    add(bits, &near);
    add(bits, &far);
    CHECK(left(bits, "long", "0 60000000 80000000 70000000") == ~UINT64_C(7));
    frz_key_bits_free(bits);
    key_columns_clear(&far);
    key_columns_clear(&near);
}

enum { ROWS = 700, BATCHES = 12 };

/* A random column of long or int with nulls, as a slice of a longer one. */
static void random_column(key_columns *of, uint64_t *seed, bool wide, int64_t around)
{
    frz_error *err = NULL;
    struct ArrowArray whole;
    frz_buffer text = {0};
    for (int i = 0; i < ROWS; i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        if (*seed >> 60 == 0)
            frz_buffer_append_text(&text, "- ");
        else
            frz_buffer_printf(&text, "%lld ", (long long)(around + (int64_t)(*seed >> 40) % 3000));
    }
    frz_buffer_append_byte(&text, 0);
    key_column(of, wide ? "long" : "int", (const char *)text.data);
    key_layout(of);
    frz_buffer_clear(&text);
    whole = of->arrays[0];
    CHECK_OK(frz_arrow_array_slice(&whole, 3, ROWS - 13, &of->arrays[0], &err), err);
    frz_arrow_array_clear(&whole);
}

/* Batches around places that move up and down, in bits and in a table; then rows against both. */
static void test_bits_and_a_table_agree(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int wide = 0; wide < 2; wide++) {
        frz_error *err = NULL;
        frz_key_bits *bits = NULL;
        frz_key_table *table = NULL;
        frz_key_rows rows = {0};
        key_columns batches[BATCHES] = {0};
        for (int i = 0; i < BATCHES; i++) {
            random_column(&batches[i], &seed, wide, (i % 2 ? 1 : -1) * i * 2500);
            const frz_key_span span = all_of(&batches[i]);
            if (!bits)
                bits = bits_for(&batches[0], ROWS);
            if (!table)
                CHECK_OK(frz_key_table_new(&batches[0].layout, &table, &err), err);
            if (i % 3 == 2)
                continue; /* only looked up */
            add(bits, &batches[i]);
            CHECK_OK(frz_key_rows_fill(&rows, &batches[0].layout, &span, 7, &err), err);
            CHECK_OK(frz_key_table_add(table, &rows, 1, &err), err);
        }
        for (int i = 0; i < BATCHES; i++) {
            uint64_t by_bits[(ROWS + 63) / 64];
            uint64_t by_table[(ROWS + 63) / 64];
            const frz_key_span span = all_of(&batches[i]);
            memset(by_bits, 0xf7, sizeof by_bits); /* rows that are out already stay out */
            memset(by_table, 0xf7, sizeof by_table);
            CHECK_OK(frz_key_rows_fill(&rows, &batches[0].layout, &span, 7, &err), err);
            frz_key_table_apply(table, &rows, 0, by_table);
            frz_key_bits_apply(bits, &span, by_bits);
            assert_memory_equal(by_bits, by_table, sizeof by_bits);
        }
        frz_key_rows_clear(&rows);
        frz_key_table_free(table);
        frz_key_bits_free(bits);
        for (int i = 0; i < BATCHES; i++)
            key_columns_clear(&batches[i]);
    }
}

static void add_once(void)
{
    frz_error *err = NULL;
    frz_key_bits *bits = NULL;
    frz_arena arena = {0};
    frz_key_layout layout;
    const frz_type *type = frz_type_of(FRZ_TYPE_LONG);
    frz_status status = frz_key_layout_new(&type, 1, &arena, &layout, &err);
    if (status == FRZ_OK)
        status = frz_key_bits_new(&layout, 10, &bits, &err);
    for (int64_t i = 0; i < 3 && status == FRZ_OK; i++) {
        const int64_t value = i * -70000;
        const void *buffers[2] = {NULL, &value};
        const struct ArrowArray array = {.length = 1, .n_buffers = 2, .buffers = buffers};
        const struct ArrowArray *list = &array;
        const frz_key_span span = {.columns = &list, .count = 1};
        status = frz_key_bits_add(bits, &span, &err);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_key_bits_free(bits);
    frz_arena_clear(&arena);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(add_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_and_times_suit_alone),
        cmocka_unit_test(test_a_key_that_is_in_clears_the_bit_of_its_row),
        cmocka_unit_test(test_null_alone_is_a_key),
        cmocka_unit_test(test_the_ends_of_the_values_have_bits),
        cmocka_unit_test(test_keys_too_far_apart_are_told),
        cmocka_unit_test(test_bits_and_a_table_agree),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
