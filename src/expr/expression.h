/*
 * Predicates over the columns of a table: the tree as parsed (names) and as bound (field ids).
 *
 * Rows follow SQL's three-valued logic. NaN is the greatest value and equals itself, -0.0 = 0.0;
 * strings, uuids and binaries order by unsigned bytes. A filter keeps rows for which the result is
 * true. IS NULL and IS NAN are never unknown: a null is not NaN, so NOT NAN is true for it.
 *
 * The language (keywords in any case):
 *
 *     expression = term { OR term }
 *     term       = factor { AND factor }
 *     factor     = { NOT } ( "(" expression ")" | test )
 *     test       = operand | TRUE | FALSE | NULL | isnan(column)
 *                | operand ( = | == | != | <> | < | <= | > | >= ) operand  (not two literals)
 *                | operand [NOT] IN (literal, ...)
 *                | operand [NOT] BETWEEN literal AND literal
 *                | operand [NOT] LIKE 'pattern' [ESCAPE 'c']
 *                | operand [NOT] STARTS WITH 'prefix'
 *                | operand IS [NOT] NULL | operand IS [NOT] NAN
 *     operand    = column | size(column) | literal
 *     column     = name { "." name | "[" index "]" | "[" key "]" }
 *     name       = word | "any ""text""" | `any text`
 *     literal    = TRUE | FALSE | NULL | number | 'text, '' for a quote' | X'hex' | WORD 'text'
 *
 * Two columns compare when they are of one type; int and long, float and double, and decimals of
 * one scale do too.
 *
 * size(column) is the number of elements of a list or of entries of a map, an int; of a null it is
 * null, as in Spark with ANSI mode.
 *
 * WORD is date, time, timestamp, timestamptz, timestamp_ns, timestamptz_ns or uuid. Text without a
 * word takes the column's type; a timestamp without a zone is UTC for a timestamptz column. In a
 * LIKE pattern `%` is any run of characters, `_` is one; the escape character (backslash unless
 * ESCAPE names another) makes the next
 * `%`, `_` or itself literal.
 *
 * Trees are immutable and live in an arena.
 */
#ifndef FRZ_EXPR_EXPRESSION_H
#define FRZ_EXPR_EXPRESSION_H

#include "spec/schema.h"

typedef enum frz_expr_op {
    FRZ_EXPR_TRUE,
    FRZ_EXPR_FALSE,
    FRZ_EXPR_AND,
    FRZ_EXPR_OR,
    FRZ_EXPR_NOT,
    FRZ_EXPR_IS_NULL,
    FRZ_EXPR_NOT_NULL,
    FRZ_EXPR_IS_NAN,
    FRZ_EXPR_NOT_NAN,
    FRZ_EXPR_LT,
    FRZ_EXPR_LE,
    FRZ_EXPR_GT,
    FRZ_EXPR_GE,
    FRZ_EXPR_EQ,
    FRZ_EXPR_NE,
    FRZ_EXPR_IN,
    FRZ_EXPR_NOT_IN,
    FRZ_EXPR_STARTS_WITH,
    FRZ_EXPR_NOT_STARTS_WITH,
    FRZ_EXPR_LIKE, /* general pattern: % and _ anywhere */
    FRZ_EXPR_NOT_LIKE
} frz_expr_op;

/* One step into a value: a struct field, a list element, a map value, or how many it has. */
typedef enum frz_step_kind {
    FRZ_STEP_FIELD,
    FRZ_STEP_ELEMENT, /* list[index]; null when out of range */
    FRZ_STEP_KEY,     /* map[key]; null when absent */
    FRZ_STEP_SIZE     /* size(list), size(map); always the last step */
} frz_step_kind;

typedef struct frz_step {
    frz_step_kind kind;
    int32_t field_id; /* FIELD; also the element or value field for the others */
    int64_t index;    /* ELEMENT, 0-based */
    frz_value key;    /* KEY */
} frz_step;

/* A bound reference to a column. Metadata columns are bound too, by their reserved ids. */
typedef struct frz_reference {
    const char *path; /* as to print it */
    int32_t field_id; /* of the value referred to */
    const frz_type *type;
    bool required; /* never null, parents included */
    bool direct;   /* struct fields only: bounds and statistics of field_id apply; false below
                      _partition,   whose ids are partition field ids, a space of their own */
    const frz_step *steps; /* from the row; steps[0] is a top-level FIELD */
    size_t step_count;
} frz_reference;

typedef struct frz_expr {
    frz_expr_op op;
    const struct frz_expr *left;    /* AND, OR, NOT */
    const struct frz_expr *right;   /* AND, OR */
    const frz_reference *reference; /* leaves */
    const frz_value
        *values; /* one for comparisons; sorted and distinct for IN; pattern bytes for LIKE */
    size_t value_count;
    const frz_reference *other; /* LT .. NE of two columns: the right one, in place of a value */
} frz_expr;

/* What names can mean. */
typedef struct frz_expr_scope {
    const frz_schema *schema;
    const frz_type *partition_type; /* of _partition; NULL when there is none */
    bool case_sensitive;
    bool metadata_columns; /* _file, _pos, ... are known, behind the schema's own names */
} frz_expr_scope;

/*
 * Parses `text` and binds it to the scope. Literals take the column's type; one that cannot is
 * FRZ_INVALID, or decides the comparison where that is exact (int column > 5000000000 is FALSE, int
 * column < 5000000000 is NOT NULL). FRZ_INVALID has the byte of the text as offset and names near
 * columns. The result is in negation normal form, without NOT; as it is a filter, a test that is
 * never true (= NULL, NOT IN with a null) is FALSE. Its values are never null.
 */
FRZ_MUST_CHECK frz_status frz_expr_parse(frz_slice text, const frz_expr_scope *scope,
                                         frz_arena *arena, const frz_expr **out, frz_error **err);

/* The same tree over another schema of the same table (by field id), for a scan of an old snapshot
 * or a re-evaluation after the schema changed. FRZ_INVALID names a column that the other schema
 * lacks. */
FRZ_MUST_CHECK frz_status frz_expr_rebind(const frz_expr *expr, const frz_schema *schema,
                                          frz_arena *arena, const frz_expr **out, frz_error **err);

/* Text that parses to the same tree. */
void frz_expr_print(const frz_expr *expr, frz_buffer *out);

/* The operation that is true where this one is false: LT and GE, IN and NOT_IN, AND and OR, ... */
frz_expr_op frz_expr_op_negate(frz_expr_op op);

/*
 * Constants and constructors that simplify (x AND true = x). NULL when memory is short, or an
 * operand is NULL. `not` pushes down to the leaves.
 */
extern const frz_expr frz_expr_true;
extern const frz_expr frz_expr_false;
const frz_expr *frz_expr_and(const frz_expr *left, const frz_expr *right, frz_arena *arena);
const frz_expr *frz_expr_or(const frz_expr *left, const frz_expr *right, frz_arena *arena);
const frz_expr *frz_expr_not(const frz_expr *expr, frz_arena *arena);
const frz_expr *frz_expr_leaf(frz_expr_op op, const frz_reference *reference,
                              const frz_value *values, size_t value_count, frz_arena *arena);
/* LT .. NE of two columns. */
const frz_expr *frz_expr_pair(frz_expr_op op, const frz_reference *left, const frz_reference *right,
                              frz_arena *arena);

/* The top-level field ids that the rows' evaluation reads, ascending, distinct. */
FRZ_MUST_CHECK frz_status frz_expr_columns(const frz_expr *expr, frz_arena *arena,
                                           const int32_t **ids_out, size_t *count_out,
                                           frz_error **err);

#endif
