#include "catalog/arrow_schema.h"

#include "arrow/schema.h"
#include "base/fail.h"

enum { DEPTH_MAX = 64 };

typedef struct id_source {
    frz_arena *arena;
    int32_t last_id;
    uint32_t depth;
} id_source;

static const frz_type *timestamp_type(const frz_arrow_type *type)
{
    if (type->unit == 'n')
        return frz_type_of(type->zoned ? FRZ_TYPE_TIMESTAMPTZ_NS : FRZ_TYPE_TIMESTAMP_NS);
    return frz_type_of(type->zoned ? FRZ_TYPE_TIMESTAMPTZ : FRZ_TYPE_TIMESTAMP);
}

static const frz_type *sized_type(frz_type_kind kind, const frz_arrow_type *type, frz_arena *arena)
{
    frz_type *made = frz_arena_alloc(arena, sizeof *made);
    if (made && kind == FRZ_TYPE_FIXED)
        *made = (frz_type){.kind = kind, .length = type->width};
    else if (made)
        *made = (frz_type){.kind = kind, .precision = type->precision, .scale = type->scale};
    return made;
}

static const frz_type *leaf_type(const frz_arrow_type *type, bool uuid, frz_arena *arena)
{
    switch (type->kind) {
    case FRZ_ARROW_NULL:
        return frz_type_of(FRZ_TYPE_UNKNOWN);
    case FRZ_ARROW_BOOL:
        return frz_type_of(FRZ_TYPE_BOOLEAN);
    case FRZ_ARROW_INT8:
    case FRZ_ARROW_UINT8:
    case FRZ_ARROW_INT16:
    case FRZ_ARROW_UINT16:
    case FRZ_ARROW_INT32:
        return frz_type_of(FRZ_TYPE_INT);
    case FRZ_ARROW_UINT32:
    case FRZ_ARROW_INT64:
        return frz_type_of(FRZ_TYPE_LONG);
    case FRZ_ARROW_HALF:
    case FRZ_ARROW_FLOAT:
        return frz_type_of(FRZ_TYPE_FLOAT);
    case FRZ_ARROW_DOUBLE:
        return frz_type_of(FRZ_TYPE_DOUBLE);
    case FRZ_ARROW_DECIMAL:
        return sized_type(FRZ_TYPE_DECIMAL, type, arena);
    case FRZ_ARROW_DECIMAL_OTHER:
        return type->width <= 64 ? sized_type(FRZ_TYPE_DECIMAL, type, arena) : NULL;
    case FRZ_ARROW_STRING:
    case FRZ_ARROW_LARGE_STRING:
    case FRZ_ARROW_STRING_VIEW:
        return frz_type_of(FRZ_TYPE_STRING);
    case FRZ_ARROW_BINARY:
    case FRZ_ARROW_LARGE_BINARY:
    case FRZ_ARROW_BINARY_VIEW:
        return frz_type_of(FRZ_TYPE_BINARY);
    case FRZ_ARROW_FIXED:
        if (uuid && type->width == 16)
            return frz_type_of(FRZ_TYPE_UUID);
        return sized_type(FRZ_TYPE_FIXED, type, arena);
    case FRZ_ARROW_DATE32:
    case FRZ_ARROW_DATE64:
        return frz_type_of(FRZ_TYPE_DATE);
    case FRZ_ARROW_TIME32:
        return frz_type_of(FRZ_TYPE_TIME);
    case FRZ_ARROW_TIME64:
        return type->unit == 'u' ? frz_type_of(FRZ_TYPE_TIME) : NULL;
    case FRZ_ARROW_TIMESTAMP:
        return timestamp_type(type);
    case FRZ_ARROW_UINT64:
    case FRZ_ARROW_DURATION:
    case FRZ_ARROW_INTERVAL:
    case FRZ_ARROW_STRUCT:
    case FRZ_ARROW_LIST:
    case FRZ_ARROW_LARGE_LIST:
    case FRZ_ARROW_FIXED_LIST:
    case FRZ_ARROW_LIST_VIEW:
    case FRZ_ARROW_MAP:
    case FRZ_ARROW_UNION:
    case FRZ_ARROW_RUN_END:
        return NULL;
    }
    return NULL;
}

const frz_type *frz_type_from_arrow(const struct ArrowSchema *arrow, frz_arena *arena)
{
    frz_arrow_type type;
    if (arrow->dictionary)
        arrow = arrow->dictionary;
    if (frz_arrow_type_parse(arrow->format, &type, NULL) != FRZ_OK)
        return NULL;
    const frz_slice extension = frz_arrow_schema_metadata(arrow, "ARROW:extension:name");
    return leaf_type(&type, frz_slice_is_text(extension, "arrow.uuid"), arena);
}

static frz_status type_of(id_source *ids, const struct ArrowSchema *arrow, const char *name,
                          const frz_type **out, frz_error **err);

static void start_field(id_source *ids, frz_field *field, const char *name, bool required)
{
    *field = (frz_field){.id = ++ids->last_id, .name = name, .required = required};
}

static bool is_required(const struct ArrowSchema *arrow)
{
    return (arrow->flags & ARROW_FLAG_NULLABLE) == 0;
}

/* All fields of the level get their ids before any of their children. */
static frz_status group_type(id_source *ids, frz_type_kind kind,
                             const struct ArrowSchema *const *children, size_t count,
                             const frz_type **out, frz_error **err)
{
    static const char *const list_names[] = {"element"};
    static const char *const map_names[] = {"key", "value"};
    frz_type *type = frz_arena_alloc(ids->arena, sizeof *type);
    frz_field *fields = frz_arena_array(ids->arena, count, sizeof *fields);
    if (!type || !fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const char *name = children[i]->name ? children[i]->name : "";
        bool required = is_required(children[i]);
        if (kind == FRZ_TYPE_LIST)
            name = list_names[i];
        if (kind == FRZ_TYPE_MAP) {
            name = map_names[i];
            required = required || i == 0;
        }
        start_field(ids, &fields[i], name, required);
    }
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(type_of(ids, children[i], fields[i].name, &fields[i].type, err));
    *type = (frz_type){.kind = kind, .fields = fields, .field_count = count};
    *out = type;
    return FRZ_OK;
}

static frz_status nested_type(id_source *ids, const frz_arrow_type *type,
                              const struct ArrowSchema *arrow, const frz_type **out,
                              frz_error **err)
{
    const struct ArrowSchema *const *children = (const struct ArrowSchema *const *)arrow->children;
    const size_t count = (size_t)arrow->n_children;
    if (type->kind == FRZ_ARROW_STRUCT)
        return group_type(ids, FRZ_TYPE_STRUCT, children, count, out, err);
    if (count != 1)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "Arrow type %s: expected one child, got %zu", arrow->format, count);
    if (type->kind != FRZ_ARROW_MAP)
        return group_type(ids, FRZ_TYPE_LIST, children, count, out, err);
    if (children[0]->n_children != 2)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "Arrow map: expected entries of key and value, got %lld children",
                        (long long)children[0]->n_children);
    return group_type(ids, FRZ_TYPE_MAP, (const struct ArrowSchema *const *)children[0]->children,
                      2, out, err);
}

static bool is_nested(frz_arrow_kind kind)
{
    return kind == FRZ_ARROW_STRUCT || kind == FRZ_ARROW_LIST || kind == FRZ_ARROW_LARGE_LIST ||
           kind == FRZ_ARROW_FIXED_LIST || kind == FRZ_ARROW_LIST_VIEW || kind == FRZ_ARROW_MAP;
}

static frz_status type_of(id_source *ids, const struct ArrowSchema *arrow, const char *name,
                          const frz_type **out, frz_error **err)
{
    frz_arrow_type type;
    frz_status status = FRZ_OK;
    if (ids->depth++ > DEPTH_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "Arrow schema nested deeper than %d levels", DEPTH_MAX);
    FRZ_TRY(frz_arrow_type_parse(arrow->format, &type, err));
    if (!arrow->dictionary && is_nested(type.kind)) {
        status = nested_type(ids, &type, arrow, out, err);
    } else {
        *out = frz_type_from_arrow(arrow, ids->arena);
        if (!*out)
            status = frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                              "Arrow type %s (%s) has no Iceberg type",
                              frz_arrow_kind_name(type.kind), arrow->format);
    }
    ids->depth--;
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "column %s", name);
}

frz_status frz_schema_from_arrow(const struct ArrowSchema *arrow, frz_schema **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arena arena = {0};
    id_source ids = {.arena = &arena};
    const frz_type *root = NULL;

    FRZ_TRY_DONE(group_type(&ids, FRZ_TYPE_STRUCT,
                            (const struct ArrowSchema *const *)arrow->children,
                            (size_t)arrow->n_children, &root, err));
    FRZ_TRY_DONE(frz_schema_new(0, root->fields, root->field_count, NULL, 0, out, err));

done:
    frz_arena_clear(&arena);
    return status;
}
