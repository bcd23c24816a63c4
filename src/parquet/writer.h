/*
 * Writes a Parquet file from Arrow batches, and hands out what Iceberg's manifests need to know of
 * it.
 *
 * The Arrow schema gives names, types, nullability and field ids ("PARQUET:field_id"). A fixed(16)
 * with extension name "arrow.uuid" is written as UUID. Decimals use the smallest physical type
 * (int32 up to 9 digits, int64 up to 18, else fixed of minimal length). Null-typed columns are not
 * written.
 *
 * Thread rule: one thread per writer.
 */
#ifndef FRZ_PARQUET_WRITER_H
#define FRZ_PARQUET_WRITER_H

#include "base/codec.h"
#include "frazil/arrow.h"
#include "frazil/extend/io.h"
#include "parquet/metadata.h"

typedef struct frz_parquet_writer frz_parquet_writer;

/* Per-column overrides by dotted column path (of the Arrow names, e.g. "a.b", "l.element"). */
typedef struct frz_parquet_column_options {
    const char *path;
    bool dictionary_off;
    bool statistics_off;
    bool bloom;        /* a Bloom filter; none for booleans */
    double bloom_fpp;  /* share of its false positives; 0 = 0.01 */
    int64_t bloom_ndv; /* distinct values to size it for; 0 = those of each row group */
} frz_parquet_column_options;

typedef struct frz_parquet_writer_options {
    size_t struct_size;
    frz_codec codec;
    int32_t codec_level;      /* FRZ_CODEC_LEVEL_DEFAULT: zstd 1 */
    uint64_t row_group_size;  /* bytes; 0 = 128 MiB */
    int64_t row_group_rows;   /* 0 = no limit */
    uint32_t page_size;       /* bytes; 0 = 1 MiB */
    int32_t page_rows;        /* 0 = 20,000 */
    uint32_t dictionary_size; /* bytes; 0 = 2 MiB */
    uint32_t bloom_size_max;  /* bytes of one Bloom filter; 0 = 1 MiB */
    int32_t check_rows_min;   /* rows between two looks at the row group's size, from ... */
    int32_t check_rows_max;   /* ... to; 0 = 4,096 */
    bool row_group_size_raw;  /* row_group_size is of bytes before compression */
    bool dictionary_off;
    bool data_page_v2;
    const frz_parquet_column_options *columns;
    size_t column_count;
    const frz_parquet_key_value *key_values;
    size_t key_value_count;
} frz_parquet_writer_options;

/* What one leaf column of the finished file holds, over all row groups. Slices live in the summary.
 */
typedef struct frz_parquet_leaf_summary {
    int32_t field_id; /* FRZ_ARROW_NO_FIELD_ID when the schema gave none */
    const frz_parquet_node *node;
    int64_t compressed_size; /* bytes of all its chunks */
    int64_t value_count;     /* nulls included; repeated values each */
    int64_t null_count;
    int64_t nan_count; /* floating point leaves; else 0; -1 with statistics off */
    bool has_bounds;   /* some value that is neither null nor NaN; false with statistics off */
    frz_slice min;     /* PLAIN encoding of the least and the greatest, untruncated */
    frz_slice max;
} frz_parquet_leaf_summary;

typedef struct frz_parquet_summary {
    int64_t row_count;
    uint64_t file_size;
    int64_t *row_group_offsets; /* split offsets, ascending */
    size_t row_group_count;
    frz_parquet_leaf_summary *leaves;
    size_t leaf_count;
    frz_arena arena; /* owns all of the above */
} frz_parquet_summary;

/* Borrows `output`, which the caller commits after finish or aborts. Copies schema and options. */
FRZ_MUST_CHECK frz_status frz_parquet_writer_open(frz_output *output,
                                                  const struct ArrowSchema *schema,
                                                  const frz_parquet_writer_options *options,
                                                  frz_parquet_writer **out, frz_error **err);

/*
 * Appends a struct array of the schema's layout; copies what it needs. Every type that
 * arrow/normalize.h makes plain is accepted, and any offset. FRZ_INVALID names a null in a required
 * column, or a value that does not fit its type. After a failure the writer is of no use any more.
 */
FRZ_MUST_CHECK frz_status frz_parquet_writer_write(frz_parquet_writer *writer,
                                                   const struct ArrowArray *batch, frz_error **err);

/* Bytes written and buffered so far: what the file would be if finished now, roughly. */
uint64_t frz_parquet_writer_size(const frz_parquet_writer *writer);

/* Bytes that it holds in memory: the row group that is open, indexes of those before, scratch. */
uint64_t frz_parquet_writer_memory(const frz_parquet_writer *writer);

/* Writes indexes and footer. `summary_out` may be NULL; clear it with frz_parquet_summary_clear. */
FRZ_MUST_CHECK frz_status frz_parquet_writer_finish(frz_parquet_writer *writer,
                                                    frz_parquet_summary *summary_out,
                                                    frz_error **err);

/* Accepts NULL. Does not touch the output. */
void frz_parquet_writer_free(frz_parquet_writer *writer);

void frz_parquet_summary_clear(frz_parquet_summary *summary);

#endif
