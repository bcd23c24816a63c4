/*
 * The column index and offset index of one column chunk (PageIndex.md): where its pages are, which
 * rows they hold, and what their values lie between.
 */
#ifndef FRZ_PARQUET_PAGE_INDEX_H
#define FRZ_PARQUET_PAGE_INDEX_H

#include "parquet/file.h"

typedef struct frz_parquet_page_bounds {
    bool all_null;
    bool has_bounds;
    frz_slice min; /* PLAIN encoded, may be truncated */
    frz_slice max;
    int64_t null_count; /* -1 unknown */
    int64_t nan_count;  /* -1 unknown */
} frz_parquet_page_bounds;

typedef struct frz_parquet_page_location {
    int64_t offset;
    int32_t compressed_size; /* header included */
    int64_t first_row;       /* within the row group */
} frz_parquet_page_location;

typedef struct frz_parquet_page_index {
    size_t page_count;
    frz_parquet_page_location *locations; /* page_count; NULL when the chunk has no offset index */
    frz_parquet_page_bounds *bounds;      /* page_count; NULL when it has no column index */
} frz_parquet_page_index;

/*
 * Reads both indexes of a chunk, as far as they exist, into `arena`; page_count 0 when there is no
 * offset index. An index that contradicts the chunk (row order, sizes) is FRZ_CORRUPT.
 */
FRZ_MUST_CHECK frz_status frz_parquet_page_index_read(frz_parquet_file *file, size_t row_group,
                                                      size_t leaf, frz_arena *arena,
                                                      frz_parquet_page_index *out, frz_error **err);

/* Only where the pages are (the offset index); as above. */
FRZ_MUST_CHECK frz_status frz_parquet_page_locations_read(frz_parquet_file *file, size_t row_group,
                                                          size_t leaf, frz_arena *arena,
                                                          frz_parquet_page_index *out,
                                                          frz_error **err);

/*
 * The same for whoever can do without: a chunk whose index contradicts it is given as one that has
 * none, as its pages may be sound. `bounds` as well, or only where the pages are. *ignored_out,
 * unless NULL, tells that there was such an index.
 */
typedef struct frz_parquet_index_wish {
    frz_arena *arena;
    bool bounds;
    bool *ignored_out;
} frz_parquet_index_wish;
FRZ_MUST_CHECK frz_status frz_parquet_page_index_find(frz_parquet_file *file, size_t row_group,
                                                      size_t leaf,
                                                      const frz_parquet_index_wish *wish,
                                                      frz_parquet_page_index *out, frz_error **err);

#endif
