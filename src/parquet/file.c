#include "parquet/file.h"

#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"

struct frz_parquet_file {
    frz_input *input;
    frz_limits limits;
    frz_arena arena;
    frz_parquet_metadata metadata;
};

enum {
    MAGIC_SIZE = 4,
    TAIL_SIZE = 8,        /* length of the footer, then the magic */
    TAIL_GUESS = 64 << 10 /* read at once: most footers are shorter */
};

static frz_status corrupt(uint64_t offset, const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, offset, "no Parquet file: at offset %llu: %s",
                    (unsigned long long)offset, what);
}

static frz_status check_front(frz_input *input, frz_error **err)
{
    uint8_t magic[MAGIC_SIZE];
    FRZ_TRY(frz_input_read_at(input, 0, magic, sizeof magic, err));
    if (memcmp(magic, "PAR1", sizeof magic) != 0)
        return corrupt(0, "expected the magic PAR1", err);
    return FRZ_OK;
}

/* Where the footer lies, told by the last eight bytes. */
static frz_status locate_footer(const uint8_t *tail, uint64_t file_size, const frz_limits *limits,
                                size_t *size_out, frz_error **err)
{
    const uint64_t at = file_size - TAIL_SIZE;
    frz_cursor cursor = frz_cursor_over(tail, TAIL_SIZE);
    const uint32_t size = frz_cursor_u32le(&cursor);
    if (memcmp(tail + sizeof size, "PARE", MAGIC_SIZE) == 0)
        return frz_fail(err, FRZ_UNSUPPORTED, at, "a Parquet file with an encrypted footer");
    if (memcmp(tail + sizeof size, "PAR1", MAGIC_SIZE) != 0)
        return corrupt(at + sizeof size, "expected the magic PAR1 at the end", err);
    if (size == 0 || size > at - MAGIC_SIZE)
        return corrupt(at, "the footer is longer than the file", err);
    if (size > limits->parquet_footer_size)
        return frz_fail(err, FRZ_UNSUPPORTED, at,
                        "Parquet footer of %u bytes: over the limit parquet_footer_size (%zu)",
                        size, limits->parquet_footer_size);
    *size_out = size;
    return FRZ_OK;
}

/* Reads the end of the file into the arena: the guess first, and the rest of a longer footer. */
static frz_status read_footer(frz_parquet_file *file, frz_slice *out, uint64_t *start_out,
                              frz_error **err)
{
    const uint64_t file_size = frz_input_size(file->input);
    size_t footer_size = 0;
    if (file_size < MAGIC_SIZE + TAIL_SIZE)
        return corrupt(0, "the file is too short", err);
    const size_t guess = file_size < TAIL_GUESS ? (size_t)file_size : TAIL_GUESS;
    uint8_t *tail = frz_arena_alloc(&file->arena, guess);
    if (!tail)
        return frz_fail_memory(err);
    FRZ_TRY(frz_input_read_at(file->input, file_size - guess, tail, guess, err));
    FRZ_TRY(locate_footer(tail + guess - TAIL_SIZE, file_size, &file->limits, &footer_size, err));
    *start_out = file_size - TAIL_SIZE - footer_size;
    if (footer_size <= guess - TAIL_SIZE) {
        *out = frz_slice_of(tail + (guess - TAIL_SIZE - footer_size), footer_size);
        return FRZ_OK;
    }
    uint8_t *whole = frz_arena_alloc(&file->arena, footer_size);
    if (!whole)
        return frz_fail_memory(err);
    FRZ_TRY(frz_input_read_at(file->input, *start_out, whole, footer_size, err));
    *out = frz_slice_of(whole, footer_size);
    return FRZ_OK;
}

static frz_status open_file(frz_parquet_file *file, frz_error **err)
{
    frz_slice footer = {0};
    uint64_t start = 0;
    FRZ_TRY(read_footer(file, &footer, &start, err));
    FRZ_TRY(check_front(file->input, err));
    return frz_parquet_metadata_parse(footer, start, &file->limits, &file->arena, &file->metadata,
                                      err);
}

frz_status frz_parquet_file_open(frz_input *input, const frz_limits *limits, frz_parquet_file **out,
                                 frz_error **err)
{
    frz_parquet_file *file = frz_alloc_zero(sizeof *file);
    if (!file)
        return frz_fail_memory(err);
    file->input = input;
    file->limits = limits ? *limits : frz_limits_default;
    file->arena.budget = file->limits.parse_budget;
    const frz_status status = open_file(file, err);
    if (status != FRZ_OK) {
        frz_parquet_file_close(file);
        return status;
    }
    *out = file;
    return FRZ_OK;
}

void frz_parquet_file_close(frz_parquet_file *file)
{
    if (!file)
        return;
    frz_arena_clear(&file->arena);
    frz_free(file);
}

const frz_parquet_metadata *frz_parquet_file_metadata(const frz_parquet_file *file)
{
    return &file->metadata;
}

frz_parquet_node *frz_parquet_file_root(frz_parquet_file *file)
{
    return &file->metadata.root;
}

frz_input *frz_parquet_file_input(const frz_parquet_file *file)
{
    return file->input;
}

const frz_limits *frz_parquet_file_limits(const frz_parquet_file *file)
{
    return &file->limits;
}
