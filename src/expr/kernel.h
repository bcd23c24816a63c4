/*
 * Tests of whole columns: one kernel per layout of values and kind of test, each writing 64 rows at
 * a time into a bit mask.
 */
#ifndef FRZ_EXPR_KERNEL_H
#define FRZ_EXPR_KERNEL_H

#include "expr/expression.h"
#include "frazil/arrow.h"

typedef struct frz_test frz_test;

/*
 * Clears the bits of rows 0..count whose value fails the test; the row r is at physical index start
 * + r. Words of the mask that are zero are skipped. Null rows have any value: their bits are
 * cleared before.
 */
typedef void (*frz_kernel)(const frz_test *test, const struct ArrowArray *array, int64_t start,
                           int64_t count, uint64_t *mask);

/* A leaf made ready for its column. */
struct frz_test {
    frz_kernel kernel;
    bool negated; /* the values that pass are the others */
    const frz_expr *leaf;
    size_t width; /* bytes of a fixed value */
    int64_t low;  /* integers: low <= x <= low + span */
    uint64_t span;
    frz_int128 wide_low; /* decimals, likewise */
    frz_uint128 wide_span;
    double number;     /* floating literals */
    bool below, equal; /* bytes: which orders pass */
};

/* NULL when the leaf tests for null only, which is the caller's work. `arena` keeps what the test
 * needs. */
void frz_test_init(frz_test *out, const frz_expr *leaf, const frz_type *type);

#endif
