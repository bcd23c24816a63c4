#include "parquet/metadata.h"

#include "harness.h"
#include "parquet/footer_bytes.h"

/* What to write wrongly. */
typedef struct footer_faults {
    bool no_orders;
    bool one_chunk_only;
    bool negative_rows;
    bool wrong_sum;
    bool no_schema;
    bool other_type;
    bool no_codec;
} footer_faults;

static void write_chunk(frz_thrift_writer *writer, int32_t type, int64_t offset, bool no_codec)
{
    const int32_t min = -1, max = 9;
    const int16_t chunk = frz_thrift_write_begin(writer);
    frz_thrift_write_i64(writer, 2, 0);
    const int16_t meta = frz_thrift_write_struct(writer, 3);
    frz_thrift_write_i32(writer, 1, type);
    frz_thrift_write_list(writer, 2, FRZ_THRIFT_I32, 2);
    frz_thrift_write_integer_element(writer, FRZ_PARQUET_PLAIN);
    frz_thrift_write_integer_element(writer, FRZ_PARQUET_RLE_DICTIONARY);
    if (!no_codec)
        frz_thrift_write_i32(writer, 4, 6);
    frz_thrift_write_i64(writer, 5, 100);
    frz_thrift_write_i64(writer, 6, 800);
    frz_thrift_write_i64(writer, 7, 300);
    frz_thrift_write_i64(writer, 9, offset);
    frz_thrift_write_i64(writer, 11, offset == 4 ? 0 : offset - 50);
    const int16_t statistics = frz_thrift_write_struct(writer, 12);
    frz_thrift_write_i64(writer, 3, 7);
    frz_thrift_write_binary(writer, 5, frz_slice_of(&max, sizeof max));
    frz_thrift_write_binary(writer, 6, frz_slice_of(&min, sizeof min));
    frz_thrift_write_bool(writer, 7, false);
    frz_thrift_write_end(writer, statistics);
    frz_thrift_write_end(writer, meta);
    frz_thrift_write_i64(writer, 4, 5000);
    frz_thrift_write_i32(writer, 5, 60);
    frz_thrift_write_end(writer, chunk);
}

static void write_group(frz_thrift_writer *writer, int64_t rows, int64_t offset,
                        footer_faults faults)
{
    const int16_t group = frz_thrift_write_begin(writer);
    frz_thrift_write_list(writer, 1, FRZ_THRIFT_STRUCT, faults.one_chunk_only ? 1 : 2);
    write_chunk(writer, faults.other_type ? FRZ_PARQUET_INT64 : FRZ_PARQUET_INT32, offset,
                faults.no_codec);
    if (!faults.one_chunk_only)
        write_chunk(writer, FRZ_PARQUET_BYTE_ARRAY, offset + 300, false);
    frz_thrift_write_i64(writer, 2, 1600);
    frz_thrift_write_i64(writer, 3, rows);
    frz_thrift_write_end(writer, group);
}

static void write_footer(frz_buffer *out, footer_faults faults)
{
    const element_spec schema[] = {
        GROUP("root", NONE, 2, NONE),
        LEAF("a", 0, FRZ_PARQUET_INT32, NONE),
        LEAF("b", 1, FRZ_PARQUET_BYTE_ARRAY, 0),
    };
    frz_thrift_writer writer = frz_thrift_writer_to(out);
    const int16_t top = frz_thrift_write_begin(&writer);
    frz_thrift_write_i32(&writer, 1, 1);
    if (!faults.no_orders) { /* first: the order of fields is free */
        frz_thrift_write_list(&writer, 7, FRZ_THRIFT_STRUCT, 2);
        for (int i = 0; i < 2; i++) {
            const int16_t order = frz_thrift_write_begin(&writer);
            frz_thrift_write_empty(&writer, 1);
            frz_thrift_write_end(&writer, order);
        }
    }
    frz_thrift_write_list(&writer, 4, FRZ_THRIFT_STRUCT, 2);
    write_group(&writer, faults.negative_rows ? -1 : 60, 4, faults);
    write_group(&writer, 40, 700, faults);
    if (!faults.no_schema)
        write_schema(&writer, schema, 3);
    frz_thrift_write_i64(&writer, 3, faults.wrong_sum ? 101 : 100);
    frz_thrift_write_list(&writer, 5, FRZ_THRIFT_STRUCT, 1);
    const int16_t pair = frz_thrift_write_begin(&writer);
    frz_thrift_write_text(&writer, 1, "iceberg.schema");
    frz_thrift_write_text(&writer, 2, "{}");
    frz_thrift_write_end(&writer, pair);
    frz_thrift_write_text(&writer, 6, "frazil test");
    frz_thrift_write_end(&writer, top);
}

static frz_status parse_with(footer_faults faults, frz_arena *arena, frz_parquet_metadata *out,
                             frz_error **err)
{
    static uint8_t kept[2048];
    frz_buffer bytes = {0};
    write_footer(&bytes, faults);
    CHECK(bytes.size <= sizeof kept);
    memcpy(kept, bytes.data, bytes.size);
    const size_t size = bytes.size;
    frz_buffer_clear(&bytes);
    return frz_parquet_metadata_parse(frz_slice_of(kept, size), 9000, NULL, arena, out, err);
}

static void test_a_footer_is_parsed_whatever_the_order_of_its_fields(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_parquet_metadata m;
    CHECK_OK(parse_with((footer_faults){0}, &arena, &m, &err), err);
    CHECK(m.version == 1 && m.row_count == 100 && m.leaf_count == 2 && m.row_group_count == 2);
    CHECK(strcmp(m.created_by, "frazil test") == 0 && m.type_defined_order);
    CHECK(m.key_value_count == 1 && strcmp(m.key_values[0].key, "iceberg.schema") == 0);
    CHECK(frz_slice_is_text(m.key_values[0].value, "{}"));
    CHECK(m.row_groups[0].first_row == 0 && m.row_groups[1].first_row == 60);
    CHECK(m.row_groups[0].file_offset == 4 && m.row_groups[1].file_offset == 650);

    const frz_parquet_column_chunk *chunk = &m.row_groups[1].columns[0];
    CHECK(chunk->codec == FRZ_CODEC_ZSTD && chunk->codec_known && chunk->value_count == 100);
    CHECK(chunk->encodings == (1u << FRZ_PARQUET_PLAIN | 1u << FRZ_PARQUET_RLE_DICTIONARY));
    CHECK(chunk->dictionary_page_offset == 650 && chunk->data_page_offset == 700);
    CHECK(m.row_groups[0].columns[0].dictionary_page_offset == -1);
    CHECK(chunk->offset_index_offset == 5000 && chunk->offset_index_size == 60);
    CHECK(chunk->column_index_offset == -1 && chunk->bloom_filter_offset == -1);
    CHECK(chunk->statistics.null_count == 7 && chunk->statistics.has_min);
    CHECK(chunk->statistics.min_exact && !chunk->statistics.max_exact);
    /* 'b' is a string: four bytes are fine, -1 as bytes is above 9. */
    CHECK(!m.row_groups[1].columns[1].statistics.has_min);
    frz_arena_clear(&arena);
}

static void test_without_column_orders_new_bounds_are_unknown(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_parquet_metadata m;
    CHECK_OK(parse_with((footer_faults){.no_orders = true}, &arena, &m, &err), err);
    CHECK(!m.type_defined_order && !m.row_groups[0].columns[0].statistics.has_min);
    CHECK(m.row_groups[0].columns[0].statistics.null_count == 7);
    frz_arena_clear(&arena);
}

static void test_contradictions_are_named(void **state)
{
    (void)state;
    static const struct {
        footer_faults faults;
        const char *text;
    } cases[] = {
        {{.one_chunk_only = true}, "1 column chunks, its schema 2 columns"},
        {{.negative_rows = true}, "a row group of -1 rows"},
        {{.wrong_sum = true}, "101 rows in the file, but 100 in its row groups"},
        {{.no_schema = true}, "no schema"},
        {{.other_type = true}, "another type than its schema element"},
        {{.no_codec = true}, "lacks a required field"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_parquet_metadata m;
        CHECK_FAILS(parse_with(cases[i].faults, &arena, &m, &err), FRZ_CORRUPT, err, cases[i].text);
        CHECK(m.leaves == NULL && m.row_group_count == 0);
        frz_arena_clear(&arena);
    }
}

static void test_truncated_and_flipped_footers_do_no_harm(void **state)
{
    (void)state;
    frz_buffer bytes = {0};
    write_footer(&bytes, (footer_faults){0});
    for (size_t size = 0; size < bytes.size; size++) {
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_parquet_metadata m;
        CHECK(frz_parquet_metadata_parse(frz_slice_of(bytes.data, size), 0, NULL, &arena, &m,
                                         &err) == FRZ_CORRUPT);
        frz_error_free(err);
        frz_arena_clear(&arena);
    }
    for (size_t bit = 0; bit < bytes.size * 8; bit++) {
        frz_arena arena = {.budget = (size_t)1 << 20};
        frz_error *err = NULL;
        frz_parquet_metadata m;
        bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const frz_status status =
            frz_parquet_metadata_parse(frz_buffer_slice(&bytes), 0, NULL, &arena, &m, &err);
        CHECK(status == FRZ_OK || status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED);
        bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        frz_error_free(err);
        frz_arena_clear(&arena);
    }
    frz_buffer_clear(&bytes);
}

static uint8_t footer_bytes[2048];
static size_t footer_size;

static void parse_under_failure(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_parquet_metadata m;
    const frz_status status = frz_parquet_metadata_parse(frz_slice_of(footer_bytes, footer_size), 0,
                                                         NULL, &arena, &m, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    frz_buffer bytes = {0};
    write_footer(&bytes, (footer_faults){0});
    CHECK(bytes.size <= sizeof footer_bytes);
    memcpy(footer_bytes, bytes.data, bytes.size);
    footer_size = bytes.size;
    frz_buffer_clear(&bytes);
    sweep_allocation_failures(parse_under_failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_footer_is_parsed_whatever_the_order_of_its_fields),
        cmocka_unit_test(test_without_column_orders_new_bounds_are_unknown),
        cmocka_unit_test(test_contradictions_are_named),
        cmocka_unit_test(test_truncated_and_flipped_footers_do_no_harm),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
