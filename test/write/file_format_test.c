/* Covers: write/format_properties */
#include "write/file_format.h"

#include "table_fixture.h"

#include "write/format_properties.h"

static frz_table *create_avro(fixture *self, int32_t version, const frz_option *more,
                              size_t more_count)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_option properties[4] = {{"write.format.default", "avro"}};
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    CHECK_OK(fixture_open(self, NULL, &err), err);
    for (size_t i = 0; i < more_count; i++)
        properties[i + 1] = more[i];
    options.schema = "id long, name string";
    options.format_version = version;
    options.properties = properties;
    options.property_count = more_count + 1;
    CHECK_OK(frz_catalog_create_table(self->catalog, "a.t", &options, &table, &err), err);
    return table;
}

static void close_table(fixture *self, frz_table *table)
{
    frz_table_free(table);
    fixture_close(self);
}

static void extensions_and_texts(void **state)
{
    (void)state;
    assert_string_equal(frz_file_format_extension(FRZ_FORMAT_PARQUET), ".parquet");
    assert_string_equal(frz_file_format_extension(FRZ_FORMAT_AVRO), ".avro");
    assert_string_equal(frz_file_format_text(FRZ_FORMAT_PARQUET), "PARQUET");
    assert_string_equal(frz_file_format_text(FRZ_FORMAT_AVRO), "AVRO");
}

static void rows_of_avro_tables_come_back_in_every_codec(void **state)
{
    static const char *const codecs[] = {"gzip", "zstd", "snappy", "uncompressed"};
    (void)state;
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        fixture self;
        const frz_option codec = {"write.avro.compression-codec", codecs[i]};
        frz_table *table = create_avro(&self, 2, &codec, 1);
        append_rows(table, "1:a 2:b -:c 4:-");
        check_rows(table, "-:c 1:a 2:b 4:-");
        CHECK(fixture_files(self.io, "/data/") == 1);
        CHECK(fixture_files(self.io, "00001.avro") == 1);
        close_table(&self, table);
    }
}

static void position_deletes_follow_the_format_of_data(void **state)
{
    frz_error *err = NULL;
    fixture self;
    (void)state;
    frz_table *table = create_avro(&self, 2, NULL, 0);
    append_rows(table, "1:a 2:b 3:c");
    CHECK_OK(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    check_rows(table, "1:a 3:c");
    CHECK(fixture_files(self.io, "-deletes.avro") == 1);
    CHECK(fixture_files(self.io, ".parquet") == 0);
    close_table(&self, table);
}

static void position_deletes_may_have_a_format_of_their_own(void **state)
{
    frz_error *err = NULL;
    fixture self;
    const frz_option deletes = {"write.delete.format.default", "parquet"};
    (void)state;
    frz_table *table = create_avro(&self, 2, &deletes, 1);
    append_rows(table, "1:a 2:b 3:c");
    CHECK_OK(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    check_rows(table, "1:a 3:c");
    CHECK(fixture_files(self.io, "-deletes.parquet") == 1);
    close_table(&self, table);
}

static void deletes_of_version_3_are_vectors_whatever_the_format(void **state)
{
    frz_error *err = NULL;
    fixture self;
    (void)state;
    frz_table *table = create_avro(&self, 3, NULL, 0);
    append_rows(table, "1:a 2:b 3:c");
    CHECK_OK(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    check_rows(table, "1:a 3:c");
    CHECK(fixture_files(self.io, "-deletes.puffin") == 1);
    CHECK(fixture_files(self.io, "-deletes.avro") == 0);
    close_table(&self, table);
}

/* Spec "Row lineage": rows that are carried keep both columns, changed ones their id. */
static void lineage_is_kept_in_avro(void **state)
{
    static const frz_delete_mode modes[] = {FRZ_DELETE_MODE_MERGE_ON_READ,
                                            FRZ_DELETE_MODE_COPY_ON_WRITE};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        frz_error *err = NULL;
        fixture self;
        frz_table *table = create_avro(&self, 3, NULL, 0);
        append_rows(table, "1:a 2:b 3:c");
        CHECK_OK(frz_table_update(table, "name = 'B'", "id = 2", modes[i], NULL, NULL, &err), err);
        check_selected(table, "id,name,_row_id,_last_updated_sequence_number",
                       "1:a:0:1 2:B:1:2 3:c:2:1");
        append_rows(table, "4:d");
        check_selected(table, "id,_last_updated_sequence_number", "1:1 2:2 3:1 4:3");
        CHECK(fixture_files(self.io, ".parquet") == 0);
        close_table(&self, table);
    }
}

static void files_roll_at_the_target_size(void **state)
{
    fixture self;
    const frz_option size[] = {{"write.target-file-size-bytes", "1"}};
    (void)state;
    frz_table *table = create_avro(&self, 2, size, 1);
    append_rows(table, "1:a 2:b");
    append_rows(table, "3:c");
    check_rows(table, "1:a 2:b 3:c");
    CHECK(fixture_files(self.io, "/data/") == 2);
    close_table(&self, table);
}

static void properties_choose_codec_and_level(void **state)
{
    frz_error *err = NULL;
    frz_format_properties out;
    const frz_property set[] = {{"write.format.default", "AVRO"},
                                {"write.avro.compression-codec", "ZSTD"},
                                {"write.avro.compression-level", "7"},
                                {"write.delete.avro.compression-codec", "gzip"}};
    frz_metadata metadata = {.properties = set, .property_count = 0};
    (void)state;
    CHECK_OK(frz_format_properties_read(&metadata, &out, &err), err);
    CHECK(out.data == FRZ_FORMAT_PARQUET && out.deletes == FRZ_FORMAT_PARQUET);
    CHECK(out.avro.codec == FRZ_CODEC_DEFLATE && out.avro.codec_level == 9); /* Java's gzip */
    CHECK(out.delete_avro.codec == FRZ_CODEC_DEFLATE && out.delete_avro.codec_level == 9);
    metadata.property_count = 3;
    CHECK_OK(frz_format_properties_read(&metadata, &out, &err), err);
    CHECK(out.data == FRZ_FORMAT_AVRO && out.deletes == FRZ_FORMAT_AVRO);
    CHECK(out.avro.codec == FRZ_CODEC_ZSTD && out.avro.codec_level == 7);
    CHECK(out.delete_avro.codec == FRZ_CODEC_ZSTD && out.delete_avro.codec_level == 7);
    metadata.property_count = 4;
    CHECK_OK(frz_format_properties_read(&metadata, &out, &err), err);
    CHECK(out.delete_avro.codec == FRZ_CODEC_DEFLATE && out.delete_avro.codec_level == 9);
}

static void orc_is_refused_by_name(void **state)
{
    frz_error *err = NULL;
    fixture self;
    struct ArrowArrayStream rows = {0};
    const frz_option orc = {"write.delete.format.default", "orc"};
    (void)state;
    frz_table *table = create_avro(&self, 2, &orc, 1);
    CHECK_OK(rows_of("1:a", &rows, &err), err);
    CHECK_FAILS(frz_table_append(table, &rows, NULL, NULL, &err), FRZ_UNSUPPORTED, err,
                "write.delete.format.default=orc: ORC files are not written");
    close_table(&self, table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extensions_and_texts),
        cmocka_unit_test(rows_of_avro_tables_come_back_in_every_codec),
        cmocka_unit_test(position_deletes_follow_the_format_of_data),
        cmocka_unit_test(position_deletes_may_have_a_format_of_their_own),
        cmocka_unit_test(deletes_of_version_3_are_vectors_whatever_the_format),
        cmocka_unit_test(lineage_is_kept_in_avro),
        cmocka_unit_test(files_roll_at_the_target_size),
        cmocka_unit_test(properties_choose_codec_and_level),
        cmocka_unit_test(orc_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
