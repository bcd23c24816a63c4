#include "avro/schema.h"

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/reader.h"

/* An array or object of the text: its bracket, and the place behind the one that closes it. */
typedef struct span {
    size_t start;
    size_t end;
} span;

/*
 * State of one parse. Attributes of an object may stand in any order ("fields" before "name"), so
 * each object is first cut into raw attributes, and these are parsed with a reader set into the
 * same text: offsets in errors stay those of the whole schema. What is nested is passed by its
 * span: read again at each level, a schema would cost its depth times its size.
 */
typedef struct parser {
    frz_slice text;
    span *spans; /* by start */
    size_t span_count;
    frz_arena *arena;
    const frz_limits *limits;
    frz_map names;      /* full name -> frz_avro_schema */
    size_t field_count; /* of all records together */
    uint32_t depth;
} parser;

/* One JSON object of a schema, cut into the attributes that mean something; data NULL = absent. */
typedef struct attributes {
    frz_slice type;
    frz_slice name;
    frz_slice name_space;
    frz_slice fields;
    frz_slice items;
    frz_slice values;
    frz_slice symbols;
    frz_slice size;
    frz_slice logical_type;
    frz_slice adjust_to_utc;
    frz_slice precision;
    frz_slice scale;
    frz_slice field_id;
    frz_slice element_id;
    frz_slice key_id;
    frz_slice value_id;
    size_t offset;
} attributes;

static const struct {
    const char *name;
    frz_avro_kind kind;
} kind_names[] = {
    {"null", FRZ_AVRO_NULL},   {"boolean", FRZ_AVRO_BOOLEAN}, {"int", FRZ_AVRO_INT},
    {"long", FRZ_AVRO_LONG},   {"float", FRZ_AVRO_FLOAT},     {"double", FRZ_AVRO_DOUBLE},
    {"bytes", FRZ_AVRO_BYTES}, {"string", FRZ_AVRO_STRING},   {"fixed", FRZ_AVRO_FIXED},
    {"enum", FRZ_AVRO_ENUM},   {"record", FRZ_AVRO_RECORD},   {"error", FRZ_AVRO_RECORD},
    {"array", FRZ_AVRO_ARRAY}, {"map", FRZ_AVRO_MAP},
};

static frz_status parse_schema(parser *p, frz_slice raw, const char *name_space,
                               const frz_avro_schema **out, frz_error **err);

static frz_json_reader reader_at(const parser *p, frz_slice raw)
{
    const size_t start = (size_t)(raw.data - p->text.data);
    frz_json_reader json =
        frz_json_reader_over(frz_slice_of(p->text.data, start + raw.size), p->arena);
    json.pos = start;
    return json;
}

/* The end of each array and object. The text is valid JSON, no deeper than the reader's limit. */
static frz_status find_spans(parser *p, frz_error **err)
{
    const uint8_t *text = p->text.data;
    size_t brackets = 0;
    size_t open = SIZE_MAX; /* the innermost span; its `end` is the one around it until it closes */
    bool quoted = false;
    for (size_t i = 0; i < p->text.size; i++)
        brackets += text[i] == '{' || text[i] == '[';
    p->spans = frz_alloc_array(brackets, sizeof *p->spans);
    if (!p->spans)
        return frz_fail_memory(err);
    for (size_t i = 0; i < p->text.size; i++) {
        if (quoted && text[i] == '\\') {
            i++;
        } else if (text[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && (text[i] == '{' || text[i] == '[')) {
            p->spans[p->span_count] = (span){.start = i, .end = open};
            open = p->span_count++;
        } else if (!quoted && (text[i] == '}' || text[i] == ']')) {
            const size_t around = p->spans[open].end;
            p->spans[open].end = i + 1;
            open = around;
        }
    }
    return FRZ_OK;
}

static size_t end_of(const parser *p, size_t start)
{
    size_t low = 0;
    size_t high = p->span_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (p->spans[middle].start <= start)
            low = middle;
        else
            high = middle;
    }
    return p->spans[low].end;
}

/* As frz_json_read_raw. */
static frz_status pass_value(const parser *p, frz_json_reader *json, frz_slice *out,
                             frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    FRZ_TRY(frz_json_peek(json, &kind, err));
    if (kind != FRZ_JSON_ARRAY && kind != FRZ_JSON_OBJECT)
        return frz_json_read_raw(json, out, err);
    const size_t end = end_of(p, json->pos);
    *out = frz_slice_of(p->text.data + json->pos, end - json->pos);
    json->pos = end;
    return FRZ_OK;
}

static frz_slice *attribute_slot(attributes *a, frz_slice key)
{
    const struct {
        const char *name;
        frz_slice *slot;
    } slots[] = {
        {"type", &a->type},
        {"name", &a->name},
        {"namespace", &a->name_space},
        {"fields", &a->fields},
        {"items", &a->items},
        {"values", &a->values},
        {"symbols", &a->symbols},
        {"size", &a->size},
        {"logicalType", &a->logical_type},
        {"adjust-to-utc", &a->adjust_to_utc},
        {"precision", &a->precision},
        {"scale", &a->scale},
        {"field-id", &a->field_id},
        {"element-id", &a->element_id},
        {"key-id", &a->key_id},
        {"value-id", &a->value_id},
    };
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (frz_slice_is_text(key, slots[i].name))
            return slots[i].slot;
    return NULL;
}

static frz_status cut_attributes(parser *p, frz_slice raw, attributes *out, frz_error **err)
{
    frz_json_reader json = reader_at(p, raw);
    *out = (attributes){.offset = json.pos};
    FRZ_TRY(frz_json_enter_object(&json, err));
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_key(&json, &key, &more, err));
        if (!more)
            return FRZ_OK;
        frz_slice ignored = {0};
        frz_slice *slot = attribute_slot(out, key);
        FRZ_TRY(pass_value(p, &json, slot ? slot : &ignored, err));
    }
}

static frz_status missing(const attributes *a, const char *what, const char *attribute,
                          frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, a->offset, "Avro schema: %s without \"%s\"", what, attribute);
}

static frz_status read_text(const parser *p, frz_slice raw, const char **out, frz_error **err)
{
    frz_json_reader json = reader_at(p, raw);
    return frz_json_read_text(&json, out, err);
}

static frz_status read_id(const parser *p, frz_slice raw, int32_t *out, frz_error **err)
{
    if (!raw.data) {
        *out = FRZ_AVRO_NO_ID;
        return FRZ_OK;
    }
    frz_json_reader json = reader_at(p, raw);
    return frz_json_read_i32(&json, out, err);
}

/* An attribute of a logical type: what is not an integer makes the logical type invalid, not the
 * schema
 * ("Logical Types": ignore it). */
static int32_t read_i32_or(const parser *p, frz_slice raw, int32_t otherwise)
{
    int32_t value = 0;
    if (!raw.data)
        return otherwise;
    frz_json_reader json = reader_at(p, raw);
    return frz_json_read_i32(&json, &value, NULL) == FRZ_OK ? value : -1;
}

/* Most decimal digits that `size` bytes of two's complement always hold: floor(log10(2^(8n-1) -
 * 1)). */
static int32_t digits_of_size(int32_t size)
{
    return size > 1000 ? INT32_MAX : (int32_t)((8 * (double)size - 1) * 0.30102999566398120);
}

static bool is_decimal(const frz_avro_schema *s)
{
    if (s->kind != FRZ_AVRO_BYTES && s->kind != FRZ_AVRO_FIXED)
        return false;
    if (s->precision <= 0 || s->scale < 0 || s->scale > s->precision)
        return false;
    return s->kind == FRZ_AVRO_BYTES || s->precision <= digits_of_size(s->size);
}

/* Keeps only a logical type that fits its underlying type ("Logical Types"). */
static bool logical_type_fits(const frz_avro_schema *s, const char *name)
{
    static const struct {
        const char *name;
        frz_avro_kind kind;
    } fits[] = {
        {"date", FRZ_AVRO_INT},
        {"time-millis", FRZ_AVRO_INT},
        {"time-micros", FRZ_AVRO_LONG},
        {"timestamp-millis", FRZ_AVRO_LONG},
        {"timestamp-micros", FRZ_AVRO_LONG},
        {"timestamp-nanos", FRZ_AVRO_LONG},
        {"local-timestamp-millis", FRZ_AVRO_LONG},
        {"local-timestamp-micros", FRZ_AVRO_LONG},
        {"local-timestamp-nanos", FRZ_AVRO_LONG},
        {"map", FRZ_AVRO_ARRAY},
    };
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        if (strcmp(name, fits[i].name) == 0)
            return s->kind == fits[i].kind;
    if (strcmp(name, "uuid") == 0)
        return s->kind == FRZ_AVRO_STRING || (s->kind == FRZ_AVRO_FIXED && s->size == 16);
    if (strcmp(name, "duration") == 0)
        return s->kind == FRZ_AVRO_FIXED && s->size == 12;
    return true;
}

/* Iceberg's array form of a map holds records of two fields, the key not null (spec, Appendix A,
 * "Avro"). */
static bool is_key_value_array(const frz_avro_schema *s)
{
    const frz_avro_schema *items = s->items;
    return items && items->kind == FRZ_AVRO_RECORD && items->field_count == 2 &&
           items->fields[0].type->kind != FRZ_AVRO_UNION &&
           items->fields[0].type->kind != FRZ_AVRO_NULL;
}

static frz_status read_logical_type(const parser *p, const attributes *a, frz_avro_schema *s,
                                    frz_error **err)
{
    const char *name = NULL;
    frz_json_kind kind = FRZ_JSON_NULL;
    if (!a->logical_type.data)
        return FRZ_OK;
    frz_json_reader json = reader_at(p, a->logical_type);
    FRZ_TRY(frz_json_peek(&json, &kind, err));
    if (kind != FRZ_JSON_STRING)
        return FRZ_OK;
    FRZ_TRY(frz_json_read_text(&json, &name, err));
    if (a->adjust_to_utc.data) {
        json = reader_at(p, a->adjust_to_utc);
        FRZ_TRY(frz_json_read_bool(&json, &s->adjust_to_utc, err));
    }
    if (strcmp(name, "decimal") == 0) {
        s->precision = read_i32_or(p, a->precision, 0);
        s->scale = read_i32_or(p, a->scale, 0);
        if (!is_decimal(s)) {
            s->precision = s->scale = 0;
            return FRZ_OK;
        }
    } else if (!logical_type_fits(s, name)) {
        return FRZ_OK;
    }
    s->logical_type = name;
    s->is_map = strcmp(name, "map") == 0 && is_key_value_array(s);
    return FRZ_OK;
}

/* "Names": a name with a dot is the full name; otherwise the namespace given, else the enclosing
 * one. */
static frz_status full_name(const parser *p, const char *name, const char *name_space,
                            const char **out, frz_error **err)
{
    if (strchr(name, '.') || !name_space || !*name_space) {
        *out = name;
        return FRZ_OK;
    }
    *out = frz_arena_printf(p->arena, "%s.%s", name_space, name);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

/* The namespace part of a full name; NULL when it has none. */
static frz_status namespace_of(const parser *p, const char *name, const char **out, frz_error **err)
{
    const char *dot = strrchr(name, '.');
    *out = dot ? frz_arena_text_n(p->arena, name, (size_t)(dot - name)) : NULL;
    return dot && !*out ? frz_fail_memory(err) : FRZ_OK;
}

static frz_status define_name(parser *p, const attributes *a, const char *what,
                              const char *enclosing, frz_avro_schema *s,
                              const char **name_space_out, frz_error **err)
{
    const char *name = NULL;
    const char *name_space = enclosing;
    if (!a->name.data)
        return missing(a, what, "name", err);
    FRZ_TRY(read_text(p, a->name, &name, err));
    if (!*name)
        return frz_fail(err, FRZ_CORRUPT, a->offset, "Avro schema: %s with an empty name", what);
    if (a->name_space.data) {
        frz_json_reader json = reader_at(p, a->name_space);
        bool is_null = false;
        FRZ_TRY(frz_json_read_null(&json, &is_null, err));
        if (!is_null)
            FRZ_TRY(frz_json_read_text(&json, &name_space, err));
    }
    FRZ_TRY(full_name(p, name, name_space, &s->name, err));
    if (frz_map_find(&p->names, frz_slice_of_text(s->name)))
        return frz_fail(err, FRZ_CORRUPT, a->offset, "Avro schema: \"%s\" is defined twice",
                        s->name);
    if (!frz_map_put(&p->names, frz_slice_of_text(s->name), (frz_map_value){.pointer = s}))
        return frz_fail_memory(err);
    return namespace_of(p, s->name, name_space_out, err);
}

static frz_status count_items(const parser *p, frz_slice raw, size_t *out, frz_error **err)
{
    frz_json_reader json = reader_at(p, raw);
    frz_slice ignored = {0};
    bool more = false;
    *out = 0;
    FRZ_TRY(frz_json_enter_array(&json, err));
    for (;; ++*out) {
        FRZ_TRY(frz_json_next_item(&json, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(pass_value(p, &json, &ignored, err));
    }
}

static frz_status parse_field(parser *p, frz_slice raw, const char *name_space, frz_avro_field *out,
                              frz_error **err)
{
    attributes a = {0};
    FRZ_TRY(cut_attributes(p, raw, &a, err));
    if (!a.name.data)
        return missing(&a, "field", "name", err);
    if (!a.type.data)
        return missing(&a, "field", "type", err);
    FRZ_TRY(read_text(p, a.name, &out->name, err));
    FRZ_TRY(read_id(p, a.field_id, &out->field_id, err));
    return parse_schema(p, a.type, name_space, &out->type, err);
}

static frz_status parse_record(parser *p, const attributes *a, const char *enclosing,
                               frz_avro_schema *s, frz_error **err)
{
    const char *name_space = NULL;
    size_t count = 0;
    FRZ_TRY(define_name(p, a, "record", enclosing, s, &name_space, err));
    if (!a->fields.data)
        return missing(a, "record", "fields", err);
    FRZ_TRY(count_items(p, a->fields, &count, err));
    p->field_count += count;
    if (p->field_count > p->limits->schema_columns)
        return frz_fail(err, FRZ_UNSUPPORTED, a->offset,
                        "Avro schema: more than %zu fields (limit schema_columns)",
                        p->limits->schema_columns);
    frz_avro_field *fields = frz_arena_array(p->arena, count, sizeof *fields);
    if (!fields && count)
        return frz_fail_memory(err);
    frz_json_reader json = reader_at(p, a->fields);
    FRZ_TRY(frz_json_enter_array(&json, err));
    for (size_t i = 0; i < count; i++) {
        frz_slice raw = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_item(&json, &more, err));
        FRZ_TRY(pass_value(p, &json, &raw, err));
        FRZ_TRY(parse_field(p, raw, name_space, &fields[i], err));
    }
    s->fields = fields;
    s->field_count = count;
    return FRZ_OK;
}

static frz_status parse_enum(parser *p, const attributes *a, const char *enclosing,
                             frz_avro_schema *s, frz_error **err)
{
    const char *name_space = NULL;
    size_t count = 0;
    FRZ_TRY(define_name(p, a, "enum", enclosing, s, &name_space, err));
    if (!a->symbols.data)
        return missing(a, "enum", "symbols", err);
    FRZ_TRY(count_items(p, a->symbols, &count, err));
    s->symbols = frz_arena_array(p->arena, count, sizeof *s->symbols);
    if (!s->symbols && count)
        return frz_fail_memory(err);
    frz_json_reader json = reader_at(p, a->symbols);
    FRZ_TRY(frz_json_enter_array(&json, err));
    for (size_t i = 0; i < count; i++) {
        bool more = false;
        FRZ_TRY(frz_json_next_item(&json, &more, err));
        FRZ_TRY(frz_json_read_text(&json, &s->symbols[i], err));
    }
    s->symbol_count = count;
    return FRZ_OK;
}

static frz_status parse_fixed(parser *p, const attributes *a, const char *enclosing,
                              frz_avro_schema *s, frz_error **err)
{
    const char *name_space = NULL;
    FRZ_TRY(define_name(p, a, "fixed", enclosing, s, &name_space, err));
    if (!a->size.data)
        return missing(a, "fixed", "size", err);
    frz_json_reader json = reader_at(p, a->size);
    FRZ_TRY(frz_json_read_i32(&json, &s->size, err));
    if (s->size < 0)
        return frz_fail(err, FRZ_CORRUPT, a->offset, "Avro schema: fixed \"%s\" of size %d",
                        s->name, (int)s->size);
    return FRZ_OK;
}

static frz_status parse_array(parser *p, const attributes *a, const char *enclosing,
                              frz_avro_schema *s, frz_error **err)
{
    if (!a->items.data)
        return missing(a, "array", "items", err);
    FRZ_TRY(read_id(p, a->element_id, &s->element_id, err));
    return parse_schema(p, a->items, enclosing, &s->items, err);
}

static frz_status parse_map(parser *p, const attributes *a, const char *enclosing,
                            frz_avro_schema *s, frz_error **err)
{
    if (!a->values.data)
        return missing(a, "map", "values", err);
    FRZ_TRY(read_id(p, a->key_id, &s->key_id, err));
    FRZ_TRY(read_id(p, a->value_id, &s->value_id, err));
    return parse_schema(p, a->values, enclosing, &s->items, err);
}

static frz_status new_schema(const parser *p, frz_avro_kind kind, frz_avro_schema **out,
                             frz_error **err)
{
    frz_avro_schema *s = frz_arena_alloc(p->arena, sizeof *s);
    if (!s)
        return frz_fail_memory(err);
    s->kind = kind;
    s->element_id = s->key_id = s->value_id = FRZ_AVRO_NO_ID;
    *out = s;
    return FRZ_OK;
}

static bool find_kind(frz_slice name, frz_avro_kind *out)
{
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++) {
        if (frz_slice_is_text(name, kind_names[i].name)) {
            *out = kind_names[i].kind;
            return true;
        }
    }
    return false;
}

static frz_status find_named(const parser *p, const char *name, const char *name_space,
                             size_t offset, const frz_avro_schema **out, frz_error **err)
{
    const char *full = NULL;
    FRZ_TRY(full_name(p, name, name_space, &full, err));
    const frz_map_value *found = frz_map_find(&p->names, frz_slice_of_text(full));
    if (!found)
        found = frz_map_find(&p->names, frz_slice_of_text(name));
    if (!found)
        return frz_fail(err, FRZ_CORRUPT, offset, "Avro schema: type \"%s\" is not defined", full);
    *out = found->pointer;
    return FRZ_OK;
}

static frz_status parse_by_kind(parser *p, const attributes *a, frz_avro_kind kind,
                                const char *enclosing, frz_avro_schema *s, frz_error **err)
{
    switch (kind) {
    case FRZ_AVRO_RECORD:
        return parse_record(p, a, enclosing, s, err);
    case FRZ_AVRO_ENUM:
        return parse_enum(p, a, enclosing, s, err);
    case FRZ_AVRO_FIXED:
        return parse_fixed(p, a, enclosing, s, err);
    case FRZ_AVRO_ARRAY:
        return parse_array(p, a, enclosing, s, err);
    case FRZ_AVRO_MAP:
        return parse_map(p, a, enclosing, s, err);
    case FRZ_AVRO_NULL:
    case FRZ_AVRO_BOOLEAN:
    case FRZ_AVRO_INT:
    case FRZ_AVRO_LONG:
    case FRZ_AVRO_FLOAT:
    case FRZ_AVRO_DOUBLE:
    case FRZ_AVRO_BYTES:
    case FRZ_AVRO_STRING:
    case FRZ_AVRO_UNION:
        break;
    }
    return FRZ_OK;
}

static frz_status parse_object(parser *p, frz_slice raw, const char *name_space,
                               const frz_avro_schema **out, frz_error **err)
{
    attributes a = {0};
    frz_avro_kind kind = FRZ_AVRO_NULL;
    frz_json_kind json_kind = FRZ_JSON_NULL;
    frz_avro_schema *s = NULL;
    const char *name = NULL;
    FRZ_TRY(cut_attributes(p, raw, &a, err));
    if (!a.type.data)
        return missing(&a, "type", "type", err);
    frz_json_reader json = reader_at(p, a.type);
    FRZ_TRY(frz_json_peek(&json, &json_kind, err));
    if (json_kind != FRZ_JSON_STRING) /* {"type": {"type": ...}}, as some writers wrap it */
        return parse_schema(p, a.type, name_space, out, err);
    FRZ_TRY(frz_json_read_text(&json, &name, err));
    if (!find_kind(frz_slice_of_text(name), &kind))
        return find_named(p, name, name_space, a.offset, out, err);
    FRZ_TRY(new_schema(p, kind, &s, err));
    FRZ_TRY(parse_by_kind(p, &a, kind, name_space, s, err));
    FRZ_TRY(read_logical_type(p, &a, s, err));
    *out = s;
    return FRZ_OK;
}

static frz_status parse_union(parser *p, frz_slice raw, const char *name_space,
                              const frz_avro_schema **out, frz_error **err)
{
    frz_avro_schema *s = NULL;
    size_t count = 0;
    FRZ_TRY(new_schema(p, FRZ_AVRO_UNION, &s, err));
    FRZ_TRY(count_items(p, raw, &count, err));
    frz_json_reader json = reader_at(p, raw);
    if (count == 0)
        return frz_fail(err, FRZ_CORRUPT, json.pos, "Avro schema: a union without branches");
    s->branches = frz_arena_array(p->arena, count, sizeof *s->branches);
    if (!s->branches)
        return frz_fail_memory(err);
    FRZ_TRY(frz_json_enter_array(&json, err));
    for (size_t i = 0; i < count; i++) {
        frz_slice branch = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_item(&json, &more, err));
        const size_t offset = json.pos;
        FRZ_TRY(pass_value(p, &json, &branch, err));
        FRZ_TRY(parse_schema(p, branch, name_space, &s->branches[i], err));
        if (s->branches[i]->kind == FRZ_AVRO_UNION)
            return frz_fail(err, FRZ_CORRUPT, offset,
                            "Avro schema: a union immediately inside a union");
    }
    s->branch_count = count;
    *out = s;
    return FRZ_OK;
}

static frz_status parse_name(parser *p, frz_slice raw, const char *name_space,
                             const frz_avro_schema **out, frz_error **err)
{
    const char *name = NULL;
    frz_avro_kind kind = FRZ_AVRO_NULL;
    frz_avro_schema *s = NULL;
    FRZ_TRY(read_text(p, raw, &name, err));
    if (!find_kind(frz_slice_of_text(name), &kind) || kind >= FRZ_AVRO_FIXED)
        return find_named(p, name, name_space, (size_t)(raw.data - p->text.data), out, err);
    FRZ_TRY(new_schema(p, kind, &s, err));
    *out = s;
    return FRZ_OK;
}

static frz_status parse_schema(parser *p, frz_slice raw, const char *name_space,
                               const frz_avro_schema **out, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_status status = FRZ_OK;
    frz_json_reader json = reader_at(p, raw);
    if (p->depth >= p->limits->nesting_depth)
        return frz_fail(err, FRZ_UNSUPPORTED, json.pos,
                        "Avro schema: nested deeper than %u (limit nesting_depth)",
                        (unsigned)p->limits->nesting_depth);
    FRZ_TRY(frz_json_peek(&json, &kind, err));
    p->depth++;
    switch (kind) {
    case FRZ_JSON_OBJECT:
        status = parse_object(p, raw, name_space, out, err);
        break;
    case FRZ_JSON_ARRAY:
        status = parse_union(p, raw, name_space, out, err);
        break;
    case FRZ_JSON_STRING:
        status = parse_name(p, raw, name_space, out, err);
        break;
    case FRZ_JSON_NULL:
    case FRZ_JSON_BOOL:
    case FRZ_JSON_NUMBER:
        status = frz_fail(err, FRZ_CORRUPT, json.pos,
                          "Avro schema: expected a type name, object or union");
        break;
    }
    p->depth--;
    return status;
}

frz_status frz_avro_schema_parse(frz_slice json, const frz_limits *limits, frz_arena *arena,
                                 const frz_avro_schema **out, frz_error **err)
{
    parser p = {.text = json, .arena = arena, .limits = limits ? limits : &frz_limits_default};
    const frz_avro_schema *parsed = NULL;
    frz_slice raw = {0};
    frz_status status = FRZ_OK;
    frz_json_reader whole = frz_json_reader_over(json, arena);
    FRZ_TRY_DONE(frz_json_read_raw(&whole, &raw, err));
    FRZ_TRY_DONE(frz_json_expect_end(&whole, err));
    FRZ_TRY_DONE(find_spans(&p, err));
    FRZ_TRY_DONE(parse_schema(&p, raw, NULL, &parsed, err));
    *out = parsed;
done:
    frz_map_clear(&p.names);
    frz_free(p.spans);
    return status;
}
