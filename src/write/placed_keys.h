/*
 * Where the rows of a commit that is being made stand, by key, so that a key that comes again finds
 * the row before it: of that row the position is deleted (Java's BaseEqualityDeltaWriter).
 *
 * Memory: about 96 bytes and the key for each key, up to a limit. Then all keys move to local files
 * parted by their hash (write/spill.h) and the table starts anew; what the files hold is put
 * together at the end, part by part: so at most FRZ_SPILL_PARTITIONS times the limit fits. Beside
 * it stands one bitmap per data file of deleted rows.
 */
#ifndef FRZ_WRITE_PLACED_KEYS_H
#define FRZ_WRITE_PLACED_KEYS_H

#include "base/slice.h"
#include "puffin/bitmap.h"

typedef struct frz_placed_keys frz_placed_keys;

/* `memory_limit` 0 = 256 MiB; `spill_folder` NULL = TMPDIR, else /tmp; copied. */
FRZ_MUST_CHECK frz_status frz_placed_keys_new(uint64_t memory_limit, const char *spill_folder,
                                              frz_placed_keys **out, frz_error **err);
/* Accepts NULL. */
void frz_placed_keys_free(frz_placed_keys *self);

/* A row of a data file of this commit. `location` is the same pointer for all rows of a file and
 * outlives the object. */
typedef struct frz_row_place {
    const char *location; /* NULL: no row */
    int64_t position;
} frz_row_place;

/*
 * The key now names the row at `place`; the row that it named before goes. With `deletes`, older
 * commits' rows of the key go too; *first_out then tells that no such delete is remembered, so
 * that an equality delete is to be written.
 */
FRZ_MUST_CHECK frz_status frz_placed_keys_put(frz_placed_keys *self, frz_slice key,
                                              frz_row_place place, bool deletes, bool *first_out,
                                              frz_error **err);

/* No key is put any more: puts together what is in files. */
FRZ_MUST_CHECK frz_status frz_placed_keys_seal(frz_placed_keys *self, frz_error **err);

/* Whether keys had to leave memory. */
bool frz_placed_keys_spilled(const frz_placed_keys *self);

/* The positions that go in a data file; NULL when none do. After seal; borrowed. */
const frz_bitmap *frz_placed_keys_deleted(const frz_placed_keys *self, frz_slice location);

#endif
