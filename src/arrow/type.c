#include "arrow/type.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

/* The formats that are one fixed text. */
static const struct {
    const char *format;
    frz_arrow_type type;
} fixed_formats[] = {
    {"n", {.kind = FRZ_ARROW_NULL}},
    {"b", {.kind = FRZ_ARROW_BOOL}},
    {"c", {.kind = FRZ_ARROW_INT8}},
    {"C", {.kind = FRZ_ARROW_UINT8}},
    {"s", {.kind = FRZ_ARROW_INT16}},
    {"S", {.kind = FRZ_ARROW_UINT16}},
    {"i", {.kind = FRZ_ARROW_INT32}},
    {"I", {.kind = FRZ_ARROW_UINT32}},
    {"l", {.kind = FRZ_ARROW_INT64}},
    {"L", {.kind = FRZ_ARROW_UINT64}},
    {"e", {.kind = FRZ_ARROW_HALF}},
    {"f", {.kind = FRZ_ARROW_FLOAT}},
    {"g", {.kind = FRZ_ARROW_DOUBLE}},
    {"u", {.kind = FRZ_ARROW_STRING}},
    {"U", {.kind = FRZ_ARROW_LARGE_STRING}},
    {"vu", {.kind = FRZ_ARROW_STRING_VIEW}},
    {"z", {.kind = FRZ_ARROW_BINARY}},
    {"Z", {.kind = FRZ_ARROW_LARGE_BINARY}},
    {"vz", {.kind = FRZ_ARROW_BINARY_VIEW}},
    {"tdD", {.kind = FRZ_ARROW_DATE32}},
    {"tdm", {.kind = FRZ_ARROW_DATE64}},
    {"tts", {.kind = FRZ_ARROW_TIME32, .unit = 's'}},
    {"ttm", {.kind = FRZ_ARROW_TIME32, .unit = 'm'}},
    {"ttu", {.kind = FRZ_ARROW_TIME64, .unit = 'u'}},
    {"ttn", {.kind = FRZ_ARROW_TIME64, .unit = 'n'}},
    {"tDs", {.kind = FRZ_ARROW_DURATION, .unit = 's'}},
    {"tDm", {.kind = FRZ_ARROW_DURATION, .unit = 'm'}},
    {"tDu", {.kind = FRZ_ARROW_DURATION, .unit = 'u'}},
    {"tDn", {.kind = FRZ_ARROW_DURATION, .unit = 'n'}},
    {"tiM", {.kind = FRZ_ARROW_INTERVAL}},
    {"tiD", {.kind = FRZ_ARROW_INTERVAL}},
    {"tin", {.kind = FRZ_ARROW_INTERVAL}},
    {"+s", {.kind = FRZ_ARROW_STRUCT}},
    {"+l", {.kind = FRZ_ARROW_LIST}},
    {"+L", {.kind = FRZ_ARROW_LARGE_LIST}},
    {"+vl", {.kind = FRZ_ARROW_LIST_VIEW, .width = 32}},
    {"+vL", {.kind = FRZ_ARROW_LIST_VIEW, .width = 64}},
    {"+m", {.kind = FRZ_ARROW_MAP}},
    {"+r", {.kind = FRZ_ARROW_RUN_END}},
};

enum { FIXED_FORMAT_COUNT = sizeof fixed_formats / sizeof fixed_formats[0] };

/* [-]digits from *at on, at most `max`; moves *at behind them. */
static bool take_number(const char **at, int32_t max, int32_t *out)
{
    const bool negative = **at == '-';
    const char *digit = *at + negative;
    int64_t value = 0;
    if (*digit < '0' || *digit > '9')
        return false;
    for (; *digit >= '0' && *digit <= '9' && value <= max; digit++)
        value = value * 10 + (*digit - '0');
    if (value > max)
        return false;
    *out = (int32_t)(negative ? -value : value);
    *at = digit;
    return true;
}

/* d:precision,scale[,bits] */
static bool parse_decimal(const char *at, frz_arrow_type *out)
{
    int32_t bits = 128;
    if (!take_number(&at, 76, &out->precision) || *at++ != ',' ||
        !take_number(&at, 76, &out->scale))
        return false;
    if (*at == ',') {
        at++;
        if (!take_number(&at, 256, &bits))
            return false;
    }
    if (*at != '\0' || out->precision < 1)
        return false;
    if (bits != 32 && bits != 64 && bits != 128 && bits != 256)
        return false;
    out->kind = bits == 128 ? FRZ_ARROW_DECIMAL : FRZ_ARROW_DECIMAL_OTHER;
    out->width = bits;
    return true;
}

/* The formats with parameters. */
static bool parse_parameters(const char *format, frz_arrow_type *out)
{
    if (strncmp(format, "d:", 2) == 0)
        return parse_decimal(format + 2, out);
    if (strncmp(format, "w:", 2) == 0 || strncmp(format, "+w:", 3) == 0) {
        const bool list = format[0] == '+';
        const char *at = format + (list ? 3 : 2);
        out->kind = list ? FRZ_ARROW_FIXED_LIST : FRZ_ARROW_FIXED;
        return take_number(&at, INT32_MAX, &out->width) && *at == '\0' && out->width >= 0;
    }
    if (strncmp(format, "ts", 2) == 0 && format[2] && strchr("smun", format[2]) &&
        format[3] == ':') {
        out->kind = FRZ_ARROW_TIMESTAMP;
        out->unit = format[2];
        out->zoned = format[4] != '\0';
        return true;
    }
    if (strncmp(format, "+ud:", 4) == 0 || strncmp(format, "+us:", 4) == 0) {
        out->kind = FRZ_ARROW_UNION;
        return true;
    }
    return false;
}

frz_status frz_arrow_type_parse(const char *format, frz_arrow_type *out, frz_error **err)
{
    for (size_t i = 0; i < FIXED_FORMAT_COUNT; i++) {
        if (strcmp(format, fixed_formats[i].format) == 0) {
            *out = fixed_formats[i].type;
            return FRZ_OK;
        }
    }
    frz_arrow_type type = {0};
    if (!parse_parameters(format, &type))
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "Arrow format \"%s\" is not known",
                        format);
    *out = type;
    return FRZ_OK;
}

static bool same_type(const frz_arrow_type *a, const frz_arrow_type *b)
{
    return a->kind == b->kind && a->unit == b->unit &&
           (a->kind != FRZ_ARROW_LIST_VIEW || a->width == b->width);
}

void frz_arrow_type_print(const frz_arrow_type *type, char out[32])
{
    assert(type->kind != FRZ_ARROW_INTERVAL && type->kind != FRZ_ARROW_UNION);
    if (type->kind == FRZ_ARROW_DECIMAL)
        (void)snprintf(out, 32, "d:%d,%d", (int)type->precision, (int)type->scale);
    else if (type->kind == FRZ_ARROW_DECIMAL_OTHER)
        (void)snprintf(out, 32, "d:%d,%d,%d", (int)type->precision, (int)type->scale,
                       (int)type->width);
    else if (type->kind == FRZ_ARROW_FIXED || type->kind == FRZ_ARROW_FIXED_LIST)
        (void)snprintf(out, 32, "%sw:%d", type->kind == FRZ_ARROW_FIXED ? "" : "+",
                       (int)type->width);
    else if (type->kind == FRZ_ARROW_TIMESTAMP)
        (void)snprintf(out, 32, "ts%c:%s", type->unit, type->zoned ? "UTC" : "");
    else
        for (size_t i = 0; i < FIXED_FORMAT_COUNT; i++)
            if (same_type(&fixed_formats[i].type, type))
                (void)snprintf(out, 32, "%s", fixed_formats[i].format);
}

size_t frz_arrow_type_width(const frz_arrow_type *type)
{
    static const uint8_t widths[] = {
        [FRZ_ARROW_INT8] = 1,      [FRZ_ARROW_UINT8] = 1,    [FRZ_ARROW_INT16] = 2,
        [FRZ_ARROW_UINT16] = 2,    [FRZ_ARROW_HALF] = 2,     [FRZ_ARROW_INT32] = 4,
        [FRZ_ARROW_UINT32] = 4,    [FRZ_ARROW_FLOAT] = 4,    [FRZ_ARROW_DATE32] = 4,
        [FRZ_ARROW_TIME32] = 4,    [FRZ_ARROW_INT64] = 8,    [FRZ_ARROW_UINT64] = 8,
        [FRZ_ARROW_DOUBLE] = 8,    [FRZ_ARROW_DATE64] = 8,   [FRZ_ARROW_TIME64] = 8,
        [FRZ_ARROW_TIMESTAMP] = 8, [FRZ_ARROW_DURATION] = 8, [FRZ_ARROW_DECIMAL] = 16,
        [FRZ_ARROW_RUN_END] = 0,
    };
    if (type->kind == FRZ_ARROW_FIXED)
        return (size_t)type->width;
    if (type->kind == FRZ_ARROW_DECIMAL_OTHER)
        return (size_t)type->width / 8;
    return widths[type->kind];
}

const frz_arrow_layout *frz_arrow_layout_of(frz_arrow_kind kind)
{
    static const frz_arrow_layout fixed = {FRZ_ARROW_FORM_FIXED, 2, 0, 0};
    static const frz_arrow_layout others[] = {
        [FRZ_ARROW_NULL] = {FRZ_ARROW_FORM_NULL, 0, 0, 0},
        [FRZ_ARROW_BOOL] = {FRZ_ARROW_FORM_BITS, 2, 0, 0},
        [FRZ_ARROW_STRING] = {FRZ_ARROW_FORM_BYTES, 3, 0, 4},
        [FRZ_ARROW_LARGE_STRING] = {FRZ_ARROW_FORM_BYTES, 3, 0, 8},
        [FRZ_ARROW_STRING_VIEW] = {FRZ_ARROW_FORM_VIEWS, 3, 0, 0},
        [FRZ_ARROW_BINARY] = {FRZ_ARROW_FORM_BYTES, 3, 0, 4},
        [FRZ_ARROW_LARGE_BINARY] = {FRZ_ARROW_FORM_BYTES, 3, 0, 8},
        [FRZ_ARROW_BINARY_VIEW] = {FRZ_ARROW_FORM_VIEWS, 3, 0, 0},
        [FRZ_ARROW_STRUCT] = {FRZ_ARROW_FORM_PARALLEL, 1, -1, 0},
        [FRZ_ARROW_LIST] = {FRZ_ARROW_FORM_LIST, 2, 1, 4},
        [FRZ_ARROW_LARGE_LIST] = {FRZ_ARROW_FORM_LIST, 2, 1, 8},
        [FRZ_ARROW_FIXED_LIST] = {FRZ_ARROW_FORM_PARALLEL, 1, 1, 0},
        [FRZ_ARROW_LIST_VIEW] = {FRZ_ARROW_FORM_LIST_VIEWS, 3, 1, 0},
        [FRZ_ARROW_MAP] = {FRZ_ARROW_FORM_LIST, 2, 1, 4},
        [FRZ_ARROW_UNION] = {FRZ_ARROW_FORM_UNION, 1, -1, 0}, /* a sparse one: its type ids */
        [FRZ_ARROW_RUN_END] = {FRZ_ARROW_FORM_RUNS, 0, 2, 0},
    };
    const bool listed = kind == FRZ_ARROW_NULL || others[kind].form != FRZ_ARROW_FORM_NULL;
    return listed ? &others[kind] : &fixed;
}

const char *frz_arrow_kind_name(frz_arrow_kind kind)
{
    static const char *const names[] = {
        [FRZ_ARROW_NULL] = "null",
        [FRZ_ARROW_BOOL] = "bool",
        [FRZ_ARROW_INT8] = "int8",
        [FRZ_ARROW_UINT8] = "uint8",
        [FRZ_ARROW_INT16] = "int16",
        [FRZ_ARROW_UINT16] = "uint16",
        [FRZ_ARROW_INT32] = "int32",
        [FRZ_ARROW_UINT32] = "uint32",
        [FRZ_ARROW_INT64] = "int64",
        [FRZ_ARROW_UINT64] = "uint64",
        [FRZ_ARROW_HALF] = "half_float",
        [FRZ_ARROW_FLOAT] = "float",
        [FRZ_ARROW_DOUBLE] = "double",
        [FRZ_ARROW_DECIMAL] = "decimal128",
        [FRZ_ARROW_DECIMAL_OTHER] = "decimal of another width",
        [FRZ_ARROW_STRING] = "string",
        [FRZ_ARROW_LARGE_STRING] = "large_string",
        [FRZ_ARROW_STRING_VIEW] = "string_view",
        [FRZ_ARROW_BINARY] = "binary",
        [FRZ_ARROW_LARGE_BINARY] = "large_binary",
        [FRZ_ARROW_BINARY_VIEW] = "binary_view",
        [FRZ_ARROW_FIXED] = "fixed_size_binary",
        [FRZ_ARROW_DATE32] = "date32",
        [FRZ_ARROW_DATE64] = "date64",
        [FRZ_ARROW_TIME32] = "time32",
        [FRZ_ARROW_TIME64] = "time64",
        [FRZ_ARROW_TIMESTAMP] = "timestamp",
        [FRZ_ARROW_DURATION] = "duration",
        [FRZ_ARROW_INTERVAL] = "interval",
        [FRZ_ARROW_STRUCT] = "struct",
        [FRZ_ARROW_LIST] = "list",
        [FRZ_ARROW_LARGE_LIST] = "large_list",
        [FRZ_ARROW_FIXED_LIST] = "fixed_size_list",
        [FRZ_ARROW_LIST_VIEW] = "list_view",
        [FRZ_ARROW_MAP] = "map",
        [FRZ_ARROW_UNION] = "union",
        [FRZ_ARROW_RUN_END] = "run_end_encoded",
    };
    return names[kind];
}

bool frz_arrow_union_is_plain(const char *format, int64_t child_count)
{
    const char *at = format + 4;
    if (strncmp(format, "+us:", 4) != 0 || child_count < 1 || child_count > 127)
        return false;
    for (int64_t i = 0; i < child_count; i++) {
        int32_t id = 0;
        if ((i > 0 && *at++ != ',') || !take_number(&at, 127, &id) || id != i)
            return false;
    }
    return *at == '\0';
}
