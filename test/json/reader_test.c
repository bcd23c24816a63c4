#include "json/reader.h"

#include <math.h>

#include "base/fail.h"
#include "harness.h"
#include "json/writer.h"

static frz_json_reader over(const char *text, frz_arena *arena)
{
    return frz_json_reader_over(frz_slice_of_text(text), arena);
}

/* The text in memory of exactly its size, so that a read beyond it is seen. */
static frz_status validate(const void *text, size_t size, frz_error **err)
{
    uint8_t *exact = malloc(size ? size : 1);
    memcpy(exact, text, size);
    frz_json_reader json = frz_json_reader_over(frz_slice_of(exact, size), NULL);
    frz_status status = frz_json_skip(&json, err);
    if (status == FRZ_OK)
        status = frz_json_expect_end(&json, err);
    free(exact);
    return status;
}

static void test_valid_texts_are_accepted(void **state)
{
    (void)state;
    static const char *const texts[] = {"null",
                                        " true ",
                                        "false",
                                        "0",
                                        "-0",
                                        "-1.5e+10",
                                        "1E400",
                                        "\"\"",
                                        "\"\\u0000\"",
                                        "\"\\ud83d\\ude00\"",
                                        "\"\xf0\x9f\x98\x80\"",
                                        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                        "[]",
                                        "{}",
                                        "[[],[[]],{}]",
                                        "{\"a\":{\"a\":1,\"a\":2},\"b\":[1,2,3]}",
                                        "\t[ 1 , 2 ]\r\n",
                                        "{ \"\" : null }",
                                        "\"\x7f\"",
                                        "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        frz_error *err = NULL;
        CHECK_OK(validate(texts[i], strlen(texts[i]), &err), err);
    }
}

static void test_invalid_texts_are_corrupt_with_their_offset(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t offset;
    } cases[] = {{"", 0},
                 {" ", 1},
                 {"nul", 0},
                 {"nulll", 0},
                 {"True", 0},
                 {"01", 0},
                 {"-", 0},
                 {"1.", 0},
                 {".5", 0},
                 {"+1", 0},
                 {"1e", 0},
                 {"0x10", 0},
                 {"NaN", 0},
                 {"Infinity", 0},
                 {"-Infinity", 0},
                 {"\"", 0},
                 {"\"abc", 0},
                 {"\"\\x\"", 1},
                 {"\"\\u12g4\"", 1},
                 {"\"\\u123", 1},
                 {"\"\t\"", 1},
                 {"\"\\ud800\"", 1},
                 {"\"\\ud800\\u0041\"", 1},
                 {"\"\\udc00\"", 1},
                 {"\"a\xff\"", 2},
                 {"\"\xc0\x80\"", 1},
                 {"\"\xed\xa0\x80\"", 1},
                 {"\"\xf4\x90\x80\x80\"", 1},
                 {"\"\xe2\x82\"", 1},
                 {"[", 1},
                 {"[1", 2},
                 {"[1,]", 3},
                 {"[,1]", 1},
                 {"[1 2]", 3},
                 {"[1}", 2},
                 {"{\"a\"}", 4},
                 {"{\"a\":}", 5},
                 {"{a:1}", 1},
                 {"{\"a\":1,}", 7},
                 {"{,}", 1},
                 {"{\"a\" 1}", 5},
                 {"1 2", 2},
                 {"[] x", 3},
                 {"'a'", 0},
                 {"/**/1", 0},
                 {"\"\\", 1},
                 {"\xef\xbb\xbf{}", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_error *err = NULL;
        uint64_t offset = 0;
        const frz_status status = validate(cases[i].text, strlen(cases[i].text), &err);
        if (status != FRZ_CORRUPT || !frz_error_offset(err, &offset) || offset != cases[i].offset)
            fail_msg("%s: %s, offset %llu: %s", cases[i].text, frz_status_name(status),
                     (unsigned long long)offset, frz_error_message(err));
        frz_error_free(err);
    }
}

static void test_integers_are_exact_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"4598286611352242717", INT64_C(4598286611352242717)},
                {"4.5982866113522427e+18", INT64_C(4598286611352242700)},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"1.0", 1},
                {"-0", 0},
                {"1e3", 1000},
                {"1500e-2", 15},
                {"0.0", 0}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        frz_error *err = NULL;
        int64_t value = 0;
        frz_json_reader json = over(good[i].text, NULL);
        CHECK_OK(frz_json_read_i64(&json, &value, &err), err);
        if (value != good[i].value)
            fail_msg("%s: %lld", good[i].text, (long long)value);
    }
    static const char *const bad[] = {
        "9223372036854775808",
        "-9223372036854775809",
        "1.5",
        "1e19",
        "4.5982866113522427123e+18",
        "1e-1",
        ("123456789012345678901234567890123456789012345678901234567890"
         "123456789012345678901234567890")};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        frz_error *err = NULL;
        int64_t value = 42;
        frz_json_reader json = over(bad[i], NULL);
        CHECK_FAILS(frz_json_read_i64(&json, &value, &err), FRZ_CORRUPT, err,
                    "JSON at offset 0: expected a 64-bit integer, got ");
        CHECK(value == 42);
    }
    frz_error *err = NULL;
    int32_t small = 0;
    frz_json_reader json = over(" 2147483648", NULL);
    CHECK_FAILS(frz_json_read_i32(&json, &small, &err), FRZ_CORRUPT, err,
                "JSON at offset 1: expected a 32-bit integer, got 2147483648");
    json = over("-2147483648", NULL);
    CHECK_OK(frz_json_read_i32(&json, &small, &err), err);
    CHECK(small == INT32_MIN);
}

static void test_an_object_reads_member_by_member(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_json_reader json =
        over("{\"id\": 7, \"n\\u0061me\": \"t\\u00e4\\ud83d\\ude00\", \"x\": {\"y\":[1,{}]}, \"d\":"
             " 0.1, \"ok\": true, \"none\": null, \"id\": 8}",
             &arena);
    frz_slice key = {0};
    frz_slice text = {0};
    bool more = false;
    int64_t id = 0;
    double number = 0;
    bool truth = false;
    CHECK_OK(frz_json_enter_object(&json, &err), err);
    CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
    CHECK(more && frz_slice_is_text(key, "id"));
    CHECK_OK(frz_json_read_i64(&json, &id, &err), err);
    CHECK(id == 7);
    CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
    CHECK(more && frz_slice_is_text(key, "name"));
    CHECK_OK(frz_json_read_string(&json, &text, &err), err);
    CHECK(frz_slice_is_text(text, "t\xc3\xa4\xf0\x9f\x98\x80"));
    CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
    CHECK_OK(frz_json_read_raw(&json, &text, &err), err);
    CHECK(frz_slice_is_text(text, "{\"y\":[1,{}]}"));
    CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
    CHECK_OK(frz_json_read_f64(&json, &number, &err), err);
    CHECK(fabs(number - 0.1) == 0);
    CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
    CHECK_OK(frz_json_read_bool(&json, &truth, &err), err);
    CHECK(truth);
    CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
    CHECK_OK(frz_json_read_null(&json, &truth, &err), err);
    CHECK(truth);
    CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
    CHECK(frz_slice_is_text(key, "id")); /* duplicates are the caller's business */
    CHECK_OK(frz_json_read_null(&json, &truth, &err), err);
    CHECK(!truth);
    CHECK_OK(frz_json_read_i64(&json, &id, &err), err);
    CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
    CHECK(!more && json.depth == 0);
    CHECK_OK(frz_json_expect_end(&json, &err), err);
    frz_arena_clear(&arena);
}

/* Sums numbers, and stops at the first member that is none. */
static frz_status add_number(frz_json_reader *json, frz_slice key, void *sum, frz_error **err)
{
    int64_t number = 0;
    const frz_status status = frz_json_read_i64(json, &number, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "%.*s", (int)key.size, (const char *)key.data);
    *(int64_t *)sum += number;
    return FRZ_OK;
}

static void test_an_object_is_handed_over_member_by_member(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    int64_t sum = 0;
    frz_json_reader json = over("{\"a\": 1, \"b\": 20, \"a\": 300}", &arena);
    CHECK_OK(frz_json_read_members(&json, add_number, &sum, &err), err);
    CHECK(sum == 321 && json.depth == 0);
    CHECK_OK(frz_json_expect_end(&json, &err), err);
    json = over("{}", &arena);
    CHECK_OK(frz_json_read_members(&json, add_number, &sum, &err), err);
    json = over("{\"a\": 1, \"b\": [], \"c\": 5}", &arena);
    CHECK_FAILS(frz_json_read_members(&json, add_number, &sum, &err), FRZ_CORRUPT, err, "b: ");
    CHECK(sum == 322);
    json = over("[1]", &arena);
    CHECK_FAILS(frz_json_read_members(&json, add_number, &sum, &err), FRZ_CORRUPT, err, "object");
    frz_arena_clear(&arena);
}

static void test_an_array_reads_item_by_item(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_json_reader json = over("[[1,2],[],[3]]", NULL);
    bool more = false;
    int64_t sum = 0;
    int rows = 0;
    CHECK_OK(frz_json_enter_array(&json, &err), err);
    for (;;) {
        CHECK_OK(frz_json_next_item(&json, &more, &err), err);
        if (!more)
            break;
        rows++;
        CHECK_OK(frz_json_enter_array(&json, &err), err);
        for (;;) {
            int64_t value = 0;
            CHECK_OK(frz_json_next_item(&json, &more, &err), err);
            if (!more)
                break;
            CHECK_OK(frz_json_read_i64(&json, &value, &err), err);
            sum += value;
        }
    }
    CHECK(rows == 3 && sum == 6);
}

static void test_strings_without_escapes_are_borrowed(void **state)
{
    (void)state;
    frz_error *err = NULL;
    const char *text = "\"plain\"";
    frz_json_reader json = over(text, NULL);
    frz_slice out = {0};
    CHECK_OK(frz_json_read_string(&json, &out, &err), err);
    CHECK((const char *)out.data == text + 1 && out.size == 5);
}

static void test_a_text_must_not_hold_nul(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const char *out = NULL;
    frz_json_reader json = over("\"a\\u0000b\"", &arena);
    CHECK_FAILS(frz_json_read_text(&json, &out, &err), FRZ_CORRUPT, err, "U+0000");
    json = over("\"a\\nb\"", &arena);
    CHECK_OK(frz_json_read_text(&json, &out, &err), err);
    assert_string_equal(out, "a\nb");
    frz_arena_clear(&arena);
}

static void test_another_kind_is_named(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int64_t number = 0;
    bool truth = false;
    frz_slice text;
    frz_json_reader json = over("  \"7\"", NULL);
    CHECK_FAILS(frz_json_read_i64(&json, &number, &err), FRZ_CORRUPT, err,
                "JSON at offset 2: expected a number, got a string");
    CHECK_FAILS(frz_json_enter_object(&json, &err), FRZ_CORRUPT, err, "expected an object");
    CHECK_FAILS(frz_json_read_bool(&json, &truth, &err), FRZ_CORRUPT, err, "expected a boolean");
    json = over("{}", NULL);
    CHECK_FAILS(frz_json_read_string(&json, &text, &err), FRZ_CORRUPT, err, "got an object");
}

static void test_nesting_has_a_limit_with_a_name(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    char *text = malloc(DEEP);
    memset(text, '[', DEEP);
    frz_error *err = NULL;
    CHECK_FAILS(validate(text, DEEP, &err), FRZ_UNSUPPORTED, err, "nesting_depth of 128");
    memset(text + 128, ']', 128);
    CHECK_OK(validate(text, 256, &err), err);
    frz_json_reader json = frz_json_reader_over(frz_slice_of(text, 256), NULL);
    json.depth_max = 127;
    CHECK_FAILS(frz_json_skip(&json, &err), FRZ_UNSUPPORTED, err, "at offset 127");
    memset(text, '[', DEEP);
    json = frz_json_reader_over(frz_slice_of(text, DEEP), NULL);
    json.depth_max = UINT32_MAX;
    CHECK_FAILS(frz_json_skip(&json, &err), FRZ_UNSUPPORTED, err, "nesting_depth of 1024");
    free(text);
}

/* Reads everything with the typed calls and writes it again. */
static frz_status copy_value(frz_json_reader *json, frz_json_writer *out, frz_error **err);

static frz_status copy_members(frz_json_reader *json, frz_json_writer *out, bool object,
                               frz_error **err)
{
    bool more = true;
    for (;;) {
        frz_slice key = {0};
        const frz_status status = object ? frz_json_next_key(json, &key, &more, err)
                                         : frz_json_next_item(json, &more, err);
        if (status != FRZ_OK || !more)
            return status;
        if (object)
            frz_json_key_slice(out, key);
        const frz_status copied = copy_value(json, out, err);
        if (copied != FRZ_OK)
            return copied;
    }
}

static frz_status copy_value(frz_json_reader *json, frz_json_writer *out, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_slice text = {0};
    bool truth = false;
    frz_status status = frz_json_peek(json, &kind, err);
    if (status != FRZ_OK)
        return status;
    switch (kind) {
    case FRZ_JSON_NULL:
        status = frz_json_read_null(json, &truth, err);
        frz_json_null(out);
        return status;
    case FRZ_JSON_BOOL:
        status = frz_json_read_bool(json, &truth, err);
        frz_json_bool(out, truth);
        return status;
    case FRZ_JSON_NUMBER:
        status = frz_json_read_number(json, &text, err);
        if (status == FRZ_OK)
            frz_json_raw(out, text);
        return status;
    case FRZ_JSON_STRING:
        status = frz_json_read_string(json, &text, err);
        if (status == FRZ_OK)
            frz_json_string_slice(out, text);
        return status;
    case FRZ_JSON_ARRAY:
        status = frz_json_enter_array(json, err);
        if (status == FRZ_OK) {
            frz_json_open_array(out);
            status = copy_members(json, out, false, err);
            if (status == FRZ_OK)
                frz_json_close_array(out);
        }
        return status;
    case FRZ_JSON_OBJECT:
        status = frz_json_enter_object(json, err);
        if (status == FRZ_OK) {
            frz_json_open_object(out);
            status = copy_members(json, out, true, err);
            if (status == FRZ_OK)
                frz_json_close_object(out);
        }
        return status;
    }
    return FRZ_INVALID;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void write_random(frz_json_writer *out, uint32_t *seed, int depth)
{
    static const char *const strings[] = {"",       "a",        "\"\\",
                                          "\n\x01", "\xc3\xa4", "\xf0\x9f\x98\x80"};
    const uint32_t kind = next_random(seed) % (depth < 5 ? 7 : 5);
    if (kind == 0) {
        frz_json_null(out);
    } else if (kind == 1) {
        frz_json_bool(out, next_random(seed) & 1);
    } else if (kind == 2) {
        frz_json_i64(out, (int64_t)((uint64_t)next_random(seed) << 40 | next_random(seed)));
    } else if (kind == 3) {
        frz_json_f64(out, ldexp((double)next_random(seed), (int)(next_random(seed) % 200) - 100));
    } else if (kind == 4) {
        frz_json_string(out, strings[next_random(seed) % 6]);
    } else {
        const bool object = kind == 6;
        object ? frz_json_open_object(out) : frz_json_open_array(out);
        for (uint32_t i = next_random(seed) % 5; i > 0; i--) {
            if (object)
                frz_json_key(out, strings[next_random(seed) % 6]);
            write_random(out, seed, depth + 1);
        }
        object ? frz_json_close_object(out) : frz_json_close_array(out);
    }
}

static void test_what_is_written_reads_back_and_writes_the_same(void **state)
{
    (void)state;
    uint32_t seed = 20261130;
    for (uint32_t i = 0; i < 2000; i++) {
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_buffer first = {0};
        frz_buffer second = {0};
        const uint32_t indent = i % 3;
        frz_json_writer out = frz_json_writer_to(&first, indent);
        write_random(&out, &seed, 0);
        frz_json_reader json = frz_json_reader_over(frz_buffer_slice(&first), &arena);
        frz_json_writer again = frz_json_writer_to(&second, indent);
        CHECK_OK(copy_value(&json, &again, &err), err);
        CHECK_OK(frz_json_expect_end(&json, &err), err);
        CHECK(frz_slice_equal(frz_buffer_slice(&first), frz_buffer_slice(&second)));
        CHECK_OK(validate(first.data, first.size, &err), err);
        frz_buffer_clear(&first);
        frz_buffer_clear(&second);
        frz_arena_clear(&arena);
    }
}

/* Skipping and reading agree on what is well formed, whatever the bytes. */
static void test_damaged_texts_are_safe_and_judged_alike(void **state)
{
    (void)state;
    uint32_t seed = 7;
    int accepted = 0;
    for (int i = 0; i < 400; i++) {
        frz_buffer text = {0};
        frz_json_writer out = frz_json_writer_to(&text, 0);
        write_random(&out, &seed, 0);
        for (int change = 0; change < 20; change++) {
            const size_t at = next_random(&seed) % text.size;
            const uint8_t before = text.data[at];
            text.data[at] = (uint8_t)next_random(&seed);
            const size_t size = change % 2 ? text.size : at + 1;
            const frz_status skipped = validate(text.data, size, NULL);
            frz_arena arena = {.budget = 1 << 20};
            frz_buffer copy = {0};
            frz_json_writer again = frz_json_writer_to(&copy, 0);
            frz_json_reader json = frz_json_reader_over(frz_slice_of(text.data, size), &arena);
            frz_status read = copy_value(&json, &again, NULL);
            if (read == FRZ_OK)
                read = frz_json_expect_end(&json, NULL);
            CHECK(skipped == read && (read == FRZ_OK || read == FRZ_CORRUPT));
            accepted += read == FRZ_OK;
            frz_buffer_clear(&copy);
            frz_arena_clear(&arena);
            text.data[at] = before;
        }
        frz_buffer_clear(&text);
    }
    CHECK(accepted > 100 && accepted < 7900);
}

static void sweep_body(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_slice text = {0};
    const char *copy = NULL;
    frz_json_reader json = over("\"a\\nb\" \"c\" nope", &arena);
    frz_status status = frz_json_read_string(&json, &text, &err);
    if (status == FRZ_OK)
        status = frz_json_read_text(&json, &copy, &err);
    if (status == FRZ_OK)
        CHECK(frz_json_skip(&json, &err) == FRZ_CORRUPT); /* the status survives short memory */
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(sweep_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_texts_are_accepted),
        cmocka_unit_test(test_invalid_texts_are_corrupt_with_their_offset),
        cmocka_unit_test(test_integers_are_exact_or_refused),
        cmocka_unit_test(test_an_object_reads_member_by_member),
        cmocka_unit_test(test_an_object_is_handed_over_member_by_member),
        cmocka_unit_test(test_an_array_reads_item_by_item),
        cmocka_unit_test(test_strings_without_escapes_are_borrowed),
        cmocka_unit_test(test_a_text_must_not_hold_nul),
        cmocka_unit_test(test_another_kind_is_named),
        cmocka_unit_test(test_nesting_has_a_limit_with_a_name),
        cmocka_unit_test(test_what_is_written_reads_back_and_writes_the_same),
        cmocka_unit_test(test_damaged_texts_are_safe_and_judged_alike),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
