#include "parquet/page_index.h"

#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "parquet/element.h"
#include "parquet/statistics.h"
#include "parquet/thrift.h"

/* Lists of the Thrift ColumnIndex, borrowed from its bytes. */
typedef struct column_index {
    bool *null_pages;
    frz_slice *mins;
    frz_slice *maxs;
    int64_t *null_counts;
    int64_t *nan_counts;
    size_t counts[5]; /* of the lists above, in this order; SIZE_MAX = absent */
} column_index;

enum { NULL_PAGES, MINS, MAXS, NULL_COUNTS, NAN_COUNTS };

typedef struct index_reader {
    frz_parquet_file *file;
    const frz_parquet_row_group *group;
    const frz_parquet_column_chunk *chunk;
    const frz_parquet_node *leaf;
    frz_arena *arena;
    frz_error **err;
} index_reader;

static frz_status corrupt(index_reader *reader, int64_t offset, const char *what)
{
    return frz_fail(reader->err, FRZ_CORRUPT, (uint64_t)offset, "at offset %lld: %s",
                    (long long)offset, what);
}

/* The bytes of one index; the arena's budget and the size of the file bound them. */
static frz_status read_bytes(index_reader *reader, int64_t offset, int32_t size, frz_slice *out)
{
    frz_input *input = frz_parquet_file_input(reader->file);
    const uint64_t file_size = frz_input_size(input);
    if ((uint64_t)offset > file_size || (uint64_t)size > file_size - (uint64_t)offset)
        return corrupt(reader, offset, "the index lies past the end of the file");
    uint8_t *bytes = frz_arena_alloc(reader->arena, (size_t)size);
    if (!bytes)
        return frz_fail_memory(reader->err);
    FRZ_TRY(frz_input_read_at(input, (uint64_t)offset, bytes, (size_t)size, reader->err));
    *out = frz_slice_of(bytes, (size_t)size);
    return FRZ_OK;
}

static void read_location(frz_thrift_reader *thrift, frz_parquet_page_location *out)
{
    uint32_t seen = 0;
    const int16_t outer = frz_thrift_struct_begin(thrift);
    for (frz_thrift_field field; frz_thrift_field_next(thrift, &field);) {
        if (field.id >= 1 && field.id <= 3)
            seen |= 1u << field.id;
        if (field.id == 1)
            out->offset = frz_thrift_i64(thrift, field.type);
        else if (field.id == 2)
            out->compressed_size = frz_thrift_i32(thrift, field.type);
        else if (field.id == 3)
            out->first_row = frz_thrift_i64(thrift, field.type);
        else
            frz_thrift_skip(thrift, field.type);
    }
    frz_thrift_struct_end(thrift, outer);
    if (seen != 0xe)
        frz_thrift_fail(thrift, "a page location lacks a field");
}

/* Pages ascend by offset and first row, begin with row 0, and lie inside file and row group. */
static frz_status check_locations(index_reader *reader, const frz_parquet_page_location *pages,
                                  size_t count)
{
    const uint64_t file_size = frz_input_size(frz_parquet_file_input(reader->file));
    const int64_t at = reader->chunk->offset_index_offset;
    for (size_t i = 0; i < count; i++) {
        if (pages[i].offset < 0 || pages[i].compressed_size <= 0 ||
            (uint64_t)pages[i].offset > file_size ||
            (uint64_t)pages[i].compressed_size > file_size - (uint64_t)pages[i].offset)
            return corrupt(reader, at, "a page lies past the end of the file");
        if (i == 0 ? pages[i].first_row != 0
                   : pages[i].first_row <= pages[i - 1].first_row ||
                         pages[i].offset <= pages[i - 1].offset)
            return corrupt(reader, at, "its pages are not in the order of their rows");
        if (pages[i].first_row >= reader->group->row_count)
            return corrupt(reader, at, "a page begins behind the last row of its row group");
    }
    return FRZ_OK;
}

static frz_status read_offset_index(index_reader *reader, frz_parquet_page_index *out)
{
    const int64_t offset = reader->chunk->offset_index_offset;
    const uint32_t depth = frz_parquet_file_limits(reader->file)->nesting_depth;
    frz_slice bytes = {0};
    FRZ_TRY(read_bytes(reader, offset, reader->chunk->offset_index_size, &bytes));
    frz_thrift_reader thrift = frz_thrift_reader_over(bytes, depth);
    frz_parquet_page_location *pages = NULL;
    size_t count = 0;
    (void)frz_thrift_struct_begin(&thrift);
    for (frz_thrift_field field; frz_thrift_field_next(&thrift, &field);) {
        if (field.id != 1 || pages) {
            frz_thrift_skip(&thrift, field.type);
            continue;
        }
        count = frz_thrift_list(&thrift, field.type, FRZ_THRIFT_STRUCT);
        pages = frz_arena_array(reader->arena, count, sizeof *pages);
        if (!pages)
            return frz_fail_memory(reader->err);
        for (size_t i = 0; i < count; i++)
            read_location(&thrift, &pages[i]);
    }
    FRZ_TRY(frz_thrift_check(&thrift, (uint64_t)offset, "offset index", reader->err));
    FRZ_TRY(check_locations(reader, pages, count));
    out->locations = count ? pages : NULL;
    out->page_count = count;
    return FRZ_OK;
}

static void read_bools(frz_thrift_reader *thrift, frz_thrift_type type, frz_arena *arena,
                       column_index *out)
{
    const size_t count = frz_thrift_list(thrift, type, FRZ_THRIFT_TRUE);
    out->null_pages = frz_arena_array(arena, count, sizeof *out->null_pages);
    out->counts[NULL_PAGES] = count;
    if (!out->null_pages)
        frz_thrift_fail_memory(thrift);
    for (size_t i = 0; out->null_pages && i < count && !thrift->cursor.failed; i++)
        out->null_pages[i] = frz_thrift_bool_element(thrift);
}

static frz_slice *read_slices(frz_thrift_reader *thrift, frz_thrift_type type, frz_arena *arena,
                              size_t *count_out)
{
    const size_t count = frz_thrift_list(thrift, type, FRZ_THRIFT_BINARY);
    frz_slice *slices = frz_arena_array(arena, count, sizeof *slices);
    *count_out = count;
    if (!slices)
        frz_thrift_fail_memory(thrift);
    for (size_t i = 0; slices && i < count && !thrift->cursor.failed; i++)
        slices[i] = frz_thrift_binary(thrift, FRZ_THRIFT_BINARY);
    return slices;
}

static int64_t *read_counts(frz_thrift_reader *thrift, frz_thrift_type type, frz_arena *arena,
                            size_t *count_out)
{
    const size_t count = frz_thrift_list(thrift, type, FRZ_THRIFT_I64);
    int64_t *numbers = frz_arena_array(arena, count, sizeof *numbers);
    *count_out = count;
    if (!numbers)
        frz_thrift_fail_memory(thrift);
    for (size_t i = 0; numbers && i < count && !thrift->cursor.failed; i++)
        numbers[i] = frz_thrift_i64(thrift, FRZ_THRIFT_I64);
    return numbers;
}

static void read_column_index(frz_thrift_reader *thrift, frz_arena *arena, column_index *out)
{
    *out = (column_index){.counts = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    const int16_t outer = frz_thrift_struct_begin(thrift);
    for (frz_thrift_field field; frz_thrift_field_next(thrift, &field);) {
        if (field.id == 1)
            read_bools(thrift, field.type, arena, out);
        else if (field.id == 2)
            out->mins = read_slices(thrift, field.type, arena, &out->counts[MINS]);
        else if (field.id == 3)
            out->maxs = read_slices(thrift, field.type, arena, &out->counts[MAXS]);
        else if (field.id == 5)
            out->null_counts = read_counts(thrift, field.type, arena, &out->counts[NULL_COUNTS]);
        else if (field.id == 8)
            out->nan_counts = read_counts(thrift, field.type, arena, &out->counts[NAN_COUNTS]);
        else
            frz_thrift_skip(thrift, field.type);
    }
    frz_thrift_struct_end(thrift, outer);
}

static int64_t count_of(const int64_t *counts, size_t page)
{
    return counts && counts[page] >= 0 ? counts[page] : -1;
}

static frz_status fill_bounds(index_reader *reader, const column_index *index,
                              frz_parquet_page_index *out)
{
    for (int i = NULL_PAGES; i <= NAN_COUNTS; i++) {
        const bool optional = i == NULL_COUNTS || i == NAN_COUNTS;
        if (index->counts[i] != out->page_count && !(optional && index->counts[i] == SIZE_MAX))
            return corrupt(reader, reader->chunk->column_index_offset,
                           "the column index has not as many pages as the offset index");
    }
    frz_parquet_page_bounds *bounds =
        frz_arena_array(reader->arena, out->page_count, sizeof *bounds);
    if (!bounds)
        return frz_fail_memory(reader->err);
    for (size_t i = 0; i < out->page_count; i++) {
        bounds[i] = (frz_parquet_page_bounds){.all_null = index->null_pages[i],
                                              .min = index->mins[i],
                                              .max = index->maxs[i],
                                              .null_count = count_of(index->null_counts, i),
                                              .nan_count = count_of(index->nan_counts, i)};
        bounds[i].has_bounds =
            !bounds[i].all_null && reader->leaf->ordered &&
            frz_parquet_bounds_usable(reader->leaf, &bounds[i].min, &bounds[i].max);
    }
    out->bounds = bounds;
    return FRZ_OK;
}

static frz_status read_bounds(index_reader *reader, frz_parquet_page_index *out)
{
    const int64_t offset = reader->chunk->column_index_offset;
    const uint32_t depth = frz_parquet_file_limits(reader->file)->nesting_depth;
    frz_slice bytes = {0};
    column_index index;
    FRZ_TRY(read_bytes(reader, offset, reader->chunk->column_index_size, &bytes));
    frz_thrift_reader thrift = frz_thrift_reader_over(bytes, depth);
    read_column_index(&thrift, reader->arena, &index);
    FRZ_TRY(frz_thrift_check(&thrift, (uint64_t)offset, "column index", reader->err));
    return fill_bounds(reader, &index, out);
}

static frz_status read_index(index_reader *reader, bool with_bounds, frz_parquet_page_index *out)
{
    frz_parquet_page_index index = {0};
    if (reader->chunk->offset_index_offset >= 0 && !reader->chunk->encrypted)
        FRZ_TRY(read_offset_index(reader, &index));
    if (with_bounds && index.page_count && reader->chunk->column_index_offset >= 0)
        FRZ_TRY(read_bounds(reader, &index));
    *out = index;
    return FRZ_OK;
}

static frz_status read_named(frz_parquet_file *file, size_t row_group, size_t leaf,
                             index_reader reader, bool with_bounds, frz_parquet_page_index *out)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    char path[FRZ_PARQUET_PATH_SIZE];
    reader.file = file;
    reader.group = &metadata->row_groups[row_group];
    reader.chunk = &reader.group->columns[leaf];
    reader.leaf = metadata->leaves[leaf];
    const frz_status status = read_index(&reader, with_bounds, out);
    if (status == FRZ_OK)
        return FRZ_OK;
    return frz_context(reader.err, status, "column %s, page index of row group %zu",
                       frz_parquet_node_path(reader.leaf, path), row_group);
}

frz_status frz_parquet_page_index_read(frz_parquet_file *file, size_t row_group, size_t leaf,
                                       frz_arena *arena, frz_parquet_page_index *out,
                                       frz_error **err)
{
    const index_reader reader = {.arena = arena, .err = err};
    return read_named(file, row_group, leaf, reader, true, out);
}

frz_status frz_parquet_page_locations_read(frz_parquet_file *file, size_t row_group, size_t leaf,
                                           frz_arena *arena, frz_parquet_page_index *out,
                                           frz_error **err)
{
    const index_reader reader = {.arena = arena, .err = err};
    return read_named(file, row_group, leaf, reader, false, out);
}

frz_status frz_parquet_page_index_find(frz_parquet_file *file, size_t row_group, size_t leaf,
                                       const frz_parquet_index_wish *wish,
                                       frz_parquet_page_index *out, frz_error **err)
{
    frz_error *fault = NULL;
    const index_reader reader = {.arena = wish->arena, .err = &fault};
    frz_status status = read_named(file, row_group, leaf, reader, wish->bounds, out);
    if (status == FRZ_CORRUPT) {
        *out = (frz_parquet_page_index){0};
        if (wish->ignored_out)
            *wish->ignored_out = true;
        frz_error_free(fault);
        return FRZ_OK;
    }
    if (err && !*err)
        *err = fault;
    else
        frz_error_free(fault);
    return status;
}
