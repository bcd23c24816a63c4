/*
 * Counts and bounds of the columns of a file, taken while its rows pass: for formats that hold no
 * statistics themselves (Avro). The result is told as that of a Parquet file, so that metrics come
 * from one place (write/metrics.c).
 */
#ifndef FRZ_WRITE_COLUMN_TALLY_H
#define FRZ_WRITE_COLUMN_TALLY_H

#include "frazil/arrow.h"
#include "parquet/writer.h"
#include "spec/type.h"

typedef struct frz_column_tally frz_column_tally;

/* For rows of the struct `root`, which is borrowed. */
FRZ_MUST_CHECK frz_status frz_column_tally_new(const frz_type *root, frz_column_tally **out,
                                               frz_error **err);
/* Accepts NULL. */
void frz_column_tally_free(frz_column_tally *self);

/* Takes in the rows of a struct array of ours in the layout of the root. */
FRZ_MUST_CHECK frz_status frz_column_tally_add(frz_column_tally *self,
                                               const struct ArrowArray *batch, frz_error **err);

/* Fills the row count and the leaves; column sizes are unknown (-1), as the specification wants
 * them of row-oriented formats ("Data File Fields", column_sizes). */
FRZ_MUST_CHECK frz_status frz_column_tally_summary(const frz_column_tally *self,
                                                   frz_parquet_summary *out, frz_error **err);

#endif
