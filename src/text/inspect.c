/*
 * The structure of any file that a table is made of (frazil/text.h): one JSON object, or the same
 * as an outline.
 */
#include "text/inspect.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "frazil/text.h"
#include "io/file.h"
#include "text/outline.h"

frz_status frz_file_kind_of(frz_input *input, const char *location, frz_file_kind *out,
                            frz_error **err)
{
    uint8_t start[4] = {0};
    const uint64_t size = frz_input_size(input);
    FRZ_TRY(
        frz_input_read_at(input, 0, start, size < sizeof start ? (size_t)size : sizeof start, err));
    size_t blank = 0;
    while (blank < sizeof start && start[blank] && strchr(" \t\r\n", start[blank]))
        blank++;
    if (memcmp(start, "PAR1", 4) == 0 || memcmp(start, "PARE", 4) == 0)
        *out = FRZ_FILE_PARQUET;
    else if (memcmp(start, "Obj\x01", 4) == 0)
        *out = FRZ_FILE_AVRO;
    else if (memcmp(start, "PFA1", 4) == 0)
        *out = FRZ_FILE_PUFFIN;
    else if (blank == sizeof start || start[blank] == '{' || memcmp(start, "\x1f\x8b", 2) == 0 ||
             memcmp(start, "\x28\xb5\x2f\xfd", 4) == 0)
        *out = FRZ_FILE_METADATA;
    else
        return frz_fail(err, FRZ_CORRUPT, 0,
                        "%s: expected a metadata.json, Avro, Parquet or Puffin file, got one that "
                        "starts with bytes %02x %02x %02x %02x",
                        location, start[0], start[1], start[2], start[3]);
    return FRZ_OK;
}

void frz_inspect_text(frz_json_writer *json, const char *key, const char *text)
{
    frz_json_key(json, key);
    if (text)
        frz_json_string(json, text);
    else
        frz_json_null(json);
}

void frz_inspect_number(frz_json_writer *json, const char *key, int64_t value)
{
    frz_json_key(json, key);
    frz_json_i64(json, value);
}

void frz_inspect_known(frz_json_writer *json, const char *key, int64_t value)
{
    if (value >= 0)
        frz_inspect_number(json, key, value);
}

void frz_inspect_entry(const frz_inspection *of, const char *key, frz_slice text)
{
    enum { SHOWN = 120 };
    frz_json_key(of->json, key);
    if (!of->brief || text.size <= SHOWN) {
        frz_json_string_slice(of->json, text);
        return;
    }
    const size_t size = frz_utf8_start(text.data, SHOWN);
    frz_buffer cut = {0};
    frz_buffer_append(&cut, text.data, size);
    frz_buffer_printf(&cut, "... (%zu bytes)", text.size);
    frz_json_string_slice(of->json, frz_buffer_slice(&cut));
    of->json->out->failed = of->json->out->failed || cut.failed;
    frz_buffer_clear(&cut);
}

void frz_inspect_buffer(frz_json_writer *json, const char *key, frz_buffer *text)
{
    frz_json_key(json, key);
    frz_json_string_slice(json, frz_buffer_slice(text));
    json->out->failed = json->out->failed || text->failed;
    frz_buffer_clear(text);
}

static frz_status write_members(const frz_inspection *of, frz_file_kind kind, frz_error **err)
{
    static const char *const names[] = {[FRZ_FILE_PARQUET] = "parquet",
                                        [FRZ_FILE_AVRO] = "avro",
                                        [FRZ_FILE_PUFFIN] = "puffin",
                                        [FRZ_FILE_METADATA] = "metadata"};
    frz_inspect_text(of->json, "file", of->location);
    frz_inspect_text(of->json, "kind", names[kind]);
    frz_inspect_number(of->json, "size", (int64_t)frz_input_size(of->input));
    switch (kind) {
    case FRZ_FILE_PARQUET:
        return frz_inspect_parquet(of, err);
    case FRZ_FILE_AVRO:
        return frz_inspect_avro(of, err);
    case FRZ_FILE_PUFFIN:
        return frz_inspect_puffin(of, err);
    case FRZ_FILE_METADATA:
        break;
    }
    return frz_inspect_metadata(of, err);
}

/* Whether what was read before the failure is worth showing: the file is at fault. */
static bool file_at_fault(frz_status status)
{
    return status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED;
}

/* Says which file, where the reader of its format did not. */
static frz_status name_file(const char *location, frz_status status, frz_error **err)
{
    if (!err || !*err || strstr(frz_error_message(*err), location))
        return status;
    return frz_context(err, status, "%s", location);
}

/* The object of the file; after a fault in the file, closed behind what was sound, with the fault
 * as its last member where programs read it. */
static frz_status write_object(const frz_inspection *of, frz_file_kind kind, frz_error **err)
{
    frz_error *fault = NULL;
    frz_json_open_object(of->json);
    const frz_status status = name_file(of->location, write_members(of, kind, &fault), &fault);
    frz_json_close_to(of->json, 1);
    if (status != FRZ_OK && !of->brief)
        frz_inspect_text(of->json, "error", frz_error_message(fault));
    frz_json_close_to(of->json, 0);
    if (err && status != FRZ_OK)
        *err = fault;
    else
        frz_error_free(fault);
    return status == FRZ_OK ? frz_buffer_check(of->json->out, err) : status;
}

/* The text that is given out: the object itself, or its outline. */
static frz_status take_text(frz_slice object, bool json, char **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer outline = {0};
    if (!json)
        status = frz_text_outline(object, &outline, err);
    const frz_slice text = json ? object : frz_buffer_slice(&outline);
    char *copy = status == FRZ_OK ? frz_copy_text_n((const char *)text.data, text.size) : NULL;
    if (copy)
        *out = copy;
    else if (status == FRZ_OK)
        status = frz_fail_memory(err);
    frz_buffer_clear(&outline);
    return status;
}

frz_status frz_inspect_file(const char *location, frz_io *io, bool json, char **out,
                            frz_error **err)
{
    frz_io *own_io = NULL;
    frz_input *input = NULL;
    frz_buffer object = {0};
    frz_file_kind kind = FRZ_FILE_METADATA;
    frz_status status = FRZ_OK;
    if (!io) {
        FRZ_TRY_DONE(frz_io_local_new(&own_io, err));
        io = own_io;
    }
    FRZ_TRY_DONE(frz_io_open(io, location, FRZ_IO_SIZE_UNKNOWN, &input, err));
    FRZ_TRY_DONE(frz_file_kind_of(input, location, &kind, err));
    frz_json_writer writer = frz_json_writer_to(&object, 2);
    const frz_inspection of = {
        .io = io, .input = input, .location = location, .json = &writer, .brief = !json};
    status = write_object(&of, kind, err);
    if (status == FRZ_OK)
        status = take_text(frz_buffer_slice(&object), json, out, err);
    else if (file_at_fault(status) && !object.failed)
        (void)take_text(frz_buffer_slice(&object), json, out, NULL);
done:
    frz_buffer_clear(&object);
    frz_input_close(input);
    frz_io_free(own_io);
    return status;
}
