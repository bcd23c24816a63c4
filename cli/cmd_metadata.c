/*
 * Commands that show metadata: the metadata tables, tree and inspect.
 */
#include <stdlib.h>

#include "print.h"
#include "verbs.h"

static frz_status print_table(cli_session *session, frz_metadata_table kind, frz_error **err)
{
    frz_table *table = NULL;
    char *identifier = NULL;
    const char *ref = NULL;
    frz_snapshot_selector at;
    struct ArrowArrayStream rows = {0};
    frz_status status =
        session_table(session, session->arguments[0], &table, &identifier, &ref, err);
    if (status == FRZ_OK)
        status = session_selector(session, ref, &at, err);
    if (status == FRZ_OK)
        status = frz_table_metadata_stream(table, kind, &at, &rows, err);
    if (status == FRZ_OK)
        status = print_rows(session, &rows, err);
    frz_table_free(table);
    free(identifier);
    return status;
}

#define METADATA_COMMAND(function, kind)                       \
    frz_status function(cli_session *session, frz_error **err) \
    {                                                          \
        return print_table(session, kind, err);                \
    }

METADATA_COMMAND(cmd_snapshots, FRZ_METADATA_TABLE_SNAPSHOTS)
METADATA_COMMAND(cmd_history, FRZ_METADATA_TABLE_HISTORY)
METADATA_COMMAND(cmd_refs, FRZ_METADATA_TABLE_REFS)
METADATA_COMMAND(cmd_files, FRZ_METADATA_TABLE_FILES)
METADATA_COMMAND(cmd_data_files, FRZ_METADATA_TABLE_DATA_FILES)
METADATA_COMMAND(cmd_delete_files, FRZ_METADATA_TABLE_DELETE_FILES)
METADATA_COMMAND(cmd_manifests, FRZ_METADATA_TABLE_MANIFESTS)
METADATA_COMMAND(cmd_entries, FRZ_METADATA_TABLE_ENTRIES)
METADATA_COMMAND(cmd_partitions, FRZ_METADATA_TABLE_PARTITIONS)
METADATA_COMMAND(cmd_metadata_log_entries, FRZ_METADATA_TABLE_METADATA_LOG_ENTRIES)

frz_status cmd_tree(cli_session *session, frz_error **err)
{
    frz_table *table = NULL;
    char *text = NULL;
    frz_status status = session_whole_table(session, &table, err);
    if (status == FRZ_OK)
        status = frz_table_tree(table, session->output == CLI_OUTPUT_JSON, &text, err);
    if (status == FRZ_OK)
        status = print_text(session, text, err);
    frz_table_free(table);
    return status;
}

static frz_status inspect_rows(cli_session *session, frz_io *io, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    bool limited = false;
    int64_t limit = 0;
    frz_status status = session_number(session, "--limit", &limited, &limit, err);
    if (status == FRZ_OK && limited && limit < 0)
        status = frz_error_raise(err, FRZ_INVALID, "--limit is at least 0");
    if (status == FRZ_OK)
        status = frz_inspect_rows(session->arguments[0], io, &rows, err);
    if (status == FRZ_OK && limited)
        status = frz_rows_limit(&rows, limit, err);
    if (status != FRZ_OK)
        return status;
    if (!session->output_given)
        session->output = CLI_OUTPUT_JSONL;
    return print_rows(session, &rows, err);
}

frz_status cmd_inspect(cli_session *session, frz_error **err)
{
    frz_io *io = NULL;
    char *text = NULL;
    frz_status status = session_io(session, &io, err);
    if (status != FRZ_OK)
        return status;
    if (session_flag(session, "--rows"))
        return inspect_rows(session, io, err);
    status =
        frz_inspect_file(session->arguments[0], io, session->output == CLI_OUTPUT_JSON, &text, err);
    return status == FRZ_OK ? print_text(session, text, err) : status;
}
