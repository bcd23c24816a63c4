#include "text/csv_record.h"

#include <string.h>

#include "base/fail.h"

frz_csv_record frz_csv_record_of(frz_slice bytes, const frz_csv_dialect *dialect)
{
    return (frz_csv_record){.dialect = dialect, .bytes = bytes, .more = true};
}

static frz_status quoted_field(frz_csv_record *record, frz_csv_field *out, frz_error **err)
{
    const uint8_t *data = record->bytes.data;
    const size_t size = record->bytes.size;
    const size_t start = record->pos + 1;
    const uint8_t quote = (uint8_t)record->dialect->quote;
    *out = (frz_csv_field){.quoted = true};
    for (size_t at = start; at < size; at++) {
        if (data[at] != quote)
            continue;
        if (at + 1 < size && data[at + 1] == quote) {
            out->doubled = true;
            at++;
            continue;
        }
        out->text = frz_slice_of(data + start, at - start);
        record->pos = at + 1;
        if (record->pos < size && data[record->pos] != (uint8_t)record->dialect->delimiter)
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                            "expected %s behind the closing quote, got byte 0x%02x",
                            record->dialect->delimiter == ',' ? "a comma" : "the delimiter",
                            data[record->pos]);
        return FRZ_OK;
    }
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "a quote that is never closed");
}

frz_status frz_csv_record_next(frz_csv_record *record, frz_csv_field *out, frz_error **err)
{
    const uint8_t *data = record->bytes.data;
    const size_t size = record->bytes.size;
    const size_t start = record->pos;
    const uint8_t quote = (uint8_t)record->dialect->quote;
    if (start < size && data[start] == quote) {
        FRZ_TRY(quoted_field(record, out, err));
    } else {
        const uint8_t *comma =
            start < size ? memchr(data + start, record->dialect->delimiter, size - start) : NULL;
        const size_t end = comma ? (size_t)(comma - data) : size;
        *out = (frz_csv_field){.text = frz_slice_of(size ? data + start : NULL, end - start)};
        if (end > start && memchr(data + start, quote, end - start))
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "a quote inside an unquoted field");
        record->pos = end;
    }
    record->more = record->pos < size;
    record->pos += record->more;
    return FRZ_OK;
}

frz_status frz_csv_field_text(const frz_csv_field *field, const frz_csv_dialect *dialect,
                              frz_buffer *scratch, frz_slice *out, frz_error **err)
{
    *out = field->text;
    if (!field->doubled)
        return FRZ_OK;
    frz_buffer_reset(scratch);
    for (size_t i = 0; i < field->text.size; i++) {
        frz_buffer_append_byte(scratch, field->text.data[i]);
        i += field->text.data[i] == (uint8_t)dialect->quote;
    }
    *out = frz_buffer_slice(scratch);
    return frz_buffer_check(scratch, err);
}
