#include "metatable/cell.h"

#include "base/fail.h"
#include "spec/value_arrow.h"

const frz_type frz_cell_int = {.kind = FRZ_TYPE_INT};
const frz_type frz_cell_long = {.kind = FRZ_TYPE_LONG};
const frz_type frz_cell_string = {.kind = FRZ_TYPE_STRING};
const frz_type frz_cell_boolean = {.kind = FRZ_TYPE_BOOLEAN};
const frz_type frz_cell_binary = {.kind = FRZ_TYPE_BINARY};
const frz_type frz_cell_timestamptz = {.kind = FRZ_TYPE_TIMESTAMPTZ};

void frz_cell_count(frz_arrow_builder *column, int64_t value)
{
    if (value < 0)
        frz_arrow_append_null(column);
    else
        frz_arrow_append_i64(column, value);
}

void frz_cell_text(frz_arrow_builder *column, const char *text)
{
    if (!text)
        frz_arrow_append_null(column);
    else
        frz_arrow_append_bytes(column, frz_slice_of_text(text));
}

void frz_cell_slice(frz_arrow_builder *column, frz_slice bytes)
{
    if (!bytes.size)
        frz_arrow_append_null(column);
    else
        frz_arrow_append_bytes(column, bytes);
}

static bool is_taken(const frz_field *fields, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return true;
    return false;
}

static bool is_column_id(const frz_metadata *metadata, int32_t id)
{
    for (size_t i = 0; i < metadata->schema_count; i++)
        if (frz_schema_find_id(metadata->schemas[i], id))
            return true;
    return false;
}

frz_status frz_partition_column_make(const frz_scan *scan, int32_t lowest, int32_t *next_id,
                                     frz_arena *arena, frz_partition_column *out, frz_error **err)
{
    const frz_type *from = scan->partition_type;
    frz_field *fields = frz_arena_array(arena, from->field_count, sizeof *fields);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    for (size_t i = 0; i < from->field_count; i++) {
        fields[i] = from->fields[i];
        if (fields[i].id < lowest) {
            while (is_column_id(scan->metadata, *next_id))
                (*next_id)++;
            fields[i].id = (*next_id)++;
        }
        /* A field that was removed and made anew may have its name again. */
        if (is_taken(fields, i, fields[i].name))
            fields[i].name =
                frz_arena_printf(arena, "%s_%d", from->fields[i].name, from->fields[i].id);
        if (!fields[i].name)
            return frz_fail_memory(err);
    }
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = from->field_count};
    *out = (frz_partition_column){.scan = scan, .type = type};
    return FRZ_OK;
}

bool frz_partition_column_find(const frz_partition_column *column, const frz_partition_spec *spec,
                               int32_t id, size_t *index_out)
{
    const frz_type *type = column->type;
    for (size_t i = 0; spec && i < type->field_count; i++) {
        if (type->fields[i].id != id)
            continue;
        const int32_t spec_field = column->scan->partition_type->fields[i].id;
        for (size_t k = 0; k < spec->field_count; k++) {
            if (spec->fields[k].field_id == spec_field) {
                *index_out = k;
                return true;
            }
        }
        return false;
    }
    return false;
}

void frz_partition_column_append(const frz_partition_column *column, const frz_data_file *file,
                                 const frz_type *part, frz_arrow_builder *out)
{
    const frz_partition_spec *spec = frz_metadata_find_spec(column->scan->metadata, file->spec_id);
    for (size_t i = 0; i < part->field_count; i++) {
        frz_arrow_builder *cell = frz_arrow_builder_child(out, i);
        size_t at = 0;
        if (frz_partition_column_find(column, spec, part->fields[i].id, &at) &&
            at < file->partition_count)
            frz_value_append(part->fields[i].type, &file->partition[at], cell);
        else
            frz_arrow_append_null(cell);
    }
    frz_arrow_append_struct(out);
}
