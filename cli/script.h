/*
 * Scripts of frazil verbs: statements, one a line or separated by `;`, each of words as a shell has
 * them. Words are split at blanks; '...' keeps everything, "..." everything but \" and \\, a
 * backslash the character behind it; a backslash at the end of a line goes on in the next one; # at
 * the start of a word begins a comment. Nothing is expanded.
 */
#ifndef FRAZIL_CLI_SCRIPT_H
#define FRAZIL_CLI_SCRIPT_H

#include <stddef.h>

#include "frazil/error.h"

typedef struct cli_statement {
    int line;     /* where it starts, from 1 */
    char *text;   /* as it was written; owned */
    char **words; /* owned */
    size_t word_count;
} cli_statement;

typedef struct cli_script {
    const char *name; /* for messages; borrowed */
    cli_statement *statements;
    size_t count;
} cli_script;

/* The whole file; "-" is standard input. Free with script_free, also after a failure. */
frz_status script_read(const char *path, cli_script *out, frz_error **err);
void script_free(cli_script *script);

#endif
