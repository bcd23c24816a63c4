/*
 * Partition values and folders of the tables that Java made: for each data file of expected.json
 * the folder that we name must be the one Java wrote to, and each row's transformed values must be
 * its file's tuple.
 */
#include "harness.h"

#include "base/arena.h"
#include "spec/metadata.h"

typedef struct table {
    char folder[4096];
    frz_arena arena;
    frz_buffer expected;
    frz_buffer metadata_text;
    frz_metadata *metadata;
} table;

typedef struct tally {
    size_t tables;
    size_t folders;
    size_t values;
} tally;

static bool load_file(const char *folder, const char *name, frz_buffer *out)
{
    char path[8192];
    CHECK((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path);
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t got = 0;
    do {
        uint8_t *at = frz_buffer_reserve(out, 65536);
        CHECK(at != NULL);
        got = fread(at, 1, 65536, file);
        out->size += got;
    } while (got > 0);
    CHECK(fclose(file) == 0);
    return true;
}

/* The reader at a member's value; the reader that is given stays at its object. */
static bool seek_member(frz_json_reader json, const char *key, frz_json_reader *out)
{
    frz_error *err = NULL;
    frz_slice name = {0};
    bool more = false;
    CHECK_OK(frz_json_enter_object(&json, &err), err);
    for (;;) {
        CHECK_OK(frz_json_next_key(&json, &name, &more, &err), err);
        if (!more)
            return false;
        if (frz_slice_is_text(name, key)) {
            *out = json;
            return true;
        }
        CHECK_OK(frz_json_skip(&json, &err), err);
    }
}

static frz_slice text_member(frz_json_reader object, const char *key)
{
    frz_json_reader at;
    frz_slice text = {0};
    frz_error *err = NULL;
    CHECK(seek_member(object, key, &at));
    CHECK_OK(frz_json_read_string(&at, &text, &err), err);
    return text;
}

/* A value in the conventions of the golden files: what frz_value_parse reads, in a string or bare.
 */
static frz_value value_at(frz_json_reader json, const frz_type *type, frz_arena *arena)
{
    frz_error *err = NULL;
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_slice text = {0};
    frz_value value = {.form = FRZ_VALUE_NULL};
    CHECK_OK(frz_json_peek(&json, &kind, &err), err);
    if (kind == FRZ_JSON_NULL)
        return value;
    if (kind == FRZ_JSON_STRING)
        CHECK_OK(frz_json_read_string(&json, &text, &err), err);
    else
        CHECK_OK(frz_json_read_raw(&json, &text, &err), err);
    CHECK_OK(frz_value_parse(type, text, arena, &value, &err), err);
    return value;
}

/* The tables show tuples by the names of the newest spec that has a field: the value by its field
 * id. */
static frz_value tuple_value(const table *t, frz_json_reader tuple, int32_t field_id,
                             const frz_type *type, frz_arena *arena)
{
    frz_json_reader at;
    for (size_t i = 0; i < t->metadata->spec_count; i++) {
        const frz_partition_spec *spec = &t->metadata->specs[i];
        for (size_t j = 0; j < spec->field_count; j++)
            if (spec->fields[j].field_id == field_id &&
                seek_member(tuple, spec->fields[j].name, &at))
                return value_at(at, type, arena);
    }
    fail_msg("%s: no value of partition field %d", t->folder, field_id);
    return (frz_value){0};
}

static const frz_partition_spec *spec_of(const table *t, frz_json_reader file)
{
    frz_json_reader at;
    frz_error *err = NULL;
    int32_t id = 0;
    CHECK(seek_member(file, "spec_id", &at));
    CHECK_OK(frz_json_read_i32(&at, &id, &err), err);
    const frz_partition_spec *spec = frz_metadata_find_spec(t->metadata, id);
    CHECK(spec != NULL);
    return spec;
}

static void read_tuple(const table *t, frz_json_reader file, const frz_partition_spec *spec,
                       frz_value *out, frz_arena *arena)
{
    const frz_type *type = frz_metadata_partition_type(t->metadata, spec->spec_id);
    frz_json_reader tuple;
    if (spec->field_count == 0) /* the tables then show no tuple at all */
        return;
    CHECK(seek_member(file, "partition", &tuple));
    for (size_t i = 0; i < spec->field_count; i++)
        out[i] = tuple_value(t, tuple, spec->fields[i].field_id, type->fields[i].type, arena);
}

enum { FIELDS_MAX = 32 };

static void check_folder(const table *t, frz_json_reader file, tally *counts)
{
    frz_arena arena = {0};
    frz_buffer path = {0};
    frz_value values[FIELDS_MAX];
    const frz_partition_spec *spec = spec_of(t, file);
    const frz_slice stored = text_member(file, "file_path");
    if (frz_partition_spec_is_unpartitioned(spec)) /* also where only void fields are left */
        return;
    CHECK(spec->field_count <= FIELDS_MAX);
    read_tuple(t, file, spec, values, &arena);
    frz_buffer_append_byte(&path, '/');
    frz_partition_path(spec, frz_metadata_partition_type(t->metadata, spec->spec_id), values,
                       &path);
    frz_buffer_append_byte(&path, '/');
    size_t end = stored.size;
    while (end > 0 && stored.data[end - 1] != '/')
        end--;
    if (end < path.size || memcmp(stored.data + end - path.size, path.data, path.size) != 0)
        fail_msg("%s: named %.*s, stored %.*s", t->folder, (int)path.size, (const char *)path.data,
                 (int)stored.size, (const char *)stored.data);
    counts->folders++;
    frz_buffer_clear(&path);
    frz_arena_clear(&arena);
}

/* Whether the row shows the column under its own name at the top (a struct's child it does not). */
static bool seek_column(const table *t, frz_json_reader row, int32_t id, const frz_type **type,
                        frz_json_reader *out)
{
    const frz_schema *schema = frz_metadata_schema(t->metadata);
    const frz_field *field = frz_schema_find_id(schema, id);
    if (!field || frz_schema_parent(schema, id))
        return false;
    *type = field->type;
    return seek_member(row, field->name, out);
}

static void check_row(const table *t, frz_json_reader row, frz_json_reader file, tally *counts)
{
    frz_arena arena = {0};
    frz_value values[FIELDS_MAX];
    const frz_partition_spec *spec = spec_of(t, file);
    read_tuple(t, file, spec, values, &arena);
    for (size_t i = 0; i < spec->field_count; i++) {
        const frz_partition_field *field = &spec->fields[i];
        const frz_type *type = NULL;
        frz_error *err = NULL;
        frz_json_reader at;
        frz_value result = {0};
        if (!seek_column(t, row, field->source_ids[0], &type, &at))
            continue;
        const frz_value value = value_at(at, type, &arena);
        CHECK_OK(frz_transform_apply(&field->transform, type, &value, &arena, &result, &err), err);
        if (!frz_value_same(&result, &values[i]))
            fail_msg("%s: %s of a row differs from its file's tuple", t->folder, field->name);
        counts->values++;
    }
    frz_arena_clear(&arena);
}

/* Calls `each` for every object of an array. */
static void for_each(const table *t, frz_json_reader array,
                     void (*each)(const table *, frz_json_reader, void *), void *context)
{
    frz_error *err = NULL;
    bool more = false;
    CHECK_OK(frz_json_enter_array(&array, &err), err);
    for (;;) {
        CHECK_OK(frz_json_next_item(&array, &more, &err), err);
        if (!more)
            return;
        each(t, array, context);
        CHECK_OK(frz_json_skip(&array, &err), err);
    }
}

typedef struct row_check {
    frz_json_reader row;
    frz_slice path;
    tally *counts;
} row_check;

static void check_row_of_file(const table *t, frz_json_reader file, void *context)
{
    const row_check *check = context;
    if (frz_slice_equal(text_member(file, "file_path"), check->path))
        check_row(t, check->row, file, check->counts);
}

/* Deletion vectors lie in no partition's folder. */
static void check_file(const table *t, frz_json_reader file, void *context)
{
    frz_json_reader at;
    frz_error *err = NULL;
    int64_t content = -1;
    CHECK(seek_member(file, "content", &at));
    CHECK_OK(frz_json_read_i64(&at, &content, &err), err);
    if (content == 0)
        check_folder(t, file, context);
}

static frz_json_reader expected_at(const table *t)
{
    frz_json_reader json =
        frz_json_reader_over(frz_buffer_slice(&t->expected), (frz_arena *)(uintptr_t)&t->arena);
    return json;
}

static bool seek_files(const table *t, frz_json_reader *out)
{
    frz_json_reader tables;
    return seek_member(expected_at(t), "metadata_tables", &tables) &&
           seek_member(tables, "files", out);
}

static void check_rows(const table *t, frz_json_reader row, void *context)
{
    frz_json_reader files;
    row_check check = {.row = row, .path = text_member(row, "_file"), .counts = context};
    CHECK(seek_files(t, &files));
    for_each(t, files, check_row_of_file, &check);
}

/* False when the table has no metadata that can be read without decompressing it. */
static bool load_table(const char *root, const char *name, table *t)
{
    frz_error *err = NULL;
    frz_json_reader at;
    frz_json_kind kind = FRZ_JSON_NULL;
    char relative[4096];
    CHECK((size_t)snprintf(t->folder, sizeof t->folder, "%s/%s", root, name) < sizeof t->folder);
    if (!load_file(t->folder, "expected.json", &t->expected) ||
        !seek_member(expected_at(t), "metadata_file", &at))
        return false;
    CHECK_OK(frz_json_peek(&at, &kind, &err), err);
    const frz_slice file = text_member(expected_at(t), "metadata_file");
    CHECK((size_t)snprintf(relative, sizeof relative, "%.*s", (int)file.size,
                           (const char *)file.data) < sizeof relative);
    if (strstr(relative, ".gz.") || !load_file(root, relative, &t->metadata_text))
        return false;
    CHECK_OK(frz_metadata_parse(frz_buffer_slice(&t->metadata_text), &frz_limits_default,
                                &t->metadata, &err),
             err);
    return true;
}

static void check_table(const char *root, const char *name, tally *counts)
{
    static table t;
    frz_json_reader at;
    memset(&t, 0, sizeof t);
    if (load_table(root, name, &t) && seek_files(&t, &at)) {
        for_each(&t, at, check_file, counts);
        if (seek_member(expected_at(&t), "current_rows_with_metadata_columns", &at))
            for_each(&t, at, check_rows, counts);
        counts->tables++;
    }
    frz_metadata_unref(t.metadata);
    frz_buffer_clear(&t.expected);
    frz_buffer_clear(&t.metadata_text);
    frz_arena_clear(&t.arena);
}

static void test_tables_of_java(void **state)
{
    (void)state;
    char root[4096];
    tally counts = {0};
    const char *testdata = testdata_folder();
    if (testdata)
        CHECK((size_t)snprintf(root, sizeof root, "%s/iceberg-tables/spark-1.12", testdata) <
              sizeof root);
    DIR *dir = testdata ? opendir(root) : NULL;
    if (!dir) {
        print_message("skipped: 90 cases, no golden files\n");
        return;
    }
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        if (entry->d_name[0] != '.')
            check_table(root, entry->d_name, &counts);
    CHECK(closedir(dir) == 0);
    print_message("%zu tables, %zu folders, %zu values\n", counts.tables, counts.folders,
                  counts.values);
    CHECK(counts.tables >= 60 && counts.folders >= 200 && counts.values >= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_of_java),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
