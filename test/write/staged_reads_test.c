/*
 * Covers: write/staged
 *
 * What the handle of a transaction sees after each kind of operation, in format versions 2 and 3
 * and both ways of deleting; that nobody else sees it; and that the commit is what was seen, alone
 * and after another writer's.
 */
#include "frazil/transaction.h"

#include "frazil/alter.h"

#include "staged_fixture.h"

/* One transaction as it goes. */
typedef struct play {
    frz_table *staged;
    frz_delete_mode mode;
    bool rival; /* another commits before the transaction does */
} play;

static void see(const play *self, const char *want)
{
    check_rows(self->staged, want);
}

static void see_at(const play *self, const char *ref, const char *want)
{
    frz_scan_options scan = FRZ_SCAN_OPTIONS_INIT;
    scan.at.ref = ref;
    const scanned got = scan_rows(self->staged, &scan, false);
    assert_string_equal(got.text, want);
}

static void append_to(const play *self, const char *text, const char *branch)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.branch = branch;
    CHECK_OK(rows_of(text, &rows, &err), err);
    CHECK_OK(frz_table_append(self->staged, &rows, &options, NULL, &err), err);
}

static void delete_rows(const play *self, const char *where)
{
    delete_rows_by(self->staged, self->mode, where);
}

static void update_rows(const play *self, const char *set, const char *where)
{
    update_rows_by(self->staged, self->mode, set, where);
}

/* Alters by `change`, which records one change. */
static void alter(const play *self, frz_status (*change)(frz_alteration *, frz_error **))
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(change(changes, &err), err);
    CHECK_OK(frz_table_alter(self->staged, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
}

static frz_status add_column(frz_alteration *changes, frz_error **err)
{
    return frz_alter_add_column(changes, "n", "int", NULL, err);
}

static frz_status rename_name(frz_alteration *changes, frz_error **err)
{
    return frz_alter_rename_column(changes, "name", "title", err);
}

static frz_status set_owner(frz_alteration *changes, frz_error **err)
{
    return frz_alter_set_property(changes, "owner", "me", err);
}

static frz_status make_branch(frz_alteration *changes, frz_error **err)
{
    const frz_ref_options options = FRZ_REF_OPTIONS_INIT;
    return frz_alter_create_ref(changes, "b", &options, err);
}

static frz_status make_tag(frz_alteration *changes, frz_error **err)
{
    frz_ref_options options = FRZ_REF_OPTIONS_INIT;
    options.tag = true;
    return frz_alter_create_ref(changes, "v", &options, err);
}

static frz_status partition_by_name(frz_alteration *changes, frz_error **err)
{
    return frz_alter_add_partition(changes, "name", NULL, err);
}

/* Commits, with `want` in the table then; a rival's row comes first where there is one. */
static void end(play *self, const char *before, const char *want, const char *want_with_rival)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    check_rows(table, before);
    disturb(rival_appends, self->rival);
    CHECK_OK(frz_table_commit(self->staged, NULL, NULL, &err), err);
    CHECK_OK(frz_table_refresh(table, &err), err);
    check_rows(table, self->rival ? want_with_rival : want);
    see(self, self->rival ? want_with_rival : want);
    verify_deep(table);
    frz_table_free(table);
}

static void rows_are_seen(play *self)
{
    append_to(self, "4:d 5:e", NULL);
    see(self, "1:a 2:b 3:c 4:d 5:e");
    delete_rows(self, "id = 2");
    see(self, "1:a 3:c 4:d 5:e");
    update_rows(self, "name = name || '!'", "id >= 3 and id < 6");
    see(self, "1:a 3:c! 4:d! 5:e!");
    merge_rows_by(self->staged, self->mode, "4:D 6:f");
    see(self, "1:a 3:c! 4:D 5:e! 6:f");
    overwrite_rows_by(self->staged, self->mode, "id >= 5 and id < 7", "5:x");
    see(self, "1:a 3:c! 4:D 5:x");
    delete_rows(self, "id = 4");
    update_rows(self, "id = 7", "id = 5");
    see(self, "1:a 3:c! 7:x");
    end(self, "1:a 2:b 3:c", "1:a 3:c! 7:x", "100:r 1:a 3:c! 7:x");
}

static void truncation_is_seen(play *self)
{
    append_to(self, "4:d", NULL);
    delete_rows(self, NULL);
    see(self, "");
    append_to(self, "5:e", NULL);
    see(self, "5:e");
    end(self, "1:a 2:b 3:c", "5:e", NULL);
}

static void alterations_are_seen(play *self)
{
    alter(self, add_column);
    see(self, "1:a:- 2:b:- 3:c:-");
    append_to(self, "4:d", NULL);
    update_rows(self, "n = 9", "id = 4 or id = 1");
    see(self, "1:a:9 2:b:- 3:c:- 4:d:9");
    alter(self, rename_name);
    update_rows(self, "title = 'z', n = n + 1", "id = 4");
    see(self, "1:a:9 2:b:- 3:c:- 4:z:10");
    check_selected(self->staged, "id,title", "1:a 2:b 3:c 4:z");
    alter(self, set_owner);
    assert_string_equal(frz_table_property(self->staged, "owner"), "me");
    end(self, "1:a 2:b 3:c", "1:a:9 2:b:- 3:c:- 4:z:10", "100:r:- 1:a:9 2:b:- 3:c:- 4:z:10");
    assert_string_equal(frz_table_property(self->staged, "owner"), "me");
}

static void references_are_seen(play *self)
{
    alter(self, make_branch);
    append_to(self, "4:d", "b");
    see(self, "1:a 2:b 3:c");
    see_at(self, "b", "1:a 2:b 3:c 4:d");
    alter(self, make_tag);
    append_to(self, "5:e", NULL);
    delete_rows(self, "id = 1");
    see(self, "2:b 3:c 5:e");
    see_at(self, "v", "1:a 2:b 3:c");
    append_to(self, "6:f", "new"); /* a branch that its first write makes, of main as it is */
    see_at(self, "new", "2:b 3:c 5:e 6:f");
    end(self, "1:a 2:b 3:c", "2:b 3:c 5:e", "100:r 2:b 3:c 5:e");
    see_at(self, "b", self->rival ? "100:r 1:a 2:b 3:c 4:d" : "1:a 2:b 3:c 4:d");
    see_at(self, "v", self->rival ? "100:r 1:a 2:b 3:c" : "1:a 2:b 3:c");
}

static void layouts_are_seen(play *self)
{
    append_to(self, "4:d", NULL);
    alter(self, partition_by_name);
    append_to(self, "5:d", NULL);
    see(self, "1:a 2:b 3:c 4:d 5:d");
    update_rows(self, "name = 'x'", "name = 'd'");
    delete_rows(self, "id = 4");
    see(self, "1:a 2:b 3:c 5:x");
    end(self, "1:a 2:b 3:c", "1:a 2:b 3:c 5:x", "100:r 1:a 2:b 3:c 5:x");
}

static void upgrades_are_seen(play *self)
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    delete_rows(self, "id = 1");
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_upgrade(changes, 3, &err), err);
    CHECK_OK(frz_table_alter(self->staged, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    append_to(self, "4:d", NULL);
    update_rows(self, "name = 'B'", "id = 2 or id = 4");
    see(self, "2:B 3:c 4:B");
    end(self, "1:a 2:b 3:c", "2:B 3:c 4:B", "100:r 2:B 3:c 4:B");
}

typedef struct scene {
    const char *name;
    void (*run)(play *self);
    bool alone; /* a rival's row would be among those that it reads */
} scene;

static void play_scene(const scene *of, int version)
{
    static const frz_delete_mode modes[] = {FRZ_DELETE_MODE_MERGE_ON_READ,
                                            FRZ_DELETE_MODE_COPY_ON_WRITE};
    for (int i = 0; i < 4; i++) {
        frz_error *err = NULL;
        play self = {.mode = modes[i % 2], .rival = i >= 2};
        if (self.rival && of->alone)
            continue;
        assert_int_equal(set_up(NULL), 0);
        frz_table *table = make_table(version, NULL, 0);
        append_rows(table, "1:a 2:b 3:c");
        CHECK_OK(frz_table_begin(table, &self.staged, &err), err);
        of->run(&self);
        frz_table_free(self.staged);
        frz_table_free(table);
        assert_int_equal(tear_down(NULL), 0);
    }
}

static void every_kind_of_operation_is_seen_by_those_behind_it(void **state)
{
    static const scene scenes[] = {
        {"rows", rows_are_seen, false},         {"truncate", truncation_is_seen, true},
        {"alter", alterations_are_seen, false}, {"references", references_are_seen, false},
        {"layout", layouts_are_seen, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (int version = 2; version <= 3; version++)
            play_scene(&scenes[i], version);
}

static void an_upgrade_is_seen_by_those_behind_it(void **state)
{
    const scene upgrade = {"upgrade", upgrades_are_seen, false};
    (void)state;
    play_scene(&upgrade, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_operation_is_seen_by_those_behind_it),
        cmocka_unit_test(an_upgrade_is_seen_by_those_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
