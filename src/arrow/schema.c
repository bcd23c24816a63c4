#include "arrow/schema.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/mem.h"

static const char field_id_key[] = "PARQUET:field_id";

/* What a schema of ours owns besides its children's own memory. */
typedef struct schema_private {
    char *format;
    char *name;
    uint8_t *metadata;
    struct ArrowSchema *children; /* n_children, zero until the caller fills them */
    struct ArrowSchema **child_pointers;
    int64_t child_count;
} schema_private;

static void release_schema(struct ArrowSchema *schema)
{
    schema_private *own = schema->private_data;
    for (int64_t i = 0; i < own->child_count; i++)
        frz_arrow_schema_clear(&own->children[i]);
    if (schema->dictionary) {
        frz_arrow_schema_clear(schema->dictionary);
        frz_free(schema->dictionary);
    }
    frz_free(own->format);
    frz_free(own->name);
    frz_free(own->metadata);
    frz_free(own->children);
    frz_free((void *)own->child_pointers);
    frz_free(own);
    *schema = (struct ArrowSchema){0};
}

void frz_arrow_schema_clear(struct ArrowSchema *schema)
{
    if (schema->release)
        schema->release(schema);
    *schema = (struct ArrowSchema){0};
}

void frz_arrow_array_clear(struct ArrowArray *array)
{
    if (array->release)
        array->release(array);
    *array = (struct ArrowArray){0};
}

void frz_arrow_stream_clear(struct ArrowArrayStream *stream)
{
    if (stream->release)
        stream->release(stream);
    *stream = (struct ArrowArrayStream){0};
}

static bool fill_private(schema_private *own, const char *format, const char *name,
                         int64_t child_count)
{
    own->format = frz_copy_text(format);
    own->name = frz_copy_text(name ? name : "");
    if (!own->format || !own->name)
        return false;
    if (child_count == 0)
        return true;
    own->children = frz_alloc_array((size_t)child_count, sizeof *own->children);
    own->child_pointers = frz_alloc_array((size_t)child_count, sizeof(void *));
    if (!own->children || !own->child_pointers)
        return false;
    own->child_count = child_count;
    for (int64_t i = 0; i < child_count; i++)
        own->child_pointers[i] = &own->children[i];
    return true;
}

static frz_status set_field_id(struct ArrowSchema *schema, int32_t field_id, frz_error **err)
{
    char text[16];
    const int size = snprintf(text, sizeof text, "%d", (int)field_id);
    const char *key = field_id_key;
    const frz_slice value = frz_slice_of(text, (size_t)size);
    return frz_arrow_schema_set_metadata(schema, &key, &value, 1, err);
}

frz_status frz_arrow_schema_init(struct ArrowSchema *out, const char *format, const char *name,
                                 bool nullable, int32_t field_id, int64_t child_count,
                                 frz_error **err)
{
    frz_status status = FRZ_OK;
    *out = (struct ArrowSchema){0};
    schema_private *own = frz_alloc_zero(sizeof *own);
    if (!own)
        return frz_fail_memory(err);
    *out = (struct ArrowSchema){.private_data = own, .release = release_schema};
    if (!fill_private(own, format, name, child_count)) {
        status = frz_fail_memory(err);
        goto done;
    }
    out->format = own->format;
    out->name = own->name;
    out->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
    out->n_children = child_count;
    out->children = own->child_pointers;
    if (field_id != FRZ_ARROW_NO_FIELD_ID)
        FRZ_TRY_DONE(set_field_id(out, field_id, err));
done:
    if (status != FRZ_OK)
        frz_arrow_schema_clear(out);
    return status;
}

frz_status frz_arrow_schema_set_metadata(struct ArrowSchema *schema, const char *const *keys,
                                         const frz_slice *values, size_t count, frz_error **err)
{
    assert(schema->release == release_schema);
    schema_private *own = schema->private_data;
    frz_buffer bytes = {0};
    frz_buffer_append_u32le(&bytes, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        frz_buffer_append_u32le(&bytes, (uint32_t)strlen(keys[i]));
        frz_buffer_append_text(&bytes, keys[i]);
        frz_buffer_append_u32le(&bytes, (uint32_t)values[i].size);
        frz_buffer_append(&bytes, values[i].data, values[i].size);
    }
    if (bytes.failed) {
        frz_buffer_clear(&bytes);
        return frz_fail_memory(err);
    }
    frz_free(own->metadata);
    own->metadata = bytes.data;
    schema->metadata = (const char *)own->metadata;
    return FRZ_OK;
}

static int32_t read_i32(const char **at)
{
    int32_t value;
    memcpy(&value, *at, sizeof value);
    *at += sizeof value;
    return value;
}

/*
 * The next string of Arrow's metadata block. The block carries no total size (C data interface,
 * "ArrowSchema.metadata"), so only a negative length can be told to be wrong; it reads as empty.
 */
static frz_slice read_text(const char **at)
{
    const int32_t size = read_i32(at);
    if (size <= 0)
        return (frz_slice){0};
    const frz_slice text = frz_slice_of(*at, (size_t)size);
    *at += size;
    return text;
}

size_t frz_arrow_schema_metadata_count(const struct ArrowSchema *schema)
{
    const char *at = schema->metadata;
    const int32_t count = at ? read_i32(&at) : 0;
    return count > 0 ? (size_t)count : 0;
}

frz_arrow_metadata_pair frz_arrow_schema_metadata_start(const struct ArrowSchema *schema)
{
    const char *at = schema->metadata;
    if (at)
        (void)read_i32(&at);
    return (frz_arrow_metadata_pair){.next = at};
}

void frz_arrow_schema_metadata_next(frz_arrow_metadata_pair *pair)
{
    pair->key = read_text(&pair->next);
    pair->value = read_text(&pair->next);
}

frz_slice frz_arrow_schema_metadata(const struct ArrowSchema *schema, const char *key)
{
    const size_t count = frz_arrow_schema_metadata_count(schema);
    frz_arrow_metadata_pair pair = frz_arrow_schema_metadata_start(schema);
    for (size_t i = 0; i < count; i++) {
        frz_arrow_schema_metadata_next(&pair);
        if (frz_slice_is_text(pair.key, key))
            return pair.value;
    }
    return (frz_slice){0};
}

/* [-]digits that fill `text`; false otherwise or outside of int32. */
static bool parse_i32(frz_slice text, int32_t *out)
{
    const bool negative = text.size && text.data[0] == '-';
    int64_t value = 0;
    if (text.size == (size_t)negative || text.size > 11)
        return false;
    for (size_t i = negative; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        value = value * 10 + (text.data[i] - '0');
    }
    value = negative ? -value : value;
    if (value < INT32_MIN || value > INT32_MAX)
        return false;
    *out = (int32_t)value;
    return true;
}

int32_t frz_arrow_schema_field_id(const struct ArrowSchema *schema)
{
    int32_t id = FRZ_ARROW_NO_FIELD_ID;
    return parse_i32(frz_arrow_schema_metadata(schema, field_id_key), &id) ? id
                                                                           : FRZ_ARROW_NO_FIELD_ID;
}

static size_t metadata_size(const char *metadata)
{
    const char *at = metadata;
    const int32_t count = read_i32(&at);
    for (int32_t i = 0; i < count; i++) {
        (void)read_text(&at);
        (void)read_text(&at);
    }
    return (size_t)(at - metadata);
}

static frz_status copy_metadata(const char *metadata, struct ArrowSchema *out, frz_error **err)
{
    schema_private *own = out->private_data;
    const size_t size = metadata_size(metadata);
    own->metadata = frz_alloc(size);
    if (!own->metadata)
        return frz_fail_memory(err);
    memcpy(own->metadata, metadata, size);
    out->metadata = (const char *)own->metadata;
    return FRZ_OK;
}

static frz_status copy_dictionary(const struct ArrowSchema *dictionary, struct ArrowSchema *out,
                                  frz_error **err)
{
    struct ArrowSchema *copy = frz_alloc_zero(sizeof *copy);
    if (!copy)
        return frz_fail_memory(err);
    const frz_status status = frz_arrow_schema_copy(dictionary, copy, err);
    if (status != FRZ_OK) {
        frz_free(copy);
        return status;
    }
    out->dictionary = copy;
    return FRZ_OK;
}

frz_status frz_arrow_schema_copy_as(const struct ArrowSchema *schema, const char *format,
                                    int64_t child_count, struct ArrowSchema *out, frz_error **err)
{
    FRZ_TRY(frz_arrow_schema_init(out, format, schema->name, true, FRZ_ARROW_NO_FIELD_ID,
                                  child_count, err));
    out->flags = schema->flags;
    if (!schema->metadata)
        return FRZ_OK;
    const frz_status status = copy_metadata(schema->metadata, out, err);
    if (status != FRZ_OK)
        frz_arrow_schema_clear(out);
    return status;
}

frz_status frz_arrow_schema_copy(const struct ArrowSchema *schema, struct ArrowSchema *out,
                                 frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowSchema copy = {0};
    FRZ_TRY_DONE(frz_arrow_schema_copy_as(schema, schema->format, schema->n_children, &copy, err));
    for (int64_t i = 0; i < schema->n_children; i++)
        FRZ_TRY_DONE(frz_arrow_schema_copy(schema->children[i], copy.children[i], err));
    if (schema->dictionary)
        FRZ_TRY_DONE(copy_dictionary(schema->dictionary, &copy, err));
    *out = copy;
    copy = (struct ArrowSchema){0};
done:
    frz_arrow_schema_clear(&copy);
    if (status != FRZ_OK)
        *out = (struct ArrowSchema){0};
    return status;
}
