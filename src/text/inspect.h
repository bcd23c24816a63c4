/*
 * Which kind of file one is, by its first bytes, for both halves of `frazil inspect`.
 */
#ifndef FRZ_TEXT_INSPECT_H
#define FRZ_TEXT_INSPECT_H

#include "frazil/extend/io.h"
#include "json/writer.h"

typedef enum frz_file_kind {
    FRZ_FILE_PARQUET,
    FRZ_FILE_AVRO,
    FRZ_FILE_PUFFIN,
    FRZ_FILE_METADATA /* metadata.json, plain or compressed */
} frz_file_kind;

/* FRZ_CORRUPT when its start is none of these. */
FRZ_MUST_CHECK frz_status frz_file_kind_of(frz_input *input, const char *location,
                                           frz_file_kind *out, frz_error **err);

/* The members of one object per kind of file. */
FRZ_MUST_CHECK frz_status frz_inspect_parquet(frz_input *input, frz_json_writer *json,
                                              frz_error **err);

#endif
