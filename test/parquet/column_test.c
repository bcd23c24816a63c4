#include "parquet/column.h"

#include "base/fail.h"
#include "harness.h"
#include "parquet/numbered_file.h"

typedef struct opened {
    made_file made;
    frz_parquet_file *file;
    frz_parquet_column *column;
} opened;

static frz_status open_column(opened *o, frz_error **err)
{
    o->column = NULL;
    FRZ_TRY(frz_parquet_file_open(&o->made.input, NULL, &o->file, err));
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(o->file);
    o->column = calloc(1, sizeof *o->column);
    CHECK(o->column != NULL);
    FRZ_TRY(frz_parquet_column_init(o->column, o->file, metadata->leaves[0], err));
    return frz_parquet_column_begin(o->column, &metadata->row_groups[0], NULL, err);
}

static void close_column(opened *o)
{
    if (o->column)
        frz_parquet_column_clear(o->column);
    free(o->column);
    frz_parquet_file_close(o->file);
    made_clear(&o->made);
}

static void test_flat_batches_have_validity_and_spread_values(void **state)
{
    (void)state;
    opened o = {0};
    frz_error *err = NULL;
    frz_parquet_leaf_batch batch = {0};
    numbered_make(&o.made, (numbered_options){0});
    CHECK_OK(open_column(&o, &err), err);
    CHECK_OK(frz_parquet_column_skip(o.column, 198, &err), err);
    CHECK_OK(frz_parquet_column_read(o.column, 10, &batch, &err), err); /* over a page's end */
    CHECK(o.column->row == 208 && batch.flat && batch.rows == 10 && batch.null_count == 2);
    CHECK(batch.validity.data[0] == 0xde && batch.validity.data[1] == 0x03);
    const int32_t want[] = {0, 199, 200, 201, 202, 0, 204, 205, 206, 207};
    CHECK(memcmp(batch.values.data.data, want, sizeof want) == 0);
    frz_parquet_leaf_batch_clear(&batch);
    close_column(&o);
}

static void test_nested_batches_have_levels_and_dense_values(void **state)
{
    (void)state;
    opened o = {0};
    frz_error *err = NULL;
    frz_parquet_leaf_batch batch = {0};
    numbered_make(&o.made, (numbered_options){.lists = true});
    CHECK_OK(open_column(&o, &err), err);
    CHECK_OK(frz_parquet_column_read(o.column, 6, &batch, &err), err);
    /* [], [0], [1, 2], null, [3], [4, 5] */
    CHECK(!batch.flat && batch.rows == 6 && batch.entry_count == 8);
    CHECK(memcmp(batch.repetition.data, "\0\0\0\1\0\0\0\1", 8) == 0);
    CHECK(memcmp(batch.definition.data, "\1\2\2\2\0\2\2\2", 8) == 0);
    CHECK(batch.values.count == 6 &&
          ((const int32_t *)(const void *)batch.values.data.data)[5] == 5);
    frz_parquet_leaf_batch_clear(&batch);
    close_column(&o);
}

/* parquet-testing ARROW-GH-45185: the first repetition level is 1. */
static void test_a_page_must_begin_with_a_row(void **state)
{
    (void)state;
    const element_spec lists[] = {GROUP("root", NONE, 1, NONE), GROUP("x", 1, 1, 3),
                                  LEAF("array", 2, FRZ_PARQUET_INT32, NONE)};
    const uint8_t repetition[] = {0x03, 0x01}, definition[] = {0x10, 0x02};
    const int32_t values[8] = {0};
    opened o = {0};
    frz_error *err = NULL;
    frz_parquet_leaf_batch batch = {0};
    made_begin(&o.made);
    (void)made_column_begin(&o.made);
    made_add_page(&o.made, (made_page){.type = FRZ_PARQUET_PAGE_DATA_V2,
                                       .value_count = 8,
                                       .row_count = 7,
                                       .repetition = {repetition, sizeof repetition},
                                       .definition = {definition, sizeof definition},
                                       .values = {(const uint8_t *)values, sizeof values}});
    made_finish(&o.made, lists, 3, 7);
    CHECK_OK(open_column(&o, &err), err);
    CHECK_FAILS(frz_parquet_column_read(o.column, 7, &batch, &err), FRZ_CORRUPT, err,
                "column x.array, page at offset 4: it does not begin with a new row");
    frz_parquet_leaf_batch_clear(&batch);
    close_column(&o);
}

static void test_missing_rows_are_told(void **state)
{
    (void)state;
    const element_spec one[] = {GROUP("root", NONE, 1, NONE),
                                LEAF("x", 0, FRZ_PARQUET_INT32, NONE)};
    const int32_t values[2] = {0};
    opened o = {0};
    frz_error *err = NULL;
    frz_parquet_leaf_batch batch = {0};
    made_begin(&o.made);
    (void)made_column_begin(&o.made);
    made_add_page(
        &o.made, (made_page){.value_count = 2, .values = {(const uint8_t *)values, sizeof values}});
    made_finish(&o.made, one, 2, 3);
    CHECK_OK(open_column(&o, &err), err);
    CHECK_FAILS(frz_parquet_column_read(o.column, 3, &batch, &err), FRZ_CORRUPT, err,
                "the column chunk ends before its last value");
    frz_parquet_leaf_batch_clear(&batch);
    close_column(&o);
}

static made_file swept;

static void read_under_failure(void)
{
    opened o = {.made = swept};
    frz_parquet_leaf_batch batch = {0};
    frz_status status = open_column(&o, NULL);
    if (status == FRZ_OK)
        status = frz_parquet_column_skip(o.column, 250, NULL);
    if (status == FRZ_OK)
        status = frz_parquet_column_read(o.column, 300, &batch, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_parquet_leaf_batch_clear(&batch);
    o.made.bytes = (frz_buffer){0}; /* shared by all turns */
    close_column(&o);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    numbered_make(&swept, (numbered_options){.dictionary = true});
    sweep_allocation_failures(read_under_failure);
    made_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_batches_have_validity_and_spread_values),
        cmocka_unit_test(test_nested_batches_have_levels_and_dense_values),
        cmocka_unit_test(test_a_page_must_begin_with_a_row),
        cmocka_unit_test(test_missing_rows_are_told),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
