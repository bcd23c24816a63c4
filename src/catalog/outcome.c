#include "catalog/outcome.h"

#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "frazil/schema.h"
#include "io/file.h"

/* Files that are read for their logs: one is enough where a log has some length. */
enum { OLDER_LOGS_MAX = 200 };

/* What one log tells; buried when it names neither us nor the base. */
static frz_outcome told_by_log(const frz_metadata *metadata, const frz_new_version *version,
                               const char *location)
{
    bool superseded = false;
    for (size_t i = 0; i < metadata->metadata_log_count; i++) {
        const char *file = metadata->metadata_log[i].metadata_file;
        if (strcmp(file, location) == 0)
            return FRZ_OUTCOME_COMMITTED;
        superseded = superseded || strcmp(file, version->base_location) == 0;
    }
    return superseded ? FRZ_OUTCOME_LOST : FRZ_OUTCOME_BURIED;
}

static bool same_uuid(const frz_metadata *a, const frz_metadata *b)
{
    return a->table_uuid && b->table_uuid && strcmp(a->table_uuid, b->table_uuid) == 0;
}

/* The logs of `now` and of what came before it, as far as files are there. */
static frz_outcome told_by_logs(frz_io *io, const frz_metadata *now, const frz_new_version *version,
                                const char *location)
{
    frz_metadata *older = frz_metadata_ref(now);
    frz_outcome outcome = told_by_log(now, version, location);
    for (int i = 0; i < OLDER_LOGS_MAX && outcome == FRZ_OUTCOME_BURIED; i++) {
        frz_metadata *next = NULL;
        if (older->metadata_log_count == 0 ||
            frz_metadata_read(io, older->metadata_log[0].metadata_file, &frz_limits_default, &next,
                              NULL) != FRZ_OK)
            break;
        frz_metadata_unref(older);
        older = next;
        outcome = told_by_log(older, version, location);
    }
    frz_metadata_unref(older);
    return outcome;
}

/* Our own snapshot is looked for before anything else: logs are cut, snapshots stay. */
static frz_outcome told_by(frz_io *io, const frz_metadata *now, const frz_new_version *version,
                           const char *location)
{
    uint64_t size = 0;
    if (version->snapshot_id != FRZ_NO_SNAPSHOT &&
        frz_metadata_find_snapshot(now, version->snapshot_id))
        return FRZ_OUTCOME_COMMITTED;
    if (!version->base_location) /* a table's uuid is its own from the start */
        return same_uuid(now, version->metadata) ? FRZ_OUTCOME_COMMITTED : FRZ_OUTCOME_LOST;
    const frz_outcome outcome = told_by_logs(io, now, version, location);
    if (outcome == FRZ_OUTCOME_BURIED && same_uuid(now, version->metadata) &&
        frz_io_stat(io, location, &size, NULL) == FRZ_NOT_FOUND)
        return FRZ_OUTCOME_COMMITTED;
    return outcome;
}

static void look_at_effect(const frz_new_version *version, const frz_metadata *now,
                           frz_effect *effect)
{
    if (!version->base ||
        frz_effect_look(version->base, version->metadata, now, effect, NULL) != FRZ_OK)
        *effect = (frz_effect){0};
}

/* `effect` may be NULL. */
static frz_status look(frz_catalog *catalog, const frz_new_version *version, const char *location,
                       frz_outcome *out, frz_effect *effect)
{
    frz_status status = FRZ_OK;
    frz_catalog_backend *backend = frz_catalog_backend_of(catalog);
    frz_io *io = frz_catalog_io(catalog);
    frz_metadata *now = NULL;
    char *current = NULL;

    FRZ_TRY_DONE(backend->ops->load(backend, version->identifier, &current, NULL));
    if (strcmp(current, location) == 0) {
        *out = FRZ_OUTCOME_COMMITTED;
        goto done;
    }
    if (version->base_location && strcmp(current, version->base_location) == 0)
        goto done;
    FRZ_TRY_DONE(frz_metadata_read(io, current, &frz_limits_default, &now, NULL));
    *out = told_by(io, now, version, location);
    if (*out == FRZ_OUTCOME_BURIED && effect)
        look_at_effect(version, now, effect);

done:
    frz_metadata_unref(now);
    frz_text_free(current);
    return status;
}

static frz_outcome look_once(frz_catalog *catalog, const frz_new_version *version,
                             const char *location, frz_effect *effect)
{
    frz_outcome outcome = FRZ_OUTCOME_OPEN;
    return look(catalog, version, location, &outcome, effect) == FRZ_OK ? outcome
                                                                        : FRZ_OUTCOME_UNSEEN;
}

frz_outcome frz_outcome_look(frz_catalog *catalog, const frz_new_version *version,
                             const char *location)
{
    return look_once(catalog, version, location, NULL);
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

static bool is_known(frz_outcome outcome)
{
    return outcome == FRZ_OUTCOME_COMMITTED || outcome == FRZ_OUTCOME_LOST;
}

frz_outcome frz_outcome_wait(frz_catalog *catalog, const frz_new_version *version,
                             const char *location, frz_effect *effect_out)
{
    const check_plan plan = read_plan(version->metadata);
    frz_outcome outcome = look_once(catalog, version, location, effect_out);
    int64_t wait_ms = plan.wait_ms;
    int64_t waited_ms = 0;
    for (int64_t i = 0; !is_known(outcome) && i < plan.checks && waited_ms < plan.total_ms; i++) {
        if (wait_ms > plan.wait_max_ms)
            wait_ms = plan.wait_max_ms;
        frz_clock_sleep_ms(wait_ms);
        waited_ms += wait_ms;
        wait_ms = wait_ms > plan.wait_max_ms / 2 ? plan.wait_max_ms : wait_ms * 2;
        outcome = look_once(catalog, version, location, effect_out);
    }
    if (outcome == FRZ_OUTCOME_BURIED && effect_out->is_there && !effect_out->is_first)
        return FRZ_OUTCOME_COMMITTED;
    return outcome;
}
