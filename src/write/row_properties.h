/*
 * What a table's properties say of row-level operations: write.<verb>.mode and
 * write.<verb>.isolation-level, of delete, update and merge. A value that is neither word is
 * FRZ_INVALID with key and value.
 */
#ifndef FRZ_WRITE_ROW_PROPERTIES_H
#define FRZ_WRITE_ROW_PROPERTIES_H

#include "frazil/write.h"
#include "spec/metadata.h"

/* FRZ_DELETE_MODE_DEFAULT when the table does not say. */
FRZ_MUST_CHECK frz_status frz_row_mode_read(const frz_metadata *metadata, const char *verb,
                                            frz_delete_mode *out, frz_error **err);

/* Whether new files that may match are a conflict, which they are when the table does not say. */
FRZ_MUST_CHECK frz_status frz_row_isolation_read(const frz_metadata *metadata, const char *verb,
                                                 bool *serializable_out, frz_error **err);

#endif
