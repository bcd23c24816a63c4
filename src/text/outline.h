/*
 * JSON as an outline for people: one "key: value" per line, what is nested indented; short lists
 * and short list items on one line.
 */
#ifndef FRZ_TEXT_OUTLINE_H
#define FRZ_TEXT_OUTLINE_H

#include "base/buffer.h"
#include "base/slice.h"
#include "frazil/error.h"

/* Appends. Control characters are shown as escapes. */
FRZ_MUST_CHECK frz_status frz_text_outline(frz_slice json, frz_buffer *out, frz_error **err);

#endif
