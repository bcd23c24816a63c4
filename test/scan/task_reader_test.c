/* Covers: scan/column_reader scan/file_columns scan/constant scan/stream scan/scan scan/count */
#include "scan/task_reader.h"

#include "scan/table_fixture.h"

#include "scan/constant.h"
#include "scan/stream.h"

static const char old_schema[] = "id long not null";

static frz_status add_country(frz_metadata_builder *builder, frz_error **err)
{
    return change_schema(
        builder,
        "{\"type\":\"struct\",\"schema-id\":1,\"fields\":["
        "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"
        "{\"id\":2,\"name\":\"country\",\"required\":false,\"type\":\"string\","
        "\"initial-default\":\"US\",\"write-default\":\"US\"},"
        "{\"id\":3,\"name\":\"x\",\"required\":false,\"type\":\"int\"},"
        "{\"id\":4,\"name\":\"pt\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
        "{\"id\":5,\"name\":\"a\",\"required\":false,\"type\":\"int\",\"initial-default\":7}]},"
        "\"initial-default\":{}}]}",
        err);
}

/* Ten rows from before `country` was added, five of after. */
static numbered_table evolved(void)
{
    numbered_table self = numbered_open(&(table_shape){.schema = old_schema});
    append_numbers(&self, 0, 10);
    change_metadata(&self, add_country);
    append_numbers(&self, 100, 5); /* country is null in these: the rows say so */
    return self;
}

/* A column that a file lacks has its initial default in every layer that prunes. */
static void d045_an_absent_column_has_its_default_in_every_layer(void **state)
{
    (void)state;
    numbered_table self = evolved();
    CHECK(count_rows(self.table, "country = 'US'") == 10);
    CHECK(count_rows(self.table, "country is not null") == 10);
    CHECK(count_rows(self.table, "country is null") == 5);
    CHECK(count_rows(self.table, "country <> 'US'") == 0);
    CHECK(count_rows(self.table, "country = 'CA'") == 0);
    CHECK(count_rows(self.table, "country like 'U%' and id > 3") == 6);
    CHECK(count_rows(self.table, "pt.a = 7") == 10);
    CHECK(count_rows(self.table, "pt.a is null") == 5);
    check_query(self.table, "country = 'US' and id >= 8", "id,country,_pos", "8:US:8 9:US:9");
    numbered_close(&self);
}

/* Null, where there is no default; `not in` and `<>` do not select it. */
static void d046_an_absent_column_without_default_is_null(void **state)
{
    (void)state;
    numbered_table self = evolved();
    CHECK(count_rows(self.table, "x not in (1, 2)") == 0);
    CHECK(count_rows(self.table, "x <> 1") == 0);
    CHECK(count_rows(self.table, "x is null") == 15);
    check_query(self.table, "id = 3", "id,x", "3:-");
    numbered_close(&self);
}

/* A delete that filters on a column which old files lack. */
static void d020_a_delete_after_a_column_was_added_hits_old_files(void **state)
{
    (void)state;
    numbered_table self = evolved();
    delete_where(&self, "x is null and id = 7");
    delete_where(&self, "country = 'US' and id = 2");
    check_query(self.table, "_deleted", "id,_pos,_deleted", "2:2:true 7:7:true");
    CHECK(count_rows(self.table, NULL) == 13);
    check_query(self.table, "id < 4", "id,_pos", "0:0 1:1 3:3");
    numbered_close(&self);
}

/* An older snapshot is read with the schema of its time. */
static void test_a_snapshot_has_the_schema_of_its_time(void **state)
{
    (void)state;
    numbered_table self = evolved();
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_error *err = NULL;
    collected rows = {0};
    options.at.has_snapshot_id = true;
    options.at.snapshot_id = self.table->metadata->snapshots[0].snapshot_id;
    CHECK_OK(collect(self.table, &options, &rows, &err), err);
    CHECK(rows.rows == 10 && rows.schema.n_children == 1);
    collected_clear(&rows);
    numbered_close(&self);
}

static void test_metadata_columns_work_in_filters(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.partition = "city"});
    append_numbers(&self, 0, 8);
    append_numbers(&self, 8, 8);
    check_query(self.table, "_partition.city = 'Oslo'", "id", "9 13 1 5");
    check_query(self.table, "_last_updated_sequence_number > 1 and city = 'Riga'",
                "id,_last_updated_sequence_number", "10:2 14:2");
    CHECK(count_rows(self.table, "_last_updated_sequence_number <= 1") == 8);
    CHECK(count_rows(self.table, "_spec_id = 0") == 16);
    CHECK(count_rows(self.table, "_spec_id <> 0") == 0);
    CHECK(count_rows(self.table, "_file like '%city=Turku%'") == 4);
    CHECK(count_rows(self.table, "_file is null") == 0);
    CHECK(count_rows(self.table, "_pos = 1") == 8);
    numbered_close(&self);
}

/* "_deleted" selected: deleted rows come out, marked; otherwise never, whatever the filter says. */
static void test_deleted_rows_come_out_only_where_asked_for(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    append_numbers(&self, 0, 6);
    delete_where(&self, "id in (1, 4)");
    check_query(self.table, NULL, "id", "0 2 3 5");
    check_query(self.table, NULL, "id,_deleted", "0:false 1:true 2:false 3:false 4:true 5:false");
    check_query(self.table, "_deleted", "id", "");
    check_query(self.table, "not _deleted", "id", "0 2 3 5");
    check_query(self.table, "not _deleted and id > 3", "id,_deleted", "5:false");
    numbered_close(&self);
}

static void test_nested_fields_are_selected_and_filtered(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    append_numbers(&self, 0, 30);
    frz_error *err = NULL;
    collected rows = {0};
    name_list list;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "p.x between 3 and 5";
    select_columns(&options, "p.y", &list);
    CHECK_OK(collect(self.table, &options, &rows, &err), err);
    CHECK(rows.schema.n_children == 1 && rows.schema.children[0]->n_children == 1);
    CHECK(strcmp(rows.schema.children[0]->children[0]->name, "y") == 0);
    CHECK(rows.rows == 2 && rows.count == 1);
    const struct ArrowArray *y = rows.batches[0].children[0]->children[0];
    const int32_t *ends = y->buffers[1];
    CHECK(memcmp((const char *)y->buffers[2] + ends[y->offset], "y3y5", 4) == 0);
    collected_clear(&rows);
    /* D062: a null parent makes the child null. */
    check_query(self.table, "p.x is null", "id", "4 13 22");
    check_query(self.table, "p.y is null and id < 14", "id", "1 4 7 13");
    check_query(self.table, "tags[1] = 7", "id", "6");
    numbered_close(&self);
}

static int64_t rows_of_limit(const frz_table *table, const char *where, int64_t limit,
                             int32_t batch_rows, int64_t *longest)
{
    frz_error *err = NULL;
    collected rows = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    options.limit = limit;
    options.batch_rows = batch_rows;
    CHECK_OK(collect(table, &options, &rows, &err), err);
    const int64_t count = rows.rows;
    *longest = 0;
    for (size_t i = 0; i < rows.count; i++)
        *longest = rows.batches[i].length > *longest ? rows.batches[i].length : *longest;
    collected_clear(&rows);
    return count;
}

static void test_a_limit_cuts_across_files_and_batches(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    frz_error *err = NULL;
    int64_t longest = 0;
    append_numbers(&self, 0, 150);
    append_numbers(&self, 150, 150);
    CHECK(rows_of_limit(self.table, NULL, 0, 0, &longest) == 300);
    CHECK(rows_of_limit(self.table, NULL, 1, 0, &longest) == 1);
    CHECK(rows_of_limit(self.table, NULL, 155, 7, &longest) == 155 && longest == 7);
    CHECK(rows_of_limit(self.table, NULL, 999, 1, &longest) == 300 && longest == 1);
    CHECK(rows_of_limit(self.table, "id > 290", 3, INT32_MAX, &longest) == 3);
    frz_scan *scan = NULL;
    int64_t count = 0;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.limit = 7;
    options.where = "score > 3";
    CHECK_OK(frz_scan_new(self.table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_count(scan, &count, &err), err);
    CHECK(count == 7);
    frz_scan_free(scan);
    options.limit = -1;
    CHECK_FAILS(frz_scan_new(self.table, &options, &scan, &err), FRZ_INVALID, err,
                "limit -1 is negative");
    numbered_close(&self);
}

static void test_names_that_are_not_there_are_refused(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    name_list list;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    select_columns(&options, "naem", &list);
    CHECK_FAILS(frz_scan_new(self.table, &options, &scan, &err), FRZ_INVALID, err,
                "no column \"naem\"");
    select_columns(&options, "_partition", &list);
    CHECK_FAILS(frz_scan_new(self.table, &options, &scan, &err), FRZ_INVALID, err,
                "not partitioned");
    options = (frz_scan_options)FRZ_SCAN_OPTIONS_INIT;
    options.where = "id = 1 and nmae = 'x'";
    CHECK_FAILS(frz_scan_new(self.table, &options, &scan, &err), FRZ_INVALID, err, "nmae");
    options.where = NULL;
    options.at.has_snapshot_id = true;
    options.at.snapshot_id = 12;
    CHECK_FAILS(frz_scan_new(self.table, &options, &scan, &err), FRZ_NOT_FOUND, err, "12");
    numbered_close(&self);
}

static void test_an_empty_table_has_no_rows(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    check_query(self.table, NULL, "id,_pos", "");
    check_query(self.table, "id = 1", "id", "");
    CHECK(count_rows(self.table, NULL) == 0);
    numbered_close(&self);
}

static frz_status upgrade(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_upgrade(builder, 3, err);
}

/* "Row Lineage for Upgraded Tables": null before the first commit of format 3, which gives
 * ids to the files of older manifests too. */
static void d041_an_upgraded_table_gets_row_ids_with_its_first_commit(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = old_schema, .format_version = 2});
    append_numbers(&self, 0, 3);
    append_numbers(&self, 3, 2);
    check_query(self.table, "id >= 2", "id,_row_id", "3:- 4:- 2:-");
    change_metadata(&self, upgrade);
    check_query(self.table, "id = 0", "_row_id,_last_updated_sequence_number", "-:-");
    check_query(self.table, "_row_id is null", "_pos", "0 1 0 1 2");
    append_numbers(&self, 5, 2);
    CHECK(count_rows(self.table, "_row_id is null") == 0);
    CHECK(count_rows(self.table, "_row_id < 7") == 7);
    for (int i = 0; i < 7; i++) {
        char where[32];
        (void)snprintf(where, sizeof where, "_row_id = %d", i);
        CHECK(count_rows(self.table, where) == 1);
    }
    numbered_close(&self);
}

/* The parts of a plan may be read in any order, each from its own stream. */
static void test_files_of_a_plan_are_read_one_by_one(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    append_numbers(&self, 0, 120);
    append_numbers(&self, 120, 130);
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    struct ArrowArrayStream stream = {0};
    collected apart = {0};
    collected together = {0};
    CHECK_OK(frz_scan_new(self.table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    CHECK_OK(collect(self.table, NULL, &together, &err), err);
    for (size_t i = 0; i < frz_plan_file_count(plan); i++) {
        CHECK_OK(frz_plan_file_stream(plan, i, &stream, &err), err);
        CHECK_OK(collect_stream(&stream, &apart, &err), err);
        frz_arrow_stream_clear(&stream);
    }
    CHECK(apart.rows == 250);
    check_same_rows(&apart, &together, "files of a plan");
    CHECK_FAILS(frz_plan_file_stream(plan, 2, &stream, &err), FRZ_INVALID, err, "2 files, not 3");
    collected_clear(&apart);
    collected_clear(&together);
    /* The stream outlives plan and scan. */
    CHECK_OK(frz_plan_file_stream(plan, 0, &stream, &err), err);
    frz_plan_free(plan);
    frz_scan_free(scan);
    CHECK_OK(collect_stream(&stream, &apart, &err), err);
    CHECK(apart.rows == 130);
    frz_arrow_stream_clear(&stream);
    collected_clear(&apart);
    numbered_close(&self);
}

/* Counts, positions and row ids rest on the manifest's count of rows. */
static void test_a_file_with_other_rows_than_its_entry_says_is_refused(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = old_schema});
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_buffer other = {0};
    collected rows = {0};
    append_numbers(&self, 0, 4);
    append_numbers(&self, 10, 5);
    CHECK_OK(frz_scan_new(self.table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    read_stored(self.storage, frz_plan_file_at(plan, 0)->path, &other);
    replace_stored(self.storage, frz_plan_file_at(plan, 1)->path, frz_buffer_slice(&other));
    CHECK_FAILS(collect(self.table, NULL, &rows, &err), FRZ_CORRUPT, err,
                "the file has 5 rows, its manifest entry says 4");
    collected_clear(&rows);
    frz_buffer_clear(&other);
    frz_plan_free(plan);
    frz_scan_free(scan);
    numbered_close(&self);
}

static void test_sequences_follow_a_mask(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    const uint64_t mask[2] = {UINT64_C(1) << 63 | 5, 2};
    CHECK_OK(frz_sequence_array(100, 70, mask, 4, &array, &err), err);
    const int64_t *values = array.buffers[1];
    CHECK(array.length == 4);
    CHECK(values[0] == 100 && values[1] == 102 && values[2] == 163 && values[3] == 165);
    frz_arrow_array_clear(&array);
    const frz_type type = {.kind = FRZ_TYPE_INT};
    const frz_value value = {.form = FRZ_VALUE_INTEGER, .integer = -3};
    CHECK_OK(frz_constant_array(&type, &value, 3, &array, &err), err);
    CHECK(array.length == 3 && ((const int32_t *)array.buffers[1])[2] == -3);
    frz_arrow_array_clear(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d045_an_absent_column_has_its_default_in_every_layer),
        cmocka_unit_test(d046_an_absent_column_without_default_is_null),
        cmocka_unit_test(d020_a_delete_after_a_column_was_added_hits_old_files),
        cmocka_unit_test(test_a_snapshot_has_the_schema_of_its_time),
        cmocka_unit_test(test_metadata_columns_work_in_filters),
        cmocka_unit_test(test_deleted_rows_come_out_only_where_asked_for),
        cmocka_unit_test(test_nested_fields_are_selected_and_filtered),
        cmocka_unit_test(test_a_limit_cuts_across_files_and_batches),
        cmocka_unit_test(test_names_that_are_not_there_are_refused),
        cmocka_unit_test(test_an_empty_table_has_no_rows),
        cmocka_unit_test(d041_an_upgraded_table_gets_row_ids_with_its_first_commit),
        cmocka_unit_test(test_files_of_a_plan_are_read_one_by_one),
        cmocka_unit_test(test_a_file_with_other_rows_than_its_entry_says_is_refused),
        cmocka_unit_test(test_sequences_follow_a_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
