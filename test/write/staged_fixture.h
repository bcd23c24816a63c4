/*
 * Verbs on rows as tests of transactions call them: each succeeds, or the test fails.
 */
#ifndef FRZ_TEST_STAGED_FIXTURE_H
#define FRZ_TEST_STAGED_FIXTURE_H

#include "frazil/maintenance.h"

#include "rival_fixture.h"

static inline void delete_rows_by(frz_table *table, frz_delete_mode mode, const char *where)
{
    frz_error *err = NULL;
    CHECK_OK(frz_table_delete(table, where, mode, NULL, NULL, &err), err);
}

static inline void update_rows_by(frz_table *table, frz_delete_mode mode, const char *set,
                                  const char *where)
{
    frz_error *err = NULL;
    CHECK_OK(frz_table_update(table, set, where, mode, NULL, NULL, &err), err);
}

/* An upsert on id. */
static inline void merge_rows_by(frz_table *table, frz_delete_mode mode, const char *source)
{
    static const char *const keys[] = {"id"};
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_merge_options how = FRZ_MERGE_OPTIONS_INIT;
    how.keys = keys;
    how.key_count = 1;
    how.mode = mode;
    CHECK_OK(rows_of(source, &rows, &err), err);
    CHECK_OK(frz_table_upsert(table, &rows, &how, NULL, NULL, &err), err);
}

/* `where` NULL: the partitions of the source. */
static inline void overwrite_rows_by(frz_table *table, frz_delete_mode mode, const char *where,
                                     const char *source)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_overwrite_options how = FRZ_OVERWRITE_OPTIONS_INIT;
    how.where = where;
    how.dynamic = !where;
    how.mode = mode;
    CHECK_OK(rows_of(source, &rows, &err), err);
    CHECK_OK(frz_table_overwrite(table, &rows, 1, &how, NULL, NULL, &err), err);
}

/* All snapshots of the table are sound, and their data is what metadata says. */
static inline void verify_deep(const frz_table *table)
{
    frz_error *err = NULL;
    frz_verify_report *report = NULL;
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    options.deep = true;
    CHECK_OK(frz_table_verify(table, &options, &report, &err), err);
    for (size_t i = 0; frz_verify_report_at(report, i); i++) {
        const frz_finding *finding = frz_verify_report_at(report, i);
        if (finding->severity == FRZ_SEVERITY_ERROR)
            fail_msg("%s: expected %s, found %s", finding->rule, finding->expected, finding->found);
    }
    frz_verify_report_free(report);
}

#endif
