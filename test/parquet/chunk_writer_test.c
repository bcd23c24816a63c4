#include "parquet/chunk_writer.h"

#include "arrow_equal.h"
#include "base/mem.h"
#include "frazil/io.h"
#include "io/file.h"

/* One column of `schema` as a chunk, and where it is written to. */
typedef struct chunk_case {
    frz_arena arena;
    struct ArrowSchema schema;
    frz_parquet_page_writer pages;
    frz_codec_context codecs;
    frz_parquet_chunk_writer chunk;
    frz_io *io;
    frz_output *output;
    uint64_t offset;
    frz_buffer column_indexes;
    frz_buffer offset_indexes;
    frz_parquet_bounds total;
    frz_parquet_chunk_entry entry;
} chunk_case;

static void open_case(chunk_case *test, const char *format,
                      const frz_parquet_chunk_options *options)
{
    frz_error *err = NULL;
    frz_parquet_write_schema *made = NULL;
    char text[32];
    *test = (chunk_case){.offset = 4};
    (void)snprintf(text, sizeof text, "+s![%s]", format);
    test->schema = parse_schema(text);
    CHECK_OK(frz_parquet_write_schema_make(&test->schema, &test->arena, &made, &err), err);
    CHECK_OK(frz_io_memory_new(&test->io, &err), err);
    CHECK_OK(frz_io_create(test->io, "t", &test->output, &err), err);
    test->pages.context = &test->codecs;
    frz_parquet_chunk_init(&test->chunk, &made->leaves[0], options, &test->pages);
}

static void append_numbers(chunk_case *test, int64_t first, int64_t count, int64_t step)
{
    frz_error *err = NULL;
    struct ArrowArray batch;
    frz_arrow_builder *rows = NULL;
    CHECK_OK(frz_arrow_builder_new(&test->schema, &rows, &err), err);
    for (int64_t i = 0; i < count; i++) {
        frz_arrow_append_i64(frz_arrow_builder_child(rows, 0), first + i * step);
        frz_arrow_append_struct(rows);
    }
    CHECK_OK(frz_arrow_builder_finish(rows, &batch, &err), err);
    CHECK_OK(frz_parquet_chunk_append(&test->chunk, &batch, 0, count, &err), err);
    frz_arrow_array_clear(&batch);
    frz_arrow_builder_free(rows);
}

static void flush(chunk_case *test)
{
    frz_error *err = NULL;
    const frz_parquet_flush flush = {.output = test->output,
                                     .offset = &test->offset,
                                     .arena = &test->arena,
                                     .column_indexes = &test->column_indexes,
                                     .offset_indexes = &test->offset_indexes};
    CHECK_OK(frz_parquet_chunk_flush(&test->chunk, &flush, &test->total, &test->entry, &err), err);
}

static void close_case(chunk_case *test)
{
    frz_parquet_chunk_clear(&test->chunk);
    frz_parquet_page_writer_clear(&test->pages);
    frz_codec_context_clear(&test->codecs);
    frz_parquet_bounds_clear(&test->total);
    frz_buffer_clear(&test->column_indexes);
    frz_buffer_clear(&test->offset_indexes);
    frz_output_abort(test->output);
    frz_io_free(test->io);
    frz_arrow_schema_clear(&test->schema);
    frz_arena_clear(&test->arena);
}

static const frz_parquet_chunk_options small_pages = {
    .page_size = 1 << 20, .page_rows = 100, .dictionary_size = 1 << 20};

static void test_few_values_keep_the_dictionary(void **state)
{
    (void)state;
    chunk_case test;
    open_case(&test, "l", &small_pages);
    append_numbers(&test, 5, 250, 0);
    flush(&test);
    CHECK(test.entry.pages_dictionary == 3 && test.entry.pages_plain == 0 &&
          test.entry.pages_delta == 0);
    CHECK(test.entry.dictionary_page_offset == 4 && test.entry.data_page_offset > 4);
    CHECK(test.entry.slot_count == 250 && test.entry.compressed_size == test.offset - 4);
    CHECK(test.entry.column_index_size > 0 && test.entry.offset_index_size > 0);
    close_case(&test);
}

static void test_distinct_values_leave_it_at_once(void **state)
{
    (void)state;
    chunk_case test;
    open_case(&test, "l", &small_pages);
    append_numbers(&test, 0, 250, 1);
    flush(&test);
    CHECK(test.entry.pages_dictionary == 0 && test.entry.pages_delta == 3);
    CHECK(test.entry.data_page_offset == 4);
    int64_t bound;
    memcpy(&bound, test.entry.statistics.max.data, sizeof bound);
    CHECK(bound == 249 && test.entry.statistics.max_exact);
    close_case(&test);
}

static void test_a_dictionary_past_its_limit_is_left_for_the_rest(void **state)
{
    (void)state;
    chunk_case test;
    frz_parquet_chunk_options options = small_pages;
    options.dictionary_size = 400;
    open_case(&test, "d:18,0", &options);
    frz_error *err = NULL;
    struct ArrowArray batch;
    frz_arrow_builder *rows = NULL;
    CHECK_OK(frz_arrow_builder_new(&test.schema, &rows, &err), err);
    for (int i = 0; i < 400; i++) {
        frz_arrow_append_decimal(frz_arrow_builder_child(rows, 0), i < 200 ? i % 10 : i);
        frz_arrow_append_struct(rows);
    }
    CHECK_OK(frz_arrow_builder_finish(rows, &batch, &err), err);
    CHECK_OK(frz_parquet_chunk_append(&test.chunk, &batch, 0, 400, &err), err);
    flush(&test);
    CHECK(test.entry.pages_dictionary == 3 && test.entry.pages_plain == 1);
    frz_arrow_array_clear(&batch);
    frz_arrow_builder_free(rows);
    close_case(&test);
}

static void test_a_chunk_starts_afresh_after_a_flush(void **state)
{
    (void)state;
    chunk_case test;
    open_case(&test, "l", &small_pages);
    CHECK(frz_parquet_chunk_size(&test.chunk) == 0);
    append_numbers(&test, 7, 150, 0);
    CHECK(frz_parquet_chunk_size(&test.chunk) > 0);
    CHECK(frz_parquet_chunk_memory(&test.chunk) >= frz_parquet_chunk_size(&test.chunk));
    flush(&test);
    CHECK(frz_parquet_chunk_size(&test.chunk) == 0);
    append_numbers(&test, 9, 50, 0);
    flush(&test);
    CHECK(test.entry.slot_count == 50 && test.entry.pages_dictionary == 1);
    int64_t bound;
    memcpy(&bound, test.entry.statistics.min.data, sizeof bound);
    CHECK(bound == 9);
    memcpy(&bound, test.total.min.data, sizeof bound);
    CHECK(bound == 7);
    close_case(&test);
}

static void test_options_switch_things_off(void **state)
{
    (void)state;
    chunk_case test;
    frz_parquet_chunk_options options = small_pages;
    options.dictionary_off = true;
    options.statistics_off = true;
    open_case(&test, "l", &options);
    append_numbers(&test, 5, 150, 0);
    flush(&test);
    CHECK(test.entry.pages_dictionary == 0 && test.entry.pages_delta == 2);
    CHECK(!test.entry.has_statistics && test.entry.column_index_size == 0 && !test.total.any);
    CHECK(test.entry.offset_index_size > 0);
    close_case(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_values_keep_the_dictionary),
        cmocka_unit_test(test_distinct_values_leave_it_at_once),
        cmocka_unit_test(test_a_dictionary_past_its_limit_is_left_for_the_rest),
        cmocka_unit_test(test_a_chunk_starts_afresh_after_a_flush),
        cmocka_unit_test(test_options_switch_things_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
