/*
 * Which members of a schema the objects of a JSON lines file have: what no line has is not in the
 * file, and is something else than null.
 */
#ifndef FRZ_TEXT_MEMBERS_H
#define FRZ_TEXT_MEMBERS_H

#include "frazil/arrow.h"
#include "frazil/io.h"

/*
 * Reads the whole file and gives `schema` (borrowed) without the columns, and members of structs
 * that stand in no list or map, that no line has. `io` NULL = local files. Names that the schema
 * does not have are passed over here.
 */
FRZ_MUST_CHECK frz_status frz_jsonl_members(const char *location, frz_io *io,
                                            const struct ArrowSchema *schema,
                                            struct ArrowSchema *out, frz_error **err);

#endif
