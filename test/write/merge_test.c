/* Covers: write/key_bounds write/merge write/merge_source write/overlay write/row_key write/spill.
 */
#define _XOPEN_SOURCE 700
#include "frazil/write.h"

#include <unistd.h>

#include "rival_fixture.h"

#include "frazil/text.h"
#include "io/file.h"

#include "catalog/scratch.h"

static const char *const id_key[] = {"id"};
static const frz_merge_clause update_all = {.action = FRZ_MERGE_UPDATE};

static frz_merge_options upsert_options(void)
{
    frz_merge_options how = FRZ_MERGE_OPTIONS_INIT;
    how.keys = id_key;
    how.key_count = 1;
    how.matched = &update_all;
    how.matched_count = 1;
    how.insert_not_matched = true;
    return how;
}

static frz_status merge(frz_table *table, const char *source, const frz_merge_options *how,
                        frz_commit **out, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    CHECK_OK(rows_of(source, &rows, err), *err);
    return frz_table_merge(table, &rows, how, NULL, out, err);
}

static frz_commit *merge_rows(frz_table *table, const char *source, const frz_merge_options *how)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    CHECK_OK(merge(table, source, how, &commit, &err), err);
    return commit;
}

static frz_table *table_of(fixture *self, int version, const char *schema, const char *partition)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = schema;
    options.partition = partition;
    options.format_version = version;
    CHECK_OK(fixture_open(self, NULL, &err), err);
    CHECK_OK(frz_catalog_create_table(self->catalog, "n.t", &options, &table, &err), err);
    return table;
}

static void upserts_update_and_insert_and_keep_row_ids(void **state)
{
    (void)state;
    for (int mode = 1; mode <= 2; mode++) {
        fixture self;
        frz_error *err = NULL;
        struct ArrowArrayStream rows = {0};
        frz_commit *commit = NULL;
        frz_table *table = table_of(&self, 3, "id long, name string", NULL);
        append_rows(table, "1:a 2:b 3:c");
        append_rows(table, "40:d");
        CHECK_OK(rows_of("3:C 2:B 9:new", &rows, &err), err);
        frz_merge_options how = FRZ_MERGE_OPTIONS_INIT;
        how.keys = id_key;
        how.key_count = 1;
        how.mode = (frz_delete_mode)mode;
        CHECK_OK(frz_table_upsert(table, &rows, &how, NULL, &commit, &err), err);
        assert_string_equal(commit->operation, "overwrite");
        assert_string_equal(summary_value(commit, "added-data-files"), "1");
        assert_string_equal(summary_value(commit, "deleted-data-files"),
                            mode == 1 ? "(absent)" : "1");
        frz_commit_free(commit);
        /* A new id starts where the snapshot's do: behind 4 rows; the file counts all its own. */
        check_selected(table, "id,name,_last_updated_sequence_number",
                       "1:a:1 2:B:3 3:C:3 40:d:2 9:new:3");
        const scanned ids = scan_rows(table, NULL, false);
        CHECK(strlen(ids.text) > 0);
        frz_scan_options old = FRZ_SCAN_OPTIONS_INIT;
        static const char *const select[] = {"id", "_row_id"};
        old.select = select;
        old.select_count = 2;
        old.where = "id < 9";
        const scanned kept = scan_rows(table, &old, false);
        assert_string_equal(kept.text, "1:0 2:1 3:2");
        old.where = "id = 9";
        const scanned made = scan_rows(table, &old, false);
        CHECK(strtoll(made.text + 2, NULL, 10) >= 4);
        frz_table_free(table);
        fixture_close(&self);
    }
}

static void formats_1_and_2_merge_without_lineage(void **state)
{
    (void)state;
    for (int version = 1; version <= 2; version++) {
        fixture self;
        const frz_merge_options how = upsert_options();
        frz_table *table = table_of(&self, version, "id long, name string", "bucket(3, id)");
        append_rows(table, "1:a 2:b 3:c 4:d");
        frz_commit_free(merge_rows(table, "4:D 5:E 1:A", &how));
        check_rows(table, "1:A 2:b 3:c 4:D 5:E");
        frz_table_free(table);
        fixture_close(&self);
    }
}

/* The first clause whose condition is true is taken; rows that none takes stay, and are matched. */
static void clauses_are_tried_in_order(void **state)
{
    static const frz_merge_clause clauses[] = {
        {FRZ_MERGE_DELETE, "source.name = 'gone'", NULL},
        {FRZ_MERGE_UPDATE, "name <> 'keep' and source.id < 5",
         "name = source.name || '<' || name, id = source.id * 10"},
    };
    fixture self;
    frz_error *err = NULL;
    frz_merge_options how = upsert_options();
    (void)state;
    how.matched = clauses;
    how.matched_count = 2;
    frz_table *table = table_of(&self, 3, "id long, name string", NULL);
    append_rows(table, "1:a 2:keep 3:c 4:d 5:e");
    frz_commit_free(merge_rows(table, "1:gone 2:x 3:y 5:z 6:new", &how));
    check_rows(table, "2:keep 30:y<c 4:d 5:e 6:new");
    check_selected(table, "id,_last_updated_sequence_number", "2:1 30:2 4:1 5:1 6:2");
    how.matched_count = 1;
    static const frz_merge_clause wrong = {FRZ_MERGE_UPDATE, "source.nome = 'x'", NULL};
    how.matched = &wrong;
    CHECK_FAILS(merge(table, "2:x", &how, NULL, &err), FRZ_INVALID, err,
                "when matched update: and: no column source.nome");
    static const frz_merge_clause unset = {FRZ_MERGE_UPDATE, NULL, "nome = 'x'"};
    how.matched = &unset;
    CHECK_FAILS(merge(table, "2:x", &how, NULL, &err), FRZ_INVALID, err,
                "when matched update: set: no column nome");
    static const frz_merge_clause overflow = {FRZ_MERGE_UPDATE, NULL,
                                              "id = source.id + 9223372036854775807"};
    how.matched = &overflow;
    CHECK_FAILS(merge(table, "2:x", &how, NULL, &err), FRZ_INVALID, err,
                "leaves the range of long");
    frz_table_free(table);
    fixture_close(&self);
}

/* The newer of two rows of one key stays, whatever order files come in; null is neither. */
static void conditions_compare_the_row_with_its_source(void **state)
{
    static const frz_merge_clause newer = {FRZ_MERGE_UPDATE, "source.name > name", NULL};
    static const frz_merge_clause same = {
        FRZ_MERGE_DELETE, "id < 4 and (source.name = name or not source.name <= name)", NULL};
    (void)state;
    for (int version = 2; version <= 3; version++) {
        fixture self;
        frz_merge_options how = upsert_options();
        how.matched = &newer;
        frz_table *table = table_of(&self, version, "id long, name string", NULL);
        append_rows(table, "1:5 2:5 3:- 4:5");
        frz_commit_free(merge_rows(table, "1:4 2:6 3:7 4:- 5:1", &how));
        check_rows(table, "1:5 2:6 3:- 4:5 5:1");
        how.matched = &same;
        frz_commit_free(merge_rows(table, "1:5 2:7 3:8 4:5", &how));
        check_rows(table, "3:- 4:5 5:1");
        frz_table_free(table);
        fixture_close(&self);
    }
}

static void a_clause_that_no_row_comes_to_is_refused(void **state)
{
    static const frz_merge_clause clauses[] = {{FRZ_MERGE_UPDATE, "id = 1", NULL},
                                               {FRZ_MERGE_DELETE, NULL, NULL},
                                               {FRZ_MERGE_UPDATE, "id = 2", NULL}};
    fixture self;
    frz_error *err = NULL;
    frz_merge_options how = upsert_options();
    (void)state;
    how.matched = clauses;
    how.matched_count = 3;
    frz_table *table = table_of(&self, 3, "id long, name string", NULL);
    append_rows(table, "1:a 2:b 3:c");
    CHECK_FAILS(merge(table, "1:A 2:B 3:C", &how, NULL, &err), FRZ_INVALID, err,
                "clause 2 of those for matched rows has no condition");
    how.matched_count = 2;
    frz_commit_free(merge_rows(table, "1:A 2:B", &how));
    check_rows(table, "1:A 3:c");
    frz_table_free(table);
    fixture_close(&self);
}

static void what_the_source_lacks_is_deleted(void **state)
{
    (void)state;
    for (int mode = 1; mode <= 2; mode++) {
        fixture self;
        frz_merge_options how = upsert_options();
        how.mode = (frz_delete_mode)mode;
        how.delete_not_matched_by_source = true;
        frz_table *table = table_of(&self, 3, "id long, name string", NULL);
        append_rows(table, "1:a 2:b -:none");
        append_rows(table, "40:d 41:e");
        frz_commit *commit = merge_rows(table, "2:B 7:new", &how);
        assert_string_equal(commit->operation, "overwrite");
        frz_commit_free(commit);
        check_rows(table, "2:B 7:new");
        how.matched_count = 0;
        how.insert_not_matched = false;
        commit = merge_rows(table, "7:x", &how);
        assert_string_equal(commit->operation, mode == 1 ? "delete" : "overwrite");
        frz_commit_free(commit);
        check_rows(table, "7:new");
        frz_table_free(table);
        fixture_close(&self);
    }
}

static void nulls_match_nothing(void **state)
{
    fixture self;
    const frz_merge_options how = upsert_options();
    (void)state;
    frz_table *table = table_of(&self, 3, "id long, name string", NULL);
    append_rows(table, "-:a 1:b");
    frz_commit *commit = merge_rows(table, "-:x -:y", &how);
    assert_string_equal(commit->operation, "append");
    frz_commit_free(commit);
    check_rows(table, "-:a -:x -:y 1:b");
    frz_table_free(table);
    fixture_close(&self);
}

static void a_key_that_matches_twice_is_named(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_merge_options how = upsert_options();
    (void)state;
    frz_table *table = table_of(&self, 3, "id long, name string", NULL);
    append_rows(table, "1:a 2:b");
    const int files = fixture_files(self.io, "");
    CHECK_FAILS(merge(table, "7:x 2:B 2:C", &how, NULL, &err), FRZ_INVALID, err,
                "merge into table n.t: the key id = 2 matches a row of the table");
    CHECK(fixture_files(self.io, "") == files);
    /* Without a row of the table that it could change twice it is no error, but in an upsert. */
    frz_commit_free(merge_rows(table, "7:x 7:y", &how));
    check_rows(table, "1:a 2:b 7:x 7:y");
    how.unique_keys = true;
    CHECK_FAILS(merge(table, "8:x 8:y", &how, NULL, &err), FRZ_INVALID, err,
                "the key id = 8 stands in the input more than once");
    /* Several rows of the table may have the key of one of the source. */
    frz_commit_free(merge_rows(table, "7:z", &how));
    check_rows(table, "1:a 2:b 7:z 7:z");
    frz_table_free(table);
    fixture_close(&self);
}

/* Only rows whose key nobody has are inserted: not the second one of a key that matched either. */
static void inserts_alone_leave_what_matches(void **state)
{
    fixture self;
    frz_merge_options how = upsert_options();
    (void)state;
    how.matched_count = 0;
    frz_table *table = table_of(&self, 3, "id long, name string", NULL);
    append_rows(table, "1:a 2:b");
    frz_commit *commit = merge_rows(table, "2:x 2:y 3:c", &how);
    assert_string_equal(commit->operation, "append");
    frz_commit_free(commit);
    check_rows(table, "1:a 2:b 3:c");
    frz_table_free(table);
    fixture_close(&self);
}

/* More keys than a list takes: the least and the greatest say which files are read. */
static void many_keys_are_told_by_their_bounds(void **state)
{
    enum { ROWS = 230 };
    char source[ROWS * 16] = "";
    fixture self;
    const frz_merge_options how = upsert_options();
    (void)state;
    frz_table *table = table_of(&self, 3, "id long, name string", NULL);
    append_rows(table, "10:a 11:b 458:c");
    append_rows(table, "459:far");
    for (int i = ROWS - 1; i >= 0; i--)
        (void)snprintf(source + strlen(source), sizeof source - strlen(source), "%d:n%d ", i * 2,
                       i);
    frz_commit_free(merge_rows(table, source, &how));
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "id in (0, 10, 11, 458, 459)";
    const scanned got = scan_rows(table, &options, false);
    assert_string_equal(got.text, "0:n0 10:n5 11:b 458:n229 459:far");
    frz_table_free(table);
    fixture_close(&self);
}

static void keys_have_several_columns_and_types(void **state)
{
    static const char *const keys[] = {"name", "s.x", "id"};
    fixture self;
    frz_error *err = NULL;
    frz_merge_options how = upsert_options();
    (void)state;
    frz_table *table =
        table_of(&self, 3, "id long, name string, d double, s struct<x: int>, l list<int>", NULL);
    append_rows(table, "1:a 1:b 2:a");
    how.keys = keys;
    how.key_count = 3;
    CHECK_FAILS(merge(table, "1:a", &how, NULL, &err), FRZ_INVALID, err,
                "the input has no key column x");
    static const char *const two[] = {"name", "id"};
    how.keys = two;
    how.key_count = 2;
    frz_commit_free(merge_rows(table, "1:a 3:c", &how));
    check_selected(table, "id,name", "1:a 1:b 2:a 3:c");
    check_selected(table, "id,_last_updated_sequence_number", "1:1 1:2 2:1 3:2");
    static const char *const wrong[][2] = {{"nome", "id"}, {"l", "id"}, {"id", "id"}, {"s", "id"}};
    static const char *const want[] = {"no column nome (near: name)", "column l (list) is no key",
                                       "key column id is given twice",
                                       "column s (struct) is no key"};
    for (size_t i = 0; i < 4; i++) {
        how.keys = wrong[i];
        CHECK_FAILS(merge(table, "1:a", &how, NULL, &err), FRZ_INVALID, err, want[i]);
    }
    frz_table_free(table);
    fixture_close(&self);
}

/* Columns that the source lacks keep their values; inserted rows get write defaults. */
static void columns_that_the_source_lacks_stay(void **state)
{
    fixture self;
    const frz_merge_options how = upsert_options();
    (void)state;
    frz_table *table =
        table_of(&self, 3, "id long, extra long default 7, name string, source string", NULL);
    append_rows(table, "1:a 2:b");
    frz_error *err = NULL;
    CHECK_OK(frz_table_update(table, "extra = id * 100, source = 'me'", NULL,
                              FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
             err);
    frz_commit_free(merge_rows(table, "2:B 3:C", &how));
    check_selected(table, "id,extra,name,source", "1:100:a:me 2:200:B:me 3:7:C:-");
    static const frz_merge_clause condition = {FRZ_MERGE_UPDATE, "source.id = 1", NULL};
    frz_merge_options text = upsert_options();
    text.matched = &condition;
    CHECK_FAILS(merge(table, "2:x", &text, NULL, &err), FRZ_INVALID, err,
                "the table has a column source");
    static const frz_merge_clause other = {FRZ_MERGE_UPDATE, "s.id = 2 and source = 'me'",
                                           "name = s.name || name"};
    text.matched = &other;
    text.source_name = "s";
    frz_commit_free(merge_rows(table, "1:x 2:x", &text));
    check_selected(table, "id,extra,name,source", "1:100:a:me 2:200:xB:me 3:7:C:-");
    text.source_name = "EXTRA";
    CHECK_FAILS(merge(table, "2:x", &text, NULL, &err), FRZ_INVALID, err,
                "the table has a column extra, and conditions and assignments call the input "
                "EXTRA");
    frz_table_free(table);
    fixture_close(&self);
}

/* JSON lines as a merge reads them: of the table's columns those that the lines have. */
static frz_status merge_lines(frz_table *table, const char *lines, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_io *io = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArrayStream rows = {0};
    const frz_merge_options how = upsert_options();
    frz_rows_options options = FRZ_ROWS_OPTIONS_INIT;
    options.format = FRZ_ROW_FORMAT_JSONL;
    options.schema = &schema;
    options.present_only = true;
    FRZ_TRY_DONE(frz_io_memory_new(&io, err));
    FRZ_TRY_DONE(frz_io_write_file(io, "lines", frz_slice_of_text(lines), err));
    FRZ_TRY_DONE(frz_table_arrow_schema(table, &schema, err));
    FRZ_TRY_DONE(frz_rows_open_with("lines", &options, io, &rows, err));
    FRZ_TRY_DONE(frz_table_merge(table, &rows, &how, NULL, NULL, err));

done:
    frz_arrow_schema_clear(&schema);
    frz_io_free(io);
    return status;
}

static void upsert_lines(frz_table *table, const char *lines)
{
    frz_error *err = NULL;
    CHECK_OK(merge_lines(table, lines, &err), err);
}

static frz_status append_text(void *context, const void *bytes, size_t size, frz_error **err)
{
    frz_buffer_append(context, bytes, size);
    return frz_buffer_check(context, err);
}

/* All rows as JSON lines, in the order of id. */
static void check_lines(const frz_table *table, const char *want)
{
    frz_error *err = NULL;
    frz_buffer text = {0};
    for (int id = 1; id <= 6; id++) {
        char where[32];
        struct ArrowArrayStream rows = {0};
        frz_scan *scan = NULL;
        frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
        frz_print_options print = FRZ_PRINT_OPTIONS_INIT;
        (void)snprintf(where, sizeof where, "id = %d", id);
        options.where = where;
        print.format = FRZ_ROW_FORMAT_JSONL;
        CHECK_OK(frz_scan_new(table, &options, &scan, &err), err);
        CHECK_OK(frz_scan_stream(scan, &rows, &err), err);
        CHECK_OK(frz_rows_print(&rows, &print, append_text, &text, NULL, &err), err);
        frz_scan_free(scan);
    }
    frz_buffer_append_byte(&text, 0);
    assert_string_equal((const char *)text.data, want);
    frz_buffer_clear(&text);
}

static void members_that_no_line_has_stay(void **state)
{
    fixture self;
    (void)state;
    frz_table *table = table_of(
        &self, 3, "id long, name string, s struct<a: long, b: string, t: struct<x: long, y: long>>",
        NULL);
    upsert_lines(table,
                 "{\"id\": 1, \"name\": \"a\", \"s\": {\"a\": 1, \"b\": \"b1\", \"t\": {\"x\": 1, "
                 "\"y\": 2}}}\n"
                 "{\"id\": 2, \"name\": \"b\", \"s\": {\"a\": 2, \"b\": \"b2\"}}\n"
                 "{\"id\": 3, \"name\": \"c\"}\n"
                 "{\"id\": 4, \"name\": \"d\", \"s\": {\"a\": 4, \"b\": \"b4\"}}\n");
    /* s.b, s.t.y and name are in no line: they stay; a null struct becomes one without them. */
    upsert_lines(table, "{\"id\": 1, \"s\": {\"a\": 10, \"t\": {\"x\": 11}}}\n"
                        "{\"id\": 3, \"s\": {\"a\": 30, \"t\": {\"x\": 31}}}\n"
                        "{\"id\": 4, \"s\": null}\n"
                        "{\"id\": 5, \"s\": {\"a\": 50}}\n");
    check_lines(
        table, "{\"id\":1,\"name\":\"a\",\"s\":{\"a\":10,\"b\":\"b1\",\"t\":{\"x\":11,\"y\":2}}}\n"
               "{\"id\":2,\"name\":\"b\",\"s\":{\"a\":2,\"b\":\"b2\",\"t\":null}}\n"
               "{\"id\":3,\"name\":\"c\",\"s\":{\"a\":30,\"b\":null,\"t\":{\"x\":31,\"y\":null}}}\n"
               "{\"id\":4,\"name\":\"d\",\"s\":null}\n"
               "{\"id\":5,\"name\":null,\"s\":{\"a\":50,\"b\":null,\"t\":null}}\n");
    /* A line that lacks what another has says null. */
    upsert_lines(table, "{\"id\": 1}\n{\"id\": 2, \"name\": \"B\"}\n");
    check_selected(table, "id,name", "1:- 2:B 3:c 4:d 5:-");
    /* Nothing but the key. */
    upsert_lines(table, "{\"id\": 2}\n{\"id\": 6}\n");
    check_selected(table, "id,name", "1:- 2:B 3:c 4:d 5:- 6:-");
    frz_error *err = NULL;
    CHECK_FAILS(merge_lines(table, "{\"id\": 2, \"nome\": 1}\n", &err), FRZ_INVALID, err,
                "lines:1: unknown field \"nome\"");
    CHECK_FAILS(merge_lines(table, "{\"id\": 2}\n{\"id\": 2,\n", &err), FRZ_CORRUPT, err,
                "lines:2");
    frz_table_free(table);
    fixture_close(&self);
}

static void large_sources_spill_and_give_the_same(void **state)
{
    enum { ROWS = 60 };
    char folder[64];
    char source[ROWS * 16] = "";
    char whole[2][4096];
    (void)state;
    scratch_make(folder);
    for (int i = 0; i < ROWS; i++)
        (void)snprintf(source + strlen(source), sizeof source - strlen(source), "%d:n%d ", i * 2,
                       i);
    (void)snprintf(source + strlen(source), sizeof source - strlen(source), "-:null");
    for (int spills = 0; spills < 2; spills++) {
        fixture self;
        frz_error *err = NULL;
        frz_merge_options how = upsert_options();
        how.memory_limit = spills ? 1 : 0;
        how.spill_folder = folder;
        how.delete_not_matched_by_source = true;
        frz_table *table = table_of(&self, 3, "id long, name string", NULL);
        append_rows(table, "0:a 1:b 2:c 3:d 4:e 5:f 6:g 7:h 8:i 9:j -:k");
        append_rows(table, "100:a 101:b 102:c");
        frz_commit_free(merge_rows(table, source, &how));
        const scanned got = scan_rows(table, NULL, false);
        (void)snprintf(whole[spills], sizeof whole[spills], "%s", got.text);
        how.unique_keys = true;
        CHECK_FAILS(merge(table, "1:a 2:b 3:c 1:d", &how, NULL, &err), FRZ_INVALID, err,
                    "the key id = 1");
        CHECK(rmdir(folder) == 0); /* nothing is left in it */
        scratch_make(folder);
        frz_table_free(table);
        fixture_close(&self);
    }
    assert_string_equal(whole[0], whole[1]);
    scratch_remove(folder);
}

static void nothing_to_do_is_no_commit(void **state)
{
    fixture self;
    frz_merge_options how = upsert_options();
    (void)state;
    frz_table *table = table_of(&self, 3, "id long, name string", NULL);
    append_rows(table, "1:a 2:b");
    const int files = fixture_files(self.io, "");
    how.insert_not_matched = false;
    frz_commit *commit = merge_rows(table, "7:x", &how);
    CHECK(commit->operation == NULL);
    frz_commit_free(commit);
    how.insert_not_matched = true;
    commit = merge_rows(table, "", &how);
    CHECK(commit->operation == NULL);
    frz_commit_free(commit);
    CHECK(fixture_files(self.io, "") == files);
    frz_table_free(table);
    fixture_close(&self);
}

static void rival_upserts_2(void)
{
    const frz_merge_options how = upsert_options();
    frz_table *table = rival_table();
    frz_commit_free(merge_rows(table, "2:theirs", &how));
    frz_table_free(table);
}

static void rival_inserts_9(void)
{
    frz_table *table = rival_table();
    append_rows(table, "9:theirs");
    frz_table_free(table);
}

static void others_that_touch_the_keys_are_a_conflict(void **state)
{
    static void (*const rivals[])(void) = {rival_upserts_2, rival_inserts_9, rival_deletes_1,
                                           rival_rewrites_1};
    (void)state;
    for (size_t i = 0; i < sizeof rivals / sizeof rivals[0]; i++) {
        for (int mode = 1; mode <= 2; mode++) {
            frz_error *err = NULL;
            frz_merge_options how = upsert_options();
            (void)set_up(NULL);
            frz_table *table = make_table(3, NULL, 0);
            append_rows(table, "1:a 2:b 3:c");
            how.mode = (frz_delete_mode)mode;
            disturb(rivals[i], 1);
            CHECK_FAILS(merge(table, "2:mine 9:mine", &how, NULL, &err), FRZ_CONFLICT, err,
                        "another commit");
            CHECK(fixture_files(storage, ".puffin") <= 1);
            frz_table_free(table);
            (void)tear_down(NULL);
        }
    }
}

/* Files that no key lies in are not read, and new ones are no conflict. */
static void others_that_do_not_touch_them_are_none(void **state)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    const frz_merge_options how = upsert_options();
    (void)state;
    (void)set_up(NULL);
    frz_table *table = make_table(3, NULL, 0);
    append_rows(table, "1:a 2:b 3:c");
    append_rows(table, "50:x");
    disturb(rival_appends, 2);
    CHECK_OK(merge(table, "2:mine 9:mine", &how, &commit, &err), err);
    CHECK(commit->sequence_number == 5);
    frz_commit_free(commit);
    check_rows(table, "100:r 101:r 1:a 2:mine 3:c 50:x 9:mine");
    frz_table_free(table);
    (void)tear_down(NULL);
}

static frz_table *swept;

static void upsert_once(void)
{
    frz_error *err = NULL;
    const frz_status status =
        merge_lines(swept, "{\"id\": 1, \"s\": {\"a\": 2}}\n{\"id\": 2}\n", &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
}

static void short_memory_is_reported(void **state)
{
    fixture self;
    (void)state;
    swept = table_of(&self, 3, "id long, name string, s struct<a: long, b: string>", NULL);
    upsert_lines(swept, "{\"id\": 1, \"name\": \"a\", \"s\": {\"a\": 1, \"b\": \"b\"}}\n");
    sweep_allocation_failures(upsert_once);
    check_lines(swept, "{\"id\":1,\"name\":\"a\",\"s\":{\"a\":2,\"b\":\"b\"}}\n"
                       "{\"id\":2,\"name\":null,\"s\":null}\n");
    frz_table_free(swept);
    fixture_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upserts_update_and_insert_and_keep_row_ids),
        cmocka_unit_test(formats_1_and_2_merge_without_lineage),
        cmocka_unit_test(clauses_are_tried_in_order),
        cmocka_unit_test(a_clause_that_no_row_comes_to_is_refused),
        cmocka_unit_test(conditions_compare_the_row_with_its_source),
        cmocka_unit_test(what_the_source_lacks_is_deleted),
        cmocka_unit_test(nulls_match_nothing),
        cmocka_unit_test(a_key_that_matches_twice_is_named),
        cmocka_unit_test(inserts_alone_leave_what_matches),
        cmocka_unit_test(many_keys_are_told_by_their_bounds),
        cmocka_unit_test(keys_have_several_columns_and_types),
        cmocka_unit_test(columns_that_the_source_lacks_stay),
        cmocka_unit_test(members_that_no_line_has_stay),
        cmocka_unit_test(short_memory_is_reported),
        cmocka_unit_test(large_sources_spill_and_give_the_same),
        cmocka_unit_test(nothing_to_do_is_no_commit),
        cmocka_unit_test(others_that_touch_the_keys_are_a_conflict),
        cmocka_unit_test(others_that_do_not_touch_them_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
