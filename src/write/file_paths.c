#include "write/file_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "catalog/config.h"
#include "io/file.h"

typedef struct folder_listing {
    const char *folder;
    frz_arena *arena;
    frz_list *out;
} folder_listing;

/* _SUCCESS, .part.crc, _temporary/..., but not _day=1/... */
static bool is_hidden(const char *below)
{
    for (const char *name = below; *name;) {
        const size_t size = strcspn(name, "/");
        if ((*name == '.' || *name == '_') && !memchr(name, '=', size))
            return true;
        name += size + (name[size] == '/');
    }
    return false;
}

static frz_status add_path(frz_arena *arena, frz_list *out, const char *location, frz_error **err)
{
    const char **slot = frz_list_add(out, arena, sizeof(const char *));
    const char *kept = frz_arena_text(arena, location);
    if (!slot || !kept)
        return frz_fail_memory(err);
    *slot = kept;
    return FRZ_OK;
}

static frz_status visit(void *context, const char *location, uint64_t size, int64_t modified_ms,
                        frz_error **err)
{
    const folder_listing *self = context;
    const size_t folder_size = strlen(self->folder);
    (void)size;
    (void)modified_ms;
    const bool below = strncmp(location, self->folder, folder_size) == 0;
    const char *rest = below ? location + folder_size : location;
    while (*rest == '/')
        rest++;
    return is_hidden(rest) ? FRZ_OK : add_path(self->arena, self->out, location, err);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

frz_status frz_file_paths_add(frz_io *io, const char *path, frz_arena *arena, frz_list *out,
                              frz_error **err)
{
    const char *location = NULL;
    frz_error *absent = NULL;
    uint64_t size = 0;
    const size_t before = out->count;
    FRZ_TRY(frz_location_absolute(path, arena, &location, err));
    const frz_status status = frz_io_stat(io, location, &size, &absent);
    if (status == FRZ_OK)
        return add_path(arena, out, location, err);
    if (status != FRZ_NOT_FOUND) {
        const frz_status told =
            frz_fail_origin(err, status, frz_error_origin(absent), "%s", frz_error_message(absent));
        frz_error_free(absent);
        return told;
    }
    frz_error_free(absent);
    folder_listing listing = {location, arena, out};
    FRZ_TRY(frz_io_list(io, location, visit, &listing, err));
    if (out->count == before)
        return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET,
                        "%s: neither a file nor a folder that holds files", path);
    qsort((const char **)out->items + before, out->count - before, sizeof(const char *),
          compare_paths);
    return FRZ_OK;
}

frz_status frz_file_path_key(frz_io *io, frz_slice location, frz_buffer *out, frz_error **err)
{
    static const char scheme[] = "file:";
    const size_t start = out->size;
    FRZ_TRY(frz_io_resolve(io, location, out, err));
    const size_t size = out->size - start;
    if (size < sizeof scheme || memcmp(out->data + start, scheme, sizeof scheme - 1) != 0)
        return FRZ_OK;
    size_t skip = sizeof scheme - 1;
    while (skip + 1 < size && out->data[start + skip] == '/' && out->data[start + skip + 1] == '/')
        skip++;
    memmove(out->data + start, out->data + start + skip, size - skip);
    out->size -= skip;
    return FRZ_OK;
}
