/*
 * Reading with each allocation and each storage call failing in turn, and over damaged files: one
 * line of refusal, nothing leaked, nothing left open, no crash.
 */
#include "scan/table_fixture.h"

#include "base/buffer.h"

/* One kind of reading, of a table that nothing is cached of. */
typedef frz_status (*reading)(const frz_table *table, frz_error **err);

static frz_status read_rows(const frz_table *table, frz_error **err)
{
    collected rows = {0};
    name_list list;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "(id > 3 or name is null) and score < 12 and _pos >= 0";
    options.batch_rows = 8;
    select_columns(&options, "p.y,tags,name,_row_id,_file,_partition", &list);
    const frz_status status = collect(table, &options, &rows, err);
    CHECK(status != FRZ_OK || rows.rows > 5);
    collected_clear(&rows);
    return status;
}

static frz_status read_deleted(const frz_table *table, frz_error **err)
{
    collected rows = {0};
    name_list list;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.threads = 3;
    select_columns(&options, "id,_deleted", &list);
    const frz_status status = collect(table, &options, &rows, err);
    CHECK(status != FRZ_OK || rows.rows == 30);
    collected_clear(&rows);
    return status;
}

static frz_status count(const frz_table *table, frz_error **err)
{
    frz_scan *scan = NULL;
    int64_t rows = 0;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "id <> 7";
    FRZ_TRY(frz_scan_new(table, &options, &scan, err));
    const frz_status status = frz_scan_count(scan, &rows, err);
    CHECK(status != FRZ_OK || rows == 26);
    frz_scan_free(scan);
    return status;
}

static frz_status explain(const frz_table *table, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    char *text = NULL;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "id > 7 and city <> 'Oslo'";
    FRZ_TRY_DONE(frz_scan_new(table, &options, &scan, err));
    FRZ_TRY_DONE(frz_scan_plan(scan, &plan, err));
    FRZ_TRY_DONE(frz_plan_explain(plan, true, &text, err));

done:
    frz_text_free(text);
    frz_plan_free(plan);
    frz_scan_free(scan);
    return status;
}

static frz_status draw_json(const frz_table *table, frz_error **err)
{
    char *text = NULL;
    const frz_status status = frz_table_tree(table, true, &text, err);
    frz_text_free(text);
    return status;
}

static frz_status draw_text(const frz_table *table, frz_error **err)
{
    char *text = NULL;
    const frz_status status = frz_table_tree(table, false, &text, err);
    frz_text_free(text);
    return status;
}

static frz_status read_metadata_tables(const frz_table *table, frz_error **err)
{
    for (int kind = 0; kind <= (int)FRZ_METADATA_TABLE_POSITION_DELETES; kind++) {
        struct ArrowArrayStream stream = {0};
        collected rows = {0};
        frz_status status =
            frz_table_metadata_stream(table, (frz_metadata_table)kind, NULL, &stream, err);
        if (status == FRZ_OK)
            status = collect_stream(&stream, &rows, err);
        CHECK(status != FRZ_OK || rows.rows > 0);
        collected_clear(&rows);
        frz_arrow_stream_clear(&stream);
        FRZ_TRY(status);
    }
    return FRZ_OK;
}

/* `step`: every allocation, or every step-th of readings that have very many. */
static const struct {
    const char *name;
    reading run;
    int step;
} readings[] = {
    {"rows", read_rows, 1},
    {"deleted rows", read_deleted, 7},
    {"count", count, 7},
    {"explain", explain, 7},
    {"tree as JSON", draw_json, 3},
    {"tree as text", draw_text, 7},
    {"metadata tables", read_metadata_tables, 101},
};
enum { READINGS = sizeof readings / sizeof *readings };

/* Thirty rows in four partitions; three are deleted, by vectors or (format 2) by position files. */
static numbered_table small_table(int format_version)
{
    numbered_table self = numbered_open(&(table_shape){
        .partition = "city", .format_version = format_version, .group_rows = 5, .page_rows = 3});
    append_numbers(&self, 0, 30);
    delete_where(&self, "id in (2, 5, 9)");
    return self;
}

static frz_status open_and_run(const numbered_table *self, frz_io *io, reading run, frz_error **err)
{
    frz_table *table = NULL;
    frz_status status = frz_table_open(self->table->metadata_location, io, &table, err);
    if (status == FRZ_OK)
        status = run(table, err);
    frz_table_free(table);
    return status;
}

static void test_every_allocation_fails_in_turn(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        numbered_table self = small_table(version);
        const int descriptors = count_descriptors();
        for (size_t i = 0; i < READINGS; i++) {
            for (int64_t allocation = 0;; allocation += readings[i].step + 4 * (version == 2)) {
                frz_mem_fail_after(allocation);
                const frz_status status = open_and_run(&self, self.storage, readings[i].run, NULL);
                const bool failed = frz_mem_failed();
                frz_mem_fail_after(-1);
                if (status != FRZ_OK && status != FRZ_NO_MEMORY)
                    fail_msg("%s: allocation %lld: %s", readings[i].name, (long long)allocation,
                             frz_status_name(status));
                if (failed)
                    continue;
                CHECK(status == FRZ_OK && allocation > 0);
                break;
            }
        }
        CHECK(count_descriptors() == descriptors);
        numbered_close(&self);
    }
}

static bool is_one_line(const char *text)
{
    return text[0] && !strchr(text, '\n');
}

static void test_every_storage_call_fails_in_turn(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        numbered_table self = small_table(version);
        for (size_t i = 0; i < READINGS; i++) {
            for (int64_t call = 0;; call++) {
                frz_error *err = NULL;
                frz_io_fault_fail_after(self.fault, call);
                const frz_status status = open_and_run(&self, self.fault, readings[i].run, &err);
                const bool fired = frz_io_fault_fired(self.fault);
                frz_io_fault_fail_after(self.fault, -1);
                frz_io_fault_trace_reset(self.fault);
                if (status != (fired ? FRZ_IO : FRZ_OK))
                    fail_msg("%s: call %lld: %s %s", readings[i].name, (long long)call,
                             frz_status_name(status), frz_error_message(err));
                if (fired)
                    CHECK(strstr(frz_error_message(err), "injected") &&
                          is_one_line(frz_error_message(err)));
                frz_error_free(err);
                if (!fired)
                    break;
            }
        }
        numbered_close(&self);
    }
}

enum { FILES_MAX = 64 };
typedef struct stored_files {
    char *locations[FILES_MAX];
    size_t count;
} stored_files;

static frz_status add_stored(void *context, const char *location, uint64_t size,
                             int64_t modified_ms, frz_error **err)
{
    stored_files *files = context;
    (void)size;
    (void)modified_ms;
    (void)err;
    CHECK(files->count < FILES_MAX);
    files->locations[files->count++] = frz_copy_text(location);
    return FRZ_OK;
}

/* Which statuses damage may lead to: a flipped path leads to a file that is not there. */
static bool is_refusal(frz_status status)
{
    return status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED || status == FRZ_NOT_FOUND;
}

/* Reads everything: all rows, then the tree, which also decodes what scans leave out. */
static frz_status read_everything(const frz_table *table, frz_error **err)
{
    collected rows = {0};
    const frz_status status = collect(table, NULL, &rows, err);
    collected_clear(&rows);
    return status == FRZ_OK ? draw_json(table, err) : status;
}

static void check_damaged(const numbered_table *self, const char *location, size_t at,
                          bool may_succeed)
{
    frz_error *err = NULL;
    const frz_status status = open_and_run(self, self->storage, read_everything, &err);
    if (!(status == FRZ_OK ? may_succeed : is_refusal(status)))
        fail_msg("%s damaged at %zu: %s %s", location, at, frz_status_name(status),
                 frz_error_message(err));
    if (status != FRZ_OK)
        CHECK(is_one_line(frz_error_message(err)));
    frz_error_free(err);
}

/* Cuts a file short at some lengths, and flips one bit here and there. */
static void damage(const numbered_table *self, const char *location)
{
    frz_buffer whole = {0};
    uint64_t seed = 77;
    read_stored(self->storage, location, &whole);
    const bool vectors = strstr(location, ".puffin") != NULL; /* whose footer scans do not read */
    const size_t step = whole.size / 23 + 1;
    for (size_t size = 0; size < whole.size; size += step) {
        replace_stored(self->storage, location, frz_slice_of(whole.data, size));
        check_damaged(self, location, size, vectors);
    }
    for (size_t at = 0; at < whole.size; at += step / 4 + 1) {
        const uint8_t bit = (uint8_t)(1U << (next_random(&seed) >> 40) % 8);
        whole.data[at] ^= bit;
        replace_stored(self->storage, location, frz_buffer_slice(&whole));
        check_damaged(self, location, at, true);
        whole.data[at] ^= bit;
    }
    replace_stored(self->storage, location, frz_buffer_slice(&whole));
    frz_buffer_clear(&whole);
}

static void test_damaged_files_are_refused_in_one_line(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        numbered_table self = small_table(version);
        frz_error *err = NULL;
        stored_files files = {0};
        CHECK_OK(frz_io_list(self.storage, "mem://wh", add_stored, &files, &err), err);
        size_t damaged = 0;
        for (size_t i = 0; i < files.count; i++) {
            /* Files of earlier versions are not read. */
            const bool old =
                strstr(files.locations[i], ".metadata.json") || strstr(files.locations[i], "snap-");
            if (!old) {
                damage(&self, files.locations[i]);
                damaged++;
            }
            frz_free(files.locations[i]);
        }
        CHECK(damaged >= 6);
        check_query(self.table, "id < 3", "id", "0 1");
        numbered_close(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_fails_in_turn),
        cmocka_unit_test(test_every_storage_call_fails_in_turn),
        cmocka_unit_test(test_damaged_files_are_refused_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
