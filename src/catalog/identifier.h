/*
 * Dotted identifiers and the lists of names that catalogs hand out.
 */
#ifndef FRZ_CATALOG_IDENTIFIER_H
#define FRZ_CATALOG_IDENTIFIER_H

#include <stdbool.h>

#include "base/slice.h"
#include "frazil/catalog.h"

/* "a.b.t" into "a.b" and "t". FRZ_INVALID without a namespace or with an empty level. */
FRZ_MUST_CHECK frz_status frz_identifier_split(const char *identifier, frz_slice *namespace_out,
                                               frz_slice *name_out, frz_error **err);

/* FRZ_INVALID unless every level of a dotted namespace has a name. */
FRZ_MUST_CHECK frz_status frz_namespace_check(const char *name, frz_error **err);

/* The namespace one level up; size 0 for a top-level one. */
frz_slice frz_namespace_parent(frz_slice name);

/* Whether `name` is `parent` itself or lies below it. */
bool frz_namespace_is_within(frz_slice name, frz_slice parent);

/* The child of `parent` (empty = top) on the way to `name`; size 0 when `name` is not below it. */
frz_slice frz_namespace_child(frz_slice parent, frz_slice name);

/* Appends a copy. */
FRZ_MUST_CHECK frz_status frz_names_add(frz_names *names, frz_slice name, frz_error **err);
bool frz_names_contain(const frz_names *names, frz_slice name);
/* Moves `names` to *out, sorted by bytes: listings have one order in every back-end. */
void frz_names_take_sorted(frz_names *names, frz_names *out);

#endif
