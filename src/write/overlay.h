/*
 * A struct of a source laid over the one of the table: members that the source has come from it,
 * the others stay as they are. So a merge with a source that knows some members of a struct loses
 * none of the rest.
 */
#ifndef FRZ_WRITE_OVERLAY_H
#define FRZ_WRITE_OVERLAY_H

#include "frazil/arrow.h"
#include "spec/schema.h"

/* What a source has, by field id; ids below `id_count`. */
typedef struct frz_source_fields {
    const bool *has;
    size_t id_count;
} frz_source_fields;

bool frz_source_has(const frz_source_fields *fields, int32_t field_id);

/* Whether a struct at or below `field` lacks a member. Lists and maps are taken as a whole. */
bool frz_overlay_is_partial(const frz_source_fields *fields, const frz_field *field);

/*
 * Rows of `field`, a struct, one by one: null where the source is null; a member that the source
 * lacks is that of the table, or what the source was filled with (its write default) where the
 * table's struct is null. Both arrays have the layout of `arrow` and as many rows; they are read
 * only.
 */
FRZ_MUST_CHECK frz_status frz_overlay(const frz_source_fields *fields, const frz_field *field,
                                      const struct ArrowSchema *arrow,
                                      const struct ArrowArray *table,
                                      const struct ArrowArray *source, struct ArrowArray *out,
                                      frz_error **err);

#endif
