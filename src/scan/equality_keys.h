/*
 * The delete columns of equality delete files (spec "Equality Delete Files"), resolved from field
 * ids: how they are read, from data files and delete files alike, and compared.
 *
 * A column may have been renamed, promoted or dropped since: it is looked for in all schemas of the
 * table, and keys are compared in the widest type that it ever had, to which reading promotes the
 * others.
 */
#ifndef FRZ_SCAN_EQUALITY_KEYS_H
#define FRZ_SCAN_EQUALITY_KEYS_H

#include "scan/key_rows.h"
#include "spec/metadata.h"

typedef struct frz_equality_keys {
    const int32_t *ids; /* ascending, each once */
    size_t count;
    /* A field per key: a top-level column; for a nested key pruned to the structs that lead to it.
     * All optional: where a column is absent, projection gives its default or null. */
    const frz_field *fields;
    const frz_type *type; /* the struct of `fields` */
    frz_key_layout layout;
} frz_equality_keys;

/* Sorts and makes unique the ids of a delete file, into `arena`. */
FRZ_MUST_CHECK frz_status frz_equality_ids_sort(const int32_t *ids, size_t count, frz_arena *arena,
                                                const int32_t **out, size_t *count_out,
                                                frz_error **err);

/* `ids` are sorted. Lives in `arena`, borrows metadata and ids. FRZ_CORRUPT names an id that no
 * schema has, or whose column cannot be a delete column (nested in a list or map, or not
 * primitive). */
FRZ_MUST_CHECK frz_status frz_equality_keys_resolve(const frz_metadata *metadata,
                                                    const int32_t *ids, size_t count,
                                                    frz_arena *arena, frz_equality_keys *out,
                                                    frz_error **err);

#endif
