/*
 * Iceberg types as Arrow schemas, with field ids in the metadata.
 */
#include <stdio.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "spec/schema.h"

enum { FORMAT_SIZE = 32 };

/* Formats of the Arrow C data interface for types without parameters; NULL where there is none. */
static const char *const formats[] = {
    [FRZ_TYPE_UNKNOWN] = "n",
    [FRZ_TYPE_BOOLEAN] = "b",
    [FRZ_TYPE_INT] = "i",
    [FRZ_TYPE_LONG] = "l",
    [FRZ_TYPE_FLOAT] = "f",
    [FRZ_TYPE_DOUBLE] = "g",
    [FRZ_TYPE_DATE] = "tdD",
    [FRZ_TYPE_TIME] = "ttu",
    [FRZ_TYPE_TIMESTAMP] = "tsu:",
    [FRZ_TYPE_TIMESTAMPTZ] = "tsu:UTC",
    [FRZ_TYPE_TIMESTAMP_NS] = "tsn:",
    [FRZ_TYPE_TIMESTAMPTZ_NS] = "tsn:UTC",
    [FRZ_TYPE_STRING] = "u",
    [FRZ_TYPE_UUID] = "w:16",
    [FRZ_TYPE_BINARY] = "z",
    [FRZ_TYPE_STRUCT] = "+s",
    [FRZ_TYPE_LIST] = "+l",
    [FRZ_TYPE_MAP] = "+m",
};

static frz_status format_of(const frz_field *field, char out[FORMAT_SIZE], frz_error **err)
{
    const frz_type *type = field->type;
    if (type->kind == FRZ_TYPE_DECIMAL)
        (void)snprintf(out, FORMAT_SIZE, "d:%d,%d", type->precision, type->scale);
    else if (type->kind == FRZ_TYPE_FIXED)
        (void)snprintf(out, FORMAT_SIZE, "w:%d", type->length);
    else if (formats[type->kind])
        (void)snprintf(out, FORMAT_SIZE, "%s", formats[type->kind]);
    else
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "column %.200s: columns of type %s cannot be read or written yet",
                        field->name, frz_type_word(type->kind));
    return FRZ_OK;
}

static frz_status mark_uuid(const frz_field *field, struct ArrowSchema *out, frz_error **err)
{
    char id[16];
    (void)snprintf(id, sizeof id, "%d", field->id);
    const char *const keys[] = {"ARROW:extension:name", "ARROW:extension:metadata",
                                "PARQUET:field_id"};
    const frz_slice values[] = {frz_slice_of_text("arrow.uuid"), frz_slice_of_text(""),
                                frz_slice_of_text(id)};
    return frz_arrow_schema_set_metadata(out, keys, values, 3, err);
}

static frz_status fill_children(const frz_field *fields, size_t count, struct ArrowSchema *out,
                                frz_error **err)
{
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(frz_type_to_arrow(&fields[i], out->children[i], err));
    return FRZ_OK;
}

/* Arrow's map is a list of structs named "entries" that are never null and have no id of their own.
 */
static frz_status fill_map(const frz_type *type, struct ArrowSchema *out, frz_error **err)
{
    struct ArrowSchema *entries = out->children[0];
    FRZ_TRY(frz_arrow_schema_init(entries, "+s", "entries", false, FRZ_ARROW_NO_FIELD_ID, 2, err));
    return fill_children(type->fields, 2, entries, err);
}

frz_status frz_type_to_arrow(const frz_field *field, struct ArrowSchema *out, frz_error **err)
{
    const frz_type *type = field->type;
    const bool map = type->kind == FRZ_TYPE_MAP;
    char format[FORMAT_SIZE];
    frz_status status = FRZ_OK;
    FRZ_TRY(format_of(field, format, err));
    FRZ_TRY(frz_arrow_schema_init(out, format, field->name, !field->required, field->id,
                                  map ? 1 : (int64_t)type->field_count, err));
    if (map)
        FRZ_TRY_DONE(fill_map(type, out, err));
    else if (type->kind == FRZ_TYPE_UUID)
        FRZ_TRY_DONE(mark_uuid(field, out, err));
    else
        FRZ_TRY_DONE(fill_children(type->fields, type->field_count, out, err));
done:
    if (status != FRZ_OK)
        frz_arrow_schema_clear(out);
    return status;
}

frz_status frz_schema_to_arrow(const frz_schema *schema, struct ArrowSchema *out, frz_error **err)
{
    const frz_type *type = frz_schema_type(schema);
    frz_status status = FRZ_OK;
    FRZ_TRY(frz_arrow_schema_init(out, "+s", "", false, FRZ_ARROW_NO_FIELD_ID,
                                  (int64_t)type->field_count, err));
    FRZ_TRY_DONE(fill_children(type->fields, type->field_count, out, err));
done:
    if (status != FRZ_OK)
        frz_arrow_schema_clear(out);
    return status;
}
