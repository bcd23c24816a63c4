#include "parquet/chunk.h"

#include "base/fail.h"
#include "harness.h"
#include "parquet/numbered_file.h"

typedef struct opened {
    made_file made;
    frz_parquet_file *file;
    frz_parquet_column *column;
    frz_parquet_page_index index;
    frz_arena arena;
} opened;

static void open_chunk(opened *o, numbered_options options)
{
    frz_error *err = NULL;
    *o = (opened){0};
    numbered_make(&o->made, options);
    CHECK_OK(frz_parquet_file_open(&o->made.input, NULL, &o->file, &err), err);
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(o->file);
    o->column = calloc(1, sizeof *o->column);
    CHECK(o->column != NULL);
    CHECK_OK(frz_parquet_column_init(o->column, o->file, metadata->leaves[0], &err), err);
    if (options.with_index)
        CHECK_OK(frz_parquet_page_locations_read(o->file, 0, 0, &o->arena, &o->index, &err), err);
    CHECK_OK(frz_parquet_column_begin(o->column, &metadata->row_groups[0],
                                      options.with_index ? &o->index : NULL, &err),
             err);
}

static void close_chunk(opened *o)
{
    frz_parquet_column_clear(o->column);
    free(o->column);
    frz_parquet_file_close(o->file);
    frz_arena_clear(&o->arena);
    made_clear(&o->made);
}

static void test_data_pages_one_after_the_other(void **state)
{
    (void)state;
    for (int n = 0; n < 8; n++) {
        numbered_options options;
        opened o;
        frz_parquet_page_header header;
        frz_error *err = NULL;
        (void)numbered_case(n, &options);
        open_chunk(&o, options);
        for (int page = 0; page < NUMBERED_PAGES; page++) {
            CHECK_OK(frz_parquet_chunk_next(o.column, &header, &err), err);
            CHECK(header.value_count == ROWS_PER_PAGE);
            CHECK((int64_t)o.column->page_offset == o.made.columns[0].page_offsets[page]);
            CHECK_OK(frz_parquet_chunk_open(o.column, &header, &err), err);
            CHECK(o.column->source.dictionary.present == options.dictionary);
            CHECK(o.column->page_entries == ROWS_PER_PAGE);
        }
        CHECK(frz_parquet_chunk_next(o.column, &header, &err) == FRZ_END && !err);
        close_chunk(&o);
    }
}

static void test_whole_pages_are_passed_over(void **state)
{
    (void)state;
    for (int n = 0; n < 8; n++) {
        numbered_options options;
        opened o;
        frz_parquet_page_header header;
        frz_error *err = NULL;
        int64_t rows = 5 * ROWS_PER_PAGE + 17;
        (void)numbered_case(n, &options);
        open_chunk(&o, options);
        CHECK_OK(frz_parquet_chunk_pass(o.column, &rows, &err), err);
        CHECK(rows == 17 && o.column->row == 5 * ROWS_PER_PAGE);
        CHECK_OK(frz_parquet_chunk_next(o.column, &header, &err), err);
        CHECK((int64_t)o.column->page_offset == o.made.columns[0].page_offsets[5]);
        close_chunk(&o);
    }
}

static void test_passing_inside_the_open_page_leaves_it(void **state)
{
    (void)state;
    for (int n = 0; n < 8; n += 4) {
        numbered_options options;
        opened o;
        frz_parquet_page_header header;
        frz_error *err = NULL;
        int64_t rows = 10;
        (void)numbered_case(n, &options);
        open_chunk(&o, options);
        CHECK_OK(frz_parquet_chunk_next(o.column, &header, &err), err);
        CHECK_OK(frz_parquet_chunk_open(o.column, &header, &err), err);
        CHECK_OK(frz_parquet_chunk_pass(o.column, &rows, &err), err);
        CHECK(rows == 10 && o.column->page_entries == ROWS_PER_PAGE);
        close_chunk(&o);
    }
}

static void test_chunks_that_cannot_be_read_are_refused_by_name(void **state)
{
    (void)state;
    opened o;
    frz_error *err = NULL;
    open_chunk(&o, (numbered_options){0});
    frz_parquet_row_group group = *o.column->group;
    frz_parquet_column_chunk chunk = group.columns[0];
    group.columns = &chunk;
    chunk.encrypted = true;
    CHECK_FAILS(frz_parquet_column_begin(o.column, &group, NULL, &err), FRZ_UNSUPPORTED, err,
                "column x: an encrypted column chunk");
    chunk.encrypted = false;
    chunk.file_path = "other.parquet";
    CHECK_FAILS(frz_parquet_column_begin(o.column, &group, NULL, &err), FRZ_UNSUPPORTED, err,
                "in another file (other.parquet)");
    close_chunk(&o);
}

static void test_more_values_than_the_chunk_has(void **state)
{
    (void)state;
    opened o;
    frz_parquet_page_header header;
    frz_error *err = NULL;
    open_chunk(&o, (numbered_options){0});
    o.column->values_left = 100;
    CHECK_FAILS(frz_parquet_chunk_next(o.column, &header, &err), FRZ_CORRUPT, err,
                "more values than the column chunk has");
    close_chunk(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_pages_one_after_the_other),
        cmocka_unit_test(test_whole_pages_are_passed_over),
        cmocka_unit_test(test_passing_inside_the_open_page_leaves_it),
        cmocka_unit_test(test_chunks_that_cannot_be_read_are_refused_by_name),
        cmocka_unit_test(test_more_values_than_the_chunk_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
