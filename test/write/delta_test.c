/* Covers: write/equality_files */
#include "frazil/delta.h"

#include "table_fixture.h"

#include "base/clock.h"
#include "frazil/alter.h"

static void sleep_fast(void *self, int64_t ms)
{
    (void)self;
    (void)ms;
}

static const frz_clock_ops fast_clock = {.sleep_ms = sleep_fast};

static frz_table *create(fixture *self, int32_t version, const char *schema, const char *partition)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    CHECK_OK(fixture_open(self, NULL, &err), err);
    options.schema = schema;
    options.partition = partition;
    options.format_version = version;
    CHECK_OK(frz_catalog_create_table(self->catalog, "a.t", &options, &table, &err), err);
    return table;
}

static const char plain_schema[] = "id long, name string";

static void close_table(fixture *self, frz_table *table)
{
    frz_table_free(table);
    fixture_close(self);
}

static frz_status open_on(frz_table *table, const char *key, frz_delta **out, frz_error **err)
{
    const char *const keys[] = {key};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    how.keys = keys;
    how.key_count = 1;
    return frz_delta_open(table, &how, NULL, out, err);
}

/* Keys "1 2 -" as rows of the column id. */
static frz_status keys_of(const char *text, struct ArrowArrayStream *out, frz_error **err)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    frz_arrow_builder *builder = NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 1, err));
    FRZ_TRY_DONE(
        frz_arrow_schema_init(schema.children[0], "l", "id", true, FRZ_ARROW_NO_FIELD_ID, 0, err));
    FRZ_TRY_DONE(frz_arrow_builder_new(&schema, &builder, err));
    for (; *text; text += strcspn(text, " "), text += strspn(text, " ")) {
        frz_arrow_builder *id = frz_arrow_builder_child(builder, 0);
        if (*text == '-')
            frz_arrow_append_null(id);
        else
            frz_arrow_append_i64(id, strtoll(text, NULL, 10));
        frz_arrow_append_struct(builder);
    }
    FRZ_TRY_DONE(frz_arrow_builder_finish(builder, &batch, err));
    FRZ_TRY_DONE(rows_from(&schema, &batch, out, err));

done:
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&schema);
    frz_arrow_array_clear(&batch);
    return status;
}

/* "+1:a" inserts, "^1:a" upserts, "!1" deletes the key; several rows of one kind by commas. */
static frz_status run_step(frz_delta *delta, const char *step, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    char text[256];
    (void)snprintf(text, sizeof text, "%s", step + 1);
    for (char *at = text; *at; at++)
        *at = *at == ',' ? ' ' : *at;
    if (*step == '!') {
        FRZ_TRY(keys_of(text, &rows, err));
        return frz_delta_delete_keys(delta, &rows, err);
    }
    FRZ_TRY(rows_of(text, &rows, err));
    return *step == '+' ? frz_delta_insert(delta, &rows, err) : frz_delta_upsert(delta, &rows, err);
}

static frz_status run_steps(frz_delta *delta, const char *steps, frz_error **err)
{
    while (*steps) {
        char step[256];
        const size_t size = strcspn(steps, " ");
        (void)snprintf(step, sizeof step, "%.*s", (int)size, steps);
        FRZ_TRY(run_step(delta, step, err));
        steps += size + strspn(steps + size, " ");
    }
    return FRZ_OK;
}

/* One delta of these steps; its commit is the caller's. */
static frz_commit *commit_steps(frz_table *table, const char *key, const char *steps)
{
    frz_error *err = NULL;
    frz_delta *delta = NULL;
    frz_commit *commit = NULL;
    CHECK_OK(open_on(table, key, &delta, &err), err);
    CHECK_OK(run_steps(delta, steps, &err), err);
    CHECK_OK(frz_delta_commit(delta, &commit, &err), err);
    frz_delta_free(delta);
    return commit;
}

static void run(frz_table *table, const char *steps)
{
    frz_commit_free(commit_steps(table, "id", steps));
}

typedef struct delta_case {
    const char *steps;
    const char *after; /* of a table that held 1:a 2:b 3:c */
    const char *operation;
    const char *added_rows;
    const char *equality_deletes;
    const char *position_deletes;
} delta_case;

static const delta_case cases[] = {
    {"+4:d", "1:a 2:b 3:c 4:d", "append", "1", "(absent)", "(absent)"},
    {"!2", "1:a 3:c", "delete", "(absent)", "1", "(absent)"},
    {"^2:B", "1:a 2:B 3:c", "overwrite", "1", "1", "(absent)"},
    {"^2:B,9:n", "1:a 2:B 3:c 9:n", "overwrite", "2", "2", "(absent)"},
    /* inserted, then deleted: by position, and the older row by key */
    {"+2:B !2", "1:a 3:c", "overwrite", "1", "1", "1"},
    /* deleted, then inserted: the row is not older than the delete */
    {"!2 +2:B", "1:a 2:B 3:c", "overwrite", "1", "1", "(absent)"},
    {"^2:B ^2:C ^2:D", "1:a 2:D 3:c", "overwrite", "3", "1", "2"},
    {"^2:B,2:C,2:D", "1:a 2:D 3:c", "overwrite", "3", "1", "2"},
    {"^2:B !2 +2:C !2", "1:a 3:c", "overwrite", "2", "1", "2"},
    {"+7:x +7:y", "1:a 2:b 3:c 7:y", "overwrite", "2", "(absent)", "1"},
    {"!2 !2,2", "1:a 3:c", "delete", "(absent)", "1", "(absent)"},
    {"!-", "1:a 2:b 3:c", "delete", "(absent)", "1", "(absent)"},
    {"^-:n !-", "1:a 2:b 3:c", "overwrite", "1", "1", "1"},
};

static void a_delta_is_its_steps_in_order(void **state)
{
    (void)state;
    for (int32_t version = 2; version <= 3; version++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            fixture self;
            frz_table *table = create(&self, version, plain_schema, NULL);
            append_rows(table, "1:a 2:b 3:c");
            frz_commit *commit = commit_steps(table, "id", cases[i].steps);
            const scanned got = scan_rows(table, NULL, false);
            if (strcmp(got.text, cases[i].after) != 0)
                fail_msg("V%d %s: %s, expected %s", version, cases[i].steps, got.text,
                         cases[i].after);
            assert_string_equal(commit->operation, cases[i].operation);
            assert_string_equal(summary_value(commit, "added-records"), cases[i].added_rows);
            assert_string_equal(summary_value(commit, "added-equality-deletes"),
                                cases[i].equality_deletes);
            assert_string_equal(summary_value(commit, "added-position-deletes"),
                                cases[i].position_deletes);
            const bool positions = strcmp(cases[i].position_deletes, "(absent)") != 0;
            CHECK(fixture_files(self.io, "-deletes.puffin") == (version == 3 && positions));
            CHECK(fixture_files(self.io, "1-deletes.parquet") == (version == 2 && positions));
            frz_commit_free(commit);
            close_table(&self, table);
        }
    }
}

/* D035: a batch that is delivered again, after its commit was not heard of, changes nothing. */
static void d035_a_row_of_the_same_commit_goes_by_position(void **state)
{
    (void)state;
    for (int32_t version = 2; version <= 3; version++) {
        fixture self;
        frz_table *table = create(&self, version, plain_schema, NULL);
        run(table, "^7:a !7");
        check_rows(table, "");
        run(table, "^7:a,8:b");
        run(table, "^7:a,8:b");
        check_rows(table, "7:a 8:b");
        close_table(&self, table);
    }
}

/* D031, D032: a null in a delete column matches null rows, and nothing else does. */
static void d032_a_null_key_deletes_null_rows_alone(void **state)
{
    fixture self;
    (void)state;
    frz_table *table = create(&self, 2, plain_schema, NULL);
    append_rows(table, "1:a 2:- 3:- 4:b");
    frz_commit_free(commit_steps(table, "name", "^9:-"));
    check_rows(table, "1:a 4:b 9:-");
    frz_commit_free(commit_steps(table, "name", "^8:a"));
    check_rows(table, "4:b 8:a 9:-");
    close_table(&self, table);
}

static void rows_that_come_in_are_new_to_lineage(void **state)
{
    fixture self;
    (void)state;
    frz_table *table = create(&self, 3, plain_schema, NULL);
    append_rows(table, "1:a 2:b");
    run(table, "^2:B,3:c");
    check_selected(table, "id,name,_row_id,_last_updated_sequence_number",
                   "1:a:0:1 2:B:2:2 3:c:3:2");
    run(table, "^9:x ^9:y");
    check_selected(table, "id,_row_id", "1:0 2:2 3:3 9:5");
    close_table(&self, table);
}

static void keys_default_to_the_identifier_fields(void **state)
{
    static const char *const identifier[] = {"id"};
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    (void)state;
    frz_table *table = create(&self, 2, plain_schema, NULL);
    CHECK_FAILS(frz_delta_open(table, NULL, NULL, &delta, &err), FRZ_INVALID, err,
                "the table has no identifier fields");
    frz_table_free(table);
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    frz_alteration *changes = NULL;
    options.schema = "id long not null, name string";
    CHECK_OK(frz_catalog_create_table(self.catalog, "a.i", &options, &table, &err), err);
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_set_identifier(changes, identifier, 1, &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    append_rows(table, "1:a 2:b");
    CHECK_OK(frz_delta_open(table, NULL, NULL, &delta, &err), err);
    CHECK_OK(run_steps(delta, "^2:B", &err), err);
    CHECK_OK(frz_delta_commit(delta, NULL, &err), err);
    frz_delta_free(delta);
    check_rows(table, "1:a 2:B");
    close_table(&self, table);
}

static void what_is_no_delete_column_is_refused_by_name(void **state)
{
    static const struct {
        const char *key;
        const char *message;
    } refused[] = {
        {"f", "column f (float) is no delete column"},
        {"s.d", "column s.d (double) is no delete column"},
        {"l.element", "column l.element (int) is no key"},
        {"m.value", "column m.value (int) is no key"},
        {"s", "column s (struct) is no key"},
        {"u", "column u (unknown) is no key"},
        {"naem", "no column naem (near: name)"},
    };
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    (void)state;
    frz_table *table =
        create(&self, 3,
               "id long, name string, f float, s struct<d: double, k: int>, l list<int>, "
               "m map<string, int>, u unknown",
               NULL);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK_FAILS(open_on(table, refused[i].key, &delta, &err), FRZ_INVALID, err,
                    refused[i].message);
    close_table(&self, table);
}

static void version_1_is_refused(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    (void)state;
    frz_table *table = create(&self, 1, plain_schema, NULL);
    CHECK_FAILS(open_on(table, "id", &delta, &err), FRZ_INVALID, err,
                "format version 1 has no delete files");
    close_table(&self, table);
}

static void the_key_names_the_partition(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    static const char *const both[] = {"id", "name"};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    (void)state;
    how.keys = both;
    how.key_count = 2;
    frz_table *table = create(&self, 2, plain_schema, "name");
    append_rows(table, "1:a 1:b 2:a");
    CHECK_FAILS(open_on(table, "id", &delta, &err), FRZ_INVALID, err,
                "the table is partitioned by column name, which is no part of the key");
    CHECK_OK(frz_delta_open(table, &how, NULL, &delta, &err), err);
    CHECK_OK(run_steps(delta, "^1:a ^3:c ^3:c", &err), err);
    CHECK_OK(frz_delta_commit(delta, NULL, &err), err);
    frz_delta_free(delta);
    check_rows(table, "1:a 1:b 2:a 3:c"); /* D033: the other partition's row stays */
    close_table(&self, table);
}

/* D034: what reaches all partitions stands under a spec without fields, not under another's id. */
static void global_deletes_need_a_spec_without_fields(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    static const char *const key[] = {"id"};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    (void)state;
    how.keys = key;
    how.key_count = 1;
    how.global = true;
    frz_table *table = create(&self, 2, plain_schema, "name");
    CHECK_FAILS(frz_delta_open(table, &how, NULL, &delta, &err), FRZ_INVALID, err,
                "global deletes need a spec without partition fields");
    frz_table_free(table);
    frz_alteration *changes = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = plain_schema;
    CHECK_OK(frz_catalog_create_table(self.catalog, "a.g", &options, &table, &err), err);
    append_rows(table, "1:a 2:a");
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_add_partition(changes, "name", NULL, &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    append_rows(table, "3:a 4:b");
    CHECK_OK(frz_delta_open(table, &how, NULL, &delta, &err), err);
    CHECK_OK(run_steps(delta, "^1:x,4:x ^4:y", &err), err);
    CHECK_OK(frz_delta_commit(delta, NULL, &err), err);
    frz_delta_free(delta);
    check_rows(table, "1:x 2:a 3:a 4:y");
    close_table(&self, table);
}

static void rows_of_another_spec_are_out_of_reach(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    frz_alteration *changes = NULL;
    (void)state;
    frz_table *table = create(&self, 2, plain_schema, NULL);
    append_rows(table, "1:a");
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_add_partition(changes, "id", NULL, &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    CHECK_OK(open_on(table, "id", &delta, &err), err);
    CHECK_FAILS(run_steps(delta, "^1:A", &err), FRZ_INVALID, err,
                "partition spec 0 wrote rows that equality deletes of spec 1 do not reach");
    frz_delta_free(delta);
    run(table, "+2:b"); /* nothing is deleted: nothing is out of reach */
    check_rows(table, "1:a 2:b");
    close_table(&self, table);
}

/* The path of the data file of the row of `id`. */
static char *file_of(const frz_table *table, const char *where)
{
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    static const char *const select[] = {"_file"};
    static char path[256];
    options.where = where;
    options.select = select;
    options.select_count = 1;
    const scanned got = scan_rows(table, &options, false);
    (void)snprintf(path, sizeof path, "%s", got.text);
    return path;
}

static void rows_of_the_table_go_by_position(void **state)
{
    static const int64_t first[] = {0, 2};
    static const int64_t second[] = {0};
    (void)state;
    for (int32_t version = 2; version <= 3; version++) {
        frz_error *err = NULL;
        fixture self;
        frz_delta *delta = NULL;
        frz_commit *commit = NULL;
        frz_table *table = create(&self, version, plain_schema, NULL);
        append_rows(table, "1:a 2:b 3:c 4:d");
        append_rows(table, "5:e 6:f");
        char path[256];
        (void)snprintf(path, sizeof path, "%s", file_of(table, "id = 1"));
        CHECK_OK(open_on(table, "id", &delta, &err), err);
        CHECK_OK(frz_delta_delete_positions(delta, path, first, 2, &err), err);
        CHECK_OK(run_steps(delta, "^6:F ^6:G", &err), err);
        CHECK_OK(frz_delta_delete_positions(delta, file_of(table, "id = 5"), second, 1, &err), err);
        CHECK_OK(frz_delta_commit(delta, &commit, &err), err);
        frz_delta_free(delta);
        check_rows(table, "2:b 4:d 6:G");
        assert_string_equal(summary_value(commit, "added-position-deletes"), "4");
        assert_string_equal(summary_value(commit, "added-equality-deletes"), "1");
        frz_commit_free(commit);
        /* again: the vector of V3 takes the first two over */
        CHECK_OK(open_on(table, "id", &delta, &err), err);
        CHECK_OK(frz_delta_delete_positions(delta, path, (const int64_t[]){1}, 1, &err), err);
        CHECK_OK(frz_delta_commit(delta, &commit, &err), err);
        frz_delta_free(delta);
        check_rows(table, "4:d 6:G");
        assert_string_equal(summary_value(commit, "removed-dvs"), version == 3 ? "1" : "(absent)");
        frz_commit_free(commit);
        close_table(&self, table);
    }
}

static void positions_that_there_are_not_are_refused(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    const int64_t positions[] = {1};
    const int64_t negative[] = {-1};
    (void)state;
    frz_table *table = create(&self, 3, plain_schema, NULL);
    append_rows(table, "1:a");
    CHECK_OK(open_on(table, "id", &delta, &err), err);
    CHECK_OK(frz_delta_delete_positions(delta, "mem://wh/no", positions, 1, &err), err);
    CHECK_FAILS(frz_delta_commit(delta, NULL, &err), FRZ_NOT_FOUND, err,
                "no data file mem://wh/no in the table");
    frz_delta_free(delta);
    CHECK_OK(open_on(table, "id", &delta, &err), err);
    CHECK_OK(frz_delta_delete_positions(delta, file_of(table, NULL), positions, 1, &err), err);
    CHECK_FAILS(frz_delta_commit(delta, NULL, &err), FRZ_INVALID, err, "which has 1 rows");
    frz_delta_free(delta);
    CHECK_OK(open_on(table, "id", &delta, &err), err);
    CHECK_FAILS(frz_delta_delete_positions(delta, "x", negative, 1, &err), FRZ_INVALID, err, "-1");
    CHECK_FAILS(frz_delta_commit(delta, NULL, &err), FRZ_INVALID, err, "used after its failure");
    frz_delta_free(delta);
    close_table(&self, table);
}

static void what_is_not_committed_leaves_no_file(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    (void)state;
    frz_table *table = create(&self, 3, plain_schema, NULL);
    append_rows(table, "1:a");
    const int before = fixture_files(self.io, "");
    CHECK_OK(open_on(table, "id", &delta, &err), err);
    CHECK_OK(run_steps(delta, "^1:A ^1:B !3", &err), err);
    frz_delta_free(delta);
    CHECK(fixture_files(self.io, "") == before);
    CHECK_OK(open_on(table, "id", &delta, &err), err);
    CHECK_OK(frz_delta_commit(delta, NULL, &err), err); /* nothing to do */
    struct ArrowArrayStream rows = {0};
    CHECK_OK(rows_of("1:a", &rows, &err), err);
    CHECK_FAILS(frz_delta_insert(delta, &rows, &err), FRZ_INVALID, err, "after its commit");
    CHECK(!rows.release);
    frz_delta_free(delta);
    CHECK(fixture_files(self.io, "") == before);
    check_rows(table, "1:a");
    close_table(&self, table);
}

static void rows_of_keys_have_the_key_columns_and_no_others(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    struct ArrowArrayStream rows = {0};
    static const char *const both[] = {"id", "name"};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    (void)state;
    how.keys = both;
    how.key_count = 2;
    frz_table *table = create(&self, 2, plain_schema, NULL);
    CHECK_OK(open_on(table, "id", &delta, &err), err);
    CHECK_OK(rows_of("1:a", &rows, &err), err);
    CHECK_FAILS(frz_delta_delete_keys(delta, &rows, &err), FRZ_INVALID, err, "name");
    frz_delta_free(delta);
    CHECK_OK(frz_delta_open(table, &how, NULL, &delta, &err), err);
    CHECK_OK(keys_of("1", &rows, &err), err);
    CHECK_FAILS(frz_delta_delete_keys(delta, &rows, &err), FRZ_INVALID, err,
                "the rows of keys lack the key column name");
    frz_delta_free(delta);
    close_table(&self, table);
}

/* Deltas write blind: another commit in between is no conflict, and both count. */
static void two_writers_both_count(void **state)
{
    (void)state;
    frz_clock_replace(&fast_clock);
    for (int32_t version = 2; version <= 3; version++) {
        frz_error *err = NULL;
        fixture self;
        frz_delta *first = NULL;
        frz_delta *second = NULL;
        frz_table *other = NULL;
        frz_table *table = create(&self, version, plain_schema, NULL);
        append_rows(table, "1:a 2:b");
        CHECK_OK(frz_catalog_load_table(self.catalog, "a.t", &other, &err), err);
        CHECK_OK(open_on(table, "id", &first, &err), err);
        CHECK_OK(open_on(other, "id", &second, &err), err);
        CHECK_OK(run_steps(first, "^1:A ^3:x ^3:c", &err), err);
        CHECK_OK(run_steps(second, "^1:Z ^2:Z", &err), err);
        CHECK_OK(frz_delta_commit(first, NULL, &err), err);
        CHECK_OK(frz_delta_commit(second, NULL, &err), err);
        check_rows(other, "1:Z 2:Z 3:c"); /* the later commit's deletes reach the earlier's rows */
        frz_delta_free(first);
        frz_delta_free(second);
        frz_table_free(other);
        close_table(&self, table);
    }
    frz_clock_replace(NULL);
}

static void a_data_file_that_went_is_a_conflict(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    frz_table *other = NULL;
    const int64_t positions[] = {0};
    (void)state;
    frz_clock_replace(&fast_clock);
    frz_table *table = create(&self, 3, plain_schema, NULL);
    append_rows(table, "1:a 2:b");
    CHECK_OK(frz_catalog_load_table(self.catalog, "a.t", &other, &err), err);
    CHECK_OK(open_on(table, "id", &delta, &err), err);
    CHECK_OK(frz_delta_delete_positions(delta, file_of(table, "id = 1"), positions, 1, &err), err);
    CHECK_OK(frz_table_truncate(other, NULL, NULL, &err), err);
    CHECK_FAILS(frz_delta_commit(delta, NULL, &err), FRZ_CONFLICT, err,
                "another commit removed data file");
    frz_delta_free(delta);
    frz_clock_replace(NULL);
    frz_table_free(other);
    close_table(&self, table);
}

/* `count` rows of ids from 0, `name` in each, as one batch of several pieces. */
static void many_rows(int64_t count, int64_t modulus, struct ArrowArrayStream *out)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 2, &err), err);
    CHECK_OK(
        frz_arrow_schema_init(schema.children[0], "l", "id", true, FRZ_ARROW_NO_FIELD_ID, 0, &err),
        err);
    CHECK_OK(frz_arrow_schema_init(schema.children[1], "u", "name", true, FRZ_ARROW_NO_FIELD_ID, 0,
                                   &err),
             err);
    CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
    for (int64_t i = 0; i < count; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%lld", (long long)(i / modulus));
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), i % modulus);
        frz_arrow_append_bytes(frz_arrow_builder_child(builder, 1), frz_slice_of_text(name));
        frz_arrow_append_struct(builder);
    }
    CHECK_OK(frz_arrow_builder_finish(builder, &batch, &err), err);
    frz_arrow_builder_free(builder);
    CHECK_OK(rows_from(&schema, &batch, out, &err), err);
}

/* Every key comes several times, in pieces and partitions and beyond the memory for keys: one row
 * of each stays, the last. */
static void keys_beyond_memory_wait_in_files(void **state)
{
    static const char *const partitions[] = {NULL, "bucket(7, id)"};
    enum { KEYS = 9000, TIMES = 4 };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        frz_error *err = NULL;
        fixture self;
        frz_delta *delta = NULL;
        struct ArrowArrayStream rows = {0};
        static const char *const key[] = {"id"};
        frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
        frz_scan_options last = FRZ_SCAN_OPTIONS_INIT;
        frz_scan *scan = NULL;
        int64_t count = 0;
        how.keys = key;
        how.key_count = 1;
        how.memory_limit = i < 2 ? 1 << 18 : 0;
        frz_table *table = create(&self, i % 2 ? 2 : 3, plain_schema, partitions[i / 2]);
        append_rows(table, "0:old 8999:old");
        CHECK_OK(frz_delta_open(table, &how, NULL, &delta, &err), err);
        many_rows((int64_t)KEYS * TIMES, KEYS, &rows);
        CHECK_OK(frz_delta_upsert(delta, &rows, &err), err);
        CHECK_OK(run_steps(delta, "!17", &err), err);
        CHECK_OK(frz_delta_commit(delta, NULL, &err), err);
        frz_delta_free(delta);
        CHECK_OK(frz_scan_new(table, &last, &scan, &err), err);
        CHECK_OK(frz_scan_count(scan, &count, &err), err);
        CHECK(count == KEYS - 1);
        frz_scan_free(scan);
        last.where = "name = '3'";
        CHECK_OK(frz_scan_new(table, &last, &scan, &err), err);
        CHECK_OK(frz_scan_count(scan, &count, &err), err);
        CHECK(count == KEYS - 1);
        frz_scan_free(scan);
        close_table(&self, table);
    }
}

static void deletes_in_avro(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_table *table = NULL;
    const frz_option avro = {"write.format.default", "avro"};
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    options.schema = plain_schema;
    options.format_version = 2;
    options.properties = &avro;
    options.property_count = 1;
    CHECK_OK(frz_catalog_create_table(self.catalog, "a.t", &options, &table, &err), err);
    append_rows(table, "1:a 2:b 3:-");
    run(table, "^2:x ^2:B !3");
    check_rows(table, "1:a 2:B");
    CHECK(fixture_files(self.io, "-equality-deletes.avro") == 1);
    CHECK(fixture_files(self.io, "00001-deletes.avro") == 1);
    CHECK(fixture_files(self.io, ".parquet") == 0);
    close_table(&self, table);
}

static void a_key_of_idempotency_counts_once(void **state)
{
    frz_error *err = NULL;
    fixture self;
    static const char *const key[] = {"id"};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    (void)state;
    how.keys = key;
    how.key_count = 1;
    options.idempotency_key = "batch 7";
    frz_table *table = create(&self, 3, plain_schema, NULL);
    append_rows(table, "1:a");
    for (int i = 0; i < 2; i++) {
        frz_delta *delta = NULL;
        frz_commit *commit = NULL;
        CHECK_OK(frz_delta_open(table, &how, &options, &delta, &err), err);
        CHECK_OK(run_steps(delta, i ? "^1:B !1" : "^1:A ^2:x ^2:b", &err), err);
        CHECK_OK(frz_delta_commit(delta, &commit, &err), err);
        CHECK(commit->already_committed == (i > 0));
        frz_commit_free(commit);
        frz_delta_free(delta);
        check_rows(table, "1:A 2:b");
    }
    CHECK(fixture_files(self.io, "/data/") == 4); /* two of data, one of keys, one vector */
    close_table(&self, table);
}

static void a_branch_is_written_to(void **state)
{
    frz_error *err = NULL;
    fixture self;
    frz_delta *delta = NULL;
    static const char *const key[] = {"id"};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    frz_scan_options at = FRZ_SCAN_OPTIONS_INIT;
    (void)state;
    how.keys = key;
    how.key_count = 1;
    options.branch = "side";
    frz_table *table = create(&self, 3, plain_schema, NULL);
    append_rows(table, "1:a");
    CHECK_OK(frz_delta_open(table, &how, &options, &delta, &err), err);
    CHECK_OK(run_steps(delta, "^1:A", &err), err);
    CHECK_OK(frz_delta_commit(delta, NULL, &err), err);
    frz_delta_free(delta);
    check_rows(table, "1:a");
    at.at.ref = "side";
    assert_string_equal(scan_rows(table, &at, false).text, "1:A");
    close_table(&self, table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delta_is_its_steps_in_order),
        cmocka_unit_test(d035_a_row_of_the_same_commit_goes_by_position),
        cmocka_unit_test(d032_a_null_key_deletes_null_rows_alone),
        cmocka_unit_test(rows_that_come_in_are_new_to_lineage),
        cmocka_unit_test(keys_default_to_the_identifier_fields),
        cmocka_unit_test(what_is_no_delete_column_is_refused_by_name),
        cmocka_unit_test(version_1_is_refused),
        cmocka_unit_test(the_key_names_the_partition),
        cmocka_unit_test(global_deletes_need_a_spec_without_fields),
        cmocka_unit_test(rows_of_another_spec_are_out_of_reach),
        cmocka_unit_test(rows_of_the_table_go_by_position),
        cmocka_unit_test(positions_that_there_are_not_are_refused),
        cmocka_unit_test(what_is_not_committed_leaves_no_file),
        cmocka_unit_test(rows_of_keys_have_the_key_columns_and_no_others),
        cmocka_unit_test(two_writers_both_count),
        cmocka_unit_test(a_data_file_that_went_is_a_conflict),
        cmocka_unit_test(keys_beyond_memory_wait_in_files),
        cmocka_unit_test(deletes_in_avro),
        cmocka_unit_test(a_key_of_idempotency_counts_once),
        cmocka_unit_test(a_branch_is_written_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
