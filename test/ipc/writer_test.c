/* Covers: ipc/write_batch ipc/write_schema */
#include "ipc/writer.h"

#include "arrow_equal.h"
#include "base/fail.h"
#include "ipc/reader.h"
#include "made_stream.h"

/* Every plain type, nested ones too. */
static const char every_type[] =
    "+s![b i l f g u z w:5 d:20,3 tdD ttu tsu: tsu:UTC tsn: tsn:UTC +s[i u] +l[u] +m[+s![u! l]] "
    "+l[+s[b +l[i]]]]";

static frz_status collect_bytes(void *context, const void *bytes, size_t size, frz_error **err)
{
    frz_buffer *out = context;
    frz_buffer_append(out, bytes, size);
    return frz_buffer_check(out, err);
}

static frz_status write_all(const struct ArrowSchema *schema, const struct ArrowArray *batches,
                            size_t count, bool is_file, frz_buffer *out, frz_error **err)
{
    frz_ipc_writer *writer = NULL;
    frz_status status = frz_ipc_writer_open(schema, is_file, collect_bytes, out, &writer, err);
    for (size_t i = 0; status == FRZ_OK && i < count; i++)
        status = frz_ipc_writer_write(writer, &batches[i], err);
    if (status == FRZ_OK)
        status = frz_ipc_writer_finish(writer, err);
    frz_ipc_writer_free(writer);
    return status;
}

static void check_schema(const struct ArrowSchema *got, const struct ArrowSchema *want)
{
    CHECK(strcmp(got->format, want->format) == 0);
    CHECK(strcmp(frz_arrow_schema_name(got), frz_arrow_schema_name(want)) == 0);
    CHECK(got->flags == want->flags);
    CHECK(frz_arrow_schema_field_id(got) == frz_arrow_schema_field_id(want));
    CHECK(got->n_children == want->n_children);
    for (int64_t i = 0; i < got->n_children; i++)
        check_schema(got->children[i], want->children[i]);
}

/* The batches of `bytes` are those of `want`; the reader is our own, which reads what others write
 * (ipc/reader). */
static void check_read(const frz_buffer *bytes, const struct ArrowSchema *schema,
                       const struct ArrowArray *want, size_t count)
{
    made_input made = {0};
    frz_error *err = NULL;
    frz_ipc_reader *reader = NULL;
    struct ArrowSchema got = {0};
    CHECK_OK(made_open(bytes->data, bytes->size, &made, &err), err);
    CHECK_OK(frz_ipc_reader_open(made.input, NULL, &reader, &err), err);
    CHECK_OK(frz_ipc_reader_schema(reader, &got, &err), err);
    CHECK(got.n_children == schema->n_children);
    for (int64_t i = 0; i < got.n_children; i++)
        check_schema(got.children[i], schema->children[i]);
    for (size_t i = 0; i < count; i++) {
        struct ArrowArray batch = {0};
        CHECK_OK(frz_ipc_reader_next(reader, &batch, &err), err);
        CHECK(batch.length == want[i].length);
        for (int64_t row = 0; row < batch.length; row++)
            CHECK(rows_equal(schema, &batch, row, &want[i], row));
        frz_arrow_array_clear(&batch);
    }
    struct ArrowArray none = {0};
    CHECK(frz_ipc_reader_next(reader, &none, &err) == FRZ_END);
    frz_arrow_schema_clear(&got);
    frz_ipc_reader_close(reader);
    made_close(&made);
}

/* Batches of no, one, and many rows, and a slice whose offset is no multiple of eight. */
static void every_plain_type_comes_back(void **state)
{
    (void)state;
    struct ArrowSchema schema = parse_schema(every_type);
    frz_error *err = NULL;
    for (uint64_t seed = 1; seed < 6; seed++) {
        struct ArrowArray batches[] = {random_array(&schema, 0, seed),
                                       random_array(&schema, 1, seed * 11),
                                       random_array(&schema, 1000, seed * 13),
                                       {0}};
        CHECK_OK(frz_arrow_array_slice(&batches[2], 3, 90, &batches[3], &err), err);
        for (int is_file = 0; is_file < 2; is_file++) {
            frz_buffer bytes = {0};
            CHECK_OK(write_all(&schema, batches, 4, is_file, &bytes, &err), err);
            CHECK(is_file || bytes.size % 8 == 0);
            check_read(&bytes, &schema, batches, 4);
            frz_buffer_clear(&bytes);
        }
        for (size_t i = 0; i < 4; i++)
            frz_arrow_array_clear(&batches[i]);
    }
    frz_arrow_schema_clear(&schema);
}

/* Bodies and their buffers stand at multiples of eight, also in the file. */
static void bodies_are_aligned(void **state)
{
    (void)state;
    struct ArrowSchema schema = parse_schema("+s![i u]");
    struct ArrowArray batch = random_array(&schema, 13, 5);
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    CHECK_OK(write_all(&schema, &batch, 1, true, &bytes, &err), err);
    CHECK(memcmp(bytes.data, "ARROW1\0\0\xff\xff\xff\xff", 12) == 0);
    CHECK(memcmp(bytes.data + bytes.size - 6, "ARROW1", 6) == 0);
    uint32_t size = 0;
    memcpy(&size, bytes.data + 12, sizeof size);
    const size_t second = 16 + size;
    CHECK(size % 8 == 0 && memcmp(bytes.data + second, "\xff\xff\xff\xff", 4) == 0);
    memcpy(&size, bytes.data + second + 4, sizeof size);
    CHECK(size % 8 == 0);
    frz_buffer_clear(&bytes);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
}

/* What is no plain type is written as one. */
static void other_types_are_made_plain(void **state)
{
    (void)state;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    struct ArrowSchema plain = parse_schema("+s![i]");
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    frz_buffer buffers[2] = {0};
    frz_buffer_append(&buffers[1], "\1\2\xff", 3);
    CHECK_OK(frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 1, &err), err);
    CHECK_OK(frz_arrow_schema_init(schema.children[0], "c", plain.children[0]->name, true,
                                   frz_arrow_schema_field_id(plain.children[0]), 0, &err),
             err);
    CHECK_OK(frz_arrow_array_init(&batch, 3, 0, &(frz_buffer){0}, 1, 1, &err), err);
    CHECK_OK(frz_arrow_array_init(batch.children[0], 3, 0, buffers, 2, 0, &err), err);
    CHECK_OK(write_all(&schema, &batch, 1, false, &bytes, &err), err);
    made_input made = {0};
    frz_ipc_reader *reader = NULL;
    struct ArrowArray read = {0};
    CHECK_OK(made_open(bytes.data, bytes.size, &made, &err), err);
    CHECK_OK(frz_ipc_reader_open(made.input, NULL, &reader, &err), err);
    CHECK_OK(frz_ipc_reader_next(reader, &read, &err), err);
    const int32_t *numbers = read.children[0]->buffers[1];
    CHECK(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == -1);
    frz_arrow_array_clear(&read);
    frz_ipc_reader_close(reader);
    made_close(&made);
    frz_buffer_clear(&bytes);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
    frz_arrow_schema_clear(&plain);
}

static void metadata_is_kept(void **state)
{
    (void)state;
    static const char *const keys[] = {"ARROW:extension:name", "k", ""};
    const frz_slice values[] = {frz_slice_of_text("arrow.uuid"), frz_slice_of("a\0b", 3),
                                frz_slice_of_text("")};
    struct ArrowSchema schema = parse_schema("+s![w:16]");
    struct ArrowSchema got = {0};
    frz_buffer bytes = {0};
    made_input made = {0};
    frz_ipc_reader *reader = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_arrow_schema_set_metadata(schema.children[0], keys, values, 3, &err), err);
    CHECK_OK(frz_arrow_schema_set_metadata(&schema, keys + 1, values + 1, 1, &err), err);
    CHECK_OK(write_all(&schema, NULL, 0, false, &bytes, &err), err);
    CHECK_OK(made_open(bytes.data, bytes.size, &made, &err), err);
    CHECK_OK(frz_ipc_reader_open(made.input, NULL, &reader, &err), err);
    CHECK_OK(frz_ipc_reader_schema(reader, &got, &err), err);
    CHECK(frz_arrow_schema_metadata_count(&got) == 1);
    CHECK(frz_arrow_schema_metadata_count(got.children[0]) == 3);
    for (size_t i = 0; i < 2; i++)
        CHECK(frz_slice_equal(frz_arrow_schema_metadata(got.children[0], keys[i]), values[i]));
    frz_arrow_schema_clear(&got);
    frz_ipc_reader_close(reader);
    made_close(&made);
    frz_buffer_clear(&bytes);
    frz_arrow_schema_clear(&schema);
}

/* Cut off in a prefix: no reader takes the batches before it for the whole. */
static void a_broken_stream_is_told_from_a_whole_one(void **state)
{
    (void)state;
    struct ArrowSchema schema = parse_schema("+s![i]");
    struct ArrowArray batch = random_array(&schema, 4, 2);
    struct ArrowArray read = {0};
    frz_buffer bytes = {0};
    frz_ipc_writer *writer = NULL;
    frz_ipc_reader *reader = NULL;
    made_input made = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_ipc_writer_open(&schema, false, collect_bytes, &bytes, &writer, &err), err);
    CHECK_OK(frz_ipc_writer_write(writer, &batch, &err), err);
    frz_ipc_writer_break(writer);
    frz_ipc_writer_free(writer);
    CHECK_OK(made_open(bytes.data, bytes.size, &made, &err), err);
    CHECK_OK(frz_ipc_reader_open(made.input, NULL, &reader, &err), err);
    CHECK_OK(frz_ipc_reader_next(reader, &read, &err), err);
    frz_arrow_array_clear(&read);
    CHECK_FAILS(frz_ipc_reader_next(reader, &read, &err), FRZ_CORRUPT, err, "within the prefix");
    frz_ipc_reader_close(reader);
    made_close(&made);
    frz_buffer_clear(&bytes);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
}

typedef struct full_disk {
    size_t room;
} full_disk;

static frz_status fill_disk(void *context, const void *bytes, size_t size, frz_error **err)
{
    full_disk *disk = context;
    (void)bytes;
    if (size > disk->room)
        return frz_fail(err, FRZ_IO, FRZ_NO_OFFSET, "the disk is full");
    disk->room -= size;
    return FRZ_OK;
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    struct ArrowSchema schema = parse_schema("+s![l u]");
    struct ArrowArray batch = random_array(&schema, 20000, 2);
    int failures = 0;
    for (size_t room = 0;; room += 40000, failures++) {
        full_disk disk = {room};
        frz_ipc_writer *writer = NULL;
        frz_error *err = NULL;
        frz_status status = frz_ipc_writer_open(&schema, true, fill_disk, &disk, &writer, &err);
        if (status == FRZ_OK)
            status = frz_ipc_writer_write(writer, &batch, &err);
        if (status == FRZ_OK)
            status = frz_ipc_writer_finish(writer, &err);
        frz_ipc_writer_free(writer);
        if (status == FRZ_OK)
            break;
        CHECK_FAILS(status, FRZ_IO, err, "the disk is full");
    }
    CHECK(failures > 3);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
}

static struct ArrowSchema swept_schema;
static struct ArrowArray swept_batch;

static void write_under_shortage(void)
{
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    const frz_status status = write_all(&swept_schema, &swept_batch, 1, true, &bytes, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_buffer_clear(&bytes);
}

static void shortage_of_memory_is_told(void **state)
{
    (void)state;
    swept_schema = parse_schema(every_type);
    swept_batch = random_array(&swept_schema, 9, 3);
    sweep_allocation_failures(write_under_shortage);
    frz_arrow_array_clear(&swept_batch);
    frz_arrow_schema_clear(&swept_schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plain_type_comes_back),
        cmocka_unit_test(bodies_are_aligned),
        cmocka_unit_test(other_types_are_made_plain),
        cmocka_unit_test(metadata_is_kept),
        cmocka_unit_test(a_broken_stream_is_told_from_a_whole_one),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(shortage_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
