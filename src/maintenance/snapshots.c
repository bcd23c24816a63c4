#include "maintenance/snapshots.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "spec/ancestry.h"

static frz_status add(const frz_verification *self, frz_rule rule, const frz_snapshot *snapshot,
                      const char *expected, const char *found, frz_error **err)
{
    frz_place place = FRZ_PLACE_NONE;
    place.snapshot_id = snapshot->snapshot_id;
    return frz_report_add(self->report, rule, &place, expected, found, err);
}

/* frz_ancestry ends on parents that go round; here they are what is looked for. */
static bool goes_round(const frz_metadata *metadata, const frz_snapshot *snapshot)
{
    frz_ancestry line = frz_ancestry_of(metadata, snapshot);
    (void)frz_ancestry_next(&line);
    for (const frz_snapshot *at = frz_ancestry_next(&line); at; at = frz_ancestry_next(&line))
        if (at == snapshot)
            return true;
    return false;
}

static frz_status check_parent(const frz_verification *self, const frz_snapshot *snapshot,
                               frz_error **err)
{
    const frz_metadata *metadata = self->metadata;
    const frz_snapshot *parent = frz_metadata_find_snapshot(metadata, snapshot->parent_id);
    if (!parent)
        return FRZ_OK; /* none, or expired */
    if (parent->sequence_number >= snapshot->sequence_number && snapshot->sequence_number > 0)
        FRZ_TRY(add(
            self, FRZ_RULE_SNAPSHOT_SEQUENCE, snapshot,
            frz_report_text(self->report, "above %" PRId64 " of its parent %" PRId64,
                            parent->sequence_number, parent->snapshot_id),
            frz_report_text(self->report, "sequence-number %" PRId64, snapshot->sequence_number),
            err));
    if (frz_is_earlier(snapshot->timestamp_ms, parent->timestamp_ms))
        FRZ_TRY(add(self, FRZ_RULE_SNAPSHOT_TIME, snapshot,
                    frz_report_text(self->report, "not before %" PRId64 ", its parent's",
                                    parent->timestamp_ms),
                    frz_report_text(self->report, "timestamp-ms %" PRId64, snapshot->timestamp_ms),
                    err));
    /* Metadata lists snapshots as they were made: a ring has a parent that stands behind its child.
     */
    if (parent >= snapshot && goes_round(metadata, snapshot))
        return add(self, FRZ_RULE_SNAPSHOT_PARENT, snapshot,
                   frz_rule_text(FRZ_RULE_SNAPSHOT_PARENT), "it is among its own ancestors", err);
    return FRZ_OK;
}

static frz_status check_alone(const frz_verification *self, const frz_snapshot *snapshot,
                              frz_error **err)
{
    const frz_metadata *metadata = self->metadata;
    if (snapshot->schema_id >= 0 && !frz_metadata_find_schema(metadata, snapshot->schema_id))
        FRZ_TRY(add(self, FRZ_RULE_SNAPSHOT_SCHEMA, snapshot, "a schema of the table",
                    frz_report_text(self->report, "schema-id %" PRId32, snapshot->schema_id), err));
    if (frz_is_earlier(metadata->last_updated_ms, snapshot->timestamp_ms))
        FRZ_TRY(add(self, FRZ_RULE_SNAPSHOT_TIME, snapshot,
                    frz_report_text(self->report, "not after last-updated-ms %" PRId64,
                                    metadata->last_updated_ms),
                    frz_report_text(self->report, "timestamp-ms %" PRId64, snapshot->timestamp_ms),
                    err));
    if (metadata->format_version > 1 && snapshot->sequence_number > 0 && !snapshot->operation)
        FRZ_TRY(add(self, FRZ_RULE_SNAPSHOT_OPERATION, snapshot, "a summary with an operation",
                    "none", err));
    if ((snapshot->first_row_id < 0) != (snapshot->added_rows < 0))
        FRZ_TRY(add(self, FRZ_RULE_SNAPSHOT_ROW_IDS, snapshot,
                    "first-row-id and added-rows, or neither",
                    snapshot->first_row_id < 0 ? "added-rows alone" : "first-row-id alone", err));
    if (metadata->format_version >= 3 && snapshot->first_row_id >= 0 && snapshot->added_rows >= 0 &&
        (snapshot->first_row_id > metadata->next_row_id ||
         snapshot->added_rows > metadata->next_row_id - snapshot->first_row_id))
        FRZ_TRY(add(self, FRZ_RULE_SNAPSHOT_ROW_IDS, snapshot,
                    frz_report_text(self->report, "row ids below next-row-id %" PRId64,
                                    metadata->next_row_id),
                    frz_report_text(self->report, "%" PRId64 " rows from %" PRId64,
                                    snapshot->added_rows, snapshot->first_row_id),
                    err));
    return FRZ_OK;
}

static int by_sequence(const void *a, const void *b)
{
    const frz_snapshot *one = *(const frz_snapshot *const *)a;
    const frz_snapshot *other = *(const frz_snapshot *const *)b;
    return (one->sequence_number > other->sequence_number) -
           (one->sequence_number < other->sequence_number);
}

static int by_row_id(const void *a, const void *b)
{
    const frz_snapshot *one = *(const frz_snapshot *const *)a;
    const frz_snapshot *other = *(const frz_snapshot *const *)b;
    const int order =
        (one->first_row_id > other->first_row_id) - (one->first_row_id < other->first_row_id);
    return order ? order
                 : (one->added_rows > other->added_rows) - (one->added_rows < other->added_rows);
}

/* Neighbours in order of sequence number; V1's have 0. */
static frz_status check_numbers(const frz_verification *self, const frz_snapshot *const *sorted,
                                frz_error **err)
{
    for (size_t i = 1; i < self->metadata->snapshot_count; i++)
        if (sorted[i]->sequence_number > 0 &&
            sorted[i]->sequence_number == sorted[i - 1]->sequence_number)
            FRZ_TRY(add(self, FRZ_RULE_SNAPSHOT_SEQUENCE, sorted[i], "a sequence-number of its own",
                        frz_report_text(self->report, "%" PRId64 ", as snapshot %" PRId64 " has",
                                        sorted[i]->sequence_number, sorted[i - 1]->snapshot_id),
                        err));
    return FRZ_OK;
}

static frz_status check_ranges(const frz_verification *self, const frz_snapshot *const *sorted,
                               frz_error **err)
{
    const frz_snapshot *before = NULL;
    for (size_t i = 0; i < self->metadata->snapshot_count; i++) {
        const frz_snapshot *at = sorted[i];
        if (at->first_row_id < 0 || at->added_rows <= 0)
            continue;
        if (before && at->first_row_id - before->first_row_id < before->added_rows)
            FRZ_TRY(
                add(self, FRZ_RULE_SNAPSHOT_ROW_IDS, at,
                    frz_report_text(self->report,
                                    "row ids behind those of snapshot %" PRId64 ", %" PRId64
                                    " rows from %" PRId64,
                                    before->snapshot_id, before->added_rows, before->first_row_id),
                    frz_report_text(self->report, "first-row-id %" PRId64, at->first_row_id), err));
        before = at;
    }
    return FRZ_OK;
}

frz_status frz_verify_snapshots(frz_verification *self, frz_error **err)
{
    const frz_metadata *metadata = self->metadata;
    frz_status status = FRZ_OK;
    const frz_snapshot **sorted = frz_alloc_array(metadata->snapshot_count, sizeof *sorted);
    if (!sorted)
        return frz_fail_memory(err);
    for (size_t i = 0; i < metadata->snapshot_count; i++) {
        sorted[i] = &metadata->snapshots[i];
        if (!self->snapshots[i].chosen)
            continue;
        FRZ_TRY_DONE(check_alone(self, sorted[i], err));
        FRZ_TRY_DONE(check_parent(self, sorted[i], err));
    }
    qsort(sorted, metadata->snapshot_count, sizeof *sorted, by_sequence);
    FRZ_TRY_DONE(check_numbers(self, sorted, err));
    qsort(sorted, metadata->snapshot_count, sizeof *sorted, by_row_id);
    FRZ_TRY_DONE(check_ranges(self, sorted, err));

done:
    frz_free(sorted);
    return status;
}
