#include "spec/table_fixture.h"

#include "base/clock.h"

static frz_metadata_builder *builder_of(const char *text)
{
    frz_metadata *base = fixture_metadata(text);
    frz_metadata_builder *builder = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_metadata_builder_new(base, 0, &builder, &err), err);
    frz_metadata_unref(base);
    return builder;
}

static frz_metadata *finish(frz_metadata_builder *builder)
{
    frz_metadata *m = NULL;
    frz_error *err = NULL;
    CHECK_OK(
        frz_metadata_builder_finish(builder, NULL, INT64_C(1700000000000), &m, NULL, NULL, &err),
        err);
    frz_metadata_builder_free(builder);
    return m;
}

static void expect_refused(const char *text, frz_snapshot snapshot, frz_status want,
                           const char *message)
{
    frz_error *err = NULL;
    frz_metadata_builder *builder = builder_of(text);
    CHECK_FAILS(frz_update_add_snapshot(builder, &snapshot, &err), want, err, message);
    frz_metadata_builder_free(builder);
}

/* Also on a branch, also when no row is added. */
static void d128_row_ids_and_sequence_numbers_go_on_with_each_snapshot(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata_builder *builder = builder_of(FIXTURE_V3);
    const frz_snapshot first = fixture_snapshot(1, 35, 100, 50);
    const frz_snapshot second = fixture_snapshot(2, 36, 150, 0);
    const frz_snapshot third = fixture_snapshot(3, 40, 150, 7);
    const frz_snapshot_ref ref = fixture_ref("side", 3);
    CHECK_OK(frz_update_add_snapshot(builder, &first, &err), err);
    CHECK_OK(frz_update_add_snapshot(builder, &second, &err), err);
    CHECK_OK(frz_update_add_snapshot(builder, &third, &err), err);
    CHECK_OK(frz_update_set_ref(builder, &ref, &err), err);
    frz_metadata *m = finish(builder);
    CHECK(m->next_row_id == 157 && m->last_sequence_number == 40 && m->snapshot_count == 3);
    CHECK(m->current_snapshot_id == FRZ_NO_SNAPSHOT && m->snapshot_log_count == 0);
    frz_metadata_unref(m);
}

static void stale_numbers_are_conflicts(void **state)
{
    (void)state;
    expect_refused(FIXTURE_V3, fixture_snapshot(1, 34, 100, 5), FRZ_CONFLICT,
                   "the table's last is 34");
    expect_refused(FIXTURE_V3, fixture_snapshot(1, 35, 99, 5), FRZ_CONFLICT, "next-row-id is 100");
}

/* Appendix F, "Snapshot ID": positive, and no other snapshot's. */
static void d134_snapshot_ids_are_positive_and_new(void **state)
{
    (void)state;
    expect_refused(FIXTURE_V3, fixture_snapshot(0, 35, 100, 5), FRZ_INVALID, "positive");
    expect_refused(FIXTURE_V3, fixture_snapshot(-5, 35, 100, 5), FRZ_INVALID, "positive");
    expect_refused(FIXTURE_V3, fixture_snapshot(INT64_MIN, 35, 100, 5), FRZ_INVALID, "positive");
    expect_refused(FIXTURE_TABLE("2", "\"snapshots\":[{\"snapshot-id\":1,\"timestamp-ms\":1,"
                                      "\"manifest-list\":\"l\"}],"),
                   fixture_snapshot(1, 35, -1, -1), FRZ_ALREADY_EXISTS, "snapshot 1");
    for (int i = 0; i < 1000; i++)
        CHECK(frz_random_i63() > 0);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    expect_refused(FIXTURE_V3, fixture_snapshot(1, 35, 101, 5), FRZ_INVALID, "next-row-id is 100");
    expect_refused(FIXTURE_V3, fixture_snapshot(1, 35, 100, INT64_MAX), FRZ_INVALID,
                   "next-row-id is 100");
    expect_refused(FIXTURE_V3, fixture_snapshot(1, 35, -1, 5), FRZ_INVALID, "lacks first-row-id");
    expect_refused(FIXTURE_V3, fixture_snapshot(1, 35, 100, -1), FRZ_INVALID, "lacks first-row-id");
    expect_refused(FIXTURE_V2, fixture_snapshot(1, 35, 0, 5), FRZ_INVALID, "version 2 has none");
    expect_refused(FIXTURE_V1, fixture_snapshot(1, 35, -1, -1), FRZ_INVALID, "version 1 has none");
    frz_snapshot bare = fixture_snapshot(1, 35, 100, 5);
    bare.manifest_list = NULL;
    expect_refused(FIXTURE_V3, bare, FRZ_INVALID, "lacks manifest-list");
    bare.manifest_list = "l";
    bare.operation = NULL;
    expect_refused(FIXTURE_V3, bare, FRZ_INVALID, "lacks summary.operation");
    expect_refused(FIXTURE_TABLE("2", "\"snapshots\":[{\"snapshot-id\":1,\"timestamp-ms\":1,"
                                      "\"manifest-list\":\"l\"}],"),
                   fixture_snapshot(1, 35, -1, -1), FRZ_ALREADY_EXISTS, "snapshot 1");
}

static void v1_snapshots_have_sequence_number_zero(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata_builder *builder = builder_of(FIXTURE_V1);
    const frz_snapshot snapshot = fixture_snapshot(1, 0, -1, -1);
    CHECK_OK(frz_update_add_snapshot(builder, &snapshot, &err), err);
    frz_metadata *m = finish(builder);
    CHECK(m->last_sequence_number == 0 && m->snapshot_count == 1);
    frz_metadata_unref(m);
}

static void moving_main_moves_the_current_snapshot_and_writes_the_log(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata_builder *builder = builder_of(FIXTURE_TABLE(
        "2", "\"snapshots\":[{\"snapshot-id\":1,\"timestamp-ms\":10,\"manifest-list\":\"l\"}],"
             "\"current-snapshot-id\":1,\"snapshot-log\":[{\"timestamp-ms\":10,"
             "\"snapshot-id\":1}],"));
    const frz_snapshot added = fixture_snapshot(2, 35, -1, -1);
    const frz_snapshot_ref to_new = fixture_ref("main", 2);
    CHECK_OK(frz_update_add_snapshot(builder, &added, &err), err);
    CHECK_OK(frz_update_set_ref(builder, &to_new, &err), err);
    CHECK_OK(frz_update_set_ref(builder, &to_new, &err), err); /* once is enough */
    frz_metadata *m = finish(builder);
    CHECK(m->current_snapshot_id == 2 && m->snapshot_log_count == 2);
    CHECK(m->snapshot_log[1].snapshot_id == 2 &&
          m->snapshot_log[1].timestamp_ms == added.timestamp_ms);

    const frz_snapshot_ref back = fixture_ref("main", 1);
    CHECK_OK(frz_metadata_builder_new(m, 0, &builder, &err), err);
    frz_metadata_unref(m);
    CHECK_OK(frz_update_set_ref(builder, &back, &err), err);
    m = finish(builder);
    CHECK(m->current_snapshot_id == 1 && m->snapshot_log_count == 3);
    CHECK(m->snapshot_log[2].timestamp_ms == INT64_C(1700000000000)); /* the time of the rollback */
    frz_metadata_unref(m);
}

static void references_are_checked(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata_builder *builder = builder_of(FIXTURE_TABLE(
        "2", "\"snapshots\":[{\"snapshot-id\":1,\"timestamp-ms\":10,\"manifest-list\":\"l\"}],"));
    frz_snapshot_ref ref = fixture_ref("b", 9);
    CHECK_FAILS(frz_update_set_ref(builder, &ref, &err), FRZ_INVALID, err, "no snapshot 9");
    ref = fixture_ref("main", 1);
    ref.is_tag = true;
    CHECK_FAILS(frz_update_set_ref(builder, &ref, &err), FRZ_INVALID, err, "cannot be a tag");
    ref = fixture_ref("", 1);
    CHECK_FAILS(frz_update_set_ref(builder, &ref, &err), FRZ_INVALID, err, "name");
    ref = fixture_ref("t", 1);
    ref.is_tag = true;
    ref.min_snapshots_to_keep = 2;
    CHECK_FAILS(frz_update_set_ref(builder, &ref, &err), FRZ_INVALID, err, "for branches");
    ref.min_snapshots_to_keep = -1;
    ref.max_ref_age_ms = 0;
    CHECK_FAILS(frz_update_set_ref(builder, &ref, &err), FRZ_INVALID, err, "positive");
    ref.max_ref_age_ms = 5;
    CHECK_OK(frz_update_set_ref(builder, &ref, &err), err);
    ref = fixture_ref("t", 1);
    CHECK_FAILS(frz_update_set_ref(builder, &ref, &err), FRZ_INVALID, err, "t is a tag");
    CHECK_OK(frz_update_remove_ref(builder, "t", &err), err);
    CHECK_OK(frz_update_remove_ref(builder, "absent", &err), err);
    frz_metadata *m = finish(builder);
    CHECK(m->ref_count == 0);
    frz_metadata_unref(m);
}

static void removed_snapshots_take_what_hangs_on_them(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata_builder *builder = builder_of(FIXTURE_TABLE(
        "2", "\"snapshots\":[{\"snapshot-id\":1,\"timestamp-ms\":10,\"manifest-list\":\"l\"},"
             "{\"snapshot-id\":2,\"timestamp-ms\":20,\"manifest-list\":\"l\"},"
             "{\"snapshot-id\":3,\"timestamp-ms\":30,\"manifest-list\":\"l\"}],\"current-snapshot-"
             "id\":3,"
             "\"refs\":{\"main\":{\"snapshot-id\":3,\"type\":\"branch\"},"
             "\"t\":{\"snapshot-id\":2,\"type\":\"tag\"}},"
             "\"snapshot-log\":[{\"timestamp-ms\":10,\"snapshot-id\":1},{\"timestamp-ms\":20,"
             "\"snapshot-id\":2},"
             "{\"timestamp-ms\":30,\"snapshot-id\":3}],"
             "\"statistics\":[{\"snapshot-id\":2,\"x\":1},{\"y\":[ 2 ],\"snapshot-id\":3}],"
             "\"partition-statistics\":[{\"snapshot-id\":2}],"));
    const int64_t ids[] = {2, 77};
    CHECK_OK(frz_update_remove_snapshots(builder, ids, 2, &err), err);
    frz_metadata *m = finish(builder);
    CHECK(m->snapshot_count == 2 && m->current_snapshot_id == 3);
    CHECK(m->ref_count == 1 && frz_metadata_find_ref(m, "t") == NULL);
    CHECK(m->snapshot_log_count == 1 && m->snapshot_log[0].snapshot_id == 3);
    CHECK(frz_slice_is_text(m->statistics, "[{\"y\":[ 2 ],\"snapshot-id\":3}]"));
    CHECK(frz_slice_is_text(m->partition_statistics, "[]"));
    frz_metadata_unref(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d128_row_ids_and_sequence_numbers_go_on_with_each_snapshot),
        cmocka_unit_test(stale_numbers_are_conflicts),
        cmocka_unit_test(d134_snapshot_ids_are_positive_and_new),
        cmocka_unit_test(wrong_numbers_are_refused),
        cmocka_unit_test(v1_snapshots_have_sequence_number_zero),
        cmocka_unit_test(moving_main_moves_the_current_snapshot_and_writes_the_log),
        cmocka_unit_test(references_are_checked),
        cmocka_unit_test(removed_snapshots_take_what_hangs_on_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
