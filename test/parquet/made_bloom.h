/*
 * Bloom filters made by hand after BloomFilter.md, for tests of what reads them.
 */
#ifndef FRZ_TEST_PARQUET_MADE_BLOOM_H
#define FRZ_TEST_PARQUET_MADE_BLOOM_H

#include "base/hash.h"
#include "parquet/thrift.h"

enum { MADE_BLOOM_BLOCKS_MAX = 64 };

typedef struct made_bloom {
    uint32_t words[MADE_BLOOM_BLOCKS_MAX][8];
    size_t block_count;
} made_bloom;

/* "filter_insert" and "block_insert" as the specification has them. */
static inline void made_bloom_insert(made_bloom *bloom, const void *plain, size_t size)
{
    static const uint32_t salt[8] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                     0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
    const uint64_t hash = frz_hash_xxh64(plain, size, 0);
    const uint64_t block = ((hash >> 32) * bloom->block_count) >> 32;
    for (size_t i = 0; i < 8; i++) {
        const uint32_t mask = (uint32_t)hash * salt[i];
        bloom->words[block][i] |= UINT32_C(1) << (mask >> 27);
    }
}

/* Header and bits, as they stand in a file. `size` is what the header says of the bits; `choice`
 * the member of its three unions, of which 1 is the one that exists. */
static inline void made_bloom_print(const made_bloom *bloom, int32_t size, int16_t choice,
                                    frz_buffer *out)
{
    frz_thrift_writer writer = frz_thrift_writer_to(out);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_i32(&writer, 1, size);
    for (int16_t field = 2; field <= 4; field++) {
        const int16_t one = frz_thrift_write_struct(&writer, field);
        frz_thrift_write_empty(&writer, choice);
        frz_thrift_write_end(&writer, one);
    }
    frz_thrift_write_end(&writer, top);
    for (size_t i = 0; i < bloom->block_count; i++)
        for (size_t k = 0; k < 8; k++)
            frz_buffer_append_u32le(out, bloom->words[i][k]);
}

#endif
