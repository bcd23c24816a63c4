#include "parquet/bitpack.h"

#include "harness.h"

/* Packs by the definition, bit by bit, into a block of exactly the size it takes. */
static frz_slice pack(const uint64_t *values, size_t count, unsigned width)
{
    const size_t size = (count * width + 7) / 8;
    uint8_t *bytes = calloc(1, size + 1);
    uint8_t *exact = malloc(size ? size : 1);
    CHECK(bytes && exact);
    for (size_t i = 0; i < count; i++)
        for (unsigned bit = 0; bit < width; bit++)
            if (values[i] >> bit & 1)
                bytes[(i * width + bit) / 8] |= (uint8_t)(1u << (i * width + bit) % 8);
    memcpy(exact, bytes, size);
    free(bytes);
    return frz_slice_of(exact, size);
}

static uint64_t pseudo_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

/* Sanitizers see any read behind the block. */
static void test_every_width_unpacks_what_was_packed(void **state)
{
    (void)state;
    enum { COUNT = 203 };
    uint64_t seed = 7;
    for (unsigned width = 0; width <= 64; width++) {
        uint64_t values[COUNT];
        uint64_t wide[COUNT];
        uint32_t narrow[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            values[i] = width == 64 ? pseudo_random(&seed)
                                    : pseudo_random(&seed) & ((UINT64_C(1) << width) - 1);
        const frz_slice bytes = pack(values, COUNT, width);
        for (size_t first = 0; first < 40; first += 13) {
            frz_parquet_unpack_u64(bytes, width, first, wide, COUNT - first);
            CHECK(memcmp(wide, values + first, (COUNT - first) * sizeof *wide) == 0);
            if (width > 32)
                continue;
            frz_parquet_unpack_u32(bytes, width, first, narrow, COUNT - first);
            for (size_t i = first; i < COUNT; i++)
                CHECK(narrow[i - first] == values[i]);
        }
        free((void *)(uintptr_t)bytes.data);
    }
}

/* The example of Encodings.md: 0 to 7 in three bits each. */
static void test_the_specification_example(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x88, 0xc6, 0xfa};
    uint32_t out[8];
    frz_parquet_unpack_u32(frz_slice_of(bytes, sizeof bytes), 3, 0, out, 8);
    for (uint32_t i = 0; i < 8; i++)
        CHECK(out[i] == i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width_unpacks_what_was_packed),
        cmocka_unit_test(test_the_specification_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
