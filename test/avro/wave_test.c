/* Covers: avro/lane */
#include "avro/wave.h"

#include "arrow/array.h"
#include "table_fixture.h"

/* One column of numbers 0, 1, 2 ... in blocks of `block_rows`. */
static void put_numbers(frz_buffer *file, int64_t rows, int64_t block_rows)
{
    put_header(file,
               "{\"type\":\"record\",\"name\":\"r\",\"fields\":["
               "{\"name\":\"n\",\"type\":\"long\",\"field-id\":1},"
               "{\"name\":\"s\",\"type\":\"string\",\"field-id\":2}]}",
               NULL);
    for (int64_t from = 0; from < rows; from += block_rows) {
        frz_buffer block = {0};
        const int64_t end = from + block_rows < rows ? from + block_rows : rows;
        for (int64_t i = from; i < end; i++) {
            put_long(&block, i);
            put_text(&block, i % 2 ? "odd" : "even");
        }
        put_block(file, end - from, block.data, block.size);
        frz_buffer_clear(&block);
    }
}

static frz_avro_reader *open_with(bytes_input *input, frz_pool *pool)
{
    frz_error *err = NULL;
    frz_avro_reader *reader = NULL;
    CHECK_OK(frz_avro_reader_open(&input->base, NULL, &reader, &err), err);
    frz_avro_reader_use_pool(reader, pool);
    return reader;
}

/* How many rows 0, 1, 2 ... come before the reader ends, in *status_out. */
static int64_t count_numbers(frz_avro_reader *reader, int64_t rows_max, frz_status *status_out,
                             frz_error **err)
{
    struct ArrowArray batch = {0};
    int64_t count = 0;
    frz_avro_reader_limit_batch(reader, rows_max);
    while ((*status_out = frz_avro_reader_next(reader, &batch, err)) == FRZ_OK) {
        CHECK(batch.length > 0 && batch.length <= rows_max);
        for (int64_t i = 0; i < batch.length; i++, count++)
            CHECK(long_at(batch.children[0], i) == count &&
                  frz_slice_is_text(text_at(batch.children[1], i), count % 2 ? "odd" : "even"));
        frz_arrow_array_clear(&batch);
    }
    return count;
}

static void test_rows_come_in_the_order_of_the_file(void **state)
{
    (void)state;
    static const struct {
        int64_t rows;
        int64_t block_rows;
        int64_t rows_max;
    } cases[] = {{0, 1, 10},
                 {1, 1, 10},
                 {3000, 1, 1000},
                 {200000, 700, 8192},
                 {1000000, 700, 8192},
                 {200000, 700, 64},
                 {500000, 400000, 4096},
                 {70000, 35000, 65536},
                 {400000, 90000, INT64_MAX}};
    frz_pool *pool = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_pool_new(4, &pool, &err), err);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        frz_buffer file = {0};
        frz_status status = FRZ_OK;
        put_numbers(&file, cases[i / 2].rows, cases[i / 2].block_rows);
        bytes_input input = input_over(frz_buffer_slice(&file));
        input.mapped = i % 2 != 0;
        frz_avro_reader *reader = open_with(&input, pool);
        CHECK(count_numbers(reader, cases[i / 2].rows_max, &status, &err) == cases[i / 2].rows);
        CHECK(status == FRZ_END && !frz_avro_reader_prefixed(reader));
        frz_avro_reader_close(reader);
        frz_buffer_clear(&file);
    }
    frz_pool_free(pool);
}

static void test_every_codec_and_nested_columns_are_the_same_as_alone(void **state)
{
    (void)state;
    static const frz_codec codecs[] = {FRZ_CODEC_NONE, FRZ_CODEC_DEFLATE, FRZ_CODEC_SNAPPY,
                                       FRZ_CODEC_ZSTD};
    frz_pool *pool = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_pool_new(3, &pool, &err), err);
    for (size_t i = 0; i < 4; i++) {
        frz_buffer file = {0};
        struct ArrowSchema schema = {0};
        struct ArrowArray batch = {0};
        int64_t rows = 0;
        CHECK_OK(write_table(20000, codecs[i], 3000, &file, &err), err);
        bytes_input input = input_over(frz_buffer_slice(&file));
        frz_avro_reader *reader = open_with(&input, pool);
        CHECK_OK(frz_avro_reader_arrow_schema(reader, &schema, &err), err);
        while (frz_avro_reader_next(reader, &batch, &err) == FRZ_OK) {
            CHECK_OK(frz_arrow_array_validate(&schema, &batch, &err), err);
            for (int64_t row = 0; row < batch.length; row++, rows++) {
                char path[64];
                (void)snprintf(path, sizeof path, "s3://bucket/data/%lld.parquet",
                               (long long)(rows * rows));
                CHECK(frz_slice_is_text(text_at(batch.children[1], row), path));
                CHECK(frz_arrow_is_null(batch.children[2], row) == (rows % 5 == 4));
            }
            frz_arrow_array_clear(&batch);
        }
        CHECK(!err && rows == 20000);
        frz_arrow_schema_clear(&schema);
        frz_avro_reader_close(reader);
        frz_buffer_clear(&file);
    }
    frz_pool_free(pool);
}

/* What is sound before a bad block comes out; then its failure, by its offset in the file. */
static void test_a_bad_block_fails_in_its_place(void **state)
{
    (void)state;
    static const char *const messages[] = {"Avro block: column s, byte 1 of 2: length -5",
                                           "sync marker"};
    frz_pool *pool = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_pool_new(4, &pool, &err), err);
    for (int kind = 0; kind < 2; kind++) {
        frz_buffer file = {0};
        struct ArrowArray batch = {0};
        frz_status status = FRZ_OK;
        put_numbers(&file, 300000, 1000);
        const size_t bad = file.size;
        put_block(&file, 1, kind == 0 ? "\x02\x09" : "\x02\x00", 2);
        if (kind == 1)
            file.data[file.size - 1] ^= 1;
        put_block(&file, 1, "\x02\x00", 2);
        bytes_input input = input_over(frz_buffer_slice(&file));
        frz_avro_reader *reader = open_with(&input, pool);
        CHECK(count_numbers(reader, 8192, &status, &err) >= 290000);
        uint64_t offset = 0;
        CHECK(frz_error_offset(err, &offset) && offset >= bad && offset < bad + 20);
        CHECK_FAILS(status, FRZ_CORRUPT, err, messages[kind]);
        CHECK_FAILS(frz_avro_reader_next(reader, &batch, &err), FRZ_INVALID, err, "failure");
        frz_avro_reader_close(reader);
        frz_buffer_clear(&file);
    }
    frz_pool_free(pool);
}

static frz_buffer swept;
static frz_pool *swept_pool;

static void sweep_body(void)
{
    frz_error *err = NULL;
    frz_avro_reader *reader = NULL;
    frz_status status = FRZ_OK;
    bytes_input input = input_over(frz_buffer_slice(&swept));
    status = frz_avro_reader_open(&input.base, NULL, &reader, &err);
    if (status == FRZ_OK) {
        frz_avro_reader_use_pool(reader, swept_pool);
        (void)count_numbers(reader, 500, &status, &err);
    }
    /* What cannot be taken into a wave for want of memory is read alone. */
    CHECK(status == FRZ_END || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_avro_reader_close(reader);
    frz_error_free(err);
}

static void test_any_allocation_may_fail(void **state)
{
    (void)state;
    frz_error *err = NULL;
    CHECK_OK(frz_pool_new(2, &swept_pool, &err), err);
    put_numbers(&swept, 3000, 1);
    sweep_allocation_failures(sweep_body);
    frz_pool_free(swept_pool);
    frz_buffer_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_in_the_order_of_the_file),
        cmocka_unit_test(test_every_codec_and_nested_columns_are_the_same_as_alone),
        cmocka_unit_test(test_a_bad_block_fails_in_its_place),
        cmocka_unit_test(test_any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
