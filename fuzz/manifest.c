/*
 * Manifest lists and manifests: the first byte chooses list (l), data (0) or deletes (1), the rest
 * is the Avro file. What is read keeps its promises: metrics sorted, partition tuples complete,
 * numbers inherited.
 */
#include "spec/manifest.h"

#include "target.h"

static const char table[] =
    "{\"format-version\":3,\"table-uuid\":\"u\",\"location\":\"t\",\"last-sequence-number\":9,"
    "\"last-updated-ms\":1,\"last-column-id\":3,\"current-schema-id\":0,\"schemas\":[{\"type\":"
    "\"struct\","
    "\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"b\",\"required\":false,\"type\":\"string\"},"
    "{\"id\":3,\"name\":\"c\",\"required\":false,\"type\":\"timestamp\"}]}],\"default-spec-id\":0,"
    "\"partition-specs\":[{\"spec-id\":0,\"fields\":["
    "{\"source-id\":2,\"field-id\":1000,\"name\":\"b\",\"transform\":\"identity\"},"
    "{\"source-id\":3,\"field-id\":1001,\"name\":\"c_day\",\"transform\":\"day\"}]}],"
    "\"last-partition-id\":1001,\"default-sort-order-id\":0,"
    "\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],\"next-row-id\":0}";

static void check_entry(const frz_manifest_entry *entry)
{
    const frz_data_file *file = &entry->file;
    FUZZ_CHECK(file->partition_count == 2 && file->partition && file->path.size > 0);
    FUZZ_CHECK(file->record_count >= 0 && file->file_size >= 0);
    for (size_t i = 1; i < file->column_count; i++)
        FUZZ_CHECK(file->columns[i - 1].field_id < file->columns[i].field_id);
    if (entry->status != FRZ_ENTRY_DELETED && file->content == FRZ_CONTENT_DATA)
        FUZZ_CHECK(file->first_row_id >= 0);
    if (entry->status != FRZ_ENTRY_DELETED)
        FUZZ_CHECK(entry->sequence_number >= 0);
}

static void check_manifest(frz_io *io, const frz_metadata *metadata, int32_t content)
{
    frz_manifest *manifest = NULL;
    frz_error *err = NULL;
    const frz_manifest_file source = {
        .path = "file:/m", .content = content, .sequence_number = 7, .first_row_id = 100};
    const frz_status status = frz_manifest_read(io, &source, metadata, NULL, NULL, &manifest, &err);
    FUZZ_CHECK((status == FRZ_OK) == (manifest != NULL) && frz_error_status(err) == status);
    for (size_t i = 0; manifest && i < frz_manifest_count(manifest); i++)
        check_entry(frz_manifest_entry_at(manifest, i));
    frz_manifest_unref(manifest);
    frz_error_free(err);
}

static void check_list(frz_io *io, const frz_metadata *metadata)
{
    frz_arena arena = {.budget = (size_t)64 << 20};
    frz_manifest_list list = {0};
    frz_error *err = NULL;
    const frz_snapshot snapshot = {.snapshot_id = 5, .manifest_list = "file:/l"};
    const frz_status status =
        frz_manifest_list_read(io, metadata, &snapshot, NULL, &arena, &list, &err);
    FUZZ_CHECK(frz_error_status(err) == status);
    for (size_t i = 0; i < list.count; i++)
        FUZZ_CHECK(list.files[i].path && list.files[i].path[0] &&
                   list.files[i].sequence_number >= 0);
    frz_error_free(err);
    frz_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    frz_metadata *metadata = NULL;
    if (size == 0)
        return 0;
    FUZZ_CHECK(frz_metadata_parse(frz_slice_of(table, sizeof table - 1), NULL, &metadata, NULL) ==
               FRZ_OK);
    fuzz_storage file = fuzz_storage_over(data + 1, size - 1);
    if (data[0] == 'l')
        check_list(&file.io, metadata);
    else
        check_manifest(&file.io, metadata, data[0] == '1');
    frz_metadata_unref(metadata);
    return 0;
}
