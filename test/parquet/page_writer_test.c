#include "parquet/page_writer.h"

#include "base/hash.h"
#include "base/mem.h"
#include "harness.h"
#include "parquet/thrift.h"

/* The integer fields of a page header and of the struct in field `part`; returns where the body
 * starts. */
static size_t read_header(const frz_parquet_page_bytes *page, int16_t part, int32_t top[5],
                          int32_t inner[9])
{
    frz_error *err = NULL;
    frz_thrift_reader reader = frz_thrift_reader_over(frz_slice_of(page->bytes, page->size), 8);
    const int16_t outer = frz_thrift_struct_begin(&reader);
    for (frz_thrift_field field; frz_thrift_field_next(&reader, &field);) {
        if (field.id < 5) {
            top[field.id] = frz_thrift_i32(&reader, field.type);
            continue;
        }
        CHECK(field.id == part);
        const int16_t before = frz_thrift_struct_begin(&reader);
        for (frz_thrift_field own; frz_thrift_field_next(&reader, &own);)
            inner[own.id] = own.type == FRZ_THRIFT_I32 ? frz_thrift_i32(&reader, own.type)
                                                       : frz_thrift_bool(&reader, own.type);
        frz_thrift_struct_end(&reader, before);
    }
    frz_thrift_struct_end(&reader, outer);
    CHECK_OK(frz_thrift_check(&reader, 0, "page header", &err), err);
    return reader.cursor.pos;
}

static const frz_parquet_node nested_leaf = {
    .type = FRZ_PARQUET_INT32, .max_definition = 3, .max_repetition = 1};
static const uint8_t definition[] = {3, 2, 1, 3};
static const uint8_t repetition[] = {0, 1, 0, 0};
static const int32_t values[] = {5, 6};

static frz_parquet_page_content some_content(void)
{
    return (frz_parquet_page_content){.leaf = &nested_leaf,
                                      .encoding = FRZ_PARQUET_PLAIN,
                                      .values = {(const uint8_t *)values, sizeof values},
                                      .slot_count = 4,
                                      .null_count = 2,
                                      .row_count = 3,
                                      .definition = definition,
                                      .repetition = repetition};
}

static void check_crc(const frz_parquet_page_bytes *page, size_t start, int32_t crc)
{
    CHECK((uint32_t)crc == frz_hash_crc32(0, page->bytes + start, page->size - start));
}

static void test_v1_puts_sized_levels_in_front_of_the_values(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_parquet_page_writer writer = {.codec = FRZ_CODEC_NONE};
    const frz_parquet_page_content content = some_content();
    frz_parquet_page_bytes page;
    int32_t top[5] = {0};
    int32_t inner[9] = {0};
    /* Sizes of 2; bit-packed groups of 8 in 1 and 2 bits. */
    static const uint8_t want[] = {2,    0,    0, 0, 3, 0x02, 3, 0, 0, 0, 3,
                                   0xdb, 0x00, 5, 0, 0, 0,    6, 0, 0, 0};
    CHECK_OK(frz_parquet_page_write(&writer, &content, &page, &err), err);
    const size_t start = read_header(&page, 5, top, inner);
    CHECK(page.size - start == sizeof want && memcmp(page.bytes + start, want, sizeof want) == 0);
    CHECK(top[1] == 0 && top[2] == sizeof want && top[3] == sizeof want);
    check_crc(&page, start, top[4]);
    CHECK(inner[1] == 4 && inner[2] == FRZ_PARQUET_PLAIN && inner[3] == FRZ_PARQUET_RLE &&
          inner[4] == FRZ_PARQUET_RLE);
    CHECK(page.uncompressed_size == page.size);
    frz_free(page.bytes);
    frz_parquet_page_writer_clear(&writer);
}

static void test_v2_keeps_levels_out_of_the_compression(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_parquet_page_writer writer = {.codec = FRZ_CODEC_SNAPPY, .data_page_v2 = true};
    frz_parquet_page_content content = some_content();
    frz_parquet_page_bytes page;
    int32_t top[5] = {0};
    int32_t inner[9] = {0};
    CHECK_OK(frz_parquet_page_write(&writer, &content, &page, &err), err);
    size_t start = read_header(&page, 8, top, inner);
    CHECK(memcmp(page.bytes + start, (uint8_t[]){3, 0x02, 3, 0xdb, 0x00}, 5) == 0);
    CHECK(top[1] == 3 && top[2] == 5 + 8 && top[3] == (int32_t)(page.size - start));
    check_crc(&page, start, top[4]);
    CHECK(inner[1] == 4 && inner[2] == 2 && inner[3] == 3 && inner[5] == 3 && inner[6] == 2 &&
          inner[7] == 1);
    int32_t back[2];
    CHECK_OK(frz_codec_decompress(NULL, FRZ_CODEC_SNAPPY,
                                  frz_slice_of(page.bytes + start + 5, page.size - start - 5),
                                  (uint8_t *)back, sizeof back, &err),
             err);
    CHECK(memcmp(back, values, sizeof values) == 0);
    frz_free(page.bytes);

    content.values.size = 0; /* nothing to compress: says that it did not */
    content.definition = NULL;
    CHECK_OK(frz_parquet_page_write(&writer, &content, &page, &err), err);
    start = read_header(&page, 8, top, inner);
    CHECK(inner[7] == 0 && page.size - start == 4);
    CHECK(memcmp(page.bytes + start + 2, (uint8_t[]){4 << 1, 3}, 2) ==
          0); /* one run of the greatest level */
    frz_free(page.bytes);
    frz_parquet_page_writer_clear(&writer);
}

static void test_a_dictionary_page(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_parquet_page_writer writer = {.codec = FRZ_CODEC_LZ4_RAW};
    frz_parquet_page_bytes page;
    int32_t top[5] = {0};
    int32_t inner[9] = {0};
    static const uint8_t plain[400];
    CHECK_OK(frz_parquet_page_write_dictionary(&writer, frz_slice_of(plain, 400), 100, &page, &err),
             err);
    const size_t start = read_header(&page, 7, top, inner);
    CHECK(top[1] == 2 && top[2] == 400 && top[3] < 100 && page.uncompressed_size == start + 400);
    check_crc(&page, start, top[4]);
    CHECK(inner[1] == 100 && inner[2] == FRZ_PARQUET_PLAIN);
    frz_free(page.bytes);
    frz_parquet_page_writer_clear(&writer);
}

static void test_a_page_over_the_format_s_size_is_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_parquet_page_writer writer = {.codec = FRZ_CODEC_NONE};
    frz_parquet_page_bytes page;
    CHECK_FAILS(frz_parquet_page_write_dictionary(
                    &writer, frz_slice_of(values, (size_t)INT32_MAX + 1), 1, &page, &err),
                FRZ_UNSUPPORTED, err, "a Parquet page of 2147483648 bytes");
    frz_parquet_page_writer_clear(&writer);
}

static void write_one(void)
{
    frz_error *err = NULL;
    frz_parquet_page_writer writer = {.codec = FRZ_CODEC_SNAPPY};
    const frz_parquet_page_content content = some_content();
    frz_parquet_page_bytes page = {0};
    const frz_status status = frz_parquet_page_write(&writer, &content, &page, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_free(page.bytes);
    frz_parquet_page_writer_clear(&writer);
    frz_error_free(err);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(write_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_v1_puts_sized_levels_in_front_of_the_values),
        cmocka_unit_test(test_v2_keeps_levels_out_of_the_compression),
        cmocka_unit_test(test_a_dictionary_page),
        cmocka_unit_test(test_a_page_over_the_format_s_size_is_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
