#include "avro/encode.h"

#include "arrow/builder.h"
#include "fixture.h"

static frz_arena arena;

/* An Arrow column of one format whose values a case fills in. */
typedef struct column {
    struct ArrowSchema schema;
    struct ArrowArray array;
    frz_arrow_builder *builder;
} column;

static column make(const char *format)
{
    frz_error *err = NULL;
    column c = {0};
    CHECK_OK(frz_arrow_schema_init(&c.schema, format, "col", true, 1, 0, &err), err);
    CHECK_OK(frz_arrow_builder_new(&c.schema, &c.builder, &err), err);
    return c;
}

static void finish(column *c)
{
    frz_error *err = NULL;
    CHECK_OK(frz_arrow_builder_finish(c->builder, &c->array, &err), err);
    frz_arrow_builder_free(c->builder);
    c->builder = NULL;
}

static void clear(column *c)
{
    frz_arrow_array_clear(&c->array);
    frz_arrow_schema_clear(&c->schema);
    frz_arena_clear(&arena);
}

static frz_status encode(const char *type, const column *c, int64_t row, frz_buffer *out,
                         frz_error **err)
{
    const frz_avro_schema *schema = NULL;
    frz_avro_source source = {0};
    frz_buffer_reset(out);
    CHECK_OK(frz_avro_schema_parse(frz_slice_of_text(type), NULL, &arena, &schema, err), *err);
    FRZ_TRY(frz_avro_source_bind(schema, &c->schema, &c->array, &arena, &source, err));
    return frz_avro_encode(&source, row, out, err);
}

static void check(const char *type, const column *c, int64_t row, const void *want, size_t size)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    CHECK_OK(encode(type, c, row, &out, &err), err);
    if (out.size != size || memcmp(out.data, want, size) != 0)
        fail_msg("%s, row %d: %zu bytes, first %02x", type, (int)row, out.size, out.data[0]);
    frz_buffer_clear(&out);
}

static void fails(const char *type, const column *c, int64_t row, frz_status want,
                  const char *message)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    CHECK_FAILS(encode(type, c, row, &out, &err), want, err, message);
    frz_buffer_clear(&out);
}

static void test_integers_take_the_encoding_of_their_type(void **state)
{
    (void)state;
    column c = make("l");
    frz_arrow_append_i64(c.builder, 64);
    frz_arrow_append_null(c.builder);
    frz_arrow_append_i64(c.builder, INT64_MIN);
    finish(&c);
    check("\"long\"", &c, 0, "\x80\x01", 2);
    check("[\"null\",\"long\"]", &c, 0, "\x02\x80\x01", 3);
    check("[\"null\",\"long\"]", &c, 1, "\x00", 1);
    check("[\"long\",\"null\"]", &c, 1, "\x02", 1);
    check("[\"long\",\"null\"]", &c, 0, "\x00\x80\x01", 3);
    check("\"long\"", &c, 2, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
    fails("\"long\"", &c, 1, FRZ_INVALID, "column col, row 1: null, the schema has no null there");
    fails("\"int\"", &c, 0, FRZ_INVALID, "column col: Arrow type l into Avro type int");
    fails("[\"null\",\"long\",\"int\"]", &c, 0, FRZ_UNSUPPORTED, "a union of 3 types");
    clear(&c);
}

static void test_decimals_fill_their_fixed(void **state)
{
    (void)state;
    column c = make("d:9,2");
    frz_arrow_append_decimal(c.builder, -123);
    frz_arrow_append_decimal(c.builder, 12345);
    finish(&c);
    static const char fixed[] =
        "{\"type\":\"fixed\",\"name\":\"d\",\"size\":4,\"logicalType\":\"decimal\","
        "\"precision\":9,\"scale\":2}";
    check(fixed, &c, 0, "\xff\xff\xff\x85", 4);
    check(fixed, &c, 1, "\x00\x00\x30\x39", 4);
    check("{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}", &c, 0,
          "\x02\x85", 2);
    fails("{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":4,\"scale\":2}", &c, 1,
          FRZ_INVALID, "row 1: a decimal of more than 4 digits");
    fails("{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":3}", &c, 0,
          FRZ_INVALID, "Arrow type d:9,2 into Avro type bytes");
    clear(&c);
}

static void test_units_must_agree(void **state)
{
    (void)state;
    column c = make("tsu:UTC");
    frz_arrow_append_i64(c.builder, 1);
    finish(&c);
    check("{\"type\":\"long\",\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":true}", &c, 0,
          "\x02", 1);
    fails("{\"type\":\"long\",\"logicalType\":\"timestamp-nanos\"}", &c, 0, FRZ_INVALID,
          "Arrow type tsu:UTC into Avro type long");
    clear(&c);
}

static void test_symbols_strings_and_fixed(void **state)
{
    (void)state;
    column c = make("u");
    frz_arrow_append_bytes(c.builder, frz_slice_of_text("b"));
    frz_arrow_append_bytes(c.builder, frz_slice_of_text("other"));
    finish(&c);
    check("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"a\",\"b\"]}", &c, 0, "\x02", 1);
    fails("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"a\",\"b\"]}", &c, 1, FRZ_INVALID,
          "row 1: no symbol of enum e");
    check("\"string\"", &c, 1, "\x0aother", 6);
    clear(&c);
    c = make("w:3");
    frz_arrow_append_bytes(c.builder, frz_slice_of_text("xyz"));
    finish(&c);
    check("{\"type\":\"fixed\",\"name\":\"f\",\"size\":3}", &c, 0, "xyz", 3);
    fails("{\"type\":\"fixed\",\"name\":\"f\",\"size\":4}", &c, 0, FRZ_INVALID, "Arrow type w:3");
    clear(&c);
}

/* A count below zero and the size of the block stand before the items ("Arrays"). */
static void test_lists_are_sized_blocks(void **state)
{
    (void)state;
    frz_error *err = NULL;
    column c = {0};
    CHECK_OK(frz_arrow_schema_init(&c.schema, "+l", "col", true, 1, 1, &err), err);
    CHECK_OK(frz_arrow_schema_init(c.schema.children[0], "i", "element", false, 2, 0, &err), err);
    CHECK_OK(frz_arrow_builder_new(&c.schema, &c.builder, &err), err);
    frz_arrow_append_i64(frz_arrow_builder_child(c.builder, 0), 3);
    frz_arrow_append_i64(frz_arrow_builder_child(c.builder, 0), 100);
    frz_arrow_append_list(c.builder);
    frz_arrow_append_list(c.builder);
    for (int i = 0; i < 100; i++)
        frz_arrow_append_i64(frz_arrow_builder_child(c.builder, 0), i);
    frz_arrow_append_list(c.builder);
    finish(&c);
    static const char type[] = "{\"type\":\"array\",\"items\":\"int\"}";
    check(type, &c, 0, "\x03\x06\x06\xc8\x01\x00", 6);
    check(type, &c, 1, "\x00", 1);
    frz_buffer out = {0};
    CHECK_OK(encode(type, &c, 2, &out, &err), err);
    /* -100, 136 bytes (64 of one byte, 36 of two), the items, 0 */
    CHECK(out.size == 2 + 2 + 136 + 1 && out.data[0] == 0xc7 && out.data[1] == 1);
    CHECK(out.data[2] == 0x90 && out.data[3] == 2 && out.data[4] == 0 && out.data[5] == 2);
    frz_buffer_clear(&out);
    clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_take_the_encoding_of_their_type),
        cmocka_unit_test(test_decimals_fill_their_fixed),
        cmocka_unit_test(test_units_must_agree),
        cmocka_unit_test(test_symbols_strings_and_fixed),
        cmocka_unit_test(test_lists_are_sized_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
