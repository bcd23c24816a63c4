/*
 * The versions of one table that a transaction has made so far (frazil/transaction.h), on top of
 * one that the catalog holds. A stage is the back-end of a catalog of its own: tables loaded from
 * it stand at the staged version, and a commit to it (catalog/commit.c) moves it on in memory. Each
 * staged version is what would be committed if the transaction ended there: its logs know of the
 * base alone (Java: BaseTransaction's TransactionTableOperations).
 *
 * One thread.
 */
#ifndef FRZ_CATALOG_STAGE_H
#define FRZ_CATALOG_STAGE_H

#include "frazil/extend/catalog.h"
#include "spec/metadata.h"

typedef struct frz_stage {
    frz_catalog_backend backend; /* first; whoever embeds a stage sets its ops */
    char *base_location;
    frz_metadata *base;     /* a reference: the version that is to be replaced */
    char *location;         /* of no file, until the transaction has ended */
    frz_metadata *metadata; /* a reference; `base` when nothing is staged */
    int64_t version;        /* names given out */
    bool ended;             /* nothing is staged any more: read only */
} frz_stage;

/* What a back-end's ops are for a stage, beside `free`: the rest is asked of no stage, whose
 * catalog is not given to anybody. */
frz_status frz_stage_load(frz_catalog_backend *backend, const char *identifier,
                          char **metadata_location_out, frz_error **err);

/* Starts anew from a version of the catalog, with nothing staged. Takes a reference; unchanged when
 * it fails. */
FRZ_MUST_CHECK frz_status frz_stage_reset(frz_stage *stage, const char *base_location,
                                          frz_metadata *base, frz_error **err);

/* The commit of a stage: FRZ_CONFLICT when `expected` is not where it stands. Takes a reference. */
FRZ_MUST_CHECK frz_status frz_stage_advance(frz_stage *stage, const char *expected,
                                            const frz_metadata *metadata, char **location_out,
                                            frz_error **err);

/* Stands at a version of the catalog for good: that of the commit, or the base. Takes a reference.
 */
FRZ_MUST_CHECK frz_status frz_stage_end(frz_stage *stage, const char *location,
                                        frz_metadata *metadata, frz_error **err);

void frz_stage_clear(frz_stage *stage);

#endif
