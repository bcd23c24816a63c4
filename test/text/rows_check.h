/*
 * Rows through text and back, in memory: what the tests of text/ share.
 */
#ifndef FRZ_TEST_TEXT_ROWS_CHECK_H
#define FRZ_TEST_TEXT_ROWS_CHECK_H

#include "arrow/schema.h"
#include "base/buffer.h"
#include "frazil/io.h"
#include "frazil/table.h"
#include "frazil/text.h"
#include "harness.h"
#include "io/file.h"

/* One column of a test schema; children follow for nested types. */
typedef struct test_column {
    const char *name;
    const char *format;
    bool required;
    bool uuid;
    const char *write_default; /* JSON; NULL when none */
    const struct test_column *children;
    int64_t child_count;
} test_column;

static inline void fill_schema(struct ArrowSchema *out, const test_column *column)
{
    frz_error *err = NULL;
    CHECK_OK(frz_arrow_schema_init(out, column->format, column->name, !column->required,
                                   FRZ_ARROW_NO_FIELD_ID, column->child_count, &err),
             err);
    if (column->uuid) {
        const char *keys[] = {"ARROW:extension:name"};
        const frz_slice values[] = {frz_slice_of_text("arrow.uuid")};
        CHECK_OK(frz_arrow_schema_set_metadata(out, keys, values, 1, &err), err);
    }
    if (column->write_default) {
        const char *keys[] = {FRZ_WRITE_DEFAULT_KEY};
        const frz_slice values[] = {frz_slice_of_text(column->write_default)};
        CHECK_OK(frz_arrow_schema_set_metadata(out, keys, values, 1, &err), err);
    }
    for (int64_t i = 0; i < column->child_count; i++)
        fill_schema(out->children[i], &column->children[i]);
}

#define TEST_SCHEMA(columns)                                  \
    {                                                         \
        .name = "", .format = "+s", .children = (columns),    \
        .child_count = sizeof(columns) / sizeof((columns)[0]) \
    }

static inline frz_status append_text(void *context, const void *bytes, size_t size, frz_error **err)
{
    frz_buffer_append(context, bytes, size);
    return frz_buffer_check(context, err);
}

static inline frz_io *memory_with(const char *name, const void *text, size_t size)
{
    frz_error *err = NULL;
    frz_io *io = NULL;
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    CHECK_OK(frz_io_write_file(io, name, frz_slice_of(text, size), &err), err);
    return io;
}

/* Reads `text` as the file `name` (its ending tells the format) and prints it as `format`; the
 * result is terminated and to be freed. */
static inline frz_status convert_n(const char *name, const void *text, size_t size,
                                   const test_column *root, const frz_print_options *options,
                                   frz_buffer *out, frz_error **err)
{
    frz_io *io = memory_with(name, text, size);
    struct ArrowSchema schema;
    struct ArrowArrayStream rows = {0};
    fill_schema(&schema, root);
    frz_status status = frz_rows_open(name, FRZ_ROW_FORMAT_GUESS, &schema, io, &rows, err);
    frz_arrow_schema_clear(&schema);
    if (status == FRZ_OK)
        status = frz_rows_print(&rows, options, append_text, out, NULL, err);
    frz_io_free(io);
    return status;
}

static inline void check_converts(const char *name, const char *text, const test_column *root,
                                  const frz_print_options *options, const char *want)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    CHECK_OK(convert_n(name, text, strlen(text), root, options, &out, &err), err);
    frz_buffer_append_byte(&out, 0);
    assert_string_equal((const char *)out.data, want);
    frz_buffer_clear(&out);
}

static inline void check_refuses(const char *name, const char *text, const test_column *root,
                                 frz_status want, const char *message)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    const frz_print_options jsonl = {.struct_size = sizeof jsonl, .format = FRZ_ROW_FORMAT_JSONL};
    CHECK_FAILS(convert_n(name, text, strlen(text), root, &jsonl, &out, &err), want, err, message);
    frz_buffer_clear(&out);
}

#endif
