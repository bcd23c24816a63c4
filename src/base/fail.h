/*
 * Raising and passing on errors inside the library.
 *
 * The first error wins: code that meets a second one while cleaning up keeps the
 * first. Boundaries add context; nothing rewrites status or cause.
 */
#ifndef FRZ_BASE_FAIL_H
#define FRZ_BASE_FAIL_H

#include "frazil/error.h"

#define FRZ_NO_OFFSET UINT64_MAX

/* Sets *err unless one is already there, and returns `status`. */
frz_status frz_fail(frz_error **err, frz_status status, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* As frz_fail, and keeps what the origin answered (errno, HTTP status, SQLite code). */
frz_status frz_fail_origin(frz_error **err, frz_status status, int origin, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A full or unreadable storage call: picks the status by errno and names verb and path. */
frz_status frz_fail_errno(frz_error **err, int code, const char *verb, const char *path);

/* FRZ_NO_MEMORY, without asking for more. */
frz_status frz_fail_memory(frz_error **err);

/* Prefixes *err with what was being attempted, and returns its status. */
frz_status frz_context(frz_error **err, frz_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds behind *err what the failure left behind, and returns its status. */
frz_status frz_consequence(frz_error **err, frz_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * No frz_fail* returns FRZ_OK. Said so that compilers and analysers do not follow a path
 * on which a call failed, yet its caller goes on with outs that were never written.
 */
static inline frz_status frz_failed(frz_status status)
{
    if (status == FRZ_OK)
        __builtin_unreachable();
    return status;
}
#define frz_fail(...) frz_failed((frz_fail)(__VA_ARGS__))
#define frz_fail_origin(...) frz_failed((frz_fail_origin)(__VA_ARGS__))
#define frz_fail_errno(...) frz_failed((frz_fail_errno)(__VA_ARGS__))
#define frz_fail_memory(err) frz_failed((frz_fail_memory)(err))

/* Return early on failure: for functions that own nothing yet. */
#define FRZ_TRY(call)                   \
    do {                                \
        const frz_status try_ = (call); \
        if (try_ != FRZ_OK)             \
            return try_;                \
    } while (0)

/* Leave through `done:` on failure: for functions with something to release. */
#define FRZ_TRY_DONE(call)    \
    do {                      \
        status = (call);      \
        if (status != FRZ_OK) \
            goto done;        \
    } while (0)

#endif
