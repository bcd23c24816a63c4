/*
 * What a Parquet file says of the values of a column, row group by row group or page by page
 * (parquet.thrift Statistics; PageIndex.md), against the values. Readers leave out what these say
 * holds no match, so that rows are lost where they are wrong.
 */
#ifndef FRZ_MAINTENANCE_CLAIMS_H
#define FRZ_MAINTENANCE_CLAIMS_H

#include "parquet/file.h"
#include "spec/value.h"

/* Of consecutive rows. */
typedef struct frz_claim {
    int64_t end; /* the row behind the last one, counted in the file */
    bool has_lower;
    bool has_upper;
    frz_value lower;
    frz_value upper;
    bool settles;       /* a value within these bounds is within all wider ones as well */
    int64_t null_count; /* -1 unknown */
    int64_t nulls;      /* that there are */
    int64_t outside;    /* values below or above */
} frz_claim;

/* All zero says nothing. */
typedef struct frz_claims {
    frz_claim *items;
    size_t count;
    size_t at;
    int64_t row; /* the next one */
} frz_claims;

/* Those of row groups, and those of pages where the file has an index of them that readers follow.
 * `node` is a leaf outside of lists and maps, and of a type that `type` can be read from. Values
 * live in `arena`. */
FRZ_MUST_CHECK frz_status frz_claims_of_groups(const frz_parquet_file *file,
                                               const frz_parquet_node *node, const frz_type *type,
                                               frz_arena *arena, frz_claims *out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_claims_of_pages(frz_parquet_file *file, const frz_parquet_node *node,
                                              const frz_type *type, frz_arena *arena,
                                              frz_claims *out, frz_error **err);

/* Sees which claims settle wider ones: those of `outer`, which lie around them, and the bounds of
 * the whole file (NULL = none). */
void frz_claims_nest(frz_claims *self, const frz_claims *outer, const frz_value *lower,
                     const frz_value *upper);

/* The value of the next row, `settled` when it was compared with narrower bounds. True when it need
 * not be compared with wider ones. */
bool frz_claims_take(frz_claims *self, const frz_value *value, bool settled);

/* The first of them that is not so; NULL when all are. */
const frz_claim *frz_claims_find_wrong(const frz_claims *self);

#endif
