/*
 * Puffin files: footer, every blob, and deletion vectors among them.
 */
#include "puffin/file.h"

#include "puffin/deletion_vector.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    frz_limits limits = frz_limits_default;
    frz_arena arena = {.budget = (size_t)64 << 20};
    frz_puffin_footer footer = {0};
    frz_error *err = NULL;
    fuzz_input input = fuzz_input_over(data, size);
    limits.puffin_footer_size = (size_t)1 << 20;
    if (frz_puffin_footer_read(&input.base, &limits, &arena, &footer, &err) == FRZ_OK) {
        for (size_t i = 0; i < footer.blob_count && i < 64; i++) {
            frz_buffer blob = {0};
            frz_bitmap *bitmap = NULL;
            if (frz_puffin_blob_read(&input.base, &footer.blobs[i], (size_t)1 << 20, &blob, NULL) ==
                FRZ_OK)
                (void)!frz_deletion_vector_decode(frz_buffer_slice(&blob), -1, &bitmap, NULL);
            frz_bitmap_free(bitmap);
            frz_buffer_clear(&blob);
        }
    }
    frz_error_free(err);
    frz_arena_clear(&arena);
    return 0;
}
