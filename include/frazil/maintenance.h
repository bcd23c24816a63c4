/*
 * Upkeep of tables. So far: verification, which checks a table as fsck checks a disk (the rules,
 * each with its severity: docs/verify.md).
 *
 * Thread rule: a report does not change; any threads may read it at once.
 */
#ifndef FRZ_MAINTENANCE_H
#define FRZ_MAINTENANCE_H

#include <stddef.h>
#include <stdint.h>

#include "frazil/error.h"
#include "frazil/options.h"
#include "frazil/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum frz_severity {
    FRZ_SEVERITY_WARNING, /* odd, or useless, but no reader gives a wrong answer for it */
    FRZ_SEVERITY_ERROR
} frz_severity;

typedef struct frz_verify_options {
    size_t struct_size;
    frz_snapshot_selector
        at;               /* zero: every snapshot that the metadata lists; else that one alone */
    const char *branch;   /* else the line of snapshots of that branch; NULL = none chosen */
    bool deep;            /* also read data, delete and Puffin files, row by row */
    size_t finding_limit; /* findings that are kept, all are counted; 0 = 1000 */
    size_t entry_limit; /* manifest entries that are remembered at a time: when there are more, all
                           manifests are read several times; 0 = 4 million (about 300 MB) */
    int32_t threads;    /* that read files of `deep`: the report is the same; 0 = 1 */
    uint64_t row_id_memory; /* bytes of row ids, of those that files hold, in memory at a time: when
                               there are more, `deep` reads such files several times; 0 = 256 MiB */
} frz_verify_options;
#define FRZ_VERIFY_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_verify_options)

/* One thing that is not as the specification has it. Borrowed from the report. */
typedef struct frz_finding {
    const char *rule; /* "live-path-unique"; docs/verify.md lists all */
    frz_severity severity;
    int64_t snapshot_id;  /* -1 when the finding is of none, or of several */
    const char *manifest; /* or manifest list; NULL when it is about none */
    const char *path;     /* of a data, delete or metadata file; NULL when it is about none */
    int64_t entry;        /* in the manifest, from 0; -1 when it is about none */
    const char *expected;
    const char *found;
} frz_finding;

/* What was looked at. Shared manifests and files count once. */
typedef struct frz_verify_counts {
    int64_t snapshots;
    int64_t manifests;
    int64_t entries;
    int64_t files;      /* whose presence and size were checked */
    int64_t files_read; /* data and delete files; deep, as the next two */
    int64_t rows_read;
    int64_t vectors_read; /* deletion vectors */
} frz_verify_counts;

typedef struct frz_verify_report frz_verify_report;

/*
 * Checks the version of the table that the handle holds. FRZ_OK when it could be checked, whatever
 * was found: files that are missing or broken are findings; what this library cannot read is one of
 * rule "not-checked". Fails on storage that does not answer (FRZ_IO, FRZ_PERMISSION,
 * FRZ_NETWORK), short memory, and a snapshot or branch that is not there (FRZ_NOT_FOUND).
 * `options` NULL = all defaults. Free the report with frz_verify_report_free.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_verify(const frz_table *table,
                                                   const frz_verify_options *options,
                                                   frz_verify_report **out, frz_error **err);
/* Accepts NULL. */
FRZ_API void frz_verify_report_free(frz_verify_report *report);

/* Errors or warnings, those included that were not kept. */
FRZ_API int64_t frz_verify_report_count(const frz_verify_report *report, frz_severity severity);
/* The findings that were kept, in the order in which they were found: NULL behind the last. */
FRZ_API const frz_finding *frz_verify_report_at(const frz_verify_report *report, size_t index);
/* Borrowed from the report. */
FRZ_API const frz_verify_counts *frz_verify_report_counts(const frz_verify_report *report);

#ifdef __cplusplus
}
#endif

#endif
