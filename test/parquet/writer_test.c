#include "parquet/writer.h"

#include "arrow_equal.h"
#include "frazil/io.h"
#include "io/fault.h"
#include "io/file.h"
#include "parquet/bloom.h"
#include "parquet/field_reader.h"
#include "parquet/page_index.h"

static const char all_types[] =
    "+s![b i l! f g d:9,2 d:18,4 d:30,3 tdD ttu tsu: tsu:UTC tsn: tsn:UTC u z w:16 w:5 "
    "+s[i u!] +l[l] +l[+l[u]] +l![+s[i u]] +m[+s![u! l]] +s[+m[+s![i! +l[g]]] +l[+s[+l[b]]]]]";

static frz_status write_file(frz_io *io, const char *path, const struct ArrowSchema *schema,
                             struct ArrowArray *batches, size_t batch_count,
                             const frz_parquet_writer_options *options,
                             frz_parquet_summary *summary, frz_error **err)
{
    frz_output *output = NULL;
    frz_parquet_writer *writer = NULL;
    frz_status status = frz_io_create(io, path, &output, err);
    if (status == FRZ_OK)
        status = frz_parquet_writer_open(output, schema, options, &writer, err);
    for (size_t i = 0; status == FRZ_OK && i < batch_count; i++)
        status = frz_parquet_writer_write(writer, &batches[i], err);
    if (status == FRZ_OK)
        status = frz_parquet_writer_finish(writer, summary, err);
    frz_parquet_writer_free(writer);
    if (status == FRZ_OK)
        return frz_output_commit(output, err);
    frz_output_abort(output);
    return status;
}

/* Reads column `index` in pieces and compares with the batches that were written. */
static void check_column(frz_parquet_file *file, const struct ArrowSchema *schema, size_t index,
                         const struct ArrowArray *batches, size_t batch_count)
{
    frz_error *err = NULL;
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    frz_parquet_field_reader *reader = NULL;
    CHECK_OK(frz_parquet_field_reader_open(file, &metadata->root.children[index], NULL, NULL, 0,
                                           &reader, &err),
             err);
    size_t batch = 0;
    int64_t row = 0;
    for (size_t g = 0; g < metadata->row_group_count; g++) {
        const frz_parquet_row_group *group = &metadata->row_groups[g];
        struct ArrowArray read = {0};
        CHECK_OK(frz_parquet_field_reader_read(reader, group->first_row, group->row_count, NULL,
                                               group->row_count, &read, &err),
                 err);
        CHECK(read.length == group->row_count);
        for (int64_t i = 0; i < read.length; i++, row++) {
            while (row == batches[batch].length) {
                batch++;
                row = 0;
            }
            if (!rows_equal(schema->children[index], batches[batch].children[index],
                            batches[batch].offset + row, &read, i))
                fail_msg("column %zu, group %zu, row %lld", index, g, (long long)i);
        }
        frz_arrow_array_clear(&read);
    }
    CHECK(batch + 1 == batch_count && row == batches[batch].length);
    frz_parquet_field_reader_close(reader);
}

static frz_parquet_writer_options random_options(uint64_t *seed)
{
    static const frz_codec codecs[] = {FRZ_CODEC_NONE, FRZ_CODEC_SNAPPY,  FRZ_CODEC_GZIP,
                                       FRZ_CODEC_ZSTD, FRZ_CODEC_LZ4_RAW, FRZ_CODEC_BROTLI};
    static const uint32_t sizes[] = {0, 1, 100, 4000};
    static const int64_t rows[] = {0, 1, 9, 200};
    static const frz_parquet_column_options blooms[] = {{.path = "c1", .bloom = true},
                                                        {.path = "c8", .bloom = true},
                                                        {.path = "c15", .bloom = true}};
    return (frz_parquet_writer_options){.struct_size = sizeof(frz_parquet_writer_options),
                                        .columns = blooms,
                                        .column_count = next_random(seed) % 4,
                                        .codec = codecs[next_random(seed) % 6],
                                        .codec_level = FRZ_CODEC_LEVEL_DEFAULT,
                                        .row_group_rows = rows[next_random(seed) % 4] * 2,
                                        .row_group_size = sizes[next_random(seed) % 4] * 10u,
                                        .page_size = sizes[next_random(seed) % 4],
                                        .page_rows = (int32_t)rows[next_random(seed) % 4],
                                        .dictionary_size = sizes[next_random(seed) % 4],
                                        .dictionary_off = next_random(seed) & 1,
                                        .data_page_v2 = next_random(seed) & 1};
}

static void test_what_was_written_is_read_back_whatever_the_options(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 24; round++) {
        frz_error *err = NULL;
        uint64_t seed = round * 7919;
        frz_io *io = NULL;
        frz_input *input = NULL;
        frz_parquet_file *file = NULL;
        frz_parquet_summary summary = {0};
        struct ArrowSchema schema = parse_schema(all_types);
        struct ArrowArray batches[3];
        const frz_parquet_writer_options options = random_options(&seed);
        for (size_t i = 0; i < 3; i++)
            batches[i] = random_array(&schema, (int64_t)(next_random(&seed) % 300) + 1, seed + i);
        CHECK_OK(frz_io_memory_new(&io, &err), err);
        CHECK_OK(write_file(io, "t", &schema, batches, 3, &options, &summary, &err), err);
        CHECK_OK(frz_io_open(io, "t", FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
        CHECK_OK(frz_parquet_file_open(input, NULL, &file, &err), err);
        CHECK(frz_input_size(input) == summary.file_size);
        CHECK(frz_parquet_file_metadata(file)->row_count == summary.row_count);
        for (size_t i = 0; i < (size_t)schema.n_children; i++)
            check_column(file, &schema, i, batches, 3);
        frz_parquet_file_close(file);
        frz_input_close(input);
        frz_parquet_summary_clear(&summary);
        for (size_t i = 0; i < 3; i++)
            frz_arrow_array_clear(&batches[i]);
        frz_arrow_schema_clear(&schema);
        frz_io_free(io);
    }
}

/* Opens what was written; for tests of the footer. */
typedef struct opened {
    frz_io *io;
    frz_input *input;
    frz_parquet_file *file;
    frz_parquet_summary summary;
} opened;

static opened write_and_open(const struct ArrowSchema *schema, struct ArrowArray *batch,
                             const frz_parquet_writer_options *options)
{
    frz_error *err = NULL;
    opened out = {0};
    CHECK_OK(frz_io_memory_new(&out.io, &err), err);
    CHECK_OK(write_file(out.io, "t", schema, batch, 1, options, &out.summary, &err), err);
    CHECK_OK(frz_io_open(out.io, "t", FRZ_IO_SIZE_UNKNOWN, &out.input, &err), err);
    CHECK_OK(frz_parquet_file_open(out.input, NULL, &out.file, &err), err);
    return out;
}

static void close_opened(opened *out)
{
    frz_parquet_file_close(out->file);
    frz_input_close(out->input);
    frz_parquet_summary_clear(&out->summary);
    frz_io_free(out->io);
}

static struct ArrowArray texts(const struct ArrowSchema *schema, const frz_slice *values,
                               size_t count)
{
    frz_error *err = NULL;
    frz_arrow_builder *builder = NULL;
    struct ArrowArray array = {0};
    CHECK_OK(frz_arrow_builder_new(schema, &builder, &err), err);
    for (size_t i = 0; i < count; i++) {
        if (values[i].data)
            frz_arrow_append_bytes(frz_arrow_builder_child(builder, 0), values[i]);
        else
            frz_arrow_append_null(frz_arrow_builder_child(builder, 0));
        frz_arrow_append_struct(builder);
    }
    CHECK_OK(frz_arrow_builder_finish(builder, &array, &err), err);
    frz_arrow_builder_free(builder);
    return array;
}

static void test_long_bounds_are_cut_in_the_footer_and_whole_in_the_summary(void **state)
{
    (void)state;
    struct ArrowSchema schema = parse_schema("+s![u]");
    char least[100];
    char greatest[100];
    memset(least, 'a', sizeof least);
    memset(greatest, 'z', sizeof greatest);
    const frz_slice values[] = {frz_slice_of(greatest, 100), {0}, frz_slice_of(least, 100)};
    struct ArrowArray batch = texts(&schema, values, 3);
    const frz_parquet_writer_options options = {.struct_size = sizeof options};
    opened file = write_and_open(&schema, &batch, &options);
    const frz_parquet_statistics *statistics =
        &frz_parquet_file_metadata(file.file)->row_groups[0].columns[0].statistics;
    CHECK(statistics->null_count == 1 && statistics->has_min && statistics->has_max);
    CHECK(!statistics->min_exact && statistics->min.size == 64);
    CHECK(!statistics->max_exact && statistics->max.size == 64);
    CHECK(memcmp(statistics->min.data, least, 64) == 0);
    CHECK(memcmp(statistics->max.data, greatest, 63) == 0 && statistics->max.data[63] == '{');
    const frz_parquet_leaf_summary *leaf = &file.summary.leaves[0];
    CHECK(frz_slice_equal(leaf->min, values[2]) && frz_slice_equal(leaf->max, values[0]));
    CHECK(leaf->value_count == 3 && leaf->null_count == 1 && leaf->field_id == 1);
    CHECK(leaf->node->leaf_index == 0 && strcmp(leaf->node->name, "c0") == 0);
    close_opened(&file);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
}

/* 100 rows 0..99 as int64, in pages of 30. */
static void test_the_page_index_tells_rows_and_bounds(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema schema = parse_schema("+s![l]");
    frz_arrow_builder *builder = NULL;
    struct ArrowArray batch = {0};
    CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
    for (int64_t i = 0; i < 100; i++) {
        if (i >= 30 && i < 60)
            frz_arrow_append_null(frz_arrow_builder_child(builder, 0));
        else
            frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), i);
        frz_arrow_append_struct(builder);
    }
    CHECK_OK(frz_arrow_builder_finish(builder, &batch, &err), err);
    frz_arrow_builder_free(builder);
    const frz_parquet_writer_options options = {.struct_size = sizeof options, .page_rows = 30};
    opened file = write_and_open(&schema, &batch, &options);
    frz_arena arena = {0};
    frz_parquet_page_index index;
    CHECK_OK(frz_parquet_page_index_read(file.file, 0, 0, &arena, &index, &err), err);
    CHECK(index.page_count == 4);
    for (size_t i = 0; i < 4; i++) {
        CHECK(index.locations[i].first_row == (int64_t)i * 30);
        CHECK(index.bounds[i].all_null == (i == 1));
        CHECK(index.bounds[i].null_count == (i == 1 ? 30 : 0));
        if (i == 1)
            continue;
        int64_t bound;
        memcpy(&bound, index.bounds[i].min.data, sizeof bound);
        CHECK(bound == (int64_t)i * 30);
        memcpy(&bound, index.bounds[i].max.data, sizeof bound);
        CHECK(bound == (i == 3 ? 99 : (int64_t)i * 30 + 29));
    }
    frz_arena_clear(&arena);
    close_opened(&file);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
}

static void test_a_failed_writer_says_so(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_output *output = NULL;
    frz_parquet_writer *writer = NULL;
    struct ArrowSchema optional = parse_schema("+s![i]");
    struct ArrowSchema required = parse_schema("+s![i!]");
    struct ArrowArray batch = random_array(&optional, 50, 5);
    const frz_parquet_writer_options options = {.struct_size = sizeof options};
    CHECK(batch.children[0]->null_count > 0);
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    CHECK_OK(frz_io_create(io, "t", &output, &err), err);
    CHECK_OK(frz_parquet_writer_open(output, &required, &options, &writer, &err), err);
    CHECK_FAILS(frz_parquet_writer_write(writer, &batch, &err), FRZ_INVALID, err,
                "column \"c0\": null in a required field, row ");
    CHECK_FAILS(frz_parquet_writer_write(writer, &batch, &err), FRZ_INVALID, err, "failed before");
    CHECK_FAILS(frz_parquet_writer_finish(writer, NULL, &err), FRZ_INVALID, err, "failed before");
    frz_parquet_writer_free(writer);
    frz_output_abort(output);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&optional);
    frz_arrow_schema_clear(&required);
    frz_io_free(io);
}

/* Whether the filter of a row group's column holds the value of a row, in its PLAIN bytes. */
static bool bloom_holds(frz_parquet_file *file, size_t group, size_t leaf, frz_slice plain)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_parquet_bloom bloom;
    CHECK_OK(frz_parquet_bloom_read(file, group, leaf, &arena, &bloom, &err), err);
    CHECK(bloom.blocks != NULL);
    const bool holds = frz_parquet_bloom_may_hold(&bloom, plain);
    frz_arena_clear(&arena);
    return holds;
}

/* Numbers and texts of 0..99, in groups of 50; with a dictionary, without, and one that was left
 * when it had grown. */
static void test_bloom_filters_hold_the_values_of_their_row_group(void **state)
{
    (void)state;
    static const struct {
        bool dictionary_off;
        uint32_t dictionary_size;
    } cases[] = {{false, 0}, {true, 0}, {false, 100}};
    static const frz_parquet_column_options columns[] = {{.path = "c0", .bloom = true},
                                                         {.path = "c1", .bloom = true},
                                                         {.path = "c2", .bloom = true}};
    struct ArrowSchema schema = parse_schema("+s![l u b]");
    struct ArrowArray batch = random_array(&schema, 200, 5);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        frz_error *err = NULL;
        frz_arena arena = {0};
        frz_parquet_bloom none;
        const frz_parquet_writer_options options = {.struct_size = sizeof options,
                                                    .row_group_rows = 50,
                                                    .page_rows = 20,
                                                    .columns = columns,
                                                    .column_count = 3,
                                                    .dictionary_off = cases[k].dictionary_off,
                                                    .dictionary_size = cases[k].dictionary_size};
        opened file = write_and_open(&schema, &batch, &options);
        const int64_t *numbers = batch.children[0]->buffers[1];
        const int32_t *ends = batch.children[1]->buffers[1];
        const char *bytes = batch.children[1]->buffers[2];
        int wrong = 0;
        for (int64_t i = 0; i < batch.length; i++) {
            const frz_slice number = frz_slice_of(&numbers[i], sizeof *numbers);
            const frz_slice text = frz_slice_of(bytes + ends[i], (size_t)(ends[i + 1] - ends[i]));
            const size_t group = (size_t)i / 50;
            if (!frz_arrow_is_null(batch.children[0], i))
                CHECK(bloom_holds(file.file, group, 0, number));
            if (!frz_arrow_is_null(batch.children[1], i))
                CHECK(bloom_holds(file.file, group, 1, text));
            const int64_t other = INT64_C(0x123456789abcdef) + i;
            wrong += bloom_holds(file.file, group, 0, frz_slice_of(&other, sizeof other));
        }
        CHECK(wrong < 20);
        CHECK_OK(frz_parquet_bloom_read(file.file, 0, 2, &arena, &none, &err), err);
        CHECK(!none.blocks); /* booleans */
        for (size_t i = 0; i < 3; i++)
            check_column(file.file, &schema, i, &batch, 1);
        frz_arena_clear(&arena);
        close_opened(&file);
    }
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
}

/* One text over and over: next to nothing once compressed, so that only raw sizes fill a group. */
static void test_row_groups_end_by_compressed_or_raw_size_where_it_is_looked_at(void **state)
{
    (void)state;
    static const struct {
        int32_t min;
        int32_t max;
        bool raw;
        size_t groups;
        int64_t first_rows;
    } cases[] = {{0, 0, false, 1, 10000},
                 {0, 0, true, 3, 4096},
                 {0, 1000, true, 10, 1000},
                 {5000, 0, true, 2, 5000},
                 {0, 5000, true, 3, 4096}};
    frz_error *err = NULL;
    struct ArrowSchema schema = parse_schema("+s![u!]");
    frz_arrow_builder *builder = NULL;
    struct ArrowArray batch = {0};
    CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
    for (int i = 0; i < 10000; i++) {
        frz_arrow_append_bytes(frz_arrow_builder_child(builder, 0), frz_slice_of("the same", 8));
        frz_arrow_append_struct(builder);
    }
    CHECK_OK(frz_arrow_builder_finish(builder, &batch, &err), err);
    frz_arrow_builder_free(builder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const frz_parquet_writer_options options = {.struct_size = sizeof options,
                                                    .codec = FRZ_CODEC_ZSTD,
                                                    .codec_level = 1,
                                                    .dictionary_off = true,
                                                    .page_rows = 500,
                                                    .row_group_size = 10000,
                                                    .row_group_size_raw = cases[i].raw,
                                                    .check_rows_min = cases[i].min,
                                                    .check_rows_max = cases[i].max};
        opened file = write_and_open(&schema, &batch, &options);
        const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file.file);
        CHECK(metadata->row_group_count == cases[i].groups);
        CHECK(metadata->row_groups[0].row_count == cases[i].first_rows);
        close_opened(&file);
    }
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
}

static void test_a_codec_that_parquet_lacks_is_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_parquet_writer *writer = NULL;
    const frz_parquet_writer_options options = {.struct_size = sizeof options,
                                                .codec = FRZ_CODEC_XZ};
    CHECK_FAILS(frz_parquet_writer_open(NULL, NULL, &options, &writer, &err), FRZ_UNSUPPORTED, err,
                "codec xz in a Parquet file");
}

static struct ArrowSchema swept_schema;
static struct ArrowArray swept_batch;

static void write_once(void)
{
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_parquet_summary summary = {0};
    const frz_parquet_column_options bloom = {.path = "c1", .bloom = true};
    const frz_parquet_writer_options options = {.struct_size = sizeof options,
                                                .codec = FRZ_CODEC_LZ4_RAW,
                                                .row_group_rows = 25,
                                                .page_rows = 10,
                                                .columns = &bloom,
                                                .column_count = 1};
    frz_status status = frz_io_memory_new(&io, &err);
    if (status == FRZ_OK)
        status = write_file(io, "t", &swept_schema, &swept_batch, 1, &options, &summary, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_parquet_summary_clear(&summary);
    frz_io_free(io);
    frz_error_free(err);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    swept_schema = parse_schema("+s![l u d:20,2 +l[+s[i u]]]");
    swept_batch = random_array(&swept_schema, 40, 11);
    sweep_allocation_failures(write_once);
    frz_arrow_array_clear(&swept_batch);
    frz_arrow_schema_clear(&swept_schema);
}

static void test_every_storage_call_may_fail(void **state)
{
    (void)state;
    struct ArrowSchema schema = parse_schema("+s![l u]");
    struct ArrowArray batch = random_array(&schema, 60, 12);
    const frz_parquet_writer_options options = {.struct_size = sizeof options,
                                                .row_group_rows = 25};
    int64_t countdown = 0;
    for (bool fired = true; fired; countdown++) {
        frz_error *err = NULL;
        frz_io *memory = NULL;
        frz_io *fault = NULL;
        uint64_t size = 0;
        CHECK_OK(frz_io_memory_new(&memory, &err), err);
        CHECK_OK(frz_io_fault_new(memory, &fault, &err), err);
        frz_io_fault_fail_after(fault, countdown);
        const frz_status status = write_file(fault, "t", &schema, &batch, 1, &options, NULL, &err);
        fired = frz_io_fault_fired(fault);
        CHECK(status == (fired ? FRZ_IO : FRZ_OK));
        CHECK((frz_io_stat(memory, "t", &size, NULL) == FRZ_OK) == !fired);
        frz_error_free(err);
        frz_io_free(fault);
        frz_io_free(memory);
    }
    CHECK(countdown > 5);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_written_is_read_back_whatever_the_options),
        cmocka_unit_test(test_long_bounds_are_cut_in_the_footer_and_whole_in_the_summary),
        cmocka_unit_test(test_the_page_index_tells_rows_and_bounds),
        cmocka_unit_test(test_a_failed_writer_says_so),
        cmocka_unit_test(test_bloom_filters_hold_the_values_of_their_row_group),
        cmocka_unit_test(test_row_groups_end_by_compressed_or_raw_size_where_it_is_looked_at),
        cmocka_unit_test(test_a_codec_that_parquet_lacks_is_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_every_storage_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
