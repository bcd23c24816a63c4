/*
 * Types of the parts of a formula, from the leaves up; a literal takes its type from what it is
 * used with.
 */
#include "base/fail.h"
#include "base/number.h"
#include "expr/cast.h"
#include "expr/formula.h"

enum { DIVIDE_SCALE_MIN = 6 };

typedef struct binder {
    const frz_type *columns;
    frz_arena *arena;
} binder;

static frz_status bind(const binder *b, frz_formula *f, const frz_type *wanted, frz_error **err);

static int greater(int a, int b)
{
    return a > b ? a : b;
}

static frz_status fail_types(const frz_formula *f, const char *what, const frz_type *from,
                             const frz_type *to, frz_error **err)
{
    frz_buffer text = {0};
    frz_type_print(from, &text);
    frz_buffer_append_text(&text, what);
    if (to)
        frz_type_print(to, &text);
    if (to && frz_cast_exists(from, to, false)) {
        frz_buffer_append_text(&text, ": cast(... as ");
        frz_type_print(to, &text);
        frz_buffer_append_text(&text, ") converts it");
    }
    const frz_status status = text.failed ? frz_fail_memory(err)
                                          : frz_fail(err, FRZ_INVALID, f->offset, "%.*s",
                                                     (int)text.size, (const char *)text.data);
    frz_buffer_clear(&text);
    return status;
}

static frz_status decimal_of(const binder *b, int scale, uint64_t offset, const frz_type **out,
                             frz_error **err)
{
    if (scale > FRZ_DECIMAL_PRECISION_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, offset,
                        "the result has %d digits behind the point, more than %d", scale,
                        FRZ_DECIMAL_PRECISION_MAX);
    frz_type *type = frz_arena_alloc(b->arena, sizeof *type);
    if (!type)
        return frz_fail_memory(err);
    *type = (frz_type){
        .kind = FRZ_TYPE_DECIMAL, .precision = FRZ_DECIMAL_PRECISION_MAX, .scale = scale};
    *out = type;
    return FRZ_OK;
}

/* A number alone: long, decimal, or double when it has an exponent or too many digits. */
static frz_status bind_number(const binder *b, frz_formula *f, frz_error **err)
{
    const char *digits = (const char *)f->literal.bytes.data;
    const size_t size = f->literal.bytes.size;
    frz_int128 unscaled = 0;
    int64_t whole = 0;
    int scale = 0;
    double number = 0;
    const bool exponent = memchr(digits, 'e', size) || memchr(digits, 'E', size);
    if (frz_number_parse_i64(digits, size, &whole)) {
        f->type = frz_type_of(FRZ_TYPE_LONG);
        f->value = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = whole};
    } else if (!exponent && frz_decimal_parse(digits, size, &unscaled, &scale) && scale >= 0) {
        f->value = (frz_value){.form = FRZ_VALUE_DECIMAL, .decimal = unscaled};
        return decimal_of(b, scale, f->offset, &f->type, err);
    } else if (frz_number_parse_f64(digits, size, &number)) {
        f->type = frz_type_of(FRZ_TYPE_DOUBLE);
        f->value = (frz_value){.form = FRZ_VALUE_NUMBER, .number = number};
    } else {
        return frz_fail(err, FRZ_INVALID, f->offset, "%.*s is no number", (int)size, digits);
    }
    return FRZ_OK;
}

static frz_type_kind natural_kind(const frz_literal *literal)
{
    const bool nanos = literal->nanos % 1000 != 0;
    switch (literal->kind) {
    case FRZ_LITERAL_BOOLEAN:
        return FRZ_TYPE_BOOLEAN;
    case FRZ_LITERAL_TEXT:
        return FRZ_TYPE_STRING;
    case FRZ_LITERAL_DATE:
        return FRZ_TYPE_DATE;
    case FRZ_LITERAL_TIME:
        return FRZ_TYPE_TIME;
    case FRZ_LITERAL_TIMESTAMP:
        if (literal->zoned)
            return nanos ? FRZ_TYPE_TIMESTAMPTZ_NS : FRZ_TYPE_TIMESTAMPTZ;
        return nanos ? FRZ_TYPE_TIMESTAMP_NS : FRZ_TYPE_TIMESTAMP;
    case FRZ_LITERAL_UUID:
        return FRZ_TYPE_UUID;
    case FRZ_LITERAL_BYTES:
        return FRZ_TYPE_BINARY;
    case FRZ_LITERAL_NULL:
    case FRZ_LITERAL_NUMBER:
        break;
    }
    return FRZ_TYPE_UNKNOWN;
}

static frz_status bind_literal(const binder *b, frz_formula *f, const frz_type *wanted,
                               frz_error **err)
{
    frz_literal_side side = FRZ_SIDE_EQUAL;
    if (f->literal.kind == FRZ_LITERAL_NULL) {
        f->type = wanted ? wanted : frz_type_of(FRZ_TYPE_UNKNOWN);
        f->value = (frz_value){.form = FRZ_VALUE_NULL};
        return FRZ_OK;
    }
    if (!wanted && f->literal.kind == FRZ_LITERAL_NUMBER)
        return bind_number(b, f, err);
    f->type = wanted ? wanted : frz_type_of(natural_kind(&f->literal));
    if (!frz_type_is_primitive(f->type))
        return fail_types(f, " cannot be given as a literal", f->type, NULL, err);
    FRZ_TRY(frz_literal_convert(&f->literal, f->type, b->arena, &f->value, &side, err));
    if (side == FRZ_SIDE_EQUAL)
        return FRZ_OK;
    return fail_types(f, " cannot hold the literal exactly", f->type, NULL, err);
}

static bool is_number(const frz_type *type)
{
    return type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_LONG ||
           type->kind == FRZ_TYPE_FLOAT || type->kind == FRZ_TYPE_DOUBLE ||
           type->kind == FRZ_TYPE_DECIMAL || type->kind == FRZ_TYPE_UNKNOWN;
}

/* Puts a cast above `*f` unless it has the type already. */
static frz_status convert(const binder *b, frz_formula **f, const frz_type *to, frz_error **err)
{
    frz_formula *of = *f;
    if (of->type == to || (frz_type_is_primitive(to) && frz_type_equal(of->type, to)))
        return FRZ_OK;
    if (!frz_cast_exists(of->type, to, true))
        return fail_types(of, " is not taken as ", of->type, to, err);
    frz_formula *cast = frz_arena_alloc(b->arena, sizeof *cast);
    frz_formula **list = frz_arena_array(b->arena, 1, sizeof(frz_formula *));
    if (!cast || !list)
        return frz_fail_memory(err);
    list[0] = of;
    *cast = (frz_formula){.op = FRZ_FORMULA_CAST,
                          .exact = true,
                          .offset = of->offset,
                          .type = to,
                          .arguments = list,
                          .argument_count = 1};
    *f = cast;
    return FRZ_OK;
}

static int scale_of(const frz_type *type)
{
    return type->kind == FRZ_TYPE_DECIMAL ? type->scale : 0;
}

static bool is_floating(const frz_type *type)
{
    return type->kind == FRZ_TYPE_FLOAT || type->kind == FRZ_TYPE_DOUBLE;
}

static frz_status arithmetic_type(const binder *b, frz_formula *f, frz_error **err)
{
    const frz_type *left = f->arguments[0]->type;
    const frz_type *right = f->arguments[f->argument_count - 1]->type;
    if (is_floating(left) || is_floating(right)) {
        f->type = frz_type_of(FRZ_TYPE_DOUBLE);
        return FRZ_OK;
    }
    if (left->kind != FRZ_TYPE_DECIMAL && right->kind != FRZ_TYPE_DECIMAL) {
        f->type = frz_type_of(FRZ_TYPE_LONG);
        return FRZ_OK;
    }
    int scale = greater(scale_of(left), scale_of(right));
    if (f->op == FRZ_FORMULA_MULTIPLY)
        scale = scale_of(left) + scale_of(right);
    else if (f->op == FRZ_FORMULA_DIVIDE)
        scale = greater(scale, DIVIDE_SCALE_MIN);
    return decimal_of(b, scale, f->offset, &f->type, err);
}

static frz_status bind_arithmetic(const binder *b, frz_formula *f, frz_error **err)
{
    for (size_t i = 0; i < f->argument_count; i++) {
        FRZ_TRY(bind(b, f->arguments[i], NULL, err));
        if (!is_number(f->arguments[i]->type))
            return fail_types(f->arguments[i], " is no number", f->arguments[i]->type, NULL, err);
    }
    FRZ_TRY(arithmetic_type(b, f, err));
    for (size_t i = 0; i < f->argument_count && f->type->kind != FRZ_TYPE_DECIMAL; i++)
        FRZ_TRY(convert(b, &f->arguments[i], f->type, err));
    for (size_t i = 0; i < f->argument_count && f->type->kind == FRZ_TYPE_DECIMAL; i++) {
        const frz_type *own = NULL;
        if (f->arguments[i]->type->kind == FRZ_TYPE_DECIMAL)
            continue;
        FRZ_TRY(decimal_of(b, 0, f->offset, &own, err));
        FRZ_TRY(convert(b, &f->arguments[i], own, err));
    }
    return FRZ_OK;
}

static frz_status bind_text(const binder *b, frz_formula *f, frz_error **err)
{
    f->type = frz_type_of(FRZ_TYPE_STRING);
    for (size_t i = 0; i < f->argument_count; i++) {
        frz_formula *part = f->arguments[i];
        FRZ_TRY(bind(b, part, NULL, err));
        if (part->type->kind != FRZ_TYPE_STRING && part->type->kind != FRZ_TYPE_UNKNOWN)
            return fail_types(part, " is no string; cast(... as string) makes it one", part->type,
                              NULL, err);
        FRZ_TRY(convert(b, &f->arguments[i], f->type, err));
    }
    return FRZ_OK;
}

/* The type of the first argument that has one of its own, else what is wanted. */
static frz_status bind_coalesce(const binder *b, frz_formula *f, const frz_type *wanted,
                                frz_error **err)
{
    const frz_type *type = NULL;
    for (size_t i = 0; i < f->argument_count; i++) {
        if (f->arguments[i]->op == FRZ_FORMULA_LITERAL)
            continue;
        FRZ_TRY(bind(b, f->arguments[i], wanted, err));
        if (!type && f->arguments[i]->type->kind != FRZ_TYPE_UNKNOWN)
            type = f->arguments[i]->type;
    }
    if (wanted)
        type = wanted;
    if (!type && f->argument_count == 0)
        return frz_fail(err, FRZ_INVALID, f->offset, "coalesce takes one argument or more");
    for (size_t i = 0; i < f->argument_count; i++) {
        if (f->arguments[i]->op == FRZ_FORMULA_LITERAL)
            FRZ_TRY(bind(b, f->arguments[i], type, err));
        if (!type)
            type = f->arguments[i]->type;
        FRZ_TRY(convert(b, &f->arguments[i], type, err));
    }
    f->type = type;
    return FRZ_OK;
}

static frz_status bind_cast(const binder *b, frz_formula *f, frz_error **err)
{
    FRZ_TRY(bind(b, f->arguments[0], NULL, err));
    if (!frz_cast_exists(f->arguments[0]->type, f->type, false))
        return fail_types(f, " has no cast to ", f->arguments[0]->type, f->type, err);
    return FRZ_OK;
}

static frz_status bind(const binder *b, frz_formula *f, const frz_type *wanted, frz_error **err)
{
    switch (f->op) {
    case FRZ_FORMULA_COLUMN:
        f->type = f->reference->type;
        return frz_location_init(&f->location, f->reference, b->columns, b->arena, err);
    case FRZ_FORMULA_LITERAL:
        return bind_literal(b, f, wanted, err);
    case FRZ_FORMULA_NEGATE:
    case FRZ_FORMULA_ADD:
    case FRZ_FORMULA_SUBTRACT:
    case FRZ_FORMULA_MULTIPLY:
    case FRZ_FORMULA_DIVIDE:
    case FRZ_FORMULA_REMAINDER:
        return bind_arithmetic(b, f, err);
    case FRZ_FORMULA_CONCAT:
    case FRZ_FORMULA_UPPER:
    case FRZ_FORMULA_LOWER:
        return bind_text(b, f, err);
    case FRZ_FORMULA_COALESCE:
        return bind_coalesce(b, f, wanted, err);
    case FRZ_FORMULA_CAST:
        return bind_cast(b, f, err);
    }
    return frz_fail(err, FRZ_INVALID, f->offset, "no such operation");
}

frz_status frz_formula_bind(frz_formula *formula, const frz_type *wanted, const frz_type *columns,
                            frz_arena *arena, frz_formula **out, frz_error **err)
{
    const binder b = {columns, arena};
    FRZ_TRY(bind(&b, formula, wanted, err));
    FRZ_TRY(convert(&b, &formula, wanted, err));
    *out = formula;
    return FRZ_OK;
}
