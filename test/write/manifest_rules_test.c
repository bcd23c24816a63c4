/*
 * Covers: write/manifest_set
 *
 * What holds for the manifests of every snapshot, however they were merged and filtered: one spec
 * and one content each, DELETED entries of the snapshot that deletes alone, summaries of partitions
 * that tell nulls and NaN (spec "Manifests", "Manifest Lists").
 */
#include "table_fixture.h"

#include "frazil/alter.h"
#include "spec/manifest.h"
#include "spec/manifest_list.h"

static fixture tables;
static frz_table *table;
static frz_arena arena;

static void make_table(const char *schema, const char *partition, bool merges)
{
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    const frz_option property = {"commit.manifest.min-count-to-merge", merges ? "2" : "100"};
    options.schema = schema;
    options.partition = partition;
    options.properties = &property;
    options.property_count = 1;
    CHECK_OK(fixture_open(&tables, NULL, &err), err);
    CHECK_OK(frz_catalog_create_table(tables.catalog, "n.t", &options, &table, &err), err);
}

static int tear_down(void **state)
{
    (void)state;
    frz_arena_clear(&arena);
    frz_table_free(table);
    fixture_close(&tables);
    return 0;
}

static frz_manifest_list current_list(void)
{
    frz_error *err = NULL;
    frz_manifest_list list = {0};
    frz_arena_clear(&arena);
    CHECK_OK(frz_manifest_list_read(table->io, table->metadata,
                                    frz_metadata_current_snapshot(table->metadata), &table->limits,
                                    &arena, &list, &err),
             err);
    return list;
}

/* Entries of one manifest: all of its spec and content; one that this snapshot wrote has DELETED
 * ones of it alone (those that were carried over stay as they are). */
static void check_entries(const frz_manifest_file *file)
{
    frz_error *err = NULL;
    frz_manifest *manifest = NULL;
    CHECK_OK(
        frz_manifest_read(table->io, file, table->metadata, NULL, &table->limits, &manifest, &err),
        err);
    for (size_t i = 0; i < frz_manifest_count(manifest); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        CHECK(entry->file.spec_id == file->spec_id);
        CHECK((entry->file.content == FRZ_CONTENT_DATA) == (file->content == 0));
        if (entry->status == FRZ_ENTRY_DELETED &&
            file->added_snapshot_id == table->metadata->current_snapshot_id)
            CHECK(entry->snapshot_id == file->added_snapshot_id);
    }
    frz_manifest_unref(manifest);
}

/* How many manifests of a content and spec the current snapshot has; all are checked. */
static int count_manifests(int content, int32_t spec_id)
{
    const frz_manifest_list list = current_list();
    int count = 0;
    for (size_t i = 0; i < list.count; i++) {
        check_entries(&list.files[i]);
        count += (int)list.files[i].content == content && list.files[i].spec_id == spec_id;
    }
    return count;
}

static void delete_where(const char *where, frz_delete_mode mode)
{
    frz_error *err = NULL;
    CHECK_OK(frz_table_delete(table, where, mode, NULL, NULL, &err), err);
}

static void partition_by(const char *term)
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_add_partition(changes, term, NULL, &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
}

static void merging_mixes_neither_specs_nor_contents(void **state)
{
    (void)state;
    make_table("id long, name string", NULL, true);
    append_rows(table, "1:a 2:b 3:c");
    append_rows(table, "4:a 5:b 6:c");
    CHECK(count_manifests(0, 0) == 1);
    partition_by("name");
    append_rows(table, "11:a 12:b");
    append_rows(table, "13:a 14:b");
    append_rows(table, "15:a 16:b");
    CHECK(count_manifests(0, 0) == 1 && count_manifests(0, 1) == 1);
    delete_where("id = 1 or id = 11", FRZ_DELETE_MODE_MERGE_ON_READ);
    delete_where("id = 4 or id = 13", FRZ_DELETE_MODE_MERGE_ON_READ);
    CHECK(count_manifests(1, 0) >= 1 && count_manifests(1, 1) <= 1);
    CHECK(count_manifests(0, 0) == 1 && count_manifests(0, 1) == 1);
    check_rows(table, "12:b 14:b 15:a 16:b 2:b 3:c 5:b 6:c");
}

/* Spec "Manifests": an entry is DELETED in the snapshot that deletes the file; the next one no
 * longer has it, filtered, merged or carried. */
static void deleted_entries_are_of_the_snapshot_that_deletes(void **state)
{
    (void)state;
    for (int merges = 0; merges < 2; merges++) {
        make_table("id long, name string", "name", merges == 1);
        append_rows(table, "1:a 2:b 3:c 4:d");
        delete_where("name = 'a'", FRZ_DELETE_MODE_DEFAULT);
        (void)count_manifests(0, 0);
        append_rows(table, "5:e");
        (void)count_manifests(0, 0);
        delete_where("name = 'b'", FRZ_DELETE_MODE_DEFAULT);
        (void)count_manifests(0, 0);
        append_rows(table, "6:f");
        (void)count_manifests(0, 0);
        check_rows(table, "3:c 4:d 5:e 6:f");
        if (merges == 0)
            (void)tear_down(state);
    }
}

static void check_summary(bool has_null, int has_nan)
{
    const frz_manifest_list list = current_list();
    bool null = false;
    int nan = -1;
    for (size_t i = 0; i < list.count; i++) {
        const frz_manifest_file *file = &list.files[i];
        if (file->content != 0 || file->added_files + file->existing_files == 0)
            continue;
        CHECK(file->partition_count == 1);
        null = null || file->partitions[0].contains_null;
        if (file->partitions[0].contains_nan > nan)
            nan = file->partitions[0].contains_nan;
    }
    if (null != has_null || nan != has_nan)
        fail_msg("null %d, NaN %d", null, nan);
}

static void rewrite_1(void)
{
    frz_error *err = NULL;
    CHECK_OK(
        frz_table_update(table, "v = v", "id = 1", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, &err),
        err);
}

/* Spec "Manifest Lists", field_summary: contains_null and contains_nan of the partition's values.
 */
static void summaries_tell_nulls_and_nan(void **state)
{
    frz_error *err = NULL;
    (void)state;
    make_table("id long, name string, v double", "v", true);
    append_rows(table, "1:a 2:b 3:c"); /* v is null in all */
    check_summary(true, 0);
    CHECK_OK(frz_table_update(table, "v = 1.5", "id = 1", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL,
                              &err),
             err);
    check_summary(true, 0);
    CHECK_OK(frz_table_update(table, "v = cast('NaN' as double)", "id = 2",
                              FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, &err),
             err);
    check_summary(true, 1);
    delete_where("v is null", FRZ_DELETE_MODE_DEFAULT);
    check_summary(true, 1); /* of the DELETED entry */
    rewrite_1();
    check_summary(false, 1); /* only what is left counts */
    delete_where("v is nan", FRZ_DELETE_MODE_DEFAULT);
    rewrite_1();
    check_summary(false, 0);
    check_selected(table, "id,v", "1:1.5");
}

#define CASE(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(merging_mixes_neither_specs_nor_contents),
        CASE(deleted_entries_are_of_the_snapshot_that_deletes),
        CASE(summaries_tell_nulls_and_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
