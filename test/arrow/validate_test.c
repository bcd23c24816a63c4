/* frz_arrow_array_validate: what a foreign producer may get wrong, one fault at a time. */
#include "arrow_equal.h"

static void refuse(const char *format, const struct ArrowArray *array, const char *words)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = parse_schema(format);
    CHECK_FAILS(frz_arrow_array_validate(&schema, array, &err), FRZ_INVALID, err, words);
    frz_arrow_schema_clear(&schema);
}

static void accept(const char *format, const struct ArrowArray *array)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = parse_schema(format);
    CHECK_OK(frz_arrow_array_validate(&schema, array, &err), err);
    frz_arrow_schema_clear(&schema);
}

static const int32_t numbers[] = {0, 2, 1, 4};
static const void *number_buffers[] = {NULL, numbers};

static void test_counts(void **state)
{
    (void)state;
    struct ArrowArray array = {.length = 4, .n_buffers = 2, .buffers = number_buffers};
    accept("i", &array);
    array.length = -1;
    refuse("i", &array, "negative length or offset");
    array.length = 4;
    array.offset = INT64_MAX;
    refuse("i", &array, "negative length or offset");
    array.offset = 0;
    array.null_count = 5;
    refuse("i", &array, "null count outside of the length");
    array.null_count = 1;
    refuse("i", &array, "Arrow column \"c0\" (i): nulls without a validity buffer");
    array.null_count = 0;
    array.n_buffers = 3;
    refuse("i", &array, "wrong number of buffers");
    array.n_buffers = 2;
    array.n_children = 1;
    refuse("i", &array, "wrong number of children");
    const void *none[] = {NULL, NULL};
    const struct ArrowArray empty = {.length = 1, .n_buffers = 2, .buffers = none};
    refuse("i", &empty, "no value buffer");
    struct ArrowArray dictionary = {.length = 4, .n_buffers = 2, .buffers = number_buffers};
    const struct ArrowArray indexes = {
        .length = 4, .n_buffers = 2, .buffers = number_buffers, .dictionary = &dictionary};
    refuse("i", &indexes, "a dictionary in the array or the schema alone");
}

static void test_offsets(void **state)
{
    (void)state;
    const void *buffers[] = {NULL, numbers, "abcd"};
    struct ArrowArray text = {.length = 3, .n_buffers = 3, .buffers = buffers};
    refuse("u", &text, "offsets descend");
    text.length = 1;
    accept("u", &text);
    buffers[2] = NULL;
    refuse("u", &text, "no data buffer");
    static const int64_t wide[] = {-1, 0};
    const void *wide_buffers[] = {NULL, wide, "abcd"};
    const struct ArrowArray large = {.length = 1, .n_buffers = 3, .buffers = wide_buffers};
    refuse("U", &large, "offsets descend");
    struct ArrowArray items = {.length = 1, .n_buffers = 2, .buffers = number_buffers};
    struct ArrowArray *children[] = {&items};
    const struct ArrowArray list = {.length = 1,
                                    .n_buffers = 2,
                                    .buffers = number_buffers,
                                    .n_children = 1,
                                    .children = children};
    refuse("+l[i]", &list, "offsets past the end of the items");
}

static void test_children_of_structs_and_fixed_lists(void **state)
{
    (void)state;
    const void *none[] = {NULL};
    struct ArrowArray items = {.length = 4, .n_buffers = 2, .buffers = number_buffers};
    struct ArrowArray *children[] = {&items};
    struct ArrowArray parent = {.length = 4,
                                .offset = 1,
                                .n_buffers = 1,
                                .buffers = none,
                                .n_children = 1,
                                .children = children};
    refuse("+s[i]", &parent, "a child shorter than its parent");
    parent.offset = 0;
    accept("+s[i]", &parent);
    refuse("+w:2[i]", &parent, "a child shorter than its parent");
    parent.length = 2;
    accept("+w:2[i]", &parent);
    parent.offset = INT64_MAX / 2;
    refuse("+w:4[i]", &parent, "more items than can be counted");
    items.n_buffers = 1;
    parent.offset = 0;
    refuse("+s[i]", &parent, "wrong number of buffers");
}

static void test_views(void **state)
{
    (void)state;
    int32_t view[] = {20, 0, 0, 5};
    const int64_t sizes[] = {25};
    const void *buffers[] = {NULL, view, "0123456789012345678901234", sizes};
    const struct ArrowArray array = {.length = 1, .n_buffers = 4, .buffers = buffers};
    accept("vu", &array);
    view[3] = 6;
    refuse("vu", &array, "a view outside of its data");
    view[3] = 0;
    view[2] = 1;
    refuse("vz", &array, "a view outside of its data");
    view[0] = -1;
    refuse("vz", &array, "a view outside of its data");
}

static void test_list_views(void **state)
{
    (void)state;
    int32_t offsets[] = {3, 0};
    int32_t sizes[] = {1, 4};
    const void *buffers[] = {NULL, offsets, sizes};
    struct ArrowArray items = {.length = 4, .n_buffers = 2, .buffers = number_buffers};
    struct ArrowArray *children[] = {&items};
    const struct ArrowArray array = {
        .length = 2, .n_buffers = 3, .buffers = buffers, .n_children = 1, .children = children};
    accept("+vl[i]", &array);
    sizes[0] = 2;
    refuse("+vl[i]", &array, "a list view outside of its items");
    buffers[2] = NULL;
    refuse("+vl[i]", &array, "no sizes buffer");
}

static void test_run_ends(void **state)
{
    (void)state;
    int32_t ends[] = {2, 5};
    const void *end_buffers[] = {NULL, ends};
    struct ArrowArray runs = {.length = 2, .n_buffers = 2, .buffers = end_buffers};
    struct ArrowArray values = {.length = 2, .n_buffers = 2, .buffers = number_buffers};
    struct ArrowArray *children[] = {&runs, &values};
    struct ArrowArray array = {.length = 5, .n_children = 2, .children = children};
    accept("+r[i! i]", &array);
    array.length = 6;
    refuse("+r[i! i]", &array, "runs end before the rows");
    array.length = 5;
    ends[1] = 2;
    refuse("+r[i! i]", &array, "run ends that do not ascend");
    values.length = 1;
    refuse("+r[i! i]", &array, "fewer values than runs");
    refuse("+r[f! i]", &array, "run ends that are no integers");
}

/* A union of `count` int columns. */
static struct ArrowSchema union_schema(const char *format, int64_t count)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    CHECK_OK(frz_arrow_schema_init(&schema, format, "u", false, FRZ_ARROW_NO_FIELD_ID, count, &err),
             err);
    for (int64_t i = 0; i < count; i++)
        CHECK_OK(frz_arrow_schema_init(schema.children[i], "i", "c", true, FRZ_ARROW_NO_FIELD_ID, 0,
                                       &err),
                 err);
    return schema;
}

static void check_union(const char *format, const struct ArrowArray *array, frz_status want,
                        const char *words)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = union_schema(format, array->n_children);
    if (want == FRZ_OK)
        CHECK_OK(frz_arrow_array_validate(&schema, array, &err), err);
    else
        CHECK_FAILS(frz_arrow_array_validate(&schema, array, &err), want, err, words);
    frz_arrow_schema_clear(&schema);
}

/* Columnar.rst, "Sparse Union": children as long as the union; ours have ids 0, 1, 2 ... */
static void test_sparse_unions(void **state)
{
    (void)state;
    static const uint8_t ids[] = {0, 1, 1, 0};
    const void *buffers[] = {ids};
    struct ArrowArray child = {.length = 4, .n_buffers = 2, .buffers = number_buffers};
    struct ArrowArray *children[] = {&child, &child};
    struct ArrowArray array = {
        .length = 4, .n_buffers = 1, .buffers = buffers, .n_children = 2, .children = children};
    check_union("+us:0,1", &array, FRZ_OK, "");
    array.offset = 2;
    array.length = 2;
    check_union("+us:0,1", &array, FRZ_OK, "");
    array.offset = 3;
    array.length = 1;
    child.length = 3;
    check_union("+us:0,1", &array, FRZ_INVALID, "a child shorter than its parent");
    array.offset = 0;
    array.null_count = 1;
    check_union("+us:0,1", &array, FRZ_INVALID, "a union with nulls of its own");
    array.null_count = 0;
    array.length = 2;
    array.n_children = 1;
    check_union("+us:0", &array, FRZ_INVALID, "a type id without a child");
    buffers[0] = NULL;
    check_union("+us:0", &array, FRZ_INVALID, "no type ids");
}

static void test_other_unions_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const formats[] = {"+us:",  "+ud:0,1",   "+us:1,0", "+us:0,1,",
                                          "+us:0", "+us:0,1,2", "+us:0;1", "+us:0,"};
    struct ArrowArray child = {.length = 4, .n_buffers = 2, .buffers = number_buffers};
    struct ArrowArray *children[] = {&child, &child};
    const struct ArrowArray array = {.n_children = 2, .children = children};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        check_union(formats[i], &array, FRZ_UNSUPPORTED, "type union");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_children_of_structs_and_fixed_lists),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_list_views),
        cmocka_unit_test(test_run_ends),
        cmocka_unit_test(test_sparse_unions),
        cmocka_unit_test(test_other_unions_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
