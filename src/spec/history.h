/*
 * The JSON of what table metadata keeps beside its snapshots: references (spec "Snapshot
 * References"), the snapshot log and the metadata log ("Table Metadata Fields").
 */
#ifndef FRZ_SPEC_HISTORY_H
#define FRZ_SPEC_HISTORY_H

#include "spec/list.h"
#include "spec/snapshot.h"

/* All read into a list of the named struct, in json's arena; null reads as empty. */
FRZ_MUST_CHECK frz_status frz_snapshot_refs_read_json(frz_json_reader *json, frz_list *refs,
                                                      frz_error **err);
FRZ_MUST_CHECK frz_status frz_snapshot_log_read_json(frz_json_reader *json, frz_list *log,
                                                     frz_error **err);
FRZ_MUST_CHECK frz_status frz_metadata_log_read_json(frz_json_reader *json, frz_list *log,
                                                     frz_error **err);

void frz_snapshot_refs_write_json(const frz_snapshot_ref *refs, size_t count,
                                  frz_json_writer *json);
/* Into an array that is open. */
void frz_snapshot_log_write_items(const frz_snapshot_log_entry *log, size_t count,
                                  frz_json_writer *json);
void frz_metadata_log_write_json(const frz_metadata_log_entry *log, size_t count,
                                 frz_json_writer *json);

#endif
