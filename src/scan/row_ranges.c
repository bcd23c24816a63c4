#include "scan/row_ranges.h"

#include "base/fail.h"
#include "expr/prune.h"
#include "parquet/page_index.h"
#include "scan/absent.h"
#include "scan/file_columns.h"
#include "scan/file_stats.h"
#include "scan/parquet_stats.h"
#include "scan/stored_column.h"

typedef struct selector {
    const frz_scan *scan;
    const frz_scan_task *task;
    frz_parquet_file *file;
    const frz_parquet_metadata *metadata;
    size_t group; /* the row group looked at */
    frz_arena *arena;
    frz_arena indexes;               /* page indexes of one row group */
    frz_parquet_page_index *by_leaf; /* of this row group; read when first asked for */
    bool *was_read;
    frz_funnel_level *pages;
} selector;

/* The rows of one row group that may match, relative to it. */
typedef struct range_list {
    frz_parquet_row_range *items;
    size_t count;
} range_list;

static bool absent_stats(const selector *from, const frz_reference *reference,
                         frz_column_stats *out)
{
    const frz_field *field = frz_schema_find_id(from->scan->schema, reference->field_id);
    if (!field || reference->step_count != 1)
        return false; /* below a struct that may itself be null */
    frz_value value = {0};
    if (frz_absent_value(from->scan, &from->task->entry->file, field, field->name, &value, NULL) !=
        FRZ_OK)
        return false;
    out->absent_constant = true;
    out->has_lower = value.form != FRZ_VALUE_NULL;
    out->has_upper = out->has_lower;
    out->lower = value;
    out->upper = value;
    return true;
}

/* What metadata columns can be in one row group: positions and inherited row ids count its rows. */
static bool metadata_stats(const selector *from, const frz_reference *reference,
                           frz_column_stats *out)
{
    const frz_parquet_row_group *group = &from->metadata->row_groups[from->group];
    const int32_t id = reference->field_id;
    int64_t first = group->first_row;
    if (id == FRZ_FIELD_ID_ROW_ID) {
        const int64_t first_row_id = from->task->entry->file.first_row_id;
        if (first_row_id < 0 || frz_file_find_node(&from->metadata->root, id))
            return false; /* no lineage, or ids that the file stores */
        first += first_row_id;
    } else if (id != FRZ_FIELD_ID_POS) {
        frz_file_stats file = {.scan = from->scan, .entry = from->task->entry};
        return frz_file_stats_source(&file, reference, out);
    }
    *out = (frz_column_stats){
        .value_count = group->row_count, .nan_count = -1, .has_lower = true, .has_upper = true};
    out->lower = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = first};
    out->upper = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = first + group->row_count - 1};
    return true;
}

/* A frz_stats_source over one row group's column chunks. */
static bool group_stats(void *context, const frz_reference *reference, frz_column_stats *out)
{
    const selector *from = context;
    if (reference->steps[0].field_id > FRZ_FIELD_ID_MAX)
        return metadata_stats(from, reference, out);
    *out = (frz_column_stats){.value_count = -1, .null_count = -1, .nan_count = -1};
    if (!reference->direct)
        return false;
    const frz_parquet_node *node = frz_file_find_node(&from->metadata->root, reference->field_id);
    if (!node)
        return absent_stats(from, reference, out);
    if (node->shape != FRZ_PARQUET_SHAPE_LEAF)
        return false;
    const frz_parquet_column_chunk *chunk =
        &from->metadata->row_groups[from->group].columns[node->leaf_index];
    out->value_count = chunk->value_count;
    out->null_count = node->max_definition == 0 ? 0 : chunk->statistics.null_count;
    out->nan_count = chunk->statistics.nan_count;
    out->has_lower = chunk->statistics.has_min &&
                     frz_parquet_bound(node, chunk->statistics.min, reference->type, &out->lower);
    out->has_upper = chunk->statistics.has_max &&
                     frz_parquet_bound(node, chunk->statistics.max, reference->type, &out->upper);
    return true;
}

/* One page of one column. */
typedef struct page_source {
    selector *from;
    const frz_parquet_node *node;
    const frz_parquet_page_bounds *bounds;
    int64_t row_count;
} page_source;

static bool page_stats(void *context, const frz_reference *reference, frz_column_stats *out)
{
    const page_source *page = context;
    *out = (frz_column_stats){.value_count = page->row_count,
                              .null_count = page->bounds->null_count,
                              .nan_count = page->bounds->nan_count};
    if (page->bounds->all_null) {
        out->null_count = page->row_count;
        return true;
    }
    if (page->node->max_definition == 0)
        out->null_count = 0;
    const frz_parquet_page_bounds *bounds = page->bounds;
    out->has_lower = bounds->has_bounds &&
                     frz_parquet_bound(page->node, bounds->min, reference->type, &out->lower);
    out->has_upper = bounds->has_bounds &&
                     frz_parquet_bound(page->node, bounds->max, reference->type, &out->upper);
    return true;
}

static range_list whole_group(const selector *from, frz_error **err)
{
    range_list all = {.items = frz_arena_alloc(from->arena, sizeof *all.items), .count = 1};
    if (!all.items) {
        (void)frz_fail_memory(err);
        return (range_list){0};
    }
    all.items[0] = (frz_parquet_row_range){
        .start = 0, .count = from->metadata->row_groups[from->group].row_count};
    return all;
}

static frz_status index_of(selector *from, const frz_parquet_node *node,
                           const frz_parquet_page_index **out, frz_error **err)
{
    const size_t leaf = (size_t)node->leaf_index;
    if (!from->was_read[leaf]) {
        FRZ_TRY(frz_parquet_page_index_read(from->file, from->group, leaf, &from->indexes,
                                            &from->by_leaf[leaf], err));
        from->was_read[leaf] = true;
    }
    *out = &from->by_leaf[leaf];
    return FRZ_OK;
}

static void add_range(range_list *list, int64_t start, int64_t count)
{
    frz_parquet_row_range *last = list->count ? &list->items[list->count - 1] : NULL;
    if (last && last->start + last->count == start)
        last->count += count;
    else
        list->items[list->count++] = (frz_parquet_row_range){.start = start, .count = count};
}

/* The leaf of the file whose pages can judge a leaf of the filter; NULL when there is none. Pages
 * of stored lineage columns cannot: their nulls stand for inherited values. */
static const frz_parquet_node *judging_node(const selector *from, const frz_expr *leaf)
{
    const frz_reference *reference = leaf->reference;
    if (!reference || !reference->direct || reference->steps[0].field_id > FRZ_FIELD_ID_MAX)
        return NULL;
    const frz_parquet_node *node = frz_file_find_node(&from->metadata->root, reference->field_id);
    return node && node->shape == FRZ_PARQUET_SHAPE_LEAF && node->max_repetition == 0 ? node : NULL;
}

/* The pages of one column that may hold a match of one leaf of the filter. */
static frz_status leaf_ranges(selector *from, const frz_expr *leaf, range_list *out,
                              frz_error **err)
{
    const frz_parquet_node *node = judging_node(from, leaf);
    const frz_parquet_page_index *index = NULL;
    if (node)
        FRZ_TRY(index_of(from, node, &index, err));
    if (!index || !index->page_count || !index->bounds) {
        *out = whole_group(from, err);
        return out->items ? FRZ_OK : FRZ_NO_MEMORY;
    }

    out->count = 0;
    out->items = frz_arena_array(from->arena, index->page_count, sizeof *out->items);
    if (!out->items)
        return frz_fail_memory(err);
    const int64_t group_rows = from->metadata->row_groups[from->group].row_count;
    for (size_t i = 0; i < index->page_count; i++) {
        const int64_t first = index->locations[i].first_row;
        const int64_t end =
            i + 1 < index->page_count ? index->locations[i + 1].first_row : group_rows;
        page_source page = {
            .from = from, .node = node, .bounds = &index->bounds[i], .row_count = end - first};
        if (from->pages)
            from->pages->considered++;
        if (frz_prune_may_match(leaf, page_stats, &page)) {
            add_range(out, first, end - first);
            if (from->pages)
                from->pages->kept++;
        } else if (from->pages) {
            frz_funnel_drop(from->pages, "column_index");
        }
    }
    return FRZ_OK;
}

static int64_t range_end(const frz_parquet_row_range *range)
{
    return range->start + range->count;
}

static frz_status intersect(const selector *from, const range_list *a, const range_list *b,
                            range_list *out, frz_error **err)
{
    out->count = 0;
    out->items = frz_arena_array(from->arena, a->count + b->count, sizeof *out->items);
    if (!out->items)
        return frz_fail_memory(err);
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        const int64_t a_end = range_end(&a->items[i]);
        const int64_t b_end = range_end(&b->items[k]);
        const int64_t start =
            a->items[i].start > b->items[k].start ? a->items[i].start : b->items[k].start;
        const int64_t end = a_end < b_end ? a_end : b_end;
        if (start < end)
            add_range(out, start, end - start);
        if (a_end < b_end)
            i++;
        else
            k++;
    }
    return FRZ_OK;
}

static frz_status unite(const selector *from, const range_list *a, const range_list *b,
                        range_list *out, frz_error **err)
{
    out->count = 0;
    out->items = frz_arena_array(from->arena, a->count + b->count, sizeof *out->items);
    if (!out->items)
        return frz_fail_memory(err);
    size_t i = 0;
    size_t k = 0;
    while (i < a->count || k < b->count) {
        const bool take_a =
            k >= b->count || (i < a->count && a->items[i].start <= b->items[k].start);
        const frz_parquet_row_range next = take_a ? a->items[i++] : b->items[k++];
        frz_parquet_row_range *last = out->count ? &out->items[out->count - 1] : NULL;
        if (last && next.start <= range_end(last)) {
            if (range_end(&next) > range_end(last))
                last->count = range_end(&next) - last->start;
        } else {
            out->items[out->count++] = next;
        }
    }
    return FRZ_OK;
}

static frz_status expr_ranges(selector *from, const frz_expr *expr, range_list *out,
                              frz_error **err)
{
    if (expr->op != FRZ_EXPR_AND && expr->op != FRZ_EXPR_OR)
        return leaf_ranges(from, expr, out, err);
    range_list left = {0};
    range_list right = {0};
    FRZ_TRY(expr_ranges(from, expr->left, &left, err));
    FRZ_TRY(expr_ranges(from, expr->right, &right, err));
    return expr->op == FRZ_EXPR_AND ? intersect(from, &left, &right, out, err)
                                    : unite(from, &left, &right, out, err);
}

/* The rows of one row group, absolute; none when statistics or deletes rule it out. */
static frz_status group_ranges(selector *from, const frz_bitmap *deleted, frz_funnel_level *groups,
                               range_list *out, frz_error **err)
{
    const frz_parquet_row_group *group = &from->metadata->row_groups[from->group];
    const frz_expr *filter = from->task->residual;
    const char *reason = NULL;

    out->count = 0;
    if (group->row_count == 0)
        reason = "no_rows";
    else if (deleted && !from->scan->keep_deleted &&
             frz_bitmap_count_range(deleted, group->first_row, group->row_count) ==
                 group->row_count)
        reason = "all_deleted";
    else if (!from->scan->no_pruning && !frz_prune_may_match(filter, group_stats, from))
        reason = "statistics";
    if (groups) {
        groups->considered++;
        groups->kept += reason == NULL;
        if (reason)
            frz_funnel_drop(groups, reason);
    }
    if (reason)
        return FRZ_OK;
    if (filter->op == FRZ_EXPR_TRUE || from->scan->no_pruning) {
        *out = whole_group(from, err);
        if (!out->items)
            return FRZ_NO_MEMORY;
    } else {
        FRZ_TRY(expr_ranges(from, filter, out, err));
    }
    for (size_t i = 0; i < out->count; i++)
        out->items[i].start += group->first_row;
    return FRZ_OK;
}

/* Appends; the array is rebuilt larger as needed. */
static frz_status append_ranges(frz_arena *arena, const range_list *more, size_t *capacity,
                                frz_row_ranges *out, frz_error **err)
{
    if (!more->count)
        return FRZ_OK;
    if (out->count + more->count > *capacity) {
        const size_t wanted = (out->count + more->count) * 2;
        frz_parquet_row_range *items = frz_arena_array(arena, wanted, sizeof *items);
        if (!items)
            return frz_fail_memory(err);
        if (out->count)
            memcpy(items, out->items, out->count * sizeof *items);
        out->items = items;
        *capacity = wanted;
    }
    memcpy(out->items + out->count, more->items, more->count * sizeof *more->items);
    out->count += more->count;
    return FRZ_OK;
}

static frz_status select_all(const frz_row_query *query, frz_arena *arena, frz_row_ranges *out,
                             frz_error **err)
{
    const int64_t rows = query->task->entry->file.record_count;
    const frz_bitmap *deleted = query->scan->keep_deleted ? NULL : query->deleted;
    *out = (frz_row_ranges){0};
    if (rows == 0 || (deleted && frz_bitmap_count_range(deleted, 0, rows) == rows))
        return FRZ_OK;
    out->items = frz_arena_alloc(arena, sizeof *out->items);
    if (!out->items)
        return frz_fail_memory(err);
    out->items[0] = (frz_parquet_row_range){.start = 0, .count = rows};
    out->count = 1;
    return FRZ_OK;
}

frz_status frz_row_ranges_select(const frz_row_query *query, frz_arena *arena, frz_row_ranges *out,
                                 frz_error **err)
{
    if (query->file->avro)
        return select_all(query, arena, out, err);
    frz_status status = FRZ_OK;
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(query->file->parquet);
    selector from = {.scan = query->scan,
                     .task = query->task,
                     .file = query->file->parquet,
                     .metadata = metadata,
                     .arena = arena,
                     .pages = query->pages,
                     .by_leaf = frz_arena_array(arena, metadata->leaf_count, sizeof *from.by_leaf),
                     .was_read = frz_arena_array(arena, metadata->leaf_count, sizeof(bool))};
    size_t capacity = 0;
    if (!from.by_leaf || !from.was_read)
        return frz_fail_memory(err);

    *out = (frz_row_ranges){0};
    for (from.group = 0; from.group < metadata->row_group_count; from.group++) {
        range_list ranges = {0};
        memset(from.was_read, 0, metadata->leaf_count * sizeof(bool));
        FRZ_TRY_DONE(group_ranges(&from, query->deleted, query->groups, &ranges, err));
        FRZ_TRY_DONE(append_ranges(arena, &ranges, &capacity, out, err));
        frz_arena_clear(&from.indexes);
    }

done:
    frz_arena_clear(&from.indexes);
    return status;
}
