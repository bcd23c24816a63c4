#include "parquet/page.h"

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "parquet/levels.h"
#include "parquet/thrift.h"

/* Counts and sizes are i32 in Thrift and never negative. */
static uint32_t read_count(frz_thrift_reader *reader, frz_thrift_type type)
{
    const int32_t value = frz_thrift_i32(reader, type);
    if (value < 0)
        frz_thrift_fail(reader, "a negative count or size");
    return value < 0 ? 0 : (uint32_t)value;
}

/* DataPageHeader and DictionaryPageHeader begin alike: values, then encoding. */
static void read_data_header(frz_thrift_reader *reader, frz_parquet_page_header *out)
{
    uint32_t seen = 0;
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id >= 1 && field.id <= 4 && field.type == FRZ_THRIFT_I32)
            seen |= 1u << field.id;
        if (field.id == 1)
            out->value_count = read_count(reader, field.type);
        else if (field.id == 2)
            out->encoding = frz_thrift_i32(reader, field.type);
        else if (field.id == 3 && field.type == FRZ_THRIFT_I32)
            out->definition_encoding = frz_thrift_i32(reader, field.type);
        else if (field.id == 4)
            out->repetition_encoding = frz_thrift_i32(reader, field.type);
        else
            frz_thrift_skip(reader, field.type);
    }
    frz_thrift_struct_end(reader, outer);
    const uint32_t needed = out->type == FRZ_PARQUET_PAGE_DATA ? 0x1e : 0x06;
    if ((seen & needed) != needed)
        frz_thrift_fail(reader, "the page header lacks its counts or encodings");
}

static void read_data_header_v2(frz_thrift_reader *reader, frz_parquet_page_header *out)
{
    uint32_t seen = 0;
    const int16_t outer = frz_thrift_struct_begin(reader);
    out->compressed = true; /* "If missing it is considered compressed" */
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id >= 1 && field.id <= 6)
            seen |= 1u << field.id;
        switch (field.id) {
        case 1:
            out->value_count = read_count(reader, field.type);
            break;
        case 2:
            out->null_count = read_count(reader, field.type);
            break;
        case 3:
            out->row_count = read_count(reader, field.type);
            break;
        case 4:
            out->encoding = frz_thrift_i32(reader, field.type);
            break;
        case 5:
            out->definition_size = read_count(reader, field.type);
            break;
        case 6:
            out->repetition_size = read_count(reader, field.type);
            break;
        case 7:
            out->compressed = frz_thrift_bool(reader, field.type);
            break;
        default:
            frz_thrift_skip(reader, field.type);
        }
    }
    frz_thrift_struct_end(reader, outer);
    if ((seen & 0x7e) != 0x7e)
        frz_thrift_fail(reader, "the page header lacks its counts or encodings");
}

static void read_header(frz_thrift_reader *reader, frz_parquet_page_header *out)
{
    enum { NEEDED = 1u << 1 | 1u << 2 | 1u << 3 };
    uint32_t seen = 0;
    int32_t body = -1;
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id >= 1 && field.id <= 3)
            seen |= 1u << field.id;
        if (field.id == 1) {
            out->type = frz_thrift_i32(reader, field.type);
        } else if (field.id == 2) {
            out->uncompressed_size = read_count(reader, field.type);
        } else if (field.id == 3) {
            out->compressed_size = read_count(reader, field.type);
        } else if (field.id == 4) {
            out->crc = (uint32_t)frz_thrift_i32(reader, field.type);
            out->has_crc = true;
        } else if (field.id == 5 || field.id == 7) {
            body = field.id == 5 ? FRZ_PARQUET_PAGE_DATA : FRZ_PARQUET_PAGE_DICTIONARY;
            read_data_header(reader, out);
        } else if (field.id == 8) {
            body = FRZ_PARQUET_PAGE_DATA_V2;
            read_data_header_v2(reader, out);
        } else {
            frz_thrift_skip(reader, field.type);
        }
    }
    frz_thrift_struct_end(reader, outer);
    if ((seen & NEEDED) != NEEDED)
        frz_thrift_fail(reader, "the page header lacks its type or sizes");
    const bool known = out->type == FRZ_PARQUET_PAGE_DATA ||
                       out->type == FRZ_PARQUET_PAGE_DICTIONARY ||
                       out->type == FRZ_PARQUET_PAGE_DATA_V2;
    if (known && body != out->type)
        frz_thrift_fail(reader, "the page header is not of the page's type");
}

frz_status frz_parquet_page_header_parse(frz_slice bytes, uint64_t offset, const frz_limits *limits,
                                         frz_parquet_page_header *out, bool *cut_out,
                                         frz_error **err)
{
    frz_parquet_page_header header = {0};
    frz_thrift_reader reader = frz_thrift_reader_over(bytes, limits->nesting_depth);
    read_header(&reader, &header);
    /* Short of bytes, all failures are alike: a length behind the end is one that more bytes may
     * cure. */
    *cut_out = reader.cursor.failed && reader.failure == FRZ_OK;
    FRZ_TRY(frz_thrift_check(&reader, offset, "page header", err));
    if (header.uncompressed_size > limits->parquet_page_size)
        return frz_fail(err, FRZ_UNSUPPORTED, offset,
                        "page of %u bytes at offset %llu: over the limit parquet_page_size (%zu)",
                        header.uncompressed_size, (unsigned long long)offset,
                        limits->parquet_page_size);
    header.header_size = reader.cursor.pos;
    *out = header;
    return FRZ_OK;
}

static frz_status corrupt(const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "page: %s", what);
}

/* "computed on the serialization binary representation of the page ..., excluding the page header".
 */
static frz_status check_crc(const frz_parquet_page_header *header, frz_slice body, frz_error **err)
{
    if (!header->has_crc)
        return FRZ_OK;
    const uint32_t crc = frz_hash_crc32(0, body.data, body.size);
    if (crc == header->crc)
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "page: CRC is 0x%08x, its header says 0x%08x",
                    crc, header->crc);
}

/* Codecs that cannot do better than 1032 to one (deflate; the others less) tell a wrong size before
 * memory is taken for it. */
static frz_status check_ratio(frz_codec codec, size_t from, size_t to, frz_error **err)
{
    const bool bounded = codec == FRZ_CODEC_SNAPPY || codec == FRZ_CODEC_GZIP ||
                         codec == FRZ_CODEC_LZ4_RAW || codec == FRZ_CODEC_LZ4_HADOOP;
    if (!bounded || to / 1032 <= from)
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "page: %zu %s bytes cannot decompress to %zu bytes", from,
                    frz_codec_name(codec), to);
}

static frz_status decompress(frz_parquet_page_opener *opener, frz_slice in, size_t size,
                             frz_slice *out, frz_error **err)
{
    if (!opener->chunk->codec_known)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "compression codec number %d%s",
                        opener->chunk->codec_number,
                        opener->chunk->codec_number == 3 ? " (LZO)" : "");
    if (opener->chunk->codec == FRZ_CODEC_NONE) {
        if (in.size != size)
            return corrupt("uncompressed, but its two sizes differ", err);
        *out = in;
        return FRZ_OK;
    }
    FRZ_TRY(check_ratio(opener->chunk->codec, in.size, size, err));
    frz_buffer_reset(&opener->buffer);
    uint8_t *to = frz_buffer_extend(&opener->buffer, size);
    if (!to)
        return frz_fail_memory(err);
    /* Writers leave the values of an empty page away altogether. */
    if (size || in.size)
        FRZ_TRY(frz_codec_decompress(&opener->codecs, opener->chunk->codec, in, to, size, err));
    *out = frz_slice_of(to, size);
    return FRZ_OK;
}

/* Cuts the levels from the front of a V1 page: a length and runs, or BIT_PACKED without length. */
static frz_status cut_levels(frz_slice *rest, int16_t max, int32_t encoding, uint32_t count,
                             frz_slice *out, frz_error **err)
{
    if (max == 0)
        return FRZ_OK;
    frz_cursor cursor = frz_cursor_over_slice(*rest);
    uint64_t size = 0;
    if (encoding == FRZ_PARQUET_RLE)
        size = frz_cursor_u32le(&cursor);
    else if (encoding == FRZ_PARQUET_BIT_PACKED)
        size = ((uint64_t)frz_parquet_level_width((unsigned)max) * count + 7) / 8;
    else
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "page: encoding %d is none for levels",
                        encoding);
    const uint8_t *bytes = size <= SIZE_MAX ? frz_cursor_take(&cursor, (size_t)size) : NULL;
    if (!bytes)
        return corrupt("its levels are longer than the page", err);
    *out = frz_slice_of(bytes, (size_t)size);
    *rest = frz_slice_of(rest->data + cursor.pos, frz_cursor_left(&cursor));
    return FRZ_OK;
}

static frz_status open_v1(frz_parquet_page_opener *opener, const frz_parquet_page_header *header,
                          frz_slice body, frz_parquet_page_parts *out, frz_error **err)
{
    frz_slice rest = {0};
    FRZ_TRY(decompress(opener, body, header->uncompressed_size, &rest, err));
    if (header->type == FRZ_PARQUET_PAGE_DATA) {
        FRZ_TRY(cut_levels(&rest, opener->leaf->max_repetition, header->repetition_encoding,
                           header->value_count, &out->repetition, err));
        FRZ_TRY(cut_levels(&rest, opener->leaf->max_definition, header->definition_encoding,
                           header->value_count, &out->definition, err));
        out->repetition_bit_packed = header->repetition_encoding == FRZ_PARQUET_BIT_PACKED;
        out->definition_bit_packed = header->definition_encoding == FRZ_PARQUET_BIT_PACKED;
    }
    out->values = rest;
    return FRZ_OK;
}

/* Levels are never compressed, and come without lengths; only the values may be. */
static frz_status open_v2(frz_parquet_page_opener *opener, const frz_parquet_page_header *header,
                          frz_slice body, frz_parquet_page_parts *out, frz_error **err)
{
    const uint64_t levels = (uint64_t)header->repetition_size + header->definition_size;
    if (levels > body.size || levels > header->uncompressed_size)
        return corrupt("its levels are longer than the page", err);
    if (header->null_count > header->value_count)
        return corrupt("more nulls than values", err);
    out->repetition = frz_slice_of(body.data, header->repetition_size);
    out->definition = frz_slice_of(body.data + header->repetition_size, header->definition_size);
    const frz_slice values = frz_slice_of(body.data + levels, body.size - (size_t)levels);
    const size_t size = header->uncompressed_size - (size_t)levels;
    if (header->compressed)
        return decompress(opener, values, size, &out->values, err);
    if (values.size != size)
        return corrupt("not compressed, but its two sizes differ", err);
    out->values = values;
    return FRZ_OK;
}

frz_status frz_parquet_page_open(frz_parquet_page_opener *opener,
                                 const frz_parquet_page_header *header, frz_slice body,
                                 frz_parquet_page_parts *out, frz_error **err)
{
    frz_parquet_page_parts parts = {0};
    FRZ_TRY(check_crc(header, body, err));
    FRZ_TRY(header->type == FRZ_PARQUET_PAGE_DATA_V2 ? open_v2(opener, header, body, &parts, err)
                                                     : open_v1(opener, header, body, &parts, err));
    *out = parts;
    return FRZ_OK;
}
