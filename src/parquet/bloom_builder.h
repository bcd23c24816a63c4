/*
 * Makes the Bloom filter of a column chunk (BloomFilter.md, "Split Block Bloom Filters"): XXH64 of
 * the values as PLAIN encodes them, blocks of 256 bits, a power of two of them.
 *
 * Its size follows the number of distinct values and the false positives that are wanted. The
 * number need not be known before: hashes are kept while they are few, and then go into a filter of
 * the greatest size, which is folded in the end. A filter of 2n blocks whose pairs of neighbours
 * are united is bit for bit the filter of n blocks, since a block is chosen by the upper bits of
 * the hash.
 */
#ifndef FRZ_PARQUET_BLOOM_BUILDER_H
#define FRZ_PARQUET_BLOOM_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"

typedef struct frz_parquet_bloom_options {
    bool on;
    double fpp;        /* share of false positives, between 0 and 1; 0 = 0.01 */
    int64_t ndv;       /* distinct values to size for; 0 = those of the chunk */
    uint32_t size_max; /* bytes of the bits; 0 = 1 MiB. Never exceeded */
} frz_parquet_bloom_options;

/* All zero is one that makes no filter. */
typedef struct frz_parquet_bloom_builder {
    frz_parquet_bloom_options options;
    size_t blocks_max;
    uint64_t *hashes; /* while they are at most as large as the greatest filter */
    size_t hash_count;
    size_t hash_capacity;
    uint32_t *words; /* of blocks_max blocks; NULL while hashes are kept */
} frz_parquet_bloom_builder;

void frz_parquet_bloom_builder_init(frz_parquet_bloom_builder *builder,
                                    const frz_parquet_bloom_options *options);
void frz_parquet_bloom_builder_clear(frz_parquet_bloom_builder *builder);

/* Adds values that stand in PLAIN encoding: of `width` bytes each, or BYTE_ARRAY (0). False when
 * memory is short. */
bool frz_parquet_bloom_builder_add(frz_parquet_bloom_builder *builder, frz_slice plain,
                                   size_t width);

/* Appends header and bits, and forgets all values. False when memory is short. */
bool frz_parquet_bloom_builder_print(frz_parquet_bloom_builder *builder, frz_buffer *out);

/* Bytes of the bits for so many distinct values: a power of two from 32 to size_max. */
size_t frz_parquet_bloom_size(double distinct, double fpp, size_t size_max);

#endif
