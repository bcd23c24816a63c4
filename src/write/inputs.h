/*
 * The inputs of an operation, one after the other, as batches of the table's
 * columns.
 */
#ifndef FRZ_WRITE_INPUTS_H
#define FRZ_WRITE_INPUTS_H

#include "write/transaction.h"

/* Reads `columns` (ours; the reader clears it). */
typedef frz_status (*frz_inputs_take)(void *self, struct ArrowArray *columns, frz_error **err);

/* Reads all streams (borrowed) for the version of the table that the
 * transaction stands at. Errors name the input where the options do. */
FRZ_MUST_CHECK frz_status frz_inputs_read(const frz_transaction *transaction,
                                          struct ArrowArrayStream *inputs, size_t count,
                                          frz_inputs_take take, void *self, frz_error **err);

#endif
