#include "spec/metadata.h"

#include "base/codec.h"
#include "base/fail.h"
#include "io/file.h"
#include "spec/metadata_object.h"

static frz_metadata_object *object_of(const frz_metadata *metadata)
{
    return ((const frz_metadata_object *)metadata)->self;
}

frz_metadata *frz_metadata_ref(const frz_metadata *metadata)
{
    frz_metadata_object *object = object_of(metadata);
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
    return &object->metadata;
}

void frz_metadata_unref(const frz_metadata *metadata)
{
    if (!metadata)
        return;
    frz_metadata_object *object = object_of(metadata);
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        frz_metadata_object_free(object);
}

frz_schema *frz_metadata_find_schema(const frz_metadata *metadata, int32_t schema_id)
{
    const frz_map_value *at = frz_map_find_i64(&object_of(metadata)->schemas_by_id, schema_id);
    return at ? metadata->schemas[at->number] : NULL;
}

frz_schema *frz_metadata_schema(const frz_metadata *metadata)
{
    return frz_metadata_find_schema(metadata, metadata->current_schema_id);
}

const frz_partition_spec *frz_metadata_find_spec(const frz_metadata *metadata, int32_t spec_id)
{
    const frz_map_value *at = frz_map_find_i64(&object_of(metadata)->specs_by_id, spec_id);
    return at ? &metadata->specs[at->number] : NULL;
}

const frz_partition_spec *frz_metadata_spec(const frz_metadata *metadata)
{
    return frz_metadata_find_spec(metadata, metadata->default_spec_id);
}

const frz_sort_order *frz_metadata_find_sort_order(const frz_metadata *metadata, int32_t order_id)
{
    const frz_map_value *at = frz_map_find_i64(&object_of(metadata)->sort_orders_by_id, order_id);
    return at ? &metadata->sort_orders[at->number] : NULL;
}

const frz_snapshot *frz_metadata_find_snapshot(const frz_metadata *metadata, int64_t snapshot_id)
{
    return frz_snapshot_list_find(&object_of(metadata)->snapshots, snapshot_id);
}

const frz_snapshot *frz_metadata_current_snapshot(const frz_metadata *metadata)
{
    if (metadata->current_snapshot_id == FRZ_NO_SNAPSHOT)
        return NULL;
    return frz_metadata_find_snapshot(metadata, metadata->current_snapshot_id);
}

const frz_snapshot_ref *frz_metadata_find_ref(const frz_metadata *metadata, const char *name)
{
    for (size_t i = 0; i < metadata->ref_count; i++)
        if (strcmp(metadata->refs[i].name, name) == 0)
            return &metadata->refs[i];
    return NULL;
}

const char *frz_metadata_property(const frz_metadata *metadata, const char *key)
{
    for (size_t i = metadata->property_count; i > 0; i--)
        if (strcmp(metadata->properties[i - 1].key, key) == 0)
            return metadata->properties[i - 1].value;
    return NULL;
}

const frz_snapshot *frz_metadata_snapshot_as_of(const frz_metadata *metadata, int64_t timestamp_ms)
{
    const frz_snapshot *found = NULL;
    for (size_t i = 0; i < metadata->snapshot_log_count; i++)
        if (metadata->snapshot_log[i].timestamp_ms <= timestamp_ms)
            found = frz_metadata_find_snapshot(metadata, metadata->snapshot_log[i].snapshot_id);
    return found;
}

frz_schema *frz_metadata_snapshot_schema(const frz_metadata *metadata, const frz_snapshot *snapshot)
{
    frz_schema *schema =
        snapshot->schema_id < 0 ? NULL : frz_metadata_find_schema(metadata, snapshot->schema_id);
    return schema ? schema : frz_metadata_schema(metadata);
}

const frz_type *frz_metadata_partition_type(const frz_metadata *metadata, int32_t spec_id)
{
    const frz_metadata_object *object = object_of(metadata);
    const frz_map_value *at = frz_map_find_i64(&object->specs_by_id, spec_id);
    return at ? object->partition_types[at->number] : NULL;
}

/* Appendix C allows gzip, Appendix F its names; the bytes tell more surely than any name. */
static frz_codec compression_of(frz_slice bytes)
{
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (bytes.size >= 2 && bytes.data[0] == 0x1f && bytes.data[1] == 0x8b)
        return FRZ_CODEC_GZIP;
    if (bytes.size >= sizeof zstd && memcmp(bytes.data, zstd, sizeof zstd) == 0)
        return FRZ_CODEC_ZSTD;
    return FRZ_CODEC_NONE;
}

frz_status frz_metadata_read_text(frz_io *io, const char *location, const frz_limits *limits,
                                  frz_buffer *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer file = {0};
    FRZ_TRY_DONE(frz_io_read_file(io, location, limits->metadata_size, &file, err));
    const frz_codec codec = compression_of(frz_buffer_slice(&file));
    if (codec == FRZ_CODEC_NONE) {
        *out = file;
        file = (frz_buffer){0};
        goto done;
    }
    FRZ_TRY_DONE(frz_codec_decompress_unknown(NULL, codec, frz_buffer_slice(&file),
                                              limits->metadata_size, out, err));
done:
    frz_buffer_clear(&file);
    return status;
}

frz_status frz_metadata_read(frz_io *io, const char *location, const frz_limits *limits,
                             frz_metadata **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer text = {0};
    if (!limits)
        limits = &frz_limits_default;
    FRZ_TRY_DONE(frz_metadata_read_text(io, location, limits, &text, err));
    FRZ_TRY_DONE(frz_metadata_parse(frz_buffer_slice(&text), limits, out, err));
done:
    frz_buffer_clear(&text);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "table metadata %s", location);
}
