/*
 * Files that live as long as this storage does: in the memory of the process, for tests and
 * short-lived tables, or in files of a local folder that have no name there (scratch), for what is
 * too large for memory and nobody's business. Locations are opaque text, kept sorted. A file that
 * is removed lives on for those who have it open.
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/mem.h"
#include "frazil/io.h"

typedef struct memory_file {
    atomic_size_t refs;
    int fd; /* of a file without a name; -1: the bytes are in memory */
    uint64_t size;
    frz_buffer bytes;
    int64_t modified_ms;
    char location[];
} memory_file;

typedef struct memory_io {
    frz_io base;
    pthread_mutex_t lock; /* guards the array */
    memory_file **files;  /* ascending by location; each holds one reference */
    size_t count;
    size_t capacity;
    char *folder; /* of scratch files; NULL: memory */
} memory_io;

typedef struct memory_input {
    frz_input base;
    memory_file *file;
} memory_input;

typedef struct memory_output {
    frz_output base;
    memory_io *io;
    memory_file *file;
} memory_output;

static void unref_file(memory_file *file)
{
    if (!file || atomic_fetch_sub(&file->refs, 1) != 1)
        return;
    if (file->fd >= 0)
        (void)!close(file->fd); /* nobody will read it again */
    frz_buffer_clear(&file->bytes);
    frz_free(file);
}

/* The first file whose location is not before `location`. Under the lock. */
static size_t position_of(const memory_io *io, const char *location)
{
    size_t low = 0;
    size_t high = io->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(io->files[middle]->location, location) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Under the lock; NULL when absent. */
static memory_file *find_file(const memory_io *io, const char *location)
{
    const size_t at = position_of(io, location);
    return at < io->count && strcmp(io->files[at]->location, location) == 0 ? io->files[at] : NULL;
}

/* A reference of the caller's own; NULL when absent. */
static memory_file *get_file(memory_io *io, const char *location)
{
    (void)pthread_mutex_lock(&io->lock);
    memory_file *file = find_file(io, location);
    if (file)
        (void)atomic_fetch_add(&file->refs, 1);
    (void)pthread_mutex_unlock(&io->lock);
    return file;
}

static frz_status absent(const char *verb, const char *location, frz_error **err)
{
    return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "%s %s: no such file in memory", verb,
                    location);
}

static frz_status taken(const char *location, frz_error **err)
{
    return frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET, "create %s: the file exists", location);
}

static frz_status read_scratch(const memory_file *file, uint64_t offset, uint8_t *at, size_t size,
                               frz_error **err)
{
    while (size > 0) {
        const size_t step = size < SSIZE_MAX ? size : SSIZE_MAX;
        const ssize_t got = pread(file->fd, at, step, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return frz_fail_errno(err, got < 0 ? errno : EIO, "read", file->location);
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return FRZ_OK;
}

static frz_status memory_read_at(frz_input *base, uint64_t offset, void *out, size_t size,
                                 frz_error **err)
{
    const memory_file *file = ((memory_input *)base)->file;
    if (offset > file->size || size > file->size - offset)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "%s: expected %zu bytes at offset %llu, the file ends at %llu",
                        file->location, size, (unsigned long long)offset,
                        (unsigned long long)file->size);
    if (file->fd >= 0)
        return read_scratch(file, offset, out, size, err);
    if (size > 0)
        memcpy(out, file->bytes.data + offset, size);
    return FRZ_OK;
}

static uint64_t memory_size(const frz_input *base)
{
    return ((const memory_input *)base)->file->size;
}

static const uint8_t *memory_mapped(frz_input *base)
{
    const memory_file *file = ((memory_input *)base)->file;
    return file->fd < 0 ? file->bytes.data : NULL;
}

static void memory_close(frz_input *base)
{
    memory_input *input = (memory_input *)base;
    unref_file(input->file);
    frz_free(input);
}

static const frz_input_ops memory_input_ops = {
    .read_at = memory_read_at, .size = memory_size, .close = memory_close, .mapped = memory_mapped};

static frz_status memory_open(frz_io *base, const char *location, uint64_t known_size,
                              frz_input **out, frz_error **err)
{
    (void)known_size;
    memory_input *input = frz_alloc_zero(sizeof *input);
    if (!input)
        return frz_fail_memory(err);
    input->base.ops = &memory_input_ops;
    input->file = get_file((memory_io *)base, location);
    if (!input->file) {
        frz_free(input);
        return absent("open", location, err);
    }
    *out = &input->base;
    return FRZ_OK;
}

static frz_status write_scratch(const memory_file *file, const uint8_t *at, size_t size,
                                frz_error **err)
{
    while (size > 0) {
        const size_t step = size < SSIZE_MAX ? size : SSIZE_MAX;
        const ssize_t put = write(file->fd, at, step);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return frz_fail_errno(err, errno, "write", file->location);
        at += put;
        size -= (size_t)put;
    }
    return FRZ_OK;
}

static frz_status memory_write(frz_output *base, const void *bytes, size_t size, frz_error **err)
{
    memory_file *file = ((memory_output *)base)->file;
    file->size += size;
    if (file->fd >= 0)
        return write_scratch(file, bytes, size, err);
    frz_buffer_append(&file->bytes, bytes, size);
    return frz_buffer_check(&file->bytes, err);
}

static void memory_abort(frz_output *base)
{
    memory_output *output = (memory_output *)base;
    unref_file(output->file);
    frz_free(output);
}

/* Under the lock. Takes the reference on success. */
static frz_status add_file(memory_io *io, memory_file *file, frz_error **err)
{
    if (find_file(io, file->location))
        return taken(file->location, err);
    if (!frz_grow_array((void **)&io->files, &io->capacity, io->count, sizeof *io->files))
        return frz_fail_memory(err);
    const size_t at = position_of(io, file->location);
    memmove(io->files + at + 1, io->files + at, (io->count - at) * sizeof *io->files);
    io->files[at] = file;
    io->count++;
    return FRZ_OK;
}

static frz_status memory_commit(frz_output *base, frz_error **err)
{
    memory_output *output = (memory_output *)base;
    memory_io *io = output->io;
    frz_status status = frz_buffer_check(&output->file->bytes, err);
    if (status == FRZ_OK) {
        output->file->modified_ms = frz_clock_now_ms();
        (void)pthread_mutex_lock(&io->lock);
        status = add_file(io, output->file, err);
        (void)pthread_mutex_unlock(&io->lock);
    }
    if (status == FRZ_OK)
        output->file = NULL;
    memory_abort(base);
    return status;
}

static const frz_output_ops memory_output_ops = {
    .write = memory_write, .commit = memory_commit, .abort = memory_abort};

/* A file that is gone when its descriptor is, however the process ends. */
static frz_status open_scratch(const char *folder, int *out, frz_error **err)
{
#ifdef O_TMPFILE
    *out = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (*out >= 0)
        return FRZ_OK;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return frz_fail_errno(err, errno, "create a file in", folder);
#endif
    static const char name[] = "/frazil-XXXXXX";
    const size_t size = strlen(folder) + sizeof name;
    char *path = frz_alloc(size);
    if (!path)
        return frz_fail_memory(err);
    (void)snprintf(path, size, "%s%s", folder, name);
    frz_status status = FRZ_OK;
    *out = mkstemp(path);
    if (*out < 0)
        status = frz_fail_errno(err, errno, "create a file in", folder);
    else if (unlink(path) != 0 || fcntl(*out, F_SETFD, FD_CLOEXEC) != 0)
        status = frz_fail_errno(err, errno, "create", path);
    frz_free(path);
    return status;
}

static frz_status memory_create(frz_io *base, const char *location, frz_output **out,
                                frz_error **err)
{
    memory_io *io = (memory_io *)base;
    memory_file *present = get_file(io, location);
    if (present) {
        unref_file(present);
        return taken(location, err);
    }
    const size_t size = strlen(location) + 1;
    memory_output *output = frz_alloc_zero(sizeof *output);
    memory_file *file = frz_alloc_zero(sizeof *file + size);
    if (!output || !file) {
        frz_free(output);
        frz_free(file);
        return frz_fail_memory(err);
    }
    atomic_init(&file->refs, 1);
    file->fd = -1;
    memcpy(file->location, location, size);
    *output = (memory_output){.base.ops = &memory_output_ops, .io = io, .file = file};
    const frz_status status = io->folder ? open_scratch(io->folder, &file->fd, err) : FRZ_OK;
    if (status != FRZ_OK) {
        memory_abort(&output->base);
        return status;
    }
    *out = &output->base;
    return FRZ_OK;
}

static frz_status memory_remove(frz_io *base, const char *location, frz_error **err)
{
    memory_io *io = (memory_io *)base;
    (void)pthread_mutex_lock(&io->lock);
    memory_file *file = find_file(io, location);
    if (file) {
        const size_t at = position_of(io, location);
        memmove(io->files + at, io->files + at + 1, (io->count - at - 1) * sizeof *io->files);
        io->count--;
    }
    (void)pthread_mutex_unlock(&io->lock);
    if (!file)
        return absent("remove", location, err);
    unref_file(file);
    return FRZ_OK;
}

static frz_status memory_stat(frz_io *base, const char *location, uint64_t *size_out,
                              frz_error **err)
{
    memory_file *file = get_file((memory_io *)base, location);
    if (!file)
        return absent("open", location, err);
    *size_out = file->size;
    unref_file(file);
    return FRZ_OK;
}

static bool is_below(const char *location, const char *folder, size_t folder_size)
{
    return strncmp(location, folder, folder_size) == 0 && location[folder_size] == '/';
}

/* References to all files below a folder, so that the visitor runs without the lock. */
static frz_status collect_below(memory_io *io, const char *folder, memory_file ***out,
                                size_t *count_out, frz_error **err)
{
    size_t folder_size = strlen(folder);
    while (folder_size > 0 && folder[folder_size - 1] == '/')
        folder_size--;
    (void)pthread_mutex_lock(&io->lock);
    memory_file **found = frz_alloc_array(io->count + 1, sizeof *found);
    size_t count = 0;
    for (size_t i = 0; found && i < io->count; i++) {
        if (!is_below(io->files[i]->location, folder, folder_size))
            continue;
        (void)atomic_fetch_add(&io->files[i]->refs, 1);
        found[count++] = io->files[i];
    }
    (void)pthread_mutex_unlock(&io->lock);
    if (!found)
        return frz_fail_memory(err);
    *out = found;
    *count_out = count;
    return FRZ_OK;
}

static frz_status memory_list(frz_io *base, const char *location, frz_io_list_visit visit,
                              void *context, frz_error **err)
{
    memory_file **found = NULL;
    size_t count = 0;
    FRZ_TRY(collect_below((memory_io *)base, location, &found, &count, err));
    frz_status status = FRZ_OK;
    for (size_t i = 0; i < count; i++) {
        if (status == FRZ_OK)
            status = visit(context, found[i]->location, found[i]->size, found[i]->modified_ms, err);
        unref_file(found[i]);
    }
    frz_free(found);
    return status;
}

static void memory_free(frz_io *base)
{
    memory_io *io = (memory_io *)base;
    for (size_t i = 0; i < io->count; i++)
        unref_file(io->files[i]);
    frz_free(io->files);
    frz_free(io->folder);
    (void)pthread_mutex_destroy(&io->lock);
    frz_free(io);
}

static const frz_io_ops memory_ops = {.open = memory_open,
                                      .create = memory_create,
                                      .remove = memory_remove,
                                      .stat = memory_stat,
                                      .list = memory_list,
                                      .free = memory_free};

frz_status frz_io_memory_new(frz_io **out, frz_error **err)
{
    memory_io *io = frz_alloc_zero(sizeof *io);
    if (!io)
        return frz_fail_memory(err);
    io->base.ops = &memory_ops;
    (void)pthread_mutex_init(&io->lock, NULL); /* cannot fail on Linux */
    *out = &io->base;
    return FRZ_OK;
}

frz_status frz_io_scratch_new(const char *folder, frz_io **out, frz_error **err)
{
    frz_io *io = NULL;
    const char *temporary = getenv("TMPDIR");
    if (!folder)
        folder = temporary && *temporary ? temporary : "/tmp";
    FRZ_TRY(frz_io_memory_new(&io, err));
    memory_io *self = (memory_io *)io;
    self->folder = frz_copy_text(folder);
    if (!self->folder) {
        memory_free(io);
        return frz_fail_memory(err);
    }
    *out = io;
    return FRZ_OK;
}
