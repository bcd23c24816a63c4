/*
 * Avro files of other implementations, with the rows that Apache Avro for Python reads from them.
 */
#include "fixture.h"

#include "arrow/array.h"
#include "base/calendar.h"
#include "base/decimal.h"
#include "base/uuid.h"
#include "json/reader.h"

typedef struct tally {
    int passed;
    int refused;
    int rejected;
    int safe;
} tally;

static tally totals;

static bool check_value(frz_json_reader *json, const struct ArrowSchema *schema,
                        const struct ArrowArray *array, int64_t row);

static frz_slice read_string(frz_json_reader *json)
{
    frz_error *err = NULL;
    frz_slice text = {0};
    CHECK_OK(frz_json_read_string(json, &text, &err), err);
    return text;
}

static frz_json_kind peek(frz_json_reader *json)
{
    frz_error *err = NULL;
    frz_json_kind kind = FRZ_JSON_NULL;
    CHECK_OK(frz_json_peek(json, &kind, &err), err);
    return kind;
}

static bool check_struct(frz_json_reader *json, const struct ArrowSchema *schema,
                         const struct ArrowArray *array, int64_t row)
{
    frz_error *err = NULL;
    int64_t seen = 0;
    CHECK_OK(frz_json_enter_object(json, &err), err);
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        CHECK_OK(frz_json_next_key(json, &key, &more, &err), err);
        if (!more)
            break;
        int64_t child = 0;
        while (child < schema->n_children && !frz_slice_is_text(key, schema->children[child]->name))
            child++;
        if (child == schema->n_children ||
            !check_value(json, schema->children[child], array->children[child],
                         row + array->offset))
            return false;
        seen++;
    }
    return seen == schema->n_children;
}

static bool check_list(frz_json_reader *json, const struct ArrowSchema *schema,
                       const struct ArrowArray *array, int64_t row)
{
    frz_error *err = NULL;
    int32_t at = offset_at(array, row);
    CHECK_OK(frz_json_enter_array(json, &err), err);
    for (;; at++) {
        bool more = false;
        CHECK_OK(frz_json_next_item(json, &more, &err), err);
        if (!more)
            return at == offset_at(array, row + 1);
        if (at >= offset_at(array, row + 1) ||
            !check_value(json, schema->children[0], array->children[0], at))
            return false;
    }
}

/* Avro's own maps are objects, Iceberg's key-value arrays are lists of records. */
static bool check_map(frz_json_reader *json, const struct ArrowSchema *schema,
                      const struct ArrowArray *array, int64_t row)
{
    frz_error *err = NULL;
    if (peek(json) == FRZ_JSON_ARRAY)
        return check_list(json, schema, array, row);
    const struct ArrowArray *entries = array->children[0];
    int32_t at = offset_at(array, row);
    CHECK_OK(frz_json_enter_object(json, &err), err);
    for (;; at++) {
        frz_slice key = {0};
        bool more = false;
        CHECK_OK(frz_json_next_key(json, &key, &more, &err), err);
        if (!more)
            return at == offset_at(array, row + 1);
        if (!frz_slice_equal(key, text_at(entries->children[0], at)) ||
            !check_value(json, schema->children[0]->children[1], entries->children[1], at))
            return false;
    }
}

static bool hex_equals(frz_slice text, frz_slice bytes)
{
    char pair[3];
    if (text.size != 2 + 2 * bytes.size)
        return false;
    for (size_t i = 0; i < bytes.size; i++) {
        (void)snprintf(pair, sizeof pair, "%02x", bytes.data[i]);
        if (memcmp(text.data + 2 + 2 * i, pair, 2) != 0)
            return false;
    }
    return true;
}

static bool check_bytes(frz_json_reader *json, frz_slice bytes)
{
    const frz_slice text = read_string(json);
    frz_uuid uuid;
    if (bytes.size == 16 && frz_uuid_parse((const char *)text.data, text.size, &uuid))
        return memcmp(uuid.bytes, bytes.data, 16) == 0;
    return hex_equals(text, bytes);
}

static int64_t per_second(char unit)
{
    return unit == 'm' ? 1000 : unit == 'u' ? 1000000 : unit == 'n' ? 1000000000 : 1;
}

static bool check_time(frz_json_reader *json, const frz_arrow_type *type, int64_t value)
{
    frz_error *err = NULL;
    int64_t expected = 0;
    int64_t seconds = 0;
    int32_t nanos = 0;
    bool zoned = false;
    if (peek(json) == FRZ_JSON_NUMBER) { /* a logical type that the Python library does not know */
        CHECK_OK(frz_json_read_i64(json, &expected, &err), err);
        return value == expected;
    }
    const frz_slice text = read_string(json);
    const char *start = (const char *)text.data;
    if (type->kind == FRZ_ARROW_DATE32)
        return frz_calendar_parse_date(start, text.size, &expected) && expected == value;
    if (type->kind != FRZ_ARROW_TIMESTAMP) {
        const int64_t scale = 1000000 / per_second(type->unit);
        return frz_calendar_parse_time(start, text.size, &expected) && expected == value * scale;
    }
    CHECK(frz_calendar_parse_timestamp(start, text.size, &seconds, &nanos, &zoned));
    const int64_t unit = per_second(type->unit);
    return value == seconds * unit + nanos / (1000000000 / unit);
}

static bool check_number(frz_json_reader *json, double value)
{
    frz_error *err = NULL;
    double expected = 0;
    if (peek(json) == FRZ_JSON_STRING)
        return frz_slice_is_text(read_string(json), "NaN") ? value != value : true;
    CHECK_OK(frz_json_read_f64(json, &expected, &err), err);
    return value == expected;
}

static bool check_decimal(frz_json_reader *json, const frz_arrow_type *type, const void *at)
{
    const frz_slice text = read_string(json);
    frz_int128 value = 0;
    frz_int128 expected = 0;
    int scale = 0;
    memcpy(&value, at, sizeof value);
    return frz_decimal_parse((const char *)text.data, text.size, &expected, &scale) &&
           scale == type->scale && value == expected;
}

static bool check_leaf(frz_json_reader *json, const frz_arrow_type *type,
                       const struct ArrowArray *array, int64_t row)
{
    frz_error *err = NULL;
    const size_t at = (size_t)(row + array->offset);
    const uint8_t *values = array->buffers[1];
    bool boolean = false;
    int64_t integer = 0;
    switch ((int)type->kind) {
    case FRZ_ARROW_BOOL:
        CHECK_OK(frz_json_read_bool(json, &boolean, &err), err);
        return boolean == frz_bit_get(values, (int64_t)at);
    case FRZ_ARROW_INT32:
        CHECK_OK(frz_json_read_i64(json, &integer, &err), err);
        return integer == int_at(array, row);
    case FRZ_ARROW_INT64:
        CHECK_OK(frz_json_read_i64(json, &integer, &err), err);
        return integer == long_at(array, row);
    case FRZ_ARROW_FLOAT:
        return check_number(json, ((const float *)array->buffers[1])[at]);
    case FRZ_ARROW_DOUBLE:
        return check_number(json, ((const double *)array->buffers[1])[at]);
    case FRZ_ARROW_DATE32:
    case FRZ_ARROW_TIME32:
        return check_time(json, type, int_at(array, row));
    case FRZ_ARROW_TIME64:
    case FRZ_ARROW_TIMESTAMP:
        return check_time(json, type, long_at(array, row));
    case FRZ_ARROW_DECIMAL:
        return check_decimal(json, type, values + 16 * at);
    case FRZ_ARROW_FIXED:
        return check_bytes(json,
                           frz_slice_of(values + at * (size_t)type->width, (size_t)type->width));
    case FRZ_ARROW_BINARY:
        return check_bytes(json, text_at(array, row));
    case FRZ_ARROW_STRING:
        return frz_slice_equal(read_string(json), text_at(array, row));
    default:
        fail_msg("no check for Arrow kind %d", (int)type->kind);
        return false;
    }
}

static bool check_value(frz_json_reader *json, const struct ArrowSchema *schema,
                        const struct ArrowArray *array, int64_t row)
{
    frz_error *err = NULL;
    frz_arrow_type type = {0};
    bool is_null = false;
    CHECK_OK(frz_arrow_type_parse(schema->format, &type, &err), err);
    if (type.kind == FRZ_ARROW_UNION) {
        const uint8_t branch = ((const uint8_t *)array->buffers[0])[array->offset + row];
        return check_value(json, schema->children[branch], array->children[branch],
                           array->offset + row);
    }
    CHECK_OK(frz_json_read_null(json, &is_null, &err), err);
    if (is_null)
        return type.kind == FRZ_ARROW_NULL || frz_arrow_is_null(array, row);
    if (type.kind == FRZ_ARROW_NULL || frz_arrow_is_null(array, row))
        return false;
    if (type.kind == FRZ_ARROW_STRUCT)
        return check_struct(json, schema, array, row);
    if (type.kind == FRZ_ARROW_LIST)
        return check_list(json, schema, array, row);
    if (type.kind == FRZ_ARROW_MAP)
        return check_map(json, schema, array, row);
    return check_leaf(json, &type, array, row);
}

/* Row `row` of the batch against one line; a file that is no record is compared by its only column.
 */
static bool check_line(frz_slice line, const frz_avro_schema *schema,
                       const struct ArrowSchema *arrow, const struct ArrowArray *batch, int64_t row)
{
    frz_arena arena = {0};
    frz_json_reader json = frz_json_reader_over(line, &arena);
    const bool same = schema->kind == FRZ_AVRO_RECORD
                          ? check_value(&json, arrow, batch, row)
                          : check_value(&json, arrow->children[0], batch->children[0], row);
    frz_arena_clear(&arena);
    return same;
}

typedef struct golden {
    const char *folder;
    frz_slice name;
    frz_slice verdict;
    frz_slice rows_file;
    int64_t rows; /* -1 unknown */
    bool sample;  /* rows_file holds the first 5 and the last 5 rows */
} golden;

static frz_slice next_line(frz_slice *text)
{
    const uint8_t *end = text->size ? memchr(text->data, '\n', text->size) : NULL;
    const frz_slice line = frz_slice_of(text->data, end ? (size_t)(end - text->data) : text->size);
    const size_t used = end ? line.size + 1 : line.size;
    *text = frz_slice_of(text->data + used, text->size - used);
    return line;
}

/* Reads to the end; compares with `expected` when it is not empty. */
static frz_status read_all(frz_avro_reader *reader, const golden *g, frz_slice expected,
                           int64_t *rows_out, frz_error **err)
{
    struct ArrowSchema schema = {0};
    frz_status status = frz_avro_reader_arrow_schema(reader, &schema, err);
    if (status != FRZ_OK)
        return status;
    for (;;) {
        struct ArrowArray batch = {0};
        status = frz_avro_reader_next(reader, &batch, err);
        if (status != FRZ_OK)
            break;
        for (int64_t row = 0; row < batch.length; row++) {
            const int64_t at = *rows_out + row;
            if (expected.size == 0 || (g->sample && at >= 5 && at < g->rows - 5))
                continue;
            const frz_slice line = next_line(&expected);
            if (!check_line(line, frz_avro_reader_schema(reader), &schema, &batch, row))
                fail_msg("%s/%.*s row %lld differs from %.*s", g->folder, (int)g->name.size,
                         (const char *)g->name.data, (long long)at, (int)line.size,
                         (const char *)line.data);
        }
        *rows_out += batch.length;
        frz_arrow_array_clear(&batch);
    }
    frz_arrow_schema_clear(&schema);
    CHECK(status != FRZ_END || expected.size == 0);
    return status;
}

static void check_golden(const golden *g, bool mapped)
{
    char path[16384];
    frz_buffer file = {0};
    frz_buffer rows = {0};
    frz_error *err = NULL;
    frz_avro_reader *reader = NULL;
    int64_t count = 0;
    (void)snprintf(path, sizeof path, "%s/%.*s", g->folder, (int)g->name.size,
                   (const char *)g->name.data);
    CHECK(load_file(path, &file));
    if (g->rows_file.size) {
        (void)snprintf(path, sizeof path, "%s/%.*s", g->folder, (int)g->rows_file.size,
                       (const char *)g->rows_file.data);
        CHECK(load_file(path, &rows));
    }
    bytes_input input = input_over(frz_buffer_slice(&file));
    input.mapped = mapped && file.size;
    frz_status status = frz_avro_reader_open(&input.base, NULL, &reader, &err);
    if (status == FRZ_OK)
        status = read_all(reader, g, frz_buffer_slice(&rows), &count, &err);
    const bool accept = frz_slice_is_text(g->verdict, "accept");
    if (status == FRZ_UNSUPPORTED) {
        (void)printf("  refused by name: %s: %s\n", path, frz_error_message(err));
        totals.refused++;
    } else if (accept) {
        if (status != FRZ_END)
            fail_msg("%s: %s", path, frz_error_message(err));
        CHECK(g->rows < 0 || count == g->rows);
        totals.passed++;
    } else if (frz_slice_is_text(g->verdict, "reject")) {
        if (status != FRZ_CORRUPT)
            fail_msg("%s: %s, must be refused", path, frz_status_name(status));
        totals.rejected++;
    } else {
        totals.safe++;
    }
    frz_error_free(err);
    frz_avro_reader_close(reader);
    frz_buffer_clear(&file);
    frz_buffer_clear(&rows);
}

static golden read_entry(frz_json_reader *json, const char *folder, frz_slice name)
{
    frz_error *err = NULL;
    golden g = {.folder = folder, .name = name, .rows = -1};
    CHECK_OK(frz_json_enter_object(json, &err), err);
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        CHECK_OK(frz_json_next_key(json, &key, &more, &err), err);
        if (!more)
            return g;
        if (frz_slice_is_text(key, "verdict"))
            g.verdict = read_string(json);
        else if (frz_slice_is_text(key, "rows"))
            CHECK_OK(frz_json_read_i64(json, &g.rows, &err), err);
        else if (frz_slice_is_text(key, "rows_file"))
            g.rows_file = read_string(json);
        else if (frz_slice_is_text(key, "sample_file")) {
            g.rows_file = read_string(json);
            g.rows_file.size =
                (size_t)((const uint8_t *)strstr((const char *)g.rows_file.data, " (") -
                         g.rows_file.data);
            g.sample = true;
        } else
            CHECK_OK(frz_json_skip(json, &err), err);
    }
}

static bool is_avro(frz_slice name)
{
    return name.size < 5 || memcmp(name.data + name.size - 5, ".json", 5) != 0;
}

static void check_files(frz_json_reader *json, const char *folder)
{
    frz_error *err = NULL;
    CHECK_OK(frz_json_enter_object(json, &err), err);
    for (;;) {
        frz_slice name = {0};
        bool more = false;
        CHECK_OK(frz_json_next_key(json, &name, &more, &err), err);
        if (!more)
            return;
        const golden g = read_entry(json, folder, name);
        if (!is_avro(name))
            continue;
        check_golden(&g, false);
        check_golden(&g, true);
    }
}

static void check_source(const char *kind, const char *source)
{
    char folder[8192];
    char path[8300];
    frz_buffer text = {0};
    frz_arena arena = {0};
    frz_error *err = NULL;
    (void)snprintf(folder, sizeof folder, "%s/%s/%s", testdata_folder(), kind, source);
    (void)snprintf(path, sizeof path, "%s/expected.json", folder);
    if (!load_file(path, &text))
        fail_msg("%s is missing", path);
    frz_json_reader json = frz_json_reader_over(frz_buffer_slice(&text), &arena);
    CHECK_OK(frz_json_enter_object(&json, &err), err);
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
        if (!more)
            break;
        if (frz_slice_is_text(key, "files"))
            check_files(&json, folder);
        else
            CHECK_OK(frz_json_skip(&json, &err), err);
    }
    frz_arena_clear(&arena);
    frz_buffer_clear(&text);
}

static void test_files_of_other_implementations_read_as_stated(void **state)
{
    (void)state;
    static const char *const sources[][2] = {
        {"avro", "apache-avro"},      {"avro", "arrow-rs"},
        {"avro", "arrow-testing"},    {"avro", "duckdb-avro"},
        {"avro", "fastavro"},         {"avro", "goavro"},
        {"avro", "impala"},           {"manifests", "duckdb-avro"},
        {"manifests", "iceberg-cxx"}, {"manifests", "iceberg-rust"},
        {"manifests", "icebird"},     {"manifests", "impala"},
        {"manifests", "pg_lake"},
    };
    if (!testdata_folder()) {
        (void)printf("skipped: %zu sources of golden Avro files\n",
                     sizeof sources / sizeof *sources);
        return;
    }
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        check_source(sources[i][0], sources[i][1]);
    (void)printf(
        "Avro golden files, each unmapped and mapped: %d read, %d refused by name, %d rejected, "
        "%d either way\n",
        totals.passed, totals.refused, totals.rejected, totals.safe);
    CHECK(totals.passed > 100 && totals.rejected > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_of_other_implementations_read_as_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
