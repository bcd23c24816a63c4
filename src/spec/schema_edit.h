/*
 * The steps that changes of a schema are made of, by field id: for schema_update.c and
 * schema_union.c.
 */
#ifndef FRZ_SPEC_SCHEMA_EDIT_H
#define FRZ_SPEC_SCHEMA_EDIT_H

#include "spec/schema_update.h"

enum { FRZ_SCHEMA_TOP = -1 };

/* The fields of a struct, or of the schema itself (FRZ_SCHEMA_TOP). */
const frz_type *frz_schema_edit_struct(const frz_schema *schema, int32_t id);

/* Puts `fields` in the place of the children of field `parent` and makes the schema of that; *arena
 * holds what is made on the way. */
FRZ_MUST_CHECK frz_status frz_schema_edit_children(frz_schema_update *self, int32_t parent,
                                                   const frz_field *fields, size_t count,
                                                   frz_arena *arena, frz_error **err);

/* Puts `field` in the place of the one that has its id. */
FRZ_MUST_CHECK frz_status frz_schema_edit_field(frz_schema_update *self, const frz_field *field,
                                                frz_arena *arena, frz_error **err);

/* Adds a field to a struct, with new ids for it and all that is nested in it. Its write defaults
 * become initial ones, too. */
FRZ_MUST_CHECK frz_status frz_schema_edit_add(frz_schema_update *self, int32_t parent,
                                              const frz_field *field, size_t index,
                                              frz_arena *arena, int32_t *id_out, frz_error **err);

/* Gives a field another type, if its values may be read as that. */
FRZ_MUST_CHECK frz_status frz_schema_edit_promote(frz_schema_update *self, frz_field *field,
                                                  const frz_type *type, frz_arena *arena,
                                                  frz_error **err);

/* Whether a new child of `parent` may have the name: not that of a sibling nor, at the top, of a
 * metadata column. */
FRZ_MUST_CHECK frz_status frz_schema_edit_check_name(const frz_schema_update *self, int32_t parent,
                                                     const char *name, frz_error **err);

/* Whether field `id` is `ancestor` or nested in it. */
bool frz_schema_edit_is_within(const frz_schema *schema, int32_t id, int32_t ancestor);

/* FRZ_INVALID inside the key of a map, which never changes. */
FRZ_MUST_CHECK frz_status frz_schema_edit_check_key(const frz_schema *schema, int32_t id,
                                                    frz_error **err);

#endif
