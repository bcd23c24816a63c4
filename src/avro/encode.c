#include "avro/encode.h"

#include "arrow/array.h"
#include "base/decimal.h"
#include "base/fail.h"

static frz_status mismatch(const frz_avro_source *s, const struct ArrowSchema *arrow,
                           frz_error **err)
{
    static const char *const names[] = {"null",   "boolean", "int",    "long",  "float",
                                        "double", "bytes",   "string", "fixed", "enum",
                                        "record", "array",   "map",    "union"};
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "column %s: Arrow type %s into Avro type %s",
                    s->name, arrow->format, names[s->schema->kind]);
}

static bool is_integer(frz_arrow_kind kind)
{
    return kind == FRZ_ARROW_INT8 || kind == FRZ_ARROW_UINT8 || kind == FRZ_ARROW_INT16 ||
           kind == FRZ_ARROW_UINT16 || kind == FRZ_ARROW_INT32 || kind == FRZ_ARROW_DATE32 ||
           kind == FRZ_ARROW_TIME32;
}

static bool is_text(frz_arrow_kind kind)
{
    return kind == FRZ_ARROW_STRING || kind == FRZ_ARROW_LARGE_STRING || kind == FRZ_ARROW_BINARY ||
           kind == FRZ_ARROW_LARGE_BINARY;
}

/* A long's unit, by its logical type: 'u' for timestamp-micros; 0 when it has none. */
static char unit_of(const frz_avro_schema *schema)
{
    const char *dash = schema->logical_type ? strrchr(schema->logical_type, '-') : NULL;
    if (!dash)
        return 0;
    if (strcmp(dash, "-millis") == 0)
        return 'm';
    if (strcmp(dash, "-micros") == 0)
        return 'u';
    return strcmp(dash, "-nanos") == 0 ? 'n' : 0;
}

static bool long_fits(const frz_avro_schema *schema, const frz_arrow_type *type)
{
    if (type->kind == FRZ_ARROW_TIMESTAMP || type->kind == FRZ_ARROW_TIME64)
        return unit_of(schema) == 0 || unit_of(schema) == type->unit;
    return is_integer(type->kind) || type->kind == FRZ_ARROW_INT64 ||
           type->kind == FRZ_ARROW_UINT32;
}

static bool decimal_fits(const frz_avro_schema *schema, const frz_arrow_type *type)
{
    return type->kind == FRZ_ARROW_DECIMAL && schema->precision > 0 && schema->scale == type->scale;
}

static bool fits(const frz_avro_schema *schema, const frz_arrow_type *type)
{
    switch (schema->kind) {
    case FRZ_AVRO_NULL:
        return true;
    case FRZ_AVRO_BOOLEAN:
        return type->kind == FRZ_ARROW_BOOL;
    case FRZ_AVRO_INT:
        return is_integer(type->kind);
    case FRZ_AVRO_LONG:
        return long_fits(schema, type);
    case FRZ_AVRO_FLOAT:
        return type->kind == FRZ_ARROW_FLOAT;
    case FRZ_AVRO_DOUBLE:
        return type->kind == FRZ_ARROW_DOUBLE || type->kind == FRZ_ARROW_FLOAT;
    case FRZ_AVRO_BYTES:
        return schema->precision > 0 ? decimal_fits(schema, type)
                                     : is_text(type->kind) || type->kind == FRZ_ARROW_FIXED;
    case FRZ_AVRO_STRING:
    case FRZ_AVRO_ENUM:
        return is_text(type->kind);
    case FRZ_AVRO_FIXED:
        return schema->precision > 0 ? decimal_fits(schema, type)
                                     : type->kind == FRZ_ARROW_FIXED && type->width == schema->size;
    case FRZ_AVRO_RECORD:
        return type->kind == FRZ_ARROW_STRUCT;
    case FRZ_AVRO_ARRAY:
        return schema->is_map ? type->kind == FRZ_ARROW_MAP
                              : type->kind == FRZ_ARROW_LIST || type->kind == FRZ_ARROW_LARGE_LIST;
    case FRZ_AVRO_MAP:
        return type->kind == FRZ_ARROW_MAP;
    case FRZ_AVRO_UNION:
        break;
    }
    return false;
}

static frz_status resolve_union(const frz_avro_schema *schema, frz_avro_source *out,
                                frz_error **err)
{
    if (schema->branch_count == 2) {
        for (size_t i = 0; i < 2; i++) {
            if (schema->branches[i]->kind == FRZ_AVRO_NULL) {
                out->schema = schema->branches[1 - i];
                out->option = true;
                out->null_branch = i == 1;
                return FRZ_OK;
            }
        }
    }
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "column %s: a union of %zu types",
                    out->name, schema->branch_count);
}

static frz_status bind_children(frz_avro_source *s, const struct ArrowSchema *arrow,
                                const struct ArrowArray *array, frz_arena *arena, frz_error **err)
{
    const frz_avro_schema *schema = s->schema;
    const size_t count = schema->kind == FRZ_AVRO_RECORD ? schema->field_count
                         : schema->kind == FRZ_AVRO_MAP  ? 2
                                                         : 1;
    if (schema->kind == FRZ_AVRO_MAP) { /* key and value stand in the entries */
        if (arrow->n_children != 1)
            return mismatch(s, arrow, err);
        arrow = arrow->children[0];
        array = array->children[0];
    }
    if (arrow->n_children != (int64_t)count || array->n_children != (int64_t)count)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s: %lld children, the schema has %zu", s->name,
                        (long long)arrow->n_children, count);
    s->children = frz_arena_array(arena, count, sizeof *s->children);
    if (!s->children && count)
        return frz_fail_memory(err);
    s->child_count = count;
    static const frz_avro_schema text = {.kind = FRZ_AVRO_STRING};
    for (size_t i = 0; i < count; i++) {
        const frz_avro_schema *type = schema->items;
        if (schema->kind == FRZ_AVRO_RECORD)
            type = schema->fields[i].type;
        else if (schema->kind == FRZ_AVRO_MAP && i == 0)
            type = &text;
        FRZ_TRY(frz_avro_source_bind(type, arrow->children[i], array->children[i], arena,
                                     &s->children[i], err));
    }
    return FRZ_OK;
}

frz_status frz_avro_source_bind(const frz_avro_schema *schema, const struct ArrowSchema *arrow,
                                const struct ArrowArray *array, frz_arena *arena,
                                frz_avro_source *out, frz_error **err)
{
    *out = (frz_avro_source){.schema = schema,
                             .array = array,
                             .name = arrow->name && *arrow->name ? arrow->name : "(root)"};
    if (schema->kind == FRZ_AVRO_UNION)
        FRZ_TRY(resolve_union(schema, out, err));
    if (arrow->dictionary)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "column %s: dictionary-encoded",
                        out->name);
    FRZ_TRY(frz_arrow_type_parse(arrow->format, &out->type, err));
    const bool all_null = out->type.kind == FRZ_ARROW_NULL && out->option;
    if (!all_null && !fits(out->schema, &out->type))
        return mismatch(out, arrow, err);
    if (all_null || (out->schema->kind != FRZ_AVRO_RECORD && out->schema->kind != FRZ_AVRO_ARRAY &&
                     out->schema->kind != FRZ_AVRO_MAP))
        return FRZ_OK;
    return bind_children(out, arrow, array, arena, err);
}

static size_t print_long(int64_t value, uint8_t out[10])
{
    uint64_t raw = ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
    size_t size = 0;
    while (raw >= 0x80) {
        out[size++] = (uint8_t)(raw | 0x80);
        raw >>= 7;
    }
    out[size++] = (uint8_t)raw;
    return size;
}

void frz_avro_put_long(frz_buffer *out, int64_t value)
{
    uint8_t bytes[10];
    frz_buffer_append(out, bytes, print_long(value, bytes));
}

static int64_t integer_at(const frz_avro_source *s, size_t at)
{
    const void *values = s->array->buffers[1];
    switch ((int)s->type.kind) {
    case FRZ_ARROW_INT8:
        return ((const int8_t *)values)[at];
    case FRZ_ARROW_UINT8:
        return ((const uint8_t *)values)[at];
    case FRZ_ARROW_INT16:
        return ((const int16_t *)values)[at];
    case FRZ_ARROW_UINT16:
        return ((const uint16_t *)values)[at];
    case FRZ_ARROW_UINT32:
        return ((const uint32_t *)values)[at];
    case FRZ_ARROW_INT32:
    case FRZ_ARROW_DATE32:
    case FRZ_ARROW_TIME32:
        return ((const int32_t *)values)[at];
    default:
        return ((const int64_t *)values)[at];
    }
}

static frz_slice bytes_at(const frz_avro_source *s, size_t at)
{
    const bool large =
        s->type.kind == FRZ_ARROW_LARGE_STRING || s->type.kind == FRZ_ARROW_LARGE_BINARY;
    if (s->type.kind == FRZ_ARROW_FIXED) {
        const size_t width = (size_t)s->type.width;
        return frz_slice_of((const uint8_t *)s->array->buffers[1] + at * width, width);
    }
    if (large) {
        const int64_t *offsets = s->array->buffers[1];
        return frz_slice_of((const uint8_t *)s->array->buffers[2] + offsets[at],
                            (size_t)(offsets[at + 1] - offsets[at]));
    }
    const int32_t *offsets = s->array->buffers[1];
    return frz_slice_of((const uint8_t *)s->array->buffers[2] + offsets[at],
                        (size_t)(offsets[at + 1] - offsets[at]));
}

static void put_bytes(frz_buffer *out, frz_slice bytes)
{
    frz_avro_put_long(out, (int64_t)bytes.size);
    frz_buffer_append(out, bytes.data, bytes.size);
}

static void put_float(const frz_avro_source *s, size_t at, frz_buffer *out)
{
    const uint8_t *values = s->array->buffers[1];
    if (s->schema->kind == FRZ_AVRO_DOUBLE && s->type.kind == FRZ_ARROW_FLOAT) {
        const double wide = ((const float *)s->array->buffers[1])[at];
        frz_buffer_append(out, &wide, sizeof wide);
        return;
    }
    const size_t width = s->schema->kind == FRZ_AVRO_FLOAT ? 4 : 8;
    frz_buffer_append(out, values + at * width, width);
}

/* Big-endian two's complement: the fewest bytes, or exactly the size of the fixed. */
static frz_status put_decimal(const frz_avro_source *s, int64_t row, size_t at, frz_buffer *out,
                              frz_error **err)
{
    frz_int128 value = 0;
    uint8_t bytes[16];
    memcpy(&value, (const uint8_t *)s->array->buffers[1] + 16 * at, sizeof value);
    const size_t size = frz_decimal_to_be(value, bytes);
    if (!frz_decimal_fits(value, s->schema->precision) ||
        (s->schema->kind == FRZ_AVRO_FIXED && size > (size_t)s->schema->size))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s, row %lld: a decimal of more than %d digits", s->name,
                        (long long)row, (int)s->schema->precision);
    if (s->schema->kind == FRZ_AVRO_BYTES)
        frz_avro_put_long(out, (int64_t)size);
    else
        frz_buffer_append_fill(out, value < 0 ? 0xff : 0, (size_t)s->schema->size - size);
    frz_buffer_append(out, bytes, size);
    return FRZ_OK;
}

static frz_status put_symbol(const frz_avro_source *s, int64_t row, frz_slice symbol,
                             frz_buffer *out, frz_error **err)
{
    for (size_t i = 0; i < s->schema->symbol_count; i++) {
        if (frz_slice_is_text(symbol, s->schema->symbols[i])) {
            frz_avro_put_long(out, (int64_t)i);
            return FRZ_OK;
        }
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "column %s, row %lld: no symbol of enum %s",
                    s->name, (long long)row, s->schema->name);
}

static frz_status put_items(const frz_avro_source *s, int64_t start, int64_t end, frz_buffer *out,
                            frz_error **err)
{
    for (int64_t i = start; i < end; i++)
        for (size_t child = 0; child < s->child_count; child++)
            FRZ_TRY(frz_avro_encode(&s->children[child], i, out, err));
    return FRZ_OK;
}

/* One sized block and the empty one that ends the array: -count, bytes, items, 0 ("Arrays"). */
static frz_status put_list(const frz_avro_source *s, size_t at, frz_buffer *out, frz_error **err)
{
    const bool large = s->type.kind == FRZ_ARROW_LARGE_LIST;
    const void *offsets = s->array->buffers[1];
    int64_t start = large ? ((const int64_t *)offsets)[at] : ((const int32_t *)offsets)[at];
    int64_t end = large ? ((const int64_t *)offsets)[at + 1] : ((const int32_t *)offsets)[at + 1];
    if (end > start) {
        uint8_t size[10];
        frz_avro_put_long(out, start - end);
        const size_t from = out->size;
        if (s->schema->kind ==
            FRZ_AVRO_MAP) { /* rows of key and value go by those of the entries */
            start += s->array->children[0]->offset;
            end += s->array->children[0]->offset;
        }
        FRZ_TRY(put_items(s, start, end, out, err));
        const size_t bytes = out->size - from;
        const size_t length = print_long((int64_t)bytes, size);
        if (frz_buffer_extend(out, length)) {
            memmove(out->data + from + length, out->data + from, bytes);
            memcpy(out->data + from, size, length);
        }
    }
    frz_buffer_append_byte(out, 0);
    return FRZ_OK;
}

static frz_status put_value(const frz_avro_source *s, int64_t row, frz_buffer *out, frz_error **err)
{
    const size_t at = (size_t)(row + s->array->offset);
    int64_t integer = 0;
    switch (s->schema->kind) {
    case FRZ_AVRO_NULL:
    case FRZ_AVRO_UNION:
        break;
    case FRZ_AVRO_BOOLEAN:
        frz_buffer_append_byte(out, frz_bit_get(s->array->buffers[1], (int64_t)at));
        break;
    case FRZ_AVRO_INT:
    case FRZ_AVRO_LONG:
        integer = integer_at(s, at);
        frz_avro_put_long(out, integer);
        break;
    case FRZ_AVRO_FLOAT:
    case FRZ_AVRO_DOUBLE:
        put_float(s, at, out);
        break;
    case FRZ_AVRO_ENUM:
        return put_symbol(s, row, bytes_at(s, at), out, err);
    case FRZ_AVRO_STRING:
        put_bytes(out, bytes_at(s, at));
        break;
    case FRZ_AVRO_BYTES:
        if (s->schema->precision > 0)
            return put_decimal(s, row, at, out, err);
        put_bytes(out, bytes_at(s, at));
        break;
    case FRZ_AVRO_FIXED:
        if (s->schema->precision > 0)
            return put_decimal(s, row, at, out, err);
        frz_buffer_append(out, bytes_at(s, at).data, (size_t)s->schema->size);
        break;
    case FRZ_AVRO_RECORD:
        return put_items(s, (int64_t)at, (int64_t)at + 1, out, err);
    case FRZ_AVRO_ARRAY:
    case FRZ_AVRO_MAP:
        return put_list(s, at, out, err);
    }
    return FRZ_OK;
}

frz_status frz_avro_encode(const frz_avro_source *s, int64_t row, frz_buffer *out, frz_error **err)
{
    const bool is_null = s->type.kind == FRZ_ARROW_NULL || frz_arrow_is_null(s->array, row);
    if (s->option)
        frz_avro_put_long(out, is_null == s->null_branch);
    if (is_null) {
        if (s->option || s->schema->kind == FRZ_AVRO_NULL)
            return FRZ_OK;
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s, row %lld: null, the schema has no null there", s->name,
                        (long long)row);
    }
    return put_value(s, row, out, err);
}
