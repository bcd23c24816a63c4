/*
 * From a column as its file has it to the column as the table's schema wants it (spec "Column
 * Projection", "Schema Evolution"): fields matched by id, reordered, renamed, promoted; fields that
 * the file lacks filled with their initial default.
 *
 * Compiled once per file and column, run per batch. Buffers are moved, not copied, where types
 * agree.
 */
#ifndef FRZ_SCAN_RESHAPE_H
#define FRZ_SCAN_RESHAPE_H

#include "frazil/arrow.h"
#include "spec/schema.h"

typedef struct frz_reshape frz_reshape;

/*
 * `from` has field ids in its metadata (arrow/schema.h). Lives in `arena`; borrows `to`.
 * FRZ_UNSUPPORTED or FRZ_CORRUPT when the file's type cannot become the table's, naming `path` and
 * both types.
 */
FRZ_MUST_CHECK frz_status frz_reshape_compile(const struct ArrowSchema *from, const frz_field *to,
                                              const char *path, frz_arena *arena,
                                              const frz_reshape **out, frz_error **err);

/* Takes `array` (one of ours, offset 0), also on failure. FRZ_CORRUPT when a promoted value does
 * not fit. */
FRZ_MUST_CHECK frz_status frz_reshape_run(const frz_reshape *reshape, struct ArrowArray *array,
                                          struct ArrowArray *out, frz_error **err);

#endif
