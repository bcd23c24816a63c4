/*
 * frazil verify: what was found, and what was looked at.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "verbs.h"

static const char *severity_word(const frz_finding *finding)
{
    return finding->severity == FRZ_SEVERITY_ERROR ? "error" : "warning";
}

static void print_member(const char *key, const char *value)
{
    (void)printf(", \"%s\": ", key);
    if (value)
        print_json_text(stdout, value);
    else
        (void)fputs("null", stdout);
}

static void print_finding_json(const cli_session *session, const frz_finding *finding)
{
    (void)fputs("{\"rule\": ", stdout);
    print_json_text(stdout, finding->rule);
    print_member("severity", severity_word(finding));
    (void)fputs(", \"snapshot_id\": ", stdout);
    if (finding->snapshot_id < 0)
        (void)fputs("null", stdout);
    else
        print_json_id(session, stdout, finding->snapshot_id);
    print_member("manifest", finding->manifest);
    print_member("path", finding->path);
    if (finding->entry < 0)
        (void)fputs(", \"entry\": null", stdout);
    else
        (void)printf(", \"entry\": %" PRId64, finding->entry);
    print_member("expected", finding->expected);
    print_member("found", finding->found);
    (void)fputs("}", stdout);
}

static void print_finding_text(const frz_finding *finding)
{
    (void)printf("%s %s: expected %s; found %s\n", severity_word(finding), finding->rule,
                 finding->expected, finding->found);
    if (finding->snapshot_id >= 0)
        (void)printf("    snapshot %" PRId64 "\n", finding->snapshot_id);
    if (finding->manifest)
        (void)printf("    manifest %s\n", finding->manifest);
    if (finding->entry >= 0)
        (void)printf("    entry    %" PRId64 "\n", finding->entry);
    if (finding->path)
        (void)printf("    file     %s\n", finding->path);
}

static void print_report_json(const cli_session *session, const frz_verify_report *report)
{
    const frz_verify_counts *counts = frz_verify_report_counts(report);
    const frz_finding *finding = NULL;
    (void)printf("{\"errors\": %" PRId64 ", \"warnings\": %" PRId64 ", \"checked\": {",
                 frz_verify_report_count(report, FRZ_SEVERITY_ERROR),
                 frz_verify_report_count(report, FRZ_SEVERITY_WARNING));
    (void)printf("\"snapshots\": %" PRId64 ", \"manifests\": %" PRId64 ", \"entries\": %" PRId64
                 ", \"files\": %" PRId64 ", \"files_read\": %" PRId64 ", \"rows_read\": %" PRId64
                 ", \"vectors_read\": %" PRId64 "}, \"findings\": [",
                 counts->snapshots, counts->manifests, counts->entries, counts->files,
                 counts->files_read, counts->rows_read, counts->vectors_read);
    for (size_t i = 0; (finding = frz_verify_report_at(report, i)); i++) {
        (void)fputs(i ? ", " : "", stdout);
        print_finding_json(session, finding);
    }
    (void)fputs("]}\n", stdout);
}

static void print_report_text(const frz_verify_report *report, bool deep)
{
    const frz_verify_counts *counts = frz_verify_report_counts(report);
    const frz_finding *finding = NULL;
    size_t shown = 0;
    for (; (finding = frz_verify_report_at(report, shown)); shown++)
        print_finding_text(finding);
    const int64_t errors = frz_verify_report_count(report, FRZ_SEVERITY_ERROR);
    const int64_t warnings = frz_verify_report_count(report, FRZ_SEVERITY_WARNING);
    if (errors + warnings > (int64_t)shown)
        (void)printf("... and %" PRId64 " more\n", errors + warnings - (int64_t)shown);
    (void)printf("checked %" PRId64 " snapshots, %" PRId64 " manifests, %" PRId64
                 " entries, %" PRId64 " files",
                 counts->snapshots, counts->manifests, counts->entries, counts->files);
    if (deep)
        (void)printf("; read %" PRId64 " files with %" PRId64 " rows and %" PRId64
                     " deletion vectors",
                     counts->files_read, counts->rows_read, counts->vectors_read);
    (void)printf(": %" PRId64 " errors, %" PRId64 " warnings\n", errors, warnings);
}

static frz_status print_report(const cli_session *session, const frz_verify_report *report,
                               frz_error **err)
{
    const frz_finding *finding = NULL;
    switch (session->output) {
    case CLI_OUTPUT_JSON:
        print_report_json(session, report);
        break;
    case CLI_OUTPUT_JSONL:
        for (size_t i = 0; (finding = frz_verify_report_at(report, i)); i++) {
            print_finding_json(session, finding);
            (void)fputs("\n", stdout);
        }
        break;
    case CLI_OUTPUT_TABLE:
        print_report_text(report, session_flag(session, "--deep"));
        break;
    case CLI_OUTPUT_CSV:
    case CLI_OUTPUT_PARQUET:
    case CLI_OUTPUT_ARROW:
        return frz_error_raise(err, FRZ_INVALID, "verify prints table, json or jsonl");
    }
    return print_flush(err);
}

static frz_status judge(const cli_session *session, const frz_verify_report *report,
                        frz_error **err)
{
    const int64_t errors = frz_verify_report_count(report, FRZ_SEVERITY_ERROR);
    const int64_t warnings = frz_verify_report_count(report, FRZ_SEVERITY_WARNING);
    if (errors || (warnings && session_flag(session, "--strict")))
        return frz_error_raise(err, FRZ_CORRUPT,
                               "%s is not sound: %" PRId64 " errors, %" PRId64 " warnings",
                               session->arguments[0], errors, warnings);
    return FRZ_OK;
}

static frz_status read_options(const cli_session *session, const char *ref, frz_verify_options *out,
                               frz_error **err)
{
    bool given = false;
    int64_t threads = 0;
    bool limited = false;
    int64_t limit = 0;
    frz_status status = session_selector(session, ref, &out->at, err);
    out->deep = session_flag(session, "--deep");
    out->branch = session_option(session, "--branch");
    if (status == FRZ_OK)
        status = session_number(session, "--limit", &limited, &limit, err);
    if (status == FRZ_OK && limited && limit < 1)
        return frz_error_raise(err, FRZ_INVALID, "--limit is at least 1");
    out->finding_limit = (size_t)limit;
    if (status == FRZ_OK)
        status = session_number(session, "--threads", &given, &threads, err);
    if (status == FRZ_OK && (threads < 0 || threads > 1024))
        return frz_error_raise(err, FRZ_INVALID, "--threads is 1 to 1024");
    out->threads = (int32_t)threads;
    return status;
}

frz_status cmd_verify(cli_session *session, frz_error **err)
{
    frz_table *table = NULL;
    frz_verify_report *report = NULL;
    char *identifier = NULL;
    const char *ref = NULL;
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    frz_status status =
        session_table(session, session->arguments[0], &table, &identifier, &ref, err);
    if (status == FRZ_OK)
        status = read_options(session, ref, &options, err);
    if (status == FRZ_OK)
        status = frz_table_verify(table, &options, &report, err);
    if (status == FRZ_OK)
        status = print_report(session, report, err);
    if (status == FRZ_OK)
        status = judge(session, report, err);
    frz_verify_report_free(report);
    frz_table_free(table);
    free(identifier);
    return status;
}
