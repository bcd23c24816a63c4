#include "parquet/page_index.h"

#include "base/fail.h"
#include "harness.h"
#include "parquet/made_file.h"

static const element_spec one_column[] = {GROUP("root", NONE, 1, NONE),
                                          LEAF("x", 0, FRZ_PARQUET_INT32, NONE)};
static const int32_t numbers[] = {1, 2, 3, 4, 5, 6};

/* Three pages of two rows each, with an offset index, and bounds of that many pages. */
static void make_bounded_file(made_file *file, size_t bounded_pages)
{
    made_begin(file);
    file->with_index = true;
    made_column_begin(file)->bounded_pages = bounded_pages;
    for (int i = 0; i < 3; i++)
        made_add_page(
            file, (made_page){.value_count = 2, .values = {(const uint8_t *)(numbers + i * 2), 8}});
    made_finish(file, one_column, 2, 6);
}

static void make_file(made_file *file)
{
    make_bounded_file(file, 0);
}

static frz_status read_index(made_file *made, frz_arena *arena, frz_parquet_page_index *out,
                             frz_error **err)
{
    frz_parquet_file *file = NULL;
    FRZ_TRY(frz_parquet_file_open(&made->input, NULL, &file, err));
    const frz_status status = frz_parquet_page_index_read(file, 0, 0, arena, out, err);
    frz_parquet_file_close(file);
    return status;
}

static void test_locations_of_pages(void **state)
{
    (void)state;
    made_file made;
    make_file(&made);
    frz_arena arena = {0};
    frz_parquet_page_index index;
    frz_error *err = NULL;
    CHECK_OK(read_index(&made, &arena, &index, &err), err);
    CHECK(index.page_count == 3 && index.bounds == NULL);
    for (size_t i = 0; i < 3; i++) {
        CHECK(index.locations[i].first_row == (int64_t)i * 2);
        CHECK(index.locations[i].offset == made.columns[0].page_offsets[i]);
        CHECK(index.locations[i].compressed_size == made.columns[0].page_sizes[i]);
    }
    frz_arena_clear(&arena);
    made_clear(&made);
}

static void test_a_chunk_without_index_has_no_pages(void **state)
{
    (void)state;
    made_file made;
    made_begin(&made);
    (void)made_column_begin(&made);
    made_add_page(&made, (made_page){.value_count = 6, .values = {(const uint8_t *)numbers, 24}});
    made_finish(&made, one_column, 2, 6);
    frz_arena arena = {0};
    frz_parquet_page_index index;
    frz_error *err = NULL;
    CHECK_OK(read_index(&made, &arena, &index, &err), err);
    CHECK(index.page_count == 0 && index.locations == NULL);
    frz_arena_clear(&arena);
    made_clear(&made);
}

/* The made index is rewritten in place: rows that go back, or a page behind the end. */
static void test_an_index_that_contradicts_is_refused(void **state)
{
    (void)state;
    static const struct {
        int64_t rows[3];
        int64_t offset;
        const char *text;
    } cases[] = {
        {{0, 4, 2}, 0, "not in the order of their rows"},
        {{2, 4, 5}, 0, "not in the order of their rows"},
        {{0, 2, 6}, 0, "behind the last row"},
        {{0, 2, 4}, 1 << 20, "past the end of the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made_file made;
        made_begin(&made);
        made.with_index = true;
        (void)made_column_begin(&made);
        for (int p = 0; p < 3; p++)
            made_add_page(&made, (made_page){.value_count = 2,
                                             .values = {(const uint8_t *)(numbers + p * 2), 8}});
        memcpy(made.columns[0].page_rows, cases[i].rows, sizeof cases[i].rows);
        made.columns[0].page_offsets[2] += cases[i].offset;
        made_finish(&made, one_column, 2, 6);
        frz_arena arena = {0};
        frz_parquet_page_index index;
        frz_error *err = NULL;
        CHECK_FAILS(read_index(&made, &arena, &index, &err), FRZ_CORRUPT, err, cases[i].text);
        frz_arena_clear(&arena);
        made_clear(&made);
    }
}

static void test_bounds_are_of_as_many_pages(void **state)
{
    (void)state;
    for (size_t pages = 2; pages <= 4; pages++) {
        made_file made;
        make_bounded_file(&made, pages);
        frz_arena arena = {0};
        frz_parquet_page_index index;
        frz_error *err = NULL;
        const frz_status status = read_index(&made, &arena, &index, &err);
        if (pages == 3) {
            CHECK_OK(status, err);
            CHECK(index.bounds && index.bounds[2].min.size == 4 && !index.bounds[2].all_null);
        } else {
            CHECK_FAILS(status, FRZ_CORRUPT, err, "not as many pages as the offset index");
        }
        frz_arena_clear(&arena);
        made_clear(&made);
    }
}

/* Three pages of two doubles each, with these bounds. */
static void read_doubles(const frz_slice *page_bounds, uint32_t null_pages, frz_arena *arena,
                         made_file *made, frz_parquet_page_index *out)
{
    static const element_spec doubles[] = {GROUP("root", NONE, 1, NONE),
                                           LEAF("x", 0, FRZ_PARQUET_DOUBLE, NONE)};
    static const double values[2] = {1, 2};
    frz_error *err = NULL;
    made_begin(made);
    made->with_index = true;
    made->ordered = true;
    made_column *column = made_column_begin(made);
    column->bounded_pages = 3;
    column->page_bounds = page_bounds;
    column->null_pages = null_pages;
    for (int i = 0; i < 3; i++)
        made_add_page(made, (made_page){.value_count = 2,
                                        .values = {(const uint8_t *)values, sizeof values}});
    made_finish(made, doubles, 2, 6);
    CHECK_OK(read_index(made, arena, out, &err), err);
}

#define DOUBLE(bytes)                            \
    {                                            \
        (const uint8_t *)"\0\0\0\0\0\0" bytes, 8 \
    }

/* "If the min is a NaN, it should be ignored" (parquet.thrift, ColumnOrder), in the column index,
 * too; and a zero may hide the other one. */
static void d101_nan_bounds_of_pages_are_ignored(void **state)
{
    (void)state;
    static const frz_slice bounds[] = {DOUBLE("\xf8\x7f"), DOUBLE("\x00\x40"),  /* NaN, 2 */
                                       DOUBLE("\xf0\x3f"), DOUBLE("\xf8\x7f"),  /* 1, NaN */
                                       DOUBLE("\x00\x00"), DOUBLE("\xf0\x3f")}; /* 0, 1 */
    made_file made;
    frz_arena arena = {0};
    frz_parquet_page_index index;
    read_doubles(bounds, 0, &arena, &made, &index);
    CHECK(!index.bounds[0].has_bounds && !index.bounds[1].has_bounds);
    CHECK(index.bounds[2].has_bounds && index.bounds[2].min.data[7] == 0x80);
    frz_arena_clear(&arena);
    made_clear(&made);
}

/* Pages of nulls alone have bounds of no bytes (PageIndex.md), whatever the boundary order. */
static void test_pages_of_nulls_have_no_bounds(void **state)
{
    (void)state;
    static const frz_slice bounds[] = {{0},       {0}, DOUBLE("\xf0\x3f"), DOUBLE("\x00\x40"),
                                       {NULL, 0}, {0}};
    made_file made;
    frz_arena arena = {0};
    frz_parquet_page_index index;
    read_doubles(bounds, 5, &arena, &made, &index);
    CHECK(index.bounds[0].all_null && !index.bounds[0].has_bounds);
    CHECK(!index.bounds[1].all_null && index.bounds[1].has_bounds);
    CHECK(index.bounds[2].all_null && !index.bounds[2].has_bounds);
    frz_arena_clear(&arena);
    made_clear(&made);
}

static void test_flipped_indexes_do_no_harm(void **state)
{
    (void)state;
    made_file made;
    make_file(&made);
    const size_t start = (size_t)made.columns[0].index_offset;
    for (size_t bit = 0; bit < (size_t)made.columns[0].index_size * 8; bit++) {
        frz_arena arena = {0};
        frz_parquet_page_index index;
        made.bytes.data[start + bit / 8] ^= (uint8_t)(1u << bit % 8);
        const frz_status status = read_index(&made, &arena, &index, NULL);
        CHECK(status == FRZ_OK || status == FRZ_CORRUPT);
        made.bytes.data[start + bit / 8] ^= (uint8_t)(1u << bit % 8);
        frz_arena_clear(&arena);
    }
    made_clear(&made);
}

static made_file swept;

static void read_under_failure(void)
{
    frz_arena arena = {0};
    frz_parquet_page_index index;
    const frz_status status = read_index(&swept, &arena, &index, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arena_clear(&arena);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    make_file(&swept);
    sweep_allocation_failures(read_under_failure);
    made_clear(&swept);
}

/* Column indexes as hyparquet's and parquet-java's files have them, through the golden folder. */
static void test_bounds_of_a_golden_file(void **state)
{
    (void)state;
    const char *folder = testdata_folder();
    if (!folder) {
        printf("skipped: 1 case\n");
        return;
    }
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/parquet/parquet-testing/data/alltypes_tiny_pages.parquet",
                   folder);
    FILE *in = fopen(path, "rb");
    if (!in) {
        printf("skipped: 1 case\n");
        return;
    }
    made_file made;
    made_begin(&made);
    frz_buffer_reset(&made.bytes);
    uint8_t block[65536];
    for (size_t got; (got = fread(block, 1, sizeof block, in)) > 0;)
        frz_buffer_append(&made.bytes, block, got);
    CHECK(fclose(in) == 0);
    frz_arena arena = {0};
    frz_parquet_page_index index;
    frz_error *err = NULL;
    CHECK_OK(read_index(&made, &arena, &index, &err), err);
    CHECK(index.page_count > 10 && index.bounds != NULL);
    CHECK(index.bounds[0].null_count == 0 && !index.bounds[0].all_null);
    int32_t low = 0, high = 0;
    memcpy(&low, index.bounds[0].min.data, sizeof low);
    memcpy(&high, index.bounds[0].max.data, sizeof high);
    CHECK(index.bounds[0].has_bounds && low <= high);
    frz_arena_clear(&arena);
    made_clear(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locations_of_pages),
        cmocka_unit_test(test_a_chunk_without_index_has_no_pages),
        cmocka_unit_test(test_an_index_that_contradicts_is_refused),
        cmocka_unit_test(test_bounds_are_of_as_many_pages),
        cmocka_unit_test(d101_nan_bounds_of_pages_are_ignored),
        cmocka_unit_test(test_pages_of_nulls_have_no_bounds),
        cmocka_unit_test(test_flipped_indexes_do_no_harm),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_bounds_of_a_golden_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
