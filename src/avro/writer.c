#include "avro/writer.h"

#include "avro/container.h"
#include "avro/encode.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "io/file.h"

#define WRITER_BLOCK_SIZE ((size_t)64 << 10)

struct frz_avro_writer {
    frz_output *output; /* borrowed */
    frz_arena arena;    /* of the schema */
    frz_arena batch;    /* of the sources of one batch */
    const frz_avro_schema *schema;
    frz_codec codec;
    int32_t codec_level;
    frz_codec_context context;
    size_t block_size;
    frz_buffer block;  /* encoded rows */
    frz_buffer packed; /* the block as it goes to the file */
    int64_t rows;      /* in the block */
    uint64_t size;     /* of what was written */
    bool failed;
    uint8_t sync[FRZ_AVRO_SYNC_SIZE];
};

static const char *codec_name(frz_codec codec)
{
    if (codec == FRZ_CODEC_NONE)
        return "null";
    if (codec == FRZ_CODEC_DEFLATE)
        return "deflate";
    if (codec == FRZ_CODEC_SNAPPY)
        return "snappy";
    return codec == FRZ_CODEC_ZSTD ? "zstandard" : NULL;
}

static frz_status write_bytes(frz_avro_writer *w, frz_slice bytes, frz_error **err)
{
    FRZ_TRY(frz_output_write(w->output, bytes.data, bytes.size, err));
    w->size += bytes.size;
    return FRZ_OK;
}

static void put_entry(frz_buffer *out, const char *key, frz_slice value)
{
    const size_t size = strlen(key);
    frz_avro_put_long(out, (int64_t)size);
    frz_buffer_append(out, key, size);
    frz_avro_put_long(out, (int64_t)value.size);
    frz_buffer_append(out, value.data, value.size);
}

static frz_status write_header(frz_avro_writer *w, frz_slice schema_json,
                               const frz_avro_writer_options *options, frz_error **err)
{
    frz_buffer *out = &w->packed;
    frz_buffer_append(out, "Obj\x01", 4);
    frz_avro_put_long(out, (int64_t)options->metadata_count + 2);
    put_entry(out, "avro.schema", schema_json);
    put_entry(out, "avro.codec", frz_slice_of_text(codec_name(w->codec)));
    for (size_t i = 0; i < options->metadata_count; i++)
        put_entry(out, options->metadata[i].key, options->metadata[i].value);
    frz_avro_put_long(out, 0);
    frz_buffer_append(out, w->sync, sizeof w->sync);
    FRZ_TRY(frz_buffer_check(out, err));
    return write_bytes(w, frz_buffer_slice(out), err);
}

static frz_status check_options(const frz_avro_writer_options *options, frz_error **err)
{
    if (!codec_name(options->codec))
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "writing Avro with codec %s",
                        frz_codec_name(options->codec));
    for (size_t i = 0; i < options->metadata_count; i++)
        if (strncmp(options->metadata[i].key, "avro.", 5) == 0)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "Avro metadata key %s is reserved",
                            options->metadata[i].key);
    return FRZ_OK;
}

frz_status frz_avro_writer_open(frz_output *output, frz_slice schema_json,
                                const frz_avro_writer_options *options, frz_avro_writer **out,
                                frz_error **err)
{
    static const frz_avro_writer_options none = {.struct_size = sizeof none};
    frz_status status = FRZ_OK;
    if (!options)
        options = &none;
    FRZ_TRY(check_options(options, err));
    frz_avro_writer *w = frz_alloc_zero(sizeof *w);
    if (!w)
        return frz_fail_memory(err);
    w->output = output;
    w->codec = options->codec;
    w->codec_level = options->codec_level ? options->codec_level : FRZ_CODEC_LEVEL_DEFAULT;
    w->block_size = options->block_size ? options->block_size : WRITER_BLOCK_SIZE;
    frz_random_bytes(w->sync, sizeof w->sync);
    FRZ_TRY_DONE(
        frz_avro_schema_parse(schema_json, &frz_limits_default, &w->arena, &w->schema, err));
    FRZ_TRY_DONE(write_header(w, schema_json, options, err));
    *out = w;
    w = NULL;
done:
    frz_avro_writer_free(w);
    return status;
}

static frz_status pack(frz_avro_writer *w, frz_slice *out, frz_error **err)
{
    frz_buffer_reset(&w->packed);
    *out = frz_buffer_slice(&w->block);
    if (w->codec == FRZ_CODEC_NONE)
        return FRZ_OK;
    FRZ_TRY(frz_codec_compress(&w->context, w->codec, w->codec_level, *out, &w->packed, err));
    if (w->codec == FRZ_CODEC_SNAPPY)
        frz_buffer_append_u32be(&w->packed, frz_hash_crc32(0, out->data, out->size));
    FRZ_TRY(frz_buffer_check(&w->packed, err));
    *out = frz_buffer_slice(&w->packed);
    return FRZ_OK;
}

static frz_status flush(frz_avro_writer *w, frz_error **err)
{
    frz_slice bytes = {0};
    frz_buffer header = {0};
    frz_status status = FRZ_OK;
    if (w->rows == 0)
        return FRZ_OK;
    FRZ_TRY_DONE(pack(w, &bytes, err));
    frz_avro_put_long(&header, w->rows);
    frz_avro_put_long(&header, (int64_t)bytes.size);
    FRZ_TRY_DONE(frz_buffer_check(&header, err));
    FRZ_TRY_DONE(write_bytes(w, frz_buffer_slice(&header), err));
    FRZ_TRY_DONE(write_bytes(w, bytes, err));
    FRZ_TRY_DONE(write_bytes(w, frz_slice_of(w->sync, sizeof w->sync), err));
    frz_buffer_reset(&w->block);
    w->rows = 0;
done:
    frz_buffer_clear(&header);
    return status;
}

static frz_status write_rows(frz_avro_writer *w, const frz_avro_source *source, int64_t rows,
                             frz_error **err)
{
    for (int64_t row = 0; row < rows; row++) {
        FRZ_TRY(frz_avro_encode(source, row, &w->block, err));
        w->rows++;
        if (w->block.failed || w->block.size >= w->block_size) {
            FRZ_TRY(frz_buffer_check(&w->block, err));
            FRZ_TRY(flush(w, err));
        }
    }
    return FRZ_OK;
}

frz_status frz_avro_writer_write(frz_avro_writer *w, const struct ArrowSchema *schema,
                                 const struct ArrowArray *batch, frz_error **err)
{
    frz_avro_source source = {0};
    if (w->failed)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "an Avro writer used after its failure");
    frz_arena_clear(&w->batch);
    frz_status status = frz_avro_source_bind(w->schema, schema, batch, &w->batch, &source, err);
    if (status == FRZ_OK)
        status = write_rows(w, &source, batch->length, err);
    w->failed = status != FRZ_OK;
    return status;
}

uint64_t frz_avro_writer_size(const frz_avro_writer *w)
{
    return w->size + w->block.size;
}

frz_status frz_avro_writer_finish(frz_avro_writer *w, uint64_t *size_out, frz_error **err)
{
    if (w->failed)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "an Avro writer used after its failure");
    const frz_status status = flush(w, err);
    w->failed = true; /* nothing may follow */
    if (status == FRZ_OK)
        *size_out = w->size;
    return status;
}

void frz_avro_writer_free(frz_avro_writer *w)
{
    if (!w)
        return;
    frz_codec_context_clear(&w->context);
    frz_buffer_clear(&w->block);
    frz_buffer_clear(&w->packed);
    frz_arena_clear(&w->arena);
    frz_arena_clear(&w->batch);
    frz_free(w);
}
