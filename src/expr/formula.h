/*
 * Formulas: what a column is set to, from the values of a row.
 *
 *     formula = sum { "||" sum };  sum = product { ("+" | "-") product }
 *     product = sign { ("*" | "/" | "%") sign };  sign = { "-" | "+" } operand
 *     operand = literal | column | "(" formula ")" | cast(formula as TYPE)
 *             | coalesce(formula, ...) | upper(formula) | lower(formula)
 *             | size(column)
 *
 * Literals and columns are those of expr/expression.h. A literal takes the type it is used with;
 * alone it is a long, a decimal, a double (with an exponent), a string, and so on.
 *
 * Numbers: int and long compute as long; a decimal on either side as decimal, exactly, a float or
 * double on either side as double. `/` of longs drops the remainder, of decimals it has the larger
 * scale of both and at least 6, rounded half up. What leaves the range of its type, and a division
 * of integers or decimals by zero, is an error, never a wrong value. Null in gives null out.
 *
 * A value becomes the type it is wanted as where that is exact for it: a long an int that holds it,
 * a decimal one with fewer digits behind the point where those are zero; float and double round to
 * the nearest. Everything else is refused; cast converts more (expr/cast.h).
 *
 * upper and lower change the letters of ASCII.
 *
 * Trees live in an arena; a tree that was bound is immutable.
 */
#ifndef FRZ_EXPR_FORMULA_H
#define FRZ_EXPR_FORMULA_H

#include "expr/literal.h"
#include "expr/location.h"

typedef enum frz_formula_op {
    FRZ_FORMULA_COLUMN,
    FRZ_FORMULA_LITERAL,
    FRZ_FORMULA_NEGATE,
    FRZ_FORMULA_ADD,
    FRZ_FORMULA_SUBTRACT,
    FRZ_FORMULA_MULTIPLY,
    FRZ_FORMULA_DIVIDE,
    FRZ_FORMULA_REMAINDER,
    FRZ_FORMULA_CONCAT,
    FRZ_FORMULA_COALESCE,
    FRZ_FORMULA_CAST,
    FRZ_FORMULA_UPPER,
    FRZ_FORMULA_LOWER
} frz_formula_op;

typedef struct frz_formula {
    frz_formula_op op;
    bool exact;      /* CAST: made by a conversion that nobody asked for: nothing may be lost */
    uint64_t offset; /* in the text, for messages */
    const frz_type *type; /* of its values, once bound; for a cast from the start */
    struct frz_formula **arguments;
    size_t argument_count;
    const frz_reference *reference; /* COLUMN */
    frz_location location;          /* COLUMN, once bound */
    frz_literal literal;            /* LITERAL */
    frz_value value;                /* LITERAL, once bound */
} frz_formula;

/* Parses one formula from `*at` on, and moves *at to what follows it. FRZ_INVALID has the offset.
 */
FRZ_MUST_CHECK frz_status frz_formula_parse(frz_slice text, size_t *at, const frz_expr_scope *scope,
                                            frz_arena *arena, frz_formula **out, frz_error **err);

/*
 * Gives every part its type and makes the whole one of `wanted`. `columns` is the struct type of
 * the batches it will be evaluated on (it must outlive the formula). FRZ_INVALID, with the offset
 * of the part, for types that do not go together or a literal that is no value of its type.
 */
FRZ_MUST_CHECK frz_status frz_formula_bind(frz_formula *formula, const frz_type *wanted,
                                           const frz_type *columns, frz_arena *arena,
                                           frz_formula **out, frz_error **err);

/* The value for one row, of the formula's type. Bytes are borrowed from the batch, the formula or
 * `scratch`. FRZ_INVALID when the row has no right value; the caller names the row. */
FRZ_MUST_CHECK frz_status frz_formula_value(const frz_formula *formula,
                                            const struct ArrowArray *batch, int64_t row,
                                            frz_arena *scratch, frz_value *out, frz_error **err);

#endif
