#include "base/options.h"

#include <stdint.h>
#include <string.h>

#include "base/fail.h"

static size_t size_of(const void *options)
{
    size_t size = 0;
    memcpy(&size, options, sizeof size);
    return size;
}

frz_status frz_options_check_out(const void *held, const char *name, frz_error **err)
{
    const size_t given = size_of(held);
    if (given < sizeof(size_t) || given > FRZ_OPTIONS_SIZE_MAX)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "%s: struct_size %zu is no size of it: set it to sizeof(%s), or start from "
                        "its INIT macro",
                        name, given, name);
    return FRZ_OK;
}

frz_status frz_options_take(const void *given, void *out, size_t size, const char *name,
                            frz_error **err)
{
    if (!given)
        return FRZ_OK;
    FRZ_TRY(frz_options_check_out(given, name, err));
    const size_t known = size_of(given);
    for (size_t i = size; i < known; i++)
        if (((const uint8_t *)given)[i])
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "%s: something is set at byte %zu of %zu, and this library knows the "
                            "first %zu: it is older than its caller",
                            name, i, known, size);
    memcpy(out, given, known < size ? known : size);
    memcpy(out, &size, sizeof size);
    return FRZ_OK;
}

void frz_options_give(const void *filled, size_t size, void *held)
{
    const size_t known = size_of(held);
    const size_t given = known < size ? known : size;
    memcpy((uint8_t *)held + sizeof known, (const uint8_t *)filled + sizeof known,
           given - sizeof known);
}
