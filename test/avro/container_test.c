#include "avro/container.h"

#include "base/hash.h"
#include "fixture.h"

static void open_fails(frz_slice bytes, frz_status want, const char *message, uint64_t offset)
{
    frz_error *err = NULL;
    frz_avro_container c;
    uint64_t found = UINT64_MAX;
    bytes_input input = input_over(bytes);
    const frz_status status = frz_avro_container_open(&c, &input.base, &frz_limits_default, &err);
    if (offset != UINT64_MAX)
        CHECK(frz_error_offset(err, &found) && found == offset);
    CHECK_FAILS(status, want, err, message);
}

static void test_metadata_and_blocks_are_found(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_avro_container c;
    frz_avro_block block = {0};
    frz_slice value = {0};
    frz_buffer_append(&file, "Obj\x01", 4);
    put_long(&file, -2); /* a sized block of metadata */
    put_long(&file, 21);
    put_text(&file, "avro.schema");
    put_text(&file, "\"int\"");
    put_text(&file, "k");
    put_text(&file, "");
    put_long(&file, 1);
    put_text(&file, "avro.codec");
    put_text(&file, "null");
    put_long(&file, 0);
    frz_buffer_append(&file, sync_marker, 16);
    put_block(&file, 2, "\x02\x04", 2);
    put_block(&file, 0, "", 0);
    put_block(&file, 1, "\x06", 1);
    for (int mapped = 0; mapped < 2; mapped++) {
        bytes_input input = input_over(frz_buffer_slice(&file));
        input.mapped = mapped;
        CHECK_OK(frz_avro_container_open(&c, &input.base, &frz_limits_default, &err), err);
        CHECK(c.metadata_count == 3 && frz_avro_container_find(&c, "k", &value) && value.size == 0);
        CHECK(frz_avro_container_find(&c, "avro.schema", &value) &&
              frz_slice_is_text(value, "\"int\""));
        CHECK(!frz_avro_container_find(&c, "nope", &value));
        CHECK_OK(frz_avro_container_next(&c, &block, &err), err);
        CHECK(block.count == 2 && block.bytes.size == 2 && block.bytes.data[1] == 4 &&
              !block.packed);
        CHECK_OK(frz_avro_container_next(&c, &block, &err), err);
        CHECK(block.count == 0 && block.bytes.size == 0);
        CHECK_OK(frz_avro_container_next(&c, &block, &err), err);
        CHECK(block.count == 1 && block.offset == file.size - 17);
        CHECK(frz_avro_container_next(&c, &block, &err) == FRZ_END);
        CHECK(input.reads == (mapped ? 0 : 1)); /* a small file is one read */
        frz_avro_container_clear(&c);
    }
    frz_buffer_clear(&file);
}

static void test_bad_headers_are_named(void **state)
{
    (void)state;
    frz_buffer file = {0};
    open_fails(frz_slice_of("", 0), FRZ_CORRUPT, "the file ends inside it", 0);
    open_fails(frz_slice_of("PAR1....", 8), FRZ_CORRUPT, "begins with 50 41 52 31", 0);
    frz_buffer_append(&file, "Obj\x01\x02\x01x", 7);
    open_fails(frz_buffer_slice(&file), FRZ_CORRUPT, "a negative length", UINT64_MAX);
    frz_buffer_reset(&file);
    put_header(&file, "\"int\"", "lzma2");
    open_fails(frz_buffer_slice(&file), FRZ_UNSUPPORTED, "Avro codec \"lzma2\"", UINT64_MAX);
    for (size_t size = 4; size < file.size; size++)
        open_fails(frz_slice_of(file.data, size), FRZ_CORRUPT, "the file ends inside it", size);
    frz_buffer_clear(&file);
}

static void next_fails(const frz_buffer *file, frz_status want, const char *message)
{
    frz_error *err = NULL;
    frz_avro_container c;
    frz_avro_block block = {0};
    frz_avro_unpacker unpacker = {0};
    bytes_input input = input_over(frz_buffer_slice(file));
    CHECK_OK(frz_avro_container_open(&c, &input.base, &frz_limits_default, &err), err);
    frz_status status = frz_avro_container_next(&c, &block, &err);
    if (status == FRZ_OK)
        status = frz_avro_block_unpack(&c, &unpacker, &block, &err);
    CHECK_FAILS(status, want, err, message);
    frz_avro_unpacker_clear(&unpacker);
    frz_avro_container_clear(&c);
}

static void test_bad_blocks_are_named(void **state)
{
    (void)state;
    frz_buffer file = {0};
    put_header(&file, "\"int\"", NULL);
    const size_t start = file.size;
    put_block(&file, 1, "\x02", 1);
    file.data[file.size - 1] ^= 1;
    next_fails(&file, FRZ_CORRUPT, "the sync marker behind it is not the file's");
    file.size = start;
    put_block(&file, -1, "\x02", 1);
    next_fails(&file, FRZ_CORRUPT, "count -1, size 1");
    file.size = start;
    put_long(&file, 1);
    put_long(&file, INT64_C(1) << 40);
    frz_buffer_append(&file, sync_marker, 16);
    next_fails(&file, FRZ_CORRUPT, "1099511627776 bytes and a sync marker, 16 are left");
    file.size = start;
    put_long(&file, 1);
    next_fails(&file, FRZ_CORRUPT, "the file ends inside its count and size");
    frz_buffer_clear(&file);
}

static void test_snappy_blocks_carry_a_checksum(void **state)
{
    (void)state;
    static const char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_buffer packed = {0};
    frz_avro_container c;
    frz_avro_block block = {0};
    frz_avro_unpacker unpacker = {0};
    put_header(&file, "\"int\"", "snappy");
    const size_t start = file.size;
    CHECK_OK(frz_codec_compress(NULL, FRZ_CODEC_SNAPPY, FRZ_CODEC_LEVEL_DEFAULT,
                                frz_slice_of(text, sizeof text), &packed, &err),
             err);
    frz_buffer_append_u32be(&packed, frz_hash_crc32(0, text, sizeof text));
    put_block(&file, 41, packed.data, packed.size);
    bytes_input input = input_over(frz_buffer_slice(&file));
    CHECK_OK(frz_avro_container_open(&c, &input.base, &frz_limits_default, &err), err);
    size_t size = 0;
    CHECK_OK(frz_avro_container_peek(&c, &size, &err), err);
    CHECK(size == packed.size);
    CHECK_OK(frz_avro_container_next(&c, &block, &err), err);
    CHECK(block.packed && block.bytes.size == packed.size);
    CHECK(frz_avro_container_peek(&c, &size, &err) == FRZ_END);
    CHECK_OK(frz_avro_block_unpack(&c, &unpacker, &block, &err), err);
    CHECK(block.packed && block.bytes.size == sizeof text &&
          memcmp(block.bytes.data, text, 41) == 0);
    frz_avro_unpacker_clear(&unpacker);
    frz_avro_container_clear(&c);
    packed.data[packed.size - 1] ^= 1;
    file.size = start;
    put_block(&file, 41, packed.data, packed.size);
    next_fails(&file, FRZ_CORRUPT, "Avro block: checksum");
    file.size = start;
    put_block(&file, 41, packed.data, 3);
    next_fails(&file, FRZ_CORRUPT, "3 bytes, no room for a checksum");
    frz_buffer_clear(&packed);
    frz_buffer_clear(&file);
}

static void test_headers_beyond_the_window_are_read(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_avro_container c;
    frz_slice value = {0};
    frz_buffer_append(&file, "Obj\x01", 4);
    put_long(&file, 1);
    put_text(&file, "big");
    put_long(&file, (int64_t)5 << 20);
    frz_buffer_append_fill(&file, 'x', (size_t)5 << 20);
    put_long(&file, 0);
    frz_buffer_append(&file, sync_marker, 16);
    bytes_input input = input_over(frz_buffer_slice(&file));
    CHECK_OK(frz_avro_container_open(&c, &input.base, &frz_limits_default, &err), err);
    CHECK(frz_avro_container_find(&c, "big", &value) && value.size == (size_t)5 << 20);
    frz_avro_container_clear(&c);
    frz_limits narrow = frz_limits_default;
    narrow.avro_header_size = (size_t)4 << 20;
    CHECK_FAILS(frz_avro_container_open(&c, &input.base, &narrow, &err), FRZ_UNSUPPORTED, err,
                "limit avro_header_size");
    frz_buffer_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metadata_and_blocks_are_found),
        cmocka_unit_test(test_bad_headers_are_named),
        cmocka_unit_test(test_bad_blocks_are_named),
        cmocka_unit_test(test_snappy_blocks_carry_a_checksum),
        cmocka_unit_test(test_headers_beyond_the_window_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
