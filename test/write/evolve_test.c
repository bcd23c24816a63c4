#include "write/evolve.h"

#include "table_fixture.h"

#include "catalog/arrow_schema.h"
#include "frazil/load.h"
#include "frazil/text.h"
#include "frazil/transaction.h"
#include "io/file.h"
#include "spec/ddl.h"

static frz_status append_lines(frz_table *table, frz_io *io, const char *lines, frz_commit **out,
                               frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowSchema schema = {0};
    struct ArrowArrayStream rows = {0};
    frz_rows_options options = FRZ_ROWS_OPTIONS_INIT;
    options.format = FRZ_ROW_FORMAT_JSONL;
    options.schema = &schema;
    options.infer = true;
    static int number;
    char location[32];
    (void)snprintf(location, sizeof location, "lines%d", number++);
    FRZ_TRY_DONE(frz_io_write_file(io, location, frz_slice_of_text(lines), err));
    FRZ_TRY_DONE(frz_table_arrow_schema(table, &schema, err));
    FRZ_TRY_DONE(frz_rows_open_with(location, &options, io, &rows, err));
    FRZ_TRY_DONE(frz_table_append_evolve(table, &rows, 1, NULL, out, err));

done:
    frz_arrow_schema_clear(&schema);
    return status;
}

static frz_table *open_table(fixture *self)
{
    frz_error *err = NULL;
    CHECK_OK(fixture_open(self, NULL, &err), err);
    return fixture_create(self, "n.t",
                          "id long not null, s struct<a: long not null>, l list<struct<x: long>>");
}

static void check_schema(const frz_table *table, const char *want)
{
    frz_error *err = NULL;
    char *text = NULL;
    CHECK_OK(frz_table_describe(table, false, &text, &err), err);
    if (!strstr(text, want))
        fail_msg("\"%s\" lacks \"%s\"", text, want);
    frz_text_free(text);
}

static void what_the_table_lacks_becomes_a_column_by_the_same_commit(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    (void)state;
    frz_table *table = open_table(&self);
    CHECK_OK(
        append_lines(table, self.io,
                     "{\"id\": 1, \"new\": \"n\", \"s\": {\"a\": 1, \"b\": {\"c\": true}}, \"l\": "
                     "[{\"y\": 1.5}]}\n",
                     &commit, &err),
        err);
    check_schema(table, "id long not null, s struct<a: long not null, b: struct<c: boolean>>, l "
                        "list<struct<x: long, y: double>>, new string");
    const frz_metadata *metadata = table->metadata;
    CHECK(metadata->snapshot_count == 1 && metadata->metadata_log_count == 1);
    CHECK(commit->snapshot_id == metadata->current_snapshot_id);
    CHECK(metadata->snapshots[0].schema_id == metadata->current_schema_id);
    assert_string_equal(summary_value(commit, "added-records"), "1");
    frz_commit_free(commit);
    check_selected(table, "id,new", "1:n");
    /* Nothing that it lacks: the schema stays. */
    const int32_t schema_id = metadata->current_schema_id;
    CHECK_OK(append_lines(table, self.io, "{\"id\": 2, \"new\": \"m\"}\n", NULL, &err), err);
    CHECK(table->metadata->current_schema_id == schema_id);
    check_selected(table, "id,new", "1:n 2:m");
    frz_table_free(table);
    fixture_close(&self);
}

static void members_of_structs_in_maps_are_added_too(void **state)
{
    fixture self;
    frz_error *err = NULL;
    struct ArrowSchema given = {0};
    struct ArrowSchema extras = {0};
    frz_schema *more = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = fixture_create(&self, "n.t", "id long, m map<string, struct<x: long>>");
    frz_table *wide = fixture_create(
        &self, "n.w", "m map<string, struct<x: long, l: list<map<int, struct<y: int>>>>>");
    const frz_type *type = frz_schema_type(frz_metadata_schema(table->metadata));
    CHECK_OK(frz_table_arrow_schema(table, &given, &err), err);
    CHECK(frz_evolve_extras(type, &given, true, &extras, &err) == FRZ_END);
    frz_arrow_schema_clear(&given);
    CHECK_OK(frz_table_arrow_schema(wide, &given, &err), err);
    CHECK_OK(frz_evolve_extras(type, &given, true, &extras, &err), err);
    CHECK_OK(frz_schema_from_arrow(&extras, &more, &err), err);
    frz_buffer text = {0};
    frz_ddl_print_schema(more, &text);
    frz_buffer_append_byte(&text, 0);
    assert_string_equal((const char *)text.data,
                        "m map<string, struct<l: list<map<int, struct<y: int>>>>>");
    frz_buffer_clear(&text);
    frz_schema_unref(more);
    frz_arrow_schema_clear(&extras);
    frz_arrow_schema_clear(&given);
    frz_table_free(wide);
    frz_table_free(table);
    fixture_close(&self);
}

static void without_rows_or_with_wrong_ones_nothing_changes(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    struct ArrowArrayStream rows = {0};
    (void)state;
    frz_table *table = open_table(&self);
    const int files = fixture_files(self.io, "");
    CHECK_OK(frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 2, &err), err);
    CHECK_OK(
        frz_arrow_schema_init(schema.children[0], "l", "id", false, FRZ_ARROW_NO_FIELD_ID, 0, &err),
        err);
    CHECK_OK(frz_arrow_schema_init(schema.children[1], "l", "more", false, FRZ_ARROW_NO_FIELD_ID, 0,
                                   &err),
             err);
    CHECK_OK(rows_from(&schema, &batch, &rows, &err), err);
    CHECK_OK(frz_table_append_evolve(table, &rows, 1, NULL, &commit, &err), err);
    CHECK(!commit->operation && !rows.release);
    frz_commit_free(commit);
    CHECK_FAILS(append_lines(table, self.io, "{\"more\": 1}\n", NULL, &err), FRZ_INVALID, err,
                "column id: the field is missing; it is required");
    check_schema(table, "id long not null, s struct<a: long not null>, l list<struct<x: long>>\n");
    CHECK(fixture_files(self.io, "") == files && table->metadata->metadata_log_count == 0);
    frz_table_free(table);
    fixture_close(&self);
}

static void in_a_transaction_it_is_one_of_its_operations(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_table *staged = NULL;
    (void)state;
    frz_table *table = open_table(&self);
    CHECK_OK(frz_table_begin(table, &staged, &err), err);
    CHECK_OK(append_lines(staged, self.io, "{\"id\": 1, \"new\": 1}\n", NULL, &err), err);
    CHECK_OK(append_lines(staged, self.io, "{\"id\": 2, \"new\": 2}\n", NULL, &err), err);
    check_selected(staged, "id,new", "1:1 2:2");
    CHECK_OK(frz_table_commit(staged, NULL, NULL, &err), err);
    frz_table_free(staged);
    CHECK_OK(frz_table_refresh(table, &err), err);
    check_selected(table, "id,new", "1:1 2:2");
    CHECK(table->metadata->metadata_log_count == 1);
    frz_table_free(table);
    fixture_close(&self);
}

/* Every allocation would take minutes: one of each stride, on a table of its own. */
static void short_memory_is_reported(void **state)
{
    bool failed = true;
    (void)state;
    for (int64_t i = 3; failed; i += 37) {
        fixture self;
        frz_table *table = open_table(&self);
        frz_mem_fail_after(i);
        const frz_status status =
            append_lines(table, self.io, "{\"id\": 1, \"new\": 1}\n", NULL, NULL);
        failed = frz_mem_failed();
        frz_mem_fail_after(-1);
        CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && failed));
        frz_table_free(table);
        CHECK_OK(frz_catalog_load_table(self.catalog, "n.t", &table, NULL), NULL);
        if (status == FRZ_OK)
            check_selected(table, "id,new", "1:1");
        else
            CHECK(table->metadata->snapshot_count == 0 && table->metadata->last_column_id == 6);
        frz_table_free(table);
        fixture_close(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_table_lacks_becomes_a_column_by_the_same_commit),
        cmocka_unit_test(members_of_structs_in_maps_are_added_too),
        cmocka_unit_test(without_rows_or_with_wrong_ones_nothing_changes),
        cmocka_unit_test(in_a_transaction_it_is_one_of_its_operations),
        cmocka_unit_test(short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
