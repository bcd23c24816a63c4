#include <string.h>

#include "arrow/stream.h"
#include "base/fail.h"
#include "base/options.h"
#include "text/ipc_rows.h"
#include "text/sink.h"

enum { FLUSH_SIZE = 64 * 1024 };

frz_status frz_text_sink_flush(frz_text_sink *sink, bool all, frz_error **err)
{
    FRZ_TRY(frz_buffer_check(&sink->bytes, err));
    if (sink->bytes.size == 0 || (!all && sink->bytes.size < FLUSH_SIZE))
        return FRZ_OK;
    FRZ_TRY(sink->write(sink->context, sink->bytes.data, sink->bytes.size, err));
    frz_buffer_reset(&sink->bytes);
    return FRZ_OK;
}

/* A field that would be read back as something else, or as two, stands in quotes. */
static void put_csv_field(frz_buffer *out, frz_slice text)
{
    bool quotes = text.size == 0;
    for (size_t i = 0; i < text.size && !quotes; i++)
        quotes = text.data[i] && strchr(",\"\r\n", text.data[i]) != NULL;
    if (!quotes) {
        frz_buffer_append(out, text.data, text.size);
        return;
    }
    frz_buffer_append_byte(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"')
            frz_buffer_append_byte(out, '"');
        frz_buffer_append_byte(out, text.data[i]);
    }
    frz_buffer_append_byte(out, '"');
}

static void put_csv_heading(frz_text_printer *printer)
{
    frz_buffer *out = &printer->sink.bytes;
    for (size_t i = 0; i < printer->root.child_count; i++) {
        if (i > 0)
            frz_buffer_append_byte(out, ',');
        put_csv_field(out, frz_slice_of_text(printer->root.children[i].name));
    }
    frz_buffer_append_text(out, "\n");
}

static frz_status put_csv_row(frz_text_printer *printer, const struct ArrowArray *batch,
                              int64_t row, frz_error **err)
{
    frz_buffer *out = &printer->sink.bytes;
    for (size_t i = 0; i < printer->root.child_count; i++) {
        const frz_text_column *column = &printer->root.children[i];
        if (i > 0)
            frz_buffer_append_byte(out, ',');
        if (frz_text_is_null(column, batch->children[i], row))
            continue; /* an unquoted empty field */
        frz_buffer_reset(&printer->cells);
        frz_text_write_plain(&printer->cells, column, batch->children[i], row);
        FRZ_TRY(frz_buffer_check(&printer->cells, err));
        put_csv_field(out, frz_buffer_slice(&printer->cells));
    }
    frz_buffer_append_text(out, "\n");
    return FRZ_OK;
}

static void put_object(frz_text_printer *printer, const struct ArrowArray *batch, int64_t row)
{
    frz_json_writer json = frz_json_writer_to(&printer->sink.bytes, 0);
    frz_json_open_object(&json);
    for (size_t i = 0; i < printer->root.child_count; i++) {
        frz_json_key(&json, printer->root.children[i].name);
        frz_text_write_json(&json, &printer->root.children[i], batch->children[i], row,
                            &printer->style);
    }
    frz_json_close_object(&json);
}

/* Row `row` of the children of `batch`. */
static frz_status put_row(frz_text_printer *printer, const struct ArrowArray *batch, int64_t row,
                          frz_error **err)
{
    frz_buffer *out = &printer->sink.bytes;
    switch (printer->options.format) {
    case FRZ_ROW_FORMAT_CSV:
        return put_csv_row(printer, batch, row, err);
    case FRZ_ROW_FORMAT_JSON:
        frz_buffer_append_text(out, printer->rows == 0 ? "[\n  " : ",\n  ");
        put_object(printer, batch, row);
        break;
    case FRZ_ROW_FORMAT_JSONL:
        put_object(printer, batch, row);
        frz_buffer_append_byte(out, '\n');
        break;
    case FRZ_ROW_FORMAT_GUESS:
    case FRZ_ROW_FORMAT_TABLE:
    case FRZ_ROW_FORMAT_PARQUET:
    case FRZ_ROW_FORMAT_AVRO:
    case FRZ_ROW_FORMAT_ARROW:
        break; /* not printed row by row */
    }
    return FRZ_OK;
}

static frz_status put_batch(frz_text_printer *printer, const struct ArrowArray *batch,
                            frz_error **err)
{
    if ((size_t)batch->n_children != printer->root.child_count)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "a batch of %lld columns under a schema of %zu",
                        (long long)batch->n_children, printer->root.child_count);
    if (printer->options.format == FRZ_ROW_FORMAT_TABLE) {
        FRZ_TRY(frz_text_table_batch(printer, batch, err));
        printer->rows += batch->length;
        return FRZ_OK;
    }
    for (int64_t i = 0; i < batch->length; i++) {
        FRZ_TRY(put_row(printer, batch, batch->offset + i, err));
        FRZ_TRY(frz_text_sink_flush(&printer->sink, false, err));
        printer->rows++;
    }
    return FRZ_OK;
}

static frz_status start(frz_text_printer *printer, struct ArrowArrayStream *rows, frz_error **err)
{
    struct ArrowSchema schema = {0};
    FRZ_TRY(frz_arrow_stream_schema(rows, &schema, err));
    frz_status status = frz_text_column_from(&schema, &printer->arena, &printer->root, err);
    frz_arrow_schema_clear(&schema);
    FRZ_TRY(status);
    if (printer->root.type.kind != FRZ_ARROW_STRUCT)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a stream whose batches are no structs");
    if (printer->options.format == FRZ_ROW_FORMAT_CSV)
        put_csv_heading(printer);
    return FRZ_OK;
}

static frz_status finish(frz_text_printer *printer, frz_error **err)
{
    if (printer->options.format == FRZ_ROW_FORMAT_JSON)
        frz_buffer_append_text(&printer->sink.bytes, printer->rows == 0 ? "[]\n" : "\n]\n");
    if (printer->options.format == FRZ_ROW_FORMAT_TABLE)
        FRZ_TRY(frz_text_table_end(printer, err));
    return frz_text_sink_flush(&printer->sink, true, err);
}

static frz_status print_stream(frz_text_printer *printer, struct ArrowArrayStream *rows,
                               frz_error **err)
{
    FRZ_TRY(start(printer, rows, err));
    for (;;) {
        struct ArrowArray batch = {0};
        frz_status status = frz_arrow_stream_next(rows, &batch, err);
        if (status == FRZ_END)
            return finish(printer, err);
        FRZ_TRY(status);
        status = put_batch(printer, &batch, err);
        frz_arrow_array_clear(&batch);
        FRZ_TRY(status);
    }
}

frz_status frz_rows_print(struct ArrowArrayStream *rows, const frz_print_options *options,
                          frz_print_write write, void *context, int64_t *rows_out, frz_error **err)
{
    frz_text_printer printer = {.sink = {.write = write, .context = context}};
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(FRZ_OPTIONS_TAKE(frz_print_options, options, &printer.options, err));
    if (printer.options.format == FRZ_ROW_FORMAT_GUESS)
        printer.options.format = FRZ_ROW_FORMAT_TABLE;
    printer.style.ids_as_strings = printer.options.ids_as_strings;
    if (printer.options.format == FRZ_ROW_FORMAT_PARQUET ||
        printer.options.format == FRZ_ROW_FORMAT_AVRO) {
        status = frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s",
                          printer.options.format == FRZ_ROW_FORMAT_AVRO
                              ? "rows are read from Avro, not written to it"
                              : "Parquet is written to a file, not printed");
        goto done;
    }
    FRZ_TRY_DONE(printer.options.format == FRZ_ROW_FORMAT_ARROW
                     ? frz_ipc_rows_write(rows, false, write, context, &printer.rows, err)
                     : print_stream(&printer, rows, err));
    if (rows_out)
        *rows_out = printer.rows;
done:
    frz_buffer_clear(&printer.sink.bytes);
    frz_buffer_clear(&printer.cells);
    frz_buffer_clear(&printer.ends);
    frz_arena_clear(&printer.arena);
    frz_arrow_stream_clear(rows);
    return status;
}
