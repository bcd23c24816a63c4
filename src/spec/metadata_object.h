/*
 * Table metadata while it is made: the lists behind frz_metadata's arrays, the arena and the
 * indexes. Parse (metadata_parse.c) and the builder (update.c) fill one, frz_metadata_object_seal
 * checks it and makes it the immutable value that metadata.h shows.
 */
#ifndef FRZ_SPEC_METADATA_OBJECT_H
#define FRZ_SPEC_METADATA_OBJECT_H

#include <stdatomic.h>

#include "base/map.h"
#include "spec/list.h"
#include "spec/metadata.h"
#include "spec/printed.h"
#include "spec/snapshot_list.h"

typedef struct frz_metadata_object {
    frz_metadata metadata;            /* first: a frz_metadata of ours is the start of its object */
    struct frz_metadata_object *self; /* not const, for readers that hold it const */
    atomic_size_t references;
    frz_arena arena;
    frz_list schemas;     /* frz_schema *, each with a reference */
    frz_list specs;       /* frz_partition_spec */
    frz_list sort_orders; /* frz_sort_order */
    frz_list properties;  /* frz_property */
    frz_snapshot_list snapshots;
    frz_list snapshot_log; /* frz_snapshot_log_entry */
    frz_list metadata_log; /* frz_metadata_log_entry */
    frz_list refs;         /* frz_snapshot_ref */
    frz_map schemas_by_id; /* indexes into the lists; made by seal, as all below */
    frz_map specs_by_id;
    frz_map sort_orders_by_id;
    const frz_type **partition_types; /* one per spec */
    frz_printed printed_log;          /* of snapshot_log, whose first entries stay as they were */
} frz_metadata_object;

/* Empty, with one reference; absent ids are -1. */
FRZ_MUST_CHECK frz_status frz_metadata_object_new(size_t budget, frz_metadata_object **out,
                                                  frz_error **err);
/* Accepts NULL. For objects that were not shared yet; others go through frz_metadata_unref. */
void frz_metadata_object_free(frz_metadata_object *object);

/* A copy of everything a parse gives, unsealed. Nothing points back to `base`: snapshots are
 * shared, the rest is copied. */
FRZ_MUST_CHECK frz_status frz_metadata_object_copy(const frz_metadata *base,
                                                   frz_metadata_object **out, frz_error **err);

/* Takes a reference of its own. */
FRZ_MUST_CHECK frz_status frz_metadata_object_add_schema(frz_metadata_object *object,
                                                         const frz_schema *schema, frz_error **err);
/* Deep copies into the object's arena. */
FRZ_MUST_CHECK frz_status frz_metadata_object_add_spec(frz_metadata_object *object,
                                                       const frz_partition_spec *spec,
                                                       frz_error **err);
FRZ_MUST_CHECK frz_status frz_metadata_object_add_sort_order(frz_metadata_object *object,
                                                             const frz_sort_order *order,
                                                             frz_error **err);
FRZ_MUST_CHECK frz_status frz_metadata_object_add_ref(frz_metadata_object *object,
                                                      const frz_snapshot_ref *ref, frz_error **err);
FRZ_MUST_CHECK frz_status frz_metadata_object_add_property(frz_metadata_object *object,
                                                           const char *key, const char *value,
                                                           frz_error **err);

/* Keeps the text of what grows with the history of a table, for this version and those made of it:
 * frz_metadata_write then copies none of it. */
FRZ_MUST_CHECK frz_status frz_metadata_object_print(frz_metadata_object *object, frz_error **err);

/* Shows the lists in object->metadata. */
void frz_metadata_object_publish(frz_metadata_object *object);

/*
 * Publishes, checks and indexes: ids unique, current and default ones there, refs and current
 * snapshot known, sequence numbers within the table's; raises last-column-id and last-partition-id
 * to what is used; adds main when only current-snapshot-id tells it. FRZ_CORRUPT names what does
 * not hold.
 */
FRZ_MUST_CHECK frz_status frz_metadata_object_seal(frz_metadata_object *object, frz_error **err);

#endif
