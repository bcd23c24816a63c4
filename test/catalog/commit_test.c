/*
 * The outcomes of the commit path, against a back-end that answers as the network sometimes does.
 */
#include "catalog/catalog.h"

#include "base/clock.h"
#include "fixture.h"
#include "io/fault.h"
#include "spec/update.h"

/* A back-end over another one that spoils the answers of swaps. */
typedef struct unreliable {
    frz_catalog_backend base;
    frz_catalog_backend *inner;
    bool lose_answer;  /* of the next swap */
    bool apply;        /* whether that swap happens */
    bool overtake;     /* a second writer moves the table on before anybody looks */
    bool apply_create; /* the next create happens, whatever is answered */
    frz_status create_answer;
    int loads_until_visible; /* the swap is seen only after so many loads */
    char *late_from;
    char *late_to;
} unreliable;

static frz_status unreliable_load(frz_catalog_backend *backend, const char *identifier, char **out,
                                  frz_error **err)
{
    unreliable *self = (unreliable *)backend;
    if (self->late_to && self->loads_until_visible-- <= 0) {
        CHECK(self->inner->ops->swap(self->inner, identifier, self->late_from, self->late_to,
                                     NULL) == FRZ_OK);
        frz_free(self->late_from);
        frz_free(self->late_to);
        self->late_from = self->late_to = NULL;
    }
    return self->inner->ops->load(self->inner, identifier, out, err);
}

static frz_status unreliable_swap(frz_catalog_backend *backend, const char *identifier,
                                  const char *expected, const char *location, frz_error **err)
{
    unreliable *self = (unreliable *)backend;
    if (!self->lose_answer)
        return self->inner->ops->swap(self->inner, identifier, expected, location, err);
    self->lose_answer = false;
    if (self->apply && self->loads_until_visible > 0) {
        self->late_from = frz_copy_text(expected);
        self->late_to = frz_copy_text(location);
    } else if (self->apply) {
        CHECK(self->inner->ops->swap(self->inner, identifier, expected, location, NULL) == FRZ_OK);
    }
    return frz_error_raise(err, FRZ_UNKNOWN_STATE, "connection reset");
}

static frz_status unreliable_create(frz_catalog_backend *backend, const char *identifier,
                                    const char *location, frz_error **err)
{
    unreliable *self = (unreliable *)backend;
    if (self->apply_create)
        CHECK(self->inner->ops->create(self->inner, identifier, location, NULL) == FRZ_OK);
    if (self->create_answer != FRZ_OK)
        return frz_error_raise(err, self->create_answer, "answer of a create");
    return self->inner->ops->create(self->inner, identifier, location, err);
}

static frz_status unreliable_create_namespace(frz_catalog_backend *backend, const char *name,
                                              const frz_option *properties, size_t count,
                                              frz_error **err)
{
    unreliable *self = (unreliable *)backend;
    return self->inner->ops->create_namespace(self->inner, name, properties, count, err);
}

static frz_status unreliable_property(frz_catalog_backend *backend, const char *name,
                                      const char *key, char **out, frz_error **err)
{
    unreliable *self = (unreliable *)backend;
    return self->inner->ops->namespace_property(self->inner, name, key, out, err);
}

static void unreliable_free(frz_catalog_backend *backend)
{
    unreliable *self = (unreliable *)backend;
    self->inner->ops->free(self->inner);
}

static const frz_catalog_backend_ops unreliable_ops = {
    .load = unreliable_load,
    .swap = unreliable_swap,
    .create = unreliable_create,
    .create_namespace = unreliable_create_namespace,
    .namespace_property = unreliable_property,
    .free = unreliable_free,
};

static int64_t slept_ms;

static void sleep_fast(void *self, int64_t ms)
{
    (void)self;
    slept_ms += ms;
}

static unreliable backend_under_test;
static fixture world;
static frz_table *table;

static int set_up(void **state)
{
    static const frz_clock_ops clock = {.sleep_ms = sleep_fast};
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    (void)state;
    frz_clock_replace(&clock);
    slept_ms = 0;
    world = (fixture){0};
    backend_under_test = (unreliable){.base.ops = &unreliable_ops};
    CHECK_OK(frz_io_memory_new(&world.io, &err), err);
    CHECK_OK(frz_catalog_memory_new(&backend_under_test.inner, &err), err);
    CHECK_OK(frz_catalog_new(&backend_under_test.base, "default", "mem://wh", world.io,
                             &world.catalog, &err),
             err);
    options.schema = "id long";
    CHECK_OK(frz_catalog_create_table(world.catalog, "n.t", &options, &table, &err), err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    frz_table_free(table);
    world.unsound = true; /* its snapshots have no files, or its pointer none */
    fixture_close(&world);
    frz_clock_replace(NULL);
    return 0;
}

/* The table's metadata with one property more. */
static frz_metadata *changed(const frz_metadata *base, const char *base_location, const char *key,
                             const char *value)
{
    frz_error *err = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *out = NULL;
    CHECK_OK(frz_metadata_builder_new(base, base->format_version, &builder, &err), err);
    CHECK_OK(frz_update_set_property(builder, key, value, &err), err);
    CHECK_OK(frz_metadata_builder_finish(builder, base_location, frz_clock_now_ms(), &out, NULL,
                                         NULL, &err),
             err);
    frz_metadata_builder_free(builder);
    return out;
}

static frz_status commit_change(const char *value, char **location, frz_error **err)
{
    frz_metadata *next = changed(table->metadata, table->metadata_location, "k", value);
    const frz_status status =
        frz_catalog_commit(world.catalog, "n.t", table->metadata_location, next, location, err);
    frz_metadata_unref(next);
    return status;
}

static void a_commit_moves_the_pointer_to_the_next_version(void **state)
{
    frz_error *err = NULL;
    char *location = NULL;
    (void)state;
    CHECK_OK(commit_change("1", &location, &err), err);
    CHECK(strstr(location, "mem://wh/n/t/metadata/00001-") == location);
    CHECK_OK(frz_table_refresh(table, &err), err);
    assert_string_equal(frz_table_metadata_location(table), location);
    assert_string_equal(frz_table_property(table, "k"), "1");
    frz_free(location);
}

static void metadata_is_packed_when_the_table_asks(void **state)
{
    frz_error *err = NULL;
    char *location = NULL;
    (void)state;
    frz_metadata *next = changed(table->metadata, table->metadata_location,
                                 "write.metadata.compression-codec", "gzip");
    CHECK_OK(
        frz_catalog_commit(world.catalog, "n.t", table->metadata_location, next, &location, &err),
        err);
    frz_metadata_unref(next);
    CHECK(strstr(location, ".gz.metadata.json") != NULL);
    CHECK_OK(frz_table_refresh(table, &err), err);
    frz_free(location);
    next = changed(table->metadata, table->metadata_location, "write.metadata.compression-codec",
                   "zip");
    CHECK_FAILS(
        frz_catalog_commit(world.catalog, "n.t", table->metadata_location, next, &location, &err),
        FRZ_INVALID, err, "got \"zip\"");
    frz_metadata_unref(next);
}

static void a_lost_race_is_a_conflict_and_leaves_no_file(void **state)
{
    frz_error *err = NULL;
    char *location = NULL;
    (void)state;
    CHECK_OK(commit_change("1", &location, &err), err);
    frz_free(location);
    const int files = fixture_files(world.io, "");
    CHECK_FAILS(commit_change("2", &location, &err), FRZ_CONFLICT, err, "commit of table n.t");
    CHECK(fixture_files(world.io, "") == files);
}

/* The swap happened, its answer was lost. */
static void d008_d009_a_lost_answer_of_a_swap_that_happened_is_a_commit(void **state)
{
    frz_error *err = NULL;
    char *location = NULL;
    (void)state;
    backend_under_test.lose_answer = true;
    backend_under_test.apply = true;
    CHECK_OK(commit_change("1", &location, &err), err);
    frz_free(location);
    CHECK_OK(frz_table_refresh(table, &err), err);
    assert_string_equal(frz_table_property(table, "k"), "1");
}

/* A table that is created is told by its uuid, though another writer may have moved it on. */
static void a_lost_answer_of_a_create_is_settled_too(void **state)
{
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    frz_table *made = NULL;
    (void)state;
    options.schema = "id long";
    backend_under_test.apply_create = true;
    backend_under_test.create_answer = FRZ_UNKNOWN_STATE;
    CHECK_OK(frz_catalog_create_table(world.catalog, "n.new", &options, &made, &err), err);
    frz_table_free(made);
    backend_under_test.create_answer = FRZ_ALREADY_EXISTS; /* it was sent twice */
    CHECK_OK(frz_catalog_create_table(world.catalog, "n.twice", &options, NULL, &err), err);
    backend_under_test.apply_create = false;
    const int files = fixture_files(world.io, "");
    CHECK_FAILS(frz_catalog_create_table(world.catalog, "n.t", &options, NULL, &err),
                FRZ_ALREADY_EXISTS, err, "n.t");
    backend_under_test.create_answer = FRZ_UNKNOWN_STATE; /* another's table is there */
    CHECK(frz_catalog_create_table(world.catalog, "n.new", &options, NULL, NULL) ==
          FRZ_ALREADY_EXISTS);
    CHECK(fixture_files(world.io, "") == files);
    CHECK_FAILS(frz_catalog_create_table(world.catalog, "n.never", &options, NULL, &err),
                FRZ_UNKNOWN_STATE, err, "no file was removed");
    CHECK(fixture_files(world.io, "") == files + 1);
    backend_under_test.create_answer = FRZ_OK;
}

/* It arrives seconds after the error. */
static void d008_a_swap_that_arrives_late_is_a_commit(void **state)
{
    frz_error *err = NULL;
    char *location = NULL;
    (void)state;
    backend_under_test.lose_answer = true;
    backend_under_test.apply = true;
    backend_under_test.loads_until_visible = 2;
    CHECK_OK(commit_change("1", &location, &err), err);
    CHECK(slept_ms == 1000 + 2000);
    frz_free(location);
}

/* Nothing is removed and nothing is claimed while nobody knows. */
static void d008_an_unknown_outcome_removes_nothing(void **state)
{
    frz_error *err = NULL;
    char *location = NULL;
    (void)state;
    const int files = fixture_files(world.io, "");
    backend_under_test.lose_answer = true;
    CHECK_FAILS(commit_change("1", &location, &err), FRZ_UNKNOWN_STATE, err,
                "may or may not have taken");
    CHECK(fixture_files(world.io, "") == files + 1);
    CHECK(location == NULL);
}

/* A second writer commits in between, so that only the metadata log names our file. */
static void d008_a_commit_that_was_overtaken_is_found_in_the_log(void **state)
{
    frz_error *err = NULL;
    char *location = NULL;
    char *second = NULL;
    (void)state;
    CHECK_OK(commit_change("1", &location, &err), err);
    CHECK_OK(frz_table_refresh(table, &err), err);
    CHECK_OK(commit_change("2", &second, &err), err);
    frz_metadata *latest = NULL;
    CHECK_OK(frz_metadata_read(world.io, second, &frz_limits_default, &latest, &err), err);
    bool named = false;
    for (size_t i = 0; i < latest->metadata_log_count; i++)
        named = named || strcmp(latest->metadata_log[i].metadata_file, location) == 0;
    CHECK(named);
    frz_metadata_unref(latest);
    frz_free(location);
    frz_free(second);
}

static void old_metadata_files_go_when_the_table_asks(void **state)
{
    frz_error *err = NULL;
    (void)state;
    const char *dropped[] = {table->metadata_location};
    frz_catalog_remove_dropped(world.catalog, table->metadata, dropped, 1);
    CHECK(fixture_files(world.io, "00000-") == 1);
    frz_metadata *asks = changed(table->metadata, table->metadata_location,
                                 "write.metadata.delete-after-commit.enabled", "true");
    frz_catalog_remove_dropped(world.catalog, asks, dropped, 1);
    CHECK(fixture_files(world.io, "00000-") == 0);
    frz_metadata_unref(asks);
    (void)err;
}

static void properties_are_parsed_or_named(void **state)
{
    frz_error *err = NULL;
    bool flag = false;
    int64_t number = 0;
    (void)state;
    frz_metadata *metadata = changed(table->metadata, table->metadata_location, "k", "12");
    CHECK_OK(frz_metadata_property_i64(metadata, "k", 5, &number, &err), err);
    CHECK(number == 12);
    CHECK_OK(frz_metadata_property_i64(metadata, "absent", 5, &number, &err), err);
    CHECK(number == 5);
    CHECK_FAILS(frz_metadata_property_bool(metadata, "k", false, &flag, &err), FRZ_INVALID, err,
                "k: expected true or false, got \"12\"");
    CHECK_OK(frz_metadata_property_bool(metadata, "absent", true, &flag, &err), err);
    CHECK(flag);
    frz_metadata_unref(metadata);
}

/* Every io call of a commit fails in turn: the pointer is the old or the new one, and its file is
 * whole. */
static void storage_that_fails_leaves_the_old_or_the_new_version(void **state)
{
    frz_error *err = NULL;
    frz_io *fault = NULL;
    (void)state;
    CHECK_OK(frz_io_fault_new(world.io, &fault, &err), err);
    for (int64_t i = 0;; i++) {
        fixture self = {0};
        char *location = NULL;
        CHECK_OK(fixture_open(&self, fault, &err), err);
        frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
        options.schema = "id long";
        char name[32];
        (void)snprintf(name, sizeof name, "f.t%d", (int)i);
        frz_table *made = NULL;
        CHECK_OK(frz_catalog_create_table(self.catalog, name, &options, &made, &err), err);
        frz_metadata *next = changed(made->metadata, made->metadata_location, "k", "v");
        frz_io_fault_fail_after(fault, i);
        const frz_status status =
            frz_catalog_commit(self.catalog, name, made->metadata_location, next, &location, NULL);
        frz_io_fault_fail_after(fault, -1);
        frz_metadata_unref(next);
        CHECK_OK(frz_table_refresh(made, &err), err);
        CHECK((frz_table_property(made, "k") != NULL) == (status == FRZ_OK));
        frz_free(location);
        frz_table_free(made);
        fixture_close(&self);
        if (status == FRZ_OK && !frz_io_fault_fired(fault))
            break;
        CHECK(i < 100);
    }
    frz_io_free(fault);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_commit_moves_the_pointer_to_the_next_version),
        CASE(metadata_is_packed_when_the_table_asks),
        CASE(a_lost_race_is_a_conflict_and_leaves_no_file),
        CASE(d008_d009_a_lost_answer_of_a_swap_that_happened_is_a_commit),
        CASE(a_lost_answer_of_a_create_is_settled_too),
        CASE(d008_a_swap_that_arrives_late_is_a_commit),
        CASE(d008_an_unknown_outcome_removes_nothing),
        CASE(d008_a_commit_that_was_overtaken_is_found_in_the_log),
        CASE(old_metadata_files_go_when_the_table_asks),
        CASE(properties_are_parsed_or_named),
        CASE(storage_that_fails_leaves_the_old_or_the_new_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
