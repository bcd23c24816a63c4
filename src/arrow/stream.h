/*
 * ArrowArrayStream over our own iterators, and reading foreign streams with our error model.
 */
#ifndef FRZ_ARROW_STREAM_H
#define FRZ_ARROW_STREAM_H

#include "frazil/arrow.h"
#include "frazil/error.h"

/* What a producer implements. */
typedef struct frz_arrow_source_ops {
    frz_status (*schema)(void *self, struct ArrowSchema *out, frz_error **err);
    /* FRZ_END when there is nothing more. */
    frz_status (*next)(void *self, struct ArrowArray *out, frz_error **err);
    void (*free)(void *self);
} frz_arrow_source_ops;

/* Takes `self`, also on failure. */
FRZ_MUST_CHECK frz_status frz_arrow_stream_from(const frz_arrow_source_ops *ops, void *self,
                                                struct ArrowArrayStream *out, frz_error **err);

/* Reads any producer's stream; its errno becomes a status, its text the message. A stream of ours
 * gives its original status. */
FRZ_MUST_CHECK frz_status frz_arrow_stream_schema(struct ArrowArrayStream *stream,
                                                  struct ArrowSchema *out, frz_error **err);
/* FRZ_END at the end. */
FRZ_MUST_CHECK frz_status frz_arrow_stream_next(struct ArrowArrayStream *stream,
                                                struct ArrowArray *out, frz_error **err);

/* Gives every batch to `take`, which does not keep it; its failure ends the walk. `*rows_out` is
 * how many rows there were. */
FRZ_MUST_CHECK frz_status frz_arrow_stream_each(struct ArrowArrayStream *stream,
                                                frz_status (*take)(void *context,
                                                                   const struct ArrowArray *batch,
                                                                   frz_error **err),
                                                void *context, int64_t *rows_out, frz_error **err);

#endif
