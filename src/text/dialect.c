#include "text/dialect.h"

#include <string.h>

#include "base/fail.h"
#include "text/moment.h"

enum { SHOWN_MAX = 80 };

static frz_status copy_nulls(const frz_csv_options *options, frz_arena *arena, frz_csv_dialect *out,
                             frz_error **err)
{
    static const char *const empty[] = {""};
    if (options->null_text_count == 0) {
        out->nulls = empty;
        out->null_count = 1;
        return FRZ_OK;
    }
    const char **nulls = frz_arena_array(arena, options->null_text_count, sizeof(const char *));
    if (!nulls)
        return frz_fail_memory(err);
    for (size_t i = 0; i < options->null_text_count; i++) {
        nulls[i] = frz_arena_text(arena, options->null_texts[i]);
        if (!nulls[i])
            return frz_fail_memory(err);
    }
    out->nulls = nulls;
    out->null_count = options->null_text_count;
    return FRZ_OK;
}

static frz_status copy_format(const char *format, frz_arena *arena, const char **out,
                              frz_error **err)
{
    *out = NULL;
    if (!format)
        return FRZ_OK;
    FRZ_TRY(frz_moment_check(format, err));
    *out = frz_arena_text(arena, format);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

static bool parts_fields(char c)
{
    return c != '\n' && c != '\r' && (c & 0x80) == 0;
}

frz_status frz_csv_dialect_from(const frz_csv_options *options, frz_arena *arena,
                                frz_csv_dialect *out, frz_error **err)
{
    *out = (frz_csv_dialect){.delimiter = options->delimiter ? options->delimiter : ',',
                             .quote = options->quote ? options->quote : '"',
                             .no_header = options->no_header};
    if (out->delimiter == out->quote || !parts_fields(out->delimiter) || !parts_fields(out->quote))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "CSV delimiter and quote are two different characters of ASCII, and no "
                        "line ends");
    FRZ_TRY(copy_nulls(options, arena, out, err));
    FRZ_TRY(copy_format(options->date_format, arena, &out->date_format, err));
    return copy_format(options->timestamp_format, arena, &out->timestamp_format, err);
}

bool frz_csv_dialect_is_null(const frz_csv_dialect *dialect, frz_slice text)
{
    for (size_t i = 0; i < dialect->null_count; i++) {
        if (frz_slice_is_text(text, dialect->nulls[i]))
            return true;
    }
    return false;
}

static const char *format_of(const frz_csv_dialect *dialect, frz_type_kind kind)
{
    if (kind == FRZ_TYPE_DATE)
        return dialect->date_format;
    return kind == FRZ_TYPE_TIMESTAMP || kind == FRZ_TYPE_TIMESTAMPTZ ||
                   kind == FRZ_TYPE_TIMESTAMP_NS || kind == FRZ_TYPE_TIMESTAMPTZ_NS
               ? dialect->timestamp_format
               : NULL;
}

frz_status frz_csv_dialect_text(const frz_csv_dialect *dialect, frz_type_kind kind, frz_slice text,
                                char *room, frz_slice *out, frz_error **err)
{
    const char *format = format_of(dialect, kind);
    *out = text;
    if (!format)
        return FRZ_OK;
    const size_t size =
        frz_moment_to_iso(format, text, kind == FRZ_TYPE_DATE, room, FRZ_CSV_ISO_ROOM);
    if (size == 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "\"%.*s\" is no %s of the form %s",
                        (int)(text.size > SHOWN_MAX ? SHOWN_MAX : text.size),
                        (const char *)text.data, frz_type_word(kind), format);
    *out = frz_slice_of(room, size);
    return FRZ_OK;
}
