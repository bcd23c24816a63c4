/*
 * How a schema is made of fields that already lie in an arena of its own: for the JSON and DDL
 * parsers, which would otherwise copy everything once more.
 */
#ifndef FRZ_SPEC_SCHEMA_BUILD_H
#define FRZ_SPEC_SCHEMA_BUILD_H

#include "spec/schema.h"

typedef struct frz_schema_parts {
    int32_t schema_id;
    const frz_field *fields; /* in the arena, as all they point to */
    size_t field_count;
    const int32_t *identifier_ids;
    size_t identifier_count;
    bool foreign; /* faults are FRZ_CORRUPT, not FRZ_INVALID, and equal paths are tolerated */
} frz_schema_parts;

/* Takes the memory of `arena`, which is empty afterwards, also on failure. */
FRZ_MUST_CHECK frz_status frz_schema_build(const frz_schema_parts *parts, frz_arena *arena,
                                           frz_schema **out, frz_error **err);

#endif
