/*
 * Reads all rows of a data or delete file, in batches of the columns that are asked for, by field
 * id (spec "Delete Formats": row-level delete files are valid data files, read with column
 * projection).
 *
 * Thread rule: one thread per reader.
 */
#ifndef FRZ_SCAN_ROW_READER_H
#define FRZ_SCAN_ROW_READER_H

#include "scan/scan.h"
#include "spec/manifest.h"

typedef struct frz_row_reader frz_row_reader;

/*
 * Columns of `type` (a struct) that the file lacks are as scan/absent.h says; but an equality
 * delete file must have them, FRZ_CORRUPT otherwise: a default or null would delete what its writer
 * did not mean. Borrows everything. Errors do not name the file. FRZ_UNSUPPORTED names a format
 * that is not read.
 */
FRZ_MUST_CHECK frz_status frz_row_reader_open(const frz_scan *scan, const frz_data_file *entry,
                                              const frz_type *type, frz_row_reader **out,
                                              frz_error **err);

/* The same of a data file as it was written: _row_id and _last_updated_sequence_number are what it
 * stores, null where they will be inherited once they are assigned (spec "Row Lineage"). */
FRZ_MUST_CHECK frz_status frz_row_reader_open_unassigned(const frz_scan *scan,
                                                         const frz_data_file *entry,
                                                         const frz_type *type, frz_row_reader **out,
                                                         frz_error **err);
/* Accepts NULL. */
void frz_row_reader_close(frz_row_reader *reader);

/* The next rows, in the order of the file, as a struct array in the Arrow type of `type`; FRZ_END
 * after the last. */
FRZ_MUST_CHECK frz_status frz_row_reader_next(frz_row_reader *reader, struct ArrowArray *out,
                                              frz_error **err);

#endif
