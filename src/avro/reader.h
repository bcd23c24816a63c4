/*
 * Reads an Avro object container file into Arrow batches: the whole record, or only the fields that
 * a projection asks for. The decode program is compiled once per file from the writer's schema.
 *
 * Arrow types: union{null,T} is a nullable T; record -> struct; array -> list (is_map -> map); map
 * -> map with string keys; decimal -> d:P,S; uuid fixed -> w:16; timestamp-micros -> tsu (tsu:UTC
 * with adjust-to-utc), timestamp-nanos -> tsn; date -> tdD; time-micros -> ttu; enum -> string; a
 * union of several types -> a sparse union with a child for each branch. Field ids go into the
 * schema's metadata ("PARQUET:field_id") as in arrow/schema.h.
 *
 * A file whose schema is no record has one column, "value". A type that contains itself and a
 * decimal beyond 38 digits have no column: asking for them is FRZ_UNSUPPORTED, passing over them is
 * not.
 *
 * Thread rule: one thread per reader.
 */
#ifndef FRZ_AVRO_READER_H
#define FRZ_AVRO_READER_H

#include "avro/schema.h"
#include "base/pool.h"
#include "frazil/arrow.h"
#include "frazil/extend/io.h"

typedef struct frz_avro_reader frz_avro_reader;

/*
 * What to decode, by field id (or by name where field_id is FRZ_AVRO_NO_ID). A record, array or map
 * without children is taken whole. Fields that the file lacks come out as all null, in the given
 * place, with `absent_format` as their Arrow type ("n" when NULL).
 */
typedef struct frz_avro_projection {
    int32_t field_id;
    const char *name;
    /* Through nullable unions: a record's fields; one for the items of an array (whatever is_map
     * says) or the values of a map, whose id and name do not matter. */
    const struct frz_avro_projection *children;
    size_t child_count;
    const int32_t *map_keys; /* is_map with int keys: keep only these keys, ascending; NULL = all */
    size_t map_key_count;
    const char *absent_format;
} frz_avro_projection;

/* Borrows `input`. Reads the header: schema, codec (null, deflate, snappy, zstandard, bzip2, xz),
 * metadata. */
FRZ_MUST_CHECK frz_status frz_avro_reader_open(frz_input *input, const frz_limits *limits,
                                               frz_avro_reader **out, frz_error **err);
/* Accepts NULL. */
void frz_avro_reader_close(frz_avro_reader *reader);

const frz_avro_schema *frz_avro_reader_schema(const frz_avro_reader *reader);
/* False when the file has no such key; *out is borrowed from the reader. */
bool frz_avro_reader_metadata(const frz_avro_reader *reader, const char *key, frz_slice *out);
size_t frz_avro_reader_metadata_count(const frz_avro_reader *reader);
void frz_avro_reader_metadata_at(const frz_avro_reader *reader, size_t index, const char **key_out,
                                 frz_slice *value_out);

/* Replaces the schema by one that differs in field ids alone, before the projection; borrowed. */
void frz_avro_reader_set_ids(frz_avro_reader *reader, const frz_avro_schema *schema);

/* Blocks of several rows of blocks are decoded at the same time by the threads of `pool`
 * (borrowed); batches come in the order of the file all the same. Before the projection and the
 * first batch. Not from inside a job of that pool. */
void frz_avro_reader_use_pool(frz_avro_reader *reader, frz_pool *pool);

/* Chooses what to decode, before the first next; without it, everything. `projection` describes the
 * top-level record and is not kept. */
FRZ_MUST_CHECK frz_status frz_avro_reader_project(frz_avro_reader *reader,
                                                  const frz_avro_projection *projection,
                                                  frz_error **err);

/* The Arrow schema of the batches: a struct. */
FRZ_MUST_CHECK frz_status frz_avro_reader_arrow_schema(frz_avro_reader *reader,
                                                       struct ArrowSchema *out, frz_error **err);

/* At most `rows` rows (> 0) in each of the batches to come. */
void frz_avro_reader_limit_batch(frz_avro_reader *reader, int64_t rows);

/* The next block (or several, or a part of one) as one struct array; FRZ_END after the last. After
 * a failure the reader is of no more use (FRZ_INVALID). */
FRZ_MUST_CHECK frz_status frz_avro_reader_next(frz_avro_reader *reader, struct ArrowArray *out,
                                               frz_error **err);

/*
 * Whether a block was read in the form that Iceberg's Java library gives identity partition values
 * of fixed[L]: with a length prefix that their schema does not have. Blocks are read as the schema
 * says first; only one that does not come out even is tried with prefixes. Worth a warning.
 */
bool frz_avro_reader_prefixed(const frz_avro_reader *reader);

#endif
