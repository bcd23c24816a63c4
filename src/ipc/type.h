/*
 * Types as IPC schemas write them (Schema.fbs, union Type) and as Arrow's format strings.
 */
#ifndef FRZ_IPC_TYPE_H
#define FRZ_IPC_TYPE_H

#include "base/arena.h"
#include "frazil/arrow.h"
#include "ipc/flat.h"
#include "ipc/flat_builder.h"

/*
 * The format string of a Field's type, in the arena; of a field with a dictionary, that of its
 * values. `path` names the column in messages. FRZ_UNSUPPORTED for unions and intervals.
 */
FRZ_MUST_CHECK frz_status frz_ipc_type_read(const frz_flat_table *field, const char *path,
                                            frz_arena *arena, const char **out, frz_error **err);

/* The format string of a dictionary's indexes: its Int, or int32 where none is given. */
FRZ_MUST_CHECK frz_status frz_ipc_index_type_read(const frz_flat_table *encoding, const char *path,
                                                  const char **out, frz_error **err);

/* Sets the type of the Field at `field`; FRZ_UNSUPPORTED for types that are no plain ones
 * (arrow/normalize.h). */
FRZ_MUST_CHECK frz_status frz_ipc_type_write(const struct ArrowSchema *schema,
                                             frz_flat_builder *builder, size_t field,
                                             frz_error **err);

#endif
