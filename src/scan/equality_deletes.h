/*
 * The equality deletes of a plan as structures to probe (spec "Equality Delete Files", "Scan
 * Planning").
 *
 * A scope is what applies to the data files of one partition, or to all of them: the delete files
 * of one partition, or those of unpartitioned specs. Within a scope, the files that have the same
 * delete columns are one probe: a table of all their keys, each with the highest data sequence
 * number that deletes it, so that 200 files cost a data row as much as one. It is built at the
 * first task that needs it, and shared by all tasks and threads of the plan. Integers close to each
 * other are bits (scan/key_bits.h) for the data files that are older than all of the deletes.
 *
 * Memory: the tables and bits of a plan take frz_limits.equality_delete_memory together. When that
 * is short, tables that no task uses are dropped, to be built again at need; a probe that still
 * does not fit is applied in passes: part of its keys at a time, in at most a quarter of that
 * memory, each time over the key columns of the data file at hand. Passes run one at a time.
 *
 * Thread rule: made by one thread, then used by any.
 */
#ifndef FRZ_SCAN_EQUALITY_DELETES_H
#define FRZ_SCAN_EQUALITY_DELETES_H

#include "scan/equality_keys.h"
#include "scan/key_bits.h"
#include "scan/key_table.h"
#include "scan/scan.h"
#include "spec/manifest.h"

typedef struct frz_equality_deletes frz_equality_deletes;
typedef struct frz_equality_scope frz_equality_scope;
typedef struct frz_equality_probe frz_equality_probe;

/* The delete files of a scope that are newer than a data file. */
enum { FRZ_EQUALITY_SPANS = 2 /* of the partition, and of all */ };
typedef struct frz_equality_span {
    const frz_equality_scope *scope; /* NULL: none */
    size_t first;                    /* of its entries; those from here on apply */
} frz_equality_span;

/* `scan` is borrowed. */
FRZ_MUST_CHECK frz_status frz_equality_deletes_new(const frz_scan *scan, frz_equality_deletes **out,
                                                   frz_error **err);
/* Accepts NULL. Frees scopes and probes. */
void frz_equality_deletes_free(frz_equality_deletes *deletes);

/* What key rows are to be hashed with. */
uint64_t frz_equality_probe_seed(const frz_equality_probe *probe);

/* `entries` ascend by data sequence number and are borrowed; there is one at least. */
FRZ_MUST_CHECK frz_status frz_equality_scope_new(frz_equality_deletes *deletes,
                                                 const frz_manifest_entry *const *entries,
                                                 size_t count, frz_equality_scope **out,
                                                 frz_error **err);

const frz_manifest_entry *const *frz_equality_span_entries(const frz_equality_span *span,
                                                           size_t *count_out);

size_t frz_equality_scope_probe_count(const frz_equality_scope *scope);
frz_equality_probe *frz_equality_scope_probe(const frz_equality_scope *scope, size_t index);

/* The highest data sequence number of its files: it deletes nothing of files that are as new. */
int64_t frz_equality_probe_sequence(const frz_equality_probe *probe);

/* Borrowed from the probe. */
FRZ_MUST_CHECK frz_status frz_equality_probe_keys(frz_equality_probe *probe,
                                                  const frz_equality_keys **out, frz_error **err);

/* What tells the rows that a probe deletes of one data file: one of both. */
typedef struct frz_equality_index {
    const frz_key_bits *bits;
    const frz_key_table *table;
} frz_equality_index;

/* What a data file of that sequence number needs, built if it must be; to be released. Both are
 * NULL when it does not fit in memory: then work in passes. */
FRZ_MUST_CHECK frz_status frz_equality_probe_acquire(frz_equality_probe *probe, int64_t sequence,
                                                     frz_equality_index *out, frz_error **err);
void frz_equality_probe_release(frz_equality_probe *probe);

/* Gives `visit` one table after the other, which together have the keys of all files above
 * `sequence`. */
typedef frz_status (*frz_equality_visit)(void *context, const frz_key_table *table,
                                         frz_error **err);
FRZ_MUST_CHECK frz_status frz_equality_probe_passes(frz_equality_probe *probe, int64_t sequence,
                                                    frz_equality_visit visit, void *context,
                                                    frz_error **err);

#endif
