/* Covers: write/delete write/position_file write/rewrite write/row_delete write/vector_files.
 */
#include "frazil/write.h"

#include "table_fixture.h"

#include "spec/ddl.h"
#include "spec/manifest.h"
#include "spec/update.h"

static frz_table *make_table(fixture *self, int version, const char *partition,
                             const frz_option *properties, size_t count)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long, name string";
    options.partition = partition;
    options.format_version = version;
    options.properties = properties;
    options.property_count = count;
    CHECK_OK(frz_catalog_create_table(self->catalog, "n.t", &options, &table, &err), err);
    return table;
}

static frz_commit *delete_rows(frz_table *table, const char *where, frz_delete_mode mode)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    CHECK_OK(frz_table_delete(table, where, mode, NULL, &commit, &err), err);
    return commit;
}

/* Counts live delete entries of the current snapshot, and those of format puffin. */
typedef struct delete_counts {
    int live;
    int vectors;
    int64_t positions;
    int removed; /* DELETED entries of delete manifests */
} delete_counts;

static delete_counts count_deletes(const frz_table *table)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_manifest_list list = {0};
    delete_counts counts = {0};
    const frz_snapshot *snapshot = frz_metadata_current_snapshot(table->metadata);
    CHECK_OK(frz_manifest_list_read(table->io, table->metadata, snapshot, &table->limits, &arena,
                                    &list, &err),
             err);
    for (size_t i = 0; i < list.count; i++) {
        frz_manifest *manifest = NULL;
        if (list.files[i].content == 0)
            continue;
        CHECK_OK(frz_manifest_read(table->io, &list.files[i], table->metadata, NULL, &table->limits,
                                   &manifest, &err),
                 err);
        for (size_t j = 0; j < frz_manifest_count(manifest); j++) {
            const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, j);
            if (entry->status == FRZ_ENTRY_DELETED) {
                counts.removed++;
                continue;
            }
            counts.live++;
            counts.vectors += entry->file.format == FRZ_FORMAT_PUFFIN;
            counts.positions += entry->file.record_count;
        }
        frz_manifest_unref(manifest);
    }
    frz_arena_clear(&arena);
    return counts;
}

/* The second delete on a file leaves one vector, the union, and retires the first. */
static void d001_deletion_vectors_are_merged_on_write(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 3, NULL, NULL, 0);
    append_rows(table, "1:a 2:b 3:c 4:d 5:e");
    frz_commit *commit = delete_rows(table, "id = 2", FRZ_DELETE_MODE_DEFAULT);
    assert_string_equal(commit->operation, "delete");
    assert_string_equal(summary_value(commit, "added-dvs"), "1");
    assert_string_equal(summary_value(commit, "added-position-deletes"), "1");
    assert_string_equal(summary_value(commit, "total-delete-files"), "1");
    assert_string_equal(summary_value(commit, "total-records"), "5");
    frz_commit_free(commit);
    check_rows(table, "1:a 3:c 4:d 5:e");
    commit = delete_rows(table, "id = 4", FRZ_DELETE_MODE_DEFAULT);
    assert_string_equal(summary_value(commit, "added-dvs"), "1");
    assert_string_equal(summary_value(commit, "removed-dvs"), "1");
    assert_string_equal(summary_value(commit, "total-position-deletes"), "2");
    frz_commit_free(commit);
    check_rows(table, "1:a 3:c 5:e");
    const delete_counts counts = count_deletes(table);
    CHECK(counts.live == 1 && counts.vectors == 1 && counts.positions == 2 && counts.removed == 1);
    frz_table_free(table);
    fixture_close(&self);
}

/* D007 guards the proof; here it holds: the file goes by metadata alone, no row is read. */
static void files_whose_rows_all_match_go_whole(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 3, NULL, NULL, 0);
    append_rows(table, "1:a 2:b");
    append_rows(table, "11:c 12:d");
    frz_commit *commit = delete_rows(table, "id < 10", FRZ_DELETE_MODE_DEFAULT);
    assert_string_equal(commit->operation, "delete");
    assert_string_equal(summary_value(commit, "deleted-data-files"), "1");
    assert_string_equal(summary_value(commit, "deleted-records"), "2");
    assert_string_equal(summary_value(commit, "added-dvs"), "(absent)");
    assert_string_equal(summary_value(commit, "total-records"), "2");
    frz_commit_free(commit);
    check_rows(table, "11:c 12:d");
    /* A null among the rows: id > 0 does not hold for it, so it stays. */
    append_rows(table, "21:e -:f");
    commit = delete_rows(table, "id > 0", FRZ_DELETE_MODE_DEFAULT);
    frz_commit_free(commit);
    check_rows(table, "-:f");
    frz_table_free(table);
    fixture_close(&self);
}

/* Statistics cannot say so, but the rows do: none of the file is left, be it at once or in steps.
 */
static void a_file_leaves_with_its_last_row(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        fixture self;
        frz_error *err = NULL;
        CHECK_OK(fixture_open(&self, NULL, &err), err);
        frz_table *table = make_table(&self, version, NULL, NULL, 0);
        append_rows(table, "1:ab 2:cb 3:db 4:e");
        frz_commit_free(delete_rows(table, "name like '%c%'", FRZ_DELETE_MODE_MERGE_ON_READ));
        frz_commit *commit = delete_rows(table, "name like '%b%'", FRZ_DELETE_MODE_MERGE_ON_READ);
        assert_string_equal(summary_value(commit, "deleted-data-files"), "(absent)");
        frz_commit_free(commit);
        check_rows(table, "4:e");
        commit = delete_rows(table, "name like '%e%'", FRZ_DELETE_MODE_MERGE_ON_READ);
        assert_string_equal(summary_value(commit, "deleted-data-files"), "1");
        assert_string_equal(summary_value(commit, "removed-delete-files"),
                            version == 2 ? "2" : "1");
        assert_string_equal(summary_value(commit, "total-files-size"), "0");
        frz_commit_free(commit);
        append_rows(table, "5:x 6:y");
        commit = delete_rows(table, "not name like '%z%'", FRZ_DELETE_MODE_MERGE_ON_READ);
        assert_string_equal(summary_value(commit, "added-delete-files"), "(absent)");
        frz_commit_free(commit);
        CHECK(count_deletes(table).live == 0);
        frz_table_free(table);
        fixture_close(&self);
    }
}

/* A file that goes takes its vector with it: nothing dangles. */
static void d127_a_removed_file_takes_its_vector_along(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 3, NULL, NULL, 0);
    append_rows(table, "1:a 2:b");
    append_rows(table, "11:c");
    frz_commit_free(delete_rows(table, "id = 1", FRZ_DELETE_MODE_DEFAULT));
    frz_commit *commit = delete_rows(table, "id < 10", FRZ_DELETE_MODE_DEFAULT);
    assert_string_equal(summary_value(commit, "removed-dvs"), "1");
    assert_string_equal(summary_value(commit, "total-delete-files"), "0");
    frz_commit_free(commit);
    check_rows(table, "11:c");
    CHECK(count_deletes(table).live == 0);
    frz_table_free(table);
    fixture_close(&self);
}

static void format_2_gets_position_delete_files(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 2, "bucket(2, id)", NULL, 0);
    append_rows(table, "1:a 2:b 3:c 4:d 5:e 6:f 7:g");
    frz_commit *commit = delete_rows(table, "name IN ('b', 'g')", FRZ_DELETE_MODE_DEFAULT);
    assert_string_equal(summary_value(commit, "added-position-deletes"), "2");
    assert_string_equal(summary_value(commit, "added-dvs"), "(absent)");
    frz_commit_free(commit);
    check_rows(table, "1:a 3:c 4:d 5:e 6:f");
    frz_commit_free(delete_rows(table, "name = 'c'", FRZ_DELETE_MODE_DEFAULT));
    check_rows(table, "1:a 4:d 5:e 6:f");
    CHECK(count_deletes(table).vectors == 0 && count_deletes(table).positions == 3);
    frz_table_free(table);
    fixture_close(&self);
}

static void upgrade(fixture *self, frz_table *table)
{
    frz_error *err = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *next = NULL;
    char *location = NULL;
    CHECK_OK(
        frz_metadata_builder_new(table->metadata, table->metadata->format_version, &builder, &err),
        err);
    CHECK_OK(frz_update_upgrade(builder, 3, &err), err);
    CHECK_OK(
        frz_metadata_builder_finish(builder, table->metadata_location, 0, &next, NULL, NULL, &err),
        err);
    frz_metadata_builder_free(builder);
    CHECK_OK(
        frz_catalog_commit(self->catalog, "n.t", table->metadata_location, next, &location, &err),
        err);
    frz_free(location);
    frz_metadata_unref(next);
    CHECK_OK(frz_table_refresh(table, &err), err);
}

/* Two data files in each of two partitions; one row of each goes. */
static void granularity_puts_a_partition_into_one_file(void **state)
{
    static const struct {
        const char *granularity;
        const char *target_size;
        int files;
    } cases[] = {{NULL, "67108864", 4},
                 {"file", "67108864", 4},
                 {"partition", "67108864", 2},
                 {"Partition", "1", 4}}; /* a file is large enough at once */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture self;
        frz_error *err = NULL;
        const frz_option properties[] = {
            {"write.delete.target-file-size-bytes", cases[i].target_size},
            {"write.delete.granularity", cases[i].granularity}};
        CHECK_OK(fixture_open(&self, NULL, &err), err);
        frz_table *table = make_table(&self, 2, "name", properties, cases[i].granularity ? 2 : 1);
        append_rows(table, "1:a 2:a 3:a 11:b 12:b");
        append_rows(table, "4:a 5:a 6:a 13:b 14:b");
        frz_commit *commit =
            delete_rows(table, "id in (2, 4, 6, 12, 13)", FRZ_DELETE_MODE_MERGE_ON_READ);
        assert_string_equal(summary_value(commit, "added-position-deletes"), "5");
        CHECK(count_deletes(table).live == cases[i].files);
        CHECK(count_deletes(table).positions == 5);
        check_rows(table, "11:b 14:b 1:a 3:a 5:a");
        frz_commit_free(commit);
        /* What covers several files stays when one of them goes. */
        frz_commit_free(delete_rows(table, "id in (1, 3)", FRZ_DELETE_MODE_MERGE_ON_READ));
        check_rows(table, "11:b 14:b 5:a");
        frz_commit_free(delete_rows(table, "id = 14", FRZ_DELETE_MODE_COPY_ON_WRITE));
        check_rows(table, "11:b 5:a");
        frz_table_free(table);
        fixture_close(&self);
    }
}

/* The first vector of a file takes over what position delete files said and replaces those
 * that are of this file alone; the other file keeps its own. */
static void d029_the_first_vector_takes_over_position_deletes(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 2, NULL, NULL, 0);
    append_rows(table, "1:a 2:b 3:c");
    append_rows(table, "11:k 12:l 13:m");
    frz_commit_free(delete_rows(table, "id IN (1, 11)", FRZ_DELETE_MODE_DEFAULT));
    check_rows(table, "12:l 13:m 2:b 3:c");
    upgrade(&self, table);
    frz_commit_free(delete_rows(table, "id = 2", FRZ_DELETE_MODE_DEFAULT));
    check_rows(table, "12:l 13:m 3:c");
    const delete_counts counts = count_deletes(table);
    CHECK(counts.vectors == 1 && counts.live == 2 && counts.positions == 3 && counts.removed == 1);
    frz_table_free(table);
    fixture_close(&self);
}

static void a_rewritten_file_takes_its_position_deletes_along(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 2, NULL, NULL, 0);
    append_rows(table, "1:a 2:b 3:c");
    append_rows(table, "11:k 12:l 13:m");
    frz_commit_free(delete_rows(table, "id IN (1, 11)", FRZ_DELETE_MODE_DEFAULT));
    frz_commit *commit = delete_rows(table, "id = 2", FRZ_DELETE_MODE_COPY_ON_WRITE);
    assert_string_equal(summary_value(commit, "removed-position-deletes"), "1");
    assert_string_equal(summary_value(commit, "total-position-deletes"), "1");
    frz_commit_free(commit);
    check_rows(table, "12:l 13:m 3:c");
    const delete_counts counts = count_deletes(table);
    CHECK(counts.live == 1 && counts.positions == 1 && counts.removed == 1);
    frz_table_free(table);
    fixture_close(&self);
}

/* Rows that stay keep both lineage columns. */
static void d043_copy_on_write_keeps_row_lineage(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 3, NULL, NULL, 0);
    append_rows(table, "1:a 2:b 3:c");
    append_rows(table, "4:d");
    check_selected(table, "id,_row_id,_last_updated_sequence_number", "1:0:1 2:1:1 3:2:1 4:3:2");
    frz_commit *commit = delete_rows(table, "id = 2", FRZ_DELETE_MODE_COPY_ON_WRITE);
    assert_string_equal(commit->operation, "overwrite");
    assert_string_equal(summary_value(commit, "added-data-files"), "1");
    assert_string_equal(summary_value(commit, "deleted-data-files"), "1");
    assert_string_equal(summary_value(commit, "added-records"), "2");
    assert_string_equal(summary_value(commit, "total-records"), "3");
    frz_commit_free(commit);
    check_selected(table, "id,_row_id,_last_updated_sequence_number", "1:0:1 3:2:1 4:3:2");
    /* Once more, over a file that stores them, and with a vector on it. */
    frz_commit_free(delete_rows(table, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ));
    frz_commit_free(delete_rows(table, "id = 99 OR name = 'd'", FRZ_DELETE_MODE_COPY_ON_WRITE));
    check_selected(table, "id,_row_id,_last_updated_sequence_number", "3:2:1");
    append_rows(table, "5:e");
    frz_commit_free(delete_rows(table, "name = 'zzz' OR id = 3", FRZ_DELETE_MODE_COPY_ON_WRITE));
    check_rows(table, "5:e");
    CHECK(count_deletes(table).live == 0);
    frz_table_free(table);
    fixture_close(&self);
}

static void format_1_rewrites(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 1, NULL, NULL, 0);
    append_rows(table, "1:a 2:b 3:c");
    CHECK_FAILS(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
                FRZ_INVALID, err, "format version 1 has no delete files");
    frz_commit_free(delete_rows(table, "id = 2", FRZ_DELETE_MODE_DEFAULT));
    check_rows(table, "1:a 3:c");
    append_rows(table, "4:d");
    check_rows(table, "1:a 3:c 4:d");
    frz_table_free(table);
    fixture_close(&self);
}

static void the_table_chooses_the_mode(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_option property = {"write.delete.mode", "copy-on-write"};
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 3, NULL, &property, 1);
    append_rows(table, "1:a 2:b");
    frz_commit *commit = delete_rows(table, "id = 2", FRZ_DELETE_MODE_DEFAULT);
    assert_string_equal(commit->operation, "overwrite");
    frz_commit_free(commit);
    frz_table_free(table);
    fixture_close(&self);
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    property.value = "sideways";
    table = make_table(&self, 3, NULL, &property, 1);
    CHECK_FAILS(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
                FRZ_INVALID, err, "got \"sideways\"");
    frz_table_free(table);
    fixture_close(&self);
}

static void nothing_that_matches_is_no_commit(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 3, NULL, NULL, 0);
    frz_commit *commit = delete_rows(table, "id = 1", FRZ_DELETE_MODE_DEFAULT); /* empty table */
    CHECK(commit->operation == NULL);
    frz_commit_free(commit);
    append_rows(table, "1:a 3:c");
    const int files = fixture_files(self.io, "");
    commit = delete_rows(table, "id = 2", FRZ_DELETE_MODE_DEFAULT);
    CHECK(commit->operation == NULL && commit->snapshot_id == FRZ_NO_SNAPSHOT);
    frz_commit_free(commit);
    CHECK(fixture_files(self.io, "") == files);
    frz_table_free(table);
    fixture_close(&self);
}

static void a_wrong_filter_names_its_column_and_leaves_nothing(void **state)
{
    fixture self;
    frz_error *err = NULL;
    uint64_t offset = 0;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 3, NULL, NULL, 0);
    append_rows(table, "1:a");
    const int files = fixture_files(self.io, "");
    CHECK(frz_table_delete(table, "nome = 'a'", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err) ==
          FRZ_INVALID);
    CHECK(strstr(frz_error_message(err), "name") != NULL);
    CHECK(frz_error_offset(err, &offset) && offset == 0);
    frz_error_free(err);
    CHECK(fixture_files(self.io, "") == files);
    frz_table_free(table);
    fixture_close(&self);
}

static void many_files_get_their_vectors_in_one_puffin_file(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = make_table(&self, 3, "bucket(4, id)", NULL, 0);
    append_rows(table, "1:a 2:x 3:b 4:x 5:c 6:x 7:d 8:x 9:e 10:x 11:f 12:x");
    frz_commit_free(delete_rows(table, "name = 'x'", FRZ_DELETE_MODE_DEFAULT));
    check_rows(table, "11:f 1:a 3:b 5:c 7:d 9:e");
    CHECK(fixture_files(self.io, ".puffin") == 1);
    CHECK(count_deletes(table).vectors > 1);
    frz_table_free(table);
    fixture_close(&self);
}

/* Row groups of two rows, of which one is read: positions are ordinals in the file all the same. */
static void d003_positions_count_rows_that_were_not_read(void **state)
{
    const frz_option property = {"write.parquet.row-group-limit", "2"};
    (void)state;
    for (int version = 2; version <= 3; version++) {
        fixture self;
        frz_error *err = NULL;
        CHECK_OK(fixture_open(&self, NULL, &err), err);
        frz_table *table = make_table(&self, version, NULL, &property, 1);
        append_rows(table, "1:a 2:b 3:c 4:d 5:e 6:f");
        frz_commit_free(delete_rows(table, "id = 5", FRZ_DELETE_MODE_MERGE_ON_READ));
        check_selected(table, "id,_pos", "1:0 2:1 3:2 4:3 6:5");
        CHECK_OK(frz_table_update(table, "name = 'z'", "id = 6", FRZ_DELETE_MODE_MERGE_ON_READ,
                                  NULL, NULL, &err),
                 err);
        check_rows(table, "1:a 2:b 3:c 4:d 6:z");
        frz_table_free(table);
        fixture_close(&self);
    }
}

static void add_column(fixture *self, frz_table *table)
{
    frz_error *err = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *next = NULL;
    frz_schema *schema = NULL;
    char *location = NULL;
    int32_t id = 0;
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text("id long, name string, c long"), &schema, &err),
             err);
    CHECK_OK(
        frz_metadata_builder_new(table->metadata, table->metadata->format_version, &builder, &err),
        err);
    CHECK_OK(frz_update_add_schema(builder, schema, &id, &err), err);
    CHECK_OK(frz_update_set_current_schema(builder, id, &err), err);
    CHECK_OK(
        frz_metadata_builder_finish(builder, table->metadata_location, 0, &next, NULL, NULL, &err),
        err);
    frz_metadata_builder_free(builder);
    CHECK_OK(
        frz_catalog_commit(self->catalog, "n.t", table->metadata_location, next, &location, &err),
        err);
    frz_free(location);
    frz_metadata_unref(next);
    frz_schema_unref(schema);
    CHECK_OK(frz_table_refresh(table, &err), err);
}

static void d020_deletes_behind_a_new_column_hit_the_right_rows(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        fixture self;
        frz_error *err = NULL;
        CHECK_OK(fixture_open(&self, NULL, &err), err);
        frz_table *table = make_table(&self, version, NULL, NULL, 0);
        append_rows(table, "0:a 1:a 2:a 3:a 4:a 5:a 6:a 7:a 8:a 9:a");
        add_column(&self, table);
        append_rows(table, "10:b 11:b");
        CHECK_OK(frz_table_update(table, "c = id", "id = 10", FRZ_DELETE_MODE_MERGE_ON_READ, NULL,
                                  NULL, &err),
                 err);
        frz_commit_free(delete_rows(table, "c is null and id = 7", FRZ_DELETE_MODE_MERGE_ON_READ));
        frz_commit_free(delete_rows(table, "c = 10", FRZ_DELETE_MODE_MERGE_ON_READ));
        check_selected(table, "id", "0 1 11 2 3 4 5 6 8 9");
        frz_table_free(table);
        fixture_close(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d001_deletion_vectors_are_merged_on_write),
        cmocka_unit_test(files_whose_rows_all_match_go_whole),
        cmocka_unit_test(a_file_leaves_with_its_last_row),
        cmocka_unit_test(d127_a_removed_file_takes_its_vector_along),
        cmocka_unit_test(format_2_gets_position_delete_files),
        cmocka_unit_test(granularity_puts_a_partition_into_one_file),
        cmocka_unit_test(d029_the_first_vector_takes_over_position_deletes),
        cmocka_unit_test(a_rewritten_file_takes_its_position_deletes_along),
        cmocka_unit_test(d043_copy_on_write_keeps_row_lineage),
        cmocka_unit_test(format_1_rewrites),
        cmocka_unit_test(the_table_chooses_the_mode),
        cmocka_unit_test(nothing_that_matches_is_no_commit),
        cmocka_unit_test(a_wrong_filter_names_its_column_and_leaves_nothing),
        cmocka_unit_test(many_files_get_their_vectors_in_one_puffin_file),
        cmocka_unit_test(d003_positions_count_rows_that_were_not_read),
        cmocka_unit_test(d020_deletes_behind_a_new_column_hit_the_right_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
