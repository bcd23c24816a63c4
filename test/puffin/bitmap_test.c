#include "puffin/bitmap.h"

#include "harness.h"

/* The model: a bit per position, over a window of 3 containers around a base. */
enum { MODEL_SIZE = 3 * 65536 };

typedef struct model {
    int64_t base;
    uint8_t member[MODEL_SIZE];
} model;

static uint64_t random_state;

static uint64_t random_next(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 33;
}

static void add_model(model *m, frz_bitmap *bitmap, int64_t start, int64_t count)
{
    frz_error *err = NULL;
    if (count == 1)
        CHECK_OK(frz_bitmap_add(bitmap, m->base + start, &err), err);
    else
        CHECK_OK(frz_bitmap_add_range(bitmap, m->base + start, count, &err), err);
    memset(m->member + start, 1, (size_t)count);
}

static void check_mask(const model *m, const frz_bitmap *bitmap)
{
    static uint64_t mask[MODEL_SIZE / 64 + 1];
    const int64_t start = (int64_t)(random_next() % MODEL_SIZE);
    const int64_t count = 1 + (int64_t)(random_next() % (uint64_t)(MODEL_SIZE - start));
    int64_t set = 0;
    int64_t cleared = 0;
    for (size_t i = 0; i < sizeof mask / sizeof *mask; i++)
        mask[i] = random_next() << 32 | random_next();
    static uint64_t before[MODEL_SIZE / 64 + 1];
    memcpy(before, mask, sizeof mask);
    const int64_t changed = frz_bitmap_clear_mask(bitmap, m->base + start, count, mask);
    for (int64_t i = 0; i < MODEL_SIZE; i++) {
        const bool was = before[i >> 6] >> (i & 63) & 1;
        const bool is = mask[i >> 6] >> (i & 63) & 1;
        const bool member = i < count && m->member[start + i];
        CHECK(is == (was && !member));
        cleared += was && !is;
        set += member;
    }
    CHECK(changed == cleared);
    CHECK(frz_bitmap_count_range(bitmap, m->base + start, count) == set);
}

static void check_model(const model *m, const frz_bitmap *bitmap)
{
    static int64_t list[MODEL_SIZE];
    int64_t count = 0;
    int64_t last = -1;
    for (int64_t i = 0; i < MODEL_SIZE; i++) {
        CHECK(frz_bitmap_contains(bitmap, m->base + i) == (m->member[i] != 0));
        if (m->member[i])
            last = m->base + i;
        count += m->member[i];
    }
    CHECK(frz_bitmap_cardinality(bitmap) == count);
    CHECK(frz_bitmap_last(bitmap) == last);
    CHECK(frz_bitmap_list(bitmap, 0, list, MODEL_SIZE) == (size_t)count);
    for (int64_t i = 0, at = 0; i < MODEL_SIZE; i++)
        if (m->member[i])
            CHECK(list[at++] == m->base + i);
    check_mask(m, bitmap);
    check_mask(m, bitmap);
}

static void check_round_trip(const model *m, const frz_bitmap *bitmap)
{
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    frz_buffer again = {0};
    frz_bitmap *decoded = NULL;
    CHECK_OK(frz_bitmap_encode(bitmap, &bytes, &err), err);
    CHECK_OK(frz_bitmap_decode(frz_buffer_slice(&bytes), &decoded, &err), err);
    check_model(m, decoded);
    CHECK_OK(frz_bitmap_encode(decoded, &again, &err), err);
    CHECK(frz_slice_equal(frz_buffer_slice(&bytes), frz_buffer_slice(&again)));
    frz_bitmap_free(decoded);
    frz_buffer_clear(&bytes);
    frz_buffer_clear(&again);
}

static void test_random_sets_equal_their_model(void **state)
{
    (void)state;
    static model m;
    static const int64_t bases[] = {0, 100, INT64_C(0xffff8000), INT64_MAX - MODEL_SIZE + 1};
    for (int seed = 0; seed < 24; seed++) {
        frz_error *err = NULL;
        frz_bitmap *bitmap = NULL;
        random_state = (uint64_t)seed * 77 + 1;
        m.base = bases[seed % 4];
        memset(m.member, 0, sizeof m.member);
        CHECK_OK(frz_bitmap_new(&bitmap, &err), err);
        const uint64_t adds = UINT64_C(1) << (random_next() % 16);
        for (uint64_t i = 0; i < adds; i++) {
            const int64_t start = (int64_t)(random_next() % MODEL_SIZE);
            const bool range = random_next() % 64 == 0;
            const int64_t room = MODEL_SIZE - start;
            const int64_t wish = 2 + (int64_t)(random_next() % 3000);
            add_model(&m, bitmap, start, range ? (wish < room ? wish : room) : 1);
        }
        if (seed % 5 == 0)
            add_model(&m, bitmap, 1000, 140000); /* a full container in the middle */
        check_model(&m, bitmap);
        check_round_trip(&m, bitmap);
        frz_bitmap_free(bitmap);
    }
}

static void test_a_union_has_the_members_of_both(void **state)
{
    (void)state;
    static model m;
    for (int seed = 0; seed < 8; seed++) {
        frz_error *err = NULL;
        frz_bitmap *a = NULL;
        frz_bitmap *b = NULL;
        frz_buffer bytes = {0};
        random_state = (uint64_t)seed + 99;
        memset(m.member, 0, sizeof m.member);
        m.base = seed % 2 ? INT64_C(0xfffe0000) : 0;
        CHECK_OK(frz_bitmap_new(&a, &err), err);
        CHECK_OK(frz_bitmap_new(&b, &err), err);
        for (int i = 0; i < 3000; i++)
            add_model(&m, i % 3 ? a : b, (int64_t)(random_next() % (i % 3 ? 80000 : MODEL_SIZE)),
                      1);
        CHECK_OK(frz_bitmap_encode(b, &bytes, &err), err);
        frz_bitmap_free(b);
        CHECK_OK(frz_bitmap_decode(frz_buffer_slice(&bytes), &b, &err), err);
        CHECK_OK(frz_bitmap_or(a, b, &err), err);
        check_model(&m, a);
        add_model(&m, b, 5, 1); /* a decoded bitmap can change */
        CHECK_OK(frz_bitmap_or(b, a, &err), err);
        check_model(&m, b);
        frz_bitmap_free(a);
        frz_bitmap_free(b);
        frz_buffer_clear(&bytes);
    }
}

static void test_positions_have_63_bits(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_bitmap *bitmap = NULL;
    uint64_t mask[2] = {3, 0};
    CHECK_OK(frz_bitmap_new(&bitmap, &err), err);
    CHECK(frz_bitmap_last(bitmap) == -1 && frz_bitmap_cardinality(bitmap) == 0);
    CHECK_FAILS(frz_bitmap_add(bitmap, -1, &err), FRZ_INVALID, err, "position -1 is negative");
    CHECK_FAILS(frz_bitmap_add_range(bitmap, INT64_MAX, 2, &err), FRZ_INVALID, err, "2 of them");
    CHECK_FAILS(frz_bitmap_add_range(bitmap, 0, -1, &err), FRZ_INVALID, err, "-1 of them");
    CHECK_OK(frz_bitmap_add(bitmap, INT64_MAX, &err), err);
    CHECK_OK(frz_bitmap_add(bitmap, 0, &err), err);
    CHECK_OK(frz_bitmap_add_range(bitmap, 7, 0, &err), err);
    CHECK(frz_bitmap_cardinality(bitmap) == 2 && frz_bitmap_last(bitmap) == INT64_MAX);
    CHECK(!frz_bitmap_contains(bitmap, -1));
    CHECK(frz_bitmap_count_range(bitmap, -5, 6) == 1);
    CHECK(frz_bitmap_count_range(bitmap, 0, INT64_MAX) == 1);
    CHECK(frz_bitmap_clear_mask(bitmap, 0, 2, mask) == 1 && mask[0] == 2);
    CHECK(frz_bitmap_memory(bitmap) > 16);
    frz_bitmap_free(bitmap);
    frz_bitmap_free(NULL);
}

static void build_and_merge(void)
{
    frz_error *err = NULL;
    frz_bitmap *a = NULL;
    frz_bitmap *b = NULL;
    frz_buffer bytes = {0};
    if (frz_bitmap_new(&a, &err) == FRZ_OK && frz_bitmap_new(&b, &err) == FRZ_OK) {
        for (int64_t i = 0; i < 40; i++) {
            const int64_t before = frz_bitmap_cardinality(a);
            const bool added = frz_bitmap_add(a, i * 40000, NULL) == FRZ_OK;
            CHECK(frz_bitmap_cardinality(a) == before + added);
            CHECK(frz_bitmap_contains(a, i * 40000) == added);
        }
        const int64_t before = frz_bitmap_cardinality(a);
        if (frz_bitmap_add_range(a, 65000, 70000, NULL) != FRZ_OK)
            CHECK(frz_bitmap_cardinality(a) == before);
        if (frz_bitmap_or(b, a, NULL) != FRZ_OK)
            CHECK(frz_bitmap_cardinality(b) == 0);
        if (frz_bitmap_encode(a, &bytes, NULL) == FRZ_OK) {
            frz_bitmap *decoded = NULL;
            if (frz_bitmap_decode(frz_buffer_slice(&bytes), &decoded, NULL) == FRZ_OK)
                CHECK(frz_bitmap_cardinality(decoded) == frz_bitmap_cardinality(a));
            frz_bitmap_free(decoded);
        }
    }
    frz_error_free(err);
    frz_bitmap_free(a);
    frz_bitmap_free(b);
    frz_buffer_clear(&bytes);
}

static void test_short_memory_leaves_the_set_as_it_was(void **state)
{
    (void)state;
    sweep_allocation_failures(build_and_merge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_sets_equal_their_model),
        cmocka_unit_test(test_a_union_has_the_members_of_both),
        cmocka_unit_test(test_positions_have_63_bits),
        cmocka_unit_test(test_short_memory_leaves_the_set_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
