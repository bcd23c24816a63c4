#include "parquet/bloom.h"

#include "base/fail.h"
#include "frazil/io.h"
#include "harness.h"
#include "io/file.h"
#include "parquet/made_bloom.h"
#include "parquet/made_file.h"

static const element_spec one_column[] = {GROUP("root", NONE, 1, NONE),
                                          LEAF("x", 0, FRZ_PARQUET_INT64, NONE)};

enum { VALUES = 200, BLOCKS = 8 };

static int64_t member(int i)
{
    return (int64_t)i * 1000003 - 77;
}

typedef struct filter_shape {
    int32_t header_size; /* 0: right */
    int16_t choice;      /* 0: right */
    int32_t footer_size; /* 0: unknown; -1: right */
    int64_t move;        /* of the offset that the footer says */
} filter_shape;

/* One column of INT64 without values, and a filter of VALUES members. */
static void make_file(made_file *file, const filter_shape *shape)
{
    made_bloom bloom = {.block_count = BLOCKS};
    frz_buffer bytes = {0};
    for (int i = 0; i < VALUES; i++) {
        const int64_t value = member(i);
        made_bloom_insert(&bloom, &value, sizeof value);
    }
    made_bloom_print(&bloom, shape->header_size ? shape->header_size : BLOCKS * 32,
                     shape->choice ? shape->choice : 1, &bytes);
    made_begin(file);
    made_column *column = made_column_begin(file);
    made_add_page(file, (made_page){.value_count = 1, .values = {(const uint8_t *)"12345678", 8}});
    column->bloom_offset = (int64_t)file->bytes.size + shape->move;
    column->bloom_size = shape->footer_size < 0 ? (int32_t)bytes.size : shape->footer_size;
    frz_buffer_append(&file->bytes, bytes.data, bytes.size);
    made_finish(file, one_column, 2, 1);
    frz_buffer_clear(&bytes);
}

static frz_status read_bloom(made_file *made, frz_arena *arena, frz_parquet_bloom *out,
                             frz_error **err)
{
    frz_parquet_file *file = NULL;
    FRZ_TRY(frz_parquet_file_open(&made->input, NULL, &file, err));
    made->reads = 0;
    const frz_status status = frz_parquet_bloom_read(file, 0, 0, arena, out, err);
    frz_parquet_file_close(file);
    return status;
}

static void test_members_are_held_and_most_others_are_not(void **state)
{
    (void)state;
    static const filter_shape shapes[] = {{0}, {.footer_size = -1}};
    for (size_t s = 0; s < 2; s++) {
        frz_error *err = NULL;
        frz_arena arena = {0};
        frz_parquet_bloom bloom = {0};
        made_file file;
        int wrong = 0;
        make_file(&file, &shapes[s]);
        CHECK_OK(read_bloom(&file, &arena, &bloom, &err), err);
        CHECK(file.reads == 1 && bloom.block_count == BLOCKS);
        for (int i = 0; i < VALUES; i++) {
            const int64_t value = member(i);
            const int64_t other = value + 5;
            CHECK(frz_parquet_bloom_may_hold(&bloom, frz_slice_of(&value, sizeof value)));
            wrong += frz_parquet_bloom_may_hold(&bloom, frz_slice_of(&other, sizeof other));
        }
        CHECK(wrong < VALUES / 10); /* 10 bits a member: about one in a hundred */
        frz_arena_clear(&arena);
        made_clear(&file);
    }
}

static void test_without_filter_anything_may_be_held(void **state)
{
    (void)state;
    static const filter_shape foreign = {.choice = 2};
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_parquet_bloom bloom = {0};
    made_file file;
    make_file(&file, &foreign); /* another algorithm, hash and compression */
    CHECK_OK(read_bloom(&file, &arena, &bloom, &err), err);
    CHECK(!bloom.blocks && frz_parquet_bloom_may_hold(&bloom, frz_slice_of("x", 1)));
    made_clear(&file);
    made_begin(&file);
    (void)made_column_begin(&file);
    made_add_page(&file, (made_page){.value_count = 1, .values = {(const uint8_t *)"12345678", 8}});
    made_finish(&file, one_column, 2, 1);
    CHECK_OK(read_bloom(&file, &arena, &bloom, &err), err);
    CHECK(!bloom.blocks && file.reads == 0);
    frz_arena_clear(&arena);
    made_clear(&file);
}

static void test_a_filter_of_impossible_size_is_corrupt(void **state)
{
    (void)state;
    static const struct {
        filter_shape shape;
        const char *message;
    } cases[] = {
        {{.header_size = 31}, "not in whole blocks of 32 bytes"},
        {{.header_size = -32}, "not in whole blocks of 32 bytes"},
        {{.header_size = 1 << 20}, "lie past the end of the file"},
        {{.header_size = 128, .footer_size = -1}, "not as long as the footer says"},
        {{.footer_size = 4}, "Bloom filter header"},
        {{.footer_size = 1 << 20}, "lies past the end of the file"},
        {{.move = 1 << 20}, "lies past the end of the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_error *err = NULL;
        frz_arena arena = {0};
        frz_parquet_bloom bloom = {0};
        made_file file;
        make_file(&file, &cases[i].shape);
        const frz_status status = read_bloom(&file, &arena, &bloom, &err);
        CHECK(strstr(frz_error_message(err), "column x, Bloom filter of row group 0"));
        CHECK_FAILS(status, FRZ_CORRUPT, err, cases[i].message);
        CHECK(!bloom.blocks);
        frz_arena_clear(&arena);
        made_clear(&file);
    }
}

static void test_flipped_headers_do_no_harm(void **state)
{
    (void)state;
    static const filter_shape shape = {0};
    made_file file;
    make_file(&file, &shape);
    const size_t start = (size_t)file.columns[0].bloom_offset;
    const int64_t value = 5;
    for (size_t bit = 0; bit < 24 * 8; bit++) {
        frz_arena arena = {0};
        frz_parquet_bloom bloom = {0};
        file.bytes.data[start + bit / 8] ^= (uint8_t)(1u << bit % 8);
        const frz_status status = read_bloom(&file, &arena, &bloom, NULL);
        CHECK(status == FRZ_OK || status == FRZ_CORRUPT);
        (void)frz_parquet_bloom_may_hold(&bloom, frz_slice_of(&value, sizeof value));
        file.bytes.data[start + bit / 8] ^= (uint8_t)(1u << bit % 8);
        frz_arena_clear(&arena);
    }
    made_clear(&file);
}

static made_file swept;

static void read_under_failure(void)
{
    frz_arena arena = {0};
    frz_parquet_bloom bloom = {0};
    const frz_status status = read_bloom(&swept, &arena, &bloom, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arena_clear(&arena);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    static const filter_shape shape = {0};
    make_file(&swept, &shape);
    sweep_allocation_failures(read_under_failure);
    made_clear(&swept);
}

/* What the filter of a golden file says of 32-bit values. */
static int golden_holds(const char *name, size_t group, const int32_t *values, size_t count)
{
    char path[4300];
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_input *input = NULL;
    frz_parquet_file *file = NULL;
    frz_arena arena = {0};
    frz_parquet_bloom bloom = {0};
    int held = 0;
    (void)snprintf(path, sizeof path, "%s/parquet/%s", testdata_folder(), name);
    CHECK_OK(frz_io_local_new(&io, &err), err);
    CHECK_OK(frz_io_open(io, path, FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
    CHECK_OK(frz_parquet_file_open(input, NULL, &file, &err), err);
    CHECK_OK(frz_parquet_bloom_read(file, group, 0, &arena, &bloom, &err), err);
    CHECK(bloom.blocks != NULL);
    for (size_t i = 0; i < count; i++)
        held += frz_parquet_bloom_may_hold(&bloom, frz_slice_of(&values[i], sizeof values[i]));
    frz_arena_clear(&arena);
    frz_parquet_file_close(file);
    frz_input_close(input);
    frz_io_free(io);
    return held;
}

/* DuckDB's files of one value each (multi_bloom_a: 1, multi_bloom_c: 3, by their expected rows). */
static void test_filters_of_duckdb_hold_what_their_files_hold(void **state)
{
    (void)state;
    static const int32_t one = 1;
    static const int32_t three = 3;
    if (!testdata_folder()) {
        print_message("skipped: 4 cases\n");
        return;
    }
    CHECK(golden_holds("duckdb/multi_bloom_a.parquet", 0, &one, 1) == 1);
    CHECK(golden_holds("duckdb/multi_bloom_a.parquet", 0, &three, 1) == 0);
    CHECK(golden_holds("duckdb/multi_bloom_c.parquet", 0, &three, 1) == 1);
    CHECK(golden_holds("duckdb/multi_bloom_c.parquet", 0, &one, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_are_held_and_most_others_are_not),
        cmocka_unit_test(test_without_filter_anything_may_be_held),
        cmocka_unit_test(test_a_filter_of_impossible_size_is_corrupt),
        cmocka_unit_test(test_flipped_headers_do_no_harm),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_filters_of_duckdb_hold_what_their_files_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
