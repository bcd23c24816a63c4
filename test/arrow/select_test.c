/* frz_arrow_array_filter and frz_arrow_array_take against picking row by row. */
#include "arrow_equal.h"

static const char *const schemas[] = {"i",
                                      "l!",
                                      "b",
                                      "d:20,2",
                                      "u",
                                      "w:3",
                                      "n",
                                      "+s![i u]",
                                      "+l[l]",
                                      "+m[+s![u! +l[b]]]",
                                      "+s[+l[+s[u d:9,0]] f]"};

static void check_picked(const struct ArrowSchema *schema, const struct ArrowArray *source,
                         const int64_t *rows, int64_t count, struct ArrowArray *picked)
{
    frz_error *err = NULL;
    CHECK(picked->length == count && picked->offset == 0);
    CHECK_OK(frz_arrow_array_validate(schema, picked, &err), err);
    int64_t nulls = 0;
    for (int64_t i = 0; i < count; i++) {
        CHECK(rows_equal(schema, source, rows[i], picked, i));
        nulls += frz_arrow_is_null(picked, i);
    }
    CHECK(picked->null_count == nulls);
    CHECK(picked->n_buffers == 0 || (picked->buffers[0] != NULL) == (nulls > 0));
    frz_arrow_array_clear(picked);
}

static struct ArrowArray column_of(const struct ArrowSchema *schema, int64_t length, uint64_t seed)
{
    if (strcmp(schema->format, "n") != 0)
        return random_array(schema, length, seed);
    struct ArrowArray nulls;
    frz_error *err = NULL;
    CHECK_OK(frz_arrow_array_nulls(schema, length, &nulls, &err), err);
    return nulls;
}

/* Masks with runs of all lengths: `density` of 256 bits set, in runs when `runs`. */
static int64_t random_mask(uint64_t *mask, int64_t length, uint64_t density, bool runs,
                           uint64_t *seed, int64_t *rows)
{
    int64_t count = 0;
    bool set = false;
    memset(mask, 0xff, (size_t)(length + 63) / 64 * 8); /* bits behind the length must not count */
    for (int64_t i = 0; i < length; i++) {
        const uint64_t number = next_random(seed);
        if (!runs || number % 29 == 0)
            set = (number >> 8) % 256 < density;
        if (set)
            rows[count++] = i;
        else
            mask[i >> 6] &= ~(UINT64_C(1) << (i & 63));
    }
    return count;
}

static void test_filters_pick_the_rows_of_the_mask(void **state)
{
    (void)state;
    static uint64_t mask[16];
    static int64_t rows[1024];
    uint64_t seed = 99;
    for (size_t s = 0; s < sizeof schemas / sizeof schemas[0]; s++) {
        struct ArrowSchema schema = parse_schema(schemas[s]);
        for (int round = 0; round < 24; round++) {
            frz_error *err = NULL;
            const int64_t length = round == 0 ? 0 : (int64_t)(next_random(&seed) % 700) + 65;
            struct ArrowArray whole = column_of(&schema, length + 9, seed);
            struct ArrowArray part;
            struct ArrowArray picked = {0};
            CHECK_OK(frz_arrow_array_slice(&whole, round % 9, length, &part, &err), err);
            const uint64_t density = round % 3 == 0 ? 256 : round % 3 == 1 ? 5 : 200;
            const int64_t count = random_mask(mask, length, density, round & 1, &seed, rows);
            CHECK_OK(frz_arrow_array_filter(&schema, &part, mask, count, &picked, &err), err);
            check_picked(&schema, &part, rows, count, &picked);
            frz_arrow_array_clear(&part);
            frz_arrow_array_clear(&whole);
        }
        frz_arrow_schema_clear(&schema);
    }
}

static void test_takes_repeat_and_reorder(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (size_t s = 0; s < sizeof schemas / sizeof schemas[0]; s++) {
        frz_error *err = NULL;
        struct ArrowSchema schema = parse_schema(schemas[s]);
        struct ArrowArray array = column_of(&schema, 100, seed);
        struct ArrowArray picked = {0};
        int64_t rows[300];
        for (int i = 0; i < 300; i++)
            rows[i] = i % 4 == 3 ? rows[i - 1] : (int64_t)(next_random(&seed) % 100);
        CHECK_OK(frz_arrow_array_take(&schema, &array, rows, 300, &picked, &err), err);
        check_picked(&schema, &array, rows, 300, &picked);
        frz_arrow_array_clear(&array);
        frz_arrow_schema_clear(&schema);
    }
}

static void test_large_and_fixed_lists_are_picked_too(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema text = parse_schema("U");
    struct ArrowSchema list = parse_schema("+L[i]");
    struct ArrowSchema fixed = parse_schema("+w:2[i]");
    static const int64_t offsets[] = {0, 2, 2, 5};
    static const int32_t items[] = {10, 11, 12, 13, 14, 15};
    const void *text_buffers[] = {NULL, offsets, "abcde"};
    const void *list_buffers[] = {NULL, offsets};
    const void *item_buffers[] = {NULL, items};
    const void *no_buffers[] = {NULL};
    struct ArrowArray child = {.length = 6, .n_buffers = 2, .buffers = item_buffers};
    struct ArrowArray *children[] = {&child};
    const struct ArrowArray texts = {.length = 3, .n_buffers = 3, .buffers = text_buffers};
    const struct ArrowArray lists = {.length = 3,
                                     .n_buffers = 2,
                                     .buffers = list_buffers,
                                     .n_children = 1,
                                     .children = children};
    const struct ArrowArray pairs = {
        .length = 3, .n_buffers = 1, .buffers = no_buffers, .n_children = 1, .children = children};
    static const int64_t rows[] = {2, 0};
    struct ArrowArray picked;
    CHECK_OK(frz_arrow_array_take(&text, &texts, rows, 2, &picked, &err), err);
    CHECK(((const int64_t *)picked.buffers[1])[1] == 3 &&
          memcmp(picked.buffers[2], "cdeab", 5) == 0);
    frz_arrow_array_clear(&picked);
    CHECK_OK(frz_arrow_array_take(&list, &lists, rows, 2, &picked, &err), err);
    CHECK(((const int64_t *)picked.buffers[1])[2] == 5);
    CHECK(((const int32_t *)picked.children[0]->buffers[1])[3] == 10);
    frz_arrow_array_clear(&picked);
    CHECK_OK(frz_arrow_array_take(&fixed, &pairs, rows, 2, &picked, &err), err);
    CHECK(picked.children[0]->length == 4);
    CHECK(memcmp(picked.children[0]->buffers[1], (int32_t[]){14, 15, 10, 11}, 16) == 0);
    frz_arrow_array_clear(&picked);
    frz_arrow_schema_clear(&text);
    frz_arrow_schema_clear(&list);
    frz_arrow_schema_clear(&fixed);
}

static void test_types_without_a_form_are_refused_by_name(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema view = parse_schema("vu");
    const struct ArrowArray array = {.length = 1};
    struct ArrowArray picked;
    const int64_t row = 0;
    CHECK_FAILS(frz_arrow_array_take(&view, &array, &row, 1, &picked, &err), FRZ_UNSUPPORTED, err,
                "picking rows of Arrow type string_view");
    frz_arrow_schema_clear(&view);
}

static struct ArrowSchema swept_schema;
static struct ArrowArray swept_array;

static void filter_and_take(void)
{
    frz_error *err = NULL;
    const uint64_t mask = 0x5b;
    const int64_t rows[] = {3, 1, 1};
    struct ArrowArray filtered = {0};
    struct ArrowArray taken = {0};
    frz_status status =
        frz_arrow_array_filter(&swept_schema, &swept_array, &mask, 5, &filtered, &err);
    if (status == FRZ_OK)
        status = frz_arrow_array_take(&swept_schema, &swept_array, rows, 3, &taken, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arrow_array_clear(&filtered);
    frz_arrow_array_clear(&taken);
    frz_error_free(err);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    swept_schema = parse_schema("+s[+l[u] b i]");
    swept_array = random_array(&swept_schema, 7, 3);
    sweep_allocation_failures(filter_and_take);
    frz_arrow_array_clear(&swept_array);
    frz_arrow_schema_clear(&swept_schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters_pick_the_rows_of_the_mask),
        cmocka_unit_test(test_takes_repeat_and_reorder),
        cmocka_unit_test(test_large_and_fixed_lists_are_picked_too),
        cmocka_unit_test(test_types_without_a_form_are_refused_by_name),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
