/*
 * What the objects of a JSON lines file hold: which members of a schema they have, for what no line
 * has is not in the file, and is something else than null; and which others, with their types.
 */
#ifndef FRZ_TEXT_SHAPE_H
#define FRZ_TEXT_SHAPE_H

#include "frazil/arrow.h"
#include "frazil/io.h"
#include "frazil/text.h"

/* More members of one object than any table has columns are refused. */
enum { FRZ_SHAPE_MEMBERS_MAX = 10000 };

/*
 * Reads the file and gives the schema to read its lines with. Columns of `options->schema` (may be
 * NULL) come first, in its order; with `present_only` without those, and members of structs that
 * stand in no list or map, that no line has. With `infer` what the schema lacks follows, members of
 * objects too; else that is passed over here.
 *
 * FRZ_INVALID names a member that has no type: objects in some lines and numbers in others.
 */
FRZ_MUST_CHECK frz_status frz_jsonl_shape(const char *location, frz_io *io,
                                          const frz_rows_options *options, struct ArrowSchema *out,
                                          frz_error **err);

#endif
