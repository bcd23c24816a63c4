/*
 * One column chunk in the making: values are taken batch by batch, encoded page by page, and kept
 * compressed until the row group is full.
 *
 * A chunk starts with a dictionary. Its first page decides whether that pays; it is left for good
 * (within the chunk) when it grows past its limit. Pages end on row boundaries (PageIndex.md).
 */
#ifndef FRZ_PARQUET_CHUNK_WRITER_H
#define FRZ_PARQUET_CHUNK_WRITER_H

#include "base/arena.h"
#include "frazil/extend/io.h"
#include "parquet/bloom_builder.h"
#include "parquet/dictionary_builder.h"
#include "parquet/footer_writer.h"
#include "parquet/gather.h"
#include "parquet/page_writer.h"
#include "parquet/shred.h"

typedef struct frz_parquet_chunk_options {
    uint32_t page_size;
    int64_t page_rows;
    uint32_t dictionary_size;
    bool dictionary_off;
    bool statistics_off;
    frz_parquet_bloom_options bloom;
} frz_parquet_chunk_options;

typedef struct frz_parquet_chunk_page {
    frz_parquet_page_bytes page;
    frz_parquet_page_entry entry; /* its offset is known when the group is written */
} frz_parquet_chunk_page;

typedef struct frz_parquet_chunk_writer {
    const frz_parquet_leaf *leaf;
    frz_parquet_order order;
    frz_parquet_chunk_options options;
    frz_parquet_page_writer *pages_to; /* borrowed; shared by all columns */

    /* The page that is open. */
    size_t slot_count;
    size_t value_count;
    int64_t row_count;
    size_t plain_size;     /* of its values in PLAIN encoding */
    bool full;             /* no value is missing so far: `definition` is not filled */
    frz_buffer definition; /* one byte a slot */
    frz_buffer repetition;
    frz_buffer values;  /* without dictionary: PLAIN, but booleans as bytes */
    frz_buffer indexes; /* with dictionary: uint32 */
    frz_parquet_bounds page_bounds;

    /* The chunk. */
    bool dictionary_on;
    frz_parquet_dictionary_builder dictionary;
    frz_parquet_chunk_page *pages;
    size_t page_count;
    size_t page_capacity;
    frz_buffer bound_bytes; /* shortened bounds of the pages */
    uint64_t raw_size;      /* of closed pages, before and after compression */
    uint64_t packed_size;
    int64_t rows_closed;
    frz_parquet_bounds bounds;
    frz_parquet_bloom_builder bloom;
    frz_parquet_chunk_entry entry;

    /* Scratch. */
    frz_parquet_shredded shredded;
    frz_parquet_gathered gathered;
    frz_buffer encoded;
    frz_buffer delta;
} frz_parquet_chunk_writer;

void frz_parquet_chunk_init(frz_parquet_chunk_writer *chunk, const frz_parquet_leaf *leaf,
                            const frz_parquet_chunk_options *options,
                            frz_parquet_page_writer *pages_to);

/* Takes rows [start, start + count) of a plain batch. */
FRZ_MUST_CHECK frz_status frz_parquet_chunk_append(frz_parquet_chunk_writer *chunk,
                                                   const struct ArrowArray *batch, int64_t start,
                                                   int64_t count, frz_error **err);

/* Roughly the bytes that the chunk will take in the file. */
uint64_t frz_parquet_chunk_size(const frz_parquet_chunk_writer *chunk);
/* The same before compression. */
uint64_t frz_parquet_chunk_raw_size(const frz_parquet_chunk_writer *chunk);

/* Bytes that are held in memory: closed pages, the open one, the dictionary, scratch. */
uint64_t frz_parquet_chunk_memory(const frz_parquet_chunk_writer *chunk);

/* Where a flush writes to, and where it leaves what the footer needs. */
typedef struct frz_parquet_flush {
    frz_output *output;
    uint64_t *offset; /* of the file; moved along */
    frz_arena *arena; /* for statistics */
    frz_buffer *column_indexes;
    frz_buffer *offset_indexes;
    frz_buffer *blooms; /* of the row group */
} frz_parquet_flush;

/*
 * Closes the open page, writes all pages, and empties the chunk. `total` takes in the exact bounds,
 * *entry_out describes the chunk.
 */
FRZ_MUST_CHECK frz_status frz_parquet_chunk_flush(frz_parquet_chunk_writer *chunk,
                                                  const frz_parquet_flush *flush,
                                                  frz_parquet_bounds *total,
                                                  frz_parquet_chunk_entry *entry_out,
                                                  frz_error **err);

void frz_parquet_chunk_clear(frz_parquet_chunk_writer *chunk);

#endif
