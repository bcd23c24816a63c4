/*
 * Delete files of V2 that frazil itself does not write as the measurements want them: equality
 * deletes, and position deletes of several data files.
 */
#ifndef FRZ_BENCH_DELETE_FILES_H
#define FRZ_BENCH_DELETE_FILES_H

#include "frazil/frazil.h"

/* Keys of the columns `ids` (top-level, of bench_rows_schema: k is 1, host 3, bucket 4); key i is
 * spread over [0, range) and the same in every run. */
typedef struct bench_keys {
    int32_t ids[2]; /* 0 ends them */
    int64_t first;  /* number of the first key */
    int64_t count;
    int64_t range;
} bench_keys;

/* One equality delete file in a commit of its own. */
void bench_delete_keys(frz_table *table, const bench_keys *keys);

/* One position delete file in a commit of its own, without referenced data file: every `step`-th
 * position from `first` on of each of these data files, which have `rows` rows. */
typedef struct bench_positions {
    const char *const *paths;
    size_t path_count;
    int64_t first;
    int64_t step;
    int64_t rows;
} bench_positions;
void bench_delete_positions(frz_table *table, const bench_positions *positions);

#endif
