#include "maintenance/totals.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/fail.h"
#include "base/number.h"

typedef enum measure { MEASURE_FILES, MEASURE_ROWS, MEASURE_BYTES } measure;

enum {
    DATA = 1 << FRZ_KIND_DATA,
    EQUALITY = 1 << FRZ_KIND_EQUALITY_DELETES,
    POSITION = 1 << FRZ_KIND_POSITION_DELETES,
    VECTOR = 1 << FRZ_KIND_VECTOR,
    DELETES = EQUALITY | POSITION | VECTOR
};

/* Counters of summaries: which kinds of files, what of them, and (of changes) which entries. */
typedef struct counter {
    const char *key;
    unsigned kinds;
    measure measure;
    frz_entry_status status;
} counter;

static const counter changes[] = {
    {"added-data-files", DATA, MEASURE_FILES, FRZ_ENTRY_ADDED},
    {"deleted-data-files", DATA, MEASURE_FILES, FRZ_ENTRY_DELETED},
    {"added-delete-files", DELETES, MEASURE_FILES, FRZ_ENTRY_ADDED},
    {"removed-delete-files", DELETES, MEASURE_FILES, FRZ_ENTRY_DELETED},
    {"added-equality-delete-files", EQUALITY, MEASURE_FILES, FRZ_ENTRY_ADDED},
    {"removed-equality-delete-files", EQUALITY, MEASURE_FILES, FRZ_ENTRY_DELETED},
    {"added-position-delete-files", POSITION, MEASURE_FILES, FRZ_ENTRY_ADDED},
    {"removed-position-delete-files", POSITION, MEASURE_FILES, FRZ_ENTRY_DELETED},
    {"added-dvs", VECTOR, MEASURE_FILES, FRZ_ENTRY_ADDED},
    {"removed-dvs", VECTOR, MEASURE_FILES, FRZ_ENTRY_DELETED},
    {"added-records", DATA, MEASURE_ROWS, FRZ_ENTRY_ADDED},
    {"deleted-records", DATA, MEASURE_ROWS, FRZ_ENTRY_DELETED},
    {"added-position-deletes", POSITION | VECTOR, MEASURE_ROWS, FRZ_ENTRY_ADDED},
    {"removed-position-deletes", POSITION | VECTOR, MEASURE_ROWS, FRZ_ENTRY_DELETED},
    {"added-equality-deletes", EQUALITY, MEASURE_ROWS, FRZ_ENTRY_ADDED},
    {"removed-equality-deletes", EQUALITY, MEASURE_ROWS, FRZ_ENTRY_DELETED},
    {"added-files-size", DATA | DELETES, MEASURE_BYTES, FRZ_ENTRY_ADDED},
    {"removed-files-size", DATA | DELETES, MEASURE_BYTES, FRZ_ENTRY_DELETED},
};

static const counter totals[] = {
    {"total-data-files", DATA, MEASURE_FILES, FRZ_ENTRY_EXISTING},
    {"total-delete-files", DELETES, MEASURE_FILES, FRZ_ENTRY_EXISTING},
    {"total-records", DATA, MEASURE_ROWS, FRZ_ENTRY_EXISTING},
    {"total-position-deletes", POSITION | VECTOR, MEASURE_ROWS, FRZ_ENTRY_EXISTING},
    {"total-equality-deletes", EQUALITY, MEASURE_ROWS, FRZ_ENTRY_EXISTING},
    {"total-files-size", DATA | DELETES, MEASURE_BYTES, FRZ_ENTRY_EXISTING},
};

static frz_status add(const frz_verification *self, frz_rule rule, size_t snapshot,
                      const char *expected, const char *found, frz_error **err)
{
    frz_place place = FRZ_PLACE_NONE;
    place.snapshot_id = self->metadata->snapshots[snapshot].snapshot_id;
    return frz_report_add(self->report, rule, &place, expected, found, err);
}

static int64_t measured(const frz_tallies *tallies, const counter *what)
{
    int64_t sum = 0;
    for (unsigned kind = 0; kind < FRZ_KIND_COUNT; kind++) {
        const frz_tally *tally = &tallies->of[kind][what->status];
        if (!(what->kinds >> kind & 1))
            continue;
        sum = frz_count_add(sum, what->measure == MEASURE_FILES  ? tally->files
                                 : what->measure == MEASURE_ROWS ? tally->rows
                                                                 : tally->bytes);
    }
    return sum;
}

static frz_status check_counter(const frz_verification *self, frz_rule rule, size_t index,
                                const counter *what, frz_error **err)
{
    const char *text = frz_snapshot_summary_find(&self->metadata->snapshots[index], what->key);
    const int64_t counted = measured(&self->snapshots[index].tallies, what);
    int64_t stated = 0;
    if (!text)
        return FRZ_OK; /* optional */
    if (frz_number_parse_i64(text, strlen(text), &stated) && stated == counted)
        return FRZ_OK;
    return add(
        self, rule, index,
        frz_report_text(self->report, "%s %" PRId64 ", as in its manifests", what->key, counted),
        frz_report_text(self->report, "%s", text), err);
}

static frz_status check_summary(const frz_verification *self, size_t index, frz_error **err)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        FRZ_TRY(check_counter(self, FRZ_RULE_SUMMARY_CHANGES, index, &changes[i], err));
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        FRZ_TRY(check_counter(self, FRZ_RULE_SUMMARY_TOTALS, index, &totals[i], err));
    return FRZ_OK;
}

/* Spec "Snapshots", operation: append adds data files alone; delete adds none. */
static frz_status check_operation(const frz_verification *self, size_t index, frz_error **err)
{
    const char *operation = self->metadata->snapshots[index].operation;
    const frz_tallies *tallies = &self->snapshots[index].tallies;
    const counter deleted = {NULL, DATA | DELETES, MEASURE_FILES, FRZ_ENTRY_DELETED};
    const counter added_deletes = {NULL, DELETES, MEASURE_FILES, FRZ_ENTRY_ADDED};
    const counter added_data = {NULL, DATA, MEASURE_FILES, FRZ_ENTRY_ADDED};
    const char *found = NULL;
    if (!operation)
        return FRZ_OK;
    if (strcmp(operation, "append") == 0 && measured(tallies, &deleted) > 0)
        found = "an append that removes files";
    else if (strcmp(operation, "append") == 0 && measured(tallies, &added_deletes) > 0)
        found = "an append that adds delete files";
    else if (strcmp(operation, "delete") == 0 && measured(tallies, &added_data) > 0)
        found = "a delete that adds data files";
    if (!found)
        return FRZ_OK;
    return add(self, FRZ_RULE_SNAPSHOT_OPERATION, index, frz_rule_text(FRZ_RULE_SNAPSHOT_OPERATION),
               found, err);
}

/* Nothing is lost and nothing appears: what is live is what was live in the parent, less what this
 * snapshot deleted and more what it added. */
static frz_status check_continuity(const frz_verification *self, size_t index, frz_error **err)
{
    static const char *const words[FRZ_KIND_COUNT] = {"data files", "equality delete files",
                                                      "position delete files", "deletion vectors"};
    const frz_snapshot *snapshot = &self->metadata->snapshots[index];
    const frz_tallies *mine = &self->snapshots[index].tallies;
    static const frz_tallies none = {0};
    const frz_tallies *before = &none;
    size_t parent = 0;
    if (snapshot->parent_id != FRZ_NO_SNAPSHOT) {
        if (!frz_verification_index(self, snapshot->parent_id, &parent) ||
            !self->snapshots[parent].complete)
            return FRZ_OK;
        before = &self->snapshots[parent].tallies;
    }
    for (int kind = 0; kind < FRZ_KIND_COUNT; kind++) {
        const frz_tally *live = &mine->of[kind][FRZ_ENTRY_EXISTING];
        const frz_tally *was = &before->of[kind][FRZ_ENTRY_EXISTING];
        const frz_tally *added = &mine->of[kind][FRZ_ENTRY_ADDED];
        const frz_tally *deleted = &mine->of[kind][FRZ_ENTRY_DELETED];
        const int64_t files = was->files + added->files - deleted->files;
        const int64_t rows = frz_count_add(was->rows, added->rows) - deleted->rows;
        if (files != live->files || rows != live->rows)
            FRZ_TRY(add(self, FRZ_RULE_SNAPSHOT_CONTINUITY, index,
                        frz_report_text(self->report,
                                        "%" PRId64 " %s with %" PRId64 " rows: %" PRId64
                                        " of the parent, %" PRId64 " added, %" PRId64 " deleted",
                                        files, words[kind], rows, was->files, added->files,
                                        deleted->files),
                        frz_report_text(self->report, "%" PRId64 " with %" PRId64 " rows",
                                        live->files, live->rows),
                        err));
    }
    return FRZ_OK;
}

/* A snapshot takes manifests from its parent, and adds its own. */
static frz_status check_added_by(const frz_verification *self, const frz_manifest_record *manifest,
                                 size_t index, frz_error **err)
{
    const frz_snapshot *snapshot = &self->metadata->snapshots[index];
    frz_place place = frz_place_of_manifest(manifest);
    size_t parent = 0;
    if (manifest->file.added_snapshot_id == snapshot->snapshot_id)
        return FRZ_OK;
    if (snapshot->parent_id != FRZ_NO_SNAPSHOT &&
        (!frz_verification_index(self, snapshot->parent_id, &parent) ||
         !self->snapshots[parent].complete || frz_manifest_is_listed(manifest, parent)))
        return FRZ_OK;
    place.snapshot_id = snapshot->snapshot_id;
    return frz_report_add(
        self->report, FRZ_RULE_MANIFEST_ADDED_BY, &place,
        frz_report_text(self->report, "added_snapshot_id %" PRId64 ", or a manifest of the parent",
                        snapshot->snapshot_id),
        frz_report_text(self->report, "%" PRId64, manifest->file.added_snapshot_id), err);
}

static void add_tally(frz_tally *sum, const frz_tally *more)
{
    sum->files += more->files;
    sum->rows = frz_count_add(sum->rows, more->rows);
    sum->bytes = frz_count_add(sum->bytes, more->bytes);
}

/* Of a snapshot, EXISTING counts all that is live in it. */
static void add_manifest(frz_verification *self, const frz_manifest_record *manifest,
                         size_t snapshot)
{
    const frz_snapshot *by = manifest->added_by;
    const bool own = by == &self->metadata->snapshots[snapshot];
    frz_tallies *sums = &self->snapshots[snapshot].tallies;
    for (int kind = 0; kind < FRZ_KIND_COUNT; kind++) {
        const frz_tally *of = manifest->tallies.of[kind];
        add_tally(&sums->of[kind][FRZ_ENTRY_EXISTING], &of[FRZ_ENTRY_EXISTING]);
        add_tally(&sums->of[kind][FRZ_ENTRY_EXISTING], &of[FRZ_ENTRY_ADDED]);
        if (own) {
            add_tally(&sums->of[kind][FRZ_ENTRY_ADDED], &of[FRZ_ENTRY_ADDED]);
            add_tally(&sums->of[kind][FRZ_ENTRY_DELETED], &of[FRZ_ENTRY_DELETED]);
        }
    }
}

frz_status frz_verify_totals(frz_verification *self, frz_error **err)
{
    for (size_t i = 0; i < self->manifest_count; i++) {
        const frz_snapshot_run *runs = self->manifests[i].runs.items;
        for (size_t r = 0; r < self->manifests[i].runs.count; r++)
            for (size_t s = runs[r].from; s <= runs[r].to; s++) {
                FRZ_TRY(check_added_by(self, &self->manifests[i], s, err));
                add_manifest(self, &self->manifests[i], s);
            }
    }
    for (size_t i = 0; i < self->metadata->snapshot_count; i++) {
        if (!self->snapshots[i].complete)
            continue;
        FRZ_TRY(check_summary(self, i, err));
        FRZ_TRY(check_operation(self, i, err));
        FRZ_TRY(check_continuity(self, i, err));
    }
    return FRZ_OK;
}
