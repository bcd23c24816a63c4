/*
 * A bound of Parquet statistics as text for people, by the column's logical type (LogicalTypes.md):
 * what `frazil inspect` shows.
 */
#ifndef FRZ_TEXT_PARQUET_BOUND_H
#define FRZ_TEXT_PARQUET_BOUND_H

#include "base/buffer.h"
#include "parquet/metadata.h"

/* Appends the value whose PLAIN bytes these are (without length prefix); bytes that the type gives
 * no other form as 0x and hexadecimal digits. */
void frz_parquet_bound_print(const frz_parquet_node *leaf, frz_slice bytes, frz_buffer *out);

#endif
