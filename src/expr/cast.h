/*
 * One value from one primitive type to another, for formulas.
 *
 * Exact casts are those that an assignment makes by itself: integers into integers that hold them
 * and into floats, doubles and decimals; decimals into decimals whose digits suffice, floats and
 * doubles; floats and doubles into each other; dates and timestamps along the promotions of the
 * specification. What is asked for by name may lose digits as well: decimals round half up, floats
 * and doubles lose their fraction on the way to integers, timestamps their time on the way to
 * dates, and everything becomes text and back.
 */
#ifndef FRZ_EXPR_CAST_H
#define FRZ_EXPR_CAST_H

#include "base/arena.h"
#include "spec/value.h"

/* Whether there is such a cast at all, whatever the value. */
bool frz_cast_exists(const frz_type *from, const frz_type *to, bool exact);

/* A null stays null. FRZ_INVALID when the value is none of `to`. Bytes are borrowed from `value` or
 * `arena`. */
FRZ_MUST_CHECK frz_status frz_cast(const frz_type *from, const frz_type *to, bool exact,
                                   const frz_value *value, frz_arena *arena, frz_value *out,
                                   frz_error **err);

#endif
