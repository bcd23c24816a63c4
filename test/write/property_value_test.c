#include "write/property_value.h"

#include "write/metadata_fixture.h"

static frz_metadata *base;

static frz_metadata *make(void)
{
    return metadata_of(&(metadata_text){"id long, s struct<a: int>", "", .format_version = 2});
}

static frz_status check(const char *key, const char *value, frz_error **err)
{
    return frz_property_value_check(frz_metadata_schema(base), key, value, err);
}

static void what_can_be_honoured_is_taken(void **state)
{
    static const char *const good[][2] = {
        {"anything", "at all"},
        {"write.delete.mode", "merge-on-read"},
        {"write.merge.isolation-level", "snapshot"},
        {"write.metadata.metrics.column.s.a", "truncate(3)"},
        {"write.parquet.bloom-filter-enabled.column.absent", "true"},
        {"write.format.default", "avro"},
        {"commit.retry.num-retries", "0"},
        {"schema.name-mapping.default", "[{\"field-id\":1,\"names\":[\"id\"]}]"},
        {"write.manifest.compression-codec", "zstd"},
        {"write.parquet.row-group-check-min-record-count", "70000"},
    };
    frz_error *err = NULL;
    (void)state;
    base = make();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK_OK(check(good[i][0], good[i][1], &err), err);
    frz_metadata_unref(base);
}

static void what_cannot_be_is_refused_by_key_and_value(void **state)
{
    static const struct {
        const char *key;
        const char *value;
        frz_status status;
        const char *message;
    } bad[] = {
        {"write.delete.mode", "foo", FRZ_INVALID, "write.delete.mode: expected copy-on-write"},
        {"write.merge.isolation-level", "foo", FRZ_INVALID, "expected serializable"},
        {"write.metadata.metrics.default", "some", FRZ_INVALID, "metrics mode \"some\""},
        {"write.metadata.metrics.column.s.b", "full", FRZ_INVALID, "the table has no column s.b"},
        {"write.format.default", "orc", FRZ_UNSUPPORTED, "ORC files are not written"},
        {"write.parquet.bloom-filter-fpp.column.id", "2", FRZ_INVALID, "between 0 and 1"},
        {"commit.retry.num-retries", "x", FRZ_INVALID, "num-retries: expected an integer"},
        {"commit.retry.min-wait-ms", "-1", FRZ_INVALID, "no negative number"},
        {"commit.status-check.num-retries", "y", FRZ_INVALID, "got \"y\""},
        {"write.object-storage.enabled", "ja", FRZ_INVALID, "got \"ja\""},
        {"write.manifest.compression-codec", "rar", FRZ_INVALID, "got \"rar\""},
        {"schema.name-mapping.default", "{", FRZ_INVALID, "schema.name-mapping.default: "},
    };
    frz_error *err = NULL;
    (void)state;
    base = make();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(check(bad[i].key, bad[i].value, &err), bad[i].status, err, bad[i].message);
    frz_metadata_unref(base);
}

static void check_with_little_memory(void)
{
    const frz_status mapping =
        check("schema.name-mapping.default", "[{\"field-id\":1,\"names\":[\"id\"]}]", NULL);
    CHECK(mapping == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    base = make();
    sweep_allocation_failures(check_with_little_memory);
    frz_metadata_unref(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_can_be_honoured_is_taken),
        cmocka_unit_test(what_cannot_be_is_refused_by_key_and_value),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
