/*
 * The filters of the golden tables that Java and Spark wrote: each parses over its table's schema,
 * and the rows of the current state that it keeps are as many as stated. Filters with functions
 * that are not in the language are refused, and listed.
 */
#include "harness.h"

#include "base/arena.h"
#include "base/buffer.h"
#include "base/number.h"
#include "expr/expression.h"
#include "expr/truth.h"

typedef struct golden {
    const char *name;
    frz_arena arena;
    frz_schema *schema;
    frz_slice schema_json;
    frz_slice rows_json;
    frz_slice filters_json;
    const frz_value *const *rows;
    int64_t row_count;
} golden;

static int64_t passed;
static int64_t refused;
static int64_t parsed_only;

static frz_slice read_file(const char *path, frz_arena *arena)
{
    FILE *file = fopen(path, "rb");
    frz_buffer bytes = {0};
    frz_slice copy = {0};
    if (!file)
        return copy;
    for (;;) {
        uint8_t *to = frz_buffer_reserve(&bytes, 65536);
        CHECK(to != NULL);
        const size_t size = fread(to, 1, 65536, file);
        if (size == 0)
            break;
        bytes.size += size;
    }
    CHECK(fclose(file) == 0);
    CHECK(frz_arena_slice(arena, frz_buffer_slice(&bytes), &copy));
    frz_buffer_clear(&bytes);
    return copy;
}

static frz_value read_value(frz_json_reader *json, const frz_type *type, frz_arena *arena);

static frz_value read_struct(frz_json_reader *json, const frz_type *type, frz_arena *arena)
{
    frz_error *err = NULL;
    frz_value *items = frz_arena_array(arena, type->field_count, sizeof *items);
    CHECK(items != NULL);
    CHECK_OK(frz_json_enter_object(json, &err), err);
    for (;;) {
        frz_slice key;
        bool more = false;
        const frz_field *field = NULL;
        CHECK_OK(frz_json_next_key(json, &key, &more, &err), err);
        if (!more)
            break;
        for (size_t i = 0; i < type->field_count; i++) {
            if (frz_slice_is_text(key, type->fields[i].name))
                field = &type->fields[i];
        }
        if (field)
            items[field - type->fields] = read_value(json, field->type, arena);
        else
            CHECK_OK(frz_json_skip(json, &err), err);
    }
    return (frz_value){.form = FRZ_VALUE_STRUCT,
                       .items = {.data = items, .count = type->field_count}};
}

/* A JSON array: of elements, or for a map of [key, value] pairs. */
static frz_value read_items(frz_json_reader *json, const frz_type *type, frz_arena *arena)
{
    enum { ITEMS_MAX = 1000 };
    frz_error *err = NULL;
    const bool map = type->kind == FRZ_TYPE_MAP;
    frz_value *items = frz_arena_array(arena, ITEMS_MAX, sizeof *items);
    size_t count = 0;
    bool more = false;
    CHECK(items != NULL);
    CHECK_OK(frz_json_enter_array(json, &err), err);
    for (;;) {
        CHECK_OK(frz_json_next_item(json, &more, &err), err);
        if (!more)
            break;
        CHECK(count + 2 < ITEMS_MAX);
        if (!map) {
            items[count++] = read_value(json, type->fields[0].type, arena);
            continue;
        }
        CHECK_OK(frz_json_enter_array(json, &err), err);
        for (size_t i = 0; i < 2; i++) {
            CHECK_OK(frz_json_next_item(json, &more, &err), err);
            items[count++] = read_value(json, type->fields[i].type, arena);
        }
        CHECK_OK(frz_json_next_item(json, &more, &err), err);
        CHECK(!more);
    }
    return (frz_value){.form = FRZ_VALUE_LIST, .items = {.data = items, .count = count}};
}

/* {"$map": [...]} */
static frz_value read_map(frz_json_reader *json, const frz_type *type, frz_arena *arena)
{
    frz_error *err = NULL;
    frz_slice key;
    bool more = false;
    CHECK_OK(frz_json_enter_object(json, &err), err);
    CHECK_OK(frz_json_next_key(json, &key, &more, &err), err);
    CHECK(more && frz_slice_is_text(key, "$map"));
    const frz_value value = read_items(json, type, arena);
    CHECK_OK(frz_json_next_key(json, &key, &more, &err), err);
    CHECK(!more);
    return value;
}

static frz_value read_number(frz_json_reader *json)
{
    frz_error *err = NULL;
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_slice text;
    frz_value value = {.form = FRZ_VALUE_NUMBER};
    CHECK_OK(frz_json_peek(json, &kind, &err), err);
    if (kind == FRZ_JSON_NUMBER)
        CHECK_OK(frz_json_read_number(json, &text, &err), err);
    else
        CHECK_OK(frz_json_read_string(json, &text, &err), err);
    CHECK(frz_number_parse_f64((const char *)text.data, text.size, &value.number));
    return value;
}

static frz_value read_value(frz_json_reader *json, const frz_type *type, frz_arena *arena)
{
    frz_error *err = NULL;
    frz_value value = {.form = FRZ_VALUE_NULL};
    frz_slice text;
    bool null = false;
    CHECK_OK(frz_json_read_null(json, &null, &err), err);
    if (null)
        return value;
    switch (type->kind) {
    case FRZ_TYPE_BOOLEAN:
        value.form = FRZ_VALUE_BOOLEAN;
        CHECK_OK(frz_json_read_bool(json, &value.boolean, &err), err);
        return value;
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
        value.form = FRZ_VALUE_INTEGER;
        CHECK_OK(frz_json_read_i64(json, &value.integer, &err), err);
        return value;
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
        return read_number(json);
    case FRZ_TYPE_STRUCT:
        return read_struct(json, type, arena);
    case FRZ_TYPE_LIST:
        return read_items(json, type, arena);
    case FRZ_TYPE_MAP:
        return read_map(json, type, arena);
    case FRZ_TYPE_DECIMAL:
    case FRZ_TYPE_DATE:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
    case FRZ_TYPE_BINARY:
        CHECK_OK(frz_json_read_string(json, &text, &err), err);
        CHECK_OK(frz_value_parse(type, text, arena, &value, &err), err);
        return value;
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
        break;
    }
    CHECK_OK(frz_json_skip(json, &err), err);
    return (frz_value){.form = FRZ_VALUE_STRUCT};
}

static void find_members(golden *g, frz_slice text)
{
    frz_error *err = NULL;
    frz_json_reader json = frz_json_reader_over(text, &g->arena);
    CHECK_OK(frz_json_enter_object(&json, &err), err);
    for (;;) {
        frz_slice key;
        frz_slice raw;
        bool more = false;
        CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
        if (!more)
            break;
        CHECK_OK(frz_json_read_raw(&json, &raw, &err), err);
        if (frz_slice_is_text(key, "schema"))
            g->schema_json = raw;
        else if (frz_slice_is_text(key, "filters"))
            g->filters_json = raw;
        else if (frz_slice_is_text(key, "current_rows_with_metadata_columns") &&
                 !frz_slice_is_text(raw, "null"))
            g->rows_json = raw;
    }
}

static void read_rows(golden *g)
{
    enum { GOLDEN_ROWS_MAX = 20000 };
    frz_error *err = NULL;
    frz_json_reader json = frz_json_reader_over(g->rows_json, &g->arena);
    const frz_value **rows = frz_arena_array(&g->arena, GOLDEN_ROWS_MAX, sizeof *rows);
    CHECK(rows != NULL);
    CHECK_OK(frz_json_enter_array(&json, &err), err);
    for (;;) {
        bool more = false;
        CHECK_OK(frz_json_next_item(&json, &more, &err), err);
        if (!more)
            break;
        CHECK(g->row_count < GOLDEN_ROWS_MAX);
        rows[g->row_count++] = read_struct(&json, frz_schema_type(g->schema), &g->arena).items.data;
    }
    g->rows = g->row_count ? rows : NULL; /* of large tables the answers have none */
}

/* The part of the SQL text behind which only a remark in parentheses stands. */
static frz_slice without_remark(frz_slice sql)
{
    static const char *const remarks[] = {" (unsigned order)", " (prefix a)"};
    for (size_t i = 0; i < 2; i++) {
        const size_t size = strlen(remarks[i]);
        if (sql.size > size && memcmp(sql.data + sql.size - size, remarks[i], size) == 0)
            sql.size -= size;
    }
    return sql;
}

/* Functions of Spark that the language of expressions has not. */
static bool calls_a_function(const char *sql)
{
    static const char *const calls[] = {"try_variant_get(", "is_variant_null(",
                                        "schema_of_variant(", "size(", "get("};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strstr(sql, calls[i]))
            return true;
    }
    return false;
}

/*
 * Answers that contradict the order they state (NaN is the largest value): Spark's own pruning left
 * out files by bounds that do not cover their NaN. `count` is what that order gives.
 */
static int64_t right_count(const char *table, const char *sql, int64_t stated)
{
    static const struct {
        const char *table;
        const char *sql;
        int64_t stated;
        int64_t count;
    } wrong[] = {
        {"s70_schema_evolution", "c > 1.5", 3, 4},
        {"s81_metrics_modes", "d > 1", 3, 6},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (strcmp(table, wrong[i].table) == 0 && strcmp(sql, wrong[i].sql) == 0 &&
            stated == wrong[i].stated)
            return wrong[i].count;
    }
    return stated;
}

static void check_filter(golden *g, frz_slice sql, int64_t count)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *expr = NULL;
    const char *shown = frz_arena_text_n(&arena, sql.data, sql.size);
    CHECK(shown != NULL);
    const frz_status status =
        frz_expr_parse(without_remark(sql), &(const frz_expr_scope){g->schema, NULL, true, true},
                       &arena, &expr, &err);
    if (status == FRZ_INVALID && calls_a_function(shown)) {
        print_message("refused: %s: %s: %s\n", g->name, shown, frz_error_message(err));
        refused++;
    } else if (status != FRZ_OK) {
        fail_msg("%s: %s: %s", g->name, shown, frz_error_message(err));
    } else if (!g->rows) {
        parsed_only++;
    } else {
        int64_t kept = 0;
        for (int64_t row = 0; row < g->row_count; row++)
            kept += frz_expr_test_tuple(expr, frz_schema_type(g->schema), g->rows[row]) ==
                    FRZ_TRUTH_TRUE;
        const int64_t want = right_count(g->name, shown, count);
        if (kept != want)
            fail_msg("%s: %s keeps %d rows of %d, want %d", g->name, shown, (int)kept,
                     (int)g->row_count, (int)want);
        passed++;
    }
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void check_filters(golden *g)
{
    frz_error *err = NULL;
    frz_json_reader json = frz_json_reader_over(g->filters_json, &g->arena);
    bool more = false;
    CHECK_OK(frz_json_enter_array(&json, &err), err);
    for (;;) {
        frz_slice sql = {0};
        int64_t count = -1;
        CHECK_OK(frz_json_next_item(&json, &more, &err), err);
        if (!more)
            break;
        CHECK_OK(frz_json_enter_object(&json, &err), err);
        for (;;) {
            frz_slice key;
            CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
            if (!more)
                break;
            if (frz_slice_is_text(key, "sql"))
                CHECK_OK(frz_json_read_string(&json, &sql, &err), err);
            else if (frz_slice_is_text(key, "count"))
                CHECK_OK(frz_json_read_i64(&json, &count, &err), err);
            else
                CHECK_OK(frz_json_skip(&json, &err), err);
        }
        check_filter(g, sql, count);
    }
}

static void check_table(const char *folder, const char *name)
{
    char path[4600];
    frz_error *err = NULL;
    golden g = {.name = name};
    (void)snprintf(path, sizeof path, "%s/%s/expected.json", folder, name);
    const frz_slice text = read_file(path, &g.arena);
    if (text.size) {
        find_members(&g, text);
        if (g.schema_json.size && g.filters_json.size) {
            frz_json_reader json = frz_json_reader_over(g.schema_json, &g.arena);
            CHECK_OK(frz_schema_read_json(&json, &g.schema, &err), err);
            if (g.rows_json.size)
                read_rows(&g);
            check_filters(&g);
        }
    }
    frz_schema_unref(g.schema);
    frz_arena_clear(&g.arena);
}

static void golden_filters_keep_the_stated_rows(void **state)
{
    (void)state;
    const char *testdata = testdata_folder();
    char folder[4300];
    (void)snprintf(folder, sizeof folder, "%s/iceberg-tables/spark-1.12", testdata ? testdata : "");
    DIR *dir = testdata ? opendir(folder) : NULL;
    if (!dir) {
        print_message("skipped: 783 cases (no golden tables)\n");
        return;
    }
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] != '.')
            check_table(folder, entry->d_name);
    }
    CHECK(closedir(dir) == 0);
    print_message("filters: %d kept the stated rows, %d parsed without rows, %d refused by name\n",
                  (int)passed, (int)parsed_only, (int)refused);
    CHECK(passed >= 680);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_filters_keep_the_stated_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
