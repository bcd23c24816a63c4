/*
 * One run of the command: what was asked for, and what is opened for it when first needed.
 */
#ifndef FRAZIL_CLI_SESSION_H
#define FRAZIL_CLI_SESSION_H

#include "command.h"

typedef enum cli_output {
    CLI_OUTPUT_TABLE,
    CLI_OUTPUT_JSON,
    CLI_OUTPUT_JSONL,
    CLI_OUTPUT_CSV,
    CLI_OUTPUT_PARQUET,
    CLI_OUTPUT_ARROW
} cli_output;

struct cli_session {
    const cli_command *command;
    char **arguments; /* positional; borrowed from argv */
    int argument_count;
    struct {
        const char *name;
        const char *value; /* "" for flags */
    } * given;             /* options in the order given; owned */
    size_t given_count;
    cli_output output;
    bool output_given;
    bool quiet;
    bool color;           /* standard output is a terminal that wants colours */
    frz_catalog *catalog; /* opened when first needed */
    frz_io *local;
    frz_io *io;              /* local, through --path-map */
    struct cli_batch *batch; /* the transactions that a statement of a script is in; else NULL */
};

void session_close(cli_session *session);

/* NULL when not given; the last one counts. */
const char *session_option(const cli_session *session, const char *name);
bool session_flag(const cli_session *session, const char *name);
/* All values of a repeated option, in order; fills at most `room`, returns how many there are. */
size_t session_options(const cli_session *session, const char *name, const char **values,
                       size_t room);

/* A whole number; FRZ_INVALID names the option. */
frz_status session_number(const cli_session *session, const char *name, bool *given_out,
                          int64_t *value_out, frz_error **err);

/* Memory, told in MiB, at most `max` of them; *bytes_out stays as it is without the option. */
frz_status session_mebibytes(const cli_session *session, const char *name, uint64_t max,
                             uint64_t *bytes_out, frz_error **err);

/* k=v values of a repeated option; free *out with free(). The texts live as long as argv. */
frz_status session_properties(const cli_session *session, const char *name, frz_option **out,
                              size_t *count_out, frz_error **err);

frz_status session_catalog(cli_session *session, frz_catalog **out, frz_error **err);
frz_status session_io(cli_session *session, frz_io **out, frz_error **err);

/*
 * Opens T: a catalog name, or the path or URI of a metadata.json or of a table's folder; either
 * with an optional @ref. *ref_out then points into *text_out, to be freed.
 */
frz_status session_table(cli_session *session, const char *name, frz_table **out, char **text_out,
                         const char **ref_out, frz_error **err);

/* A table of the catalog, to be changed by the command; in a script, as its transaction has it. */
frz_status session_table_to_change(cli_session *session, const char *identifier, frz_table **out,
                                   frz_error **err);

/* A copy of the name, to be freed, cut before its @; *ref_out points behind that, or is NULL when
 * the name has none. */
frz_status session_split_name(const char *name, char **out, const char **ref_out, frz_error **err);

/* New names only: / would name a path, and what stands behind @ is a ref. */
frz_status session_new_name(const char *name, frz_error **err);

/* The T of the arguments for a command that has no use for a ref: one is FRZ_INVALID. */
frz_status session_whole_table(cli_session *session, frz_table **out, frz_error **err);

/* --snapshot-id, --as-of and --ref, or the @ref of the name; two of them are FRZ_INVALID. */
frz_status session_selector(const cli_session *session, const char *ref, frz_snapshot_selector *out,
                            frz_error **err);

/*
 * For what must not be left half done: the first SIGINT or SIGTERM from here on asks the work to
 * stop at a safe place, the second ends the process; a closed pipe is an error and no signal.
 * Returns what the first signal sets.
 */
const bool *session_watch_signals(void);
bool session_interrupted(void);

#endif
