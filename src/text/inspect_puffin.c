/*
 * The blobs of a Puffin file, and what is in its deletion vectors: their containers and their first
 * positions.
 */
#include <string.h>

#include "base/fail.h"
#include "puffin/bitmap.h"
#include "puffin/container.h"
#include "puffin/deletion_vector.h"
#include "puffin/file.h"
#include "text/inspect.h"

enum {
    POSITIONS_SHOWN = 10,
    CONTAINERS_SHOWN = 16 /* to people */
};

static void write_properties(frz_json_writer *json, const frz_puffin_property *properties,
                             size_t count)
{
    frz_json_key(json, "properties");
    frz_json_open_object(json);
    for (size_t i = 0; i < count; i++)
        frz_inspect_text(json, properties[i].key, properties[i].value);
    frz_json_close_object(json);
}

static void write_container(frz_json_writer *json, const frz_container *container)
{
    static const char *const kinds[] = {[FRZ_CONTAINER_ARRAY] = "array",
                                        [FRZ_CONTAINER_BITSET] = "bitset",
                                        [FRZ_CONTAINER_RUN] = "run"};
    int64_t first = 0;
    (void)frz_container_list(container, 0, &first, 1);
    frz_json_open_object(json);
    frz_inspect_text(json, "kind", kinds[container->kind]);
    frz_inspect_number(json, "first", first);
    frz_inspect_number(json, "last",
                       (int64_t)(container->key << 16 | frz_container_last(container)));
    frz_inspect_number(json, "positions", container->count);
    if (container->kind == FRZ_CONTAINER_RUN)
        frz_inspect_number(json, "runs", container->run_count);
    frz_inspect_number(json, "bytes", (int64_t)frz_container_size(container));
    frz_json_close_object(json);
}

static void write_vector(const frz_inspection *of, const frz_bitmap *bitmap)
{
    frz_json_writer *json = of->json;
    int64_t positions[POSITIONS_SHOWN];
    const size_t count = frz_bitmap_list(bitmap, 0, positions, POSITIONS_SHOWN);
    const size_t shown = of->brief && bitmap->container_count > CONTAINERS_SHOWN
                             ? CONTAINERS_SHOWN
                             : bitmap->container_count;
    frz_json_key(json, "deletion_vector");
    frz_json_open_object(json);
    frz_inspect_number(json, "positions", frz_bitmap_cardinality(bitmap));
    frz_json_key(json, "first_positions");
    frz_json_open_array(json);
    for (size_t i = 0; i < count; i++)
        frz_json_i64(json, positions[i]);
    frz_json_close_array(json);
    frz_inspect_number(json, "last_position", frz_bitmap_last(bitmap));
    frz_inspect_number(json, "container_count", (int64_t)bitmap->container_count);
    frz_json_key(json, "containers");
    frz_json_open_array(json);
    for (size_t i = 0; i < shown; i++)
        write_container(json, &bitmap->containers[i]);
    frz_json_close_array(json);
    frz_json_close_object(json);
}

static frz_status read_vector(const frz_inspection *of, const frz_puffin_blob *blob,
                              frz_error **err)
{
    frz_buffer bytes = {0};
    frz_bitmap *bitmap = NULL;
    frz_status status =
        frz_puffin_blob_read(of->input, blob, frz_limits_default.deletion_vector_size, &bytes, err);
    if (status == FRZ_OK)
        status = frz_deletion_vector_decode(frz_buffer_slice(&bytes), -1, &bitmap, err);
    if (status == FRZ_OK)
        write_vector(of, bitmap);
    frz_bitmap_free(bitmap);
    frz_buffer_clear(&bytes);
    return status;
}

static frz_status write_blob(const frz_inspection *of, const frz_puffin_blob *blob, frz_error **err)
{
    frz_json_writer *json = of->json;
    frz_json_open_object(json);
    frz_inspect_text(json, "type", blob->type);
    frz_json_key(json, "fields");
    frz_json_open_array(json);
    for (size_t i = 0; i < blob->field_count; i++)
        frz_json_i64(json, blob->fields[i]);
    frz_json_close_array(json);
    frz_inspect_number(json, "snapshot_id", blob->snapshot_id);
    frz_inspect_number(json, "sequence_number", blob->sequence_number);
    frz_inspect_number(json, "offset", blob->offset);
    frz_inspect_number(json, "length", blob->length);
    frz_inspect_text(json, "compression_codec", blob->compression_codec);
    write_properties(json, blob->properties, blob->property_count);
    if (strcmp(blob->type, "deletion-vector-v1") == 0) {
        const frz_status status = read_vector(of, blob, err);
        if (status != FRZ_OK)
            return status;
    }
    frz_json_close_object(json);
    return FRZ_OK;
}

frz_status frz_inspect_puffin(const frz_inspection *of, frz_error **err)
{
    frz_arena arena = {0};
    frz_puffin_footer footer = {0};
    frz_status status =
        frz_puffin_footer_read(of->input, &frz_limits_default, &arena, &footer, err);
    if (status == FRZ_OK) {
        write_properties(of->json, footer.properties, footer.property_count);
        frz_json_key(of->json, "blobs");
        frz_json_open_array(of->json);
    }
    for (size_t i = 0; i < footer.blob_count && status == FRZ_OK; i++) {
        status = write_blob(of, &footer.blobs[i], err);
        if (status != FRZ_OK)
            status = frz_context(err, status, "blob %zu", i);
    }
    if (status == FRZ_OK)
        frz_json_close_array(of->json);
    frz_arena_clear(&arena);
    return status;
}
