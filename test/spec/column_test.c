#include "harness.h"

#include "arrow/builder.h"
#include "spec/column.h"

/* One batch with a child of each kind that manifests hold; row 1 is null everywhere. */
typedef struct batch {
    struct ArrowSchema schema;
    struct ArrowArray array;
} batch;

static const char *const formats[] = {"i",   "l",    "u",     "z", "b", "w:16",
                                      "tdD", "tsu:", "d:9,2", "g", "f", "n"};
enum {
    I32,
    I64,
    TEXT,
    BYTES,
    BOOLEAN,
    FIXED,
    DATE,
    STAMP,
    DECIMAL,
    DOUBLE,
    FLOAT,
    NOTHING,
    LIST,
    COUNT
};

static void append_row(frz_arrow_builder *row)
{
    static const uint8_t uuid[16] = {1, 2, 3};
    frz_arrow_append_i64(frz_arrow_builder_child(row, I32), -5);
    frz_arrow_append_i64(frz_arrow_builder_child(row, I64), INT64_C(4598286611352242717));
    frz_arrow_append_bytes(frz_arrow_builder_child(row, TEXT), frz_slice_of_text("text"));
    frz_arrow_append_bytes(frz_arrow_builder_child(row, BYTES), frz_slice_of_text(""));
    frz_arrow_append_bool(frz_arrow_builder_child(row, BOOLEAN), true);
    frz_arrow_append_bytes(frz_arrow_builder_child(row, FIXED), frz_slice_of(uuid, sizeof uuid));
    frz_arrow_append_i64(frz_arrow_builder_child(row, DATE), 2);
    frz_arrow_append_i64(frz_arrow_builder_child(row, STAMP), 12345);
    frz_arrow_append_decimal(frz_arrow_builder_child(row, DECIMAL), -1234);
    frz_arrow_append_f64(frz_arrow_builder_child(row, DOUBLE), 2.5);
    frz_arrow_append_f64(frz_arrow_builder_child(row, FLOAT), 0.25);
    frz_arrow_append_null(frz_arrow_builder_child(row, NOTHING));
    frz_arrow_append_i64(frz_arrow_builder_child(frz_arrow_builder_child(row, LIST), 0), 8);
    frz_arrow_append_i64(frz_arrow_builder_child(frz_arrow_builder_child(row, LIST), 0), 9);
    frz_arrow_append_list(frz_arrow_builder_child(row, LIST));
    frz_arrow_append_struct(row);
}

static batch make_batch(void)
{
    batch out = {0};
    frz_error *err = NULL;
    frz_arrow_builder *row = NULL;
    CHECK_OK(
        frz_arrow_schema_init(&out.schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, COUNT, &err),
        err);
    for (int i = 0; i < LIST; i++)
        CHECK_OK(
            frz_arrow_schema_init(out.schema.children[i], formats[i], formats[i], true, i, 0, &err),
            err);
    CHECK_OK(frz_arrow_schema_init(out.schema.children[LIST], "+l", "list", true, LIST, 1, &err),
             err);
    CHECK_OK(frz_arrow_schema_init(out.schema.children[LIST]->children[0], "i", "element", true, 90,
                                   0, &err),
             err);
    CHECK_OK(frz_arrow_builder_new(&out.schema, &row, &err), err);
    append_row(row);
    for (size_t i = 0; i < COUNT; i++)
        frz_arrow_append_null(frz_arrow_builder_child(row, i));
    frz_arrow_append_struct(row);
    CHECK_OK(frz_arrow_builder_finish(row, &out.array, &err), err);
    frz_arrow_builder_free(row);
    return out;
}

static void clear_batch(batch *b)
{
    frz_arrow_array_clear(&b->array);
    frz_arrow_schema_clear(&b->schema);
}

static frz_column column_of(const batch *b, int index)
{
    frz_column column = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_column_child(&b->schema, &b->array, index, FRZ_COLUMN_ANY, &column, &err), err);
    return column;
}

static void reads_integers_booleans_and_bytes(void **state)
{
    (void)state;
    batch b = make_batch();
    frz_column c = column_of(&b, I32);
    CHECK(frz_column_i64(&c, 0, 7) == -5 && frz_column_i64(&c, 1, 7) == 7);
    c = column_of(&b, I64);
    CHECK(frz_column_i64(&c, 0, 7) == INT64_C(4598286611352242717));
    c = column_of(&b, DATE);
    CHECK(frz_column_i64(&c, 0, 7) == 2);
    c = column_of(&b, BOOLEAN);
    CHECK(frz_column_bool(&c, 0) && !frz_column_bool(&c, 1));
    c = column_of(&b, TEXT);
    CHECK(frz_slice_is_text(frz_column_bytes(&c, 0), "text") && frz_column_bytes(&c, 1).size == 0);
    c = column_of(&b, BYTES);
    CHECK(!frz_column_is_null(&c, 0) && frz_column_is_null(&c, 1) &&
          frz_column_bytes(&c, 0).size == 0);
    c = column_of(&b, FIXED);
    CHECK(frz_column_bytes(&c, 0).size == 16 && frz_column_bytes(&c, 0).data[2] == 3);
    clear_batch(&b);
}

static void reads_ranges_of_lists(void **state)
{
    (void)state;
    batch b = make_batch();
    const frz_column c = column_of(&b, LIST);
    int64_t start = -1;
    int64_t end = -1;
    frz_column_range(&c, 0, &start, &end);
    CHECK(start == 0 && end == 2);
    frz_column_range(&c, 1, &start, &end);
    CHECK(start == end);
    clear_batch(&b);
}

static void absent_columns_are_all_null(void **state)
{
    (void)state;
    batch b = make_batch();
    const frz_column none = column_of(&b, NOTHING);
    int64_t start = -1;
    int64_t end = -1;
    CHECK(none.array == NULL && frz_column_is_null(&none, 0));
    CHECK(frz_column_i64(&none, 0, 7) == 7 && frz_column_bytes(&none, 0).size == 0);
    CHECK(!frz_column_bool(&none, 0));
    frz_column_range(&none, 0, &start, &end);
    CHECK(start == 0 && end == 0);
    clear_batch(&b);
}

static void another_class_of_type_is_named(void **state)
{
    (void)state;
    batch b = make_batch();
    frz_column c = {0};
    frz_error *err = NULL;
    CHECK_FAILS(frz_column_child(&b.schema, &b.array, TEXT, FRZ_COLUMN_INTEGER, &c, &err),
                FRZ_CORRUPT, err, "field u has the unexpected type \"u\"");
    CHECK_FAILS(frz_column_child(&b.schema, &b.array, COUNT, FRZ_COLUMN_ANY, &c, &err), FRZ_CORRUPT,
                err, "missing");
    clear_batch(&b);
}

static frz_value value_of(const batch *b, int index, const frz_type *type)
{
    const frz_column c = column_of(b, index);
    frz_value value = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_column_value(&c, 1, type, &value, &err), err);
    CHECK(value.form == FRZ_VALUE_NULL);
    CHECK_OK(frz_column_value(&c, 0, type, &value, &err), err);
    return value;
}

static void gives_values_of_the_type_it_is_asked_for(void **state)
{
    (void)state;
    batch b = make_batch();
    const frz_type decimal = {.kind = FRZ_TYPE_DECIMAL, .precision = 12, .scale = 2};
    CHECK(value_of(&b, I32, frz_type_of(FRZ_TYPE_LONG)).integer == -5);
    CHECK(value_of(&b, I32, frz_type_of(FRZ_TYPE_DATE)).integer == -5); /* day(): int is accepted */
    CHECK(value_of(&b, DATE, frz_type_of(FRZ_TYPE_INT)).integer == 2);
    CHECK(value_of(&b, DATE, frz_type_of(FRZ_TYPE_TIMESTAMP)).integer == INT64_C(172800000000));
    CHECK(value_of(&b, STAMP, frz_type_of(FRZ_TYPE_TIMESTAMP)).integer == 12345);
    CHECK(value_of(&b, FLOAT, frz_type_of(FRZ_TYPE_DOUBLE)).number == 0.25);
    CHECK(value_of(&b, DOUBLE, frz_type_of(FRZ_TYPE_DOUBLE)).number == 2.5);
    CHECK(value_of(&b, DECIMAL, &decimal).decimal == -1234);
    CHECK(value_of(&b, BOOLEAN, frz_type_of(FRZ_TYPE_BOOLEAN)).boolean);
    CHECK(frz_slice_is_text(value_of(&b, TEXT, frz_type_of(FRZ_TYPE_STRING)).bytes, "text"));
    CHECK(value_of(&b, FIXED, frz_type_of(FRZ_TYPE_UUID)).bytes.size == 16);
    CHECK(value_of(&b, TEXT, frz_type_of(FRZ_TYPE_UNKNOWN)).form == FRZ_VALUE_NULL);
    clear_batch(&b);
}

static void values_of_another_type_are_corrupt(void **state)
{
    (void)state;
    static const struct {
        int column;
        frz_type type;
    } wrong[] = {{TEXT, {.kind = FRZ_TYPE_INT}},
                 {I32, {.kind = FRZ_TYPE_STRING}},
                 {TEXT, {.kind = FRZ_TYPE_UUID}},
                 {FIXED, {.kind = FRZ_TYPE_FIXED, .length = 3}},
                 {DOUBLE, {.kind = FRZ_TYPE_LONG}},
                 {DECIMAL, {.kind = FRZ_TYPE_LONG}},
                 {BOOLEAN, {.kind = FRZ_TYPE_LONG}},
                 {LIST, {.kind = FRZ_TYPE_LONG}},
                 {DECIMAL, {.kind = FRZ_TYPE_DECIMAL, .precision = 9, .scale = 3}}};
    batch b = make_batch();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const frz_column c = column_of(&b, wrong[i].column);
        frz_value value = {0};
        frz_error *err = NULL;
        CHECK_FAILS(frz_column_value(&c, 0, &wrong[i].type, &value, &err), FRZ_CORRUPT, err,
                    "expected");
    }
    clear_batch(&b);
}

/* What nobody knows the type of: the text is that of the type the column was stored with. */
static void values_of_unknown_meaning_are_texts(void **state)
{
    (void)state;
    static const struct {
        int column;
        const char *text;
    } cases[] = {{I32, "-5"},          {I64, "4598286611352242717"},
                 {TEXT, "text"},       {BYTES, "0x"},
                 {BOOLEAN, "true"},    {FIXED, "0x01020300000000000000000000000000"},
                 {DATE, "1970-01-03"}, {STAMP, "1970-01-01T00:00:00.012345"},
                 {DECIMAL, "-12.34"},  {DOUBLE, "2.5"},
                 {FLOAT, "0.25"}};
    batch b = make_batch();
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_value value = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const frz_column column = column_of(&b, cases[i].column);
        CHECK_OK(frz_column_text(&column, 0, &arena, &value, &err), err);
        if (value.form != FRZ_VALUE_BYTES || !frz_slice_is_text(value.bytes, cases[i].text))
            fail_msg("%d: got %.*s", cases[i].column, (int)value.bytes.size,
                     (const char *)value.bytes.data);
        CHECK_OK(frz_column_text(&column, 1, &arena, &value, &err), err);
        CHECK(value.form == FRZ_VALUE_NULL);
    }
    frz_column column = column_of(&b, LIST);
    CHECK_FAILS(frz_column_text(&column, 0, &arena, &value, &err), FRZ_CORRUPT, err, "expected");
    frz_arena_clear(&arena);
    clear_batch(&b);
}

static void weighs_the_buffers(void **state)
{
    (void)state;
    batch b = make_batch();
    const size_t memory = frz_column_memory(&b.schema, &b.array);
    CHECK(memory > 100 && memory < 1000);
    CHECK(frz_column_memory(b.schema.children[DECIMAL], b.array.children[DECIMAL]) == 32);
    CHECK(frz_column_memory(b.schema.children[TEXT], b.array.children[TEXT]) == 3 * 4 + 4);
    clear_batch(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_integers_booleans_and_bytes),
        cmocka_unit_test(reads_ranges_of_lists),
        cmocka_unit_test(absent_columns_are_all_null),
        cmocka_unit_test(another_class_of_type_is_named),
        cmocka_unit_test(gives_values_of_the_type_it_is_asked_for),
        cmocka_unit_test(values_of_another_type_are_corrupt),
        cmocka_unit_test(values_of_unknown_meaning_are_texts),
        cmocka_unit_test(weighs_the_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
