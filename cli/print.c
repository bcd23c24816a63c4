#include "print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

frz_status print_rows(const cli_session *session, struct ArrowArrayStream *rows, frz_error **err)
{
    static const frz_row_format formats[] = {
        [CLI_OUTPUT_TABLE] = FRZ_ROW_FORMAT_TABLE,     [CLI_OUTPUT_JSON] = FRZ_ROW_FORMAT_JSON,
        [CLI_OUTPUT_JSONL] = FRZ_ROW_FORMAT_JSONL,     [CLI_OUTPUT_CSV] = FRZ_ROW_FORMAT_CSV,
        [CLI_OUTPUT_PARQUET] = FRZ_ROW_FORMAT_PARQUET,
    };
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    options.format = formats[session->output];
    options.ids_as_strings = session_flag(session, "--json-ids");
    options.color = session->color;
    options.width = terminal_width();
    const frz_status status = frz_rows_print(rows, &options, write_stdout, NULL, NULL, err);
    return status == FRZ_OK ? print_flush(err) : status;
}

frz_status print_text(char *text, frz_error **err)
{
    const size_t size = strlen(text);
    frz_status status = write_stdout(NULL, text, size, err);
    if (status == FRZ_OK && (size == 0 || text[size - 1] != '\n'))
        status = write_stdout(NULL, "\n", 1, err);
    frz_text_free(text);
    return status == FRZ_OK ? print_flush(err) : status;
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

static void print_commit_json(const cli_session *session, const frz_commit *commit)
{
    if (!commit || !commit->operation) {
        (void)fputs("{\"snapshot_id\": null, \"operation\": null, \"summary\": {}}\n", stdout);
        return;
    }
    (void)fputs("{\"snapshot_id\": ", stdout);
    print_json_id(session, stdout, commit->snapshot_id);
    (void)printf(", \"sequence_number\": %" PRId64 ", \"operation\": ", commit->sequence_number);
    print_json_text(stdout, commit->operation);
    (void)fputs(", \"summary\": {", stdout);
    for (size_t i = 0; i < commit->summary_count; i++) {
        (void)fputs(i ? ", " : "", stdout);
        print_json_text(stdout, commit->summary[i].key);
        (void)fputs(": ", stdout);
        print_json_text(stdout, commit->summary[i].value);
    }
    (void)fputs("}}\n", stdout);
}

frz_status print_commit(const cli_session *session, const frz_commit *commit, frz_error **err)
{
    if (session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL) {
        print_commit_json(session, commit);
    } else if (!commit || !commit->operation) {
        (void)puts("nothing to commit: no row is affected");
    } else {
        (void)printf("snapshot %" PRId64 "\noperation %s\n", commit->snapshot_id,
                     commit->operation);
        for (size_t i = 0; i < commit->summary_count; i++)
            (void)printf("  %-28s %s\n", commit->summary[i].key, commit->summary[i].value);
    }
    return print_flush(err);
}

/* The stream that counts what passes through it. */
typedef struct progress_stream {
    struct ArrowArrayStream inner;
    const char *verb;
    int64_t rows;
    int64_t shown;
} progress_stream;

static int progress_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    progress_stream *progress = stream->private_data;
    return progress->inner.get_schema(&progress->inner, out);
}

static int progress_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    progress_stream *progress = stream->private_data;
    const int code = progress->inner.get_next(&progress->inner, out);
    if (code == 0 && out->release) {
        progress->rows += out->length;
        if (progress->rows - progress->shown >= 100000) {
            (void)fprintf(stderr, "\r%s %" PRId64 " rows", progress->verb, progress->rows);
            progress->shown = progress->rows;
        }
    }
    return code;
}

static const char *progress_error(struct ArrowArrayStream *stream)
{
    progress_stream *progress = stream->private_data;
    return progress->inner.get_last_error(&progress->inner);
}

static void progress_release(struct ArrowArrayStream *stream)
{
    progress_stream *progress = stream->private_data;
    if (progress->shown)
        (void)fprintf(stderr, "\r\033[K");
    progress->inner.release(&progress->inner);
    free(progress);
    stream->release = NULL;
}

frz_status print_progress(const cli_session *session, struct ArrowArrayStream *rows,
                          const char *verb, frz_error **err)
{
    if (session->quiet || !isatty(STDERR_FILENO))
        return FRZ_OK;
    progress_stream *progress = calloc(1, sizeof *progress);
    if (!progress)
        return frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    progress->inner = *rows;
    progress->verb = verb;
    *rows = (struct ArrowArrayStream){.get_schema = progress_schema,
                                      .get_next = progress_next,
                                      .get_last_error = progress_error,
                                      .release = progress_release,
                                      .private_data = progress};
    return FRZ_OK;
}
