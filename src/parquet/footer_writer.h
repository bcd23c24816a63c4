/*
 * The Thrift structures at the end of a file: page indexes and FileMetaData (parquet.thrift).
 */
#ifndef FRZ_PARQUET_FOOTER_WRITER_H
#define FRZ_PARQUET_FOOTER_WRITER_H

#include "base/buffer.h"
#include "base/codec.h"
#include "parquet/bounds.h"
#include "parquet/metadata.h"
#include "parquet/write_schema.h"

/* What is known of one written data page. */
typedef struct frz_parquet_page_entry {
    uint64_t offset; /* in the file */
    size_t size;     /* header included */
    int64_t first_row;
    int64_t null_count;
    int64_t nan_count;
    bool all_null;
    bool has_bounds; /* false for pages of nulls and NaN alone */
    size_t min_at;   /* within the chunk's bytes of bounds */
    size_t min_size;
    size_t max_at;
    size_t max_size;
} frz_parquet_page_entry;

/* What is known of one written column chunk. */
typedef struct frz_parquet_chunk_entry {
    const frz_parquet_leaf *leaf;
    frz_codec codec;
    size_t pages_plain; /* data pages by encoding */
    size_t pages_dictionary;
    size_t pages_delta;
    int64_t slot_count;
    uint64_t uncompressed_size;
    uint64_t compressed_size;
    uint64_t data_page_offset;
    uint64_t dictionary_page_offset; /* meaningful when pages_dictionary > 0 */
    bool has_statistics;
    frz_parquet_statistics statistics;
    uint64_t
        column_index_at; /* within all column indexes of the file; then from the file's start */
    size_t column_index_size; /* 0: none */
    uint64_t offset_index_at;
    size_t offset_index_size;
    uint64_t bloom_at;
    size_t bloom_size; /* 0: no Bloom filter */
} frz_parquet_chunk_entry;

typedef struct frz_parquet_group_entry {
    frz_parquet_chunk_entry *chunks;
    uint64_t offset; /* of its first page */
    int64_t row_count;
} frz_parquet_group_entry;

typedef struct frz_parquet_footer {
    const frz_parquet_write_schema *schema;
    const frz_parquet_group_entry *groups;
    size_t group_count;
    int64_t row_count;
    const frz_parquet_key_value *key_values;
    size_t key_value_count;
} frz_parquet_footer;

/* Appends; failures stick in `out`. */
void frz_parquet_column_index_write(const frz_parquet_node *leaf,
                                    const frz_parquet_page_entry *pages, size_t page_count,
                                    const uint8_t *bounds, frz_buffer *out);
void frz_parquet_offset_index_write(const frz_parquet_page_entry *pages, size_t page_count,
                                    frz_buffer *out);
void frz_parquet_footer_write(const frz_parquet_footer *footer, frz_buffer *out);

/* parquet.thrift CompressionCodec; -1 for a codec that Parquet does not have. */
int32_t frz_parquet_codec_number(frz_codec codec);

#endif
