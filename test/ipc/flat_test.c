/* Covers: ipc/flat_builder */
#include "ipc/flat.h"

#include "harness.h"

#include "base/fail.h"
#include "ipc/flat_builder.h"

/* By hand, from the format's description: a vtable, then the table that it is of. Field 0 is an
 * int8, field 1 an int64 out of alignment, field 2 absent, field 3 a text. */
static const uint8_t by_hand[] = {
    16,   0,    0,    0,                            /*  0: how far the root is */
    12,   0,    17,   0,                            /*  4: vtable: its own size, the table's */
    4,    0,    5,    0,    0,    0,    13,   0,    /*  8: where the fields stand */
    12,   0,    0,    0,                            /* 16: the table: back to its vtable */
    7,                                              /* 20 */
    0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* 21 */
    4,    0,    0,    0,                            /* 29: how far the text is */
    2,    0,    0,    0,    'h',  'i',  0,          /* 33 */
};

enum { WIDTHS = 6 };
static const uint8_t widths[WIDTHS] = {1, 2, 4, 8, 4, 4};

static void a_buffer_made_by_hand_is_read(void **state)
{
    (void)state;
    frz_flat flat = frz_flat_over(frz_slice_of(by_hand, sizeof by_hand));
    frz_error *err = NULL;
    const frz_flat_table table = frz_flat_root(&flat);
    CHECK(frz_flat_u8(&table, 0, 0) == 7);
    CHECK(frz_flat_i64(&table, 1, 0) == -2);
    CHECK(!frz_flat_has(&table, 2));
    CHECK(frz_slice_is_text(frz_flat_text(&table, 3), "hi"));
    CHECK_OK(frz_flat_check(&flat, 0, &err), err);
}

/* Every kind of field, an absent one, and vectors of three kinds. */
static void build(frz_flat_builder *builder)
{
    const size_t table = frz_flat_add_table(builder, widths, WIDTHS);
    frz_flat_set_u8(builder, table, 0, 200);
    frz_flat_set_i16(builder, table, 1, -3);
    frz_flat_set_i32(builder, table, 2, INT32_MIN);
    frz_flat_set_i64(builder, table, 3, INT64_MIN + 1);
    frz_flat_add_text(builder, table, 4, frz_slice_of_text("odd"));
    const size_t items = frz_flat_add_items(builder, table, 5, 2, 4);
    for (size_t i = 0; i < 2; i++) {
        static const uint8_t child_widths[] = {0, 4};
        const size_t child = frz_flat_add_table(builder, child_widths, 2);
        frz_flat_set_item_child(builder, items, i, child);
        const size_t pairs = frz_flat_add_items(builder, child, 1, i + 1, 16);
        frz_flat_set_item_i64(builder, pairs, 16 * i, 40 + (int64_t)i);
        frz_flat_set_item_i32(builder, pairs, 16 * i + 8, -1 - (int32_t)i);
    }
}

static void check_children(const frz_flat_table *table)
{
    const frz_flat_vector items = frz_flat_items(table, 5, 4);
    CHECK(items.count == 2);
    for (size_t i = 0; i < items.count; i++) {
        const frz_flat_table child = frz_flat_item_table(&items, i);
        CHECK(!frz_flat_has(&child, 0) && frz_flat_has(&child, 1));
        const frz_flat_vector pairs = frz_flat_items(&child, 1, 16);
        CHECK(pairs.count == i + 1 && pairs.at % 8 == 0);
        CHECK(frz_flat_item_i64(&pairs, i, 0) == 40 + (int64_t)i);
        CHECK(frz_flat_item_i32(&pairs, i, 8) == -1 - (int32_t)i);
    }
}

static void what_is_built_is_read(void **state)
{
    (void)state;
    frz_flat_builder builder = {0};
    frz_error *err = NULL;
    build(&builder);
    frz_flat flat = frz_flat_over(frz_buffer_slice(&builder.bytes));
    const frz_flat_table table = frz_flat_root(&flat);
    CHECK(frz_flat_u8(&table, 0, 0) == 200);
    CHECK(frz_flat_i16(&table, 1, 0) == -3);
    CHECK(frz_flat_i32(&table, 2, 0) == INT32_MIN);
    CHECK(frz_flat_i64(&table, 3, 0) == INT64_MIN + 1);
    CHECK(frz_slice_is_text(frz_flat_text(&table, 4), "odd"));
    CHECK(!frz_flat_has(&table, 6) && frz_flat_i32(&table, 6, 77) == 77);
    check_children(&table);
    CHECK_OK(frz_flat_check(&flat, 0, &err), err);
    /* Each scalar stands at a multiple of its size. */
    for (unsigned i = 0; i < 4; i++) {
        const size_t place = builder.bytes.data[table.vtable + 4 + 2 * i];
        CHECK((table.at + place) % widths[i] == 0);
    }
    frz_buffer_clear(&builder.bytes);
}

static void an_absent_table_has_no_fields(void **state)
{
    (void)state;
    const frz_flat_table absent = {0};
    const frz_flat_table child = frz_flat_child(&absent, 0);
    CHECK(!child.buffer);
    CHECK(frz_flat_u8(&absent, 0, 3) == 3);
    CHECK(frz_flat_text(&absent, 0).size == 0);
    CHECK(frz_flat_items(&absent, 0, 8).count == 0);
}

/* Reads all that build() made; the sum keeps the reads. */
static int64_t read_all(frz_slice bytes, bool *failed_out)
{
    frz_flat flat = frz_flat_over(bytes);
    const frz_flat_table table = frz_flat_root(&flat);
    int64_t sum = frz_flat_u8(&table, 0, 0) + frz_flat_i16(&table, 1, 0);
    sum ^= frz_flat_i32(&table, 2, 0) ^ frz_flat_i64(&table, 3, 0);
    const frz_slice text = frz_flat_text(&table, 4);
    for (size_t i = 0; i < text.size; i++)
        sum += text.data[i];
    const frz_flat_vector items = frz_flat_items(&table, 5, 4);
    for (size_t i = 0; i < items.count && !flat.failed; i++) {
        const frz_flat_table child = frz_flat_item_table(&items, i);
        const frz_flat_vector pairs = frz_flat_items(&child, 1, 16);
        for (size_t j = 0; j < pairs.count; j++)
            sum += frz_flat_item_i64(&pairs, j, 8);
    }
    *failed_out = flat.failed;
    return sum;
}

/* Copies of their own size, so that a sanitizer sees a read past them. */
static void nothing_is_read_out_of_bounds(void **state)
{
    (void)state;
    frz_flat_builder builder = {0};
    bool failed = false;
    int failures = 0;
    build(&builder);
    const size_t size = builder.bytes.size;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = malloc(cut + 1);
        CHECK(copy != NULL);
        memcpy(copy, builder.bytes.data, cut);
        (void)read_all(frz_slice_of(copy, cut), &failed);
        failures += failed;
        free(copy);
    }
    CHECK((size_t)failures > size / 2);
    for (size_t at = 0; at < size; at++) {
        static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
        for (size_t i = 0; i < sizeof values; i++) {
            uint8_t *copy = malloc(size);
            CHECK(copy != NULL);
            memcpy(copy, builder.bytes.data, size);
            copy[at] = values[i];
            (void)read_all(frz_slice_of(copy, size), &failed);
            free(copy);
        }
    }
    frz_buffer_clear(&builder.bytes);
}

static void the_first_fault_sticks(void **state)
{
    (void)state;
    static const uint8_t far[] = {0xf0, 0, 0, 0, 0, 0, 0, 0};
    frz_flat flat = frz_flat_over(frz_slice_of(far, sizeof far));
    frz_error *err = NULL;
    const frz_flat_table table = frz_flat_root(&flat);
    CHECK(!table.buffer && flat.failed && flat.fault == 0);
    CHECK_FAILS(frz_flat_check(&flat, 1000, &err), FRZ_CORRUPT, err, "byte 1000");
}

static void build_under_shortage(void)
{
    frz_flat_builder builder = {0};
    frz_error *err = NULL;
    build(&builder);
    CHECK(frz_buffer_check(&builder.bytes, &err) == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_buffer_clear(&builder.bytes);
}

static void shortage_of_memory_sticks(void **state)
{
    (void)state;
    sweep_allocation_failures(build_under_shortage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_made_by_hand_is_read),
        cmocka_unit_test(what_is_built_is_read),
        cmocka_unit_test(an_absent_table_has_no_fields),
        cmocka_unit_test(nothing_is_read_out_of_bounds),
        cmocka_unit_test(the_first_fault_sticks),
        cmocka_unit_test(shortage_of_memory_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
