#include "parquet/file.h"

#include "harness.h"
#include "parquet/made_file.h"

static const element_spec one_column[] = {GROUP("root", NONE, 1, NONE),
                                          LEAF("x", 0, FRZ_PARQUET_INT32, NONE)};
static const int32_t numbers[] = {1, 2, 3};

static void make_file(made_file *file)
{
    made_begin(file);
    (void)made_column_begin(file);
    made_add_page(
        file, (made_page){.value_count = 3, .values = {(const uint8_t *)numbers, sizeof numbers}});
    made_finish(file, one_column, 2, 3);
}

static void test_a_file_opens_with_two_reads(void **state)
{
    (void)state;
    made_file made;
    make_file(&made);
    frz_parquet_file *file = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_file_open(&made.input, NULL, &file, &err), err);
    CHECK(made.reads == 2); /* the end, and the magic in front */
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    CHECK(metadata->row_count == 3 && strcmp(metadata->leaves[0]->name, "x") == 0);
    CHECK(frz_parquet_file_input(file) == &made.input);
    CHECK(frz_parquet_file_limits(file)->nesting_depth == frz_limits_default.nesting_depth);
    frz_parquet_file_close(file);
    frz_parquet_file_close(NULL);
    made_clear(&made);
}

/* Whoever projected all columns away has rows all the same. */
static void test_a_file_without_columns_has_rows(void **state)
{
    (void)state;
    static const element_spec no_column[] = {GROUP("root", NONE, 0, NONE)};
    made_file made;
    frz_parquet_file *file = NULL;
    frz_error *err = NULL;
    made_begin(&made);
    made_finish(&made, no_column, 1, 7);
    CHECK_OK(frz_parquet_file_open(&made.input, NULL, &file, &err), err);
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    CHECK(metadata->row_count == 7 && metadata->leaf_count == 0);
    CHECK(metadata->root.child_count == 0 && metadata->row_group_count == 1);
    CHECK(metadata->row_groups[0].row_count == 7);
    frz_parquet_file_close(file);
    made_clear(&made);
}

static void test_what_is_no_parquet_file_is_told_where(void **state)
{
    (void)state;
    static const struct {
        int at; /* from the end when negative */
        const char *put;
        frz_status status;
        const char *text;
    } cases[] = {
        {0, "PARX", FRZ_CORRUPT, "at offset 0: expected the magic PAR1"},
        {-4, "PARX", FRZ_CORRUPT, "expected the magic PAR1 at the end"},
        {-4, "PARE", FRZ_UNSUPPORTED, "encrypted footer"},
        {-8, "\xff\xff\xff\x7f", FRZ_CORRUPT, "the footer is longer than the file"},
        {-8, "\0\0\0\0", FRZ_CORRUPT, "the footer is longer than the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made_file made;
        make_file(&made);
        frz_parquet_file *file = NULL;
        frz_error *err = NULL;
        const size_t base = cases[i].at < 0 ? made.bytes.size : 0;
        memcpy(made.bytes.data + (ptrdiff_t)base + cases[i].at, cases[i].put, 4);
        CHECK_FAILS(frz_parquet_file_open(&made.input, NULL, &file, &err), cases[i].status, err,
                    cases[i].text);
        CHECK(file == NULL);
        made_clear(&made);
    }
}

static void test_short_files_and_large_footers(void **state)
{
    (void)state;
    made_file made;
    make_file(&made);
    frz_parquet_file *file = NULL;
    frz_error *err = NULL;
    const frz_limits limits = {.parquet_footer_size = 10, .nesting_depth = 10};
    CHECK_FAILS(frz_parquet_file_open(&made.input, &limits, &file, &err), FRZ_UNSUPPORTED, err,
                "over the limit parquet_footer_size (10)");
    made.bytes.size = 11;
    CHECK_FAILS(frz_parquet_file_open(&made.input, NULL, &file, &err), FRZ_CORRUPT, err,
                "too short");
    made_clear(&made);
}

static made_file swept;

static void open_under_failure(void)
{
    frz_parquet_file *file = NULL;
    const frz_status status = frz_parquet_file_open(&swept.input, NULL, &file, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_parquet_file_close(file);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    make_file(&swept);
    sweep_allocation_failures(open_under_failure);
    made_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_opens_with_two_reads),
        cmocka_unit_test(test_a_file_without_columns_has_rows),
        cmocka_unit_test(test_what_is_no_parquet_file_is_told_where),
        cmocka_unit_test(test_short_files_and_large_footers),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
