/*
 * A table of as many data files as wanted, of which only the metadata is there: what planning and
 * metadata tables are measured with.
 */
#ifndef FRZ_BENCH_FILE_TABLE_H
#define FRZ_BENCH_FILE_TABLE_H

#include <stdint.h>

typedef struct bench_file_table {
    int64_t files;
    int64_t files_per_manifest;
    int columns; /* long columns c1, c2, ..., each with counts and bounds in every file */
} bench_file_table;

/* Writes it below `folder`: partitioned by truncate(1000, c1), file i with c1 = i alone. Returns
 * the megabytes of its manifests. */
double bench_file_table_make(const char *folder, const bench_file_table *shape);

#endif
