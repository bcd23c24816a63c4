/*
 * The writer behind one C function, for tests that are written in Python: they hand over an Arrow
 * stream of any producer and read the file with other readers.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "frazil/io.h"
#include "io/file.h"
#include "parquet/writer.h"

/* What ctypes fills in, member by member. */
typedef struct interop_options {
    int32_t codec;
    int32_t codec_level;
    uint64_t row_group_size;
    int64_t row_group_rows;
    uint32_t page_size;
    int32_t page_rows;
    uint32_t dictionary_size;
    int32_t dictionary_off;
    int32_t data_page_v2;
    const char *plain_column;  /* written without dictionary; may be NULL */
    const char *silent_column; /* written without statistics; may be NULL */
} interop_options;

FRZ_API int interop_write(const char *path, struct ArrowArrayStream *rows,
                          const interop_options *options, char *message, size_t message_size,
                          char *summary, size_t summary_size);

static frz_status write_stream(struct ArrowArrayStream *rows, frz_output *output,
                               const frz_parquet_writer_options *options,
                               frz_parquet_summary *summary, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowSchema schema = {0};
    frz_parquet_writer *writer = NULL;
    FRZ_TRY_DONE(frz_arrow_stream_schema(rows, &schema, err));
    FRZ_TRY_DONE(frz_parquet_writer_open(output, &schema, options, &writer, err));
    for (;;) {
        struct ArrowArray batch = {0};
        status = frz_arrow_stream_next(rows, &batch, err);
        if (status == FRZ_OK)
            status = frz_parquet_writer_write(writer, &batch, err);
        frz_arrow_array_clear(&batch);
        if (status == FRZ_END)
            break;
        if (status != FRZ_OK)
            goto done;
    }
    status = frz_parquet_writer_finish(writer, summary, err);
done:
    frz_parquet_writer_free(writer);
    frz_arrow_schema_clear(&schema);
    return status;
}

static void print_hex(FILE *out, frz_slice bytes)
{
    for (size_t i = 0; i < bytes.size; i++)
        (void)fprintf(out, "%02x", bytes.data[i]);
}

/* The summary as JSON. */
static void print_summary(const frz_parquet_summary *summary, FILE *out)
{
    (void)fprintf(out, "{\"rows\": %lld, \"size\": %llu, \"groups\": [",
                  (long long)summary->row_count, (unsigned long long)summary->file_size);
    for (size_t i = 0; i < summary->row_group_count; i++)
        (void)fprintf(out, "%s%lld", i ? ", " : "", (long long)summary->row_group_offsets[i]);
    (void)fprintf(out, "], \"leaves\": [");
    for (size_t i = 0; i < summary->leaf_count; i++) {
        const frz_parquet_leaf_summary *leaf = &summary->leaves[i];
        (void)fprintf(
            out,
            "%s{\"id\": %d, \"size\": %lld, \"values\": %lld, \"nulls\": %lld, \"nans\": %lld, "
            "\"bounds\": %s, \"min\": \"",
            i ? ", " : "", (int)leaf->field_id, (long long)leaf->compressed_size,
            (long long)leaf->value_count, (long long)leaf->null_count, (long long)leaf->nan_count,
            leaf->has_bounds ? "true" : "false");
        print_hex(out, leaf->min);
        (void)fprintf(out, "\", \"max\": \"");
        print_hex(out, leaf->max);
        (void)fprintf(out, "\"}");
    }
    (void)fprintf(out, "]}");
}

int interop_write(const char *path, struct ArrowArrayStream *rows, const interop_options *options,
                  char *message, size_t message_size, char *summary, size_t summary_size)
{
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_output *output = NULL;
    frz_parquet_summary made = {0};
    const frz_parquet_column_options columns[] = {
        {.path = options->plain_column ? options->plain_column : "", .dictionary_off = true},
        {.path = options->silent_column ? options->silent_column : "", .statistics_off = true}};
    const frz_parquet_key_value note = {"note", {(const uint8_t *)"from a test", 11}};
    const frz_parquet_writer_options writer_options = {.struct_size = sizeof writer_options,
                                                       .codec = (frz_codec)options->codec,
                                                       .codec_level = options->codec_level,
                                                       .row_group_size = options->row_group_size,
                                                       .row_group_rows = options->row_group_rows,
                                                       .page_size = options->page_size,
                                                       .page_rows = options->page_rows,
                                                       .dictionary_size = options->dictionary_size,
                                                       .dictionary_off =
                                                           options->dictionary_off != 0,
                                                       .data_page_v2 = options->data_page_v2 != 0,
                                                       .columns = columns,
                                                       .column_count = 2,
                                                       .key_values = &note,
                                                       .key_value_count = 1};
    frz_status status = frz_io_local_new(&io, &err);
    if (status == FRZ_OK)
        status = frz_io_create(io, path, &output, &err);
    if (status == FRZ_OK)
        status = write_stream(rows, output, &writer_options, &made, &err);
    if (status == FRZ_OK) {
        status = frz_output_commit(output, &err);
        output = NULL;
    }
    frz_output_abort(output);
    frz_io_free(io);
    frz_arrow_stream_clear(rows);
    (void)snprintf(message, message_size, "%s", err ? frz_error_message(err) : "");
    frz_error_free(err);
    char *text = NULL;
    size_t text_size = 0;
    FILE *out = status == FRZ_OK ? open_memstream(&text, &text_size) : NULL;
    if (out) {
        print_summary(&made, out);
        (void)fclose(out);
        (void)snprintf(summary, summary_size, "%s", text);
        free(text);
    }
    frz_parquet_summary_clear(&made);
    return (int)status;
}
