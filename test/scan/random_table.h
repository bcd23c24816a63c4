/*
 * Tables of random schemas, partitionings, rows and deletes, and random filters over them. All
 * comes from a seed: values are few, near each other and often null, so that filters meet them.
 */
#ifndef FRZ_TEST_SCAN_RANDOM_TABLE_H
#define FRZ_TEST_SCAN_RANDOM_TABLE_H

#include "scan/table_fixture.h"

#include "frazil/text.h"

enum { RANDOM_COLUMNS_MAX = 7, RANDOM_LITERAL_SIZE = 96 };

typedef enum random_kind {
    RANDOM_BOOLEAN,
    RANDOM_INT,
    RANDOM_LONG,
    RANDOM_FLOAT,
    RANDOM_DOUBLE,
    RANDOM_SMALL_DECIMAL,
    RANDOM_LARGE_DECIMAL,
    RANDOM_DATE,
    RANDOM_TIME,
    RANDOM_TIMESTAMP,
    RANDOM_TIMESTAMPTZ,
    RANDOM_STRING,
    RANDOM_BINARY,
    RANDOM_FIXED,
    RANDOM_UUID,
    RANDOM_SCALARS, /* the number of them; below here what is nested */
    RANDOM_STRUCT = RANDOM_SCALARS,
    RANDOM_LIST,
    RANDOM_MAP,
    RANDOM_KINDS
} random_kind;

typedef struct random_table {
    uint64_t seed;
    random_kind kinds[RANDOM_COLUMNS_MAX]; /* column i is called c<i> */
    size_t column_count;
    numbered_table made;
    const char *story; /* what was done to it, for messages */
    char text[2048];
} random_table;

static inline int64_t below(uint64_t *seed, int64_t limit)
{
    return (int64_t)(next_random(seed) >> 20) % limit;
}

static inline const char *random_type(random_kind kind)
{
    static const char *const types[RANDOM_KINDS] = {
        [RANDOM_BOOLEAN] = "boolean",
        [RANDOM_INT] = "int",
        [RANDOM_LONG] = "long",
        [RANDOM_FLOAT] = "float",
        [RANDOM_DOUBLE] = "double",
        [RANDOM_SMALL_DECIMAL] = "decimal(9,2)",
        [RANDOM_LARGE_DECIMAL] = "decimal(38,10)",
        [RANDOM_DATE] = "date",
        [RANDOM_TIME] = "time",
        [RANDOM_TIMESTAMP] = "timestamp",
        [RANDOM_TIMESTAMPTZ] = "timestamptz",
        [RANDOM_STRING] = "string",
        [RANDOM_BINARY] = "binary",
        [RANDOM_FIXED] = "fixed(3)",
        [RANDOM_UUID] = "uuid",
        [RANDOM_STRUCT] = "struct<a: int, b: string>",
        [RANDOM_LIST] = "list<int>",
        [RANDOM_MAP] = "map<string, int>",
    };
    return types[kind];
}

/* The bare text of one value of a scalar type. */
static inline void random_text(uint64_t *seed, random_kind kind, char *out)
{
    static const char *const words[] = {
        "",       "a", "ab", "abcabcabcabcabcabcabcabc", "b", "\u00e9", "\U0001f389\U0001f389",
        "\uffff", "Z"};
    static const char *const floats[] = {"NaN", "Infinity", "-Infinity", "-0.0", "0.0"};
    const size_t room = RANDOM_LITERAL_SIZE;
    const long long n = below(seed, 40) - 15;
    const unsigned day = (unsigned)below(seed, 3) + 1;
    switch ((int)kind) {
    case RANDOM_BOOLEAN:
        (void)snprintf(out, room, "%s", n & 1 ? "true" : "false");
        break;
    case RANDOM_FLOAT:
    case RANDOM_DOUBLE:
        if (n >= 20)
            (void)snprintf(out, room, "%s", floats[n - 20]);
        else
            (void)snprintf(out, room, "%lld.5", n);
        break;
    case RANDOM_SMALL_DECIMAL:
        (void)snprintf(out, room, "%lld.%02u", n, day * 25);
        break;
    case RANDOM_LARGE_DECIMAL:
        (void)snprintf(out, room, "%lld00000000000000.0000000001", n == 0 ? 1 : n);
        break;
    case RANDOM_DATE:
        (void)snprintf(out, room, "%s-%02u", n & 1 ? "1969-12" : "2024-02", day + 26);
        break;
    case RANDOM_TIME:
        (void)snprintf(out, room, "%02u:00:00.%06lld", day * 7, n + 15);
        break;
    case RANDOM_TIMESTAMP:
    case RANDOM_TIMESTAMPTZ:
        (void)snprintf(out, room, "%s-%02uT%02lld:30:00.000001%s", n & 1 ? "1969-12" : "2024-02",
                       day + 26, (n + 15) % 24, kind == RANDOM_TIMESTAMPTZ ? "+00:00" : "");
        break;
    case RANDOM_STRING:
        (void)snprintf(out, room, "%s", words[below(seed, 9)]);
        break;
    case RANDOM_BINARY:
    case RANDOM_FIXED:
        (void)snprintf(out, room, "%s%02llx80ff", kind == RANDOM_BINARY && n & 1 ? "00" : "",
                       (unsigned long long)(n + 15) * 6);
        break;
    case RANDOM_UUID:
        (void)snprintf(out, room, "%02llx000000-0000-4000-8000-00000000000%u",
                       (unsigned long long)(n + 15) * 6, day);
        break;
    default:
        (void)snprintf(out, room, "%lld", n);
        break;
    }
}

/* One value as JSON; null now and then. */
static inline void random_json(uint64_t *seed, random_kind kind, frz_buffer *out)
{
    char text[RANDOM_LITERAL_SIZE];
    if (below(seed, 6) == 0) {
        frz_buffer_append_text(out, "null");
        return;
    }
    if (kind < RANDOM_SCALARS) {
        random_text(seed, kind, text);
        const bool bare = kind == RANDOM_BOOLEAN || kind == RANDOM_INT || kind == RANDOM_LONG;
        const bool hex = kind == RANDOM_BINARY || kind == RANDOM_FIXED;
        frz_buffer_printf(out, bare ? "%s" : hex ? "\"0x%s\"" : "\"%s\"", text);
    } else if (kind == RANDOM_STRUCT) {
        frz_buffer_append_text(out, "{\"a\":");
        random_json(seed, RANDOM_INT, out);
        frz_buffer_append_text(out, ",\"b\":");
        random_json(seed, RANDOM_STRING, out);
        frz_buffer_append_text(out, "}");
    } else {
        frz_buffer_append_byte(out, kind == RANDOM_LIST ? '[' : '{');
        for (int64_t i = 0, count = below(seed, 4); i < count; i++) {
            frz_buffer_append_text(out, i ? "," : "");
            if (kind == RANDOM_MAP)
                frz_buffer_printf(out, "\"k%d\":", (int)i);
            random_json(seed, RANDOM_INT, out);
        }
        frz_buffer_append_byte(out, kind == RANDOM_LIST ? ']' : '}');
    }
}

static inline void random_append(random_table *self, int64_t rows)
{
    frz_error *err = NULL;
    frz_buffer text = {0};
    struct ArrowSchema schema = {0};
    struct ArrowArrayStream stream = {0};
    frz_io *storage = self->made.storage;
    for (int64_t row = 0; row < rows; row++) {
        frz_buffer_printf(&text, "{\"id\":%lld", (long long)below(&self->seed, 1000));
        for (size_t i = 0; i < self->column_count; i++) {
            frz_buffer_printf(&text, ",\"c%zu\":", i);
            random_json(&self->seed, self->kinds[i], &text);
        }
        frz_buffer_append_text(&text, "}\n");
    }
    CHECK_OK(frz_io_write_file(storage, "mem://rows.jsonl", frz_buffer_slice(&text), &err), err);
    CHECK_OK(frz_table_arrow_schema(self->made.table, &schema, &err), err);
    CHECK_OK(
        frz_rows_open("mem://rows.jsonl", FRZ_ROW_FORMAT_JSONL, &schema, storage, &stream, &err),
        err);
    CHECK_OK(frz_table_append(self->made.table, &stream, NULL, NULL, &err), err);
    CHECK_OK(frz_io_remove(storage, "mem://rows.jsonl", &err), err);
    frz_arrow_schema_clear(&schema);
    frz_buffer_clear(&text);
}

/* A literal of the filter language. */
static inline void random_literal(uint64_t *seed, random_kind kind, char *out, size_t room)
{
    static const char *const prefix[RANDOM_SCALARS] = {
        [RANDOM_DATE] = "date ", [RANDOM_BINARY] = "X", [RANDOM_FIXED] = "X"};
    char text[RANDOM_LITERAL_SIZE];
    random_text(seed, kind, text);
    const bool bare = kind < RANDOM_DATE && !strpbrk(text, "Nf");
    (void)snprintf(out, room, "%s%s%s%s", prefix[kind] ? prefix[kind] : "", bare ? "" : "'", text,
                   bare ? "" : "'");
}

static inline void random_scalar_leaf(uint64_t *seed, const char *column, random_kind kind,
                                      char *out, size_t room)
{
    static const char *const compares[] = {"=", "<>", "<", "<=", ">", ">="};
    char one[RANDOM_LITERAL_SIZE + 8];
    char two[RANDOM_LITERAL_SIZE + 8];
    random_literal(seed, kind, one, sizeof one);
    random_literal(seed, kind, two, sizeof two);
    const bool number = kind == RANDOM_FLOAT || kind == RANDOM_DOUBLE;
    const int64_t form = below(seed, 10);
    if (form < 5 || (form == 5 && kind == RANDOM_BOOLEAN))
        (void)snprintf(out, room, "%s %s %s", column,
                       compares[below(seed, kind == RANDOM_BOOLEAN ? 2 : 6)], one);
    else if (form == 5)
        (void)snprintf(out, room, "%s between %s and %s", column, one, two);
    else if (form == 6)
        (void)snprintf(out, room, "%s %sin (%s, %s)", column, below(seed, 2) ? "not " : "", one,
                       two);
    else if (form == 7 && kind == RANDOM_STRING)
        (void)snprintf(out, room, "%s %slike 'a%%'", column, below(seed, 2) ? "not " : "");
    else if (form == 7 && number)
        (void)snprintf(out, room, "%s is %snan", column, below(seed, 2) ? "not " : "");
    else
        (void)snprintf(out, room, "%s is %snull", column, below(seed, 2) ? "not " : "");
}

static inline void random_leaf(random_table *self, char *out, size_t room)
{
    uint64_t *seed = &self->seed;
    char column[32];
    const size_t i = (size_t)below(seed, (int64_t)self->column_count + 1);
    if (i == self->column_count) {
        static const char *const of_row[] = {"id", "_pos", "_row_id"};
        const bool v3 = self->made.table->metadata->format_version > 2;
        (void)snprintf(out, room, "%s %s %lld", of_row[below(seed, v3 ? 3 : 2)],
                       below(seed, 2) ? "<" : ">=", (long long)below(seed, 300));
        return;
    }
    (void)snprintf(column, sizeof column, "c%zu", i);
    random_kind kind = self->kinds[i];
    if (kind == RANDOM_STRUCT && below(seed, 4)) {
        kind = below(seed, 2) ? RANDOM_INT : RANDOM_STRING;
        (void)snprintf(column, sizeof column, "c%zu.%c", i, kind == RANDOM_INT ? 'a' : 'b');
    } else if (kind == RANDOM_LIST && below(seed, 4)) {
        kind = RANDOM_INT;
        (void)snprintf(column, sizeof column, "c%zu[%d]", i, (int)below(seed, 3));
    } else if (kind == RANDOM_MAP && below(seed, 4)) {
        kind = RANDOM_INT;
        (void)snprintf(column, sizeof column, "c%zu['k%d']", i, (int)below(seed, 3));
    }
    if (kind < RANDOM_SCALARS)
        random_scalar_leaf(seed, column, kind, out, room);
    else
        (void)snprintf(out, room, "%s is %snull", column, below(seed, 2) ? "not " : "");
}

static inline void random_filter(random_table *self, int depth, char *out, size_t room)
{
    char left[1024];
    char right[1024];
    if (depth == 0 || below(&self->seed, 3) == 0) {
        random_leaf(self, out, room);
        return;
    }
    random_filter(self, depth - 1, left, sizeof left);
    random_filter(self, depth - 1, right, sizeof right);
    (void)snprintf(out, room, "%s(%s) %s (%s)", below(&self->seed, 5) ? "" : "not ", left,
                   below(&self->seed, 2) ? "and" : "or", right);
}

/* One partition term that suits the column, or none. */
static inline const char *random_transform(uint64_t *seed, random_kind kind)
{
    static const char *const moments[] = {"year(c%zu)", "month(c%zu)", "day(c%zu)", "c%zu"};
    if (kind == RANDOM_DATE || kind == RANDOM_TIMESTAMP || kind == RANDOM_TIMESTAMPTZ)
        return moments[below(seed, 4)];
    if (kind >= RANDOM_SCALARS)
        return NULL;
    const bool truncates = kind == RANDOM_INT || kind == RANDOM_LONG || kind == RANDOM_STRING ||
                           kind == RANDOM_SMALL_DECIMAL || kind == RANDOM_BINARY;
    const bool hashes = kind != RANDOM_BOOLEAN && kind != RANDOM_FLOAT && kind != RANDOM_DOUBLE;
    if (truncates && below(seed, 2))
        return "truncate(2, c%zu)";
    return hashes && below(seed, 3) ? "bucket(3, c%zu)" : "c%zu";
}

static inline random_table random_open(uint64_t seed)
{
    static const char *const metrics[] = {NULL, "none", "counts", "truncate(2)", "full"};
    random_table self = {.seed = seed};
    char schema[1024] = "id long not null";
    char partition[128] = "";
    self.column_count = 2 + (size_t)below(&self.seed, RANDOM_COLUMNS_MAX - 1);
    for (size_t i = 0; i < self.column_count; i++) {
        const size_t used = strlen(schema);
        self.kinds[i] = (random_kind)below(&self.seed, RANDOM_KINDS);
        (void)snprintf(schema + used, sizeof schema - used, ", c%zu %s", i,
                       random_type(self.kinds[i]));
        const char *term = random_transform(&self.seed, self.kinds[i]);
        if (term && below(&self.seed, 4) == 0) {
            const size_t end = strlen(partition);
            char text[64];
            (void)snprintf(text, sizeof text, "c%zu", i);
            const char *hole = strstr(term, "c%zu");
            (void)snprintf(partition + end, sizeof partition - end, "%s%.*s%s%s", end ? ", " : "",
                           (int)(hole - term), term, text, hole + strlen("c%zu"));
        }
    }
    const table_shape shape = {.schema = schema,
                               .partition = *partition ? partition : NULL,
                               .format_version = 1 + (int)below(&self.seed, 3),
                               .group_rows = 20 + (int)below(&self.seed, 100),
                               .page_rows = 3 + (int)below(&self.seed, 40),
                               .metrics = metrics[below(&self.seed, 5)]};
    self.made = numbered_open(&shape);
    (void)snprintf(self.text, sizeof self.text, "seed %llu: (%s) partitioned by (%s), V%d",
                   (unsigned long long)seed, schema, partition, shape.format_version);
    self.story = self.text;
    return self;
}

#endif
