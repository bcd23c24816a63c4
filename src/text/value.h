/*
 * Values between text and Arrow: the one place where CSV fields and JSON values become rows of a
 * builder, and rows of an array become CSV fields, JSON values and cells of a table.
 */
#ifndef FRZ_TEXT_VALUE_H
#define FRZ_TEXT_VALUE_H

#include "arrow/builder.h"
#include "base/buffer.h"
#include "json/reader.h"
#include "json/writer.h"
#include "text/column.h"

/* One row from the text of a scalar: FRZ_INVALID unless it is exactly a value of the type. Bytes in
 * between live in `arena`. */
FRZ_MUST_CHECK frz_status frz_text_read_scalar(const frz_text_column *column, frz_slice text,
                                               frz_arena *arena, frz_arrow_builder *builder,
                                               frz_error **err);

/* One row from a JSON value. Objects give structs and maps, arrays lists, and maps as [key, value]
 * pairs; fields that an object lacks get their write default, else null; unknown and repeated ones
 * are FRZ_INVALID. */
FRZ_MUST_CHECK frz_status frz_text_read_json(frz_json_reader *json, const frz_text_column *column,
                                             frz_arena *arena, frz_arrow_builder *builder,
                                             frz_error **err);

/* One null row; FRZ_INVALID where the column is required. */
FRZ_MUST_CHECK frz_status frz_text_read_null(const frz_text_column *column,
                                             frz_arrow_builder *builder, frz_error **err);

/* How a value is written. */
typedef struct frz_text_style {
    bool ids_as_strings; /* 64-bit integers as JSON strings */
} frz_text_style;

/* Row `row`, relative to the array's offset. */
void frz_text_write_json(frz_json_writer *json, const frz_text_column *column,
                         const struct ArrowArray *array, int64_t row, const frz_text_style *style);

/* The text of a value without quotes; nested ones as JSON; nothing for null. Appends. */
void frz_text_write_plain(frz_buffer *out, const frz_text_column *column,
                          const struct ArrowArray *array, int64_t row);

/* Whether the row is null, through dictionaries too. */
bool frz_text_is_null(const frz_text_column *column, const struct ArrowArray *array, int64_t row);

#endif
