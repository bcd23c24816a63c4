/*
 * Snapshots that versions share: their text is right, and they live as long as any version has
 * them.
 */
#include "spec/snapshot_store.h"

#include "spec/table_fixture.h"

#include "spec/metadata_object.h"
#include "spec/update.h"

static const frz_property summary[] = {{"added-records", "5"}, {"k", "v\"w"}};
static const frz_snapshot snapshot = {.snapshot_id = 5,
                                      .parent_id = 4,
                                      .sequence_number = 2,
                                      .timestamp_ms = 77,
                                      .operation = "append",
                                      .manifest_list = "list",
                                      .summary = summary,
                                      .summary_count = 2,
                                      .schema_id = 0,
                                      .first_row_id = -1,
                                      .added_rows = -1,
                                      .key_id = "key",
                                      .unknown = {(const uint8_t *)"\"z\":[1]", 7}};

static void add_once(void)
{
    frz_snapshot_store *store = NULL;
    frz_snapshot_store *other = NULL;
    frz_snapshot out = {0};
    frz_error *err = NULL;
    frz_status status = frz_snapshot_store_new(&store, &err);
    if (status == FRZ_OK)
        status = frz_snapshot_store_add(store, &snapshot, 2, &out, &err);
    CHECK(status == FRZ_OK || frz_mem_failed());
    if (status == FRZ_OK) {
        other = frz_snapshot_store_ref(store);
        frz_snapshot_store_unref(store);
        store = NULL;
        CHECK(frz_slice_is_text(
            out.text,
            "{\"sequence-number\":2,\"snapshot-id\":5,\"parent-snapshot-id\":4,\"timestamp-ms\":77,"
            "\"summary\":{\"operation\":\"append\",\"added-records\":\"5\",\"k\":\"v\\\"w\"},"
            "\"manifest-list\":\"list\",\"schema-id\":0,\"key-id\":\"key\",\"z\":[1]}"));
        CHECK(out.summary != summary && strcmp(out.summary[1].value, "v\"w") == 0);
        CHECK(frz_snapshot_is_stored(&out, 2) && frz_snapshot_is_stored(&out, 3));
        CHECK(!frz_snapshot_is_stored(&out, 1) && !frz_snapshot_is_stored(&snapshot, 2));
    }
    frz_snapshot_store_unref(store);
    frz_snapshot_store_unref(other);
    frz_error_free(err);
}

static void a_snapshot_is_kept_with_its_text(void **state)
{
    (void)state;
    add_once();
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(add_once);
}

/* A hundred versions, each made of the one before, which goes: more than stores are kept apart. */
static void versions_share_snapshots_and_stand_alone(void **state)
{
    frz_error *err = NULL;
    frz_metadata *now = fixture_metadata(FIXTURE_TABLE("2", ""));
    frz_snapshot next = snapshot;
    (void)state;
    next.unknown = (frz_slice){0};
    next.sequence_number = now->last_sequence_number;
    for (int i = 0; i < 100; i++) {
        frz_metadata_builder *builder = NULL;
        frz_metadata *version = NULL;
        next.parent_id = i ? next.snapshot_id : FRZ_NO_SNAPSHOT;
        next.snapshot_id = 1000 + i;
        next.sequence_number++;
        CHECK_OK(frz_metadata_builder_new(now, 2, &builder, &err), err);
        CHECK_OK(frz_update_add_snapshot(builder, &next, &err), err);
        CHECK_OK(frz_metadata_builder_finish(builder, "base", 1000 + i, &version, NULL, NULL, &err),
                 err);
        frz_metadata_builder_free(builder);
        const size_t stores = ((frz_metadata_object *)version)->stores.count;
        CHECK(stores <= 64);
        if (i == 1) { /* the first is shared, not copied */
            CHECK(version->snapshots[0].text.data == now->snapshots[0].text.data);
        }
        frz_metadata_unref(now);
        now = version;
    }
    CHECK(now->snapshot_count == 100);
    for (size_t i = 0; i < 100; i++) {
        CHECK(now->snapshots[i].snapshot_id == 1000 + (int64_t)i);
        CHECK(strcmp(now->snapshots[i].manifest_list, "list") == 0);
    }
    char *text = fixture_print(now);
    frz_metadata *read = NULL;
    CHECK_OK(frz_metadata_parse(frz_slice_of_text(text), &frz_limits_default, &read, &err), err);
    char *again = fixture_print(read); /* nothing of it has a text yet */
    assert_string_equal(text, again);
    frz_free(again);
    frz_free(text);
    frz_metadata_unref(read);
    frz_metadata_unref(now);
}

/* Format 2 says more of a snapshot than format 1: a text of before the upgrade is not used. */
static void an_upgrade_prints_anew(void **state)
{
    frz_error *err = NULL;
    frz_metadata *base = fixture_metadata(FIXTURE_TABLE("1", ""));
    (void)state;
    for (int i = 0; i < 2; i++) {
        frz_metadata_builder *builder = NULL;
        frz_metadata *version = NULL;
        frz_snapshot next = snapshot;
        next.sequence_number = 0;
        next.parent_id = FRZ_NO_SNAPSHOT;
        CHECK_OK(frz_metadata_builder_new(base, 1, &builder, &err), err);
        if (i == 0)
            CHECK_OK(frz_update_add_snapshot(builder, &next, &err), err);
        else
            CHECK_OK(frz_update_upgrade(builder, 2, &err), err);
        CHECK_OK(frz_metadata_builder_finish(builder, "base", 1000, &version, NULL, NULL, &err),
                 err);
        frz_metadata_builder_free(builder);
        frz_metadata_unref(base);
        base = version;
        char *text = fixture_print(base);
        CHECK((strstr(text, "{\"sequence-number\":0,\"snapshot-id\":5") != NULL) == (i == 1));
        frz_free(text);
    }
    frz_metadata_unref(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_is_kept_with_its_text),
        cmocka_unit_test(survives_short_memory),
        cmocka_unit_test(versions_share_snapshots_and_stand_alone),
        cmocka_unit_test(an_upgrade_prints_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
