#include "puffin/deletion_vector.h"

#include "frazil/io.h"
#include "harness.h"
#include "io/file.h"

/* 1, 3, 5, 7, 9, as Java writes them: length 42, magic, one bitmap of one array container, CRC-32.
 */
static const uint8_t alternating[50] = {0, 0, 0, 42, 0xd1, 0xd3, 0x39, 0x64, 1,    0,    0,   0, 0,
                                        0, 0, 0, 0,  0,    0,    0,    0x3a, 0x30, 0,    0,   1, 0,
                                        0, 0, 0, 0,  4,    0,    16,   0,    0,    0,    1,   0, 3,
                                        0, 5, 0, 7,  0,    9,    0,    0xb3, 0xfb, 0x20, 0xbe};

static frz_bitmap *odd(void)
{
    frz_error *err = NULL;
    frz_bitmap *bitmap = NULL;
    CHECK_OK(frz_bitmap_new(&bitmap, &err), err);
    for (int64_t i = 9; i > 0; i -= 2)
        CHECK_OK(frz_bitmap_add(bitmap, i, &err), err);
    return bitmap;
}

static void d112_the_bytes_are_those_that_java_writes(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer out = {0};
    frz_bitmap *bitmap = odd();
    frz_buffer_append_text(&out, "before");
    CHECK_OK(frz_deletion_vector_encode(bitmap, &out, &err), err);
    CHECK(out.size == 6 + sizeof alternating);
    CHECK(memcmp(out.data + 6, alternating, sizeof alternating) == 0);
    frz_bitmap_free(bitmap);
    CHECK_OK(frz_deletion_vector_decode(frz_slice_of(alternating, 50), 5, &bitmap, &err), err);
    CHECK(frz_bitmap_cardinality(bitmap) == 5 && frz_bitmap_contains(bitmap, 7));
    frz_bitmap_free(bitmap);
    frz_buffer_clear(&out);
}

static void test_the_empty_vector_is_twenty_bytes(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_buffer out = {0};
    frz_bitmap *bitmap = NULL;
    static const uint8_t empty[20] = {0, 0, 0, 12, 0xd1, 0xd3, 0x39, 0x64, 0,    0,
                                      0, 0, 0, 0,  0,    0,    0xbf, 0x18, 0x48, 0x0c};
    CHECK_OK(frz_bitmap_new(&bitmap, &err), err);
    CHECK_OK(frz_deletion_vector_encode(bitmap, &out, &err), err);
    CHECK(out.size == 20 && memcmp(out.data, empty, 20) == 0);
    frz_bitmap_free(bitmap);
    CHECK_OK(frz_deletion_vector_decode(frz_buffer_slice(&out), 0, &bitmap, &err), err);
    CHECK(frz_bitmap_cardinality(bitmap) == 0);
    frz_bitmap_free(bitmap);
    frz_buffer_clear(&out);
}

static void test_each_fault_is_named_with_its_place(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        const char *message;
        uint64_t offset;
    } faults[] = {
        {3, "length 43, the blob has 42", 0},
        {4, "magic d0d33964, expected d1d33964", 4},
        {38, "checksum b3fb20be, its bytes have", 46},
        {49, "checksum b3fb20bf", 46},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        frz_error *err = NULL;
        frz_bitmap *bitmap = NULL;
        uint64_t offset = 0;
        uint8_t bytes[50];
        memcpy(bytes, alternating, 50);
        bytes[faults[i].at] ^= 1;
        const frz_status status =
            frz_deletion_vector_decode(frz_slice_of(bytes, 50), -1, &bitmap, &err);
        CHECK(frz_error_offset(err, &offset) && offset == faults[i].offset);
        CHECK_FAILS(status, FRZ_CORRUPT, err, faults[i].message);
    }
    frz_error *err = NULL;
    frz_bitmap *bitmap = NULL;
    CHECK_FAILS(frz_deletion_vector_decode(frz_slice_of(alternating, 50), 6, &bitmap, &err),
                FRZ_CORRUPT, err, "5 positions, the manifest says 6");
    CHECK(bitmap == NULL);
    for (size_t size = 0; size < 50; size++)
        CHECK_FAILS(frz_deletion_vector_decode(frz_slice_of(alternating, size), -1, &bitmap, &err),
                    FRZ_CORRUPT, err, "deletion vector: ");
    /* Too short for its frame, and yet of the length that it says. */
    const uint8_t short_frame[8] = {0};
    CHECK_FAILS(frz_deletion_vector_decode(frz_slice_of(short_frame, 8), -1, &bitmap, &err),
                FRZ_CORRUPT, err, "8 bytes, at least 12");
}

static void test_a_vector_is_read_by_its_place_in_a_file(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_bitmap *bitmap = NULL;
    frz_buffer file = {0};
    frz_buffer_append_text(&file, "PFA1");
    frz_buffer_append(&file, alternating, 50);
    frz_buffer_append_text(&file, "rest");
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    CHECK_OK(frz_io_write_file(io, "mem/dv.puffin", frz_buffer_slice(&file), &err), err);
    CHECK_OK(frz_deletion_vector_read(io, "mem/dv.puffin", 4, 50, 5, &bitmap, &err), err);
    CHECK(frz_bitmap_last(bitmap) == 9);
    frz_bitmap_free(bitmap);
    bitmap = NULL;
    CHECK_FAILS(frz_deletion_vector_read(io, "mem/dv.puffin", 4, 55, 5, &bitmap, &err), FRZ_CORRUPT,
                err, "mem/dv.puffin: deletion vector of 55 bytes at 4, the file has 58");
    CHECK_FAILS(frz_deletion_vector_read(io, "mem/dv.puffin", -4, 50, 5, &bitmap, &err),
                FRZ_CORRUPT, err, "at -4");
    CHECK_FAILS(frz_deletion_vector_read(io, "mem/dv.puffin", 0, INT64_MAX, 5, &bitmap, &err),
                FRZ_UNSUPPORTED, err, "limit deletion_vector_size");
    CHECK_FAILS(frz_deletion_vector_read(io, "mem/none", 4, 50, 5, &bitmap, &err), FRZ_NOT_FOUND,
                err, "mem/none");
    frz_io_free(io);
    frz_buffer_clear(&file);
}

static void decode_and_encode(void)
{
    frz_error *err = NULL;
    frz_bitmap *bitmap = NULL;
    frz_buffer out = {0};
    frz_status status = frz_deletion_vector_decode(frz_slice_of(alternating, 50), 5, &bitmap, &err);
    if (status == FRZ_OK)
        status = frz_deletion_vector_encode(bitmap, &out, &err);
    CHECK(status == FRZ_OK ? out.size == 50 : status == FRZ_NO_MEMORY && frz_mem_failed());
    frz_error_free(err);
    frz_bitmap_free(bitmap);
    frz_buffer_clear(&out);
}

static void test_short_memory_is_clean(void **state)
{
    (void)state;
    sweep_allocation_failures(decode_and_encode);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d112_the_bytes_are_those_that_java_writes),
        cmocka_unit_test(test_the_empty_vector_is_twenty_bytes),
        cmocka_unit_test(test_each_fault_is_named_with_its_place),
        cmocka_unit_test(test_a_vector_is_read_by_its_place_in_a_file),
        cmocka_unit_test(test_short_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
