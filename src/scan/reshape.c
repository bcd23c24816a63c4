#include "scan/reshape.h"

#include <stdio.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/uuid.h"
#include "catalog/arrow_schema.h"
#include "scan/constant.h"

typedef enum reshape_kind {
    MOVE,     /* the arrays are the same */
    NULLS,    /* the file stores nothing but nulls */
    CONSTANT, /* the file lacks the field: its initial default, or null */
    WIDEN_I8, /* to int32 or int64 */
    WIDEN_U8,
    WIDEN_I16,
    WIDEN_U16,
    WIDEN_U32, /* to int64 */
    WIDEN_I32,
    SIGN_U64,  /* to int64, where it fits */
    WIDEN_F32, /* to double */
    DATE_TO_MICROS,
    DATE_TO_NANOS,
    SCALE_UP_1000_I64, /* milliseconds to microseconds, those to nanoseconds */
    SCALE_UP_1000000,  /* milliseconds to nanoseconds */
    SCALE_UP_1000_I32, /* milliseconds of a day to microseconds */
    SCALE_DOWN_1000,   /* nanoseconds to microseconds, floored */
    PARSE_UUID,        /* text to 16 bytes */
    STRUCT,
    LIST,
    MAP
} reshape_kind;

/* One child of the result: which child of the source it comes from (-1: CONSTANT). */
typedef struct reshape_child {
    int64_t source;
    frz_reshape *how;
} reshape_child;

struct frz_reshape {
    reshape_kind kind;
    const frz_field *to;
    const char *path;
    reshape_child *children;
    size_t child_count;
};

static const frz_value null_value = {.form = FRZ_VALUE_NULL};

static frz_status compile(const struct ArrowSchema *from, const frz_field *to, const char *path,
                          frz_arena *arena, frz_reshape **out, frz_error **err);

static frz_status refuse(const struct ArrowSchema *from, const frz_field *to, const char *path,
                         frz_error **err)
{
    frz_buffer words = {0};
    frz_arena arena = {0};
    const frz_type *stored = frz_type_from_arrow(from, &arena);
    if (stored)
        frz_type_print(stored, &words);
    else
        frz_buffer_printf(&words, "Arrow type \"%s\"", from->format);
    frz_buffer_append_text(&words, ", which cannot be read as ");
    frz_type_print(to->type, &words);
    if (stored && frz_type_promotes(to->type, stored, 3))
        frz_buffer_append_text(&words, ": alter T update column can widen the table's column");
    const frz_status status =
        frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "column %s: the file stores %.*s", path,
                 (int)words.size, words.data ? (const char *)words.data : "?");
    frz_buffer_clear(&words);
    frz_arena_clear(&arena);
    return status;
}

/* Which change leads from a primitive Arrow type to a primitive Iceberg type; false when none does.
 */
static bool integer_change(frz_arrow_kind from, bool to_long, reshape_kind *out)
{
    switch ((int)from) {
    case FRZ_ARROW_INT32:
        *out = to_long ? WIDEN_I32 : MOVE;
        return true;
    case FRZ_ARROW_INT64:
        *out = MOVE;
        return to_long;
    case FRZ_ARROW_UINT32:
        *out = WIDEN_U32;
        return to_long;
    case FRZ_ARROW_UINT64:
        *out = SIGN_U64;
        return to_long;
    case FRZ_ARROW_INT8:
        *out = WIDEN_I8;
        return true;
    case FRZ_ARROW_UINT8:
        *out = WIDEN_U8;
        return true;
    case FRZ_ARROW_INT16:
        *out = WIDEN_I16;
        return true;
    case FRZ_ARROW_UINT16:
        *out = WIDEN_U16;
        return true;
    default:
        return false;
    }
}

static bool timestamp_change(const frz_arrow_type *from, bool nanos, reshape_kind *out)
{
    if (from->kind == FRZ_ARROW_DATE32) {
        *out = nanos ? DATE_TO_NANOS : DATE_TO_MICROS;
        return true;
    }
    if (from->kind != FRZ_ARROW_TIMESTAMP)
        return false;
    if (from->unit == (nanos ? 'n' : 'u'))
        *out = MOVE;
    else if (from->unit == (nanos ? 'u' : 'm'))
        *out = SCALE_UP_1000_I64;
    else if (from->unit == 'm' && nanos)
        *out = SCALE_UP_1000000;
    else if (from->unit == 'n' && !nanos)
        *out = SCALE_DOWN_1000;
    else
        return false;
    return true;
}

static bool time_change(const frz_arrow_type *from, reshape_kind *out)
{
    if (from->kind == FRZ_ARROW_TIME32 && from->unit == 'm')
        *out = SCALE_UP_1000_I32;
    else if (from->kind == FRZ_ARROW_TIME64 && from->unit == 'u')
        *out = MOVE;
    else if (from->kind == FRZ_ARROW_TIME64 && from->unit == 'n')
        *out = SCALE_DOWN_1000;
    else
        return false;
    return true;
}

static bool bytes_change(const frz_arrow_type *from, const frz_type *to, reshape_kind *out)
{
    *out = MOVE;
    switch ((int)to->kind) {
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY: /* files of other writers lack the string annotation, or have it on
                             binaries */
        return from->kind == FRZ_ARROW_STRING || from->kind == FRZ_ARROW_BINARY;
    case FRZ_TYPE_UUID: /* Avro's logical type uuid may be a string */
        *out = from->kind == FRZ_ARROW_STRING ? PARSE_UUID : MOVE;
        return from->kind == FRZ_ARROW_STRING ||
               (from->kind == FRZ_ARROW_FIXED && from->width == 16);
    case FRZ_TYPE_FIXED:
        return from->kind == FRZ_ARROW_FIXED && from->width == to->length;
    default:
        return false;
    }
}

/* Whether a primitive change exists (spec "Schema Evolution", and the physical forms writers use).
 */
static bool primitive_change(const frz_arrow_type *from, const frz_type *to, reshape_kind *out)
{
    *out = MOVE;
    switch (to->kind) {
    case FRZ_TYPE_BOOLEAN:
        return from->kind == FRZ_ARROW_BOOL;
    case FRZ_TYPE_INT:
        return integer_change(from->kind, false, out);
    case FRZ_TYPE_LONG:
        return integer_change(from->kind, true, out);
    case FRZ_TYPE_FLOAT:
        return from->kind == FRZ_ARROW_FLOAT;
    case FRZ_TYPE_DOUBLE:
        *out = from->kind == FRZ_ARROW_FLOAT ? WIDEN_F32 : MOVE;
        return from->kind == FRZ_ARROW_FLOAT || from->kind == FRZ_ARROW_DOUBLE;
    case FRZ_TYPE_DECIMAL:
        return from->kind == FRZ_ARROW_DECIMAL && from->scale == to->scale &&
               from->precision <= to->precision;
    case FRZ_TYPE_DATE:
        return from->kind == FRZ_ARROW_DATE32;
    case FRZ_TYPE_TIME:
        return time_change(from, out);
    case FRZ_TYPE_TIMESTAMP:
        return timestamp_change(from, false, out);
    case FRZ_TYPE_TIMESTAMPTZ: /* a date never becomes a zoned timestamp */
        return from->kind == FRZ_ARROW_TIMESTAMP && timestamp_change(from, false, out);
    case FRZ_TYPE_TIMESTAMP_NS:
        return timestamp_change(from, true, out);
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        return from->kind == FRZ_ARROW_TIMESTAMP && timestamp_change(from, true, out);
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
    case FRZ_TYPE_BINARY:
        return bytes_change(from, to, out);
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        return false;
    }
    return false;
}

static frz_status new_reshape(reshape_kind kind, const frz_field *to, const char *path,
                              size_t child_count, frz_arena *arena, frz_reshape **out,
                              frz_error **err)
{
    frz_reshape *reshape = frz_arena_alloc(arena, sizeof *reshape);
    if (!reshape)
        return frz_fail_memory(err);
    reshape->kind = kind;
    reshape->to = to;
    reshape->path = path;
    reshape->child_count = child_count;
    if (child_count) {
        reshape->children = frz_arena_array(arena, child_count, sizeof *reshape->children);
        if (!reshape->children)
            return frz_fail_memory(err);
    }
    *out = reshape;
    return FRZ_OK;
}

/* The child of `from` with that field id, or -1. */
static int64_t find_child(const struct ArrowSchema *from, int32_t field_id)
{
    for (int64_t i = 0; i < from->n_children; i++)
        if (frz_arrow_schema_field_id(from->children[i]) == field_id)
            return i;
    return -1;
}

static frz_status compile_child(const struct ArrowSchema *from, int64_t source, const frz_field *to,
                                const char *path, frz_arena *arena, reshape_child *out,
                                frz_error **err)
{
    const char *child_path = frz_arena_printf(arena, "%s.%s", path, to->name);
    if (!child_path)
        return frz_fail_memory(err);
    out->source = source;
    if (source >= 0)
        return compile(from->children[source], to, child_path, arena, &out->how, err);
    FRZ_TRY(frz_constant_check(to, to->initial_default ? to->initial_default : &null_value,
                               child_path, err));
    return new_reshape(CONSTANT, to, child_path, 0, arena, &out->how, err);
}

static bool all_move(const frz_reshape *reshape)
{
    for (size_t i = 0; i < reshape->child_count; i++)
        if (reshape->children[i].source != (int64_t)i || reshape->children[i].how->kind != MOVE)
            return false;
    return true;
}

static frz_status compile_struct(const struct ArrowSchema *from, const frz_field *to,
                                 const char *path, frz_arena *arena, frz_reshape **out,
                                 frz_error **err)
{
    FRZ_TRY(new_reshape(STRUCT, to, path, to->type->field_count, arena, out, err));
    for (size_t i = 0; i < to->type->field_count; i++) {
        const frz_field *field = &to->type->fields[i];
        FRZ_TRY(compile_child(from, find_child(from, field->id), field, path, arena,
                              &(*out)->children[i], err));
    }
    if (all_move(*out) && from->n_children == (int64_t)to->type->field_count)
        (*out)->kind = MOVE;
    return FRZ_OK;
}

static frz_status compile_list(const struct ArrowSchema *from, const frz_field *to,
                               const char *path, frz_arena *arena, frz_reshape **out,
                               frz_error **err)
{
    FRZ_TRY(new_reshape(LIST, to, path, 1, arena, out, err));
    FRZ_TRY(compile_child(from, 0, &to->type->fields[0], path, arena, &(*out)->children[0], err));
    if (all_move(*out))
        (*out)->kind = MOVE;
    return FRZ_OK;
}

static frz_status compile_map(const struct ArrowSchema *from, const frz_field *to, const char *path,
                              frz_arena *arena, frz_reshape **out, frz_error **err)
{
    const struct ArrowSchema *entries = from->children[0];
    FRZ_TRY(new_reshape(MAP, to, path, 2, arena, out, err));
    for (size_t i = 0; i < 2; i++)
        FRZ_TRY(compile_child(entries, (int64_t)i < entries->n_children ? (int64_t)i : -1,
                              &to->type->fields[i], path, arena, &(*out)->children[i], err));
    if (all_move(*out))
        (*out)->kind = MOVE;
    return FRZ_OK;
}

static frz_status compile(const struct ArrowSchema *from, const frz_field *to, const char *path,
                          frz_arena *arena, frz_reshape **out, frz_error **err)
{
    frz_arrow_type type = {0};
    FRZ_TRY(frz_arrow_type_parse(from->format, &type, err));
    if (type.kind == FRZ_ARROW_NULL || to->type->kind == FRZ_TYPE_UNKNOWN)
        return new_reshape(NULLS, to, path, 0, arena, out, err);
    if (to->type->kind == FRZ_TYPE_STRUCT && type.kind == FRZ_ARROW_STRUCT)
        return compile_struct(from, to, path, arena, out, err);
    if (to->type->kind == FRZ_TYPE_LIST && type.kind == FRZ_ARROW_LIST)
        return compile_list(from, to, path, arena, out, err);
    if (to->type->kind == FRZ_TYPE_MAP && type.kind == FRZ_ARROW_MAP)
        return compile_map(from, to, path, arena, out, err);

    reshape_kind kind = MOVE;
    if (!primitive_change(&type, to->type, &kind))
        return refuse(from, to, path, err);
    return new_reshape(kind, to, path, 0, arena, out, err);
}

frz_status frz_reshape_compile(const struct ArrowSchema *from, const frz_field *to,
                               const char *path, frz_arena *arena, const frz_reshape **out,
                               frz_error **err)
{
    frz_reshape *reshape = NULL;
    FRZ_TRY(compile(from, to, path, arena, &reshape, err));
    *out = reshape;
    return FRZ_OK;
}

/* The validity bits of `array` in a buffer of their own; empty when it has no nulls. */
static void copy_validity(const struct ArrowArray *array, frz_buffer *out)
{
    if (array->n_buffers && array->buffers[0] && array->null_count != 0)
        frz_buffer_append(out, array->buffers[0], (size_t)(array->length + 7) / 8);
}

static int64_t nulls_of(const struct ArrowArray *array)
{
    return array->n_buffers && array->buffers[0] ? array->null_count : 0;
}

/* Bytes of one converted value. */
static size_t value_size(const frz_reshape *how)
{
    return how->to->type->kind == FRZ_TYPE_INT ? 4 : 8;
}

/* Two arguments are types, which take no parentheses: NOLINTBEGIN(bugprone-macro-parentheses) */
#define CONVERT(from_type, to_type, expression) \
    do {                                        \
        const from_type *source = values;       \
        to_type *target = out;                  \
        for (int64_t i = 0; i < count; i++) {   \
            const from_type value = source[i];  \
            target[i] = (to_type)(expression);  \
        }                                       \
    } while (0)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Small integers of files in int columns. */
static void widen_to_int(reshape_kind kind, const void *values, int64_t count, void *out)
{
    switch ((int)kind) {
    case WIDEN_I8:
        CONVERT(int8_t, int32_t, value);
        break;
    case WIDEN_U8:
        CONVERT(uint8_t, int32_t, value);
        break;
    case WIDEN_I16:
        CONVERT(int16_t, int32_t, value);
        break;
    case WIDEN_U16:
        CONVERT(uint16_t, int32_t, value);
        break;
    default:
        break;
    }
}

/* Changes to eight bytes that cannot fail; null slots hold any bytes and convert to any. */
static void convert(reshape_kind kind, const void *values, int64_t count, void *out)
{
    switch ((int)kind) {
    case WIDEN_I8:
        CONVERT(int8_t, int64_t, value);
        break;
    case WIDEN_U8:
        CONVERT(uint8_t, int64_t, value);
        break;
    case WIDEN_I16:
        CONVERT(int16_t, int64_t, value);
        break;
    case WIDEN_U16:
        CONVERT(uint16_t, int64_t, value);
        break;
    case WIDEN_U32:
        CONVERT(uint32_t, int64_t, value);
        break;
    case WIDEN_I32:
        CONVERT(int32_t, int64_t, value);
        break;
    case WIDEN_F32:
        CONVERT(float, double, value);
        break;
    case SCALE_UP_1000_I32:
        CONVERT(int32_t, int64_t, value * INT64_C(1000));
        break;
    case SCALE_DOWN_1000:
        CONVERT(int64_t, int64_t, value / 1000 - (value % 1000 < 0));
        break;
    default:
        break;
    }
}

static frz_status beyond_range(const frz_reshape *how, const char *value, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "column %s: %s is outside the range of the promoted type", how->path, value);
}

static frz_status convert_u64(const frz_reshape *how, const struct ArrowArray *array, int64_t *out,
                              frz_error **err)
{
    const uint64_t *values = array->buffers[1];
    for (int64_t i = 0; i < array->length; i++) {
        out[i] = (int64_t)values[i];
        if (values[i] <= INT64_MAX || frz_arrow_is_null(array, i))
            continue;
        char text[24];
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)values[i]);
        return beyond_range(how, text, err);
    }
    return FRZ_OK;
}

/* Changes that may leave the range of int64; only values that are not null count. */
static frz_status convert_checked(const frz_reshape *how, const struct ArrowArray *array,
                                  int64_t *out, frz_error **err)
{
    const bool days = how->kind == DATE_TO_NANOS || how->kind == DATE_TO_MICROS;
    const int64_t factor = how->kind == DATE_TO_NANOS      ? INT64_C(86400000000000)
                           : how->kind == DATE_TO_MICROS   ? INT64_C(86400000000)
                           : how->kind == SCALE_UP_1000000 ? 1000000
                                                           : 1000;
    for (int64_t i = 0; i < array->length; i++) {
        const int64_t value = days ? ((const int32_t *)array->buffers[1])[i]
                                   : ((const int64_t *)array->buffers[1])[i];
        if (!__builtin_mul_overflow(value, factor, &out[i]))
            continue;
        if (!frz_arrow_is_null(array, i)) {
            char text[24];
            (void)snprintf(text, sizeof text, "%lld", (long long)value);
            return beyond_range(how, text, err);
        }
        out[i] = 0;
    }
    return FRZ_OK;
}

static frz_status run_convert(const frz_reshape *how, const struct ArrowArray *array,
                              struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer buffers[2] = {0};
    const size_t size = value_size(how);

    copy_validity(array, &buffers[0]);
    void *values = frz_buffer_extend(&buffers[1], (size_t)array->length * size);
    if (!values || buffers[0].failed) {
        status = frz_fail_memory(err);
        goto done;
    }
    if (how->kind == DATE_TO_MICROS || how->kind == DATE_TO_NANOS ||
        how->kind == SCALE_UP_1000_I64 || how->kind == SCALE_UP_1000000)
        FRZ_TRY_DONE(convert_checked(how, array, values, err));
    else if (how->kind == SIGN_U64)
        FRZ_TRY_DONE(convert_u64(how, array, values, err));
    else if (size == 4)
        widen_to_int(how->kind, array->buffers[1], array->length, values);
    else
        convert(how->kind, array->buffers[1], array->length, values);
    status = frz_arrow_array_init(out, array->length, nulls_of(array), buffers, 2, 0, err);

done:
    frz_buffer_clear(&buffers[0]);
    frz_buffer_clear(&buffers[1]);
    return status;
}

static frz_status no_uuid(const frz_reshape *how, const uint8_t *text, size_t size, frz_error **err)
{
    enum { SHOWN_MAX = 64 };
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "column %s: \"%.*s\" is no uuid", how->path,
                    (int)(size < SHOWN_MAX ? size : SHOWN_MAX), (const char *)text);
}

static frz_status run_uuids(const frz_reshape *how, const struct ArrowArray *array,
                            struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer buffers[2] = {0};
    const int32_t *offsets = array->buffers[1];

    copy_validity(array, &buffers[0]);
    frz_buffer_append_fill(&buffers[1], 0, (size_t)array->length * sizeof(frz_uuid));
    if (buffers[0].failed || buffers[1].failed) {
        status = frz_fail_memory(err);
        goto done;
    }
    for (int64_t i = 0; i < array->length; i++) {
        const uint8_t *text = (const uint8_t *)array->buffers[2] + offsets[i];
        const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        frz_uuid uuid;
        if (frz_arrow_is_null(array, i))
            continue;
        if (!frz_uuid_parse((const char *)text, size, &uuid)) {
            status = no_uuid(how, text, size, err);
            goto done;
        }
        memcpy(buffers[1].data + (size_t)i * sizeof uuid, uuid.bytes, sizeof uuid);
    }
    status = frz_arrow_array_init(out, array->length, nulls_of(array), buffers, 2, 0, err);

done:
    frz_buffer_clear(&buffers[0]);
    frz_buffer_clear(&buffers[1]);
    return status;
}

static frz_status run_child(const reshape_child *child, struct ArrowArray *parent, int64_t length,
                            struct ArrowArray *out, frz_error **err)
{
    if (child->source >= 0)
        return frz_reshape_run(child->how, parent->children[child->source], out, err);
    const frz_field *to = child->how->to;
    return frz_constant_array(to->type, to->initial_default ? to->initial_default : &null_value,
                              length, out, err);
}

static frz_status run_struct(const frz_reshape *how, struct ArrowArray *array,
                             struct ArrowArray *out, frz_error **err)
{
    struct ArrowArray built = {0};
    frz_buffer validity = {0};
    copy_validity(array, &validity);
    FRZ_TRY(frz_buffer_check(&validity, err));
    FRZ_TRY(frz_arrow_array_init(&built, array->length, nulls_of(array), &validity, 1,
                                 (int64_t)how->child_count, err));
    for (size_t i = 0; i < how->child_count; i++) {
        const frz_status status =
            run_child(&how->children[i], array, array->length, built.children[i], err);
        if (status != FRZ_OK) {
            frz_arrow_array_clear(&built);
            return status;
        }
    }
    *out = built;
    return FRZ_OK;
}

/* Lists and maps: the same offsets over reshaped children. */
static frz_status run_repeated(const frz_reshape *how, struct ArrowArray *array,
                               struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray built = {0};
    frz_buffer buffers[2] = {0};

    copy_validity(array, &buffers[0]);
    frz_buffer_append(&buffers[1], array->buffers[1],
                      (size_t)(array->length + 1) * sizeof(int32_t));
    if (buffers[0].failed || buffers[1].failed) {
        status = frz_fail_memory(err);
        goto done;
    }
    FRZ_TRY_DONE(frz_arrow_array_init(&built, array->length, nulls_of(array), buffers, 2, 1, err));
    struct ArrowArray *items = array->children[0];
    if (how->kind == LIST)
        FRZ_TRY_DONE(run_child(&how->children[0], array, items->length, built.children[0], err));
    else
        FRZ_TRY_DONE(run_struct(how, items, built.children[0], err));
    *out = built;
    built = (struct ArrowArray){0};

done:
    frz_buffer_clear(&buffers[0]);
    frz_buffer_clear(&buffers[1]);
    frz_arrow_array_clear(&built);
    return status;
}

frz_status frz_reshape_run(const frz_reshape *reshape, struct ArrowArray *array,
                           struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    switch (reshape->kind) {
    case MOVE:
        *out = *array;
        array->release = NULL;
        return FRZ_OK;
    case NULLS:
    case CONSTANT:
        status = frz_constant_array(reshape->to->type, &null_value, array->length, out, err);
        break;
    case STRUCT:
        status = run_struct(reshape, array, out, err);
        break;
    case LIST:
    case MAP:
        status = run_repeated(reshape, array, out, err);
        break;
    case WIDEN_I8:
    case WIDEN_U8:
    case WIDEN_I16:
    case WIDEN_U16:
    case WIDEN_U32:
    case SIGN_U64:
    case WIDEN_I32:
    case WIDEN_F32:
    case DATE_TO_MICROS:
    case DATE_TO_NANOS:
    case SCALE_UP_1000_I64:
    case SCALE_UP_1000000:
    case SCALE_UP_1000_I32:
    case SCALE_DOWN_1000:
        status = run_convert(reshape, array, out, err);
        break;
    case PARSE_UUID:
        status = run_uuids(reshape, array, out, err);
        break;
    }
    frz_arrow_array_clear(array);
    return status;
}
