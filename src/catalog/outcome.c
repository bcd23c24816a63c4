#include "catalog/outcome.h"

#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "catalog/table.h"
#include "frazil/schema.h"

/* Our own snapshot is looked for before anything else: a log is cut after
 * write.metadata.previous-versions-max entries, snapshots stay. */
static frz_outcome told_by(const frz_metadata *now, const frz_new_version *version,
                           const char *location)
{
    bool superseded = false;
    if (version->snapshot_id != FRZ_NO_SNAPSHOT &&
        frz_metadata_find_snapshot(now, version->snapshot_id))
        return FRZ_OUTCOME_COMMITTED;
    if (!version->base_location) /* a table's uuid is its own from the start */
        return now->table_uuid && strcmp(now->table_uuid, version->metadata->table_uuid) == 0
                   ? FRZ_OUTCOME_COMMITTED
                   : FRZ_OUTCOME_LOST;
    for (size_t i = 0; i < now->metadata_log_count; i++) {
        const char *file = now->metadata_log[i].metadata_file;
        if (strcmp(file, location) == 0)
            return FRZ_OUTCOME_COMMITTED;
        superseded = superseded || strcmp(file, version->base_location) == 0;
    }
    return superseded ? FRZ_OUTCOME_LOST : FRZ_OUTCOME_OPEN;
}

static frz_status look(frz_catalog *catalog, const frz_new_version *version, const char *location,
                       frz_outcome *out)
{
    frz_status status = FRZ_OK;
    frz_catalog_backend *backend = frz_catalog_backend_of(catalog);
    frz_metadata *now = NULL;
    char *current = NULL;

    FRZ_TRY_DONE(backend->ops->load(backend, version->identifier, &current, NULL));
    if (strcmp(current, location) == 0) {
        *out = FRZ_OUTCOME_COMMITTED;
        goto done;
    }
    if (version->base_location && strcmp(current, version->base_location) == 0)
        goto done;
    FRZ_TRY_DONE(
        frz_metadata_read(frz_catalog_io(catalog), current, &frz_limits_default, &now, NULL));
    *out = told_by(now, version, location);

done:
    frz_metadata_unref(now);
    frz_text_free(current);
    return status;
}

frz_outcome frz_outcome_look(frz_catalog *catalog, const frz_new_version *version,
                             const char *location)
{
    frz_outcome outcome = FRZ_OUTCOME_OPEN;
    return look(catalog, version, location, &outcome) == FRZ_OK ? outcome : FRZ_OUTCOME_UNSEEN;
}

typedef struct check_plan {
    int64_t checks;
    int64_t wait_ms;
    int64_t wait_max_ms;
    int64_t total_ms;
} check_plan;

static void read_one(const frz_metadata *metadata, const char *key, int64_t *out)
{
    /* A property that cannot be read must not turn an unknown outcome into another one. */
    const frz_status status = frz_metadata_property_i64(metadata, key, *out, out, NULL);
    (void)status;
}

static check_plan read_plan(const frz_metadata *metadata)
{
    check_plan plan = {.checks = 3, .wait_ms = 1000, .wait_max_ms = 60000, .total_ms = 1800000};
    read_one(metadata, "commit.status-check.num-retries", &plan.checks);
    read_one(metadata, "commit.status-check.min-wait-ms", &plan.wait_ms);
    read_one(metadata, "commit.status-check.max-wait-ms", &plan.wait_max_ms);
    read_one(metadata, "commit.status-check.total-timeout-ms", &plan.total_ms);
    return plan;
}

static bool is_open(frz_outcome outcome)
{
    return outcome == FRZ_OUTCOME_OPEN || outcome == FRZ_OUTCOME_UNSEEN;
}

frz_outcome frz_outcome_wait(frz_catalog *catalog, const frz_new_version *version,
                             const char *location)
{
    const check_plan plan = read_plan(version->metadata);
    frz_outcome outcome = frz_outcome_look(catalog, version, location);
    int64_t wait_ms = plan.wait_ms;
    int64_t waited_ms = 0;
    for (int64_t i = 0; is_open(outcome) && i < plan.checks && waited_ms < plan.total_ms; i++) {
        if (wait_ms > plan.wait_max_ms)
            wait_ms = plan.wait_max_ms;
        frz_clock_sleep_ms(wait_ms);
        waited_ms += wait_ms;
        wait_ms = wait_ms > plan.wait_max_ms / 2 ? plan.wait_max_ms : wait_ms * 2;
        outcome = frz_outcome_look(catalog, version, location);
    }
    return outcome;
}
