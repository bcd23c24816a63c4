/*
 * A window on the bytes of a file that moves forward: pages are read through it in few, larger
 * reads. On storage that holds the file in memory it copies nothing.
 */
#ifndef FRZ_PARQUET_WINDOW_H
#define FRZ_PARQUET_WINDOW_H

#include "frazil/extend/io.h"

enum { FRZ_PARQUET_READ_AHEAD = 1 << 20 };

typedef struct frz_parquet_window {
    frz_input *input; /* borrowed */
    uint64_t file_size;
    const uint8_t *mapped;
    uint8_t *data; /* owned */
    size_t capacity;
    uint64_t start; /* offset of data[0] */
    size_t size;
} frz_parquet_window;

void frz_parquet_window_init(frz_parquet_window *window, frz_input *input);
void frz_parquet_window_clear(frz_parquet_window *window);

/*
 * `size` bytes from `offset`, valid until the next call. When they must be fetched, up to
 * FRZ_PARQUET_READ_AHEAD bytes are, but none from `ahead_end` on. FRZ_CORRUPT past the end of the
 * file.
 */
FRZ_MUST_CHECK frz_status frz_parquet_window_at(frz_parquet_window *window, uint64_t offset,
                                                size_t size, uint64_t ahead_end,
                                                const uint8_t **out, frz_error **err);

#endif
