/*
 * frazil: a C library for Apache Iceberg tables. This header includes all of the interface.
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
