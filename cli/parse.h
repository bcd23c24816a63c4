/*
 * The words after `frazil`: which command they name, its options and its arguments.
 */
#ifndef FRAZIL_CLI_PARSE_H
#define FRAZIL_CLI_PARSE_H

#include "session.h"

/*
 * Fills the session's command, options, arguments and output. Options of every command may stand
 * before it, too. The output format is known even when the rest is refused, so that the refusal can
 * be printed in it.
 */
frz_status parse_words(cli_session *session, int argc, char **argv, frz_error **err);

/* FRZ_INVALID when the command takes more or fewer arguments. */
frz_status parse_check_arguments(const cli_session *session, frz_error **err);

#endif
