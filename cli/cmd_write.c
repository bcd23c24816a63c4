/*
 * Commands that change rows: append, delete, truncate, update, overwrite, merge, upsert.
 */
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "print.h"
#include "verbs.h"
#include "writing.h"

/* One change of a table, from its options to what it prints. */
typedef struct table_change {
    cli_writing writing;
    frz_delete_mode mode; /* of commands that have --mode */
    cli_inputs inputs;    /* of commands that read files */
    frz_commit *commit;
} table_change;

static frz_status read_mode(const cli_session *session, frz_delete_mode *out, frz_error **err)
{
    const char *name = session_option(session, "--mode");
    *out = FRZ_DELETE_MODE_DEFAULT;
    if (!name)
        return FRZ_OK;
    if (strcmp(name, "merge-on-read") == 0)
        *out = FRZ_DELETE_MODE_MERGE_ON_READ;
    else if (strcmp(name, "copy-on-write") == 0)
        *out = FRZ_DELETE_MODE_COPY_ON_WRITE;
    else
        return frz_error_raise(err, FRZ_INVALID,
                               "--mode is merge-on-read or copy-on-write, not \"%s\"", name);
    return FRZ_OK;
}

static frz_status open_change(cli_session *session, table_change *change, frz_error **err)
{
    *change = (table_change){0};
    const frz_status status = read_mode(session, &change->mode, err);
    return status == FRZ_OK ? writing_open(session, &change->writing, err) : status;
}

/* CSV and JSON lines are read as the types of the table's columns; `present_only`: of those that
 * the file has. */
static frz_status open_change_with_files(cli_session *session, bool present_only,
                                         table_change *change, frz_error **err)
{
    struct ArrowSchema schema = {0};
    frz_rows_options how;
    const char *nulls[INPUT_NULLS_MAX];
    frz_status status = open_change(session, change, err);
    if (status == FRZ_OK)
        status = inputs_options(session, &how, nulls, err);
    if (status == FRZ_OK)
        status = frz_table_arrow_schema(change->writing.table, &schema, err);
    if (status != FRZ_OK)
        return status;
    how.schema = &schema;
    how.present_only = present_only;
    how.infer = session_flag(session, "--evolve");
    status = inputs_open(session, &how, &change->inputs, err);
    schema.release(&schema);
    change->writing.options.input_names = change->inputs.names;
    change->writing.options.case_insensitive = how.case_insensitive;
    return status;
}

/* Prints the commit when there was one. */
static frz_status close_change(cli_session *session, table_change *change, frz_status status,
                               frz_error **err)
{
    if (status == FRZ_OK)
        status = print_commit(session, change->commit, err);
    inputs_close(&change->inputs);
    frz_commit_free(change->commit);
    writing_close(&change->writing);
    return status;
}

frz_status cmd_append(cli_session *session, frz_error **err)
{
    table_change change;
    frz_status (*append)(frz_table *, struct ArrowArrayStream *, size_t, const frz_write_options *,
                         frz_commit **, frz_error **) =
        session_flag(session, "--evolve") ? frz_table_append_evolve : frz_table_append_all;
    frz_status status = open_change_with_files(session, false, &change, err);
    if (status == FRZ_OK)
        status = append(change.writing.table, change.inputs.streams, change.inputs.count,
                        &change.writing.options, &change.commit, err);
    return close_change(session, &change, status, err);
}

frz_status cmd_delete(cli_session *session, frz_error **err)
{
    table_change change;
    const char *where = session_option(session, "--where");
    if (!where)
        return frz_error_raise(err, FRZ_INVALID,
                               "delete wants --where E; --where true deletes every row");
    frz_status status = open_change(session, &change, err);
    if (status == FRZ_OK)
        status = frz_table_delete(change.writing.table, where, change.mode, &change.writing.options,
                                  &change.commit, err);
    return close_change(session, &change, status, err);
}

frz_status cmd_truncate(cli_session *session, frz_error **err)
{
    table_change change;
    frz_status status = open_change(session, &change, err);
    if (status == FRZ_OK)
        status =
            frz_table_truncate(change.writing.table, &change.writing.options, &change.commit, err);
    return close_change(session, &change, status, err);
}

frz_status cmd_update(cli_session *session, frz_error **err)
{
    table_change change;
    const char *set = session_option(session, "--set");
    if (!set)
        return frz_error_raise(err, FRZ_INVALID, "update wants --set 'column = formula, ...'");
    frz_status status = open_change(session, &change, err);
    if (status == FRZ_OK)
        status = frz_table_update(change.writing.table, set, session_option(session, "--where"),
                                  change.mode, &change.writing.options, &change.commit, err);
    return close_change(session, &change, status, err);
}

frz_status cmd_overwrite(cli_session *session, frz_error **err)
{
    table_change change;
    frz_overwrite_options how = FRZ_OVERWRITE_OPTIONS_INIT;
    how.where = session_option(session, "--where");
    how.dynamic = session_flag(session, "--dynamic");
    if (!how.where == !how.dynamic)
        return frz_error_raise(err, FRZ_INVALID,
                               "overwrite wants --where E (rows that match go) or --dynamic (the "
                               "partitions of the input go)");
    frz_status status = open_change_with_files(session, false, &change, err);
    how.mode = change.mode;
    if (status == FRZ_OK)
        status =
            frz_table_overwrite(change.writing.table, change.inputs.streams, change.inputs.count,
                                &how, &change.writing.options, &change.commit, err);
    return close_change(session, &change, status, err);
}

enum { CLAUSES_MAX = 16, KEYS_MAX = 64, MEBIBYTES_MAX = 1 << 24 };

/* What `merge` was asked for; names of keys point into `keys`. */
typedef struct merge_words {
    char *keys;
    const char *names[KEYS_MAX];
    frz_merge_clause clauses[CLAUSES_MAX];
    frz_merge_options how;
} merge_words;

/* `id, "a b", s.x`: names by commas, blanks around them dropped. Without any: those of the table's
 * identifier fields. */
static frz_status read_keys(const cli_session *session, merge_words *words, frz_error **err)
{
    const char *on = session_option(session, "--on");
    if (!on)
        return FRZ_OK;
    words->how.keys = words->names;
    words->keys = strdup(on);
    if (!words->keys)
        return frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    for (char *at = words->keys; at; words->how.key_count++) {
        char *comma = strchr(at, ',');
        if (words->how.key_count == KEYS_MAX)
            return frz_error_raise(err, FRZ_INVALID, "--on takes at most %d columns", KEYS_MAX);
        at += strspn(at, " ");
        char *end = comma ? comma : at + strlen(at);
        while (end > at && end[-1] == ' ')
            end--;
        *end = '\0';
        words->names[words->how.key_count] = at;
        at = comma ? comma + 1 : NULL;
    }
    return FRZ_OK;
}

static frz_status read_limit(const cli_session *session, merge_words *words, frz_error **err)
{
    return session_mebibytes(session, "--memory-limit", MEBIBYTES_MAX, &words->how.memory_limit,
                             err);
}

static frz_status add_clause(merge_words *words, const char *action, frz_error **err)
{
    const bool deletes = strcmp(action, "delete") == 0;
    if (words->how.matched_count == CLAUSES_MAX)
        return frz_error_raise(err, FRZ_INVALID, "at most %d --when-matched", CLAUSES_MAX);
    if (!deletes && strcmp(action, "update") != 0)
        return frz_error_raise(err, FRZ_INVALID, "--when-matched is update or delete, not \"%s\"",
                               action);
    words->clauses[words->how.matched_count++] =
        (frz_merge_clause){.action = deletes ? FRZ_MERGE_DELETE : FRZ_MERGE_UPDATE};
    return FRZ_OK;
}

/* --and and --set belong to the --when-matched before them. */
static frz_status qualify_clause(merge_words *words, const char *name, const char *value,
                                 frz_error **err)
{
    const bool condition = strcmp(name, "--and") == 0;
    if (words->how.matched_count == 0)
        return frz_error_raise(err, FRZ_INVALID, "%s stands behind the --when-matched it is about",
                               name);
    frz_merge_clause *clause = &words->clauses[words->how.matched_count - 1];
    if (!condition && clause->action == FRZ_MERGE_DELETE)
        return frz_error_raise(err, FRZ_INVALID, "--set stands behind --when-matched update");
    const char **to = condition ? &clause->where : &clause->set;
    if (*to)
        return frz_error_raise(err, FRZ_INVALID, "%s is given twice for one --when-matched", name);
    *to = value;
    return FRZ_OK;
}

static frz_status read_clauses(const cli_session *session, merge_words *words, frz_error **err)
{
    words->how.matched = words->clauses;
    for (size_t i = 0; i < session->given_count; i++) {
        const char *name = session->given[i].name;
        const char *value = session->given[i].value;
        frz_status status = FRZ_OK;
        if (strcmp(name, "--when-matched") == 0)
            status = add_clause(words, value, err);
        else if (strcmp(name, "--and") == 0 || strcmp(name, "--set") == 0)
            status = qualify_clause(words, name, value, err);
        if (status != FRZ_OK)
            return status;
    }
    const char *insert = session_option(session, "--when-not-matched");
    const char *gone = session_option(session, "--when-not-matched-by-source");
    if (insert && strcmp(insert, "insert") != 0)
        return frz_error_raise(err, FRZ_INVALID, "--when-not-matched is insert, not \"%s\"",
                               insert);
    if (gone && strcmp(gone, "delete") != 0)
        return frz_error_raise(err, FRZ_INVALID,
                               "--when-not-matched-by-source is delete, not \"%s\"", gone);
    words->how.insert_not_matched = insert != NULL;
    words->how.delete_not_matched_by_source = gone != NULL;
    if (words->how.matched_count == 0 && !insert && !gone)
        return frz_error_raise(err, FRZ_INVALID,
                               "merge wants --when-matched, --when-not-matched or "
                               "--when-not-matched-by-source");
    return FRZ_OK;
}

static frz_status run_merge(cli_session *session, merge_words *words, frz_error **err)
{
    table_change change;
    frz_status status = read_limit(session, words, err);
    if (status != FRZ_OK)
        return status;
    words->how.source_name = session_option(session, "--source-name");
    status = open_change_with_files(session, true, &change, err);
    words->how.mode = change.mode;
    if (status == FRZ_OK)
        status = frz_table_merge(change.writing.table, &change.inputs.streams[0], &words->how,
                                 &change.writing.options, &change.commit, err);
    return close_change(session, &change, status, err);
}

frz_status cmd_merge(cli_session *session, frz_error **err)
{
    merge_words words = {.how = FRZ_MERGE_OPTIONS_INIT};
    frz_status status = read_keys(session, &words, err);
    if (status == FRZ_OK)
        status = read_clauses(session, &words, err);
    if (status == FRZ_OK)
        status = run_merge(session, &words, err);
    free(words.keys);
    return status;
}

static frz_status run_delta(table_change *change, const frz_delta_options *how, frz_error **err)
{
    frz_delta *delta = NULL;
    frz_status status =
        frz_delta_open(change->writing.table, how, &change->writing.options, &delta, err);
    if (status == FRZ_OK)
        status = frz_delta_upsert(delta, &change->inputs.streams[0], err);
    if (status == FRZ_OK)
        status = frz_delta_commit(delta, &change->commit, err);
    frz_delta_free(delta);
    return status;
}

/* Without reading the table; keys that are not given are its identifier fields. */
static frz_status upsert_blind(cli_session *session, merge_words *words, frz_error **err)
{
    table_change change;
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    frz_status status = read_limit(session, words, err);
    if (status == FRZ_OK)
        status = read_keys(session, words, err);
    if (status == FRZ_OK && session_option(session, "--mode"))
        status = frz_error_raise(err, FRZ_INVALID, "--equality-deletes knows no --mode");
    if (status != FRZ_OK)
        return status;
    how.keys = words->how.keys;
    how.key_count = words->how.key_count;
    how.global = session_flag(session, "--all-partitions");
    how.memory_limit = words->how.memory_limit;
    status = open_change_with_files(session, false, &change, err);
    if (status == FRZ_OK)
        status = run_delta(&change, &how, err);
    return close_change(session, &change, status, err);
}

static frz_status upsert_by_merge(cli_session *session, merge_words *words, frz_error **err)
{
    if (session_flag(session, "--all-partitions"))
        return frz_error_raise(err, FRZ_INVALID, "--all-partitions is for --equality-deletes");
    const frz_status status = read_keys(session, words, err);
    words->clauses[0] = (frz_merge_clause){.action = FRZ_MERGE_UPDATE};
    words->how.matched = words->clauses;
    words->how.matched_count = 1;
    words->how.insert_not_matched = true;
    words->how.unique_keys = true;
    return status == FRZ_OK ? run_merge(session, words, err) : status;
}

frz_status cmd_upsert(cli_session *session, frz_error **err)
{
    merge_words words = {.how = FRZ_MERGE_OPTIONS_INIT};
    const frz_status status = session_flag(session, "--equality-deletes")
                                  ? upsert_blind(session, &words, err)
                                  : upsert_by_merge(session, &words, err);
    free(words.keys);
    return status;
}
