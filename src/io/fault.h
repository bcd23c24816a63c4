/*
 * Storage that fails, stops or keeps a record on purpose: the wrapper behind the fault, crash and
 * io trace tests. Part of the library's own tests only.
 */
#ifndef FRZ_IO_FAULT_H
#define FRZ_IO_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frazil/extend/io.h"

typedef enum frz_io_call {
    FRZ_IO_CALL_OPEN,
    FRZ_IO_CALL_READ,
    FRZ_IO_CALL_CREATE,
    FRZ_IO_CALL_WRITE,
    FRZ_IO_CALL_COMMIT,
    FRZ_IO_CALL_REMOVE,
    FRZ_IO_CALL_STAT,
    FRZ_IO_CALL_LIST
} frz_io_call;

typedef struct frz_io_trace_entry {
    frz_io_call call;
    char *location; /* owned by the wrapper */
    uint64_t offset;
    uint64_t size;
} frz_io_trace_entry;

/* Wraps `inner` (borrowed). Free with frz_io_free. */
FRZ_MUST_CHECK frz_status frz_io_fault_new(frz_io *inner, frz_io **out, frz_error **err);

/* Lets `countdown` calls pass, then fails one with FRZ_IO ("injected"); < 0 disarms. */
void frz_io_fault_fail_after(frz_io *fault, int64_t countdown);
/* As above, but that call and all later ones fail: the process "died". Outputs not committed by
 * then are dropped, as unsynced bytes are. */
void frz_io_fault_crash_after(frz_io *fault, int64_t countdown);
bool frz_io_fault_fired(const frz_io *fault);

/* The record of all calls since the last reset; borrowed. */
const frz_io_trace_entry *frz_io_fault_trace(const frz_io *fault, size_t *count_out);
void frz_io_fault_trace_reset(frz_io *fault);

#endif
