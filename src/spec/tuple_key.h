/*
 * Partition tuples as map keys: bytes that are equal exactly when the tuples are (null equals null,
 * all NaNs one value, -0.0 and 0.0 two).
 */
#ifndef FRZ_SPEC_TUPLE_KEY_H
#define FRZ_SPEC_TUPLE_KEY_H

#include "spec/value.h"

/* Appends. */
void frz_tuple_key(const frz_value *values, size_t count, frz_buffer *out);

#endif
