#include "scan/stored_file.h"

#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "scan/file_ids.h"

static frz_status open_avro(const frz_scan *scan, const frz_data_file *entry, frz_stored_file *file,
                            frz_error **err)
{
    const frz_avro_schema *schema = NULL;
    FRZ_TRY(frz_avro_rows_open(file->input, &scan->limits, &file->avro, err));
    if (entry->content == FRZ_CONTENT_POSITION_DELETES)
        return FRZ_OK;
    file->arena.budget = scan->limits.parse_budget;
    FRZ_TRY(frz_avro_ids_assign(scan, entry, frz_avro_rows_file_schema(file->avro), &file->arena,
                                &schema, err));
    frz_avro_rows_set_ids(file->avro, schema);
    return FRZ_OK;
}

static frz_status open_format(const frz_scan *scan, const frz_data_file *entry,
                              frz_stored_file *file, frz_error **err)
{
    if (entry->format == FRZ_FORMAT_AVRO)
        return open_avro(scan, entry, file, err);
    FRZ_TRY(frz_parquet_file_open(file->input, &scan->limits, &file->parquet, err));
    return entry->content != FRZ_CONTENT_POSITION_DELETES
               ? frz_file_ids_assign(scan, entry, file->parquet, err)
               : FRZ_OK;
}

bool frz_stored_file_has_ids(const frz_stored_file *file)
{
    if (file->avro) {
        const frz_avro_schema *schema = frz_avro_rows_file_schema(file->avro);
        return frz_avro_has_ids(schema) || !schema->field_count;
    }
    return frz_file_has_ids(file->parquet) ||
           !frz_parquet_file_metadata(file->parquet)->root.child_count;
}

frz_status frz_stored_file_open(const frz_scan *scan, const frz_data_file *entry,
                                frz_stored_file *out, frz_error **err)
{
    frz_stored_file file = {0};
    if (entry->format != FRZ_FORMAT_PARQUET && entry->format != FRZ_FORMAT_AVRO)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "format %.*s is not read yet",
                        (int)entry->format_text.size, (const char *)entry->format_text.data);
    if (entry->key_metadata.size)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "the file is encrypted");
    char *path = frz_copy_text_n((const char *)entry->path.data, entry->path.size);
    if (!path)
        return frz_fail_memory(err);
    frz_status status = frz_io_open(scan->io, path, (uint64_t)entry->file_size, &file.input, err);
    frz_free(path);
    if (status == FRZ_OK)
        status = open_format(scan, entry, &file, err);
    if (status != FRZ_OK)
        frz_stored_file_close(&file);
    *out = file;
    return status;
}

void frz_stored_file_close(frz_stored_file *file)
{
    frz_parquet_file_close(file->parquet);
    frz_avro_rows_close(file->avro);
    frz_arena_clear(&file->arena);
    frz_input_close(file->input);
    *file = (frz_stored_file){0};
}

static frz_status parquet_window(const frz_parquet_metadata *metadata, int64_t start,
                                 int64_t rows_max, int64_t *count_out)
{
    for (size_t i = 0; i < metadata->row_group_count; i++) {
        const frz_parquet_row_group *group = &metadata->row_groups[i];
        const int64_t left = group->first_row + group->row_count - start;
        if (left <= 0)
            continue;
        *count_out = left < rows_max ? left : rows_max;
        return FRZ_OK;
    }
    return FRZ_END;
}

frz_status frz_stored_file_window(frz_stored_file *file, int64_t start, int64_t rows_max,
                                  int64_t *count_out, frz_error **err)
{
    if (file->avro)
        return frz_avro_rows_next(file->avro, rows_max, count_out, err);
    return parquet_window(frz_parquet_file_metadata(file->parquet), start, rows_max, count_out);
}
