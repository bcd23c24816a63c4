/*
 * properties get, set, remove.
 */
#include <stdio.h>
#include <string.h>

#include "changes.h"
#include "print.h"
#include "verbs.h"

static void print_property(bool json, bool first, const char *key, const char *value)
{
    if (!json) {
        (void)printf("%s=%s\n", key, value);
        return;
    }
    (void)fputs(first ? "" : ", ", stdout);
    print_json_text(stdout, key);
    (void)fputs(": ", stdout);
    print_json_text(stdout, value);
}

/* The named ones, or all. */
static frz_status print_properties(const cli_session *session, const frz_table *table,
                                   frz_error **err)
{
    const bool json = session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL;
    const char *key = NULL;
    const char *value = NULL;
    for (int i = 1; i < session->argument_count; i++)
        if (!frz_table_property(table, session->arguments[i]))
            return frz_error_raise(err, FRZ_NOT_FOUND, "table %s has no property %s",
                                   session->arguments[0], session->arguments[i]);
    (void)fputs(json ? "{" : "", stdout);
    for (int i = 1; i < session->argument_count; i++)
        print_property(json, i == 1, session->arguments[i],
                       frz_table_property(table, session->arguments[i]));
    for (size_t i = 0;
         session->argument_count == 1 && frz_table_property_at(table, i, &key, &value); i++)
        print_property(json, i == 0, key, value);
    (void)fputs(json ? "}\n" : "", stdout);
    return print_flush(err);
}

frz_status cmd_properties_get(cli_session *session, frz_error **err)
{
    frz_table *table = NULL;
    frz_status status = session_whole_table(session, &table, err);
    if (status == FRZ_OK)
        status = print_properties(session, table, err);
    frz_table_free(table);
    return status;
}

/* K=V; argv is ours to write to. */
static frz_status record_set(char *word, frz_alteration *alteration, frz_error **err)
{
    char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return frz_error_raise(err, FRZ_INVALID, "properties set wants K=V, not \"%s\"", word);
    *equals = '\0';
    return frz_alter_set_property(alteration, word, equals + 1, err);
}

frz_status cmd_properties_set(cli_session *session, frz_error **err)
{
    cli_changes changes = {0};
    frz_status status = changes_open(session, &changes, err);
    for (int i = 1; status == FRZ_OK && i < session->argument_count; i++)
        status = record_set(session->arguments[i], changes.alteration, err);
    if (status == FRZ_OK)
        status = changes_commit(session, &changes, NULL, err);
    changes_close(&changes);
    return status;
}

frz_status cmd_properties_remove(cli_session *session, frz_error **err)
{
    cli_changes changes = {0};
    frz_status status = changes_open(session, &changes, err);
    for (int i = 1; status == FRZ_OK && i < session->argument_count; i++)
        status = frz_alter_remove_property(changes.alteration, session->arguments[i], err);
    if (status == FRZ_OK)
        status = changes_commit(session, &changes, NULL, err);
    changes_close(&changes);
    return status;
}
