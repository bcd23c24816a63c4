#include "write/kept_columns.h"

#include <string.h>

#include "base/fail.h"
#include "spec/schema.h"

static const frz_field *find_field(const frz_type *type, int32_t id)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].id == id)
            return &type->fields[i];
    return NULL;
}

/* Schemas are at most as deep as frz_limits lets them be. */
static const frz_field *find_changed(const frz_type *base, const frz_type *now)
{
    for (size_t i = 0; i < base->field_count; i++) {
        const frz_field *was = &base->fields[i];
        const frz_field *is = find_field(now, was->id);
        if (!is || strcmp(was->name, is->name) != 0 || was->type->kind != is->type->kind)
            return was;
        if (frz_type_is_primitive(was->type) && !frz_type_equal(was->type, is->type))
            return was;
        const frz_field *within = find_changed(was->type, is->type);
        if (within)
            return within;
    }
    return NULL;
}

frz_status frz_kept_columns_check(const frz_metadata *base, const frz_metadata *now,
                                  frz_error **err)
{
    const frz_schema *was = frz_metadata_schema(base);
    if (base->current_schema_id == now->current_schema_id)
        return FRZ_OK;
    const frz_field *changed =
        find_changed(frz_schema_type(was), frz_schema_type(frz_metadata_schema(now)));
    if (!changed)
        return FRZ_OK;
    return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                    "another commit changed column %s, which this one goes by",
                    frz_schema_path(was, changed->id));
}
