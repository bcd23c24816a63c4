/*
 * Tables in memory that tests of writing append to, delete from and read back: rows are one long
 * `id` and one text `name`, written "1:a 2:b" where a test says them.
 */
#ifndef FRZ_TEST_TABLE_FIXTURE_H
#define FRZ_TEST_TABLE_FIXTURE_H

#include "catalog/fixture.h"

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "frazil/scan.h"
#include "frazil/write.h"

/* A stream over batches that are handed over one by one. */
typedef struct rows_stream {
    struct ArrowSchema schema;
    struct ArrowArray batch; /* given once */
} rows_stream;

static inline frz_status rows_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    return frz_arrow_schema_copy(&((rows_stream *)self)->schema, out, err);
}

static inline frz_status rows_next(void *self, struct ArrowArray *out, frz_error **err)
{
    rows_stream *rows = self;
    (void)err;
    if (!rows->batch.release)
        return FRZ_END;
    *out = rows->batch;
    rows->batch.release = NULL;
    return FRZ_OK;
}

static inline void rows_free(void *self)
{
    rows_stream *rows = self;
    frz_arrow_schema_clear(&rows->schema);
    frz_arrow_array_clear(&rows->batch);
    frz_free(rows);
}

static const frz_arrow_source_ops rows_ops = {rows_schema, rows_next, rows_free};

/* Takes schema and batch, also on failure. */
static inline frz_status rows_from(struct ArrowSchema *schema, struct ArrowArray *batch,
                                   struct ArrowArrayStream *out, frz_error **err)
{
    rows_stream *rows = frz_alloc_zero(sizeof *rows);
    if (!rows) {
        frz_arrow_schema_clear(schema);
        frz_arrow_array_clear(batch);
        return frz_fail_memory(err);
    }
    rows->schema = *schema;
    rows->batch = *batch;
    *schema = (struct ArrowSchema){0};
    *batch = (struct ArrowArray){0};
    return frz_arrow_stream_from(&rows_ops, rows, out, err);
}

/* "1:a 2:b -:c 4:-" as rows of id and name; "-" is null. */
static inline frz_status rows_of(const char *text, struct ArrowArrayStream *out, frz_error **err)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    frz_arrow_builder *builder = NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 2, err));
    FRZ_TRY_DONE(
        frz_arrow_schema_init(schema.children[0], "l", "id", true, FRZ_ARROW_NO_FIELD_ID, 0, err));
    FRZ_TRY_DONE(frz_arrow_schema_init(schema.children[1], "u", "name", true, FRZ_ARROW_NO_FIELD_ID,
                                       0, err));
    FRZ_TRY_DONE(frz_arrow_builder_new(&schema, &builder, err));
    while (*text) {
        frz_arrow_builder *id = frz_arrow_builder_child(builder, 0);
        frz_arrow_builder *name = frz_arrow_builder_child(builder, 1);
        const size_t size = strcspn(text, " ");
        const char *colon = memchr(text, ':', size);
        if (*text == '-' && colon == text + 1)
            frz_arrow_append_null(id);
        else
            frz_arrow_append_i64(id, strtoll(text, NULL, 10));
        if (colon[1] == '-')
            frz_arrow_append_null(name);
        else
            frz_arrow_append_bytes(name,
                                   frz_slice_of(colon + 1, size - (size_t)(colon + 1 - text)));
        frz_arrow_append_struct(builder);
        text += size + strspn(text + size, " ");
    }
    FRZ_TRY_DONE(frz_arrow_builder_finish(builder, &batch, err));
    FRZ_TRY_DONE(rows_from(&schema, &batch, out, err));

done:
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&schema);
    frz_arrow_array_clear(&batch);
    return status;
}

static inline void append_rows(frz_table *table, const char *text)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    CHECK_OK(rows_of(text, &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, NULL, NULL, &err), err);
}

/* Prints one value of a scan: integers, texts, null. */
static inline size_t print_value(const char *format, const struct ArrowArray *array, int64_t row,
                                 char *out, size_t room)
{
    const int64_t at = array->offset + row;
    const uint8_t *valid = array->null_count == 0 ? NULL : array->buffers[0];
    if (valid && !(valid[at >> 3] >> (at & 7) & 1))
        return (size_t)snprintf(out, room, "-");
    if (strcmp(format, "l") == 0)
        return (size_t)snprintf(out, room, "%lld",
                                (long long)((const int64_t *)array->buffers[1])[at]);
    if (strcmp(format, "i") == 0)
        return (size_t)snprintf(out, room, "%d", ((const int32_t *)array->buffers[1])[at]);
    if (strcmp(format, "b") == 0)
        return (size_t)snprintf(out, room, "%s",
                                frz_bit_get(array->buffers[1], at) ? "true" : "false");
    if (strcmp(format, "g") == 0)
        return (size_t)snprintf(out, room, "%g", ((const double *)array->buffers[1])[at]);
    const int32_t *offsets = array->buffers[1];
    return (size_t)snprintf(out, room, "%.*s", offsets[at + 1] - offsets[at],
                            (const char *)array->buffers[2] + offsets[at]);
}

/* Rows of a scan as "1:a 2:b", sorted as text unless `ordered`. */
typedef struct scanned {
    char text[4096];
} scanned;

static inline int compare_rows(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline scanned scan_rows(const frz_table *table, const frz_scan_options *options,
                                bool ordered)
{
    static char rows[256][128];
    char *order[256];
    size_t count = 0;
    scanned out = {""};
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    CHECK_OK(frz_scan_new(table, options, &scan, &err), err);
    CHECK_OK(frz_scan_stream(scan, &stream, &err), err);
    CHECK_OK(frz_arrow_stream_schema(&stream, &schema, &err), err);
    for (;;) {
        struct ArrowArray batch = {0};
        const frz_status status = frz_arrow_stream_next(&stream, &batch, &err);
        if (status == FRZ_END)
            break;
        CHECK_OK(status, err);
        for (int64_t row = 0; row < batch.length && count < 256; row++, count++) {
            size_t used = 0;
            for (int64_t i = 0; i < batch.n_children; i++) {
                used += (size_t)snprintf(rows[count] + used, sizeof rows[count] - used, "%s",
                                         i ? ":" : "");
                used +=
                    print_value(schema.children[i]->format, batch.children[i], batch.offset + row,
                                rows[count] + used, sizeof rows[count] - used);
            }
        }
        frz_arrow_array_clear(&batch);
    }
    for (size_t i = 0; i < count; i++)
        order[i] = rows[i];
    if (!ordered)
        qsort(order, count, sizeof *order, compare_rows);
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(out.text);
        (void)snprintf(out.text + used, sizeof out.text - used, "%s%s", i ? " " : "", order[i]);
    }
    frz_arrow_schema_clear(&schema);
    frz_arrow_stream_clear(&stream);
    frz_scan_free(scan);
    return out;
}

static inline void check_rows(const frz_table *table, const char *want)
{
    const scanned got = scan_rows(table, NULL, false);
    assert_string_equal(got.text, want);
}

/* Selected columns, comma-separated, of all rows. */
static inline void check_selected(const frz_table *table, const char *columns, const char *want)
{
    char copy[256];
    const char *select[8];
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    (void)snprintf(copy, sizeof copy, "%s", columns);
    for (char *at = copy; at; options.select_count++) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma++ = '\0';
        select[options.select_count] = at;
        at = comma;
    }
    options.select = select;
    const scanned got = scan_rows(table, &options, false);
    assert_string_equal(got.text, want);
}

static inline const char *summary_value(const frz_commit *commit, const char *key)
{
    for (size_t i = 0; i < commit->summary_count; i++) {
        if (strcmp(commit->summary[i].key, key) == 0)
            return commit->summary[i].value;
    }
    return "(absent)";
}

#endif
