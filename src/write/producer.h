/*
 * Makes the manifests, the manifest list and the snapshot of one attempt of a transaction (spec
 * "Manifests", "Manifest Lists", "Sequence Number Inheritance", "First Row ID Assignment").
 */
#ifndef FRZ_WRITE_PRODUCER_H
#define FRZ_WRITE_PRODUCER_H

#include "spec/manifest_list.h"
#include "write/transaction.h"

/*
 * Writes the files of the attempt and fills *out, in the attempt's arena. FRZ_CONFLICT when a file
 * to remove is not live on `parent`.
 */
FRZ_MUST_CHECK frz_status frz_produce_snapshot(frz_transaction *transaction,
                                               const frz_snapshot *parent, frz_change *change,
                                               frz_snapshot *out, frz_error **err);

#endif
