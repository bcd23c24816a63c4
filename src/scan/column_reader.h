/*
 * One column of a task, whatever its source: reads the selected rows of a row range as the table's
 * type.
 */
#ifndef FRZ_SCAN_COLUMN_READER_H
#define FRZ_SCAN_COLUMN_READER_H

#include "frazil/arrow.h"
#include "puffin/bitmap.h"
#include "scan/file_columns.h"
#include "scan/row_ranges.h"

typedef struct frz_column_reader {
    const frz_file_column *column;
    struct ArrowArray constant; /* at least as long as any batch so far */
    int64_t first_row_id;       /* of the file */
    int64_t sequence_number;
    const frz_bitmap *deleted; /* borrowed; may be NULL */
} frz_column_reader;

FRZ_MUST_CHECK frz_status frz_column_reader_open(
    frz_column_reader *reader, const frz_file_column *column, const frz_manifest_entry *entry,
    const frz_row_ranges *ranges, const frz_bitmap *deleted, frz_arena *arena, frz_error **err);
/* Leaves it zero. */
void frz_column_reader_close(frz_column_reader *reader);

FRZ_MUST_CHECK frz_status frz_column_reader_read(frz_column_reader *reader,
                                                 const frz_row_selection *rows,
                                                 struct ArrowArray *out, frz_error **err);

#endif
