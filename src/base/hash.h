/*
 * Hashes: murmur3 x86 32-bit (Iceberg bucket transform and object paths, Appendix B), XXH64
 * (Parquet bloom filters, our own hash maps), CRC-32 with the gzip polynomial (Parquet pages,
 * Puffin).
 */
#ifndef FRZ_BASE_HASH_H
#define FRZ_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

int32_t frz_hash_murmur3(const void *bytes, size_t size);
uint64_t frz_hash_xxh64(const void *bytes, size_t size, uint64_t seed);
uint32_t frz_hash_crc32(uint32_t start, const void *bytes, size_t size);

#endif
