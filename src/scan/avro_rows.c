#include "scan/avro_rows.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"

typedef struct wanted_column {
    const frz_avro_field *stored;
    const frz_type *type;      /* what of a struct is wanted; NULL = all of it */
    size_t users;              /* who opened it: only one may have the array itself */
    struct ArrowSchema schema; /* as decoded */
} wanted_column;

struct frz_avro_rows {
    frz_arena arena; /* of the projection */
    frz_avro_reader *reader;
    wanted_column *columns; /* the children of each batch */
    size_t count;
    size_t capacity;
    bool compiled;
    struct ArrowArray batch;
};

frz_status frz_avro_rows_open(frz_input *input, const frz_limits *limits, frz_avro_rows **out,
                              frz_error **err)
{
    frz_avro_rows *rows = frz_alloc_zero(sizeof *rows);
    if (!rows)
        return frz_fail_memory(err);
    rows->arena.budget = limits->parse_budget;
    const frz_status status = frz_avro_reader_open(input, limits, &rows->reader, err);
    if (status != FRZ_OK) {
        frz_free(rows);
        return status;
    }
    *out = rows;
    return FRZ_OK;
}

void frz_avro_rows_close(frz_avro_rows *rows)
{
    if (!rows)
        return;
    for (size_t i = 0; i < rows->count; i++)
        frz_arrow_schema_clear(&rows->columns[i].schema);
    frz_arrow_array_clear(&rows->batch);
    frz_avro_reader_close(rows->reader);
    frz_free(rows->columns);
    frz_arena_clear(&rows->arena);
    frz_free(rows);
}

/* A union stands for its type that is not null (spec, Appendix A, "Avro"); NULL when there are
 * several. */
static const frz_avro_schema *value_schema(const frz_avro_schema *schema)
{
    const frz_avro_schema *value = schema;
    for (size_t i = 0; i < schema->branch_count; i++) {
        if (schema->branches[i]->kind == FRZ_AVRO_NULL)
            continue;
        if (value != schema)
            return NULL;
        value = schema->branches[i];
    }
    return value;
}

const frz_avro_schema *frz_avro_rows_file_schema(const frz_avro_rows *rows)
{
    return frz_avro_reader_schema(rows->reader);
}

void frz_avro_rows_set_ids(frz_avro_rows *rows, const frz_avro_schema *schema)
{
    frz_avro_reader_set_ids(rows->reader, schema);
}

void frz_avro_rows_use_pool(frz_avro_rows *rows, frz_pool *pool)
{
    frz_avro_reader_use_pool(rows->reader, pool);
}

/* By id. Reserved columns have fixed names too ("Reserved Field IDs"), which find them where a
 * writer left the ids out. */
static const frz_avro_field *find_field(const frz_avro_schema *record, const frz_field *wanted)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const frz_avro_field *field = &record->fields[i];
        if (field->field_id == FRZ_AVRO_NO_ID
                ? wanted->id > FRZ_FIELD_ID_MAX && !strcmp(field->name, wanted->name)
                : field->field_id == wanted->id)
            return field;
    }
    return NULL;
}

frz_status frz_avro_rows_want(frz_avro_rows *rows, const frz_field *field, size_t *column_out,
                              frz_error **err)
{
    const frz_avro_schema *schema = frz_avro_reader_schema(rows->reader);
    const frz_avro_field *stored =
        schema->kind == FRZ_AVRO_RECORD ? find_field(schema, field) : NULL;
    if (!stored)
        return FRZ_END;
    for (size_t i = 0; i < rows->count; i++) {
        wanted_column *column = &rows->columns[i];
        if (column->stored != stored)
            continue;
        if (column->type && !frz_type_equal(column->type, field->type))
            column->type = NULL;
        *column_out = i;
        return FRZ_OK;
    }
    if (rows->compiled)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a column asked for after the first");
    if (!frz_grow_array((void **)&rows->columns, &rows->capacity, rows->count,
                        sizeof *rows->columns))
        return frz_fail_memory(err);
    rows->columns[rows->count] = (wanted_column){.stored = stored, .type = field->type};
    *column_out = rows->count++;
    return FRZ_OK;
}

static frz_status project(const frz_avro_field *stored, const frz_type *type, frz_arena *arena,
                          frz_avro_projection *out, frz_error **err);

/* Of a struct only the fields that are wanted and stored. */
static frz_status project_fields(const frz_avro_schema *record, const frz_type *type,
                                 frz_arena *arena, frz_avro_projection *out, frz_error **err)
{
    frz_avro_projection *children = frz_arena_array(arena, type->field_count + 1, sizeof *children);
    if (!children)
        return frz_fail_memory(err);
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_avro_field *child = find_field(record, &type->fields[i]);
        if (child)
            FRZ_TRY(
                project(child, type->fields[i].type, arena, &children[out->child_count++], err));
    }
    out->children = children;
    return FRZ_OK;
}

/* Key and value of a map that is stored as an array of records, by position. */
static frz_status project_entry(const frz_avro_schema *record, const frz_type *type,
                                frz_arena *arena, frz_avro_projection *out, frz_error **err)
{
    frz_avro_projection *children = frz_arena_array(arena, 2, sizeof *children);
    if (!children)
        return frz_fail_memory(err);
    for (size_t i = 0; i < 2; i++)
        FRZ_TRY(project(&record->fields[i], type->fields[i].type, arena, &children[i], err));
    *out =
        (frz_avro_projection){.field_id = FRZ_AVRO_NO_ID, .children = children, .child_count = 2};
    return FRZ_OK;
}

/* The items of an array or map: their type is the last field of a list's or map's type. */
static frz_status project_items(const frz_avro_schema *schema, const frz_type *type,
                                frz_arena *arena, frz_avro_projection *out, frz_error **err)
{
    const frz_avro_field item = {.field_id = FRZ_AVRO_NO_ID, .type = schema->items};
    frz_avro_projection *child = frz_arena_array(arena, 1, sizeof *child);
    if (!child)
        return frz_fail_memory(err);
    if (schema->is_map)
        FRZ_TRY(project_entry(schema->items, type, arena, child, err));
    else
        FRZ_TRY(project(&item, type->fields[type->field_count - 1].type, arena, child, err));
    out->children = child;
    out->child_count = 1;
    return FRZ_OK;
}

/* What of a stored column a type wants; what fits no other way is taken whole, and judged by
 * reshaping. */
static frz_status project(const frz_avro_field *stored, const frz_type *type, frz_arena *arena,
                          frz_avro_projection *out, frz_error **err)
{
    const frz_avro_schema *schema = value_schema(stored->type);
    *out = (frz_avro_projection){.field_id = stored->field_id, .name = stored->name};
    if (!schema)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "column %s: a union of several types",
                        stored->name);
    if (!type)
        return FRZ_OK;
    if (type->kind == FRZ_TYPE_STRUCT && schema->kind == FRZ_AVRO_RECORD)
        return project_fields(schema, type, arena, out, err);
    if ((type->kind == FRZ_TYPE_LIST && schema->kind == FRZ_AVRO_ARRAY && !schema->is_map) ||
        (type->kind == FRZ_TYPE_MAP && (schema->kind == FRZ_AVRO_MAP || schema->is_map)))
        return project_items(schema, type, arena, out, err);
    return FRZ_OK;
}

static frz_status keep_schemas(frz_avro_rows *rows, frz_error **err)
{
    struct ArrowSchema root = {0};
    FRZ_TRY(frz_avro_reader_arrow_schema(rows->reader, &root, err));
    for (size_t i = 0; i < rows->count; i++) {
        rows->columns[i].schema = *root.children[i];
        root.children[i]->release = NULL;
    }
    frz_arrow_schema_clear(&root);
    return FRZ_OK;
}

static frz_status compile(frz_avro_rows *rows, frz_error **err)
{
    if (rows->compiled)
        return FRZ_OK;
    frz_avro_projection root = {.field_id = FRZ_AVRO_NO_ID, .child_count = rows->count};
    frz_avro_projection *children =
        frz_arena_array(&rows->arena, rows->count + 1, sizeof *children);
    if (!children)
        return frz_fail_memory(err);
    for (size_t i = 0; i < rows->count; i++)
        FRZ_TRY(project(rows->columns[i].stored, rows->columns[i].type, &rows->arena, &children[i],
                        err));
    root.children = children;
    FRZ_TRY(frz_avro_reader_project(rows->reader, &root, err));
    FRZ_TRY(keep_schemas(rows, err));
    rows->compiled = true;
    return FRZ_OK;
}

frz_status frz_avro_rows_open_column(frz_avro_rows *rows, size_t column, struct ArrowSchema *out,
                                     frz_error **err)
{
    FRZ_TRY(compile(rows, err));
    FRZ_TRY(frz_arrow_schema_copy(&rows->columns[column].schema, out, err));
    rows->columns[column].users++;
    return FRZ_OK;
}

frz_status frz_avro_rows_next(frz_avro_rows *rows, int64_t rows_max, int64_t *count_out,
                              frz_error **err)
{
    FRZ_TRY(compile(rows, err));
    frz_arrow_array_clear(&rows->batch);
    frz_avro_reader_limit_batch(rows->reader, rows_max);
    FRZ_TRY(frz_avro_reader_next(rows->reader, &rows->batch, err));
    *count_out = rows->batch.length;
    return FRZ_OK;
}

/* All rows of a column that somebody else reads too: a copy. */
static frz_status copy_column(const wanted_column *column, const struct ArrowArray *array,
                              struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer ones = {0};
    frz_buffer_append_fill(&ones, 0xff, (size_t)(array->length + 63) / 64 * sizeof(uint64_t));
    FRZ_TRY_DONE(frz_buffer_check(&ones, err));
    FRZ_TRY_DONE(frz_arrow_array_filter(&column->schema, array,
                                        (const uint64_t *)(const void *)ones.data, array->length,
                                        out, err));
done:
    frz_buffer_clear(&ones);
    return status;
}

frz_status frz_avro_rows_read(frz_avro_rows *rows, size_t column,
                              const frz_row_selection *selection, struct ArrowArray *out,
                              frz_error **err)
{
    const wanted_column *wanted = &rows->columns[column];
    struct ArrowArray *array = rows->batch.children[column];
    if (selection->mask)
        return frz_arrow_array_filter(&wanted->schema, array, selection->mask, selection->selected,
                                      out, err);
    if (wanted->users > 1)
        return copy_column(wanted, array, out, err);
    *out = *array;
    array->release = NULL;
    return FRZ_OK;
}
