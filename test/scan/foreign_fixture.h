/*
 * Files that other writers made, taken into a table as they are: with the ids they have or with
 * none, in the schema they were written with, under the partition values that a migration gave.
 * Rows go in and come out as JSON lines.
 */
#ifndef FRZ_TEST_SCAN_FOREIGN_FIXTURE_H
#define FRZ_TEST_SCAN_FOREIGN_FIXTURE_H

#include "scan/table_fixture.h"

#include "frazil/text.h"
#include "parquet/writer.h"
#include "spec/ddl.h"
#include "spec/schema.h"
#include "write/transaction.h"

/*
 * Schemas in short, with the ids they have: "1 id long; 2! s {3 a int = 7; 4 'b c' string}; 5 l [6
 * int]; 7 m <8 string, 9 double>". `!` is required, `=` an initial default as JSON. Everywhere in
 * these texts, and in rows, ' stands for ".
 */
typedef struct schema_text {
    const char *at;
    frz_buffer json;
} schema_text;

static inline void skip_blanks(schema_text *text)
{
    text->at += strspn(text->at, " \n");
}

/* Passes on everything up to one of `ends` outside of quotes and brackets. */
static inline void pass_until(schema_text *text, const char *ends)
{
    int depth = 0;
    bool quoted = false;
    for (; *text->at; text->at++) {
        const char c = *text->at;
        if (!quoted && depth == 0 && strchr(ends, c))
            return;
        quoted ^= c == '\'';
        if (!quoted)
            depth += (strchr("{[(", c) != NULL) - (strchr("}])", c) != NULL);
        frz_buffer_append_byte(&text->json, c == '\'' ? '"' : (uint8_t)c);
    }
}

static inline void pass_name(schema_text *text)
{
    skip_blanks(text);
    const bool quoted = *text->at == '\'';
    if (!quoted)
        frz_buffer_append_byte(&text->json, '"');
    pass_until(text, " ;,}]>=");
    if (!quoted)
        frz_buffer_append_byte(&text->json, '"');
    skip_blanks(text);
}

static inline void pass_fields(schema_text *text);

static inline void pass_type(schema_text *text)
{
    static const char *const id_keys[] = {"element-id", "key-id", "value-id"};
    static const char *const keys[] = {"element", "key", "value"};
    skip_blanks(text);
    const char open = *text->at;
    if (open == '{') {
        text->at++;
        frz_buffer_append_text(&text->json, "{\"type\":\"struct\",\"fields\":[");
        pass_fields(text);
        frz_buffer_append_text(&text->json, "]}");
        text->at++;
    } else if (open == '[' || open == '<') {
        frz_buffer_printf(&text->json, "{\"type\":\"%s\",\"%s-required\":false",
                          open == '[' ? "list" : "map", open == '[' ? "element" : "value");
        for (size_t i = open == '[' ? 0 : 1; i < (open == '[' ? 1u : 3u); i++) {
            text->at++;
            frz_buffer_printf(&text->json, ",\"%s\":%ld,\"%s\":", id_keys[i],
                              strtol(text->at, (char **)(void *)&text->at, 10), keys[i]);
            pass_type(text);
        }
        frz_buffer_append_byte(&text->json, '}');
        text->at++;
    } else {
        pass_name(text);
    }
    skip_blanks(text);
}

static inline void pass_fields(schema_text *text)
{
    for (;;) {
        frz_buffer_printf(&text->json, "{\"id\":%ld",
                          strtol(text->at, (char **)(void *)&text->at, 10));
        const bool required = *text->at == '!';
        text->at += required;
        frz_buffer_printf(&text->json, ",\"required\":%s,\"name\":", required ? "true" : "false");
        pass_name(text);
        frz_buffer_append_text(&text->json, ",\"type\":");
        pass_type(text);
        if (*text->at == '=') {
            const char *start = ++text->at;
            frz_buffer_append_text(&text->json, ",\"initial-default\":");
            pass_until(text, ";}");
            text->at = start;
            frz_buffer_append_text(&text->json, ",\"write-default\":");
            pass_until(text, ";}");
        }
        frz_buffer_append_byte(&text->json, '}');
        if (*text->at != ';')
            return;
        text->at++;
        frz_buffer_append_byte(&text->json, ',');
    }
}

static inline frz_schema *schema_of(const char *fields)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_schema *schema = NULL;
    schema_text text = {.at = fields};
    frz_buffer_append_text(&text.json, "{\"type\":\"struct\",\"schema-id\":1,\"fields\":[");
    pass_fields(&text);
    frz_buffer_append_text(&text.json, "]}");
    frz_json_reader reader = frz_json_reader_over(frz_buffer_slice(&text.json), &arena);
    CHECK_OK(frz_schema_read_json(&reader, &schema, &err), err);
    frz_arena_clear(&arena);
    frz_buffer_clear(&text.json);
    return schema;
}

/* The text with ' as "; freed by the caller. */
static inline char *quoted(const char *text)
{
    char *copy = frz_copy_text(text);
    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return copy;
}

typedef struct foreign_file {
    const char *schema; /* as the file was written */
    bool no_ids;
    const char *rows; /* JSON lines */
    const frz_value *partition;
    size_t partition_count;
    int32_t spec_id;
    const frz_column_metrics *metrics;
    size_t metric_count;
} foreign_file;

static inline frz_status without_ids(const struct ArrowSchema *from, struct ArrowSchema *out,
                                     frz_error **err)
{
    FRZ_TRY(frz_arrow_schema_init(out, from->format, from->name,
                                  (from->flags & ARROW_FLAG_NULLABLE) != 0, FRZ_ARROW_NO_FIELD_ID,
                                  from->n_children, err));
    for (int64_t i = 0; i < from->n_children; i++)
        FRZ_TRY(without_ids(from->children[i], out->children[i], err));
    return FRZ_OK;
}

/* Writes the rows as Parquet; returns their count. */
static inline int64_t foreign_write(frz_io *io, const char *location, const foreign_file *file)
{
    static const frz_parquet_writer_options options = {.struct_size = sizeof options};
    frz_error *err = NULL;
    struct ArrowSchema read = {0};
    struct ArrowSchema written = {0};
    struct ArrowArrayStream rows = {0};
    frz_output *output = NULL;
    frz_parquet_writer *writer = NULL;
    char lines[128];
    int64_t count = 0;
    frz_schema *schema = schema_of(file->schema);
    CHECK_OK(frz_schema_to_arrow(schema, &read, &err), err);
    if (file->no_ids)
        CHECK_OK(without_ids(&read, &written, &err), err);
    (void)snprintf(lines, sizeof lines, "%s.jsonl", location);
    char *json = quoted(file->rows);
    CHECK_OK(frz_io_write_file(io, lines, frz_slice_of_text(json), &err), err);
    frz_free(json);
    CHECK_OK(frz_rows_open(lines, FRZ_ROW_FORMAT_JSONL, &read, io, &rows, &err), err);
    CHECK_OK(frz_io_create(io, location, &output, &err), err);
    CHECK_OK(
        frz_parquet_writer_open(output, file->no_ids ? &written : &read, &options, &writer, &err),
        err);
    for (;;) {
        struct ArrowArray batch = {0};
        const frz_status status = frz_arrow_stream_next(&rows, &batch, &err);
        if (status == FRZ_END)
            break;
        CHECK_OK(status, err);
        count += batch.length;
        CHECK_OK(frz_parquet_writer_write(writer, &batch, &err), err);
        frz_arrow_array_clear(&batch);
    }
    CHECK_OK(frz_parquet_writer_finish(writer, NULL, &err), err);
    CHECK_OK(frz_output_commit(output, &err), err);
    frz_parquet_writer_free(writer);
    frz_arrow_stream_clear(&rows);
    frz_arrow_schema_clear(&read);
    frz_arrow_schema_clear(&written);
    frz_schema_unref(schema);
    return count;
}

static inline frz_status foreign_prepare(void *self, frz_transaction *transaction,
                                         const frz_snapshot *parent, frz_change *out,
                                         frz_error **err)
{
    (void)transaction;
    (void)parent;
    (void)err;
    const frz_data_file *file = self;
    *out = (frz_change){.operation = "append"};
    if (file->content == FRZ_CONTENT_DATA) {
        out->added_data = file;
        out->added_data_count = 1;
    } else {
        out->added_deletes = file;
        out->added_delete_count = 1;
    }
    return FRZ_OK;
}

/* One snapshot that adds a file that is in the storage; what `added` leaves out is filled in. */
static inline void foreign_register(numbered_table *self, frz_data_file added)
{
    static const frz_write_options options = {.struct_size = sizeof options};
    frz_error *err = NULL;
    frz_transaction transaction = {0};
    frz_buffer path = {0};
    uint64_t size = 0;
    frz_buffer_append(&path, added.path.data, added.path.size);
    frz_buffer_append_byte(&path, 0);
    CHECK_OK(frz_io_stat(self->storage, (const char *)path.data, &size, &err), err);
    frz_buffer_clear(&path);
    added.file_size = (int64_t)size;
    added.sort_order_id = -1;
    added.first_row_id = -1;
    added.content_offset = -1;
    added.content_size = -1;
    CHECK_OK(frz_transaction_open(self->table, &options, &transaction, &err), err);
    CHECK_OK(frz_transaction_commit(&transaction, foreign_prepare, &added, NULL, &err), err);
    frz_transaction_close(&transaction, FRZ_OK);
}

/* One snapshot that adds the file. */
static inline void foreign_append(numbered_table *self, const foreign_file *file)
{
    static int number;
    char location[96];
    (void)snprintf(location, sizeof location, "mem://foreign/%d.parquet", number++);
    const int64_t count = foreign_write(self->storage, location, file);
    foreign_register(self, (frz_data_file){.format = FRZ_FORMAT_PARQUET,
                                           .format_text = frz_slice_of_text("PARQUET"),
                                           .path = frz_slice_of_text(location),
                                           .spec_id = file->spec_id,
                                           .partition = file->partition,
                                           .partition_count = file->partition_count,
                                           .record_count = count,
                                           .columns = file->metrics,
                                           .column_count = file->metric_count,
                                           .metric_maps = file->metric_count ? 0x3f : 0});
}

static const char *next_schema;

static inline frz_status change_to_next(frz_metadata_builder *builder, frz_error **err)
{
    int32_t id = 0;
    frz_schema *schema = schema_of(next_schema);
    frz_status status = frz_update_add_schema(builder, schema, &id, err);
    if (status == FRZ_OK)
        status = frz_update_set_current_schema(builder, id, err);
    frz_schema_unref(schema);
    return status;
}

/* Makes that schema current. */
static inline void evolve(numbered_table *self, const char *schema)
{
    next_schema = schema;
    change_metadata(self, change_to_next);
}

static char *next_mapping;

static inline frz_status set_mapping(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_set_property(builder, "schema.name-mapping.default", next_mapping, err);
}

/* Sets schema.name-mapping.default. */
static inline void map_names(numbered_table *self, const char *mapping)
{
    next_mapping = quoted(mapping);
    change_metadata(self, set_mapping);
    frz_free(next_mapping);
}

/* Rows, as JSON lines, through our own writer in the current schema. */
static inline void append_json(numbered_table *self, const char *rows)
{
    static int number;
    char location[96];
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArrayStream stream = {0};
    (void)snprintf(location, sizeof location, "mem://rows/%d.jsonl", number++);
    char *json = quoted(rows);
    CHECK_OK(frz_io_write_file(self->storage, location, frz_slice_of_text(json), &err), err);
    frz_free(json);
    CHECK_OK(frz_table_arrow_schema(self->table, &schema, &err), err);
    CHECK_OK(frz_rows_open(location, FRZ_ROW_FORMAT_JSONL, &schema, self->storage, &stream, &err),
             err);
    CHECK_OK(frz_table_append(self->table, &stream, NULL, NULL, &err), err);
    frz_arrow_schema_clear(&schema);
}

static inline frz_status keep_text(void *context, const void *bytes, size_t size, frz_error **err)
{
    frz_buffer_append(context, bytes, size);
    return frz_buffer_check(context, err);
}

/* The rows of a scan as JSON lines. */
static inline frz_status scan_json(const frz_table *table, const frz_scan_options *options,
                                   frz_buffer *out, frz_error **err)
{
    frz_scan *scan = NULL;
    struct ArrowArrayStream rows = {0};
    frz_print_options print = FRZ_PRINT_OPTIONS_INIT;
    print.format = FRZ_ROW_FORMAT_JSONL;
    FRZ_TRY(frz_scan_new(table, options, &scan, err));
    frz_status status = frz_scan_stream(scan, &rows, err);
    if (status == FRZ_OK)
        status = frz_rows_print(&rows, &print, keep_text, out, NULL, err);
    frz_scan_free(scan);
    return status;
}

/* `where` and `columns` (comma-separated) may be NULL. */
static inline void check_json(const frz_table *table, const char *where, const char *columns,
                              const char *want)
{
    name_list list;
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    if (columns)
        select_columns(&options, columns, &list);
    CHECK_OK(scan_json(table, &options, &text, &err), err);
    frz_buffer_append_byte(&text, 0);
    char *json = quoted(want);
    if (strcmp((char *)text.data, json) != 0)
        fail_msg("%s of %s: got\n%swant\n%s", columns ? columns : "*", where ? where : "all",
                 (char *)text.data, json);
    frz_free(json);
    frz_buffer_clear(&text);
}

static inline void check_json_fails(const frz_table *table, const char *columns, frz_status want,
                                    const char *message)
{
    name_list list;
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    if (columns)
        select_columns(&options, columns, &list);
    CHECK_FAILS(scan_json(table, &options, &text, &err), want, err, message);
    frz_buffer_clear(&text);
}

/* A scan while an allocation fails: all rows, `size` bytes of text, or short memory. */
static inline void check_swept_scan(const frz_table *table, const char *where, size_t size)
{
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    const frz_status status = scan_json(table, &options, &text, &err);
    /* What only fills a cache may fail unseen. */
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    CHECK(status != FRZ_OK || text.size == size);
    frz_error_free(err);
    frz_buffer_clear(&text);
}

#endif
