/*
 * What `frazil inspect` shows of one file: which kind it is, by its first bytes, and the members of
 * one JSON object per kind. What is written before a fault stays: it tells how far the file was
 * sound.
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

typedef struct frz_inspection {
    frz_io *io;
    frz_input *input;
    const char *location;
    frz_json_writer *json; /* inside the object of the file */
    bool brief;            /* for people: no whole schemas in JSON, long lists cut off */
} frz_inspection;

FRZ_MUST_CHECK frz_status frz_inspect_parquet(const frz_inspection *of, frz_error **err);
FRZ_MUST_CHECK frz_status frz_inspect_avro(const frz_inspection *of, frz_error **err);
FRZ_MUST_CHECK frz_status frz_inspect_puffin(const frz_inspection *of, frz_error **err);
FRZ_MUST_CHECK frz_status frz_inspect_metadata(const frz_inspection *of, frz_error **err);

/* Members of the object that is open. `known`: nothing for -1, which stands for what is not there.
 */
void frz_inspect_text(frz_json_writer *json, const char *key, const char *text); /* NULL is null */
void frz_inspect_number(frz_json_writer *json, const char *key, int64_t value);
void frz_inspect_known(frz_json_writer *json, const char *key, int64_t value);
/* Text of a file's own key-value pairs; brief, what is long is cut off. */
void frz_inspect_entry(const frz_inspection *of, const char *key, frz_slice text);
/* The contents of a buffer, which is cleared. */
void frz_inspect_buffer(frz_json_writer *json, const char *key, frz_buffer *text);

#endif
