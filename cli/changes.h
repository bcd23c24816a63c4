/*
 * What the commands that change a table beside its rows share: an alteration, its commit and its
 * result.
 */
#ifndef FRAZIL_CLI_CHANGES_H
#define FRAZIL_CLI_CHANGES_H

#include "session.h"

/* All zero is closed. */
typedef struct cli_changes {
    frz_table *table;
    frz_alteration *alteration;
} cli_changes;

/* Loads the T of the arguments from the catalog; an @ref is FRZ_INVALID. To be closed in every
 * case. */
frz_status changes_open(cli_session *session, cli_changes *out, frz_error **err);
/* Commits and prints what was changed. `audit` (may be NULL) is JSON or text to be shown before. */
frz_status changes_commit(cli_session *session, cli_changes *changes, const char *audit,
                          frz_error **err);
void changes_close(cli_changes *changes);

#endif
