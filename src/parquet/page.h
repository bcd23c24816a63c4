/*
 * One page: its Thrift header (parquet.thrift, PageHeader), its checksum, and its parts
 * decompressed.
 */
#ifndef FRZ_PARQUET_PAGE_H
#define FRZ_PARQUET_PAGE_H

#include "base/codec.h"
#include "base/limits.h"
#include "parquet/metadata.h"

typedef enum frz_parquet_page_type {
    FRZ_PARQUET_PAGE_DATA = 0,
    FRZ_PARQUET_PAGE_INDEX = 1,
    FRZ_PARQUET_PAGE_DICTIONARY = 2,
    FRZ_PARQUET_PAGE_DATA_V2 = 3
} frz_parquet_page_type;

typedef struct frz_parquet_page_header {
    int32_t type; /* others than the above exist; they are skipped */
    uint32_t uncompressed_size;
    uint32_t compressed_size;
    bool has_crc;
    uint32_t crc;
    uint32_t value_count; /* nulls included; entries of a dictionary */
    int32_t encoding;
    int32_t definition_encoding; /* V1 */
    int32_t repetition_encoding; /* V1 */
    uint32_t null_count;         /* V2 */
    uint32_t row_count;          /* V2 */
    uint32_t definition_size;    /* V2 */
    uint32_t repetition_size;    /* V2 */
    bool compressed;             /* V2: is_compressed */
    size_t header_size;
} frz_parquet_page_header;

/*
 * Parses the header at the start of `bytes`, which stand at `offset` in the file. *cut_out tells
 * that the bytes end inside the header: with more of them it may be right.
 */
FRZ_MUST_CHECK frz_status frz_parquet_page_header_parse(frz_slice bytes, uint64_t offset,
                                                        const frz_limits *limits,
                                                        frz_parquet_page_header *out, bool *cut_out,
                                                        frz_error **err);

/* The parts of a data page, borrowed from the page's bytes or from the opener. */
typedef struct frz_parquet_page_parts {
    frz_slice repetition;
    frz_slice definition;
    frz_slice values;
    bool repetition_bit_packed;
    bool definition_bit_packed;
} frz_parquet_page_parts;

/* What opening the pages of one column chunk needs. */
typedef struct frz_parquet_page_opener {
    const frz_parquet_column_chunk *chunk;
    const frz_parquet_node *leaf;
    frz_codec_context codecs; /* owned */
    frz_buffer buffer;        /* owned; the page decompressed */
} frz_parquet_page_opener;

/*
 * Checks the CRC when there is one, decompresses `body` (the page behind its header) into the
 * opener's buffer, and finds levels and values. A dictionary page has only values. FRZ_CORRUPT
 * names what is wrong without the place, which the caller knows.
 */
FRZ_MUST_CHECK frz_status frz_parquet_page_open(frz_parquet_page_opener *opener,
                                                const frz_parquet_page_header *header,
                                                frz_slice body, frz_parquet_page_parts *out,
                                                frz_error **err);

#endif
