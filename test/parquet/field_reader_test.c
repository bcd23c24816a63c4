#include "parquet/field_reader.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "harness.h"
#include "parquet/numbered_file.h"

typedef struct opened {
    made_file made;
    frz_parquet_file *file;
    frz_parquet_field_reader *reader;
} opened;

static void open_reader(opened *o, numbered_options options, const frz_parquet_row_range *ranges,
                        size_t range_count)
{
    frz_error *err = NULL;
    numbered_make(&o->made, options);
    CHECK_OK(frz_parquet_file_open(&o->made.input, NULL, &o->file, &err), err);
    o->reader = NULL;
    CHECK_OK(frz_parquet_field_reader_open(o->file,
                                           &frz_parquet_file_metadata(o->file)->root.children[0],
                                           NULL, ranges, range_count, &o->reader, &err),
             err);
}

static void close_reader(opened *o)
{
    frz_parquet_field_reader_close(o->reader);
    frz_parquet_file_close(o->file);
    made_clear(&o->made);
}

/* What a row of the numbered file is: null, a number, or the first number and length of a list. */
static void check_row(const struct ArrowArray *array, int64_t at, int64_t row,
                      numbered_options options)
{
    const bool null = !options.required && numbered_null(row);
    CHECK(frz_arrow_is_null(array, at) == null);
    if (!options.lists) {
        CHECK(null || ((const int32_t *)array->buffers[1])[array->offset + at] == row);
        return;
    }
    const int32_t *offsets = (const int32_t *)array->buffers[1] + array->offset + at;
    CHECK(offsets[1] - offsets[0] == (null ? 0 : row % 3));
    if (offsets[1] == offsets[0])
        return;
    int32_t before = 0; /* numbers in the rows before */
    for (int64_t r = 0; r < row; r++)
        before += numbered_null(r) ? 0 : (int32_t)(r % 3);
    CHECK(((const int32_t *)array->children[0]->buffers[1])[offsets[0]] == before);
}

static void read_and_check(opened *o, int64_t start, int64_t count, const uint64_t *mask,
                           numbered_options options)
{
    struct ArrowArray array = {0};
    frz_error *err = NULL;
    int64_t selected = 0;
    for (int64_t i = 0; i < count; i++)
        selected += !mask || mask[i / 64] >> i % 64 & 1;
    CHECK_OK(frz_parquet_field_reader_read(o->reader, start, count, mask, selected, &array, &err),
             err);
    CHECK(array.length == selected);
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++)
        if (!mask || mask[i / 64] >> i % 64 & 1)
            check_row(&array, at++, start + i, options);
    frz_arrow_array_clear(&array);
}

static void test_all_rows_in_batches_of_any_size(void **state)
{
    (void)state;
    numbered_options options;
    for (int n = 0; numbered_case(n, &options); n++) {
        for (int64_t batch = 7; batch <= NUMBERED_ROWS; batch = batch * 5 + 2) {
            opened o;
            open_reader(&o, options, NULL, 0);
            for (int64_t at = 0; at < NUMBERED_ROWS; at += batch)
                read_and_check(&o, at, NUMBERED_ROWS - at < batch ? NUMBERED_ROWS - at : batch,
                               NULL, options);
            close_reader(&o);
        }
    }
}

/* Writers flush pages that got no value; compressed, some leave out their bytes altogether. */
static void test_empty_pages_are_passed(void **state)
{
    (void)state;
    static const element_spec schema[] = {GROUP("root", NONE, 1, NONE),
                                          LEAF("x", 0, FRZ_PARQUET_INT32, NONE)};
    static const int32_t values[] = {10, 11, 12};
    for (int n = 0; n < 4; n++) {
        const int32_t type = n & 1 ? FRZ_PARQUET_PAGE_DATA_V2 : FRZ_PARQUET_PAGE_DATA;
        opened o = {0};
        struct ArrowArray array = {0};
        frz_error *err = NULL;
        made_begin(&o.made);
        o.made.codec = n & 2 ? FRZ_CODEC_SNAPPY : FRZ_CODEC_NONE;
        o.made.codec_number = n & 2 ? 1 : 0;
        (void)made_column_begin(&o.made);
        made_add_page(&o.made, (made_page){.type = type});
        made_add_page(&o.made, (made_page){.type = type,
                                           .value_count = 2,
                                           .row_count = 2,
                                           .values = {(const uint8_t *)values, 8}});
        made_add_page(&o.made, (made_page){.type = type, .not_compressed = true});
        made_add_page(&o.made, (made_page){.type = type,
                                           .value_count = 1,
                                           .row_count = 1,
                                           .values = {(const uint8_t *)(values + 2), 4}});
        made_finish(&o.made, schema, 2, 3);
        CHECK_OK(frz_parquet_file_open(&o.made.input, NULL, &o.file, &err), err);
        CHECK_OK(frz_parquet_field_reader_open(o.file,
                                               &frz_parquet_file_metadata(o.file)->root.children[0],
                                               NULL, NULL, 0, &o.reader, &err),
                 err);
        CHECK_OK(frz_parquet_field_reader_read(o.reader, 0, 3, NULL, 3, &array, &err), err);
        CHECK(memcmp(array.buffers[1], values, sizeof values) == 0);
        frz_arrow_array_clear(&array);
        close_reader(&o);
    }
}

/* optional group x (LIST) { repeated int32 array }: no element is not no list. */
static void d099_two_level_lists_tell_empty_from_null(void **state)
{
    (void)state;
    static const int32_t ends[] = {0, 0, 1, 3, 3, 4, 6, 6, 7, 7, 7};
    for (int v2 = 0; v2 < 2; v2++) {
        opened o;
        struct ArrowArray array = {0};
        frz_error *err = NULL;
        open_reader(&o, (numbered_options){.lists = true, .v2 = v2}, NULL, 0);
        CHECK_OK(frz_parquet_field_reader_read(o.reader, 0, 10, NULL, 10, &array, &err), err);
        CHECK(array.null_count == 2 && frz_arrow_is_null(&array, 3) &&
              frz_arrow_is_null(&array, 8));
        CHECK(!frz_arrow_is_null(&array, 0) && !frz_arrow_is_null(&array, 6));
        CHECK(memcmp(array.buffers[1], ends, sizeof ends) == 0);
        frz_arrow_array_clear(&array);
        close_reader(&o);
    }
}

/* Dictionary encoded, with nulls, in several pages and batches: 3332-12-14T11:33:10.965 and the
 * first day of year 1, both beyond what 64 bits of nanoseconds reach. */
static void d064_int96_by_dictionary_over_several_batches(void **state)
{
    (void)state;
    static const element_spec schema[] = {GROUP("root", NONE, 1, NONE),
                                          LEAF("x", 1, FRZ_PARQUET_INT96, NONE)};
    static const int64_t want[] = {INT64_C(43010652790965000), INT64_C(-62135596800000000)};
    static const uint8_t levels[] = {2, 0, 0, 0, 3, 0x2f}; /* 1 1 1 1 0 1 */
    static const uint8_t indices[] = {1, 3, 0x0a};         /* 0 1 0 1 0 */
    uint8_t entries[24];
    const int64_t nanos[2] = {INT64_C(41590965000000), 0};
    const int32_t days[2] = {2440588 + 497808, 1721426};
    for (int i = 0; i < 2; i++) {
        memcpy(entries + 12 * i, &nanos[i], 8);
        memcpy(entries + 12 * i + 8, &days[i], 4);
    }
    opened o = {0};
    frz_error *err = NULL;
    made_begin(&o.made);
    (void)made_column_begin(&o.made);
    made_add_page(&o.made, (made_page){.type = FRZ_PARQUET_PAGE_DICTIONARY,
                                       .value_count = 2,
                                       .values = frz_slice_of(entries, sizeof entries)});
    for (int i = 0; i < 2; i++)
        made_add_page(&o.made, (made_page){.encoding = FRZ_PARQUET_RLE_DICTIONARY,
                                           .value_count = 6,
                                           .definition = frz_slice_of(levels, sizeof levels),
                                           .values = frz_slice_of(indices, sizeof indices)});
    made_finish(&o.made, schema, 2, 12);
    CHECK_OK(frz_parquet_file_open(&o.made.input, NULL, &o.file, &err), err);
    CHECK_OK(frz_parquet_field_reader_open(o.file,
                                           &frz_parquet_file_metadata(o.file)->root.children[0],
                                           NULL, NULL, 0, &o.reader, &err),
             err);
    for (int64_t row = 0; row < 12; row += 4) {
        struct ArrowArray array = {0};
        CHECK_OK(frz_parquet_field_reader_read(o.reader, row, 4, NULL, 4, &array, &err), err);
        for (int64_t i = 0; i < 4; i++) {
            const int64_t at = (row + i) % 6;
            CHECK(frz_arrow_is_null(&array, i) == (at == 4));
            const int64_t got = ((const int64_t *)array.buffers[1])[array.offset + i];
            CHECK(at == 4 || got == want[at == 5 ? 0 : at % 2]);
        }
        frz_arrow_array_clear(&array);
    }
    close_reader(&o);
}

/* Positions are absolute, whatever is passed over (design rule 2). */
static void test_gaps_and_masks_give_the_same_rows(void **state)
{
    (void)state;
    static const frz_parquet_row_range ranges[] = {{13, 2}, {450, 90}, {1190, 30}, {1599, 1}};
    numbered_options options;
    for (int n = 0; numbered_case(n, &options); n++) {
        for (int announced = 0; announced < 2; announced++) {
            opened o;
            open_reader(&o, options, announced ? ranges : NULL, announced ? 4 : 0);
            for (size_t i = 0; i < 4; i++)
                read_and_check(&o, ranges[i].start, ranges[i].count, NULL, options);
            close_reader(&o);
        }
        for (int64_t step = 1; step < 700; step = step * 3 + 1) {
            uint64_t mask[NUMBERED_ROWS / 64 + 1] = {0};
            opened o;
            open_reader(&o, options, NULL, 0);
            for (int64_t i = step / 2; i < 1000; i += step)
                mask[i / 64] |= UINT64_C(1) << i % 64;
            read_and_check(&o, 100, 1000, mask, options);
            read_and_check(&o, 1100, 500, mask, options);
            close_reader(&o);
        }
    }
}

static void test_an_empty_mask_reads_nothing(void **state)
{
    (void)state;
    const uint64_t mask[NUMBERED_ROWS / 64 + 1] = {0};
    opened o;
    open_reader(&o, (numbered_options){0}, NULL, 0);
    const size_t reads = o.made.reads;
    read_and_check(&o, 0, 1500, mask, (numbered_options){0});
    CHECK(o.made.reads == reads);
    read_and_check(&o, 1500, 100, NULL, (numbered_options){0});
    close_reader(&o);
}

/* Issue: a clustered filter reads little. One row of 1600, by offset index: one page of eight. */
static void test_unwanted_pages_are_not_read(void **state)
{
    (void)state;
    const frz_parquet_row_range range = {777, 1};
    const numbered_options options = {.with_index = true, .v2 = true};
    opened o;
    open_reader(&o, options, &range, 1);
    const uint64_t before = o.made.read_bytes;
    read_and_check(&o, 777, 1, NULL, options);
    const uint64_t page = (uint64_t)o.made.columns[0].page_sizes[3];
    CHECK(o.made.read_bytes - before <= page + (uint64_t)o.made.columns[0].index_size);
    close_reader(&o);
}

/* Skipped pages are not opened: a wrong checksum in them is not seen; one that is read is. */
static void test_unwanted_pages_are_not_opened(void **state)
{
    (void)state;
    opened o;
    struct ArrowArray array = {0};
    frz_error *err = NULL;
    open_reader(&o, (numbered_options){0}, NULL, 0);
    const made_column *column = &o.made.columns[0];
    o.made.bytes.data[column->page_offsets[3] + column->page_sizes[3] - 1] ^= 1;
    read_and_check(&o, 0, 600, NULL, (numbered_options){0});
    read_and_check(&o, 800, 100, NULL, (numbered_options){0});
    close_reader(&o);
    open_reader(&o, (numbered_options){0}, NULL, 0);
    column = &o.made.columns[0];
    o.made.bytes.data[column->page_offsets[3] + column->page_sizes[3] - 1] ^= 1;
    CHECK_FAILS(frz_parquet_field_reader_read(o.reader, 0, 601, NULL, 601, &array, &err),
                FRZ_CORRUPT, err, "column x, page at offset");
    close_reader(&o);
}

/* Pages are sound where an offset index says nonsense of them: they are read without it. */
static void test_an_index_that_contradicts_the_pages_is_left(void **state)
{
    (void)state;
    const frz_parquet_row_range ranges[] = {{250, 10}, {590, 20}, {777, 500}};
    numbered_options options;
    size_t read = 0;
    for (int n = 0; numbered_case(n, &options); n++) {
        for (int fault = MADE_INDEX_OTHER_ROWS; fault < MADE_INDEX_FAULTS; fault++) {
            /* Nothing tells the rows of a V1 page of lists but the index. */
            if (!options.with_index ||
                (options.lists && !options.v2 && fault == MADE_INDEX_OTHER_ROWS))
                continue;
            opened o;
            const uint64_t mask[8] = {UINT64_MAX, 0, 5, 0, 0, UINT64_MAX, 0, 1};
            options.index_fault = (made_index_fault)fault;
            open_reader(&o, options, ranges, 3);
            read_and_check(&o, 250, 10, NULL, options);
            read_and_check(&o, 590, 20, NULL, options);
            read_and_check(&o, 777, 500, mask, options);
            close_reader(&o);
            open_reader(&o, options, &ranges[2], 1);
            read_and_check(&o, 777, 300, NULL, options);
            read_and_check(&o, 1077, 200, NULL, options);
            close_reader(&o);
            read++;
        }
    }
    assert_int_equal(read, 16 * 3 - 4);
}

static void test_reads_must_go_forward_inside_a_row_group(void **state)
{
    (void)state;
    opened o;
    struct ArrowArray array = {0};
    frz_error *err = NULL;
    open_reader(&o, (numbered_options){0}, NULL, 0);
    read_and_check(&o, 100, 100, NULL, (numbered_options){0});
    CHECK_FAILS(frz_parquet_field_reader_read(o.reader, 199, 1, NULL, 1, &array, &err), FRZ_INVALID,
                err, "not ahead of the last read");
    CHECK_FAILS(frz_parquet_field_reader_read(o.reader, 1500, 101, NULL, 101, &array, &err),
                FRZ_INVALID, err, "not in one row group");
    CHECK_FAILS(frz_parquet_field_reader_read(o.reader, 1600, 1, NULL, 1, &array, &err),
                FRZ_INVALID, err, "not in one row group");
    const bool none[] = {false};
    frz_parquet_field_reader *other = NULL;
    CHECK_FAILS(frz_parquet_field_reader_open(o.file,
                                              &frz_parquet_file_metadata(o.file)->root.children[0],
                                              none, NULL, 0, &other, &err),
                FRZ_INVALID, err, "no column of \"x\" is selected");
    close_reader(&o);
}

static frz_status read_whole(made_file *made, frz_error **err)
{
    frz_parquet_file *file = NULL;
    frz_parquet_field_reader *reader = NULL;
    struct ArrowArray array = {0};
    frz_status status = FRZ_OK;
    uint64_t mask[NUMBERED_ROWS / 64 + 1];
    memset(mask, 0x6d, sizeof mask);
    FRZ_TRY_DONE(frz_parquet_file_open(&made->input, NULL, &file, err));
    const frz_parquet_metadata *m = frz_parquet_file_metadata(file);
    if (m->root.child_count == 0 || m->row_group_count == 0 || m->row_groups[0].row_count == 0)
        goto done;
    const int64_t rows =
        m->row_groups[0].row_count < NUMBERED_ROWS ? m->row_groups[0].row_count : NUMBERED_ROWS;
    int64_t selected = 0;
    for (int64_t i = 0; i < rows; i++)
        selected += (int64_t)(mask[i / 64] >> i % 64 & 1);
    FRZ_TRY_DONE(
        frz_parquet_field_reader_open(file, &m->root.children[0], NULL, NULL, 0, &reader, err));
    FRZ_TRY_DONE(frz_parquet_field_reader_read(reader, 0, rows, mask, selected, &array, err));
    CHECK(array.length == selected);
done:
    frz_arrow_array_clear(&array);
    frz_parquet_field_reader_close(reader);
    frz_parquet_file_close(file);
    return status;
}

static bool harmless(frz_status status)
{
    return status == FRZ_OK || status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED;
}

/* Without checksums, so that damage gets as far as it can. */
static void test_damaged_files_do_no_harm(void **state)
{
    (void)state;
    for (int n = 0; n < 32; n += 3) {
        numbered_options options;
        made_file made;
        (void)numbered_case(n, &options);
        options.no_crc = true;
        numbered_make(&made, options);
        for (size_t size = 0; size < made.bytes.size; size += 97) {
            made_file cut = made;
            cut.bytes.size = size;
            CHECK(read_whole(&cut, NULL) == FRZ_CORRUPT);
        }
        for (size_t at = 4; at < made.bytes.size; at += at < 300 ? 1 : 31) {
            const uint8_t flip = (uint8_t)(1u << at % 8);
            made.bytes.data[at] ^= flip;
            CHECK(harmless(read_whole(&made, NULL)));
            made.bytes.data[at] ^= flip;
        }
        made_clear(&made);
    }
}

static made_file swept;

static void read_under_failure(void)
{
    const frz_status status = read_whole(&swept, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
}

static void test_allocation_failures(void **state)
{
    (void)state;
    for (int n = 2; n < 32; n += 14) {
        numbered_options options;
        (void)numbered_case(n, &options);
        numbered_make(&swept, options);
        sweep_allocation_failures(read_under_failure);
        made_clear(&swept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_rows_in_batches_of_any_size),
        cmocka_unit_test(test_empty_pages_are_passed),
        cmocka_unit_test(d099_two_level_lists_tell_empty_from_null),
        cmocka_unit_test(d064_int96_by_dictionary_over_several_batches),
        cmocka_unit_test(test_gaps_and_masks_give_the_same_rows),
        cmocka_unit_test(test_an_empty_mask_reads_nothing),
        cmocka_unit_test(test_unwanted_pages_are_not_read),
        cmocka_unit_test(test_unwanted_pages_are_not_opened),
        cmocka_unit_test(test_an_index_that_contradicts_the_pages_is_left),
        cmocka_unit_test(test_reads_must_go_forward_inside_a_row_group),
        cmocka_unit_test(test_damaged_files_do_no_harm),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
