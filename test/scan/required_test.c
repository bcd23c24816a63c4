/*
 * Nulls in required columns: told at every depth, and only where what holds the field is there.
 */
#include "scan/required.h"

#include "scan/foreign_fixture.h"

/* Rows read as `file` has them, checked against the fields of `table`; "" passes. */
static void check_file(const char *file, const char *rows, const char *table, const char *message)
{
    numbered_table self = numbered_open(&(table_shape){.schema = "id int"});
    foreign_append(&self, &(foreign_file){.schema = file, .rows = rows});
    evolve(&self, table);
    if (*message)
        check_json_fails(self.table, NULL, FRZ_CORRUPT, message);
    else
        check_json(self.table, NULL, NULL, rows);
    numbered_close(&self);
}

static void test_nulls_are_told_at_every_depth(void **state)
{
    (void)state;
    static const char file[] = "1 a int; 2 s {3 b int; 4 t {5 c int}}; 6 l [7 int]; "
                               "8 m <9 string, 10 {11 d int}>";
    static const struct {
        const char *rows;
        const char *table;
        const char *message;
    } cases[] = {
        {"{'a':1}\n{'a':null}\n", "1! a int", "a is required, but it is null in value 1"},
        {"{'a':1}\n{'a':null}\n", "1! renamed long", "renamed is required"},
        {"{'s':{'b':null,'t':null}}\n", "2 s {3! b int}", "s.b is required"},
        {"{'s':{'b':1,'t':{'c':null}}}\n", "2 s {4 t {5! c int}}", "s.t.c is required"},
        {"{'s':{'b':1,'t':null}}\n", "2 s {4! t {5 c int}}", "s.t is required"},
        {"{'m':[['k',{'d':null}]]}\n", "8 m <9 string, 10 {11! d int}>", "m.value.d is required"},
        /* A field has no value where its struct is null: none that lacks. */
        {"{'s':null}\n{'s':{'t':null}}\n", "2 s {4 t {5! c int}}", ""},
        {"{'a':7}\n", "1! a int", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_file(file, cases[i].rows, cases[i].table, cases[i].message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nulls_are_told_at_every_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
