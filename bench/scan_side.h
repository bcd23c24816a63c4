/* A scan of one table as a side of a comparison: all batches, given out and released. */
#ifndef FRZ_BENCH_SCAN_SIDE_H
#define FRZ_BENCH_SCAN_SIDE_H

#include "frazil/frazil.h"
#include "measure.h"

typedef struct bench_scan {
    frz_table *table;
    const char *columns[8]; /* NULL ends them; the first NULL = all */
    const char *where;
    int64_t snapshot_id; /* 0 = current */
    int64_t rows;        /* what it must give; -1 = not known */
} bench_scan;

double bench_scan_run(void *context);

/* 0 = none. */
int64_t bench_current_snapshot(const frz_table *table);

/* The scan of the current snapshot against itself at `before`, when nothing was deleted of `rows`
 * rows, and against the peers: DuckDB, and PyIceberg when it can read such deletes. */
void bench_compare_deleted(const char *name, bench_scan scan, int64_t before, int64_t rows,
                           double target, bool with_pyiceberg);

/* "a,b,c", or "*". */
const char *bench_scan_columns(const bench_scan *scan, char *text, size_t size);

/* The only data file of the table, as a path of the machine. Freed by the caller. */
char *bench_scan_data_file(const frz_table *table);

#endif
