#include "ipc/batch.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "ipc/format.h"

enum { VIEW_SIZE = 16 };

/* Where reading a batch stands. */
typedef struct batch_reader {
    const frz_ipc_body *body;
    const frz_ipc_batch_options *options;
    frz_flat_vector nodes;
    frz_flat_vector buffers;
    frz_flat_vector variadic_counts;
    size_t next_node;
    size_t next_buffer;
    size_t next_variadic;
    frz_codec codec;
    size_t budget; /* bytes that may still be decompressed */
} batch_reader;

/* One buffer of a column; owner NULL when it is empty. */
typedef struct column_buffer {
    frz_slice bytes;
    frz_arrow_owner *owner; /* a reference of its own */
} column_buffer;

static frz_status read_column(batch_reader *reader, const frz_ipc_column *column,
                              struct ArrowArray *out, frz_error **err);

static frz_status corrupt(const frz_ipc_column *column, const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "column \"%s\": %s", column->path, what);
}

/* `size` bytes of memory of its own, which *buffer has then; NULL when memory is short. */
static uint8_t *own_bytes(size_t size, column_buffer *buffer)
{
    uint8_t *bytes = frz_alloc_aligned(size);
    if (!bytes)
        return NULL;
    buffer->owner = frz_arrow_owner_of_buffer(bytes);
    if (!buffer->owner) {
        frz_free(bytes);
        return NULL;
    }
    buffer->bytes = frz_slice_of(bytes, size);
    return bytes;
}

/* Bytes of the body as they are; copied where Arrow's own alignment is not kept. */
static frz_status share_bytes(const batch_reader *reader, frz_slice bytes, column_buffer *out,
                              frz_error **err)
{
    if (bytes.size == 0)
        return FRZ_OK;
    if ((uintptr_t)bytes.data % FRZ_IPC_ALIGNMENT == 0) {
        *out = (column_buffer){.bytes = bytes, .owner = frz_arrow_owner_ref(reader->body->owner)};
        return FRZ_OK;
    }
    uint8_t *copy = own_bytes(bytes.size, out);
    if (!copy)
        return frz_fail_memory(err);
    memcpy(copy, bytes.data, bytes.size);
    return FRZ_OK;
}

/* A compressed buffer: its size before, or -1 when it is not (Message.fbs, BodyCompression). */
static frz_status decompress(batch_reader *reader, const frz_ipc_column *column, frz_slice bytes,
                             column_buffer *out, frz_error **err)
{
    int64_t size = 0;
    if (bytes.size < sizeof size)
        return corrupt(column, "a compressed buffer without its size", err);
    memcpy(&size, bytes.data, sizeof size);
    const frz_slice packed = frz_slice_of(bytes.data + sizeof size, bytes.size - sizeof size);
    if (size == -1)
        return share_bytes(reader, packed, out, err);
    if (size < 0)
        return corrupt(column, "a compressed buffer of a negative size", err);
    if ((uint64_t)size > reader->budget)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "column \"%s\": the batch is larger than ipc_body_size (%zu bytes) when it "
                        "is decompressed",
                        column->path, reader->options->limits->ipc_body_size);
    if (size == 0)
        return FRZ_OK;
    reader->budget -= (size_t)size;
    uint8_t *into = own_bytes((size_t)size, out);
    if (!into)
        return frz_fail_memory(err);
    return frz_context(err,
                       frz_codec_decompress(reader->options->codec, reader->codec, packed, into,
                                            (size_t)size, err),
                       "column \"%s\"", column->path);
}

/* The next buffer, which must have `needed` bytes; passed over when it is not `wanted`. */
static frz_status take_buffer(batch_reader *reader, const frz_ipc_column *column, bool wanted,
                              uint64_t needed, column_buffer *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    const frz_slice body = reader->body->bytes;
    *out = (column_buffer){0};
    if (reader->next_buffer == reader->buffers.count)
        return corrupt(column, "the batch has too few buffers", err);
    const int64_t offset = frz_flat_item_i64(&reader->buffers, reader->next_buffer, 0);
    const int64_t size = frz_flat_item_i64(&reader->buffers, reader->next_buffer, 8);
    reader->next_buffer++;
    if (offset < 0 || size < 0 || (uint64_t)offset > body.size ||
        (uint64_t)size > body.size - (uint64_t)offset)
        return corrupt(column, "a buffer outside of the body of its message", err);
    if (!wanted)
        return FRZ_OK;
    const frz_slice bytes = frz_slice_of(size ? body.data + offset : NULL, (size_t)size);
    if (reader->codec == FRZ_CODEC_NONE || size == 0)
        FRZ_TRY_DONE(share_bytes(reader, bytes, out, err));
    else
        FRZ_TRY_DONE(decompress(reader, column, bytes, out, err));
    if (out->bytes.size < needed)
        status = corrupt(column, "a buffer too short for its rows", err);
done:
    if (status != FRZ_OK) {
        frz_arrow_owner_unref(out->owner);
        *out = (column_buffer){0};
    }
    return status;
}

/* Takes the next buffer as buffer `index` of the array. */
static frz_status put_buffer(batch_reader *reader, const frz_ipc_column *column, uint64_t needed,
                             struct ArrowArray *out, int64_t index, frz_error **err)
{
    column_buffer buffer;
    FRZ_TRY(take_buffer(reader, column, true, needed, &buffer, err));
    if (buffer.bytes.size > 0)
        frz_arrow_array_borrow(out, index, buffer.bytes.data, buffer.owner);
    frz_arrow_owner_unref(buffer.owner);
    return FRZ_OK;
}

/* Left out, or of no use, where there are no nulls. */
static frz_status put_validity(batch_reader *reader, const frz_ipc_column *column,
                               struct ArrowArray *out, frz_error **err)
{
    column_buffer buffer;
    const bool wanted = out->null_count > 0;
    const uint64_t needed = ((uint64_t)out->length + 7) / 8;
    FRZ_TRY(take_buffer(reader, column, wanted, wanted ? needed : 0, &buffer, err));
    if (buffer.bytes.size > 0)
        frz_arrow_array_borrow(out, 0, buffer.bytes.data, buffer.owner);
    frz_arrow_owner_unref(buffer.owner);
    return FRZ_OK;
}

static int64_t offset_at(frz_slice offsets, int32_t width, int64_t index)
{
    int32_t narrow = 0;
    int64_t wide = 0;
    if (width == sizeof wide) {
        memcpy(&wide, offsets.data + (size_t)index * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, offsets.data + (size_t)index * sizeof narrow, sizeof narrow);
    return narrow;
}

/* Offsets, and where they end. An array without rows may come without (Columnar.rst,
 * "Variable-size Binary Layout"). */
static frz_status put_offsets(batch_reader *reader, const frz_ipc_column *column, int32_t width,
                              struct ArrowArray *out, int64_t *end_out, frz_error **err)
{
    column_buffer buffer;
    const uint64_t needed = out->length ? ((uint64_t)out->length + 1) * (uint64_t)width : 0;
    FRZ_TRY(take_buffer(reader, column, out->length > 0, needed, &buffer, err));
    *end_out = 0;
    if (buffer.bytes.size > 0) {
        frz_arrow_array_borrow(out, 1, buffer.bytes.data, buffer.owner);
        *end_out = offset_at(buffer.bytes, width, out->length);
    }
    frz_arrow_owner_unref(buffer.owner);
    return *end_out < 0 ? corrupt(column, "a negative offset", err) : FRZ_OK;
}

static frz_status read_bytes(batch_reader *reader, const frz_ipc_column *column, int32_t width,
                             struct ArrowArray *out, frz_error **err)
{
    int64_t end = 0;
    FRZ_TRY(put_offsets(reader, column, width, out, &end, err));
    return put_buffer(reader, column, (uint64_t)end, out, 2, err);
}

/* How many data buffers a column of views has; room for their sizes is counted in. */
static frz_status count_variadic(batch_reader *reader, const frz_ipc_column *column,
                                 int64_t *count_out, frz_error **err)
{
    if (reader->next_variadic == reader->variadic_counts.count)
        return corrupt(column, "the batch does not say how many data buffers it has", err);
    const int64_t count = frz_flat_item_i64(&reader->variadic_counts, reader->next_variadic++, 0);
    if (count < 0 || (uint64_t)count > reader->buffers.count - reader->next_buffer)
        return corrupt(column, "more data buffers than the batch has", err);
    *count_out = count;
    return FRZ_OK;
}

/* Views and list views may overlap, so that few bytes unfold to many. What is negative or leads
 * out is left to frz_arrow_array_validate. */
static frz_status check_unfolded(const batch_reader *reader, const frz_ipc_column *column,
                                 uint64_t size, frz_error **err)
{
    if (size <= reader->options->limits->ipc_body_size)
        return FRZ_OK;
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                    "column \"%s\": views unfold to more than ipc_body_size (%zu bytes)",
                    column->path, reader->options->limits->ipc_body_size);
}

static uint64_t sum_of_views(const struct ArrowArray *array)
{
    const uint8_t *views = array->buffers[1];
    uint64_t sum = 0;
    for (int64_t i = 0; i < array->length; i++) {
        int32_t size = 0;
        memcpy(&size, views + i * VIEW_SIZE, sizeof size);
        sum += size > 0 ? (uint64_t)size : 0;
    }
    return sum;
}

/* Views, data, and what the C interface adds: the sizes of the data. */
static frz_status read_views(batch_reader *reader, const frz_ipc_column *column, int64_t data_count,
                             struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer sizes = {0};
    FRZ_TRY(put_buffer(reader, column, (uint64_t)out->length * VIEW_SIZE, out, 1, err));
    for (int64_t i = 0; i < data_count; i++) {
        column_buffer buffer;
        FRZ_TRY_DONE(take_buffer(reader, column, true, 0, &buffer, err));
        frz_buffer_append_u64le(&sizes, buffer.bytes.size);
        frz_arrow_array_borrow(out, 2 + i, buffer.bytes.data, buffer.owner);
        frz_arrow_owner_unref(buffer.owner);
    }
    FRZ_TRY_DONE(frz_arrow_array_give(out, 2 + data_count, &sizes, err));
    status = check_unfolded(reader, column, sum_of_views(out), err);
done:
    frz_buffer_clear(&sizes);
    return status;
}

static frz_status read_list_views(batch_reader *reader, const frz_ipc_column *column,
                                  struct ArrowArray *out, frz_error **err)
{
    enum { BYTES_PER_ITEM = 16 }; /* its number, and a value */
    const int32_t width = column->type.width / 8;
    const uint64_t needed = (uint64_t)out->length * (uint64_t)width;
    uint64_t items = 0;
    FRZ_TRY(put_buffer(reader, column, needed, out, 1, err));
    FRZ_TRY(put_buffer(reader, column, needed, out, 2, err));
    for (int64_t i = 0; i < out->length && items < SIZE_MAX / BYTES_PER_ITEM / 2; i++) {
        const int64_t size = offset_at(frz_slice_of(out->buffers[2], (size_t)needed), width, i);
        items += size > 0 && size <= INT32_MAX ? (uint64_t)size : 0;
    }
    return check_unfolded(reader, column, items * BYTES_PER_ITEM, err);
}

/* Buffers behind the validity. */
static frz_status read_buffers(batch_reader *reader, const frz_ipc_column *column,
                               int64_t data_count, struct ArrowArray *out, frz_error **err)
{
    const frz_arrow_layout *layout = frz_arrow_layout_of(column->type.kind);
    const uint64_t length = (uint64_t)out->length;
    int64_t end = 0;
    switch (layout->form) {
    case FRZ_ARROW_FORM_BITS:
        return put_buffer(reader, column, (length + 7) / 8, out, 1, err);
    case FRZ_ARROW_FORM_FIXED:
        return put_buffer(reader, column, length * frz_arrow_type_width(&column->type), out, 1,
                          err);
    case FRZ_ARROW_FORM_BYTES:
        return read_bytes(reader, column, layout->offset_width, out, err);
    case FRZ_ARROW_FORM_VIEWS:
        return read_views(reader, column, data_count, out, err);
    case FRZ_ARROW_FORM_LIST:
        return put_offsets(reader, column, layout->offset_width, out, &end, err);
    case FRZ_ARROW_FORM_LIST_VIEWS:
        return read_list_views(reader, column, out, err);
    case FRZ_ARROW_FORM_NULL:
    case FRZ_ARROW_FORM_PARALLEL:
    case FRZ_ARROW_FORM_RUNS:
    case FRZ_ARROW_FORM_UNION: /* refused with the schema */
        break;
    }
    return FRZ_OK;
}

/* Length and nulls of the next node. */
static frz_status take_node(batch_reader *reader, const frz_ipc_column *column, int64_t *length_out,
                            int64_t *nulls_out, frz_error **err)
{
    if (reader->next_node == reader->nodes.count)
        return corrupt(column, "the batch has too few nodes", err);
    const int64_t length = frz_flat_item_i64(&reader->nodes, reader->next_node, 0);
    const int64_t nulls = frz_flat_item_i64(&reader->nodes, reader->next_node, 8);
    reader->next_node++;
    if (length < 0 || nulls < 0 || nulls > length)
        return corrupt(column, "a negative length, or more nulls than rows", err);
    if (length > INT32_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "column \"%s\": more than 2^31 rows or items in one batch", column->path);
    *length_out = length;
    *nulls_out = nulls;
    return FRZ_OK;
}

/* The dictionary as it stands. It may come behind a batch whose rows are all null (Columnar.rst,
 * "IPC Streaming Format"). */
static frz_status put_dictionary(const batch_reader *reader, const frz_ipc_column *column,
                                 struct ArrowArray *out, frz_error **err)
{
    const struct ArrowArray *values = &reader->options->dictionaries[column->dictionary_index];
    if (!values->release && out->null_count < out->length)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "column \"%s\": dictionary %lld is used before it has come", column->path,
                        (long long)column->dictionary_id);
    out->dictionary = frz_alloc_zero(sizeof *out->dictionary);
    if (!out->dictionary)
        return frz_fail_memory(err);
    return values->release ? frz_arrow_array_share(values, NULL, out->dictionary, err)
                           : frz_arrow_array_nulls(column->plain_values, 0, out->dictionary, err);
}

static frz_status fill_column(batch_reader *reader, const frz_ipc_column *column,
                              int64_t data_count, struct ArrowArray *out, frz_error **err)
{
    const frz_arrow_layout *layout = frz_arrow_layout_of(column->type.kind);
    column_buffer unused;
    if (layout->buffers > 0)
        FRZ_TRY(put_validity(reader, column, out, err));
    else if (layout->form == FRZ_ARROW_FORM_RUNS && reader->options->is_v4)
        FRZ_TRY(take_buffer(reader, column, false, 0, &unused, err));
    FRZ_TRY(read_buffers(reader, column, data_count, out, err));
    for (size_t i = 0; i < column->child_count; i++)
        FRZ_TRY(read_column(reader, &column->children[i], out->children[i], err));
    return column->values ? put_dictionary(reader, column, out, err) : FRZ_OK;
}

static frz_status read_column(batch_reader *reader, const frz_ipc_column *column,
                              struct ArrowArray *out, frz_error **err)
{
    const frz_arrow_layout *layout = frz_arrow_layout_of(column->type.kind);
    int64_t length = 0;
    int64_t nulls = 0;
    int64_t data_count = 0;
    int64_t buffer_count = layout->buffers;
    struct ArrowArray made = {0};
    FRZ_TRY(take_node(reader, column, &length, &nulls, err));
    if (layout->form == FRZ_ARROW_FORM_VIEWS) {
        FRZ_TRY(count_variadic(reader, column, &data_count, err));
        buffer_count += data_count;
    }
    FRZ_TRY(frz_arrow_array_shell(&made, buffer_count, (int64_t)column->child_count, err));
    made.length = length;
    made.null_count = layout->form == FRZ_ARROW_FORM_NULL ? length : nulls;
    const frz_status status = fill_column(reader, column, data_count, &made, err);
    if (status == FRZ_OK)
        *out = made;
    else
        frz_arrow_array_clear(&made);
    return status;
}

static frz_status choose_codec(const frz_flat_table *table, frz_codec *out, frz_error **err)
{
    const frz_flat_table compression = frz_flat_child(table, FRZ_IPC_BATCH_COMPRESSION);
    *out = FRZ_CODEC_NONE;
    if (!compression.buffer)
        return FRZ_OK;
    const uint8_t codec = frz_flat_u8(&compression, FRZ_IPC_COMPRESSION_CODEC, 0);
    const uint8_t method = frz_flat_u8(&compression, FRZ_IPC_COMPRESSION_METHOD, 0);
    if (codec > FRZ_IPC_CODEC_ZSTD || method != 0)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "compression by codec %d and method %d; LZ4 frames and zstd by buffer are "
                        "read",
                        (int)codec, (int)method);
    *out = codec == FRZ_IPC_CODEC_ZSTD ? FRZ_CODEC_ZSTD : FRZ_CODEC_LZ4_FRAME;
    return FRZ_OK;
}

static frz_status read_columns(batch_reader *reader, const frz_ipc_column *columns,
                               struct ArrowArray *out, frz_error **err)
{
    for (size_t i = 0; i < columns->child_count; i++) {
        FRZ_TRY(read_column(reader, &columns->children[i], out->children[i], err));
        if (out->children[i]->length != out->length)
            return corrupt(&columns->children[i], "a length that is not that of the batch", err);
    }
    if (reader->next_node != reader->nodes.count || reader->next_buffer != reader->buffers.count)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "a batch of %zu nodes and %zu buffers, of which its columns have %zu and "
                        "%zu",
                        reader->nodes.count, reader->buffers.count, reader->next_node,
                        reader->next_buffer);
    return FRZ_OK;
}

frz_status frz_ipc_batch_read(const frz_flat_table *table, const frz_ipc_column *columns,
                              const frz_ipc_body *body, const frz_ipc_batch_options *options,
                              struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray made = {0};
    const int64_t length = frz_flat_i64(table, FRZ_IPC_BATCH_LENGTH, 0);
    batch_reader reader = {
        .body = body,
        .options = options,
        .nodes = frz_flat_items(table, FRZ_IPC_BATCH_NODES, FRZ_IPC_NODE_SIZE),
        .buffers = frz_flat_items(table, FRZ_IPC_BATCH_BUFFERS, FRZ_IPC_BUFFER_SIZE),
        .variadic_counts = frz_flat_items(table, FRZ_IPC_BATCH_VARIADIC_COUNTS, sizeof(int64_t)),
        .budget = options->limits->ipc_body_size};
    if (length < 0 || length > INT32_MAX)
        return frz_fail(err, length < 0 ? FRZ_CORRUPT : FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "a batch of %lld rows", (long long)length);
    FRZ_TRY(choose_codec(table, &reader.codec, err));
    FRZ_TRY_DONE(frz_arrow_array_shell(&made, 1, (int64_t)columns->child_count, err));
    made.length = length;
    FRZ_TRY_DONE(read_columns(&reader, columns, &made, err));
    *out = made;
    made = (struct ArrowArray){0};
done:
    frz_arrow_array_clear(&made);
    return status;
}
