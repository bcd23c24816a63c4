/* Covers: write/properties catalog/refused_properties. */
#include "write/properties.h"

#include "harness.h"

static frz_status read_one(const char *key, const char *value, frz_arena *arena,
                           frz_write_properties *out, frz_error **err)
{
    const frz_property property = {key, value};
    const frz_metadata metadata = {.properties = &property, .property_count = key ? 1 : 0};
    return frz_write_properties_read(&metadata, arena, out, err);
}

static void nothing_set_is_javas_default(void **state)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_write_properties properties;
    frz_commit_properties commit;
    const frz_metadata metadata = {0};
    (void)state;
    CHECK_OK(read_one(NULL, NULL, &arena, &properties, &err), err);
    CHECK(properties.target_file_size == 536870912);
    CHECK(properties.delete_target_file_size == 67108864);
    CHECK(properties.parquet.codec == FRZ_CODEC_ZSTD);
    CHECK(properties.parquet.codec_level == FRZ_CODEC_LEVEL_DEFAULT);
    CHECK(!properties.parquet.data_page_v2);
    CHECK_OK(frz_commit_properties_read(&metadata, &commit, &err), err);
    CHECK(commit.retries == 4 && commit.min_wait_ms == 100 && commit.max_wait_ms == 60000);
    CHECK(commit.total_timeout_ms == 1800000);
    CHECK(commit.merge_manifests && commit.manifest_min_count == 100);
    CHECK(commit.manifest_target_size == 8388608);
    frz_arena_clear(&arena);
}

static void parquet_properties_reach_the_writer(void **state)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_write_properties out;
    const frz_property properties[] = {
        {"write.parquet.compression-codec", "GZIP"},
        {"write.parquet.compression-level", "9"},
        {"write.parquet.row-group-size-bytes", "1000"},
        {"write.parquet.row-group-limit", "10"},
        {"write.parquet.page-size-bytes", "2000"},
        {"write.parquet.page-row-limit", "30"},
        {"write.parquet.dict-size-bytes", "4000"},
        {"write.parquet.page-version", "v2"},
        {"write.parquet.dict-encoding-enabled.column.a.b", "false"},
        {"write.parquet.stats-enabled.column.a.b", "false"},
        {"write.parquet.stats-enabled.column.c", "true"},
        {"write.parquet.bloom-filter-enabled.column.c", "true"},
        {"write.parquet.bloom-filter-fpp.column.c", "0.05"},
        {"write.parquet.bloom-filter-ndv.column.c", "1000"},
        {"write.parquet.bloom-filter-max-bytes", "65536"},
        {"write.parquet.bloom-filter-adaptive-enabled", "true"},
        {"write.parquet.row-group-check-min-record-count", "7"},
        {"write.delete.parquet.row-group-check-min-record-count", "9"},
        {"write.parquet.row-group-check-max-record-count", "70"},
        {"write.parquet.row-group-size-track-uncompressed", "true"},
        {"write.delete.granularity", "PARTITION"},
        {"write.delete.parquet.compression-codec", "snappy"},
        {"write.target-file-size-bytes", "5000"},
    };
    const frz_metadata metadata = {.properties = properties,
                                   .property_count = sizeof properties / sizeof *properties};
    (void)state;
    CHECK_OK(frz_write_properties_read(&metadata, &arena, &out, &err), err);
    CHECK(out.parquet.codec == FRZ_CODEC_GZIP && out.parquet.codec_level == 9);
    CHECK(out.parquet.row_group_size == 1000 && out.parquet.row_group_rows == 10);
    CHECK(out.parquet.page_size == 2000 && out.parquet.page_rows == 30);
    CHECK(out.parquet.dictionary_size == 4000 && out.parquet.data_page_v2);
    CHECK(out.parquet.column_count == 2);
    assert_string_equal(out.parquet.columns[0].path, "a.b");
    CHECK(out.parquet.columns[0].dictionary_off && out.parquet.columns[0].statistics_off);
    CHECK(!out.parquet.columns[0].bloom);
    CHECK(!out.parquet.columns[1].statistics_off && out.parquet.columns[1].bloom);
    CHECK(out.parquet.columns[1].bloom_fpp == 0.05 && out.parquet.columns[1].bloom_ndv == 1000);
    CHECK(out.parquet.bloom_size_max == 65536 && out.delete_parquet.column_count == 0);
    CHECK(out.parquet.check_rows_min == 7 && out.parquet.check_rows_max == 70);
    CHECK(out.delete_parquet.check_rows_min == 9 && out.delete_parquet.check_rows_max == 70);
    CHECK(out.parquet.row_group_size_raw && out.deletes_by_partition);
    CHECK(out.delete_parquet.codec == FRZ_CODEC_SNAPPY);
    CHECK(out.delete_parquet.row_group_size == 1000); /* falls back to the data files' */
    CHECK(out.target_file_size == 5000);
    frz_arena_clear(&arena);
}

static void bad_values_are_named(void **state)
{
    static const struct {
        const char *key;
        const char *value;
        frz_status status;
        const char *message;
    } cases[] = {
        {"write.parquet.compression-codec", "rar", FRZ_INVALID, "got \"rar\""},
        {"write.parquet.compression-level", "high", FRZ_INVALID, "got \"high\""},
        {"write.parquet.page-size-bytes", "0", FRZ_INVALID, "page-size-bytes"},
        {"write.parquet.page-row-limit", "9999999999", FRZ_INVALID, "page-row-limit"},
        {"write.parquet.page-version", "v3", FRZ_INVALID, "got \"v3\""},
        {"write.parquet.stats-enabled.column.x", "maybe", FRZ_INVALID, "got \"maybe\""},
        {"write.parquet.bloom-filter-enabled.column.x", "yes", FRZ_INVALID, "got \"yes\""},
        {"write.parquet.bloom-filter-fpp.column.x", "1.0", FRZ_INVALID, "between 0 and 1"},
        {"write.parquet.bloom-filter-fpp.column.x", "nan", FRZ_INVALID, "between 0 and 1"},
        {"write.parquet.bloom-filter-ndv.column.x", "0", FRZ_INVALID, "a positive number"},
        {"write.parquet.bloom-filter-max-bytes", "-5", FRZ_INVALID, "bloom-filter-max-bytes"},
        {"write.parquet.bloom-filter-adaptive-enabled", "2", FRZ_INVALID, "adaptive-enabled"},
        {"write.parquet.row-group-check-min-record-count", "0", FRZ_INVALID, "check-min"},
        {"write.parquet.row-group-size-track-uncompressed", "x", FRZ_INVALID, "uncompressed"},
        {"write.delete.granularity", "row", FRZ_INVALID, "got \"row\""},
        {"encryption.key-id", "k1", FRZ_UNSUPPORTED, "encrypted files are not written"},
        {"write.object-storage.path", "s3://b/o", FRZ_INVALID, "set write.data.path instead"},
        {"write.folder-storage.path", "s3://b/o", FRZ_INVALID, "set write.data.path instead"},
        {"write.target-file-size-bytes", "-1", FRZ_INVALID, "positive size"},
        {"write.format.default", "ORC", FRZ_UNSUPPORTED,
         "write.format.default=ORC: ORC files are not"},
        {"write.format.default", "csv", FRZ_INVALID, "expected parquet or avro, got \"csv\""},
        {"write.avro.compression-codec", "brotli", FRZ_INVALID, "got \"brotli\""},
        {"write.avro.compression-level", "10", FRZ_INVALID, "from -1 to 9, got \"10\""},
        {"write.delete.avro.compression-codec", "x", FRZ_INVALID, "write.delete.avro"},
        {"write.delete.format.default", "orc", FRZ_UNSUPPORTED, "orc"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        frz_error *err = NULL;
        frz_arena arena = {0};
        frz_write_properties out;
        CHECK_FAILS(read_one(cases[i].key, cases[i].value, &arena, &out, &err), cases[i].status,
                    err, cases[i].message);
        frz_arena_clear(&arena);
    }
    frz_error *err = NULL;
    frz_commit_properties commit;
    const frz_property negative = {"commit.retry.num-retries", "-1"};
    const frz_metadata metadata = {.properties = &negative, .property_count = 1};
    CHECK_FAILS(frz_commit_properties_read(&metadata, &commit, &err), FRZ_INVALID, err,
                "commit.retry.num-retries");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_set_is_javas_default),
        cmocka_unit_test(parquet_properties_reach_the_writer),
        cmocka_unit_test(bad_values_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
