/*
 * Whether byte arrays are UTF-8, as LogicalTypes.md demands of STRING and Arrow of its strings.
 */
#ifndef FRZ_PARQUET_UTF8_H
#define FRZ_PARQUET_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether each of `count` values is UTF-8 (RFC 3629): value i ends at ends[i], the first starts at
 * `start`. */
bool frz_utf8_values_valid(const uint8_t *data, int32_t start, const int32_t *ends, size_t count);

#endif
