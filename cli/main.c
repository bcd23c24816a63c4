/*
 * frazil: the command. Finds the row of the command table, parses the options it takes, runs it,
 * and turns the status into an exit code (docs: "Exit status" of the manual page).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "help.h"
#include "print.h"
#include "session.h"
#include "verbs.h"

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
        return cli_cancelled ? EXIT_INTERRUPTED : EXIT_FAILURE;
    case FRZ_NO_MEMORY:
    case FRZ_IO:
    case FRZ_ALREADY_EXISTS:
        return EXIT_FAILURE;
    }
    return EXIT_FAILURE;
}

static void on_signal(int signal_number)
{
    (void)signal_number;
    cli_cancelled = true;
}

/* The first signal asks the work to stop at a safe place; the second ends the process. */
static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, NULL);
}

/* The command whose one or two words stand at argv; *words_out = how many. */
static const cli_command *find_command(int argc, char **argv, int *words_out)
{
    char two[64];
    if (argc >= 2) {
        (void)snprintf(two, sizeof two, "%s %s", argv[0], argv[1]);
        for (size_t i = 0; i < cli_command_count; i++) {
            if (strcmp(cli_commands[i].name, two) == 0) {
                *words_out = 2;
                return &cli_commands[i];
            }
        }
    }
    for (size_t i = 0; argc >= 1 && i < cli_command_count; i++) {
        if (strcmp(cli_commands[i].name, argv[0]) == 0) {
            *words_out = 1;
            return &cli_commands[i];
        }
    }
    return NULL;
}

static const cli_option *find_in(const cli_option *options, size_t count, const char *name,
                                 size_t size)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(options[i].name) == size && strncmp(options[i].name, name, size) == 0)
            return &options[i];
    return NULL;
}

static frz_status parse_option(cli_session *session, int *index, int argc, char **argv,
                               frz_error **err)
{
    char *word = argv[*index];
    char *equals = strchr(word, '=');
    const size_t size = equals ? (size_t)(equals - word) : strlen(word);
    const cli_command *command = session->command;
    const cli_option *option = find_in(command->options, command->option_count, word, size);
    if (!option)
        option = find_in(cli_global_options, cli_global_option_count, word, size);
    if (!option)
        return frz_error_raise(err, FRZ_INVALID, "%s has no option %.*s; see frazil help %s",
                               command->name, (int)size, word, command->name);
    session->given[session->given_count].name = option->name;
    session->given[session->given_count].value = "";
    if (!option->value && equals)
        return frz_error_raise(err, FRZ_INVALID, "%s takes no value", option->name);
    if (option->value) {
        if (!equals && *index + 1 >= argc)
            return frz_error_raise(err, FRZ_INVALID, "%s wants a value: %s", option->name,
                                   option->value);
        session->given[session->given_count].value = equals ? equals + 1 : argv[++*index];
    }
    session->given_count++;
    return FRZ_OK;
}

static frz_status parse_output(cli_session *session, frz_error **err)
{
    static const char *const names[] = {"table", "json", "jsonl", "csv", "parquet"};
    const char *name = session_option(session, "--output");
    const char *ids = session_option(session, "--json-ids");
    if (ids && strcmp(ids, "string") != 0)
        return frz_error_raise(err, FRZ_INVALID, "--json-ids is string, not \"%s\"", ids);
    if (!name)
        return FRZ_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            session->output = (cli_output)i;
            session->output_given = true;
            return FRZ_OK;
        }
    }
    return frz_error_raise(err, FRZ_INVALID,
                           "--output is table, json, jsonl, csv or parquet, not \"%s\"", name);
}

static frz_status check_arguments(const cli_session *session, frz_error **err)
{
    const cli_command *command = session->command;
    const bool too_many =
        command->argument_max >= 0 && session->argument_count > command->argument_max;
    if (session->argument_count >= command->argument_min && !too_many)
        return FRZ_OK;
    return frz_error_raise(err, FRZ_INVALID, "%s wants %s; see frazil help %s", command->name,
                           *command->arguments ? command->arguments : "no argument", command->name);
}

static frz_status parse(cli_session *session, int argc, char **argv, frz_error **err)
{
    bool only_arguments = false;
    session->given = calloc((size_t)argc + 1, sizeof *session->given);
    if (!session->given)
        return frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    session->arguments = argv;
    for (int i = 0; i < argc; i++) {
        if (!only_arguments && strcmp(argv[i], "--") == 0) {
            only_arguments = true;
        } else if (!only_arguments && argv[i][0] == '-' && argv[i][1]) {
            const frz_status status = parse_option(session, &i, argc, argv, err);
            if (status != FRZ_OK)
                return status;
        } else {
            session->arguments[session->argument_count++] = argv[i];
        }
    }
    session->quiet = session_flag(session, "--quiet");
    session->color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    return parse_output(session, err);
}

/* The text in which an error points at a column, when it is about one of the options. */
static const char *pointed_text(const cli_session *session, const frz_error *err, uint64_t *column)
{
    static const char *const names[] = {"--where", "--schema", "--partition", "--sort"};
    if (frz_error_status(err) != FRZ_INVALID || !frz_error_offset(err, column))
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = session_option(session, names[i]);
        if (text && *column <= strlen(text) && strstr(frz_error_message(err), names[i] + 2))
            return text;
    }
    return session_option(session, "--where") ? session_option(session, "--where")
                                              : session_option(session, "--schema");
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

static void report_error(const cli_session *session, const frz_error *err, frz_status status)
{
    uint64_t column = 0;
    if (session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL) {
        report_json(err, status);
        return;
    }
    (void)fprintf(stderr, "frazil: %s\n", frz_error_message(err));
    const char *text = pointed_text(session, err, &column);
    if (text && column <= strlen(text) && !strchr(text, '\n'))
        (void)fprintf(stderr, "  %s\n  %*s^\n", text, (int)column, "");
}

int main(int argc, char **argv)
{
    int words = 0;
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
    session.command = find_command(argc - 1, argv + 1, &words);
    if (!session.command) {
        help_unknown(argv[1]);
        return EXIT_USAGE;
    }
    watch_signals();
    frz_status status = parse(&session, argc - 1 - words, argv + 1 + words, &err);
    if (status == FRZ_OK && session_flag(&session, "--help")) {
        help_command(session.command);
    } else {
        if (status == FRZ_OK)
            status = check_arguments(&session, &err);
        if (status == FRZ_OK)
            status = session.command->run(&session, &err);
    }
    if (status != FRZ_OK)
        report_error(&session, err, status);
    frz_error_free(err);
    session_close(&session);
    return exit_code(status);
}
