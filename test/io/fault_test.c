#include "io/fault.h"

#include "frazil/io.h"
#include "harness.h"
#include "io/file.h"

typedef struct pair {
    frz_io *inner;
    frz_io *fault;
} pair;

static pair make_pair(void)
{
    pair made = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_io_memory_new(&made.inner, &err), err);
    CHECK_OK(frz_io_fault_new(made.inner, &made.fault, &err), err);
    return made;
}

static void free_pair(pair *made)
{
    frz_io_free(made->fault);
    frz_io_free(made->inner);
}

static void test_the_nth_call_fails_and_later_ones_work(void **state)
{
    (void)state;
    pair io = make_pair();
    frz_error *err = NULL;
    uint64_t size = 0;
    frz_io_fault_fail_after(io.fault, 1); /* create passes, write fails */
    CHECK_FAILS(frz_io_write_file(io.fault, "a", frz_slice_of_text("x"), &err), FRZ_IO, err,
                "write a: injected");
    CHECK(frz_io_fault_fired(io.fault));
    CHECK_FAILS(frz_io_stat(io.inner, "a", &size, &err), FRZ_NOT_FOUND, err, "a");
    CHECK_OK(frz_io_write_file(io.fault, "a", frz_slice_of_text("x"), &err), err);
    free_pair(&io);
}

static void test_every_kind_of_call_can_fail(void **state)
{
    (void)state;
    pair io = make_pair();
    frz_error *err = NULL;
    frz_input *input = NULL;
    frz_output *output = NULL;
    uint64_t size = 0;
    CHECK_OK(frz_io_write_file(io.inner, "a", frz_slice_of_text("x"), &err), err);
    frz_io_fault_fail_after(io.fault, 0);
    CHECK_FAILS(frz_io_open(io.fault, "a", 1, &input, &err), FRZ_IO, err, "open a: injected");
    frz_io_fault_fail_after(io.fault, 0);
    CHECK_FAILS(frz_io_stat(io.fault, "a", &size, &err), FRZ_IO, err, "stat a: injected");
    frz_io_fault_fail_after(io.fault, 0);
    CHECK_FAILS(frz_io_remove(io.fault, "a", &err), FRZ_IO, err, "remove a: injected");
    frz_io_fault_fail_after(io.fault, 0);
    CHECK_FAILS(frz_io_list(io.fault, "a", NULL, NULL, &err), FRZ_IO, err, "list a: injected");
    frz_io_fault_fail_after(io.fault, 0);
    CHECK_FAILS(frz_io_create(io.fault, "b", &output, &err), FRZ_IO, err, "create b: injected");
    CHECK_OK(frz_io_open(io.fault, "a", 1, &input, &err), err);
    char byte = 0;
    frz_io_fault_fail_after(io.fault, 0);
    CHECK_FAILS(frz_input_read_at(input, 0, &byte, 1, &err), FRZ_IO, err, "read a: injected");
    CHECK_OK(frz_input_read_at(input, 0, &byte, 1, &err), err);
    frz_input_close(input);
    CHECK_OK(frz_io_create(io.fault, "b", &output, &err), err);
    frz_io_fault_fail_after(io.fault, 0);
    CHECK_FAILS(frz_output_commit(output, &err), FRZ_IO, err, "commit b: injected");
    CHECK_FAILS(frz_io_stat(io.fault, "b", &size, &err), FRZ_NOT_FOUND, err, "b");
    free_pair(&io);
}

static void test_after_a_crash_nothing_works_and_uncommitted_bytes_are_lost(void **state)
{
    (void)state;
    pair io = make_pair();
    frz_error *err = NULL;
    frz_output *output = NULL;
    uint64_t size = 0;
    CHECK_OK(frz_io_create(io.fault, "open", &output, &err), err);
    CHECK_OK(frz_output_write(output, "x", 1, &err), err);
    frz_io_fault_crash_after(io.fault, 3); /* a whole file passes */
    CHECK_OK(frz_io_write_file(io.fault, "done", frz_slice_of_text("x"), &err), err);
    CHECK(!frz_io_fault_fired(io.fault));
    CHECK_FAILS(frz_output_write(output, "y", 1, &err), FRZ_IO, err, "injected");
    CHECK_FAILS(frz_output_commit(output, &err), FRZ_IO, err, "injected");
    CHECK_FAILS(frz_io_remove(io.fault, "done", &err), FRZ_IO, err, "injected");
    CHECK_OK(frz_io_stat(io.inner, "done", &size, &err), err);
    CHECK_FAILS(frz_io_stat(io.inner, "open", &size, &err), FRZ_NOT_FOUND, err, "open");
    frz_io_fault_crash_after(io.fault, -1);
    CHECK_OK(frz_io_remove(io.fault, "done", &err), err);
    free_pair(&io);
}

static void test_the_trace_names_calls_locations_and_ranges(void **state)
{
    (void)state;
    pair io = make_pair();
    frz_error *err = NULL;
    frz_input *input = NULL;
    char bytes[3];
    CHECK_OK(frz_io_write_file(io.fault, "a", frz_slice_of_text("0123456789"), &err), err);
    CHECK_OK(frz_io_open(io.fault, "a", 10, &input, &err), err);
    CHECK_OK(frz_input_read_at(input, 4, bytes, 3, &err), err);
    CHECK(frz_input_mapped(input) == NULL); /* or reads could go past the trace */
    frz_input_close(input);
    size_t count = 0;
    const frz_io_trace_entry *trace = frz_io_fault_trace(io.fault, &count);
    CHECK(count == 5);
    CHECK(trace[0].call == FRZ_IO_CALL_CREATE && trace[1].call == FRZ_IO_CALL_WRITE);
    CHECK(trace[1].size == 10 && trace[2].call == FRZ_IO_CALL_COMMIT && trace[2].size == 10);
    CHECK(trace[3].call == FRZ_IO_CALL_OPEN && trace[4].call == FRZ_IO_CALL_READ);
    CHECK(trace[4].offset == 4 && trace[4].size == 3);
    assert_string_equal(trace[4].location, "a");
    frz_io_fault_trace_reset(io.fault);
    CHECK(frz_io_fault_trace(io.fault, &count) != NULL && count == 0);
    free_pair(&io);
}

static void sweep_body(void)
{
    frz_error *err = NULL;
    frz_io *inner = NULL;
    frz_io *fault = NULL;
    frz_buffer bytes = {0};
    uint64_t size = 0;
    frz_status status = frz_io_memory_new(&inner, &err);
    if (status == FRZ_OK)
        status = frz_io_fault_new(inner, &fault, &err);
    if (status == FRZ_OK)
        status = frz_io_write_file(fault, "a", frz_slice_of_text("abc"), &err);
    if (status == FRZ_OK)
        status = frz_io_read_file(fault, "a", 10, &bytes, &err);
    if (status == FRZ_OK)
        status = frz_io_stat(fault, "a", &size, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    frz_buffer_clear(&bytes);
    frz_io_free(fault);
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
        cmocka_unit_test(test_the_nth_call_fails_and_later_ones_work),
        cmocka_unit_test(test_every_kind_of_call_can_fail),
        cmocka_unit_test(test_after_a_crash_nothing_works_and_uncommitted_bytes_are_lost),
        cmocka_unit_test(test_the_trace_names_calls_locations_and_ranges),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
