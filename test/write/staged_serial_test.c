/*
 * Covers: write/staged write/steps write/given_lineage write/restate write/first_names
 *
 * Random transactions against the same operations one by one: equal rows with equal row ids and
 * sequence numbers. When another writer commits before the transaction does, and that is no
 * conflict, the table is as if the other had come first; also where the transaction moves rows that
 * it added itself. Every table is verified, its data as well.
 */
#include "frazil/transaction.h"

#include "frazil/alter.h"

#include "staged_fixture.h"

enum { SEEDS = 150, OPERATIONS_MAX = 7, KINDS = 8, IDS = 9, OTHERS_MAX = 2 };

typedef struct dice {
    uint64_t state;
} dice;

static int throw(dice * self, int sides)
{
    self->state = self->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((self->state >> 33) % (uint64_t)sides);
}

typedef struct operation {
    int kind;
    int id;
    int number; /* makes names differ */
} operation;

static frz_status put(frz_table *table, const operation *what, frz_error **err)
{
    static const char *const keys[] = {"id"};
    char text[64];
    struct ArrowArrayStream rows = {0};
    frz_merge_options merge = FRZ_MERGE_OPTIONS_INIT;
    frz_overwrite_options over = FRZ_OVERWRITE_OPTIONS_INIT;
    (void)snprintf(text, sizeof text, "%d:p%d", what->id, what->number);
    FRZ_TRY(rows_of(text, &rows, err));
    if (what->kind == 0)
        return frz_table_append(table, &rows, NULL, NULL, err);
    merge.keys = keys;
    merge.key_count = 1;
    if (what->kind == 1)
        return frz_table_upsert(table, &rows, &merge, NULL, NULL, err);
    (void)snprintf(text, sizeof text, "id = %d", what->id);
    over.where = text;
    return frz_table_overwrite(table, &rows, 1, &over, NULL, NULL, err);
}

static frz_status set_owner(frz_table *table, const operation *what, frz_error **err)
{
    char text[64];
    frz_alteration *changes = NULL;
    (void)snprintf(text, sizeof text, "o%d", what->number);
    FRZ_TRY(frz_alteration_new(&changes, err));
    frz_status status = frz_alter_set_property(changes, "owner", text, err);
    if (status == FRZ_OK)
        status = frz_table_alter(table, changes, NULL, NULL, err);
    frz_alteration_free(changes);
    return status;
}

static frz_status apply(frz_table *table, const operation *what, frz_error **err)
{
    const frz_delete_mode mode =
        what->number & 1 ? FRZ_DELETE_MODE_MERGE_ON_READ : FRZ_DELETE_MODE_COPY_ON_WRITE;
    char where[64];
    char set[64];
    (void)snprintf(where, sizeof where, "id = %d", what->id);
    (void)snprintf(set, sizeof set, "name = 'u%d'", what->number);
    if (what->kind < 3)
        return put(table, what, err);
    if (what->kind < 5)
        return frz_table_delete(table, where, mode, NULL, NULL, err);
    if (what->kind < 7)
        return frz_table_update(table, set, where, mode, NULL, NULL, err);
    return set_owner(table, what, err);
}

static scanned seen(const frz_table *table, bool lineage)
{
    static const char *const select[] = {"id", "name", "_row_id", "_last_updated_sequence_number"};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.select = select;
    options.select_count = lineage && table->metadata->format_version >= 3 ? 4 : 2;
    return scan_rows(table, &options, false);
}

typedef struct script {
    int version;
    bool avro;
    bool merges_manifests;
    operation operations[OPERATIONS_MAX];
    int count;
    operation others[OTHERS_MAX]; /* of the other writer, which commits each before an attempt */
    int other_count;
} script;

static script write_script(uint64_t seed)
{
    dice thrown = {seed * 77 + 1};
    script made = {.version = seed % 4 == 0 ? 2 : 3,
                   .avro = seed % 5 == 0,
                   .merges_manifests = seed % 7 < 2,
                   .count = 1 + throw(&thrown, OPERATIONS_MAX),
                   .other_count = seed % 3 == 0 ? 0 : 1 + (seed % 3 == 1)};
    for (int i = 0; i < made.count; i++)
        made.operations[i] = (operation){throw(&thrown, KINDS), 1 + throw(&thrown, IDS), i};
    for (int i = 0; i < made.other_count; i++)
        made.others[i] =
            (operation){throw(&thrown, KINDS), 1 + throw(&thrown, IDS), 100 + throw(&thrown, 2)};
    return made;
}

static frz_table *start(const script *play)
{
    const frz_option properties[] = {
        {"write.format.default", play->avro ? "avro" : "parquet"},
        {"commit.manifest.min-count-to-merge", play->merges_manifests ? "2" : "100"}};
    frz_table *table = make_table(play->version, properties, 2);
    append_rows(table, "1:a 2:b 3:c");
    append_rows(table, "4:d 5:e 6:f");
    return table;
}

/* What a reader finds: rows, and with their lineage. */
typedef struct outcome {
    scanned rows;
    scanned lineage;
} outcome;

static outcome look(const frz_table *table)
{
    return (outcome){seen(table, false), seen(table, true)};
}

static void apply_others(frz_table *table, const script *play)
{
    frz_error *err = NULL;
    for (int i = 0; i < play->other_count; i++)
        CHECK_OK(apply(table, &play->others[i], &err), err);
}

static outcome one_by_one(const script *play, bool others_first)
{
    frz_error *err = NULL;
    CHECK(set_up(NULL) == 0);
    frz_table *table = start(play);
    if (others_first)
        apply_others(table, play);
    for (int i = 0; i < play->count; i++)
        CHECK_OK(apply(table, &play->operations[i], &err), err);
    if (!others_first)
        apply_others(table, play);
    const outcome found = look(table);
    frz_table_free(table);
    CHECK(tear_down(NULL) == 0);
    return found;
}

static const script *at_play;
static int others_made;

static void other_commits(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    CHECK_OK(apply(table, &at_play->others[others_made++], &err), err);
    frz_table_free(table);
}

/* What conflicts is what the other did to rows, never that it was given row ids. */
static void check_conflict(const frz_error *err)
{
    const char *const why = frz_error_message(err);
    if (!strstr(why, "another commit added data file") &&
        !strstr(why, "another commit removed data file") &&
        !strstr(why, "another commit deleted or changed rows"))
        fail_msg("%s", why);
}

/* FRZ_CONFLICT only where there is another writer. `*nothing` when there was nothing to
 * commit. */
static frz_status as_one(const script *play, outcome *out, bool *nothing)
{
    frz_error *err = NULL;
    frz_table *staged = NULL;
    CHECK(set_up(NULL) == 0);
    frz_table *table = start(play);
    CHECK_OK(frz_table_begin(table, &staged, &err), err);
    for (int i = 0; i < play->count; i++)
        CHECK_OK(apply(staged, &play->operations[i], &err), err);
    *nothing = frz_table_staged_count(staged) == 0;
    const outcome before = look(staged);
    at_play = play;
    others_made = 0;
    disturb(other_commits, play->other_count);
    const frz_status status = frz_table_commit(staged, NULL, NULL, &err);
    if (status != FRZ_OK) {
        CHECK(status == FRZ_CONFLICT && play->other_count > 0);
        check_conflict(err);
    }
    frz_error_free(err);
    err = NULL;
    frz_table_free(staged);
    CHECK_OK(frz_table_refresh(table, &err), err);
    *out = look(table);
    verify_deep(table);
    if (play->other_count == 0)
        assert_string_equal(before.lineage.text, out->lineage.text);
    CHECK(fixture_files(storage, "/snap-") == (int)table->metadata->snapshot_count);
    frz_table_free(table);
    CHECK(tear_down(NULL) == 0);
    return status;
}

/* Where no operation found anything to do, there was nothing to commit: it may have come first. */
static bool is_serial(const script *play, const outcome *together, bool nothing)
{
    const outcome first = one_by_one(play, true);
    if (strcmp(first.lineage.text, together->lineage.text) == 0)
        return true;
    const outcome last = one_by_one(play, false);
    return nothing && strcmp(last.lineage.text, together->lineage.text) == 0;
}

static void transactions_are_their_operations_one_by_one(void **state)
{
    int committed = 0;
    int conflicts = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const script play = write_script(seed);
        outcome together;
        bool nothing = false;
        const frz_status status = as_one(&play, &together, &nothing);
        const bool all = others_made == play.other_count;
        if (status == FRZ_OK && all && !is_serial(&play, &together, nothing))
            fail_msg("seed %d: %s is no serial order", (int)seed, together.lineage.text);
        committed += status == FRZ_OK && play.other_count > 0;
        conflicts += status != FRZ_OK;
    }
    CHECK(committed > SEEDS / 5 && conflicts > SEEDS / 12); /* both ways are taken */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transactions_are_their_operations_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
