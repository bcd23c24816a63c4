#include "spec/table_fixture.h"

#include "frazil/io.h"
#include "io/file.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_what_is_printed),
        cmocka_unit_test(writes_v3_as_java_does),
        cmocka_unit_test(writes_v1_with_its_deprecated_members),
        cmocka_unit_test(prints_the_same_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
