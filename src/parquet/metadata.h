/*
 * The footer of a Parquet file as parsed from Thrift (parquet.thrift, FileMetaData), with the
 * schema made into a tree (element.h). All memory is in the arena of the file.
 *
 * Absent and zero are told apart: `has_...` members, or -1 where a count cannot be negative.
 */
#ifndef FRZ_PARQUET_METADATA_H
#define FRZ_PARQUET_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/codec.h"
#include "base/limits.h"
#include "base/slice.h"
#include "frazil/error.h"

/* parquet.thrift Type. */
typedef enum frz_parquet_type {
    FRZ_PARQUET_BOOLEAN = 0,
    FRZ_PARQUET_INT32 = 1,
    FRZ_PARQUET_INT64 = 2,
    FRZ_PARQUET_INT96 = 3,
    FRZ_PARQUET_FLOAT = 4,
    FRZ_PARQUET_DOUBLE = 5,
    FRZ_PARQUET_BYTE_ARRAY = 6,
    FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY = 7
} frz_parquet_type;

/* parquet.thrift Encoding. */
typedef enum frz_parquet_encoding {
    FRZ_PARQUET_PLAIN = 0,
    FRZ_PARQUET_PLAIN_DICTIONARY = 2,
    FRZ_PARQUET_RLE = 3,
    FRZ_PARQUET_BIT_PACKED = 4,
    FRZ_PARQUET_DELTA_BINARY_PACKED = 5,
    FRZ_PARQUET_DELTA_LENGTH_BYTE_ARRAY = 6,
    FRZ_PARQUET_DELTA_BYTE_ARRAY = 7,
    FRZ_PARQUET_RLE_DICTIONARY = 8,
    FRZ_PARQUET_BYTE_STREAM_SPLIT = 9
} frz_parquet_encoding;

typedef enum frz_parquet_repetition {
    FRZ_PARQUET_REQUIRED = 0,
    FRZ_PARQUET_OPTIONAL = 1,
    FRZ_PARQUET_REPEATED = 2
} frz_parquet_repetition;

/* Logical and converted types folded into one. */
typedef enum frz_parquet_logical {
    FRZ_PARQUET_LOGICAL_NONE,
    FRZ_PARQUET_LOGICAL_STRING, /* also ENUM and JSON, which `annotation` tells apart */
    FRZ_PARQUET_LOGICAL_DECIMAL,
    FRZ_PARQUET_LOGICAL_DATE,
    FRZ_PARQUET_LOGICAL_TIME,
    FRZ_PARQUET_LOGICAL_TIMESTAMP,
    FRZ_PARQUET_LOGICAL_INTEGER,
    FRZ_PARQUET_LOGICAL_UUID,
    FRZ_PARQUET_LOGICAL_FLOAT16,
    FRZ_PARQUET_LOGICAL_INTERVAL,
    FRZ_PARQUET_LOGICAL_BSON,
    FRZ_PARQUET_LOGICAL_UNKNOWN, /* always null */
    FRZ_PARQUET_LOGICAL_LIST,
    FRZ_PARQUET_LOGICAL_MAP,
    FRZ_PARQUET_LOGICAL_VARIANT,
    FRZ_PARQUET_LOGICAL_GEOMETRY,
    FRZ_PARQUET_LOGICAL_GEOGRAPHY
} frz_parquet_logical;

/* How a node is presented in Arrow, legacy list and map forms resolved. */
typedef enum frz_parquet_shape {
    FRZ_PARQUET_SHAPE_LEAF,
    FRZ_PARQUET_SHAPE_STRUCT,
    FRZ_PARQUET_SHAPE_LIST, /* children[0] is the element */
    FRZ_PARQUET_SHAPE_MAP   /* children[0] is the key, children[1] the value (may be missing) */
} frz_parquet_shape;

/*
 * One node of the schema as Arrow sees it: the repeated middle groups of lists and maps are folded
 * away.
 */
typedef struct frz_parquet_node {
    const char *name;
    int32_t field_id; /* of this node; meaningful when has_field_id */
    bool has_field_id;
    bool nullable;
    frz_parquet_shape shape;
    int16_t definition_level; /* level at which this node is present (not null) */
    int16_t
        repetition_level; /* of its innermost repeated ancestor, itself included for list and map */
    struct frz_parquet_node *children;
    size_t child_count;
    const struct frz_parquet_node *parent; /* NULL for the root */

    /* Leaves */
    int32_t leaf_index; /* position among the columns of a row group; -1 for groups */
    frz_parquet_type type;
    int32_t type_length; /* FIXED_LEN_BYTE_ARRAY */
    int16_t max_definition;
    int16_t max_repetition;
    bool ordered; /* column_orders gives it an order we know: min_value/max_value count */

    /* Annotation, of groups too */
    frz_parquet_logical logical;
    int32_t precision; /* DECIMAL */
    int32_t scale;
    int8_t bit_width; /* INTEGER */
    bool is_signed;
    char unit; /* TIME, TIMESTAMP: 'm', 'u', 'n' */
    bool adjusted_to_utc;
    const char *annotation; /* the annotation's own name, for messages and inspect */
} frz_parquet_node;

typedef struct frz_parquet_statistics {
    bool has_min; /* min_value/max_value, or deprecated min/max where these may be trusted */
    bool has_max;
    bool min_exact; /* is_min_value_exact is not false */
    bool max_exact;
    bool deprecated; /* came from the deprecated fields */
    frz_slice min;   /* PLAIN encoded, without length prefix */
    frz_slice max;
    int64_t null_count;     /* -1 unknown */
    int64_t distinct_count; /* -1 unknown */
    int64_t nan_count;      /* -1 unknown */
} frz_parquet_statistics;

typedef struct frz_parquet_column_chunk {
    const char *file_path; /* NULL: in this file */
    frz_parquet_type type;
    frz_codec codec;
    bool codec_known; /* false: `codec_number` is none we read */
    int32_t codec_number;
    uint32_t encodings;  /* bit set by frz_parquet_encoding number */
    bool all_dictionary; /* encoding_stats say that every data page is dictionary encoded */
    int64_t value_count; /* nulls included */
    int64_t uncompressed_size;
    int64_t compressed_size;
    int64_t data_page_offset;
    int64_t dictionary_page_offset; /* -1 none */
    int64_t index_page_offset;      /* -1 none */
    int64_t bloom_filter_offset;    /* -1 none */
    int32_t bloom_filter_size;      /* -1 unknown */
    int64_t column_index_offset;    /* -1 none */
    int32_t column_index_size;
    int64_t offset_index_offset; /* -1 none */
    int32_t offset_index_size;
    bool encrypted;
    frz_parquet_statistics statistics;
} frz_parquet_column_chunk;

typedef struct frz_parquet_row_group {
    int64_t row_count;
    int64_t first_row;                 /* ordinal of its first row in the file */
    int64_t total_size;                /* uncompressed */
    int64_t file_offset;               /* of its first page; computed when the field lacks */
    frz_parquet_column_chunk *columns; /* leaf_count */
} frz_parquet_row_group;

typedef struct frz_parquet_key_value {
    const char *key;
    frz_slice value;
} frz_parquet_key_value;

typedef struct frz_parquet_metadata {
    int32_t version;
    int64_t row_count;
    const char *created_by;          /* NULL when absent */
    frz_parquet_node root;           /* a struct; its children are the columns */
    const frz_parquet_node **leaves; /* leaf_count, in order */
    size_t leaf_count;
    frz_parquet_row_group *row_groups;
    size_t row_group_count;
    frz_parquet_key_value *key_values;
    size_t key_value_count;
    bool type_defined_order; /* every leaf is `ordered` */
} frz_parquet_metadata;

/*
 * Parses the Thrift footer (without the trailing length and magic), which stands at `start` in its
 * file. Statistics and key-value values are borrowed from `footer`; nodes point into *out, which
 * must stay where it is. `limits` NULL = defaults.
 */
FRZ_MUST_CHECK frz_status frz_parquet_metadata_parse(frz_slice footer, uint64_t start,
                                                     const frz_limits *limits, frz_arena *arena,
                                                     frz_parquet_metadata *out, frz_error **err);

#endif
