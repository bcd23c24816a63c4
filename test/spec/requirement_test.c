#include "spec/table_fixture.h"

static const char *const text = FIXTURE_TABLE(
    "2", "\"snapshots\":[{\"snapshot-id\":5,\"timestamp-ms\":1,\"manifest-list\":\"l\"}],"
         "\"current-snapshot-id\":5,");

static void expect_conflict(const frz_metadata *base, frz_requirement requirement,
                            const char *message)
{
    frz_error *err = NULL;
    CHECK_FAILS(frz_requirement_check(&requirement, base, &err), FRZ_CONFLICT, err, message);
}

static void expect_holds(const frz_metadata *base, frz_requirement requirement)
{
    frz_error *err = NULL;
    CHECK_OK(frz_requirement_check(&requirement, base, &err), err);
}

static void what_holds_passes(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(text);
    expect_holds(NULL, (frz_requirement){.kind = FRZ_REQUIREMENT_CREATE});
    expect_holds(
        m, (frz_requirement){FRZ_REQUIREMENT_UUID, "9c12d441-03fe-4693-9a96-a0705ddf69c1", 0});
    expect_holds(m, (frz_requirement){FRZ_REQUIREMENT_REF_SNAPSHOT, "main", 5});
    expect_holds(m, (frz_requirement){FRZ_REQUIREMENT_REF_SNAPSHOT, "other", FRZ_NO_SNAPSHOT});
    expect_holds(m, (frz_requirement){FRZ_REQUIREMENT_LAST_COLUMN_ID, NULL, 5});
    expect_holds(m, (frz_requirement){FRZ_REQUIREMENT_CURRENT_SCHEMA_ID, NULL, 0});
    expect_holds(m, (frz_requirement){FRZ_REQUIREMENT_LAST_PARTITION_ID, NULL, 1003});
    expect_holds(m, (frz_requirement){FRZ_REQUIREMENT_DEFAULT_SPEC_ID, NULL, 0});
    expect_holds(m, (frz_requirement){FRZ_REQUIREMENT_DEFAULT_SORT_ORDER_ID, NULL, 0});
    frz_metadata_unref(m);
}

static void what_has_changed_is_a_conflict_that_says_so(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(text);
    expect_conflict(m, (frz_requirement){.kind = FRZ_REQUIREMENT_CREATE}, "exists already");
    expect_conflict(NULL, (frz_requirement){FRZ_REQUIREMENT_UUID, "u", 0}, "does not exist");
    expect_conflict(m, (frz_requirement){FRZ_REQUIREMENT_UUID, "u", 0}, "expected u, found 9c12");
    expect_conflict(m, (frz_requirement){FRZ_REQUIREMENT_REF_SNAPSHOT, "main", 4},
                    "main has moved: expected snapshot 4, found 5");
    expect_conflict(m, (frz_requirement){FRZ_REQUIREMENT_REF_SNAPSHOT, "main", FRZ_NO_SNAPSHOT},
                    "main was made meanwhile, at snapshot 5");
    expect_conflict(m, (frz_requirement){FRZ_REQUIREMENT_REF_SNAPSHOT, "b", 4},
                    "reference b is gone");
    expect_conflict(m, (frz_requirement){FRZ_REQUIREMENT_LAST_COLUMN_ID, NULL, 4},
                    "last-column-id has changed: expected 4, found 5");
    expect_conflict(m, (frz_requirement){FRZ_REQUIREMENT_CURRENT_SCHEMA_ID, NULL, 4},
                    "current-schema-id");
    expect_conflict(m, (frz_requirement){FRZ_REQUIREMENT_LAST_PARTITION_ID, NULL, 4},
                    "last-partition-id");
    expect_conflict(m, (frz_requirement){FRZ_REQUIREMENT_DEFAULT_SPEC_ID, NULL, 4},
                    "default-spec-id");
    expect_conflict(m, (frz_requirement){FRZ_REQUIREMENT_DEFAULT_SORT_ORDER_ID, NULL, 4},
                    "default-sort-order-id");
    frz_metadata_unref(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_passes),
        cmocka_unit_test(what_has_changed_is_a_conflict_that_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
