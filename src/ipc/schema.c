#include "ipc/schema.h"

#include <string.h>

#include "arrow/normalize.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "ipc/format.h"
#include "ipc/type.h"

/* FlatBuffers lets many references lead to one object, so that a small message could describe an
 * endless schema: what is made of it is counted. */
typedef struct schema_reader {
    frz_ipc_schema *schema;
    const frz_limits *limits;
    size_t columns;
    size_t text_size; /* of names and metadata */
} schema_reader;

static frz_status read_field(schema_reader *reader, const frz_flat_table *field,
                             const frz_ipc_column *parent, frz_ipc_column *column,
                             struct ArrowSchema *out, frz_error **err);

/* A terminated copy in the arena. */
static frz_status copy_text(schema_reader *reader, frz_slice text, const char **out,
                            frz_error **err)
{
    reader->text_size += text.size;
    if (reader->text_size > reader->limits->ipc_metadata_size)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "names and metadata of the schema are larger than ipc_metadata_size");
    if (text.size && memchr(text.data, 0, text.size))
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "a name or key in the schema holds a zero byte");
    *out = frz_arena_text_n(&reader->schema->arena, text.data, text.size);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

/* The KeyValue pairs of a schema or field. */
static frz_status read_metadata(schema_reader *reader, const frz_flat_table *table, unsigned field,
                                struct ArrowSchema *out, frz_error **err)
{
    const frz_flat_vector pairs = frz_flat_items(table, field, 4);
    if (pairs.count == 0)
        return FRZ_OK;
    const char **keys = frz_arena_array(&reader->schema->arena, pairs.count, sizeof *keys);
    frz_slice *values = frz_arena_array(&reader->schema->arena, pairs.count, sizeof *values);
    if (!keys || !values)
        return frz_fail_memory(err);
    for (size_t i = 0; i < pairs.count; i++) {
        const frz_flat_table pair = frz_flat_item_table(&pairs, i);
        values[i] = frz_flat_text(&pair, FRZ_IPC_PAIR_VALUE);
        reader->text_size += values[i].size + sizeof *values + sizeof *keys;
        FRZ_TRY(copy_text(reader, frz_flat_text(&pair, FRZ_IPC_PAIR_KEY), &keys[i], err));
    }
    return frz_arrow_schema_set_metadata(out, keys, values, pairs.count, err);
}

static frz_status check_child_count(const frz_ipc_column *column, size_t count, frz_error **err)
{
    const int32_t wanted = frz_arrow_layout_of(column->type.kind)->children;
    if (wanted >= 0 && count != (size_t)wanted)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "column \"%s\": %zu children of an Arrow %s", column->path, count,
                        frz_arrow_kind_name(column->type.kind));
    return FRZ_OK;
}

/* Children into `column` and *out, which has been made for them. */
static frz_status read_children(schema_reader *reader, const frz_flat_vector *fields,
                                frz_ipc_column *column, struct ArrowSchema *out, frz_error **err)
{
    if (fields->count == 0)
        return FRZ_OK;
    column->children =
        frz_arena_array(&reader->schema->arena, fields->count, sizeof *column->children);
    if (!column->children)
        return frz_fail_memory(err);
    column->child_count = fields->count;
    for (size_t i = 0; i < fields->count; i++) {
        const frz_flat_table field = frz_flat_item_table(fields, i);
        if (!field.buffer)
            return FRZ_OK; /* the buffer has failed; its check says where */
        FRZ_TRY(read_field(reader, &field, column, &column->children[i], out->children[i], err));
    }
    return FRZ_OK;
}

/* Room for as many children as the limits allow. */
static frz_status start_column(schema_reader *reader, const frz_flat_vector *fields,
                               const char *format, const char *name, frz_ipc_column *column,
                               struct ArrowSchema *out, frz_error **err)
{
    FRZ_TRY(frz_context(err, frz_arrow_type_parse(format, &column->type, err), "column \"%s\"",
                        column->path));
    FRZ_TRY(check_child_count(column, fields->count, err));
    reader->columns += fields->count;
    if (reader->columns > reader->limits->schema_columns)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "the schema has more columns than schema_columns (%zu)",
                        reader->limits->schema_columns);
    return frz_arrow_schema_init(out, format, name, true, FRZ_ARROW_NO_FIELD_ID,
                                 (int64_t)fields->count, err);
}

static bool same_types(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    if (strcmp(a->format, b->format) != 0 || a->n_children != b->n_children ||
        !a->dictionary != !b->dictionary)
        return false;
    for (int64_t i = 0; i < a->n_children; i++)
        if (!same_types(a->children[i], b->children[i]))
            return false;
    return !a->dictionary || same_types(a->dictionary, b->dictionary);
}

/* Columns may share a dictionary, if it is of one type for all. */
static frz_status enlist_dictionary(frz_ipc_schema *schema, frz_ipc_column *column, frz_error **err)
{
    const frz_map_value *known = frz_map_find_i64(&schema->dictionaries, column->dictionary_id);
    if (known) {
        const frz_ipc_column *first = known->pointer;
        column->dictionary_index = first->dictionary_index;
        return same_types(&first->values->arrow, &column->values->arrow)
                   ? FRZ_OK
                   : frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                              "columns \"%s\" and \"%s\" share dictionary %lld, but not its type",
                              first->path, column->path, (long long)column->dictionary_id);
    }
    const frz_map_value value = {.pointer = column};
    column->dictionary_index = schema->dictionary_count++;
    return frz_map_put_i64(&schema->dictionaries, column->dictionary_id, value)
               ? FRZ_OK
               : frz_fail_memory(err);
}

/* *out is of the indexes; its dictionary is of the values, which are made plain when they come. */
static frz_status read_dictionary(schema_reader *reader, const frz_flat_table *field,
                                  const char *format, const char *name, frz_ipc_column *column,
                                  struct ArrowSchema *out, frz_error **err)
{
    const frz_flat_table encoding = frz_flat_child(field, FRZ_IPC_FIELD_DICTIONARY);
    const frz_flat_vector fields = frz_flat_items(field, FRZ_IPC_FIELD_CHILDREN, 4);
    const frz_flat_vector none = {0};
    const char *index_format = NULL;
    frz_ipc_column *values = frz_arena_alloc(&reader->schema->arena, sizeof *values);
    if (!values)
        return frz_fail_memory(err);
    values->path = column->path;
    values->depth = column->depth;
    values->next_values = reader->schema->values;
    reader->schema->values = values;
    FRZ_TRY(start_column(reader, &fields, format, "", values, &values->arrow, err));
    FRZ_TRY(read_children(reader, &fields, values, &values->arrow, err));

    FRZ_TRY(frz_ipc_index_type_read(&encoding, column->path, &index_format, err));
    FRZ_TRY(start_column(reader, &none, index_format, name, column, out, err));
    column->values = values;
    column->dictionary_id = frz_flat_i64(&encoding, FRZ_IPC_ENCODING_ID, 0);
    if (frz_flat_u8(&encoding, FRZ_IPC_ENCODING_IS_ORDERED, 0))
        out->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
    FRZ_TRY(enlist_dictionary(reader->schema, column, err));
    out->dictionary = frz_alloc_zero(sizeof *out->dictionary);
    if (!out->dictionary)
        return frz_fail_memory(err);
    column->plain_values = out->dictionary;
    return frz_arrow_normalize_schema(&values->arrow, out->dictionary, err);
}

static bool has_sorted_keys(const frz_flat_table *field)
{
    const frz_flat_table type = frz_flat_child(field, FRZ_IPC_FIELD_TYPE);
    return frz_flat_u8(field, FRZ_IPC_FIELD_TYPE_TYPE, 0) == FRZ_IPC_TYPE_MAP &&
           frz_flat_u8(&type, FRZ_IPC_MAP_KEYS_SORTED, 0) != 0;
}

static frz_status read_named(schema_reader *reader, const frz_flat_table *field, const char *name,
                             frz_ipc_column *column, struct ArrowSchema *out, frz_error **err)
{
    const char *format = NULL;
    FRZ_TRY(frz_ipc_type_read(field, column->path, &reader->schema->arena, &format, err));
    if (frz_flat_has(field, FRZ_IPC_FIELD_DICTIONARY)) {
        FRZ_TRY(read_dictionary(reader, field, format, name, column, out, err));
    } else {
        const frz_flat_vector fields = frz_flat_items(field, FRZ_IPC_FIELD_CHILDREN, 4);
        FRZ_TRY(start_column(reader, &fields, format, name, column, out, err));
        FRZ_TRY(read_children(reader, &fields, column, out, err));
    }
    if (!frz_flat_u8(field, FRZ_IPC_FIELD_NULLABLE, 0))
        out->flags &= ~(int64_t)ARROW_FLAG_NULLABLE;
    if (has_sorted_keys(field))
        out->flags |= ARROW_FLAG_MAP_KEYS_SORTED;
    return read_metadata(reader, field, FRZ_IPC_FIELD_METADATA, out, err);
}

static frz_status read_field(schema_reader *reader, const frz_flat_table *field,
                             const frz_ipc_column *parent, frz_ipc_column *column,
                             struct ArrowSchema *out, frz_error **err)
{
    const char *name = NULL;
    FRZ_TRY(copy_text(reader, frz_flat_text(field, FRZ_IPC_FIELD_NAME), &name, err));
    column->depth = parent->depth + 1;
    if (column->depth > reader->limits->nesting_depth)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "column \"%s\" is nested deeper than nesting_depth (%u)", parent->path,
                        (unsigned)reader->limits->nesting_depth);
    reader->text_size += strlen(parent->path);
    column->path = *parent->path
                       ? frz_arena_printf(&reader->schema->arena, "%s.%s", parent->path, name)
                       : name;
    if (!column->path)
        return frz_fail_memory(err);
    return read_named(reader, field, name, column, out, err);
}

frz_status frz_ipc_schema_read(const frz_flat_table *table, const frz_limits *limits,
                               frz_ipc_schema *out, frz_error **err)
{
    schema_reader reader = {.schema = out, .limits = limits};
    const frz_flat_vector fields = frz_flat_items(table, FRZ_IPC_SCHEMA_FIELDS, 4);
    if (frz_flat_i16(table, FRZ_IPC_SCHEMA_ENDIANNESS, FRZ_IPC_ENDIAN_LITTLE) !=
        FRZ_IPC_ENDIAN_LITTLE)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "Arrow data of big-endian machines");
    out->arena.budget = limits->parse_budget;
    out->root.path = "";
    FRZ_TRY(start_column(&reader, &fields, "+s", "", &out->root, &out->arrow, err));
    out->arrow.flags = 0;
    FRZ_TRY(read_children(&reader, &fields, &out->root, &out->arrow, err));
    return read_metadata(&reader, table, FRZ_IPC_SCHEMA_METADATA, &out->arrow, err);
}

void frz_ipc_schema_clear(frz_ipc_schema *schema)
{
    for (frz_ipc_column *values = schema->values; values; values = values->next_values)
        frz_arrow_schema_clear(&values->arrow);
    frz_arrow_schema_clear(&schema->arrow);
    frz_map_clear(&schema->dictionaries);
    frz_arena_clear(&schema->arena);
    *schema = (frz_ipc_schema){0};
}
