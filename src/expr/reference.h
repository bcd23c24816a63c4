/*
 * Column names of an expression, resolved to field ids.
 */
#ifndef FRZ_EXPR_REFERENCE_H
#define FRZ_EXPR_REFERENCE_H

#include "expr/literal.h"

/* One part of a name as written: a word, or what is in brackets. */
typedef struct frz_name_part {
    bool is_subscript;
    uint64_t offset;
    frz_slice name;
    frz_literal subscript;
} frz_name_part;

/*
 * The first part is a name. FRZ_INVALID with the offset of the part that does not resolve, and near
 * names. Parts joined by dots also find a field whose own name has dots.
 */
FRZ_MUST_CHECK frz_status frz_reference_resolve(const frz_expr_scope *scope,
                                                const frz_name_part *parts, size_t part_count,
                                                frz_arena *arena, const frz_reference **out,
                                                frz_error **err);

/* size(of): FRZ_INVALID, with `offset`, where that is neither a list nor a map. */
FRZ_MUST_CHECK frz_status frz_reference_size(const frz_reference *of, uint64_t offset,
                                             frz_arena *arena, const frz_reference **out,
                                             frz_error **err);

/* The same path by field ids in another schema. */
FRZ_MUST_CHECK frz_status frz_reference_rebind(const frz_reference *reference,
                                               const frz_expr_scope *scope, frz_arena *arena,
                                               const frz_reference **out, frz_error **err);

#endif
