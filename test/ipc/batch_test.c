/* Covers: ipc/dictionaries */
#include "ipc/batch.h"

#include "harness.h"

#include "arrow/array.h"
#include "arrow/normalize.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "ipc/reader.h"
#include "made_stream.h"

/* The batch of a stream of one field and one batch. */
static frz_status read_batch(const made_field *field, const made_batch *batch,
                             struct ArrowArray *out, frz_error **err)
{
    frz_buffer bytes = {0};
    made_input made = {0};
    frz_ipc_reader *reader = NULL;
    struct ArrowArray read = {0};
    made_add_schema(&bytes, field, 1);
    made_add_batch(&bytes, batch);
    frz_status status = made_open(bytes.data, bytes.size, &made, err);
    if (status == FRZ_OK)
        status = frz_ipc_reader_open(made.input, NULL, &reader, err);
    if (status == FRZ_OK)
        status = frz_ipc_reader_next(reader, &read, err);
    if (status == FRZ_OK)
        *out = read;
    frz_ipc_reader_close(reader);
    made_close(&made);
    frz_buffer_clear(&bytes);
    return status;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BATCH(rows, node_array, buffer_array)                                     \
    {                                                                             \
        .length = (rows), .nodes = (node_array), .node_count = COUNT(node_array), \
        .buffers = (buffer_array), .buffer_count = COUNT(buffer_array)            \
    }
#define BYTES(array) frz_slice_of((array), sizeof(array))

static void check_refused(const made_field *field, const made_batch *batch, frz_status want,
                          const char *text)
{
    frz_error *err = NULL;
    struct ArrowArray read = {0};
    CHECK_FAILS(read_batch(field, batch, &read, &err), want, err, text);
}

static void compressed_buffers_are_read(void **state)
{
    (void)state;
    static const frz_codec codecs[] = {FRZ_CODEC_LZ4_FRAME, FRZ_CODEC_ZSTD};
    int64_t values[200];
    static const uint8_t valid[25] = {0xfe};
    const made_node nodes[] = {{200, 193}};
    const frz_slice buffers[] = {BYTES(valid), BYTES(values)};
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = (int64_t)i * 3;
    for (size_t i = 0; i < 2 * COUNT(codecs); i++) {
        made_batch batch = BATCH(200, nodes, buffers);
        frz_error *err = NULL;
        struct ArrowArray read = {0};
        batch.codec = codecs[i / 2];
        batch.raw = i % 2;
        CHECK_OK(read_batch(&made_int64, &batch, &read, &err), err);
        const struct ArrowArray *column = read.children[0];
        CHECK(column->length == 200 && column->null_count == 193);
        CHECK(memcmp(column->buffers[1], values, sizeof values) == 0);
        CHECK(frz_arrow_is_null(column, 0) && !frz_arrow_is_null(column, 7));
        frz_arrow_array_clear(&read);
    }
}

static void a_wrong_size_of_what_is_compressed_is_told(void **state)
{
    (void)state;
    static const int64_t cases[] = {-2, INT64_MAX, 7, 9};
    static const made_node nodes[] = {{1, 0}};
    const int64_t value = 77;
    frz_buffer packed = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_codec_compress(NULL, FRZ_CODEC_ZSTD, FRZ_CODEC_LEVEL_DEFAULT,
                                frz_slice_of(&value, 8), &packed, &err),
             err);
    for (size_t i = 0; i < COUNT(cases); i++) {
        /* Written as if it were not compressed, in a batch that says it is. */
        frz_buffer bytes = {0};
        frz_buffer stream = {0};
        frz_flat_builder builder = {0};
        frz_buffer_append_u64le(&bytes, (uint64_t)cases[i]);
        frz_buffer_append(&bytes, packed.data, packed.size);
        const made_batch batch = {.length = 1,
                                  .nodes = nodes,
                                  .node_count = 1,
                                  .buffer_count = 2,
                                  .codec = FRZ_CODEC_ZSTD};
        const int64_t places[] = {0, 0, 0, (int64_t)bytes.size};
        made_add_schema(&stream, &made_int64, 1);
        const size_t message =
            made_message_table(&builder, FRZ_IPC_METADATA_V5, FRZ_IPC_HEADER_BATCH, bytes.size);
        const size_t table = made_batch_table(&builder, &batch, places);
        frz_flat_set_child(&builder, message, FRZ_IPC_MESSAGE_HEADER, table);
        made_add_message(&stream, &builder, &bytes, false);

        made_input made = {0};
        frz_ipc_reader *reader = NULL;
        struct ArrowArray read = {0};
        CHECK_OK(made_open(stream.data, stream.size, &made, &err), err);
        CHECK_OK(frz_ipc_reader_open(made.input, NULL, &reader, &err), err);
        const frz_status status = frz_ipc_reader_next(reader, &read, &err);
        CHECK_FAILS(status, cases[i] == INT64_MAX ? FRZ_UNSUPPORTED : FRZ_CORRUPT, err,
                    "column \"id\"");
        frz_ipc_reader_close(reader);
        made_close(&made);
        frz_buffer_clear(&bytes);
        frz_buffer_clear(&stream);
    }
    frz_buffer_clear(&packed);
}

static const int32_t offsets[] = {0, 1, 3};
static const made_node two_rows[] = {{2, 0}};

static void buffers_have_what_their_rows_need(void **state)
{
    (void)state;
    static const int32_t ends_before[] = {0, 1, -3};
    static const int32_t descends[] = {0, 2, 1};
    static const int64_t values[] = {1, 2};
    static const made_node with_nulls[] = {{2, 1}};
    const frz_slice short_values[] = {{0}, frz_slice_of(values, 15)};
    const frz_slice no_validity[] = {{0}, BYTES(values)};
    const frz_slice short_offsets[] = {{0}, frz_slice_of(offsets, 11), frz_slice_of("abc", 3)};
    const frz_slice short_data[] = {{0}, BYTES(offsets), frz_slice_of("ab", 2)};
    const frz_slice negative[] = {{0}, BYTES(ends_before), frz_slice_of("abc", 3)};
    const frz_slice descending[] = {{0}, BYTES(descends), frz_slice_of("abc", 3)};
    const made_batch a = BATCH(2, two_rows, short_values);
    const made_batch b = BATCH(2, with_nulls, no_validity);
    const made_batch c = BATCH(2, two_rows, short_offsets);
    const made_batch d = BATCH(2, two_rows, short_data);
    const made_batch e = BATCH(2, two_rows, negative);
    const made_batch f = BATCH(2, two_rows, descending);
    check_refused(&made_int64, &a, FRZ_CORRUPT, "column \"id\": a buffer too short for its rows");
    check_refused(&made_int64, &b, FRZ_CORRUPT, "a buffer too short for its rows");
    check_refused(&made_text, &c, FRZ_CORRUPT, "column \"s\": a buffer too short for its rows");
    check_refused(&made_text, &d, FRZ_CORRUPT, "a buffer too short for its rows");
    check_refused(&made_text, &e, FRZ_CORRUPT, "a negative offset");
    check_refused(&made_text, &f, FRZ_INVALID, "offsets descend");
}

static void nodes_and_buffers_fit_the_columns(void **state)
{
    (void)state;
    static const int64_t values[] = {1, 2};
    static const made_node more_nulls[] = {{2, 3}};
    static const made_node negative[] = {{-2, 0}};
    static const made_node huge[] = {{(int64_t)1 << 31, 0}};
    static const made_node shorter[] = {{1, 0}};
    static const made_node two_nodes[] = {{2, 0}, {2, 0}};
    const frz_slice buffers[] = {{0}, BYTES(values)};
    const frz_slice one[] = {{0}};
    const frz_slice three[] = {{0}, BYTES(values), {0}};
    const made_batch a = BATCH(2, more_nulls, buffers);
    const made_batch b = BATCH(2, negative, buffers);
    const made_batch c = BATCH(2, huge, buffers);
    const made_batch d = BATCH(2, shorter, buffers);
    const made_batch e = BATCH(2, two_nodes, buffers);
    const made_batch f = BATCH(2, two_rows, one);
    const made_batch g = BATCH(2, two_rows, three);
    const made_batch h = BATCH(-1, two_rows, buffers);
    const made_batch i = {.length = 2, .buffers = buffers, .buffer_count = 2};
    check_refused(&made_int64, &a, FRZ_CORRUPT, "more nulls than rows");
    check_refused(&made_int64, &b, FRZ_CORRUPT, "a negative length");
    check_refused(&made_int64, &c, FRZ_UNSUPPORTED, "more than 2^31 rows");
    check_refused(&made_int64, &d, FRZ_CORRUPT, "a length that is not that of the batch");
    check_refused(&made_int64, &e, FRZ_CORRUPT,
                  "2 nodes and 2 buffers, of which its columns have 1");
    check_refused(&made_int64, &f, FRZ_CORRUPT, "too few buffers");
    check_refused(&made_int64, &g, FRZ_CORRUPT, "1 nodes and 3 buffers");
    check_refused(&made_int64, &h, FRZ_CORRUPT, "a batch of -1 rows");
    check_refused(&made_int64, &i, FRZ_CORRUPT, "too few nodes");
}

/* Columnar.rst, "Variadic buffers". */
static void views_bring_their_data(void **state)
{
    (void)state;
    static const made_field field = {.name = "v", .type = FRZ_IPC_TYPE_UTF8_VIEW};
    static const struct {
        int32_t size;
        char prefix[4];
        int32_t buffer;
        int32_t offset;
    } views[] = {{3, "abc", 0, 0}, {14, "this", 1, 2}};
    static const made_node nodes[] = {{2, 0}};
    static const int64_t two = 2;
    static const int64_t many = 1000;
    static const int64_t one = 1;
    const frz_slice buffers[] = {
        {0}, BYTES(views), frz_slice_of("unused", 6), frz_slice_of("..this is longer", 16)};
    made_batch batch = BATCH(2, nodes, buffers);
    frz_error *err = NULL;
    struct ArrowArray read = {0};
    batch.variadic = &two;
    batch.variadic_count = 1;
    CHECK_OK(read_batch(&field, &batch, &read, &err), err);
    const int32_t *ends = read.children[0]->buffers[1];
    CHECK(ends[1] == 3 && ends[2] == 17);
    CHECK(memcmp(read.children[0]->buffers[2], "abcthis is longer", 17) == 0);
    frz_arrow_array_clear(&read);
    batch.variadic = &many;
    check_refused(&field, &batch, FRZ_CORRUPT, "more data buffers than the batch has");
    batch.variadic = &one;
    check_refused(&field, &batch, FRZ_CORRUPT, "1 nodes and 4 buffers, of which");
    batch.buffer_count = 3;
    check_refused(&field, &batch, FRZ_INVALID, "a view outside of its data");
    batch.variadic = NULL;
    check_refused(&field, &batch, FRZ_CORRUPT, "does not say how many data buffers");
}

/* A list, a struct, a list view and run ends, each over its child. */
static void nested_columns_are_read_in_pre_order(void **state)
{
    (void)state;
    static const made_field run_children[] = {
        {.name = "run_ends", .type = FRZ_IPC_TYPE_INT, .widths = {4, 1}, .values = {32, 1}},
        {.name = "values", .type = FRZ_IPC_TYPE_INT, .widths = {4, 1}, .values = {32, 1}}};
    static const made_field fields[] = {
        {.name = "l", .type = FRZ_IPC_TYPE_LIST, .children = &made_int32, .child_count = 1},
        {.name = "v", .type = FRZ_IPC_TYPE_LIST_VIEW, .children = &made_int32, .child_count = 1},
        {.name = "r",
         .type = FRZ_IPC_TYPE_RUN_END_ENCODED,
         .children = run_children,
         .child_count = 2},
        {.name = "f",
         .type = FRZ_IPC_TYPE_FIXED_SIZE_LIST,
         .widths = {4},
         .values = {2},
         .children = &made_int32,
         .child_count = 1}};
    static const made_field parent = {
        .name = "st", .type = FRZ_IPC_TYPE_STRUCT, .children = fields, .child_count = 4};
    static const int32_t numbers[] = {10, 20, 30, 40};
    static const int32_t view_offsets[] = {2, 0};
    static const int32_t view_sizes[] = {1, 2};
    static const int32_t ends[] = {2};
    static const uint8_t second[] = {2};
    static const made_node nodes[] = {{2, 1}, {2, 0}, {3, 0}, {2, 0}, {3, 0},
                                      {2, 0}, {1, 0}, {1, 0}, {2, 0}, {4, 0}};
    const frz_slice buffers[] = {BYTES(second),
                                 {0},
                                 BYTES(offsets),
                                 {0},
                                 frz_slice_of(numbers, 12),
                                 {0},
                                 BYTES(view_offsets),
                                 BYTES(view_sizes),
                                 {0},
                                 frz_slice_of(numbers, 12),
                                 {0},
                                 BYTES(ends),
                                 {0},
                                 frz_slice_of(numbers, 4),
                                 {0},
                                 {0},
                                 BYTES(numbers)};
    const made_batch batch = BATCH(2, nodes, buffers);
    frz_error *err = NULL;
    struct ArrowArray read = {0};
    CHECK_OK(read_batch(&parent, &batch, &read, &err), err);
    const struct ArrowArray *rows = read.children[0];
    CHECK(rows->null_count == 1 && frz_arrow_is_null(rows, 0));
    const int32_t *list_ends = rows->children[0]->buffers[1];
    CHECK(list_ends[1] == 1 && list_ends[2] == 3);
    const int32_t *viewed = rows->children[1]->children[0]->buffers[1];
    CHECK(viewed[0] == 30 && viewed[1] == 10 && viewed[2] == 20);
    const int32_t *runs = rows->children[2]->buffers[1];
    CHECK(rows->children[2]->length == 2 && runs[0] == 10 && runs[1] == 10);
    const int32_t *fixed = rows->children[3]->children[0]->buffers[1];
    CHECK(rows->children[3]->children[0]->length == 4 && fixed[3] == 40);
    frz_arrow_array_clear(&read);
}

/* Each of many rows is the whole of one long item: what they unfold to has a limit. */
static void what_overlaps_unfolds_up_to_a_limit(void **state)
{
    (void)state;
    enum { ROWS = 1000, LONG = 5000000 };
    static const made_field texts = {.name = "v", .type = FRZ_IPC_TYPE_UTF8_VIEW};
    static const made_field lists = {
        .name = "w", .type = FRZ_IPC_TYPE_LIST_VIEW, .children = &made_int32, .child_count = 1};
    static const int64_t one = 1;
    static const made_node rows[] = {{ROWS, 0}};
    static const made_node list_rows[] = {{ROWS, 0}, {LONG, 0}};
    static int32_t views[ROWS][4];
    static int32_t starts[ROWS];
    static int32_t sizes[ROWS];
    uint8_t *bytes = calloc(LONG, sizeof(int32_t));
    CHECK(bytes != NULL);
    for (int i = 0; i < ROWS; i++)
        views[i][0] = sizes[i] = LONG;
    const frz_slice buffers[] = {{0}, BYTES(views), frz_slice_of(bytes, LONG)};
    const frz_slice list_buffers[] = {
        {0}, BYTES(starts), BYTES(sizes), {0}, frz_slice_of(bytes, LONG * sizeof(int32_t))};
    made_batch batch = BATCH(ROWS, rows, buffers);
    const made_batch list_batch = BATCH(ROWS, list_rows, list_buffers);
    batch.variadic = &one;
    batch.variadic_count = 1;
    check_refused(&texts, &batch, FRZ_UNSUPPORTED,
                  "column \"v\": views unfold to more than ipc_body_size");
    check_refused(&lists, &list_batch, FRZ_UNSUPPORTED,
                  "column \"w\": views unfold to more than ipc_body_size");
    free(bytes);
}

/* Buffers that do not keep to eight bytes are copied, not read where they are. */
static void what_is_out_of_alignment_is_read(void **state)
{
    (void)state;
    static const int64_t values[] = {INT64_MIN, 8};
    frz_buffer body = {0};
    frz_flat_builder builder = {0};
    frz_error *err = NULL;
    frz_ipc_column child = {.path = "n", .type = {.kind = FRZ_ARROW_INT64}};
    const frz_ipc_column columns = {.path = "", .children = &child, .child_count = 1};
    const made_batch batch = {.length = 2, .nodes = two_rows, .node_count = 1, .buffer_count = 2};
    const int64_t places[] = {0, 0, 3, 16};
    frz_buffer_append(&body, "...", 3);
    frz_buffer_append(&body, values, sizeof values);
    (void)made_batch_table(&builder, &batch, places);
    frz_flat flat = frz_flat_over(frz_buffer_slice(&builder.bytes));
    const frz_flat_table table = frz_flat_root(&flat);
    const frz_ipc_body over = {.bytes = frz_buffer_slice(&body)};
    const frz_ipc_batch_options options = {.limits = &frz_limits_default};
    struct ArrowArray read = {0};
    CHECK_OK(frz_ipc_batch_read(&table, &columns, &over, &options, &read, &err), err);
    CHECK((uintptr_t)read.children[0]->buffers[1] % 8 == 0);
    CHECK(memcmp(read.children[0]->buffers[1], values, sizeof values) == 0);
    frz_arrow_array_clear(&read);
    frz_buffer_clear(&builder.bytes);
    const int64_t outside[] = {0, 0, 8, 16};
    (void)made_batch_table(&builder, &batch, outside);
    flat = frz_flat_over(frz_buffer_slice(&builder.bytes));
    const frz_flat_table far = frz_flat_root(&flat);
    CHECK_FAILS(frz_ipc_batch_read(&far, &columns, &over, &options, &read, &err), FRZ_CORRUPT, err,
                "a buffer outside of the body of its message");
    frz_buffer_clear(&builder.bytes);
    frz_buffer_clear(&body);
}

/* Only unions and run ends differ from V5, and unions are refused. */
static void run_ends_of_v4_have_a_validity(void **state)
{
    (void)state;
    static const int32_t ends[] = {2};
    static const int64_t value = 5;
    static const made_node nodes[] = {{2, 0}, {1, 0}, {1, 0}};
    frz_ipc_column children[] = {{.path = "r.ends", .type = {.kind = FRZ_ARROW_INT32}},
                                 {.path = "r.values", .type = {.kind = FRZ_ARROW_INT64}}};
    frz_ipc_column runs = {
        .path = "r", .type = {.kind = FRZ_ARROW_RUN_END}, .children = children, .child_count = 2};
    const frz_ipc_column columns = {.path = "", .children = &runs, .child_count = 1};
    const made_batch batch = {.length = 2, .nodes = nodes, .node_count = 3, .buffer_count = 5};
    const int64_t places[] = {0, 0, 0, 0, 0, 4, 8, 0, 8, 8};
    frz_buffer body = {0};
    frz_flat_builder builder = {0};
    frz_error *err = NULL;
    struct ArrowArray read = {0};
    frz_buffer_append(&body, ends, sizeof ends);
    frz_buffer_append_u32le(&body, 0);
    frz_buffer_append(&body, &value, sizeof value);
    (void)made_batch_table(&builder, &batch, places);
    frz_flat flat = frz_flat_over(frz_buffer_slice(&builder.bytes));
    const frz_flat_table table = frz_flat_root(&flat);
    const frz_ipc_body over = {.bytes = frz_buffer_slice(&body)};
    frz_ipc_batch_options options = {.limits = &frz_limits_default};
    CHECK_FAILS(frz_ipc_batch_read(&table, &columns, &over, &options, &read, &err), FRZ_CORRUPT,
                err, "column \"r.ends\": a buffer too short");
    options.is_v4 = true;
    CHECK_OK(frz_ipc_batch_read(&table, &columns, &over, &options, &read, &err), err);
    CHECK(*(const int64_t *)read.children[0]->children[1]->buffers[1] == value);
    frz_arrow_array_clear(&read);
    frz_buffer_clear(&builder.bytes);
    frz_buffer_clear(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressed_buffers_are_read),
        cmocka_unit_test(a_wrong_size_of_what_is_compressed_is_told),
        cmocka_unit_test(buffers_have_what_their_rows_need),
        cmocka_unit_test(nodes_and_buffers_fit_the_columns),
        cmocka_unit_test(views_bring_their_data),
        cmocka_unit_test(nested_columns_are_read_in_pre_order),
        cmocka_unit_test(what_overlaps_unfolds_up_to_a_limit),
        cmocka_unit_test(what_is_out_of_alignment_is_read),
        cmocka_unit_test(run_ends_of_v4_have_a_validity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
