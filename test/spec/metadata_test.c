#include "spec/table_fixture.h"

#include "base/codec.h"

static const char *const text = FIXTURE_TABLE(
    "2",
    "\"properties\":{\"a\":\"1\",\"b\":\"2\"},"
    "\"snapshots\":[{\"snapshot-id\":5,\"timestamp-ms\":100,\"sequence-number\":1,\"schema-id\":0,"
    "\"manifest-list\":\"l\"},{\"snapshot-id\":6,\"timestamp-ms\":200,\"sequence-number\":2,"
    "\"schema-id\":44,\"manifest-list\":\"l\"},{\"snapshot-id\":7,\"timestamp-ms\":300,"
    "\"sequence-number\":3,\"manifest-list\":\"l\"}],\"current-snapshot-id\":7,"
    "\"refs\":{\"main\":{\"snapshot-id\":7,\"type\":\"branch\"},"
    "\"old\":{\"snapshot-id\":5,\"type\":\"tag\"}},"
    "\"snapshot-log\":[{\"timestamp-ms\":100,\"snapshot-id\":5},{\"timestamp-ms\":200,\"snapshot-"
    "id\":99},"
    "{\"timestamp-ms\":300,\"snapshot-id\":6},{\"timestamp-ms\":400,\"snapshot-id\":7}],");

static void looks_up_by_id_and_name(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(text);
    CHECK(frz_metadata_find_schema(m, 0) == frz_metadata_schema(m));
    CHECK(frz_metadata_find_schema(m, 3) == NULL);
    CHECK(frz_metadata_find_spec(m, 1)->field_count == 4 && frz_metadata_find_spec(m, 2) == NULL);
    CHECK(frz_metadata_spec(m)->spec_id == 0);
    CHECK(frz_metadata_find_sort_order(m, 0) != NULL && frz_metadata_find_sort_order(m, 1) == NULL);
    CHECK(frz_metadata_find_snapshot(m, 6)->timestamp_ms == 200);
    CHECK(frz_metadata_find_snapshot(m, 8) == NULL);
    CHECK(frz_metadata_current_snapshot(m)->snapshot_id == 7);
    CHECK(frz_metadata_find_ref(m, "old")->is_tag && frz_metadata_find_ref(m, "new") == NULL);
    CHECK(strcmp(frz_metadata_property(m, "b"), "2") == 0 && frz_metadata_property(m, "c") == NULL);
    frz_metadata_unref(m);
}

/* Appendix F, "Point in Time Reads": by the log, not by the snapshots' times. */
static void time_travel_goes_by_the_log(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(text);
    CHECK(frz_metadata_snapshot_as_of(m, 99) == NULL);
    CHECK(frz_metadata_snapshot_as_of(m, 100)->snapshot_id == 5);
    CHECK(frz_metadata_snapshot_as_of(m, 250) == NULL); /* what was current then has expired */
    CHECK(frz_metadata_snapshot_as_of(m, 399)->snapshot_id == 6);
    CHECK(frz_metadata_snapshot_as_of(m, INT64_MAX)->snapshot_id == 7);
    frz_metadata_unref(m);
}

static void d090_a_snapshot_reads_with_its_own_schema(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(FIXTURE_TABLE("1", "\"schema\":" FIXTURE_SCHEMA("0") ","));
    frz_snapshot snapshot = {.schema_id = 0};
    CHECK(frz_metadata_snapshot_schema(m, &snapshot) == frz_metadata_find_schema(m, 0));
    snapshot.schema_id = 44;
    CHECK(frz_metadata_snapshot_schema(m, &snapshot) == frz_metadata_schema(m));
    snapshot.schema_id = -1;
    CHECK(frz_metadata_snapshot_schema(m, &snapshot) == frz_metadata_schema(m));
    frz_metadata_unref(m);
}

static void references_keep_it_alive(void **state)
{
    (void)state;
    frz_metadata *m = fixture_metadata(text);
    frz_metadata *again = frz_metadata_ref(m);
    frz_metadata_unref(m);
    CHECK(again->snapshot_count == 3);
    frz_metadata_unref(again);
    frz_metadata_unref(NULL);
}

static void write_compressed(frz_io *io, const char *location, frz_codec codec)
{
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    if (codec == FRZ_CODEC_NONE)
        frz_buffer_append_text(&bytes, text);
    else
        CHECK_OK(frz_codec_compress(NULL, codec, FRZ_CODEC_LEVEL_DEFAULT, frz_slice_of_text(text),
                                    &bytes, &err),
                 err);
    CHECK_OK(frz_io_write_file(io, location, frz_buffer_slice(&bytes), &err), err);
    frz_buffer_clear(&bytes);
}

static void d118_files_are_read_by_their_magic(void **state) /* D118 */
{
    (void)state;
    static const struct {
        const char *location;
        frz_codec codec;
    } files[] = {{"file:/t/metadata/v1.metadata.json", FRZ_CODEC_NONE},
                 {"file:/t/metadata/v3.gz.metadata.json", FRZ_CODEC_GZIP},
                 {"file:/t/metadata/00003-u.gz.metadata.json", FRZ_CODEC_GZIP},
                 {"file:/t/metadata/v3.metadata.json.gz", FRZ_CODEC_GZIP},
                 {"file:/t/metadata/v4.metadata.json", FRZ_CODEC_GZIP},
                 {"file:/t/metadata/v5.zstd.metadata.json", FRZ_CODEC_ZSTD}};
    frz_io *io = fixture_io();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        frz_metadata *m = NULL;
        frz_error *err = NULL;
        write_compressed(io, files[i].location, files[i].codec);
        CHECK_OK(frz_metadata_read(io, files[i].location, NULL, &m, &err), err);
        CHECK(m->snapshot_count == 3);
        frz_metadata_unref(m);
    }
    frz_io_free(io);
}

static void errors_name_the_file(void **state)
{
    (void)state;
    frz_io *io = fixture_io();
    frz_metadata *m = NULL;
    frz_error *err = NULL;
    CHECK_FAILS(frz_metadata_read(io, "file:/t/none", NULL, &m, &err), FRZ_NOT_FOUND, err,
                "file:/t/none");
    CHECK_OK(frz_io_write_file(io, "file:/t/bad", frz_slice_of_text("{\"format-version\":2"), &err),
             err);
    CHECK_FAILS(frz_metadata_read(io, "file:/t/bad", NULL, &m, &err), FRZ_CORRUPT, err,
                "table metadata file:/t/bad");
    write_compressed(io, "file:/t/big", FRZ_CODEC_GZIP);
    frz_limits limits = frz_limits_default;
    limits.metadata_size = 600;
    CHECK_FAILS(frz_metadata_read(io, "file:/t/big", &limits, &m, &err), FRZ_UNSUPPORTED, err,
                "file:/t/big");
    frz_io_free(io);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_up_by_id_and_name),
        cmocka_unit_test(time_travel_goes_by_the_log),
        cmocka_unit_test(d090_a_snapshot_reads_with_its_own_schema),
        cmocka_unit_test(references_keep_it_alive),
        cmocka_unit_test(d118_files_are_read_by_their_magic),
        cmocka_unit_test(errors_name_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
