/* Makes the tree of nodes out of the flat schema elements; declared in element.h. */
#include <string.h>

#include "base/fail.h"
#include "parquet/element.h"

typedef struct tree_builder {
    const frz_parquet_element *elements;
    size_t count;
    size_t next; /* the element to consume */
    uint32_t depth_left;
    frz_arena *arena;
    frz_parquet_metadata *out;
    frz_error **err;
} tree_builder;

/* Levels of what stands around a node. */
typedef struct tree_levels {
    int16_t definition;
    int16_t repetition;
} tree_levels;

static frz_status build_children(tree_builder *builder, int32_t count, tree_levels levels,
                                 frz_parquet_node *node);

const char *frz_parquet_node_path(const frz_parquet_node *node, char out[FRZ_PARQUET_PATH_SIZE])
{
    size_t at = FRZ_PARQUET_PATH_SIZE - 1;
    out[at] = '\0';
    for (; node && node->parent; node = node->parent) {
        const size_t size = strlen(node->name);
        const size_t dot = out[at] ? 1 : 0;
        if (size + dot > at)
            break;
        if (dot)
            out[--at] = '.';
        at -= size;
        memcpy(out + at, node->name, size);
    }
    return out + at;
}

static frz_status corrupt(tree_builder *builder, const frz_parquet_element *element,
                          const char *what)
{
    return frz_fail(builder->err, FRZ_CORRUPT, FRZ_NO_OFFSET, "schema element \"%s\": %s",
                    element->name, what);
}

static frz_status take_element(tree_builder *builder, const frz_parquet_element **out)
{
    if (builder->next >= builder->count)
        return frz_fail(builder->err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "schema: %zu elements, fewer than their child counts ask for",
                        builder->count);
    const frz_parquet_element *element = &builder->elements[builder->next++];
    if (element->child_count < 0 || (size_t)element->child_count > builder->count - builder->next)
        return corrupt(builder, element, "child count exceeds the elements left");
    *out = element;
    return FRZ_OK;
}

static void describe(frz_parquet_node *node, const frz_parquet_element *element)
{
    node->name = element->name;
    node->has_field_id = element->has_field_id;
    node->field_id = element->field_id;
    node->leaf_index = -1;
    node->logical = element->logical;
    node->annotation = element->annotation;
    node->precision = element->precision;
    node->scale = element->scale;
    node->bit_width = element->bit_width;
    node->is_signed = element->is_signed;
    node->unit = element->unit;
    node->adjusted_to_utc = element->adjusted_to_utc;
}

/* Whether LogicalTypes.md allows an annotation on a physical type. */
static bool annotation_fits(const frz_parquet_element *element)
{
    const int32_t type = element->type;
    switch (element->logical) {
    case FRZ_PARQUET_LOGICAL_NONE:
    case FRZ_PARQUET_LOGICAL_UNKNOWN:
        return true;
    case FRZ_PARQUET_LOGICAL_STRING:
    case FRZ_PARQUET_LOGICAL_BSON:
    case FRZ_PARQUET_LOGICAL_GEOMETRY:
    case FRZ_PARQUET_LOGICAL_GEOGRAPHY:
        return type == FRZ_PARQUET_BYTE_ARRAY;
    case FRZ_PARQUET_LOGICAL_DECIMAL:
        return (type == FRZ_PARQUET_INT32 || type == FRZ_PARQUET_INT64 ||
                type == FRZ_PARQUET_BYTE_ARRAY || type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY) &&
               element->precision > 0 && element->scale >= 0 &&
               element->scale <= element->precision;
    case FRZ_PARQUET_LOGICAL_DATE:
        return type == FRZ_PARQUET_INT32;
    case FRZ_PARQUET_LOGICAL_TIME:
        return type == (element->unit == 'm' ? FRZ_PARQUET_INT32 : FRZ_PARQUET_INT64);
    case FRZ_PARQUET_LOGICAL_TIMESTAMP:
        return type == FRZ_PARQUET_INT64;
    case FRZ_PARQUET_LOGICAL_INTEGER:
        return element->bit_width == 64 ? type == FRZ_PARQUET_INT64
                                        : type == FRZ_PARQUET_INT32 && (element->bit_width == 8 ||
                                                                        element->bit_width == 16 ||
                                                                        element->bit_width == 32);
    case FRZ_PARQUET_LOGICAL_UUID:
        return type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY && element->type_length == 16;
    case FRZ_PARQUET_LOGICAL_FLOAT16:
        return type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY && element->type_length == 2;
    case FRZ_PARQUET_LOGICAL_INTERVAL:
        return type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY && element->type_length == 12;
    case FRZ_PARQUET_LOGICAL_LIST:
    case FRZ_PARQUET_LOGICAL_MAP:
    case FRZ_PARQUET_LOGICAL_VARIANT:
        break;
    }
    return false;
}

static frz_status build_leaf(tree_builder *builder, const frz_parquet_element *element,
                             tree_levels levels, frz_parquet_node *node)
{
    if (element->type < FRZ_PARQUET_BOOLEAN || element->type > FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY)
        return corrupt(builder, element, "unknown physical type");
    if (element->type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY && element->type_length <= 0)
        return corrupt(builder, element, "fixed length below 1");
    if (!annotation_fits(element))
        return frz_fail(builder->err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "schema element \"%s\": annotation %s does not fit physical type %d",
                        element->name, element->annotation, element->type);
    node->shape = FRZ_PARQUET_SHAPE_LEAF;
    node->type = (frz_parquet_type)element->type;
    node->type_length = element->type_length;
    node->max_definition = levels.definition;
    node->max_repetition = levels.repetition;
    node->leaf_index = (int32_t)builder->out->leaf_count;
    builder->out->leaves[builder->out->leaf_count++] = node;
    return FRZ_OK;
}

static frz_status build_node(tree_builder *builder, const frz_parquet_element *element,
                             tree_levels around, bool as_element, frz_parquet_node *node);

static frz_status add_children(tree_builder *builder, frz_parquet_node *node, size_t count)
{
    node->children = frz_arena_array(builder->arena, count, sizeof *node->children);
    if (!node->children)
        return frz_fail_memory(builder->err);
    node->child_count = count;
    for (size_t i = 0; i < count; i++)
        node->children[i].parent = node;
    return FRZ_OK;
}

/* The element rules 1 to 4 of "Lists, backward-compatibility": is the repeated field itself the
 * element? */
static bool repeated_is_element(tree_builder *builder, const frz_parquet_element *list,
                                const frz_parquet_element *repeated)
{
    if (repeated->has_type || repeated->child_count != 1)
        return true;
    const frz_parquet_element *only = &builder->elements[builder->next];
    if (only->has_repetition && only->repetition == FRZ_PARQUET_REPEATED)
        return true;
    if (strcmp(repeated->name, "array") == 0)
        return true;
    const size_t size = strlen(list->name);
    return strncmp(repeated->name, list->name, size) == 0 &&
           strcmp(repeated->name + size, "_tuple") == 0;
}

static frz_status take_repeated(tree_builder *builder, const frz_parquet_element *parent,
                                const frz_parquet_element **out)
{
    if (parent->child_count != 1)
        return corrupt(builder, parent, "a list or map has not exactly one child");
    const frz_parquet_element *repeated = NULL;
    FRZ_TRY(take_element(builder, &repeated));
    if (!repeated->has_repetition || repeated->repetition != FRZ_PARQUET_REPEATED)
        return corrupt(builder, repeated, "the child of a list or map is not repeated");
    *out = repeated;
    return FRZ_OK;
}

static frz_status build_list(tree_builder *builder, const frz_parquet_element *element,
                             tree_levels levels, frz_parquet_node *node)
{
    const frz_parquet_element *repeated = NULL;
    FRZ_TRY(take_repeated(builder, element, &repeated));
    levels.definition++;
    levels.repetition++;
    node->shape = FRZ_PARQUET_SHAPE_LIST;
    node->repetition_level = levels.repetition;
    FRZ_TRY(add_children(builder, node, 1));
    if (repeated_is_element(builder, element, repeated))
        return build_node(builder, repeated, levels, true, &node->children[0]);
    const frz_parquet_element *inner = NULL;
    FRZ_TRY(take_element(builder, &inner));
    return build_node(builder, inner, levels, false, &node->children[0]);
}

/* Keys and values are told by position (Maps, backward-compatibility). Without a value it is a list
 * of keys ("a set of keys"). */
static frz_status build_map(tree_builder *builder, const frz_parquet_element *element,
                            tree_levels levels, frz_parquet_node *node)
{
    const frz_parquet_element *entries = NULL;
    FRZ_TRY(take_repeated(builder, element, &entries));
    if (entries->has_type || entries->child_count < 1 || entries->child_count > 2)
        return corrupt(builder, entries, "the entries of a map are no group of key and value");
    levels.definition++;
    levels.repetition++;
    node->shape = entries->child_count == 2 ? FRZ_PARQUET_SHAPE_MAP : FRZ_PARQUET_SHAPE_LIST;
    node->repetition_level = levels.repetition;
    return build_children(builder, entries->child_count, levels, node);
}

/* A group: `levels` are those of the node when present. */
static frz_status build_group(tree_builder *builder, const frz_parquet_element *element,
                              tree_levels levels, frz_parquet_node *node)
{
    if (element->logical == FRZ_PARQUET_LOGICAL_LIST)
        return build_list(builder, element, levels, node);
    if (element->logical == FRZ_PARQUET_LOGICAL_MAP)
        return build_map(builder, element, levels, node);
    node->shape = FRZ_PARQUET_SHAPE_STRUCT;
    return build_children(builder, element->child_count, levels, node);
}

static frz_status build_present(tree_builder *builder, const frz_parquet_element *element,
                                tree_levels levels, frz_parquet_node *node)
{
    if (element->has_type && element->child_count == 0)
        return build_leaf(builder, element, levels, node);
    if (element->has_type)
        return corrupt(builder, element, "has both a physical type and children");
    return build_group(builder, element, levels, node);
}

/* "A repeated field that is neither contained by a LIST- or MAP-annotated group nor annotated by
 * LIST or MAP should be interpreted as a required list of required elements" (LogicalTypes.md,
 * "Nested Types"). */
static frz_status build_bare_repeated(tree_builder *builder, const frz_parquet_element *element,
                                      tree_levels around, frz_parquet_node *node)
{
    node->name = element->name;
    node->leaf_index = -1;
    node->has_field_id = element->has_field_id;
    node->field_id = element->field_id;
    node->shape = FRZ_PARQUET_SHAPE_LIST;
    node->logical = FRZ_PARQUET_LOGICAL_LIST;
    node->definition_level = around.definition;
    around.definition++;
    around.repetition++;
    node->repetition_level = around.repetition;
    FRZ_TRY(add_children(builder, node, 1));
    FRZ_TRY(build_node(builder, element, around, true, &node->children[0]));
    node->children[0].has_field_id = false;
    return FRZ_OK;
}

/* `as_element`: the node is the repeated field of a list, its repetition is counted already. */
static frz_status build_node(tree_builder *builder, const frz_parquet_element *element,
                             tree_levels around, bool as_element, frz_parquet_node *node)
{
    if (element->has_repetition &&
        (element->repetition < FRZ_PARQUET_REQUIRED || element->repetition > FRZ_PARQUET_REPEATED))
        return corrupt(builder, element, "unknown repetition type");
    if (builder->depth_left == 0)
        return frz_fail(builder->err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "schema element \"%s\": nested deeper than the limit nesting_depth",
                        element->name);
    const bool repeated = element->has_repetition && element->repetition == FRZ_PARQUET_REPEATED;
    const bool optional = element->has_repetition && element->repetition == FRZ_PARQUET_OPTIONAL;

    builder->depth_left--;
    frz_status status = FRZ_OK;
    if (repeated && !as_element) {
        status = build_bare_repeated(builder, element, around, node);
    } else {
        describe(node, element);
        node->nullable = optional;
        if (optional)
            around.definition++;
        node->definition_level = around.definition;
        node->repetition_level = around.repetition;
        status = build_present(builder, element, around, node);
    }
    builder->depth_left++;
    return status;
}

static frz_status build_children(tree_builder *builder, int32_t count, tree_levels levels,
                                 frz_parquet_node *node)
{
    FRZ_TRY(add_children(builder, node, (size_t)count));
    for (size_t i = 0; i < (size_t)count; i++) {
        const frz_parquet_element *element = NULL;
        FRZ_TRY(take_element(builder, &element));
        FRZ_TRY(build_node(builder, element, levels, false, &node->children[i]));
    }
    return FRZ_OK;
}

frz_status frz_parquet_tree_build(const frz_parquet_element *elements, size_t count,
                                  const frz_limits *limits, frz_arena *arena,
                                  frz_parquet_metadata *out, frz_error **err)
{
    if (count == 0)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "schema: no root element");
    if (count > limits->schema_columns)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "schema of %zu elements: over the limit schema_columns (%zu)", count,
                        limits->schema_columns);
    tree_builder builder = {.elements = elements,
                            .count = count,
                            .depth_left = limits->nesting_depth,
                            .arena = arena,
                            .out = out,
                            .err = err};
    out->leaf_count = 0;
    out->leaves = frz_arena_array(arena, count, sizeof(*out->leaves));
    if (!out->leaves)
        return frz_fail_memory(err);
    const frz_parquet_element *root = NULL;
    FRZ_TRY(take_element(&builder, &root));
    describe(&out->root, root);
    out->root.shape = FRZ_PARQUET_SHAPE_STRUCT;
    out->root.logical = FRZ_PARQUET_LOGICAL_NONE;
    FRZ_TRY(build_children(&builder, root->child_count, (tree_levels){0}, &out->root));
    if (builder.next != count)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "schema: %zu elements, but the tree ends after %zu", count, builder.next);
    return FRZ_OK;
}
