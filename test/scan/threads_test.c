/*
 * Several threads plan, and read one plan: every row comes once, whoever reads its file. Run under
 * TSan too.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "write/table_fixture.h"

enum { APPENDS = 12, THREADS = 4, ROUNDS = 5 };

typedef struct readers {
    const frz_plan *plan;
    atomic_size_t next_file;
    atomic_llong rows;
    atomic_llong sum; /* of ids */
    atomic_int failed;
} readers;

static frz_status read_file(readers *shared, size_t index, frz_error **err)
{
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    frz_status status = frz_plan_file_stream(shared->plan, index, &stream, err);
    while (status == FRZ_OK) {
        status = frz_arrow_stream_next(&stream, &batch, err);
        if (status != FRZ_OK)
            break;
        const int64_t *ids = batch.children[0]->buffers[1];
        for (int64_t i = 0; i < batch.length; i++)
            atomic_fetch_add(&shared->sum, ids[batch.children[0]->offset + i]);
        atomic_fetch_add(&shared->rows, batch.length);
        frz_arrow_array_clear(&batch);
    }
    frz_arrow_stream_clear(&stream);
    return status == FRZ_END ? FRZ_OK : status;
}

static void *read_files(void *context)
{
    readers *shared = context;
    for (;;) {
        const size_t file = atomic_fetch_add(&shared->next_file, 1);
        if (file >= frz_plan_file_count(shared->plan))
            return NULL;
        frz_error *err = NULL;
        if (read_file(shared, file, &err) != FRZ_OK)
            atomic_fetch_add(&shared->failed, 1);
        frz_error_free(err);
    }
}

static void read_together(const frz_plan *plan, int64_t rows, int64_t sum)
{
    pthread_t threads[THREADS];
    readers shared = {.plan = plan};
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, read_files, &shared) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    assert_int_equal(shared.failed, 0);
    assert_int_equal(shared.rows, rows);
    assert_int_equal(shared.sum, sum);
}

/* Ids 0 to 3 * APPENDS - 1 in as many files as appends, each with its second row deleted. */
static frz_table *make_table(fixture *tables, int version)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    static const frz_option one_manifest_each[] = {
        {"commit.manifest-merge.enabled", "false"},
    };
    options.schema = "id long, name string";
    options.format_version = version;
    options.properties = one_manifest_each;
    options.property_count = 1;
    CHECK_OK(frz_catalog_create_table(tables->catalog, version == 2 ? "t.v2" : "t.v3", &options,
                                      &table, &err),
             err);
    for (int i = 0; i < APPENDS; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "%d:x %d:out %d:y", 3 * i, 3 * i + 1, 3 * i + 2);
        append_rows(table, text);
    }
    CHECK_OK(
        frz_table_delete(table, "name = 'out'", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
        err);
    return table;
}

static void plans_and_tasks_are_shared_by_threads(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        frz_error *err = NULL;
        fixture tables;
        CHECK_OK(fixture_open(&tables, NULL, &err), err);
        frz_table *table = make_table(&tables, version);
        const int64_t ids = 3 * APPENDS;
        const int64_t deleted = 3 * (APPENDS * (APPENDS - 1) / 2) + APPENDS;
        for (int round = 0; round < ROUNDS; round++) {
            frz_scan *scan = NULL;
            frz_plan *plan = NULL;
            frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
            options.threads = THREADS;
            CHECK_OK(frz_scan_new(table, &options, &scan, &err), err);
            CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
            assert_int_equal(frz_plan_file_count(plan), APPENDS);
            read_together(plan, 2 * APPENDS, ids * (ids - 1) / 2 - deleted);
            frz_plan_free(plan);
            frz_scan_free(scan);
        }
        frz_table_free(table);
        fixture_close(&tables);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_and_tasks_are_shared_by_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
