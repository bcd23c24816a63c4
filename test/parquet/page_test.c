#include "parquet/page.h"

#include "base/fail.h"
#include "harness.h"
#include "parquet/made_file.h"

static const frz_parquet_node optional_leaf = {
    .name = "c", .type = FRZ_PARQUET_INT32, .max_definition = 1};
static const uint8_t v1_levels[] = {2, 0, 0, 0, 0x06, 0x01}; /* length, three ones */
static const int32_t numbers[] = {7, 8, 9};

/* One page in a file; gives back header and body. */
static frz_status open_page(made_file *file, made_page page, frz_parquet_page_opener *opener,
                            frz_parquet_page_header *header, frz_parquet_page_parts *parts,
                            frz_error **err)
{
    bool cut = false;
    (void)made_column_begin(file);
    made_add_page(file, page);
    const frz_slice bytes = frz_slice_of(file->bytes.data + 4, file->bytes.size - 4);
    FRZ_TRY(frz_parquet_page_header_parse(bytes, 4, &frz_limits_default, header, &cut, err));
    const frz_slice body = frz_slice_of(bytes.data + header->header_size, header->compressed_size);
    CHECK(header->header_size + header->compressed_size == bytes.size);
    return frz_parquet_page_open(opener, header, body, parts, err);
}

static void test_parts_of_a_v1_page(void **state)
{
    (void)state;
    made_file file;
    made_begin(&file);
    file.with_crc = true;
    file.codec = FRZ_CODEC_SNAPPY;
    const frz_parquet_column_chunk chunk = {.codec = FRZ_CODEC_SNAPPY, .codec_known = true};
    frz_parquet_page_opener opener = {.chunk = &chunk, .leaf = &optional_leaf};
    frz_parquet_page_header header;
    frz_parquet_page_parts parts;
    frz_error *err = NULL;
    const made_page page = {.value_count = 3,
                            .definition = {v1_levels, sizeof v1_levels},
                            .values = {(const uint8_t *)numbers, sizeof numbers}};
    CHECK_OK(open_page(&file, page, &opener, &header, &parts, &err), err);
    CHECK(header.has_crc && header.value_count == 3 && header.encoding == FRZ_PARQUET_PLAIN);
    CHECK(parts.definition.size == 2 && parts.definition.data[0] == 0x06);
    CHECK(parts.repetition.size == 0 && !parts.definition_bit_packed);
    CHECK(parts.values.size == sizeof numbers && memcmp(parts.values.data, numbers, 12) == 0);
    frz_buffer_clear(&opener.buffer);
    made_clear(&file);
}

/* Field report D121: levels are never compressed, values only where the page says so. */
static void d121_parts_of_v2_pages_compressed_or_not(void **state)
{
    (void)state;
    for (int not_compressed = 0; not_compressed < 2; not_compressed++) {
        made_file file;
        made_begin(&file);
        file.codec = FRZ_CODEC_ZSTD;
        const frz_parquet_column_chunk chunk = {.codec = FRZ_CODEC_ZSTD, .codec_known = true};
        frz_parquet_page_opener opener = {.chunk = &chunk, .leaf = &optional_leaf};
        frz_parquet_page_header header;
        frz_parquet_page_parts parts;
        frz_error *err = NULL;
        const made_page page = {.type = FRZ_PARQUET_PAGE_DATA_V2,
                                .value_count = 3,
                                .row_count = 3,
                                .not_compressed = not_compressed,
                                .definition = {v1_levels + 4, 2},
                                .values = {(const uint8_t *)numbers, sizeof numbers}};
        CHECK_OK(open_page(&file, page, &opener, &header, &parts, &err), err);
        CHECK(header.compressed == !not_compressed && header.row_count == 3);
        CHECK(parts.definition.size == 2 && parts.definition.data[0] == 0x06);
        CHECK(parts.values.size == sizeof numbers && memcmp(parts.values.data, numbers, 12) == 0);
        frz_codec_context_clear(&opener.codecs);
        frz_buffer_clear(&opener.buffer);
        made_clear(&file);
    }
}

static void test_a_wrong_checksum_is_seen(void **state)
{
    (void)state;
    made_file file;
    made_begin(&file);
    file.with_crc = true;
    file.wrong_crc = true;
    const frz_parquet_column_chunk chunk = {.codec_known = true};
    frz_parquet_page_opener opener = {.chunk = &chunk, .leaf = &optional_leaf};
    frz_parquet_page_header header;
    frz_parquet_page_parts parts;
    frz_error *err = NULL;
    const made_page page = {.value_count = 3,
                            .definition = {v1_levels, sizeof v1_levels},
                            .values = {(const uint8_t *)numbers, sizeof numbers}};
    CHECK_FAILS(open_page(&file, page, &opener, &header, &parts, &err), FRZ_CORRUPT, err, "CRC is");
    made_clear(&file);
}

static frz_status open_raw(frz_parquet_page_header header, frz_codec codec, bool known, size_t size,
                           frz_error **err)
{
    static const uint8_t body[16] = {0xff, 0, 0, 0};
    const frz_parquet_column_chunk chunk = {
        .codec = codec, .codec_known = known, .codec_number = 3};
    frz_parquet_page_opener opener = {.chunk = &chunk, .leaf = &optional_leaf};
    frz_parquet_page_parts parts;
    const frz_status status =
        frz_parquet_page_open(&opener, &header, frz_slice_of(body, size), &parts, err);
    frz_codec_context_clear(&opener.codecs);
    frz_buffer_clear(&opener.buffer);
    return status;
}

static void test_contradictions_are_named(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_parquet_page_header header = {
        .uncompressed_size = 16, .value_count = 1, .definition_encoding = FRZ_PARQUET_RLE};
    CHECK_FAILS(open_raw(header, FRZ_CODEC_NONE, false, 16, &err), FRZ_UNSUPPORTED, err, "(LZO)");
    CHECK_FAILS(open_raw(header, FRZ_CODEC_NONE, true, 15, &err), FRZ_CORRUPT, err,
                "its two sizes differ");
    CHECK_FAILS(open_raw(header, FRZ_CODEC_NONE, true, 16, &err), FRZ_CORRUPT, err,
                "its levels are longer than the page");
    header.definition_encoding = FRZ_PARQUET_PLAIN;
    CHECK_FAILS(open_raw(header, FRZ_CODEC_NONE, true, 16, &err), FRZ_CORRUPT, err,
                "encoding 0 is none for levels");
    header.uncompressed_size = 1000000000;
    CHECK_FAILS(open_raw(header, FRZ_CODEC_SNAPPY, true, 16, &err), FRZ_CORRUPT, err,
                "16 snappy bytes cannot decompress to 1000000000 bytes");
    header = (frz_parquet_page_header){.type = FRZ_PARQUET_PAGE_DATA_V2,
                                       .uncompressed_size = 16,
                                       .definition_size = 10,
                                       .repetition_size = 7};
    CHECK_FAILS(open_raw(header, FRZ_CODEC_NONE, true, 16, &err), FRZ_CORRUPT, err,
                "its levels are longer than the page");
    header = (frz_parquet_page_header){.type = FRZ_PARQUET_PAGE_DATA_V2,
                                       .uncompressed_size = 16,
                                       .null_count = 2,
                                       .value_count = 1};
    CHECK_FAILS(open_raw(header, FRZ_CODEC_NONE, true, 16, &err), FRZ_CORRUPT, err,
                "more nulls than values");
}

static void test_headers_cut_or_flipped(void **state)
{
    (void)state;
    made_file file;
    made_begin(&file);
    (void)made_column_begin(&file);
    made_add_page(&file, (made_page){.type = FRZ_PARQUET_PAGE_DATA_V2, .value_count = 3});
    frz_parquet_page_header header;
    frz_error *err = NULL;
    bool cut = false;
    const size_t size = file.bytes.size - 4;
    for (size_t part = 0; part < size; part++) {
        CHECK(frz_parquet_page_header_parse(frz_slice_of(file.bytes.data + 4, part), 4,
                                            &frz_limits_default, &header, &cut,
                                            NULL) == FRZ_CORRUPT);
        CHECK(cut);
    }
    for (size_t bit = 0; bit < size * 8; bit++) {
        file.bytes.data[4 + bit / 8] ^= (uint8_t)(1u << bit % 8);
        const frz_status status = frz_parquet_page_header_parse(
            frz_slice_of(file.bytes.data + 4, size), 4, &frz_limits_default, &header, &cut, NULL);
        CHECK(status == FRZ_OK || status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED);
        file.bytes.data[4 + bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    frz_limits limits = frz_limits_default;
    limits.parquet_page_size = 1;
    const uint8_t large[] = {0x15, 0x02, 0x15, 0x04, 0x15, 0x04, 0};
    CHECK_FAILS(frz_parquet_page_header_parse(frz_slice_of(large, sizeof large), 4, &limits,
                                              &header, &cut, &err),
                FRZ_UNSUPPORTED, err, "page of 2 bytes at offset 4: over the limit");
    const uint8_t negative[] = {0x15, 0x02, 0x15, 0x03, 0x15, 0x04, 0};
    CHECK_FAILS(frz_parquet_page_header_parse(frz_slice_of(negative, sizeof negative), 4, &limits,
                                              &header, &cut, &err),
                FRZ_CORRUPT, err, "negative count or size");
    made_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_of_a_v1_page),
        cmocka_unit_test(d121_parts_of_v2_pages_compressed_or_not),
        cmocka_unit_test(test_a_wrong_checksum_is_seen),
        cmocka_unit_test(test_contradictions_are_named),
        cmocka_unit_test(test_headers_cut_or_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
