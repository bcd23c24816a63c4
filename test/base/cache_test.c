#include "base/cache.h"

#include "harness.h"

static int references;

static void *count_ref(void *value)
{
    references++;
    return value;
}

static void count_unref(void *value)
{
    (void)value;
    references--;
}

static const frz_cache_ops ops = {.ref = count_ref, .unref = count_unref};

static void test_a_value_is_found_until_it_must_leave(void **state)
{
    (void)state;
    frz_cache *cache = NULL;
    frz_error *err = NULL;
    int values[64];
    references = 0;
    CHECK_OK(frz_cache_new(4096, &cache, &err), err);
    for (int i = 0; i < 64; i++)
        frz_cache_put(cache, frz_slice_of(&i, sizeof i), &values[i], 400, &ops);
    CHECK(frz_cache_weight(cache) <= 4096);
    const int first = 0;
    const int last = 63;
    CHECK(frz_cache_find(cache, frz_slice_of(&first, sizeof first)) == NULL);
    CHECK(frz_cache_find(cache, frz_slice_of(&last, sizeof last)) == &values[63]);
    count_unref(NULL); /* what find gave */
    frz_cache_unref(cache);
    CHECK(references == 0);
}

static void test_what_does_not_fit_is_not_kept(void **state)
{
    (void)state;
    frz_cache *cache = NULL;
    frz_error *err = NULL;
    int value = 0;
    references = 0;
    CHECK_OK(frz_cache_new(1000, &cache, &err), err);
    frz_cache_put(cache, frz_slice_of_text("big"), &value, 999, &ops);
    CHECK(frz_cache_find(cache, frz_slice_of_text("big")) == NULL && references == 0);
    frz_cache_put(NULL, frz_slice_of_text("none"), &value, 1, &ops);
    CHECK(frz_cache_find(NULL, frz_slice_of_text("none")) == NULL);
    frz_cache_unref(cache);
}

static void fill_cache(void)
{
    frz_cache *cache = NULL;
    frz_error *err = NULL;
    int value = 0;
    references = 0;
    const frz_status status = frz_cache_new(2000, &cache, &err);
    CHECK(status == FRZ_OK || frz_mem_failed());
    for (int i = 0; status == FRZ_OK && i < 20; i++)
        frz_cache_put(cache, frz_slice_of(&i, sizeof i), &value, 100, &ops);
    frz_error_free(err);
    frz_cache_unref(cache);
    CHECK(references == 0);
}

static void test_a_cache_short_of_memory_forgets(void **state)
{
    (void)state;
    sweep_allocation_failures(fill_cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_value_is_found_until_it_must_leave),
        cmocka_unit_test(test_what_does_not_fit_is_not_kept),
        cmocka_unit_test(test_a_cache_short_of_memory_forgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
