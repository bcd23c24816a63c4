#include "catalog/table.h"

#include "fixture.h"

static frz_table *partitioned(fixture *self)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long not null, ts timestamptz, name string";
    options.partition = "day(ts), bucket(16, id) as shard, name";
    options.sort = "truncate(4, name) desc, id";
    CHECK_OK(frz_catalog_create_table(self->catalog, "n.t", &options, &table, &err), err);
    return table;
}

static void check_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" lacks \"%s\"", text, part);
}

static void text_is_for_people(void **state)
{
    fixture self;
    frz_error *err = NULL;
    char *text = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = partitioned(&self);
    CHECK_OK(frz_table_describe(table, false, &text, &err), err);
    check_contains(text, "table             n.t\n");
    check_contains(text, "format version    3\n");
    check_contains(text, "id long not null");
    check_contains(text,
                   "partition         day(ts) as ts_day, bucket(16, id) as shard, name as name");
    check_contains(text,
                   "sort              truncate(4, name) desc nulls last, id asc nulls first\n");
    check_contains(text, "current snapshot  none\n");
    check_contains(text, "write.parquet.compression-codec = zstd\n");
    frz_text_free(text);
    frz_table_free(table);
    fixture_close(&self);
}

static void json_is_one_object(void **state)
{
    fixture self;
    frz_error *err = NULL;
    char *text = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = partitioned(&self);
    CHECK_OK(frz_table_describe(table, true, &text, &err), err);
    CHECK(text[0] == '{' && text[strlen(text) - 1] == '}');
    check_contains(text, "\"identifier\":\"n.t\"");
    check_contains(text, "\"format_version\":3");
    check_contains(text, "\"current_snapshot\":null");
    check_contains(text,
                   "\"partition\":\"day(ts) as ts_day, bucket(16, id) as shard, name as name\"");
    check_contains(text, "\"schema\":{\"type\":\"struct\"");
    frz_text_free(text);
    frz_table_free(table);
    fixture_close(&self);
}

static fixture swept;
static frz_table *swept_table;

static void describe_without_memory(void)
{
    char *text = NULL;
    frz_status status = frz_table_describe(swept_table, false, &text, NULL);
    if (status == FRZ_OK) {
        frz_text_free(text);
        text = NULL;
        status = frz_table_describe(swept_table, true, &text, NULL);
    }
    CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
    CHECK((status == FRZ_OK) == !frz_mem_failed());
    frz_text_free(text);
}

static void survives_every_failing_allocation(void **state)
{
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&swept, NULL, &err), err);
    swept_table = partitioned(&swept);
    sweep_allocation_failures(describe_without_memory);
    frz_table_free(swept_table);
    fixture_close(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_for_people),
        cmocka_unit_test(json_is_one_object),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
