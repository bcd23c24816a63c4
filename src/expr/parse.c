/*
 * The recursive descent of the grammar in expr/expression.h. NOT is pushed down while parsing
 * (`negate`), so that each leaf is bound as the operation that it is; chains of AND and OR become
 * balanced trees, so that a chain of any length stays shallow.
 */
#include <strings.h>

#include "base/fail.h"
#include "base/limits.h"
#include "expr/bind.h"
#include "expr/lexer.h"
#include "expr/like.h"
#include "expr/reference.h"

typedef struct parser {
    frz_slice source;
    const frz_expr_scope *scope;
    frz_arena *arena;
    frz_token token; /* the next one */
    uint32_t depth;
} parser;

/* What stands on a side of a comparison: a column when `reference` is set, else a literal. */
typedef struct operand {
    const frz_reference *reference;
    frz_literal literal;
    uint64_t offset;
} operand;

/* A growing array in the arena. */
typedef struct list {
    void *items;
    size_t count;
    size_t capacity;
    size_t item_size;
} list;

static void *list_add(list *l, frz_arena *arena)
{
    if (l->count == l->capacity) {
        const size_t capacity = l->capacity ? l->capacity * 2 : 4;
        uint8_t *grown = frz_arena_array(arena, capacity, l->item_size);
        if (!grown)
            return NULL;
        if (l->count)
            memcpy(grown, l->items, l->count * l->item_size);
        l->items = grown;
        l->capacity = capacity;
    }
    return (uint8_t *)l->items + l->count++ * l->item_size;
}

static frz_status advance(parser *p, frz_error **err)
{
    return frz_token_next(p->source, p->token.end, p->arena, &p->token, err);
}

static frz_status fail_expected(const parser *p, const char *expected, frz_error **err)
{
    if (p->token.kind == FRZ_TOKEN_END)
        return frz_fail(err, FRZ_INVALID, p->token.offset, "expected %s, got the end", expected);
    return frz_fail(err, FRZ_INVALID, p->token.offset, "expected %s, got %.*s", expected,
                    (int)(p->token.end - p->token.offset),
                    (const char *)p->source.data + p->token.offset);
}

static frz_status expect(parser *p, frz_token_kind kind, const char *what, frz_error **err)
{
    if (p->token.kind != kind)
        return fail_expected(p, what, err);
    return advance(p, err);
}

static frz_status expect_word(parser *p, const char *word, const char *what, frz_error **err)
{
    if (!frz_token_is(&p->token, word))
        return fail_expected(p, what, err);
    return advance(p, err);
}

/* Takes the keyword when it comes next. */
static frz_status accept_word(parser *p, const char *word, bool *taken, frz_error **err)
{
    *taken = frz_token_is(&p->token, word);
    return *taken ? advance(p, err) : FRZ_OK;
}

static bool is_literal_kind(const frz_token *token)
{
    return token->kind == FRZ_TOKEN_NUMBER || token->kind == FRZ_TOKEN_TEXT ||
           token->kind == FRZ_TOKEN_BYTES || frz_token_is(token, "true") ||
           frz_token_is(token, "false") || frz_token_is(token, "null");
}

/* Whether the token behind the next one is text: `date '...'` and not a column named date. */
static frz_status text_follows(parser *p, frz_token *text, bool *follows, frz_error **err)
{
    *follows = false;
    if (p->token.kind != FRZ_TOKEN_WORD || !frz_literal_is_word(p->token.text))
        return FRZ_OK;
    FRZ_TRY(frz_token_next(p->source, p->token.end, p->arena, text, err));
    *follows = text->kind == FRZ_TOKEN_TEXT;
    return FRZ_OK;
}

/* A literal when one comes next; *found tells. */
static frz_status parse_literal(parser *p, frz_literal *out, bool *found, frz_error **err)
{
    frz_token text;
    frz_literal literal = {.offset = p->token.offset, .bytes = p->token.text};
    FRZ_TRY(text_follows(p, &text, found, err));
    if (*found) {
        FRZ_TRY(frz_literal_parse_typed(p->token.text, text.text, p->arena, &literal, err));
        p->token = text;
    } else if (!is_literal_kind(&p->token)) {
        return FRZ_OK;
    } else if (p->token.kind == FRZ_TOKEN_NUMBER) {
        literal.kind = FRZ_LITERAL_NUMBER;
    } else if (p->token.kind == FRZ_TOKEN_TEXT) {
        literal.kind = FRZ_LITERAL_TEXT;
    } else if (p->token.kind == FRZ_TOKEN_BYTES) {
        literal.kind = FRZ_LITERAL_BYTES;
    } else if (frz_token_is(&p->token, "null")) {
        literal.kind = FRZ_LITERAL_NULL;
    } else {
        literal.kind = FRZ_LITERAL_BOOLEAN;
        literal.boolean = frz_token_is(&p->token, "true");
    }
    *found = true;
    *out = literal;
    return advance(p, err);
}

static frz_status require_literal(parser *p, frz_literal *out, frz_error **err)
{
    bool found = false;
    FRZ_TRY(parse_literal(p, out, &found, err));
    return found ? FRZ_OK : fail_expected(p, "a literal", err);
}

static bool is_name(const frz_token *token)
{
    if (token->kind == FRZ_TOKEN_QUOTED)
        return true;
    char name[16];
    if (token->kind != FRZ_TOKEN_WORD)
        return false;
    if (token->text.size >= sizeof name)
        return true; /* longer than every keyword */
    memcpy(name, token->text.data, token->text.size);
    name[token->text.size] = '\0';
    return frz_name_is_bare(name);
}

static frz_status parse_subscript(parser *p, frz_name_part *part, frz_error **err)
{
    FRZ_TRY(advance(p, err));
    part->is_subscript = true;
    part->offset = p->token.offset;
    FRZ_TRY(require_literal(p, &part->subscript, err));
    return expect(p, FRZ_TOKEN_CLOSE_BRACKET, "]", err);
}

static frz_status parse_name(parser *p, frz_name_part *part, frz_error **err)
{
    if (!is_name(&p->token))
        return fail_expected(p, "a column or a literal", err);
    part->offset = p->token.offset;
    part->name = p->token.text;
    FRZ_TRY(advance(p, err));
    if (p->token.kind == FRZ_TOKEN_OPEN)
        return frz_fail(err, FRZ_INVALID, part->offset,
                        "no function %.*s; there are isnan(column) and size(column)",
                        (int)part->name.size, (const char *)part->name.data);
    return FRZ_OK;
}

/* One part behind the first: .name or [subscript]. */
static frz_status parse_step(parser *p, frz_name_part *part, frz_error **err)
{
    if (p->token.kind == FRZ_TOKEN_OPEN_BRACKET)
        return parse_subscript(p, part, err);
    FRZ_TRY(advance(p, err));
    return parse_name(p, part, err);
}

static frz_status parse_column(parser *p, const frz_reference **out, frz_error **err)
{
    list parts = {.item_size = sizeof(frz_name_part)};
    do {
        frz_name_part *part = list_add(&parts, p->arena);
        if (!part)
            return frz_fail_memory(err);
        if (parts.count > frz_limits_default.nesting_depth)
            return frz_fail(err, FRZ_UNSUPPORTED, p->token.offset,
                            "the name has more than %u parts (limit nesting_depth)",
                            frz_limits_default.nesting_depth);
        FRZ_TRY(parts.count == 1 ? parse_name(p, part, err) : parse_step(p, part, err));
    } while (p->token.kind == FRZ_TOKEN_DOT || p->token.kind == FRZ_TOKEN_OPEN_BRACKET);
    return frz_reference_resolve(p->scope, parts.items, parts.count, p->arena, out, err);
}

/* Whether `word` comes next as a function, and not as a column of that name. */
static frz_status call_follows(const parser *p, const char *word, bool *follows, frz_error **err)
{
    frz_token next = {0};
    *follows = false;
    if (!frz_token_is(&p->token, word))
        return FRZ_OK;
    FRZ_TRY(frz_token_next(p->source, p->token.end, p->arena, &next, err));
    *follows = next.kind == FRZ_TOKEN_OPEN;
    return FRZ_OK;
}

static frz_status parse_size(parser *p, const frz_reference **out, frz_error **err)
{
    const frz_reference *column = NULL;
    const uint64_t offset = p->token.offset;
    FRZ_TRY(advance(p, err));
    FRZ_TRY(expect(p, FRZ_TOKEN_OPEN, "( behind size", err));
    FRZ_TRY(parse_column(p, &column, err));
    FRZ_TRY(expect(p, FRZ_TOKEN_CLOSE, ")", err));
    return frz_reference_size(column, offset, p->arena, out, err);
}

static frz_status parse_operand(parser *p, operand *out, frz_error **err)
{
    bool found = false;
    operand parsed = {.offset = p->token.offset};
    FRZ_TRY(call_follows(p, "size", &found, err));
    if (found) {
        FRZ_TRY(parse_size(p, &parsed.reference, err));
        *out = parsed;
        return FRZ_OK;
    }
    FRZ_TRY(parse_literal(p, &parsed.literal, &found, err));
    if (!found)
        FRZ_TRY(parse_column(p, &parsed.reference, err));
    *out = parsed;
    return FRZ_OK;
}

/* Gives a fault that has no offset the one of the column it is about. Takes `fault`. */
static frz_status point_at(uint64_t column_offset, frz_status status, frz_error *fault,
                           frz_error **err)
{
    uint64_t offset = 0;
    if (status == FRZ_INVALID && !frz_error_offset(fault, &offset)) {
        (void)frz_fail(err, status, column_offset, "%s", frz_error_message(fault));
        frz_error_free(fault);
    } else if (err && !*err) {
        *err = fault;
    } else {
        frz_error_free(fault);
    }
    return status;
}

/* Binds a test of `column`; what the column is at fault for has its offset. */
static frz_status bind(parser *p, const operand *column, frz_column_test test, const frz_expr **out,
                       frz_error **err)
{
    frz_error *fault = NULL;
    test.reference = column->reference;
    const frz_status status = frz_expr_bind(&test, p->arena, out, &fault);
    return status == FRZ_OK ? FRZ_OK : point_at(column->offset, status, fault, err);
}

static frz_status bind_pair(parser *p, frz_expr_op op, const operand *left, const operand *right,
                            const frz_expr **out, frz_error **err)
{
    frz_error *fault = NULL;
    const frz_status status =
        frz_expr_bind_pair(op, left->reference, right->reference, p->arena, out, &fault);
    return status == FRZ_OK ? FRZ_OK : point_at(right->offset, status, fault, err);
}

static frz_status bind_one(parser *p, frz_expr_op op, const operand *column,
                           const frz_literal *literal, const frz_expr **out, frz_error **err)
{
    return bind(p, column,
                (frz_column_test){.op = op, .literals = literal, .literal_count = literal != NULL},
                out, err);
}

static frz_expr_op comparison_of(frz_token_kind kind)
{
    switch (kind) {
    case FRZ_TOKEN_EQ:
        return FRZ_EXPR_EQ;
    case FRZ_TOKEN_NE:
        return FRZ_EXPR_NE;
    case FRZ_TOKEN_LT:
        return FRZ_EXPR_LT;
    case FRZ_TOKEN_LE:
        return FRZ_EXPR_LE;
    case FRZ_TOKEN_GT:
        return FRZ_EXPR_GT;
    case FRZ_TOKEN_GE:
        return FRZ_EXPR_GE;
    case FRZ_TOKEN_END:
    case FRZ_TOKEN_WORD:
    case FRZ_TOKEN_QUOTED:
    case FRZ_TOKEN_TEXT:
    case FRZ_TOKEN_BYTES:
    case FRZ_TOKEN_NUMBER:
    case FRZ_TOKEN_OPEN:
    case FRZ_TOKEN_CLOSE:
    case FRZ_TOKEN_OPEN_BRACKET:
    case FRZ_TOKEN_CLOSE_BRACKET:
    case FRZ_TOKEN_COMMA:
    case FRZ_TOKEN_DOT:
        break;
    }
    return FRZ_EXPR_TRUE;
}

/* `literal op column` as `column op literal`. */
static frz_expr_op swapped(frz_expr_op op)
{
    if (op == FRZ_EXPR_LT)
        return FRZ_EXPR_GT;
    if (op == FRZ_EXPR_LE)
        return FRZ_EXPR_GE;
    if (op == FRZ_EXPR_GT)
        return FRZ_EXPR_LT;
    return op == FRZ_EXPR_GE ? FRZ_EXPR_LE : op;
}

static frz_status parse_comparison(parser *p, const operand *left, bool negate,
                                   const frz_expr **out, frz_error **err)
{
    operand right;
    frz_expr_op op = comparison_of(p->token.kind);
    FRZ_TRY(advance(p, err));
    FRZ_TRY(parse_operand(p, &right, err));
    if (left->reference && right.reference)
        return bind_pair(p, negate ? frz_expr_op_negate(op) : op, left, &right, out, err);
    if (!left->reference && !right.reference)
        return frz_fail(err, FRZ_INVALID, left->offset,
                        "expected a column on one side of the comparison, got two literals");
    const bool swap = right.reference != NULL;
    if (swap)
        op = swapped(op);
    if (negate)
        op = frz_expr_op_negate(op);
    return bind_one(p, op, swap ? &right : left, swap ? &left->literal : &right.literal, out, err);
}

static frz_status parse_in(parser *p, const operand *column, bool negate, const frz_expr **out,
                           frz_error **err)
{
    list literals = {.item_size = sizeof(frz_literal)};
    FRZ_TRY(expect(p, FRZ_TOKEN_OPEN, "( behind IN", err));
    for (bool more = true; more;) {
        frz_literal *literal = list_add(&literals, p->arena);
        if (!literal)
            return frz_fail_memory(err);
        FRZ_TRY(require_literal(p, literal, err));
        more = p->token.kind == FRZ_TOKEN_COMMA;
        if (more)
            FRZ_TRY(advance(p, err));
    }
    FRZ_TRY(expect(p, FRZ_TOKEN_CLOSE, ", or )", err));
    return bind(p, column,
                (frz_column_test){.op = negate ? FRZ_EXPR_NOT_IN : FRZ_EXPR_IN,
                                  .literals = literals.items,
                                  .literal_count = literals.count},
                out, err);
}

static frz_status parse_between(parser *p, const operand *column, bool negate, const frz_expr **out,
                                frz_error **err)
{
    frz_literal low = {0};
    frz_literal high = {0};
    const frz_expr *left = NULL;
    const frz_expr *right = NULL;
    FRZ_TRY(require_literal(p, &low, err));
    FRZ_TRY(expect_word(p, "and", "AND behind the lower bound of BETWEEN", err));
    FRZ_TRY(require_literal(p, &high, err));
    FRZ_TRY(bind_one(p, negate ? FRZ_EXPR_LT : FRZ_EXPR_GE, column, &low, &left, err));
    FRZ_TRY(bind_one(p, negate ? FRZ_EXPR_GT : FRZ_EXPR_LE, column, &high, &right, err));
    *out = negate ? frz_expr_or(left, right, p->arena) : frz_expr_and(left, right, p->arena);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

/* ESCAPE 'c': the pattern rewritten with the backslash. */
static frz_status parse_escape(parser *p, frz_literal *pattern, frz_error **err)
{
    const frz_slice text = p->token.text;
    if (p->token.kind != FRZ_TOKEN_TEXT || text.size != 1 || text.data[0] >= 0x80 ||
        text.data[0] == '%' || text.data[0] == '_')
        return fail_expected(p, "one ASCII character in single quotes, neither % nor _", err);
    FRZ_TRY(frz_like_rewrite(pattern->bytes, text.data[0], pattern->offset, p->arena,
                             &pattern->bytes, err));
    return advance(p, err);
}

static frz_status parse_like(parser *p, const operand *column, bool negate, const frz_expr **out,
                             frz_error **err)
{
    frz_literal pattern = {0};
    bool escaped = false;
    FRZ_TRY(require_literal(p, &pattern, err));
    FRZ_TRY(accept_word(p, "escape", &escaped, err));
    if (escaped && pattern.kind == FRZ_LITERAL_TEXT)
        FRZ_TRY(parse_escape(p, &pattern, err));
    return bind_one(p, negate ? FRZ_EXPR_NOT_LIKE : FRZ_EXPR_LIKE, column, &pattern, out, err);
}

static frz_status parse_starts_with(parser *p, const operand *column, bool negate,
                                    const frz_expr **out, frz_error **err)
{
    frz_literal prefix = {0};
    FRZ_TRY(expect_word(p, "with", "WITH behind STARTS", err));
    FRZ_TRY(require_literal(p, &prefix, err));
    return bind_one(p, negate ? FRZ_EXPR_NOT_STARTS_WITH : FRZ_EXPR_STARTS_WITH, column, &prefix,
                    out, err);
}

static frz_status parse_is(parser *p, const operand *column, bool negate, const frz_expr **out,
                           frz_error **err)
{
    bool taken = false;
    frz_expr_op op = FRZ_EXPR_IS_NULL;
    FRZ_TRY(accept_word(p, "not", &taken, err));
    negate = negate != taken;
    FRZ_TRY(accept_word(p, "nan", &taken, err));
    if (taken)
        op = FRZ_EXPR_IS_NAN;
    else
        FRZ_TRY(expect_word(p, "null", "NULL, NAN or NOT behind IS", err));
    return bind_one(p, negate ? frz_expr_op_negate(op) : op, column, NULL, out, err);
}

/* A column alone: a boolean. */
static frz_status bind_bare(parser *p, const operand *column, bool negate, const frz_expr **out,
                            frz_error **err)
{
    const frz_literal yes = {
        .kind = FRZ_LITERAL_BOOLEAN, .boolean = true, .offset = column->offset};
    if (column->reference->type->kind != FRZ_TYPE_BOOLEAN)
        return fail_expected(p, "an operator behind the column (=, IN, IS NULL, ...)", err);
    return bind_one(p, negate ? FRZ_EXPR_NE : FRZ_EXPR_EQ, column, &yes, out, err);
}

/* What follows a column, apart from comparisons. */
static frz_status parse_predicate(parser *p, const operand *column, bool negate,
                                  const frz_expr **out, frz_error **err)
{
    typedef frz_status (*rest)(parser *, const operand *, bool, const frz_expr **, frz_error **);
    static const struct {
        const char *word;
        rest parse;
        bool with_not;
    } rests[] = {
        {"in", parse_in, true},     {"between", parse_between, true},
        {"like", parse_like, true}, {"starts", parse_starts_with, true},
        {"is", parse_is, false},
    };
    bool not_taken = false;
    FRZ_TRY(accept_word(p, "not", &not_taken, err));
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        bool taken = false;
        if (not_taken && !rests[i].with_not)
            continue;
        FRZ_TRY(accept_word(p, rests[i].word, &taken, err));
        if (taken)
            return rests[i].parse(p, column, negate != not_taken, out, err);
    }
    if (not_taken)
        return fail_expected(p, "IN, BETWEEN, LIKE or STARTS WITH behind NOT", err);
    return bind_bare(p, column, negate, out, err);
}

static frz_status parse_isnan(parser *p, bool negate, const frz_expr **out, frz_error **err)
{
    operand column = {0};
    FRZ_TRY(advance(p, err));
    FRZ_TRY(expect(p, FRZ_TOKEN_OPEN, "( behind isnan", err));
    column.offset = p->token.offset;
    FRZ_TRY(parse_column(p, &column.reference, err));
    FRZ_TRY(expect(p, FRZ_TOKEN_CLOSE, ")", err));
    return bind_one(p, negate ? FRZ_EXPR_NOT_NAN : FRZ_EXPR_IS_NAN, &column, NULL, out, err);
}

static frz_status parse_test(parser *p, bool negate, const frz_expr **out, frz_error **err)
{
    operand left;
    bool isnan_follows = false;
    FRZ_TRY(call_follows(p, "isnan", &isnan_follows, err));
    if (isnan_follows)
        return parse_isnan(p, negate, out, err);
    FRZ_TRY(parse_operand(p, &left, err));
    if (comparison_of(p->token.kind) != FRZ_EXPR_TRUE)
        return parse_comparison(p, &left, negate, out, err);
    if (left.reference)
        return parse_predicate(p, &left, negate, out, err);
    if (left.literal.kind == FRZ_LITERAL_BOOLEAN)
        *out = left.literal.boolean != negate ? &frz_expr_true : &frz_expr_false;
    else if (left.literal.kind == FRZ_LITERAL_NULL)
        *out = &frz_expr_false; /* unknown, also under NOT */
    else
        return fail_expected(p, "a comparison with a column behind the literal", err);
    return FRZ_OK;
}

static frz_status parse_or(parser *p, bool negate, const frz_expr **out, frz_error **err);

static frz_status parse_factor(parser *p, bool negate, const frz_expr **out, frz_error **err)
{
    for (bool taken = true; taken;) {
        FRZ_TRY(accept_word(p, "not", &taken, err));
        negate = negate != taken;
    }
    if (p->token.kind != FRZ_TOKEN_OPEN)
        return parse_test(p, negate, out, err);
    if (++p->depth > frz_limits_default.nesting_depth)
        return frz_fail(err, FRZ_UNSUPPORTED, p->token.offset,
                        "parentheses nest deeper than %u (limit nesting_depth)",
                        frz_limits_default.nesting_depth);
    FRZ_TRY(advance(p, err));
    FRZ_TRY(parse_or(p, negate, out, err));
    p->depth--;
    return expect(p, FRZ_TOKEN_CLOSE, "AND, OR or )", err);
}

/* Terms left to right under a balanced tree; frz_expr_print knows its shape. */
static const frz_expr *balance(const frz_expr *const *terms, size_t count, bool is_and,
                               frz_arena *arena)
{
    if (count == 1)
        return terms[0];
    const size_t half = count - count / 2;
    const frz_expr *left = balance(terms, half, is_and, arena);
    const frz_expr *right = balance(terms + half, count - half, is_and, arena);
    return is_and ? frz_expr_and(left, right, arena) : frz_expr_or(left, right, arena);
}

/* Drops constants first, so that the balanced shape is that of the terms that stay. */
static frz_status join(parser *p, const list *terms, bool is_and, const frz_expr **out,
                       frz_error **err)
{
    const frz_expr **items = terms->items;
    const frz_expr_op neutral = is_and ? FRZ_EXPR_TRUE : FRZ_EXPR_FALSE;
    const frz_expr_op deciding = frz_expr_op_negate(neutral);
    size_t kept = 0;
    const frz_expr *decided = NULL;
    for (size_t i = 0; i < terms->count; i++) {
        if (items[i]->op == deciding)
            decided = items[i];
        if (items[i]->op != neutral)
            items[kept++] = items[i];
    }
    if (decided)
        *out = decided;
    else if (kept == 0)
        *out = is_and ? &frz_expr_true : &frz_expr_false;
    else
        *out = balance(items, kept, is_and, p->arena);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

static frz_status parse_and(parser *p, bool negate, const frz_expr **out, frz_error **err)
{
    list terms = {.item_size = sizeof(const frz_expr *)};
    for (bool more = true; more;) {
        const frz_expr **term = list_add(&terms, p->arena);
        if (!term)
            return frz_fail_memory(err);
        FRZ_TRY(parse_factor(p, negate, term, err));
        FRZ_TRY(accept_word(p, "and", &more, err));
    }
    return join(p, &terms, !negate, out, err);
}

static frz_status parse_or(parser *p, bool negate, const frz_expr **out, frz_error **err)
{
    list terms = {.item_size = sizeof(const frz_expr *)};
    for (bool more = true; more;) {
        const frz_expr **term = list_add(&terms, p->arena);
        if (!term)
            return frz_fail_memory(err);
        FRZ_TRY(parse_and(p, negate, term, err));
        FRZ_TRY(accept_word(p, "or", &more, err));
    }
    return join(p, &terms, negate, out, err);
}

frz_status frz_expr_parse(frz_slice text, const frz_expr_scope *scope, frz_arena *arena,
                          const frz_expr **out, frz_error **err)
{
    parser p = {.source = text, .scope = scope, .arena = arena};
    const frz_expr *expr = NULL;
    FRZ_TRY(advance(&p, err));
    FRZ_TRY(parse_or(&p, false, &expr, err));
    if (p.token.kind != FRZ_TOKEN_END)
        return fail_expected(&p, "AND, OR or the end", err);
    *out = expr;
    return FRZ_OK;
}
