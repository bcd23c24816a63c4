/*
 * Random histories of appends, deletes, updates, merges and overwrites against a model: after each
 * commit the table has the model's rows, and with row lineage their _row_id and
 * _last_updated_sequence_number are what the specification says: rows that did not change keep
 * both, rows that changed keep the first, and new rows have ids that no row had before.
 */
#include "table_fixture.h"

enum { ROWS_MAX = 240, IDS = 40, STEPS = 30, SEEDS = 3 };

typedef struct model_row {
    int id;
    char name[12];
    int64_t row_id; /* -1: new, not seen yet */
    int64_t sequence;
    bool seen;
} model_row;

typedef struct history {
    fixture tables;
    frz_table *table;
    bool lineage;
    model_row rows[ROWS_MAX];
    int count;
    int64_t next_row_id; /* before the step */
    uint64_t random;
    int step;
    char told[512]; /* what the step did */
} history;

static int below(history *h, int limit)
{
    h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((h->random >> 33) % (uint64_t)limit);
}

static frz_delete_mode any_mode(history *h)
{
    return (frz_delete_mode)below(h, 3);
}

static void add_row(history *h, int id, const char *name)
{
    model_row *row = &h->rows[h->count++];
    *row = (model_row){.id = id, .row_id = -1, .sequence = -1};
    (void)snprintf(row->name, sizeof row->name, "%s", name);
}

static void change_row(model_row *row, int id, const char *name)
{
    row->id = id;
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    row->sequence = -1;
}

static void drop_rows(history *h, int low, int high)
{
    int kept = 0;
    for (int i = 0; i < h->count; i++) {
        if (h->rows[i].id < low || h->rows[i].id > high)
            h->rows[kept++] = h->rows[i];
    }
    h->count = kept;
}

/* Rows with different ids from a random start on; returns how many. */
static int choose_rows(history *h, char *text, size_t room, int ids[8], char names[8][12])
{
    const int count = 1 + below(h, 7);
    const int start = below(h, IDS);
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        ids[i] = (start + i * (1 + below(h, 2)) + i) % IDS;
        for (int j = 0; j < i; j++) {
            if (ids[j] == ids[i])
                return i;
        }
        (void)snprintf(names[i], 12, "%c%d", "abc"[below(h, 3)], h -> step);
        (void)snprintf(text + strlen(text), room - strlen(text), "%d:%s ", ids[i], names[i]);
    }
    return count;
}

static frz_status step_append(history *h, frz_commit **out, frz_error **err)
{
    int ids[8];
    char names[8][12];
    char text[256];
    struct ArrowArrayStream rows = {0};
    const int count = choose_rows(h, text, sizeof text, ids, names);
    (void)snprintf(h->told, sizeof h->told, "append %s", text);
    for (int i = 0; i < count; i++)
        add_row(h, ids[i], names[i]);
    CHECK_OK(rows_of(text, &rows, err), *err);
    return frz_table_append(h->table, &rows, NULL, out, err);
}

static frz_status step_delete(history *h, frz_commit **out, frz_error **err)
{
    char where[64];
    const int low = below(h, IDS);
    const int high = low + below(h, 6);
    (void)snprintf(where, sizeof where, "id between %d and %d", low, high);
    (void)snprintf(h->told, sizeof h->told, "delete %s", where);
    drop_rows(h, low, high);
    return frz_table_delete(h->table, where, any_mode(h), NULL, out, err);
}

static frz_status step_update(history *h, frz_commit **out, frz_error **err)
{
    char set[64];
    char where[64];
    char name[12];
    const int low = below(h, IDS);
    const int high = low + below(h, 10);
    const int more = below(h, 2);
    (void)snprintf(name, sizeof name, "%c%d", "abc"[below(h, 3)], h -> step);
    (void)snprintf(set, sizeof set, "name = '%s', id = id + %d", name, more);
    (void)snprintf(where, sizeof where, "id >= %d and id <= %d", low, high);
    (void)snprintf(h->told, sizeof h->told, "update %s where %s", set, where);
    for (int i = 0; i < h->count; i++) {
        if (h->rows[i].id >= low && h->rows[i].id <= high)
            change_row(&h->rows[i], h->rows[i].id + more, name);
    }
    return frz_table_update(h->table, set, where, any_mode(h), NULL, out, err);
}

/* Merges by id; rows whose name in the source starts with 'a' are deleted where `deletes`. */
static void model_merge(history *h, const int *ids, char names[8][12], int count, bool deletes,
                        bool by_source)
{
    int kept = 0;
    bool matched[8] = {0};
    const int before = h->count;
    for (int i = 0; i < before; i++) {
        model_row row = h->rows[i];
        int at = 0;
        while (at < count && ids[at] != row.id)
            at++;
        if (at == count && by_source)
            continue;
        if (at < count) {
            matched[at] = true;
            if (deletes && names[at][0] == 'a')
                continue;
            change_row(&row, row.id, names[at]);
        }
        h->rows[kept++] = row;
    }
    h->count = kept;
    for (int i = 0; i < count; i++) {
        if (!matched[i])
            add_row(h, ids[i], names[i]);
    }
}

static frz_status step_merge(history *h, frz_commit **out, frz_error **err)
{
    static const char *const keys[] = {"id"};
    static const frz_merge_clause clauses[] = {{FRZ_MERGE_DELETE, "source.name < 'b'", NULL},
                                               {FRZ_MERGE_UPDATE, NULL, NULL}};
    int ids[8];
    char names[8][12];
    char text[256];
    frz_merge_options how = FRZ_MERGE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    const bool deletes = below(h, 2);
    const int count = choose_rows(h, text, sizeof text, ids, names);
    how.keys = keys;
    how.key_count = 1;
    how.matched = deletes ? clauses : clauses + 1;
    how.matched_count = deletes ? 2 : 1;
    how.insert_not_matched = true;
    how.delete_not_matched_by_source = below(h, 8) == 0;
    how.memory_limit = below(h, 4) == 0;
    how.mode = any_mode(h);
    (void)snprintf(h->told, sizeof h->told, "merge %s(deletes %d, by source %d, mode %d)", text,
                   deletes, how.delete_not_matched_by_source, how.mode);
    model_merge(h, ids, names, count, deletes, how.delete_not_matched_by_source);
    CHECK_OK(rows_of(text, &rows, err), *err);
    return frz_table_merge(h->table, &rows, &how, NULL, out, err);
}

static frz_status step_overwrite(history *h, frz_commit **out, frz_error **err)
{
    char where[64];
    char row[32];
    char name[12];
    frz_overwrite_options how = FRZ_OVERWRITE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    const int low = below(h, IDS);
    const int high = low + below(h, 6);
    (void)snprintf(where, sizeof where, "id >= %d and id <= %d", low, high);
    (void)snprintf(name, sizeof name, "o%d", h->step);
    (void)snprintf(row, sizeof row, "%d:%s", low, name);
    (void)snprintf(h->told, sizeof h->told, "overwrite %s by %s", where, row);
    drop_rows(h, low, high);
    add_row(h, low, name);
    how.where = where;
    how.mode = any_mode(h);
    CHECK_OK(rows_of(row, &rows, err), *err);
    return frz_table_overwrite(h->table, &rows, 1, &how, NULL, out, err);
}

static frz_status step_truncate(history *h, frz_commit **out, frz_error **err)
{
    (void)snprintf(h->told, sizeof h->told, "truncate");
    h->count = 0;
    return frz_table_truncate(h->table, NULL, out, err);
}

static void check_row(history *h, int id, const char *name, int64_t row_id, int64_t sequence)
{
    for (int i = 0; i < h->count; i++) {
        model_row *row = &h->rows[i];
        const bool same = row->id == id && strcmp(row->name, name) == 0;
        const bool fits = row->row_id < 0 ? row_id >= h->next_row_id : row->row_id == row_id;
        if (row->seen || !same || (h->lineage && (!fits || row->sequence != sequence)))
            continue;
        row->seen = true;
        row->row_id = row_id;
        return;
    }
    fail_msg("step %d, %s: row %d:%s with id %lld of %lld is none of the model", h->step, h->told,
             id, name, (long long)row_id, (long long)sequence);
}

static void check_table(history *h)
{
    static const char *const select[] = {"id", "name", "_row_id", "_last_updated_sequence_number"};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.select = select;
    options.select_count = h->lineage ? 4 : 2;
    const scanned got = scan_rows(h->table, &options, false);
    int count = 0;
    for (int i = 0; i < h->count; i++)
        h->rows[i].seen = false;
    for (const char *at = got.text; *at; count++) {
        int id = 0;
        char name[12] = "";
        long long row_id = 0;
        long long sequence = 0;
        CHECK(sscanf(at, "%d:%11[^: ]:%lld:%lld", &id, name, &row_id, &sequence) ==
              (h->lineage ? 4 : 2));
        check_row(h, id, name, row_id, sequence);
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    if (count != h->count)
        fail_msg("step %d, %s: %d rows, the model has %d", h->step, h->told, count, h->count);
    for (int i = 0; i < h->count && h->lineage; i++) {
        for (int j = 0; j < i; j++)
            CHECK(h->rows[i].row_id != h->rows[j].row_id);
    }
}

/* Counters of the summary say what is there (no file is counted twice, no vector dangles). */
static void check_summary(const history *h, const frz_commit *commit)
{
    const int64_t records = strtoll(summary_value(commit, "total-records"), NULL, 10);
    const int64_t deletes = strtoll(summary_value(commit, "total-position-deletes"), NULL, 10);
    if (records - deletes != h->count)
        fail_msg("step %d, %s: %lld records less %lld deletes, the model has %d rows", h->step,
                 h->told, (long long)records, (long long)deletes, h->count);
}

static void run_step(history *h)
{
    static frz_status (*const steps[])(history *, frz_commit **, frz_error **) = {
        step_append, step_append, step_delete, step_update,
        step_update, step_merge,  step_merge,  step_overwrite};
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    h->next_row_id = h->table->metadata->next_row_id;
    const bool rare = below(h, 40) == 0;
    if (rare)
        CHECK_OK(step_truncate(h, &commit, &err), err);
    else
        CHECK_OK(steps[below(h, 8)](h, &commit, &err), err);
    for (int i = 0; i < h->count; i++) {
        if (h->rows[i].sequence < 0)
            h->rows[i].sequence = commit->sequence_number;
    }
    if (commit->operation)
        check_summary(h, commit);
    frz_commit_free(commit);
    check_table(h);
}

static void run_history(int version, const char *partition, uint64_t seed)
{
    static history h;
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    h = (history){.lineage = version >= 3, .random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    options.schema = "id long, name string";
    options.partition = partition;
    options.format_version = version;
    CHECK_OK(fixture_open(&h.tables, NULL, &err), err);
    CHECK_OK(frz_catalog_create_table(h.tables.catalog, "n.t", &options, &h.table, &err), err);
    for (h.step = 0; h.step < STEPS && h.count + 8 < ROWS_MAX; h.step++)
        run_step(&h);
    frz_table_free(h.table);
    fixture_close(&h.tables);
}

static void histories_end_as_the_model_says(void **state)
{
    static const char *const partitions[] = {NULL, "bucket(3, id)", "truncate(10, id)"};
    (void)state;
    for (int version = 2; version <= 3; version++) {
        for (size_t i = 0; i < sizeof partitions / sizeof partitions[0]; i++) {
            for (uint64_t seed = 1; seed <= SEEDS; seed++)
                run_history(version, partitions[i], seed * 7 + i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_end_as_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
