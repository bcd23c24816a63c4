/*
 * The deletion-vector-v1 blob: length, magic, bitmap, CRC-32 (Puffin spec, "deletion-vector-v1 blob
 * type").
 */
#ifndef FRZ_PUFFIN_DELETION_VECTOR_H
#define FRZ_PUFFIN_DELETION_VECTOR_H

#include "frazil/extend/io.h"
#include "puffin/bitmap.h"

/* Appends the blob. */
FRZ_MUST_CHECK frz_status frz_deletion_vector_encode(const frz_bitmap *bitmap, frz_buffer *out,
                                                     frz_error **err);

/* `cardinality` is what the manifest says (record_count), or -1 when nothing does. FRZ_CORRUPT when
 * the length, magic, checksum, bitmap or cardinality is wrong. */
FRZ_MUST_CHECK frz_status frz_deletion_vector_decode(frz_slice blob, int64_t cardinality,
                                                     frz_bitmap **out, frz_error **err);

/* One ranged read at the manifest's content_offset and content_size_in_bytes, then decode. */
FRZ_MUST_CHECK frz_status frz_deletion_vector_read(frz_io *io, const char *location, int64_t offset,
                                                   int64_t size, int64_t cardinality,
                                                   frz_bitmap **out, frz_error **err);

#endif
