#include "write/evolve.h"

#include <string.h>

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "catalog/catalog.h"
#include "catalog/table.h"
#include "frazil/alter.h"
#include "frazil/load.h"
#include "frazil/transaction.h"
#include "write/options.h"
#include "write/result.h"

static bool is_struct(const frz_type *type, const struct ArrowSchema *given)
{
    return type->kind == FRZ_TYPE_STRUCT && strcmp(given->format, "+s") == 0;
}

static bool is_list(const frz_type *type, const struct ArrowSchema *given)
{
    return type->kind == FRZ_TYPE_LIST && strcmp(given->format, "+l") == 0 &&
           given->n_children == 1;
}

static bool is_map(const frz_type *type, const struct ArrowSchema *given)
{
    return type->kind == FRZ_TYPE_MAP && strcmp(given->format, "+m") == 0 &&
           given->n_children == 1 && given->children[0]->n_children == 2;
}

/* Whether the type lacks something at or below. */
static bool lacks(const frz_type *type, const struct ArrowSchema *given, bool case_sensitive)
{
    if (is_list(type, given))
        return lacks(type->fields[0].type, given->children[0], case_sensitive);
    if (is_map(type, given))
        return lacks(type->fields[1].type, given->children[0]->children[1], case_sensitive);
    if (!is_struct(type, given))
        return false;
    for (int64_t i = 0; i < given->n_children; i++) {
        const frz_field *field =
            frz_type_find_field(type, frz_arrow_schema_name(given->children[i]), case_sensitive);
        if (!field || lacks(field->type, given->children[i], case_sensitive))
            return true;
    }
    return false;
}

static frz_status extras_of(const frz_type *type, const struct ArrowSchema *given, const char *name,
                            bool nullable, bool case_sensitive, struct ArrowSchema *out,
                            frz_error **err);

static frz_status extra_member(const frz_type *type, const struct ArrowSchema *given,
                               bool case_sensitive, struct ArrowSchema *out, frz_error **err)
{
    const frz_field *field =
        frz_type_find_field(type, frz_arrow_schema_name(given), case_sensitive);
    if (field)
        return extras_of(field->type, given, field->name, !field->required, case_sensitive, out,
                         err);
    FRZ_TRY(frz_arrow_schema_copy(given, out, err));
    out->flags |= ARROW_FLAG_NULLABLE;
    return FRZ_OK;
}

static frz_status extra_elements(const frz_type *type, const struct ArrowSchema *given,
                                 bool case_sensitive, struct ArrowSchema *out, frz_error **err)
{
    const frz_field *element = &type->fields[0];
    return extras_of(element->type, given->children[0], element->name, !element->required,
                     case_sensitive, out->children[0], err);
}

/* The key as it is given: it is the one that the values go by. */
static frz_status extra_values(const frz_type *type, const struct ArrowSchema *given,
                               bool case_sensitive, struct ArrowSchema *out, frz_error **err)
{
    const struct ArrowSchema *entries = given->children[0];
    struct ArrowSchema *made = out->children[0];
    const frz_field *value = &type->fields[1];
    FRZ_TRY(frz_arrow_schema_init(made, "+s", "entries", false, FRZ_ARROW_NO_FIELD_ID, 2, err));
    FRZ_TRY(frz_arrow_schema_copy(entries->children[0], made->children[0], err));
    return extras_of(value->type, entries->children[1], value->name, !value->required,
                     case_sensitive, made->children[1], err);
}

/* `given` without what is there already; it lacks something. */
static frz_status extras_of(const frz_type *type, const struct ArrowSchema *given, const char *name,
                            bool nullable, bool case_sensitive, struct ArrowSchema *out,
                            frz_error **err)
{
    int64_t count = 0;
    int64_t at = 0;
    if (is_list(type, given) || is_map(type, given)) {
        const bool list = is_list(type, given);
        FRZ_TRY(frz_arrow_schema_init(out, list ? "+l" : "+m", name, nullable,
                                      FRZ_ARROW_NO_FIELD_ID, 1, err));
        return list ? extra_elements(type, given, case_sensitive, out, err)
                    : extra_values(type, given, case_sensitive, out, err);
    }
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            FRZ_TRY(frz_arrow_schema_init(out, "+s", name, nullable, FRZ_ARROW_NO_FIELD_ID, count,
                                          err));
        for (int64_t i = 0; i < given->n_children; i++) {
            const struct ArrowSchema *child = given->children[i];
            const frz_field *field =
                frz_type_find_field(type, frz_arrow_schema_name(child), case_sensitive);
            if (field && !lacks(field->type, child, case_sensitive))
                continue;
            if (pass == 0)
                count++;
            else
                FRZ_TRY(extra_member(type, child, case_sensitive, out->children[at++], err));
        }
    }
    return FRZ_OK;
}

frz_status frz_evolve_extras(const frz_type *type, const struct ArrowSchema *given,
                             bool case_sensitive, struct ArrowSchema *out, frz_error **err)
{
    struct ArrowSchema made = {0};
    if (!lacks(type, given, case_sensitive))
        return FRZ_END;
    const frz_status status = extras_of(type, given, "", false, case_sensitive, &made, err);
    if (status != FRZ_OK) {
        frz_arrow_schema_clear(&made);
        return status;
    }
    *out = made;
    return FRZ_OK;
}

/* *found_out: some input has more than the table. */
static frz_status record_extras(const frz_table *table, struct ArrowArrayStream *input,
                                bool case_sensitive, frz_alteration *changes, bool *found_out,
                                frz_error **err)
{
    struct ArrowSchema given = {0};
    struct ArrowSchema extras = {0};
    frz_status status = frz_arrow_stream_schema(input, &given, err);
    if (status == FRZ_OK)
        status = frz_evolve_extras(frz_schema_type(frz_metadata_schema(table->metadata)), &given,
                                   case_sensitive, &extras, err);
    if (status == FRZ_OK) {
        *found_out = true;
        status = frz_alter_union_columns(changes, &extras, err);
    }
    frz_arrow_schema_clear(&extras);
    frz_arrow_schema_clear(&given);
    return status == FRZ_END ? FRZ_OK : status;
}

/* The snapshot as the commit left it. */
static frz_status describe(frz_table *table, int64_t snapshot_id, frz_commit **out, frz_error **err)
{
    /* Committed: a handle that cannot follow tells what was staged. */
    if (frz_table_refresh(table, NULL) != FRZ_OK)
        return FRZ_OK;
    const frz_snapshot *snapshot = frz_metadata_find_snapshot(table->metadata, snapshot_id);
    if (!snapshot)
        return FRZ_OK;
    frz_commit *made = NULL;
    FRZ_TRY(frz_commit_result_new(snapshot, &made, err));
    frz_commit_free(*out);
    *out = made;
    return FRZ_OK;
}

/* Columns and rows in the caller's own transaction. */
static frz_status append_within(frz_table *table, const frz_alteration *changes,
                                struct ArrowArrayStream *inputs, size_t input_count,
                                const frz_write_options *options, frz_commit **out, frz_error **err)
{
    FRZ_TRY(frz_table_alter(table, changes, options, NULL, err));
    FRZ_TRY(frz_table_refresh(table, err)); /* where memory was short for the handle to follow */
    return frz_table_append_all(table, inputs, input_count, options, out, err);
}

/* Columns and rows are one commit; without rows there is none. */
static frz_status append_with(frz_table *table, const frz_alteration *changes,
                              struct ArrowArrayStream *inputs, size_t input_count,
                              const frz_write_options *options, frz_commit **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_table *staged = NULL;
    frz_commit *commit = NULL;
    if (table->catalog && frz_catalog_stage(table->catalog))
        return append_within(table, changes, inputs, input_count, options, out, err);
    FRZ_TRY_DONE(frz_table_begin(table, &staged, err));
    FRZ_TRY_DONE(frz_table_alter(staged, changes, options, NULL, err));
    FRZ_TRY_DONE(frz_table_refresh(staged, err));
    FRZ_TRY_DONE(frz_table_append_all(staged, inputs, input_count, options, &commit, err));
    if (commit->operation && !commit->already_committed) {
        FRZ_TRY_DONE(frz_table_commit(staged, options, NULL, err));
        (void)describe(table, commit->snapshot_id, &commit, NULL);
    } else {
        frz_table_rollback(staged);
    }
    if (out) {
        *out = commit;
        commit = NULL;
    }

done:
    frz_commit_free(commit);
    frz_table_free(staged);
    return status;
}

frz_status frz_table_append_evolve(frz_table *table, struct ArrowArrayStream *inputs,
                                   size_t input_count, const frz_write_options *options,
                                   frz_commit **out, frz_error **err)
{
    frz_alteration *changes = NULL;
    bool found = false;
    frz_write_options taken;
    frz_status status = frz_write_options_take(options, &taken, err);
    if (status == FRZ_OK)
        status = frz_alteration_new(&changes, err);
    for (size_t i = 0; i < input_count && status == FRZ_OK; i++)
        status = record_extras(table, &inputs[i], !taken.case_insensitive, changes, &found, err);
    if (status == FRZ_OK && !found)
        status = frz_table_append_all(table, inputs, input_count, &taken, out, err);
    else if (status == FRZ_OK)
        status = append_with(table, changes, inputs, input_count, &taken, out, err);
    frz_alteration_free(changes);
    for (size_t i = 0; i < input_count; i++)
        frz_arrow_stream_clear(&inputs[i]);
    return status;
}
