#include "base/codec.h"

#include "harness.h"

static const frz_codec writable[] = {FRZ_CODEC_NONE,    FRZ_CODEC_SNAPPY,   FRZ_CODEC_GZIP,
                                     FRZ_CODEC_DEFLATE, FRZ_CODEC_ZSTD,     FRZ_CODEC_LZ4_RAW,
                                     FRZ_CODEC_BROTLI,  FRZ_CODEC_LZ4_FRAME};
enum { WRITABLE_COUNT = sizeof writable / sizeof writable[0] };

/* Text-like bytes: runs, repeats and noise. */
static void fill_sample(uint8_t *bytes, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] =
            (seed >> 28) < 12 && i >= 40 ? bytes[i - 40 + (seed >> 20 & 7)] : (uint8_t)(seed >> 24);
    }
}

static bool knows_its_size(frz_codec codec)
{
    return codec != FRZ_CODEC_LZ4_RAW;
}

static void check_round_trip(frz_codec_context *context, frz_codec codec, const uint8_t *sample,
                             size_t size)
{
    frz_error *err = NULL;
    frz_buffer packed = {0};
    frz_buffer grown = {0};
    uint8_t *back = malloc(size ? size : 1);
    CHECK_OK(frz_codec_compress(context, codec, FRZ_CODEC_LEVEL_DEFAULT, frz_slice_of(sample, size),
                                &packed, &err),
             err);
    const frz_slice bytes = frz_buffer_slice(&packed);
    CHECK_OK(frz_codec_decompress(context, codec, bytes, back, size, &err), err);
    CHECK(memcmp(back, sample, size) == 0);
    CHECK_FAILS(frz_codec_decompress(context, codec, bytes, NULL, 0, &err),
                size ? FRZ_CORRUPT : FRZ_OK, err, "");
    if (knows_its_size(codec)) {
        frz_buffer_append_text(&grown, "before");
        CHECK_OK(frz_codec_decompress_unknown(context, codec, bytes, size, &grown, &err), err);
        CHECK(grown.size == size + 6 && memcmp(grown.data + 6, sample, size) == 0);
        CHECK(memcmp(grown.data, "before", 6) == 0);
        if (size > 0) {
            CHECK_FAILS(frz_codec_decompress_unknown(context, codec, bytes, size - 1, &grown, &err),
                        FRZ_UNSUPPORTED, err, "limit of");
            CHECK(grown.size == size + 6);
        }
    }
    free(back);
    frz_buffer_clear(&packed);
    frz_buffer_clear(&grown);
}

static void test_every_codec_gives_back_what_it_took(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 100, 4095, 65536, 70000, 1048576};
    uint8_t *sample = malloc(1048576);
    frz_codec_context context = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fill_sample(sample, sizes[i], (uint32_t)i);
        for (size_t c = 0; c < WRITABLE_COUNT; c++) {
            check_round_trip(&context, writable[c], sample, sizes[i]);
            check_round_trip(NULL, writable[c], sample, sizes[i]);
        }
    }
    memset(sample, 0, 1048576); /* the highest ratios */
    for (size_t c = 0; c < WRITABLE_COUNT; c++)
        check_round_trip(&context, writable[c], sample, 1048576);
    frz_codec_context_clear(&context);
    free(sample);
}

static void test_a_wrong_size_is_corrupt_and_says_both(void **state)
{
    (void)state;
    uint8_t sample[300];
    uint8_t out[400];
    fill_sample(sample, sizeof sample, 1);
    for (size_t c = 1; c < WRITABLE_COUNT; c++) {
        frz_error *err = NULL;
        frz_buffer packed = {0};
        CHECK_OK(frz_codec_compress(NULL, writable[c], FRZ_CODEC_LEVEL_DEFAULT,
                                    frz_slice_of(sample, sizeof sample), &packed, &err),
                 err);
        const frz_slice bytes = frz_buffer_slice(&packed);
        CHECK_FAILS(frz_codec_decompress(NULL, writable[c], bytes, out, 299, &err), FRZ_CORRUPT,
                    err, frz_codec_name(writable[c]));
        CHECK_FAILS(frz_codec_decompress(NULL, writable[c], bytes, out, 301, &err), FRZ_CORRUPT,
                    err, "bytes");
        frz_buffer_clear(&packed);
    }
    frz_error *err = NULL;
    CHECK_FAILS(
        frz_codec_decompress(NULL, FRZ_CODEC_NONE, frz_slice_of(sample, 300), out, 301, &err),
        FRZ_CORRUPT, err,
        "uncompressed data of 300 bytes: expected 301 bytes decompressed, got 300");
}

/* Each prefix must be refused, each flipped bit refused or decompressed to the right size; no
 * sanitizer may speak up. */
static void test_truncated_and_flipped_bytes_are_safe(void **state)
{
    (void)state;
    enum { SIZE = 600 };
    uint8_t sample[SIZE];
    uint8_t out[SIZE];
    fill_sample(sample, SIZE, 5);
    frz_codec_context context = {0};
    for (size_t c = 1; c < WRITABLE_COUNT; c++) {
        frz_buffer packed = {0};
        frz_error *err = NULL;
        CHECK_OK(frz_codec_compress(&context, writable[c], FRZ_CODEC_LEVEL_DEFAULT,
                                    frz_slice_of(sample, SIZE), &packed, &err),
                 err);
        for (size_t size = 0; size < packed.size; size++) {
            uint8_t *part = malloc(size ? size : 1); /* the exact size: an over-read is seen */
            memcpy(part, packed.data, size);
            frz_buffer grown = {0};
            CHECK(frz_codec_decompress(&context, writable[c], frz_slice_of(part, size), out, SIZE,
                                       NULL) == FRZ_CORRUPT);
            if (knows_its_size(writable[c]))
                CHECK(frz_codec_decompress_unknown(&context, writable[c], frz_slice_of(part, size),
                                                   SIZE, &grown, NULL) != FRZ_OK);
            frz_buffer_clear(&grown);
            free(part);
        }
        for (size_t bit = 0; bit < packed.size * 8; bit++) {
            packed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            const frz_slice bytes = frz_buffer_slice(&packed);
            frz_buffer grown = {0};
            const frz_status status =
                frz_codec_decompress(&context, writable[c], bytes, out, SIZE, NULL);
            CHECK(status == FRZ_OK || status == FRZ_CORRUPT);
            (void)!frz_codec_decompress_unknown(&context, writable[c], bytes, SIZE, &grown, NULL);
            CHECK(grown.size <= SIZE);
            frz_buffer_clear(&grown);
            packed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        frz_buffer_clear(&packed);
    }
    frz_codec_context_clear(&context);
}

static void test_gzip_members_follow_each_other(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer packed = {0};
    frz_buffer grown = {0};
    uint8_t out[11];
    CHECK_OK(frz_codec_compress(NULL, FRZ_CODEC_GZIP, 9, frz_slice_of("hello ", 6), &packed, &err),
             err);
    CHECK_OK(frz_codec_compress(NULL, FRZ_CODEC_GZIP, 0, frz_slice_of("world", 5), &packed, &err),
             err);
    CHECK_OK(frz_codec_decompress(NULL, FRZ_CODEC_GZIP, frz_buffer_slice(&packed), out, 11, &err),
             err);
    CHECK(memcmp(out, "hello world", 11) == 0);
    CHECK_OK(frz_codec_decompress_unknown(NULL, FRZ_CODEC_GZIP, frz_buffer_slice(&packed), 11,
                                          &grown, &err),
             err);
    CHECK(frz_slice_is_text(frz_buffer_slice(&grown), "hello world"));
    frz_buffer_append_text(&packed, "rest");
    CHECK_FAILS(
        frz_codec_decompress(NULL, FRZ_CODEC_GZIP, frz_buffer_slice(&packed), out, 11, &err),
        FRZ_CORRUPT, err, "gzip data of");
    frz_buffer_clear(&packed);
    frz_buffer_clear(&grown);
}

static void test_levels_are_checked_and_change_the_result(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer fast = {0};
    frz_buffer small = {0};
    uint8_t sample[20000];
    fill_sample(sample, sizeof sample, 3);
    frz_codec_context context = {0};
    const frz_slice bytes = frz_slice_of(sample, sizeof sample);
    CHECK_OK(frz_codec_compress(&context, FRZ_CODEC_DEFLATE, 1, bytes, &fast, &err), err);
    CHECK_OK(frz_codec_compress(&context, FRZ_CODEC_DEFLATE, 12, bytes, &small, &err), err);
    CHECK(small.size < fast.size);
    CHECK_FAILS(frz_codec_compress(&context, FRZ_CODEC_GZIP, 13, bytes, &fast, &err), FRZ_INVALID,
                err, "compression level 13 for gzip: expected 0 to 12");
    CHECK_FAILS(frz_codec_compress(&context, FRZ_CODEC_ZSTD, 99, bytes, &fast, &err), FRZ_INVALID,
                err, "for zstd");
    CHECK_FAILS(frz_codec_compress(&context, FRZ_CODEC_BROTLI, -1, bytes, &fast, &err), FRZ_INVALID,
                err, "for brotli");
    frz_codec_context_clear(&context);
    frz_buffer_clear(&fast);
    frz_buffer_clear(&small);
}

static void test_codecs_that_are_only_read_are_refused_by_name(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer out = {0};
    const frz_slice bytes = frz_slice_of_text("x");
    CHECK_FAILS(
        frz_codec_compress(NULL, FRZ_CODEC_BZIP2, FRZ_CODEC_LEVEL_DEFAULT, bytes, &out, &err),
        FRZ_UNSUPPORTED, err, "bzip2");
    CHECK_FAILS(frz_codec_compress(NULL, FRZ_CODEC_XZ, FRZ_CODEC_LEVEL_DEFAULT, bytes, &out, &err),
                FRZ_UNSUPPORTED, err, "xz");
    CHECK_FAILS(
        frz_codec_compress(NULL, FRZ_CODEC_LZ4_HADOOP, FRZ_CODEC_LEVEL_DEFAULT, bytes, &out, &err),
        FRZ_UNSUPPORTED, err, "lz4");
    CHECK_FAILS(frz_codec_decompress_unknown(NULL, FRZ_CODEC_LZ4_RAW, bytes, 10, &out, &err),
                FRZ_UNSUPPORTED, err, "without a recorded size");
    CHECK(out.size == 0);
}

static void test_a_snappy_length_it_cannot_hold_allocates_nothing(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer out = {0};
    const frz_slice bytes = frz_slice_of("\xff\xff\xff\x7f\0", 5);
    CHECK_FAILS(frz_codec_decompress_unknown(NULL, FRZ_CODEC_SNAPPY, bytes, SIZE_MAX, &out, &err),
                FRZ_CORRUPT, err, "more than it can hold");
    CHECK(out.capacity == 0);
}

static void sweep_body(void)
{
    for (size_t c = 0; c < WRITABLE_COUNT; c++) {
        frz_error *err = NULL;
        frz_buffer packed = {0};
        frz_buffer grown = {0};
        uint8_t out[11];
        frz_status status = frz_codec_compress(NULL, writable[c], FRZ_CODEC_LEVEL_DEFAULT,
                                               frz_slice_of("hello world", 11), &packed, &err);
        if (status == FRZ_OK)
            status =
                frz_codec_decompress(NULL, writable[c], frz_buffer_slice(&packed), out, 11, &err);
        if (status == FRZ_OK && knows_its_size(writable[c]))
            status = frz_codec_decompress_unknown(NULL, writable[c], frz_buffer_slice(&packed), 11,
                                                  &grown, &err);
        CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
        frz_error_free(err);
        frz_buffer_clear(&packed);
        frz_buffer_clear(&grown);
    }
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(sweep_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_codec_gives_back_what_it_took),
        cmocka_unit_test(test_a_wrong_size_is_corrupt_and_says_both),
        cmocka_unit_test(test_truncated_and_flipped_bytes_are_safe),
        cmocka_unit_test(test_gzip_members_follow_each_other),
        cmocka_unit_test(test_levels_are_checked_and_change_the_result),
        cmocka_unit_test(test_codecs_that_are_only_read_are_refused_by_name),
        cmocka_unit_test(test_a_snappy_length_it_cannot_hold_allocates_nothing),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
