#include "puffin/deletion_vector.h"

#include "base/cursor.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/limits.h"
#include "io/file.h"

/* length (4, big endian) of magic and bitmap · magic (4) · bitmap · CRC-32 (4, big endian) of magic
 * and bitmap (Puffin spec, "deletion-vector-v1 blob type"). */
static const uint8_t magic[4] = {0xd1, 0xd3, 0x39, 0x64};
#define FRAME_SIZE 12u

frz_status frz_deletion_vector_encode(const frz_bitmap *bitmap, frz_buffer *out, frz_error **err)
{
    const size_t start = out->size;
    frz_buffer_append_u32be(out, 0);
    frz_buffer_append(out, magic, sizeof magic);
    FRZ_TRY(frz_bitmap_encode(bitmap, out, err));
    const size_t size = out->size - start - 4;
    if (size > INT32_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "deletion vector of %zu bytes, its length has 31 bits", size);
    const uint32_t length = __builtin_bswap32((uint32_t)size);
    memcpy(out->data + start, &length, sizeof length);
    frz_buffer_append_u32be(out, frz_hash_crc32(0, out->data + start + 4, size));
    return frz_buffer_check(out, err);
}

static frz_status check_frame(frz_slice blob, frz_error **err)
{
    if (blob.size < FRAME_SIZE)
        return frz_fail(err, FRZ_CORRUPT, 0, "deletion vector: %zu bytes, at least %u", blob.size,
                        FRAME_SIZE);
    frz_cursor in = frz_cursor_over_slice(blob);
    const uint32_t length = frz_cursor_u32be(&in);
    if (length != blob.size - 8)
        return frz_fail(err, FRZ_CORRUPT, 0, "deletion vector: length %u, the blob has %zu",
                        (unsigned)length, blob.size - 8);
    const uint8_t *found = frz_cursor_take(&in, sizeof magic);
    if (memcmp(found, magic, sizeof magic) != 0)
        return frz_fail(err, FRZ_CORRUPT, 4,
                        "deletion vector: magic %02x%02x%02x%02x, expected d1d33964", found[0],
                        found[1], found[2], found[3]);
    frz_cursor tail = frz_cursor_over(blob.data + blob.size - 4, 4);
    const uint32_t stored = frz_cursor_u32be(&tail);
    const uint32_t computed = frz_hash_crc32(0, blob.data + 4, blob.size - 8);
    if (stored != computed)
        return frz_fail(err, FRZ_CORRUPT, blob.size - 4,
                        "deletion vector: checksum %08x, its bytes have %08x", (unsigned)stored,
                        (unsigned)computed);
    return FRZ_OK;
}

/* Takes the memory of `blob` once its frame is sound. */
static frz_status decode_taken(frz_buffer *blob, int64_t cardinality, frz_bitmap **out,
                               frz_error **err)
{
    frz_bitmap *bitmap = NULL;
    FRZ_TRY(check_frame(frz_buffer_slice(blob), err));
    const frz_status status =
        frz_bitmap_decode_taken(blob, 8, blob->size - FRAME_SIZE, &bitmap, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "deletion vector, from its byte 8");
    if (cardinality >= 0 && frz_bitmap_cardinality(bitmap) != cardinality) {
        const long long found = (long long)frz_bitmap_cardinality(bitmap);
        frz_bitmap_free(bitmap);
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "deletion vector: %lld positions, the manifest says %lld", found,
                        (long long)cardinality);
    }
    *out = bitmap;
    return FRZ_OK;
}

frz_status frz_deletion_vector_decode(frz_slice blob, int64_t cardinality, frz_bitmap **out,
                                      frz_error **err)
{
    frz_buffer copy = {0};
    frz_buffer_append(&copy, blob.data, blob.size);
    frz_status status = frz_buffer_check(&copy, err);
    if (status == FRZ_OK)
        status = decode_taken(&copy, cardinality, out, err);
    frz_buffer_clear(&copy);
    return status;
}

static frz_status read_range(frz_io *io, const char *location, int64_t offset, int64_t size,
                             frz_buffer *out, frz_error **err)
{
    frz_input *input = NULL;
    frz_status status = FRZ_OK;
    uint8_t *bytes = frz_buffer_extend(out, (size_t)size);
    if (!bytes)
        return frz_fail_memory(err);
    FRZ_TRY(frz_io_open(io, location, FRZ_IO_SIZE_UNKNOWN, &input, err));
    const uint64_t file_size = frz_input_size(input);
    if ((uint64_t)offset > file_size || (uint64_t)size > file_size - (uint64_t)offset)
        status = frz_fail(err, FRZ_CORRUPT, (uint64_t)offset,
                          "deletion vector of %lld bytes at %lld, the file has %llu",
                          (long long)size, (long long)offset, (unsigned long long)file_size);
    else
        status = frz_input_read_at(input, (uint64_t)offset, bytes, (size_t)size, err);
    frz_input_close(input);
    return status;
}

frz_status frz_deletion_vector_read(frz_io *io, const char *location, int64_t offset, int64_t size,
                                    int64_t cardinality, frz_bitmap **out, frz_error **err)
{
    frz_buffer blob = {0};
    frz_status status = FRZ_OK;
    if (offset < 0 || size < 0 || (uint64_t)size > frz_limits_default.deletion_vector_size)
        status =
            frz_fail(err, offset < 0 || size < 0 ? FRZ_CORRUPT : FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                     "deletion vector of %lld bytes at %lld (limit deletion_vector_size)",
                     (long long)size, (long long)offset);
    if (status == FRZ_OK)
        status = read_range(io, location, offset, size, &blob, err);
    if (status == FRZ_OK)
        status = decode_taken(&blob, cardinality, out, err);
    frz_buffer_clear(&blob);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "%s", location);
}
