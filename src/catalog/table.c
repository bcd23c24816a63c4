#include "catalog/table.h"

#include <string.h>

#include "arrow/schema.h"
#include "base/calendar.h"
#include "base/fail.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "catalog/newest.h"
#include "frazil/schema.h"

enum { CACHE_SIZE = 64 << 20 };

/* Copies of the texts, and references; takes nothing on failure. */
static frz_status fill(frz_table *table, frz_catalog *catalog, const char *identifier,
                       const char *metadata_location, frz_error **err)
{
    table->metadata_location = frz_copy_text(metadata_location);
    if (!table->metadata_location)
        return frz_fail_memory(err);
    if (identifier) {
        table->identifier = frz_copy_text(identifier);
        if (!table->identifier)
            return frz_fail_memory(err);
    }
    if (!catalog)
        return frz_cache_new(CACHE_SIZE, &table->cache, err);
    table->catalog = frz_catalog_ref(catalog);
    table->cache = frz_cache_ref(frz_catalog_cache(catalog));
    return FRZ_OK;
}

frz_status frz_table_new(frz_catalog *catalog, const char *identifier, frz_io *io,
                         const char *metadata_location, frz_metadata *metadata, frz_table **out,
                         frz_error **err)
{
    frz_table *table = frz_alloc_zero(sizeof *table);
    if (!table) {
        frz_metadata_unref(metadata);
        return frz_fail_memory(err);
    }
    table->metadata = metadata;
    table->io = io;
    table->limits = frz_limits_default;
    const frz_status status = fill(table, catalog, identifier, metadata_location, err);
    if (status != FRZ_OK) {
        frz_table_free(table);
        return status;
    }
    *out = table;
    return FRZ_OK;
}

void frz_table_free(frz_table *table)
{
    if (!table)
        return;
    frz_metadata_unref(table->metadata);
    frz_cache_unref(table->cache);
    frz_free(table->identifier);
    frz_free(table->metadata_location);
    frz_free(table->source);
    frz_io_free(table->own_io);
    frz_catalog_free(table->catalog);
    frz_free(table);
}

frz_status frz_table_move_to(frz_table *table, const char *metadata_location,
                             frz_metadata *metadata, frz_error **err)
{
    char *copy = frz_copy_text(metadata_location);
    if (!copy) {
        frz_metadata_unref(metadata);
        return frz_fail_memory(err);
    }
    frz_metadata_unref(table->metadata);
    frz_free(table->metadata_location);
    table->metadata = metadata;
    table->metadata_location = copy;
    return FRZ_OK;
}

/* Takes own_io, which may be NULL, when it succeeds. */
static frz_status open_newest(const char *location, frz_io *io, frz_io *own_io, frz_table **out,
                              frz_error **err)
{
    frz_status status = FRZ_OK;
    char *newest = NULL;
    frz_metadata *metadata = NULL;
    frz_table *table = NULL;

    FRZ_TRY_DONE(frz_metadata_newest(io, location, &newest, err));
    FRZ_TRY_DONE(frz_metadata_read(io, newest, &frz_limits_default, &metadata, err));
    status = frz_table_new(NULL, NULL, io, newest, metadata, &table, err);
    metadata = NULL;
    if (status != FRZ_OK)
        goto done;
    table->source = frz_copy_text(location);
    if (!table->source) {
        status = frz_fail_memory(err);
        goto done;
    }
    table->own_io = own_io;
    *out = table;
    table = NULL;

done:
    frz_table_free(table);
    frz_metadata_unref(metadata);
    frz_free(newest);
    return status;
}

frz_status frz_table_open(const char *location, frz_io *io, frz_table **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_io *own_io = NULL;

    if (!io) {
        FRZ_TRY_DONE(frz_io_local_new(&own_io, err));
        io = own_io;
    }
    FRZ_TRY_DONE(open_newest(location, io, own_io, out, err));
    own_io = NULL;

done:
    frz_io_free(own_io);
    if (status != FRZ_OK)
        status = frz_context(err, status, "open table %s", location);
    return status;
}

frz_status frz_table_refresh(frz_table *table, frz_error **err)
{
    frz_status status = FRZ_OK;
    char *location = NULL;
    frz_metadata *metadata = NULL;

    if (frz_table_is_new(table))
        return FRZ_OK;
    if (table->catalog) {
        frz_catalog_backend *backend = frz_catalog_backend_of(table->catalog);
        FRZ_TRY_DONE(backend->ops->load(backend, table->identifier, &location, err));
    } else {
        FRZ_TRY_DONE(frz_metadata_newest(table->io, table->source, &location, err));
    }
    if (strcmp(location, table->metadata_location) == 0)
        goto done;
    if (table->catalog)
        FRZ_TRY_DONE(
            frz_catalog_read_version(table->catalog, location, &table->limits, &metadata, err));
    else
        FRZ_TRY_DONE(frz_metadata_read(table->io, location, &table->limits, &metadata, err));
    status = frz_table_move_to(table, location, metadata, err);
    metadata = NULL;

done:
    frz_metadata_unref(metadata);
    frz_text_free(location);
    return status;
}

static frz_status select_ref(const frz_metadata *metadata, const char *name,
                             const frz_snapshot **snapshot_out, frz_schema **schema_out,
                             frz_error **err)
{
    const frz_snapshot_ref *ref = frz_metadata_find_ref(metadata, name);
    if (!ref && strcmp(name, "main") == 0) {
        *snapshot_out = NULL;
        *schema_out = frz_metadata_schema(metadata);
        return FRZ_OK;
    }
    if (!ref)
        return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "no branch or tag %s", name);
    const frz_snapshot *snapshot = frz_metadata_find_snapshot(metadata, ref->snapshot_id);
    if (!snapshot)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "ref %s names snapshot %lld, which the metadata lacks", name,
                        (long long)ref->snapshot_id);
    *snapshot_out = snapshot;
    *schema_out = ref->is_tag ? frz_metadata_snapshot_schema(metadata, snapshot)
                              : frz_metadata_schema(metadata);
    return FRZ_OK;
}

static frz_status select_past(const frz_metadata *metadata, const frz_snapshot_selector *at,
                              const frz_snapshot **snapshot_out, frz_error **err)
{
    if (at->has_snapshot_id) {
        *snapshot_out = frz_metadata_find_snapshot(metadata, at->snapshot_id);
        return *snapshot_out ? FRZ_OK
                             : frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "no snapshot %lld",
                                        (long long)at->snapshot_id);
    }
    char time[FRZ_CALENDAR_TEXT_SIZE];
    (void)frz_calendar_print_micros(frz_calendar_micros(at->as_of_ms), true, time);
    *snapshot_out = frz_metadata_snapshot_as_of(metadata, at->as_of_ms);
    return *snapshot_out
               ? FRZ_OK
               : frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "no snapshot was current at %s", time);
}

frz_status frz_table_select(const frz_table *table, const frz_snapshot_selector *at,
                            const frz_snapshot **snapshot_out, frz_schema **schema_out,
                            frz_error **err)
{
    const frz_metadata *metadata = table->metadata;
    const frz_snapshot *snapshot = NULL;
    const int ways = at ? at->has_snapshot_id + at->has_as_of_ms + (at->ref != NULL) : 0;
    if (ways > 1)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "a snapshot is chosen by id, by time or by ref, not by several of them");
    if (ways == 0) {
        *snapshot_out = frz_metadata_current_snapshot(metadata);
        *schema_out = frz_metadata_schema(metadata);
        return FRZ_OK;
    }
    if (at->ref)
        return select_ref(metadata, at->ref, snapshot_out, schema_out, err);
    FRZ_TRY(select_past(metadata, at, &snapshot, err));
    *snapshot_out = snapshot;
    *schema_out = frz_metadata_snapshot_schema(metadata, snapshot);
    return FRZ_OK;
}

static void join_path(const frz_metadata *metadata, const char *property, const char *folder,
                      const char *name, frz_buffer *out)
{
    const char *set = frz_metadata_property(metadata, property);
    const char *base = set ? set : metadata->location;
    size_t size = strlen(base);
    while (size > 0 && base[size - 1] == '/') /* joined with exactly one slash */
        size--;
    frz_buffer_append(out, base, size);
    if (!set)
        frz_buffer_append_text(out, folder);
    frz_buffer_append_byte(out, '/');
    frz_buffer_append_text(out, name);
}

void frz_table_metadata_path(const frz_metadata *metadata, const char *name, frz_buffer *out)
{
    join_path(metadata, "write.metadata.path", "/metadata", name, out);
}

void frz_table_data_path(const frz_metadata *metadata, const char *name, frz_buffer *out)
{
    join_path(metadata, "write.data.path", "/data", name, out);
}

const char *frz_table_identifier(const frz_table *table)
{
    return table->identifier;
}

const char *frz_table_location(const frz_table *table)
{
    return table->metadata->location;
}

const char *frz_table_metadata_location(const frz_table *table)
{
    return table->metadata_location;
}

const char *frz_table_uuid(const frz_table *table)
{
    return table->metadata->table_uuid;
}

int frz_table_format_version(const frz_table *table)
{
    return table->metadata->format_version;
}

bool frz_table_current_snapshot(const frz_table *table, int64_t *snapshot_id_out)
{
    if (table->metadata->current_snapshot_id == FRZ_NO_SNAPSHOT)
        return false;
    if (snapshot_id_out)
        *snapshot_id_out = table->metadata->current_snapshot_id;
    return true;
}

const char *frz_table_property(const frz_table *table, const char *key)
{
    return frz_metadata_property(table->metadata, key);
}

bool frz_table_property_at(const frz_table *table, size_t index, const char **key_out,
                           const char **value_out)
{
    if (index >= table->metadata->property_count)
        return false;
    if (key_out)
        *key_out = table->metadata->properties[index].key;
    if (value_out)
        *value_out = table->metadata->properties[index].value;
    return true;
}

/* Keeps what the schema says already, and adds the write default as JSON (Appendix C). */
static frz_status set_write_default(const frz_field *field, struct ArrowSchema *column,
                                    frz_error **err)
{
    static const char *const keys[] = {FRZ_WRITE_DEFAULT_KEY, "PARQUET:field_id",
                                       "ARROW:extension:name"};
    enum { KEY_COUNT = sizeof keys / sizeof keys[0] };
    const char *names[KEY_COUNT];
    frz_slice values[KEY_COUNT];
    size_t count = 0;
    frz_buffer json = {0};
    frz_json_writer writer = frz_json_writer_to(&json, 0);
    frz_value_write_json(field->type, field->write_default, &writer);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        const frz_slice value =
            i == 0 ? frz_buffer_slice(&json) : frz_arrow_schema_metadata(column, keys[i]);
        if (!value.size)
            continue;
        names[count] = keys[i];
        values[count++] = value;
    }
    frz_status status = frz_buffer_check(&json, err);
    if (status == FRZ_OK)
        status = frz_arrow_schema_set_metadata(column, names, values, count, err);
    frz_buffer_clear(&json);
    return status;
}

/* Of the fields of a struct, at any depth (spec "Default values": sub-fields have their own). */
static frz_status set_write_defaults(const frz_type *type, struct ArrowSchema *arrow,
                                     frz_error **err)
{
    struct ArrowSchema *holder = type->kind == FRZ_TYPE_MAP ? arrow->children[0] : arrow;
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        if (field->write_default && field->write_default->form != FRZ_VALUE_NULL)
            FRZ_TRY(set_write_default(field, holder->children[i], err));
        FRZ_TRY(set_write_defaults(field->type, holder->children[i], err));
    }
    return FRZ_OK;
}

frz_status frz_table_arrow_schema(const frz_table *table, struct ArrowSchema *out, frz_error **err)
{
    struct ArrowSchema made = {0};
    const frz_schema *schema = frz_metadata_schema(table->metadata);
    FRZ_TRY(frz_schema_to_arrow(schema, &made, err));
    const frz_status status = set_write_defaults(frz_schema_type(schema), &made, err);
    if (status == FRZ_OK)
        *out = made;
    else
        frz_arrow_schema_clear(&made);
    return status;
}

frz_status frz_table_metadata_json(const frz_table *table, char **out, frz_error **err)
{
    frz_buffer text = {0};
    frz_status status = frz_metadata_print(table->metadata, &text, err);
    frz_buffer_append_byte(&text, 0);
    if (status == FRZ_OK)
        status = frz_buffer_check(&text, err);
    if (status != FRZ_OK) {
        frz_buffer_clear(&text);
        return status;
    }
    *out = (char *)text.data;
    return FRZ_OK;
}
