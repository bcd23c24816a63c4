/*
 * Commands that load what is there already: add-files, register.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "verbs.h"
#include "writing.h"

static void note_report(const cli_session *session, const frz_add_files_report *report)
{
    if (report->file_count)
        print_note(session, "added %" PRId64 " files of %" PRId64 " rows", report->file_count,
                   report->row_count);
    if (report->live_count)
        print_note(session, "passed over %" PRId64 " files that the table has already",
                   report->live_count);
    if (report->empty_count)
        print_note(session, "passed over %" PRId64 " files without rows", report->empty_count);
    if (report->file_count && report->made_name_mapping)
        print_note(session, "set schema.name-mapping.default: files without field ids are read by "
                            "the names of their columns");
    if (report->outside_count)
        print_note(session,
                   "%" PRId64 " files lie outside of the table's location: they belong to the "
                   "table now, and drop table --purge removes them",
                   report->outside_count);
}

frz_status cmd_register(cli_session *session, frz_error **err)
{
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;
    const char *name = session->arguments[0];
    frz_status status = session_new_name(name, err);
    if (status == FRZ_OK)
        status = session_catalog(session, &catalog, err);
    if (status == FRZ_OK)
        status = frz_catalog_register(catalog, name, session->arguments[1], &table, err);
    if (status != FRZ_OK)
        return status;
    if (session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL) {
        (void)fputs("{\"table\": ", stdout);
        print_json_text(stdout, name);
        (void)printf(", \"format_version\": %d, \"uuid\": ", frz_table_format_version(table));
        if (frz_table_uuid(table))
            print_json_text(stdout, frz_table_uuid(table));
        else
            (void)fputs("null", stdout);
        (void)fputs(", \"metadata_location\": ", stdout);
        print_json_text(stdout, frz_table_metadata_location(table));
        (void)fputs("}\n", stdout);
    } else {
        (void)printf("registered table %s at %s\n", name, frz_table_metadata_location(table));
    }
    frz_table_free(table);
    return print_flush(err);
}

frz_status cmd_add_files(cli_session *session, frz_error **err)
{
    cli_writing writing = {0};
    frz_commit *commit = NULL;
    frz_option *partition = NULL;
    frz_add_files_report report = FRZ_ADD_FILES_REPORT_INIT;
    frz_add_files_options how = FRZ_ADD_FILES_OPTIONS_INIT;
    frz_status status =
        session_properties(session, "--partition", &partition, &how.partition_count, err);
    how.partition = partition;
    how.name_mapping = session_flag(session, "--name-mapping");
    how.skip_live = session_flag(session, "--skip-live");
    how.report = &report;
    if (status == FRZ_OK)
        status = writing_open(session, &writing, err);
    if (status == FRZ_OK)
        status = frz_table_add_files(writing.table, (const char *const *)session->arguments + 1,
                                     (size_t)session->argument_count - 1, &how, &writing.options,
                                     &commit, err);
    if (status == FRZ_OK)
        status = print_commit(session, commit, err);
    if (status == FRZ_OK)
        note_report(session, &report);
    frz_commit_free(commit);
    writing_close(&writing);
    free(partition);
    return status;
}
