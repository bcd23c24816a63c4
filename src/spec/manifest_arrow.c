#include "arrow/schema.h"
#include "base/fail.h"
#include "spec/manifest_schema.h"
#include "spec/schema.h"

typedef struct arrow_maker {
    int version;
    const frz_type *partition;
} arrow_maker;

static frz_status leaf(struct ArrowSchema *out, const char *format, const char *name, bool nullable,
                       frz_error **err)
{
    return frz_arrow_schema_init(out, format, name, nullable, FRZ_ARROW_NO_FIELD_ID, 0, err);
}

static frz_status parent(struct ArrowSchema *out, const char *format, const char *name,
                         size_t children, frz_error **err)
{
    return frz_arrow_schema_init(out, format, name, true, FRZ_ARROW_NO_FIELD_ID, (int64_t)children,
                                 err);
}

/* The Arrow type of a form: of the value itself, or of what a map or list holds. */
static const char *const form_formats[] = {
    [FRZ_FORM_INT] = "i",       [FRZ_FORM_LONG] = "l",      [FRZ_FORM_BOOLEAN] = "b",
    [FRZ_FORM_STRING] = "u",    [FRZ_FORM_BYTES] = "z",     [FRZ_FORM_LONG_MAP] = "l",
    [FRZ_FORM_BYTES_MAP] = "z", [FRZ_FORM_LONG_LIST] = "l", [FRZ_FORM_INT_LIST] = "i",
};

static frz_status make_map(const frz_manifest_column *column, struct ArrowSchema *out,
                           frz_error **err)
{
    FRZ_TRY(parent(out, "+m", column->name, 1, err));
    struct ArrowSchema *entries = out->children[0];
    FRZ_TRY(frz_arrow_schema_init(entries, "+s", "entries", false, FRZ_ARROW_NO_FIELD_ID, 2, err));
    FRZ_TRY(leaf(entries->children[0], "i", "key", false, err));
    return leaf(entries->children[1], form_formats[column->form], "value", false, err);
}

static frz_status make_partition(const arrow_maker *maker, const char *name,
                                 struct ArrowSchema *out, frz_error **err)
{
    FRZ_TRY(parent(out, "+s", name, maker->partition->field_count, err));
    for (size_t i = 0; i < maker->partition->field_count; i++) {
        const frz_field *field = &maker->partition->fields[i];
        if (frz_type_is_primitive(field->type) && field->type->kind != FRZ_TYPE_UNKNOWN)
            FRZ_TRY(frz_type_to_arrow(field, out->children[i], err));
        else
            FRZ_TRY(leaf(out->children[i], "z", field->name, true, err));
    }
    return FRZ_OK;
}

static frz_status make_struct(const arrow_maker *maker, const char *name,
                              const frz_manifest_column *columns, size_t count,
                              struct ArrowSchema *out, frz_error **err);

static frz_status make_column(const arrow_maker *maker, const frz_manifest_column *column,
                              struct ArrowSchema *out, frz_error **err)
{
    switch (column->form) {
    case FRZ_FORM_INT:
    case FRZ_FORM_LONG:
    case FRZ_FORM_BOOLEAN:
    case FRZ_FORM_STRING:
    case FRZ_FORM_BYTES:
        return leaf(out, form_formats[column->form], column->name, true, err);
    case FRZ_FORM_LONG_MAP:
    case FRZ_FORM_BYTES_MAP:
        return make_map(column, out, err);
    case FRZ_FORM_LONG_LIST:
    case FRZ_FORM_INT_LIST:
        FRZ_TRY(parent(out, "+l", column->name, 1, err));
        return leaf(out->children[0], form_formats[column->form], "element", false, err);
    case FRZ_FORM_SUMMARIES:
        FRZ_TRY(parent(out, "+l", column->name, 1, err));
        return make_struct(maker, "element", frz_summary_columns, frz_summary_column_count,
                           out->children[0], err);
    case FRZ_FORM_PARTITION:
        return make_partition(maker, column->name, out, err);
    case FRZ_FORM_DATA_FILE:
        return make_struct(maker, column->name, frz_file_columns, frz_file_column_count, out, err);
    }
    return FRZ_OK;
}

static frz_status make_struct(const arrow_maker *maker, const char *name,
                              const frz_manifest_column *columns, size_t count,
                              struct ArrowSchema *out, frz_error **err)
{
    size_t present = 0;
    for (size_t i = 0; i < count; i++)
        present += frz_manifest_column_in(&columns[i], maker->version);
    FRZ_TRY(parent(out, "+s", name, present, err));
    present = 0;
    for (size_t i = 0; i < count; i++)
        if (frz_manifest_column_in(&columns[i], maker->version))
            FRZ_TRY(make_column(maker, &columns[i], out->children[present++], err));
    return FRZ_OK;
}

/* *out is given away only when every child is there. */
static frz_status make_whole(const arrow_maker *maker, const frz_manifest_column *columns,
                             size_t count, struct ArrowSchema *out, frz_error **err)
{
    struct ArrowSchema schema = {0};
    const frz_status status = make_struct(maker, "", columns, count, &schema, err);
    if (status == FRZ_OK)
        *out = schema;
    else
        frz_arrow_schema_clear(&schema);
    return status;
}

frz_status frz_manifest_arrow_schema(int format_version, const frz_type *partition,
                                     struct ArrowSchema *out, frz_error **err)
{
    const arrow_maker maker = {.version = format_version, .partition = partition};
    return make_whole(&maker, frz_entry_columns, frz_entry_column_count, out, err);
}

frz_status frz_manifest_list_arrow_schema(int format_version, struct ArrowSchema *out,
                                          frz_error **err)
{
    size_t count = 0;
    const frz_manifest_column *columns = frz_list_columns(format_version, &count);
    static const frz_type no_partition = {.kind = FRZ_TYPE_STRUCT};
    const arrow_maker maker = {.version = format_version, .partition = &no_partition};
    return make_whole(&maker, columns, count, out, err);
}
