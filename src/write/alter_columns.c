/*
 * Changes of columns: the rules are those of spec/schema_update.h, and what the table's specs, sort
 * order and rows ask beyond them.
 */
#include <string.h>

#include "base/fail.h"
#include "base/options.h"
#include "catalog/arrow_schema.h"
#include "spec/schema_edit.h"
#include "write/alteration.h"

static frz_status record(frz_alteration *changes, frz_alter_apply apply, const char *path,
                         const frz_column_options *options, frz_alter_step **out, frz_error **err)
{
    frz_column_options taken = FRZ_COLUMN_OPTIONS_INIT;
    FRZ_TRY(FRZ_OPTIONS_TAKE(frz_column_options, options, &taken, err));
    frz_alter_step *step = frz_alter_step_add(changes, apply, err);
    if (!step)
        return FRZ_NO_MEMORY;
    step->basis = FRZ_ALTER_BASIS_SCHEMA;
    FRZ_TRY(frz_alter_keep(changes, path, &step->name, err));
    FRZ_TRY(frz_alter_keep(changes, taken.default_value, &taken.default_value, err));
    FRZ_TRY(frz_alter_keep(changes, taken.comment, &taken.comment, err));
    FRZ_TRY(frz_alter_keep(changes, taken.after, &taken.after, err));
    step->column = taken;
    *out = step;
    return FRZ_OK;
}

/* "price decimal(9, 2)", for notes. */
static frz_status describe(const frz_alter_draft *draft, int32_t id, const char **out,
                           frz_error **err)
{
    frz_buffer type = {0};
    const frz_field *field = frz_schema_find_id(draft->schema.schema, id);
    frz_type_print(field->type, &type);
    frz_buffer_append_byte(&type, 0);
    *out =
        type.failed
            ? NULL
            : frz_arena_printf(draft->arena, "%s %s%s", frz_schema_path(draft->schema.schema, id),
                               (const char *)type.data, field->required ? " not null" : "");
    frz_buffer_clear(&type);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

static frz_status apply_add(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const frz_new_column column = {.path = step->name,
                                   .definition = step->text,
                                   .required = step->column.required,
                                   .default_value = step->column.default_value,
                                   .comment = step->column.comment,
                                   .place = {step->column.first, step->column.after}};
    const char *what = NULL;
    int32_t id = 0;
    const frz_status status = frz_schema_update_add(&draft->schema, &column, &id, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "add column %s", step->name);
    FRZ_TRY(describe(draft, id, &what, err));
    return frz_alter_note(draft, "add-column", err, "added column %s, field id %d", what, id);
}

frz_status frz_alter_add_column(frz_alteration *changes, const char *path, const char *definition,
                                const frz_column_options *options, frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_add, path, options, &step, err));
    return frz_alter_keep(changes, definition, &step->text, err);
}

static bool uses(const frz_schema *schema, const frz_transform *transform, const int32_t *sources,
                 size_t count, int32_t id)
{
    if (transform->kind == FRZ_TRANSFORM_VOID)
        return false;
    for (size_t i = 0; i < count; i++)
        if (frz_schema_edit_is_within(schema, sources[i], id))
            return true;
    return false;
}

/* Only the default spec and order need their columns; older ones are read without (spec "Partition
 * Evolution"). */
static frz_status check_unused(const frz_alter_draft *draft, const frz_field *field,
                               frz_error **err)
{
    const frz_schema *schema = draft->schema.schema;
    const frz_partition_spec *spec = frz_alter_draft_spec(draft);
    const frz_sort_order *order = frz_alter_draft_order(draft);
    for (size_t i = 0; i < spec->field_count; i++) {
        const frz_partition_field *user = &spec->fields[i];
        if (uses(schema, &user->transform, user->source_ids, user->source_count, field->id))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "the table is partitioned by it: drop partition field %s first",
                            user->name);
    }
    for (size_t i = 0; order && i < order->field_count; i++) {
        const frz_sort_field *user = &order->fields[i];
        if (uses(schema, &user->transform, user->source_ids, user->source_count, field->id))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "the table is sorted by it: set another sort order first");
    }
    return FRZ_OK;
}

static frz_status drop(const frz_alter_step *step, frz_alter_draft *draft, const char **what,
                       int32_t *id, frz_error **err)
{
    const frz_field *field = NULL;
    FRZ_TRY(frz_schema_update_find(&draft->schema, step->name, &field, err));
    *id = field->id;
    FRZ_TRY(check_unused(draft, field, err));
    FRZ_TRY(describe(draft, field->id, what, err));
    return frz_schema_update_drop(&draft->schema, step->name, err);
}

static frz_status apply_drop(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const char *what = NULL;
    int32_t id = 0;
    const frz_status status = drop(step, draft, &what, &id, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "drop column %s", step->name);
    return frz_alter_note(draft, "drop-column", err, "dropped column %s, field id %d", what, id);
}

frz_status frz_alter_drop_column(frz_alteration *changes, const char *path, frz_error **err)
{
    frz_alter_step *step = NULL;
    return record(changes, apply_drop, path, NULL, &step, err);
}

static frz_status rename_column(const frz_alter_step *step, frz_alter_draft *draft, bool *same_out,
                                int32_t *id_out, frz_error **err)
{
    const frz_field *field = NULL;
    FRZ_TRY(frz_schema_update_find(&draft->schema, step->name, &field, err));
    *id_out = field->id;
    *same_out = strcmp(field->name, step->text) == 0;
    return *same_out ? FRZ_OK
                     : frz_schema_update_rename(&draft->schema, step->name, step->text, err);
}

static frz_status apply_rename(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    bool same = false;
    int32_t id = 0;
    const frz_status status = rename_column(step, draft, &same, &id, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "rename column %s", step->name);
    if (same)
        return FRZ_OK;
    return frz_alter_note(draft, "rename-column", err, "renamed column %s to %s, field id %d",
                          step->name, frz_schema_path(draft->schema.schema, id), id);
}

frz_status frz_alter_rename_column(frz_alteration *changes, const char *path, const char *name,
                                   frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_rename, path, NULL, &step, err));
    return frz_alter_keep(changes, name, &step->text, err);
}

static frz_status apply_move(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const frz_column_place place = {step->column.first, step->column.after};
    frz_schema *before = frz_schema_ref(draft->schema.schema);
    const frz_status status = frz_schema_update_move(&draft->schema, step->name, &place, err);
    const bool same =
        frz_type_equal(frz_schema_type(before), frz_schema_type(draft->schema.schema));
    frz_schema_unref(before);
    if (status != FRZ_OK)
        return frz_context(err, status, "move column %s", step->name);
    if (same)
        return FRZ_OK;
    return place.after ? frz_alter_note(draft, "move-column", err, "moved column %s after %s",
                                        step->name, place.after)
                       : frz_alter_note(draft, "move-column", err, "moved column %s to the front",
                                        step->name);
}

frz_status frz_alter_move_column(frz_alteration *changes, const char *path,
                                 const frz_column_options *options, frz_error **err)
{
    frz_alter_step *step = NULL;
    return record(changes, apply_move, path, options, &step, err);
}

/*
 * Spec "Schema Evolution": no promotion "if the partition transform would produce a different value
 * after promoting the type": of a date to a timestamp, identity and bucket would. Any spec counts:
 * files that it wrote may be live.
 */
static frz_status check_partitions(const frz_alter_draft *draft, const frz_field *field,
                                   frz_error **err)
{
    for (size_t i = 0; i <= draft->base->spec_count; i++) {
        const frz_partition_spec *spec =
            i < draft->base->spec_count ? &draft->base->specs[i] : frz_alter_draft_spec(draft);
        for (size_t k = 0; k < spec->field_count; k++) {
            const frz_partition_field *user = &spec->fields[k];
            const bool same_values = user->transform.kind == FRZ_TRANSFORM_VOID ||
                                     (user->transform.kind >= FRZ_TRANSFORM_YEAR &&
                                      user->transform.kind <= FRZ_TRANSFORM_DAY);
            for (size_t s = 0; s < user->source_count; s++)
                if (user->source_ids[s] == field->id && !same_values)
                    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                    "partition field %s of spec %d would have other values",
                                    user->name, (int)spec->spec_id);
        }
    }
    return FRZ_OK;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_value(const frz_value *a, const frz_value *b)
{
    const bool a_null = !a || a->form == FRZ_VALUE_NULL;
    const bool b_null = !b || b->form == FRZ_VALUE_NULL;
    return a_null || b_null ? a_null == b_null : frz_value_same(a, b);
}

static bool same_field(const frz_field *a, const frz_field *b)
{
    return frz_type_equal(a->type, b->type) && a->required == b->required &&
           same_text(a->doc, b->doc) && same_value(a->write_default, b->write_default);
}

static frz_status update(const frz_alter_step *step, frz_alter_draft *draft, bool *same_out,
                         int32_t *id_out, frz_error **err)
{
    const frz_column_change change = {.type = step->text,
                                      .optional = step->column.optional,
                                      .default_value = step->column.default_value,
                                      .comment = step->column.comment};
    const frz_field *field = NULL;
    FRZ_TRY(frz_schema_update_find(&draft->schema, step->name, &field, err));
    frz_schema *before = frz_schema_ref(draft->schema.schema);
    frz_status status = frz_schema_update_change(&draft->schema, step->name, &change, err);
    const frz_field *after = frz_schema_find_id(draft->schema.schema, field->id);
    if (status == FRZ_OK && field->type->kind == FRZ_TYPE_DATE &&
        after->type->kind != FRZ_TYPE_DATE)
        status = check_partitions(draft, field, err);
    *same_out = same_field(field, after);
    *id_out = field->id;
    frz_schema_unref(before);
    return status;
}

static frz_status apply_update(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const char *what = NULL;
    bool same = false;
    int32_t id = 0;
    const frz_status status = update(step, draft, &same, &id, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "update column %s", step->name);
    if (same)
        return FRZ_OK;
    FRZ_TRY(describe(draft, id, &what, err));
    return frz_alter_note(draft, "update-column", err, "updated column %s, field id %d", what, id);
}

frz_status frz_alter_update_column(frz_alteration *changes, const char *path, const char *type,
                                   const frz_column_options *options, frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_update, path, options, &step, err));
    return frz_alter_keep(changes, type, &step->text, err);
}

/* One note for each field that came or changed. */
static frz_status note_union(frz_alter_draft *draft, const frz_schema *before, frz_error **err)
{
    const frz_schema *after = draft->schema.schema;
    for (size_t i = 0; i < frz_schema_field_count(after); i++) {
        const frz_field *field = frz_schema_field_at(after, i);
        const frz_field *old = frz_schema_find_id(before, field->id);
        const frz_field *parent = frz_schema_parent(after, field->id);
        const char *what = NULL;
        if (old &&
            (old->type->field_count ? old->required == field->required : same_field(old, field)))
            continue;
        if (!old && parent && !frz_schema_find_id(before, parent->id))
            continue; /* came with its parent */
        FRZ_TRY(describe(draft, field->id, &what, err));
        FRZ_TRY(frz_alter_note(
            draft, old ? "update-column" : "add-column", err, "%s column %s, field id %d%s",
            old ? "updated" : "added", what, field->id,
            old && old->required && !field->required ? ", which takes nulls now" : ""));
        if (old && old->type->kind == FRZ_TYPE_DATE && field->type->kind != FRZ_TYPE_DATE)
            FRZ_TRY(check_partitions(draft, old, err));
    }
    return FRZ_OK;
}

static frz_status apply_union(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    frz_schema *before = frz_schema_ref(draft->schema.schema);
    frz_status status = frz_schema_update_union(&draft->schema, step->schema, err);
    if (status == FRZ_OK)
        status = note_union(draft, before, err);
    frz_schema_unref(before);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "add columns by name");
}

frz_status frz_alter_union_columns(frz_alteration *changes, const struct ArrowSchema *schema,
                                   frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_union, NULL, NULL, &step, err));
    return frz_schema_from_arrow(schema, &step->schema, err);
}

static frz_status apply_identifier(const frz_alter_step *step, frz_alter_draft *draft,
                                   frz_error **err)
{
    size_t before_count = 0;
    size_t count = 0;
    frz_buffer names = {0};
    frz_schema *before = frz_schema_ref(draft->schema.schema);
    frz_status status =
        frz_schema_update_set_identifier(&draft->schema, step->names, step->name_count, err);
    const int32_t *old_ids = frz_schema_identifier_ids(before, &before_count);
    const int32_t *ids = frz_schema_identifier_ids(draft->schema.schema, &count);
    const bool same =
        count == before_count && (count == 0 || memcmp(ids, old_ids, count * sizeof *ids) == 0);
    for (size_t i = 0; i < count; i++)
        frz_buffer_printf(&names, "%s%s", i ? ", " : "",
                          frz_schema_path(draft->schema.schema, ids[i]));
    frz_buffer_append_byte(&names, 0);
    if (status != FRZ_OK)
        status = frz_context(err, status, "set identifier fields");
    else if (names.failed)
        status = frz_fail_memory(err);
    else if (!same)
        status = frz_alter_note(draft, "set-identifier", err, "identifier fields: %s",
                                count ? (const char *)names.data : "none");
    frz_buffer_clear(&names);
    frz_schema_unref(before);
    return status;
}

frz_status frz_alter_set_identifier(frz_alteration *changes, const char *const *paths, size_t count,
                                    frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_identifier, NULL, NULL, &step, err));
    const char **names = frz_arena_array(&changes->arena, count + 1, sizeof *names);
    if (!names)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(frz_alter_keep(changes, paths[i], &names[i], err));
    step->names = names;
    step->name_count = count;
    return FRZ_OK;
}
