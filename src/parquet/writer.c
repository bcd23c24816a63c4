#include "parquet/writer.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/normalize.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "parquet/chunk_writer.h"

/* Rows that all columns take before the size of the row group is looked at. */
enum { STEP_ROWS = 4096 };

/* As near to it as the options allow. */
static int64_t step_rows(const frz_parquet_writer_options *options)
{
    int64_t rows = STEP_ROWS;
    if (options->check_rows_max > 0 && rows > options->check_rows_max)
        rows = options->check_rows_max;
    return rows < options->check_rows_min ? options->check_rows_min : rows;
}

static const uint64_t row_group_size_default = UINT64_C(128) << 20;
static const uint32_t page_size_default = UINT32_C(1) << 20;
static const int32_t page_rows_default = 20000;
static const uint32_t dictionary_size_default = UINT32_C(2) << 20;
static const int32_t zstd_level_default = 1;

static const char magic[4] = {'P', 'A', 'R', '1'};

struct frz_parquet_writer {
    frz_output *output; /* borrowed */
    uint64_t offset;    /* bytes written so far */
    bool broken;        /* a call failed; what is written is no file */
    frz_arena arena;    /* schema, footer entries, summary; moves into the summary */
    frz_codec_context codec_context;
    frz_parquet_page_writer pages_to;
    struct ArrowSchema schema; /* as given, for batches that are not plain */
    frz_parquet_write_schema *write_schema;
    frz_parquet_writer_options options;
    size_t leaf_count;
    frz_parquet_chunk_writer *chunks; /* leaf_count */
    frz_parquet_bounds *totals;       /* leaf_count: over all row groups */
    frz_parquet_group_entry *groups;
    size_t group_count;
    size_t group_capacity;
    int64_t group_rows; /* of the open group */
    int64_t row_count;  /* of closed groups */
    frz_buffer column_indexes;
    frz_buffer offset_indexes;
    frz_buffer blooms; /* of the row group at hand */
};

static void apply_defaults(frz_parquet_writer_options *options)
{
    if (options->row_group_size == 0)
        options->row_group_size = row_group_size_default;
    if (options->row_group_rows <= 0)
        options->row_group_rows = INT64_MAX;
    if (options->page_size == 0)
        options->page_size = page_size_default;
    if (options->page_rows <= 0)
        options->page_rows = page_rows_default;
    if (options->dictionary_size == 0)
        options->dictionary_size = dictionary_size_default;
    if (options->codec == FRZ_CODEC_ZSTD && options->codec_level == FRZ_CODEC_LEVEL_DEFAULT)
        options->codec_level = zstd_level_default;
}

static const frz_parquet_column_options *find_column(const frz_parquet_writer_options *options,
                                                     const char *path)
{
    for (size_t i = 0; i < options->column_count; i++)
        if (strcmp(options->columns[i].path, path) == 0)
            return &options->columns[i];
    return NULL;
}

static frz_status make_chunks(frz_parquet_writer *writer, const frz_parquet_writer_options *options,
                              frz_error **err)
{
    const size_t count = writer->write_schema->leaf_count;
    writer->leaf_count = count;
    writer->chunks = frz_alloc_array(count, sizeof *writer->chunks);
    writer->totals = frz_alloc_array(count, sizeof *writer->totals);
    if (!writer->chunks || !writer->totals)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const frz_parquet_leaf *leaf = &writer->write_schema->leaves[i];
        const frz_parquet_column_options *column = find_column(options, leaf->arrow_path);
        frz_parquet_chunk_options chunk = {
            .page_size = options->page_size,
            .page_rows = options->page_rows,
            .dictionary_size = options->dictionary_size,
            .dictionary_off = options->dictionary_off || (column && column->dictionary_off),
            .statistics_off = column && column->statistics_off,
        };
        if (column && column->bloom)
            chunk.bloom = (frz_parquet_bloom_options){.on = true,
                                                      .fpp = column->bloom_fpp,
                                                      .ndv = column->bloom_ndv,
                                                      .size_max = options->bloom_size_max};
        frz_parquet_chunk_init(&writer->chunks[i], leaf, &chunk, &writer->pages_to);
    }
    return FRZ_OK;
}

static frz_status copy_key_values(frz_parquet_writer *writer,
                                  const frz_parquet_writer_options *options, frz_error **err)
{
    frz_parquet_key_value *copies =
        frz_arena_array(&writer->arena, options->key_value_count, sizeof *copies);
    if (!copies)
        return frz_fail_memory(err);
    for (size_t i = 0; i < options->key_value_count; i++) {
        copies[i].key = frz_arena_text(&writer->arena, options->key_values[i].key);
        if (!copies[i].key ||
            !frz_arena_slice(&writer->arena, options->key_values[i].value, &copies[i].value))
            return frz_fail_memory(err);
    }
    writer->options.key_values = copies;
    return FRZ_OK;
}

static frz_status prepare(frz_parquet_writer *writer, const struct ArrowSchema *schema,
                          frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowSchema plain = {0};
    FRZ_TRY_DONE(frz_arrow_schema_copy(schema, &writer->schema, err));
    FRZ_TRY_DONE(frz_arrow_normalize_schema(schema, &plain, err));
    FRZ_TRY_DONE(frz_parquet_write_schema_make(&plain, &writer->arena, &writer->write_schema, err));
    FRZ_TRY_DONE(copy_key_values(writer, &writer->options, err));
    FRZ_TRY_DONE(make_chunks(writer, &writer->options, err));
    /* Borrowed by the caller's options, and used up. */
    writer->options.columns = NULL;
    writer->options.column_count = 0;
    FRZ_TRY_DONE(frz_output_write(writer->output, magic, sizeof magic, err));
    writer->offset = sizeof magic;
done:
    frz_arrow_schema_clear(&plain);
    return status;
}

frz_status frz_parquet_writer_open(frz_output *output, const struct ArrowSchema *schema,
                                   const frz_parquet_writer_options *options,
                                   frz_parquet_writer **out, frz_error **err)
{
    if (frz_parquet_codec_number(options->codec) < 0)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "codec %s in a Parquet file",
                        frz_codec_name(options->codec));
    frz_parquet_writer *writer = frz_alloc_zero(sizeof *writer);
    if (!writer)
        return frz_fail_memory(err);
    writer->output = output;
    writer->options = *options;
    apply_defaults(&writer->options);
    writer->pages_to = (frz_parquet_page_writer){.codec = writer->options.codec,
                                                 .codec_level = writer->options.codec_level,
                                                 .data_page_v2 = options->data_page_v2,
                                                 .context = &writer->codec_context};
    const frz_status status = prepare(writer, schema, err);
    if (status != FRZ_OK) {
        frz_parquet_writer_free(writer);
        return status;
    }
    *out = writer;
    return FRZ_OK;
}

void frz_parquet_writer_free(frz_parquet_writer *writer)
{
    if (!writer)
        return;
    for (size_t i = 0; i < writer->leaf_count; i++) {
        if (writer->chunks)
            frz_parquet_chunk_clear(&writer->chunks[i]);
        if (writer->totals)
            frz_parquet_bounds_clear(&writer->totals[i]);
    }
    frz_free(writer->chunks);
    frz_free(writer->totals);
    frz_free(writer->groups);
    frz_buffer_clear(&writer->column_indexes);
    frz_buffer_clear(&writer->offset_indexes);
    frz_buffer_clear(&writer->blooms);
    frz_parquet_page_writer_clear(&writer->pages_to);
    frz_codec_context_clear(&writer->codec_context);
    frz_arrow_schema_clear(&writer->schema);
    frz_arena_clear(&writer->arena);
    frz_free(writer);
}

static uint64_t open_group_size(const frz_parquet_writer *writer)
{
    uint64_t size = 0;
    for (size_t i = 0; i < writer->leaf_count; i++)
        size += frz_parquet_chunk_size(&writer->chunks[i]);
    return size;
}

/* What row_group_size limits. */
static uint64_t group_size(const frz_parquet_writer *writer)
{
    uint64_t size = 0;
    if (!writer->options.row_group_size_raw)
        return open_group_size(writer);
    for (size_t i = 0; i < writer->leaf_count; i++)
        size += frz_parquet_chunk_raw_size(&writer->chunks[i]);
    return size;
}

uint64_t frz_parquet_writer_size(const frz_parquet_writer *writer)
{
    return writer->offset + open_group_size(writer) + writer->column_indexes.size +
           writer->offset_indexes.size;
}

uint64_t frz_parquet_writer_memory(const frz_parquet_writer *writer)
{
    uint64_t size = writer->column_indexes.capacity + writer->offset_indexes.capacity;
    for (size_t i = 0; i < writer->leaf_count; i++)
        size += frz_parquet_chunk_memory(&writer->chunks[i]);
    return size;
}

/* Empties the buffer. */
static frz_status write_buffer(frz_parquet_writer *writer, frz_buffer *bytes, frz_error **err)
{
    FRZ_TRY(frz_buffer_check(bytes, err));
    if (bytes->size > 0)
        FRZ_TRY(frz_output_write(writer->output, bytes->data, bytes->size, err));
    writer->offset += bytes->size;
    frz_buffer_clear(bytes);
    return FRZ_OK;
}

/* Filters stand behind the pages of their row group (BloomFilter.md, "File Format"). */
static frz_status write_blooms(frz_parquet_writer *writer, frz_parquet_chunk_entry *chunks,
                               frz_error **err)
{
    for (size_t i = 0; i < writer->leaf_count; i++)
        chunks[i].bloom_at += writer->offset;
    return write_buffer(writer, &writer->blooms, err);
}

static frz_status flush_group(frz_parquet_writer *writer, frz_error **err)
{
    const size_t count = writer->leaf_count;
    if (writer->group_rows == 0)
        return FRZ_OK;
    if (!frz_grow_array((void **)&writer->groups, &writer->group_capacity, writer->group_count,
                        sizeof *writer->groups))
        return frz_fail_memory(err);
    frz_parquet_group_entry *group = &writer->groups[writer->group_count];
    *group = (frz_parquet_group_entry){
        .chunks = frz_arena_array(&writer->arena, count, sizeof *group->chunks),
        .offset = writer->offset,
        .row_count = writer->group_rows};
    if (!group->chunks)
        return frz_fail_memory(err);
    const frz_parquet_flush flush = {.output = writer->output,
                                     .offset = &writer->offset,
                                     .arena = &writer->arena,
                                     .column_indexes = &writer->column_indexes,
                                     .offset_indexes = &writer->offset_indexes,
                                     .blooms = &writer->blooms};
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(frz_parquet_chunk_flush(&writer->chunks[i], &flush, &writer->totals[i],
                                        &group->chunks[i], err));
    FRZ_TRY(write_blooms(writer, group->chunks, err));
    writer->group_count++;
    writer->row_count += writer->group_rows;
    writer->group_rows = 0;
    return FRZ_OK;
}

static frz_status write_rows(frz_parquet_writer *writer, const struct ArrowArray *batch,
                             frz_error **err)
{
    const int64_t most = step_rows(&writer->options);
    int64_t start = 0;
    while (start < batch->length) {
        const int64_t room = writer->options.row_group_rows - writer->group_rows;
        int64_t step = batch->length - start;
        step = step > most ? most : step;
        step = step > room ? room : step;
        for (size_t i = 0; i < writer->leaf_count; i++)
            FRZ_TRY(frz_parquet_chunk_append(&writer->chunks[i], batch, start, step, err));
        writer->group_rows += step;
        start += step;
        if (writer->group_rows == writer->options.row_group_rows ||
            group_size(writer) >= writer->options.row_group_size)
            FRZ_TRY(flush_group(writer, err));
    }
    return FRZ_OK;
}

static frz_status fail_broken(frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                    "a Parquet writer that failed before cannot go on");
}

frz_status frz_parquet_writer_write(frz_parquet_writer *writer, const struct ArrowArray *batch,
                                    frz_error **err)
{
    struct ArrowArray plain = {0};
    if (writer->broken)
        return fail_broken(err);
    /* What this checks leaves the writer as it was. */
    FRZ_TRY(frz_arrow_normalize_borrowed(&writer->schema, batch, &plain, err));
    frz_status status = FRZ_OK;
    if (frz_arrow_null_count(&plain) > 0)
        status = frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a batch with rows that are null");
    else
        status = write_rows(writer, &plain, err);
    writer->broken = status != FRZ_OK;
    frz_arrow_array_clear(&plain);
    return status;
}

/* Both kinds of index, each together, in front of the footer (PageIndex.md, "Technical Approach").
 */
static frz_status write_indexes(frz_parquet_writer *writer, frz_error **err)
{
    const uint64_t column_start = writer->offset;
    const uint64_t offset_start = column_start + writer->column_indexes.size;
    for (size_t g = 0; g < writer->group_count; g++) {
        for (size_t i = 0; i < writer->leaf_count; i++) {
            writer->groups[g].chunks[i].column_index_at += column_start;
            writer->groups[g].chunks[i].offset_index_at += offset_start;
        }
    }
    FRZ_TRY(write_buffer(writer, &writer->column_indexes, err));
    return write_buffer(writer, &writer->offset_indexes, err);
}

static frz_status write_footer(frz_parquet_writer *writer, frz_error **err)
{
    frz_buffer bytes = {0};
    const frz_parquet_footer footer = {.schema = writer->write_schema,
                                       .groups = writer->groups,
                                       .group_count = writer->group_count,
                                       .row_count = writer->row_count,
                                       .key_values = writer->options.key_values,
                                       .key_value_count = writer->options.key_value_count};
    frz_parquet_footer_write(&footer, &bytes);
    const size_t size = bytes.size;
    frz_status status = FRZ_OK;
    if (size > INT32_MAX) {
        status = frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "a Parquet footer of over 2 GiB");
    } else {
        frz_buffer_append_u32le(&bytes, (uint32_t)size);
        frz_buffer_append(&bytes, magic, sizeof magic);
        status = write_buffer(writer, &bytes, err);
    }
    frz_buffer_clear(&bytes);
    return status;
}

static frz_status summarize_leaf(frz_parquet_writer *writer, size_t index,
                                 frz_parquet_leaf_summary *out, frz_error **err)
{
    const frz_parquet_leaf *leaf = &writer->write_schema->leaves[index];
    const frz_parquet_bounds *total = &writer->totals[index];
    *out = (frz_parquet_leaf_summary){.field_id = leaf->field_id,
                                      .node = leaf->node,
                                      .nan_count = total->nan_count,
                                      .has_bounds = total->any};
    if (writer->chunks[index].options.statistics_off)
        out->nan_count = -1;
    for (size_t g = 0; g < writer->group_count; g++) {
        const frz_parquet_chunk_entry *chunk = &writer->groups[g].chunks[index];
        out->compressed_size += (int64_t)chunk->compressed_size;
        out->value_count += chunk->slot_count;
        out->null_count += chunk->statistics.null_count;
    }
    if (total->any && (!frz_arena_slice(&writer->arena, frz_buffer_slice(&total->min), &out->min) ||
                       !frz_arena_slice(&writer->arena, frz_buffer_slice(&total->max), &out->max)))
        return frz_fail_memory(err);
    return FRZ_OK;
}

static frz_status summarize(frz_parquet_writer *writer, frz_parquet_summary *out, frz_error **err)
{
    const size_t leaf_count = writer->leaf_count;
    frz_parquet_summary summary = {.row_count = writer->row_count,
                                   .file_size = writer->offset,
                                   .row_group_count = writer->group_count,
                                   .leaf_count = leaf_count};
    summary.row_group_offsets =
        frz_arena_array(&writer->arena, writer->group_count, sizeof(int64_t));
    summary.leaves = frz_arena_array(&writer->arena, leaf_count, sizeof *summary.leaves);
    if (!summary.row_group_offsets || !summary.leaves)
        return frz_fail_memory(err);
    for (size_t g = 0; g < writer->group_count; g++)
        summary.row_group_offsets[g] = (int64_t)writer->groups[g].offset;
    for (size_t i = 0; i < leaf_count; i++)
        FRZ_TRY(summarize_leaf(writer, i, &summary.leaves[i], err));
    *out = summary;
    return FRZ_OK;
}

frz_status frz_parquet_writer_finish(frz_parquet_writer *writer, frz_parquet_summary *summary_out,
                                     frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_parquet_summary summary = {0};
    if (writer->broken)
        return fail_broken(err);
    writer->broken = true; /* also after success: a file ends once */
    FRZ_TRY_DONE(flush_group(writer, err));
    FRZ_TRY_DONE(write_indexes(writer, err));
    FRZ_TRY_DONE(write_footer(writer, err));
    if (!summary_out)
        goto done;
    FRZ_TRY_DONE(summarize(writer, &summary, err));
    summary.arena = writer->arena;
    writer->arena = (frz_arena){0};
    *summary_out = summary;
done:
    return status;
}

void frz_parquet_summary_clear(frz_parquet_summary *summary)
{
    frz_arena_clear(&summary->arena);
    *summary = (frz_parquet_summary){0};
}
