#include "scan/required.h"

#include "arrow/array.h"
#include "base/fail.h"

/* A field on the way, and the struct that holds it (NULL: each of its values counts). */
typedef struct place {
    const struct place *outer;
    const frz_field *field;
    const struct ArrowArray *parent;
} place;

static frz_status refuse(const place *at, int64_t row, const char *path, frz_error **err)
{
    frz_buffer name = {0};
    const place *chain[64];
    size_t depth = 0;
    for (const place *step = at; step->outer && depth < 64; step = step->outer)
        chain[depth++] = step;
    frz_buffer_append_text(&name, path);
    while (depth > 0)
        frz_buffer_printf(&name, ".%s", chain[--depth]->field->name);
    const frz_status status =
        name.failed ? frz_fail_memory(err)
                    : frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                               "%.*s is required, but it is null in value %lld of a batch",
                               (int)name.size, (const char *)name.data, (long long)row);
    frz_buffer_clear(&name);
    return status;
}

static frz_status check_values(const place *at, const struct ArrowArray *array, const char *path,
                               frz_error **err)
{
    if (!at->field->required || frz_arrow_null_count(array) == 0)
        return FRZ_OK;
    for (int64_t i = 0; i < array->length; i++)
        if (frz_arrow_is_null(array, i) && !(at->parent && frz_arrow_is_null(at->parent, i)))
            return refuse(at, i, path, err);
    return FRZ_OK;
}

static frz_status check(const place *at, const struct ArrowArray *array, const char *path,
                        frz_error **err)
{
    const frz_type *type = at->field->type;
    FRZ_TRY(check_values(at, array, path, err));
    if (array->n_children == 0)
        return FRZ_OK;
    const bool nested = type->kind == FRZ_TYPE_STRUCT;
    const struct ArrowArray *holder = type->kind == FRZ_TYPE_MAP ? array->children[0] : array;
    for (size_t i = 0; i < type->field_count; i++) {
        const place inner = {
            .outer = at, .field = &type->fields[i], .parent = nested ? array : NULL};
        FRZ_TRY(check(&inner, holder->children[i], path, err));
    }
    return FRZ_OK;
}

frz_status frz_required_check(const frz_field *field, const struct ArrowArray *array,
                              const char *path, frz_error **err)
{
    return check(&(place){.field = field}, array, path, err);
}
