/*
 * What text/ needs to know of an Arrow schema, compiled once: a tree of columns with parsed types.
 */
#ifndef FRZ_TEXT_COLUMN_H
#define FRZ_TEXT_COLUMN_H

#include "arrow/schema.h"
#include "base/arena.h"
#include "spec/type.h"
#include "spec/value.h"

typedef struct frz_text_column frz_text_column;
struct frz_text_column {
    const char *name;
    frz_arrow_type type; /* of the indices when there is a dictionary */
    bool nullable;
    bool is_uuid;        /* fixed of 16 bytes with the extension name arrow.uuid */
    frz_type value_type; /* the Iceberg type that its text is parsed as; see `readable` */
    bool any_case;       /* names of children match whatever their case */
    bool readable;       /* scalars: text can be parsed into it */
    const frz_value *default_value; /* for rows without the column; NULL: null; of a struct `{}`:
                                       the defaults of its fields */
    bool default_unreadable;        /* one of a list or a map, which no row can be given */
    frz_text_column *children;      /* a map has one, its entries */
    size_t child_count;
    frz_text_column *dictionary; /* NULL, or the type of the values */
};

/*
 * Everything lives in `arena`. FRZ_UNSUPPORTED names the column whose type has no text form
 * (unions that are not sparse, run ends, list views, durations, intervals, decimals other than 128
 * bits).
 */
FRZ_MUST_CHECK frz_status frz_text_column_from(const struct ArrowSchema *schema, frz_arena *arena,
                                               frz_text_column *out, frz_error **err);

bool frz_text_same_name(frz_slice a, const char *b, bool any_case);

/* From here down names match whatever their case (of ASCII letters). */
void frz_text_column_ignore_case(frz_text_column *column);

/* The child of that name; child_count when there is none. */
size_t frz_text_column_index(const frz_text_column *column, frz_slice name);

#endif
