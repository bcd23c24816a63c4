#include "base/fail.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct frz_error {
    frz_status status;
    uint64_t offset; /* FRZ_NO_OFFSET when the fault has no position */
    int origin;      /* errno, HTTP status or SQLite code; 0 when none */
    char *message;   /* NULL when there was no memory for the story */
};

/*
 * What *err points to when an error itself cannot be allocated. The status must
 * survive that: FRZ_UNKNOWN_STATE read as FRZ_NO_MEMORY could cost someone a table.
 */
static frz_error undetailed[] = {
    [FRZ_INVALID] = {FRZ_INVALID, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_NO_MEMORY] = {FRZ_NO_MEMORY, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_IO] = {FRZ_IO, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_NOT_FOUND] = {FRZ_NOT_FOUND, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_ALREADY_EXISTS] = {FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_PERMISSION] = {FRZ_PERMISSION, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_CORRUPT] = {FRZ_CORRUPT, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_UNSUPPORTED] = {FRZ_UNSUPPORTED, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_CONFLICT] = {FRZ_CONFLICT, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_UNKNOWN_STATE] = {FRZ_UNKNOWN_STATE, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_NETWORK] = {FRZ_NETWORK, FRZ_NO_OFFSET, 0, NULL},
    [FRZ_CANCELLED] = {FRZ_CANCELLED, FRZ_NO_OFFSET, 0, NULL},
};

static bool is_undetailed(const frz_error *err)
{
    return err == &undetailed[err->status];
}

/* The word and the sentence for each status. */
static const struct {
    const char *name;
    const char *text;
} status_words[] = {
    [FRZ_OK] = {"ok", "no error"},
    [FRZ_END] = {"end", "no more items"},
    [FRZ_INVALID] = {"invalid", "invalid use"},
    [FRZ_NO_MEMORY] = {"no-memory", "out of memory"},
    [FRZ_IO] = {"io", "storage error"},
    [FRZ_NOT_FOUND] = {"not-found", "not found"},
    [FRZ_ALREADY_EXISTS] = {"already-exists", "already exists"},
    [FRZ_PERMISSION] = {"permission", "permission denied"},
    [FRZ_CORRUPT] = {"corrupt", "corrupt data"},
    [FRZ_UNSUPPORTED] = {"unsupported", "unsupported data"},
    [FRZ_CONFLICT] = {"conflict", "lost to a concurrent commit"},
    [FRZ_UNKNOWN_STATE] = {"unknown-state", "the commit may or may not have happened"},
    [FRZ_NETWORK] = {"network", "network error"},
    [FRZ_CANCELLED] = {"cancelled", "cancelled"},
};

static bool status_known(frz_status status)
{
    return (size_t)status < sizeof status_words / sizeof status_words[0];
}

const char *frz_status_name(frz_status status)
{
    return status_known(status) ? status_words[status].name : "unknown";
}

static const char *status_text(frz_status status)
{
    return status_known(status) ? status_words[status].text : "unknown status";
}

__attribute__((format(printf, 1, 0))) static char *format_message(const char *format, va_list args)
{
    va_list measure;
    va_copy(measure, args);
    const int length = vsnprintf(NULL, 0, format, measure);
    va_end(measure);
    if (length < 0)
        return NULL;

    const size_t size = (size_t)length + 1;
    char *message = frz_alloc(size);
    if (message)
        (void)vsnprintf(message, size, format, args); /* cannot fail: just measured */
    return message;
}

frz_status(frz_fail_memory)(frz_error **err)
{
    if (err && !*err)
        *err = &undetailed[FRZ_NO_MEMORY];
    return FRZ_NO_MEMORY;
}

__attribute__((format(printf, 5, 0))) static frz_status fail_with(frz_error **err,
                                                                  frz_status status,
                                                                  uint64_t offset, int origin,
                                                                  const char *format, va_list args)
{
    assert(status != FRZ_OK && status != FRZ_END);
    if (!err || *err)
        return status;

    *err = &undetailed[status];
    frz_error *e = frz_alloc_zero(sizeof *e);
    if (!e)
        return status;
    *e = (frz_error){status, offset, origin, format_message(format, args)};
    *err = e;
    return status;
}

frz_status(frz_fail)(frz_error **err, frz_status status, uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fail_with(err, status, offset, 0, format, args);
    va_end(args);
    return status;
}

frz_status(frz_fail_origin)(frz_error **err, frz_status status, int origin, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fail_with(err, status, FRZ_NO_OFFSET, origin, format, args);
    va_end(args);
    return status;
}

frz_status frz_error_raise(frz_error **err, frz_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fail_with(err, status, FRZ_NO_OFFSET, 0, format, args);
    va_end(args);
    return status;
}

static frz_status status_of_errno(int code)
{
    switch (code) {
    case ENOENT:
    case ENOTDIR:
        return FRZ_NOT_FOUND;
    case EEXIST:
        return FRZ_ALREADY_EXISTS;
    case EACCES:
    case EPERM:
    case EROFS:
        return FRZ_PERMISSION;
    case ENOMEM:
        return FRZ_NO_MEMORY;
    default:
        return FRZ_IO;
    }
}

frz_status(frz_fail_errno)(frz_error **err, int code, const char *verb, const char *path)
{
    char text[128];
    if (strerror_r(code, text, sizeof text) != 0)
        (void)snprintf(text, sizeof text, "errno %d", code);
    return frz_fail_origin(err, status_of_errno(code), code, "%s %s: %s", verb, path, text);
}

/* Puts `first`, `between` and `second` in place of the message, when there is memory: a shorter
 * story beats a lost one. */
static void retell(frz_error *err, const char *first, const char *between, const char *second)
{
    const size_t size = strlen(first) + strlen(between) + strlen(second) + 1;
    char *message = frz_alloc(size);
    if (!message)
        return;
    (void)snprintf(message, size, "%s%s%s", first, between, second);
    frz_free(err->message);
    err->message = message;
}

frz_status frz_context(frz_error **err, frz_status status, const char *format, ...)
{
    if (!err || !*err || is_undetailed(*err))
        return status;

    va_list args;
    va_start(args, format);
    char *prefix = format_message(format, args);
    va_end(args);
    if (prefix)
        retell(*err, prefix, ": ", frz_error_message(*err));
    frz_free(prefix);
    return status;
}

frz_status frz_consequence(frz_error **err, frz_status status, const char *format, ...)
{
    if (!err || !*err || is_undetailed(*err))
        return status;

    va_list args;
    va_start(args, format);
    char *suffix = format_message(format, args);
    va_end(args);
    if (suffix)
        retell(*err, frz_error_message(*err), "; ", suffix);
    frz_free(suffix);
    return status;
}

frz_status frz_error_status(const frz_error *err)
{
    return err ? err->status : FRZ_OK;
}

const char *frz_error_message(const frz_error *err)
{
    if (err && err->message)
        return err->message;
    return status_text(frz_error_status(err));
}

bool frz_error_offset(const frz_error *err, uint64_t *offset_out)
{
    if (!err || err->offset == FRZ_NO_OFFSET)
        return false;
    if (offset_out)
        *offset_out = err->offset;
    return true;
}

int frz_error_origin(const frz_error *err)
{
    return err ? err->origin : 0;
}

void frz_error_free(frz_error *err)
{
    if (!err || is_undetailed(err))
        return;
    frz_free(err->message);
    frz_free(err);
}
