/*
 * What a new version of a table asked for, looked for in a later one: the last resort where neither
 * the metadata log nor the files it names tell any more whether a change became part of the table
 * (catalog/outcome.h).
 *
 * A change of metadata says what the table shall be, not how often: where all of it is so, it was
 * made, by this commit or by one that asked for the same. Only a reference that came with it is not
 * told so, since the first to make one is the only one that may.
 */
#ifndef FRZ_CATALOG_EFFECT_H
#define FRZ_CATALOG_EFFECT_H

#include "spec/metadata.h"

typedef struct frz_effect {
    bool is_there; /* all that was asked for */
    bool is_first; /* a part of it counts only for who made it first: being there proves nothing */
    char missing[128]; /* what is not there, as in "property a.b" */
} frz_effect;

/* FRZ_NO_MEMORY alone is a failure. */
FRZ_MUST_CHECK frz_status frz_effect_look(const frz_metadata *base, const frz_metadata *next,
                                          const frz_metadata *now, frz_effect *out,
                                          frz_error **err);

#endif
