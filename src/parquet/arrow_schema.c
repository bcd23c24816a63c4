/* The Arrow schema of a node; declared in file.h. */
#include <stdio.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "parquet/assemble.h"
#include "parquet/element.h"
#include "parquet/layout.h"

static int32_t field_id(const frz_parquet_node *node)
{
    return node->has_field_id ? node->field_id : FRZ_ARROW_NO_FIELD_ID;
}

static frz_status add_extension(const frz_parquet_node *node, const char *extension,
                                struct ArrowSchema *out, frz_error **err)
{
    char id[16];
    (void)snprintf(id, sizeof id, "%d", node->field_id);
    const char *const keys[] = {"ARROW:extension:name", "ARROW:extension:metadata",
                                "PARQUET:field_id"};
    const frz_slice values[] = {frz_slice_of_text(extension), frz_slice_of_text(""),
                                frz_slice_of_text(id)};
    return frz_arrow_schema_set_metadata(out, keys, values, node->has_field_id ? 3 : 2, err);
}

static frz_status leaf_schema(const frz_parquet_node *node, struct ArrowSchema *out,
                              frz_error **err)
{
    frz_parquet_layout layout;
    FRZ_TRY(frz_parquet_layout_of(node, &layout, err));
    FRZ_TRY(frz_arrow_schema_init(out, layout.format, node->name, node->nullable, field_id(node), 0,
                                  err));
    return layout.extension ? add_extension(node, layout.extension, out, err) : FRZ_OK;
}

static size_t selected_children(const frz_parquet_node *node, const bool *selected)
{
    size_t count = 0;
    for (size_t i = 0; i < node->child_count; i++)
        count += frz_parquet_node_selected(&node->children[i], selected);
    return count;
}

static frz_status node_schema(const frz_parquet_node *node, const bool *selected,
                              struct ArrowSchema *out, frz_error **err)
{
    const char *format = node->shape == FRZ_PARQUET_SHAPE_STRUCT ? "+s"
                         : node->shape == FRZ_PARQUET_SHAPE_LIST ? "+l"
                                                                 : "+m";
    if (node->shape == FRZ_PARQUET_SHAPE_LEAF)
        return leaf_schema(node, out, err);
    selected = frz_parquet_child_selection(node, selected);
    const int64_t count = (int64_t)selected_children(node, selected);
    const bool map = node->shape == FRZ_PARQUET_SHAPE_MAP;
    FRZ_TRY(frz_arrow_schema_init(out, format, node->name, node->nullable, field_id(node),
                                  map ? 1 : count, err));
    struct ArrowSchema *parent = out;
    if (map) {
        parent = out->children[0];
        FRZ_TRY(frz_arrow_schema_init(parent, "+s", "key_value", false, FRZ_ARROW_NO_FIELD_ID,
                                      count, err));
    }
    int64_t next = 0;
    for (size_t i = 0; i < node->child_count; i++)
        if (frz_parquet_node_selected(&node->children[i], selected))
            FRZ_TRY(node_schema(&node->children[i], selected, parent->children[next++], err));
    return FRZ_OK;
}

frz_status frz_parquet_node_arrow(const frz_parquet_file *file, const frz_parquet_node *node,
                                  const bool *leaf_selected, struct ArrowSchema *out,
                                  frz_error **err)
{
    (void)file;
    struct ArrowSchema schema = {0};
    if (!frz_parquet_node_selected(node, leaf_selected))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no column of \"%s\" is selected",
                        node->name);
    const frz_status status = node_schema(node, leaf_selected, &schema, err);
    if (status != FRZ_OK) {
        frz_arrow_schema_clear(&schema);
        return status;
    }
    *out = schema;
    return FRZ_OK;
}
