/* Covers: write/alter_columns write/alter_commit write/alter_layout write/alter_table
 * write/column_properties
 *
 * Changes of tables as commits: what they make of the metadata, and of rows that are there. */
#include "write/alteration.h"

#include "alter_fixture.h"

#include "io/fault.h"

static fixture home;

static int set_up(void **state)
{
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&home, NULL, &err), err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_close(&home);
    return 0;
}

static frz_table *make(const char *name, const frz_table_create_options *given)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = *given;
    options.schema = "id long, name string";
    CHECK_OK(frz_catalog_create_table(home.catalog, name, &options, &table, &err), err);
    return table;
}

static frz_table *make_table(int version, const char *partition, const char *sort)
{
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.format_version = version;
    options.partition = partition;
    options.sort = sort;
    return make("n.t", &options);
}

static void old_rows_read_the_initial_default_and_new_ones_the_write_default(void **state)
{
    (void)state;
    frz_column_options options = FRZ_COLUMN_OPTIONS_INIT;
    frz_table *table = make_table(3, NULL, NULL);
    append_rows(table, "1:a");
    options.default_value = "US";
    ALTER(table, "added column country string not null, field id 3",
          frz_alter_add_column(changes, "country", "string not null", &options, &alter_error));
    append_rows(table, "2:b");
    options.default_value = "DE";
    ALTER(table, "updated column country string not null, field id 3",
          frz_alter_update_column(changes, "country", NULL, &options, &alter_error));
    append_rows(table, "3:c");
    check_rows(table, "1:a:US 2:b:US 3:c:DE");
    CHECK(table->metadata->schema_count == 3 && table->metadata->current_schema_id == 2);
    frz_table_free(table);
}

static void d104_a_dropped_name_comes_back_as_another_column(void **state)
{
    (void)state;
    frz_table *table = make_table(2, NULL, NULL);
    append_rows(table, "1:a");
    ALTER(table, "dropped column name string, field id 2",
          frz_alter_drop_column(changes, "name", &alter_error));
    ALTER(table, "added column name string, field id 3",
          frz_alter_add_column(changes, "name", "string", NULL, &alter_error));
    append_rows(table, "2:b");
    check_rows(table, "1:- 2:b");
    frz_table_free(table);
}

/* Several changes are one version and one schema; each sees those before it. */
static void changes_of_one_alteration_are_one_commit(void **state)
{
    (void)state;
    frz_error *err = NULL;
    const char *const identifier[] = {"key"};
    frz_column_options first = FRZ_COLUMN_OPTIONS_INIT;
    frz_table *table = make_table(2, NULL, NULL);
    const size_t versions = table->metadata->metadata_log_count;
    frz_alteration *changes = alter_new();
    first.first = true;
    first.default_value = "0";
    first.required = true;
    CHECK_OK(frz_alter_upgrade(changes, 3, &err), err);
    CHECK_OK(frz_alter_add_column(changes, "k", "int", &first, &err), err);
    CHECK_OK(frz_alter_rename_column(changes, "k", "key", &err), err);
    CHECK_OK(frz_alter_set_identifier(changes, identifier, 1, &err), err);
    CHECK_OK(frz_alter_add_partition(changes, "bucket(4, key)", NULL, &err), err);
    CHECK_OK(frz_alter_set_sort(changes, "key desc", &err), err);
    CHECK_OK(frz_alter_set_property(changes, "owner", "ada", &err), err);
    CHECK_OK(frz_alter_set_location(changes, "mem://wh/elsewhere/", &err), err);
    CHECK_OK(alter_take(table, changes, &err), err);
    assert_string_equal(alter_said, "format version 3, was 2\n"
                                    "added column k int not null, field id 3\n"
                                    "renamed column k to key, field id 3\n"
                                    "identifier fields: key\n"
                                    "added partition field key_bucket_4, bucket[4] of column key, "
                                    "field id 1000\n"
                                    "sort order: key desc nulls last\n"
                                    "set owner = ada\n"
                                    "new files go to mem://wh/elsewhere");
    const frz_metadata *m = table->metadata;
    CHECK(m->metadata_log_count == versions + 1 && m->schema_count == 2 && m->spec_count == 2);
    CHECK(m->last_column_id == 3 && m->last_partition_id == 1000 && m->default_sort_order_id == 1);
    CHECK(m->format_version == 3 && m->next_row_id == 0);
    assert_string_equal(m->location, "mem://wh/elsewhere");
    append_rows(table, "1:a");
    check_rows(table, "0:1:a");
    frz_table_free(table);
}

static void what_is_so_already_is_no_commit(void **state)
{
    (void)state;
    const char *const none[] = {NULL};
    frz_column_options first = FRZ_COLUMN_OPTIONS_INIT;
    frz_column_options optional = FRZ_COLUMN_OPTIONS_INIT;
    frz_table *table = make_table(3, "bucket(4, id)", "id");
    const size_t versions = table->metadata->metadata_log_count;
    first.first = true;
    optional.optional = true;
    ALTER(table, "", frz_alter_move_column(changes, "id", &first, &alter_error));
    ALTER(table, "", frz_alter_rename_column(changes, "id", "id", &alter_error));
    ALTER(table, "", frz_alter_update_column(changes, "id", "long", &optional, &alter_error));
    ALTER(table, "", frz_alter_set_identifier(changes, none, 0, &alter_error));
    ALTER(table, "", frz_alter_set_sort(changes, "id asc nulls first", &alter_error));
    ALTER(
        table, "",
        frz_alter_replace_partition(changes, "bucket(4, id)", "bucket(4, id)", NULL, &alter_error));
    ALTER(table, "", frz_alter_remove_property(changes, "absent", &alter_error));
    ALTER(table, "", frz_alter_set_location(changes, table->metadata->location, &alter_error));
    ALTER(table, "", frz_alter_upgrade(changes, 3, &alter_error));
    CHECK(table->metadata->metadata_log_count == versions);
    frz_table_free(table);
}

/* "Evolution applies changes ... identified by a unique schema ID": one that was there has its own.
 */
static void an_equal_historic_schema_or_spec_is_taken_again(void **state)
{
    (void)state;
    frz_table *table = make_table(3, "bucket(4, id)", NULL);
    ALTER(table, "renamed column name to label, field id 2",
          frz_alter_rename_column(changes, "name", "label", &alter_error));
    ALTER(table, "renamed column label to name, field id 2",
          frz_alter_rename_column(changes, "label", "name", &alter_error));
    CHECK(table->metadata->schema_count == 2 && table->metadata->current_schema_id == 0);
    ALTER(table, "dropped partition field id_bucket",
          frz_alter_drop_partition(changes, "id_bucket", &alter_error));
    ALTER(table, "added partition field id_bucket, bucket[4] of column id, field id 1000",
          frz_alter_add_partition(changes, "bucket(4, id)", NULL, &alter_error));
    CHECK(table->metadata->spec_count == 2 && table->metadata->default_spec_id == 0);
    frz_table_free(table);
}

static void columns_in_use_are_not_dropped(void **state)
{
    (void)state;
    frz_table *table = make_table(3, "bucket(4, id)", "name");
    ALTER_FAILS(table, FRZ_INVALID,
                "drop column id: the table is partitioned by it: drop partition field id_bucket",
                frz_alter_drop_column(changes, "id", &alter_error));
    ALTER_FAILS(table, FRZ_INVALID, "drop column name: the table is sorted by it",
                frz_alter_drop_column(changes, "name", &alter_error));
    append_rows(table, "1:a 2:b");
    ALTER(table, "sort order: none", frz_alter_set_sort(changes, "", &alter_error));
    CHECK(table->metadata->default_sort_order_id == 0);
    ALTER(table, "dropped partition field id_bucket",
          frz_alter_drop_partition(changes, "id_bucket", &alter_error));
    /* An old spec may name a column that is gone (D114). */
    ALTER(table, "dropped column id long, field id 1",
          frz_alter_drop_column(changes, "id", &alter_error));
    check_rows(table, "a b");
    frz_table_free(table);
}

static void partitioning_evolves_and_old_files_stay(void **state)
{
    (void)state;
    frz_table *table = make_table(2, "bucket(4, id)", NULL);
    append_rows(table, "1:a 2:b");
    ALTER(table,
          "dropped partition field id_bucket\n"
          "added partition field name_trunc_1, truncate[1] of column name, field id 1001",
          frz_alter_replace_partition(changes, "bucket(4, id)", "truncate(1, name)", NULL,
                                      &alter_error));
    append_rows(table, "3:ab");
    ALTER(table, "renamed partition field name_trunc_1 to initial",
          frz_alter_replace_partition(changes, "name_trunc_1", "truncate(1, name)", "initial",
                                      &alter_error));
    append_rows(table, "4:b");
    check_rows(table, "1:a 2:b 3:ab 4:b");
    CHECK(table->metadata->spec_count == 3 && table->metadata->last_partition_id == 1001);
    ALTER_FAILS(table, FRZ_INVALID,
                "replace partition field initial: partition: day does not take column id",
                frz_alter_replace_partition(changes, "initial", "day(id)", NULL, &alter_error));
    frz_table_free(table);
}

/* "Do not drop partition fields; instead replace the field's transform with the void transform". */
static void in_version_1_fields_become_void_and_upgrades_keep_them(void **state)
{
    (void)state;
    frz_table *table = make_table(1, "bucket(4, id), name", NULL);
    append_rows(table, "1:a");
    ALTER(table, "partition field id_bucket is void from now on (format version 1)",
          frz_alter_drop_partition(changes, "id_bucket", &alter_error));
    append_rows(table, "2:b");
    ALTER(table, "added partition field id_bucket, bucket[4] of column id, field id 1002",
          frz_alter_add_partition(changes, "bucket(4, id) as id_bucket", NULL, &alter_error));
    append_rows(table, "3:c");
    ALTER(table, "partition field id_bucket is void from now on (format version 1)",
          frz_alter_drop_partition(changes, "id_bucket", &alter_error));
    append_rows(table, "4:d");
    const frz_partition_spec *spec = frz_metadata_spec(table->metadata);
    CHECK(spec->field_count == 3 && spec->fields[2].field_id == 1002);
    assert_string_equal(spec->fields[0].name, "id_bucket_1000");
    ALTER(table, "format version 2, was 1", frz_alter_upgrade(changes, 2, &alter_error));
    ALTER(table, "dropped partition field id_bucket",
          frz_alter_drop_partition(changes, "id_bucket", &alter_error));
    append_rows(table, "5:e");
    check_rows(table, "1:a 2:b 3:c 4:d 5:e");
    frz_table_free(table);
}

/* From version 1 by 2 to 3, with deletes of each kind on the way. */
static void d041_row_ids_begin_with_the_first_snapshot_after_the_upgrade(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_table *table = make_table(1, NULL, NULL);
    append_rows(table, "0:z 1:a 2:b");
    append_rows(table, "3:c");
    ALTER_FAILS(table, FRZ_UNSUPPORTED, "Iceberg format version -1",
                frz_alter_upgrade(changes, -1, &alter_error));
    ALTER(table, "format version 2, was 1", frz_alter_upgrade(changes, 2, &alter_error));
    CHECK_OK(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    append_rows(table, "4:d");
    CHECK(table->metadata->last_sequence_number == 2);
    check_selected(table, "id,_row_id", "0:- 1:- 3:- 4:-");
    ALTER(table, "format version 3, was 2", frz_alter_upgrade(changes, 3, &alter_error));
    const frz_metadata *m = table->metadata;
    CHECK(m->next_row_id == 0 && frz_metadata_current_snapshot(m)->first_row_id == -1);
    check_selected(table, "id,_row_id", "0:- 1:- 3:- 4:-");
    /* "Snapshots that are created after upgrading to v3 must ... assign row IDs to existing and
     * added files". */
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    m = table->metadata;
    CHECK(frz_metadata_current_snapshot(m)->first_row_id == 0 && m->next_row_id == 5);
    check_rows(table, "0:z 3:c 4:d");
    append_rows(table, "5:e");
    CHECK(table->metadata->next_row_id == 6);
    check_selected(table, "id,_last_updated_sequence_number", "0:0 3:0 4:2 5:4");
    ALTER_FAILS(table, FRZ_INVALID, "cannot go back to version 2",
                frz_alter_upgrade(changes, 2, &alter_error));
    ALTER_FAILS(table, FRZ_UNSUPPORTED, "version 4", frz_alter_upgrade(changes, 4, &alter_error));
    frz_table_free(table);
}

static void properties_are_set_and_removed(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, NULL);
    ALTER(table, "set owner = ada", frz_alter_set_property(changes, "owner", "ada", &alter_error));
    assert_string_equal(frz_table_property(table, "owner"), "ada");
    ALTER(table, "", frz_alter_set_property(changes, "owner", "ada", &alter_error));
    ALTER(table, "removed owner", frz_alter_remove_property(changes, "owner", &alter_error));
    CHECK(!frz_table_property(table, "owner"));
    ALTER_FAILS(table, FRZ_INVALID, "frazil upgrade",
                frz_alter_set_property(changes, "format-version", "3", &alter_error));
    ALTER_FAILS(table, FRZ_INVALID, "property uuid is reserved",
                frz_alter_set_property(changes, "uuid", "x", &alter_error));
    ALTER_FAILS(table, FRZ_INVALID, "needs a name",
                frz_alter_set_property(changes, "", "x", &alter_error));
    frz_alteration *changes = alter_new();
    CHECK_FAILS(frz_alter_set_property(changes, "k", NULL, &err), FRZ_INVALID, err,
                "null is no value"); /* D155 */
    frz_alteration_free(changes);
    frz_table_free(table);
}

static void properties_of_columns_follow_their_columns(void **state)
{
    (void)state;
    static const char metrics[] = "write.metadata.metrics.column.";
    char key[64];
    frz_table *table = make_table(3, NULL, NULL);
    (void)snprintf(key, sizeof key, "%sname", metrics);
    ALTER(table, "set write.metadata.metrics.column.name = counts",
          frz_alter_set_property(changes, key, "counts", &alter_error));
    ALTER(
        table, "set write.metadata.metrics.column.id = none",
        frz_alter_set_property(changes, "write.metadata.metrics.column.id", "none", &alter_error));
    ALTER(table, "renamed column name to label, field id 2",
          frz_alter_rename_column(changes, "name", "label", &alter_error));
    CHECK(!frz_table_property(table, key));
    (void)snprintf(key, sizeof key, "%slabel", metrics);
    assert_string_equal(frz_table_property(table, key), "counts");
    ALTER(table, "dropped column label string, field id 2",
          frz_alter_drop_column(changes, "label", &alter_error));
    CHECK(!frz_table_property(table, key));
    assert_string_equal(frz_table_property(table, "write.metadata.metrics.column.id"), "none");
    frz_table_free(table);
}

static void the_name_mapping_follows_the_schema(void **state)
{
    (void)state;
    static const char key[] = "schema.name-mapping.default";
    frz_table *table = make_table(3, NULL, NULL);
    ALTER_ANYHOW(table, frz_alter_set_property(
                            changes, key, "[{\"field-id\":2,\"names\":[\"name\"]}]", &alter_error));
    ALTER(table, "renamed column name to label, field id 2",
          frz_alter_rename_column(changes, "name", "label", &alter_error));
    assert_string_equal(frz_table_property(table, key),
                        "[{\"field-id\":2,\"names\":[\"name\",\"label\"]}]");
    frz_table_free(table);
    /* One that is none stays. */
    const frz_option broken = {key, "broken"};
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.properties = &broken;
    options.property_count = 1;
    table = make("n.broken", &options);
    ALTER(table, "renamed column name to label, field id 2",
          frz_alter_rename_column(changes, "name", "label", &alter_error));
    assert_string_equal(frz_table_property(table, key), "broken");
    frz_table_free(table);
}

/* "... if the partition transform would produce a different value after promoting the type". */
static void dates_of_partitions_are_promoted_where_values_stay(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, NULL);
    ALTER(table, "added column d date, field id 3",
          frz_alter_add_column(changes, "d", "date", NULL, &alter_error));
    ALTER(table, "added partition field d, identity of column d, field id 1000",
          frz_alter_add_partition(changes, "d", NULL, &alter_error));
    ALTER_FAILS(table, FRZ_INVALID, "partition field d of spec 1 would have other values",
                frz_alter_update_column(changes, "d", "timestamp", NULL, &alter_error));
    ALTER(table,
          "dropped partition field d\nadded partition field d_month, month of column d, "
          "field id 1001",
          frz_alter_replace_partition(changes, "d", "month(d)", NULL, &alter_error));
    /* Files of the old spec may be live. */
    ALTER_FAILS(table, FRZ_INVALID, "partition field d of spec 1",
                frz_alter_update_column(changes, "d", "timestamp", NULL, &alter_error));
    frz_table_free(table);
    CHECK_OK(frz_catalog_drop_table(home.catalog, "n.t", false, &err), err);
    table = make_table(3, NULL, NULL);
    ALTER(table, "added column d date, field id 3",
          frz_alter_add_column(changes, "d", "date", NULL, &alter_error));
    ALTER(table, "added partition field d_month, month of column d, field id 1000",
          frz_alter_add_partition(changes, "month(d)", NULL, &alter_error));
    ALTER(table, "updated column d timestamp, field id 3",
          frz_alter_update_column(changes, "d", "timestamp", NULL, &alter_error));
    frz_table_free(table);
}

static void columns_of_a_file_are_added_by_name(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    frz_table *table = make_table(3, NULL, NULL);
    CHECK_OK(frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 2, &err), err);
    CHECK_OK(
        frz_arrow_schema_init(schema.children[0], "l", "id", true, FRZ_ARROW_NO_FIELD_ID, 0, &err),
        err);
    CHECK_OK(frz_arrow_schema_init(schema.children[1], "g", "price", true, FRZ_ARROW_NO_FIELD_ID, 0,
                                   &err),
             err);
    ALTER(table, "added column price double, field id 3",
          frz_alter_union_columns(changes, &schema, &alter_error));
    ALTER(table, "", frz_alter_union_columns(changes, &schema, &alter_error));
    frz_arrow_schema_clear(&schema);
    frz_table_free(table);
}

/* Spec "Default values", JSON of Appendix D. */
static void d130_defaults_survive_other_changes(void **state)
{
    (void)state;
    frz_error *err = NULL;
    char *before = NULL;
    char *after = NULL;
    frz_table *table = make_table(3, NULL, NULL);
    ALTER(table, "added column u uuid, field id 3",
          frz_alter_add_column(changes, "u", "uuid default '10203040-5060-7080-90a0-b0c0d0e0f000'",
                               NULL, &alter_error));
    ALTER(table, "added column d decimal(9, 2), field id 4",
          frz_alter_add_column(changes, "d", "decimal(9,2) default 14.20", NULL, &alter_error));
    ALTER(table, "set a = b", frz_alter_set_property(changes, "a", "b", &alter_error));
    CHECK_OK(frz_table_metadata_json(table, &before, &err), err);
    CHECK(strstr(before, "\"initial-default\":\"14.20\",\"write-default\":\"14.20\""));
    CHECK(strstr(before, "\"initial-default\":\"10203040-5060-7080-90a0-b0c0d0e0f000\""));
    frz_table_free(table);
    CHECK_OK(frz_catalog_load_table(home.catalog, "n.t", &table, &err), err);
    CHECK_OK(frz_table_metadata_json(table, &after, &err), err);
    assert_string_equal(before, after);
    frz_text_free(before);
    frz_text_free(after);
    frz_table_free(table);
}

static void a_table_without_catalog_is_not_changed(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_table *bare = NULL;
    frz_table *table = make_table(3, NULL, NULL);
    CHECK_OK(frz_table_open(frz_table_metadata_location(table), home.io, &bare, &err), err);
    ALTER_FAILS(bare, FRZ_INVALID, "without a catalog",
                frz_alter_set_property(changes, "a", "b", &alter_error));
    frz_table_free(bare);
    frz_table_free(table);
}

/* To and fro, so that the table does not grow with each change that is committed. */
static void alter_all(void)
{
    frz_table *table = NULL;
    frz_alteration *changes = NULL;
    frz_alter_result *result = NULL;
    frz_status status = frz_catalog_load_table(home.catalog, "n.t", &table, NULL);
    const bool there = table && frz_metadata_spec(table->metadata)->field_count;
    if (status == FRZ_OK)
        status = frz_alteration_new(&changes, NULL);
    if (status == FRZ_OK)
        status = frz_alter_rename_column(changes, there ? "label" : "name",
                                         there ? "name" : "label", NULL);
    if (status == FRZ_OK)
        status = there ? frz_alter_drop_partition(changes, "id_bucket_4", NULL)
                       : frz_alter_add_partition(changes, "bucket(4, id)", NULL, NULL);
    if (status == FRZ_OK)
        status = frz_alter_set_sort(changes, there ? "" : "id", NULL);
    if (status == FRZ_OK)
        status = frz_alter_set_property(changes, "a", there ? "b" : "c", NULL);
    if (status == FRZ_OK)
        status = frz_table_alter(table, changes, NULL, &result, NULL);
    CHECK(status == FRZ_OK ? result->item_count == 4 : status == FRZ_NO_MEMORY && frz_mem_failed());
    frz_alter_result_free(result);
    frz_alteration_free(changes);
    frz_table_free(table);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    frz_table *table = make_table(3, NULL, NULL);
    ALTER(
        table, "set write.metadata.previous-versions-max = 1",
        frz_alter_set_property(changes, "write.metadata.previous-versions-max", "1", &alter_error));
    frz_table_free(table);
    sweep_allocation_failures(alter_all);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(old_rows_read_the_initial_default_and_new_ones_the_write_default),
        CASE(d104_a_dropped_name_comes_back_as_another_column),
        CASE(changes_of_one_alteration_are_one_commit),
        CASE(what_is_so_already_is_no_commit),
        CASE(an_equal_historic_schema_or_spec_is_taken_again),
        CASE(columns_in_use_are_not_dropped),
        CASE(partitioning_evolves_and_old_files_stay),
        CASE(in_version_1_fields_become_void_and_upgrades_keep_them),
        CASE(d041_row_ids_begin_with_the_first_snapshot_after_the_upgrade),
        CASE(properties_are_set_and_removed),
        CASE(properties_of_columns_follow_their_columns),
        CASE(the_name_mapping_follows_the_schema),
        CASE(dates_of_partitions_are_promoted_where_values_stay),
        CASE(columns_of_a_file_are_added_by_name),
        CASE(d130_defaults_survive_other_changes),
        CASE(a_table_without_catalog_is_not_changed),
        CASE(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
