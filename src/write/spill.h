/*
 * Rows that do not fit in memory, parted into files of a local folder. The files are Parquet, lose
 * nothing, and have no name there: they are gone when the spill is closed or the process ends.
 */
#ifndef FRZ_WRITE_SPILL_H
#define FRZ_WRITE_SPILL_H

#include "frazil/arrow.h"
#include "spec/schema.h"

enum { FRZ_SPILL_PARTITIONS = 32 };

typedef struct frz_spill frz_spill;

/* Files are made in `folder` (NULL: TMPDIR, else /tmp). `arrow`, of the rows, is borrowed. */
FRZ_MUST_CHECK frz_status frz_spill_open(const char *folder, const struct ArrowSchema *arrow,
                                         frz_spill **out, frz_error **err);
/* Accepts NULL. */
void frz_spill_close(frz_spill *self);

/* partitions[i], below FRZ_SPILL_PARTITIONS, is where row i goes. */
FRZ_MUST_CHECK frz_status frz_spill_write(frz_spill *self, const struct ArrowArray *rows,
                                          const uint8_t *partitions, frz_error **err);
/* Nothing more is written. */
FRZ_MUST_CHECK frz_status frz_spill_finish(frz_spill *self, frz_error **err);

/* Bytes that a partition takes in memory. */
uint64_t frz_spill_memory(const frz_spill *self, size_t partition);

/* All rows of a partition, in the order they came; FRZ_END when there are none.
 * `schema` is what they were made for. */
FRZ_MUST_CHECK frz_status frz_spill_read(frz_spill *self, size_t partition,
                                         const frz_schema *schema, struct ArrowArray *out,
                                         frz_error **err);

#endif
