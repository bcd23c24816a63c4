/*
 * The snapshots of one version of a table, most of which it shares with the version before. A
 * commit adds one to thousands that stay as they are: those are neither copied, nor printed, nor
 * indexed again.
 *
 * Thread rule: a list is changed by the one thread that makes its version, and only read after.
 * Versions that share may be made by different threads at the same time.
 */
#ifndef FRZ_SPEC_SNAPSHOT_LIST_H
#define FRZ_SPEC_SNAPSHOT_LIST_H

#include "spec/printed.h"
#include "spec/snapshot.h"

typedef struct frz_snapshot_store frz_snapshot_store;
typedef struct frz_snapshot_index frz_snapshot_index;

enum { FRZ_SNAPSHOT_STORES_MAX = 64 };

/* All zero is a valid, empty list. */
typedef struct frz_snapshot_list {
    frz_tape *items; /* frz_snapshot */
    size_t count;
    frz_snapshot_store *stores[FRZ_SNAPSHOT_STORES_MAX]; /* what items point into; oldest first */
    size_t store_count;
    const frz_tape *end_holder; /* whoever extends this tape in place has the newest store to
                                   itself; NULL: nobody has */
    size_t budget;              /* of each store; 0: none */
    frz_snapshot_index *index;
    size_t checked; /* that many have ids of their own */
    frz_printed printed;
    bool printed_for_v1; /* V1 says less of a snapshot than later versions */
} frz_snapshot_list;

const frz_snapshot *frz_snapshot_list_items(const frz_snapshot_list *list);

/* Room for one more, with the arena for what it points to. frz_snapshot_list_add_slot makes it the
 * list's last. */
FRZ_MUST_CHECK frz_status frz_snapshot_list_slot(frz_snapshot_list *list, frz_snapshot **slot_out,
                                                 frz_arena **arena_out, frz_error **err);
void frz_snapshot_list_add_slot(frz_snapshot_list *list);

/* A deep copy, at the end. */
FRZ_MUST_CHECK frz_status frz_snapshot_list_add(frz_snapshot_list *list,
                                                const frz_snapshot *snapshot, frz_error **err);

/* Takes out those that `gone` is true for; *any_out is set when there are some. */
FRZ_MUST_CHECK frz_status frz_snapshot_list_remove(
    frz_snapshot_list *list, bool (*gone)(const void *context, int64_t snapshot_id),
    const void *context, bool *any_out, frz_error **err);

/* NULL when absent. */
const frz_snapshot *frz_snapshot_list_find(const frz_snapshot_list *list, int64_t snapshot_id);

/* FRZ_CORRUPT when two have the same id. Makes finding fast. */
FRZ_MUST_CHECK frz_status frz_snapshot_list_seal(frz_snapshot_list *list, frz_error **err);

/* Keeps the text of all, as tables of that format version have it. */
FRZ_MUST_CHECK frz_status frz_snapshot_list_print(frz_snapshot_list *list, int format_version,
                                                  frz_error **err);
/* What stands between the brackets; false where it was not kept for that version. */
bool frz_snapshot_list_text(const frz_snapshot_list *list, int format_version, frz_slice *out);

/* Into `out`, which must be empty; it has no budget. */
void frz_snapshot_list_share(const frz_snapshot_list *list, frz_snapshot_list *out);
void frz_snapshot_list_clear(frz_snapshot_list *list);

#endif
