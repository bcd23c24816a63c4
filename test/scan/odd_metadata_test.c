/*
 * Tables whose metadata is old, or was written otherwise than we write it: made by us, then edited
 * by hand. What the specification lets a reader make of them is read.
 */
#include "scan/foreign_fixture.h"

#include "expr/prune.h"
#include "scan/delete_fixture.h"
#include "spec/manifest_list.h"

/* The table's metadata as text, and another table opened on what becomes of it. */
typedef struct edited {
    numbered_table *from;
    frz_buffer text;
} edited;

static edited edit_metadata(numbered_table *from)
{
    edited self = {.from = from};
    frz_error *err = NULL;
    char *json = NULL;
    CHECK_OK(frz_table_metadata_json(from->table, &json, &err), err);
    frz_buffer_append_text(&self.text, json);
    frz_text_free(json);
    return self;
}

/* Every `from` becomes `to`; there must be one. */
static void replace(frz_buffer *text, const char *from, const char *to)
{
    frz_buffer out = {0};
    const size_t size = strlen(from);
    size_t found = 0;
    for (size_t at = 0; at < text->size;) {
        if (at + size <= text->size && memcmp(text->data + at, from, size) == 0) {
            frz_buffer_append_text(&out, to);
            at += size;
            found++;
        } else {
            frz_buffer_append_byte(&out, text->data[at++]);
        }
    }
    if (!found)
        fail_msg("no %s in %.*s", from, (int)text->size, (const char *)text->data);
    frz_buffer_clear(text);
    *text = out;
}

static frz_status try_open(edited *self, frz_table **out, frz_error **err)
{
    static int number;
    char location[64];
    (void)snprintf(location, sizeof location, "mem://odd/v%d.metadata.json", ++number);
    CHECK_OK(frz_io_write_file(self->from->storage, location, frz_buffer_slice(&self->text), err),
             *err);
    frz_buffer_clear(&self->text);
    return frz_table_open(location, self->from->storage, out, err);
}

static frz_table *open_edited(edited *self)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    CHECK_OK(try_open(self, &table, &err), err);
    return table;
}

/* The manifest list of the current snapshot, changed in place. */
static void change_list(numbered_table *self, void (*change)(frz_manifest_file *file))
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_manifest_list list = {0};
    const frz_metadata *metadata = self->table->metadata;
    const frz_snapshot *snapshot = frz_metadata_current_snapshot(metadata);
    CHECK_OK(frz_manifest_list_read(self->storage, metadata, snapshot, NULL, &arena, &list, &err),
             err);
    for (size_t i = 0; i < list.count; i++)
        change(&list.files[i]);
    CHECK_OK(frz_io_remove(self->storage, snapshot->manifest_list, &err), err);
    CHECK_OK(frz_manifest_list_write(self->storage, snapshot->manifest_list,
                                     metadata->format_version, snapshot, list.files, list.count,
                                     &err),
             err);
    frz_arena_clear(&arena);
}

/* The ids of the rows, whatever manifest comes first. */
static void check_ids(const frz_table *table, const char *where, const char *want)
{
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    name_list list;
    options.where = where;
    select_columns(&options, "id", &list);
    const scanned got = scan_rows(table, &options, false);
    if (strcmp(got.text, want) != 0)
        fail_msg("%s: got \"%s\", want \"%s\"", where ? where : "all", got.text, want);
}

static numbered_table small_table(int version, const char *partition)
{
    numbered_table self = numbered_open(&(table_shape){.schema = "id long not null, name string",
                                                       .partition = partition,
                                                       .format_version = version});
    append_numbers(&self, 0, 3);
    append_numbers(&self, 3, 2);
    return self;
}

/* "Snapshots", manifests: an array in the metadata instead of a list; and what else V1 may lack. */
static void v1_tables_may_embed_their_manifests(void **state)
{
    (void)state;
    numbered_table self = small_table(1, "truncate(2, id)");
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_manifest_list list = {0};
    char from[256];
    char to[512];
    edited text = edit_metadata(&self);
    const frz_metadata *metadata = self.table->metadata;
    const frz_snapshot *snapshot = frz_metadata_current_snapshot(metadata);
    CHECK_OK(frz_manifest_list_read(self.storage, metadata, snapshot, NULL, &arena, &list, &err),
             err);
    CHECK(list.count == 2);
    (void)snprintf(from, sizeof from, "\"manifest-list\":\"%s\"", snapshot->manifest_list);
    (void)snprintf(to, sizeof to, "\"manifests\":[\"%s\",\"%s\"]", list.files[0].path,
                   list.files[1].path);
    replace(&text.text, from, to);
    replace(&text.text, "\"table-uuid\":", "\"was-uuid\":");
    replace(&text.text, "\"format-version\":1,", "");
    replace(&text.text, "\"last-column-id\":2,", "");
    replace(&text.text, "\"refs\":", "\"was-refs\":");
    frz_table *odd = open_edited(&text);
    CHECK(frz_table_format_version(odd) == 1 && !frz_table_uuid(odd));
    assert_int_equal(count_rows(odd, NULL), 5);
    check_ids(odd, "id >= 2", "2 3 4");
    /* Nothing is known of the manifests: none is left out, and files still are. */
    assert_int_equal(count_rows(odd, "id = 4"), 1);
    frz_table_free(odd);
    frz_arena_clear(&arena);
    numbered_close(&self);
}

/* The same number of bytes, so that headers of Avro files can be changed as they stand. */
#define KNOWN "truncate[2]"
#define UNKNOWN "zcurve9[2]x"

static void forget_transform(numbered_table *self)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_manifest_list list = {0};
    const frz_metadata *metadata = self->table->metadata;
    CHECK_OK(frz_manifest_list_read(self->storage, metadata,
                                    frz_metadata_current_snapshot(metadata), NULL, &arena, &list,
                                    &err),
             err);
    for (size_t i = 0; i < list.count; i++) {
        frz_buffer bytes = {0};
        read_stored(self->storage, list.files[i].path, &bytes);
        replace(&bytes, KNOWN, UNKNOWN);
        replace_stored(self->storage, list.files[i].path, frz_buffer_slice(&bytes));
        frz_buffer_clear(&bytes);
    }
    frz_arena_clear(&arena);
}

/* "Partition Transforms": a transform that nobody knows is ignored: its tuples tell partitions
 * apart and prune nothing. */
static void unknown_transforms_prune_nothing(void **state)
{
    (void)state;
    numbered_table self = small_table(2, "truncate(2, id) as two");
    delete_where(&self, "id = 2");
    forget_transform(&self);
    edited text = edit_metadata(&self);
    replace(&text.text, KNOWN, UNKNOWN);
    frz_table *odd = open_edited(&text);
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "id >= 100";
    check_ids(odd, NULL, "0 1 3 4");
    check_ids(odd, "id = 3", "3");
    check_json(odd, "id in (1, 4)", "id,_partition",
               "{'id':4,'_partition':{'two':'4'}}\n{'id':1,'_partition':{'two':'0'}}\n");
    CHECK_OK(frz_scan_new(odd, &options, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    char *funnel = NULL;
    CHECK_OK(frz_plan_explain(plan, true, &funnel, &err), err);
    /* Bounds alone leave files out: no manifest, no partition. */
    CHECK(!strstr(funnel, "partition_summary") && !strstr(funnel, "\"partition\""));
    CHECK(strstr(funnel, "\"column_bounds\"") != NULL);
    frz_text_free(funnel);
    frz_plan_free(plan);
    frz_scan_free(scan);
    frz_table_free(odd);
    numbered_close(&self);
}

static void specs_that_are_missing_or_doubled_are_refused(void **state)
{
    (void)state;
    numbered_table self = small_table(2, "truncate(2, id)");
    frz_error *err = NULL;
    frz_table *odd = NULL;
    edited text = edit_metadata(&self);
    replace(&text.text, "\"spec-id\":0", "\"spec-id\":5");
    replace(&text.text, "\"default-spec-id\":0", "\"default-spec-id\":5");
    odd = open_edited(&text);
    check_json_fails(odd, NULL, FRZ_CORRUPT, "partition spec 0 is none of the table's specs");
    frz_table_free(odd);
    text = edit_metadata(&self);
    replace(&text.text, "\"partition-specs\":[",
            "\"partition-specs\":[{\"spec-id\":0,\"fields\":[]},");
    CHECK_FAILS(try_open(&text, &odd, &err), FRZ_CORRUPT, err, "two partition specs have the id 0");
    numbered_close(&self);
}

static void void_fields_are_null_in_every_tuple(void **state)
{
    (void)state;
    numbered_table self = small_table(2, "void(name) as gone, truncate(2, id) as two");
    check_json(self.table, "id = 4", "_partition", "{'_partition':{'gone':null,'two':4}}\n");
    check_ids(self.table, "name is not null and id < 2", "0 1");
    numbered_close(&self);
}

static void hide_added_rows(frz_manifest_file *file)
{
    file->existing_files = file->added_files;
    file->existing_rows = file->added_rows;
    file->added_files = 0;
    file->added_rows = 0;
}

static void forget_counts(frz_manifest_file *file)
{
    file->added_files = file->existing_files = file->deleted_files = -1;
    file->added_rows = file->existing_rows = file->deleted_rows = -1;
}

static void claim_no_rows(frz_manifest_file *file)
{
    file->added_rows = file->existing_rows = 0;
}

/* Only counts of files may exclude a manifest, and only when both are known to be zero. */
static void d057_counts_exclude_only_what_is_known_to_be_empty(void **state)
{
    (void)state;
    static void (*const changes[])(frz_manifest_file *) = {hide_added_rows, claim_no_rows};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        numbered_table self = small_table(2, NULL);
        change_list(&self, changes[i]);
        check_ids(self.table, "id is not null", "0 1 2 3 4");
        assert_int_equal(count_rows(self.table, "id > 1"), 3);
        numbered_close(&self);
    }
    numbered_table self = small_table(1, NULL);
    change_list(&self, forget_counts);
    check_ids(self.table, "id is not null", "0 1 2 3 4");
    assert_int_equal(count_rows(self.table, NULL), 5);
    numbered_close(&self);
}

/* lower > upper, in a summary and in a file: both are not believed. */
static void turn_around(frz_manifest_file *file)
{
    static int64_t bounds[2] = {4, 0};
    static frz_field_summary summary;
    summary = (frz_field_summary){.contains_nan = -1,
                                  .has_lower = true,
                                  .has_upper = true,
                                  .lower = frz_slice_of(&bounds[0], 8),
                                  .upper = frz_slice_of(&bounds[1], 8)};
    file->partitions = &summary;
    file->partition_count = 1;
}

static void d093_inverted_bounds_are_not_believed(void **state)
{
    (void)state;
    numbered_table self = small_table(2, "id");
    change_list(&self, turn_around);
    check_ids(self.table, "id < 2", "0 1");
    check_ids(self.table, "id > 2", "3 4");
    numbered_close(&self);

    const int64_t ten = 10;
    const int64_t one = 1;
    const frz_column_metrics metrics[] = {{.field_id = 1,
                                           .column_size = -1,
                                           .value_count = 3,
                                           .null_count = 0,
                                           .nan_count = -1,
                                           .has_lower = true,
                                           .has_upper = true,
                                           .lower = frz_slice_of(&ten, 8),
                                           .upper = frz_slice_of(&one, 8)}};
    self = numbered_open(&(table_shape){.schema = "id long"});
    foreign_append(&self, &(foreign_file){.schema = "1 id long",
                                          .rows = "{'id':1}\n{'id':5}\n{'id':10}\n",
                                          .metrics = metrics,
                                          .metric_count = 1});
    check_ids(self.table, "id < 4", "1");
    check_ids(self.table, "id > 6", "10");
    numbered_close(&self);
}

/* Bounds that a writer left out say nothing, whatever it says of nulls. */
static void forget_bounds(frz_manifest_file *file)
{
    static const frz_field_summary summary = {.contains_null = false, .contains_nan = 0};
    file->partitions = &summary;
    file->partition_count = 1;
}

static void d092_summaries_without_bounds_exclude_nothing(void **state)
{
    (void)state;
    numbered_table self = small_table(2, "bucket(4, id)");
    change_list(&self, forget_bounds);
    check_ids(self.table, "id = 3", "3");
    check_ids(self.table, "id is not null", "0 1 2 3 4");
    numbered_close(&self);
}

/* A column of the file that no schema of the table knows any more. */
static void d135_columns_of_no_schema_are_passed_over(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = "id long, name string"});
    foreign_append(&self, &(foreign_file){.schema = "99 name double; 1 id long; 98 s {97 x int}",
                                          .rows = "{'name':1.5,'id':7,'s':{'x':1}}\n"});
    check_json(self.table, NULL, NULL, "{'id':7,'name':null}\n");
    numbered_close(&self);
}

/* 0 is a field id as any other. */
static void d136_field_id_zero_is_read(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = "zero int, name string"});
    foreign_append(&self, &(foreign_file){.schema = "2 b string; 0 a int",
                                          .rows = "{'b':'x','a':5}\n{'b':'y','a':6}\n"});
    edited text = edit_metadata(&self);
    replace(&text.text, "\"id\":1,\"name\":\"zero\"", "\"id\":0,\"name\":\"zero\"");
    frz_table *odd = open_edited(&text);
    check_json(odd, "zero > 5", NULL, "{'zero':6,'name':'y'}\n");
    frz_table_free(odd);
    numbered_close(&self);
}

static void shorten(frz_manifest_file *file)
{
    file->length -= 10;
}

static void lengthen(frz_manifest_file *file)
{
    file->length += 1000;
}

/* Sizes in lists are wrong at times: a storage that knows the size of its files needs none. */
static void wrong_manifest_lengths_do_no_harm(void **state)
{
    (void)state;
    static void (*const changes[])(frz_manifest_file *) = {shorten, lengthen};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        numbered_table self = small_table(2, NULL);
        change_list(&self, changes[i]);
        check_ids(self.table, NULL, "0 1 2 3 4");
        numbered_close(&self);
    }
}

static uint8_t *find_bytes(uint8_t *from, const uint8_t *end, const char *wanted)
{
    const size_t size = strlen(wanted);
    for (; from + size <= end; from++)
        if (memcmp(from, wanted, size) == 0)
            return from;
    fail_msg("no %s", wanted);
    abort(); /* fail_msg does not come back */
}

/* Gives the partition field in the schema of a manifest's Avro file another id: nobody finds it. */
static void lose_partition_field(numbered_table *self)
{
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    frz_arena arena = {0};
    frz_manifest_list list = {0};
    const frz_metadata *metadata = self->table->metadata;
    CHECK_OK(frz_manifest_list_read(self->storage, metadata,
                                    frz_metadata_current_snapshot(metadata), NULL, &arena, &list,
                                    &err),
             err);
    read_stored(self->storage, list.files[0].path, &bytes);
    const uint8_t *end = bytes.data + bytes.size;
    uint8_t *id = find_bytes(find_bytes(bytes.data, end, "r102"), end, "1000");
    id[3] = '9';
    replace_stored(self->storage, list.files[0].path, frz_buffer_slice(&bytes));
    frz_buffer_clear(&bytes);
    frz_arena_clear(&arena);
}

static numbered_table table_without_partition(const char *schema, const char *rows)
{
    static const frz_value part = {.form = FRZ_VALUE_INTEGER, .integer = 7};
    numbered_table self = numbered_open(
        &(table_shape){.schema = "id long, p int", .partition = "p", .format_version = 2});
    foreign_append(
        &self,
        &(foreign_file){.schema = schema, .rows = rows, .partition = &part, .partition_count = 1});
    lose_partition_field(&self);
    return self;
}

/* What a manifest does not say of the partition is not null: nothing is left out by it. */
static void a_partition_that_a_manifest_lacks_is_unknown(void **state)
{
    (void)state;
    numbered_table self =
        table_without_partition("1 id long; 2 p int", "{'id':1,'p':7}\n{'id':2,'p':7}\n");
    check_query(self.table, "p = 7", "id,p", "1:7 2:7");
    check_query(self.table, "p = 8", "id", "");
    check_query(self.table, "p is null", "id", "");
    check_query(self.table, "_partition.p is null or id = 1", "id", "1 2");
    /* Deletes of a partition apply to nobody knows which file. */
    const frz_value part = {.form = FRZ_VALUE_INTEGER, .integer = 7};
    const written_file deletes = {.columns = {{1, "id", "long", 0, NULL}},
                                  .rows = "1",
                                  .partition = &part,
                                  .content = FRZ_CONTENT_EQUALITY_DELETES,
                                  .ids = {1}};
    commit_file(&self, &deletes);
    check_json_fails(self.table, "id", FRZ_CORRUPT, "its partition in spec 0 is not known");
    numbered_close(&self);
    self = table_without_partition("1 id long", "{'id':3}\n");
    check_query(self.table, NULL, "id", "3");
    check_json_fails(self.table, "p", FRZ_CORRUPT,
                     "column p: it is not in the file, and its value in partition spec 0");
    numbered_close(&self);
}

/* The schema that had the source of an old spec was removed with the snapshots that used it. */
static void a_partition_whose_source_no_schema_has_is_unknown(void **state)
{
    (void)state;
    static const frz_value parts[] = {{.form = FRZ_VALUE_INTEGER, .integer = 7},
                                      {.form = FRZ_VALUE_INTEGER, .integer = 8}};
    numbered_table self = numbered_open(
        &(table_shape){.schema = "id long, p int", .partition = "p", .format_version = 2});
    for (int i = 0; i < 2; i++)
        foreign_append(&self, &(foreign_file){.schema = "1 id long; 2 p int",
                                              .rows = i ? "{'id':1,'p':8}\n" : "{'id':1,'p':7}\n",
                                              .partition = &parts[i],
                                              .partition_count = 1});
    edited text = edit_metadata(&self);
    replace(&text.text, "{\"id\":2,\"name\":\"p\"", "{\"id\":9,\"name\":\"p\"");
    frz_table *table = open_edited(&text);
    check_query(table, "id = 1", "id", "1 1");
    frz_table_free(table);
    const written_file deletes = {.columns = {{1, "id", "long", 0, NULL}},
                                  .rows = "1",
                                  .partition = &parts[0],
                                  .content = FRZ_CONTENT_EQUALITY_DELETES,
                                  .ids = {1}};
    commit_file(&self, &deletes);
    CHECK(count_rows(self.table, NULL) == 1);
    text = edit_metadata(&self);
    replace(&text.text, "{\"id\":2,\"name\":\"p\"", "{\"id\":9,\"name\":\"p\"");
    table = open_edited(&text);
    check_json_fails(table, "id", FRZ_CORRUPT, "its partition in spec 0 is not known");
    frz_table_free(table);
    numbered_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v1_tables_may_embed_their_manifests),
        cmocka_unit_test(unknown_transforms_prune_nothing),
        cmocka_unit_test(specs_that_are_missing_or_doubled_are_refused),
        cmocka_unit_test(void_fields_are_null_in_every_tuple),
        cmocka_unit_test(d057_counts_exclude_only_what_is_known_to_be_empty),
        cmocka_unit_test(d093_inverted_bounds_are_not_believed),
        cmocka_unit_test(d092_summaries_without_bounds_exclude_nothing),
        cmocka_unit_test(d135_columns_of_no_schema_are_passed_over),
        cmocka_unit_test(d136_field_id_zero_is_read),
        cmocka_unit_test(wrong_manifest_lengths_do_no_harm),
        cmocka_unit_test(a_partition_that_a_manifest_lacks_is_unknown),
        cmocka_unit_test(a_partition_whose_source_no_schema_has_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
