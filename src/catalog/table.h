/*
 * The table handle: one version of a table's metadata, and where it came from.
 */
#ifndef FRZ_CATALOG_TABLE_H
#define FRZ_CATALOG_TABLE_H

#include "base/cache.h"
#include "base/limits.h"
#include "frazil/extend/catalog.h"
#include "frazil/table.h"
#include "spec/metadata.h"

struct frz_table {
    char *identifier;        /* owned; NULL without catalog */
    char *metadata_location; /* owned */
    frz_metadata *metadata;  /* a reference */
    frz_catalog *catalog;    /* a reference; NULL without catalog */
    char *source;            /* owned: what frz_table_open was given; NULL with catalog */
    frz_io *io;              /* borrowed from the catalog, or what the caller gave, or own_io */
    frz_io *own_io;          /* freed with the table */
    frz_cache *cache;        /* a reference: manifests and deletion vectors; NULL = none */
    frz_limits limits;
};

/* Where a table stands that is not there yet: its first commit creates it. */
#define FRZ_TABLE_NEW ""

static inline bool frz_table_is_new(const frz_table *table)
{
    return table->metadata_location[0] == '\0';
}

/* Takes `metadata` (a reference) and copies the texts. */
FRZ_MUST_CHECK frz_status frz_table_new(frz_catalog *catalog, const char *identifier, frz_io *io,
                                        const char *metadata_location, frz_metadata *metadata,
                                        frz_table **out, frz_error **err);

/* Moves the handle to another version; takes `metadata`. */
FRZ_MUST_CHECK frz_status frz_table_move_to(frz_table *table, const char *metadata_location,
                                            frz_metadata *metadata, frz_error **err);

/* The snapshot a selector names, and the schema to read it with: a branch and the current snapshot
 * with the current schema, a snapshot id, a time or a tag with the snapshot's. *snapshot_out NULL:
 * empty table. */
FRZ_MUST_CHECK frz_status frz_table_select(const frz_table *table, const frz_snapshot_selector *at,
                                           const frz_snapshot **snapshot_out,
                                           frz_schema **schema_out, frz_error **err);

/* {write.metadata.path or location/metadata}/NAME and {write.data.path or location/data}/NAME;
 * appended. */
void frz_table_metadata_path(const frz_metadata *metadata, const char *name, frz_buffer *out);
void frz_table_data_path(const frz_metadata *metadata, const char *name, frz_buffer *out);

#endif
