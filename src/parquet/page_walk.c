#include "parquet/page_walk.h"

#include "base/fail.h"
#include "parquet/element.h"

enum {
    HEADER_GUESS = 1024, /* most page headers are far shorter */
    HEADER_GROWTH = 16
};

frz_status frz_parquet_page_header_at(frz_parquet_window *window, uint64_t offset,
                                      uint64_t ahead_end, const frz_limits *limits,
                                      frz_parquet_page_header *out, frz_error **err)
{
    const uint64_t left = offset < window->file_size ? window->file_size - offset : 0;
    const uint64_t wanted = ahead_end > offset ? ahead_end - offset : left;
    for (uint64_t size = wanted < HEADER_GUESS ? wanted : HEADER_GUESS;; size *= HEADER_GROWTH) {
        const size_t part = (size_t)(size < left ? size : left);
        const uint8_t *bytes = NULL;
        bool cut = false;
        FRZ_TRY(frz_parquet_window_at(window, offset, part, ahead_end, &bytes, err));
        const frz_slice slice = frz_slice_of(bytes, part);
        if (frz_parquet_page_header_parse(slice, offset, limits, out, &cut, NULL) == FRZ_OK)
            return FRZ_OK;
        if (!cut || part == left || part >= limits->parquet_page_size)
            return frz_parquet_page_header_parse(slice, offset, limits, out, &cut, err);
    }
}

frz_status frz_parquet_page_walk_begin(frz_parquet_page_walk *walk, frz_parquet_file *file,
                                       size_t row_group, size_t leaf, frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    const frz_parquet_row_group *group = &metadata->row_groups[row_group];
    const frz_parquet_column_chunk *chunk = &group->columns[leaf];
    *walk = (frz_parquet_page_walk){.limits = frz_parquet_file_limits(file), .chunk = chunk};
    frz_parquet_window_init(&walk->window, frz_parquet_file_input(file));
    if (chunk->encrypted)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "an encrypted column chunk");
    if (chunk->file_path)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "a column chunk in another file (%s)",
                        chunk->file_path);
    walk->next_offset =
        (uint64_t)(chunk->dictionary_page_offset >= 0 ? chunk->dictionary_page_offset
                                                      : chunk->data_page_offset);
    walk->end = walk->next_offset + (uint64_t)chunk->compressed_size;
    walk->values_left =
        metadata->leaves[leaf]->max_repetition ? chunk->value_count : group->row_count;
    return FRZ_OK;
}

void frz_parquet_page_walk_clear(frz_parquet_page_walk *walk)
{
    frz_parquet_window_clear(&walk->window);
}

static frz_status corrupt(const frz_parquet_page_walk *walk, const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, walk->offset, "page at offset %llu: %s",
                    (unsigned long long)walk->offset, what);
}

frz_status frz_parquet_page_walk_next(frz_parquet_page_walk *walk, frz_parquet_page_header *out,
                                      frz_error **err)
{
    frz_parquet_page_header header = {0};
    if (walk->values_left == 0)
        return FRZ_END;
    walk->offset = walk->next_offset;
    if (walk->offset >= walk->end)
        return corrupt(walk, "the column chunk ends before its last value", err);
    FRZ_TRY(frz_parquet_page_header_at(&walk->window, walk->offset, walk->end, walk->limits,
                                       &header, err));
    if (header.type == FRZ_PARQUET_PAGE_DATA || header.type == FRZ_PARQUET_PAGE_DATA_V2) {
        if (header.value_count > (uint64_t)walk->values_left)
            return corrupt(walk, "more values than the column chunk has", err);
        walk->values_left -= header.value_count;
    }
    walk->next_offset += header.header_size + header.compressed_size;
    if (walk->next_offset > walk->window.file_size)
        return corrupt(walk, "it ends past the end of the file", err);
    *out = header;
    return FRZ_OK;
}

frz_status frz_parquet_page_walk_body(frz_parquet_page_walk *walk,
                                      const frz_parquet_page_header *header, frz_slice *out,
                                      frz_error **err)
{
    const uint8_t *bytes = NULL;
    FRZ_TRY(frz_parquet_window_at(&walk->window, walk->offset + header->header_size,
                                  header->compressed_size, walk->end, &bytes, err));
    *out = frz_slice_of(bytes, header->compressed_size);
    return FRZ_OK;
}
