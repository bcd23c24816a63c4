/*
 * frazil: the command. Parses the words, runs the row of the command table that they name, and
 * turns the status into an exit code (docs: "Exit status" of the manual page).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "parse.h"
#include "print.h"
#include "session.h"

enum {
    EXIT_USAGE = 2,
    EXIT_CONFLICT = 3,
    EXIT_NOT_FOUND = 4,
    EXIT_PERMISSION = 5,
    EXIT_UNKNOWN_STATE = 6,
    EXIT_CORRUPT = 7,
    EXIT_NETWORK = 8,
    EXIT_INTERRUPTED = 130
};

static int exit_code(frz_status status)
{
    switch (status) {
    case FRZ_OK:
    case FRZ_END:
        return EXIT_SUCCESS;
    case FRZ_INVALID:
        return EXIT_USAGE;
    case FRZ_CONFLICT:
        return EXIT_CONFLICT;
    case FRZ_NOT_FOUND:
        return EXIT_NOT_FOUND;
    case FRZ_PERMISSION:
        return EXIT_PERMISSION;
    case FRZ_UNKNOWN_STATE:
        return EXIT_UNKNOWN_STATE;
    case FRZ_CORRUPT:
    case FRZ_UNSUPPORTED:
        return EXIT_CORRUPT;
    case FRZ_NETWORK:
        return EXIT_NETWORK;
    case FRZ_CANCELLED:
        return session_interrupted() ? EXIT_INTERRUPTED : EXIT_FAILURE;
    case FRZ_NO_MEMORY:
    case FRZ_IO:
    case FRZ_ALREADY_EXISTS:
        return EXIT_FAILURE;
    }
    return EXIT_FAILURE;
}

/* An error about the table's name quotes it: table "a..b" has an empty level. */
static bool quotes_argument(const cli_session *session, const frz_error *err)
{
    const char *argument = session->argument_count ? session->arguments[0] : "";
    const char *found = strstr(frz_error_message(err), argument);
    for (; *argument && found; found = strstr(found + 1, argument))
        if (found > frz_error_message(err) && found[-1] == '"' && found[strlen(argument)] == '"')
            return true;
    return false;
}

/* The value of an option that was given once: which of several an error is about is not known. */
static const char *only_value(const cli_session *session, const char *name)
{
    const char *found = NULL;
    for (size_t i = 0; i < session->given_count; i++) {
        if (strcmp(session->given[i].name, name) != 0)
            continue;
        if (found)
            return NULL;
        found = session->given[i].value;
    }
    return found;
}

/* The text in which an error points at a column, when it is about one of the options. */
static const char *pointed_text(const cli_session *session, const frz_error *err, uint64_t *column)
{
    static const char *const names[] = {"--where", "--schema", "--partition", "--sort"};
    if (frz_error_status(err) != FRZ_INVALID || !frz_error_offset(err, column))
        return NULL;
    if (quotes_argument(session, err))
        return NULL;
    if (strstr(frz_error_message(err), ": set: "))
        return only_value(session, "--set");
    if (strstr(frz_error_message(err), ": and: "))
        return only_value(session, "--and");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = session_option(session, names[i]);
        if (text && *column <= strlen(text) && strstr(frz_error_message(err), names[i] + 2))
            return text;
    }
    return session_option(session, "--where");
}

/* Characters before a byte: the continuation bytes of UTF-8 (10xxxxxx) take no column. */
static int shown_columns(const char *text, uint64_t size)
{
    int columns = 0;
    for (uint64_t i = 0; i < size; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

static void report_json(const frz_error *err, frz_status status)
{
    uint64_t offset = 0;
    (void)fputs("{\"error\": {\"status\": ", stderr);
    print_json_text(stderr, frz_status_name(status));
    (void)fputs(", \"message\": ", stderr);
    print_json_text(stderr, frz_error_message(err));
    if (frz_error_offset(err, &offset))
        (void)fprintf(stderr, ", \"offset\": %llu", (unsigned long long)offset);
    if (frz_error_origin(err))
        (void)fprintf(stderr, ", \"origin\": %d", frz_error_origin(err));
    (void)fprintf(stderr, ", \"exit\": %d}}\n", exit_code(status));
}

/* Of these verbs another run reads what the other commit left. */
static bool may_run_again(const cli_session *session, frz_status status)
{
    static const char *const names[] = {"delete", "truncate",  "update",
                                        "merge",  "overwrite", "upsert"};
    for (size_t i = 0; status == FRZ_CONFLICT && i < sizeof names / sizeof *names; i++)
        if (session->command && strcmp(session->command->name, names[i]) == 0)
            return true;
    return false;
}

static void report_error(const cli_session *session, const frz_error *err, frz_status status)
{
    uint64_t column = 0;
    const bool json = session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL;
    if (json && session->output_given) {
        report_json(err, status);
        return;
    }
    (void)fprintf(stderr, "frazil: %s\n", frz_error_message(err));
    const char *text = pointed_text(session, err, &column);
    if (text && column <= strlen(text) && !strchr(text, '\n'))
        (void)fprintf(stderr, "  %s\n  %*s^\n", text, shown_columns(text, column), "");
    if (may_run_again(session, status))
        (void)fputs("  nothing was changed: run it again, on what is there now\n", stderr);
}

static frz_status run(cli_session *session, int argc, char **argv, frz_error **err)
{
    frz_status status = parse_words(session, argc, argv, err);
    if (status == FRZ_OK && session_flag(session, "--help")) {
        help_command(session->command);
        return print_flush(err);
    }
    if (status == FRZ_OK)
        status = parse_check_arguments(session, err);
    return status == FRZ_OK ? session->command->run(session, err) : status;
}

int main(int argc, char **argv)
{
    frz_error *err = NULL;
    cli_session session = {0};

    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        (void)printf("frazil %s\n", frz_version());
        return EXIT_SUCCESS;
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_overview(argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_SUCCESS;
    }
    const frz_status status = run(&session, argc - 1, argv + 1, &err);
    if (status != FRZ_OK)
        report_error(&session, err, status);
    frz_error_free(err);
    session_close(&session);
    return exit_code(status);
}
