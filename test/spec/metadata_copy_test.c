#include "spec/table_fixture.h"

#include "spec/metadata_object.h"

static const char *const full = FIXTURE_TABLE(
    "3", "\"next-row-id\":9,\"properties\":{\"a\":\"b\",\"c\":\"d\"},"
         "\"snapshots\":[{\"sequence-number\":2,\"snapshot-id\":5,\"parent-snapshot-id\":4,"
         "\"timestamp-ms\":1,\"summary\":{\"operation\":\"append\",\"k\":\"v\"},"
         "\"manifest-list\":\"l\",\"schema-id\":0,\"first-row-id\":0,\"added-rows\":9,"
         "\"key-id\":\"q\",\"w\":[2]}],\"current-snapshot-id\":5,"
         "\"refs\":{\"main\":{\"snapshot-id\":5,\"type\":\"branch\"},"
         "\"t\":{\"snapshot-id\":5,\"type\":\"tag\",\"max-ref-age-ms\":4}},"
         "\"snapshot-log\":[{\"timestamp-ms\":1,\"snapshot-id\":5}],"
         "\"metadata-log\":[{\"timestamp-ms\":1,\"metadata-file\":\"f\"}],"
         "\"statistics\":[{\"snapshot-id\":5}],\"partition-statistics\":[{\"snapshot-id\":5}],"
         "\"encryption-keys\":[{}],\"z\":{\"deep\":[{}]},");

/* The copy prints the same after its base has gone: nothing points back. */
static void copy_once(void)
{
    frz_metadata *base = fixture_metadata(full);
    if (!base)
        return;
    char *before = fixture_print(base);
    frz_metadata_object *object = NULL;
    frz_error *err = NULL;
    frz_status status = frz_metadata_object_copy(base, &object, &err);
    frz_metadata_unref(base);
    if (status == FRZ_OK)
        status = frz_metadata_object_seal(object, &err);
    CHECK(status == FRZ_OK || frz_mem_failed());
    if (status == FRZ_OK && before) {
        char *after = fixture_print(&object->metadata);
        CHECK(!after || strcmp(before, after) == 0);
        frz_free(after);
    }
    frz_metadata_object_free(object);
    frz_free(before);
    frz_error_free(err);
}

static void a_copy_stands_on_its_own(void **state)
{
    (void)state;
    copy_once();
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(copy_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_stands_on_its_own),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
