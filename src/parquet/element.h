/*
 * The schema of a Parquet file: the flat list of Thrift SchemaElements, and the tree of nodes that
 * is made of it, with the legacy forms of lists and maps resolved (LogicalTypes.md, "Nested
 * Types").
 */
#ifndef FRZ_PARQUET_ELEMENT_H
#define FRZ_PARQUET_ELEMENT_H

#include "parquet/metadata.h"
#include "parquet/thrift.h"

/* One SchemaElement as stored. Logical and converted type are folded into one already. */
typedef struct frz_parquet_element {
    const char *name;
    bool has_type;
    int32_t type;
    int32_t type_length;
    bool has_repetition;
    int32_t repetition;
    int32_t child_count;
    bool has_field_id;
    int32_t field_id;
    int32_t converted; /* -1 none */
    int32_t scale;
    int32_t precision;

    frz_parquet_logical logical;
    const char *annotation;
    int8_t bit_width;
    bool is_signed;
    char unit;
    bool adjusted_to_utc;
} frz_parquet_element;

/* One list element of FileMetaData.schema; failures stick in the reader. */
void frz_parquet_element_read(frz_thrift_reader *reader, frz_arena *arena,
                              frz_parquet_element *out);

/* Fills root, leaves and leaf_count of *out. */
FRZ_MUST_CHECK frz_status frz_parquet_tree_build(const frz_parquet_element *elements, size_t count,
                                                 const frz_limits *limits, frz_arena *arena,
                                                 frz_parquet_metadata *out, frz_error **err);

enum { FRZ_PARQUET_PATH_SIZE = 256 };

/* "a.b.element" for messages; cut off where `out` ends. */
const char *frz_parquet_node_path(const frz_parquet_node *node, char out[FRZ_PARQUET_PATH_SIZE]);

/* Bytes of one value in the plain encoding; 0 = booleans, which are bits, and byte arrays. */
size_t frz_parquet_node_width(const frz_parquet_node *leaf);

#endif
