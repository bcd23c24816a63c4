#include "arrow/concat.h"

#include "harness.h"

#include "arrow/array.h"
#include "arrow/builder.h"

/* struct<i: int64, s: string, b: bool, l: list<int32>, n: null> */
static frz_status make_schema(struct ArrowSchema *out, frz_error **err)
{
    static const char *const formats[] = {"l", "u", "b", "+l"};
    if (frz_arrow_schema_init(out, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 4, err) != FRZ_OK)
        return FRZ_NO_MEMORY;
    for (int64_t i = 0; i < 4; i++) {
        if (frz_arrow_schema_init(out->children[i], formats[i], "c", true, FRZ_ARROW_NO_FIELD_ID,
                                  i == 3 ? 1 : 0, err) != FRZ_OK)
            return FRZ_NO_MEMORY;
    }
    return frz_arrow_schema_init(out->children[3]->children[0], "i", "item", true,
                                 FRZ_ARROW_NO_FIELD_ID, 0, err);
}

/* Rows first .. first + count - 1: row r has i = r (null when r % 3 is 0), s = r times 'x', b = r
 * odd, and a list of r % 4 items. */
static frz_status make_rows(const struct ArrowSchema *schema, int64_t first, int64_t count,
                            struct ArrowArray *out, frz_error **err)
{
    frz_arrow_builder *builder = NULL;
    frz_status status = frz_arrow_builder_new(schema, &builder, err);
    for (int64_t r = first; status == FRZ_OK && r < first + count; r++) {
        if (r % 3 == 0)
            frz_arrow_append_null(frz_arrow_builder_child(builder, 0));
        else
            frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), r);
        frz_arrow_append_bytes(frz_arrow_builder_child(builder, 1),
                               frz_slice_of("xxxxxxxxxxxxxxxxxxxx", (size_t)r));
        frz_arrow_append_bool(frz_arrow_builder_child(builder, 2), r % 2 == 1);
        frz_arrow_builder *list = frz_arrow_builder_child(builder, 3);
        for (int64_t k = 0; k < r % 4; k++)
            frz_arrow_append_i64(frz_arrow_builder_child(list, 0), r * 10 + k);
        frz_arrow_append_list(list);
        frz_arrow_append_struct(builder);
    }
    if (status == FRZ_OK)
        status = frz_arrow_builder_finish(builder, out, err);
    frz_arrow_builder_free(builder);
    return status;
}

static void check_row(const struct ArrowArray *rows, int64_t at, int64_t r)
{
    const struct ArrowArray *s = rows->children[1];
    const struct ArrowArray *list = rows->children[3];
    const int32_t *text = s->buffers[1];
    const int32_t *items = list->buffers[1];
    CHECK(frz_arrow_is_null(rows->children[0], at) == (r % 3 == 0));
    if (r % 3 != 0)
        CHECK(((const int64_t *)rows->children[0]->buffers[1])[at] == r);
    CHECK(text[at + 1] - text[at] == r);
    CHECK(frz_bit_get(rows->children[2]->buffers[1], at) == (r % 2 == 1));
    CHECK(items[at + 1] - items[at] == r % 4);
    for (int64_t k = 0; k < r % 4; k++)
        CHECK(((const int32_t *)list->children[0]->buffers[1])[items[at] + k] == r * 10 + k);
}

/* Rows 1..9 and the slice 12..14 of 10..15, with an empty array between. */
static void join(void)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray parts[3] = {0};
    struct ArrowArray whole = {0};
    struct ArrowArray joined = {0};
    frz_status status = make_schema(&schema, NULL);
    if (status == FRZ_OK)
        status = make_rows(&schema, 1, 9, &parts[0], NULL);
    if (status == FRZ_OK)
        status = make_rows(&schema, 0, 0, &parts[1], NULL);
    if (status == FRZ_OK)
        status = make_rows(&schema, 10, 6, &whole, NULL);
    if (status == FRZ_OK)
        status = frz_arrow_array_slice(&whole, 2, 3, &parts[2], NULL);
    if (status == FRZ_OK)
        status = frz_arrow_array_concat(&schema, parts, 3, &joined, NULL);
    CHECK((status == FRZ_OK) == !frz_mem_failed());
    if (status == FRZ_OK) {
        CHECK(joined.length == 12 && joined.offset == 0);
        for (int64_t i = 0; i < 12; i++)
            check_row(&joined, i, i < 9 ? i + 1 : i + 3);
        CHECK(joined.children[0]->null_count == 4);
    }
    for (size_t i = 0; i < 3; i++)
        frz_arrow_array_clear(&parts[i]);
    frz_arrow_array_clear(&joined);
    frz_arrow_array_clear(&whole);
    frz_arrow_schema_clear(&schema);
}

static void arrays_are_joined_whatever_their_offsets(void **state)
{
    (void)state;
    sweep_allocation_failures(join);
}

static void other_layouts_are_refused(void **state)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    struct ArrowArray joined = {0};
    (void)state;
    CHECK_OK(frz_arrow_schema_init(&schema, "U", "x", true, FRZ_ARROW_NO_FIELD_ID, 0, &err), err);
    CHECK_FAILS(frz_arrow_array_concat(&schema, &array, 1, &joined, &err), FRZ_UNSUPPORTED, err,
                "not plain");
    frz_arrow_schema_clear(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_joined_whatever_their_offsets),
        cmocka_unit_test(other_layouts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
