#include "print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "batch.h"

void print_json_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            (void)fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            (void)fprintf(out, "\\u%04x", *c);
        else
            (void)fputc(*c, out);
    }
    (void)fputc('"', out);
}

void print_json_id(const cli_session *session, FILE *out, int64_t id)
{
    const char *quote = session_flag(session, "--json-ids") ? "\"" : "";
    (void)fprintf(out, "%s%" PRId64 "%s", quote, id, quote);
}

static frz_status fail_output(frz_error **err)
{
    return frz_error_raise(err, FRZ_IO, "write standard output: %s", strerror(errno));
}

frz_status print_flush(frz_error **err)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? FRZ_OK : fail_output(err);
}

static frz_status write_stdout(void *context, const void *bytes, size_t size, frz_error **err)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout) == size ? FRZ_OK : fail_output(err);
}

static int terminal_width(void)
{
    struct winsize size = {0};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

frz_row_format print_format(const cli_session *session)
{
    static const frz_row_format formats[] = {
        [CLI_OUTPUT_TABLE] = FRZ_ROW_FORMAT_TABLE,     [CLI_OUTPUT_JSON] = FRZ_ROW_FORMAT_JSON,
        [CLI_OUTPUT_JSONL] = FRZ_ROW_FORMAT_JSONL,     [CLI_OUTPUT_CSV] = FRZ_ROW_FORMAT_CSV,
        [CLI_OUTPUT_PARQUET] = FRZ_ROW_FORMAT_PARQUET, [CLI_OUTPUT_ARROW] = FRZ_ROW_FORMAT_ARROW,
    };
    return formats[session->output];
}

frz_status print_rows(const cli_session *session, struct ArrowArrayStream *rows, frz_error **err)
{
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    options.format = print_format(session);
    if (options.format == FRZ_ROW_FORMAT_ARROW && isatty(STDOUT_FILENO)) {
        rows->release(rows);
        return frz_error_raise(err, FRZ_INVALID,
                               "--output arrow wants a standard output that is no terminal");
    }
    options.ids_as_strings = session_flag(session, "--json-ids");
    options.color = session->color;
    options.width = terminal_width();
    const frz_status status = frz_rows_print(rows, &options, write_stdout, NULL, NULL, err);
    return status == FRZ_OK ? print_flush(err) : status;
}

static bool ends_with(const char *text, size_t size, const char *ending)
{
    const size_t length = strlen(ending);
    return size >= length && strncmp(text + size - length, ending, length) == 0;
}

/* Ids by their key, and every number that a double cannot hold (above 2^53: 16 digits). */
static bool is_wide(const char *key, size_t key_size, const char *number, size_t size)
{
    if (number[strspn(number, "-0123456789")] == '.')
        return false;
    return size >= 16 || ends_with(key, key_size, "snapshot_id") ||
           ends_with(key, key_size, "row_id");
}

/* The end of the string that opens at `text`, behind its closing quote. */
static const char *end_of_string(const char *text)
{
    for (text++; *text && *text != '"'; text++)
        if (*text == '\\' && text[1])
            text++;
    return *text ? text + 1 : text;
}

/* Our own JSON, with wide integers in quotes. */
static void print_quoted_ids(const char *json)
{
    const char *key = json;
    size_t key_size = 0;
    while (*json) {
        size_t size = 1;
        const char *quote = "";
        if (*json == '"') {
            size = (size_t)(end_of_string(json) - json);
            key = json + 1;
            key_size = size - 2;
        } else if (*json == '-' || (*json >= '0' && *json <= '9')) {
            size = strspn(json, "-+.eE0123456789");
            quote = is_wide(key, key_size, json, size) ? "\"" : "";
        }
        (void)printf("%s%.*s%s", quote, (int)size, json, quote);
        json += size;
    }
}

frz_status print_text(const cli_session *session, char *text, frz_error **err)
{
    const size_t size = strlen(text);
    if (session->output != CLI_OUTPUT_TABLE && session_flag(session, "--json-ids"))
        print_quoted_ids(text);
    else
        (void)fputs(text, stdout);
    if (size == 0 || text[size - 1] != '\n')
        (void)fputc('\n', stdout);
    frz_text_free(text);
    return print_flush(err);
}

void print_note(const cli_session *session, const char *format, ...)
{
    if (session->quiet)
        return;
    va_list args;
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
}

void print_commit_json(const cli_session *session, FILE *out, const frz_commit *commit)
{
    if (!commit || !commit->operation) {
        (void)fputs("\"snapshot_id\": null, \"operation\": null, \"summary\": {}", out);
        return;
    }
    (void)fputs("\"snapshot_id\": ", out);
    print_json_id(session, out, commit->snapshot_id);
    (void)fprintf(out,
                  ", \"sequence_number\": %" PRId64 ", \"operation\": ", commit->sequence_number);
    print_json_text(out, commit->operation);
    (void)fputs(", \"summary\": {", out);
    for (size_t i = 0; i < commit->summary_count; i++) {
        (void)fputs(i ? ", " : "", out);
        print_json_text(out, commit->summary[i].key);
        (void)fputs(": ", out);
        print_json_text(out, commit->summary[i].value);
    }
    (void)fprintf(out, "}%s", commit->already_committed ? ", \"already_committed\": true" : "");
}

frz_status print_commit(cli_session *session, const frz_commit *commit, frz_error **err)
{
    if (session->batch)
        return batch_record_commit(session, commit, err);
    if (session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL) {
        (void)fputc('{', stdout);
        print_commit_json(session, stdout, commit);
        (void)fputs("}\n", stdout);
    } else if (!commit || !commit->operation) {
        (void)puts("nothing to commit: no row is affected");
    } else if (commit->already_committed) {
        (void)printf("already committed as snapshot %" PRId64 "\n", commit->snapshot_id);
    } else {
        (void)printf("snapshot %" PRId64 "\noperation %s\n", commit->snapshot_id,
                     commit->operation);
        for (size_t i = 0; i < commit->summary_count; i++)
            (void)printf("  %-28s %s\n", commit->summary[i].key, commit->summary[i].value);
    }
    return print_flush(err);
}

enum { PROGRESS_STEP = 100000 };

static frz_status show_progress(void *context, int64_t rows, frz_error **err)
{
    cli_progress *progress = context;
    if (session_interrupted())
        return frz_error_raise(err, FRZ_CANCELLED, "interrupted; nothing was changed");
    if (progress->shows && rows - progress->shown >= PROGRESS_STEP) {
        (void)fprintf(stderr, "\r%s %" PRId64 " rows", progress->verb, rows);
        progress->shown = rows;
    }
    return FRZ_OK;
}

void print_progress_end(const cli_progress *progress)
{
    if (progress->shown)
        (void)fputs("\r\033[K", stderr);
}

frz_status print_progress(const cli_session *session, cli_progress *progress, const char *verb,
                          struct ArrowArrayStream *rows, frz_error **err)
{
    *progress = (cli_progress){.verb = verb, .shows = !session->quiet && isatty(STDERR_FILENO)};
    return frz_rows_watch(rows, show_progress, progress, err);
}
