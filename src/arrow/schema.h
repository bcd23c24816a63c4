/*
 * Arrow schemas that we make: an ArrowSchema whose memory is ours, built child by child.
 *
 * Field ids travel in the metadata key "PARQUET:field_id", as Arrow's own Parquet readers write it.
 */
#ifndef FRZ_ARROW_SCHEMA_H
#define FRZ_ARROW_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arrow/type.h"
#include "base/slice.h"
#include "frazil/arrow.h"
#include "frazil/error.h"

enum { FRZ_ARROW_NO_FIELD_ID = INT32_MIN };

/*
 * Fills *out (not initialised by the caller) with a leaf or parent of `child_count` zeroed children
 * that the caller fills with the same function. On failure *out is released and zero.
 */
FRZ_MUST_CHECK frz_status frz_arrow_schema_init(struct ArrowSchema *out, const char *format,
                                                const char *name, bool nullable, int32_t field_id,
                                                int64_t child_count, frz_error **err);

/* Replaces the metadata: `count` key-value pairs. The field id, if any, must be among them. */
FRZ_MUST_CHECK frz_status frz_arrow_schema_set_metadata(struct ArrowSchema *schema,
                                                        const char *const *keys,
                                                        const frz_slice *values, size_t count,
                                                        frz_error **err);

/* FRZ_ARROW_NO_FIELD_ID when there is none. */
int32_t frz_arrow_schema_field_id(const struct ArrowSchema *schema);

/* Its name; "" where the producer gave none. Borrowed. */
static inline const char *frz_arrow_schema_name(const struct ArrowSchema *schema)
{
    return schema->name ? schema->name : "";
}

/* Empty when the key is absent. */
frz_slice frz_arrow_schema_metadata(const struct ArrowSchema *schema, const char *key);

/* The pairs of the metadata, one after the other. */
typedef struct frz_arrow_metadata_pair {
    frz_slice key; /* borrowed */
    frz_slice value;
    const char *next;
} frz_arrow_metadata_pair;

size_t frz_arrow_schema_metadata_count(const struct ArrowSchema *schema);
frz_arrow_metadata_pair frz_arrow_schema_metadata_start(const struct ArrowSchema *schema);
/* As often as there are pairs. */
void frz_arrow_schema_metadata_next(frz_arrow_metadata_pair *pair);

/* A deep copy of any producer's schema. */
FRZ_MUST_CHECK frz_status frz_arrow_schema_copy(const struct ArrowSchema *schema,
                                                struct ArrowSchema *out, frz_error **err);

/* Name, flags and metadata of `schema` with another format, and zeroed children as of schema_init.
 */
FRZ_MUST_CHECK frz_status frz_arrow_schema_copy_as(const struct ArrowSchema *schema,
                                                   const char *format, int64_t child_count,
                                                   struct ArrowSchema *out, frz_error **err);

/* Calls release when there is one, and zeroes. */
void frz_arrow_schema_clear(struct ArrowSchema *schema);
void frz_arrow_array_clear(struct ArrowArray *array);
void frz_arrow_stream_clear(struct ArrowArrayStream *stream);

#endif
