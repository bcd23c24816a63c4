#include "write/file_format.h"

#include "base/fail.h"
#include "base/mem.h"
#include "spec/avro_type.h"
#include "write/column_tally.h"

struct frz_format_writer {
    frz_file_options options;
    const struct ArrowSchema *arrow;
    frz_parquet_writer *parquet;
    frz_avro_writer *avro; /* and its tally; NULL for Parquet */
    frz_column_tally *tally;
};

const char *frz_file_format_extension(frz_file_format format)
{
    return format == FRZ_FORMAT_AVRO ? ".avro" : ".parquet";
}

const char *frz_file_format_text(frz_file_format format)
{
    return format == FRZ_FORMAT_AVRO ? "AVRO" : "PARQUET";
}

static frz_status open_avro(frz_format_writer *self, frz_output *output, const frz_type *root,
                            frz_error **err)
{
    frz_buffer schema = {0};
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(frz_rows_avro_schema(root, "table", &schema, err));
    FRZ_TRY_DONE(frz_column_tally_new(root, &self->tally, err));
    FRZ_TRY_DONE(frz_avro_writer_open(output, frz_buffer_slice(&schema), self->options.avro,
                                      &self->avro, err));
done:
    frz_buffer_clear(&schema);
    return status;
}

frz_status frz_format_writer_open(frz_output *output, const frz_file_options *options,
                                  const frz_type *root, const struct ArrowSchema *arrow,
                                  frz_format_writer **out, frz_error **err)
{
    frz_format_writer *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->options = *options;
    self->arrow = arrow;
    const frz_status status =
        options->format == FRZ_FORMAT_AVRO
            ? open_avro(self, output, root, err)
            : frz_parquet_writer_open(output, arrow, options->parquet, &self->parquet, err);
    if (status != FRZ_OK) {
        frz_format_writer_free(self);
        return status;
    }
    *out = self;
    return FRZ_OK;
}

frz_status frz_format_writer_write(frz_format_writer *self, const struct ArrowArray *batch,
                                   frz_error **err)
{
    if (self->parquet)
        return frz_parquet_writer_write(self->parquet, batch, err);
    FRZ_TRY(frz_avro_writer_write(self->avro, self->arrow, batch, err));
    return frz_column_tally_add(self->tally, batch, err);
}

uint64_t frz_format_writer_size(const frz_format_writer *self)
{
    return self->parquet ? frz_parquet_writer_size(self->parquet)
                         : frz_avro_writer_size(self->avro);
}

/* An Avro file keeps one small block. */
uint64_t frz_format_writer_memory(const frz_format_writer *self)
{
    return self->parquet ? frz_parquet_writer_memory(self->parquet) : 0;
}

frz_status frz_format_writer_finish(frz_format_writer *self, frz_parquet_summary *out,
                                    frz_error **err)
{
    uint64_t size = 0;
    if (self->parquet)
        return frz_parquet_writer_finish(self->parquet, out, err);
    FRZ_TRY(frz_avro_writer_finish(self->avro, &size, err));
    FRZ_TRY(frz_column_tally_summary(self->tally, out, err));
    out->file_size = size;
    return FRZ_OK;
}

void frz_format_writer_free(frz_format_writer *self)
{
    if (!self)
        return;
    frz_parquet_writer_free(self->parquet);
    frz_avro_writer_free(self->avro);
    frz_column_tally_free(self->tally);
    frz_free(self);
}
