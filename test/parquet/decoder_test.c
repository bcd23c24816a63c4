#include "parquet/decoder.h"

#include "harness.h"

static const frz_parquet_node int32_leaf = {.name = "i", .type = FRZ_PARQUET_INT32};
static const frz_parquet_node text_leaf = {.name = "s", .type = FRZ_PARQUET_BYTE_ARRAY};
static const frz_parquet_node bool_leaf = {.name = "b", .type = FRZ_PARQUET_BOOLEAN};
static const frz_parquet_node fixed_leaf = {
    .name = "f", .type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, .type_length = 3};

static frz_parquet_decoder start(const frz_parquet_node *leaf, int32_t encoding, const void *bytes,
                                 size_t size)
{
    frz_parquet_decoder decoder = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_decoder_start(&decoder, leaf, encoding, frz_slice_of(bytes, size), &err),
             err);
    return decoder;
}

/* Decodes all byte arrays after skipping some, and compares them joined by commas. */
static void check_arrays(int32_t encoding, const void *bytes, size_t size, const char *const *want,
                         size_t count)
{
    for (size_t skip = 0; skip <= count; skip++) {
        frz_parquet_decoder decoder = start(&text_leaf, encoding, bytes, size);
        frz_buffer data = {0};
        int32_t ends[8] = {0};
        CHECK(frz_parquet_decoder_skip(&decoder, skip));
        CHECK(frz_parquet_decode_bytes(&decoder, ends, &data, count - skip));
        int32_t at = 0;
        for (size_t i = skip; i < count; i++) {
            const size_t length = (size_t)(ends[i - skip] - at);
            CHECK(length == strlen(want[i]) &&
                  (length == 0 || memcmp(data.data + at, want[i], length) == 0));
            at = ends[i - skip];
        }
        CHECK(!frz_parquet_decode_bytes(&decoder, ends, &data, 1) && decoder.problem);
        frz_buffer_clear(&data);
        frz_parquet_decoder_clear(&decoder);
    }
}

/* Encodings.md: "Hello", "World", "Foobar", "ABCDEF"; lengths 5, 5, 6, 6. */
static const uint8_t lengths_page[] = {0x80, 0x01, 0x04, 0x04, 0x0a, 0x00, 0x01, 0,   0,
                                       0,    0x02, 0x00, 0x00, 0x00, 'H',  'e',  'l', 'l',
                                       'o',  'W',  'o',  'r',  'l',  'd',  'F',  'o', 'o',
                                       'b',  'a',  'r',  'A',  'B',  'C',  'D',  'E', 'F'};

/* Encodings.md: "axis", "axle", "babble", "babyhood"; prefixes 0, 2, 0, 3; suffixes 4, 2, 6, 5. */
static const uint8_t prefix_page[] = {
    0x80, 0x01, 0x04, 0x04, 0x00, 0x03, 0x03, 0,    0,    0,    0x44, 0x01, 0,    0,   0,   0,
    0,    0,    0,    0,    0,    0,    0x80, 0x01, 0x04, 0x04, 0x08, 0x03, 0x03, 0,   0,   0,
    0x70, 0x00, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    'a',  'x', 'i', 's',
    'l',  'e',  'b',  'a',  'b',  'b',  'l',  'e',  'y',  'h',  'o',  'o',  'd'};

static void test_byte_arrays_in_three_encodings(void **state)
{
    (void)state;
    const uint8_t plain[] = {2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0, 3, 0, 0, 0, 'x', 'y', 'z'};
    const char *const plain_values[] = {"ab", "", "xyz"};
    check_arrays(FRZ_PARQUET_PLAIN, plain, sizeof plain, plain_values, 3);
    const char *const length_values[] = {"Hello", "World", "Foobar", "ABCDEF"};
    check_arrays(FRZ_PARQUET_DELTA_LENGTH_BYTE_ARRAY, lengths_page, sizeof lengths_page,
                 length_values, 4);
    const char *const prefix_values[] = {"axis", "axle", "babble", "babyhood"};
    check_arrays(FRZ_PARQUET_DELTA_BYTE_ARRAY, prefix_page, sizeof prefix_page, prefix_values, 4);
}

/* Encodings.md, BYTE_STREAM_SPLIT: three 4-byte values. */
static void test_split_streams_are_joined_at_any_width(void **state)
{
    (void)state;
    const uint8_t page[] = {0xaa, 0x00, 0xa3, 0xbb, 0x11, 0xb4, 0xcc, 0x22, 0xc5, 0xdd, 0x33, 0xd6};
    const uint8_t want[] = {0xaa, 0xbb, 0xcc, 0xdd, 0x00, 0x11, 0x22, 0x33, 0xa3, 0xb4, 0xc5, 0xd6};
    uint8_t got[12];
    frz_parquet_decoder decoder =
        start(&int32_leaf, FRZ_PARQUET_BYTE_STREAM_SPLIT, page, sizeof page);
    CHECK(frz_parquet_decode_fixed(&decoder, got, 1) &&
          frz_parquet_decode_fixed(&decoder, got + 4, 2));
    CHECK(memcmp(got, want, sizeof want) == 0);
    CHECK(!frz_parquet_decode_fixed(&decoder, got, 1));
    const uint8_t three[] = {'a', 'd', 'b', 'e', 'c', 'f'};
    decoder = start(&fixed_leaf, FRZ_PARQUET_BYTE_STREAM_SPLIT, three, sizeof three);
    CHECK(frz_parquet_decoder_skip(&decoder, 1) && frz_parquet_decode_fixed(&decoder, got, 1));
    CHECK(memcmp(got, "def", 3) == 0);
    decoder = start(&fixed_leaf, FRZ_PARQUET_BYTE_STREAM_SPLIT, three, 5);
    CHECK(!frz_parquet_decode_fixed(&decoder, got, 1));
    CHECK(strstr(decoder.problem, "different lengths"));
}

static void test_fixed_values_in_plain_and_prefixes(void **state)
{
    (void)state;
    uint8_t got[12];
    frz_parquet_decoder decoder = start(&fixed_leaf, FRZ_PARQUET_PLAIN, "abcdefghi", 9);
    CHECK(frz_parquet_decoder_skip(&decoder, 1) && frz_parquet_decode_fixed(&decoder, got, 2));
    CHECK(memcmp(got, "defghi", 6) == 0);
    CHECK(!frz_parquet_decode_fixed(&decoder, got, 1) && strstr(decoder.problem, "fewer values"));
    /* "axis" has four bytes, not three. */
    decoder = start(&fixed_leaf, FRZ_PARQUET_DELTA_BYTE_ARRAY, prefix_page, sizeof prefix_page);
    CHECK(!frz_parquet_decode_fixed(&decoder, got, 1));
    CHECK(strstr(decoder.problem, "another length"));
    frz_parquet_decoder_clear(&decoder);
}

static void test_integers_from_deltas(void **state)
{
    (void)state;
    const uint8_t page[] = {0x80, 0x01, 0x04, 0x03, 0x0e, 0x03, 0x02, 0, 0,
                            0,    0x0c, 0,    0,    0,    0,    0,    0, 0};
    int32_t got[3];
    frz_parquet_decoder decoder =
        start(&int32_leaf, FRZ_PARQUET_DELTA_BINARY_PACKED, page, sizeof page);
    CHECK(frz_parquet_decode_fixed(&decoder, (uint8_t *)got, 3));
    CHECK(got[0] == 7 && got[1] == 5 && got[2] == 6);
    decoder = start(&int32_leaf, FRZ_PARQUET_DELTA_BINARY_PACKED, page, sizeof page);
    CHECK(frz_parquet_decoder_skip(&decoder, 2) &&
          frz_parquet_decode_fixed(&decoder, (uint8_t *)got, 1) && got[0] == 6);
}

static void test_booleans_packed_and_in_runs(void **state)
{
    (void)state;
    const uint8_t packed[] = {0xa5};
    const uint8_t runs[] = {2, 0, 0, 0, 0x03, 0xa5};
    for (int kind = 0; kind < 2; kind++) {
        frz_parquet_decoder decoder = kind ? start(&bool_leaf, FRZ_PARQUET_RLE, runs, sizeof runs)
                                           : start(&bool_leaf, FRZ_PARQUET_PLAIN, packed, 1);
        uint8_t bits = 0;
        CHECK(frz_parquet_decoder_skip(&decoder, 2));
        CHECK(frz_parquet_decode_bits(&decoder, &bits, 1, 6) && bits == 0x52);
        CHECK(!frz_parquet_decode_bits(&decoder, &bits, 0, 1));
    }
    const uint8_t long_runs[] = {9, 0, 0, 0, 0x03, 0xa5};
    uint8_t bits = 0;
    frz_parquet_decoder decoder = start(&bool_leaf, FRZ_PARQUET_RLE, long_runs, sizeof long_runs);
    CHECK(!frz_parquet_decode_bits(&decoder, &bits, 0, 1));
}

static void test_indices(void **state)
{
    (void)state;
    const uint8_t page[] = {3, 0x0a, 0x06};
    uint32_t got[5];
    frz_parquet_decoder decoder = start(&text_leaf, FRZ_PARQUET_RLE_DICTIONARY, page, sizeof page);
    CHECK(frz_parquet_decoder_indexed(&decoder));
    CHECK(frz_parquet_decode_indices(&decoder, got, 5) && got[4] == 6);
    CHECK(!frz_parquet_decode_indices(&decoder, got, 1));
    const uint8_t wide[] = {33, 0x0a, 0x06};
    decoder = start(&text_leaf, FRZ_PARQUET_RLE_DICTIONARY, wide, sizeof wide);
    CHECK(!frz_parquet_decode_indices(&decoder, got, 1) && strstr(decoder.problem, "32 bits"));
}

static void test_encodings_of_other_types_are_refused(void **state)
{
    (void)state;
    frz_parquet_decoder decoder = {0};
    frz_error *err = NULL;
    CHECK_FAILS(frz_parquet_decoder_start(&decoder, &text_leaf, FRZ_PARQUET_DELTA_BINARY_PACKED,
                                          (frz_slice){0}, &err),
                FRZ_CORRUPT, err, "encoding 5 is none for physical type 6");
    CHECK_FAILS(frz_parquet_decoder_start(&decoder, &int32_leaf, 10, (frz_slice){0}, &err),
                FRZ_UNSUPPORTED, err, "encoding number 10");
    CHECK_FAILS(frz_parquet_decoder_start(&decoder, &int32_leaf, -1, (frz_slice){0}, &err),
                FRZ_UNSUPPORTED, err, "encoding number -1");
}

/* Lengths that the page itself does not bear out; the bytes behind it are there, and are not read.
 */
static void test_lengths_beyond_the_page_are_refused(void **state)
{
    (void)state;
    static const struct {
        int32_t encoding;
        size_t size;
        uint8_t bytes[48];
        const char *problem;
    } cases[] = {
        {FRZ_PARQUET_PLAIN, 7, {4, 0, 0, 0, 'a', 'b', 'c', 'd'}, "longer than the bytes left"},
        {FRZ_PARQUET_PLAIN, 3, {0, 0, 0, 0}, "fewer values than it says"},
        /* One value each: the delta headers say lengths 4, and prefix 1 of nothing. */
        {FRZ_PARQUET_DELTA_LENGTH_BYTE_ARRAY,
         8,
         {0x80, 0x01, 0x04, 0x01, 0x08, 'a', 'b', 'c', 'd'},
         "longer than the bytes left"},
        {FRZ_PARQUET_DELTA_BYTE_ARRAY,
         12,
         {0x80, 0x01, 0x04, 0x01, 0x02, 0x80, 0x01, 0x04, 0x01, 0x04, 'a', 'b'},
         "a prefix is longer than the value before"},
        {FRZ_PARQUET_DELTA_BYTE_ARRAY,
         11,
         {0x80, 0x01, 0x04, 0x01, 0x00, 0x80, 0x01, 0x04, 0x01, 0x04, 'a', 'b'},
         "a suffix is longer than the bytes left"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int skips = 0; skips < 2; skips++) {
            frz_parquet_decoder decoder =
                start(&text_leaf, cases[i].encoding, cases[i].bytes, cases[i].size);
            frz_buffer data = {0};
            int32_t ends[1];
            CHECK(!(skips ? frz_parquet_decoder_skip(&decoder, 1)
                          : frz_parquet_decode_bytes(&decoder, ends, &data, 1)));
            CHECK(decoder.problem && strstr(decoder.problem, cases[i].problem));
            frz_buffer_clear(&data);
            frz_parquet_decoder_clear(&decoder);
        }
    }
}

/* Any truncation and any flipped bit: an answer or a refusal, never a read outside (sanitizers see
 * it). */
static void test_damaged_pages_do_no_harm(void **state)
{
    (void)state;
    for (size_t bit = 0; bit < sizeof prefix_page * 8; bit++) {
        uint8_t *page = malloc(sizeof prefix_page);
        CHECK(page != NULL);
        memcpy(page, prefix_page, sizeof prefix_page);
        page[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const size_t size = bit % sizeof prefix_page;
        const size_t sizes[] = {sizeof prefix_page, size};
        for (int i = 0; i < 2; i++) {
            uint8_t *exact = malloc(sizes[i] ? sizes[i] : 1);
            CHECK(exact != NULL);
            memcpy(exact, page, sizes[i]);
            for (int32_t encoding = FRZ_PARQUET_DELTA_LENGTH_BYTE_ARRAY;
                 encoding <= FRZ_PARQUET_DELTA_BYTE_ARRAY; encoding++) {
                frz_parquet_decoder decoder = start(&text_leaf, encoding, exact, sizes[i]);
                frz_buffer data = {0};
                int32_t ends[4];
                if (!frz_parquet_decode_bytes(&decoder, ends, &data, 4))
                    CHECK(decoder.problem != NULL);
                frz_buffer_clear(&data);
                frz_parquet_decoder_clear(&decoder);
            }
            free(exact);
        }
        free(page);
    }
}

static void decode_under_failure(void)
{
    frz_parquet_decoder decoder =
        start(&text_leaf, FRZ_PARQUET_DELTA_BYTE_ARRAY, prefix_page, sizeof prefix_page);
    frz_buffer data = {0};
    int32_t ends[4];
    const bool done = frz_parquet_decode_bytes(&decoder, ends, &data, 4);
    CHECK(done == !frz_mem_failed() && !decoder.problem);
    frz_buffer_clear(&data);
    frz_parquet_decoder_clear(&decoder);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    sweep_allocation_failures(decode_under_failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_byte_arrays_in_three_encodings),
        cmocka_unit_test(test_split_streams_are_joined_at_any_width),
        cmocka_unit_test(test_fixed_values_in_plain_and_prefixes),
        cmocka_unit_test(test_integers_from_deltas),
        cmocka_unit_test(test_booleans_packed_and_in_runs),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_encodings_of_other_types_are_refused),
        cmocka_unit_test(test_lengths_beyond_the_page_are_refused),
        cmocka_unit_test(test_damaged_pages_do_no_harm),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
