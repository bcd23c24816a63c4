/*
 * The tokens of DDL text: words, quoted names, strings, numbers and single characters, each with
 * its column for messages.
 */
#ifndef FRZ_SPEC_DDL_LEXER_H
#define FRZ_SPEC_DDL_LEXER_H

#include "base/arena.h"
#include "frazil/error.h"

typedef enum frz_ddl_kind {
    FRZ_DDL_END,
    FRZ_DDL_WORD,   /* letters, digits, _ and all beyond ASCII; begins with no digit */
    FRZ_DDL_NAME,   /* between " or `, which are doubled inside */
    FRZ_DDL_STRING, /* between ', doubled inside */
    FRZ_DDL_NUMBER, /* begins with a digit or a point, has no sign; 0x.. too */
    FRZ_DDL_SYMBOL  /* one character */
} frz_ddl_kind;

typedef struct frz_ddl_token {
    frz_ddl_kind kind;
    size_t offset;
    frz_slice raw;    /* as it stands */
    const char *text; /* in the arena: what stands between the quotes, else the same */
} frz_ddl_token;

/* Invariant: `token` is the next one, not yet taken. */
typedef struct frz_ddl_lexer {
    frz_slice text; /* borrowed */
    size_t pos;     /* behind `token` */
    frz_ddl_token token;
    frz_arena *arena;
    const char *what; /* "schema", "partition", "sort": begins messages */
} frz_ddl_lexer;

/* FRZ_INVALID when the text is no UTF-8, holds a zero byte, or its first token is broken. */
FRZ_MUST_CHECK frz_status frz_ddl_open(const char *what, frz_slice text, frz_arena *arena,
                                       frz_ddl_lexer *out, frz_error **err);

/* Goes on to the next token. */
FRZ_MUST_CHECK frz_status frz_ddl_advance(frz_ddl_lexer *lexer, frz_error **err);

bool frz_ddl_at_symbol(const frz_ddl_lexer *lexer, char symbol);
/* Words of any case. */
bool frz_ddl_at_word(const frz_ddl_lexer *lexer, const char *word);

/* Takes the symbol or word when it is next. */
FRZ_MUST_CHECK frz_status frz_ddl_accept_symbol(frz_ddl_lexer *lexer, char symbol, bool *taken_out,
                                                frz_error **err);
FRZ_MUST_CHECK frz_status frz_ddl_accept_word(frz_ddl_lexer *lexer, const char *word,
                                              bool *taken_out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_ddl_expect_symbol(frz_ddl_lexer *lexer, char symbol, frz_error **err);
FRZ_MUST_CHECK frz_status frz_ddl_expect_word(frz_ddl_lexer *lexer, const char *word,
                                              frz_error **err);
/* A word or a quoted name, not empty; `role` names it in messages: "a column name". */
FRZ_MUST_CHECK frz_status frz_ddl_take_name(frz_ddl_lexer *lexer, const char *role,
                                            const char **out, frz_error **err);

/* FRZ_INVALID at the next token: expected `what`, got it. */
frz_status frz_ddl_expected(const frz_ddl_lexer *lexer, const char *what, frz_error **err);

#endif
