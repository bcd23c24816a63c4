/*
 * Bytes of the portable format, good and bad, each bad one named by its fault.
 */
#include "harness.h"

#include "puffin/bitmap.h"

static frz_status decode(const void *bytes, size_t size, frz_bitmap **out, frz_error **err)
{
    return frz_bitmap_decode(frz_slice_of(bytes, size), out, err);
}

/* {1, 3} and {2^32 + 5 .. 2^32 + 14}: an array, and runs without offsets. */
static const uint8_t good[] = {
    2,  0, 0, 0, 0,    0,    0, 0,                         /* two bitmaps */
    0,  0, 0, 0, 0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, /* key 0, no runs, 1: key, 2 values */
    16, 0, 0, 0, 1,    0,    3, 0,                         /* offset, 1, 3 */
    1,  0, 0, 0, 0x3b, 0x30, 0, 0, 1, 0, 0, 9, 0,          /* key 1, runs, 1: key, 10 values */
    1,  0, 5, 0, 9,    0,                                  /* one run: 5, 9 more */
};

static void test_hand_made_bytes_decode_and_encode_back(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_bitmap *bitmap = NULL;
    frz_buffer out = {0};
    CHECK_OK(decode(good, sizeof good, &bitmap, &err), err);
    CHECK(frz_bitmap_cardinality(bitmap) == 12);
    CHECK(frz_bitmap_contains(bitmap, 1) && frz_bitmap_contains(bitmap, 3));
    CHECK(frz_bitmap_contains(bitmap, INT64_C(4294967301)) && !frz_bitmap_contains(bitmap, 2));
    CHECK(frz_bitmap_last(bitmap) == INT64_C(4294967310));
    CHECK_OK(frz_bitmap_encode(bitmap, &out, &err), err);
    CHECK(out.size == sizeof good && memcmp(out.data, good, sizeof good) == 0);
    frz_buffer_clear(&out);
    frz_bitmap_free(bitmap);
}

static void test_each_fault_is_named_with_its_place(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t byte;
        const char *message;
        uint64_t offset;
    } faults[] = {
        {0, 5, "5 bitmaps in 43 bytes", 0},
        {7, 1, "bitmaps in 43 bytes", 0},
        {11, 0x80, "the highest bit of a position must be 0", 8},
        {12, 0x3c, "cookie 12348, expected 12346 or 12347", 12},
        {18, 1, "65537 containers, at most 65536", 16},
        {24, 15, "offset 15 of a container that begins at 16", 28},
        {30, 1, "values of an array container do not ascend", 28},
        {32, 0, "keys of bitmaps do not ascend: 0", 32},
        {43, 8, "10 values in a run container, expected 9", 45},
        {50, 0x39, NULL, 0},
    };
    for (size_t i = 0; faults[i].message; i++) {
        frz_error *err = NULL;
        frz_bitmap *bitmap = NULL;
        uint64_t offset = 0;
        uint8_t bytes[sizeof good];
        memcpy(bytes, good, sizeof good);
        bytes[faults[i].at] = faults[i].byte;
        const frz_status status = decode(bytes, sizeof bytes, &bitmap, &err);
        CHECK(frz_error_offset(err, &offset));
        if (offset != faults[i].offset)
            fail_msg("fault %zu: offset %llu", i, (unsigned long long)offset);
        CHECK_FAILS(status, FRZ_CORRUPT, err, faults[i].message);
        CHECK(bitmap == NULL);
    }
}

/* A key with its highest bit set would make negative positions, which match nothing. */
static void d030_a_key_of_negative_positions_is_refused(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0x80, 0x3a, 0x30, 0,
                                    0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0,    0,    5,    0};
    frz_error *err = NULL;
    frz_bitmap *bitmap = NULL;
    CHECK_FAILS(decode(bytes, sizeof bytes, &bitmap, &err), FRZ_CORRUPT, err,
                "the highest bit of a position must be 0");
    uint8_t positive[sizeof bytes];
    memcpy(positive, bytes, sizeof bytes);
    positive[11] = 0;
    CHECK_OK(decode(positive, sizeof positive, &bitmap, &err), err);
    CHECK(frz_bitmap_cardinality(bitmap) == 1 && frz_bitmap_contains(bitmap, 5));
    frz_bitmap_free(bitmap);
}

static void test_every_cut_and_a_byte_more_are_refused(void **state)
{
    (void)state;
    uint8_t longer[sizeof good + 1] = {0};
    frz_error *err = NULL;
    frz_bitmap *bitmap = NULL;
    memcpy(longer, good, sizeof good);
    CHECK_FAILS(decode(longer, sizeof longer, &bitmap, &err), FRZ_CORRUPT, err,
                "1 bytes behind its end");
    for (size_t size = 0; size < sizeof good; size++) {
        uint8_t *exact = frz_alloc(size); /* so that the sanitizer sees one byte too far */
        if (size)
            memcpy(exact, good, size);
        CHECK_FAILS(decode(exact, size, &bitmap, &err), FRZ_CORRUPT, err, "bitmap: ");
        frz_free(exact);
    }
}

/* No crash, and what is accepted is a set: it encodes and decodes to itself. */
static void test_every_flipped_bit_is_refused_or_safe(void **state)
{
    (void)state;
    int refused = 0;
    for (size_t bit = 0; bit < 8 * sizeof good; bit++) {
        frz_error *err = NULL;
        frz_bitmap *bitmap = NULL;
        frz_buffer out = {0};
        uint8_t bytes[sizeof good];
        memcpy(bytes, good, sizeof good);
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (decode(bytes, sizeof bytes, &bitmap, &err) == FRZ_OK) {
            CHECK_OK(frz_bitmap_encode(bitmap, &out, &err), err);
            CHECK(frz_bitmap_last(bitmap) >= 0);
        } else {
            CHECK(frz_error_status(err) == FRZ_CORRUPT);
            refused++;
        }
        frz_error_free(err);
        frz_bitmap_free(bitmap);
        frz_buffer_clear(&out);
    }
    CHECK(refused > 250);
}

static void test_run_containers_must_not_overlap_or_leave(void **state)
{
    (void)state;
    uint8_t bytes[] = {1, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,  0x3b, 0x30, 0, 0,
                       1, 0, 0, 19, 0, 2, 0, 5, 0, 9, 0, 15, 0,    9,    0};
    frz_error *err = NULL;
    frz_bitmap *bitmap = NULL;
    CHECK_OK(decode(bytes, sizeof bytes, &bitmap, &err), err); /* runs that touch are in order */
    CHECK(frz_bitmap_cardinality(bitmap) == 20 && frz_bitmap_last(bitmap) == 24);
    frz_bitmap_free(bitmap);
    bitmap = NULL;
    bytes[27] = 14;
    CHECK_FAILS(decode(bytes, sizeof bytes, &bitmap, &err), FRZ_CORRUPT, err,
                "overlaps or leaves it");
    bytes[27] = bytes[28] = 0xff;
    CHECK_FAILS(decode(bytes, sizeof bytes, &bitmap, &err), FRZ_CORRUPT, err,
                "overlaps or leaves it");
}

static void test_bitset_containers_have_the_bits_they_say(void **state)
{
    (void)state;
    uint8_t bytes[28 + 8192] = {1, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0,  0, 0x3a, 0x30,
                                0, 0, 1, 0, 0, 0, 0, 0, 0x00, 0x10, 16, 0, 0,    0}; /* 4097 */
    frz_error *err = NULL;
    frz_bitmap *bitmap = NULL;
    memset(bytes + 28, 0xff, 4096 / 8);
    CHECK_FAILS(decode(bytes, sizeof bytes, &bitmap, &err), FRZ_CORRUPT, err,
                "4096 bits in a bitset container, expected 4097");
    bytes[sizeof bytes - 1] = 0x80;
    CHECK_OK(decode(bytes, sizeof bytes, &bitmap, &err), err);
    CHECK(frz_bitmap_cardinality(bitmap) == 4097 && frz_bitmap_last(bitmap) == 65535);
    frz_bitmap_free(bitmap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hand_made_bytes_decode_and_encode_back),
        cmocka_unit_test(test_each_fault_is_named_with_its_place),
        cmocka_unit_test(d030_a_key_of_negative_positions_is_refused),
        cmocka_unit_test(test_every_cut_and_a_byte_more_are_refused),
        cmocka_unit_test(test_every_flipped_bit_is_refused_or_safe),
        cmocka_unit_test(test_run_containers_must_not_overlap_or_leave),
        cmocka_unit_test(test_bitset_containers_have_the_bits_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
