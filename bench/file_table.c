#include "file_table.h"

#include <stdio.h>

#include "frazil/io.h"
#include "io/file.h"
#include "measure.h"
#include "spec/manifest.h"

enum { COLUMNS_MAX = 200, PATH_SIZE = 600, SNAPSHOT = 7, PARTITION_WIDTH = 1000, ROWS = 1000 };

static void print_metadata(const char *folder, int columns, frz_buffer *out)
{
    frz_buffer_printf(
        out,
        "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","
        "\"location\":\"%s\",\"last-sequence-number\":1,\"last-updated-ms\":5,"
        "\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":[",
        folder);
    for (int i = 1; i <= columns; i++)
        frz_buffer_printf(out,
                          "%s{\"id\":%d,\"name\":\"c%d\",\"required\":false,\"type\":\"long\"}",
                          i > 1 ? "," : "", i, i);
    frz_buffer_printf(
        out,
        "]}],\"last-column-id\":%d,\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,"
        "\"fields\":[{\"source-id\":1,\"field-id\":1000,\"name\":\"part\",\"transform\":"
        "\"truncate[%d]\"}]}],\"last-partition-id\":1000,\"default-sort-order-id\":0,"
        "\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],\"current-snapshot-id\":%d,"
        "\"snapshots\":[{\"snapshot-id\":%d,\"sequence-number\":1,\"timestamp-ms\":5,\"summary\":"
        "{\"operation\":\"append\"},\"manifest-list\":\"%s/snap.avro\",\"schema-id\":0}]}",
        columns, PARTITION_WIDTH, SNAPSHOT, SNAPSHOT, folder);
}

static void add_file(frz_manifest_writer *writer, const char *folder, int columns, int64_t number)
{
    frz_error *err = NULL;
    frz_column_metrics metrics[COLUMNS_MAX];
    int64_t bounds[COLUMNS_MAX][2];
    char path[PATH_SIZE];
    const frz_value partition = {.form = FRZ_VALUE_INTEGER,
                                 .integer = number / PARTITION_WIDTH * PARTITION_WIDTH};
    (void)snprintf(path, sizeof path, "%s/data/part=%lld/%08llx-%016llx-00001.parquet", folder,
                   (long long)partition.integer, (unsigned long long)number,
                   (unsigned long long)bench_random());
    for (int i = 0; i < columns; i++) {
        bounds[i][0] = i == 0 ? number : (int64_t)(bench_random() >> 20);
        bounds[i][1] = i == 0 ? number : bounds[i][0] + (int64_t)(bench_random() >> 40);
        metrics[i] = (frz_column_metrics){.field_id = i + 1,
                                          .column_size = 4000 + (int64_t)(bench_random() % 4000),
                                          .value_count = ROWS,
                                          .null_count = (int64_t)(bench_random() % 10),
                                          .nan_count = -1,
                                          .has_lower = true,
                                          .has_upper = true,
                                          .lower = frz_slice_of(&bounds[i][0], sizeof(int64_t)),
                                          .upper = frz_slice_of(&bounds[i][1], sizeof(int64_t))};
    }
    const frz_manifest_entry entry = {.status = FRZ_ENTRY_ADDED,
                                      .snapshot_id = SNAPSHOT,
                                      .sequence_number = -1,
                                      .file_sequence_number = -1,
                                      .file = {.format = FRZ_FORMAT_PARQUET,
                                               .format_text = frz_slice_of_text("PARQUET"),
                                               .path = frz_slice_of_text(path),
                                               .partition = &partition,
                                               .partition_count = 1,
                                               .record_count = ROWS,
                                               .file_size = 100000,
                                               .columns = metrics,
                                               .column_count = (size_t)columns,
                                               .metric_maps = 0x37,
                                               .sort_order_id = -1,
                                               .first_row_id = -1,
                                               .content_offset = -1,
                                               .content_size = -1}};
    bench_must(frz_manifest_writer_add(writer, &entry, &err), err);
}

double bench_file_table_make(const char *folder, const bench_file_table *shape)
{
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_arena arena = {0};
    frz_buffer json = {0};
    frz_metadata *metadata = NULL;
    char path[PATH_SIZE];
    double bytes = 0;
    const int64_t count =
        (shape->files + shape->files_per_manifest - 1) / shape->files_per_manifest;
    frz_manifest_file *manifests = frz_arena_array(&arena, (size_t)count, sizeof *manifests);
    bench_must(frz_io_local_new(&io, &err), err);
    print_metadata(folder, shape->columns, &json);
    bench_must(frz_metadata_parse(frz_buffer_slice(&json), NULL, &metadata, &err), err);
    for (int64_t i = 0; manifests && i < count; i++) {
        frz_manifest_writer *writer = NULL;
        (void)snprintf(path, sizeof path, "%s/m%lld.avro", folder, (long long)i);
        bench_must(frz_manifest_writer_open(io, path, metadata, 0, 0, SNAPSHOT, &writer, &err),
                   err);
        for (int64_t k = i * shape->files_per_manifest;
             k < (i + 1) * shape->files_per_manifest && k < shape->files; k++)
            add_file(writer, folder, shape->columns, k);
        bench_must(frz_manifest_writer_finish(writer, &arena, &manifests[i], &err), err);
        frz_manifest_writer_free(writer);
        manifests[i].sequence_number = 1;
        manifests[i].min_sequence_number = 1;
        manifests[i].added_snapshot_id = SNAPSHOT;
        bytes += (double)manifests[i].length;
    }
    (void)snprintf(path, sizeof path, "%s/snap.avro", folder);
    bench_must(frz_manifest_list_write(io, path, 2, &metadata->snapshots[0], manifests,
                                       (size_t)count, &err),
               err);
    (void)snprintf(path, sizeof path, "%s/v1.metadata.json", folder);
    bench_must(frz_io_write_file(io, path, frz_buffer_slice(&json), &err), err);
    frz_metadata_unref(metadata);
    frz_buffer_clear(&json);
    frz_arena_clear(&arena);
    frz_io_free(io);
    return bytes / 1e6;
}
