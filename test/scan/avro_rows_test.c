#include "scan/avro_rows.h"

#include "avro_fixture.h"

static frz_avro_rows *rows_over(bytes_input *input, const frz_buffer *file)
{
    frz_error *err = NULL;
    frz_avro_rows *rows = NULL;
    *input = input_over(frz_buffer_slice(file));
    CHECK_OK(frz_avro_rows_open(&input->base, &frz_limits_default, &rows, &err), err);
    return rows;
}

static void test_columns_are_found_by_id_and_read_batch_by_batch(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    bytes_input input;
    struct ArrowSchema schema = {0};
    struct ArrowArray column = {0};
    size_t id = 0;
    size_t name = 0;
    size_t none = 0;
    int64_t count = 0;
    put_people(&file, 100, 7);
    frz_avro_rows *rows = rows_over(&input, &file);
    const frz_field fields[] = {field_of(2, "renamed", FRZ_TYPE_STRING),
                                field_of(1, "id", FRZ_TYPE_LONG), field_of(9, "id", FRZ_TYPE_LONG)};
    CHECK_OK(frz_avro_rows_want(rows, &fields[0], &name, &err), err);
    CHECK_OK(frz_avro_rows_want(rows, &fields[1], &id, &err), err);
    CHECK(frz_avro_rows_want(rows, &fields[2], &none, &err) == FRZ_END && !err);
    CHECK_OK(frz_avro_rows_open_column(rows, id, &schema, &err), err);
    CHECK(strcmp(schema.format, "i") == 0 && frz_arrow_schema_field_id(&schema) == 1);
    frz_arrow_schema_clear(&schema);

    for (int64_t first = 0; first < 100; first += count) {
        CHECK_OK(frz_avro_rows_next(rows, 32, &count, &err), err);
        CHECK(count > 0 && count <= 32);
        const frz_row_selection all = {.start = first, .count = count, .selected = count};
        CHECK_OK(frz_avro_rows_read(rows, id, &all, &column, &err), err);
        CHECK(column.length == count && int_at(&column, count - 1) == first + count - 1);
        frz_arrow_array_clear(&column);
        const uint64_t mask = 5; /* the first and the third */
        const frz_row_selection two = {
            .start = first, .count = count, .mask = &mask, .selected = 2};
        CHECK_OK(frz_avro_rows_read(rows, name, &two, &column, &err), err);
        CHECK(column.length == 2 && frz_arrow_is_null(&column, 0) == (first % 3 == 2));
        frz_arrow_array_clear(&column);
    }
    CHECK(frz_avro_rows_next(rows, 32, &count, &err) == FRZ_END);
    frz_avro_rows_close(rows);
    frz_buffer_clear(&file);
}

static void test_two_that_want_parts_of_one_struct_both_get_them(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    bytes_input input;
    struct ArrowSchema schema = {0};
    struct ArrowArray columns[2] = {0};
    size_t numbers[3] = {0};
    int64_t count = 0;
    put_people(&file, 5, 5);
    frz_avro_rows *rows = rows_over(&input, &file);
    const frz_field x = field_of(4, "x", FRZ_TYPE_INT);
    const frz_field y = field_of(5, "y", FRZ_TYPE_STRING);
    const frz_type types[] = {{.kind = FRZ_TYPE_STRUCT, .fields = &x, .field_count = 1},
                              {.kind = FRZ_TYPE_STRUCT, .fields = &y, .field_count = 1}};
    const frz_field fields[] = {{.id = 3, .name = "p", .type = &types[0]},
                                {.id = 3, .name = "p", .type = &types[1]}};
    for (size_t i = 0; i < 2; i++)
        CHECK_OK(frz_avro_rows_want(rows, &fields[i], &numbers[i], &err), err);
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(frz_avro_rows_open_column(rows, numbers[i], &schema, &err), err);
        CHECK(schema.n_children == 2);
        frz_arrow_schema_clear(&schema);
    }
    CHECK_OK(frz_avro_rows_next(rows, 100, &count, &err), err);
    const frz_row_selection all = {.count = 5, .selected = 5};
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(frz_avro_rows_read(rows, numbers[i], &all, &columns[i], &err), err);
        CHECK(columns[i].length == 5 && frz_arrow_is_null(&columns[i], 3));
        CHECK(int_at(columns[i].children[0], 4) == 40);
        CHECK(frz_slice_is_text(text_at(columns[i].children[1], 4), "y4"));
    }
    for (size_t i = 0; i < 2; i++)
        frz_arrow_array_clear(&columns[i]);
    const frz_field late = field_of(1, "id", FRZ_TYPE_INT);
    CHECK_FAILS(frz_avro_rows_want(rows, &late, &numbers[2], &err), FRZ_INVALID, err, "after");
    frz_avro_rows_close(rows);
    frz_buffer_clear(&file);
}

static void test_a_struct_of_which_nothing_is_stored_keeps_its_nulls(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    bytes_input input;
    struct ArrowArray column = {0};
    size_t number = 0;
    int64_t count = 0;
    put_people(&file, 5, 5);
    frz_avro_rows *rows = rows_over(&input, &file);
    const frz_field z = field_of(77, "x", FRZ_TYPE_INT);
    const frz_type type = {.kind = FRZ_TYPE_STRUCT, .fields = &z, .field_count = 1};
    const frz_field field = {.id = 3, .name = "p", .type = &type};
    CHECK_OK(frz_avro_rows_want(rows, &field, &number, &err), err);
    CHECK_OK(frz_avro_rows_next(rows, 100, &count, &err), err);
    const frz_row_selection all = {.count = 5, .selected = 5};
    CHECK_OK(frz_avro_rows_read(rows, number, &all, &column, &err), err);
    CHECK(column.length == 5 && column.n_children == 0 && column.null_count == 1);
    CHECK(frz_arrow_is_null(&column, 3));
    frz_arrow_array_clear(&column);
    frz_avro_rows_close(rows);
    frz_buffer_clear(&file);
}

static void test_rows_are_counted_when_no_column_is_wanted(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    bytes_input input;
    int64_t count = 0;
    int64_t total = 0;
    put_people(&file, 1000, 300);
    frz_avro_rows *rows = rows_over(&input, &file);
    frz_status status = FRZ_OK;
    while ((status = frz_avro_rows_next(rows, 128, &count, &err)) == FRZ_OK)
        total += count;
    CHECK(status == FRZ_END && total == 1000);
    frz_avro_rows_close(rows);
    frz_buffer_clear(&file);
}

static void test_reserved_columns_are_found_by_name_where_ids_lack(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    bytes_input input;
    size_t number = 0;
    put_header(&file,
               "{\"type\":\"record\",\"name\":\"r\",\"fields\":["
               "{\"name\":\"file_path\",\"type\":\"string\"},"
               "{\"name\":\"pos\",\"type\":\"long\"}]}",
               NULL);
    frz_avro_rows *rows = rows_over(&input, &file);
    const frz_field fields[] = {field_of(FRZ_FIELD_ID_DELETE_POS, "pos", FRZ_TYPE_LONG),
                                field_of(7, "pos", FRZ_TYPE_LONG)};
    CHECK_OK(frz_avro_rows_want(rows, &fields[0], &number, &err), err);
    CHECK(frz_avro_rows_want(rows, &fields[1], &number, &err) == FRZ_END);
    frz_avro_rows_close(rows);
    frz_buffer_clear(&file);
}

static frz_buffer swept;

static frz_status read_all(frz_avro_rows *rows, frz_error **err)
{
    const frz_field fields[] = {field_of(1, "id", FRZ_TYPE_INT),
                                field_of(2, "name", FRZ_TYPE_STRING)};
    size_t numbers[2] = {0};
    int64_t count = 0;
    for (size_t i = 0; i < 2; i++)
        FRZ_TRY(frz_avro_rows_want(rows, &fields[i], &numbers[i], err));
    for (;;) {
        const frz_status status = frz_avro_rows_next(rows, 16, &count, err);
        if (status != FRZ_OK)
            return status == FRZ_END ? FRZ_OK : status;
        const frz_row_selection all = {.count = count, .selected = count};
        for (size_t i = 0; i < 2; i++) {
            struct ArrowArray column = {0};
            FRZ_TRY(frz_avro_rows_read(rows, numbers[i], &all, &column, err));
            frz_arrow_array_clear(&column);
        }
    }
}

static void sweep_body(void)
{
    frz_error *err = NULL;
    frz_avro_rows *rows = NULL;
    bytes_input input = input_over(frz_buffer_slice(&swept));
    frz_status status = frz_avro_rows_open(&input.base, &frz_limits_default, &rows, &err);
    if (status == FRZ_OK)
        status = read_all(rows, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_avro_rows_close(rows);
    frz_error_free(err);
}

static void test_any_allocation_may_fail(void **state)
{
    (void)state;
    put_people(&swept, 40, 9);
    sweep_allocation_failures(sweep_body);
    frz_buffer_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_found_by_id_and_read_batch_by_batch),
        cmocka_unit_test(test_two_that_want_parts_of_one_struct_both_get_them),
        cmocka_unit_test(test_a_struct_of_which_nothing_is_stored_keeps_its_nulls),
        cmocka_unit_test(test_rows_are_counted_when_no_column_is_wanted),
        cmocka_unit_test(test_reserved_columns_are_found_by_name_where_ids_lack),
        cmocka_unit_test(test_any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
