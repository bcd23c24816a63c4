/*
 * The files that a command reads rows from: those of its arguments, pipes, or standard input.
 */
#ifndef FRAZIL_CLI_INPUTS_H
#define FRAZIL_CLI_INPUTS_H

#include "print.h"
#include "session.h"

enum { INPUT_NULLS_MAX = 16 };

/* One stream per file, and what they live in. All zero is closed. */
typedef struct cli_inputs {
    struct ArrowArrayStream *streams; /* owned; released ones are skipped */
    cli_progress *progress;           /* of each stream; owned */
    const char **names;               /* of each, for messages; owned */
    size_t count;
    frz_io *spool; /* standard input and pipes, in files without a name: some formats are read
                      backwards, all from their start again */
    bool stdin_taken;
} cli_inputs;

/* What the options say of the format. Texts are borrowed from argv and `nulls`. */
frz_status inputs_options(const cli_session *session, frz_rows_options *out,
                          const char *nulls[INPUT_NULLS_MAX], frz_error **err);

/*
 * Opens the arguments from the second on; "-" is standard input, at most once. CSV and JSON lines
 * are read as `options` says. `out` is to be closed in every case.
 */
frz_status inputs_open(cli_session *session, const frz_rows_options *options, cli_inputs *out,
                       frz_error **err);

/* Opens one file; `out` as above. */
frz_status inputs_open_one(cli_session *session, const char *name, const frz_rows_options *options,
                           cli_inputs *out, frz_error **err);

void inputs_close(cli_inputs *inputs);

#endif
