#include "catalog/refusal.h"

#include "base/fail.h"

frz_status frz_refuse_no_table(const char *identifier, frz_error **err)
{
    return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "no table %s", identifier);
}

frz_status frz_refuse_no_namespace(frz_slice name, frz_error **err)
{
    return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "no namespace %.*s", (int)name.size,
                    (const char *)name.data);
}

frz_status frz_refuse_table_exists(const char *identifier, frz_error **err)
{
    return frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET, "table %s exists", identifier);
}

frz_status frz_refuse_namespace_exists(const char *name, frz_error **err)
{
    return frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET, "namespace %s exists", name);
}

frz_status frz_refuse_namespace_used(const char *name, frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "namespace %s is not empty", name);
}

frz_status frz_refuse_lost_swap(const char *identifier, const char *found, const char *expected,
                                frz_error **err)
{
    return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET, "table %s points to %s, not to %s",
                    identifier, found, expected);
}
