/* Covers: scan/stored_file scan/stored_column */
#include "scan/row_reader.h"

#include "avro_fixture.h"

static frz_type struct_of(const frz_field *fields, size_t count)
{
    return (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = count};
}

static void test_rows_come_in_order_as_the_type_asked_for(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_row_reader *reader = NULL;
    struct ArrowArray batch = {0};
    frz_status status = FRZ_OK;
    int64_t next = 0;
    put_people(&file, 20000, 3000);
    stored self = store_avro(&file);
    const frz_value seven = {.form = FRZ_VALUE_INTEGER, .integer = 7};
    frz_field fields[] = {field_of(2, "label", FRZ_TYPE_STRING), field_of(1, "id", FRZ_TYPE_LONG),
                          field_of(8, "new", FRZ_TYPE_INT), field_of(9, "gone", FRZ_TYPE_STRING)};
    fields[2].initial_default = &seven;
    const frz_type type = struct_of(fields, 4);
    CHECK_OK(frz_row_reader_open(&self.scan, &self.entry, &type, &reader, &err), err);
    while ((status = frz_row_reader_next(reader, &batch, &err)) == FRZ_OK) {
        for (int64_t i = 0; i < batch.length; i++, next++) {
            CHECK(frz_arrow_is_null(batch.children[0], i) == (next % 3 == 2));
            CHECK(long_at(batch.children[1], i) == next);
            CHECK(int_at(batch.children[2], i) == 7);
            CHECK(frz_arrow_is_null(batch.children[3], i));
        }
        frz_arrow_array_clear(&batch);
    }
    CHECK(status == FRZ_END && next == 20000);
    frz_row_reader_close(reader);
    stored_close(&self);
    frz_buffer_clear(&file);
}

static void check_refused(const frz_data_file *entry, const frz_scan *scan, frz_status want,
                          const char *text)
{
    frz_error *err = NULL;
    frz_row_reader *reader = NULL;
    frz_field field = field_of(9, "gone", FRZ_TYPE_STRING);
    field.required = true;
    const frz_type type = struct_of(&field, 1);
    CHECK_FAILS(frz_row_reader_open(scan, entry, &type, &reader, &err), want, err, text);
}

static void test_what_cannot_be_read_is_refused_by_name(void **state)
{
    (void)state;
    frz_buffer file = {0};
    put_people(&file, 3, 3);
    stored self = store_avro(&file);
    frz_data_file entry = self.entry;
    check_refused(&entry, &self.scan, FRZ_CORRUPT, "required column gone is not in the file");
    entry.format = FRZ_FORMAT_ORC;
    entry.format_text = frz_slice_of_text("ORC");
    check_refused(&entry, &self.scan, FRZ_UNSUPPORTED, "format ORC is not read yet");
    entry = self.entry;
    entry.key_metadata = frz_slice_of_text("k");
    check_refused(&entry, &self.scan, FRZ_UNSUPPORTED, "encrypted");
    entry = self.entry;
    entry.path = frz_slice_of_text("memory:/other.avro");
    check_refused(&entry, &self.scan, FRZ_NOT_FOUND, "other.avro");
    entry = self.entry;
    entry.format = FRZ_FORMAT_PARQUET;
    check_refused(&entry, &self.scan, FRZ_CORRUPT, "");
    stored_close(&self);
    frz_buffer_clear(&file);
}

/* A default or null would delete rows that the writer did not mean. */
static void test_a_delete_file_has_the_columns_that_it_deletes_by(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_row_reader *reader = NULL;
    put_people(&file, 3, 3);
    stored self = store_avro(&file);
    const frz_value seven = {.form = FRZ_VALUE_INTEGER, .integer = 7};
    frz_field fields[] = {field_of(1, "id", FRZ_TYPE_LONG), field_of(8, "new", FRZ_TYPE_INT)};
    fields[1].initial_default = &seven;
    frz_type type = struct_of(fields, 2);
    self.entry.content = FRZ_CONTENT_EQUALITY_DELETES;
    CHECK_FAILS(frz_row_reader_open(&self.scan, &self.entry, &type, &reader, &err), FRZ_CORRUPT,
                err, "the file lacks its delete column new (field 8)");
    type.field_count = 1;
    CHECK_OK(frz_row_reader_open(&self.scan, &self.entry, &type, &reader, &err), err);
    frz_row_reader_close(reader);
    stored_close(&self);
    frz_buffer_clear(&file);
}

static void test_types_that_cannot_become_the_tables_are_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_row_reader *reader = NULL;
    put_people(&file, 3, 3);
    stored self = store_avro(&file);
    const frz_field fields[] = {field_of(1, "id", FRZ_TYPE_DATE),
                                field_of(2, "v", FRZ_TYPE_VARIANT)};
    frz_type type = struct_of(&fields[0], 1);
    CHECK_FAILS(frz_row_reader_open(&self.scan, &self.entry, &type, &reader, &err), FRZ_UNSUPPORTED,
                err, "id");
    type = struct_of(&fields[1], 1);
    CHECK_FAILS(frz_row_reader_open(&self.scan, &self.entry, &type, &reader, &err), FRZ_UNSUPPORTED,
                err, "column v: type variant is not read yet");
    stored_close(&self);
    frz_buffer_clear(&file);
}

static stored swept;

static void sweep_body(void)
{
    frz_error *err = NULL;
    frz_row_reader *reader = NULL;
    struct ArrowArray batch = {0};
    const frz_field fields[] = {field_of(2, "name", FRZ_TYPE_STRING),
                                field_of(1, "id", FRZ_TYPE_LONG), field_of(9, "no", FRZ_TYPE_LONG)};
    const frz_type type = struct_of(fields, 3);
    frz_status status = frz_row_reader_open(&swept.scan, &swept.entry, &type, &reader, &err);
    while (status == FRZ_OK) {
        status = frz_row_reader_next(reader, &batch, &err);
        frz_arrow_array_clear(&batch);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_END));
    frz_row_reader_close(reader);
    frz_error_free(err);
}

static void test_any_allocation_may_fail(void **state)
{
    (void)state;
    frz_buffer file = {0};
    put_people(&file, 40, 9);
    swept = store_avro(&file);
    sweep_allocation_failures(sweep_body);
    stored_close(&swept);
    frz_buffer_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_in_order_as_the_type_asked_for),
        cmocka_unit_test(test_what_cannot_be_read_is_refused_by_name),
        cmocka_unit_test(test_a_delete_file_has_the_columns_that_it_deletes_by),
        cmocka_unit_test(test_types_that_cannot_become_the_tables_are_refused),
        cmocka_unit_test(test_any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
