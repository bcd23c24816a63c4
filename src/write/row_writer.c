#include "write/row_writer.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"

static frz_status make_schema(frz_row_writer *self, frz_error **err)
{
    const int64_t columns = (int64_t)self->root.field_count;
    FRZ_TRY(
        frz_arrow_schema_init(&self->arrow, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, columns, err));
    for (int64_t i = 0; i < columns; i++)
        FRZ_TRY(frz_type_to_arrow(&self->root.fields[i], self->arrow.children[i], err));
    return FRZ_OK;
}

/* The columns of the table, and of lineage behind them. */
static frz_status make_root(frz_row_writer *self, const frz_schema *schema, frz_arena *arena,
                            frz_error **err)
{
    static const frz_field lineage[FRZ_LINEAGE_COLUMNS] = {
        {.id = FRZ_FIELD_ID_ROW_ID, .name = "_row_id"},
        {.id = FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER, .name = "_last_updated_sequence_number"},
    };
    const frz_type *table = frz_schema_type(schema);
    const size_t columns = table->field_count;
    self->root = *table;
    if (!self->lineage)
        return FRZ_OK;
    frz_field *fields = frz_arena_array(arena, columns + FRZ_LINEAGE_COLUMNS, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < columns + FRZ_LINEAGE_COLUMNS; i++)
        fields[i] = i < columns ? table->fields[i] : lineage[i - columns];
    fields[columns].type = fields[columns + 1].type = frz_type_of(FRZ_TYPE_LONG);
    self->root.fields = fields;
    self->root.field_count = columns + FRZ_LINEAGE_COLUMNS;
    return FRZ_OK;
}

frz_status frz_row_writer_init(frz_row_writer *self, frz_transaction *transaction,
                               const frz_metadata *metadata, bool lineage, frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(metadata);
    self->lineage = lineage && metadata->format_version >= 3;
    self->transaction = transaction;
    FRZ_TRY(make_root(self, schema, &transaction->arena, err));
    FRZ_TRY(make_schema(self, err));
    FRZ_TRY(frz_write_properties_read(metadata, &transaction->arena, &self->properties, err));
    return frz_metrics_config_read(metadata, schema, &transaction->arena, &self->metrics, err);
}

frz_file_context frz_row_writer_files(const frz_row_writer *self, const frz_metadata *metadata)
{
    frz_transaction *transaction = self->transaction;
    return (frz_file_context){.io = transaction->table->io,
                              .metadata = metadata,
                              .options = frz_data_file_options(&self->properties),
                              .metrics = &self->metrics,
                              .arrow = &self->arrow,
                              .root = &self->root,
                              .own = &transaction->own,
                              .arena = &transaction->arena,
                              .operation_id = transaction->uuid,
                              .suffix = "",
                              .spec_id = metadata->default_spec_id};
}

frz_status frz_row_writer_open(frz_row_writer *self, frz_transaction *transaction, bool lineage,
                               frz_error **err)
{
    const frz_metadata *metadata = transaction->table->metadata;
    FRZ_TRY(frz_row_writer_init(self, transaction, metadata, lineage, err));
    const frz_data_writer_options options = {
        .files = frz_row_writer_files(self, metadata),
        .root = frz_schema_type(frz_metadata_schema(metadata)),
        .sort = self->placement
                    ? NULL
                    : frz_metadata_find_sort_order(metadata, metadata->default_sort_order_id),
        .placement = self->placement,
        .target_file_size = self->properties.target_file_size,
        .open_files_max = transaction->options->open_files_max,
        .sort_memory = transaction->options->sort_memory,
        .spill_folder = transaction->options->spill_folder,
        .cancelled = transaction->options->cancelled,
    };
    return frz_data_writer_new(&options, &self->writer, err);
}

static int64_t highest(const struct ArrowArray *column, int64_t offset, int64_t count)
{
    const uint8_t *valid = column->null_count == 0 ? NULL : column->buffers[0];
    const int64_t *values = column->buffers[1];
    int64_t most = -1;
    offset += column->offset;
    if (count > 0 && column->null_count == column->length)
        return -1;
    for (int64_t i = offset; i < offset + count; i++)
        if (values[i] > most && (!valid || frz_bit_get(valid, i)))
            most = values[i];
    return most;
}

void frz_transaction_note_lineage(frz_transaction *transaction, const struct ArrowArray *rows)
{
    struct ArrowArray *const *lineage = rows->children + rows->n_children - FRZ_LINEAGE_COLUMNS;
    const int64_t id = highest(lineage[0], rows->offset, rows->length);
    const int64_t number = highest(lineage[1], rows->offset, rows->length);
    if (id > transaction->stated_row_id)
        transaction->stated_row_id = id;
    if (number > transaction->stated_sequence_number)
        transaction->stated_sequence_number = number;
}

frz_status frz_row_writer_write(frz_row_writer *self, struct ArrowArray *rows, frz_error **err)
{
    if (self->lineage)
        frz_transaction_note_lineage(self->transaction, rows);
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
    for (int64_t i = width - FRZ_LINEAGE_COLUMNS; i < width; i++)
        FRZ_TRY_DONE(
            frz_arrow_array_nulls(self->arrow.children[i], rows->length, made.children[i], err));
    for (int64_t i = 0; i < width - FRZ_LINEAGE_COLUMNS; i++) {
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
