#include "base/uuid.h"

#include "base/clock.h"
#include "harness.h"

static void test_text_and_bytes_convert_both_ways(void **state)
{
    (void)state;
    const char *text = "f79c3e09-677c-4bbd-a479-3f349cb785e7";
    static const uint8_t bytes[] = {0xf7, 0x9c, 0x3e, 0x09, 0x67, 0x7c, 0x4b, 0xbd,
                                    0xa4, 0x79, 0x3f, 0x34, 0x9c, 0xb7, 0x85, 0xe7};
    frz_uuid uuid;
    char out[FRZ_UUID_TEXT_SIZE];
    CHECK(frz_uuid_parse("F79C3E09-677c-4bbd-A479-3f349cb785e7", 36, &uuid));
    CHECK(memcmp(uuid.bytes, bytes, 16) == 0);
    frz_uuid_print(&uuid, out);
    assert_string_equal(out, text);
    static const char *const bad[] = {
        "", "f79c3e09677c4bbda4793f349cb785e7", "f79c3e09-677c-4bbd-a479-3f349cb785e",
        "g79c3e09-677c-4bbd-a479-3f349cb785e7", "f79c3e09-677c-4bbda-479-3f349cb785e7"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(!frz_uuid_parse(bad[i], strlen(bad[i]), &uuid));
}

static void ones(void *self, void *out, size_t size)
{
    (void)self;
    memset(out, 0xff, size);
}

static void test_random_ones_are_of_version_four(void **state)
{
    (void)state;
    const frz_uuid first = frz_uuid_random();
    const frz_uuid second = frz_uuid_random();
    CHECK(memcmp(first.bytes, second.bytes, 16) != 0);
    frz_clock_replace(&(frz_clock_ops){.random_bytes = ones});
    const frz_uuid fixed = frz_uuid_random();
    frz_clock_replace(NULL);
    char out[FRZ_UUID_TEXT_SIZE];
    frz_uuid_print(&fixed, out);
    assert_string_equal(out, "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_and_bytes_convert_both_ways),
        cmocka_unit_test(test_random_ones_are_of_version_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
