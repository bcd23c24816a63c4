/*
 * The versions of a transaction: named apart, in memory, moved on only from where they stand.
 */
#include "catalog/stage.h"

#include "fixture.h"

static void a_stage_moves_on_from_where_it_stands(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_stage stage = {0};
    char *first = NULL;
    char *second = NULL;
    char *loaded = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = fixture_create(&self, "n.t", "id long");
    frz_table *other = fixture_create(&self, "n.u", "id long");
    const char *base = table->metadata_location;
    CHECK_OK(frz_stage_reset(&stage, base, table->metadata, &err), err);
    CHECK(stage.metadata == table->metadata && stage.base == table->metadata);
    assert_string_equal(stage.location, base);
    CHECK_OK(frz_stage_advance(&stage, base, other->metadata, &first, &err), err);
    CHECK(stage.metadata == other->metadata && stage.base == table->metadata);
    assert_string_equal(stage.base_location, base);
    CHECK(strcmp(first, base) != 0);
    CHECK_FAILS(frz_stage_advance(&stage, base, table->metadata, &second, &err), FRZ_CONFLICT, err,
                "the transaction stands at");
    CHECK(!second && stage.metadata == other->metadata);
    CHECK_OK(frz_stage_load(&stage.backend, "n.t", &loaded, &err), err);
    assert_string_equal(loaded, first);
    frz_text_free(loaded);
    /* Names do not come again with another base. */
    CHECK_OK(frz_stage_reset(&stage, base, table->metadata, &err), err);
    CHECK_OK(frz_stage_advance(&stage, base, other->metadata, &second, &err), err);
    CHECK(strcmp(first, second) != 0);
    CHECK_OK(frz_stage_end(&stage, "mem://wh/end", table->metadata, &err), err);
    CHECK(stage.ended && stage.metadata == table->metadata);
    assert_string_equal(stage.location, "mem://wh/end");
    frz_stage_clear(&stage);
    frz_free(first);
    frz_free(second);
    frz_table_free(table);
    frz_table_free(other);
    fixture_close(&self);
}

static void short_memory_leaves_it_where_it_stands(void **state)
{
    frz_error *err = NULL;
    fixture self;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = fixture_create(&self, "n.t", "id long");
    for (int64_t i = 0;; i++) {
        frz_stage stage = {0};
        char *location = NULL;
        CHECK_OK(frz_stage_reset(&stage, "a", table->metadata, &err), err);
        frz_mem_fail_after(i);
        const frz_status status = frz_stage_advance(&stage, "a", table->metadata, &location, NULL);
        const bool failed = frz_mem_failed();
        frz_mem_fail_after(-1);
        CHECK(status == (failed ? FRZ_NO_MEMORY : FRZ_OK));
        CHECK(!failed || strcmp(stage.location, "a") == 0);
        frz_free(location);
        frz_stage_clear(&stage);
        if (!failed)
            break;
    }
    frz_table_free(table);
    fixture_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stage_moves_on_from_where_it_stands),
        cmocka_unit_test(short_memory_leaves_it_where_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
