/*
 * Which delete files apply to which data file (spec "Scan Planning"):
 *
 *   deletion vector   referenced_data_file is the data file's path; data sequence number of the
 * file is at most that of the vector. It hides all position delete files of that data file.
 *   position deletes  same spec and partition tuple, and the file's own path when the delete file
 * names one (referenced_data_file, or equal bounds of file_path); sequence at most. equality
 * deletes  same spec and partition, or an unpartitioned spec; sequence strictly less.
 *
 * Built once per plan, then read by many threads; what it finds lives as long as it.
 */
#ifndef FRZ_SCAN_DELETE_INDEX_H
#define FRZ_SCAN_DELETE_INDEX_H

#include "scan/equality_deletes.h"
#include "spec/manifest.h"

typedef struct frz_delete_index frz_delete_index;

/*
 * The path of the one data file a position delete file is about: its referenced_data_file, or equal
 * bounds of its file_path column (spec "Position Delete Files": bounds of file_path are kept whole
 * when they are the same). Empty when it may be about several.
 */
frz_slice frz_position_file_target(const frz_data_file *file);

/* The delete files of one data file. */
typedef struct frz_applied_deletes {
    const frz_manifest_entry *const *positions; /* a deletion vector alone, or position deletes */
    size_t position_count;
    size_t left_out; /* position deletes of the partition whose file_path bounds exclude the file */
    frz_equality_span equalities[FRZ_EQUALITY_SPANS];
} frz_applied_deletes;

/* Paths are compared as `io` (borrowed) resolves them; NULL = as stored. Scopes of equality deletes
 * are made in `equalities` (borrowed). */
FRZ_MUST_CHECK frz_status frz_delete_index_new(frz_io *io, frz_equality_deletes *equalities,
                                               frz_delete_index **out, frz_error **err);
/* Accepts NULL. */
void frz_delete_index_free(frz_delete_index *index);

/* `entry` is borrowed. `unpartitioned`: its spec has no fields (or only void ones). FRZ_CORRUPT
 * when a data file has two deletion vectors. */
FRZ_MUST_CHECK frz_status frz_delete_index_add(frz_delete_index *index,
                                               const frz_manifest_entry *entry, bool unpartitioned,
                                               frz_error **err);

/* Sorts; after this only find is called. */
FRZ_MUST_CHECK frz_status frz_delete_index_seal(frz_delete_index *index, frz_error **err);

size_t frz_delete_index_count(const frz_delete_index *index);

/* The delete files of one data file, in `arena` where they are not the index's own. */
FRZ_MUST_CHECK frz_status frz_delete_index_find(const frz_delete_index *index,
                                                const frz_manifest_entry *data, frz_arena *arena,
                                                frz_applied_deletes *out, frz_error **err);

#endif
