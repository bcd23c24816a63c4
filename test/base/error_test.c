/* Covers: base/library */
#include "base/fail.h"

#include <errno.h>

#include "frazil/frazil.h"
#include "harness.h"

static void test_the_first_error_wins_and_context_is_prefixed(void **state)
{
    (void)state;
    frz_error *err = NULL;
    uint64_t offset = 0;
    CHECK(frz_fail(&err, FRZ_CORRUPT, 12, "expected %d", 3) == FRZ_CORRUPT);
    CHECK(frz_fail(&err, FRZ_IO, FRZ_NO_OFFSET, "later") == FRZ_IO);
    CHECK(frz_context(&err, FRZ_CORRUPT, "file %s", "x") == FRZ_CORRUPT);
    assert_string_equal(frz_error_message(err), "file x: expected 3");
    CHECK(frz_consequence(&err, FRZ_CORRUPT, "%d left", 2) == FRZ_CORRUPT);
    assert_string_equal(frz_error_message(err), "file x: expected 3; 2 left");
    CHECK(frz_error_status(err) == FRZ_CORRUPT && frz_error_offset(err, &offset) && offset == 12);
    CHECK(frz_error_offset(err, NULL));
    CHECK(frz_error_origin(err) == 0);
    frz_error_free(err);
    CHECK(frz_fail(NULL, FRZ_IO, FRZ_NO_OFFSET, "unheard") == FRZ_IO);
    CHECK(frz_context(NULL, FRZ_IO, "unheard") == FRZ_IO);
    CHECK(frz_consequence(NULL, FRZ_IO, "unheard") == FRZ_IO);
}

static void test_system_errors_become_statuses(void **state)
{
    (void)state;
    static const struct {
        int code;
        frz_status status;
    } cases[] = {{ENOENT, FRZ_NOT_FOUND},  {EEXIST, FRZ_ALREADY_EXISTS},
                 {EACCES, FRZ_PERMISSION}, {ENOMEM, FRZ_NO_MEMORY},
                 {ENOSPC, FRZ_IO},         {EIO, FRZ_IO}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_error *err = NULL;
        uint64_t offset = 0;
        CHECK(frz_fail_errno(&err, cases[i].code, "open", "/x") == cases[i].status);
        CHECK(frz_error_origin(err) == cases[i].code && !frz_error_offset(err, &offset));
        CHECK(strncmp(frz_error_message(err), "open /x: ", 9) == 0);
        frz_error_free(err);
    }
}

static void sweep_body(void)
{
    frz_error *err = NULL;
    (void)frz_fail(&err, FRZ_UNKNOWN_STATE, FRZ_NO_OFFSET, "a long story about %s", "a commit");
    (void)frz_context(&err, FRZ_UNKNOWN_STATE, "table %s", "t");
    (void)frz_consequence(&err, FRZ_UNKNOWN_STATE, "left %s", "f");
    CHECK(frz_error_status(err) == FRZ_UNKNOWN_STATE);
    CHECK(frz_error_message(err)[0] != '\0');
    frz_error_free(err);
}

static void test_short_memory_costs_the_story_never_the_status(void **state)
{
    (void)state;
    sweep_allocation_failures(sweep_body);
}

static void test_every_status_has_a_name(void **state)
{
    (void)state;
    for (int status = FRZ_OK; status <= FRZ_CANCELLED; status++)
        CHECK(strcmp(frz_status_name((frz_status)status), "unknown") != 0);
    assert_string_equal(frz_status_name(FRZ_CORRUPT), "corrupt");
    CHECK(strchr(frz_version(), '.') != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_error_wins_and_context_is_prefixed),
        cmocka_unit_test(test_system_errors_become_statuses),
        cmocka_unit_test(test_short_memory_costs_the_story_never_the_status),
        cmocka_unit_test(test_every_status_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
