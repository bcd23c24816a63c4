/*
 * What the ledger remembers of one entry.
 */
#ifndef FRZ_MAINTENANCE_LEDGER_ENTRY_H
#define FRZ_MAINTENANCE_LEDGER_ENTRY_H

#include "maintenance/verification.h"

/* Where an entry stands. */
typedef struct frz_entry_at {
    uint32_t manifest; /* index of its record */
    uint32_t entry;    /* index in the manifest */
} frz_entry_at;

typedef struct frz_ledger_entry {
    uint64_t key; /* of the path; of a deletion vector also of its offset */
    int64_t snapshot_id;
    int64_t sequence_number;
    int64_t first_row_id;
    int64_t record_count;
    frz_entry_at at;
    uint8_t status; /* frz_entry_status */
    uint8_t kind;   /* frz_entry_kind */
} frz_ledger_entry;

/* A live delete of one data file. */
typedef struct frz_ledger_delete {
    uint64_t key; /* of the data file */
    int64_t sequence_number;
    int64_t record_count;
    frz_entry_at at;
    bool vector;
} frz_ledger_delete;

/* The row ids of a live data file. */
typedef struct frz_ledger_range {
    int64_t first;
    int64_t count;
    uint64_t key;
    frz_entry_at at;
} frz_ledger_range;

/* The greatest position that a delete has of a data file. */
typedef struct frz_ledger_position {
    uint64_t key; /* of the data file */
    int64_t last;
    frz_entry_at at;
} frz_ledger_position;

/* The key of a file without content offset (-1). */
uint64_t frz_ledger_key(frz_slice path, int64_t content_offset);

/* Reads the entry again: a copy of its path (and the data file that it deletes from, empty when it
 * names none) in `arena`. FRZ_NOT_FOUND when the manifest has no such entry any more. */
FRZ_MUST_CHECK frz_status frz_ledger_read_again(const frz_verification *verification,
                                                const frz_entry_at *at, frz_arena *arena,
                                                frz_slice *path_out, frz_slice *referenced_out,
                                                frz_error **err);

#endif
