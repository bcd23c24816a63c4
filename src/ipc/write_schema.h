/*
 * Arrow schemas as IPC writes them (Schema.fbs): of plain types (arrow/normalize.h), with the
 * metadata of schema and fields.
 */
#ifndef FRZ_IPC_WRITE_SCHEMA_H
#define FRZ_IPC_WRITE_SCHEMA_H

#include "frazil/arrow.h"
#include "ipc/flat_builder.h"

/* Adds a Schema and makes it the field of the table at `parent`. FRZ_UNSUPPORTED names a column
 * whose type is no plain one. */
FRZ_MUST_CHECK frz_status frz_ipc_schema_write(const struct ArrowSchema *schema,
                                               frz_flat_builder *builder, size_t parent,
                                               unsigned field, frz_error **err);

#endif
