#include "delete_files.h"

#include <stdio.h>
#include <stdlib.h>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/schema.h"
#include "measure.h"
#include "spec/schema.h"
#include "write/data_file.h"
#include "write/properties.h"
#include "write/transaction.h"

enum { BATCH_ROWS = 32768 };

/* A delete file on its way into the table. */
typedef struct writing {
    frz_transaction transaction;
    frz_write_properties properties;
    frz_file_context context;
    struct ArrowSchema schema;
    frz_arrow_builder *builder;
    frz_data_file_writer *writer;
    frz_data_file file;
} writing;

static void start(writing *self, frz_table *table, int64_t columns)
{
    frz_error *err = NULL;
    bench_must(frz_transaction_open(table, NULL, &self->transaction, &err), err);
    bench_must(frz_write_properties_read(table->metadata, &self->transaction.arena,
                                         &self->properties, &err),
               err);
    bench_must(
        frz_arrow_schema_init(&self->schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, columns, &err),
        err);
}

static void open_writer(writing *self)
{
    frz_error *err = NULL;
    self->context = (frz_file_context){.io = self->transaction.table->io,
                                       .metadata = self->transaction.table->metadata,
                                       .options = frz_delete_file_options(&self->properties),
                                       .arrow = &self->schema,
                                       .own = &self->transaction.own,
                                       .arena = &self->transaction.arena,
                                       .operation_id = self->transaction.uuid,
                                       .suffix = "-deletes"};
    bench_must(frz_arrow_builder_new(&self->schema, &self->builder, &err), err);
    bench_must(frz_data_file_writer_open(&self->context, NULL, &self->writer, &err), err);
}

static void write_rows(writing *self)
{
    frz_error *err = NULL;
    struct ArrowArray batch = {0};
    bench_must(frz_arrow_builder_finish(self->builder, &batch, &err), err);
    bench_must(frz_data_file_writer_write(self->writer, &batch, &err), err);
    frz_arrow_array_clear(&batch);
}

static frz_status prepare(void *context, frz_transaction *transaction, const frz_snapshot *parent,
                          frz_change *out, frz_error **err)
{
    const writing *self = context;
    (void)transaction;
    (void)parent;
    (void)err;
    *out =
        (frz_change){.operation = "delete", .added_deletes = &self->file, .added_delete_count = 1};
    return FRZ_OK;
}

static void commit(writing *self)
{
    frz_error *err = NULL;
    bench_must(frz_transaction_commit(&self->transaction, prepare, self, NULL, &err), err);
    frz_transaction_close(&self->transaction, FRZ_OK);
    frz_arrow_builder_free(self->builder);
    frz_arrow_schema_clear(&self->schema);
}

/* A number that follows from another one, spread over 64 bits. */
static uint64_t spread(uint64_t number)
{
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

static void append_key(frz_arrow_builder *column, const struct ArrowSchema *schema, int64_t value)
{
    char text[48];
    if (schema->format[0] != 'u') {
        frz_arrow_append_i64(column, value);
        return;
    }
    const int size = snprintf(text, sizeof text, "host-%03lld.example.org", (long long)value);
    frz_arrow_append_bytes(column, frz_slice_of(text, (size_t)size));
}

void bench_delete_keys(frz_table *table, const bench_keys *keys)
{
    writing self = {0};
    frz_error *err = NULL;
    const int64_t columns = keys->ids[1] ? 2 : 1;
    start(&self, table, columns);
    for (int64_t i = 0; i < columns; i++) {
        const frz_field *field =
            frz_schema_find_id(frz_metadata_schema(table->metadata), keys->ids[i]);
        bench_must(frz_type_to_arrow(field, self.schema.children[i], &err), err);
    }
    open_writer(&self);
    for (int64_t i = 0; i < keys->count; i++) {
        const uint64_t number = spread((uint64_t)(keys->first + i));
        for (int64_t c = 0; c < columns; c++) {
            const uint64_t range = c == 0 ? (uint64_t)keys->range : 1000;
            append_key(frz_arrow_builder_child(self.builder, (size_t)c), self.schema.children[c],
                       (int64_t)((c == 0 ? number : number >> 40) % range));
        }
        frz_arrow_append_struct(self.builder);
        if (i % BATCH_ROWS == BATCH_ROWS - 1)
            write_rows(&self);
    }
    write_rows(&self);
    bench_must(frz_data_file_writer_finish(self.writer, &self.file, &err), err);
    self.file.content = FRZ_CONTENT_EQUALITY_DELETES;
    self.file.equality_ids = keys->ids;
    self.file.equality_id_count = (size_t)columns;
    commit(&self);
}

void bench_delete_positions(frz_table *table, const bench_positions *positions)
{
    writing self = {0};
    frz_error *err = NULL;
    start(&self, table, 2);
    bench_must(frz_arrow_schema_init(self.schema.children[0], "u", "file_path", false,
                                     FRZ_FIELD_ID_DELETE_FILE_PATH, 0, &err),
               err);
    bench_must(frz_arrow_schema_init(self.schema.children[1], "l", "pos", false,
                                     FRZ_FIELD_ID_DELETE_POS, 0, &err),
               err);
    open_writer(&self);
    for (size_t i = 0; i < positions->path_count; i++) {
        const frz_slice path = frz_slice_of_text(positions->paths[i]);
        for (int64_t row = positions->first; row < positions->rows; row += positions->step) {
            frz_arrow_append_bytes(frz_arrow_builder_child(self.builder, 0), path);
            frz_arrow_append_i64(frz_arrow_builder_child(self.builder, 1), row);
            frz_arrow_append_struct(self.builder);
        }
        write_rows(&self);
    }
    bench_must(frz_data_file_writer_finish(self.writer, &self.file, &err), err);
    self.file.content = FRZ_CONTENT_POSITION_DELETES;
    self.file.referenced_data_file = (frz_slice){0};
    self.file.column_count = 0;
    commit(&self);
}
