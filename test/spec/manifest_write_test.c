#include "spec/table_fixture.h"

#include <math.h>

#include "avro/reader.h"

static frz_value text_value(const char *text)
{
    return (frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text(text)};
}

/* The tuple of spec 1: name, price, the day, key. */
static void fill_tuple(frz_value out[4], const char *name, double price, int64_t day)
{
    static const uint8_t key[16] = {9, 8, 7};
    out[0] = name ? text_value(name) : (frz_value){.form = FRZ_VALUE_NULL};
    out[1] = (frz_value){.form = FRZ_VALUE_NUMBER, .number = price};
    out[2] = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = day};
    out[3] = (frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of(key, sizeof key)};
}

static void describes_the_manifest_for_the_list(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_io *io = fixture_io();
    frz_metadata *m = fixture_metadata(FIXTURE_V3);
    frz_manifest_file file = {0};
    frz_value tuples[3][4];
    fill_tuple(tuples[0], "b", 2.0, 10);
    fill_tuple(tuples[1], NULL, NAN, 12);
    fill_tuple(tuples[2], "a", 1.0, 11);
    frz_manifest_entry entries[] = {fixture_entry("f0", 10), fixture_entry("f1", 20),
                                    fixture_entry("f2", 40)};
    for (int i = 0; i < 3; i++) {
        entries[i].file.partition = tuples[i];
        entries[i].file.partition_count = 4;
    }
    entries[1].status = FRZ_ENTRY_EXISTING;
    entries[1].snapshot_id = 5;
    entries[1].sequence_number = 6;
    entries[1].file_sequence_number = 6;
    entries[2].status = FRZ_ENTRY_DELETED;
    entries[2].sequence_number = 2;
    entries[2].file_sequence_number = 2;
    fixture_manifest(io, "file:/t/m0.avro", m, 1, 0, entries, 3, &arena, &file);
    uint64_t size = 0;
    CHECK(frz_io_stat(io, "file:/t/m0.avro", &size, NULL) == FRZ_OK &&
          file.length == (int64_t)size);
    CHECK(strcmp(file.path, "file:/t/m0.avro") == 0 && file.spec_id == 1 && file.content == 0);
    CHECK(file.sequence_number == -1 && file.first_row_id == -1 && file.added_snapshot_id == 77);
    CHECK(file.min_sequence_number == 6); /* of live files: the deleted one does not count */
    CHECK(file.added_files == 1 && file.existing_files == 1 && file.deleted_files == 1); /* D161 */
    CHECK(file.added_rows == 10 && file.existing_rows == 20 && file.deleted_rows == 40);
    CHECK(file.partition_count == 4 && file.partitions[0].contains_null);
    CHECK(frz_slice_is_text(file.partitions[0].lower, "a") &&
          frz_slice_is_text(file.partitions[0].upper, "b"));
    CHECK(file.partitions[1].contains_nan == 1 && file.partitions[2].contains_nan == 0);
    CHECK(file.partitions[2].lower.size == 4 && file.partitions[2].lower.data[0] == 10);
    frz_metadata_unref(m);
    frz_arena_clear(&arena);
    frz_io_free(io);
}

/* D055: V1's data has sequence number 0, which is a number. */
static void d055_the_lowest_sequence_number_may_be_zero(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_io *io = fixture_io();
    frz_metadata *m = fixture_metadata(FIXTURE_V2);
    frz_manifest_file file = {0};
    frz_manifest_entry entry = fixture_entry("f", 1);
    fixture_manifest(io, "file:/a", m, 0, 0, &entry, 1, &arena, &file);
    CHECK(file.min_sequence_number == -1);
    entry.status = FRZ_ENTRY_EXISTING;
    entry.snapshot_id = 5;
    entry.sequence_number = 0;
    fixture_manifest(io, "file:/b", m, 0, 0, &entry, 1, &arena, &file);
    CHECK(file.min_sequence_number == 0);
    frz_metadata_unref(m);
    frz_arena_clear(&arena);
    frz_io_free(io);
}

static frz_avro_reader *open_avro(frz_io *io, const char *path, frz_input **input)
{
    frz_avro_reader *reader = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_io_open(io, path, FRZ_IO_SIZE_UNKNOWN, input, &err), err);
    CHECK_OK(frz_avro_reader_open(*input, &frz_limits_default, &reader, &err), err);
    return reader;
}

static void expect_header(const frz_avro_reader *reader, const char *key, const char *expected)
{
    frz_slice value = {0};
    CHECK(frz_avro_reader_metadata(reader, key, &value) == (expected != NULL));
    if (expected && !frz_slice_is_text(value, expected))
        fail_msg("%s is %.*s", key, (int)value.size, (const char *)value.data);
}

static void d142_the_header_has_table_schema_and_spec(void **state) /* D142 */
{
    (void)state;
    static const char *const tables[] = {FIXTURE_V1, FIXTURE_V2, FIXTURE_V3};
    static const char *const versions[] = {"1", "2", "3"};
    for (int i = 0; i < 3; i++) {
        frz_arena arena = {0};
        frz_io *io = fixture_io();
        frz_input *input = NULL;
        frz_manifest_file file = {0};
        frz_metadata *m = fixture_metadata(tables[i]);
        frz_value tuple[4];
        frz_manifest_entry entry = fixture_entry("f", 1);
        fill_tuple(tuple, "b", 2.0, 10);
        entry.file.partition = tuple;
        entry.file.partition_count = 4;
        fixture_manifest(io, "file:/m", m, 1, 0, &entry, 1, &arena, &file);
        frz_avro_reader *reader = open_avro(io, "file:/m", &input);
        expect_header(reader, "schema", FIXTURE_SCHEMA("0"));
        expect_header(reader, "schema-id", "0");
        expect_header(
            reader, "partition-spec",
            "[{\"name\":\"name\",\"transform\":\"identity\",\"source-id\":2,\"field-id\":1000},"
            "{\"name\":\"price\",\"transform\":\"identity\",\"source-id\":3,\"field-id\":1001},"
            "{\"name\":\"the day\",\"transform\":\"day\",\"source-id\":4,\"field-id\":1002},"
            "{\"name\":\"key\",\"transform\":\"identity\",\"source-id\":5,\"field-id\":1003}]");
        expect_header(reader, "partition-spec-id", "1");
        expect_header(reader, "format-version", versions[i]);
        expect_header(reader, "content", i == 0 ? NULL : "data");
        expect_header(reader, "avro.codec", "deflate");
        frz_avro_reader_close(reader);
        frz_input_close(input);
        frz_metadata_unref(m);
        frz_arena_clear(&arena);
        frz_io_free(io);
    }
}

static void d119_the_codec_follows_the_table_s_properties(void **state) /* D119 */
{
    (void)state;
    static const struct {
        const char *table;
        const char *codec;
    } cases[] = {
        {FIXTURE_TABLE("2", "\"properties\":{\"write.manifest.compression-codec\":\"gzip\","
                            "\"write.manifest.compression-level\":\"9\"},"),
         "deflate"},
        {FIXTURE_TABLE("2", "\"properties\":{\"write.manifest.compression-codec\":\"zstd\"},"),
         "zstandard"},
        {FIXTURE_TABLE("2", "\"properties\":{\"write.manifest.compression-codec\":\"snappy\"},"),
         "snappy"},
        {FIXTURE_TABLE("2",
                       "\"properties\":{\"write.manifest.compression-codec\":\"uncompressed\"},"),
         "null"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_io *io = fixture_io();
        frz_input *input = NULL;
        frz_manifest_file file = {0};
        frz_manifest *manifest = NULL;
        frz_metadata *m = fixture_metadata(cases[i].table);
        const frz_manifest_entry entry = fixture_entry("f", 1);
        fixture_manifest(io, "file:/m", m, 0, 0, &entry, 1, &arena, &file);
        frz_avro_reader *reader = open_avro(io, "file:/m", &input);
        expect_header(reader, "avro.codec", cases[i].codec);
        frz_avro_reader_close(reader);
        frz_input_close(input);
        file.sequence_number = 3;
        CHECK_OK(frz_manifest_read(io, &file, m, NULL, NULL, &manifest, &err), err);
        CHECK(frz_manifest_count(manifest) == 1);
        frz_manifest_unref(manifest);
        frz_metadata_unref(m);
        frz_arena_clear(&arena);
        frz_io_free(io);
    }
}

static void expect_refused(const char *table, int32_t spec_id, int32_t content, const char *message)
{
    frz_error *err = NULL;
    frz_io *io = fixture_io();
    frz_manifest_writer *writer = NULL;
    frz_metadata *m = fixture_metadata(table);
    uint64_t size = 0;
    CHECK_FAILS(frz_manifest_writer_open(io, "file:/m", m, spec_id, content, 1, &writer, &err),
                FRZ_INVALID, err, message);
    CHECK(frz_io_stat(io, "file:/m", &size, NULL) == FRZ_NOT_FOUND);
    frz_metadata_unref(m);
    frz_io_free(io);
}

static void what_cannot_be_written_is_named(void **state)
{
    (void)state;
    expect_refused(FIXTURE_V2, 7, 0, "partition spec 7 is none of the table's specs");
    expect_refused(FIXTURE_V1, 0, 1, "format version 1 has none");
    expect_refused(
        FIXTURE_TABLE("2", "\"properties\":{\"write.manifest.compression-codec\":\"rar\"},"), 0, 0,
        "expected gzip, zstd, snappy or uncompressed, got \"rar\"");
    expect_refused(
        FIXTURE_TABLE("2", "\"properties\":{\"write.manifest.compression-level\":\"low\"},"), 0, 0,
        "expected a number, got \"low\"");
}

static void an_unfinished_manifest_leaves_nothing_behind(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = fixture_io();
    frz_manifest_writer *writer = NULL;
    frz_metadata *m = fixture_metadata(FIXTURE_V2);
    uint64_t size = 0;
    const frz_manifest_entry good = fixture_entry("f", 1);
    const frz_manifest_entry bad = fixture_entry("f", -1);
    CHECK_OK(frz_manifest_writer_open(io, "file:/m", m, 0, 0, 1, &writer, &err), err);
    CHECK_OK(frz_manifest_writer_add(writer, &good, &err), err);
    CHECK_FAILS(frz_manifest_writer_add(writer, &bad, &err), FRZ_INVALID, err, "negative");
    frz_manifest_writer_free(writer);
    frz_manifest_writer_free(NULL);
    CHECK(frz_io_stat(io, "file:/m", &size, NULL) == FRZ_NOT_FOUND);
    frz_metadata_unref(m);
    frz_io_free(io);
}

static void its_size_grows_as_blocks_are_written(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_io *io = fixture_io();
    frz_manifest_writer *writer = NULL;
    frz_manifest_file file = {0};
    frz_metadata *m = fixture_metadata(FIXTURE_V2);
    char path[64];
    CHECK_OK(frz_manifest_writer_open(io, "file:/m", m, 0, 0, 1, &writer, &err), err);
    const uint64_t start = frz_manifest_writer_size(writer);
    for (int i = 0; i < 5000; i++) {
        (void)snprintf(path, sizeof path, "file:/t/data/%d.parquet", i * 7919);
        const frz_manifest_entry entry = fixture_entry(path, i);
        CHECK_OK(frz_manifest_writer_add(writer, &entry, &err), err);
    }
    CHECK(frz_manifest_writer_size(writer) > start + 1000);
    CHECK_OK(frz_manifest_writer_finish(writer, &arena, &file, &err), err);
    CHECK(file.length == (int64_t)frz_manifest_writer_size(writer) && file.added_files == 5000);
    frz_manifest_writer_free(writer);
    frz_metadata_unref(m);
    frz_arena_clear(&arena);
    frz_io_free(io);
}

static frz_io *swept_io;
static frz_metadata *swept_metadata;

static void write_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_manifest_writer *writer = NULL;
    frz_manifest_file file = {0};
    uint64_t size = 0;
    frz_value tuple[4];
    frz_manifest_entry entry = fixture_entry("f", 1);
    fill_tuple(tuple, "b", 2.0, 10);
    entry.file.partition = tuple;
    entry.file.partition_count = 4;
    frz_status status =
        frz_manifest_writer_open(swept_io, "file:/swept", swept_metadata, 1, 0, 5, &writer, &err);
    if (status == FRZ_OK)
        status = frz_manifest_writer_add(writer, &entry, &err);
    if (status == FRZ_OK)
        status = frz_manifest_writer_finish(writer, &arena, &file, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_manifest_writer_free(writer);
    CHECK((frz_io_stat(swept_io, "file:/swept", &size, NULL) == FRZ_OK) == (status == FRZ_OK));
    if (status == FRZ_OK)
        CHECK(frz_io_remove(swept_io, "file:/swept", NULL) == FRZ_OK);
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void survives_short_memory(void **state)
{
    (void)state;
    swept_io = fixture_io();
    swept_metadata = fixture_metadata(FIXTURE_V3);
    sweep_allocation_failures(write_once);
    frz_metadata_unref(swept_metadata);
    frz_io_free(swept_io);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_the_manifest_for_the_list),
        cmocka_unit_test(d055_the_lowest_sequence_number_may_be_zero),
        cmocka_unit_test(d142_the_header_has_table_schema_and_spec),
        cmocka_unit_test(d119_the_codec_follows_the_table_s_properties),
        cmocka_unit_test(what_cannot_be_written_is_named),
        cmocka_unit_test(an_unfinished_manifest_leaves_nothing_behind),
        cmocka_unit_test(its_size_grows_as_blocks_are_written),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
