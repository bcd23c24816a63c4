#include "maintenance/listing.h"

#include <inttypes.h>

#include "base/fail.h"
#include "base/mem.h"

/* The list of one snapshot as it is gone through. */
typedef struct listing {
    frz_verification *verification;
    const frz_snapshot *snapshot;
    size_t index;          /* of the snapshot */
    int64_t assigned_rows; /* of the manifests whose row ids this snapshot assigned */
} listing;

static frz_status add(const listing *self, frz_rule rule, const char *manifest,
                      const char *expected, const char *found, frz_error **err)
{
    frz_place place = FRZ_PLACE_NONE;
    place.snapshot_id = self->snapshot->snapshot_id;
    place.manifest = manifest;
    return frz_report_add(self->verification->report, rule, &place, expected, found, err);
}

static bool slices_alike(bool has_a, frz_slice a, bool has_b, frz_slice b)
{
    return has_a == has_b && (!has_a || frz_slice_equal(a, b));
}

/* The first member in which two lists differ on a manifest; NULL when they agree. What one of them
 * leaves out is no difference: V1 lists know less, and row ids come with the upgrade to V3, to each
 * branch its own (spec "Row Lineage for Upgraded Tables"), so that those of an older manifest may
 * differ. */
static const char *difference(const frz_manifest_record *record, const frz_manifest_file *b)
{
    const frz_manifest_file *a = &record->file;
    const bool made_with_row_ids = record->added_by && record->added_by->first_row_id >= 0;
#define DIFFERS(member) (a->member >= 0 && b->member >= 0 && a->member != b->member)
    if (DIFFERS(length))
        return "manifest_length";
    if (a->spec_id != b->spec_id)
        return "partition_spec_id";
    if (a->content != b->content)
        return "content";
    if (DIFFERS(sequence_number))
        return "sequence_number";
    if (DIFFERS(min_sequence_number))
        return "min_sequence_number";
    if (a->added_snapshot_id != b->added_snapshot_id)
        return "added_snapshot_id";
    if (DIFFERS(added_files) || DIFFERS(existing_files) || DIFFERS(deleted_files))
        return "files counts";
    if (DIFFERS(added_rows) || DIFFERS(existing_rows) || DIFFERS(deleted_rows))
        return "rows counts";
    if (made_with_row_ids && DIFFERS(first_row_id))
        return "first_row_id";
#undef DIFFERS
    for (size_t i = 0; a->partitions && b->partitions && i < a->partition_count; i++) {
        const frz_field_summary *one = &a->partitions[i];
        const frz_field_summary *other = &b->partitions[i];
        if (one->contains_null != other->contains_null ||
            !slices_alike(one->has_lower, one->lower, other->has_lower, other->lower) ||
            !slices_alike(one->has_upper, one->upper, other->has_upper, other->upper))
            return "partitions";
    }
    return NULL;
}

static frz_status copy_summaries(frz_arena *arena, frz_manifest_file *file, frz_error **err)
{
    if (!file->partitions)
        return FRZ_OK;
    frz_field_summary *copies = frz_arena_array(arena, file->partition_count, sizeof *copies);
    if (!copies)
        return frz_fail_memory(err);
    for (size_t i = 0; i < file->partition_count; i++) {
        copies[i] = file->partitions[i];
        if (!frz_arena_slice(arena, copies[i].lower, &copies[i].lower) ||
            !frz_arena_slice(arena, copies[i].upper, &copies[i].upper))
            return frz_fail_memory(err);
    }
    file->partitions = copies;
    return FRZ_OK;
}

static frz_status new_record(listing *self, const frz_manifest_file *file,
                             frz_manifest_record **out, frz_error **err)
{
    frz_verification *verification = self->verification;
    frz_arena *arena = &verification->arena;
    if (!frz_grow_array((void **)&verification->manifests, &verification->manifest_capacity,
                        verification->manifest_count, sizeof *verification->manifests))
        return frz_fail_memory(err);
    frz_manifest_record record = {.file = *file};
    record.file.path = frz_arena_text(arena, file->path);
    if (!record.file.path || !frz_arena_slice(arena, file->key_metadata, &record.file.key_metadata))
        return frz_fail_memory(err);
    FRZ_TRY(copy_summaries(arena, &record.file, err));
    record.added_by = frz_metadata_find_snapshot(verification->metadata, file->added_snapshot_id);
    const frz_map_value index = {.number = (int64_t)verification->manifest_count};
    if (!frz_map_put(&verification->manifests_by_path, frz_slice_of_text(record.file.path), index))
        return frz_fail_memory(err);
    *out = &verification->manifests[verification->manifest_count++];
    **out = record;
    return FRZ_OK;
}

/* Sequence numbers ("Sequence Number Inheritance"): those of the snapshot that added the manifest,
 * and of a list at most its snapshot's. */
static frz_status check_sequence(const listing *self, const frz_manifest_record *record,
                                 const frz_manifest_file *file, frz_error **err)
{
    frz_verify_report *report = self->verification->report;
    if (file->sequence_number > self->snapshot->sequence_number)
        return add(self, FRZ_RULE_MANIFEST_SEQUENCE, file->path,
                   frz_report_text(report, "sequence_number at most %" PRId64 ", the snapshot's",
                                   self->snapshot->sequence_number),
                   frz_report_text(report, "%" PRId64, file->sequence_number), err);
    if (file->min_sequence_number > file->sequence_number)
        return add(
            self, FRZ_RULE_MANIFEST_SEQUENCE, file->path,
            frz_report_text(report, "min_sequence_number at most %" PRId64, file->sequence_number),
            frz_report_text(report, "%" PRId64, file->min_sequence_number), err);
    if (record->added_by && record->added_by->sequence_number != file->sequence_number)
        return add(self, FRZ_RULE_MANIFEST_SEQUENCE, file->path,
                   frz_report_text(report, "sequence_number %" PRId64 " of snapshot %" PRId64,
                                   record->added_by->sequence_number,
                                   record->added_by->snapshot_id),
                   frz_report_text(report, "%" PRId64, file->sequence_number), err);
    return FRZ_OK;
}

/* Spec "First Row ID Assignment": every data manifest of a snapshot with row ids has some; new ones
 * lie within the snapshot's. */
static frz_status check_row_ids(listing *self, const frz_manifest_file *file, frz_error **err)
{
    frz_verify_report *report = self->verification->report;
    const frz_snapshot *snapshot = self->snapshot;
    if (file->content != 0 || snapshot->first_row_id < 0)
        return FRZ_OK;
    if (file->first_row_id < 0)
        return add(self, FRZ_RULE_MANIFEST_ROW_IDS, file->path, "a first_row_id", "null", err);
    if (file->first_row_id < snapshot->first_row_id || file->added_rows < 0 ||
        file->existing_rows < 0)
        return FRZ_OK;
    const int64_t end =
        frz_count_add(snapshot->first_row_id, snapshot->added_rows < 0 ? 0 : snapshot->added_rows);
    const int64_t rows = frz_count_add(file->added_rows, file->existing_rows);
    self->assigned_rows = frz_count_add(self->assigned_rows, rows);
    if (file->first_row_id > end || rows > end - file->first_row_id)
        return add(
            self, FRZ_RULE_MANIFEST_ROW_IDS, file->path,
            frz_report_text(report,
                            "row ids within %" PRId64 " to %" PRId64 ", those of the snapshot",
                            snapshot->first_row_id, end),
            frz_report_text(report, "%" PRId64 " rows from %" PRId64, rows, file->first_row_id),
            err);
    return FRZ_OK;
}

static frz_status add_run(const listing *self, frz_manifest_record *record, frz_error **err)
{
    frz_snapshot_run *runs = record->runs.items;
    const size_t count = record->runs.count;
    if (count && runs[count - 1].to == self->index)
        return add(self, FRZ_RULE_MANIFEST_LISTED_ONCE, record->file.path, "once in the list",
                   "twice", err);
    record->listed_by = self->snapshot;
    if (count && runs[count - 1].to + 1 == self->index) {
        runs[count - 1].to = self->index;
        return FRZ_OK;
    }
    frz_snapshot_run *run = frz_list_add(&record->runs, &self->verification->arena, sizeof *run);
    if (!run)
        return frz_fail_memory(err);
    *run = (frz_snapshot_run){self->index, self->index};
    return FRZ_OK;
}

static frz_status take_manifest(listing *self, const frz_manifest_file *file, frz_error **err)
{
    frz_verification *verification = self->verification;
    frz_manifest_record *record = NULL;
    const frz_map_value *known =
        frz_map_find(&verification->manifests_by_path, frz_slice_of_text(file->path));
    if (!known)
        FRZ_TRY(new_record(self, file, &record, err));
    else
        record = &verification->manifests[known->number];
    const char *differs = difference(record, file);
    if (differs)
        FRZ_TRY(add(self, FRZ_RULE_MANIFEST_ALIKE, file->path, "what other lists say",
                    frz_report_text(verification->report, "another %s", differs), err));
    if (file->first_row_id >= 0)
        record->file.first_row_id = file->first_row_id;
    if (!frz_metadata_find_spec(verification->metadata, file->spec_id))
        FRZ_TRY(add(self, FRZ_RULE_MANIFEST_SPEC, file->path, "a partition spec of the table",
                    frz_report_text(verification->report, "spec %" PRId32, file->spec_id), err));
    FRZ_TRY(check_sequence(self, record, file, err));
    FRZ_TRY(check_row_ids(self, file, err));
    return add_run(self, record, err);
}

static frz_status read_list(listing *self, frz_arena *arena, frz_manifest_list *out,
                            frz_error **err)
{
    frz_verification *verification = self->verification;
    frz_error *cause = NULL;
    frz_place place = FRZ_PLACE_NONE;
    place.snapshot_id = self->snapshot->snapshot_id;
    place.manifest = self->snapshot->manifest_list;
    const frz_status status =
        frz_manifest_list_read(verification->table->io, verification->metadata, self->snapshot,
                               verification->limits, arena, out, &cause);
    if (status == FRZ_OK)
        return FRZ_OK;
    verification->snapshots[self->index].complete = false;
    return frz_report_failure(verification->report, FRZ_RULE_MANIFEST_LIST, &place, status, &cause,
                              err);
}

/* Spec "Snapshots", added-rows: at least as many as the manifests were assigned. */
static frz_status check_assigned(const listing *self, frz_error **err)
{
    frz_verify_report *report = self->verification->report;
    const int64_t stated = self->snapshot->added_rows;
    if (self->snapshot->first_row_id < 0 || stated < 0 || self->assigned_rows <= stated)
        return FRZ_OK;
    return add(self, FRZ_RULE_SNAPSHOT_ROW_IDS, self->snapshot->manifest_list,
               frz_report_text(report, "added-rows at least %" PRId64 ", as its manifests take",
                               self->assigned_rows),
               frz_report_text(report, "%" PRId64, stated), err);
}

static frz_status verify_list(frz_verification *verification, size_t index, frz_arena *arena,
                              frz_error **err)
{
    frz_manifest_list list = {0};
    listing self = {.verification = verification,
                    .snapshot = &verification->metadata->snapshots[index],
                    .index = index};
    verification->snapshots[index].complete = true;
    FRZ_TRY(read_list(&self, arena, &list, err));
    for (size_t i = 0; i < list.count; i++)
        FRZ_TRY(take_manifest(&self, &list.files[i], err));
    verification->report->counts.snapshots++;
    return check_assigned(&self, err);
}

frz_status frz_verify_lists(frz_verification *self, frz_error **err)
{
    for (size_t i = 0; i < self->metadata->snapshot_count; i++) {
        frz_arena arena = {.budget = self->limits->parse_budget};
        if (!self->snapshots[i].chosen)
            continue;
        const frz_status status = verify_list(self, i, &arena, err);
        frz_arena_clear(&arena);
        FRZ_TRY(status);
    }
    return FRZ_OK;
}
