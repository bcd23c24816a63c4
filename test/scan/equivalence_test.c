/*
 * Scans that must agree: a filtered scan is the full scan and then the filter, whatever prunes;
 * rows are the same for any batch size, any number of planning threads, with and without
 * statistics, with and without pruning. Seeded: a failure names the filter.
 */
#include "scan/table_fixture.h"

#include "expr/evaluate.h"
#include "scan/scan.h"

#define ALL_COLUMNS "*,_file,_pos,_row_id,_last_updated_sequence_number,_spec_id"

static int64_t below(uint64_t *seed, int64_t limit)
{
    return (int64_t)(next_random(seed) >> 20) % limit;
}

/* One comparison of a random column with a value that is near those of its rows. */
static void print_leaf(uint64_t *seed, char *out, size_t room)
{
    static const char *const compares[] = {"=", "<>", "<", "<=", ">", ">="};
    static const char *const cities[] = {"Bergen", "Oslo", "Riga", "Turku", "Q"};
    const char *compare = compares[below(seed, 6)];
    const long long n = below(seed, 1300);
    switch (below(seed, 16)) {
    case 0:
    case 1:
        (void)snprintf(out, room, "id %s %lld", compare, n);
        break;
    case 2:
        (void)snprintf(out, room, "id between %lld and %lld", n, n + (long long)below(seed, 200));
        break;
    case 3:
        (void)snprintf(out, room, "id in (%lld, %lld, %lld)", n, n / 2, n + 1);
        break;
    case 4:
        (void)snprintf(out, room, "name %s 'name-%06lld'", compare, n);
        break;
    case 5:
        (void)snprintf(out, room, "name like 'name-000%lld%%'", n % 13);
        break;
    case 6:
        (void)snprintf(out, room, "score %s %lld.5", compare, n / 2);
        break;
    case 7:
        (void)snprintf(out, room, below(seed, 2) ? "isnan(score)" : "not isnan(score)");
        break;
    case 8:
        (void)snprintf(out, room, "%s is %snull", below(seed, 2) ? "name" : "score",
                       below(seed, 2) ? "not " : "");
        break;
    case 9:
        (void)snprintf(out, room, "city %s '%s'", compare, cities[below(seed, 5)]);
        break;
    case 10:
        (void)snprintf(out, room, "city not in ('%s', '%s')", cities[below(seed, 5)],
                       cities[below(seed, 5)]);
        break;
    case 11:
        (void)snprintf(out, room, "p.x %s %lld", compare, n % 100);
        break;
    case 12:
        (void)snprintf(out, room, below(seed, 2) ? "p.y is null" : "p.y = 'y3'");
        break;
    case 13:
        (void)snprintf(out, room, "_pos %s %lld", compare, n % 500);
        break;
    case 14:
        (void)snprintf(out, room, "_row_id %s %lld", compare, n);
        break;
    default:
        (void)snprintf(out, room, "_last_updated_sequence_number %s %lld", compare, n % 5);
        break;
    }
}

static void print_filter(uint64_t *seed, int depth, char *out, size_t room)
{
    if (depth == 0 || below(seed, 3) == 0) {
        print_leaf(seed, out, room);
        return;
    }
    char left[512];
    char right[512];
    print_filter(seed, depth - 1, left, sizeof left);
    print_filter(seed, depth - 1, right, sizeof right);
    (void)snprintf(out, room, "%s(%s) %s (%s)", below(seed, 5) ? "" : "not ", left,
                   below(seed, 2) ? "and" : "or", right);
}

/* The rows of `all` for which the filter of `scan` is true, batch by batch. */
static void filter_rows(const frz_scan *scan, const collected *all, collected *out)
{
    frz_error *err = NULL;
    frz_evaluator *evaluator = NULL;
    CHECK_OK(frz_arrow_schema_copy(&all->schema, &out->schema, &err), err);
    out->batches = frz_alloc_array(all->count, sizeof *out->batches);
    CHECK_OK(frz_evaluator_new(scan->filter, scan->projection.type, &evaluator, &err), err);
    for (size_t i = 0; i < all->count; i++) {
        const int64_t length = all->batches[i].length;
        uint64_t *mask = frz_alloc_array((size_t)length / 64 + 1, sizeof *mask);
        int64_t kept = 0;
        memset(mask, 0xff, ((size_t)length / 64 + 1) * sizeof *mask);
        CHECK_OK(frz_evaluator_run(evaluator, &all->batches[i], mask, &kept, &err), err);
        if (kept)
            CHECK_OK(frz_arrow_array_filter(&all->schema, &all->batches[i], mask, kept,
                                            &out->batches[out->count++], &err),
                     err);
        out->rows += kept;
        frz_free(mask);
    }
    frz_evaluator_free(evaluator);
}

/* The same rows and count with everything read. */
static void check_unpruned(const frz_table *table, const frz_scan_options *options,
                           const collected *pruned)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    struct ArrowArrayStream stream = {0};
    collected rows = {0};
    int64_t count = 0;
    frz_scan_options all = *options;
    all.no_pruning = true;
    CHECK_OK(frz_scan_new(table, &all, &scan, &err), err);
    CHECK_OK(frz_scan_stream(scan, &stream, &err), err);
    CHECK_OK(collect_stream(&stream, &rows, &err), err);
    CHECK_OK(frz_scan_count(scan, &count, &err), err);
    check_same_rows(pruned, &rows, options->where);
    if (count != rows.rows)
        fail_msg("%s: count %lld of %lld rows", options->where, (long long)count,
                 (long long)rows.rows);
    collected_clear(&rows);
    frz_arrow_stream_clear(&stream);
    frz_scan_free(scan);
}

static void check_filter(const frz_table *table, const collected *all, const char *filter,
                         int64_t *selected)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    struct ArrowArrayStream stream = {0};
    collected pruned = {0};
    collected plain = {0};
    name_list list;
    int64_t count = 0;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = filter;
    select_columns(&options, ALL_COLUMNS, &list);
    CHECK_OK(frz_scan_new(table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_stream(scan, &stream, &err), err);
    CHECK_OK(collect_stream(&stream, &pruned, &err), err);
    CHECK_OK(frz_scan_count(scan, &count, &err), err);
    filter_rows(scan, all, &plain);
    check_same_rows(&plain, &pruned, filter);
    if (count != pruned.rows)
        fail_msg("%s: count %lld of %lld rows", filter, (long long)count, (long long)pruned.rows);
    check_unpruned(table, &options, &pruned);
    *selected += count > 0 && count < all->rows;
    collected_clear(&pruned);
    collected_clear(&plain);
    frz_arrow_stream_clear(&stream);
    frz_scan_free(scan);
}

/* Several files, groups and pages, with holes by deletes. */
static numbered_table make_table(const table_shape *shape)
{
    numbered_table self = numbered_open(shape);
    append_numbers(&self, 0, 450);
    append_numbers(&self, 450, 400);
    append_numbers(&self, 850, 430);
    delete_where(&self, "id in (0, 99, 100, 449, 450, 1279) or id between 600 and 720");
    delete_where(&self, "name is null and id < 500");
    return self;
}

static const table_shape shapes[] = {
    {.group_rows = 100, .page_rows = 10},
    {.group_rows = 64, .page_rows = 7, .partition = "city"},
    {.group_rows = 1000, .page_rows = 33, .format_version = 2},
    {.group_rows = 90, .page_rows = 45, .metrics = "none", .no_statistics = true},
    {.group_rows = 128, .page_rows = 16, .partition = "bucket(3, id), truncate(7, name)"},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, FILTERS = 120 };

static void test_a_filtered_scan_is_the_scan_and_then_the_filter(void **state)
{
    (void)state;
    uint64_t seed = 20260711;
    int64_t selected = 0;
    for (size_t s = 0; s < SHAPES; s++) {
        numbered_table self = make_table(&shapes[s]);
        frz_error *err = NULL;
        collected all = {0};
        name_list list;
        frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
        select_columns(&options, ALL_COLUMNS, &list);
        CHECK_OK(collect(self.table, &options, &all, &err), err);
        for (int i = 0; i < FILTERS; i++) {
            char filter[1200];
            print_filter(&seed, 2, filter, sizeof filter);
            check_filter(self.table, &all, filter, &selected);
        }
        collected_clear(&all);
        numbered_close(&self);
    }
    CHECK(selected > FILTERS); /* filters that select something, and not all */
}

static void test_batch_sizes_and_threads_do_not_show(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 7, 64, 65536};
    static const char *const filters[] = {NULL, "id > 333 and (score < 500 or name is null)",
                                          "p.x = 7 or city = 'Riga'"};
    for (size_t s = 0; s < SHAPES; s++) {
        numbered_table self = make_table(&shapes[s]);
        for (size_t f = 0; f < 3; f++) {
            frz_error *err = NULL;
            collected by_default = {0};
            name_list list;
            frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
            options.where = filters[f];
            select_columns(&options, ALL_COLUMNS ",_deleted", &list);
            CHECK_OK(collect(self.table, &options, &by_default, &err), err);
            for (size_t i = 0; i < 4; i++) {
                collected rows = {0};
                options.batch_rows = sizes[i];
                options.threads = (int32_t)i + 1;
                CHECK_OK(collect(self.table, &options, &rows, &err), err);
                check_same_rows(&by_default, &rows, filters[f] ? filters[f] : "all rows");
                for (size_t b = 0; b < rows.count; b++)
                    CHECK(rows.batches[b].length <= sizes[i]);
                collected_clear(&rows);
            }
            collected_clear(&by_default);
        }
        numbered_close(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_filtered_scan_is_the_scan_and_then_the_filter),
        cmocka_unit_test(test_batch_sizes_and_threads_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
