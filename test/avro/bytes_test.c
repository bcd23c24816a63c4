#include "avro/bytes.h"

#include "harness.h"

static frz_avro_bytes over(const uint8_t *bytes, size_t size)
{
    return (frz_avro_bytes){.p = bytes, .end = bytes + size};
}

static void test_longs_of_every_size_are_read(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        uint8_t bytes[10];
        size_t size;
    } longs[] = {
        {0, {0}, 1},
        {-1, {1}, 1},
        {1, {2}, 1},
        {-64, {0x7f}, 1},
        {64, {0x80, 1}, 2},
        {INT32_MAX, {0xfe, 0xff, 0xff, 0xff, 0x0f}, 5},
        {INT64_MAX, {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 10},
        {INT64_MIN, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 10},
    };
    for (size_t i = 0; i < sizeof longs / sizeof *longs; i++) {
        int64_t value = 7;
        frz_avro_bytes in = over(longs[i].bytes, longs[i].size);
        CHECK(frz_avro_read_long(&in, &value) && value == longs[i].value && in.p == in.end);
        for (size_t size = 0; size < longs[i].size; size++) {
            in = over(longs[i].bytes, size);
            CHECK(!frz_avro_read_long(&in, &value) && in.fault == FRZ_AVRO_FAULT_ENDS);
            CHECK(in.p == longs[i].bytes);
        }
    }
}

static void test_numbers_beyond_their_type_are_faults(void **state)
{
    (void)state;
    static const uint8_t long_one[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2};
    static const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                      0xff, 0xff, 0xff, 0xff, 0xff, 1};
    static const uint8_t int_over[] = {0x80, 0x80, 0x80, 0x80, 0x10};
    int64_t value = 0;
    int32_t number = 0;
    frz_avro_bytes in = over(long_one, sizeof long_one);
    CHECK(!frz_avro_read_long(&in, &value) && in.fault == FRZ_AVRO_FAULT_VARINT);
    in = over(endless, sizeof endless);
    CHECK(!frz_avro_read_long(&in, &value) && in.fault == FRZ_AVRO_FAULT_VARINT);
    in = over(int_over, sizeof int_over);
    CHECK(!frz_avro_read_int(&in, &number) && in.fault == FRZ_AVRO_FAULT_INT);
    CHECK(in.value == INT64_C(2147483648) && in.p == int_over);
}

static void test_lengths_and_branches_are_checked(void **state)
{
    (void)state;
    static const uint8_t three[] = {6, 'a', 'b', 'c'};
    static const uint8_t minus[] = {1, 'a'};
    size_t number = 0;
    frz_avro_bytes in = over(three, 4);
    CHECK(frz_avro_read_length(&in, &number) && number == 3);
    in = over(three, 3);
    CHECK(!frz_avro_read_length(&in, &number) && in.fault == FRZ_AVRO_FAULT_LENGTH &&
          in.value == 3);
    in = over(minus, 2);
    CHECK(!frz_avro_read_length(&in, &number) && in.value == -1 && in.p == minus);
    in = over(three, 4);
    CHECK(!frz_avro_read_branch(&in, 3, &number) && in.fault == FRZ_AVRO_FAULT_BRANCH &&
          in.value == 3);
    in = over(three, 4);
    CHECK(frz_avro_read_branch(&in, 4, &number) && number == 3);
    in = over(minus, 2);
    CHECK(!frz_avro_read_branch(&in, 4, &number) && in.fault == FRZ_AVRO_FAULT_BRANCH);
}

static void test_blocks_claim_no_more_than_the_bytes_hold(void **state)
{
    (void)state;
    static const uint8_t plain[] = {4, 1, 2};       /* two items */
    static const uint8_t sized[] = {3, 4, 1, 2, 9}; /* two items in two bytes */
    static const uint8_t minimum[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0};
    uint64_t count = 0;
    size_t size = 0;
    frz_avro_bytes in = over(plain, 3);
    CHECK(frz_avro_read_block(&in, 1, &count, &size) && count == 2 && size == SIZE_MAX);
    in = over(plain, 3);
    CHECK(!frz_avro_read_block(&in, 2, &count, &size) && in.fault == FRZ_AVRO_FAULT_COUNT);
    in = over(sized, 5);
    CHECK(frz_avro_read_block(&in, 1, &count, &size) && count == 2 && size == 2 &&
          in.p == sized + 2);
    in = over(sized, 3);
    CHECK(!frz_avro_read_block(&in, 1, &count, &size) && in.fault == FRZ_AVRO_FAULT_LENGTH);
    in = over(minimum, sizeof minimum);
    CHECK(!frz_avro_read_block(&in, 1, &count, &size) && in.fault == FRZ_AVRO_FAULT_COUNT);
    in = over(minimum, sizeof minimum);
    CHECK(frz_avro_read_block(&in, 0, &count, &size) && count == UINT64_C(1) << 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longs_of_every_size_are_read),
        cmocka_unit_test(test_numbers_beyond_their_type_are_faults),
        cmocka_unit_test(test_lengths_and_branches_are_checked),
        cmocka_unit_test(test_blocks_claim_no_more_than_the_bytes_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
