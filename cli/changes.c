#include "changes.h"

#include <stdio.h>
#include <stdlib.h>

#include "batch.h"
#include "print.h"

static bool wants_json(const cli_session *session)
{
    return session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL;
}

frz_status changes_open(cli_session *session, cli_changes *out, frz_error **err)
{
    char *name = NULL;
    const char *ref = NULL;
    frz_status status = session_split_name(session->arguments[0], &name, &ref, err);
    if (status == FRZ_OK && ref)
        status = frz_error_raise(err, FRZ_INVALID, "%s changes the whole table: it takes no @%s",
                                 session->command->name, ref);
    if (status == FRZ_OK)
        status = session_table_to_change(session, name, &out->table, err);
    if (status == FRZ_OK)
        status = frz_alteration_new(&out->alteration, err);
    free(name);
    return status;
}

void changes_close(cli_changes *changes)
{
    frz_alteration_free(changes->alteration);
    frz_table_free(changes->table);
}

static void print_json(const cli_session *session, const frz_table *table,
                       const frz_alter_result *result, const char *audit)
{
    (void)fputs("{\"table\": ", stdout);
    print_json_text(stdout, session->arguments[0]);
    if (audit)
        (void)printf(", \"audit\": %s", audit);
    (void)printf(", \"committed\": %s, \"changes\": [", result->committed ? "true" : "false");
    for (size_t i = 0; i < result->item_count; i++) {
        (void)printf("%s{\"change\": \"%s\", \"text\": ", i ? ", " : "", result->items[i].change);
        print_json_text(stdout, result->items[i].text);
        (void)fputc('}', stdout);
    }
    (void)printf("], \"format_version\": %d, \"schema_id\": %d, \"spec_id\": %d, "
                 "\"sort_order_id\": %d, \"metadata_location\": ",
                 result->format_version, (int)result->schema_id, (int)result->spec_id,
                 (int)result->sort_order_id);
    print_json_text(stdout, frz_table_metadata_location(table));
    (void)fputs("}\n", stdout);
}

static void print_lines(const frz_alter_result *result, const char *audit)
{
    if (audit)
        (void)fputs(audit, stdout);
    for (size_t i = 0; i < result->item_count; i++)
        (void)puts(result->items[i].text);
    if (!result->committed)
        (void)puts("nothing to change: the table is so already");
}

frz_status changes_commit(cli_session *session, cli_changes *changes, const char *audit,
                          frz_error **err)
{
    frz_alter_result *result = NULL;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.cancelled = session_watch_signals();
    frz_status status =
        frz_table_alter(changes->table, changes->alteration, &options, &result, err);
    if (status != FRZ_OK)
        return status;
    if (session->batch) {
        status = batch_record_changes(session, result, err);
    } else {
        if (wants_json(session))
            print_json(session, changes->table, result, audit);
        else
            print_lines(result, audit);
        status = print_flush(err);
    }
    frz_alter_result_free(result);
    return status;
}
