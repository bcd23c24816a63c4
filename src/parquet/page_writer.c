#include "parquet/page_writer.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "parquet/rle_encode.h"
#include "parquet/thrift.h"

/* parquet.thrift PageType. */
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2, PAGE_DATA_V2 = 3 };

/* Sizes of a page are int32 in its header. */
static frz_status check_size(size_t size, frz_error **err)
{
    if (size <= INT32_MAX)
        return FRZ_OK;
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                    "a Parquet page of %zu bytes: over 2 GiB, values too large", size);
}

/* Levels of one kind, without a length in front; none when only level 0 exists. */
static void encode_levels(const uint8_t *levels, size_t count, int16_t max, frz_buffer *out)
{
    const int bit_width = frz_parquet_bit_width((uint64_t)max);
    if (max == 0)
        return;
    if (levels)
        frz_parquet_rle_encode_levels(levels, count, bit_width, out);
    else
        frz_parquet_rle_encode_run((uint32_t)max, count, bit_width, out);
}

/* Data page V1 puts the size of each level run in front of it (Encodings.md, "RLE"). */
static void append_sized_levels(const uint8_t *levels, size_t count, int16_t max, frz_buffer *out)
{
    if (max == 0)
        return;
    const size_t at = out->size;
    frz_buffer_append_u32le(out, 0);
    encode_levels(levels, count, max, out);
    if (out->failed)
        return;
    const uint32_t size = (uint32_t)(out->size - at - sizeof(uint32_t));
    memcpy(out->data + at, &size, sizeof size);
}

/* What goes to the codec: *out is borrowed from the writer's scratch or from `bytes`. */
static frz_status compress(frz_parquet_page_writer *writer, frz_slice bytes, frz_slice *out,
                           frz_error **err)
{
    FRZ_TRY(check_size(bytes.size, err));
    *out = bytes;
    if (writer->codec == FRZ_CODEC_NONE)
        return FRZ_OK;
    frz_buffer_reset(&writer->compressed);
    FRZ_TRY(frz_codec_compress(writer->context, writer->codec, writer->codec_level, bytes,
                               &writer->compressed, err));
    *out = frz_buffer_slice(&writer->compressed);
    return check_size(out->size, err);
}

/* The fields that all page headers begin with. */
static void write_header_start(frz_thrift_writer *header, int32_t page_type, size_t uncompressed,
                               frz_slice first, frz_slice rest)
{
    const uint32_t crc =
        frz_hash_crc32(frz_hash_crc32(0, first.data, first.size), rest.data, rest.size);
    frz_thrift_write_i32(header, 1, page_type);
    frz_thrift_write_i32(header, 2, (int32_t)uncompressed);
    frz_thrift_write_i32(header, 3, (int32_t)(first.size + rest.size));
    frz_thrift_write_i32(header, 4, (int32_t)crc);
}

/* Header, then two runs of bytes; `header` is emptied. */
static frz_status finish_page(frz_buffer *header, size_t uncompressed, frz_slice first,
                              frz_slice rest, frz_parquet_page_bytes *out, frz_error **err)
{
    frz_status status = frz_buffer_check(header, err);
    const size_t size = header->size + first.size + rest.size;
    uint8_t *bytes = status == FRZ_OK ? frz_alloc(size) : NULL;
    if (bytes) {
        memcpy(bytes, header->data, header->size);
        if (first.size)
            memcpy(bytes + header->size, first.data, first.size);
        if (rest.size)
            memcpy(bytes + header->size + first.size, rest.data, rest.size);
        *out = (frz_parquet_page_bytes){bytes, size, header->size + uncompressed};
    } else if (status == FRZ_OK) {
        status = frz_fail_memory(err);
    }
    frz_buffer_clear(header);
    return status;
}

/* DataPageHeader: levels and values are compressed together. */
static frz_status write_v1(frz_parquet_page_writer *writer, const frz_parquet_page_content *content,
                           frz_parquet_page_bytes *out, frz_error **err)
{
    const frz_parquet_node *leaf = content->leaf;
    frz_slice body = content->values;
    frz_slice compressed = {0};
    if (leaf->max_definition > 0 || leaf->max_repetition > 0) {
        frz_buffer_reset(&writer->body);
        append_sized_levels(content->repetition, content->slot_count, leaf->max_repetition,
                            &writer->body);
        append_sized_levels(content->definition, content->slot_count, leaf->max_definition,
                            &writer->body);
        frz_buffer_append(&writer->body, body.data, body.size);
        FRZ_TRY(frz_buffer_check(&writer->body, err));
        body = frz_buffer_slice(&writer->body);
    }
    FRZ_TRY(compress(writer, body, &compressed, err));

    frz_buffer bytes = {0};
    frz_thrift_writer header = frz_thrift_writer_to(&bytes);
    const int16_t top = frz_thrift_write_begin(&header);
    write_header_start(&header, PAGE_DATA, body.size, compressed, (frz_slice){0});
    const int16_t outer = frz_thrift_write_struct(&header, 5);
    frz_thrift_write_i32(&header, 1, (int32_t)content->slot_count);
    frz_thrift_write_i32(&header, 2, (int32_t)content->encoding);
    frz_thrift_write_i32(&header, 3, FRZ_PARQUET_RLE);
    frz_thrift_write_i32(&header, 4, FRZ_PARQUET_RLE);
    frz_thrift_write_end(&header, outer);
    frz_thrift_write_end(&header, top);
    return finish_page(&bytes, body.size, compressed, (frz_slice){0}, out, err);
}

/* DataPageHeaderV2: levels stand uncompressed in front, without sizes of their own. */
static frz_status write_v2(frz_parquet_page_writer *writer, const frz_parquet_page_content *content,
                           frz_parquet_page_bytes *out, frz_error **err)
{
    const frz_parquet_node *leaf = content->leaf;
    frz_slice compressed = {0};
    frz_buffer_reset(&writer->levels);
    encode_levels(content->repetition, content->slot_count, leaf->max_repetition, &writer->levels);
    const size_t repetition_size = writer->levels.size;
    encode_levels(content->definition, content->slot_count, leaf->max_definition, &writer->levels);
    FRZ_TRY(frz_buffer_check(&writer->levels, err));
    const frz_slice levels = frz_buffer_slice(&writer->levels);
    const bool pack = writer->codec != FRZ_CODEC_NONE && content->values.size > 0;
    if (pack)
        FRZ_TRY(compress(writer, content->values, &compressed, err));
    else
        compressed = content->values;
    FRZ_TRY(check_size(levels.size + content->values.size, err));
    FRZ_TRY(check_size(levels.size + compressed.size, err));

    frz_buffer bytes = {0};
    frz_thrift_writer header = frz_thrift_writer_to(&bytes);
    const int16_t top = frz_thrift_write_begin(&header);
    write_header_start(&header, PAGE_DATA_V2, levels.size + content->values.size, levels,
                       compressed);
    const int16_t outer = frz_thrift_write_struct(&header, 8);
    frz_thrift_write_i32(&header, 1, (int32_t)content->slot_count);
    frz_thrift_write_i32(&header, 2, (int32_t)content->null_count);
    frz_thrift_write_i32(&header, 3, (int32_t)content->row_count);
    frz_thrift_write_i32(&header, 4, (int32_t)content->encoding);
    frz_thrift_write_i32(&header, 5, (int32_t)(levels.size - repetition_size));
    frz_thrift_write_i32(&header, 6, (int32_t)repetition_size);
    frz_thrift_write_bool(&header, 7, pack);
    frz_thrift_write_end(&header, outer);
    frz_thrift_write_end(&header, top);
    return finish_page(&bytes, levels.size + content->values.size, levels, compressed, out, err);
}

frz_status frz_parquet_page_write(frz_parquet_page_writer *writer,
                                  const frz_parquet_page_content *content,
                                  frz_parquet_page_bytes *out, frz_error **err)
{
    FRZ_TRY(check_size(content->slot_count, err));
    return writer->data_page_v2 ? write_v2(writer, content, out, err)
                                : write_v1(writer, content, out, err);
}

frz_status frz_parquet_page_write_dictionary(frz_parquet_page_writer *writer, frz_slice plain,
                                             size_t count, frz_parquet_page_bytes *out,
                                             frz_error **err)
{
    frz_slice compressed = {0};
    FRZ_TRY(compress(writer, plain, &compressed, err));
    frz_buffer bytes = {0};
    frz_thrift_writer header = frz_thrift_writer_to(&bytes);
    const int16_t top = frz_thrift_write_begin(&header);
    write_header_start(&header, PAGE_DICTIONARY, plain.size, compressed, (frz_slice){0});
    const int16_t outer = frz_thrift_write_struct(&header, 7);
    frz_thrift_write_i32(&header, 1, (int32_t)count);
    frz_thrift_write_i32(&header, 2, FRZ_PARQUET_PLAIN);
    frz_thrift_write_end(&header, outer);
    frz_thrift_write_end(&header, top);
    return finish_page(&bytes, plain.size, compressed, (frz_slice){0}, out, err);
}

void frz_parquet_page_writer_clear(frz_parquet_page_writer *writer)
{
    frz_buffer_clear(&writer->body);
    frz_buffer_clear(&writer->levels);
    frz_buffer_clear(&writer->compressed);
}
