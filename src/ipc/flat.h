/*
 * FlatBuffers as Arrow's messages use them ("FlatBuffers Internals"): a buffer of tables, each with
 * a vtable that says where its fields stand, and of vectors and strings that fields point to.
 *
 * Reading is bounded: every offset is checked against the buffer, nothing is assumed of alignment,
 * and the first fault sticks. A reader of several fields therefore asks frz_flat_check once. An
 * absent field reads as its default; an absent table as one whose fields are all absent.
 */
#ifndef FRZ_IPC_FLAT_H
#define FRZ_IPC_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "frazil/error.h"

/* The bytes of one buffer (borrowed) and what was found wrong with them. */
typedef struct frz_flat {
    frz_slice bytes;
    bool failed;
    size_t fault; /* where, in `bytes` */
} frz_flat;

typedef struct frz_flat_table {
    frz_flat *buffer; /* NULL: an absent table */
    size_t at;
    size_t size;
    size_t vtable;
    size_t vtable_size;
} frz_flat_table;

typedef struct frz_flat_vector {
    frz_flat *buffer;
    size_t at; /* of the first item */
    size_t count;
    size_t item_size;
} frz_flat_vector;

frz_flat frz_flat_over(frz_slice bytes);

/* FRZ_CORRUPT with the first fault's place, counted from `offset` of the file on. */
FRZ_MUST_CHECK frz_status frz_flat_check(const frz_flat *buffer, uint64_t offset, frz_error **err);

frz_flat_table frz_flat_root(frz_flat *buffer);

/* Fields by their place in the table's declaration, from 0 on. */
bool frz_flat_has(const frz_flat_table *table, unsigned field);
uint8_t frz_flat_u8(const frz_flat_table *table, unsigned field, uint8_t absent);
int16_t frz_flat_i16(const frz_flat_table *table, unsigned field, int16_t absent);
int32_t frz_flat_i32(const frz_flat_table *table, unsigned field, int32_t absent);
int64_t frz_flat_i64(const frz_flat_table *table, unsigned field, int64_t absent);
frz_flat_table frz_flat_child(const frz_flat_table *table, unsigned field);
frz_slice frz_flat_text(const frz_flat_table *table, unsigned field);

/* A vector whose `item_size` bytes an item are all within the buffer. Of tables: 4. */
frz_flat_vector frz_flat_items(const frz_flat_table *table, unsigned field, size_t item_size);
frz_flat_table frz_flat_item_table(const frz_flat_vector *vector, size_t index);
/* Eight or four bytes of an item, from its byte `at` on. */
int64_t frz_flat_item_i64(const frz_flat_vector *vector, size_t index, size_t at);
int32_t frz_flat_item_i32(const frz_flat_vector *vector, size_t index, size_t at);

#endif
