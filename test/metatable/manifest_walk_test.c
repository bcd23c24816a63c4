/*
 * Which manifests a metadata table reads, proven by the record of storage: those that a filter
 * leaves, each once, and newest snapshots first.
 */
#include "metatable/manifest_walk.h"

#include "scan/table_fixture.h"

static numbered_table self;

/* Four manifests of one partition each, 0, 2, 4 and 6, and one of deletes in partition 2. */
static int make_table(void **state)
{
    (void)state;
    frz_error *err = NULL;
    self = numbered_open(&(table_shape){.partition = "truncate(2, id) as two, day(at)",
                                        .schema = "id long not null, name string, at date"});
    for (int64_t i = 0; i < 4; i++)
        append_numbers(&self, 2 * i, 2);
    delete_where(&self, "id = 2");
    CHECK_OK(frz_table_refresh(self.table, &err), err);
    return 0;
}

static int drop_table(void **state)
{
    (void)state;
    numbered_close(&self);
    return 0;
}

typedef struct walk_case {
    frz_metadata_table kind;
    const char *where;
    size_t opened; /* manifests */
    int64_t rows;
} walk_case;

static size_t opened_manifests(void)
{
    size_t count = 0;
    size_t found = 0;
    const frz_io_trace_entry *trace = frz_io_fault_trace(self.fault, &count);
    for (size_t i = 0; i < count; i++)
        found += trace[i].call == FRZ_IO_CALL_OPEN && strstr(trace[i].location, "-m") &&
                 strstr(trace[i].location, ".avro") && !strstr(trace[i].location, "snap-");
    return found;
}

static void check_case(const walk_case *want)
{
    frz_error *err = NULL;
    struct ArrowArrayStream stream = {0};
    collected rows = {0};
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    options.where = want->where;
    frz_io_fault_trace_reset(self.fault);
    CHECK_OK(frz_table_metadata_stream(self.table, want->kind, &options, &stream, &err), err);
    CHECK_OK(collect_stream(&stream, &rows, &err), err);
    if (rows.rows != want->rows || opened_manifests() != want->opened)
        fail_msg("%s: %lld rows of %zu manifests, wanted %lld of %zu", want->where,
                 (long long)rows.rows, opened_manifests(), (long long)want->rows, want->opened);
    collected_clear(&rows);
    frz_arrow_stream_clear(&stream);
}

static void only_manifests_that_may_match_are_opened(void **state)
{
    (void)state;
    static const walk_case cases[] = {
        {FRZ_METADATA_TABLE_FILES, NULL, 5, 5},
        {FRZ_METADATA_TABLE_DATA_FILES, NULL, 4, 4},
        {FRZ_METADATA_TABLE_DELETE_FILES, NULL, 1, 1},
        {FRZ_METADATA_TABLE_FILES, "content = 0", 4, 4},
        {FRZ_METADATA_TABLE_FILES, "content = 1", 1, 1},
        {FRZ_METADATA_TABLE_FILES, "content > 1", 1, 0},
        {FRZ_METADATA_TABLE_FILES, "content > 2", 0, 0},
        {FRZ_METADATA_TABLE_FILES, "partition.two = 4", 1, 1},
        {FRZ_METADATA_TABLE_FILES, "partition.two in (2, 6)", 3, 3},
        {FRZ_METADATA_TABLE_FILES, "partition.two is null", 0, 0},
        {FRZ_METADATA_TABLE_FILES, "partition.two < 2 and record_count = 2", 1, 1},
        {FRZ_METADATA_TABLE_FILES, "spec_id = 0", 5, 5},
        {FRZ_METADATA_TABLE_FILES, "spec_id = 1", 0, 0},
        {FRZ_METADATA_TABLE_FILES, "record_count = 77", 5, 0},
        {FRZ_METADATA_TABLE_ENTRIES, "data_file.partition.two = 0", 1, 1},
        {FRZ_METADATA_TABLE_ENTRIES, "data_file.content = 1", 1, 1},
        {FRZ_METADATA_TABLE_ALL_FILES, NULL, 5, 5},
        {FRZ_METADATA_TABLE_ALL_DATA_FILES, "partition.two = 2", 1, 1},
        {FRZ_METADATA_TABLE_ALL_ENTRIES, "data_file.partition.two = 2", 2, 2},
        {FRZ_METADATA_TABLE_PARTITIONS, "partition.two = 2", 2, 1},
        {FRZ_METADATA_TABLE_POSITION_DELETES, "partition.two = 2", 1, 1},
        {FRZ_METADATA_TABLE_POSITION_DELETES, "partition.two = 4", 0, 0},
        {FRZ_METADATA_TABLE_ALL_MANIFESTS, "content = 1", 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

static const frz_manifest_walk_options plain = {
    .filter = &frz_expr_true, .partition_id = -1, .content_id = -1, .spec_id = -1};

static void a_manifest_of_many_snapshots_comes_once(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_manifest_walk walk;
    const frz_manifest_file *manifest = NULL;
    CHECK_OK(frz_scan_new(self.table, NULL, &scan, &err), err);
    frz_manifest_walk_options options = plain;
    options.scan = scan;
    options.all_snapshots = true;
    frz_manifest_walk_init(&walk, &options);
    /* The newest list comes first, and has all of them. */
    const int64_t newest = scan->snapshot->snapshot_id;
    size_t count = 0;
    CHECK_OK(frz_manifest_walk_next(&walk, &manifest, &err), err);
    for (frz_status status = FRZ_OK; status == FRZ_OK; count++) {
        if (count == 0)
            CHECK(manifest->added_snapshot_id == newest || walk.list.count == 5);
        status = frz_manifest_walk_next(&walk, &manifest, &err);
    }
    assert_int_equal(count, 5);
    CHECK(frz_manifest_walk_next(&walk, &manifest, &err) == FRZ_END);
    frz_manifest_walk_clear(&walk);

    options.all_snapshots = false;
    options.choice = FRZ_MANIFESTS_DELETES;
    frz_manifest_walk_init(&walk, &options);
    CHECK_OK(frz_manifest_walk_next(&walk, &manifest, &err), err);
    CHECK(manifest->content == 1);
    CHECK(frz_manifest_walk_next(&walk, &manifest, &err) == FRZ_END);
    frz_manifest_walk_clear(&walk);
    frz_scan_free(scan);
}

static void a_list_that_cannot_be_read_is_named(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    CHECK_OK(
        frz_table_metadata_stream(self.table, FRZ_METADATA_TABLE_ALL_FILES, NULL, &stream, &err),
        err);
    frz_io_fault_fail_after(self.fault, 0);
    CHECK_FAILS(frz_arrow_stream_next(&stream, &batch, &err), FRZ_IO, err, "manifest list");
    frz_io_fault_fail_after(self.fault, -1);
    frz_arrow_stream_clear(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_manifests_that_may_match_are_opened),
        cmocka_unit_test(a_manifest_of_many_snapshots_comes_once),
        cmocka_unit_test(a_list_that_cannot_be_read_is_named),
    };
    return cmocka_run_group_tests(tests, make_table, drop_table);
}
