#include "write/own_files.h"

#include "base/fail.h"
#include "base/mem.h"
#include "catalog/catalog.h"

frz_status frz_own_files_add(frz_own_files *files, const char *location, int32_t attempt,
                             frz_error **err)
{
    const char *copy = frz_arena_text(&files->arena, location);
    if (!copy || !frz_grow_array((void **)&files->items, &files->capacity, files->count,
                                 sizeof *files->items))
        return frz_fail_memory(err);
    files->items[files->count++] = (frz_own_file){copy, attempt};
    return FRZ_OK;
}

void frz_own_files_keep_attempt(frz_own_files *files, frz_io *io, int32_t attempt)
{
    for (size_t i = 0; i < files->count; i++) {
        const frz_own_file *file = &files->items[i];
        if (file->attempt != FRZ_EVERY_ATTEMPT && file->attempt != attempt)
            frz_io_discard(io, file->location);
    }
}

void frz_own_files_remove_all(frz_own_files *files, frz_io *io)
{
    for (size_t i = 0; i < files->count; i++)
        frz_io_discard(io, files->items[i].location);
}

void frz_own_files_clear(frz_own_files *files)
{
    frz_free(files->items);
    frz_arena_clear(&files->arena);
    *files = (frz_own_files){0};
}
