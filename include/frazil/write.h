/*
 * Writes: append, delete and update, each one snapshot by one swap of the catalog pointer.
 *
 * Outcomes: FRZ_OK committed; FRZ_CONFLICT another commit won and retries are used up (nothing
 * changed); FRZ_UNKNOWN_STATE the swap may have happened (nothing was deleted); any other status:
 * nothing changed, and the files of this attempt were removed.
 */
#ifndef FRZ_WRITE_H
#define FRZ_WRITE_H

#include <stddef.h>

#include "frazil/arrow.h"
#include "frazil/catalog.h"
#include "frazil/error.h"
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
} frz_commit;
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
                           id (frazil/refs.h); NULL = committed to the branch */
} frz_write_options;
#define FRZ_WRITE_OPTIONS_INIT                   \
    {                                            \
        .struct_size = sizeof(frz_write_options) \
    }

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

#ifdef __cplusplus
}
#endif

#endif
