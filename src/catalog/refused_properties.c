#include "catalog/refused_properties.h"

#include <string.h>

#include "base/fail.h"

static const struct {
    const char *key;
    frz_status status;
    const char *reason;
} refused[] = {
    {"encryption.key-id", FRZ_UNSUPPORTED, "encrypted files are not written"},
    /* Java's LocationProviders refuse both; files of a table would be scattered. */
    {"write.object-storage.path", FRZ_INVALID, "it is no longer used; set write.data.path instead"},
    {"write.folder-storage.path", FRZ_INVALID, "it is no longer used; set write.data.path instead"},
};

frz_status frz_property_check_refused(const char *key, frz_error **err)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (strcmp(refused[i].key, key) == 0)
            return frz_fail(err, refused[i].status, FRZ_NO_OFFSET, "table property %s: %s", key,
                            refused[i].reason);
    }
    return FRZ_OK;
}

frz_status frz_metadata_check_refused(const frz_metadata *metadata, frz_error **err)
{
    for (size_t i = 0; i < metadata->property_count; i++)
        FRZ_TRY(frz_property_check_refused(metadata->properties[i].key, err));
    return FRZ_OK;
}
