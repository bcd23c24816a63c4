#include "maintenance/logs.h"

#include <inttypes.h>

#include "base/fail.h"
#include "io/file.h"
#include "maintenance/presence.h"
#include "puffin/file.h"
#include "spec/members.h"

static frz_status add(const frz_verification *self, frz_rule rule, int64_t snapshot_id,
                      const char *expected, const char *found, frz_error **err)
{
    frz_place place = FRZ_PLACE_NONE;
    place.snapshot_id = snapshot_id;
    return frz_report_add(self->report, rule, &place, expected, found, err);
}

static frz_status check_time(const frz_verification *self, const char *what, int64_t before,
                             int64_t at, frz_error **err)
{
    if (!frz_is_earlier(at, before))
        return FRZ_OK;
    return add(self, FRZ_RULE_LOG_TIMES, FRZ_NO_SNAPSHOT,
               frz_report_text(self->report, "%s not before %" PRId64, what, before),
               frz_report_text(self->report, "%" PRId64, at), err);
}

static frz_status check_snapshot_log(const frz_verification *self, frz_error **err)
{
    const frz_metadata *metadata = self->metadata;
    int64_t before = INT64_MIN;
    for (size_t i = 0; i < metadata->snapshot_log_count; i++) {
        const frz_snapshot_log_entry *entry = &metadata->snapshot_log[i];
        if (!frz_metadata_find_snapshot(metadata, entry->snapshot_id))
            FRZ_TRY(add(self, FRZ_RULE_SNAPSHOT_LOG, entry->snapshot_id,
                        "a snapshot that the metadata lists", "an unknown one in the snapshot log",
                        err));
        FRZ_TRY(check_time(self, "the snapshot log's time", before, entry->timestamp_ms, err));
        before = entry->timestamp_ms;
    }
    if (metadata->snapshot_log_count == 0)
        return FRZ_OK;
    const frz_snapshot_log_entry *last = &metadata->snapshot_log[metadata->snapshot_log_count - 1];
    if (metadata->current_snapshot_id != FRZ_NO_SNAPSHOT &&
        last->snapshot_id != metadata->current_snapshot_id)
        FRZ_TRY(add(self, FRZ_RULE_SNAPSHOT_LOG, last->snapshot_id,
                    frz_report_text(self->report, "current snapshot %" PRId64 " last in the log",
                                    metadata->current_snapshot_id),
                    "another one", err));
    return check_time(self, "last-updated-ms", before, metadata->last_updated_ms, err);
}

static frz_status check_metadata_log(const frz_verification *self, frz_error **err)
{
    const frz_metadata *metadata = self->metadata;
    int64_t before = INT64_MIN;
    for (size_t i = 0; i < metadata->metadata_log_count; i++) {
        const frz_metadata_log_entry *entry = &metadata->metadata_log[i];
        frz_place place = FRZ_PLACE_NONE;
        bool there = false;
        uint64_t size = 0;
        FRZ_TRY(check_time(self, "the metadata log's time", before, entry->timestamp_ms, err));
        before = entry->timestamp_ms;
        FRZ_TRY(frz_presence_ask(self->table->io, entry->metadata_file, &there, &size, err));
        place.path = frz_slice_of_text(entry->metadata_file);
        if (!there)
            FRZ_TRY(frz_report_add(self->report, FRZ_RULE_METADATA_LOG_FILE, &place, "a file",
                                   "none", err));
    }
    if (metadata->metadata_log_count == 0)
        return FRZ_OK;
    return check_time(self, "last-updated-ms", before, metadata->last_updated_ms, err);
}

/* One member of `statistics` or `partition-statistics`. */
typedef struct statistics_file {
    int64_t snapshot_id;
    int64_t size;
    int64_t blob_count; /* -1: of no Puffin file */
    const char *path;
} statistics_file;

static frz_status count_items(frz_json_reader *json, int64_t *out, frz_error **err)
{
    FRZ_TRY(frz_json_enter_array(json, err));
    for (*out = 0;; (*out)++) {
        bool more = false;
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(frz_json_skip(json, err));
    }
}

static frz_status read_statistics_member(frz_json_reader *json, frz_slice key, void *context,
                                         frz_error **err)
{
    statistics_file *out = context;
    if (frz_slice_is_text(key, "snapshot-id"))
        return frz_member_i64(json, &out->snapshot_id, err);
    if (frz_slice_is_text(key, "statistics-path"))
        return frz_member_text(json, &out->path, err);
    if (frz_slice_is_text(key, "file-size-in-bytes"))
        return frz_member_i64(json, &out->size, err);
    if (frz_slice_is_text(key, "blob-metadata"))
        return count_items(json, &out->blob_count, err);
    return frz_json_skip(json, err);
}

static frz_status read_footer(const frz_verification *self, const char *path, frz_arena *arena,
                              frz_puffin_footer *out, frz_error **cause)
{
    frz_input *input = NULL;
    frz_status status = frz_io_open(self->table->io, path, FRZ_IO_SIZE_UNKNOWN, &input, cause);
    if (status == FRZ_OK)
        status = frz_puffin_footer_read(input, self->limits, arena, out, cause);
    frz_input_close(input);
    return status;
}

/* Spec "Table Statistics", statistics files: Puffin, whose blobs the metadata tells. */
static frz_status check_blobs(const frz_verification *self, const statistics_file *file,
                              const frz_place *place, frz_error **err)
{
    frz_arena arena = {0};
    frz_puffin_footer footer = {0};
    frz_error *cause = NULL;
    frz_status status = read_footer(self, file->path, &arena, &footer, &cause);
    if (status != FRZ_OK)
        status = frz_report_failure(self->report, FRZ_RULE_STATISTICS, place, status, &cause, err);
    else if (footer.blob_count != (uint64_t)file->blob_count)
        status =
            frz_report_add(self->report, FRZ_RULE_STATISTICS, place,
                           frz_report_text(self->report, "%" PRId64 " blobs, as in blob-metadata",
                                           file->blob_count),
                           frz_report_text(self->report, "%zu", footer.blob_count), err);
    frz_arena_clear(&arena);
    return status;
}

static frz_status check_statistics_file(const frz_verification *self, const statistics_file *file,
                                        frz_error **err)
{
    frz_place place = FRZ_PLACE_NONE;
    bool there = false;
    uint64_t size = 0;
    place.snapshot_id = file->snapshot_id;
    place.path = frz_slice_of_text(file->path);
    if (!frz_metadata_find_snapshot(self->metadata, file->snapshot_id))
        FRZ_TRY(frz_report_add(self->report, FRZ_RULE_STATISTICS, &place,
                               "statistics of a snapshot that the metadata lists", "an unknown one",
                               err));
    if (!file->path)
        return frz_report_add(self->report, FRZ_RULE_STATISTICS, &place, "a statistics-path",
                              "none", err);
    FRZ_TRY(frz_presence_ask(self->table->io, file->path, &there, &size, err));
    if (there && (file->size < 0 || size == (uint64_t)file->size))
        return self->options->deep && file->blob_count >= 0 ? check_blobs(self, file, &place, err)
                                                            : FRZ_OK;
    return frz_report_add(self->report, FRZ_RULE_STATISTICS, &place,
                          frz_report_text(self->report, "a file of %" PRId64 " bytes", file->size),
                          there ? frz_report_text(self->report, "%" PRIu64, size) : "none", err);
}

static frz_status check_statistics(const frz_verification *self, frz_slice array, frz_arena *arena,
                                   frz_error **err)
{
    frz_json_reader json = frz_json_reader_over(array, arena);
    json.depth_max = self->limits->nesting_depth;
    if (array.size == 0)
        return FRZ_OK;
    FRZ_TRY(frz_json_enter_array(&json, err));
    for (;;) {
        statistics_file file = {.snapshot_id = FRZ_NO_SNAPSHOT, .size = -1, .blob_count = -1};
        bool more = false;
        FRZ_TRY(frz_json_next_item(&json, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(frz_json_read_members(&json, read_statistics_member, &file, err));
        FRZ_TRY(check_statistics_file(self, &file, err));
    }
}

frz_status frz_verify_logs(frz_verification *self, frz_error **err)
{
    frz_arena arena = {0};
    frz_error *cause = NULL;
    const frz_place place = FRZ_PLACE_NONE;
    FRZ_TRY(check_snapshot_log(self, err));
    FRZ_TRY(check_metadata_log(self, err));
    frz_status status = check_statistics(self, self->metadata->statistics, &arena, &cause);
    if (status == FRZ_OK)
        status = check_statistics(self, self->metadata->partition_statistics, &arena, &cause);
    if (status != FRZ_OK)
        status = frz_report_failure(self->report, FRZ_RULE_STATISTICS, &place, status, &cause, err);
    frz_arena_clear(&arena);
    return status;
}
