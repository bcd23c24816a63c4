#include "write/foreign_partition.h"

#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "base/fail.h"
#include "base/number.h"

static const char hive_null[] = "__HIVE_DEFAULT_PARTITION__";

enum { MONTHS = 12, HOURS = 24, EPOCH_YEAR = 1970, HOUR_TEXT_SIZE = 13 };

/* One field of the spec, and the column it is made of; NULL when that was dropped. */
typedef struct part {
    const frz_partition_field *field;
    const frz_field *source;
    const frz_type *type; /* of its values */
} part;

/* A value as somebody states it: percent-encoding undone. */
typedef struct statement {
    bool present;
    bool null;
    frz_slice text;
    const char *origin; /* for messages */
} statement;

static bool is_named(const frz_metadata *metadata, const frz_partition_field *field, frz_slice key)
{
    if (frz_slice_is_text(key, field->name))
        return true;
    if (field->transform.kind != FRZ_TRANSFORM_IDENTITY)
        return false;
    const char *path = frz_schema_path(frz_metadata_schema(metadata), field->source_ids[0]);
    return path && frz_slice_is_text(key, path);
}

frz_status frz_foreign_partition_check_keys(const frz_metadata *metadata, const frz_option *stated,
                                            size_t stated_count, frz_error **err)
{
    const frz_partition_spec *spec = frz_metadata_spec(metadata);
    for (size_t i = 0; i < stated_count; i++) {
        bool known = false;
        for (size_t j = 0; j < spec->field_count && !known; j++)
            known = is_named(metadata, &spec->fields[j], frz_slice_of_text(stated[i].key));
        if (!known)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "the table is not partitioned by %s (default spec %d)", stated[i].key,
                            (int)spec->spec_id);
    }
    return FRZ_OK;
}

/* %XX undone, as Hive and Java encode folders' names; a % that is none stands for itself. */
static frz_status decode(frz_slice text, frz_arena *arena, frz_slice *out, frz_error **err)
{
    uint8_t *bytes = frz_arena_alloc(arena, text.size + 1);
    size_t size = 0;
    if (!bytes)
        return frz_fail_memory(err);
    for (size_t i = 0; i < text.size; i++) {
        const bool escape = text.data[i] == '%' && i + 2 < text.size;
        const int high = escape ? frz_hex_digit(text.data[i + 1]) : -1;
        const int low = escape ? frz_hex_digit(text.data[i + 2]) : -1;
        bytes[size++] = (uint8_t)(high >= 0 && low >= 0 ? high << 4 | low : text.data[i]);
        i += high >= 0 && low >= 0 ? 2 : 0;
    }
    *out = frz_slice_of(bytes, size);
    return FRZ_OK;
}

/* The next folder NAME=VALUE of a location from *at on; FRZ_END behind the last. */
static frz_status next_folder(const char **at, frz_arena *arena, frz_slice *name, frz_slice *value,
                              frz_error **err)
{
    for (const char *end = strchr(*at, '/'); end; end = strchr(*at, '/')) {
        const char *start = *at;
        const char *equals = memchr(start, '=', (size_t)(end - start));
        *at = end + 1;
        if (!equals)
            continue;
        FRZ_TRY(decode(frz_slice_of(start, (size_t)(equals - start)), arena, name, err));
        return decode(frz_slice_of(equals + 1, (size_t)(end - equals - 1)), arena, value, err);
    }
    return FRZ_END;
}

/* The innermost folder counts. */
static frz_status find_folder(const frz_foreign_context *context, const char *location,
                              const frz_partition_field *field, statement *out, frz_error **err)
{
    frz_slice name = {0};
    frz_slice value = {0};
    frz_status status = FRZ_OK;
    while ((status = next_folder(&location, context->arena, &name, &value, err)) == FRZ_OK) {
        if (is_named(context->metadata, field, name))
            *out = (statement){.present = true,
                               .null = frz_slice_is_text(value, hive_null),
                               .text = value,
                               .origin = "its folder"};
    }
    return status == FRZ_END ? FRZ_OK : status;
}

/* A column that only the folder's name holds would be lost where the table is not partitioned by
 * it. */
static frz_status check_folders(const frz_foreign_context *context, const frz_foreign_file *file,
                                frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(context->metadata);
    const frz_partition_spec *spec = frz_metadata_spec(context->metadata);
    const char *at = file->location;
    frz_slice name = {0};
    frz_slice value = {0};
    frz_status status = FRZ_OK;
    while ((status = next_folder(&at, context->arena, &name, &value, err)) == FRZ_OK) {
        const frz_field *field = frz_schema_find_name(schema, name, true);
        bool kept = !field || frz_foreign_file_has(file, field->id);
        for (size_t i = 0; i < spec->field_count && !kept; i++)
            kept = is_named(context->metadata, &spec->fields[i], name);
        if (!kept)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column %s is only in the name of its folder, and the table is not "
                            "partitioned by it: its values would be lost",
                            field->name);
    }
    return status == FRZ_END ? FRZ_OK : status;
}

static frz_status find_statement(const frz_foreign_context *context, const frz_foreign_file *file,
                                 const frz_option *stated, size_t stated_count,
                                 const frz_partition_field *field, statement *out, frz_error **err)
{
    *out = (statement){0};
    for (size_t i = 0; i < stated_count; i++) {
        if (!is_named(context->metadata, field, frz_slice_of_text(stated[i].key)))
            continue;
        const char *value = stated[i].value;
        *out = (statement){.present = true,
                           .null = !value || strcmp(value, hive_null) == 0,
                           .text = frz_slice_of_text(value ? value : ""),
                           .origin = "what is said of it"};
        return FRZ_OK;
    }
    return find_folder(context, file->location, field, out, err);
}

static bool parse_date(frz_slice text, const char *rest, int64_t *out)
{
    char date[32];
    const size_t more = strlen(rest);
    if (text.size + more >= sizeof date)
        return false;
    (void)snprintf(date, sizeof date, "%.*s%s", (int)text.size, (const char *)text.data, rest);
    return frz_calendar_parse_date(date, text.size + more, out);
}

/* As transforms print them ("Partition Transforms"): 2026, 2026-01, 2026-01-02, 2026-01-02-03. */
static bool parse_time(frz_transform_kind kind, frz_slice text, int64_t *out)
{
    int64_t days = 0;
    int64_t year = 0;
    int month = 0;
    int day = 0;
    if (kind == FRZ_TRANSFORM_HOUR) {
        int64_t hour = 0;
        if (text.size < HOUR_TEXT_SIZE || text.data[text.size - 3] != '-' ||
            !frz_number_parse_i64((const char *)text.data + text.size - 2, 2, &hour) || hour < 0 ||
            hour >= HOURS || !parse_date(frz_slice_of(text.data, text.size - 3), "", &days))
            return false;
        *out = days * HOURS + hour;
        return true;
    }
    const char *rest = kind == FRZ_TRANSFORM_YEAR ? "-01-01" : "-01";
    if (!parse_date(text, kind == FRZ_TRANSFORM_DAY ? "" : rest, &days))
        return false;
    frz_calendar_civil(days, &year, &month, &day);
    *out = days;
    if (kind == FRZ_TRANSFORM_YEAR)
        *out = year - EPOCH_YEAR;
    if (kind == FRZ_TRANSFORM_MONTH)
        *out = (year - EPOCH_YEAR) * MONTHS + month - 1;
    return true;
}

static frz_status parse_value(const part *p, frz_slice text, frz_arena *arena, frz_value *out,
                              frz_error **err)
{
    const frz_transform *transform = &p->field->transform;
    int64_t number = 0;
    switch (transform->kind) {
    case FRZ_TRANSFORM_YEAR:
    case FRZ_TRANSFORM_MONTH:
    case FRZ_TRANSFORM_DAY:
    case FRZ_TRANSFORM_HOUR:
        if (!parse_time(transform->kind, text, &number))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "\"%.*s\" is no %s", (int)text.size,
                            (const char *)text.data, transform->text);
        *out = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = number};
        return FRZ_OK;
    case FRZ_TRANSFORM_BUCKET:
        if (!frz_number_parse_i64((const char *)text.data, text.size, &number) || number < 0 ||
            number >= transform->parameter)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "\"%.*s\" is no bucket of %s",
                            (int)text.size, (const char *)text.data, transform->text);
        *out = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = number};
        return FRZ_OK;
    case FRZ_TRANSFORM_IDENTITY:
    case FRZ_TRANSFORM_TRUNCATE:
    case FRZ_TRANSFORM_VOID:
    case FRZ_TRANSFORM_UNKNOWN:
        break;
    }
    return frz_value_parse(p->type, text, arena, out, err);
}

/* What the rows have, as far as it is known. */
typedef struct evidence {
    bool has_bounds;
    bool exact;    /* least and greatest are values of rows */
    bool floating; /* NaN may hide between the bounds */
    frz_value least;
    frz_value greatest;
    int64_t nulls; /* -1 unknown */
    int64_t rows;
} evidence;

/* A column that the file lacks is its initial default in every row, or null ("Column
 * Projection"). */
static evidence evidence_of(const frz_foreign_file *file, const frz_field *source)
{
    const frz_foreign_column *column = frz_foreign_file_column(file, source->id);
    evidence out = {.nulls = -1, .rows = file->row_count};
    if (!frz_foreign_file_has(file, source->id)) {
        const frz_value *value = source->initial_default;
        out.has_bounds = out.exact = value && value->form != FRZ_VALUE_NULL;
        out.nulls = out.has_bounds ? 0 : out.rows;
        if (out.has_bounds)
            out.least = out.greatest = *value;
        return out;
    }
    if (!column || column->repeated)
        return out;
    const frz_type_kind kind = source->type->kind;
    out.floating = (kind == FRZ_TYPE_FLOAT || kind == FRZ_TYPE_DOUBLE) && column->nan_count != 0;
    out.has_bounds = column->has_bounds;
    out.exact = column->exact;
    out.least = column->min;
    out.greatest = column->max;
    out.nulls = column->null_count;
    return out;
}

static frz_status fail_found(const part *p, const frz_value *first, const frz_value *last,
                             const char *why, frz_error **err)
{
    frz_buffer text = {0};
    frz_value_print(p->source->type, first, &text);
    frz_buffer_append_text(&text, " to ");
    frz_value_print(p->source->type, last, &text);
    const frz_status status =
        text.failed ? frz_fail_memory(err)
                    : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s: column %s holds %.*s", why,
                               p->source->name, (int)text.size, (const char *)text.data);
    frz_buffer_clear(&text);
    return status;
}

/* The one value that the rows have; FRZ_INVALID says why there is none. */
static frz_status infer(const part *p, const evidence *known, frz_arena *arena, frz_value *out,
                        frz_error **err)
{
    static const char ask[] = "state it (--partition NAME=VALUE)";
    frz_value last;
    const frz_transform *transform = &p->field->transform;
    if (known->nulls == known->rows) {
        *out = (frz_value){.form = FRZ_VALUE_NULL};
        return FRZ_OK;
    }
    if (known->nulls > 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "rows of several partitions: column %s holds nulls and values",
                        p->source->name);
    if (known->nulls < 0 || !known->has_bounds || !known->exact || known->floating)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "neither folder nor statistics tell its value: %s", ask);
    FRZ_TRY(frz_transform_apply(transform, p->source->type, &known->least, arena, out, err));
    FRZ_TRY(frz_transform_apply(transform, p->source->type, &known->greatest, arena, &last, err));
    const bool one = frz_value_same(&known->least, &known->greatest) ||
                     (frz_transform_preserves_order(transform) && frz_value_same(out, &last));
    if (one)
        return FRZ_OK;
    return fail_found(p, &known->least, &known->greatest,
                      frz_transform_preserves_order(transform)
                          ? "rows of several partitions"
                          : "statistics do not tell which bucket, or of several",
                      err);
}

static frz_status fail_stated(const part *p, const statement *said, const char *rows,
                              frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s says %s%.*s%s, but column %s holds %s",
                    said->origin, said->null ? "null" : "\"", said->null ? 0 : (int)said->text.size,
                    (const char *)said->text.data, said->null ? "" : "\"", p->source->name, rows);
}

/* Whether the stated value can be that of every row. */
static frz_status check_stated(const part *p, const statement *said, const frz_value *value,
                               const evidence *known, frz_arena *arena, frz_error **err)
{
    frz_value first;
    frz_value last;
    const bool null = value->form == FRZ_VALUE_NULL;
    if (null && known->nulls >= 0 && known->nulls != known->rows)
        return fail_stated(p, said, "values", err);
    if (!null && known->nulls > 0)
        return fail_stated(p, said, known->nulls == known->rows ? "only nulls" : "nulls", err);
    if (null || !known->has_bounds)
        return FRZ_OK;
    FRZ_TRY(frz_transform_apply(&p->field->transform, p->source->type, &known->least, arena, &first,
                                err));
    FRZ_TRY(frz_transform_apply(&p->field->transform, p->source->type, &known->greatest, arena,
                                &last, err));
    const bool ordered = frz_transform_preserves_order(&p->field->transform);
    const bool one = frz_value_same(&known->least, &known->greatest);
    bool fits = true;
    if (known->exact && (ordered || one))
        fits = frz_value_same(value, &first) && frz_value_same(value, &last);
    else if (ordered)
        fits = frz_value_compare(&first, value) <= 0 && frz_value_compare(value, &last) <= 0;
    if (fits)
        return FRZ_OK;
    frz_buffer why = {0};
    frz_buffer_append_text(&why, said->origin);
    frz_buffer_append_text(&why, " says \"");
    frz_buffer_append(&why, said->text.data, said->text.size);
    frz_buffer_append_text(&why, "\"");
    frz_buffer_append_byte(&why, 0);
    const frz_status status =
        why.failed ? frz_fail_memory(err)
                   : fail_found(p, &known->least, &known->greatest, (const char *)why.data, err);
    frz_buffer_clear(&why);
    return status;
}

/* A value that is only stated makes the column only where the partition is the column's value. */
static frz_status check_absent(const part *p, const frz_foreign_file *file, const statement *said,
                               const frz_value *value, frz_arena *arena, frz_error **err)
{
    const evidence known = evidence_of(file, p->source);
    if (p->field->transform.kind == FRZ_TRANSFORM_IDENTITY &&
        !frz_foreign_file_has(file, p->source->id))
        return FRZ_OK;
    return check_stated(p, said, value, &known, arena, err);
}

static frz_status find_value(const frz_foreign_context *context, const frz_foreign_file *file,
                             const part *p, const statement *said, frz_value *out, frz_error **err)
{
    frz_arena *arena = context->arena;
    const frz_transform_kind kind = p->field->transform.kind;
    *out = (frz_value){.form = FRZ_VALUE_NULL};
    if (kind == FRZ_TRANSFORM_UNKNOWN || p->field->source_count != 1)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "transform %s is not written",
                        p->field->transform.text);
    if (kind == FRZ_TRANSFORM_VOID || !p->source)
        return FRZ_OK;
    if (!said->present) {
        const evidence known = evidence_of(file, p->source);
        return infer(p, &known, arena, out, err);
    }
    const bool null = said->null || (p->source->type->kind != FRZ_TYPE_STRING &&
                                     p->source->type->kind != FRZ_TYPE_BINARY &&
                                     frz_slice_is_text(said->text, "null"));
    if (!null)
        FRZ_TRY(parse_value(p, said->text, arena, out, err));
    return check_absent(p, file, said, out, arena, err);
}

frz_status frz_foreign_partition_find(const frz_foreign_context *context,
                                      const frz_foreign_file *file, const frz_option *stated,
                                      size_t stated_count, frz_foreign_partition *out,
                                      frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(context->metadata);
    const frz_partition_spec *spec = frz_metadata_spec(context->metadata);
    const frz_type *type = NULL;
    frz_value *values = frz_arena_array(context->arena, spec->field_count + 1, sizeof *values);
    int32_t *given = frz_arena_array(context->arena, spec->field_count + 1, sizeof *given);
    size_t given_count = 0;
    if (!values || !given)
        return frz_fail_memory(err);
    const frz_status folders = check_folders(context, file, err);
    if (folders != FRZ_OK)
        return frz_context(err, folders, "%s", file->location);
    FRZ_TRY(frz_partition_type(spec, schema, NULL, 0, context->arena, &type, err));
    for (size_t i = 0; i < spec->field_count; i++) {
        const part p = {&spec->fields[i], frz_schema_find_id(schema, spec->fields[i].source_ids[0]),
                        type->fields[i].type};
        statement said;
        FRZ_TRY(find_statement(context, file, stated, stated_count, p.field, &said, err));
        const frz_status status = find_value(context, file, &p, &said, &values[i], err);
        if (status != FRZ_OK)
            return frz_context(err, status, "%s: partition field %s", file->location,
                               p.field->name);
        if (p.source && p.field->transform.kind == FRZ_TRANSFORM_IDENTITY &&
            values[i].form != FRZ_VALUE_NULL)
            given[given_count++] = p.source->id;
    }
    *out = (frz_foreign_partition){values, spec->field_count, given, given_count};
    return FRZ_OK;
}
