/*
 * Alterations as commits of a transaction (write/transaction.h): each attempt makes the changes on
 * the version that it will replace, after the requirements were checked on it.
 */
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "spec/metadata_builder.h"
#include "write/alteration.h"
#include "write/options.h"
#include "write/transaction.h"

typedef struct altering {
    frz_transaction transaction;
    frz_alteration *given;         /* a reference */
    frz_alteration changes;        /* as it was given: what is added later is not part of this */
    frz_requirement *requirements; /* of the version that was looked at first */
    size_t requirement_count;
    frz_alter_draft draft;    /* of the last attempt */
    frz_alter_result *result; /* of it */
} altering;

static void require(altering *self, frz_requirement_kind kind, const char *text, int64_t number)
{
    self->requirements[self->requirement_count++] =
        (frz_requirement){.kind = kind, .text = text, .number = number};
}

/* As Java's UpdateRequirements: what each kind of change is based on. */
static frz_status set_requirements(altering *self, const frz_metadata *base, frz_error **err)
{
    frz_arena *arena = &self->transaction.arena;
    frz_alter_step *const *steps = self->changes.steps.items;
    unsigned basis = FRZ_ALTER_BASIS_NONE;
    self->requirements =
        frz_arena_array(arena, self->changes.steps.count + 6, sizeof *self->requirements);
    if (!self->requirements)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->changes.steps.count; i++) {
        const frz_snapshot_ref *ref =
            steps[i]->ref ? frz_metadata_find_ref(base, steps[i]->ref) : NULL;
        basis |= steps[i]->basis;
        if (steps[i]->ref)
            require(self, FRZ_REQUIREMENT_REF_SNAPSHOT, steps[i]->ref,
                    ref ? ref->snapshot_id : FRZ_NO_SNAPSHOT);
    }
    if (base->table_uuid) {
        const char *uuid = frz_arena_text(arena, base->table_uuid);
        if (!uuid)
            return frz_fail_memory(err);
        require(self, FRZ_REQUIREMENT_UUID, uuid, 0);
    }
    if (basis & FRZ_ALTER_BASIS_SCHEMA) {
        require(self, FRZ_REQUIREMENT_CURRENT_SCHEMA_ID, NULL, base->current_schema_id);
        require(self, FRZ_REQUIREMENT_LAST_COLUMN_ID, NULL, base->last_column_id);
    }
    if (basis & FRZ_ALTER_BASIS_SPEC) {
        require(self, FRZ_REQUIREMENT_DEFAULT_SPEC_ID, NULL, base->default_spec_id);
        require(self, FRZ_REQUIREMENT_LAST_PARTITION_ID, NULL, base->last_partition_id);
    }
    if (basis & FRZ_ALTER_BASIS_ORDER)
        require(self, FRZ_REQUIREMENT_DEFAULT_SORT_ORDER_ID, NULL, base->default_sort_order_id);
    return FRZ_OK;
}

typedef struct result_object {
    frz_alter_result result; /* first */
    frz_arena arena;
} result_object;

void frz_alter_result_free(frz_alter_result *result)
{
    if (!result)
        return;
    result_object *object = (result_object *)result;
    frz_arena_clear(&object->arena);
    frz_free(object);
}

/* `next` is what the draft has made of `base`. */
static bool fill(result_object *object, const frz_alter_draft *draft, const frz_metadata *next)
{
    const frz_alter_item *made = draft->items.items;
    const size_t count = draft->items.count;
    frz_alter_item *items = frz_arena_array(&object->arena, count + 1, sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < count; i++) {
        items[i] = (frz_alter_item){made[i].change, frz_arena_text(&object->arena, made[i].text)};
        if (!items[i].text)
            return false;
    }
    object->result = (frz_alter_result){.committed = draft->changed,
                                        .items = items,
                                        .item_count = count,
                                        .format_version = next->format_version,
                                        .schema_id = next->current_schema_id,
                                        .spec_id = next->default_spec_id,
                                        .sort_order_id = next->default_sort_order_id};
    return true;
}

/* Before the swap: what is committed is told. */
static frz_status make_result(altering *self, const frz_metadata *next, frz_error **err)
{
    result_object *object = frz_alloc_zero(sizeof *object);
    if (!object)
        return frz_fail_memory(err);
    if (!fill(object, &self->draft, next)) {
        frz_alter_result_free(&object->result);
        return frz_fail_memory(err);
    }
    frz_alter_result_free(self->result);
    self->result = &object->result;
    return FRZ_OK;
}

static frz_status prepare(void *context, frz_transaction *transaction, const frz_snapshot *parent,
                          frz_change *out, frz_error **err)
{
    altering *self = context;
    frz_metadata_builder *builder = NULL;
    const frz_metadata *base = transaction->table->metadata;
    (void)parent;
    frz_alter_draft_clear(&self->draft);
    if (!self->requirements)
        FRZ_TRY(set_requirements(self, base, err));
    for (size_t i = 0; i < self->requirement_count; i++)
        FRZ_TRY(frz_requirement_check(&self->requirements[i], base, err));
    FRZ_TRY(frz_alter_draft_open(&self->draft, base, transaction->options->case_insensitive,
                                 &transaction->attempt_arena, err));
    FRZ_TRY(frz_alter_draft_apply(&self->draft, &self->changes, &builder, err));
    const frz_status status = make_result(self, builder ? &builder->object->metadata : base, err);
    if (status != FRZ_OK)
        frz_metadata_builder_free(builder);
    else
        out->builder = builder;
    return status;
}

static void release(void *context)
{
    altering *self = context;
    frz_alter_result_free(self->result);
    frz_alter_draft_clear(&self->draft);
    frz_alteration_free(self->given);
    frz_transaction_close(&self->transaction, FRZ_OK);
    frz_free(self);
}

static frz_status alter(altering *self, frz_table *table, const frz_write_options *options,
                        frz_alter_result **out, frz_error **err)
{
    frz_write_options given;
    frz_write_options own = FRZ_WRITE_OPTIONS_INIT;
    FRZ_TRY(frz_write_options_take(options, &given, err));
    own.cancelled = given.cancelled;
    own.case_insensitive = given.case_insensitive;
    FRZ_TRY(frz_transaction_open(table, &own, &self->transaction, err));
    self->transaction.mends = true;
    FRZ_TRY(frz_transaction_commit(&self->transaction, prepare, self, NULL, err));
    if (out) {
        *out = self->result;
        self->result = NULL;
    }
    return FRZ_OK;
}

frz_status frz_table_alter(frz_table *table, const frz_alteration *changes,
                           const frz_write_options *options, frz_alter_result **out,
                           frz_error **err)
{
    altering *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->given = frz_alteration_ref(changes);
    self->changes.steps = changes->steps;
    frz_status status = alter(self, table, options, out, err);
    if (status != FRZ_OK)
        status = frz_context(err, status, "alter table %s",
                             table->identifier ? table->identifier : "without catalog");
    status = frz_transaction_retire(&self->transaction, status, self, release, err);
    return status;
}
