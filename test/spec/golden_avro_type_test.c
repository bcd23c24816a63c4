/*
 * Data and delete files in Avro that Java wrote (testdata/iceberg-tables): each names the Iceberg
 * schema it was made for (iceberg.schema), and what we make of that schema must be the Avro schema
 * that the file has, in types, names, ids, logical types and unions.
 */
#include "spec/avro_type.h"

#include <dirent.h>
#include <sys/stat.h>

#include "avro/container.h"
#include "avro/schema.h"
#include "frazil/io.h"
#include "harness.h"
#include "io/file.h"
#include "spec/schema.h"

static int files;

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void expect_same(const char *file, const char *where, const frz_avro_schema *java,
                        const frz_avro_schema *ours)
{
    if (java->kind != ours->kind || !same_text(java->name, ours->name) ||
        !same_text(java->logical_type, ours->logical_type) ||
        java->adjust_to_utc != ours->adjust_to_utc || java->precision != ours->precision ||
        java->scale != ours->scale || java->size != ours->size ||
        java->element_id != ours->element_id || java->key_id != ours->key_id ||
        java->value_id != ours->value_id || java->is_map != ours->is_map ||
        java->field_count != ours->field_count || java->branch_count != ours->branch_count)
        fail_msg("%s: %s differs: kind %d %s %s, ours %d %s %s", file, where, (int)java->kind,
                 java->name ? java->name : "", java->logical_type ? java->logical_type : "",
                 (int)ours->kind, ours->name ? ours->name : "",
                 ours->logical_type ? ours->logical_type : "");
    for (size_t i = 0; i < java->field_count; i++) {
        const frz_avro_field *field = &java->fields[i];
        assert_string_equal(field->name, ours->fields[i].name);
        CHECK(field->field_id == ours->fields[i].field_id);
        expect_same(file, field->name, field->type, ours->fields[i].type);
    }
    /* a default that is not null puts null last (Appendix A), which Java does not do */
    const bool swapped = java->branch_count == 2 && java->branches[0]->kind == FRZ_AVRO_NULL &&
                         ours->branches[1]->kind == FRZ_AVRO_NULL;
    for (size_t i = 0; i < java->branch_count; i++)
        expect_same(file, where, java->branches[i], ours->branches[swapped ? 1 - i : i]);
    if (java->items)
        expect_same(file, where, java->items, ours->items);
}

/* Schemas with metadata columns (row lineage, positions) cannot be read back as a table's. */
static void compare(const char *path, frz_slice iceberg, frz_slice avro)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_schema *schema = NULL;
    frz_buffer text = {0};
    const frz_avro_schema *java = NULL;
    const frz_avro_schema *ours = NULL;
    frz_json_reader json = frz_json_reader_over(iceberg, &arena);
    CHECK_OK(frz_avro_schema_parse(avro, NULL, &arena, &java, &err), err);
    if (same_text(java->name, "table") && /* no manifest */
        frz_schema_read_json(&json, &schema, NULL) == FRZ_OK) {
        CHECK_OK(frz_rows_avro_schema(frz_schema_type(schema), "table", &text, &err), err);
        CHECK_OK(frz_avro_schema_parse(frz_buffer_slice(&text), NULL, &arena, &ours, &err), err);
        expect_same(path, "root", java, ours);
        files++;
    }
    frz_buffer_clear(&text);
    frz_schema_unref(schema);
    frz_arena_clear(&arena);
}

static void check_file(const char *path)
{
    frz_error *err = NULL;
    frz_io *io = NULL;
    frz_input *input = NULL;
    frz_avro_container container;
    frz_slice iceberg;
    frz_slice avro;
    CHECK_OK(frz_io_local_new(&io, &err), err);
    CHECK_OK(frz_io_open(io, path, FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
    if (frz_avro_container_open(&container, input, &frz_limits_default, NULL) == FRZ_OK) {
        if (frz_avro_container_find(&container, "iceberg.schema", &iceberg)) {
            CHECK(frz_avro_container_find(&container, "avro.schema", &avro));
            compare(path, iceberg, avro);
        }
        frz_avro_container_clear(&container);
    }
    frz_input_close(input);
    frz_io_free(io);
}

static void walk(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry = NULL;
    CHECK(dir != NULL);
    while ((entry = readdir(dir))) {
        char path[4096];
        struct stat status;
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const char *dot = strrchr(path, '.');
        CHECK(stat(path, &status) == 0);
        if (S_ISDIR(status.st_mode))
            walk(path);
        else if (dot && strcmp(dot, ".avro") == 0)
            check_file(path);
    }
    CHECK(closedir(dir) == 0);
}

static void schemas_are_javas(void **state)
{
    char folder[4096];
    const char *testdata = testdata_folder();
    (void)state;
    if (!testdata) {
        printf("skipped: 1 cases\n");
        return;
    }
    (void)snprintf(folder, sizeof folder, "%s/iceberg-tables", testdata);
    walk(folder);
    printf("%d files\n", files);
    CHECK(files > 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(schemas_are_javas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
