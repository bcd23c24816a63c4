#include "parquet/footer_writer.h"

#include "harness.h"
#include "parquet/thrift.h"

static const frz_parquet_node leaf = {.type = FRZ_PARQUET_INT32};

/* Pages of an int32 column with these bounds; {0, -1} is a page of nulls. */
static int32_t order_of(const int32_t (*pages)[2], size_t count)
{
    frz_buffer bounds = {0};
    frz_buffer out = {0};
    frz_parquet_page_entry entries[4] = {0};
    for (size_t i = 0; i < count; i++) {
        entries[i].has_bounds = pages[i][0] <= pages[i][1];
        entries[i].all_null = !entries[i].has_bounds;
        entries[i].min_at = bounds.size;
        entries[i].max_at = bounds.size + 4;
        entries[i].min_size = entries[i].max_size = 4;
        entries[i].null_count = (int64_t)i;
        frz_buffer_append(&bounds, pages[i], 8);
    }
    frz_parquet_column_index_write(&leaf, entries, count, bounds.data, &out);
    int32_t order = -1;
    frz_thrift_reader reader = frz_thrift_reader_over(frz_buffer_slice(&out), 8);
    const int16_t outer = frz_thrift_struct_begin(&reader);
    for (frz_thrift_field field; frz_thrift_field_next(&reader, &field);) {
        if (field.id == 4)
            order = frz_thrift_i32(&reader, field.type);
        else
            frz_thrift_skip(&reader, field.type);
        CHECK(field.id != 8); /* NaN counts are for floating point alone */
    }
    frz_thrift_struct_end(&reader, outer);
    CHECK(frz_thrift_check(&reader, 0, "column index", NULL) == FRZ_OK);
    frz_buffer_clear(&bounds);
    frz_buffer_clear(&out);
    return order;
}

static void test_the_boundary_order_looks_past_pages_of_nulls(void **state)
{
    (void)state;
    CHECK(order_of((const int32_t[][2]){{1, 2}, {0, -1}, {2, 5}}, 3) == 1);
    CHECK(order_of((const int32_t[][2]){{7, 9}, {3, 9}, {0, -1}, {-2, 1}}, 4) == 2);
    CHECK(order_of((const int32_t[][2]){{1, 9}, {2, 3}}, 2) == 0);
    CHECK(order_of((const int32_t[][2]){{1, 9}}, 1) == 1);
}

static void test_an_offset_index(void **state)
{
    (void)state;
    frz_buffer out = {0};
    const frz_parquet_page_entry pages[] = {{.offset = 4, .size = 30, .first_row = 0},
                                            {.offset = 34, .size = 7, .first_row = 100}};
    /* list of 2 structs: i64 4, i32 30, i64 0; i64 34, i32 7, i64 100 (zigzag varints) */
    static const uint8_t want[] = {0x19, 0x2c, 0x16, 0x08, 0x15, 0x3c, 0x16, 0x00, 0x00,
                                   0x16, 0x44, 0x15, 0x0e, 0x16, 0xc8, 0x01, 0x00, 0x00};
    frz_parquet_offset_index_write(pages, 2, &out);
    CHECK(out.size == sizeof want && memcmp(out.data, want, sizeof want) == 0);
    frz_buffer_clear(&out);
}

static void test_a_footer_parses_back(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_buffer out = {0};
    const char *path[] = {"d"};
    const frz_parquet_node node = {.type = FRZ_PARQUET_DOUBLE};
    frz_parquet_leaf column = {.node = &node, .path = path, .path_count = 1};
    frz_parquet_element elements[] = {{.name = "table", .child_count = 1, .converted = -1},
                                      {.name = "d",
                                       .has_type = true,
                                       .type = FRZ_PARQUET_DOUBLE,
                                       .has_repetition = true,
                                       .repetition = FRZ_PARQUET_OPTIONAL,
                                       .has_field_id = true,
                                       .field_id = 0,
                                       .converted = -1}};
    const frz_parquet_write_schema schema = {
        .elements = elements, .element_count = 2, .leaves = &column, .leaf_count = 1};
    const double least = -1.5;
    frz_parquet_chunk_entry chunk = {.leaf = &column,
                                     .codec = FRZ_CODEC_ZSTD,
                                     .pages_plain = 1,
                                     .pages_dictionary = 2,
                                     .slot_count = 10,
                                     .uncompressed_size = 100,
                                     .compressed_size = 60,
                                     .data_page_offset = 24,
                                     .dictionary_page_offset = 4,
                                     .has_statistics = true,
                                     .offset_index_at = 70,
                                     .offset_index_size = 5};
    chunk.statistics = (frz_parquet_statistics){.has_min = true,
                                                .has_max = true,
                                                .min_exact = true,
                                                .min = frz_slice_of(&least, 8),
                                                .max = frz_slice_of(&least, 8),
                                                .null_count = 3,
                                                .nan_count = 2};
    const frz_parquet_group_entry group = {.chunks = &chunk, .offset = 4, .row_count = 10};
    const frz_parquet_key_value pair = {"k", {(const uint8_t *)"v", 1}};
    const frz_parquet_footer footer = {.schema = &schema,
                                       .groups = &group,
                                       .group_count = 1,
                                       .row_count = 10,
                                       .key_values = &pair,
                                       .key_value_count = 1};
    frz_parquet_metadata read = {0};
    frz_parquet_footer_write(&footer, &out);
    CHECK_OK(frz_parquet_metadata_parse(frz_buffer_slice(&out), 0, &frz_limits_default, &arena,
                                        &read, &err),
             err);
    CHECK(read.version == 1 && read.row_count == 10 && read.row_group_count == 1);
    CHECK(strcmp(read.created_by, "frazil version 0.1.0") == 0 && read.type_defined_order);
    CHECK(read.leaves[0]->has_field_id && read.leaves[0]->field_id == 0 &&
          read.leaves[0]->nullable);
    const frz_parquet_column_chunk *back = &read.row_groups[0].columns[0];
    CHECK(back->codec == FRZ_CODEC_ZSTD && back->value_count == 10 && back->compressed_size == 60);
    CHECK(back->dictionary_page_offset == 4 && back->data_page_offset == 24);
    CHECK(back->offset_index_offset == 70 && back->offset_index_size == 5 &&
          back->column_index_offset == -1);
    CHECK(back->encodings ==
          (1u << FRZ_PARQUET_RLE | 1u << FRZ_PARQUET_PLAIN | 1u << FRZ_PARQUET_RLE_DICTIONARY));
    CHECK(back->statistics.null_count == 3 && back->statistics.nan_count == 2);
    CHECK(back->statistics.min_exact && !back->statistics.max_exact);
    CHECK(frz_slice_equal(back->statistics.min, frz_slice_of(&least, 8)));
    CHECK(read.key_value_count == 1 && frz_slice_is_text(read.key_values[0].value, "v"));
    frz_arena_clear(&arena);
    frz_buffer_clear(&out);
}

static void test_codecs_have_their_numbers(void **state)
{
    (void)state;
    CHECK(frz_parquet_codec_number(FRZ_CODEC_NONE) == 0 &&
          frz_parquet_codec_number(FRZ_CODEC_SNAPPY) == 1);
    CHECK(frz_parquet_codec_number(FRZ_CODEC_GZIP) == 2 &&
          frz_parquet_codec_number(FRZ_CODEC_BROTLI) == 4);
    CHECK(frz_parquet_codec_number(FRZ_CODEC_ZSTD) == 6 &&
          frz_parquet_codec_number(FRZ_CODEC_LZ4_RAW) == 7);
    CHECK(frz_parquet_codec_number(FRZ_CODEC_LZ4_HADOOP) == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_boundary_order_looks_past_pages_of_nulls),
        cmocka_unit_test(test_an_offset_index),
        cmocka_unit_test(test_a_footer_parses_back),
        cmocka_unit_test(test_codecs_have_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
