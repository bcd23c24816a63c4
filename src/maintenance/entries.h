/*
 * One manifest entry, checked by itself and against what the list says of its manifest (spec
 * "Manifest Entry Fields", "Data File Fields").
 */
#ifndef FRZ_MAINTENANCE_ENTRIES_H
#define FRZ_MAINTENANCE_ENTRIES_H

#include "maintenance/verification.h"

typedef struct frz_entry_place {
    const frz_manifest_record *manifest;
    size_t index; /* of the entry */
} frz_entry_place;

frz_place frz_place_of_entry(const frz_entry_place *at, frz_slice path);

FRZ_MUST_CHECK frz_status frz_verify_entry(frz_verification *self, const frz_entry_place *at,
                                           const frz_manifest_entry *entry, frz_error **err);

#endif
