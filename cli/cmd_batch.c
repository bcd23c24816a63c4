/*
 * batch: statements of a script as one transaction.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "parse.h"
#include "print.h"
#include "verbs.h"

/* What may stand in a script: verbs that work on the table they name, as the transaction has it. */
static const char *const verbs[] = {"alter",
                                    "upgrade",
                                    "properties get",
                                    "properties set",
                                    "properties remove",
                                    "branch create",
                                    "branch replace",
                                    "branch drop",
                                    "tag create",
                                    "tag replace",
                                    "tag drop",
                                    "fast-forward",
                                    "rollback",
                                    "set-current",
                                    "cherry-pick",
                                    "publish",
                                    "ancestors",
                                    "add-files",
                                    "append",
                                    "scan",
                                    "count",
                                    "delete",
                                    "truncate",
                                    "update",
                                    "overwrite",
                                    "merge",
                                    "upsert",
                                    "plan",
                                    "snapshots",
                                    "history",
                                    "refs",
                                    "files",
                                    "data-files",
                                    "delete-files",
                                    "manifests",
                                    "entries",
                                    "partitions",
                                    "all-files",
                                    "all-data-files",
                                    "all-delete-files",
                                    "all-manifests",
                                    "all-entries",
                                    "position-deletes"};

static frz_status check_verb(const cli_session *statement, frz_error **err)
{
    static const char *const outside[] = {"--catalog", "--warehouse", "--uri", "--config",
                                          "--path-map"};
    const char *name = statement->command->name;
    bool known = false;
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        known = known || strcmp(verbs[i], name) == 0;
    if (!known)
        return frz_error_raise(err, FRZ_INVALID,
                               "%s is no part of a transaction: a script holds verbs that read or "
                               "change a table",
                               name);
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        if (session_flag(statement, outside[i]))
            return frz_error_raise(err, FRZ_INVALID, "%s is given to batch, for all statements",
                                   outside[i]);
    if (strchr(statement->arguments[0], '/'))
        return frz_error_raise(err, FRZ_INVALID,
                               "%s: tables of a transaction are named as the catalog has them",
                               statement->arguments[0]);
    return FRZ_OK;
}

/* The words of the statement behind what batch itself was given for all of them. */
static char **make_words(const cli_session *session, const cli_statement *statement,
                         size_t *count_out)
{
    static char quiet[] = "--quiet";
    static char ids[] = "--json-ids=string";
    size_t count = 0;
    size_t skip = strcmp(statement->words[0], "frazil") == 0 && statement->word_count > 1;
    char **words = calloc(statement->word_count + 2, sizeof *words);
    if (!words)
        return NULL;
    if (session->quiet)
        words[count++] = quiet;
    if (session_flag(session, "--json-ids"))
        words[count++] = ids;
    for (size_t i = skip; i < statement->word_count; i++)
        words[count++] = statement->words[i];
    *count_out = count;
    return words;
}

static frz_status check_input(const cli_session *session, const cli_session *statement,
                              frz_error **err)
{
    for (int i = 1; i < statement->argument_count; i++)
        if (strcmp(session->arguments[0], "-") == 0 && strcmp(statement->arguments[i], "-") == 0)
            return frz_error_raise(err, FRZ_INVALID,
                                   "standard input is the script: rows come from files");
    return FRZ_OK;
}

/* `run` false: looks only whether it could be run. */
static frz_status run_words(cli_session *session, char **words, size_t count, bool run,
                            frz_error **err)
{
    cli_session statement = {.catalog = session->catalog,
                             .local = session->local,
                             .io = session->io,
                             .batch = run ? session->batch : NULL};
    frz_status status = parse_words(&statement, (int)count, words, err);
    if (!statement.output_given)
        statement.output = session->output;
    if (status == FRZ_OK && session_flag(&statement, "--help"))
        status = frz_error_raise(err, FRZ_INVALID, "--help stands outside of scripts");
    if (status == FRZ_OK)
        status = parse_check_arguments(&statement, err);
    if (status == FRZ_OK)
        status = check_verb(&statement, err);
    if (status == FRZ_OK)
        status = check_input(session, &statement, err);
    if (status == FRZ_OK && run)
        status = statement.command->run(&statement, err);
    free(statement.given);
    return status;
}

/* Says where in the script. */
static frz_status locate(const cli_script *script, const cli_statement *statement,
                         frz_status status, frz_error **err)
{
    frz_error *cause = *err;
    if (status == FRZ_OK)
        return FRZ_OK;
    *err = NULL;
    (void)frz_error_raise(err, status, "%s:%d: %s: %s", script->name, statement->line,
                          statement->text, cause ? frz_error_message(cause) : "");
    frz_error_free(cause);
    return status;
}

static frz_status run_statement(cli_session *session, const cli_script *script, size_t index,
                                bool run, frz_error **err)
{
    const cli_statement *statement = &script->statements[index];
    size_t count = 0;
    char **words = make_words(session, statement, &count);
    if (!words)
        return frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    session->batch->statement = statement;
    const frz_status status = run_words(session, words, count, run, err);
    free(words);
    return locate(script, statement, status, err);
}

/* All are looked at before the first is run. */
static frz_status run_script(cli_session *session, const cli_script *script, frz_error **err)
{
    frz_status status = FRZ_OK;
    for (size_t i = 0; i < script->count && status == FRZ_OK; i++)
        status = run_statement(session, script, i, false, err);
    for (size_t i = 0; i < script->count && status == FRZ_OK; i++)
        status = run_statement(session, script, i, true, err);
    return status;
}

/* What was committed before a failure is told, too. */
static frz_status commit(cli_session *session, cli_batch *batch, frz_error **err)
{
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.cancelled = session_watch_signals();
    const frz_status status =
        session_flag(session, "--dry-run") ? FRZ_OK : batch_commit(batch, &options, err);
    const bool some = batch->table_count > 0 && batch->tables[0].report;
    if (status != FRZ_OK && !some)
        return status;
    frz_error *lost = NULL;
    const frz_status printed = batch_print(session, batch, status == FRZ_OK ? err : &lost);
    frz_error_free(lost);
    return status == FRZ_OK ? printed : status;
}

frz_status cmd_batch(cli_session *session, frz_error **err)
{
    cli_batch batch = {.per_table = session_flag(session, "--per-table")};
    cli_script script = {0};
    frz_catalog *catalog = NULL;
    frz_status status = script_read(session->arguments[0], &script, err);
    if (status == FRZ_OK)
        status = session_catalog(session, &catalog, err);
    batch.script = script.name;
    session->batch = &batch;
    if (status == FRZ_OK)
        status = run_script(session, &script, err);
    if (status == FRZ_OK)
        status = commit(session, &batch, err);
    session->batch = NULL;
    batch_close(&batch);
    script_free(&script);
    return status;
}
