#include "write/sort_keys.h"

#include "harness.h"

static void append_number(frz_sort_keys *keys, uint32_t group, uint64_t number)
{
    uint8_t key[12];
    const uint32_t first = __builtin_bswap32(group);
    const uint64_t rest = __builtin_bswap64(number);
    memcpy(key, &first, sizeof first);
    memcpy(key + sizeof first, &rest, sizeof rest);
    frz_sort_keys_append(keys, frz_slice_of(key, sizeof key));
}

static frz_sort_keys numbers(size_t stride, uint32_t groups, uint64_t step, size_t count)
{
    frz_sort_keys keys = {.stride = stride};
    for (size_t i = 0; i < count; i++)
        append_number(&keys, groups ? (uint32_t)(i * 7 % groups) : 0, (i * 37 % count) * step);
    CHECK(frz_sort_keys_check(&keys, NULL) == FRZ_OK && keys.count == count);
    return keys;
}

static void test_heads_are_of_the_bytes_that_differ(void **state)
{
    (void)state;
    static const struct {
        uint32_t groups;
        uint64_t step;
        size_t size;
        bool whole;
    } cases[] = {{0, 1, 1, true}, {0, 256, 1, true},         {3, 1, 2, true},
                 {0, 0, 0, true}, {0, 0x100000001, 2, true}, {200, 0x0101010101010101, 8, false}};
    for (size_t stride = 0; stride <= 16; stride += 16) {
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            frz_key_span span = {0};
            uint64_t head[200];
            frz_sort_keys keys = numbers(stride, cases[k].groups, cases[k].step, 200);
            frz_key_span_add(&span, &keys);
            const frz_key_heads heads = frz_key_heads_of(&span);
            CHECK(heads.size == cases[k].size && heads.whole == cases[k].whole);
            frz_key_heads_fill(&heads, &keys, head, 1);
            for (size_t i = 0; i + 1 < keys.count; i++) {
                const int order =
                    frz_slice_compare(frz_sort_keys_at(&keys, i), frz_sort_keys_at(&keys, i + 1));
                CHECK(head[i] == head[i + 1] || (head[i] < head[i + 1]) == (order < 0));
                CHECK(head[i] != head[i + 1] || order == 0 || !heads.whole);
            }
            frz_sort_keys_clear(&keys);
        }
    }
}

static void test_packed_keys_are_what_they_were(void **state)
{
    (void)state;
    frz_key_span span = {0};
    uint64_t head[100];
    frz_sort_keys packed = {.stride = 16};
    frz_sort_keys keys = numbers(16, 3, 0x10001, 100);
    frz_key_span_add(&span, &keys);
    const frz_key_heads heads = frz_key_heads_of(&span);
    CHECK(heads.whole && heads.size == 3 && heads.at[0] == 3);
    frz_key_heads_fill(&heads, &keys, head, 1);
    frz_sort_keys_pack(&packed, &heads, span.first);
    for (size_t i = 0; i < 100; i++)
        frz_sort_keys_append_head(&packed, head[i]);
    for (size_t i = 0; i < 100; i++)
        CHECK(frz_sort_keys_group(&packed, i) == i * 7 % 3);
    CHECK(frz_sort_keys_memory(&packed) == 800);
    CHECK(frz_sort_keys_unpack(&packed, NULL) == FRZ_OK && !packed.packed);
    CHECK(packed.bytes.size == keys.bytes.size);
    CHECK(memcmp(packed.bytes.data, keys.bytes.data, keys.bytes.size) == 0);
    frz_sort_keys_clear(&packed);
    frz_sort_keys_clear(&keys);
}

static void test_spans_and_keys_are_joined(void **state)
{
    (void)state;
    for (size_t stride = 0; stride <= 16; stride += 16) {
        frz_sort_keys low = numbers(stride, 0, 1, 50);
        frz_sort_keys high = {.stride = stride};
        frz_key_span span = {0};
        frz_key_span of_low = {0};
        frz_key_span of_high = {0};
        append_number(&high, 9, 5);
        frz_key_span_add(&of_low, &low);
        frz_key_span_add(&of_high, &high);
        CHECK(frz_key_heads_of(&of_high).size == 0);
        frz_key_span_unite(&span, &of_low);
        frz_key_span_unite(&span, &of_high);
        frz_sort_keys_join(&low, &high);
        CHECK(frz_sort_keys_check(&low, NULL) == FRZ_OK && low.count == 51);
        CHECK(frz_sort_keys_group(&low, 50) == 9 && frz_sort_keys_group(&low, 49) == 0);
        frz_key_span whole = {0};
        frz_key_span_add(&whole, &low);
        const frz_key_heads a = frz_key_heads_of(&span);
        const frz_key_heads b = frz_key_heads_of(&whole);
        CHECK(a.size == 2 && frz_key_heads_same(&a, &b));
        frz_sort_keys_clear(&low);
        frz_sort_keys_clear(&high);
    }
}

/* What lies behind the window counts nothing for heads. */
static void test_long_keys_are_never_whole(void **state)
{
    (void)state;
    uint8_t bytes[80] = {0};
    frz_sort_keys keys = {0};
    frz_key_span span = {0};
    frz_sort_keys_append(&keys, frz_slice_of(bytes, sizeof bytes));
    bytes[70] = 1;
    frz_sort_keys_append(&keys, frz_slice_of(bytes, sizeof bytes));
    frz_key_span_add(&span, &keys);
    const frz_key_heads heads = frz_key_heads_of(&span);
    CHECK(heads.size == 0 && !heads.whole);
    frz_sort_keys_clear(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads_are_of_the_bytes_that_differ),
        cmocka_unit_test(test_packed_keys_are_what_they_were),
        cmocka_unit_test(test_spans_and_keys_are_joined),
        cmocka_unit_test(test_long_keys_are_never_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
