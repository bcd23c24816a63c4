#include "catalog/stage.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/mem.h"

frz_status frz_stage_load(frz_catalog_backend *backend, const char *identifier,
                          char **metadata_location_out, frz_error **err)
{
    const frz_stage *stage = (const frz_stage *)backend;
    (void)identifier;
    *metadata_location_out = frz_copy_text(stage->location);
    return *metadata_location_out ? FRZ_OK : frz_fail_memory(err);
}

static void move(frz_stage *stage, char *location, frz_metadata *metadata)
{
    frz_free(stage->location);
    frz_metadata_unref(stage->metadata);
    stage->location = location;
    stage->metadata = metadata;
}

frz_status frz_stage_reset(frz_stage *stage, const char *base_location, frz_metadata *base,
                           frz_error **err)
{
    char *replaced = frz_copy_text(base_location);
    char *location = frz_copy_text(base_location);
    if (!replaced || !location) {
        frz_free(replaced);
        frz_free(location);
        return frz_fail_memory(err);
    }
    frz_free(stage->base_location);
    frz_metadata_unref(stage->base);
    stage->base_location = replaced;
    stage->base = frz_metadata_ref(base);
    move(stage, location, frz_metadata_ref(base));
    return FRZ_OK;
}

/* A name that no version of the table ever has twice: what was planned on one is not taken for
 * planned on another. */
static frz_status name_version(frz_stage *stage, char **out, frz_error **err)
{
    frz_buffer name = {0};
    frz_buffer_printf(&name, "%s#staged-%" PRId64, stage->base_location, ++stage->version);
    frz_buffer_append_byte(&name, 0);
    const frz_status status = frz_buffer_check(&name, err);
    if (status == FRZ_OK)
        *out = (char *)name.data;
    else
        frz_buffer_clear(&name);
    return status;
}

frz_status frz_stage_advance(frz_stage *stage, const char *expected, const frz_metadata *metadata,
                             char **location_out, frz_error **err)
{
    char *location = NULL;
    if (strcmp(expected, stage->location) != 0)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "the transaction stands at %s, expected %s", stage->location, expected);
    FRZ_TRY(name_version(stage, &location, err));
    char *copy = frz_copy_text(location);
    if (!copy) {
        frz_free(location);
        return frz_fail_memory(err);
    }
    move(stage, location, frz_metadata_ref(metadata));
    *location_out = copy;
    return FRZ_OK;
}

frz_status frz_stage_end(frz_stage *stage, const char *location, frz_metadata *metadata,
                         frz_error **err)
{
    stage->ended = true;
    char *copy = frz_copy_text(location);
    if (!copy)
        return frz_fail_memory(err);
    move(stage, copy, frz_metadata_ref(metadata));
    return FRZ_OK;
}

void frz_stage_clear(frz_stage *stage)
{
    move(stage, NULL, NULL);
    frz_free(stage->base_location);
    frz_metadata_unref(stage->base);
    *stage = (frz_stage){0};
}
