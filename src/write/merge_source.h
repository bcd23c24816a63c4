/*
 * The source of a merge: its rows in the table's schema, by key.
 *
 * Up to the memory limit they stay in memory, as one part. Beyond it they are
 * parted by the hash of their keys into nameless files of a local folder; parts are then loaded one
 * after the other, and each is joined with the whole table. A part is as large as the limit, or as
 * one partition of the hash where that is larger.
 */
#ifndef FRZ_WRITE_MERGE_SOURCE_H
#define FRZ_WRITE_MERGE_SOURCE_H

#include "base/map.h"
#include "write/overlay.h"
#include "write/row_key.h"
#include "write/transaction.h"

typedef struct frz_merge_source frz_merge_source;

typedef struct frz_merge_source_options {
    const frz_schema *schema; /* of the table; borrowed */
    const frz_field *const *keys;
    size_t key_count;
    bool case_sensitive;
    bool unique;           /* a key that stands twice is FRZ_INVALID */
    uint64_t memory_limit; /* 0 = 256 MiB */
    const char *folder;    /* for parts; NULL = TMPDIR, else /tmp */
} frz_merge_source_options;

/* Reads all of `rows` (borrowed). Names of missing and unknown columns as
 * frz_input_columns_new has them. */
FRZ_MUST_CHECK frz_status frz_merge_source_open(const frz_merge_source_options *options,
                                                const frz_transaction *transaction,
                                                struct ArrowArrayStream *rows,
                                                frz_merge_source **out, frz_error **err);
/* Accepts NULL. Removes what it spilled. */
void frz_merge_source_close(frz_merge_source *self);

/* Which fields of the table the input has; borrowed. */
const frz_source_fields *frz_merge_source_fields(const frz_merge_source *self);

/* A filter that every row of the table that has one of the keys passes, in the
 * language of expr/expression.h; NULL when there is none that says anything. */
const char *frz_merge_source_filter(const frz_merge_source *self);

/* At least one; rows without a key belong to part 0. */
size_t frz_merge_source_part_count(const frz_merge_source *self);
size_t frz_merge_source_part_of(const frz_merge_source *self, frz_slice key);

/* Brings a part into memory, in place of the one that was there. */
FRZ_MUST_CHECK frz_status frz_merge_source_load(frz_merge_source *self, size_t part,
                                                frz_error **err);

/* Of the loaded part: its rows, a struct array of the table's columns. */
const struct ArrowArray *frz_merge_source_rows(const frz_merge_source *self);
/* The first row with that key; -1 when there is none. *twice_out: there are
 * more. */
int64_t frz_merge_source_find(const frz_merge_source *self, frz_slice key, bool *twice_out);
/* Remembers that a row of the table has the key of this row, as found. */
void frz_merge_source_take(frz_merge_source *self, int64_t row);
/* A bit for each row whose key was not taken; returns their number. */
int64_t frz_merge_source_left(const frz_merge_source *self, uint64_t *mask);

#endif
