#include "scan/equality_keys.h"

#include <stdlib.h>

#include "base/fail.h"
#include "spec/schema.h"

enum { PROMOTIONS_VERSION = 3 /* all of them: what is stored has been written already */ };

static int by_id(const void *a, const void *b)
{
    const int32_t left = *(const int32_t *)a;
    const int32_t right = *(const int32_t *)b;
    return left < right ? -1 : left > right;
}

frz_status frz_equality_ids_sort(const int32_t *ids, size_t count, frz_arena *arena,
                                 const int32_t **out, size_t *count_out, frz_error **err)
{
    int32_t *sorted = frz_arena_array(arena, count, sizeof *sorted);
    if (!sorted)
        return frz_fail_memory(err);
    size_t kept = 0;
    if (count)
        memcpy(sorted, ids, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_id);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            sorted[kept++] = sorted[i];
    *out = sorted;
    *count_out = kept;
    return FRZ_OK;
}

/* The schema that has the field in its widest type. */
static const frz_schema *find_schema(const frz_metadata *metadata, int32_t id)
{
    const frz_schema *found = NULL;
    for (size_t i = 0; i < metadata->schema_count; i++) {
        const frz_schema *schema = metadata->schemas[i];
        const frz_field *field = frz_schema_find_id(schema, id);
        const frz_field *known = found ? frz_schema_find_id(found, id) : NULL;
        if (field && (!known || (!frz_type_equal(known->type, field->type) &&
                                 frz_type_promotes(known->type, field->type, PROMOTIONS_VERSION))))
            found = schema;
    }
    return found;
}

static frz_status check_type(const frz_field *field, frz_error **err)
{
    const frz_type_kind kind = field->type->kind;
    if (frz_type_is_primitive(field->type) && kind != FRZ_TYPE_GEOMETRY &&
        kind != FRZ_TYPE_GEOGRAPHY)
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "column %s (field %d) of type %s cannot be a delete column", field->name,
                    (int)field->id, frz_type_word(kind));
}

/* A struct type of one field. */
static const frz_type *struct_of(const frz_field *field, frz_arena *arena)
{
    frz_field *only = frz_arena_alloc(arena, sizeof *only);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!only || !type)
        return NULL;
    *only = *field;
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = only, .field_count = 1};
    return type;
}

/* From the key outwards to its top-level column. */
static frz_status resolve_field(const frz_metadata *metadata, int32_t id, frz_arena *arena,
                                frz_field *out, const frz_type **key_type, frz_error **err)
{
    const frz_schema *schema = find_schema(metadata, id);
    const frz_field *key = schema ? frz_schema_find_id(schema, id) : NULL;
    if (!key)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "delete column %d is in no schema of the table", (int)id);
    FRZ_TRY(check_type(key, err));
    *out = *key;
    out->required = false;
    const frz_field *parent = frz_schema_parent(schema, id);
    for (; parent; parent = frz_schema_parent(schema, parent->id)) {
        if (parent->type->kind != FRZ_TYPE_STRUCT)
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                            "column %s (field %d) is nested in a %s and cannot be a delete column",
                            frz_schema_path(schema, id), (int)id,
                            frz_type_word(parent->type->kind));
        const frz_type *pruned = struct_of(out, arena);
        if (!pruned)
            return frz_fail_memory(err);
        *out = *parent;
        out->required = false;
        out->type = pruned;
    }
    *key_type = key->type;
    return FRZ_OK;
}

frz_status frz_equality_keys_resolve(const frz_metadata *metadata, const int32_t *ids, size_t count,
                                     frz_arena *arena, frz_equality_keys *out, frz_error **err)
{
    frz_equality_keys keys = {.ids = ids, .count = count};
    frz_field *fields = frz_arena_array(arena, count, sizeof *fields);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    const frz_type **key_types = frz_arena_array(arena, count, sizeof *key_types);
    if (!fields || !type || !key_types)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(resolve_field(metadata, ids[i], arena, &fields[i], &key_types[i], err));
    FRZ_TRY(frz_key_layout_new(key_types, count, arena, &keys.layout, err));
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = count};
    keys.fields = fields;
    keys.type = type;
    *out = keys;
    return FRZ_OK;
}
