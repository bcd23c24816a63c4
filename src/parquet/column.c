#include "parquet/column.h"

#include <string.h>

#include "base/fail.h"
#include "parquet/bits.h"
#include "parquet/chunk.h"
#include "parquet/element.h"
#include "parquet/squeeze.h"

void frz_parquet_leaf_batch_clear(frz_parquet_leaf_batch *batch)
{
    frz_buffer_clear(&batch->validity);
    frz_buffer_clear(&batch->definition);
    frz_buffer_clear(&batch->repetition);
    frz_parquet_values_clear(&batch->values);
    *batch = (frz_parquet_leaf_batch){0};
}

frz_status frz_parquet_column_init(frz_parquet_column *column, frz_parquet_file *file,
                                   const frz_parquet_node *leaf, frz_error **err)
{
    memset(column, 0, sizeof *column);
    column->file = file;
    column->leaf = leaf;
    column->opener.leaf = leaf;
    column->source.leaf = leaf;
    column->source.size_max = frz_parquet_file_limits(file)->parse_budget;
    column->flat = leaf->max_repetition == 0 && leaf->max_definition <= 1;
    if (leaf->max_definition > FRZ_PARQUET_LEVEL_MAX ||
        leaf->max_repetition > FRZ_PARQUET_LEVEL_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "column \"%s\": %d definition levels, at most %d are read", leaf->name,
                        leaf->max_definition, FRZ_PARQUET_LEVEL_MAX);
    frz_parquet_window_init(&column->window, frz_parquet_file_input(file));
    return frz_parquet_layout_of(leaf, &column->source.layout, err);
}

void frz_parquet_column_clear(frz_parquet_column *column)
{
    frz_parquet_window_clear(&column->window);
    frz_codec_context_clear(&column->opener.codecs);
    frz_buffer_clear(&column->opener.buffer);
    frz_parquet_source_clear(&column->source);
    frz_buffer_clear(&column->part_mask);
}

/* Names column and page; the inner error says what. */
static frz_status in_page(const frz_parquet_column *column, frz_status status, frz_error **err)
{
    char path[FRZ_PARQUET_PATH_SIZE];
    if (status == FRZ_OK)
        return FRZ_OK;
    return frz_context(err, status, "column %s, page at offset %llu",
                       frz_parquet_node_path(column->leaf, path),
                       (unsigned long long)column->page_offset);
}

static frz_status corrupt(const frz_parquet_column *column, const char *what, frz_error **err)
{
    return in_page(column, frz_fail(err, FRZ_CORRUPT, column->page_offset, "%s", what), err);
}

frz_status frz_parquet_column_begin(frz_parquet_column *column, const frz_parquet_row_group *group,
                                    const frz_parquet_page_index *index, frz_error **err)
{
    column->group = group;
    column->index = index;
    column->row = 0;
    column->page_entries = 0;
    column->block_at = 0;
    column->block_size = 0;
    return frz_parquet_chunk_begin(column, err);
}

/*
 * The pages are not where the offset index says: they may be sound without it. Goes to the next row
 * again, from page to page. `begun` rows from column->row on were taken already.
 */
static frz_status leave_index(frz_parquet_column *column, int64_t begun, frz_error **err)
{
    const int64_t row = column->row;
    FRZ_TRY(frz_parquet_column_begin(column, column->group, NULL, err));
    FRZ_TRY(frz_parquet_column_skip(column, row + begun, err));
    column->row = row;
    return FRZ_OK;
}

static bool has_entries(const frz_parquet_column *column)
{
    return column->page_entries || column->block_at < column->block_size;
}

/* The header of the next page. Where the offset index had to be left, entries may be open. */
static frz_status next_header(frz_parquet_column *column, int64_t begun,
                              frz_parquet_page_header *out, frz_error **err)
{
    frz_error *fault = NULL;
    const frz_status status = frz_parquet_chunk_next(column, out, &fault);
    if (status == FRZ_CORRUPT && column->index) {
        frz_error_free(fault);
        FRZ_TRY(leave_index(column, begun, err));
        return has_entries(column) ? FRZ_OK : frz_parquet_chunk_next(column, out, err);
    }
    if (err && !*err)
        *err = fault;
    else
        frz_error_free(fault);
    return status;
}

/* Opens the next data page with entries, unless some are open; FRZ_END when there is none. `begun`:
 * rows taken since column->row. */
static frz_status next_page(frz_parquet_column *column, int64_t begun, frz_error **err)
{
    frz_parquet_page_header header = {0};
    do {
        FRZ_TRY(next_header(column, begun, &header, err));
        if (has_entries(column))
            return FRZ_OK;
        if (header.value_count == 0)
            continue;
        FRZ_TRY(in_page(column, frz_parquet_chunk_open(column, &header, err), err));
    } while (header.value_count == 0);
    return FRZ_OK;
}

static frz_status rows_missing(const frz_parquet_column *column, frz_error **err)
{
    char path[FRZ_PARQUET_PATH_SIZE];
    return frz_fail(err, FRZ_CORRUPT, column->page_offset,
                    "column %s: its pages end at row %lld of a row group of %lld rows",
                    frz_parquet_node_path(column->leaf, path), (long long)column->row,
                    (long long)column->group->row_count);
}

/* Columns without repetition: an entry is a row. */
static frz_status need_page(frz_parquet_column *column, frz_error **err)
{
    if (column->page_entries)
        return FRZ_OK;
    const frz_status status = next_page(column, 0, err);
    return status == FRZ_END ? rows_missing(column, err) : status;
}

static size_t part_of_page(const frz_parquet_column *column, int64_t rows)
{
    return (uint64_t)rows < column->page_entries ? (size_t)rows : column->page_entries;
}

/* Some rows of the open page, and which of them stay. */
typedef struct page_part {
    size_t rows;
    size_t stay;
    const uint64_t *mask; /* from bit 0 on; NULL: all stay */
} page_part;

/* Takes the next bits of the batch's mask. */
static frz_status begin_part(frz_parquet_column *column, frz_parquet_leaf_batch *batch, size_t rows,
                             page_part *out, frz_error **err)
{
    const size_t size = (rows + 63) / 64 * sizeof *out->mask;
    *out = (page_part){.rows = rows, .stay = rows};
    if (!batch->mask)
        return FRZ_OK;
    frz_buffer_reset(&column->part_mask);
    frz_buffer_append_fill(&column->part_mask, 0, size);
    FRZ_TRY(frz_buffer_check(&column->part_mask, err));
    frz_bits_copy((const uint8_t *)batch->mask, batch->mask_at, column->part_mask.data, 0, rows);
    batch->mask_at += rows;
    out->stay = frz_bits_count(column->part_mask.data, 0, rows);
    if (out->stay < rows)
        out->mask = (const void *)column->part_mask.data;
    return FRZ_OK;
}

/* The next `count` values of the page. The mask counts at once when there is one for each row. */
static frz_status append_values(frz_parquet_column *column, size_t count, const page_part *part,
                                frz_parquet_leaf_batch *batch, frz_error **err)
{
    column->source.mask = count == part->rows ? part->mask : NULL;
    const frz_status status =
        frz_parquet_values_append(&column->source, &batch->values, count, err);
    column->source.mask = NULL;
    return status;
}

/* A part of a flat, optional column: validity bits, and the values spread between. */
static frz_status read_optional(frz_parquet_column *column, const page_part *part,
                                frz_parquet_leaf_batch *batch, frz_error **err)
{
    const size_t size = (batch->rows + part->rows + 7) / 8;
    const size_t kept = batch->values.count;
    size_t valid = 0;
    if (size > batch->validity.size)
        frz_buffer_append_fill(&batch->validity, 0, size - batch->validity.size);
    FRZ_TRY(frz_buffer_check(&batch->validity, err));
    uint8_t *bits = batch->validity.data;
    if (!frz_parquet_levels_decode_bits(&column->definition, bits, batch->rows, part->rows, &valid))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "page: its definition levels end too early");
    FRZ_TRY(append_values(column, valid, part, batch, err));
    if (valid == part->rows)
        return FRZ_OK;
    FRZ_TRY(frz_parquet_values_spread(&column->source, &batch->values, kept, bits, batch->rows,
                                      part->rows, err));
    if (part->mask)
        frz_parquet_squeeze_bits(bits, batch->rows, part->mask, part->rows);
    batch->null_count += part->stay - frz_bits_count(bits, batch->rows, part->stay);
    return FRZ_OK;
}

static frz_status read_part(frz_parquet_column *column, size_t rows, frz_parquet_leaf_batch *batch,
                            frz_error **err)
{
    page_part part;
    const size_t kept = batch->values.count;
    FRZ_TRY(begin_part(column, batch, rows, &part, err));
    if (column->leaf->max_definition)
        FRZ_TRY(read_optional(column, &part, batch, err));
    else
        FRZ_TRY(append_values(column, rows, &part, batch, err));
    if (part.mask && batch->values.count == kept + rows)
        frz_parquet_values_squeeze(&column->source.layout, &batch->values, kept, part.mask,
                                   part.stay);
    batch->rows += part.stay;
    return FRZ_OK;
}

static frz_status read_flat(frz_parquet_column *column, int64_t rows, frz_parquet_leaf_batch *batch,
                            frz_error **err)
{
    while (rows) {
        FRZ_TRY(need_page(column, err));
        const size_t part = part_of_page(column, rows);
        FRZ_TRY(in_page(column, read_part(column, part, batch, err), err));
        column->page_entries -= part;
        column->row += (int64_t)part;
        rows -= (int64_t)part;
    }
    return FRZ_OK;
}

static frz_status skip_in_page(frz_parquet_column *column, size_t part, frz_error **err)
{
    size_t valid = 0;
    if (column->leaf->max_definition == 0)
        valid = part;
    else if (!frz_parquet_levels_skip_bits(&column->definition, part, &valid))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "page: its definition levels end too early");
    return frz_parquet_source_skip(&column->source, valid, err);
}

static frz_status skip_flat(frz_parquet_column *column, int64_t rows, frz_error **err)
{
    while (rows) {
        FRZ_TRY(need_page(column, err));
        const size_t part = part_of_page(column, rows);
        if (part < column->page_entries) /* nothing of a page that is left is needed */
            FRZ_TRY(in_page(column, skip_in_page(column, part, err), err));
        column->page_entries -= part;
        column->row += (int64_t)part;
        rows -= (int64_t)part;
    }
    return FRZ_OK;
}

/* Decodes the next levels of a nested column, from the next page where this one ends. FRZ_END as
 * there. */
static frz_status next_block(frz_parquet_column *column, int64_t begun, frz_error **err)
{
    if (column->page_entries == 0)
        FRZ_TRY(next_page(column, begun, err));
    if (column->block_at < column->block_size)
        return FRZ_OK;
    const size_t size = part_of_page(column, FRZ_PARQUET_LEVEL_BLOCK);
    if (!frz_parquet_levels_decode(&column->repetition, column->repetition_block, size) ||
        !frz_parquet_levels_decode(&column->definition, column->definition_block, size))
        return corrupt(column, "its levels end too early or exceed their maximum", err);
    if (column->page_starts_row && column->repetition_block[0] != 0)
        return corrupt(column, "it does not begin with a new row", err);
    column->page_starts_row = false;
    column->page_entries -= size;
    column->block_at = 0;
    column->block_size = size;
    return FRZ_OK;
}

/* Takes `count` entries of the block, into the batch or (NULL) nowhere. */
static frz_status take_entries(frz_parquet_column *column, size_t count,
                               frz_parquet_leaf_batch *batch, frz_error **err)
{
    const uint8_t *definition = column->definition_block + column->block_at;
    const uint8_t *repetition = column->repetition_block + column->block_at;
    size_t values = 0;
    for (size_t i = 0; i < count; i++)
        values += definition[i] == column->leaf->max_definition;
    column->block_at += count;
    if (!batch)
        return frz_parquet_source_skip(&column->source, values, err);
    if (count > column->source.size_max - batch->entry_count)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "levels of one batch: over the limit parse_budget");
    frz_buffer_append(&batch->definition, definition, count);
    if (column->leaf->max_repetition)
        frz_buffer_append(&batch->repetition, repetition, count);
    batch->entry_count += count;
    FRZ_TRY(frz_buffer_check(&batch->definition, err));
    FRZ_TRY(frz_buffer_check(&batch->repetition, err));
    return frz_parquet_values_append(&column->source, &batch->values, values, err);
}

/* How many entries of the block belong to the rows wanted: up to the one that begins the row after.
 */
static size_t entries_of_rows(const frz_parquet_column *column, int64_t wanted, int64_t *begun)
{
    size_t at = column->block_at;
    for (; at < column->block_size; at++) {
        if (column->repetition_block[at] != 0)
            continue;
        if (*begun == wanted)
            break;
        ++*begun;
    }
    return at - column->block_at;
}

/* The last row may go on in the next page, unless pages begin rows. */
static bool rows_complete(const frz_parquet_column *column, int64_t rows, int64_t begun)
{
    if (begun < rows)
        return false;
    if (column->block_at < column->block_size)
        return true; /* the next row stands there */
    return column->page_entries == 0 && (column->index || column->leaf->max_repetition == 0);
}

static frz_status take_nested(frz_parquet_column *column, int64_t rows,
                              frz_parquet_leaf_batch *batch, frz_error **err)
{
    int64_t begun = 0;
    while (!rows_complete(column, rows, begun)) {
        if (column->block_at == column->block_size) {
            const frz_status status = next_block(column, begun, err);
            if (status == FRZ_END && begun == rows)
                break;
            if (status == FRZ_END)
                return rows_missing(column, err);
            FRZ_TRY(status);
        }
        if (begun == 0 && column->repetition_block[column->block_at] != 0)
            return corrupt(column, "its first value does not begin a row", err);
        const size_t count = entries_of_rows(column, rows, &begun);
        FRZ_TRY(in_page(column, take_entries(column, count, batch, err), err));
        if (count == 0)
            break;
    }
    column->row += rows;
    return FRZ_OK;
}

frz_status frz_parquet_column_read(frz_parquet_column *column, int64_t rows,
                                   frz_parquet_leaf_batch *batch, frz_error **err)
{
    batch->flat = column->flat;
    if (rows == 0)
        return FRZ_OK;
    if (column->flat) {
        const size_t slots = batch->rows + (size_t)rows;
        FRZ_TRY(frz_parquet_values_reserve(&column->source, &batch->values, slots, err));
        return read_flat(column, rows, batch, err);
    }
    FRZ_TRY(take_nested(column, rows, batch, err));
    batch->rows += (size_t)rows;
    return FRZ_OK;
}

frz_status frz_parquet_column_skip(frz_parquet_column *column, int64_t rows, frz_error **err)
{
    if (rows == 0)
        return FRZ_OK;
    FRZ_TRY(frz_parquet_chunk_pass(column, &rows, err));
    if (rows == 0)
        return FRZ_OK;
    return column->flat ? skip_flat(column, rows, err) : take_nested(column, rows, NULL, err);
}
