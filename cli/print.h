/*
 * Results on standard output, progress and messages on standard error.
 */
#ifndef FRAZIL_CLI_PRINT_H
#define FRAZIL_CLI_PRINT_H

#include <stdio.h>

#include "session.h"

/* A quoted JSON string. */
void print_json_text(FILE *out, const char *text);

/* A 64-bit id as --json-ids asks for it. */
void print_json_id(const cli_session *session, FILE *out, int64_t id);

/* The format of rows that --output names, or its default. */
frz_row_format print_format(const cli_session *session);

/* Prints a stream (released in every case) in the session's output format. */
frz_status print_rows(const cli_session *session, struct ArrowArrayStream *rows, frz_error **err);

/* A text of the library (freed in every case), as it stands; JSON with ids as --json-ids asks. */
frz_status print_text(const cli_session *session, char *text, frz_error **err);

/* The snapshot that a commit made; `commit` NULL or without operation: nothing was to be done. In a
 * script it is recorded for the report. */
frz_status print_commit(cli_session *session, const frz_commit *commit, frz_error **err);

/* The same as the members of a JSON object. */
void print_commit_json(const cli_session *session, FILE *out, const frz_commit *commit);

/* A note for people, unless --quiet. */
void print_note(const cli_session *session, const char *format, ...) FRZ_PRINTF(2, 3);

/* FRZ_IO when standard output could not be written. */
frz_status print_flush(frz_error **err);

/* What a watched stream has shown; must outlive the stream. */
typedef struct cli_progress {
    const char *verb;
    bool shows; /* on a terminal, without --quiet */
    int64_t shown;
} cli_progress;

/*
 * Replaces a stream (released on failure): a terminal shows how many rows have passed, and the
 * stream ends with FRZ_CANCELLED once the session is interrupted.
 */
frz_status print_progress(const cli_session *session, cli_progress *progress, const char *verb,
                          struct ArrowArrayStream *rows, frz_error **err);
/* Clears the line. */
void print_progress_end(const cli_progress *progress);

#endif
