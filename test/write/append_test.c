#include "frazil/write.h"

#include "table_fixture.h"

static void rows_that_were_appended_are_read_back(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = fixture_create(&self, "n.t", "id long not null, name string");
    append_rows(table, "1:a 2:b 3:-");
    check_rows(table, "1:a 2:b 3:-");
    append_rows(table, "4:d");
    check_rows(table, "1:a 2:b 3:- 4:d");
    frz_table_free(table);
    fixture_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_were_appended_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
