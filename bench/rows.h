/*
 * The rows that scans and writes are measured with, and the table that holds them: seven columns as
 * an event log has them (a key that ascends, a time, two names, two numbers, a line of text).
 */
#ifndef FRZ_BENCH_ROWS_H
#define FRZ_BENCH_ROWS_H

#include "frazil/arrow.h"
#include "frazil/frazil.h"

extern const char bench_rows_schema[]; /* DDL */

/* `count` rows as a stream; the same in every run. `bucket` is spread evenly over 0 to 999. */
void bench_rows_stream(int64_t count, struct ArrowArrayStream *out);

extern const char bench_scattered_schema[]; /* DDL */

/* `count` rows of five columns, whose k and s stand in no order: i times an odd number, modulo
 * 2^32. */
void bench_scattered_stream(int64_t count, struct ArrowArrayStream *out);

/* All batches of a stream, kept in memory, to be given out any number of times. */
typedef struct bench_batches bench_batches;
bench_batches *bench_batches_keep(struct ArrowArrayStream *stream);
void bench_batches_stream(bench_batches *batches, struct ArrowArrayStream *out);
void bench_batches_free(bench_batches *batches);

/* A new folder under $TMPDIR or /dev/shm, removed by bench_folder_remove. */
const char *bench_folder_new(void);
void bench_folder_remove(void);

/* An embedded catalog in that folder. */
frz_catalog *bench_catalog_open(const char *folder);

frz_table *bench_table_new(frz_catalog *catalog, const char *name, const char *schema);
void bench_append(frz_table *table, int64_t rows);

/* Reads a stream to its end, releases it, and returns its rows; bytes of buffers are not looked at.
 */
int64_t bench_drain(struct ArrowArrayStream *stream);

#endif
