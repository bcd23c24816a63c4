/* Covers: base/limits */
#include "base/clock.h"

#include <time.h>

#include "base/limits.h"
#include "harness.h"

static void test_the_clock_tells_the_time_and_moves_on(void **state)
{
    (void)state;
    const int64_t now = frz_clock_now_ms();
    CHECK(now / 1000 - (int64_t)time(NULL) <= 1 && (int64_t)time(NULL) - now / 1000 <= 1);
    const int64_t start = frz_clock_monotonic_ns();
    frz_clock_sleep_ms(5);
    CHECK(frz_clock_monotonic_ns() - start >= 5000000);
    frz_clock_sleep_ms(0);
    frz_clock_sleep_ms(-1);
}

static void test_random_bytes_fill_exactly(void **state)
{
    (void)state;
    uint8_t bytes[102] = {0};
    int zeros = 0;
    frz_random_bytes(bytes + 1, 100);
    CHECK(bytes[0] == 0 && bytes[101] == 0);
    for (int i = 1; i <= 100; i++)
        zeros += bytes[i] == 0;
    CHECK(zeros < 10);
    for (int i = 0; i < 1000; i++)
        CHECK(frz_random_i63() > 0);
}

static int64_t fixed_now(void *self)
{
    return *(int64_t *)self;
}

static void test_tests_can_set_the_clock(void **state)
{
    (void)state;
    int64_t now = 1234;
    frz_clock_replace(&(frz_clock_ops){.now_ms = fixed_now, .self = &now});
    CHECK(frz_clock_now_ms() == 1234);
    frz_clock_replace(NULL);
    CHECK(frz_clock_now_ms() > 1234);
}

static void test_every_limit_is_set(void **state)
{
    (void)state;
    const frz_limits *limits = &frz_limits_default;
    CHECK(limits->nesting_depth > 0 && limits->metadata_size > 0 && limits->avro_header_size > 0);
    CHECK(limits->avro_block_size > 0 && limits->parquet_footer_size > 0);
    CHECK(limits->parquet_page_size > 0 && limits->puffin_footer_size > 0);
    CHECK(limits->deletion_vector_size > 0 && limits->schema_columns > 0 &&
          limits->parse_budget > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_clock_tells_the_time_and_moves_on),
        cmocka_unit_test(test_random_bytes_fill_exactly),
        cmocka_unit_test(test_tests_can_set_the_clock),
        cmocka_unit_test(test_every_limit_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
