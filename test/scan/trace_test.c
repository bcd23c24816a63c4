/*
 * What planning and reading ask of storage, proven by its record: one ranged read per deletion
 * vector, no listing, few bytes for a filter that selects few rows, none where metadata answers.
 */
#include "scan/delete_fixture.h"

static size_t calls_of(const frz_io *io, frz_io_call call, const char *part, uint64_t *bytes_out)
{
    size_t count = 0;
    size_t found = 0;
    uint64_t bytes = 0;
    const frz_io_trace_entry *trace = frz_io_fault_trace(io, &count);
    for (size_t i = 0; i < count; i++) {
        if (trace[i].call != call || !strstr(trace[i].location, part))
            continue;
        found++;
        bytes += trace[i].size;
    }
    if (bytes_out)
        *bytes_out = bytes;
    return found;
}

static void test_one_ranged_read_per_deletion_vector(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.partition = "city"});
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    append_numbers(&self, 0, 400);
    delete_where(&self, "id in (10, 11, 12, 13, 300)"); /* four vectors in one Puffin file */
    frz_table *table = reopen(&self);
    CHECK_OK(frz_scan_new(table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    CHECK(frz_plan_file_count(plan) == 4);
    frz_io_fault_trace_reset(self.fault);
    for (size_t i = 0; i < 4; i++) {
        collected rows = {0};
        struct ArrowArrayStream stream = {0};
        uint64_t bytes = 0;
        const frz_plan_file *file = frz_plan_file_at(plan, i);
        CHECK(file->delete_count == 1);
        CHECK_OK(frz_plan_file_stream(plan, i, &stream, &err), err);
        CHECK_OK(collect_stream(&stream, &rows, &err), err);
        CHECK(calls_of(self.fault, FRZ_IO_CALL_READ, file->deletes[0].path, &bytes) == 1);
        CHECK(bytes == (uint64_t)file->deletes[0].size);
        CHECK(calls_of(self.fault, FRZ_IO_CALL_STAT, "", NULL) == 0);
        frz_io_fault_trace_reset(self.fault);
        frz_arrow_stream_clear(&stream);
        collected_clear(&rows);
        /* Again: the vector comes from the cache. */
        CHECK_OK(frz_plan_file_stream(plan, i, &stream, &err), err);
        CHECK_OK(collect_stream(&stream, &rows, &err), err);
        CHECK(calls_of(self.fault, FRZ_IO_CALL_READ, file->deletes[0].path, NULL) == 0);
        frz_io_fault_trace_reset(self.fault);
        frz_arrow_stream_clear(&stream);
        collected_clear(&rows);
    }
    frz_plan_free(plan);
    frz_scan_free(scan);
    frz_table_free(table);
    numbered_close(&self);
}

/* Position delete files of a partition, each of which names all of its data files. */
static void test_a_position_file_is_read_once_for_all_data_files(void **state)
{
    (void)state;
    enum { DATA_FILES = 12, DELETE_FILES = 15 };
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    static char rows[DATA_FILES * 200];
    numbered_table self = numbered_open(&(table_shape){.schema = "id long", .format_version = 2});
    for (int64_t i = 0; i < DATA_FILES; i++)
        append_numbers(&self, i * 100, 100);
    CHECK_OK(frz_scan_new(self.table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    for (int n = 0; n < DELETE_FILES; n++) {
        size_t used = 0;
        for (size_t i = 0; i < DATA_FILES; i++)
            used += (size_t)snprintf(rows + used, sizeof rows - used, "%s%d:%s", i ? " " : "", n,
                                     frz_plan_file_at(plan, i)->path);
        commit_file(
            &self, &(written_file){
                       .content = FRZ_CONTENT_POSITION_DELETES,
                       .columns = {{FRZ_FIELD_ID_DELETE_POS, "pos", "long", 0, NULL},
                                   {FRZ_FIELD_ID_DELETE_FILE_PATH, "file_path", "string", 0, NULL}},
                       .rows = rows});
    }
    frz_plan_free(plan);
    frz_scan_free(scan);
    frz_table *table = reopen(&self);
    CHECK_OK(frz_scan_new(table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    CHECK(frz_plan_file_at(plan, 0)->delete_count == DELETE_FILES);
    frz_io_fault_trace_reset(self.fault);
    for (size_t i = 0; i < DATA_FILES; i++) {
        collected got = {0};
        struct ArrowArrayStream stream = {0};
        CHECK_OK(frz_plan_file_stream(plan, i, &stream, &err), err);
        CHECK_OK(collect_stream(&stream, &got, &err), err);
        CHECK(got.rows == 100 - DELETE_FILES);
        frz_arrow_stream_clear(&stream);
        collected_clear(&got);
    }
    for (size_t i = 0; i < DELETE_FILES; i++)
        CHECK(calls_of(self.fault, FRZ_IO_CALL_OPEN, frz_plan_file_at(plan, 0)->deletes[i].path,
                       NULL) == 1);
    frz_plan_free(plan);
    frz_scan_free(scan);
    frz_table_free(table);
    numbered_close(&self);
}

static void test_nothing_lists_storage(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.partition = "city"});
    append_numbers(&self, 0, 100);
    append_numbers(&self, 100, 100);
    delete_where(&self, "id in (7, 8)");
    delete_where(&self, "id between 100 and 199");
    CHECK(count_rows(self.table, "score > 20") > 0);
    check_query(self.table, "id between 6 and 9", "id", "9 6");
    size_t calls = 0;
    (void)frz_io_fault_trace(self.fault, &calls);
    CHECK(calls > 20);
    CHECK(calls_of(self.fault, FRZ_IO_CALL_LIST, "", NULL) == 0);
    numbered_close(&self);
}

/* One in a hundred rows, next to each other, of a file of 200 pages per column. */
static void test_a_clustered_filter_reads_few_of_the_bytes(void **state)
{
    (void)state;
    numbered_table self =
        numbered_open(&(table_shape){.group_rows = 20000, .page_rows = 500, .plain = true});
    frz_error *err = NULL;
    collected rows = {0};
    uint64_t file_size = 0;
    uint64_t bytes = 0;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    append_numbers(&self, 0, 100000);
    frz_table *table = reopen(&self);
    options.where = "id between 41000 and 41999";
    frz_io_fault_trace_reset(self.fault);
    CHECK_OK(collect(table, &options, &rows, &err), err);
    CHECK(rows.rows == 1000);
    CHECK(calls_of(self.fault, FRZ_IO_CALL_READ, ".parquet", &bytes) > 0);
    size_t count = 0;
    const frz_io_trace_entry *trace = frz_io_fault_trace(self.fault, &count);
    for (size_t i = 0; i < count; i++)
        if (strstr(trace[i].location, ".parquet"))
            CHECK_OK(frz_io_stat(self.storage, trace[i].location, &file_size, &err), err);
    if (bytes * 20 >= file_size)
        fail_msg("read %llu of %llu bytes", (unsigned long long)bytes,
                 (unsigned long long)file_size);
    collected_clear(&rows);
    frz_table_free(table);
    numbered_close(&self);
}

static void test_a_count_without_filter_opens_no_data_file(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.partition = "city"});
    append_numbers(&self, 0, 100);
    delete_where(&self, "id in (1, 2, 3)");
    frz_table *table = reopen(&self);
    frz_io_fault_trace_reset(self.fault);
    CHECK(count_rows(table, NULL) == 97);
    CHECK(count_rows(table, "city = 'Oslo'") == 24);
    CHECK(count_rows(table, "id >= 0") == 97);
    CHECK(count_rows(table, "id > 1000") == 0);
    CHECK(calls_of(self.fault, FRZ_IO_CALL_OPEN, ".parquet", NULL) == 0);
    CHECK(calls_of(self.fault, FRZ_IO_CALL_OPEN, ".puffin", NULL) == 0);
    CHECK(count_rows(table, "id > 50") == 49);
    CHECK(calls_of(self.fault, FRZ_IO_CALL_OPEN, ".parquet", NULL) == 4);
    frz_table_free(table);
    numbered_close(&self);
}

/* Planning reads each manifest once, and a second plan none. */
static void test_planning_reads_each_manifest_once(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    frz_error *err = NULL;
    for (int i = 0; i < 5; i++)
        append_numbers(&self, i * 10, 10);
    frz_table *table = reopen(&self);
    for (int again = 0; again < 2; again++) {
        frz_scan *scan = NULL;
        frz_plan *plan = NULL;
        frz_io_fault_trace_reset(self.fault);
        CHECK_OK(frz_scan_new(table, NULL, &scan, &err), err);
        CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
        CHECK(frz_plan_file_count(plan) == 5);
        /* The manifest list, and the manifests where the cache does not have them. */
        CHECK(calls_of(self.fault, FRZ_IO_CALL_OPEN, "", NULL) == (again ? 1 : 6));
        frz_plan_free(plan);
        frz_scan_free(scan);
    }
    frz_table_free(table);
    numbered_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_ranged_read_per_deletion_vector),
        cmocka_unit_test(test_a_position_file_is_read_once_for_all_data_files),
        cmocka_unit_test(test_nothing_lists_storage),
        cmocka_unit_test(test_a_clustered_filter_reads_few_of_the_bytes),
        cmocka_unit_test(test_a_count_without_filter_opens_no_data_file),
        cmocka_unit_test(test_planning_reads_each_manifest_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
