#include "parquet/bloom.h"

#include "base/cursor.h"
#include "base/fail.h"
#include "base/hash.h"
#include "io/file.h"
#include "parquet/element.h"
#include "parquet/thrift.h"

enum {
    READ_GUESS = 64 << 10 /* where the footer does not tell the size */
};

typedef struct bloom_header {
    int32_t size; /* of the bits */
    bool known;   /* split blocks, XXH64, uncompressed */
    size_t header_size;
} bloom_header;

static frz_status corrupt(uint64_t offset, const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, offset, "at offset %llu: %s", (unsigned long long)offset,
                    what);
}

/* A union of empty structs, of which member 1 is the one that exists. */
static bool read_choice(frz_thrift_reader *thrift, frz_thrift_type type)
{
    bool first = false;
    if (type != FRZ_THRIFT_STRUCT) {
        frz_thrift_fail(thrift, "a choice is no struct");
        return false;
    }
    const int16_t outer = frz_thrift_struct_begin(thrift);
    for (frz_thrift_field field; frz_thrift_field_next(thrift, &field);) {
        first = field.id == 1;
        frz_thrift_skip(thrift, field.type);
    }
    frz_thrift_struct_end(thrift, outer);
    return first;
}

static frz_status parse_header(frz_slice bytes, uint64_t offset, const frz_limits *limits,
                               bloom_header *out, frz_error **err)
{
    frz_thrift_reader thrift = frz_thrift_reader_over(bytes, limits->nesting_depth);
    bool known[3] = {false};
    *out = (bloom_header){0};
    (void)frz_thrift_struct_begin(&thrift);
    for (frz_thrift_field field; frz_thrift_field_next(&thrift, &field);) {
        if (field.id == 1)
            out->size = frz_thrift_i32(&thrift, field.type);
        else if (field.id >= 2 && field.id <= 4)
            known[field.id - 2] = read_choice(&thrift, field.type);
        else
            frz_thrift_skip(&thrift, field.type);
    }
    FRZ_TRY(frz_thrift_check(&thrift, offset, "Bloom filter header", err));
    out->known = known[0] && known[1] && known[2];
    out->header_size = thrift.cursor.pos;
    return FRZ_OK;
}

static frz_status read_at(frz_input *input, uint64_t offset, size_t size, frz_arena *arena,
                          frz_slice *out, frz_error **err)
{
    const uint8_t *mapped = frz_input_mapped(input);
    if (mapped) {
        *out = frz_slice_of(mapped + offset, size);
        return FRZ_OK;
    }
    uint8_t *bytes = frz_arena_alloc(arena, size);
    if (!bytes)
        return frz_fail_memory(err);
    FRZ_TRY(frz_input_read_at(input, offset, bytes, size, err));
    *out = frz_slice_of(bytes, size);
    return FRZ_OK;
}

/* The bits behind a header that lies at the start of the chunk's filter, of which `head` has been
 * read. A number of bits that is not that of the footer would choose wrong blocks. */
static frz_status take_bits(frz_parquet_file *file, const frz_parquet_column_chunk *chunk,
                            frz_slice head, const bloom_header *header, frz_arena *arena,
                            frz_parquet_bloom *out, frz_error **err)
{
    frz_input *input = frz_parquet_file_input(file);
    const uint64_t offset = (uint64_t)chunk->bloom_filter_offset;
    const uint64_t at = offset + header->header_size;
    frz_slice bits = {0};
    if (header->size <= 0 || header->size % FRZ_PARQUET_BLOOM_BLOCK_SIZE != 0)
        return corrupt(offset, "its bits are not in whole blocks of 32 bytes", err);
    const size_t size = (size_t)header->size;
    if (size > frz_input_size(input) - at)
        return corrupt(at, "its bits lie past the end of the file", err);
    if (chunk->bloom_filter_size > 0 &&
        header->header_size + size != (uint64_t)chunk->bloom_filter_size)
        return corrupt(offset, "it is not as long as the footer says", err);
    if (size > FRZ_PARQUET_BLOOM_SIZE_MAX)
        return FRZ_OK;
    if (size <= head.size - header->header_size)
        bits = frz_slice_of(head.data + header->header_size, size);
    else
        FRZ_TRY(read_at(input, at, size, arena, &bits, err));
    out->blocks = bits.data;
    out->block_count = size / FRZ_PARQUET_BLOOM_BLOCK_SIZE;
    return FRZ_OK;
}

static frz_status read_filter(frz_parquet_file *file, const frz_parquet_column_chunk *chunk,
                              frz_arena *arena, frz_parquet_bloom *out, frz_error **err)
{
    frz_input *input = frz_parquet_file_input(file);
    const uint64_t file_size = frz_input_size(input);
    const uint64_t offset = (uint64_t)chunk->bloom_filter_offset;
    frz_slice head = {0};
    bloom_header header = {0};
    if (offset >= file_size)
        return corrupt(offset, "it lies past the end of the file", err);
    const uint64_t left = file_size - offset;
    uint64_t wanted = READ_GUESS < left ? READ_GUESS : left;
    if (chunk->bloom_filter_size > 0) {
        wanted = (uint64_t)chunk->bloom_filter_size;
        if (wanted > left)
            return corrupt(offset, "it lies past the end of the file", err);
        if (wanted > FRZ_PARQUET_BLOOM_SIZE_MAX)
            return FRZ_OK;
    }
    FRZ_TRY(read_at(input, offset, (size_t)wanted, arena, &head, err));
    FRZ_TRY(parse_header(head, offset, frz_parquet_file_limits(file), &header, err));
    return header.known ? take_bits(file, chunk, head, &header, arena, out, err) : FRZ_OK;
}

frz_status frz_parquet_bloom_read(frz_parquet_file *file, size_t row_group, size_t leaf,
                                  frz_arena *arena, frz_parquet_bloom *out, frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    const frz_parquet_column_chunk *chunk = &metadata->row_groups[row_group].columns[leaf];
    char path[FRZ_PARQUET_PATH_SIZE];
    frz_parquet_bloom bloom = {0};
    if (chunk->bloom_filter_offset >= 0 && !chunk->encrypted && !chunk->file_path) {
        const frz_status status = read_filter(file, chunk, arena, &bloom, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "column %s, Bloom filter of row group %zu",
                               frz_parquet_node_path(metadata->leaves[leaf], path), row_group);
    }
    *out = bloom;
    return FRZ_OK;
}

/* BloomFilter.md, "block_check" and "filter_check". */
bool frz_parquet_bloom_may_hold(const frz_parquet_bloom *bloom, frz_slice plain)
{
    if (!bloom->blocks)
        return true;
    const uint64_t hash = frz_hash_xxh64(plain.data, plain.size, 0);
    const uint64_t block = (hash >> 32) * bloom->block_count >> 32;
    const uint32_t key = (uint32_t)hash;
    frz_cursor cursor = frz_cursor_over(bloom->blocks + block * FRZ_PARQUET_BLOOM_BLOCK_SIZE,
                                        FRZ_PARQUET_BLOOM_BLOCK_SIZE);
    for (size_t i = 0; i < FRZ_PARQUET_BLOOM_WORDS; i++) {
        if (!(frz_cursor_u32le(&cursor) & frz_parquet_bloom_mask(key, i)))
            return false;
    }
    return true;
}
