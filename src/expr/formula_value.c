/*
 * Values of formulas, row by row. Integers and decimals are computed in twice their width or with a
 * check, so that what overflows is told and never wraps.
 */
#include <math.h>

#include "base/fail.h"
#include "expr/cast.h"
#include "expr/formula.h"

typedef struct row {
    const struct ArrowArray *batch;
    int64_t index;
    frz_arena *scratch;
} row;

static frz_status evaluate(const frz_formula *f, const row *r, frz_value *out, frz_error **err);

static const char *sign_of(frz_formula_op op)
{
    switch (op) {
    case FRZ_FORMULA_NEGATE:
    case FRZ_FORMULA_SUBTRACT:
        return "-";
    case FRZ_FORMULA_ADD:
        return "+";
    case FRZ_FORMULA_MULTIPLY:
        return "*";
    case FRZ_FORMULA_DIVIDE:
        return "/";
    case FRZ_FORMULA_REMAINDER:
        return "%";
    case FRZ_FORMULA_COLUMN:
    case FRZ_FORMULA_LITERAL:
    case FRZ_FORMULA_CONCAT:
    case FRZ_FORMULA_COALESCE:
    case FRZ_FORMULA_CAST:
    case FRZ_FORMULA_UPPER:
    case FRZ_FORMULA_LOWER:
        break;
    }
    return "?";
}

static frz_status fail_overflow(const frz_formula *f, const frz_value *left, const frz_value *right,
                                frz_error **err)
{
    frz_buffer text = {0};
    frz_value_print(f->arguments[0]->type, left, &text);
    frz_buffer_printf(&text, " %s ", sign_of(f->op));
    frz_value_print(f->arguments[f->argument_count - 1]->type, right, &text);
    const frz_status status =
        text.failed
            ? frz_fail_memory(err)
            : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%.*s leaves the range of %s",
                       (int)text.size, (const char *)text.data, frz_type_word(f->type->kind));
    frz_buffer_clear(&text);
    return status;
}

static bool long_result(frz_formula_op op, int64_t left, int64_t right, int64_t *out)
{
    if (op == FRZ_FORMULA_NEGATE)
        return !__builtin_sub_overflow(INT64_C(0), left, out);
    if (op == FRZ_FORMULA_ADD)
        return !__builtin_add_overflow(left, right, out);
    if (op == FRZ_FORMULA_SUBTRACT)
        return !__builtin_sub_overflow(left, right, out);
    if (op == FRZ_FORMULA_MULTIPLY)
        return !__builtin_mul_overflow(left, right, out);
    if (right == -1) { /* INT64_MIN / -1 has no result */
        *out = 0;
        return op == FRZ_FORMULA_REMAINDER || !__builtin_sub_overflow(INT64_C(0), left, out);
    }
    *out = op == FRZ_FORMULA_DIVIDE ? left / right : left % right;
    return true;
}

/* Rounded half up, away from zero. */
static frz_int128 divide_rounded(frz_int128 left, frz_int128 right)
{
    const frz_int128 whole = left / right;
    const frz_int128 rest = left % right;
    const frz_int128 rest_size = rest < 0 ? -rest : rest;
    const frz_int128 size = right < 0 ? -right : right;
    if (rest_size < size - rest_size)
        return whole;
    return (left < 0) == (right < 0) ? whole + 1 : whole - 1;
}

static bool decimal_divide(const frz_formula *f, frz_int128 left, frz_int128 right, frz_int128 *out)
{
    const int left_scale = f->arguments[0]->type->scale;
    const int right_scale = f->arguments[1]->type->scale;
    frz_int128 scaled = 0;
    /* left / 10^a / (right / 10^b) * 10^s = left * 10^(s + b - a) / right, and s >= a. */
    const int up = f->type->scale + right_scale - left_scale;
    if (up > FRZ_DECIMAL_PRECISION_MAX ||
        __builtin_mul_overflow(left, frz_decimal_power(up), &scaled))
        return false;
    *out = divide_rounded(scaled, right);
    return true;
}

static bool decimal_result(const frz_formula *f, frz_int128 left, frz_int128 right, frz_int128 *out)
{
    const int scale = f->type->scale;
    if (f->op == FRZ_FORMULA_NEGATE) {
        *out = -left;
        return true;
    }
    if (f->op == FRZ_FORMULA_DIVIDE)
        return decimal_divide(f, left, right, out);
    if (f->op == FRZ_FORMULA_MULTIPLY)
        return !__builtin_mul_overflow(left, right, out);
    if (!frz_decimal_rescale(left, f->arguments[0]->type->scale, scale, &left) ||
        !frz_decimal_rescale(right, f->arguments[1]->type->scale, scale, &right))
        return false;
    if (f->op == FRZ_FORMULA_REMAINDER)
        *out = left % right;
    else
        *out = f->op == FRZ_FORMULA_ADD ? left + right : left - right;
    return true;
}

/* Overflow and division by zero are what IEEE 754 says: infinities and NaN are values. */
static double double_result(frz_formula_op op, double left, double right)
{
    if (op == FRZ_FORMULA_NEGATE)
        return -left;
    if (op == FRZ_FORMULA_ADD)
        return left + right;
    if (op == FRZ_FORMULA_SUBTRACT)
        return left - right;
    if (op == FRZ_FORMULA_MULTIPLY)
        return left * right;
    return op == FRZ_FORMULA_DIVIDE ? left / right : fmod(left, right);
}

static bool divides_by_zero(const frz_formula *f, const frz_value *right)
{
    if (f->op != FRZ_FORMULA_DIVIDE && f->op != FRZ_FORMULA_REMAINDER)
        return false;
    return right->form == FRZ_VALUE_DECIMAL ? right->decimal == 0 : right->integer == 0;
}

static frz_status compute(const frz_formula *f, const frz_value *left, const frz_value *right,
                          frz_value *out, frz_error **err)
{
    bool fits = true;
    if (f->type->kind == FRZ_TYPE_DOUBLE) {
        *out = (frz_value){.form = FRZ_VALUE_NUMBER,
                           .number = double_result(f->op, left->number, right->number)};
        return FRZ_OK;
    }
    if (divides_by_zero(f, right))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "division by zero");
    if (f->type->kind == FRZ_TYPE_DECIMAL) {
        frz_int128 made = 0;
        fits = decimal_result(f, left->decimal, right->decimal, &made) &&
               frz_decimal_fits(made, f->type->precision);
        *out = (frz_value){.form = FRZ_VALUE_DECIMAL, .decimal = made};
    } else {
        int64_t made = 0;
        fits = long_result(f->op, left->integer, right->integer, &made);
        *out = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = made};
    }
    return fits ? FRZ_OK : fail_overflow(f, left, right, err);
}

static frz_status arithmetic(const frz_formula *f, const row *r, frz_value *out, frz_error **err)
{
    frz_value left = {.form = FRZ_VALUE_NULL};
    frz_value right = {.form = FRZ_VALUE_NULL};
    FRZ_TRY(evaluate(f->arguments[0], r, &left, err));
    right = left;
    if (f->argument_count > 1)
        FRZ_TRY(evaluate(f->arguments[1], r, &right, err));
    if (left.form == FRZ_VALUE_NULL || right.form == FRZ_VALUE_NULL) {
        *out = (frz_value){.form = FRZ_VALUE_NULL};
        return FRZ_OK;
    }
    return compute(f, &left, &right, out, err);
}

static frz_status concat(const frz_formula *f, const row *r, frz_value *out, frz_error **err)
{
    frz_value left = {.form = FRZ_VALUE_NULL};
    frz_value right = {.form = FRZ_VALUE_NULL};
    FRZ_TRY(evaluate(f->arguments[0], r, &left, err));
    FRZ_TRY(evaluate(f->arguments[1], r, &right, err));
    *out = (frz_value){.form = FRZ_VALUE_NULL};
    if (left.form == FRZ_VALUE_NULL || right.form == FRZ_VALUE_NULL)
        return FRZ_OK;
    const size_t size = left.bytes.size + right.bytes.size;
    uint8_t *text = frz_arena_alloc(r->scratch, size + 1);
    if (!text)
        return frz_fail_memory(err);
    if (left.bytes.size > 0)
        memcpy(text, left.bytes.data, left.bytes.size);
    if (right.bytes.size > 0)
        memcpy(text + left.bytes.size, right.bytes.data, right.bytes.size);
    *out = (frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of(text, size)};
    return FRZ_OK;
}

static uint8_t changed_case(uint8_t c, bool upper)
{
    if (upper)
        return c >= 'a' && c <= 'z' ? (uint8_t)(c - 'a' + 'A') : c;
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c - 'A' + 'a') : c;
}

static frz_status change_case(const frz_formula *f, const row *r, frz_value *out, frz_error **err)
{
    frz_value from = {.form = FRZ_VALUE_NULL};
    FRZ_TRY(evaluate(f->arguments[0], r, &from, err));
    *out = from;
    if (from.form == FRZ_VALUE_NULL)
        return FRZ_OK;
    uint8_t *text = frz_arena_alloc(r->scratch, from.bytes.size + 1);
    if (!text)
        return frz_fail_memory(err);
    for (size_t i = 0; i < from.bytes.size; i++)
        text[i] = changed_case(from.bytes.data[i], f->op == FRZ_FORMULA_UPPER);
    out->bytes = frz_slice_of(text, from.bytes.size);
    return FRZ_OK;
}

static frz_status coalesce(const frz_formula *f, const row *r, frz_value *out, frz_error **err)
{
    *out = (frz_value){.form = FRZ_VALUE_NULL};
    for (size_t i = 0; i < f->argument_count && out->form == FRZ_VALUE_NULL; i++)
        FRZ_TRY(evaluate(f->arguments[i], r, out, err));
    return FRZ_OK;
}

static frz_status cast(const frz_formula *f, const row *r, frz_value *out, frz_error **err)
{
    frz_value from = {.form = FRZ_VALUE_NULL};
    FRZ_TRY(evaluate(f->arguments[0], r, &from, err));
    return frz_cast(f->arguments[0]->type, f->type, f->exact, &from, r->scratch, out, err);
}

static frz_status evaluate(const frz_formula *f, const row *r, frz_value *out, frz_error **err)
{
    switch (f->op) {
    case FRZ_FORMULA_COLUMN:
        *out = frz_location_value(&f->location, r->batch, r->index);
        return FRZ_OK;
    case FRZ_FORMULA_LITERAL:
        *out = f->value;
        return FRZ_OK;
    case FRZ_FORMULA_NEGATE:
    case FRZ_FORMULA_ADD:
    case FRZ_FORMULA_SUBTRACT:
    case FRZ_FORMULA_MULTIPLY:
    case FRZ_FORMULA_DIVIDE:
    case FRZ_FORMULA_REMAINDER:
        return arithmetic(f, r, out, err);
    case FRZ_FORMULA_CONCAT:
        return concat(f, r, out, err);
    case FRZ_FORMULA_COALESCE:
        return coalesce(f, r, out, err);
    case FRZ_FORMULA_CAST:
        return cast(f, r, out, err);
    case FRZ_FORMULA_UPPER:
    case FRZ_FORMULA_LOWER:
        return change_case(f, r, out, err);
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no such operation");
}

frz_status frz_formula_value(const frz_formula *formula, const struct ArrowArray *batch,
                             int64_t row_index, frz_arena *scratch, frz_value *out, frz_error **err)
{
    const row r = {batch, row_index, scratch};
    return evaluate(formula, &r, out, err);
}
