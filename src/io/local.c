/*
 * Local files. A file is written under a temporary name beside its own and gets that in one step
 * when it is committed, so that no reader ever sees a part of it:
 *
 *   create  makes missing folders (each entry synced at once), opens .NAME.RANDOM.tmp with O_EXCL
 *   commit  syncs the file, links it to its name (which must still be free), syncs the folder
 */
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/mem.h"
#include "frazil/io.h"

typedef struct local_input {
    frz_input base;
    int fd;
    uint64_t size;
    char *path;
} local_input;

typedef struct local_output {
    frz_output base;
    int fd; /* -1 once closed */
    char *path;
    char *temporary;
} local_output;

static bool is_scheme_char(char c, bool first)
{
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (!first && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'));
}

/* The length of "scheme" in scheme://rest; 0 when there is none. */
static size_t foreign_scheme(const char *location)
{
    size_t at = 0;
    while (is_scheme_char(location[at], at == 0))
        at++;
    return at > 0 && strncmp(location + at, "://", 3) == 0 ? at : 0;
}

/* Locations are opaque text: nothing is percent-decoded, as Hadoop and PyIceberg do not either. */
static frz_status path_of(const char *location, const char **out, frz_error **err)
{
    const char *path = location;
    if (strncmp(location, "file:", 5) == 0) {
        path = location + 5;
        if (strncmp(path, "//localhost/", 12) == 0)
            path += 11;
        else if (strncmp(path, "///", 3) == 0)
            path += 2;
        else if (strncmp(path, "//", 2) == 0)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "%s: a file of another host",
                            location);
    } else {
        const size_t scheme = foreign_scheme(location);
        if (scheme > 0)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "%s: storage of scheme %.*s is not built in", location, (int)scheme,
                            location);
    }
    if (*path == '\0')
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "\"%s\" names no file", location);
    *out = path;
    return FRZ_OK;
}

static int open_retrying(const char *path, int flags, mode_t mode)
{
    int fd = -1;
    do {
        fd = open(path, flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

static frz_status local_read_at(frz_input *base, uint64_t offset, void *out, size_t size,
                                frz_error **err)
{
    local_input *input = (local_input *)base;
    if (offset > input->size || size > input->size - offset)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "%s: expected %zu bytes at offset %llu, the file ends at %llu", input->path,
                        size, (unsigned long long)offset, (unsigned long long)input->size);
    uint8_t *at = out;
    while (size > 0) {
        const size_t step = size < SSIZE_MAX ? size : SSIZE_MAX;
        const ssize_t got = pread(input->fd, at, step, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return frz_fail_errno(err, errno, "read", input->path);
        if (got == 0)
            return frz_fail(err, FRZ_CORRUPT, offset,
                            "%s: it was cut off at %llu while it was read", input->path,
                            (unsigned long long)offset);
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return FRZ_OK;
}

static uint64_t local_size(const frz_input *base)
{
    return ((const local_input *)base)->size;
}

static void local_close(frz_input *base)
{
    local_input *input = (local_input *)base;
    if (input->fd >= 0)
        (void)!close(input->fd); /* nothing was written */
    frz_free(input->path);
    frz_free(input);
}

static const frz_input_ops local_input_ops = {
    .read_at = local_read_at, .size = local_size, .close = local_close};

static frz_status file_info(int fd, const char *path, struct stat *out, frz_error **err)
{
    const int result = fd >= 0 ? fstat(fd, out) : stat(path, out);
    if (result != 0)
        return frz_fail_errno(err, errno, "open", path);
    if (S_ISDIR(out->st_mode))
        return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "open %s: it is a folder, not a file",
                        path);
    if (!S_ISREG(out->st_mode)) /* its size says nothing: it would look empty */
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "open %s: it is a pipe or a device, whose bytes are read once only", path);
    return FRZ_OK;
}

/* The size that the system tells is free here, and right even where a manifest is not. */
static frz_status local_open(frz_io *io, const char *location, uint64_t known_size, frz_input **out,
                             frz_error **err)
{
    (void)io;
    (void)known_size;
    const char *path = NULL;
    FRZ_TRY(path_of(location, &path, err));
    frz_status status = FRZ_OK;
    local_input *input = frz_alloc_zero(sizeof *input);
    if (!input)
        return frz_fail_memory(err);
    input->base.ops = &local_input_ops;
    input->fd = -1;
    input->path = frz_copy_text(path);
    if (!input->path) {
        status = frz_fail_memory(err);
        goto done;
    }
    input->fd = open_retrying(path, O_RDONLY, 0);
    if (input->fd < 0) {
        status = frz_fail_errno(err, errno, "open", path);
        goto done;
    }
    struct stat info;
    FRZ_TRY_DONE(file_info(input->fd, path, &info, err));
    input->size = (uint64_t)info.st_size;
    *out = &input->base;
    input = NULL;
done:
    if (input)
        local_close(&input->base);
    return status;
}

/* Makes the entries of a folder durable. */
static frz_status sync_folder(const char *folder, frz_error **err)
{
    const int fd = open_retrying(folder, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return frz_fail_errno(err, errno, "sync", folder);
    /* EINVAL: a file system that has nothing to sync for a folder. */
    const int code = fsync(fd) != 0 && errno != EINVAL ? errno : 0;
    const int close_code = close(fd) != 0 && errno != EINTR ? errno : 0;
    if (code || close_code)
        return frz_fail_errno(err, code ? code : close_code, "sync", folder);
    return FRZ_OK;
}

/* The folder of `path`, in place: "." for a bare name, "/" for an entry of the root. */
static const char *cut_to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    while (slash && slash > path && slash[-1] == '/')
        slash--;
    if (!slash)
        return ".";
    slash[slash == path] = '\0';
    return path;
}

static frz_status sync_folder_of(const char *path, frz_error **err)
{
    char *copy = frz_copy_text(path);
    if (!copy)
        return frz_fail_memory(err);
    const frz_status status = sync_folder(cut_to_folder(copy), err);
    frz_free(copy);
    return status;
}

/* The folder itself is new: its entry is synced at once, for whoever commits first below it. */
static frz_status make_folder(const char *folder, frz_error **err)
{
    if (mkdir(folder, 0777) == 0)
        return sync_folder_of(folder, err);
    return errno == EEXIST ? FRZ_OK : frz_fail_errno(err, errno, "create folder", folder);
}

static frz_status make_folders_of(const char *path, frz_error **err)
{
    char *copy = frz_copy_text(path);
    if (!copy)
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    struct stat info;
    char *last = strrchr(copy, '/');
    if (!last || last == copy)
        goto done;
    *last = '\0';
    if (stat(copy, &info) == 0)
        goto done; /* the usual case; if it is no folder, the file's own open says so */
    for (char *at = copy + 1; at < last; at++) {
        if (*at != '/' || at[-1] == '/')
            continue;
        *at = '\0';
        if (stat(copy, &info) != 0)
            FRZ_TRY_DONE(make_folder(copy, err));
        *at = '/';
    }
    status = make_folder(copy, err);
done:
    frz_free(copy);
    return status;
}

/* FOLDER/.NAME.RANDOM.tmp; NULL when memory is short. */
static char *temporary_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t folder_size = slash ? (size_t)(slash - path) + 1 : 0;
    const char *name = path + folder_size;
    const size_t size = strlen(path) + 32;
    char *temporary = frz_alloc(size);
    if (temporary)
        /* The name is cut so that the whole stays within NAME_MAX. */
        (void)snprintf(temporary, size, "%.*s.%.200s.%016llx.tmp", (int)folder_size, path, name,
                       (unsigned long long)frz_random_i63());
    return temporary;
}

static void free_output(local_output *output)
{
    if (output->fd >= 0)
        (void)!close(output->fd); /* reached only when what was written is not wanted */
    frz_free(output->path);
    frz_free(output->temporary);
    frz_free(output);
}

static void remove_temporary(const local_output *output)
{
    /* Nobody reads a file of this name: one that cannot be removed costs space only. */
    (void)!unlink(output->temporary);
}

static frz_status local_write(frz_output *base, const void *bytes, size_t size, frz_error **err)
{
    local_output *output = (local_output *)base;
    const uint8_t *at = bytes;
    while (size > 0) {
        const size_t step = size < SSIZE_MAX ? size : SSIZE_MAX;
        const ssize_t put = write(output->fd, at, step);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return frz_fail_errno(err, errno, "write", output->path);
        at += put;
        size -= (size_t)put;
    }
    return FRZ_OK;
}

static frz_status sync_and_close(local_output *output, frz_error **err)
{
    int result = 0;
    do {
        result = fsync(output->fd);
    } while (result != 0 && errno == EINTR);
    if (result != 0)
        return frz_fail_errno(err, errno, "sync", output->path);
    const int fd = output->fd;
    output->fd = -1;
    /* EINTR leaves the descriptor closed on Linux, and the bytes are synced. */
    if (close(fd) != 0 && errno != EINTR)
        return frz_fail_errno(err, errno, "close", output->path);
    return FRZ_OK;
}

/*
 * Gives the file its name, which must be free. File systems without hard links: the name is taken
 * by an empty file, which the rename replaces; that is exclusive too.
 */
static frz_status take_name(const local_output *output, frz_error **err)
{
    if (link(output->temporary, output->path) == 0) {
        remove_temporary(output);
        return FRZ_OK;
    }
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
        return frz_fail_errno(err, errno, "create", output->path);
    const int fd = open_retrying(output->path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0)
        return frz_fail_errno(err, errno, "create", output->path);
    (void)!close(fd);
    if (rename(output->temporary, output->path) == 0)
        return FRZ_OK;
    const frz_status status = frz_fail_errno(err, errno, "create", output->path);
    (void)!unlink(output->path);
    return status;
}

static frz_status local_commit(frz_output *base, frz_error **err)
{
    local_output *output = (local_output *)base;
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(sync_and_close(output, err));
    FRZ_TRY_DONE(take_name(output, err));
    status = sync_folder_of(output->path, err);
    if (status != FRZ_OK)
        (void)!unlink(output->path); /* ours, and not certain to last */
done:
    if (status != FRZ_OK)
        remove_temporary(output);
    free_output(output);
    return status;
}

static void local_abort(frz_output *base)
{
    local_output *output = (local_output *)base;
    remove_temporary(output);
    free_output(output);
}

static const frz_output_ops local_output_ops = {
    .write = local_write, .commit = local_commit, .abort = local_abort};

static frz_status open_temporary(local_output *output, frz_error **err)
{
    struct stat info;
    if (lstat(output->path, &info) == 0)
        return frz_fail_errno(err, EEXIST, "create", output->path);
    FRZ_TRY(make_folders_of(output->path, err));
    output->fd = open_retrying(output->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (output->fd < 0)
        return frz_fail_errno(err, errno, "create", output->path);
    return FRZ_OK;
}

static frz_status local_create(frz_io *io, const char *location, frz_output **out, frz_error **err)
{
    (void)io;
    const char *path = NULL;
    FRZ_TRY(path_of(location, &path, err));
    local_output *output = frz_alloc_zero(sizeof *output);
    if (!output)
        return frz_fail_memory(err);
    output->base.ops = &local_output_ops;
    output->fd = -1;
    output->path = frz_copy_text(path);
    output->temporary = temporary_name(path);
    const frz_status status =
        output->path && output->temporary ? open_temporary(output, err) : frz_fail_memory(err);
    if (status != FRZ_OK) {
        free_output(output);
        return status;
    }
    *out = &output->base;
    return FRZ_OK;
}

static frz_status local_remove(frz_io *io, const char *location, frz_error **err)
{
    (void)io;
    const char *path = NULL;
    FRZ_TRY(path_of(location, &path, err));
    return unlink(path) == 0 ? FRZ_OK : frz_fail_errno(err, errno, "remove", path);
}

static frz_status local_stat(frz_io *io, const char *location, uint64_t *size_out, frz_error **err)
{
    (void)io;
    const char *path = NULL;
    FRZ_TRY(path_of(location, &path, err));
    struct stat info;
    FRZ_TRY(file_info(-1, path, &info, err));
    *size_out = (uint64_t)info.st_size;
    return FRZ_OK;
}

/* A listing under way: folders still to be read, as locations. */
typedef struct listing {
    frz_io_list_visit visit;
    void *context;
    char **folders; /* owned, each owned */
    size_t folder_count;
    size_t folder_capacity;
} listing;

static frz_status push_folder(listing *list, char *folder, frz_error **err)
{
    if (!folder || !frz_grow_array((void **)&list->folders, &list->folder_capacity,
                                   list->folder_count, sizeof *list->folders)) {
        frz_free(folder);
        return frz_fail_memory(err);
    }
    list->folders[list->folder_count++] = folder;
    return FRZ_OK;
}

static char *join(const char *folder, const char *name)
{
    const size_t folder_size = strlen(folder);
    const bool ends = folder_size > 0 && folder[folder_size - 1] == '/';
    const size_t size = folder_size + 1 + strlen(name) + 1;
    char *joined = frz_alloc(size);
    if (joined)
        (void)snprintf(joined, size, "%s%s%s", folder, ends ? "" : "/", name);
    return joined;
}

/* One entry: a file is handed over, a folder kept for later. Links to folders are not followed:
 * they could lead in circles. */
static frz_status list_entry(listing *list, const char *folder, const char *name, frz_error **err)
{
    char *location = join(folder, name);
    const char *path = NULL;
    if (!location)
        return frz_fail_memory(err);
    struct stat info;
    struct stat target;
    frz_status status = path_of(location, &path, err);
    if (status == FRZ_OK && lstat(path, &info) == 0) {
        const bool is_link = S_ISLNK(info.st_mode);
        if (S_ISDIR(info.st_mode))
            return push_folder(list, location, err);
        if (is_link && stat(path, &target) == 0)
            info = target;
        if (S_ISREG(info.st_mode))
            status = list->visit(
                list->context, location, (uint64_t)info.st_size,
                (int64_t)info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000, err);
    }
    frz_free(location);
    return status;
}

static frz_status list_folder(listing *list, const char *folder, frz_error **err)
{
    const char *path = NULL;
    FRZ_TRY(path_of(folder, &path, err));
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT ? FRZ_OK : frz_fail_errno(err, errno, "list", path);
    frz_status status = FRZ_OK;
    while (status == FRZ_OK) {
        errno = 0;
        const struct dirent *entry = readdir(dir); /* each thread has its own stream */
        if (!entry) {
            if (errno != 0)
                status = frz_fail_errno(err, errno, "list", path);
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = list_entry(list, folder, entry->d_name, err);
    }
    (void)closedir(dir);
    return status;
}

static frz_status local_list(frz_io *io, const char *location, frz_io_list_visit visit,
                             void *context, frz_error **err)
{
    (void)io;
    listing list = {.visit = visit, .context = context};
    frz_status status = push_folder(&list, frz_copy_text(location), err);
    while (status == FRZ_OK && list.folder_count > 0) {
        char *folder = list.folders[--list.folder_count];
        status = list_folder(&list, folder, err);
        frz_free(folder);
    }
    while (list.folder_count > 0)
        frz_free(list.folders[--list.folder_count]);
    frz_free(list.folders);
    return status;
}

static void local_free(frz_io *io)
{
    frz_free(io);
}

static const frz_io_ops local_ops = {.open = local_open,
                                     .create = local_create,
                                     .remove = local_remove,
                                     .stat = local_stat,
                                     .list = local_list,
                                     .free = local_free};

frz_status frz_io_local_new(frz_io **out, frz_error **err)
{
    frz_io *io = frz_alloc_zero(sizeof *io);
    if (!io)
        return frz_fail_memory(err);
    io->ops = &local_ops;
    *out = io;
    return FRZ_OK;
}
