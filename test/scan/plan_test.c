/* Covers: scan/plan_files scan/plan_object scan/file_stats scan/explain scan/plan_depth */
#include "scan/plan.h"

#include "scan/table_fixture.h"

#include "scan/file_stats.h"
#include "scan/plan_depth.h"

typedef struct planned {
    frz_scan *scan;
    frz_plan *plan;
} planned;

static planned plan_with(const frz_table *table, const char *where, const char *columns)
{
    frz_error *err = NULL;
    planned out = {0};
    name_list list;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    if (columns)
        select_columns(&options, columns, &list);
    CHECK_OK(frz_scan_new(table, &options, &out.scan, &err), err);
    CHECK_OK(frz_scan_plan(out.scan, &out.plan, &err), err);
    return out;
}

static void planned_free(planned *of)
{
    frz_plan_free(of->plan);
    frz_scan_free(of->scan);
}

static int64_t dropped(const frz_funnel_level *level, const char *reason)
{
    for (size_t i = 0; i < FRZ_FUNNEL_REASONS_MAX && level->dropped[i].reason; i++)
        if (strcmp(level->dropped[i].reason, reason) == 0)
            return level->dropped[i].count;
    return 0;
}

static void test_the_funnel_counts_what_each_level_drops(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.partition = "city"});
    append_numbers(&self, 0, 40);   /* four files in one manifest */
    append_numbers(&self, 100, 40); /* four more in a second */
    planned of = plan_with(self.table, "city = 'Oslo' and id >= 100", NULL);
    const frz_funnel_level *manifests = frz_plan_funnel(of.plan, FRZ_FUNNEL_MANIFEST_LIST);
    const frz_funnel_level *entries = frz_plan_funnel(of.plan, FRZ_FUNNEL_MANIFEST);
    const frz_funnel_level *files = frz_plan_funnel(of.plan, FRZ_FUNNEL_FILE);
    CHECK(manifests->considered == 2 && manifests->kept == 2);
    CHECK(entries->considered == 8 && entries->kept == 2 && dropped(entries, "partition") == 6);
    CHECK(files->considered == 2 && files->kept == 1 && dropped(files, "column_bounds") == 1);
    CHECK(frz_plan_file_count(of.plan) == 1 && frz_plan_file_at(of.plan, 0)->record_count == 10);
    CHECK(frz_plan_file_at(of.plan, 1) == NULL);
    /* The partition decided the first half, the bounds the second: every row matches. */
    CHECK(frz_plan_task(of.plan, 0)->all_match);
    CHECK(strcmp(frz_plan_file_at(of.plan, 0)->residual, "TRUE") == 0);
    planned_free(&of);
    of = plan_with(self.table, "city = 'Oslo' and id > 110", NULL);
    CHECK(strstr(frz_plan_file_at(of.plan, 0)->residual, "id > 110") != NULL);
    CHECK(strstr(frz_plan_file_at(of.plan, 0)->residual, "Oslo") == NULL);
    planned_free(&of);
    of = plan_with(self.table, "city = 'Xanten'", NULL);
    CHECK(dropped(frz_plan_funnel(of.plan, FRZ_FUNNEL_MANIFEST_LIST), "partition_summary") == 2);
    CHECK(frz_plan_file_count(of.plan) == 0);
    planned_free(&of);
    numbered_close(&self);
}

static void test_without_pruning_everything_is_kept_for_the_rows_to_decide(void **state)
{
    (void)state;
    frz_error *err = NULL;
    numbered_table self =
        numbered_open(&(table_shape){.partition = "city", .group_rows = 10, .page_rows = 5});
    append_numbers(&self, 0, 80);
    append_numbers(&self, 100, 80);
    planned of = {0};
    frz_plan_depth depth = {0};
    int64_t count = 0;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "city = 'Oslo' and id >= 140";
    options.no_pruning = true;
    CHECK_OK(frz_scan_new(self.table, &options, &of.scan, &err), err);
    CHECK_OK(frz_scan_plan(of.scan, &of.plan, &err), err);
    for (int level = 0; level < FRZ_FUNNEL_COUNT; level++) {
        const frz_funnel_level *funnel = frz_plan_funnel(of.plan, (frz_funnel)level);
        CHECK(funnel->considered == funnel->kept && funnel->considered > 0);
    }
    CHECK(frz_plan_file_count(of.plan) == 8);
    for (size_t i = 0; i < 8; i++) {
        CHECK(!frz_plan_task(of.plan, i)->all_match);
        CHECK(strstr(frz_plan_file_at(of.plan, i)->residual, "Oslo") != NULL);
    }
    CHECK_OK(frz_plan_look_inside(of.plan, &depth, &err), err);
    CHECK(depth.groups.considered == 16 && depth.groups.kept == 16);
    CHECK(depth.pages.considered == 0);
    CHECK_OK(frz_scan_count(of.scan, &count, &err), err);
    CHECK(count == 10);
    planned_free(&of);
    numbered_close(&self);
}

static void test_a_deleted_file_leaves_no_live_entries(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    append_numbers(&self, 0, 10);
    delete_where(&self, "id >= 0");
    planned of = plan_with(self.table, NULL, NULL);
    CHECK(frz_plan_file_count(of.plan) == 0);
    const frz_funnel_level *manifests = frz_plan_funnel(of.plan, FRZ_FUNNEL_MANIFEST_LIST);
    CHECK(manifests->kept == 0 && dropped(manifests, "no_live_files") == manifests->considered);
    planned_free(&of);
    CHECK(count_rows(self.table, NULL) == 0);
    numbered_close(&self);
}

/* D059: metrics that are not there prune nothing. */
static void test_missing_metrics_never_prune(void **state)
{
    (void)state;
    static const char *const filters[] = {"name is null", "name is not null", "id = 7",
                                          "score > 3",    "isnan(score)",     "p.x = 3"};
    static const int64_t want[] = {3, 17, 1, 13, 2, 1};
    static const char *const metrics[] = {"none", "counts", "truncate(2)", "full"};
    for (size_t m = 0; m < 4; m++) {
        numbered_table self = numbered_open(&(table_shape){.metrics = metrics[m]});
        append_numbers(&self, 0, 20);
        for (size_t i = 0; i < 6; i++) {
            const int64_t count = count_rows(self.table, filters[i]);
            if (count != want[i])
                fail_msg("%s with metrics %s: %lld", filters[i], metrics[m], (long long)count);
        }
        planned of = plan_with(self.table, "id > 1000", NULL);
        const bool counts_only = m < 2;
        CHECK(frz_plan_file_count(of.plan) == counts_only);
        planned_free(&of);
        numbered_close(&self);
    }
}

static void append_scores(numbered_table *self, const double *scores, size_t count)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    struct ArrowArrayStream rows = {0};
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_table_arrow_schema(self->table, &schema, &err), err);
    CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
    for (size_t i = 0; i < count; i++) {
        frz_arrow_append_f64(frz_arrow_builder_child(builder, 0), scores[i]);
        frz_arrow_append_struct(builder);
    }
    CHECK_OK(frz_arrow_builder_finish(builder, &batch, &err), err);
    CHECK_OK(rows_from(&schema, &batch, &rows, &err), err);
    CHECK_OK(frz_table_append(self->table, &rows, NULL, NULL, &err), err);
    frz_arrow_builder_free(builder);
}

/* D058: bounds leave NaN out, which is the greatest value: [3, 3] does not tell of it. */
static void d058_nan_is_not_lost_behind_bounds(void **state)
{
    (void)state;
    static const double mixed[] = {3.0, NAN, 3.0};
    static const double nans[] = {NAN, NAN};
    for (int counted = 0; counted < 2; counted++) {
        numbered_table self = numbered_open(
            &(table_shape){.schema = "x double", .metrics = counted ? "full" : "none"});
        append_scores(&self, mixed, 3);
        append_scores(&self, nans, 2);
        CHECK(count_rows(self.table, "x <> 3") == 3);
        CHECK(count_rows(self.table, "not (x < 10)") == 3);
        CHECK(count_rows(self.table, "isnan(x)") == 3);
        CHECK(count_rows(self.table, "x > 5") == 3);
        CHECK(count_rows(self.table, "x <= 3") == 2);
        CHECK(count_rows(self.table, "x = 3") == 2);
        CHECK(count_rows(self.table, "x >= 3") == 5);
        numbered_close(&self);
    }
}

/* D060: -0.0 equals 0.0, in files and in partitions. */
static void d060_signed_zeros_are_equal_in_every_layer(void **state)
{
    (void)state;
    static const double minus[] = {-0.0};
    static const double plus[] = {0.0};
    for (int partitioned = 0; partitioned < 2; partitioned++) {
        numbered_table self = numbered_open(
            &(table_shape){.schema = "x double", .partition = partitioned ? "x" : NULL});
        append_scores(&self, minus, 1);
        append_scores(&self, plus, 1);
        CHECK(count_rows(self.table, "x = 0") == 2);
        CHECK(count_rows(self.table, "x >= 0") == 2);
        CHECK(count_rows(self.table, "x < 0") == 0);
        CHECK(count_rows(self.table, "x in (0)") == 2);
        CHECK(count_rows(self.table, "x = -0.0") == 2);
        CHECK(count_rows(self.table, "x <> 0") == 0);
        numbered_close(&self);
    }
}

static void test_last_updated_sequence_number_prunes_files(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    for (int i = 0; i < 4; i++)
        append_numbers(&self, i * 10, 10);
    planned of = plan_with(self.table, "_last_updated_sequence_number > 2", NULL);
    CHECK(frz_plan_file_count(of.plan) == 2);
    CHECK(dropped(frz_plan_funnel(of.plan, FRZ_FUNNEL_FILE), "column_bounds") == 2);
    planned_free(&of);
    of = plan_with(self.table, "_file = 'nowhere'", NULL);
    CHECK(frz_plan_file_count(of.plan) == 0);
    planned_free(&of);
    numbered_close(&self);
}

static frz_status partition_by_id(frz_metadata_builder *builder, frz_error **err)
{
    int32_t id = 0;
    const int32_t source = 1;
    const frz_partition_field field = {
        .field_id = 1001,
        .name = "id_bucket",
        .source_ids = &source,
        .source_count = 1,
        .transform = {.kind = FRZ_TRANSFORM_BUCKET, .parameter = 4, .text = "bucket[4]"}};
    const frz_partition_spec spec = {.spec_id = 1, .fields = &field, .field_count = 1};
    FRZ_TRY(frz_update_add_spec(builder, &spec, &id, err));
    return frz_update_set_default_spec(builder, id, err);
}

/* Each manifest is pruned with the spec that wrote it, and no other. */
static void test_manifests_are_pruned_with_their_own_spec(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.partition = "city", .metrics = "none"});
    append_numbers(&self, 0, 40);
    change_metadata(&self, partition_by_id);
    append_numbers(&self, 40, 40);
    planned of = plan_with(self.table, "id = 42", NULL);
    CHECK(frz_plan_file_count(of.plan) == 5); /* one bucket, and all cities of the first spec */
    planned_free(&of);
    of = plan_with(self.table, "city = 'Riga'", NULL);
    CHECK(frz_plan_file_count(of.plan) == 5); /* one city, and all buckets of the second spec */
    planned_free(&of);
    check_query(self.table, "id = 42", "id,_spec_id", "42:1");
    CHECK(count_rows(self.table, "city = 'Riga'") == 20);
    CHECK(count_rows(self.table, "_partition.city is null") == 40);
    CHECK(count_rows(self.table, "_partition.id_bucket is null") == 40);
    numbered_close(&self);
}

static void check_json(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in %s", part, text);
}

static void test_explain_shows_levels_files_and_deletes(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    frz_error *err = NULL;
    char *text = NULL;
    append_numbers(&self, 0, 200);
    append_numbers(&self, 200, 200);
    delete_where(&self, "id = 250");
    planned of = plan_with(self.table, "id between 250 and 255", "name");
    CHECK_OK(frz_plan_explain(of.plan, true, &text, &err), err);
    check_json(text, "\"level\": \"manifest_list\"");
    check_json(text, "\"column_bounds\": 1");
    check_json(text, "\"statistics\": 1");
    check_json(text, "\"page_index\": 18");
    check_json(text, "\"record_count\": 200");
    check_json(text, "\"content\": 1");
    check_json(text, "\"offset\": 4");
    check_json(text, "\"residual\": \"");
    frz_text_free(text);
    CHECK_OK(frz_plan_explain(of.plan, false, &text, &err), err);
    check_json(text, "2 considered          1 kept   dropped: 1 by column_bounds");
    check_json(text, "delete files found: 1");
    check_json(text, "deletion vector ");
    frz_text_free(text);
    planned_free(&of);
    numbered_close(&self);
}

/* Bytes to read are those of the columns that output and filter read, each once,
 * and of the pages that are left of them. */
static void test_bytes_to_read_include_the_columns_of_the_filter(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    frz_error *err = NULL;
    frz_plan_depth name = {0};
    frz_plan_depth both = {0};
    frz_plan_depth filtered = {0};
    frz_plan_depth halved = {0};
    append_numbers(&self, 0, 100);
    planned of = plan_with(self.table, NULL, "name");
    CHECK_OK(frz_plan_look_inside(of.plan, &name, &err), err);
    planned_free(&of);
    of = plan_with(self.table, NULL, "name,id");
    CHECK_OK(frz_plan_look_inside(of.plan, &both, &err), err);
    planned_free(&of);
    of = plan_with(self.table, "id <> 50", "name");
    CHECK_OK(frz_plan_look_inside(of.plan, &filtered, &err), err);
    planned_free(&of);
    of = plan_with(self.table, "id >= 50", "name");
    CHECK_OK(frz_plan_look_inside(of.plan, &halved, &err), err);
    planned_free(&of);
    CHECK(name.bytes > 0 && both.bytes > name.bytes);
    CHECK(filtered.bytes == both.bytes && filtered.pages.kept == 20);
    CHECK(halved.pages.considered == 20 && halved.pages.kept == 10);
    CHECK(halved.bytes < both.bytes && halved.bytes > both.bytes / 3);
    numbered_close(&self);
}

static void test_partitions_compare_by_spec_and_tuple(void **state)
{
    (void)state;
    const frz_value one = {.form = FRZ_VALUE_INTEGER, .integer = 1};
    const frz_value two = {.form = FRZ_VALUE_INTEGER, .integer = 2};
    const frz_data_file a = {.spec_id = 0, .partition = &one, .partition_count = 1};
    const frz_data_file b = {.spec_id = 0, .partition = &two, .partition_count = 1};
    const frz_data_file c = {.spec_id = 1, .partition = &one, .partition_count = 1};
    CHECK(frz_same_partition(&a, &a) && !frz_same_partition(&a, &b) && !frz_same_partition(&a, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_funnel_counts_what_each_level_drops),
        cmocka_unit_test(test_without_pruning_everything_is_kept_for_the_rows_to_decide),
        cmocka_unit_test(test_a_deleted_file_leaves_no_live_entries),
        cmocka_unit_test(test_missing_metrics_never_prune),
        cmocka_unit_test(d058_nan_is_not_lost_behind_bounds),
        cmocka_unit_test(d060_signed_zeros_are_equal_in_every_layer),
        cmocka_unit_test(test_last_updated_sequence_number_prunes_files),
        cmocka_unit_test(test_manifests_are_pruned_with_their_own_spec),
        cmocka_unit_test(test_explain_shows_levels_files_and_deletes),
        cmocka_unit_test(test_bytes_to_read_include_the_columns_of_the_filter),
        cmocka_unit_test(test_partitions_compare_by_spec_and_tuple),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
