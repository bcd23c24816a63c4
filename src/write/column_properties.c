#include "write/column_properties.h"

#include <string.h>

#include "base/fail.h"
#include "spec/name_mapping_update.h"

static const char *const prefixes[] = {
    "write.metadata.metrics.column.",         "write.parquet.bloom-filter-enabled.column.",
    "write.parquet.bloom-filter-fpp.column.", "write.parquet.bloom-filter-ndv.column.",
    "write.parquet.stats-enabled.column.",    "write.parquet.dict-encoding-enabled.column.",
};

/* The size of the prefix; 0 for a property of no column. */
static size_t prefix_size(const char *key)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0)
            return strlen(prefixes[i]);
    return 0;
}

/* What becomes of a property: it stays (*moves_out false), or goes, to another key or for good. */
static const char *path_after(const frz_schema *before, const frz_schema *after,
                              const frz_property *property, bool *moves_out)
{
    const size_t size = prefix_size(property->key);
    const char *path = property->key + size;
    const frz_field *column =
        size ? frz_schema_find_name(before, frz_slice_of_text(path), true) : NULL;
    const char *next = column ? frz_schema_path(after, column->id) : NULL;
    *moves_out = column && (!next || strcmp(next, path) != 0);
    return next;
}

static frz_status set_moved(const frz_property *property, const char *path,
                            frz_metadata_builder *builder, frz_arena *arena, frz_error **err)
{
    const char *key =
        frz_arena_printf(arena, "%.*s%s", (int)prefix_size(property->key), property->key, path);
    return key ? frz_update_set_property(builder, key, property->value, err) : frz_fail_memory(err);
}

/* All that leave first: two columns may have exchanged their names. */
static frz_status follow_columns(const frz_metadata *base, const frz_schema *next,
                                 frz_metadata_builder *builder, frz_arena *arena, frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(base);
    bool moves = false;
    for (size_t i = 0; i < base->property_count; i++) {
        (void)path_after(schema, next, &base->properties[i], &moves);
        if (moves)
            FRZ_TRY(frz_update_remove_property(builder, base->properties[i].key, err));
    }
    for (size_t i = 0; i < base->property_count; i++) {
        const char *path = path_after(schema, next, &base->properties[i], &moves);
        if (moves && path)
            FRZ_TRY(set_moved(&base->properties[i], path, builder, arena, err));
    }
    return FRZ_OK;
}

static frz_status follow_mapping(const frz_metadata *base, const frz_schema *next,
                                 frz_metadata_builder *builder, frz_arena *arena, frz_error **err)
{
    static const char key[] = "schema.name-mapping.default";
    const char *json = frz_metadata_property(base, key);
    frz_name_mapping root = {0};
    frz_buffer text = {0};
    if (!json)
        return FRZ_OK;
    const frz_status parsed = frz_name_mapping_parse(frz_slice_of_text(json), arena, &root, NULL);
    if (parsed != FRZ_OK)
        return parsed == FRZ_NO_MEMORY ? frz_fail_memory(err) : FRZ_OK;
    frz_status status = frz_name_mapping_follow(&root, frz_metadata_schema(base), next, &text, err);
    frz_buffer_append_byte(&text, 0);
    if (status == FRZ_OK)
        status = frz_buffer_check(&text, err);
    if (status == FRZ_OK)
        status = frz_update_set_property(builder, key, (const char *)text.data, err);
    frz_buffer_clear(&text);
    return status;
}

frz_status frz_column_properties_follow(const frz_metadata *base, const frz_schema *next,
                                        frz_metadata_builder *builder, frz_arena *arena,
                                        frz_error **err)
{
    FRZ_TRY(follow_columns(base, next, builder, arena, err));
    return follow_mapping(base, next, builder, arena, err);
}
