/* Covers: scan/constant spec/value_arrow */
#include "scan/reshape.h"

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/schema.h"
#include "harness.h"
#include "scan/constant.h"

static const frz_type type_long = {.kind = FRZ_TYPE_LONG};
static const frz_type type_int = {.kind = FRZ_TYPE_INT};
static const frz_type type_double = {.kind = FRZ_TYPE_DOUBLE};
static const frz_type type_string = {.kind = FRZ_TYPE_STRING};
static const frz_type type_ts = {.kind = FRZ_TYPE_TIMESTAMP};
static const frz_type type_tz = {.kind = FRZ_TYPE_TIMESTAMPTZ};
static const frz_type type_ns = {.kind = FRZ_TYPE_TIMESTAMP_NS};

/* A column of one Arrow type with the given values and one null behind them. */
static void make_column(const char *format, const int64_t *values, size_t count,
                        struct ArrowSchema *schema, struct ArrowArray *array)
{
    frz_error *err = NULL;
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_arrow_schema_init(schema, format, "c", true, 7, 0, &err), err);
    CHECK_OK(frz_arrow_builder_new(schema, &builder, &err), err);
    for (size_t i = 0; i < count; i++)
        frz_arrow_append_i64(builder, values[i]);
    frz_arrow_append_null(builder);
    CHECK_OK(frz_arrow_builder_finish(builder, array, &err), err);
    frz_arrow_builder_free(builder);
}

static void check_i64(const char *format, const frz_type *type, const int64_t *values,
                      const int64_t *wanted, size_t count)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    struct ArrowArray out = {0};
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_reshape *reshape = NULL;
    const frz_field field = {.id = 7, .name = "c", .type = type};
    make_column(format, values, count, &schema, &array);
    CHECK_OK(frz_reshape_compile(&schema, &field, "c", &arena, &reshape, &err), err);
    CHECK_OK(frz_reshape_run(reshape, &array, &out, &err), err);
    CHECK(!array.release && out.length == (int64_t)count + 1);
    for (size_t i = 0; i < count; i++)
        CHECK(((const int64_t *)out.buffers[1])[i] == wanted[i]);
    CHECK(frz_arrow_is_null(&out, (int64_t)count) && !frz_arrow_is_null(&out, 0));
    frz_arrow_array_clear(&out);
    frz_arrow_schema_clear(&schema);
    frz_arena_clear(&arena);
}

/* "Schema Evolution": int to long, date to timestamp and timestamp_ns; units of other writers. */
static void test_promotions_and_units(void **state)
{
    (void)state;
    const int64_t ints[] = {0, -1, INT32_MIN, INT32_MAX};
    check_i64("i", &type_long, ints, ints, 4);
    const int64_t small[] = {0, -1, -128,
                             127}; /* of a column that was an int when it was written */
    check_i64("c", &type_long, small, small, 4);
    check_i64("s", &type_long, small, small, 4);
    const int64_t positive[] = {0, 255};
    check_i64("C", &type_long, positive, positive, 2);
    check_i64("S", &type_long, positive, positive, 2);
    check_i64("I", &type_long, (const int64_t[]){UINT32_MAX}, (const int64_t[]){UINT32_MAX}, 1);
    check_i64("L", &type_long, (const int64_t[]){INT64_MAX}, (const int64_t[]){INT64_MAX}, 1);
    const int64_t days[] = {0, -1, 19782};
    const int64_t micros[] = {0, INT64_C(-86400000000), INT64_C(19782) * 86400000000};
    const int64_t nanos[] = {0, INT64_C(-86400000000000), INT64_C(19782) * 86400000000000};
    check_i64("tdD", &type_ts, days, micros, 3);
    check_i64("tdD", &type_ns, days, nanos, 3);
    const int64_t millis[] = {0, -1, 1700000000123};
    const int64_t from_millis[] = {0, -1000, 1700000000123000};
    check_i64("tsm:UTC", &type_tz, millis, from_millis, 3);
    const int64_t to_nanos[] = {0, -1000000, INT64_C(1700000000123000000)};
    check_i64("tsm:", &type_ns, millis, to_nanos, 3);
    const int64_t ns[] = {0, -1, -1000, 1999};
    const int64_t floored[] = {0, -1, -1, 1};
    check_i64("tsn:", &type_ts, ns, floored, 4);
}

/* A date outside of what the promoted type can hold is a failure, a null slot is not. */
static void check_beyond(const frz_type *type, int64_t day, const char *message)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    struct ArrowArray out = {0};
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_reshape *reshape = NULL;
    const frz_field field = {.id = 7, .name = "c", .type = type};
    make_column("tdD", &day, 1, &schema, &array);
    CHECK_OK(frz_reshape_compile(&schema, &field, "c", &arena, &reshape, &err), err);
    CHECK_FAILS(frz_reshape_run(reshape, &array, &out, &err), FRZ_CORRUPT, err, message);
    CHECK(!array.release && !out.release);
    frz_arrow_schema_clear(&schema);
    frz_arena_clear(&arena);
}

static void test_a_date_beyond_the_promoted_type_is_refused(void **state)
{
    (void)state;
    check_beyond(&type_ns, 2932896, "column c: 2932896 is outside the range"); /* 9999-12-31 */
    check_beyond(&type_ts, 106751992, "column c: 106751992 is outside the range");
    check_beyond(&type_ts, INT32_MIN, "column c: -2147483648 is outside the range");
}

/* Text of a uuid becomes its bytes; what is none is named. */
static void test_text_becomes_a_uuid(void **state)
{
    (void)state;
    static const char *const texts[] = {"00000000-0000-0000-0000-0000000000ff", "not-a-uuid"};
    const frz_type uuid = {.kind = FRZ_TYPE_UUID};
    const frz_field field = {.id = 7, .name = "u", .type = &uuid};
    for (size_t i = 0; i < 2; i++) {
        struct ArrowSchema schema = {0};
        struct ArrowArray array = {0};
        struct ArrowArray out = {0};
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_arrow_builder *builder = NULL;
        const frz_reshape *reshape = NULL;
        CHECK_OK(frz_arrow_schema_init(&schema, "u", "u", true, 7, 0, &err), err);
        CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
        frz_arrow_append_null(builder);
        frz_arrow_append_bytes(builder, frz_slice_of_text(texts[i]));
        CHECK_OK(frz_arrow_builder_finish(builder, &array, &err), err);
        CHECK_OK(frz_reshape_compile(&schema, &field, "u", &arena, &reshape, &err), err);
        if (i == 1) {
            CHECK_FAILS(frz_reshape_run(reshape, &array, &out, &err), FRZ_CORRUPT, err,
                        "column u: \"not-a-uuid\" is no uuid");
        } else {
            CHECK_OK(frz_reshape_run(reshape, &array, &out, &err), err);
            const uint8_t *bytes = out.buffers[1];
            CHECK(out.length == 2 && frz_arrow_is_null(&out, 0) && !frz_arrow_is_null(&out, 1));
            CHECK(bytes[30] == 0 && bytes[31] == 0xff);
        }
        frz_arrow_array_clear(&out);
        frz_arrow_builder_free(builder);
        frz_arrow_schema_clear(&schema);
        frz_arena_clear(&arena);
    }
}

static void check_refused(const char *format, const frz_type *type, const char *text)
{
    struct ArrowSchema schema = {0};
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_reshape *reshape = NULL;
    const frz_field field = {.id = 7, .name = "c", .type = type};
    CHECK_OK(frz_arrow_schema_init(&schema, format, "c", true, 7, 0, &err), err);
    CHECK_FAILS(frz_reshape_compile(&schema, &field, "a.c", &arena, &reshape, &err),
                FRZ_UNSUPPORTED, err, text);
    frz_arrow_schema_clear(&schema);
    frz_arena_clear(&arena);
}

static void test_what_is_no_promotion_is_refused_by_name(void **state)
{
    (void)state;
    const frz_type decimal = {.kind = FRZ_TYPE_DECIMAL, .precision = 9, .scale = 2};
    check_refused("l", &type_int,
                  "column a.c: the file stores long, which cannot be read as int: alter T "
                  "update column can widen the table's column");
    check_refused("g", &type_long, "cannot be read as long");
    check_refused("d:9,3", &decimal, "cannot be read as decimal(9, 2)");
    check_refused("d:10,2", &decimal, "cannot be read as decimal(9, 2)");
    check_refused("tdD", &type_tz, "cannot be read as timestamptz");
    check_refused("u", &type_double, "stores string, which cannot be read as double");
    check_refused("tDs", &type_double, "Arrow type \"tDs\", which cannot be read as double");
}

/* A struct in the file: {b (id 3), a (id 2)}; wanted: {a long, new string default "x", b}. */
static void test_struct_fields_go_by_id_and_missing_ones_get_defaults(void **state)
{
    (void)state;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    struct ArrowArray out = {0};
    frz_arrow_builder *builder = NULL;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_reshape *reshape = NULL;
    const frz_value x = {.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("x")};
    const frz_field fields[] = {
        {.id = 2, .name = "renamed", .type = &type_long},
        {.id = 9, .name = "new", .type = &type_string, .initial_default = &x},
        {.id = 3, .name = "b", .type = &type_int},
    };
    const frz_type wanted = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 3};
    const frz_field field = {.id = 1, .name = "s", .type = &wanted};

    CHECK_OK(frz_arrow_schema_init(&schema, "+s", "s", true, 1, 2, &err), err);
    CHECK_OK(frz_arrow_schema_init(schema.children[0], "i", "b", true, 3, 0, &err), err);
    CHECK_OK(frz_arrow_schema_init(schema.children[1], "i", "a", true, 2, 0, &err), err);
    CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
    frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), 30);
    frz_arrow_append_i64(frz_arrow_builder_child(builder, 1), 20);
    frz_arrow_append_struct(builder);
    frz_arrow_append_null(builder);
    CHECK_OK(frz_arrow_builder_finish(builder, &array, &err), err);

    CHECK_OK(frz_reshape_compile(&schema, &field, "s", &arena, &reshape, &err), err);
    CHECK_OK(frz_reshape_run(reshape, &array, &out, &err), err);
    CHECK(out.n_children == 3 && out.length == 2 && frz_arrow_is_null(&out, 1));
    CHECK(((const int64_t *)out.children[0]->buffers[1])[0] == 20);
    CHECK(((const int32_t *)out.children[2]->buffers[1])[0] == 30);
    CHECK(((const int32_t *)out.children[1]->buffers[1])[1] == 1);
    CHECK(((const char *)out.children[1]->buffers[2])[0] == 'x');

    frz_arrow_array_clear(&out);
    frz_arrow_schema_clear(&schema);
    frz_arrow_builder_free(builder);
    frz_arena_clear(&arena);
}

static void test_a_required_field_without_default_is_missing(void **state)
{
    (void)state;
    struct ArrowSchema schema = {0};
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_reshape *reshape = NULL;
    const frz_field fields[] = {{.id = 2, .name = "need", .required = true, .type = &type_long}};
    const frz_type wanted = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 1};
    const frz_field field = {.id = 1, .name = "s", .type = &wanted};
    CHECK_OK(frz_arrow_schema_init(&schema, "+s", "s", true, 1, 1, &err), err);
    CHECK_OK(frz_arrow_schema_init(schema.children[0], "i", "other", true, 3, 0, &err), err);
    CHECK_FAILS(frz_reshape_compile(&schema, &field, "s", &arena, &reshape, &err), FRZ_CORRUPT, err,
                "required column s.need is not in the file");
    frz_arrow_schema_clear(&schema);
    frz_arena_clear(&arena);
}

static void test_sequences_follow_the_mask(void **state)
{
    (void)state;
    struct ArrowArray out = {0};
    frz_error *err = NULL;
    const uint64_t mask[2] = {UINT64_C(1) << 63 | 1, 2};
    CHECK_OK(frz_sequence_array(100, 70, mask, 3, &out, &err), err);
    const int64_t *values = out.buffers[1];
    CHECK(out.length == 3 && values[0] == 100 && values[1] == 163 && values[2] == 165);
    frz_arrow_array_clear(&out);
    CHECK_OK(frz_sequence_array(5, 2, NULL, 2, &out, &err), err);
    CHECK(out.length == 2 && ((const int64_t *)out.buffers[1])[1] == 6);
    frz_arrow_array_clear(&out);
}

/* "Default values": `{}` takes the defaults of the fields; nulls stay nulls. */
static void test_an_empty_struct_default_takes_its_fields_defaults(void **state)
{
    (void)state;
    struct ArrowArray out = {0};
    frz_error *err = NULL;
    const frz_value seven = {.form = FRZ_VALUE_INTEGER, .integer = 7};
    const frz_field fields[] = {
        {.id = 2, .name = "x", .type = &type_int, .initial_default = &seven},
        {.id = 3, .name = "y", .type = &type_int}};
    const frz_type type = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 2};
    const frz_value empty = {.form = FRZ_VALUE_STRUCT};
    CHECK_OK(frz_constant_array(&type, &empty, 3, &out, &err), err);
    CHECK(out.length == 3 && !frz_arrow_is_null(&out, 2));
    CHECK(((const int32_t *)out.children[0]->buffers[1])[2] == 7);
    CHECK(frz_arrow_is_null(out.children[1], 2));
    frz_arrow_array_clear(&out);
}

static void reshape_once(void)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    struct ArrowArray out = {0};
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_reshape *reshape = NULL;
    const frz_field field = {.id = 7, .name = "c", .type = &type_long};
    frz_status status = frz_arrow_schema_init(&schema, "i", "c", true, 7, 0, &err);
    if (status == FRZ_OK)
        status = frz_arrow_array_nulls(&schema, 5, &array, &err);
    if (status == FRZ_OK)
        status = frz_reshape_compile(&schema, &field, "c", &arena, &reshape, &err);
    if (status == FRZ_OK)
        status = frz_reshape_run(reshape, &array, &out, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arrow_array_clear(&array);
    frz_arrow_array_clear(&out);
    frz_arrow_schema_clear(&schema);
    frz_arena_clear(&arena);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(reshape_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promotions_and_units),
        cmocka_unit_test(test_a_date_beyond_the_promoted_type_is_refused),
        cmocka_unit_test(test_text_becomes_a_uuid),
        cmocka_unit_test(test_what_is_no_promotion_is_refused_by_name),
        cmocka_unit_test(test_struct_fields_go_by_id_and_missing_ones_get_defaults),
        cmocka_unit_test(test_a_required_field_without_default_is_missing),
        cmocka_unit_test(test_sequences_follow_the_mask),
        cmocka_unit_test(test_an_empty_struct_default_takes_its_fields_defaults),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
