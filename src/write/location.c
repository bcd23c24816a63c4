#include "write/location.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "catalog/catalog.h"
#include "catalog/refused_properties.h"
#include "catalog/table.h"

enum { HASH_BITS = 20, FOLDER_BITS = 4, FOLDERS = 3 };

/* 20 bits of the name's hash as 0110/1001/0101/01010101. */
static void append_hash(frz_slice name, frz_buffer *out)
{
    const uint32_t hash = (uint32_t)frz_hash_murmur3(name.data, name.size);
    for (int bit = 0; bit < HASH_BITS; bit++) {
        if (bit > 0 && bit <= FOLDERS * FOLDER_BITS && bit % FOLDER_BITS == 0)
            frz_buffer_append_byte(out, '/');
        frz_buffer_append_byte(out, hash >> (HASH_BITS - 1 - bit) & 1 ? '1' : '0');
    }
}

/* The last two elements of the table's location, for data that lies outside of it. */
static frz_slice location_context(const char *location)
{
    size_t end = strlen(location);
    while (end > 0 && location[end - 1] == '/')
        end--;
    size_t start = end;
    for (int slashes = 0; start > 0; start--) {
        if (location[start - 1] == '/' && ++slashes == 2)
            break;
    }
    return frz_slice_of(location + start, end - start);
}

static frz_status object_location(const frz_metadata *metadata, frz_slice name, bool partitioned,
                                  frz_buffer *out, frz_error **err)
{
    frz_buffer base = {0};
    frz_table_data_path(metadata, "", &base);
    const frz_status status = frz_buffer_check(&base, err);
    const size_t location_size = strlen(metadata->location);
    if (status == FRZ_OK) {
        frz_buffer_append(out, base.data, base.size);
        append_hash(name, out);
        if (base.size < location_size ||
            memcmp(base.data, metadata->location, location_size) != 0) {
            const frz_slice context = location_context(metadata->location);
            frz_buffer_append_byte(out, '/');
            frz_buffer_append(out, context.data, context.size);
            frz_buffer_append_byte(out, '/');
        } else {
            frz_buffer_append_byte(out, partitioned ? '/' : '-');
        }
        frz_buffer_append(out, name.data, name.size);
    }
    frz_buffer_clear(&base);
    return status;
}

frz_status frz_data_location(const frz_metadata *metadata, int32_t spec_id, const frz_value *values,
                             const char *file_name, frz_buffer *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer name = {0};
    bool objects = false;
    bool partitioned = true;
    const frz_partition_spec *spec = frz_metadata_find_spec(metadata, spec_id);

    FRZ_TRY(frz_metadata_check_refused(metadata, err));
    FRZ_TRY(
        frz_metadata_property_bool(metadata, "write.object-storage.enabled", false, &objects, err));
    FRZ_TRY(frz_metadata_property_bool(metadata, "write.object-storage.partitioned-paths", true,
                                       &partitioned, err));
    if (values && spec->field_count > 0 && (!objects || partitioned)) {
        frz_partition_path(spec, frz_metadata_partition_type(metadata, spec_id), values, &name);
        frz_buffer_append_byte(&name, '/');
    }
    frz_buffer_append_text(&name, file_name);
    if (objects)
        FRZ_TRY_DONE(object_location(metadata, frz_buffer_slice(&name), partitioned, out, err));
    frz_buffer_append_byte(&name, 0);
    FRZ_TRY_DONE(frz_buffer_check(&name, err));
    if (!objects)
        frz_table_data_path(metadata, (const char *)name.data, out);
    frz_buffer_append_byte(out, 0);
    FRZ_TRY_DONE(frz_buffer_check(out, err));

done:
    frz_buffer_clear(&name);
    return status;
}
