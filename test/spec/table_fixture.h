/*
 * Small tables for the tests of table metadata and manifests: metadata texts per format version,
 * and shorthands that fail the test with the error's message.
 */
#ifndef FRZ_TEST_SPEC_TABLE_FIXTURE_H
#define FRZ_TEST_SPEC_TABLE_FIXTURE_H

#include "harness.h"

#include "frazil/io.h"
#include "io/file.h"
#include "spec/manifest.h"
#include "spec/manifest_list.h"
#include "spec/metadata.h"
#include "spec/update.h"

/* Columns 1 id long, 2 name string, 3 price double, 4 when timestamp, 5 key uuid. */
#define FIXTURE_SCHEMA(ID)                                                    \
    "{\"type\":\"struct\",\"schema-id\":" ID ",\"fields\":["                  \
    "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"         \
    "{\"id\":2,\"name\":\"name\",\"required\":false,\"type\":\"string\"},"    \
    "{\"id\":3,\"name\":\"price\",\"required\":false,\"type\":\"double\"},"   \
    "{\"id\":4,\"name\":\"when\",\"required\":false,\"type\":\"timestamp\"}," \
    "{\"id\":5,\"name\":\"key\",\"required\":false,\"type\":\"uuid\"}]}"

/* Spec 0 unpartitioned, spec 1 (name, price, day of when, key). */
#define FIXTURE_SPECS                                                                    \
    "[{\"spec-id\":0,\"fields\":[]},{\"spec-id\":1,\"fields\":["                         \
    "{\"source-id\":2,\"field-id\":1000,\"name\":\"name\",\"transform\":\"identity\"},"  \
    "{\"source-id\":3,\"field-id\":1001,\"name\":\"price\",\"transform\":\"identity\"}," \
    "{\"source-id\":4,\"field-id\":1002,\"name\":\"the day\",\"transform\":\"day\"},"    \
    "{\"source-id\":5,\"field-id\":1003,\"name\":\"key\",\"transform\":\"identity\"}]}]"

/* A table of VERSION without snapshots, with MORE members (each followed by a comma). */
#define FIXTURE_TABLE(VERSION, MORE)                                                           \
    "{\"format-version\":" VERSION ",\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\"," \
    "\"location\":\"file:/t\"," MORE                                                           \
    "\"last-sequence-number\":34,\"last-updated-ms\":1602638573590,"                           \
    "\"last-column-id\":5,\"current-schema-id\":0,\"schemas\":[" FIXTURE_SCHEMA(               \
        "0") "],"                                                                              \
             "\"default-spec-id\":0,\"partition-specs\":" FIXTURE_SPECS                        \
             ",\"last-partition-id\":1003,"                                                    \
             "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}]}"

#define FIXTURE_V1 FIXTURE_TABLE("1", "")
#define FIXTURE_V2 FIXTURE_TABLE("2", "")
#define FIXTURE_V3 FIXTURE_TABLE("3", "\"next-row-id\":100,")

/* NULL when memory was made short. */
static inline frz_metadata *fixture_metadata(const char *json)
{
    frz_metadata *metadata = NULL;
    frz_error *err = NULL;
    const frz_status status =
        frz_metadata_parse(frz_slice_of_text(json), &frz_limits_default, &metadata, &err);
    if (status != FRZ_OK && !frz_mem_failed())
        fail_msg("%s", frz_error_message(err));
    frz_error_free(err);
    return metadata;
}

/* The JSON of metadata; to be freed with frz_free. NULL when memory was made short. */
static inline char *fixture_print(const frz_metadata *metadata)
{
    frz_buffer text = {0};
    frz_error *err = NULL;
    char *copy = NULL;
    const frz_status status = frz_metadata_print(metadata, &text, &err);
    if (status == FRZ_OK)
        copy = frz_copy_text_n((const char *)text.data, text.size);
    else if (!frz_mem_failed())
        fail_msg("%s", frz_error_message(err));
    frz_error_free(err);
    frz_buffer_clear(&text);
    return copy;
}

/* A snapshot as a commit of V3 makes it. */
static inline frz_snapshot fixture_snapshot(int64_t id, int64_t sequence_number,
                                            int64_t first_row_id, int64_t added_rows)
{
    return (frz_snapshot){.snapshot_id = id,
                          .parent_id = FRZ_NO_SNAPSHOT,
                          .sequence_number = sequence_number,
                          .timestamp_ms = 1602638573600 + sequence_number,
                          .operation = "append",
                          .manifest_list = "file:/t/metadata/snap.avro",
                          .schema_id = 0,
                          .first_row_id = first_row_id,
                          .added_rows = added_rows};
}

static inline frz_snapshot_ref fixture_ref(const char *name, int64_t snapshot_id)
{
    return (frz_snapshot_ref){.name = name,
                              .snapshot_id = snapshot_id,
                              .min_snapshots_to_keep = -1,
                              .max_snapshot_age_ms = -1,
                              .max_ref_age_ms = -1};
}

/* A new Parquet data file without partition, ready to be added. */
static inline frz_manifest_entry fixture_entry(const char *path, int64_t record_count)
{
    return (frz_manifest_entry){.status = FRZ_ENTRY_ADDED,
                                .snapshot_id = FRZ_NO_SNAPSHOT,
                                .sequence_number = -1,
                                .file_sequence_number = -1,
                                .file = {.content = FRZ_CONTENT_DATA,
                                         .format = FRZ_FORMAT_PARQUET,
                                         .format_text = frz_slice_of_text("parquet"),
                                         .path = frz_slice_of_text(path),
                                         .record_count = record_count,
                                         .file_size = 1000,
                                         .sort_order_id = -1,
                                         .first_row_id = -1,
                                         .content_offset = -1,
                                         .content_size = -1}};
}

static inline frz_io *fixture_io(void)
{
    frz_io *io = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    return io;
}

/* Writes a manifest of `count` entries; *out is described in `arena`. */
static inline void fixture_manifest(frz_io *io, const char *path, const frz_metadata *metadata,
                                    int32_t spec_id, int32_t content,
                                    const frz_manifest_entry *entries, size_t count,
                                    frz_arena *arena, frz_manifest_file *out)
{
    frz_error *err = NULL;
    frz_manifest_writer *writer = NULL;
    CHECK_OK(frz_manifest_writer_open(io, path, metadata, spec_id, content, 77, &writer, &err),
             err);
    for (size_t i = 0; i < count; i++)
        CHECK_OK(frz_manifest_writer_add(writer, &entries[i], &err), err);
    CHECK_OK(frz_manifest_writer_finish(writer, arena, out, &err), err);
    frz_manifest_writer_free(writer);
}

#endif
