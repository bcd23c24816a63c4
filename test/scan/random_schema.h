/*
 * Random schemas, random steps of evolution (spec "Schema Evolution") and random rows; and the
 * model of what a row that was written under one schema reads as under a later one, value by value.
 *
 * All memory is in the arena of the world, and lives as long.
 */
#ifndef FRZ_TEST_SCAN_RANDOM_SCHEMA_H
#define FRZ_TEST_SCAN_RANDOM_SCHEMA_H

#include <math.h>

#include "arrow_equal.h"
#include "base/arena.h"
#include "spec/schema.h"

typedef struct random_world {
    uint64_t seed;
    frz_arena arena;
    int32_t last_id;
    int names; /* given out */
} random_world;

enum { ID_COLUMN = 1, PARTITION_COLUMN = 2, DEPTH_MAX = 3 };

static inline int64_t below(random_world *world, int64_t limit)
{
    return (int64_t)(next_random(&world->seed) >> 20) % limit;
}

static inline void *fresh(random_world *world, size_t count, size_t size)
{
    void *memory = frz_arena_array(&world->arena, count, size);
    CHECK(memory);
    return memory;
}

static const frz_value null_value = {.form = FRZ_VALUE_NULL};

static inline frz_value random_bytes(random_world *world, size_t size)
{
    uint8_t *bytes = fresh(world, size ? size : 1, 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)('a' + below(world, 4));
    return (frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of(bytes, size)};
}

static inline frz_value random_integer(random_world *world, int64_t around)
{
    const int64_t small = below(world, 40) - 20;
    const int64_t value = below(world, 6) ? small : below(world, 2) ? around : -around;
    return (frz_value){.form = FRZ_VALUE_INTEGER, .integer = value};
}

static inline frz_value random_number(random_world *world, bool is_float)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY};
    double number = (double)below(world, 64) * 0.25 - 8;
    if (below(world, 10) == 0)
        number = odd[below(world, 4)];
    else if (below(world, 20) == 0)
        number = (double)NAN;
    else if (!is_float && below(world, 5) == 0)
        number += 0.1;
    return (frz_value){.form = FRZ_VALUE_NUMBER, .number = number};
}

static inline frz_value random_decimal(random_world *world, int32_t precision)
{
    frz_int128 bound = 1;
    for (int32_t i = 0; i < precision; i++)
        bound *= 10;
    frz_int128 value = (frz_int128)(int64_t)next_random(&world->seed) % bound;
    if (below(world, 2))
        value %= 50;
    return (frz_value){.form = FRZ_VALUE_DECIMAL, .decimal = value};
}

static inline frz_value random_value(random_world *world, const frz_type *type);

static inline frz_value random_items(random_world *world, const frz_type *type)
{
    const bool map = type->kind == FRZ_TYPE_MAP;
    const size_t count = (size_t)below(world, 4);
    const size_t width = map ? 2 : 1;
    frz_value *items = fresh(world, count * width + 1, sizeof *items);
    for (size_t i = 0; i < count * width; i++) {
        const bool key = map && i % 2 == 0;
        items[i] = random_value(world, type->fields[i % width].type);
        if (!key && !type->fields[i % width].required && below(world, 5) == 0)
            items[i] = null_value;
    }
    frz_value value = {.form = FRZ_VALUE_LIST};
    value.items.data = items;
    value.items.count = count * width;
    return value;
}

static inline frz_value random_struct(random_world *world, const frz_type *type)
{
    frz_value *items = fresh(world, type->field_count + 1, sizeof *items);
    for (size_t i = 0; i < type->field_count; i++) {
        const bool null = !type->fields[i].required && below(world, 5) == 0;
        items[i] = null ? null_value : random_value(world, type->fields[i].type);
    }
    frz_value value = {.form = FRZ_VALUE_STRUCT};
    value.items.data = items;
    value.items.count = type->field_count;
    return value;
}

/* Not null, but of unknown. Dates are such that a timestamp of nanoseconds holds them. */
static inline frz_value random_value(random_world *world, const frz_type *type)
{
    switch (type->kind) {
    case FRZ_TYPE_UNKNOWN:
        return null_value;
    case FRZ_TYPE_BOOLEAN:
        return (frz_value){.form = FRZ_VALUE_BOOLEAN, .boolean = below(world, 2)};
    case FRZ_TYPE_INT:
        return random_integer(world, INT32_MAX);
    case FRZ_TYPE_DATE:
        return random_integer(world, 106751);
    case FRZ_TYPE_TIME:
        return (frz_value){.form = FRZ_VALUE_INTEGER, .integer = below(world, 86400000000)};
    case FRZ_TYPE_LONG:
        return random_integer(world, INT64_MAX);
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        return random_integer(world, INT64_C(1) << 55);
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
        return random_number(world, type->kind == FRZ_TYPE_FLOAT);
    case FRZ_TYPE_DECIMAL:
        return random_decimal(world, type->precision);
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY:
        return random_bytes(world, (size_t)below(world, 4));
    case FRZ_TYPE_UUID:
        return random_bytes(world, 16);
    case FRZ_TYPE_FIXED:
        return random_bytes(world, (size_t)type->length);
    case FRZ_TYPE_STRUCT:
        return random_struct(world, type);
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        return random_items(world, type);
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
        break;
    }
    return null_value;
}

/* Unknown is at the top alone: a struct or list of nothing else leaves no trace in Parquet. */
static inline const frz_type *random_primitive(random_world *world, int depth)
{
    static const frz_type_kind kinds[] = {
        FRZ_TYPE_BOOLEAN, FRZ_TYPE_INT,          FRZ_TYPE_INT,
        FRZ_TYPE_LONG,    FRZ_TYPE_FLOAT,        FRZ_TYPE_FLOAT,
        FRZ_TYPE_DOUBLE,  FRZ_TYPE_DATE,         FRZ_TYPE_DATE,
        FRZ_TYPE_TIME,    FRZ_TYPE_TIMESTAMP,    FRZ_TYPE_TIMESTAMPTZ,
        FRZ_TYPE_STRING,  FRZ_TYPE_TIMESTAMP_NS, FRZ_TYPE_TIMESTAMPTZ_NS,
        FRZ_TYPE_UUID,    FRZ_TYPE_BINARY,       FRZ_TYPE_UNKNOWN,
        FRZ_TYPE_DECIMAL, FRZ_TYPE_FIXED};
    const frz_type_kind drawn = kinds[below(world, sizeof kinds / sizeof kinds[0])];
    const frz_type_kind kind = depth > 1 && drawn == FRZ_TYPE_UNKNOWN ? FRZ_TYPE_STRING : drawn;
    if (kind != FRZ_TYPE_DECIMAL && kind != FRZ_TYPE_FIXED)
        return frz_type_of(kind);
    frz_type *type = fresh(world, 1, sizeof *type);
    type->kind = kind;
    if (kind == FRZ_TYPE_FIXED) {
        type->length = 1 + (int32_t)below(world, 20);
        return type;
    }
    type->precision = 1 + (int32_t)below(world, 20);
    type->scale = (int32_t)below(world, type->precision < 4 ? type->precision : 4);
    return type;
}

static inline const char *fresh_name(random_world *world)
{
    const char *name = frz_arena_printf(&world->arena, "n%d", world->names++);
    CHECK(name);
    return name;
}

static inline const frz_type *random_type(random_world *world, int depth);

/* A default where the type may have one: {} of structs, any value of primitives. */
static inline void set_default(random_world *world, frz_field *field)
{
    frz_value *value = fresh(world, 1, sizeof *value);
    if (field->type->kind == FRZ_TYPE_STRUCT)
        *value = (frz_value){.form = FRZ_VALUE_STRUCT};
    else if (frz_type_is_primitive(field->type) && field->type->kind != FRZ_TYPE_UNKNOWN)
        *value = random_value(world, field->type);
    if (value->form == FRZ_VALUE_NULL ||
        (value->form == FRZ_VALUE_NUMBER && !isfinite(value->number)))
        return; /* NaN and Infinity have no form in a schema */
    field->initial_default = value;
    field->write_default = value;
    field->required = below(world, 4) == 0;
}

static inline frz_field random_field(random_world *world, int depth)
{
    frz_field field = {.id = ++world->last_id, .name = fresh_name(world)};
    field.type = random_type(world, depth);
    if (below(world, 2))
        set_default(world, &field);
    return field;
}

static inline const frz_type *random_type(random_world *world, int depth)
{
    static const frz_type_kind kinds[] = {FRZ_TYPE_STRUCT, FRZ_TYPE_STRUCT, FRZ_TYPE_LIST,
                                          FRZ_TYPE_MAP};
    static const char *const names[] = {"key", "value"};
    if (depth == DEPTH_MAX || below(world, 10) < 6)
        return random_primitive(world, depth);
    frz_type *type = fresh(world, 1, sizeof *type);
    type->kind = kinds[below(world, 4)];
    type->field_count = type->kind == FRZ_TYPE_STRUCT ? 1 + (size_t)below(world, 3)
                        : type->kind == FRZ_TYPE_MAP  ? 2
                                                      : 1;
    frz_field *fields = fresh(world, type->field_count, sizeof *fields);
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i] = random_field(world, depth + 1);
        if (type->kind == FRZ_TYPE_STRUCT)
            continue;
        fields[i].initial_default = NULL;
        fields[i].write_default = NULL;
        fields[i].required = false;
        fields[i].name = type->kind == FRZ_TYPE_LIST ? "element" : names[i];
    }
    if (type->kind == FRZ_TYPE_MAP) { /* keys are never null */
        fields[0].required = true;
        fields[0].type = frz_type_of(below(world, 2) ? FRZ_TYPE_STRING : FRZ_TYPE_INT);
    }
    type->fields = fields;
    return type;
}

/* The types that a primitive may become ("Schema Evolution", format version 3); NULL for none. */
static inline const frz_type *promoted(random_world *world, const frz_type *type)
{
    frz_type *wide = NULL;
    switch ((int)type->kind) {
    case FRZ_TYPE_INT:
        return frz_type_of(FRZ_TYPE_LONG);
    case FRZ_TYPE_FLOAT:
        return frz_type_of(FRZ_TYPE_DOUBLE);
    case FRZ_TYPE_DATE:
        return frz_type_of(below(world, 2) ? FRZ_TYPE_TIMESTAMP : FRZ_TYPE_TIMESTAMP_NS);
    case FRZ_TYPE_UNKNOWN:
        return random_type(world, 2);
    case FRZ_TYPE_DECIMAL:
        wide = fresh(world, 1, sizeof *wide);
        *wide = *type;
        wide->precision += (int32_t)below(world, 39 - wide->precision);
        return wide;
    default:
        return NULL;
    }
}

typedef enum evolution { ADD, DROP, RENAME, MOVE, RELAX, PROMOTE, EVOLUTIONS } evolution;

static inline bool is_fixed(const frz_field *field)
{
    return field->id == ID_COLUMN || field->id == PARTITION_COLUMN;
}

/* A promoted column's default is of the new type too. */
static inline void promote_field(random_world *world, frz_field *field)
{
    const frz_type *type = promoted(world, field->type);
    if (!type)
        return;
    if (field->initial_default) {
        frz_value *value = fresh(world, 1, sizeof *value);
        CHECK(frz_value_promote(field->type, type, field->initial_default, value));
        field->initial_default = value;
        field->write_default = value;
    }
    field->type = type;
}

/* One step on one struct. */
static inline const frz_type *evolve_struct(random_world *world, const frz_type *type,
                                            evolution step, int depth)
{
    frz_type *changed = fresh(world, 1, sizeof *changed);
    frz_field *fields = fresh(world, type->field_count + 1, sizeof *fields);
    memcpy(fields, type->fields, type->field_count * sizeof *fields);
    *changed = *type;
    changed->fields = fields;
    const size_t at = (size_t)below(world, (int64_t)type->field_count);
    frz_field *field = &fields[at];
    const frz_field moved = *field;
    switch (step) {
    case ADD:
        fields[changed->field_count++] = random_field(world, depth + 1);
        break;
    case DROP:
        if (is_fixed(field) || type->field_count == 1)
            break;
        memmove(field, field + 1, (type->field_count - at - 1) * sizeof *field);
        changed->field_count--;
        if (below(world, 2)) { /* the name comes back as another column */
            fields[changed->field_count] = random_field(world, depth + 1);
            fields[changed->field_count++].name = moved.name;
        }
        break;
    case RENAME:
        if (!is_fixed(field))
            field->name = fresh_name(world);
        break;
    case MOVE:
        *field = fields[0];
        fields[0] = moved;
        break;
    case RELAX:
        if (!is_fixed(field))
            field->required = false;
        break;
    case PROMOTE:
    case EVOLUTIONS:
        promote_field(world, field);
        break;
    }
    return changed;
}

/* Walks to the struct (or, for a promotion, also the list or map) that *left counts down to. */
static inline const frz_type *evolve_type(random_world *world, const frz_type *type, evolution step,
                                          int depth, int *left)
{
    const bool is_struct = type->kind == FRZ_TYPE_STRUCT;
    if (is_struct && (*left)-- == 0)
        return evolve_struct(world, type, step, depth);
    if (!type->field_count)
        return type;
    frz_type *changed = fresh(world, 1, sizeof *changed);
    frz_field *fields = fresh(world, type->field_count, sizeof *fields);
    memcpy(fields, type->fields, type->field_count * sizeof *fields);
    *changed = *type;
    changed->fields = fields;
    const size_t first = type->kind == FRZ_TYPE_MAP ? 1 : 0; /* keys stay as they are */
    for (size_t i = first; i < type->field_count; i++) {
        if (!is_struct && step == PROMOTE && (*left)-- == 0)
            promote_field(world, &fields[i]);
        else
            fields[i].type = evolve_type(world, fields[i].type, step, depth + 1, left);
    }
    return changed;
}

static inline int count_places(const frz_type *type, bool promotion)
{
    int count = type->kind == FRZ_TYPE_STRUCT || (promotion && type->kind == FRZ_TYPE_LIST) ||
                (promotion && type->kind == FRZ_TYPE_MAP);
    for (size_t i = type->kind == FRZ_TYPE_MAP ? 1 : 0; i < type->field_count; i++)
        count += count_places(type->fields[i].type, promotion);
    return count;
}

/* One random step on the schema. */
static inline const frz_type *evolve_once(random_world *world, const frz_type *root)
{
    const evolution step = (evolution)below(world, EVOLUTIONS);
    int left = (int)below(world, count_places(root, step == PROMOTE));
    return evolve_type(world, root, step, 0, &left);
}

/* "The effective default value is produced by setting each fields' default in a new struct." */
static inline frz_value model_default(random_world *world, const frz_field *field)
{
    const frz_type *type = field->type;
    if (!field->initial_default)
        return null_value;
    if (type->kind != FRZ_TYPE_STRUCT)
        return *field->initial_default;
    frz_value *items = fresh(world, type->field_count + 1, sizeof *items);
    for (size_t i = 0; i < type->field_count; i++)
        items[i] = model_default(world, &type->fields[i]);
    frz_value value = {.form = FRZ_VALUE_STRUCT};
    value.items.data = items;
    value.items.count = type->field_count;
    return value;
}

static inline const frz_value *item_of(const frz_type *type, const frz_value *value, int32_t id)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].id == id)
            return &value->items.data[i];
    return NULL;
}

static inline const frz_type *type_of(const frz_type *type, int32_t id)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].id == id)
            return type->fields[i].type;
    return NULL;
}

/* What a value that was written as `then` reads as under `now`. */
static inline frz_value model_read(random_world *world, const frz_type *then,
                                   const frz_value *value, const frz_type *now)
{
    static const int64_t day[] = {INT64_C(86400000000), INT64_C(86400000000000)};
    frz_value read = *value;
    if (value->form == FRZ_VALUE_NULL || then->kind == FRZ_TYPE_UNKNOWN)
        return null_value;
    if (now->kind == FRZ_TYPE_STRUCT) {
        frz_value *items = fresh(world, now->field_count + 1, sizeof *items);
        for (size_t i = 0; i < now->field_count; i++) {
            const frz_value *item = item_of(then, value, now->fields[i].id);
            items[i] = item ? model_read(world, type_of(then, now->fields[i].id), item,
                                         now->fields[i].type)
                            : model_default(world, &now->fields[i]);
        }
        read.items.data = items;
        read.items.count = now->field_count;
    } else if (now->field_count) {
        frz_value *items = fresh(world, value->items.count + 1, sizeof *items);
        for (size_t i = 0; i < value->items.count; i++)
            items[i] = model_read(world, then->fields[i % then->field_count].type,
                                  &value->items.data[i], now->fields[i % now->field_count].type);
        read.items.data = items;
    } else if (then->kind == FRZ_TYPE_DATE && now->kind != FRZ_TYPE_DATE) {
        read.integer *= day[now->kind == FRZ_TYPE_TIMESTAMP_NS];
    }
    return read;
}

#endif
