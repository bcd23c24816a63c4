/*
 * Evaluates a bound predicate on Arrow batches.
 */
#ifndef FRZ_EXPR_EVALUATE_H
#define FRZ_EXPR_EVALUATE_H

#include "expr/expression.h"
#include "expr/truth.h"
#include "frazil/arrow.h"

typedef struct frz_evaluator frz_evaluator;

/*
 * Compiles `expr` for batches whose struct children are the fields of `columns` (a struct type,
 * matched by field id, in the Arrow types of frz_type_to_arrow). Both must outlive the evaluator.
 * FRZ_INVALID names a column that is not among `columns`.
 *
 * One thread at a time: it has scratch space.
 */
FRZ_MUST_CHECK frz_status frz_evaluator_new(const frz_expr *expr, const frz_type *columns,
                                            frz_evaluator **out, frz_error **err);
/* Accepts NULL. */
void frz_evaluator_free(frz_evaluator *evaluator);

/*
 * ANDs the rows' results into `mask` (bit i = row i of the batch): bits of rows for which the
 * predicate is false or unknown are cleared. Rows whose bit is clear already are not looked at.
 * *kept_out = bits left; the bits behind the last row are clear afterwards. FRZ_INVALID when the
 * batch has not the columns' shape.
 */
FRZ_MUST_CHECK frz_status frz_evaluator_run(frz_evaluator *evaluator,
                                            const struct ArrowArray *batch, uint64_t *mask,
                                            int64_t *kept_out, frz_error **err);

#endif
