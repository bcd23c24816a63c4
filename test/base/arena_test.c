/* Covers: base/buffer base/cursor */
#include "base/arena.h"

#include "base/buffer.h"
#include "base/cursor.h"
#include "harness.h"

static void test_an_arena_aligns_zeroes_and_keeps_its_budget(void **state)
{
    (void)state;
    frz_arena arena = {.budget = 100000};
    for (size_t size = 0; size < 300; size++) {
        uint8_t *at = frz_arena_alloc(&arena, size);
        CHECK(at && (uintptr_t)at % 16 == 0);
        for (size_t i = 0; i < size; i++)
            CHECK(at[i] == 0);
        memset(at, 0xff, size);
    }
    CHECK(frz_arena_alloc(&arena, 60000) == NULL); /* beyond the budget */
    CHECK(frz_arena_array(&arena, SIZE_MAX / 2, 4) == NULL);
    assert_string_equal(frz_arena_printf(&arena, "%s-%d", "a", 7), "a-7");
    assert_string_equal(frz_arena_text_n(&arena, "abcdef", 3), "abc");
    frz_arena_clear(&arena);
    CHECK(arena.used == 0 && arena.budget == 100000 && frz_arena_alloc(&arena, 60000) != NULL);
    frz_arena_clear(&arena);
}

static void test_a_buffer_fails_once_and_for_all(void **state)
{
    (void)state;
    frz_buffer buffer = {0};
    frz_buffer_append_text(&buffer, "ab");
    frz_buffer_append_u32be(&buffer, 0x01020304);
    frz_buffer_append_u32le(&buffer, 0x01020304);
    frz_buffer_append_u64le(&buffer, 5);
    frz_buffer_append_fill(&buffer, 'x', 2);
    frz_buffer_printf(&buffer, "%d", 42);
    CHECK(buffer.size == 22);
    CHECK(memcmp(buffer.data, "ab\1\2\3\4\4\3\2\1\5\0\0\0\0\0\0\0xx42", 22) == 0);
    frz_mem_fail_after(0);
    frz_buffer_append_fill(&buffer, 0, 10000);
    frz_mem_fail_after(-1);
    frz_buffer_append_text(&buffer, "later");
    CHECK(buffer.size == 22 && frz_buffer_check(&buffer, NULL) == FRZ_NO_MEMORY);
    CHECK(frz_buffer_extend(&buffer, SIZE_MAX) == NULL);
    frz_buffer_clear(&buffer);
    CHECK(frz_buffer_check(&buffer, NULL) == FRZ_OK);
}

static void test_a_cursor_sticks_at_its_first_fault(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 2, 0, 0xac, 0x02, 0x03, 0xff};
    frz_cursor cursor = frz_cursor_over(bytes, sizeof bytes);
    CHECK(frz_cursor_u8(&cursor) == 1 && frz_cursor_u16le(&cursor) == 2);
    CHECK(frz_cursor_uvarint(&cursor) == 300 && frz_cursor_varint(&cursor) == -2);
    CHECK(frz_cursor_left(&cursor) == 1 && !cursor.failed);
    CHECK(frz_cursor_uvarint(&cursor) == 0 && cursor.failed && cursor.pos == 6);
    CHECK(frz_cursor_u8(&cursor) == 0 && cursor.pos == 6 && frz_cursor_take(&cursor, 0) == NULL);
    static const uint8_t longest[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    cursor = frz_cursor_over(longest, 10);
    CHECK(frz_cursor_uvarint(&cursor) == UINT64_MAX);
    static const uint8_t beyond[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    cursor = frz_cursor_over(beyond, 10);
    CHECK(frz_cursor_uvarint(&cursor) == 0 && cursor.failed && cursor.pos == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_arena_aligns_zeroes_and_keeps_its_budget),
        cmocka_unit_test(test_a_buffer_fails_once_and_for_all),
        cmocka_unit_test(test_a_cursor_sticks_at_its_first_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
