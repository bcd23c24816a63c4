#include "ipc/flat.h"

#include <assert.h>

#include "base/fail.h"

enum {
    OFFSET_SIZE = 4,        /* of another object, from where it is written on */
    VTABLE_HEADER_SIZE = 4, /* the sizes of vtable and table */
    SLOT_SIZE = 2
};

frz_flat frz_flat_over(frz_slice bytes)
{
    return (frz_flat){.bytes = bytes};
}

frz_status frz_flat_check(const frz_flat *buffer, uint64_t offset, frz_error **err)
{
    if (!buffer->failed)
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, offset + buffer->fault,
                    "byte %llu: a FlatBuffers offset or size leads out of its message",
                    (unsigned long long)(offset + buffer->fault));
}

static void fail_at(frz_flat *buffer, size_t at)
{
    if (!buffer->failed)
        buffer->fault = at;
    buffer->failed = true;
}

/* Whether `size` bytes from `at` on are within the buffer. */
static bool is_within(const frz_flat *buffer, size_t at, size_t size)
{
    return at <= buffer->bytes.size && size <= buffer->bytes.size - at;
}

static uint16_t load_u16(const frz_flat *buffer, size_t at)
{
    const uint8_t *bytes = buffer->bytes.data + at;
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static uint32_t load_u32(const frz_flat *buffer, size_t at)
{
    return load_u16(buffer, at) | (uint32_t)load_u16(buffer, at + 2) << 16;
}

static uint64_t load_u64(const frz_flat *buffer, size_t at)
{
    return load_u32(buffer, at) | (uint64_t)load_u32(buffer, at + 4) << 32;
}

/* The table at `at`, which begins with the distance back to its vtable. */
static frz_flat_table table_at(frz_flat *buffer, size_t at)
{
    const frz_flat_table absent = {0};
    if (!is_within(buffer, at, OFFSET_SIZE)) {
        fail_at(buffer, at);
        return absent;
    }
    const int64_t vtable = (int64_t)at - (int32_t)load_u32(buffer, at);
    if (vtable < 0 || !is_within(buffer, (size_t)vtable, VTABLE_HEADER_SIZE)) {
        fail_at(buffer, at);
        return absent;
    }
    const frz_flat_table table = {.buffer = buffer,
                                  .at = at,
                                  .size = load_u16(buffer, (size_t)vtable + 2),
                                  .vtable = (size_t)vtable,
                                  .vtable_size = load_u16(buffer, (size_t)vtable)};
    if (table.vtable_size < VTABLE_HEADER_SIZE || table.size < OFFSET_SIZE ||
        !is_within(buffer, table.vtable, table.vtable_size) || !is_within(buffer, at, table.size)) {
        fail_at(buffer, table.vtable);
        return absent;
    }
    return table;
}

/* Where the offset that is written at `at` leads to; false when out of the buffer. */
static bool follow(frz_flat *buffer, size_t at, size_t *out)
{
    const size_t distance = load_u32(buffer, at);
    if (distance < OFFSET_SIZE || !is_within(buffer, at, distance) ||
        !is_within(buffer, at + distance, OFFSET_SIZE)) {
        fail_at(buffer, at);
        return false;
    }
    *out = at + distance;
    return true;
}

frz_flat_table frz_flat_root(frz_flat *buffer)
{
    size_t at = 0;
    if (!is_within(buffer, 0, OFFSET_SIZE)) {
        fail_at(buffer, 0);
        return (frz_flat_table){0};
    }
    return follow(buffer, 0, &at) ? table_at(buffer, at) : (frz_flat_table){0};
}

/* Where the table has `size` bytes of a field; false when the field is absent. */
static bool find_field(const frz_flat_table *table, unsigned field, size_t size, size_t *out)
{
    if (!table->buffer || table->buffer->failed)
        return false;
    const size_t slot = VTABLE_HEADER_SIZE + (size_t)field * SLOT_SIZE;
    if (slot + SLOT_SIZE > table->vtable_size)
        return false;
    const size_t place = load_u16(table->buffer, table->vtable + slot);
    if (place == 0)
        return false;
    if (place < OFFSET_SIZE || place + size > table->size) {
        fail_at(table->buffer, table->vtable + slot);
        return false;
    }
    *out = table->at + place;
    return true;
}

bool frz_flat_has(const frz_flat_table *table, unsigned field)
{
    size_t at = 0;
    return find_field(table, field, 1, &at);
}

uint8_t frz_flat_u8(const frz_flat_table *table, unsigned field, uint8_t absent)
{
    size_t at = 0;
    return find_field(table, field, 1, &at) ? table->buffer->bytes.data[at] : absent;
}

int16_t frz_flat_i16(const frz_flat_table *table, unsigned field, int16_t absent)
{
    size_t at = 0;
    return find_field(table, field, 2, &at) ? (int16_t)load_u16(table->buffer, at) : absent;
}

int32_t frz_flat_i32(const frz_flat_table *table, unsigned field, int32_t absent)
{
    size_t at = 0;
    return find_field(table, field, 4, &at) ? (int32_t)load_u32(table->buffer, at) : absent;
}

int64_t frz_flat_i64(const frz_flat_table *table, unsigned field, int64_t absent)
{
    size_t at = 0;
    return find_field(table, field, 8, &at) ? (int64_t)load_u64(table->buffer, at) : absent;
}

frz_flat_table frz_flat_child(const frz_flat_table *table, unsigned field)
{
    size_t at = 0;
    size_t child = 0;
    if (!find_field(table, field, OFFSET_SIZE, &at) || !follow(table->buffer, at, &child))
        return (frz_flat_table){0};
    return table_at(table->buffer, child);
}

frz_flat_vector frz_flat_items(const frz_flat_table *table, unsigned field, size_t item_size)
{
    const frz_flat_vector none = {0};
    size_t at = 0;
    size_t vector = 0;
    if (!find_field(table, field, OFFSET_SIZE, &at) || !follow(table->buffer, at, &vector))
        return none;
    const size_t count = load_u32(table->buffer, vector);
    const size_t left = table->buffer->bytes.size - vector - OFFSET_SIZE;
    if (count > left / item_size) {
        fail_at(table->buffer, vector);
        return none;
    }
    return (frz_flat_vector){.buffer = table->buffer,
                             .at = vector + OFFSET_SIZE,
                             .count = count,
                             .item_size = item_size};
}

frz_slice frz_flat_text(const frz_flat_table *table, unsigned field)
{
    const frz_flat_vector bytes = frz_flat_items(table, field, 1);
    if (bytes.count == 0)
        return (frz_slice){0};
    return frz_slice_of(bytes.buffer->bytes.data + bytes.at, bytes.count);
}

frz_flat_table frz_flat_item_table(const frz_flat_vector *vector, size_t index)
{
    size_t at = 0;
    assert(index < vector->count && vector->item_size == OFFSET_SIZE);
    if (!follow(vector->buffer, vector->at + index * OFFSET_SIZE, &at))
        return (frz_flat_table){0};
    return table_at(vector->buffer, at);
}

int64_t frz_flat_item_i64(const frz_flat_vector *vector, size_t index, size_t at)
{
    assert(index < vector->count && at + 8 <= vector->item_size);
    return (int64_t)load_u64(vector->buffer, vector->at + index * vector->item_size + at);
}

int32_t frz_flat_item_i32(const frz_flat_vector *vector, size_t index, size_t at)
{
    assert(index < vector->count && at + 4 <= vector->item_size);
    return (int32_t)load_u32(vector->buffer, vector->at + index * vector->item_size + at);
}
