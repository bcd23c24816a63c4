#include "write/vector_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "puffin/deletion_vector.h"
#include "puffin/file.h"
#include "write/location.h"

/* One open Puffin file. */
typedef struct vector_file {
    const char *location; /* in the context's arena */
    frz_output *output;
    frz_puffin_writer *puffin;
    uint64_t size; /* of the blobs so far */
} vector_file;

static frz_status open_file(const frz_vector_files *self, vector_file *file, frz_error **err)
{
    frz_file_context *context = self->context;
    frz_buffer location = {0};
    const char *name = NULL;
    frz_status status = frz_file_context_name(context, "-deletes.puffin", &name, err);
    if (status == FRZ_OK)
        status = frz_data_location(context->metadata, context->metadata->default_spec_id, NULL,
                                   name, &location, err);
    if (status == FRZ_OK) {
        file->location = frz_arena_text(context->arena, (const char *)location.data);
        status = file->location ? FRZ_OK : frz_fail_memory(err);
    }
    frz_buffer_clear(&location);
    if (status != FRZ_OK)
        return status;
    FRZ_TRY(frz_own_files_add(context->own, file->location, self->attempt, err));
    FRZ_TRY(frz_io_create(context->io, file->location, &file->output, err));
    return frz_puffin_writer_open(file->output, &file->puffin, err);
}

static void abort_file(vector_file *file)
{
    frz_puffin_writer_free(file->puffin);
    frz_output_abort(file->output);
    *file = (vector_file){0};
}

static void describe(const vector_file *file, const frz_new_vector *vector, int64_t offset,
                     int64_t size, frz_data_file *out)
{
    *out = (frz_data_file){
        .content = FRZ_CONTENT_POSITION_DELETES,
        .format = FRZ_FORMAT_PUFFIN,
        .format_text = frz_slice_of_text("PUFFIN"),
        .path = frz_slice_of_text(file->location),
        .spec_id = vector->data->spec_id,
        .partition = vector->data->partition,
        .partition_count = vector->data->partition_count,
        .record_count = frz_bitmap_cardinality(vector->positions),
        .sort_order_id = -1,
        .first_row_id = -1,
        .referenced_data_file = vector->data->path,
        .content_offset = offset,
        .content_size = size,
    };
}

static frz_status add_vector(const frz_vector_files *self, vector_file *file,
                             const frz_new_vector *vector, frz_data_file *out, frz_error **err)
{
    static const int32_t fields[] = {FRZ_FIELD_ID_POS};
    frz_status status = FRZ_OK;
    frz_buffer blob = {0};
    int64_t offset = 0;
    const frz_slice path = vector->data->path;
    const frz_puffin_property properties[] = {
        {"referenced-data-file", frz_arena_text_n(self->context->arena, path.data, path.size)},
        {"cardinality", frz_arena_printf(self->context->arena, "%" PRId64,
                                         frz_bitmap_cardinality(vector->positions))},
    };
    const frz_puffin_blob description = {
        .type = "deletion-vector-v1",
        .fields = fields,
        .field_count = 1,
        .snapshot_id = -1,
        .sequence_number = -1,
        .properties = properties,
        .property_count = 2,
    };
    if (!properties[0].value || !properties[1].value)
        return frz_fail_memory(err);
    FRZ_TRY_DONE(frz_deletion_vector_encode(vector->positions, &blob, err));
    FRZ_TRY_DONE(
        frz_puffin_writer_add(file->puffin, &description, frz_buffer_slice(&blob), &offset, err));
    file->size += blob.size;
    describe(file, vector, offset, (int64_t)blob.size, out);

done:
    frz_buffer_clear(&blob);
    return status;
}

/* All entries of one file state its whole size, which is known only at its end. */
static frz_status finish_file(vector_file *file, frz_data_file *entries, size_t count,
                              frz_error **err)
{
    uint64_t size = 0;
    FRZ_TRY(frz_puffin_writer_finish(file->puffin, &size, err));
    frz_output *output = file->output;
    file->output = NULL;
    FRZ_TRY(frz_output_commit(output, err));
    for (size_t i = 0; i < count; i++)
        entries[i].file_size = (int64_t)size;
    abort_file(file);
    return FRZ_OK;
}

frz_status frz_vector_files_write(const frz_vector_files *self, const frz_new_vector *vectors,
                                  size_t count, frz_data_file *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    vector_file file = {0};
    size_t first = 0;

    for (size_t i = 0; i < count; i++) {
        if (!file.output)
            FRZ_TRY_DONE(open_file(self, &file, err));
        FRZ_TRY_DONE(add_vector(self, &file, &vectors[i], &out[i], err));
        if (file.size >= self->target_file_size || i + 1 == count) {
            FRZ_TRY_DONE(finish_file(&file, out + first, i + 1 - first, err));
            first = i + 1;
        }
    }

done:
    abort_file(&file);
    return status;
}
