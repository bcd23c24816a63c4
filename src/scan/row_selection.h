/*
 * Which rows of a file are read. Positions are ordinals in the file (design rule 2).
 */
#ifndef FRZ_SCAN_ROW_SELECTION_H
#define FRZ_SCAN_ROW_SELECTION_H

#include "parquet/field_reader.h"

/* Sorted, disjoint, none crosses a row group. In an arena. */
typedef struct frz_row_ranges {
    frz_parquet_row_range *items;
    size_t count;
} frz_row_ranges;

/* Which rows of one batch: [start, start + count), those with their bit set; `mask` NULL = all. */
typedef struct frz_row_selection {
    int64_t start;
    int64_t count;
    const uint64_t *mask;
    int64_t selected;
} frz_row_selection;

#endif
