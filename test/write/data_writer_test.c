/*
 * Rows into the files of many partitions and into the order of a table, when both are more than
 * fits: through the public interface, with little memory and few open files.
 */
#include "write/data_writer.h"

#include "io/fault.h"
#include "table_fixture.h"

static frz_table *create(fixture *self, frz_io *io, const char *partition, const char *sort,
                         const char *target_size)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    const frz_option properties[] = {{"write.target-file-size-bytes", target_size}};
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long, name string";
    options.partition = partition;
    options.sort = sort;
    options.properties = properties;
    options.property_count = target_size ? 1 : 0;
    CHECK_OK(fixture_open(self, io, &err), err);
    CHECK_OK(frz_catalog_create_table(self->catalog, "n.t", &options, &table, &err), err);
    return table;
}

/* Rows 0 to count - 1 in scattered order, as one batch; names tell the id. */
static frz_status scattered(int64_t count, struct ArrowArrayStream *out, frz_error **err)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    frz_arrow_builder *builder = NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 2, err));
    FRZ_TRY_DONE(
        frz_arrow_schema_init(schema.children[0], "l", "id", true, FRZ_ARROW_NO_FIELD_ID, 0, err));
    FRZ_TRY_DONE(frz_arrow_schema_init(schema.children[1], "u", "name", true, FRZ_ARROW_NO_FIELD_ID,
                                       0, err));
    FRZ_TRY_DONE(frz_arrow_builder_new(&schema, &builder, err));
    for (int64_t i = 0; i < count; i++) {
        char name[32];
        const int64_t id = i * 7919 % count; /* 7919 is a prime that divides no count here */
        const int size = snprintf(name, sizeof name, "n%lld", (long long)id);
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), id);
        frz_arrow_append_bytes(frz_arrow_builder_child(builder, 1),
                               frz_slice_of(name, (size_t)size));
        frz_arrow_append_struct(builder);
    }
    FRZ_TRY_DONE(frz_arrow_builder_finish(builder, &batch, err));
    FRZ_TRY_DONE(rows_from(&schema, &batch, out, err));

done:
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&schema);
    frz_arrow_array_clear(&batch);
    return status;
}

static frz_status append_scattered(frz_table *table, int64_t count,
                                   const frz_write_options *options, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    FRZ_TRY(scattered(count, &rows, err));
    return frz_table_append(table, &rows, options, NULL, err);
}

/* The live data files of the current snapshot, copied into `arena`. */
typedef struct live_files {
    frz_arena arena;
    frz_manifest *manifests[4];
    size_t manifest_count;
    const frz_data_file *files[512];
    size_t count;
} live_files;

static void read_files(const frz_table *table, live_files *out)
{
    frz_error *err = NULL;
    frz_manifest_list list = {0};
    *out = (live_files){0};
    CHECK_OK(frz_manifest_list_read(table->io, table->metadata,
                                    frz_metadata_current_snapshot(table->metadata), &table->limits,
                                    &out->arena, &list, &err),
             err);
    for (size_t i = 0; i < list.count; i++) {
        frz_manifest *manifest = NULL;
        CHECK_OK(frz_manifest_read(table->io, &list.files[i], table->metadata, NULL, &table->limits,
                                   &manifest, &err),
                 err);
        out->manifests[out->manifest_count++] = manifest;
        for (size_t j = 0; j < frz_manifest_count(manifest); j++)
            out->files[out->count++] = &frz_manifest_entry_at(manifest, j)->file;
    }
}

static void forget_files(live_files *files)
{
    for (size_t i = 0; i < files->manifest_count; i++)
        frz_manifest_unref(files->manifests[i]);
    frz_arena_clear(&files->arena);
}

/* Bounds of the column `id`. */
static void id_bounds(const frz_data_file *file, int64_t *lower, int64_t *upper)
{
    CHECK(file->column_count == 2 && file->columns[0].field_id == 1);
    memcpy(lower, file->columns[0].lower.data, sizeof *lower);
    memcpy(upper, file->columns[0].upper.data, sizeof *upper);
}

/* All ids once; in ascending order when `ordered`. */
static void check_ids(const frz_table *table, int64_t count, bool ordered)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    struct ArrowArrayStream stream = {0};
    bool *seen = frz_alloc_array((size_t)count, sizeof *seen);
    int64_t rows = 0;
    CHECK_OK(frz_scan_new(table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_stream(scan, &stream, &err), err);
    for (;;) {
        struct ArrowArray batch = {0};
        const frz_status status = frz_arrow_stream_next(&stream, &batch, &err);
        if (status == FRZ_END)
            break;
        CHECK_OK(status, err);
        const int64_t *ids = batch.children[0]->buffers[1];
        for (int64_t i = 0; i < batch.length; i++, rows++) {
            const int64_t id = ids[batch.offset + batch.children[0]->offset + i];
            CHECK(id >= 0 && id < count && !seen[id]);
            CHECK(!ordered || id == rows);
            seen[id] = true;
        }
        frz_arrow_array_clear(&batch);
    }
    CHECK(rows == count);
    frz_free(seen);
    frz_arrow_stream_clear(&stream);
    frz_scan_free(scan);
}

static void close_table(fixture *self, frz_table *table)
{
    frz_table_free(table);
    fixture_close(self);
}

static void partitions_beyond_the_open_files_have_one_file_each(void **state)
{
    (void)state;
    for (uint64_t memory = 1; memory < UINT64_C(1) << 30; memory <<= 29) {
        frz_error *err = NULL;
        fixture self;
        live_files files;
        frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
        options.open_files_max = 4;
        options.sort_memory = memory;
        frz_table *table = create(&self, NULL, "truncate(id, 1000)", NULL, NULL);
        CHECK_OK(append_scattered(table, 40000, &options, &err), err);
        read_files(table, &files);
        CHECK(files.count == 40); /* three pieces of the batch had rows of each */
        for (size_t i = 0; i < files.count; i++) {
            CHECK(files.files[i]->record_count == 1000);
            CHECK(files.files[i]->sort_order_id <= 0);
        }
        check_ids(table, 40000, false);
        forget_files(&files);
        close_table(&self, table);
    }
}

/* Rows of one partition keep the order they came in, also when they waited in files. */
static void rows_that_wait_keep_their_order(void **state)
{
    (void)state;
    frz_error *err = NULL;
    fixture self;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    frz_scan_options scan = FRZ_SCAN_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    options.open_files_max = 1;
    options.sort_memory = 1;
    scan.where = "name = 'b'";
    frz_table *table = create(&self, NULL, "name", NULL, NULL);
    CHECK_OK(rows_of("1:a 9:b 3:c 2:b 8:a 4:b 7:b 6:c 5:b", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, &options, NULL, &err), err);
    const scanned got = scan_rows(table, &scan, true);
    assert_string_equal(got.text, "9:b 2:b 4:b 7:b 5:b");
    close_table(&self, table);
}

static void a_table_in_order_has_files_in_order(void **state)
{
    (void)state;
    for (uint64_t memory = 1 << 16; memory < UINT64_C(1) << 30; memory <<= 13) {
        frz_error *err = NULL;
        fixture self;
        live_files files;
        frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
        options.sort_memory = memory;
        frz_table *table = create(&self, NULL, NULL, "id", "20000");
        CHECK_OK(append_scattered(table, 40000, &options, &err), err);
        read_files(table, &files);
        CHECK(files.count > 1);
        for (size_t i = 0; i < files.count; i++) {
            int64_t lower = 0;
            int64_t upper = 0;
            CHECK(files.files[i]->sort_order_id == 1);
            id_bounds(files.files[i], &lower, &upper);
            CHECK(upper - lower + 1 == files.files[i]->record_count); /* nobody else's */
        }
        check_ids(table, 40000, true);
        forget_files(&files);
        close_table(&self, table);
    }
}

static void each_partition_of_a_table_in_order_is_in_order(void **state)
{
    (void)state;
    frz_error *err = NULL;
    fixture self;
    live_files files;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.sort_memory = 1 << 16;
    options.open_files_max = 1;
    frz_table *table = create(&self, NULL, "truncate(id, 1000)", "id desc", NULL);
    CHECK_OK(append_scattered(table, 20000, &options, &err), err);
    read_files(table, &files);
    CHECK(files.count == 20);
    for (size_t i = 0; i < files.count; i++)
        CHECK(files.files[i]->record_count == 1000 && files.files[i]->sort_order_id == 1);
    check_ids(table, 20000, false);
    forget_files(&files);
    close_table(&self, table);
}

static void a_folder_that_cannot_be_written_leaves_the_table_as_it_was(void **state)
{
    (void)state;
    frz_error *err = NULL;
    fixture self;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.sort_memory = 1;
    options.spill_folder = "/nonexistent/frazil";
    options.open_files_max = 2;
    for (int sorted = 0; sorted < 2; sorted++) {
        frz_table *table = create(&self, NULL, "truncate(id, 10)", sorted ? "name" : NULL, NULL);
        const int before = fixture_files(self.io, "");
        CHECK_FAILS(append_scattered(table, 100, &options, &err), FRZ_NOT_FOUND, err,
                    "/nonexistent/frazil");
        err = NULL;
        CHECK(fixture_files(self.io, "") == before);
        close_table(&self, table);
    }
}

static void a_write_that_is_stopped_while_it_sorts_leaves_nothing(void **state)
{
    (void)state;
    frz_error *err = NULL;
    fixture self;
    const bool stop = true;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.cancelled = &stop;
    frz_table *table = create(&self, NULL, NULL, "name", NULL);
    const int before = fixture_files(self.io, "");
    CHECK_FAILS(append_scattered(table, 100, &options, &err), FRZ_CANCELLED, err, "");
    CHECK(fixture_files(self.io, "") == before);
    close_table(&self, table);
}

/* Storage of the table fails at each call in turn, while rows wait in files. */
static void every_storage_call_may_fail(void **state)
{
    (void)state;
    int64_t countdown = 0;
    for (bool fired = true; fired; countdown++) {
        frz_error *err = NULL;
        fixture self;
        frz_io *memory = NULL;
        frz_io *fault = NULL;
        frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
        options.sort_memory = 1;
        options.open_files_max = 2;
        CHECK_OK(frz_io_memory_new(&memory, &err), err);
        CHECK_OK(frz_io_fault_new(memory, &fault, &err), err);
        frz_table *table = create(&self, fault, "truncate(id, 10)", NULL, NULL);
        const int before = fixture_files(memory, "");
        frz_io_fault_fail_after(fault, countdown);
        const frz_status status = append_scattered(table, 40, &options, &err);
        fired = frz_io_fault_fired(fault);
        CHECK(status == FRZ_OK || fired);
        CHECK(status == FRZ_OK || fixture_files(memory, "") == before);
        frz_io_fault_fail_after(fault, -1);
        if (status == FRZ_OK)
            check_ids(table, 40, false);
        frz_error_free(err);
        frz_table_free(table);
        fixture_close(&self);
        frz_io_free(fault);
        frz_io_free(memory);
    }
    CHECK(countdown > 10);
}

static const char *swept_sort;

static void append_under_failure(void)
{
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    frz_catalog_backend *backend = NULL;
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;
    frz_io *io = NULL;
    frz_table_create_options create_options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    create_options.schema = "id long, name string";
    create_options.partition = "truncate(id, 10)";
    create_options.sort = swept_sort;
    options.sort_memory = 1;
    options.open_files_max = 1;
    frz_status status = frz_io_memory_new(&io, NULL);
    if (status == FRZ_OK)
        status = frz_catalog_memory_new(&backend, NULL);
    if (status == FRZ_OK)
        status = frz_catalog_new(backend, "default", "mem://wh", io, &catalog, NULL);
    if (status == FRZ_OK)
        status = frz_catalog_create_table(catalog, "n.t", &create_options, &table, NULL);
    if (status == FRZ_OK)
        status = append_scattered(table, 30, &options, NULL);
    CHECK(status == FRZ_OK || frz_mem_failed());
    frz_table_free(table);
    frz_catalog_free(catalog);
    frz_io_free(io);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    swept_sort = NULL;
    sweep_allocation_failures(append_under_failure);
    swept_sort = "name";
    sweep_allocation_failures(append_under_failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_beyond_the_open_files_have_one_file_each),
        cmocka_unit_test(rows_that_wait_keep_their_order),
        cmocka_unit_test(a_table_in_order_has_files_in_order),
        cmocka_unit_test(each_partition_of_a_table_in_order_is_in_order),
        cmocka_unit_test(a_folder_that_cannot_be_written_leaves_the_table_as_it_was),
        cmocka_unit_test(a_write_that_is_stopped_while_it_sorts_leaves_nothing),
        cmocka_unit_test(every_storage_call_may_fail),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
