/*
 * LIKE patterns: `%` matches any run of characters, `_` one character (a code point), a backslash
 * makes the next `%`, `_` or backslash literal. This canonical form is what FRZ_EXPR_LIKE holds.
 */
#ifndef FRZ_EXPR_LIKE_H
#define FRZ_EXPR_LIKE_H

#include "base/arena.h"
#include "frazil/error.h"

typedef enum frz_like_shape {
    FRZ_LIKE_EXACT,  /* no wildcard: equality with `text` */
    FRZ_LIKE_PREFIX, /* `text` and then only % */
    FRZ_LIKE_GENERAL /* `text` is the canonical pattern */
} frz_like_shape;

/*
 * Tells what a pattern with backslash escapes asks for. FRZ_INVALID (offset `offset`) when the
 * escape stands before anything but %, _ or itself. `text_out` is in `arena`.
 */
FRZ_MUST_CHECK frz_status frz_like_parse(frz_slice pattern, uint64_t offset, frz_arena *arena,
                                         frz_like_shape *shape_out, frz_slice *text_out,
                                         frz_error **err);

/* The same pattern with backslashes in place of another escape character; fails as frz_like_parse.
 */
FRZ_MUST_CHECK frz_status frz_like_rewrite(frz_slice pattern, uint8_t escape, uint64_t offset,
                                           frz_arena *arena, frz_slice *out, frz_error **err);

/* Takes time of at most pattern size times text size. */
bool frz_like_match(frz_slice pattern, frz_slice text);

/* Bytes with which every match begins; points into the pattern, possibly empty. */
frz_slice frz_like_prefix(frz_slice pattern);

#endif
