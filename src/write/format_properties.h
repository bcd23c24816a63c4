/*
 * Which formats a table's files are written in, and how Avro is: write.format.default,
 * write.delete.format.default, write.avro.* and write.delete.avro.* (Java's TableProperties).
 */
#ifndef FRZ_WRITE_FORMAT_PROPERTIES_H
#define FRZ_WRITE_FORMAT_PROPERTIES_H

#include "avro/writer.h"
#include "spec/manifest.h"
#include "spec/metadata.h"

typedef struct frz_format_properties {
    frz_file_format data;    /* PARQUET or AVRO */
    frz_file_format deletes; /* that of data unless it is set */
    frz_avro_writer_options avro;
    frz_avro_writer_options delete_avro; /* what is not set falls back to that of data */
} frz_format_properties;

/* FRZ_UNSUPPORTED names orc; FRZ_INVALID a format, codec or level that there is not. */
FRZ_MUST_CHECK frz_status frz_format_properties_read(const frz_metadata *metadata,
                                                     frz_format_properties *out, frz_error **err);

#endif
