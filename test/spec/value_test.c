#include "harness.h"

#include <math.h>

#include "spec/value.h"

static const frz_type *parsed_type(frz_arena *arena, const char *text)
{
    frz_error *err = NULL;
    const frz_type *type = NULL;
    CHECK_OK(frz_type_parse(frz_slice_of_text(text), arena, &type, &err), err);
    return type;
}

static frz_value parsed(frz_arena *arena, const frz_type *type, const char *text)
{
    frz_error *err = NULL;
    frz_value value = {0};
    CHECK_OK(frz_value_parse(type, frz_slice_of_text(text), arena, &value, &err), err);
    return value;
}

/* Appendix B, every row of both tables; date and int rows hash as longs. */
static void test_hashes_equal_appendix_b(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *text;
        int32_t hash;
    } rows[] = {
        {"int", "34", 2017239379},
        {"long", "34", 2017239379},
        {"decimal(9,2)", "14.20", -500754589},
        {"decimal(38,2)", "14.20", -500754589},
        {"date", "2017-11-16", -653330422},
        {"time", "22:31:08", -662762989},
        {"timestamp", "2017-11-16T22:31:08", -2047944441},
        {"timestamp", "2017-11-16T22:31:08.000001", -1207196810},
        {"timestamptz", "2017-11-16T14:31:08-08:00", -2047944441},
        {"timestamptz", "2017-11-16T14:31:08.000001-08:00", -1207196810},
        {"timestamp_ns", "2017-11-16T22:31:08", -2047944441},
        {"timestamp_ns", "2017-11-16T22:31:08.000001001", -1207196810},
        {"timestamptz_ns", "2017-11-16T14:31:08-08:00", -2047944441},
        {"timestamptz_ns", "2017-11-16T14:31:08.000001001-08:00", -1207196810},
        {"string", "iceberg", 1210000089},
        {"uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7", 1488055340},
        {"fixed[4]", "0x00010203", -188683207},
        {"binary", "0x00010203", -188683207},
        {"boolean", "true", 1392991556},
        {"float", "1.0", -142385009},
        {"float", "0.0", 1669671676},
        {"float", "-0.0", 1669671676},
        {"double", "1.0", -142385009},
        {"double", "0.0", 1669671676},
        {"double", "-0.0", 1669671676},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const frz_type *type = parsed_type(&arena, rows[i].type);
        const frz_value value = parsed(&arena, type, rows[i].text);
        if (frz_value_hash(type, &value) != rows[i].hash)
            fail_msg("%s %s: %d", rows[i].type, rows[i].text, frz_value_hash(type, &value));
    }
    frz_arena_clear(&arena);
}

static void test_nans_of_every_pattern_hash_alike(void **state)
{
    (void)state;
    const frz_type *type = frz_type_of(FRZ_TYPE_DOUBLE);
    const int64_t patterns[] = {0x7ff8000000000000, 0x7ff8000000000001, -1};
    frz_value first = {.form = FRZ_VALUE_NUMBER};
    frz_value other = {.form = FRZ_VALUE_NUMBER};
    memcpy(&first.number, &patterns[0], 8);
    for (size_t i = 1; i < 3; i++) {
        memcpy(&other.number, &patterns[i], 8);
        CHECK(frz_value_hash(type, &first) == frz_value_hash(type, &other));
        CHECK(frz_value_same(&first, &other));
        CHECK(frz_value_compare(&first, &other) == 0);
    }
}

static void check_binary(const char *type_text, const char *literal, const char *hex)
{
    frz_arena arena = {0};
    frz_buffer bytes = {0};
    frz_buffer printed = {0};
    frz_error *err = NULL;
    const frz_type *type = parsed_type(&arena, type_text);
    const frz_value value = parsed(&arena, type, literal);
    frz_value_encode(type, &value, &bytes);
    frz_value_encode_hex(frz_buffer_slice(&bytes), &printed);
    if (!frz_slice_is_text(frz_buffer_slice(&printed), hex))
        fail_msg("%s %s: %.*s, want %s", type_text, literal, (int)printed.size,
                 (const char *)printed.data, hex);
    frz_value back = {0};
    CHECK_OK(frz_value_decode(type, frz_buffer_slice(&bytes), &back, &err), err);
    CHECK(frz_value_same(&value, &back));
    frz_buffer_clear(&bytes);
    frz_buffer_clear(&printed);
    frz_arena_clear(&arena);
}

/* Appendix D, binary single-value serialization. */
static void test_binary_forms_equal_appendix_d(void **state)
{
    (void)state;
    check_binary("boolean", "true", "01");
    check_binary("boolean", "false", "00");
    check_binary("int", "-2", "feffffff");
    check_binary("long", "34", "2200000000000000");
    check_binary("float", "1.5", "0000c03f");
    check_binary("double", "-1.5", "000000000000f8bf");
    check_binary("date", "1969-12-31", "ffffffff");
    check_binary("time", "00:00:00.000258", "0201000000000000");
    check_binary("timestamp", "1969-12-31T23:59:59.999999", "ffffffffffffffff");
    check_binary("timestamptz", "1970-01-01T00:00:00.000001Z", "0100000000000000");
    check_binary("timestamp_ns", "1970-01-01T00:00:00.000000001", "0100000000000000");
    check_binary("timestamptz_ns", "1969-12-31T23:59:59.999999999Z", "ffffffffffffffff");
    check_binary("string", "h\xc3\xa9", "68c3a9");
    check_binary("string", "", "");
    check_binary("uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7",
                 "f79c3e09677c4bbda4793f349cb785e7");
    check_binary("fixed[3]", "0x0001ff", "0001ff");
    check_binary("binary", "0x", "");
    check_binary("decimal(9,2)", "14.20", "058c");
}

/* Decimals take as few bytes as two's complement needs, and no fewer. */
static void d131_decimals_are_of_minimal_length(void **state)
{
    (void)state;
    check_binary("decimal(38,0)", "0", "00");
    check_binary("decimal(38,0)", "127", "7f");
    check_binary("decimal(38,0)", "128", "0080");
    check_binary("decimal(38,0)", "255", "00ff");
    check_binary("decimal(38,0)", "256", "0100");
    check_binary("decimal(38,0)", "32767", "7fff");
    check_binary("decimal(38,0)", "32768", "008000");
    check_binary("decimal(38,0)", "-128", "80");
    check_binary("decimal(38,0)", "-129", "ff7f");
    check_binary("decimal(38,0)", "-32768", "8000");
    check_binary("decimal(38,0)", "-32769", "ff7fff");
    check_binary("decimal(38,0)", "99999999999999999999999999999999999999",
                 "4b3b4ca85a86c47a098a223fffffffff");
    check_binary("decimal(38,38)", "-0.99999999999999999999999999999999999999",
                 "b4c4b357a5793b85f675ddc000000001");
}

static frz_value decoded(const char *type_text, const char *hex)
{
    static frz_arena arena;
    frz_error *err = NULL;
    frz_slice bytes = {0};
    frz_value value = {0};
    frz_arena_clear(&arena);
    CHECK(frz_value_decode_hex(frz_slice_of_text(hex), &arena, &bytes) == FRZ_OK);
    CHECK_OK(frz_value_decode(parsed_type(&arena, type_text), bytes, &value, &err), err);
    if (value.form != FRZ_VALUE_BYTES)
        frz_arena_clear(&arena);
    return value;
}

/* "Schema Evolution", the table of bound lengths. */
static void d113_bounds_from_before_a_promotion_decode(void **state)
{
    (void)state;
    CHECK(decoded("long", "feffffff").integer == -2);
    CHECK(decoded("double", "0000c03f").number == 1.5);
    CHECK(decoded("timestamp", "ffffffff").integer == INT64_C(-86400000000));
    CHECK(decoded("timestamp_ns", "01000000").integer == INT64_C(86400000000000));
    CHECK(decoded("decimal(38,2)", "058c").decimal == 1420);
    /* Padded by other writers: the value is still told. */
    CHECK(decoded("decimal(38,0)", "0000000000000000000000000000000000000080").decimal == 128);
    CHECK(decoded("boolean", "02").boolean);
    CHECK(decoded("fixed[16]", "0001").bytes.size == 2);
    (void)decoded("boolean", "01");
}

static void test_wrong_sizes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *hex;
        frz_status status;
        const char *message;
    } bad[] = {
        {"boolean", "", FRZ_CORRUPT, "boolean value of 0 bytes, expected 1"},
        {"int", "0102", FRZ_CORRUPT, "int value of 2 bytes, expected 4"},
        {"int", "0102030405060708", FRZ_CORRUPT, "expected 4"},
        {"long", "010203", FRZ_CORRUPT, "expected 8 or 4"},
        {"date", "0102030405060708", FRZ_CORRUPT, "expected 4"},
        {"time", "01020304", FRZ_CORRUPT, "expected 8"},
        {"timestamptz", "01020304", FRZ_CORRUPT, "timestamptz value of 4 bytes, expected 8"},
        {"timestamptz_ns", "01020304", FRZ_CORRUPT, "expected 8"},
        {"float", "0102030405060708", FRZ_CORRUPT, "expected 4"},
        {"double", "01", FRZ_CORRUPT, "expected 8 or 4"},
        {"uuid", "01", FRZ_CORRUPT, "expected 16"},
        {"fixed[2]", "010203", FRZ_CORRUPT, "no more than its length"},
        {"decimal(9,2)", "", FRZ_CORRUPT, "at most 38 digits"},
        {"decimal(38,2)", "0102030405060708090a0b0c0d0e0f1011", FRZ_CORRUPT, "at most 38 digits"},
        {"decimal(38,2)", "7fffffffffffffffffffffffffffffff", FRZ_CORRUPT, "at most 38 digits"},
        {"timestamp", "ffffff7f", FRZ_CORRUPT, "date 2147483647 is outside of the range"},
        {"timestamp_ns", "00000080", FRZ_CORRUPT, "date -2147483648 is outside of the range"},
        {"unknown", "00", FRZ_UNSUPPORTED, "unknown has no binary single-value form"},
        {"variant", "00", FRZ_UNSUPPORTED, "variant has no binary single-value form"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        frz_error *err = NULL;
        frz_slice bytes = {0};
        frz_value value = {0};
        CHECK(frz_value_decode_hex(frz_slice_of_text(bad[i].hex), &arena, &bytes) == FRZ_OK);
        CHECK_FAILS(frz_value_decode(parsed_type(&arena, bad[i].type), bytes, &value, &err),
                    bad[i].status, err, bad[i].message);
        CHECK(value.form == FRZ_VALUE_NULL);
    }
    frz_arena_clear(&arena);
}

/* Ascending in each row; the order of Iceberg is unsigned for bytes and uuid. */
static void test_values_are_ordered(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *texts[7];
    } rows[] = {
        {"boolean", {"false", "true"}},
        {"int", {"-2147483648", "-1", "0", "2147483647"}},
        {"double", {"-Infinity", "-1.5", "0", "1e-300", "Infinity", "NaN"}},
        {"decimal(38,2)",
         {"-300.00", "-0.01", "0", "0.01", "999999999999999999999999999999999999.99"}},
        {"string", {"", "a", "ab", "b", "\xc3\xa9", "\xf0\x9f\x98\x80"}},
        {"uuid",
         {"00000000-0000-0000-0000-000000000001", "7fffffff-ffff-ffff-ffff-ffffffffffff",
          "80000000-0000-0000-0000-000000000000"}},
        {"binary", {"0x", "0x00", "0x7f", "0x80", "0x8000"}},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const frz_type *type = parsed_type(&arena, rows[i].type);
        for (size_t j = 0; j < 7 && rows[i].texts[j]; j++) {
            const frz_value a = parsed(&arena, type, rows[i].texts[j]);
            for (size_t k = 0; k < 7 && rows[i].texts[k]; k++) {
                const frz_value b = parsed(&arena, type, rows[i].texts[k]);
                const int want = j < k ? -1 : j > k;
                const int got = frz_value_compare(&a, &b);
                CHECK((got > 0) - (got < 0) == want);
                CHECK(frz_value_same(&a, &b) == (j == k));
            }
        }
    }
    frz_arena_clear(&arena);
}

/* Partition tuples tell zeros apart and join NaNs, though order does not. */
static void d088_signed_zeros_differ_but_order_the_same(void **state)
{
    (void)state;
    const frz_value minus = {.form = FRZ_VALUE_NUMBER, .number = -0.0};
    const frz_value plus = {.form = FRZ_VALUE_NUMBER, .number = 0.0};
    const frz_value nothing = {.form = FRZ_VALUE_NULL};
    CHECK(frz_value_compare(&minus, &plus) == 0);
    CHECK(!frz_value_same(&minus, &plus));
    CHECK(frz_value_same(&nothing, &nothing));
    CHECK(!frz_value_same(&nothing, &plus));
    CHECK(!frz_value_is_nan(&plus) && !frz_value_is_nan(&nothing));
    CHECK(frz_value_is_nan(&(frz_value){.form = FRZ_VALUE_NUMBER, .number = NAN}));
}

static void test_lists_order_item_by_item_with_null_first(void **state)
{
    (void)state;
    const frz_value one[] = {{.form = FRZ_VALUE_INTEGER, .integer = 1},
                             {.form = FRZ_VALUE_INTEGER, .integer = 2}};
    const frz_value two[] = {{.form = FRZ_VALUE_INTEGER, .integer = 1}, {.form = FRZ_VALUE_NULL}};
    const frz_value a = {.form = FRZ_VALUE_LIST, .items = {one, 2}};
    const frz_value b = {.form = FRZ_VALUE_LIST, .items = {two, 2}};
    const frz_value c = {.form = FRZ_VALUE_LIST, .items = {one, 1}};
    CHECK(frz_value_compare(&b, &a) < 0 && frz_value_compare(&a, &b) > 0);
    CHECK(frz_value_compare(&c, &a) < 0 && frz_value_compare(&a, &a) == 0);
    CHECK(!frz_value_same(&a, &b) && !frz_value_same(&a, &c) && frz_value_same(&b, &b));
}

static void test_values_promote_with_their_types(void **state)
{
    (void)state;
    static const struct {
        const char *from;
        const char *text;
        const char *to;
        const char *want; /* NULL: not allowed, or does not fit */
    } rows[] = {
        {"int", "-7", "long", "-7"},
        {"long", "2147483648", "int", NULL},
        {"long", "7", "int", "7"},
        {"long", "16777217", "float", "16777216"},
        {"int", "7", "double", "7"},
        {"int", "7", "decimal(9,2)", "7.00"},
        {"int", "12345678", "decimal(9,2)", NULL},
        {"int", "7", "date", NULL},
        {"int", "7", "string", NULL},
        {"float", "0.1", "double", "0.10000000149011612"},
        {"double", "0.1", "float", NULL},
        {"date", "1969-12-31", "timestamp", "1969-12-31T00:00:00"},
        {"date", "1970-01-02", "timestamp_ns", "1970-01-02T00:00:00"},
        {"date", "1970-01-02", "timestamptz", NULL},
        {"date", "2262-04-12", "timestamp_ns", NULL},
        {"date", "+300000-01-01", "timestamp", NULL},
        {"date", "1970-01-02", "date", "1970-01-02"},
        {"decimal(9,2)", "1.50", "decimal(18,2)", "1.50"},
        {"decimal(9,2)", "1.50", "decimal(9,3)", NULL},
        {"string", "a", "string", "a"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const frz_type *from = parsed_type(&arena, rows[i].from);
        const frz_type *to = parsed_type(&arena, rows[i].to);
        const frz_value value = parsed(&arena, from, rows[i].text);
        frz_value out = {0};
        if (frz_value_promote(from, to, &value, &out) != (rows[i].want != NULL))
            fail_msg("%s %s to %s", rows[i].from, rows[i].text, rows[i].to);
        if (rows[i].want) {
            const frz_value want = parsed(&arena, to, rows[i].want);
            CHECK(frz_value_same(&out, &want));
        }
    }
    const frz_value nothing = {.form = FRZ_VALUE_NULL};
    frz_value out = {.form = FRZ_VALUE_BOOLEAN};
    CHECK(frz_value_promote(frz_type_of(FRZ_TYPE_UNKNOWN), frz_type_of(FRZ_TYPE_STRING), &nothing,
                            &out) &&
          out.form == FRZ_VALUE_NULL);
    frz_arena_clear(&arena);
}

static void test_forms_belong_to_types(void **state)
{
    (void)state;
    const frz_value number = {.form = FRZ_VALUE_NUMBER};
    const frz_value bytes = {.form = FRZ_VALUE_BYTES};
    const frz_value nothing = {.form = FRZ_VALUE_NULL};
    CHECK(frz_value_fits(frz_type_of(FRZ_TYPE_FLOAT), &number));
    CHECK(!frz_value_fits(frz_type_of(FRZ_TYPE_INT), &number));
    CHECK(frz_value_fits(frz_type_of(FRZ_TYPE_UUID), &bytes));
    CHECK(!frz_value_fits(frz_type_of(FRZ_TYPE_BOOLEAN), &bytes));
    CHECK(frz_value_fits(frz_type_of(FRZ_TYPE_UNKNOWN), &nothing));
    CHECK(frz_value_fits(frz_type_of(FRZ_TYPE_DATE), &nothing));
    CHECK(!frz_value_fits(frz_type_of(FRZ_TYPE_UNKNOWN), &bytes));
}

static void copy_once(void)
{
    const frz_value items[] = {{.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("abc")},
                               {.form = FRZ_VALUE_NULL}};
    const frz_value list = {.form = FRZ_VALUE_LIST, .items = {items, 2}};
    frz_arena arena = {0};
    frz_value copy = {0};
    const bool copied = frz_value_copy(&list, &arena, &copy);
    CHECK(copied == !frz_mem_failed());
    CHECK(!copied ||
          (frz_value_same(&list, &copy) && copy.items.data[0].bytes.data != items[0].bytes.data));
    frz_arena_clear(&arena);
}

static void test_copies_are_deep_or_refused(void **state)
{
    (void)state;
    sweep_allocation_failures(copy_once);
}

/* A seeded walk over random values: what is encoded decodes to the same. */
static void test_random_values_survive_the_binary_form(void **state)
{
    (void)state;
    static const frz_type_kind kinds[] = {FRZ_TYPE_INT,    FRZ_TYPE_LONG,         FRZ_TYPE_DATE,
                                          FRZ_TYPE_TIME,   FRZ_TYPE_TIMESTAMP_NS, FRZ_TYPE_DOUBLE,
                                          FRZ_TYPE_STRING, FRZ_TYPE_UUID,         FRZ_TYPE_BINARY};
    uint64_t seed = 20261130;
    frz_buffer bytes = {0};
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const uint64_t bits = seed >> (seed >> 58);
        const frz_type *type = frz_type_of(kinds[i % 9]);
        frz_value value = {.form = FRZ_VALUE_INTEGER, .integer = (int64_t)bits};
        if (type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_DATE)
            value.integer = (int32_t)bits;
        if (type->kind == FRZ_TYPE_DOUBLE) {
            value.form = FRZ_VALUE_NUMBER;
            memcpy(&value.number, &bits, 8);
        }
        uint8_t raw[16] = {0};
        memcpy(raw, &seed, 8);
        if (i % 9 > 5)
            value = (frz_value){.form = FRZ_VALUE_BYTES,
                                .bytes = {raw, type->kind == FRZ_TYPE_UUID ? 16 : bits % 9}};
        frz_error *err = NULL;
        frz_value back = {0};
        frz_buffer_reset(&bytes);
        frz_value_encode(type, &value, &bytes);
        CHECK_OK(frz_value_decode(type, frz_buffer_slice(&bytes), &back, &err), err);
        CHECK(frz_value_same(&value, &back));
    }
    frz_buffer_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes_equal_appendix_b),
        cmocka_unit_test(test_nans_of_every_pattern_hash_alike),
        cmocka_unit_test(test_binary_forms_equal_appendix_d),
        cmocka_unit_test(d131_decimals_are_of_minimal_length),
        cmocka_unit_test(d113_bounds_from_before_a_promotion_decode),
        cmocka_unit_test(test_wrong_sizes_are_refused),
        cmocka_unit_test(test_values_are_ordered),
        cmocka_unit_test(d088_signed_zeros_differ_but_order_the_same),
        cmocka_unit_test(test_lists_order_item_by_item_with_null_first),
        cmocka_unit_test(test_values_promote_with_their_types),
        cmocka_unit_test(test_forms_belong_to_types),
        cmocka_unit_test(test_copies_are_deep_or_refused),
        cmocka_unit_test(test_random_values_survive_the_binary_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
