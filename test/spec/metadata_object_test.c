#include "spec/table_fixture.h"

#include "spec/metadata_object.h"

static void expect_refusal(const char *text, const char *message)
{
    frz_error *err = NULL;
    frz_metadata *m = NULL;
    CHECK_FAILS(frz_metadata_parse(frz_slice_of_text(text), NULL, &m, &err), FRZ_CORRUPT, err,
                message);
}

#define HEAD(VERSION)                                                          \
    "{\"format-version\":" VERSION ",\"table-uuid\":\"u\",\"location\":\"t\"," \
    "\"last-sequence-number\":3,\"last-updated-ms\":1,\"last-partition-id\":999,"
#define SCHEMAS \
    "\"last-column-id\":5,\"current-schema-id\":0,\"schemas\":[" FIXTURE_SCHEMA("0") "],"
#define SPECS "\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],"
#define ORDERS "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}]"
#define SNAPSHOT(ID, SEQUENCE)                                                 \
    "{\"snapshot-id\":" ID ",\"timestamp-ms\":1,\"sequence-number\":" SEQUENCE \
    ",\"manifest-list\":\"l\"}"

static void duplicate_ids_are_refused_with_the_reason(void **state)
{
    (void)state;
    expect_refusal(
        HEAD("2") "\"last-column-id\":5,\"current-schema-id\":0,\"schemas\":[" FIXTURE_SCHEMA(
            "0") "," FIXTURE_SCHEMA("0") "]," SPECS ORDERS "}",
        "two schemas have the id 0");
    expect_refusal(HEAD("2") SCHEMAS
                   "\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]},"
                   "{\"spec-id\":0,\"fields\":[]}]," ORDERS "}",
                   "two partition specs have the id 0");
    expect_refusal(HEAD("2") SCHEMAS SPECS
                   "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]},"
                   "{\"order-id\":0,\"fields\":[]}]}",
                   "two sort orders have the id 0");
    expect_refusal(HEAD("2") SCHEMAS SPECS ORDERS
                   ",\"snapshots\":[" SNAPSHOT("5", "1") "," SNAPSHOT("5", "2") "]}",
                   "two snapshots have the id 5");
    expect_refusal(HEAD("2") SCHEMAS SPECS ORDERS ",\"snapshots\":[" SNAPSHOT(
                       "5", "1") "],"
                                 "\"refs\":{\"a\":{\"snapshot-id\":5,\"type\":\"tag\"},"
                                 "\"a\":{\"snapshot-id\":5,\"type\":\"tag\"}}}",
                   "two references are named a");
}

static void missing_current_and_default_ones_are_refused(void **state)
{
    (void)state;
    expect_refusal(
        HEAD("2") "\"last-column-id\":5,\"current-schema-id\":4,\"schemas\":[" FIXTURE_SCHEMA(
            "0") "]," SPECS ORDERS "}",
        "current-schema-id is 4, which is none of the 1 schemas");
    expect_refusal(HEAD("2") SCHEMAS "\"default-spec-id\":7,\"partition-specs\":[]," ORDERS "}",
                   "default-spec-id is 7, which is none of the 0 partition specs");
    expect_refusal(HEAD("2") SCHEMAS SPECS "\"default-sort-order-id\":2,\"sort-orders\":["
                                           "{\"order-id\":0,\"fields\":[]}]}",
                   "default-sort-order-id is 2");
    expect_refusal(HEAD("2") SCHEMAS SPECS ORDERS ",\"current-snapshot-id\":8}",
                   "current-snapshot-id is 8, which is none of the 0 snapshots");
    expect_refusal(HEAD("2") SCHEMAS SPECS ORDERS
                   ",\"refs\":{\"b\":{\"snapshot-id\":8,\"type\":\"branch\"}}}",
                   "reference b points to snapshot 8");
    expect_refusal(HEAD("2") SCHEMAS SPECS ORDERS
                   ",\"snapshots\":[" SNAPSHOT("5", "1") "," SNAPSHOT(
                       "6", "2") "],\"current-snapshot-id\":5,\"refs\":{\"main\":{\"snapshot-id\":"
                                 "6,\"type\":\"branch\"}}}",
                   "current-snapshot-id is 5, but main points to 6");
    expect_refusal(HEAD("2") SCHEMAS SPECS ORDERS ",\"snapshots\":[" SNAPSHOT(
                       "5", "1") "],\"refs\":{\"main\":{\"snapshot-id\":5,\"type\":\"tag\"}}}",
                   "main is a tag");
}

static void sequence_numbers_lie_within_the_table_s(void **state)
{
    (void)state;
    expect_refusal(HEAD("2") SCHEMAS SPECS ORDERS ",\"snapshots\":[" SNAPSHOT("5", "4") "]}",
                   "sequence-number 4, above last-sequence-number 3");
    expect_refusal(HEAD("3") "\"next-row-id\":-2," SCHEMAS SPECS ORDERS "}",
                   "next-row-id -2 is negative");
}

/* D004: nested ids count, and a number that is too low is raised. */
static void d004_last_ids_cover_what_is_used(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(HEAD(
        "2") "\"last-column-id\":1,\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\","
             "\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"t\",\"required\":false,\"type\":"
             "{\"type\":\"struct\",\"fields\":[{\"id\":7,\"name\":\"a\",\"required\":false,"
             "\"type\":\"int\"}]}}]}],"
             "\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":[{\"source-id\":"
             "7,"
             "\"field-id\":1005,\"name\":\"a\",\"transform\":\"identity\"}]}]," ORDERS "}");
    CHECK(m->last_column_id == 7 && m->last_partition_id == 1005);
    frz_metadata_unref(m);
}

static void partition_types_find_sources_in_older_schemas(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(
        HEAD("2") "\"last-column-id\":9,\"current-schema-id\":1,\"schemas\":[" FIXTURE_SCHEMA(
            "0") ","
                 "{\"type\":\"struct\",\"schema-id\":1,\"fields\":["
                 "{\"id\":9,\"name\":\"z\",\"required\":false,\"type\":\"int\"}]}],"
                 "\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]},{\"spec-"
                 "id\":4,\"fields\":["
                 "{\"source-id\":4,\"field-id\":1000,\"name\":\"d\",\"transform\":\"day\"},"
                 "{\"source-id\":1,\"field-id\":1001,\"name\":\"i\",\"transform\":\"identity\"}]}]"
                 "," ORDERS "}");
    const frz_type *type = frz_metadata_partition_type(m, 4);
    CHECK(type && type->field_count == 2);
    CHECK(type->fields[0].type->kind == FRZ_TYPE_DATE && type->fields[0].id == 1000);
    CHECK(type->fields[1].type->kind == FRZ_TYPE_LONG);
    CHECK(frz_metadata_partition_type(m, 0)->field_count == 0);
    CHECK(frz_metadata_partition_type(m, 5) == NULL);
    frz_metadata_unref(m);
}

static void an_empty_object_is_refused_and_freed(void **state)
{
    (void)state;
    frz_metadata_object *object = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_metadata_object_new(0, &object, &err), err);
    CHECK_FAILS(frz_metadata_object_seal(object, &err), FRZ_CORRUPT, err, "location is missing");
    frz_metadata_object_free(object);
    frz_metadata_object_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duplicate_ids_are_refused_with_the_reason),
        cmocka_unit_test(missing_current_and_default_ones_are_refused),
        cmocka_unit_test(sequence_numbers_lie_within_the_table_s),
        cmocka_unit_test(d004_last_ids_cover_what_is_used),
        cmocka_unit_test(partition_types_find_sources_in_older_schemas),
        cmocka_unit_test(an_empty_object_is_refused_and_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
