/*
 * Tables that are there already, taken into a catalog (frazil/catalog.h).
 */
#include "base/fail.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "catalog/config.h"
#include "catalog/identifier.h"
#include "catalog/newest.h"
#include "catalog/outcome.h"
#include "catalog/table.h"
#include "io/file.h"

typedef struct registration {
    frz_catalog *catalog;
    const char *identifier;
    frz_arena arena;
    char *location; /* of the metadata file; owned */
    frz_metadata *metadata;
} registration;

/* What can be told without reading the table: a pointer to what is not there helps nobody. */
static frz_status read_metadata(registration *self, const char *given, frz_error **err)
{
    frz_io *io = frz_catalog_io(self->catalog);
    const char *absolute = NULL;
    uint64_t size = 0;
    FRZ_TRY(frz_location_absolute(given, &self->arena, &absolute, err));
    if (frz_io_stat(io, absolute, &size, NULL) == FRZ_OK) {
        self->location = frz_copy_text(absolute);
        if (!self->location)
            return frz_fail_memory(err);
    } else {
        FRZ_TRY(frz_metadata_newest(io, absolute, &self->location, err));
    }
    FRZ_TRY(frz_metadata_read(io, self->location, &frz_limits_default, &self->metadata, err));
    /* Spec "Table Metadata Fields": table-uuid is optional in V1 alone. */
    if (!self->metadata->table_uuid && self->metadata->format_version > 1)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "%s: it has no table-uuid",
                        self->location);
    const frz_snapshot *current = frz_metadata_current_snapshot(self->metadata);
    return current && current->manifest_list ? frz_io_stat(io, current->manifest_list, &size, err)
                                             : FRZ_OK;
}

static frz_status set_pointer(registration *self, frz_error **err)
{
    frz_catalog_backend *backend = frz_catalog_backend_of(self->catalog);
    frz_error *lost = NULL;
    frz_status status = backend->ops->create(backend, self->identifier, self->location, &lost);
    if (status == FRZ_UNKNOWN_STATE) {
        frz_effect effect = {0}; /* of a change; here is none */
        const frz_new_version version = {.identifier = self->identifier,
                                         .metadata = self->metadata,
                                         .snapshot_id = FRZ_NO_SNAPSHOT};
        if (frz_outcome_wait(self->catalog, &version, self->location, &effect) ==
            FRZ_OUTCOME_COMMITTED)
            status = FRZ_OK;
    }
    if (status != FRZ_OK)
        status =
            frz_fail_origin(err, status, frz_error_origin(lost), "%s", frz_error_message(lost));
    frz_error_free(lost);
    return status;
}

static frz_status register_table(registration *self, const char *location, frz_table **out,
                                 frz_error **err)
{
    frz_slice space;
    frz_slice name;
    frz_metadata *metadata = NULL;
    FRZ_TRY(frz_identifier_split(self->identifier, &space, &name, err));
    FRZ_TRY(frz_catalog_check_absent(self->catalog, self->identifier, err));
    FRZ_TRY(read_metadata(self, location, err));
    FRZ_TRY(frz_catalog_ensure_namespace(self->catalog, space, err));
    FRZ_TRY(set_pointer(self, err));
    if (!out)
        return FRZ_OK;
    metadata = self->metadata;
    self->metadata = NULL;
    return frz_table_new(self->catalog, self->identifier, frz_catalog_io(self->catalog),
                         self->location, metadata, out, err);
}

frz_status frz_catalog_register(frz_catalog *catalog, const char *identifier, const char *location,
                                frz_table **out, frz_error **err)
{
    registration self = {.catalog = catalog, .identifier = identifier};
    const frz_status status = register_table(&self, location, out, err);
    frz_metadata_unref(self.metadata);
    frz_free(self.location);
    frz_arena_clear(&self.arena);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "register table %s", identifier);
}
