/*
 * Files that state lineage which is no longer so, written again (write/given_lineage.h): the same
 * rows in the same order, with the row ids and sequence numbers that they have now.
 */
#ifndef FRZ_WRITE_RESTATE_H
#define FRZ_WRITE_RESTATE_H

#include "write/given_lineage.h"

/* The new files of one operation, as an attempt makes it again. */
typedef struct frz_restating {
    frz_transaction *transaction; /* of the operation: it stands at the version of this attempt */
    const frz_metadata *metadata; /* of the version for which the files were written */
    const frz_given_lineage *given;
    frz_first_names *names; /* is told of the new names */
} frz_restating;

/* Replaces the entries of files that are concerned; those before serve this attempt no longer. The
 * entries live in the transaction's arena. FRZ_CONFLICT when an id is not the transaction's. */
FRZ_MUST_CHECK frz_status frz_restate_files(const frz_restating *self, frz_data_file *files,
                                            size_t count, frz_error **err);

#endif
