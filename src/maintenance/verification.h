/*
 * One verification under way: the table, what is known of its manifests so far, and the report.
 *
 * Order of work (verify.c): the metadata alone; the manifest lists; each manifest once (again, when
 * the table has more entries than may be remembered at a time); then what only all of them together
 * tell. Memory: a record per manifest and per snapshot, and the ledger (maintenance/ledger.h),
 * which has a cap.
 */
#ifndef FRZ_MAINTENANCE_VERIFICATION_H
#define FRZ_MAINTENANCE_VERIFICATION_H

#include "base/map.h"
#include "catalog/table.h"
#include "maintenance/report.h"
#include "spec/manifest.h"

/* Clocks of writers may differ by as much (Java's tolerance). */
enum { FRZ_CLOCK_TOLERANCE_MS = 60000 };

typedef enum frz_entry_kind {
    FRZ_KIND_DATA,
    FRZ_KIND_EQUALITY_DELETES,
    FRZ_KIND_POSITION_DELETES,
    FRZ_KIND_VECTOR,
    FRZ_KIND_COUNT
} frz_entry_kind;

frz_entry_kind frz_entry_kind_of(const frz_data_file *file);

typedef struct frz_tally {
    int64_t files;
    int64_t rows;
    int64_t bytes; /* of a deletion vector its blob's */
} frz_tally;

/* By kind of file and status of entry. */
typedef struct frz_tallies {
    frz_tally of[FRZ_KIND_COUNT][FRZ_ENTRY_DELETED + 1];
} frz_tallies;

/* The sum of two counts that are not negative, INT64_MAX at most. */
int64_t frz_count_add(int64_t a, int64_t b);

/* Whether a time is earlier than another by more than clocks may differ. */
bool frz_is_earlier(int64_t ms, int64_t than_ms);

/* Snapshots, by index in the metadata, from .. to (both included), that list a manifest. */
typedef struct frz_snapshot_run {
    size_t from;
    size_t to;
} frz_snapshot_run;

/* A manifest, however many snapshots list it. */
typedef struct frz_manifest_record {
    frz_manifest_file file;        /* as it was listed first; first_row_id as it was listed last */
    const frz_snapshot *added_by;  /* the snapshot that added it; NULL when it is not known */
    const frz_snapshot *listed_by; /* the last that lists it: to name in findings */
    frz_list runs;                 /* of frz_snapshot_run, ascending */
    bool read;                     /* to its end: the tallies are right */
    frz_tallies tallies;
} frz_manifest_record;

/* What is known of a snapshot. */
typedef struct frz_snapshot_record {
    bool chosen;         /* it is verified */
    bool complete;       /* its list and all of its manifests could be read */
    frz_tallies tallies; /* ADDED and DELETED: by this snapshot; EXISTING: all that is live in it */
} frz_snapshot_record;

typedef struct frz_verification {
    const frz_table *table;
    const frz_metadata *metadata; /* the table's */
    const frz_limits *limits;
    const frz_verify_options *options;
    frz_verify_report *report;
    frz_arena arena;
    frz_snapshot_record *snapshots; /* as in the metadata */
    frz_manifest_record *manifests; /* in the order in which they were first listed */
    size_t manifest_count;
    size_t manifest_capacity;
    frz_map manifests_by_path; /* to indexes */
} frz_verification;

void frz_verification_clear(frz_verification *self);

/* False when the snapshot is not in the metadata. */
bool frz_verification_index(const frz_verification *self, int64_t snapshot_id, size_t *out);

/* Whether a snapshot lists the manifest. */
bool frz_manifest_is_listed(const frz_manifest_record *manifest, size_t snapshot);

/* The manifest, as its last list names it. */
frz_place frz_place_of_manifest(const frz_manifest_record *manifest);

#endif
