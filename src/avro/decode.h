/*
 * Runs a decode program over the bytes of one block.
 */
#ifndef FRZ_AVRO_DECODE_H
#define FRZ_AVRO_DECODE_H

#include "avro/program.h"

typedef struct frz_avro_decoder {
    frz_avro_program *program; /* borrowed; its columns are filled */
    frz_avro_bytes in;
    const uint8_t *start; /* of the block */
    uint32_t op;          /* where a fault happened */
} frz_avro_decoder;

/* Appends `rows` rows to the program's columns. On false, `in.fault` and `op` tell; the columns are
 * to be cleared. */
FRZ_MUST_CHECK bool frz_avro_decode_rows(frz_avro_decoder *decoder, int64_t rows);

/* The error of a fault. `offset` is where the block begins in the file; `packed` tells that its
 * bytes are compressed, so that positions inside are not positions of the file. */
frz_status frz_avro_decode_fail(const frz_avro_decoder *decoder, uint64_t offset, bool packed,
                                frz_error **err);

#endif
