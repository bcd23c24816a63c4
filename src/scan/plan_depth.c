#include "scan/plan_depth.h"

#include "base/fail.h"
#include "base/map.h"
#include "parquet/page_index.h"
#include "scan/equality_filter.h"
#include "scan/file_columns.h"
#include "scan/plan_object.h"
#include "scan/row_ranges.h"
#include "scan/stored_column.h"
#include "scan/task_reader.h"

/* One data file that is looked into. */
typedef struct file_view {
    const frz_scan *scan;
    const frz_scan_task *task;
    frz_stored_file file;
    const frz_parquet_metadata *metadata;
    const bool *read; /* by leaf: whether filter or output reads it */
    frz_row_ranges ranges;
    size_t range_at; /* the first range that does not end before the row group looked at */
    frz_arena *arena;
    frz_arena indexes; /* offset indexes of one row group */
    frz_plan_depth *out;
} file_view;

static int64_t range_end(const frz_parquet_row_range *range)
{
    return range->start + range->count;
}

/* Whether a row of [start, end) is left, looking from range `at` on. */
static bool rows_left(const file_view *view, size_t at, int64_t start, int64_t end)
{
    while (at < view->ranges.count && range_end(&view->ranges.items[at]) <= start)
        at++;
    return at < view->ranges.count && view->ranges.items[at].start < end;
}

/* Marks the leaves of the file that columns of `type` read. */
static frz_status mark_leaves(file_view *view, const frz_type *type, bool *read, frz_error **err)
{
    frz_file_columns columns = {0};
    FRZ_TRY(frz_file_columns_resolve(view->scan, view->task, &view->file, type, view->arena,
                                     &columns, err));
    for (size_t c = 0; c < columns.count; c++) {
        const frz_stored_column *stored = columns.items[c].stored;
        for (size_t i = 0; stored && i < view->metadata->leaf_count; i++)
            read[i] |= stored->leaf_selected[i];
    }
    return FRZ_OK;
}

static frz_status choose_leaves(file_view *view, frz_error **err)
{
    const frz_type *filter = NULL;
    bool *read = frz_arena_array(view->arena, view->metadata->leaf_count, sizeof *read);
    if (!read)
        return frz_fail_memory(err);
    FRZ_TRY(frz_task_filter_type(view->scan, view->task, view->arena, &filter, err));
    FRZ_TRY(frz_task_key_columns(view->task, filter, view->arena, &filter, err));
    FRZ_TRY(mark_leaves(view, filter, read, err));
    FRZ_TRY(mark_leaves(view, view->scan->projection.type, read, err));
    view->read = read;
    return FRZ_OK;
}

static void count_pages(file_view *view, const frz_parquet_row_group *group,
                        const frz_parquet_column_chunk *chunk, const frz_parquet_page_index *index)
{
    frz_funnel_level *level = &view->out->pages;
    const int64_t start = chunk->dictionary_page_offset >= 0 ? chunk->dictionary_page_offset
                                                             : chunk->data_page_offset;
    size_t at = view->range_at;
    bool any = false;
    for (size_t i = 0; i < index->page_count; i++) {
        const int64_t first = group->first_row + index->locations[i].first_row;
        const int64_t end =
            group->first_row +
            (i + 1 < index->page_count ? index->locations[i + 1].first_row : group->row_count);
        while (at < view->ranges.count && range_end(&view->ranges.items[at]) <= first)
            at++;
        level->considered++;
        if (!rows_left(view, at, first, end)) {
            frz_funnel_drop(level, "page_index", index->locations[i].compressed_size);
            continue;
        }
        level->kept++;
        any = true;
        view->out->bytes += index->locations[i].compressed_size;
    }
    if (any && index->locations[0].offset > start)
        view->out->bytes += index->locations[0].offset - start; /* the dictionary */
}

static frz_status look_into_group(file_view *view, size_t number, frz_error **err)
{
    const frz_parquet_row_group *group = &view->metadata->row_groups[number];
    const bool filtered = view->task->residual->op != FRZ_EXPR_TRUE && !view->scan->no_pruning;
    while (view->range_at < view->ranges.count &&
           range_end(&view->ranges.items[view->range_at]) <= group->first_row)
        view->range_at++;
    if (!rows_left(view, view->range_at, group->first_row, group->first_row + group->row_count))
        return FRZ_OK;
    for (size_t i = 0; i < view->metadata->leaf_count; i++) {
        const frz_parquet_column_chunk *chunk = &group->columns[i];
        bool ignored = false;
        frz_parquet_page_index index = {0};
        const frz_parquet_index_wish wish = {
            .arena = &view->indexes, .bounds = true, .ignored_out = &ignored};
        if (!view->read[i])
            continue;
        if (filtered)
            FRZ_TRY(frz_parquet_page_index_find(view->file.parquet, number, i, &wish, &index, err));
        view->out->ignored_indexes += ignored;
        if (index.page_count)
            count_pages(view, group, chunk, &index);
        else
            view->out->bytes += chunk->compressed_size;
    }
    frz_arena_clear(&view->indexes);
    return FRZ_OK;
}

static frz_status look_into_file(file_view *view, frz_error **err)
{
    view->metadata = frz_parquet_file_metadata(view->file.parquet);
    FRZ_TRY(choose_leaves(view, err));
    const frz_row_query query = {.scan = view->scan,
                                 .task = view->task,
                                 .file = &view->file,
                                 .groups = &view->out->groups,
                                 .leaves_read = view->read};
    FRZ_TRY(frz_row_ranges_select(&query, view->arena, &view->ranges, err));
    for (size_t i = 0; i < view->metadata->row_group_count; i++)
        FRZ_TRY(look_into_group(view, i, err));
    return FRZ_OK;
}

static frz_status look_inside(const frz_scan *scan, const frz_scan_task *task, frz_plan_depth *out,
                              frz_error **err)
{
    frz_status status = FRZ_OK;
    const frz_data_file *entry = &task->entry->file;
    frz_arena arena = {0};
    file_view view = {.scan = scan, .task = task, .arena = &arena, .out = out};

    if (entry->format != FRZ_FORMAT_PARQUET) {
        out->bytes += entry->file_size;
        return FRZ_OK;
    }
    FRZ_TRY_DONE(frz_stored_file_open(scan, entry, &view.file, err));
    FRZ_TRY_DONE(look_into_file(&view, err));

done:
    frz_arena_clear(&view.indexes);
    frz_stored_file_close(&view.file);
    frz_arena_clear(&arena);
    return status;
}

/* What was seen of the plan's delete files, each of which is read once. */
typedef struct seen_deletes {
    frz_map files;  /* manifest entry -> any */
    frz_map scopes; /* of equality deletes -> the first of its files that applies */
    int64_t bytes;
    int64_t equality_count;
} seen_deletes;

static frz_status see_positions(seen_deletes *seen, const frz_scan_task *task, frz_error **err)
{
    for (size_t i = 0; i < task->delete_count; i++) {
        const int64_t key = (int64_t)(intptr_t)task->deletes[i];
        const frz_data_file *file = &task->deletes[i]->file;
        if (frz_map_find_i64(&seen->files, key))
            continue;
        if (!frz_map_put_i64(&seen->files, key, (frz_map_value){.number = 1}))
            return frz_fail_memory(err);
        seen->bytes += file->content_size >= 0 ? file->content_size : file->file_size;
    }
    return FRZ_OK;
}

static void add_equalities(seen_deletes *seen, const frz_equality_span *span, size_t end)
{
    const frz_equality_span whole = {.scope = span->scope};
    size_t count = 0;
    const frz_manifest_entry *const *entries = frz_equality_span_entries(&whole, &count);
    for (size_t i = span->first; i < end && i < count; i++, seen->equality_count++)
        seen->bytes += entries[i]->file.file_size;
}

static frz_status see_equalities(seen_deletes *seen, const frz_scan_task *task, frz_error **err)
{
    for (size_t i = 0; i < FRZ_EQUALITY_SPANS; i++) {
        const frz_equality_span *span = &task->equalities[i];
        const int64_t key = (int64_t)(intptr_t)span->scope;
        const frz_map_value *known = span->scope ? frz_map_find_i64(&seen->scopes, key) : NULL;
        const size_t end = known ? (size_t)known->number : SIZE_MAX;
        if (!span->scope || span->first >= end)
            continue;
        add_equalities(seen, span, end);
        if (!frz_map_put_i64(&seen->scopes, key, (frz_map_value){.number = (int64_t)span->first}))
            return frz_fail_memory(err);
    }
    return FRZ_OK;
}

static frz_status count_deletes(const frz_plan *plan, frz_plan_depth *out, frz_error **err)
{
    seen_deletes seen = {0};
    frz_status status = FRZ_OK;
    for (size_t i = 0; status == FRZ_OK && i < plan->task_count; i++) {
        out->deletes_left_out += (int64_t)plan->tasks[i].deletes_left_out;
        status = see_positions(&seen, &plan->tasks[i], err);
        if (status == FRZ_OK)
            status = see_equalities(&seen, &plan->tasks[i], err);
    }
    out->bytes += seen.bytes;
    out->deletes.considered = (int64_t)plan->delete_count;
    out->deletes.kept = (int64_t)seen.files.count + seen.equality_count;
    if (out->deletes.considered > out->deletes.kept)
        frz_funnel_drop_many(&out->deletes, "no_data_file",
                             out->deletes.considered - out->deletes.kept, 0);
    frz_map_clear(&seen.files);
    frz_map_clear(&seen.scopes);
    return status;
}

frz_status frz_plan_look_inside(const frz_plan *plan, frz_plan_depth *out, frz_error **err)
{
    *out = (frz_plan_depth){
        .groups.level = "row_group", .pages.level = "page", .deletes.level = "delete_file"};
    for (size_t i = 0; i < plan->task_count; i++) {
        const frz_status status = look_inside(plan->scan, &plan->tasks[i], out, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "data file %s", plan->files[i].path);
    }
    return count_deletes(plan, out, err);
}
