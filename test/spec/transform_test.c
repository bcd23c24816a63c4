#include "harness.h"

#include <stdlib.h>
#include <time.h>

#include "spec/transform.h"

static frz_transform parsed(frz_arena *arena, const char *text)
{
    frz_error *err = NULL;
    frz_transform transform = {0};
    CHECK_OK(frz_transform_parse(frz_slice_of_text(text), arena, &transform, &err), err);
    return transform;
}

static const frz_type *parsed_type(frz_arena *arena, const char *text)
{
    frz_error *err = NULL;
    const frz_type *type = NULL;
    CHECK_OK(frz_type_parse(frz_slice_of_text(text), arena, &type, &err), err);
    return type;
}

typedef struct transform_case {
    const char *transform;
    const char *type;
    const char *value;
    const char *want; /* text of the result by its own type */
} transform_case;

static void check_case(const transform_case *c)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_value value = {0};
    frz_value result = {0};
    const frz_transform transform = parsed(&arena, c->transform);
    const frz_type *type = parsed_type(&arena, c->type);
    const frz_type *result_type = frz_transform_result_type(&transform, type);
    CHECK(frz_transform_accepts(&transform, type));
    CHECK_OK(frz_value_parse(type, frz_slice_of_text(c->value), &arena, &value, &err), err);
    CHECK_OK(frz_transform_apply(&transform, type, &value, &arena, &result, &err), err);
    frz_buffer text = {0};
    frz_value_print(result_type, &result, &text);
    if (!frz_slice_is_text(frz_buffer_slice(&text), c->want))
        fail_msg("%s of %s %s: \"%.*s\", want \"%s\"", c->transform, c->type, c->value,
                 (int)text.size, (const char *)text.data, c->want);
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

static void check_cases(const transform_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_case(&cases[i]);
}
#define CHECK_CASES(cases) check_cases(cases, sizeof(cases) / sizeof(cases)[0])

static void test_parses_all_transforms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        frz_transform_kind kind;
        int32_t parameter;
    } rows[] = {
        {"identity", FRZ_TRANSFORM_IDENTITY, 0},
        {"bucket[16]", FRZ_TRANSFORM_BUCKET, 16},
        {"Bucket[2147483647]", FRZ_TRANSFORM_BUCKET, 2147483647},
        {"truncate[20]", FRZ_TRANSFORM_TRUNCATE, 20},
        {"year", FRZ_TRANSFORM_YEAR, 0},
        {"month", FRZ_TRANSFORM_MONTH, 0},
        {"DAY", FRZ_TRANSFORM_DAY, 0},
        {"hour", FRZ_TRANSFORM_HOUR, 0},
        {"void", FRZ_TRANSFORM_VOID, 0},
        {"zorder", FRZ_TRANSFORM_UNKNOWN, 0},
        {"zorder[3]", FRZ_TRANSFORM_UNKNOWN, 0},
        {"bucket", FRZ_TRANSFORM_UNKNOWN, 0},
        {"bucket[]", FRZ_TRANSFORM_UNKNOWN, 0},
        {"bucket[1,2]", FRZ_TRANSFORM_UNKNOWN, 0},
        {"bucket[-1]", FRZ_TRANSFORM_UNKNOWN, 0},
        {"days", FRZ_TRANSFORM_UNKNOWN, 0},
        {"", FRZ_TRANSFORM_UNKNOWN, 0},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const frz_transform transform = parsed(&arena, rows[i].text);
        CHECK(transform.kind == rows[i].kind && transform.parameter == rows[i].parameter);
        assert_string_equal(transform.text, rows[i].text);
    }
    static const char *const bad[] = {"bucket[0]", "truncate[0]", "bucket[2147483648]",
                                      "truncate[99999999999999999999]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        frz_error *err = NULL;
        frz_transform transform = {.text = "untouched"};
        CHECK_FAILS(frz_transform_parse(frz_slice_of_text(bad[i]), &arena, &transform, &err),
                    FRZ_CORRUPT, err, "expected a parameter from 1 to 2147483647");
        assert_string_equal(transform.text, "untouched");
    }
    frz_arena_clear(&arena);
}

static void test_makes_and_compares(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_transform bucket = {0};
    frz_transform day = {0};
    CHECK_OK(frz_transform_make(FRZ_TRANSFORM_BUCKET, 16, &arena, &bucket, &err), err);
    CHECK_OK(frz_transform_make(FRZ_TRANSFORM_DAY, 16, &arena, &day, &err), err);
    assert_string_equal(bucket.text, "bucket[16]");
    assert_string_equal(day.text, "day");
    const frz_transform upper = parsed(&arena, "BUCKET[16]");
    const frz_transform other = parsed(&arena, "bucket[17]");
    const frz_transform strange = parsed(&arena, "zorder");
    const frz_transform stranger = parsed(&arena, "hilbert");
    CHECK(frz_transform_equal(&bucket, &upper) && !frz_transform_equal(&bucket, &other));
    CHECK(frz_transform_equal(&strange, &strange) && !frz_transform_equal(&strange, &stranger));
    CHECK(!frz_transform_equal(&day, &bucket) && day.parameter == 0);
    frz_arena_clear(&arena);
}

/* The column "Source types" of the table of transforms. */
static void test_accepts_the_source_types_of_the_table(void **state)
{
    (void)state;
    static const char *const types[] = {
        "unknown",        "boolean",  "int",  "long",      "float",       "double",
        "decimal(9,2)",   "date",     "time", "timestamp", "timestamptz", "timestamp_ns",
        "timestamptz_ns", "string",   "uuid", "fixed[4]",  "binary",      "variant",
        "geometry",       "geography"};
    static const struct {
        const char *transform;
        const char *yes; /* one letter for each type above */
    } rows[] = {
        {"identity", "yyyyyyyyyyyyyyyyynnn"},    {"bucket[4]", "nnyynnyyyyyyyyyyynnn"},
        {"truncate[4]", "nnyynnynnnnnnynnynnn"}, {"year", "nnnnnnnynyyyynnnnnnn"},
        {"month", "nnnnnnnynyyyynnnnnnn"},       {"day", "nnnnnnnynyyyynnnnnnn"},
        {"hour", "nnnnnnnnnyyyynnnnnnn"},        {"void", "yyyyyyyyyyyyyyyyyyyy"},
        {"zorder", "yyyyyyyyyyyyyyyyyyyy"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const frz_transform transform = parsed(&arena, rows[i].transform);
        for (size_t j = 0; j < sizeof types / sizeof types[0]; j++) {
            const bool yes = frz_transform_accepts(&transform, parsed_type(&arena, types[j]));
            if (yes != (rows[i].yes[j] == 'y'))
                fail_msg("%s of %s", rows[i].transform, types[j]);
        }
        const frz_transform_kind kind = transform.kind;
        CHECK(frz_transform_preserves_order(&transform) ==
              (kind != FRZ_TRANSFORM_BUCKET && kind != FRZ_TRANSFORM_VOID &&
               kind != FRZ_TRANSFORM_UNKNOWN));
    }
    frz_arena_clear(&arena);
}

static void test_result_types(void **state)
{
    (void)state;
    static const struct {
        const char *transform;
        frz_type_kind kind;
    } rows[] = {{"identity", FRZ_TYPE_TIMESTAMP}, {"truncate[3]", FRZ_TYPE_TIMESTAMP},
                {"void", FRZ_TYPE_TIMESTAMP},     {"bucket[3]", FRZ_TYPE_INT},
                {"year", FRZ_TYPE_INT},           {"month", FRZ_TYPE_INT},
                {"hour", FRZ_TYPE_INT},           {"day", FRZ_TYPE_DATE},
                {"zorder", FRZ_TYPE_STRING}};
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const frz_transform transform = parsed(&arena, rows[i].transform);
        CHECK(frz_transform_result_type(&transform, frz_type_of(FRZ_TYPE_TIMESTAMP))->kind ==
              rows[i].kind);
    }
    frz_arena_clear(&arena);
}

/* Values of Appendix B. */
static void test_buckets(void **state)
{
    (void)state;
    static const transform_case cases[] = {
        {"bucket[16]", "int", "34", "3"},
        {"bucket[16]", "long", "34", "3"},
        {"bucket[100]", "string", "iceberg", "89"},
        {"bucket[128]", "uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7", "44"},
    };
    CHECK_CASES(cases);
}

/* The hash takes a decimal's bytes of minimal length. */
static void d051_buckets_of_negative_decimals(void **state)
{
    (void)state;
    static const transform_case cases[] = {
        {"bucket[16]", "decimal(5,2)", "-1.28", "13"},
        {"bucket[16]", "decimal(9,0)", "-32768", "3"},
        {"bucket[16]", "decimal(9,0)", "-8388608", "13"},
    };
    CHECK_CASES(cases);
}

/* -1 ns lies in the microsecond, the day and the bucket of -1 us. */
static void d049_nanoseconds_are_floored(void **state)
{
    (void)state;
    static const transform_case cases[] = {
        {"day", "timestamp_ns", "1969-12-31T23:59:59.999999999", "1969-12-31"},
        {"hour", "timestamp_ns", "1969-12-31T23:59:59.999999999", "-1"},
    };
    CHECK_CASES(cases);

    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_transform bucket = parsed(&arena, "bucket[1000]");
    const frz_value nano = {.form = FRZ_VALUE_INTEGER, .integer = -1};
    frz_value of_nanos = {0};
    frz_value of_micros = {0};
    CHECK_OK(frz_transform_apply(&bucket, frz_type_of(FRZ_TYPE_TIMESTAMP_NS), &nano, &arena,
                                 &of_nanos, &err),
             err);
    CHECK_OK(frz_transform_apply(&bucket, frz_type_of(FRZ_TYPE_TIMESTAMP), &nano, &arena,
                                 &of_micros, &err),
             err);
    CHECK(of_nanos.integer == of_micros.integer);
    frz_arena_clear(&arena);
}

/* "Truncate Transform Details" and its examples. */
static void test_truncates(void **state)
{
    (void)state;
    static const transform_case cases[] = {
        {"truncate[10]", "int", "1", "0"},
        {"truncate[10]", "int", "-1", "-10"},
        {"truncate[10]", "long", "1", "0"},
        {"truncate[10]", "long", "-1", "-10"},
        {"truncate[10]", "long", "-9223372036854775800", "-9223372036854775800"},
        {"truncate[10]", "int", "2147483647", "2147483640"},
        {"truncate[2147483647]", "int", "2147483646", "0"},
        {"truncate[50]", "decimal(9,2)", "10.65", "10.50"},
        {"truncate[50]", "decimal(9,2)", "-0.05", "-0.50"},
        {"truncate[10]", "decimal(38,0)", "99999999999999999999999999999999999999",
         "99999999999999999999999999999999999990"},
        {"truncate[3]", "string", "iceberg", "ice"},
        {"truncate[3]", "string", "ic", "ic"},
        {"truncate[3]", "string", "", ""},
        {"truncate[3]", "binary", "0x0102030405", "0x010203"},
        {"truncate[3]", "binary", "0xffff", "0xffff"},
    };
    CHECK_CASES(cases);
}

static void d052_strings_are_cut_by_code_points(void **state)
{
    (void)state;
    static const transform_case cases[] = {
        {"truncate[3]", "string",
         "ab\xf0\x9f\x98\x80"
         "cd",
         "ab\xf0\x9f\x98\x80"},
        {"truncate[3]", "string", "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa9\xc3\xa9"},
        {"truncate[2]", "string", "e\xcc\x81x", "e\xcc\x81"},
    };
    CHECK_CASES(cases);
}

static void d085_months_before_1970_go_by_the_calendar(void **state)
{
    (void)state;
    static const transform_case cases[] = {
        {"month", "timestamp", "1969-11-15T12:00:00", "-2"},
        {"month", "timestamp", "1969-12-01T00:00:00", "-1"},
        {"month", "date", "1969-02-28", "-11"},
    };
    CHECK_CASES(cases);
}

static void d048_times_before_1970_are_floored(void **state)
{
    (void)state;
    static const transform_case cases[] = {
        {"hour", "timestamp", "1969-12-31T23:59:59", "-1"},
        {"day", "timestamp", "1969-12-31T23:59:59", "1969-12-31"},
        {"month", "timestamp", "1969-12-31T23:59:59", "-1"},
        {"year", "timestamp", "1969-12-31T23:59:59", "-1"},
    };
    CHECK_CASES(cases);
}

static void test_calendar_parts_floor(void **state)
{
    (void)state;
    static const transform_case cases[] = {
        {"year", "date", "2017-11-16", "47"},
        {"year", "date", "1969-12-31", "-1"},
        {"year", "date", "1969-01-01", "-1"},
        {"year", "date", "1968-12-31", "-2"},
        {"month", "date", "1970-01-31", "0"},
        {"month", "date", "0000-01-01", "-23640"},
        {"day", "date", "1969-12-31", "1969-12-31"},
        {"hour", "timestamptz", "2017-12-01T10:12:55.038194-08:00", "420042"},
        {"hour", "timestamptz_ns", "1970-01-01T00:59:59.999999999Z", "0"},
        {"year", "timestamp_ns", "1677-09-21T00:12:43.145224192", "-293"},
        {"month", "timestamptz_ns", "2262-04-11T23:47:16.854775807Z", "3507"},
        {"hour", "timestamp", "1970-01-01T01:00:00", "1"},
    };
    CHECK_CASES(cases);
}

/* The process's time zone plays no part. */
static void d050_time_zone_of_the_process_means_nothing(void **state)
{
    (void)state;
    static const transform_case cases[] = {
        {"day", "timestamp", "2024-01-01T00:30:00", "2024-01-01"},
        {"day", "timestamptz", "2024-01-01T00:30:00Z", "2024-01-01"},
        {"hour", "timestamptz", "2024-01-01T00:30:00Z", "473352"},
    };
    static const char *const zones[] = {"Asia/Kathmandu", "America/Chicago", "UTC"};
    for (size_t i = 0; i < 3; i++) {
        CHECK(setenv("TZ", zones[i], 1) == 0);
        tzset();
        CHECK_CASES(cases);
    }
}

static void test_null_in_null_out(void **state)
{
    (void)state;
    static const char *const transforms[] = {"identity", "bucket[4]", "truncate[4]", "void"};
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_value nothing = {.form = FRZ_VALUE_NULL};
    for (size_t i = 0; i < 4; i++) {
        frz_value out = {.form = FRZ_VALUE_BOOLEAN};
        const frz_transform transform = parsed(&arena, transforms[i]);
        CHECK_OK(frz_transform_apply(&transform, frz_type_of(FRZ_TYPE_INT), &nothing, &arena, &out,
                                     &err),
                 err);
        CHECK(out.form == FRZ_VALUE_NULL);
    }
    const frz_value seven = {.form = FRZ_VALUE_INTEGER, .integer = 7};
    const frz_transform none = parsed(&arena, "void");
    frz_value out = {.form = FRZ_VALUE_BOOLEAN};
    CHECK_OK(frz_transform_apply(&none, frz_type_of(FRZ_TYPE_INT), &seven, &arena, &out, &err),
             err);
    CHECK(out.form == FRZ_VALUE_NULL);
    frz_arena_clear(&arena);
}

static void test_refuses_what_leaves_the_range_and_what_is_unknown(void **state)
{
    (void)state;
    static const transform_case bad[] = {
        {"truncate[10]", "int", "-2147483648", "truncate[10]: the result of a int value is out"},
        {"truncate[10]", "long", "-9223372036854775808", "of a long value is out of range"},
        {"truncate[50]", "decimal(3,2)", "-9.99", "of a decimal value is out of range"},
        {"truncate[10]", "decimal(38,0)", "-99999999999999999999999999999999999999",
         "of a decimal value is out of range"},
        {"hour", "timestamp", "+290000-01-01T00:00:00", "hour: the result of a timestamp value"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        frz_error *err = NULL;
        frz_value value = {0};
        frz_value out = {0};
        const frz_type *type = parsed_type(&arena, bad[i].type);
        const frz_transform transform = parsed(&arena, bad[i].transform);
        CHECK_OK(frz_value_parse(type, frz_slice_of_text(bad[i].value), &arena, &value, &err), err);
        CHECK_FAILS(frz_transform_apply(&transform, type, &value, &arena, &out, &err), FRZ_INVALID,
                    err, bad[i].want);
        CHECK(out.form == FRZ_VALUE_NULL);
    }
    frz_error *err = NULL;
    frz_value out = {0};
    const frz_value seven = {.form = FRZ_VALUE_INTEGER, .integer = 7};
    const frz_transform strange = parsed(&arena, "zorder[3]");
    CHECK_FAILS(
        frz_transform_apply(&strange, frz_type_of(FRZ_TYPE_INT), &seven, &arena, &out, &err),
        FRZ_UNSUPPORTED, err, "transform \"zorder[3]\" is not known");
    frz_arena_clear(&arena);
}

/* Seeded: truncation floors to a multiple, and order-preserving transforms keep the order of what
 * they get. */
static void test_random_numbers_keep_their_order(void **state)
{
    (void)state;
    static const char *const transforms[] = {"truncate[7]", "year", "month", "day", "hour"};
    frz_arena arena = {0};
    uint64_t seed = 99;
    for (int i = 0; i < 20000; i++) {
        const frz_transform transform = parsed(&arena, transforms[i % 5]);
        const frz_type *type = frz_type_of(i % 5 ? FRZ_TYPE_TIMESTAMP_NS : FRZ_TYPE_LONG);
        frz_value in[2] = {{.form = FRZ_VALUE_INTEGER}, {.form = FRZ_VALUE_INTEGER}};
        frz_value out[2] = {0};
        for (int j = 0; j < 2; j++) {
            frz_error *err = NULL;
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            in[j].integer = (int64_t)seed >> (seed >> 58 & 31);
            CHECK_OK(frz_transform_apply(&transform, type, &in[j], &arena, &out[j], &err), err);
        }
        if (i % 5 == 0)
            CHECK(out[0].integer <= in[0].integer && in[0].integer - out[0].integer < 7 &&
                  out[0].integer % 7 == 0);
        if (in[0].integer <= in[1].integer)
            CHECK(out[0].integer <= out[1].integer);
        frz_arena_clear(&arena);
    }
}

static void parse_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_transform transform = {0};
    frz_status status =
        frz_transform_parse(frz_slice_of_text("bucket[4]"), &arena, &transform, &err);
    if (status == FRZ_OK)
        status = frz_transform_make(FRZ_TRANSFORM_TRUNCATE, 3, &arena, &transform, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(parse_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parses_all_transforms),
        cmocka_unit_test(test_makes_and_compares),
        cmocka_unit_test(test_accepts_the_source_types_of_the_table),
        cmocka_unit_test(test_result_types),
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(d051_buckets_of_negative_decimals),
        cmocka_unit_test(d049_nanoseconds_are_floored),
        cmocka_unit_test(d052_strings_are_cut_by_code_points),
        cmocka_unit_test(d085_months_before_1970_go_by_the_calendar),
        cmocka_unit_test(d048_times_before_1970_are_floored),
        cmocka_unit_test(test_truncates),
        cmocka_unit_test(test_calendar_parts_floor),
        cmocka_unit_test(d050_time_zone_of_the_process_means_nothing),
        cmocka_unit_test(test_null_in_null_out),
        cmocka_unit_test(test_refuses_what_leaves_the_range_and_what_is_unknown),
        cmocka_unit_test(test_random_numbers_keep_their_order),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
