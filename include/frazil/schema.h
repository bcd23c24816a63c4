/*
 * Table schemas as programs see them. The library's own view is src/spec/schema.h; programs read a
 * schema through Arrow (frz_table_arrow_schema) or as JSON and DDL text.
 */
#ifndef FRZ_SCHEMA_H
#define FRZ_SCHEMA_H

#include "frazil/arrow.h"
#include "frazil/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Texts that the library hands over; free with frz_text_free. */
FRZ_API void frz_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
