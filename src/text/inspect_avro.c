/*
 * An Avro file: its metadata, the fields of its schema with their ids, and as many blocks as are
 * sound.
 */
#include <string.h>

#include "avro/container.h"
#include "avro/schema.h"
#include "base/fail.h"
#include "text/inspect.h"

/* One field of a list that goes down the schema. */
typedef struct field_walk {
    frz_json_writer *json;
    frz_buffer path;
    uint32_t depth_left; /* a type may contain itself */
} field_walk;

static const char *kind_word(const frz_avro_schema *type)
{
    static const char *const words[] = {
        [FRZ_AVRO_NULL] = "null",   [FRZ_AVRO_BOOLEAN] = "boolean", [FRZ_AVRO_INT] = "int",
        [FRZ_AVRO_LONG] = "long",   [FRZ_AVRO_FLOAT] = "float",     [FRZ_AVRO_DOUBLE] = "double",
        [FRZ_AVRO_BYTES] = "bytes", [FRZ_AVRO_STRING] = "string",   [FRZ_AVRO_FIXED] = "fixed",
        [FRZ_AVRO_ENUM] = "enum",   [FRZ_AVRO_RECORD] = "record",   [FRZ_AVRO_ARRAY] = "array",
        [FRZ_AVRO_MAP] = "map",     [FRZ_AVRO_UNION] = "union"};
    return type->is_map ? "map" : words[type->kind];
}

/* The type behind union{null, T}; the union itself when it has other branches. */
static const frz_avro_schema *value_type(const frz_avro_schema *type, bool *nullable_out)
{
    *nullable_out = false;
    if (type->kind != FRZ_AVRO_UNION || type->branch_count != 2)
        return type;
    for (size_t i = 0; i < 2; i++) {
        if (type->branches[i]->kind != FRZ_AVRO_NULL)
            continue;
        *nullable_out = true;
        return type->branches[1 - i];
    }
    return type;
}

static void write_type(frz_json_writer *json, const frz_avro_schema *type)
{
    frz_inspect_text(json, "type", kind_word(type));
    if (type->logical_type && !type->is_map)
        frz_inspect_text(json, "logical_type", type->logical_type);
    if (type->logical_type && strcmp(type->logical_type, "decimal") == 0) {
        frz_inspect_number(json, "precision", type->precision);
        frz_inspect_number(json, "scale", type->scale);
    }
    if (type->kind == FRZ_AVRO_FIXED)
        frz_inspect_number(json, "length", type->size);
}

static void write_field(field_walk *walk, const char *name, int32_t id,
                        const frz_avro_schema *type);

static void write_below(field_walk *walk, const frz_avro_schema *type)
{
    if (type->kind == FRZ_AVRO_RECORD) {
        for (size_t i = 0; i < type->field_count; i++)
            write_field(walk, type->fields[i].name, type->fields[i].field_id, type->fields[i].type);
    } else if (type->kind == FRZ_AVRO_ARRAY && type->is_map) {
        bool nullable = false;
        write_below(walk, value_type(type->items, &nullable)); /* records of key and value */
    } else if (type->kind == FRZ_AVRO_ARRAY) {
        write_field(walk, "element", type->element_id, type->items);
    } else if (type->kind == FRZ_AVRO_MAP) {
        write_field(walk, "value", type->value_id, type->items);
    }
}

/* A line per field, then those below it. */
static void write_field(field_walk *walk, const char *name, int32_t id, const frz_avro_schema *type)
{
    const size_t parent_size = walk->path.size;
    bool nullable = false;
    const frz_avro_schema *value = value_type(type, &nullable);
    if (walk->depth_left == 0)
        return;
    if (parent_size)
        frz_buffer_append_byte(&walk->path, '.');
    frz_buffer_append_text(&walk->path, name);
    frz_json_open_object(walk->json);
    frz_json_key(walk->json, "id");
    if (id == FRZ_AVRO_NO_ID)
        frz_json_null(walk->json);
    else
        frz_json_i64(walk->json, id);
    frz_json_key(walk->json, "path");
    frz_json_string_slice(walk->json, frz_buffer_slice(&walk->path));
    write_type(walk->json, value);
    frz_json_key(walk->json, "nullable");
    frz_json_bool(walk->json, nullable);
    frz_json_close_object(walk->json);
    walk->depth_left--;
    write_below(walk, value);
    walk->depth_left++;
    walk->path.size = parent_size;
}

static frz_status write_schema(const frz_inspection *of, frz_slice text, frz_error **err)
{
    frz_arena arena = {.budget = frz_limits_default.parse_budget};
    const frz_avro_schema *schema = NULL;
    field_walk walk = {.json = of->json, .depth_left = 16};
    const frz_status status =
        frz_avro_schema_parse(text, &frz_limits_default, &arena, &schema, err);
    if (status == FRZ_OK) {
        frz_inspect_text(of->json, "record", schema->name);
        frz_json_key(of->json, "fields");
        frz_json_open_array(of->json);
        if (schema->kind == FRZ_AVRO_RECORD)
            write_below(&walk, schema);
        else
            write_field(&walk, "value", FRZ_AVRO_NO_ID, schema);
        frz_json_close_array(of->json);
        of->json->out->failed = of->json->out->failed || walk.path.failed;
        if (!of->brief) {
            frz_json_key(of->json, "schema");
            frz_json_raw(of->json, text); /* it has just been parsed */
        }
    }
    frz_buffer_clear(&walk.path);
    frz_arena_clear(&arena);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "avro.schema");
}

/* The schema is the only metadata that is shown apart. */
static void write_metadata(const frz_inspection *of, const frz_avro_container *container)
{
    frz_json_key(of->json, "metadata");
    frz_json_open_object(of->json);
    for (size_t i = 0; i < container->metadata_count; i++) {
        if (strcmp(container->metadata[i].key, "avro.schema") == 0)
            continue;
        frz_inspect_entry(of, container->metadata[i].key, container->metadata[i].value);
    }
    frz_json_close_object(of->json);
}

/* Blocks are unpacked, so that what is counted can be read. */
static frz_status write_blocks(const frz_inspection *of, frz_avro_container *container,
                               frz_error **err)
{
    frz_avro_block block = {0};
    int64_t blocks = 0;
    int64_t rows = 0;
    frz_status status = FRZ_OK;
    while ((status = frz_avro_container_next(container, &block, err)) == FRZ_OK) {
        blocks++;
        rows += block.count;
    }
    frz_inspect_number(of->json, "blocks", blocks);
    frz_inspect_number(of->json, "rows", rows);
    return status == FRZ_END ? FRZ_OK : status;
}

frz_status frz_inspect_avro(const frz_inspection *of, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_avro_container container = {0};
    frz_slice schema = {0};
    FRZ_TRY(frz_avro_container_open(&container, of->input, &frz_limits_default, err));
    write_metadata(of, &container);
    if (!frz_avro_container_find(&container, "avro.schema", &schema))
        status = frz_fail(err, FRZ_CORRUPT, 0, "Avro header: no avro.schema");
    else
        status = write_schema(of, schema, err);
    if (status == FRZ_OK)
        status = write_blocks(of, &container, err);
    frz_avro_container_clear(&container);
    return status;
}
