/*
 * The test harness on top of cmocka: checks of status, offset and message in one line, and the
 * sweep that repeats a body with the 1st, 2nd, 3rd ... allocation failing until none does; of long
 * ones every few, unless FRAZIL_SWEEP=all.
 * Sanitizers see leaked memory; the sweep itself sees leaked file descriptors.
 */
#ifndef FRZ_TEST_HARNESS_H
#define FRZ_TEST_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "frazil/error.h"

/* fail_msg does not come back, which compilers are told by abort. */
#define CHECK(condition)                                                   \
    do {                                                                   \
        if (!(condition)) {                                                \
            fail_msg("%s:%d: failed: %s", __FILE__, __LINE__, #condition); \
            abort();                                                       \
        }                                                                  \
    } while (0)

/* `call` must succeed; its error, passed as &err, is printed otherwise. */
#define CHECK_OK(call, err)                                                               \
    do {                                                                                  \
        const frz_status status_ = (call);                                                \
        if (status_ != FRZ_OK)                                                            \
            fail_msg("%s:%d: %s: %s", __FILE__, __LINE__, #call, frz_error_message(err)); \
    } while (0)

/* `call` must fail with `want` and a message that contains `text`; frees and clears the error. */
#define CHECK_FAILS(call, want, err, text)                                                     \
    do {                                                                                       \
        const frz_status status_ = (call);                                                     \
        if (status_ != (want) || frz_error_status(err) != (want))                              \
            fail_msg("%s:%d: %s: status %s, want %s: %s", __FILE__, __LINE__, #call,           \
                     frz_status_name(status_), frz_status_name(want), frz_error_message(err)); \
        if (!strstr(frz_error_message(err), (text)))                                           \
            fail_msg("%s:%d: message \"%s\" lacks \"%s\"", __FILE__, __LINE__,                 \
                     frz_error_message(err), (text));                                          \
        frz_error_free(err);                                                                   \
        (err) = NULL;                                                                          \
    } while (0)

enum { SWEEP_WHOLE = 300 }; /* so many allocations fail one by one */

static inline int count_descriptors(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    CHECK(dir != NULL);
    while (readdir(dir))
        count++;
    CHECK(closedir(dir) == 0);
    return count;
}

/* Whether a sweep is under way: what a test checks beside its case is then left out. */
static inline bool *sweep_under_way(void)
{
    static bool under_way;
    return &under_way;
}

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SWEEP_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SWEEP_SANITIZED 1
#endif

/* From one failing allocation to the next of a long sweep: each takes the time of a whole run. */
static inline int64_t sweep_stride(void)
{
#ifdef SWEEP_SANITIZED
    enum { STRIDE = 29 };
#else
    enum { STRIDE = 5 };
#endif
    const char *wanted = getenv("FRAZIL_SWEEP");
    return wanted && strcmp(wanted, "all") == 0 ? 1 : STRIDE;
}

/* `body` runs one case, checks what must hold either way (frz_mem_failed() tells), and leaks
 * nothing. */
static inline void sweep_allocation_failures(void (*body)(void))
{
    const int descriptors = count_descriptors();
    const int64_t stride = sweep_stride();
    int64_t failing = 0;
    *sweep_under_way() = true;
    for (;; failing += failing < SWEEP_WHOLE ? 1 : stride) {
        frz_mem_fail_after(failing);
        body();
        if (!frz_mem_failed())
            break;
    }
    frz_mem_fail_after(-1);
    *sweep_under_way() = false;
    CHECK(count_descriptors() == descriptors);
    CHECK(failing > 0); /* a body that allocates nothing proves nothing */
}

/* The folder of golden files that are not ours (FRAZIL_TESTDATA, else ../shared/testdata beside the
 * source tree); NULL when it is not there: golden tests then say "skipped" and how many cases. */
static inline const char *testdata_folder(void)
{
    static char found[4096];
    const char *set = getenv("FRAZIL_TESTDATA");
    const char *source = getenv("FRAZIL_SOURCE_DIR");
    if (set)
        (void)snprintf(found, sizeof found, "%s", set);
    else
        (void)snprintf(found, sizeof found, "%s/../shared/testdata", source ? source : ".");
    DIR *dir = opendir(found);
    if (!dir)
        return NULL;
    (void)closedir(dir);
    return found;
}

#endif
