#include "scan/plan.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/pool.h"
#include "expr/evaluate.h"
#include "expr/prune.h"
#include "scan/delete_index.h"
#include "scan/file_stats.h"
#include "scan/increment.h"
#include "scan/plan_object.h"

/* The filter as one partition spec sees it. */
typedef struct spec_filter {
    const frz_partition_spec *spec;
    const frz_type *type;      /* its partition tuple */
    const frz_expr *inclusive; /* over the tuple */
    const frz_expr *strict;
} spec_filter;

typedef struct planning {
    const frz_scan *scan;
    frz_plan *plan;
    spec_filter *filters; /* one per spec of the table */
    size_t filter_count;
    frz_manifest_fields fields; /* what to decode of data manifests */
} planning;

void frz_funnel_drop(frz_funnel_level *level, const char *reason, int64_t bytes)
{
    frz_funnel_drop_many(level, reason, 1, bytes);
}

void frz_funnel_drop_many(frz_funnel_level *level, const char *reason, int64_t count, int64_t bytes)
{
    for (size_t i = 0; i < FRZ_FUNNEL_REASONS_MAX; i++) {
        if (level->dropped[i].reason && level->dropped[i].reason != reason)
            continue;
        level->dropped[i].reason = reason;
        level->dropped[i].count += count;
        level->dropped[i].bytes += bytes;
        return;
    }
}

static const spec_filter *filter_of(const planning *planner, int32_t spec_id)
{
    for (size_t i = 0; i < planner->filter_count; i++)
        if (planner->filters[i].spec->spec_id == spec_id)
            return &planner->filters[i];
    return NULL;
}

/* Projects the filter onto every spec of the table: each manifest is pruned with the spec that
 * wrote it. */
static frz_status project_filters(planning *planner, frz_error **err)
{
    const frz_metadata *metadata = planner->scan->metadata;
    frz_arena *arena = &planner->plan->arena;
    planner->filters = frz_arena_array(arena, metadata->spec_count, sizeof *planner->filters);
    if (!planner->filters)
        return frz_fail_memory(err);
    planner->filter_count = metadata->spec_count;
    for (size_t i = 0; i < metadata->spec_count; i++) {
        spec_filter *filter = &planner->filters[i];
        filter->spec = &metadata->specs[i];
        filter->type = frz_metadata_partition_type(metadata, filter->spec->spec_id);
        FRZ_TRY(frz_expr_project_inclusive(planner->scan->filter, filter->spec, filter->type, arena,
                                           &filter->inclusive, err));
        FRZ_TRY(frz_expr_project_strict(planner->scan->filter, filter->spec, filter->type, arena,
                                        &filter->strict, err));
    }
    return FRZ_OK;
}

/* The statistics of a partition field over all files of a manifest ("Manifest Lists",
 * field_summary). */
typedef struct summary_source {
    const frz_manifest_file *manifest;
    const spec_filter *filter;
} summary_source;

static bool summary_stats(void *context, const frz_reference *reference, frz_column_stats *out)
{
    const summary_source *source = context;
    const frz_partition_spec *spec = source->filter->spec;
    for (size_t i = 0; i < spec->field_count && i < source->manifest->partition_count; i++) {
        if (spec->fields[i].field_id != reference->field_id)
            continue;
        const frz_field_summary *summary = &source->manifest->partitions[i];
        *out = (frz_column_stats){.value_count = -1,
                                  .null_count = summary->contains_null ? -1 : 0,
                                  .nan_count = summary->contains_nan == 0 ? 0 : -1};
        out->has_lower = summary->has_lower && frz_value_decode(reference->type, summary->lower,
                                                                &out->lower, NULL) == FRZ_OK;
        out->has_upper = summary->has_upper && frz_value_decode(reference->type, summary->upper,
                                                                &out->upper, NULL) == FRZ_OK;
        return true;
    }
    return false;
}

static bool known_empty(const frz_manifest_file *manifest)
{
    return manifest->added_files == 0 && manifest->existing_files == 0;
}

/* Whether the manifest must be read; counts data manifests in the funnel. */
static bool keep_manifest(planning *planner, const frz_manifest_file *manifest)
{
    frz_funnel_level *level = &planner->plan->funnel[FRZ_FUNNEL_MANIFEST_LIST];
    const bool data = manifest->content == 0;
    const spec_filter *filter = filter_of(planner, manifest->spec_id);
    summary_source source = {.manifest = manifest, .filter = filter};
    const char *reason = NULL;
    if (known_empty(manifest))
        reason = "no_live_files";
    else if (!planner->scan->no_pruning && filter && manifest->partitions &&
             !frz_prune_may_match(filter->inclusive, summary_stats, &source))
        reason = "partition_summary";
    if (data) {
        level->considered++;
        level->kept += reason == NULL;
        if (reason)
            frz_funnel_drop(level, reason, manifest->length);
    }
    return reason == NULL;
}

/* The parts of one content, as the jobs of the pool see them. */
typedef struct part_jobs {
    planning *planner;
    frz_plan_part *parts;
    size_t count;
} part_jobs;

static void *ref_manifest(void *value)
{
    return frz_manifest_ref(value);
}

static void unref_manifest(void *value)
{
    frz_manifest_unref(value);
}

static const frz_cache_ops manifest_cache_ops = {.ref = ref_manifest, .unref = unref_manifest};

/* The key of a decoded manifest: its path and which metrics were decoded. */
static void cache_key(const planning *planner, const frz_manifest_file *source, frz_buffer *out)
{
    frz_buffer_append_byte(out, 'm');
    frz_buffer_append_text(out, source->path);
    frz_buffer_append_byte(out, 0);
    frz_buffer_append_u64le(out, (uint64_t)source->sequence_number);
    frz_buffer_append_u64le(out, (uint64_t)source->first_row_id);
    if (source->content == 0)
        frz_buffer_append(out, planner->fields.metric_ids,
                          planner->fields.metric_id_count * sizeof(int32_t));
}

static frz_status read_manifest(const planning *planner, const frz_manifest_file *source,
                                frz_manifest **out, frz_error **err)
{
    static const int32_t delete_metrics[] = {FRZ_FIELD_ID_DELETE_FILE_PATH};
    static const frz_manifest_fields delete_fields = {.metric_ids = delete_metrics,
                                                      .metric_id_count = 1};
    frz_status status = FRZ_OK;
    frz_buffer key = {0};
    const frz_scan *scan = planner->scan;

    cache_key(planner, source, &key);
    FRZ_TRY_DONE(frz_buffer_check(&key, err));
    *out = frz_cache_find(scan->cache, frz_buffer_slice(&key));
    if (*out)
        goto done;
    FRZ_TRY_DONE(frz_manifest_read(scan->io, source, scan->metadata,
                                   source->content == 0 ? &planner->fields : &delete_fields,
                                   &scan->limits, out, err));
    frz_cache_put(scan->cache, frz_buffer_slice(&key), *out, frz_manifest_memory(*out),
                  &manifest_cache_ops);

done:
    frz_buffer_clear(&key);
    return status;
}

static frz_status read_job(void *context, size_t index, frz_error **err)
{
    const part_jobs *all = context;
    frz_plan_part *part = &all->parts[index];
    return read_manifest(all->planner, part->source, &part->manifest, err);
}

/* Counts and decides one live entry; true when its file must be read. */
static bool keep_entry(const planning *planner, frz_plan_part *part, const spec_filter *filter,
                       const frz_manifest_entry *entry, bool *all_match_out)
{
    const frz_expr *row_filter = planner->scan->filter;
    *all_match_out = row_filter->op == FRZ_EXPR_TRUE;
    part->entries.considered++;
    if (filter && !planner->scan->no_pruning && filter->inclusive->op != FRZ_EXPR_TRUE &&
        frz_expr_test_tuple(filter->inclusive, filter->type, entry->file.partition) !=
            FRZ_TRUTH_TRUE) {
        frz_funnel_drop(&part->entries, "partition", entry->file.file_size);
        return false;
    }
    part->entries.kept++;

    part->files.considered++;
    frz_file_stats stats = {.scan = planner->scan, .entry = entry};
    if (entry->file.record_count == 0) {
        frz_funnel_drop(&part->files, "no_rows", entry->file.file_size);
        return false;
    }
    if (!*all_match_out && !planner->scan->no_pruning) {
        if (!frz_prune_may_match(row_filter, frz_file_stats_source, &stats)) {
            frz_funnel_drop(&part->files, "column_bounds", entry->file.file_size);
            return false;
        }
        *all_match_out = (filter && frz_expr_test_tuple(filter->strict, filter->type,
                                                        entry->file.partition) == FRZ_TRUTH_TRUE) ||
                         frz_prune_must_match(row_filter, frz_file_stats_source, &stats);
    }
    part->files.kept++;
    return true;
}

static frz_status add_task(const planning *planner, frz_plan_part *part, const spec_filter *filter,
                           const frz_manifest_entry *entry, bool all_match, frz_error **err)
{
    frz_scan_task *task = &part->tasks[part->task_count];
    *task = (frz_scan_task){.entry = entry,
                            .manifest = part->source,
                            .residual = &frz_expr_true,
                            .all_match = all_match};
    frz_applied_deletes deletes;
    FRZ_TRY(frz_delete_index_find(planner->plan->deletes, entry, &part->arena, &deletes, err));
    task->deletes = deletes.positions;
    task->delete_count = deletes.position_count;
    task->deletes_left_out = deletes.left_out;
    memcpy(task->equalities, deletes.equalities, sizeof task->equalities);
    if (!all_match) {
        const frz_scan_task *before = part->task_count ? task - 1 : NULL;
        if (before && !before->all_match && frz_same_partition(&before->entry->file, &entry->file))
            task->residual = before->residual;
        else if (filter && !planner->scan->no_pruning)
            FRZ_TRY(frz_expr_residual(planner->scan->filter,
                                      &(const frz_partition_tuple){.spec = filter->spec,
                                                                   .type = filter->type,
                                                                   .values = entry->file.partition},
                                      &part->arena, &task->residual, err));
        else
            task->residual = planner->scan->filter;
    }
    part->task_count++;
    return FRZ_OK;
}

static frz_status plan_job(void *context, size_t index, frz_error **err)
{
    const part_jobs *all = context;
    const planning *planner = all->planner;
    frz_plan_part *part = &all->parts[index];

    FRZ_TRY(read_job(context, index, err));
    const size_t count = frz_manifest_count(part->manifest);
    part->tasks = frz_alloc_array(count, sizeof *part->tasks);
    if (!part->tasks)
        return frz_fail_memory(err);
    const spec_filter *filter = filter_of(planner, part->source->spec_id);
    for (size_t i = 0; i < count; i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(part->manifest, i);
        const spec_filter *tuple_filter = entry->file.partition_unknown ? NULL : filter;
        bool all_match = false;
        if (entry->status != FRZ_ENTRY_DELETED &&
            (!planner->scan->increment || frz_increment_has(part->source, entry)) &&
            keep_entry(planner, part, tuple_filter, entry, &all_match))
            FRZ_TRY(add_task(planner, part, tuple_filter, entry, all_match, err));
    }
    return FRZ_OK;
}

static void join_level(frz_funnel_level *into, const frz_funnel_level *from)
{
    into->considered += from->considered;
    into->kept += from->kept;
    for (size_t i = 0; i < FRZ_FUNNEL_REASONS_MAX && from->dropped[i].reason; i++)
        frz_funnel_drop_many(into, from->dropped[i].reason, from->dropped[i].count,
                             from->dropped[i].bytes);
}

/* Joins the tasks of the parts, in the order of the manifest list. */
static frz_status join_parts(frz_plan *plan, const part_jobs *parts, frz_error **err)
{
    size_t total = 0;
    for (size_t i = 0; i < parts->count; i++)
        total += parts->parts[i].task_count;
    plan->tasks = frz_alloc_array(total, sizeof *plan->tasks);
    if (!plan->tasks)
        return frz_fail_memory(err);
    for (size_t i = 0; i < parts->count; i++) {
        frz_plan_part *part = &parts->parts[i];
        if (part->task_count)
            memcpy(plan->tasks + plan->task_count, part->tasks,
                   part->task_count * sizeof *plan->tasks);
        plan->task_count += part->task_count;
        frz_free(part->tasks);
        part->tasks = NULL;
        join_level(&plan->funnel[FRZ_FUNNEL_MANIFEST], &part->entries);
        join_level(&plan->funnel[FRZ_FUNNEL_FILE], &part->files);
    }
    return FRZ_OK;
}

static frz_status index_deletes(planning *planner, const part_jobs *parts, frz_error **err)
{
    frz_plan *plan = planner->plan;
    FRZ_TRY(frz_equality_deletes_new(plan->scan, &plan->equalities, err));
    FRZ_TRY(frz_delete_index_new(plan->scan->io, plan->equalities, &plan->deletes, err));
    for (size_t i = 0; i < parts->count; i++) {
        const frz_plan_part *part = &parts->parts[i];
        const frz_partition_spec *spec =
            frz_metadata_find_spec(planner->scan->metadata, part->source->spec_id);
        const bool unpartitioned = spec && frz_partition_spec_is_unpartitioned(spec);
        for (size_t k = 0; k < frz_manifest_count(part->manifest); k++) {
            const frz_manifest_entry *entry = frz_manifest_entry_at(part->manifest, k);
            if (entry->status != FRZ_ENTRY_DELETED)
                FRZ_TRY(frz_delete_index_add(plan->deletes, entry, unpartitioned, err));
        }
    }
    plan->delete_count = frz_delete_index_count(plan->deletes);
    return frz_delete_index_seal(plan->deletes, err);
}

/* Chooses the manifests of one content, in list order, and runs `job` on each of them. */
static frz_status run_parts(planning *planner, int32_t content, frz_pool *pool, frz_pool_job job,
                            part_jobs *out, frz_error **err)
{
    frz_plan *plan = planner->plan;
    frz_plan_part *parts = plan->parts + plan->part_count;
    for (size_t i = 0; i < plan->manifests.count; i++)
        if (plan->manifests.files[i].content == content &&
            keep_manifest(planner, &plan->manifests.files[i]))
            plan->parts[plan->part_count++].source = &plan->manifests.files[i];
    *out = (part_jobs){.planner = planner,
                       .parts = parts,
                       .count = (size_t)(plan->parts + plan->part_count - parts)};
    return frz_pool_run(pool, out->count, job, out, err);
}

static size_t leaf_count(const frz_expr *expr)
{
    if (!expr)
        return 0;
    return (expr->reference ? 1 : 0) + leaf_count(expr->left) + leaf_count(expr->right);
}

/* Adds the field ids of all leaves, each once. */
static void collect_leaf_ids(const frz_expr *expr, int32_t *ids, size_t *count)
{
    if (!expr)
        return;
    collect_leaf_ids(expr->left, ids, count);
    collect_leaf_ids(expr->right, ids, count);
    if (!expr->reference)
        return;
    for (size_t i = 0; i < *count; i++)
        if (ids[i] == expr->reference->field_id)
            return;
    ids[(*count)++] = expr->reference->field_id;
}

static int by_id(const void *a, const void *b)
{
    const int32_t left = *(const int32_t *)a;
    const int32_t right = *(const int32_t *)b;
    return left < right ? -1 : left > right;
}

/* Metrics are decoded only for the columns that the filter reads. */
static frz_status choose_metrics(planning *planner, frz_error **err)
{
    const frz_expr *filter = planner->scan->filter;
    int32_t *ids = frz_arena_array(&planner->plan->arena, leaf_count(filter), sizeof *ids);
    if (!ids)
        return frz_fail_memory(err);
    size_t count = 0;
    collect_leaf_ids(filter, ids, &count);
    qsort(ids, count, sizeof *ids, by_id);
    planner->fields.metric_ids = ids;
    planner->fields.metric_id_count = count;
    planner->fields.details = true;
    return FRZ_OK;
}

static frz_status plan_snapshot(planning *planner, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_plan *plan = planner->plan;
    const frz_scan *scan = planner->scan;
    frz_pool *pool = NULL;
    part_jobs deletes = {0};
    part_jobs data = {0};

    FRZ_TRY_DONE(scan->increment
                     ? frz_increment_manifests(scan, &plan->arena, &plan->manifests, err)
                     : frz_manifest_list_read(scan->io, scan->metadata, scan->snapshot,
                                              &scan->limits, &plan->arena, &plan->manifests, err));
    plan->parts = frz_alloc_array(plan->manifests.count, sizeof *plan->parts);
    if (!plan->parts) {
        status = frz_fail_memory(err);
        goto done;
    }
    FRZ_TRY_DONE(project_filters(planner, err));
    FRZ_TRY_DONE(choose_metrics(planner, err));
    FRZ_TRY_DONE(frz_pool_new(scan->threads > 0 ? (size_t)scan->threads : 1, &pool, err));
    FRZ_TRY_DONE(run_parts(planner, 1, pool, read_job, &deletes, err));
    FRZ_TRY_DONE(index_deletes(planner, &deletes, err));
    FRZ_TRY_DONE(run_parts(planner, 0, pool, plan_job, &data, err));
    FRZ_TRY_DONE(join_parts(plan, &data, err));

done:
    frz_pool_free(pool);
    return status;
}

frz_status frz_scan_plan(frz_scan *scan, frz_plan **out, frz_error **err)
{
    frz_plan *plan = frz_alloc_zero(sizeof *plan);
    if (!plan)
        return frz_fail_memory(err);
    plan->references = 1;
    plan->scan = frz_scan_ref(scan);
    static const char *const levels[FRZ_FUNNEL_COUNT] = {"manifest_list", "manifest", "file"};
    for (size_t i = 0; i < FRZ_FUNNEL_COUNT; i++)
        plan->funnel[i].level = levels[i];

    planning planner = {.scan = scan, .plan = plan};
    frz_status status = scan->snapshot ? plan_snapshot(&planner, err) : FRZ_OK;
    if (status == FRZ_OK)
        status = frz_plan_describe_files(plan, err);
    if (status != FRZ_OK) {
        frz_plan_free(plan);
        return status;
    }
    *out = plan;
    return FRZ_OK;
}
