/*
 * One new Parquet or Avro file of a table, from its creation to its manifest entry.
 */
#ifndef FRZ_WRITE_DATA_FILE_H
#define FRZ_WRITE_DATA_FILE_H

#include "spec/manifest.h"
#include "write/file_format.h"
#include "write/metrics.h"
#include "write/own_files.h"
#include "write/properties.h"

/* What the files of one write have in common. Everything is borrowed and outlives them. */
typedef struct frz_file_context {
    frz_io *io;
    const frz_metadata *metadata;
    frz_file_options options;
    const frz_metrics_config *metrics;
    const struct ArrowSchema *arrow; /* of the batches; field ids in the metadata */
    const frz_type *root;            /* the struct that they hold */
    frz_own_files *own;
    frz_arena *arena;         /* of the entries */
    const char *operation_id; /* a uuid: part of every file name */
    const char *suffix;       /* of file names, before the extension: "" or "-deletes" */
    int32_t spec_id;
    int32_t file_count; /* names given out so far */
} frz_file_context;

typedef struct frz_data_file_writer frz_data_file_writer;

/* `partition`: values of the spec, borrowed until finish. */
FRZ_MUST_CHECK frz_status frz_data_file_writer_open(frz_file_context *context,
                                                    const frz_value *partition,
                                                    frz_data_file_writer **out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_data_file_writer_write(frz_data_file_writer *self,
                                                     const struct ArrowArray *batch,
                                                     frz_error **err);
/* Bytes so far, roughly; and bytes of memory that it holds. */
uint64_t frz_data_file_writer_size(const frz_data_file_writer *self);
uint64_t frz_data_file_writer_memory(const frz_data_file_writer *self);

/* Rows written so far, and where they are going; the text lives in the context's arena. */
int64_t frz_data_file_writer_rows(const frz_data_file_writer *self);
const char *frz_data_file_writer_location(const frz_data_file_writer *self);

/* Makes the file durable and describes it in the context's arena. Frees, also on failure. */
FRZ_MUST_CHECK frz_status frz_data_file_writer_finish(frz_data_file_writer *self,
                                                      frz_data_file *out, frz_error **err);
/* Accepts NULL. Removes the file; frees. */
void frz_data_file_writer_abort(frz_data_file_writer *self);

/* `00000-0-<operation id>-<count><suffix>`, as Java names files; in the context's arena. */
FRZ_MUST_CHECK frz_status frz_file_context_name(frz_file_context *context, const char *suffix,
                                                const char **out, frz_error **err);

#endif
