#include "arrow/builder.h"

#include "arrow_equal.h"

static frz_arrow_builder *new_builder(const char *format)
{
    frz_error *err = NULL;
    struct ArrowSchema schema;
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_arrow_schema_init(&schema, format, "c", true, FRZ_ARROW_NO_FIELD_ID, 0, &err),
             err);
    CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
    frz_arrow_schema_clear(&schema);
    return builder;
}

static struct ArrowArray finish(frz_arrow_builder *builder)
{
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    CHECK_OK(frz_arrow_builder_finish(builder, &array, &err), err);
    return array;
}

static void test_integers_with_a_late_null(void **state)
{
    (void)state;
    frz_arrow_builder *builder = new_builder("i");
    for (int i = 0; i < 11; i++)
        frz_arrow_append_i64(builder, -i);
    frz_arrow_append_null(builder);
    frz_arrow_append_i64(builder, 5);
    CHECK(frz_arrow_builder_length(builder) == 13);
    struct ArrowArray array = finish(builder);
    CHECK(array.length == 13 && array.null_count == 1 && array.n_buffers == 2);
    const int32_t *values = array.buffers[1];
    for (int i = 0; i < 11; i++)
        CHECK(values[i] == -i && !frz_arrow_is_null(&array, i));
    CHECK(frz_arrow_is_null(&array, 11) && !frz_arrow_is_null(&array, 12) && values[12] == 5);
    frz_arrow_array_clear(&array);

    frz_arrow_append_i64(builder, 7);
    array = finish(builder);
    CHECK(array.length == 1 && array.null_count == 0 && array.buffers[0] == NULL);
    frz_arrow_array_clear(&array);
    frz_arrow_builder_free(builder);
}

static void test_text_booleans_floats_and_decimals(void **state)
{
    (void)state;
    frz_arrow_builder *text = new_builder("u");
    frz_arrow_append_bytes(text, frz_slice_of_text("ab"));
    frz_arrow_append_null(text);
    frz_arrow_append_bytes(text, frz_slice_of_text(""));
    frz_arrow_append_bytes(text, frz_slice_of_text("c"));
    struct ArrowArray array = finish(text);
    const int32_t *offsets = array.buffers[1];
    CHECK(offsets[0] == 0 && offsets[1] == 2 && offsets[2] == 2 && offsets[3] == 2 &&
          offsets[4] == 3);
    CHECK(memcmp(array.buffers[2], "abc", 3) == 0);
    frz_arrow_array_clear(&array);
    frz_arrow_builder_free(text);

    frz_arrow_builder *bits = new_builder("b");
    for (int i = 0; i < 10; i++)
        frz_arrow_append_bool(bits, i % 3 == 0);
    array = finish(bits);
    for (int i = 0; i < 10; i++)
        CHECK(frz_bit_get(array.buffers[1], i) == (i % 3 == 0));
    frz_arrow_array_clear(&array);
    frz_arrow_builder_free(bits);

    frz_arrow_builder *narrow = new_builder("f");
    frz_arrow_append_f64(narrow, 1.5);
    array = finish(narrow);
    CHECK(*(const float *)array.buffers[1] == 1.5f);
    frz_arrow_array_clear(&array);
    frz_arrow_builder_free(narrow);

    frz_arrow_builder *decimal = new_builder("d:38,2");
    frz_arrow_append_decimal(decimal, -(frz_int128)12345);
    array = finish(decimal);
    CHECK(*(const frz_int128 *)array.buffers[1] == -12345);
    frz_arrow_array_clear(&array);
    frz_arrow_builder_free(decimal);
}

/* struct<a: int, l: list<string>> */
static frz_status nested_schema(struct ArrowSchema *out, frz_error **err)
{
    struct ArrowSchema root = {0};
    frz_status status = frz_arrow_schema_init(&root, "+s", "", true, FRZ_ARROW_NO_FIELD_ID, 2, err);
    if (status == FRZ_OK)
        status =
            frz_arrow_schema_init(root.children[0], "i", "a", true, FRZ_ARROW_NO_FIELD_ID, 0, err);
    if (status == FRZ_OK)
        status =
            frz_arrow_schema_init(root.children[1], "+l", "l", true, FRZ_ARROW_NO_FIELD_ID, 1, err);
    if (status == FRZ_OK)
        status = frz_arrow_schema_init(root.children[1]->children[0], "u", "element", true,
                                       FRZ_ARROW_NO_FIELD_ID, 0, err);
    if (status != FRZ_OK)
        frz_arrow_schema_clear(&root);
    *out = root;
    return status;
}

static void append_rows(frz_arrow_builder *rows)
{
    frz_arrow_builder *list = frz_arrow_builder_child(rows, 1);
    for (int i = 0; i < 4; i++) {
        frz_arrow_append_i64(frz_arrow_builder_child(rows, 0), i);
        for (int item = 0; item < i; item++)
            frz_arrow_append_bytes(frz_arrow_builder_child(list, 0), frz_slice_of_text("xy"));
        frz_arrow_append_list(list);
        frz_arrow_append_struct(rows);
    }
    frz_arrow_append_null(rows);
}

static void test_nested_rows_are_cut_with_their_children(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema schema;
    frz_arrow_builder *rows = NULL;
    CHECK_OK(nested_schema(&schema, &err), err);
    CHECK_OK(frz_arrow_builder_new(&schema, &rows, &err), err);
    append_rows(rows);
    CHECK(frz_arrow_builder_length(rows) == 5);
    frz_arrow_builder_truncate(rows, 3);
    frz_arrow_builder_truncate(rows, 9);
    CHECK(frz_arrow_builder_length(rows) == 3);
    frz_arrow_append_null(rows);
    struct ArrowArray array = finish(rows);
    CHECK(array.length == 4 && array.null_count == 1 && frz_arrow_is_null(&array, 3));
    CHECK(array.children[0]->length == 4 && array.children[0]->null_count == 1);
    const struct ArrowArray *list = array.children[1];
    const int32_t *offsets = list->buffers[1];
    CHECK(list->length == 4 && offsets[1] == 0 && offsets[2] == 1 && offsets[3] == 3 &&
          offsets[4] == 3);
    CHECK(list->children[0]->length == 3);
    CHECK(memcmp(list->children[0]->buffers[2], "xyxyxy", 6) == 0);
    CHECK_OK(frz_arrow_array_validate(&schema, &array, &err), err);
    frz_arrow_array_clear(&array);
    frz_arrow_builder_free(rows);
    frz_arrow_schema_clear(&schema);
}

static void test_bits_that_were_cut_do_not_come_back(void **state)
{
    (void)state;
    frz_arrow_builder *bits = new_builder("b");
    frz_arrow_append_null(bits);
    for (int i = 0; i < 9; i++)
        frz_arrow_append_bool(bits, true);
    frz_arrow_builder_truncate(bits, 3);
    frz_arrow_append_bool(bits, false);
    frz_arrow_append_null(bits);
    struct ArrowArray array = finish(bits);
    CHECK(array.length == 5 && array.null_count == 2);
    CHECK(((const uint8_t *)array.buffers[1])[0] == 0x06);
    CHECK(((const uint8_t *)array.buffers[0])[0] == 0x0e);
    frz_arrow_array_clear(&array);
    frz_arrow_builder_free(bits);
}

static void test_types_that_are_not_plain_are_refused(void **state)
{
    (void)state;
    static const char *const formats[] = {"U", "vu", "e", "d:5,2,32", "+L", "+ud:", "tin", "w:0"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        frz_error *err = NULL;
        struct ArrowSchema schema;
        frz_arrow_builder *builder = NULL;
        CHECK_OK(
            frz_arrow_schema_init(&schema, formats[i], "c", true, FRZ_ARROW_NO_FIELD_ID, 0, &err),
            err);
        CHECK_FAILS(frz_arrow_builder_new(&schema, &builder, &err), FRZ_UNSUPPORTED, err,
                    "building a column of Arrow type");
        frz_arrow_schema_clear(&schema);
    }
}

static void build_rows(void)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    frz_arrow_builder *rows = NULL;
    struct ArrowArray array = {0};
    frz_status status = nested_schema(&schema, &err);
    if (status == FRZ_OK)
        status = frz_arrow_builder_new(&schema, &rows, &err);
    if (status == FRZ_OK) {
        append_rows(rows);
        frz_arrow_builder_truncate(rows, 4);
        frz_arrow_append_null(rows);
        status = frz_arrow_builder_finish(rows, &array, &err);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    CHECK((array.release != NULL) == (status == FRZ_OK));
    frz_arrow_array_clear(&array);
    frz_arrow_builder_free(rows);
    frz_arrow_schema_clear(&schema);
    frz_error_free(err);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(build_rows);
}

static void test_rows_of_an_array_are_copied_in_any_order(void **state)
{
    (void)state;
    enum { ROWS = 50 };
    static const char *const types[] = {"i",
                                        "b",
                                        "u",
                                        "w:3",
                                        "d:20,2",
                                        "z",
                                        "+s[i u]",
                                        "+l[+l[g]]",
                                        "+s[b +s[u +l[i!]]]",
                                        "+m[+s![u! +l[z]]]"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        frz_error *err = NULL;
        struct ArrowSchema schema = parse_schema(types[t]);
        struct ArrowArray whole = random_array(&schema, ROWS, 77 + t);
        struct ArrowArray part = {0};
        struct ArrowArray copy = {0};
        frz_arrow_builder *builder = NULL;
        CHECK_OK(frz_arrow_array_slice(&whole, 5, ROWS - 5, &part, &err), err);
        CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
        for (int64_t i = 0; i < part.length; i++)
            frz_arrow_append_row(builder, &part, part.length - 1 - i);
        CHECK_OK(frz_arrow_builder_finish(builder, &copy, &err), err);
        for (int64_t i = 0; i < part.length; i++)
            if (!rows_equal(&schema, &copy, i, &whole, ROWS - 1 - i))
                fail_msg("%s: row %d", types[t], (int)i);
        frz_arrow_builder_free(builder);
        frz_arrow_array_clear(&copy);
        frz_arrow_array_clear(&part);
        frz_arrow_array_clear(&whole);
        frz_arrow_schema_clear(&schema);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_with_a_late_null),
        cmocka_unit_test(test_text_booleans_floats_and_decimals),
        cmocka_unit_test(test_nested_rows_are_cut_with_their_children),
        cmocka_unit_test(test_bits_that_were_cut_do_not_come_back),
        cmocka_unit_test(test_types_that_are_not_plain_are_refused),
        cmocka_unit_test(test_rows_of_an_array_are_copied_in_any_order),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
