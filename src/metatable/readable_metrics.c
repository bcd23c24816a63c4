#include "metatable/readable_metrics.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "metatable/cell.h"
#include "spec/value_arrow.h"

enum metric {
    METRIC_COLUMN_SIZE,
    METRIC_VALUE_COUNT,
    METRIC_NULL_COUNT,
    METRIC_NAN_COUNT,
    METRIC_LOWER,
    METRIC_UPPER,
    METRIC_COUNT
};

enum {
    IDS_PER_COLUMN = 1 + METRIC_COUNT,
    COORDINATES = 4,
    /* Ids that Java does not give: downward from the highest that is allowed. */
    COORDINATE_ID = FRZ_FIELD_ID_MAX
};

typedef struct named_column {
    const char *path;
    const frz_field *field;
} named_column;

static int by_path(const void *a, const void *b)
{
    return strcmp(((const named_column *)a)->path, ((const named_column *)b)->path);
}

static bool is_geo(const frz_type *type)
{
    return type->kind == FRZ_TYPE_GEOMETRY || type->kind == FRZ_TYPE_GEOGRAPHY;
}

static frz_status make_bound_type(const frz_field *column, int32_t id, frz_arena *arena,
                                  const frz_type **out, frz_error **err)
{
    static const frz_type number = {.kind = FRZ_TYPE_DOUBLE};
    *out = column->type;
    if (!is_geo(column->type))
        return FRZ_OK;
    frz_field *element = frz_arena_alloc(arena, sizeof *element);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!element || !type)
        return frz_fail_memory(err);
    *element =
        (frz_field){.id = COORDINATE_ID - id, .name = "element", .required = true, .type = &number};
    *type = (frz_type){.kind = FRZ_TYPE_LIST, .fields = element, .field_count = 1};
    *out = type;
    return FRZ_OK;
}

static frz_status make_column(const frz_field *column, int32_t *next_id, frz_arena *arena,
                              const frz_type **out, frz_error **err)
{
    static const char *const names[METRIC_COUNT] = {"column_size",      "value_count",
                                                    "null_value_count", "nan_value_count",
                                                    "lower_bound",      "upper_bound"};
    frz_field *fields = frz_arena_array(arena, METRIC_COUNT, sizeof *fields);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        fields[i] = (frz_field){.id = (*next_id)++, .name = names[i], .type = &frz_cell_long};
        if (i >= METRIC_LOWER)
            FRZ_TRY(make_bound_type(column, fields[i].id, arena, &fields[i].type, err));
    }
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = METRIC_COUNT};
    *out = type;
    return FRZ_OK;
}

static size_t list_columns(const frz_schema *schema, named_column *out)
{
    size_t count = 0;
    for (size_t i = 0; i < frz_schema_field_count(schema); i++) {
        const frz_field *field = frz_schema_field_at(schema, i);
        if (frz_type_is_primitive(field->type))
            out[count++] =
                (named_column){.path = frz_schema_path(schema, field->id), .field = field};
    }
    if (count)
        qsort(out, count, sizeof *out, by_path);
    return count;
}

frz_status frz_readable_metrics_make(const frz_schema *schema, int32_t *next_id, frz_arena *arena,
                                     frz_readable_metrics *out, frz_error **err)
{
    const size_t room = frz_schema_field_count(schema);
    named_column *named = frz_arena_array(arena, room, sizeof *named);
    frz_field *fields = frz_arena_array(arena, room, sizeof *fields);
    const frz_field **columns = frz_arena_array(arena, room, sizeof *columns);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!named || !fields || !columns || !type)
        return frz_fail_memory(err);
    const size_t count = list_columns(schema, named);
    const int32_t first_id = *next_id;
    for (size_t i = 0; i < count; i++) {
        columns[i] = named[i].field;
        fields[i] = (frz_field){.id = (*next_id)++, .name = named[i].path};
        /* Two columns may have one dotted path. */
        if (i > 0 && strcmp(named[i].path, named[i - 1].path) == 0)
            fields[i].name = frz_arena_printf(arena, "%s_%d", named[i].path, named[i].field->id);
        if (!fields[i].name)
            return frz_fail_memory(err);
        FRZ_TRY(make_column(columns[i], next_id, arena, &fields[i].type, err));
    }
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = count};
    *out = (frz_readable_metrics){.type = type, .columns = columns, .first_id = first_id};
    return FRZ_OK;
}

static const frz_field *column_of(const frz_readable_metrics *metrics, const frz_field *part)
{
    return metrics->columns[(part->id - metrics->first_id) / IDS_PER_COLUMN];
}

int32_t frz_readable_metrics_column(const frz_readable_metrics *metrics, const frz_field *field)
{
    return column_of(metrics, field)->id;
}

static enum metric metric_of(const frz_field *column, const frz_field *field)
{
    return (enum metric)(field->id - column->id - 1);
}

bool frz_readable_metrics_has_size(const frz_type *part)
{
    for (size_t i = 0; i < part->field_count; i++) {
        const frz_field *column = &part->fields[i];
        for (size_t k = 0; k < column->type->field_count; k++)
            if (metric_of(column, &column->type->fields[k]) == METRIC_COLUMN_SIZE)
                return true;
    }
    return false;
}

/* A point of two to four doubles; what it lacks is NaN. */
static void append_point(frz_arrow_builder *cell, frz_slice bytes)
{
    const size_t count = bytes.size / sizeof(double);
    if (bytes.size % sizeof(double) || count < 2 || count > COORDINATES) {
        frz_arrow_append_null(cell);
        return;
    }
    for (size_t i = 0; i < COORDINATES; i++) {
        double value = (double)NAN;
        if (i < count)
            memcpy(&value, bytes.data + i * sizeof value, sizeof value);
        frz_arrow_append_f64(frz_arrow_builder_child(cell, 0), value);
    }
    frz_arrow_append_list(cell);
}

static void append_bound(frz_arrow_builder *cell, const frz_type *type, bool known, frz_slice bytes)
{
    frz_value value = {0};
    if (known && is_geo(type))
        append_point(cell, bytes);
    else if (known && frz_value_decode(type, bytes, &value, NULL) == FRZ_OK)
        frz_value_append(NULL, &value, cell);
    else
        frz_arrow_append_null(cell);
}

static void append_metric(const frz_type *type, const frz_column_metrics *column,
                          enum metric metric, frz_arrow_builder *cell)
{
    switch (metric) {
    case METRIC_COLUMN_SIZE:
        frz_cell_count(cell, column->column_size);
        return;
    case METRIC_VALUE_COUNT:
        frz_cell_count(cell, column->value_count);
        return;
    case METRIC_NULL_COUNT:
        frz_cell_count(cell, column->null_count);
        return;
    case METRIC_NAN_COUNT:
        frz_cell_count(cell, column->nan_count);
        return;
    case METRIC_LOWER:
        append_bound(cell, type, column->has_lower, column->lower);
        return;
    case METRIC_UPPER:
        append_bound(cell, type, column->has_upper, column->upper);
        return;
    case METRIC_COUNT:
        return;
    }
}

void frz_readable_metrics_append(const frz_readable_metrics *metrics, const frz_data_file *file,
                                 const frz_type *part, frz_arrow_builder *out)
{
    static const frz_column_metrics unknown = {
        .column_size = -1, .value_count = -1, .null_count = -1, .nan_count = -1};
    for (size_t i = 0; i < part->field_count; i++) {
        const frz_field *cells = &part->fields[i];
        const frz_field *column = column_of(metrics, cells);
        const frz_column_metrics *found = frz_data_file_metrics(file, column->id);
        frz_arrow_builder *builder = frz_arrow_builder_child(out, i);
        for (size_t k = 0; k < cells->type->field_count; k++)
            append_metric(column->type, found ? found : &unknown,
                          metric_of(cells, &cells->type->fields[k]),
                          frz_arrow_builder_child(builder, k));
        frz_arrow_append_struct(builder);
    }
    frz_arrow_append_struct(out);
}
