/*
 * One page as bytes: header, levels, values, compressed and with its CRC (parquet.thrift,
 * PageHeader).
 */
#ifndef FRZ_PARQUET_PAGE_WRITER_H
#define FRZ_PARQUET_PAGE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/codec.h"
#include "base/slice.h"
#include "parquet/metadata.h"

/* What a data page holds, before encoding of its levels. */
typedef struct frz_parquet_page_content {
    const frz_parquet_node *leaf;
    frz_parquet_encoding encoding;
    frz_slice values; /* encoded already */
    size_t slot_count;
    size_t null_count; /* slots without a value */
    size_t row_count;
    const uint8_t *definition; /* slot_count; NULL: all of them the greatest level */
    const uint8_t *repetition; /* slot_count; NULL: the leaf is below no list */
} frz_parquet_page_content;

typedef struct frz_parquet_page_writer {
    frz_codec codec;
    int32_t codec_level;
    bool data_page_v2;
    frz_codec_context *context; /* borrowed */
    /* Scratch, kept between pages. */
    frz_buffer body;
    frz_buffer levels;
    frz_buffer compressed;
} frz_parquet_page_writer;

/* One finished page. */
typedef struct frz_parquet_page_bytes {
    uint8_t *bytes; /* owned */
    size_t size;
    size_t uncompressed_size; /* header included */
} frz_parquet_page_bytes;

FRZ_MUST_CHECK frz_status frz_parquet_page_write(frz_parquet_page_writer *writer,
                                                 const frz_parquet_page_content *content,
                                                 frz_parquet_page_bytes *out, frz_error **err);

FRZ_MUST_CHECK frz_status frz_parquet_page_write_dictionary(frz_parquet_page_writer *writer,
                                                            frz_slice plain, size_t count,
                                                            frz_parquet_page_bytes *out,
                                                            frz_error **err);

void frz_parquet_page_writer_clear(frz_parquet_page_writer *writer);

#endif
