/* Covers: write/file_paths write/foreign_file write/foreign_partition write/foreign_schema */
#include "frazil/load.h"

#include "rival_fixture.h"

#include "base/fail.h"
#include "frazil/alter.h"
#include "frazil/text.h"
#include "io/file.h"

/* A Parquet file without field ids, whose rows are JSON lines: types as they are inferred. */
static void put_lines(frz_io *io, const char *location, const char *lines)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_rows_options options = FRZ_ROWS_OPTIONS_INIT;
    frz_print_options print = FRZ_PRINT_OPTIONS_INIT;
    char text[256];
    (void)snprintf(text, sizeof text, "%s.jsonl.tmp", location);
    print.format = FRZ_ROW_FORMAT_PARQUET;
    options.format = FRZ_ROW_FORMAT_JSONL;
    options.infer = true;
    CHECK_OK(frz_io_write_file(io, text, frz_slice_of_text(lines), &err), err);
    CHECK_OK(frz_rows_open_with(text, &options, io, &rows, &err), err);
    CHECK_OK(frz_rows_write_file(&rows, location, &print, io, NULL, &err), err);
    CHECK_OK(frz_io_remove(io, text, &err), err);
}

static frz_table *table_of(fixture *self, const char *name, const char *schema,
                           const char *partition)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = schema;
    options.partition = partition;
    CHECK_OK(frz_catalog_create_table(self->catalog, name, &options, &table, &err), err);
    return table;
}

static const frz_add_files_options by_names = {.struct_size = sizeof by_names,
                                               .name_mapping = true};

static frz_status add(frz_table *table, const char *path, const frz_add_files_options *how,
                      frz_add_files_report *report, frz_error **err)
{
    frz_add_files_options options = FRZ_ADD_FILES_OPTIONS_INIT;
    if (how)
        options = *how;
    options.report = report;
    return frz_table_add_files(table, &path, 1, &options, NULL, NULL, err);
}

static void check_added(frz_table *table, const char *path, const frz_add_files_options *how)
{
    frz_error *err = NULL;
    CHECK_OK(add(table, path, how, NULL, &err), err);
}

static void check_refused(frz_table *table, const char *path, const frz_add_files_options *how,
                          frz_status want, const char *message)
{
    frz_error *err = NULL;
    CHECK_FAILS(add(table, path, how, NULL, &err), want, err, message);
}

static void files_without_ids_go_by_names(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_add_files_report report = FRZ_ADD_FILES_REPORT_INIT;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, "n.t", "id long, name string, extra long", NULL);
    append_rows(table, "1:a");
    put_lines(self.io, "mem://in/b.parquet",
              "{\"name\": \"b\", \"id\": 2}\n{\"name\": \"c\", \"id\": 3}\n");
    put_lines(self.io, "mem://in/c.parquet", "{\"id\": 4}\n");
    check_refused(table, "mem://in/b.parquet", NULL, FRZ_INVALID,
                  "mem://in/b.parquet: the file has no field ids, and the table no name mapping");
    CHECK_OK(add(table, "mem://in/b.parquet", &by_names, &report, &err), err);
    CHECK(report.file_count == 1 && report.row_count == 2 && report.made_name_mapping);
    CHECK(report.outside_count == 1 && report.byte_count > 100);
    assert_string_equal(
        frz_table_property(table, "schema.name-mapping.default"),
        "[{\"field-id\":1,\"names\":[\"id\"]},{\"field-id\":2,\"names\":[\"name\"]},"
        "{\"field-id\":3,\"names\":[\"extra\"]}]");
    check_added(table, "mem://in/c.parquet", NULL); /* the table has a mapping now */
    check_selected(table, "id,name,_row_id", "1:a:0 2:b:1 3:c:2 4:-:3");
    /* What was renamed since is found by the mapping, not by the name. */
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_rename_column(changes, "name", "label", &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    check_selected(table, "id,label", "1:a 2:b 3:c 4:-");
    frz_table_free(table);
    fixture_close(&self);
}

static void folders_are_walked_and_live_files_refused(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_add_files_report report = FRZ_ADD_FILES_REPORT_INIT;
    frz_commit *commit = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, "n.t", "id long", NULL);
    put_lines(self.io, "mem://in/b.parquet", "{\"id\": 2}\n");
    put_lines(self.io, "mem://in/x/a.parquet", "{\"id\": 1}\n");
    put_lines(self.io, "mem://in/_temporary/c.parquet", "{\"id\": 9}\n");
    put_lines(self.io, "mem://in/x/.d.parquet", "{\"id\": 9}\n");
    CHECK_OK(frz_io_write_file(self.io, "mem://in/_SUCCESS", frz_slice_of_text(""), &err), err);
    static const char *const twice[] = {"mem://in/b.parquet", "mem://in"};
    CHECK_FAILS(frz_table_add_files(table, twice, 2, &by_names, NULL, NULL, &err), FRZ_INVALID, err,
                "mem://in/b.parquet is given twice");
    check_refused(table, "mem://out", &by_names, FRZ_NOT_FOUND,
                  "mem://out: neither a file nor a folder");
    frz_add_files_options told = by_names;
    told.report = &report;
    CHECK_OK(frz_table_add_files(table, twice + 1, 1, &told, NULL, &commit, &err), err);
    assert_string_equal(commit->operation, "append");
    assert_string_equal(summary_value(commit, "added-data-files"), "2");
    frz_commit_free(commit);
    commit = NULL;
    CHECK(report.file_count == 2);
    check_refused(table, "mem://in/x", NULL, FRZ_ALREADY_EXISTS,
                  "mem://in/x/a.parquet is a data file of the table already");
    put_lines(self.io, "mem://in/z.parquet", "{\"id\": 3}\n");
    static const frz_add_files_options skip = {.struct_size = sizeof skip, .skip_live = true};
    CHECK_OK(add(table, "mem://in", &skip, &report, &err), err);
    CHECK(report.file_count == 1 && report.live_count == 2 && !report.made_name_mapping);
    told = skip;
    told.report = &report;
    CHECK_OK(frz_table_add_files(table, twice + 1, 1, &told, NULL, &commit, &err), err);
    CHECK(report.file_count == 0 && report.live_count == 3 && !commit->operation);
    frz_commit_free(commit);
    check_selected(table, "id", "1 2 3");
    /* What was deleted is not live any more. */
    CHECK_OK(frz_table_truncate(table, NULL, NULL, &err), err);
    check_added(table, "mem://in/x", NULL);
    check_selected(table, "id", "1");
    frz_table_free(table);
    fixture_close(&self);
}

static void columns_must_be_the_tables(void **state)
{
    static const struct {
        const char *lines;
        const char *message;
    } refused[] = {
        {"{\"id\": 1, \"more\": 2}\n", "the table has no column more: add it first"},
        {"{\"ID\": 1}\n", "the table has no column ID, but id: a name mapping"},
        {"{\"id\": \"x\"}\n", "id"},
        {"{\"id\": 1.5}\n", "id"},
        {"{\"id\": 1, \"s\": {\"a\": 1, \"z\": 1}}\n", "the table has no column s.z"},
        {"{\"id\": 1, \"s\": {\"a\": \"x\"}}\n", "s"},
        {"{\"id\": 1, \"l\": [\"x\"]}\n", "l"},
        {"{\"id\": 1, \"s\": [1]}\n", "s"},
        {"{\"must\": null, \"id\": 1}\n{\"must\": \"x\", \"id\": 1}\n",
         "column must is required, and optional in the file, whose statistics"},
    };
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(
        &self, "n.t", "id long, s struct<a: long, b: string>, l list<long>, at timestamp", NULL);
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_add_column(changes, "must", "string not null default 'd'", NULL, &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char location[64];
        (void)snprintf(location, sizeof location, "mem://in/%zu.parquet", i);
        put_lines(self.io, location, refused[i].lines);
        check_refused(table, location, &by_names, FRZ_INVALID, refused[i].message);
    }
    /* Widened, nested, and lacking what has a default. */
    put_lines(self.io, "mem://in/ok.parquet",
              "{\"id\": 1, \"at\": \"2026-01-02\", \"s\": {\"a\": 7}, \"l\": [1, 2]}\n"
              "{\"id\": 2}\n");
    put_lines(self.io, "mem://in/must.parquet", "{\"id\": 3, \"must\": \"x\"}\n");
    check_added(table, "mem://in/ok.parquet", &by_names);
    check_added(table, "mem://in/must.parquet", &by_names);
    check_selected(table, "id,must", "1:d 2:d 3:x");
    check_selected(table, "id,must", "1:d 2:d 3:x");
    frz_table_free(table);
    table = table_of(&self, "n.u", "id long, must string not null", NULL);
    put_lines(self.io, "mem://in/lacks.parquet", "{\"id\": 1}\n");
    check_refused(table, "mem://in/lacks.parquet", &by_names, FRZ_INVALID,
                  "column must is required, has no initial default, and is not in the file");
    frz_table_free(table);
    fixture_close(&self);
}

/* A file with the field ids of a table. */
static void put_scan(const frz_table *table, const char *const *select, size_t count,
                     const char *location)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    struct ArrowArrayStream rows = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.select = select;
    options.select_count = count;
    CHECK_OK(frz_scan_new(table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_stream(scan, &rows, &err), err);
    CHECK_OK(frz_rows_write_file(&rows, location, NULL, table->io, NULL, &err), err);
    frz_scan_free(scan);
}

static void ids_of_files_must_mean_the_same_columns(void **state)
{
    static const char *const with_lineage[] = {"*", "_row_id"};
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, "n.t", "id long, name string", NULL);
    frz_table *other = table_of(&self, "n.u", "first string, id long, name string", NULL);
    append_rows(table, "1:a 2:b");
    append_rows(other, "3:c");
    put_scan(table, NULL, 0, "mem://in/own.parquet");
    put_scan(other, NULL, 0, "mem://in/other.parquet");
    put_scan(table, with_lineage, 2, "mem://in/lineage.parquet");
    check_added(table, "mem://in/own.parquet", NULL);
    check_selected(table, "id,name,_row_id", "1:a:0 1:a:2 2:b:1 2:b:3");
    CHECK(frz_table_property(table, "schema.name-mapping.default") == NULL);
    check_refused(table, "mem://in/other.parquet", &by_names, FRZ_INVALID,
                  "field id 1 is column first in the file and id in the table: the file was "
                  "written for another table");
    check_refused(table, "mem://in/lineage.parquet", NULL, FRZ_UNSUPPORTED,
                  "column _row_id (field id 2147483540) is one of Iceberg's own");
    /* An old name of a renamed column is its name still. */
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_rename_column(changes, "name", "label", &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    put_scan(other, NULL, 0, "mem://in/again.parquet");
    CHECK_OK(frz_table_truncate(table, NULL, NULL, &err), err);
    check_added(table, "mem://in/own.parquet", NULL);
    check_selected(table, "id,label", "1:a 2:b");
    frz_table_free(other);
    frz_table_free(table);
    fixture_close(&self);
}

/* Adds one file with the lines, at `location`, to a table partitioned so. */
typedef struct partition_case {
    const char *partition;
    const char *location;
    const char *lines;
    frz_option stated;   /* key NULL: nothing is */
    const char *want;    /* of the metadata table files; NULL: refused */
    const char *message; /* when refused */
} partition_case;

static scanned partitions_of(const frz_table *table)
{
    frz_error *err = NULL;
    scanned out = {""};
    frz_buffer text = {0};
    struct ArrowArrayStream rows = {0};
    static const char *const select[] = {"partition"};
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    frz_print_options print = FRZ_PRINT_OPTIONS_INIT;
    options.select = select;
    options.select_count = 1;
    print.format = FRZ_ROW_FORMAT_JSONL;
    CHECK_OK(frz_table_metadata_stream(table, FRZ_METADATA_TABLE_FILES, &options, &rows, &err),
             err);
    frz_io *memory = NULL;
    CHECK_OK(frz_io_memory_new(&memory, &err), err);
    CHECK_OK(frz_rows_write_file(&rows, "rows", &print, memory, NULL, &err), err);
    CHECK_OK(frz_io_read_file(memory, "rows", sizeof out.text, &text, &err), err);
    (void)snprintf(out.text, sizeof out.text, "%.*s", (int)text.size, (const char *)text.data);
    frz_buffer_clear(&text);
    frz_io_free(memory);
    return out;
}

static const partition_case partition_cases[] = {
    /* What the statistics tell. */
    {"k",
     "a",
     "{\"id\": 1, \"k\": \"x\"}\n{\"id\": 2, \"k\": \"x\"}\n",
     {0},
     "{\"k\":\"x\"}",
     NULL},
    {"k",
     "b",
     "{\"id\": 1, \"k\": \"x\"}\n{\"id\": 2, \"k\": \"y\"}\n",
     {0},
     NULL,
     "partition field k: rows of several partitions: column k holds x to y"},
    {"k",
     "c",
     "{\"id\": 1, \"k\": \"x\"}\n{\"id\": 2}\n",
     {0},
     NULL,
     "rows of several partitions: column k holds nulls and values"},
    {"k", "d", "{\"id\": 1, \"k\": null}\n", {0}, "{\"k\":null}", NULL},
    {"k", "e", "{\"id\": 1}\n", {0}, "{\"k\":null}", NULL},
    {"day(at)",
     "f",
     "{\"at\": \"2026-01-02T03:00:00\"}\n{\"at\": \"2026-01-02T23:00:00\"}\n",
     {0},
     "{\"at_day\":\"2026-01-02\"}",
     NULL},
    {"day(at)",
     "g",
     "{\"at\": \"2026-01-02T03:00:00\"}\n{\"at\": \"2026-01-03T03:00:00\"}\n",
     {0},
     NULL,
     "partition field at_day: rows of several partitions: column at holds"},
    {"bucket(8, id)", "h", "{\"id\": 34}\n{\"id\": 34}\n", {0}, "{\"id_bucket\":3}", NULL},
    {"bucket(8, id)", "i", "{\"id\": 34}\n{\"id\": 35}\n", {0}, NULL, "do not tell which bucket"},
    {"truncate(10, id)", "j", "{\"id\": 31}\n{\"id\": 39}\n", {0}, "{\"id_trunc\":30}", NULL},
    {"x", "k", "{\"x\": 1.5}\n{\"x\": 1.5}\n", {0}, "{\"x\":1.5}", NULL},
    {"x", "k2", "{\"x\": 1.5}\n{\"x\": 1.5}\n", {"x", "1.5"}, "{\"x\":1.5}", NULL},
    /* What folders tell. */
    {"k", "k=x", "{\"id\": 1}\n", {0}, "{\"k\":\"x\"}", NULL},
    {"k", "k=a%2Fb%20c%zz", "{\"id\": 1}\n", {0}, "{\"k\":\"a/b c%zz\"}", NULL},
    {"k", "k=__HIVE_DEFAULT_PARTITION__", "{\"id\": 1}\n", {0}, "{\"k\":null}", NULL},
    {"k, id", "id=5/k=x", "{\"x\": 1.5}\n", {0}, "{\"k\":\"x\",\"id\":5}", NULL},
    {"k", "k=y/k=x", "{\"id\": 1}\n", {0}, "{\"k\":\"x\"}", NULL},
    {"k", "k=x", "{\"id\": 1, \"k\": \"x\"}\n", {0}, "{\"k\":\"x\"}", NULL},
    {"k",
     "k=z",
     "{\"id\": 1, \"k\": \"x\"}\n",
     {0},
     NULL,
     "its folder says \"z\": column k holds x to x"},
    {"k",
     "k=__HIVE_DEFAULT_PARTITION__",
     "{\"id\": 1, \"k\": \"x\"}\n",
     {0},
     NULL,
     "its folder says null, but column k holds values"},
    {"k",
     "k=x",
     "{\"id\": 1, \"k\": null}\n",
     {0},
     NULL,
     "its folder says \"x\", but column k holds only nulls"},
    {"id", "id=five", "{\"x\": 1.5}\n", {0}, NULL, "partition field id: \"five\" is no long"},
    {"day(at)",
     "at_day=2026-01-02",
     "{\"at\": \"2026-01-02T03:00:00\"}\n",
     {0},
     "{\"at_day\":\"2026-01-02\"}",
     NULL},
    {"month(at) as m",
     "m=2026-01",
     "{\"at\": \"2026-01-02T03:00:00\"}\n",
     {0},
     "{\"m\":672}",
     NULL},
    {"year(at) as y", "y=2026", "{\"at\": \"2026-01-02T03:00:00\"}\n", {0}, "{\"y\":56}", NULL},
    {"hour(at) as h",
     "h=2026-01-02-03",
     "{\"at\": \"2026-01-02T03:59:00\"}\n",
     {0},
     "{\"h\":490923}",
     NULL},
    {"hour(at) as h",
     "h=2026-01-02-25",
     "{\"at\": \"2026-01-02T03:59:00\"}\n",
     {0},
     NULL,
     "is no hour"},
    {"hour(at) as h",
     "h=2026-01-02-04",
     "{\"at\": \"2026-01-02T03:59:00\"}\n",
     {0},
     NULL,
     "its folder says"},
    {"day(at)", "at_day=2026-01-02", "{\"id\": 1}\n", {0}, NULL, "column at holds only nulls"},
    {"bucket(8, id)",
     "id_bucket=3",
     "{\"id\": 34}\n{\"id\": 34}\n",
     {0},
     "{\"id_bucket\":3}",
     NULL},
    {"bucket(8, id)",
     "id_bucket=4",
     "{\"id\": 34}\n{\"id\": 34}\n",
     {0},
     NULL,
     "its folder says \"4\""},
    {"bucket(8, id)",
     "id_bucket=8",
     "{\"id\": 34}\n",
     {0},
     NULL,
     "\"8\" is no bucket of bucket[8]"},
    {"id",
     "k=x",
     "{\"id\": 1}\n",
     {0},
     NULL,
     "column k is only in the name of its folder, and the table is not partitioned by it"},
    {"id", "k=x/zone=7", "{\"id\": 1, \"k\": \"x\"}\n", {0}, "{\"id\":1}", NULL},
    /* What the caller says. */
    {"k", "l", "{\"id\": 1}\n", {"k", "x"}, "{\"k\":\"x\"}", NULL},
    {"k as part", "l", "{\"id\": 1}\n", {"part", "x"}, "{\"part\":\"x\"}", NULL},
    {"k as part", "l", "{\"id\": 1}\n", {"k", "x"}, "{\"part\":\"x\"}", NULL},
    {"k", "k=y", "{\"id\": 1}\n", {"k", "x"}, "{\"k\":\"x\"}", NULL},
    {"k", "l", "{\"id\": 1}\n", {"k", NULL}, "{\"k\":null}", NULL},
    {"k",
     "l",
     "{\"id\": 1, \"k\": \"y\"}\n",
     {"k", "x"},
     NULL,
     "what is said of it says \"x\": column k holds y to y"},
    {"k",
     "l",
     "{\"id\": 1}\n",
     {"kk", "x"},
     NULL,
     "the table is not partitioned by kk (default spec 0)"},
    {"day(at)",
     "l",
     "{\"at\": \"2026-01-02T03:00:00\"}\n",
     {"at", "2026-01-02"},
     NULL,
     "not partitioned by at"},
};

static void partitions_are_found_and_checked(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    for (size_t i = 0; i < sizeof partition_cases / sizeof partition_cases[0]; i++) {
        const partition_case *at = &partition_cases[i];
        char name[32];
        char location[128];
        frz_add_files_options how = by_names;
        (void)snprintf(name, sizeof name, "n.t%zu", i);
        (void)snprintf(location, sizeof location, "mem://in/%zu/%s/f.parquet", i, at->location);
        print_message("%s %s %s\n", at->partition, at->location, at->lines);
        frz_table *table =
            table_of(&self, name, "id long, k string, at timestamp, x double", at->partition);
        put_lines(self.io, location, at->lines);
        how.partition = &at->stated;
        how.partition_count = at->stated.key ? 1 : 0;
        if (at->want) {
            char want[128];
            check_added(table, location, &how);
            (void)snprintf(want, sizeof want, "{\"partition\":%s}\n", at->want);
            assert_string_equal(partitions_of(table).text, want);
        } else {
            check_refused(table, location, &how, FRZ_INVALID, at->message);
        }
        frz_table_free(table);
    }
    fixture_close(&self);
}

static void values_of_folders_are_those_of_rows(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, "n.t", "id long, k string not null, d date", "k, d");
    put_lines(self.io, "mem://in/k=x/d=2026-01-02/f.parquet", "{\"id\": 1}\n");
    put_lines(self.io, "mem://in/k=y/d=null/f.parquet", "{\"id\": 2}\n");
    check_added(table, "mem://in", &by_names);
    check_selected(table, "id,k", "1:x 2:y");
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "d = '2026-01-02' and k = 'x'";
    static const char *const select[] = {"id"};
    options.select = select;
    options.select_count = 1;
    assert_string_equal(scan_rows(table, &options, false).text, "1");
    put_lines(self.io, "mem://null/k=__HIVE_DEFAULT_PARTITION__/f.parquet", "{\"id\": 2}\n");
    check_refused(table, "mem://null", &by_names, FRZ_INVALID, "column k is required");
    frz_table_free(table);
    fixture_close(&self);
}

static void metrics_are_as_the_table_wants_them(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_table *table = NULL;
    static const frz_option properties[] = {
        {"write.metadata.metrics.column.a", "none"},
        {"write.metadata.metrics.column.b", "counts"},
        {"write.metadata.metrics.column.c", "truncate(2)"},
    };
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    options.schema = "a long, b long, c string, d double, e timestamp, l list<long>";
    options.properties = properties;
    options.property_count = 3;
    CHECK_OK(frz_catalog_create_table(self.catalog, "n.t", &options, &table, &err), err);
    put_lines(self.io, "mem://in/f.parquet",
              "{\"a\": 1, \"b\": 2, \"c\": \"abcdef\", \"d\": 0.0, \"e\": \"2026-01-02\", \"l\": "
              "[1, 2]}\n"
              "{\"a\": 1, \"c\": \"abzzz\", \"d\": 2.5, \"e\": \"2026-01-03\", \"l\": [3]}\n");
    check_added(table, "mem://in/f.parquet", &by_names);
    static const char *const select[] = {"null_value_counts", "value_counts", "lower_bounds",
                                         "upper_bounds"};
    frz_metadata_options wanted = FRZ_METADATA_OPTIONS_INIT;
    frz_print_options print = FRZ_PRINT_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    frz_buffer text = {0};
    wanted.select = select;
    wanted.select_count = 4;
    print.format = FRZ_ROW_FORMAT_JSONL;
    CHECK_OK(frz_table_metadata_stream(table, FRZ_METADATA_TABLE_FILES, &wanted, &rows, &err), err);
    CHECK_OK(frz_rows_write_file(&rows, "mem://rows", &print, self.io, NULL, &err), err);
    CHECK_OK(frz_io_read_file(self.io, "mem://rows", 4096, &text, &err), err);
    frz_buffer_append_byte(&text, 0);
    /* Dates of the file are timestamps of the table; the list has counts alone. */
    assert_string_equal((const char *)text.data,
                        "{\"null_value_counts\":[[2,1],[3,0],[4,0],[5,0],[7,0]],"
                        "\"value_counts\":[[2,2],[3,2],[4,2],[5,2],[7,3]],"
                        "\"lower_bounds\":[[3,\"0x6162\"],[4,\"0x0000000000000080\"],"
                        "[5,\"0x00a0f7635c470600\"]],"
                        "\"upper_bounds\":[[3,\"0x6163\"],[4,\"0x0000000000000440\"],"
                        "[5,\"0x0000cf8170470600\"]]}\n");
    frz_buffer_clear(&text);
    frz_table_free(table);
    fixture_close(&self);
}

static frz_status find_file(void *context, const char *location, uint64_t size, int64_t modified_ms,
                            frz_error **err)
{
    char *out = context;
    (void)size;
    (void)modified_ms;
    (void)err;
    if (strstr(location, ".avro") && strstr(location, "/data/"))
        (void)snprintf(out, 256, "%s", location);
    return FRZ_OK;
}

static void avro_files_are_counted_by_their_blocks(void **state)
{
    static const frz_option avro = {"write.format.default", "avro"};
    fixture self;
    frz_error *err = NULL;
    frz_table *written = NULL;
    char location[256] = "";
    frz_add_files_report report = FRZ_ADD_FILES_REPORT_INIT;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    options.schema = "id long, name string";
    options.properties = &avro;
    options.property_count = 1;
    CHECK_OK(frz_catalog_create_table(self.catalog, "n.a", &options, &written, &err), err);
    append_rows(written, "1:a 2:b 3:c");
    CHECK_OK(frz_io_list(self.io, "mem://wh", find_file, location, &err), err);
    frz_table *table = table_of(&self, "n.t", "id long, name string", NULL);
    CHECK_OK(add(table, location, NULL, &report, &err), err);
    CHECK(report.row_count == 3 && report.outside_count == 1);
    check_selected(table, "id,name", "1:a 2:b 3:c");
    frz_table *strict = table_of(&self, "n.s", "id long not null, name string", NULL);
    check_refused(strict, location, NULL, FRZ_INVALID,
                  "column id is required, and optional in the file");
    frz_table *parted = table_of(&self, "n.p", "id long, name string", "name");
    check_refused(parted, location, NULL, FRZ_INVALID,
                  "neither folder nor statistics tell its value");
    frz_table *other = table_of(&self, "n.o", "name string, id long", NULL);
    check_refused(other, location, NULL, FRZ_INVALID,
                  "field id 1 is column id in the file and name in the table");
    frz_table_free(other);
    frz_table_free(parted);
    frz_table_free(strict);
    frz_table_free(table);
    frz_table_free(written);
    fixture_close(&self);
}

static void other_and_broken_files_are_refused_by_name(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, "n.t", "id long", NULL);
    put_lines(self.io, "mem://in/whole.parquet", "{\"id\": 1}\n");
    CHECK_OK(frz_io_read_file(self.io, "mem://in/whole.parquet", 100000, &bytes, &err), err);
    CHECK_OK(frz_io_write_file(self.io, "mem://bad/cut.parquet",
                               frz_slice_of(bytes.data, bytes.size - 9), &err),
             err);
    CHECK_OK(frz_io_write_file(self.io, "mem://bad/x.csv", frz_slice_of_text("id\n1\n"), &err),
             err);
    CHECK_OK(frz_io_write_file(self.io, "mem://bad/x.orc", frz_slice_of_text("ORC..."), &err), err);
    CHECK_OK(frz_io_write_file(self.io, "mem://bad/empty", frz_slice_of_text(""), &err), err);
    check_refused(table, "mem://bad/cut.parquet", &by_names, FRZ_CORRUPT, "mem://bad/cut.parquet");
    check_refused(table, "mem://bad/x.csv", &by_names, FRZ_UNSUPPORTED,
                  "mem://bad/x.csv: neither Parquet nor Avro");
    check_refused(table, "mem://bad/x.orc", &by_names, FRZ_UNSUPPORTED, "an ORC file");
    check_refused(table, "mem://bad/empty", &by_names, FRZ_UNSUPPORTED, "neither Parquet nor Avro");
    CHECK(frz_table_property(table, "schema.name-mapping.default") == NULL);
    CHECK(!frz_table_current_snapshot(table, NULL));
    frz_buffer_clear(&bytes);
    frz_table_free(table);
    fixture_close(&self);
}

static void a_rival_adds_the_file(void)
{
    frz_table *table = rival_table();
    check_added(table, "mem://in/f.parquet", &by_names);
    frz_table_free(table);
}

static void a_rival_sets_a_mapping(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_set_property(changes, "schema.name-mapping.default",
                                    "[{\"field-id\":2,\"names\":[\"id\"]}]", &err),
             err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    frz_table_free(table);
}

static void others_that_commit_meanwhile(void **state)
{
    static const struct {
        void (*rival)(void);
        frz_status want;
        const char *message;
        const char *rows;
    } cases[] = {
        {a_rival_adds_the_file, FRZ_ALREADY_EXISTS, "mem://in/f.parquet is in the table already",
         "1:-"},
        {a_rival_sets_a_mapping, FRZ_CONFLICT, "another commit set a name mapping", ""},
        {rival_appends, FRZ_OK, NULL, "100:r 1:-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_error *err = NULL;
        CHECK(set_up(state) == 0);
        put_lines(storage, "mem://in/f.parquet", "{\"id\": 1}\n");
        frz_table *table = make_table(3, NULL, 0);
        disturb(cases[i].rival, 1);
        if (cases[i].want == FRZ_OK)
            check_added(table, "mem://in/f.parquet", &by_names);
        else
            check_refused(table, "mem://in/f.parquet", &by_names, cases[i].want, cases[i].message);
        CHECK_OK(frz_table_refresh(table, &err), err);
        check_rows(table, cases[i].rows);
        uint64_t size = 0;
        CHECK_OK(frz_io_stat(storage, "mem://in/f.parquet", &size, &err), err);
        frz_table_free(table);
        CHECK(tear_down(state) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_without_ids_go_by_names),
        cmocka_unit_test(folders_are_walked_and_live_files_refused),
        cmocka_unit_test(columns_must_be_the_tables),
        cmocka_unit_test(ids_of_files_must_mean_the_same_columns),
        cmocka_unit_test(partitions_are_found_and_checked),
        cmocka_unit_test(values_of_folders_are_those_of_rows),
        cmocka_unit_test(metrics_are_as_the_table_wants_them),
        cmocka_unit_test(avro_files_are_counted_by_their_blocks),
        cmocka_unit_test(other_and_broken_files_are_refused_by_name),
        cmocka_unit_test(others_that_commit_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
