/*
 * Files opened and read: data files and equality delete files row by row, position delete files by
 * what they name, deletion vectors with the Puffin footer that lists them.
 */
#ifndef FRZ_MAINTENANCE_CONTENTS_H
#define FRZ_MAINTENANCE_CONTENTS_H

#include "maintenance/ledger.h"
#include "puffin/file.h"
#include "scan/scan.h"

/* All zero is closed. */
typedef struct frz_contents {
    frz_verification *verification; /* borrowed */
    frz_ledger *ledger;             /* borrowed */
    frz_scan *scan;                 /* what reads files: owned */
    frz_arena arena;
    const frz_type *columns; /* every top-level column of any schema, the current one's first */
    frz_map seen;            /* ledger keys of files that the pass has read */
    struct {
        frz_arena arena; /* of path and footer */
        const char *path;
        frz_puffin_footer footer;
        bool sound;
    } puffin; /* the Puffin file that was opened last */
} frz_contents;

FRZ_MUST_CHECK frz_status frz_contents_open(frz_contents *self, frz_ledger *ledger,
                                            frz_error **err);
void frz_contents_close(frz_contents *self);
/* Forgets which files were read: a new pass begins. */
void frz_contents_reset(frz_contents *self);

/* Reads the file of a live entry, unless the pass has read it. */
FRZ_MUST_CHECK frz_status frz_contents_check(frz_contents *self, const frz_entry_at *at,
                                             const frz_manifest_entry *entry, frz_error **err);

#endif
