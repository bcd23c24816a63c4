#include "maintenance/settlement.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "maintenance/ledger_entry.h"
#include "maintenance/run_set.h"

/* The settlement of one pass; [first, end) are entries of one key. */
typedef struct settlement {
    frz_ledger *ledger;
    frz_verification *verification;
    frz_run_set runs;
    frz_arena arena; /* of entries that were read again */
} settlement;

/* Names an entry; *place's texts live in the settlement's arena. */
static frz_status place_of(settlement *self, const frz_entry_at *at, frz_place *out,
                           frz_slice *referenced_out, frz_error **err)
{
    frz_slice referenced = {0};
    *out = frz_place_of_manifest(&self->verification->manifests[at->manifest]);
    out->entry = at->entry;
    FRZ_TRY(
        frz_ledger_read_again(self->verification, at, &self->arena, &out->path, &referenced, err));
    if (referenced_out)
        *referenced_out = referenced;
    return FRZ_OK;
}

static const char *manifest_of(const settlement *self, const frz_entry_at *at)
{
    return self->verification->manifests[at->manifest].file.path;
}

static int64_t snapshot_id_of(const settlement *self, size_t index)
{
    return self->verification->metadata->snapshots[index].snapshot_id;
}

#define TEXT(...) frz_report_text(self->verification->report, __VA_ARGS__)

static frz_status check_unique(settlement *self, const frz_ledger_entry *first, size_t count,
                               frz_error **err)
{
    size_t snapshot = 0;
    size_t one = 0;
    size_t other = 0;
    frz_place place = FRZ_PLACE_NONE;
    frz_place before = FRZ_PLACE_NONE;
    frz_run_set_reset(&self->runs);
    for (size_t i = 0; i < count; i++)
        if (first[i].status != FRZ_ENTRY_DELETED)
            FRZ_TRY(frz_run_set_add(&self->runs,
                                    &self->verification->manifests[first[i].at.manifest], i, err));
    frz_run_set_sort(&self->runs);
    if (!frz_run_set_find_shared(&self->runs, &snapshot, &one, &other))
        return FRZ_OK;
    FRZ_TRY(place_of(self, &first[one].at, &before, NULL, err));
    FRZ_TRY(place_of(self, &first[other].at, &place, NULL, err));
    if (!frz_slice_equal(before.path, place.path))
        return FRZ_OK; /* two paths, one hash */
    place.snapshot_id = snapshot_id_of(self, snapshot);
    return frz_report_add(
        self->verification->report, FRZ_RULE_LIVE_PATH_UNIQUE, &place, "a file that is live once",
        TEXT("also entry %u of %s", first[one].at.entry, manifest_of(self, &first[one].at)), err);
}

/* Files from before the upgrade to V3 get row ids of each branch (spec "Row Lineage for Upgraded
 * Tables"). */
static bool added_with_row_ids(const settlement *self, int64_t snapshot_id)
{
    const frz_snapshot *by = frz_metadata_find_snapshot(self->verification->metadata, snapshot_id);
    return by && by->first_row_id >= 0;
}

/* Entries of a file that one snapshot added, as others carry them on. */
static frz_status check_kept(settlement *self, const frz_ledger_entry *first,
                             const frz_ledger_entry *other, frz_error **err)
{
    const char *what = NULL;
    frz_place place = FRZ_PLACE_NONE;
    if (first->record_count != other->record_count)
        what = "record_count";
    else if (first->sequence_number != other->sequence_number)
        what = "sequence_number";
    else if (first->first_row_id >= 0 && other->first_row_id >= 0 &&
             first->first_row_id != other->first_row_id &&
             added_with_row_ids(self, first->snapshot_id))
        what = "first_row_id";
    if (!what)
        return FRZ_OK;
    FRZ_TRY(place_of(self, &other->at, &place, NULL, err));
    return frz_report_add(
        self->verification->report, FRZ_RULE_FILE_KEPT, &place,
        TEXT("what entry %u of %s says", first->at.entry, manifest_of(self, &first->at)),
        TEXT("another %s", what), err);
}

static frz_status check_all_kept(settlement *self, const frz_ledger_entry *first, size_t count,
                                 frz_error **err)
{
    const frz_ledger_entry *kept = NULL;
    for (size_t i = 0; i < count; i++) {
        if (first[i].status == FRZ_ENTRY_DELETED)
            continue;
        if (!kept || kept->snapshot_id != first[i].snapshot_id) {
            kept = &first[i];
            continue;
        }
        FRZ_TRY(check_kept(self, kept, &first[i], err));
        if (kept->first_row_id < 0)
            kept = &first[i];
    }
    return FRZ_OK;
}

/* Whether an entry of the group is live in the snapshot. */
static bool is_live_in(const settlement *self, const frz_ledger_entry *first, size_t count,
                       size_t snapshot)
{
    for (size_t i = 0; i < count; i++)
        if (first[i].status != FRZ_ENTRY_DELETED &&
            frz_manifest_is_listed(&self->verification->manifests[first[i].at.manifest], snapshot))
            return true;
    return false;
}

static frz_status check_deleted(settlement *self, const frz_ledger_entry *deleted,
                                const frz_ledger_entry *first, size_t count, frz_error **err)
{
    const frz_verification *verification = self->verification;
    const frz_snapshot *by = verification->manifests[deleted->at.manifest].added_by;
    const char *found = NULL;
    size_t index = 0;
    frz_place place = FRZ_PLACE_NONE;
    if (!by || by->snapshot_id != deleted->snapshot_id ||
        !frz_verification_index(verification, by->snapshot_id, &index) ||
        !verification->snapshots[index].complete)
        return FRZ_OK;
    if (is_live_in(self, first, count, index))
        found = "it is live there";
    else if (frz_verification_index(verification, by->parent_id, &index) &&
             verification->snapshots[index].complete && !is_live_in(self, first, count, index))
        found = "it was not live in the parent";
    if (!found)
        return FRZ_OK;
    FRZ_TRY(place_of(self, &deleted->at, &place, NULL, err));
    place.snapshot_id = by->snapshot_id;
    return frz_report_add(verification->report, FRZ_RULE_DELETED_WAS_LIVE, &place,
                          "a file that this snapshot takes out of its parent", found, err);
}

static frz_status check_entries(settlement *self, frz_error **err)
{
    const frz_ledger *ledger = self->ledger;
    size_t end = 0;
    for (size_t start = 0; start < ledger->entry_count; start = end) {
        const frz_ledger_entry *first = &ledger->entries[start];
        for (end = start + 1; end < ledger->entry_count && ledger->entries[end].key == first->key;)
            end++;
        FRZ_TRY(check_unique(self, first, end - start, err));
        FRZ_TRY(check_all_kept(self, first, end - start, err));
        for (size_t i = start; i < end; i++)
            if (ledger->entries[i].status == FRZ_ENTRY_DELETED)
                FRZ_TRY(check_deleted(self, &ledger->entries[i], first, end - start, err));
        frz_arena_clear(&self->arena);
    }
    return FRZ_OK;
}

/* The deletes of one data file, and the entries of that file. */
typedef struct delete_group {
    const frz_ledger_delete *deletes;
    size_t delete_count;
    const frz_ledger_entry *files;
    size_t file_count;
} delete_group;

/* Spec "Deletion Vectors": at most one per data file in a snapshot. */
static frz_status check_one_vector(settlement *self, const delete_group *group, frz_error **err)
{
    size_t snapshot = 0;
    size_t one = 0;
    size_t other = 0;
    frz_place place = FRZ_PLACE_NONE;
    frz_slice referenced = {0};
    frz_run_set_reset(&self->runs);
    for (size_t i = 0; i < group->delete_count; i++)
        if (group->deletes[i].vector)
            FRZ_TRY(frz_run_set_add(&self->runs,
                                    &self->verification->manifests[group->deletes[i].at.manifest],
                                    i, err));
    frz_run_set_sort(&self->runs);
    if (!frz_run_set_find_shared(&self->runs, &snapshot, &one, &other))
        return FRZ_OK;
    const frz_entry_at *first = &group->deletes[one].at;
    FRZ_TRY(place_of(self, &group->deletes[other].at, &place, &referenced, err));
    place.snapshot_id = snapshot_id_of(self, snapshot);
    return frz_report_add(
        self->verification->report, FRZ_RULE_ONE_VECTOR, &place,
        TEXT("one deletion vector of %.*s", (int)referenced.size, (const char *)referenced.data),
        TEXT("also entry %u of %s", first->entry, manifest_of(self, first)), err);
}

/* Spec "Scan Planning": a delete is of a data file that is not newer. */
static frz_status gather_files(settlement *self, const delete_group *group,
                               const frz_ledger_delete *delete, frz_error **err)
{
    frz_run_set_reset(&self->runs);
    for (size_t i = 0; i < group->file_count; i++) {
        const frz_ledger_entry *file = &group->files[i];
        if (file->status != FRZ_ENTRY_DELETED && file->kind == FRZ_KIND_DATA &&
            file->sequence_number <= delete->sequence_number)
            FRZ_TRY(frz_run_set_add(&self->runs, &self->verification->manifests[file->at.manifest],
                                    i, err));
    }
    frz_run_set_sort(&self->runs);
    return FRZ_OK;
}

static frz_status check_dangling(settlement *self, const delete_group *group,
                                 const frz_ledger_delete *delete, frz_error **err)
{
    const frz_manifest_record *manifest = &self->verification->manifests[delete->at.manifest];
    const frz_snapshot_run *runs = manifest->runs.items;
    frz_place place = FRZ_PLACE_NONE;
    frz_slice referenced = {0};
    FRZ_TRY(gather_files(self, group, delete, err));
    for (size_t i = 0; i < manifest->runs.count; i++) {
        size_t from = runs[i].from;
        size_t gap = 0;
        bool found = frz_run_set_find_gap(&self->runs, from, runs[i].to, &gap);
        while (found && !self->verification->snapshots[gap].complete)
            found = frz_run_set_find_gap(&self->runs, gap + 1, runs[i].to, &gap);
        if (!found)
            continue;
        FRZ_TRY(place_of(self, &delete->at, &place, &referenced, err));
        place.snapshot_id = snapshot_id_of(self, gap);
        return frz_report_add(
            self->verification->report, FRZ_RULE_DANGLING_DELETES, &place,
            TEXT("%.*s live, and not newer", (int)referenced.size, (const char *)referenced.data),
            group->file_count ? "not in this snapshot" : "in no snapshot", err);
    }
    return FRZ_OK;
}

static frz_status check_rows(settlement *self, const delete_group *group,
                             const frz_ledger_delete *delete, frz_error **err)
{
    frz_place place = FRZ_PLACE_NONE;
    for (size_t i = 0; delete->vector && i < group->file_count; i++) {
        if (group->files[i].kind != FRZ_KIND_DATA ||
            delete->record_count <= group->files[i].record_count)
            continue;
        FRZ_TRY(place_of(self, &delete->at, &place, NULL, err));
        return frz_report_add(
            self->verification->report, FRZ_RULE_VECTOR_ROWS, &place,
            TEXT("at most %" PRId64 " rows, those of its data file", group->files[i].record_count),
            TEXT("record_count %" PRId64, delete->record_count), err);
    }
    return FRZ_OK;
}

/* Deletes and entries are sorted by key: both are gone through side by side. */
static frz_status check_deletes(settlement *self, frz_error **err)
{
    const frz_ledger *ledger = self->ledger;
    size_t file = 0;
    size_t end = 0;
    for (size_t start = 0; start < ledger->delete_count; start = end) {
        const uint64_t key = ledger->deletes[start].key;
        for (end = start; end < ledger->delete_count && ledger->deletes[end].key == key;)
            end++;
        while (file < ledger->entry_count && ledger->entries[file].key < key)
            file++;
        size_t file_end = file;
        while (file_end < ledger->entry_count && ledger->entries[file_end].key == key)
            file_end++;
        const delete_group group = {.deletes = &ledger->deletes[start],
                                    .delete_count = end - start,
                                    .files = ledger->entries + file,
                                    .file_count = file_end - file};
        FRZ_TRY(check_one_vector(self, &group, err));
        for (size_t i = start; i < end; i++) {
            FRZ_TRY(check_dangling(self, &group, &ledger->deletes[i], err));
            FRZ_TRY(check_rows(self, &group, &ledger->deletes[i], err));
        }
        frz_arena_clear(&self->arena);
    }
    return FRZ_OK;
}

/* A position is the ordinal of a row in its data file. */
static frz_status check_position(settlement *self, const frz_ledger_position *position,
                                 const frz_ledger_entry *files, size_t count, frz_error **err)
{
    frz_place place = FRZ_PLACE_NONE;
    frz_slice referenced = {0};
    for (size_t i = 0; i < count; i++) {
        if (files[i].kind != FRZ_KIND_DATA || position->last < files[i].record_count)
            continue;
        FRZ_TRY(place_of(self, &position->at, &place, &referenced, err));
        return frz_report_add(
            self->verification->report, FRZ_RULE_DELETE_POSITIONS, &place,
            TEXT("positions below %" PRId64 ", the rows of its data file", files[i].record_count),
            TEXT("%" PRId64, position->last), err);
    }
    return FRZ_OK;
}

static frz_status check_positions(settlement *self, frz_error **err)
{
    const frz_ledger *ledger = self->ledger;
    size_t file = 0;
    for (size_t i = 0; i < ledger->position_count; i++) {
        const frz_ledger_position *position = &ledger->positions[i];
        while (file < ledger->entry_count && ledger->entries[file].key < position->key)
            file++;
        size_t end = file;
        while (end < ledger->entry_count && ledger->entries[end].key == position->key)
            end++;
        FRZ_TRY(check_position(self, position, ledger->entries + file, end - file, err));
        frz_arena_clear(&self->arena);
    }
    return FRZ_OK;
}

static frz_status check_range(settlement *self, const frz_ledger_range *range, frz_error **err)
{
    const frz_ledger_range *before = &self->ledger->furthest;
    const int64_t next = self->verification->metadata->next_row_id;
    frz_place place = FRZ_PLACE_NONE;
    frz_place other = FRZ_PLACE_NONE;
    if (range->first > next || range->count > next - range->first) {
        FRZ_TRY(place_of(self, &range->at, &place, NULL, err));
        FRZ_TRY(frz_report_add(self->verification->report, FRZ_RULE_FILE_ROW_IDS, &place,
                               TEXT("row ids below next-row-id %" PRId64, next),
                               TEXT("%" PRId64 " rows from %" PRId64, range->count, range->first),
                               err));
    }
    if (before->count == 0 || range->first - before->first >= before->count ||
        (before->key == range->key && before->first == range->first))
        return FRZ_OK;
    FRZ_TRY(place_of(self, &range->at, &place, NULL, err));
    FRZ_TRY(place_of(self, &before->at, &other, NULL, err));
    return frz_report_add(self->verification->report, FRZ_RULE_FILE_ROW_IDS, &place,
                          TEXT("row ids behind those of %.*s, %" PRId64 " rows from %" PRId64,
                               (int)other.path.size, (const char *)other.path.data, before->count,
                               before->first),
                          TEXT("first_row_id %" PRId64, range->first), err);
}

/* Spec "Row Lineage": an id is of one row. Before V3 there are none. */
static frz_status check_ranges(settlement *self, frz_error **err)
{
    frz_ledger *ledger = self->ledger;
    for (size_t i = 0; i < ledger->range_count; i++) {
        const frz_ledger_range *range = &ledger->ranges[i];
        FRZ_TRY(check_range(self, range, err));
        if (ledger->furthest.count == 0 ||
            range->first + range->count > ledger->furthest.first + ledger->furthest.count)
            ledger->furthest = *range;
        frz_arena_clear(&self->arena);
    }
    return FRZ_OK;
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_at(const frz_entry_at *a, const frz_entry_at *b)
{
    const int order = compare_u64(a->manifest, b->manifest);
    return order ? order : compare_u64(a->entry, b->entry);
}

static int entry_order(const void *a, const void *b)
{
    const frz_ledger_entry *one = a;
    const frz_ledger_entry *other = b;
    int order = compare_u64(one->key, other->key);
    if (!order)
        order = compare_i64(one->snapshot_id, other->snapshot_id);
    return order ? order : compare_at(&one->at, &other->at);
}

static int delete_order(const void *a, const void *b)
{
    const frz_ledger_delete *one = a;
    const frz_ledger_delete *other = b;
    const int order = compare_u64(one->key, other->key);
    return order ? order : compare_at(&one->at, &other->at);
}

static int position_order(const void *a, const void *b)
{
    const frz_ledger_position *one = a;
    const frz_ledger_position *other = b;
    const int order = compare_u64(one->key, other->key);
    return order ? order : compare_at(&one->at, &other->at);
}

static int range_order(const void *a, const void *b)
{
    const frz_ledger_range *one = a;
    const frz_ledger_range *other = b;
    int order = compare_i64(one->first, other->first);
    if (!order)
        order = compare_u64(one->key, other->key);
    return order ? order : compare_at(&one->at, &other->at);
}

static void sort(void *items, size_t count, size_t size, int (*order)(const void *, const void *))
{
    if (count > 1)
        qsort(items, count, size, order);
}

frz_status frz_ledger_settle(frz_ledger *ledger, frz_error **err)
{
    settlement self = {.ledger = ledger, .verification = ledger->verification};
    sort(ledger->entries, ledger->entry_count, sizeof *ledger->entries, entry_order);
    sort(ledger->deletes, ledger->delete_count, sizeof *ledger->deletes, delete_order);
    sort(ledger->positions, ledger->position_count, sizeof *ledger->positions, position_order);
    sort(ledger->ranges, ledger->range_count, sizeof *ledger->ranges, range_order);
    frz_status status = check_entries(&self, err);
    if (status == FRZ_OK)
        status = check_deletes(&self, err);
    if (status == FRZ_OK)
        status = check_positions(&self, err);
    if (status == FRZ_OK && self.verification->metadata->format_version >= 3)
        status = check_ranges(&self, err);
    frz_run_set_clear(&self.runs);
    frz_arena_clear(&self.arena);
    frz_presence_clear(&ledger->presence);
    ledger->entry_count = 0;
    ledger->delete_count = 0;
    ledger->position_count = 0;
    ledger->range_count = 0;
    return status;
}
