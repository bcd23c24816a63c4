#include "spec/table_fixture.h"

#include "avro/reader.h"

static const frz_manifest_file complete = {.path = "file:/m0",
                                           .length = 10,
                                           .sequence_number = 7,
                                           .min_sequence_number = 7,
                                           .added_snapshot_id = 9,
                                           .first_row_id = 0};

static void expect_refused(int version, frz_manifest_file file, const char *message)
{
    frz_error *err = NULL;
    frz_io *io = fixture_io();
    uint64_t size = 0;
    const frz_snapshot snapshot = fixture_snapshot(9, 7, 0, 0);
    CHECK_FAILS(frz_manifest_list_write(io, "file:/l", version, &snapshot, &file, 1, &err),
                FRZ_INVALID, err, message);
    CHECK(frz_io_stat(io, "file:/l", &size, NULL) == FRZ_NOT_FOUND); /* nothing is left behind */
    frz_io_free(io);
}

static void unfinished_entries_are_refused(void **state)
{
    (void)state;
    frz_manifest_file file = complete;
    file.sequence_number = -1;
    expect_refused(2, file, "no sequence numbers yet");
    file = complete;
    file.existing_rows = -1;
    expect_refused(2, file, "unknown counts");
    file = complete;
    file.first_row_id = -1;
    expect_refused(3, file, "a manifest of data has first_row_id -1");
    file.content = 1;
    file.first_row_id = 0;
    expect_refused(3, file, "a manifest of deletes has first_row_id 0");
    expect_refused(1, file, "format version 1 has none");
    file = complete;
    file.length = -1;
    expect_refused(1, file, "no length");
    file = complete;
    file.added_snapshot_id = FRZ_NO_SNAPSHOT;
    expect_refused(1, file, "no snapshot id");
}

static void expect_header(frz_avro_reader *reader, const char *key, const char *expected)
{
    frz_slice value = {0};
    const bool found = frz_avro_reader_metadata(reader, key, &value);
    CHECK(found == (expected != NULL));
    if (expected)
        CHECK(frz_slice_is_text(value, expected));
}

static void check_list(int version, const frz_snapshot *snapshot, const char *parent)
{
    frz_error *err = NULL;
    frz_io *io = fixture_io();
    frz_input *input = NULL;
    frz_avro_reader *reader = NULL;
    char number[16];
    CHECK_OK(frz_manifest_list_write(io, "file:/l", version, snapshot, &complete, 1, &err), err);
    CHECK_OK(frz_io_open(io, "file:/l", FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
    CHECK_OK(frz_avro_reader_open(input, &frz_limits_default, &reader, &err), err);
    (void)snprintf(number, sizeof number, "%d", version);
    expect_header(reader, "format-version", number);
    expect_header(reader, "snapshot-id", "9");
    expect_header(reader, "parent-snapshot-id", parent);
    expect_header(reader, "sequence-number", version > 1 ? "7" : NULL);
    expect_header(reader, "first-row-id", version > 2 ? "3" : NULL);
    CHECK(strcmp(frz_avro_reader_schema(reader)->name, "manifest_file") == 0);
    frz_avro_reader_close(reader);
    frz_input_close(input);
    frz_io_free(io);
}

static void the_header_tells_the_snapshot(void **state)
{
    (void)state;
    frz_snapshot snapshot = fixture_snapshot(9, 7, 3, 0);
    for (int version = 1; version <= 3; version++)
        check_list(version, &snapshot, "null");
    snapshot.parent_id = 8;
    check_list(3, &snapshot, "8");
}

static void empty_lists_can_be_read(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_io *io = fixture_io();
    frz_manifest_list list = {.count = 5};
    frz_metadata *m = fixture_metadata(FIXTURE_V2);
    const frz_snapshot snapshot = fixture_snapshot(9, 7, 3, 0);
    CHECK_OK(frz_manifest_list_write(io, snapshot.manifest_list, 2, &snapshot, NULL, 0, &err), err);
    CHECK_OK(frz_manifest_list_read(io, m, &snapshot, NULL, &arena, &list, &err), err);
    CHECK(list.count == 0);
    frz_metadata_unref(m);
    frz_arena_clear(&arena);
    frz_io_free(io);
}

static frz_io *swept_io;

static void write_once(void)
{
    frz_error *err = NULL;
    uint64_t size = 0;
    const frz_snapshot snapshot = fixture_snapshot(9, 7, 3, 0);
    const frz_status status =
        frz_manifest_list_write(swept_io, "file:/swept", 3, &snapshot, &complete, 1, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    CHECK((frz_io_stat(swept_io, "file:/swept", &size, NULL) == FRZ_OK) == (status == FRZ_OK));
    frz_error_free(err);
    if (status == FRZ_OK)
        CHECK(frz_io_remove(swept_io, "file:/swept", NULL) == FRZ_OK);
}

static void survives_short_memory(void **state)
{
    (void)state;
    swept_io = fixture_io();
    sweep_allocation_failures(write_once);
    frz_io_free(swept_io);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unfinished_entries_are_refused),
        cmocka_unit_test(the_header_tells_the_snapshot),
        cmocka_unit_test(empty_lists_can_be_read),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
