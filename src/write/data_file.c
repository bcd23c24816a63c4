#include "write/data_file.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "write/location.h"

enum { SUFFIX_SIZE = 32 };

struct frz_data_file_writer {
    frz_file_context *context;
    const frz_value *partition;
    const char *location; /* in the context's arena */
    frz_output *output;   /* NULL once committed or aborted */
    frz_format_writer *writer;
    int64_t row_count;
};

frz_status frz_file_context_name(frz_file_context *context, const char *suffix, const char **out,
                                 frz_error **err)
{
    *out = frz_arena_printf(context->arena, "00000-0-%s-%05d%s", context->operation_id,
                            ++context->file_count, suffix);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

static frz_status choose_location(frz_data_file_writer *self, frz_error **err)
{
    frz_file_context *context = self->context;
    frz_buffer location = {0};
    const char *name = NULL;
    char suffix[SUFFIX_SIZE];
    (void)snprintf(suffix, sizeof suffix, "%s%s", context->suffix,
                   frz_file_format_extension(context->options.format));
    frz_status status = frz_file_context_name(context, suffix, &name, err);
    if (status == FRZ_OK)
        status = frz_data_location(context->metadata, context->spec_id, self->partition, name,
                                   &location, err);
    if (status == FRZ_OK) {
        self->location = frz_arena_text(context->arena, (const char *)location.data);
        if (!self->location)
            status = frz_fail_memory(err);
    }
    frz_buffer_clear(&location);
    return status;
}

frz_status frz_data_file_writer_open(frz_file_context *context, const frz_value *partition,
                                     frz_data_file_writer **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_data_file_writer *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->context = context;
    self->partition = partition;
    FRZ_TRY_DONE(choose_location(self, err));
    FRZ_TRY_DONE(frz_own_files_add(context->own, self->location, FRZ_EVERY_ATTEMPT, err));
    FRZ_TRY_DONE(frz_io_create(context->io, self->location, &self->output, err));
    FRZ_TRY_DONE(frz_format_writer_open(self->output, &context->options, context->root,
                                        context->arrow, &self->writer, err));
    *out = self;
    self = NULL;

done:
    frz_data_file_writer_abort(self);
    return status;
}

frz_status frz_data_file_writer_write(frz_data_file_writer *self, const struct ArrowArray *batch,
                                      frz_error **err)
{
    const frz_status status = frz_format_writer_write(self->writer, batch, err);
    self->row_count += batch->length;
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "write %s", self->location);
}

uint64_t frz_data_file_writer_size(const frz_data_file_writer *self)
{
    return frz_format_writer_size(self->writer);
}

uint64_t frz_data_file_writer_memory(const frz_data_file_writer *self)
{
    return frz_format_writer_memory(self->writer);
}

int64_t frz_data_file_writer_rows(const frz_data_file_writer *self)
{
    return self->row_count;
}

const char *frz_data_file_writer_location(const frz_data_file_writer *self)
{
    return self->location;
}

static frz_status copy_offsets(const frz_parquet_summary *summary, frz_arena *arena,
                               frz_data_file *file, frz_error **err)
{
    int64_t *offsets = frz_arena_array(arena, summary->row_group_count + 1, sizeof *offsets);
    if (!offsets)
        return frz_fail_memory(err);
    if (summary->row_group_count > 0)
        memcpy(offsets, summary->row_group_offsets, summary->row_group_count * sizeof *offsets);
    file->split_offsets = offsets;
    file->split_offset_count = summary->row_group_count;
    return FRZ_OK;
}

static frz_status describe(const frz_data_file_writer *self, const frz_parquet_summary *summary,
                           frz_data_file *out, frz_error **err)
{
    const frz_file_context *context = self->context;
    frz_column_metrics *columns = NULL;
    frz_data_file file = {
        .content = FRZ_CONTENT_DATA,
        .format = context->options.format,
        .format_text = frz_slice_of_text(frz_file_format_text(context->options.format)),
        .path = frz_slice_of_text(self->location),
        .spec_id = context->spec_id,
        .partition = self->partition,
        .partition_count = frz_metadata_find_spec(context->metadata, context->spec_id)->field_count,
        .record_count = summary->row_count,
        .file_size = (int64_t)summary->file_size,
        .sort_order_id = -1,
        .first_row_id = -1,
        .content_offset = -1,
        .content_size = -1,
    };
    FRZ_TRY(copy_offsets(summary, context->arena, &file, err));
    if (context->metrics)
        FRZ_TRY(frz_metrics_of_summary(context->metrics, summary, context->arena, &columns,
                                       &file.column_count, err));
    file.columns = columns;
    *out = file;
    return FRZ_OK;
}

frz_status frz_data_file_writer_finish(frz_data_file_writer *self, frz_data_file *out,
                                       frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_parquet_summary summary = {0};

    FRZ_TRY_DONE(frz_format_writer_finish(self->writer, &summary, err));
    FRZ_TRY_DONE(describe(self, &summary, out, err));
    status = frz_output_commit(self->output, err);
    self->output = NULL;

done:
    if (status != FRZ_OK)
        status = frz_context(err, status, "write %s", self->location);
    frz_parquet_summary_clear(&summary);
    frz_data_file_writer_abort(self);
    return status;
}

void frz_data_file_writer_abort(frz_data_file_writer *self)
{
    if (!self)
        return;
    frz_format_writer_free(self->writer);
    frz_output_abort(self->output);
    frz_free(self);
}
