/*
 * The rows of an Avro data or delete file, decoded once for all columns that are read, one batch
 * after the other.
 *
 * Avro stores rows, not columns: columns are first asked for (want), then every batch is decoded
 * for all of them together (next), then each is taken out (read).
 *
 * Thread rule: one thread per object.
 */
#ifndef FRZ_SCAN_AVRO_ROWS_H
#define FRZ_SCAN_AVRO_ROWS_H

#include "avro/reader.h"
#include "base/limits.h"
#include "frazil/arrow.h"
#include "frazil/extend/io.h"
#include "scan/row_selection.h"
#include "spec/schema.h"

typedef struct frz_avro_rows frz_avro_rows;

/* Borrows `input` and `limits`. */
FRZ_MUST_CHECK frz_status frz_avro_rows_open(frz_input *input, const frz_limits *limits,
                                             frz_avro_rows **out, frz_error **err);
/* Accepts NULL. */
void frz_avro_rows_close(frz_avro_rows *rows);

const frz_avro_schema *frz_avro_rows_file_schema(const frz_avro_rows *rows);
/* Puts other field ids into the file's schema, before the first want; borrows `schema`. */
void frz_avro_rows_set_ids(frz_avro_rows *rows, const frz_avro_schema *schema);

/* See frz_avro_reader_use_pool; before the first want. */
void frz_avro_rows_use_pool(frz_avro_rows *rows, frz_pool *pool);

/* Asks for the top-level column with the id of `field`, before the first is opened;
 * *column_out numbers it. FRZ_END, without an error, when the file has no such column. */
FRZ_MUST_CHECK frz_status frz_avro_rows_want(frz_avro_rows *rows, const frz_field *field,
                                             size_t *column_out, frz_error **err);

/* By everyone who will read the column. *out is its Arrow type as the file has it, with field ids.
 * Nothing more can be asked for. */
FRZ_MUST_CHECK frz_status frz_avro_rows_open_column(frz_avro_rows *rows, size_t column,
                                                    struct ArrowSchema *out, frz_error **err);

/* The next batch, of at most `rows_max` rows; FRZ_END after the last. */
FRZ_MUST_CHECK frz_status frz_avro_rows_next(frz_avro_rows *rows, int64_t rows_max,
                                             int64_t *count_out, frz_error **err);

/* The selected rows of a column; `selection` covers the batch at hand from its first row to its
 * last. Once per opening and batch. */
FRZ_MUST_CHECK frz_status frz_avro_rows_read(frz_avro_rows *rows, size_t column,
                                             const frz_row_selection *selection,
                                             struct ArrowArray *out, frz_error **err);

#endif
