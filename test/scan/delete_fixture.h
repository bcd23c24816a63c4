/*
 * Data and delete files written down as text and committed as any writer might: by field id, with
 * the columns, types and sequence that a case wants.
 */
#ifndef FRZ_TEST_SCAN_DELETE_FIXTURE_H
#define FRZ_TEST_SCAN_DELETE_FIXTURE_H

#include "scan/table_fixture.h"

#include "spec/value_arrow.h"
#include "write/data_file.h"
#include "write/properties.h"
#include "write/transaction.h"

enum { WRITTEN_COLUMNS_MAX = 6, WRITTEN_FILES_MAX = 8 };

/* A column of a file; `parent` names the struct around it, which has id parent_id. */
typedef struct written_column {
    int32_t id;
    const char *name;
    const char *type; /* of a primitive, as metadata writes it */
    int32_t parent_id;
    const char *parent;
} written_column;

typedef struct written_file {
    frz_file_content content;
    written_column columns[WRITTEN_COLUMNS_MAX]; /* ended by one without name */
    const char *rows;                            /* "1:a 2:-": cells by column, "-" is null */
    int64_t first;                               /* rows NULL: longs from here on */
    int64_t count;
    int32_t ids[WRITTEN_COLUMNS_MAX]; /* equality_ids, ended by 0 */
    int32_t spec_id;
    const frz_value *partition;
} written_file;

static inline void written_schema(const written_file *file, struct ArrowSchema *out,
                                  const frz_type **types, frz_arena *arena)
{
    frz_error *err = NULL;
    int64_t count = 0;
    while (count < WRITTEN_COLUMNS_MAX && file->columns[count].name)
        count++;
    CHECK_OK(frz_arrow_schema_init(out, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, count, &err), err);
    for (int64_t i = 0; i < count; i++) {
        const written_column *column = &file->columns[i];
        CHECK_OK(frz_type_parse(frz_slice_of_text(column->type), arena, &types[i], &err), err);
        const frz_field field = {.id = column->id, .name = column->name, .type = types[i]};
        struct ArrowSchema *at = out->children[i];
        if (column->parent) {
            CHECK_OK(
                frz_arrow_schema_init(at, "+s", column->parent, true, column->parent_id, 1, &err),
                err);
            at = at->children[0];
        }
        CHECK_OK(frz_type_to_arrow(&field, at, &err), err);
    }
}

static inline void written_cell(frz_arrow_builder *builder, const frz_type *type, frz_slice text,
                                frz_arena *arena)
{
    frz_error *err = NULL;
    frz_value value = {.form = FRZ_VALUE_NULL};
    if (!frz_slice_is_text(text, "-"))
        CHECK_OK(frz_value_parse(type, text, arena, &value, &err), err);
    frz_value_append(type, &value, builder);
}

static inline void written_row(frz_arrow_builder *builder, const written_file *file,
                               const frz_type *const *types, const char *text, size_t size,
                               frz_arena *arena)
{
    const char *end = text + size;
    for (size_t i = 0; i < WRITTEN_COLUMNS_MAX && file->columns[i].name; i++) {
        const char *colon =
            file->columns[i + 1].name ? memchr(text, ':', (size_t)(end - text)) : NULL;
        const frz_slice cell = frz_slice_of(text, (size_t)((colon ? colon : end) - text));
        frz_arrow_builder *column = frz_arrow_builder_child(builder, i);
        if (file->columns[i].parent && frz_slice_is_text(cell, "--")) {
            frz_arrow_append_null(column); /* the struct itself */
        } else if (file->columns[i].parent) {
            written_cell(frz_arrow_builder_child(column, 0), types[i], cell, arena);
            frz_arrow_append_struct(column);
        } else {
            written_cell(column, types[i], cell, arena);
        }
        text = colon ? colon + 1 : end;
    }
    frz_arrow_append_struct(builder);
}

static inline void written_batch(const written_file *file, const struct ArrowSchema *schema,
                                 const frz_type *const *types, frz_arena *arena,
                                 struct ArrowArray *out)
{
    frz_error *err = NULL;
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_arrow_builder_new(schema, &builder, &err), err);
    for (const char *at = file->rows; at && *at;) {
        const size_t size = strcspn(at, " ");
        written_row(builder, file, types, at, size, arena);
        at += size + strspn(at + size, " ");
    }
    for (int64_t i = 0; !file->rows && i < file->count; i++) {
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), file->first + i);
        frz_arrow_append_struct(builder);
    }
    CHECK_OK(frz_arrow_builder_finish(builder, out, &err), err);
    frz_arrow_builder_free(builder);
}

/* What a commit of written files adds. */
typedef struct written_commit {
    frz_data_file data[WRITTEN_FILES_MAX];
    size_t data_count;
    frz_data_file deletes[WRITTEN_FILES_MAX];
    size_t delete_count;
} written_commit;

static inline frz_status written_prepare(void *self, frz_transaction *transaction,
                                         const frz_snapshot *parent, frz_change *out,
                                         frz_error **err)
{
    const written_commit *commit = self;
    (void)transaction;
    (void)parent;
    (void)err;
    *out = (frz_change){.operation = "overwrite",
                        .added_data = commit->data,
                        .added_data_count = commit->data_count,
                        .added_deletes = commit->deletes,
                        .added_delete_count = commit->delete_count};
    return FRZ_OK;
}

static inline void written_write(frz_transaction *transaction, const written_file *file,
                                 frz_file_context *context, frz_data_file *out)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    frz_data_file_writer *writer = NULL;
    const frz_type *types[WRITTEN_COLUMNS_MAX];
    written_schema(file, &schema, types, &transaction->arena);
    written_batch(file, &schema, types, &transaction->arena, &batch);
    context->arrow = &schema;
    context->spec_id = file->spec_id;
    CHECK_OK(frz_data_file_writer_open(context, file->partition, &writer, &err), err);
    CHECK_OK(frz_data_file_writer_write(writer, &batch, &err), err);
    CHECK_OK(frz_data_file_writer_finish(writer, out, &err), err);
    out->content = file->content;
    while (file->ids[out->equality_id_count])
        out->equality_id_count++;
    out->equality_ids = out->equality_id_count ? file->ids : NULL;
    frz_arrow_schema_clear(&schema);
    frz_arrow_array_clear(&batch);
}

/* One snapshot that adds all of these files. */
static inline void commit_files(numbered_table *self, const written_file *files, size_t count)
{
    frz_error *err = NULL;
    frz_transaction transaction;
    frz_write_properties properties;
    written_commit commit = {.data_count = 0};
    CHECK_OK(frz_transaction_open(self->table, NULL, &transaction, &err), err);
    CHECK_OK(
        frz_write_properties_read(self->table->metadata, &transaction.arena, &properties, &err),
        err);
    frz_file_context context = {.io = self->table->io,
                                .metadata = self->table->metadata,
                                .options = frz_data_file_options(&properties),
                                .own = &transaction.own,
                                .arena = &transaction.arena,
                                .operation_id = transaction.uuid,
                                .suffix = ""};
    for (size_t i = 0; i < count; i++)
        written_write(&transaction, &files[i], &context,
                      files[i].content == FRZ_CONTENT_DATA
                          ? &commit.data[commit.data_count++]
                          : &commit.deletes[commit.delete_count++]);
    CHECK_OK(frz_transaction_commit(&transaction, written_prepare, &commit, NULL, &err), err);
    frz_transaction_close(&transaction, FRZ_OK);
}

static inline void commit_file(numbered_table *self, const written_file *file)
{
    commit_files(self, file, 1);
}

/* An equality delete file over one column of an unpartitioned table. */
static inline void delete_keys(numbered_table *self, int32_t id, const char *name, const char *type,
                               const char *rows)
{
    commit_file(self, &(written_file){.content = FRZ_CONTENT_EQUALITY_DELETES,
                                      .columns = {{id, name, type, 0, NULL}},
                                      .rows = rows,
                                      .ids = {id}});
}

/* One of `count` longs from `first` on. */
static inline void delete_numbers(numbered_table *self, int64_t first, int64_t count)
{
    commit_file(self, &(written_file){.content = FRZ_CONTENT_EQUALITY_DELETES,
                                      .columns = {{1, "id", "long", 0, NULL}},
                                      .first = first,
                                      .count = count,
                                      .ids = {1}});
}

#endif
