/*
 * What the keys of a merge's source say of the table's rows that may have them:
 * a filter by which files, row groups and pages are left unread, of `IN` lists
 * while keys are few, else of the least and the greatest value of each column.
 */
#ifndef FRZ_WRITE_KEY_BOUNDS_H
#define FRZ_WRITE_KEY_BOUNDS_H

#include "spec/schema.h"

enum { FRZ_KEY_LIST_MAX = 200 };

typedef struct frz_key_range {
    const frz_field *field;
    const char *path; /* quoted, as a filter names it */
    frz_value least;
    frz_value greatest;
    frz_buffer least_bytes; /* theirs, where they have some */
    frz_buffer greatest_bytes;
    frz_value *list; /* of the first FRZ_KEY_LIST_MAX keys */
} frz_key_range;

/* All zero is closed. */
typedef struct frz_key_bounds {
    frz_arena arena;
    frz_key_range *ranges;
    size_t count;
    int64_t key_count;
    const char *filter; /* once printed */
} frz_key_bounds;

FRZ_MUST_CHECK frz_status frz_key_bounds_init(frz_key_bounds *self, const frz_schema *schema,
                                              const frz_field *const *fields, size_t count,
                                              frz_error **err);
void frz_key_bounds_clear(frz_key_bounds *self);

/* One key, none of whose values is null. Copies. */
FRZ_MUST_CHECK frz_status frz_key_bounds_add(frz_key_bounds *self, const frz_value *values,
                                             frz_error **err);

/* Makes the filter of what was added. */
FRZ_MUST_CHECK frz_status frz_key_bounds_print(frz_key_bounds *self, frz_error **err);

/* NULL when nothing can be said; "false" without any key. */
const char *frz_key_bounds_filter(const frz_key_bounds *self);

#endif
