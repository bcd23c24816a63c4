#include "avro/reader.h"

#include "avro/lane.h"
#include "avro/wave.h"
#include "base/fail.h"
#include "base/mem.h"

struct frz_avro_reader {
    const frz_limits *limits;
    frz_avro_container container;
    frz_arena arena; /* of the schema */
    const frz_avro_schema *schema;
    frz_avro_lane lane;
    frz_pool *pool;      /* borrowed; NULL = the caller alone */
    frz_avro_wave *wave; /* with a pool of several threads */
    bool compiled;
    bool started;
    bool failed;
    int64_t batch_rows; /* the most of one batch */
};

static frz_status read_schema(frz_avro_reader *reader, frz_error **err)
{
    frz_slice json = {0};
    if (!frz_avro_container_find(&reader->container, "avro.schema", &json))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "Avro header: no avro.schema");
    return frz_avro_schema_parse(json, reader->limits, &reader->arena, &reader->schema, err);
}

frz_status frz_avro_reader_open(frz_input *input, const frz_limits *limits, frz_avro_reader **out,
                                frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_avro_reader *reader = frz_alloc_zero(sizeof *reader);
    if (!reader)
        return frz_fail_memory(err);
    reader->limits = limits ? limits : &frz_limits_default;
    reader->arena.budget = reader->limits->parse_budget;
    reader->batch_rows = INT64_MAX;
    FRZ_TRY_DONE(frz_avro_container_open(&reader->container, input, reader->limits, err));
    FRZ_TRY_DONE(read_schema(reader, err));
    *out = reader;
    reader = NULL;
done:
    frz_avro_reader_close(reader);
    return status;
}

void frz_avro_reader_close(frz_avro_reader *reader)
{
    if (!reader)
        return;
    frz_avro_wave_free(reader->wave);
    frz_avro_lane_clear(&reader->lane);
    frz_avro_container_clear(&reader->container);
    frz_arena_clear(&reader->arena);
    frz_free(reader);
}

const frz_avro_schema *frz_avro_reader_schema(const frz_avro_reader *reader)
{
    return reader->schema;
}

void frz_avro_reader_set_ids(frz_avro_reader *reader, const frz_avro_schema *schema)
{
    reader->schema = schema;
}

bool frz_avro_reader_metadata(const frz_avro_reader *reader, const char *key, frz_slice *out)
{
    return frz_avro_container_find(&reader->container, key, out);
}

size_t frz_avro_reader_metadata_count(const frz_avro_reader *reader)
{
    return reader->container.metadata_count;
}

void frz_avro_reader_metadata_at(const frz_avro_reader *reader, size_t index, const char **key_out,
                                 frz_slice *value_out)
{
    *key_out = reader->container.metadata[index].key;
    *value_out = reader->container.metadata[index].value;
}

static frz_status compile(frz_avro_reader *reader, const frz_avro_projection *projection,
                          frz_error **err)
{
    frz_avro_wave_free(reader->wave);
    reader->wave = NULL;
    reader->compiled = false;
    FRZ_TRY(
        frz_avro_lane_compile(&reader->lane, &reader->container, reader->schema, projection, err));
    if (frz_pool_threads(reader->pool) > 1)
        FRZ_TRY(frz_avro_wave_new(reader->pool, &reader->container, reader->schema, projection,
                                  &reader->wave, err));
    reader->compiled = true;
    return FRZ_OK;
}

frz_status frz_avro_reader_project(frz_avro_reader *reader, const frz_avro_projection *projection,
                                   frz_error **err)
{
    if (reader->started)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a projection after the first batch");
    return compile(reader, projection, err);
}

frz_status frz_avro_reader_arrow_schema(frz_avro_reader *reader, struct ArrowSchema *out,
                                        frz_error **err)
{
    if (!reader->compiled)
        FRZ_TRY(compile(reader, NULL, err));
    return frz_avro_column_schema(&reader->lane.program.root, out, err);
}

void frz_avro_reader_use_pool(frz_avro_reader *reader, frz_pool *pool)
{
    reader->pool = pool;
}

void frz_avro_reader_limit_batch(frz_avro_reader *reader, int64_t rows)
{
    reader->batch_rows = rows;
}

bool frz_avro_reader_prefixed(const frz_avro_reader *reader)
{
    return reader->lane.prefixed || (reader->wave && frz_avro_wave_prefixed(reader->wave));
}

static frz_status next_block(void *context, frz_avro_block *out, frz_error **err)
{
    return frz_avro_container_next(context, out, err);
}

/* Whether the lanes of the wave may take the next block: a large one is decoded batch by batch
 * instead, so that what waits stays small. */
static bool wave_may_go(frz_avro_reader *reader)
{
    size_t size = 0;
    const frz_status status = frz_avro_container_peek(&reader->container, &size, NULL);
    return reader->lane.rows_left == 0 && status == FRZ_OK && size <= FRZ_AVRO_WAVE_BLOCK_MAX;
}

static frz_status next_batch(frz_avro_reader *reader, struct ArrowArray *out, frz_error **err)
{
    while (reader->wave) {
        const frz_status status = frz_avro_wave_pop(reader->wave, out, err);
        if (status != FRZ_END)
            return status;
        if (!wave_may_go(reader))
            break;
        const frz_status ran =
            frz_avro_wave_run(reader->wave, &reader->container, reader->batch_rows, err);
        if (ran == FRZ_END)
            break;
        FRZ_TRY(ran);
    }
    return frz_avro_lane_next(&reader->lane, next_block, &reader->container, reader->batch_rows,
                              out, err);
}

frz_status frz_avro_reader_next(frz_avro_reader *reader, struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    if (reader->failed)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "an Avro reader used after its failure");
    if (!reader->compiled)
        status = compile(reader, NULL, err);
    reader->started = true;
    if (status == FRZ_OK)
        status = next_batch(reader, out, err);
    reader->failed = status != FRZ_OK && status != FRZ_END;
    return status;
}
