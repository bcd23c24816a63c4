/*
 * Writes JSON into a buffer: commas, escapes and nesting are its business. The buffer's sticky
 * failure reports short memory.
 */
#ifndef FRZ_JSON_WRITER_H
#define FRZ_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

typedef struct frz_json_writer {
    frz_buffer *out; /* borrowed */
    uint32_t depth;
    uint32_t indent; /* spaces per level; 0 = compact */
    uint64_t arrays; /* bit per level, from 0: whether it is an array, for close_all */
    bool need_comma;
    bool after_key;
} frz_json_writer;

frz_json_writer frz_json_writer_to(frz_buffer *out, uint32_t indent);

void frz_json_open_object(frz_json_writer *json);
void frz_json_close_object(frz_json_writer *json);
void frz_json_open_array(frz_json_writer *json);
void frz_json_close_array(frz_json_writer *json);

/* Closes what is open, down to `depth` levels (at most 64 are known): a document that was broken
 * off is JSON again. A key without value gets null. */
void frz_json_close_to(frz_json_writer *json, uint32_t depth);
void frz_json_key(frz_json_writer *json, const char *key);
void frz_json_key_slice(frz_json_writer *json, frz_slice key);

/* Bytes that are not UTF-8 come out as U+FFFD. */
void frz_json_string(frz_json_writer *json, const char *text);
void frz_json_string_slice(frz_json_writer *json, frz_slice text);
void frz_json_i64(frz_json_writer *json, int64_t value);
void frz_json_f64(frz_json_writer *json, double value); /* NaN and infinities as strings */
void frz_json_bool(frz_json_writer *json, bool value);
void frz_json_null(frz_json_writer *json);
void frz_json_raw(frz_json_writer *json, frz_slice value); /* a complete value, as it stands */

#endif
