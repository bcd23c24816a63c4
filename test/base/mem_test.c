#include "base/mem.h"

#include "base/arena.h"
#include "base/buffer.h"
#include "harness.h"

static void test_sizes_that_wrap_are_refused(void **state)
{
    (void)state;
    size_t out = 7;
    CHECK(!frz_size_mul(SIZE_MAX / 2 + 1, 2, &out) && out == 7);
    CHECK(!frz_size_add(SIZE_MAX, 1, &out) && out == 7);
    CHECK(frz_alloc_array(SIZE_MAX / 2 + 1, 2) == NULL);
    CHECK(frz_size_mul(6, 7, &out) && out == 42);
}

static void test_the_nth_allocation_fails_once(void **state)
{
    (void)state;
    frz_mem_fail_after(1);
    void *first = frz_alloc(1);
    void *second = frz_alloc(1);
    void *third = frz_alloc(1);
    CHECK(first && !second && third && frz_mem_failed());
    frz_mem_fail_after(-1);
    frz_free(first);
    frz_free(third);
}

static void test_a_growing_array_keeps_its_items(void **state)
{
    (void)state;
    int *items = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 100; i++) {
        CHECK(frz_grow_array((void **)&items, &capacity, (size_t)i, sizeof *items));
        items[i] = i;
    }
    for (int i = 0; i < 100; i++)
        CHECK(items[i] == i);
    frz_free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_that_wrap_are_refused),
        cmocka_unit_test(test_the_nth_allocation_fails_once),
        cmocka_unit_test(test_a_growing_array_keeps_its_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
