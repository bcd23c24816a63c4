#include "parquet/page_walk.h"

#include "base/fail.h"
#include "harness.h"
#include "parquet/numbered_file.h"

static void walk_begin(made_file *made, frz_parquet_file **file, frz_parquet_page_walk *walk)
{
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_file_open(&made->input, NULL, file, &err), err);
    CHECK_OK(frz_parquet_page_walk_begin(walk, *file, 0, 0, &err), err);
}

static void walk_end(made_file *made, frz_parquet_file *file, frz_parquet_page_walk *walk)
{
    frz_parquet_page_walk_clear(walk);
    frz_parquet_file_close(file);
    made_clear(made);
}

static void test_every_page_is_met_in_order(void **state)
{
    (void)state;
    numbered_options options;
    for (int n = 0; numbered_case(n, &options); n++) {
        frz_error *err = NULL;
        made_file made;
        frz_parquet_file *file = NULL;
        frz_parquet_page_walk walk;
        frz_parquet_page_header header;
        numbered_make(&made, options);
        walk_begin(&made, &file, &walk);
        if (options.dictionary) {
            CHECK_OK(frz_parquet_page_walk_next(&walk, &header, &err), err);
            CHECK(header.type == FRZ_PARQUET_PAGE_DICTIONARY &&
                  header.value_count == NUMBERED_ROWS);
        }
        for (size_t page = 0; page < NUMBERED_PAGES; page++) {
            CHECK_OK(frz_parquet_page_walk_next(&walk, &header, &err), err);
            CHECK(walk.offset == (uint64_t)made.columns[0].page_offsets[page]);
            CHECK(header.header_size + header.compressed_size ==
                  (size_t)made.columns[0].page_sizes[page]);
            CHECK(header.type == (options.v2 ? FRZ_PARQUET_PAGE_DATA_V2 : FRZ_PARQUET_PAGE_DATA));
            frz_slice body = {0};
            CHECK_OK(frz_parquet_page_walk_body(&walk, &header, &body, &err), err);
            CHECK(body.size == header.compressed_size);
            CHECK(frz_hash_crc32(0, body.data, body.size) == header.crc);
        }
        CHECK(frz_parquet_page_walk_next(&walk, &header, &err) == FRZ_END && !err);
        walk_end(&made, file, &walk);
    }
}

static void test_a_broken_header_is_named_by_its_offset(void **state)
{
    (void)state;
    frz_error *err = NULL;
    made_file made;
    frz_parquet_file *file = NULL;
    frz_parquet_page_walk walk;
    frz_parquet_page_header header;
    uint64_t offset = 0;
    numbered_make(&made, (numbered_options){0});
    const int64_t third = made.columns[0].page_offsets[2];
    memset(made.bytes.data + third, 0xff, 4);
    walk_begin(&made, &file, &walk);
    for (int page = 0; page < 2; page++)
        CHECK_OK(frz_parquet_page_walk_next(&walk, &header, &err), err);
    const frz_status status = frz_parquet_page_walk_next(&walk, &header, &err);
    CHECK(frz_error_offset(err, &offset) && offset == (uint64_t)third + 1);
    CHECK_FAILS(status, FRZ_CORRUPT, err, "page header at offset");
    walk_end(&made, file, &walk);
}

static void test_pages_that_do_not_add_up_are_corrupt(void **state)
{
    (void)state;
    frz_error *err = NULL;
    made_file made;
    frz_parquet_file *file = NULL;
    frz_parquet_page_walk walk;
    frz_parquet_page_header header;
    numbered_make(&made, (numbered_options){0});
    walk_begin(&made, &file, &walk);
    walk.values_left = ROWS_PER_PAGE - 1;
    CHECK_FAILS(frz_parquet_page_walk_next(&walk, &header, &err), FRZ_CORRUPT, err,
                "more values than the column chunk has");
    walk.values_left = NUMBERED_ROWS;
    walk.next_offset = walk.end;
    CHECK_FAILS(frz_parquet_page_walk_next(&walk, &header, &err), FRZ_CORRUPT, err,
                "the column chunk ends before its last value");
    walk_end(&made, file, &walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_page_is_met_in_order),
        cmocka_unit_test(test_a_broken_header_is_named_by_its_offset),
        cmocka_unit_test(test_pages_that_do_not_add_up_are_corrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
