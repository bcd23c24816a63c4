/*
 * How every call in this library reports failure.
 *
 * A function that can fail returns frz_status and takes `frz_error **err` last.
 * The status is what a program branches on; the error says what happened, where
 * in the bytes, and what the system below us answered.
 *
 * `err` may be NULL. Otherwise *err must be NULL on entry; it stays NULL on
 * FRZ_OK and FRZ_END and is set on every other status. The caller frees it.
 *
 * Running out of memory while reporting costs the story, never the status.
 */
#ifndef FRZ_ERROR_H
#define FRZ_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FRZ_API __attribute__((visibility("default")))
#define FRZ_MUST_CHECK __attribute__((warn_unused_result))
#define FRZ_PRINTF(text_at, first_at) __attribute__((__format__(__printf__, text_at, first_at)))

/* One value per different action of a caller. The numbers are part of the ABI. */
typedef enum frz_status {
    FRZ_OK = 0,
    FRZ_END = 1,       /* an iterator has no more items; not an error */
    FRZ_INVALID = 2,   /* the caller's input is wrong: an argument, an expression, a value */
    FRZ_NO_MEMORY = 3, /* the heap, or a budget of frz_limits, is exhausted */
    FRZ_IO = 4,        /* storage failed; the message names it */
    FRZ_NOT_FOUND = 5, /* no such file, table, namespace, snapshot or ref */
    FRZ_ALREADY_EXISTS = 6,
    FRZ_PERMISSION = 7,
    FRZ_CORRUPT = 8,        /* bytes that violate their format */
    FRZ_UNSUPPORTED = 9,    /* valid, but beyond this library; the message names the feature */
    FRZ_CONFLICT = 10,      /* another commit won; refresh and retry is safe */
    FRZ_UNKNOWN_STATE = 11, /* the commit may have happened; delete nothing */
    FRZ_NETWORK = 12,
    FRZ_CANCELLED = 13 /* the caller asked to stop; nothing was committed */
} frz_status;

typedef struct frz_error frz_error;

/* What the call returned. */
FRZ_API frz_status frz_error_status(const frz_error *err);

/* The whole story on one line, outermost context first. Never NULL. */
FRZ_API const char *frz_error_message(const frz_error *err);

/* Byte position of the fault in its file, or column of an expression (0-based); false when it has
 * none. `offset_out` may be NULL. */
FRZ_API bool frz_error_offset(const frz_error *err, uint64_t *offset_out);

/* What the origin answered: errno, HTTP status or SQLite result code; 0 when there is none. */
FRZ_API int frz_error_origin(const frz_error *err);

/*
 * Raises an error: for programs and for back-ends written against frazil/extend. Sets *err unless
 * `err` is NULL or one is there already; returns `status`.
 */
FRZ_API frz_status frz_error_raise(frz_error **err, frz_status status, const char *format, ...)
    FRZ_PRINTF(3, 4);

/* A constant word for a status: "corrupt", "not-found", ... */
FRZ_API const char *frz_status_name(frz_status status);

/* Accepts NULL. */
FRZ_API void frz_error_free(frz_error *err);

#ifdef __cplusplus
}
#endif

#endif
