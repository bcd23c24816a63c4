#include <stddef.h>

#include "base/fail.h"
#include "spec/history.h"
#include "spec/json_list.h"
#include "spec/members.h"
#include "spec/metadata_object.h"

enum { FORMAT_VERSION_MAX = 3 };

/* The members with a meaning, in one bit each: to refuse doubles and to know what is missing. */
typedef enum member {
    MEMBER_FORMAT_VERSION,
    MEMBER_TABLE_UUID,
    MEMBER_LOCATION,
    MEMBER_LAST_SEQUENCE_NUMBER,
    MEMBER_LAST_UPDATED_MS,
    MEMBER_LAST_COLUMN_ID,
    MEMBER_SCHEMA,
    MEMBER_CURRENT_SCHEMA_ID,
    MEMBER_SCHEMAS,
    MEMBER_PARTITION_SPEC,
    MEMBER_DEFAULT_SPEC_ID,
    MEMBER_PARTITION_SPECS,
    MEMBER_LAST_PARTITION_ID,
    MEMBER_DEFAULT_SORT_ORDER_ID,
    MEMBER_SORT_ORDERS,
    MEMBER_PROPERTIES,
    MEMBER_CURRENT_SNAPSHOT_ID,
    MEMBER_NEXT_ROW_ID,
    MEMBER_ENCRYPTION_KEYS,
    MEMBER_REFS,
    MEMBER_SNAPSHOTS,
    MEMBER_STATISTICS,
    MEMBER_PARTITION_STATISTICS,
    MEMBER_SNAPSHOT_LOG,
    MEMBER_METADATA_LOG,
    MEMBER_UNKNOWN
} member;

typedef struct metadata_parse {
    frz_json_reader json;
    frz_metadata_object *object;
    frz_schema *schema;      /* V1's single one, owned */
    frz_partition_spec spec; /* V1's single one */
    frz_unknown_members unknown;
    uint32_t seen; /* 1 << member; a null member is not seen */
} metadata_parse;

static bool saw(const metadata_parse *parse, member which)
{
    return parse->seen >> which & 1;
}

static frz_status read_schemas(metadata_parse *parse, frz_error **err)
{
    FRZ_TRY(frz_json_enter_array(&parse->json, err));
    for (;;) {
        bool more = false;
        frz_schema *schema = NULL;
        FRZ_TRY(frz_json_next_item(&parse->json, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(frz_schema_read_json(&parse->json, &schema, err));
        const frz_status status = frz_metadata_object_add_schema(parse->object, schema, err);
        frz_schema_unref(schema);
        FRZ_TRY(status);
    }
}

static frz_status read_spec_item(frz_json_reader *json, const frz_json_list *list, void *item,
                                 frz_error **err)
{
    return frz_partition_spec_read_json(json, list->arena, item, err);
}

static frz_status read_sort_order_item(frz_json_reader *json, const frz_json_list *list, void *item,
                                       frz_error **err)
{
    return frz_sort_order_read_json(json, list->arena, item, err);
}

static frz_status read_specs(metadata_parse *parse, frz_error **err)
{
    const frz_json_list list = {.arena = &parse->object->arena,
                                .item_size = sizeof(frz_partition_spec),
                                .read = read_spec_item};
    return frz_json_list_read(&parse->json, &list, &parse->object->specs, err);
}

static frz_status read_sort_orders(metadata_parse *parse, frz_error **err)
{
    const frz_json_list list = {.arena = &parse->object->arena,
                                .item_size = sizeof(frz_sort_order),
                                .read = read_sort_order_item};
    return frz_json_list_read(&parse->json, &list, &parse->object->sort_orders, err);
}

static frz_status read_snapshots(metadata_parse *parse, frz_error **err)
{
    frz_snapshot_list *snapshots = &parse->object->snapshots;
    bool more = false;
    FRZ_TRY(frz_json_enter_array(&parse->json, err));
    for (;;) {
        frz_snapshot *slot = NULL;
        frz_arena *arena = NULL;
        FRZ_TRY(frz_json_next_item(&parse->json, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(frz_snapshot_list_slot(snapshots, &slot, &arena, err));
        FRZ_TRY(frz_snapshot_read_json(&parse->json, arena, slot, err));
        frz_snapshot_list_add_slot(snapshots);
    }
}

static frz_status read_schema(metadata_parse *parse, frz_error **err)
{
    return frz_schema_read_json(&parse->json, &parse->schema, err);
}

static frz_status read_spec(metadata_parse *parse, frz_error **err)
{
    return frz_partition_fields_read_json(&parse->json, &parse->object->arena, &parse->spec, err);
}

static frz_status read_properties(metadata_parse *parse, frz_error **err)
{
    return frz_member_properties(&parse->json, &parse->object->properties, err);
}

static frz_status read_refs(metadata_parse *parse, frz_error **err)
{
    return frz_snapshot_refs_read_json(&parse->json, &parse->object->refs, err);
}

static frz_status read_snapshot_log(metadata_parse *parse, frz_error **err)
{
    return frz_snapshot_log_read_json(&parse->json, &parse->object->snapshot_log, err);
}

static frz_status read_metadata_log(metadata_parse *parse, frz_error **err)
{
    return frz_metadata_log_read_json(&parse->json, &parse->object->metadata_log, err);
}

typedef enum form { FORM_I32, FORM_I64, FORM_TEXT, FORM_RAW_ARRAY, FORM_OTHER } form;

enum { NEVER = 99 };

/* How each member is read, and the version that first requires it (spec "Table Metadata Fields").
 * Of V1, `schema` and `partition-spec` depend on what stands beside them; last-column-id is raised
 * to the ids in use, so that reading needs none. */
static const struct {
    const char *name;
    int32_t required_since;
    form form;
    size_t offset; /* in frz_metadata */
    frz_status (*read)(metadata_parse *parse, frz_error **err);
} members[MEMBER_UNKNOWN] = {
#define IN(field) offsetof(frz_metadata, field), NULL
    [MEMBER_FORMAT_VERSION] = {"format-version", NEVER, FORM_I32, IN(format_version)},
    [MEMBER_TABLE_UUID] = {"table-uuid", 2, FORM_TEXT, IN(table_uuid)},
    [MEMBER_LOCATION] = {"location", 1, FORM_TEXT, IN(location)},
    [MEMBER_LAST_SEQUENCE_NUMBER] = {"last-sequence-number", 2, FORM_I64, IN(last_sequence_number)},
    [MEMBER_LAST_UPDATED_MS] = {"last-updated-ms", 1, FORM_I64, IN(last_updated_ms)},
    [MEMBER_LAST_COLUMN_ID] = {"last-column-id", 2, FORM_I32, IN(last_column_id)},
    [MEMBER_SCHEMA] = {"schema", NEVER, FORM_OTHER, 0, read_schema},
    [MEMBER_CURRENT_SCHEMA_ID] = {"current-schema-id", 2, FORM_I32, IN(current_schema_id)},
    [MEMBER_SCHEMAS] = {"schemas", 2, FORM_OTHER, 0, read_schemas},
    [MEMBER_PARTITION_SPEC] = {"partition-spec", NEVER, FORM_OTHER, 0, read_spec},
    [MEMBER_DEFAULT_SPEC_ID] = {"default-spec-id", 2, FORM_I32, IN(default_spec_id)},
    [MEMBER_PARTITION_SPECS] = {"partition-specs", 2, FORM_OTHER, 0, read_specs},
    [MEMBER_LAST_PARTITION_ID] = {"last-partition-id", 2, FORM_I32, IN(last_partition_id)},
    [MEMBER_DEFAULT_SORT_ORDER_ID] = {"default-sort-order-id", 2, FORM_I32,
                                      IN(default_sort_order_id)},
    [MEMBER_SORT_ORDERS] = {"sort-orders", 2, FORM_OTHER, 0, read_sort_orders},
    [MEMBER_PROPERTIES] = {"properties", NEVER, FORM_OTHER, 0, read_properties},
    [MEMBER_CURRENT_SNAPSHOT_ID] = {"current-snapshot-id", NEVER, FORM_I64,
                                    IN(current_snapshot_id)},
    [MEMBER_NEXT_ROW_ID] = {"next-row-id", NEVER, FORM_I64, IN(next_row_id)},
    [MEMBER_ENCRYPTION_KEYS] = {"encryption-keys", NEVER, FORM_RAW_ARRAY, IN(encryption_keys)},
    [MEMBER_REFS] = {"refs", NEVER, FORM_OTHER, 0, read_refs},
    [MEMBER_SNAPSHOTS] = {"snapshots", NEVER, FORM_OTHER, 0, read_snapshots},
    [MEMBER_STATISTICS] = {"statistics", NEVER, FORM_RAW_ARRAY, IN(statistics)},
    [MEMBER_PARTITION_STATISTICS] = {"partition-statistics", NEVER, FORM_RAW_ARRAY,
                                     IN(partition_statistics)},
    [MEMBER_SNAPSHOT_LOG] = {"snapshot-log", NEVER, FORM_OTHER, 0, read_snapshot_log},
    [MEMBER_METADATA_LOG] = {"metadata-log", NEVER, FORM_OTHER, 0, read_metadata_log},
#undef IN
};

static member member_named(frz_slice key)
{
    for (int i = 0; i < MEMBER_UNKNOWN; i++)
        if (frz_slice_is_text(key, members[i].name))
            return (member)i;
    return MEMBER_UNKNOWN;
}

static frz_status read_value(metadata_parse *parse, member which, frz_error **err)
{
    frz_json_reader *json = &parse->json;
    void *out = (uint8_t *)&parse->object->metadata + members[which].offset;
    switch (members[which].form) {
    case FORM_I32:
        return frz_json_read_i32(json, out, err);
    case FORM_I64:
        return frz_json_read_i64(json, out, err);
    case FORM_TEXT:
        return frz_json_read_text(json, out, err);
    case FORM_RAW_ARRAY:
        return frz_member_raw(json, FRZ_JSON_ARRAY, out, err);
    case FORM_OTHER:
        return members[which].read(parse, err);
    }
    return FRZ_OK;
}

static frz_status read_member(frz_json_reader *json, frz_slice key, void *context, frz_error **err)
{
    metadata_parse *parse = context;
    const uint64_t at = json->pos;
    const member which = member_named(key);
    if (which == MEMBER_UNKNOWN)
        return frz_unknown_members_keep(&parse->unknown, &parse->json, key, err);
    if (saw(parse, which))
        return frz_fail(err, FRZ_CORRUPT, at, "%s stands twice", members[which].name);
    bool null = false;
    FRZ_TRY(frz_json_read_null(&parse->json, &null, err));
    if (null)
        return FRZ_OK;
    parse->seen |= UINT32_C(1) << which;
    const frz_status status = read_value(parse, which, err);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "%s", members[which].name);
}

static frz_status read_members(metadata_parse *parse, frz_error **err)
{
    FRZ_TRY(frz_json_read_members(&parse->json, read_member, parse, err));
    return frz_json_expect_end(&parse->json, err);
}

/*
 * The version decides what everything else may mean: it is found first, wherever it stands. A file
 * without one is V1's, as its first writers made them, when it has V1's schema and nothing that
 * came later: a table with deletes must not be taken for one without.
 */
static frz_status check_version(frz_json_reader json, frz_error **err)
{
    int32_t version = 0;
    uint32_t seen = 0;
    const uint32_t later = UINT32_C(1) << MEMBER_LAST_SEQUENCE_NUMBER | UINT32_C(1)
                                                                            << MEMBER_NEXT_ROW_ID;
    FRZ_TRY(frz_json_enter_object(&json, err));
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_key(&json, &key, &more, err));
        if (!more && (seen & later || !(seen >> MEMBER_SCHEMA & 1)))
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "format-version is missing");
        if (!more)
            return FRZ_OK;
        const member which = member_named(key);
        if (which == MEMBER_FORMAT_VERSION)
            break;
        seen |= UINT32_C(1) << which;
        FRZ_TRY(frz_json_skip(&json, err));
    }
    const uint64_t at = json.pos;
    FRZ_TRY(frz_json_read_i32(&json, &version, err));
    if (version < 1)
        return frz_fail(err, FRZ_CORRUPT, at, "format-version is %d, expected 1 to %d", version,
                        FORMAT_VERSION_MAX);
    if (version > FORMAT_VERSION_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, at,
                        "Iceberg format version %d; this library knows versions up to %d", version,
                        FORMAT_VERSION_MAX);
    return FRZ_OK;
}

static frz_status check_required(const metadata_parse *parse, frz_error **err)
{
    const int32_t version = parse->object->metadata.format_version;
    for (int i = 0; i < MEMBER_UNKNOWN; i++)
        if (members[i].required_since <= version && !saw(parse, (member)i))
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                            "%s is missing; format version %d requires it", members[i].name,
                            version);
    return FRZ_OK;
}

/* Appendix E: V1 files of old writers have only `schema`; and where `schemas` stand without saying
 * which is current, `schema` is. */
static frz_status complete_schemas(metadata_parse *parse, frz_error **err)
{
    frz_metadata *m = &parse->object->metadata;
    if (saw(parse, MEMBER_SCHEMAS) && saw(parse, MEMBER_CURRENT_SCHEMA_ID))
        return FRZ_OK;
    if (!parse->schema)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "%s",
                        saw(parse, MEMBER_SCHEMAS) ? "neither current-schema-id nor schema is there"
                                                   : "neither schemas nor schema is there");
    frz_schema **schemas = parse->object->schemas.items;
    m->current_schema_id = frz_schema_id(parse->schema);
    for (size_t i = 0; i < parse->object->schemas.count; i++) {
        if (frz_schema_id(schemas[i]) != m->current_schema_id)
            continue;
        frz_schema_unref(schemas[i]);
        schemas[i] = frz_schema_ref(parse->schema);
        return FRZ_OK;
    }
    return frz_metadata_object_add_schema(parse->object, parse->schema, err);
}

static frz_status complete_specs(metadata_parse *parse, frz_error **err)
{
    frz_metadata *m = &parse->object->metadata;
    const frz_partition_spec *specs = parse->object->specs.items;
    if (saw(parse, MEMBER_PARTITION_SPECS) && saw(parse, MEMBER_DEFAULT_SPEC_ID))
        return FRZ_OK;
    if (saw(parse, MEMBER_PARTITION_SPECS)) {
        for (size_t i = 0; i < parse->object->specs.count; i++)
            if (m->default_spec_id < specs[i].spec_id)
                m->default_spec_id = specs[i].spec_id;
        return FRZ_OK;
    }
    if (!saw(parse, MEMBER_PARTITION_SPEC))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "neither partition-specs nor partition-spec is there");
    parse->spec.spec_id = 0;
    m->default_spec_id = 0;
    return frz_metadata_object_add_spec(parse->object, &parse->spec, err);
}

static frz_status complete_sort_orders(metadata_parse *parse, frz_error **err)
{
    frz_metadata *m = &parse->object->metadata;
    const frz_sort_order unsorted = {0};
    if (saw(parse, MEMBER_SORT_ORDERS)) {
        if (!saw(parse, MEMBER_DEFAULT_SORT_ORDER_ID))
            m->default_sort_order_id = 0;
        return FRZ_OK;
    }
    m->default_sort_order_id = 0;
    return frz_metadata_object_add_sort_order(parse->object, &unsorted, err);
}

/* V3 requires next-row-id, but a few writers forget it: then it is behind every id that a snapshot
 * tells. */
static frz_status complete_next_row_id(metadata_parse *parse, frz_error **err)
{
    frz_metadata *m = &parse->object->metadata;
    const frz_snapshot *snapshots = frz_snapshot_list_items(&parse->object->snapshots);
    if (m->format_version < 3 || saw(parse, MEMBER_NEXT_ROW_ID))
        return FRZ_OK;
    m->next_row_id = 0;
    for (size_t i = 0; i < parse->object->snapshots.count; i++) {
        if (snapshots[i].first_row_id < 0 || snapshots[i].added_rows < 0)
            continue;
        if (snapshots[i].added_rows > INT64_MAX - snapshots[i].first_row_id)
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                            "snapshot %lld has row ids beyond 64 bits",
                            (long long)snapshots[i].snapshot_id);
        if (m->next_row_id < snapshots[i].first_row_id + snapshots[i].added_rows)
            m->next_row_id = snapshots[i].first_row_id + snapshots[i].added_rows;
    }
    return FRZ_OK;
}

static frz_status complete_v1(metadata_parse *parse, frz_error **err)
{
    parse->object->metadata.last_sequence_number = 0;
    FRZ_TRY(complete_schemas(parse, err));
    FRZ_TRY(complete_specs(parse, err));
    return complete_sort_orders(parse, err);
}

static frz_status complete(metadata_parse *parse, frz_error **err)
{
    frz_metadata_object *object = parse->object;
    if (!saw(parse, MEMBER_FORMAT_VERSION))
        object->metadata.format_version = 1;
    FRZ_TRY(check_required(parse, err));
    if (object->metadata.format_version < 3)
        object->metadata.next_row_id = -1;
    FRZ_TRY(complete_next_row_id(parse, err));
    if (object->metadata.format_version == 1)
        FRZ_TRY(complete_v1(parse, err));
    FRZ_TRY(frz_unknown_members_finish(&parse->unknown, &object->arena, &object->metadata.unknown,
                                       err));
    return frz_metadata_object_seal(object, err);
}

frz_status frz_metadata_parse(frz_slice json, const frz_limits *limits, frz_metadata **out,
                              frz_error **err)
{
    frz_status status = FRZ_OK;
    metadata_parse parse = {0};
    if (!limits)
        limits = &frz_limits_default;
    FRZ_TRY_DONE(frz_metadata_object_new(limits->parse_budget, &parse.object, err));
    parse.object->snapshots.budget = limits->parse_budget;
    parse.json = frz_json_reader_over(json, &parse.object->arena);
    parse.json.depth_max = limits->nesting_depth;
    FRZ_TRY_DONE(check_version(parse.json, err));
    FRZ_TRY_DONE(read_members(&parse, err));
    FRZ_TRY_DONE(complete(&parse, err));
    *out = &parse.object->metadata;
    parse.object = NULL;
done:
    frz_buffer_clear(&parse.unknown.text);
    frz_schema_unref(parse.schema);
    frz_metadata_object_free(parse.object);
    return status;
}
