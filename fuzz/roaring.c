/*
 * Bitmaps: what decodes is a set that encodes and decodes to itself.
 */
#include "puffin/bitmap.h"
#include "target.h"

static void check_set(const frz_bitmap *bitmap)
{
    frz_buffer bytes = {0};
    frz_bitmap *again = NULL;
    int64_t first[64];
    uint64_t mask[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const int64_t count = frz_bitmap_cardinality(bitmap);
    const int64_t last = frz_bitmap_last(bitmap);
    FUZZ_CHECK((count == 0) == (last == -1));
    FUZZ_CHECK(last < 0 || frz_bitmap_contains(bitmap, last));
    const size_t listed = frz_bitmap_list(bitmap, 0, first, 64);
    for (size_t i = 0; i < listed; i++)
        FUZZ_CHECK(frz_bitmap_contains(bitmap, first[i]) && (i == 0 || first[i] > first[i - 1]));
    const int64_t start = last > 100 ? last - 100 : 0;
    FUZZ_CHECK(frz_bitmap_clear_mask(bitmap, start, 101, mask) ==
               frz_bitmap_count_range(bitmap, start, 101));
    FUZZ_CHECK(frz_bitmap_encode(bitmap, &bytes, NULL) == FRZ_OK);
    FUZZ_CHECK(frz_bitmap_decode(frz_buffer_slice(&bytes), &again, NULL) == FRZ_OK);
    FUZZ_CHECK(frz_bitmap_cardinality(again) == count && frz_bitmap_last(again) == last);
    FUZZ_CHECK(frz_bitmap_or(again, bitmap, NULL) == FRZ_OK);
    FUZZ_CHECK(frz_bitmap_cardinality(again) == count);
    frz_bitmap_free(again);
    frz_buffer_clear(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    frz_bitmap *bitmap = NULL;
    frz_error *err = NULL;
    if (frz_bitmap_decode(frz_slice_of(data, size), &bitmap, &err) == FRZ_OK)
        check_set(bitmap);
    frz_error_free(err);
    frz_bitmap_free(bitmap);
    return 0;
}
