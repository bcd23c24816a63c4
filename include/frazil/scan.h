/*
 * Scans: which rows of which snapshot, as an Arrow stream, or as a plan whose tasks are read from
 * several threads (spec "Scan Planning").
 *
 * Thread rule: a scan and its plan are immutable once made; tasks may be read from several threads
 * at once, each stream belongs to one thread.
 */
#ifndef FRZ_SCAN_H
#define FRZ_SCAN_H

#include <stddef.h>

#include "frazil/arrow.h"
#include "frazil/error.h"
#include "frazil/options.h"
#include "frazil/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frz_scan frz_scan;
typedef struct frz_plan frz_plan;

typedef struct frz_scan_options {
    size_t struct_size;
    const char *where;         /* filter; NULL = all rows */
    const char *const *select; /* dotted names; metadata columns; "*" = all columns. NULL = "*" */
    size_t select_count;
    frz_snapshot_selector at; /* zero = current snapshot of main */
    bool case_insensitive;
    int64_t limit;      /* rows; 0 = no limit */
    int32_t batch_rows; /* rounded up to a multiple of 64; 0 = by column widths: a batch fits L2 */
    int32_t
        threads; /* that plan, and that decode the blocks of Avro files for each stream; 0 = 1 */
    bool no_pruning; /* read every live file, row group and page, and filter rows alone: the rows
                        are the same, whatever partition values and statistics say */
    /* Name mapping as JSON (spec "Name Mapping Serialization") for data files without field ids;
     * NULL = the table's property schema.name-mapping.default. */
    const char *name_mapping;
    /* The rows that were appended after that snapshot (exclusive) up to the one that `at` chooses,
     * in the current schema; compactions in between are passed over. frz_scan_new: FRZ_INVALID when
     * the one is no ancestor of the other, FRZ_NOT_FOUND when an ancestor between them is gone,
     * FRZ_UNSUPPORTED when rows were deleted or overwritten in between. */
    bool has_from_snapshot_id;
    int64_t from_snapshot_id;
} frz_scan_options;
#define FRZ_SCAN_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_scan_options)

/* Binds filter and projection; FRZ_INVALID with the column of the expression as offset. Keeps what
 * it needs of the table. */
FRZ_API FRZ_MUST_CHECK frz_status frz_scan_new(const frz_table *table,
                                               const frz_scan_options *options, frz_scan **out,
                                               frz_error **err);
/* Accepts NULL. */
FRZ_API void frz_scan_free(frz_scan *scan);

/* The schema of the result. */
FRZ_API FRZ_MUST_CHECK frz_status frz_scan_arrow_schema(const frz_scan *scan,
                                                        struct ArrowSchema *out, frz_error **err);

/* All rows, in file order per task. The stream keeps what it needs; `scan` may be freed. */
FRZ_API FRZ_MUST_CHECK frz_status frz_scan_stream(frz_scan *scan, struct ArrowArrayStream *out,
                                                  frz_error **err);

/* The number of rows, from metadata alone where that is exact. */
FRZ_API FRZ_MUST_CHECK frz_status frz_scan_count(frz_scan *scan, int64_t *out, frz_error **err);

/* What would be read, with the funnel that led there. */
FRZ_API FRZ_MUST_CHECK frz_status frz_scan_plan(frz_scan *scan, frz_plan **out, frz_error **err);
/* Accepts NULL. */
FRZ_API void frz_plan_free(frz_plan *plan);

typedef struct frz_plan_delete {
    const char *path;
    int content;    /* 1 position deletes or deletion vector, 2 equality deletes */
    int64_t offset; /* -1 unless a deletion vector */
    int64_t size;
} frz_plan_delete;

typedef struct frz_plan_file {
    const char *path;
    int64_t record_count;
    const frz_plan_delete *deletes; /* a deletion vector, or position deletes */
    size_t delete_count;
    const char *residual; /* filter text that is left for the rows; "TRUE" when none */
    const frz_plan_delete *equality_deletes;
    size_t equality_delete_count;
} frz_plan_file;

FRZ_API size_t frz_plan_file_count(const frz_plan *plan);
/* Borrowed from the plan. */
FRZ_API const frz_plan_file *frz_plan_file_at(const frz_plan *plan, size_t index);

/* Reads the rows of one file of the plan. */
FRZ_API FRZ_MUST_CHECK frz_status frz_plan_file_stream(const frz_plan *plan, size_t index,
                                                       struct ArrowArrayStream *out,
                                                       frz_error **err);

/* The funnel per level, with what each reason dropped and saved, deletes found and bytes to
 * read; text for people or JSON. Opens data files' footers for the last two levels. Free with
 * frz_text_free. */
FRZ_API FRZ_MUST_CHECK frz_status frz_plan_explain(const frz_plan *plan, bool json, char **out,
                                                   frz_error **err);

#ifdef __cplusplus
}
#endif

#endif
