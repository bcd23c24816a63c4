#include "spec/metadata_object.h"

#include "base/fail.h"
#include "base/mem.h"
#include "spec/history.h"

frz_status frz_metadata_object_new(size_t budget, frz_metadata_object **out, frz_error **err)
{
    frz_metadata_object *object = frz_alloc_zero(sizeof *object);
    if (!object)
        return frz_fail_memory(err);
    object->self = object;
    atomic_init(&object->references, 1);
    object->arena.budget = budget;
    object->metadata = (frz_metadata){.current_schema_id = -1,
                                      .default_spec_id = -1,
                                      .last_partition_id = -1,
                                      .default_sort_order_id = -1,
                                      .current_snapshot_id = FRZ_NO_SNAPSHOT,
                                      .next_row_id = -1};
    *out = object;
    return FRZ_OK;
}

void frz_metadata_object_free(frz_metadata_object *object)
{
    if (!object)
        return;
    frz_schema **schemas = object->schemas.items;
    for (size_t i = 0; i < object->schemas.count; i++)
        frz_schema_unref(schemas[i]);
    frz_snapshot_list_clear(&object->snapshots);
    frz_printed_clear(&object->printed_log);
    frz_map_clear(&object->schemas_by_id);
    frz_map_clear(&object->specs_by_id);
    frz_map_clear(&object->sort_orders_by_id);
    frz_arena_clear(&object->arena);
    frz_free(object);
}

void frz_metadata_object_publish(frz_metadata_object *object)
{
    frz_metadata *m = &object->metadata;
    m->schemas = object->schemas.items;
    m->schema_count = object->schemas.count;
    m->specs = object->specs.items;
    m->spec_count = object->specs.count;
    m->sort_orders = object->sort_orders.items;
    m->sort_order_count = object->sort_orders.count;
    m->properties = object->properties.items;
    m->property_count = object->properties.count;
    m->snapshots = frz_snapshot_list_items(&object->snapshots);
    m->snapshot_count = object->snapshots.count;
    m->snapshot_log = object->snapshot_log.items;
    m->snapshot_log_count = object->snapshot_log.count;
    m->metadata_log = object->metadata_log.items;
    m->metadata_log_count = object->metadata_log.count;
    m->refs = object->refs.items;
    m->ref_count = object->refs.count;
}

/* Puts id -> index; FRZ_CORRUPT when the id is there already. */
static frz_status index_id(frz_map *map, const char *what, int64_t id, size_t index,
                           frz_error **err)
{
    if (frz_map_find_i64(map, id))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "two %s have the id %lld", what,
                        (long long)id);
    if (!frz_map_put_i64(map, id, (frz_map_value){.number = (int64_t)index}))
        return frz_fail_memory(err);
    return FRZ_OK;
}

/* Reserved ids of metadata columns do not count. */
static int32_t highest_column_id(const frz_schema *schema)
{
    int32_t highest = frz_schema_highest_id(schema);
    if (highest <= FRZ_FIELD_ID_MAX)
        return highest;
    highest = 0;
    for (size_t i = 0; i < frz_schema_field_count(schema); i++) {
        const int32_t id = frz_schema_field_at(schema, i)->id;
        if (id <= FRZ_FIELD_ID_MAX && id > highest)
            highest = id;
    }
    return highest;
}

static frz_status index_schemas(frz_metadata_object *object, frz_error **err)
{
    frz_metadata *m = &object->metadata;
    for (size_t i = 0; i < m->schema_count; i++) {
        FRZ_TRY(index_id(&object->schemas_by_id, "schemas", frz_schema_id(m->schemas[i]), i, err));
        const int32_t highest = highest_column_id(m->schemas[i]);
        if (m->last_column_id < highest)
            m->last_column_id = highest;
    }
    if (!frz_map_find_i64(&object->schemas_by_id, m->current_schema_id))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "current-schema-id is %d, which is none of the %zu schemas",
                        m->current_schema_id, m->schema_count);
    return FRZ_OK;
}

static frz_status index_specs(frz_metadata_object *object, frz_error **err)
{
    frz_metadata *m = &object->metadata;
    for (size_t i = 0; i < m->spec_count; i++) {
        const frz_partition_spec *spec = &m->specs[i];
        FRZ_TRY(index_id(&object->specs_by_id, "partition specs", spec->spec_id, i, err));
        for (size_t k = 0; k < spec->field_count; k++)
            if (m->last_partition_id < spec->fields[k].field_id)
                m->last_partition_id = spec->fields[k].field_id;
    }
    if (!frz_map_find_i64(&object->specs_by_id, m->default_spec_id))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "default-spec-id is %d, which is none of the %zu partition specs",
                        m->default_spec_id, m->spec_count);
    return FRZ_OK;
}

static frz_status index_sort_orders(frz_metadata_object *object, frz_error **err)
{
    const frz_metadata *m = &object->metadata;
    for (size_t i = 0; i < m->sort_order_count; i++)
        FRZ_TRY(index_id(&object->sort_orders_by_id, "sort orders", m->sort_orders[i].order_id, i,
                         err));
    if (!frz_map_find_i64(&object->sort_orders_by_id, m->default_sort_order_id))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "default-sort-order-id is %d, which is none of the %zu sort orders",
                        m->default_sort_order_id, m->sort_order_count);
    return FRZ_OK;
}

static frz_status index_snapshots(frz_metadata_object *object, frz_error **err)
{
    const frz_metadata *m = &object->metadata;
    const size_t checked = object->snapshots.checked; /* against a number that never falls */
    FRZ_TRY(frz_snapshot_list_seal(&object->snapshots, err));
    for (size_t i = checked; i < m->snapshot_count; i++) {
        const frz_snapshot *snapshot = &m->snapshots[i];
        if (m->format_version > 1 && snapshot->sequence_number > m->last_sequence_number)
            return frz_fail(
                err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                "snapshot %lld has sequence-number %lld, above last-sequence-number %lld",
                (long long)snapshot->snapshot_id, (long long)snapshot->sequence_number,
                (long long)m->last_sequence_number);
    }
    if (m->current_snapshot_id != FRZ_NO_SNAPSHOT &&
        !frz_snapshot_list_find(&object->snapshots, m->current_snapshot_id))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "current-snapshot-id is %lld, which is none of the %zu snapshots",
                        (long long)m->current_snapshot_id, m->snapshot_count);
    return FRZ_OK;
}

static frz_status check_ref(frz_metadata_object *object, const frz_snapshot_ref *ref,
                            frz_error **err)
{
    frz_metadata *m = &object->metadata;
    if (!frz_snapshot_list_find(&object->snapshots, ref->snapshot_id))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "reference %s points to snapshot %lld, which is none of the %zu snapshots",
                        ref->name, (long long)ref->snapshot_id, m->snapshot_count);
    if (strcmp(ref->name, "main") != 0)
        return FRZ_OK;
    if (ref->is_tag)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "reference main is a tag");
    /* The branch is what a commit moves: where only it stands, it tells the current snapshot. */
    if (m->current_snapshot_id == FRZ_NO_SNAPSHOT)
        m->current_snapshot_id = ref->snapshot_id;
    if (m->current_snapshot_id != ref->snapshot_id)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "current-snapshot-id is %lld, but main points to %lld",
                        (long long)m->current_snapshot_id, (long long)ref->snapshot_id);
    return FRZ_OK;
}

static frz_status check_refs(frz_metadata_object *object, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_map names = {0};
    const frz_snapshot_ref *refs = object->refs.items;
    for (size_t i = 0; i < object->refs.count; i++) {
        const frz_slice name = frz_slice_of_text(refs[i].name);
        if (frz_map_find(&names, name)) {
            status = frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "two references are named %s",
                              refs[i].name);
            goto done;
        }
        if (!frz_map_put(&names, name, (frz_map_value){.number = 1})) {
            status = frz_fail_memory(err);
            goto done;
        }
        FRZ_TRY_DONE(check_ref(object, &refs[i], err));
    }
    if (object->metadata.current_snapshot_id != FRZ_NO_SNAPSHOT &&
        !frz_map_find(&names, frz_slice_of_text("main"))) {
        const frz_snapshot_ref main_ref = {.name = "main",
                                           .snapshot_id = object->metadata.current_snapshot_id,
                                           .min_snapshots_to_keep = -1,
                                           .max_snapshot_age_ms = -1,
                                           .max_ref_age_ms = -1};
        FRZ_TRY_DONE(frz_metadata_object_add_ref(object, &main_ref, err));
    }
done:
    frz_map_clear(&names);
    return status;
}

/* Spec "Table Metadata Fields": what each version requires beyond what the indexes check. */
static frz_status check_members(const frz_metadata *m, frz_error **err)
{
    if (!m->location)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "location is missing");
    if (m->format_version > 1 && !m->table_uuid)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "table-uuid is missing; format version %d requires it", m->format_version);
    if (m->last_sequence_number < 0)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "last-sequence-number %lld is negative",
                        (long long)m->last_sequence_number);
    if (m->format_version >= 3 && m->next_row_id < 0)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "next-row-id %lld is negative",
                        (long long)m->next_row_id);
    return FRZ_OK;
}

/* Sources that the current schema dropped are looked up in the others, newest first. */
static frz_status make_partition_types(frz_metadata_object *object, frz_error **err)
{
    const frz_metadata *m = &object->metadata;
    frz_schema *const current =
        m->schemas[frz_map_find_i64(&object->schemas_by_id, m->current_schema_id)->number];
    frz_schema **older = frz_arena_array(&object->arena, m->schema_count, sizeof(void *));
    object->partition_types = frz_arena_array(&object->arena, m->spec_count, sizeof(void *));
    if (!older || !object->partition_types)
        return frz_fail_memory(err);
    for (size_t i = 0; i < m->schema_count; i++)
        older[i] = m->schemas[m->schema_count - 1 - i];
    for (size_t i = 0; i < m->spec_count; i++)
        FRZ_TRY(frz_partition_type(&m->specs[i], current, older, m->schema_count, &object->arena,
                                   &object->partition_types[i], err));
    return FRZ_OK;
}

frz_status frz_metadata_object_seal(frz_metadata_object *object, frz_error **err)
{
    const int32_t before_first_partition_id = 999;
    frz_metadata *m = &object->metadata;
    if (m->last_partition_id < before_first_partition_id)
        m->last_partition_id = before_first_partition_id;
    frz_metadata_object_publish(object);
    FRZ_TRY(check_members(m, err));
    FRZ_TRY(index_schemas(object, err));
    FRZ_TRY(index_specs(object, err));
    FRZ_TRY(index_sort_orders(object, err));
    FRZ_TRY(index_snapshots(object, err));
    FRZ_TRY(check_refs(object, err));
    frz_metadata_object_publish(object);
    return make_partition_types(object, err);
}

static void write_log(const void *list, size_t first, size_t end, frz_json_writer *json)
{
    const frz_snapshot_log_entry *log = ((const frz_list *)list)->items;
    frz_snapshot_log_write_items(log + first, end - first, json);
}

frz_status frz_metadata_object_print(frz_metadata_object *object, frz_error **err)
{
    FRZ_TRY(frz_snapshot_list_print(&object->snapshots, object->metadata.format_version, err));
    return frz_printed_complete(&object->printed_log, &object->snapshot_log,
                                object->snapshot_log.count, write_log, err);
}
