/*
 * Tables of keys: one for all files of a scope that have the same delete columns, shared by the
 * tasks and threads of a plan, within the memory that is allowed. Run under TSan too.
 */
#include "scan/equality_deletes.h"

#include <pthread.h>
#include <stdatomic.h>

#include "scan/delete_fixture.h"
#include "scan/key_table.h"
#include "scan/plan.h"

typedef struct planned {
    frz_scan *scan;
    frz_plan *plan;
} planned;

static planned plan_of(const frz_table *table)
{
    frz_error *err = NULL;
    planned out = {0};
    CHECK_OK(frz_scan_new(table, NULL, &out.scan, &err), err);
    CHECK_OK(frz_scan_plan(out.scan, &out.plan, &err), err);
    return out;
}

static void planned_free(planned *of)
{
    frz_plan_free(of->plan);
    frz_scan_free(of->scan);
}

/* The scope of global deletes of the last task. */
static const frz_equality_scope *global_scope(const planned *of)
{
    const size_t last = frz_plan_task_count(of->plan) - 1;
    return frz_plan_task(of->plan, last)->equalities[1].scope;
}

/* As a data file that is newer than some deletes wants it. */
static const frz_key_table *acquire_table(frz_equality_probe *probe)
{
    frz_error *err = NULL;
    frz_equality_index index = {0};
    CHECK_OK(frz_equality_probe_acquire(probe, INT64_MAX, &index, &err), err);
    CHECK(!index.bits);
    return index.table;
}

static numbered_table open_table(int64_t rows)
{
    numbered_table self =
        numbered_open(&(table_shape){.schema = "id long, name string", .format_version = 2});
    const written_file file = {.columns = {{1, "id", "long", 0, NULL}}, .first = 0, .count = rows};
    commit_file(&self, &file);
    return self;
}

static void test_files_of_the_same_columns_are_one_probe(void **state)
{
    (void)state;
    numbered_table self = open_table(10);
    delete_numbers(&self, 2, 3);
    delete_keys(&self, 1, "id", "long", "4 7");
    delete_keys(&self, 2, "name", "string", "none");
    planned of = plan_of(self.table);
    const frz_equality_scope *scope = global_scope(&of);
    CHECK(frz_equality_scope_probe_count(scope) == 2);
    frz_equality_probe *probe = frz_equality_scope_probe(scope, 0);
    CHECK(frz_equality_probe_sequence(probe) == 3);
    CHECK(frz_equality_probe_sequence(frz_equality_scope_probe(scope, 1)) == 4);
    const frz_key_table *table = acquire_table(probe);
    CHECK(table && table == acquire_table(probe) && frz_key_table_count(table) == 4);
    frz_equality_probe_release(probe);
    frz_equality_probe_release(probe);
    planned_free(&of);
    numbered_close(&self);
}

static size_t opens_of(const frz_io *io, const char *part)
{
    size_t count = 0;
    size_t found = 0;
    const frz_io_trace_entry *trace = frz_io_fault_trace(io, &count);
    for (size_t i = 0; i < count; i++)
        found += trace[i].call == FRZ_IO_CALL_OPEN && strstr(trace[i].location, part) != NULL;
    return found;
}

/* Older than all deletes: bits. Newer than some: a table. Keys that are far apart: a table. */
static void test_files_older_than_every_delete_are_looked_up_in_bits(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_equality_index first = {0};
    frz_equality_index index = {0};
    numbered_table self = open_table(10);
    delete_keys(&self, 1, "id", "long", "4 7");
    delete_keys(&self, 1, "id", "long", "5 -");
    delete_keys(&self, 2, "name", "string", "none");
    planned of = plan_of(self.table);
    frz_equality_probe *probe = frz_equality_scope_probe(global_scope(&of), 0);
    frz_io_fault_trace_reset(self.fault);
    CHECK_OK(frz_equality_probe_acquire(probe, 1, &first, &err), err);
    CHECK(first.bits && !first.table);
    CHECK_OK(frz_equality_probe_acquire(probe, 1, &index, &err), err);
    CHECK(index.bits == first.bits && !index.table);
    CHECK(opens_of(self.fault, frz_plan_file_at(of.plan, 0)->equality_deletes[0].path) == 1);
    CHECK_OK(frz_equality_probe_acquire(probe, 2, &index, &err), err);
    CHECK(!index.bits && frz_key_table_count(index.table) == 4);
    for (int i = 0; i < 3; i++)
        frz_equality_probe_release(probe);
    CHECK_OK(
        frz_equality_probe_acquire(frz_equality_scope_probe(global_scope(&of), 1), 1, &index, &err),
        err);
    CHECK(!index.bits && frz_key_table_count(index.table) == 1);
    frz_equality_probe_release(frz_equality_scope_probe(global_scope(&of), 1));
    planned_free(&of);
    CHECK(count_rows(self.table, NULL) == 7);

    delete_keys(&self, 1, "id", "long", "6 9223372036854775807");
    of = plan_of(self.table);
    probe = frz_equality_scope_probe(global_scope(&of), 0);
    CHECK_OK(frz_equality_probe_acquire(probe, 1, &index, &err), err);
    CHECK(!index.bits && frz_key_table_count(index.table) == 6);
    frz_equality_probe_release(probe);
    planned_free(&of);
    CHECK(count_rows(self.table, NULL) == 6);
    numbered_close(&self);
}

/* What a visit of passes sees. */
typedef struct passes {
    size_t count;
    size_t keys;
    size_t memory; /* of the largest */
} passes;

static frz_status count_pass(void *context, const frz_key_table *table, frz_error **err)
{
    passes *seen = context;
    (void)err;
    seen->count++;
    seen->keys += frz_key_table_count(table);
    if (frz_key_table_memory(table) > seen->memory)
        seen->memory = frz_key_table_memory(table);
    return FRZ_OK;
}

static void test_keys_beyond_the_memory_are_applied_in_passes(void **state)
{
    (void)state;
    frz_error *err = NULL;
    numbered_table self = open_table(20000);
    delete_numbers(&self, 100, 10000);
    delete_keys(&self, 1, "id", "long", "19999 1");
    const int64_t want = 20000 - 10000 - 2;
    CHECK(count_rows(self.table, NULL) == want);

    self.table->limits.equality_delete_memory = (size_t)700 << 10;
    planned of = plan_of(self.table);
    frz_equality_probe *probe = frz_equality_scope_probe(global_scope(&of), 0);
    const frz_key_table *table = NULL;
    table = acquire_table(probe);
    CHECK(table != NULL); /* it fits */
    frz_equality_probe_release(probe);
    planned_free(&of);

    self.table->limits.equality_delete_memory = (size_t)400 << 10;
    of = plan_of(self.table);
    probe = frz_equality_scope_probe(global_scope(&of), 0);
    table = acquire_table(probe);
    CHECK(table == NULL);
    passes seen = {0};
    CHECK_OK(frz_equality_probe_passes(probe, 1, count_pass, &seen, &err), err);
    CHECK(seen.count > 2 && seen.keys == 10002);
    CHECK(seen.memory <= (size_t)100 << 10 || seen.count == 4); /* a batch of keys at least */
    seen = (passes){0};
    CHECK_OK(frz_equality_probe_passes(probe, 2, count_pass, &seen, &err), err);
    CHECK(seen.count == 1 && seen.keys == 2); /* the newer file alone */
    planned_free(&of);

    /* All values as bits; neither bits nor all keys; no two keys. */
    static const size_t caps[] = {(size_t)400 << 10, 2000, 1};
    for (size_t i = 0; i < 3; i++) {
        self.table->limits.equality_delete_memory = caps[i];
        CHECK(count_rows(self.table, NULL) == want);
        check_query(self.table, "id < 102 and id > 98", "id", "99");
        check_query(self.table, "id in (0, 1)", "id,_pos", "0:0");
    }
    check_query(self.table, "id < 3", "id,_deleted", "0:false 1:true 2:false");
    numbered_close(&self);
}

/* Two partitions, each with its own keys, and memory for one of them. */
static void test_tables_that_nobody_uses_make_room(void **state)
{
    (void)state;
    static const frz_value parts[] = {{.form = FRZ_VALUE_INTEGER, .integer = 1},
                                      {.form = FRZ_VALUE_INTEGER, .integer = 2}};
    numbered_table self = numbered_open(
        &(table_shape){.schema = "id long, p int", .partition = "p", .format_version = 2});
    for (size_t i = 0; i < 2; i++) {
        written_file file = {.columns = {{1, "id", "long", 0, NULL}},
                             .first = 0,
                             .count = 5000,
                             .partition = &parts[i]};
        commit_file(&self, &file);
        file.content = FRZ_CONTENT_EQUALITY_DELETES;
        file.count = 4000;
        file.ids[0] = 1;
        commit_file(&self, &file);
    }
    self.table->limits.equality_delete_memory = (size_t)300 << 10;
    planned of = plan_of(self.table);
    frz_equality_probe *probes[2];
    const char *paths[2];
    for (size_t i = 0; i < 2; i++) {
        probes[i] = frz_equality_scope_probe(frz_plan_task(of.plan, i)->equalities[0].scope, 0);
        paths[i] = frz_plan_file_at(of.plan, i)->equality_deletes[0].path;
    }
    const frz_key_table *table = NULL;
    frz_io_fault_trace_reset(self.fault);
    table = acquire_table(probes[0]);
    CHECK(table && frz_key_table_count(table) == 4000);
    /* In use, it stays, and the other one has no room. */
    table = acquire_table(probes[1]);
    CHECK(table == NULL);
    frz_equality_probe_release(probes[0]);
    table = acquire_table(probes[0]);
    frz_equality_probe_release(probes[0]);
    CHECK(opens_of(self.fault, paths[0]) == 1);
    table = acquire_table(probes[1]);
    CHECK(table && frz_key_table_count(table) == 4000);
    frz_equality_probe_release(probes[1]);
    table = acquire_table(probes[0]);
    CHECK(table != NULL);
    frz_equality_probe_release(probes[0]);
    CHECK(opens_of(self.fault, paths[0]) == 2);
    planned_free(&of);
    CHECK(count_rows(self.table, NULL) == 2000);
    numbered_close(&self);
}

enum { FILES = 6, THREADS = 4 };

typedef struct readers {
    const frz_plan *plan;
    atomic_size_t next_file;
    atomic_llong rows;
    atomic_int failed;
} readers;

static frz_status read_file(readers *shared, size_t index, frz_error **err)
{
    collected rows = {0};
    struct ArrowArrayStream stream = {0};
    FRZ_TRY(frz_plan_file_stream(shared->plan, index, &stream, err));
    const frz_status status = collect_stream(&stream, &rows, err);
    atomic_fetch_add(&shared->rows, rows.rows);
    collected_clear(&rows);
    frz_arrow_stream_clear(&stream);
    return status;
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

static int64_t read_together(const frz_plan *plan)
{
    pthread_t threads[THREADS];
    readers shared = {.plan = plan};
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, read_files, &shared) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    assert_int_equal(shared.failed, 0);
    return shared.rows;
}

static void test_threads_share_one_table_that_is_built_once(void **state)
{
    (void)state;
    static const size_t caps[] = {(size_t)64 << 20, 64};
    numbered_table self = open_table(1000);
    for (int i = 1; i < FILES; i++) {
        const written_file file = {
            .columns = {{1, "id", "long", 0, NULL}}, .first = 0, .count = 1000};
        commit_file(&self, &file);
    }
    delete_numbers(&self, 10, 400);
    delete_keys(&self, 1, "id", "long", "999");
    for (size_t i = 0; i < 2; i++) {
        self.table->limits.equality_delete_memory = caps[i];
        planned of = plan_of(self.table);
        const char *path = frz_plan_file_at(of.plan, 0)->equality_deletes[0].path;
        frz_io_fault_trace_reset(self.fault);
        assert_int_equal(read_together(of.plan), FILES * (1000 - 401));
        /* In passes, once per data file after the tries that found bits and table too large. */
        assert_int_equal(opens_of(self.fault, path), i == 0 ? 1 : FILES + 2);
        planned_free(&of);
    }
    numbered_close(&self);
}

static numbered_table sweeping;

static void read_in_passes(void)
{
    frz_error *err = NULL;
    collected rows = {0};
    frz_table *table = NULL;
    frz_status status =
        frz_table_open(sweeping.table->metadata_location, sweeping.fault, &table, &err);
    if (status == FRZ_OK) {
        table->limits.equality_delete_memory = 1;
        status = collect(table, NULL, &rows, &err);
    }
    /* What the cache has no memory for is merely forgotten. */
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    CHECK(status != FRZ_OK || rows.rows == 7);
    frz_error_free(err);
    collected_clear(&rows);
    frz_table_free(table);
}

static void test_every_allocation_of_passes_may_fail(void **state)
{
    (void)state;
    sweeping = open_table(10);
    delete_numbers(&sweeping, 2, 3);
    sweep_allocation_failures(read_in_passes);
    numbered_close(&sweeping);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_of_the_same_columns_are_one_probe),
        cmocka_unit_test(test_files_older_than_every_delete_are_looked_up_in_bits),
        cmocka_unit_test(test_keys_beyond_the_memory_are_applied_in_passes),
        cmocka_unit_test(test_tables_that_nobody_uses_make_room),
        cmocka_unit_test(test_threads_share_one_table_that_is_built_once),
        cmocka_unit_test(test_every_allocation_of_passes_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
