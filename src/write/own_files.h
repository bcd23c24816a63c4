/*
 * The files that one transaction made: what may be cleaned up, and nothing else (design rule 1).
 *
 * Each file belongs to the transaction as a whole, or to one attempt of its commit (manifest lists,
 * rewritten manifests). After a commit the files of lost attempts go; after a failure all go; when
 * the outcome is unknown none go.
 */
#ifndef FRZ_WRITE_OWN_FILES_H
#define FRZ_WRITE_OWN_FILES_H

#include <stdint.h>

#include "base/arena.h"
#include "frazil/extend/io.h"

enum { FRZ_EVERY_ATTEMPT = -1 };

typedef struct frz_own_file {
    const char *location;
    int32_t attempt; /* FRZ_EVERY_ATTEMPT, or the first that uses it */
    int32_t last_attempt;
} frz_own_file;

/* All zero is a valid, empty set. */
typedef struct frz_own_files {
    frz_arena arena;
    frz_own_file *items;
    size_t count;
    size_t capacity;
} frz_own_files;

/* To be called before the file is created, so that no crash of memory leaves one that nobody knows.
 */
FRZ_MUST_CHECK frz_status frz_own_files_add(frz_own_files *files, const char *location,
                                            int32_t attempt, frz_error **err);

/* The attempt that made the file; FRZ_EVERY_ATTEMPT when it is of all, or none of these. */
int32_t frz_own_files_attempt_of(const frz_own_files *files, const char *location);

/* Says that a file of an earlier attempt serves this one as well. */
void frz_own_files_use(frz_own_files *files, frz_slice location, int32_t attempt);

/* Says that a file is made in the place of another: it serves this attempt and those that follow.
 */
void frz_own_files_start(frz_own_files *files, frz_slice location, int32_t attempt);

/* Says that neither this attempt nor one that follows uses a file. */
void frz_own_files_retire(frz_own_files *files, frz_slice location, int32_t attempt);

/* Removes what no snapshot refers to: files that `attempt` does not use. Best effort. */
void frz_own_files_keep_attempt(frz_own_files *files, frz_io *io, int32_t attempt);

/* Removes all. Those that could not be removed stay in the set. */
void frz_own_files_remove_all(frz_own_files *files, frz_io *io);

/* Their names, separated by blanks, as a text to be freed; NULL when there are none, or no memory.
 */
char *frz_own_files_print(const frz_own_files *files);

/* Forgets all without touching them. */
void frz_own_files_clear(frz_own_files *files);

#endif
