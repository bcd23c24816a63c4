/*
 * Commands that load what is there already: add-files, register.
 */
#include <inttypes.h>
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

frz_status cmd_add_files(cli_session *session, frz_error **err)
{
    cli_writing writing = {0};
    frz_commit *commit = NULL;
    frz_option *partition = NULL;
    frz_add_files_report report = {0};
    frz_add_files_options how = FRZ_ADD_FILES_OPTIONS_INIT;
    frz_status status =
        session_properties(session, "--partition", &partition, &how.partition_count, err);
    how.partition = partition;
    how.name_mapping = session_flag(session, "--name-mapping");
    how.skip_live = session_flag(session, "--skip-live");
    if (status == FRZ_OK)
        status = writing_open(session, &writing, err);
    if (status == FRZ_OK)
        status = frz_table_add_files(writing.table, (const char *const *)session->arguments + 1,
                                     (size_t)session->argument_count - 1, &how, &writing.options,
                                     &report, &commit, err);
    if (status == FRZ_OK)
        status = print_commit(session, commit, err);
    if (status == FRZ_OK)
        note_report(session, &report);
    frz_commit_free(commit);
    writing_close(&writing);
    free(partition);
    return status;
}
