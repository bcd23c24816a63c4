/*
 * The terms of partition specs and sort orders: a column, or a transform of one.
 */
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "spec/ddl.h"
#include "spec/ddl_lexer.h"
#include "spec/list.h"

enum { PARTITION_FIELD_ID_START = 1000 };

typedef struct term_parser {
    frz_ddl_lexer lexer;
    const frz_schema *schema;
    frz_arena *arena;
    frz_error **err;
} term_parser;

typedef struct term {
    size_t offset;
    const frz_field *source;
    frz_transform transform;
    const char *name; /* after `as`; NULL when none was given */
} term;

/* Iceberg's words, and those that Spark's DDL has for them. */
static const struct {
    const char *word;
    frz_transform_kind kind;
    bool has_parameter;
} functions[] = {
    {"identity", FRZ_TRANSFORM_IDENTITY, false}, {"bucket", FRZ_TRANSFORM_BUCKET, true},
    {"truncate", FRZ_TRANSFORM_TRUNCATE, true},  {"year", FRZ_TRANSFORM_YEAR, false},
    {"years", FRZ_TRANSFORM_YEAR, false},        {"month", FRZ_TRANSFORM_MONTH, false},
    {"months", FRZ_TRANSFORM_MONTH, false},      {"day", FRZ_TRANSFORM_DAY, false},
    {"days", FRZ_TRANSFORM_DAY, false},          {"hour", FRZ_TRANSFORM_HOUR, false},
    {"hours", FRZ_TRANSFORM_HOUR, false},        {"void", FRZ_TRANSFORM_VOID, false},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

static frz_status no_such_column(term_parser *parser, size_t offset, const char *path)
{
    frz_buffer near = {0};
    frz_schema_suggest(parser->schema, frz_slice_of_text(path), &near);
    const frz_status status =
        near.size ? frz_fail(parser->err, FRZ_INVALID, offset, "%s: no column %.200s; near: %.*s",
                             parser->lexer.what, path, (int)near.size, (const char *)near.data)
                  : frz_fail(parser->err, FRZ_INVALID, offset, "%s: no column %.200s",
                             parser->lexer.what, path);
    frz_buffer_clear(&near);
    return status;
}

/* A path without quotes is cut at its last dot. */
static frz_status split_plain(frz_slice text, frz_arena *arena, const char **parent_out,
                              const char **name_out, frz_error **err)
{
    size_t cut = text.size;
    while (cut > 0 && text.data[cut - 1] != '.')
        cut--;
    const char *name = frz_arena_text_n(arena, text.data + cut, text.size - cut);
    const char *parent = cut ? frz_arena_text_n(arena, text.data, cut - 1) : NULL;
    if (!name || (cut && !parent))
        return frz_fail_memory(err);
    if (!*name || (parent && !*parent))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "\"%.*s\" is no path of a column",
                        (int)(text.size < 200 ? text.size : 200), (const char *)text.data);
    *parent_out = parent;
    *name_out = name;
    return FRZ_OK;
}

frz_status frz_ddl_split_path(frz_slice text, frz_arena *arena, const char **parent_out,
                              const char **name_out, frz_error **err)
{
    frz_ddl_lexer lexer;
    const char *parent = NULL;
    const char *name = NULL;
    bool dot = false;
    if (!text.size || (!memchr(text.data, '"', text.size) && !memchr(text.data, '`', text.size)))
        return split_plain(text, arena, parent_out, name_out, err);
    FRZ_TRY(frz_ddl_open("column", text, arena, &lexer, err));
    do {
        if (name)
            parent = parent ? frz_arena_printf(arena, "%s.%s", parent, name) : name;
        if (name && !parent)
            return frz_fail_memory(err);
        FRZ_TRY(frz_ddl_take_name(&lexer, "a column name", &name, err));
        FRZ_TRY(frz_ddl_accept_symbol(&lexer, '.', &dot, err));
    } while (dot);
    if (lexer.token.kind != FRZ_DDL_END)
        return frz_ddl_expected(&lexer, "the end of the path", err);
    *parent_out = parent;
    *name_out = name;
    return FRZ_OK;
}

/* The rest of a path whose first name was taken. */
static frz_status take_path(term_parser *parser, const char *first, const char **out)
{
    const char *path = first;
    bool dot = false;
    for (uint32_t depth = 0;; depth++) {
        if (depth > frz_limits_default.nesting_depth)
            return frz_ddl_expected(&parser->lexer, "a path of fewer names (limit nesting_depth)",
                                    parser->err);
        FRZ_TRY(frz_ddl_accept_symbol(&parser->lexer, '.', &dot, parser->err));
        if (!dot)
            break;
        const char *name = NULL;
        FRZ_TRY(frz_ddl_take_name(&parser->lexer, "a column name", &name, parser->err));
        path = frz_arena_printf(parser->arena, "%s.%s", path, name);
        if (!path)
            return frz_fail_memory(parser->err);
    }
    *out = path;
    return FRZ_OK;
}

static frz_status find_source(term_parser *parser, size_t offset, const char *path, term *out)
{
    const frz_slice text = frz_slice_of_text(path);
    out->source = frz_schema_find_name(parser->schema, text, true);
    if (!out->source)
        out->source = frz_schema_find_name(parser->schema, text, false);
    return out->source ? FRZ_OK : no_such_column(parser, offset, path);
}

static frz_status take_column(term_parser *parser, term *out)
{
    const char *name = NULL;
    const char *path = NULL;
    const size_t offset = parser->lexer.token.offset;
    FRZ_TRY(frz_ddl_take_name(&parser->lexer, "a column name", &name, parser->err));
    FRZ_TRY(take_path(parser, name, &path));
    return find_source(parser, offset, path, out);
}

static frz_status take_parameter(term_parser *parser, int32_t *out)
{
    const frz_ddl_token token = parser->lexer.token;
    int64_t value = 0;
    if (token.kind != FRZ_DDL_NUMBER || !frz_number_parse_i64(token.text, token.raw.size, &value) ||
        value < 1 || value > INT32_MAX)
        return frz_ddl_expected(&parser->lexer, "a whole number from 1 to 2147483647", parser->err);
    *out = (int32_t)value;
    return frz_ddl_advance(&parser->lexer, parser->err);
}

/* bucket(16, id); Spark also writes bucket(id, 16). */
static frz_status take_arguments(term_parser *parser, bool has_parameter, term *out,
                                 int32_t *parameter)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    if (!has_parameter)
        return take_column(parser, out);
    const bool number_first = lexer->token.kind == FRZ_DDL_NUMBER;
    if (number_first)
        FRZ_TRY(take_parameter(parser, parameter));
    else
        FRZ_TRY(take_column(parser, out));
    FRZ_TRY(frz_ddl_expect_symbol(lexer, ',', parser->err));
    return number_first ? take_column(parser, out) : take_parameter(parser, parameter);
}

static frz_status take_function(term_parser *parser, const frz_ddl_token *word, term *out)
{
    frz_ddl_lexer at_word = parser->lexer;
    at_word.token = *word;
    size_t i = 0;
    while (i < FUNCTION_COUNT && !frz_ddl_at_word(&at_word, functions[i].word))
        i++;
    if (i == FUNCTION_COUNT)
        return frz_ddl_expected(
            &at_word, "identity, bucket, truncate, year, month, day, hour or void", parser->err);
    int32_t parameter = 0;
    FRZ_TRY(frz_ddl_expect_symbol(&parser->lexer, '(', parser->err));
    FRZ_TRY(take_arguments(parser, functions[i].has_parameter, out, &parameter));
    FRZ_TRY(frz_ddl_expect_symbol(&parser->lexer, ')', parser->err));
    return frz_transform_make(functions[i].kind, parameter, parser->arena, &out->transform,
                              parser->err);
}

/* "Partitioning": sources are primitive and "cannot be contained in a map or list". */
static frz_status check_source(term_parser *parser, const term *t)
{
    const frz_type *type = t->source->type;
    const char *path = frz_schema_path(parser->schema, t->source->id);
    if (t->transform.kind != FRZ_TRANSFORM_VOID && !frz_transform_accepts(&t->transform, type))
        return frz_fail(parser->err, FRZ_INVALID, t->offset,
                        "%s: %s does not take column %.200s of type %s", parser->lexer.what,
                        t->transform.text, path, frz_type_word(type->kind));
    const frz_field *parent = frz_schema_parent(parser->schema, t->source->id);
    for (; parent; parent = frz_schema_parent(parser->schema, parent->id))
        if (parent->type->kind != FRZ_TYPE_STRUCT)
            return frz_fail(parser->err, FRZ_INVALID, t->offset,
                            "%s: column %.200s is inside of a %s", parser->lexer.what, path,
                            frz_type_word(parent->type->kind));
    return FRZ_OK;
}

/* bucket(16, id) when a bracket follows the word, else the path of a column. */
static frz_status take_expression(term_parser *parser, term *out)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    const frz_ddl_token first = lexer->token;
    const char *name = NULL;
    const char *path = NULL;
    FRZ_TRY(frz_ddl_take_name(lexer, "a column or a transform", &name, parser->err));
    if (first.kind == FRZ_DDL_WORD && frz_ddl_at_symbol(lexer, '('))
        return take_function(parser, &first, out);
    FRZ_TRY(take_path(parser, name, &path));
    FRZ_TRY(find_source(parser, first.offset, path, out));
    return frz_transform_make(FRZ_TRANSFORM_IDENTITY, 0, parser->arena, &out->transform,
                              parser->err);
}

static frz_status take_term(term_parser *parser, term *out)
{
    bool as = false;
    *out = (term){.offset = parser->lexer.token.offset};
    FRZ_TRY(take_expression(parser, out));
    FRZ_TRY(check_source(parser, out));
    FRZ_TRY(frz_ddl_accept_word(&parser->lexer, "as", &as, parser->err));
    return as ? frz_ddl_take_name(&parser->lexer, "a name", &out->name, parser->err) : FRZ_OK;
}

/* Java's PartitionSpec.Builder: the full name of the column and a suffix. */
static const char *partition_name(const term_parser *parser, const term *t)
{
    static const char *const suffixes[] = {
        [FRZ_TRANSFORM_IDENTITY] = "",       [FRZ_TRANSFORM_BUCKET] = "_bucket",
        [FRZ_TRANSFORM_TRUNCATE] = "_trunc", [FRZ_TRANSFORM_YEAR] = "_year",
        [FRZ_TRANSFORM_MONTH] = "_month",    [FRZ_TRANSFORM_DAY] = "_day",
        [FRZ_TRANSFORM_HOUR] = "_hour",      [FRZ_TRANSFORM_VOID] = "_null",
    };
    if (t->name)
        return t->name;
    return frz_arena_printf(parser->arena, "%s%s", frz_schema_path(parser->schema, t->source->id),
                            suffixes[t->transform.kind]);
}

static bool is_time_part(frz_transform_kind kind)
{
    return kind >= FRZ_TRANSFORM_YEAR && kind <= FRZ_TRANSFORM_HOUR;
}

/* Java refuses two fields of one column that split it alike: two identities, or two parts of time.
 */
static bool is_redundant(const frz_partition_field *a, const frz_partition_field *b)
{
    const frz_transform_kind x = a->transform.kind;
    const frz_transform_kind y = b->transform.kind;
    return a->source_ids[0] == b->source_ids[0] &&
           ((x == FRZ_TRANSFORM_IDENTITY && y == x) || (is_time_part(x) && is_time_part(y)));
}

static frz_status check_partition_field(term_parser *parser, const term *t,
                                        const frz_partition_field *fields, size_t count)
{
    const frz_partition_field *field = &fields[count];
    const bool may_share = field->transform.kind == FRZ_TRANSFORM_IDENTITY ||
                           field->transform.kind == FRZ_TRANSFORM_VOID;
    const frz_field *column =
        frz_schema_find_name(parser->schema, frz_slice_of_text(field->name), true);
    if (column && (!may_share || column->id != t->source->id))
        return frz_fail(parser->err, FRZ_INVALID, t->offset,
                        "%s: the name %.200s is that of a column; give another with \"as\"",
                        parser->lexer.what, field->name);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, field->name) == 0)
            return frz_fail(parser->err, FRZ_INVALID, t->offset, "%s: a second field named %.200s",
                            parser->lexer.what, field->name);
        if (is_redundant(&fields[i], field))
            return frz_fail(parser->err, FRZ_INVALID, t->offset,
                            "%s: %s is redundant beside %s of the same column", parser->lexer.what,
                            field->transform.text, fields[i].transform.text);
    }
    return FRZ_OK;
}

static const int32_t *keep_id(frz_arena *arena, int32_t id)
{
    int32_t *kept = frz_arena_alloc(arena, sizeof *kept);
    if (kept)
        *kept = id;
    return kept;
}

static frz_status add_partition_field(term_parser *parser, frz_partition_field *fields,
                                      size_t count)
{
    term t = {0};
    FRZ_TRY(take_term(parser, &t));
    fields[count] = (frz_partition_field){.source_ids = keep_id(parser->arena, t.source->id),
                                          .source_count = 1,
                                          .field_id = PARTITION_FIELD_ID_START + (int32_t)count,
                                          .name = partition_name(parser, &t),
                                          .transform = t.transform};
    if (!fields[count].source_ids || !fields[count].name)
        return frz_fail_memory(parser->err);
    return check_partition_field(parser, &t, fields, count);
}

static frz_status add_sort_field(term_parser *parser, frz_sort_field *out)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    term t = {0};
    bool taken = false;
    FRZ_TRY(take_term(parser, &t));
    *out = (frz_sort_field){.source_ids = keep_id(parser->arena, t.source->id),
                            .source_count = 1,
                            .transform = t.transform};
    if (!out->source_ids)
        return frz_fail_memory(parser->err);
    FRZ_TRY(frz_ddl_accept_word(lexer, "desc", &out->descending, parser->err));
    if (!out->descending)
        FRZ_TRY(frz_ddl_accept_word(lexer, "asc", &taken, parser->err));
    out->nulls_last = out->descending;
    FRZ_TRY(frz_ddl_accept_word(lexer, "nulls", &taken, parser->err));
    if (!taken)
        return FRZ_OK;
    if (!frz_ddl_at_word(lexer, "first") && !frz_ddl_at_word(lexer, "last"))
        return frz_ddl_expected(lexer, "first or last", parser->err);
    out->nulls_last = frz_ddl_at_word(lexer, "last");
    return frz_ddl_advance(lexer, parser->err);
}

static frz_status open_terms(const char *what, frz_slice text, const frz_schema *schema,
                             frz_arena *arena, term_parser *out, frz_error **err)
{
    *out = (term_parser){.schema = schema, .arena = arena, .err = err};
    return frz_ddl_open(what, text, arena, &out->lexer, err);
}

/* After a term: a comma and another, or the end. */
static frz_status next_term(term_parser *parser, bool *more_out)
{
    FRZ_TRY(frz_ddl_accept_symbol(&parser->lexer, ',', more_out, parser->err));
    if (!*more_out && parser->lexer.token.kind != FRZ_DDL_END)
        return frz_ddl_expected(&parser->lexer, "\",\" or the end", parser->err);
    return FRZ_OK;
}

frz_status frz_ddl_parse_partition(frz_slice text, const frz_schema *schema, frz_arena *arena,
                                   frz_partition_spec *out, frz_error **err)
{
    frz_list fields = {0};
    term_parser parser;
    FRZ_TRY(open_terms("partition", text, schema, arena, &parser, err));
    bool more = parser.lexer.token.kind != FRZ_DDL_END;
    while (more) {
        if (!frz_list_add(&fields, arena, sizeof(frz_partition_field)))
            return frz_fail_memory(err);
        FRZ_TRY(add_partition_field(&parser, fields.items, fields.count - 1));
        FRZ_TRY(next_term(&parser, &more));
    }
    *out = (frz_partition_spec){.fields = fields.items, .field_count = fields.count};
    return FRZ_OK;
}

frz_status frz_ddl_parse_sort(frz_slice text, const frz_schema *schema, frz_arena *arena,
                              frz_sort_order *out, frz_error **err)
{
    frz_list fields = {0};
    term_parser parser;
    FRZ_TRY(open_terms("sort", text, schema, arena, &parser, err));
    bool more = parser.lexer.token.kind != FRZ_DDL_END;
    while (more) {
        frz_sort_field *field = frz_list_add(&fields, arena, sizeof *field);
        if (!field)
            return frz_fail_memory(err);
        FRZ_TRY(add_sort_field(&parser, field));
        FRZ_TRY(next_term(&parser, &more));
    }
    *out = (frz_sort_order){
        .order_id = fields.count > 0, .fields = fields.items, .field_count = fields.count};
    return FRZ_OK;
}

frz_status frz_ddl_parse_term(frz_slice text, const frz_schema *schema, frz_arena *arena,
                              frz_partition_field *out, frz_error **err)
{
    term_parser parser;
    term t = {0};
    FRZ_TRY(open_terms("partition", text, schema, arena, &parser, err));
    FRZ_TRY(take_term(&parser, &t));
    if (parser.lexer.token.kind != FRZ_DDL_END)
        return frz_ddl_expected(&parser.lexer, "as NAME or the end", err);
    const int32_t *source = keep_id(arena, t.source->id);
    if (!source)
        return frz_fail_memory(err);
    *out = (frz_partition_field){
        .source_ids = source, .source_count = 1, .name = t.name, .transform = t.transform};
    return FRZ_OK;
}
