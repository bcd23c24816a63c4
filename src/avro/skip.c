#include "avro/skip.h"

#include <assert.h>

#include "base/fail.h"

static uint64_t add_capped(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static frz_status new_skip(const frz_avro_skip_compiler *c, frz_avro_skip_kind kind, uint64_t count,
                           frz_avro_skip **out, frz_error **err)
{
    frz_avro_skip *skip = frz_arena_alloc(c->arena, sizeof *skip);
    if (!skip)
        return frz_fail_memory(err);
    skip->kind = kind;
    skip->count = count;
    skip->size_min = count;
    *out = skip;
    return FRZ_OK;
}

static bool merges(const frz_avro_skip *skip)
{
    assert(skip); /* of a field that was compiled */
    return skip->kind == FRZ_AVRO_SKIP_BYTES || skip->kind == FRZ_AVRO_SKIP_VARINTS;
}

/* Fills `skip` with the sequence of `parts`: neighbours of one kind merged, empty ones dropped. */
static frz_status fill_sequence(const frz_avro_skip_compiler *c, const frz_avro_skip *const *parts,
                                size_t count, frz_avro_skip *skip, frz_error **err)
{
    const frz_avro_skip **kept = frz_arena_array(c->arena, count, sizeof *kept);
    frz_avro_skip *last = NULL; /* the newest of kept, where it is ours to extend */
    size_t kept_count = 0;
    if (!kept && count)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (merges(parts[i]) && parts[i]->count == 0)
            continue;
        if (last && last->kind == parts[i]->kind) {
            last->count = add_capped(last->count, parts[i]->count);
            last->size_min = last->count;
            continue;
        }
        last = NULL;
        if (merges(parts[i])) {
            FRZ_TRY(new_skip(c, parts[i]->kind, parts[i]->count, &last, err));
            kept[kept_count++] = last;
        } else {
            kept[kept_count++] = parts[i];
        }
    }
    if (kept_count == 0) {
        *skip = (frz_avro_skip){.kind = FRZ_AVRO_SKIP_BYTES};
    } else if (kept_count == 1 && merges(kept[0])) {
        *skip = *kept[0];
    } else {
        skip->kind = FRZ_AVRO_SKIP_SEQUENCE;
        skip->parts = kept;
        skip->part_count = kept_count;
        skip->size_min = 0;
        for (size_t i = 0; i < kept_count; i++)
            skip->size_min = add_capped(skip->size_min, kept[i]->size_min);
    }
    return FRZ_OK;
}

static frz_status compile_record(frz_avro_skip_compiler *c, const frz_avro_schema *schema,
                                 const frz_avro_skip **out, frz_error **err)
{
    const int64_t key = (int64_t)(intptr_t)schema;
    const frz_map_value *known = frz_map_find_i64(&c->records, key);
    frz_avro_skip *skip = NULL;
    if (known) {
        *out = known->pointer;
        return FRZ_OK;
    }
    FRZ_TRY(new_skip(c, FRZ_AVRO_SKIP_SEQUENCE, 0, &skip, err));
    if (!frz_map_put_i64(&c->records, key, (frz_map_value){.pointer = skip}))
        return frz_fail_memory(err);
    const frz_avro_skip **parts = frz_arena_array(c->arena, schema->field_count, sizeof *parts);
    if (!parts && schema->field_count)
        return frz_fail_memory(err);
    for (size_t i = 0; i < schema->field_count; i++) {
        const bool outer = c->in_partition;
        c->in_partition = outer || schema->fields[i].field_id == FRZ_AVRO_PARTITION_ID;
        const frz_status status = frz_avro_skip_compile(c, schema->fields[i].type, &parts[i], err);
        c->in_partition = outer;
        if (status != FRZ_OK)
            return status;
    }
    FRZ_TRY(fill_sequence(c, parts, schema->field_count, skip, err));
    *out = skip;
    return FRZ_OK;
}

static frz_status compile_union(frz_avro_skip_compiler *c, const frz_avro_schema *schema,
                                const frz_avro_skip **out, frz_error **err)
{
    frz_avro_skip *skip = NULL;
    size_t smallest = SIZE_MAX;
    FRZ_TRY(new_skip(c, FRZ_AVRO_SKIP_UNION, 0, &skip, err));
    skip->parts = frz_arena_array(c->arena, schema->branch_count, sizeof *skip->parts);
    if (!skip->parts)
        return frz_fail_memory(err);
    for (size_t i = 0; i < schema->branch_count; i++) {
        FRZ_TRY(frz_avro_skip_compile(c, schema->branches[i], &skip->parts[i], err));
        if (skip->parts[i]->size_min < smallest)
            smallest = skip->parts[i]->size_min;
    }
    skip->part_count = schema->branch_count;
    skip->size_min = add_capped(smallest, 1);
    *out = skip;
    return FRZ_OK;
}

/* Arrays and maps: blocks of items; an item of a map is its key, then its value. */
static frz_status compile_blocks(frz_avro_skip_compiler *c, const frz_avro_schema *schema,
                                 const frz_avro_skip **out, frz_error **err)
{
    frz_avro_skip *skip = NULL;
    FRZ_TRY(new_skip(c, FRZ_AVRO_SKIP_BLOCKS, 0, &skip, err));
    skip->parts = frz_arena_array(c->arena, 1, sizeof *skip->parts);
    if (!skip->parts)
        return frz_fail_memory(err);
    skip->part_count = 1;
    skip->size_min = 1;
    FRZ_TRY(frz_avro_skip_compile(c, schema->items, &skip->parts[0], err));
    if (schema->kind == FRZ_AVRO_MAP) {
        frz_avro_skip *key = NULL;
        FRZ_TRY(new_skip(c, FRZ_AVRO_SKIP_LENGTH, 0, &key, err));
        key->size_min = 1;
        const frz_avro_skip *const pair[] = {key, skip->parts[0]};
        FRZ_TRY(frz_avro_skip_join(c, pair, 2, &skip->parts[0], err));
    }
    *out = skip;
    return FRZ_OK;
}

static frz_status compile_leaf(frz_avro_skip_compiler *c, frz_avro_skip_kind kind, uint64_t count,
                               const frz_avro_skip **out, frz_error **err)
{
    frz_avro_skip *skip = NULL;
    FRZ_TRY(new_skip(c, kind, count, &skip, err));
    if (kind == FRZ_AVRO_SKIP_LENGTH)
        skip->size_min = 1;
    *out = skip;
    return FRZ_OK;
}

static frz_status compile_fixed(frz_avro_skip_compiler *c, const frz_avro_schema *schema,
                                const frz_avro_skip **out, frz_error **err)
{
    const bool prefix = c->in_partition && !schema->logical_type;
    c->has_prefix = c->has_prefix || prefix;
    return compile_leaf(c, prefix ? FRZ_AVRO_SKIP_FIXED : FRZ_AVRO_SKIP_BYTES,
                        (uint64_t)schema->size, out, err);
}

frz_status frz_avro_skip_compile(frz_avro_skip_compiler *c, const frz_avro_schema *schema,
                                 const frz_avro_skip **out, frz_error **err)
{
    switch (schema->kind) {
    case FRZ_AVRO_NULL:
        return compile_leaf(c, FRZ_AVRO_SKIP_BYTES, 0, out, err);
    case FRZ_AVRO_BOOLEAN:
        return compile_leaf(c, FRZ_AVRO_SKIP_BYTES, 1, out, err);
    case FRZ_AVRO_FLOAT:
        return compile_leaf(c, FRZ_AVRO_SKIP_BYTES, 4, out, err);
    case FRZ_AVRO_DOUBLE:
        return compile_leaf(c, FRZ_AVRO_SKIP_BYTES, 8, out, err);
    case FRZ_AVRO_INT:
    case FRZ_AVRO_LONG:
    case FRZ_AVRO_ENUM:
        return compile_leaf(c, FRZ_AVRO_SKIP_VARINTS, 1, out, err);
    case FRZ_AVRO_BYTES:
    case FRZ_AVRO_STRING:
        return compile_leaf(c, FRZ_AVRO_SKIP_LENGTH, 0, out, err);
    case FRZ_AVRO_FIXED:
        return compile_fixed(c, schema, out, err);
    case FRZ_AVRO_RECORD:
        return compile_record(c, schema, out, err);
    case FRZ_AVRO_ARRAY:
    case FRZ_AVRO_MAP:
        return compile_blocks(c, schema, out, err);
    case FRZ_AVRO_UNION:
        return compile_union(c, schema, out, err);
    }
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "Avro schema: unknown kind %d",
                    (int)schema->kind);
}

frz_status frz_avro_skip_join(frz_avro_skip_compiler *c, const frz_avro_skip *const *parts,
                              size_t count, const frz_avro_skip **out, frz_error **err)
{
    frz_avro_skip *skip = NULL;
    if (count == 1) {
        *out = parts[0];
        return FRZ_OK;
    }
    FRZ_TRY(new_skip(c, FRZ_AVRO_SKIP_SEQUENCE, 0, &skip, err));
    FRZ_TRY(fill_sequence(c, parts, count, skip, err));
    *out = skip;
    return FRZ_OK;
}

void frz_avro_skip_compiler_clear(frz_avro_skip_compiler *compiler)
{
    frz_map_clear(&compiler->records);
}

static bool skip_bytes(frz_avro_bytes *in, uint64_t count)
{
    if (count > frz_avro_left(in))
        return frz_avro_note(in, FRZ_AVRO_FAULT_ENDS, 0);
    in->p += count;
    return true;
}

/* How many of the eight bytes of `word` are below 0x80. */
static uint64_t count_last_bytes(uint64_t word)
{
    const uint64_t ones = (~word >> 7) & UINT64_C(0x0101010101010101);
    return (ones * UINT64_C(0x0101010101010101)) >> 56;
}

/* A varint ends with the first byte below 0x80, so eight bytes at a time are passed by counting
 * those. */
static bool skip_varints(frz_avro_bytes *in, uint64_t count)
{
    const uint8_t *p = in->p;
    while (count >= 8 && in->end - p >= 8) {
        uint64_t word = 0;
        memcpy(&word, p, sizeof word);
        count -= count_last_bytes(word);
        p += 8;
    }
    while (count > 0) {
        if (p == in->end)
            return frz_avro_note(in, FRZ_AVRO_FAULT_ENDS, 0);
        count -= *p++ < 0x80;
    }
    in->p = p;
    return true;
}

static bool skip_fixed(frz_avro_bytes *in, uint64_t count)
{
    size_t length = 0;
    if (!in->prefixed)
        return skip_bytes(in, count);
    if (!frz_avro_read_length(in, &length))
        return false;
    if (length != count)
        return frz_avro_note(in, FRZ_AVRO_FAULT_PREFIX, (int64_t)length);
    return skip_bytes(in, count);
}

static bool skip_items(frz_avro_bytes *in, const frz_avro_skip *item, uint64_t count,
                       uint32_t depth)
{
    if (merges(item)) {
        uint64_t all = 0;
        if (__builtin_mul_overflow(item->count, count, &all))
            return frz_avro_note(in, FRZ_AVRO_FAULT_ENDS, 0);
        return item->kind == FRZ_AVRO_SKIP_BYTES ? skip_bytes(in, all) : skip_varints(in, all);
    }
    for (uint64_t i = 0; i < count; i++)
        if (!frz_avro_skip_value(in, item, depth))
            return false;
    return true;
}

static bool skip_blocks(frz_avro_bytes *in, const frz_avro_skip *item, uint32_t depth)
{
    for (;;) {
        uint64_t count = 0;
        size_t size = 0;
        if (!frz_avro_read_block(in, item->size_min, &count, &size))
            return false;
        if (count == 0)
            return true;
        if (size != SIZE_MAX)
            in->p += size;
        else if (!skip_items(in, item, count, depth))
            return false;
    }
}

bool frz_avro_skip_value(frz_avro_bytes *in, const frz_avro_skip *skip, uint32_t depth)
{
    size_t number = 0;
    if (depth == 0)
        return frz_avro_note(in, FRZ_AVRO_FAULT_DEPTH, 0);
    switch (skip->kind) {
    case FRZ_AVRO_SKIP_BYTES:
        return skip_bytes(in, skip->count);
    case FRZ_AVRO_SKIP_VARINTS:
        return skip_varints(in, skip->count);
    case FRZ_AVRO_SKIP_LENGTH:
        return frz_avro_read_length(in, &number) && skip_bytes(in, number);
    case FRZ_AVRO_SKIP_SEQUENCE:
        for (size_t i = 0; i < skip->part_count; i++)
            if (!frz_avro_skip_value(in, skip->parts[i], depth - 1))
                return false;
        return true;
    case FRZ_AVRO_SKIP_UNION:
        return frz_avro_read_branch(in, skip->part_count, &number) &&
               frz_avro_skip_value(in, skip->parts[number], depth - 1);
    case FRZ_AVRO_SKIP_BLOCKS:
        return skip_blocks(in, skip->parts[0], depth - 1);
    case FRZ_AVRO_SKIP_FIXED:
        return skip_fixed(in, skip->count);
    }
    return false;
}
