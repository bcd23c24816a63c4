#include "spec/update.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "spec/metadata_builder.h"

enum { FORMAT_VERSION_MAX = 3, FIRST_PARTITION_FIELD_ID = 1000 };

frz_schema *frz_builder_find_schema(const frz_metadata_builder *builder, int32_t schema_id)
{
    frz_schema **schemas = builder->object->schemas.items;
    for (size_t i = 0; i < builder->object->schemas.count; i++)
        if (frz_schema_id(schemas[i]) == schema_id)
            return schemas[i];
    return NULL;
}

frz_partition_spec *frz_builder_find_spec(const frz_metadata_builder *builder, int32_t spec_id)
{
    frz_partition_spec *specs = builder->object->specs.items;
    for (size_t i = 0; i < builder->object->specs.count; i++)
        if (specs[i].spec_id == spec_id)
            return &specs[i];
    return NULL;
}

frz_sort_order *frz_builder_find_sort_order(const frz_metadata_builder *builder, int32_t order_id)
{
    frz_sort_order *orders = builder->object->sort_orders.items;
    for (size_t i = 0; i < builder->object->sort_orders.count; i++)
        if (orders[i].order_id == order_id)
            return &orders[i];
    return NULL;
}

const frz_snapshot *frz_builder_find_snapshot(const frz_metadata_builder *builder,
                                              int64_t snapshot_id)
{
    return frz_snapshot_list_find(&builder->object->snapshots, snapshot_id);
}

static frz_property *find_property(const frz_metadata_builder *builder, const char *key)
{
    frz_property *properties = builder->object->properties.items;
    for (size_t i = 0; i < builder->object->properties.count; i++)
        if (strcmp(properties[i].key, key) == 0)
            return &properties[i];
    return NULL;
}

const char *frz_builder_property(const frz_metadata_builder *builder, const char *key)
{
    const frz_property *property = find_property(builder, key);
    return property ? property->value : NULL;
}

static frz_status check_version(int format_version, frz_error **err)
{
    if (format_version < 1 || format_version > FORMAT_VERSION_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "Iceberg format version %d; this library writes versions 1 to %d",
                        format_version, FORMAT_VERSION_MAX);
    return FRZ_OK;
}

static frz_status start_object(frz_metadata_builder *builder, const frz_metadata *base,
                               int format_version, frz_error **err)
{
    if (base) {
        builder->from_base = true;
        builder->base_updated_ms = base->last_updated_ms;
        builder->base_snapshot_log_count = base->snapshot_log_count;
        return frz_metadata_object_copy(base, &builder->object, err);
    }
    FRZ_TRY(check_version(format_version, err));
    FRZ_TRY(frz_metadata_object_new(0, &builder->object, err));
    frz_metadata *m = &builder->object->metadata;
    m->format_version = format_version;
    m->last_partition_id = FIRST_PARTITION_FIELD_ID - 1;
    m->next_row_id = format_version >= 3 ? 0 : -1;
    return FRZ_OK;
}

frz_status frz_metadata_builder_new(const frz_metadata *base, int format_version,
                                    frz_metadata_builder **out, frz_error **err)
{
    frz_metadata_builder *builder = frz_alloc_zero(sizeof *builder);
    if (!builder)
        return frz_fail_memory(err);
    const frz_status status = start_object(builder, base, format_version, err);
    if (status != FRZ_OK) {
        frz_metadata_builder_free(builder);
        return status;
    }
    *out = builder;
    return FRZ_OK;
}

void frz_metadata_builder_free(frz_metadata_builder *builder)
{
    if (!builder)
        return;
    frz_metadata_object_free(builder->object);
    frz_free(builder);
}

static frz_status set_text(frz_metadata_builder *builder, const char **member, const char *text,
                           frz_error **err)
{
    const char *copy = frz_arena_text(&builder->object->arena, text);
    if (!copy)
        return frz_fail_memory(err);
    *member = copy;
    return FRZ_OK;
}

frz_status frz_update_assign_uuid(frz_metadata_builder *builder, const char *uuid, frz_error **err)
{
    return set_text(builder, &builder->object->metadata.table_uuid, uuid, err);
}

frz_status frz_update_set_location(frz_metadata_builder *builder, const char *location,
                                   frz_error **err)
{
    if (!location[0])
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the location of a table may not be empty");
    return set_text(builder, &builder->object->metadata.location, location, err);
}

/* Spec "Row Lineage for Upgraded Tables": next-row-id starts at 0, snapshots stay as they are. */
frz_status frz_update_upgrade(frz_metadata_builder *builder, int format_version, frz_error **err)
{
    frz_metadata *m = &builder->object->metadata;
    FRZ_TRY(check_version(format_version, err));
    if (format_version < m->format_version)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "a table of format version %d cannot go back to version %d",
                        m->format_version, format_version);
    if (format_version >= 3 && m->format_version < 3)
        m->next_row_id = 0;
    m->format_version = format_version;
    return FRZ_OK;
}

/* Names that Java keeps for what metadata says elsewhere; as properties they would lie. */
static bool is_reserved(const char *key)
{
    static const char *const reserved[] = {
        "format-version",         "uuid",
        "snapshot-count",         "current-snapshot-id",
        "current-schema",         "current-snapshot-summary",
        "default-partition-spec", "current-snapshot-timestamp-ms",
        "default-sort-order"};
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcmp(key, reserved[i]) == 0)
            return true;
    return false;
}

frz_status frz_update_set_property(frz_metadata_builder *builder, const char *key,
                                   const char *value, frz_error **err)
{
    if (!value)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "property %s: null is no value", key);
    if (is_reserved(key))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "property %s is reserved: the table's metadata tells it", key);
    frz_property *property = find_property(builder, key);
    if (property)
        return set_text(builder, &property->value, value, err);
    return frz_metadata_object_add_property(builder->object, key, value, err);
}

frz_status frz_update_remove_property(frz_metadata_builder *builder, const char *key,
                                      frz_error **err)
{
    (void)err;
    frz_property *property = find_property(builder, key);
    if (property)
        frz_list_remove(&builder->object->properties,
                        (size_t)(property - (frz_property *)builder->object->properties.items),
                        sizeof *property);
    return FRZ_OK;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_default(const frz_value *a, const frz_value *b)
{
    return a == b || (a && b && frz_value_same(a, b));
}

/* Docs and defaults count: changing one of them is a new schema. */
static bool same_schema(const frz_schema *a, const frz_schema *b)
{
    size_t a_count = 0;
    size_t b_count = 0;
    const int32_t *a_ids = frz_schema_identifier_ids(a, &a_count);
    const int32_t *b_ids = frz_schema_identifier_ids(b, &b_count);
    if (!frz_type_equal(frz_schema_type(a), frz_schema_type(b)) || a_count != b_count)
        return false;
    for (size_t i = 0; i < a_count; i++)
        if (a_ids[i] != b_ids[i])
            return false;
    for (size_t i = 0; i < frz_schema_field_count(a); i++) {
        const frz_field *x = frz_schema_field_at(a, i);
        const frz_field *y = frz_schema_field_at(b, i);
        if (!same_text(x->doc, y->doc) || !same_default(x->initial_default, y->initial_default) ||
            !same_default(x->write_default, y->write_default))
            return false;
    }
    return true;
}

/* Types and defaults that the format version has. */
static frz_status check_schema_version(const frz_schema *schema, int32_t format_version,
                                       frz_error **err)
{
    for (size_t i = 0; i < frz_schema_field_count(schema); i++) {
        const frz_field *field = frz_schema_field_at(schema, i);
        const int needed = frz_type_format_version(field->type);
        if (needed > format_version)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "the type of column %s needs format version %d; the table has %d",
                            frz_schema_path(schema, field->id), needed, format_version);
        if (format_version < 3 && field->initial_default)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column %s has an initial default, which needs format version 3; the "
                            "table has %d",
                            frz_schema_path(schema, field->id), format_version);
    }
    return FRZ_OK;
}

static bool has_form(const frz_value *value)
{
    return !value || value->form != FRZ_VALUE_NUMBER || isfinite(value->number);
}

/* Appendix C, "JSON single-value serialization" has no form of NaN and Infinity. */
static frz_status check_defaults_have_form(const frz_schema *schema, frz_error **err)
{
    for (size_t i = 0; i < frz_schema_field_count(schema); i++) {
        const frz_field *field = frz_schema_field_at(schema, i);
        if (!has_form(field->initial_default) || !has_form(field->write_default))
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "column %s: a default of NaN or Infinity has no form in a schema",
                            frz_schema_path(schema, field->id));
    }
    return FRZ_OK;
}

/* Whether a schema of the table has the default already. */
static bool is_known_default(const frz_metadata_builder *builder, const frz_field *field)
{
    frz_schema *const *schemas = builder->object->schemas.items;
    for (size_t i = 0; i < builder->object->schemas.count; i++) {
        const frz_field *known = frz_schema_find_id(schemas[i], field->id);
        if (known && same_default(known->initial_default, field->initial_default) &&
            same_default(known->write_default, field->write_default))
            return true;
    }
    return false;
}

static bool has_default(const frz_value *value)
{
    return value && value->form != FRZ_VALUE_NULL;
}

frz_status frz_update_check_nested_defaults(const frz_metadata_builder *builder,
                                            const frz_schema *schema, frz_error **err)
{
    for (size_t i = 0; i < frz_schema_field_count(schema); i++) {
        const frz_field *field = frz_schema_field_at(schema, i);
        if (field->type->field_count &&
            (has_default(field->initial_default) || has_default(field->write_default)) &&
            !is_known_default(builder, field))
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "column %s: a default of a %s makes a table that no other "
                            "implementation opens; the fields of a struct take defaults",
                            frz_schema_path(schema, field->id), frz_type_word(field->type->kind));
    }
    return FRZ_OK;
}

static frz_status add_new_schema(frz_metadata_builder *builder, const frz_schema *schema,
                                 int32_t id, frz_error **err)
{
    frz_schema *copy = NULL;
    size_t identifier_count = 0;
    const int32_t *identifiers = frz_schema_identifier_ids(schema, &identifier_count);
    const frz_type *type = frz_schema_type(schema);
    FRZ_TRY(frz_schema_new(id, type->fields, type->field_count, identifiers, identifier_count,
                           &copy, err));
    const frz_status status = frz_metadata_object_add_schema(builder->object, copy, err);
    frz_schema_unref(copy);
    return status;
}

frz_status frz_update_add_schema(frz_metadata_builder *builder, const frz_schema *schema,
                                 int32_t *id_out, frz_error **err)
{
    frz_metadata *m = &builder->object->metadata;
    frz_schema **schemas = builder->object->schemas.items;
    int32_t next_id = 0;
    FRZ_TRY(check_schema_version(schema, m->format_version, err));
    FRZ_TRY(check_defaults_have_form(schema, err));
    for (size_t i = 0; i < builder->object->schemas.count; i++) {
        const int32_t id = frz_schema_id(schemas[i]);
        if (same_schema(schemas[i], schema)) {
            *id_out = id;
            return FRZ_OK;
        }
        if (id == INT32_MAX)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no schema id is left");
        if (id >= next_id)
            next_id = id + 1;
    }
    FRZ_TRY(add_new_schema(builder, schema, next_id, err));
    if (m->last_column_id < frz_schema_highest_id(schema))
        m->last_column_id = frz_schema_highest_id(schema);
    *id_out = next_id;
    return FRZ_OK;
}

/* The column that bears the name of a partition field of another column; NULL when none does. */
static const frz_field *find_namesake(const frz_schema *schema, const frz_partition_field *field)
{
    const frz_field *column = frz_schema_find_name(schema, frz_slice_of_text(field->name), true);
    if (!column || field->source_count != 1 || field->source_ids[0] == column->id)
        return NULL;
    return frz_schema_find_id(schema, field->source_ids[0]) ? column : NULL;
}

/*
 * Iceberg Java binds every spec to the current schema when it reads a table, and reads none in
 * which a column has the name of a partition field of another column that is there. Namesakes that
 * the table has already stay.
 */
static frz_status check_column_names(const frz_metadata_builder *builder, const frz_schema *before,
                                     const frz_schema *schema, frz_error **err)
{
    const frz_partition_spec *specs = builder->object->specs.items;
    for (size_t i = 0; i < builder->object->specs.count; i++) {
        for (size_t k = 0; k < specs[i].field_count; k++) {
            const frz_partition_field *field = &specs[i].fields[k];
            const frz_field *column = find_namesake(schema, field);
            const frz_field *known = before ? find_namesake(before, field) : NULL;
            if (column && (!known || known->id != column->id))
                return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                "column %s has the name of a partition field of column %s (spec "
                                "%d): Iceberg Java reads no such table; take another name",
                                field->name, frz_schema_path(schema, field->source_ids[0]),
                                (int)specs[i].spec_id);
        }
    }
    return FRZ_OK;
}

frz_status frz_update_set_current_schema(frz_metadata_builder *builder, int32_t schema_id,
                                         frz_error **err)
{
    frz_metadata *m = &builder->object->metadata;
    const frz_schema *schema = frz_builder_find_schema(builder, schema_id);
    if (!schema)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "the table has no schema with the id %d",
                        schema_id);
    FRZ_TRY(check_column_names(builder, frz_builder_find_schema(builder, m->current_schema_id),
                               schema, err));
    m->current_schema_id = schema_id;
    return FRZ_OK;
}

static bool same_sources(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * sizeof *a) == 0);
}

static bool equivalent_fields(const frz_partition_field *a, const frz_partition_field *b)
{
    return same_sources(a->source_ids, a->source_count, b->source_ids, b->source_count) &&
           frz_transform_equal(&a->transform, &b->transform);
}

/* Spec "Partitioning": same count of fields with the same sources, transforms and names. */
static bool equivalent_specs(const frz_partition_spec *a, const frz_partition_spec *b)
{
    if (a->field_count != b->field_count)
        return false;
    for (size_t i = 0; i < a->field_count; i++)
        if (!equivalent_fields(&a->fields[i], &b->fields[i]) ||
            strcmp(a->fields[i].name, b->fields[i].name) != 0)
            return false;
    return true;
}

/* A partition or sort field, as far as both are alike. */
typedef struct applied {
    const char *what;
    const char *name;
    const frz_transform *transform;
    const int32_t *source_ids;
    size_t source_count;
} applied;

static frz_status check_source(const applied *field, const frz_schema *schema, frz_error **err)
{
    if (field->transform->kind == FRZ_TRANSFORM_VOID)
        return FRZ_OK;
    if (field->transform->kind == FRZ_TRANSFORM_UNKNOWN || field->source_count != 1)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "%s field %s: transform %s%s is read, but not written", field->what,
                        field->name, field->transform->text,
                        field->source_count > 1 ? " of several columns" : "");
    const frz_field *source = frz_schema_find_id(schema, field->source_ids[0]);
    if (!source)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "%s field %s: the schema has no column with the id %d", field->what,
                        field->name, field->source_ids[0]);
    if (!frz_transform_accepts(field->transform, source->type))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "%s field %s: transform %s does not apply to column %s", field->what,
                        field->name, field->transform->text, frz_schema_path(schema, source->id));
    return FRZ_OK;
}

frz_status frz_partition_spec_check(const frz_partition_spec *spec, const frz_schema *schema,
                                    frz_error **err)
{
    for (size_t i = 0; i < spec->field_count; i++) {
        const frz_partition_field *field = &spec->fields[i];
        const applied use = {"partition", field->name, &field->transform, field->source_ids,
                             field->source_count};
        FRZ_TRY(check_source(&use, schema, err));
    }
    return FRZ_OK;
}

/* A name is used once, and a column's name only by that column's identity. */
static frz_status check_partition_names(const frz_partition_spec *spec, const frz_schema *schema,
                                        frz_error **err)
{
    for (size_t i = 0; i < spec->field_count; i++) {
        const frz_partition_field *field = &spec->fields[i];
        const frz_field *column =
            frz_schema_find_name(schema, frz_slice_of_text(field->name), true);
        const bool own = column && field->source_count == 1 && field->source_ids[0] == column->id &&
                         (field->transform.kind == FRZ_TRANSFORM_IDENTITY ||
                          field->transform.kind == FRZ_TRANSFORM_VOID);
        if (!field->name[0])
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a partition field has no name");
        if (column && !own)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "partition field %s has the name of a column it is not the identity of",
                            field->name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(spec->fields[k].name, field->name) == 0)
                return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                "two partition fields are named %s", field->name);
    }
    return FRZ_OK;
}

/* Of several, the one that has the field's id already: V1 tables may have many void fields of one
 * column. */
static const frz_partition_field *find_equivalent(const frz_metadata_builder *builder,
                                                  const frz_partition_field *field)
{
    const frz_partition_spec *specs = builder->object->specs.items;
    const frz_partition_field *found = NULL;
    for (size_t i = 0; i < builder->object->specs.count; i++) {
        for (size_t k = 0; k < specs[i].field_count; k++) {
            const frz_partition_field *known = &specs[i].fields[k];
            if (!equivalent_fields(known, field))
                continue;
            if (known->field_id == field->field_id)
                return known;
            if (!found)
                found = known;
        }
    }
    return found;
}

/*
 * Spec "Partitioning": the id of an equivalent field of another spec is reused, any other field
 * gets one that no spec has had. Ids that the caller chose stand when they are free. V1 ids go by
 * position.
 */
static frz_status assign_partition_ids(frz_metadata_builder *builder, frz_partition_spec *spec,
                                       frz_partition_field *fields, frz_error **err)
{
    frz_metadata *m = &builder->object->metadata;
    int32_t last = m->last_partition_id;
    for (size_t i = 0; i < spec->field_count; i++) {
        fields[i] = spec->fields[i];
        const frz_partition_field *known = find_equivalent(builder, &fields[i]);
        if (last == INT32_MAX || i >= INT32_MAX - FIRST_PARTITION_FIELD_ID)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no partition field id is left");
        if (m->format_version == 1)
            fields[i].field_id = FIRST_PARTITION_FIELD_ID + (int32_t)i;
        else if (known && fields[i].field_id <= m->last_partition_id)
            fields[i].field_id = known->field_id;
        else if (fields[i].field_id <= last)
            fields[i].field_id = last + 1;
        if (last < fields[i].field_id)
            last = fields[i].field_id;
        for (size_t k = 0; k < i; k++)
            if (fields[k].field_id == fields[i].field_id ||
                (fields[i].transform.kind != FRZ_TRANSFORM_VOID &&
                 equivalent_fields(&fields[k], &fields[i])))
                return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                "partition fields %s and %s are the same transform of one column",
                                fields[k].name, fields[i].name);
    }
    m->last_partition_id = last;
    spec->fields = fields;
    return FRZ_OK;
}

static frz_status add_new_spec(frz_metadata_builder *builder, const frz_partition_spec *spec,
                               int32_t id, frz_error **err)
{
    const frz_schema *schema =
        frz_builder_find_schema(builder, builder->object->metadata.current_schema_id);
    frz_partition_spec added = *spec;
    added.spec_id = id;
    if (!schema)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "a partition spec needs the current schema to be set before");
    FRZ_TRY(frz_partition_spec_check(spec, schema, err));
    FRZ_TRY(check_partition_names(spec, schema, err));
    frz_partition_field *fields =
        frz_arena_array(&builder->object->arena, spec->field_count, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    FRZ_TRY(assign_partition_ids(builder, &added, fields, err));
    return frz_metadata_object_add_spec(builder->object, &added, err);
}

frz_status frz_update_add_spec(frz_metadata_builder *builder, const frz_partition_spec *spec,
                               int32_t *id_out, frz_error **err)
{
    const frz_partition_spec *specs = builder->object->specs.items;
    int32_t next_id = 0;
    for (size_t i = 0; i < builder->object->specs.count; i++) {
        if (equivalent_specs(&specs[i], spec)) {
            *id_out = specs[i].spec_id;
            return FRZ_OK;
        }
        if (specs[i].spec_id == INT32_MAX)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no partition spec id is left");
        if (specs[i].spec_id >= next_id)
            next_id = specs[i].spec_id + 1;
    }
    FRZ_TRY(add_new_spec(builder, spec, next_id, err));
    *id_out = next_id;
    return FRZ_OK;
}

frz_status frz_update_set_default_spec(frz_metadata_builder *builder, int32_t spec_id,
                                       frz_error **err)
{
    if (!frz_builder_find_spec(builder, spec_id))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the table has no partition spec with the id %d", spec_id);
    builder->object->metadata.default_spec_id = spec_id;
    return FRZ_OK;
}

static bool same_orders(const frz_sort_order *a, const frz_sort_order *b)
{
    if (a->field_count != b->field_count)
        return false;
    for (size_t i = 0; i < a->field_count; i++) {
        const frz_sort_field *x = &a->fields[i];
        const frz_sort_field *y = &b->fields[i];
        if (!same_sources(x->source_ids, x->source_count, y->source_ids, y->source_count) ||
            !frz_transform_equal(&x->transform, &y->transform) || x->descending != y->descending ||
            x->nulls_last != y->nulls_last)
            return false;
    }
    return true;
}

frz_status frz_sort_order_check(const frz_sort_order *order, const frz_schema *schema,
                                frz_error **err)
{
    for (size_t i = 0; i < order->field_count; i++) {
        const frz_sort_field *field = &order->fields[i];
        const applied use = {"sort", field->transform.text, &field->transform, field->source_ids,
                             field->source_count};
        FRZ_TRY(check_source(&use, schema, err));
    }
    return FRZ_OK;
}

static frz_status add_new_order(frz_metadata_builder *builder, const frz_sort_order *order,
                                int32_t id, frz_error **err)
{
    const frz_schema *schema =
        frz_builder_find_schema(builder, builder->object->metadata.current_schema_id);
    frz_sort_order added = *order;
    added.order_id = id;
    if (!schema)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "a sort order needs the current schema to be set before");
    FRZ_TRY(frz_sort_order_check(order, schema, err));
    return frz_metadata_object_add_sort_order(builder->object, &added, err);
}

/* Order 0 is the unsorted one, and only that (spec "Sorting"). */
frz_status frz_update_add_sort_order(frz_metadata_builder *builder, const frz_sort_order *order,
                                     int32_t *id_out, frz_error **err)
{
    const frz_sort_order *orders = builder->object->sort_orders.items;
    int32_t next_id = order->field_count ? 1 : 0;
    for (size_t i = 0; i < builder->object->sort_orders.count; i++) {
        if (same_orders(&orders[i], order)) {
            *id_out = orders[i].order_id;
            return FRZ_OK;
        }
        if (orders[i].order_id == INT32_MAX)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no sort order id is left");
        if (order->field_count && orders[i].order_id >= next_id)
            next_id = orders[i].order_id + 1;
    }
    FRZ_TRY(add_new_order(builder, order, next_id, err));
    *id_out = next_id;
    return FRZ_OK;
}

frz_status frz_update_set_default_sort_order(frz_metadata_builder *builder, int32_t order_id,
                                             frz_error **err)
{
    if (!frz_builder_find_sort_order(builder, order_id))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the table has no sort order with the id %d", order_id);
    builder->object->metadata.default_sort_order_id = order_id;
    return FRZ_OK;
}
