#include "parquet/dictionary_values.h"

#include "base/fail.h"
#include "harness.h"
#include "parquet/made_file.h"

static const uint8_t index_bytes[] = {2, 4 << 1, 1}; /* width 2, a run of four times 1 */

/* One column of four values, all the second of three in the dictionary. */
static void make_file(made_file *file, int type, int32_t type_length, frz_slice dictionary,
                      int plain_pages, bool encoding_stats)
{
    element_spec schema[] = {GROUP("root", NONE, 1, NONE), LEAF("x", 0, type, NONE)};
    schema[1].type_length = type_length;
    made_begin(file);
    made_column *column = made_column_begin(file);
    column->encoding_stats = encoding_stats;
    column->plain_pages = plain_pages;
    file->codec = FRZ_CODEC_SNAPPY;
    file->codec_number = 1;
    made_add_page(
        file,
        (made_page){.type = FRZ_PARQUET_PAGE_DICTIONARY, .value_count = 3, .values = dictionary});
    made_add_page(file, (made_page){.encoding = FRZ_PARQUET_RLE_DICTIONARY,
                                    .value_count = 4,
                                    .values = frz_slice_of(index_bytes, sizeof index_bytes)});
    made_finish(file, schema, 2, 4);
}

static frz_status read_values(made_file *made, frz_arena *arena, frz_parquet_dictionary_values *out,
                              frz_error **err)
{
    frz_parquet_file *file = NULL;
    FRZ_TRY(frz_parquet_file_open(&made->input, NULL, &file, err));
    made->reads = 0;
    const frz_status status = frz_parquet_dictionary_values_read(file, 0, 0, arena, out, err);
    frz_parquet_file_close(file);
    return status;
}

static const frz_slice texts = {(const uint8_t *)"\1\0\0\0a\0\0\0\0\2\0\0\0bc", 15};
static const frz_slice numbers = {(const uint8_t *)"\1\0\0\0\2\0\0\0\3\0\0\0", 12};

static void test_values_of_every_width(void **state)
{
    (void)state;
    static const struct {
        int type;
        int32_t length;
        frz_slice page;
        size_t sizes[3];
    } cases[] = {
        {FRZ_PARQUET_INT32, 0, {(const uint8_t *)"\1\0\0\0\2\0\0\0\3\0\0\0", 12}, {4, 4, 4}},
        {FRZ_PARQUET_DOUBLE, 0, {(const uint8_t *)"12345678abcdefgh87654321", 24}, {8, 8, 8}},
        {FRZ_PARQUET_INT96,
         0,
         {(const uint8_t *)"123456789012123456789012123456789012", 36},
         {12, 12, 12}},
        {FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, 2, {(const uint8_t *)"aabbcc", 6}, {2, 2, 2}},
        {FRZ_PARQUET_BYTE_ARRAY,
         0,
         {(const uint8_t *)"\1\0\0\0a\0\0\0\0\2\0\0\0bc", 15},
         {1, 0, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_error *err = NULL;
        frz_arena arena = {0};
        frz_parquet_dictionary_values values;
        made_file made;
        make_file(&made, cases[i].type, cases[i].length, cases[i].page, 0, true);
        CHECK_OK(read_values(&made, &arena, &values, &err), err);
        CHECK(values.known && values.count == 3 && made.reads == 1);
        for (size_t k = 0; k < 3; k++)
            CHECK(values.items[k].size == cases[i].sizes[k]);
        CHECK(memcmp(values.items[2].data,
                     cases[i].page.data + cases[i].page.size - cases[i].sizes[2],
                     cases[i].sizes[2]) == 0);
        frz_arena_clear(&arena);
        made_clear(&made);
    }
}

/* A chunk that falls back to plain half-way has values that its dictionary has not. */
static void test_a_chunk_with_other_pages_is_unknown(void **state)
{
    (void)state;
    for (int plain_pages = -1; plain_pages <= 1; plain_pages++) {
        frz_error *err = NULL;
        frz_arena arena = {0};
        frz_parquet_dictionary_values values;
        made_file made;
        make_file(&made, FRZ_PARQUET_INT32, 0, numbers, plain_pages, true);
        CHECK_OK(read_values(&made, &arena, &values, &err), err);
        CHECK(values.known == (plain_pages == 0));
        made_clear(&made);
        make_file(&made, FRZ_PARQUET_INT32, 0, numbers, plain_pages, false);
        CHECK_OK(read_values(&made, &arena, &values, &err), err);
        CHECK(!values.known && made.reads == 0); /* without encoding_stats, too */
        frz_arena_clear(&arena);
        made_clear(&made);
    }
}

static void test_short_dictionaries_are_corrupt(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_parquet_dictionary_values values;
    made_file made;
    make_file(&made, FRZ_PARQUET_INT64, 0, numbers, 0, true);
    CHECK_FAILS(read_values(&made, &arena, &values, &err), FRZ_CORRUPT, err,
                "column x: dictionary page: it has fewer values than it says");
    made_clear(&made);
    make_file(&made, FRZ_PARQUET_BYTE_ARRAY, 0, frz_slice_of(texts.data, 14), 0, true);
    CHECK_FAILS(read_values(&made, &arena, &values, &err), FRZ_CORRUPT, err, "value 2 ends behind");
    CHECK(!values.known);
    frz_arena_clear(&arena);
    made_clear(&made);
}

static made_file swept;

static void read_under_failure(void)
{
    frz_arena arena = {0};
    frz_parquet_dictionary_values values;
    const frz_status status = read_values(&swept, &arena, &values, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arena_clear(&arena);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    make_file(&swept, FRZ_PARQUET_BYTE_ARRAY, 0, texts, 0, true);
    sweep_allocation_failures(read_under_failure);
    made_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_every_width),
        cmocka_unit_test(test_a_chunk_with_other_pages_is_unknown),
        cmocka_unit_test(test_short_dictionaries_are_corrupt),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
