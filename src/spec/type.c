#include "spec/type.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/fail.h"
#include "base/number.h"
#include "spec/value.h"

static const frz_type constants[] = {
    [FRZ_TYPE_UNKNOWN] = {.kind = FRZ_TYPE_UNKNOWN},
    [FRZ_TYPE_BOOLEAN] = {.kind = FRZ_TYPE_BOOLEAN},
    [FRZ_TYPE_INT] = {.kind = FRZ_TYPE_INT},
    [FRZ_TYPE_LONG] = {.kind = FRZ_TYPE_LONG},
    [FRZ_TYPE_FLOAT] = {.kind = FRZ_TYPE_FLOAT},
    [FRZ_TYPE_DOUBLE] = {.kind = FRZ_TYPE_DOUBLE},
    [FRZ_TYPE_DATE] = {.kind = FRZ_TYPE_DATE},
    [FRZ_TYPE_TIME] = {.kind = FRZ_TYPE_TIME},
    [FRZ_TYPE_TIMESTAMP] = {.kind = FRZ_TYPE_TIMESTAMP},
    [FRZ_TYPE_TIMESTAMPTZ] = {.kind = FRZ_TYPE_TIMESTAMPTZ},
    [FRZ_TYPE_TIMESTAMP_NS] = {.kind = FRZ_TYPE_TIMESTAMP_NS},
    [FRZ_TYPE_TIMESTAMPTZ_NS] = {.kind = FRZ_TYPE_TIMESTAMPTZ_NS},
    [FRZ_TYPE_STRING] = {.kind = FRZ_TYPE_STRING},
    [FRZ_TYPE_UUID] = {.kind = FRZ_TYPE_UUID},
    [FRZ_TYPE_BINARY] = {.kind = FRZ_TYPE_BINARY},
    [FRZ_TYPE_VARIANT] = {.kind = FRZ_TYPE_VARIANT},
    [FRZ_TYPE_GEOMETRY] = {.kind = FRZ_TYPE_GEOMETRY},
    [FRZ_TYPE_GEOGRAPHY] = {.kind = FRZ_TYPE_GEOGRAPHY},
};

/* The words of Appendix C, by kind. */
static const char *const words[] = {
    [FRZ_TYPE_UNKNOWN] = "unknown",
    [FRZ_TYPE_BOOLEAN] = "boolean",
    [FRZ_TYPE_INT] = "int",
    [FRZ_TYPE_LONG] = "long",
    [FRZ_TYPE_FLOAT] = "float",
    [FRZ_TYPE_DOUBLE] = "double",
    [FRZ_TYPE_DECIMAL] = "decimal",
    [FRZ_TYPE_DATE] = "date",
    [FRZ_TYPE_TIME] = "time",
    [FRZ_TYPE_TIMESTAMP] = "timestamp",
    [FRZ_TYPE_TIMESTAMPTZ] = "timestamptz",
    [FRZ_TYPE_TIMESTAMP_NS] = "timestamp_ns",
    [FRZ_TYPE_TIMESTAMPTZ_NS] = "timestamptz_ns",
    [FRZ_TYPE_STRING] = "string",
    [FRZ_TYPE_UUID] = "uuid",
    [FRZ_TYPE_FIXED] = "fixed",
    [FRZ_TYPE_BINARY] = "binary",
    [FRZ_TYPE_VARIANT] = "variant",
    [FRZ_TYPE_GEOMETRY] = "geometry",
    [FRZ_TYPE_GEOGRAPHY] = "geography",
    [FRZ_TYPE_STRUCT] = "struct",
    [FRZ_TYPE_LIST] = "list",
    [FRZ_TYPE_MAP] = "map",
};

/* Spec "Primitive Types": the parameters that are meant when none are given. */
static const char default_crs[] = "OGC:CRS84";
static const char default_algorithm[] = "spherical";
static const char *const algorithms[] = {"spherical", "vincenty", "thomas", "andoyer", "karney"};

const frz_type *frz_type_of(frz_type_kind kind)
{
    assert(kind < FRZ_TYPE_STRUCT && kind != FRZ_TYPE_DECIMAL && kind != FRZ_TYPE_FIXED);
    return &constants[kind];
}

const char *frz_type_word(frz_type_kind kind)
{
    return words[kind];
}

bool frz_type_is_primitive(const frz_type *type)
{
    return type->kind < FRZ_TYPE_STRUCT && type->kind != FRZ_TYPE_VARIANT;
}

const frz_field *frz_type_find_field(const frz_type *type, const char *name, bool case_sensitive)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const char *other = type->fields[i].name;
        if ((case_sensitive ? strcmp(other, name) : strcasecmp(other, name)) == 0)
            return &type->fields[i];
    }
    return NULL;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equal_ignoring_case(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

static bool parameter_equal(const char *a, const char *b, const char *fallback)
{
    return equal_ignoring_case(a ? a : fallback, b ? b : fallback);
}

static bool field_equal(const frz_field *a, const frz_field *b)
{
    return a->id == b->id && a->required == b->required && strcmp(a->name, b->name) == 0 &&
           frz_type_equal(a->type, b->type);
}

bool frz_type_equal(const frz_type *a, const frz_type *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->precision != b->precision || a->scale != b->scale ||
        a->length != b->length || a->field_count != b->field_count)
        return false;
    if (a->kind == FRZ_TYPE_GEOMETRY || a->kind == FRZ_TYPE_GEOGRAPHY)
        return parameter_equal(a->crs, b->crs, default_crs) &&
               parameter_equal(a->algorithm, b->algorithm, default_algorithm);
    for (size_t i = 0; i < a->field_count; i++)
        if (!field_equal(&a->fields[i], &b->fields[i]))
            return false;
    return true;
}

int frz_type_format_version(const frz_type *type)
{
    switch (type->kind) {
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
        return 3;
    case FRZ_TYPE_BOOLEAN:
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
    case FRZ_TYPE_DECIMAL:
    case FRZ_TYPE_DATE:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
    case FRZ_TYPE_BINARY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        break;
    }
    for (size_t i = 0; i < type->field_count; i++)
        if (frz_type_format_version(type->fields[i].type) > 1)
            return 3;
    return 1;
}

bool frz_type_promotes(const frz_type *from, const frz_type *to, int format_version)
{
    if (frz_type_equal(from, to))
        return true;
    if (from->kind == FRZ_TYPE_UNKNOWN)
        return format_version >= 3;
    if (from->kind == FRZ_TYPE_INT)
        return to->kind == FRZ_TYPE_LONG;
    if (from->kind == FRZ_TYPE_FLOAT)
        return to->kind == FRZ_TYPE_DOUBLE;
    if (from->kind == FRZ_TYPE_DECIMAL)
        return to->kind == FRZ_TYPE_DECIMAL && to->scale == from->scale &&
               to->precision > from->precision;
    if (from->kind == FRZ_TYPE_DATE)
        return format_version >= 3 &&
               (to->kind == FRZ_TYPE_TIMESTAMP || to->kind == FRZ_TYPE_TIMESTAMP_NS);
    return false;
}

static void print_struct(const frz_type *type, frz_buffer *out)
{
    frz_buffer_append_text(out, "struct<");
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        frz_buffer_printf(out, "%s%d: %s: %s ", i ? ", " : "", field->id, field->name,
                          field->required ? "required" : "optional");
        frz_type_print(field->type, out);
    }
    frz_buffer_append_byte(out, '>');
}

static void print_collection(const frz_type *type, frz_buffer *out)
{
    frz_buffer_printf(out, "%s<", words[type->kind]);
    for (size_t i = 0; i < type->field_count; i++) {
        if (i)
            frz_buffer_append_text(out, ", ");
        frz_type_print(type->fields[i].type, out);
    }
    frz_buffer_append_byte(out, '>');
}

void frz_type_print(const frz_type *type, frz_buffer *out)
{
    const char *crs = type->crs ? type->crs : default_crs;
    if (type->kind == FRZ_TYPE_DECIMAL)
        frz_buffer_printf(out, "decimal(%d, %d)", type->precision, type->scale);
    else if (type->kind == FRZ_TYPE_FIXED)
        frz_buffer_printf(out, "fixed[%d]", type->length);
    else if (type->kind == FRZ_TYPE_GEOMETRY)
        frz_buffer_printf(out, "geometry(%s)", crs);
    else if (type->kind == FRZ_TYPE_GEOGRAPHY)
        frz_buffer_printf(out, "geography(%s, %s)", crs,
                          type->algorithm ? type->algorithm : default_algorithm);
    else if (type->kind == FRZ_TYPE_STRUCT)
        print_struct(type, out);
    else if (type->kind == FRZ_TYPE_LIST || type->kind == FRZ_TYPE_MAP)
        print_collection(type, out);
    else
        frz_buffer_append_text(out, words[type->kind]);
}

static frz_slice trim(frz_slice text)
{
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t'))
        text.size--;
    return text;
}

static bool is_word(frz_slice text, const char *word)
{
    if (text.size != strlen(word))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (lower((char)text.data[i]) != word[i])
            return false;
    return true;
}

/* A type's text taken apart: `decimal(9, 2)` is a word and two arguments. */
typedef struct type_text {
    frz_slice whole;
    frz_slice word;
    char bracket; /* '(' or '[', 0 when there are no arguments */
    frz_slice arguments[2];
    size_t argument_count;
} type_text;

static frz_status unreadable(frz_slice whole, const char *expected, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "type \"%.*s\": expected %s",
                    (int)(whole.size > 200 ? 200 : whole.size), (const char *)whole.data, expected);
}

static frz_status split_type_text(frz_slice whole, type_text *out, frz_error **err)
{
    type_text parts = {.whole = whole};
    const frz_slice text = trim(whole);
    size_t at = 0;
    while (at < text.size && text.data[at] != '(' && text.data[at] != '[')
        at++;
    parts.word = trim(frz_slice_of(text.data, at));
    if (at < text.size) {
        parts.bracket = (char)text.data[at];
        const char closing = parts.bracket == '(' ? ')' : ']';
        if (text.data[text.size - 1] != (uint8_t)closing)
            return unreadable(whole, closing == ')' ? "\")\" at the end" : "\"]\" at the end", err);
        frz_slice inside = frz_slice_of(text.data + at + 1, text.size - at - 2);
        const uint8_t *comma = inside.size ? memchr(inside.data, ',', inside.size) : NULL;
        parts.argument_count = 1;
        if (comma) {
            const size_t first = (size_t)(comma - inside.data);
            parts.arguments[1] = trim(frz_slice_of(comma + 1, inside.size - first - 1));
            parts.argument_count = 2;
            inside.size = first;
        }
        parts.arguments[0] = trim(inside);
    }
    *out = parts;
    return FRZ_OK;
}

static bool parse_digits(frz_slice text, int64_t max, int32_t *out)
{
    int64_t value = 0;
    if (text.size == 0 || text.data[0] < '0' || text.data[0] > '9' ||
        !frz_number_parse_i64((const char *)text.data, text.size, &value) || value > max)
        return false;
    *out = (int32_t)value;
    return true;
}

static frz_status parse_decimal(const type_text *parts, frz_type *out, frz_error **err)
{
    if (parts->bracket != '(' || parts->argument_count != 2 ||
        !parse_digits(parts->arguments[0], FRZ_DECIMAL_PRECISION_MAX, &out->precision) ||
        !parse_digits(parts->arguments[1], FRZ_DECIMAL_PRECISION_MAX, &out->scale) ||
        out->precision < 1 || out->scale > out->precision)
        return unreadable(parts->whole, "decimal(P, S) with P from 1 to 38 and S from 0 to P", err);
    return FRZ_OK;
}

static frz_status parse_fixed(const type_text *parts, frz_type *out, frz_error **err)
{
    if (parts->bracket == 0 || parts->argument_count != 1 ||
        !parse_digits(parts->arguments[0], INT32_MAX, &out->length))
        return unreadable(parts->whole, "fixed[L] with a length L", err);
    return FRZ_OK;
}

static frz_status parse_algorithm(frz_slice name, frz_type *out, frz_error **err)
{
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
        if (is_word(name, algorithms[i])) {
            out->algorithm = algorithms[i];
            return FRZ_OK;
        }
    }
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                    "geography edge-interpolation algorithm \"%.*s\" is not known",
                    (int)(name.size > 200 ? 200 : name.size), (const char *)name.data);
}

static frz_status parse_geo(const type_text *parts, frz_arena *arena, frz_type *out,
                            frz_error **err)
{
    const size_t most = out->kind == FRZ_TYPE_GEOGRAPHY ? 2 : 1;
    if (parts->bracket == 0)
        return FRZ_OK;
    /* A CRS with a bracket could not be told from the end of the type by others ("CRS"). */
    if (parts->bracket != '(' || parts->argument_count > most || parts->arguments[0].size == 0 ||
        memchr(parts->arguments[0].data, ')', parts->arguments[0].size))
        return unreadable(parts->whole, most == 2 ? "geography(CRS, ALGORITHM)" : "geometry(CRS)",
                          err);
    out->crs = frz_arena_text_n(arena, parts->arguments[0].data, parts->arguments[0].size);
    if (!out->crs)
        return frz_fail_memory(err);
    return parts->argument_count == 2 ? parse_algorithm(parts->arguments[1], out, err) : FRZ_OK;
}

static frz_status parse_parameters(const type_text *parts, frz_arena *arena, frz_type *out,
                                   frz_error **err)
{
    if (out->kind == FRZ_TYPE_DECIMAL)
        return parse_decimal(parts, out, err);
    if (out->kind == FRZ_TYPE_FIXED)
        return parse_fixed(parts, out, err);
    return parse_geo(parts, arena, out, err);
}

static bool takes_parameters(frz_type_kind kind)
{
    return kind == FRZ_TYPE_DECIMAL || kind == FRZ_TYPE_FIXED || kind == FRZ_TYPE_GEOMETRY ||
           kind == FRZ_TYPE_GEOGRAPHY;
}

frz_status frz_type_parse(frz_slice text, frz_arena *arena, const frz_type **out, frz_error **err)
{
    type_text parts = {0};
    FRZ_TRY(split_type_text(text, &parts, err));
    size_t kind = 0;
    while (kind < FRZ_TYPE_STRUCT && !is_word(parts.word, words[kind]))
        kind++;
    if (kind == FRZ_TYPE_STRUCT || (parts.bracket && !takes_parameters((frz_type_kind)kind)))
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "type \"%.*s\" is not known",
                        (int)(text.size > 200 ? 200 : text.size), (const char *)text.data);
    if (!takes_parameters((frz_type_kind)kind)) {
        *out = &constants[kind];
        return FRZ_OK;
    }
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!type)
        return frz_fail_memory(err);
    type->kind = (frz_type_kind)kind;
    FRZ_TRY(parse_parameters(&parts, arena, type, err));
    *out = type;
    return FRZ_OK;
}

const frz_type *frz_type_assign_ids(const frz_type *type, frz_arena *arena, int32_t *last_id)
{
    if (type->field_count == 0)
        return type;
    frz_type *fresh = frz_arena_alloc(arena, sizeof *fresh);
    frz_field *fields = frz_arena_array(arena, type->field_count, sizeof *fields);
    if (!fresh || !fields)
        return NULL;
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].id = ++*last_id;
    }
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i].type = frz_type_assign_ids(fields[i].type, arena, last_id);
        if (!fields[i].type)
            return NULL;
    }
    *fresh = *type;
    fresh->fields = fields;
    return fresh;
}

static const frz_value *copy_default(const frz_value *value, frz_arena *arena)
{
    frz_value *copy = frz_arena_alloc(arena, sizeof *copy);
    return copy && frz_value_copy(value, arena, copy) ? copy : NULL;
}

static bool copy_field(const frz_field *field, frz_arena *arena, frz_field *out)
{
    *out = *field;
    out->name = frz_arena_text(arena, field->name);
    out->type = frz_type_copy(field->type, arena);
    if (!out->name || !out->type)
        return false;
    if (field->doc && !(out->doc = frz_arena_text(arena, field->doc)))
        return false;
    if (field->initial_default &&
        !(out->initial_default = copy_default(field->initial_default, arena)))
        return false;
    return !field->write_default ||
           (out->write_default = copy_default(field->write_default, arena)) != NULL;
}

const frz_type *frz_type_copy(const frz_type *type, frz_arena *arena)
{
    frz_type *copy = frz_arena_alloc(arena, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *type;
    if (type->crs && !(copy->crs = frz_arena_text(arena, type->crs)))
        return NULL;
    if (type->algorithm && !(copy->algorithm = frz_arena_text(arena, type->algorithm)))
        return NULL;
    if (type->field_count == 0) {
        copy->fields = NULL;
        return copy;
    }
    frz_field *fields = frz_arena_array(arena, type->field_count, sizeof *fields);
    for (size_t i = 0; fields && i < type->field_count; i++)
        if (!copy_field(&type->fields[i], arena, &fields[i]))
            return NULL;
    copy->fields = fields;
    return fields ? copy : NULL;
}
