/*
 * What files of a transaction were called when they were first made. An operation that is made
 * again on another version may have to write a file anew, under another name; what later operations
 * remember of it goes by the first one.
 */
#ifndef FRZ_WRITE_FIRST_NAMES_H
#define FRZ_WRITE_FIRST_NAMES_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/map.h"
#include "spec/manifest.h"

/* All zero is valid and empty. */
typedef struct frz_first_names {
    frz_arena arena;
    frz_map map;
} frz_first_names;

/* The name itself when it is the first one, and without names. Borrowed from `name` or `names`. */
frz_slice frz_first_name(const frz_first_names *names, frz_slice name);

/* `name` stands for what `before`, first name or not, stood for. */
FRZ_MUST_CHECK frz_status frz_first_names_add(frz_first_names *names, frz_slice name,
                                              frz_slice before, frz_error **err);

/* The name of a delete file: vectors share one, and are told by their offsets. */
void frz_delete_file_name(const frz_data_file *file, frz_buffer *out);

void frz_first_names_clear(frz_first_names *names);

#endif
