#include "parquet/chunk.h"

#include "base/fail.h"
#include "parquet/element.h"
#include "parquet/page_walk.h"

enum {
    GAP_MAX = 64 << 10, /* unwanted bytes that are read rather than a second request made */
    CHUNK_SLACK = 128 /* old writers left the dictionary page's header out of the chunk's size: its
                         last page may end a little behind, but begins inside */
};

static frz_status in_column(const frz_parquet_column *column, frz_status status, frz_error **err)
{
    char path[FRZ_PARQUET_PATH_SIZE];
    if (status == FRZ_OK)
        return FRZ_OK;
    return frz_context(err, status, "column %s", frz_parquet_node_path(column->leaf, path));
}

static frz_status corrupt(const frz_parquet_column *column, const char *what, frz_error **err)
{
    return in_column(column,
                     frz_fail(err, FRZ_CORRUPT, column->page_offset, "page at offset %llu: %s",
                              (unsigned long long)column->page_offset, what),
                     err);
}

static frz_status check_chunk(const frz_parquet_column *column, frz_error **err)
{
    const frz_parquet_column_chunk *chunk = column->opener.chunk;
    const int64_t rows = column->group->row_count;
    if (chunk->encrypted)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "an encrypted column chunk");
    if (chunk->file_path)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "a column chunk in another file (%s)",
                        chunk->file_path);
    /* Without repetition there is a value per row, whatever a writer put into num_values. */
    if (column->leaf->max_repetition == 0 || chunk->value_count >= rows)
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "a column chunk of %lld values in a row group of %lld rows",
                    (long long)chunk->value_count, (long long)rows);
}

static bool has_dictionary_offset(const frz_parquet_column_chunk *chunk)
{
    return chunk->dictionary_page_offset >= 0;
}

frz_status frz_parquet_chunk_begin(frz_parquet_column *column, frz_error **err)
{
    const frz_parquet_column_chunk *chunk = &column->group->columns[column->leaf->leaf_index];
    column->opener.chunk = chunk;
    FRZ_TRY(in_column(column, check_chunk(column, err), err));
    frz_parquet_dictionary_reset(&column->source.dictionary);
    column->next_offset = (uint64_t)(has_dictionary_offset(chunk) ? chunk->dictionary_page_offset
                                                                  : chunk->data_page_offset);
    column->page_offset = column->next_offset;
    column->values_left =
        column->leaf->max_repetition ? chunk->value_count : column->group->row_count;
    column->page_number = 0;
    column->chunk_end = column->next_offset + (uint64_t)chunk->compressed_size;
    return FRZ_OK;
}

/* Whether rows [first, end) of the file are among those that will be asked for. */
static bool rows_wanted(const frz_parquet_column *column, int64_t first, int64_t end)
{
    size_t low = 0;
    size_t high = column->range_count;
    if (!column->ranges)
        return true;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (column->ranges[middle].start + column->ranges[middle].count <= first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < column->range_count && column->ranges[low].start < end;
}

static int64_t page_end_row(const frz_parquet_column *column, size_t page)
{
    return page + 1 < column->index->page_count ? column->index->locations[page + 1].first_row
                                                : column->group->row_count;
}

/* With an index: read ahead over the pages that are wanted, and small gaps between them. */
static uint64_t wanted_end(const frz_parquet_column *column)
{
    const frz_parquet_page_location *pages = column->index->locations;
    const int64_t first_row = column->group->first_row;
    const uint64_t start = (uint64_t)pages[column->page_number].offset;
    uint64_t end = start + (uint64_t)pages[column->page_number].compressed_size;
    for (size_t i = column->page_number + 1;
         i < column->index->page_count && end - start < FRZ_PARQUET_READ_AHEAD; i++) {
        const uint64_t offset = (uint64_t)pages[i].offset;
        if (offset < end || offset - end > GAP_MAX)
            break;
        if (rows_wanted(column, first_row + pages[i].first_row,
                        first_row + page_end_row(column, i)))
            end = offset + (uint64_t)pages[i].compressed_size;
    }
    return end;
}

static uint64_t ahead_end(const frz_parquet_column *column)
{
    return column->index && column->page_number < column->index->page_count
               ? wanted_end(column)
               : column->chunk_end + CHUNK_SLACK;
}

static frz_status parse_header(frz_parquet_column *column, frz_parquet_page_header *out,
                               frz_error **err)
{
    return frz_parquet_page_header_at(&column->window, column->page_offset, ahead_end(column),
                                      frz_parquet_file_limits(column->file), out, err);
}

static frz_status page_body(frz_parquet_column *column, const frz_parquet_page_header *header,
                            frz_slice *out, frz_error **err)
{
    const uint8_t *bytes = NULL;
    FRZ_TRY(frz_parquet_window_at(&column->window, column->page_offset + header->header_size,
                                  header->compressed_size, ahead_end(column), &bytes, err));
    *out = frz_slice_of(bytes, header->compressed_size);
    return FRZ_OK;
}

static frz_status load_dictionary(frz_parquet_column *column, const frz_parquet_page_header *header,
                                  frz_error **err)
{
    frz_slice body = {0};
    frz_parquet_page_parts parts = {0};
    if (column->source.dictionary.present)
        return corrupt(column, "a second dictionary page", err);
    if (header->encoding != FRZ_PARQUET_PLAIN && header->encoding != FRZ_PARQUET_PLAIN_DICTIONARY)
        return corrupt(column, "a dictionary that is not PLAIN", err);
    FRZ_TRY(page_body(column, header, &body, err));
    FRZ_TRY(frz_parquet_page_open(&column->opener, header, body, &parts, err));
    return frz_parquet_dictionary_load(&column->source.dictionary, column->leaf,
                                       &column->source.layout, parts.values, header->value_count,
                                       err);
}

/* Without index: from next_offset on, over dictionary, index and unknown pages, to the header of a
 * data page, which stays the next. FRZ_END when all values are behind. */
static frz_status find_data_page(frz_parquet_column *column, frz_parquet_page_header *out,
                                 frz_error **err)
{
    while (column->values_left) {
        column->page_offset = column->next_offset;
        if (column->next_offset >= column->chunk_end)
            return corrupt(column, "the column chunk ends before its last value", err);
        FRZ_TRY(in_column(column, parse_header(column, out, err), err));
        if (out->type == FRZ_PARQUET_PAGE_DATA || out->type == FRZ_PARQUET_PAGE_DATA_V2) {
            if (out->value_count > (uint64_t)column->values_left)
                return corrupt(column, "more values than the column chunk has", err);
            return FRZ_OK;
        }
        if (out->type == FRZ_PARQUET_PAGE_DICTIONARY)
            FRZ_TRY(in_column(column, load_dictionary(column, out, err), err));
        column->next_offset += out->header_size + out->compressed_size;
    }
    return FRZ_END;
}

static void consume(frz_parquet_column *column, const frz_parquet_page_header *header)
{
    column->values_left -= header->value_count;
    column->next_offset += header->header_size + header->compressed_size;
}

/* With index: the page that it names next. */
static frz_status indexed_page(frz_parquet_column *column, frz_parquet_page_header *out,
                               frz_error **err)
{
    const size_t page = column->page_number;
    if (page == column->index->page_count)
        return FRZ_END;
    column->page_offset = (uint64_t)column->index->locations[page].offset;
    FRZ_TRY(in_column(column, parse_header(column, out, err), err));
    if (out->type != FRZ_PARQUET_PAGE_DATA && out->type != FRZ_PARQUET_PAGE_DATA_V2)
        return corrupt(column, "the offset index points to what is no data page", err);
    const int64_t rows = page_end_row(column, page) - column->index->locations[page].first_row;
    const bool v2 = out->type == FRZ_PARQUET_PAGE_DATA_V2;
    if ((column->leaf->max_repetition == 0 && (int64_t)out->value_count != rows) ||
        (column->leaf->max_repetition && v2 && (int64_t)out->row_count != rows))
        return corrupt(column, "its values are not as many as its rows in the offset index", err);
    return FRZ_OK;
}

frz_status frz_parquet_chunk_next(frz_parquet_column *column, frz_parquet_page_header *out,
                                  frz_error **err)
{
    if (column->index)
        return indexed_page(column, out, err);
    FRZ_TRY(find_data_page(column, out, err));
    consume(column, out);
    return FRZ_OK;
}

/* With index the pages are reached without passing the dictionary, which lies before the first of
 * them. */
static frz_status fetch_dictionary(frz_parquet_column *column, frz_error **err)
{
    const frz_parquet_column_chunk *chunk = column->opener.chunk;
    const int64_t start =
        has_dictionary_offset(chunk) ? chunk->dictionary_page_offset : chunk->data_page_offset;
    frz_parquet_page_header header = {0};
    if (start >= column->index->locations[0].offset)
        return corrupt(column, "dictionary indices, but the column chunk has no dictionary", err);
    const uint64_t data_page = column->page_offset;
    column->page_offset = (uint64_t)start;
    FRZ_TRY(parse_header(column, &header, err));
    if (header.type != FRZ_PARQUET_PAGE_DICTIONARY)
        return corrupt(column, "it is no dictionary page", err);
    FRZ_TRY(load_dictionary(column, &header, err));
    column->page_offset = data_page;
    return FRZ_OK;
}

frz_status frz_parquet_chunk_open(frz_parquet_column *column, const frz_parquet_page_header *header,
                                  frz_error **err)
{
    const bool indexed = header->encoding == FRZ_PARQUET_PLAIN_DICTIONARY ||
                         header->encoding == FRZ_PARQUET_RLE_DICTIONARY;
    frz_slice body = {0};
    frz_parquet_page_parts parts = {0};
    if (column->index && indexed && !column->source.dictionary.present)
        FRZ_TRY(fetch_dictionary(column, err));
    FRZ_TRY(page_body(column, header, &body, err));
    if (column->index)
        column->page_number++;
    FRZ_TRY(frz_parquet_page_open(&column->opener, header, body, &parts, err));
    FRZ_TRY(frz_parquet_decoder_start(&column->source.decoder, column->leaf, header->encoding,
                                      parts.values, err));
    column->definition = frz_parquet_levels_over(
        parts.definition, (uint8_t)column->leaf->max_definition, parts.definition_bit_packed);
    column->repetition = frz_parquet_levels_over(
        parts.repetition, (uint8_t)column->leaf->max_repetition, parts.repetition_bit_packed);
    column->page_entries = header->value_count;
    column->page_starts_row = column->index || header->type == FRZ_PARQUET_PAGE_DATA_V2;
    return FRZ_OK;
}

static void drop_page(frz_parquet_column *column)
{
    column->page_entries = 0;
    column->block_at = 0;
    column->block_size = 0;
}

/* With index: straight to the page that holds the target row, unless it is the open one. */
static void jump(frz_parquet_column *column, int64_t *rows)
{
    const frz_parquet_page_location *pages = column->index->locations;
    const int64_t target = column->row + *rows;
    size_t page = column->page_number;
    while (page < column->index->page_count && page_end_row(column, page) <= target)
        page++;
    const bool past_open_page = column->page_number == column->index->page_count
                                    ? target >= column->group->row_count
                                    : target >= pages[column->page_number].first_row;
    if (!past_open_page)
        return;
    drop_page(column);
    column->page_number = page;
    column->row = page < column->index->page_count ? pages[page].first_row : target;
    *rows = target - column->row;
}

/* Without index: pages of which every row is passed over. Repeated columns tell their rows only in
 * V2. */
static frz_status pass_pages(frz_parquet_column *column, int64_t *rows, frz_error **err)
{
    while (*rows) {
        frz_parquet_page_header header = {0};
        const frz_status status = find_data_page(column, &header, err);
        if (status == FRZ_END)
            return FRZ_OK; /* whoever reads on says that rows are missing */
        FRZ_TRY(status);
        const bool v2 = header.type == FRZ_PARQUET_PAGE_DATA_V2;
        const uint32_t page_rows =
            column->leaf->max_repetition == 0 ? header.value_count : header.row_count;
        if ((column->leaf->max_repetition && !v2) || page_rows > *rows)
            return FRZ_OK;
        consume(column, &header);
        column->row += page_rows;
        *rows -= page_rows;
    }
    return FRZ_OK;
}

frz_status frz_parquet_chunk_pass(frz_parquet_column *column, int64_t *rows, frz_error **err)
{
    const size_t left = column->page_entries + (column->block_size - column->block_at);
    if (column->index) {
        jump(column, rows);
        return FRZ_OK;
    }
    if (column->leaf->max_repetition == 0 && (uint64_t)*rows >= left) {
        drop_page(column);
        column->row += (int64_t)left;
        *rows -= (int64_t)left;
    } else if (left) {
        return FRZ_OK;
    }
    return pass_pages(column, rows, err);
}
