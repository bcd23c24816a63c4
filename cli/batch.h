/*
 * The transactions of `frazil batch`: one for each table that a statement names, begun when it is
 * first named, so that all statements see one version of it and what was done to it before.
 */
#ifndef FRAZIL_CLI_BATCH_H
#define FRAZIL_CLI_BATCH_H

#include "script.h"
#include "session.h"

/* The transaction of one table. */
typedef struct cli_batch_table {
    char *name; /* owned */
    frz_table *staged;
    frz_transaction_report *report; /* once it was committed */
} cli_batch_table;

/* What a statement did. Details are those of the time when it was made, as JSON members and as a
 * line; owned. */
typedef struct cli_batch_entry {
    const cli_statement *statement;
    size_t table;
    size_t first; /* among the operations of the table's transaction */
    size_t count; /* 0: there was nothing to do */
    bool rows;    /* a snapshot, whose numbers are settled by the commit */
    char *json;
    char *line;
} cli_batch_entry;

typedef struct cli_batch {
    const char *script; /* its name, for messages */
    bool per_table;     /* several tables may be changed, each by a transaction of its own */
    cli_batch_table *tables;
    size_t table_count;
    cli_batch_entry *entries;
    size_t entry_count;
    const cli_statement *statement; /* at hand */
    size_t table;                   /* that it named last */
    size_t first;                   /* operations of that before it */
} cli_batch;

/* A handle on the table as the statements so far have made it. With `changes`, another table that
 * was changed before is FRZ_INVALID, unless per_table. */
frz_status batch_table(cli_batch *batch, frz_catalog *catalog, const char *name, bool changes,
                       frz_table **out, frz_error **err);

/* Records what the statement at hand did to the table it names. */
frz_status batch_record_commit(cli_session *session, const frz_commit *commit, frz_error **err);
frz_status batch_record_changes(cli_session *session, const frz_alter_result *result,
                                frz_error **err);

/* Commits every transaction that changed something, in the order in which tables were named. */
frz_status batch_commit(cli_batch *batch, const frz_write_options *options, frz_error **err);

/* What was done; without reports, what would have been. */
frz_status batch_print(const cli_session *session, const cli_batch *batch, frz_error **err);

/* Rolls back what was not committed. */
void batch_close(cli_batch *batch);

#endif
