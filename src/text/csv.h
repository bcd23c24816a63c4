/*
 * CSV in (RFC 4180, or another dialect): a header names the columns, in any order; an unquoted
 * empty field is null, a quoted one the empty string. Nested values are written as JSON.
 */
#ifndef FRZ_TEXT_CSV_H
#define FRZ_TEXT_CSV_H

#include "frazil/arrow.h"
#include "frazil/io.h"
#include "frazil/text.h"

/* The batches have the columns of `schema` (borrowed) that the header names, in the schema's order;
 * without header its first ones. Of `options` what is said of names and of CSV counts. */
FRZ_MUST_CHECK frz_status frz_csv_open(const char *location, frz_io *io,
                                       const struct ArrowSchema *schema,
                                       const frz_rows_options *options,
                                       struct ArrowArrayStream *out, frz_error **err);

/*
 * The columns of the file: those that `options->schema` (may be NULL) has as it has them, in its
 * order, then the others, their types guessed from the first `sample_rows` rows (0: from all).
 * Without header, columns beyond the schema are column1, column2, ... by their place.
 */
FRZ_MUST_CHECK frz_status frz_csv_columns(const char *location, frz_io *io,
                                          const frz_rows_options *options, struct ArrowSchema *out,
                                          frz_error **err);

#endif
