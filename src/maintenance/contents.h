/*
 * Files opened and read: data files and equality delete files row by row, position delete files by
 * what they name, deletion vectors with the Puffin footer that lists them.
 *
 * Readings wait until there are enough of them, and are then made by several threads; what they
 * found comes into report and ledger in the order in which they waited, however many threads there
 * are.
 */
#ifndef FRZ_MAINTENANCE_CONTENTS_H
#define FRZ_MAINTENANCE_CONTENTS_H

#include "base/pool.h"
#include "maintenance/ledger.h"
#include "scan/scan.h"

typedef struct frz_file_reading frz_file_reading;

/* All zero is closed. */
typedef struct frz_contents {
    frz_verification *verification; /* borrowed */
    frz_ledger *ledger;             /* borrowed */
    frz_scan *scan;                 /* what reads files: owned */
    frz_pool *pool;
    frz_arena arena;
    const frz_type *columns; /* every top-level column of any schema, the current one's first */
    frz_map seen;            /* ledger keys of files that the pass has read */
    frz_map with_row_ids;    /* ledger keys of data files that hold row ids, of all passes */
    frz_file_reading *waiting;
    size_t waiting_count;
} frz_contents;

FRZ_MUST_CHECK frz_status frz_contents_open(frz_contents *self, frz_ledger *ledger,
                                            frz_error **err);
void frz_contents_close(frz_contents *self);
/* Forgets which files were read: a new pass begins. */
void frz_contents_reset(frz_contents *self);

/* Reads the file of entry `index` of `part`, which is live, unless the pass has read it; at some
 * time until frz_contents_flush. */
FRZ_MUST_CHECK frz_status frz_contents_check(frz_contents *self, const frz_entry_at *at,
                                             frz_manifest *part, size_t index, frz_error **err);
FRZ_MUST_CHECK frz_status frz_contents_flush(frz_contents *self, frz_error **err);

#endif
