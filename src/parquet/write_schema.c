#include "parquet/write_schema.h"

#include <assert.h>
#include <string.h>

#include "arrow/schema.h"
#include "base/decimal.h"
#include "base/fail.h"
#include "base/limits.h"

/* parquet.thrift ConvertedType, for readers that know no logical types. */
enum {
    CONVERTED_NONE = -1,
    CONVERTED_UTF8 = 0,
    CONVERTED_MAP = 1,
    CONVERTED_LIST = 3,
    CONVERTED_DECIMAL = 5,
    CONVERTED_DATE = 6,
    CONVERTED_TIME_MICROS = 8,
    CONVERTED_TIMESTAMP_MICROS = 10
};

/* A nested column takes two elements of the path for a list or map. */
enum { DEPTH_MAX = 64, PATH_MAX_PARTS = 2 * DEPTH_MAX };

typedef struct schema_maker {
    frz_arena *arena;
    frz_parquet_write_schema *out;
    frz_parquet_step steps[DEPTH_MAX];
    size_t step_count;
    const char *path[PATH_MAX_PARTS];
    size_t path_count;
    frz_error **err;
} schema_maker;

static frz_status add_node(schema_maker *maker, const struct ArrowSchema *schema, const char *name,
                           const char *arrow_path, int64_t child);

static frz_status unsupported(schema_maker *maker, const char *arrow_path, const char *what)
{
    return frz_fail(maker->err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "column \"%s\": %s", arrow_path,
                    what);
}

/* Bytes of the smallest two's complement that holds `precision` digits (LogicalTypes.md,
 * "DECIMAL"). */
static int32_t decimal_width(int32_t precision)
{
    int32_t width = 1;
    while (width < 16 && ((frz_int128)1 << (8 * width - 1)) - 1 < frz_decimal_power(precision) - 1)
        width++;
    return width;
}

static void describe_decimal(const frz_arrow_type *type, frz_parquet_element *element)
{
    element->logical = FRZ_PARQUET_LOGICAL_DECIMAL;
    element->annotation = "DECIMAL";
    element->converted = CONVERTED_DECIMAL;
    element->precision = type->precision;
    element->scale = type->scale;
    if (type->precision <= 9) {
        element->type = FRZ_PARQUET_INT32;
    } else if (type->precision <= 18) {
        element->type = FRZ_PARQUET_INT64;
    } else {
        element->type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY;
        element->type_length = decimal_width(type->precision);
    }
}

/* TIME and TIMESTAMP; nanoseconds have no converted type. */
static void describe_clock(frz_parquet_element *element, frz_parquet_logical logical,
                           const frz_arrow_type *type)
{
    const bool timestamp = logical == FRZ_PARQUET_LOGICAL_TIMESTAMP;
    element->type = FRZ_PARQUET_INT64;
    element->logical = logical;
    element->annotation = timestamp ? "TIMESTAMP" : "TIME";
    element->unit = type->unit;
    element->adjusted_to_utc = type->zoned;
    if (type->unit == 'u')
        element->converted = timestamp ? CONVERTED_TIMESTAMP_MICROS : CONVERTED_TIME_MICROS;
}

static void describe_bytes(const struct ArrowSchema *schema, const frz_arrow_type *type,
                           frz_parquet_element *element)
{
    element->type = FRZ_PARQUET_BYTE_ARRAY;
    if (type->kind == FRZ_ARROW_STRING) {
        element->logical = FRZ_PARQUET_LOGICAL_STRING;
        element->annotation = "STRING";
        element->converted = CONVERTED_UTF8;
    } else if (type->kind == FRZ_ARROW_FIXED) {
        element->type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY;
        element->type_length = type->width;
        const frz_slice extension = frz_arrow_schema_metadata(schema, "ARROW:extension:name");
        if (type->width == 16 && frz_slice_is_text(extension, "arrow.uuid")) {
            element->logical = FRZ_PARQUET_LOGICAL_UUID;
            element->annotation = "UUID";
        }
    }
}

/* The physical and logical type of a leaf (Iceberg spec, Appendix A, "Parquet"); false: has none.
 */
static bool describe_leaf(const struct ArrowSchema *schema, const frz_arrow_type *type,
                          frz_parquet_element *element)
{
    element->has_type = true;
    if (type->kind == FRZ_ARROW_BOOL) {
        element->type = FRZ_PARQUET_BOOLEAN;
    } else if (type->kind == FRZ_ARROW_INT32 || type->kind == FRZ_ARROW_DATE32) {
        element->type = FRZ_PARQUET_INT32;
        if (type->kind == FRZ_ARROW_DATE32) {
            element->logical = FRZ_PARQUET_LOGICAL_DATE;
            element->annotation = "DATE";
            element->converted = CONVERTED_DATE;
        }
    } else if (type->kind == FRZ_ARROW_INT64) {
        element->type = FRZ_PARQUET_INT64;
    } else if (type->kind == FRZ_ARROW_FLOAT) {
        element->type = FRZ_PARQUET_FLOAT;
    } else if (type->kind == FRZ_ARROW_DOUBLE) {
        element->type = FRZ_PARQUET_DOUBLE;
    } else if (type->kind == FRZ_ARROW_TIME64) {
        describe_clock(element, FRZ_PARQUET_LOGICAL_TIME, type);
    } else if (type->kind == FRZ_ARROW_TIMESTAMP && (type->unit == 'u' || type->unit == 'n')) {
        describe_clock(element, FRZ_PARQUET_LOGICAL_TIMESTAMP, type);
    } else if (type->kind == FRZ_ARROW_DECIMAL && type->scale >= 0 &&
               type->scale <= type->precision && type->precision <= FRZ_DECIMAL_PRECISION_MAX) {
        describe_decimal(type, element);
    } else if (type->kind == FRZ_ARROW_STRING || type->kind == FRZ_ARROW_BINARY ||
               (type->kind == FRZ_ARROW_FIXED && type->width > 0)) {
        describe_bytes(schema, type, element);
    } else {
        return false;
    }
    return true;
}

static frz_parquet_element *add_element(schema_maker *maker, const char *name,
                                        frz_parquet_repetition repetition)
{
    frz_parquet_element *element = &maker->out->elements[maker->out->element_count++];
    *element = (frz_parquet_element){.name = name,
                                     .has_repetition = true,
                                     .repetition = (int32_t)repetition,
                                     .converted = CONVERTED_NONE};
    maker->path[maker->path_count++] = name;
    return element;
}

static size_t width_of(const frz_parquet_element *element)
{
    static const size_t widths[] = {
        [FRZ_PARQUET_BOOLEAN] = 1, [FRZ_PARQUET_INT32] = 4,  [FRZ_PARQUET_INT64] = 8,
        [FRZ_PARQUET_FLOAT] = 4,   [FRZ_PARQUET_DOUBLE] = 8, [FRZ_PARQUET_BYTE_ARRAY] = 0};
    return element->type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY ? (size_t)element->type_length
                                                             : widths[element->type];
}

/* Copies steps and path as they stand now. */
static frz_status add_leaf(schema_maker *maker, const struct ArrowSchema *schema,
                           const frz_arrow_type *type, const frz_parquet_element *element,
                           const char *arrow_path)
{
    frz_parquet_step *steps = frz_arena_array(maker->arena, maker->step_count, sizeof *steps);
    const char **path = frz_arena_array(maker->arena, maker->path_count, sizeof *path);
    if (!steps || !path)
        return frz_fail_memory(maker->err);
    memcpy(steps, maker->steps, maker->step_count * sizeof *steps);
    memcpy((void *)path, (const void *)maker->path, maker->path_count * sizeof *path);
    maker->out->leaves[maker->out->leaf_count++] =
        (frz_parquet_leaf){.steps = steps,
                           .step_count = maker->step_count,
                           .type = *type,
                           .width = width_of(element),
                           .field_id = frz_arrow_schema_field_id(schema),
                           .path = path,
                           .path_count = maker->path_count,
                           .arrow_path = arrow_path};
    return FRZ_OK;
}

static bool is_null_type(const struct ArrowSchema *schema)
{
    return strcmp(schema->format, "n") == 0;
}

/* The children that are written: all but those of the null type, which a reader fills with nulls.
 */
static frz_status add_fields(schema_maker *maker, const struct ArrowSchema *schema,
                             frz_parquet_element *group, const char *arrow_path)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *child = schema->children[i];
        if (is_null_type(child))
            continue;
        const char *path = *arrow_path
                               ? frz_arena_printf(maker->arena, "%s.%s", arrow_path, child->name)
                               : frz_arena_text(maker->arena, child->name);
        if (!path)
            return frz_fail_memory(maker->err);
        group->child_count++;
        FRZ_TRY(add_node(maker, child, child->name, path, i));
    }
    return FRZ_OK;
}

/* A child of the repeated middle group, under the name that the format gives it. */
static frz_status add_item(schema_maker *maker, const struct ArrowSchema *schema, const char *name,
                           const char *arrow_path, int64_t child)
{
    const char *path = frz_arena_printf(maker->arena, "%s.%s", arrow_path, name);
    if (!path)
        return frz_fail_memory(maker->err);
    if (is_null_type(schema))
        return unsupported(maker, path, "null type inside of a list or map");
    return add_node(maker, schema, name, path, child);
}

/* LogicalTypes.md, "Lists": <name> (LIST) { repeated group list { element } } */
static frz_status add_list(schema_maker *maker, const struct ArrowSchema *schema,
                           frz_parquet_element *group, const char *arrow_path)
{
    group->logical = FRZ_PARQUET_LOGICAL_LIST;
    group->annotation = "LIST";
    group->converted = CONVERTED_LIST;
    group->child_count = 1;
    add_element(maker, "list", FRZ_PARQUET_REPEATED)->child_count = 1;
    FRZ_TRY(add_item(maker, schema->children[0], "element", arrow_path, 0));
    maker->path_count--;
    return FRZ_OK;
}

/* LogicalTypes.md, "Maps": <name> (MAP) { repeated group key_value { required key; value } } */
static frz_status add_map(schema_maker *maker, const struct ArrowSchema *schema,
                          frz_parquet_element *group, const char *arrow_path)
{
    const struct ArrowSchema *entries = schema->children[0];
    if (entries->n_children != 2)
        return unsupported(maker, arrow_path, "map entries that are no pair");
    group->logical = FRZ_PARQUET_LOGICAL_MAP;
    group->annotation = "MAP";
    group->converted = CONVERTED_MAP;
    group->child_count = 1;
    add_element(maker, "key_value", FRZ_PARQUET_REPEATED)->child_count = 2;
    maker->steps[maker->step_count++] = (frz_parquet_step){0, FRZ_ARROW_STRUCT, false};
    FRZ_TRY(add_item(maker, entries->children[0], "key", arrow_path, 0));
    FRZ_TRY(add_item(maker, entries->children[1], "value", arrow_path, 1));
    maker->step_count--;
    maker->path_count--;
    return FRZ_OK;
}

/* What stands below an element whose steps and path are in place. */
static frz_status add_content(schema_maker *maker, const struct ArrowSchema *schema,
                              const frz_arrow_type *type, frz_parquet_element *element,
                              const char *arrow_path)
{
    if (schema->dictionary)
        return unsupported(maker, arrow_path, "a dictionary that was not decoded");
    if (type->kind == FRZ_ARROW_LIST)
        return add_list(maker, schema, element, arrow_path);
    if (type->kind == FRZ_ARROW_MAP)
        return add_map(maker, schema, element, arrow_path);
    if (type->kind == FRZ_ARROW_STRUCT) {
        FRZ_TRY(add_fields(maker, schema, element, arrow_path));
        return element->child_count ? FRZ_OK
                                    : unsupported(maker, arrow_path, "a struct without fields");
    }
    if (describe_leaf(schema, type, element))
        return add_leaf(maker, schema, type, element, arrow_path);
    return frz_fail(maker->err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                    "column \"%s\": writing Arrow type %s (%s)", arrow_path,
                    frz_arrow_kind_name(type->kind), schema->format);
}

static frz_status add_node(schema_maker *maker, const struct ArrowSchema *schema, const char *name,
                           const char *arrow_path, int64_t child)
{
    frz_arrow_type type;
    FRZ_TRY(frz_arrow_type_parse(schema->format, &type, maker->err));
    if (maker->step_count + 2 > DEPTH_MAX)
        return unsupported(maker, arrow_path, "nested deeper than 64 levels");
    /* A map's key is required whatever the Arrow schema says (LogicalTypes.md, "Maps"). */
    const frz_parquet_step *around =
        maker->step_count > 1 ? &maker->steps[maker->step_count - 2] : NULL;
    const bool key = around && around->kind == FRZ_ARROW_MAP && child == 0;
    const bool nullable = (schema->flags & ARROW_FLAG_NULLABLE) && !key;
    const int32_t field_id = frz_arrow_schema_field_id(schema);
    frz_parquet_element *element =
        add_element(maker, frz_arena_text(maker->arena, name),
                    nullable ? FRZ_PARQUET_OPTIONAL : FRZ_PARQUET_REQUIRED);
    if (!element->name)
        return frz_fail_memory(maker->err);
    element->has_field_id = field_id != FRZ_ARROW_NO_FIELD_ID;
    element->field_id = element->has_field_id ? field_id : 0;
    maker->steps[maker->step_count++] = (frz_parquet_step){child, type.kind, nullable};
    FRZ_TRY(add_content(maker, schema, &type, element, arrow_path));
    maker->step_count--;
    maker->path_count--;
    return FRZ_OK;
}

/* An upper bound: a list or map takes two elements. */
static size_t count_elements(const struct ArrowSchema *schema)
{
    size_t count = 2;
    for (int64_t i = 0; i < schema->n_children; i++)
        count += count_elements(schema->children[i]);
    return count;
}

frz_status frz_parquet_write_schema_make(const struct ArrowSchema *schema, frz_arena *arena,
                                         frz_parquet_write_schema **out, frz_error **err)
{
    const size_t most = count_elements(schema);
    frz_parquet_write_schema *made = frz_arena_alloc(arena, sizeof *made);
    schema_maker maker = {.arena = arena, .out = made, .err = err};
    if (!made)
        return frz_fail_memory(err);
    made->elements = frz_arena_array(arena, most, sizeof *made->elements);
    made->leaves = frz_arena_array(arena, most, sizeof *made->leaves);
    if (!made->elements || !made->leaves)
        return frz_fail_memory(err);
    if (strcmp(schema->format, "+s") != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the Arrow schema of a file is a struct, not \"%s\"", schema->format);
    made->element_count = 1;
    made->elements[0] = (frz_parquet_element){.name = "table", .converted = CONVERTED_NONE};
    FRZ_TRY(add_fields(&maker, schema, &made->elements[0], ""));
    FRZ_TRY(frz_parquet_tree_build(made->elements, made->element_count, &frz_limits_default, arena,
                                   &made->tree, err));
    assert(made->tree.leaf_count == made->leaf_count);
    for (size_t i = 0; i < made->leaf_count; i++)
        made->leaves[i].node = made->tree.leaves[i];
    *out = made;
    return FRZ_OK;
}
