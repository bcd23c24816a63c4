#include "catalog/table.h"

#include "fixture.h"
#include "io/file.h"
#include "spec/update.h"

static void write_text(frz_io *io, const char *location, const char *text)
{
    frz_error *err = NULL;
    CHECK_OK(frz_io_write_file(io, location, frz_slice_of_text(text), &err), err);
}

static char *metadata_text(const frz_table *table)
{
    frz_error *err = NULL;
    char *text = NULL;
    CHECK_OK(frz_table_metadata_json(table, &text, &err), err);
    return text;
}

static void a_bare_folder_is_opened_at_its_newest_version(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_table *bare = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = fixture_create(&self, "n.t", "id long");
    char *json = metadata_text(table);
    write_text(self.io, "mem://h/metadata/v1.metadata.json", json);
    write_text(self.io, "mem://h/metadata/version-hint.text", "1\n");
    CHECK_OK(frz_table_open("mem://h/", self.io, &bare, &err), err);
    assert_string_equal(frz_table_metadata_location(bare), "mem://h/metadata/v1.metadata.json");
    CHECK(frz_table_identifier(bare) == NULL);
    write_text(self.io, "mem://h/metadata/v2.metadata.json", json);
    CHECK_OK(frz_table_refresh(bare, &err), err);
    assert_string_equal(frz_table_metadata_location(bare), "mem://h/metadata/v2.metadata.json");
    frz_text_free(json);
    frz_table_free(bare);
    CHECK_FAILS(frz_table_open("mem://none", self.io, &bare, &err), FRZ_NOT_FOUND, err,
                "open table mem://none");
    frz_table_free(table);
    fixture_close(&self);
}

/* A table with two snapshots on main (11 then 12), a branch at 11 and a tag at 11. */
static frz_table *table_with_history(fixture *self)
{
    frz_error *err = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *metadata = NULL;
    frz_table *table = fixture_create(self, "n.t", "id long");
    CHECK_OK(frz_metadata_builder_new(table->metadata, 3, &builder, &err), err);
    frz_snapshot snapshot = {.parent_id = FRZ_NO_SNAPSHOT,
                             .operation = "append",
                             .manifest_list = "mem://wh/list",
                             .schema_id = 0,
                             .first_row_id = 0,
                             .added_rows = 0};
    const int64_t now = table->metadata->last_updated_ms;
    for (int64_t i = 1; i <= 2; i++) {
        snapshot.snapshot_id = 10 + i;
        snapshot.sequence_number = i;
        snapshot.timestamp_ms = now + i * 1000;
        CHECK_OK(frz_update_add_snapshot(builder, &snapshot, &err), err);
        frz_snapshot_ref ref = {"main", 10 + i, false, -1, -1, -1};
        CHECK_OK(frz_update_set_ref(builder, &ref, &err), err);
        CHECK_OK(frz_metadata_builder_finish(builder, table->metadata_location, now + i * 1000,
                                             &metadata, NULL, NULL, &err),
                 err);
        CHECK_OK(frz_table_move_to(table, "mem://wh/next", metadata, &err), err);
        frz_metadata_builder_free(builder);
        CHECK_OK(frz_metadata_builder_new(table->metadata, 3, &builder, &err), err);
    }
    const frz_snapshot_ref refs[] = {{"b", 11, false, -1, -1, -1}, {"g", 11, true, -1, -1, -1}};
    CHECK_OK(frz_update_set_ref(builder, &refs[0], &err), err);
    CHECK_OK(frz_update_set_ref(builder, &refs[1], &err), err);
    CHECK_OK(frz_metadata_builder_finish(builder, table->metadata_location, now + 3000, &metadata,
                                         NULL, NULL, &err),
             err);
    CHECK_OK(frz_table_move_to(table, "mem://wh/last", metadata, &err), err);
    frz_metadata_builder_free(builder);
    return table;
}

static int64_t select_id(const frz_table *table, const frz_snapshot_selector *at)
{
    frz_error *err = NULL;
    const frz_snapshot *snapshot = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(frz_table_select(table, at, &snapshot, &schema, &err), err);
    CHECK(schema != NULL);
    return snapshot ? snapshot->snapshot_id : -1;
}

static void snapshots_are_selected_by_id_time_and_ref(void **state)
{
    fixture self;
    frz_error *err = NULL;
    const frz_snapshot *snapshot = NULL;
    frz_schema *schema = NULL;
    int64_t current = 0;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_with_history(&self);
    frz_snapshot_selector at = FRZ_SNAPSHOT_SELECTOR_INIT;
    CHECK(select_id(table, NULL) == 12);
    CHECK(select_id(table, &at) == 12);
    CHECK(frz_table_current_snapshot(table, &current) && current == 12);
    CHECK(frz_table_current_snapshot(table, NULL));
    at.has_snapshot_id = true;
    at.snapshot_id = 11;
    CHECK(select_id(table, &at) == 11);
    at.snapshot_id = 99;
    CHECK_FAILS(frz_table_select(table, &at, &snapshot, &schema, &err), FRZ_NOT_FOUND, err, "99");
    at.ref = "b";
    CHECK_FAILS(frz_table_select(table, &at, &snapshot, &schema, &err), FRZ_INVALID, err,
                "several");
    at.has_snapshot_id = false;
    CHECK(select_id(table, &at) == 11);
    at.ref = "g";
    CHECK(select_id(table, &at) == 11);
    at.ref = "none";
    CHECK_FAILS(frz_table_select(table, &at, &snapshot, &schema, &err), FRZ_NOT_FOUND, err, "none");
    at.ref = NULL;
    at.has_as_of_ms = true;
    at.as_of_ms = frz_metadata_find_snapshot(table->metadata, 11)->timestamp_ms;
    CHECK(select_id(table, &at) == 11);
    at.as_of_ms += 999;
    CHECK(select_id(table, &at) == 11);
    at.as_of_ms += 1;
    CHECK(select_id(table, &at) == 12);
    at.as_of_ms = 1;
    CHECK_FAILS(frz_table_select(table, &at, &snapshot, &schema, &err), FRZ_NOT_FOUND, err,
                "current at 1970-01-01T00:00:00.001000Z");
    frz_table_free(table);
    fixture_close(&self);
}

static void an_empty_table_has_no_snapshot_but_a_schema(void **state)
{
    fixture self;
    frz_error *err = NULL;
    int64_t current = 0;
    struct ArrowSchema schema = {0};
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = fixture_create(&self, "n.t", "id long not null, s string");
    frz_snapshot_selector at = FRZ_SNAPSHOT_SELECTOR_INIT;
    at.ref = "main";
    CHECK(select_id(table, NULL) == -1);
    CHECK(select_id(table, &at) == -1);
    CHECK(!frz_table_current_snapshot(table, &current));
    CHECK(frz_table_property(table, "none") == NULL);
    CHECK_OK(frz_table_arrow_schema(table, &schema, &err), err);
    CHECK(schema.n_children == 2);
    assert_string_equal(schema.children[0]->format, "l");
    schema.release(&schema);
    frz_table_free(table);
    fixture_close(&self);
}

/* Exactly one slash between folder and name, whatever the location ends with. */
static void d147_paths_are_joined_with_one_slash(void **state)
{
    frz_property properties[2] = {{"write.data.path", "s3://d/x/"}, {"write.metadata.path", "m"}};
    frz_metadata metadata = {.location = "s3://b/wh//t/"};
    frz_buffer path = {0};
    (void)state;
    frz_table_data_path(&metadata, "f", &path);
    frz_buffer_append_byte(&path, 0);
    assert_string_equal((const char *)path.data, "s3://b/wh//t/data/f");
    frz_buffer_reset(&path);
    frz_table_metadata_path(&metadata, "f", &path);
    frz_buffer_append_byte(&path, 0);
    assert_string_equal((const char *)path.data, "s3://b/wh//t/metadata/f");
    metadata.properties = properties;
    metadata.property_count = 2;
    frz_buffer_reset(&path);
    frz_table_data_path(&metadata, "f", &path);
    frz_buffer_append_byte(&path, '|');
    frz_table_metadata_path(&metadata, "g", &path);
    frz_buffer_append_byte(&path, 0);
    assert_string_equal((const char *)path.data, "s3://d/x/f|m/g");
    frz_buffer_clear(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_folder_is_opened_at_its_newest_version),
        cmocka_unit_test(snapshots_are_selected_by_id_time_and_ref),
        cmocka_unit_test(an_empty_table_has_no_snapshot_but_a_schema),
        cmocka_unit_test(d147_paths_are_joined_with_one_slash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
