/*
 * What the readers of contents share: one file of one live entry.
 */
#ifndef FRZ_MAINTENANCE_FILE_READING_H
#define FRZ_MAINTENANCE_FILE_READING_H

#include "maintenance/contents.h"

typedef struct frz_file_reading {
    frz_contents *contents;
    const frz_entry_at *at;
    const frz_manifest_entry *entry;
    frz_place place;
} frz_file_reading;

/* Data files and equality delete files. */
FRZ_MUST_CHECK frz_status frz_verify_rows(const frz_file_reading *self, frz_error **err);
/* Position delete files. Positions go into the ledger. */
FRZ_MUST_CHECK frz_status frz_verify_positions(const frz_file_reading *self, frz_error **err);
/* Deletion vectors, likewise. */
FRZ_MUST_CHECK frz_status frz_verify_vector(const frz_file_reading *self, frz_error **err);

/* In passes behind the first, delete files are read for their positions alone: what is wrong with
 * them was told. */
static inline bool frz_file_is_new(const frz_file_reading *self)
{
    return self->contents->ledger->pass == 0 ||
           self->entry->file.content != FRZ_CONTENT_POSITION_DELETES;
}

/* frz_report_failure about the file, once. */
FRZ_MUST_CHECK frz_status frz_file_failed(const frz_file_reading *self, frz_rule rule,
                                          frz_status status, frz_error **cause, frz_error **err);

#endif
