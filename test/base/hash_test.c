#include "base/hash.h"

#include "harness.h"

/* Iceberg spec, Appendix B: the test values of the table, hashed from their serialised bytes. */
static const struct {
    const char *what;
    const char *bytes;
    size_t size;
    int32_t want;
} vectors[] = {
    {"34L", "\x22\0\0\0\0\0\0\0", 8, 2017239379},
    {"14.20 (unscaled 1420)", "\x05\x8c", 2, -500754589},
    {"iceberg", "iceberg", 7, 1210000089},
    {"00 01 02 03", "\0\1\2\3", 4, -188683207},
    {"uuid f79c3e09-677c-4bbd-a479-3f349cb785e7",
     "\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7", 16, 1488055340},
    {"date 2017-11-16 (17486)", "\x4e\x44\0\0\0\0\0\0", 8, -653330422},
    {"true", "\1\0\0\0\0\0\0\0", 8, 1392991556},
    {"1.0", "\0\0\0\0\0\0\xf0\x3f", 8, -142385009},
    {"0.0", "\0\0\0\0\0\0\0\0", 8, 1669671676},
};

static void test_murmur3_gives_the_values_of_appendix_b(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const int32_t got = frz_hash_murmur3(vectors[i].bytes, vectors[i].size);
        if (got != vectors[i].want)
            fail_msg("%s: %d, want %d", vectors[i].what, got, vectors[i].want);
    }
}

static void test_murmur3_hashes_every_tail_length(void **state)
{
    (void)state;
    /* Computed with the reference implementation, seed 0. */
    CHECK(frz_hash_murmur3("", 0) == 0);
    CHECK((uint32_t)frz_hash_murmur3("a", 1) == 0x3c2569b2);
    CHECK((uint32_t)frz_hash_murmur3("abc", 3) == 0xb3dd93fa);
    CHECK((uint32_t)frz_hash_murmur3("test", 4) == 0xba6bd213);
    CHECK((uint32_t)frz_hash_murmur3("Hello, world!", 13) == 0xc0363e43);
}

static void test_xxh64_and_crc32_give_their_published_values(void **state)
{
    (void)state;
    CHECK(frz_hash_xxh64("", 0, 0) == UINT64_C(0xef46db3751d8e999));
    CHECK(frz_hash_xxh64("a", 1, 0) == UINT64_C(0xd24ec4f1a98c6e5b));
    CHECK(frz_hash_crc32(0, "123456789", 9) == 0xcbf43926);
    CHECK(frz_hash_crc32(0, NULL, 0) == 0);
}

/* Published test vectors of xxHash: the empty input, with seed 0 and with its prime as the seed. */
static void test_xxh3_of_rows_is_that_of_their_bytes(void **state)
{
    (void)state;
    CHECK(frz_hash_xxh3(NULL, 0, 0) == UINT64_C(0x2d06800538d394c2));
    CHECK(frz_hash_xxh3("", 0, UINT64_C(0x9e3779b185ebca8d)) == UINT64_C(0xa8a6b918b2f0364a));
    const uint64_t words[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    for (size_t width = 1; width <= 4; width++) {
        uint64_t hashes[12] = {0};
        frz_hash_rows(words, width, 12 / width, 7, hashes);
        for (size_t i = 0; i < 12 / width; i++)
            CHECK(hashes[i] == frz_hash_xxh3(words + i * width, width * sizeof *words, 7));
    }
}

static void test_crc32_continues_where_it_stopped(void **state)
{
    (void)state;
    const uint32_t first = frz_hash_crc32(0, "1234", 4);
    CHECK(frz_hash_crc32(first, "56789", 5) == 0xcbf43926);
    CHECK(frz_hash_crc32(first, NULL, 0) == first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_murmur3_gives_the_values_of_appendix_b),
        cmocka_unit_test(test_murmur3_hashes_every_tail_length),
        cmocka_unit_test(test_xxh64_and_crc32_give_their_published_values),
        cmocka_unit_test(test_xxh3_of_rows_is_that_of_their_bytes),
        cmocka_unit_test(test_crc32_continues_where_it_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
