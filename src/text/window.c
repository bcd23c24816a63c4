#include "text/window.h"

#include <string.h>

#include "base/fail.h"
#include "io/file.h"

enum { LOAD_SIZE_MIN = 256 * 1024 };

void frz_text_window_clear(frz_text_window *window)
{
    frz_buffer_clear(&window->bytes);
    *window = (frz_text_window){0};
}

frz_status frz_text_window_load(frz_text_window *window, bool *more_out, frz_error **err)
{
    const size_t kept = window->bytes.size - window->pos;
    if (window->pos > 0 && kept > 0)
        memmove(window->bytes.data, window->bytes.data + window->pos, kept);
    window->bytes.size = kept;
    window->pos = 0;

    const uint64_t left = frz_input_size(window->input) - window->offset;
    if (left > 0 && kept >= FRZ_TEXT_RECORD_SIZE_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, window->offset,
                        "a record of more than the limit of %d bytes", FRZ_TEXT_RECORD_SIZE_MAX);
    size_t size = kept < LOAD_SIZE_MIN ? LOAD_SIZE_MIN : kept;
    if (size > left)
        size = (size_t)left;
    uint8_t *at = frz_buffer_reserve(&window->bytes, size);
    if (!at)
        return frz_fail_memory(err);
    FRZ_TRY(frz_input_read_at(window->input, window->offset, at, size, err));
    window->bytes.size += size;
    window->offset += size;
    *more_out = size > 0;
    return FRZ_OK;
}

/* Where a search stands: bytes from the start of the record that were looked at. */
typedef struct search {
    size_t seen;
    bool quoted;
    int64_t lines;
} search;

/* Moves to the line end that closes the record; false when it is not loaded yet. */
static bool find_end(const frz_text_window *window, char quote, search *at)
{
    const size_t size = window->bytes.size - window->pos;
    if (size == 0)
        return false;
    const uint8_t *start = window->bytes.data + window->pos;
    while (at->seen < size) {
        const uint8_t *from = start + at->seen;
        const uint8_t *end = memchr(from, '\n', size - at->seen);
        const size_t span = end ? (size_t)(end - from) : size - at->seen;
        for (const uint8_t *mark = from;
             quote && (mark = memchr(mark, quote, span - (size_t)(mark - from))); mark++)
            at->quoted = !at->quoted;
        at->seen += span;
        if (!end)
            return false;
        at->lines++;
        if (!at->quoted)
            return true;
        at->seen++;
    }
    return false;
}

frz_status frz_text_window_record(frz_text_window *window, char quote, frz_slice *out,
                                  int64_t *line_count_out, frz_error **err)
{
    search at = {0};
    bool found = find_end(window, quote, &at);
    for (bool more = true; !found && more;) {
        FRZ_TRY(frz_text_window_load(window, &more, err));
        found = find_end(window, quote, &at);
    }
    if (!found && at.seen == 0)
        return FRZ_END;
    const uint8_t *start = window->bytes.data + window->pos;
    size_t size = at.seen;
    window->pos += size + found;
    if (size > 0 && start[size - 1] == '\r')
        size--;
    *out = frz_slice_of(start, size);
    *line_count_out = at.lines + !found;
    return FRZ_OK;
}
