/*
 * Prints the members of a bitmap as runs, a line "first-last" for each, for the comparison with
 * golden answers: `dump FILE portable|portable32|vector [OFFSET SIZE]`. With `again`, a vector is
 * decoded and the bytes are printed that we encode it to; with `puffin`, the footer as JSON, each
 * blob with its bytes in hexadecimal digits.
 *
 * `portable` is the 64-bit form, `portable32` one 32-bit bitmap, read as the only one of a 64-bit
 * form with key 0; `vector` is the blob deletion-vector-v1. Exits 7 when the bytes are refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/limits.h"
#include "frazil/io.h"
#include "io/file.h"
#include "json/writer.h"
#include "puffin/deletion_vector.h"
#include "puffin/file.h"

enum { REFUSED = 7, LIST_MAX = 4096 };

static bool read_bytes(const char *path, frz_buffer *out)
{
    uint8_t bytes[65536];
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        frz_buffer_append(out, bytes, size);
    const bool good = !ferror(file) && !out->failed;
    return fclose(file) == 0 && good;
}

static void print_runs(const frz_bitmap *bitmap)
{
    int64_t members[LIST_MAX];
    int64_t from = 0;
    int64_t first = -1;
    int64_t last = -1;
    size_t count = 0;
    while ((count = frz_bitmap_list(bitmap, from, members, LIST_MAX)) > 0) {
        for (size_t i = 0; i < count; i++) {
            if (first >= 0 && members[i] != last + 1) {
                printf("%" PRId64 "-%" PRId64 "\n", first, last);
                first = members[i];
            }
            if (first < 0)
                first = members[i];
            last = members[i];
        }
        from = last + 1;
    }
    if (first >= 0)
        printf("%" PRId64 "-%" PRId64 "\n", first, last);
}

static frz_status decode(const char *form, frz_slice bytes, frz_bitmap **out, frz_error **err)
{
    if (strcmp(form, "vector") == 0 || strcmp(form, "again") == 0)
        return frz_deletion_vector_decode(bytes, -1, out, err);
    if (strcmp(form, "portable") == 0)
        return frz_bitmap_decode(bytes, out, err);
    frz_buffer whole = {0};
    frz_buffer_append_u64le(&whole, 1); /* one bitmap */
    frz_buffer_append(&whole, (const uint8_t[4]){0}, 4);
    frz_buffer_append(&whole, bytes.data, bytes.size);
    const frz_status status = frz_bitmap_decode(frz_buffer_slice(&whole), out, err);
    frz_buffer_clear(&whole);
    return status;
}

static void write_properties(frz_json_writer *json, const frz_puffin_property *items, size_t count)
{
    frz_json_key(json, "properties");
    frz_json_open_object(json);
    for (size_t i = 0; i < count; i++) {
        frz_json_key(json, items[i].key);
        frz_json_string(json, items[i].value);
    }
    frz_json_close_object(json);
}

static void write_content(frz_json_writer *json, frz_slice bytes)
{
    frz_buffer hex = {0};
    for (size_t i = 0; i < bytes.size; i++)
        frz_buffer_printf(&hex, "%02x", bytes.data[i]);
    frz_json_key(json, "uncompressed_hex");
    frz_json_string_slice(json, frz_buffer_slice(&hex));
    frz_buffer_clear(&hex);
}

static frz_status write_blob(frz_json_writer *json, frz_input *input, const frz_puffin_blob *blob,
                             frz_error **err)
{
    frz_buffer bytes = {0};
    frz_json_open_object(json);
    frz_json_key(json, "type");
    frz_json_string(json, blob->type);
    frz_json_key(json, "fields");
    frz_json_open_array(json);
    for (size_t i = 0; i < blob->field_count; i++)
        frz_json_i64(json, blob->fields[i]);
    frz_json_close_array(json);
    frz_json_key(json, "snapshot-id");
    frz_json_i64(json, blob->snapshot_id);
    frz_json_key(json, "sequence-number");
    frz_json_i64(json, blob->sequence_number);
    frz_json_key(json, "offset");
    frz_json_i64(json, blob->offset);
    frz_json_key(json, "length");
    frz_json_i64(json, blob->length);
    write_properties(json, blob->properties, blob->property_count);
    const frz_status status = frz_puffin_blob_read(input, blob, 1 << 30, &bytes, err);
    if (status == FRZ_OK)
        write_content(json, frz_buffer_slice(&bytes));
    frz_json_close_object(json);
    frz_buffer_clear(&bytes);
    return status;
}

static frz_status dump_blobs(frz_input *input, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arena arena = {0};
    frz_puffin_footer footer = {0};
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 0);
    FRZ_TRY_DONE(frz_puffin_footer_read(input, &frz_limits_default, &arena, &footer, err));
    frz_json_open_object(&json);
    write_properties(&json, footer.properties, footer.property_count);
    frz_json_key(&json, "blobs");
    frz_json_open_array(&json);
    for (size_t i = 0; i < footer.blob_count; i++)
        FRZ_TRY_DONE(write_blob(&json, input, &footer.blobs[i], err));
    frz_json_close_array(&json);
    frz_json_close_object(&json);
    (void)fwrite(out.data, 1, out.size, stdout);
done:
    frz_buffer_clear(&out);
    frz_arena_clear(&arena);
    return status;
}

static frz_status dump_puffin(const char *path, frz_error **err)
{
    frz_io *io = NULL;
    frz_input *input = NULL;
    frz_status status = frz_io_local_new(&io, err);
    if (status == FRZ_OK)
        status = frz_io_open(io, path, FRZ_IO_SIZE_UNKNOWN, &input, err);
    if (status == FRZ_OK)
        status = dump_blobs(input, err);
    frz_input_close(input);
    frz_io_free(io);
    return status;
}

static frz_status dump_set(const char *form, frz_slice bytes, frz_error **err)
{
    frz_bitmap *bitmap = NULL;
    frz_buffer again = {0};
    frz_status status = decode(form, bytes, &bitmap, err);
    if (status == FRZ_OK && strcmp(form, "again") == 0)
        status = frz_deletion_vector_encode(bitmap, &again, err);
    else if (status == FRZ_OK)
        print_runs(bitmap);
    if (again.size)
        (void)fwrite(again.data, 1, again.size, stdout);
    frz_buffer_clear(&again);
    frz_bitmap_free(bitmap);
    return status;
}

int main(int argc, char **argv)
{
    frz_buffer bytes = {0};
    frz_error *err = NULL;
    if (argc < 3 || !read_bytes(argv[1], &bytes)) {
        (void)fprintf(stderr,
                      "usage: dump FILE portable|portable32|vector|again|puffin [OFFSET SIZE]\n");
        return EXIT_FAILURE;
    }
    frz_slice slice = frz_buffer_slice(&bytes);
    if (argc > 4) {
        const size_t offset = strtoul(argv[3], NULL, 10);
        slice.size = strtoul(argv[4], NULL, 10);
        if (offset > bytes.size || slice.size > bytes.size - offset)
            return EXIT_FAILURE;
        slice.data += offset;
    }
    const bool puffin = strcmp(argv[2], "puffin") == 0;
    const frz_status status = puffin ? dump_puffin(argv[1], &err) : dump_set(argv[2], slice, &err);
    if (status != FRZ_OK)
        (void)fprintf(stderr, "%s\n", frz_error_message(err));
    frz_error_free(err);
    frz_buffer_clear(&bytes);
    return status == FRZ_OK ? EXIT_SUCCESS : REFUSED;
}
