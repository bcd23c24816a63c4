#include "write/property_value.h"

#include <string.h>

#include "base/fail.h"
#include "catalog/catalog.h"
#include "spec/manifest.h"
#include "spec/name_mapping.h"
#include "write/metrics.h"
#include "write/properties.h"
#include "write/row_properties.h"

static frz_status check_rows(const frz_metadata *probe, frz_error **err)
{
    static const char *const verbs[] = {"delete", "update", "merge"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        frz_delete_mode mode = FRZ_DELETE_MODE_DEFAULT;
        bool serializable = false;
        FRZ_TRY(frz_row_mode_read(probe, verbs[i], &mode, err));
        FRZ_TRY(frz_row_isolation_read(probe, verbs[i], &serializable, err));
    }
    return FRZ_OK;
}

static frz_status check_commit(const frz_metadata *probe, frz_error **err)
{
    static const char *const numbers[] = {
        "commit.status-check.num-retries", "commit.status-check.min-wait-ms",
        "commit.status-check.max-wait-ms", "commit.status-check.total-timeout-ms"};
    frz_commit_properties properties;
    int64_t number = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        FRZ_TRY(frz_metadata_property_i64(probe, numbers[i], 0, &number, err));
    FRZ_TRY(frz_commit_properties_read(probe, &properties, err));
    return frz_manifest_codec_check(probe, err);
}

static frz_status check_places(const frz_metadata *probe, frz_error **err)
{
    static const char *const flags[] = {"write.object-storage.enabled",
                                        "write.object-storage.partitioned-paths"};
    bool on = false;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        FRZ_TRY(frz_metadata_property_bool(probe, flags[i], false, &on, err));
    return FRZ_OK;
}

/* As Java, which takes no metrics mode of a column that is not there. */
static frz_status check_metrics(const frz_metadata *probe, const frz_schema *schema,
                                frz_error **err)
{
    static const char prefix[] = "write.metadata.metrics.column.";
    const frz_property *property = probe->properties;
    const bool of_column = strncmp(property->key, prefix, sizeof prefix - 1) == 0;
    const char *column = property->key + sizeof prefix - 1;
    int64_t count = 0;
    if (of_column || strcmp(property->key, "write.metadata.metrics.default") == 0) {
        frz_metrics_mode mode;
        const frz_status status = frz_metrics_mode_parse(property->value, &mode, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "table property %s", property->key);
    }
    if (of_column && !frz_schema_find_name(schema, frz_slice_of_text(column), true))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: the table has no column %s", property->key, column);
    return frz_metadata_property_i64(probe, "write.metadata.metrics.max-inferred-column-defaults",
                                     0, &count, err);
}

static frz_status check_mapping(const frz_metadata *probe, frz_arena *arena, frz_error **err)
{
    static const char key[] = "schema.name-mapping.default";
    const char *text = frz_metadata_property(probe, key);
    frz_name_mapping mapping;
    frz_error *reason = NULL;
    if (!text)
        return FRZ_OK;
    frz_status status = frz_name_mapping_parse(frz_slice_of_text(text), arena, &mapping, &reason);
    if (status == FRZ_CORRUPT) /* of the caller's text, not of a table */
        status = frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "table property %s: %s", key,
                          frz_error_message(reason));
    else if (status != FRZ_OK)
        (void)frz_fail_memory(err);
    frz_error_free(reason);
    return status;
}

static frz_status check(const frz_metadata *probe, const frz_schema *schema, frz_arena *arena,
                        frz_error **err)
{
    frz_write_properties properties;
    FRZ_TRY(frz_write_properties_read(probe, arena, &properties, err));
    FRZ_TRY(check_commit(probe, err));
    FRZ_TRY(check_rows(probe, err));
    FRZ_TRY(check_places(probe, err));
    FRZ_TRY(check_metrics(probe, schema, err));
    return check_mapping(probe, arena, err);
}

frz_status frz_property_value_check(const frz_schema *schema, const char *key, const char *value,
                                    frz_error **err)
{
    frz_arena arena = {.budget = frz_limits_default.parse_budget};
    const frz_property property = {key, value};
    /* Alone: what else the table has is no fault of this one. */
    const frz_metadata probe = {.properties = &property, .property_count = 1};
    const frz_status status = check(&probe, schema, &arena, err);
    frz_arena_clear(&arena);
    return status;
}
