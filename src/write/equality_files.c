#include "write/equality_files.h"

#include <string.h>

#include "base/fail.h"

/* By each key column in turn; an order that no metadata knows. */
static frz_status set_order(frz_equality_files *self, frz_error **err)
{
    frz_sort_field *fields = frz_arena_array(self->arena, self->keys->count, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->keys->count; i++) {
        fields[i].source_ids = &self->keys->ids[i];
        fields[i].source_count = 1;
        FRZ_TRY(
            frz_transform_make(FRZ_TRANSFORM_IDENTITY, 0, self->arena, &fields[i].transform, err));
    }
    self->order = (frz_sort_order){-1, fields, self->keys->count};
    return FRZ_OK;
}

frz_status frz_equality_files_open(frz_equality_files *self, const frz_equality_options *how,
                                   const frz_key_columns *keys, frz_error **err)
{
    frz_data_writer_options options = {.files = *how->context,
                                       .root = frz_schema_type(keys->schema),
                                       .sort = &self->order,
                                       .target_file_size = how->target_file_size,
                                       .sort_memory = how->write->sort_memory,
                                       .spill_folder = how->write->spill_folder,
                                       .cancelled = how->write->cancelled};
    *self = (frz_equality_files){.keys = keys, .arena = how->context->arena};
    FRZ_TRY(frz_metrics_config_read(how->context->metadata, keys->schema, self->arena,
                                    &self->metrics, err));
    FRZ_TRY(set_order(self, err));
    options.files.metrics = &self->metrics;
    options.files.arrow = &keys->arrow;
    options.files.root = options.root;
    options.files.suffix = "-equality-deletes";
    options.files.spec_id = how->spec_id;
    return frz_data_writer_new(&options, &self->writer, err);
}

frz_status frz_equality_files_write(frz_equality_files *self, struct ArrowArray *rows,
                                    frz_error **err)
{
    return frz_data_writer_write(self->writer, rows, err);
}

frz_status frz_equality_files_finish(frz_equality_files *self, const frz_data_file **out,
                                     size_t *count_out, frz_error **err)
{
    const frz_data_file *files = NULL;
    size_t count = 0;
    FRZ_TRY(frz_data_writer_finish(self->writer, &files, &count, err));
    int32_t *ids = frz_arena_array(self->arena, self->keys->count + 1, sizeof *ids);
    frz_data_file *made = frz_arena_array(self->arena, count + 1, sizeof *made);
    if (!made || !ids)
        return frz_fail_memory(err);
    memcpy(ids, self->keys->ids, self->keys->count * sizeof *ids);
    for (size_t i = 0; i < count; i++) {
        made[i] = files[i];
        made[i].content = FRZ_CONTENT_EQUALITY_DELETES;
        made[i].equality_ids = ids;
        made[i].equality_id_count = self->keys->count;
    }
    *out = made;
    *count_out = count;
    return FRZ_OK;
}

void frz_equality_files_close(frz_equality_files *self)
{
    frz_data_writer_free(self->writer);
    *self = (frz_equality_files){0};
}
