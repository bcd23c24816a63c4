#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/uuid.h"
#include "catalog/arrow_schema.h"
#include "catalog/catalog.h"
#include "catalog/config.h"
#include "catalog/identifier.h"
#include "catalog/refusal.h"
#include "catalog/refused_properties.h"
#include "catalog/table.h"
#include "frazil/schema.h"
#include "spec/ddl.h"
#include "spec/schema_update.h"

enum { FORMAT_VERSION_DEFAULT = 3, FORMAT_VERSION_MAX = 3 };

/* Control how a table is made and are never stored (Java's TableProperties.RESERVED_PROPERTIES). */
static const char *const reserved[] = {
    "format-version",           "uuid",
    "snapshot-count",           "current-snapshot-id",
    "current-snapshot-summary", "current-snapshot-timestamp-ms",
    "current-schema",           "default-partition-spec",
    "default-sort-order",
};

typedef struct creation {
    frz_catalog *catalog;
    const char *identifier;
    const frz_table_create_options *given;
    frz_table_create_options options;
    frz_arena arena;
    const char *location;
    int format_version;
    frz_schema *schema;
    frz_partition_spec spec;
    frz_sort_order order;
} creation;

static frz_status namespace_location(creation *self, frz_slice space, frz_error **err)
{
    frz_catalog_backend *backend = frz_catalog_backend_of(self->catalog);
    const char *warehouse = frz_catalog_warehouse(self->catalog);
    char *name = frz_arena_text_n(&self->arena, space.data, space.size);
    char *set = NULL;
    if (!name)
        return frz_fail_memory(err);
    frz_error *absent = NULL;
    const frz_status status =
        backend->ops->namespace_property(backend, name, "location", &set, &absent);
    if (status != FRZ_OK && status != FRZ_NOT_FOUND) { /* one that is not there yet says nothing */
        const frz_status told =
            frz_fail_origin(err, status, frz_error_origin(absent), "%s", frz_error_message(absent));
        frz_error_free(absent);
        return told;
    }
    frz_error_free(absent);
    if (set) {
        size_t size = strlen(set);
        while (size > 1 && set[size - 1] == '/')
            size--;
        self->location = frz_arena_text_n(&self->arena, set, size);
        frz_text_free(set);
        return self->location ? FRZ_OK : frz_fail_memory(err);
    }
    if (!warehouse)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table %s needs a location: the catalog has no warehouse",
                        self->identifier);
    for (char *dot = name; (dot = strchr(dot, '.')) != NULL;)
        *dot = '/';
    self->location = frz_arena_printf(&self->arena, "%s/%s", warehouse, name);
    return self->location ? FRZ_OK : frz_fail_memory(err);
}

static frz_status choose_location(creation *self, frz_slice space, frz_slice name, frz_error **err)
{
    const char *set = self->options.location;
    if (set) {
        size_t size = strlen(set);
        while (size > 1 && set[size - 1] == '/')
            size--;
        const char *trimmed = frz_arena_text_n(&self->arena, set, size);
        if (!trimmed)
            return frz_fail_memory(err);
        return frz_location_absolute(trimmed, &self->arena, &self->location, err);
    }
    FRZ_TRY(namespace_location(self, space, err));
    self->location = frz_arena_printf(&self->arena, "%s/%.*s", self->location, (int)name.size,
                                      (const char *)name.data);
    return self->location ? FRZ_OK : frz_fail_memory(err);
}

frz_status frz_catalog_ensure_namespace(frz_catalog *catalog, frz_slice space, frz_error **err)
{
    frz_catalog_backend *backend = frz_catalog_backend_of(catalog);
    frz_error *already = NULL;
    char *name = frz_copy_text_n((const char *)space.data, space.size);
    if (!name)
        return frz_fail_memory(err);
    frz_status status = backend->ops->create_namespace(backend, name, NULL, 0, &already);
    if (status == FRZ_ALREADY_EXISTS)
        status = FRZ_OK;
    if (status != FRZ_OK)
        status = frz_fail_origin(err, status, frz_error_origin(already), "%s",
                                 frz_error_message(already));
    frz_error_free(already);
    frz_free(name);
    return status;
}

frz_status frz_catalog_check_absent(frz_catalog *catalog, const char *identifier, frz_error **err)
{
    frz_catalog_backend *backend = frz_catalog_backend_of(catalog);
    frz_error *absent = NULL;
    char *location = NULL;
    frz_status status = backend->ops->load(backend, identifier, &location, &absent);
    if (status == FRZ_OK)
        status = frz_refuse_table_exists(identifier, err);
    else if (status == FRZ_NOT_FOUND)
        status = FRZ_OK;
    else
        status =
            frz_fail_origin(err, status, frz_error_origin(absent), "%s", frz_error_message(absent));
    frz_error_free(absent);
    frz_text_free(location);
    return status;
}

static frz_status parse_options(creation *self, frz_error **err)
{
    frz_table_create_options *options = &self->options;
    const frz_slice empty = frz_slice_of("", 0);
    FRZ_TRY(FRZ_OPTIONS_TAKE(frz_table_create_options, self->given, options, err));
    self->format_version =
        options->format_version ? options->format_version : FORMAT_VERSION_DEFAULT;
    if (self->format_version < 1 || self->format_version > FORMAT_VERSION_MAX)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "format version %d: expected 1 to %d",
                        self->format_version, FORMAT_VERSION_MAX);
    if ((options->schema != NULL) == (options->arrow_schema != NULL))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "a table is made from a schema text or from an Arrow schema: give one");
    if (options->schema)
        FRZ_TRY(frz_ddl_parse_schema(frz_slice_of_text(options->schema), &self->schema, err));
    else
        FRZ_TRY(frz_schema_from_arrow(options->arrow_schema, &self->schema, err));
    FRZ_TRY(frz_schema_check_names(self->schema, err));
    const frz_slice partition = options->partition ? frz_slice_of_text(options->partition) : empty;
    const frz_slice sort = options->sort ? frz_slice_of_text(options->sort) : empty;
    FRZ_TRY(frz_ddl_parse_partition(partition, self->schema, &self->arena, &self->spec, err));
    return frz_ddl_parse_sort(sort, self->schema, &self->arena, &self->order, err);
}

static frz_status set_properties(creation *self, frz_metadata_builder *builder, frz_error **err)
{
    /* Java records the codec when a table is made, so that later defaults do not change old tables.
     */
    FRZ_TRY(frz_update_set_property(builder, "write.parquet.compression-codec", "zstd", err));
    for (size_t i = 0; i < self->options.property_count; i++) {
        const frz_option *property = &self->options.properties[i];
        for (size_t j = 0; j < sizeof reserved / sizeof *reserved; j++) {
            if (strcmp(property->key, reserved[j]) == 0)
                return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "property %s is reserved",
                                property->key);
        }
        FRZ_TRY(frz_property_check_refused(property->key, err));
        FRZ_TRY(frz_update_set_property(builder, property->key, property->value, err));
    }
    return FRZ_OK;
}

/* Schema, partition spec and sort order, each made the current one. */
static frz_status set_structure(creation *self, frz_metadata_builder *builder, frz_error **err)
{
    int32_t id = 0;
    FRZ_TRY(frz_update_check_nested_defaults(builder, self->schema, err));
    FRZ_TRY(frz_update_add_schema(builder, self->schema, &id, err));
    FRZ_TRY(frz_update_set_current_schema(builder, id, err));
    FRZ_TRY(frz_update_add_spec(builder, &self->spec, &id, err));
    FRZ_TRY(frz_update_set_default_spec(builder, id, err));
    FRZ_TRY(frz_update_add_sort_order(builder, &self->order, &id, err));
    return frz_update_set_default_sort_order(builder, id, err);
}

static frz_status build(creation *self, frz_metadata **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_metadata_builder *builder = NULL;
    char uuid_text[FRZ_UUID_TEXT_SIZE];
    const frz_uuid uuid = frz_uuid_random();

    frz_uuid_print(&uuid, uuid_text);
    FRZ_TRY_DONE(frz_metadata_builder_new(NULL, self->format_version, &builder, err));
    FRZ_TRY_DONE(frz_update_assign_uuid(builder, uuid_text, err));
    FRZ_TRY_DONE(frz_update_set_location(builder, self->location, err));
    FRZ_TRY_DONE(set_structure(self, builder, err));
    FRZ_TRY_DONE(set_properties(self, builder, err));
    FRZ_TRY_DONE(
        frz_metadata_builder_finish(builder, NULL, frz_clock_now_ms(), out, NULL, NULL, err));

done:
    frz_metadata_builder_free(builder);
    return status;
}

/* The first version, of which the catalog knows nothing yet. */
static frz_status prepare(creation *self, frz_metadata **out, frz_error **err)
{
    frz_slice space;
    frz_slice name;
    FRZ_TRY(frz_identifier_split(self->identifier, &space, &name, err));
    FRZ_TRY(parse_options(self, err));
    FRZ_TRY(frz_catalog_check_absent(self->catalog, self->identifier, err));
    FRZ_TRY(choose_location(self, space, name, err));
    return build(self, out, err);
}

static frz_status create_table(creation *self, frz_table **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_metadata *metadata = NULL;
    char *location = NULL;

    FRZ_TRY_DONE(prepare(self, &metadata, err));
    FRZ_TRY_DONE(
        frz_catalog_commit(self->catalog, self->identifier, NULL, metadata, &location, err));
    if (out) {
        status = frz_table_new(self->catalog, self->identifier, frz_catalog_io(self->catalog),
                               location, metadata, out, err);
        metadata = NULL;
    }

done:
    frz_metadata_unref(metadata);
    frz_free(location);
    return status;
}

static frz_status finish(creation *self, frz_status status, frz_error **err)
{
    if (status != FRZ_OK)
        status = frz_context(err, status, "create table %s", self->identifier);
    frz_schema_unref(self->schema);
    frz_arena_clear(&self->arena);
    return status;
}

frz_status frz_catalog_create_table(frz_catalog *catalog, const char *identifier,
                                    const frz_table_create_options *options, frz_table **out,
                                    frz_error **err)
{
    creation self = {.catalog = catalog, .identifier = identifier, .given = options};
    return finish(&self, create_table(&self, out, err), err);
}

frz_status frz_catalog_prepare_table(frz_catalog *catalog, const char *identifier,
                                     const frz_table_create_options *options, frz_table **out,
                                     frz_error **err)
{
    creation self = {.catalog = catalog, .identifier = identifier, .given = options};
    frz_metadata *metadata = NULL;
    frz_status status = prepare(&self, &metadata, err);
    if (status == FRZ_OK)
        status = frz_table_new(catalog, identifier, frz_catalog_io(catalog), FRZ_TABLE_NEW,
                               metadata, out, err);
    return finish(&self, status, err);
}
