#include "parquet/bloom_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "parquet/bloom.h"
#include "parquet/thrift.h"

enum { WORDS = FRZ_PARQUET_BLOOM_WORDS, WORD_BITS = 32, PREFIX_SIZE = 4, HASHES_MIN = 64 };

static const double fpp_default = 0.01;
static const uint32_t size_max_default = UINT32_C(1) << 20;

static size_t power_below(size_t value)
{
    size_t power = FRZ_PARQUET_BLOOM_BLOCK_SIZE;
    while (power <= value / 2)
        power *= 2;
    return power;
}

void frz_parquet_bloom_builder_init(frz_parquet_bloom_builder *builder,
                                    const frz_parquet_bloom_options *options)
{
    *builder = (frz_parquet_bloom_builder){.options = *options};
    if (builder->options.fpp <= 0)
        builder->options.fpp = fpp_default;
    if (builder->options.size_max == 0)
        builder->options.size_max = size_max_default;
    if (builder->options.size_max > FRZ_PARQUET_BLOOM_SIZE_MAX)
        builder->options.size_max = FRZ_PARQUET_BLOOM_SIZE_MAX;
    builder->blocks_max = power_below(builder->options.size_max) / FRZ_PARQUET_BLOOM_BLOCK_SIZE;
}

void frz_parquet_bloom_builder_clear(frz_parquet_bloom_builder *builder)
{
    frz_free(builder->hashes);
    frz_free(builder->words);
    *builder = (frz_parquet_bloom_builder){0};
}

/* BloomFilter.md, "block_insert" and "filter_insert". */
static void insert(uint32_t *words, size_t block_count, uint64_t hash)
{
    uint32_t *block = words + ((hash >> 32) * block_count >> 32) * WORDS;
    const uint32_t key = (uint32_t)hash;
    for (size_t i = 0; i < WORDS; i++)
        block[i] |= frz_parquet_bloom_mask(key, i);
}

static size_t hashes_max(const frz_parquet_bloom_builder *builder)
{
    const size_t most = builder->blocks_max * FRZ_PARQUET_BLOOM_BLOCK_SIZE / sizeof(uint64_t);
    return most > HASHES_MIN ? most : HASHES_MIN;
}

/* From hashes to a filter. */
static bool start_filter(frz_parquet_bloom_builder *builder, size_t block_count)
{
    builder->words = frz_alloc_array(block_count * WORDS, sizeof *builder->words);
    if (!builder->words)
        return false;
    for (size_t i = 0; i < builder->hash_count; i++)
        insert(builder->words, block_count, builder->hashes[i]);
    builder->hash_count = 0;
    return true;
}

static bool add_hash(frz_parquet_bloom_builder *builder, uint64_t hash)
{
    if (!builder->words && builder->hash_count == hashes_max(builder) &&
        !start_filter(builder, builder->blocks_max))
        return false;
    if (builder->words) {
        insert(builder->words, builder->blocks_max, hash);
        return true;
    }
    if (builder->hash_count > 0 && builder->hashes[builder->hash_count - 1] == hash)
        return true;
    if (!frz_grow_array((void **)&builder->hashes, &builder->hash_capacity, builder->hash_count,
                        sizeof *builder->hashes))
        return false;
    builder->hashes[builder->hash_count++] = hash;
    return true;
}

bool frz_parquet_bloom_builder_add(frz_parquet_bloom_builder *builder, frz_slice plain,
                                   size_t width)
{
    for (size_t at = 0; at < plain.size;) {
        uint32_t size = (uint32_t)width;
        if (width == 0) {
            memcpy(&size, plain.data + at, sizeof size);
            at += PREFIX_SIZE;
        }
        if (!add_hash(builder, frz_hash_xxh64(plain.data + at, size, 0)))
            return false;
        at += size;
    }
    return true;
}

/* A block that got n values has each bit of a word unset with (1 - 1/32)^n. Over blocks n is spread
 * as Poisson has it, so that exp(-n/32) of all bits are unset for a mean of n. */
static double count_in_filter(const frz_parquet_bloom_builder *builder)
{
    const size_t count = builder->blocks_max * WORDS;
    size_t set = 0;
    for (size_t i = 0; i < count; i++)
        set += (size_t)__builtin_popcount(builder->words[i]);
    const double unset = 1.0 - (double)set / ((double)count * WORD_BITS);
    return unset <= 0 ? INFINITY : (double)builder->blocks_max * -WORD_BITS * log(unset);
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double count_hashes(frz_parquet_bloom_builder *builder)
{
    size_t distinct = builder->hash_count > 0;
    if (builder->hash_count > 0)
        qsort(builder->hashes, builder->hash_count, sizeof *builder->hashes, compare_hashes);
    for (size_t i = 1; i < builder->hash_count; i++)
        distinct += builder->hashes[i] != builder->hashes[i - 1];
    return (double)distinct;
}

/* Putze, Sanders and Singler's share of false positives for eight bits a value, as other writers
 * size by: (1 - exp(-8n/m))^8 with m bits. */
size_t frz_parquet_bloom_size(double distinct, double fpp, size_t size_max)
{
    const double bits = -8.0 * distinct / log(1.0 - pow(fpp, 1.0 / 8.0));
    const size_t most = power_below(size_max);
    size_t size = FRZ_PARQUET_BLOOM_BLOCK_SIZE;
    while (size < most && (double)size * 8.0 < bits)
        size *= 2;
    return size;
}

static void print_header(size_t size, frz_buffer *out)
{
    frz_thrift_writer writer = frz_thrift_writer_to(out);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_i32(&writer, 1, (int32_t)size);
    for (int16_t field = 2; field <= 4; field++) { /* SPLIT_BLOCK, XXHASH, UNCOMPRESSED */
        const int16_t choice = frz_thrift_write_struct(&writer, field);
        frz_thrift_write_empty(&writer, 1);
        frz_thrift_write_end(&writer, choice);
    }
    frz_thrift_write_end(&writer, top);
}

/* Unites neighbours in place, until `block_count` blocks are left. */
static void fold(frz_parquet_bloom_builder *builder, size_t block_count)
{
    const size_t united = builder->blocks_max / block_count;
    for (size_t block = 0; block < block_count; block++) {
        uint32_t words[WORDS] = {0};
        const uint32_t *from = builder->words + block * united * WORDS;
        for (size_t i = 0; i < united * WORDS; i++)
            words[i % WORDS] |= from[i];
        memcpy(builder->words + block * WORDS, words, sizeof words);
    }
}

bool frz_parquet_bloom_builder_print(frz_parquet_bloom_builder *builder, frz_buffer *out)
{
    const double distinct = builder->options.ndv > 0 ? (double)builder->options.ndv
                            : builder->words         ? count_in_filter(builder)
                                                     : count_hashes(builder);
    const size_t size =
        frz_parquet_bloom_size(distinct, builder->options.fpp, builder->options.size_max);
    if (builder->words)
        fold(builder, size / FRZ_PARQUET_BLOOM_BLOCK_SIZE);
    else if (!start_filter(builder, size / FRZ_PARQUET_BLOOM_BLOCK_SIZE))
        return false;
    print_header(size, out);
    for (size_t i = 0; i < size / sizeof *builder->words; i++)
        frz_buffer_append_u32le(out, builder->words[i]);
    frz_free(builder->words);
    builder->words = NULL;
    return !out->failed;
}
