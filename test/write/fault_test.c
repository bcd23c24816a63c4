/*
 * Append, delete, update, merge, overwrite, alter, publish and their commits with each allocation
 * and each storage call failing in turn, and with the process ending at each storage call: the
 * table is the old or the new one, whole, and what failed cleanly leaves no file behind.
 */
#include "table_fixture.h"

#include "base/clock.h"
#include "frazil/alter.h"
#include "frazil/delta.h"
#include "io/fault.h"

static void sleep_fast(void *self, int64_t ms)
{
    (void)self;
    (void)ms;
}

static const frz_clock_ops fast_clock = {.sleep_ms = sleep_fast};

/* One kind of change, from a table that holds "1:a 2:b 3:c" in one file. */
typedef struct change_case {
    const char *name;
    int format_version;
    frz_status (*run)(frz_table *table, frz_error **err);
    const char *before;
    const char *after;
    void (*set_up)(frz_table *table); /* more that the table holds before; NULL: nothing */
} change_case;

static frz_status run_append(frz_table *table, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    FRZ_TRY(rows_of("4:d 5:e", &rows, err));
    return frz_table_append(table, &rows, NULL, NULL, err);
}

static frz_status run_delete(frz_table *table, frz_error **err)
{
    return frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, err);
}

static frz_status run_rewrite(frz_table *table, frz_error **err)
{
    return frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, err);
}

static frz_status run_update(frz_table *table, frz_error **err)
{
    return frz_table_update(table, "name = upper(name) || '!'", "id = 2",
                            FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, err);
}

static frz_status run_rewriting_update(frz_table *table, frz_error **err)
{
    return frz_table_update(table, "name = cast(id * 2 as string)", "id = 2",
                            FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, err);
}

static frz_status run_merge(frz_table *table, frz_delete_mode mode, frz_error **err)
{
    static const char *const keys[] = {"id"};
    static const frz_merge_clause clauses[] = {{FRZ_MERGE_DELETE, "source.name = 'gone'", NULL},
                                               {FRZ_MERGE_UPDATE, NULL, NULL}};
    frz_merge_options how = FRZ_MERGE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    how.keys = keys;
    how.key_count = 1;
    how.matched = clauses;
    how.matched_count = 2;
    how.insert_not_matched = true;
    how.mode = mode;
    FRZ_TRY(rows_of("1:gone 2:B 9:new", &rows, err));
    return frz_table_merge(table, &rows, &how, NULL, NULL, err);
}

static frz_status run_merge_on_read(frz_table *table, frz_error **err)
{
    return run_merge(table, FRZ_DELETE_MODE_MERGE_ON_READ, err);
}

static frz_status run_rewriting_merge(frz_table *table, frz_error **err)
{
    return run_merge(table, FRZ_DELETE_MODE_COPY_ON_WRITE, err);
}

static frz_status run_overwrite(frz_table *table, frz_error **err)
{
    frz_overwrite_options how = FRZ_OVERWRITE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    how.where = "id >= 2";
    FRZ_TRY(rows_of("7:x 8:y", &rows, err));
    return frz_table_overwrite(table, &rows, 1, &how, NULL, NULL, err);
}

static frz_status run_alter(frz_table *table, frz_error **err)
{
    frz_alteration *changes = NULL;
    frz_status status = frz_alteration_new(&changes, err);
    if (status == FRZ_OK)
        status = frz_alter_add_column(changes, "n", "int not null default 7", NULL, err);
    if (status == FRZ_OK)
        status = frz_alter_add_partition(changes, "bucket(4, n)", NULL, err);
    if (status == FRZ_OK)
        status = frz_table_alter(table, changes, NULL, NULL, err);
    frz_alteration_free(changes);
    return status;
}

/* A staged snapshot, and one that came after it. */
static void stage(frz_table *table)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.wap_id = "staged";
    CHECK_OK(rows_of("4:d", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, &options, NULL, &err), err);
    append_rows(table, "5:e");
}

static frz_status run_publish(frz_table *table, frz_error **err)
{
    return frz_table_publish(table, "staged", NULL, NULL, err);
}

static frz_status run_delta(frz_table *table, frz_error **err)
{
    static const char *const key[] = {"id"};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    frz_delta *delta = NULL;
    struct ArrowArrayStream rows = {0};
    how.keys = key;
    how.key_count = 1;
    frz_status status = frz_delta_open(table, &how, NULL, &delta, err);
    if (status == FRZ_OK)
        status = rows_of("2:B 2:C 4:d", &rows, err);
    if (status == FRZ_OK)
        status = frz_delta_upsert(delta, &rows, err);
    if (status == FRZ_OK)
        status = frz_delta_commit(delta, NULL, err);
    frz_delta_free(delta);
    return status;
}

static void write_avro(frz_table *table)
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_set_property(changes, "write.format.default", "avro", &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
}

static const change_case cases[] = {
    {"append", 3, run_append, "1:a 2:b 3:c", "1:a 2:b 3:c 4:d 5:e", NULL},
    {"append to format 1", 1, run_append, "1:a 2:b 3:c", "1:a 2:b 3:c 4:d 5:e", NULL},
    {"delete by vector", 3, run_delete, "1:a 2:b 3:c", "1:a 3:c", NULL},
    {"delete by positions", 2, run_delete, "1:a 2:b 3:c", "1:a 3:c", NULL},
    {"delete by rewriting", 3, run_rewrite, "1:a 2:b 3:c", "1:a 3:c", NULL},
    {"update by vector", 3, run_update, "1:a 2:b 3:c", "1:a 2:B! 3:c", NULL},
    {"update by positions", 2, run_update, "1:a 2:b 3:c", "1:a 2:B! 3:c", NULL},
    {"update by rewriting", 3, run_rewriting_update, "1:a 2:b 3:c", "1:a 2:4 3:c", NULL},
    {"merge by vector", 3, run_merge_on_read, "1:a 2:b 3:c", "2:B 3:c 9:new", NULL},
    {"merge by rewriting", 3, run_rewriting_merge, "1:a 2:b 3:c", "2:B 3:c 9:new", NULL},
    {"overwrite", 3, run_overwrite, "1:a 2:b 3:c", "1:a 7:x 8:y", NULL},
    {"delta by vector", 3, run_delta, "1:a 2:b 3:c", "1:a 2:C 3:c 4:d", NULL},
    {"delta by positions", 2, run_delta, "1:a 2:b 3:c", "1:a 2:C 3:c 4:d", NULL},
    {"delta in Avro", 2, run_delta, "1:a 2:b 3:c", "1:a 2:C 3:c 4:d", write_avro},
    {"append in Avro", 3, run_append, "1:a 2:b 3:c", "1:a 2:b 3:c 4:d 5:e", write_avro},
    {"alter", 3, run_alter, "1:a 2:b 3:c", "1:a:7 2:b:7 3:c:7", NULL},
    {"publish", 3, run_publish, "1:a 2:b 3:c 5:e", "1:a 2:b 3:c 4:d 5:e", stage},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Storage, a fault wrapper over it, and a table made through the wrapper. */
typedef struct world {
    frz_io *storage;
    frz_io *fault;
    fixture tables;
    frz_table *table;
} world;

static void open_world(world *self, const change_case *change)
{
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    *self = (world){0};
    options.schema = "id long, name string";
    options.format_version = change->format_version;
    CHECK_OK(frz_io_memory_new(&self->storage, &err), err);
    CHECK_OK(frz_io_fault_new(self->storage, &self->fault, &err), err);
    CHECK_OK(fixture_open(&self->tables, self->fault, &err), err);
    CHECK_OK(frz_catalog_create_table(self->tables.catalog, "n.t", &options, &self->table, &err),
             err);
    append_rows(self->table, "1:a 2:b 3:c");
    if (change->set_up)
        change->set_up(self->table);
}

static void close_world(world *self)
{
    frz_table_free(self->table);
    fixture_close(&self->tables);
    frz_io_free(self->fault);
    frz_io_free(self->storage);
}

/* The table as another process finds it: through the pointer, with nothing cached. */
static void check_found(world *self, const char *want)
{
    frz_error *err = NULL;
    frz_catalog_backend *backend = frz_catalog_backend_of(self->tables.catalog);
    frz_table *found = NULL;
    char *location = NULL;
    CHECK_OK(backend->ops->load(backend, "n.t", &location, &err), err);
    CHECK_OK(frz_table_open(location, self->storage, &found, &err), err);
    check_rows(found, want);
    frz_table_free(found);
    frz_text_free(location);
}

static void check_outcome(world *self, const change_case *change, frz_status status, int files)
{
    check_found(self, status == FRZ_OK ? change->after : change->before);
    if (status != FRZ_OK && fixture_files(self->storage, "") != files)
        fail_msg("%s: status %s left %d files, there were %d", change->name,
                 frz_status_name(status), fixture_files(self->storage, ""), files);
}

static void allocations_fail(const change_case *change)
{
    const int descriptors = count_descriptors();
    for (int64_t i = 0;; i++) {
        world self;
        open_world(&self, change);
        const int files = fixture_files(self.storage, "");
        frz_mem_fail_after(i);
        const frz_status status = change->run(self.table, NULL);
        const bool failed = frz_mem_failed();
        frz_mem_fail_after(-1);
        CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
        check_outcome(&self, change, status, files);
        close_world(&self);
        if (!failed)
            break;
    }
    CHECK(count_descriptors() == descriptors);
}

static void every_allocation_fails_in_turn(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++)
        allocations_fail(&cases[i]);
}

/* One call fails; clean-up works. A failing removal may leave a file, never more. */
static void every_storage_call_fails_in_turn(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        for (int64_t call = 0;; call++) {
            world self;
            open_world(&self, &cases[i]);
            const int files = fixture_files(self.storage, "");
            frz_io_fault_fail_after(self.fault, call);
            const frz_status status = cases[i].run(self.table, NULL);
            const bool fired = frz_io_fault_fired(self.fault);
            frz_io_fault_fail_after(self.fault, -1);
            check_outcome(&self, &cases[i], status, files);
            close_world(&self);
            CHECK(call < 1000);
            if (!fired)
                break;
        }
    }
}

/* The process ends at one call: whatever it was doing, the table is the old or the new one. */
static void every_storage_call_is_the_last_in_turn(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        for (int64_t call = 0;; call++) {
            world self;
            open_world(&self, &cases[i]);
            frz_io_fault_crash_after(self.fault, call);
            const frz_status status = cases[i].run(self.table, NULL);
            const bool fired = frz_io_fault_fired(self.fault);
            check_found(&self, status == FRZ_OK ? cases[i].after : cases[i].before);
            frz_io_fault_fail_after(self.fault, -1);
            close_world(&self);
            CHECK(call < 1000);
            if (!fired)
                break;
        }
    }
}

/* An io trace: planning and committing list nothing; a delete reads each vector once. */
static void nothing_is_listed(void **state)
{
    frz_error *err = NULL;
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world self;
        open_world(&self, &cases[i]);
        frz_io_fault_trace_reset(self.fault);
        CHECK_OK(cases[i].run(self.table, &err), err);
        const frz_io_trace_entry *trace = frz_io_fault_trace(self.fault, &count);
        CHECK(count > 0);
        for (size_t j = 0; j < count; j++)
            CHECK(trace[j].call != FRZ_IO_CALL_LIST);
        close_world(&self);
    }
}

static int set_up(void **state)
{
    (void)state;
    frz_clock_replace(&fast_clock);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    frz_clock_replace(NULL);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_allocation_fails_in_turn),
        CASE(every_storage_call_fails_in_turn),
        CASE(every_storage_call_is_the_last_in_turn),
        CASE(nothing_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
