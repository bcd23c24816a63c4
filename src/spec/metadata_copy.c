#include "base/fail.h"
#include "spec/metadata_object.h"

/* What a copy function could not allocate sticks in `failed`. */
typedef struct copier {
    frz_arena *arena;
    bool failed;
} copier;

static const char *copy_text(copier *copy, const char *text)
{
    if (!text)
        return NULL;
    const char *out = frz_arena_text(copy->arena, text);
    if (!out)
        copy->failed = true;
    return out;
}

static frz_slice copy_slice(copier *copy, frz_slice bytes)
{
    frz_slice out = {0};
    if (bytes.size && !frz_arena_slice(copy->arena, bytes, &out))
        copy->failed = true;
    return out;
}

static const int32_t *copy_ids(copier *copy, const int32_t *ids, size_t count)
{
    int32_t *out = frz_arena_array(copy->arena, count, sizeof *out);
    if (!out)
        copy->failed = true;
    else if (count)
        memcpy(out, ids, count * sizeof *out);
    return out;
}

static frz_transform copy_transform(copier *copy, const frz_transform *transform)
{
    frz_transform out = *transform;
    out.text = copy_text(copy, transform->text);
    return out;
}

/* A slot in `list`, filled when nothing has failed. */
static frz_status add_item(frz_list *list, copier *copy, const void *item, size_t size,
                           frz_error **err)
{
    void *slot = copy->failed ? NULL : frz_list_add(list, copy->arena, size);
    if (!slot)
        return frz_fail_memory(err);
    memcpy(slot, item, size);
    return FRZ_OK;
}

frz_status frz_metadata_object_add_schema(frz_metadata_object *object, const frz_schema *schema,
                                          frz_error **err)
{
    frz_schema **slot = frz_list_add(&object->schemas, &object->arena, sizeof(void *));
    if (!slot)
        return frz_fail_memory(err);
    *slot = frz_schema_ref(schema);
    return FRZ_OK;
}

frz_status frz_metadata_object_add_spec(frz_metadata_object *object, const frz_partition_spec *spec,
                                        frz_error **err)
{
    copier copy = {.arena = &object->arena};
    frz_partition_field *fields = frz_arena_array(copy.arena, spec->field_count, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < spec->field_count; i++) {
        fields[i] = spec->fields[i];
        fields[i].source_ids =
            copy_ids(&copy, spec->fields[i].source_ids, spec->fields[i].source_count);
        fields[i].name = copy_text(&copy, spec->fields[i].name);
        fields[i].transform = copy_transform(&copy, &spec->fields[i].transform);
    }
    const frz_partition_spec out = {
        .spec_id = spec->spec_id, .fields = fields, .field_count = spec->field_count};
    return add_item(&object->specs, &copy, &out, sizeof out, err);
}

frz_status frz_metadata_object_add_sort_order(frz_metadata_object *object,
                                              const frz_sort_order *order, frz_error **err)
{
    copier copy = {.arena = &object->arena};
    frz_sort_field *fields = frz_arena_array(copy.arena, order->field_count, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < order->field_count; i++) {
        fields[i] = order->fields[i];
        fields[i].source_ids =
            copy_ids(&copy, order->fields[i].source_ids, order->fields[i].source_count);
        fields[i].transform = copy_transform(&copy, &order->fields[i].transform);
    }
    const frz_sort_order out = {
        .order_id = order->order_id, .fields = fields, .field_count = order->field_count};
    return add_item(&object->sort_orders, &copy, &out, sizeof out, err);
}

frz_status frz_metadata_object_add_ref(frz_metadata_object *object, const frz_snapshot_ref *ref,
                                       frz_error **err)
{
    copier copy = {.arena = &object->arena};
    frz_snapshot_ref out = *ref;
    out.name = copy_text(&copy, ref->name);
    return add_item(&object->refs, &copy, &out, sizeof out, err);
}

frz_status frz_metadata_object_add_property(frz_metadata_object *object, const char *key,
                                            const char *value, frz_error **err)
{
    copier copy = {.arena = &object->arena};
    const frz_property out = {.key = copy_text(&copy, key), .value = copy_text(&copy, value)};
    return add_item(&object->properties, &copy, &out, sizeof out, err);
}

static frz_status copy_logs(const frz_metadata *base, frz_metadata_object *object, frz_error **err)
{
    copier copy = {.arena = &object->arena};
    if (!frz_list_reserve(&object->snapshot_log, copy.arena, base->snapshot_log_count + 1,
                          sizeof *base->snapshot_log))
        return frz_fail_memory(err);
    if (base->snapshot_log_count)
        memcpy(object->snapshot_log.items, base->snapshot_log,
               base->snapshot_log_count * sizeof *base->snapshot_log);
    object->snapshot_log.count = base->snapshot_log_count;
    for (size_t i = 0; i < base->metadata_log_count; i++) {
        frz_metadata_log_entry entry = base->metadata_log[i];
        entry.metadata_file = copy_text(&copy, entry.metadata_file);
        FRZ_TRY(add_item(&object->metadata_log, &copy, &entry, sizeof entry, err));
    }
    return FRZ_OK;
}

static frz_status copy_shapes(const frz_metadata *base, frz_metadata_object *object,
                              frz_error **err)
{
    for (size_t i = 0; i < base->schema_count; i++)
        FRZ_TRY(frz_metadata_object_add_schema(object, base->schemas[i], err));
    for (size_t i = 0; i < base->spec_count; i++)
        FRZ_TRY(frz_metadata_object_add_spec(object, &base->specs[i], err));
    for (size_t i = 0; i < base->sort_order_count; i++)
        FRZ_TRY(frz_metadata_object_add_sort_order(object, &base->sort_orders[i], err));
    return FRZ_OK;
}

static frz_status copy_history(const frz_metadata *base, frz_metadata_object *object,
                               frz_error **err)
{
    const frz_metadata_object *from = (const frz_metadata_object *)base;
    frz_snapshot_list_share(&from->snapshots, &object->snapshots);
    object->printed_log = frz_printed_share(&from->printed_log);
    for (size_t i = 0; i < base->ref_count; i++)
        FRZ_TRY(frz_metadata_object_add_ref(object, &base->refs[i], err));
    return copy_logs(base, object, err);
}

static frz_status copy_lists(const frz_metadata *base, frz_metadata_object *object, frz_error **err)
{
    FRZ_TRY(copy_shapes(base, object, err));
    for (size_t i = 0; i < base->property_count; i++)
        FRZ_TRY(frz_metadata_object_add_property(object, base->properties[i].key,
                                                 base->properties[i].value, err));
    return copy_history(base, object, err);
}

frz_status frz_metadata_object_copy(const frz_metadata *base, frz_metadata_object **out,
                                    frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_metadata_object *object = NULL;
    const size_t no_budget = 0;
    FRZ_TRY_DONE(frz_metadata_object_new(no_budget, &object, err));
    copier copy = {.arena = &object->arena};
    object->metadata = *base;
    object->metadata.table_uuid = copy_text(&copy, base->table_uuid);
    object->metadata.location = copy_text(&copy, base->location);
    object->metadata.statistics = copy_slice(&copy, base->statistics);
    object->metadata.partition_statistics = copy_slice(&copy, base->partition_statistics);
    object->metadata.encryption_keys = copy_slice(&copy, base->encryption_keys);
    object->metadata.unknown = copy_slice(&copy, base->unknown);
    if (copy.failed) {
        status = frz_fail_memory(err);
        goto done;
    }
    FRZ_TRY_DONE(copy_lists(base, object, err));
    frz_metadata_object_publish(object);
    *out = object;
    object = NULL;
done:
    frz_metadata_object_free(object);
    return status;
}
