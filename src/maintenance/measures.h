/*
 * What the rows of a file hold, column by column, against what its manifest entry says of them
 * (spec "Data File Fields": value_counts, null_value_counts, nan_value_counts, bounds).
 */
#ifndef FRZ_MAINTENANCE_MEASURES_H
#define FRZ_MAINTENANCE_MEASURES_H

#include "frazil/arrow.h"
#include "maintenance/verification.h"
#include "parquet/file.h"

typedef struct frz_measure frz_measure;

/* All zero is closed. */
typedef struct frz_measures {
    frz_verification *verification; /* borrowed */
    frz_measure *items;             /* in the arena it was opened with */
    size_t count;
    int64_t rows;
} frz_measures;

/*
 * The primitive columns of `root` (a struct of what the file has) outside of lists and maps, whose
 * values others may count in another way. Borrows all it is given.
 */
FRZ_MUST_CHECK frz_status frz_measures_open(frz_measures *self, frz_verification *verification,
                                            const frz_data_file *file, const frz_type *root,
                                            frz_arena *arena, frz_error **err);

/* Also compares the values with what the file's row groups and pages say of them. */
FRZ_MUST_CHECK frz_status frz_measures_open_claims(frz_measures *self, frz_parquet_file *file,
                                                   frz_arena *arena, frz_error **err);

/* Takes the rows of a batch of `root` into account. */
void frz_measures_add(frz_measures *self, const struct ArrowArray *batch);

/* Says what does not agree. */
FRZ_MUST_CHECK frz_status frz_measures_judge(const frz_measures *self, const frz_place *place,
                                             frz_error **err);

#endif
