/*
 * CSV in (RFC 4180): a header is required and names the columns, in any order; an unquoted empty
 * field is null, a quoted one the empty string. Nested values are written as JSON.
 */
#ifndef FRZ_TEXT_CSV_H
#define FRZ_TEXT_CSV_H

#include "frazil/arrow.h"
#include "frazil/io.h"

/* The batches have the columns of `schema` (borrowed) that the header names, in the schema's order.
 */
FRZ_MUST_CHECK frz_status frz_csv_open(const char *location, frz_io *io,
                                       const struct ArrowSchema *schema,
                                       struct ArrowArrayStream *out, frz_error **err);

#endif
