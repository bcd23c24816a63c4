/*
 * Snapshots that versions share: their text is right, and they live as long as any version has
 * them.
 */
#include "spec/snapshot_list.h"

#include "base/fail.h"
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

static const char *const text_of_snapshot =
    "{\"sequence-number\":2,\"snapshot-id\":5,\"parent-snapshot-id\":4,\"timestamp-ms\":77,"
    "\"summary\":{\"operation\":\"append\",\"added-records\":\"5\",\"k\":\"v\\\"w\"},"
    "\"manifest-list\":\"list\",\"schema-id\":0,\"key-id\":\"key\",\"z\":[1]}";

static bool is_ten(const void *context, int64_t id)
{
    (void)context;
    return id == 10;
}

/* 5, then 10 and in another version 11 behind it. */
static frz_status fill(frz_snapshot_list *one, frz_snapshot_list *other, frz_error **err)
{
    frz_snapshot next = snapshot;
    FRZ_TRY(frz_snapshot_list_add(one, &snapshot, err));
    FRZ_TRY(frz_snapshot_list_print(one, 2, err));
    frz_snapshot_list_share(one, other);
    next.snapshot_id = 10;
    FRZ_TRY(frz_snapshot_list_add(one, &next, err));
    next.snapshot_id = 11;
    FRZ_TRY(frz_snapshot_list_add(other, &next, err));
    FRZ_TRY(frz_snapshot_list_seal(one, err));
    return frz_snapshot_list_seal(other, err);
}

static void check_filled(frz_snapshot_list *one, const frz_snapshot_list *other)
{
    frz_slice text = {0};
    CHECK(one->count == 2 && other->count == 2 && one->items != other->items);
    CHECK(frz_snapshot_list_find(one, 10) && !frz_snapshot_list_find(one, 11));
    CHECK(frz_snapshot_list_find(other, 11) && !frz_snapshot_list_find(other, 10));
    CHECK(frz_snapshot_list_items(one)[0].summary == frz_snapshot_list_items(other)[0].summary);
    CHECK(frz_snapshot_list_items(one)[0].summary != summary);
    CHECK(strcmp(frz_snapshot_list_items(one)[1].summary[1].value, "v\"w") == 0);
    CHECK(!frz_snapshot_list_text(one, 2, &text)); /* the second one is not printed yet */
}

static frz_status remove_and_print(frz_snapshot_list *one, frz_snapshot_list *other,
                                   frz_error **err)
{
    frz_slice text = {0};
    bool any = false;
    FRZ_TRY(frz_snapshot_list_remove(other, is_ten, NULL, &any, err));
    CHECK(!any && other->count == 2);
    FRZ_TRY(frz_snapshot_list_remove(one, is_ten, NULL, &any, err));
    CHECK(any && one->count == 1 && !frz_snapshot_list_find(one, 10));
    FRZ_TRY(frz_snapshot_list_print(one, 2, err));
    CHECK(frz_snapshot_list_text(one, 3, &text) && frz_slice_is_text(text, text_of_snapshot));
    CHECK(!frz_snapshot_list_text(one, 1, &text));
    FRZ_TRY(frz_snapshot_list_print(one, 1, err)); /* V1 does not say the sequence number */
    CHECK(frz_snapshot_list_text(one, 1, &text) &&
          text.size == strlen(text_of_snapshot) - strlen("\"sequence-number\":2,"));
    return FRZ_OK;
}

static void share_once(void)
{
    frz_snapshot_list one = {0};
    frz_snapshot_list other = {0};
    frz_error *err = NULL;
    frz_status status = fill(&one, &other, &err);
    if (status == FRZ_OK) {
        check_filled(&one, &other);
        status = remove_and_print(&one, &other, &err);
    }
    CHECK(status == FRZ_OK || frz_mem_failed());
    frz_snapshot_list_clear(&one);
    if (other.count)
        CHECK(strcmp(frz_snapshot_list_items(&other)[0].manifest_list, "list") == 0);
    frz_snapshot_list_clear(&other);
    frz_error_free(err);
}

static void versions_see_their_own(void **state)
{
    (void)state;
    share_once();
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(share_once);
}

/* By the index, behind it, and where it is made anew. */
static void two_with_one_id_are_refused(void **state)
{
    static const size_t counts[] = {3, 65, 100, 1000};
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        frz_snapshot_list list = {0};
        frz_error *err = NULL;
        frz_snapshot next = snapshot;
        for (size_t i = 0; i < counts[k]; i++) {
            next.snapshot_id = 100 + (int64_t)i;
            CHECK_OK(frz_snapshot_list_add(&list, &next, &err), err);
            if (i % 7 == 0)
                CHECK_OK(frz_snapshot_list_seal(&list, &err), err);
        }
        CHECK_OK(frz_snapshot_list_seal(&list, &err), err);
        for (size_t i = 0; i < counts[k]; i++)
            CHECK(frz_snapshot_list_find(&list, 100 + (int64_t)i) ==
                  &frz_snapshot_list_items(&list)[i]);
        CHECK(!frz_snapshot_list_find(&list, 99));
        next.snapshot_id = 100 + (int64_t)counts[k] / 2;
        CHECK_OK(frz_snapshot_list_add(&list, &next, &err), err);
        CHECK_FAILS(frz_snapshot_list_seal(&list, &err), FRZ_CORRUPT, err,
                    "two snapshots have the id");
        frz_snapshot_list_clear(&list);
    }
}

/* More forks than a list keeps stores of: what they share is gathered. */
static void many_forks_are_gathered(void **state)
{
    frz_snapshot_list list = {0};
    frz_error *err = NULL;
    frz_snapshot next = snapshot;
    (void)state;
    for (int i = 0; i < 300; i++) {
        frz_snapshot_list rival = {0};
        frz_snapshot_list_share(&list, &rival);
        next.snapshot_id = 1000 + i;
        CHECK_OK(frz_snapshot_list_add(&rival, &next, &err), err);
        CHECK_OK(frz_snapshot_list_add(&list, &next, &err), err);
        CHECK_OK(frz_snapshot_list_print(&list, 2, &err), err);
        CHECK(list.store_count <= FRZ_SNAPSHOT_STORES_MAX);
        frz_snapshot_list_clear(&rival);
    }
    for (int i = 0; i < 300; i++)
        CHECK(strcmp(frz_snapshot_list_find(&list, 1000 + i)->manifest_list, "list") == 0);
    CHECK_OK(frz_snapshot_list_seal(&list, &err), err);
    frz_snapshot_list_clear(&list);
}

/* A hundred versions, each made of the one before, which goes. */
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
        if (i == 1) { /* the first is shared, not copied */
            CHECK(version->snapshots[0].summary == now->snapshots[0].summary);
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
        cmocka_unit_test(versions_see_their_own),
        cmocka_unit_test(survives_short_memory),
        cmocka_unit_test(two_with_one_id_are_refused),
        cmocka_unit_test(many_forks_are_gathered),
        cmocka_unit_test(versions_share_snapshots_and_stand_alone),
        cmocka_unit_test(an_upgrade_prints_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
