/*
 * Every named limit on foreign bytes, in one place. A parser that meets more than its
 * limit refuses with FRZ_UNSUPPORTED and the limit's name.
 */
#ifndef FRZ_BASE_LIMITS_H
#define FRZ_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

typedef struct frz_limits {
    uint32_t nesting_depth;        /* JSON values, schema types, expressions, Thrift structs */
    size_t metadata_size;          /* bytes of one metadata.json, decompressed */
    size_t avro_header_size;       /* bytes of an Avro file header, schema included */
    size_t avro_block_size;        /* bytes of one Avro block, decompressed */
    size_t parquet_footer_size;    /* bytes of the Thrift footer */
    size_t parquet_page_size;      /* bytes of one page, decompressed */
    size_t ipc_metadata_size;      /* bytes of the metadata of one Arrow IPC message, or a footer */
    size_t ipc_body_size;          /* bytes of the body of one Arrow IPC message, decompressed */
    size_t puffin_footer_size;     /* bytes of a Puffin footer payload, decompressed */
    size_t deletion_vector_size;   /* bytes of one deletion-vector blob */
    size_t equality_delete_memory; /* bytes of the tables of keys that one scan holds */
    size_t schema_columns;         /* fields of one schema, nested ones included */
    size_t parse_budget;           /* bytes one parser may allocate in its arena */
} frz_limits;

extern const frz_limits frz_limits_default;

#endif
