/*
 * frz_table_verify: chooses the snapshots, and runs the checks from the metadata down.
 */
#include "base/fail.h"
#include "base/mem.h"
#include "base/options.h"
#include "maintenance/definitions.h"
#include "maintenance/listing.h"
#include "maintenance/logs.h"
#include "maintenance/manifests.h"
#include "maintenance/snapshots.h"
#include "maintenance/totals.h"
#include "spec/ancestry.h"

static frz_status choose_line(frz_verification *self, const char *branch, frz_error **err)
{
    const frz_snapshot_ref *ref = frz_metadata_find_ref(self->metadata, branch);
    if (!ref)
        return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "no branch %s", branch);
    frz_ancestry line = frz_ancestry_of(
        self->metadata, frz_metadata_find_snapshot(self->metadata, ref->snapshot_id));
    for (const frz_snapshot *at = frz_ancestry_next(&line); at; at = frz_ancestry_next(&line))
        self->snapshots[at - self->metadata->snapshots].chosen = true;
    return FRZ_OK;
}

static frz_status choose(frz_verification *self, frz_error **err)
{
    const frz_verify_options *options = self->options;
    const frz_snapshot_selector *at = &options->at;
    const bool one = at->has_snapshot_id || at->has_as_of_ms || at->ref;
    const frz_snapshot *snapshot = NULL;
    frz_schema *schema = NULL;
    if (one && options->branch)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "a branch and one snapshot cannot both be chosen");
    if (options->branch)
        return choose_line(self, options->branch, err);
    if (one)
        FRZ_TRY(frz_table_select(self->table, at, &snapshot, &schema, err));
    for (size_t i = 0; i < self->metadata->snapshot_count; i++)
        self->snapshots[i].chosen = !one || &self->metadata->snapshots[i] == snapshot;
    return FRZ_OK;
}

static frz_status verify(frz_verification *self, frz_error **err)
{
    self->snapshots = frz_alloc_array(self->metadata->snapshot_count, sizeof *self->snapshots);
    if (!self->snapshots)
        return frz_fail_memory(err);
    FRZ_TRY(choose(self, err));
    FRZ_TRY(frz_verify_definitions(self, err));
    FRZ_TRY(frz_verify_logs(self, err));
    FRZ_TRY(frz_verify_snapshots(self, err));
    FRZ_TRY(frz_verify_lists(self, err));
    FRZ_TRY(frz_verify_manifests(self, err));
    return frz_verify_totals(self, err);
}

frz_status frz_table_verify(const frz_table *table, const frz_verify_options *options,
                            frz_verify_report **out, frz_error **err)
{
    frz_verify_options taken = FRZ_VERIFY_OPTIONS_INIT;
    FRZ_TRY(FRZ_OPTIONS_TAKE(frz_verify_options, options, &taken, err));
    frz_verification self = {
        .table = table, .metadata = table->metadata, .limits = &table->limits, .options = &taken};
    frz_status status = frz_report_new(taken.finding_limit, &self.report, err);
    if (status == FRZ_OK)
        status = verify(&self, err);
    frz_verification_clear(&self);
    if (status != FRZ_OK) {
        frz_verify_report_free(self.report);
        return frz_context(err, status, "verify %s", table->metadata_location);
    }
    *out = self.report;
    return FRZ_OK;
}
