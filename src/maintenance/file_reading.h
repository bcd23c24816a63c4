/*
 * What the readers of contents share: one file of one live entry, and the job of one thread that
 * it is part of.
 */
#ifndef FRZ_MAINTENANCE_FILE_READING_H
#define FRZ_MAINTENANCE_FILE_READING_H

#include "maintenance/contents.h"
#include "puffin/file.h"

/* Readings that one thread makes one after the other: one file, or the vectors of one Puffin file.
 */
typedef struct frz_reading_job {
    const frz_contents *contents;
    frz_verification verification; /* as contents', with a report of its own */
    frz_ledger ledger;             /* as contents', with positions of its own */
    frz_file_reading *readings;
    size_t count;
    struct {
        frz_arena arena; /* of path and footer */
        const char *path;
        frz_puffin_footer footer;
        bool sound;
    } puffin; /* the Puffin file that was opened last */
} frz_reading_job;

struct frz_file_reading {
    frz_reading_job *job;
    frz_entry_at at;
    frz_manifest *part; /* a reference: what the entry lies in */
    const frz_manifest_entry *entry;
    frz_place place;
    bool holds_row_ids; /* told by the reading */
};

/* Data files and equality delete files. */
FRZ_MUST_CHECK frz_status frz_verify_rows(frz_file_reading *self, frz_error **err);
/* Position delete files. Positions go into the ledger. */
FRZ_MUST_CHECK frz_status frz_verify_positions(frz_file_reading *self, frz_error **err);
/* Deletion vectors, likewise. */
FRZ_MUST_CHECK frz_status frz_verify_vector(frz_file_reading *self, frz_error **err);

/* Makes the readings by the threads of the pool; what they found comes into report and ledger in
 * their order. */
FRZ_MUST_CHECK frz_status frz_readings_make(frz_contents *contents, frz_file_reading *readings,
                                            size_t count, frz_error **err);

/* In passes behind the first, delete files are read for their positions alone: what is wrong with
 * them was told. */
static inline bool frz_file_is_new(const frz_file_reading *self)
{
    return self->job->ledger.pass == 0 || self->entry->file.content != FRZ_CONTENT_POSITION_DELETES;
}

/* frz_report_failure about the file, once. */
FRZ_MUST_CHECK frz_status frz_file_failed(const frz_file_reading *self, frz_rule rule,
                                          frz_status status, frz_error **cause, frz_error **err);

#endif
