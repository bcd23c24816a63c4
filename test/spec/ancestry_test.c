#include "spec/ancestry.h"

#include "spec/table_fixture.h"

#define SNAPSHOT(ID, PARENT, SEQUENCE)                                                        \
    "{\"snapshot-id\":" ID ",\"parent-snapshot-id\":" PARENT ",\"sequence-number\":" SEQUENCE \
    ",\"timestamp-ms\":1,\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"l\"}"

/* 10 <- 20 <- 30, and 40 beside 20; 50's parent has expired. */
static const char line[] = FIXTURE_TABLE(
    "2", "\"current-snapshot-id\":30,\"snapshots\":["
         "{\"snapshot-id\":10,\"sequence-number\":1,\"timestamp-ms\":1,\"summary\":{\"operation\":"
         "\"append\"},\"manifest-list\":\"l\"}," SNAPSHOT("20", "10", "2") "," SNAPSHOT(
             "30", "20", "3") "," SNAPSHOT("40", "10", "4") "," SNAPSHOT("50", "9", "5") "],");

static void the_line_of_a_snapshot_is_walked_to_its_oldest(void **state)
{
    (void)state;
    frz_metadata *metadata = fixture_metadata(line);
    frz_ancestry walk = frz_ancestry_of(metadata, frz_metadata_current_snapshot(metadata));
    CHECK(frz_ancestry_next(&walk)->snapshot_id == 30);
    CHECK(frz_ancestry_next(&walk)->snapshot_id == 20);
    CHECK(frz_ancestry_next(&walk)->snapshot_id == 10);
    CHECK(!frz_ancestry_next(&walk) && !frz_ancestry_next(&walk));
    walk = frz_ancestry_of(metadata, NULL);
    CHECK(!frz_ancestry_next(&walk));
    walk = frz_ancestry_of(metadata, frz_metadata_find_snapshot(metadata, 50));
    CHECK(frz_ancestry_next(&walk)->snapshot_id == 50 && !frz_ancestry_next(&walk));
    frz_metadata_unref(metadata);
}

static void ancestors_are_those_of_the_line_alone(void **state)
{
    (void)state;
    frz_metadata *metadata = fixture_metadata(line);
    const frz_snapshot *current = frz_metadata_current_snapshot(metadata);
    CHECK(frz_is_ancestor(metadata, 30, current) && frz_is_ancestor(metadata, 10, current));
    CHECK(!frz_is_ancestor(metadata, 40, current) && !frz_is_ancestor(metadata, 9, current));
    CHECK(!frz_is_ancestor(metadata, 10, NULL));
    frz_metadata_unref(metadata);
}

/* Foreign metadata may say anything. */
static void parents_that_go_round_end(void **state)
{
    (void)state;
    static const char round[] =
        FIXTURE_TABLE("2", "\"current-snapshot-id\":20,\"snapshots\":[" SNAPSHOT(
                               "10", "20", "1") "," SNAPSHOT("20", "10", "2") "],");
    frz_metadata *metadata = fixture_metadata(round);
    CHECK(!frz_is_ancestor(metadata, 7, frz_metadata_current_snapshot(metadata)));
    frz_metadata_unref(metadata);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_of_a_snapshot_is_walked_to_its_oldest),
        cmocka_unit_test(ancestors_are_those_of_the_line_alone),
        cmocka_unit_test(parents_that_go_round_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
