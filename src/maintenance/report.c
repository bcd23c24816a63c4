#include "maintenance/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/mem.h"

enum { FINDING_LIMIT = 1000 };

static const struct {
    const char *name;
    frz_severity severity;
    const char *text;
} rules[FRZ_RULE_COUNT] = {
#define RULE(id, name, severity, text) [FRZ_RULE_##id] = {name, FRZ_SEVERITY_##severity, text},
#include "maintenance/rules.inc"
#undef RULE
};

const char *frz_rule_name(frz_rule rule)
{
    return rules[rule].name;
}

frz_severity frz_rule_severity(frz_rule rule)
{
    return rules[rule].severity;
}

const char *frz_rule_text(frz_rule rule)
{
    return rules[rule].text;
}

frz_status frz_report_new(size_t finding_limit, frz_verify_report **out, frz_error **err)
{
    frz_verify_report *report = frz_alloc_zero(sizeof *report);
    if (!report)
        return frz_fail_memory(err);
    report->finding_limit = finding_limit ? finding_limit : FINDING_LIMIT;
    *out = report;
    return FRZ_OK;
}

void frz_verify_report_free(frz_verify_report *report)
{
    if (!report)
        return;
    frz_arena_clear(&report->arena);
    frz_free(report);
}

static bool is_full(const frz_verify_report *report)
{
    return report->findings.count >= report->finding_limit;
}

const char *frz_report_text(frz_verify_report *report, const char *format, ...)
{
    va_list arguments;
    if (is_full(report))
        return "";
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = size < 0 ? NULL : frz_arena_alloc(&report->arena, (size_t)size + 1);
    if (!text)
        return NULL;
    va_start(arguments, format);
    (void)vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    return text;
}

frz_status frz_report_add(frz_verify_report *report, frz_rule rule, const frz_place *place,
                          const char *expected, const char *found, frz_error **err)
{
    if (!expected || !found)
        return frz_fail_memory(err);
    *(rules[rule].severity == FRZ_SEVERITY_ERROR ? &report->errors : &report->warnings) += 1;
    if (is_full(report))
        return FRZ_OK;
    const char *manifest =
        place->manifest ? frz_arena_text(&report->arena, place->manifest) : place->manifest;
    const char *path = place->path.size
                           ? frz_arena_text_n(&report->arena, place->path.data, place->path.size)
                           : NULL;
    frz_finding *finding = frz_list_add(&report->findings, &report->arena, sizeof *finding);
    if (!finding || (place->manifest && !manifest) || (place->path.size && !path))
        return frz_fail_memory(err);
    *finding = (frz_finding){.rule = rules[rule].name,
                             .severity = rules[rule].severity,
                             .snapshot_id = place->snapshot_id,
                             .manifest = manifest,
                             .path = path,
                             .entry = place->entry,
                             .expected = expected,
                             .found = found};
    return FRZ_OK;
}

/* NULL stays NULL. */
static bool copy_text(frz_verify_report *report, const char **text)
{
    if (!*text)
        return true;
    *text = frz_arena_text(&report->arena, *text);
    return *text;
}

static frz_status keep(frz_verify_report *report, frz_finding finding, frz_error **err)
{
    frz_finding *kept = frz_list_add(&report->findings, &report->arena, sizeof *kept);
    if (!kept)
        return frz_fail_memory(err);
    *kept = finding;
    return copy_text(report, &kept->manifest) && copy_text(report, &kept->path) &&
                   copy_text(report, &kept->expected) && copy_text(report, &kept->found)
               ? FRZ_OK
               : frz_fail_memory(err);
}

frz_status frz_report_take(frz_verify_report *report, const frz_verify_report *other,
                           frz_error **err)
{
    const frz_finding *findings = other->findings.items;
    for (size_t i = 0; i < other->findings.count && !is_full(report); i++)
        FRZ_TRY(keep(report, findings[i], err));
    report->errors += other->errors;
    report->warnings += other->warnings;
    report->counts.snapshots += other->counts.snapshots;
    report->counts.manifests += other->counts.manifests;
    report->counts.entries += other->counts.entries;
    report->counts.files += other->counts.files;
    report->counts.files_read += other->counts.files_read;
    report->counts.rows_read += other->counts.rows_read;
    report->counts.vectors_read += other->counts.vectors_read;
    return FRZ_OK;
}

bool frz_is_finding(frz_status status)
{
    return status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED || status == FRZ_NOT_FOUND ||
           status == FRZ_INVALID;
}

frz_status frz_report_failure(frz_verify_report *report, frz_rule rule, const frz_place *place,
                              frz_status status, frz_error **cause, frz_error **err)
{
    if (!frz_is_finding(status)) {
        if (err && !*err)
            *err = *cause;
        else
            frz_error_free(*cause);
        *cause = NULL;
        return status;
    }
    const frz_rule broken = status == FRZ_UNSUPPORTED ? FRZ_RULE_NOT_CHECKED : rule;
    const frz_status added =
        frz_report_add(report, broken, place, rules[broken].text,
                       frz_report_text(report, "%s", frz_error_message(*cause)), err);
    frz_error_free(*cause);
    *cause = NULL;
    return added;
}

int64_t frz_verify_report_count(const frz_verify_report *report, frz_severity severity)
{
    return severity == FRZ_SEVERITY_ERROR ? report->errors : report->warnings;
}

const frz_finding *frz_verify_report_at(const frz_verify_report *report, size_t index)
{
    const frz_finding *findings = report->findings.items;
    return index < report->findings.count ? &findings[index] : NULL;
}

const frz_verify_counts *frz_verify_report_counts(const frz_verify_report *report)
{
    return &report->counts;
}
