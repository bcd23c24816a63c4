/* Covers: base/codec_lz4 */
/* Streams of other encoders, and LZ4 in Hadoop's framing. */
#include "base/codec_format.h"

#include "harness.h"

static const char bzip2_bytes[] =
    "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x9e\x62\x5b\xfe\x00\x00\x02\x91\x00\x40\x00\x02\x44"
    "\xa0"
    "\x00\x21\x14\x60\x66\x82\x91\xef\x23\x47\x0b\xb9\x22\x9c\x28\x48\x4f\x31\x2d\xff\x00";
static const char xz_bytes[] = "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01"
                               "\x16\x00\x00\x00\x74\x2f\xe5\xa3"
                               "\xe0\x00\x10\x00\x0b\x5d\x00\x34\x19\x49\xee\x8d\xe9\x4f\x7e\x15"
                               "\xe0\x00\x00\x00\x4b\x88\xe6\xda"
                               "\x44\x80\x07\x76\x00\x01\x27\x11\xbc\x27\xf3\x90\x1f\xb6\xf3\x7d"
                               "\x01\x00\x00\x00\x00\x04\x59\x5a";
static const char plain[] = "hello hello hello";

static const struct {
    frz_codec codec;
    const char *bytes;
    size_t size;
} streams[] = {{FRZ_CODEC_BZIP2, bzip2_bytes, sizeof bzip2_bytes - 1},
               {FRZ_CODEC_XZ, xz_bytes, sizeof xz_bytes - 1}};

static void test_bzip2_and_xz_of_other_encoders_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        frz_error *err = NULL;
        frz_buffer out = {0};
        uint8_t known[17];
        const frz_slice bytes = frz_slice_of(streams[i].bytes, streams[i].size);
        CHECK_OK(frz_codec_decompress_unknown(NULL, streams[i].codec, bytes, 17, &out, &err), err);
        CHECK(frz_slice_is_text(frz_buffer_slice(&out), plain));
        CHECK_OK(frz_codec_decompress(NULL, streams[i].codec, bytes, known, 17, &err), err);
        CHECK(memcmp(known, plain, 17) == 0);
        CHECK_FAILS(frz_codec_decompress_unknown(NULL, streams[i].codec, bytes, 16, &out, &err),
                    FRZ_UNSUPPORTED, err, "limit of 16 bytes");
        frz_buffer_clear(&out);
    }
}

static void test_damaged_streams_are_corrupt(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t size = 0; size < streams[i].size; size++) {
            frz_buffer out = {0};
            uint8_t *part = malloc(size ? size : 1);
            memcpy(part, streams[i].bytes, size);
            CHECK(frz_codec_decompress_unknown(NULL, streams[i].codec, frz_slice_of(part, size),
                                               1000, &out, NULL) == FRZ_CORRUPT);
            CHECK(out.size == 0);
            free(part);
            frz_buffer_clear(&out);
        }
        for (size_t bit = 0; bit < streams[i].size * 8; bit++) {
            frz_buffer out = {0};
            uint8_t bytes[100];
            memcpy(bytes, streams[i].bytes, streams[i].size);
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            const frz_status status = frz_codec_decompress_unknown(
                NULL, streams[i].codec, frz_slice_of(bytes, streams[i].size), 1000, &out, NULL);
            CHECK(status != FRZ_OK || frz_slice_is_text(frz_buffer_slice(&out), plain));
            frz_buffer_clear(&out);
        }
    }
}

static void test_bytes_behind_a_stream_are_corrupt(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer out = {0};
    uint8_t bytes[100];
    memcpy(bytes, bzip2_bytes, sizeof bzip2_bytes - 1);
    bytes[sizeof bzip2_bytes - 1] = 7;
    CHECK_FAILS(frz_codec_decompress_unknown(NULL, FRZ_CODEC_BZIP2,
                                             frz_slice_of(bytes, sizeof bzip2_bytes), 1000, &out,
                                             &err),
                FRZ_CORRUPT, err, "bytes follow the end of the stream");
    frz_buffer_clear(&out);
}

static void append_u32be(frz_buffer *out, size_t value)
{
    frz_buffer_append_u32be(out, (uint32_t)value);
}

static frz_buffer lz4_block(const char *text)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    CHECK_OK(frz_codec_compress(NULL, FRZ_CODEC_LZ4_RAW, 0, frz_slice_of_text(text), &out, &err),
             err);
    return out;
}

static void test_the_three_lz4_framings_of_parquet_are_told_apart(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer first = lz4_block("hello ");
    frz_buffer second = lz4_block("world");
    frz_buffer hadoop = {0};
    uint8_t out[11];
    /* One run of two chunks, and two runs of one chunk each. */
    append_u32be(&hadoop, 11);
    append_u32be(&hadoop, first.size);
    frz_buffer_append(&hadoop, first.data, first.size);
    append_u32be(&hadoop, second.size);
    frz_buffer_append(&hadoop, second.data, second.size);
    CHECK_OK(
        frz_codec_decompress(NULL, FRZ_CODEC_LZ4_HADOOP, frz_buffer_slice(&hadoop), out, 11, &err),
        err);
    CHECK(memcmp(out, "hello world", 11) == 0);
    frz_buffer_reset(&hadoop);
    append_u32be(&hadoop, 6);
    append_u32be(&hadoop, first.size);
    frz_buffer_append(&hadoop, first.data, first.size);
    append_u32be(&hadoop, 5);
    append_u32be(&hadoop, second.size);
    frz_buffer_append(&hadoop, second.data, second.size);
    memset(out, 0, sizeof out);
    CHECK_OK(
        frz_codec_decompress(NULL, FRZ_CODEC_LZ4_HADOOP, frz_buffer_slice(&hadoop), out, 11, &err),
        err);
    CHECK(memcmp(out, "hello world", 11) == 0);
    CHECK_FAILS(
        frz_codec_decompress(NULL, FRZ_CODEC_LZ4_HADOOP, frz_buffer_slice(&hadoop), out, 10, &err),
        FRZ_CORRUPT, err, "is no block of 10 bytes");
    for (size_t size = 0; size < hadoop.size; size++)
        CHECK(frz_codec_decompress(NULL, FRZ_CODEC_LZ4_HADOOP, frz_slice_of(hadoop.data, size), out,
                                   11, NULL) == FRZ_CORRUPT);
    /* A raw block, and a frame. */
    CHECK_OK(
        frz_codec_decompress(NULL, FRZ_CODEC_LZ4_HADOOP, frz_buffer_slice(&first), out, 6, &err),
        err);
    frz_buffer_reset(&hadoop);
    CHECK_OK(frz_codec_compress(NULL, FRZ_CODEC_LZ4_FRAME, 0, frz_slice_of_text("hello world"),
                                &hadoop, &err),
             err);
    memset(out, 0, sizeof out);
    CHECK_OK(
        frz_codec_decompress(NULL, FRZ_CODEC_LZ4_HADOOP, frz_buffer_slice(&hadoop), out, 11, &err),
        err);
    CHECK(memcmp(out, "hello world", 11) == 0);
    frz_buffer_clear(&first);
    frz_buffer_clear(&second);
    frz_buffer_clear(&hadoop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bzip2_and_xz_of_other_encoders_are_read),
        cmocka_unit_test(test_damaged_streams_are_corrupt),
        cmocka_unit_test(test_bytes_behind_a_stream_are_corrupt),
        cmocka_unit_test(test_the_three_lz4_framings_of_parquet_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
