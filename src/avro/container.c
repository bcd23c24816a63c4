#include "avro/container.h"

#include <assert.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/hash.h"
#include "io/file.h"

/* How much is read at once. Most manifests are smaller, and then are one read. */
#define CONTAINER_WINDOW ((uint64_t)4 << 20)
/* A block's count and size take at most this. */
#define BLOCK_HEADER_MAX 20

static const uint8_t magic[4] = {'O', 'b', 'j', 1};

/* The bytes [offset, offset + size), which must lie in the file; borrowed until the next call. */
static frz_status view(frz_avro_container *c, uint64_t offset, size_t size, const uint8_t **out,
                       frz_error **err)
{
    const uint8_t *mapped = frz_input_mapped(c->input);
    if (mapped) {
        *out = mapped + offset;
        return FRZ_OK;
    }
    const uint64_t end = c->window_offset + c->window.size;
    if (offset < c->window_offset || offset > end || size > end - offset) {
        uint64_t wanted = size > CONTAINER_WINDOW ? size : CONTAINER_WINDOW;
        if (wanted > c->file_size - offset)
            wanted = c->file_size - offset;
        frz_buffer_reset(&c->window);
        uint8_t *bytes = frz_buffer_extend(&c->window, (size_t)wanted);
        if (!bytes)
            return frz_fail_memory(err);
        c->window.size = 0; /* nothing is there until it is read */
        FRZ_TRY(frz_input_read_at(c->input, offset, bytes, (size_t)wanted, err));
        c->window.size = (size_t)wanted;
        c->window_offset = offset;
    }
    /* An empty file has no window: nothing may be added to its null pointer. */
    *out = c->window.data ? c->window.data + (offset - c->window_offset) : NULL;
    return FRZ_OK;
}

static frz_status parse_entry(frz_avro_container *c, frz_cursor *in, frz_avro_metadata *out,
                              frz_error **err)
{
    const int64_t key_size = frz_cursor_varint(in);
    const uint8_t *key = key_size < 0 ? NULL : frz_cursor_take(in, (size_t)key_size);
    const int64_t value_size = frz_cursor_varint(in);
    const uint8_t *value = value_size < 0 ? NULL : frz_cursor_take(in, (size_t)value_size);
    if (key_size < 0 || value_size < 0)
        return frz_fail(err, FRZ_CORRUPT, in->pos, "Avro header: a negative length");
    if (in->failed)
        return FRZ_END;
    out->key = frz_arena_text_n(&c->arena, key, (size_t)key_size);
    if (!out->key ||
        !frz_arena_slice(&c->arena, frz_slice_of(value, (size_t)value_size), &out->value))
        return frz_fail_memory(err);
    return FRZ_OK;
}

static frz_status add_entries(frz_avro_container *c, frz_cursor *in, uint64_t count,
                              frz_error **err)
{
    if (count > frz_cursor_left(in) / 2) /* an entry takes two lengths at least */
        return FRZ_END;
    frz_avro_metadata *grown =
        frz_arena_array(&c->arena, c->metadata_count + (size_t)count, sizeof *grown);
    if (!grown)
        return frz_fail_memory(err);
    if (c->metadata_count)
        memcpy(grown, c->metadata, c->metadata_count * sizeof *grown);
    c->metadata = grown;
    for (uint64_t i = 0; i < count; i++) {
        FRZ_TRY(parse_entry(c, in, &c->metadata[c->metadata_count], err));
        c->metadata_count++;
    }
    return FRZ_OK;
}

/* FRZ_END when the header goes on behind `bytes`. */
static frz_status parse_header(frz_avro_container *c, frz_slice bytes, frz_error **err)
{
    frz_cursor in = frz_cursor_over_slice(bytes);
    const uint8_t *start = frz_cursor_take(&in, sizeof magic);
    if (!start)
        return FRZ_END;
    if (memcmp(start, magic, sizeof magic) != 0)
        return frz_fail(err, FRZ_CORRUPT, 0,
                        "not an Avro file: begins with %02x %02x %02x %02x, not with \"Obj\" 01",
                        start[0], start[1], start[2], start[3]);
    for (;;) {
        const int64_t count = frz_cursor_varint(&in);
        if (count < 0)
            (void)frz_cursor_varint(&in); /* the size of the block, which we need not know */
        if (in.failed)
            return FRZ_END;
        if (count == 0)
            break;
        FRZ_TRY(add_entries(c, &in, count < 0 ? -(uint64_t)count : (uint64_t)count, err));
    }
    const uint8_t *sync = frz_cursor_take(&in, FRZ_AVRO_SYNC_SIZE);
    if (!sync)
        return FRZ_END;
    memcpy(c->sync, sync, FRZ_AVRO_SYNC_SIZE);
    c->offset = in.pos;
    return FRZ_OK;
}

static frz_status read_header(frz_avro_container *c, frz_error **err)
{
    uint64_t size = c->file_size < CONTAINER_WINDOW ? c->file_size : CONTAINER_WINDOW;
    for (;;) {
        const uint8_t *bytes = NULL;
        FRZ_TRY(view(c, 0, (size_t)size, &bytes, err));
        const frz_status status = parse_header(c, frz_slice_of(bytes, (size_t)size), err);
        if (status != FRZ_END)
            return status;
        if (size == c->file_size)
            return frz_fail(err, FRZ_CORRUPT, size, "Avro header: the file ends inside it");
        if (size >= c->limits->avro_header_size)
            return frz_fail(err, FRZ_UNSUPPORTED, size,
                            "Avro header: more than %zu bytes (limit avro_header_size)",
                            c->limits->avro_header_size);
        size =
            c->file_size < c->limits->avro_header_size ? c->file_size : c->limits->avro_header_size;
        c->metadata = NULL;
        c->metadata_count = 0;
        frz_arena_clear(&c->arena);
    }
}

static frz_status choose_codec(frz_avro_container *c, frz_error **err)
{
    static const struct {
        const char *name;
        frz_codec codec;
    } codecs[] = {
        {"null", FRZ_CODEC_NONE},      {"deflate", FRZ_CODEC_DEFLATE}, {"snappy", FRZ_CODEC_SNAPPY},
        {"zstandard", FRZ_CODEC_ZSTD}, {"bzip2", FRZ_CODEC_BZIP2},     {"xz", FRZ_CODEC_XZ},
    };
    frz_slice name = {0};
    if (!frz_avro_container_find(c, "avro.codec", &name) || name.size == 0)
        return FRZ_OK; /* absent is null ("Object Container Files") */
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        if (frz_slice_is_text(name, codecs[i].name)) {
            c->codec = codecs[i].codec;
            return FRZ_OK;
        }
    }
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "Avro codec \"%.*s\"",
                    name.size < 64 ? (int)name.size : 64, (const char *)name.data);
}

frz_status frz_avro_container_open(frz_avro_container *c, frz_input *input,
                                   const frz_limits *limits, frz_error **err)
{
    *c = (frz_avro_container){.input = input, .limits = limits, .file_size = frz_input_size(input)};
    c->arena.budget = limits->avro_header_size > SIZE_MAX / 4 ? 0 : 4 * limits->avro_header_size;
    frz_status status = read_header(c, err);
    if (status == FRZ_OK)
        status = choose_codec(c, err);
    if (status != FRZ_OK)
        frz_avro_container_clear(c);
    return status;
}

bool frz_avro_container_find(const frz_avro_container *c, const char *key, frz_slice *out)
{
    for (size_t i = 0; i < c->metadata_count; i++) {
        if (strcmp(c->metadata[i].key, key) == 0) {
            *out = c->metadata[i].value;
            return true;
        }
    }
    return false;
}

/* A snappy block ends with the CRC-32 of what it decompresses to, big endian ("snappy"). */
static frz_status check_snappy(const frz_avro_unpacker *unpacker, const frz_avro_block *block,
                               frz_error **err)
{
    const frz_slice bytes = block->bytes;
    frz_cursor tail = frz_cursor_over(bytes.data + bytes.size - 4, 4);
    const uint32_t stored = frz_cursor_u32be(&tail);
    const uint32_t computed = frz_hash_crc32(0, unpacker->bytes.data, unpacker->bytes.size);
    if (stored == computed)
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, block->offset + bytes.size - 4,
                    "Avro block: checksum %08x, its bytes have %08x", (unsigned)stored,
                    (unsigned)computed);
}

frz_status frz_avro_block_unpack(const frz_avro_container *c, frz_avro_unpacker *unpacker,
                                 frz_avro_block *block, frz_error **err)
{
    frz_slice packed = block->bytes;
    if (!block->packed)
        return FRZ_OK;
    if (c->codec == FRZ_CODEC_SNAPPY && packed.size < 4)
        return frz_fail(err, FRZ_CORRUPT, block->offset,
                        "Avro block: %zu bytes, no room for a checksum", packed.size);
    if (c->codec == FRZ_CODEC_SNAPPY)
        packed.size -= 4;
    frz_buffer_reset(&unpacker->bytes);
    const frz_status status = frz_codec_decompress_unknown(
        &unpacker->context, c->codec, packed, c->limits->avro_block_size, &unpacker->bytes, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "Avro block at byte %llu",
                           (unsigned long long)block->offset);
    if (c->codec == FRZ_CODEC_SNAPPY)
        FRZ_TRY(check_snappy(unpacker, block, err));
    block->bytes = frz_buffer_slice(&unpacker->bytes);
    return FRZ_OK;
}

void frz_avro_unpacker_clear(frz_avro_unpacker *unpacker)
{
    frz_codec_context_clear(&unpacker->context);
    frz_buffer_clear(&unpacker->bytes);
    *unpacker = (frz_avro_unpacker){0};
}

static frz_status read_block_header(frz_avro_container *c, int64_t *count_out, int64_t *size_out,
                                    uint64_t *offset_out, frz_error **err)
{
    const uint64_t left = c->file_size - c->offset;
    const size_t size = left < BLOCK_HEADER_MAX ? (size_t)left : BLOCK_HEADER_MAX;
    const uint8_t *bytes = NULL;
    FRZ_TRY(view(c, c->offset, size, &bytes, err));
    frz_cursor in = frz_cursor_over(bytes, size);
    *count_out = frz_cursor_varint(&in);
    *size_out = frz_cursor_varint(&in);
    if (in.failed)
        return frz_fail(
            err, FRZ_CORRUPT, c->offset + in.pos,
            "Avro block: the file ends inside its count and size, or they are malformed");
    *offset_out = c->offset + in.pos;
    if (*count_out < 0 || *size_out < 0)
        return frz_fail(err, FRZ_CORRUPT, c->offset, "Avro block: count %lld, size %lld",
                        (long long)*count_out, (long long)*size_out);
    const uint64_t behind = c->file_size - *offset_out;
    if (behind < FRZ_AVRO_SYNC_SIZE || (uint64_t)*size_out > behind - FRZ_AVRO_SYNC_SIZE)
        return frz_fail(err, FRZ_CORRUPT, c->offset,
                        "Avro block: %lld bytes and a sync marker, %llu are left",
                        (long long)*size_out, (unsigned long long)behind);
    if ((uint64_t)*size_out > c->limits->avro_block_size)
        return frz_fail(err, FRZ_UNSUPPORTED, c->offset,
                        "Avro block: %lld bytes, at most %zu (limit avro_block_size)",
                        (long long)*size_out, c->limits->avro_block_size);
    return FRZ_OK;
}

frz_status frz_avro_container_next(frz_avro_container *c, frz_avro_block *out, frz_error **err)
{
    int64_t count = 0;
    int64_t size = 0;
    uint64_t offset = 0;
    const uint8_t *bytes = NULL;
    if (c->offset == c->file_size)
        return FRZ_END;
    FRZ_TRY(read_block_header(c, &count, &size, &offset, err));
    FRZ_TRY(view(c, offset, (size_t)size + FRZ_AVRO_SYNC_SIZE, &bytes, err));
    assert(bytes); /* at least the marker was asked for */
    if (memcmp(bytes + size, c->sync, FRZ_AVRO_SYNC_SIZE) != 0)
        return frz_fail(err, FRZ_CORRUPT, offset + (uint64_t)size,
                        "Avro block: the sync marker behind it is not the file's");
    c->offset = offset + (uint64_t)size + FRZ_AVRO_SYNC_SIZE;
    *out = (frz_avro_block){.count = count,
                            .offset = offset,
                            .packed = c->codec != FRZ_CODEC_NONE,
                            .bytes = frz_slice_of(bytes, (size_t)size)};
    return FRZ_OK;
}

frz_status frz_avro_container_peek(frz_avro_container *c, size_t *size_out, frz_error **err)
{
    int64_t count = 0;
    int64_t size = 0;
    uint64_t offset = 0;
    if (c->offset == c->file_size)
        return FRZ_END;
    FRZ_TRY(read_block_header(c, &count, &size, &offset, err));
    *size_out = (size_t)size;
    return FRZ_OK;
}

void frz_avro_container_clear(frz_avro_container *c)
{
    frz_arena_clear(&c->arena);
    frz_buffer_clear(&c->window);
    *c = (frz_avro_container){0};
}
