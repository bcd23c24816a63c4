#define _XOPEN_SOURCE 700
#include "catalog/config_file.h"

#include "scratch.h"

static void read_text(const char *text, frz_arena *arena, frz_config_file *out, frz_status want,
                      const char *message)
{
    char folder[64];
    char path[128];
    frz_error *err = NULL;
    scratch_make(folder);
    (void)snprintf(path, sizeof path, "%s/c.yaml", folder);
    scratch_write(path, text);
    if (want == FRZ_OK)
        CHECK_OK(frz_config_file_read(path, arena, out, &err), err);
    else
        CHECK_FAILS(frz_config_file_read(path, arena, out, &err), want, err, message);
    scratch_remove(folder);
}

static void keys_are_lower_case_and_values_are_text(void **state)
{
    frz_arena arena = {0};
    frz_config_file file = {0};
    (void)state;
    read_text("max-workers: 4\nDefault-Catalog: Prod\ncatalog:\n  Prod:\n    URI: 'http://x'\n"
              "    s3.Port: 9000\n  other: {type: sql}\n",
              &arena, &file, FRZ_OK, NULL);
    assert_string_equal(file.default_catalog, "Prod");
    CHECK(file.section_count == 2);
    const frz_config_section *section = frz_config_file_section(&file, "prod");
    CHECK(section && section->count == 2);
    assert_string_equal(section->options[0].key, "uri");
    assert_string_equal(section->options[0].value, "http://x");
    assert_string_equal(section->options[1].key, "s3.port");
    assert_string_equal(section->options[1].value, "9000");
    CHECK(frz_config_file_section(&file, "Prod") == NULL);
    frz_arena_clear(&arena);
}

static void faults_name_file_and_line(void **state)
{
    frz_arena arena = {0};
    frz_config_file file = {0};
    frz_error *err = NULL;
    (void)state;
    read_text("catalog:\n  a: [1, 2]\n", &arena, &file, FRZ_INVALID, "c.yaml: line 2: a catalog");
    read_text("catalog: x\n", &arena, &file, FRZ_INVALID, "line 1: \"catalog\"");
    read_text("a: b\n c: [\n", &arena, &file, FRZ_INVALID, "c.yaml: line 2");
    read_text("- a\n", &arena, &file, FRZ_INVALID, "line 1: a configuration");
    read_text("catalog:\n  a:\n    k: {x: y}\n", &arena, &file, FRZ_INVALID, "line 3: the value");
    CHECK_FAILS(frz_config_file_read("/nowhere/c.yaml", &arena, &file, &err), FRZ_NOT_FOUND, err,
                "/nowhere/c.yaml");
    frz_arena_clear(&arena);
}

static void an_empty_file_has_nothing(void **state)
{
    frz_arena arena = {0};
    frz_config_file file = {0};
    (void)state;
    read_text("", &arena, &file, FRZ_OK, NULL);
    CHECK(file.section_count == 0 && !file.default_catalog);
    frz_arena_clear(&arena);
}

static char swept_path[128];

static void read_swept(void)
{
    frz_arena arena = {0};
    frz_config_file file = {0};
    const frz_status status = frz_config_file_read(swept_path, &arena, &file, NULL);
    CHECK((status == FRZ_OK) == !frz_mem_failed());
    CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
    frz_arena_clear(&arena);
}

static void survives_every_failing_allocation(void **state)
{
    char folder[64];
    (void)state;
    scratch_make(folder);
    (void)snprintf(swept_path, sizeof swept_path, "%s/c.yaml", folder);
    scratch_write(swept_path, "default-catalog: x\ncatalog: {x: {uri: y, type: sql}}\n");
    sweep_allocation_failures(read_swept);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_lower_case_and_values_are_text),
        cmocka_unit_test(faults_name_file_and_line),
        cmocka_unit_test(an_empty_file_has_nothing),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
