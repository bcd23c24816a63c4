#include "spec/snapshot.h"

#include "base/fail.h"
#include "spec/json_list.h"
#include "spec/members.h"

typedef struct snapshot_parse {
    frz_snapshot snapshot;
    frz_list manifests;
    frz_list summary;
    frz_unknown_members unknown;
    bool has_id;
    bool has_timestamp;
} snapshot_parse;

const char *frz_snapshot_summary_find(const frz_snapshot *snapshot, const char *key)
{
    for (size_t i = 0; i < snapshot->summary_count; i++)
        if (strcmp(snapshot->summary[i].key, key) == 0)
            return snapshot->summary[i].value;
    return NULL;
}

static frz_status read_manifest(frz_json_reader *json, const frz_json_list *list, void *item,
                                frz_error **err)
{
    (void)list;
    return frz_json_read_text(json, item, err);
}

static frz_status read_manifests(frz_json_reader *json, frz_list *manifests, frz_error **err)
{
    const frz_json_list list = {
        .arena = json->arena, .item_size = sizeof(const char *), .read = read_manifest};
    bool null = false;
    FRZ_TRY(frz_json_read_null(json, &null, err));
    return null ? FRZ_OK : frz_json_list_read(json, &list, manifests, err);
}

/* Splits `operation` from the other members; a summary without it is read (only V2 demands it), and
 * none is made up: an invented one could let expiry skip the snapshot. */
static void take_summary(snapshot_parse *parse)
{
    frz_property *items = parse->summary.items;
    for (size_t i = 0; i < parse->summary.count; i++) {
        if (strcmp(items[i].key, "operation") != 0)
            continue;
        parse->snapshot.operation = items[i].value;
        frz_list_remove(&parse->summary, i, sizeof *items);
        break;
    }
    parse->snapshot.summary = parse->summary.items;
    parse->snapshot.summary_count = parse->summary.count;
}

static frz_status read_member(frz_json_reader *json, frz_slice key, void *context, frz_error **err)
{
    snapshot_parse *parse = context;
    frz_snapshot *out = &parse->snapshot;
    if (frz_slice_is_text(key, "snapshot-id")) {
        parse->has_id = true;
        return frz_json_read_i64(json, &out->snapshot_id, err);
    }
    if (frz_slice_is_text(key, "timestamp-ms")) {
        parse->has_timestamp = true;
        return frz_json_read_i64(json, &out->timestamp_ms, err);
    }
    if (frz_slice_is_text(key, "parent-snapshot-id"))
        return frz_member_i64(json, &out->parent_id, err);
    if (frz_slice_is_text(key, "sequence-number"))
        return frz_member_i64(json, &out->sequence_number, err);
    if (frz_slice_is_text(key, "summary"))
        return frz_member_properties(json, &parse->summary, err);
    if (frz_slice_is_text(key, "manifest-list"))
        return frz_member_text(json, &out->manifest_list, err);
    if (frz_slice_is_text(key, "manifests"))
        return read_manifests(json, &parse->manifests, err);
    if (frz_slice_is_text(key, "schema-id"))
        return frz_member_i32(json, &out->schema_id, err);
    if (frz_slice_is_text(key, "first-row-id"))
        return frz_member_i64(json, &out->first_row_id, err);
    if (frz_slice_is_text(key, "added-rows"))
        return frz_member_i64(json, &out->added_rows, err);
    if (frz_slice_is_text(key, "key-id"))
        return frz_member_text(json, &out->key_id, err);
    return frz_unknown_members_keep(&parse->unknown, json, key, err);
}

static frz_status check_snapshot(const snapshot_parse *parse, uint64_t at, frz_error **err)
{
    const frz_snapshot *s = &parse->snapshot;
    if (!parse->has_id)
        return frz_fail(err, FRZ_CORRUPT, at, "a snapshot lacks snapshot-id");
    if (s->snapshot_id == FRZ_NO_SNAPSHOT)
        return frz_fail(err, FRZ_CORRUPT, at, "a snapshot has the id -1, which means none");
    if (!parse->has_timestamp)
        return frz_fail(err, FRZ_CORRUPT, at, "snapshot %lld lacks timestamp-ms",
                        (long long)s->snapshot_id);
    if (s->sequence_number < 0)
        return frz_fail(err, FRZ_CORRUPT, at, "snapshot %lld: sequence-number %lld is negative",
                        (long long)s->snapshot_id, (long long)s->sequence_number);
    if (s->first_row_id < -1 || s->added_rows < -1)
        return frz_fail(
            err, FRZ_CORRUPT, at,
            "snapshot %lld: first-row-id %lld, added-rows %lld: expected no negative number",
            (long long)s->snapshot_id, (long long)s->first_row_id, (long long)s->added_rows);
    return FRZ_OK;
}

frz_status frz_snapshot_read_json(frz_json_reader *json, frz_arena *arena, frz_snapshot *out,
                                  frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arena *const lent = json->arena;
    const uint64_t at = json->pos;
    snapshot_parse parse = {.snapshot = {.snapshot_id = FRZ_NO_SNAPSHOT,
                                         .parent_id = FRZ_NO_SNAPSHOT,
                                         .schema_id = -1,
                                         .first_row_id = -1,
                                         .added_rows = -1}};
    json->arena = arena;
    FRZ_TRY_DONE(frz_json_read_members(json, read_member, &parse, err));
    FRZ_TRY_DONE(check_snapshot(&parse, at, err));
    FRZ_TRY_DONE(frz_unknown_members_finish(&parse.unknown, arena, &parse.snapshot.unknown, err));
    take_summary(&parse);
    if (!parse.snapshot.manifest_list) {
        parse.snapshot.manifests = parse.manifests.items;
        parse.snapshot.manifest_count = parse.manifests.count;
    }
    *out = parse.snapshot;
done:
    json->arena = lent;
    frz_buffer_clear(&parse.unknown.text);
    return status;
}

static void write_summary(const frz_snapshot *snapshot, frz_json_writer *json)
{
    if (!snapshot->operation && snapshot->summary_count == 0)
        return;
    frz_json_key(json, "summary");
    frz_json_open_object(json);
    if (snapshot->operation) {
        frz_json_key(json, "operation");
        frz_json_string(json, snapshot->operation);
    }
    for (size_t i = 0; i < snapshot->summary_count; i++) {
        frz_json_key(json, snapshot->summary[i].key);
        frz_json_string(json, snapshot->summary[i].value);
    }
    frz_json_close_object(json);
}

static void write_manifests(const frz_snapshot *snapshot, frz_json_writer *json)
{
    if (snapshot->manifest_list) {
        frz_json_key(json, "manifest-list");
        frz_json_string(json, snapshot->manifest_list);
        return;
    }
    frz_json_key(json, "manifests");
    frz_json_open_array(json);
    for (size_t i = 0; i < snapshot->manifest_count; i++)
        frz_json_string(json, snapshot->manifests[i]);
    frz_json_close_array(json);
}

static void write_i64_unless(frz_json_writer *json, const char *key, int64_t value, int64_t absent)
{
    if (value == absent)
        return;
    frz_json_key(json, key);
    frz_json_i64(json, value);
}

void frz_snapshot_write_json(const frz_snapshot *snapshot, int format_version,
                             frz_json_writer *json)
{
    frz_json_open_object(json);
    if (format_version > 1) {
        /* Java leaves a 0 out; the specification requires the member in V2. */
        frz_json_key(json, "sequence-number");
        frz_json_i64(json, snapshot->sequence_number);
    }
    frz_json_key(json, "snapshot-id");
    frz_json_i64(json, snapshot->snapshot_id);
    write_i64_unless(json, "parent-snapshot-id", snapshot->parent_id, FRZ_NO_SNAPSHOT);
    frz_json_key(json, "timestamp-ms");
    frz_json_i64(json, snapshot->timestamp_ms);
    write_summary(snapshot, json);
    write_manifests(snapshot, json);
    write_i64_unless(json, "schema-id", snapshot->schema_id, -1);
    write_i64_unless(json, "first-row-id", snapshot->first_row_id, -1);
    write_i64_unless(json, "added-rows", snapshot->added_rows, -1);
    if (snapshot->key_id) {
        frz_json_key(json, "key-id");
        frz_json_string(json, snapshot->key_id);
    }
    frz_unknown_members_write(snapshot->unknown, json);
    frz_json_close_object(json);
}
