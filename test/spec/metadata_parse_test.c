#include "spec/table_fixture.h"

static frz_status parse_text(const char *text, frz_metadata **out, frz_error **err)
{
    return frz_metadata_parse(frz_slice_of_text(text), &frz_limits_default, out, err);
}

static void expect_refusal(const char *text, frz_status want, const char *message)
{
    frz_error *err = NULL;
    frz_metadata *m = NULL;
    CHECK_FAILS(parse_text(text, &m, &err), want, err, message);
    CHECK(m == NULL);
}

/* `text` with the first `from` replaced by `to`; freed by the next call. */
static const char *edited(const char *text, const char *from, const char *to)
{
    static char out[8192];
    const char *at = strstr(text, from);
    CHECK(at != NULL);
    const int size =
        snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    CHECK(size > 0 && (size_t)size < sizeof out);
    return out;
}

static void reads_v3(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(FIXTURE_V3);
    CHECK(m->format_version == 3 && strcmp(m->location, "file:/t") == 0);
    CHECK(strcmp(m->table_uuid, "9c12d441-03fe-4693-9a96-a0705ddf69c1") == 0);
    CHECK(m->last_sequence_number == 34 && m->last_updated_ms == INT64_C(1602638573590));
    CHECK(m->last_column_id == 5 && m->last_partition_id == 1003 && m->next_row_id == 100);
    CHECK(m->schema_count == 1 && m->spec_count == 2 && m->sort_order_count == 1);
    CHECK(m->current_snapshot_id == FRZ_NO_SNAPSHOT && m->ref_count == 0 && m->snapshot_count == 0);
    frz_metadata_unref(m);
}

static void each_version_names_the_member_it_misses(void **state)
{
    (void)state;
    static const char *const v2[] = {
        "table-uuid",        "location",        "last-sequence-number",
        "last-updated-ms",   "last-column-id",  "current-schema-id",
        "schemas",           "default-spec-id", "partition-specs",
        "last-partition-id", "sort-orders",     "default-sort-order-id"};
    char from[64];
    char message[96];
    for (size_t i = 0; i < sizeof v2 / sizeof v2[0]; i++) {
        (void)snprintf(from, sizeof from, "\"%s\":", v2[i]);
        (void)snprintf(message, sizeof message, "%s is missing; format version 2 requires it",
                       v2[i]);
        expect_refusal(edited(FIXTURE_V2, from, "\"other\":"), FRZ_CORRUPT, message);
    }
    expect_refusal("{\"location\":\"x\"}", FRZ_CORRUPT, "format-version is missing");
}

/* DuckDB writes such tables. */
static void a_forgotten_next_row_id_is_behind_every_id(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(FIXTURE_TABLE("3", ""));
    CHECK(m->next_row_id == 0);
    frz_metadata_unref(m);
    m = fixture_metadata(FIXTURE_TABLE(
        "3", "\"snapshots\":[{\"snapshot-id\":5,\"timestamp-ms\":1,\"manifest-list\":\"l\","
             "\"first-row-id\":7,\"added-rows\":9},"
             "{\"snapshot-id\":6,\"timestamp-ms\":1,\"manifest-list\":\"l\"}],"));
    CHECK(m->next_row_id == 16);
    frz_metadata_unref(m);
    expect_refusal(
        FIXTURE_TABLE(
            "3", "\"snapshots\":[{\"snapshot-id\":5,\"timestamp-ms\":1,\"manifest-list\":\"l\","
                 "\"first-row-id\":7,\"added-rows\":9223372036854775807}],"),
        FRZ_CORRUPT, "snapshot 5 has row ids beyond 64 bits");
}

static void newer_versions_are_refused_by_name_wherever_they_stand(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata *m = NULL;
    uint64_t offset = 0;
    const char *text = "{\"schemas\":[{\"type\":\"from-the-future\"}],\"format-version\":4}";
    CHECK(parse_text(text, &m, &err) == FRZ_UNSUPPORTED);
    CHECK(strstr(frz_error_message(err), "format version 4") != NULL);
    CHECK(frz_error_offset(err, &offset) && offset == strlen(text) - 2);
    frz_error_free(err);
    expect_refusal("{\"format-version\":0}", FRZ_CORRUPT, "format-version is 0");
    expect_refusal("[]", FRZ_CORRUPT, "");
    expect_refusal("", FRZ_CORRUPT, "");
}

/* Appendix E and D133: what writers before V2 left out. */
static void d133_bare_v1_metadata_is_read(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(
        "{\"format-version\":1,\"location\":\"file:/t\",\"last-updated-ms\":7,\"last-column-id\":1,"
        "\"schema\":{\"type\":\"struct\",\"fields\":["
        "{\"id\":1,\"name\":\"x\",\"required\":true,\"type\":\"long\"}]},"
        "\"partition-spec\":[{\"name\":\"x\",\"transform\":\"identity\",\"source-id\":1}],"
        "\"current-snapshot-id\":9,\"snapshots\":[{\"snapshot-id\":9,\"timestamp-ms\":7,"
        "\"manifests\":[\"file:/m\"]}]}");
    CHECK(m->table_uuid == NULL && m->last_sequence_number == 0 && m->next_row_id == -1);
    CHECK(m->schema_count == 1 && m->current_schema_id == 0);
    CHECK(m->spec_count == 1 && m->default_spec_id == 0 && m->last_partition_id == 1000);
    CHECK(m->specs[0].fields[0].field_id == 1000);
    CHECK(m->sort_order_count == 1 && m->default_sort_order_id == 0);
    CHECK(m->ref_count == 1 && strcmp(m->refs[0].name, "main") == 0 && m->refs[0].snapshot_id == 9);
    CHECK(m->snapshots[0].manifest_count == 1);
    frz_metadata_unref(m);
}

#define OLDEST                                                                           \
    "\"schema\":{\"type\":\"struct\",\"fields\":[{\"id\":7,\"name\":\"x\",\"required\":" \
    "true,\"type\":\"long\"}]},\"partition-spec\":[],\"location\":\"t\",\"last-updated-ms\":7"

/* What the first writers left out follows from what is there, but a table of a later version must
 * not be taken for one of V1. */
static void files_of_v1_may_lack_version_and_last_column_id(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata("{" OLDEST "}");
    CHECK(m->format_version == 1 && m->last_column_id == 7 && m->spec_count == 1);
    frz_metadata_unref(m);
    expect_refusal("{" OLDEST ",\"last-sequence-number\":3}", FRZ_CORRUPT,
                   "format-version is missing");
    expect_refusal("{" OLDEST ",\"next-row-id\":3}", FRZ_CORRUPT, "format-version is missing");
    expect_refusal("{\"location\":\"t\",\"schemas\":[" FIXTURE_SCHEMA("0") "]}", FRZ_CORRUPT,
                   "format-version is missing");
}

static void members_stand_in_any_order(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(
        "{\"snapshots\":[{\"manifests\":[\"m\"],\"timestamp-ms\":7,\"snapshot-id\":9}],"
        "\"current-snapshot-id\":9," OLDEST ",\"last-column-id\":1,\"format-version\":1}");
    CHECK(m->format_version == 1 && m->last_column_id == 7);
    CHECK(frz_metadata_current_snapshot(m)->manifest_count == 1);
    frz_metadata_unref(m);
}

/* Java's clock may step back between commits; the log's order says what became current when. */
static void the_log_may_be_out_of_order(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(FIXTURE_TABLE(
        "2", "\"snapshots\":[{\"snapshot-id\":5,\"timestamp-ms\":100,\"manifest-list\":\"l\"},"
             "{\"snapshot-id\":6,\"timestamp-ms\":300,\"manifest-list\":\"l\"},"
             "{\"snapshot-id\":7,\"timestamp-ms\":200,\"manifest-list\":\"l\"}],"
             "\"current-snapshot-id\":7,\"snapshot-log\":["
             "{\"timestamp-ms\":100,\"snapshot-id\":5},{\"timestamp-ms\":300,\"snapshot-id\":6},"
             "{\"timestamp-ms\":200,\"snapshot-id\":7}],"));
    CHECK(frz_metadata_snapshot_as_of(m, 99) == NULL);
    CHECK(frz_metadata_snapshot_as_of(m, 150)->snapshot_id == 5);
    CHECK(frz_metadata_snapshot_as_of(m, 250)->snapshot_id == 7);
    CHECK(frz_metadata_snapshot_as_of(m, 300)->snapshot_id == 7); /* current after 6 was */
    frz_metadata_unref(m);
}

static void v1_schema_is_current_where_no_id_says_so(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(
        "{\"format-version\":1,\"location\":\"file:/t\",\"last-updated-ms\":7,\"last-column-id\":1,"
        "\"schemas\":[" FIXTURE_SCHEMA("0") "," FIXTURE_SCHEMA(
            "1") "],"
                 "\"schema\":{\"type\":\"struct\",\"schema-id\":1,\"fields\":["
                 "{\"id\":9,\"name\":\"x\",\"required\":true,\"type\":\"long\"}]},"
                 "\"partition-spec\":[]}");
    CHECK(m->schema_count == 2 && m->current_schema_id == 1);
    CHECK(frz_schema_find_id(frz_metadata_schema(m), 9) != NULL);
    CHECK(m->last_column_id == 9);
    frz_metadata_unref(m);
    expect_refusal("{\"format-version\":1,\"location\":\"file:/t\",\"last-updated-ms\":7,"
                   "\"last-column-id\":1,\"partition-spec\":[]}",
                   FRZ_CORRUPT, "neither schemas nor schema is there");
    expect_refusal(
        "{\"format-version\":1,\"location\":\"file:/t\",\"last-updated-ms\":7,"
        "\"last-column-id\":1,\"partition-spec\":[],\"schemas\":[" FIXTURE_SCHEMA("0") "]}",
        FRZ_CORRUPT, "neither current-schema-id nor schema is there");
    expect_refusal("{\"format-version\":1,\"location\":\"file:/t\",\"last-updated-ms\":7,"
                   "\"last-column-id\":1,\"schema\":" FIXTURE_SCHEMA("0") "}",
                   FRZ_CORRUPT, "neither partition-specs nor partition-spec is there");
}

/* D116: -1, null and absent are one; main follows, and is implied. */
static void d116_all_forms_of_no_snapshot_are_one(void **state)
{
    (void)state;
    static const char *const none[] = {
        FIXTURE_V2, FIXTURE_TABLE("2", "\"current-snapshot-id\":-1,"),
        FIXTURE_TABLE("2", "\"current-snapshot-id\":null,\"refs\":null,"
                           "\"snapshots\":null,\"properties\":null,"
                           "\"snapshot-log\":null,\"statistics\":null,"),
        FIXTURE_TABLE("2", "\"refs\":{},\"snapshots\":[],")};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        frz_metadata *m = fixture_metadata(none[i]);
        CHECK(m->current_snapshot_id == FRZ_NO_SNAPSHOT && m->ref_count == 0);
        CHECK(frz_metadata_current_snapshot(m) == NULL);
        frz_metadata_unref(m);
    }
#define ONE_SNAPSHOT                                                              \
    "\"snapshots\":[{\"snapshot-id\":5,\"timestamp-ms\":1,\"sequence-number\":1," \
    "\"manifest-list\":\"l\"}],"
    static const char *const some[] = {
        FIXTURE_TABLE("2", ONE_SNAPSHOT "\"current-snapshot-id\":5,"),
        FIXTURE_TABLE("2", ONE_SNAPSHOT "\"current-snapshot-id\":5,\"refs\":{},"),
        FIXTURE_TABLE("2",
                      ONE_SNAPSHOT "\"refs\":{\"main\":{\"snapshot-id\":5,\"type\":\"branch\"}},")};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        frz_metadata *m = fixture_metadata(some[i]);
        CHECK(m->current_snapshot_id == 5 && m->ref_count == 1);
        CHECK(frz_metadata_current_snapshot(m) == &m->snapshots[0]);
        frz_metadata_unref(m);
    }
}

static void members_that_stand_twice_are_refused(void **state)
{
    (void)state;
    expect_refusal(FIXTURE_TABLE("2", "\"last-column-id\":4,"), FRZ_CORRUPT,
                   "last-column-id stands twice");
}

static void errors_name_the_member_they_stand_in(void **state)
{
    (void)state;
    expect_refusal(FIXTURE_TABLE("2", "\"snapshots\":[{\"timestamp-ms\":1}],"), FRZ_CORRUPT,
                   "snapshots: ");
    expect_refusal(FIXTURE_TABLE("2", "\"statistics\":{},"), FRZ_CORRUPT,
                   "statistics: expected an array");
    expect_refusal(FIXTURE_TABLE("2", "\"refs\":[],"), FRZ_CORRUPT, "refs: ");
    expect_refusal(FIXTURE_TABLE("2", "\"properties\":[],"), FRZ_CORRUPT, "properties: ");
}

static void d137_unknown_members_and_raw_arrays_are_kept(void **state) /* D137 */
{
    (void)state;
    frz_metadata *m = fixture_metadata(FIXTURE_TABLE(
        "3", "\"next-row-id\":0,\"x-new\":{\"a\":[1.0]},\"y\":null,"
             "\"statistics\":[{\"snapshot-id\":5,\"blob-metadata\":[{\"type\":\"odd\"}]}],"
             "\"encryption-keys\":[{\"key-id\":\"k\"}],"));
    CHECK(frz_slice_is_text(m->unknown, "\"x-new\":{\"a\":[1.0]},\"y\":null"));
    CHECK(frz_slice_is_text(m->statistics,
                            "[{\"snapshot-id\":5,\"blob-metadata\":[{\"type\":\"odd\"}]}]"));
    CHECK(frz_slice_is_text(m->encryption_keys, "[{\"key-id\":\"k\"}]"));
    CHECK(m->partition_statistics.size == 0);
    frz_metadata_unref(m);
}

static void nesting_and_memory_have_limits(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata *m = NULL;
    frz_limits limits = frz_limits_default;
    limits.parse_budget = 300;
    CHECK_FAILS(frz_metadata_parse(frz_slice_of_text(FIXTURE_V2), &limits, &m, &err), FRZ_NO_MEMORY,
                err, "");
    static char deep[4096];
    size_t used = (size_t)snprintf(deep, sizeof deep, "{\"x\":");
    memset(deep + used, '[', 3000);
    CHECK(parse_text(deep, &m, &err) != FRZ_OK);
    frz_error_free(err);
}

/* Every cut and many flips of a good text are refused or read, and nothing worse. */
static void broken_texts_are_refused_cleanly(void **state)
{
    (void)state;
    const char *text = FIXTURE_TABLE(
        "2",
        "\"snapshots\":[{\"snapshot-id\":5,\"timestamp-ms\":1,\"sequence-number\":1,"
        "\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"l\"}],"
        "\"current-snapshot-id\":5,\"refs\":{\"main\":{\"snapshot-id\":5,\"type\":\"branch\"}},"
        "\"snapshot-log\":[{\"timestamp-ms\":1,\"snapshot-id\":5}],\"u\":1,");
    const size_t size = strlen(text);
    char *copy = frz_copy_text(text);
    for (size_t cut = 0; cut < size; cut++) {
        frz_metadata *m = NULL;
        frz_error *err = NULL;
        CHECK(frz_metadata_parse(frz_slice_of(text, cut), NULL, &m, &err) == FRZ_CORRUPT);
        frz_error_free(err);
    }
    for (size_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit += 3) {
            frz_metadata *m = NULL;
            frz_error *err = NULL;
            copy[at] = (char)(text[at] ^ (1 << bit));
            const frz_status status = frz_metadata_parse(frz_slice_of(copy, size), NULL, &m, &err);
            CHECK((status == FRZ_OK) == (m != NULL));
            frz_metadata_unref(m);
            frz_error_free(err);
        }
        copy[at] = text[at];
    }
    frz_free(copy);
}

static void parse_once(void)
{
    frz_metadata *m = NULL;
    frz_error *err = NULL;
    const frz_status status = parse_text(
        FIXTURE_TABLE(
            "2", "\"snapshots\":[{\"snapshot-id\":5,\"timestamp-ms\":1,\"manifest-list\":\"l\"}],"
                 "\"current-snapshot-id\":5,\"u\":1,\"properties\":{\"a\":\"b\"},"),
        &m, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_metadata_unref(m);
    frz_error_free(err);
}

static void parse_v1_once(void)
{
    frz_metadata *m = NULL;
    frz_error *err = NULL;
    const frz_status status = parse_text(
        "{\"format-version\":1,\"location\":\"t\",\"last-updated-ms\":7,\"last-column-id\":1,"
        "\"schemas\":[" FIXTURE_SCHEMA("0") "],\"schema\":" FIXTURE_SCHEMA(
            "1") ","
                 "\"partition-spec\":[{\"name\":\"n\",\"transform\":\"identity\",\"source-id\":2}]"
                 "}",
        &m, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_metadata_unref(m);
    frz_error_free(err);
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(parse_once);
    sweep_allocation_failures(parse_v1_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_v3),
        cmocka_unit_test(each_version_names_the_member_it_misses),
        cmocka_unit_test(a_forgotten_next_row_id_is_behind_every_id),
        cmocka_unit_test(newer_versions_are_refused_by_name_wherever_they_stand),
        cmocka_unit_test(d133_bare_v1_metadata_is_read),
        cmocka_unit_test(files_of_v1_may_lack_version_and_last_column_id),
        cmocka_unit_test(members_stand_in_any_order),
        cmocka_unit_test(the_log_may_be_out_of_order),
        cmocka_unit_test(v1_schema_is_current_where_no_id_says_so),
        cmocka_unit_test(d116_all_forms_of_no_snapshot_are_one),
        cmocka_unit_test(members_that_stand_twice_are_refused),
        cmocka_unit_test(errors_name_the_member_they_stand_in),
        cmocka_unit_test(d137_unknown_members_and_raw_arrays_are_kept),
        cmocka_unit_test(nesting_and_memory_have_limits),
        cmocka_unit_test(broken_texts_are_refused_cleanly),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
