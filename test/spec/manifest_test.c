#include "spec/table_fixture.h"

#include "io/fault.h"

/* A table with one manifest in memory. */
typedef struct one_manifest {
    frz_arena arena;
    frz_io *io;
    frz_metadata *metadata;
    frz_manifest_file file;
    frz_manifest *manifest;
} one_manifest;

static one_manifest write_one(const char *table, int32_t spec_id, int32_t content,
                              const frz_manifest_entry *entries, size_t count)
{
    one_manifest one = {.io = fixture_io(), .metadata = fixture_metadata(table)};
    fixture_manifest(one.io, "file:/m", one.metadata, spec_id, content, entries, count, &one.arena,
                     &one.file);
    one.file.sequence_number = 7;
    return one;
}

static void read_one(one_manifest *one, const frz_manifest_fields *fields)
{
    frz_error *err = NULL;
    frz_manifest_unref(one->manifest);
    one->manifest = NULL;
    CHECK_OK(
        frz_manifest_read(one->io, &one->file, one->metadata, fields, NULL, &one->manifest, &err),
        err);
}

static void clear_one(one_manifest *one)
{
    frz_manifest_unref(one->manifest);
    frz_metadata_unref(one->metadata);
    frz_io_free(one->io);
    frz_arena_clear(&one->arena);
}

static frz_manifest_entry old_entry(const char *path, frz_entry_status status, int64_t count,
                                    int64_t first_row_id)
{
    frz_manifest_entry entry = fixture_entry(path, count);
    entry.status = status;
    entry.snapshot_id = 5;
    entry.sequence_number = 2;
    entry.file_sequence_number = 3;
    entry.file.first_row_id = first_row_id;
    return entry;
}

static void every_field_comes_back(void **state)
{
    (void)state;
    static const uint8_t key[16] = {1};
    const frz_value tuple[] = {{.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("n")},
                               {.form = FRZ_VALUE_NULL},
                               {.form = FRZ_VALUE_INTEGER, .integer = -3},
                               {.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of(key, 16)}};
    const frz_column_metrics columns[] = {
        {.field_id = 1,
         .column_size = 5,
         .value_count = 10,
         .null_count = 0,
         .nan_count = -1,
         .has_lower = true,
         .lower = frz_slice_of_text("12345678"),
         .has_upper = true,
         .upper = frz_slice_of_text("22345678")},
        {.field_id = 3, .column_size = -1, .value_count = -1, .null_count = 4, .nan_count = 2}};
    const int64_t splits[] = {4, 500};
    frz_manifest_entry entry = fixture_entry("file:/a", 10);
    entry.file.partition = tuple;
    entry.file.partition_count = 4;
    entry.file.columns = columns;
    entry.file.column_count = 2;
    entry.file.split_offsets = splits;
    entry.file.split_offset_count = 2;
    entry.file.sort_order_id = 0;
    entry.file.key_metadata = frz_slice_of_text("secret");
    one_manifest one = write_one(FIXTURE_V3, 1, 0, &entry, 1);
    read_one(&one, NULL);
    CHECK(frz_manifest_count(one.manifest) == 1);
    const frz_manifest_entry *e = frz_manifest_entry_at(one.manifest, 0);
    CHECK(e->status == FRZ_ENTRY_ADDED && e->snapshot_id == 77);
    CHECK(frz_slice_is_text(e->file.path, "file:/a") && e->file.format == FRZ_FORMAT_PARQUET);
    CHECK(e->file.content == FRZ_CONTENT_DATA && e->file.spec_id == 1);
    CHECK(e->file.record_count == 10 && e->file.file_size == 1000 && e->file.sort_order_id == 0);
    CHECK(e->file.partition_count == 4);
    for (int i = 0; i < 4; i++)
        CHECK(frz_value_same(&e->file.partition[i], &tuple[i]));
    CHECK(e->file.column_count == 2);
    const frz_column_metrics *first = frz_data_file_metrics(&e->file, 1);
    CHECK(first->column_size == 5 && first->value_count == 10 && first->null_count == 0);
    CHECK(first->nan_count == -1 && frz_slice_is_text(first->lower, "12345678"));
    CHECK(first->has_upper && frz_slice_is_text(first->upper, "22345678"));
    const frz_column_metrics *second = frz_data_file_metrics(&e->file, 3);
    CHECK(second->column_size == -1 && second->null_count == 4 && second->nan_count == 2);
    CHECK(!second->has_lower && !second->has_upper);
    CHECK(e->file.split_offset_count == 2 && e->file.split_offsets[1] == 500);
    CHECK(frz_slice_is_text(e->file.key_metadata, "secret"));
    CHECK(e->file.content_offset == -1 && e->file.referenced_data_file.size == 0);
    CHECK(frz_manifest_memory(one.manifest) > 500);
    clear_one(&one);
}

static void only_new_entries_inherit_sequence_numbers(void **state)
{
    (void)state;
    const frz_manifest_entry entries[] = {fixture_entry("new", 1),
                                          old_entry("old", FRZ_ENTRY_EXISTING, 1, -1),
                                          old_entry("gone", FRZ_ENTRY_DELETED, 1, -1)};
    one_manifest one = write_one(FIXTURE_V2, 0, 0, entries, 3);
    read_one(&one, NULL);
    const frz_manifest_entry *added = frz_manifest_entry_at(one.manifest, 0);
    const frz_manifest_entry *existing = frz_manifest_entry_at(one.manifest, 1);
    const frz_manifest_entry *deleted = frz_manifest_entry_at(one.manifest, 2);
    CHECK(added->sequence_number == 7 && added->file_sequence_number == 7 &&
          added->snapshot_id == 77);
    CHECK(existing->sequence_number == 2 && existing->file_sequence_number == 3);
    CHECK(existing->snapshot_id == 5);
    CHECK(deleted->sequence_number == 2 && deleted->file_sequence_number == 3);
    CHECK(deleted->snapshot_id == 77); /* deleted by this commit */
    clear_one(&one);
}

static void a_new_file_may_bring_an_older_data_sequence_number(void **state)
{
    (void)state;
    frz_manifest_entry entry = fixture_entry("rewritten", 1);
    entry.sequence_number = 3;
    one_manifest one = write_one(FIXTURE_V2, 0, 0, &entry, 1);
    read_one(&one, NULL);
    CHECK(frz_manifest_entry_at(one.manifest, 0)->sequence_number == 3);
    CHECK(frz_manifest_entry_at(one.manifest, 0)->file_sequence_number == 7);
    clear_one(&one);
}

/* Manifests of V1 lack the columns: everything has sequence number 0, and content is data. */
static void d091_missing_sequence_numbers_are_inherited_by_new_entries(void **state)
{
    (void)state;
    const frz_manifest_entry entries[] = {fixture_entry("new", 1),
                                          old_entry("old", FRZ_ENTRY_EXISTING, 1, -1)};
    one_manifest one = write_one(FIXTURE_V1, 0, 0, entries, 2);
    one.file.sequence_number = 0;
    read_one(&one, NULL);
    for (size_t i = 0; i < 2; i++) {
        const frz_manifest_entry *e = frz_manifest_entry_at(one.manifest, i);
        CHECK(e->sequence_number == 0 && e->file_sequence_number == 0 &&
              e->file.content == FRZ_CONTENT_DATA);
    }
    frz_error *err = NULL;
    frz_manifest *manifest = NULL;
    one.file.sequence_number = 7; /* as of a V2 list */
    CHECK_FAILS(frz_manifest_read(one.io, &one.file, one.metadata, NULL, NULL, &manifest, &err),
                FRZ_CORRUPT, err, "entry 1: an EXISTING entry without sequence_number");
    clear_one(&one);
}

/* The table of spec "Row lineage example": what is deleted takes no ids. */
static void d042_first_row_ids_run_on_over_live_files_without_one(void **state)
{
    (void)state;
    const frz_manifest_entry entries[] = {old_entry("data1", FRZ_ENTRY_EXISTING, 25, 800),
                                          old_entry("gone", FRZ_ENTRY_DELETED, 50, -1),
                                          fixture_entry("data2", 50), fixture_entry("data3", 50),
                                          old_entry("upgraded", FRZ_ENTRY_EXISTING, 10, -1)};
    one_manifest one = write_one(FIXTURE_V3, 0, 0, entries, 5);
    one.file.first_row_id = 1000;
    read_one(&one, NULL);
    static const int64_t expected[] = {800, -1, 1000, 1050, 1100};
    for (size_t i = 0; i < 5; i++)
        CHECK(frz_manifest_entry_at(one.manifest, i)->file.first_row_id == expected[i]);
    one.file.first_row_id = -1; /* a snapshot from before the upgrade: no row has an id */
    read_one(&one, NULL);
    for (size_t i = 0; i < 5; i++)
        CHECK(frz_manifest_entry_at(one.manifest, i)->file.first_row_id == -1);
    clear_one(&one);
}

static void d041_manifests_of_v2_take_row_ids_from_the_list(void **state)
{
    (void)state;
    const frz_manifest_entry entries[] = {fixture_entry("a", 5), fixture_entry("b", 6)};
    one_manifest one = write_one(FIXTURE_V2, 0, 0, entries, 2);
    one.file.first_row_id = 30;
    read_one(&one, NULL);
    CHECK(frz_manifest_entry_at(one.manifest, 0)->file.first_row_id == 30);
    CHECK(frz_manifest_entry_at(one.manifest, 1)->file.first_row_id == 35);
    clear_one(&one);
}

static void row_ids_do_not_run_over(void **state)
{
    (void)state;
    const frz_manifest_entry entry = fixture_entry("a", INT64_MAX - 10);
    one_manifest one = write_one(FIXTURE_V3, 0, 0, &entry, 1);
    frz_error *err = NULL;
    frz_manifest *manifest = NULL;
    one.file.first_row_id = 100;
    CHECK_FAILS(frz_manifest_read(one.io, &one.file, one.metadata, NULL, NULL, &manifest, &err),
                FRZ_CORRUPT, err, "beyond 64 bits");
    clear_one(&one);
}

static void delete_files_keep_what_points_to_data(void **state)
{
    (void)state;
    static const int32_t ids[] = {1, 2};
    frz_manifest_entry entries[] = {fixture_entry("dv.puffin", 3), fixture_entry("eq", 4)};
    entries[0].file.content = FRZ_CONTENT_POSITION_DELETES;
    entries[0].file.format = FRZ_FORMAT_PUFFIN;
    entries[0].file.format_text = frz_slice_of_text("PUFFIN");
    entries[0].file.referenced_data_file = frz_slice_of_text("file:/a");
    entries[0].file.content_offset = 4;
    entries[0].file.content_size = 44;
    entries[1].file.content = FRZ_CONTENT_EQUALITY_DELETES;
    entries[1].file.equality_ids = ids;
    entries[1].file.equality_id_count = 2;
    one_manifest one = write_one(FIXTURE_V3, 0, 1, entries, 2);
    one.file.first_row_id = 100; /* means nothing for deletes */
    read_one(&one, &(const frz_manifest_fields){0});
    const frz_data_file *vector = &frz_manifest_entry_at(one.manifest, 0)->file;
    CHECK(vector->format == FRZ_FORMAT_PUFFIN &&
          frz_slice_is_text(vector->referenced_data_file, "file:/a"));
    CHECK(vector->content_offset == 4 && vector->content_size == 44 && vector->record_count == 3);
    CHECK(vector->first_row_id == -1);
    const frz_data_file *equality = &frz_manifest_entry_at(one.manifest, 1)->file;
    CHECK(equality->equality_id_count == 2 && equality->equality_ids[1] == 2);
    clear_one(&one);
}

static void only_what_is_asked_for_is_decoded(void **state)
{
    (void)state;
    const frz_column_metrics columns[] = {{.field_id = 1, .column_size = 1, .value_count = 1},
                                          {.field_id = 2, .column_size = 2, .value_count = 2},
                                          {.field_id = 3, .column_size = 3, .value_count = 3}};
    const int64_t splits[] = {4};
    frz_manifest_entry entry = fixture_entry("a", 5);
    entry.file.columns = columns;
    entry.file.column_count = 3;
    entry.file.split_offsets = splits;
    entry.file.split_offset_count = 1;
    entry.file.sort_order_id = 0;
    one_manifest one = write_one(FIXTURE_V2, 0, 0, &entry, 1);
    read_one(&one, &(const frz_manifest_fields){0});
    const frz_data_file *file = &frz_manifest_entry_at(one.manifest, 0)->file;
    CHECK(file->column_count == 0 && file->split_offset_count == 0 && file->sort_order_id == -1);
    CHECK(file->record_count == 5 && file->file_size == 1000);
    static const int32_t wanted[] = {2};
    read_one(&one, &(const frz_manifest_fields){.metric_ids = wanted, .metric_id_count = 1});
    file = &frz_manifest_entry_at(one.manifest, 0)->file;
    CHECK(file->column_count == 1 && file->columns[0].field_id == 2 &&
          file->columns[0].value_count == 2);
    CHECK(file->columns[0].column_size == -1); /* no use in planning */
    read_one(&one, &(const frz_manifest_fields){.all_metrics = true, .details = true});
    file = &frz_manifest_entry_at(one.manifest, 0)->file;
    CHECK(file->column_count == 3 && file->columns[2].column_size == 3 &&
          file->split_offset_count == 1);
    clear_one(&one);
}

static void expect_unreadable(one_manifest *one, frz_status want, const char *message)
{
    frz_error *err = NULL;
    frz_manifest *manifest = NULL;
    CHECK_FAILS(frz_manifest_read(one->io, &one->file, one->metadata, NULL, NULL, &manifest, &err),
                want, err, message);
    CHECK(manifest == NULL);
}

static void what_does_not_hold_is_named(void **state)
{
    (void)state;
    const frz_manifest_entry entry = fixture_entry("a", 5);
    one_manifest one = write_one(FIXTURE_V2, 0, 0, &entry, 1);
    one.file.spec_id = 8;
    expect_unreadable(&one, FRZ_CORRUPT, "manifest file:/m: partition spec 8 is none");
    one.file.spec_id = 0;
    one.file.content = 1;
    expect_unreadable(&one, FRZ_CORRUPT, "entry 0: content does not suit the manifest's");
    one.file.content = 0;
    one.file.key_metadata = frz_slice_of_text("k");
    expect_unreadable(&one, FRZ_UNSUPPORTED, "encrypted");
    one.file.key_metadata = (frz_slice){0};
    one.file.path = "file:/none";
    expect_unreadable(&one, FRZ_NOT_FOUND, "file:/none");
    clear_one(&one);
}

/* The table's spec 1 with one transform replaced: what reads a manifest that spec 1 wrote. */
static void with_transform(one_manifest *one, const char *field, const char *transform)
{
    char json[4096];
    const char *at = strstr(FIXTURE_V2, field);
    CHECK(at);
    at = strstr(at, "\"transform\":\"") + strlen("\"transform\":\"");
    (void)snprintf(json, sizeof json, "%.*s%s%s", (int)(at - FIXTURE_V2), FIXTURE_V2, transform,
                   strchr(at, '"'));
    frz_metadata_unref(one->metadata);
    one->metadata = fixture_metadata(json);
}

/* Table partitioned_table_with_missing_spec of iceberg-cxx, and ..._with_void_transform. */
static void a_manifest_of_another_spec_with_the_same_id_is_refused(void **state)
{
    (void)state;
    static const frz_value tuple[] = {{.form = FRZ_VALUE_NULL},
                                      {.form = FRZ_VALUE_NULL},
                                      {.form = FRZ_VALUE_INTEGER, .integer = 3},
                                      {.form = FRZ_VALUE_NULL}};
    frz_manifest_entry entry = fixture_entry("a", 5);
    entry.file.partition = tuple;
    entry.file.partition_count = 4;
    one_manifest one = write_one(FIXTURE_V2, 1, 0, &entry, 1);
    with_transform(&one, "the day", "month");
    expect_unreadable(&one, FRZ_CORRUPT, "which is not the table's spec 1");
    with_transform(&one, "the day",
                   "void"); /* was dropped in a V1 table: its values are not used */
    read_one(&one, NULL);
    CHECK(frz_manifest_count(one.manifest) == 1);
    one.file.spec_id = 0;
    expect_unreadable(&one, FRZ_CORRUPT, "which is not the table's spec 0");
    clear_one(&one);
}

static void a_large_manifest_has_every_entry(void **state)
{
    (void)state;
    enum { ENTRIES = 3000 };
    static char paths[ENTRIES][24];
    static frz_manifest_entry entries[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "file:/t/%d", i);
        entries[i] = fixture_entry(paths[i], i);
    }
    one_manifest one = write_one(FIXTURE_V3, 0, 0, entries, ENTRIES);
    one.file.first_row_id = 0;
    read_one(&one, NULL);
    CHECK(frz_manifest_count(one.manifest) == ENTRIES);
    for (size_t i = 0; i < ENTRIES; i++) {
        const frz_data_file *file = &frz_manifest_entry_at(one.manifest, i)->file;
        CHECK(frz_slice_is_text(file->path, paths[i]));
        CHECK(file->first_row_id == (int64_t)(i * (i - 1) / 2));
    }
    frz_manifest *again = frz_manifest_ref(one.manifest);
    frz_manifest_unref(again);
    frz_manifest_unref(NULL);
    clear_one(&one);
}

/* Inheritance runs on from one part to the next; so do the entries that a refusal names. */
static void a_manifest_of_any_size_is_read_in_parts(void **state)
{
    (void)state;
    enum { ENTRIES = 20000, BROKEN = 19990 };
    frz_error *err = NULL;
    frz_manifest_reader *reader = NULL;
    frz_manifest *part = NULL;
    size_t parts = 0;
    size_t count = 0;
    frz_status status = FRZ_OK;
    frz_manifest_entry *entries = frz_alloc_array(ENTRIES, sizeof *entries);
    CHECK(entries != NULL);
    for (int i = 0; i < ENTRIES; i++)
        entries[i] = fixture_entry("file:/t/a", 3);
    one_manifest one = write_one(FIXTURE_V3, 0, 0, entries, ENTRIES);
    one.file.first_row_id = 100;
    CHECK_OK(frz_manifest_reader_open(one.io, &one.file, one.metadata, NULL, NULL, &reader, &err),
             err);
    while ((status = frz_manifest_reader_next(reader, &part, &err)) == FRZ_OK) {
        for (size_t i = 0; i < frz_manifest_count(part); i++, count++)
            CHECK(frz_manifest_entry_at(part, i)->file.first_row_id == 100 + 3 * (int64_t)count);
        parts++;
        frz_manifest_unref(part);
    }
    CHECK(status == FRZ_END);
    assert_int_equal(count, ENTRIES);
    CHECK(parts >= 2);
    frz_manifest_reader_close(reader);
    clear_one(&one);

    entries[BROKEN].file.record_count = INT64_MAX - INT64_C(3) * ENTRIES;
    one = write_one(FIXTURE_V3, 0, 0, entries, ENTRIES);
    one.file.first_row_id = INT64_C(3) * ENTRIES;
    CHECK_OK(frz_manifest_reader_open(one.io, &one.file, one.metadata, NULL, NULL, &reader, &err),
             err);
    while ((status = frz_manifest_reader_next(reader, &part, &err)) == FRZ_OK)
        frz_manifest_unref(part);
    CHECK_FAILS(status, FRZ_CORRUPT, err, "manifest file:/m: entry 19990: row ids beyond 64 bits");
    frz_manifest_reader_close(reader);
    frz_manifest_reader_close(NULL);
    clear_one(&one);
    frz_free(entries);
}

static frz_buffer bytes_of(frz_io *io, const char *path)
{
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_io_read_file(io, path, 1 << 20, &bytes, &err), err);
    return bytes;
}

/* Some writers leave ids out: names are those that Avro allows ("Appendix A", the_x20day). */
static void fields_without_ids_are_found_by_their_avro_names(void **state)
{
    (void)state;
    static const char id[] = "\"field-id\"";
    const frz_value tuple[] = {{.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("n")},
                               {.form = FRZ_VALUE_NULL},
                               {.form = FRZ_VALUE_INTEGER, .integer = -3},
                               {.form = FRZ_VALUE_NULL}};
    frz_manifest_entry entry = fixture_entry("file:/a", 10);
    frz_error *err = NULL;
    entry.file.partition = tuple;
    entry.file.partition_count = 4;
    one_manifest one = write_one(FIXTURE_V3, 1, 0, &entry, 1);
    frz_buffer bytes = bytes_of(one.io, "file:/m");
    size_t found = 0;
    for (size_t at = 0; at + sizeof id <= bytes.size; at++)
        if (memcmp(bytes.data + at, id, sizeof id - 1) == 0) {
            bytes.data[at + 1] = 'x';
            found++;
        }
    CHECK(found > 20);
    CHECK_OK(frz_io_remove(one.io, "file:/m", &err), err);
    CHECK_OK(frz_io_write_file(one.io, "file:/m", frz_buffer_slice(&bytes), &err), err);
    read_one(&one, NULL);
    const frz_data_file *file = &frz_manifest_entry_at(one.manifest, 0)->file;
    CHECK(frz_slice_is_text(file->path, "file:/a") && file->record_count == 10);
    CHECK(frz_slice_is_text(file->partition[0].bytes, "n"));
    CHECK(file->partition[2].form == FRZ_VALUE_INTEGER && file->partition[2].integer == -3);
    frz_buffer_clear(&bytes);
    clear_one(&one);
}

/* Reads a broken copy of the manifest: it is refused, or read, and nothing worse. */
static void read_broken(one_manifest *one, frz_slice bytes)
{
    frz_error *err = NULL;
    frz_manifest *manifest = NULL;
    const frz_status removed = frz_io_remove(one->io, "file:/broken", NULL);
    CHECK(removed == FRZ_OK || removed == FRZ_NOT_FOUND);
    CHECK_OK(frz_io_write_file(one->io, "file:/broken", bytes, &err), err);
    frz_manifest_file file = one->file;
    file.path = "file:/broken";
    file.length = 0;
    const frz_status status =
        frz_manifest_read(one->io, &file, one->metadata, NULL, NULL, &manifest, &err);
    CHECK((status == FRZ_OK) == (manifest != NULL));
    frz_manifest_unref(manifest);
    frz_error_free(err);
}

static void broken_manifests_are_refused_cleanly(void **state)
{
    (void)state;
    const frz_column_metrics columns[] = {{.field_id = 1,
                                           .value_count = 1,
                                           .has_lower = true,
                                           .lower = frz_slice_of_text("12345678")}};
    frz_manifest_entry entry = fixture_entry("file:/a", 5);
    entry.file.columns = columns;
    entry.file.column_count = 1;
    one_manifest one = write_one(
        FIXTURE_TABLE("2",
                      "\"properties\":{\"write.manifest.compression-codec\":\"uncompressed\"},"),
        0, 0, &entry, 1);
    frz_buffer bytes = bytes_of(one.io, "file:/m");
    for (size_t cut = 0; cut < bytes.size; cut += cut < bytes.size - 300 ? 37 : 1)
        read_broken(&one, frz_slice_of(bytes.data, cut));
    for (size_t at = bytes.size - 250; at < bytes.size; at++)
        for (int bit = 0; bit < 8; bit++) {
            bytes.data[at] ^= (uint8_t)(1 << bit);
            read_broken(&one, frz_buffer_slice(&bytes));
            bytes.data[at] ^= (uint8_t)(1 << bit);
        }
    frz_buffer_clear(&bytes);
    clear_one(&one);
}

static one_manifest swept;

static void read_once(void)
{
    frz_error *err = NULL;
    frz_manifest *manifest = NULL;
    const frz_status status =
        frz_manifest_read(swept.io, &swept.file, swept.metadata, NULL, NULL, &manifest, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_manifest_unref(manifest);
    frz_error_free(err);
}

static void survives_short_memory(void **state)
{
    (void)state;
    const frz_value tuple[] = {{.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("n")},
                               {.form = FRZ_VALUE_NULL},
                               {.form = FRZ_VALUE_NULL},
                               {.form = FRZ_VALUE_NULL}};
    const frz_column_metrics columns[] = {{.field_id = 1, .value_count = 1}};
    const int64_t splits[] = {4};
    frz_manifest_entry entry = fixture_entry("file:/a", 5);
    entry.file.partition = tuple;
    entry.file.partition_count = 4;
    entry.file.columns = columns;
    entry.file.column_count = 1;
    entry.file.split_offsets = splits;
    entry.file.split_offset_count = 1;
    swept = write_one(FIXTURE_V3, 1, 0, &entry, 1);
    sweep_allocation_failures(read_once);
    clear_one(&swept);
}

static void storage_failures_are_passed_on(void **state)
{
    (void)state;
    const frz_manifest_entry entry = fixture_entry("a", 5);
    one_manifest one = write_one(FIXTURE_V2, 0, 0, &entry, 1);
    frz_error *err = NULL;
    frz_io *fault = NULL;
    CHECK_OK(frz_io_fault_new(one.io, &fault, &err), err);
    for (int64_t countdown = 0;; countdown++) {
        frz_manifest *manifest = NULL;
        frz_io_fault_fail_after(fault, countdown);
        const frz_status status =
            frz_manifest_read(fault, &one.file, one.metadata, NULL, NULL, &manifest, &err);
        CHECK(status == (frz_io_fault_fired(fault) ? FRZ_IO : FRZ_OK));
        frz_manifest_unref(manifest);
        frz_error_free(err);
        err = NULL;
        if (status == FRZ_OK)
            break;
    }
    frz_io_free(fault);
    clear_one(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_comes_back),
        cmocka_unit_test(only_new_entries_inherit_sequence_numbers),
        cmocka_unit_test(a_new_file_may_bring_an_older_data_sequence_number),
        cmocka_unit_test(d091_missing_sequence_numbers_are_inherited_by_new_entries),
        cmocka_unit_test(d042_first_row_ids_run_on_over_live_files_without_one),
        cmocka_unit_test(d041_manifests_of_v2_take_row_ids_from_the_list),
        cmocka_unit_test(row_ids_do_not_run_over),
        cmocka_unit_test(delete_files_keep_what_points_to_data),
        cmocka_unit_test(only_what_is_asked_for_is_decoded),
        cmocka_unit_test(what_does_not_hold_is_named),
        cmocka_unit_test(a_manifest_of_another_spec_with_the_same_id_is_refused),
        cmocka_unit_test(a_large_manifest_has_every_entry),
        cmocka_unit_test(a_manifest_of_any_size_is_read_in_parts),
        cmocka_unit_test(fields_without_ids_are_found_by_their_avro_names),
        cmocka_unit_test(broken_manifests_are_refused_cleanly),
        cmocka_unit_test(survives_short_memory),
        cmocka_unit_test(storage_failures_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
