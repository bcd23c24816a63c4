/*
 * Rows for people: columns side by side, as wide as the first block of rows needs; numbers to the
 * right.
 */
#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"
#include "text/sink.h"

enum {
    BLOCK_ROWS = 500,   /* rows that are measured together */
    CELL_WIDTH_MIN = 8, /* columns are not squeezed below */
    GAP = 3             /* " | " */
};

/* Characters on the screen: code points, which is right but for combining and double-width ones. */
static size_t shown_width(frz_slice text)
{
    return frz_utf8_count(text.data, text.size);
}

/* Text that cannot drive a terminal: control characters are shown as escapes, bad UTF-8 as U+FFFD.
 */
static void put_shown(frz_buffer *out, frz_slice text)
{
    for (size_t at = 0; at < text.size;) {
        const uint8_t byte = text.data[at];
        const size_t step = frz_utf8_size(text.data + at, text.size - at);
        const bool c1 = step == 2 && byte == 0xc2 && text.data[at + 1] < 0xa0;
        if (step == 0)
            frz_buffer_append_text(out, "\xef\xbf\xbd");
        else if (byte == '\n')
            frz_buffer_append_text(out, "\\n");
        else if (byte == '\t')
            frz_buffer_append_text(out, "\\t");
        else if (byte < 0x20 || byte == 0x7f || c1)
            frz_buffer_printf(out, "\\x%02x", c1 ? text.data[at + 1] : byte);
        else
            frz_buffer_append(out, text.data + at, step);
        at += step ? step : 1;
    }
}

static bool is_number(const frz_text_column *column)
{
    const frz_arrow_kind kind = column->type.kind;
    return !column->dictionary &&
           ((kind >= FRZ_ARROW_INT8 && kind <= FRZ_ARROW_DOUBLE) || kind == FRZ_ARROW_DECIMAL);
}

static void end_cell(frz_text_printer *printer)
{
    const size_t end = printer->cells.size;
    frz_buffer_append(&printer->ends, &end, sizeof end);
}

static frz_slice cell_at(const frz_text_printer *printer, size_t index)
{
    size_t start = 0;
    size_t end = 0;
    const uint8_t *ends = printer->ends.data;
    if (index > 0)
        memcpy(&start, ends + (index - 1) * sizeof start, sizeof start);
    memcpy(&end, ends + index * sizeof end, sizeof end);
    return frz_slice_of(printer->cells.data + start, end - start);
}

static size_t cell_count(const frz_text_printer *printer)
{
    return printer->ends.size / sizeof(size_t);
}

/* Takes characters from the widest column until the line fits the terminal. */
static void squeeze(frz_text_printer *printer, size_t count)
{
    const size_t limit = (size_t)printer->options.width;
    size_t total = count > 0 ? (count - 1) * GAP + 2 : 0;
    for (size_t i = 0; i < count; i++)
        total += printer->widths[i];
    while (total > limit) {
        size_t widest = 0;
        for (size_t i = 1; i < count; i++)
            widest = printer->widths[i] > printer->widths[widest] ? i : widest;
        if (printer->widths[widest] <= CELL_WIDTH_MIN)
            return;
        printer->widths[widest]--;
        total--;
    }
}

/* The first block, whose first row is the heading, sets the widths for all. */
static frz_status measure(frz_text_printer *printer, frz_error **err)
{
    const size_t count = printer->root.child_count;
    printer->widths = frz_arena_array(&printer->arena, count, sizeof *printer->widths);
    if (!printer->widths)
        return frz_fail_memory(err);
    for (size_t i = 0; i < cell_count(printer); i++) {
        const size_t width = shown_width(cell_at(printer, i));
        if (width > printer->widths[i % count])
            printer->widths[i % count] = width;
    }
    if (printer->options.width > 0)
        squeeze(printer, count);
    return FRZ_OK;
}

/* As many bytes of the text as `width` characters take. */
static frz_slice cut(frz_slice text, size_t width)
{
    size_t at = 0;
    for (size_t i = 0; i < width && at < text.size; i++)
        at += frz_utf8_size(text.data + at, text.size - at);
    return frz_slice_of(text.data, at);
}

static void put_cell(frz_text_printer *printer, frz_slice text, size_t column, bool heading)
{
    frz_buffer *out = &printer->sink.bytes;
    const size_t width = printer->widths[column];
    const bool last = column + 1 == printer->root.child_count;
    const bool right = is_number(&printer->root.children[column]);
    const bool bold = heading && printer->options.color;
    size_t shown = shown_width(text);
    const bool too_long = printer->options.width > 0 && shown > width;
    if (too_long) {
        text = cut(text, width - 1);
        shown = width;
    }
    const size_t fill = shown < width ? width - shown : 0;
    frz_buffer_append_text(out, column == 0 ? " " : " | ");
    if (right)
        frz_buffer_append_fill(out, ' ', fill);
    if (bold)
        frz_buffer_append_text(out, "\x1b[1m");
    frz_buffer_append(out, text.data, text.size);
    if (too_long)
        frz_buffer_append_text(out, "\xe2\x80\xa6"); /* an ellipsis */
    if (bold)
        frz_buffer_append_text(out, "\x1b[0m");
    if (!right && !last)
        frz_buffer_append_fill(out, ' ', fill);
}

static void put_rule(frz_text_printer *printer)
{
    frz_buffer *out = &printer->sink.bytes;
    for (size_t i = 0; i < printer->root.child_count; i++) {
        frz_buffer_append_text(out, i == 0 ? "-" : "-+-");
        frz_buffer_append_fill(out, '-', printer->widths[i]);
    }
    frz_buffer_append_text(out, "-\n");
}

static frz_status print_block(frz_text_printer *printer, frz_error **err)
{
    const size_t columns = printer->root.child_count;
    FRZ_TRY(frz_buffer_check(&printer->cells, err));
    FRZ_TRY(frz_buffer_check(&printer->ends, err));
    if (!printer->widths)
        FRZ_TRY(measure(printer, err));
    const size_t count = cell_count(printer);
    for (size_t i = 0; i < count; i++) {
        const bool heading = !printer->heading_printed;
        put_cell(printer, cell_at(printer, i), i % columns, heading);
        if ((i + 1) % columns != 0)
            continue;
        frz_buffer_append_byte(&printer->sink.bytes, '\n');
        if (heading)
            put_rule(printer);
        printer->heading_printed = true;
        FRZ_TRY(frz_text_sink_flush(&printer->sink, false, err));
    }
    frz_buffer_reset(&printer->cells);
    frz_buffer_reset(&printer->ends);
    return FRZ_OK;
}

static void collect_heading(frz_text_printer *printer)
{
    for (size_t i = 0; i < printer->root.child_count; i++) {
        put_shown(&printer->cells, frz_slice_of_text(printer->root.children[i].name));
        end_cell(printer);
    }
}

static frz_status collect_row(frz_text_printer *printer, const struct ArrowArray *batch,
                              int64_t row, frz_buffer *scratch, frz_error **err)
{
    for (size_t i = 0; i < printer->root.child_count; i++) {
        const frz_text_column *column = &printer->root.children[i];
        frz_buffer_reset(scratch);
        if (frz_text_is_null(column, batch->children[i], row))
            frz_buffer_append_text(scratch, "null");
        else
            frz_text_write_plain(scratch, column, batch->children[i], row);
        FRZ_TRY(frz_buffer_check(scratch, err));
        put_shown(&printer->cells, frz_buffer_slice(scratch));
        end_cell(printer);
    }
    return FRZ_OK;
}

frz_status frz_text_table_batch(frz_text_printer *printer, const struct ArrowArray *batch,
                                frz_error **err)
{
    if (printer->root.child_count == 0)
        return FRZ_OK;
    if (!printer->widths)
        collect_heading(printer);
    frz_buffer scratch = {0};
    frz_status status = FRZ_OK;
    for (int64_t row = 0; row < batch->length; row++) {
        FRZ_TRY_DONE(collect_row(printer, batch, batch->offset + row, &scratch, err));
        if ((row + 1) % BLOCK_ROWS == 0)
            FRZ_TRY_DONE(print_block(printer, err));
    }
    FRZ_TRY_DONE(print_block(printer, err));
done:
    frz_buffer_clear(&scratch);
    return status;
}

frz_status frz_text_table_end(frz_text_printer *printer, frz_error **err)
{
    if (printer->heading_printed || printer->root.child_count == 0)
        return FRZ_OK;
    collect_heading(printer);
    return print_block(printer, err);
}
