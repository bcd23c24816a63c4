#include "arrow/convert.h"

#include <math.h>

#include "base/decimal.h"
#include "harness.h"

static frz_buffer convert(const char *format, const void *values, int64_t length)
{
    frz_error *err = NULL;
    frz_arrow_type type;
    frz_buffer out = {0};
    const void *buffers[] = {NULL, values};
    const struct ArrowArray array = {.length = length, .n_buffers = 2, .buffers = buffers};
    CHECK_OK(frz_arrow_type_parse(format, &type, &err), err);
    CHECK_OK(frz_arrow_convert(&type, &array, 0, length, &out, &err), err);
    return out;
}

static void check_bytes(frz_buffer got, const void *want, size_t size)
{
    CHECK(got.size == size && memcmp(got.data, want, size) == 0);
    frz_buffer_clear(&got);
}

static void test_integers_widen_with_their_sign(void **state)
{
    (void)state;
    check_bytes(convert("c", (int8_t[]){-128, 127}, 2), (int32_t[]){-128, 127}, 8);
    check_bytes(convert("C", (uint8_t[]){255}, 1), (int32_t[]){255}, 4);
    check_bytes(convert("s", (int16_t[]){-32768}, 1), (int32_t[]){-32768}, 4);
    check_bytes(convert("S", (uint16_t[]){65535}, 1), (int32_t[]){65535}, 4);
    check_bytes(convert("I", (uint32_t[]){UINT32_MAX}, 1), (int64_t[]){UINT32_MAX}, 8);
    check_bytes(convert("L", (uint64_t[]){INT64_MAX}, 1), (int64_t[]){INT64_MAX}, 8);
}

static void test_clocks_become_microseconds(void **state)
{
    (void)state;
    check_bytes(convert("tts", (int32_t[]){86399}, 1), (int64_t[]){86399000000}, 8);
    check_bytes(convert("ttm", (int32_t[]){1}, 1), (int64_t[]){1000}, 8);
    check_bytes(convert("ttn", (int64_t[]){5000}, 1), (int64_t[]){5}, 8);
    check_bytes(convert("tss:", (int64_t[]){-2}, 1), (int64_t[]){-2000000}, 8);
    check_bytes(convert("tsm:UTC", (int64_t[]){-2}, 1), (int64_t[]){-2000}, 8);
    check_bytes(convert("tdm", (int64_t[]){-1, 86400000, 0}, 3), (int32_t[]){-1, 1, 0}, 12);
}

static void test_decimals_of_other_widths(void **state)
{
    (void)state;
    const frz_int128 wide[] = {-5, 7};
    check_bytes(convert("d:9,2,32", (int32_t[]){-5, 7}, 2), wide, sizeof wide);
    check_bytes(convert("d:18,2,64", (int64_t[]){-5, 7}, 2), wide, sizeof wide);
    check_bytes(convert("d:38,2,256", (frz_int128[]){-5, -1, 7, 0}, 2), wide, sizeof wide);
}

static void test_halves_are_exact(void **state)
{
    (void)state;
    CHECK(frz_arrow_half_to_float(0x3c00) == 1.0f);
    CHECK(frz_arrow_half_to_float(0x7bff) == 65504.0f);
    CHECK(frz_arrow_half_to_float(0x0001) == 0x1p-24f);
    CHECK(frz_arrow_half_to_float(0x03ff) == 0x1.ff8p-15f);
    CHECK(frz_arrow_half_to_float(0x0400) == 0x1p-14f);
    CHECK(isinf(frz_arrow_half_to_float(0xfc00)) && frz_arrow_half_to_float(0xfc00) < 0);
    CHECK(isnan(frz_arrow_half_to_float(0x7e00)));
    CHECK(signbit(frz_arrow_half_to_float(0x8000)));
}

static void check_refused(const char *format, const void *values, const char *words)
{
    frz_error *err = NULL;
    frz_arrow_type type;
    frz_buffer out = {0};
    const uint8_t only_last = 0x8;
    const void *buffers[] = {NULL, values};
    struct ArrowArray array = {.length = 2, .offset = 1, .n_buffers = 2, .buffers = buffers};
    CHECK_OK(frz_arrow_type_parse(format, &type, &err), err);
    CHECK_FAILS(frz_arrow_convert(&type, &array, 1, 2, &out, &err), FRZ_INVALID, err, words);
    frz_buffer_clear(&out);
    buffers[0] = &only_last; /* what is null need not fit */
    array.null_count = 2;
    CHECK_OK(frz_arrow_convert(&type, &array, 1, 2, &out, &err), err);
    frz_buffer_clear(&out);
}

static void test_what_does_not_fit_is_named_unless_null(void **state)
{
    (void)state;
    check_refused("L", (uint64_t[]){0, 1, UINT64_MAX}, "row 1: uint64 value is above 2^63-1");
    check_refused("ttn", (int64_t[]){0, 1001, 0}, "row 0: time64 value has nanoseconds");
    check_refused("tss:", (int64_t[]){0, 0, INT64_MAX / 1000}, "row 1: timestamp value is outside");
    check_refused("tdm", (int64_t[]){0, 0, INT64_MAX}, "row 1: date64 value is outside");
    check_refused("d:38,0,256", (frz_int128[]){0, 0, 0, 0, 1, 1}, "has more than 38 digits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_widen_with_their_sign),
        cmocka_unit_test(test_clocks_become_microseconds),
        cmocka_unit_test(test_decimals_of_other_widths),
        cmocka_unit_test(test_halves_are_exact),
        cmocka_unit_test(test_what_does_not_fit_is_named_unless_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
