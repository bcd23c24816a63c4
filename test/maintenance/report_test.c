#include "harness.h"

#include "base/fail.h"
#include "maintenance/report.h"

static void rules_have_names_of_their_own(void **state)
{
    (void)state;
    for (int i = 0; i < FRZ_RULE_COUNT; i++) {
        CHECK(frz_rule_name((frz_rule)i)[0] && frz_rule_text((frz_rule)i)[0]);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(frz_rule_name((frz_rule)i), frz_rule_name((frz_rule)k));
    }
    CHECK(frz_rule_severity(FRZ_RULE_DANGLING_DELETES) == FRZ_SEVERITY_WARNING);
    CHECK(frz_rule_severity(FRZ_RULE_ONE_VECTOR) == FRZ_SEVERITY_ERROR);
}

static void failures_become_findings_by_their_status(void **state)
{
    static const struct {
        frz_status status;
        const char *rule; /* NULL: it is returned */
    } cases[] = {{FRZ_CORRUPT, "manifest-file"},
                 {FRZ_NOT_FOUND, "manifest-file"},
                 {FRZ_INVALID, "manifest-file"},
                 {FRZ_UNSUPPORTED, "not-checked"},
                 {FRZ_IO, NULL},
                 {FRZ_NO_MEMORY, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        frz_error *err = NULL;
        frz_error *cause = NULL;
        frz_verify_report *report = NULL;
        frz_place place = FRZ_PLACE_NONE;
        place.manifest = "m.avro";
        CHECK_OK(frz_report_new(0, &report, &err), err);
        const frz_status failed = frz_fail(&cause, cases[i].status, 7, "block %d", 3);
        const frz_status status =
            frz_report_failure(report, FRZ_RULE_MANIFEST_FILE, &place, failed, &cause, &err);
        CHECK(!cause);
        if (cases[i].rule) {
            CHECK(status == FRZ_OK);
            const frz_finding *finding = frz_verify_report_at(report, 0);
            assert_string_equal(finding->rule, cases[i].rule);
            assert_string_equal(finding->manifest, "m.avro");
            CHECK(strstr(finding->found, "block 3"));
            CHECK(!finding->path && finding->entry == -1 && finding->snapshot_id == -1);
        } else {
            CHECK(status == cases[i].status && frz_error_status(err) == cases[i].status);
            CHECK(!frz_verify_report_at(report, 0));
        }
        frz_error_free(err);
        frz_verify_report_free(report);
    }
    frz_verify_report_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_have_names_of_their_own),
        cmocka_unit_test(failures_become_findings_by_their_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
