/*
 * A file that somebody else wrote, looked at as a data file of a table: do its columns fit the
 * schema (foreign_schema.c), and what do its statistics say (foreign_file.c)?
 */
#ifndef FRZ_WRITE_FOREIGN_FILE_H
#define FRZ_WRITE_FOREIGN_FILE_H

#include "parquet/metadata.h"
#include "spec/manifest.h"
#include "spec/name_mapping.h"
#include "write/metrics.h"

/* What all files are held against. Everything is borrowed. */
typedef struct frz_foreign_context {
    frz_io *io;
    const frz_limits *limits;
    const frz_metadata *metadata;
    const frz_name_mapping *mapping; /* of files without field ids; NULL: these are refused */
    const frz_metrics_config *metrics;
    frz_arena *arena; /* of what is made here */
} frz_foreign_context;

/* What the statistics of all row groups tell of one column outside lists and maps, in the type of
 * the table; of others the counts alone. */
typedef struct frz_foreign_column {
    const frz_field *field; /* of the table, primitive */
    bool repeated;
    int64_t compressed_size;
    int64_t value_count;
    int64_t null_count; /* -1 unknown */
    int64_t nan_count;  /* -1 unknown */
    bool has_bounds;    /* both: every value but NaN lies between them */
    bool exact;         /* and both are values of the column */
    frz_value min;
    frz_value max;
} frz_foreign_column;

typedef struct frz_foreign_file {
    const char *location; /* as it will be recorded */
    frz_file_format format;
    int64_t row_count;
    uint64_t size;
    const int32_t *ids; /* of every field of the table that the file has, nested ones too */
    size_t id_count;
    const int32_t *nullable_ids; /* those of them that the file's schema lets be null */
    size_t nullable_id_count;
    const frz_foreign_column *columns; /* of Parquet */
    size_t column_count;
    const int64_t *split_offsets;
    size_t split_offset_count;
} frz_foreign_file;

/*
 * Reads what stands at the end of a Parquet file, or the headers of an Avro file, and checks its
 * schema. FRZ_INVALID names the column that the table lacks, has under another name, or has in a
 * type that the file's cannot become; FRZ_UNSUPPORTED a format that is not read.
 */
FRZ_MUST_CHECK frz_status frz_foreign_file_read(const frz_foreign_context *context,
                                                const char *location, frz_foreign_file *out,
                                                frz_error **err);

/* NULL when the file has no statistics of the column. */
const frz_foreign_column *frz_foreign_file_column(const frz_foreign_file *file, int32_t field_id);
bool frz_foreign_file_has(const frz_foreign_file *file, int32_t field_id);

/* Metrics of the manifest entry, sorted by field id. */
FRZ_MUST_CHECK frz_status frz_foreign_file_metrics(const frz_foreign_context *context,
                                                   const frz_foreign_file *file,
                                                   const frz_column_metrics **out,
                                                   size_t *count_out, frz_error **err);

/*
 * Checks the columns of a file, with field ids in their metadata, against the table's. `own_ids`
 * tells that they are the file's own. Fills the ids of `file`.
 */
FRZ_MUST_CHECK frz_status frz_foreign_schema_check(const frz_foreign_context *context,
                                                   const struct ArrowSchema *columns, bool own_ids,
                                                   frz_foreign_file *file, frz_error **err);

/*
 * Required columns and members, as far as statistics tell: one that the file lacks needs an initial
 * default, or stands in `given` (ids of columns whose value the partition tells); one that may be
 * null there must have no null.
 */
FRZ_MUST_CHECK frz_status frz_foreign_schema_check_required(const frz_foreign_context *context,
                                                            const frz_foreign_file *file,
                                                            const int32_t *given,
                                                            size_t given_count, frz_error **err);

#endif
