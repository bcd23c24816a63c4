#include "spec/table_fixture.h"

#include "spec/manifest_row.h"

static const frz_type no_partition = {.kind = FRZ_TYPE_STRUCT};

static frz_manifest_row row_of(int version, int32_t content, const frz_manifest_entry *entry)
{
    return (frz_manifest_row){.format_version = version,
                              .content = content,
                              .snapshot_id = 77,
                              .partition = &no_partition,
                              .entry = entry};
}

static void expect_refused(int version, int32_t content, frz_manifest_entry entry,
                           const char *message)
{
    frz_error *err = NULL;
    const frz_manifest_row row = row_of(version, content, &entry);
    CHECK_FAILS(frz_manifest_row_check(&row, &err), FRZ_INVALID, err, message);
}

static void expect_allowed(int version, int32_t content, frz_manifest_entry entry)
{
    frz_error *err = NULL;
    const frz_manifest_row row = row_of(version, content, &entry);
    CHECK_OK(frz_manifest_row_check(&row, &err), err);
}

static frz_manifest_entry delete_entry(frz_file_content content, frz_file_format format)
{
    frz_manifest_entry entry = fixture_entry("d", 3);
    entry.file.content = content;
    entry.file.format = format;
    return entry;
}

static void new_data_files_need_nothing_more(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++)
        expect_allowed(version, 0, fixture_entry("a", 1));
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    frz_manifest_entry entry = fixture_entry("", 1);
    expect_refused(2, 0, entry, "no path");
    entry = fixture_entry("a", -1);
    expect_refused(2, 0, entry, "file a: its record count or size is negative");
}

/* D006, D056: only new entries may inherit. */
static void d056_old_entries_need_their_numbers(void **state)
{
    (void)state;
    frz_manifest_entry entry = fixture_entry("a", 1);
    entry.status = FRZ_ENTRY_EXISTING;
    entry.snapshot_id = 5;
    expect_refused(2, 0, entry, "needs its sequence number");
    entry.sequence_number = 0; /* D055: 0 is a number */
    expect_allowed(2, 0, entry);
    entry.snapshot_id = FRZ_NO_SNAPSHOT;
    expect_refused(2, 0, entry, "needs the snapshot that added it");
    entry.status = FRZ_ENTRY_DELETED;
    expect_allowed(2, 0, entry);
    entry.sequence_number = -1;
    expect_refused(2, 0, entry, "needs its sequence number");
}

static void delete_files_follow_their_version(void **state)
{
    (void)state;
    frz_manifest_entry positions = delete_entry(FRZ_CONTENT_POSITION_DELETES, FRZ_FORMAT_PARQUET);
    expect_refused(2, 0, positions, "manifests of their own");
    expect_allowed(2, 1, positions);
    expect_refused(3, 1, positions, "may not be added any more");
    positions.status = FRZ_ENTRY_EXISTING;
    positions.snapshot_id = 5;
    positions.sequence_number = 4;
    expect_allowed(3, 1, positions);

    frz_manifest_entry vector = delete_entry(FRZ_CONTENT_POSITION_DELETES, FRZ_FORMAT_PUFFIN);
    expect_refused(2, 1, vector, "deletion vectors need format version 3");
    expect_refused(3, 1, vector, "needs its data file, offset and size");
    vector.file.referenced_data_file = frz_slice_of_text("a");
    vector.file.content_offset = 4;
    vector.file.content_size = 40;
    expect_allowed(3, 1, vector);

    frz_manifest_entry equality = delete_entry(FRZ_CONTENT_EQUALITY_DELETES, FRZ_FORMAT_PARQUET);
    const int32_t ids[] = {1};
    expect_refused(2, 1, equality, "needs equality ids");
    equality.file.equality_ids = ids;
    equality.file.equality_id_count = 1;
    expect_allowed(2, 1, equality);
    expect_refused(2, 1, fixture_entry("a", 1), "manifests of their own");
}

static void check_value(frz_type type, frz_value value, bool allowed)
{
    frz_error *err = NULL;
    const frz_field field = {.id = 1000, .name = "p", .type = &type};
    const frz_type partition = {.kind = FRZ_TYPE_STRUCT, .fields = &field, .field_count = 1};
    frz_manifest_entry entry = fixture_entry("a", 1);
    frz_manifest_row row = row_of(2, 0, &entry);
    row.partition = &partition;
    CHECK_FAILS(frz_manifest_row_check(&row, &err), FRZ_INVALID, err,
                "another number of partition values");
    entry.file.partition = &value;
    entry.file.partition_count = 1;
    if (allowed)
        CHECK_OK(frz_manifest_row_check(&row, &err), err);
    else
        CHECK_FAILS(frz_manifest_row_check(&row, &err), FRZ_INVALID, err,
                    "not of its field's type");
}

static void partition_values_suit_their_types(void **state)
{
    (void)state;
    const frz_value big = {.form = FRZ_VALUE_INTEGER, .integer = INT64_C(1) << 40};
    const frz_value text = {.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("abc")};
    const frz_value decimal = {.form = FRZ_VALUE_DECIMAL, .decimal = 12345};
    const frz_value number = {.form = FRZ_VALUE_NUMBER, .number = 1};
    const frz_value null = {.form = FRZ_VALUE_NULL};
    check_value((frz_type){.kind = FRZ_TYPE_LONG}, big, true);
    check_value((frz_type){.kind = FRZ_TYPE_INT}, big, false);
    check_value((frz_type){.kind = FRZ_TYPE_DATE}, big, false);
    check_value((frz_type){.kind = FRZ_TYPE_STRING}, text, true);
    check_value((frz_type){.kind = FRZ_TYPE_FIXED, .length = 3}, text, true);
    check_value((frz_type){.kind = FRZ_TYPE_FIXED, .length = 4}, text, false);
    check_value((frz_type){.kind = FRZ_TYPE_UUID}, text, false);
    check_value((frz_type){.kind = FRZ_TYPE_LONG}, text, false);
    check_value((frz_type){.kind = FRZ_TYPE_DECIMAL, .precision = 5}, decimal, true);
    check_value((frz_type){.kind = FRZ_TYPE_DECIMAL, .precision = 4}, decimal, false);
    check_value((frz_type){.kind = FRZ_TYPE_DOUBLE}, number, true);
    check_value((frz_type){.kind = FRZ_TYPE_BOOLEAN}, number, false);
    check_value((frz_type){.kind = FRZ_TYPE_BOOLEAN}, null, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_data_files_need_nothing_more),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(d056_old_entries_need_their_numbers),
        cmocka_unit_test(delete_files_follow_their_version),
        cmocka_unit_test(partition_values_suit_their_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
