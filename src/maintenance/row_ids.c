#include "maintenance/row_ids.h"

#include <inttypes.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "maintenance/ledger_entry.h"
#include "puffin/bitmap.h"
#include "scan/plan.h"
#include "write/row_value.h"

enum { MEMORY_STEP = 1 << 20 }; /* ids between two looks at the memory that they take */
static const uint64_t memory_default = UINT64_C(256) << 20;

/* Of one file: rows with the id of another row that came before. */
typedef struct shared_ids {
    int64_t count;
    int64_t first; /* an id */
} shared_ids;

/* The live rows of one snapshot. */
typedef struct id_check {
    frz_verification *verification;
    const frz_map *with_row_ids;
    const frz_snapshot *snapshot;
    frz_plan *plan;
    size_t file_count;
    shared_ids *shared; /* of each file: of all rounds that are done */
    shared_ids *found;  /* likewise: of the round */
    int64_t from;       /* the ids of the round: from .. to - 1 */
    int64_t to;
    frz_bitmap *ids; /* of rows of files that hold some */
    int64_t id_count;
    int64_t look_at; /* id_count at which the memory is looked at again */
    bool full;       /* the round has too many ids */
} id_check;

static const frz_data_file *file_of(const id_check *self, size_t index)
{
    return &frz_plan_task(self->plan, index)->entry->file;
}

static bool holds_row_ids(const id_check *self, size_t index)
{
    const uint64_t key = frz_ledger_key(file_of(self, index)->path, -1);
    return frz_map_find_i64(self->with_row_ids, (int64_t)key);
}

static frz_status add_id(id_check *self, int64_t id, frz_error **err)
{
    const uint64_t limit = self->verification->options->row_id_memory;
    FRZ_TRY(frz_bitmap_add(self->ids, id, err));
    if (++self->id_count < self->look_at)
        return FRZ_OK;
    self->look_at += self->id_count < MEMORY_STEP ? self->id_count : MEMORY_STEP;
    self->full = self->to - self->from > 1 &&
                 frz_bitmap_memory(self->ids) > (limit ? limit : memory_default);
    return FRZ_OK;
}

/* A row of file `index`, whose own id is that of a row before or, of files that hold ids, becomes
 * known. */
static frz_status take_id(id_check *self, size_t index, bool holds, int64_t id, frz_error **err)
{
    if (id < self->from || id >= self->to)
        return FRZ_OK;
    if (!frz_bitmap_contains(self->ids, id))
        return holds ? add_id(self, id, err) : FRZ_OK;
    if (self->found[index].count++ == 0)
        self->found[index].first = id;
    return FRZ_OK;
}

static frz_status take_batch(id_check *self, size_t index, bool holds,
                             const struct ArrowArray *batch, frz_error **err)
{
    for (int64_t row = 0; row < batch->length && !self->full; row++) {
        frz_value id = {.form = FRZ_VALUE_NULL};
        frz_row_value(frz_type_of(FRZ_TYPE_LONG), batch->children[0], row, &id);
        if (id.form != FRZ_VALUE_NULL) /* null: from before the upgrade to V3 */
            FRZ_TRY(take_id(self, index, holds, id.integer, err));
    }
    return FRZ_OK;
}

/* What cannot be read was told when the file was. */
static frz_status pass_over(frz_status status, frz_error **cause, frz_error **err)
{
    if (status == FRZ_END || frz_is_finding(status)) {
        frz_error_free(*cause);
        *cause = NULL;
        return FRZ_OK;
    }
    if (err && !*err)
        *err = *cause;
    else
        frz_error_free(*cause);
    *cause = NULL;
    return status;
}

static frz_status read_file(id_check *self, size_t index, bool holds, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    frz_error *cause = NULL;
    frz_status status = FRZ_OK;
    frz_status told = frz_plan_file_stream(self->plan, index, &rows, &cause);
    while (status == FRZ_OK && told == FRZ_OK && !self->full) {
        struct ArrowArray batch = {0};
        told = frz_arrow_stream_next(&rows, &batch, &cause);
        if (told == FRZ_OK)
            status = take_batch(self, index, holds, &batch, err);
        frz_arrow_array_clear(&batch);
    }
    frz_arrow_stream_clear(&rows);
    if (status == FRZ_OK)
        return pass_over(told, &cause, err);
    frz_error_free(cause);
    return status;
}

/* Whether rows of a file that holds no ids may have one of those that are known. */
static bool may_share(const id_check *self, size_t index)
{
    const frz_data_file *file = file_of(self, index);
    return file->first_row_id >= 0 && file->record_count > 0 &&
           frz_bitmap_count_range(self->ids, file->first_row_id, file->record_count) > 0;
}

/* All ids of the round: first those that files hold, then those that others give their rows. */
static frz_status run_round(id_check *self, frz_error **err)
{
    frz_bitmap_free(self->ids);
    self->ids = NULL;
    self->id_count = 0;
    self->look_at = 1;
    self->full = false;
    memset(self->found, 0, self->file_count * sizeof *self->found);
    FRZ_TRY(frz_bitmap_new(&self->ids, err));
    for (size_t i = 0; i < self->file_count && !self->full; i++)
        if (holds_row_ids(self, i))
            FRZ_TRY(read_file(self, i, true, err));
    for (size_t i = 0; i < self->file_count && !self->full; i++)
        if (!holds_row_ids(self, i) && may_share(self, i))
            FRZ_TRY(read_file(self, i, false, err));
    return FRZ_OK;
}

static void keep_round(id_check *self)
{
    for (size_t i = 0; i < self->file_count; i++) {
        if (self->shared[i].count == 0)
            self->shared[i].first = self->found[i].first;
        self->shared[i].count += self->found[i].count;
    }
}

/* Ids that were never given out are of another rule. */
static frz_status run_rounds(id_check *self, frz_error **err)
{
    const int64_t end = self->verification->metadata->next_row_id;
    int64_t width = end;
    while (self->from < end) {
        self->to = width < end - self->from ? self->from + width : end;
        FRZ_TRY(run_round(self, err));
        if (self->full) {
            width = (self->to - self->from) / 2;
            continue;
        }
        keep_round(self);
        self->from = self->to;
    }
    return FRZ_OK;
}

static frz_status tell(const id_check *self, size_t index, frz_error **err)
{
    frz_verify_report *report = self->verification->report;
    const frz_scan_task *task = frz_plan_task(self->plan, index);
    frz_place place = FRZ_PLACE_NONE;
    if (self->shared[index].count == 0)
        return FRZ_OK;
    place.snapshot_id = self->snapshot->snapshot_id;
    place.manifest = task->manifest->path;
    place.path = task->entry->file.path;
    return frz_report_add(report, FRZ_RULE_ROW_ID_UNIQUE, &place,
                          "rows with a _row_id that no other row of the snapshot has",
                          frz_report_text(report,
                                          "%" PRId64 " rows without, the first with %" PRId64,
                                          self->shared[index].count, self->shared[index].first),
                          err);
}

static frz_status open_plan(id_check *self, frz_error **err)
{
    static const char *const select[] = {"_row_id"};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_scan *scan = NULL;
    frz_error *cause = NULL;
    options.select = select;
    options.select_count = 1;
    options.at.has_snapshot_id = true;
    options.at.snapshot_id = self->snapshot->snapshot_id;
    frz_status status = frz_scan_new(self->verification->table, &options, &scan, &cause);
    if (status == FRZ_OK)
        status = frz_scan_plan(scan, &self->plan, &cause);
    frz_scan_free(scan);
    if (status != FRZ_OK)
        return pass_over(status, &cause, err);
    self->file_count = frz_plan_task_count(self->plan);
    self->shared = frz_alloc_array(self->file_count + 1, sizeof *self->shared);
    self->found = frz_alloc_array(self->file_count + 1, sizeof *self->found);
    return self->shared && self->found ? FRZ_OK : frz_fail_memory(err);
}

static frz_status check_snapshot(id_check *self, frz_error **err)
{
    FRZ_TRY(open_plan(self, err));
    if (!self->plan)
        return FRZ_OK;
    FRZ_TRY(run_rounds(self, err));
    for (size_t i = 0; i < self->file_count; i++)
        FRZ_TRY(tell(self, i, err));
    return FRZ_OK;
}

/* Snapshots that are chosen and can be read whole: the current one, those of references, and one
 * that was asked for alone. */
static bool is_looked_at(const frz_verification *self, size_t index)
{
    const frz_metadata *metadata = self->metadata;
    const frz_snapshot_selector *at = &self->options->at;
    const int64_t id = metadata->snapshots[index].snapshot_id;
    if (!self->snapshots[index].chosen || !self->snapshots[index].complete)
        return false;
    if (id == metadata->current_snapshot_id || at->has_snapshot_id || at->has_as_of_ms || at->ref)
        return true;
    for (size_t i = 0; i < metadata->ref_count; i++)
        if (metadata->refs[i].snapshot_id == id)
            return true;
    return false;
}

frz_status frz_verify_row_ids(frz_verification *self, const frz_map *with_row_ids, frz_error **err)
{
    if (self->metadata->format_version < 3 || with_row_ids->count == 0)
        return FRZ_OK;
    for (size_t i = 0; i < self->metadata->snapshot_count; i++) {
        if (!is_looked_at(self, i))
            continue;
        id_check check = {.verification = self,
                          .with_row_ids = with_row_ids,
                          .snapshot = &self->metadata->snapshots[i]};
        const frz_status status = check_snapshot(&check, err);
        frz_bitmap_free(check.ids);
        frz_plan_free(check.plan);
        frz_free(check.shared);
        frz_free(check.found);
        FRZ_TRY(status);
    }
    return FRZ_OK;
}
