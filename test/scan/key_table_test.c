#include "scan/key_table.h"

#include "scan/key_fixture.h"

static void fill(frz_key_rows *rows, const key_columns *columns)
{
    frz_error *err = NULL;
    CHECK_OK(frz_key_rows_fill(
                 rows, &columns->layout,
                 &(frz_key_span){.columns = columns->list, .count = columns->arrays[0].length}, 7,
                 &err),
             err);
}

/* The bits that are left of `mask`. */
static uint64_t left(const frz_key_table *table, const frz_key_rows *rows, int64_t sequence,
                     uint64_t mask)
{
    frz_key_table_apply(table, rows, sequence, &mask);
    return mask;
}

static void test_keys_delete_rows_of_lower_sequence_numbers(void **state)
{
    (void)state;
    frz_error *err = NULL;
    key_columns keys = {0};
    frz_key_rows rows = {0};
    frz_key_table *table = NULL;
    key_column(&keys, "long", "1 2 - 2");
    key_layout(&keys);
    fill(&rows, &keys);
    CHECK_OK(frz_key_table_new(&keys.layout, &table, &err), err);
    CHECK(left(table, &rows, 0, 0xf) == 0xf);
    CHECK_OK(frz_key_table_add(table, &rows, 5, &err), err);
    CHECK(frz_key_table_count(table) == 3);
    CHECK(left(table, &rows, 4, 0xf) == 0);
    CHECK(left(table, &rows, 5, 0xf) == 0xf);
    CHECK(left(table, &rows, 4, 0x6) == 0);
    /* Bits beyond the rows are not looked at. */
    CHECK(left(table, &rows, 4, UINT64_MAX) == ~UINT64_C(0xf));
    /* A lower number adds nothing, a higher one counts for its keys alone. */
    CHECK_OK(frz_key_table_add(table, &rows, 3, &err), err);
    CHECK(left(table, &rows, 5, 0xf) == 0xf && frz_key_table_count(table) == 3);
    key_columns more = {0};
    frz_key_rows later = {0};
    key_column(&more, "long", "2 8");
    key_layout(&more);
    fill(&later, &more);
    CHECK_OK(frz_key_table_add(table, &later, 9, &err), err);
    CHECK(left(table, &rows, 5, 0xf) == 0x5 && left(table, &rows, 8, 0xf) == 0x5);
    CHECK(left(table, &rows, 9, 0xf) == 0xf);
    CHECK(left(table, &later, 8, 3) == 0);
    frz_key_table_free(table);
    frz_key_rows_clear(&later);
    key_columns_clear(&more);
    frz_key_rows_clear(&rows);
    key_columns_clear(&keys);
}

static void test_keys_of_equal_sizes_are_told_apart_by_their_bytes(void **state)
{
    (void)state;
    frz_error *err = NULL;
    key_columns keys = {0};
    key_columns other = {0};
    frz_key_rows rows = {0};
    frz_key_rows tested = {0};
    frz_key_table *table = NULL;
    key_column(&keys, "string", "aa ' - bcd");
    key_column(&keys, "binary", "0x01 0x02 - 0x");
    key_layout(&keys);
    key_column(&other, "string", "aa ' - bcd ab aa - '");
    key_column(&other, "binary", "0x01 0x02 - 0x 0x01 0x02 0x - ");
    key_layout(&other);
    fill(&rows, &keys);
    fill(&tested, &other);
    CHECK_OK(frz_key_table_new(&keys.layout, &table, &err), err);
    CHECK_OK(frz_key_table_add(table, &rows, 5, &err), err);
    CHECK(left(table, &tested, 1, 0xff) == 0xf0);
    frz_key_table_free(table);
    frz_key_rows_clear(&rows);
    frz_key_rows_clear(&tested);
    key_columns_clear(&keys);
    key_columns_clear(&other);
}

/* Longs from `first` on. */
static void fill_numbers(frz_key_rows *rows, const frz_key_layout *layout, int64_t first,
                         int64_t step, int64_t count)
{
    frz_error *err = NULL;
    int64_t values[1000];
    for (int64_t i = 0; i < count; i++)
        values[i] = first + i * step;
    const void *buffers[2] = {NULL, values};
    const struct ArrowArray array = {
        .length = count, .null_count = 0, .n_buffers = 2, .buffers = buffers};
    const struct ArrowArray *list[1] = {&array};
    CHECK_OK(
        frz_key_rows_fill(rows, layout, &(frz_key_span){.columns = list, .count = count}, 7, &err),
        err);
}

static void test_a_hundred_thousand_keys_and_their_memory(void **state)
{
    (void)state;
    frz_error *err = NULL;
    key_columns keys = {0};
    frz_key_rows rows = {0};
    frz_key_table *table = NULL;
    key_column(&keys, "long", "0");
    key_layout(&keys);
    CHECK_OK(frz_key_table_new(&keys.layout, &table, &err), err);
    for (int64_t first = 0; first < 200000; first += 2000) {
        fill_numbers(&rows, &keys.layout, first, 2, 1000); /* even numbers */
        const size_t most = frz_key_table_memory_with(table, &rows);
        CHECK_OK(frz_key_table_add(table, &rows, 2, &err), err);
        CHECK(frz_key_table_memory(table) <= most);
    }
    CHECK(frz_key_table_count(table) == 100000);
    CHECK(frz_key_table_memory(table) < (size_t)100000 * 64);
    for (int64_t first = 0; first < 200000; first += 640) {
        uint64_t mask[10];
        const int64_t count = 200000 - first < 640 ? 200000 - first : 640;
        memset(mask, 0xff, sizeof mask);
        fill_numbers(&rows, &keys.layout, first, 1, count);
        frz_key_table_apply(table, &rows, 1, mask);
        for (int64_t i = 0; i < count; i += 64)
            CHECK(mask[i / 64] == UINT64_C(0xaaaaaaaaaaaaaaaa));
    }
    frz_key_table_free(table);
    frz_key_rows_clear(&rows);
    key_columns_clear(&keys);
}

static key_columns swept;

static void fill_table(void)
{
    frz_error *err = NULL;
    frz_key_rows rows = {0};
    frz_key_table *table = NULL;
    frz_status status = frz_key_table_new(&swept.layout, &table, &err);
    if (status == FRZ_OK)
        status = frz_key_rows_fill(
            &rows, &swept.layout,
            &(frz_key_span){.columns = swept.list, .count = swept.arrays[0].length}, 0, &err);
    if (status == FRZ_OK)
        status = frz_key_table_add(table, &rows, 1, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    CHECK(status != FRZ_OK || frz_key_table_count(table) == 100);
    frz_error_free(err);
    frz_key_table_free(table);
    frz_key_rows_clear(&rows);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    char values[1000] = "";
    for (int i = 0; i < 100; i++)
        (void)snprintf(values + strlen(values), sizeof values - strlen(values), "%d ", i);
    key_column(&swept, "string", values);
    key_layout(&swept);
    sweep_allocation_failures(fill_table);
    key_columns_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_delete_rows_of_lower_sequence_numbers),
        cmocka_unit_test(test_keys_of_equal_sizes_are_told_apart_by_their_bytes),
        cmocka_unit_test(test_a_hundred_thousand_keys_and_their_memory),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
