#include "write/result.h"

#include "harness.h"

static void a_result_is_a_copy(void **state)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    char key[] = "added-records";
    char value[] = "3";
    const frz_property summary = {key, value};
    const frz_snapshot snapshot = {.snapshot_id = 7,
                                   .sequence_number = 2,
                                   .operation = "append",
                                   .summary = &summary,
                                   .summary_count = 1};
    (void)state;
    CHECK_OK(frz_commit_result_new(&snapshot, &commit, &err), err);
    key[0] = value[0] = '?';
    CHECK(commit->snapshot_id == 7 && commit->sequence_number == 2);
    assert_string_equal(commit->operation, "append");
    CHECK(commit->summary_count == 1);
    assert_string_equal(commit->summary[0].key, "added-records");
    assert_string_equal(commit->summary[0].value, "3");
    frz_commit_free(commit);
    CHECK_OK(frz_commit_result_new(NULL, &commit, &err), err);
    CHECK(commit->operation == NULL && commit->snapshot_id == FRZ_NO_SNAPSHOT);
    frz_commit_free(commit);
    frz_commit_free(NULL);
}

static void without_memory(void)
{
    frz_commit *commit = NULL;
    const frz_property summary = {"k", "v"};
    const frz_snapshot snapshot = {.operation = "append", .summary = &summary, .summary_count = 1};
    const frz_status status = frz_commit_result_new(&snapshot, &commit, NULL);
    CHECK((status == FRZ_OK) == !frz_mem_failed());
    frz_commit_free(commit);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    sweep_allocation_failures(without_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_is_a_copy),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
