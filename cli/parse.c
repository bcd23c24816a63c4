#include "parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "help.h"

static const char *const output_names[] = {
    [CLI_OUTPUT_TABLE] = "table", [CLI_OUTPUT_JSON] = "json",       [CLI_OUTPUT_JSONL] = "jsonl",
    [CLI_OUTPUT_CSV] = "csv",     [CLI_OUTPUT_PARQUET] = "parquet", [CLI_OUTPUT_ARROW] = "arrow",
};

static bool find_output(const char *name, cli_output *out)
{
    for (size_t i = 0; i < sizeof output_names / sizeof output_names[0]; i++) {
        if (strcmp(output_names[i], name) == 0) {
            *out = (cli_output)i;
            return true;
        }
    }
    return false;
}

/* Before anything can fail. */
static void look_for_output(cli_session *session, int argc, char **argv)
{
    static const char joined[] = "--output=";
    const size_t size = sizeof joined - 1;
    for (int i = 0; i < argc; i++) {
        const char *name = strncmp(argv[i], joined, size) == 0 ? argv[i] + size : "";
        if (strcmp(argv[i], "--output") == 0 && i + 1 < argc)
            name = argv[i + 1];
        if (find_output(name, &session->output))
            session->output_given = true;
    }
}

static frz_status check_output(cli_session *session, frz_error **err)
{
    const char *name = session_option(session, "--output");
    const char *ids = session_option(session, "--json-ids");
    if (ids && strcmp(ids, "string") != 0)
        return frz_error_raise(err, FRZ_INVALID, "--json-ids is string, not \"%s\"", ids);
    if (!name || find_output(name, &session->output))
        return FRZ_OK;
    return frz_error_raise(err, FRZ_INVALID,
                           "--output is table, json, jsonl, csv, parquet or arrow, not \"%s\"",
                           name);
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

static const cli_option *find_option(const cli_session *session, const char *name, size_t size)
{
    const cli_command *command = session->command;
    const cli_option *found =
        command ? find_in(command->options, command->option_count, name, size) : NULL;
    return found ? found : find_in(cli_global_options, cli_global_option_count, name, size);
}

/* The option at argv[*index], which then stands at its last word. */
static frz_status parse_option(cli_session *session, int *index, int argc, char **argv,
                               frz_error **err)
{
    char *word = argv[*index];
    char *equals = strchr(word, '=');
    const size_t size = equals ? (size_t)(equals - word) : strlen(word);
    const cli_option *option = find_option(session, word, size);
    if (!option && !session->command)
        return frz_error_raise(err, FRZ_INVALID, "no option %.*s before the command", (int)size,
                               word);
    if (!option)
        return frz_error_raise(err, FRZ_INVALID, "%s has no option %.*s; see frazil help %s",
                               session->command->name, (int)size, word, session->command->name);
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

/* A word of its own is "-", a number below zero too: no option begins with a digit. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !strchr("0123456789.", word[1]);
}

/* Options before the command, then the command; *index is left behind it. */
static frz_status parse_command(cli_session *session, int *index, int argc, char **argv,
                                frz_error **err)
{
    int words = 0;
    for (; *index < argc && is_option(argv[*index]); ++*index) {
        const frz_status status = parse_option(session, index, argc, argv, err);
        if (status != FRZ_OK)
            return status;
    }
    if (*index >= argc)
        return frz_error_raise(err, FRZ_INVALID, "no command is named; see frazil help");
    session->command = find_command(argc - *index, argv + *index, &words);
    if (!session->command)
        return help_unknown(argv[*index], err);
    *index += words;
    return FRZ_OK;
}

frz_status parse_words(cli_session *session, int argc, char **argv, frz_error **err)
{
    bool only_arguments = false;
    int index = 0;
    look_for_output(session, argc, argv);
    session->given = calloc((size_t)argc + 1, sizeof *session->given);
    if (!session->given)
        return frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    session->arguments = argv;
    frz_status status = parse_command(session, &index, argc, argv, err);
    for (; status == FRZ_OK && index < argc; index++) {
        if (!only_arguments && strcmp(argv[index], "--") == 0)
            only_arguments = true;
        else if (!only_arguments && is_option(argv[index]))
            status = parse_option(session, &index, argc, argv, err);
        else
            session->arguments[session->argument_count++] = argv[index];
    }
    session->quiet = session_flag(session, "--quiet");
    session->color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    return status == FRZ_OK ? check_output(session, err) : status;
}

frz_status parse_check_arguments(const cli_session *session, frz_error **err)
{
    const cli_command *command = session->command;
    const bool too_many =
        command->argument_max >= 0 && session->argument_count > command->argument_max;
    if (session->argument_count >= command->argument_min && !too_many)
        return FRZ_OK;
    return frz_error_raise(err, FRZ_INVALID, "%s wants %s; see frazil help %s", command->name,
                           *command->arguments ? command->arguments : "no argument", command->name);
}
