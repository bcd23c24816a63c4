#include "scan/file_ids.h"

#include "base/fail.h"
#include "scan/absent.h"

#define PROPERTY "schema.name-mapping.default"

static bool any_id(const frz_parquet_node *node)
{
    for (size_t i = 0; i < node->child_count; i++)
        if (node->children[i].has_field_id || any_id(&node->children[i]))
            return true;
    return false;
}

bool frz_file_has_ids(const frz_parquet_file *file)
{
    return any_id(&frz_parquet_file_metadata(file)->root);
}

/* "List types should contain a mapping in fields for element", maps for key and value: whatever the
 * file calls them. */
static frz_slice mapped_name(const frz_parquet_node *parent, size_t child)
{
    switch (parent->shape) {
    case FRZ_PARQUET_SHAPE_LIST:
        return frz_slice_of_text("element");
    case FRZ_PARQUET_SHAPE_MAP:
        return frz_slice_of_text(child == 0 ? "key" : "value");
    case FRZ_PARQUET_SHAPE_LEAF:
    case FRZ_PARQUET_SHAPE_STRUCT:
        break;
    }
    return frz_slice_of_text(parent->children[child].name);
}

/* The file whose nodes get ids, and where its partition is known. */
typedef struct id_giver {
    const frz_scan *scan; /* NULL: it is not */
    const frz_data_file *entry;
    frz_arena *arena; /* of the copy of an Avro schema */
} id_giver;

/* The value of the partition comes before a column without id ("Column Projection", first rule). */
static bool is_taken(const id_giver *giver, int32_t field_id)
{
    frz_value constant = {0};
    return field_id < 0 ||
           (giver->scan && frz_partition_constant(giver->scan, giver->entry, field_id, &constant));
}

static void give_ids(const id_giver *giver, const frz_name_mapping *mapping, frz_parquet_node *node)
{
    for (size_t i = 0; i < node->child_count; i++) {
        const frz_name_mapping *child =
            frz_name_mapping_find_near(mapping, mapped_name(node, i), i);
        if (!child)
            continue;
        node->children[i].has_field_id = !is_taken(giver, child->field_id);
        node->children[i].field_id = child->field_id;
        give_ids(giver, child, &node->children[i]);
    }
}

frz_status frz_file_ids_assign(const frz_scan *scan, const frz_data_file *entry,
                               frz_parquet_file *file, frz_error **err)
{
    const id_giver giver = {.scan = scan, .entry = entry};
    const frz_name_mapping *mapping = NULL;
    if (frz_file_has_ids(file))
        return FRZ_OK;
    FRZ_TRY(frz_scan_name_mapping(scan, &mapping, err));
    if (mapping)
        give_ids(&giver, mapping, frz_parquet_file_root(file));
    return FRZ_OK;
}

void frz_parquet_ids_give(const frz_name_mapping *mapping, frz_parquet_file *file)
{
    const id_giver giver = {0};
    give_ids(&giver, mapping, frz_parquet_file_root(file));
}

bool frz_avro_has_ids(const frz_avro_schema *schema)
{
    for (size_t i = 0; i < schema->field_count; i++)
        if (schema->fields[i].field_id != FRZ_AVRO_NO_ID)
            return true;
    return false;
}

static frz_status map_value(const id_giver *giver, const frz_name_mapping *mapping,
                            const frz_avro_schema *schema, const frz_avro_schema **out,
                            frz_error **err);

static frz_status map_fields(const id_giver *giver, const frz_name_mapping *mapping,
                             frz_avro_schema *record, frz_error **err)
{
    frz_avro_field *fields = frz_arena_array(giver->arena, record->field_count, sizeof *fields);
    if (!fields && record->field_count)
        return frz_fail_memory(err);
    for (size_t i = 0; i < record->field_count; i++) {
        fields[i] = record->fields[i];
        const frz_name_mapping *child =
            frz_name_mapping_find(mapping, frz_slice_of_text(fields[i].name));
        if (!child)
            continue;
        if (!is_taken(giver, child->field_id))
            fields[i].field_id = child->field_id;
        FRZ_TRY(map_value(giver, child, record->fields[i].type, &fields[i].type, err));
    }
    record->fields = fields;
    return FRZ_OK;
}

static frz_status map_branches(const id_giver *giver, const frz_name_mapping *mapping,
                               frz_avro_schema *schema, frz_error **err)
{
    const frz_avro_schema **branches =
        frz_arena_array(giver->arena, schema->branch_count, sizeof *branches);
    if (!branches && schema->branch_count)
        return frz_fail_memory(err);
    for (size_t i = 0; i < schema->branch_count; i++)
        FRZ_TRY(map_value(giver, mapping, schema->branches[i], &branches[i], err));
    schema->branches = branches;
    return FRZ_OK;
}

/* Items of arrays are mapped as `element`, values of maps as `value`; a map of other keys is an
 * array of records whose fields are called `key` and `value` (Appendix A, "Avro"). */
static frz_status map_items(const id_giver *giver, const frz_name_mapping *mapping,
                            frz_avro_schema *schema, frz_error **err)
{
    const frz_name_mapping *item = mapping;
    if (!schema->is_map) {
        const bool list = schema->kind == FRZ_AVRO_ARRAY;
        item = frz_name_mapping_find(mapping, frz_slice_of_text(list ? "element" : "value"));
    }
    return item ? map_value(giver, item, schema->items, &schema->items, err) : FRZ_OK;
}

/* A copy with ids as deep as the mapping goes: a type that contains itself ends there. */
static frz_status map_value(const id_giver *giver, const frz_name_mapping *mapping,
                            const frz_avro_schema *schema, const frz_avro_schema **out,
                            frz_error **err)
{
    const bool is_union = schema->kind == FRZ_AVRO_UNION;
    const bool has_items = schema->kind == FRZ_AVRO_ARRAY || schema->kind == FRZ_AVRO_MAP;
    *out = schema;
    if (schema->kind != FRZ_AVRO_RECORD && !is_union && !has_items)
        return FRZ_OK;
    frz_avro_schema *copy = frz_arena_alloc(giver->arena, sizeof *copy);
    if (!copy)
        return frz_fail_memory(err);
    *copy = *schema;
    if (is_union)
        FRZ_TRY(map_branches(giver, mapping, copy, err));
    else if (has_items)
        FRZ_TRY(map_items(giver, mapping, copy, err));
    else
        FRZ_TRY(map_fields(giver, mapping, copy, err));
    *out = copy;
    return FRZ_OK;
}

frz_status frz_avro_ids_assign(const frz_scan *scan, const frz_data_file *entry,
                               const frz_avro_schema *schema, frz_arena *arena,
                               const frz_avro_schema **out, frz_error **err)
{
    const id_giver giver = {.scan = scan, .entry = entry, .arena = arena};
    const frz_name_mapping *mapping = NULL;
    *out = schema;
    if (frz_avro_has_ids(schema))
        return FRZ_OK;
    FRZ_TRY(frz_scan_name_mapping(scan, &mapping, err));
    return mapping ? map_value(&giver, mapping, schema, out, err) : FRZ_OK;
}

frz_status frz_avro_ids_give(const frz_name_mapping *mapping, const frz_avro_schema *schema,
                             frz_arena *arena, const frz_avro_schema **out, frz_error **err)
{
    const id_giver giver = {.arena = arena};
    return map_value(&giver, mapping, schema, out, err);
}

/* The value of the property is only judged where a file needs it. */
frz_status frz_scan_name_mapping(const frz_scan *scan, const frz_name_mapping **out,
                                 frz_error **err)
{
    *out = scan->name_mapping;
    if (!scan->bad_name_mapping)
        return FRZ_OK;
    frz_arena arena = {0};
    frz_name_mapping mapping = {0};
    const frz_status status =
        frz_name_mapping_parse(frz_slice_of_text(scan->bad_name_mapping), &arena, &mapping, err);
    frz_arena_clear(&arena);
    return frz_context(err, status, PROPERTY);
}

frz_status frz_scan_set_name_mapping(frz_scan *scan, const char *option, frz_error **err)
{
    const char *property = frz_metadata_property(scan->metadata, PROPERTY);
    const char *text = option ? option : property;
    if (!text)
        return FRZ_OK;
    frz_name_mapping *mapping = frz_arena_alloc(&scan->arena, sizeof *mapping);
    if (!mapping)
        return frz_fail_memory(err);
    const frz_status status =
        frz_name_mapping_parse(frz_slice_of_text(text), &scan->arena, mapping, option ? err : NULL);
    if (status == FRZ_OK) {
        scan->name_mapping = mapping;
        return FRZ_OK;
    }
    if (option)
        return frz_context(err, status, "name mapping");
    if (status == FRZ_NO_MEMORY)
        return frz_fail_memory(err);
    scan->bad_name_mapping = property;
    return FRZ_OK;
}
