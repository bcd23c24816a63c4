/*
 * Reads the rows of one task, batch by batch: positions that deletes or the filter rule out are
 * never materialised for the columns that only the output wants.
 *
 *   row ranges -> mask of all rows -> minus deleted -> filter columns -> mask of matches -> other
 * columns
 *
 * Thread rule: one thread per reader.
 */
#ifndef FRZ_SCAN_TASK_READER_H
#define FRZ_SCAN_TASK_READER_H

#include "base/pool.h"
#include "frazil/arrow.h"
#include "scan/plan.h"

typedef struct frz_task_reader frz_task_reader;

/* The struct of top-level columns that the residual of a task reads. */
FRZ_MUST_CHECK frz_status frz_task_filter_type(const frz_scan *scan, const frz_scan_task *task,
                                               frz_arena *arena, const frz_type **out,
                                               frz_error **err);

/* Borrows scan, task and `pool`, whose threads decode blocks of Avro (NULL = the caller alone).
 * Opens the data file and loads its deletes. FRZ_UNSUPPORTED names what is not read (ORC, equality
 * deletes, ...). */
FRZ_MUST_CHECK frz_status frz_task_reader_open(const frz_scan *scan, const frz_scan_task *task,
                                               frz_pool *pool, frz_task_reader **out,
                                               frz_error **err);
/* Accepts NULL. */
void frz_task_reader_close(frz_task_reader *reader);

/* The next batch that is not empty, a struct array of the scan's projection; FRZ_END after the
 * last. */
FRZ_MUST_CHECK frz_status frz_task_reader_next(frz_task_reader *reader, struct ArrowArray *out,
                                               frz_error **err);

#endif
