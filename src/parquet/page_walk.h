/*
 * The pages of a column chunk from their headers alone, one after the other as they lie in the
 * file: for whoever wants to know what is there without decoding it (inspect), or wants one page
 * of it (dictionary_values.h).
 */
#ifndef FRZ_PARQUET_PAGE_WALK_H
#define FRZ_PARQUET_PAGE_WALK_H

#include "parquet/file.h"
#include "parquet/page.h"
#include "parquet/window.h"

/*
 * The header of the page at `offset`, with as many bytes as it turns out to need. When bytes must
 * be fetched, those up to `ahead_end` are fetched with them.
 */
FRZ_MUST_CHECK frz_status frz_parquet_page_header_at(frz_parquet_window *window, uint64_t offset,
                                                     uint64_t ahead_end, const frz_limits *limits,
                                                     frz_parquet_page_header *out, frz_error **err);

typedef struct frz_parquet_page_walk {
    frz_parquet_window window; /* owned */
    const frz_limits *limits;
    const frz_parquet_column_chunk *chunk;
    uint64_t offset; /* of the page that next has given */
    uint64_t next_offset;
    uint64_t end;
    int64_t values_left;
} frz_parquet_page_walk;

/* Borrows `file`. FRZ_UNSUPPORTED when the chunk is encrypted or in another file. Clear in every
 * case. */
FRZ_MUST_CHECK frz_status frz_parquet_page_walk_begin(frz_parquet_page_walk *walk,
                                                      frz_parquet_file *file, size_t row_group,
                                                      size_t leaf, frz_error **err);
void frz_parquet_page_walk_clear(frz_parquet_page_walk *walk);

/* FRZ_END when all values are behind. FRZ_CORRUPT names the page by its offset. */
FRZ_MUST_CHECK frz_status frz_parquet_page_walk_next(frz_parquet_page_walk *walk,
                                                     frz_parquet_page_header *out, frz_error **err);

/* The bytes of the page that next has given, behind its header; valid until the next call. */
FRZ_MUST_CHECK frz_status frz_parquet_page_walk_body(frz_parquet_page_walk *walk,
                                                     const frz_parquet_page_header *header,
                                                     frz_slice *out, frz_error **err);

#endif
