#include "parquet/window.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"

void frz_parquet_window_init(frz_parquet_window *window, frz_input *input)
{
    *window = (frz_parquet_window){
        .input = input, .file_size = frz_input_size(input), .mapped = frz_input_mapped(input)};
}

void frz_parquet_window_clear(frz_parquet_window *window)
{
    frz_free(window->data);
    *window = (frz_parquet_window){0};
}

static bool ensure_capacity(frz_parquet_window *window, size_t size)
{
    if (size <= window->capacity)
        return true;
    /* The old contents matter to nobody: what is kept is moved by the caller, which reads it again.
     */
    uint8_t *grown = frz_realloc(window->data, size);
    if (!grown)
        return false;
    window->data = grown;
    window->capacity = size;
    return true;
}

/* Fills the window with [offset, offset + size), keeping what it has of that. */
static frz_status fill(frz_parquet_window *window, uint64_t offset, size_t size, frz_error **err)
{
    size_t kept = 0;
    if (!ensure_capacity(window, size))
        return frz_fail_memory(err);
    if (offset >= window->start && offset - window->start < window->size) {
        const size_t from = (size_t)(offset - window->start);
        kept = window->size - from;
        if (kept > size)
            kept = size;
        memmove(window->data, window->data + from, kept);
    }
    window->start = offset;
    window->size = kept;
    FRZ_TRY(frz_input_read_at(window->input, offset + kept, window->data + kept, size - kept, err));
    window->size = size;
    return FRZ_OK;
}

frz_status frz_parquet_window_at(frz_parquet_window *window, uint64_t offset, size_t size,
                                 uint64_t ahead_end, const uint8_t **out, frz_error **err)
{
    if (offset > window->file_size || size > window->file_size - offset)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "%zu bytes at offset %llu: past the end of the file (%llu bytes)", size,
                        (unsigned long long)offset, (unsigned long long)window->file_size);
    if (window->mapped) {
        *out = window->mapped + offset;
        return FRZ_OK;
    }
    if (size == 0) { /* there may be no memory yet to point into */
        static const uint8_t nothing[1] = {0};
        *out = nothing;
        return FRZ_OK;
    }
    const bool inside = offset >= window->start && offset - window->start <= window->size &&
                        size <= window->size - (size_t)(offset - window->start);
    if (!inside) {
        uint64_t end = offset + size;
        if (ahead_end > window->file_size)
            ahead_end = window->file_size;
        if (end < ahead_end && size < FRZ_PARQUET_READ_AHEAD)
            end = ahead_end - offset < FRZ_PARQUET_READ_AHEAD ? ahead_end
                                                              : offset + FRZ_PARQUET_READ_AHEAD;
        FRZ_TRY(fill(window, offset, (size_t)(end - offset), err));
    }
    *out = window->data + (offset - window->start);
    return FRZ_OK;
}
