/*
 * position_deletes of vectors and of position delete files, with and without the column row.
 */
#include "scan/foreign_fixture.h"

#include "metatable/rows.h"
#include "puffin/deletion_vector.h"

static frz_status print_deletes(const frz_table *table, const frz_metadata_options *options,
                                frz_buffer *out, int64_t *rows, frz_error **err)
{
    struct ArrowArrayStream stream = {0};
    frz_print_options print = FRZ_PRINT_OPTIONS_INIT;
    print.format = FRZ_ROW_FORMAT_JSONL;
    FRZ_TRY(frz_table_metadata_stream(table, FRZ_METADATA_TABLE_POSITION_DELETES, options, &stream,
                                      err));
    return frz_rows_print(&stream, &print, keep_text, out, rows, err);
}

/* `columns` comma-separated, `where` may be NULL; the lines of the table. */
static void check_deletes(const frz_table *table, const char *columns, const char *where,
                          const char *want)
{
    frz_error *err = NULL;
    frz_buffer text = {0};
    name_list list;
    frz_scan_options names = FRZ_SCAN_OPTIONS_INIT;
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    select_columns(&names, columns, &list);
    options.select = names.select;
    options.select_count = names.select_count;
    options.where = where;
    CHECK_OK(print_deletes(table, &options, &text, NULL, &err), err);
    frz_buffer_append_byte(&text, 0);
    if (strcmp((char *)text.data, want) != 0)
        fail_msg("%s: got\n%swant\n%s", columns, (char *)text.data, want);
    frz_buffer_clear(&text);
}

static int64_t count_deletes(const frz_table *table, const char *where)
{
    frz_error *err = NULL;
    frz_buffer text = {0};
    int64_t rows = 0;
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    options.where = where;
    CHECK_OK(print_deletes(table, &options, &text, &rows, &err), err);
    frz_buffer_clear(&text);
    return rows;
}

static void every_position_of_a_vector_is_a_row(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = "id long not null, city string",
                                                       .partition = "city",
                                                       .group_rows = 20000,
                                                       .page_rows = 5000});
    append_numbers(&self, 0, 40000);
    delete_where(&self, "id >= 8 and id < 36008 and city = 'Oslo'"); /* 9,000 of one file */
    delete_where(&self, "id = 3");
    check_deletes(self.table, "pos,partition.city,row",
                  "partition.city = 'Turku' or (pos in (1, 2, 9001, 9002))",
                  "{\"pos\":0,\"partition\":{\"city\":\"Turku\"},\"row\":null}\n"
                  "{\"pos\":2,\"partition\":{\"city\":\"Oslo\"},\"row\":null}\n"
                  "{\"pos\":9001,\"partition\":{\"city\":\"Oslo\"},\"row\":null}\n");
    assert_int_equal(count_deletes(self.table, NULL), 9001);
    assert_int_equal(count_deletes(self.table, "content_offset = 4 and spec_id = 0"), 9001);
    assert_int_equal(count_deletes(self.table, "pos >= 5000"), 4002);
    numbered_close(&self);
}

/* Writes a position delete file with the columns file_path, pos and, of a table with id and name,
 * the deleted row. */
static void write_delete_file(frz_io *io, const char *location, bool with_row, const char *lines)
{
    static const frz_parquet_writer_options options = {.struct_size = sizeof options};
    const frz_field row[] = {{.id = 2, .name = "name", .type = frz_type_of(FRZ_TYPE_STRING)},
                             {.id = 1, .name = "id", .type = frz_type_of(FRZ_TYPE_INT)}};
    const frz_type row_type = {.kind = FRZ_TYPE_STRUCT, .fields = row, .field_count = 2};
    const frz_field fields[] = {
        {.id = FRZ_FIELD_ID_DELETE_FILE_PATH,
         .name = "file_path",
         .type = frz_type_of(FRZ_TYPE_STRING)},
        {.id = FRZ_FIELD_ID_DELETE_POS, .name = "pos", .type = frz_type_of(FRZ_TYPE_LONG)},
        {.id = FRZ_FIELD_ID_DELETE_ROW, .name = "row", .type = &row_type}};
    const frz_type type = {
        .kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = with_row ? 3 : 2};
    const frz_field root = {.name = "", .required = true, .type = &type};
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArrayStream rows = {0};
    struct ArrowArray batch = {0};
    frz_output *output = NULL;
    frz_parquet_writer *writer = NULL;
    char text[128];
    CHECK_OK(frz_type_to_arrow(&root, &schema, &err), err);
    (void)snprintf(text, sizeof text, "%s.jsonl", location);
    CHECK_OK(frz_io_write_file(io, text, frz_slice_of_text(lines), &err), err);
    CHECK_OK(frz_rows_open(text, FRZ_ROW_FORMAT_JSONL, &schema, io, &rows, &err), err);
    CHECK_OK(frz_io_create(io, location, &output, &err), err);
    CHECK_OK(frz_parquet_writer_open(output, &schema, &options, &writer, &err), err);
    CHECK_OK(frz_arrow_stream_next(&rows, &batch, &err), err);
    CHECK_OK(frz_parquet_writer_write(writer, &batch, &err), err);
    CHECK_OK(frz_parquet_writer_finish(writer, NULL, &err), err);
    CHECK_OK(frz_output_commit(output, &err), err);
    frz_parquet_writer_free(writer);
    frz_arrow_array_clear(&batch);
    frz_arrow_stream_clear(&rows);
    frz_arrow_schema_clear(&schema);
}

static frz_status add_deletes(void *self, frz_transaction *transaction, const frz_snapshot *parent,
                              frz_change *out, frz_error **err)
{
    (void)transaction;
    (void)parent;
    (void)err;
    *out = (frz_change){.operation = "delete", .added_deletes = self, .added_delete_count = 1};
    return FRZ_OK;
}

static void commit_delete_file(numbered_table *self, const char *location, int64_t count)
{
    static const frz_write_options options = {.struct_size = sizeof options};
    frz_error *err = NULL;
    frz_transaction transaction = {0};
    uint64_t size = 0;
    CHECK_OK(self->storage->ops->stat(self->storage, location, &size, &err), err);
    frz_data_file added = {.content = FRZ_CONTENT_POSITION_DELETES,
                           .format = FRZ_FORMAT_PARQUET,
                           .format_text = frz_slice_of_text("PARQUET"),
                           .path = frz_slice_of_text(location),
                           .record_count = count,
                           .file_size = (int64_t)size,
                           .sort_order_id = -1,
                           .first_row_id = -1,
                           .content_offset = -1,
                           .content_size = -1};
    CHECK_OK(frz_transaction_open(self->table, &options, &transaction, &err), err);
    CHECK_OK(frz_transaction_commit(&transaction, add_deletes, &added, NULL, &err), err);
    frz_transaction_close(&transaction, FRZ_OK);
}

static numbered_table table_of_v2(void)
{
    numbered_table self = numbered_open(
        &(table_shape){.schema = "id long, name string, more int", .format_version = 2});
    append_numbers(&self, 0, 10);
    return self;
}

/* "Position Delete Files": row may be there, with the columns of the table at that time. */
static void deleted_rows_are_shown_where_the_file_has_them(void **state)
{
    (void)state;
    numbered_table self = table_of_v2();
    write_delete_file(self.storage, "mem://deletes/a.parquet", true,
                      "{\"file_path\":\"mem://x\",\"pos\":4,\"row\":{\"name\":\"four\",\"id\":4}}\n"
                      "{\"file_path\":\"mem://x\",\"pos\":2,\"row\":null}\n");
    commit_delete_file(&self, "mem://deletes/a.parquet", 2);
    write_delete_file(self.storage, "mem://deletes/b.parquet", false,
                      "{\"file_path\":\"mem://y\",\"pos\":9}\n");
    commit_delete_file(&self, "mem://deletes/b.parquet", 1);
    check_deletes(self.table, "*", "pos = 4",
                  "{\"file_path\":\"mem://x\",\"pos\":4,\"row\":{\"id\":4,\"name\":\"four\","
                  "\"more\":null},\"spec_id\":0,\"delete_file_path\":\"mem://deletes/a.parquet\"}"
                  "\n");
    check_deletes(self.table, "pos,row.name", "delete_file_path like '%a.parquet'",
                  "{\"pos\":4,\"row\":{\"name\":\"four\"}}\n{\"pos\":2,\"row\":null}\n");
    check_deletes(self.table, "row.id,row.name", "row.id = 4 and row.more is null",
                  "{\"row\":{\"id\":4,\"name\":\"four\"}}\n");
    check_deletes(self.table, "file_path", "row is null and pos > 2",
                  "{\"file_path\":\"mem://y\"}\n");
    numbered_close(&self);
}

static void a_broken_delete_file_is_named(void **state)
{
    (void)state;
    numbered_table self = table_of_v2();
    frz_error *err = NULL;
    frz_buffer text = {0};
    write_delete_file(self.storage, "mem://deletes/null.parquet", false,
                      "{\"file_path\":null,\"pos\":4}\n");
    commit_delete_file(&self, "mem://deletes/null.parquet", 1);
    CHECK_FAILS(print_deletes(self.table, NULL, &text, NULL, &err), FRZ_CORRUPT, err,
                "position delete file mem://deletes/null.parquet: ");
    replace_stored(self.storage, "mem://deletes/null.parquet", frz_slice_of_text("PAR1 no"));
    CHECK_FAILS(print_deletes(self.table, NULL, &text, NULL, &err), FRZ_CORRUPT, err,
                "mem://deletes/null.parquet");
    frz_buffer_clear(&text);
    numbered_close(&self);
}

static numbered_table swept;

static void read_without_memory(void)
{
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    options.where = "row.id = 4";
    const frz_status status = print_deletes(swept.table, &options, &text, NULL, &err);
    CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
    frz_error_free(err);
    frz_buffer_clear(&text);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    swept = table_of_v2();
    write_delete_file(
        swept.storage, "mem://deletes/c.parquet", true,
        "{\"file_path\":\"mem://x\",\"pos\":4,\"row\":{\"name\":\"four\",\"id\":4}}\n");
    commit_delete_file(&swept, "mem://deletes/c.parquet", 1);
    sweep_allocation_failures(read_without_memory);
    numbered_close(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_position_of_a_vector_is_a_row),
        cmocka_unit_test(deleted_rows_are_shown_where_the_file_has_them),
        cmocka_unit_test(a_broken_delete_file_is_named),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
