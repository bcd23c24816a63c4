/*
 * Where printed text goes: collected, and handed to the caller's function in pieces.
 */
#ifndef FRZ_TEXT_SINK_H
#define FRZ_TEXT_SINK_H

#include "base/buffer.h"
#include "frazil/text.h"
#include "text/value.h"

typedef struct frz_text_sink {
    frz_buffer bytes;
    frz_print_write write;
    void *context;
} frz_text_sink;

/* Hands over what was collected, when it is much or when `all` is asked for. */
FRZ_MUST_CHECK frz_status frz_text_sink_flush(frz_text_sink *sink, bool all, frz_error **err);

/* One printed stream. */
typedef struct frz_text_printer {
    frz_text_sink sink;
    frz_print_options options;
    frz_text_style style;
    frz_text_column root;
    int64_t rows;
    size_t *widths;       /* TABLE: of the columns, once the first rows are known */
    bool heading_printed; /* TABLE */
    frz_buffer cells;     /* TABLE: the texts of a block of rows */
    frz_buffer ends;      /* TABLE: size_t, where each cell ends */
    frz_arena arena;
} frz_text_printer;

/* TABLE: a batch; and the heading of a stream without rows. */
FRZ_MUST_CHECK frz_status frz_text_table_batch(frz_text_printer *printer,
                                               const struct ArrowArray *batch, frz_error **err);
FRZ_MUST_CHECK frz_status frz_text_table_end(frz_text_printer *printer, frz_error **err);

#endif
