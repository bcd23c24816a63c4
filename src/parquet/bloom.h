/*
 * The Bloom filter of a column chunk (BloomFilter.md): which values it certainly does not hold.
 *
 * Split blocks, XXH64 with seed 0 of the value as PLAIN encodes it (without length prefix),
 * uncompressed: the only kind there is. Another kind is no filter.
 */
#ifndef FRZ_PARQUET_BLOOM_H
#define FRZ_PARQUET_BLOOM_H

#include "parquet/file.h"

enum {
    FRZ_PARQUET_BLOOM_BLOCK_SIZE = 32,
    FRZ_PARQUET_BLOOM_WORDS = 8,           /* of a block, 32 bits each */
    FRZ_PARQUET_BLOOM_SIZE_MAX = 128 << 20 /* Java's writer stops there; larger ones are not used */
};

/* The bit of a block's word that a value sets ("mask"); `key` is the lower half of its hash. */
static inline uint32_t frz_parquet_bloom_mask(uint32_t key, size_t word)
{
    static const uint32_t salts[FRZ_PARQUET_BLOOM_WORDS] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU,
                                                            0xa2b7289dU, 0x705495c7U, 0x2df1424bU,
                                                            0x9efc4947U, 0x5c6bfb31U};
    return UINT32_C(1) << (key * salts[word] >> 27);
}

typedef struct frz_parquet_bloom {
    const uint8_t *blocks; /* NULL: no filter */
    size_t block_count;
} frz_parquet_bloom;

/*
 * Reads the filter of a chunk into `arena` (one read where the footer tells its size; none where
 * storage holds the file in memory). Without filter, or with one of a kind unknown, blocks is NULL.
 * FRZ_CORRUPT when header or bits lie past their end or are of an impossible size.
 */
FRZ_MUST_CHECK frz_status frz_parquet_bloom_read(frz_parquet_file *file, size_t row_group,
                                                 size_t leaf, frz_arena *arena,
                                                 frz_parquet_bloom *out, frz_error **err);

/* False only when certainly no value of the chunk has these PLAIN bytes. */
bool frz_parquet_bloom_may_hold(const frz_parquet_bloom *bloom, frz_slice plain);

#endif
