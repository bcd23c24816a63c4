/* Not for memory, remap and fault: what local files alone can show. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frazil/io.h"
#include "harness.h"

static char root[200];

static int make_root(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    (void)snprintf(root, sizeof root, "%s/frazil-local-XXXXXX", base ? base : "/tmp");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[600];
    (void)snprintf(command, sizeof command, "chmod -R u+w '%s'; rm -rf '%s'", root, root);
    return system(command);
}

static frz_io *local(void)
{
    frz_error *err = NULL;
    frz_io *io = NULL;
    CHECK_OK(frz_io_local_new(&io, &err), err);
    return io;
}

static const char *at(const char *prefix, const char *name)
{
    static char text[2][400];
    static int turn;
    turn = !turn;
    (void)snprintf(text[turn], sizeof text[turn], "%s%s/%s", prefix, root, name);
    return text[turn];
}

static int entry_count(const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);
    CHECK(dir != NULL);
    while (readdir(dir))
        count++;
    CHECK(closedir(dir) == 0);
    return count - 2;
}

static void test_every_form_of_a_location_is_the_same_file(void **state)
{
    (void)state;
    frz_io *io = local();
    frz_error *err = NULL;
    uint64_t size = 0;
    CHECK_OK(frz_io_write_file(io, at("", "forms"), frz_slice_of_text("abc"), &err), err);
    CHECK_OK(frz_io_stat(io, at("file:", "forms"), &size, &err), err);
    CHECK_OK(frz_io_stat(io, at("file://", "forms"), &size, &err), err);
    CHECK_OK(frz_io_stat(io, at("file://localhost", "forms"), &size, &err), err);
    char before[400];
    CHECK(getcwd(before, sizeof before) && chdir(root) == 0);
    CHECK_OK(frz_io_stat(io, "forms", &size, &err), err);
    CHECK_OK(frz_io_stat(io, "file:forms", &size, &err), err);
    CHECK_OK(frz_io_write_file(io, "relative/x", frz_slice_of_text("abc"), &err), err);
    CHECK_OK(frz_io_write_file(io, "bare", frz_slice_of_text("abc"), &err), err);
    CHECK(chdir(before) == 0);
    CHECK_OK(frz_io_stat(io, at("", "relative/x"), &size, &err), err);
    CHECK(size == 3);
    frz_io_free(io);
}

static void test_other_storage_is_refused_by_name(void **state)
{
    (void)state;
    frz_io *io = local();
    frz_error *err = NULL;
    uint64_t size = 0;
    CHECK_FAILS(frz_io_stat(io, "s3://bucket/x", &size, &err), FRZ_UNSUPPORTED, err, "scheme s3");
    CHECK_FAILS(frz_io_stat(io, "file://host/x", &size, &err), FRZ_UNSUPPORTED, err,
                "another host");
    CHECK_FAILS(frz_io_stat(io, "file:", &size, &err), FRZ_INVALID, err, "names no file");
    CHECK_FAILS(frz_io_stat(io, "", &size, &err), FRZ_INVALID, err, "names no file");
    frz_io_free(io);
}

static void test_commit_and_abort_leave_no_temporary_file(void **state)
{
    (void)state;
    frz_io *io = local();
    frz_error *err = NULL;
    frz_output *output = NULL;
    CHECK_OK(frz_io_write_file(io, at("", "clean/a"), frz_slice_of_text("a"), &err), err);
    CHECK(entry_count(at("", "clean")) == 1);
    CHECK_OK(frz_io_create(io, at("", "clean/b"), &output, &err), err);
    CHECK(entry_count(at("", "clean")) == 2);
    frz_output_abort(output);
    CHECK(entry_count(at("", "clean")) == 1);
    CHECK_OK(frz_io_create(io, at("", "clean/c"), &output, &err), err);
    CHECK_OK(frz_io_write_file(io, at("", "clean/c"), frz_slice_of_text("c"), &err), err);
    CHECK_FAILS(frz_output_commit(output, &err), FRZ_ALREADY_EXISTS, err, "clean/c");
    CHECK(entry_count(at("", "clean")) == 2);
    frz_io_free(io);
}

static void test_a_long_name_still_gets_its_temporary_one(void **state)
{
    (void)state;
    frz_io *io = local();
    frz_error *err = NULL;
    char name[300] = "long/";
    memset(name + 5, 'n', 255);
    name[260] = '\0';
    CHECK_OK(frz_io_write_file(io, at("", name), frz_slice_of_text("x"), &err), err);
    name[260] = 'n';
    name[261] = '\0';
    CHECK_FAILS(frz_io_write_file(io, at("", name), frz_slice_of_text("x"), &err), FRZ_IO, err,
                "File name too long");
    CHECK(entry_count(at("", "long")) == 1);
    frz_io_free(io);
}

/* A limit on file sizes stands in for a full disk: write() fails half way in the same manner. */
static void test_a_write_that_does_not_fit_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    frz_io *io = local();
    frz_error *err = NULL;
    struct rlimit before;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const struct rlimit small = {.rlim_cur = 4096, .rlim_max = before.rlim_max};
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    static uint8_t bytes[10000];
    const frz_status status =
        frz_io_write_file(io, at("", "full/x"), frz_slice_of(bytes, sizeof bytes), &err);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    (void)signal(SIGXFSZ, handler);
    CHECK(frz_error_origin(err) == EFBIG);
    CHECK_FAILS(status, FRZ_IO, err, "full/x");
    CHECK(entry_count(at("", "full")) == 0);
    frz_io_free(io);
}

static void test_a_folder_without_permission_is_named(void **state)
{
    (void)state;
    if (geteuid() == 0) {
        print_message("skipped: 1 case, root may write everywhere\n");
        return;
    }
    frz_io *io = local();
    frz_error *err = NULL;
    CHECK(mkdir(at("", "shut"), 0500) == 0);
    CHECK_FAILS(frz_io_write_file(io, at("", "shut/x"), frz_slice_of_text("x"), &err),
                FRZ_PERMISSION, err, "shut/x");
    frz_io_free(io);
}

static void test_a_file_in_the_way_of_a_folder_is_reported(void **state)
{
    (void)state;
    frz_io *io = local();
    frz_error *err = NULL;
    CHECK_OK(frz_io_write_file(io, at("", "plain"), frz_slice_of_text("x"), &err), err);
    CHECK(frz_io_write_file(io, at("", "plain/below"), frz_slice_of_text("x"), &err) != FRZ_OK);
    CHECK(strstr(frz_error_message(err), "plain") != NULL);
    frz_error_free(err);
    frz_io_free(io);
}

/* A pipe's size is 0: read as a file it would look empty, and its rows would be lost. */
static void test_a_pipe_is_no_file(void **state)
{
    (void)state;
    frz_io *io = local();
    frz_error *err = NULL;
    frz_input *input = NULL;
    CHECK(mkfifo(at("", "pipe"), 0600) == 0);
    const int writer = open(at("", "pipe"), O_RDWR); /* or opening it would wait for one */
    CHECK(writer >= 0);
    CHECK_FAILS(frz_io_open(io, at("", "pipe"), FRZ_IO_SIZE_UNKNOWN, &input, &err), FRZ_INVALID,
                err, "it is a pipe or a device");
    CHECK(close(writer) == 0);
    frz_io_free(io);
}

static void test_a_file_cut_off_while_open_is_corrupt(void **state)
{
    (void)state;
    frz_io *io = local();
    frz_error *err = NULL;
    frz_input *input = NULL;
    char bytes[10];
    CHECK_OK(frz_io_write_file(io, at("", "cut"), frz_slice_of_text("0123456789"), &err), err);
    CHECK_OK(frz_io_open(io, at("", "cut"), FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
    CHECK(truncate(at("", "cut"), 4) == 0);
    CHECK_FAILS(frz_input_read_at(input, 0, bytes, 10, &err), FRZ_CORRUPT, err, "cut off at 4");
    frz_input_close(input);
    frz_io_free(io);
}

static frz_status count_file(void *context, const char *location, uint64_t size,
                             int64_t modified_ms, frz_error **err)
{
    (void)location;
    (void)size;
    (void)modified_ms;
    (void)err;
    ++*(int *)context;
    return FRZ_OK;
}

static void test_a_listing_does_not_walk_in_circles(void **state)
{
    (void)state;
    frz_io *io = local();
    frz_error *err = NULL;
    CHECK_OK(frz_io_write_file(io, at("", "loop/a"), frz_slice_of_text("x"), &err), err);
    CHECK(symlink(at("", "loop"), at("", "loop/again")) == 0);
    CHECK(symlink(at("", "loop/a"), at("", "loop/link")) == 0);
    CHECK(symlink("/nowhere/at/all", at("", "loop/dangling")) == 0);
    int count = 0;
    CHECK_OK(frz_io_list(io, at("", "loop"), count_file, &count, &err), err);
    CHECK(count == 2);
    frz_io_free(io);
}

static void sweep_body(void)
{
    static int turn;
    char name[40];
    (void)snprintf(name, sizeof name, "sweep/s%d/file", turn++);
    frz_io *io = NULL;
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    int count = 0;
    frz_status status = frz_io_local_new(&io, &err);
    if (status == FRZ_OK)
        status = frz_io_write_file(io, at("", name), frz_slice_of_text("abc"), &err);
    if (status == FRZ_OK)
        status = frz_io_read_file(io, at("", name), 10, &bytes, &err);
    if (status == FRZ_OK)
        status = frz_io_list(io, at("", "loop"), count_file, &count, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    frz_buffer_clear(&bytes);
    frz_io_free(io);
}

static void test_short_memory_leaks_nothing_and_leaves_no_draft(void **state)
{
    (void)state;
    sweep_allocation_failures(sweep_body);
    char command[600];
    (void)snprintf(command, sizeof command, "test -z \"$(find '%s' -name '*.tmp')\"", root);
    CHECK(system(command) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form_of_a_location_is_the_same_file),
        cmocka_unit_test(test_other_storage_is_refused_by_name),
        cmocka_unit_test(test_commit_and_abort_leave_no_temporary_file),
        cmocka_unit_test(test_a_long_name_still_gets_its_temporary_one),
        cmocka_unit_test(test_a_write_that_does_not_fit_is_reported_and_leaves_nothing),
        cmocka_unit_test(test_a_folder_without_permission_is_named),
        cmocka_unit_test(test_a_file_in_the_way_of_a_folder_is_reported),
        cmocka_unit_test(test_a_pipe_is_no_file),
        cmocka_unit_test(test_a_file_cut_off_while_open_is_corrupt),
        cmocka_unit_test(test_a_listing_does_not_walk_in_circles),
        cmocka_unit_test(test_short_memory_leaks_nothing_and_leaves_no_draft),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
