/*
 * Decodes the values of one data page (nulls are not among them) by any encoding but dictionary,
 * whose indices it hands out: Encodings.md.
 *
 * Values come dense, in the page's physical form: booleans as bits, types of fixed width as their
 * bytes, byte arrays as offsets and data.
 */
#ifndef FRZ_PARQUET_DECODER_H
#define FRZ_PARQUET_DECODER_H

#include "base/buffer.h"
#include "parquet/delta.h"
#include "parquet/hybrid.h"
#include "parquet/metadata.h"

typedef struct frz_parquet_decoder {
    frz_parquet_encoding encoding;
    frz_parquet_type type;
    size_t width; /* bytes of a value; 0 for booleans and byte arrays */
    frz_slice bytes;
    size_t at;                 /* next byte (PLAIN), value (BYTE_STREAM_SPLIT) or bit (booleans) */
    frz_parquet_hybrid hybrid; /* dictionary indices, RLE booleans */
    frz_parquet_delta delta;   /* integers, lengths, suffix lengths */
    frz_parquet_delta prefixes;
    frz_buffer last;     /* DELTA_BYTE_ARRAY: the value before; kept between pages for its memory */
    size_t bytes_max;    /* of byte arrays in one buffer; kept between pages; 0 = 2 GiB - 1 */
    const char *problem; /* what was wrong; a constant text */
    bool over_limit;     /* it is not wrong, but more than `bytes_max` */
} frz_parquet_decoder;

/* Takes up a page; `decoder` is zero or was used before. FRZ_UNSUPPORTED for an encoding we do not
 * know. */
FRZ_MUST_CHECK frz_status frz_parquet_decoder_start(frz_parquet_decoder *decoder,
                                                    const frz_parquet_node *leaf, int32_t encoding,
                                                    frz_slice bytes, frz_error **err);
void frz_parquet_decoder_clear(frz_parquet_decoder *decoder);

/* Whether the page holds dictionary indices. */
bool frz_parquet_decoder_indexed(const frz_parquet_decoder *decoder);

/* Each false when the page is wrong or short, with `problem` set; or when memory is short, without.
 */
bool frz_parquet_decode_indices(frz_parquet_decoder *decoder, uint32_t *out, size_t count);
bool frz_parquet_decode_bits(frz_parquet_decoder *decoder, uint8_t *out, size_t at, size_t count);
bool frz_parquet_decode_fixed(frz_parquet_decoder *decoder, uint8_t *out, size_t count);
/* Appends to `data`, and count ends to `ends_out`: positions in `data`, which stays within
 * `bytes_max`. */
bool frz_parquet_decode_bytes(frz_parquet_decoder *decoder, int32_t *ends_out, frz_buffer *data,
                              size_t count);
bool frz_parquet_decoder_skip(frz_parquet_decoder *decoder, size_t count);

#endif
