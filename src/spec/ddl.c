#include "spec/ddl.h"

#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "spec/ddl_lexer.h"
#include "spec/list.h"
#include "spec/schema_build.h"

/* Bytes of a type's parameters, and of a coordinate reference system, beside which an algorithm
 * must have room. */
enum { PARAMETERS_MAX = 240, CRS_MAX = 200 };

typedef struct ddl_parser {
    frz_ddl_lexer lexer;
    frz_arena *arena;
    uint32_t depth;
    frz_error **err;
} ddl_parser;

/* Names that SQL and Spark have for Iceberg's types; those of Iceberg itself win. */
static const struct {
    const char *word;
    frz_type_kind kind;
} type_names[] = {
    {"boolean", FRZ_TYPE_BOOLEAN},
    {"bool", FRZ_TYPE_BOOLEAN},
    {"int", FRZ_TYPE_INT},
    {"integer", FRZ_TYPE_INT},
    {"tinyint", FRZ_TYPE_INT},
    {"smallint", FRZ_TYPE_INT},
    {"byte", FRZ_TYPE_INT},
    {"short", FRZ_TYPE_INT},
    {"long", FRZ_TYPE_LONG},
    {"bigint", FRZ_TYPE_LONG},
    {"float", FRZ_TYPE_FLOAT},
    {"real", FRZ_TYPE_FLOAT},
    {"double", FRZ_TYPE_DOUBLE},
    {"decimal", FRZ_TYPE_DECIMAL},
    {"dec", FRZ_TYPE_DECIMAL},
    {"numeric", FRZ_TYPE_DECIMAL},
    {"date", FRZ_TYPE_DATE},
    {"time", FRZ_TYPE_TIME},
    {"timestamp", FRZ_TYPE_TIMESTAMP},
    {"timestamp_ntz", FRZ_TYPE_TIMESTAMP},
    {"timestamptz", FRZ_TYPE_TIMESTAMPTZ},
    {"timestamp_ltz", FRZ_TYPE_TIMESTAMPTZ},
    {"timestamp_ns", FRZ_TYPE_TIMESTAMP_NS},
    {"timestamptz_ns", FRZ_TYPE_TIMESTAMPTZ_NS},
    {"string", FRZ_TYPE_STRING},
    {"text", FRZ_TYPE_STRING},
    {"varchar", FRZ_TYPE_STRING},
    {"char", FRZ_TYPE_STRING},
    {"uuid", FRZ_TYPE_UUID},
    {"fixed", FRZ_TYPE_FIXED},
    {"binary", FRZ_TYPE_BINARY},
    {"varbinary", FRZ_TYPE_BINARY},
    {"bytea", FRZ_TYPE_BINARY},
    {"unknown", FRZ_TYPE_UNKNOWN},
    {"void", FRZ_TYPE_UNKNOWN},
    {"variant", FRZ_TYPE_VARIANT},
    {"geometry", FRZ_TYPE_GEOMETRY},
    {"geography", FRZ_TYPE_GEOGRAPHY},
    {"struct", FRZ_TYPE_STRUCT},
    {"row", FRZ_TYPE_STRUCT},
    {"list", FRZ_TYPE_LIST},
    {"array", FRZ_TYPE_LIST},
    {"map", FRZ_TYPE_MAP},
};

static frz_status parse_type(ddl_parser *parser, const frz_type **out);

static frz_status invalid_at(ddl_parser *parser, size_t offset, const char *message)
{
    return frz_fail(parser->err, FRZ_INVALID, offset, "%s: %s", parser->lexer.what, message);
}

static frz_status find_type_name(ddl_parser *parser, frz_type_kind *out)
{
    for (size_t i = 0; i < sizeof type_names / sizeof type_names[0]; i++) {
        if (frz_ddl_at_word(&parser->lexer, type_names[i].word)) {
            *out = type_names[i].kind;
            return FRZ_OK;
        }
    }
    return frz_ddl_expected(&parser->lexer, "a type", parser->err);
}

/* What stands between ( and ), or [ and ], as it stands; empty when neither is next. */
static frz_status take_arguments(ddl_parser *parser, frz_slice *out)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    const bool square = frz_ddl_at_symbol(lexer, '[');
    const size_t start = lexer->pos;
    *out = (frz_slice){0};
    if (!square && !frz_ddl_at_symbol(lexer, '('))
        return FRZ_OK;
    const char closing = square ? ']' : ')';
    do {
        FRZ_TRY(frz_ddl_advance(lexer, parser->err));
        if (lexer->token.kind == FRZ_DDL_END)
            return frz_ddl_expected(lexer, square ? "\"]\"" : "\")\"", parser->err);
    } while (!frz_ddl_at_symbol(lexer, closing));
    *out = frz_slice_of(lexer->text.data + start, lexer->token.offset - start);
    return frz_ddl_advance(lexer, parser->err);
}

/* As metadata writes it, which frz_type_parse reads: SQL's decimal alone is decimal(10, 0), and
 * decimal(P) has no scale. */
static const char *canonical_type_text(const ddl_parser *parser, frz_type_kind kind,
                                       frz_slice arguments)
{
    const char *word = frz_type_word(kind);
    const char *text = (const char *)arguments.data;
    const int size = (int)arguments.size;
    if (kind == FRZ_TYPE_DECIMAL && size == 0)
        return "decimal(10, 0)";
    if (kind == FRZ_TYPE_DECIMAL && !memchr(text, ',', arguments.size))
        return frz_arena_printf(parser->arena, "decimal(%.*s, 0)", size, text);
    if (kind == FRZ_TYPE_FIXED)
        return frz_arena_printf(parser->arena, "fixed[%.*s]", size, size ? text : "");
    return size == 0 ? word : frz_arena_printf(parser->arena, "%s(%.*s)", word, size, text);
}

static frz_status parse_with_arguments(ddl_parser *parser, size_t offset, frz_type_kind kind,
                                       const frz_type **out)
{
    frz_slice arguments = {0};
    frz_error *reason = NULL;
    FRZ_TRY(take_arguments(parser, &arguments));
    if (arguments.size > PARAMETERS_MAX)
        return invalid_at(parser, offset, "type parameters of more than 240 bytes");
    const char *text = canonical_type_text(parser, kind, arguments);
    if (!text)
        return frz_fail_memory(parser->err);
    frz_status status = frz_type_parse(frz_slice_of_text(text), parser->arena, out, &reason);
    if (status == FRZ_NO_MEMORY)
        (void)frz_fail_memory(parser->err);
    else if (status != FRZ_OK)
        status = invalid_at(parser, offset, frz_error_message(reason));
    else if ((*out)->crs && strlen((*out)->crs) > CRS_MAX)
        status = invalid_at(parser, offset, "a coordinate reference system of more than 200 bytes");
    frz_error_free(reason);
    return status;
}

/* varchar(n) and char(n): Iceberg strings have no length to keep. */
static frz_status skip_length(ddl_parser *parser)
{
    bool taken = false;
    FRZ_TRY(frz_ddl_accept_symbol(&parser->lexer, '(', &taken, parser->err));
    if (!taken)
        return FRZ_OK;
    if (parser->lexer.token.kind != FRZ_DDL_NUMBER)
        return frz_ddl_expected(&parser->lexer, "a length", parser->err);
    FRZ_TRY(frz_ddl_advance(&parser->lexer, parser->err));
    return frz_ddl_expect_symbol(&parser->lexer, ')', parser->err);
}

/* [(6 | 9)] digits of a second. */
static frz_status parse_precision(ddl_parser *parser, bool *nanos_out)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    bool taken = false;
    FRZ_TRY(frz_ddl_accept_symbol(lexer, '(', &taken, parser->err));
    if (!taken)
        return FRZ_OK;
    *nanos_out = frz_slice_is_text(lexer->token.raw, "9");
    if (!*nanos_out && !frz_slice_is_text(lexer->token.raw, "6"))
        return frz_ddl_expected(lexer, "6 or 9 digits of a second", parser->err);
    FRZ_TRY(frz_ddl_advance(lexer, parser->err));
    return frz_ddl_expect_symbol(lexer, ')', parser->err);
}

/* [with time zone | without time zone]. */
static frz_status parse_zone(ddl_parser *parser, bool *with_out)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    if (!frz_ddl_at_word(lexer, "with") && !frz_ddl_at_word(lexer, "without"))
        return FRZ_OK;
    *with_out = frz_ddl_at_word(lexer, "with");
    FRZ_TRY(frz_ddl_advance(lexer, parser->err));
    FRZ_TRY(frz_ddl_expect_word(lexer, "time", parser->err));
    return frz_ddl_expect_word(lexer, "zone", parser->err);
}

/* timestamp(9) with time zone and the like, as SQL has it. */
static frz_status parse_timestamp(ddl_parser *parser, frz_type_kind kind, const frz_type **out)
{
    bool with = kind == FRZ_TYPE_TIMESTAMPTZ;
    bool nanos = false;
    FRZ_TRY(parse_precision(parser, &nanos));
    if (kind == FRZ_TYPE_TIMESTAMP)
        FRZ_TRY(parse_zone(parser, &with));
    if (nanos)
        *out = frz_type_of(with ? FRZ_TYPE_TIMESTAMPTZ_NS : FRZ_TYPE_TIMESTAMP_NS);
    else
        *out = frz_type_of(with ? FRZ_TYPE_TIMESTAMPTZ : FRZ_TYPE_TIMESTAMP);
    return FRZ_OK;
}

static frz_status parse_not_null(ddl_parser *parser, bool *required)
{
    bool taken = false;
    FRZ_TRY(frz_ddl_accept_word(&parser->lexer, "not", &taken, parser->err));
    if (!taken)
        return FRZ_OK;
    *required = true;
    return frz_ddl_expect_word(&parser->lexer, "null", parser->err);
}

static frz_status refuse_required_unknown(ddl_parser *parser, size_t offset, const frz_field *field)
{
    if (field->required && field->type->kind == FRZ_TYPE_UNKNOWN)
        return invalid_at(parser, offset, "a column of type unknown cannot be required");
    return FRZ_OK;
}

/* The element of a list, or the key or value of a map. */
static frz_status parse_inner(ddl_parser *parser, const char *name, frz_field *out)
{
    const size_t offset = parser->lexer.token.offset;
    out->name = name;
    FRZ_TRY(parse_type(parser, &out->type));
    FRZ_TRY(parse_not_null(parser, &out->required));
    return refuse_required_unknown(parser, offset, out);
}

static frz_status parse_collection(ddl_parser *parser, frz_type *type)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    const bool map = type->kind == FRZ_TYPE_MAP;
    type->field_count = map ? 2 : 1;
    frz_field *fields = frz_arena_array(parser->arena, type->field_count, sizeof *fields);
    if (!fields)
        return frz_fail_memory(parser->err);
    type->fields = fields;
    FRZ_TRY(frz_ddl_expect_symbol(lexer, '<', parser->err));
    fields[0].required = map; /* "Map keys are required" */
    FRZ_TRY(parse_inner(parser, map ? "key" : "element", &fields[0]));
    if (map) {
        FRZ_TRY(frz_ddl_expect_symbol(lexer, ',', parser->err));
        FRZ_TRY(parse_inner(parser, "value", &fields[1]));
    }
    return frz_ddl_expect_symbol(lexer, '>', parser->err);
}

static frz_value *keep_value(ddl_parser *parser, const frz_value *value)
{
    frz_value *kept = frz_arena_alloc(parser->arena, sizeof *kept);
    if (kept)
        *kept = *value;
    return kept;
}

/* Text of a nested type's default is its JSON single-value form. */
static frz_status parse_json_default(const frz_type *type, const char *text, frz_arena *arena,
                                     frz_value *out, frz_error **err)
{
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(text), arena);
    FRZ_TRY(frz_value_read_json(&json, type, arena, out, err));
    return frz_json_expect_end(&json, err);
}

static bool holds_struct(const frz_type *type)
{
    if (type->kind == FRZ_TYPE_STRUCT)
        return true;
    for (size_t i = 0; i < type->field_count; i++)
        if (holds_struct(type->fields[i].type))
            return true;
    return false;
}

static frz_status parse_default_text(ddl_parser *parser, size_t offset, const frz_type *type,
                                     const char *text, const frz_value **out)
{
    frz_value value = {0};
    frz_error *reason = NULL;
    /* The JSON form names the fields of structs by their ids, which are not given yet. */
    if (holds_struct(type))
        return invalid_at(parser, offset, "structs inside of a default are not supported in DDL");
    frz_status status =
        type->kind >= FRZ_TYPE_STRUCT
            ? parse_json_default(type, text, parser->arena, &value, &reason)
            : frz_value_parse(type, frz_slice_of_text(text), parser->arena, &value, &reason);
    if (status == FRZ_NO_MEMORY)
        (void)frz_fail_memory(parser->err);
    else if (status != FRZ_OK)
        status = invalid_at(parser, offset, frz_error_message(reason));
    frz_error_free(reason);
    if (status != FRZ_OK)
        return status;
    *out = keep_value(parser, &value);
    return *out ? FRZ_OK : frz_fail_memory(parser->err);
}

static bool is_timestamp(frz_type_kind kind)
{
    return kind >= FRZ_TYPE_TIMESTAMP && kind <= FRZ_TYPE_TIMESTAMPTZ_NS;
}

static bool is_bytes(frz_type_kind kind)
{
    return kind == FRZ_TYPE_FIXED || kind == FRZ_TYPE_BINARY;
}

/* date '..', uuid '..' and the like: the word must be of the column's type, X'..' of a binary one.
 */
static frz_status parse_typed_default(ddl_parser *parser, const frz_type *type,
                                      const frz_value **out)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    const frz_ddl_token word = lexer->token;
    const bool hex = frz_ddl_at_word(lexer, "x");
    const bool fits = hex ? is_bytes(type->kind)
                          : frz_ddl_at_word(lexer, frz_type_word(type->kind)) ||
                                (frz_ddl_at_word(lexer, "timestamp") && is_timestamp(type->kind));
    if (!fits)
        return frz_ddl_expected(lexer, "a literal of the column's type", parser->err);
    FRZ_TRY(frz_ddl_advance(lexer, parser->err));
    if (lexer->token.kind != FRZ_DDL_STRING)
        return frz_ddl_expected(lexer, "a text in single quotes", parser->err);
    const char *text =
        hex ? frz_arena_printf(parser->arena, "0x%s", lexer->token.text) : lexer->token.text;
    if (!text)
        return frz_fail_memory(parser->err);
    FRZ_TRY(parse_default_text(parser, word.offset, type, text, out));
    return frz_ddl_advance(lexer, parser->err);
}

/* {} of a struct or map, [] of a list. */
static frz_status parse_empty_default(ddl_parser *parser, const frz_type *type,
                                      const frz_value **out)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    const size_t offset = lexer->token.offset;
    const bool braces = frz_ddl_at_symbol(lexer, '{');
    if (type->kind < FRZ_TYPE_STRUCT || braces != (type->kind != FRZ_TYPE_LIST))
        return frz_ddl_expected(lexer, "a literal of the column's type", parser->err);
    FRZ_TRY(frz_ddl_advance(lexer, parser->err));
    if (type->kind == FRZ_TYPE_STRUCT && !frz_ddl_at_symbol(lexer, '}'))
        return invalid_at(
            parser, offset,
            "a struct's default may only be {}; its fields have defaults of their own");
    FRZ_TRY(frz_ddl_expect_symbol(lexer, braces ? '}' : ']', parser->err));
    const frz_value value = {.form =
                                 type->kind == FRZ_TYPE_STRUCT ? FRZ_VALUE_STRUCT : FRZ_VALUE_LIST};
    *out = keep_value(parser, &value);
    return *out ? FRZ_OK : frz_fail_memory(parser->err);
}

/* A sign belongs to the number or word (Infinity) that touches it. */
static frz_status parse_signed_default(ddl_parser *parser, const frz_type *type,
                                       const frz_value **out)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    const size_t offset = lexer->token.offset;
    FRZ_TRY(frz_ddl_advance(lexer, parser->err));
    if (lexer->token.offset != offset + 1 ||
        (lexer->token.kind != FRZ_DDL_NUMBER && lexer->token.kind != FRZ_DDL_WORD))
        return frz_ddl_expected(lexer, "a number", parser->err);
    const char *text =
        frz_arena_text_n(parser->arena, lexer->text.data + offset, lexer->token.raw.size + 1);
    if (!text)
        return frz_fail_memory(parser->err);
    FRZ_TRY(parse_default_text(parser, offset, type, text, out));
    return frz_ddl_advance(lexer, parser->err);
}

static bool is_bare_literal(const frz_ddl_lexer *lexer, const frz_type *type)
{
    if (lexer->token.kind == FRZ_DDL_NUMBER)
        return type->kind != FRZ_TYPE_STRING && type->kind < FRZ_TYPE_STRUCT;
    return frz_ddl_at_word(lexer, "true") || frz_ddl_at_word(lexer, "false") ||
           frz_ddl_at_word(lexer, "nan") || frz_ddl_at_word(lexer, "infinity");
}

static frz_status parse_default(ddl_parser *parser, const frz_type *type, const frz_value **out)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    if (frz_ddl_at_word(lexer, "null"))
        return frz_ddl_advance(lexer, parser->err);
    if (frz_ddl_at_symbol(lexer, '-') || frz_ddl_at_symbol(lexer, '+'))
        return parse_signed_default(parser, type, out);
    if (frz_ddl_at_symbol(lexer, '{') || frz_ddl_at_symbol(lexer, '['))
        return parse_empty_default(parser, type, out);
    if (lexer->token.kind == FRZ_DDL_STRING || is_bare_literal(lexer, type)) {
        FRZ_TRY(parse_default_text(parser, lexer->token.offset, type, lexer->token.text, out));
        return frz_ddl_advance(lexer, parser->err);
    }
    if (lexer->token.kind == FRZ_DDL_WORD)
        return parse_typed_default(parser, type, out);
    return frz_ddl_expected(lexer, "a literal of the column's type", parser->err);
}

typedef struct column_options {
    bool has_nullability;
    bool has_default;
} column_options;

static frz_status parse_nullability(ddl_parser *parser, column_options *seen, frz_field *field)
{
    if (seen->has_nullability)
        return frz_ddl_expected(&parser->lexer, "null or not null once", parser->err);
    seen->has_nullability = true;
    if (frz_ddl_at_word(&parser->lexer, "null"))
        return frz_ddl_advance(&parser->lexer, parser->err);
    return parse_not_null(parser, &field->required);
}

static frz_status parse_column_default(ddl_parser *parser, column_options *seen, frz_field *field)
{
    if (seen->has_default)
        return frz_ddl_expected(&parser->lexer, "one default", parser->err);
    seen->has_default = true;
    FRZ_TRY(frz_ddl_advance(&parser->lexer, parser->err));
    return parse_default(parser, field->type, &field->write_default);
}

static frz_status parse_comment(ddl_parser *parser, frz_field *field)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    if (field->doc)
        return frz_ddl_expected(lexer, "one comment", parser->err);
    FRZ_TRY(frz_ddl_advance(lexer, parser->err));
    if (lexer->token.kind != FRZ_DDL_STRING)
        return frz_ddl_expected(lexer, "a text in single quotes", parser->err);
    field->doc = lexer->token.text;
    return frz_ddl_advance(lexer, parser->err);
}

/* not null, null, default LITERAL and comment 'text', each once, in any order. */
static frz_status parse_options(ddl_parser *parser, frz_field *field)
{
    const frz_ddl_lexer *lexer = &parser->lexer;
    column_options seen = {0};
    frz_status status = FRZ_OK;
    bool more = true;
    while (more && status == FRZ_OK) {
        if (frz_ddl_at_word(lexer, "not") || frz_ddl_at_word(lexer, "null"))
            status = parse_nullability(parser, &seen, field);
        else if (frz_ddl_at_word(lexer, "default"))
            status = parse_column_default(parser, &seen, field);
        else if (frz_ddl_at_word(lexer, "comment"))
            status = parse_comment(parser, field);
        else
            more = false;
    }
    return status;
}

static frz_status parse_column(ddl_parser *parser, frz_field *out)
{
    bool colon = false;
    const size_t offset = parser->lexer.token.offset;
    FRZ_TRY(frz_ddl_take_name(&parser->lexer, "a column name", &out->name, parser->err));
    FRZ_TRY(frz_ddl_accept_symbol(&parser->lexer, ':', &colon, parser->err));
    FRZ_TRY(parse_type(parser, &out->type));
    FRZ_TRY(parse_options(parser, out));
    return refuse_required_unknown(parser, offset, out);
}

static frz_status collect_columns(ddl_parser *parser, frz_list *list, frz_map *names)
{
    bool more = true;
    while (more) {
        const size_t offset = parser->lexer.token.offset;
        frz_field *field = frz_list_add(list, parser->arena, sizeof *field);
        if (!field)
            return frz_fail_memory(parser->err);
        FRZ_TRY(parse_column(parser, field));
        const frz_slice name = frz_slice_of_text(field->name);
        if (frz_map_find(names, name))
            return frz_fail(parser->err, FRZ_INVALID, offset, "%s: a second column named %.200s",
                            parser->lexer.what, field->name);
        if (!frz_map_put(names, name, (frz_map_value){.number = 0}))
            return frz_fail_memory(parser->err);
        FRZ_TRY(frz_ddl_accept_symbol(&parser->lexer, ',', &more, parser->err));
    }
    return FRZ_OK;
}

static frz_status parse_columns(ddl_parser *parser, frz_type *type)
{
    frz_list list = {0};
    frz_map names = {0};
    const frz_status status = collect_columns(parser, &list, &names);
    frz_map_clear(&names);
    type->fields = list.items;
    type->field_count = list.count;
    return status;
}

static frz_status parse_nested(ddl_parser *parser, frz_type_kind kind, const frz_type **out)
{
    frz_type *type = frz_arena_alloc(parser->arena, sizeof *type);
    if (!type)
        return frz_fail_memory(parser->err);
    type->kind = kind;
    if (++parser->depth > frz_limits_default.nesting_depth)
        return invalid_at(parser, parser->lexer.token.offset,
                          "types nested too deep (limit nesting_depth)");
    if (kind == FRZ_TYPE_STRUCT) {
        FRZ_TRY(frz_ddl_expect_symbol(&parser->lexer, '<', parser->err));
        FRZ_TRY(parse_columns(parser, type));
        FRZ_TRY(frz_ddl_expect_symbol(&parser->lexer, '>', parser->err));
    } else {
        FRZ_TRY(parse_collection(parser, type));
    }
    parser->depth--;
    *out = type;
    return FRZ_OK;
}

static frz_status parse_type(ddl_parser *parser, const frz_type **out)
{
    frz_ddl_lexer *lexer = &parser->lexer;
    frz_type_kind kind = FRZ_TYPE_UNKNOWN;
    bool taken = false;
    const size_t offset = lexer->token.offset;
    const bool sized = frz_ddl_at_word(lexer, "varchar") || frz_ddl_at_word(lexer, "char");
    FRZ_TRY(find_type_name(parser, &kind));
    FRZ_TRY(frz_ddl_advance(lexer, parser->err));
    if (kind >= FRZ_TYPE_STRUCT)
        return parse_nested(parser, kind, out);
    if (kind == FRZ_TYPE_TIMESTAMP || kind == FRZ_TYPE_TIMESTAMPTZ)
        return parse_timestamp(parser, kind, out);
    if (kind == FRZ_TYPE_DECIMAL || kind == FRZ_TYPE_FIXED || kind == FRZ_TYPE_GEOMETRY ||
        kind == FRZ_TYPE_GEOGRAPHY)
        return parse_with_arguments(parser, offset, kind, out);
    if (kind == FRZ_TYPE_DOUBLE)
        FRZ_TRY(frz_ddl_accept_word(lexer, "precision", &taken, parser->err));
    if (sized)
        FRZ_TRY(skip_length(parser));
    *out = frz_type_of(kind);
    return FRZ_OK;
}

static frz_status parse_whole(frz_slice text, frz_arena *arena, const frz_type **out,
                              frz_error **err)
{
    ddl_parser parser = {.arena = arena, .err = err};
    frz_type type = {.kind = FRZ_TYPE_STRUCT};
    int32_t last_id = 0;
    FRZ_TRY(frz_ddl_open("schema", text, arena, &parser.lexer, err));
    FRZ_TRY(parse_columns(&parser, &type));
    if (parser.lexer.token.kind != FRZ_DDL_END)
        return frz_ddl_expected(&parser.lexer,
                                "\",\", not null, default, comment or the end of the column", err);
    *out = frz_type_assign_ids(&type, arena, &last_id);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

frz_status frz_ddl_parse_schema(frz_slice text, frz_schema **out, frz_error **err)
{
    frz_arena arena = {.budget = frz_limits_default.parse_budget};
    const frz_type *type = NULL;
    frz_status status = parse_whole(text, &arena, &type, err);
    if (status == FRZ_OK && type) {
        const frz_schema_parts parts = {.fields = type->fields, .field_count = type->field_count};
        status = frz_schema_build(&parts, &arena, out, err);
    }
    frz_arena_clear(&arena);
    return status;
}

frz_status frz_ddl_parse_column(frz_slice text, frz_arena *arena, frz_field *out, frz_error **err)
{
    ddl_parser parser = {.arena = arena, .err = err};
    frz_field field = {0};
    FRZ_TRY(frz_ddl_open("column", text, arena, &parser.lexer, err));
    const size_t offset = parser.lexer.token.offset;
    FRZ_TRY(parse_type(&parser, &field.type));
    FRZ_TRY(parse_options(&parser, &field));
    if (parser.lexer.token.kind != FRZ_DDL_END)
        return frz_ddl_expected(&parser.lexer, "not null, default, comment or the end", err);
    FRZ_TRY(refuse_required_unknown(&parser, offset, &field));
    *out = field;
    return FRZ_OK;
}

/* null, or the word before a text in quotes: date '..', X'..'. */
static bool at_literal_word(const frz_ddl_lexer *lexer, const frz_type *type)
{
    return frz_ddl_at_word(lexer, "null") || frz_ddl_at_word(lexer, frz_type_word(type->kind)) ||
           (is_timestamp(type->kind) && frz_ddl_at_word(lexer, "timestamp")) ||
           (is_bytes(type->kind) && frz_ddl_at_word(lexer, "x"));
}

/* Text that no other literal of the type looks like. */
static bool is_bare_text(const frz_ddl_lexer *lexer, const frz_type *type)
{
    const frz_ddl_kind token = lexer->token.kind;
    if (type->kind == FRZ_TYPE_STRING)
        return token != FRZ_DDL_STRING && !frz_ddl_at_word(lexer, "null");
    return type->kind < FRZ_TYPE_STRUCT &&
           (token == FRZ_DDL_NUMBER || (token == FRZ_DDL_WORD && !at_literal_word(lexer, type)));
}

frz_status frz_ddl_parse_literal(frz_slice text, const frz_type *type, frz_arena *arena,
                                 const frz_value **out, frz_error **err)
{
    ddl_parser parser = {.arena = arena, .err = err};
    const frz_value *value = NULL;
    const frz_status opened = frz_ddl_open("default", text, arena, &parser.lexer, NULL);
    if (opened == FRZ_NO_MEMORY)
        return frz_fail_memory(err);
    if (opened != FRZ_OK || is_bare_text(&parser.lexer, type)) {
        const char *whole = frz_arena_text_n(arena, text.data, text.size);
        parser.lexer.what = "default";
        if (!whole)
            return frz_fail_memory(err);
        return parse_default_text(&parser, 0, type, whole, out);
    }
    FRZ_TRY(parse_default(&parser, type, &value));
    if (parser.lexer.token.kind != FRZ_DDL_END)
        return frz_ddl_expected(&parser.lexer, "the end of the literal", err);
    *out = value;
    return FRZ_OK;
}
