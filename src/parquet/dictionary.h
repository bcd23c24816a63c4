/*
 * The dictionary page of a column chunk, decoded once into Arrow's form (Encodings.md, "Dictionary
 * Encoding").
 */
#ifndef FRZ_PARQUET_DICTIONARY_H
#define FRZ_PARQUET_DICTIONARY_H

#include "base/buffer.h"
#include "parquet/layout.h"

/* All zero is valid: no dictionary. */
typedef struct frz_parquet_dictionary {
    bool present;
    size_t count;
    frz_buffer
        data; /* FIXED: width each; BITS: a byte 0 or 1 each; BYTES: contents and some slack */
    frz_buffer offsets; /* BYTES: int32, count + 1 */
} frz_parquet_dictionary;

/* `bytes` are `count` PLAIN values of `leaf`. FRZ_CORRUPT when they are not. Replaces what was
 * there. */
FRZ_MUST_CHECK frz_status frz_parquet_dictionary_load(frz_parquet_dictionary *dictionary,
                                                      const frz_parquet_node *leaf,
                                                      const frz_parquet_layout *layout,
                                                      frz_slice bytes, size_t count,
                                                      frz_error **err);

/* Forgets the entries, keeps the memory. */
void frz_parquet_dictionary_reset(frz_parquet_dictionary *dictionary);
void frz_parquet_dictionary_clear(frz_parquet_dictionary *dictionary);

#endif
