#include "catalog/newest.h"

#include "harness.h"

#include "frazil/io.h"
#include "io/file.h"

static frz_io *io;

static int set_up(void **state)
{
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    frz_io_free(io);
    return 0;
}

static void put(const char *location, const char *text)
{
    frz_error *err = NULL;
    CHECK_OK(frz_io_write_file(io, location, frz_slice_of_text(text), &err), err);
}

static void check_newest(const char *location, const char *want)
{
    frz_error *err = NULL;
    char *newest = NULL;
    CHECK_OK(frz_metadata_newest(io, location, &newest, &err), err);
    assert_string_equal(newest, want);
    frz_free(newest);
}

static void a_metadata_file_is_itself(void **state)
{
    (void)state;
    check_newest("mem://t/x.metadata.json", "mem://t/x.metadata.json");
    check_newest("v1.metadata.json.gz", "v1.metadata.json.gz");
}

static void the_hint_is_followed_and_may_lag_behind(void **state)
{
    (void)state;
    put("mem://t/metadata/version-hint.text", " 2\n");
    put("mem://t/metadata/v1.metadata.json", "");
    put("mem://t/metadata/v2.metadata.json", "");
    check_newest("mem://t", "mem://t/metadata/v2.metadata.json");
    put("mem://t/metadata/v3.gz.metadata.json", "");
    put("mem://t/metadata/v4.metadata.json.gz", "");
    put("mem://t/metadata/00099-abc.metadata.json", ""); /* not of a table that has a hint */
    check_newest("mem://t/", "mem://t/metadata/v4.metadata.json.gz");
}

/* Old versions are cleaned away, hints lag behind; names do not sort as numbers. */
static void d138_the_highest_version_wins_over_hints_and_gaps(void **state)
{
    (void)state;
    put("mem://t/metadata/version-hint.text", "1");
    put("mem://t/metadata/v1.metadata.json", "");
    put("mem://t/metadata/v2.metadata.json", "");
    put("mem://t/metadata/v5.metadata.json", "");
    check_newest("mem://t", "mem://t/metadata/v5.metadata.json");
    put("mem://t/metadata/v9.metadata.json", "");
    put("mem://t/metadata/v10.gz.metadata.json", "");
    check_newest("mem://t", "mem://t/metadata/v10.gz.metadata.json");
    put("mem://u/metadata/00000-d8b8d5ec.metadata.json", "");
    check_newest("mem://u", "mem://u/metadata/00000-d8b8d5ec.metadata.json");
    put("mem://u/metadata/99999-d8b8d5ec.metadata.json", "");
    put("mem://u/metadata/100000-a8b8d5ec.metadata.json", "");
    check_newest("mem://u", "mem://u/metadata/100000-a8b8d5ec.metadata.json");
    put("mem://w/metadata/version-hint.text", "12");
    put("mem://w/metadata/v3.metadata.json", "");
    check_newest("mem://w", "mem://w/metadata/v3.metadata.json");
}

static void a_hint_that_leads_nowhere_gives_way_to_the_listing(void **state)
{
    (void)state;
    put("mem://t/metadata/version-hint.text", "7");
    put("mem://t/metadata/v3.metadata.json", "");
    check_newest("mem://t", "mem://t/metadata/v3.metadata.json");
}

static void a_hint_may_name_a_file(void **state)
{
    frz_error *err = NULL;
    char *newest = NULL;
    (void)state;
    put("mem://t/metadata/version-hint.text", "00001-abc.metadata.json");
    check_newest("mem://t", "mem://t/metadata/00001-abc.metadata.json");
    put("mem://u/metadata/version-hint.text", "rubbish");
    CHECK_FAILS(frz_metadata_newest(io, "mem://u", &newest, &err), FRZ_CORRUPT, err,
                "got \"rubbish\"");
}

static void the_highest_version_of_a_listing_wins(void **state)
{
    (void)state;
    put("mem://t/metadata/00009-a.metadata.json", "");
    put("mem://t/metadata/00010-b.metadata.json", "");
    put("mem://t/metadata/snap-99-1-x.avro", "");
    put("mem://t/metadata/99-x.json.tmp", "");
    check_newest("mem://t", "mem://t/metadata/00010-b.metadata.json");
}

static void d160_versions_are_of_64_bits(void **state)
{
    (void)state;
    put("mem://t/metadata/00010-b.metadata.json", "");
    put("mem://t/metadata/v1715000000000.metadata.json", "");
    check_newest("mem://t", "mem://t/metadata/v1715000000000.metadata.json");
    put("mem://t/metadata/version-hint.text", "1715000000000");
    check_newest("mem://t", "mem://t/metadata/v1715000000000.metadata.json");
}

static void two_highest_versions_are_refused_with_both_names(void **state)
{
    frz_error *err = NULL;
    char *newest = NULL;
    (void)state;
    put("mem://t/metadata/00002-b.metadata.json", "");
    put("mem://t/metadata/00002-a.metadata.json", "");
    put("mem://t/metadata/00001-a.metadata.json", "");
    CHECK_FAILS(frz_metadata_newest(io, "mem://t", &newest, &err), FRZ_INVALID, err,
                "version 2: mem://t/metadata/00002-a.metadata.json and "
                "mem://t/metadata/00002-b.metadata.json");
    put("mem://t/metadata/00003-c.metadata.json", "");
    check_newest("mem://t", "mem://t/metadata/00003-c.metadata.json");
    CHECK_FAILS(frz_metadata_newest(io, "mem://x", &newest, &err), FRZ_NOT_FOUND, err,
                "mem://x/metadata");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_metadata_file_is_itself),
        CASE(the_hint_is_followed_and_may_lag_behind),
        CASE(d138_the_highest_version_wins_over_hints_and_gaps),
        CASE(a_hint_that_leads_nowhere_gives_way_to_the_listing),
        CASE(a_hint_may_name_a_file),
        CASE(the_highest_version_of_a_listing_wins),
        CASE(d160_versions_are_of_64_bits),
        CASE(two_highest_versions_are_refused_with_both_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
