/*
 * Writes an Avro object container file from Arrow batches, with an Avro schema that the caller
 * gives as JSON text (kept to the byte, so field ids and logical types stand in the file). Maps and
 * arrays are written as sized blocks, which readers can jump over.
 *
 * Thread rule: one thread per writer.
 */
#ifndef FRZ_AVRO_WRITER_H
#define FRZ_AVRO_WRITER_H

#include "avro/schema.h"
#include "base/codec.h"
#include "frazil/arrow.h"
#include "frazil/extend/io.h"

typedef struct frz_avro_writer frz_avro_writer;

typedef struct frz_avro_key_value {
    const char *key;
    frz_slice value;
} frz_avro_key_value;

typedef struct frz_avro_writer_options {
    size_t struct_size;
    frz_codec codec;     /* NONE, DEFLATE, SNAPPY or ZSTD */
    int32_t codec_level; /* 0 = the codec's default */
    size_t block_size;   /* uncompressed bytes; 0 = 64 KiB */
    const frz_avro_key_value *metadata;
    size_t metadata_count;
} frz_avro_writer_options;

/* `options` NULL = all defaults. Metadata keys that begin with "avro." are ours: FRZ_INVALID.
 * Borrows `output`, which the caller commits after finish or aborts. The batches' Arrow struct
 * children match the schema's fields by position; a null in a type without null branch is
 * FRZ_INVALID. After a failure the writer is of no more use. */
FRZ_MUST_CHECK frz_status frz_avro_writer_open(frz_output *output, frz_slice schema_json,
                                               const frz_avro_writer_options *options,
                                               frz_avro_writer **out, frz_error **err);

FRZ_MUST_CHECK frz_status frz_avro_writer_write(frz_avro_writer *writer,
                                                const struct ArrowSchema *schema,
                                                const struct ArrowArray *batch, frz_error **err);

/* Bytes so far, roughly: what was written, and the block that waits as it is in memory. */
uint64_t frz_avro_writer_size(const frz_avro_writer *writer);

/* Flushes the last block; *size_out is the size of the file. */
FRZ_MUST_CHECK frz_status frz_avro_writer_finish(frz_avro_writer *writer, uint64_t *size_out,
                                                 frz_error **err);

/* Accepts NULL. Does not touch the output. */
void frz_avro_writer_free(frz_avro_writer *writer);

#endif
