#include "arrow/gather.h"

#include "arrow_equal.h"

enum { SOURCES = 4, ROWS = 60, PICKED = 300 };

/* Random rows of several arrays, slices among them and one that is all zero. */
static void check_gather(const char *pattern, uint32_t seed)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = parse_schema(pattern);
    struct ArrowArray arrays[SOURCES] = {0};
    struct ArrowArray slices[SOURCES] = {0};
    struct ArrowArray out = {0};
    const struct ArrowArray *sources[SOURCES];
    frz_row_pick picks[PICKED];
    for (size_t i = 0; i < SOURCES; i++) {
        sources[i] = &slices[i];
        if (i == 2)
            continue;
        arrays[i] = random_array(&schema, ROWS, seed + (uint32_t)i);
        CHECK_OK(frz_arrow_array_slice(&arrays[i], (int64_t)i * 3, ROWS - 10, &slices[i], &err),
                 err);
    }
    for (size_t i = 0; i < PICKED; i++) {
        const uint32_t source = (uint32_t)(i * 7 % 3);
        picks[i] = (frz_row_pick){source == 2 ? 3 : source, (uint32_t)(i * i % (ROWS - 10))};
    }
    for (size_t count = 0; count <= PICKED; count += 75) {
        CHECK_OK(frz_arrow_array_gather(&schema, sources, SOURCES, picks, count, &out, &err), err);
        CHECK(out.length == (int64_t)count && out.offset == 0);
        CHECK(frz_arrow_array_validate(&schema, &out, NULL) == FRZ_OK);
        for (size_t i = 0; i < count; i++)
            CHECK(rows_equal(&schema, &out, (int64_t)i, sources[picks[i].source], picks[i].row));
        frz_arrow_array_clear(&out);
    }
    for (size_t i = 0; i < SOURCES; i++) {
        frz_arrow_array_clear(&slices[i]);
        frz_arrow_array_clear(&arrays[i]);
    }
    frz_arrow_schema_clear(&schema);
}

static void test_rows_of_every_plain_type_are_gathered(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "l",          "i",   "f",      "g",   "b",     "u",         "z",
        "w:16",       "w:5", "d:38,2", "tdD", "+l[i]", "+s[l u b]", "+s[+s[i +l[u]] u]",
        "+l[+s[i u]]"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        for (uint32_t seed = 1; seed < 4; seed++)
            check_gather(patterns[i], seed * 100);
    }
}

/* Texts around the size that is copied as one block, at the very end of their source. */
static void test_texts_of_any_size_stay_within_their_source(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema schema = parse_schema("u");
    for (size_t size = 0; size < 40; size++) {
        frz_arrow_builder *builder = NULL;
        struct ArrowArray array = {0};
        struct ArrowArray out = {0};
        const struct ArrowArray *source = &array;
        const frz_row_pick picks[] = {{0, 1}, {0, 0}, {0, 1}, {0, 2}};
        CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
        frz_arrow_append_bytes(builder, frz_slice_of_text("ab"));
        frz_arrow_append_bytes(builder,
                               frz_slice_of("0123456789abcdefghijklmnopqrstuvwxyzABCD", size));
        frz_arrow_append_bytes(builder, frz_slice_of_text("z"));
        CHECK_OK(frz_arrow_builder_finish(builder, &array, &err), err);
        CHECK_OK(frz_arrow_array_gather(&schema, &source, 1, picks, 4, &out, &err), err);
        for (size_t i = 0; i < 4; i++)
            CHECK(rows_equal(&schema, &out, (int64_t)i, &array, picks[i].row));
        frz_arrow_array_clear(&out);
        frz_arrow_array_clear(&array);
        frz_arrow_builder_free(builder);
    }
    frz_arrow_schema_clear(&schema);
}

static void test_rows_of_nulls_are_gathered(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema schema = parse_schema("n");
    struct ArrowArray array = {0};
    struct ArrowArray out = {0};
    const struct ArrowArray *source = &array;
    const frz_row_pick picks[] = {{0, 1}, {0, 0}};
    CHECK_OK(frz_arrow_array_nulls(&schema, 2, &array, &err), err);
    CHECK_OK(frz_arrow_array_gather(&schema, &source, 1, picks, 2, &out, &err), err);
    CHECK(out.length == 2 && frz_arrow_null_count(&out) == 2);
    frz_arrow_array_clear(&out);
    frz_arrow_array_clear(&array);
    frz_arrow_schema_clear(&schema);
}

static void test_types_that_are_not_plain_are_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema schema = parse_schema("U");
    const struct ArrowArray one = {.length = 1};
    const struct ArrowArray *source = &one;
    const frz_row_pick pick = {0, 0};
    struct ArrowArray out = {0};
    CHECK_FAILS(frz_arrow_array_gather(&schema, &source, 1, &pick, 1, &out, &err), FRZ_UNSUPPORTED,
                err, "large_string");
    frz_arrow_schema_clear(&schema);
}

static struct ArrowSchema swept_schema;
static struct ArrowArray swept_array;

static void gather_under_failure(void)
{
    struct ArrowArray out = {0};
    const struct ArrowArray *source = &swept_array;
    const frz_row_pick picks[] = {{0, 5}, {0, 1}, {0, 9}};
    const frz_status status =
        frz_arrow_array_gather(&swept_schema, &source, 1, picks, 3, &out, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arrow_array_clear(&out);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    swept_schema = parse_schema("+s[l u b +l[i]]");
    swept_array = random_array(&swept_schema, 10, 3);
    sweep_allocation_failures(gather_under_failure);
    frz_arrow_array_clear(&swept_array);
    frz_arrow_schema_clear(&swept_schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_every_plain_type_are_gathered),
        cmocka_unit_test(test_texts_of_any_size_stay_within_their_source),
        cmocka_unit_test(test_rows_of_nulls_are_gathered),
        cmocka_unit_test(test_types_that_are_not_plain_are_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
