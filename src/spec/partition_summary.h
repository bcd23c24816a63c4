/*
 * The field summaries of a manifest, gathered entry by entry (spec "Manifest Lists",
 * field_summary): null and NaN facts, and bounds of what is neither.
 */
#ifndef FRZ_SPEC_PARTITION_SUMMARY_H
#define FRZ_SPEC_PARTITION_SUMMARY_H

#include "spec/manifest_list.h"

typedef struct frz_partition_summary frz_partition_summary;

/* Borrows `partition`. */
FRZ_MUST_CHECK frz_status frz_partition_summary_new(const frz_type *partition,
                                                    frz_partition_summary **out, frz_error **err);
/* Accepts NULL. */
void frz_partition_summary_free(frz_partition_summary *summary);

/* One value per partition field, of the field's type. */
FRZ_MUST_CHECK frz_status frz_partition_summary_add(frz_partition_summary *summary,
                                                    const frz_value *values, frz_error **err);

/* As many as there are partition fields, never NULL. */
FRZ_MUST_CHECK frz_status frz_partition_summary_finish(const frz_partition_summary *summary,
                                                       frz_arena *arena,
                                                       const frz_field_summary **out,
                                                       frz_error **err);

#endif
