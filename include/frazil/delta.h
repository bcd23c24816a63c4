/*
 * Streaming upserts: one commit that takes rows out by key without reading the table, beside rows
 * that come in (spec "Equality Delete Files", "Position Delete Files", "Deletion Vectors"). Format
 * versions 2 and 3.
 *
 *   frz_delta_open -> insert, upsert, delete_keys, delete_positions, in any order and number
 *                  -> frz_delta_commit -> frz_delta_free
 *
 * What a key means: deleting it takes out every row of the table that has it, and of this commit
 * the rows that came before. Equality deletes reach only rows that older commits brought (their
 * data sequence number is strictly less), so that what comes in behind the delete stays; a row
 * that came in earlier in this commit goes by its position (V2), by a deletion vector (V3). A key
 * part that is null is a value like others: it deletes the rows that have null there.
 *
 * What it costs: every reader compares the rows of all older files with the keys until these
 * deletes are compacted away. Where the table may be read, frz_table_upsert is kinder to readers;
 * rows that it updates keep their _row_id, those of a delta are new ones (spec "Row Lineage").
 *
 * Thread rule: one thread per delta.
 */
#ifndef FRZ_DELTA_H
#define FRZ_DELTA_H

#include "frazil/arrow.h"
#include "frazil/error.h"
#include "frazil/options.h"
#include "frazil/table.h"
#include "frazil/write.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frz_delta frz_delta;

typedef struct frz_delta_options {
    size_t struct_size;
    const char *const *keys; /* columns, nested ones by dotted path; NULL: the identifier fields */
    size_t key_count;
    bool global; /* deletes reach every partition: they are written under a spec of the table that
                    has no partition fields */
    uint64_t memory_limit;    /* bytes of the keys of this commit in memory: about 96 and the key's
                                 own for each. More wait in 32 local files, which are read one by one
                                 at the end: so 32 times as many fit. Keys that were forgotten like
                                 this may get a second equality delete, which changes nothing.
                                 0 = 256 MiB */
    const char *spill_folder; /* of those files, which have no name there; NULL = TMPDIR, else /tmp
                               */
} frz_delta_options;
#define FRZ_DELTA_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_delta_options)

/*
 * Begins a commit on the table as it now stands. `how` may be NULL. The table, and what `options`
 * points to, are borrowed until frz_delta_free; `how` is not.
 *
 * FRZ_INVALID: format version 1, which has no delete files; a key column that there is not, of
 * float or double, within a list or map (spec "Identifier Field IDs"); no keys and no identifier
 * fields; a table that is partitioned by a column that is no part of the key (deletes reach their
 * own partition only), unless `global`; `global` on a table that never had a spec without
 * partition fields. When the first key is deleted: rows that another partition spec wrote, which
 * deletes of this one cannot reach, unless `global`.
 *
 * Under an idempotency key that was committed before, what follows is taken and dropped, and the
 * commit tells so.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_delta_open(frz_table *table, const frz_delta_options *how,
                                                 const frz_write_options *options, frz_delta **out,
                                                 frz_error **err);

/* Accepts NULL. Removes what was written when it was not committed. */
FRZ_API void frz_delta_free(frz_delta *delta);

/*
 * Rows come in (`rows` is released in every case), in the order they are given: the table's sort
 * order does not count here. Columns go by name, as of an append. A row whose
 * key came in this commit already takes the place of that one: a key names one row at most.
 *
 * After a failure of this or any function below, only frz_delta_free is of use.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_delta_insert(frz_delta *delta, struct ArrowArrayStream *rows,
                                                   frz_error **err);

/* Deletes the keys; `keys` (released in every case) has the key columns, all of them and no
 * others. */
FRZ_API FRZ_MUST_CHECK frz_status frz_delta_delete_keys(frz_delta *delta,
                                                        struct ArrowArrayStream *keys,
                                                        frz_error **err);

/* Deletes the key of each row, then brings the row in: the last row of a key is the one that
 * stays. Releases `rows` in every case. */
FRZ_API FRZ_MUST_CHECK frz_status frz_delta_upsert(frz_delta *delta, struct ArrowArrayStream *rows,
                                                   frz_error **err);

/* Deletes rows of a data file of the table by their positions, from 0. `path` is as the table has
 * it (the column file_path of its files, _file of its rows). The file must be live when the delta
 * is committed: FRZ_NOT_FOUND when it was not at first, FRZ_CONFLICT when another commit removed
 * it. */
FRZ_API FRZ_MUST_CHECK frz_status frz_delta_delete_positions(frz_delta *delta, const char *path,
                                                             const int64_t *positions, size_t count,
                                                             frz_error **err);

/*
 * Commits all of it as one snapshot: "append" when rows only came in, "delete" when they only went,
 * else "overwrite". Nothing to do is FRZ_OK with commit->operation NULL. Other commits are no
 * conflict, as nothing was read (Java's RowDelta), but for the data files of delete_positions.
 * Outcomes as of every write (frazil/write.h); the table handle is refreshed; `out` may be NULL.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_delta_commit(frz_delta *delta, frz_commit **out,
                                                   frz_error **err);

#ifdef __cplusplus
}
#endif

#endif
