/*
 * What the metrics of manifest entries may decide: files of other writers, with metrics that lack
 * something or say what cannot be.
 */
#include "scan/file_stats.h"

#include "scan/foreign_fixture.h"

enum { ID = 1 };

#define BYTES(text) frz_slice_of(text, sizeof(text) - 1)

/* Bounds alone: nothing is counted. */
static frz_column_metrics bounds(int32_t field_id, frz_slice lower, frz_slice upper)
{
    return (frz_column_metrics){.field_id = field_id,
                                .column_size = -1,
                                .value_count = -1,
                                .null_count = -1,
                                .nan_count = -1,
                                .has_lower = true,
                                .has_upper = true,
                                .lower = lower,
                                .upper = upper};
}

/* A table of one file, which has these metrics of one column. */
static numbered_table table_of(const char *ddl, const char *schema, const char *rows,
                               const frz_column_metrics *metrics)
{
    numbered_table self = numbered_open(&(table_shape){.schema = ddl});
    foreign_append(&self, &(foreign_file){.schema = schema,
                                          .rows = rows,
                                          .metrics = metrics,
                                          .metric_count = metrics ? 1 : 0});
    return self;
}

/* Files that a plan keeps, and the rows that match. */
static void check_kept(const numbered_table *self, const char *where, size_t files, int64_t rows)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    CHECK_OK(frz_scan_new(self->table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    if (frz_plan_file_count(plan) != files)
        fail_msg("%s: %zu files", where, frz_plan_file_count(plan));
    frz_plan_free(plan);
    frz_scan_free(scan);
    if (count_rows(self->table, where) != rows)
        fail_msg("%s: %lld rows", where, (long long)count_rows(self->table, where));
}

/* "Scan Planning": nulls are unknown where they are not counted, so that no bounds prove that every
 * row matches: the file must not go as a whole. */
static void d007_an_unknown_null_count_deletes_no_file(void **state)
{
    (void)state;
    const frz_column_metrics metrics =
        bounds(ID, BYTES("\1\0\0\0\0\0\0\0"), BYTES("\2\0\0\0\0\0\0\0"));
    numbered_table self =
        table_of("id long", "1 id long", "{'id':1}\n{'id':2}\n{'id':null}\n", &metrics);
    check_kept(&self, "id > 0", 1, 2);
    check_kept(&self, "id > 2", 0, 0);
    delete_where(&self, "id > 0");
    check_json(self.table, NULL, NULL, "{'id':null}\n");
    numbered_close(&self);
}

/* A lower bound of 16 bytes whose last character is cut through, as DuckDB wrote them: compared by
 * bytes, it is a bound all the same. */
static void d120_bounds_cut_inside_a_character_are_read(void **state)
{
    (void)state;
    const frz_column_metrics metrics =
        bounds(ID, BYTES("{\"123456789abcO\xe2"), BYTES("{\"123456789abcO\xe3"));
    numbered_table self =
        table_of("s string", "1 s string", "{'s':'{\\'123456789abcO\\u2022x'}\n", &metrics);
    check_kept(&self, "s is not null", 1, 1);
    check_kept(&self, "s starts with '{\"123456789abcO\xe2\x80\xa2'", 1, 1);
    check_kept(&self, "s > '{\"123456789abcO'", 1, 1);
    check_kept(&self, "s like '%x'", 1, 1);
    check_kept(&self, "s < '{'", 0, 0);
    check_kept(&self, "s > '{\"123456789abcP'", 0, 0);
    numbered_close(&self);
}

/* Appendix D, "Schema Evolution": bounds of before a promotion have the old type's width. */
static void test_bounds_of_a_promoted_column_have_their_old_width(void **state)
{
    (void)state;
    frz_column_metrics metrics = bounds(ID, BYTES("\xfe\xff\xff\xff"), BYTES("\7\0\0\0"));
    numbered_table self = table_of("v long", "1 v int", "{'v':-2}\n{'v':7}\n", &metrics);
    check_kept(&self, "v = 7", 1, 1);
    check_kept(&self, "v = 8", 0, 0);
    check_kept(&self, "v < -1", 1, 1);
    numbered_close(&self);
    metrics = bounds(ID, BYTES("\0\0\0\x3f"), BYTES("\0\0\0\x40"));
    self = table_of("v double", "1 v float", "{'v':0.5}\n{'v':2}\n", &metrics);
    check_kept(&self, "v = 2", 1, 1);
    check_kept(&self, "v < 0.5", 0, 0);
    numbered_close(&self);
}

/* A bound that cannot be, or cannot be read, is none; the other one still counts. */
static void test_bounds_that_cannot_be_say_nothing(void **state)
{
    (void)state;
    const frz_column_metrics odd[] = {
        bounds(ID, BYTES("\1\2\3"), BYTES("\1\2\3")), /* no width of a double */
        bounds(ID, BYTES("\0\0\0\0\0\0\xf8\x7f"), BYTES("\0\0\0\0\0\0\xf8\x7f")), /* NaN */
        bounds(ID, BYTES("\0\0\0\0\0\0\x14\x40"), BYTES("\0\0\0\0\0\0\xf0\x3f")), /* 5 to 1 */
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        numbered_table self = table_of("v double", "1 v double", "{'v':0}\n{'v':9}\n", &odd[i]);
        check_kept(&self, "v = 9", 1, 1);
        check_kept(&self, "v < 1", 1, 1);
        check_kept(&self, "isnan(v)", 1, 0);
        numbered_close(&self);
    }
    const frz_column_metrics half =
        bounds(ID, BYTES("\0\0\0\0\0\0\xf0\x3f"), BYTES("\0\0\0\0\0\0\xf8\x7f"));
    numbered_table self = table_of("v double", "1 v double", "{'v':1}\n{'v':9}\n", &half);
    check_kept(&self, "v < 1", 0, 0);
    check_kept(&self, "v > 100", 1, 0);
    numbered_close(&self);
}

/* "Nested Types": where the struct is null its required field is, too, and is counted as such. */
static void d062_a_null_parent_is_a_null_of_its_required_child(void **state)
{
    (void)state;
    frz_column_metrics metrics = bounds(3, BYTES("a"), BYTES("a"));
    metrics.value_count = 2;
    metrics.null_count = 1;
    static const char rows[] = "{'id':1,'addr':null}\n{'id':2,'addr':{'street':'a','no':1.5}}\n";
    static const char written[] = "1 id long; 2 addr {3! street string; 4! no double}";
    static const char ddl[] = "id long, addr struct<street: string not null, no: double not null>";
    numbered_table self = table_of(ddl, written, rows, &metrics);
    check_json(self.table, "addr.street is null", "id", "{'id':1}\n");
    check_json(self.table, "addr.no is null", "id", "{'id':1}\n");
    check_json(self.table, "addr.street is not null", "id", "{'id':2}\n");
    check_json(self.table, "addr.no > 1", "id", "{'id':2}\n");
    check_kept(&self, "addr.street = 'b'", 0, 0);
    numbered_close(&self);
}

/* Nanoseconds stay nanoseconds in literals, bounds and defaults. */
static void d096_nanoseconds_keep_their_unit(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = "id int, t timestamp_ns"});
    append_json(&self, "{'id':1,'t':'2024-01-02T03:04:05.123456788'}\n"
                       "{'id':2,'t':'2024-01-02T03:04:05.123456789'}\n"
                       "{'id':3,'t':'2024-01-02T03:04:05.123456790'}\n");
    check_json(self.table, "t = '2024-01-02T03:04:05.123456789'", "id", "{'id':2}\n");
    check_json(self.table, "t > '2024-01-02T03:04:05.123456788'", "id", "{'id':2}\n{'id':3}\n");
    check_kept(&self, "t > '2024-01-02T03:04:05.123456790'", 0, 0);
    check_kept(&self, "t < '2024-01-02T03:04:05.123456788'", 0, 0);
    evolve(&self, "1 id int; 2 t timestamp_ns; 3 d timestamp_ns = '2024-01-02T03:04:05.123456789'");
    check_json(self.table, "id = 1", "d", "{'d':'2024-01-02T03:04:05.123456789'}\n");
    check_kept(&self, "d = '2024-01-02T03:04:05.123456789'", 1, 3);
    check_kept(&self, "d = '2024-01-02T03:04:05.123456788'", 1, 0);
    numbered_close(&self);
}

/* A file without rows and row groups, of which the entry says so, beside one that has some. */
static void d162_a_file_without_rows_is_fine(void **state)
{
    (void)state;
    numbered_table self = table_of("id long, t timestamp", "1 id long; 2 t timestamp", "", NULL);
    check_json(self.table, NULL, NULL, "");
    foreign_append(&self, &(foreign_file){.schema = "1 id long; 2 t timestamp",
                                          .rows = "{'id':1,'t':null}\n"});
    check_json(self.table, "t is null", NULL, "{'id':1,'t':null}\n");
    check_kept(&self, "id >= 0", 1, 1);
    numbered_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d007_an_unknown_null_count_deletes_no_file),
        cmocka_unit_test(d120_bounds_cut_inside_a_character_are_read),
        cmocka_unit_test(test_bounds_of_a_promoted_column_have_their_old_width),
        cmocka_unit_test(test_bounds_that_cannot_be_say_nothing),
        cmocka_unit_test(d062_a_null_parent_is_a_null_of_its_required_child),
        cmocka_unit_test(d096_nanoseconds_keep_their_unit),
        cmocka_unit_test(d162_a_file_without_rows_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
