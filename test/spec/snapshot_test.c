#include "harness.h"

#include "spec/snapshot.h"

static frz_status read_text(const char *text, frz_arena *arena, frz_snapshot *out, frz_error **err)
{
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(text), arena);
    return frz_snapshot_read_json(&json, arena, out, err);
}

static void expect_print(const frz_snapshot *snapshot, int version, const char *expected)
{
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 0);
    frz_snapshot_write_json(snapshot, version, &json);
    if (!frz_slice_is_text(frz_buffer_slice(&out), expected))
        fail_msg("got %.*s", (int)out.size, (const char *)out.data);
    frz_buffer_clear(&out);
}

static void reads_and_writes_every_member_in_the_order_of_java(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_snapshot s = {0};
    const char *text =
        "{\"sequence-number\":3,\"snapshot-id\":9223372036854775807,"
        "\"parent-snapshot-id\":4598286611352242717,\"timestamp-ms\":1515100955770,"
        "\"summary\":{\"operation\":\"append\",\"added-records\":\"9\"},\"manifest-list\":\"f:/l\","
        "\"schema-id\":1,\"first-row-id\":10,\"added-rows\":9,\"key-id\":\"k\",\"new\":{\"x\":[1."
        "50]}}";
    CHECK_OK(read_text(text, &arena, &s, &err), err);
    CHECK(s.snapshot_id == INT64_MAX && s.parent_id == INT64_C(4598286611352242717));
    CHECK(s.sequence_number == 3 && s.timestamp_ms == INT64_C(1515100955770));
    CHECK(strcmp(s.operation, "append") == 0 && s.summary_count == 1);
    CHECK(strcmp(frz_snapshot_summary_find(&s, "added-records"), "9") == 0);
    CHECK(frz_snapshot_summary_find(&s, "operation") == NULL);
    CHECK(s.schema_id == 1 && s.first_row_id == 10 && s.added_rows == 9);
    CHECK(strcmp(s.key_id, "k") == 0 && s.manifest_count == 0);
    expect_print(&s, 3, text);
    frz_arena_clear(&arena);
}

static void d005_ids_are_exact_beyond_doubles(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_snapshot s = {0};
    CHECK_OK(
        read_text("{\"snapshot-id\":4598286611352242717,\"timestamp-ms\":1}", &arena, &s, &err),
        err);
    CHECK(s.snapshot_id == INT64_C(4598286611352242717));
    CHECK_FAILS(
        read_text("{\"snapshot-id\":9223372036854775808,\"timestamp-ms\":1}", &arena, &s, &err),
        FRZ_CORRUPT, err, ""); /* D134 */
    CHECK_FAILS(
        read_text("{\"snapshot-id\":4.5982866113522427e17.5,\"timestamp-ms\":1}", &arena, &s, &err),
        FRZ_CORRUPT, err, "");
    frz_arena_clear(&arena);
}

static void old_forms_of_v1_are_read_and_kept(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_snapshot s = {0};
    const char *text = "{\"snapshot-id\":1,\"timestamp-ms\":2,\"manifests\":[\"f:/m0\",\"f:/m1\"]}";
    CHECK_OK(read_text(text, &arena, &s, &err), err);
    CHECK(s.parent_id == FRZ_NO_SNAPSHOT && s.operation == NULL && s.manifest_list == NULL);
    CHECK(s.sequence_number == 0 && s.schema_id == -1 && s.first_row_id == -1 &&
          s.added_rows == -1);
    CHECK(s.manifest_count == 2 && strcmp(s.manifests[1], "f:/m1") == 0);
    expect_print(&s, 1, text);
    expect_print(&s, 2,
                 "{\"sequence-number\":0,\"snapshot-id\":1,\"timestamp-ms\":2,"
                 "\"manifests\":[\"f:/m0\",\"f:/m1\"]}");
    frz_arena_clear(&arena);
}

static void d117_a_summary_without_operation_gets_none(void **state) /* D117 */
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_snapshot s = {0};
    CHECK_OK(
        read_text("{\"snapshot-id\":1,\"timestamp-ms\":2,\"manifest-list\":\"l\",\"summary\":{}}",
                  &arena, &s, &err),
        err);
    CHECK(s.operation == NULL && s.summary_count == 0);
    CHECK_OK(read_text("{\"snapshot-id\":1,\"timestamp-ms\":2,\"manifest-list\":\"l\","
                       "\"summary\":{\"a\":\"b\"},\"parent-snapshot-id\":null}",
                       &arena, &s, &err),
             err);
    CHECK(s.operation == NULL && s.summary_count == 1 && s.parent_id == FRZ_NO_SNAPSHOT);
    expect_print(
        &s, 1,
        "{\"snapshot-id\":1,\"timestamp-ms\":2,\"summary\":{\"a\":\"b\"},\"manifest-list\":\"l\"}");
    frz_arena_clear(&arena);
}

static void what_is_missing_or_negative_is_named(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_snapshot s = {0};
    CHECK_FAILS(read_text("{\"timestamp-ms\":2}", &arena, &s, &err), FRZ_CORRUPT, err,
                "lacks snapshot-id");
    CHECK_FAILS(read_text("{\"snapshot-id\":5}", &arena, &s, &err), FRZ_CORRUPT, err,
                "snapshot 5 lacks timestamp-ms");
    CHECK_FAILS(read_text("{\"snapshot-id\":-1,\"timestamp-ms\":2}", &arena, &s, &err), FRZ_CORRUPT,
                err, "-1");
    CHECK_FAILS(read_text("{\"snapshot-id\":5,\"timestamp-ms\":2,\"sequence-number\":-3}", &arena,
                          &s, &err),
                FRZ_CORRUPT, err, "sequence-number -3");
    CHECK_FAILS(
        read_text("{\"snapshot-id\":5,\"timestamp-ms\":2,\"first-row-id\":-3}", &arena, &s, &err),
        FRZ_CORRUPT, err, "first-row-id -3");
    CHECK_FAILS(
        read_text("{\"snapshot-id\":5,\"timestamp-ms\":2,\"manifests\":[3]}", &arena, &s, &err),
        FRZ_CORRUPT, err, "");
    frz_arena_clear(&arena);
}

static void read_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_snapshot s = {0};
    const frz_status status =
        read_text("{\"snapshot-id\":1,\"timestamp-ms\":2,\"manifests\":[\"a\"],\"u\":[],"
                  "\"summary\":{\"operation\":\"append\",\"k\":1}}",
                  &arena, &s, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(read_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_every_member_in_the_order_of_java),
        cmocka_unit_test(d005_ids_are_exact_beyond_doubles),
        cmocka_unit_test(old_forms_of_v1_are_read_and_kept),
        cmocka_unit_test(d117_a_summary_without_operation_gets_none),
        cmocka_unit_test(what_is_missing_or_negative_is_named),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
