#include "write/location.h"

#include "metadata_fixture.h"

static void check_location(const metadata_text *text, const frz_value *values, const char *want)
{
    frz_error *err = NULL;
    frz_buffer location = {0};
    frz_metadata *metadata = metadata_of(text);
    CHECK_OK(frz_data_location(metadata, metadata->default_spec_id, values, "f.parquet", &location,
                               &err),
             err);
    assert_string_equal((const char *)location.data, want);
    frz_buffer_clear(&location);
    frz_metadata_unref(metadata);
}

static frz_value text_value(const char *text)
{
    return (frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text(text)};
}

static void files_lie_in_the_folder_of_their_partition(void **state)
{
    const frz_value values[] = {text_value("a/b c"), {.form = FRZ_VALUE_NULL}};
    const frz_property path[] = {{"write.data.path", "s3://other/d/"}};
    metadata_text text = {.schema = "n string, i int", .partition = "n, i"};
    (void)state;
    check_location(&text, values, "s3://b/db/t/data/n=a%2Fb+c/i=null/f.parquet");
    check_location(&text, NULL, "s3://b/db/t/data/f.parquet");
    text.properties = path;
    text.property_count = 1;
    check_location(&text, values, "s3://other/d/n=a%2Fb+c/i=null/f.parquet");
    text.partition = NULL;
    check_location(&text, values, "s3://other/d/f.parquet");
}

/* The hash of the name comes first, so that objects spread (Java's ObjectStoreLocationProvider;
 * hashes by its murmur3). */
static void object_storage_spreads_files(void **state)
{
    const frz_value values[] = {text_value("x")};
    frz_property properties[] = {{"write.object-storage.enabled", "true"},
                                 {"write.object-storage.partitioned-paths", "false"},
                                 {"write.data.path", "s3://other/d"}};
    frz_error *err = NULL;
    frz_buffer location = {0};
    metadata_text text = {
        .schema = "n string", .partition = "n", .properties = properties, .property_count = 1};
    (void)state;
    frz_metadata *metadata = metadata_of(&text);
    CHECK_OK(frz_data_location(metadata, 0, values, "a", &location, &err), err);
    const char *path = (const char *)location.data;
    /* s3://b/db/t/data/dddd/dddd/dddd/dddddddd/n=x/a */
    CHECK(strncmp(path, "s3://b/db/t/data/", 17) == 0);
    CHECK(strspn(path + 17, "01/") == 24 && path[21] == '/' && path[26] == '/' && path[31] == '/');
    assert_string_equal(path + 40, "/n=x/a");
    frz_metadata_unref(metadata);
    frz_buffer_reset(&location);

    text.property_count = 2;
    text.partition = NULL;
    metadata = metadata_of(&text);
    CHECK_OK(frz_data_location(metadata, 0, NULL, "a", &location, &err), err);
    /* murmur3_32("a") is 1009084850, whose last 20 bits are 01010110100110110010 */
    assert_string_equal((const char *)location.data, "s3://b/db/t/data/0101/0110/1001/10110010-a");
    frz_metadata_unref(metadata);
    frz_buffer_reset(&location);

    text.property_count = 3;
    metadata = metadata_of(&text);
    CHECK_OK(frz_data_location(metadata, 0, NULL, "a", &location, &err), err);
    assert_string_equal((const char *)location.data, "s3://other/d/0101/0110/1001/10110010/db/t/a");
    frz_metadata_unref(metadata);
    frz_buffer_clear(&location);
}

static void replaced_properties_are_refused(void **state)
{
    const frz_property properties[] = {{"write.folder-storage.path", "x"}};
    const metadata_text text = {
        .schema = "n string", .properties = properties, .property_count = 1};
    frz_error *err = NULL;
    frz_buffer location = {0};
    frz_metadata *metadata = metadata_of(&text);
    (void)state;
    CHECK_FAILS(frz_data_location(metadata, 0, NULL, "a", &location, &err), FRZ_INVALID, err,
                "write.data.path instead");
    frz_metadata_unref(metadata);
    frz_buffer_clear(&location);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_lie_in_the_folder_of_their_partition),
        cmocka_unit_test(object_storage_spreads_files),
        cmocka_unit_test(replaced_properties_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
