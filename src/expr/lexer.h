/*
 * Tokens of the expression language (grammar in expr/expression.h).
 */
#ifndef FRZ_EXPR_LEXER_H
#define FRZ_EXPR_LEXER_H

#include "base/arena.h"
#include "frazil/error.h"

typedef enum frz_token_kind {
    FRZ_TOKEN_END,
    FRZ_TOKEN_WORD,   /* a bare name or keyword */
    FRZ_TOKEN_QUOTED, /* a name in "" or ``, its text without the quotes */
    FRZ_TOKEN_TEXT,   /* 'text', its text without the quotes */
    FRZ_TOKEN_BYTES,  /* X'hex', decoded */
    FRZ_TOKEN_NUMBER, /* with its sign */
    FRZ_TOKEN_EQ,
    FRZ_TOKEN_NE,
    FRZ_TOKEN_LT,
    FRZ_TOKEN_LE,
    FRZ_TOKEN_GT,
    FRZ_TOKEN_GE,
    FRZ_TOKEN_OPEN,
    FRZ_TOKEN_CLOSE,
    FRZ_TOKEN_OPEN_BRACKET,
    FRZ_TOKEN_CLOSE_BRACKET,
    FRZ_TOKEN_COMMA,
    FRZ_TOKEN_DOT
} frz_token_kind;

typedef struct frz_token {
    frz_token_kind kind;
    size_t offset;  /* of the first byte */
    size_t end;     /* behind the last byte */
    frz_slice text; /* points into the source, or into the arena when it was decoded */
} frz_token;

/* The token at or behind `offset` of `source`. FRZ_INVALID with the offset of the fault. */
FRZ_MUST_CHECK frz_status frz_token_next(frz_slice source, size_t offset, frz_arena *arena,
                                         frz_token *out, frz_error **err);

/* Whether the token is this keyword (given in lower case), in any case of letters. */
bool frz_token_is(const frz_token *token, const char *keyword);

/* Whether a name can stand bare: a word that is no reserved keyword. */
bool frz_name_is_bare(const char *name);

#endif
