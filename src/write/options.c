#include "write/options.h"

#include "base/fail.h"
#include "base/options.h"

frz_status frz_write_options_take(const frz_write_options *given, frz_write_options *out,
                                  frz_error **err)
{
    static const frz_write_options defaults = FRZ_WRITE_OPTIONS_INIT;
    *out = defaults;
    return FRZ_OPTIONS_TAKE(frz_write_options, given, out, err);
}

static frz_status copy_text(const char **text, frz_arena *arena, frz_error **err)
{
    if (!*text)
        return FRZ_OK;
    *text = frz_arena_text(arena, *text);
    return *text ? FRZ_OK : frz_fail_memory(err);
}

frz_status frz_write_options_copy(const frz_write_options *options, frz_arena *arena,
                                  frz_write_options *out, frz_error **err)
{
    frz_write_options copy = *options;
    const size_t count = copy.snapshot_property_count;
    frz_option *properties = frz_arena_array(arena, count + 1, sizeof *properties);
    if (!properties)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        properties[i] = copy.snapshot_properties[i];
        FRZ_TRY(copy_text(&properties[i].key, arena, err));
        FRZ_TRY(copy_text(&properties[i].value, arena, err));
    }
    copy.snapshot_properties = properties;
    copy.cancelled = NULL;
    copy.input_names = NULL;
    FRZ_TRY(copy_text(&copy.branch, arena, err));
    FRZ_TRY(copy_text(&copy.wap_id, arena, err));
    FRZ_TRY(copy_text(&copy.idempotency_key, arena, err));
    *out = copy;
    return FRZ_OK;
}
