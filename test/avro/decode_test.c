#include "avro/decode.h"

#include "fixture.h"

static frz_arena arena;

/* Decodes one row of a value of this type from `bytes`, which stand in memory of exactly their
 * size. */
static frz_status decode(const char *type, const void *bytes, size_t size, struct ArrowArray *out,
                         frz_error **err)
{
    const frz_avro_schema *schema = NULL;
    frz_avro_program program;
    uint8_t *exact = frz_alloc(size);
    if (size)
        memcpy(exact, bytes, size);
    CHECK_OK(frz_avro_schema_parse(frz_slice_of_text(type), NULL, &arena, &schema, err), *err);
    CHECK_OK(frz_avro_program_compile(schema, NULL, &frz_limits_default, &program, err), *err);
    frz_avro_decoder decoder = {
        .program = &program, .start = exact, .in = {.p = exact, .end = exact + size}};
    const frz_status status = frz_avro_decode_rows(&decoder, 1)
                                  ? frz_avro_column_finish(&program.root, out, err)
                                  : frz_avro_decode_fail(&decoder, 1000, false, err);
    CHECK(status != FRZ_OK || decoder.in.p == decoder.in.end);
    frz_free(exact);
    frz_avro_program_clear(&program);
    frz_arena_clear(&arena);
    return status;
}

static void decode_fails(const char *type, const void *bytes, size_t size, frz_status want,
                         const char *message, uint64_t offset)
{
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    uint64_t found = 0;
    const frz_status status = decode(type, bytes, size, &array, &err);
    CHECK(frz_error_offset(err, &found));
    if (found != offset)
        fail_msg("%s: offset %llu", frz_error_message(err), (unsigned long long)found);
    CHECK_FAILS(status, want, err, message);
}

static void test_each_malformed_value_is_named_with_its_place(void **state)
{
    (void)state;
    static const char decimal[] =
        "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":38,\"scale\":2}";
    uint8_t long_decimal[18] = {34, 1};
    decode_fails("\"boolean\"", "\x02", 1, FRZ_CORRUPT,
                 "column value, byte 0 of 1: byte 2 where a boolean", 1000);
    decode_fails("\"int\"", "\x80\x80\x80\x80\x10", 5, FRZ_CORRUPT, "2147483648 where an int",
                 1000);
    decode_fails("\"long\"", "\xff", 1, FRZ_CORRUPT, "the block ends inside a value", 1000);
    decode_fails("\"double\"", "1234567", 7, FRZ_CORRUPT, "the block ends inside a value", 1000);
    decode_fails("\"string\"",
                 "\x08"
                 "abc",
                 4, FRZ_CORRUPT, "length 4, 4 bytes are left", 1000);
    decode_fails("\"bytes\"", "\x03", 1, FRZ_CORRUPT, "length -2", 1000);
    decode_fails("[\"null\",\"int\"]", "\x04", 1, FRZ_CORRUPT, "branch 2 of a union", 1000);
    decode_fails("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"a\",\"b\"]}", "\x04", 1,
                 FRZ_CORRUPT, "symbol 2 of an enum", 1000);
    decode_fails("{\"type\":\"array\",\"items\":\"int\"}", "\x08\x02\x02", 3, FRZ_CORRUPT,
                 "4 items, 3 bytes are left", 1000);
    decode_fails("{\"type\":\"array\",\"items\":\"int\"}", "\x01\x04\x02\x02\x00", 5, FRZ_CORRUPT,
                 "not of their block's 2 bytes", 1003);
    decode_fails(decimal, long_decimal, sizeof long_decimal, FRZ_CORRUPT, "beyond 38 digits", 1001);
    decode_fails("{\"type\":\"array\",\"items\":\"null\"}", "\x80\x80\x80\x80\x80\x80\x01\x00", 8,
                 FRZ_UNSUPPORTED, "beyond the budget of a batch", 1007);
}

static void test_nested_values_fill_their_columns(void **state)
{
    (void)state;
    static const char type[] =
        "{\"type\":\"map\",\"values\":[{\"type\":\"array\",\"items\":[\"null\","
        "\"string\"]},\"null\"]}";
    /* {"a": ["x", null], "b": null} in two blocks, the second sized */
    static const uint8_t bytes[] = {2, 2, 'a', 0, 4, 2, 2, 'x', 0, 0, 1, 6, 2, 'b', 2, 0};
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    CHECK_OK(decode(type, bytes, sizeof bytes, &array, &err), err);
    const struct ArrowArray *map = array.children[0];
    const struct ArrowArray *entries = map->children[0];
    const struct ArrowArray *lists = entries->children[1];
    CHECK(offset_at(map, 1) == 2 && entries->length == 2);
    CHECK(frz_slice_is_text(text_at(entries->children[0], 1), "b"));
    CHECK(lists->length == 2 && lists->null_count == 1 && offset_at(lists, 1) == 2);
    CHECK(lists->children[0]->null_count == 1);
    CHECK(frz_slice_is_text(text_at(lists->children[0], 0), "x"));
    frz_arrow_array_clear(&array);
}

/* An array of values of three types and null: the type ids tell whose turn it is, the other
 * children have nulls there. */
static void test_values_of_several_types_become_a_sparse_union(void **state)
{
    (void)state;
    static const char type[] =
        "{\"type\":\"array\",\"items\":[\"string\",\"null\",\"int\",{\"type\":\"record\","
        "\"name\":\"r\",\"fields\":[{\"name\":\"x\",\"type\":\"long\"}]}]}";
    static const uint8_t bytes[] = {8, 4, 14, 0, 2, 'q', 2, 6, 18, 0};
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    CHECK_OK(decode(type, bytes, sizeof bytes, &array, &err), err);
    const struct ArrowArray *items = array.children[0]->children[0];
    CHECK(items->length == 4 && items->n_children == 4 && items->n_buffers == 1);
    CHECK(items->null_count == 0 && memcmp(items->buffers[0], "\2\0\1\3", 4) == 0);
    CHECK(items->children[0]->null_count == 3 && items->children[1]->length == 4);
    CHECK(int_at(items->children[2], 0) == 7 && items->children[2]->null_count == 3);
    CHECK(frz_slice_is_text(text_at(items->children[0], 1), "q"));
    CHECK(long_at(items->children[3]->children[0], 3) == 9 && items->children[3]->null_count == 3);
    frz_arrow_array_clear(&array);
    decode_fails(type, "\x02\x08", 2, FRZ_CORRUPT, "branch 4 of a union", 1001);
    decode_fails(type, "\x02\x04", 2, FRZ_CORRUPT, "the block ends inside a value", 1002);
}

static void test_decimals_are_sign_extended(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    CHECK_OK(decode("{\"type\":\"fixed\",\"name\":\"d\",\"size\":3,\"logicalType\":\"decimal\","
                    "\"precision\":5,\"scale\":2}",
                    "\xff\xff\x85", 3, &array, &err),
             err);
    CHECK(long_at(array.children[0], 0) == -123 && long_at(array.children[0], 1) == -1);
    frz_arrow_array_clear(&array);
}

static void test_deeply_nested_values_end_at_the_limit(void **state)
{
    (void)state;
    char type[8192];
    uint8_t bytes[512];
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    size_t at = 0;
    for (int i = 0; i < 40; i++)
        at += (size_t)snprintf(type + at, sizeof type - at, "{\"type\":\"array\",\"items\":");
    at += (size_t)snprintf(type + at, sizeof type - at, "\"int\"");
    memset(type + at, '}', 40);
    type[at + 40] = '\0';
    memset(bytes, 2, 41);
    memset(bytes + 41, 0, 40);
    CHECK_OK(decode(type, bytes, 81, &array, &err), err);
    const struct ArrowArray *inner = array.children[0];
    while (inner->n_children)
        inner = inner->children[0];
    CHECK(inner->length == 1 && int_at(inner, 0) == 1);
    frz_arrow_array_clear(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_malformed_value_is_named_with_its_place),
        cmocka_unit_test(test_nested_values_fill_their_columns),
        cmocka_unit_test(test_values_of_several_types_become_a_sparse_union),
        cmocka_unit_test(test_decimals_are_sign_extended),
        cmocka_unit_test(test_deeply_nested_values_end_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
