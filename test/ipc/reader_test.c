/* Covers: ipc/footer ipc/message */
#include "ipc/reader.h"

#include "harness.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "made_stream.h"

/* Two columns, a int32 and b string, three rows, as pyarrow 22 writes them with new_stream(). */
static const uint8_t foreign_stream[] = {
    0xff, 0xff, 0xff, 0xff, 0xa8, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0a, 0x00,
    0x0c, 0x00, 0x06, 0x00, 0x05, 0x00, 0x08, 0x00, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x01, 0x04, 0x00,
    0x0c, 0x00, 0x00, 0x00, 0x08, 0x00, 0x08, 0x00, 0x00, 0x00, 0x04, 0x00, 0x08, 0x00, 0x00, 0x00,
    0x04, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00,
    0xd8, 0xff, 0xff, 0xff, 0x00, 0x00, 0x01, 0x05, 0x10, 0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00,
    0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x62, 0x00, 0x00, 0x00,
    0x04, 0x00, 0x04, 0x00, 0x04, 0x00, 0x00, 0x00, 0x10, 0x00, 0x14, 0x00, 0x08, 0x00, 0x06, 0x00,
    0x07, 0x00, 0x0c, 0x00, 0x00, 0x00, 0x10, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02,
    0x10, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00, 0x08, 0x00, 0x0c, 0x00, 0x08, 0x00, 0x07, 0x00,
    0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0xff, 0xff, 0xff, 0xff, 0xc8, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x0c, 0x00, 0x16, 0x00, 0x06, 0x00, 0x05, 0x00, 0x08, 0x00, 0x0c, 0x00, 0x0c, 0x00, 0x00, 0x00,
    0x00, 0x03, 0x04, 0x00, 0x18, 0x00, 0x00, 0x00, 0x38, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x0a, 0x00, 0x18, 0x00, 0x0c, 0x00, 0x04, 0x00, 0x08, 0x00, 0x0a, 0x00, 0x00, 0x00,
    0x6c, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,
    0x78, 0x79, 0x7a, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
};

static uint64_t offset_of(const frz_error *err)
{
    uint64_t offset = FRZ_NO_OFFSET;
    (void)frz_error_offset(err, &offset);
    return offset;
}

/* Opens a reader over bytes; NULL when that fails. */
static frz_ipc_reader *open_reader(made_input *made, const void *bytes, size_t size,
                                   frz_status *status, frz_error **err)
{
    frz_ipc_reader *reader = NULL;
    *status = made_open(bytes, size, made, err);
    if (*status == FRZ_OK)
        *status = frz_ipc_reader_open(made->input, NULL, &reader, err);
    return *status == FRZ_OK ? reader : NULL;
}

/* Reads everything; the status that ends it, and how many rows came before. */
static frz_status read_through(const void *bytes, size_t size, int64_t *rows_out, frz_error **err)
{
    made_input made = {0};
    frz_status status = FRZ_OK;
    int64_t rows = 0;
    frz_ipc_reader *reader = open_reader(&made, bytes, size, &status, err);
    while (status == FRZ_OK) {
        struct ArrowArray batch = {0};
        status = frz_ipc_reader_next(reader, &batch, err);
        if (status == FRZ_OK)
            rows += batch.length;
        frz_arrow_array_clear(&batch);
    }
    frz_ipc_reader_close(reader);
    made_close(&made);
    *rows_out = rows;
    return status == FRZ_END ? FRZ_OK : status;
}

static frz_status read_buffer(const frz_buffer *bytes, int64_t *rows_out, frz_error **err)
{
    return read_through(bytes->data, bytes->size, rows_out, err);
}

/* The only batch of a stream, and its schema. */
static void read_one(const void *bytes, size_t size, struct ArrowSchema *schema,
                     struct ArrowArray *batch)
{
    made_input made = {0};
    frz_error *err = NULL;
    frz_status status = FRZ_OK;
    frz_ipc_reader *reader = open_reader(&made, bytes, size, &status, &err);
    CHECK_OK(status, err);
    CHECK_OK(frz_ipc_reader_schema(reader, schema, &err), err);
    CHECK_OK(frz_ipc_reader_next(reader, batch, &err), err);
    /* The columns outlive reader and input. */
    frz_ipc_reader_close(reader);
    made_close(&made);
}

static void a_foreign_stream_is_read(void **state)
{
    (void)state;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    read_one(foreign_stream, sizeof foreign_stream, &schema, &batch);
    CHECK(schema.n_children == 2);
    CHECK(strcmp(schema.children[0]->name, "a") == 0);
    CHECK(strcmp(schema.children[0]->format, "i") == 0);
    CHECK(schema.children[0]->flags == ARROW_FLAG_NULLABLE);
    CHECK(strcmp(schema.children[1]->format, "u") == 0);
    CHECK(batch.length == 3);
    const struct ArrowArray *a = batch.children[0];
    const struct ArrowArray *b = batch.children[1];
    const int32_t *numbers = a->buffers[1];
    const int32_t *offsets = b->buffers[1];
    CHECK(a->null_count == 1 && frz_arrow_is_null(a, 1));
    CHECK(numbers[0] == 1 && numbers[2] == 3);
    CHECK(b->null_count == 1 && frz_arrow_is_null(b, 2));
    CHECK(offsets[0] == 0 && offsets[1] == 1 && offsets[2] == 3 && offsets[3] == 3);
    CHECK(memcmp(b->buffers[2], "xyz", 3) == 0);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
}

/* Only where a message ends may a stream end; elsewhere the message tells where. */
static void a_stream_cut_off_anywhere_is_told(void **state)
{
    (void)state;
    const size_t schema_end = 8 + 0xa8;
    for (size_t size = 0; size < sizeof foreign_stream; size++) {
        frz_error *err = NULL;
        int64_t rows = 0;
        const bool at_edge = size == schema_end || size == sizeof foreign_stream - 8;
        const frz_status status = read_through(foreign_stream, size, &rows, &err);
        if (at_edge) {
            CHECK_OK(status, err);
            CHECK(rows == (size == schema_end ? 0 : 3));
        } else {
            CHECK(status == FRZ_CORRUPT);
            CHECK(offset_of(err) == size);
            frz_error_free(err);
        }
    }
}

/* Whatever a bit says: an answer, and nothing that a sanitizer sees. */
static void bits_turned_over_do_no_harm(void **state)
{
    (void)state;
    uint8_t bytes[sizeof foreign_stream];
    int refused = 0;
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        frz_error *err = NULL;
        int64_t rows = 0;
        memcpy(bytes, foreign_stream, sizeof bytes);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const frz_status status = read_through(bytes, sizeof bytes, &rows, &err);
        CHECK(status == FRZ_OK || status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED ||
              status == FRZ_INVALID);
        refused += status != FRZ_OK;
        frz_error_free(err);
    }
    CHECK(refused > 500);
}

static void make_numbers(frz_buffer *out)
{
    static const int64_t values[] = {5, -6, 7};
    made_add_schema(out, &made_int64, 1);
    made_add_numbers(out, values, 3);
    made_add_numbers(out, values, 1);
}

static void the_end_may_be_marked_or_not(void **state)
{
    (void)state;
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    int64_t rows = 0;
    make_numbers(&bytes);
    CHECK_OK(read_buffer(&bytes, &rows, &err), err);
    CHECK(rows == 4);
    made_add_end(&bytes);
    CHECK_OK(read_buffer(&bytes, &rows, &err), err);
    CHECK(rows == 4);
    frz_buffer_clear(&bytes);
}

static void what_stands_behind_the_end_is_refused(void **state)
{
    (void)state;
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    int64_t rows = 0;
    make_numbers(&bytes);
    made_add_end(&bytes);
    const size_t end = bytes.size;
    make_numbers(&bytes);
    const frz_status status = read_buffer(&bytes, &rows, &err);
    CHECK(offset_of(err) == end);
    CHECK_FAILS(status, FRZ_CORRUPT, err, "behind the end of the stream");
    CHECK(rows == 4);
    frz_buffer_clear(&bytes);
    make_numbers(&bytes); /* without the mark between them */
    make_numbers(&bytes);
    CHECK_FAILS(read_buffer(&bytes, &rows, &err), FRZ_CORRUPT, err, "a schema among the batches");
    frz_buffer_clear(&bytes);
}

/* Before 0.15: no mark in front of the size. */
static void the_old_prefix_is_read(void **state)
{
    (void)state;
    frz_buffer bytes = {0};
    frz_flat_builder builder = {0};
    frz_error *err = NULL;
    int64_t rows = 0;
    const size_t message =
        made_message_table(&builder, FRZ_IPC_METADATA_V4, FRZ_IPC_HEADER_SCHEMA, 0);
    const size_t schema = made_schema_table(&builder, &made_int64, 1, false);
    frz_flat_set_child(&builder, message, FRZ_IPC_MESSAGE_HEADER, schema);
    made_add_message(&bytes, &builder, NULL, true);
    frz_buffer_append_u32le(&bytes, 0); /* the end, as it was marked then */
    CHECK_OK(read_buffer(&bytes, &rows, &err), err);
    CHECK(rows == 0);
    frz_buffer_clear(&bytes);
}

/* A stream of one message of `kind`. */
static frz_status read_message(int16_t version, uint8_t kind, bool big, frz_error **err)
{
    frz_buffer bytes = {0};
    frz_flat_builder builder = {0};
    int64_t rows = 0;
    const size_t message = made_message_table(&builder, version, kind, 0);
    const size_t schema = made_schema_table(&builder, &made_int64, 1, big);
    frz_flat_set_child(&builder, message, FRZ_IPC_MESSAGE_HEADER, schema);
    made_add_message(&bytes, &builder, NULL, false);
    const frz_status status = read_buffer(&bytes, &rows, err);
    frz_buffer_clear(&bytes);
    return status;
}

static void what_is_not_read_is_refused_by_name(void **state)
{
    (void)state;
    static const char feather[] = "FEA1 and more";
    frz_error *err = NULL;
    int64_t rows = 0;
    CHECK_OK(read_message(FRZ_IPC_METADATA_V5, FRZ_IPC_HEADER_SCHEMA, false, &err), err);
    CHECK_FAILS(read_message(2, FRZ_IPC_HEADER_SCHEMA, false, &err), FRZ_UNSUPPORTED, err,
                "metadata version V3");
    CHECK_FAILS(read_message(FRZ_IPC_METADATA_V5, FRZ_IPC_HEADER_SCHEMA, true, &err),
                FRZ_UNSUPPORTED, err, "big-endian");
    CHECK_FAILS(read_message(FRZ_IPC_METADATA_V5, FRZ_IPC_HEADER_TENSOR, false, &err), FRZ_CORRUPT,
                err, "begins with a tensor");
    CHECK_FAILS(read_message(FRZ_IPC_METADATA_V5, 77, false, &err), FRZ_CORRUPT, err,
                "without a known header");
    CHECK_FAILS(read_through(feather, sizeof feather, &rows, &err), FRZ_UNSUPPORTED, err,
                "Feather V1");
    CHECK_FAILS(read_through("", 0, &rows, &err), FRZ_CORRUPT, err, "without a schema");
}

static void sizes_are_checked_before_memory_is_taken(void **state)
{
    (void)state;
    static const uint8_t huge_metadata[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    frz_buffer bytes = {0};
    frz_flat_builder builder = {0};
    frz_error *err = NULL;
    int64_t rows = 0;
    CHECK_FAILS(read_through(huge_metadata, sizeof huge_metadata, &rows, &err), FRZ_CORRUPT, err,
                "within the metadata");
    const size_t message =
        made_message_table(&builder, FRZ_IPC_METADATA_V5, FRZ_IPC_HEADER_SCHEMA, (size_t)1 << 40);
    const size_t schema = made_schema_table(&builder, &made_int64, 1, false);
    frz_flat_set_child(&builder, message, FRZ_IPC_MESSAGE_HEADER, schema);
    made_add_message(&bytes, &builder, NULL, false);
    CHECK_FAILS(read_buffer(&bytes, &rows, &err), FRZ_CORRUPT, err, "within the body");
    frz_buffer_clear(&bytes);
}

static void limits_are_kept(void **state)
{
    (void)state;
    made_input made = {0};
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    frz_ipc_reader *reader = NULL;
    struct ArrowArray batch = {0};
    frz_limits limits = frz_limits_default;
    make_numbers(&bytes);
    CHECK_OK(made_open(bytes.data, bytes.size, &made, &err), err);
    limits.ipc_metadata_size = 64;
    CHECK_FAILS(frz_ipc_reader_open(made.input, &limits, &reader, &err), FRZ_UNSUPPORTED, err,
                "ipc_metadata_size");
    limits = frz_limits_default;
    limits.ipc_body_size = 23;
    CHECK_OK(frz_ipc_reader_open(made.input, &limits, &reader, &err), err);
    CHECK_FAILS(frz_ipc_reader_next(reader, &batch, &err), FRZ_UNSUPPORTED, err, "ipc_body_size");
    frz_ipc_reader_close(reader);
    made_close(&made);
    frz_buffer_clear(&bytes);
}

/* Rows of a column with a dictionary, as the letters they stand for. */
static void read_letters(const frz_buffer *bytes, char *out)
{
    made_input made = {0};
    frz_error *err = NULL;
    frz_status status = FRZ_OK;
    frz_ipc_reader *reader = open_reader(&made, bytes->data, bytes->size, &status, &err);
    CHECK_OK(status, err);
    for (;;) {
        struct ArrowArray batch = {0};
        status = frz_ipc_reader_next(reader, &batch, &err);
        if (status == FRZ_END)
            break;
        CHECK_OK(status, err);
        const struct ArrowArray *column = batch.children[0];
        const int32_t *offsets = column->buffers[1];
        const char *letters = column->buffers[2];
        for (int64_t i = 0; i < batch.length; i++)
            *out++ = frz_arrow_is_null(column, i) ? '-' : letters[offsets[i]];
        frz_arrow_array_clear(&batch);
    }
    *out = '\0';
    frz_ipc_reader_close(reader);
    made_close(&made);
}

/* Four rows of indexes of one byte. */
static void add_indexes(frz_buffer *out, const int8_t *indexes, uint8_t valid)
{
    const made_node node = {4, 4 - __builtin_popcount(valid)};
    const frz_slice buffers[] = {frz_slice_of(&valid, 1), frz_slice_of(indexes, 4)};
    made_add_batch(
        out,
        &(made_batch){
            .length = 4, .nodes = &node, .node_count = 1, .buffers = buffers, .buffer_count = 2});
}

static const made_field letters_field = {
    .name = "c", .type = FRZ_IPC_TYPE_UTF8, .dictionary = 9, .index_bits = 8};

/* Columnar.rst, "Dictionary Messages": the two streams that it shows. */
static void dictionaries_grow_and_are_replaced(void **state)
{
    (void)state;
    static const int8_t first[] = {0, 1, 2, 1};
    static const int8_t second[] = {3, 2, 4, 0};
    static const int8_t replaced[] = {2, 1, 3, 0};
    char letters[16];
    frz_buffer bytes = {0};
    made_add_schema(&bytes, &letters_field, 1);
    made_add_letters(&bytes, 9, "ABC", false);
    add_indexes(&bytes, first, 0xf);
    made_add_letters(&bytes, 9, "DE", true);
    add_indexes(&bytes, second, 0xf);
    read_letters(&bytes, letters);
    CHECK(strcmp(letters, "ABCBDCEA") == 0);
    made_add_letters(&bytes, 9, "ACDE", false);
    add_indexes(&bytes, replaced, 0xd);
    read_letters(&bytes, letters);
    CHECK(strcmp(letters, "ABCBDCEAD-EA") == 0);
    frz_buffer_clear(&bytes);
}

static void a_dictionary_comes_before_it_is_used(void **state)
{
    (void)state;
    static const int8_t indexes[] = {0, 1, 2, 1};
    char letters[16];
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    int64_t rows = 0;
    made_add_schema(&bytes, &letters_field, 1);
    add_indexes(&bytes, indexes, 0x0); /* nulls need none */
    read_letters(&bytes, letters);
    CHECK(strcmp(letters, "----") == 0);
    add_indexes(&bytes, indexes, 0x1);
    CHECK_FAILS(read_buffer(&bytes, &rows, &err), FRZ_CORRUPT, err,
                "dictionary 9 is used before it has come");
    frz_buffer_clear(&bytes);
    made_add_schema(&bytes, &letters_field, 1);
    made_add_letters(&bytes, 9, "AB", false);
    add_indexes(&bytes, indexes, 0xf);
    CHECK_FAILS(read_buffer(&bytes, &rows, &err), FRZ_INVALID, err,
                "dictionary index 2, with 2 values");
    frz_buffer_clear(&bytes);
    made_add_schema(&bytes, &letters_field, 1);
    made_add_letters(&bytes, 8, "AB", false);
    CHECK_FAILS(read_buffer(&bytes, &rows, &err), FRZ_CORRUPT, err, "dictionary 8 is of no column");
    frz_buffer_clear(&bytes);
}

typedef struct made_block {
    uint64_t offset;
    uint64_t body_size;
    uint32_t metadata_size;
} made_block;

static int16_t footer_version = FRZ_IPC_METADATA_V5;

/* The footer of a file, and its end. */
static void add_footer(frz_buffer *out, const made_field *field, const made_block *blocks,
                       size_t dictionary_count, size_t batch_count)
{
    static const uint8_t widths[] = {2, 4, 4, 4};
    frz_flat_builder builder = {0};
    made_add_end(out);
    const size_t footer = frz_flat_add_table(&builder, widths, 4);
    frz_flat_set_i16(&builder, footer, FRZ_IPC_FOOTER_VERSION, footer_version);
    const size_t schema = made_schema_table(&builder, field, 1, false);
    frz_flat_set_child(&builder, footer, FRZ_IPC_FOOTER_SCHEMA, schema);
    for (unsigned kind = 0; kind < 2; kind++) {
        const size_t count = kind == 0 ? dictionary_count : batch_count;
        const size_t items = frz_flat_add_items(
            &builder, footer, FRZ_IPC_FOOTER_DICTIONARIES + kind, count, FRZ_IPC_BLOCK_SIZE);
        for (size_t i = 0; i < count; i++, blocks++) {
            const size_t at = i * FRZ_IPC_BLOCK_SIZE;
            frz_flat_set_item_i64(&builder, items, at + FRZ_IPC_BLOCK_OFFSET_AT,
                                  (int64_t)blocks->offset);
            frz_flat_set_item_i32(&builder, items, at + FRZ_IPC_BLOCK_METADATA_AT,
                                  (int32_t)blocks->metadata_size);
            frz_flat_set_item_i64(&builder, items, at + FRZ_IPC_BLOCK_BODY_AT,
                                  (int64_t)blocks->body_size);
        }
    }
    frz_buffer_append(out, builder.bytes.data, builder.bytes.size);
    frz_buffer_append_u32le(out, (uint32_t)builder.bytes.size);
    frz_buffer_append_text(out, FRZ_IPC_MAGIC);
    frz_buffer_clear(&builder.bytes);
}

/* A file of a batch that stands before its dictionary, which has a delta. */
static void make_file(frz_buffer *out, bool twice)
{
    static const int8_t indexes[] = {0, 2, 1, 0};
    made_block blocks[3] = {0};
    frz_buffer_append_text(out, FRZ_IPC_MAGIC);
    frz_buffer_append_fill(out, 0, 2);
    made_add_schema(out, &letters_field, 1);
    blocks[2] = (made_block){.offset = out->size, .body_size = 16};
    add_indexes(out, indexes, 0x7);
    blocks[0] = (made_block){.offset = out->size, .body_size = 24};
    made_add_letters(out, 9, "PQ", false);
    blocks[1] = (made_block){.offset = out->size, .body_size = 16};
    made_add_letters(out, 9, "R", !twice);
    add_footer(out, &letters_field, blocks, 2, 1);
}

static void a_file_is_read_by_its_footer(void **state)
{
    (void)state;
    char letters[16];
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    int64_t rows = 0;
    make_file(&bytes, false);
    read_letters(&bytes, letters);
    CHECK(strcmp(letters, "PRQ-") == 0);
    for (size_t size = 6; size < bytes.size; size++)
        CHECK_FAILS(read_through(bytes.data, size, &rows, &err), FRZ_CORRUPT, err, "");
    frz_buffer_clear(&bytes);
    make_file(&bytes, true);
    CHECK_FAILS(read_buffer(&bytes, &rows, &err), FRZ_CORRUPT, err, "dictionary 9 comes twice");
    frz_buffer_clear(&bytes);
}

/* Arrow 0.14 left it out, which reads as V1. */
static void the_version_of_a_footer_may_be_missing(void **state)
{
    (void)state;
    char letters[16];
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    int64_t rows = 0;
    footer_version = 0;
    make_file(&bytes, false);
    read_letters(&bytes, letters);
    CHECK(strcmp(letters, "PRQ-") == 0);
    frz_buffer_clear(&bytes);
    footer_version = FRZ_IPC_METADATA_V5 + 1;
    make_file(&bytes, false);
    footer_version = FRZ_IPC_METADATA_V5;
    CHECK_FAILS(read_buffer(&bytes, &rows, &err), FRZ_UNSUPPORTED, err, "metadata version V6");
    frz_buffer_clear(&bytes);
}

static void a_footer_that_lies_is_told(void **state)
{
    (void)state;
    static const int64_t value = 1;
    static const made_block lies[] = {{.offset = 8, .body_size = 8},
                                      {.offset = 3, .body_size = 8},
                                      {.offset = (uint64_t)1 << 60, .body_size = 8},
                                      {.offset = UINT64_MAX, .body_size = 8}};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        frz_buffer bytes = {0};
        frz_error *err = NULL;
        int64_t rows = 0;
        frz_buffer_append_text(&bytes, FRZ_IPC_MAGIC "\1\1");
        made_add_schema(&bytes, &made_int64, 1);
        made_add_numbers(&bytes, &value, 1);
        add_footer(&bytes, &made_int64, &lies[i], 0, 1);
        CHECK_FAILS(read_buffer(&bytes, &rows, &err), FRZ_CORRUPT, err, "the footer has a batch");
        frz_buffer_clear(&bytes);
    }
}

/* Its rows come in parts, each with offsets of its own. */
static void a_large_batch_comes_in_parts(void **state)
{
    (void)state;
    enum { ROWS = 150001 };
    static int32_t ends[ROWS + 1];
    static char texts[3 * (size_t)ROWS];
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    frz_status status = FRZ_OK;
    made_input made = {0};
    for (int32_t i = 0; i < ROWS; i++) {
        const int32_t size = i % 4;
        memset(texts + ends[i], 'a' + i % 26, (size_t)size);
        ends[i + 1] = ends[i] + size;
    }
    const made_node node = {ROWS, 0};
    const frz_slice buffers[] = {
        {0}, frz_slice_of(ends, sizeof ends), frz_slice_of(texts, (size_t)ends[ROWS])};
    made_add_schema(&bytes, &made_text, 1);
    made_add_batch(&bytes, &(made_batch){.length = ROWS,
                                         .nodes = &node,
                                         .node_count = 1,
                                         .buffers = buffers,
                                         .buffer_count = 3});
    frz_ipc_reader *reader = open_reader(&made, bytes.data, bytes.size, &status, &err);
    CHECK_OK(status, err);
    int64_t row = 0;
    int parts = 0;
    for (;; parts++) {
        struct ArrowArray batch = {0};
        status = frz_ipc_reader_next(reader, &batch, &err);
        if (status == FRZ_END)
            break;
        CHECK_OK(status, err);
        const int32_t *offsets = batch.children[0]->buffers[1];
        const char *data = batch.children[0]->buffers[2];
        CHECK(offsets[0] == 0);
        for (int64_t i = 0; i < batch.length; i++, row++) {
            const int32_t size = offsets[i + 1] - offsets[i];
            CHECK(size == row % 4 && (size == 0 || data[offsets[i]] == 'a' + row % 26));
        }
        frz_arrow_array_clear(&batch);
    }
    CHECK(row == ROWS && parts == 3);
    frz_ipc_reader_close(reader);
    made_close(&made);
    frz_buffer_clear(&bytes);
}

static frz_buffer swept;

static void read_swept(void)
{
    frz_error *err = NULL;
    int64_t rows = 0;
    const frz_status status = read_buffer(&swept, &rows, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
}

static void shortage_of_memory_is_told(void **state)
{
    (void)state;
    make_file(&swept, false);
    sweep_allocation_failures(read_swept);
    frz_buffer_clear(&swept);
    frz_buffer_append(&swept, foreign_stream, sizeof foreign_stream);
    sweep_allocation_failures(read_swept);
    frz_buffer_clear(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_foreign_stream_is_read),
        cmocka_unit_test(a_stream_cut_off_anywhere_is_told),
        cmocka_unit_test(bits_turned_over_do_no_harm),
        cmocka_unit_test(the_end_may_be_marked_or_not),
        cmocka_unit_test(what_stands_behind_the_end_is_refused),
        cmocka_unit_test(the_old_prefix_is_read),
        cmocka_unit_test(what_is_not_read_is_refused_by_name),
        cmocka_unit_test(sizes_are_checked_before_memory_is_taken),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(dictionaries_grow_and_are_replaced),
        cmocka_unit_test(a_dictionary_comes_before_it_is_used),
        cmocka_unit_test(a_file_is_read_by_its_footer),
        cmocka_unit_test(the_version_of_a_footer_may_be_missing),
        cmocka_unit_test(a_footer_that_lies_is_told),
        cmocka_unit_test(a_large_batch_comes_in_parts),
        cmocka_unit_test(shortage_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
