/* Appended rows between two snapshots. */
#include "scan/increment.h"

#include "scan/table_fixture.h"

static int64_t current(const numbered_table *self)
{
    int64_t id = 0;
    CHECK(frz_table_current_snapshot(self->table, &id));
    return id;
}

static frz_scan_options between(int64_t from, int64_t to)
{
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.has_from_snapshot_id = true;
    options.from_snapshot_id = from;
    options.at.has_snapshot_id = to != 0;
    options.at.snapshot_id = to;
    return options;
}

static void check_between(const frz_table *table, int64_t from, int64_t to, const char *where,
                          const char *want)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    int64_t count = 0;
    name_list list;
    frz_scan_options options = between(from, to);
    options.where = where;
    select_columns(&options, "id", &list);
    const scanned got = scan_rows(table, &options, true);
    if (strcmp(got.text, want) != 0)
        fail_msg("got \"%s\", want \"%s\"", got.text, want);
    CHECK_OK(frz_scan_new(table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_count(scan, &count, &err), err);
    int64_t words = *want != '\0';
    for (const char *at = want; *at; at++)
        words += *at == ' ';
    CHECK(count == words);
    frz_scan_free(scan);
}

static void check_refused(const frz_table *table, int64_t from, int64_t to, frz_status status,
                          const char *message)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    const frz_scan_options options = between(from, to);
    CHECK_FAILS(frz_scan_new(table, &options, &scan, &err), status, err, message);
    CHECK(scan == NULL);
}

/* The table with the n-th snapshot's text `old` replaced by `new`, opened from a bare file. */
static frz_table *altered(const numbered_table *self, size_t n, const char *old, const char *new)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_buffer text = {0};
    frz_buffer changed = {0};
    read_stored(self->storage, self->table->metadata_location, &text);
    frz_buffer_append_byte(&text, 0);
    const char *at = strstr((const char *)text.data, "\"snapshots\"");
    for (size_t i = 0; at && i <= n; i++)
        at = strstr(at + 1, old);
    CHECK(at);
    frz_buffer_append(&changed, text.data, (size_t)(at - (const char *)text.data));
    frz_buffer_append_text(&changed, new);
    frz_buffer_append_text(&changed, at + strlen(old));
    CHECK_OK(
        frz_io_write_file(self->storage, "mem://a.metadata.json", frz_buffer_slice(&changed), &err),
        err);
    CHECK_OK(frz_table_open("mem://a.metadata.json", self->storage, &table, &err), err);
    CHECK_OK(frz_io_remove(self->storage, "mem://a.metadata.json", &err), err);
    frz_buffer_clear(&text);
    frz_buffer_clear(&changed);
    return table;
}

typedef struct three_appends {
    numbered_table table;
    int64_t ids[3];
} three_appends;

static three_appends open_three(const table_shape *shape)
{
    three_appends self = {.table = numbered_open(shape)};
    for (int i = 0; i < 3; i++) {
        append_numbers(&self.table, (int64_t)10 * i, 2 + i);
        self.ids[i] = current(&self.table);
    }
    return self;
}

static void test_only_rows_appended_in_between_are_read(void **state)
{
    (void)state;
    three_appends self = open_three(&(table_shape){.partition = "city"});
    const frz_table *table = self.table.table;
    check_between(table, self.ids[0], 0, NULL, "10 11 12 20 21 22 23");
    check_between(table, self.ids[0], self.ids[2], NULL, "10 11 12 20 21 22 23");
    check_between(table, self.ids[0], self.ids[1], NULL, "10 11 12");
    check_between(table, self.ids[1], 0, "id <> 21", "20 22 23");
    check_between(table, self.ids[0], 0, "city = 'Bergen'", "12 20");
    check_between(table, self.ids[2], 0, NULL, ""); /* nothing was appended since */
    numbered_close(&self.table);
}

static frz_status merge_always(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_set_property(builder, "commit.manifest.min-count-to-merge", "2", err);
}

/* The list of the last snapshot has one manifest, whose entries of older snapshots are EXISTING. */
static void test_merged_manifests_do_not_bring_older_rows(void **state)
{
    (void)state;
    three_appends self = open_three(&(table_shape){0});
    change_metadata(&self.table, merge_always);
    append_numbers(&self.table, 30, 2);
    const int64_t merged = current(&self.table);
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_manifest_list list = {0};
    CHECK_OK(frz_manifest_list_read(self.table.storage, self.table.table->metadata,
                                    frz_metadata_current_snapshot(self.table.table->metadata),
                                    &frz_limits_default, &arena, &list, &err),
             err);
    CHECK(list.count == 1 && list.files[0].added_files == 1 && list.files[0].existing_files == 3);
    frz_arena_clear(&arena);
    append_numbers(&self.table, 40, 1);
    check_between(self.table.table, self.ids[2], merged, NULL, "30 31");
    check_between(self.table.table, merged, 0, NULL, "40");
    check_between(self.table.table, self.ids[1], 0, NULL, "20 21 22 23 30 31 40");
    numbered_close(&self.table);
}

static void test_the_ends_must_lie_on_one_line(void **state)
{
    (void)state;
    three_appends self = open_three(&(table_shape){0});
    const frz_table *table = self.table.table;
    check_refused(table, self.ids[2], self.ids[0], FRZ_INVALID, "is no ancestor of snapshot");
    check_refused(table, 5, 0, FRZ_INVALID, "snapshot 5 is no ancestor of snapshot");
    check_refused(table, self.ids[0], 5, FRZ_NOT_FOUND, "no snapshot 5");
    numbered_close(&self.table);
    self.table = numbered_open(&(table_shape){0});
    check_refused(self.table.table, 5, 0, FRZ_INVALID, "the table has no snapshot");
    numbered_close(&self.table);
}

static int64_t removed_id;

static frz_status remove_one(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_remove_snapshots(builder, &removed_id, 1, err);
}

static void test_the_start_may_be_expired_but_nothing_in_between(void **state)
{
    (void)state;
    three_appends self = open_three(&(table_shape){0});
    removed_id = self.ids[0];
    change_metadata(&self.table, remove_one);
    check_between(self.table.table, self.ids[0], 0, NULL, "10 11 12 20 21 22 23");
    check_refused(self.table.table, 5, 0, FRZ_NOT_FOUND, "is no longer there");
    removed_id = self.ids[1];
    change_metadata(&self.table, remove_one);
    check_refused(self.table.table, self.ids[0], 0, FRZ_NOT_FOUND, "is no longer there");
    check_between(self.table.table, self.ids[1], 0, NULL, "20 21 22 23");
    numbered_close(&self.table);
}

static void test_compactions_are_passed_over(void **state)
{
    (void)state;
    three_appends self = open_three(&(table_shape){0});
    frz_table *table = altered(&self.table, 1, "\"append\"", "\"replace\"");
    check_between(table, self.ids[0], 0, NULL, "20 21 22 23");
    check_between(table, self.ids[0], self.ids[1], NULL, "");
    frz_table_free(table);
    numbered_close(&self.table);
}

static void test_deletes_and_overwrites_in_between_are_refused_by_name(void **state)
{
    (void)state;
    three_appends self = open_three(&(table_shape){0});
    delete_where(&self.table, "id = 11");
    const int64_t deleted = current(&self.table);
    append_numbers(&self.table, 30, 1);
    check_refused(self.table.table, self.ids[0], 0, FRZ_UNSUPPORTED,
                  "has operation delete: changes other than appends are not read yet");
    check_refused(self.table.table, self.ids[2], deleted, FRZ_UNSUPPORTED, "operation delete");
    check_between(self.table.table, self.ids[0], self.ids[2], NULL, "10 11 12 20 21 22 23");
    check_between(self.table.table, deleted, 0, NULL, "30");
    frz_table *table = altered(&self.table, 1, "\"append\"", "\"overwrite\"");
    check_refused(table, self.ids[0], self.ids[1], FRZ_UNSUPPORTED, "has operation overwrite");
    frz_table_free(table);
    numbered_close(&self.table);
}

static frz_status add_column(frz_metadata_builder *builder, frz_error **err)
{
    return change_schema(builder,
                         "{\"type\":\"struct\",\"schema-id\":1,\"fields\":["
                         "{\"id\":1,\"name\":\"number\",\"required\":true,\"type\":\"long\"},"
                         "{\"id\":9,\"name\":\"added\",\"required\":false,\"type\":\"int\"}]}",
                         err);
}

static void test_rows_come_in_the_current_schema_with_their_lineage(void **state)
{
    (void)state;
    three_appends self = open_three(&(table_shape){0});
    change_metadata(&self.table, add_column);
    frz_scan_options options = between(self.ids[0], self.ids[1]);
    name_list list;
    select_columns(&options, "number,added,_row_id,_last_updated_sequence_number", &list);
    const scanned got = scan_rows(self.table.table, &options, true);
    assert_string_equal(got.text, "10:-:2:2 11:-:3:2 12:-:4:2");
    numbered_close(&self.table);
}

static void test_parents_that_run_in_a_circle_are_no_line(void **state)
{
    (void)state;
    char parent[64];
    char circle[64];
    three_appends self = open_three(&(table_shape){0});
    (void)snprintf(parent, sizeof parent, "\"parent-snapshot-id\":%lld", (long long)self.ids[0]);
    (void)snprintf(circle, sizeof circle, "\"parent-snapshot-id\":%lld", (long long)self.ids[2]);
    frz_table *table = altered(&self.table, 0, parent, circle);
    check_refused(table, 5, 0, FRZ_INVALID, "snapshot 5 is no ancestor");
    frz_table_free(table);
    numbered_close(&self.table);
}

static frz_table *swept;
static int64_t swept_from;

static void plan_once(void)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    const frz_scan_options options = between(swept_from, 0);
    frz_status status = frz_scan_new(swept, &options, &scan, &err);
    if (status == FRZ_OK)
        status = frz_scan_plan(scan, &plan, &err);
    CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
    CHECK(status != FRZ_OK || frz_plan_file_count(plan) == 2);
    frz_plan_free(plan);
    frz_scan_free(scan);
    frz_error_free(err);
}

static void test_short_memory_is_survived(void **state)
{
    (void)state;
    three_appends self = open_three(&(table_shape){0});
    swept = self.table.table;
    swept_from = self.ids[0];
    sweep_allocation_failures(plan_once);
    numbered_close(&self.table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_rows_appended_in_between_are_read),
        cmocka_unit_test(test_merged_manifests_do_not_bring_older_rows),
        cmocka_unit_test(test_the_ends_must_lie_on_one_line),
        cmocka_unit_test(test_the_start_may_be_expired_but_nothing_in_between),
        cmocka_unit_test(test_compactions_are_passed_over),
        cmocka_unit_test(test_deletes_and_overwrites_in_between_are_refused_by_name),
        cmocka_unit_test(test_rows_come_in_the_current_schema_with_their_lineage),
        cmocka_unit_test(test_parents_that_run_in_a_circle_are_no_line),
        cmocka_unit_test(test_short_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
