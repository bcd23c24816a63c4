#include "spec/history.h"

#include <strings.h>

#include "base/fail.h"
#include "spec/json_list.h"

/* A retention setting: absent, or a positive number. */
static frz_status read_positive(frz_json_reader *json, const char *key, int64_t max, int64_t *out,
                                frz_error **err)
{
    const uint64_t at = json->pos;
    int64_t value = -1;
    bool null = false;
    FRZ_TRY(frz_json_read_null(json, &null, err));
    if (null)
        return FRZ_OK;
    FRZ_TRY(frz_json_read_i64(json, &value, err));
    if (value <= 0 || value > max)
        return frz_fail(err, FRZ_CORRUPT, at, "%s is %lld, expected 1 to %lld", key,
                        (long long)value, (long long)max);
    *out = value;
    return FRZ_OK;
}

static frz_status read_ref_type(frz_json_reader *json, bool *is_tag_out, frz_error **err)
{
    const uint64_t at = json->pos;
    const char *type = NULL;
    FRZ_TRY(frz_json_read_text(json, &type, err));
    if (strcasecmp(type, "tag") != 0 && strcasecmp(type, "branch") != 0)
        return frz_fail(err, FRZ_CORRUPT, at,
                        "type of a reference is \"%s\", expected branch or tag", type);
    *is_tag_out = strcasecmp(type, "tag") == 0;
    return FRZ_OK;
}

typedef struct ref_parse {
    frz_snapshot_ref ref;
    bool has_id;
    bool has_type;
} ref_parse;

static frz_status read_ref_member(frz_json_reader *json, frz_slice key, void *context,
                                  frz_error **err)
{
    ref_parse *parse = context;
    if (frz_slice_is_text(key, "snapshot-id")) {
        parse->has_id = true;
        return frz_json_read_i64(json, &parse->ref.snapshot_id, err);
    }
    if (frz_slice_is_text(key, "type")) {
        parse->has_type = true;
        return read_ref_type(json, &parse->ref.is_tag, err);
    }
    if (frz_slice_is_text(key, "min-snapshots-to-keep")) {
        int64_t keep = -1;
        FRZ_TRY(read_positive(json, "min-snapshots-to-keep", INT32_MAX, &keep, err));
        parse->ref.min_snapshots_to_keep = (int32_t)keep;
        return FRZ_OK;
    }
    if (frz_slice_is_text(key, "max-snapshot-age-ms"))
        return read_positive(json, "max-snapshot-age-ms", INT64_MAX,
                             &parse->ref.max_snapshot_age_ms, err);
    if (frz_slice_is_text(key, "max-ref-age-ms"))
        return read_positive(json, "max-ref-age-ms", INT64_MAX, &parse->ref.max_ref_age_ms, err);
    return frz_json_skip(json, err);
}

/* `context` is the list of references. */
static frz_status read_ref(frz_json_reader *json, frz_slice name, void *context, frz_error **err)
{
    const uint64_t at = json->pos;
    ref_parse parse = {
        .ref = {.min_snapshots_to_keep = -1, .max_snapshot_age_ms = -1, .max_ref_age_ms = -1}};
    parse.ref.name = frz_arena_text_n(json->arena, name.data, name.size);
    if (!parse.ref.name)
        return frz_fail_memory(err);
    if (name.size && memchr(name.data, 0, name.size))
        return frz_fail(err, FRZ_CORRUPT, at, "the name of a reference holds a NUL");
    FRZ_TRY(frz_json_read_members(json, read_ref_member, &parse, err));
    if (!parse.has_id || !parse.has_type)
        return frz_fail(err, FRZ_CORRUPT, at, "reference %s lacks %s", parse.ref.name,
                        parse.has_id ? "type" : "snapshot-id");
    frz_snapshot_ref *slot = frz_list_add(context, json->arena, sizeof *slot);
    if (!slot)
        return frz_fail_memory(err);
    *slot = parse.ref;
    return FRZ_OK;
}

frz_status frz_snapshot_refs_read_json(frz_json_reader *json, frz_list *refs, frz_error **err)
{
    bool null = false;
    FRZ_TRY(frz_json_read_null(json, &null, err));
    return null ? FRZ_OK : frz_json_read_members(json, read_ref, refs, err);
}

/* One entry of either log. */
typedef struct log_entry {
    int64_t timestamp_ms;
    int64_t snapshot_id;
    const char *metadata_file;
    bool has_timestamp;
    bool has_snapshot;
} log_entry;

static frz_status read_log_member(frz_json_reader *json, frz_slice key, void *context,
                                  frz_error **err)
{
    log_entry *out = context;
    if (frz_slice_is_text(key, "timestamp-ms")) {
        out->has_timestamp = true;
        return frz_json_read_i64(json, &out->timestamp_ms, err);
    }
    if (frz_slice_is_text(key, "snapshot-id")) {
        out->has_snapshot = true;
        return frz_json_read_i64(json, &out->snapshot_id, err);
    }
    if (frz_slice_is_text(key, "metadata-file"))
        return frz_json_read_text(json, &out->metadata_file, err);
    return frz_json_skip(json, err);
}

static frz_status read_snapshot_entry(frz_json_reader *json, const frz_json_list *list, void *item,
                                      frz_error **err)
{
    const uint64_t at = json->pos;
    log_entry entry = {0};
    (void)list;
    FRZ_TRY(frz_json_read_members(json, read_log_member, &entry, err));
    if (!entry.has_timestamp || !entry.has_snapshot)
        return frz_fail(err, FRZ_CORRUPT, at, "an entry of snapshot-log lacks %s",
                        entry.has_timestamp ? "snapshot-id" : "timestamp-ms");
    *(frz_snapshot_log_entry *)item = (frz_snapshot_log_entry){.timestamp_ms = entry.timestamp_ms,
                                                               .snapshot_id = entry.snapshot_id};
    return FRZ_OK;
}

static frz_status read_metadata_entry(frz_json_reader *json, const frz_json_list *list, void *item,
                                      frz_error **err)
{
    const uint64_t at = json->pos;
    log_entry entry = {0};
    (void)list;
    FRZ_TRY(frz_json_read_members(json, read_log_member, &entry, err));
    if (!entry.has_timestamp || !entry.metadata_file)
        return frz_fail(err, FRZ_CORRUPT, at, "an entry of metadata-log lacks %s",
                        entry.has_timestamp ? "metadata-file" : "timestamp-ms");
    *(frz_metadata_log_entry *)item = (frz_metadata_log_entry){
        .timestamp_ms = entry.timestamp_ms, .metadata_file = entry.metadata_file};
    return FRZ_OK;
}

static frz_status read_log(frz_json_reader *json, frz_json_list entries, frz_list *log,
                           frz_error **err)
{
    bool null = false;
    FRZ_TRY(frz_json_read_null(json, &null, err));
    entries.arena = json->arena;
    return null ? FRZ_OK : frz_json_list_read(json, &entries, log, err);
}

frz_status frz_snapshot_log_read_json(frz_json_reader *json, frz_list *log, frz_error **err)
{
    const frz_json_list entries = {.item_size = sizeof(frz_snapshot_log_entry),
                                   .read = read_snapshot_entry};
    return read_log(json, entries, log, err);
}

frz_status frz_metadata_log_read_json(frz_json_reader *json, frz_list *log, frz_error **err)
{
    const frz_json_list entries = {.item_size = sizeof(frz_metadata_log_entry),
                                   .read = read_metadata_entry};
    return read_log(json, entries, log, err);
}

static void write_i64_if_set(frz_json_writer *json, const char *key, int64_t value)
{
    if (value < 0)
        return;
    frz_json_key(json, key);
    frz_json_i64(json, value);
}

void frz_snapshot_refs_write_json(const frz_snapshot_ref *refs, size_t count, frz_json_writer *json)
{
    frz_json_open_object(json);
    for (size_t i = 0; i < count; i++) {
        frz_json_key(json, refs[i].name);
        frz_json_open_object(json);
        frz_json_key(json, "snapshot-id");
        frz_json_i64(json, refs[i].snapshot_id);
        frz_json_key(json, "type");
        frz_json_string(json, refs[i].is_tag ? "tag" : "branch");
        write_i64_if_set(json, "min-snapshots-to-keep", refs[i].min_snapshots_to_keep);
        write_i64_if_set(json, "max-snapshot-age-ms", refs[i].max_snapshot_age_ms);
        write_i64_if_set(json, "max-ref-age-ms", refs[i].max_ref_age_ms);
        frz_json_close_object(json);
    }
    frz_json_close_object(json);
}

void frz_snapshot_log_write_items(const frz_snapshot_log_entry *log, size_t count,
                                  frz_json_writer *json)
{
    for (size_t i = 0; i < count; i++) {
        frz_json_open_object(json);
        frz_json_key(json, "timestamp-ms");
        frz_json_i64(json, log[i].timestamp_ms);
        frz_json_key(json, "snapshot-id");
        frz_json_i64(json, log[i].snapshot_id);
        frz_json_close_object(json);
    }
}

void frz_metadata_log_write_json(const frz_metadata_log_entry *log, size_t count,
                                 frz_json_writer *json)
{
    frz_json_open_array(json);
    for (size_t i = 0; i < count; i++) {
        frz_json_open_object(json);
        frz_json_key(json, "timestamp-ms");
        frz_json_i64(json, log[i].timestamp_ms);
        frz_json_key(json, "metadata-file");
        frz_json_string(json, log[i].metadata_file);
        frz_json_close_object(json);
    }
    frz_json_close_array(json);
}
