#include "expr/prune.h"

#include "expr/random.h"

static frz_schema *schema;

typedef struct known_stats {
    const frz_schema *schema;
    bool known[LEAVES];
    frz_column_stats stats[LEAVES];
} known_stats;

static int32_t leaf_id(int leaf)
{
    const frz_field *top = schema_field(schema, leaf_columns[leaf].top);
    return leaf_columns[leaf].inside < 0 ? top->id
                                         : top->type->fields[leaf_columns[leaf].inside].id;
}

static bool find_stats(void *context, const frz_reference *reference, frz_column_stats *out)
{
    const known_stats *known = context;
    for (int i = 0; i < LEAVES; i++) {
        if (leaf_columns[i].direct && leaf_id(i) == reference->field_id && known->known[i]) {
            *out = known->stats[i];
            return true;
        }
    }
    return false;
}

static void note_value(frz_column_stats *stats, const frz_value *value)
{
    stats->value_count++;
    if (value->form == FRZ_VALUE_NULL) {
        stats->null_count++;
    } else if (value->form == FRZ_VALUE_NUMBER && isnan(value->number)) {
        stats->nan_count++;
    } else {
        if (!stats->has_lower || frz_value_compare(value, &stats->lower) < 0)
            stats->lower = *value;
        if (!stats->has_upper || frz_value_compare(value, &stats->upper) > 0)
            stats->upper = *value;
        stats->has_lower = true;
        stats->has_upper = true;
    }
}

/* A bound may lie beyond the values: cut text below, more of it above, a number that is no value.
 */
static void loosen(rng *r, frz_column_stats *stats, frz_arena *arena, const frz_type *type)
{
    if (stats->has_lower && type->kind == FRZ_TYPE_STRING && rng_below(r, 3) == 0)
        stats->lower.bytes.size = (size_t)rng_below(r, (int64_t)stats->lower.bytes.size + 1);
    if (stats->has_upper && type->kind == FRZ_TYPE_STRING && rng_below(r, 3) == 0) {
        char *text = frz_arena_printf(arena, "%.*s\x7f", (int)stats->upper.bytes.size,
                                      (const char *)stats->upper.bytes.data);
        CHECK(text != NULL);
        stats->upper.bytes = frz_slice_of_text(text);
    }
    if (stats->has_lower && type->kind == FRZ_TYPE_INT && stats->lower.integer > INT32_MIN + 9)
        stats->lower.integer -= rng_below(r, 3);
}

static void forget(rng *r, frz_column_stats *stats)
{
    if (rng_below(r, 6) == 0)
        stats->value_count = -1;
    if (rng_below(r, 6) == 0)
        stats->null_count = -1;
    if (rng_below(r, 6) == 0)
        stats->nan_count = -1;
    if (rng_below(r, 6) == 0)
        stats->has_lower = false;
    if (rng_below(r, 6) == 0)
        stats->has_upper = false;
}

static void make_stats(rng *r, table *t, known_stats *out)
{
    *out = (known_stats){.schema = schema};
    for (int i = 0; i < LEAVES; i++) {
        frz_column_stats *stats = &out->stats[i];
        out->known[i] = rng_below(r, 10) > 0;
        if (rng_below(r, 8) == 0) {
            for (int64_t row = 1; row < t->row_count; row++)
                t->leaves[row][i] = t->leaves[0][i];
            stats->absent_constant = true;
            stats->has_lower = t->leaves[0][i].form != FRZ_VALUE_NULL;
            stats->lower = t->leaves[0][i];
            continue;
        }
        for (int64_t row = 0; row < t->row_count; row++)
            note_value(stats, &t->leaves[row][i]);
        loosen(r, stats, &t->arena, leaf_type(schema, i));
        forget(r, stats);
    }
}

static void pruning_never_lies(void **state)
{
    (void)state;
    static table t;
    static known_stats stats;
    frz_buffer text = {0};
    int64_t dropped = 0;
    int64_t proven = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        rng r = {.state = seed * UINT64_C(0x9e3779b97f4a7c15)};
        t = (table){0};
        fill_table(&t, &r, schema, rng_below(&r, 5));
        make_stats(&r, &t, &stats);
        for (int i = 0; i < 40; i++) {
            frz_arena arena = {0};
            const tree *wanted = random_tree(&r, schema, &arena, (int)rng_below(&r, 3), LEAVES);
            const frz_expr *expr = parse_tree(wanted, schema, &arena, &text);
            const bool may = frz_prune_may_match(expr, find_stats, &stats);
            const bool must = frz_prune_must_match(expr, find_stats, &stats);
            for (int64_t row = 0; row < t.row_count; row++) {
                const bool truth = oracle(wanted, t.leaves[row]) == FRZ_TRUTH_TRUE;
                if (truth ? !may : must)
                    fail_msg("seed %d row %d: may %d must %d for %s", (int)seed, (int)row, may,
                             must, (const char *)text.data);
            }
            dropped += !may;
            proven += must;
            frz_arena_clear(&arena);
        }
        clear_table(&t);
    }
    /* Of 120,000: statistics that say nothing would pass the checks above. */
    if (dropped < 37000 || proven < 16000)
        fail_msg("only %d dropped, %d proven", (int)dropped, (int)proven);
    frz_buffer_clear(&text);
}

/* One column's statistics by hand. */
typedef struct one_stat {
    int32_t id;
    frz_column_stats stats;
} one_stat;

static bool find_one(void *context, const frz_reference *reference, frz_column_stats *out)
{
    const one_stat *one = context;
    *out = one->stats;
    return reference->field_id == one->id;
}

static void check_one(one_stat one, const char *text, bool may, bool must)
{
    frz_arena arena = {0};
    const frz_expr *expr = sample_parse(schema, text, &arena);
    const bool got_may = frz_prune_may_match(expr, find_one, &one);
    const bool got_must = frz_prune_must_match(expr, find_one, &one);
    if (got_may != may || got_must != must)
        fail_msg("%s: may %d must %d, want %d %d", text, got_may, got_must, may, must);
    const frz_expr negated = {.op = FRZ_EXPR_NOT, .left = expr};
    const frz_expr again = {.op = FRZ_EXPR_NOT, .left = &negated};
    CHECK(frz_prune_may_match(&again, find_one, &one) == may);
    CHECK(frz_prune_must_match(&again, find_one, &one) == must);
    frz_arena_clear(&arena);
}

static frz_value number(double value)
{
    return (frz_value){.form = FRZ_VALUE_NUMBER, .number = value};
}

static one_stat doubles(int64_t nan_count, double lower, double upper)
{
    return (one_stat){5,
                      {.value_count = 3,
                       .null_count = 0,
                       .nan_count = nan_count,
                       .has_lower = true,
                       .has_upper = true,
                       .lower = number(lower),
                       .upper = number(upper)}};
}

/* Field report D058. */
static void d058_nan_counts_decide_what_bounds_cannot(void **state)
{
    (void)state;
    const int64_t counts[] = {1, -1}; /* some, and unknown */
    for (size_t i = 0; i < 2; i++) {
        check_one(doubles(counts[i], 3, 3), "d <> 3", true, false);
        check_one(doubles(counts[i], 3, 3), "NOT (d < 10)", true, false);
        check_one(doubles(counts[i], 3, 3), "d > 5", true, false);
        check_one(doubles(counts[i], 3, 3), "d >= 5", true, false);
        check_one(doubles(counts[i], 3, 3), "d < 5", true, false);
        check_one(doubles(counts[i], 3, 3), "d >= 3", true, true);
        check_one(doubles(counts[i], 3, 3), "d > 2", true, true);
        check_one(doubles(counts[i], 3, 3), "d <= 2", false, false);
        check_one(doubles(counts[i], 3, 3), "isnan(d)", true, false);
        check_one(doubles(counts[i], 3, 3), "d = 'NaN'", true, false);
    }
    check_one(doubles(0, 3, 3), "d <> 3", false, false);
    check_one(doubles(0, 3, 3), "d > 5", false, false);
    check_one(doubles(0, 3, 3), "d < 5", true, true);
    check_one(doubles(0, 3, 3), "d = 3", true, true);
    check_one(doubles(0, 3, 3), "isnan(d)", false, false);
    check_one(doubles(0, 3, 3), "d IS NOT NAN", true, true);
    const one_stat all_nan = {5, {.value_count = 3, .null_count = 0, .nan_count = 3}};
    check_one(all_nan, "d > 5", true, true);
    check_one(all_nan, "d < 5", false, false);
    check_one(all_nan, "isnan(d)", true, true);
    check_one(all_nan, "d IS NOT NAN", false, false);
    check_one(all_nan, "d = 'NaN'", true, true);
    check_one(all_nan, "d IN (1, 2)", false, false);
}

/* Field reports D060 and D093; a NaN bound is no bound. */
static void d060_d093_odd_bounds_are_not_believed(void **state)
{
    (void)state;
    check_one(doubles(0, -0.0, -0.0), "d = 0.0", true, true);
    check_one(doubles(0, -0.0, -0.0), "d >= 0", true, true);
    check_one(doubles(0, -0.0, -0.0), "d < 0", false, false);
    check_one(doubles(0, 0.0, 0.0), "d IN (-0.0, 1)", true, true);
    check_one(doubles(0, 10, 1), "d = 20", true, false);
    check_one(doubles(0, 10, 1), "d = 5", true, false);
    check_one(doubles(0, (double)NAN, (double)NAN), "d = 20", true, false);
    check_one(doubles(0, 1, (double)NAN), "d > 20", true, false);
    check_one(doubles(0, 1, (double)NAN), "d < 1", false, false);
}

/* Field report D059: what is not counted may be there. */
static void missing_metrics_never_prune(void **state)
{
    (void)state;
    one_stat nothing = {2, {.value_count = -1, .null_count = -1, .nan_count = -1}};
    check_one(nothing, "i IS NULL", true, false);
    check_one(nothing, "i IS NOT NULL", true, false);
    check_one(nothing, "i = 5", true, false);
    nothing.stats.has_lower = true;
    nothing.stats.has_upper = true;
    nothing.stats.lower = integer_value_of(5);
    nothing.stats.upper = integer_value_of(5);
    check_one(nothing, "i IS NULL", true, false);
    check_one(nothing, "i = 5", true, false);
    check_one(nothing, "i = 6", false, false);
    nothing.stats.null_count = 0;
    check_one(nothing, "i = 5", true, true);
    check_one(nothing, "i IS NULL", false, false);
    check_one(nothing, "i IS NOT NULL", true, true);
    check_one(nothing, "l = 5", true, false);
    const one_stat all_null = {2, {.value_count = 4, .null_count = 4, .nan_count = -1}};
    check_one(all_null, "i IS NULL", true, true);
    check_one(all_null, "i != 5", false, false);
    check_one(all_null, "i NOT IN (1, 2)", false, false);
}

/* A column that the file lacks has its initial default, or null. */
static void d045_d046_absent_columns_have_their_constant(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const one_stat us = {
        13, {.absent_constant = true, .has_lower = true, .lower = text_value(&arena, "US")}};
    check_one(us, "s = 'US'", true, true);
    check_one(us, "s IS NOT NULL", true, true);
    check_one(us, "s IS NULL", false, false);
    check_one(us, "s <> 'US'", false, false);
    check_one(us, "s = 'CA'", false, false);
    check_one(us, "s LIKE '%S'", true, true);
    const one_stat null = {13, {.absent_constant = true}};
    check_one(null, "s NOT IN ('a', 'b')", false, false);
    check_one(null, "s <> 'a'", false, false);
    check_one(null, "s IS NULL", true, true);
    frz_arena_clear(&arena);
}

static void prefixes_are_compared_with_cut_bounds(void **state)
{
    (void)state;
    frz_arena arena = {0};
    one_stat one = {
        13,
        {.value_count = 3, .null_count = 0, .nan_count = -1, .has_lower = true, .has_upper = true}};
    one.stats.lower = text_value(&arena, "ab");
    one.stats.upper = text_value(&arena, "abd");
    check_one(one, "s STARTS WITH 'a'", true, true);
    check_one(one, "s STARTS WITH 'abc'", true, false);
    check_one(one, "s STARTS WITH 'abe'", false, false);
    check_one(one, "s STARTS WITH 'aa'", false, false);
    check_one(one, "s NOT STARTS WITH 'ab'", false, false);
    check_one(one, "s NOT STARTS WITH 'abc'", true, false);
    check_one(one, "s NOT STARTS WITH 'b'", true, true);
    check_one(one, "s LIKE 'b%x'", false, false);
    check_one(one, "s NOT LIKE 'b%x'", true, true);
    check_one(one, "s LIKE '%x'", true, false);
    frz_arena_clear(&arena);
}

/* Of two columns the rows are looked at, whatever is known of one. */
static void pairs_of_columns_are_not_pruned(void **state)
{
    (void)state;
    const one_stat null = {2, {.absent_constant = true}};
    check_one(null, "i = l", true, false);
    check_one(null, "l < i AND i IS NULL", true, false);
    const one_stat all_null = {2, {.value_count = 3, .null_count = 3, .nan_count = -1}};
    check_one(all_null, "i >= i", true, false);
}

/* Partition field ids are another space than column ids. */
static void partition_columns_are_not_looked_up_by_column_id(void **state)
{
    (void)state;
    const one_stat i = {2, {.value_count = 1, .null_count = 1, .nan_count = -1}};
    check_one(i, "_partition.q = 'x'", true, false);
    check_one(i, "i = 1", false, false);
    check_one((one_stat){22, {.value_count = 1, .null_count = 1}}, "ls[0] = 1", true, false);
}

static int open_schema(void **state)
{
    (void)state;
    schema = sample_schema();
    return schema ? 0 : -1;
}

static int close_schema(void **state)
{
    (void)state;
    frz_schema_unref(schema);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pruning_never_lies),
        cmocka_unit_test(d058_nan_counts_decide_what_bounds_cannot),
        cmocka_unit_test(d060_d093_odd_bounds_are_not_believed),
        cmocka_unit_test(missing_metrics_never_prune),
        cmocka_unit_test(d045_d046_absent_columns_have_their_constant),
        cmocka_unit_test(prefixes_are_compared_with_cut_bounds),
        cmocka_unit_test(pairs_of_columns_are_not_pruned),
        cmocka_unit_test(partition_columns_are_not_looked_up_by_column_id),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
