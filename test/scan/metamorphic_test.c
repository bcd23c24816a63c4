/*
 * Scans of random tables that must agree with each other, whatever the schema, the partitioning,
 * the rows and the deletes. A failure names the seed, the table and the filter.
 */
#include "scan/random_table.h"

#include "expr/evaluate.h"
#include "scan/scan.h"

enum { TABLES = 24, FILTERS = 25 };

#define FIRST_SEED UINT64_C(20261130)

typedef struct options_set {
    frz_scan_options options;
    name_list list;
} options_set;

static void choose(options_set *set, const random_table *of, const char *where)
{
    const bool v3 = of->made.table->metadata->format_version > 2;
    set->options = (frz_scan_options)FRZ_SCAN_OPTIONS_INIT;
    set->options.where = where;
    select_columns(&set->options,
                   v3 ? "*,_file,_pos,_spec_id,_row_id,_last_updated_sequence_number"
                      : "*,_file,_pos,_spec_id",
                   &set->list);
}

static collected rows_of_scan(const random_table *of, const frz_scan_options *options)
{
    frz_error *err = NULL;
    collected rows = {0};
    const frz_status status = collect(of->made.table, options, &rows, &err);
    if (status != FRZ_OK)
        fail_msg("%s\nwhere %s\n%s", of->story, options->where, frz_error_message(err));
    return rows;
}

/* The rows of `all` for which the filter is true (`wanted`), or is not true. */
static collected filtered(const random_table *of, const collected *all,
                          const frz_scan_options *options, bool wanted)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_evaluator *evaluator = NULL;
    collected out = {0};
    CHECK_OK(frz_arrow_schema_copy(&all->schema, &out.schema, &err), err);
    out.batches = frz_alloc_array(all->count, sizeof *out.batches);
    CHECK_OK(frz_scan_new(of->made.table, options, &scan, &err), err);
    CHECK_OK(frz_evaluator_new(scan->filter, scan->projection.type, &evaluator, &err), err);
    for (size_t i = 0; i < all->count; i++) {
        const int64_t length = all->batches[i].length;
        const size_t words = (size_t)length / 64 + 1;
        uint64_t *mask = frz_alloc_array(words, sizeof *mask);
        int64_t kept = 0;
        memset(mask, 0xff, words * sizeof *mask);
        CHECK_OK(frz_evaluator_run(evaluator, &all->batches[i], mask, &kept, &err), err);
        for (size_t w = 0; !wanted && w < words; w++)
            mask[w] = ~mask[w];
        if (!wanted && length % 64)
            mask[words - 1] &= (UINT64_C(1) << (length % 64)) - 1;
        kept = wanted ? kept : length - kept;
        if (kept)
            CHECK_OK(frz_arrow_array_filter(&all->schema, &all->batches[i], mask, kept,
                                            &out.batches[out.count++], &err),
                     err);
        out.rows += kept;
        frz_free(mask);
    }
    frz_evaluator_free(evaluator);
    frz_scan_free(scan);
    return out;
}

static void check_count(const random_table *of, const frz_scan_options *options, int64_t rows)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    int64_t count = 0;
    CHECK_OK(frz_scan_new(of->made.table, options, &scan, &err), err);
    CHECK_OK(frz_scan_count(scan, &count, &err), err);
    if (count != rows)
        fail_msg("%s\nwhere %s\ncount %lld of %lld rows", of->story, options->where,
                 (long long)count, (long long)rows);
    frz_scan_free(scan);
}

/* Moves the batches of a part behind those of another. */
static void give_batches(collected *part, collected *to)
{
    for (size_t i = 0; i < part->count; i++) {
        CHECK(frz_grow_array((void **)&to->batches, &to->capacity, to->count, sizeof *to->batches));
        to->batches[to->count++] = part->batches[i];
    }
    to->rows += part->rows;
    part->count = 0;
    collected_clear(part);
}

/* Reads the tasks of the plan one by one, the last first, and puts them together in order. */
static void check_split(const random_table *of, const frz_scan_options *options,
                        const collected *whole)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    collected joined = {0};
    CHECK_OK(frz_scan_new(of->made.table, options, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    const size_t count = frz_plan_file_count(plan);
    collected *parts = frz_alloc_array(count, sizeof *parts);
    for (size_t i = count; i-- > 0;) {
        struct ArrowArrayStream stream = {0};
        CHECK_OK(frz_plan_file_stream(plan, i, &stream, &err), err);
        CHECK_OK(collect_stream(&stream, &parts[i], &err), err);
        frz_arrow_stream_clear(&stream);
    }
    CHECK_OK(frz_arrow_schema_copy(&whole->schema, &joined.schema, &err), err);
    for (size_t i = 0; i < count; i++)
        give_batches(&parts[i], &joined);
    check_same_rows(whole, &joined, of->story);
    collected_clear(&joined);
    frz_free(parts);
    frz_plan_free(plan);
    frz_scan_free(scan);
}

static void check_options(const random_table *of, const frz_scan_options *options,
                          const collected *want, const char *what)
{
    char message[4096];
    collected got = rows_of_scan(of, options);
    (void)snprintf(message, sizeof message, "%s\nwhere %s\n%s", of->story, options->where, what);
    check_same_rows(want, &got, message);
    collected_clear(&got);
}

static void check_filter(random_table *of, const collected *all, int64_t *selected)
{
    char filter[2200];
    options_set set;
    random_filter(of, 2, filter, sizeof filter);
    choose(&set, of, filter);
    collected plain = filtered(of, all, &set.options, true);
    check_options(of, &set.options, &plain, "pushed down");
    check_count(of, &set.options, plain.rows);
    check_split(of, &set.options, &plain);
    set.options.no_pruning = true;
    check_options(of, &set.options, &plain, "without pruning");
    check_count(of, &set.options, plain.rows);
    set.options.no_pruning = false;
    set.options.batch_rows = 1 + (int32_t)below(&of->seed, 200);
    set.options.threads = 1 + (int32_t)below(&of->seed, 3);
    check_options(of, &set.options, &plain, "in other batches");
    *selected += plain.rows > 0 && plain.rows < all->rows;
    collected_clear(&plain);
}

/* A random choice of columns in random order, against the same columns of the whole rows. */
static void check_projection(random_table *of, const collected *all)
{
    char names[64] = "";
    struct ArrowSchema *schemas[4];
    size_t chosen[4];
    size_t count = 1 + (size_t)below(&of->seed, 3);
    for (size_t i = 0; i < count; i++) {
        chosen[i] = ((size_t)below(&of->seed, 50) + i) % of->column_count + 1; /* 0 is id */
        for (size_t k = 0; k < i; k++)
            if (chosen[k] == chosen[i])
                chosen[i] = 0;
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s", i ? "," : "",
                       all->schema.children[chosen[i]]->name);
        schemas[i] = all->schema.children[chosen[i]];
        if (chosen[i] == 0)
            count = i + 1;
    }
    options_set set = {.options = FRZ_SCAN_OPTIONS_INIT};
    select_columns(&set.options, names, &set.list);
    collected got = rows_of_scan(of, &set.options);
    if (got.rows != all->rows)
        fail_msg("%s\nselect %s: %lld rows of %lld", of->story, names, (long long)got.rows,
                 (long long)all->rows);
    row_walk left = {.rows = all, .row = -1};
    row_walk right = {.rows = &got, .row = -1};
    for (int64_t row = 0; row < all->rows; row++) {
        CHECK(walk_next(&left) && walk_next(&right));
        const struct ArrowArray *a = &all->batches[left.batch];
        const struct ArrowArray *b = &got.batches[right.batch];
        for (size_t i = 0; i < count; i++)
            if (!rows_equal(schemas[i], a->children[chosen[i]], a->offset + left.row,
                            b->children[i], b->offset + right.row))
                fail_msg("%s\nselect %s: row %lld differs", of->story, names, (long long)row);
    }
    collected_clear(&got);
}

/* Rows are gone if, and only if, the filter of the delete was true for them. Merge-on-read keeps
 * the others in their places; V1 has copy-on-write alone. */
static void delete_some(random_table *of)
{
    char filter[2200];
    frz_error *err = NULL;
    options_set set;
    random_filter(of, 1, filter, sizeof filter);
    choose(&set, of, filter);
    select_columns(&set.options, "*", &set.list);
    set.options.where = NULL;
    collected before = rows_of_scan(of, &set.options);
    choose(&set, of, filter);
    if (strstr(filter, "_pos") || strstr(filter, "_row_id")) {
        collected_clear(&before);
        return; /* columns that the rows at hand do not hold */
    }
    select_columns(&set.options, "*", &set.list);
    collected want = filtered(of, &before, &set.options, false);
    const size_t used = strlen(of->text);
    (void)snprintf(of->text + used, sizeof of->text - used, "\ndelete where %s", filter);
    const frz_status status =
        frz_table_delete(of->made.table, filter, FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err);
    if (status != FRZ_OK)
        fail_msg("%s\n%s", of->story, frz_error_message(err));
    set.options.where = NULL;
    collected got = rows_of_scan(of, &set.options);
    if (got.rows != want.rows)
        fail_msg("%s\n%lld rows stay, %lld were to", of->story, (long long)got.rows,
                 (long long)want.rows);
    collected_clear(&before);
    collected_clear(&want);
    collected_clear(&got);
}

static void check_table(uint64_t seed, int64_t *selected)
{
    random_table of = random_open(seed);
    options_set set;
    for (int64_t i = 0, count = 1 + below(&of.seed, 3); i < count; i++) {
        random_append(&of, 1 + below(&of.seed, 180));
        if (below(&of.seed, 3))
            delete_some(&of);
    }
    choose(&set, &of, NULL);
    collected all = rows_of_scan(&of, &set.options);
    check_count(&of, &set.options, all.rows);
    check_split(&of, &set.options, &all);
    for (int i = 0; i < FILTERS; i++)
        check_filter(&of, &all, selected);
    for (int i = 0; i < 4; i++)
        check_projection(&of, &all);
    collected_clear(&all);
    numbered_close(&of.made);
}

static void test_scans_of_random_tables_agree(void **state)
{
    (void)state;
    int64_t selected = 0;
    for (uint64_t i = 0; i < TABLES; i++)
        check_table(FIRST_SEED + i * 7919, &selected);
    CHECK(selected > TABLES * FILTERS / 4); /* filters that select something, and not all */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scans_of_random_tables_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
