/*
 * An open data or delete file of any format that is read: Parquet or Avro. Its columns are found by
 * field id and read as the table's types through scan/stored_column.h.
 *
 * Thread rule: one thread per file.
 */
#ifndef FRZ_SCAN_STORED_FILE_H
#define FRZ_SCAN_STORED_FILE_H

#include "parquet/file.h"
#include "scan/avro_rows.h"
#include "scan/scan.h"
#include "spec/manifest.h"

typedef struct frz_stored_file {
    frz_input *input;
    frz_parquet_file *parquet; /* one of these two */
    frz_avro_rows *avro;
    frz_arena arena; /* of a schema of avro with ids from the name mapping */
} frz_stored_file;

/* Data files without field ids get those of the scan's name mapping. FRZ_UNSUPPORTED names a format
 * that is not read, and encryption. On failure *out is closed. */
FRZ_MUST_CHECK frz_status frz_stored_file_open(const frz_scan *scan, const frz_data_file *entry,
                                               frz_stored_file *out, frz_error **err);
/* Whether any column has a field id; true of a file without columns. */
bool frz_stored_file_has_ids(const frz_stored_file *file);

/* Leaves it zero. */
void frz_stored_file_close(frz_stored_file *file);

/*
 * The rows from `start` that are read at once, *count_out of them and at most `rows_max`: within a
 * row group of Parquet; the next batch of Avro, where `start` must be where the last one ended.
 * FRZ_END after the last row.
 */
FRZ_MUST_CHECK frz_status frz_stored_file_window(frz_stored_file *file, int64_t start,
                                                 int64_t rows_max, int64_t *count_out,
                                                 frz_error **err);

#endif
