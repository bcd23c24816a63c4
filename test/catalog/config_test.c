#define _XOPEN_SOURCE 700
#include "catalog/config.h"

#include "scratch.h"

static char folder[64];
static char home[256];

static const char *const variables[] = {"FRAZIL_CATALOG",
                                        "FRAZIL_WAREHOUSE",
                                        "PYICEBERG_DEFAULT_CATALOG",
                                        "PYICEBERG_HOME",
                                        "PYICEBERG_CATALOG__DEFAULT__URI",
                                        "PYICEBERG_CATALOG__DEFAULT__S3__ACCESS_KEY_ID",
                                        "PYICEBERG_CATALOG__DEFAULT__WAREHOUSE",
                                        "PYICEBERG_CATALOG__PROD_EU__URI",
                                        "XDG_CONFIG_HOME"};

static int set_up(void **state)
{
    (void)state;
    scratch_make(folder);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        CHECK(unsetenv(variables[i]) == 0);
    (void)snprintf(home, sizeof home, "%s/home", folder);
    CHECK(mkdir(home, 0700) == 0);
    CHECK(setenv("HOME", home, 1) == 0);
    CHECK(chdir(folder) == 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    CHECK(chdir("/") == 0);
    scratch_remove(folder);
    return 0;
}

static void write_file(const char *name, const char *text)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    scratch_write(path, text);
}

/* Resolves with `options` and checks "name type uri warehouse", with the scratch folder printed as
 * @. */
static void check_config(const frz_catalog_options *options, const char *want)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_catalog_config config = {0};
    char text[1024];
    char wanted[1024];
    size_t used = 0;
    CHECK_OK(frz_catalog_config_resolve(options, &arena, &config, &err), err);
    (void)snprintf(text, sizeof text, "%s %s %s %s", config.name, config.type,
                   config.uri ? config.uri : "-", config.warehouse);
    for (const char *from = want; *from; from++)
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, *from == '@' ? "%s" : "%.1s",
                                 *from == '@' ? folder : from);
    assert_string_equal(text, wanted);
    frz_arena_clear(&arena);
}

static void nothing_configured_is_the_embedded_catalog(void **state)
{
    const frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    (void)state;
    check_config(&options, "default sql sqlite:///@/warehouse/catalog.db file://@/warehouse");
    CHECK(setenv("FRAZIL_WAREHOUSE", "/data/wh/", 1) == 0);
    CHECK(setenv("FRAZIL_CATALOG", "mine", 1) == 0);
    check_config(&options, "mine sql sqlite:////data/wh/catalog.db file:///data/wh");
}

static void explicit_beats_environment_beats_files(void **state)
{
    frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    const frz_option flags[] = {{"Warehouse", "s3://flag"}, {"uri", ""}};
    (void)state;
    write_file(".pyiceberg.yaml", "catalog:\n  default:\n    uri: sqlite:////file.db\n"
                                  "    warehouse: s3://file\n    type: sql\n");
    check_config(&options, "default sql sqlite:////file.db s3://file");
    CHECK(setenv("PYICEBERG_CATALOG__DEFAULT__URI", "sqlite:////env.db", 1) == 0);
    CHECK(setenv("PYICEBERG_CATALOG__DEFAULT__WAREHOUSE", "", 1) == 0);
    check_config(&options, "default sql sqlite:////env.db s3://file");
    CHECK(setenv("FRAZIL_WAREHOUSE", "s3://frazil", 1) == 0);
    check_config(&options, "default sql sqlite:////env.db s3://frazil");
    options.properties = flags;
    options.property_count = 2;
    check_config(&options, "default sql sqlite:////env.db s3://flag");
}

static void variables_are_read_as_pyiceberg_reads_them(void **state)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_catalog_config config = {0};
    frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    (void)state;
    CHECK(setenv("PYICEBERG_CATALOG__DEFAULT__S3__ACCESS_KEY_ID", "KEY", 1) == 0);
    CHECK(setenv("PYICEBERG_CATALOG__PROD_EU__URI", "jdbc:sqlite:/eu.db", 1) == 0);
    CHECK_OK(frz_catalog_config_resolve(&options, &arena, &config, &err), err);
    assert_string_equal(frz_catalog_config_find(&config, "s3.access-key-id"), "KEY");
    CHECK(frz_catalog_config_find(&config, "none") == NULL);
    frz_arena_clear(&arena);
    options.name = "Prod-EU";
    check_config(&options, "Prod-EU sql jdbc:sqlite:/eu.db file://@/warehouse");
}

static void files_are_looked_up_in_order(void **state)
{
    frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_catalog_config config = {0};
    (void)state;
    write_file(".pyiceberg.yaml", "catalog: {default: {uri: 'sqlite:////cwd.db'}}\n");
    check_config(&options, "default sql sqlite:////cwd.db file://@/warehouse");
    write_file("home/.pyiceberg.yaml", "catalog: {default: {uri: 'sqlite:////home.db'}}\n");
    check_config(&options, "default sql sqlite:////home.db file://@/warehouse");
    CHECK(mkdir("py", 0700) == 0 && mkdir("xdg", 0700) == 0 && mkdir("xdg/frazil", 0700) == 0);
    write_file("py/.pyiceberg.yaml",
               "default-catalog: p\ncatalog: {p: {uri: 'sqlite:////p.db'}}\n");
    CHECK(setenv("PYICEBERG_HOME", "py", 1) == 0);
    check_config(&options, "p sql sqlite:////p.db file://@/warehouse");
    write_file("xdg/frazil/config.yaml", "catalog: {p: {uri: 'sqlite:////xdg.db'}}\n");
    CHECK(setenv("XDG_CONFIG_HOME", "xdg", 1) == 0);
    check_config(&options, "p sql sqlite:////xdg.db file://@/warehouse");
    write_file("given.yaml", "default-catalog: g\ncatalog: {g: {type: rest, uri: 'http://h'}}\n");
    options.config_path = "given.yaml";
    check_config(&options, "g rest http://h file://@/warehouse");
    options.config_path = "absent.yaml";
    CHECK_FAILS(frz_catalog_config_resolve(&options, &arena, &config, &err), FRZ_NOT_FOUND, err,
                "absent.yaml");
    frz_arena_clear(&arena);
}

static void types_follow_from_uris(void **state)
{
    frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    frz_option flag[] = {{"uri", "thrift://h:9083"}, {"warehouse", "./w"}};
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_catalog_config config = {0};
    (void)state;
    options.properties = flag;
    options.property_count = 2;
    check_config(&options, "default hive thrift://h:9083 file://@/w");
    flag[0].value = "gopher://x";
    CHECK_FAILS(frz_catalog_config_resolve(&options, &arena, &config, &err), FRZ_INVALID, err,
                "gopher://x");
    flag[0] = (frz_option){"type", "JDBC"};
    check_config(&options, "default sql sqlite:///@/w/catalog.db file://@/w");
    flag[1].value = "s3://b/w";
    CHECK_FAILS(frz_catalog_config_resolve(&options, &arena, &config, &err), FRZ_INVALID, err,
                "s3://b/w is not local");
    frz_arena_clear(&arena);
}

static void local_paths_become_absolute_uris(void **state)
{
    static const char *const cases[][2] = {{"/a/b", "file:///a/b"},
                                           {"file:/a", "file:/a"},
                                           {"s3a://b/k", "s3a://b/k"},
                                           {"x:y", "x:y"}};
    frz_error *err = NULL;
    frz_arena arena = {0};
    const char *out = NULL;
    char want[256];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(frz_location_absolute(cases[i][0], &arena, &out, &err), err);
        assert_string_equal(out, cases[i][1]);
    }
    CHECK_OK(frz_location_absolute("././a:b", &arena, &out, &err), err);
    (void)snprintf(want, sizeof want, "file://%s/a:b", folder);
    assert_string_equal(out, want);
    CHECK_OK(frz_location_absolute(".", &arena, &out, &err), err);
    (void)snprintf(want, sizeof want, "file://%s", folder);
    assert_string_equal(out, want);
    frz_arena_clear(&arena);
}

static void resolve_swept(void)
{
    const frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    frz_arena arena = {0};
    frz_catalog_config config = {0};
    const frz_status status = frz_catalog_config_resolve(&options, &arena, &config, NULL);
    CHECK((status == FRZ_OK) == !frz_mem_failed());
    CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
    frz_arena_clear(&arena);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    write_file(".pyiceberg.yaml", "catalog: {default: {uri: 'sqlite:////cwd.db', a: b}}\n");
    sweep_allocation_failures(resolve_swept);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nothing_configured_is_the_embedded_catalog),
        CASE(explicit_beats_environment_beats_files),
        CASE(variables_are_read_as_pyiceberg_reads_them),
        CASE(files_are_looked_up_in_order),
        CASE(types_follow_from_uris),
        CASE(local_paths_become_absolute_uris),
        CASE(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
