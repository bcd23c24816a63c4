#include "write/foreign_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/schema.h"
#include "avro/container.h"
#include "avro/reader.h"
#include "base/fail.h"
#include "io/file.h"
#include "parquet/file.h"
#include "scan/file_ids.h"
#include "scan/parquet_stats.h"

/* A file while it is open. */
typedef struct opened {
    const frz_foreign_context *context;
    frz_input *input;
    frz_parquet_file *parquet;
    frz_avro_reader *avro;
    struct ArrowSchema columns;
    bool own_ids;
} opened;

static void close_file(opened *self)
{
    frz_arrow_schema_clear(&self->columns);
    frz_avro_reader_close(self->avro);
    frz_parquet_file_close(self->parquet);
    frz_input_close(self->input);
}

static frz_status need_mapping(const opened *self, frz_error **err)
{
    return self->context->mapping
               ? FRZ_OK
               : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                          "the file has no field ids, and the table no name mapping "
                          "(schema.name-mapping.default): --name-mapping makes one of its columns' "
                          "names");
}

static frz_status open_parquet(opened *self, frz_error **err)
{
    FRZ_TRY(frz_parquet_file_open(self->input, self->context->limits, &self->parquet, err));
    self->own_ids = frz_file_has_ids(self->parquet);
    if (!self->own_ids) {
        FRZ_TRY(need_mapping(self, err));
        frz_parquet_ids_give(self->context->mapping, self->parquet);
    }
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(self->parquet);
    return frz_parquet_node_arrow(self->parquet, &metadata->root, NULL, &self->columns, err);
}

static frz_status open_avro(opened *self, frz_error **err)
{
    FRZ_TRY(frz_avro_reader_open(self->input, self->context->limits, &self->avro, err));
    const frz_avro_schema *schema = frz_avro_reader_schema(self->avro);
    self->own_ids = frz_avro_has_ids(schema);
    if (!self->own_ids) {
        FRZ_TRY(need_mapping(self, err));
        FRZ_TRY(
            frz_avro_ids_give(self->context->mapping, schema, self->context->arena, &schema, err));
        frz_avro_reader_set_ids(self->avro, schema);
    }
    return frz_avro_reader_arrow_schema(self->avro, &self->columns, err);
}

static frz_status tell_format(frz_input *input, frz_file_format *out, frz_error **err)
{
    uint8_t start[4] = {0};
    const uint64_t size = frz_input_size(input);
    FRZ_TRY(
        frz_input_read_at(input, 0, start, size < sizeof start ? (size_t)size : sizeof start, err));
    if (memcmp(start, "PAR1", 4) == 0)
        *out = FRZ_FORMAT_PARQUET;
    else if (memcmp(start, "Obj\x01", 4) == 0)
        *out = FRZ_FORMAT_AVRO;
    else
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "%s: files of a table are Parquet or Avro here",
                        memcmp(start, "ORC", 3) == 0 ? "an ORC file" : "neither Parquet nor Avro");
    return FRZ_OK;
}

/* The headers of all blocks. */
static frz_status count_avro(const opened *self, int64_t *out, frz_error **err)
{
    frz_avro_container container = {0};
    frz_avro_block block = {0};
    int64_t count = 0;
    FRZ_TRY(frz_avro_container_open(&container, self->input, self->context->limits, err));
    frz_status status = FRZ_OK;
    while ((status = frz_avro_container_next(&container, &block, err)) == FRZ_OK) {
        if (__builtin_add_overflow(count, block.count, &count)) {
            status = frz_fail(err, FRZ_CORRUPT, block.offset, "more rows than 64 bits count");
            break;
        }
    }
    frz_avro_container_clear(&container);
    *out = count;
    return status == FRZ_END ? FRZ_OK : status;
}

static bool add_counts(int64_t *sum, int64_t more)
{
    if (*sum < 0 || more < 0) {
        *sum = -1;
        return true;
    }
    return !__builtin_add_overflow(*sum, more, sum);
}

/* A smaller lower or a larger upper bound takes the place; -0.0 and 0.0 are both kept apart. */
static void widen(frz_foreign_column *column, const frz_value *min, const frz_value *max,
                  bool first)
{
    if (first || frz_value_compare(min, &column->min) < 0)
        column->min = *min;
    if (first || frz_value_compare(max, &column->max) > 0)
        column->max = *max;
}

static frz_status keep_bounds(const frz_foreign_context *context, frz_foreign_column *column,
                              frz_error **err)
{
    if (!column->has_bounds)
        return FRZ_OK;
    return frz_value_copy(&column->min, context->arena, &column->min) &&
                   frz_value_copy(&column->max, context->arena, &column->max)
               ? FRZ_OK
               : frz_fail_memory(err);
}

/* What one row group adds. *some: a group before had values. */
static frz_status add_chunk(const frz_parquet_node *node, const frz_parquet_column_chunk *chunk,
                            frz_foreign_column *column, bool *some, frz_error **err)
{
    const frz_parquet_statistics *stats = &chunk->statistics;
    frz_value min;
    frz_value max;
    if (chunk->file_path || chunk->encrypted || !chunk->codec_known)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "column %s is %s", node->name,
                        chunk->encrypted   ? "encrypted"
                        : chunk->file_path ? "in another file"
                                           : "compressed in a way that is not read");
    if (!add_counts(&column->compressed_size, chunk->compressed_size) ||
        !add_counts(&column->value_count, chunk->value_count) ||
        !add_counts(&column->null_count, stats->null_count) ||
        !add_counts(&column->nan_count, stats->nan_count))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "column %s: counts beyond 64 bits",
                        node->name);
    if (!column->has_bounds || (stats->null_count >= 0 && stats->null_count == chunk->value_count))
        return FRZ_OK; /* of nulls alone nothing is to be said */
    if (!stats->has_min || !stats->has_max ||
        !frz_parquet_bound(node, stats->min, column->field->type, &min) ||
        !frz_parquet_bound(node, stats->max, column->field->type, &max)) {
        column->has_bounds = false;
        return FRZ_OK;
    }
    column->exact = column->exact && stats->min_exact && stats->max_exact;
    widen(column, &min, &max, !*some);
    *some = true;
    return FRZ_OK;
}

static frz_status read_column(const opened *self, size_t leaf, const frz_field *field,
                              frz_foreign_column *out, frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(self->parquet);
    const frz_parquet_node *node = metadata->leaves[leaf];
    bool some = false;
    *out = (frz_foreign_column){.field = field,
                                .repeated = node->max_repetition > 0,
                                .has_bounds = node->max_repetition == 0,
                                .exact = true};
    for (size_t i = 0; i < metadata->row_group_count; i++)
        FRZ_TRY(add_chunk(node, &metadata->row_groups[i].columns[leaf], out, &some, err));
    out->has_bounds = out->has_bounds && some;
    return keep_bounds(self->context, out, err);
}

static frz_status read_columns(const opened *self, frz_foreign_file *out, frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(self->parquet);
    const frz_schema *schema = frz_metadata_schema(self->context->metadata);
    frz_foreign_column *columns =
        frz_arena_array(self->context->arena, metadata->leaf_count + 1, sizeof *columns);
    if (!columns)
        return frz_fail_memory(err);
    for (size_t i = 0; i < metadata->leaf_count; i++) {
        const frz_parquet_node *node = metadata->leaves[i];
        const frz_field *field =
            node->has_field_id ? frz_schema_find_id(schema, node->field_id) : NULL;
        if (field && frz_type_is_primitive(field->type))
            FRZ_TRY(read_column(self, i, field, &columns[out->column_count++], err));
    }
    out->columns = columns;
    return FRZ_OK;
}

/* "Data File Fields", split_offsets: "must be sorted ascending"; of a file where they are not,
 * there are none. */
static frz_status read_groups(const opened *self, frz_foreign_file *out, frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(self->parquet);
    int64_t *offsets =
        frz_arena_array(self->context->arena, metadata->row_group_count + 1, sizeof *offsets);
    if (!offsets)
        return frz_fail_memory(err);
    bool ascending = true;
    for (size_t i = 0; i < metadata->row_group_count; i++) {
        const frz_parquet_row_group *group = &metadata->row_groups[i];
        offsets[i] = group->file_offset;
        ascending = ascending && offsets[i] > 0 && (i == 0 || offsets[i] > offsets[i - 1]);
        if (__builtin_add_overflow(out->row_count, group->row_count, &out->row_count))
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "more rows than 64 bits count");
    }
    out->split_offsets = offsets;
    out->split_offset_count = ascending ? metadata->row_group_count : 0;
    return FRZ_OK;
}

static frz_status read_opened(opened *self, frz_foreign_file *out, frz_error **err)
{
    const frz_foreign_context *context = self->context;
    FRZ_TRY(frz_io_open(context->io, out->location, FRZ_IO_SIZE_UNKNOWN, &self->input, err));
    out->size = frz_input_size(self->input);
    FRZ_TRY(tell_format(self->input, &out->format, err));
    const bool parquet = out->format == FRZ_FORMAT_PARQUET;
    FRZ_TRY(parquet ? open_parquet(self, err) : open_avro(self, err));
    FRZ_TRY(frz_foreign_schema_check(context, &self->columns, self->own_ids, out, err));
    if (!parquet)
        return count_avro(self, &out->row_count, err);
    FRZ_TRY(read_groups(self, out, err));
    return read_columns(self, out, err);
}

frz_status frz_foreign_file_read(const frz_foreign_context *context, const char *location,
                                 frz_foreign_file *out, frz_error **err)
{
    opened self = {.context = context};
    frz_foreign_file made = {.location = location};
    const frz_status status = read_opened(&self, &made, err);
    close_file(&self);
    if (status != FRZ_OK)
        return frz_context(err, status, "%s", location);
    *out = made;
    return FRZ_OK;
}

const frz_foreign_column *frz_foreign_file_column(const frz_foreign_file *file, int32_t field_id)
{
    for (size_t i = 0; i < file->column_count; i++) {
        if (file->columns[i].field->id == field_id)
            return &file->columns[i];
    }
    return NULL;
}

bool frz_foreign_file_has(const frz_foreign_file *file, int32_t field_id)
{
    for (size_t i = 0; i < file->id_count; i++) {
        if (file->ids[i] == field_id)
            return true;
    }
    return false;
}

/* Zero of the sign that bounds both zeros: writers differ in which they state. */
static frz_value float_bound(frz_value value, bool lower)
{
    if (value.form == FRZ_VALUE_NUMBER && value.number == 0)
        value.number = lower ? -0.0 : 0.0;
    return value;
}

static bool bound_of(const frz_foreign_column *column, frz_metrics_mode mode, bool lower,
                     frz_arena *arena, frz_slice *out)
{
    const frz_type *type = column->field->type;
    const frz_value value = float_bound(lower ? column->min : column->max, lower);
    const bool text = type->kind == FRZ_TYPE_STRING;
    frz_buffer bytes = {0};
    frz_slice bound = {0};
    frz_value_encode(type, &value, &bytes);
    bool known = !bytes.failed && frz_arena_slice(arena, frz_buffer_slice(&bytes), &bound);
    frz_buffer_clear(&bytes);
    if (known && mode.kind == FRZ_METRICS_TRUNCATE &&
        (text || type->kind == FRZ_TYPE_BINARY || type->kind == FRZ_TYPE_FIXED))
        known = lower ? frz_bound_truncate_lower(bound, text, mode.length, &bound)
                      : frz_bound_truncate_upper(bound, text, mode.length, arena, &bound);
    *out = bound;
    return known;
}

static frz_column_metrics metrics_of(const frz_foreign_context *context,
                                     const frz_foreign_column *column)
{
    const frz_metrics_mode mode = frz_metrics_config_mode(context->metrics, column->field);
    const frz_type_kind kind = column->field->type->kind;
    frz_column_metrics out = {.field_id = column->field->id,
                              .column_size = column->compressed_size,
                              .value_count = -1,
                              .null_count = -1,
                              .nan_count = -1};
    if (mode.kind == FRZ_METRICS_NONE)
        return out;
    out.value_count = column->value_count;
    out.null_count = column->null_count;
    if (kind == FRZ_TYPE_FLOAT || kind == FRZ_TYPE_DOUBLE)
        out.nan_count = column->nan_count;
    if (mode.kind == FRZ_METRICS_COUNTS || !column->has_bounds)
        return out;
    out.has_lower = bound_of(column, mode, true, context->arena, &out.lower);
    out.has_upper = bound_of(column, mode, false, context->arena, &out.upper);
    return out;
}

static int compare_ids(const void *a, const void *b)
{
    const int32_t x = ((const frz_column_metrics *)a)->field_id;
    const int32_t y = ((const frz_column_metrics *)b)->field_id;
    return x < y ? -1 : x > y;
}

frz_status frz_foreign_file_metrics(const frz_foreign_context *context,
                                    const frz_foreign_file *file, const frz_column_metrics **out,
                                    size_t *count_out, frz_error **err)
{
    frz_column_metrics *metrics =
        frz_arena_array(context->arena, file->column_count + 1, sizeof *metrics);
    if (!metrics)
        return frz_fail_memory(err);
    for (size_t i = 0; i < file->column_count; i++)
        metrics[i] = metrics_of(context, &file->columns[i]);
    qsort(metrics, file->column_count, sizeof *metrics, compare_ids);
    *out = metrics;
    *count_out = file->column_count;
    return FRZ_OK;
}
