/*
 * Commands on rows: scan, count, plan.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "print.h"
#include "verbs.h"
#include "writing.h"

/* A scan and what its options borrow. */
typedef struct scan_setup {
    frz_table *table;
    frz_scan *scan;
    char *identifier;
    cli_columns columns;
    char *name_mapping; /* contents of the --name-mapping file */
} scan_setup;

static void close_scan(scan_setup *setup)
{
    frz_scan_free(setup->scan);
    frz_table_free(setup->table);
    free(setup->identifier);
    columns_clear(&setup->columns);
    free(setup->name_mapping);
}

static frz_status read_mapping(FILE *file, const char *path, char **out, frz_error **err)
{
    const size_t room = (size_t)16 << 20;
    char *text = malloc(room + 1);
    if (!text)
        return frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    const size_t size = fread(text, 1, room, file);
    const bool whole = feof(file) != 0;
    text[size] = '\0';
    *out = text;
    if (!whole)
        return frz_error_raise(err, ferror(file) ? FRZ_IO : FRZ_INVALID, "read %s: %s", path,
                               ferror(file) ? strerror(errno) : "longer than 16 MiB");
    if (strlen(text) != size)
        return frz_error_raise(err, FRZ_INVALID, "%s holds a zero byte", path);
    return FRZ_OK;
}

static frz_status load_mapping(const cli_session *session, scan_setup *setup, frz_error **err)
{
    const char *path = session_option(session, "--name-mapping");
    if (!path)
        return FRZ_OK;
    FILE *file = fopen(path, "rb");
    if (!file)
        return frz_error_raise(err, errno == ENOENT ? FRZ_NOT_FOUND : FRZ_IO, "open %s: %s", path,
                               strerror(errno));
    const frz_status status = read_mapping(file, path, &setup->name_mapping, err);
    (void)fclose(file);
    return status;
}

/* --from ID, and --to ID behind it, which is a file's name without. */
static frz_status increment_options(const cli_session *session, frz_scan_options *options,
                                    frz_error **err)
{
    frz_snapshot_selector *at = &options->at;
    frz_status status = session_number(session, "--from", &options->has_from_snapshot_id,
                                       &options->from_snapshot_id, err);
    if (status != FRZ_OK || !session_option(session, "--to"))
        return status;
    if (!options->has_from_snapshot_id)
        return strcmp(session->command->name, "scan") == 0
                   ? FRZ_OK
                   : frz_error_raise(err, FRZ_INVALID, "--to ID wants --from ID");
    if (at->has_snapshot_id || at->has_as_of_ms || at->ref)
        return frz_error_raise(err, FRZ_INVALID,
                               "the last snapshot is given by --to, or by --snapshot-id, --as-of, "
                               "--ref or TABLE@REF, not by several");
    return session_number(session, "--to", &at->has_snapshot_id, &at->snapshot_id, err);
}

/* The file that rows go to; NULL = standard output. */
static const char *output_file(const cli_session *session)
{
    return session_option(session, "--from") ? NULL : session_option(session, "--to");
}

static frz_status scan_options(cli_session *session, scan_setup *setup, const char *ref,
                               frz_scan_options *options, frz_error **err)
{
    bool given = false;
    int64_t threads = 0;
    options->where = session_option(session, "--where");
    frz_status status = session_selector(session, ref, &options->at, err);
    if (status == FRZ_OK)
        status = increment_options(session, options, err);
    if (status == FRZ_OK)
        status = session_number(session, "--limit", &given, &options->limit, err);
    if (status == FRZ_OK && options->limit < 0)
        status = frz_error_raise(err, FRZ_INVALID, "--limit is at least 0");
    if (status == FRZ_OK)
        status = session_number(session, "--threads", &given, &threads, err);
    if (status == FRZ_OK && (threads < 0 || threads > 1024))
        status = frz_error_raise(err, FRZ_INVALID, "--threads is 1 to 1024");
    options->threads = (int32_t)threads;
    options->no_pruning = session_flag(session, "--no-pruning");
    if (status == FRZ_OK)
        status = columns_read(session, &setup->columns, err);
    options->select = setup->columns.names;
    options->select_count = setup->columns.count;
    if (status == FRZ_OK)
        status = load_mapping(session, setup, err);
    options->name_mapping = setup->name_mapping;
    return status;
}

static frz_status open_scan(cli_session *session, scan_setup *setup, frz_error **err)
{
    const char *ref = NULL;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_status status =
        session_table(session, session->arguments[0], &setup->table, &setup->identifier, &ref, err);
    if (status == FRZ_OK)
        status = scan_options(session, setup, ref, &options, err);
    if (status == FRZ_OK)
        status = frz_scan_new(setup->table, &options, &setup->scan, err);
    return status;
}

static frz_status write_file(const cli_session *session, struct ArrowArrayStream *rows,
                             const char *to, int64_t *count_out, frz_error **err)
{
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    options.format = session->output_given ? print_format(session) : FRZ_ROW_FORMAT_GUESS;
    options.ids_as_strings = session_flag(session, "--json-ids");
    cli_progress progress;
    frz_status status = print_progress(session, &progress, "wrote", rows, err);
    if (status == FRZ_OK)
        status = frz_rows_write_file(rows, to, &options, session->local, count_out, err);
    print_progress_end(&progress);
    return status;
}

static frz_status scan_to_file(const cli_session *session, struct ArrowArrayStream *rows,
                               const char *to, frz_error **err)
{
    int64_t count = 0;
    (void)session_watch_signals();
    const frz_status status = write_file(session, rows, to, &count, err);
    if (status == FRZ_OK)
        print_note(session, "wrote %" PRId64 " rows to %s", count, to);
    return status;
}

static frz_status copy_to_stdout(const char *path, frz_error **err)
{
    char bytes[65536];
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return frz_error_raise(err, FRZ_IO, "open %s: %s", path, strerror(errno));
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        (void)fwrite(bytes, 1, size, stdout);
    const bool failed = ferror(file) != 0;
    (void)fclose(file);
    return failed ? frz_error_raise(err, FRZ_IO, "read %s: %s", path, strerror(errno))
                  : print_flush(err);
}

/* Parquet ends with its footer, whose offsets want a file: made in a folder of its own. */
static frz_status scan_parquet(const cli_session *session, struct ArrowArrayStream *rows,
                               frz_error **err)
{
    char folder[4096];
    char path[sizeof folder + 16];
    int64_t count = 0;
    const char *temporary = getenv("TMPDIR");
    const int size = snprintf(folder, sizeof folder, "%s/frazil-XXXXXX",
                              temporary && *temporary ? temporary : "/tmp");
    if (size < 0 || (size_t)size >= sizeof folder || !mkdtemp(folder)) {
        rows->release(rows);
        return frz_error_raise(err, FRZ_IO, "make a folder in TMPDIR: %s", strerror(errno));
    }
    (void)snprintf(path, sizeof path, "%s/rows.parquet", folder);
    (void)session_watch_signals();
    frz_status status = write_file(session, rows, path, &count, err);
    if (status == FRZ_OK)
        status = copy_to_stdout(path, err);
    (void)unlink(path);
    (void)rmdir(folder);
    return status;
}

static frz_status print_scan(cli_session *session, scan_setup *setup, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    const char *to = output_file(session);
    const char *limit = session_option(session, "--limit");
    frz_status status = frz_scan_stream(setup->scan, &rows, err);
    if (status == FRZ_OK && limit && strtoll(limit, NULL, 10) == 0)
        status = frz_rows_limit(&rows, 0, err);
    if (status != FRZ_OK)
        return status;
    if (to)
        return scan_to_file(session, &rows, to, err);
    return session->output == CLI_OUTPUT_PARQUET ? scan_parquet(session, &rows, err)
                                                 : print_rows(session, &rows, err);
}

frz_status cmd_scan(cli_session *session, frz_error **err)
{
    scan_setup setup = {0};
    if (session->output == CLI_OUTPUT_PARQUET && isatty(STDOUT_FILENO) && !output_file(session))
        return frz_error_raise(err, FRZ_INVALID,
                               "--output parquet wants --to FILE, or a standard output that is no "
                               "terminal");
    frz_status status = open_scan(session, &setup, err);
    if (status == FRZ_OK)
        status = print_scan(session, &setup, err);
    close_scan(&setup);
    return status;
}

frz_status cmd_count(cli_session *session, frz_error **err)
{
    scan_setup setup = {0};
    int64_t count = 0;
    frz_status status = open_scan(session, &setup, err);
    if (status == FRZ_OK)
        status = frz_scan_count(setup.scan, &count, err);
    close_scan(&setup);
    if (status != FRZ_OK)
        return status;
    if (session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL)
        (void)printf("{\"count\": %" PRId64 "}\n", count);
    else
        (void)printf("%" PRId64 "\n", count);
    return print_flush(err);
}

frz_status cmd_plan(cli_session *session, frz_error **err)
{
    scan_setup setup = {0};
    frz_plan *plan = NULL;
    char *text = NULL;
    frz_status status = open_scan(session, &setup, err);
    if (status == FRZ_OK)
        status = frz_scan_plan(setup.scan, &plan, err);
    if (status == FRZ_OK)
        status = frz_plan_explain(plan, session->output == CLI_OUTPUT_JSON, &text, err);
    if (status == FRZ_OK)
        status = print_text(session, text, err);
    frz_plan_free(plan);
    close_scan(&setup);
    return status;
}
