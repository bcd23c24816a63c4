#include <stdio.h>

#include "arrow/builder.h"
#include "avro/writer.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/number.h"
#include "io/file.h"
#include "spec/manifest.h"
#include "spec/manifest_row.h"
#include "spec/manifest_schema.h"
#include "spec/partition_summary.h"

enum { BATCH_ROWS = 256, LEVEL_DEFAULT = 1, HEADER_MAX = 6 };

/* An output that knows how much went through it. */
typedef struct counted_output {
    frz_output output; /* first */
    frz_output *inner; /* owned until it is committed */
    uint64_t size;
} counted_output;

struct frz_manifest_writer {
    frz_metadata *metadata; /* a reference; owns spec and partition type */
    const frz_type *partition;
    char *location;
    int32_t spec_id;
    int32_t content;
    int64_t snapshot_id;
    counted_output output;
    struct ArrowSchema schema;
    frz_arrow_builder *builder;
    frz_avro_writer *avro;
    frz_partition_summary *summary;
    int32_t files[3]; /* by frz_entry_status */
    int64_t rows[3];
    int64_t min_sequence_number; /* of live files; -1 = all inherit */
};

static frz_status counted_write(frz_output *output, const void *bytes, size_t size, frz_error **err)
{
    counted_output *counted = (counted_output *)output;
    FRZ_TRY(frz_output_write(counted->inner, bytes, size, err));
    counted->size += size;
    return FRZ_OK;
}

static frz_status counted_commit(frz_output *output, frz_error **err)
{
    counted_output *counted = (counted_output *)output;
    frz_output *inner = counted->inner;
    counted->inner = NULL;
    return frz_output_commit(inner, err);
}

static void counted_abort(frz_output *output)
{
    counted_output *counted = (counted_output *)output;
    frz_output_abort(counted->inner);
    counted->inner = NULL;
}

static const frz_output_ops counted_ops = {
    .write = counted_write, .commit = counted_commit, .abort = counted_abort};

/* write.manifest.compression-codec and -level; deflate at its fastest unless they say otherwise. */
static frz_status choose_codec(const frz_metadata *metadata, frz_avro_writer_options *options,
                               frz_error **err)
{
    static const struct {
        const char *name;
        frz_codec codec;
    } codecs[] = {{"gzip", FRZ_CODEC_DEFLATE},
                  {"deflate", FRZ_CODEC_DEFLATE},
                  {"zstd", FRZ_CODEC_ZSTD},
                  {"snappy", FRZ_CODEC_SNAPPY},
                  {"uncompressed", FRZ_CODEC_NONE}};
    const char *name = frz_metadata_property(metadata, "write.manifest.compression-codec");
    const char *level = frz_metadata_property(metadata, "write.manifest.compression-level");
    const frz_slice wanted = frz_slice_of_text(name ? name : codecs[0].name);
    size_t i = 0;
    while (i < sizeof codecs / sizeof codecs[0] && !frz_slice_is_text(wanted, codecs[i].name))
        i++;
    if (i == sizeof codecs / sizeof codecs[0])
        return frz_fail(
            err, FRZ_INVALID, FRZ_NO_OFFSET,
            "table property write.manifest.compression-codec: expected gzip, zstd, snappy or "
            "uncompressed, got \"%s\"",
            name);
    int64_t number = LEVEL_DEFAULT;
    if (level && (!frz_number_parse_i64(level, strlen(level), &number) || number < INT32_MIN ||
                  number > INT32_MAX))
        return frz_fail(
            err, FRZ_INVALID, FRZ_NO_OFFSET,
            "table property write.manifest.compression-level: expected a number, got \"%s\"",
            level);
    options->codec = codecs[i].codec;
    options->codec_level = (int32_t)number;
    return FRZ_OK;
}

frz_status frz_manifest_codec_check(const frz_metadata *metadata, frz_error **err)
{
    frz_avro_writer_options options = {0};
    return choose_codec(metadata, &options, err);
}

/* The texts behind the header's values. */
typedef struct header_texts {
    frz_buffer schema;
    frz_buffer spec;
    char schema_id[16];
    char spec_id[16];
    char version[8];
} header_texts;

/* Spec "Manifests": the key-value metadata. `schema` is the table's schema, `partition-spec` the
 * bare array of fields (D142). */
static size_t make_header(const frz_manifest_writer *writer, header_texts *texts,
                          frz_avro_key_value items[HEADER_MAX])
{
    const frz_metadata *m = writer->metadata;
    frz_json_writer json = frz_json_writer_to(&texts->schema, 0);
    frz_schema_write_json(frz_metadata_schema(m), &json);
    json = frz_json_writer_to(&texts->spec, 0);
    frz_partition_fields_write_json(frz_metadata_find_spec(m, writer->spec_id), &json);
    (void)snprintf(texts->schema_id, sizeof texts->schema_id, "%d", m->current_schema_id);
    (void)snprintf(texts->spec_id, sizeof texts->spec_id, "%d", writer->spec_id);
    (void)snprintf(texts->version, sizeof texts->version, "%d", m->format_version);
    const frz_avro_key_value all[HEADER_MAX] = {
        {"schema", frz_buffer_slice(&texts->schema)},
        {"schema-id", frz_slice_of_text(texts->schema_id)},
        {"partition-spec", frz_buffer_slice(&texts->spec)},
        {"partition-spec-id", frz_slice_of_text(texts->spec_id)},
        {"format-version", frz_slice_of_text(texts->version)},
        {"content", frz_slice_of_text(writer->content ? "deletes" : "data")}};
    memcpy(items, all, sizeof all);
    return m->format_version == 1 ? HEADER_MAX - 1 : HEADER_MAX;
}

static frz_status open_avro(frz_manifest_writer *writer, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer schema = {0};
    header_texts texts = {0};
    frz_avro_key_value items[HEADER_MAX];
    frz_avro_writer_options options = {.struct_size = sizeof options, .metadata = items};
    FRZ_TRY_DONE(choose_codec(writer->metadata, &options, err));
    options.metadata_count = make_header(writer, &texts, items);
    frz_manifest_avro_schema(writer->metadata->format_version, writer->partition, &schema);
    FRZ_TRY_DONE(frz_buffer_check(&schema, err));
    FRZ_TRY_DONE(frz_buffer_check(&texts.schema, err));
    FRZ_TRY_DONE(frz_buffer_check(&texts.spec, err));
    FRZ_TRY_DONE(frz_avro_writer_open(&writer->output.output, frz_buffer_slice(&schema), &options,
                                      &writer->avro, err));
done:
    frz_buffer_clear(&schema);
    frz_buffer_clear(&texts.schema);
    frz_buffer_clear(&texts.spec);
    return status;
}

static frz_status open_writer(frz_manifest_writer *writer, frz_io *io, frz_error **err)
{
    const frz_metadata *m = writer->metadata;
    writer->partition = frz_metadata_partition_type(m, writer->spec_id);
    if (!writer->partition)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "partition spec %d is none of the table's specs", writer->spec_id);
    if (m->format_version == 1 && writer->content != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "a manifest of deletes; format version 1 has none");
    FRZ_TRY(frz_manifest_arrow_schema(m->format_version, writer->partition, &writer->schema, err));
    FRZ_TRY(frz_arrow_builder_new(&writer->schema, &writer->builder, err));
    FRZ_TRY(frz_partition_summary_new(writer->partition, &writer->summary, err));
    FRZ_TRY(frz_io_create(io, writer->location, &writer->output.inner, err));
    writer->output.output.ops = &counted_ops;
    return open_avro(writer, err);
}

/* Each describes the manifest once. NOLINTNEXTLINE(readability-function-size) */
frz_status frz_manifest_writer_open(frz_io *io, const char *location, const frz_metadata *metadata,
                                    int32_t spec_id, int32_t content, int64_t snapshot_id,
                                    frz_manifest_writer **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_manifest_writer *writer = frz_alloc_zero(sizeof *writer);
    if (!writer)
        return frz_fail_memory(err);
    writer->metadata = frz_metadata_ref(metadata);
    writer->spec_id = spec_id;
    writer->content = content;
    writer->snapshot_id = snapshot_id;
    writer->min_sequence_number = -1;
    writer->location = frz_copy_text(location);
    status = writer->location ? open_writer(writer, io, err) : frz_fail_memory(err);
    if (status != FRZ_OK) {
        frz_manifest_writer_free(writer);
        return frz_context(err, status, "manifest %s", location);
    }
    *out = writer;
    return FRZ_OK;
}

static frz_status flush(frz_manifest_writer *writer, frz_error **err)
{
    struct ArrowArray rows = {0};
    if (frz_arrow_builder_length(writer->builder) == 0)
        return FRZ_OK;
    FRZ_TRY(frz_arrow_builder_finish(writer->builder, &rows, err));
    const frz_status status = frz_avro_writer_write(writer->avro, &writer->schema, &rows, err);
    frz_arrow_array_clear(&rows);
    return status;
}

static void count_entry(frz_manifest_writer *writer, const frz_manifest_entry *entry)
{
    writer->files[entry->status]++;
    writer->rows[entry->status] += entry->file.record_count;
    if (entry->status != FRZ_ENTRY_DELETED && entry->sequence_number >= 0 &&
        (writer->min_sequence_number < 0 || entry->sequence_number < writer->min_sequence_number))
        writer->min_sequence_number = entry->sequence_number;
}

frz_status frz_manifest_writer_add(frz_manifest_writer *writer, const frz_manifest_entry *entry,
                                   frz_error **err)
{
    const frz_manifest_row row = {.format_version = writer->metadata->format_version,
                                  .content = writer->content,
                                  .snapshot_id = writer->snapshot_id,
                                  .partition = writer->partition,
                                  .entry = entry};
    FRZ_TRY(frz_manifest_row_check(&row, err));
    if (writer->files[entry->status] == INT32_MAX ||
        entry->file.record_count > INT64_MAX - writer->rows[entry->status])
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "too many entries for one manifest");
    FRZ_TRY(frz_partition_summary_add(writer->summary, entry->file.partition, err));
    frz_manifest_row_append(&row, writer->builder);
    count_entry(writer, entry);
    return frz_arrow_builder_length(writer->builder) >= BATCH_ROWS ? flush(writer, err) : FRZ_OK;
}

uint64_t frz_manifest_writer_size(const frz_manifest_writer *writer)
{
    return writer->output.size;
}

static frz_status finish(frz_manifest_writer *writer, frz_arena *arena, frz_manifest_file *out,
                         frz_error **err)
{
    uint64_t size = 0;
    frz_manifest_file file = {.path = frz_arena_text(arena, writer->location),
                              .spec_id = writer->spec_id,
                              .content = writer->content,
                              .sequence_number = -1,
                              .min_sequence_number = writer->min_sequence_number,
                              .added_snapshot_id = writer->snapshot_id,
                              .added_files = writer->files[FRZ_ENTRY_ADDED],
                              .existing_files = writer->files[FRZ_ENTRY_EXISTING],
                              .deleted_files = writer->files[FRZ_ENTRY_DELETED],
                              .added_rows = writer->rows[FRZ_ENTRY_ADDED],
                              .existing_rows = writer->rows[FRZ_ENTRY_EXISTING],
                              .deleted_rows = writer->rows[FRZ_ENTRY_DELETED],
                              .partition_count = writer->partition->field_count,
                              .first_row_id = -1};
    if (!file.path)
        return frz_fail_memory(err);
    FRZ_TRY(frz_partition_summary_finish(writer->summary, arena, &file.partitions, err));
    FRZ_TRY(flush(writer, err));
    FRZ_TRY(frz_avro_writer_finish(writer->avro, &size, err));
    FRZ_TRY(counted_commit(&writer->output.output, err));
    file.length = (int64_t)size;
    *out = file;
    return FRZ_OK;
}

frz_status frz_manifest_writer_finish(frz_manifest_writer *writer, frz_arena *arena,
                                      frz_manifest_file *out, frz_error **err)
{
    const frz_status status = finish(writer, arena, out, err);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "manifest %s", writer->location);
}

void frz_manifest_writer_free(frz_manifest_writer *writer)
{
    if (!writer)
        return;
    frz_avro_writer_free(writer->avro);
    frz_output_abort(writer->output.inner);
    frz_arrow_builder_free(writer->builder);
    frz_partition_summary_free(writer->summary);
    frz_arrow_schema_clear(&writer->schema);
    frz_free(writer->location);
    frz_metadata_unref(writer->metadata);
    frz_free(writer);
}
