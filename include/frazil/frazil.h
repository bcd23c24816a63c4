/*
 * frazil: a C library for Apache Iceberg tables. This header includes all of the interface.
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
