/*
 * What the table tells of a swap: committed, lost, open, and how long that is asked.
 */
#include "catalog/outcome.h"

#include "base/clock.h"
#include "fixture.h"
#include "io/fault.h"
#include "io/file.h"
#include "spec/update.h"

static fixture world;
static frz_table *table;
static int64_t slept_ms;
static int sleeps;

static void sleep_fast(void *self, int64_t ms)
{
    (void)self;
    slept_ms += ms;
    sleeps++;
}

static int set_up(void **state)
{
    static const frz_clock_ops clock = {.sleep_ms = sleep_fast};
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    const frz_option properties[] = {{"write.metadata.previous-versions-max", "1"},
                                     {"commit.status-check.num-retries", "4"},
                                     {"commit.status-check.min-wait-ms", "100"},
                                     {"commit.status-check.max-wait-ms", "300"}};
    (void)state;
    frz_clock_replace(&clock);
    slept_ms = sleeps = 0;
    CHECK_OK(fixture_open(&world, NULL, &err), err);
    options.schema = "id long";
    options.properties = properties;
    options.property_count = 4;
    CHECK_OK(frz_catalog_create_table(world.catalog, "n.t", &options, &table, &err), err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    frz_table_free(table);
    world.unsound = true; /* its snapshots have no files, or its pointer none */
    fixture_close(&world);
    frz_clock_replace(NULL);
    return 0;
}

/* Commits a property, and a snapshot unless the id is FRZ_NO_SNAPSHOT; gives what was current. */
static void commit(const char *key, const char *value, int64_t snapshot_id)
{
    frz_error *err = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *next = NULL;
    char *location = NULL;
    const frz_metadata *base = table->metadata;
    const frz_snapshot snapshot = {.snapshot_id = snapshot_id,
                                   .parent_id = FRZ_NO_SNAPSHOT,
                                   .sequence_number = base->last_sequence_number + 1,
                                   .timestamp_ms = frz_clock_now_ms(),
                                   .operation = "append",
                                   .manifest_list = "mem://wh/list.avro",
                                   .first_row_id = base->next_row_id,
                                   .added_rows = 0};
    CHECK_OK(frz_metadata_builder_new(base, base->format_version, &builder, &err), err);
    CHECK_OK(frz_update_set_property(builder, key, value, &err), err);
    if (snapshot_id != FRZ_NO_SNAPSHOT)
        CHECK_OK(frz_update_add_snapshot(builder, &snapshot, &err), err);
    CHECK_OK(frz_metadata_builder_finish(builder, table->metadata_location, frz_clock_now_ms(),
                                         &next, NULL, NULL, &err),
             err);
    frz_metadata_builder_free(builder);
    CHECK_OK(
        frz_catalog_commit(world.catalog, "n.t", table->metadata_location, next, &location, &err),
        err);
    frz_metadata_unref(next);
    frz_free(location);
    CHECK_OK(frz_table_refresh(table, &err), err);
}

static frz_new_version version_of(const char *base, int64_t snapshot_id)
{
    return (frz_new_version){"n.t", base, table->metadata, snapshot_id, NULL};
}

static char *copy(const char *text)
{
    char *out = frz_copy_text(text);
    CHECK(out != NULL);
    return out;
}

static void the_pointer_and_the_log_name_what_was_committed(void **state)
{
    (void)state;
    char *base = copy(table->metadata_location);
    commit("k", "1", FRZ_NO_SNAPSHOT);
    char *ours = copy(table->metadata_location);
    const frz_new_version version = version_of(base, FRZ_NO_SNAPSHOT);
    CHECK(frz_outcome_look(world.catalog, &version, ours) == FRZ_OUTCOME_COMMITTED);
    commit("k", "2", FRZ_NO_SNAPSHOT);
    CHECK(frz_outcome_look(world.catalog, &version, ours) == FRZ_OUTCOME_COMMITTED);
    /* The log has one entry: that of the file that it names tells. */
    commit("k", "3", FRZ_NO_SNAPSHOT);
    CHECK(frz_outcome_look(world.catalog, &version, ours) == FRZ_OUTCOME_COMMITTED);
    CHECK(frz_outcome_look(world.catalog, &version, "mem://wh/rival") == FRZ_OUTCOME_LOST);
    for (int i = 0; i < 5; i++)
        commit("k", i % 2 ? "5" : "6", FRZ_NO_SNAPSHOT);
    CHECK(frz_outcome_look(world.catalog, &version, ours) == FRZ_OUTCOME_COMMITTED);
    CHECK(frz_outcome_look(world.catalog, &version, "mem://wh/rival") == FRZ_OUTCOME_LOST);
    frz_free(base);
    frz_free(ours);
}

static void a_snapshot_tells_when_the_log_no_longer_does(void **state)
{
    (void)state;
    char *base = copy(table->metadata_location);
    commit("k", "1", 77);
    char *ours = copy(table->metadata_location);
    commit("k", "2", FRZ_NO_SNAPSHOT);
    commit("k", "3", FRZ_NO_SNAPSHOT);
    const frz_new_version version = version_of(base, 77);
    CHECK(frz_outcome_look(world.catalog, &version, ours) == FRZ_OUTCOME_COMMITTED);
    const frz_new_version other = version_of(base, 78);
    CHECK(frz_outcome_look(world.catalog, &other, "mem://wh/rival") == FRZ_OUTCOME_LOST);
    frz_free(base);
    frz_free(ours);
}

static void another_version_in_its_place_has_won(void **state)
{
    (void)state;
    char *base = copy(table->metadata_location);
    const frz_new_version before = version_of(base, 77);
    CHECK(frz_outcome_look(world.catalog, &before, "mem://wh/ours") == FRZ_OUTCOME_OPEN);
    commit("k", "1", FRZ_NO_SNAPSHOT);
    const frz_new_version version = version_of(base, 77);
    CHECK(frz_outcome_look(world.catalog, &version, "mem://wh/ours") == FRZ_OUTCOME_LOST);
    frz_free(base);
}

static void a_table_that_is_gone_tells_nothing(void **state)
{
    frz_error *err = NULL;
    (void)state;
    const frz_new_version version = version_of("mem://wh/base", FRZ_NO_SNAPSHOT);
    CHECK_OK(frz_catalog_drop_table(world.catalog, "n.t", false, &err), err);
    CHECK(frz_outcome_look(world.catalog, &version, "mem://wh/ours") == FRZ_OUTCOME_UNSEEN);
}

/* Waits double from the least to the most, as often as the table says. */
static void it_is_asked_as_often_as_the_table_says(void **state)
{
    frz_effect effect = {0};
    (void)state;
    char *base = copy(table->metadata_location);
    const frz_new_version version = version_of(base, FRZ_NO_SNAPSHOT);
    CHECK(frz_outcome_wait(world.catalog, &version, "mem://wh/ours", &effect) == FRZ_OUTCOME_OPEN);
    CHECK(sleeps == 4 && slept_ms == 100 + 200 + 300 + 300);
    commit("commit.status-check.total-timeout-ms", "250", FRZ_NO_SNAPSHOT);
    const frz_new_version hasty = version_of(table->metadata_location, FRZ_NO_SNAPSHOT);
    slept_ms = sleeps = 0;
    CHECK(frz_outcome_wait(world.catalog, &hasty, "mem://wh/ours", &effect) == FRZ_OUTCOME_OPEN);
    CHECK(sleeps == 2 && slept_ms == 100 + 200);
    /* What cannot be read is as if not set. */
    commit("commit.status-check.num-retries", "often", FRZ_NO_SNAPSHOT);
    commit("commit.status-check.total-timeout-ms", "-", FRZ_NO_SNAPSHOT);
    const frz_new_version wrong = version_of(table->metadata_location, FRZ_NO_SNAPSHOT);
    slept_ms = sleeps = 0;
    CHECK(frz_outcome_wait(world.catalog, &wrong, "mem://wh/ours", &effect) == FRZ_OUTCOME_OPEN);
    CHECK(sleeps == 3);
    frz_free(base);
}

static char *buried_base;

/* Ours, then two more; the file between is away, so that no log tells. `ours` is given. */
static frz_new_version bury(const char *key, frz_metadata **base_out, frz_metadata **ours_out,
                            char **location_out)
{
    frz_error *err = NULL;
    buried_base = copy(table->metadata_location);
    *base_out = frz_metadata_ref(table->metadata);
    commit(key, "1", FRZ_NO_SNAPSHOT);
    *ours_out = frz_metadata_ref(table->metadata);
    *location_out = copy(table->metadata_location);
    commit("other", "1", FRZ_NO_SNAPSHOT);
    CHECK_OK(frz_io_remove(world.io, table->metadata_location, &err), err);
    commit("other", "2", FRZ_NO_SNAPSHOT);
    return (frz_new_version){"n.t", buried_base, *ours_out, FRZ_NO_SNAPSHOT, *base_out};
}

static void unbury(const frz_new_version *version, char *location)
{
    frz_free(buried_base);
    frz_metadata_unref(version->base);
    frz_metadata_unref(version->metadata);
    frz_free(location);
}

static void what_is_buried_is_told_by_its_effect(void **state)
{
    frz_metadata *base = NULL;
    frz_metadata *ours = NULL;
    char *location = NULL;
    frz_effect effect = {0};
    (void)state;
    const frz_new_version version = bury("k", &base, &ours, &location);
    CHECK(frz_outcome_look(world.catalog, &version, location) == FRZ_OUTCOME_BURIED);
    CHECK(frz_outcome_wait(world.catalog, &version, location, &effect) == FRZ_OUTCOME_COMMITTED);
    CHECK(sleeps == 4 && effect.is_there);
    commit("k", "another", FRZ_NO_SNAPSHOT);
    CHECK(frz_outcome_wait(world.catalog, &version, location, &effect) == FRZ_OUTCOME_BURIED);
    CHECK(!effect.is_there && strcmp(effect.missing, "property k") == 0);
    frz_new_version baseless = version;
    baseless.base = NULL;
    CHECK(frz_outcome_wait(world.catalog, &baseless, location, &effect) == FRZ_OUTCOME_BURIED);
    CHECK(!effect.is_there && !*effect.missing);
    unbury(&version, location);
}

/* Only a log that drops a file has it removed. */
static void a_file_of_ours_that_has_gone_was_in_a_log(void **state)
{
    frz_error *err = NULL;
    frz_metadata *base = NULL;
    frz_metadata *ours = NULL;
    char *location = NULL;
    (void)state;
    const frz_new_version version = bury("k", &base, &ours, &location);
    CHECK_OK(frz_io_remove(world.io, location, &err), err);
    CHECK(frz_outcome_look(world.catalog, &version, location) == FRZ_OUTCOME_COMMITTED);
    unbury(&version, location);
}

/* A table that was dropped and made again: nothing of it tells, not even that a file has gone. */
static void another_table_of_the_name_tells_nothing(void **state)
{
    frz_error *err = NULL;
    frz_effect effect = {0};
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    (void)state;
    frz_metadata *base = frz_metadata_ref(table->metadata);
    const frz_new_version version = {"n.t", "mem://wh/base", base, FRZ_NO_SNAPSHOT, base};
    frz_table_free(table);
    options.schema = "id long";
    CHECK_OK(frz_catalog_drop_table(world.catalog, "n.t", false, &err), err);
    CHECK_OK(frz_catalog_create_table(world.catalog, "n.t", &options, &table, &err), err);
    CHECK(frz_outcome_wait(world.catalog, &version, "mem://wh/ours", &effect) ==
          FRZ_OUTCOME_BURIED);
    CHECK(strstr(effect.missing, "the table itself"));
    frz_metadata_unref(base);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_pointer_and_the_log_name_what_was_committed),
        CASE(a_snapshot_tells_when_the_log_no_longer_does),
        CASE(another_version_in_its_place_has_won),
        CASE(a_table_that_is_gone_tells_nothing),
        CASE(what_is_buried_is_told_by_its_effect),
        CASE(a_file_of_ours_that_has_gone_was_in_a_log),
        CASE(another_table_of_the_name_tells_nothing),
        CASE(it_is_asked_as_often_as_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
