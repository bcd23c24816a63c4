/*
 * Prints the rows of a Parquet file as JSON lines, one value per column in the conventions of the
 * golden answers (testdata/README.md). For the golden comparison only: `dump FILE [BATCH_ROWS
 * [MASK_STEP]]`.
 *
 * With MASK_STEP n every n-th row is asked for, through masks; other rows must not appear.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/decimal.h"
#include "frazil/io.h"
#include "io/file.h"
#include "parquet/field_reader.h"

static void print_value(const struct ArrowSchema *schema, const struct ArrowArray *array,
                        int64_t row);

static void print_text(const uint8_t *bytes, size_t size)
{
    putchar('"');
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '"' || bytes[i] == '\\')
            printf("\\%c", bytes[i]);
        else if (bytes[i] < 0x20)
            printf("\\u%04x", bytes[i]);
        else
            putchar(bytes[i]);
    }
    putchar('"');
}

static void print_hex(const uint8_t *bytes, size_t size)
{
    printf("\"0x");
    for (size_t i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    putchar('"');
}

static void print_uuid(const uint8_t *bytes)
{
    putchar('"');
    for (int i = 0; i < 16; i++)
        printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
    putchar('"');
}

static void print_double(double value)
{
    if (isnan(value))
        printf("\"NaN\"");
    else if (isinf(value))
        printf(value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    else
        printf(value == 0 && signbit(value) ? "-0.0" : "%.17g", value);
}

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                  : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

/* Days since the epoch as year, month, day of the proleptic Gregorian calendar. */
static void print_date(int64_t days)
{
    days += 719468;
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    const int64_t doe = days - era * 146097;
    const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    const int64_t mp = (5 * doy + 2) / 153;
    const int64_t day = doy - (153 * mp + 2) / 5 + 1;
    const int64_t month = mp < 10 ? mp + 3 : mp - 9;
    const int64_t year = yoe + era * 400 + (month <= 2);
    printf("%0*" PRId64 "-%02" PRId64 "-%02" PRId64, year < 0 ? 5 : 4, year, month, day);
}

static void print_clock(int64_t units, char unit)
{
    const int64_t per_second = unit == 'm' ? 1000 : unit == 'u' ? 1000000 : 1000000000;
    const int64_t seconds = units / per_second;
    const int64_t fraction = units % per_second * (unit == 'm' ? 1000 : 1);
    printf("%02" PRId64 ":%02" PRId64 ":%02" PRId64 ".%0*" PRId64, seconds / 3600,
           seconds / 60 % 60, seconds % 60, unit == 'n' ? 9 : 6, fraction);
}

static void print_timestamp(int64_t value, const frz_arrow_type *type)
{
    const int64_t per_day = INT64_C(86400) * (type->unit == 'm'   ? 1000
                                              : type->unit == 'u' ? 1000000
                                                                  : 1000000000);
    int64_t days = value / per_day;
    int64_t rest = value % per_day;
    if (rest < 0) {
        rest += per_day;
        days--;
    }
    putchar('"');
    print_date(days);
    putchar('T');
    print_clock(rest, type->unit);
    printf(type->zoned ? "Z\"" : "\"");
}

static void print_struct(const struct ArrowSchema *schema, const struct ArrowArray *array,
                         int64_t row)
{
    putchar('{');
    for (int64_t i = 0; i < schema->n_children; i++) {
        printf(i ? ", " : "");
        print_text((const uint8_t *)schema->children[i]->name, strlen(schema->children[i]->name));
        printf(": ");
        print_value(schema->children[i], array->children[i], row);
    }
    putchar('}');
}

static void print_list(const struct ArrowSchema *schema, const struct ArrowArray *array,
                       int64_t row)
{
    const int32_t *offsets = array->buffers[1];
    const bool map = strcmp(schema->format, "+m") == 0;
    const struct ArrowSchema *child = schema->children[0];
    const struct ArrowArray *values = array->children[0];
    printf(map ? "{\"$map\": [" : "[");
    for (int32_t i = offsets[row]; i < offsets[row + 1]; i++) {
        printf(i > offsets[row] ? ", " : "");
        if (map) {
            putchar('[');
            print_value(child->children[0], values->children[0], i);
            printf(", ");
            print_value(child->children[1], values->children[1], i);
            putchar(']');
        } else {
            print_value(child, values, i);
        }
    }
    printf(map ? "]}" : "]");
}

static int64_t integer_at(const void *data, int64_t row, size_t width, bool is_signed)
{
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)data + (size_t)row * width, width);
    if (is_signed && width < 8 && value >> (width * 8 - 1))
        value |= UINT64_MAX << (width * 8);
    return (int64_t)value;
}

static void print_fixed(const struct ArrowSchema *schema, const frz_arrow_type *type,
                        const uint8_t *data, int64_t row)
{
    const frz_slice extension = frz_arrow_schema_metadata(schema, "ARROW:extension:name");
    const uint8_t *at = data + row * type->width;
    if (frz_slice_is_text(extension, "arrow.uuid"))
        print_uuid(at);
    else
        print_hex(at, (size_t)type->width);
}

static void print_primitive(const struct ArrowSchema *schema, const frz_arrow_type *type,
                            const struct ArrowArray *array, int64_t row)
{
    const void *data = array->buffers[1];
    const int32_t *offsets = array->buffers[1];
    char text[FRZ_DECIMAL_TEXT_SIZE];
    frz_int128 decimal = 0;
    float single = 0;
    double wide = 0;
    switch ((int)type->kind) {
    case FRZ_ARROW_BOOL:
        printf(frz_bit_get(data, row) ? "true" : "false");
        return;
    case FRZ_ARROW_INT8:
    case FRZ_ARROW_INT16:
    case FRZ_ARROW_INT32:
    case FRZ_ARROW_INT64:
        printf("%" PRId64, integer_at(data, row, frz_arrow_type_width(type), true));
        return;
    case FRZ_ARROW_UINT8:
    case FRZ_ARROW_UINT16:
    case FRZ_ARROW_UINT32:
    case FRZ_ARROW_UINT64:
        printf("%" PRIu64, (uint64_t)integer_at(data, row, frz_arrow_type_width(type), false));
        return;
    case FRZ_ARROW_HALF:
        print_double(half_value((uint16_t)integer_at(data, row, 2, false)));
        return;
    case FRZ_ARROW_FLOAT:
        memcpy(&single, (const uint8_t *)data + row * 4, 4);
        print_double((double)single);
        return;
    case FRZ_ARROW_DOUBLE:
        memcpy(&wide, (const uint8_t *)data + row * 8, 8);
        print_double(wide);
        return;
    case FRZ_ARROW_DECIMAL:
        memcpy(&decimal, (const uint8_t *)data + row * 16, 16);
        printf("\"%.*s\"", (int)frz_decimal_print(decimal, type->scale, text), text);
        return;
    case FRZ_ARROW_STRING:
        print_text((const uint8_t *)array->buffers[2] + offsets[row],
                   (size_t)(offsets[row + 1] - offsets[row]));
        return;
    case FRZ_ARROW_BINARY:
        print_hex((const uint8_t *)array->buffers[2] + offsets[row],
                  (size_t)(offsets[row + 1] - offsets[row]));
        return;
    case FRZ_ARROW_FIXED:
        print_fixed(schema, type, data, row);
        return;
    case FRZ_ARROW_DATE32:
        putchar('"');
        print_date(integer_at(data, row, 4, true));
        putchar('"');
        return;
    case FRZ_ARROW_TIME32:
    case FRZ_ARROW_TIME64:
        putchar('"');
        print_clock(integer_at(data, row, type->unit == 'm' ? 4 : 8, true), type->unit);
        putchar('"');
        return;
    case FRZ_ARROW_TIMESTAMP:
        print_timestamp(integer_at(data, row, 8, true), type);
        return;
    default:
        printf("\"a type that the reader should not give: %s\"", schema->format);
    }
}

static void print_value(const struct ArrowSchema *schema, const struct ArrowArray *array,
                        int64_t row)
{
    frz_arrow_type type;
    if (frz_arrow_type_parse(schema->format, &type, NULL) != FRZ_OK)
        exit(1);
    if (frz_arrow_is_null(array, row))
        printf("null");
    else if (type.kind == FRZ_ARROW_STRUCT)
        print_struct(schema, array, array->offset + row);
    else if (type.kind == FRZ_ARROW_LIST || type.kind == FRZ_ARROW_MAP)
        print_list(schema, array, array->offset + row);
    else
        print_primitive(schema, &type, array, array->offset + row);
}

typedef struct dump {
    frz_parquet_file *file;
    const frz_parquet_metadata *metadata;
    struct ArrowSchema *schemas;
    struct ArrowArray *arrays;
    frz_parquet_field_reader **readers;
    size_t columns;
    int64_t batch_rows;
    int64_t mask_step;
    uint64_t *mask;
} dump;

static int fail(frz_status status, const frz_error *err)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", frz_status_name(status), frz_error_message(err));
    return status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED ? 7 : 1;
}

static frz_status open_columns(dump *d, frz_error **err)
{
    frz_status status = FRZ_OK;
    for (size_t i = 0; i < d->columns && status == FRZ_OK; i++) {
        const frz_parquet_node *node = &d->metadata->root.children[i];
        status = frz_parquet_node_arrow(d->file, node, NULL, &d->schemas[i], err);
        if (status == FRZ_OK)
            status =
                frz_parquet_field_reader_open(d->file, node, NULL, NULL, 0, &d->readers[i], err);
    }
    return status;
}

static frz_status dump_batch(dump *d, int64_t start, int64_t count, frz_error **err)
{
    int64_t selected = 0;
    frz_status status = FRZ_OK;
    memset(d->mask, 0, (size_t)(d->batch_rows / 64 + 1) * sizeof *d->mask);
    for (int64_t i = 0; d->mask_step && i < count; i++)
        if ((start + i) % d->mask_step == 0) {
            d->mask[i / 64] |= UINT64_C(1) << i % 64;
            selected++;
        }
    const uint64_t *mask = d->mask_step ? d->mask : NULL;
    const int64_t rows = mask ? selected : count;
    for (size_t i = 0; i < d->columns && status == FRZ_OK; i++) {
        status = frz_parquet_field_reader_read(d->readers[i], start, count, mask, selected,
                                               &d->arrays[i], err);
        if (status == FRZ_OK)
            status = frz_arrow_array_validate(&d->schemas[i], &d->arrays[i], err);
    }
    for (int64_t row = 0; row < rows && status == FRZ_OK; row++) {
        putchar('{');
        for (size_t i = 0; i < d->columns; i++) {
            printf(i ? ", " : "");
            print_text((const uint8_t *)d->schemas[i].name, strlen(d->schemas[i].name));
            printf(": ");
            print_value(&d->schemas[i], &d->arrays[i], row);
        }
        printf("}\n");
    }
    for (size_t i = 0; i < d->columns; i++)
        frz_arrow_array_clear(&d->arrays[i]);
    return status;
}

static frz_status dump_rows(dump *d, frz_error **err)
{
    for (size_t g = 0; g < d->metadata->row_group_count; g++) {
        const frz_parquet_row_group *group = &d->metadata->row_groups[g];
        const int64_t end = group->first_row + group->row_count;
        for (int64_t at = group->first_row; at < end; at += d->batch_rows) {
            const int64_t count = end - at < d->batch_rows ? end - at : d->batch_rows;
            const frz_status status = dump_batch(d, at, count, err);
            if (status != FRZ_OK)
                return status;
        }
    }
    return FRZ_OK;
}

static frz_status dump_file(dump *d, frz_input *input, frz_error **err)
{
    frz_status status = frz_parquet_file_open(input, NULL, &d->file, err);
    if (status != FRZ_OK)
        return status;
    d->metadata = frz_parquet_file_metadata(d->file);
    d->columns = d->metadata->root.child_count;
    d->schemas = calloc(d->columns + 1, sizeof *d->schemas);
    d->arrays = calloc(d->columns + 1, sizeof *d->arrays);
    d->readers = calloc(d->columns + 1, sizeof(*d->readers));
    d->mask = calloc((size_t)(d->batch_rows / 64 + 1), sizeof *d->mask);
    status = open_columns(d, err);
    if (status == FRZ_OK)
        status = dump_rows(d, err);
    for (size_t i = 0; i < d->columns; i++) {
        frz_parquet_field_reader_close(d->readers[i]);
        frz_arrow_schema_clear(&d->schemas[i]);
    }
    frz_parquet_file_close(d->file);
    free(d->schemas);
    free(d->arrays);
    free(d->readers);
    free(d->mask);
    return status;
}

int main(int argc, char **argv)
{
    frz_io *io = NULL;
    frz_input *input = NULL;
    frz_error *err = NULL;
    if (argc < 2)
        return 2;
    dump d = {.batch_rows = argc > 2 ? atoll(argv[2]) : 1024,
              .mask_step = argc > 3 ? atoll(argv[3]) : 0};
    frz_status status = frz_io_local_new(&io, &err);
    if (status == FRZ_OK)
        status = frz_io_open(io, argv[1], FRZ_IO_SIZE_UNKNOWN, &input, &err);
    if (status == FRZ_OK)
        status = dump_file(&d, input, &err);
    const int code = status == FRZ_OK ? 0 : fail(status, err);
    frz_error_free(err);
    frz_input_close(input);
    frz_io_free(io);
    return code;
}
