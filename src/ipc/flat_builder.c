#include "ipc/flat_builder.h"

#include <assert.h>

enum { ALIGNMENT = 8, OFFSET_SIZE = 4, VTABLE_HEADER_SIZE = 4, SLOT_SIZE = 2 };

static size_t round_up(size_t size, size_t alignment)
{
    return (size + alignment - 1) / alignment * alignment;
}

static void pad_to(frz_flat_builder *builder, size_t size)
{
    if (size > builder->bytes.size)
        frz_buffer_append_fill(&builder->bytes, 0, size - builder->bytes.size);
}

static void store(frz_flat_builder *builder, size_t at, uint64_t value, size_t size)
{
    if (builder->bytes.failed)
        return;
    assert(at + size <= builder->bytes.size);
    for (size_t i = 0; i < size; i++)
        builder->bytes.data[at + i] = (uint8_t)(value >> (8 * i));
}

size_t frz_flat_add_table(frz_flat_builder *builder, const uint8_t *widths, size_t count)
{
    uint16_t places[FRZ_FLAT_FIELDS_MAX] = {0};
    size_t size = OFFSET_SIZE;
    assert(count <= FRZ_FLAT_FIELDS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (widths[i] == 0)
            continue;
        size = round_up(size, widths[i]);
        places[i] = (uint16_t)size;
        size += widths[i];
    }
    const bool is_root = builder->bytes.size == 0;
    if (is_root)
        frz_buffer_append_u32le(&builder->bytes, 0);
    pad_to(builder, round_up(builder->bytes.size, SLOT_SIZE));
    const size_t vtable = builder->bytes.size;
    const size_t vtable_size = VTABLE_HEADER_SIZE + count * SLOT_SIZE;
    const size_t table = round_up(vtable + vtable_size, ALIGNMENT);
    pad_to(builder, table + size);
    store(builder, vtable, vtable_size, 2);
    store(builder, vtable + 2, size, 2);
    for (size_t i = 0; i < count; i++)
        store(builder, vtable + VTABLE_HEADER_SIZE + i * SLOT_SIZE, places[i], 2);
    store(builder, table, table - vtable, OFFSET_SIZE);
    if (is_root)
        store(builder, 0, table, OFFSET_SIZE);
    return table;
}

/* Where a field that the table has stands. */
static size_t field_at(const frz_flat_builder *builder, size_t table, unsigned field)
{
    const uint8_t *bytes = builder->bytes.data;
    if (builder->bytes.failed)
        return 0;
    const size_t distance = (size_t)bytes[table] | (size_t)bytes[table + 1] << 8;
    const size_t slot = table - distance + VTABLE_HEADER_SIZE + (size_t)field * SLOT_SIZE;
    const size_t place = (size_t)bytes[slot] | (size_t)bytes[slot + 1] << 8;
    assert(place != 0);
    return table + place;
}

void frz_flat_set_u8(frz_flat_builder *builder, size_t table, unsigned field, uint8_t value)
{
    store(builder, field_at(builder, table, field), value, 1);
}

void frz_flat_set_i16(frz_flat_builder *builder, size_t table, unsigned field, int16_t value)
{
    store(builder, field_at(builder, table, field), (uint16_t)value, 2);
}

void frz_flat_set_i32(frz_flat_builder *builder, size_t table, unsigned field, int32_t value)
{
    store(builder, field_at(builder, table, field), (uint32_t)value, 4);
}

void frz_flat_set_i64(frz_flat_builder *builder, size_t table, unsigned field, int64_t value)
{
    store(builder, field_at(builder, table, field), (uint64_t)value, 8);
}

void frz_flat_set_child(frz_flat_builder *builder, size_t table, unsigned field, size_t child)
{
    const size_t at = field_at(builder, table, field);
    store(builder, at, child - at, OFFSET_SIZE);
}

size_t frz_flat_add_items(frz_flat_builder *builder, size_t table, unsigned field, size_t count,
                          size_t item_size)
{
    const size_t alignment = item_size > OFFSET_SIZE ? ALIGNMENT : OFFSET_SIZE;
    const size_t items = round_up(builder->bytes.size + OFFSET_SIZE, alignment);
    pad_to(builder, items + count * item_size);
    store(builder, items - OFFSET_SIZE, count, OFFSET_SIZE);
    frz_flat_set_child(builder, table, field, items - OFFSET_SIZE);
    return items;
}

void frz_flat_add_text(frz_flat_builder *builder, size_t table, unsigned field, frz_slice text)
{
    const size_t items = round_up(builder->bytes.size + OFFSET_SIZE, OFFSET_SIZE);
    pad_to(builder, items);
    frz_buffer_append(&builder->bytes, text.data, text.size);
    frz_buffer_append_byte(&builder->bytes, 0);
    store(builder, items - OFFSET_SIZE, text.size, OFFSET_SIZE);
    frz_flat_set_child(builder, table, field, items - OFFSET_SIZE);
}

void frz_flat_set_item_child(frz_flat_builder *builder, size_t items, size_t index, size_t child)
{
    const size_t at = items + index * OFFSET_SIZE;
    store(builder, at, child - at, OFFSET_SIZE);
}

void frz_flat_set_item_i64(frz_flat_builder *builder, size_t items, size_t at, int64_t value)
{
    store(builder, items + at, (uint64_t)value, 8);
}

void frz_flat_set_item_i32(frz_flat_builder *builder, size_t items, size_t at, int32_t value)
{
    store(builder, items + at, (uint32_t)value, 4);
}
