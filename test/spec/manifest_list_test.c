#include "spec/table_fixture.h"

#include "arrow/builder.h"
#include "avro/writer.h"

static frz_manifest_file file_of(const char *path, int32_t content)
{
    return (frz_manifest_file){.path = path,
                               .length = 5000,
                               .spec_id = 0,
                               .content = content,
                               .sequence_number = 7,
                               .min_sequence_number = 3,
                               .added_snapshot_id = INT64_C(4598286611352242717),
                               .added_files = 1,
                               .existing_files = 2,
                               .deleted_files = 3,
                               .added_rows = 10,
                               .existing_rows = 20,
                               .deleted_rows = 30,
                               .first_row_id = -1};
}

static frz_manifest_list read_list(frz_io *io, const char *table, frz_snapshot *snapshot,
                                   frz_arena *arena)
{
    frz_manifest_list list = {0};
    frz_error *err = NULL;
    frz_metadata *m = fixture_metadata(table);
    CHECK_OK(frz_manifest_list_read(io, m, snapshot, NULL, arena, &list, &err), err);
    frz_metadata_unref(m);
    return list;
}

static void reads_what_was_written(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_io *io = fixture_io();
    frz_snapshot snapshot = fixture_snapshot(9, 7, 40, 30);
    const frz_field_summary summaries[] = {{.contains_null = true, .contains_nan = -1},
                                           {.contains_nan = 1,
                                            .has_lower = true,
                                            .lower = frz_slice_of_text("12345678"),
                                            .has_upper = true,
                                            .upper = frz_slice_of_text("22345678")},
                                           {.contains_nan = 0, .has_lower = true, .lower = {0}},
                                           {.contains_null = false}};
    frz_manifest_file files[] = {file_of("file:/m0", 0), file_of("file:/m1", 1)};
    files[0].spec_id = 1;
    files[0].partitions = summaries;
    files[0].partition_count = 4;
    files[0].first_row_id = 40;
    CHECK_OK(frz_manifest_list_write(io, snapshot.manifest_list, 3, &snapshot, files, 2, &err),
             err);
    const frz_manifest_list list = read_list(io, FIXTURE_V3, &snapshot, &arena);
    CHECK(list.count == 2);
    const frz_manifest_file *f = list.files;
    CHECK(strcmp(f[0].path, "file:/m0") == 0 && f[0].length == 5000 && f[0].spec_id == 1);
    CHECK(f[0].content == 0 && f[0].sequence_number == 7 && f[0].min_sequence_number == 3);
    CHECK(f[0].added_snapshot_id == INT64_C(4598286611352242717) && f[0].first_row_id == 40);
    CHECK(f[0].added_files == 1 && f[0].existing_files == 2 && f[0].deleted_files == 3);
    CHECK(f[0].added_rows == 10 && f[0].existing_rows == 20 && f[0].deleted_rows == 30);
    CHECK(f[0].partition_count == 4 && f[0].partitions[0].contains_null);
    CHECK(f[0].partitions[0].contains_nan == -1 && !f[0].partitions[0].has_lower);
    CHECK(f[0].partitions[1].contains_nan == 1 && !f[0].partitions[1].contains_null);
    CHECK(frz_slice_is_text(f[0].partitions[1].lower, "12345678"));
    CHECK(f[0].partitions[2].has_lower && f[0].partitions[2].lower.size == 0 &&
          !f[0].partitions[2].has_upper);
    CHECK(f[1].content == 1 && f[1].first_row_id == -1 && !f[1].partitions);
    frz_arena_clear(&arena);

    /* No fields is not the same as nothing known: Java's metadata tables fail on null. */
    files[1].partitions = summaries;
    CHECK_OK(frz_io_remove(io, snapshot.manifest_list, &err), err);
    CHECK_OK(frz_manifest_list_write(io, snapshot.manifest_list, 3, &snapshot, files, 2, &err),
             err);
    const frz_manifest_list again = read_list(io, FIXTURE_V3, &snapshot, &arena);
    CHECK(again.files[1].partitions && again.files[1].partition_count == 0);
    frz_arena_clear(&arena);
    frz_io_free(io);
}

/* A list with a schema of our choosing and no header keys: what DuckDB and old writers make (D054).
 */
static void write_foreign(frz_io *io, const char *location, const char *fields, const char *format,
                          const char *const *values, size_t count)
{
    frz_error *err = NULL;
    frz_output *output = NULL;
    frz_avro_writer *writer = NULL;
    frz_arrow_builder *row = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    uint64_t size = 0;
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":[%s]}", fields);
    CHECK_OK(frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, (int64_t)count,
                                   &err),
             err);
    for (size_t i = 0; i < count; i++) {
        const char one[] = {format[i], 0};
        CHECK_OK(frz_arrow_schema_init(schema.children[i], one, "c", true, FRZ_ARROW_NO_FIELD_ID, 0,
                                       &err),
                 err);
    }
    CHECK_OK(frz_arrow_builder_new(&schema, &row, &err), err);
    for (size_t i = 0; i < count; i++) {
        if (!values[i])
            frz_arrow_append_null(frz_arrow_builder_child(row, i));
        else if (format[i] == 'u')
            frz_arrow_append_bytes(frz_arrow_builder_child(row, i), frz_slice_of_text(values[i]));
        else
            frz_arrow_append_i64(frz_arrow_builder_child(row, i), atoll(values[i]));
    }
    frz_arrow_append_struct(row);
    CHECK_OK(frz_arrow_builder_finish(row, &array, &err), err);
    CHECK_OK(frz_io_create(io, location, &output, &err), err);
    CHECK_OK(frz_avro_writer_open(output, frz_slice_of_text(text), NULL, &writer, &err), err);
    CHECK_OK(frz_avro_writer_write(writer, &schema, &array, &err), err);
    CHECK_OK(frz_avro_writer_finish(writer, &size, &err), err);
    CHECK_OK(frz_output_commit(output, &err), err);
    frz_avro_writer_free(writer);
    frz_arrow_builder_free(row);
    frz_arrow_array_clear(&array);
    frz_arrow_schema_clear(&schema);
}

#define AVRO(NAME, TYPE, ID) "{\"name\":\"" NAME "\",\"type\":" TYPE ",\"field-id\":" ID "}"
#define BARE(NAME, TYPE) "{\"name\":\"" NAME "\",\"type\":" TYPE "}"

static void d054_fields_are_found_by_id_without_any_header(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_io *io = fixture_io();
    frz_snapshot snapshot = fixture_snapshot(9, 7, 40, 30);
    static const char *const values[] = {"9", "1", "file:/m", "4711", "12", "3"};
    write_foreign(
        io, snapshot.manifest_list,
        AVRO("s", "\"long\"", "515") "," AVRO("c", "[\"int\",\"null\"]", "517") "," AVRO(
            "p", "\"string\"",
            "500") "," AVRO("l", "\"long\"", "501") "," AVRO("content", "\"long\"",
                                                             "503") "," AVRO("n", "\"int\"", "504"),
        "liulli", values, 6);
    const frz_manifest_list list = read_list(io, FIXTURE_V3, &snapshot, &arena);
    CHECK(list.count == 1 && list.files[0].content == 1 && list.files[0].sequence_number == 9);
    CHECK(list.files[0].length == 4711 && list.files[0].added_snapshot_id == 12);
    CHECK(list.files[0].added_files == 3 && list.files[0].existing_files == -1);
    CHECK(list.files[0].added_rows == -1 && list.files[0].first_row_id == -1);
    frz_arena_clear(&arena);
    frz_io_free(io);
}

static void fields_without_ids_are_found_by_name(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_io *io = fixture_io();
    frz_snapshot snapshot = fixture_snapshot(9, 7, 40, 30);
    static const char *const values[] = {"file:/m", "5", "1"};
    write_foreign(io, snapshot.manifest_list,
                  BARE("manifest_path", "\"string\"") "," BARE(
                      "sequence_number", "\"long\"") "," BARE("content", "\"int\""),
                  "uli", values, 3);
    const frz_manifest_list list = read_list(io, FIXTURE_V2, &snapshot, &arena);
    CHECK(list.count == 1 && list.files[0].sequence_number == 5 && list.files[0].content == 1);
    frz_arena_clear(&arena);
    frz_io_free(io);
}

static void expect_corrupt(const char *fields, const char *format, const char *const *values,
                           size_t count, const char *message)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_io *io = fixture_io();
    frz_manifest_list list = {0};
    frz_metadata *m = fixture_metadata(FIXTURE_V2);
    const frz_snapshot snapshot = fixture_snapshot(9, 7, -1, -1);
    write_foreign(io, snapshot.manifest_list, fields, format, values, count);
    CHECK_FAILS(frz_manifest_list_read(io, m, &snapshot, NULL, &arena, &list, &err), FRZ_CORRUPT,
                err, message);
    frz_metadata_unref(m);
    frz_arena_clear(&arena);
    frz_io_free(io);
}

static void bad_entries_are_named(void **state)
{
    (void)state;
    static const char *const no_path[] = {NULL};
    static const char *const content[] = {"m", "2"};
    static const char *const negative[] = {"m", "-4"};
    expect_corrupt(AVRO("p", "[\"null\",\"string\"]", "500"), "u", no_path, 1,
                   "manifest 0: manifest_path is missing");
    expect_corrupt(AVRO("p", "\"string\"", "500") "," AVRO("c", "\"int\"", "517"), "ui", content, 2,
                   "manifest 0 (m): content is 2");
    expect_corrupt(AVRO("p", "\"string\"", "500") "," AVRO("s", "\"long\"", "515"), "ul", negative,
                   2, "sequence number -4");
    expect_corrupt(AVRO("p", "\"string\"", "500") "," AVRO("s", "\"string\"", "515"), "uu",
                   negative, 2, "unexpected type");
}

/* "Snapshots", manifests: the header of each tells its spec; one without header keys has spec 0. */
static void v1_snapshots_may_name_their_manifests_themselves(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_io *io = fixture_io();
    frz_manifest_file written = {0};
    frz_manifest_list list = {0};
    frz_metadata *m = fixture_metadata(FIXTURE_V1);
    const frz_value tuple[4] = {{.form = FRZ_VALUE_NULL}};
    const char *const paths[] = {"file:/m0", "file:/m1", "file:/m2"};
    static const char *const values[] = {"1"};
    frz_manifest_entry entry = fixture_entry("file:/a", 5);
    frz_snapshot snapshot = {
        .snapshot_id = 8, .parent_id = FRZ_NO_SNAPSHOT, .manifests = paths, .manifest_count = 3};
    fixture_manifest(io, paths[0], m, 0, 0, &entry, 1, &arena, &written);
    write_foreign(io, paths[2], AVRO("status", "\"int\"", "0"), "i", values, 1);
    entry.file.partition = tuple;
    entry.file.partition_count = 4;
    fixture_manifest(io, paths[1], m, 1, 0, &entry, 1, &arena, &written);
    CHECK_OK(frz_manifest_list_read(io, m, &snapshot, NULL, &arena, &list, &err), err);
    CHECK(list.count == 3);
    for (size_t i = 0; i < 3; i++) {
        const frz_manifest_file *file = &list.files[i];
        CHECK(strcmp(file->path, paths[i]) == 0 && file->added_snapshot_id == 8);
        CHECK(file->added_files == -1 && file->existing_rows == -1 && file->content == 0);
        CHECK(file->sequence_number == 0 && file->first_row_id == -1 && !file->partitions);
        CHECK(file->spec_id == (i == 1));
    }
    CHECK(list.files[1].length == written.length);
    CHECK_OK(frz_io_write_file(io, "file:/no", frz_slice_of_text("1234567"), &err), err);
    snapshot.manifests = &(const char *){"file:/no"};
    snapshot.manifest_count = 1;
    CHECK_FAILS(frz_manifest_list_read(io, m, &snapshot, NULL, &arena, &list, &err), FRZ_CORRUPT,
                err, "manifest list in table metadata: manifest file:/no: not an Avro file");
    frz_metadata_unref(m);
    frz_arena_clear(&arena);
    frz_io_free(io);
}

static void what_cannot_be_read_is_named(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_io *io = fixture_io();
    frz_manifest_list list = {0};
    frz_metadata *m = fixture_metadata(FIXTURE_V3);
    frz_snapshot snapshot = fixture_snapshot(9, 7, 40, 30);
    CHECK_FAILS(frz_manifest_list_read(io, m, &snapshot, NULL, &arena, &list, &err), FRZ_NOT_FOUND,
                err, "manifest list file:/t/metadata/snap.avro");
    snapshot.key_id = "k1";
    CHECK_FAILS(frz_manifest_list_read(io, m, &snapshot, NULL, &arena, &list, &err),
                FRZ_UNSUPPORTED, err, "encrypted (key k1)");
    frz_metadata_unref(m);
    frz_arena_clear(&arena);
    frz_io_free(io);
}

static frz_io *swept_io;
static frz_metadata *swept_metadata;

static void read_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_manifest_list list = {0};
    const frz_snapshot snapshot = fixture_snapshot(9, 7, 40, 30);
    const frz_status status =
        frz_manifest_list_read(swept_io, swept_metadata, &snapshot, NULL, &arena, &list, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void survives_short_memory(void **state)
{
    (void)state;
    frz_error *err = NULL;
    const frz_snapshot snapshot = fixture_snapshot(9, 7, 40, 30);
    const frz_manifest_file files[] = {file_of("file:/m1", 1)};
    swept_io = fixture_io();
    swept_metadata = fixture_metadata(FIXTURE_V3);
    CHECK_OK(
        frz_manifest_list_write(swept_io, snapshot.manifest_list, 3, &snapshot, files, 1, &err),
        err);
    sweep_allocation_failures(read_once);
    frz_metadata_unref(swept_metadata);
    frz_io_free(swept_io);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_was_written),
        cmocka_unit_test(d054_fields_are_found_by_id_without_any_header),
        cmocka_unit_test(fields_without_ids_are_found_by_name),
        cmocka_unit_test(bad_entries_are_named),
        cmocka_unit_test(v1_snapshots_may_name_their_manifests_themselves),
        cmocka_unit_test(what_cannot_be_read_is_named),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
