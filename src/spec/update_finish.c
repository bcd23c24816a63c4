#include "base/fail.h"
#include "base/number.h"
#include "base/uuid.h"
#include "spec/metadata_builder.h"

enum { PREVIOUS_VERSIONS_MAX_DEFAULT = 100 };

/* Parts that every table has, where nobody has given them. */
static frz_status add_missing(frz_metadata_builder *builder, frz_error **err)
{
    frz_metadata *m = &builder->object->metadata;
    int32_t id = 0;
    if (!m->location)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a new table needs a location");
    if (!frz_builder_find_schema(builder, m->current_schema_id))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a new table needs a current schema");
    if (!m->table_uuid) { /* also V1 tables of old writers, at their first commit */
        char text[FRZ_UUID_TEXT_SIZE];
        const frz_uuid uuid = frz_uuid_random();
        frz_uuid_print(&uuid, text);
        FRZ_TRY(frz_update_assign_uuid(builder, text, err));
    }
    if (builder->object->specs.count == 0) {
        const frz_partition_spec unpartitioned = {0};
        FRZ_TRY(frz_update_add_spec(builder, &unpartitioned, &id, err));
        m->default_spec_id = id;
    }
    if (builder->object->sort_orders.count == 0) {
        const frz_sort_order unsorted = {0};
        FRZ_TRY(frz_update_add_sort_order(builder, &unsorted, &id, err));
        m->default_sort_order_id = id;
    }
    return FRZ_OK;
}

/* The default spec and order must fit what is now the current schema. */
static frz_status check_defaults(const frz_metadata_builder *builder, frz_error **err)
{
    const frz_metadata *m = &builder->object->metadata;
    const frz_schema *schema = frz_builder_find_schema(builder, m->current_schema_id);
    const frz_partition_spec *spec = frz_builder_find_spec(builder, m->default_spec_id);
    const frz_sort_order *order = frz_builder_find_sort_order(builder, m->default_sort_order_id);
    if (!spec || !order)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a new table needs a default %s",
                        spec ? "sort order" : "partition spec");
    /* A spec that stands already is kept whatever it says: a table with a transform we do not know
     * takes commits of snapshots, refs and properties. Writing data by it is refused where data is
     * written. */
    frz_error *reason = NULL;
    frz_status status = frz_partition_spec_check(spec, schema, &reason);
    if (status == FRZ_OK)
        status = frz_sort_order_check(order, schema, &reason);
    if (status == FRZ_INVALID || status == FRZ_NO_MEMORY)
        status = frz_fail(err, status, FRZ_NO_OFFSET, "%s", frz_error_message(reason));
    else
        status = FRZ_OK;
    frz_error_free(reason);
    return status;
}

static bool was_added(const frz_metadata_builder *builder, int64_t snapshot_id)
{
    const int64_t *added = builder->added_snapshots.items;
    for (size_t i = 0; i < builder->added_snapshots.count; i++)
        if (added[i] == snapshot_id)
            return true;
    return false;
}

static bool same_entry(const frz_snapshot_log_entry *a, const frz_snapshot_log_entry *b)
{
    return a->snapshot_id == b->snapshot_id && a->timestamp_ms == b->timestamp_ms;
}

/*
 * Spec "Table Metadata Fields", snapshot-log: what stands before a snapshot that has gone goes too,
 * since the log would otherwise tell that its predecessor had been current in its time. Snapshots
 * that were current only inside this change never were.
 */
static void fix_snapshot_log(frz_metadata_builder *builder, int64_t now_ms)
{
    frz_list *log = &builder->object->snapshot_log;
    frz_snapshot_log_entry *entries = log->items;
    const int64_t current = builder->object->metadata.current_snapshot_id;
    frz_printed *printed = &builder->object->printed_log;
    size_t kept = 0;
    for (size_t i = 0; i < log->count; i++) {
        frz_snapshot_log_entry entry = entries[i];
        if (builder->removed_snapshots && !frz_builder_find_snapshot(builder, entry.snapshot_id)) {
            kept = 0;
            continue;
        }
        if (i >= builder->base_snapshot_log_count && entry.snapshot_id != current &&
            was_added(builder, entry.snapshot_id))
            continue;
        if (entry.timestamp_ms == FRZ_TIME_OF_COMMIT)
            entry.timestamp_ms = now_ms;
        if (i >= builder->base_snapshot_log_count && kept > 0 &&
            entry.timestamp_ms < entries[kept - 1].timestamp_ms)
            entry.timestamp_ms = entries[kept - 1].timestamp_ms;
        if (kept < printed->count && !same_entry(&entry, &entries[kept]))
            frz_printed_clear(printed);
        entries[kept++] = entry;
    }
    log->count = kept;
    if (kept < printed->count)
        frz_printed_clear(printed);
}

/* Entries of the log that stood in that of base: all of them, or the newest. */
static size_t known_log_entries(const frz_metadata_builder *builder, const frz_metadata *base)
{
    const frz_snapshot_log_entry *log = builder->object->snapshot_log.items;
    const size_t count = builder->object->snapshot_log.count;
    for (size_t gone = 0; gone < base->snapshot_log_count && count > 0; gone++) {
        const frz_snapshot_log_entry *first = &base->snapshot_log[gone];
        if (same_entry(first, &log[0]))
            return base->snapshot_log_count - gone;
    }
    return 0;
}

static frz_status take_metadata_log(frz_metadata_builder *builder, const frz_metadata *base,
                                    frz_error **err)
{
    frz_list *log = &builder->object->metadata_log;
    frz_arena *arena = &builder->object->arena;
    log->count = 0;
    for (size_t i = 0; i < base->metadata_log_count; i++) {
        frz_metadata_log_entry *entry = frz_list_add(log, arena, sizeof *entry);
        const char *file = frz_arena_text(arena, base->metadata_log[i].metadata_file);
        if (!entry || !file)
            return frz_fail_memory(err);
        *entry = (frz_metadata_log_entry){.timestamp_ms = base->metadata_log[i].timestamp_ms,
                                          .metadata_file = file};
    }
    return FRZ_OK;
}

frz_status frz_metadata_builder_since(frz_metadata_builder *builder, const frz_metadata *base,
                                      frz_error **err)
{
    const frz_snapshot *snapshots = frz_snapshot_list_items(&builder->object->snapshots);
    builder->base_updated_ms = base->last_updated_ms;
    builder->base_snapshot_log_count = known_log_entries(builder, base);
    for (size_t i = 0; i < builder->object->snapshots.count; i++) {
        const int64_t id = snapshots[i].snapshot_id;
        if (frz_metadata_find_snapshot(base, id) || was_added(builder, id))
            continue;
        int64_t *added =
            frz_list_add(&builder->added_snapshots, &builder->object->arena, sizeof id);
        if (!added)
            return frz_fail_memory(err);
        *added = id;
    }
    return take_metadata_log(builder, base, err);
}

static frz_status previous_versions_max(const frz_metadata_builder *builder, size_t *out,
                                        frz_error **err)
{
    const char *key = "write.metadata.previous-versions-max";
    const char *text = frz_builder_property(builder, key);
    int64_t value = PREVIOUS_VERSIONS_MAX_DEFAULT;
    if (text && !frz_number_parse_i64(text, strlen(text), &value))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "property %s is \"%s\", expected a number",
                        key, text);
    *out = value < 1 ? 1 : (size_t)value;
    return FRZ_OK;
}

/* Appends base's file to the metadata log and cuts the log; *dropped gets the names that fell out.
 */
static frz_status log_previous(frz_metadata_builder *builder, const char *base_location,
                               frz_list *dropped, frz_error **err)
{
    frz_list *log = &builder->object->metadata_log;
    frz_arena *arena = &builder->object->arena;
    size_t max = 0;
    if (!builder->from_base || !base_location)
        return FRZ_OK;
    FRZ_TRY(previous_versions_max(builder, &max, err));
    frz_metadata_log_entry *added = frz_list_add(log, arena, sizeof *added);
    const char *file = frz_arena_text(arena, base_location);
    if (!added || !file)
        return frz_fail_memory(err);
    *added =
        (frz_metadata_log_entry){.timestamp_ms = builder->base_updated_ms, .metadata_file = file};
    if (log->count <= max)
        return FRZ_OK;
    frz_metadata_log_entry *entries = log->items;
    const size_t cut = log->count - max;
    for (size_t i = 0; i < cut; i++) {
        const char **slot = frz_list_add(dropped, arena, sizeof *slot);
        if (!slot)
            return frz_fail_memory(err);
        *slot = entries[i].metadata_file;
    }
    memmove(entries, entries + cut, max * sizeof *entries);
    log->count = max;
    return FRZ_OK;
}

frz_status frz_metadata_builder_finish(frz_metadata_builder *builder, const char *base_location,
                                       int64_t now_ms, frz_metadata **out,
                                       const char *const **dropped_out, size_t *dropped_count_out,
                                       frz_error **err)
{
    frz_metadata *m = &builder->object->metadata;
    frz_list dropped = {0};
    FRZ_TRY(add_missing(builder, err));
    FRZ_TRY(check_defaults(builder, err));
    if (now_ms < builder->base_updated_ms)
        now_ms = builder->base_updated_ms;
    fix_snapshot_log(builder, now_ms);
    const frz_snapshot_log_entry *log = builder->object->snapshot_log.items;
    const size_t log_count = builder->object->snapshot_log.count;
    m->last_updated_ms = now_ms;
    if (log_count && log[log_count - 1].timestamp_ms > now_ms)
        m->last_updated_ms = log[log_count - 1].timestamp_ms;
    FRZ_TRY(log_previous(builder, base_location, &dropped, err));
    FRZ_TRY(frz_metadata_object_seal(builder->object, err));
    FRZ_TRY(frz_metadata_object_print(builder->object, err));
    if (dropped_out) {
        *dropped_out = dropped.items;
        *dropped_count_out = dropped.count;
    }
    *out = m;
    builder->object = NULL;
    return FRZ_OK;
}
