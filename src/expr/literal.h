/*
 * Literals of the expression language, and their conversion to a column's type.
 *
 * A literal is exact: it may lie between two neighbouring values of the column's type (2.5 for int,
 * a nanosecond for a timestamp in microseconds) or outside of its range. Conversion tells where, so
 * that a comparison is decided exactly (frz_expr_bind in expr/bind.h).
 */
#ifndef FRZ_EXPR_LITERAL_H
#define FRZ_EXPR_LITERAL_H

#include "expr/expression.h"

typedef enum frz_literal_kind {
    FRZ_LITERAL_NULL,
    FRZ_LITERAL_BOOLEAN,
    FRZ_LITERAL_NUMBER,
    FRZ_LITERAL_TEXT,
    FRZ_LITERAL_DATE,
    FRZ_LITERAL_TIME,
    FRZ_LITERAL_TIMESTAMP,
    FRZ_LITERAL_UUID,
    FRZ_LITERAL_BYTES
} frz_literal_kind;

typedef struct frz_literal {
    frz_literal_kind kind;
    uint64_t offset; /* of its first byte in the expression, for messages */
    bool boolean;
    bool zoned;      /* TIMESTAMP: a zone was given */
    int32_t nanos;   /* DATE, TIMESTAMP: within the second, 0..999999999 */
    int64_t seconds; /* DATE, TIMESTAMP: since the epoch, floored */
    int64_t micros;  /* TIME */
    frz_slice bytes; /* NUMBER: its digits; TEXT; UUID: 16 bytes; BYTES */
} frz_literal;

/* Where the literal is, seen from the value it was converted to. */
typedef enum frz_literal_side {
    FRZ_SIDE_EQUAL,
    FRZ_SIDE_ABOVE,     /* above the value, below the next one of the type */
    FRZ_SIDE_BELOW,     /* below the value, above the one before */
    FRZ_SIDE_ABOVE_ALL, /* above every value of the type; the value is not set */
    FRZ_SIDE_BELOW_ALL
} frz_literal_side;

/*
 * WORD 'text': `word` in any case is date, time, timestamp[tz][_ns] or uuid; false when it is
 * another. The literal's text must fit its word (FRZ_INVALID with `literal->offset`).
 */
bool frz_literal_is_word(frz_slice word);
FRZ_MUST_CHECK frz_status frz_literal_parse_typed(frz_slice word, frz_slice text, frz_arena *arena,
                                                  frz_literal *literal, frz_error **err);

/* FRZ_INVALID when a literal of this kind is none of `type`, a primitive type. Never for NULL
 * literals (the caller's case). Bytes of *out point into the literal or `arena`. */
FRZ_MUST_CHECK frz_status frz_literal_convert(const frz_literal *literal, const frz_type *type,
                                              frz_arena *arena, frz_value *out,
                                              frz_literal_side *side_out, frz_error **err);

/* The literal that converts to `value` of `type`, for another type of the column. */
FRZ_MUST_CHECK frz_status frz_literal_from(const frz_type *type, const frz_value *value,
                                           frz_arena *arena, frz_literal *out, frz_error **err);

/* Appends the literal that converts back to `value` of `type`. */
void frz_literal_print(const frz_type *type, const frz_value *value, frz_buffer *out);

#endif
