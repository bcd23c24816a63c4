/* Covers: write/append write/data_file write/input write/partition_key
 * write/row_value write/summary.
 */
#include "frazil/write.h"

#include "table_fixture.h"

#include "spec/manifest.h"

typedef struct table_text {
    const char *schema;
    const char *partition;
    const char *sort;
    const frz_option *properties;
    size_t property_count;
    int format_version;
} table_text;

static frz_table *make_table(fixture *self, const table_text *text)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = text->schema;
    options.partition = text->partition;
    options.sort = text->sort;
    options.properties = text->properties;
    options.property_count = text->property_count;
    options.format_version = text->format_version;
    CHECK_OK(fixture_open(self, NULL, &err), err);
    CHECK_OK(frz_catalog_create_table(self->catalog, "n.t", &options, &table, &err), err);
    return table;
}

static void close_table(fixture *self, frz_table *table)
{
    frz_table_free(table);
    fixture_close(self);
}

/* Calls `visit` for every live data file of the current snapshot. */
static void each_file(const frz_table *table, void (*visit)(const frz_manifest_entry *))
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_manifest_list list = {0};
    CHECK_OK(frz_manifest_list_read(table->io, table->metadata,
                                    frz_metadata_current_snapshot(table->metadata), &table->limits,
                                    &arena, &list, &err),
             err);
    for (size_t i = 0; i < list.count; i++) {
        frz_manifest *manifest = NULL;
        CHECK_OK(frz_manifest_read(table->io, &list.files[i], table->metadata, NULL, &table->limits,
                                   &manifest, &err),
                 err);
        for (size_t j = 0; j < frz_manifest_count(manifest); j++)
            visit(frz_manifest_entry_at(manifest, j));
        frz_manifest_unref(manifest);
    }
    frz_arena_clear(&arena);
}

static void rows_that_were_appended_are_read_back(void **state)
{
    fixture self;
    (void)state;
    frz_table *table = make_table(&self, &(table_text){.schema = "id long not null, name string"});
    append_rows(table, "1:a 2:b 3:-");
    check_rows(table, "1:a 2:b 3:-");
    append_rows(table, "4:d");
    check_rows(table, "1:a 2:b 3:- 4:d");
    CHECK(table->metadata->snapshot_count == 2);
    close_table(&self, table);
}

static void check_metrics(const frz_manifest_entry *entry)
{
    const frz_column_metrics *id = frz_data_file_metrics(&entry->file, 1);
    const frz_column_metrics *name = frz_data_file_metrics(&entry->file, 2);
    CHECK(entry->file.record_count == 4 && entry->file.file_size > 0);
    CHECK(entry->file.split_offset_count == 1 && entry->file.split_offsets[0] == 4);
    CHECK(id->value_count == 4 && id->null_count == 1 && id->nan_count == -1);
    CHECK(frz_slice_equal(id->lower, frz_slice_of("\1\0\0\0\0\0\0\0", 8)));
    CHECK(frz_slice_equal(id->upper, frz_slice_of("\3\0\0\0\0\0\0\0", 8)));
    CHECK(name->null_count == 1);
    CHECK(frz_slice_is_text(name->lower, "a"));
    CHECK(frz_slice_is_text(name->upper, "cccccccccccccccd")); /* truncate(16) */
    CHECK(entry->file.first_row_id == 0 && entry->sequence_number == 1);
}

static void entries_have_the_metrics_of_their_rows(void **state)
{
    fixture self;
    (void)state;
    frz_table *table = make_table(&self, &(table_text){.schema = "id long, name string"});
    append_rows(table, "1:a 2:- 3:cccccccccccccccccccc -:b");
    each_file(table, check_metrics);
    close_table(&self, table);
}

static int partition_files;

static void check_partition(const frz_manifest_entry *entry)
{
    const frz_value *value = &entry->file.partition[0];
    char path[256];
    partition_files++;
    (void)snprintf(path, sizeof path, "%.*s", (int)entry->file.path.size,
                   (const char *)entry->file.path.data);
    if (value->form == FRZ_VALUE_NULL) {
        CHECK(strstr(path, "/data/name_trunc=null/") != NULL);
        CHECK(entry->file.record_count == 1);
    } else {
        CHECK(value->bytes.size == 1);
        CHECK(strstr(path, value->bytes.data[0] == 'a' ? "/name_trunc=a/" : "/name_trunc=%26/"));
        CHECK(entry->file.record_count == 2);
    }
}

static void rows_go_to_the_files_of_their_partitions(void **state)
{
    fixture self;
    (void)state;
    frz_table *table = make_table(
        &self, &(table_text){.schema = "id long, name string", .partition = "truncate(1, name)"});
    append_rows(table, "1:ax 2:&b 3:- 4:ay 5:&c");
    partition_files = 0;
    each_file(table, check_partition);
    CHECK(partition_files == 3);
    check_rows(table, "1:ax 2:&b 3:- 4:ay 5:&c");
    close_table(&self, table);
}

static void count_file(const frz_manifest_entry *entry)
{
    partition_files++;
    CHECK(entry->file.record_count >= 1);
}

/* More partitions than may be open: files are finished early, and no row is lost. */
static void many_partitions_do_not_keep_many_files_open(void **state)
{
    fixture self;
    char rows[4096] = "";
    (void)state;
    frz_table *table =
        make_table(&self, &(table_text){.schema = "id long, name string", .partition = "id"});
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 120; j++)
            (void)snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%s%d:x",
                           rows[0] ? " " : "", j);
    }
    append_rows(table, rows);
    partition_files = 0;
    each_file(table, count_file);
    CHECK(partition_files >= 120);
    const scanned got = scan_rows(table, NULL, false);
    int count = 1;
    for (const char *at = got.text; (at = strchr(at, ' ')); at++)
        count++;
    CHECK(count == 240);
    close_table(&self, table);
}

static void check_sorted(const frz_manifest_entry *entry)
{
    CHECK(entry->file.sort_order_id == 1);
}

static void the_sort_order_is_honoured(void **state)
{
    fixture self;
    (void)state;
    frz_table *table = make_table(&self, &(table_text){.schema = "id long, name string",
                                                       .sort = "name desc nulls last, id asc"});
    append_rows(table, "3:b 1:- 1:c 2:b -:b 9:a");
    const scanned got = scan_rows(table, NULL, true);
    assert_string_equal(got.text, "1:c -:b 2:b 3:b 9:a 1:-");
    each_file(table, check_sorted);
    close_table(&self, table);
}

static void files_roll_at_the_target_size(void **state)
{
    fixture self;
    const frz_option small[] = {{"write.target-file-size-bytes", "1"}};
    (void)state;
    frz_table *table = make_table(
        &self,
        &(table_text){.schema = "id long, name string", .properties = small, .property_count = 1});
    append_rows(table, "1:a");
    append_rows(table, "2:b 3:c");
    check_rows(table, "1:a 2:b 3:c");
    CHECK(fixture_files(self.io, ".parquet") == 2);
    close_table(&self, table);
}

static void check_refused(const table_text *text, const char *rows_text, const char *message)
{
    fixture self;
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_table *table = make_table(&self, text);
    const int files = fixture_files(self.io, "");
    CHECK_OK(rows_of(rows_text, &rows, &err), err);
    CHECK_FAILS(frz_table_append(table, &rows, NULL, NULL, &err), FRZ_INVALID, err, message);
    CHECK(fixture_files(self.io, "") == files);
    close_table(&self, table);
}

static void what_does_not_fit_is_refused_by_column(void **state)
{
    (void)state;
    check_refused(&(table_text){.schema = "id long not null, name string"}, "1:a -:b",
                  "column id, row 2: null in a required column");
    check_refused(&(table_text){.schema = "id long, nam string"}, "1:a",
                  "no column name; near names: nam");
    check_refused(&(table_text){.schema = "id long, name string, x int not null"}, "1:a",
                  "column x is required");
    check_refused(&(table_text){.schema = "id long, name boolean"}, "1:a", "column name");
}

/* Spec "Default values": a column that the writer does not give takes its write default. */
static void missing_columns_take_their_write_default(void **state)
{
    fixture self;
    (void)state;
    frz_table *table = make_table(
        &self, &(table_text){.schema = "id long, name string, n int not null default 7, m string"});
    append_rows(table, "1:a 2:b");
    check_rows(table, "1:a:7:- 2:b:7:-");
    close_table(&self, table);
}

static void columns_go_by_name(void **state)
{
    fixture self;
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    (void)state;
    frz_table *table = make_table(&self, &(table_text){.schema = "NAME string, ID long"});
    CHECK_OK(rows_of("1:a", &rows, &err), err);
    CHECK_FAILS(frz_table_append(table, &rows, NULL, NULL, &err), FRZ_INVALID, err, "column id");
    options.case_insensitive = true;
    CHECK_OK(rows_of("1:a", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, &options, NULL, &err), err);
    check_rows(table, "a:1");
    close_table(&self, table);
}

static void no_rows_are_no_commit(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    struct ArrowArrayStream rows = {0};
    (void)state;
    frz_table *table = make_table(&self, &(table_text){.schema = "id long, name string"});
    CHECK_OK(rows_of("", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, NULL, &commit, &err), err);
    CHECK(commit->operation == NULL && table->metadata->snapshot_count == 0);
    frz_commit_free(commit);
    close_table(&self, table);
}

static void summaries_count_what_java_counts(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    struct ArrowArrayStream rows = {0};
    const frz_option limit[] = {{"write.summary.partition-limit", "2"}};
    (void)state;
    frz_table *table = make_table(&self, &(table_text){.schema = "id long, name string",
                                                       .partition = "name",
                                                       .properties = limit,
                                                       .property_count = 1});
    append_rows(table, "1:a");
    CHECK_OK(rows_of("2:b 3:b 4:c", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, NULL, &commit, &err), err);
    assert_string_equal(commit->operation, "append");
    assert_string_equal(summary_value(commit, "added-data-files"), "2");
    assert_string_equal(summary_value(commit, "added-records"), "3");
    assert_string_equal(summary_value(commit, "total-records"), "4");
    assert_string_equal(summary_value(commit, "total-data-files"), "3");
    assert_string_equal(summary_value(commit, "total-delete-files"), "0");
    assert_string_equal(summary_value(commit, "changed-partition-count"), "2");
    assert_string_equal(summary_value(commit, "partition-summaries-included"), "true");
    assert_string_equal(summary_value(commit, "manifests-created"), "1");
    assert_string_equal(summary_value(commit, "manifests-kept"), "1");
    CHECK(strstr(summary_value(commit, "partitions.name=b"), "added-data-files=1,added-records=2"));
    frz_commit_free(commit);
    close_table(&self, table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_were_appended_are_read_back),
        cmocka_unit_test(entries_have_the_metrics_of_their_rows),
        cmocka_unit_test(rows_go_to_the_files_of_their_partitions),
        cmocka_unit_test(many_partitions_do_not_keep_many_files_open),
        cmocka_unit_test(the_sort_order_is_honoured),
        cmocka_unit_test(files_roll_at_the_target_size),
        cmocka_unit_test(what_does_not_fit_is_refused_by_column),
        cmocka_unit_test(missing_columns_take_their_write_default),
        cmocka_unit_test(columns_go_by_name),
        cmocka_unit_test(no_rows_are_no_commit),
        cmocka_unit_test(summaries_count_what_java_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
