#include "write/own_files.h"

#include "harness.h"

#include "base/mem.h"
#include "frazil/io.h"
#include "io/fault.h"
#include "io/file.h"

static void put(frz_io *io, frz_own_files *files, const char *location, int32_t attempt)
{
    frz_error *err = NULL;
    CHECK_OK(frz_own_files_add(files, location, attempt, &err), err);
    CHECK_OK(frz_io_write_file(io, location, frz_slice_of_text("x"), &err), err);
}

static bool exists(frz_io *io, const char *location)
{
    uint64_t size = 0;
    return frz_io_stat(io, location, &size, NULL) == FRZ_OK;
}

static void a_commit_keeps_its_own_attempt(void **state)
{
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_own_files files = {0};
    (void)state;
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    put(io, &files, "m://data", FRZ_EVERY_ATTEMPT);
    put(io, &files, "m://list0", 0);
    put(io, &files, "m://list1", 1);
    CHECK_OK(frz_own_files_add(&files, "m://never-made", 0, &err), err);
    frz_own_files_keep_attempt(&files, io, 1);
    CHECK(exists(io, "m://data") && exists(io, "m://list1") && !exists(io, "m://list0"));
    frz_own_files_remove_all(&files, io);
    CHECK(!exists(io, "m://data") && !exists(io, "m://list1"));
    frz_own_files_clear(&files);
    CHECK(files.count == 0);
    frz_io_free(io);
}

/* A file in the place of another serves from its attempt on, and the other before it. */
static void files_that_were_made_again_serve_their_attempts(void **state)
{
    (void)state;
    for (int32_t committed = 0; committed < 4; committed++) {
        frz_error *err = NULL;
        frz_io *io = NULL;
        frz_own_files files = {0};
        CHECK_OK(frz_io_memory_new(&io, &err), err);
        put(io, &files, "m://first", FRZ_EVERY_ATTEMPT);
        put(io, &files, "m://second", FRZ_EVERY_ATTEMPT);
        put(io, &files, "m://third", FRZ_EVERY_ATTEMPT);
        frz_own_files_retire(&files, frz_slice_of_text("m://first"), 1);
        frz_own_files_start(&files, frz_slice_of_text("m://second"), 1);
        frz_own_files_retire(&files, frz_slice_of_text("m://second"), 3);
        frz_own_files_start(&files, frz_slice_of_text("m://third"), 3);
        frz_own_files_keep_attempt(&files, io, committed);
        CHECK(exists(io, "m://first") == (committed == 0));
        CHECK(exists(io, "m://second") == (committed == 1 || committed == 2));
        CHECK(exists(io, "m://third") == (committed == 3));
        frz_own_files_clear(&files);
        frz_io_free(io);
    }
}

static void nothing_but_own_files_is_touched(void **state)
{
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_own_files files = {0};
    (void)state;
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    CHECK_OK(frz_io_write_file(io, "m://foreign", frz_slice_of_text("x"), &err), err);
    put(io, &files, "m://own", 0);
    frz_own_files_remove_all(&files, io);
    CHECK(exists(io, "m://foreign") && !exists(io, "m://own"));
    frz_own_files_clear(&files);
    frz_io_free(io);
}

/* A failure tells what it could not remove, and an unknown outcome what it did not. */
static void what_stays_is_told(void **state)
{
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_io *fault = NULL;
    frz_own_files files = {0};
    (void)state;
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    CHECK_OK(frz_io_fault_new(io, &fault, &err), err);
    CHECK(frz_own_files_print(&files) == NULL);
    put(io, &files, "m://a", FRZ_EVERY_ATTEMPT);
    put(io, &files, "m://b", 0);
    put(io, &files, "m://c", 1);
    char *all = frz_own_files_print(&files);
    assert_string_equal(all, "m://a m://b m://c");
    frz_free(all);
    CHECK(frz_own_files_attempt_of(&files, "m://c") == 1);
    CHECK(frz_own_files_attempt_of(&files, "m://a") == FRZ_EVERY_ATTEMPT);
    CHECK(frz_own_files_attempt_of(&files, "m://x") == FRZ_EVERY_ATTEMPT);
    frz_io_fault_fail_after(fault, 1);
    frz_own_files_remove_all(&files, fault);
    CHECK(!exists(io, "m://a") && exists(io, "m://b") && !exists(io, "m://c"));
    char *left = frz_own_files_print(&files);
    assert_string_equal(left, "m://b");
    frz_free(left);
    frz_own_files_clear(&files);
    frz_io_free(fault);
    frz_io_free(io);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_commit_keeps_its_own_attempt),
        cmocka_unit_test(files_that_were_made_again_serve_their_attempts),
        cmocka_unit_test(nothing_but_own_files_is_touched),
        cmocka_unit_test(what_stays_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
