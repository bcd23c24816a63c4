/*
 * The columns of an input that a table lacks: what it takes to append rows that have more than the
 * table (frazil/load.h).
 */
#ifndef FRZ_WRITE_EVOLVE_H
#define FRZ_WRITE_EVOLVE_H

#include "frazil/arrow.h"
#include "spec/schema.h"

/*
 * Columns of `given`, a struct, that `type` lacks, as optional ones; members of structs and of
 * lists' structs within what is there around them alone, named as the table has them. FRZ_END when
 * it lacks none.
 */
FRZ_MUST_CHECK frz_status frz_evolve_extras(const frz_type *type, const struct ArrowSchema *given,
                                            bool case_sensitive, struct ArrowSchema *out,
                                            frz_error **err);

#endif
