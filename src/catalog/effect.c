#include "catalog/effect.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

typedef struct comparison {
    const frz_metadata *base;
    const frz_metadata *next;
    const frz_metadata *now;
    frz_effect *out;
} comparison;

/* The first thing that is missing is told. */
__attribute__((format(printf, 2, 3))) static void miss(const comparison *self, const char *format,
                                                       ...)
{
    va_list args;
    if (!self->out->is_there)
        return;
    self->out->is_there = false;
    va_start(args, format);
    (void)vsnprintf(self->out->missing, sizeof self->out->missing, format, args);
    va_end(args);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_slice(frz_slice a, frz_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static void look_at_table(const comparison *self)
{
    const frz_metadata *base = self->base;
    const frz_metadata *next = self->next;
    const frz_metadata *now = self->now;
    if (next->format_version > base->format_version && now->format_version < next->format_version)
        miss(self, "format version %d", (int)next->format_version);
    if (!same_text(next->table_uuid, now->table_uuid))
        miss(self, "the table itself, whose name another has now");
    if (!same_text(next->location, base->location) && !same_text(next->location, now->location))
        miss(self, "the table's location");
    if (!same_slice(next->statistics, base->statistics) &&
        !same_slice(next->statistics, now->statistics))
        miss(self, "the statistics files");
    if (!same_slice(next->partition_statistics, base->partition_statistics) &&
        !same_slice(next->partition_statistics, now->partition_statistics))
        miss(self, "the partition statistics files");
    if (!same_slice(next->encryption_keys, base->encryption_keys) &&
        !same_slice(next->encryption_keys, now->encryption_keys))
        miss(self, "the encryption keys");
}

static void look_at_properties(const comparison *self)
{
    const frz_metadata *next = self->next;
    for (size_t i = 0; i < next->property_count; i++) {
        const char *key = next->properties[i].key;
        const char *value = frz_metadata_property(next, key);
        if (!same_text(value, frz_metadata_property(self->base, key)) &&
            !same_text(value, frz_metadata_property(self->now, key)))
            miss(self, "property %s", key);
    }
    for (size_t i = 0; i < self->base->property_count; i++) {
        const char *key = self->base->properties[i].key;
        if (!frz_metadata_property(next, key) && frz_metadata_property(self->now, key))
            miss(self, "the removal of property %s", key);
    }
}

static bool same_ref(const frz_snapshot_ref *a, const frz_snapshot_ref *b)
{
    return a->snapshot_id == b->snapshot_id && a->is_tag == b->is_tag &&
           a->min_snapshots_to_keep == b->min_snapshots_to_keep &&
           a->max_snapshot_age_ms == b->max_snapshot_age_ms &&
           a->max_ref_age_ms == b->max_ref_age_ms;
}

static void look_at_refs(const comparison *self)
{
    const frz_metadata *next = self->next;
    for (size_t i = 0; i < next->ref_count; i++) {
        const frz_snapshot_ref *ref = &next->refs[i];
        const frz_snapshot_ref *before = frz_metadata_find_ref(self->base, ref->name);
        const frz_snapshot_ref *now = frz_metadata_find_ref(self->now, ref->name);
        if (before && same_ref(before, ref))
            continue;
        self->out->is_first |= !before;
        if (!now || !same_ref(now, ref))
            miss(self, "%s %s at snapshot %lld", ref->is_tag ? "tag" : "branch", ref->name,
                 (long long)ref->snapshot_id);
    }
    for (size_t i = 0; i < self->base->ref_count; i++) {
        const char *name = self->base->refs[i].name;
        if (!frz_metadata_find_ref(next, name) && frz_metadata_find_ref(self->now, name))
            miss(self, "the removal of reference %s", name);
    }
}

static void look_at_snapshots(const comparison *self)
{
    const frz_metadata *next = self->next;
    for (size_t i = 0; i < next->snapshot_count; i++) {
        const int64_t id = next->snapshots[i].snapshot_id;
        if (!frz_metadata_find_snapshot(self->base, id) &&
            !frz_metadata_find_snapshot(self->now, id))
            miss(self, "snapshot %lld", (long long)id);
    }
    for (size_t i = 0; i < self->base->snapshot_count; i++) {
        const int64_t id = self->base->snapshots[i].snapshot_id;
        if (!frz_metadata_find_snapshot(next, id) && frz_metadata_find_snapshot(self->now, id))
            miss(self, "the removal of snapshot %lld", (long long)id);
    }
}

/* How the schemas, specs and sort orders of a version are looked at: what is not there prints
 * nothing. */
typedef struct shape_kind {
    const char *name;
    void (*print)(const frz_metadata *metadata, int32_t id, frz_json_writer *json);
    int32_t (*current)(const frz_metadata *metadata);
} shape_kind;

static void print_schema(const frz_metadata *metadata, int32_t id, frz_json_writer *json)
{
    const frz_schema *schema = frz_metadata_find_schema(metadata, id);
    if (schema)
        frz_schema_write_json(schema, json);
}

static void print_spec(const frz_metadata *metadata, int32_t id, frz_json_writer *json)
{
    const frz_partition_spec *spec = frz_metadata_find_spec(metadata, id);
    if (spec)
        frz_partition_spec_write_json(spec, json);
}

static void print_sort_order(const frz_metadata *metadata, int32_t id, frz_json_writer *json)
{
    const frz_sort_order *order = frz_metadata_find_sort_order(metadata, id);
    if (order)
        frz_sort_order_write_json(order, json);
}

static int32_t current_schema(const frz_metadata *metadata)
{
    return metadata->current_schema_id;
}

static int32_t default_spec(const frz_metadata *metadata)
{
    return metadata->default_spec_id;
}

static int32_t default_sort_order(const frz_metadata *metadata)
{
    return metadata->default_sort_order_id;
}

static frz_status same_shape(const shape_kind *kind, int32_t id, const frz_metadata *a,
                             const frz_metadata *b, bool *out, frz_error **err)
{
    frz_buffer texts[2] = {{0}};
    frz_json_writer first = frz_json_writer_to(&texts[0], 0);
    frz_json_writer second = frz_json_writer_to(&texts[1], 0);
    kind->print(a, id, &first);
    kind->print(b, id, &second);
    frz_status status = frz_buffer_check(&texts[0], err);
    if (status == FRZ_OK)
        status = frz_buffer_check(&texts[1], err);
    *out = same_slice(frz_buffer_slice(&texts[0]), frz_buffer_slice(&texts[1]));
    frz_buffer_clear(&texts[0]);
    frz_buffer_clear(&texts[1]);
    return status;
}

/* One that came with the change is there when it has its id: what others did after goes on from it.
 * One that was there before must be the current one. */
static frz_status look_at_shapes(const comparison *self, const shape_kind *kind, frz_error **err)
{
    const int32_t id = kind->current(self->next);
    bool is_old = false;
    bool is_there = false;
    if (id == kind->current(self->base))
        return FRZ_OK;
    FRZ_TRY(same_shape(kind, id, self->next, self->base, &is_old, err));
    FRZ_TRY(same_shape(kind, id, self->next, self->now, &is_there, err));
    if (!is_there || (is_old && kind->current(self->now) != id))
        miss(self, "%s %d", kind->name, (int)id);
    return FRZ_OK;
}

frz_status frz_effect_look(const frz_metadata *base, const frz_metadata *next,
                           const frz_metadata *now, frz_effect *out, frz_error **err)
{
    static const shape_kind all[] = {{"schema", print_schema, current_schema},
                                     {"partition spec", print_spec, default_spec},
                                     {"sort order", print_sort_order, default_sort_order}};
    const comparison self = {base, next, now, out};
    *out = (frz_effect){.is_there = true};
    look_at_table(&self);
    look_at_properties(&self);
    look_at_refs(&self);
    look_at_snapshots(&self);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        FRZ_TRY(look_at_shapes(&self, &all[i], err));
    return FRZ_OK;
}
