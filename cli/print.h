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

/* Prints a stream (released in every case) in the session's output format. */
frz_status print_rows(const cli_session *session, struct ArrowArrayStream *rows, frz_error **err);

/* A text of the library (freed in every case), as it stands. */
frz_status print_text(char *text, frz_error **err);

/* The snapshot that a commit made; *commit NULL or without operation: nothing was to be done. */
frz_status print_commit(const cli_session *session, const frz_commit *commit, frz_error **err);

/* A note for people, unless --quiet. */
void print_note(const cli_session *session, const char *format, ...) FRZ_PRINTF(2, 3);

/* FRZ_IO when standard output could not be written. */
frz_status print_flush(frz_error **err);

/* Wraps a stream (taken) so that a terminal shows how many rows have passed; plain otherwise. */
frz_status print_progress(const cli_session *session, struct ArrowArrayStream *rows,
                          const char *verb, frz_error **err);

#endif
