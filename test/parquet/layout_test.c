#include "parquet/layout.h"

#include "base/decimal.h"
#include "harness.h"

static frz_parquet_layout layout_of(frz_parquet_node leaf)
{
    frz_parquet_layout out;
    frz_error *err = NULL;
    leaf.name = "c";
    CHECK_OK(frz_parquet_layout_of(&leaf, &out, &err), err);
    return out;
}

static void test_every_type_has_its_arrow_format(void **state)
{
    (void)state;
    static const struct {
        frz_parquet_node leaf;
        const char *format;
        size_t width;
    } cases[] = {
        {{.type = FRZ_PARQUET_BOOLEAN}, "b", 0},
        {{.type = FRZ_PARQUET_INT32}, "i", 4},
        {{.type = FRZ_PARQUET_INT64}, "l", 8},
        {{.type = FRZ_PARQUET_INT96}, "tsu:UTC", 8},
        {{.type = FRZ_PARQUET_FLOAT}, "f", 4},
        {{.type = FRZ_PARQUET_DOUBLE}, "g", 8},
        {{.type = FRZ_PARQUET_BYTE_ARRAY}, "z", 0},
        {{.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, .type_length = 7}, "w:7", 7},
        {{.type = FRZ_PARQUET_BYTE_ARRAY, .logical = FRZ_PARQUET_LOGICAL_STRING}, "u", 0},
        {{.type = FRZ_PARQUET_INT32, .logical = FRZ_PARQUET_LOGICAL_DATE}, "tdD", 4},
        {{.type = FRZ_PARQUET_INT32, .logical = FRZ_PARQUET_LOGICAL_TIME, .unit = 'm'}, "ttm", 4},
        {{.type = FRZ_PARQUET_INT64, .logical = FRZ_PARQUET_LOGICAL_TIME, .unit = 'u'}, "ttu", 8},
        {{.type = FRZ_PARQUET_INT64, .logical = FRZ_PARQUET_LOGICAL_TIMESTAMP, .unit = 'n'},
         "tsn:",
         8},
        {{.type = FRZ_PARQUET_INT64,
          .logical = FRZ_PARQUET_LOGICAL_TIMESTAMP,
          .unit = 'u',
          .adjusted_to_utc = true},
         "tsu:UTC",
         8},
        {{.type = FRZ_PARQUET_INT32, .logical = FRZ_PARQUET_LOGICAL_INTEGER, .bit_width = 8},
         "C",
         1},
        {{.type = FRZ_PARQUET_INT32,
          .logical = FRZ_PARQUET_LOGICAL_INTEGER,
          .bit_width = 16,
          .is_signed = true},
         "s",
         2},
        {{.type = FRZ_PARQUET_INT32, .logical = FRZ_PARQUET_LOGICAL_INTEGER, .bit_width = 32},
         "I",
         4},
        {{.type = FRZ_PARQUET_INT64, .logical = FRZ_PARQUET_LOGICAL_INTEGER, .bit_width = 64},
         "L",
         8},
        {{.type = FRZ_PARQUET_INT64,
          .logical = FRZ_PARQUET_LOGICAL_DECIMAL,
          .precision = 18,
          .scale = 2},
         "d:18,2",
         16},
        {{.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY,
          .type_length = 2,
          .logical = FRZ_PARQUET_LOGICAL_FLOAT16},
         "e",
         2},
        {{.type = FRZ_PARQUET_INT32, .logical = FRZ_PARQUET_LOGICAL_UNKNOWN}, "n", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const frz_parquet_layout got = layout_of(cases[i].leaf);
        CHECK(strcmp(got.format, cases[i].format) == 0 && got.width == cases[i].width);
    }
    const frz_parquet_layout uuid =
        layout_of((frz_parquet_node){.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY,
                                     .type_length = 16,
                                     .logical = FRZ_PARQUET_LOGICAL_UUID});
    CHECK(strcmp(uuid.format, "w:16") == 0 && strcmp(uuid.extension, "arrow.uuid") == 0);
}

static void test_what_arrow_cannot_hold_is_refused_by_name(void **state)
{
    (void)state;
    frz_parquet_layout out;
    frz_error *err = NULL;
    const frz_parquet_node root = {.name = "root"};
    frz_parquet_node leaf = {.name = "big",
                             .parent = &root,
                             .type = FRZ_PARQUET_BYTE_ARRAY,
                             .logical = FRZ_PARQUET_LOGICAL_DECIMAL,
                             .precision = 39};
    CHECK_FAILS(frz_parquet_layout_of(&leaf, &out, &err), FRZ_UNSUPPORTED, err,
                "column big: a decimal of more than 38 digits");
    leaf = (frz_parquet_node){.name = "t",
                              .parent = &root,
                              .type = FRZ_PARQUET_INT64,
                              .logical = FRZ_PARQUET_LOGICAL_TIMESTAMP};
    CHECK_FAILS(frz_parquet_layout_of(&leaf, &out, &err), FRZ_UNSUPPORTED, err, "time unit");
}

static void convert_one(frz_parquet_node leaf, const void *in, void *out)
{
    const frz_parquet_layout layout = layout_of(leaf);
    const char *problem = NULL;
    CHECK(frz_parquet_convert_fixed(&layout, in, out, 1, &problem));
}

static void test_decimals_of_all_physical_types(void **state)
{
    (void)state;
    frz_parquet_node leaf = {.logical = FRZ_PARQUET_LOGICAL_DECIMAL, .precision = 9, .scale = 2};
    const int32_t narrow = -12345;
    const int64_t wide = INT64_MIN;
    const uint8_t fixed[3] = {0xff, 0xcf, 0xc7};
    frz_int128 got = 0;
    leaf.type = FRZ_PARQUET_INT32;
    convert_one(leaf, &narrow, &got);
    CHECK(got == -12345);
    leaf.type = FRZ_PARQUET_INT64;
    convert_one(leaf, &wide, &got);
    CHECK(got == INT64_MIN);
    leaf.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY;
    leaf.type_length = 3;
    convert_one(leaf, fixed, &got);
    CHECK(got == -12345);

    const uint8_t arrays[] = {0x7f, 0xff, 0xcf, 0xc7};
    const int32_t ends[] = {1, 4};
    frz_int128 both[2];
    const char *problem = NULL;
    CHECK(frz_parquet_convert_bytes(arrays, 0, ends, (uint8_t *)both, 2, &problem));
    CHECK(both[0] == 127 && both[1] == -12345);
    const int32_t empty_ends[] = {0};
    CHECK(!frz_parquet_convert_bytes(arrays, 0, empty_ends, (uint8_t *)both, 1, &problem));
    CHECK(strstr(problem, "decimal"));
}

/* Field report D064: far dates must not overflow. */
static void d064_far_int96_timestamps_do_not_overflow(void **state)
{
    (void)state;
    const frz_parquet_node leaf = {.type = FRZ_PARQUET_INT96};
    uint8_t in[12];
    int64_t us = 0;
    const int64_t nanos = INT64_C(41590965000000); /* 11:33:10.965 */
    const int32_t day = 2440588 + 497817;          /* 3332-12-23 */
    memcpy(in, &nanos, 8);
    memcpy(in + 8, &day, 4);
    convert_one(leaf, in, &us);
    CHECK(us == INT64_C(497817) * 86400000000 + INT64_C(41590965000));
    const int32_t year_one = 1721426; /* 0001-01-01 */
    const int64_t none = 0;
    memcpy(in, &none, 8);
    memcpy(in + 8, &year_one, 4);
    convert_one(leaf, in, &us);
    CHECK(us == INT64_C(-62135596800000000));
}

static void test_small_integers_keep_their_low_bytes(void **state)
{
    (void)state;
    const int32_t value = -2;
    int8_t small = 0;
    int16_t medium = 0;
    frz_parquet_node leaf = {.type = FRZ_PARQUET_INT32,
                             .logical = FRZ_PARQUET_LOGICAL_INTEGER,
                             .bit_width = 8,
                             .is_signed = true};
    convert_one(leaf, &value, &small);
    leaf.bit_width = 16;
    convert_one(leaf, &value, &medium);
    CHECK(small == -2 && medium == -2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_has_its_arrow_format),
        cmocka_unit_test(test_what_arrow_cannot_hold_is_refused_by_name),
        cmocka_unit_test(test_decimals_of_all_physical_types),
        cmocka_unit_test(d064_far_int96_timestamps_do_not_overflow),
        cmocka_unit_test(test_small_integers_keep_their_low_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
