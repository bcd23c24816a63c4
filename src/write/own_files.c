#include "write/own_files.h"

#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "io/file.h"

frz_status frz_own_files_add(frz_own_files *files, const char *location, int32_t attempt,
                             frz_error **err)
{
    const char *copy = frz_arena_text(&files->arena, location);
    if (!copy || !frz_grow_array((void **)&files->items, &files->capacity, files->count,
                                 sizeof *files->items))
        return frz_fail_memory(err);
    files->items[files->count++] = (frz_own_file){copy, attempt, attempt};
    return FRZ_OK;
}

int32_t frz_own_files_attempt_of(const frz_own_files *files, const char *location)
{
    for (size_t i = files->count; i > 0; i--)
        if (strcmp(files->items[i - 1].location, location) == 0)
            return files->items[i - 1].attempt;
    return FRZ_EVERY_ATTEMPT;
}

void frz_own_files_use(frz_own_files *files, frz_slice location, int32_t attempt)
{
    for (size_t i = 0; i < files->count; i++)
        if (frz_slice_is_text(location, files->items[i].location) &&
            files->items[i].attempt != FRZ_EVERY_ATTEMPT)
            files->items[i].last_attempt = attempt;
}

void frz_own_files_start(frz_own_files *files, frz_slice location, int32_t attempt)
{
    for (size_t i = 0; i < files->count; i++) {
        if (!frz_slice_is_text(location, files->items[i].location))
            continue;
        files->items[i].attempt = attempt;
        files->items[i].last_attempt = INT32_MAX;
    }
}

void frz_own_files_retire(frz_own_files *files, frz_slice location, int32_t attempt)
{
    for (size_t i = 0; i < files->count; i++) {
        frz_own_file *file = &files->items[i];
        if (!frz_slice_is_text(location, file->location))
            continue;
        if (file->attempt == FRZ_EVERY_ATTEMPT)
            file->attempt = 0;
        file->last_attempt = attempt - 1;
    }
}

void frz_own_files_keep_attempt(frz_own_files *files, frz_io *io, int32_t attempt)
{
    for (size_t i = 0; i < files->count; i++) {
        const frz_own_file *file = &files->items[i];
        if (file->attempt != FRZ_EVERY_ATTEMPT &&
            (attempt < file->attempt || attempt > file->last_attempt))
            frz_io_discard(io, file->location);
    }
}

void frz_own_files_remove_all(frz_own_files *files, frz_io *io)
{
    size_t left = 0;
    for (size_t i = 0; i < files->count; i++) {
        const frz_status status = frz_io_remove(io, files->items[i].location, NULL);
        if (status != FRZ_OK && status != FRZ_NOT_FOUND)
            files->items[left++] = files->items[i];
    }
    files->count = left;
}

char *frz_own_files_print(const frz_own_files *files)
{
    frz_buffer text = {0};
    for (size_t i = 0; i < files->count; i++) {
        frz_buffer_append_text(&text, i ? " " : "");
        frz_buffer_append_text(&text, files->items[i].location);
    }
    frz_buffer_append_byte(&text, 0);
    if (files->count > 0 && frz_buffer_check(&text, NULL) == FRZ_OK)
        return (char *)text.data;
    frz_buffer_clear(&text);
    return NULL;
}

void frz_own_files_clear(frz_own_files *files)
{
    frz_free(files->items);
    frz_arena_clear(&files->arena);
    *files = (frz_own_files){0};
}
