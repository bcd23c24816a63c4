/*
 * The pages of the column chunk that a column (column.h) is in: found one after the other or by the
 * offset index, passed over unopened where nothing in them is wanted, opened where something is.
 * The chunk's dictionary is loaded when the first page that uses it is opened.
 */
#ifndef FRZ_PARQUET_CHUNK_H
#define FRZ_PARQUET_CHUNK_H

#include "parquet/column.h"

/* Checks the chunk of column->group and goes to its first page. */
FRZ_MUST_CHECK frz_status frz_parquet_chunk_begin(frz_parquet_column *column, frz_error **err);

/* The header of the next data page, which counts as passed unless it is opened. FRZ_END behind the
 * last. */
FRZ_MUST_CHECK frz_status frz_parquet_chunk_next(frz_parquet_column *column,
                                                 frz_parquet_page_header *out, frz_error **err);

/* Opens the page whose header chunk_next has just given. */
FRZ_MUST_CHECK frz_status frz_parquet_chunk_open(frz_parquet_column *column,
                                                 const frz_parquet_page_header *header,
                                                 frz_error **err);

/* Passes over what it can of *rows without opening a page; *rows is what is left to skip. */
FRZ_MUST_CHECK frz_status frz_parquet_chunk_pass(frz_parquet_column *column, int64_t *rows,
                                                 frz_error **err);

#endif
