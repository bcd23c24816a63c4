/*
 * Writes rows of a table into new data files: what its properties, default spec and sort order ask
 * for, and on tables with row lineage the two columns of it, when asked.
 */
#ifndef FRZ_WRITE_ROW_WRITER_H
#define FRZ_WRITE_ROW_WRITER_H

#include "write/data_writer.h"
#include "write/transaction.h"

/* `_row_id` and `_last_updated_sequence_number`, behind the columns of the table. */
enum { FRZ_LINEAGE_COLUMNS = 2 };

/* All zero is closed. It must not move while it is open. */
typedef struct frz_row_writer {
    frz_type root;            /* of the rows: columns of the table, then those of lineage */
    struct ArrowSchema arrow; /* the same */
    const frz_row_placement *placement; /* set before open: rows stay in the order they come */
    bool lineage;
    frz_write_properties properties;
    frz_metrics_config metrics;
    frz_data_writer *writer;
    frz_transaction *transaction; /* is told the highest values of lineage; borrowed */
} frz_row_writer;

/* All but the writer of rows: what files are like that are written for a version of the table. */
FRZ_MUST_CHECK frz_status frz_row_writer_init(frz_row_writer *self, frz_transaction *transaction,
                                              const frz_metadata *metadata, bool lineage,
                                              frz_error **err);

/* The context of such files; borrows `self`, which must not move, and `metadata`. */
frz_file_context frz_row_writer_files(const frz_row_writer *self, const frz_metadata *metadata);

/* Tells the transaction the highest values of lineage that rows state in their last columns. */
void frz_transaction_note_lineage(frz_transaction *transaction, const struct ArrowArray *rows);

/*
 * For the version of the table that the transaction stands at. With `lineage`, and from format
 * version 3 on, rows end with `_row_id` and `_last_updated_sequence_number`, null where they are
 * inherited (spec "Row lineage assignment").
 */
FRZ_MUST_CHECK frz_status frz_row_writer_open(frz_row_writer *self, frz_transaction *transaction,
                                              bool lineage, frz_error **err);
FRZ_MUST_CHECK frz_status frz_row_writer_write(frz_row_writer *self, struct ArrowArray *rows,
                                               frz_error **err);
/* Rows of the table's columns alone, new to it: what lineage they have is inherited. Takes the
 * columns of `rows`. */
FRZ_MUST_CHECK frz_status frz_row_writer_insert(frz_row_writer *self, struct ArrowArray *rows,
                                                frz_error **err);
/* The new files, in the transaction's arena. */
FRZ_MUST_CHECK frz_status frz_row_writer_finish(frz_row_writer *self, const frz_data_file **out,
                                                size_t *count_out, frz_error **err);
void frz_row_writer_close(frz_row_writer *self);

#endif
