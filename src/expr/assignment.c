#include "expr/assignment.h"

#include <ctype.h>

#include "base/fail.h"
#include "expr/lexer.h"
#include "expr/reference.h"

enum { NAME_PARTS_MAX = 64, ASSIGNMENTS_MAX = 10000 };

typedef struct parser {
    frz_slice text;
    size_t at;
    const frz_assignment_scope *scope;
    frz_arena *arena;
    frz_assignment *items;
    size_t count;
    size_t capacity;
} parser;

static frz_status next(parser *p, frz_token *out, frz_error **err)
{
    FRZ_TRY(frz_token_next(p->text, p->at, p->arena, out, err));
    p->at = out->end;
    return FRZ_OK;
}

/* Names by dots up to the equals sign. */
static frz_status parse_target(parser *p, const frz_reference **out, frz_error **err)
{
    const frz_expr_scope scope = {.schema = p->scope->table,
                                  .case_sensitive = p->scope->values->case_sensitive};
    frz_name_part *parts = frz_arena_array(p->arena, NAME_PARTS_MAX, sizeof *parts);
    frz_token token;
    size_t count = 0;
    if (!parts)
        return frz_fail_memory(err);
    do {
        FRZ_TRY(next(p, &token, err));
        if (token.kind != FRZ_TOKEN_WORD && token.kind != FRZ_TOKEN_QUOTED)
            return frz_fail(err, FRZ_INVALID, token.offset, "expected the name of a column");
        if (count == NAME_PARTS_MAX)
            return frz_fail(err, FRZ_UNSUPPORTED, token.offset, "the name has more than %d parts",
                            NAME_PARTS_MAX);
        parts[count++] = (frz_name_part){.offset = token.offset, .name = token.text};
        FRZ_TRY(next(p, &token, err));
    } while (token.kind == FRZ_TOKEN_DOT);
    if (token.kind != FRZ_TOKEN_EQ)
        return frz_fail(err, FRZ_INVALID, token.offset,
                        "expected = behind the name of a column (fields of structs by dots)");
    return frz_reference_resolve(&scope, parts, count, p->arena, out, err);
}

static bool is_within(const frz_reference *inner, const frz_reference *outer)
{
    if (inner->step_count < outer->step_count)
        return false;
    for (size_t i = 0; i < outer->step_count; i++) {
        if (inner->steps[i].field_id != outer->steps[i].field_id)
            return false;
    }
    return true;
}

static frz_status check_apart(const parser *p, const frz_reference *target, size_t offset,
                              frz_error **err)
{
    for (size_t i = 0; i < p->count; i++) {
        const frz_reference *other = p->items[i].target;
        if (is_within(target, other) || is_within(other, target))
            return frz_fail(err, FRZ_INVALID, offset, "%s and %s are set at once", other->path,
                            target->path);
    }
    return FRZ_OK;
}

static frz_status add(parser *p, const frz_assignment *item, frz_error **err)
{
    if (p->count == p->capacity) {
        const size_t capacity = p->capacity ? p->capacity * 2 : 8;
        frz_assignment *grown = frz_arena_array(p->arena, capacity, sizeof *grown);
        if (!grown)
            return frz_fail_memory(err);
        if (p->count > 0)
            memcpy(grown, p->items, p->count * sizeof *grown);
        p->items = grown;
        p->capacity = capacity;
    }
    p->items[p->count++] = *item;
    return FRZ_OK;
}

/* Values of structs, lists and maps cannot be computed: they become null or their default. */
static frz_status check_nested(const frz_assignment *item, const frz_formula *formula,
                               frz_error **err)
{
    if (frz_type_is_primitive(item->field->type) || formula->op == FRZ_FORMULA_LITERAL)
        return FRZ_OK;
    return frz_fail(err, FRZ_UNSUPPORTED, formula->offset,
                    "column %s is a %s: it can be set to NULL or DEFAULT, and the fields of a "
                    "struct one by one",
                    item->target->path, frz_type_word(item->field->type->kind));
}

/* Takes the word when it comes next. Signs of arithmetic are no tokens: only a letter is looked at.
 */
static frz_status accept_default(parser *p, bool *taken, frz_error **err)
{
    frz_token word;
    *taken = false;
    while (p->at < p->text.size && isspace(p->text.data[p->at]))
        p->at++;
    if (p->at == p->text.size || !isalpha(p->text.data[p->at]))
        return FRZ_OK;
    FRZ_TRY(frz_token_next(p->text, p->at, p->arena, &word, err));
    *taken = frz_token_is(&word, "default");
    if (*taken)
        p->at = word.end;
    return FRZ_OK;
}

static frz_status parse_value(parser *p, frz_assignment *item, frz_error **err)
{
    bool write_default = false;
    frz_formula *formula = NULL;
    FRZ_TRY(accept_default(p, &write_default, err));
    if (write_default)
        return FRZ_OK;
    FRZ_TRY(frz_formula_parse(p->text, &p->at, p->scope->values, p->arena, &formula, err));
    FRZ_TRY(check_nested(item, formula, err));
    const frz_status status =
        frz_formula_bind(formula, item->field->type, p->scope->columns, p->arena, &formula, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "column %s", item->target->path);
    item->formula = formula;
    return FRZ_OK;
}

static frz_status parse_assignment(parser *p, frz_error **err)
{
    frz_assignment item = {0};
    const size_t offset = p->at;
    FRZ_TRY(parse_target(p, &item.target, err));
    FRZ_TRY(check_apart(p, item.target, offset, err));
    item.field = frz_schema_find_id(p->scope->table, item.target->field_id);
    FRZ_TRY(parse_value(p, &item, err));
    return add(p, &item, err);
}

frz_status frz_assignments_parse(frz_slice text, const frz_assignment_scope *scope,
                                 frz_arena *arena, const frz_assignment **out, size_t *count_out,
                                 frz_error **err)
{
    parser p = {.text = text, .scope = scope, .arena = arena};
    frz_token token;
    do {
        if (p.count == ASSIGNMENTS_MAX)
            return frz_fail(err, FRZ_UNSUPPORTED, p.at, "more than %d assignments",
                            ASSIGNMENTS_MAX);
        FRZ_TRY(parse_assignment(&p, err));
        FRZ_TRY(next(&p, &token, err));
    } while (token.kind == FRZ_TOKEN_COMMA);
    if (token.kind != FRZ_TOKEN_END)
        return frz_fail(err, FRZ_INVALID, token.offset, "expected a comma or the end, got %.*s",
                        (int)(token.end - token.offset), (const char *)text.data + token.offset);
    *out = p.items;
    *count_out = p.count;
    return FRZ_OK;
}
