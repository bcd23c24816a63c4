#include "maintenance/definitions.h"

#include <inttypes.h>

#include "base/fail.h"
#include "spec/members.h"

static frz_status add(const frz_verification *self, frz_rule rule, const char *expected,
                      const char *found, frz_error **err)
{
    const frz_place place = FRZ_PLACE_NONE;
    return frz_report_add(self->report, rule, &place, expected, found, err);
}

/* Counters as the file states them: the parsed metadata has them raised to what is in use. -1 where
 * the file has none. */
typedef struct stated {
    int64_t last_column_id;
    int64_t last_partition_id;
    int64_t next_row_id;
} stated;

static frz_status read_stated_member(frz_json_reader *json, frz_slice key, void *context,
                                     frz_error **err)
{
    stated *out = context;
    if (frz_slice_is_text(key, "last-column-id"))
        return frz_member_i64(json, &out->last_column_id, err);
    if (frz_slice_is_text(key, "last-partition-id"))
        return frz_member_i64(json, &out->last_partition_id, err);
    if (frz_slice_is_text(key, "next-row-id"))
        return frz_member_i64(json, &out->next_row_id, err);
    return frz_json_skip(json, err);
}

static frz_status read_stated(const frz_verification *self, stated *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer text = {0};
    frz_arena arena = {0};
    *out = (stated){-1, -1, -1};
    FRZ_TRY_DONE(frz_metadata_read_text(self->table->io, self->table->metadata_location,
                                        self->limits, &text, err));
    frz_json_reader json = frz_json_reader_over(frz_buffer_slice(&text), &arena);
    json.depth_max = self->limits->nesting_depth;
    FRZ_TRY_DONE(frz_json_read_members(&json, read_stated_member, out, err));

done:
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
    return status;
}

static frz_status check_stated(const frz_verification *self, frz_error **err)
{
    const frz_metadata *metadata = self->metadata;
    stated file = {0};
    FRZ_TRY(read_stated(self, &file, err));
    if (file.last_column_id >= 0 && file.last_column_id < metadata->last_column_id)
        FRZ_TRY(add(self, FRZ_RULE_COLUMN_IDS,
                    frz_report_text(self->report, "last-column-id at least %" PRId32,
                                    metadata->last_column_id),
                    frz_report_text(self->report, "%" PRId64, file.last_column_id), err));
    if (file.last_partition_id >= 0 && file.last_partition_id < metadata->last_partition_id)
        FRZ_TRY(add(self, FRZ_RULE_PARTITION_IDS,
                    frz_report_text(self->report, "last-partition-id at least %" PRId32,
                                    metadata->last_partition_id),
                    frz_report_text(self->report, "%" PRId64, file.last_partition_id), err));
    if (metadata->format_version >= 3 && file.next_row_id < 0)
        return add(self, FRZ_RULE_NEXT_ROW_ID, "a next-row-id; format version 3 requires it",
                   "none", err);
    return FRZ_OK;
}

/* In any schema: a source may have been dropped since. */
static const frz_field *find_source(const frz_metadata *metadata, int32_t id)
{
    const frz_field *field = frz_schema_find_id(frz_metadata_schema(metadata), id);
    for (size_t i = metadata->schema_count; !field && i > 0; i--)
        field = frz_schema_find_id(metadata->schemas[i - 1], id);
    return field;
}

static frz_status check_partition_field(const frz_verification *self,
                                        const frz_partition_spec *spec,
                                        const frz_partition_field *field, frz_error **err)
{
    const frz_metadata *metadata = self->metadata;
    const bool is_default = spec->spec_id == metadata->default_spec_id;
    if (field->transform.kind == FRZ_TRANSFORM_VOID ||
        field->transform.kind == FRZ_TRANSFORM_UNKNOWN)
        return FRZ_OK;
    for (size_t i = 0; i < field->source_count; i++) {
        const int32_t id = field->source_ids[i];
        const frz_field *source = is_default ? frz_schema_find_id(frz_metadata_schema(metadata), id)
                                             : find_source(metadata, id);
        if (!source && is_default)
            FRZ_TRY(
                add(self, FRZ_RULE_PARTITION_SOURCES,
                    frz_report_text(self->report, "column %" PRId32 " of %s in the current schema",
                                    id, field->name),
                    "none", err));
        if (source && !frz_transform_accepts(&field->transform, source->type))
            FRZ_TRY(add(self, FRZ_RULE_PARTITION_SOURCES,
                        frz_report_text(self->report, "a source of %s that %s accepts", field->name,
                                        field->transform.text),
                        frz_report_text(self->report, "column %s is %s", source->name,
                                        frz_type_word(source->type->kind)),
                        err));
    }
    return FRZ_OK;
}

/* Spec "Partition Evolution": an id means one source and transform in all specs; V1 gives ids by
 * place, and void stands for what was dropped. */
static frz_status check_same_meaning(const frz_verification *self, size_t spec,
                                     const frz_partition_field *field, frz_error **err)
{
    const frz_metadata *metadata = self->metadata;
    for (size_t i = 0; i < spec; i++) {
        for (size_t k = 0; k < metadata->specs[i].field_count; k++) {
            const frz_partition_field *other = &metadata->specs[i].fields[k];
            if (other->field_id == field->field_id && other->transform.kind != FRZ_TRANSFORM_VOID &&
                !frz_partition_field_equivalent(other, field))
                return add(self, FRZ_RULE_PARTITION_IDS,
                           frz_report_text(self->report,
                                           "field %" PRId32 " as in spec %" PRId32
                                           ", %s of column %" PRId32,
                                           field->field_id, metadata->specs[i].spec_id,
                                           other->transform.text, other->source_ids[0]),
                           frz_report_text(self->report,
                                           "%s of column %" PRId32 " in spec %" PRId32,
                                           field->transform.text, field->source_ids[0],
                                           metadata->specs[spec].spec_id),
                           err);
        }
    }
    return FRZ_OK;
}

static frz_status check_specs(const frz_verification *self, frz_error **err)
{
    const frz_metadata *metadata = self->metadata;
    for (size_t i = 0; i < metadata->spec_count; i++) {
        for (size_t k = 0; k < metadata->specs[i].field_count; k++) {
            const frz_partition_field *field = &metadata->specs[i].fields[k];
            FRZ_TRY(check_partition_field(self, &metadata->specs[i], field, err));
            if (metadata->format_version > 1 && field->transform.kind != FRZ_TRANSFORM_VOID)
                FRZ_TRY(check_same_meaning(self, i, field, err));
        }
    }
    return FRZ_OK;
}

static frz_status check_sort_order(const frz_verification *self, frz_error **err)
{
    const frz_metadata *metadata = self->metadata;
    const frz_sort_order *order =
        frz_metadata_find_sort_order(metadata, metadata->default_sort_order_id);
    for (size_t i = 0; order && i < order->field_count; i++) {
        const frz_sort_field *field = &order->fields[i];
        const frz_field *source =
            frz_schema_find_id(frz_metadata_schema(metadata), field->source_ids[0]);
        const bool accepted = source && (field->transform.kind == FRZ_TRANSFORM_UNKNOWN ||
                                         frz_transform_accepts(&field->transform, source->type));
        if (!accepted)
            FRZ_TRY(add(self, FRZ_RULE_SORT_SOURCES,
                        frz_report_text(self->report, "a column %" PRId32 " that %s accepts",
                                        field->source_ids[0], field->transform.text),
                        source ? frz_type_word(source->type->kind) : "none", err));
    }
    return FRZ_OK;
}

frz_status frz_verify_definitions(frz_verification *self, frz_error **err)
{
    FRZ_TRY(check_stated(self, err));
    FRZ_TRY(check_specs(self, err));
    return check_sort_order(self, err);
}
