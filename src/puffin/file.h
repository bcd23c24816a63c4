/*
 * Puffin files: blobs with a footer that lists them (puffin-spec.md). Read for inspect and
 * statistics, written for deletion vectors. Deletion vectors are read by offset and size from the
 * manifest, without the footer (puffin/deletion_vector.h).
 */
#ifndef FRZ_PUFFIN_FILE_H
#define FRZ_PUFFIN_FILE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "base/slice.h"
#include "frazil/extend/io.h"

typedef struct frz_puffin_property {
    const char *key;
    const char *value;
} frz_puffin_property;

typedef struct frz_puffin_blob {
    const char *type;
    const int32_t *fields;
    size_t field_count;
    int64_t snapshot_id;     /* -1 for deletion vectors */
    int64_t sequence_number; /* -1 for deletion vectors */
    int64_t offset;
    int64_t length;
    const char *compression_codec; /* NULL, "lz4" or "zstd" */
    const frz_puffin_property *properties;
    size_t property_count;
} frz_puffin_blob;

typedef struct frz_puffin_footer {
    const frz_puffin_blob *blobs;
    size_t blob_count;
    const frz_puffin_property *properties;
    size_t property_count;
} frz_puffin_footer;

/* Everything read lives in `arena`. Blob ranges are checked against the file. */
FRZ_MUST_CHECK frz_status frz_puffin_footer_read(frz_input *input, const frz_limits *limits,
                                                 frz_arena *arena, frz_puffin_footer *out,
                                                 frz_error **err);

/* The bytes of one blob, decompressed, appended to *out. */
FRZ_MUST_CHECK frz_status frz_puffin_blob_read(frz_input *input, const frz_puffin_blob *blob,
                                               size_t size_max, frz_buffer *out, frz_error **err);

typedef struct frz_puffin_writer frz_puffin_writer;

/* Borrows `output`, which the caller commits after finish or aborts. */
FRZ_MUST_CHECK frz_status frz_puffin_writer_open(frz_output *output, frz_puffin_writer **out,
                                                 frz_error **err);

/* Writes `bytes` as they are; offset and length of `blob` are set by the writer and returned.
 * Copies the rest of `blob`. */
FRZ_MUST_CHECK frz_status frz_puffin_writer_add(frz_puffin_writer *writer,
                                                const frz_puffin_blob *blob, frz_slice bytes,
                                                int64_t *offset_out, frz_error **err);

/* Writes the footer with created-by; *size_out is the size of the file. */
FRZ_MUST_CHECK frz_status frz_puffin_writer_finish(frz_puffin_writer *writer, uint64_t *size_out,
                                                   frz_error **err);
/* Accepts NULL. Does not touch the output. */
void frz_puffin_writer_free(frz_puffin_writer *writer);

#endif
