/*
 * Parquet files: the footer, page indexes, Bloom filters, dictionaries and page headers of chunks,
 * and every column: all rows, and rows picked by a
 * mask with what lies between passed over. What is read prints, so that no value lies outside of
 * its buffers.
 */
#include "parquet/file.h"

#include <stdio.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "parquet/bloom.h"
#include "parquet/dictionary_values.h"
#include "parquet/field_reader.h"
#include "parquet/page_index.h"
#include "parquet/page_walk.h"
#include "target.h"
#include "text/value.h"

enum { BATCH_ROWS = 1000, BATCHES_MAX = 16, COLUMNS_MAX = 32, GROUPS_MAX = 8, PRINTED_ROWS = 32 };

/* What one column is checked against. */
typedef struct column_check {
    struct ArrowSchema schema;
    frz_text_column text;
    frz_arena arena;
    bool printable;
} column_check;

static void check_array(const column_check *check, const struct ArrowArray *array, int64_t rows)
{
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 0);
    const frz_text_style style = {0};
    FUZZ_CHECK(array->length == rows);
    FUZZ_CHECK(frz_arrow_array_validate(&check->schema, array, NULL) == FRZ_OK);
    for (int64_t i = 0; check->printable && i < rows; i++) {
        if (i < PRINTED_ROWS || rows - i <= PRINTED_ROWS)
            frz_text_write_json(&json, &check->text, array, i, &style);
    }
    frz_buffer_clear(&out);
}

/* The rows that are read of each batch: with a mask, runs of 5 and of 150 with a gap between. */
static int64_t fill_mask(uint64_t *mask, int64_t count)
{
    int64_t selected = 0;
    memset(mask, 0, (BATCH_ROWS + 63) / 64 * sizeof *mask);
    for (int64_t i = 0; i < count; i++) {
        const bool wanted = (i >= 3 && i < 8) || (i >= 200 && i < 350) || i == BATCH_ROWS - 1;
        mask[i / 64] |= (uint64_t)wanted << (i % 64);
        selected += wanted;
    }
    return selected;
}

static frz_status read_group(frz_parquet_field_reader *reader, const column_check *check,
                             const frz_parquet_row_group *group, bool masked)
{
    frz_error *err = NULL;
    frz_status status = FRZ_OK;
    int64_t done = 0;
    uint64_t mask[(BATCH_ROWS + 63) / 64];
    for (int i = 0; i < BATCHES_MAX && done < group->row_count && status == FRZ_OK; i++) {
        struct ArrowArray array = {0};
        const int64_t left = group->row_count - done;
        const int64_t count = left < BATCH_ROWS ? left : BATCH_ROWS;
        const int64_t selected = masked ? fill_mask(mask, count) : count;
        status = frz_parquet_field_reader_read(reader, group->first_row + done, count,
                                               masked ? mask : NULL, selected, &array, &err);
        FUZZ_CHECK(frz_error_status(err) == status);
        if (status == FRZ_OK)
            check_array(check, &array, selected);
        frz_arrow_array_clear(&array);
        done += count;
    }
    frz_error_free(err);
    return status;
}

static void read_column(frz_parquet_file *file, const frz_parquet_node *node,
                        const column_check *check, bool masked)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    frz_parquet_field_reader *reader = NULL;
    frz_parquet_row_range ranges[GROUPS_MAX];
    size_t count = metadata->row_group_count < GROUPS_MAX ? metadata->row_group_count : GROUPS_MAX;
    /* Ranges that leave out rows, so that the offset index is read. */
    for (size_t i = 0; i < count; i++)
        ranges[i] = (frz_parquet_row_range){.start = metadata->row_groups[i].first_row,
                                            .count = metadata->row_groups[i].row_count - 1};
    if (frz_parquet_field_reader_open(file, node, NULL, masked ? ranges : NULL, count, &reader,
                                      NULL) != FRZ_OK)
        return;
    frz_status status = FRZ_OK;
    for (size_t i = 0; i < count && status == FRZ_OK; i++)
        status = read_group(reader, check, &metadata->row_groups[i], masked);
    frz_parquet_field_reader_close(reader);
}

static void check_column(frz_parquet_file *file, const frz_parquet_node *node)
{
    column_check check = {.arena = {.budget = (size_t)64 << 20}};
    if (frz_parquet_node_arrow(file, node, NULL, &check.schema, NULL) == FRZ_OK) {
        check.printable =
            frz_text_column_from(&check.schema, &check.arena, &check.text, NULL) == FRZ_OK;
        read_column(file, node, &check, false);
        read_column(file, node, &check, true);
    }
    frz_arrow_schema_clear(&check.schema);
    frz_arena_clear(&check.arena);
}

static void check_index(frz_parquet_file *file, size_t group, size_t leaf)
{
    frz_arena arena = {.budget = (size_t)16 << 20};
    frz_parquet_page_index index = {0};
    frz_error *err = NULL;
    const int64_t rows = frz_parquet_file_metadata(file)->row_groups[group].row_count;
    const frz_status status = frz_parquet_page_index_read(file, group, leaf, &arena, &index, &err);
    FUZZ_CHECK(frz_error_status(err) == status);
    for (size_t i = 0; status == FRZ_OK && index.locations && i < index.page_count; i++) {
        const int64_t before = i ? index.locations[i - 1].first_row : -1;
        FUZZ_CHECK(index.locations[i].first_row > before && index.locations[i].first_row < rows);
        FUZZ_CHECK(index.locations[i].offset >= 0 && index.locations[i].compressed_size >= 0);
    }
    frz_error_free(err);
    frz_arena_clear(&arena);
}

/* What a dictionary or a Bloom filter says lies within its bytes: all of them are looked at. */
static void check_evidence(frz_parquet_file *file, size_t group, size_t leaf)
{
    frz_arena arena = {.budget = (size_t)16 << 20};
    frz_parquet_bloom bloom = {0};
    frz_parquet_dictionary_values values = {0};
    const bool has_bloom =
        frz_parquet_bloom_read(file, group, leaf, &arena, &bloom, NULL) == FRZ_OK && bloom.blocks;
    FUZZ_CHECK(!has_bloom || bloom.block_count > 0);
    if (frz_parquet_dictionary_values_read(file, group, leaf, &arena, &values, NULL) == FRZ_OK) {
        for (size_t i = 0; i < values.count; i++)
            (void)frz_parquet_bloom_may_hold(&bloom, values.items[i]);
    }
    const uint8_t probe[] = {1, 2, 3, 4};
    for (size_t size = 0; size <= sizeof probe; size++)
        (void)frz_parquet_bloom_may_hold(&bloom, frz_slice_of(probe, size));
    frz_arena_clear(&arena);
}

static void check_walk(frz_parquet_file *file, size_t group, size_t leaf)
{
    frz_parquet_page_walk walk = {0};
    frz_parquet_page_header header = {0};
    uint64_t last = 0;
    frz_status status = frz_parquet_page_walk_begin(&walk, file, group, leaf, NULL);
    while (status == FRZ_OK) {
        status = frz_parquet_page_walk_next(&walk, &header, NULL);
        FUZZ_CHECK(status != FRZ_OK || walk.next_offset > last);
        last = walk.next_offset;
    }
    frz_parquet_page_walk_clear(&walk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    frz_limits limits = frz_limits_default;
    frz_parquet_file *file = NULL;
    frz_error *err = NULL;
    fuzz_input input = fuzz_input_over(data, size);
    limits.parquet_footer_size = (size_t)1 << 20;
    limits.parquet_page_size = (size_t)1 << 20;
    limits.schema_columns = 1000;
    limits.parse_budget = (size_t)16 << 20;
    const frz_status status = frz_parquet_file_open(&input.base, &limits, &file, &err);
    FUZZ_CHECK((status == FRZ_OK) == (file != NULL) && frz_error_status(err) == status);
    frz_error_free(err);
    if (!file)
        return 0;
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    for (size_t i = 0; i < metadata->row_group_count && i < GROUPS_MAX; i++) {
        for (size_t j = 0; j < metadata->leaf_count && j < COLUMNS_MAX; j++) {
            check_index(file, i, j);
            check_evidence(file, i, j);
            check_walk(file, i, j);
        }
    }
    for (size_t i = 0; i < metadata->root.child_count && i < COLUMNS_MAX; i++)
        check_column(file, &metadata->root.children[i]);
    frz_parquet_file_close(file);
    return 0;
}
