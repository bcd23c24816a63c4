/*
 * What a version asked for, found or missed in a later one.
 */
#include "catalog/effect.h"

#include "spec/table_fixture.h"

#include "base/fail.h"
#include "spec/ddl.h"
#include "spec/update.h"

static const char *const table =
    FIXTURE_TABLE("2", "\"properties\":{\"a\":\"1\",\"b\":\"2\"},"
                       "\"snapshots\":[{\"sequence-number\":1,\"snapshot-id\":5,\"timestamp-ms\":1,"
                       "\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"l\"},"
                       "{\"sequence-number\":2,\"snapshot-id\":6,\"timestamp-ms\":2,"
                       "\"summary\":{\"operation\":\"append\"},\"manifest-list\":\"l\"}],"
                       "\"current-snapshot-id\":6,\"refs\":{"
                       "\"main\":{\"snapshot-id\":6,\"type\":\"branch\"},"
                       "\"t\":{\"snapshot-id\":5,\"type\":\"tag\"}},"
                       "\"statistics\":[{\"snapshot-id\":6}],");

typedef frz_status (*change)(frz_metadata_builder *builder, frz_error **err);

static frz_status set_property(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_set_property(builder, "a", "9", err);
}

static frz_status set_other(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_set_property(builder, "other", "9", err);
}

static frz_status remove_property(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_remove_property(builder, "b", err);
}

static frz_status upgrade(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_upgrade(builder, 3, err);
}

static frz_status move(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_set_location(builder, "file:/elsewhere", err);
}

static frz_status make_tag(frz_metadata_builder *builder, frz_error **err)
{
    frz_snapshot_ref ref = fixture_ref("new", 5);
    ref.is_tag = true;
    return frz_update_set_ref(builder, &ref, err);
}

static frz_status roll_back(frz_metadata_builder *builder, frz_error **err)
{
    const frz_snapshot_ref ref = fixture_ref("main", 5);
    return frz_update_set_ref(builder, &ref, err);
}

static frz_status drop_tag(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_remove_ref(builder, "t", err);
}

static frz_status expire(frz_metadata_builder *builder, frz_error **err)
{
    const int64_t id = 5;
    return frz_update_remove_snapshots(builder, &id, 1, err);
}

static frz_status remove_newest(frz_metadata_builder *builder, frz_error **err)
{
    const int64_t id = 6; /* with its statistics */
    return frz_update_remove_snapshots(builder, &id, 1, err);
}

static frz_status add_column(frz_metadata_builder *builder, const char *name, frz_error **err)
{
    int32_t id = 0;
    frz_schema *schema = NULL;
    char text[200];
    (void)snprintf(text, sizeof text,
                   "id long, name string, price double, when timestamp, key uuid, %s string", name);
    FRZ_TRY(frz_ddl_parse_schema(frz_slice_of_text(text), &schema, err));
    frz_status status = frz_update_add_schema(builder, schema, &id, err);
    frz_schema_unref(schema);
    return status == FRZ_OK ? frz_update_set_current_schema(builder, id, err) : status;
}

static frz_status evolve(frz_metadata_builder *builder, frz_error **err)
{
    return add_column(builder, "one", err);
}

static frz_status evolve_otherwise(frz_metadata_builder *builder, frz_error **err)
{
    return add_column(builder, "two", err);
}

static frz_status go_back(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_set_current_schema(builder, 0, err);
}

static frz_status repartition(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_set_default_spec(builder, 1, err);
}

static frz_metadata *after(const frz_metadata *base, change first, change second)
{
    frz_error *err = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *next = NULL;
    CHECK_OK(frz_metadata_builder_new(base, 0, &builder, &err), err);
    if (first)
        CHECK_OK(first(builder, &err), err);
    if (second)
        CHECK_OK(second(builder, &err), err);
    CHECK_OK(frz_metadata_builder_finish(builder, "base", 1, &next, NULL, NULL, &err), err);
    frz_metadata_builder_free(builder);
    return next;
}

/* `asked` of the table that `before` has made; another does `undo` to what it became, or instead of
 * it. */
static void expect_effect(change before, change asked, change undo, bool is_first,
                          const char *missing)
{
    frz_error *err = NULL;
    frz_effect effect = {0};
    frz_metadata *start = fixture_metadata(table);
    frz_metadata *base = after(start, before, NULL);
    frz_metadata *next = after(base, asked, NULL);
    frz_metadata *on_top = after(next, set_other, NULL);
    frz_metadata *instead = after(base, undo, set_other);
    CHECK_OK(frz_effect_look(base, next, next, &effect, &err), err);
    CHECK(effect.is_there && !*effect.missing && effect.is_first == is_first);
    CHECK_OK(frz_effect_look(base, next, on_top, &effect, &err), err);
    CHECK(effect.is_there && effect.is_first == is_first);
    CHECK_OK(frz_effect_look(base, next, instead, &effect, &err), err);
    CHECK(!effect.is_there);
    assert_string_equal(effect.missing, missing);
    frz_metadata_unref(instead);
    frz_metadata_unref(on_top);
    frz_metadata_unref(next);
    frz_metadata_unref(base);
    frz_metadata_unref(start);
}

static void each_kind_of_change_is_found_or_missed(void **state)
{
    (void)state;
    expect_effect(NULL, set_property, NULL, false, "property a");
    expect_effect(NULL, remove_property, NULL, false, "the removal of property b");
    expect_effect(NULL, upgrade, NULL, false, "format version 3");
    expect_effect(NULL, move, NULL, false, "the table's location");
    expect_effect(NULL, roll_back, NULL, false, "branch main at snapshot 5");
    expect_effect(NULL, drop_tag, NULL, false, "the removal of reference t");
    expect_effect(drop_tag, expire, NULL, false, "the removal of snapshot 5");
    expect_effect(NULL, evolve, NULL, false, "schema 1");
    expect_effect(NULL, evolve, evolve_otherwise, false, "schema 1");
    expect_effect(evolve, go_back, NULL, false, "schema 0");
    expect_effect(NULL, repartition, NULL, false, "partition spec 1");
    expect_effect(NULL, remove_newest, NULL, false, "the statistics files");
}

/* A branch or tag is made by one alone: that it is there does not say by whom. */
static void a_new_reference_is_told_apart(void **state)
{
    (void)state;
    expect_effect(NULL, make_tag, NULL, true, "tag new at snapshot 5");
}

/* What another built on the schema that was asked for does not undo it. */
static void a_later_schema_does_not_hide_an_earlier_one(void **state)
{
    frz_error *err = NULL;
    frz_effect effect = {0};
    (void)state;
    frz_metadata *base = fixture_metadata(table);
    frz_metadata *next = after(base, evolve, NULL);
    frz_metadata *now = after(next, evolve_otherwise, NULL);
    CHECK(now->current_schema_id == 2);
    CHECK_OK(frz_effect_look(base, next, now, &effect, &err), err);
    CHECK(effect.is_there);
    frz_metadata_unref(now);
    frz_metadata_unref(next);
    frz_metadata_unref(base);
}

static void look_once(void)
{
    frz_error *err = NULL;
    frz_effect effect = {0};
    frz_metadata *base = fixture_metadata(table);
    frz_metadata_builder *builder = NULL;
    frz_metadata *next = NULL;
    frz_status status = base ? frz_metadata_builder_new(base, 0, &builder, &err) : FRZ_NO_MEMORY;
    if (status == FRZ_OK)
        status = evolve(builder, &err);
    if (status == FRZ_OK)
        status = frz_metadata_builder_finish(builder, "base", 1, &next, NULL, NULL, &err);
    if (status == FRZ_OK)
        status = frz_effect_look(base, next, next, &effect, &err);
    CHECK(status == FRZ_OK ? effect.is_there : frz_mem_failed());
    frz_metadata_builder_free(builder);
    frz_metadata_unref(next);
    frz_metadata_unref(base);
    frz_error_free(err);
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(look_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_change_is_found_or_missed),
        cmocka_unit_test(a_new_reference_is_told_apart),
        cmocka_unit_test(a_later_schema_does_not_hide_an_earlier_one),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
