#include "avro/reader.h"

#include "avro/container.h"
#include "avro/decode.h"
#include "base/fail.h"
#include "base/mem.h"

/* Small blocks are gathered until a batch has this many rows, or came from this many bytes. */
#define READER_ROWS_WANTED 8192
#define READER_BYTES_WANTED ((size_t)1 << 20)
/* Rows that take no bytes could be claimed in any number: most operations that a block may run for
 * them. */
#define READER_EMPTY_STEPS_MAX ((int64_t)1 << 24)

struct frz_avro_reader {
    const frz_limits *limits;
    frz_avro_container container;
    frz_arena arena; /* of the schema */
    const frz_avro_schema *schema;
    frz_avro_program program;
    bool compiled;
    bool started;
    bool failed;
    bool prefixed;
    frz_avro_block block;
    frz_avro_decoder decoder;
    int64_t rows_left;  /* of the block */
    int64_t batch_rows; /* the most of one batch, beside program.rows_max */
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
    frz_avro_program_clear(&reader->program);
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
    frz_avro_program_clear(&reader->program);
    reader->compiled = false;
    FRZ_TRY(frz_avro_program_compile(reader->schema, projection, reader->limits, &reader->program,
                                     err));
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
    return frz_avro_column_schema(&reader->program.root, out, err);
}

void frz_avro_reader_limit_batch(frz_avro_reader *reader, int64_t rows)
{
    reader->batch_rows = rows;
}

static int64_t rows_max(const frz_avro_reader *reader)
{
    return reader->batch_rows < reader->program.rows_max ? reader->batch_rows
                                                         : reader->program.rows_max;
}

bool frz_avro_reader_prefixed(const frz_avro_reader *reader)
{
    return reader->prefixed;
}

static bool comes_out_even(const frz_avro_program *program, const frz_avro_block *block,
                           bool prefixed)
{
    frz_avro_bytes in = {
        .p = block->bytes.data, .end = block->bytes.data + block->bytes.size, .prefixed = prefixed};
    for (int64_t i = 0; i < block->count; i++)
        if (!frz_avro_skip_value(&in, program->row, program->depth_max))
            return false;
    return in.p == in.end;
}

static frz_status check_count(const frz_avro_reader *reader, const frz_avro_block *block,
                              frz_error **err)
{
    const size_t smallest = reader->program.row->size_min;
    const int64_t steps = (int64_t)reader->program.op_count + 1;
    if (smallest == 0 && block->count > READER_EMPTY_STEPS_MAX / steps)
        return frz_fail(err, FRZ_UNSUPPORTED, block->offset, "Avro block: %lld rows without bytes",
                        (long long)block->count);
    if (smallest > 0 && (uint64_t)block->count > block->bytes.size / smallest)
        return frz_fail(err, FRZ_CORRUPT, block->offset,
                        "Avro block: %lld rows of at least %zu bytes in %zu bytes",
                        (long long)block->count, smallest, block->bytes.size);
    return FRZ_OK;
}

static frz_status next_block(frz_avro_reader *reader, frz_error **err)
{
    frz_avro_block block = {0};
    FRZ_TRY(frz_avro_container_next(&reader->container, &block, err));
    FRZ_TRY(check_count(reader, &block, err));
    static const uint8_t nothing[1] = {0};
    if (!block.bytes.data)
        block.bytes.data = nothing;
    const bool prefixed = reader->program.has_prefix &&
                          !comes_out_even(&reader->program, &block, false) &&
                          comes_out_even(&reader->program, &block, true);
    reader->prefixed = reader->prefixed || prefixed;
    reader->block = block;
    reader->rows_left = block.count;
    reader->decoder = (frz_avro_decoder){
        .program = &reader->program,
        .start = block.bytes.data,
        .op = UINT32_MAX,
        .in = {.p = block.bytes.data,
               .end = block.bytes.data + block.bytes.size,
               .prefixed = prefixed},
    };
    return FRZ_OK;
}

/* Decodes what fits of the block at hand. */
static frz_status decode_block(frz_avro_reader *reader, frz_error **err)
{
    frz_avro_decoder *decoder = &reader->decoder;
    const int64_t room = rows_max(reader) - reader->program.root.length;
    const int64_t rows = reader->rows_left < room ? reader->rows_left : room;
    if (!frz_avro_decode_rows(decoder, rows))
        return frz_avro_decode_fail(decoder, reader->block.offset, reader->block.packed, err);
    reader->rows_left -= rows;
    if (reader->rows_left == 0 && decoder->in.p != decoder->in.end)
        return frz_fail(err, FRZ_CORRUPT, reader->block.offset,
                        "Avro block: %zu bytes are left behind its %lld rows",
                        frz_avro_left(&decoder->in), (long long)reader->block.count);
    return FRZ_OK;
}

static frz_status fill_batch(frz_avro_reader *reader, frz_error **err)
{
    const frz_avro_program *program = &reader->program;
    size_t bytes = 0;
    for (;;) {
        if (reader->rows_left == 0) {
            if (program->root.length >= READER_ROWS_WANTED || bytes >= READER_BYTES_WANTED)
                return FRZ_OK;
            const frz_status status = next_block(reader, err);
            if (status == FRZ_END && program->root.length > 0)
                return FRZ_OK;
            if (status != FRZ_OK)
                return status;
        }
        FRZ_TRY(decode_block(reader, err));
        bytes += reader->block.bytes.size;
        if (program->root.length >= rows_max(reader))
            return FRZ_OK;
    }
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
        status = fill_batch(reader, err);
    if (status == FRZ_OK)
        status = frz_avro_column_finish(&reader->program.root, out, err);
    if (status != FRZ_OK && status != FRZ_END) {
        reader->failed = true;
        frz_avro_column_clear(&reader->program.root);
    }
    return status;
}
