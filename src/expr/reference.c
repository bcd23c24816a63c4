#include "expr/reference.h"

#include <assert.h>
#include <inttypes.h>
#include <strings.h>

#include "base/fail.h"
#include "expr/lexer.h"

typedef struct metadata_column {
    const char *name;
    int32_t id;
    frz_type_kind kind;
    bool required;
} metadata_column;

/* Spec "Reserved Field IDs". Row ids are null in snapshots from before the upgrade to V3. */
static const metadata_column metadata_columns[] = {
    {"_file", FRZ_FIELD_ID_FILE, FRZ_TYPE_STRING, true},
    {"_pos", FRZ_FIELD_ID_POS, FRZ_TYPE_LONG, true},
    {"_deleted", FRZ_FIELD_ID_DELETED, FRZ_TYPE_BOOLEAN, true},
    {"_spec_id", FRZ_FIELD_ID_SPEC_ID, FRZ_TYPE_INT, true},
    {"_partition", FRZ_FIELD_ID_PARTITION, FRZ_TYPE_STRUCT, false},
    {"_row_id", FRZ_FIELD_ID_ROW_ID, FRZ_TYPE_LONG, false},
    {"_last_updated_sequence_number", FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER, FRZ_TYPE_LONG,
     false},
};

enum { METADATA_COLUMNS = sizeof metadata_columns / sizeof metadata_columns[0] };

/* A reference in the making: steps, and the path text. */
typedef struct builder {
    const frz_expr_scope *scope;
    const frz_name_part *parts;
    size_t part_count;
    frz_arena *arena;
    frz_step *steps;
    size_t step_count;
    const frz_type *type;
    bool required;
    bool direct;
    frz_buffer path;
} builder;

static void append_name(frz_buffer *path, const char *name)
{
    if (path->size)
        frz_buffer_append_byte(path, '.');
    if (frz_name_is_bare(name)) {
        frz_buffer_append_text(path, name);
        return;
    }
    frz_buffer_append_byte(path, '"');
    for (; *name; name++) {
        if (*name == '"')
            frz_buffer_append_byte(path, '"');
        frz_buffer_append_byte(path, (uint8_t)*name);
    }
    frz_buffer_append_byte(path, '"');
}

static void step_field(builder *b, const frz_field *field)
{
    append_name(&b->path, field->name);
    b->steps[b->step_count++] = (frz_step){.kind = FRZ_STEP_FIELD, .field_id = field->id};
    b->type = field->type;
    b->required = b->required && field->required;
    if (b->step_count == 1)
        b->direct = true;
    else if (b->steps[0].field_id == FRZ_FIELD_ID_PARTITION && b->scope->metadata_columns)
        b->direct = false;
}

/* Whether `name` is parts[at..at + used) joined by dots. */
static bool same_name(const builder *b, const char *name, size_t at, size_t used, bool exact)
{
    for (size_t i = 0; i < used; i++) {
        const frz_slice part = b->parts[at + i].name;
        if (i > 0 && *name++ != '.')
            return false;
        if (strnlen(name, part.size) < part.size)
            return false;
        const char *text = (const char *)part.data;
        if (part.size &&
            (exact ? strncmp(name, text, part.size) : strncasecmp(name, text, part.size)) != 0)
            return false;
        name += part.size;
    }
    return *name == '\0';
}

static const frz_field *find_field(const builder *b, const frz_type *type, size_t at, size_t used,
                                   frz_error **err)
{
    const frz_field *found = NULL;
    assert(type->fields || type->field_count == 0);
    for (size_t i = 0; i < type->field_count; i++) {
        if (same_name(b, type->fields[i].name, at, used, true))
            return &type->fields[i];
    }
    for (size_t i = 0; i < type->field_count && !b->scope->case_sensitive; i++) {
        if (!same_name(b, type->fields[i].name, at, used, false))
            continue;
        if (found) {
            (void)frz_fail(err, FRZ_INVALID, b->parts[at].offset,
                           "the name is ambiguous without its case: %s, %s", found->name,
                           type->fields[i].name);
            return NULL;
        }
        found = &type->fields[i];
    }
    return found;
}

static bool can_step(const frz_type *type, const frz_name_part *next)
{
    if (next->is_subscript)
        return type->kind == FRZ_TYPE_LIST || type->kind == FRZ_TYPE_MAP;
    return type->kind == FRZ_TYPE_STRUCT;
}

/* The field of `type` that parts[at..] begin with: the shortest name that lets the rest go on. */
static const frz_field *match_field(const builder *b, const frz_type *type, size_t at,
                                    size_t *used_out, frz_error **err)
{
    const frz_field *fallback = NULL;
    for (size_t used = 1; at + used <= b->part_count && !b->parts[at + used - 1].is_subscript;
         used++) {
        const frz_field *field = find_field(b, type, at, used, err);
        if (*err)
            return NULL;
        if (!field)
            continue;
        size_t ignored = 0;
        const size_t next = at + used;
        const bool goes_on =
            next == b->part_count ||
            (can_step(field->type, &b->parts[next]) &&
             (b->parts[next].is_subscript || match_field(b, field->type, next, &ignored, err)));
        if (!fallback || goes_on) {
            fallback = field;
            *used_out = used;
        }
        if (goes_on || *err)
            break;
    }
    return *err ? NULL : fallback;
}

static frz_status fail_unknown(const builder *b, size_t at, frz_error **err)
{
    frz_buffer name = {0};
    frz_buffer near = {0};
    for (size_t i = 0; i <= at; i++) {
        if (b->parts[i].is_subscript)
            continue;
        if (name.size)
            frz_buffer_append_byte(&name, '.');
        frz_buffer_append(&name, b->parts[i].name.data, b->parts[i].name.size);
    }
    frz_schema_suggest(b->scope->schema, frz_buffer_slice(&name), &near);
    if (b->scope->metadata_columns && name.size && name.data[0] == '_') {
        for (size_t i = 0; i < METADATA_COLUMNS; i++)
            frz_buffer_printf(&near, "%s%s", near.size ? ", " : "", metadata_columns[i].name);
    }
    frz_status status = FRZ_NO_MEMORY;
    if (name.failed || near.failed)
        (void)frz_fail_memory(err);
    else
        status = frz_fail(err, FRZ_INVALID, b->parts[at].offset, "no column %.*s%s%.*s%s",
                          (int)name.size, (const char *)name.data, near.size ? " (near: " : "",
                          (int)near.size, (const char *)near.data, near.size ? ")" : "");
    frz_buffer_clear(&name);
    frz_buffer_clear(&near);
    return status;
}

static frz_status fail_step(const builder *b, size_t at, frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, b->parts[at].offset, "%.*s has no %s", (int)b->path.size,
                    (const char *)b->path.data,
                    b->parts[at].is_subscript ? "elements: it is neither a list nor a map"
                                              : "fields: it is no struct");
}

static frz_status step_subscript(builder *b, const frz_name_part *part, frz_error **err)
{
    const frz_type *type = b->type;
    const bool list = type->kind == FRZ_TYPE_LIST;
    const frz_field *target = &type->fields[list ? 0 : 1];
    const frz_type *key_type = list ? frz_type_of(FRZ_TYPE_LONG) : type->fields[0].type;
    frz_step step = {.kind = list ? FRZ_STEP_ELEMENT : FRZ_STEP_KEY, .field_id = target->id};
    frz_literal_side side = FRZ_SIDE_EQUAL;
    if (part->subscript.kind == FRZ_LITERAL_NULL)
        return frz_fail(err, FRZ_INVALID, part->offset, "expected an index or a key, got NULL");
    FRZ_TRY(frz_literal_convert(&part->subscript, key_type, b->arena, &step.key, &side, err));
    if (side != FRZ_SIDE_EQUAL || (list && step.key.integer < 0))
        return frz_fail(err, FRZ_INVALID, part->offset, "expected %s",
                        list ? "an index of 0 or more" : "a key of the map's key type");
    if (key_type->kind == FRZ_TYPE_STRING && step.key.bytes.size &&
        memchr(step.key.bytes.data, 0, step.key.bytes.size))
        return frz_fail(err, FRZ_INVALID, part->offset, "expected a key without NUL bytes");
    if (!frz_value_copy(&step.key, b->arena, &step.key))
        return frz_fail_memory(err);
    if (list)
        step.index = step.key.integer;
    frz_buffer_append_byte(&b->path, '[');
    frz_literal_print(key_type, &step.key, &b->path);
    frz_buffer_append_byte(&b->path, ']');
    if (list)
        step.key = (frz_value){0};
    b->steps[b->step_count++] = step;
    b->type = target->type;
    b->required = false;
    b->direct = false;
    return FRZ_OK;
}

static frz_status finish(builder *b, const frz_reference **out, frz_error **err)
{
    frz_reference *reference = frz_arena_alloc(b->arena, sizeof *reference);
    const char *path = frz_arena_text_n(b->arena, b->path.data, b->path.size);
    if (!reference || !path || b->path.failed)
        return frz_fail_memory(err);
    *reference = (frz_reference){.path = path,
                                 .field_id = b->steps[b->step_count - 1].field_id,
                                 .type = b->type,
                                 .required = b->required,
                                 .direct = b->direct,
                                 .steps = b->steps,
                                 .step_count = b->step_count};
    *out = reference;
    return FRZ_OK;
}

static bool metadata_field(const frz_expr_scope *scope, const metadata_column *column,
                           frz_field *out)
{
    const bool partition = column->id == FRZ_FIELD_ID_PARTITION;
    *out = (frz_field){.id = column->id,
                       .name = column->name,
                       .required = column->required,
                       .type = partition ? scope->partition_type : frz_type_of(column->kind)};
    return out->type != NULL;
}

/* The metadata column that the first part names; false when there is none. */
static bool find_metadata(const builder *b, frz_field *out)
{
    for (size_t i = 0; i < METADATA_COLUMNS && b->scope->metadata_columns; i++) {
        if (same_name(b, metadata_columns[i].name, 0, 1, b->scope->case_sensitive))
            return metadata_field(b->scope, &metadata_columns[i], out);
    }
    return false;
}

/* Takes the field that parts[*at..] begin with, and moves behind it. */
static frz_status resolve_name(builder *b, size_t *at, frz_error **err)
{
    frz_error *fault =
        NULL; /* tells "ambiguous" from "absent", whether or not the caller wants to know */
    frz_field metadata;
    size_t used = 1;
    const frz_field *field = match_field(b, b->type, *at, &used, &fault);
    if (fault) {
        const frz_status status = frz_error_status(fault);
        if (err && !*err)
            *err = fault;
        else
            frz_error_free(fault);
        return status;
    }
    if (!field && *at == 0 && find_metadata(b, &metadata))
        field = &metadata;
    if (!field)
        return fail_unknown(b, *at, err);
    step_field(b, field);
    *at += used;
    return FRZ_OK;
}

static frz_status resolve_parts(builder *b, frz_error **err)
{
    size_t at = 0;
    FRZ_TRY(resolve_name(b, &at, err));
    while (at < b->part_count) {
        if (!can_step(b->type, &b->parts[at]))
            return fail_step(b, at, err);
        if (b->parts[at].is_subscript)
            FRZ_TRY(step_subscript(b, &b->parts[at++], err));
        else
            FRZ_TRY(resolve_name(b, &at, err));
    }
    return FRZ_OK;
}

frz_status frz_reference_resolve(const frz_expr_scope *scope, const frz_name_part *parts,
                                 size_t part_count, frz_arena *arena, const frz_reference **out,
                                 frz_error **err)
{
    frz_status status = FRZ_OK;
    builder b = {.scope = scope,
                 .parts = parts,
                 .part_count = part_count,
                 .arena = arena,
                 .type = frz_schema_type(scope->schema),
                 .required = true};
    b.steps = frz_arena_array(arena, part_count, sizeof *b.steps);
    if (!b.steps)
        return frz_fail_memory(err);
    FRZ_TRY_DONE(resolve_parts(&b, err));
    FRZ_TRY_DONE(finish(&b, out, err));
done:
    frz_buffer_clear(&b.path);
    return status;
}

frz_status frz_reference_size(const frz_reference *of, uint64_t offset, frz_arena *arena,
                              const frz_reference **out, frz_error **err)
{
    if (of->type->kind != FRZ_TYPE_LIST && of->type->kind != FRZ_TYPE_MAP)
        return frz_fail(err, FRZ_INVALID, offset,
                        "size() is of a list or a map; the column %s is neither", of->path);
    frz_reference *reference = frz_arena_alloc(arena, sizeof *reference);
    frz_step *steps = frz_arena_array(arena, of->step_count + 1, sizeof *steps);
    frz_buffer path = {0};
    frz_buffer_printf(&path, "size(%s)", of->path);
    const char *text = path.failed ? NULL : frz_arena_text_n(arena, path.data, path.size);
    frz_buffer_clear(&path);
    if (!reference || !steps || !text)
        return frz_fail_memory(err);
    memcpy(steps, of->steps, of->step_count * sizeof *steps);
    steps[of->step_count] = (frz_step){.kind = FRZ_STEP_SIZE, .field_id = of->type->fields[0].id};
    *reference = (frz_reference){.path = text,
                                 .field_id = of->field_id,
                                 .type = frz_type_of(FRZ_TYPE_INT),
                                 .required = of->required,
                                 .steps = steps,
                                 .step_count = of->step_count + 1};
    *out = reference;
    return FRZ_OK;
}

static const frz_field *find_id(const frz_type *type, int32_t id)
{
    for (size_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].id == id)
            return &type->fields[i];
    }
    return NULL;
}

/* The top-level field of an id, metadata columns among them; `made` is room for one of those. */
static const frz_field *find_top(const frz_expr_scope *scope, int32_t id, frz_field *made)
{
    const frz_field *field = find_id(frz_schema_type(scope->schema), id);
    for (size_t i = 0; i < METADATA_COLUMNS && !field; i++) {
        if (metadata_columns[i].id == id && metadata_field(scope, &metadata_columns[i], made))
            field = made;
    }
    return field;
}

static bool rebind_step(builder *b, const frz_step *step)
{
    frz_field made;
    const frz_field *field = NULL;
    if (b->step_count == 0)
        field = find_top(b->scope, step->field_id, &made);
    else
        field = find_id(b->type, step->field_id);
    if (!field)
        return false;
    if (step->kind == FRZ_STEP_FIELD) {
        step_field(b, field);
        return true;
    }
    frz_buffer_append_byte(&b->path, '[');
    if (step->kind == FRZ_STEP_ELEMENT)
        frz_buffer_printf(&b->path, "%" PRId64, step->index);
    else
        frz_literal_print(b->type->fields[0].type, &step->key, &b->path);
    frz_buffer_append_byte(&b->path, ']');
    frz_step copy = *step;
    if (step->kind == FRZ_STEP_KEY && !frz_value_copy(&step->key, b->arena, &copy.key))
        b->path.failed = true; /* finish reports it */
    b->steps[b->step_count++] = copy;
    b->type = field->type;
    b->required = false;
    b->direct = false;
    return true;
}

frz_status frz_reference_rebind(const frz_reference *reference, const frz_expr_scope *scope,
                                frz_arena *arena, const frz_reference **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    builder b = {
        .scope = scope, .arena = arena, .type = frz_schema_type(scope->schema), .required = true};
    b.steps = frz_arena_array(arena, reference->step_count, sizeof *b.steps);
    if (!b.steps)
        return frz_fail_memory(err);
    const bool size = reference->steps[reference->step_count - 1].kind == FRZ_STEP_SIZE;
    const frz_reference *column = NULL;
    for (size_t i = 0; i < reference->step_count - size; i++) {
        if (!rebind_step(&b, &reference->steps[i])) {
            status = frz_fail(
                err, FRZ_INVALID, FRZ_NO_OFFSET,
                "the schema with id %" PRId32 " has no column %s (field id %" PRId32 ")",
                frz_schema_id(scope->schema), reference->path, reference->steps[i].field_id);
            goto done;
        }
    }
    FRZ_TRY_DONE(finish(&b, &column, err));
    if (size)
        FRZ_TRY_DONE(frz_reference_size(column, FRZ_NO_OFFSET, arena, &column, err));
    *out = column;
done:
    frz_buffer_clear(&b.path);
    return status;
}
