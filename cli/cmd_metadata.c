/*
 * Commands that show metadata: the metadata tables, tree and inspect.
 */
#include <stdlib.h>

#include "columns.h"
#include "print.h"
#include "verbs.h"

static frz_status row_limit(const cli_session *session, bool *given_out, int64_t *out,
                            frz_error **err)
{
    const frz_status status = session_number(session, "--limit", given_out, out, err);
    if (status == FRZ_OK && *given_out && *out < 0)
        return frz_error_raise(err, FRZ_INVALID, "--limit is at least 0");
    return status;
}

static frz_status print_limited(cli_session *session, struct ArrowArrayStream *rows, bool limited,
                                int64_t limit, frz_error **err)
{
    const frz_status status = limited ? frz_rows_limit(rows, limit, err) : FRZ_OK;
    return status == FRZ_OK ? print_rows(session, rows, err) : status;
}

static frz_status print_table(cli_session *session, frz_metadata_table kind, frz_error **err)
{
    frz_table *table = NULL;
    char *identifier = NULL;
    const char *ref = NULL;
    bool limited = false;
    int64_t limit = 0;
    cli_columns columns = {0};
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    frz_status status = row_limit(session, &limited, &limit, err);
    if (status == FRZ_OK)
        status = columns_read(session, &columns, err);
    options.where = session_option(session, "--where");
    options.select = columns.names;
    options.select_count = columns.count;
    if (status == FRZ_OK)
        status = session_table(session, session->arguments[0], &table, &identifier, &ref, err);
    if (status == FRZ_OK)
        status = session_selector(session, ref, &options.at, err);
    if (status == FRZ_OK)
        status = frz_table_metadata_stream(table, kind, &options, &rows, err);
    if (status == FRZ_OK)
        status = print_limited(session, &rows, limited, limit, err);
    frz_table_free(table);
    columns_clear(&columns);
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
METADATA_COMMAND(cmd_all_files, FRZ_METADATA_TABLE_ALL_FILES)
METADATA_COMMAND(cmd_all_data_files, FRZ_METADATA_TABLE_ALL_DATA_FILES)
METADATA_COMMAND(cmd_all_delete_files, FRZ_METADATA_TABLE_ALL_DELETE_FILES)
METADATA_COMMAND(cmd_all_manifests, FRZ_METADATA_TABLE_ALL_MANIFESTS)
METADATA_COMMAND(cmd_all_entries, FRZ_METADATA_TABLE_ALL_ENTRIES)
METADATA_COMMAND(cmd_position_deletes, FRZ_METADATA_TABLE_POSITION_DELETES)

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
    frz_status status = row_limit(session, &limited, &limit, err);
    if (status == FRZ_OK)
        status = frz_inspect_rows(session->arguments[0], io, &rows, err);
    if (status != FRZ_OK)
        return status;
    if (!session->output_given)
        session->output = CLI_OUTPUT_JSONL;
    return print_limited(session, &rows, limited, limit, err);
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
    if (!text)
        return status;
    const frz_status printed = print_text(session, text, status == FRZ_OK ? err : NULL);
    return status == FRZ_OK ? printed : status; /* a broken file is shown as far as it was sound */
}
