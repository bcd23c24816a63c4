#include "parquet/field_reader.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "parquet/assemble.h"
#include "parquet/bits.h"
#include "parquet/page_index.h"

/* Gaps of fewer unwanted rows are decoded and then dropped: dearer to step over than to decode. */
enum { GAP_ROWS_MIN = 64 };

/* Rows that are decoded together, relative to the start of a read. */
typedef struct row_piece {
    int64_t start;
    int64_t count;
} row_piece;

struct frz_parquet_field_reader {
    frz_parquet_file *file;
    const frz_parquet_node *node;
    const bool *leaf_selected;
    bool *selection; /* a copy, owned */
    const frz_parquet_row_range *ranges;
    size_t range_count;
    frz_parquet_column *columns; /* of the selected leaves, in order */
    size_t column_count;
    frz_parquet_leaf_part *parts;
    frz_parquet_page_index *indexes; /* per column, of the open row group */
    frz_arena index_arena;
    size_t row_group;          /* SIZE_MAX before the first */
    int64_t row;               /* end of the last read */
    struct ArrowSchema schema; /* made when a filter needs it */
    row_piece *pieces;
    size_t piece_count;
    size_t piece_capacity;
    frz_buffer mask; /* of the decoded rows */
};

static size_t count_leaves(const frz_parquet_node *node, const bool *selected)
{
    if (node->shape == FRZ_PARQUET_SHAPE_LEAF)
        return !selected || selected[node->leaf_index];
    if (!frz_parquet_node_selected(node, selected))
        return 0;
    size_t count = 0;
    selected = frz_parquet_child_selection(node, selected);
    for (size_t i = 0; i < node->child_count; i++)
        count += count_leaves(&node->children[i], selected);
    return count;
}

static frz_status open_leaves(frz_parquet_field_reader *reader, const frz_parquet_node *node,
                              const bool *selected, frz_error **err)
{
    if (!frz_parquet_node_selected(node, selected))
        return FRZ_OK;
    if (node->shape == FRZ_PARQUET_SHAPE_LEAF) {
        frz_parquet_column *column = &reader->columns[reader->column_count];
        reader->parts[reader->column_count++].column = column;
        column->ranges = reader->ranges;
        FRZ_TRY(frz_parquet_column_init(column, reader->file, node, err));
        column->ranges = reader->ranges;
        column->range_count = reader->range_count;
        return FRZ_OK;
    }
    selected = frz_parquet_child_selection(node, selected);
    for (size_t i = 0; i < node->child_count; i++)
        FRZ_TRY(open_leaves(reader, &node->children[i], selected, err));
    return FRZ_OK;
}

static frz_status copy_selection(frz_parquet_field_reader *reader, const bool *leaf_selected,
                                 frz_error **err)
{
    const size_t count = frz_parquet_file_metadata(reader->file)->leaf_count;
    if (!leaf_selected)
        return FRZ_OK;
    reader->selection = frz_alloc_array(count, sizeof *leaf_selected);
    if (!reader->selection)
        return frz_fail_memory(err);
    memcpy(reader->selection, leaf_selected, count * sizeof *leaf_selected);
    reader->leaf_selected = reader->selection;
    return FRZ_OK;
}

static frz_status open_reader(frz_parquet_field_reader *reader, const bool *leaf_selected,
                              frz_error **err)
{
    FRZ_TRY(copy_selection(reader, leaf_selected, err));
    const size_t count = count_leaves(reader->node, reader->leaf_selected);
    if (count == 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no column of \"%s\" is selected",
                        reader->node->name);
    reader->columns = frz_alloc_array(count, sizeof *reader->columns);
    reader->parts = frz_alloc_array(count, sizeof *reader->parts);
    reader->indexes = frz_alloc_array(count, sizeof *reader->indexes);
    if (!reader->columns || !reader->parts || !reader->indexes)
        return frz_fail_memory(err);
    return open_leaves(reader, reader->node, reader->leaf_selected, err);
}

frz_status frz_parquet_field_reader_open(frz_parquet_file *file, const frz_parquet_node *node,
                                         const bool *leaf_selected,
                                         const frz_parquet_row_range *ranges, size_t range_count,
                                         frz_parquet_field_reader **out, frz_error **err)
{
    frz_parquet_field_reader *reader = frz_alloc_zero(sizeof *reader);
    if (!reader)
        return frz_fail_memory(err);
    reader->file = file;
    reader->node = node;
    reader->ranges = ranges;
    reader->range_count = range_count;
    reader->row_group = SIZE_MAX;
    reader->index_arena.budget = frz_parquet_file_limits(file)->parse_budget;
    const frz_status status = open_reader(reader, leaf_selected, err);
    if (status != FRZ_OK) {
        frz_parquet_field_reader_close(reader);
        return status;
    }
    *out = reader;
    return FRZ_OK;
}

void frz_parquet_field_reader_close(frz_parquet_field_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < reader->column_count; i++) {
        frz_parquet_column_clear(&reader->columns[i]);
        frz_parquet_leaf_batch_clear(&reader->parts[i].batch);
    }
    frz_free(reader->columns);
    frz_free(reader->parts);
    frz_free(reader->indexes);
    frz_free(reader->selection);
    frz_free(reader->pieces);
    frz_buffer_clear(&reader->mask);
    frz_arena_clear(&reader->index_arena);
    frz_arrow_schema_clear(&reader->schema);
    frz_free(reader);
}

/* Whether the announced ranges leave out rows of a group: then its offset index is worth reading.
 */
static bool partly_wanted(const frz_parquet_field_reader *reader,
                          const frz_parquet_row_group *group)
{
    int64_t at = group->first_row;
    const int64_t end = group->first_row + group->row_count;
    if (!reader->ranges)
        return false;
    for (size_t i = 0; i < reader->range_count && at < end; i++) {
        const frz_parquet_row_range *range = &reader->ranges[i];
        if (range->start <= at && range->start + range->count > at)
            at = range->start + range->count;
    }
    return at < end;
}

static frz_status begin_group(frz_parquet_field_reader *reader, size_t number, frz_error **err)
{
    const frz_parquet_row_group *group =
        &frz_parquet_file_metadata(reader->file)->row_groups[number];
    const bool indexed = partly_wanted(reader, group);
    frz_arena_clear(&reader->index_arena);
    reader->row_group = SIZE_MAX;
    for (size_t i = 0; i < reader->column_count; i++) {
        frz_parquet_column *column = &reader->columns[i];
        reader->indexes[i] = (frz_parquet_page_index){0};
        if (indexed)
            FRZ_TRY(frz_parquet_page_index_find(
                reader->file, number, (size_t)column->leaf->leaf_index,
                &(frz_parquet_index_wish){.arena = &reader->index_arena}, &reader->indexes[i],
                err));
        FRZ_TRY(frz_parquet_column_begin(
            column, group, reader->indexes[i].locations ? &reader->indexes[i] : NULL, err));
    }
    reader->row_group = number;
    return FRZ_OK;
}

/* Goes to the row group that holds [start, start + count). */
static frz_status find_group(frz_parquet_field_reader *reader, int64_t start, int64_t count,
                             frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(reader->file);
    size_t number = reader->row_group == SIZE_MAX ? 0 : reader->row_group;
    for (; number < metadata->row_group_count; number++) {
        const frz_parquet_row_group *group = &metadata->row_groups[number];
        if (start < group->first_row + group->row_count)
            break;
    }
    if (start < reader->row || count < 0 || number == metadata->row_group_count ||
        count >
            metadata->row_groups[number].first_row + metadata->row_groups[number].row_count - start)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "rows %lld to %lld: not ahead of the last read, or not in one row group",
                        (long long)start, (long long)(start + count));
    return number == reader->row_group ? FRZ_OK : begin_group(reader, number, err);
}

static frz_status add_piece(frz_parquet_field_reader *reader, int64_t start, int64_t count,
                            frz_error **err)
{
    row_piece *last = reader->piece_count ? &reader->pieces[reader->piece_count - 1] : NULL;
    if (last && start - (last->start + last->count) < GAP_ROWS_MIN) {
        last->count = start + count - last->start;
        return FRZ_OK;
    }
    if (!frz_grow_array((void **)&reader->pieces, &reader->piece_capacity, reader->piece_count,
                        sizeof *reader->pieces))
        return frz_fail_memory(err);
    reader->pieces[reader->piece_count++] = (row_piece){.start = start, .count = count};
    return FRZ_OK;
}

/* Cuts the read into pieces at words of the mask without a bit; *decoded_out is how many rows the
 * pieces have together. */
static frz_status plan_pieces(frz_parquet_field_reader *reader, int64_t count, const uint64_t *mask,
                              int64_t *decoded_out, frz_error **err)
{
    int64_t decoded = 0;
    reader->piece_count = 0;
    if (!mask && count)
        FRZ_TRY(add_piece(reader, 0, count, err));
    for (int64_t at = 0; mask && at < count; at += 64) {
        const uint64_t rows = count - at < 64 ? (UINT64_C(1) << (count - at)) - 1 : UINT64_MAX;
        const uint64_t word = mask[at / 64] & rows;
        if (!word)
            continue;
        const int first = __builtin_ctzll(word);
        FRZ_TRY(add_piece(reader, at + first, 64 - __builtin_clzll(word) - first, err));
    }
    for (size_t i = 0; i < reader->piece_count; i++)
        decoded += reader->pieces[i].count;
    *decoded_out = decoded;
    return FRZ_OK;
}

/* `mask` NULL: all rows of the pieces stay. */
static frz_status read_column(frz_parquet_field_reader *reader, size_t number, int64_t start,
                              const uint64_t *mask, int64_t decoded, frz_error **err)
{
    frz_parquet_column *column = &reader->columns[number];
    frz_parquet_leaf_batch *batch = &reader->parts[number].batch;
    frz_parquet_leaf_batch_clear(batch);
    batch->flat = column->flat;
    const int64_t group_start = column->group->first_row;
    if (column->flat)
        FRZ_TRY(frz_parquet_values_reserve(&column->source, &batch->values, (size_t)decoded, err));
    for (size_t i = 0; i < reader->piece_count; i++) {
        const int64_t row = start - group_start + reader->pieces[i].start;
        batch->mask = mask;
        batch->mask_at = (size_t)reader->pieces[i].start;
        FRZ_TRY(frz_parquet_column_skip(column, row - column->row, err));
        FRZ_TRY(frz_parquet_column_read(column, reader->pieces[i].count, batch, err));
    }
    return FRZ_OK;
}

/* The mask of the decoded rows alone. */
static frz_status decoded_mask(frz_parquet_field_reader *reader, const uint64_t *mask,
                               int64_t decoded, frz_error **err)
{
    size_t at = 0;
    frz_buffer_reset(&reader->mask);
    frz_buffer_append_fill(&reader->mask, 0, ((size_t)decoded + 63) / 64 * sizeof *mask);
    FRZ_TRY(frz_buffer_check(&reader->mask, err));
    for (size_t i = 0; i < reader->piece_count; i++) {
        const row_piece *piece = &reader->pieces[i];
        frz_bits_copy((const uint8_t *)mask, (size_t)piece->start, reader->mask.data, at,
                      (size_t)piece->count);
        at += (size_t)piece->count;
    }
    return FRZ_OK;
}

/* Drops the rows that were decoded only because they lie between wanted ones. */
static frz_status filter(frz_parquet_field_reader *reader, const uint64_t *mask, int64_t selected,
                         struct ArrowArray *array, frz_error **err)
{
    struct ArrowArray kept = {0};
    if (!reader->schema.release)
        FRZ_TRY(frz_parquet_node_arrow(reader->file, reader->node, reader->leaf_selected,
                                       &reader->schema, err));
    FRZ_TRY(decoded_mask(reader, mask, array->length, err));
    FRZ_TRY(frz_arrow_array_filter(&reader->schema, array, (const void *)reader->mask.data,
                                   selected, &kept, err));
    frz_arrow_array_clear(array);
    *array = kept;
    return FRZ_OK;
}

/* Whether rows are dropped while they are decoded. Where few stay, a copy is cheap, and does not
 * hold the memory of all that was decoded. */
static bool can_squeeze(const frz_parquet_field_reader *reader, int64_t decoded, int64_t selected)
{
    return reader->node->shape == FRZ_PARQUET_SHAPE_LEAF && reader->columns[0].flat &&
           selected >= decoded / 2;
}

frz_status frz_parquet_field_reader_read(frz_parquet_field_reader *reader, int64_t start,
                                         int64_t count, const uint64_t *mask, int64_t selected,
                                         struct ArrowArray *out, frz_error **err)
{
    int64_t decoded = 0;
    struct ArrowArray array = {0};
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(find_group(reader, start, count, err));
    FRZ_TRY_DONE(plan_pieces(reader, count, mask, &decoded, err));
    const bool drop = mask && decoded != selected;
    const bool in_place = drop && can_squeeze(reader, decoded, selected);
    for (size_t i = 0; i < reader->column_count; i++)
        FRZ_TRY_DONE(read_column(reader, i, start, in_place ? mask : NULL, decoded, err));
    FRZ_TRY_DONE(frz_parquet_assemble(reader->node, reader->leaf_selected, reader->parts,
                                      in_place ? selected : decoded, &array, err));
    if (drop && !in_place)
        FRZ_TRY_DONE(filter(reader, mask, selected, &array, err));
    reader->row = start + count;
    *out = array;
    array = (struct ArrowArray){0};
done:
    frz_arrow_array_clear(&array);
    return status;
}
