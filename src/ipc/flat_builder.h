/*
 * Builds a FlatBuffers buffer from its start on: a table first, then what its fields point to. So
 * every offset leads forward, as the format wants it, and is filled in when its target is made.
 *
 * Objects are named by their position. The first shortage of memory sticks: what is made after it
 * is of no use, and frz_buffer_check tells.
 */
#ifndef FRZ_IPC_FLAT_BUILDER_H
#define FRZ_IPC_FLAT_BUILDER_H

#include "base/buffer.h"
#include "base/slice.h"

/* All zero is empty. */
typedef struct frz_flat_builder {
    frz_buffer bytes;
} frz_flat_builder;

enum { FRZ_FLAT_FIELDS_MAX = 8 };

/*
 * A zeroed table whose field i has widths[i] bytes (0: the field is absent; 4 of a reference). The
 * first object is the root.
 */
size_t frz_flat_add_table(frz_flat_builder *builder, const uint8_t *widths, size_t count);

/* The field must have the width that the name says. */
void frz_flat_set_u8(frz_flat_builder *builder, size_t table, unsigned field, uint8_t value);
void frz_flat_set_i16(frz_flat_builder *builder, size_t table, unsigned field, int16_t value);
void frz_flat_set_i32(frz_flat_builder *builder, size_t table, unsigned field, int32_t value);
void frz_flat_set_i64(frz_flat_builder *builder, size_t table, unsigned field, int64_t value);
void frz_flat_set_child(frz_flat_builder *builder, size_t table, unsigned field, size_t child);

/* Adds what the field points to. Items are aligned to their size, structs of int64 to 8. */
void frz_flat_add_text(frz_flat_builder *builder, size_t table, unsigned field, frz_slice text);
size_t frz_flat_add_items(frz_flat_builder *builder, size_t table, unsigned field, size_t count,
                          size_t item_size);
void frz_flat_set_item_child(frz_flat_builder *builder, size_t items, size_t index, size_t child);
/* Eight bytes `at` bytes behind the first item. */
void frz_flat_set_item_i64(frz_flat_builder *builder, size_t items, size_t at, int64_t value);
void frz_flat_set_item_i32(frz_flat_builder *builder, size_t items, size_t at, int32_t value);

#endif
