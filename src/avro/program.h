/*
 * Decode programs: what to do with each value of a row, in the order of the file, compiled once
 * from the writer's schema and a projection.
 *
 * A program is a flat list. Records are laid out field after field; an operation with a body
 * (union, list) is followed by it, and `next` is the index behind. Each operation fills the column
 * it points to.
 */
#ifndef FRZ_AVRO_PROGRAM_H
#define FRZ_AVRO_PROGRAM_H

#include "avro/column.h"
#include "avro/reader.h"
#include "avro/skip.h"

typedef enum frz_avro_op_kind {
    FRZ_AVRO_OP_SKIP,
    FRZ_AVRO_OP_NULL,
    FRZ_AVRO_OP_BOOLEAN,
    FRZ_AVRO_OP_INT,
    FRZ_AVRO_OP_LONG,
    FRZ_AVRO_OP_WIDTH, /* float, double, fixed: `size` bytes copied */
    FRZ_AVRO_OP_FIXED, /* a fixed that may carry a length prefix */
    FRZ_AVRO_OP_BYTES, /* string, bytes */
    FRZ_AVRO_OP_ENUM,
    FRZ_AVRO_OP_DECIMAL_FIXED, /* `size` bytes */
    FRZ_AVRO_OP_DECIMAL_BYTES,
    FRZ_AVRO_OP_RECORD, /* one row of a struct; its fields follow as operations of their own */
    FRZ_AVRO_OP_ONLY,   /* a union of one branch; its body follows */
    FRZ_AVRO_OP_OPTION, /* a union of null and its body; `null_branch` is the index of null */
    FRZ_AVRO_OP_UNION,  /* a union of `size` branches; its body is one BRANCH for each, in order */
    FRZ_AVRO_OP_BRANCH, /* its body is a value of the branch */
    FRZ_AVRO_OP_LIST,   /* its body is an item */
    FRZ_AVRO_OP_FILTER  /* a map of int keys of which only `keys` are wanted; its body is an item */
} frz_avro_op_kind;

typedef struct frz_avro_op {
    frz_avro_op_kind kind;
    uint32_t next;
    size_t size;
    size_t null_branch;
    frz_avro_column *column;
    const frz_avro_skip *skip;       /* SKIP; LIST and FILTER: an item; */
    const frz_avro_skip *skip_value; /* FILTER: an item without its key */
    const char *const *symbols;      /* ENUM */
    size_t symbol_count;
    int32_t precision;
    const int32_t *keys; /* ascending */
    size_t key_count;
    uint64_t short_keys; /* FILTER: bit k set when key k below 64 is wanted */
} frz_avro_op;

typedef struct frz_avro_program {
    frz_arena arena; /* owns operations, columns, skippers */
    frz_avro_op *ops;
    uint32_t op_count;
    frz_avro_column root; /* a struct */
    frz_avro_budget budget;
    const frz_avro_skip *row; /* a whole row, for counts and the check of prefixed fixed values */
    bool has_prefix;          /* the row holds a fixed that Java may have written with a prefix */
    int64_t rows_max;         /* of one batch */
    uint32_t depth_max;
} frz_avro_program;

/* FRZ_UNSUPPORTED names the column whose type has no Arrow column: a type that contains itself, a
 * decimal beyond 38 digits. `projection` NULL = everything. */
FRZ_MUST_CHECK frz_status frz_avro_program_compile(const frz_avro_schema *schema,
                                                   const frz_avro_projection *projection,
                                                   const frz_limits *limits, frz_avro_program *out,
                                                   frz_error **err);

/* The columns that lead to `column`, joined by dots: "data_file.partition"; "" for the root. */
void frz_avro_program_path(const frz_avro_program *program, const frz_avro_column *column,
                           char *out, size_t size);

void frz_avro_program_clear(frz_avro_program *program);

#endif
