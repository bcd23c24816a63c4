/* Covers: write/manifest_set write/producer.
 *
 * Manifests over several commits: filtered, carried on, merged.
 */
#include "write/manifest_set.h"

#include "table_fixture.h"

static frz_table *make_table(fixture *self, int version, const char *partition, const char *key,
                             const char *value)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    const frz_option property = {key, value};
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long, name string";
    options.partition = partition;
    options.format_version = version;
    options.properties = &property;
    options.property_count = key ? 1 : 0;
    CHECK_OK(fixture_open(self, NULL, &err), err);
    CHECK_OK(frz_catalog_create_table(self->catalog, "n.t", &options, &table, &err), err);
    return table;
}

static frz_manifest_list current_list(const frz_table *table, frz_arena *arena)
{
    frz_error *err = NULL;
    frz_manifest_list list = {0};
    CHECK_OK(frz_manifest_list_read(table->io, table->metadata,
                                    frz_metadata_current_snapshot(table->metadata), &table->limits,
                                    arena, &list, &err),
             err);
    return list;
}

static frz_manifest *read_manifest(const frz_table *table, const frz_manifest_file *file)
{
    frz_error *err = NULL;
    frz_manifest *manifest = NULL;
    CHECK_OK(
        frz_manifest_read(table->io, file, table->metadata, NULL, &table->limits, &manifest, &err),
        err);
    return manifest;
}

/* D042: what a commit deleted is DELETED there and gone afterwards; the rest keeps its
 * numbers. */
static void d006_a_filtered_manifest_keeps_what_it_knows(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_arena arena = {0};
    (void)state;
    frz_table *table = make_table(&self, 3, "name", NULL, NULL);
    append_rows(table, "1:a 2:b 3:c");
    const int64_t first = table->metadata->current_snapshot_id;
    CHECK_OK(frz_table_delete(table, "name = 'b'", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err), err);
    const int64_t second = table->metadata->current_snapshot_id;
    frz_manifest_list list = current_list(table, &arena);
    CHECK(list.count == 1);
    CHECK(list.files[0].existing_files == 2 && list.files[0].deleted_files == 1);
    CHECK(list.files[0].added_files == 0 && list.files[0].sequence_number == 2);
    CHECK(list.files[0].min_sequence_number == 1);
    frz_manifest *manifest = read_manifest(table, &list.files[0]);
    CHECK(frz_manifest_count(manifest) == 3);
    for (size_t i = 0; i < 3; i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        const bool deleted = entry->status == FRZ_ENTRY_DELETED;
        CHECK(entry->snapshot_id == (deleted ? second : first));
        CHECK(entry->sequence_number == 1 && entry->file_sequence_number == 1);
        CHECK(entry->file.first_row_id >= 0 && entry->file.first_row_id < 3);
    }
    frz_manifest_unref(manifest);
    check_selected(table, "id,_row_id", "1:0 3:2");

    CHECK_OK(frz_table_delete(table, "name = 'c'", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err), err);
    list = current_list(table, &arena);
    manifest = read_manifest(table, &list.files[0]);
    CHECK(frz_manifest_count(manifest) == 2); /* b is not carried on */
    frz_manifest_unref(manifest);
    check_rows(table, "1:a");
    frz_arena_clear(&arena);
    frz_table_free(table);
    fixture_close(&self);
}

/* A manifest in which nothing lives any more is dropped by the next commit. */
static void d161_dead_manifests_are_dropped(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_arena arena = {0};
    (void)state;
    frz_table *table = make_table(&self, 2, NULL, NULL, NULL);
    append_rows(table, "1:a");
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err), err);
    CHECK(current_list(table, &arena).count == 1);
    append_rows(table, "2:b");
    CHECK(current_list(table, &arena).count == 1);
    check_rows(table, "2:b");
    frz_arena_clear(&arena);
    frz_table_free(table);
    fixture_close(&self);
}

static void manifests_are_merged_when_there_are_enough(void **state)
{
    fixture self;
    frz_arena arena = {0};
    (void)state;
    frz_table *table = make_table(&self, 3, NULL, "commit.manifest.min-count-to-merge", "3");
    append_rows(table, "1:a");
    append_rows(table, "2:b");
    CHECK(current_list(table, &arena).count == 2);
    append_rows(table, "3:c");
    const frz_manifest_list list = current_list(table, &arena);
    CHECK(list.count == 1);
    CHECK(list.files[0].added_files == 1 && list.files[0].existing_files == 2);
    CHECK(list.files[0].sequence_number == 3 && list.files[0].min_sequence_number == 1);
    check_selected(table, "id,_last_updated_sequence_number", "1:1 2:2 3:3");
    frz_manifest *manifest = read_manifest(table, &list.files[0]);
    int64_t seen[3] = {-1, -1, -1};
    for (size_t i = 0; i < 3; i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        for (size_t j = 0; j < i; j++)
            CHECK(seen[j] != entry->file.first_row_id);
        seen[i] = entry->file.first_row_id;
        CHECK(entry->file.first_row_id >= 0);
        CHECK(entry->file.first_row_id < table->metadata->next_row_id);
    }
    frz_manifest_unref(manifest);
    append_rows(table, "4:d");
    check_rows(table, "1:a 2:b 3:c 4:d");
    frz_arena_clear(&arena);
    frz_table_free(table);
    fixture_close(&self);
}

/* Spec "First Row ID Inheritance": "The inherited value of first_row_id must be written into data
 * file metadata when creating existing and deleted entries". */
static void row_ids_outlive_a_manifest_that_is_filtered_and_merged_at_once(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_arena arena = {0};
    (void)state;
    frz_table *table = make_table(&self, 3, "name", "commit.manifest.min-count-to-merge", "2");
    append_rows(table, "1:a 2:b 3:c");
    append_rows(table, "4:a");
    CHECK_OK(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err), err);
    check_selected(table, "id,_row_id", "1:0 3:2 4:3");
    CHECK_OK(frz_table_update(table, "name = 'd'", "id = 3", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL,
                              NULL, &err),
             err);
    const frz_manifest_list list = current_list(table, &arena);
    CHECK(list.count == 1); /* the filtered manifest and the new one */
    check_selected(table, "id,_row_id", "1:0 3:2 4:3");
    check_selected(table, "id,_last_updated_sequence_number", "1:1 3:4 4:2");
    frz_manifest *manifest = read_manifest(table, &list.files[0]);
    for (size_t i = 0; i < frz_manifest_count(manifest); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        if (entry->status == FRZ_ENTRY_DELETED)
            CHECK(entry->file.first_row_id == 2);
    }
    frz_manifest_unref(manifest);
    frz_arena_clear(&arena);
    frz_table_free(table);
    fixture_close(&self);
}

static void merging_can_be_turned_off(void **state)
{
    fixture self;
    frz_arena arena = {0};
    (void)state;
    frz_table *table = make_table(&self, 2, NULL, "commit.manifest-merge.enabled", "false");
    for (int i = 0; i < 105; i++)
        append_rows(table, "1:a");
    CHECK(current_list(table, &arena).count == 105);
    frz_arena_clear(&arena);
    frz_table_free(table);
    fixture_close(&self);
}

/* 100 small manifests are merged by default, as Java does. */
static void a_hundred_manifests_are_merged_by_default(void **state)
{
    fixture self;
    frz_arena arena = {0};
    (void)state;
    frz_table *table = make_table(&self, 2, NULL, NULL, NULL);
    for (int i = 0; i < 99; i++)
        append_rows(table, "1:a");
    CHECK(current_list(table, &arena).count == 99);
    append_rows(table, "2:b");
    CHECK(current_list(table, &arena).count == 1);
    CHECK(current_list(table, &arena).files[0].existing_files == 99);
    frz_arena_clear(&arena);
    frz_table_free(table);
    fixture_close(&self);
}

static void removed_keys_tell_files_apart(void **state)
{
    frz_buffer a = {0};
    frz_buffer b = {0};
    (void)state;
    frz_removed_key(frz_slice_of_text("p"), 4, true, &a);
    frz_removed_key(frz_slice_of_text("p"), 5, true, &b);
    CHECK(!frz_slice_equal(frz_buffer_slice(&a), frz_buffer_slice(&b)));
    frz_buffer_reset(&b);
    frz_removed_key(frz_slice_of_text("p"), 4, false, &b);
    CHECK(!frz_slice_equal(frz_buffer_slice(&a), frz_buffer_slice(&b)));
    frz_buffer_clear(&a);
    frz_buffer_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d006_a_filtered_manifest_keeps_what_it_knows),
        cmocka_unit_test(d161_dead_manifests_are_dropped),
        cmocka_unit_test(manifests_are_merged_when_there_are_enough),
        cmocka_unit_test(row_ids_outlive_a_manifest_that_is_filtered_and_merged_at_once),
        cmocka_unit_test(merging_can_be_turned_off),
        cmocka_unit_test(a_hundred_manifests_are_merged_by_default),
        cmocka_unit_test(removed_keys_tell_files_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
