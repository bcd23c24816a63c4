/*
 * The formats of new data and delete files behind one interface: Parquet, and Avro, whose metrics
 * are taken while rows pass. ORC is refused by name when properties are read.
 *
 * Thread rule: one thread per writer.
 */
#ifndef FRZ_WRITE_FILE_FORMAT_H
#define FRZ_WRITE_FILE_FORMAT_H

#include "avro/writer.h"
#include "parquet/writer.h"
#include "spec/manifest.h"
#include "spec/type.h"

/* What files are written as. Everything is borrowed. */
typedef struct frz_file_options {
    frz_file_format format; /* PARQUET or AVRO */
    const frz_parquet_writer_options *parquet;
    const frz_avro_writer_options *avro; /* NULL: defaults */
} frz_file_options;

/* ".parquet", ".avro" */
const char *frz_file_format_extension(frz_file_format format);
/* As manifests have it: "PARQUET", "AVRO". */
const char *frz_file_format_text(frz_file_format format);

typedef struct frz_format_writer frz_format_writer;

/* Borrows all but `options`' struct itself. Batches are of the layout of `arrow`, and of the struct
 * `root`, which Avro's schema is made of. The caller commits `output` after finish or aborts it. */
FRZ_MUST_CHECK frz_status frz_format_writer_open(frz_output *output,
                                                 const frz_file_options *options,
                                                 const frz_type *root,
                                                 const struct ArrowSchema *arrow,
                                                 frz_format_writer **out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_format_writer_write(frz_format_writer *self,
                                                  const struct ArrowArray *batch, frz_error **err);
/* Bytes so far, roughly. */
uint64_t frz_format_writer_size(const frz_format_writer *self);
/* Bytes of memory that it holds: values that wait, dictionaries, scratch. */
uint64_t frz_format_writer_memory(const frz_format_writer *self);
/* Ends the file. Clear *out with frz_parquet_summary_clear; Avro has no row groups. */
FRZ_MUST_CHECK frz_status frz_format_writer_finish(frz_format_writer *self,
                                                   frz_parquet_summary *out, frz_error **err);
/* Accepts NULL. */
void frz_format_writer_free(frz_format_writer *self);

#endif
