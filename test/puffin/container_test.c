#include "puffin/container.h"

#include "harness.h"

/* One container of each kind with the same members: 10, 11, 12, 100, 65535. */
static const uint16_t members[] = {10, 11, 12, 100, 65535};

static frz_container make(frz_container_kind kind)
{
    frz_container c = {.key = 3};
    frz_buffer data = {0};
    frz_container out = {.key = 3, .count = 5, .kind = kind, .borrowed = true};
    for (size_t i = 0; i < 5; i++)
        CHECK(frz_container_add(&c, members[i]) == 1);
    CHECK(c.kind == FRZ_CONTAINER_ARRAY && c.count == 5);
    frz_container_print(&c, kind, &data);
    CHECK(!data.failed);
    out.data = kind == FRZ_CONTAINER_RUN ? data.data + 2 : data.data;
    if (kind == FRZ_CONTAINER_RUN)
        out.run_count = frz_load_u16(data.data, 0);
    frz_container owned = {0};
    CHECK(frz_container_copy(&out, &owned));
    frz_container_clear(&c);
    frz_buffer_clear(&data);
    return owned;
}

static void test_each_kind_answers_alike(void **state)
{
    (void)state;
    for (int kind = FRZ_CONTAINER_ARRAY; kind <= FRZ_CONTAINER_RUN; kind++) {
        frz_container c = make((frz_container_kind)kind);
        int64_t list[8];
        CHECK(frz_container_has(&c, 10) && frz_container_has(&c, 100) &&
              frz_container_has(&c, 65535));
        CHECK(!frz_container_has(&c, 9) && !frz_container_has(&c, 13) && !frz_container_has(&c, 0));
        CHECK(frz_container_last(&c) == 65535);
        CHECK(frz_container_rank(&c, 0) == 0 && frz_container_rank(&c, 12) == 2);
        CHECK(frz_container_rank(&c, 65535) == 4 && frz_container_rank(&c, 65536) == 5);
        CHECK(frz_container_runs(&c) == 3);
        CHECK(frz_container_list(&c, 11, list, 8) == 4);
        CHECK(list[0] == 3 * 65536 + 11 && list[3] == 3 * 65536 + 65535);
        CHECK(frz_container_list(&c, 0, list, 2) == 2 && list[1] == 3 * 65536 + 11);
        frz_container_clear(&c);
    }
}

static void test_the_printed_forms_are_those_of_the_format(void **state)
{
    (void)state;
    frz_container c = make(FRZ_CONTAINER_BITSET);
    frz_buffer out = {0};
    static const uint8_t array[] = {10, 0, 11, 0, 12, 0, 100, 0, 255, 255};
    static const uint8_t runs[] = {3, 0, 10, 0, 2, 0, 100, 0, 0, 0, 255, 255, 0, 0};
    frz_container_print(&c, FRZ_CONTAINER_ARRAY, &out);
    CHECK(out.size == sizeof array && memcmp(out.data, array, sizeof array) == 0);
    frz_buffer_reset(&out);
    frz_container_print(&c, FRZ_CONTAINER_RUN, &out);
    CHECK(out.size == sizeof runs && memcmp(out.data, runs, sizeof runs) == 0);
    frz_buffer_clear(&out);
    frz_container_clear(&c);
}

static void test_a_mask_is_cleared_at_any_alignment(void **state)
{
    (void)state;
    for (int kind = FRZ_CONTAINER_ARRAY; kind <= FRZ_CONTAINER_RUN; kind++) {
        frz_container c = make((frz_container_kind)kind);
        for (uint32_t low = 0; low < 13; low++) {
            for (uint64_t bit = 0; bit < 67; bit++) {
                uint64_t mask[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
                const uint32_t changed = frz_container_clear_mask(&c, low, 101, mask, bit);
                CHECK(changed == frz_container_rank(&c, 101) - frz_container_rank(&c, low));
                for (uint64_t i = 0; i < 256; i++) {
                    const bool inside = i >= bit && i < bit + 101 - low;
                    const bool member = inside && frz_container_has(&c, (uint16_t)(i - bit + low));
                    CHECK((mask[i >> 6] >> (i & 63) & 1) == !member);
                }
                CHECK(frz_container_clear_mask(&c, low, 101, mask, bit) == 0);
            }
        }
        frz_container_clear(&c);
    }
}

static void test_ranges_and_unions(void **state)
{
    (void)state;
    frz_container a = make(FRZ_CONTAINER_RUN);
    frz_container b = make(FRZ_CONTAINER_ARRAY);
    frz_container both = {0};
    CHECK(frz_container_add_range(&a, 12, 99) && a.count == 5 + 87);
    CHECK(frz_container_or(&a, &b, &both) && both.count == 92 && both.key == 3);
    CHECK(frz_container_runs(&both) == 2);
    CHECK(frz_container_add_range(&b, 0, 65535) && b.count == 65536 && b.kind == FRZ_CONTAINER_RUN);
    CHECK(frz_container_add(&b, 77) == 0);
    frz_container_clear(&both);
    CHECK(frz_container_or(&a, &b, &both) && both.count == 65536);
    frz_container_clear(&a);
    frz_container_clear(&b);
    frz_container_clear(&both);
}

static void add_many(void)
{
    frz_container c = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 600; i++) {
        const int added = frz_container_add(&c, (uint16_t)(i * 7919));
        CHECK(added == 1 || (added == -1 && frz_mem_failed()));
        count += added == 1;
        CHECK(c.count == count);
    }
    frz_container_clear(&c);
}

static void test_short_memory_leaves_the_members_as_they_were(void **state)
{
    (void)state;
    sweep_allocation_failures(add_many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_answers_alike),
        cmocka_unit_test(test_the_printed_forms_are_those_of_the_format),
        cmocka_unit_test(test_a_mask_is_cleared_at_any_alignment),
        cmocka_unit_test(test_ranges_and_unions),
        cmocka_unit_test(test_short_memory_leaves_the_members_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
