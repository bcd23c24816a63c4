/*
 * The columns of --select: names parted by commas.
 */
#ifndef FRAZIL_CLI_COLUMNS_H
#define FRAZIL_CLI_COLUMNS_H

#include "session.h"

/* All zero has no columns. */
typedef struct cli_columns {
    char *text; /* owned; the names lie in it */
    const char **names;
    size_t count;
} cli_columns;

/* Names lose blanks around them; a name in double quotes or backticks may have commas. Without the
 * option *out stays empty. FRZ_INVALID for an empty name. */
frz_status columns_read(const cli_session *session, cli_columns *out, frz_error **err);
void columns_clear(cli_columns *columns);

#endif
