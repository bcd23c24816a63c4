#include "harness.h"

#include "maintenance/run_set.h"

static void add(frz_run_set *set, const frz_snapshot_run *runs, size_t count, size_t owner)
{
    frz_error *err = NULL;
    frz_snapshot_run copy[4];
    frz_manifest_record manifest = {.runs = {.items = copy, .count = count}};
    for (size_t i = 0; i < count; i++)
        copy[i] = runs[i];
    CHECK_OK(frz_run_set_add(set, &manifest, owner, &err), err);
}

static void a_shared_snapshot_is_found_with_both_owners(void **state)
{
    size_t snapshot = 0;
    size_t one = 0;
    size_t other = 0;
    frz_run_set set = {0};
    (void)state;
    add(&set, (frz_snapshot_run[]){{6, 9}}, 1, 1);
    add(&set, (frz_snapshot_run[]){{0, 3}, {5, 5}}, 2, 2);
    frz_run_set_sort(&set);
    CHECK(!frz_run_set_find_shared(&set, &snapshot, &one, &other));
    add(&set, (frz_snapshot_run[]){{3, 4}}, 1, 3);
    frz_run_set_sort(&set);
    CHECK(frz_run_set_find_shared(&set, &snapshot, &one, &other));
    CHECK(snapshot == 3 && one == 2 && other == 3);
    frz_run_set_clear(&set);
}

static void a_gap_is_the_first_snapshot_without_run(void **state)
{
    size_t gap = 0;
    frz_run_set set = {0};
    (void)state;
    CHECK(frz_run_set_find_gap(&set, 2, 2, &gap) && gap == 2);
    add(&set, (frz_snapshot_run[]){{0, 3}, {5, 8}}, 2, 0);
    frz_run_set_sort(&set);
    CHECK(frz_run_set_find_gap(&set, 1, 8, &gap) && gap == 4);
    CHECK(frz_run_set_find_gap(&set, 6, 9, &gap) && gap == 9);
    CHECK(!frz_run_set_find_gap(&set, 5, 8, &gap));
    add(&set, (frz_snapshot_run[]){{4, 4}}, 1, 1);
    frz_run_set_sort(&set);
    CHECK(!frz_run_set_find_gap(&set, 0, 8, &gap));
    frz_run_set_reset(&set);
    CHECK(frz_run_set_find_gap(&set, 0, 0, &gap) && gap == 0);
    frz_run_set_clear(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_snapshot_is_found_with_both_owners),
        cmocka_unit_test(a_gap_is_the_first_snapshot_without_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
