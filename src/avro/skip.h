/*
 * Passing over values that nobody asked for. Each schema is compiled once to a skipper: runs of
 * fixed sizes are added up, runs of varints are passed by counting their last bytes, sized blocks
 * are jumped.
 *
 * Skippers live in the arena that was given; named types that refer to themselves make a graph.
 */
#ifndef FRZ_AVRO_SKIP_H
#define FRZ_AVRO_SKIP_H

#include "avro/bytes.h"
#include "avro/schema.h"
#include "base/map.h"

typedef enum frz_avro_skip_kind {
    FRZ_AVRO_SKIP_BYTES,    /* `count` bytes */
    FRZ_AVRO_SKIP_VARINTS,  /* `count` varints */
    FRZ_AVRO_SKIP_LENGTH,   /* a string or bytes value */
    FRZ_AVRO_SKIP_SEQUENCE, /* `parts` one after the other */
    FRZ_AVRO_SKIP_UNION,    /* one of `parts` */
    FRZ_AVRO_SKIP_BLOCKS,   /* an array whose items are parts[0] */
    FRZ_AVRO_SKIP_FIXED     /* `count` bytes that may carry a length prefix */
} frz_avro_skip_kind;

typedef struct frz_avro_skip {
    frz_avro_skip_kind kind;
    uint64_t count;
    size_t size_min; /* the fewest bytes such a value takes */
    const struct frz_avro_skip **parts;
    size_t part_count;
} frz_avro_skip;

/* Compiles for one file; remembers what it has compiled. */
typedef struct frz_avro_skip_compiler {
    frz_arena *arena;  /* borrowed */
    frz_map records;   /* address of a record's schema -> its skipper */
    bool in_partition; /* below the manifest field `partition` (id 102) */
    bool has_prefix;   /* a FRZ_AVRO_SKIP_FIXED was made */
} frz_avro_skip_compiler;

enum { FRZ_AVRO_PARTITION_ID = 102 };

FRZ_MUST_CHECK frz_status frz_avro_skip_compile(frz_avro_skip_compiler *compiler,
                                                const frz_avro_schema *schema,
                                                const frz_avro_skip **out, frz_error **err);

/* One skipper for `count` values in a row; merges neighbours. */
FRZ_MUST_CHECK frz_status frz_avro_skip_join(frz_avro_skip_compiler *compiler,
                                             const frz_avro_skip *const *parts, size_t count,
                                             const frz_avro_skip **out, frz_error **err);

void frz_avro_skip_compiler_clear(frz_avro_skip_compiler *compiler);

/* Passes one value. False with a fault in *in; `depth` is how many values may nest. */
bool frz_avro_skip_value(frz_avro_bytes *in, const frz_avro_skip *skip, uint32_t depth);

#endif
