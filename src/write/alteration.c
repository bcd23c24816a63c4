#include "write/alteration.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "write/column_properties.h"

frz_status frz_alteration_new(frz_alteration **out, frz_error **err)
{
    frz_alteration *changes = frz_alloc_zero(sizeof *changes);
    if (!changes)
        return frz_fail_memory(err);
    changes->self = changes;
    *out = changes;
    return FRZ_OK;
}

frz_alteration *frz_alteration_ref(const frz_alteration *changes)
{
    changes->self->references++;
    return changes->self;
}

void frz_alteration_free(frz_alteration *changes)
{
    if (!changes)
        return;
    if (changes->references > 0) {
        changes->references--;
        return;
    }
    frz_alter_step **steps = changes->steps.items;
    for (size_t i = 0; i < changes->steps.count; i++)
        if (steps[i])
            frz_schema_unref(steps[i]->schema);
    frz_arena_clear(&changes->arena);
    frz_free(changes);
}

frz_alter_step *frz_alter_step_add(frz_alteration *changes, frz_alter_apply apply, frz_error **err)
{
    frz_alter_step *step = frz_arena_alloc(&changes->arena, sizeof *step);
    frz_alter_step **slot =
        step ? frz_list_add(&changes->steps, &changes->arena, sizeof(frz_alter_step *)) : NULL;
    if (!slot) {
        (void)frz_fail_memory(err);
        return NULL;
    }
    *step = (frz_alter_step){.apply = apply};
    *slot = step;
    return step;
}

frz_status frz_alter_keep(frz_alteration *changes, const char *text, const char **out,
                          frz_error **err)
{
    *out = text ? frz_arena_text(&changes->arena, text) : NULL;
    return text && !*out ? frz_fail_memory(err) : FRZ_OK;
}

frz_status frz_alter_note(frz_alter_draft *draft, const char *change, frz_error **err,
                          const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char line[1024];
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    frz_alter_item *item = frz_list_add(&draft->items, draft->arena, sizeof *item);
    const char *kept = frz_arena_text(draft->arena, line);
    if (!item || !kept)
        return frz_fail_memory(err);
    *item = (frz_alter_item){.change = change, .text = kept};
    draft->changed = true;
    return FRZ_OK;
}

frz_status frz_alter_draft_open(frz_alter_draft *draft, const frz_metadata *base,
                                bool case_insensitive, frz_arena *arena, frz_error **err)
{
    *draft =
        (frz_alter_draft){.base = base, .arena = arena, .format_version = base->format_version};
    frz_schema_update_open(&draft->schema, frz_metadata_schema(base), base->last_column_id,
                           base->format_version);
    draft->schema.case_insensitive = case_insensitive;
    for (size_t i = 0; i < base->ref_count; i++) {
        frz_snapshot_ref *ref = frz_list_add(&draft->refs, arena, sizeof *ref);
        if (!ref)
            return frz_fail_memory(err);
        *ref = base->refs[i];
    }
    return frz_metadata_builder_new(base, base->format_version, &draft->builder, err);
}

void frz_alter_draft_clear(frz_alter_draft *draft)
{
    frz_metadata_builder_free(draft->builder);
    frz_schema_update_clear(&draft->schema);
    *draft = (frz_alter_draft){0};
}

const frz_partition_spec *frz_alter_draft_spec(const frz_alter_draft *draft)
{
    return draft->has_partition ? &draft->partition.spec : frz_metadata_spec(draft->base);
}

const frz_sort_order *frz_alter_draft_order(const frz_alter_draft *draft)
{
    return draft->order
               ? draft->order
               : frz_metadata_find_sort_order(draft->base, draft->base->default_sort_order_id);
}

frz_snapshot_ref *frz_alter_draft_find_ref(const frz_alter_draft *draft, const char *name)
{
    frz_snapshot_ref *refs = draft->refs.items;
    for (size_t i = 0; i < draft->refs.count; i++)
        if (strcmp(refs[i].name, name) == 0)
            return &refs[i];
    return NULL;
}

/* What was put off until all changes are known. */
static frz_status finish(frz_alter_draft *draft, frz_error **err)
{
    int32_t id = 0;
    frz_metadata_builder *builder = draft->builder;
    if (draft->schema.schema != frz_metadata_schema(draft->base)) {
        FRZ_TRY(frz_update_check_nested_defaults(builder, draft->schema.schema, err));
        FRZ_TRY(frz_update_add_schema(builder, draft->schema.schema, &id, err));
        FRZ_TRY(frz_update_set_current_schema(builder, id, err));
        FRZ_TRY(frz_column_properties_follow(draft->base, draft->schema.schema, builder,
                                             draft->arena, err));
    }
    if (draft->has_partition) {
        FRZ_TRY(frz_update_add_spec(builder, &draft->partition.spec, &id, err));
        FRZ_TRY(frz_update_set_default_spec(builder, id, err));
    }
    if (draft->order) {
        FRZ_TRY(frz_update_add_sort_order(builder, draft->order, &id, err));
        FRZ_TRY(frz_update_set_default_sort_order(builder, id, err));
    }
    return FRZ_OK;
}

frz_status frz_alter_draft_apply(frz_alter_draft *draft, const frz_alteration *changes,
                                 frz_metadata_builder **out, frz_error **err)
{
    frz_alter_step *const *steps = changes->steps.items;
    for (size_t i = 0; i < changes->steps.count; i++)
        FRZ_TRY(steps[i]->apply(steps[i], draft, err));
    *out = NULL;
    if (!draft->changed)
        return FRZ_OK;
    FRZ_TRY(finish(draft, err));
    *out = draft->builder;
    draft->builder = NULL;
    return FRZ_OK;
}
