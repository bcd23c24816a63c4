/*
 * What partition fields and sort fields share in JSON (spec Appendix C): a transform, and source-id
 * or source-ids.
 */
#ifndef FRZ_SPEC_TRANSFORM_JSON_H
#define FRZ_SPEC_TRANSFORM_JSON_H

#include "json/reader.h"
#include "json/writer.h"
#include "spec/transform.h"

typedef struct frz_transform_members {
    frz_transform transform;
    bool has_transform;
    const int32_t *source_ids;
    size_t source_count; /* 0: neither member was there */
} frz_transform_members;

/* Reads the value of one member; any other is skipped. `source-ids` wins over `source-id`. */
FRZ_MUST_CHECK frz_status frz_transform_members_read(frz_json_reader *json, frz_slice key,
                                                     frz_arena *arena,
                                                     frz_transform_members *members,
                                                     frz_error **err);

/* One source is written as `source-id`, several as `source-ids` (notes of Appendix C). */
void frz_transform_members_write(const frz_transform *transform, const int32_t *source_ids,
                                 size_t source_count, frz_json_writer *json);

#endif
