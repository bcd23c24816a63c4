/*
 * The manifests that a metadata table is made of, one after the other: those of a snapshot, or each
 * manifest once of all snapshots that the table's metadata lists. Manifests that a filter on
 * partition, content or spec excludes are passed over.
 */
#ifndef FRZ_METATABLE_MANIFEST_WALK_H
#define FRZ_METATABLE_MANIFEST_WALK_H

#include "base/map.h"
#include "expr/expression.h"
#include "metatable/cell.h"

typedef enum frz_manifest_choice {
    FRZ_MANIFESTS_ALL,
    FRZ_MANIFESTS_DATA,
    FRZ_MANIFESTS_DELETES
} frz_manifest_choice;

/* Which manifests; all borrowed. */
typedef struct frz_manifest_walk_options {
    const frz_scan *scan;
    bool all_snapshots; /* else the scan's */
    frz_manifest_choice choice;
    const frz_expr *filter;                /* over the metadata table's row */
    const frz_partition_column *partition; /* of that row */
    int32_t partition_id;                  /* field ids there; -1 = the row has no such column */
    int32_t content_id;
    int32_t spec_id;
} frz_manifest_walk_options;

typedef struct frz_manifest_walk {
    frz_manifest_walk_options options;
    frz_arena list_arena; /* of the snapshot's list */
    frz_manifest_list list;
    size_t next;           /* of the list */
    size_t snapshots_left; /* whose lists were not read yet */
    frz_map seen;          /* paths, when several snapshots are walked */
    frz_arena seen_arena;
} frz_manifest_walk;

void frz_manifest_walk_init(frz_manifest_walk *walk, const frz_manifest_walk_options *options);
void frz_manifest_walk_clear(frz_manifest_walk *walk);

/* FRZ_END after the last. *out is valid until the next call. Newest snapshots come first: their
 * lists know row ids that older ones do not. */
FRZ_MUST_CHECK frz_status frz_manifest_walk_next(frz_manifest_walk *walk,
                                                 const frz_manifest_file **out, frz_error **err);

/* The entries of those manifests, some thousand at a time: memory does not depend on the size of a
 * manifest. */
typedef struct frz_entry_walk {
    frz_manifest_walk manifests;
    frz_manifest_fields fields;  /* what to decode; may be changed until the first next */
    frz_manifest_reader *reader; /* of the manifest at hand; NULL between two */
    frz_manifest *part;          /* of it: the last that was given */
} frz_entry_walk;

void frz_entry_walk_init(frz_entry_walk *walk, const frz_manifest_walk_options *options);
void frz_entry_walk_clear(frz_entry_walk *walk);

/* FRZ_END after the last. *out is valid until the next call. */
FRZ_MUST_CHECK frz_status frz_entry_walk_next(frz_entry_walk *walk, const frz_manifest **out,
                                              frz_error **err);

#endif
