/*
 * Equality deletes as a reader sees them: which rows of which data files they take out (spec
 * "Equality Delete Files", "Scan Planning"). Field reports of kind eq-delete.
 */
#include "scan/equality_filter.h"

#include "scan/delete_fixture.h"

static numbered_table open_table(const char *schema)
{
    return numbered_open(&(table_shape){.schema = schema, .format_version = 2});
}

/* Rows of columns 1 and 2, or of column 1 alone. */
static written_file rows_of_id(const char *rows)
{
    return (written_file){.columns = {{1, "id", "long", 0, NULL}}, .rows = rows};
}

static written_file rows_of_two(const char *name, const char *type, const char *rows)
{
    return (written_file){.columns = {{1, "id", "long", 0, NULL}, {2, name, type, 0, NULL}},
                          .rows = rows};
}

static void add_two(numbered_table *self, const char *name, const char *type, const char *rows)
{
    const written_file file = rows_of_two(name, type, rows);
    commit_file(self, &file);
}

/* An equality delete file over the columns of `file` with the ids given, ended by 0. */
static written_file keys_of(written_file file, int32_t first, int32_t second)
{
    file.content = FRZ_CONTENT_EQUALITY_DELETES;
    file.ids[0] = first;
    file.ids[1] = second;
    return file;
}

static void test_rows_of_older_files_go_by_one_column(void **state)
{
    (void)state;
    numbered_table self = open_table("id long, name string");
    add_two(&self, "name", "string", "1:a 2:b 3:c");
    delete_keys(&self, 1, "id", "long", "2 9");
    check_query(self.table, NULL, "id,name", "1:a 3:c");
    add_two(&self, "name", "string", "2:again");
    check_query(self.table, NULL, "id,name", "2:again 1:a 3:c");
    check_query(self.table, "name <> 'a'", "id", "2 3");
    check_query(self.table, "id = 2", "name", "again");
    CHECK(count_rows(self.table, NULL) == 3);
    CHECK(count_rows(self.table, "id < 3") == 2);
    check_query(self.table, NULL, "id,_pos", "2:0 1:0 3:2");
    numbered_close(&self);
}

static void test_deleted_rows_are_shown_as_such(void **state)
{
    (void)state;
    numbered_table self = open_table("id long");
    const written_file rows = rows_of_id("1 2 3 4");
    commit_file(&self, &rows);
    delete_where(&self, "id = 4");
    delete_keys(&self, 1, "id", "long", "2");
    check_query(self.table, NULL, "id,_deleted", "1:false 2:true 3:false 4:true");
    check_query(self.table, "_deleted", "id,_deleted", "2:true 4:true");
    check_query(self.table, "id > 1 and not _deleted", "id,_deleted", "3:false");
    check_query(self.table, NULL, "id", "1 3");
    numbered_close(&self);
}

/* Makes the schema of these fields current: "1:id:long 2:a:string". */
static char schema_json[1024];

static frz_status to_schema(frz_metadata_builder *builder, frz_error **err)
{
    return change_schema(builder, schema_json, err);
}

static void evolve(numbered_table *self, const char *fields)
{
    size_t used = (size_t)snprintf(schema_json, sizeof schema_json,
                                   "{\"type\":\"struct\",\"schema-id\":9,\"fields\":[");
    const char *separator = "";
    for (const char *at = fields; *at;) {
        const size_t size = strcspn(at, " ");
        const char *name = strchr(at, ':') + 1;
        const char *type = strchr(name, ':') + 1;
        used += (size_t)snprintf(
            schema_json + used, sizeof schema_json - used,
            "%s{\"id\":%d,\"name\":\"%.*s\",\"required\":false,\"type\":\"%.*s\"}", separator,
            (int)strtol(at, NULL, 10), (int)(type - 1 - name), name, (int)(at + size - type), type);
        separator = ",";
        at += size + strspn(at + size, " ");
    }
    (void)snprintf(schema_json + used, sizeof schema_json - used, "]}");
    change_metadata(self, to_schema);
}

static void d031_a_key_that_is_not_null_leaves_rows_of_null(void **state)
{
    (void)state;
    numbered_table self = open_table("id long");
    const written_file before = rows_of_id("10 11");
    commit_file(&self, &before);
    evolve(&self, "1:id:long 2:status:string");
    add_two(&self, "status", "string", "1:ACTIVE 2:INACTIVE 3:-");
    delete_keys(&self, 2, "status", "string", "INACTIVE");
    check_query(self.table, NULL, "id,status", "1:ACTIVE 3:- 10:- 11:-");
    /* Only a null key matches null, of files from before the column too. */
    delete_keys(&self, 2, "status", "string", "-");
    check_query(self.table, NULL, "id,status", "1:ACTIVE");
    numbered_close(&self);
}

static void d032_null_in_a_key_of_two_columns_matches_null(void **state)
{
    (void)state;
    numbered_table self = open_table("id long, category string");
    add_two(&self, "category", "string", "1:- 2:- 3:toys 1:toys");
    const written_file keys = keys_of(rows_of_two("category", "string", "1:-"), 1, 2);
    commit_file(&self, &keys);
    check_query(self.table, NULL, "id,category", "2:- 3:toys 1:toys");
    numbered_close(&self);
}

/* A file of rows `1:a` of a table partitioned by identity(p), p being column 2. */
static written_file in_partition(const char *rows, int32_t spec_id, const frz_value *p)
{
    written_file file = rows_of_two("p", "string", rows);
    file.spec_id = spec_id;
    file.partition = p;
    return file;
}

static const frz_value in_a = {.form = FRZ_VALUE_BYTES, .bytes = {(const uint8_t *)"a", 1}};
static const frz_value in_b = {.form = FRZ_VALUE_BYTES, .bytes = {(const uint8_t *)"b", 1}};

static numbered_table partitioned(void)
{
    numbered_table self = numbered_open(
        &(table_shape){.schema = "id long, p string", .partition = "p", .format_version = 2});
    const written_file files[] = {in_partition("1:a 2:a", 0, &in_a),
                                  in_partition("1:b 2:b", 0, &in_b)};
    commit_files(&self, files, 2);
    return self;
}

static void d033_a_delete_of_one_partition_leaves_the_others(void **state)
{
    (void)state;
    numbered_table self = partitioned();
    written_file keys = keys_of(rows_of_id("1"), 1, 0);
    keys.partition = &in_a;
    commit_file(&self, &keys);
    check_query(self.table, NULL, "id,p", "2:a 1:b 2:b");
    CHECK(count_rows(self.table, "p = 'b'") == 2);
    numbered_close(&self);
}

static frz_status unpartition(frz_metadata_builder *builder, frz_error **err)
{
    const frz_partition_spec none = {.spec_id = 1};
    int32_t id = 0;
    return frz_update_add_spec(builder, &none, &id, err);
}

/* A delete is global by its spec, which has no fields; the tuple does not make it so. */
static void d034_a_delete_is_global_by_its_spec_alone(void **state)
{
    (void)state;
    static const frz_value null = {.form = FRZ_VALUE_NULL};
    numbered_table self = partitioned();
    written_file keys = keys_of(rows_of_id("1"), 1, 0);
    keys.partition = &null;
    commit_file(&self, &keys);
    check_query(self.table, NULL, "id,p", "1:a 2:a 1:b 2:b");
    change_metadata(&self, unpartition);
    keys.spec_id = 1;
    keys.partition = NULL;
    commit_file(&self, &keys);
    check_query(self.table, NULL, "id,p", "2:a 2:b");
    numbered_close(&self);
}

/* "Strictly less": a delete does nothing to files of its own commit. */
static void d035_rows_of_the_same_commit_stay(void **state)
{
    (void)state;
    numbered_table self = open_table("id long, name string");
    add_two(&self, "name", "string", "7:old 8:old");
    const written_file both[] = {rows_of_two("name", "string", "7:new"),
                                 keys_of(rows_of_id("7"), 1, 0)};
    commit_files(&self, both, 2);
    check_query(self.table, NULL, "id,name", "7:new 8:old");
    numbered_close(&self);
}

static void d036_a_key_column_that_was_dropped_still_counts(void **state)
{
    (void)state;
    numbered_table self = open_table("id long, data string");
    add_two(&self, "data", "string", "1:x 2:y 3:z");
    delete_keys(&self, 1, "id", "long", "2");
    evolve(&self, "2:data:string");
    check_query(self.table, NULL, "data", "x z");
    check_query(self.table, "data <> 'x'", "data", "z");
    CHECK(count_rows(self.table, NULL) == 2);
    numbered_close(&self);
}

static void d037_keys_go_by_field_id_not_by_name(void **state)
{
    (void)state;
    numbered_table self = open_table("id long, a string");
    add_two(&self, "a", "string", "1:x 2:y");
    delete_keys(&self, 2, "a", "string", "x");
    evolve(&self, "1:id:long 2:b:string 3:a:string");
    const written_file later = {.columns = {{1, "id", "long", 0, NULL},
                                            {2, "b", "string", 0, NULL},
                                            {3, "a", "string", 0, NULL}},
                                .rows = "3:x:y 4:y:x"};
    commit_file(&self, &later);
    check_query(self.table, NULL, "id,b,a", "3:x:y 4:y:x 2:y:-");
    delete_keys(&self, 3, "a", "string", "x");
    check_query(self.table, NULL, "id,b,a", "3:x:y 2:y:-");
    numbered_close(&self);
}

/* Only the delete columns of a delete file take part: it may lack all others, though they are
 * required, and extra ones say nothing. */
static void d079_only_the_delete_columns_take_part(void **state)
{
    (void)state;
    numbered_table self = open_table("id long not null, name string not null, k long");
    const written_file rows = {.columns = {{1, "id", "long", 0, NULL},
                                           {2, "name", "string", 0, NULL},
                                           {3, "k", "long", 0, NULL}},
                               .rows = "1:a:10 2:b:20 3:c:30 4:d:-"};
    commit_file(&self, &rows);
    delete_keys(&self, 3, "k", "long", "20");
    const written_file extra = {.content = FRZ_CONTENT_EQUALITY_DELETES,
                                .columns = {{2, "name", "string", 0, NULL},
                                            {3, "k", "long", 0, NULL},
                                            {1, "id", "long", 0, NULL}},
                                .rows = "other:30:-5",
                                .ids = {3}};
    commit_file(&self, &extra);
    check_query(self.table, NULL, "id,name,k", "1:a:10 4:d:-");
    numbered_close(&self);
}

static void d080_many_keys_and_several_sets_of_columns(void **state)
{
    (void)state;
    numbered_table self = open_table("id long, name string");
    const written_file rows = {.columns = {{1, "id", "long", 0, NULL}}, .first = 0, .count = 50000};
    commit_file(&self, &rows);
    delete_numbers(&self, 3, 49995);
    check_query(self.table, NULL, "id", "0 1 2 49998 49999");
    delete_keys(&self, 2, "name", "string", "none");
    const written_file keys = keys_of(rows_of_two("name", "string", "49999:- 1:x"), 1, 2);
    commit_file(&self, &keys);
    check_query(self.table, NULL, "id", "0 1 2 49998");
    CHECK(count_rows(self.table, NULL) == 4);
    numbered_close(&self);
}

/* One column of a type: keys take rows of equal values, and no others. */
static void check_type(const char *type, const char *rows, const char *keys, const char *left)
{
    char schema[64];
    (void)snprintf(schema, sizeof schema, "id long, k %s", type);
    numbered_table self = open_table(schema);
    add_two(&self, "k", type, rows);
    delete_keys(&self, 2, "k", type, keys);
    check_query(self.table, NULL, "id", left);
    numbered_close(&self);
}

static void d081_keys_of_every_type(void **state)
{
    (void)state;
    check_type("binary", "1:0x00ff 2:0x00 3:- 4:0x", "0x00ff 0x", "2 3");
    check_type("fixed[4]", "1:0x00000001 2:0x01000000 3:-", "0x01000000", "1 3");
    check_type(
        "fixed[19]",
        "1:0x00000000000000000000000000000000000001 2:0x00000000000000000000000000000000000002",
        "0x00000000000000000000000000000000000002", "1");
    check_type("uuid",
               "1:f79c3e09-677c-4bbd-a479-3f349cb785e7 2:f79c3e09-677c-4bbd-a479-3f349cb785e8",
               "f79c3e09-677c-4bbd-a479-3f349cb785e7", "2");
    check_type("decimal(20, 2)", "1:123456789012345678.01 2:-0.01 3:0.01", "-0.01", "1 3");
    check_type("decimal(9, 2)", "1:1.01 2:-0.01 3:0.01", "0.01", "1 2");
    check_type("decimal(38, 0)", "1:99999999999999999999999999999999999999 2:1",
               "99999999999999999999999999999999999999", "2");
    check_type("boolean", "1:true 2:false 3:-", "false", "1 3");
    check_type("int", "1:-1 2:1 3:-", "-1 -", "2");
    check_type("date", "1:2020-01-01 2:1969-12-31", "1969-12-31", "1");
    check_type("string", "1:a 2:ab 3:- 4:b", "ab b", "1 3");
}

/* A time has colons in it, which the rows of text have no room for: they are counted in columns of
 * numbers that promotion leaves alone. */
static void test_keys_of_times(void **state)
{
    (void)state;
    frz_error *err = NULL;
    numbered_table self = open_table("id long, t time, ts timestamp, tz timestamptz");
    append_numbers(&self, 0, 3); /* all three are null */
    const written_file null = {.content = FRZ_CONTENT_EQUALITY_DELETES,
                               .columns = {{2, "t", "time", 0, NULL},
                                           {3, "ts", "timestamp", 0, NULL},
                                           {4, "tz", "timestamptz", 0, NULL},
                                           {1, "id", "long", 0, NULL}},
                               .rows = "-:-:-:1",
                               .ids = {4, 3, 2, 1}};
    commit_file(&self, &null);
    check_query(self.table, NULL, "id", "0 2");
    frz_error_free(err);
    numbered_close(&self);
}

/* Java compares the keys of floats by their bits, all NaNs being one (golden tables h35, s35). */
static void test_zeros_of_both_signs_are_two_keys_and_nans_one(void **state)
{
    (void)state;
    check_type("double", "1:0.0 2:-0.0 3:nan 4:-nan 5:inf 6:- 7:1.5", "-0.0 nan", "1 5 6 7");
    check_type("float", "1:0.0 2:-0.0 3:nan 4:-nan 5:inf 6:- 7:1.5", "0.0 inf -", "2 3 4 7");
}

static void test_a_key_is_compared_in_its_widest_type(void **state)
{
    (void)state;
    numbered_table self = open_table("id long, k int, f float, d decimal(9, 2)");
    const written_column narrow[] = {{1, "id", "long", 0, NULL},
                                     {2, "k", "int", 0, NULL},
                                     {3, "f", "float", 0, NULL},
                                     {4, "d", "decimal(9, 2)", 0, NULL}};
    const written_column wide[] = {{1, "id", "long", 0, NULL},
                                   {2, "k", "long", 0, NULL},
                                   {3, "f", "double", 0, NULL},
                                   {4, "d", "decimal(20, 2)", 0, NULL}};
    written_file file = {.rows = "1:-5:1.5:1.00 2:6:2.5:2.00 3:7:3.5:3.00 4:8:4.5:4.00"};
    memcpy(file.columns, narrow, sizeof narrow);
    commit_file(&self, &file);
    delete_keys(&self, 2, "k", "int", "-5");
    evolve(&self, "1:id:long 2:k:long 3:f:double 4:d:decimal(20,2)");
    memcpy(file.columns, wide, sizeof wide);
    file.rows = "11:-5:1.5:1.00 12:6:2.5:2.00 13:7:3.5:3.00 14:8:4.5:4.00";
    commit_file(&self, &file);
    check_query(self.table, NULL, "id", "11 12 13 14 2 3 4");
    delete_keys(&self, 2, "k", "long", "6");
    delete_keys(&self, 3, "f", "double", "3.5");
    delete_keys(&self, 4, "d", "decimal(20, 2)", "4.00");
    check_query(self.table, NULL, "id", "11");
    /* Before the promotion the scan has narrow types, keys wide ones. */
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.at.has_snapshot_id = true;
    options.at.snapshot_id = self.table->metadata->snapshots[1].snapshot_id;
    name_list list;
    select_columns(&options, "id,k", &list);
    options.where = "k > 0";
    const scanned old = scan_rows(self.table, &options, true);
    assert_string_equal(old.text, "2:6 3:7 4:8");
    numbered_close(&self);
}

static void test_a_nested_key_is_null_where_its_struct_is(void **state)
{
    (void)state;
    numbered_table self = open_table("id long, st struct<x: int, y: string>");
    const written_file rows = {.columns = {{1, "id", "long", 0, NULL}, {3, "x", "int", 2, "st"}},
                               .rows = "1:10 2:20 3:- 4:--"};
    commit_file(&self, &rows);
    const written_file ten = {.content = FRZ_CONTENT_EQUALITY_DELETES,
                              .columns = {{3, "x", "int", 2, "st"}},
                              .rows = "10",
                              .ids = {3}};
    commit_file(&self, &ten);
    check_query(self.table, NULL, "id", "2 3 4");
    check_query(self.table, "st.x > 5", "id", "2");
    written_file null = ten;
    null.rows = "-";
    commit_file(&self, &null);
    check_query(self.table, NULL, "id", "2");
    numbered_close(&self);
}

/* Rows of files from before a key column have its initial default. */
static frz_status add_defaulted(frz_metadata_builder *builder, frz_error **err)
{
    return change_schema(builder,
                         "{\"type\":\"struct\",\"schema-id\":1,\"fields\":["
                         "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"long\"},"
                         "{\"id\":2,\"name\":\"c\",\"required\":false,\"type\":\"string\","
                         "\"initial-default\":\"US\"}]}",
                         err);
}

static void test_files_from_before_a_key_have_its_default(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = "id long", .format_version = 3});
    const written_file before = rows_of_id("1 2");
    commit_file(&self, &before);
    change_metadata(&self, add_defaulted);
    add_two(&self, "c", "string", "3:US 4:- 5:CA");
    delete_keys(&self, 2, "c", "string", "-");
    check_query(self.table, NULL, "id,c", "3:US 5:CA 1:US 2:US");
    delete_keys(&self, 2, "c", "string", "US");
    check_query(self.table, NULL, "id,c", "5:CA");
    numbered_close(&self);
}

static void test_the_highest_sequence_of_a_key_counts(void **state)
{
    (void)state;
    numbered_table self = open_table("id long, name string");
    for (int i = 0; i < 3; i++) {
        add_two(&self, "name", "string", i == 0 ? "1:a 2:a" : i == 1 ? "1:b 2:b" : "1:c 2:c");
        delete_keys(&self, 1, "id", "long", i == 1 ? "2" : "1");
    }
    check_query(self.table, NULL, "id,name", "2:c");
    numbered_close(&self);
}

static void test_plans_list_equality_deletes(void **state)
{
    (void)state;
    frz_error *err = NULL;
    numbered_table self = open_table("id long");
    const written_file older = rows_of_id("1 2");
    const written_file newer = rows_of_id("3 4");
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    char *json = NULL;
    commit_file(&self, &older);
    delete_keys(&self, 1, "id", "long", "1");
    commit_file(&self, &newer);
    CHECK_OK(frz_scan_new(self.table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    const frz_plan_file *first = frz_plan_file_at(plan, 0);
    const frz_plan_file *second = frz_plan_file_at(plan, 1);
    CHECK(first->delete_count == 0 && first->equality_delete_count == 0);
    CHECK(second->delete_count == 0 && second->equality_delete_count == 1);
    CHECK(second->equality_deletes[0].content == 2 && second->equality_deletes[0].offset == -1);
    CHECK(strstr(second->equality_deletes[0].path, ".parquet"));
    CHECK_OK(frz_plan_explain(plan, true, &json, &err), err);
    CHECK(strstr(json, "\"content\": 2"));
    const char *level = strstr(json, "\"delete_file\"");
    CHECK(level && strstr(level, "\"considered\": 1") && strstr(level, "\"kept\": 1"));
    frz_text_free(json);
    frz_plan_free(plan);
    frz_scan_free(scan);
    numbered_close(&self);
}

static void test_files_that_are_not_sound_are_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    collected rows = {0};
    numbered_table self = open_table("id long, name string");
    add_two(&self, "name", "string", "1:a");
    const written_file lacking = keys_of(rows_of_id("1"), 2, 0);
    commit_file(&self, &lacking);
    CHECK_FAILS(collect(self.table, NULL, &rows, &err), FRZ_CORRUPT, err,
                "lacks its delete column name (field 2)");
    collected_clear(&rows);
    numbered_close(&self);
    self = open_table("id long, tags list<long>");
    const written_file data = rows_of_id("1");
    commit_file(&self, &data);
    written_file unknown = keys_of(rows_of_id("1"), 77, 0);
    commit_file(&self, &unknown);
    CHECK_FAILS(collect(self.table, NULL, &rows, &err), FRZ_CORRUPT, err,
                "delete column 77 is in no schema of the table");
    collected_clear(&rows);
    numbered_close(&self);
}

/* A delete, whichever way it is written, leaves alone what an equality delete took. */
static void delete_among_deleted(frz_delete_mode mode, int version)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    numbered_table self =
        numbered_open(&(table_shape){.schema = "id long, name string", .format_version = version});
    add_two(&self, "name", "string", "1:a 2:b 3:c 4:d");
    delete_keys(&self, 1, "id", "long", "2");
    CHECK_OK(frz_table_delete(self.table, "id in (2, 3)", mode, NULL, &commit, &err), err);
    check_query(self.table, NULL, "id", "1 4");
    check_query(self.table, NULL, "name", "a d");
    CHECK(count_rows(self.table, NULL) == 2);
    frz_commit_free(commit);
    numbered_close(&self);
}

static void test_deletes_do_not_bring_rows_back(void **state)
{
    (void)state;
    delete_among_deleted(FRZ_DELETE_MODE_MERGE_ON_READ, 2);
    delete_among_deleted(FRZ_DELETE_MODE_MERGE_ON_READ, 3);
    delete_among_deleted(FRZ_DELETE_MODE_COPY_ON_WRITE, 2);
    delete_among_deleted(FRZ_DELETE_MODE_COPY_ON_WRITE, 3);
}

/* Position deletes, a filter and keys of two sets at once, in batches of every size. */
static void test_batches_of_any_size_give_the_same_rows(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.format_version = 2});
    append_numbers(&self, 0, 500);
    delete_where(&self, "id between 20 and 60");
    delete_keys(&self, 1, "id", "long", "61 62 63 64 65 127 128 191 192 300 499 0");
    delete_keys(&self, 4, "city", "string", "Oslo");
    for (int32_t size = 0; size <= 512; size += 64) {
        frz_error *err = NULL;
        collected rows = {0};
        frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
        options.batch_rows = size;
        options.where = "score < 200 or score is null";
        CHECK_OK(collect(self.table, &options, &rows, &err), err);
        int64_t want = 0;
        for (int64_t n = 0; n < 500; n++) {
            const bool deleted = (n >= 20 && n <= 65) || n == 127 || n == 128 || n == 191 ||
                                 n == 192 || n == 300 || n == 499 || n == 0 || n % 4 == 1;
            want += !deleted && (n % 11 == 5 || (n % 13 != 6 && (double)n * 0.5 < 200));
        }
        assert_int_equal(rows.rows, want);
        collected_clear(&rows);
    }
    numbered_close(&self);
}

static numbered_table sweeping;

static void scan_once(void)
{
    frz_error *err = NULL;
    collected rows = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_table *table = NULL;
    options.where = "id <> 3";
    frz_status status =
        frz_table_open(sweeping.table->metadata_location, sweeping.fault, &table, &err);
    if (status == FRZ_OK)
        status = collect(table, &options, &rows, &err);
    /* What the cache has no memory for is merely forgotten. */
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    CHECK(status != FRZ_OK || rows.rows == 2);
    frz_error_free(err);
    collected_clear(&rows);
    frz_table_free(table);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweeping = open_table("id long, name string");
    add_two(&sweeping, "name", "string", "1:a 2:b 3:c 4:d");
    delete_keys(&sweeping, 1, "id", "long", "2");
    const written_file keys = keys_of(rows_of_two("name", "string", "9:d 4:x"), 1, 2);
    commit_file(&sweeping, &keys);
    sweep_allocation_failures(scan_once);
    numbered_close(&sweeping);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_older_files_go_by_one_column),
        cmocka_unit_test(test_deleted_rows_are_shown_as_such),
        cmocka_unit_test(d031_a_key_that_is_not_null_leaves_rows_of_null),
        cmocka_unit_test(d032_null_in_a_key_of_two_columns_matches_null),
        cmocka_unit_test(d033_a_delete_of_one_partition_leaves_the_others),
        cmocka_unit_test(d034_a_delete_is_global_by_its_spec_alone),
        cmocka_unit_test(d035_rows_of_the_same_commit_stay),
        cmocka_unit_test(d036_a_key_column_that_was_dropped_still_counts),
        cmocka_unit_test(d037_keys_go_by_field_id_not_by_name),
        cmocka_unit_test(d079_only_the_delete_columns_take_part),
        cmocka_unit_test(d080_many_keys_and_several_sets_of_columns),
        cmocka_unit_test(d081_keys_of_every_type),
        cmocka_unit_test(test_keys_of_times),
        cmocka_unit_test(test_zeros_of_both_signs_are_two_keys_and_nans_one),
        cmocka_unit_test(test_a_key_is_compared_in_its_widest_type),
        cmocka_unit_test(test_a_nested_key_is_null_where_its_struct_is),
        cmocka_unit_test(test_files_from_before_a_key_have_its_default),
        cmocka_unit_test(test_the_highest_sequence_of_a_key_counts),
        cmocka_unit_test(test_plans_list_equality_deletes),
        cmocka_unit_test(test_files_that_are_not_sound_are_refused),
        cmocka_unit_test(test_deletes_do_not_bring_rows_back),
        cmocka_unit_test(test_batches_of_any_size_give_the_same_rows),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
