/*
 * Tables of numbered rows in memory, with several files, row groups and pages, made by the public
 * API over a storage that keeps a record and fails on demand. Every value follows from the row's
 * number, so that tests say which rows they want by number alone.
 */
#ifndef FRZ_TEST_SCAN_TABLE_FIXTURE_H
#define FRZ_TEST_SCAN_TABLE_FIXTURE_H

#include <math.h>

#include "arrow_equal.h"
#include "write/table_fixture.h"

#include "io/fault.h"
#include "io/file.h"
#include "spec/update.h"

#define NUMBERED_SCHEMA                                                                       \
    "id long not null, name string, score double, city string, p struct<x: int, y: string>, " \
    "tags list<int>"

typedef struct table_shape {
    const char *schema; /* NULL = NUMBERED_SCHEMA */
    const char *partition;
    int format_version;  /* 0 = 3 */
    int group_rows;      /* 0 = 100 */
    int page_rows;       /* 0 = 10 */
    const char *metrics; /* write.metadata.metrics.default; NULL = as it is by default */
    bool no_statistics;  /* none in the files either: of id, name, score, city */
    bool plain;          /* no compression and no dictionaries: bytes in the file are rows' bytes */
} table_shape;

typedef struct numbered_table {
    frz_io *storage;
    frz_io *fault; /* over storage: all of the table's calls pass it */
    fixture tables;
    frz_table *table;
} numbered_table;

static inline numbered_table numbered_open(const table_shape *shape)
{
    frz_error *err = NULL;
    numbered_table self = {0};
    char group_rows[16];
    char page_rows[16];
    frz_option properties[16] = {{"write.parquet.row-group-limit", group_rows},
                                 {"write.parquet.page-row-limit", page_rows}};
    size_t count = 2;
    (void)snprintf(group_rows, sizeof group_rows, "%d",
                   shape->group_rows ? shape->group_rows : 100);
    (void)snprintf(page_rows, sizeof page_rows, "%d", shape->page_rows ? shape->page_rows : 10);
    if (shape->metrics)
        properties[count++] = (frz_option){"write.metadata.metrics.default", shape->metrics};
    if (shape->no_statistics) {
        static const char *const keys[] = {
            "write.parquet.stats-enabled.column.id", "write.parquet.stats-enabled.column.name",
            "write.parquet.stats-enabled.column.score", "write.parquet.stats-enabled.column.city"};
        for (size_t i = 0; i < 4; i++)
            properties[count++] = (frz_option){keys[i], "false"};
    }
    if (shape->plain) {
        static const char *const keys[] = {"write.parquet.dict-encoding-enabled.column.id",
                                           "write.parquet.dict-encoding-enabled.column.name"};
        for (size_t i = 0; i < 2; i++)
            properties[count++] = (frz_option){keys[i], "false"};
        properties[count++] = (frz_option){"write.parquet.compression-codec", "uncompressed"};
    }
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = shape->schema ? shape->schema : NUMBERED_SCHEMA;
    options.partition = shape->partition;
    options.format_version = shape->format_version;
    options.properties = properties;
    options.property_count = count;
    CHECK_OK(frz_io_memory_new(&self.storage, &err), err);
    CHECK_OK(frz_io_fault_new(self.storage, &self.fault, &err), err);
    CHECK_OK(fixture_open(&self.tables, self.fault, &err), err);
    CHECK_OK(frz_catalog_create_table(self.tables.catalog, "n.t", &options, &self.table, &err),
             err);
    return self;
}

static inline void numbered_close(numbered_table *self)
{
    frz_table_free(self->table);
    fixture_close(&self->tables);
    frz_io_free(self->fault);
    frz_io_free(self->storage);
    *self = (numbered_table){0};
}

/* The value of a column in row `n`; columns that the schema gained later are null. */
static inline void append_cell(frz_arrow_builder *column, const struct ArrowSchema *schema,
                               int64_t n)
{
    static const char *const cities[] = {"Bergen", "Oslo", "Riga", "Turku"};
    char text[32];
    if (strcmp(schema->name, "id") == 0) {
        frz_arrow_append_i64(column, n);
    } else if (strcmp(schema->name, "name") == 0 && n % 7 != 3) {
        const int size = snprintf(text, sizeof text, "name-%06lld", (long long)n);
        frz_arrow_append_bytes(column, frz_slice_of(text, (size_t)size));
    } else if (strcmp(schema->name, "score") == 0 && n % 11 != 5) {
        frz_arrow_append_f64(column, n % 13 == 6 ? (double)NAN : (double)n * 0.5);
    } else if (strcmp(schema->name, "city") == 0) {
        frz_arrow_append_bytes(column, frz_slice_of_text(cities[n % 4]));
    } else if (strcmp(schema->name, "p") == 0 && n % 9 != 4) {
        const int size = snprintf(text, sizeof text, "y%lld", (long long)(n % 10));
        frz_arrow_append_i64(frz_arrow_builder_child(column, 0), n % 100);
        if (n % 6 == 1)
            frz_arrow_append_null(frz_arrow_builder_child(column, 1));
        else
            frz_arrow_append_bytes(frz_arrow_builder_child(column, 1),
                                   frz_slice_of(text, (size_t)size));
        frz_arrow_append_struct(column);
    } else if (strcmp(schema->name, "tags") == 0 && n % 8 != 7) {
        for (int64_t i = 0; i < n % 4; i++)
            frz_arrow_append_i64(frz_arrow_builder_child(column, 0), n + i);
        frz_arrow_append_list(column);
    } else {
        frz_arrow_append_null(column);
    }
}

static inline frz_status numbered_rows(const frz_table *table, int64_t first, int64_t count,
                                       struct ArrowArrayStream *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    frz_arrow_builder *builder = NULL;
    FRZ_TRY_DONE(frz_table_arrow_schema(table, &schema, err));
    FRZ_TRY_DONE(frz_arrow_builder_new(&schema, &builder, err));
    for (int64_t n = first; n < first + count; n++) {
        for (int64_t i = 0; i < schema.n_children; i++)
            append_cell(frz_arrow_builder_child(builder, (size_t)i), schema.children[i], n);
        frz_arrow_append_struct(builder);
    }
    FRZ_TRY_DONE(frz_arrow_builder_finish(builder, &batch, err));
    FRZ_TRY_DONE(rows_from(&schema, &batch, out, err));

done:
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&schema);
    frz_arrow_array_clear(&batch);
    return status;
}

/* One snapshot, and one file per partition, of rows [first, first + count). */
static inline void append_numbers(numbered_table *self, int64_t first, int64_t count)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    CHECK_OK(numbered_rows(self->table, first, count, &rows, &err), err);
    CHECK_OK(frz_table_append(self->table, &rows, NULL, NULL, &err), err);
}

static inline void delete_where(numbered_table *self, const char *where)
{
    frz_error *err = NULL;
    CHECK_OK(frz_table_delete(self->table, where, FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
}

/* Commits what `change` does to the metadata. */
static inline void change_metadata(numbered_table *self,
                                   frz_status (*change)(frz_metadata_builder *builder,
                                                        frz_error **err))
{
    frz_error *err = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *next = NULL;
    char *location = NULL;
    const frz_metadata *base = self->table->metadata;
    const char *base_location = self->table->metadata_location;
    CHECK_OK(frz_metadata_builder_new(base, base->format_version, &builder, &err), err);
    CHECK_OK(change(builder, &err), err);
    CHECK_OK(frz_metadata_builder_finish(builder, base_location, base->last_updated_ms + 1, &next,
                                         NULL, NULL, &err),
             err);
    CHECK_OK(frz_catalog_commit(self->tables.catalog, "n.t", base_location, next, &location, &err),
             err);
    frz_free(location);
    frz_metadata_unref(next);
    frz_metadata_builder_free(builder);
    CHECK_OK(frz_table_refresh(self->table, &err), err);
}

/* Makes the schema that `json` says current. */
static inline frz_status change_schema(frz_metadata_builder *builder, const char *json,
                                       frz_error **err)
{
    frz_arena arena = {0};
    frz_schema *schema = NULL;
    int32_t id = 0;
    frz_json_reader reader = frz_json_reader_over(frz_slice_of_text(json), &arena);
    frz_status status = frz_schema_read_json(&reader, &schema, err);
    if (status == FRZ_OK)
        status = frz_update_add_schema(builder, schema, &id, err);
    if (status == FRZ_OK)
        status = frz_update_set_current_schema(builder, id, err);
    frz_schema_unref(schema);
    frz_arena_clear(&arena);
    return status;
}

/* The table as another process finds it: nothing cached. */
static inline frz_table *reopen(const numbered_table *self)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    CHECK_OK(frz_table_open(self->table->metadata_location, self->fault, &table, &err), err);
    return table;
}

/* Comma-separated names as the select list of `options`. */
typedef struct name_list {
    char text[256];
    const char *names[16];
} name_list;

static inline void select_columns(frz_scan_options *options, const char *columns, name_list *list)
{
    (void)snprintf(list->text, sizeof list->text, "%s", columns);
    options->select_count = 0;
    for (char *at = list->text; at;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma++ = '\0';
        list->names[options->select_count++] = at;
        at = comma;
    }
    options->select = list->names;
}

/* The rows of a scan in its order, as "1:a 2:b". */
static inline void check_query(const frz_table *table, const char *where, const char *columns,
                               const char *want)
{
    name_list list;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    select_columns(&options, columns, &list);
    const scanned got = scan_rows(table, &options, true);
    if (strcmp(got.text, want) != 0)
        fail_msg("%s of %s: got \"%s\", want \"%s\"", columns, where ? where : "all rows", got.text,
                 want);
}

static inline int64_t count_rows(const frz_table *table, const char *where)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    int64_t count = 0;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    CHECK_OK(frz_scan_new(table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_count(scan, &count, &err), err);
    frz_scan_free(scan);
    return count;
}

/* All batches of a scan. */
typedef struct collected {
    struct ArrowSchema schema;
    struct ArrowArray *batches;
    size_t count;
    size_t capacity;
    int64_t rows;
} collected;

static inline frz_status collect_stream(struct ArrowArrayStream *stream, collected *out,
                                        frz_error **err)
{
    if (!out->schema.release)
        FRZ_TRY(frz_arrow_stream_schema(stream, &out->schema, err));
    for (;;) {
        struct ArrowArray batch = {0};
        const frz_status status = frz_arrow_stream_next(stream, &batch, err);
        if (status == FRZ_END)
            return FRZ_OK;
        FRZ_TRY(status);
        if (!frz_grow_array((void **)&out->batches, &out->capacity, out->count, sizeof batch)) {
            frz_arrow_array_clear(&batch);
            return FRZ_NO_MEMORY;
        }
        out->rows += batch.length;
        out->batches[out->count++] = batch;
    }
}

static inline void collected_clear(collected *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        frz_arrow_array_clear(&rows->batches[i]);
    frz_free(rows->batches);
    frz_arrow_schema_clear(&rows->schema);
    *rows = (collected){0};
}

static inline frz_status collect(const frz_table *table, const frz_scan_options *options,
                                 collected *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_scan *scan = NULL;
    struct ArrowArrayStream stream = {0};
    FRZ_TRY_DONE(frz_scan_new(table, options, &scan, err));
    FRZ_TRY_DONE(frz_scan_stream(scan, &stream, err));
    FRZ_TRY_DONE(collect_stream(&stream, out, err));

done:
    frz_arrow_stream_clear(&stream);
    frz_scan_free(scan);
    return status;
}

/* One row after the other over all batches. */
typedef struct row_walk {
    const collected *rows;
    size_t batch;
    int64_t row;
} row_walk;

static inline bool walk_next(row_walk *walk)
{
    walk->row++;
    while (walk->batch < walk->rows->count &&
           walk->row >= walk->rows->batches[walk->batch].length) {
        walk->batch++;
        walk->row = 0;
    }
    return walk->batch < walk->rows->count;
}

static inline void check_same_rows(const collected *a, const collected *b, const char *what)
{
    row_walk left = {.rows = a, .row = -1};
    row_walk right = {.rows = b, .row = -1};
    if (a->rows != b->rows)
        fail_msg("%s: %lld rows and %lld rows", what, (long long)a->rows, (long long)b->rows);
    for (int64_t row = 0; row < a->rows; row++) {
        CHECK(walk_next(&left) && walk_next(&right));
        if (!rows_equal(&a->schema, &a->batches[left.batch], left.row, &b->batches[right.batch],
                        right.row))
            fail_msg("%s: row %lld differs", what, (long long)row);
    }
}

/* The whole content of a file, appended, and a file's content replaced. */
static inline void read_stored(frz_io *storage, const char *location, frz_buffer *out)
{
    frz_error *err = NULL;
    CHECK_OK(frz_io_read_file(storage, location, SIZE_MAX, out, &err), err);
}

static inline void replace_stored(frz_io *storage, const char *location, frz_slice bytes)
{
    frz_error *err = NULL;
    CHECK_OK(frz_io_remove(storage, location, &err), err);
    CHECK_OK(frz_io_write_file(storage, location, bytes, &err), err);
}

#endif
