#include "catalog/catalog.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/codec.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/uuid.h"
#include "catalog/identifier.h"
#include "catalog/outcome.h"
#include "catalog/table.h"
#include "frazil/schema.h"
#include "io/file.h"

frz_status frz_metadata_property_bool(const frz_metadata *metadata, const char *key, bool absent,
                                      bool *out, frz_error **err)
{
    const char *value = frz_metadata_property(metadata, key);
    if (value && strcasecmp(value, "true") != 0 && strcasecmp(value, "false") != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected true or false, got \"%s\"", key, value);
    *out = value ? strcasecmp(value, "true") == 0 : absent;
    return FRZ_OK;
}

frz_status frz_metadata_property_i64(const frz_metadata *metadata, const char *key, int64_t absent,
                                     int64_t *out, frz_error **err)
{
    const char *value = frz_metadata_property(metadata, key);
    int64_t number = absent;
    if (value && !frz_number_parse_i64(value, strlen(value), &number))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property %s: expected an integer, got \"%s\"", key, value);
    *out = number;
    return FRZ_OK;
}

void frz_io_discard(frz_io *io, const char *location)
{
    const frz_status status = frz_io_remove(io, location, NULL);
    (void)status; /* what cannot be removed is an orphan, not a failure */
}

/* The version in `.../00007-<uuid>.metadata.json` or `.../v7.metadata.json`; -1 when there is none.
 */
static int64_t version_of(const char *location)
{
    const char *slash = strrchr(location, '/');
    const char *name = slash ? slash + 1 : location;
    if (*name == 'v')
        name++;
    const size_t digits = strspn(name, "0123456789");
    int64_t version = 0;
    if (digits == 0 || !frz_number_parse_i64(name, digits, &version))
        return -1;
    return version;
}

static frz_status metadata_codec(const frz_metadata *metadata, bool *gzip_out, frz_error **err)
{
    const char *codec = frz_metadata_property(metadata, "write.metadata.compression-codec");
    if (codec && strcasecmp(codec, "gzip") != 0 && strcasecmp(codec, "none") != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table property write.metadata.compression-codec: expected none or gzip, "
                        "got \"%s\"",
                        codec);
    *gzip_out = codec && strcasecmp(codec, "gzip") == 0;
    return FRZ_OK;
}

static frz_status dropped_are_removed(const frz_metadata *metadata, bool *out, frz_error **err)
{
    return frz_metadata_property_bool(metadata, "write.metadata.delete-after-commit.enabled", false,
                                      out, err);
}

static frz_status name_metadata(const char *base_location, const frz_metadata *metadata, bool gzip,
                                frz_buffer *out, frz_error **err)
{
    char name[128];
    char uuid_text[FRZ_UUID_TEXT_SIZE];
    const frz_uuid uuid = frz_uuid_random();
    frz_uuid_print(&uuid, uuid_text);
    const int64_t version = base_location ? version_of(base_location) + 1 : 0;
    (void)snprintf(name, sizeof name, "%05lld-%s%s.metadata.json", (long long)version, uuid_text,
                   gzip ? ".gz" : "");
    frz_table_metadata_path(metadata, name, out);
    frz_buffer_append_byte(out, 0);
    return frz_buffer_check(out, err);
}

static frz_status write_packed(frz_io *io, const char *location, const frz_metadata *metadata,
                               frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer text = {0};
    frz_buffer packed = {0};
    FRZ_TRY_DONE(frz_metadata_print(metadata, &text, err));
    FRZ_TRY_DONE(frz_codec_compress(NULL, FRZ_CODEC_GZIP, FRZ_CODEC_LEVEL_DEFAULT,
                                    frz_buffer_slice(&text), &packed, err));
    status = frz_io_write_file(io, location, frz_buffer_slice(&packed), err);

done:
    frz_buffer_clear(&text);
    frz_buffer_clear(&packed);
    return status;
}

static frz_status write_plain(frz_io *io, const char *location, const frz_metadata *metadata,
                              frz_error **err)
{
    frz_output *output = NULL;
    FRZ_TRY(frz_io_create(io, location, &output, err));
    const frz_status status = frz_metadata_write(metadata, output, err);
    if (status != FRZ_OK) {
        frz_output_abort(output);
        return status;
    }
    return frz_output_commit(output, err);
}

static frz_status write_metadata(frz_catalog *catalog, const char *base_location,
                                 const frz_metadata *metadata, char **location_out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer location = {0};
    frz_io *io = frz_catalog_io(catalog);
    bool gzip = false;
    bool removed = false;

    FRZ_TRY_DONE(metadata_codec(metadata, &gzip, err));
    FRZ_TRY_DONE(dropped_are_removed(metadata, &removed, err)); /* too late to say so afterwards */
    FRZ_TRY_DONE(name_metadata(base_location, metadata, gzip, &location, err));
    const char *name = (const char *)location.data;
    FRZ_TRY_DONE(gzip ? write_packed(io, name, metadata, err)
                      : write_plain(io, name, metadata, err));
    *location_out = (char *)location.data;
    location = (frz_buffer){0};

done:
    frz_buffer_clear(&location);
    return status;
}

/* How a swap ended, after the table itself was asked. */
typedef struct settlement {
    frz_status status;
    bool keep; /* the version may be current, or be read */
    frz_outcome outcome;
    frz_effect effect; /* where the outcome is FRZ_OUTCOME_BURIED */
} settlement;

/*
 * The table itself is asked where the back-end's answer may be wrong: it was lost, or it is a
 * conflict with ourselves (some catalogs send a swap again when its answer is late, and lose to
 * their own).
 */
static settlement settle(frz_catalog *catalog, const frz_new_version *version, const char *location,
                         frz_status answer)
{
    const frz_status beaten = version->base_location ? FRZ_CONFLICT : FRZ_ALREADY_EXISTS;
    settlement end = {.status = answer, .outcome = FRZ_OUTCOME_LOST};
    if (answer == FRZ_UNKNOWN_STATE)
        end.outcome = frz_outcome_wait(catalog, version, location, &end.effect);
    else if (answer == beaten)
        end.outcome = frz_outcome_look(catalog, version, location);
    else
        return end;
    end.keep = end.outcome != FRZ_OUTCOME_LOST &&
               (end.outcome == FRZ_OUTCOME_UNSEEN || answer == FRZ_UNKNOWN_STATE);
    if (end.outcome == FRZ_OUTCOME_COMMITTED)
        end.status = FRZ_OK;
    if (end.outcome == FRZ_OUTCOME_LOST)
        end.status = beaten;
    return end;
}

static frz_status tell_unknown(const frz_new_version *version, const char *location,
                               const settlement *end, const frz_error *lost, frz_error **err)
{
    char advice[400] = "";
    if (end->outcome == FRZ_OUTCOME_BURIED && end->effect.is_there)
        (void)snprintf(advice, sizeof advice,
                       "the table has moved on and no log tells of it: what was asked for is "
                       "there, made by this commit or by another one");
    else if (end->outcome == FRZ_OUTCOME_BURIED)
        (void)snprintf(advice, sizeof advice,
                       "the table has moved on and no log tells of it: it lacks %s, so run it "
                       "again if nobody took that back",
                       *end->effect.missing ? end->effect.missing : "what tells");
    else if (end->outcome == FRZ_OUTCOME_OPEN)
        (void)snprintf(advice, sizeof advice,
                       "the table stands where it stood, and the commit may yet arrive: run it "
                       "again only when the table has moved on without it");
    else
        (void)snprintf(advice, sizeof advice,
                       "the table could not be looked at: see its snapshots and its metadata log "
                       "before it is run again");
    return frz_fail(err, FRZ_UNKNOWN_STATE, FRZ_NO_OFFSET,
                    "commit of table %s: the catalog's answer was lost (%s); it may or may not "
                    "have taken %s; no file was removed; %s",
                    version->identifier, frz_error_message(lost), location, advice);
}

static frz_status make_namespace_of(frz_catalog *catalog, const char *identifier, frz_error **err)
{
    frz_slice space;
    frz_slice name;
    FRZ_TRY(frz_identifier_split(identifier, &space, &name, err));
    return frz_catalog_ensure_namespace(catalog, space, err);
}

frz_status frz_catalog_commit_version(frz_catalog *catalog, const frz_new_version *version,
                                      char **location_out, frz_error **err)
{
    frz_catalog_backend *backend = frz_catalog_backend_of(catalog);
    frz_error *lost = NULL;
    char *location = NULL;

    if (frz_catalog_stage(catalog))
        return frz_stage_advance(frz_catalog_stage(catalog), version->base_location,
                                 version->metadata, location_out, err);
    if (!version->base_location)
        FRZ_TRY(make_namespace_of(catalog, version->identifier, err));
    FRZ_TRY(write_metadata(catalog, version->base_location, version->metadata, &location, err));
    const frz_status answer =
        version->base_location
            ? backend->ops->swap(backend, version->identifier, version->base_location, location,
                                 &lost)
            : backend->ops->create(backend, version->identifier, location, &lost);
    settlement end = settle(catalog, version, location, answer);
    frz_status status = end.status;
    if (status == FRZ_OK) {
        frz_error_free(lost);
        *location_out = location;
        return FRZ_OK;
    }
    if (!end.keep) { /* ours, and unreferenced */
        const frz_status removed = frz_io_remove(frz_catalog_io(catalog), location, NULL);
        end.keep = removed != FRZ_OK && removed != FRZ_NOT_FOUND;
    }
    if (status == FRZ_UNKNOWN_STATE)
        status = tell_unknown(version, location, &end, lost, err);
    else
        status = frz_fail_origin(err, status, frz_error_origin(lost), "commit of table %s: %s%s%s",
                                 version->identifier, frz_error_message(lost),
                                 end.keep ? "; a file that stays: " : "", end.keep ? location : "");
    frz_error_free(lost);
    frz_free(location);
    return status;
}

frz_status frz_catalog_commit(frz_catalog *catalog, const char *identifier,
                              const char *base_location, const frz_metadata *metadata,
                              char **location_out, frz_error **err)
{
    const frz_new_version version = {identifier, base_location, metadata, FRZ_NO_SNAPSHOT, NULL};
    return frz_catalog_commit_version(catalog, &version, location_out, err);
}

void frz_catalog_remove_dropped(frz_catalog *catalog, const frz_metadata *metadata,
                                const char *const *dropped, size_t count)
{
    bool enabled = false;
    if (frz_catalog_stage(catalog))
        return; /* nothing is committed yet */
    if (dropped_are_removed(metadata, &enabled, NULL) != FRZ_OK || !enabled)
        return;
    for (size_t i = 0; i < count; i++)
        frz_io_discard(frz_catalog_io(catalog), dropped[i]);
}
