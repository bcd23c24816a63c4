#include "write/row_writer.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"

enum { LINEAGE_COLUMNS = 2 };

static frz_status make_schema(frz_row_writer *self, const frz_schema *schema, frz_error **err)
{
    const frz_type *root = frz_schema_type(schema);
    const int64_t columns = (int64_t)root->field_count;
    FRZ_TRY(frz_arrow_schema_init(&self->arrow, "+s", "", false, FRZ_ARROW_NO_FIELD_ID,
                                  columns + (self->lineage ? LINEAGE_COLUMNS : 0), err));
    for (int64_t i = 0; i < columns; i++)
        FRZ_TRY(frz_type_to_arrow(&root->fields[i], self->arrow.children[i], err));
    if (!self->lineage)
        return FRZ_OK;
    FRZ_TRY(frz_arrow_schema_init(self->arrow.children[columns], "l", "_row_id", true,
                                  FRZ_FIELD_ID_ROW_ID, 0, err));
    return frz_arrow_schema_init(self->arrow.children[columns + 1], "l",
                                 "_last_updated_sequence_number", true,
                                 FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER, 0, err);
}

frz_status frz_row_writer_open(frz_row_writer *self, frz_transaction *transaction, bool lineage,
                               frz_error **err)
{
    const frz_metadata *metadata = transaction->table->metadata;
    const frz_schema *schema = frz_metadata_schema(metadata);
    self->lineage = lineage && metadata->format_version >= 3;
    FRZ_TRY(make_schema(self, schema, err));
    FRZ_TRY(frz_write_properties_read(metadata, &transaction->arena, &self->properties, err));
    FRZ_TRY(frz_metrics_config_read(metadata, schema, &transaction->arena, &self->metrics, err));
    const frz_data_writer_options options = {
        .files = {.io = transaction->table->io,
                  .metadata = metadata,
                  .parquet = &self->properties.parquet,
                  .metrics = &self->metrics,
                  .arrow = &self->arrow,
                  .own = &transaction->own,
                  .arena = &transaction->arena,
                  .operation_id = transaction->uuid,
                  .suffix = ".parquet",
                  .spec_id = metadata->default_spec_id},
        .root = frz_schema_type(schema),
        .sort = frz_metadata_find_sort_order(metadata, metadata->default_sort_order_id),
        .target_file_size = self->properties.target_file_size,
    };
    return frz_data_writer_new(&options, &self->writer, err);
}

frz_status frz_row_writer_write(frz_row_writer *self, struct ArrowArray *rows, frz_error **err)
{
    return rows->length > 0 ? frz_data_writer_write(self->writer, rows, err) : FRZ_OK;
}

frz_status frz_row_writer_insert(frz_row_writer *self, struct ArrowArray *rows, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray made = {0};
    frz_buffer none[1] = {0};
    const int64_t width = self->arrow.n_children;
    if (!self->lineage)
        return frz_row_writer_write(self, rows, err);
    FRZ_TRY_DONE(frz_arrow_array_init(&made, rows->length, 0, none, 1, width, err));
    for (int64_t i = width - LINEAGE_COLUMNS; i < width; i++)
        FRZ_TRY_DONE(
            frz_arrow_array_nulls(self->arrow.children[i], rows->length, made.children[i], err));
    for (int64_t i = 0; i < width - LINEAGE_COLUMNS; i++) {
        *made.children[i] = *rows->children[i];
        rows->children[i]->release = NULL;
    }
    FRZ_TRY_DONE(frz_row_writer_write(self, &made, err));

done:
    frz_arrow_array_clear(&made);
    return status;
}

frz_status frz_row_writer_finish(frz_row_writer *self, const frz_data_file **out, size_t *count_out,
                                 frz_error **err)
{
    return frz_data_writer_finish(self->writer, out, count_out, err);
}

void frz_row_writer_close(frz_row_writer *self)
{
    frz_data_writer_free(self->writer);
    frz_arrow_schema_clear(&self->arrow);
    *self = (frz_row_writer){0};
}
