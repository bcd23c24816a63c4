#include "text/source.h"

#include <string.h>

#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"

enum {
    BATCH_ROWS = 8192,
    BATCH_BYTES = 512 * 1024 /* of text */
};

void frz_text_source_free(frz_text_source *source)
{
    if (!source)
        return;
    frz_arrow_builder_free(source->builder);
    frz_arrow_schema_clear(&source->schema);
    frz_text_window_clear(&source->window);
    frz_input_close(source->input);
    frz_io_free(source->own_io);
    frz_buffer_clear(&source->scratch);
    frz_arena_clear(&source->values);
    frz_arena_clear(&source->arena);
    frz_free(source);
}

frz_status frz_text_source_new(const char *location, frz_io *io, frz_text_source **out,
                               frz_error **err)
{
    frz_text_source *source = frz_alloc_zero(sizeof *source);
    if (!source)
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    source->next_line = 1;
    source->location = frz_arena_text(&source->arena, location);
    if (!source->location) {
        status = frz_fail_memory(err);
        goto done;
    }
    if (!io) {
        FRZ_TRY_DONE(frz_io_local_new(&source->own_io, err));
        io = source->own_io;
    }
    FRZ_TRY_DONE(frz_io_open(io, location, FRZ_IO_SIZE_UNKNOWN, &source->input, err));
    source->window.input = source->input;
    *out = source;
    source = NULL;
done:
    frz_text_source_free(source);
    return status;
}

frz_status frz_text_source_context(frz_text_source *source, frz_status status, frz_error **err)
{
    return frz_context(err, status, "%s:%lld", source->location, (long long)source->line);
}

frz_status frz_text_source_record(frz_text_source *source, frz_slice *out, frz_error **err)
{
    const bool first = source->window.offset == 0;
    int64_t lines = 0;
    source->line = source->next_line;
    const frz_status status =
        frz_text_window_record(&source->window, source->quote, out, &lines, err);
    if (status == FRZ_END)
        return status;
    if (status != FRZ_OK)
        return frz_text_source_context(source, status, err);
    source->next_line += lines;
    /* A byte order mark is no part of the first value. */
    if (first && out->size >= 3 && memcmp(out->data, "\xef\xbb\xbf", 3) == 0)
        *out = frz_slice_of(out->data + 3, out->size - 3);
    source->record_start = (size_t)(out->data - source->window.bytes.data);
    return FRZ_OK;
}

void frz_text_source_return(frz_text_source *source)
{
    source->window.pos = source->record_start;
    source->next_line = source->line;
}

frz_status frz_text_source_set_schema(frz_text_source *source, const struct ArrowSchema *schema,
                                      const bool *keep, frz_error **err)
{
    int64_t count = 0;
    for (int64_t i = 0; i < schema->n_children; i++)
        count += !keep || keep[i];
    FRZ_TRY(
        frz_arrow_schema_init(&source->schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, count, err));
    int64_t at = 0;
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (keep && !keep[i])
            continue;
        FRZ_TRY(frz_arrow_schema_copy(schema->children[i], source->schema.children[at++], err));
    }
    FRZ_TRY(frz_text_column_from(&source->schema, &source->arena, &source->root, err));
    if (source->any_case)
        frz_text_column_ignore_case(&source->root);
    return frz_arrow_builder_new(&source->schema, &source->builder, err);
}

static frz_status source_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    return frz_arrow_schema_copy(&((frz_text_source *)self)->schema, out, err);
}

static frz_status source_next(void *self, struct ArrowArray *out, frz_error **err)
{
    frz_text_source *source = self;
    size_t taken = 0;
    frz_arena_clear(&source->values);
    while (taken < BATCH_BYTES && frz_arrow_builder_length(source->builder) < BATCH_ROWS) {
        frz_slice record = {0};
        frz_status status = frz_text_source_record(source, &record, err);
        if (status == FRZ_END)
            break;
        FRZ_TRY(status);
        taken += record.size + 1;
        status = source->read_row(source, record, err);
        if (status != FRZ_OK && status != FRZ_END)
            return frz_text_source_context(source, status, err);
    }
    if (frz_arrow_builder_length(source->builder) == 0)
        return FRZ_END;
    return frz_arrow_builder_finish(source->builder, out, err);
}

static void source_free(void *self)
{
    frz_text_source_free(self);
}

frz_status frz_text_source_stream(frz_text_source *source, struct ArrowArrayStream *out,
                                  frz_error **err)
{
    static const frz_arrow_source_ops ops = {
        .schema = source_schema, .next = source_next, .free = source_free};
    return frz_arrow_stream_from(&ops, source, out, err);
}
