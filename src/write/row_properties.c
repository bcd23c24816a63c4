#include "write/row_properties.h"

#include <stdio.h>
#include <strings.h>

#include "base/fail.h"

enum { KEY_SIZE_MAX = 64 };

frz_status frz_row_mode_read(const frz_metadata *metadata, const char *verb, frz_delete_mode *out,
                             frz_error **err)
{
    char key[KEY_SIZE_MAX];
    (void)snprintf(key, sizeof key, "write.%s.mode", verb);
    const char *set = frz_metadata_property(metadata, key);
    if (!set)
        *out = FRZ_DELETE_MODE_DEFAULT;
    else if (strcasecmp(set, "copy-on-write") == 0)
        *out = FRZ_DELETE_MODE_COPY_ON_WRITE;
    else if (strcasecmp(set, "merge-on-read") == 0)
        *out = FRZ_DELETE_MODE_MERGE_ON_READ;
    else
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected copy-on-write or merge-on-read, got \"%s\"",
                        key, set);
    return FRZ_OK;
}

frz_status frz_row_isolation_read(const frz_metadata *metadata, const char *verb,
                                  bool *serializable_out, frz_error **err)
{
    char key[KEY_SIZE_MAX];
    (void)snprintf(key, sizeof key, "write.%s.isolation-level", verb);
    const char *level = frz_metadata_property(metadata, key);
    if (level && strcasecmp(level, "serializable") != 0 && strcasecmp(level, "snapshot") != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected serializable or snapshot, got \"%s\"", key,
                        level);
    *serializable_out = !level || strcasecmp(level, "serializable") == 0;
    return FRZ_OK;
}
