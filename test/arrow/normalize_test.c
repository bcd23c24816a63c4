#include "arrow/normalize.h"

#include "arrow_equal.h"

static struct ArrowArray normalized(const struct ArrowSchema *schema,
                                    const struct ArrowArray *array)
{
    frz_error *err = NULL;
    struct ArrowSchema plain;
    struct ArrowArray out;
    CHECK_OK(frz_arrow_normalize_borrowed(schema, array, &out, &err), err);
    CHECK_OK(frz_arrow_normalize_schema(schema, &plain, &err), err);
    CHECK_OK(frz_arrow_array_validate(&plain, &out, &err), err);
    CHECK(out.offset == 0 && out.length == array->length);
    frz_arrow_schema_clear(&plain);
    return out;
}

static void test_plain_columns_are_shared_and_slices_start_at_zero(void **state)
{
    (void)state;
    static const char *const schemas[] = {"i",
                                          "b",
                                          "d:20,2",
                                          "u",
                                          "w:5",
                                          "+s![i u]",
                                          "+l[+l[u]]",
                                          "+m[+s![u! +l[b]]]",
                                          "+s[+l[+s[u d:9,0]] f]"};
    for (size_t s = 0; s < sizeof schemas / sizeof schemas[0]; s++) {
        frz_error *err = NULL;
        struct ArrowSchema schema = parse_schema(schemas[s]);
        struct ArrowArray whole = random_array(&schema, 100, s + 1);
        for (int64_t start = 0; start < 20; start++) {
            struct ArrowArray part;
            CHECK_OK(frz_arrow_array_slice(&whole, start, 70, &part, &err), err);
            struct ArrowArray plain = normalized(&schema, &part);
            for (int64_t i = 0; i < 70; i++)
                CHECK(rows_equal(&schema, &part, i, &plain, i));
            frz_arrow_array_clear(&plain);
            frz_arrow_array_clear(&part);
        }
        struct ArrowArray same = normalized(&schema, &whole);
        if (same.n_buffers > 1 && same.n_children == 0)
            CHECK(same.buffers[1] == whole.buffers[1]);
        frz_arrow_array_clear(&same);
        frz_arrow_array_clear(&whole);
        frz_arrow_schema_clear(&schema);
    }
}

static void test_misaligned_values_are_copied(void **state)
{
    (void)state;
    static const uint8_t bytes[] __attribute__((aligned(16))) = {0, 7, 0, 0, 0, 8, 0, 0, 0};
    const void *buffers[] = {NULL, bytes + 1};
    const struct ArrowArray array = {.length = 2, .n_buffers = 2, .buffers = buffers};
    struct ArrowSchema schema = parse_schema("i");
    struct ArrowArray plain = normalized(&schema, &array);
    CHECK((uintptr_t)plain.buffers[1] % 4 == 0);
    CHECK(((const int32_t *)plain.buffers[1])[0] == 7 &&
          ((const int32_t *)plain.buffers[1])[1] == 8);
    frz_arrow_array_clear(&plain);
    frz_arrow_schema_clear(&schema);
}

/* fixed_size_binary may be of no bytes: rows without values, and without their buffer. */
static void test_fixed_values_of_no_bytes_have_no_buffer(void **state)
{
    (void)state;
    static const uint8_t valid[] = {0x5};
    const void *buffers[] = {valid, NULL};
    const struct ArrowArray array = {
        .length = 3, .null_count = 1, .n_buffers = 2, .buffers = buffers};
    struct ArrowSchema schema = parse_schema("w:0");
    struct ArrowArray plain = normalized(&schema, &array);
    CHECK(plain.null_count == 1 && !plain.buffers[1]);
    CHECK(frz_arrow_is_null(&plain, 1) && !frz_arrow_is_null(&plain, 2));
    frz_arrow_array_clear(&plain);
    frz_arrow_schema_clear(&schema);
}

/* Indexes 1, null, 0, 1 into "a", "bc". */
static void test_dictionaries_are_decoded_and_checked(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int8_t indexes[] = {1, 99, 0, 1};
    const uint8_t valid = 0xd;
    const int32_t ends[] = {0, 1, 3};
    const void *index_buffers[] = {&valid, indexes};
    const void *value_buffers[] = {NULL, ends, "abc"};
    struct ArrowArray values = {.length = 2, .n_buffers = 3, .buffers = value_buffers};
    const struct ArrowArray array = {.length = 4,
                                     .null_count = -1,
                                     .n_buffers = 2,
                                     .buffers = index_buffers,
                                     .dictionary = &values};
    struct ArrowSchema schema = parse_schema("c");
    struct ArrowSchema value_schema = parse_schema("u");
    schema.dictionary = &value_schema;
    struct ArrowArray plain = normalized(&schema, &array);
    const int32_t *offsets = plain.buffers[1];
    CHECK(plain.null_count == 1 && frz_arrow_is_null(&plain, 1));
    CHECK(offsets[1] - offsets[0] == 2 && offsets[4] - offsets[3] == 2);
    CHECK(memcmp((const uint8_t *)plain.buffers[2] + offsets[2], "abc", 3) == 0);
    frz_arrow_array_clear(&plain);
    indexes[0] = 2;
    CHECK_FAILS(frz_arrow_normalize_borrowed(&schema, &array, &plain, &err), FRZ_INVALID, err,
                "dictionary index 2, with 2 values");
    schema.dictionary = NULL;
    frz_arrow_schema_clear(&schema);
    frz_arrow_schema_clear(&value_schema);
}

static int released;

static void release_part(struct ArrowArray *array)
{
    array->release = NULL;
}

/* Runs of 1, 2, 3 ... rows, whose values count from 0, by any part of their rows. */
static void test_any_part_of_the_rows_is_made_plain(void **state)
{
    (void)state;
    enum { RUNS = 20, ROWS = RUNS * (RUNS + 1) / 2 };
    frz_error *err = NULL;
    int32_t ends[RUNS];
    int32_t values[RUNS];
    int32_t want[ROWS];
    for (int32_t i = 0, row = 0; i < RUNS; i++) {
        for (int32_t j = 0; j <= i; j++)
            want[row++] = i;
        ends[i] = (i + 1) * (i + 2) / 2;
        values[i] = i;
    }
    const void *end_buffers[] = {NULL, ends};
    const void *value_buffers[] = {NULL, values};
    struct ArrowArray children[] = {{.length = RUNS, .n_buffers = 2, .buffers = end_buffers},
                                    {.length = RUNS, .n_buffers = 2, .buffers = value_buffers}};
    struct ArrowArray *pointers[] = {&children[0], &children[1]};
    struct ArrowArray runs = {
        .length = ROWS, .n_children = 2, .children = pointers, .release = release_part};
    struct ArrowSchema schema = parse_schema("+r[i! i]");
    CHECK_OK(frz_arrow_array_validate(&schema, &runs, &err), err);
    frz_arrow_owner *owner = frz_arrow_owner_of_array(&runs);
    CHECK(owner != NULL);
    for (int64_t start = 0; start < ROWS; start++) {
        for (int64_t length = 0; length <= ROWS - start; length += 7) {
            struct ArrowArray part;
            CHECK_OK(frz_arrow_normalize_rows(&schema, owner, start, length, &part, &err), err);
            CHECK(part.length == length && part.offset == 0);
            CHECK(length == 0 ||
                  memcmp(part.buffers[1], want + start, (size_t)length * sizeof *want) == 0);
            frz_arrow_array_clear(&part);
        }
    }
    frz_arrow_owner_unref(owner);
    frz_arrow_schema_clear(&schema);
}

static void release_foreign(struct ArrowArray *array)
{
    released++;
    array->release = NULL;
}

static void test_a_moved_array_lives_as_long_as_its_plain_form(void **state)
{
    (void)state;
    frz_error *err = NULL;
    static const int32_t values[] = {1, 2};
    const void *buffers[] = {NULL, values};
    struct ArrowArray foreign = {
        .length = 2, .n_buffers = 2, .buffers = buffers, .release = release_foreign};
    struct ArrowSchema schema = parse_schema("i");
    struct ArrowSchema wrong = parse_schema("u");
    struct ArrowArray plain;
    released = 0;
    CHECK_FAILS(frz_arrow_normalize(&wrong, &foreign, &plain, &err), FRZ_INVALID, err,
                "wrong number of buffers");
    CHECK(foreign.release == release_foreign && released == 0);
    CHECK_OK(frz_arrow_normalize(&schema, &foreign, &plain, &err), err);
    CHECK(foreign.release == NULL && released == 0 && plain.buffers[1] == values);
    frz_arrow_array_clear(&plain);
    CHECK(released == 1);
    frz_arrow_schema_clear(&schema);
    frz_arrow_schema_clear(&wrong);
}

static void test_a_failure_names_the_column(void **state)
{
    (void)state;
    frz_error *err = NULL;
    static const uint64_t values[] = {UINT64_MAX};
    const void *buffers[] = {NULL, values};
    const void *none[] = {NULL};
    struct ArrowArray child = {.length = 1, .n_buffers = 2, .buffers = buffers};
    struct ArrowArray *children[] = {&child};
    const struct ArrowArray array = {
        .length = 1, .n_buffers = 1, .buffers = none, .n_children = 1, .children = children};
    struct ArrowSchema schema = parse_schema("+s![L]");
    struct ArrowArray plain;
    CHECK_FAILS(frz_arrow_normalize_borrowed(&schema, &array, &plain, &err), FRZ_INVALID, err,
                "column \"c0\": row 0: uint64 value is above 2^63-1");
    frz_arrow_schema_clear(&schema);
}

static struct ArrowSchema swept_schema;
static struct ArrowArray swept_array;

static void normalize_once(void)
{
    frz_error *err = NULL;
    struct ArrowArray plain = {0};
    const frz_status status =
        frz_arrow_normalize_borrowed(&swept_schema, &swept_array, &plain, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arrow_array_clear(&plain);
    frz_error_free(err);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    frz_error *err = NULL;
    swept_schema = parse_schema("+s[+l[u] b i]");
    struct ArrowArray whole = random_array(&swept_schema, 20, 3);
    CHECK_OK(frz_arrow_array_slice(&whole, 3, 11, &swept_array, &err), err);
    sweep_allocation_failures(normalize_once);
    frz_arrow_array_clear(&swept_array);
    frz_arrow_array_clear(&whole);
    frz_arrow_schema_clear(&swept_schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_columns_are_shared_and_slices_start_at_zero),
        cmocka_unit_test(test_misaligned_values_are_copied),
        cmocka_unit_test(test_fixed_values_of_no_bytes_have_no_buffer),
        cmocka_unit_test(test_dictionaries_are_decoded_and_checked),
        cmocka_unit_test(test_any_part_of_the_rows_is_made_plain),
        cmocka_unit_test(test_a_moved_array_lives_as_long_as_its_plain_form),
        cmocka_unit_test(test_a_failure_names_the_column),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
