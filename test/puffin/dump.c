/*
 * Prints the members of a bitmap as runs, a line "first-last" for each, for the comparison with
 * golden answers: `dump FILE portable|portable32|vector [OFFSET SIZE]`.
 *
 * `portable` is the 64-bit form, `portable32` one 32-bit bitmap, read as the only one of a 64-bit
 * form with key 0; `vector` is the blob deletion-vector-v1. Exits 7 when the bytes are refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "puffin/deletion_vector.h"

enum { REFUSED = 7, LIST_MAX = 4096 };

static bool read_bytes(const char *path, frz_buffer *out)
{
    uint8_t bytes[65536];
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        frz_buffer_append(out, bytes, size);
    const bool good = !ferror(file) && !out->failed;
    return fclose(file) == 0 && good;
}

static void print_runs(const frz_bitmap *bitmap)
{
    int64_t members[LIST_MAX];
    int64_t from = 0;
    int64_t first = -1;
    int64_t last = -1;
    size_t count = 0;
    while ((count = frz_bitmap_list(bitmap, from, members, LIST_MAX)) > 0) {
        for (size_t i = 0; i < count; i++) {
            if (first >= 0 && members[i] != last + 1) {
                printf("%" PRId64 "-%" PRId64 "\n", first, last);
                first = members[i];
            }
            if (first < 0)
                first = members[i];
            last = members[i];
        }
        from = last + 1;
    }
    if (first >= 0)
        printf("%" PRId64 "-%" PRId64 "\n", first, last);
}

static frz_status decode(const char *form, frz_slice bytes, frz_bitmap **out, frz_error **err)
{
    if (strcmp(form, "vector") == 0)
        return frz_deletion_vector_decode(bytes, -1, out, err);
    if (strcmp(form, "portable") == 0)
        return frz_bitmap_decode(bytes, out, err);
    frz_buffer whole = {0};
    frz_buffer_append_u64le(&whole, 1); /* one bitmap */
    frz_buffer_append(&whole, (const uint8_t[4]){0}, 4);
    frz_buffer_append(&whole, bytes.data, bytes.size);
    const frz_status status = frz_bitmap_decode(frz_buffer_slice(&whole), out, err);
    frz_buffer_clear(&whole);
    return status;
}

int main(int argc, char **argv)
{
    frz_buffer bytes = {0};
    frz_bitmap *bitmap = NULL;
    frz_error *err = NULL;
    if (argc < 3 || !read_bytes(argv[1], &bytes)) {
        (void)fprintf(stderr, "usage: dump FILE portable|portable32|vector [OFFSET SIZE]\n");
        return EXIT_FAILURE;
    }
    frz_slice slice = frz_buffer_slice(&bytes);
    if (argc > 4) {
        const size_t offset = strtoul(argv[3], NULL, 10);
        slice.size = strtoul(argv[4], NULL, 10);
        if (offset > bytes.size || slice.size > bytes.size - offset)
            return EXIT_FAILURE;
        slice.data += offset;
    }
    const frz_status status = decode(argv[2], slice, &bitmap, &err);
    if (status == FRZ_OK)
        print_runs(bitmap);
    else
        (void)fprintf(stderr, "%s\n", frz_error_message(err));
    frz_error_free(err);
    frz_bitmap_free(bitmap);
    frz_buffer_clear(&bytes);
    return status == FRZ_OK ? EXIT_SUCCESS : REFUSED;
}
