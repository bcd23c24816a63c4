/*
 * Covers: scan/scan scan/plan scan/plan_object scan/plan_files scan/explain scan/count scan/deletes
 * scan/position_deletes scan/file_stats scan/file_columns scan/column_reader scan/task_reader
 * scan/stream scan/row_ranges
 *
 * Whole scans of tables in memory: what a filter prunes at each level, what deletes hide, what
 * snapshots show, and that counting agrees with reading.
 */
#include "write/table_fixture.h"

#include "frazil/text.h"

static fixture tables;

static int open_tables(void **state)
{
    (void)state;
    frz_error *err = NULL;
    CHECK_OK(fixture_open(&tables, NULL, &err), err);
    return 0;
}

static int close_tables(void **state)
{
    (void)state;
    fixture_close(&tables);
    return 0;
}

static frz_table *create(const char *identifier, int version, const frz_option *properties,
                         size_t property_count)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long, name string";
    options.format_version = version;
    options.properties = properties;
    options.property_count = property_count;
    CHECK_OK(frz_catalog_create_table(tables.catalog, identifier, &options, &table, &err), err);
    return table;
}

static void delete_where(frz_table *table, const char *where)
{
    frz_error *err = NULL;
    CHECK_OK(frz_table_delete(table, where, FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err), err);
}

static frz_scan *scan_where(const frz_table *table, const char *where)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    CHECK_OK(frz_scan_new(table, &options, &scan, &err), err);
    return scan;
}

static void check_where(const frz_table *table, const char *where, const char *want)
{
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    const scanned got = scan_rows(table, &options, false);
    assert_string_equal(got.text, want);
}

static void check_count(const frz_table *table, const char *where, int64_t want)
{
    frz_error *err = NULL;
    int64_t count = -1;
    frz_scan *scan = scan_where(table, where);
    CHECK_OK(frz_scan_count(scan, &count, &err), err);
    assert_int_equal(count, want);
    frz_scan_free(scan);
}

/* The number of one level of the funnel, as `explain` prints it. */
static int64_t funnel(const frz_plan *plan, const char *level, const char *key)
{
    char wanted[64];
    char *text = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_plan_explain(plan, true, &text, &err), err);
    (void)snprintf(wanted, sizeof wanted, "\"level\": \"%s\"", level);
    const char *at = strstr(text, wanted);
    CHECK(at != NULL);
    (void)snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    at = strstr(at, wanted);
    CHECK(at != NULL);
    const int64_t number = strtoll(at + strlen(wanted), NULL, 10);
    frz_text_free(text);
    return number;
}

static void a_filter_prunes_files_and_leaves_a_residual(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_plan *plan = NULL;
    frz_table *table = create("s.pruned", 3, NULL, 0);
    append_rows(table, "1:a 2:b");
    append_rows(table, "11:k 12:l");
    append_rows(table, "21:u 22:v");

    frz_scan *scan = scan_where(table, "id >= 12");
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    assert_int_equal(frz_plan_file_count(plan), 2);
    int residuals = 0;
    for (size_t i = 0; i < 2; i++) {
        const frz_plan_file *file = frz_plan_file_at(plan, i);
        assert_int_equal(file->record_count, 2);
        assert_int_equal(file->delete_count, 0);
        residuals += strcmp(file->residual, "TRUE") != 0;
    }
    assert_int_equal(residuals, 1); /* the bounds of the last file prove all of its rows */
    assert_int_equal(funnel(plan, "file", "considered"), 3);
    assert_int_equal(funnel(plan, "file", "kept"), 2);
    assert_int_equal(funnel(plan, "row_group", "kept"), 2);
    frz_plan_free(plan);
    frz_scan_free(scan);

    check_where(table, "id >= 12", "12:l 21:u 22:v");
    check_where(table, "name = 'k'", "11:k");
    check_where(table, "id > 100", "");
    check_count(table, NULL, 6);
    check_count(table, "id >= 12", 3);
    check_count(table, "id > 100", 0);
    frz_table_free(table);
}

/* Each of the ways to delete: vectors, position delete files, rewritten files. */
static void deleted_rows_are_hidden_or_marked(void **state)
{
    (void)state;
    static const char *const names[] = {"s.v1", "s.v2", "s.v3"};
    for (int version = 1; version <= 3; version++) {
        frz_table *table = create(names[version - 1], version, NULL, 0);
        append_rows(table, "1:a 2:b 3:c 4:d");
        append_rows(table, "5:e 6:f");
        delete_where(table, "id = 2 or id = 5");
        delete_where(table, "id = 3");
        check_rows(table, "1:a 4:d 6:f");
        check_where(table, "id <= 4", "1:a 4:d");
        check_count(table, NULL, 3);
        check_count(table, "id <= 4", 2);
        if (version > 1)
            check_selected(table, "id,_pos", "1:0 4:3 6:1");
        frz_table_free(table);
    }
}

static void a_plan_names_the_deletes_of_each_file(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        frz_error *err = NULL;
        frz_plan *plan = NULL;
        frz_table *table = create(version == 2 ? "s.del2" : "s.del3", version, NULL, 0);
        append_rows(table, "1:a 2:b 3:c");
        delete_where(table, "id = 2");
        frz_scan *scan = scan_where(table, NULL);
        CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
        assert_int_equal(frz_plan_file_count(plan), 1);
        const frz_plan_file *file = frz_plan_file_at(plan, 0);
        assert_int_equal(file->delete_count, 1);
        assert_int_equal(file->deletes[0].content, 1);
        if (version == 3) /* "PFA1" comes first */
            CHECK(file->deletes[0].offset == 4 && file->deletes[0].size > 0);
        else
            CHECK(file->deletes[0].offset == -1);
        frz_plan_free(plan);
        frz_scan_free(scan);
        frz_table_free(table);
    }
}

static void row_ids_and_sequence_numbers_come_with_the_rows(void **state)
{
    (void)state;
    frz_table *table = create("s.lineage", 3, NULL, 0);
    append_rows(table, "1:a 2:b");
    append_rows(table, "3:c");
    delete_where(table, "id = 1");
    check_selected(table, "id,_row_id,_last_updated_sequence_number", "2:1:1 3:2:2");
    check_where(table, "_row_id = 2", "3:c");
    check_where(table, "_last_updated_sequence_number > 1", "3:c");
    check_where(table, "_pos = 1", "2:b");
    frz_table_free(table);
}

static void earlier_snapshots_are_read_by_id_and_time(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_table *table = create("s.past", 3, NULL, 0);
    check_rows(table, "");
    check_count(table, NULL, 0);
    append_rows(table, "1:a");
    CHECK(frz_table_current_snapshot(table, &options.at.snapshot_id));
    append_rows(table, "2:b");
    options.at.has_snapshot_id = true;
    const scanned by_id = scan_rows(table, &options, false);
    assert_string_equal(by_id.text, "1:a");
    options.at.snapshot_id++;
    CHECK_FAILS(frz_scan_new(table, &options, &scan, &err), FRZ_NOT_FOUND, err, "snapshot");
    options.at = (frz_snapshot_selector)FRZ_SNAPSHOT_SELECTOR_INIT;
    options.at.ref = "main";
    const scanned by_ref = scan_rows(table, &options, false);
    assert_string_equal(by_ref.text, "1:a 2:b");
    options.at.ref = "nowhere";
    CHECK_FAILS(frz_scan_new(table, &options, &scan, &err), FRZ_NOT_FOUND, err, "nowhere");
    options.at.ref = NULL;
    options.at.has_as_of_ms = true;
    options.at.as_of_ms = 1;
    CHECK_FAILS(frz_scan_new(table, &options, &scan, &err), FRZ_NOT_FOUND, err, "");
    frz_table_free(table);
}

/* Rows 0 to count - 1, named by their number. */
static void append_numbers(frz_table *table, int count)
{
    static char text[64 * 1024];
    size_t used = 0;
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d:n%d", i ? " " : "", i, i);
    append_rows(table, text);
}

static void pages_that_cannot_match_are_not_read(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_plan *plan = NULL;
    static const frz_option properties[] = {{"write.parquet.page-row-limit", "100"}};
    frz_table *table = create("s.pages", 3, properties, 1);
    append_numbers(table, 2000);
    delete_where(table, "id = 1501 or id = 3");
    frz_scan *scan = scan_where(table, "id = 1500");
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    assert_int_equal(funnel(plan, "page", "considered"), 40); /* of both columns, which are read */
    assert_int_equal(funnel(plan, "page", "kept"), 2);
    frz_plan_free(plan);
    frz_scan_free(scan);

    /* Positions and deletes stay right behind the pages that were left out. */
    static const char *const columns[] = {"id", "_pos", "_row_id"};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "id between 1500 and 1502";
    options.select = columns;
    options.select_count = 3;
    const scanned got = scan_rows(table, &options, true);
    assert_string_equal(got.text, "1500:1500:1500 1502:1502:1502");
    check_count(table, "id >= 1500", 499);
    frz_table_free(table);
}

static void batches_and_limits_are_kept(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_table *table = create("s.batches", 3, NULL, 0);
    append_numbers(table, 100);
    options.batch_rows = 30; /* rounded up to 64 */
    options.limit = 90;
    CHECK_OK(frz_scan_new(table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_stream(scan, &stream, &err), err);
    frz_scan_free(scan); /* the stream keeps what it needs */
    frz_table_free(table);
    int64_t rows = 0;
    frz_status status = FRZ_OK;
    while ((status = frz_arrow_stream_next(&stream, &batch, &err)) == FRZ_OK) {
        CHECK(batch.length > 0 && batch.length <= 64);
        rows += batch.length;
        frz_arrow_array_clear(&batch);
    }
    CHECK(status == FRZ_END);
    assert_int_equal(rows, 90);
    frz_arrow_stream_clear(&stream);
}

static void faults_say_where_they_are(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_table *table = create("s.faults", 3, NULL, 0);
    append_rows(table, "1:a");
    options.where = "nam = 'x'";
    CHECK_FAILS(frz_scan_new(table, &options, &scan, &err), FRZ_INVALID, err, "nam");
    options.where = NULL;

    CHECK_OK(frz_scan_new(table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    const char *path = frz_plan_file_at(plan, 0)->path;
    CHECK_OK(tables.io->ops->remove(tables.io, path, &err), err);
    CHECK_OK(frz_plan_file_stream(plan, 0, &stream, &err), err);
    CHECK_FAILS(frz_arrow_stream_next(&stream, &batch, &err), FRZ_NOT_FOUND, err, path);
    frz_arrow_stream_clear(&stream);
    frz_plan_free(plan);
    frz_scan_free(scan);
    frz_table_free(table);
    CHECK_OK(frz_catalog_drop_table(tables.catalog, "s.faults", false, &err), err); /* unsound */
}

static frz_table *swept;

static frz_status read_all(int64_t *rows, frz_error **err)
{
    frz_scan *scan = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "id > 1 and name is not null";
    frz_status status = frz_scan_new(swept, &options, &scan, err);
    if (status == FRZ_OK)
        status = frz_scan_stream(scan, &stream, err);
    while (status == FRZ_OK) {
        status = frz_arrow_stream_next(&stream, &batch, err);
        if (status == FRZ_OK)
            *rows += batch.length;
        frz_arrow_array_clear(&batch);
    }
    frz_arrow_stream_clear(&stream);
    frz_scan_free(scan);
    return status == FRZ_END ? FRZ_OK : status;
}

static void scan_without_memory(void)
{
    frz_error *err = NULL;
    int64_t rows = 0;
    const frz_status status = read_all(&rows, &err);
    CHECK(status == FRZ_OK ? rows == 2 : status == FRZ_NO_MEMORY && rows <= 2);
    CHECK(status == FRZ_OK || frz_error_status(err) == FRZ_NO_MEMORY);
    frz_error_free(err);
}

static void a_scan_short_of_memory_fails_cleanly(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        swept = create(version == 2 ? "s.swept2" : "s.swept3", version, NULL, 0);
        append_rows(swept, "1:a 2:b 3:c 4:d");
        delete_where(swept, "id = 3");
        sweep_allocation_failures(scan_without_memory);
        frz_table_free(swept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_prunes_files_and_leaves_a_residual),
        cmocka_unit_test(deleted_rows_are_hidden_or_marked),
        cmocka_unit_test(a_plan_names_the_deletes_of_each_file),
        cmocka_unit_test(row_ids_and_sequence_numbers_come_with_the_rows),
        cmocka_unit_test(earlier_snapshots_are_read_by_id_and_time),
        cmocka_unit_test(pages_that_cannot_match_are_not_read),
        cmocka_unit_test(batches_and_limits_are_kept),
        cmocka_unit_test(faults_say_where_they_are),
        cmocka_unit_test(a_scan_short_of_memory_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, open_tables, close_tables);
}
