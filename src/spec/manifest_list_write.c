#include <inttypes.h>
#include <stdio.h>

#include "arrow/builder.h"
#include "avro/writer.h"
#include "base/fail.h"
#include "io/file.h"
#include "spec/manifest_list.h"
#include "spec/manifest_schema.h"

enum { LIST_LEVEL = 1, METADATA_MAX = 5, NUMBER_TEXT_SIZE = 24 };

static frz_status check_file(const frz_manifest_file *file, int format_version, frz_error **err)
{
    const bool counts_known = file->added_files >= 0 && file->existing_files >= 0 &&
                              file->deleted_files >= 0 && file->added_rows >= 0 &&
                              file->existing_rows >= 0 && file->deleted_rows >= 0;
    if (file->length < 0 || file->added_snapshot_id == FRZ_NO_SNAPSHOT)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "manifest %s has no %s", file->path,
                        file->length < 0 ? "length" : "snapshot id");
    if (format_version == 1 && file->content != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "manifest %s has deletes; format version 1 has none", file->path);
    if (format_version == 1)
        return FRZ_OK;
    if (!counts_known)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "manifest %s has unknown counts; format version %d requires them",
                        file->path, format_version);
    if (file->sequence_number < 0 || file->min_sequence_number < 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "manifest %s has no sequence numbers yet",
                        file->path);
    if (format_version >= 3 && (file->content == 0) != (file->first_row_id >= 0))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "manifest %s: a manifest of %s has first_row_id %lld", file->path,
                        file->content ? "deletes" : "data", (long long)file->first_row_id);
    return FRZ_OK;
}

static void append_bytes_or_null(frz_arrow_builder *builder, bool present, frz_slice bytes)
{
    if (present)
        frz_arrow_append_bytes(builder, bytes);
    else
        frz_arrow_append_null(builder);
}

static void append_count(frz_arrow_builder *builder, int64_t count)
{
    if (count >= 0)
        frz_arrow_append_i64(builder, count);
    else
        frz_arrow_append_null(builder);
}

static void append_summaries(frz_arrow_builder *builder, const frz_manifest_file *file)
{
    frz_arrow_builder *items = frz_arrow_builder_child(builder, 0);
    if (!file->partitions) {
        frz_arrow_append_null(builder);
        return;
    }
    for (size_t i = 0; i < file->partition_count; i++) {
        const frz_field_summary *summary = &file->partitions[i];
        frz_arrow_append_bool(frz_arrow_builder_child(items, 0), summary->contains_null);
        if (summary->contains_nan < 0)
            frz_arrow_append_null(frz_arrow_builder_child(items, 1));
        else
            frz_arrow_append_bool(frz_arrow_builder_child(items, 1), summary->contains_nan);
        append_bytes_or_null(frz_arrow_builder_child(items, 2), summary->has_lower, summary->lower);
        append_bytes_or_null(frz_arrow_builder_child(items, 3), summary->has_upper, summary->upper);
        frz_arrow_append_struct(items);
    }
    frz_arrow_append_list(builder);
}

static void append_column(frz_arrow_builder *builder, int32_t id, const frz_manifest_file *file)
{
    switch (id) {
    case FRZ_LIST_ID_PATH:
        frz_arrow_append_bytes(builder, frz_slice_of_text(file->path));
        return;
    case FRZ_LIST_ID_LENGTH:
        frz_arrow_append_i64(builder, file->length);
        return;
    case FRZ_LIST_ID_SPEC_ID:
        frz_arrow_append_i64(builder, file->spec_id);
        return;
    case FRZ_LIST_ID_CONTENT:
        frz_arrow_append_i64(builder, file->content);
        return;
    case FRZ_LIST_ID_SEQUENCE_NUMBER:
        frz_arrow_append_i64(builder, file->sequence_number);
        return;
    case FRZ_LIST_ID_MIN_SEQUENCE_NUMBER:
        frz_arrow_append_i64(builder, file->min_sequence_number);
        return;
    case FRZ_LIST_ID_SNAPSHOT_ID:
        frz_arrow_append_i64(builder, file->added_snapshot_id);
        return;
    case FRZ_LIST_ID_ADDED_FILES:
        append_count(builder, file->added_files);
        return;
    case FRZ_LIST_ID_EXISTING_FILES:
        append_count(builder, file->existing_files);
        return;
    case FRZ_LIST_ID_DELETED_FILES:
        append_count(builder, file->deleted_files);
        return;
    case FRZ_LIST_ID_ADDED_ROWS:
        append_count(builder, file->added_rows);
        return;
    case FRZ_LIST_ID_EXISTING_ROWS:
        append_count(builder, file->existing_rows);
        return;
    case FRZ_LIST_ID_DELETED_ROWS:
        append_count(builder, file->deleted_rows);
        return;
    case FRZ_LIST_ID_PARTITIONS:
        append_summaries(builder, file);
        return;
    case FRZ_LIST_ID_KEY_METADATA:
        append_bytes_or_null(builder, file->key_metadata.size > 0, file->key_metadata);
        return;
    default:
        append_count(builder, file->first_row_id);
        return;
    }
}

static frz_status build_rows(const frz_manifest_file *files, size_t count, int format_version,
                             const struct ArrowSchema *schema, struct ArrowArray *out,
                             frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arrow_builder *builder = NULL;
    size_t column_count = 0;
    const frz_manifest_column *columns = frz_list_columns(format_version, &column_count);
    FRZ_TRY_DONE(frz_arrow_builder_new(schema, &builder, err));
    for (size_t i = 0; i < count; i++) {
        FRZ_TRY_DONE(check_file(&files[i], format_version, err));
        size_t child = 0;
        for (size_t k = 0; k < column_count; k++)
            if (frz_manifest_column_in(&columns[k], format_version))
                append_column(frz_arrow_builder_child(builder, child++), columns[k].id, &files[i]);
        frz_arrow_append_struct(builder);
    }
    FRZ_TRY_DONE(frz_arrow_builder_finish(builder, out, err));
done:
    frz_arrow_builder_free(builder);
    return status;
}

/* The header of a list, as Java writes it. */
typedef struct list_header {
    frz_avro_key_value items[METADATA_MAX];
    size_t count;
    char texts[METADATA_MAX][NUMBER_TEXT_SIZE];
} list_header;

static void add_number(list_header *header, const char *key, int64_t value, bool present)
{
    char *text = header->texts[header->count];
    if (present)
        (void)snprintf(text, NUMBER_TEXT_SIZE, "%" PRId64, value);
    else
        (void)snprintf(text, NUMBER_TEXT_SIZE, "null");
    header->items[header->count++] =
        (frz_avro_key_value){.key = key, .value = frz_slice_of_text(text)};
}

static void make_header(const frz_snapshot *snapshot, int format_version, list_header *out)
{
    add_number(out, "snapshot-id", snapshot->snapshot_id, true);
    add_number(out, "parent-snapshot-id", snapshot->parent_id,
               snapshot->parent_id != FRZ_NO_SNAPSHOT);
    if (format_version > 1)
        add_number(out, "sequence-number", snapshot->sequence_number, true);
    if (format_version >= 3)
        add_number(out, "first-row-id", snapshot->first_row_id, true);
    add_number(out, "format-version", format_version, true);
}

static frz_status write_avro(frz_output *output, int format_version, const frz_snapshot *snapshot,
                             const struct ArrowSchema *schema, const struct ArrowArray *rows,
                             frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer text = {0};
    list_header header = {0};
    frz_avro_writer *writer = NULL;
    uint64_t size = 0;
    make_header(snapshot, format_version, &header);
    const frz_avro_writer_options options = {.struct_size = sizeof options,
                                             .codec = FRZ_CODEC_DEFLATE,
                                             .codec_level = LIST_LEVEL,
                                             .metadata = header.items,
                                             .metadata_count = header.count};
    frz_manifest_list_avro_schema(format_version, &text);
    FRZ_TRY_DONE(frz_buffer_check(&text, err));
    FRZ_TRY_DONE(frz_avro_writer_open(output, frz_buffer_slice(&text), &options, &writer, err));
    FRZ_TRY_DONE(frz_avro_writer_write(writer, schema, rows, err));
    FRZ_TRY_DONE(frz_avro_writer_finish(writer, &size, err));
done:
    frz_avro_writer_free(writer);
    frz_buffer_clear(&text);
    return status;
}

frz_status frz_manifest_list_write(frz_io *io, const char *location, int format_version,
                                   const frz_snapshot *snapshot, const frz_manifest_file *files,
                                   size_t count, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_output *output = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray rows = {0};
    FRZ_TRY_DONE(frz_manifest_list_arrow_schema(format_version, &schema, err));
    FRZ_TRY_DONE(build_rows(files, count, format_version, &schema, &rows, err));
    FRZ_TRY_DONE(frz_io_create(io, location, &output, err));
    FRZ_TRY_DONE(write_avro(output, format_version, snapshot, &schema, &rows, err));
    frz_output *const complete = output;
    output = NULL;
    FRZ_TRY_DONE(frz_output_commit(complete, err));
done:
    frz_output_abort(output);
    frz_arrow_array_clear(&rows);
    frz_arrow_schema_clear(&schema);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "manifest list %s", location);
}
