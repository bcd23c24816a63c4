#include "catalog/catalog.h"

#include "fixture.h"

static void a_table_is_made_as_version_3_with_its_namespaces(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_names names = {0};
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = fixture_create(&self, "a.b.t", "id long not null, name string");
    CHECK(frz_table_format_version(table) == 3);
    assert_string_equal(frz_table_location(table), "mem://wh/a/b/t");
    assert_string_equal(frz_table_identifier(table), "a.b.t");
    assert_string_equal(frz_table_property(table, "write.parquet.compression-codec"), "zstd");
    CHECK(strncmp(frz_table_metadata_location(table), "mem://wh/a/b/t/metadata/00000-", 30) == 0);
    CHECK(frz_table_uuid(table) != NULL);
    CHECK(table->metadata->last_column_id == 2);
    CHECK(table->metadata->next_row_id == 0);
    CHECK_OK(frz_catalog_list_namespaces(self.catalog, "a", &names, &err), err);
    CHECK(names.count == 1);
    frz_names_free(&names);
    frz_table_free(table);
    fixture_close(&self);
}

static void options_shape_the_table(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_table *table = NULL;
    const frz_option space[] = {{"location", "s3://b/space/"}};
    const frz_option properties[] = {{"k", "v"}, {"write.parquet.compression-codec", "snappy"}};
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    CHECK_OK(frz_catalog_create_namespace(self.catalog, "n", space, 1, &err), err);
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long not null, ts timestamptz, t struct<a: int, b: int>";
    options.partition = "day(ts), bucket(16, id) as shard";
    options.sort = "id desc";
    options.format_version = 2;
    options.properties = properties;
    options.property_count = 2;
    CHECK_OK(frz_catalog_create_table(self.catalog, "n.t", &options, &table, &err), err);
    const frz_metadata *metadata = table->metadata;
    assert_string_equal(metadata->location, "s3://b/space/t");
    CHECK(metadata->format_version == 2);
    CHECK(metadata->last_column_id == 5); /* D004: nested ids count */
    CHECK(frz_metadata_spec(metadata)->field_count == 2);
    assert_string_equal(frz_metadata_spec(metadata)->fields[0].name, "ts_day");
    assert_string_equal(frz_metadata_spec(metadata)->fields[1].name, "shard");
    CHECK(metadata->default_sort_order_id == 1);
    assert_string_equal(frz_table_property(table, "k"), "v");
    assert_string_equal(frz_table_property(table, "write.parquet.compression-codec"), "snappy");
    frz_table_free(table);

    options.location = "s3://elsewhere/x//";
    CHECK_OK(frz_catalog_create_table(self.catalog, "n.u", &options, &table, &err), err);
    assert_string_equal(frz_table_location(table), "s3://elsewhere/x");
    frz_table_free(table);
    fixture_close(&self);
}

static void what_cannot_be_made_leaves_nothing(void **state)
{
    fixture self;
    frz_error *err = NULL;
    const frz_option reserved[] = {{"uuid", "x"}};
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table_free(fixture_create(&self, "n.t", "id long"));
    const int files = fixture_files(self.io, "");
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    CHECK_FAILS(frz_catalog_create_table(self.catalog, "n.u", &options, NULL, &err), FRZ_INVALID,
                err, "give one");
    options.schema = "id long";
    CHECK_FAILS(frz_catalog_create_table(self.catalog, "n.t", &options, NULL, &err),
                FRZ_ALREADY_EXISTS, err, "n.t");
    CHECK_FAILS(frz_catalog_create_table(self.catalog, "t", &options, NULL, &err), FRZ_INVALID, err,
                "NAMESPACE.TABLE");
    options.schema = "id lung";
    CHECK_FAILS(frz_catalog_create_table(self.catalog, "n.u", &options, NULL, &err), FRZ_INVALID,
                err, "lung");
    options.schema = "id long, _Row_ID long";
    CHECK_FAILS(frz_catalog_create_table(self.catalog, "n.u", &options, NULL, &err), FRZ_INVALID,
                err, "_Row_ID is the name of a metadata column");
    options.schema = "id long";
    options.partition = "day(nothing)";
    CHECK_FAILS(frz_catalog_create_table(self.catalog, "n.u", &options, NULL, &err), FRZ_INVALID,
                err, "nothing");
    options.partition = NULL;
    options.format_version = 4;
    CHECK_FAILS(frz_catalog_create_table(self.catalog, "n.u", &options, NULL, &err), FRZ_INVALID,
                err, "format version 4");
    options.format_version = 0;
    options.properties = reserved;
    options.property_count = 1;
    CHECK_FAILS(frz_catalog_create_table(self.catalog, "n.u", &options, NULL, &err), FRZ_INVALID,
                err, "uuid is reserved");
    CHECK(fixture_files(self.io, "") == files);
    fixture_close(&self);
}

static void create_without_memory(void)
{
    fixture self = {0};
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long not null, t struct<a: int>";
    options.partition = "bucket(4, id)";
    frz_status status = fixture_open(&self, NULL, NULL);
    if (status == FRZ_OK)
        status = frz_catalog_create_table(self.catalog, "n.t", &options, &table, NULL);
    CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
    CHECK(status == FRZ_OK || frz_mem_failed());
    frz_table_free(table);
    fixture_close(&self);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    sweep_allocation_failures(create_without_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_made_as_version_3_with_its_namespaces),
        cmocka_unit_test(options_shape_the_table),
        cmocka_unit_test(what_cannot_be_made_leaves_nothing),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
