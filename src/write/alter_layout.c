/*
 * Changes of partitioning and sort order (spec "Partition Evolution", "Sorting").
 */
#include <string.h>

#include "base/fail.h"
#include "spec/ddl.h"
#include "write/alteration.h"

static frz_status record(frz_alteration *changes, frz_alter_apply apply, frz_alter_basis basis,
                         frz_alter_step **out, frz_error **err)
{
    *out = frz_alter_step_add(changes, apply, err);
    if (!*out)
        return FRZ_NO_MEMORY;
    (*out)->basis = basis;
    return FRZ_OK;
}

static frz_status open_partition(frz_alter_draft *draft, frz_error **err)
{
    if (draft->has_partition)
        return FRZ_OK;
    FRZ_TRY(frz_partition_update_open(&draft->partition, draft->base, draft->format_version,
                                      draft->arena, err));
    draft->has_partition = true;
    return FRZ_OK;
}

static frz_status add(const frz_alter_step *step, frz_alter_draft *draft,
                      const frz_partition_field **added_out, frz_error **err)
{
    FRZ_TRY(open_partition(draft, err));
    return frz_partition_update_add(&draft->partition, draft->schema.schema, step->text,
                                    step->extra, added_out, err);
}

static frz_status apply_add(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const frz_partition_field *field = NULL;
    const frz_status status = add(step, draft, &field, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "add partition field %s", step->text);
    return frz_alter_note(
        draft, "add-partition-field", err, "added partition field %s, %s of column %s, field id %d",
        field->name, field->transform.text,
        frz_schema_path(draft->schema.schema, field->source_ids[0]), (int)field->field_id);
}

frz_status frz_alter_add_partition(frz_alteration *changes, const char *term, const char *name,
                                   frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_add, FRZ_ALTER_BASIS_SPEC, &step, err));
    FRZ_TRY(frz_alter_keep(changes, term, &step->text, err));
    return frz_alter_keep(changes, name, &step->extra, err);
}

static frz_status drop(const frz_alter_step *step, frz_alter_draft *draft, const char **name_out,
                       frz_error **err)
{
    FRZ_TRY(open_partition(draft, err));
    return frz_partition_update_drop(&draft->partition, draft->schema.schema, step->name, name_out,
                                     err);
}

static frz_status note_dropped(frz_alter_draft *draft, const char *name, frz_error **err)
{
    return draft->format_version == 1
               ? frz_alter_note(draft, "drop-partition-field", err,
                                "partition field %s is void from now on (format version 1)", name)
               : frz_alter_note(draft, "drop-partition-field", err, "dropped partition field %s",
                                name);
}

static frz_status apply_drop(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const char *name = NULL;
    const frz_status status = drop(step, draft, &name, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "drop partition field %s", step->name);
    return note_dropped(draft, name, err);
}

frz_status frz_alter_drop_partition(frz_alteration *changes, const char *field, frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_drop, FRZ_ALTER_BASIS_SPEC, &step, err));
    return frz_alter_keep(changes, field, &step->name, err);
}

/* A term that the field has already: only its name changes. */
static frz_status rename_same(const frz_alter_step *step, frz_alter_draft *draft,
                              const char *old_name, bool *same_out, frz_error **err)
{
    frz_partition_field term = {0};
    const frz_partition_field *field = NULL;
    FRZ_TRY(frz_ddl_parse_term(frz_slice_of_text(step->text), draft->schema.schema, draft->arena,
                               &term, err));
    for (size_t i = 0; i < draft->partition.spec.field_count; i++)
        if (strcmp(draft->partition.spec.fields[i].name, old_name) == 0)
            field = &draft->partition.spec.fields[i];
    *same_out = field && frz_partition_field_equivalent(field, &term);
    if (!*same_out)
        return FRZ_OK;
    const char *name = step->extra ? step->extra : term.name;
    if (!name || strcmp(name, old_name) == 0)
        return FRZ_OK;
    FRZ_TRY(frz_partition_update_rename(&draft->partition, old_name, name, err));
    return frz_alter_note(draft, "rename-partition-field", err, "renamed partition field %s to %s",
                          old_name, name);
}

static frz_status replace(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const char *name = NULL;
    bool same = false;
    FRZ_TRY(open_partition(draft, err));
    const frz_partition_spec before = draft->partition.spec;
    FRZ_TRY(drop(step, draft, &name, err));
    const frz_partition_spec after = draft->partition.spec;
    draft->partition.spec = before;
    FRZ_TRY(rename_same(step, draft, name, &same, err));
    if (same)
        return FRZ_OK;
    draft->partition.spec = after;
    FRZ_TRY(note_dropped(draft, name, err));
    return apply_add(step, draft, err);
}

static frz_status apply_replace(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const frz_status status = replace(step, draft, err);
    return status == FRZ_OK ? FRZ_OK
                            : frz_context(err, status, "replace partition field %s", step->name);
}

frz_status frz_alter_replace_partition(frz_alteration *changes, const char *field, const char *term,
                                       const char *name, frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_replace, FRZ_ALTER_BASIS_SPEC, &step, err));
    FRZ_TRY(frz_alter_keep(changes, field, &step->name, err));
    FRZ_TRY(frz_alter_keep(changes, term, &step->text, err));
    return frz_alter_keep(changes, name, &step->extra, err);
}

static frz_status apply_sort(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    frz_buffer terms = {0};
    frz_sort_order *order = frz_arena_alloc(draft->arena, sizeof *order);
    const frz_sort_order *before = frz_alter_draft_order(draft);
    if (!order)
        return frz_fail_memory(err);
    frz_status status = frz_ddl_parse_sort(frz_slice_of_text(step->text), draft->schema.schema,
                                           draft->arena, order, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "set the sort order");
    if (before && frz_sort_order_equivalent(before, order))
        return FRZ_OK;
    draft->order = order;
    frz_ddl_print_sort(order, draft->schema.schema, &terms);
    frz_buffer_append_byte(&terms, 0);
    status = terms.failed ? frz_fail_memory(err)
                          : frz_alter_note(draft, "set-sort", err, "sort order: %s",
                                           (const char *)terms.data);
    frz_buffer_clear(&terms);
    return status;
}

frz_status frz_alter_set_sort(frz_alteration *changes, const char *terms, frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_sort, FRZ_ALTER_BASIS_ORDER, &step, err));
    return frz_alter_keep(changes, terms, &step->text, err);
}
