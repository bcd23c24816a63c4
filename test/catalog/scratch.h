/*
 * A folder of its own for one test, removed afterwards with all that is in it.
 */
#ifndef FRZ_TEST_SCRATCH_H
#define FRZ_TEST_SCRATCH_H

#include "harness.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static inline int scratch_remove_entry(const char *path, const struct stat *info, int kind,
                                       struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

/* The folder's path, in `out`. */
static inline void scratch_make(char out[64])
{
    (void)snprintf(out, 64, "/tmp/frazil-test-XXXXXX");
    CHECK(mkdtemp(out) != NULL);
}

static inline void scratch_remove(const char *folder)
{
    CHECK(nftw(folder, scratch_remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0);
}

static inline void scratch_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

#endif
