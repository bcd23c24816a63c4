/* Covers: expr/assignment expr/cast expr/formula_bind expr/formula_parse expr/formula_value. */
#include "expr/assignment.h"
#include "expr/cast.h"

#include "harness.h"

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "spec/ddl.h"
#include "spec/value_arrow.h"

static const char *const ddl =
    "i int, l long, f float, d double, p decimal(9,2), q decimal(38,0), s string, b boolean, "
    "day date, ts timestamp, tz timestamptz, x binary, n struct<a: int not null, t: string>, "
    "tags list<string>, u uuid, z string, words list<string>";

/* One row; a column that is not named is null. */
static const char *const values[][2] = {
    {"i", "7"},
    {"l", "9223372036854775800"},
    {"f", "0.5"},
    {"d", "2.5"},
    {"p", "12.34"},
    {"q", "99999999999999999999999999999999999999"},
    {"s", "aBc \xc3\xa9"},
    {"b", "true"},
    {"day", "2026-01-02"},
    {"ts", "2026-01-02T03:04:05.678901"},
};

typedef struct world {
    frz_schema *schema;
    struct ArrowArray batch;
} world;

static frz_value value_of(const frz_field *field, frz_arena *arena)
{
    static const frz_value nulls[2] = {{.form = FRZ_VALUE_NULL}, {.form = FRZ_VALUE_NULL}};
    frz_value value = {.form = FRZ_VALUE_NULL};
    frz_error *err = NULL;
    if (strcmp(field->name, "words") == 0)
        return (frz_value){.form = FRZ_VALUE_LIST, .items = {.data = nulls, .count = 2}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(values[i][0], field->name) == 0)
            CHECK_OK(
                frz_value_parse(field->type, frz_slice_of_text(values[i][1]), arena, &value, &err),
                err);
    }
    return value;
}

static void open_world(world *w)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    struct ArrowSchema arrow = {0};
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text(ddl), &w->schema, &err), err);
    CHECK_OK(frz_schema_to_arrow(w->schema, &arrow, &err), err);
    CHECK_OK(frz_arrow_builder_new(&arrow, &builder, &err), err);
    const frz_type *root = frz_schema_type(w->schema);
    for (size_t i = 0; i < root->field_count; i++) {
        const frz_value value = value_of(&root->fields[i], &arena);
        frz_value_append(root->fields[i].type, &value, frz_arrow_builder_child(builder, i));
    }
    frz_arrow_append_struct(builder);
    CHECK_OK(frz_arrow_builder_finish(builder, &w->batch, &err), err);
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&arrow);
    frz_arena_clear(&arena);
}

static void close_world(world *w)
{
    frz_arrow_array_clear(&w->batch);
    frz_schema_unref(w->schema);
}

static frz_status run(const world *w, const char *set, frz_arena *arena, frz_buffer *text,
                      frz_error **err)
{
    const frz_expr_scope scope = {.schema = w->schema, .case_sensitive = true};
    const frz_assignment_scope all = {w->schema, &scope, frz_schema_type(w->schema)};
    const frz_assignment *items = NULL;
    size_t count = 0;
    FRZ_TRY(frz_assignments_parse(frz_slice_of_text(set), &all, arena, &items, &count, err));
    for (size_t i = 0; i < count; i++) {
        frz_value value = {.form = FRZ_VALUE_NULL};
        if (items[i].formula)
            FRZ_TRY(frz_formula_value(items[i].formula, &w->batch, 0, arena, &value, err));
        if (i > 0)
            frz_buffer_append_text(text, "; ");
        frz_value_print(items[i].field->type, &value, text);
    }
    return frz_buffer_check(text, err);
}

/* What one assignment gives, as text. */
static void formulas_compute_what_sql_says(void **state)
{
    static const struct {
        const char *set;
        const char *want;
    } cases[] = {
        {"i = i + 1", "8"},
        {"i = 1 + 2 * 3 - 4 / 3 % 2", "6"},
        {"i = (1 + 2) * 3", "9"},
        {"i = 5-2-1", "2"},
        {"i = -i", "-7"},
        {"i = - -i", "7"},
        {"i = -7 / 2", "-3"},
        {"i = -7 % 2", "-1"},
        {"l = l + 7", "9223372036854775807"},
        {"l = -9223372036854775808 % -1", "0"},
        {"d = i / 2.0", "3.5"},
        {"d = i / 2e0", "3.5"},
        {"d = d * f", "1.25"},
        {"d = 1e0 / 0", "Infinity"},
        {"f = d", "2.5"},
        {"p = p + 1", "13.34"},
        {"p = p * 2", "24.68"},
        {"p = p - 0.34", "12.00"},
        {"p = i", "7.00"},
        {"p = 1.5", "1.50"},
        {"p = cast(p * 1.005 as decimal(9,2))", "12.40"},
        {"p = cast(-2.675 as decimal(9,2))", "-2.68"},
        {"p = cast(10 / 3.0 as decimal(9,2))", "3.33"},
        {"p = p % 5", "2.34"},
        /* 39 digits, of which the last is a zero: beyond decimal(38). Found by fuzzing. */
        {"d = 200000000000000000000000000000000000000 / 1e38", "2.0"},
        {"s = s || '!'", "aBc \xc3\xa9!"},
        {"s = upper(s) || lower(s)", "ABC \xc3\xa9"
                                     "abc \xc3\xa9"},
        {"s = z || 'x'", "null"},
        {"s = coalesce(z, s, 'x')", "aBc \xc3\xa9"},
        {"s = coalesce(z, 'it''s')", "it's"},
        {"s = cast(p as string)", "12.34"},
        {"s = cast(day as string) || ' ' || cast(i as string)", "2026-01-02 7"},
        {"i = coalesce(NULL, 4)", "4"},
        {"i = cast('42' as int)", "42"},
        {"i = cast(d as int)", "2"},
        {"i = cast(2.5 as int)", "3"},
        {"l = null", "null"},
        {"i = DEFAULT", "null"},
        {"b = false", "false"},
        {"day = date '2026-02-03'", "2026-02-03"},
        {"day = '2026-02-03'", "2026-02-03"},
        {"day = cast(ts as date)", "2026-01-02"},
        {"ts = day", "2026-01-02T00:00:00.000000"},
        {"x = X'00ff'", "0x00ff"},
        {"n.t = 'x', n.a = i", "x; 7"},
        {"i = size(words) + 1", "3"},
        {"i = coalesce(size(tags), -1)", "-1"},
        {"tags = NULL", "null"},
        {"n = null", "null"},
        {"i = i, l = i + 1 , s = z", "7; 8; null"},
        {"\"i\" = `l` - l", "0"},
    };
    world w = {0};
    (void)state;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_arena arena = {0};
        frz_buffer text = {0};
        frz_error *err = NULL;
        const frz_status status = run(&w, cases[i].set, &arena, &text, &err);
        if (status != FRZ_OK)
            fail_msg("%s: %s", cases[i].set, frz_error_message(err));
        frz_buffer_append_byte(&text, 0);
        if (strcmp((char *)text.data, cases[i].want) != 0)
            fail_msg("%s: expected %s, got %s", cases[i].set, cases[i].want, (char *)text.data);
        frz_buffer_clear(&text);
        frz_arena_clear(&arena);
    }
    close_world(&w);
}

static void what_cannot_be_right_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *set;
        frz_status status;
        int offset; /* -1: a value, without offset */
        const char *message;
    } cases[] = {
        {"i = l", FRZ_INVALID, -1, "9223372036854775800 does not fit int"},
        {"l = l + 8", FRZ_INVALID, -1, "9223372036854775800 + 8 leaves the range of long"},
        {"l = -(-9223372036854775807 - 1)", FRZ_INVALID, -1, "leaves the range of long"},
        {"l = (-9223372036854775807 - 1) / -1", FRZ_INVALID, -1, "leaves the range of long"},
        {"q = q + 1", FRZ_INVALID, -1, "leaves the range of decimal"},
        {"q = q * q", FRZ_INVALID, -1, "leaves the range of decimal"},
        {"i = i / 0", FRZ_INVALID, -1, "division by zero"},
        {"p = p % 0", FRZ_INVALID, -1, "division by zero"},
        {"p = p * 1.005", FRZ_INVALID, -1,
         "12.40170 has more digits behind the point (cast rounds them off) than decimal(9, 2)"},
        {"p = i * 10000000", FRZ_INVALID, -1, "70000000 does not fit decimal(9, 2)"},
        {"i = cast(s as int)", FRZ_INVALID, -1, "aBc"},
        {"f = 1e200 * d", FRZ_INVALID, -1, "does not fit float"},
        {"i = 2.5", FRZ_INVALID, 4, "int cannot hold the literal exactly"},
        {"i = 3000000000", FRZ_INVALID, 4, "int cannot hold the literal exactly"},
        {"i = d", FRZ_INVALID, 4, "double is not taken as int: cast(... as int) converts it"},
        {"i = s", FRZ_INVALID, 4, "string is not taken as int"},
        {"s = i", FRZ_INVALID, 4, "int is not taken as string"},
        {"s = s || i", FRZ_INVALID, 9, "int is no string"},
        {"i = s + 1", FRZ_INVALID, 4, "string is no number"},
        {"ts = tz", FRZ_INVALID, 5, "is not taken as timestamp"},
        {"i = ", FRZ_INVALID, 4, "expected a column or a literal, got the end"},
        {"i = 1 2", FRZ_INVALID, 6, "expected a comma or the end, got 2"},
        {"i = (1", FRZ_INVALID, 6, "expected ), got the end"},
        {"i = abs(i)", FRZ_INVALID, 4, "no function abs"},
        {"i = size(s)", FRZ_INVALID, 9, "size() is of a list or a map; the column s is neither"},
        {"i = size(tags, tags)", FRZ_INVALID, 13, "expected ), got ,"},
        {"i = size(tags || 's')", FRZ_INVALID, 14, "expected ), got |"},
        {"i = upper(s, s)", FRZ_INVALID, 4, "upper takes one argument"},
        {"i = cast(s as nothing)", FRZ_INVALID, 13, "expected a type"},
        {"i 1", FRZ_INVALID, 2, "expected ="},
        {"j = 1", FRZ_INVALID, 0, "no column j"},
        {"i = j", FRZ_INVALID, 4, "no column j"},
        {"i = 1, i = 2", FRZ_INVALID, 6, "i and i are set at once"},
        {"n = null, n.a = 2", FRZ_INVALID, 9, "n and n.a are set at once"},
        {"tags = s", FRZ_UNSUPPORTED, 7, "column tags is a list"},
        {"tags[0] = 's'", FRZ_INVALID, 4, "expected ="},
        {"_pos = 1", FRZ_INVALID, 0, "no column _pos"},
    };
    world w = {0};
    (void)state;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_arena arena = {0};
        frz_buffer text = {0};
        frz_error *err = NULL;
        uint64_t offset = 0;
        if (run(&w, cases[i].set, &arena, &text, &err) != cases[i].status)
            fail_msg("%s: got %.*s %s", cases[i].set, (int)text.size, (char *)text.data,
                     err ? frz_error_message(err) : "");
        if (!strstr(frz_error_message(err), cases[i].message))
            fail_msg("%s: %s", cases[i].set, frz_error_message(err));
        const bool has = frz_error_offset(err, &offset);
        if (has != (cases[i].offset >= 0) || (has && (int)offset != cases[i].offset))
            fail_msg("%s: offset %d, %s", cases[i].set, has ? (int)offset : -1,
                     frz_error_message(err));
        frz_error_free(err);
        frz_buffer_clear(&text);
        frz_arena_clear(&arena);
    }
    close_world(&w);
}

static void depth_and_length_have_limits(void **state)
{
    world w = {0};
    frz_buffer set = {0};
    (void)state;
    open_world(&w);
    for (int kind = 0; kind < 2; kind++) {
        frz_arena arena = {0};
        frz_buffer text = {0};
        frz_error *err = NULL;
        frz_buffer_reset(&set);
        frz_buffer_append_text(&set, "i = ");
        frz_buffer_append_fill(&set, kind == 0 ? '(' : '-', 100000);
        frz_buffer_append_byte(&set, 0);
        if (kind == 1)
            for (size_t i = 5; i < set.size - 1; i += 2)
                set.data[i] = ' ';
        CHECK_FAILS(run(&w, (char *)set.data, &arena, &text, &err), FRZ_UNSUPPORTED, err,
                    "limit nesting_depth");
        frz_buffer_clear(&text);
        frz_arena_clear(&arena);
    }
    frz_buffer_clear(&set);
    close_world(&w);
}

static world swept;

static void compute_swept(void)
{
    frz_arena arena = {0};
    frz_buffer text = {0};
    const frz_status status =
        run(&swept, "s = upper(coalesce(z, s)) || cast(p * 2 as string), n.a = i % 3, d = f",
            &arena, &text, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    swept = (world){0};
    open_world(&swept);
    sweep_allocation_failures(compute_swept);
    close_world(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_compute_what_sql_says),
        cmocka_unit_test(what_cannot_be_right_is_refused_with_its_place),
        cmocka_unit_test(depth_and_length_have_limits),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
