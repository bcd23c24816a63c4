/*
 * Copies of short byte strings, one after another, as string columns need them by the million: most
 * are one fixed-size move instead of a call.
 */
#ifndef FRZ_PARQUET_COPY_H
#define FRZ_PARQUET_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { FRZ_PARQUET_COPY_SLACK = 16 };

/* Copies `size` bytes. `to` has FRZ_PARQUET_COPY_SLACK bytes of room more, which may be
 * overwritten; `from` has `readable` bytes in all. */
static inline void frz_parquet_copy_short(uint8_t *to, const uint8_t *from, size_t size,
                                          size_t readable)
{
    if (size <= FRZ_PARQUET_COPY_SLACK && readable >= FRZ_PARQUET_COPY_SLACK)
        memcpy(to, from, FRZ_PARQUET_COPY_SLACK);
    else
        memcpy(to, from, size);
}

#endif
