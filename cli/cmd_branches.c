/*
 * Branches, tags and publishing: branch and tag create, replace, drop; fast-forward, rollback,
 * set-current; publish, cherry-pick, ancestors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "print.h"
#include "verbs.h"
#include "writing.h"

/* 7d, 36h, 90m, 30s, 2w, 500ms. */
static frz_status take_duration(const cli_session *session, const char *name, int64_t *out,
                                frz_error **err)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {{"ms", 1},      {"s", 1000},     {"m", 60000},
                 {"h", 3600000}, {"d", 86400000}, {"w", 604800000}};
    const char *text = session_option(session, name);
    char *end = NULL;
    if (!text)
        return FRZ_OK;
    const long long value = strtoll(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].unit) != 0 || end == text || value < 1 ||
            value > INT64_MAX / units[i].ms)
            continue;
        *out = value * units[i].ms;
        return FRZ_OK;
    }
    return frz_error_raise(err, FRZ_INVALID,
                           "%s wants a number and a unit (w, d, h, m, s, ms), such as 7d, not "
                           "\"%s\"",
                           name, text);
}

static frz_status ref_options(const cli_session *session, bool tag, frz_ref_options *out,
                              frz_error **err)
{
    const frz_ref_options none = FRZ_REF_OPTIONS_INIT;
    bool given = false;
    int64_t keep = 0;
    *out = none;
    out->tag = tag;
    frz_status status =
        session_number(session, "--snapshot-id", &out->has_snapshot_id, &out->snapshot_id, err);
    if (status == FRZ_OK)
        status = take_duration(session, "--retain", &out->max_ref_age_ms, err);
    if (status == FRZ_OK)
        status = take_duration(session, "--max-snapshot-age", &out->max_snapshot_age_ms, err);
    if (status == FRZ_OK)
        status = session_number(session, "--min-snapshots", &given, &keep, err);
    if (status == FRZ_OK && given && (keep < 1 || keep > INT32_MAX))
        return frz_error_raise(err, FRZ_INVALID, "--min-snapshots wants a number from 1");
    out->min_snapshots_to_keep = (int32_t)keep;
    return status;
}

typedef frz_status (*ref_change)(frz_alteration *changes, const char *name,
                                 const frz_ref_options *options, frz_error **err);

static frz_status run_ref(cli_session *session, bool tag, ref_change change, frz_error **err)
{
    cli_changes changes = {0};
    frz_ref_options options;
    frz_status status = ref_options(session, tag, &options, err);
    if (status == FRZ_OK)
        status = changes_open(session, &changes, err);
    if (status == FRZ_OK)
        status = change(changes.alteration, session->arguments[1], &options, err);
    if (status == FRZ_OK)
        status = changes_commit(session, &changes, NULL, err);
    changes_close(&changes);
    return status;
}

static frz_status drop_ref(frz_alteration *changes, const char *name,
                           const frz_ref_options *options, frz_error **err)
{
    return frz_alter_drop_ref(changes, name, options->tag, err);
}

frz_status cmd_branch_create(cli_session *session, frz_error **err)
{
    return run_ref(session, false, frz_alter_create_ref, err);
}

frz_status cmd_branch_replace(cli_session *session, frz_error **err)
{
    return run_ref(session, false, frz_alter_replace_ref, err);
}

frz_status cmd_branch_drop(cli_session *session, frz_error **err)
{
    return run_ref(session, false, drop_ref, err);
}

frz_status cmd_tag_create(cli_session *session, frz_error **err)
{
    return run_ref(session, true, frz_alter_create_ref, err);
}

frz_status cmd_tag_replace(cli_session *session, frz_error **err)
{
    return run_ref(session, true, frz_alter_replace_ref, err);
}

frz_status cmd_tag_drop(cli_session *session, frz_error **err)
{
    return run_ref(session, true, drop_ref, err);
}

/* The snapshot by number, or the other way by text: one of the two. */
typedef struct target {
    bool by_number;
    int64_t number;
    const char *text;
} target;

static frz_status take_target(const cli_session *session, const char *option, target *out,
                              frz_error **err)
{
    out->text = session_option(session, option);
    const frz_status status =
        session_number(session, "--snapshot-id", &out->by_number, &out->number, err);
    if (status == FRZ_OK && out->by_number == (out->text != NULL))
        return frz_error_raise(err, FRZ_INVALID, "%s wants --snapshot-id N or %s",
                               session->command->name, option);
    return status;
}

static frz_status record_rollback(const target *to, frz_alteration *alteration, frz_error **err)
{
    int64_t ms = 0;
    if (to->by_number)
        return frz_alter_rollback(alteration, to->number, err);
    const frz_status status = frz_time_parse(to->text, &ms, err);
    return status == FRZ_OK ? frz_alter_rollback_to_time(alteration, ms, err) : status;
}

frz_status cmd_rollback(cli_session *session, frz_error **err)
{
    cli_changes changes = {0};
    target to = {0};
    frz_status status = take_target(session, "--to", &to, err);
    if (status == FRZ_OK)
        status = changes_open(session, &changes, err);
    if (status == FRZ_OK)
        status = record_rollback(&to, changes.alteration, err);
    if (status == FRZ_OK)
        status = changes_commit(session, &changes, NULL, err);
    changes_close(&changes);
    return status;
}

frz_status cmd_set_current(cli_session *session, frz_error **err)
{
    cli_changes changes = {0};
    target to = {0};
    frz_status status = take_target(session, "--ref", &to, err);
    if (status == FRZ_OK)
        status = changes_open(session, &changes, err);
    if (status == FRZ_OK)
        status = to.by_number ? frz_alter_set_current(changes.alteration, to.number, err)
                              : frz_alter_set_current_ref(changes.alteration, to.text, err);
    if (status == FRZ_OK)
        status = changes_commit(session, &changes, NULL, err);
    changes_close(&changes);
    return status;
}

frz_status cmd_fast_forward(cli_session *session, frz_error **err)
{
    cli_changes changes = {0};
    frz_status status = changes_open(session, &changes, err);
    if (status == FRZ_OK)
        status = frz_alter_fast_forward(changes.alteration, session->arguments[1],
                                        session->arguments[2], err);
    if (status == FRZ_OK)
        status = changes_commit(session, &changes, NULL, err);
    changes_close(&changes);
    return status;
}

frz_status cmd_cherry_pick(cli_session *session, frz_error **err)
{
    frz_commit *commit = NULL;
    cli_writing writing = {0};
    bool given = false;
    int64_t snapshot_id = 0;
    frz_status status = session_number(session, "--snapshot-id", &given, &snapshot_id, err);
    if (status == FRZ_OK && !given)
        status = frz_error_raise(err, FRZ_INVALID, "cherry-pick wants --snapshot-id N");
    if (status == FRZ_OK)
        status = writing_open(session, &writing, err);
    if (status == FRZ_OK)
        status = frz_table_cherry_pick(writing.table, snapshot_id, &writing.options, &commit, err);
    if (status == FRZ_OK)
        status = print_commit(session, commit, err);
    frz_commit_free(commit);
    writing_close(&writing);
    return status;
}

frz_status cmd_publish(cli_session *session, frz_error **err)
{
    frz_commit *commit = NULL;
    cli_writing writing = {0};
    const char *id = session_option(session, "--wap-id");
    frz_status status =
        id ? FRZ_OK : frz_error_raise(err, FRZ_INVALID, "publish wants --wap-id ID");
    if (status == FRZ_OK)
        status = writing_open(session, &writing, err);
    if (status == FRZ_OK)
        status = frz_table_publish(writing.table, id, &writing.options, &commit, err);
    if (status == FRZ_OK)
        status = print_commit(session, commit, err);
    frz_commit_free(commit);
    writing_close(&writing);
    return status;
}

frz_status cmd_ancestors(cli_session *session, frz_error **err)
{
    frz_table *table = NULL;
    char *name = NULL;
    const char *ref = NULL;
    frz_snapshot_selector at;
    struct ArrowArrayStream rows = {0};
    frz_status status = session_table(session, session->arguments[0], &table, &name, &ref, err);
    if (status == FRZ_OK)
        status = session_selector(session, ref, &at, err);
    if (status == FRZ_OK)
        status = frz_table_ancestors(table, &at, &rows, err);
    if (status == FRZ_OK)
        status = print_rows(session, &rows, err);
    frz_table_free(table);
    free(name);
    return status;
}
