/*
 * frazil: a C library for Apache Iceberg tables. This header includes all of the interface.
 *
 * What holds for every function:
 *
 * - A status tells success; outs are written then alone, and need no value before. What comes out
 *   through `T **out` is the caller's, to be freed by the function that its comment names; what is
 *   returned as a pointer is borrowed from the object it was asked of. Functions that free accept
 *   NULL.
 * - Texts are UTF-8 and end with a zero byte. Arguments are copied, or used up during the call,
 *   unless their comment says "borrowed". Points in time are milliseconds since 1970 (UTC), sizes
 *   bytes, positions and indexes count from 0.
 * - Objects of different handles may be used by different threads at once; each header says what
 *   may be shared.
 * - Streams of rows that are given to a function are released by it, also when it fails.
 * - Structs that the library hands out by pointer may get new members at their end; those that
 *   stand in arrays do not.
 *
 * Options are structs that begin with `struct_size` and are set up by their INIT macro:
 *
 *     frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
 *     options.where = "id > 5";
 *
 * Zero is the default of every member, and NULL instead of a struct means all defaults. New members
 * come to the end, so that a program works with a library that is older or newer than its headers:
 * what it does not know of has its default, and what the library does not know of is FRZ_INVALID
 * when it is set. FRZ_INVALID too for a struct_size of 0.
 */
#ifndef FRZ_FRAZIL_H
#define FRZ_FRAZIL_H

#include "frazil/alter.h"
#include "frazil/arrow.h"
#include "frazil/catalog.h"
#include "frazil/delta.h"
#include "frazil/error.h"
#include "frazil/io.h"
#include "frazil/load.h"
#include "frazil/maintenance.h"
#include "frazil/options.h"
#include "frazil/scan.h"
#include "frazil/schema.h"
#include "frazil/table.h"
#include "frazil/text.h"
#include "frazil/transaction.h"
#include "frazil/write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
FRZ_API const char *frz_version(void);

#ifdef __cplusplus
}
#endif

#endif
