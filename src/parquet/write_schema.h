/*
 * What a writer makes of an Arrow schema: the Thrift schema elements, and for every leaf column the
 * way from the root of a batch to its values. The Arrow schema is plain (arrow/normalize.h).
 */
#ifndef FRZ_PARQUET_WRITE_SCHEMA_H
#define FRZ_PARQUET_WRITE_SCHEMA_H

#include "arrow/type.h"
#include "base/arena.h"
#include "frazil/arrow.h"
#include "parquet/element.h"
#include "parquet/metadata.h"

/* One array on the way from the root to a leaf. */
typedef struct frz_parquet_step {
    int64_t child; /* its index among the children of the array before; of the root for the first */
    frz_arrow_kind kind; /* STRUCT, LIST, MAP or the leaf's own */
    bool nullable;
} frz_parquet_step;

typedef struct frz_parquet_leaf {
    const frz_parquet_step *steps; /* the last one is the leaf */
    size_t step_count;
    const frz_parquet_node *node;
    frz_arrow_type type;
    size_t width;            /* bytes of one value in the file; 0 for BYTE_ARRAY; 1 for BOOLEAN */
    int32_t field_id;        /* FRZ_ARROW_NO_FIELD_ID when there is none */
    const char *const *path; /* ColumnMetaData.path_in_schema */
    size_t path_count;
    const char *arrow_path; /* "a.b", "l.element", "m.value": how options name it */
} frz_parquet_leaf;

typedef struct frz_parquet_write_schema {
    frz_parquet_element *elements;
    size_t element_count;
    frz_parquet_leaf *leaves;
    size_t leaf_count;
    frz_parquet_metadata tree; /* root and leaves only */
} frz_parquet_write_schema;

/* All memory is in `arena`. FRZ_UNSUPPORTED names column and type that have no form in the file. */
FRZ_MUST_CHECK frz_status frz_parquet_write_schema_make(const struct ArrowSchema *schema,
                                                        frz_arena *arena,
                                                        frz_parquet_write_schema **out,
                                                        frz_error **err);

#endif
