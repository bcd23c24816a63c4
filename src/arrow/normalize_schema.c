#include "arrow/normalize.h"

#include "arrow/schema.h"
#include "base/decimal.h"
#include "base/fail.h"

static frz_status no_iceberg_type(const struct ArrowSchema *schema, const frz_arrow_type *type,
                                  frz_error **err)
{
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                    "column \"%s\": Arrow type %s (%s) has no Iceberg type",
                    frz_arrow_schema_name(schema), frz_arrow_kind_name(type->kind), schema->format);
}

/* The plain type of one that is no dictionary and no run-end encoding. */
static frz_status plain_type(const struct ArrowSchema *schema, const frz_arrow_type *type,
                             frz_arrow_type *out, frz_error **err)
{
    *out = *type;
    switch (type->kind) {
    case FRZ_ARROW_INT8:
    case FRZ_ARROW_UINT8:
    case FRZ_ARROW_INT16:
    case FRZ_ARROW_UINT16:
        out->kind = FRZ_ARROW_INT32;
        break;
    case FRZ_ARROW_UINT32:
    case FRZ_ARROW_UINT64:
        out->kind = FRZ_ARROW_INT64;
        break;
    case FRZ_ARROW_HALF:
        out->kind = FRZ_ARROW_FLOAT;
        break;
    case FRZ_ARROW_DECIMAL_OTHER:
    case FRZ_ARROW_DECIMAL:
        if (type->precision > FRZ_DECIMAL_PRECISION_MAX)
            return no_iceberg_type(schema, type, err);
        out->kind = FRZ_ARROW_DECIMAL;
        break;
    case FRZ_ARROW_LARGE_STRING:
    case FRZ_ARROW_STRING_VIEW:
        out->kind = FRZ_ARROW_STRING;
        break;
    case FRZ_ARROW_LARGE_BINARY:
    case FRZ_ARROW_BINARY_VIEW:
        out->kind = FRZ_ARROW_BINARY;
        break;
    case FRZ_ARROW_DATE64:
        out->kind = FRZ_ARROW_DATE32;
        break;
    case FRZ_ARROW_TIME32:
    case FRZ_ARROW_TIME64:
        out->kind = FRZ_ARROW_TIME64;
        out->unit = 'u';
        break;
    case FRZ_ARROW_TIMESTAMP:
        out->unit = type->unit == 'n' ? 'n' : 'u';
        break;
    case FRZ_ARROW_LARGE_LIST:
    case FRZ_ARROW_FIXED_LIST:
    case FRZ_ARROW_LIST_VIEW:
        out->kind = FRZ_ARROW_LIST;
        break;
    case FRZ_ARROW_DURATION:
    case FRZ_ARROW_INTERVAL:
    case FRZ_ARROW_UNION:
    case FRZ_ARROW_RUN_END:
        return no_iceberg_type(schema, type, err);
    case FRZ_ARROW_NULL:
    case FRZ_ARROW_BOOL:
    case FRZ_ARROW_INT32:
    case FRZ_ARROW_INT64:
    case FRZ_ARROW_FLOAT:
    case FRZ_ARROW_DOUBLE:
    case FRZ_ARROW_STRING:
    case FRZ_ARROW_BINARY:
    case FRZ_ARROW_FIXED:
    case FRZ_ARROW_DATE32:
    case FRZ_ARROW_STRUCT:
    case FRZ_ARROW_LIST:
    case FRZ_ARROW_MAP:
        break;
    }
    return FRZ_OK;
}

/* What carries the type: the values of dictionaries and run-end encodings, however nested. */
static frz_status value_schema(const struct ArrowSchema *schema, const struct ArrowSchema **out,
                               frz_error **err)
{
    frz_arrow_type type;
    while (schema->dictionary)
        schema = schema->dictionary;
    FRZ_TRY(frz_arrow_type_parse(schema->format, &type, err));
    if (type.kind == FRZ_ARROW_RUN_END && schema->n_children == 2)
        return value_schema(schema->children[1], out, err);
    *out = schema;
    return FRZ_OK;
}

frz_status frz_arrow_normalize_schema(const struct ArrowSchema *schema, struct ArrowSchema *out,
                                      frz_error **err)
{
    frz_status status = FRZ_OK;
    const struct ArrowSchema *values = NULL;
    struct ArrowSchema made = {0};
    frz_arrow_type type;
    char format[32];
    FRZ_TRY(value_schema(schema, &values, err));
    FRZ_TRY(frz_arrow_type_parse(values->format, &type, err));
    FRZ_TRY(plain_type(schema, &type, &type, err));
    frz_arrow_type_print(&type, format);
    FRZ_TRY_DONE(frz_arrow_schema_copy_as(schema, format, values->n_children, &made, err));
    for (int64_t i = 0; i < values->n_children; i++)
        FRZ_TRY_DONE(frz_arrow_normalize_schema(values->children[i], made.children[i], err));
    *out = made;
    made = (struct ArrowSchema){0};
done:
    frz_arrow_schema_clear(&made);
    return status;
}
