/*
 * The values a column chunk can have at all: those of its dictionary, when every data page is
 * encoded by it (Encodings.md, "Dictionary Encoding"; parquet.thrift, PageEncodingStats).
 */
#ifndef FRZ_PARQUET_DICTIONARY_VALUES_H
#define FRZ_PARQUET_DICTIONARY_VALUES_H

#include "parquet/file.h"

enum {
    FRZ_PARQUET_DICTIONARY_VALUES_SIZE_MAX = 4 << 20 /* bytes; larger ones are not looked at */
};

typedef struct frz_parquet_dictionary_values {
    bool known;             /* else nothing is said */
    const frz_slice *items; /* PLAIN, without length prefix; nulls are not among them */
    size_t count;
} frz_parquet_dictionary_values;

/*
 * Reads the dictionary page of a chunk into `arena`. Unknown when the footer does not say that all
 * pages use it, or when it is no dictionary page of a size worth looking at. FRZ_CORRUPT when its
 * bytes are wrong: reading the column would fail alike.
 */
FRZ_MUST_CHECK frz_status frz_parquet_dictionary_values_read(frz_parquet_file *file,
                                                             size_t row_group, size_t leaf,
                                                             frz_arena *arena,
                                                             frz_parquet_dictionary_values *out,
                                                             frz_error **err);

#endif
