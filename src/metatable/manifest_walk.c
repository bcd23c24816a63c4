#include "metatable/manifest_walk.h"

#include "base/fail.h"
#include "expr/prune.h"

void frz_manifest_walk_init(frz_manifest_walk *walk, const frz_manifest_walk_options *options)
{
    *walk = (frz_manifest_walk){.options = *options};
    if (options->all_snapshots)
        walk->snapshots_left = options->scan->metadata->snapshot_count;
    else
        walk->snapshots_left = options->scan->snapshot ? 1 : 0;
}

void frz_manifest_walk_clear(frz_manifest_walk *walk)
{
    frz_map_clear(&walk->seen);
    frz_arena_clear(&walk->seen_arena);
    frz_arena_clear(&walk->list_arena);
}

typedef struct row_source {
    const frz_manifest_walk_options *options;
    const frz_manifest_file *manifest;
} row_source;

static frz_value integer(int64_t value)
{
    return (frz_value){.form = FRZ_VALUE_INTEGER, .integer = value};
}

static bool between(int64_t lower, int64_t upper, frz_column_stats *out)
{
    *out = (frz_column_stats){.value_count = -1,
                              .has_lower = true,
                              .has_upper = true,
                              .lower = integer(lower),
                              .upper = integer(upper)};
    return true;
}

/* Whether the reference is a field of the column `partition`, wherever in the row that stands. */
static bool is_partition_field(const frz_manifest_walk_options *options,
                               const frz_reference *reference)
{
    return reference->step_count >= 2 &&
           reference->steps[reference->step_count - 2].field_id == options->partition_id;
}

/* The summary of a partition field ("Manifest Lists", field_summary). All files of a manifest whose
 * spec lacks the field have null. */
static bool partition_stats(const row_source *source, const frz_reference *reference,
                            frz_column_stats *out)
{
    const frz_manifest_file *manifest = source->manifest;
    const frz_metadata *metadata = source->options->scan->metadata;
    const frz_partition_spec *spec = frz_metadata_find_spec(metadata, manifest->spec_id);
    const frz_type *type = frz_metadata_partition_type(metadata, manifest->spec_id);
    size_t at = 0;
    if (!spec || !type)
        return false;
    if (!frz_partition_column_find(source->options->partition, spec, reference->field_id, &at)) {
        *out = (frz_column_stats){.value_count = 1, .null_count = 1, .nan_count = -1};
        return true;
    }
    if (!manifest->partitions || at >= manifest->partition_count ||
        spec->fields[at].transform.kind == FRZ_TRANSFORM_UNKNOWN ||
        !frz_type_equal(type->fields[at].type, reference->type))
        return false;
    const frz_field_summary *summary = &manifest->partitions[at];
    *out = (frz_column_stats){.value_count = -1,
                              .null_count = summary->contains_null ? -1 : 0,
                              .nan_count = summary->contains_nan == 0 ? 0 : -1};
    out->has_lower = summary->has_lower &&
                     frz_value_decode(reference->type, summary->lower, &out->lower, NULL) == FRZ_OK;
    out->has_upper = summary->has_upper &&
                     frz_value_decode(reference->type, summary->upper, &out->upper, NULL) == FRZ_OK;
    return true;
}

static bool row_stats(void *context, const frz_reference *reference, frz_column_stats *out)
{
    const row_source *source = context;
    const frz_manifest_walk_options *options = source->options;
    if (is_partition_field(options, reference))
        return partition_stats(source, reference, out);
    if (reference->field_id == options->spec_id)
        return between(source->manifest->spec_id, source->manifest->spec_id, out);
    if (reference->field_id == options->content_id)
        return source->manifest->content == 0
                   ? between(FRZ_CONTENT_DATA, FRZ_CONTENT_DATA, out)
                   : between(FRZ_CONTENT_POSITION_DELETES, FRZ_CONTENT_EQUALITY_DELETES, out);
    return false;
}

static bool is_wanted(const frz_manifest_walk_options *options, const frz_manifest_file *manifest)
{
    row_source source = {.options = options, .manifest = manifest};
    if (options->choice == FRZ_MANIFESTS_DATA && manifest->content != 0)
        return false;
    if (options->choice == FRZ_MANIFESTS_DELETES && manifest->content == 0)
        return false;
    return frz_prune_may_match(options->filter, row_stats, &source);
}

/* *new_out false when another snapshot named the manifest before. */
static frz_status remember(frz_manifest_walk *walk, const char *path, bool *new_out,
                           frz_error **err)
{
    frz_slice kept = {0};
    *new_out = !frz_map_find(&walk->seen, frz_slice_of_text(path));
    if (!*new_out)
        return FRZ_OK;
    if (!frz_arena_slice(&walk->seen_arena, frz_slice_of_text(path), &kept) ||
        !frz_map_put(&walk->seen, kept, (frz_map_value){0}))
        return frz_fail_memory(err);
    return FRZ_OK;
}

static frz_status next_list(frz_manifest_walk *walk, frz_error **err)
{
    const frz_scan *scan = walk->options.scan;
    if (walk->snapshots_left == 0)
        return FRZ_END;
    walk->snapshots_left--;
    walk->next = 0;
    walk->list = (frz_manifest_list){0};
    frz_arena_clear(&walk->list_arena);
    const frz_snapshot *snapshot = walk->options.all_snapshots
                                       ? &scan->metadata->snapshots[walk->snapshots_left]
                                       : scan->snapshot;
    return frz_manifest_list_read(scan->io, scan->metadata, snapshot, &scan->limits,
                                  &walk->list_arena, &walk->list, err);
}

frz_status frz_manifest_walk_next(frz_manifest_walk *walk, const frz_manifest_file **out,
                                  frz_error **err)
{
    for (;;) {
        while (walk->next == walk->list.count) {
            const frz_status status = next_list(walk, err);
            if (status != FRZ_OK)
                return status;
        }
        const frz_manifest_file *manifest = &walk->list.files[walk->next++];
        bool fresh = true;
        if (!is_wanted(&walk->options, manifest))
            continue;
        if (walk->options.all_snapshots)
            FRZ_TRY(remember(walk, manifest->path, &fresh, err));
        if (fresh) {
            *out = manifest;
            return FRZ_OK;
        }
    }
}

void frz_entry_walk_init(frz_entry_walk *walk, const frz_manifest_walk_options *options)
{
    *walk = (frz_entry_walk){0};
    frz_manifest_walk_init(&walk->manifests, options);
}

void frz_entry_walk_clear(frz_entry_walk *walk)
{
    frz_manifest_unref(walk->part);
    frz_manifest_reader_close(walk->reader);
    frz_manifest_walk_clear(&walk->manifests);
    walk->part = NULL;
    walk->reader = NULL;
}

static frz_status open_next(frz_entry_walk *walk, frz_error **err)
{
    const frz_scan *scan = walk->manifests.options.scan;
    const frz_manifest_file *source = NULL;
    const frz_status status = frz_manifest_walk_next(&walk->manifests, &source, err);
    if (status != FRZ_OK)
        return status;
    return frz_manifest_reader_open(scan->io, source, scan->metadata, &walk->fields, &scan->limits,
                                    &walk->reader, err);
}

frz_status frz_entry_walk_next(frz_entry_walk *walk, const frz_manifest **out, frz_error **err)
{
    frz_manifest_unref(walk->part);
    walk->part = NULL;
    for (;;) {
        frz_status status = walk->reader ? FRZ_OK : open_next(walk, err);
        if (status != FRZ_OK)
            return status;
        status = frz_manifest_reader_next(walk->reader, &walk->part, err);
        if (status == FRZ_OK)
            *out = walk->part;
        if (status != FRZ_END)
            return status;
        frz_manifest_reader_close(walk->reader);
        walk->reader = NULL;
    }
}
