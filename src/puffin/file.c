#include "puffin/file.h"

#include <stdio.h>

#include "base/codec.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "base/mem.h"
#include "frazil/frazil.h"
#include "io/file.h"
#include "json/reader.h"
#include "json/writer.h"

/* "Footer structure": Magic FooterPayload FooterPayloadSize Flags Magic. */
static const uint8_t magic[4] = {'P', 'F', 'A', '1'};
#define MAGIC_SIZE 4u
#define FOOTER_TAIL_SIZE 12u
#define FOOTER_FRAME_SIZE 16u
#define FLAG_COMPRESSED 1u

/* Where the footer's payload stands. */
typedef struct payload_place {
    uint64_t offset;
    size_t size;
    bool compressed;
} payload_place;

static frz_status check_magic(frz_input *input, uint64_t offset, frz_error **err)
{
    uint8_t found[MAGIC_SIZE];
    FRZ_TRY(frz_input_read_at(input, offset, found, sizeof found, err));
    if (memcmp(found, magic, sizeof magic) == 0)
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, offset,
                    "not a Puffin file: %02x%02x%02x%02x where the magic PFA1 is expected",
                    found[0], found[1], found[2], found[3]);
}

static frz_status find_payload(frz_input *input, const frz_limits *limits, payload_place *out,
                               frz_error **err)
{
    const uint64_t file_size = frz_input_size(input);
    uint8_t tail[FOOTER_TAIL_SIZE];
    if (file_size < MAGIC_SIZE + FOOTER_FRAME_SIZE)
        return frz_fail(err, FRZ_CORRUPT, file_size, "Puffin: %llu bytes, at least %u",
                        (unsigned long long)file_size, MAGIC_SIZE + FOOTER_FRAME_SIZE);
    FRZ_TRY(check_magic(input, 0, err));
    FRZ_TRY(check_magic(input, file_size - MAGIC_SIZE, err));
    FRZ_TRY(frz_input_read_at(input, file_size - FOOTER_TAIL_SIZE, tail, sizeof tail, err));
    frz_cursor in = frz_cursor_over(tail, sizeof tail);
    const int32_t size = (int32_t)frz_cursor_u32le(&in);
    const uint32_t flags = frz_cursor_u32le(&in);
    if (flags & ~FLAG_COMPRESSED)
        return frz_fail(err, FRZ_UNSUPPORTED, file_size - 8,
                        "Puffin: footer flags %08x, known is %08x", (unsigned)flags,
                        FLAG_COMPRESSED);
    const uint64_t room = file_size - MAGIC_SIZE - FOOTER_FRAME_SIZE;
    if (size < 0 || (uint64_t)size > room)
        return frz_fail(err, FRZ_CORRUPT, file_size - FOOTER_TAIL_SIZE,
                        "Puffin: footer of %d bytes in a file of %llu", (int)size,
                        (unsigned long long)file_size);
    if ((size_t)size > limits->puffin_footer_size)
        return frz_fail(err, FRZ_UNSUPPORTED, file_size - FOOTER_TAIL_SIZE,
                        "Puffin: footer of %d bytes (limit puffin_footer_size %zu)", (int)size,
                        limits->puffin_footer_size);
    *out = (payload_place){.offset = file_size - FOOTER_TAIL_SIZE - (uint64_t)size,
                           .size = (size_t)size,
                           .compressed = flags & FLAG_COMPRESSED};
    return check_magic(input, out->offset - MAGIC_SIZE, err);
}

static frz_status read_payload(frz_input *input, const frz_limits *limits,
                               const payload_place *place, frz_buffer *out, frz_error **err)
{
    frz_buffer packed = {0};
    frz_status status = FRZ_OK;
    frz_buffer *to = place->compressed ? &packed : out;
    uint8_t *bytes = frz_buffer_extend(to, place->size);
    if (!bytes)
        return frz_fail_memory(err);
    FRZ_TRY_DONE(frz_input_read_at(input, place->offset, bytes, place->size, err));
    if (place->compressed) {
        status = frz_codec_decompress_unknown(NULL, FRZ_CODEC_LZ4_FRAME, frz_buffer_slice(&packed),
                                              limits->puffin_footer_size, out, err);
        if (status != FRZ_OK)
            (void)frz_context(err, status, "Puffin: footer at byte %llu",
                              (unsigned long long)place->offset);
    }
done:
    frz_buffer_clear(&packed);
    return status;
}

/* Grows an array in the arena by one zeroed item: doubles by copying. */
static void *push(frz_arena *arena, void *items, size_t count, size_t item_size)
{
    if (count == 0 || (count & (count - 1)) != 0)
        return count == 0 ? frz_arena_array(arena, 1, item_size) : items;
    void *grown = frz_arena_array(arena, 2 * count, item_size);
    if (grown)
        memcpy(grown, items, count * item_size);
    return grown;
}

static frz_status read_properties(frz_json_reader *json, frz_arena *arena,
                                  const frz_puffin_property **out, size_t *count_out,
                                  frz_error **err)
{
    frz_puffin_property *properties = NULL;
    size_t count = 0;
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;; count++) {
        frz_slice key = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            break;
        properties = push(arena, properties, count, sizeof *properties);
        if (!properties)
            return frz_fail_memory(err);
        properties[count].key = frz_arena_text_n(arena, key.data, key.size);
        if (!properties[count].key)
            return frz_fail_memory(err);
        FRZ_TRY(frz_json_read_text(json, &properties[count].value, err));
    }
    *out = properties;
    *count_out = count;
    return FRZ_OK;
}

static frz_status read_fields(frz_json_reader *json, frz_arena *arena, frz_puffin_blob *blob,
                              frz_error **err)
{
    int32_t *fields = NULL;
    size_t count = 0;
    FRZ_TRY(frz_json_enter_array(json, err));
    for (;; count++) {
        bool more = false;
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more)
            break;
        fields = push(arena, fields, count, sizeof *fields);
        if (!fields)
            return frz_fail_memory(err);
        FRZ_TRY(frz_json_read_i32(json, &fields[count], err));
    }
    blob->fields = fields;
    blob->field_count = count;
    return FRZ_OK;
}

static const char *const blob_keys[] = {"type",   "fields", "snapshot-id",       "sequence-number",
                                        "offset", "length", "compression-codec", "properties"};
enum { BLOB_KEYS_REQUIRED = 6 };

static frz_status read_blob_value(frz_json_reader *json, size_t key, frz_arena *arena,
                                  frz_puffin_blob *blob, frz_error **err)
{
    bool is_null = false;
    switch (key) {
    case 0:
        return frz_json_read_text(json, &blob->type, err);
    case 1:
        return read_fields(json, arena, blob, err);
    case 2:
        return frz_json_read_i64(json, &blob->snapshot_id, err);
    case 3:
        return frz_json_read_i64(json, &blob->sequence_number, err);
    case 4:
        return frz_json_read_i64(json, &blob->offset, err);
    case 5:
        return frz_json_read_i64(json, &blob->length, err);
    case 6:
        FRZ_TRY(frz_json_read_null(json, &is_null, err));
        return is_null ? FRZ_OK : frz_json_read_text(json, &blob->compression_codec, err);
    case 7:
        return read_properties(json, arena, &blob->properties, &blob->property_count, err);
    default:
        return frz_json_skip(json, err);
    }
}

/* "BlobMetadata". `end` is where the footer begins: blobs lie between the first magic and it. */
static frz_status read_blob(frz_json_reader *json, size_t index, uint64_t end, frz_arena *arena,
                            frz_puffin_blob *blob, frz_error **err)
{
    unsigned seen = 0;
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        frz_slice name = {0};
        bool more = false;
        size_t key = 0;
        FRZ_TRY(frz_json_next_key(json, &name, &more, err));
        if (!more)
            break;
        while (key < sizeof blob_keys / sizeof *blob_keys &&
               !frz_slice_is_text(name, blob_keys[key]))
            key++;
        FRZ_TRY(read_blob_value(json, key, arena, blob, err));
        seen |= 1u << key;
    }
    for (size_t key = 0; key < BLOB_KEYS_REQUIRED; key++)
        if (!(seen >> key & 1))
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "Puffin: blob %zu has no \"%s\"",
                            index, blob_keys[key]);
    if (blob->offset < (int64_t)MAGIC_SIZE || blob->length < 0 || (uint64_t)blob->offset > end ||
        (uint64_t)blob->length > end - (uint64_t)blob->offset)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "Puffin: blob %zu of %lld bytes at %lld, blobs lie between 4 and %llu",
                        index, (long long)blob->length, (long long)blob->offset,
                        (unsigned long long)end);
    return FRZ_OK;
}

static frz_status read_blobs(frz_json_reader *json, uint64_t end, frz_arena *arena,
                             frz_puffin_footer *footer, frz_error **err)
{
    frz_puffin_blob *blobs = NULL;
    size_t count = 0;
    FRZ_TRY(frz_json_enter_array(json, err));
    for (;; count++) {
        bool more = false;
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more)
            break;
        blobs = push(arena, blobs, count, sizeof *blobs);
        if (!blobs)
            return frz_fail_memory(err);
        FRZ_TRY(read_blob(json, count, end, arena, &blobs[count], err));
    }
    footer->blobs = blobs;
    footer->blob_count = count;
    return FRZ_OK;
}

/* "FileMetadata". */
static frz_status parse_footer(frz_slice text, uint64_t end, frz_arena *arena,
                               frz_puffin_footer *out, frz_error **err)
{
    frz_json_reader json = frz_json_reader_over(text, arena);
    frz_puffin_footer footer = {0};
    bool has_blobs = false;
    FRZ_TRY(frz_json_enter_object(&json, err));
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_key(&json, &key, &more, err));
        if (!more)
            break;
        if (frz_slice_is_text(key, "blobs")) {
            has_blobs = true;
            FRZ_TRY(read_blobs(&json, end, arena, &footer, err));
        } else if (frz_slice_is_text(key, "properties")) {
            FRZ_TRY(read_properties(&json, arena, &footer.properties, &footer.property_count, err));
        } else {
            FRZ_TRY(frz_json_skip(&json, err));
        }
    }
    FRZ_TRY(frz_json_expect_end(&json, err));
    if (!has_blobs)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "Puffin: the footer has no \"blobs\"");
    *out = footer;
    return FRZ_OK;
}

frz_status frz_puffin_footer_read(frz_input *input, const frz_limits *limits, frz_arena *arena,
                                  frz_puffin_footer *out, frz_error **err)
{
    payload_place place = {0};
    frz_buffer payload = {0};
    frz_slice text = {0};
    frz_status status = FRZ_OK;
    if (!limits)
        limits = &frz_limits_default;
    FRZ_TRY_DONE(find_payload(input, limits, &place, err));
    FRZ_TRY_DONE(read_payload(input, limits, &place, &payload, err));
    if (!frz_arena_slice(arena, frz_buffer_slice(&payload),
                         &text)) { /* strings are borrowed from it */
        status = frz_fail_memory(err);
        goto done;
    }
    status = parse_footer(text, place.offset - MAGIC_SIZE, arena, out, err);
    if (status != FRZ_OK)
        (void)frz_context(err, status, "Puffin footer, from byte %llu",
                          (unsigned long long)place.offset);
done:
    frz_buffer_clear(&payload);
    return status;
}

static frz_status blob_codec(const frz_puffin_blob *blob, frz_codec *out, frz_error **err)
{
    *out = FRZ_CODEC_NONE;
    if (!blob->compression_codec)
        return FRZ_OK;
    if (strcmp(blob->compression_codec, "lz4") == 0)
        *out = FRZ_CODEC_LZ4_FRAME;
    else if (strcmp(blob->compression_codec, "zstd") == 0)
        *out = FRZ_CODEC_ZSTD;
    else
        return frz_fail(err, FRZ_UNSUPPORTED, (uint64_t)blob->offset,
                        "Puffin: blob compressed with \"%s\"", blob->compression_codec);
    return FRZ_OK;
}

frz_status frz_puffin_blob_read(frz_input *input, const frz_puffin_blob *blob, size_t size_max,
                                frz_buffer *out, frz_error **err)
{
    frz_codec codec = FRZ_CODEC_NONE;
    frz_buffer packed = {0};
    frz_status status = FRZ_OK;
    const size_t start = out->size;
    FRZ_TRY(blob_codec(blob, &codec, err));
    if ((uint64_t)blob->length > size_max)
        return frz_fail(err, FRZ_UNSUPPORTED, (uint64_t)blob->offset,
                        "Puffin: blob of %lld bytes, at most %zu", (long long)blob->length,
                        size_max);
    uint8_t *bytes =
        frz_buffer_extend(codec == FRZ_CODEC_NONE ? out : &packed, (size_t)blob->length);
    if (!bytes)
        return frz_fail_memory(err);
    FRZ_TRY_DONE(
        frz_input_read_at(input, (uint64_t)blob->offset, bytes, (size_t)blob->length, err));
    if (codec != FRZ_CODEC_NONE)
        FRZ_TRY_DONE(frz_codec_decompress_unknown(NULL, codec, frz_buffer_slice(&packed), size_max,
                                                  out, err));
done:
    if (status != FRZ_OK)
        out->size = start;
    frz_buffer_clear(&packed);
    return status == FRZ_OK
               ? FRZ_OK
               : frz_context(err, status, "Puffin blob at byte %lld", (long long)blob->offset);
}

struct frz_puffin_writer {
    frz_output *output; /* borrowed */
    uint64_t size;
    frz_buffer blobs; /* their JSON, printed as they come */
    frz_json_writer json;
    bool failed;
};

static frz_status write_bytes(frz_puffin_writer *w, frz_slice bytes, frz_error **err)
{
    FRZ_TRY(frz_output_write(w->output, bytes.data, bytes.size, err));
    w->size += bytes.size;
    return FRZ_OK;
}

frz_status frz_puffin_writer_open(frz_output *output, frz_puffin_writer **out, frz_error **err)
{
    frz_puffin_writer *w = frz_alloc_zero(sizeof *w);
    if (!w)
        return frz_fail_memory(err);
    w->output = output;
    w->json = frz_json_writer_to(&w->blobs, 0);
    frz_json_open_object(&w->json);
    frz_json_key(&w->json, "blobs");
    frz_json_open_array(&w->json);
    const frz_status status = write_bytes(w, frz_slice_of(magic, sizeof magic), err);
    if (status != FRZ_OK) {
        frz_puffin_writer_free(w);
        return status;
    }
    *out = w;
    return FRZ_OK;
}

static void print_properties(frz_json_writer *json, const frz_puffin_property *properties,
                             size_t count)
{
    frz_json_key(json, "properties");
    frz_json_open_object(json);
    for (size_t i = 0; i < count; i++) {
        frz_json_key(json, properties[i].key);
        frz_json_string(json, properties[i].value);
    }
    frz_json_close_object(json);
}

static void print_blob(frz_json_writer *json, const frz_puffin_blob *blob, uint64_t offset,
                       size_t size)
{
    frz_json_open_object(json);
    frz_json_key(json, "type");
    frz_json_string(json, blob->type);
    frz_json_key(json, "fields");
    frz_json_open_array(json);
    for (size_t i = 0; i < blob->field_count; i++)
        frz_json_i64(json, blob->fields[i]);
    frz_json_close_array(json);
    frz_json_key(json, "snapshot-id");
    frz_json_i64(json, blob->snapshot_id);
    frz_json_key(json, "sequence-number");
    frz_json_i64(json, blob->sequence_number);
    frz_json_key(json, "offset");
    frz_json_i64(json, (int64_t)offset);
    frz_json_key(json, "length");
    frz_json_i64(json, (int64_t)size);
    if (blob->compression_codec) {
        frz_json_key(json, "compression-codec");
        frz_json_string(json, blob->compression_codec);
    }
    if (blob->property_count)
        print_properties(json, blob->properties, blob->property_count);
    frz_json_close_object(json);
}

frz_status frz_puffin_writer_add(frz_puffin_writer *w, const frz_puffin_blob *blob, frz_slice bytes,
                                 int64_t *offset_out, frz_error **err)
{
    const uint64_t offset = w->size;
    if (w->failed)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a Puffin writer used after its end");
    w->failed = true; /* until all of it has worked */
    FRZ_TRY(write_bytes(w, bytes, err));
    print_blob(&w->json, blob, offset, bytes.size);
    FRZ_TRY(frz_buffer_check(&w->blobs, err));
    w->failed = false;
    *offset_out = (int64_t)offset;
    return FRZ_OK;
}

frz_status frz_puffin_writer_finish(frz_puffin_writer *w, uint64_t *size_out, frz_error **err)
{
    char version[64];
    const frz_puffin_property created_by = {"created-by", version};
    frz_buffer footer = {0};
    frz_status status = FRZ_OK;
    if (w->failed)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a Puffin writer used after its end");
    w->failed = true;
    (void)snprintf(version, sizeof version, "frazil %s", frz_version());
    frz_json_close_array(&w->json);
    print_properties(&w->json, &created_by, 1);
    frz_json_close_object(&w->json);
    FRZ_TRY_DONE(frz_buffer_check(&w->blobs, err));
    if (w->blobs.size > INT32_MAX) {
        status = frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                          "Puffin: footer of %zu bytes, its size has 31 bits", w->blobs.size);
        goto done;
    }
    frz_buffer_append(&footer, magic, sizeof magic);
    frz_buffer_append(&footer, w->blobs.data, w->blobs.size);
    frz_buffer_append_u32le(&footer, (uint32_t)w->blobs.size);
    frz_buffer_append_u32le(&footer, 0);
    frz_buffer_append(&footer, magic, sizeof magic);
    FRZ_TRY_DONE(frz_buffer_check(&footer, err));
    FRZ_TRY_DONE(write_bytes(w, frz_buffer_slice(&footer), err));
    *size_out = w->size;
done:
    frz_buffer_clear(&footer);
    return status;
}

void frz_puffin_writer_free(frz_puffin_writer *w)
{
    if (!w)
        return;
    frz_buffer_clear(&w->blobs);
    frz_free(w);
}
