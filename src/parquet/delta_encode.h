/*
 * DELTA_BINARY_PACKED as written (Encodings.md, "Delta Encoding"): blocks of 128 values in 4
 * miniblocks.
 */
#ifndef FRZ_PARQUET_DELTA_ENCODE_H
#define FRZ_PARQUET_DELTA_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Appends; failures stick in `out`. */
void frz_parquet_delta_encode_i32(const int32_t *values, size_t count, frz_buffer *out);
void frz_parquet_delta_encode_i64(const int64_t *values, size_t count, frz_buffer *out);

#endif
