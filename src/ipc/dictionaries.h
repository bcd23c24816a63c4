/*
 * The dictionaries of a stream as they stand between two batches (Columnar.rst, "Dictionary
 * Messages"): their values are made plain when they come; a delta is put behind what there is.
 */
#ifndef FRZ_IPC_DICTIONARIES_H
#define FRZ_IPC_DICTIONARIES_H

#include "ipc/batch.h"

/* All zero is empty. Batches that were read keep their own references to values. */
typedef struct frz_ipc_dictionaries {
    struct ArrowArray *values; /* by dictionary_index; zero until they come */
    size_t count;
    bool
        may_replace; /* a stream's, but not a file's ("Deviations from the IPC Streaming Format") */
} frz_ipc_dictionaries;

/* Room for those of `schema`. */
FRZ_MUST_CHECK frz_status frz_ipc_dictionaries_init(frz_ipc_dictionaries *out,
                                                    const frz_ipc_schema *schema, frz_error **err);

/*
 * Reads `table`, a DictionaryBatch, whose buffer is to be checked afterwards. FRZ_CORRUPT when no
 * column has the dictionary, and for one that must not be replaced.
 */
FRZ_MUST_CHECK frz_status frz_ipc_dictionaries_read(
    frz_ipc_dictionaries *dictionaries, const frz_flat_table *table, const frz_ipc_schema *schema,
    const frz_ipc_body *body, const frz_ipc_batch_options *options, frz_error **err);
void frz_ipc_dictionaries_clear(frz_ipc_dictionaries *dictionaries);

#endif
