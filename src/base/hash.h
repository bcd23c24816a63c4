/*
 * Hashes: murmur3 x86 32-bit (Iceberg bucket transform and object paths, Appendix B), XXH64
 * (Parquet bloom filters, our own hash maps), XXH3 (tables of many keys), CRC-32 with the gzip
 * polynomial (Parquet pages, Puffin).
 */
#ifndef FRZ_BASE_HASH_H
#define FRZ_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

int32_t frz_hash_murmur3(const void *bytes, size_t size);
uint64_t frz_hash_xxh64(const void *bytes, size_t size, uint64_t seed);
uint64_t frz_hash_xxh3(const void *bytes, size_t size, uint64_t seed);
/* The XXH3 of each of `count` rows of `word_count` words that stand one after the other. */
void frz_hash_rows(const uint64_t *words, size_t word_count, size_t count, uint64_t seed,
                   uint64_t *out);
uint32_t frz_hash_crc32(uint32_t start, const void *bytes, size_t size);

#endif
