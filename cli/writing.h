/*
 * What every command that writes to a table takes: the table, its branch, and what is told in the
 * snapshot.
 */
#ifndef FRAZIL_CLI_WRITING_H
#define FRAZIL_CLI_WRITING_H

#include "session.h"

/* All zero is closed. */
typedef struct cli_writing {
    frz_table *table;
    frz_write_options options;
    frz_option *properties;
    char *name; /* owned; options.branch may lie in it */
} cli_writing;

/*
 * Loads the T of the arguments from the catalog. The branch is --branch or that of T@BRANCH;
 * --snapshot-property, --wap-id and --idempotency-key are taken where the command has them. From
 * here on the first signal asks the work to stop. `out` is to be closed in every case.
 */
frz_status writing_open(cli_session *session, cli_writing *out, frz_error **err);
void writing_close(cli_writing *writing);

#endif
