/*
 * Covers: base/options
 *
 * Every struct of options of the public interface, at every function that takes it, as callers of
 * older and of newer releases hand it over.
 */
#include "write/table_fixture.h"

#include "frazil/frazil.h"
#include "io/file.h"

enum { TAIL = 64, ROOM = 512 };

typedef struct world {
    fixture storage;
    frz_table *table;
    int64_t first; /* its first snapshot; another one is staged as "w" */
} world;

static frz_write_options staged_options(void)
{
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.wap_id = "w";
    return options;
}

static void world_open(world *self)
{
    const frz_write_options staged = staged_options();
    struct ArrowArrayStream rows = {0};
    frz_error *err = NULL;
    CHECK_OK(fixture_open(&self->storage, NULL, &err), err);
    self->table = fixture_create(&self->storage, "n.t", "id long, name string");
    append_rows(self->table, "1:a 2:b");
    self->first = self->table->metadata->current_snapshot_id;
    CHECK_OK(rows_of("3:c", &rows, &err), err);
    CHECK_OK(frz_table_append(self->table, &rows, &staged, NULL, &err), err);
}

static void world_close(world *self)
{
    frz_table_free(self->table);
    fixture_close(&self->storage);
}

/* What a call gives: of a struct that holds what `fill` puts there, or nothing. */
typedef struct options_case {
    const char *name;
    size_t size;
    const void *init;
    void (*fill)(void *options); /* NULL: the defaults do */
    frz_status (*call)(world *self, const void *options, frz_error **err);
} options_case;

static struct ArrowArrayStream some_rows(void)
{
    struct ArrowArrayStream rows = {0};
    frz_error *err = NULL;
    CHECK_OK(rows_of("2:x 9:y", &rows, &err), err);
    return rows;
}

static frz_status done_with(struct ArrowArrayStream *rows, frz_status status)
{
    CHECK(!rows->release);
    return status;
}

static frz_status call_append(world *self, const void *options, frz_error **err)
{
    struct ArrowArrayStream rows = some_rows();
    return done_with(&rows, frz_table_append(self->table, &rows, options, NULL, err));
}

static frz_status call_evolve(world *self, const void *options, frz_error **err)
{
    struct ArrowArrayStream rows = some_rows();
    return done_with(&rows, frz_table_append_evolve(self->table, &rows, 1, options, NULL, err));
}

static frz_status call_delete(world *self, const void *options, frz_error **err)
{
    return frz_table_delete(self->table, "id = 1", FRZ_DELETE_MODE_DEFAULT, options, NULL, err);
}

static frz_status call_update(world *self, const void *options, frz_error **err)
{
    return frz_table_update(self->table, "name = 'z'", NULL, FRZ_DELETE_MODE_DEFAULT, options, NULL,
                            err);
}

static frz_status call_truncate(world *self, const void *options, frz_error **err)
{
    return frz_table_truncate(self->table, options, NULL, err);
}

static const char *const id_key[] = {"id"};

static frz_status merge_with(world *self, const frz_merge_options *how,
                             const frz_write_options *options, frz_error **err)
{
    struct ArrowArrayStream rows = some_rows();
    return done_with(&rows, frz_table_merge(self->table, &rows, how, options, NULL, err));
}

static frz_status call_merge(world *self, const void *options, frz_error **err)
{
    frz_merge_options how = FRZ_MERGE_OPTIONS_INIT;
    how.keys = id_key;
    how.key_count = 1;
    how.insert_not_matched = true;
    return merge_with(self, &how, options, err);
}

static frz_status call_merge_how(world *self, const void *options, frz_error **err)
{
    return merge_with(self, options, NULL, err);
}

static frz_status call_upsert_how(world *self, const void *options, frz_error **err)
{
    struct ArrowArrayStream rows = some_rows();
    return done_with(&rows, frz_table_upsert(self->table, &rows, options, NULL, NULL, err));
}

static frz_status overwrite_with(world *self, const frz_overwrite_options *how,
                                 const frz_write_options *options, frz_error **err)
{
    struct ArrowArrayStream rows = some_rows();
    return done_with(&rows, frz_table_overwrite(self->table, &rows, 1, how, options, NULL, err));
}

static frz_status call_overwrite(world *self, const void *options, frz_error **err)
{
    frz_overwrite_options how = FRZ_OVERWRITE_OPTIONS_INIT;
    how.dynamic = true;
    return overwrite_with(self, &how, options, err);
}

static frz_status call_overwrite_how(world *self, const void *options, frz_error **err)
{
    return overwrite_with(self, options, NULL, err);
}

static frz_status call_cherry_pick(world *self, const void *options, frz_error **err)
{
    return frz_table_cherry_pick(self->table, self->table->metadata->snapshots[1].snapshot_id,
                                 options, NULL, err);
}

static frz_status call_publish(world *self, const void *options, frz_error **err)
{
    return frz_table_publish(self->table, "w", options, NULL, err);
}

static frz_status call_alter(world *self, const void *options, frz_error **err)
{
    frz_alteration *changes = NULL;
    frz_status status = frz_alteration_new(&changes, err);
    if (status == FRZ_OK)
        status = frz_alter_set_property(changes, "owner", "me", err);
    if (status == FRZ_OK)
        status = frz_table_alter(self->table, changes, options, NULL, err);
    frz_alteration_free(changes);
    return status;
}

static frz_status call_commit(world *self, const void *options, frz_error **err)
{
    frz_table *staged = NULL;
    frz_error *started = NULL;
    CHECK_OK(frz_table_begin(self->table, &staged, &started), started);
    append_rows(staged, "5:e");
    const frz_status status = frz_table_commit(staged, options, NULL, err);
    frz_table_free(staged);
    return status;
}

static frz_status delta_with(world *self, const frz_delta_options *how,
                             const frz_write_options *options, frz_error **err)
{
    struct ArrowArrayStream rows = some_rows();
    frz_delta *delta = NULL;
    frz_status status = frz_delta_open(self->table, how, options, &delta, err);
    if (status == FRZ_OK)
        status = frz_delta_upsert(delta, &rows, err);
    if (status == FRZ_OK)
        status = frz_delta_commit(delta, NULL, err);
    frz_delta_free(delta);
    frz_arrow_stream_clear(&rows);
    return status;
}

static frz_status call_delta(world *self, const void *options, frz_error **err)
{
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    how.keys = id_key;
    how.key_count = 1;
    return delta_with(self, &how, options, err);
}

static frz_status call_delta_how(world *self, const void *options, frz_error **err)
{
    return delta_with(self, options, NULL, err);
}

/* One that is live: for what is refused, this fails before anything is looked at. */
static frz_status add_files_with(world *self, const frz_add_files_options *how,
                                 const frz_write_options *options, frz_error **err)
{
    static const char *const paths[] = {"mem://wh/n/t/data"};
    return frz_table_add_files(self->table, paths, 1, how, options, NULL, err);
}

static frz_status call_add_files(world *self, const void *options, frz_error **err)
{
    frz_add_files_options how = FRZ_ADD_FILES_OPTIONS_INIT;
    how.skip_live = true;
    return add_files_with(self, &how, options, err);
}

static frz_status call_add_files_how(world *self, const void *options, frz_error **err)
{
    return add_files_with(self, options, NULL, err);
}

static frz_status call_add_files_report(world *self, const void *options, frz_error **err)
{
    uint64_t held[ROOM / 8];
    frz_add_files_options how = FRZ_ADD_FILES_OPTIONS_INIT;
    const size_t size = ((const frz_add_files_report *)options)->struct_size;
    memcpy(held, options, sizeof held);
    how.skip_live = true;
    how.report = (frz_add_files_report *)held;
    const frz_status status = add_files_with(self, &how, NULL, err);
    CHECK(status != FRZ_OK || size < sizeof *how.report || how.report->live_count == 1);
    return status;
}

static frz_status alter_with(world *self, frz_alteration *changes, frz_status status,
                             frz_error **err)
{
    if (status == FRZ_OK)
        status = frz_table_alter(self->table, changes, NULL, NULL, err);
    frz_alteration_free(changes);
    return status;
}

static frz_alteration *new_changes(void)
{
    frz_alteration *changes = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    return changes;
}

static frz_status call_add_column(world *self, const void *options, frz_error **err)
{
    frz_alteration *changes = new_changes();
    return alter_with(self, changes, frz_alter_add_column(changes, "more", "int", options, err),
                      err);
}

static frz_status call_move_column(world *self, const void *options, frz_error **err)
{
    frz_alteration *changes = new_changes();
    return alter_with(self, changes, frz_alter_move_column(changes, "name", options, err), err);
}

static frz_status call_update_column(world *self, const void *options, frz_error **err)
{
    frz_alteration *changes = new_changes();
    return alter_with(self, changes, frz_alter_update_column(changes, "name", NULL, options, err),
                      err);
}

static frz_status call_create_ref(world *self, const void *options, frz_error **err)
{
    frz_alteration *changes = new_changes();
    return alter_with(self, changes, frz_alter_create_ref(changes, "b", options, err), err);
}

static frz_status call_replace_ref(world *self, const void *options, frz_error **err)
{
    frz_alteration *changes = new_changes();
    return alter_with(self, changes, frz_alter_replace_ref(changes, "main", options, err), err);
}

static frz_status call_open_catalog(world *self, const void *options, frz_error **err)
{
    frz_catalog *catalog = NULL;
    (void)self;
    const frz_status status = frz_catalog_open(options, &catalog, err);
    frz_catalog_free(catalog);
    return status;
}

static frz_status call_create_table(world *self, const void *options, frz_error **err)
{
    return frz_catalog_create_table(self->storage.catalog, "n.u", options, NULL, err);
}

static frz_status call_prepare_table(world *self, const void *options, frz_error **err)
{
    frz_table *table = NULL;
    const frz_status status =
        frz_catalog_prepare_table(self->storage.catalog, "n.u", options, &table, err);
    frz_table_free(table);
    return status;
}

static frz_status call_scan(world *self, const void *options, frz_error **err)
{
    frz_scan *scan = NULL;
    const frz_status status = frz_scan_new(self->table, options, &scan, err);
    frz_scan_free(scan);
    return status;
}

static frz_status call_metadata(world *self, const void *options, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    const frz_status status =
        frz_table_metadata_stream(self->table, FRZ_METADATA_TABLE_SNAPSHOTS, options, &rows, err);
    frz_arrow_stream_clear(&rows);
    return status;
}

static frz_status call_ancestors(world *self, const void *options, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    const frz_status status = frz_table_ancestors(self->table, options, &rows, err);
    frz_arrow_stream_clear(&rows);
    return status;
}

static frz_status call_verify(world *self, const void *options, frz_error **err)
{
    frz_verify_report *report = NULL;
    const frz_status status = frz_table_verify(self->table, options, &report, err);
    frz_verify_report_free(report);
    return status;
}

static frz_status call_rows_open(world *self, const void *options, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    frz_error *written = NULL;
    (void)self;
    CHECK_OK(frz_io_write_file(self->storage.io, "mem://wh/a.csv", frz_slice_of_text("a,b\n1,2\n"),
                               &written),
             written);
    const frz_status status =
        frz_rows_open_with("mem://wh/a.csv", options, self->storage.io, &rows, err);
    frz_arrow_stream_clear(&rows);
    CHECK(frz_io_remove(self->storage.io, "mem://wh/a.csv", NULL) == FRZ_OK);
    return status;
}

static frz_status take_text(void *context, const void *bytes, size_t size, frz_error **err)
{
    (void)context;
    (void)bytes;
    (void)size;
    (void)err;
    return FRZ_OK;
}

static frz_status call_print(world *self, const void *options, frz_error **err)
{
    struct ArrowArrayStream rows = some_rows();
    (void)self;
    return done_with(&rows, frz_rows_print(&rows, options, take_text, NULL, NULL, err));
}

static frz_status call_write_file(world *self, const void *options, frz_error **err)
{
    struct ArrowArrayStream rows = some_rows();
    const frz_status status =
        frz_rows_write_file(&rows, "mem://wh/out.csv", options, self->storage.io, NULL, err);
    if (status == FRZ_OK)
        CHECK(frz_io_remove(self->storage.io, "mem://wh/out.csv", NULL) == FRZ_OK);
    return done_with(&rows, status);
}

static void fill_schema(void *options)
{
    ((frz_table_create_options *)options)->schema = "id long";
}

static void fill_merge(void *options)
{
    frz_merge_options *how = options;
    how->keys = id_key;
    how->key_count = 1;
    how->insert_not_matched = true;
}

static void fill_overwrite(void *options)
{
    ((frz_overwrite_options *)options)->dynamic = true;
}

static void fill_delta(void *options)
{
    frz_delta_options *how = options;
    how->keys = id_key;
    how->key_count = 1;
}

static void fill_add_files(void *options)
{
    ((frz_add_files_options *)options)->skip_live = true;
}

static void fill_move(void *options)
{
    ((frz_column_options *)options)->first = true;
}

static void fill_catalog(void *options)
{
    static const frz_option properties[] = {{"type", "in-memory"}, {"warehouse", "mem://wh"}};
    frz_catalog_options *catalog = options;
    catalog->properties = properties;
    catalog->property_count = 2;
}

static void fill_rows(void *options)
{
    frz_rows_options *how = options;
    how->infer = true;
    how->csv.delimiter = ',';
}

static const frz_write_options write_init = FRZ_WRITE_OPTIONS_INIT;
static const frz_merge_options merge_init = FRZ_MERGE_OPTIONS_INIT;
static const frz_overwrite_options overwrite_init = FRZ_OVERWRITE_OPTIONS_INIT;
static const frz_delta_options delta_init = FRZ_DELTA_OPTIONS_INIT;
static const frz_add_files_options add_files_init = FRZ_ADD_FILES_OPTIONS_INIT;
static const frz_add_files_report report_init = FRZ_ADD_FILES_REPORT_INIT;
static const frz_column_options column_init = FRZ_COLUMN_OPTIONS_INIT;
static const frz_ref_options ref_init = FRZ_REF_OPTIONS_INIT;
static const frz_catalog_options catalog_init = FRZ_CATALOG_OPTIONS_INIT;
static const frz_table_create_options create_init = FRZ_TABLE_CREATE_OPTIONS_INIT;
static const frz_scan_options scan_init = FRZ_SCAN_OPTIONS_INIT;
static const frz_metadata_options metadata_init = FRZ_METADATA_OPTIONS_INIT;
static const frz_snapshot_selector selector_init = FRZ_SNAPSHOT_SELECTOR_INIT;
static const frz_verify_options verify_init = FRZ_VERIFY_OPTIONS_INIT;
static const frz_rows_options rows_init = FRZ_ROWS_OPTIONS_INIT;
static const frz_print_options print_init = FRZ_PRINT_OPTIONS_INIT;

#define CASE(type, init, fill, call)             \
    {                                            \
#type, sizeof(type), &(init), fill, call \
    }

static const options_case cases[] = {
    CASE(frz_write_options, write_init, NULL, call_append),
    CASE(frz_write_options, write_init, NULL, call_evolve),
    CASE(frz_write_options, write_init, NULL, call_delete),
    CASE(frz_write_options, write_init, NULL, call_update),
    CASE(frz_write_options, write_init, NULL, call_truncate),
    CASE(frz_write_options, write_init, NULL, call_merge),
    CASE(frz_write_options, write_init, NULL, call_overwrite),
    CASE(frz_write_options, write_init, NULL, call_cherry_pick),
    CASE(frz_write_options, write_init, NULL, call_publish),
    CASE(frz_write_options, write_init, NULL, call_alter),
    CASE(frz_write_options, write_init, NULL, call_commit),
    CASE(frz_write_options, write_init, NULL, call_delta),
    CASE(frz_write_options, write_init, NULL, call_add_files),
    CASE(frz_merge_options, merge_init, fill_merge, call_merge_how),
    CASE(frz_merge_options, merge_init, fill_merge, call_upsert_how),
    CASE(frz_overwrite_options, overwrite_init, fill_overwrite, call_overwrite_how),
    CASE(frz_delta_options, delta_init, fill_delta, call_delta_how),
    CASE(frz_add_files_options, add_files_init, fill_add_files, call_add_files_how),
    CASE(frz_column_options, column_init, NULL, call_add_column),
    CASE(frz_column_options, column_init, fill_move, call_move_column),
    CASE(frz_column_options, column_init, NULL, call_update_column),
    CASE(frz_ref_options, ref_init, NULL, call_create_ref),
    CASE(frz_ref_options, ref_init, NULL, call_replace_ref),
    CASE(frz_catalog_options, catalog_init, fill_catalog, call_open_catalog),
    CASE(frz_table_create_options, create_init, fill_schema, call_create_table),
    CASE(frz_table_create_options, create_init, fill_schema, call_prepare_table),
    CASE(frz_scan_options, scan_init, NULL, call_scan),
    CASE(frz_metadata_options, metadata_init, NULL, call_metadata),
    CASE(frz_snapshot_selector, selector_init, NULL, call_ancestors),
    CASE(frz_verify_options, verify_init, NULL, call_verify),
    CASE(frz_rows_options, rows_init, fill_rows, call_rows_open),
    CASE(frz_print_options, print_init, NULL, call_print),
    CASE(frz_print_options, print_init, NULL, call_write_file),
};

enum { CASES = sizeof cases / sizeof *cases };

/* Aligned room for any of the structs and a tail. */
typedef union options_room {
    uint64_t words[ROOM / 8];
    uint8_t bytes[ROOM];
    size_t struct_size;
} options_room;

static options_room room_of(const options_case *at, bool filled)
{
    options_room room = {{0}};
    CHECK(at->size + TAIL <= ROOM);
    memcpy(room.bytes, at->init, at->size);
    CHECK(room.struct_size == at->size);
    if (filled && at->fill)
        at->fill(room.bytes);
    return room;
}

static frz_status call_once(const options_case *at, const options_room *room, char *message,
                            size_t message_size)
{
    world self = {0};
    frz_error *err = NULL;
    world_open(&self);
    const frz_status status = at->call(&self, room, &err);
    (void)snprintf(message, message_size, "%s", err ? frz_error_message(err) : "");
    char *random = strstr(message, "/data/"); /* names of files are of no two runs */
    if (random)
        *random = 0;
    frz_error_free(err);
    world_close(&self);
    return status;
}

static void check_refused(const options_case *at, const options_room *room, const char *words)
{
    char message[1024];
    const frz_status status = call_once(at, room, message, sizeof message);
    if (status != FRZ_INVALID || !strstr(message, at->name) || !strstr(message, words))
        fail_msg("%s, case %d: %s: %s", at->name, (int)(at - cases), frz_status_name(status),
                 message);
}

static void structs_of_no_size_are_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        options_room room = room_of(&cases[i], true);
        room.struct_size = 0;
        check_refused(&cases[i], &room, "struct_size 0");
    }
}

static void what_a_newer_caller_asks_is_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        options_room room = room_of(&cases[i], true);
        room.struct_size = cases[i].size + TAIL;
        room.bytes[cases[i].size + TAIL - 1] = 1;
        check_refused(&cases[i], &room, "older than its caller");
    }
}

static void a_newer_caller_that_asks_nothing_new_is_served(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        char message[1024];
        options_room room = room_of(&cases[i], true);
        room.struct_size = cases[i].size + TAIL;
        const frz_status status = call_once(&cases[i], &room, message, sizeof message);
        if (status != FRZ_OK)
            fail_msg("%s, case %zu: %s", cases[i].name, i, message);
    }
}

/* The first release with nothing but the size: whatever stands behind it in memory is not looked
 * at, and the outcome is that of the defaults. */
static void an_older_caller_gets_the_defaults(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        char wanted[1024];
        char message[1024];
        const options_room plain = room_of(&cases[i], false);
        options_room room;
        memset(&room, 0x5a, sizeof room);
        room.struct_size = sizeof(size_t);
        const frz_status status = call_once(&cases[i], &plain, wanted, sizeof wanted);
        if (call_once(&cases[i], &room, message, sizeof message) != status ||
            strcmp(message, wanted) != 0)
            fail_msg("%s, case %zu: '%s', by default '%s'", cases[i].name, i, message, wanted);
    }
}

/* A struct that the caller holds, and the library fills. */
static void a_report_is_filled_as_far_as_it_goes(void **state)
{
    static const options_case report =
        CASE(frz_add_files_report, report_init, NULL, call_add_files_report);
    char message[1024];
    options_room room = room_of(&report, false);
    (void)state;
    CHECK(call_once(&report, &room, message, sizeof message) == FRZ_OK);
    room.struct_size = sizeof(size_t);
    CHECK(call_once(&report, &room, message, sizeof message) == FRZ_OK);
    room.struct_size = sizeof(frz_add_files_report) + TAIL;
    CHECK(call_once(&report, &room, message, sizeof message) == FRZ_OK);
    room.struct_size = 0;
    check_refused(&report, &room, "struct_size 0");
}

/* Structs within structs of options, and in arrays: their size is part of the interface. */
static void structs_that_stand_within_others_do_not_grow(void **state)
{
    (void)state;
    CHECK(sizeof(frz_snapshot_selector) == 48);
    CHECK(sizeof(frz_csv_options) == 40);
    CHECK(sizeof(frz_option) == 16);
    CHECK(sizeof(frz_path_map) == 16);
    CHECK(sizeof(frz_merge_clause) == 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_of_no_size_are_refused_by_name),
        cmocka_unit_test(what_a_newer_caller_asks_is_refused_by_name),
        cmocka_unit_test(a_newer_caller_that_asks_nothing_new_is_served),
        cmocka_unit_test(an_older_caller_gets_the_defaults),
        cmocka_unit_test(a_report_is_filled_as_far_as_it_goes),
        cmocka_unit_test(structs_that_stand_within_others_do_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
