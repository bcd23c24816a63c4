/*
 * The partition summaries that a list has of a manifest, against its entries (spec "Manifest
 * Lists", field_summary).
 */
#ifndef FRZ_MAINTENANCE_SUMMARIES_H
#define FRZ_MAINTENANCE_SUMMARIES_H

#include "maintenance/entries.h"

typedef struct frz_summary_check {
    frz_verification *verification; /* borrowed */
    const frz_manifest_file *source;
    const frz_partition_spec *spec;
    const frz_type *type;
    struct frz_summary_bounds *bounds; /* one per field, owned; NULL: there is nothing to check */
    bool failed;                       /* one finding per manifest is enough */
} frz_summary_check;

/* Undecodable bounds are a finding. */
FRZ_MUST_CHECK frz_status frz_summary_check_open(frz_summary_check *self,
                                                 frz_verification *verification,
                                                 const frz_manifest_record *record,
                                                 frz_error **err);
void frz_summary_check_close(frz_summary_check *self);

FRZ_MUST_CHECK frz_status frz_summary_check_entry(frz_summary_check *self,
                                                  const frz_entry_place *at,
                                                  const frz_data_file *file, frz_error **err);

#endif
