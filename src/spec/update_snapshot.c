#include "base/fail.h"
#include "spec/metadata_builder.h"

/* Spec "Sequence Numbers": 0 in V1, else above all before. A stale one means that another commit
 * came between: a retry assigns anew. */
static frz_status check_sequence(const frz_metadata *m, const frz_snapshot *snapshot,
                                 frz_error **err)
{
    if (m->format_version == 1 && snapshot->sequence_number != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "snapshot %lld has the sequence number %lld; format version 1 has none",
                        (long long)snapshot->snapshot_id, (long long)snapshot->sequence_number);
    if (m->format_version > 1 && snapshot->sequence_number <= m->last_sequence_number)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "snapshot %lld has the sequence number %lld; the table's last is %lld",
                        (long long)snapshot->snapshot_id, (long long)snapshot->sequence_number,
                        (long long)m->last_sequence_number);
    return FRZ_OK;
}

/* Spec "Snapshot Row IDs": first-row-id is the table's next-row-id, even where no row is added. */
static frz_status check_row_ids(const frz_metadata *m, const frz_snapshot *snapshot,
                                frz_error **err)
{
    const long long id = snapshot->snapshot_id;
    if (m->format_version < 3) {
        if (snapshot->first_row_id != -1 || snapshot->added_rows != -1)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "snapshot %lld has row ids; format version %d has none", id,
                            m->format_version);
        return FRZ_OK;
    }
    if (snapshot->first_row_id < 0 || snapshot->added_rows < 0)
        return frz_fail(
            err, FRZ_INVALID, FRZ_NO_OFFSET,
            "snapshot %lld lacks first-row-id or added-rows; format version 3 requires both", id);
    if (snapshot->first_row_id < m->next_row_id)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "snapshot %lld starts at row id %lld; the table's next-row-id is %lld", id,
                        (long long)snapshot->first_row_id, (long long)m->next_row_id);
    if (snapshot->first_row_id > m->next_row_id ||
        snapshot->added_rows > INT64_MAX - m->next_row_id)
        return frz_fail(
            err, FRZ_INVALID, FRZ_NO_OFFSET,
            "snapshot %lld has the row ids %lld + %lld; the table's next-row-id is %lld", id,
            (long long)snapshot->first_row_id, (long long)snapshot->added_rows,
            (long long)m->next_row_id);
    return FRZ_OK;
}

static frz_status check_new_snapshot(const frz_metadata_builder *builder,
                                     const frz_snapshot *snapshot, frz_error **err)
{
    const frz_metadata *m = &builder->object->metadata;
    if (snapshot->snapshot_id <= 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "snapshot id %lld, expected a positive number",
                        (long long)snapshot->snapshot_id);
    if (frz_builder_find_snapshot(builder, snapshot->snapshot_id))
        return frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET,
                        "snapshot %lld is in the table already", (long long)snapshot->snapshot_id);
    if (m->format_version > 1 && (!snapshot->manifest_list || !snapshot->operation))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "snapshot %lld lacks %s; format version %d requires it",
                        (long long)snapshot->snapshot_id,
                        snapshot->manifest_list ? "summary.operation" : "manifest-list",
                        m->format_version);
    FRZ_TRY(check_sequence(m, snapshot, err));
    return check_row_ids(m, snapshot, err);
}

frz_status frz_update_add_snapshot(frz_metadata_builder *builder, const frz_snapshot *snapshot,
                                   frz_error **err)
{
    frz_metadata *m = &builder->object->metadata;
    FRZ_TRY(check_new_snapshot(builder, snapshot, err));
    int64_t *id = frz_list_add(&builder->added_snapshots, &builder->object->arena, sizeof *id);
    if (!id)
        return frz_fail_memory(err);
    *id = snapshot->snapshot_id;
    FRZ_TRY(frz_snapshot_list_add(&builder->object->snapshots, snapshot, err));
    m->last_sequence_number = snapshot->sequence_number;
    if (m->format_version >= 3)
        m->next_row_id += snapshot->added_rows;
    return FRZ_OK;
}

static frz_snapshot_ref *find_ref(const frz_metadata_builder *builder, const char *name)
{
    frz_snapshot_ref *refs = builder->object->refs.items;
    for (size_t i = 0; i < builder->object->refs.count; i++)
        if (strcmp(refs[i].name, name) == 0)
            return &refs[i];
    return NULL;
}

static frz_status check_ref(const frz_metadata_builder *builder, const frz_snapshot_ref *ref,
                            frz_error **err)
{
    const bool is_main = strcmp(ref->name, "main") == 0;
    if (!ref->name[0])
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a reference needs a name");
    if (!frz_builder_find_snapshot(builder, ref->snapshot_id))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "reference %s: the table has no snapshot %lld", ref->name,
                        (long long)ref->snapshot_id);
    if (is_main && ref->is_tag)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "main is a branch and cannot be a tag");
    if (ref->is_tag && (ref->min_snapshots_to_keep != -1 || ref->max_snapshot_age_ms != -1))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "tag %s: min-snapshots-to-keep and max-snapshot-age-ms are for branches",
                        ref->name);
    if (ref->min_snapshots_to_keep == 0 || ref->min_snapshots_to_keep < -1 ||
        ref->max_snapshot_age_ms == 0 || ref->max_snapshot_age_ms < -1 ||
        ref->max_ref_age_ms == 0 || ref->max_ref_age_ms < -1)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "reference %s: what it retains must be a positive number", ref->name);
    return FRZ_OK;
}

/* A snapshot that came with this change became current at its own time; going back to an older one
 * happens at the time of the commit. */
static frz_status log_current(frz_metadata_builder *builder, int64_t snapshot_id, frz_error **err)
{
    const int64_t *added = builder->added_snapshots.items;
    int64_t timestamp_ms = FRZ_TIME_OF_COMMIT;
    for (size_t i = 0; i < builder->added_snapshots.count; i++)
        if (added[i] == snapshot_id)
            timestamp_ms = frz_builder_find_snapshot(builder, snapshot_id)->timestamp_ms;
    frz_snapshot_log_entry *entry =
        frz_list_add(&builder->object->snapshot_log, &builder->object->arena, sizeof *entry);
    if (!entry)
        return frz_fail_memory(err);
    *entry = (frz_snapshot_log_entry){.timestamp_ms = timestamp_ms, .snapshot_id = snapshot_id};
    return FRZ_OK;
}

frz_status frz_update_set_ref(frz_metadata_builder *builder, const frz_snapshot_ref *ref,
                              frz_error **err)
{
    FRZ_TRY(check_ref(builder, ref, err));
    frz_snapshot_ref *known = find_ref(builder, ref->name);
    if (known && known->is_tag != ref->is_tag)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s is a %s and cannot become a %s",
                        ref->name, known->is_tag ? "tag" : "branch",
                        ref->is_tag ? "tag" : "branch");
    const bool moves = !known || known->snapshot_id != ref->snapshot_id;
    if (known) {
        const char *const name = known->name;
        *known = *ref;
        known->name = name;
    } else {
        FRZ_TRY(frz_metadata_object_add_ref(builder->object, ref, err));
    }
    if (strcmp(ref->name, "main") != 0 || !moves)
        return FRZ_OK;
    builder->object->metadata.current_snapshot_id = ref->snapshot_id;
    return log_current(builder, ref->snapshot_id, err);
}

frz_status frz_update_remove_ref(frz_metadata_builder *builder, const char *name, frz_error **err)
{
    (void)err;
    frz_snapshot_ref *ref = find_ref(builder, name);
    if (strcmp(name, "main") == 0)
        builder->object->metadata.current_snapshot_id = FRZ_NO_SNAPSHOT;
    if (ref)
        frz_list_remove(&builder->object->refs,
                        (size_t)(ref - (frz_snapshot_ref *)builder->object->refs.items),
                        sizeof *ref);
    return FRZ_OK;
}

static bool is_among(const int64_t *ids, size_t count, int64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* The snapshot-id of a statistics object. */
static frz_status read_snapshot_id(frz_json_reader json, int64_t *out, frz_error **err)
{
    FRZ_TRY(frz_json_enter_object(&json, err));
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_key(&json, &key, &more, err));
        if (!more)
            return FRZ_OK;
        if (frz_slice_is_text(key, "snapshot-id"))
            return frz_json_read_i64(&json, out, err);
        FRZ_TRY(frz_json_skip(&json, err));
    }
}

static frz_status copy_other_statistics(frz_json_reader *json, const int64_t *ids, size_t count,
                                        frz_json_writer *out, frz_error **err)
{
    FRZ_TRY(frz_json_enter_array(json, err));
    for (;;) {
        bool more = false;
        int64_t id = FRZ_NO_SNAPSHOT;
        frz_slice item = {0};
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(read_snapshot_id(*json, &id, err));
        FRZ_TRY(frz_json_read_raw(json, &item, err));
        if (!is_among(ids, count, id))
            frz_json_raw(out, item);
    }
}

/* Takes the entries of removed snapshots out of `statistics` or `partition-statistics`. */
static frz_status remove_statistics(frz_metadata_builder *builder, frz_slice *array,
                                    const int64_t *ids, size_t count, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer text = {0};
    if (array->size == 0)
        return FRZ_OK;
    frz_json_writer out = frz_json_writer_to(&text, 0);
    frz_json_reader json = frz_json_reader_over(*array, &builder->object->arena);
    frz_json_open_array(&out);
    FRZ_TRY_DONE(copy_other_statistics(&json, ids, count, &out, err));
    frz_json_close_array(&out);
    FRZ_TRY_DONE(frz_buffer_check(&text, err));
    if (!frz_arena_slice(&builder->object->arena, frz_buffer_slice(&text), array))
        status = frz_fail_memory(err);
done:
    frz_buffer_clear(&text);
    return status;
}

typedef struct id_set {
    const int64_t *ids;
    size_t count;
} id_set;

static bool is_in_set(const void *set, int64_t id)
{
    return is_among(((const id_set *)set)->ids, ((const id_set *)set)->count, id);
}

frz_status frz_update_remove_snapshots(frz_metadata_builder *builder, const int64_t *snapshot_ids,
                                       size_t count, frz_error **err)
{
    frz_metadata_object *object = builder->object;
    frz_snapshot_ref *refs = object->refs.items;
    const id_set gone = {snapshot_ids, count};
    size_t kept = 0;
    FRZ_TRY(frz_snapshot_list_remove(&object->snapshots, is_in_set, &gone,
                                     &builder->removed_snapshots, err));
    for (size_t i = 0; i < object->refs.count; i++)
        if (!is_among(snapshot_ids, count, refs[i].snapshot_id))
            refs[kept++] = refs[i];
    object->refs.count = kept;
    if (is_among(snapshot_ids, count, object->metadata.current_snapshot_id))
        object->metadata.current_snapshot_id = FRZ_NO_SNAPSHOT;
    FRZ_TRY(remove_statistics(builder, &object->metadata.statistics, snapshot_ids, count, err));
    return remove_statistics(builder, &object->metadata.partition_statistics, snapshot_ids, count,
                             err);
}
