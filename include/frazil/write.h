/*
 * Writes: append, delete, update, merge and overwrite, each one snapshot by one swap of the catalog
 * pointer.
 *
 * Outcomes: FRZ_OK committed; FRZ_CONFLICT another commit won and retries are used up (nothing
 * changed); FRZ_UNKNOWN_STATE the swap may have happened (nothing was deleted); any other status:
 * nothing changed, and the files of this attempt were removed.
 *
 * Thread rule: one thread at a time for each table handle. Several handles, threads and processes
 * may write to one table: what is a conflict then, docs/isolation.md tells.
 */
#ifndef FRZ_WRITE_H
#define FRZ_WRITE_H

#include <stddef.h>

#include "frazil/arrow.h"
#include "frazil/catalog.h"
#include "frazil/error.h"
#include "frazil/options.h"
#include "frazil/table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a commit made. Free with frz_commit_free. */
typedef struct frz_commit {
    int64_t snapshot_id;
    int64_t sequence_number;
    const char *operation; /* append, overwrite, delete; NULL when there was nothing to commit */
    const frz_option *summary;
    size_t summary_count;
    bool already_committed; /* nothing was written: this snapshot, committed before under the same
                               idempotency key, has it all */
} frz_commit;
/* Accepts NULL. */
FRZ_API void frz_commit_free(frz_commit *commit);

typedef struct frz_write_options {
    size_t struct_size;
    const char *branch; /* NULL = main; made when it does not exist */
    const frz_option *snapshot_properties;
    size_t snapshot_property_count;
    bool case_insensitive;
    const bool *cancelled;          /* looked at between batches and before the swap; may be NULL */
    const char *const *input_names; /* of the inputs of an append, for messages; may be NULL */
    const char *wap_id; /* stage only: the snapshot is on no branch until it is published under this
                           id (frz_table_publish); NULL = committed to the branch */
    const char *idempotency_key; /* at most one commit under this key: where the history of the
                                    branch has one, as far back as its snapshots are kept, nothing
                                    is written and that one is the result. NULL = none */
    int32_t open_files_max;   /* partitions that are written side by side; rows of more than these
                                 are brought together by partition first. 0 = 100 */
    uint64_t sort_memory;     /* bytes that rows take in memory while they are sorted or brought
                                 together; the others wait in files. 0 = 128 MiB, at most 2 GiB */
    const char *spill_folder; /* of those files, which have no name there; NULL = TMPDIR, else /tmp.
                                 A merge has its own for its source */
} frz_write_options;
#define FRZ_WRITE_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_write_options)

/*
 * Appends all rows of `rows` (released in every case) as one snapshot. Columns go by name; missing
 * ones get their write default, unknown ones are FRZ_INVALID. The table handle is refreshed. `out`
 * may be NULL.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_append(frz_table *table, struct ArrowArrayStream *rows,
                                                   const frz_write_options *options,
                                                   frz_commit **out, frz_error **err);

/* The same with several inputs, whose columns may differ, as one snapshot: all or nothing. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_append_all(frz_table *table,
                                                       struct ArrowArrayStream *inputs,
                                                       size_t input_count,
                                                       const frz_write_options *options,
                                                       frz_commit **out, frz_error **err);

/* How rows leave their files: by deletion vectors (V3) or position deletes (V2), or by writing the
 * rows that stay to new files. Of updates and merges as well. */
typedef enum frz_delete_mode {
    FRZ_DELETE_MODE_DEFAULT, /* write.{delete,update,merge}.mode of the table, else merge-on-read
                                (V1: copy-on-write) */
    FRZ_DELETE_MODE_MERGE_ON_READ,
    FRZ_DELETE_MODE_COPY_ON_WRITE
} frz_delete_mode;

/* Deletes the rows for which `where` is true. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_delete(frz_table *table, const char *where,
                                                   frz_delete_mode mode,
                                                   const frz_write_options *options,
                                                   frz_commit **out, frz_error **err);

/*
 * Sets columns of the rows for which `where` is true (NULL: of all rows). `set` is a list
 * `a = FORMULA, b.c = FORMULA, d = DEFAULT`: formulas are literals, columns, + - * / % ||,
 * coalesce, cast, upper and lower, and see the row as it was. FRZ_INVALID with the offset in `set`
 * for what is no list of assignments, and with the row for a value that cannot be computed or is
 * null in a required column. Rows keep their _row_id.
 *
 * FRZ_CONFLICT when another commit deleted or changed rows of the same files meanwhile, or added
 * files that may match (write.update.isolation-level serializable).
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_update(frz_table *table, const char *set,
                                                   const char *where, frz_delete_mode mode,
                                                   const frz_write_options *options,
                                                   frz_commit **out, frz_error **err);

/* Deletes every row: all data files and their deletes leave the table, by metadata alone. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_truncate(frz_table *table,
                                                     const frz_write_options *options,
                                                     frz_commit **out, frz_error **err);

typedef enum frz_merge_action { FRZ_MERGE_UPDATE, FRZ_MERGE_DELETE } frz_merge_action;

/* What happens to rows of the table whose key the source has. */
typedef struct frz_merge_clause {
    frz_merge_action action;
    const char
        *where;      /* NULL: always. Columns of the table by name, of the source as source.NAME */
    const char *set; /* UPDATE: assignments, whose formulas see both; NULL: every column, and member
                        of a struct, that the source has */
} frz_merge_clause;

typedef struct frz_merge_options {
    size_t struct_size;
    const char *const *keys; /* columns that must be equal, a null equals nothing; NULL: the
                                identifier fields of the table */
    size_t key_count;
    const frz_merge_clause *matched; /* the first whose condition is true is taken; none: the row
                                        stays as it is */
    size_t matched_count;
    bool insert_not_matched;           /* rows of the source whose key the table has not */
    bool delete_not_matched_by_source; /* rows of the table whose key the source has not */
    bool unique_keys;                  /* a key that the source has twice is FRZ_INVALID */
    frz_delete_mode mode;              /* default: write.merge.mode */
    uint64_t memory_limit; /* bytes of the source in memory; the rest waits in files. 0 = 256 MiB */
    const char *spill_folder; /* of those files; NULL = TMPDIR, else /tmp */
    const char *source_name;  /* what conditions and formulas call the source; NULL = source */
} frz_merge_options;
#define FRZ_MERGE_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_merge_options)

/*
 * Merges the rows of `source` (released in every case) into the table as one snapshot. Columns of
 * the source go by name, as of an append. Rows that are updated keep their _row_id. FRZ_INVALID
 * names the key of a row of the table that several rows of the source match, as no clause could
 * tell which of them counts. Conflicts as of an update, by write.merge.isolation-level.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_merge(frz_table *table, struct ArrowArrayStream *source,
                                                  const frz_merge_options *how,
                                                  const frz_write_options *options,
                                                  frz_commit **out, frz_error **err);

/* The short form: rows whose key the table has are updated, the others inserted; every key at most
 * once. Of `how`, the keys, the mode and what is said of memory count. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_upsert(frz_table *table,
                                                   struct ArrowArrayStream *source,
                                                   const frz_merge_options *how,
                                                   const frz_write_options *options,
                                                   frz_commit **out, frz_error **err);

typedef struct frz_overwrite_options {
    size_t struct_size;
    const char *where; /* rows that go; the new ones must match it too */
    bool dynamic;      /* or: the partitions of the input under the table's default spec, whatever
                          spec files were written with; unpartitioned: every row */
    frz_delete_mode mode; /* of files that hold other rows as well; default: write.delete.mode */
} frz_overwrite_options;
#define FRZ_OVERWRITE_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_overwrite_options)

/*
 * Puts the rows of the inputs (released in every case) in place of those that `how` tells, as one
 * snapshot. Without any row in the input, a filter still deletes and a dynamic overwrite changes
 * nothing. FRZ_INVALID names a row of the input that does not match the filter. FRZ_CONFLICT when
 * another commit added rows that would go, or deleted rows of files that are replaced
 * (write.delete.isolation-level).
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_overwrite(frz_table *table,
                                                      struct ArrowArrayStream *inputs,
                                                      size_t input_count,
                                                      const frz_overwrite_options *how,
                                                      const frz_write_options *options,
                                                      frz_commit **out, frz_error **err);

/*
 * Brings the change of another snapshot, staged or of another branch, onto the branch of `options`
 * (Java's rules): a snapshot whose parent the branch is at becomes its head as it is; an append,
 * and an overwrite of whole partitions that nobody wrote to meanwhile, are made again as a new
 * snapshot that names it (source-snapshot-id). FRZ_INVALID for any other; FRZ_ALREADY_EXISTS when
 * it, or one of the same write-audit-publish id, is on the branch already.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_cherry_pick(frz_table *table, int64_t snapshot_id,
                                                        const frz_write_options *options,
                                                        frz_commit **out, frz_error **err);

/* Cherry-picks the snapshot that was staged under this id; its own `wap_id` in `options` does not
 * count. FRZ_NOT_FOUND; FRZ_INVALID when several were. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_publish(frz_table *table, const char *wap_id,
                                                    const frz_write_options *options,
                                                    frz_commit **out, frz_error **err);

#ifdef __cplusplus
}
#endif

#endif
