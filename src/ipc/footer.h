/*
 * The footer of an IPC file (File.fbs): the schema again, and where dictionaries and batches stand.
 */
#ifndef FRZ_IPC_FOOTER_H
#define FRZ_IPC_FOOTER_H

#include "base/buffer.h"
#include "base/limits.h"
#include "frazil/extend/io.h"
#include "ipc/flat.h"
#include "ipc/format.h"

/* All zero is empty. Tables and vectors are borrowed from it, so that it stays where it is. */
typedef struct frz_ipc_footer {
    frz_buffer bytes;
    frz_flat flat;
    frz_flat_table schema;
    frz_flat_vector dictionaries;
    frz_flat_vector batches;
    uint64_t offset; /* in the file */
} frz_ipc_footer;

/* One message as the footer lists it. */
typedef struct frz_ipc_block {
    frz_ipc_header kind;
    uint64_t offset;
    uint64_t body_size;
} frz_ipc_block;

/* FRZ_CORRUPT when the file does not end with a footer and the magic. */
FRZ_MUST_CHECK frz_status frz_ipc_footer_read(frz_input *input, const frz_limits *limits,
                                              frz_ipc_footer *out, frz_error **err);
void frz_ipc_footer_clear(frz_ipc_footer *footer);

/* Dictionaries come first, in order ("Deviations from the IPC Streaming Format"). */
size_t frz_ipc_footer_count(const frz_ipc_footer *footer);
/* One behind the footer's start for an offset that is negative or beyond it. */
frz_ipc_block frz_ipc_footer_block(const frz_ipc_footer *footer, size_t index);

#endif
