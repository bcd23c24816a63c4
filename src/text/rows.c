/*
 * Files of rows by format, several of them as one stream, and streams written to files
 * (frazil/text.h).
 */
#include <string.h>

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/options.h"
#include "frazil/text.h"
#include "io/file.h"
#include "text/avro_stream.h"
#include "text/csv.h"
#include "text/ipc_rows.h"
#include "text/jsonl.h"
#include "text/parquet_rows.h"
#include "text/shape.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text);
    const size_t end_size = strlen(end);
    if (size < end_size)
        return false;
    for (size_t i = 0; i < end_size; i++) {
        const char c = text[size - end_size + i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c) != end[i])
            return false;
    }
    return true;
}

static frz_row_format format_of_name(const char *location)
{
    static const struct {
        const char *end;
        frz_row_format format;
    } endings[] = {{".parquet", FRZ_ROW_FORMAT_PARQUET}, {".parq", FRZ_ROW_FORMAT_PARQUET},
                   {".csv", FRZ_ROW_FORMAT_CSV},         {".jsonl", FRZ_ROW_FORMAT_JSONL},
                   {".ndjson", FRZ_ROW_FORMAT_JSONL},    {".json", FRZ_ROW_FORMAT_JSON},
                   {".avro", FRZ_ROW_FORMAT_AVRO},       {".arrow", FRZ_ROW_FORMAT_ARROW},
                   {".arrows", FRZ_ROW_FORMAT_ARROW},    {".ipc", FRZ_ROW_FORMAT_ARROW},
                   {".feather", FRZ_ROW_FORMAT_ARROW}};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (ends_with(location, endings[i].end))
            return endings[i].format;
    }
    return FRZ_ROW_FORMAT_GUESS;
}

enum { SNIFF_SIZE = 64 };

/* Formats that are told by how they begin, and not read. */
static frz_status refuse_start(frz_slice start, const char *location, frz_error **err)
{
    static const struct {
        const char *start;
        size_t size;
        const char *name;
    } known[] = {{"ORC", 3, "an ORC file"},
                 {"FEA1", 4, "a Feather V1 file"},
                 {"PFA1", 4, "a Puffin file"},
                 {"\x1f\x8b", 2, "compressed with gzip"},
                 {"\x28\xb5\x2f\xfd", 4, "compressed with zstd"},
                 {"PAR", 3, "a Parquet file with an encrypted footer"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (start.size >= known[i].size && memcmp(start.data, known[i].start, known[i].size) == 0)
            return frz_fail(
                err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                "%s is %s: rows are read from Parquet, Avro, Arrow IPC, CSV and JSON lines",
                location, known[i].name);
    }
    return FRZ_OK;
}

static frz_status format_of_start(frz_slice start, const char *location, frz_row_format *out,
                                  frz_error **err)
{
    static const struct {
        const char *start;
        size_t size;
        frz_row_format format;
    } known[] = {{"PAR1", 4, FRZ_ROW_FORMAT_PARQUET},
                 {"Obj\x01", 4, FRZ_ROW_FORMAT_AVRO},
                 {"ARROW1", 6, FRZ_ROW_FORMAT_ARROW},
                 {"\xff\xff\xff\xff", 4, FRZ_ROW_FORMAT_ARROW}};
    size_t at = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (start.size >= known[i].size && memcmp(start.data, known[i].start, known[i].size) == 0) {
            *out = known[i].format;
            return FRZ_OK;
        }
    }
    FRZ_TRY(refuse_start(start, location, err));
    if (start.size >= 3 && memcmp(start.data, "\xef\xbb\xbf", 3) == 0)
        at = 3;
    while (at < start.size && strchr(" \t\r\n", start.data[at]))
        at++;
    *out = at < start.size && start.data[at] == '{' ? FRZ_ROW_FORMAT_JSONL : FRZ_ROW_FORMAT_CSV;
    return FRZ_OK;
}

static frz_status sniff(const char *location, frz_io *io, frz_row_format *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    uint8_t bytes[SNIFF_SIZE];
    frz_io *own_io = NULL;
    frz_input *input = NULL;
    if (!io) {
        FRZ_TRY_DONE(frz_io_local_new(&own_io, err));
        io = own_io;
    }
    FRZ_TRY_DONE(frz_io_open(io, location, FRZ_IO_SIZE_UNKNOWN, &input, err));
    const uint64_t size = frz_input_size(input);
    const size_t taken = size < SNIFF_SIZE ? (size_t)size : SNIFF_SIZE;
    FRZ_TRY_DONE(frz_input_read_at(input, 0, bytes, taken, err));
    FRZ_TRY_DONE(format_of_start(frz_slice_of(bytes, taken), location, out, err));

done:
    frz_input_close(input);
    frz_io_free(own_io);
    return status;
}

/* The schema that text is read by; *made_out is to be cleared and may be what is returned. */
static frz_status text_schema(const char *location, frz_row_format format,
                              const frz_rows_options *options, frz_io *io,
                              struct ArrowSchema *made_out, const struct ArrowSchema **out,
                              frz_error **err)
{
    *out = options->schema;
    if (!options->schema && !options->infer)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "%s: text is read by a schema, and none was given", location);
    if (format == FRZ_ROW_FORMAT_CSV && !options->infer)
        return FRZ_OK;
    if (format == FRZ_ROW_FORMAT_JSONL && !options->infer && !options->present_only)
        return FRZ_OK;
    *out = made_out;
    return format == FRZ_ROW_FORMAT_CSV ? frz_csv_columns(location, io, options, made_out, err)
                                        : frz_jsonl_shape(location, io, options, made_out, err);
}

static frz_status open_text(const char *location, frz_row_format format,
                            const frz_rows_options *options, frz_io *io,
                            struct ArrowArrayStream *out, frz_error **err)
{
    struct ArrowSchema made = {0};
    const struct ArrowSchema *schema = NULL;
    frz_status status = text_schema(location, format, options, io, &made, &schema, err);
    if (status == FRZ_OK)
        status = format == FRZ_ROW_FORMAT_CSV
                     ? frz_csv_open(location, io, schema, options, out, err)
                     : frz_jsonl_open(location, io, schema, options, out, err);
    frz_arrow_schema_clear(&made);
    return status;
}

frz_status frz_rows_open_with(const char *location, const frz_rows_options *given, frz_io *io,
                              struct ArrowArrayStream *out, frz_error **err)
{
    frz_rows_options options = FRZ_ROWS_OPTIONS_INIT;
    FRZ_TRY(FRZ_OPTIONS_TAKE(frz_rows_options, given, &options, err));
    frz_row_format format = options.format;
    if (format == FRZ_ROW_FORMAT_GUESS)
        format = format_of_name(location);
    if (format == FRZ_ROW_FORMAT_GUESS)
        FRZ_TRY(sniff(location, io, &format, err));
    switch (format) {
    case FRZ_ROW_FORMAT_PARQUET:
        return frz_parquet_rows_open(location, io, out, err);
    case FRZ_ROW_FORMAT_AVRO:
        return frz_avro_stream_open(location, io, out, err);
    case FRZ_ROW_FORMAT_ARROW:
        return frz_ipc_rows_open(location, io, out, err);
    case FRZ_ROW_FORMAT_CSV:
    case FRZ_ROW_FORMAT_JSONL:
        return open_text(location, format, &options, io, out, err);
    case FRZ_ROW_FORMAT_GUESS:
    case FRZ_ROW_FORMAT_JSON:
    case FRZ_ROW_FORMAT_TABLE:
        break;
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s: %s is only written, not read", location,
                    format == FRZ_ROW_FORMAT_JSON ? "a JSON array" : "a table for people");
}

frz_status frz_rows_open(const char *location, frz_row_format format,
                         const struct ArrowSchema *schema, frz_io *io, struct ArrowArrayStream *out,
                         frz_error **err)
{
    const frz_rows_options options = {
        .struct_size = sizeof options, .format = format, .schema = schema};
    return frz_rows_open_with(location, &options, io, out, err);
}

/* Streams one after the other. */
typedef struct concat {
    struct ArrowArrayStream *streams; /* owned, each */
    size_t count;
    size_t current;
    struct ArrowSchema schema; /* of the first */
} concat;

static void concat_free(void *self)
{
    concat *all = self;
    for (size_t i = 0; i < all->count; i++)
        frz_arrow_stream_clear(&all->streams[i]);
    frz_arrow_schema_clear(&all->schema);
    frz_free(all->streams);
    frz_free(all);
}

static frz_status concat_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    return frz_arrow_schema_copy(&((concat *)self)->schema, out, err);
}

static frz_status concat_next(void *self, struct ArrowArray *out, frz_error **err)
{
    concat *all = self;
    for (; all->current < all->count; all->current++) {
        const frz_status status = frz_arrow_stream_next(&all->streams[all->current], out, err);
        if (status != FRZ_END)
            return status;
        frz_arrow_stream_clear(&all->streams[all->current]); /* closes its file early */
    }
    return FRZ_END;
}

/* Names and types, in order; nullability may differ. */
static frz_status same_layout(const struct ArrowSchema *a, const struct ArrowSchema *b,
                              frz_error **err)
{
    if (strcmp(a->format, b->format) != 0 || !a->dictionary != !b->dictionary)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s is of Arrow type %s in one file and %s in another",
                        frz_arrow_schema_name(a), a->format, b->format);
    if (a->n_children != b->n_children)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "%lld columns in one file and %lld in another", (long long)a->n_children,
                        (long long)b->n_children);
    const bool named = strcmp(a->format, "+s") == 0;
    for (int64_t i = 0; i < a->n_children; i++) {
        if (named && strcmp(frz_arrow_schema_name(a->children[i]),
                            frz_arrow_schema_name(b->children[i])) != 0)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column %s stands in one file where another has %s",
                            frz_arrow_schema_name(a->children[i]),
                            frz_arrow_schema_name(b->children[i]));
        FRZ_TRY(same_layout(a->children[i], b->children[i], err));
    }
    return FRZ_OK;
}

static frz_status check_schemas(concat *all, frz_error **err)
{
    FRZ_TRY(frz_arrow_stream_schema(&all->streams[0], &all->schema, err));
    for (size_t i = 1; i < all->count; i++) {
        struct ArrowSchema other = {0};
        FRZ_TRY(frz_arrow_stream_schema(&all->streams[i], &other, err));
        const frz_status status = same_layout(&all->schema, &other, err);
        frz_arrow_schema_clear(&other);
        FRZ_TRY(status);
    }
    return FRZ_OK;
}

static frz_status concat_new(struct ArrowArrayStream *streams, size_t count, concat **out,
                             frz_error **err)
{
    concat *all = frz_alloc_zero(sizeof *all);
    struct ArrowArrayStream *own = frz_alloc_array(count, sizeof *own);
    if (!all || !own) {
        for (size_t i = 0; i < count; i++)
            frz_arrow_stream_clear(&streams[i]);
        frz_free(all);
        frz_free(own);
        return frz_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        own[i] = streams[i];
        streams[i] = (struct ArrowArrayStream){0};
    }
    all->streams = own;
    all->count = count;
    *out = all;
    return FRZ_OK;
}

frz_status frz_rows_concat(struct ArrowArrayStream *streams, size_t count,
                           struct ArrowArrayStream *out, frz_error **err)
{
    static const frz_arrow_source_ops ops = {
        .schema = concat_schema, .next = concat_next, .free = concat_free};
    if (count == 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no streams to join");
    concat *all = NULL;
    FRZ_TRY(concat_new(streams, count, &all, err));
    const frz_status status = check_schemas(all, err);
    if (status != FRZ_OK) {
        concat_free(all);
        return status;
    }
    return frz_arrow_stream_from(&ops, all, out, err);
}

static frz_status write_to_output(void *context, const void *bytes, size_t size, frz_error **err)
{
    return frz_output_write(context, bytes, size, err);
}

static frz_status print_file(struct ArrowArrayStream *rows, const char *location,
                             const frz_print_options *options, frz_io *io, int64_t *rows_out,
                             frz_error **err)
{
    frz_output *output = NULL;
    FRZ_TRY(frz_io_create(io, location, &output, err));
    int64_t count = 0;
    /* An IPC stream where the name says so, else a file (Columnar.rst, "File extension"). */
    const frz_status status =
        options->format == FRZ_ROW_FORMAT_ARROW && !ends_with(location, ".arrows")
            ? frz_ipc_rows_write(rows, true, write_to_output, output, &count, err)
            : frz_rows_print(rows, options, write_to_output, output, &count, err);
    if (status != FRZ_OK) {
        frz_output_abort(output);
        return status;
    }
    FRZ_TRY(frz_output_commit(output, err));
    if (rows_out)
        *rows_out = count;
    return FRZ_OK;
}

frz_status frz_rows_write_file(struct ArrowArrayStream *rows, const char *location,
                               const frz_print_options *options, frz_io *io, int64_t *rows_out,
                               frz_error **err)
{
    frz_print_options resolved = FRZ_PRINT_OPTIONS_INIT;
    frz_io *own_io = NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(FRZ_OPTIONS_TAKE(frz_print_options, options, &resolved, err));
    if (resolved.format == FRZ_ROW_FORMAT_GUESS)
        resolved.format = format_of_name(location);
    if (!io) {
        FRZ_TRY_DONE(frz_io_local_new(&own_io, err));
        io = own_io;
    }
    status = resolved.format == FRZ_ROW_FORMAT_PARQUET
                 ? frz_parquet_rows_write(rows, location, io, rows_out, err)
                 : print_file(rows, location, &resolved, io, rows_out, err);
done:
    frz_io_free(own_io);
    frz_arrow_stream_clear(rows);
    return status;
}
