#include "base/pool.h"

#include <stdatomic.h>

#include "base/fail.h"
#include "harness.h"

typedef struct tally {
    atomic_int runs[1000];
    size_t fail_from; /* indices from here on fail */
    atomic_int started;
} tally;

static frz_status count_run(void *context, size_t index, frz_error **err)
{
    tally *seen = context;
    atomic_fetch_add(&seen->runs[index], 1);
    atomic_fetch_add(&seen->started, 1);
    if (index >= seen->fail_from)
        return frz_fail(err, FRZ_CORRUPT, index, "job %zu", index);
    return FRZ_OK;
}

static void test_every_job_runs_once(void **state)
{
    (void)state;
    static const size_t threads[] = {0, 1, 2, 7};
    for (size_t t = 0; t < 4; t++) {
        frz_error *err = NULL;
        frz_pool *pool = NULL;
        CHECK_OK(frz_pool_new(threads[t], &pool, &err), err);
        CHECK(threads[t] == 0 || frz_pool_threads(pool) == threads[t]);
        for (int round = 0; round < 20; round++) {
            static tally seen;
            memset(&seen, 0, sizeof seen);
            seen.fail_from = SIZE_MAX;
            CHECK_OK(frz_pool_run(pool, 1000, count_run, &seen, &err), err);
            for (size_t i = 0; i < 1000; i++)
                CHECK(seen.runs[i] == 1);
        }
        CHECK_OK(frz_pool_run(pool, 0, count_run, NULL, &err), err);
        frz_pool_free(pool);
    }
    frz_pool_free(NULL);
}

static void test_the_lowest_failure_wins_and_stops_the_rest(void **state)
{
    (void)state;
    static tally seen;
    frz_error *err = NULL;
    frz_pool *pool = NULL;
    CHECK_OK(frz_pool_new(4, &pool, &err), err);
    for (int round = 0; round < 50; round++) {
        memset(&seen, 0, sizeof seen);
        seen.fail_from = 500;
        CHECK_FAILS(frz_pool_run(pool, 1000, count_run, &seen, &err), FRZ_CORRUPT, err, "job 500");
        CHECK(seen.started >= 501 && seen.started <= 504); /* at most one per thread in flight */
    }
    CHECK(frz_pool_run(pool, 1000, count_run, &seen, NULL) == FRZ_CORRUPT);
    frz_pool_free(pool);
}

static void test_without_a_pool_jobs_run_in_order(void **state)
{
    (void)state;
    static tally seen;
    seen.fail_from = 3;
    frz_error *err = NULL;
    CHECK_FAILS(frz_pool_run(NULL, 1000, count_run, &seen, &err), FRZ_CORRUPT, err, "job 3");
    CHECK(seen.started == 4 && frz_pool_threads(NULL) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_job_runs_once),
        cmocka_unit_test(test_the_lowest_failure_wins_and_stops_the_rest),
        cmocka_unit_test(test_without_a_pool_jobs_run_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
