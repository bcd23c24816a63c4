#include "maintenance/presence.h"

#include <inttypes.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "io/file.h"

frz_status frz_presence_ask(frz_io *io, const char *location, bool *there_out, uint64_t *size_out,
                            frz_error **err)
{
    frz_error *cause = NULL;
    const frz_status status = frz_io_stat(io, location, size_out, &cause);
    *there_out = status == FRZ_OK;
    if (status == FRZ_OK || status == FRZ_NOT_FOUND) {
        frz_error_free(cause);
        return FRZ_OK;
    }
    if (err && !*err)
        *err = cause;
    else
        frz_error_free(cause);
    return status;
}

void frz_presence_clear(frz_presence *self)
{
    frz_map_clear(&self->seen);
}

static frz_status check_size(const frz_verification *verification, const frz_place *place,
                             int64_t expected, int64_t found, frz_error **err)
{
    if (expected == found)
        return FRZ_OK;
    return frz_report_add(verification->report, FRZ_RULE_FILE_SIZE, place,
                          frz_report_text(verification->report, "%" PRId64 " bytes", expected),
                          frz_report_text(verification->report, "%" PRId64, found), err);
}

frz_status frz_presence_check(frz_presence *self, frz_verification *verification,
                              const frz_place *place, int64_t size, frz_error **err)
{
    uint64_t found = 0;
    bool there = false;
    const int64_t key = (int64_t)frz_hash_xxh3(place->path.data, place->path.size, 0);
    const frz_map_value *seen = frz_map_find_i64(&self->seen, key);
    if (seen)
        return seen->number < 0 ? FRZ_OK : check_size(verification, place, size, seen->number, err);
    char *location = frz_copy_text_n((const char *)place->path.data, place->path.size);
    if (!location)
        return frz_fail_memory(err);
    const frz_status status =
        frz_presence_ask(verification->table->io, location, &there, &found, err);
    frz_free(location);
    FRZ_TRY(status);
    const frz_map_value kept = {.number = there ? (int64_t)found : -1};
    if (!frz_map_put_i64(&self->seen, key, kept))
        return frz_fail_memory(err);
    verification->report->counts.files++;
    if (!there)
        return frz_report_add(
            verification->report, FRZ_RULE_FILE_EXISTS, place,
            frz_report_text(verification->report, "a file of %" PRId64 " bytes", size), "none",
            err);
    return check_size(verification, place, size, (int64_t)found, err);
}
