/*
 * Loading what is there already: files that somebody else wrote become data files of a table
 * without being rewritten.
 *
 * Outcomes and thread rule as in frazil/write.h, except that the files themselves are never
 * touched.
 */
#ifndef FRZ_LOAD_H
#define FRZ_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "frazil/catalog.h"
#include "frazil/error.h"
#include "frazil/options.h"
#include "frazil/table.h"
#include "frazil/write.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frz_add_files_report {
    size_t struct_size;
    int64_t file_count; /* added */
    int64_t row_count;
    int64_t byte_count;
    int64_t live_count;    /* passed over: live already */
    int64_t empty_count;   /* passed over: without rows */
    int64_t outside_count; /* of those added: not under the table's location */
    bool made_name_mapping;
} frz_add_files_report;
#define FRZ_ADD_FILES_REPORT_INIT FRZ_OPTIONS_INIT(frz_add_files_report)

typedef struct frz_add_files_options {
    size_t struct_size;
    const frz_option *partition; /* of all files: name of a partition field, or of the column it is
                                    made of, and value as in a folder's name; value NULL = null */
    size_t partition_count;
    bool name_mapping; /* files without field ids are taken by the names of their columns: the table
                          gets a name mapping (schema.name-mapping.default) when it has none */
    bool skip_live;    /* files that are live already are passed over, else FRZ_ALREADY_EXISTS */
    frz_add_files_report *report; /* filled when it succeeds; may be NULL */
} frz_add_files_options;
#define FRZ_ADD_FILES_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_add_files_options)

/*
 * Adds Parquet and Avro files as one snapshot (append). A path is a file or a folder, whose files
 * are taken at any depth but for names that begin with . or _; what is recorded is its absolute
 * location. Of Parquet only the footer is read, of Avro the blocks' headers too.
 *
 * Columns are found by field id, of files without any by the table's name mapping, and must be
 * columns of the table of the same name, of a type that is the table's or promoted to it;
 * FRZ_INVALID names file and column. Required columns must be there and, by the statistics, without
 * null.
 *
 * The partition under the default spec is that of `options`, else of folders NAME=VALUE (Hive's:
 * percent-encoded, __HIVE_DEFAULT_PARTITION__ is null), else of the statistics where they tell one
 * value; the first two are checked against the statistics. Metrics of the manifest come from the
 * statistics too, by write.metadata.metrics.*.
 *
 * FRZ_INVALID when two paths are one; FRZ_UNSUPPORTED for other formats, and files that name row
 * ids of their own. `out` may be NULL.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_add_files(frz_table *table, const char *const *paths,
                                                      size_t path_count,
                                                      const frz_add_files_options *options,
                                                      const frz_write_options *write_options,
                                                      frz_commit **out, frz_error **err);

/*
 * As frz_table_append_all (frazil/write.h), but columns of the inputs that the table lacks, and
 * members of its structs, become optional ones of it by the same commit (union by name). Types of
 * columns that are there do not change. Without any row nothing is committed.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_append_evolve(frz_table *table,
                                                          struct ArrowArrayStream *inputs,
                                                          size_t input_count,
                                                          const frz_write_options *options,
                                                          frz_commit **out, frz_error **err);

#ifdef __cplusplus
}
#endif

#endif
