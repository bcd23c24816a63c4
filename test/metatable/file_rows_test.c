/*
 * The tables over files of a table with many of them: memory that does not grow with the table, and
 * metrics that are decoded only where they are asked for.
 */
#include "metatable/rows.h"

#include <sys/resource.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "spec/table_fixture.h"

#include "frazil/table.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MEMORY_IS_TOLD = false }; /* freed memory stays with the sanitizer */
#else
enum { MEMORY_IS_TOLD = true };
#endif

enum { COLUMNS = 16, FILES_PER_MANIFEST = 2000 };

static const char columns_json[] =
    "{\"id\":%d,\"name\":\"c%d\",\"required\":false,\"type\":\"long\"}";

/* A table of one snapshot, whose list is at mem:/big/snap.avro. */
static void print_table(frz_buffer *out)
{
    frz_buffer_append_text(
        out, "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","
             "\"location\":\"mem:/big\",\"last-sequence-number\":1,\"last-updated-ms\":5,"
             "\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,"
             "\"fields\":[");
    for (int i = 1; i <= COLUMNS; i++) {
        frz_buffer_append_text(out, i > 1 ? "," : "");
        frz_buffer_printf(out, columns_json, i, i);
    }
    frz_buffer_printf(
        out,
        "]}],\"last-column-id\":%d,\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,"
        "\"fields\":[]}],\"last-partition-id\":999,\"default-sort-order-id\":0,\"sort-orders\":"
        "[{\"order-id\":0,\"fields\":[]}],\"current-snapshot-id\":7,\"snapshots\":[{"
        "\"snapshot-id\":7,\"sequence-number\":1,\"timestamp-ms\":5,\"summary\":{\"operation\":"
        "\"append\"},\"manifest-list\":\"mem:/big/snap.avro\",\"schema-id\":0}]}",
        COLUMNS);
    frz_buffer_append_byte(out, 0);
}

static void write_manifest(frz_io *io, const frz_metadata *metadata, int number, frz_arena *arena,
                           frz_manifest_file *out)
{
    frz_error *err = NULL;
    frz_manifest_writer *writer = NULL;
    const char *path = frz_arena_printf(arena, "mem:/big/m%d.avro", number);
    CHECK_OK(frz_manifest_writer_open(io, path, metadata, 0, 0, 7, &writer, &err), err);
    for (int64_t i = 0; i < FILES_PER_MANIFEST; i++) {
        frz_column_metrics metrics[COLUMNS];
        int64_t bounds[COLUMNS];
        char file[64];
        (void)snprintf(file, sizeof file, "mem:/big/data/%d-%lld.parquet", number, (long long)i);
        for (int c = 0; c < COLUMNS; c++) {
            bounds[c] = (int64_t)number * FILES_PER_MANIFEST + i + c;
            metrics[c] = (frz_column_metrics){.field_id = c + 1,
                                              .column_size = 100 + c,
                                              .value_count = 10,
                                              .null_count = 0,
                                              .nan_count = -1,
                                              .has_lower = true,
                                              .has_upper = true,
                                              .lower = frz_slice_of(&bounds[c], 8),
                                              .upper = frz_slice_of(&bounds[c], 8)};
        }
        frz_manifest_entry entry = fixture_entry(file, 10);
        entry.file.columns = metrics;
        entry.file.column_count = COLUMNS;
        entry.file.metric_maps = 0x37;
        CHECK_OK(frz_manifest_writer_add(writer, &entry, &err), err);
    }
    CHECK_OK(frz_manifest_writer_finish(writer, arena, out, &err), err);
    frz_manifest_writer_free(writer);
    out->sequence_number = 1;
    out->min_sequence_number = 1;
    out->added_snapshot_id = 7;
}

typedef struct big_table {
    frz_io *io;
    frz_table *table;
} big_table;

static big_table make_table(int manifests)
{
    big_table self = {.io = fixture_io()};
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_buffer json = {0};
    frz_manifest_file *files = frz_arena_array(&arena, (size_t)manifests, sizeof *files);
    print_table(&json);
    frz_metadata *metadata = fixture_metadata((const char *)json.data);
    for (int i = 0; i < manifests; i++)
        write_manifest(self.io, metadata, i, &arena, &files[i]);
    CHECK_OK(frz_manifest_list_write(self.io, "mem:/big/snap.avro", 2, &metadata->snapshots[0],
                                     files, (size_t)manifests, &err),
             err);
    CHECK_OK(frz_io_write_file(self.io, "mem:/big/v1.metadata.json",
                               frz_slice_of(json.data, json.size - 1), &err),
             err);
    CHECK_OK(frz_table_open("mem:/big/v1.metadata.json", self.io, &self.table, &err), err);
    frz_metadata_unref(metadata);
    frz_buffer_clear(&json);
    frz_arena_clear(&arena);
    return self;
}

static void free_table(big_table *self)
{
    frz_table_free(self->table);
    frz_io_free(self->io);
}

/* Rows of the stream, and the greatest batch among them. */
static int64_t read_all(const frz_table *table, frz_metadata_table kind,
                        const frz_metadata_options *options, int64_t *largest_out)
{
    frz_error *err = NULL;
    struct ArrowArrayStream stream = {0};
    int64_t rows = 0;
    *largest_out = 0;
    CHECK_OK(frz_table_metadata_stream(table, kind, options, &stream, &err), err);
    for (;;) {
        struct ArrowArray batch = {0};
        const frz_status status = frz_arrow_stream_next(&stream, &batch, &err);
        if (status == FRZ_END)
            break;
        CHECK_OK(status, err);
        rows += batch.length;
        *largest_out = batch.length > *largest_out ? batch.length : *largest_out;
        frz_arrow_array_clear(&batch);
    }
    frz_arrow_stream_clear(&stream);
    return rows;
}

static int64_t resident_kb(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_maxrss;
}

/* A small table sets the mark: a part of a manifest and a batch. One of twelve times the files,
 * whose decoded metrics would take 30 MB, takes hardly more. */
static void memory_does_not_grow_with_the_table(void **state)
{
    (void)state;
    static const frz_metadata_table kinds[] = {FRZ_METADATA_TABLE_FILES, FRZ_METADATA_TABLE_ENTRIES,
                                               FRZ_METADATA_TABLE_ALL_FILES,
                                               FRZ_METADATA_TABLE_PARTITIONS};
    enum { MANIFESTS = 12, GROWTH_KB = 8 * 1024 };
    big_table small = make_table(1);
    big_table large = make_table(MANIFESTS);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int64_t largest = 0;
        const bool grouped = kinds[i] == FRZ_METADATA_TABLE_PARTITIONS;
        CHECK(read_all(small.table, kinds[i], NULL, &largest) ==
              (grouped ? 1 : FILES_PER_MANIFEST));
        const int64_t before = resident_kb();
        CHECK(read_all(large.table, kinds[i], NULL, &largest) ==
              (grouped ? 1 : MANIFESTS * FILES_PER_MANIFEST));
        CHECK(largest <= FRZ_METADATA_BATCH_ROWS);
        if (MEMORY_IS_TOLD && resident_kb() - before > GROWTH_KB)
            fail_msg("table %d: %lld KB more than a small table", (int)kinds[i],
                     (long long)(resident_kb() - before));
    }
    free_table(&small);
    free_table(&large);
}

static void filters_find_files_of_a_large_table(void **state)
{
    (void)state;
    big_table self = make_table(3);
    int64_t largest = 0;
    const char *column = "file_path";
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    options.where = "readable_metrics.c3.lower_bound between 4000 and 4099";
    options.select = &column;
    options.select_count = 1;
    CHECK(read_all(self.table, FRZ_METADATA_TABLE_FILES, &options, &largest) == 100);
    options.where =
        "readable_metrics.c1.column_size = 100 and readable_metrics.c2.column_size = 101 "
        "and lower_bounds[2] = X'0700000000000000'";
    CHECK(read_all(self.table, FRZ_METADATA_TABLE_FILES, &options, &largest) == 1);
    options.where = "readable_metrics.c1.column_size = 101";
    CHECK(read_all(self.table, FRZ_METADATA_TABLE_FILES, &options, &largest) == 0);
    options.where =
        "data_file.split_offsets is null and data_file.file_path like '%/2-1999.parquet'";
    column = "data_file.column_sizes";
    CHECK(read_all(self.table, FRZ_METADATA_TABLE_ALL_ENTRIES, &options, &largest) == 1);
    free_table(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_does_not_grow_with_the_table),
        cmocka_unit_test(filters_find_files_of_a_large_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
