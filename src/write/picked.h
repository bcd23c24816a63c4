/*
 * What a snapshot did: the data files that it added and removed, as its manifests tell.
 */
#ifndef FRZ_WRITE_PICKED_H
#define FRZ_WRITE_PICKED_H

#include "base/map.h"
#include "catalog/table.h"
#include "spec/list.h"
#include "spec/manifest.h"

/* All zero is empty. */
typedef struct frz_picked {
    frz_arena arena;
    frz_list manifests; /* frz_manifest *, each with a reference: what the files point to */
    frz_list added;     /* frz_data_file: without row ids, which the commit gives anew */
    frz_list removed;   /* frz_slice: paths */
} frz_picked;

FRZ_MUST_CHECK frz_status frz_picked_read(frz_picked *self, const frz_table *table,
                                          const frz_snapshot *snapshot, frz_error **err);
void frz_picked_clear(frz_picked *self);

/* FRZ_INVALID when a snapshot in the line of `head`, but not in that of `base_id`, added files to a
 * partition of `self`. */
FRZ_MUST_CHECK frz_status frz_picked_check_partitions(const frz_picked *self,
                                                      const frz_table *table,
                                                      const frz_snapshot *head, int64_t base_id,
                                                      frz_error **err);

#endif
