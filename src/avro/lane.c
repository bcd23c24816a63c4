#include "avro/lane.h"

#include "base/fail.h"

/* Small blocks are gathered until a batch has this many rows, or came from this many bytes. */
#define LANE_ROWS_WANTED 8192
#define LANE_BYTES_WANTED ((size_t)1 << 20)
/* Rows that take no bytes could be claimed in any number: most operations that a block may run for
 * them. */
#define LANE_EMPTY_STEPS_MAX ((int64_t)1 << 24)

frz_status frz_avro_lane_compile(frz_avro_lane *lane, const frz_avro_container *container,
                                 const frz_avro_schema *schema,
                                 const frz_avro_projection *projection, frz_error **err)
{
    frz_avro_program_clear(&lane->program);
    lane->container = container;
    return frz_avro_program_compile(schema, projection, container->limits, &lane->program, err);
}

void frz_avro_lane_clear(frz_avro_lane *lane)
{
    frz_avro_program_clear(&lane->program);
    frz_avro_unpacker_clear(&lane->unpacker);
    *lane = (frz_avro_lane){0};
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

static frz_status check_count(const frz_avro_program *program, const frz_avro_block *block,
                              frz_error **err)
{
    const size_t smallest = program->row->size_min;
    const int64_t steps = (int64_t)program->op_count + 1;
    if (smallest == 0 && block->count > LANE_EMPTY_STEPS_MAX / steps)
        return frz_fail(err, FRZ_UNSUPPORTED, block->offset, "Avro block: %lld rows without bytes",
                        (long long)block->count);
    if (smallest > 0 && (uint64_t)block->count > block->bytes.size / smallest)
        return frz_fail(err, FRZ_CORRUPT, block->offset,
                        "Avro block: %lld rows of at least %zu bytes in %zu bytes",
                        (long long)block->count, smallest, block->bytes.size);
    return FRZ_OK;
}

static frz_status begin_block(frz_avro_lane *lane, const frz_avro_block *packed, frz_error **err)
{
    static const uint8_t nothing[1] = {0};
    frz_avro_block block = *packed;
    FRZ_TRY(frz_avro_block_unpack(lane->container, &lane->unpacker, &block, err));
    FRZ_TRY(check_count(&lane->program, &block, err));
    if (!block.bytes.data)
        block.bytes.data = nothing;
    const bool prefixed = lane->program.has_prefix &&
                          !comes_out_even(&lane->program, &block, false) &&
                          comes_out_even(&lane->program, &block, true);
    lane->prefixed = lane->prefixed || prefixed;
    lane->block = block;
    lane->rows_left = block.count;
    lane->decoder = (frz_avro_decoder){
        .program = &lane->program,
        .start = block.bytes.data,
        .op = UINT32_MAX,
        .in = {.p = block.bytes.data,
               .end = block.bytes.data + block.bytes.size,
               .prefixed = prefixed},
    };
    return FRZ_OK;
}

/* Decodes what fits of the block at hand into a batch of `rows_max`. */
static frz_status decode_block(frz_avro_lane *lane, int64_t rows_max, frz_error **err)
{
    frz_avro_decoder *decoder = &lane->decoder;
    const int64_t room = rows_max - lane->program.root.length;
    const int64_t rows = lane->rows_left < room ? lane->rows_left : room;
    if (!frz_avro_decode_rows(decoder, rows))
        return frz_avro_decode_fail(decoder, lane->block.offset, lane->block.packed, err);
    lane->rows_left -= rows;
    if (lane->rows_left == 0 && decoder->in.p != decoder->in.end)
        return frz_fail(err, FRZ_CORRUPT, lane->block.offset,
                        "Avro block: %zu bytes are left behind its %lld rows",
                        frz_avro_left(&decoder->in), (long long)lane->block.count);
    return FRZ_OK;
}

static frz_status fill(frz_avro_lane *lane, frz_avro_next_block next, void *context,
                       int64_t rows_max, frz_error **err)
{
    const frz_avro_column *root = &lane->program.root;
    size_t bytes = 0;
    for (;;) {
        if (lane->rows_left == 0) {
            frz_avro_block block = {0};
            if (root->length >= LANE_ROWS_WANTED || bytes >= LANE_BYTES_WANTED)
                return FRZ_OK;
            const frz_status status = next(context, &block, err);
            if (status == FRZ_END && root->length > 0)
                return FRZ_OK;
            FRZ_TRY(status);
            FRZ_TRY(begin_block(lane, &block, err));
        }
        FRZ_TRY(decode_block(lane, rows_max, err));
        bytes += lane->block.bytes.size;
        if (root->length >= rows_max)
            return FRZ_OK;
    }
}

frz_status frz_avro_lane_next(frz_avro_lane *lane, frz_avro_next_block next, void *context,
                              int64_t rows_max, struct ArrowArray *out, frz_error **err)
{
    if (rows_max > lane->program.rows_max)
        rows_max = lane->program.rows_max;
    const frz_status status = fill(lane, next, context, rows_max, err);
    if (status == FRZ_OK)
        return frz_avro_column_finish(&lane->program.root, out, err);
    frz_avro_column_clear(&lane->program.root);
    return status;
}
