/*
 * Changes of a table's properties, location and format version.
 */
#include <string.h>

#include "base/fail.h"
#include "catalog/config.h"
#include "catalog/refused_properties.h"
#include "spec/metadata_builder.h"
#include "write/alteration.h"
#include "write/property_value.h"

static frz_status record(frz_alteration *changes, frz_alter_apply apply, const char *name,
                         const char *text, frz_error **err)
{
    frz_alter_step *step = frz_alter_step_add(changes, apply, err);
    if (!step)
        return FRZ_NO_MEMORY;
    FRZ_TRY(frz_alter_keep(changes, name, &step->name, err));
    return frz_alter_keep(changes, text, &step->text, err);
}

static frz_status apply_set_property(const frz_alter_step *step, frz_alter_draft *draft,
                                     frz_error **err)
{
    const char *known = frz_builder_property(draft->builder, step->name);
    if (strcmp(step->name, "format-version") == 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "property format-version is reserved: frazil upgrade T --to N changes it");
    if (!step->name[0])
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a property needs a name");
    FRZ_TRY(frz_property_check_refused(step->name, err));
    FRZ_TRY(frz_property_value_check(draft->schema.schema, step->name, step->text, err));
    FRZ_TRY(frz_update_set_property(draft->builder, step->name, step->text, err));
    if (known && strcmp(known, step->text) == 0)
        return FRZ_OK;
    return frz_alter_note(draft, "set-property", err, "set %s = %s", step->name, step->text);
}

frz_status frz_alter_set_property(frz_alteration *changes, const char *key, const char *value,
                                  frz_error **err)
{
    if (!value)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "property %s: null is no value", key);
    return record(changes, apply_set_property, key, value, err);
}

static frz_status apply_remove_property(const frz_alter_step *step, frz_alter_draft *draft,
                                        frz_error **err)
{
    if (!frz_builder_property(draft->builder, step->name))
        return FRZ_OK;
    FRZ_TRY(frz_update_remove_property(draft->builder, step->name, err));
    return frz_alter_note(draft, "remove-property", err, "removed %s", step->name);
}

frz_status frz_alter_remove_property(frz_alteration *changes, const char *key, frz_error **err)
{
    return record(changes, apply_remove_property, key, NULL, err);
}

static frz_status apply_location(const frz_alter_step *step, frz_alter_draft *draft,
                                 frz_error **err)
{
    size_t size = strlen(step->text);
    while (size > 1 && step->text[size - 1] == '/')
        size--;
    const char *trimmed = frz_arena_text_n(draft->arena, step->text, size);
    const char *location = NULL;
    if (!trimmed)
        return frz_fail_memory(err);
    if (!trimmed[0])
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a table's location is not empty");
    FRZ_TRY(frz_location_absolute(trimmed, draft->arena, &location, err));
    if (strcmp(location, draft->base->location) == 0)
        return FRZ_OK;
    FRZ_TRY(frz_update_set_location(draft->builder, location, err));
    return frz_alter_note(draft, "set-location", err, "new files go to %s", location);
}

frz_status frz_alter_set_location(frz_alteration *changes, const char *location, frz_error **err)
{
    return record(changes, apply_location, NULL, location, err);
}

static frz_status apply_upgrade(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const int from = draft->format_version;
    const int to = (int)step->number;
    FRZ_TRY(frz_update_upgrade(draft->builder, to, err));
    if (from == to)
        return FRZ_OK;
    draft->format_version = to;
    draft->schema.format_version = to;
    draft->partition.format_version = to;
    return frz_alter_note(draft, "upgrade", err, "format version %d, was %d", to, from);
}

frz_status frz_alter_upgrade(frz_alteration *changes, int format_version, frz_error **err)
{
    frz_alter_step *step = frz_alter_step_add(changes, apply_upgrade, err);
    if (!step)
        return FRZ_NO_MEMORY;
    step->number = format_version;
    return FRZ_OK;
}
