#include "scan/row_ranges.h"

#include "base/fail.h"
#include "parquet/page_walk.h"
#include "scan/parquet_stats.h"
#include "scan/row_group.h"

enum { HEADER_AHEAD = 512 /* bytes, more than nearly all page headers have */ };

typedef struct selector {
    frz_row_group_view view;
    frz_arena *arena;
} selector;

/* The rows of one row group that may match, relative to it. */
typedef struct range_list {
    frz_parquet_row_range *items;
    size_t count;
} range_list;

/* One page of one column. */
typedef struct page_source {
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

static int64_t range_end(const frz_parquet_row_range *range)
{
    return range->start + range->count;
}

static range_list whole_group(const selector *from, frz_error **err)
{
    range_list all = {.items = frz_arena_alloc(from->arena, sizeof *all.items), .count = 1};
    if (!all.items) {
        (void)frz_fail_memory(err);
        return (range_list){0};
    }
    all.items[0] = (frz_parquet_row_range){
        .start = 0, .count = from->view.metadata->row_groups[from->view.number].row_count};
    return all;
}

/* The row behind the last one of a page. */
static int64_t page_end(const selector *from, const frz_parquet_page_index *index, size_t page)
{
    return page + 1 < index->page_count
               ? index->locations[page + 1].first_row
               : from->view.metadata->row_groups[from->view.number].row_count;
}

static void add_range(range_list *list, int64_t start, int64_t count)
{
    if (list->count) {
        frz_parquet_row_range *last = &list->items[list->count - 1];
        if (last->start + last->count == start) {
            last->count += count;
            return;
        }
    }
    list->items[list->count++] = (frz_parquet_row_range){.start = start, .count = count};
}

/* Whether the page with that header is the one that the index says. */
static frz_status page_agrees(frz_parquet_page_walk *walk, const frz_parquet_page_location *page,
                              int64_t rows, bool *agrees, frz_error **err)
{
    frz_error *fault = NULL;
    frz_parquet_page_header header = {0};
    const uint64_t offset = (uint64_t)page->offset;
    const frz_status status = frz_parquet_page_header_at(
        &walk->window, offset, offset + HEADER_AHEAD, walk->limits, &header, &fault);
    *agrees = status == FRZ_OK && (int64_t)header.value_count == rows &&
              (header.type == FRZ_PARQUET_PAGE_DATA || header.type == FRZ_PARQUET_PAGE_DATA_V2);
    if (status == FRZ_OK || status == FRZ_CORRUPT) {
        frz_error_free(fault);
        return FRZ_OK;
    }
    if (err && !*err)
        *err = fault;
    else
        frz_error_free(fault);
    return status;
}

/*
 * Whether the pages that are left, without repetition, have as many values as the offset index says
 * rows. Where one does not, the rows of pages that were dropped are not where it says either: their
 * bounds prove nothing.
 */
static frz_status pages_agree(const selector *from, const frz_parquet_node *node,
                              const frz_parquet_page_index *index, const range_list *left,
                              bool *agree, frz_error **err)
{
    frz_parquet_page_walk walk;
    size_t at = 0;
    frz_status status = frz_parquet_page_walk_begin(&walk, from->view.file, from->view.number,
                                                    (size_t)node->leaf_index, err);
    *agree = true;
    for (size_t i = 0; status == FRZ_OK && *agree && i < index->page_count; i++) {
        const int64_t first = index->locations[i].first_row;
        const int64_t end = page_end(from, index, i);
        while (at < left->count && range_end(&left->items[at]) <= first)
            at++;
        if (at < left->count && left->items[at].start < end)
            status = page_agrees(&walk, &index->locations[i], end - first, agree, err);
    }
    frz_parquet_page_walk_clear(&walk);
    return status;
}

/* The pages of one column that may hold a match of one leaf of the filter. */
static frz_status leaf_ranges(selector *from, const frz_expr *leaf, range_list *out,
                              frz_error **err)
{
    const frz_parquet_node *node = frz_row_group_node(&from->view, leaf);
    const frz_parquet_page_index *index = NULL;
    if (node)
        FRZ_TRY(frz_row_group_page_index(&from->view, node, &index, err));
    if (!index || !index->page_count || !index->bounds) {
        *out = whole_group(from, err);
        return out->items ? FRZ_OK : FRZ_NO_MEMORY;
    }

    out->count = 0;
    out->items = frz_arena_array(from->arena, index->page_count, sizeof *out->items);
    if (!out->items)
        return frz_fail_memory(err);
    size_t kept = 0;
    bool agree = true;
    for (size_t i = 0; i < index->page_count; i++) {
        const int64_t first = index->locations[i].first_row;
        const int64_t end = page_end(from, index, i);
        page_source page = {.node = node, .bounds = &index->bounds[i], .row_count = end - first};
        if (!frz_prune_may_match(leaf, page_stats, &page))
            continue;
        kept++;
        add_range(out, first, end - first);
    }
    if (kept && kept < index->page_count)
        FRZ_TRY(pages_agree(from, node, index, out, &agree, err));
    if (agree)
        return FRZ_OK;
    *out = whole_group(from, err);
    return out->items ? FRZ_OK : FRZ_NO_MEMORY;
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

static bool all_deleted(const selector *from, const frz_bitmap *deleted)
{
    const frz_parquet_row_group *group = &from->view.metadata->row_groups[from->view.number];
    return deleted && !from->view.scan->keep_deleted &&
           frz_bitmap_count_range(deleted, group->first_row, group->row_count) == group->row_count;
}

/* The rows that the filter leaves of a row group, relative to it; *reason_out names what left none.
 */
static frz_status filtered_ranges(selector *from, range_list *out, const char **reason_out,
                                  frz_error **err)
{
    const frz_expr *filter = from->view.task->residual;
    if (filter->op == FRZ_EXPR_TRUE || from->view.scan->no_pruning) {
        *out = whole_group(from, err);
        return out->items ? FRZ_OK : FRZ_NO_MEMORY;
    }
    FRZ_TRY(frz_row_group_judge(&from->view, filter, reason_out, err));
    if (*reason_out)
        return FRZ_OK;
    FRZ_TRY(expr_ranges(from, filter, out, err));
    if (out->count == 0)
        *reason_out = "page_index";
    return FRZ_OK;
}

static void count_group(const selector *from, const frz_row_query *query, const char *reason)
{
    const frz_parquet_metadata *metadata = from->view.metadata;
    const frz_parquet_row_group *group = &metadata->row_groups[from->view.number];
    int64_t bytes = 0;
    query->groups->considered++;
    query->groups->kept += reason == NULL;
    for (size_t i = 0; query->leaves_read && i < metadata->leaf_count; i++)
        bytes += query->leaves_read[i] ? group->columns[i].compressed_size : 0;
    if (reason)
        frz_funnel_drop(query->groups, reason, bytes);
}

/* The rows of one row group, absolute; none when deletes or the filter rule it out. */
static frz_status group_ranges(selector *from, const frz_row_query *query, range_list *out,
                               frz_error **err)
{
    const frz_parquet_row_group *group = &from->view.metadata->row_groups[from->view.number];
    const char *reason = NULL;

    out->count = 0;
    if (group->row_count == 0)
        reason = "no_rows";
    else if (all_deleted(from, query->deleted))
        reason = "all_deleted";
    else
        FRZ_TRY(filtered_ranges(from, out, &reason, err));
    if (query->groups)
        count_group(from, query, reason);
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
    selector from = {.arena = arena};
    size_t capacity = 0;
    FRZ_TRY(frz_row_group_view_init(&from.view, query->scan, query->task, query->file->parquet,
                                    arena, err));

    *out = (frz_row_ranges){0};
    for (size_t i = 0; i < from.view.metadata->row_group_count; i++) {
        range_list ranges = {0};
        frz_row_group_view_move(&from.view, i);
        FRZ_TRY_DONE(group_ranges(&from, query, &ranges, err));
        FRZ_TRY_DONE(append_ranges(arena, &ranges, &capacity, out, err));
    }

done:
    frz_row_group_view_clear(&from.view);
    return status;
}
