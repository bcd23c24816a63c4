#include "scan/projection.h"

#include "base/fail.h"

/* "Reserved Field IDs"; the last two are null for rows whose snapshot has no row lineage. */
enum { METADATA_COLUMN_COUNT = 7 };

static const frz_type type_string = {.kind = FRZ_TYPE_STRING};
static const frz_type type_long = {.kind = FRZ_TYPE_LONG};
static const frz_type type_int = {.kind = FRZ_TYPE_INT};
static const frz_type type_boolean = {.kind = FRZ_TYPE_BOOLEAN};

static const frz_field metadata_columns[METADATA_COLUMN_COUNT - 1] = {
    {.id = FRZ_FIELD_ID_FILE, .name = "_file", .required = true, .type = &type_string},
    {.id = FRZ_FIELD_ID_POS, .name = "_pos", .required = true, .type = &type_long},
    {.id = FRZ_FIELD_ID_DELETED, .name = "_deleted", .required = true, .type = &type_boolean},
    {.id = FRZ_FIELD_ID_SPEC_ID, .name = "_spec_id", .required = true, .type = &type_int},
    {.id = FRZ_FIELD_ID_ROW_ID, .name = "_row_id", .type = &type_long},
    {.id = FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER,
     .name = "_last_updated_sequence_number",
     .type = &type_long},
};

const frz_field *frz_metadata_column(int32_t field_id)
{
    for (size_t i = 0; i < METADATA_COLUMN_COUNT - 1; i++)
        if (metadata_columns[i].id == field_id)
            return &metadata_columns[i];
    return NULL;
}

/* Whole columns and nested fields that were named, in the order of first mention. */
typedef struct selection {
    const frz_schema *schema;
    const frz_type *partition_type;
    bool case_sensitive;
    bool schema_only;
    frz_arena *arena;
    int32_t *ids; /* of what was named, at any depth */
    size_t id_count;
    int32_t *columns; /* top-level ids of the result, in order */
    size_t column_count;
} selection;

static bool contains(const int32_t *ids, size_t count, int32_t id)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static void select_id(selection *into, int32_t top_id, int32_t id)
{
    if (!contains(into->columns, into->column_count, top_id))
        into->columns[into->column_count++] = top_id;
    if (!contains(into->ids, into->id_count, id))
        into->ids[into->id_count++] = id;
}

static int32_t top_level_of(const frz_schema *schema, int32_t id)
{
    const frz_field *parent = frz_schema_parent(schema, id);
    while (parent) {
        id = parent->id;
        parent = frz_schema_parent(schema, id);
    }
    return id;
}

static void select_all(selection *into)
{
    const frz_type *all = frz_schema_type(into->schema);
    for (size_t i = 0; i < all->field_count; i++)
        select_id(into, all->fields[i].id, all->fields[i].id);
}

static const frz_field *find_metadata_column(frz_slice name)
{
    for (size_t i = 0; i < METADATA_COLUMN_COUNT - 1; i++)
        if (frz_slice_is_text(name, metadata_columns[i].name))
            return &metadata_columns[i];
    return NULL;
}

static frz_status fail_unknown(const selection *from, const char *text, frz_error **err)
{
    frz_buffer near = {0};
    frz_schema_suggest(from->schema, frz_slice_of_text(text), &near);
    const frz_status status =
        frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no column \"%s\"%s%.*s", text,
                 near.size ? "; near: " : "", (int)near.size, near.data ? (char *)near.data : "");
    frz_buffer_clear(&near);
    return status;
}

static frz_status select_name(selection *into, const char *text, frz_error **err)
{
    const frz_slice name = frz_slice_of_text(text);
    if (frz_slice_is_text(name, "*")) {
        select_all(into);
        return FRZ_OK;
    }
    const frz_field *field = frz_schema_find_name(into->schema, name, into->case_sensitive);
    if (field) {
        select_id(into, top_level_of(into->schema, field->id), field->id);
        return FRZ_OK;
    }
    if (into->schema_only)
        return fail_unknown(into, text, err);
    const frz_field *metadata = find_metadata_column(name);
    if (metadata) {
        select_id(into, metadata->id, metadata->id);
        return FRZ_OK;
    }
    if (!frz_slice_is_text(name, "_partition"))
        return fail_unknown(into, text, err);
    if (!into->partition_type || !into->partition_type->field_count)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the table is not partitioned: it has no column _partition");
    select_id(into, FRZ_FIELD_ID_PARTITION, FRZ_FIELD_ID_PARTITION);
    return FRZ_OK;
}

static frz_status prune_field(const selection *from, const frz_field *field, frz_field *out,
                              bool *kept_out, frz_error **err);

/* The selected part of a nested type; *kept_out false when nothing of it was named. */
static frz_status prune_type(const selection *from, const frz_type *type, const frz_type **out,
                             bool *kept_out, frz_error **err)
{
    *kept_out = false;
    if (!type->field_count)
        return FRZ_OK;
    frz_field *fields = frz_arena_array(from->arena, type->field_count, sizeof *fields);
    frz_type *pruned = frz_arena_alloc(from->arena, sizeof *pruned);
    if (!fields || !pruned)
        return frz_fail_memory(err);

    size_t kept_count = 0;
    for (size_t i = 0; i < type->field_count; i++) {
        bool kept = false;
        FRZ_TRY(prune_field(from, &type->fields[i], &fields[kept_count], &kept, err));
        *kept_out |= kept;
        /* A map keeps its key and a list its element, whatever was named below. */
        if (!kept && type->kind == FRZ_TYPE_MAP) {
            fields[kept_count] = type->fields[i];
            kept = true;
        }
        kept_count += kept;
    }
    *pruned = *type;
    pruned->fields = fields;
    pruned->field_count = kept_count;
    *out = pruned;
    return FRZ_OK;
}

static frz_status prune_field(const selection *from, const frz_field *field, frz_field *out,
                              bool *kept_out, frz_error **err)
{
    if (contains(from->ids, from->id_count, field->id)) {
        *out = *field;
        *kept_out = true;
        return FRZ_OK;
    }
    const frz_type *type = NULL;
    FRZ_TRY(prune_type(from, field->type, &type, kept_out, err));
    if (*kept_out) {
        *out = *field;
        out->type = type;
    }
    return FRZ_OK;
}

static frz_status column_of(const selection *from, int32_t id, frz_field *out, frz_error **err)
{
    const frz_field *metadata = from->schema_only ? NULL : frz_metadata_column(id);
    if (metadata) {
        *out = *metadata;
        return FRZ_OK;
    }
    if (id == FRZ_FIELD_ID_PARTITION && !from->schema_only) {
        *out = (frz_field){
            .id = id, .name = "_partition", .required = true, .type = from->partition_type};
        return FRZ_OK;
    }
    bool kept = false;
    return prune_field(from, frz_schema_find_id(from->schema, id), out, &kept, err);
}

frz_status frz_projection_resolve(const frz_schema *schema, const frz_type *partition_type,
                                  const frz_name_list *names, bool case_sensitive, frz_arena *arena,
                                  frz_projection *out, frz_error **err)
{
    const size_t room = frz_schema_field_count(schema) + METADATA_COLUMN_COUNT;
    selection from = {.schema = schema,
                      .partition_type = partition_type,
                      .case_sensitive = case_sensitive,
                      .schema_only = names->schema_only,
                      .arena = arena,
                      .ids = frz_arena_array(arena, room, sizeof(int32_t)),
                      .columns = frz_arena_array(arena, room, sizeof(int32_t))};
    if (!from.ids || !from.columns)
        return frz_fail_memory(err);
    if (!names->items)
        select_all(&from);
    for (size_t i = 0; names->items && i < names->count; i++)
        FRZ_TRY(select_name(&from, names->items[i], err));

    frz_field *fields = frz_arena_array(arena, from.column_count, sizeof *fields);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    for (size_t i = 0; i < from.column_count; i++)
        FRZ_TRY(column_of(&from, from.columns[i], &fields[i], err));
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = from.column_count};
    out->type = type;
    return FRZ_OK;
}
