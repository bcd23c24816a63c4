/*
 * Bytes that only grow at their end, shared by values that each see a prefix of them. Who goes on
 * from all there is does so in place, anybody else in a copy: a thousandth commit of a table costs
 * what it adds, not what was there.
 *
 * Thread rule: any number of threads may read their prefixes and extend them at the same time; the
 * bytes behind a prefix go to one of them.
 */
#ifndef FRZ_SPEC_TAPE_H
#define FRZ_SPEC_TAPE_H

#include <stddef.h>
#include <stdint.h>

/* Counts references. NULL is an empty tape. */
typedef struct frz_tape frz_tape;

frz_tape *frz_tape_ref(frz_tape *tape);
void frz_tape_unref(frz_tape *tape);

/* Aligned for any type; NULL of an empty tape. */
const void *frz_tape_bytes(const frz_tape *tape);

/*
 * `more` bytes, not set, behind the first `size` ones of *tape. In place where nobody took those
 * before and there is room; else *tape becomes another one, with a copy of the prefix. NULL when
 * memory is short: *tape stays.
 */
void *frz_tape_extend(frz_tape **tape, size_t size, size_t more);

#endif
