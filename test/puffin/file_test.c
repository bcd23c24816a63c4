#include "puffin/file.h"

#include "base/codec.h"
#include "frazil/io.h"
#include "harness.h"
#include "io/file.h"

static frz_io *io;
static frz_arena arena;

static int set_up(void **state)
{
    (void)state;
    return frz_io_memory_new(&io, NULL) == FRZ_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    frz_io_free(io);
    frz_arena_clear(&arena);
    return 0;
}

static frz_status read_footer(frz_slice file, frz_puffin_footer *out, frz_input **input_out,
                              frz_error **err)
{
    static int number;
    char name[32];
    (void)snprintf(name, sizeof name, "mem/%d.puffin", number++);
    CHECK_OK(frz_io_write_file(io, name, file, err), *err);
    CHECK_OK(frz_io_open(io, name, FRZ_IO_SIZE_UNKNOWN, input_out, err), *err);
    return frz_puffin_footer_read(*input_out, NULL, &arena, out, err);
}

/* A file with this footer, and `room` bytes of blobs. */
static frz_buffer make_file(const char *footer, size_t room, bool compress)
{
    frz_error *err = NULL;
    frz_buffer file = {0};
    frz_buffer payload = {0};
    if (compress)
        CHECK_OK(frz_codec_compress(NULL, FRZ_CODEC_LZ4_FRAME, FRZ_CODEC_LEVEL_DEFAULT,
                                    frz_slice_of_text(footer), &payload, &err),
                 err);
    else
        frz_buffer_append_text(&payload, footer);
    frz_buffer_append_text(&file, "PFA1");
    frz_buffer_append_fill(&file, 'x', room);
    frz_buffer_append_text(&file, "PFA1");
    frz_buffer_append(&file, payload.data, payload.size);
    frz_buffer_append_u32le(&file, (uint32_t)payload.size);
    frz_buffer_append_u32le(&file, compress);
    frz_buffer_append_text(&file, "PFA1");
    frz_buffer_clear(&payload);
    return file;
}

static void fails(frz_buffer *file, frz_status want, const char *message)
{
    frz_error *err = NULL;
    frz_input *input = NULL;
    frz_puffin_footer footer = {0};
    CHECK_FAILS(read_footer(frz_buffer_slice(file), &footer, &input, &err), want, err, message);
    CHECK(footer.blobs == NULL);
    frz_input_close(input);
    frz_buffer_clear(file);
}

static const char one_blob[] = "{\"blobs\":[{\"type\":\"t\",\"fields\":[3,1],\"snapshot-id\":2,"
                               "\"sequence-number\":1,\"offset\":4,"
                               "\"length\":9,\"properties\":{\"k\":\"v\"}}],\"properties\":{"
                               "\"created-by\":\"x\",\"y\":\"z\"}}";

static void test_a_footer_is_read_plain_and_compressed(void **state)
{
    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        frz_error *err = NULL;
        frz_input *input = NULL;
        frz_puffin_footer footer = {0};
        frz_buffer blob = {0};
        frz_buffer file = make_file(one_blob, 9, compressed);
        CHECK_OK(read_footer(frz_buffer_slice(&file), &footer, &input, &err), err);
        CHECK(footer.blob_count == 1 && footer.property_count == 2);
        CHECK(strcmp(footer.properties[1].value, "z") == 0);
        const frz_puffin_blob *b = &footer.blobs[0];
        CHECK(strcmp(b->type, "t") == 0 && b->field_count == 2 && b->fields[0] == 3);
        CHECK(b->snapshot_id == 2 && b->sequence_number == 1 && b->offset == 4 && b->length == 9);
        CHECK(b->compression_codec == NULL && b->property_count == 1);
        CHECK(strcmp(b->properties[0].key, "k") == 0 && strcmp(b->properties[0].value, "v") == 0);
        CHECK_OK(frz_puffin_blob_read(input, b, 100, &blob, &err), err);
        CHECK(blob.size == 9 && memcmp(blob.data, "xxxxxxxxx", 9) == 0);
        CHECK_FAILS(frz_puffin_blob_read(input, b, 8, &blob, &err), FRZ_UNSUPPORTED, err,
                    "blob of 9 bytes, at most 8");
        frz_buffer_clear(&blob);
        frz_input_close(input);
        frz_buffer_clear(&file);
    }
}

static void test_each_fault_is_named(void **state)
{
    (void)state;
    frz_buffer file = {0};
    frz_buffer_append_text(&file, "PFA1PFA1");
    fails(&file, FRZ_CORRUPT, "8 bytes, at least 20");
    file = make_file(one_blob, 9, false);
    file.data[1] = 'x';
    fails(&file, FRZ_CORRUPT, "50784131 where the magic PFA1 is expected");
    file = make_file(one_blob, 9, false);
    file.data[file.size - 1] = '2';
    fails(&file, FRZ_CORRUPT, "50464132 where the magic PFA1 is expected");
    file = make_file(one_blob, 9, false);
    file.data[13] = 'Q';
    fails(&file, FRZ_CORRUPT, "51464131 where");
    file = make_file(one_blob, 9, false);
    file.data[file.size - 8] = 2;
    fails(&file, FRZ_UNSUPPORTED, "footer flags 00000002");
    file = make_file(one_blob, 9, false);
    file.data[file.size - 9] = 0x80;
    fails(&file, FRZ_CORRUPT, "footer of -");
    file = make_file(one_blob, 9, false);
    file.data[file.size - 10] = 1;
    fails(&file, FRZ_CORRUPT, "bytes in a file of");
    file = make_file(one_blob, 8, false);
    fails(&file, FRZ_CORRUPT, "blob 0 of 9 bytes at 4, blobs lie between 4 and 12");
    file = make_file("{\"properties\":{}}", 0, false);
    fails(&file, FRZ_CORRUPT, "the footer has no \"blobs\"");
    file = make_file(
        "{\"blobs\":[{\"type\":\"t\",\"fields\":[],\"snapshot-id\":2,\"offset\":4,\"length\":0}]}",
        0, false);
    fails(&file, FRZ_CORRUPT, "blob 0 has no \"sequence-number\"");
    file = make_file("{\"blobs\":[]} x", 0, false);
    fails(&file, FRZ_CORRUPT, "Puffin footer, from byte 8");
    file = make_file(one_blob, 9, true);
    file.data[30] ^= 0xff;
    fails(&file, FRZ_CORRUPT, "Puffin: footer at byte 17");
}

static void test_compressed_blobs_are_read_and_unknown_codecs_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        frz_codec codec;
    } codecs[] = {{"lz4", FRZ_CODEC_LZ4_FRAME}, {"zstd", FRZ_CODEC_ZSTD}, {"gzip", FRZ_CODEC_GZIP}};
    static const char text[] = "some text some text some text some text";
    for (size_t i = 0; i < 3; i++) {
        frz_error *err = NULL;
        frz_input *input = NULL;
        frz_output *output = NULL;
        frz_puffin_writer *writer = NULL;
        frz_puffin_footer footer = {0};
        frz_buffer packed = {0};
        frz_buffer blob = {0};
        int64_t offset = 0;
        uint64_t size = 0;
        char name[32];
        const frz_puffin_blob meta = {.type = "t", .compression_codec = codecs[i].name};
        (void)snprintf(name, sizeof name, "mem/%s", codecs[i].name);
        CHECK_OK(frz_codec_compress(NULL, codecs[i].codec, FRZ_CODEC_LEVEL_DEFAULT,
                                    frz_slice_of(text, sizeof text), &packed, &err),
                 err);
        CHECK_OK(frz_io_create(io, name, &output, &err), err);
        CHECK_OK(frz_puffin_writer_open(output, &writer, &err), err);
        CHECK_OK(frz_puffin_writer_add(writer, &meta, frz_buffer_slice(&packed), &offset, &err),
                 err);
        CHECK_OK(frz_puffin_writer_finish(writer, &size, &err), err);
        frz_puffin_writer_free(writer);
        CHECK_OK(frz_output_commit(output, &err), err);
        CHECK_OK(frz_io_open(io, name, FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
        CHECK_OK(frz_puffin_footer_read(input, NULL, &arena, &footer, &err), err);
        if (i < 2) {
            CHECK_OK(frz_puffin_blob_read(input, &footer.blobs[0], 100, &blob, &err), err);
            CHECK(blob.size == sizeof text && memcmp(blob.data, text, sizeof text) == 0);
            CHECK(frz_puffin_blob_read(input, &footer.blobs[0], 20, &blob, NULL) != FRZ_OK);
            CHECK(blob.size == sizeof text);
        } else {
            CHECK_FAILS(frz_puffin_blob_read(input, &footer.blobs[0], 100, &blob, &err),
                        FRZ_UNSUPPORTED, err, "blob compressed with \"gzip\"");
        }
        frz_input_close(input);
        frz_buffer_clear(&packed);
        frz_buffer_clear(&blob);
    }
}

static void test_what_is_written_is_read(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_output *output = NULL;
    frz_input *input = NULL;
    frz_puffin_writer *writer = NULL;
    frz_puffin_footer footer = {0};
    int64_t offsets[3];
    uint64_t size = 0;
    const int32_t fields[] = {2147483645};
    const frz_puffin_property properties[] = {{"referenced-data-file", "s3://b/\"quoted\".parquet"},
                                              {"cardinality", "5"}};
    const frz_puffin_blob dv = {.type = "deletion-vector-v1",
                                .fields = fields,
                                .field_count = 1,
                                .snapshot_id = -1,
                                .sequence_number = -1,
                                .properties = properties,
                                .property_count = 2};
    CHECK_OK(frz_io_create(io, "mem/out", &output, &err), err);
    CHECK_OK(frz_puffin_writer_open(output, &writer, &err), err);
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(
            frz_puffin_writer_add(writer, &dv, frz_slice_of("abcdef", i * 3), &offsets[i], &err),
            err);
    CHECK_OK(frz_puffin_writer_finish(writer, &size, &err), err);
    CHECK_FAILS(frz_puffin_writer_add(writer, &dv, frz_slice_of("a", 1), &offsets[0], &err),
                FRZ_INVALID, err, "used after its end");
    CHECK_FAILS(frz_puffin_writer_finish(writer, &size, &err), FRZ_INVALID, err,
                "used after its end");
    frz_puffin_writer_free(writer);
    CHECK_OK(frz_output_commit(output, &err), err);
    CHECK_OK(frz_io_open(io, "mem/out", FRZ_IO_SIZE_UNKNOWN, &input, &err), err);
    CHECK(frz_input_size(input) == size);
    CHECK_OK(frz_puffin_footer_read(input, NULL, &arena, &footer, &err), err);
    CHECK(footer.blob_count == 3 && offsets[0] == 4 && offsets[1] == 4 && offsets[2] == 7);
    CHECK(footer.blobs[2].offset == 7 && footer.blobs[2].length == 6);
    CHECK(footer.blobs[2].snapshot_id == -1 && footer.blobs[2].fields[0] == 2147483645);
    CHECK(strcmp(footer.blobs[1].properties[0].value, properties[0].value) == 0);
    CHECK(footer.property_count == 1 && strcmp(footer.properties[0].key, "created-by") == 0);
    CHECK(strncmp(footer.properties[0].value, "frazil ", 7) == 0);
    frz_input_close(input);
}

static frz_input *swept;

static void read_swept(void)
{
    frz_error *err = NULL;
    frz_arena own = {0};
    frz_puffin_footer footer = {0};
    const frz_status status = frz_puffin_footer_read(swept, NULL, &own, &footer, &err);
    CHECK(status == FRZ_OK ? footer.blob_count == 1 : status == FRZ_NO_MEMORY && frz_mem_failed());
    frz_error_free(err);
    frz_arena_clear(&own);
}

static void test_short_memory_cuts_and_flips_are_clean(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_puffin_footer footer = {0};
    frz_buffer file = make_file(one_blob, 9, true);
    CHECK_OK(read_footer(frz_buffer_slice(&file), &footer, &swept, &err), err);
    sweep_allocation_failures(read_swept);
    frz_input_close(swept);
    for (size_t size = 0; size < file.size; size++) {
        frz_input *input = NULL;
        CHECK(read_footer(frz_slice_of(file.data, size), &footer, &input, &err) == FRZ_CORRUPT);
        frz_error_free(err);
        err = NULL;
        frz_input_close(input);
    }
    frz_buffer_clear(&file);
    file = make_file(one_blob, 9, false);
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        frz_input *input = NULL;
        file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        const frz_status status = read_footer(frz_buffer_slice(&file), &footer, &input, &err);
        CHECK(status == FRZ_OK || status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED);
        file.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        frz_error_free(err);
        err = NULL;
        frz_input_close(input);
    }
    frz_buffer_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_footer_is_read_plain_and_compressed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_each_fault_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_compressed_blobs_are_read_and_unknown_codecs_refused,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_written_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_short_memory_cuts_and_flips_are_clean, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
