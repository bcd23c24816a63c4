/*
 * A view of another storage in which recorded prefixes stand for others: tables whose files have
 * moved.
 */
#include "io/file.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "frazil/io.h"

typedef struct prefix {
    char *from; /* owned */
    char *to;   /* owned */
} prefix;

typedef struct remap_io {
    frz_io base;
    frz_io *inner; /* borrowed */
    prefix *prefixes;
    size_t count;
} remap_io;

/* The location as inner knows it, to be freed; NULL when memory is short. */
static char *mapped_location(const remap_io *io, const char *location)
{
    const prefix *best = NULL;
    size_t best_size = 0;
    for (size_t i = 0; i < io->count; i++) {
        const size_t size = strlen(io->prefixes[i].from);
        if (strncmp(location, io->prefixes[i].from, size) == 0 && (!best || size > best_size)) {
            best = &io->prefixes[i];
            best_size = size;
        }
    }
    if (!best)
        return frz_copy_text(location);
    const size_t to_size = strlen(best->to);
    const size_t rest_size = strlen(location + best_size) + 1;
    char *mapped = frz_alloc(to_size + rest_size);
    if (mapped) {
        memcpy(mapped, best->to, to_size);
        memcpy(mapped + to_size, location + best_size, rest_size);
    }
    return mapped;
}

static frz_status remap_open(frz_io *base, const char *location, uint64_t known_size,
                             frz_input **out, frz_error **err)
{
    const remap_io *io = (remap_io *)base;
    char *mapped = mapped_location(io, location);
    if (!mapped)
        return frz_fail_memory(err);
    const frz_status status = frz_io_open(io->inner, mapped, known_size, out, err);
    frz_free(mapped);
    return status;
}

static frz_status remap_create(frz_io *base, const char *location, frz_output **out,
                               frz_error **err)
{
    const remap_io *io = (remap_io *)base;
    char *mapped = mapped_location(io, location);
    if (!mapped)
        return frz_fail_memory(err);
    const frz_status status = frz_io_create(io->inner, mapped, out, err);
    frz_free(mapped);
    return status;
}

static frz_status remap_remove(frz_io *base, const char *location, frz_error **err)
{
    const remap_io *io = (remap_io *)base;
    char *mapped = mapped_location(io, location);
    if (!mapped)
        return frz_fail_memory(err);
    const frz_status status = frz_io_remove(io->inner, mapped, err);
    frz_free(mapped);
    return status;
}

static frz_status remap_stat(frz_io *base, const char *location, uint64_t *size_out,
                             frz_error **err)
{
    const remap_io *io = (remap_io *)base;
    char *mapped = mapped_location(io, location);
    if (!mapped)
        return frz_fail_memory(err);
    const frz_status status = frz_io_stat(io->inner, mapped, size_out, err);
    frz_free(mapped);
    return status;
}

static frz_status remap_list(frz_io *base, const char *location, frz_io_list_visit visit,
                             void *context, frz_error **err)
{
    const remap_io *io = (remap_io *)base;
    char *mapped = mapped_location(io, location);
    if (!mapped)
        return frz_fail_memory(err);
    const frz_status status = frz_io_list(io->inner, mapped, visit, context, err);
    frz_free(mapped);
    return status;
}

static frz_status remap_resolve(frz_io *base, const char *location, char **out, frz_error **err)
{
    char *mapped = mapped_location((remap_io *)base, location);
    if (!mapped)
        return frz_fail_memory(err);
    *out = mapped;
    return FRZ_OK;
}

static void remap_free(frz_io *base)
{
    remap_io *io = (remap_io *)base;
    for (size_t i = 0; io->prefixes && i < io->count; i++) {
        frz_free(io->prefixes[i].from);
        frz_free(io->prefixes[i].to);
    }
    frz_free(io->prefixes);
    frz_free(io);
}

static const frz_io_ops remap_ops = {.open = remap_open,
                                     .create = remap_create,
                                     .remove = remap_remove,
                                     .stat = remap_stat,
                                     .list = remap_list,
                                     .free = remap_free,
                                     .resolve = remap_resolve};

frz_status frz_io_remap_new(frz_io *inner, const frz_path_map *maps, size_t map_count, frz_io **out,
                            frz_error **err)
{
    remap_io *io = frz_alloc_zero(sizeof *io);
    if (!io)
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    io->base.ops = &remap_ops;
    io->inner = inner;
    io->count = map_count;
    io->prefixes = frz_alloc_array(map_count, sizeof *io->prefixes);
    if (!io->prefixes)
        status = frz_fail_memory(err);
    for (size_t i = 0; status == FRZ_OK && i < map_count; i++) {
        io->prefixes[i].from = frz_copy_text(maps[i].from);
        io->prefixes[i].to = frz_copy_text(maps[i].to);
        if (!io->prefixes[i].from || !io->prefixes[i].to)
            status = frz_fail_memory(err);
    }
    if (status != FRZ_OK) {
        remap_free(&io->base);
        return status;
    }
    *out = &io->base;
    return FRZ_OK;
}
