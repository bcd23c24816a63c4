/*
 * The commands of `frazil`: one table from which parsing, --help, the man page and shell completion
 * are made. A command is a row here and a cmd_*.c file.
 */
#ifndef FRAZIL_CLI_COMMAND_H
#define FRAZIL_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "frazil/frazil.h"

typedef struct cli_session cli_session;

enum { CLI_OPTIONS_MAX = 32 };

/* One option of a command: a flag when `value` is NULL. */
typedef struct cli_option {
    const char *name;  /* "--where" */
    const char *value; /* what stands for its value in the usage line */
    bool repeated;
    const char *help;
} cli_option;

typedef struct cli_command {
    const char *name;      /* "scan", "create namespace" */
    const char *arguments; /* "TABLE [FILE...]" */
    int argument_min;
    int argument_max;    /* -1 = any number */
    const char *summary; /* one line */
    const char *detail;  /* more lines for --help; may be NULL */
    const char *example;
    const cli_option *options;
    size_t option_count;
    frz_status (*run)(cli_session *session, frz_error **err);
} cli_command;

extern const cli_command cli_commands[];
extern const size_t cli_command_count;

/* Options every command takes. */
extern const cli_option cli_global_options[];
extern const size_t cli_global_option_count;

#endif
