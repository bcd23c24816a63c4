/* Covers: write/inputs write/overwrite. */
#include "frazil/write.h"

#include "rival_fixture.h"

#include "spec/ddl.h"
#include "spec/update.h"

static frz_table *table_of(fixture *self, int version, const char *partition)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long, name string";
    options.partition = partition;
    options.format_version = version;
    CHECK_OK(fixture_open(self, NULL, &err), err);
    CHECK_OK(frz_catalog_create_table(self->catalog, "n.t", &options, &table, &err), err);
    return table;
}

static frz_status overwrite(frz_table *table, const char *rows, const char *where,
                            frz_delete_mode mode, frz_commit **out, frz_error **err)
{
    frz_overwrite_options how = FRZ_OVERWRITE_OPTIONS_INIT;
    struct ArrowArrayStream input = {0};
    how.where = where;
    how.dynamic = !where;
    how.mode = mode;
    CHECK_OK(rows_of(rows, &input, err), *err);
    return frz_table_overwrite(table, &input, 1, &how, NULL, out, err);
}

static frz_commit *overwrite_rows(frz_table *table, const char *rows, const char *where,
                                  frz_delete_mode mode)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    CHECK_OK(overwrite(table, rows, where, mode, &commit, &err), err);
    return commit;
}

static const char *const lineage = "id,name,_row_id,_last_updated_sequence_number";

/* Rows that do not match stay, in files that hold some that do as well. */
static void a_filter_tells_which_rows_go(void **state)
{
    (void)state;
    for (int mode = 1; mode <= 2; mode++) {
        fixture self;
        frz_table *table = table_of(&self, 3, NULL);
        append_rows(table, "1:a 2:b 3:c");
        append_rows(table, "10:x 11:y");
        frz_commit *commit =
            overwrite_rows(table, "2:B 12:z", "id >= 2 and id <> 3", (frz_delete_mode)mode);
        assert_string_equal(commit->operation, "overwrite");
        assert_string_equal(summary_value(commit, "deleted-data-files"), mode == 1 ? "1" : "2");
        assert_string_equal(summary_value(commit, "added-dvs"), mode == 1 ? "1" : "(absent)");
        frz_commit_free(commit);
        check_rows(table, "12:z 1:a 2:B 3:c");
        frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
        static const char *const select[] = {"id", "_row_id", "_last_updated_sequence_number"};
        options.select = select;
        options.select_count = 3;
        options.where = "id in (1, 3)";
        const scanned got = scan_rows(table, &options, false);
        assert_string_equal(got.text, "1:0:1 3:2:1");
        frz_table_free(table);
        fixture_close(&self);
    }
}

static void new_rows_must_match_the_filter(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    frz_table *table = table_of(&self, 3, NULL);
    append_rows(table, "1:a 2:b");
    const int files = fixture_files(self.io, "");
    CHECK_FAILS(overwrite(table, "2:B 3:x", "id = 2", FRZ_DELETE_MODE_DEFAULT, NULL, &err),
                FRZ_INVALID, err, "overwrite table n.t: row 2 of the input does not match");
    CHECK_FAILS(overwrite(table, "-:B", "id = 2", FRZ_DELETE_MODE_DEFAULT, NULL, &err), FRZ_INVALID,
                err, "row 1 of the input does not match");
    CHECK(fixture_files(self.io, "") == files);
    /* Nothing comes in: what matches goes. */
    frz_commit *commit = overwrite_rows(table, "", "id = 2", FRZ_DELETE_MODE_DEFAULT);
    assert_string_equal(commit->operation, "delete");
    frz_commit_free(commit);
    check_rows(table, "1:a");
    frz_overwrite_options neither = FRZ_OVERWRITE_OPTIONS_INIT;
    CHECK_FAILS(frz_table_overwrite(table, NULL, 0, &neither, NULL, NULL, &err), FRZ_INVALID, err,
                "one of both");
    frz_table_free(table);
    fixture_close(&self);
}

static void partitions_of_the_input_are_replaced(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++) {
        fixture self;
        frz_table *table = table_of(&self, version, "name");
        append_rows(table, "1:a 2:b 3:c 4:a 5:-");
        append_rows(table, "6:b");
        frz_commit *commit = overwrite_rows(table, "7:a 8:- 9:new", NULL, FRZ_DELETE_MODE_DEFAULT);
        assert_string_equal(commit->operation, "overwrite");
        assert_string_equal(summary_value(commit, "deleted-data-files"), "2");
        assert_string_equal(summary_value(commit, "deleted-records"), "3");
        frz_commit_free(commit);
        check_rows(table, "2:b 3:c 6:b 7:a 8:- 9:new");
        commit = overwrite_rows(table, "", NULL, FRZ_DELETE_MODE_DEFAULT);
        CHECK(commit->operation == NULL);
        frz_commit_free(commit);
        frz_table_free(table);
        fixture_close(&self);
    }
}

static void without_partitions_every_row_is_replaced(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    (void)state;
    frz_table *table = table_of(&self, 3, NULL);
    append_rows(table, "1:a 2:b");
    append_rows(table, "3:c");
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err), err);
    frz_commit_free(overwrite_rows(table, "4:d", NULL, FRZ_DELETE_MODE_DEFAULT));
    check_selected(table, lineage, "4:d:3:4");
    CHECK_OK(frz_table_truncate(table, NULL, &commit, &err), err);
    assert_string_equal(commit->operation, "delete");
    assert_string_equal(summary_value(commit, "total-records"), "0");
    assert_string_equal(summary_value(commit, "total-data-files"), "0");
    frz_commit_free(commit);
    check_rows(table, "");
    CHECK_OK(frz_table_truncate(table, NULL, &commit, &err), err);
    CHECK(commit->operation == NULL);
    frz_commit_free(commit);
    frz_table_free(table);
    fixture_close(&self);
}

static void change_spec(fixture *self, frz_table *table, const char *terms)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_metadata_builder *builder = NULL;
    frz_metadata *next = NULL;
    frz_partition_spec spec = {0};
    char *location = NULL;
    int32_t spec_id = 0;
    CHECK_OK(frz_ddl_parse_partition(frz_slice_of_text(terms), frz_metadata_schema(table->metadata),
                                     &arena, &spec, &err),
             err);
    CHECK_OK(
        frz_metadata_builder_new(table->metadata, table->metadata->format_version, &builder, &err),
        err);
    CHECK_OK(frz_update_add_spec(builder, &spec, &spec_id, &err), err);
    CHECK_OK(frz_update_set_default_spec(builder, spec_id, &err), err);
    CHECK_OK(
        frz_metadata_builder_finish(builder, table->metadata_location, 0, &next, NULL, NULL, &err),
        err);
    frz_metadata_builder_free(builder);
    CHECK_OK(
        frz_catalog_commit(self->catalog, "n.t", table->metadata_location, next, &location, &err),
        err);
    frz_free(location);
    frz_metadata_unref(next);
    frz_arena_clear(&arena);
    CHECK_OK(frz_table_refresh(table, &err), err);
}

/* Files of older specs hold rows of the partitions too: those go, row by row. */
static void d021_every_live_spec_is_overwritten(void **state)
{
    (void)state;
    for (int mode = 1; mode <= 2; mode++) {
        fixture self;
        frz_table *table = table_of(&self, 3, "name");
        append_rows(table, "1:a 2:a 12:a 3:b");
        append_rows(table, "11:c");
        change_spec(&self, table, "name, truncate(10, id)");
        append_rows(table, "4:a 13:a");
        frz_commit *commit = overwrite_rows(table, "5:a 15:c", NULL, (frz_delete_mode)mode);
        assert_string_equal(summary_value(commit, "deleted-data-files"), mode == 1 ? "2" : "3");
        frz_commit_free(commit);
        /* (a, 0) and (c, 10) are replaced: 12:a and 13:a are in (a, 10). */
        check_rows(table, "12:a 13:a 15:c 3:b 5:a");
        frz_table_free(table);
        fixture_close(&self);
    }
}

static void rival_appends_a(void)
{
    frz_table *table = rival_table();
    append_rows(table, "100:a");
    frz_table_free(table);
}

static void rival_appends_b(void)
{
    frz_table *table = rival_table();
    append_rows(table, "200:b");
    frz_table_free(table);
}

static frz_table *rival_set_up(const char *partition)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    (void)set_up(NULL);
    options.schema = "id long, name string";
    options.partition = partition;
    CHECK_OK(frz_catalog_create_table(rival, "n.t", &options, NULL, &err), err);
    CHECK_OK(frz_catalog_load_table(catalog, "n.t", &table, &err), err);
    append_rows(table, "1:a 2:b 3:a");
    return table;
}

static void new_rows_that_would_go_are_a_conflict(void **state)
{
    static const char *const wheres[] = {NULL, "name = 'a'"};
    frz_error *err = NULL;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        frz_table *table = rival_set_up("name");
        disturb(rival_appends_a, 1);
        CHECK_FAILS(overwrite(table, "9:a", wheres[i], FRZ_DELETE_MODE_DEFAULT, NULL, &err),
                    FRZ_CONFLICT, err, "may hold matching rows");
        disturb(rival_deletes_1, 1);
        CHECK_FAILS(overwrite(table, "9:a", wheres[i], FRZ_DELETE_MODE_DEFAULT, NULL, &err),
                    FRZ_CONFLICT, err, "another commit");
        disturb(rival_appends_b, 1);
        CHECK_OK(overwrite(table, "9:a", wheres[i], FRZ_DELETE_MODE_DEFAULT, NULL, &err), err);
        check_rows(table, "200:b 2:b 9:a");
        frz_table_free(table);
        (void)tear_down(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_tells_which_rows_go),
        cmocka_unit_test(new_rows_must_match_the_filter),
        cmocka_unit_test(partitions_of_the_input_are_replaced),
        cmocka_unit_test(without_partitions_every_row_is_replaced),
        cmocka_unit_test(d021_every_live_spec_is_overwritten),
        cmocka_unit_test(new_rows_that_would_go_are_a_conflict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
