/*
 * Collects the distinct values of a column chunk: an open-addressing hash table over entries that
 * stand in PLAIN encoding already, as the dictionary page wants them.
 */
#ifndef FRZ_PARQUET_DICTIONARY_BUILDER_H
#define FRZ_PARQUET_DICTIONARY_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"

/* All zero but `width` is a valid, empty dictionary. */
typedef struct frz_parquet_dictionary_builder {
    size_t width;     /* bytes of a value; 0: BYTE_ARRAY */
    frz_buffer plain; /* the entries, PLAIN encoded */
    uint32_t count;
    uint32_t *slots;     /* entry number + 1; 0 is free */
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t *hashes;    /* per entry, for growing and for cheap inequality */
    uint32_t *starts;    /* per entry of BYTE_ARRAY: where its length prefix is in `plain` */
    uint32_t *pages;     /* per entry: the page that used it last */
    uint32_t entry_capacity;
} frz_parquet_dictionary_builder;

/* The entry numbers of `count` values, new ones added. False when memory is short. */
bool frz_parquet_dictionary_builder_add_fixed(frz_parquet_dictionary_builder *builder,
                                              const void *values, size_t count, uint32_t *indexes);

/*
 * Likewise for BYTE_ARRAY. Values that page number `page` (from 1) had not used yet are moved
 * together at the front of `values`, *fresh_out many, so that statistics look at each only once.
 */
bool frz_parquet_dictionary_builder_add_slices(frz_parquet_dictionary_builder *builder,
                                               frz_slice *values, size_t count, uint32_t page,
                                               uint32_t *indexes, size_t *fresh_out);

/* Appends the values of these entries, PLAIN encoded. */
void frz_parquet_dictionary_builder_append_plain(const frz_parquet_dictionary_builder *builder,
                                                 const uint32_t *indexes, size_t count,
                                                 frz_buffer *out);

/* Bytes that it holds. */
size_t frz_parquet_dictionary_builder_memory(const frz_parquet_dictionary_builder *builder);

/* Forgets all entries, keeps the memory. */
void frz_parquet_dictionary_builder_reset(frz_parquet_dictionary_builder *builder);
void frz_parquet_dictionary_builder_clear(frz_parquet_dictionary_builder *builder);

#endif
