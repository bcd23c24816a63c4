#include "write/key_order.h"

#include "base/mem.h"
#include "harness.h"

static uint32_t next_random(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

/* Sorts, and looks at each pair: keys ascend, equal ones keep their order. */
static void check_order(const frz_sort_keys *keys)
{
    frz_error *err = NULL;
    frz_key_span span = {0};
    frz_key_entry *entries = frz_alloc_array(keys->count + 1, sizeof *entries);
    frz_key_span_add(&span, keys);
    const frz_key_heads heads = frz_key_heads_of(&span);
    CHECK_OK(frz_key_order(keys, &heads, entries, &err), err);
    for (size_t i = 0; i < keys->count; i++) {
        if (i == 0)
            continue;
        const int order = frz_slice_compare(frz_sort_keys_at(keys, entries[i - 1].key),
                                            frz_sort_keys_at(keys, entries[i].key));
        CHECK(order < 0 || (order == 0 && entries[i - 1].key < entries[i].key));
    }
    frz_free(entries);
}

static void test_numbers_are_sorted_and_stable(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 100, 5000};
    static const uint64_t ranges[] = {1, 2, 300, 70000, UINT64_MAX};
    uint32_t seed = 5;
    for (size_t k = 0; k < 25; k++) {
        frz_sort_keys keys = {.stride = 16};
        for (size_t i = 0; i < counts[k / 5]; i++) {
            uint64_t key[2] = {0};
            const uint64_t high = next_random(&seed);
            key[0] = __builtin_bswap64(next_random(&seed) % 3);
            key[1] = __builtin_bswap64((high << 32 | next_random(&seed)) % ranges[k % 5]);
            frz_sort_keys_append(&keys, frz_slice_of(key, sizeof key));
        }
        check_order(&keys);
        frz_sort_keys_clear(&keys);
    }
}

/* Keys that agree in all that their heads are of, in runs short and long. */
static void test_texts_beyond_the_head_are_compared(void **state)
{
    (void)state;
    uint32_t seed = 9;
    for (size_t letters = 1; letters < 27; letters += 5) {
        for (int length = 4; length < 100; length += 31) {
            frz_sort_keys keys = {0};
            for (size_t i = 0; i < 700; i++) {
                uint8_t text[100] = {0};
                for (int at = 0; at < length; at++)
                    text[at] = (uint8_t)('a' + next_random(&seed) / 65536 % letters);
                /* no key starts another one */
                frz_sort_keys_append(&keys, frz_slice_of(text, (size_t)length));
            }
            check_order(&keys);
            frz_sort_keys_clear(&keys);
        }
    }
}

static void test_what_is_in_order_stays(void **state)
{
    (void)state;
    for (size_t stride = 0; stride <= 8; stride += 8) {
        frz_sort_keys keys = {.stride = stride};
        for (uint64_t i = 0; i < 1000; i++) {
            const uint64_t key = __builtin_bswap64(i / 3 * 1000);
            frz_sort_keys_append(&keys, frz_slice_of(&key, sizeof key));
        }
        check_order(&keys);
        frz_sort_keys_clear(&keys);
    }
}

static void order_under_failure(void)
{
    frz_sort_keys keys = {.stride = 8};
    frz_key_entry entries[50] = {0};
    frz_key_span span = {0};
    for (uint64_t i = 0; i < 50; i++) {
        const uint64_t key = __builtin_bswap64(i * 37 % 50);
        frz_sort_keys_append(&keys, frz_slice_of(&key, sizeof key));
    }
    frz_status status = frz_sort_keys_check(&keys, NULL);
    if (status == FRZ_OK) {
        frz_key_span_add(&span, &keys);
        const frz_key_heads heads = frz_key_heads_of(&span);
        status = frz_key_order(&keys, &heads, entries, NULL);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_sort_keys_clear(&keys);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(order_under_failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_sorted_and_stable),
        cmocka_unit_test(test_texts_beyond_the_head_are_compared),
        cmocka_unit_test(test_what_is_in_order_stays),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
