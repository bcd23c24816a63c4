/* Covers: io/file io/memory */
/*
 * The conformance suite of the storage seam: one table of cases, run on every implementation of
 * frazil/extend/io.h. What is promised there is checked here.
 */
#include "io/file.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frazil/io.h"
#include "harness.h"
#include "io/fault.h"

/* One implementation under test; `root` is where its files may go. */
typedef struct subject {
    const char *name;
    frz_io *io;
    frz_io *inner; /* freed after io; NULL when there is none */
    char root[256];
} subject;

static const char *at(const subject *on, const char *name)
{
    static char text[2][512];
    static int turn;
    turn = !turn;
    (void)snprintf(text[turn], sizeof text[turn], "%s/%s", on->root, name);
    return text[turn];
}

static void put(subject *on, const char *name, const char *text)
{
    frz_error *err = NULL;
    CHECK_OK(frz_io_write_file(on->io, at(on, name), frz_slice_of_text(text), &err), err);
}

static void check_content(subject *on, const char *name, const char *text)
{
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    CHECK_OK(frz_io_read_file(on->io, at(on, name), 1000000, &bytes, &err), err);
    CHECK(frz_slice_is_text(frz_buffer_slice(&bytes), text));
    frz_buffer_clear(&bytes);
}

static void check_absent(subject *on, const char *name)
{
    frz_error *err = NULL;
    uint64_t size = 0;
    CHECK_FAILS(frz_io_stat(on->io, at(on, name), &size, &err), FRZ_NOT_FOUND, err, name);
}

static void case_a_written_file_reads_back(subject *on)
{
    frz_error *err = NULL;
    frz_output *output = NULL;
    CHECK_OK(frz_io_create(on->io, at(on, "new/folder/file"), &output, &err), err);
    CHECK_OK(frz_output_write(output, "hello ", 6, &err), err);
    CHECK_OK(frz_output_write(output, NULL, 0, &err), err);
    CHECK_OK(frz_output_write(output, "world", 5, &err), err);
    CHECK_OK(frz_output_commit(output, &err), err);
    check_content(on, "new/folder/file", "hello world");
    uint64_t size = 0;
    CHECK_OK(frz_io_stat(on->io, at(on, "new/folder/file"), &size, &err), err);
    CHECK(size == 11);
}

static void case_an_empty_file_is_a_file(subject *on)
{
    put(on, "empty", "");
    check_content(on, "empty", "");
    frz_error *err = NULL;
    frz_input *input = NULL;
    CHECK_OK(frz_io_open(on->io, at(on, "empty"), FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
    CHECK(frz_input_size(input) == 0);
    CHECK_OK(frz_input_read_at(input, 0, NULL, 0, &err), err);
    frz_input_close(input);
}

static void case_ranges_read_exactly_or_are_corrupt(subject *on)
{
    put(on, "ten", "0123456789");
    frz_error *err = NULL;
    frz_input *input = NULL;
    char bytes[11] = "";
    CHECK_OK(frz_io_open(on->io, at(on, "ten"), 10, &input, &err), err);
    CHECK(frz_input_size(input) == 10);
    CHECK_OK(frz_input_read_at(input, 3, bytes, 4, &err), err);
    CHECK(memcmp(bytes, "3456", 4) == 0);
    CHECK_OK(frz_input_read_at(input, 0, bytes, 10, &err), err);
    CHECK(memcmp(bytes, "0123456789", 10) == 0);
    CHECK_OK(frz_input_read_at(input, 10, bytes, 0, &err), err);
    CHECK_FAILS(frz_input_read_at(input, 3, bytes, 8, &err), FRZ_CORRUPT, err, "ten");
    CHECK_FAILS(frz_input_read_at(input, 11, bytes, 0, &err), FRZ_CORRUPT, err, "ends at 10");
    CHECK_FAILS(frz_input_read_at(input, UINT64_MAX - 1, bytes, 2, &err), FRZ_CORRUPT, err, "ten");
    CHECK_FAILS(frz_input_read_at(input, 1, bytes, SIZE_MAX, &err), FRZ_CORRUPT, err, "ten");
    const uint8_t *mapped = frz_input_mapped(input);
    CHECK(!mapped || memcmp(mapped, "0123456789", 10) == 0);
    frz_input_close(input);
}

static void case_what_is_absent_is_not_found(subject *on)
{
    frz_error *err = NULL;
    frz_input *input = NULL;
    CHECK_FAILS(frz_io_open(on->io, at(on, "no/such"), FRZ_IO_SIZE_UNKNOWN, &input, &err),
                FRZ_NOT_FOUND, err, "no/such");
    CHECK(input == NULL);
    CHECK_FAILS(frz_io_remove(on->io, at(on, "no/such"), &err), FRZ_NOT_FOUND, err, "no/such");
    check_absent(on, "no/such");
    put(on, "some/file", "x");
    check_absent(on, "some"); /* a folder is no file */
    CHECK_FAILS(frz_io_open(on->io, at(on, "some"), FRZ_IO_SIZE_UNKNOWN, &input, &err),
                FRZ_NOT_FOUND, err, "some");
}

static void case_a_file_is_never_overwritten(subject *on)
{
    put(on, "once", "first");
    frz_error *err = NULL;
    frz_output *output = NULL;
    CHECK_FAILS(frz_io_create(on->io, at(on, "once"), &output, &err), FRZ_ALREADY_EXISTS, err,
                "once");
    CHECK(output == NULL);
    check_content(on, "once", "first");
}

static void case_of_two_writers_the_first_commit_wins(subject *on)
{
    frz_error *err = NULL;
    frz_output *first = NULL;
    frz_output *second = NULL;
    CHECK_OK(frz_io_create(on->io, at(on, "race"), &first, &err), err);
    CHECK_OK(frz_io_create(on->io, at(on, "race"), &second, &err), err);
    CHECK_OK(frz_output_write(first, "first", 5, &err), err);
    CHECK_OK(frz_output_write(second, "second", 6, &err), err);
    CHECK_OK(frz_output_commit(second, &err), err);
    CHECK_FAILS(frz_output_commit(first, &err), FRZ_ALREADY_EXISTS, err, "race");
    check_content(on, "race", "second");
}

static void case_nothing_is_visible_before_commit_or_after_abort(subject *on)
{
    frz_error *err = NULL;
    frz_output *output = NULL;
    CHECK_OK(frz_io_create(on->io, at(on, "draft"), &output, &err), err);
    CHECK_OK(frz_output_write(output, "half", 4, &err), err);
    check_absent(on, "draft");
    frz_output_abort(output);
    check_absent(on, "draft");
    put(on, "draft", "whole"); /* the name is free again */
    check_content(on, "draft", "whole");
    frz_output_abort(NULL);
    frz_input_close(NULL);
}

static void case_a_removed_file_is_gone(subject *on)
{
    put(on, "gone", "x");
    frz_error *err = NULL;
    CHECK_OK(frz_io_remove(on->io, at(on, "gone"), &err), err);
    check_absent(on, "gone");
    CHECK_FAILS(frz_io_remove(on->io, at(on, "gone"), &err), FRZ_NOT_FOUND, err, "gone");
}

static void case_an_open_file_outlives_its_removal(subject *on)
{
    put(on, "held", "still here");
    frz_error *err = NULL;
    frz_input *input = NULL;
    char bytes[10];
    CHECK_OK(frz_io_open(on->io, at(on, "held"), FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
    CHECK_OK(frz_io_remove(on->io, at(on, "held"), &err), err);
    CHECK_OK(frz_input_read_at(input, 0, bytes, 10, &err), err);
    CHECK(memcmp(bytes, "still here", 10) == 0);
    frz_input_close(input);
}

typedef struct listed {
    int count;
    uint64_t bytes;
    bool modified;
    char names[2000];
    int stop_after;
} listed;

static frz_status note_file(void *context, const char *location, uint64_t size, int64_t modified_ms,
                            frz_error **err)
{
    (void)err;
    listed *seen = context;
    seen->count++;
    seen->bytes += size;
    seen->modified = modified_ms > INT64_C(1500000000000);
    strncat(seen->names, location, sizeof seen->names - strlen(seen->names) - 2);
    strncat(seen->names, "\n", 2);
    return seen->count == seen->stop_after ? FRZ_CANCELLED : FRZ_OK;
}

static void case_a_listing_gives_all_files_below_and_no_others(subject *on)
{
    put(on, "tree/a", "1");
    put(on, "tree/sub/b", "22");
    put(on, "tree/sub/deep/k=v%2F w/c", "333");
    put(on, "tree2/d", "4444");
    put(on, "treed", "55555");
    frz_error *err = NULL;
    listed seen = {0};
    CHECK_OK(frz_io_list(on->io, at(on, "tree"), note_file, &seen, &err), err);
    CHECK(seen.count == 3 && seen.bytes == 6 && seen.modified);
    CHECK(strstr(seen.names, "/tree/a\n") && strstr(seen.names, "/tree/sub/b\n"));
    CHECK(strstr(seen.names, "/tree/sub/deep/k=v%2F w/c\n"));
    CHECK(!strstr(seen.names, "tree//"));
    seen = (listed){0};
    CHECK_OK(frz_io_list(on->io, at(on, "tree/sub/"), note_file, &seen, &err), err);
    CHECK(seen.count == 2);
    seen = (listed){0};
    CHECK_OK(frz_io_list(on->io, at(on, "absent"), note_file, &seen, &err), err);
    CHECK(seen.count == 0);
}

static void case_a_visitor_can_stop_a_listing(subject *on)
{
    put(on, "many/a", "1");
    put(on, "many/b", "1");
    put(on, "many/x/c", "1");
    listed seen = {.stop_after = 2};
    CHECK(frz_io_list(on->io, at(on, "many"), note_file, &seen, NULL) == FRZ_CANCELLED);
    CHECK(seen.count == 2);
}

static void case_names_are_opaque(subject *on)
{
    static const char *const names[] = {"a b", "k=v", "%41", "\xc3\xa4", "q?x#y", "a+b", "x:y"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        put(on, names[i], names[i]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check_content(on, names[i], names[i]);
    check_absent(on, "A");
}

static void case_whole_files_have_a_limit(subject *on)
{
    put(on, "limited", "0123456789");
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    CHECK_FAILS(frz_io_read_file(on->io, at(on, "limited"), 9, &bytes, &err), FRZ_UNSUPPORTED, err,
                "10 bytes are more than the limit of 9");
    CHECK(bytes.size == 0);
    frz_buffer_append_text(&bytes, "before ");
    CHECK_OK(frz_io_read_file(on->io, at(on, "limited"), 10, &bytes, &err), err);
    CHECK(frz_slice_is_text(frz_buffer_slice(&bytes), "before 0123456789"));
    frz_buffer_clear(&bytes);
}

typedef struct reader_thread {
    frz_input *input;
    bool right;
} reader_thread;

static void *read_many(void *context)
{
    reader_thread *self = context;
    self->right = true;
    for (int i = 0; i < 2000; i++) {
        uint8_t bytes[7];
        const uint64_t offset = (uint64_t)(i * 31 % 4000);
        if (frz_input_read_at(self->input, offset, bytes, sizeof bytes, NULL) != FRZ_OK)
            self->right = false;
        for (size_t j = 0; j < sizeof bytes; j++)
            self->right = self->right && bytes[j] == (uint8_t)('a' + (offset + j) % 23);
    }
    return NULL;
}

static void case_one_input_serves_several_threads(subject *on)
{
    char text[4101];
    for (size_t i = 0; i < 4100; i++)
        text[i] = (char)('a' + i % 23);
    text[4100] = '\0';
    put(on, "shared", text);
    frz_error *err = NULL;
    frz_input *input = NULL;
    CHECK_OK(frz_io_open(on->io, at(on, "shared"), FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
    pthread_t threads[3];
    reader_thread readers[3];
    for (int i = 0; i < 3; i++) {
        readers[i].input = input;
        CHECK(pthread_create(&threads[i], NULL, read_many, &readers[i]) == 0);
    }
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(readers[i].right);
    }
    frz_input_close(input);
}

typedef void conformance_case(subject *on);
static const struct {
    const char *name;
    conformance_case *run;
} cases[] = {
    {"a written file reads back", case_a_written_file_reads_back},
    {"an empty file is a file", case_an_empty_file_is_a_file},
    {"ranges read exactly or are corrupt", case_ranges_read_exactly_or_are_corrupt},
    {"what is absent is not found", case_what_is_absent_is_not_found},
    {"a file is never overwritten", case_a_file_is_never_overwritten},
    {"of two writers the first commit wins", case_of_two_writers_the_first_commit_wins},
    {"nothing is visible before commit or after abort",
     case_nothing_is_visible_before_commit_or_after_abort},
    {"a removed file is gone", case_a_removed_file_is_gone},
    {"an open file outlives its removal", case_an_open_file_outlives_its_removal},
    {"a listing gives all files below and no others",
     case_a_listing_gives_all_files_below_and_no_others},
    {"a visitor can stop a listing", case_a_visitor_can_stop_a_listing},
    {"names are opaque", case_names_are_opaque},
    {"whole files have a limit", case_whole_files_have_a_limit},
    {"one input serves several threads", case_one_input_serves_several_threads},
};

static char *make_root(char *out, size_t size)
{
    const char *base = getenv("TMPDIR");
    (void)snprintf(out, size, "%s/frazil-io-XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(out) != NULL);
    return out;
}

static void remove_root(const char *root)
{
    char command[300];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    CHECK(system(command) == 0);
}

static void run_all(subject *on)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("%s: %s\n", on->name, cases[i].name);
        cases[i].run(on);
    }
    frz_io_free(on->io);
    frz_io_free(on->inner);
}

static void test_local(void **state)
{
    (void)state;
    static const char *const prefixes[] = {"", "file:", "file://"};
    for (size_t i = 0; i < 3; i++) {
        subject on = {.name = "local"};
        frz_error *err = NULL;
        char root[200];
        (void)snprintf(on.root, sizeof on.root, "%s%s", prefixes[i], make_root(root, sizeof root));
        CHECK_OK(frz_io_local_new(&on.io, &err), err);
        run_all(&on);
        remove_root(root);
    }
}

static void test_memory(void **state)
{
    (void)state;
    subject on = {.name = "memory", .root = "memory:/root"};
    frz_error *err = NULL;
    CHECK_OK(frz_io_memory_new(&on.io, &err), err);
    run_all(&on);
}

static void test_scratch(void **state)
{
    (void)state;
    subject on = {.name = "scratch", .root = "/no/such/folder"};
    frz_error *err = NULL;
    char root[200];
    make_root(root, sizeof root);
    CHECK_OK(frz_io_scratch_new(root, &on.io, &err), err);
    put(&on, "kept until it is freed", "x");
    CHECK(rmdir(root) == 0); /* nothing is in it */
    CHECK(mkdir(root, 0700) == 0);
    run_all(&on);
    CHECK(rmdir(root) == 0);
    CHECK_OK(frz_io_scratch_new(root, &on.io, &err), err);
    frz_output *output = NULL;
    CHECK_FAILS(frz_io_create(on.io, "x", &output, &err), FRZ_NOT_FOUND, err, root);
    frz_io_free(on.io);
}

static void test_remap(void **state)
{
    (void)state;
    subject on = {.name = "remap", .root = "s3://bucket/warehouse"};
    static const frz_path_map maps[] = {{"s3://bucket/", "/elsewhere/"},
                                        {"s3://bucket/warehouse", "/here/warehouse"}};
    frz_error *err = NULL;
    CHECK_OK(frz_io_memory_new(&on.inner, &err), err);
    CHECK_OK(frz_io_remap_new(on.inner, maps, 2, &on.io, &err), err);
    run_all(&on);
}

static void test_fault_disarmed(void **state)
{
    (void)state;
    subject on = {.name = "fault", .root = "/root"};
    frz_error *err = NULL;
    CHECK_OK(frz_io_memory_new(&on.inner, &err), err);
    CHECK_OK(frz_io_fault_new(on.inner, &on.io, &err), err);
    run_all(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local),          cmocka_unit_test(test_memory),
        cmocka_unit_test(test_scratch),        cmocka_unit_test(test_remap),
        cmocka_unit_test(test_fault_disarmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
