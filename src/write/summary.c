#include "write/summary.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/number.h"

/* Counters by the names they have in summaries, in the order Java writes them. */
static const struct {
    const char *key;
    size_t offset;
} counters[] = {
#define COUNTER(key, member)                      \
    {                                             \
        key, offsetof(frz_summary_counts, member) \
    }
    COUNTER("added-data-files", added_data_files),
    COUNTER("deleted-data-files", deleted_data_files),
    COUNTER("added-equality-delete-files", added_equality_delete_files),
    COUNTER("removed-equality-delete-files", removed_equality_delete_files),
    COUNTER("added-position-delete-files", added_position_delete_files),
    COUNTER("removed-position-delete-files", removed_position_delete_files),
    COUNTER("added-delete-files", added_delete_files),
    COUNTER("removed-delete-files", removed_delete_files),
    COUNTER("added-dvs", added_dvs),
    COUNTER("removed-dvs", removed_dvs),
    COUNTER("added-records", added_records),
    COUNTER("deleted-records", deleted_records),
    COUNTER("added-files-size", added_files_size),
    COUNTER("removed-files-size", removed_files_size),
    COUNTER("added-position-deletes", added_position_deletes),
    COUNTER("removed-position-deletes", removed_position_deletes),
    COUNTER("added-equality-deletes", added_equality_deletes),
    COUNTER("removed-equality-deletes", removed_equality_deletes),
#undef COUNTER
};

static const struct {
    const char *key;
    size_t added;
    size_t removed;
} totals[] = {
#define TOTAL(key, plus, minus)                                                      \
    {                                                                                \
        key, offsetof(frz_summary_counts, plus), offsetof(frz_summary_counts, minus) \
    }
    TOTAL("total-records", added_records, deleted_records),
    TOTAL("total-files-size", added_files_size, removed_files_size),
    TOTAL("total-data-files", added_data_files, deleted_data_files),
    TOTAL("total-delete-files", added_delete_files, removed_delete_files),
    TOTAL("total-position-deletes", added_position_deletes, removed_position_deletes),
    TOTAL("total-equality-deletes", added_equality_deletes, removed_equality_deletes),
#undef TOTAL
};

enum {
    COUNTERS = sizeof counters / sizeof *counters,
    TOTALS = sizeof totals / sizeof *totals,
    OTHERS = 2 /* changed-partition-count, partition-summaries-included */
};

static int64_t read_counter(const frz_summary_counts *counts, size_t offset)
{
    int64_t value;
    memcpy(&value, (const char *)counts + offset, sizeof value);
    return value;
}

static void count_file(frz_summary_counts *counts, const frz_data_file *file, bool added)
{
    const bool vector = file->format == FRZ_FORMAT_PUFFIN;
    /* A deletion vector counts with its own bytes, not with those of the Puffin file it shares. */
    const int64_t size = vector && file->content_size >= 0 ? file->content_size : file->file_size;
    *(added ? &counts->added_files_size : &counts->removed_files_size) += size;
    switch (file->content) {
    case FRZ_CONTENT_DATA:
        *(added ? &counts->added_data_files : &counts->deleted_data_files) += 1;
        *(added ? &counts->added_records : &counts->deleted_records) += file->record_count;
        return;
    case FRZ_CONTENT_POSITION_DELETES:
        if (vector)
            *(added ? &counts->added_dvs : &counts->removed_dvs) += 1;
        else
            *(added ? &counts->added_position_delete_files
                    : &counts->removed_position_delete_files) += 1;
        *(added ? &counts->added_position_deletes : &counts->removed_position_deletes) +=
            file->record_count;
        break;
    case FRZ_CONTENT_EQUALITY_DELETES:
        *(added ? &counts->added_equality_delete_files : &counts->removed_equality_delete_files) +=
            1;
        *(added ? &counts->added_equality_deletes : &counts->removed_equality_deletes) +=
            file->record_count;
        break;
    }
    *(added ? &counts->added_delete_files : &counts->removed_delete_files) += 1;
}

static frz_status find_partition(frz_summary *summary, frz_slice path, frz_summary_counts **out,
                                 frz_error **err)
{
    const frz_map_value *found = frz_map_find(&summary->by_path, path);
    if (!found) {
        const char *copy =
            frz_arena_text_n(summary->arena, path.data ? path.data : (const void *)"", path.size);
        const frz_map_value index = {.number = (int64_t)summary->partition_count};
        if (!copy ||
            !frz_grow_array((void **)&summary->partitions, &summary->partition_capacity,
                            summary->partition_count, sizeof *summary->partitions) ||
            !frz_map_put(&summary->by_path, frz_slice_of_text(copy), index))
            return frz_fail_memory(err);
        summary->partitions[summary->partition_count++] = (frz_summary_partition){.path = copy};
        *out = &summary->partitions[summary->partition_count - 1].counts;
        return FRZ_OK;
    }
    *out = &summary->partitions[found->number].counts;
    return FRZ_OK;
}

frz_status frz_summary_add(frz_summary *summary, const frz_data_file *file, bool added,
                           frz_error **err)
{
    frz_buffer path = {0};
    frz_summary_counts *partition = NULL;
    const frz_partition_spec *spec = frz_metadata_find_spec(summary->metadata, file->spec_id);
    if (spec && spec->field_count > 0)
        frz_partition_path(spec, frz_metadata_partition_type(summary->metadata, file->spec_id),
                           file->partition, &path);
    frz_status status = frz_buffer_check(&path, err);
    if (status == FRZ_OK)
        status = find_partition(summary, frz_buffer_slice(&path), &partition, err);
    if (status == FRZ_OK) {
        count_file(&summary->counts, file, added);
        count_file(partition, file, added);
    }
    frz_buffer_clear(&path);
    return status;
}

/* The properties as they are put together. */
typedef struct property_list {
    frz_arena *arena;
    frz_property *items;
    size_t count;
} property_list;

static frz_status put(property_list *list, const char *key, const char *value, frz_error **err)
{
    const frz_property made = {frz_arena_text(list->arena, key),
                               frz_arena_text(list->arena, value)};
    if (!made.key || !made.value)
        return frz_fail_memory(err);
    list->items[list->count++] = made;
    return FRZ_OK;
}

static frz_status put_number(property_list *list, const char *key, int64_t value, frz_error **err)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    return put(list, key, text, err);
}

static bool is_counted(const char *key)
{
    for (size_t i = 0; i < COUNTERS; i++) {
        if (strcmp(key, counters[i].key) == 0)
            return true;
    }
    for (size_t i = 0; i < TOTALS; i++) {
        if (strcmp(key, totals[i].key) == 0)
            return true;
    }
    return strcmp(key, "operation") == 0 || strcmp(key, "changed-partition-count") == 0 ||
           strcmp(key, "partition-summaries-included") == 0;
}

static frz_status put_extra(property_list *list, const frz_option *extra, size_t count,
                            frz_error **err)
{
    for (size_t i = 0; i < count; i++) {
        if (is_counted(extra[i].key))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "snapshot property %s is set by the commit", extra[i].key);
        for (size_t j = 0; j < list->count; j++) {
            if (strcmp(list->items[j].key, extra[i].key) == 0)
                return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                "snapshot property %s is given twice", extra[i].key);
        }
        FRZ_TRY(put(list, extra[i].key, extra[i].value, err));
    }
    return FRZ_OK;
}

static frz_status put_counters(property_list *list, const frz_summary_counts *counts,
                               frz_error **err)
{
    for (size_t i = 0; i < COUNTERS; i++) {
        const int64_t value = read_counter(counts, counters[i].offset);
        if (value > 0)
            FRZ_TRY(put_number(list, counters[i].key, value, err));
    }
    return FRZ_OK;
}

/* "added-data-files=1,added-records=3" */
static frz_status put_partition(property_list *list, const frz_summary_partition *partition,
                                frz_error **err)
{
    frz_buffer text = {0};
    const char *key = frz_arena_printf(list->arena, "partitions.%s", partition->path);
    for (size_t i = 0; i < COUNTERS; i++) {
        const int64_t value = read_counter(&partition->counts, counters[i].offset);
        if (value > 0)
            frz_buffer_printf(&text, "%s%s=%" PRId64, text.size ? "," : "", counters[i].key, value);
    }
    frz_buffer_append_byte(&text, 0);
    frz_status status = key ? frz_buffer_check(&text, err) : frz_fail_memory(err);
    if (status == FRZ_OK)
        status = put(list, key, (const char *)text.data, err);
    frz_buffer_clear(&text);
    return status;
}

static frz_status put_partitions(property_list *list, const frz_summary *summary, int64_t limit,
                                 frz_error **err)
{
    const size_t count = summary->partition_count;
    FRZ_TRY(put_number(list, "changed-partition-count", (int64_t)count, err));
    if (count == 0 || (uint64_t)count > (uint64_t)(limit < 0 ? 0 : limit))
        return FRZ_OK;
    FRZ_TRY(put(list, "partition-summaries-included", "true", err));
    for (size_t i = 0; i < count; i++) {
        if (summary->partitions[i].path[0])
            FRZ_TRY(put_partition(list, &summary->partitions[i], err));
    }
    return FRZ_OK;
}

/* A total that the previous summary does not have, or has wrong, is left out: it is unknown, not
 * zero. */
static frz_status put_totals(property_list *list, const frz_summary_counts *counts,
                             const frz_snapshot *previous, frz_error **err)
{
    for (size_t i = 0; i < TOTALS; i++) {
        int64_t total = 0;
        const char *before = previous ? frz_snapshot_summary_find(previous, totals[i].key) : "0";
        if (!before || !frz_number_parse_i64(before, strlen(before), &total))
            continue;
        if (__builtin_add_overflow(total, read_counter(counts, totals[i].added), &total))
            continue;
        total -= read_counter(counts, totals[i].removed);
        if (total >= 0)
            FRZ_TRY(put_number(list, totals[i].key, total, err));
    }
    return FRZ_OK;
}

frz_status frz_summary_build(frz_summary *summary, const frz_summary_options *options,
                             frz_property **out, size_t *count_out, frz_error **err)
{
    property_list list = {.arena = summary->arena};
    list.items = frz_arena_array(summary->arena,
                                 options->extra_count + COUNTERS + TOTALS + OTHERS +
                                     summary->partition_count,
                                 sizeof *list.items);
    if (!list.items)
        return frz_fail_memory(err);
    FRZ_TRY(put_extra(&list, options->extra, options->extra_count, err));
    FRZ_TRY(put_counters(&list, &summary->counts, err));
    FRZ_TRY(put_partitions(&list, summary, options->partition_limit, err));
    FRZ_TRY(put_totals(&list, &summary->counts, options->previous, err));
    *out = list.items;
    *count_out = list.count;
    return FRZ_OK;
}

void frz_summary_clear(frz_summary *summary)
{
    frz_map_clear(&summary->by_path);
    frz_free(summary->partitions);
    *summary = (frz_summary){0};
}
