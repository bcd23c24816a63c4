#include "parquet/window.h"

#include "harness.h"
#include "parquet/made_file.h"

static void make_bytes(made_file *file, size_t size)
{
    made_begin(file);
    frz_buffer_reset(&file->bytes);
    for (size_t i = 0; i < size; i++)
        frz_buffer_append_byte(&file->bytes, (uint8_t)(i * 7 + i / 251));
}

static void test_neighbours_are_read_in_one_go(void **state)
{
    (void)state;
    made_file file;
    make_bytes(&file, 100000);
    frz_parquet_window window;
    frz_parquet_window_init(&window, &file.input);
    const uint8_t *bytes = NULL;
    frz_error *err = NULL;
    for (uint64_t at = 1000; at < 50000; at += 500) {
        CHECK_OK(frz_parquet_window_at(&window, at, 500, 60000, &bytes, &err), err);
        CHECK(memcmp(bytes, file.bytes.data + at, 500) == 0);
    }
    CHECK(file.reads == 1 && file.read_bytes == 59000);
    /* Behind what may be read ahead, only what is asked for. */
    CHECK_OK(frz_parquet_window_at(&window, 60000, 10, 60000, &bytes, &err), err);
    CHECK(file.reads == 2 && file.read_bytes == 59010);
    frz_parquet_window_clear(&window);
    made_clear(&file);
}

static void test_what_overlaps_is_not_read_again(void **state)
{
    (void)state;
    made_file file;
    make_bytes(&file, 10000);
    frz_parquet_window window;
    frz_parquet_window_init(&window, &file.input);
    const uint8_t *bytes = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_window_at(&window, 0, 1000, 0, &bytes, &err), err);
    CHECK_OK(frz_parquet_window_at(&window, 900, 300, 0, &bytes, &err), err);
    CHECK(file.reads == 2 && file.read_bytes == 1200);
    CHECK(memcmp(bytes, file.bytes.data + 900, 300) == 0);
    CHECK_OK(frz_parquet_window_at(&window, 5000, 8, 0, &bytes, &err), err);
    CHECK_OK(frz_parquet_window_at(&window, 10, 8, 0, &bytes, &err), err);
    CHECK(memcmp(bytes, file.bytes.data + 10, 8) == 0);
    frz_parquet_window_clear(&window);
    made_clear(&file);
}

static void test_the_end_of_the_file_is_kept(void **state)
{
    (void)state;
    made_file file;
    make_bytes(&file, 100);
    frz_parquet_window window;
    frz_parquet_window_init(&window, &file.input);
    const uint8_t *bytes = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_window_at(&window, 100, 0, UINT64_MAX, &bytes, &err), err);
    CHECK(bytes && file.reads == 0); /* no bytes are somewhere, too */
    CHECK_OK(frz_parquet_window_at(&window, 90, 10, UINT64_MAX, &bytes, &err), err);
    CHECK_FAILS(frz_parquet_window_at(&window, 90, 11, UINT64_MAX, &bytes, &err), FRZ_CORRUPT, err,
                "11 bytes at offset 90: past the end of the file (100 bytes)");
    CHECK_FAILS(frz_parquet_window_at(&window, UINT64_MAX, 1, 0, &bytes, &err), FRZ_CORRUPT, err,
                "past the end");
    frz_parquet_window_clear(&window);
    made_clear(&file);
}

static made_file swept;

static void read_under_failure(void)
{
    frz_parquet_window window;
    frz_parquet_window_init(&window, &swept.input);
    const uint8_t *bytes = NULL;
    const frz_status status = frz_parquet_window_at(&window, 5, 50, 0, &bytes, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_parquet_window_clear(&window);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    make_bytes(&swept, 100);
    sweep_allocation_failures(read_under_failure);
    made_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours_are_read_in_one_go),
        cmocka_unit_test(test_what_overlaps_is_not_read_again),
        cmocka_unit_test(test_the_end_of_the_file_is_kept),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
