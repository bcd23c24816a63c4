#include "write/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/normalize.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "scan/constant.h"
#include "scan/reshape.h"

enum { MAP_CHILDREN = 2 };

typedef struct input_column {
    int64_t source; /* child of the input; -1: every row has the write default */
    const frz_reshape *how;
    const frz_field *field; /* of the table */
} input_column;

struct frz_input_columns {
    frz_arena arena;
    const frz_schema *schema;
    struct ArrowSchema given;   /* the input's schema */
    struct ArrowSchema stamped; /* the same made plain, with the table's field ids */
    input_column *columns;
    size_t count;
    int64_t rows; /* handed in so far, for messages */
};

static frz_status fail_unknown(const frz_schema *schema, const char *path, frz_error **err)
{
    frz_buffer near = {0};
    frz_schema_suggest(schema, frz_slice_of_text(path), &near);
    const frz_status status =
        near.size > 0
            ? frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                       "the table has no column %s; near names: %.*s", path, (int)near.size,
                       (const char *)near.data)
            : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "the table has no column %s", path);
    frz_buffer_clear(&near);
    return status;
}

typedef struct stamping {
    const frz_schema *schema;
    frz_arena *arena;
    bool case_sensitive;
} stamping;

static frz_status stamp(const stamping *self, struct ArrowSchema *arrow, const frz_field *field,
                        const char *path, frz_error **err);

/* Keeps the extension name of a uuid, and sets the id. */
static frz_status set_id(struct ArrowSchema *arrow, int32_t id, frz_error **err)
{
    char text[16];
    const char *keys[] = {"PARQUET:field_id", "ARROW:extension:name", "ARROW:extension:metadata"};
    (void)snprintf(text, sizeof text, "%" PRId32, id);
    const frz_slice extension = frz_arrow_schema_metadata(arrow, keys[1]);
    uint8_t copy[64];
    const size_t size = extension.size < sizeof copy ? extension.size : 0;
    if (size > 0)
        memcpy(copy, extension.data, size);
    const frz_slice values[] = {frz_slice_of_text(text), frz_slice_of(copy, size),
                                frz_slice_of_text("")};
    return frz_arrow_schema_set_metadata(arrow, keys, values, size > 0 ? 3 : 1, err);
}

static frz_status stamp_struct(const stamping *self, struct ArrowSchema *arrow,
                               const frz_type *type, const char *path, frz_error **err)
{
    for (int64_t i = 0; i < arrow->n_children; i++) {
        struct ArrowSchema *child = arrow->children[i];
        const char *child_path =
            *path ? frz_arena_printf(self->arena, "%s.%s", path, frz_arrow_schema_name(child))
                  : frz_arena_text(self->arena, frz_arrow_schema_name(child));
        if (!child_path)
            return frz_fail_memory(err);
        const frz_field *field =
            frz_type_find_field(type, frz_arrow_schema_name(child), self->case_sensitive);
        if (!field)
            return fail_unknown(self->schema, child_path, err);
        for (int64_t j = 0; j < i; j++) {
            if (frz_arrow_schema_field_id(arrow->children[j]) == field->id)
                return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                "column %s stands in the input twice", child_path);
        }
        FRZ_TRY(stamp(self, child, field, child_path, err));
    }
    return FRZ_OK;
}

static frz_status stamp(const stamping *self, struct ArrowSchema *arrow, const frz_field *field,
                        const char *path, frz_error **err)
{
    const frz_type *type = field->type;
    FRZ_TRY(set_id(arrow, field->id, err));
    if (type->kind == FRZ_TYPE_STRUCT && strcmp(arrow->format, "+s") == 0)
        return stamp_struct(self, arrow, type, path, err);
    if (type->kind == FRZ_TYPE_LIST && strcmp(arrow->format, "+l") == 0 && arrow->n_children == 1)
        return stamp(self, arrow->children[0], &type->fields[0], path, err);
    if (type->kind != FRZ_TYPE_MAP || strcmp(arrow->format, "+m") != 0 || arrow->n_children != 1 ||
        arrow->children[0]->n_children != MAP_CHILDREN)
        return FRZ_OK;
    for (int64_t i = 0; i < MAP_CHILDREN; i++)
        FRZ_TRY(stamp(self, arrow->children[0]->children[i], &type->fields[i], path, err));
    return FRZ_OK;
}

/* What a reader takes from initial defaults, a writer takes from write defaults (spec "Default
 * values"). */
static frz_status with_write_defaults(const frz_type *type, frz_arena *arena, const frz_type **out,
                                      frz_error **err)
{
    if (type->field_count == 0) {
        *out = type;
        return FRZ_OK;
    }
    frz_type *copy = frz_arena_alloc(arena, sizeof *copy);
    frz_field *fields = frz_arena_array(arena, type->field_count, sizeof *fields);
    if (!copy || !fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].initial_default = fields[i].write_default;
        FRZ_TRY(with_write_defaults(type->fields[i].type, arena, &fields[i].type, err));
    }
    *copy = *type;
    copy->fields = fields;
    *out = copy;
    return FRZ_OK;
}

/* What breaks a file's format, or is beyond us in one, is here what the caller gave. Takes `why`.
 */
static frz_status refuse_input(frz_status status, frz_error *why, frz_error **err)
{
    if (status == FRZ_OK)
        return FRZ_OK;
    if (status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED)
        status = FRZ_INVALID;
    status = frz_fail(err, status, FRZ_NO_OFFSET, "%s", frz_error_message(why));
    frz_error_free(why);
    return status;
}

static frz_status compile_column(frz_input_columns *self, const frz_field *field,
                                 input_column *column, frz_error **err)
{
    column->field = field;
    column->source = -1;
    for (int64_t i = 0; i < self->stamped.n_children; i++) {
        if (frz_arrow_schema_field_id(self->stamped.children[i]) == field->id)
            column->source = i;
    }
    if (column->source < 0) {
        if (field->required && !field->write_default)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column %s is required, has no write default, and is not in the input",
                            field->name);
        return FRZ_OK;
    }
    frz_error *why = NULL;
    const struct ArrowSchema *from = self->stamped.children[column->source];
    const frz_status status =
        frz_reshape_compile(from, field, field->name, &self->arena, &column->how, &why);
    return refuse_input(status, why, err);
}

static frz_status compile(frz_input_columns *self, const struct ArrowSchema *given,
                          bool case_sensitive, frz_error **err)
{
    const frz_type *root = NULL;
    const stamping names = {self->schema, &self->arena, case_sensitive};
    if (strcmp(given->format, "+s") != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "rows must be an Arrow struct, got format %s", given->format);
    FRZ_TRY(frz_arrow_schema_copy(given, &self->given, err));
    FRZ_TRY(frz_arrow_normalize_schema(given, &self->stamped, err));
    FRZ_TRY(stamp_struct(&names, &self->stamped, frz_schema_type(self->schema), "", err));
    FRZ_TRY(with_write_defaults(frz_schema_type(self->schema), &self->arena, &root, err));
    self->count = root->field_count;
    self->columns = frz_arena_array(&self->arena, self->count + 1, sizeof *self->columns);
    if (!self->columns)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->count; i++)
        FRZ_TRY(compile_column(self, &root->fields[i], &self->columns[i], err));
    return FRZ_OK;
}

frz_status frz_input_columns_new(const struct ArrowSchema *given, const frz_schema *schema,
                                 bool case_sensitive, frz_input_columns **out, frz_error **err)
{
    frz_input_columns *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->schema = frz_schema_ref(schema);
    const frz_status status = compile(self, given, case_sensitive, err);
    if (status != FRZ_OK) {
        frz_input_columns_free(self);
        return status;
    }
    *out = self;
    return FRZ_OK;
}

void frz_input_columns_free(frz_input_columns *self)
{
    if (!self)
        return;
    frz_arrow_schema_clear(&self->given);
    frz_arrow_schema_clear(&self->stamped);
    frz_schema_unref(self->schema);
    frz_arena_clear(&self->arena);
    frz_free(self);
}

bool frz_input_columns_has(const frz_input_columns *self, size_t index)
{
    return self->columns[index].source >= 0;
}

static void mark(const struct ArrowSchema *stamped, bool *has, size_t id_count)
{
    const int32_t id = frz_arrow_schema_field_id(stamped);
    if (id >= 0 && (size_t)id < id_count)
        has[id] = true;
    for (int64_t i = 0; i < stamped->n_children; i++)
        mark(stamped->children[i], has, id_count);
}

void frz_input_columns_mark(const frz_input_columns *self, bool *has, size_t id_count)
{
    for (int64_t i = 0; i < self->stamped.n_children; i++)
        mark(self->stamped.children[i], has, id_count);
}

/* Where the message about a bad value starts counting: row 1 is the first row handed in. */
static frz_status fail_row(const frz_input_columns *self, const frz_field *field, int64_t row,
                           const char *what, frz_error **err)
{
    const char *path = frz_schema_path(self->schema, field->id);
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "column %s, row %" PRId64 ": %s",
                    path ? path : field->name, self->rows + row + 1, what);
}

static bool loses_nanos(const struct ArrowSchema *arrow, const frz_type *type)
{
    const bool micros = type->kind == FRZ_TYPE_TIMESTAMP || type->kind == FRZ_TYPE_TIMESTAMPTZ ||
                        type->kind == FRZ_TYPE_TIME;
    return micros && (strncmp(arrow->format, "tsn:", 4) == 0 || strcmp(arrow->format, "ttn") == 0);
}

/* Nanoseconds go into a column of microseconds only where nothing is lost. */
static frz_status check_exact(const frz_input_columns *self, const struct ArrowSchema *arrow,
                              const frz_field *field, const struct ArrowArray *array,
                              frz_error **err)
{
    if (loses_nanos(arrow, field->type)) {
        const int64_t *values = array->buffers[1];
        for (int64_t i = 0; i < array->length; i++) {
            if (values[array->offset + i] % 1000 != 0 && !frz_arrow_is_null(array, i))
                return fail_row(self, field, i,
                                "nanoseconds would be lost: the column keeps microseconds", err);
        }
        return FRZ_OK;
    }
    for (int64_t i = 0; i < array->n_children; i++) {
        const frz_type *type = field->type;
        const frz_field *below = NULL;
        if (type->kind == FRZ_TYPE_STRUCT)
            below = frz_type_find_field(type, frz_arrow_schema_name(arrow->children[i]), false);
        else if (type->kind == FRZ_TYPE_LIST)
            below = &type->fields[0];
        if (below)
            FRZ_TRY(check_exact(self, arrow->children[i], below, array->children[i], err));
    }
    return FRZ_OK;
}

/* The first row in [0, length) where the column is null although its parent is not; -1 when none.
 */
static int64_t first_null(const struct ArrowArray *array, const struct ArrowArray *parent)
{
    if (array->n_buffers == 0 || !array->buffers[0])
        return -1;
    for (int64_t i = 0; i < array->length; i++) {
        if (frz_arrow_is_null(array, i) && !(parent && frz_arrow_is_null(parent, i)))
            return i;
    }
    return -1;
}

static frz_status check_required_below(const frz_input_columns *self, const frz_type *type,
                                       const struct ArrowArray *array, frz_error **err);

/* Nulls of required fields, at any depth. `parent` NULL: no parent row is null. */
static frz_status check_required(const frz_input_columns *self, const frz_field *field,
                                 const struct ArrowArray *array, const struct ArrowArray *parent,
                                 frz_error **err)
{
    const int64_t null = field->required ? first_null(array, parent) : -1;
    if (null >= 0)
        return fail_row(self, field, null, "null in a required column", err);
    return check_required_below(self, field->type, array, err);
}

static frz_status check_required_below(const frz_input_columns *self, const frz_type *type,
                                       const struct ArrowArray *array, frz_error **err)
{
    const bool map = type->kind == FRZ_TYPE_MAP;
    const struct ArrowArray *holder = map ? array->children[0] : array;
    const struct ArrowArray *parent = type->kind == FRZ_TYPE_STRUCT ? array : NULL;
    for (size_t i = 0; i < type->field_count; i++)
        FRZ_TRY(check_required(self, &type->fields[i], holder->children[i], parent, err));
    return FRZ_OK;
}

static frz_status run_column(frz_input_columns *self, const input_column *column,
                             struct ArrowArray *batch, struct ArrowArray *out, frz_error **err)
{
    static const frz_value null = {.form = FRZ_VALUE_NULL};
    const frz_field *field = column->field;
    if (column->source < 0) {
        FRZ_TRY(frz_constant_array(field->type, field->write_default ? field->write_default : &null,
                                   batch->length, out, err));
        return check_required(self, field, out, NULL, err);
    }
    struct ArrowArray *child = batch->children[column->source];
    FRZ_TRY(check_exact(self, self->stamped.children[column->source], field, child, err));
    struct ArrowArray moved = *child;
    child->release = NULL;
    frz_error *why = NULL;
    const frz_status status = frz_reshape_run(column->how, &moved, out, &why);
    FRZ_TRY(refuse_input(status, why, err));
    return check_required(self, field, out, NULL, err);
}

frz_status frz_input_columns_run(frz_input_columns *self, struct ArrowArray *batch,
                                 struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray plain = {0};
    struct ArrowArray made = {0};
    frz_buffer none = {0};
    const int64_t rows = batch->length;

    FRZ_TRY_DONE(frz_arrow_normalize(&self->given, batch, &plain, err));
    FRZ_TRY_DONE(frz_arrow_array_init(&made, rows, 0, &none, 1, (int64_t)self->count, err));
    for (size_t i = 0; i < self->count; i++)
        FRZ_TRY_DONE(run_column(self, &self->columns[i], &plain, made.children[i], err));
    self->rows += rows;
    *out = made;
    made = (struct ArrowArray){0};

done:
    frz_arrow_array_clear(&made);
    frz_arrow_array_clear(&plain);
    frz_arrow_array_clear(batch);
    return status;
}
