#include "base/map.h"

#include "harness.h"

static void test_bytes_are_found_replaced_and_absent(void **state)
{
    (void)state;
    static char keys[5000][8];
    frz_map map = {0};
    CHECK(frz_map_find(&map, frz_slice_of_text("x")) == NULL);
    for (int64_t i = 0; i < 5000; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "k%d", (int)i);
        CHECK(frz_map_put(&map, frz_slice_of_text(keys[i]), (frz_map_value){.number = i}));
    }
    CHECK(frz_map_put(&map, frz_slice_of_text("k7"), (frz_map_value){.number = -7}));
    CHECK(frz_map_put(&map, frz_slice_of(NULL, 0), (frz_map_value){.number = -1}));
    CHECK(map.count == 5001);
    for (int64_t i = 0; i < 5000; i++) {
        const frz_map_value *value = frz_map_find(&map, frz_slice_of_text(keys[i]));
        CHECK(value && value->number == (i == 7 ? -7 : i));
    }
    CHECK(frz_map_find(&map, frz_slice_of("", 0))->number == -1);
    CHECK(frz_map_find(&map, frz_slice_of_text("k5000")) == NULL);
    frz_map_clear(&map);
    CHECK(map.count == 0 && frz_map_find(&map, frz_slice_of_text("k1")) == NULL);
}

static void test_integers_of_all_sizes_are_keys(void **state)
{
    (void)state;
    frz_map map = {0};
    static const int64_t edges[] = {0, -1, INT64_MIN, INT64_MAX, 1};
    for (int64_t i = 0; i < 5; i++)
        CHECK(frz_map_put_i64(&map, edges[i], (frz_map_value){.number = i}));
    for (int64_t i = 2; i < 4000; i++)
        CHECK(frz_map_put_i64(&map, i << 32, (frz_map_value){.number = i}));
    for (int64_t i = 0; i < 5; i++)
        CHECK(frz_map_find_i64(&map, edges[i])->number == i);
    for (int64_t i = 2; i < 4000; i++)
        CHECK(frz_map_find_i64(&map, i << 32)->number == i);
    CHECK(frz_map_find_i64(&map, 2) == NULL && map.count == 4003);
    frz_map_clear(&map);
}

static void sweep_body(void)
{
    frz_map map = {0};
    int64_t put = 0;
    while (put < 100 && frz_map_put_i64(&map, put, (frz_map_value){.number = put}))
        put++;
    CHECK((put < 100) == frz_mem_failed());
    CHECK((int64_t)map.count == put); /* what was there stays */
    for (int64_t i = 0; i < put; i++)
        CHECK(frz_map_find_i64(&map, i)->number == i);
    frz_map_clear(&map);
}

static void test_short_memory_leaves_the_map_as_it_was(void **state)
{
    (void)state;
    sweep_allocation_failures(sweep_body);
}

static void room_is_made_before_puts(void **state)
{
    frz_map map = {0};
    (void)state;
    CHECK(frz_map_put_i64(&map, 5, (frz_map_value){.number = 50}));
    CHECK(frz_map_reserve_i64(&map, 1000));
    const frz_map_entry *entries = map.entries;
    for (int64_t i = 0; i < 1000; i++)
        CHECK(frz_map_put_i64(&map, i, (frz_map_value){.number = i == 5 ? 50 : i}));
    CHECK(map.entries == entries && map.count == 1000);
    CHECK(frz_map_find_i64(&map, 5)->number == 50 && frz_map_find_i64(&map, 999)->number == 999);
    CHECK(frz_map_reserve_i64(&map, 10) && map.entries == entries);
    frz_map_clear(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_is_made_before_puts),
        cmocka_unit_test(test_bytes_are_found_replaced_and_absent),
        cmocka_unit_test(test_integers_of_all_sizes_are_keys),
        cmocka_unit_test(test_short_memory_leaves_the_map_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
