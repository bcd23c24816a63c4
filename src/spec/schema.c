#include "spec/schema.h"

#include <stdatomic.h>
#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "spec/schema_build.h"

enum { NO_PARENT = -1, NAME_SHOWN_MAX = 200, NAME_COMPARED_MAX = 64, SUGGESTIONS_MAX = 3 };

/* A field with its place in the tree. */
typedef struct schema_entry {
    const frz_field *field;
    int64_t parent;   /* index, or NO_PARENT */
    const char *path; /* dotted */
    const char
        *short_path; /* without "element" and "value" of structs; equals path where it would */
    const char *short_prefix; /* what children put before their name; NULL at a top that has none */
} schema_entry;

struct frz_schema {
    frz_schema *self; /* for the last unref, which has a pointer to const */
    atomic_size_t *references;
    frz_arena arena;
    int32_t id;
    int32_t highest_id;
    frz_type type;
    const int32_t *identifier_ids;
    size_t identifier_count;
    schema_entry *entries; /* pre-order */
    size_t entry_count;
    frz_map by_id;   /* to the index of an entry */
    frz_map by_path; /* canonical paths, then short ones that are free */
};

typedef struct builder {
    frz_schema *schema;
    bool foreign;
    frz_status fault; /* what a broken rule is called */
    frz_error **err;
} builder;

static frz_status count_fields(const builder *b, const frz_type *type, uint32_t depth)
{
    frz_schema *schema = b->schema;
    if (depth > frz_limits_default.nesting_depth)
        return frz_fail(b->err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "schema nested more than %u deep (limit nesting_depth)",
                        frz_limits_default.nesting_depth);
    schema->entry_count += type->field_count;
    if (schema->entry_count > frz_limits_default.schema_columns)
        return frz_fail(b->err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "schema of more than %zu fields (limit schema_columns)",
                        frz_limits_default.schema_columns);
    for (size_t i = 0; i < type->field_count; i++)
        FRZ_TRY(count_fields(b, type->fields[i].type, depth + 1));
    return FRZ_OK;
}

static const char *join_path(frz_arena *arena, const char *prefix, const char *name)
{
    return prefix ? frz_arena_printf(arena, "%s.%s", prefix, name) : name;
}

/* As Java's IndexByName: the element of a list, or value of a map, that is a struct is left out. */
static bool is_skipped_in_short_path(const frz_type *parent, size_t index)
{
    const frz_type *type = parent->fields[index].type;
    return type->kind == FRZ_TYPE_STRUCT &&
           (parent->kind == FRZ_TYPE_LIST || (parent->kind == FRZ_TYPE_MAP && index == 1));
}

static bool set_paths(const builder *b, const frz_type *parent_type, size_t index,
                      schema_entry *entry)
{
    frz_arena *arena = &b->schema->arena;
    const schema_entry *parent =
        entry->parent == NO_PARENT ? NULL : &b->schema->entries[entry->parent];
    const char *name = entry->field->name;
    entry->path = join_path(arena, parent ? parent->path : NULL, name);
    entry->short_path = !parent || parent->short_prefix == parent->path
                            ? entry->path
                            : join_path(arena, parent->short_prefix, name);
    entry->short_prefix = is_skipped_in_short_path(parent_type, index)
                              ? (parent ? parent->short_prefix : NULL)
                              : entry->short_path;
    return entry->path && entry->short_path;
}

static bool is_metadata_column(int32_t id)
{
    return (id >= FRZ_FIELD_ID_CONTENT_SIZE && id <= FRZ_FIELD_ID_FILE) ||
           (id >= FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER && id <= FRZ_FIELD_ID_DELETE_FILE_PATH);
}

static frz_status broken(const builder *b, const schema_entry *entry, const char *what)
{
    return frz_fail(b->err, b->fault, FRZ_NO_OFFSET, "column %.*s (id %d): %s", NAME_SHOWN_MAX,
                    entry->path, entry->field->id, what);
}

static bool must_default_to_null(frz_type_kind kind)
{
    return kind == FRZ_TYPE_UNKNOWN || kind == FRZ_TYPE_VARIANT || kind == FRZ_TYPE_GEOMETRY ||
           kind == FRZ_TYPE_GEOGRAPHY;
}

static frz_status check_default(const builder *b, const schema_entry *entry, const frz_value *value)
{
    const frz_type *type = entry->field->type;
    if (!value || value->form == FRZ_VALUE_NULL)
        return FRZ_OK;
    if (must_default_to_null(type->kind))
        return broken(b, entry, "its type allows no default but null");
    if (!frz_value_fits(type, value))
        return broken(b, entry, "its default is of another type");
    for (size_t i = 0; type->kind == FRZ_TYPE_STRUCT && i < value->items.count; i++)
        if (value->items.data[i].form != FRZ_VALUE_NULL)
            return broken(b, entry,
                          "a struct's default may only be null or {}; its fields have "
                          "defaults of their own");
    return FRZ_OK;
}

static frz_status check_entry(const builder *b, const schema_entry *entry)
{
    const frz_field *field = entry->field;
    const bool reserved = field->id > FRZ_FIELD_ID_MAX;
    if (field->id < 0)
        return broken(b, entry, "a field id must not be negative");
    if (reserved && (b->foreign || entry->parent != NO_PARENT || !is_metadata_column(field->id)))
        return broken(b, entry, "ids above 2147483447 are reserved");
    if (field->required && field->type->kind == FRZ_TYPE_UNKNOWN)
        return broken(b, entry, "a column of type unknown must be optional");
    FRZ_TRY(check_default(b, entry, field->initial_default));
    return check_default(b, entry, field->write_default);
}

static frz_status index_id(const builder *b, const schema_entry *entry, int64_t index)
{
    frz_schema *schema = b->schema;
    const frz_map_value *other = frz_map_find_i64(&schema->by_id, entry->field->id);
    if (other)
        return frz_fail(b->err, b->fault, FRZ_NO_OFFSET, "field id %d of both %.*s and %.*s",
                        entry->field->id, NAME_SHOWN_MAX, schema->entries[other->number].path,
                        NAME_SHOWN_MAX, entry->path);
    if (!frz_map_put_i64(&schema->by_id, entry->field->id, (frz_map_value){.number = index}))
        return frz_fail_memory(b->err);
    if (entry->field->id > schema->highest_id)
        schema->highest_id = entry->field->id;
    return FRZ_OK;
}

static frz_status index_path(const builder *b, const schema_entry *entry, int64_t index)
{
    frz_schema *schema = b->schema;
    const frz_slice path = frz_slice_of_text(entry->path);
    const frz_map_value *other = frz_map_find(&schema->by_path, path);
    if (other) {
        const schema_entry *first = &schema->entries[other->number];
        if (b->foreign && first->parent != entry->parent)
            return FRZ_OK;
        return frz_fail(b->err, b->fault, FRZ_NO_OFFSET, "two columns named %.*s (ids %d and %d)",
                        NAME_SHOWN_MAX, entry->path, first->field->id, entry->field->id);
    }
    return frz_map_put(&schema->by_path, path, (frz_map_value){.number = index})
               ? FRZ_OK
               : frz_fail_memory(b->err);
}

static frz_status add_fields(const builder *b, const frz_type *type, int64_t parent)
{
    frz_schema *schema = b->schema;
    for (size_t i = 0; i < type->field_count; i++) {
        const int64_t index = (int64_t)schema->entry_count++;
        schema_entry *entry = &schema->entries[index];
        *entry = (schema_entry){.field = &type->fields[i], .parent = parent};
        if (!set_paths(b, type, i, entry))
            return frz_fail_memory(b->err);
        FRZ_TRY(check_entry(b, entry));
        FRZ_TRY(index_id(b, entry, index));
        FRZ_TRY(index_path(b, entry, index));
        FRZ_TRY(add_fields(b, entry->field->type, index));
    }
    return FRZ_OK;
}

static frz_status index_short_paths(const builder *b)
{
    frz_schema *schema = b->schema;
    for (size_t i = 0; i < schema->entry_count; i++) {
        const schema_entry *entry = &schema->entries[i];
        const frz_slice path = frz_slice_of_text(entry->short_path);
        if (entry->short_path == entry->path || frz_map_find(&schema->by_path, path))
            continue;
        if (!frz_map_put(&schema->by_path, path, (frz_map_value){.number = (int64_t)i}))
            return frz_fail_memory(b->err);
    }
    return FRZ_OK;
}

static const schema_entry *find_entry(const frz_schema *schema, int32_t id)
{
    const frz_map_value *found = frz_map_find_i64(&schema->by_id, id);
    return found ? &schema->entries[found->number] : NULL;
}

/* Spec "Identifier Field IDs". */
static frz_status check_identifier(const builder *b, int32_t id)
{
    const frz_schema *schema = b->schema;
    const schema_entry *entry = find_entry(schema, id);
    if (!entry)
        return frz_fail(b->err, b->fault, FRZ_NO_OFFSET, "identifier field id %d is of no column",
                        id);
    const frz_type_kind kind = entry->field->type->kind;
    if (!frz_type_is_primitive(entry->field->type))
        return broken(b, entry, "an identifier field must be of a primitive type");
    if (kind == FRZ_TYPE_FLOAT || kind == FRZ_TYPE_DOUBLE)
        return broken(b, entry, "an identifier field must not be float or double");
    for (const schema_entry *at = entry;; at = &schema->entries[at->parent]) {
        if (!at->field->required)
            return broken(b, entry, "an identifier field and all it is nested in must be required");
        if (at != entry && at->field->type->kind != FRZ_TYPE_STRUCT)
            return broken(b, entry, "an identifier field must not be inside of a list or map");
        if (at->parent == NO_PARENT)
            return FRZ_OK;
    }
}

static frz_status fill(const builder *b, const frz_schema_parts *parts)
{
    frz_schema *schema = b->schema;
    schema->references = frz_arena_alloc(&schema->arena, sizeof *schema->references);
    if (!schema->references)
        return frz_fail_memory(b->err);
    atomic_init(schema->references, 1);
    schema->type = (frz_type){
        .kind = FRZ_TYPE_STRUCT, .fields = parts->fields, .field_count = parts->field_count};
    FRZ_TRY(count_fields(b, &schema->type, 0));
    schema->entries = frz_arena_array(&schema->arena, schema->entry_count, sizeof *schema->entries);
    if (!schema->entries)
        return frz_fail_memory(b->err);
    schema->entry_count = 0;
    FRZ_TRY(add_fields(b, &schema->type, NO_PARENT));
    FRZ_TRY(index_short_paths(b));
    for (size_t i = 0; i < parts->identifier_count; i++)
        FRZ_TRY(check_identifier(b, parts->identifier_ids[i]));
    return FRZ_OK;
}

static void free_schema(frz_schema *schema)
{
    frz_map_clear(&schema->by_id);
    frz_map_clear(&schema->by_path);
    frz_arena_clear(&schema->arena);
    frz_free(schema);
}

frz_status frz_schema_build(const frz_schema_parts *parts, frz_arena *arena, frz_schema **out,
                            frz_error **err)
{
    frz_schema *schema = frz_alloc_zero(sizeof *schema);
    if (!schema) {
        frz_arena_clear(arena);
        return frz_fail_memory(err);
    }
    schema->self = schema;
    schema->arena = *arena;
    schema->id = parts->schema_id;
    schema->identifier_ids = parts->identifier_ids;
    schema->identifier_count = parts->identifier_count;
    *arena = (frz_arena){.budget = arena->budget};

    const builder b = {.schema = schema,
                       .foreign = parts->foreign,
                       .fault = parts->foreign ? FRZ_CORRUPT : FRZ_INVALID,
                       .err = err};
    const frz_status status = fill(&b, parts);
    if (status != FRZ_OK) {
        free_schema(schema);
        return status;
    }
    *out = schema;
    return FRZ_OK;
}

frz_status frz_schema_new(int32_t schema_id, const frz_field *fields, size_t field_count,
                          const int32_t *identifier_ids, size_t identifier_count, frz_schema **out,
                          frz_error **err)
{
    const frz_type given = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = field_count};
    frz_arena arena = {0};
    const frz_type *copy = frz_type_copy(&given, &arena);
    int32_t *ids = frz_arena_array(&arena, identifier_count, sizeof *ids);
    if (!copy || !ids) {
        frz_arena_clear(&arena);
        return frz_fail_memory(err);
    }
    if (identifier_count)
        memcpy(ids, identifier_ids, identifier_count * sizeof *ids);
    const frz_schema_parts parts = {.schema_id = schema_id,
                                    .fields = copy->fields,
                                    .field_count = field_count,
                                    .identifier_ids = ids,
                                    .identifier_count = identifier_count};
    return frz_schema_build(&parts, &arena, out, err);
}

frz_schema *frz_schema_ref(const frz_schema *schema)
{
    atomic_fetch_add(schema->references, 1);
    return schema->self;
}

void frz_schema_unref(const frz_schema *schema)
{
    if (schema && atomic_fetch_sub(schema->references, 1) == 1)
        free_schema(schema->self);
}

int32_t frz_schema_id(const frz_schema *schema)
{
    return schema->id;
}

const frz_type *frz_schema_type(const frz_schema *schema)
{
    return &schema->type;
}

const int32_t *frz_schema_identifier_ids(const frz_schema *schema, size_t *count_out)
{
    *count_out = schema->identifier_count;
    return schema->identifier_ids;
}

int32_t frz_schema_highest_id(const frz_schema *schema)
{
    return schema->highest_id;
}

const frz_field *frz_schema_find_id(const frz_schema *schema, int32_t id)
{
    const schema_entry *entry = find_entry(schema, id);
    return entry ? entry->field : NULL;
}

const frz_field *frz_schema_parent(const frz_schema *schema, int32_t id)
{
    const schema_entry *entry = find_entry(schema, id);
    return entry && entry->parent != NO_PARENT ? schema->entries[entry->parent].field : NULL;
}

const char *frz_schema_path(const frz_schema *schema, int32_t id)
{
    const schema_entry *entry = find_entry(schema, id);
    return entry ? entry->path : NULL;
}

static uint8_t fold(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c - 'A' + 'a') : c;
}

static bool equal_folded(frz_slice a, const char *b)
{
    for (size_t i = 0; i < a.size; i++)
        if (b[i] == 0 || fold(a.data[i]) != fold((uint8_t)b[i]))
            return false;
    return b[a.size] == 0;
}

/* Canonical paths first: they take precedence over short ones, as they do with case. */
static const frz_field *find_folded(const frz_schema *schema, frz_slice path, bool short_paths)
{
    const frz_field *found = NULL;
    for (size_t i = 0; i < schema->entry_count; i++) {
        const schema_entry *entry = &schema->entries[i];
        if (!equal_folded(path, short_paths ? entry->short_path : entry->path))
            continue;
        if (found)
            return NULL;
        found = entry->field;
    }
    return found;
}

const frz_field *frz_schema_find_name(const frz_schema *schema, frz_slice path, bool case_sensitive)
{
    const frz_map_value *exact = frz_map_find(&schema->by_path, path);
    if (exact)
        return schema->entries[exact->number].field;
    if (case_sensitive)
        return NULL;
    const frz_field *found = find_folded(schema, path, false);
    return found ? found : find_folded(schema, path, true);
}

size_t frz_schema_field_count(const frz_schema *schema)
{
    return schema->entry_count;
}

const frz_field *frz_schema_field_at(const frz_schema *schema, size_t index)
{
    return schema->entries[index].field;
}

frz_status frz_schema_check_version(const frz_schema *schema, int format_version, frz_error **err)
{
    for (size_t i = 0; i < schema->entry_count && format_version < 3; i++) {
        const schema_entry *entry = &schema->entries[i];
        const frz_type *type = entry->field->type;
        const frz_value *initial = entry->field->initial_default;
        if (type->field_count == 0 && frz_type_format_version(type) > format_version)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column %.*s: type %s needs format version 3, the table has %d",
                            NAME_SHOWN_MAX, entry->path, frz_type_word(type->kind), format_version);
        if (initial && initial->form != FRZ_VALUE_NULL)
            return frz_fail(
                err, FRZ_INVALID, FRZ_NO_OFFSET,
                "column %.*s: an initial default needs format version 3, the table has %d",
                NAME_SHOWN_MAX, entry->path, format_version);
    }
    return FRZ_OK;
}

/* Letters to change, insert or remove (at most `most`, else more than that); case counts for
 * nothing. */
static size_t edit_distance(frz_slice a, frz_slice b, size_t most)
{
    size_t row[NAME_COMPARED_MAX + 1];
    for (size_t j = 0; j <= b.size; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.size; i++) {
        size_t diagonal = row[0];
        size_t smallest = row[0] = i;
        for (size_t j = 1; j <= b.size; j++) {
            const size_t above = row[j];
            size_t best = diagonal + (fold(a.data[i - 1]) != fold(b.data[j - 1]));
            best = above + 1 < best ? above + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
            diagonal = above;
            smallest = best < smallest ? best : smallest;
        }
        if (smallest > most)
            return most + 1;
    }
    return row[b.size];
}

/* How far a column is from what was asked for: by its path, or by its last name alone. */
static size_t name_distance(const schema_entry *entry, frz_slice name, size_t most)
{
    size_t best = most + 1;
    const char *const candidates[] = {entry->path, entry->field->name};
    for (size_t i = 0; i < 2; i++) {
        const frz_slice candidate = frz_slice_of_text(candidates[i]);
        if (candidate.size > NAME_COMPARED_MAX)
            continue;
        const size_t distance = edit_distance(name, candidate, most);
        best = distance < best ? distance : best;
    }
    return best;
}

void frz_schema_suggest(const frz_schema *schema, frz_slice name, frz_buffer *out)
{
    if (name.size == 0 || name.size > NAME_COMPARED_MAX)
        return;
    const size_t most = name.size < 3 ? 1 : name.size < 9 ? 2 : 3;
    size_t shown = 0;
    for (size_t distance = 0; distance <= most; distance++) {
        for (size_t i = 0; i < schema->entry_count && shown < SUGGESTIONS_MAX; i++) {
            if (name_distance(&schema->entries[i], name, most) != distance)
                continue;
            frz_buffer_printf(out, "%s%s", shown ? ", " : "", schema->entries[i].path);
            shown++;
        }
    }
}
