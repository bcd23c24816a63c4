#include "spec/partition_update.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "spec/ddl.h"

frz_status frz_partition_update_open(frz_partition_update *self, const frz_metadata *base,
                                     int format_version, frz_arena *arena, frz_error **err)
{
    const frz_partition_spec *spec = frz_metadata_spec(base);
    for (size_t i = 0; i < spec->field_count; i++)
        if (spec->fields[i].transform.kind == FRZ_TRANSFORM_UNKNOWN)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "partition field %s: a spec with the unknown transform %s cannot be "
                            "changed",
                            spec->fields[i].name, spec->fields[i].transform.text);
    *self = (frz_partition_update){.arena = arena,
                                   .format_version = format_version,
                                   .base = base,
                                   .spec = *spec,
                                   .last_id = base->last_partition_id};
    return FRZ_OK;
}

/* Java's PartitionNameGenerator; other than in a new table, the name tells buckets and width. */
static const char *generated_name(const frz_partition_update *self, const frz_schema *schema,
                                  const frz_partition_field *field)
{
    static const char *const suffixes[] = {
        [FRZ_TRANSFORM_IDENTITY] = "",        [FRZ_TRANSFORM_BUCKET] = "_bucket_",
        [FRZ_TRANSFORM_TRUNCATE] = "_trunc_", [FRZ_TRANSFORM_YEAR] = "_year",
        [FRZ_TRANSFORM_MONTH] = "_month",     [FRZ_TRANSFORM_DAY] = "_day",
        [FRZ_TRANSFORM_HOUR] = "_hour",       [FRZ_TRANSFORM_VOID] = "_null",
        [FRZ_TRANSFORM_UNKNOWN] = "_unknown",
    };
    const char *path = frz_schema_path(schema, field->source_ids[0]);
    const frz_transform_kind kind = field->transform.kind;
    if (kind == FRZ_TRANSFORM_BUCKET || kind == FRZ_TRANSFORM_TRUNCATE)
        return frz_arena_printf(self->arena, "%s%s%" PRId32, path, suffixes[kind],
                                field->transform.parameter);
    return frz_arena_printf(self->arena, "%s%s", path, suffixes[kind]);
}

/* Spec "Partitioning": "Partition field IDs must be reused if an existing partition spec contains
 * an equivalent field", and with the id the name, where none is given. Not in V1, where ids go by
 * position. */
static const frz_partition_field *find_recycled(const frz_partition_update *self,
                                                const frz_partition_field *field)
{
    for (size_t i = 0; self->format_version > 1 && i < self->base->spec_count; i++) {
        const frz_partition_spec *spec = &self->base->specs[i];
        for (size_t k = 0; k < spec->field_count; k++)
            if (frz_partition_field_equivalent(&spec->fields[k], field) &&
                (!field->name || strcmp(field->name, spec->fields[k].name) == 0))
                return &spec->fields[k];
    }
    return NULL;
}

static frz_status complete_field(frz_partition_update *self, const frz_schema *schema,
                                 frz_partition_field *field, frz_error **err)
{
    const frz_partition_field *known = find_recycled(self, field);
    if (known) {
        field->name = known->name;
        field->field_id = known->field_id;
        return FRZ_OK;
    }
    if (self->last_id == INT32_MAX)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no partition field id is left");
    field->field_id = ++self->last_id;
    if (!field->name)
        field->name = generated_name(self, schema, field);
    return field->name ? FRZ_OK : frz_fail_memory(err);
}

/* A list of the fields that has room for one more. */
static frz_partition_field *copy_fields(const frz_partition_update *self)
{
    const frz_partition_spec *spec = &self->spec;
    frz_partition_field *fields =
        frz_arena_array(self->arena, spec->field_count + 1, sizeof *fields);
    for (size_t i = 0; fields && i < spec->field_count; i++)
        fields[i] = spec->fields[i];
    return fields;
}

/* A void field gives its name away and is called name_id from then on. */
static frz_status free_name(const frz_partition_update *self, frz_partition_field *fields,
                            const char *name, frz_error **err)
{
    for (size_t i = 0; i < self->spec.field_count; i++) {
        if (strcmp(fields[i].name, name) != 0)
            continue;
        if (fields[i].transform.kind != FRZ_TRANSFORM_VOID)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "a partition field named %s exists already", name);
        fields[i].name = frz_arena_printf(self->arena, "%s_%" PRId32, name, fields[i].field_id);
        if (!fields[i].name)
            return frz_fail_memory(err);
    }
    return FRZ_OK;
}

/* A field that V1 made void, in a table that is V2 now: it gets its transform back where it stands,
 * as no other field may have its id. */
static frz_partition_field *find_void_of(const frz_partition_update *self,
                                         frz_partition_field *fields, int32_t field_id)
{
    for (size_t i = 0; i < self->spec.field_count; i++)
        if (fields[i].field_id == field_id && fields[i].transform.kind == FRZ_TRANSFORM_VOID)
            return &fields[i];
    return NULL;
}

frz_status frz_partition_update_add(frz_partition_update *self, const frz_schema *schema,
                                    const char *term, const char *name,
                                    const frz_partition_field **added_out, frz_error **err)
{
    frz_partition_field field = {0};
    FRZ_TRY(frz_ddl_parse_term(frz_slice_of_text(term), schema, self->arena, &field, err));
    if (name && field.name)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "partition field %s: its name is given twice", name);
    if (name)
        field.name = frz_arena_text(self->arena, name);
    if (name && !field.name)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->spec.field_count; i++)
        if (frz_partition_field_equivalent(&self->spec.fields[i], &field))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "partition field %s is %s already",
                            self->spec.fields[i].name, term);
    FRZ_TRY(complete_field(self, schema, &field, err));
    frz_partition_field *fields = copy_fields(self);
    if (!fields)
        return frz_fail_memory(err);
    FRZ_TRY(free_name(self, fields, field.name, err));
    frz_partition_field *place = find_void_of(self, fields, field.field_id);
    if (!place)
        place = &fields[self->spec.field_count++];
    *place = field;
    self->spec.fields = fields;
    *added_out = place;
    return FRZ_OK;
}

static frz_status no_such_field(const frz_partition_update *self, const char *text, frz_error **err)
{
    frz_buffer names = {0};
    for (size_t i = 0; i < self->spec.field_count; i++)
        frz_buffer_printf(&names, "%s%s", i ? ", " : "", self->spec.fields[i].name);
    const frz_status status =
        names.size ? frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                              "no partition field %.200s; the table has %.*s", text,
                              (int)names.size, (const char *)names.data)
                   : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                              "no partition field %.200s; the table is unpartitioned", text);
    frz_buffer_clear(&names);
    return status;
}

static bool find_by_name(const frz_partition_update *self, const char *name, size_t *index_out)
{
    for (size_t i = 0; i < self->spec.field_count; i++) {
        if (strcmp(self->spec.fields[i].name, name) == 0) {
            *index_out = i;
            return true;
        }
    }
    return false;
}

static frz_status find_field(const frz_partition_update *self, const frz_schema *schema,
                             const char *text, size_t *index_out, frz_error **err)
{
    frz_partition_field term = {0};
    if (find_by_name(self, text, index_out))
        return FRZ_OK;
    const frz_status status =
        frz_ddl_parse_term(frz_slice_of_text(text), schema, self->arena, &term, NULL);
    if (status == FRZ_NO_MEMORY)
        return frz_fail_memory(err);
    for (size_t i = 0; status == FRZ_OK && i < self->spec.field_count; i++) {
        if (frz_partition_field_equivalent(&self->spec.fields[i], &term)) {
            *index_out = i;
            return FRZ_OK;
        }
    }
    return no_such_field(self, text, err);
}

/* "Do not drop partition fields; instead replace the field's transform with the void transform". */
frz_status frz_partition_update_drop(frz_partition_update *self, const frz_schema *schema,
                                     const char *field, const char **name_out, frz_error **err)
{
    size_t index = 0;
    FRZ_TRY(find_field(self, schema, field, &index, err));
    frz_partition_field *fields = copy_fields(self);
    if (!fields)
        return frz_fail_memory(err);
    *name_out = fields[index].name;
    if (self->format_version == 1 && fields[index].transform.kind == FRZ_TRANSFORM_VOID)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "partition field %s is void already; it stays in format version 1",
                        fields[index].name);
    if (self->format_version == 1) {
        FRZ_TRY(
            frz_transform_make(FRZ_TRANSFORM_VOID, 0, self->arena, &fields[index].transform, err));
    } else {
        self->spec.field_count--;
        memmove(fields + index, fields + index + 1,
                (self->spec.field_count - index) * sizeof *fields);
    }
    self->spec.fields = fields;
    return FRZ_OK;
}

frz_status frz_partition_update_rename(frz_partition_update *self, const char *from, const char *to,
                                       frz_error **err)
{
    size_t index = 0;
    if (!find_by_name(self, from, &index))
        return no_such_field(self, from, err);
    if (strcmp(from, to) == 0)
        return FRZ_OK;
    frz_partition_field *fields = copy_fields(self);
    const char *name = frz_arena_text(self->arena, to);
    if (!fields || !name)
        return frz_fail_memory(err);
    FRZ_TRY(free_name(self, fields, name, err));
    fields[index].name = name;
    self->spec.fields = fields;
    return FRZ_OK;
}
