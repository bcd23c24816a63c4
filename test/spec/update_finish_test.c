#include "spec/table_fixture.h"

static frz_metadata *next_version(const frz_metadata *base, const char *location, int64_t now_ms,
                                  const char *const **dropped, size_t *dropped_count)
{
    frz_metadata_builder *builder = NULL;
    frz_metadata *m = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_metadata_builder_new(base, 0, &builder, &err), err);
    CHECK_OK(
        frz_metadata_builder_finish(builder, location, now_ms, &m, dropped, dropped_count, &err),
        err);
    frz_metadata_builder_free(builder);
    return m;
}

static void the_metadata_log_keeps_as_many_as_the_property_says(void **state)
{
    (void)state;
    const char *const *dropped = NULL;
    size_t dropped_count = 0;
    frz_metadata *base = fixture_metadata(
        FIXTURE_TABLE("2", "\"properties\":{\"write.metadata.previous-versions-max\":\"2\"},"
                           "\"metadata-log\":[{\"timestamp-ms\":1,\"metadata-file\":\"a\"},"
                           "{\"timestamp-ms\":2,\"metadata-file\":\"b\"},"
                           "{\"timestamp-ms\":3,\"metadata-file\":\"c\"}],"));
    frz_metadata *m = next_version(base, "d", INT64_C(1700000000000), &dropped, &dropped_count);
    CHECK(m->metadata_log_count == 2);
    CHECK(strcmp(m->metadata_log[0].metadata_file, "c") == 0);
    CHECK(strcmp(m->metadata_log[1].metadata_file, "d") == 0);
    CHECK(m->metadata_log[1].timestamp_ms == base->last_updated_ms);
    CHECK(dropped_count == 2 && strcmp(dropped[0], "a") == 0 && strcmp(dropped[1], "b") == 0);
    frz_metadata_unref(base);
    frz_metadata_unref(m);
}

static void the_log_grows_to_a_hundred_by_default(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(FIXTURE_V2);
    const char *const *dropped = NULL;
    size_t dropped_count = 0;
    char location[16];
    for (int i = 0; i < 103; i++) {
        (void)snprintf(location, sizeof location, "f%d", i);
        frz_metadata *next =
            next_version(m, location, INT64_C(1700000000000) + i, &dropped, &dropped_count);
        CHECK(dropped_count == (i >= 100 ? 1u : 0u));
        frz_metadata_unref(m);
        m = next;
    }
    CHECK(m->metadata_log_count == 100 && strcmp(m->metadata_log[99].metadata_file, "f102") == 0);
    frz_metadata_unref(m);
}

static void a_bad_limit_is_named(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata *m = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *base = fixture_metadata(
        FIXTURE_TABLE("2", "\"properties\":{\"write.metadata.previous-versions-max\":\"many\"},"));
    CHECK_OK(frz_metadata_builder_new(base, 0, &builder, &err), err);
    CHECK_FAILS(frz_metadata_builder_finish(builder, "d", 1, &m, NULL, NULL, &err), FRZ_INVALID,
                err, "\"many\", expected a number");
    frz_metadata_builder_free(builder);
    frz_metadata_unref(base);
}

static void time_never_runs_back(void **state)
{
    (void)state;
    frz_metadata *base = fixture_metadata(FIXTURE_V2);
    frz_metadata *m = next_version(base, "d", 5, NULL, NULL);
    CHECK(m->last_updated_ms == base->last_updated_ms);
    frz_metadata_unref(base);
    frz_metadata_unref(m);
}

/* Several snapshots in one change: only the last of them was ever current. */
static void intermediate_snapshots_are_no_history(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata *m = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *base = fixture_metadata(FIXTURE_V2);
    CHECK_OK(frz_metadata_builder_new(base, 0, &builder, &err), err);
    for (int i = 1; i <= 3; i++) {
        const frz_snapshot snapshot = fixture_snapshot(i, 34 + i, -1, -1);
        const frz_snapshot_ref ref = fixture_ref("main", i);
        CHECK_OK(frz_update_add_snapshot(builder, &snapshot, &err), err);
        CHECK_OK(frz_update_set_ref(builder, &ref, &err), err);
    }
    CHECK_OK(frz_metadata_builder_finish(builder, "d", 5, &m, NULL, NULL, &err), err);
    CHECK(m->snapshot_count == 3 && m->snapshot_log_count == 1 &&
          m->snapshot_log[0].snapshot_id == 3);
    CHECK(m->last_updated_ms >= m->snapshot_log[0].timestamp_ms);
    frz_metadata_builder_free(builder);
    frz_metadata_unref(base);
    frz_metadata_unref(m);
}

static void the_default_spec_must_fit_the_current_schema(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata *m = NULL;
    frz_metadata_builder *builder = NULL;
    frz_schema *schema = NULL;
    int32_t id = 0;
    const frz_field only = {
        .id = 1, .name = "id", .required = true, .type = frz_type_of(FRZ_TYPE_LONG)};
    frz_metadata *base = fixture_metadata(FIXTURE_V2);
    CHECK_OK(frz_schema_new(0, &only, 1, NULL, 0, &schema, &err), err);
    CHECK_OK(frz_metadata_builder_new(base, 0, &builder, &err), err);
    CHECK_OK(frz_update_set_default_spec(builder, 1, &err), err);
    CHECK_OK(frz_update_add_schema(builder, schema, &id, &err), err);
    CHECK_OK(frz_update_set_current_schema(builder, id, &err), err);
    CHECK_FAILS(frz_metadata_builder_finish(builder, "d", 1, &m, NULL, NULL, &err), FRZ_INVALID,
                err, "partition field name");
    frz_schema_unref(schema);
    frz_metadata_builder_free(builder);
    frz_metadata_unref(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_metadata_log_keeps_as_many_as_the_property_says),
        cmocka_unit_test(the_log_grows_to_a_hundred_by_default),
        cmocka_unit_test(a_bad_limit_is_named),
        cmocka_unit_test(time_never_runs_back),
        cmocka_unit_test(intermediate_snapshots_are_no_history),
        cmocka_unit_test(the_default_spec_must_fit_the_current_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
