#include "spec/table_fixture.h"

#include "frazil/io.h"
#include "io/file.h"
#include "spec/update.h"

static void expect_print(const char *text, const char *expected)
{
    frz_metadata *m = fixture_metadata(text);
    char *printed = fixture_print(m);
    if (strcmp(printed, expected) != 0)
        fail_msg("got      %s\nexpected %s", printed, expected);
    frz_free(printed);
    frz_metadata_unref(m);
}

#define SCHEMA                                                                   \
    "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"x\"," \
    "\"required\":true,\"type\":\"long\"}]}"
#define SPEC "[{\"name\":\"x\",\"transform\":\"identity\",\"source-id\":1,\"field-id\":1000}]"

/* Members and their order as Java's TableMetadataParser writes them. */
static void writes_v3_as_java_does(void **state)
{
    (void)state;
    const char *text =
        "{\"format-version\":3,\"table-uuid\":\"u\",\"location\":\"t\",\"last-sequence-number\":1,"
        "\"last-updated-ms\":5,\"last-column-id\":1,\"current-schema-id\":0,\"schemas\":[" SCHEMA
        "],"
        "\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":" SPEC "}],"
        "\"last-partition-id\":1000,\"default-sort-order-id\":0,"
        "\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],\"properties\":{\"k\":\"v\"},"
        "\"current-snapshot-id\":null,\"next-row-id\":7,\"encryption-keys\":[{\"key-id\":\"1\"}],"
        "\"refs\":{\"t\":{\"snapshot-id\":9,\"type\":\"tag\"}},"
        "\"snapshots\":[{\"sequence-number\":1,\"snapshot-id\":9,\"timestamp-ms\":5,"
        "\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"l\",\"first-row-id\":0,"
        "\"added-rows\":7}],\"statistics\":[{\"a\":1}],\"partition-statistics\":[],"
        "\"snapshot-log\":[{\"timestamp-ms\":5,\"snapshot-id\":9}],"
        "\"metadata-log\":[{\"timestamp-ms\":4,\"metadata-file\":\"f\"}],\"new\":[1]}";
    expect_print(text, text);
}

static void writes_v1_with_its_deprecated_members(void **state)
{
    (void)state;
    expect_print(
        "{\"format-version\":1,\"table-uuid\":\"u\",\"location\":\"t\",\"last-updated-ms\":5,"
        "\"last-column-id\":1,\"schema\":" SCHEMA ",\"partition-spec\":" SPEC
        ",\"snapshots\":[{\"snapshot-id\":9,\"timestamp-ms\":5,\"sequence-number\":4,\"manifests\":"
        "[\"m\"]}]}",
        "{\"format-version\":1,\"table-uuid\":\"u\",\"location\":\"t\",\"last-updated-ms\":5,"
        "\"last-column-id\":1,\"schema\":" SCHEMA ",\"current-schema-id\":0,\"schemas\":[" SCHEMA
        "],"
        "\"partition-spec\":" SPEC ",\"default-spec-id\":0,"
        "\"partition-specs\":[{\"spec-id\":0,\"fields\":" SPEC "}],"
        "\"last-partition-id\":1000,\"default-sort-order-id\":0,"
        "\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],\"properties\":{},\"current-snapshot-"
        "id\":-1,"
        "\"refs\":{},\"snapshots\":[{\"snapshot-id\":9,\"timestamp-ms\":5,\"manifests\":[\"m\"]}],"
        "\"statistics\":[],\"partition-statistics\":[],\"snapshot-log\":[],\"metadata-log\":[]}");
}

/* Whatever is printed reads back and prints the same. */
static void prints_the_same_again(void **state)
{
    (void)state;
    static const char *const texts[] = {FIXTURE_V1, FIXTURE_V2, FIXTURE_V3};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        frz_metadata *m = fixture_metadata(texts[i]);
        char *printed = fixture_print(m);
        expect_print(printed, printed);
        frz_free(printed);
        frz_metadata_unref(m);
    }
}

/* In pieces it is the same text: a history that is longer than a piece. */
static void what_is_written_is_what_is_printed(void **state)
{
    enum { SNAPSHOTS = 2000 };
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_buffer read = {0};
    frz_io *io = NULL;
    frz_output *output = NULL;
    (void)state;
    frz_buffer_append_text(&text,
                           "{\"format-version\":2,\"table-uuid\":\"u\",\"location\":\"t\","
                           "\"last-sequence-number\":1,\"last-updated-ms\":5,\"last-column-id\":1,"
                           "\"current-schema-id\":0,\"schemas\":[" SCHEMA "],\"default-spec-id\":0,"
                           "\"partition-specs\":[{\"spec-id\":0,\"fields\":" SPEC "}],"
                           "\"last-partition-id\":1000,\"default-sort-order-id\":0,"
                           "\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],\"snapshots\":[");
    for (int i = 0; i < SNAPSHOTS; i++)
        frz_buffer_printf(&text,
                          "%s{\"sequence-number\":1,\"snapshot-id\":%d,\"timestamp-ms\":5,"
                          "\"summary\":{\"operation\":\"append\",\"of\":\"%0120d\"},"
                          "\"manifest-list\":\"list-%d\"}",
                          i ? "," : "", i + 1, i, i);
    frz_buffer_append_text(&text, "]}");
    frz_buffer_append_byte(&text, 0);
    frz_metadata *m = fixture_metadata((const char *)text.data);
    char *printed = fixture_print(m);
    CHECK(strlen(printed) > 400000);
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    CHECK_OK(frz_io_create(io, "mem://m.metadata.json", &output, &err), err);
    CHECK_OK(frz_metadata_write(m, output, &err), err);
    CHECK_OK(frz_output_commit(output, &err), err);
    CHECK_OK(frz_metadata_read_text(io, "mem://m.metadata.json", &frz_limits_default, &read, &err),
             err);
    CHECK(frz_slice_is_text(frz_buffer_slice(&read), printed));
    frz_buffer_clear(&read);
    frz_buffer_clear(&text);
    frz_free(printed);
    frz_metadata_unref(m);
    frz_io_free(io);
}

/* The file as it is written, which must be the text that a fresh parse of it prints. */
static void expect_written_as_printed(const frz_metadata *m)
{
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_io *io = NULL;
    frz_output *output = NULL;
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    CHECK_OK(frz_io_create(io, "mem://m.metadata.json", &output, &err), err);
    CHECK_OK(frz_metadata_write(m, output, &err), err);
    CHECK_OK(frz_output_commit(output, &err), err);
    CHECK_OK(frz_metadata_read_text(io, "mem://m.metadata.json", &frz_limits_default, &file, &err),
             err);
    frz_buffer_append_byte(&file, 0);
    char *kept = fixture_print(m);
    frz_metadata *fresh = fixture_metadata((const char *)file.data);
    char *anew = fixture_print(fresh);
    CHECK(strcmp((const char *)file.data, anew) == 0 && strcmp(kept, anew) == 0);
    frz_free(kept);
    frz_free(anew);
    frz_metadata_unref(fresh);
    frz_buffer_clear(&file);
    frz_io_free(io);
}

static void point_main_at(frz_metadata_builder *builder, int64_t id)
{
    frz_error *err = NULL;
    const frz_snapshot_ref ref = fixture_ref("main", id);
    CHECK_OK(frz_update_set_ref(builder, &ref, &err), err);
}

static void add_and_point(frz_metadata_builder *builder, const frz_metadata *base, int64_t id)
{
    static char path[4000]; /* long, so that the text outgrows a piece */
    frz_error *err = NULL;
    const bool v3 = base->format_version == 3;
    frz_snapshot snapshot =
        fixture_snapshot(id, base->format_version > 1 ? base->last_sequence_number + 1 : 0,
                         v3 ? base->next_row_id : -1, v3 ? 1 : -1);
    memset(path, 'p', sizeof path - 1);
    snapshot.manifest_list = path;
    CHECK_OK(frz_update_add_snapshot(builder, &snapshot, &err), err);
    point_main_at(builder, id);
}

static frz_metadata *random_change(const frz_metadata *base, int64_t id, unsigned *seed)
{
    frz_error *err = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *next = NULL;
    const unsigned kind = (*seed = *seed * 1103515245 + 12345) >> 16 & 31;
    const size_t count = base->snapshot_count;
    const int64_t some = count ? base->snapshots[(*seed >> 8) % count].snapshot_id : 0;
    CHECK_OK(frz_metadata_builder_new(base, 0, &builder, &err), err);
    if (kind < 2 && base->format_version < 3)
        CHECK_OK(frz_update_upgrade(builder, base->format_version + 1, &err), err);
    if (kind < 4)
        CHECK_OK(frz_update_set_property(builder, "k", kind ? "v" : "w", &err), err);
    else if (kind < 8 && count)
        point_main_at(builder, some);
    else if (kind < 10 && count)
        CHECK_OK(frz_update_remove_snapshots(builder, &some, 1, &err), err);
    else
        add_and_point(builder, base, id);
    CHECK_OK(
        frz_metadata_builder_finish(builder, "base", 1602638573700 + id, &next, NULL, NULL, &err),
        err);
    frz_metadata_builder_free(builder);
    return next;
}

/* What versions keep of each other's text, through changes of every kind and rivals of each. */
static void kept_text_is_what_would_be_printed_anew(void **state)
{
    frz_metadata *now = fixture_metadata(FIXTURE_V1);
    unsigned seed = 7;
    (void)state;
    for (int64_t i = 1; i <= 400; i++) {
        frz_metadata *rival = i % 5 ? NULL : random_change(now, 1000 + i, &seed);
        frz_metadata *next = random_change(now, i, &seed);
        expect_written_as_printed(next);
        if (rival)
            expect_written_as_printed(rival);
        frz_metadata_unref(rival);
        frz_metadata_unref(now);
        now = next;
    }
    CHECK(now->format_version == 3 && now->snapshot_count > 100 && now->snapshot_log_count > 20);
    frz_metadata_unref(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_what_is_printed),
        cmocka_unit_test(writes_v3_as_java_does),
        cmocka_unit_test(writes_v1_with_its_deprecated_members),
        cmocka_unit_test(prints_the_same_again),
        cmocka_unit_test(kept_text_is_what_would_be_printed_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
