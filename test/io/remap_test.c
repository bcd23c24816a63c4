#include "io/file.h"

#include "frazil/io.h"
#include "harness.h"

static void test_the_longest_prefix_wins_and_only_at_the_start(void **state)
{
    (void)state;
    static const frz_path_map maps[] = {
        {"s3://b", "/short"}, {"s3://b/w/t", "/long"}, {"s3://b/w", "/middle"}};
    static const struct {
        const char *recorded;
        const char *stands_at;
    } cases[] = {{"s3://b/w/t/x", "/long/x"},
                 {"s3://b/w/u", "/middle/u"},
                 {"s3://bucket/y", "/shortucket/y"}, /* compared as text */
                 {"s3://b", "/short"},
                 {"gs://s3://b/z", "gs://s3://b/z"}};
    frz_error *err = NULL;
    frz_io *inner = NULL;
    frz_io *view = NULL;
    CHECK_OK(frz_io_memory_new(&inner, &err), err);
    CHECK_OK(frz_io_remap_new(inner, maps, 3, &view, &err), err);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t size = 0;
        CHECK_OK(frz_io_write_file(view, cases[i].recorded, frz_slice_of_text("x"), &err), err);
        CHECK_OK(frz_io_stat(inner, cases[i].stands_at, &size, &err), err);
        CHECK_OK(frz_io_stat(view, cases[i].recorded, &size, &err), err);
        CHECK_OK(frz_io_remove(view, cases[i].recorded, &err), err);
        CHECK_FAILS(frz_io_stat(inner, cases[i].stands_at, &size, &err), FRZ_NOT_FOUND, err, "");
    }
    frz_io_free(view);
    frz_io_free(inner);
}

static void test_without_maps_all_stays_as_it_is(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *inner = NULL;
    frz_io *view = NULL;
    uint64_t size = 0;
    CHECK_OK(frz_io_memory_new(&inner, &err), err);
    CHECK_OK(frz_io_remap_new(inner, NULL, 0, &view, &err), err);
    CHECK_OK(frz_io_write_file(view, "a/b", frz_slice_of_text("x"), &err), err);
    CHECK_OK(frz_io_stat(inner, "a/b", &size, &err), err);
    frz_io_free(view);
    frz_io_free(inner);
}

static void sweep_body(void)
{
    static const frz_path_map maps[] = {{"a", "b"}, {"c", "d"}};
    frz_error *err = NULL;
    frz_io *inner = NULL;
    frz_io *view = NULL;
    frz_buffer bytes = {0};
    frz_status status = frz_io_memory_new(&inner, &err);
    if (status == FRZ_OK)
        status = frz_io_remap_new(inner, maps, 2, &view, &err);
    if (status == FRZ_OK)
        status = frz_io_write_file(view, "a/x", frz_slice_of_text("x"), &err);
    if (status == FRZ_OK)
        status = frz_io_read_file(view, "a/x", 10, &bytes, &err);
    if (status == FRZ_OK)
        status = frz_io_remove(view, "a/x", &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    frz_buffer_clear(&bytes);
    frz_io_free(view);
    frz_io_free(inner);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(sweep_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_longest_prefix_wins_and_only_at_the_start),
        cmocka_unit_test(test_without_maps_all_stays_as_it_is),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
