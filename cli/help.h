/*
 * What is made of the command table for people and shells: help, the manual page, completion
 * scripts.
 */
#ifndef FRAZIL_CLI_HELP_H
#define FRAZIL_CLI_HELP_H

#include <stdio.h>

#include "command.h"

void help_overview(FILE *out);
void help_command(const cli_command *command);
/* FRZ_INVALID: "no command X", with near ones. */
frz_status help_unknown(const char *word, frz_error **err);

#endif
