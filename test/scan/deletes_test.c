/* Covers: scan/position_deletes */
#include "scan/deletes.h"

#include "scan/delete_fixture.h"

#include "puffin/deletion_vector.h"

static const char one_column[] = "id long not null";

/* The entry of the only data file of a table and its deletes, in a plan. */
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

/* Positions of format 2, in one file per delete: all of them are united; those of other data files
 * do not count. D063: no count from metadata with them. */
static void d063_rows_under_position_files_and_vectors_are_counted(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = one_column, .format_version = 2});
    append_numbers(&self, 0, 250);
    append_numbers(&self, 250, 150);
    delete_where(&self, "id in (3, 249, 250)");
    delete_where(&self, "id = 120");
    planned of = plan_of(self.table);
    CHECK(frz_plan_file_count(of.plan) == 2);
    for (size_t i = 0; i < 2; i++) {
        frz_error *err = NULL;
        frz_delete_set *set = NULL;
        const frz_scan_task *task = frz_plan_task(of.plan, i);
        const bool first = task->entry->file.record_count == 250;
        CHECK(task->delete_count >= 1 && frz_plan_file_at(of.plan, i)->deletes[0].content == 1);
        CHECK(frz_plan_file_at(of.plan, i)->deletes[0].offset == -1);
        CHECK_OK(frz_task_load_deletes(of.scan, task, &set, &err), err);
        const frz_bitmap *bitmap = frz_delete_set_bitmap(set);
        CHECK(frz_bitmap_cardinality(bitmap) == (first ? 3 : 1));
        CHECK(frz_bitmap_contains(bitmap, first ? 249 : 0));
        frz_delete_set_unref(set);
    }
    planned_free(&of);
    CHECK(count_rows(self.table, NULL) == 396);
    check_query(self.table, "id between 248 and 252", "id,_pos", "251:1 252:2 248:248");
    check_query(self.table, "_deleted", "id,_deleted", "250:true 3:true 120:true 249:true");
    numbered_close(&self);
    self = numbered_open(&(table_shape){.schema = one_column});
    append_numbers(&self, 0, 100);
    delete_where(&self, "id in (3, 5)");
    delete_where(&self, "id = 7"); /* into the same vector */
    CHECK(count_rows(self.table, NULL) == 97);
    CHECK(count_rows(self.table, "id < 10") == 7);
    numbered_close(&self);
}

static frz_status upgrade(frz_metadata_builder *builder, frz_error **err)
{
    return frz_update_upgrade(builder, 3, err);
}

/* The first vector of a file keeps what position files deleted before; the position file
 * stays for other data files. */
static void d029_the_first_vector_takes_over_position_deletes(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = one_column, .format_version = 2});
    append_numbers(&self, 0, 5);
    append_numbers(&self, 10, 5);
    delete_where(&self, "id in (0, 10)");
    change_metadata(&self, upgrade);
    delete_where(&self, "id = 1");
    check_query(self.table, NULL, "id", "11 12 13 14 2 3 4");
    check_query(self.table, "_deleted", "id,_deleted", "10:true 0:true 1:true");
    CHECK(count_rows(self.table, NULL) == 7);
    planned of = plan_of(self.table);
    for (size_t i = 0; i < 2; i++) {
        const frz_plan_file *file = frz_plan_file_at(of.plan, i);
        CHECK(file->delete_count == 1);
    }
    planned_free(&of);
    numbered_close(&self);
}

static void test_a_vector_is_shared_through_the_cache(void **state)
{
    (void)state;
    frz_error *err = NULL;
    numbered_table self = numbered_open(&(table_shape){.schema = one_column});
    append_numbers(&self, 0, 50);
    CHECK(count_rows(self.table, NULL) == 50);
    planned of = plan_of(self.table);
    frz_delete_set *none = NULL;
    CHECK_OK(frz_task_load_deletes(of.scan, frz_plan_task(of.plan, 0), &none, &err), err);
    CHECK(none == NULL);
    planned_free(&of);
    delete_where(&self, "id between 10 and 19");
    of = plan_of(self.table);
    frz_delete_set *first = NULL;
    frz_delete_set *second = NULL;
    CHECK_OK(frz_task_load_deletes(of.scan, frz_plan_task(of.plan, 0), &first, &err), err);
    CHECK_OK(frz_task_load_deletes(of.scan, frz_plan_task(of.plan, 0), &second, &err), err);
    CHECK(first == second && frz_bitmap_cardinality(frz_delete_set_bitmap(first)) == 10);
    frz_delete_set_unref(first);
    CHECK(frz_bitmap_contains(frz_delete_set_bitmap(second), 19));
    frz_delete_set_unref(second);
    planned_free(&of);
    numbered_close(&self);
}

/* Puts another vector of the same size where the table's only one stands. */
static void replace_vector(numbered_table *self, const int64_t *positions, size_t count)
{
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_buffer blob = {0};
    frz_bitmap *bitmap = NULL;
    planned of = plan_of(self->table);
    const frz_plan_delete *vector = &frz_plan_file_at(of.plan, 0)->deletes[0];
    CHECK_OK(frz_bitmap_new(&bitmap, &err), err);
    for (size_t i = 0; i < count; i++)
        CHECK_OK(frz_bitmap_add(bitmap, positions[i], &err), err);
    CHECK_OK(frz_deletion_vector_encode(bitmap, &blob, &err), err);
    read_stored(self->storage, vector->path, &file);
    CHECK((int64_t)blob.size == vector->size);
    memcpy(file.data + vector->offset, blob.data, blob.size);
    replace_stored(self->storage, vector->path, frz_buffer_slice(&file));
    frz_bitmap_free(bitmap);
    frz_buffer_clear(&blob);
    frz_buffer_clear(&file);
    planned_free(&of);
}

/* Counts from the manifest and rows that are read would differ. */
static void d078_a_vector_beyond_the_rows_of_its_file_is_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    collected rows = {0};
    numbered_table self = numbered_open(&(table_shape){.schema = one_column});
    append_numbers(&self, 0, 3);
    delete_where(&self, "id = 0 or id = 2");
    replace_vector(&self, (const int64_t[]){1, 2}, 2);
    frz_table *table = reopen(&self);
    check_query(table, NULL, "id", "0");
    frz_table_free(table);
    replace_vector(&self, (const int64_t[]){1, 99}, 2);
    table = reopen(&self);
    CHECK_FAILS(collect(table, NULL, &rows, &err), FRZ_CORRUPT, err,
                "deletes row 99 of a data file of 3 rows");
    collected_clear(&rows);
    frz_table_free(table);
    numbered_close(&self);
}

/* Rows deleted by position stay deleted whatever the filter tests. */
static void d082_deletes_are_not_pruned_with_the_filter(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        numbered_table self = numbered_open(&(table_shape){.format_version = version});
        append_numbers(&self, 0, 20);
        delete_where(&self, "id = 3");
        check_query(self.table, "name is null", "id", "10 17");
        CHECK(count_rows(self.table, "name is not null") == 17);
        numbered_close(&self);
    }
}

/* Loads the deletes of a task as if its vector's manifest entry were `entry`. */
static frz_status load_as(const planned *of, const frz_scan_task *task,
                          const frz_manifest_entry *entry, frz_error **err)
{
    const frz_manifest_entry *const deletes[] = {entry};
    frz_scan_task changed = *task;
    frz_delete_set *set = NULL;
    changed.deletes = deletes;
    const frz_status status = frz_task_load_deletes(of->scan, &changed, &set, err);
    frz_delete_set_unref(set);
    return status;
}

/* An entry that points at the vector of another data file, or beside one. */
static void d075_a_vector_elsewhere_in_the_file_is_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    numbered_table self = numbered_open(&(table_shape){.schema = one_column});
    append_numbers(&self, 0, 10);
    append_numbers(&self, 10, 10);
    delete_where(&self, "id in (1, 2, 13)");
    planned of = plan_of(self.table);
    const frz_scan_task *task = frz_plan_task(of.plan, 0);
    const frz_scan_task *other = frz_plan_task(of.plan, 1);
    frz_manifest_entry entry = *task->deletes[0];
    CHECK_OK(load_as(&of, task, &entry, &err), err);
    entry.file.content_offset = other->deletes[0]->file.content_offset;
    entry.file.content_size = other->deletes[0]->file.content_size;
    frz_table *fresh = reopen(&self);
    planned uncached = plan_of(fresh);
    CHECK_FAILS(load_as(&uncached, task, &entry, &err), FRZ_CORRUPT, err, "positions");
    entry = *task->deletes[0];
    entry.file.content_offset += 1;
    CHECK_FAILS(load_as(&uncached, task, &entry, &err), FRZ_CORRUPT, err, "");
    planned_free(&uncached);
    frz_table_free(fresh);
    planned_free(&of);
    numbered_close(&self);
}

/* A count of 0 is a count: it is not "unknown". */
static void d077_the_count_of_the_manifest_must_be_that_of_the_vector(void **state)
{
    (void)state;
    frz_error *err = NULL;
    numbered_table self = numbered_open(&(table_shape){.schema = one_column});
    append_numbers(&self, 0, 10);
    delete_where(&self, "id < 5");
    for (int64_t count = 0; count <= 6; count += 3) {
        frz_table *table = reopen(&self);
        planned of = plan_of(table);
        const frz_scan_task *task = frz_plan_task(of.plan, 0);
        frz_manifest_entry entry = *task->deletes[0];
        CHECK(entry.file.record_count == 5);
        entry.file.record_count = count;
        CHECK_FAILS(load_as(&of, task, &entry, &err), FRZ_CORRUPT, err, "5");
        planned_free(&of);
        frz_table_free(table);
    }
    numbered_close(&self);
}

/* Deleting where a float has a value takes the row of that value, whatever its other columns share
 * with other rows. */
static void d019_a_delete_by_a_float_takes_its_rows_alone(void **state)
{
    (void)state;
    static const frz_delete_mode modes[] = {FRZ_DELETE_MODE_MERGE_ON_READ,
                                            FRZ_DELETE_MODE_COPY_ON_WRITE};
    for (int i = 0; i < 4; i++) {
        frz_error *err = NULL;
        numbered_table self = numbered_open(&(table_shape){
            .schema = "id long, name string, price double", .format_version = 2 + i / 2});
        commit_file(&self, &(written_file){.columns = {{1, "id", "long", 0, NULL},
                                                       {2, "name", "string", 0, NULL},
                                                       {3, "price", "double", 0, NULL}},
                                           .rows = "1:a:1.5 1:a:2.5"});
        CHECK_OK(frz_table_delete(self.table, "price = 1.5", modes[i % 2], NULL, NULL, &err), err);
        check_query(self.table, NULL, "id,name,price", "1:a:2.5");
        numbered_close(&self);
    }
}

/* A position delete file: "position:row's id:path" a row, for whatever data files. */
static void delete_positions(numbered_table *self, const char *rows)
{
    commit_file(self, &(written_file){.content = FRZ_CONTENT_POSITION_DELETES,
                                      .columns = {{FRZ_FIELD_ID_DELETE_POS, "pos", "long", 0, NULL},
                                                  {1, "id", "long", FRZ_FIELD_ID_DELETE_ROW, "row"},
                                                  {FRZ_FIELD_ID_DELETE_FILE_PATH, "file_path",
                                                   "string", 0, NULL}},
                                      .rows = rows});
}

/* The columns in another order and with the deleted row, positions in no order and repeated, a path
 * that no data file has, and several files for one data file. */
static void test_position_files_of_any_shape(void **state)
{
    (void)state;
    char rows[1024];
    numbered_table self = numbered_open(&(table_shape){.schema = one_column, .format_version = 2});
    append_numbers(&self, 0, 10);
    append_numbers(&self, 10, 10);
    planned of = plan_of(self.table);
    const char *second = frz_plan_file_at(of.plan, 0)->path;
    const char *first = frz_plan_file_at(of.plan, 1)->path;
    (void)snprintf(rows, sizeof rows,
                   "7:7:%s 3:13:%s 2:2:%s 7:7:%s 5:0:memory:/none.parquet 0:0:%s", first, second,
                   first, first, first);
    delete_positions(&self, rows);
    (void)snprintf(rows, sizeof rows, "9:9:%s 7:7:%s", first, first);
    delete_positions(&self, rows);
    planned_free(&of);
    check_query(self.table, NULL, "id", "10 11 12 14 15 16 17 18 19 1 3 4 5 6 8");
    CHECK(count_rows(self.table, NULL) == 15);
    check_query(self.table, "_deleted", "id,_deleted", "13:true 0:true 2:true 7:true 9:true");
    numbered_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d063_rows_under_position_files_and_vectors_are_counted),
        cmocka_unit_test(d029_the_first_vector_takes_over_position_deletes),
        cmocka_unit_test(test_a_vector_is_shared_through_the_cache),
        cmocka_unit_test(d078_a_vector_beyond_the_rows_of_its_file_is_refused),
        cmocka_unit_test(d075_a_vector_elsewhere_in_the_file_is_refused),
        cmocka_unit_test(d077_the_count_of_the_manifest_must_be_that_of_the_vector),
        cmocka_unit_test(d019_a_delete_by_a_float_takes_its_rows_alone),
        cmocka_unit_test(test_position_files_of_any_shape),
        cmocka_unit_test(d082_deletes_are_not_pruned_with_the_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
