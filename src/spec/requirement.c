#include "base/fail.h"
#include "spec/update.h"

static frz_status expect_number(const char *what, int64_t expected, int64_t found, frz_error **err)
{
    if (expected == found)
        return FRZ_OK;
    return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET, "%s has changed: expected %lld, found %lld",
                    what, (long long)expected, (long long)found);
}

static frz_status check_uuid(const frz_requirement *requirement, const frz_metadata *base,
                             frz_error **err)
{
    const char *uuid = base->table_uuid;
    if (uuid && strcmp(uuid, requirement->text) == 0)
        return FRZ_OK;
    return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                    "table uuid has changed: expected %s, found %s", requirement->text,
                    uuid ? uuid : "none");
}

static frz_status check_ref(const frz_requirement *requirement, const frz_metadata *base,
                            frz_error **err)
{
    const frz_snapshot_ref *ref = frz_metadata_find_ref(base, requirement->text);
    const int64_t found = ref ? ref->snapshot_id : FRZ_NO_SNAPSHOT;
    if (found == requirement->number)
        return FRZ_OK;
    if (!ref)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "reference %s is gone; expected snapshot %lld", requirement->text,
                        (long long)requirement->number);
    if (requirement->number == FRZ_NO_SNAPSHOT)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "reference %s was made meanwhile, at snapshot %lld", requirement->text,
                        (long long)found);
    return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                    "reference %s has moved: expected snapshot %lld, found %lld", requirement->text,
                    (long long)requirement->number, (long long)found);
}

frz_status frz_requirement_check(const frz_requirement *requirement, const frz_metadata *base,
                                 frz_error **err)
{
    const int64_t number = requirement->number;
    if (requirement->kind == FRZ_REQUIREMENT_CREATE)
        return base ? frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET, "the table exists already")
                    : FRZ_OK;
    if (!base)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET, "the table does not exist");
    switch (requirement->kind) {
    case FRZ_REQUIREMENT_CREATE:
        break;
    case FRZ_REQUIREMENT_UUID:
        return check_uuid(requirement, base, err);
    case FRZ_REQUIREMENT_REF_SNAPSHOT:
        return check_ref(requirement, base, err);
    case FRZ_REQUIREMENT_LAST_COLUMN_ID:
        return expect_number("last-column-id", number, base->last_column_id, err);
    case FRZ_REQUIREMENT_CURRENT_SCHEMA_ID:
        return expect_number("current-schema-id", number, base->current_schema_id, err);
    case FRZ_REQUIREMENT_LAST_PARTITION_ID:
        return expect_number("last-partition-id", number, base->last_partition_id, err);
    case FRZ_REQUIREMENT_DEFAULT_SPEC_ID:
        return expect_number("default-spec-id", number, base->default_spec_id, err);
    case FRZ_REQUIREMENT_DEFAULT_SORT_ORDER_ID:
        return expect_number("default-sort-order-id", number, base->default_sort_order_id, err);
    }
    return FRZ_OK;
}
