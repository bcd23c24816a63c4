#include "inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frazil/extend/io.h"

enum { SPOOL_STEP = 1 << 20 };

static const char stdin_name[] = "standard input";

static frz_status row_format(const cli_session *session, frz_row_format *out, frz_error **err)
{
    static const struct {
        const char *name;
        frz_row_format format;
    } formats[] = {{"parquet", FRZ_ROW_FORMAT_PARQUET},
                   {"avro", FRZ_ROW_FORMAT_AVRO},
                   {"arrow", FRZ_ROW_FORMAT_ARROW},
                   {"csv", FRZ_ROW_FORMAT_CSV},
                   {"jsonl", FRZ_ROW_FORMAT_JSONL}};
    const char *name = session_option(session, "--format");
    *out = FRZ_ROW_FORMAT_GUESS;
    if (!name)
        return FRZ_OK;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            *out = formats[i].format;
            return FRZ_OK;
        }
    }
    return frz_error_raise(err, FRZ_INVALID,
                           "--format is parquet, avro, arrow, csv or jsonl, not \"%s\"", name);
}

/* One character; \t and tab are the same. */
static frz_status one_character(const cli_session *session, const char *option, char *out,
                                frz_error **err)
{
    const char *text = session_option(session, option);
    if (!text)
        return FRZ_OK;
    if (strcmp(text, "\\t") == 0 || strcmp(text, "tab") == 0)
        text = "\t";
    if (strlen(text) != 1)
        return frz_error_raise(err, FRZ_INVALID, "%s is one character, or \\t, not \"%s\"", option,
                               text);
    *out = *text;
    return FRZ_OK;
}

frz_status inputs_options(const cli_session *session, frz_rows_options *out,
                          const char *nulls[INPUT_NULLS_MAX], frz_error **err)
{
    bool given = false;
    frz_rows_options options = FRZ_ROWS_OPTIONS_INIT;
    const size_t null_count = session_options(session, "--null", nulls, INPUT_NULLS_MAX);
    frz_status status = row_format(session, &options.format, err);
    if (status == FRZ_OK)
        status = one_character(session, "--delimiter", &options.csv.delimiter, err);
    if (status == FRZ_OK)
        status = one_character(session, "--quote", &options.csv.quote, err);
    if (status == FRZ_OK)
        status = session_number(session, "--sample-rows", &given, &options.sample_rows, err);
    if (status == FRZ_OK && options.sample_rows < 0)
        status = frz_error_raise(err, FRZ_INVALID, "--sample-rows is a number of rows; 0 is all");
    if (status == FRZ_OK && null_count > INPUT_NULLS_MAX)
        status =
            frz_error_raise(err, FRZ_INVALID, "--null is given at most %d times", INPUT_NULLS_MAX);
    options.case_insensitive = session_flag(session, "--ignore-case");
    options.csv.no_header = session_flag(session, "--no-header");
    options.csv.null_texts = nulls;
    options.csv.null_text_count = null_count;
    options.csv.date_format = session_option(session, "--date-format");
    options.csv.timestamp_format = session_option(session, "--timestamp-format");
    *out = options;
    return status;
}

static frz_status copy_bytes(int from, const char *name, frz_output *to, char *bytes,
                             frz_error **err)
{
    for (;;) {
        const ssize_t got = read(from, bytes, SPOOL_STEP);
        if (session_interrupted())
            return frz_error_raise(err, FRZ_CANCELLED, "cancelled; nothing was committed");
        if (got < 0 && errno != EINTR)
            return frz_error_raise(err, FRZ_IO, "%s: %s", name, strerror(errno));
        if (got == 0)
            return FRZ_OK;
        const frz_status status = got < 0 ? FRZ_OK : to->ops->write(to, bytes, (size_t)got, err);
        if (status != FRZ_OK)
            return status;
    }
}

/* Puts what comes from a descriptor into a file of the spool. */
static frz_status spool_bytes(cli_inputs *inputs, int from, const char *name, frz_error **err)
{
    frz_output *output = NULL;
    frz_status status = inputs->spool ? FRZ_OK : frz_io_scratch_new(NULL, &inputs->spool, err);
    if (status != FRZ_OK)
        return status;
    char *bytes = malloc(SPOOL_STEP);
    if (!bytes)
        return frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    status = inputs->spool->ops->create(inputs->spool, name, &output, err);
    if (status == FRZ_OK) {
        status = copy_bytes(from, name, output, bytes, err);
        if (status == FRZ_OK)
            status = output->ops->commit(output, err);
        else
            output->ops->abort(output);
    }
    free(bytes);
    return status;
}

static frz_status spool_stdin(cli_inputs *inputs, frz_error **err)
{
    if (inputs->stdin_taken)
        return frz_error_raise(err, FRZ_INVALID, "%s (-) can be given once", stdin_name);
    inputs->stdin_taken = true;
    return spool_bytes(inputs, STDIN_FILENO, stdin_name, err);
}

/* A pipe, as the shell's <(...) makes one, or a device: read once, from its start. */
static bool is_pipe(const char *name)
{
    struct stat about;
    return stat(name, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static frz_status spool_pipe(cli_inputs *inputs, const char *name, frz_error **err)
{
    const int from = open(name, O_RDONLY);
    if (from < 0)
        return frz_error_raise(err, FRZ_IO, "open %s: %s", name, strerror(errno));
    const frz_status status = spool_bytes(inputs, from, name, err);
    (void)close(from);
    return status;
}

static frz_status make_room(cli_inputs *inputs, size_t count, frz_error **err)
{
    inputs->streams = calloc(count, sizeof *inputs->streams);
    inputs->progress = calloc(count, sizeof *inputs->progress);
    inputs->names = calloc(count, sizeof *inputs->names);
    return inputs->streams && inputs->progress && inputs->names
               ? FRZ_OK
               : frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
}

static frz_status add_input(cli_session *session, const char *name, const frz_rows_options *options,
                            cli_inputs *inputs, frz_error **err)
{
    frz_io *io = NULL;
    struct ArrowArrayStream *stream = &inputs->streams[inputs->count];
    frz_status status = session_io(session, &io, err);
    if (status == FRZ_OK && strcmp(name, "-") == 0) {
        status = spool_stdin(inputs, err);
        io = inputs->spool;
        name = stdin_name;
    } else if (status == FRZ_OK && is_pipe(name)) {
        status = spool_pipe(inputs, name, err);
        io = inputs->spool;
    }
    if (status == FRZ_OK)
        status = frz_rows_open_with(name, options, io, stream, err);
    if (status != FRZ_OK)
        return status;
    inputs->names[inputs->count] = name;
    return print_progress(session, &inputs->progress[inputs->count++], "appended", stream, err);
}

frz_status inputs_open(cli_session *session, const frz_rows_options *options, cli_inputs *out,
                       frz_error **err)
{
    frz_status status = make_room(out, (size_t)session->argument_count, err);
    for (int i = 1; status == FRZ_OK && i < session->argument_count; i++)
        status = add_input(session, session->arguments[i], options, out, err);
    return status;
}

frz_status inputs_open_one(cli_session *session, const char *name, const frz_rows_options *options,
                           cli_inputs *out, frz_error **err)
{
    const frz_status status = make_room(out, 1, err);
    return status == FRZ_OK ? add_input(session, name, options, out, err) : status;
}

void inputs_close(cli_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->streams[i].release)
            inputs->streams[i].release(&inputs->streams[i]);
    for (size_t i = 0; i < inputs->count; i++)
        print_progress_end(&inputs->progress[i]);
    free(inputs->streams);
    free(inputs->progress);
    free(inputs->names);
    frz_io_free(inputs->spool);
    *inputs = (cli_inputs){0};
}
