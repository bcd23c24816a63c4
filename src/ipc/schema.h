/*
 * The schema of an IPC stream or file (Schema.fbs): as an Arrow schema, and as the tree of columns
 * that batches are read by.
 */
#ifndef FRZ_IPC_SCHEMA_H
#define FRZ_IPC_SCHEMA_H

#include "arrow/type.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/map.h"
#include "frazil/arrow.h"
#include "ipc/flat.h"

/* How one column stands in a batch. */
typedef struct frz_ipc_column {
    const char *path; /* for messages */
    uint32_t depth;
    frz_arrow_type type; /* of a dictionary's indexes where there is one */
    int64_t dictionary_id;
    size_t dictionary_index;       /* the same for all columns that share one */
    struct frz_ipc_column *values; /* of the dictionary, which then has the children; else NULL */
    const struct ArrowSchema *plain_values; /* the values' schema when they are made plain */
    struct frz_ipc_column *children;
    size_t child_count;
    struct ArrowSchema arrow;           /* of a dictionary's values: as they are sent */
    struct frz_ipc_column *next_values; /* of another dictionary */
} frz_ipc_column;

/* All zero is empty. Columns live in the arena. */
typedef struct frz_ipc_schema {
    frz_arena arena;
    struct ArrowSchema arrow; /* a struct of columns as they are sent; values of dictionaries are
                                 plain (arrow/normalize.h) */
    frz_ipc_column root;
    frz_map dictionaries; /* id -> the first frz_ipc_column that has it */
    size_t dictionary_count;
    frz_ipc_column *values; /* of all dictionaries, by next_values */
} frz_ipc_schema;

/*
 * Reads `table`, a Schema, whose buffer is to be checked afterwards. FRZ_UNSUPPORTED for big-endian
 * data, for unions and intervals, which have no Iceberg type, and beyond the limits; FRZ_CORRUPT
 * for what is no schema. *out is zero before, and to be cleared in every case.
 */
FRZ_MUST_CHECK frz_status frz_ipc_schema_read(const frz_flat_table *table, const frz_limits *limits,
                                              frz_ipc_schema *out, frz_error **err);
void frz_ipc_schema_clear(frz_ipc_schema *schema);

#endif
