/*
 * The recursive descent of the grammar in expr/formula.h. It looks ahead byte by byte, as the
 * tokens of predicates have no signs of arithmetic of their own.
 */
#include <assert.h>
#include <ctype.h>
#include <strings.h>

#include "base/fail.h"
#include "base/limits.h"
#include "expr/formula.h"
#include "expr/lexer.h"
#include "expr/reference.h"
#include "spec/ddl.h"

enum { NAME_PARTS_MAX = 64, ARGUMENTS_MAX = 256 };

typedef struct parser {
    frz_slice text;
    size_t at; /* of the next byte to look at */
    const frz_expr_scope *scope;
    frz_arena *arena;
    uint32_t depth;
} parser;

static frz_status parse_concat(parser *p, frz_formula **out, frz_error **err);

/* The next byte that is no blank; 0 at the end. */
static uint8_t peek(parser *p)
{
    while (p->at < p->text.size && isspace(p->text.data[p->at]))
        p->at++;
    return p->at < p->text.size ? p->text.data[p->at] : 0;
}

static bool accept(parser *p, char symbol)
{
    if (peek(p) != (uint8_t)symbol)
        return false;
    p->at++;
    return true;
}

static bool accept_concat(parser *p)
{
    if (peek(p) != '|' || p->at + 1 >= p->text.size || p->text.data[p->at + 1] != '|')
        return false;
    p->at += 2;
    return true;
}

static frz_status fail_expected(parser *p, const char *expected, frz_error **err)
{
    const uint8_t c = peek(p);
    if (!c)
        return frz_fail(err, FRZ_INVALID, p->at, "expected %s, got the end", expected);
    return frz_fail(err, FRZ_INVALID, p->at, "expected %s, got %c", expected, isprint(c) ? c : '?');
}

static frz_status expect(parser *p, char symbol, const char *what, frz_error **err)
{
    return accept(p, symbol) ? FRZ_OK : fail_expected(p, what, err);
}

static frz_status make(parser *p, frz_formula_op op, size_t arguments, frz_formula **out,
                       frz_error **err)
{
    frz_formula *formula = frz_arena_alloc(p->arena, sizeof *formula);
    frz_formula **list = frz_arena_array(p->arena, arguments + 1, sizeof(frz_formula *));
    if (!formula || !list)
        return frz_fail_memory(err);
    (void)peek(p);
    *formula =
        (frz_formula){.op = op, .offset = p->at, .arguments = list, .argument_count = arguments};
    *out = formula;
    return FRZ_OK;
}

static frz_status make_pair(parser *p, frz_formula_op op, frz_formula *left, frz_formula *right,
                            frz_formula **out, frz_error **err)
{
    assert(left && right);
    FRZ_TRY(make(p, op, 2, out, err));
    (*out)->offset = left->offset;
    (*out)->arguments[0] = left;
    (*out)->arguments[1] = right;
    return FRZ_OK;
}

static frz_status next(parser *p, frz_token *out, frz_error **err)
{
    FRZ_TRY(frz_token_next(p->text, p->at, p->arena, out, err));
    p->at = out->end;
    return FRZ_OK;
}

/* Whether `'text'` follows: `date '...'` and not a column named date. */
static bool text_follows(parser *p, const frz_token *word)
{
    return word->kind == FRZ_TOKEN_WORD && frz_literal_is_word(word->text) && peek(p) == '\'';
}

static bool literal_of_token(const frz_token *token, frz_literal *out)
{
    *out = (frz_literal){.offset = token->offset, .bytes = token->text};
    if (token->kind == FRZ_TOKEN_NUMBER)
        out->kind = FRZ_LITERAL_NUMBER;
    else if (token->kind == FRZ_TOKEN_TEXT)
        out->kind = FRZ_LITERAL_TEXT;
    else if (token->kind == FRZ_TOKEN_BYTES)
        out->kind = FRZ_LITERAL_BYTES;
    else if (frz_token_is(token, "null"))
        out->kind = FRZ_LITERAL_NULL;
    else if (frz_token_is(token, "true") || frz_token_is(token, "false"))
        out->kind = FRZ_LITERAL_BOOLEAN;
    else
        return false;
    out->boolean = frz_token_is(token, "true");
    return true;
}

static frz_status parse_literal(parser *p, const frz_token *token, frz_formula **out, bool *found,
                                frz_error **err)
{
    frz_literal literal = {.offset = token->offset};
    *found = true;
    if (text_follows(p, token)) {
        frz_token text;
        FRZ_TRY(next(p, &text, err));
        FRZ_TRY(frz_literal_parse_typed(token->text, text.text, p->arena, &literal, err));
    } else {
        *found = literal_of_token(token, &literal);
    }
    if (!*found)
        return FRZ_OK;
    FRZ_TRY(make(p, FRZ_FORMULA_LITERAL, 0, out, err));
    (*out)->offset = token->offset;
    (*out)->literal = literal;
    return FRZ_OK;
}

/* One part of a dotted name behind the first, or what is in brackets. */
static frz_status parse_part(parser *p, frz_name_part *part, frz_error **err)
{
    frz_token token;
    const bool bracket = accept(p, '[');
    if (!bracket)
        p->at++; /* the dot */
    FRZ_TRY(next(p, &token, err));
    *part = (frz_name_part){.is_subscript = bracket, .offset = token.offset, .name = token.text};
    if (!bracket)
        return token.kind == FRZ_TOKEN_WORD || token.kind == FRZ_TOKEN_QUOTED
                   ? FRZ_OK
                   : frz_fail(err, FRZ_INVALID, token.offset, "expected a name behind the dot");
    if (!literal_of_token(&token, &part->subscript))
        return frz_fail(err, FRZ_INVALID, token.offset, "expected an index or a key");
    return expect(p, ']', "]", err);
}

/* The column whose name begins with a token. */
static frz_status parse_reference(parser *p, const frz_token *first, const frz_reference **out,
                                  frz_error **err)
{
    size_t count = 1;
    frz_name_part *parts = frz_arena_array(p->arena, NAME_PARTS_MAX, sizeof *parts);
    if (!parts)
        return frz_fail_memory(err);
    if (first->kind != FRZ_TOKEN_WORD && first->kind != FRZ_TOKEN_QUOTED)
        return frz_fail(err, FRZ_INVALID, first->offset, "expected a column or a literal, got %.*s",
                        (int)(first->end - first->offset),
                        (const char *)p->text.data + first->offset);
    parts[0] = (frz_name_part){.offset = first->offset, .name = first->text};
    while (peek(p) == '.' || peek(p) == '[') {
        if (count == NAME_PARTS_MAX)
            return frz_fail(err, FRZ_UNSUPPORTED, p->at, "the name has more than %d parts",
                            NAME_PARTS_MAX);
        FRZ_TRY(parse_part(p, &parts[count++], err));
    }
    return frz_reference_resolve(p->scope, parts, count, p->arena, out, err);
}

static frz_status parse_column(parser *p, const frz_token *first, frz_formula **out,
                               frz_error **err)
{
    FRZ_TRY(make(p, FRZ_FORMULA_COLUMN, 0, out, err));
    (*out)->offset = first->offset;
    return parse_reference(p, first, &(*out)->reference, err);
}

/* size(column), behind the parenthesis: a column whose values are counts. */
static frz_status parse_size(parser *p, frz_formula **out, frz_error **err)
{
    frz_token first;
    (void)peek(p);
    FRZ_TRY(next(p, &first, err));
    FRZ_TRY(parse_column(p, &first, out, err));
    FRZ_TRY(expect(p, ')', ")", err));
    return frz_reference_size((*out)->reference, first.offset, p->arena, &(*out)->reference, err);
}

/* The type up to the parenthesis that closes the cast, as DDL has it. */
static frz_status parse_type(parser *p, const frz_type **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer ddl = {0};
    frz_schema *schema = NULL;
    const size_t start = p->at;
    for (int open = 0; p->at < p->text.size; p->at++) {
        const uint8_t c = p->text.data[p->at];
        open += c == '(' ? 1 : 0;
        if (c == ')' && open-- == 0)
            break;
    }
    frz_buffer_append_text(&ddl, "c ");
    frz_buffer_append(&ddl, p->text.data + start, p->at - start);
    FRZ_TRY_DONE(frz_buffer_check(&ddl, err));
    status = frz_ddl_parse_schema(frz_buffer_slice(&ddl), &schema, NULL);
    if (status == FRZ_NO_MEMORY) {
        status = frz_fail_memory(err);
        goto done;
    }
    if (status != FRZ_OK || frz_schema_type(schema)->field_count != 1) {
        status = frz_fail(err, FRZ_INVALID, start, "expected a type, got %.*s",
                          (int)(p->at - start), (const char *)p->text.data + start);
        goto done;
    }
    *out = frz_type_copy(frz_schema_type(schema)->fields[0].type, p->arena);
    status = *out ? FRZ_OK : frz_fail_memory(err);

done:
    frz_schema_unref(schema);
    frz_buffer_clear(&ddl);
    return status;
}

static frz_status parse_cast(parser *p, frz_formula *cast, frz_error **err)
{
    frz_token word;
    FRZ_TRY(parse_concat(p, &cast->arguments[0], err));
    cast->argument_count = 1;
    FRZ_TRY(next(p, &word, err));
    if (!frz_token_is(&word, "as"))
        return frz_fail(err, FRZ_INVALID, word.offset, "expected AS and a type");
    FRZ_TRY(parse_type(p, &cast->type, err));
    return expect(p, ')', ")", err);
}

static frz_status parse_arguments(parser *p, frz_formula *call, frz_error **err)
{
    do {
        if (call->argument_count == ARGUMENTS_MAX)
            return frz_fail(err, FRZ_UNSUPPORTED, p->at, "more than %d arguments", ARGUMENTS_MAX);
        FRZ_TRY(parse_concat(p, &call->arguments[call->argument_count++], err));
    } while (accept(p, ','));
    return expect(p, ')', ", or )", err);
}

static frz_status parse_call(parser *p, const frz_token *name, frz_formula **out, frz_error **err)
{
    static const struct {
        const char *name;
        frz_formula_op op;
    } functions[] = {{"cast", FRZ_FORMULA_CAST},
                     {"coalesce", FRZ_FORMULA_COALESCE},
                     {"upper", FRZ_FORMULA_UPPER},
                     {"lower", FRZ_FORMULA_LOWER}};
    size_t at = 0;
    if (frz_token_is(name, "size") && accept(p, '('))
        return parse_size(p, out, err);
    while (at < sizeof functions / sizeof functions[0] && !frz_token_is(name, functions[at].name))
        at++;
    if (at == sizeof functions / sizeof functions[0])
        return frz_fail(err, FRZ_INVALID, name->offset,
                        "no function %.*s; there are cast, coalesce, size, upper and lower",
                        (int)name->text.size, (const char *)name->text.data);
    p->at++; /* the parenthesis */
    FRZ_TRY(make(p, functions[at].op, ARGUMENTS_MAX, out, err));
    (*out)->offset = name->offset;
    (*out)->argument_count = 0;
    if (functions[at].op == FRZ_FORMULA_CAST)
        return parse_cast(p, *out, err);
    FRZ_TRY(parse_arguments(p, *out, err));
    if (functions[at].op != FRZ_FORMULA_COALESCE && (*out)->argument_count != 1)
        return frz_fail(err, FRZ_INVALID, name->offset, "%s takes one argument",
                        functions[at].name);
    return FRZ_OK;
}

static frz_status parse_operand(parser *p, frz_formula **out, frz_error **err)
{
    frz_token token;
    bool found = false;
    if (accept(p, '(')) {
        FRZ_TRY(parse_concat(p, out, err));
        return expect(p, ')', ")", err);
    }
    if (!peek(p))
        return fail_expected(p, "a column or a literal", err);
    FRZ_TRY(next(p, &token, err));
    if (token.kind == FRZ_TOKEN_WORD && peek(p) == '(')
        return parse_call(p, &token, out, err);
    FRZ_TRY(parse_literal(p, &token, out, &found, err));
    return found ? FRZ_OK : parse_column(p, &token, out, err);
}

static frz_status parse_sign(parser *p, frz_formula **out, frz_error **err)
{
    const uint8_t sign = peek(p);
    const uint8_t behind = p->at + 1 < p->text.size ? p->text.data[p->at + 1] : 0;
    if ((sign != '-' && sign != '+') || isdigit(behind) || behind == '.')
        return parse_operand(p, out, err); /* a number has its sign itself */
    if (++p->depth > frz_limits_default.nesting_depth)
        return frz_fail(err, FRZ_UNSUPPORTED, p->at, "deeper than %u (limit nesting_depth)",
                        frz_limits_default.nesting_depth);
    frz_formula *of = NULL;
    const size_t offset = p->at++;
    FRZ_TRY(parse_sign(p, &of, err));
    p->depth--;
    *out = of;
    if (sign == '+')
        return FRZ_OK;
    FRZ_TRY(make(p, FRZ_FORMULA_NEGATE, 1, out, err));
    (*out)->offset = offset;
    (*out)->arguments[0] = of;
    return FRZ_OK;
}

static frz_status parse_product(parser *p, frz_formula **out, frz_error **err)
{
    frz_formula *left = NULL;
    FRZ_TRY(parse_sign(p, &left, err));
    for (;;) {
        frz_formula *right = NULL;
        const uint8_t symbol = peek(p);
        if (symbol != '*' && symbol != '/' && symbol != '%')
            break;
        p->at++;
        FRZ_TRY(parse_sign(p, &right, err));
        FRZ_TRY(make_pair(p,
                          symbol == '*'   ? FRZ_FORMULA_MULTIPLY
                          : symbol == '/' ? FRZ_FORMULA_DIVIDE
                                          : FRZ_FORMULA_REMAINDER,
                          left, right, &left, err));
    }
    *out = left;
    return FRZ_OK;
}

static frz_status parse_sum(parser *p, frz_formula **out, frz_error **err)
{
    frz_formula *left = NULL;
    FRZ_TRY(parse_product(p, &left, err));
    for (;;) {
        frz_formula *right = NULL;
        const uint8_t symbol = peek(p);
        if (symbol != '+' && symbol != '-')
            break;
        p->at++;
        FRZ_TRY(parse_product(p, &right, err));
        FRZ_TRY(make_pair(p, symbol == '+' ? FRZ_FORMULA_ADD : FRZ_FORMULA_SUBTRACT, left, right,
                          &left, err));
    }
    *out = left;
    return FRZ_OK;
}

static frz_status parse_concat(parser *p, frz_formula **out, frz_error **err)
{
    frz_formula *left = NULL;
    if (++p->depth > frz_limits_default.nesting_depth)
        return frz_fail(err, FRZ_UNSUPPORTED, p->at, "deeper than %u (limit nesting_depth)",
                        frz_limits_default.nesting_depth);
    FRZ_TRY(parse_sum(p, &left, err));
    while (accept_concat(p)) {
        frz_formula *right = NULL;
        FRZ_TRY(parse_sum(p, &right, err));
        FRZ_TRY(make_pair(p, FRZ_FORMULA_CONCAT, left, right, &left, err));
    }
    p->depth--;
    *out = left;
    return FRZ_OK;
}

frz_status frz_formula_parse(frz_slice text, size_t *at, const frz_expr_scope *scope,
                             frz_arena *arena, frz_formula **out, frz_error **err)
{
    parser p = {.text = text, .at = *at, .scope = scope, .arena = arena};
    FRZ_TRY(parse_concat(&p, out, err));
    (void)peek(&p);
    *at = p.at;
    return FRZ_OK;
}
