/*
 * The report of a verification: rules by name and severity, and what was found against them.
 */
#ifndef FRZ_MAINTENANCE_REPORT_H
#define FRZ_MAINTENANCE_REPORT_H

#include "base/arena.h"
#include "base/slice.h"
#include "frazil/maintenance.h"
#include "spec/list.h"

typedef enum frz_rule {
#define RULE(id, name, severity, text) FRZ_RULE_##id,
#include "maintenance/rules.inc"
#undef RULE
    FRZ_RULE_COUNT
} frz_rule;

struct frz_verify_report {
    frz_arena arena; /* texts and findings */
    frz_list findings;
    size_t finding_limit;
    int64_t errors;
    int64_t warnings;
    frz_verify_counts counts;
};

/* What a finding is about; texts are copied. Start from FRZ_PLACE_NONE. */
typedef struct frz_place {
    int64_t snapshot_id; /* FRZ_NO_SNAPSHOT when none */
    const char *manifest;
    frz_slice path; /* empty when none */
    int64_t entry;  /* -1 when none */
} frz_place;
#define FRZ_PLACE_NONE                  \
    (frz_place)                         \
    {                                   \
        .snapshot_id = -1, .entry = -1, \
    }

const char *frz_rule_name(frz_rule rule);
frz_severity frz_rule_severity(frz_rule rule);
/* A sentence: what holds where the rule is kept. */
const char *frz_rule_text(frz_rule rule);

FRZ_MUST_CHECK frz_status frz_report_new(size_t finding_limit, frz_verify_report **out,
                                         frz_error **err);

/* A text for the next finding, in the report's arena; empty when no more findings are kept, NULL
 * when memory is short (which frz_report_add then says). */
const char *frz_report_text(frz_verify_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* `expected` and `found` must outlive the report: constants, or of frz_report_text. */
FRZ_MUST_CHECK frz_status frz_report_add(frz_verify_report *report, frz_rule rule,
                                         const frz_place *place, const char *expected,
                                         const char *found, frz_error **err);

/* Adds findings and counts of another report, as if they had been made in this one. */
FRZ_MUST_CHECK frz_status frz_report_take(frz_verify_report *report, const frz_verify_report *other,
                                          frz_error **err);

/* Whether frz_report_failure makes a finding of it. */
bool frz_is_finding(frz_status status);

/*
 * A failure of reading (status and *cause), as a finding of `rule`: FRZ_UNSUPPORTED becomes one of
 * "not-checked"; FRZ_CORRUPT, FRZ_INVALID and FRZ_NOT_FOUND errors of the rule, with *cause's
 * message, which is freed. Other statuses are returned, *cause moved to *err.
 */
FRZ_MUST_CHECK frz_status frz_report_failure(frz_verify_report *report, frz_rule rule,
                                             const frz_place *place, frz_status status,
                                             frz_error **cause, frz_error **err);

#endif
