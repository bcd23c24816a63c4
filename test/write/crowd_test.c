/*
 * Many writers on one table of a real SQLite catalog and local files: every acknowledged
 * append is there, none is there twice, and nobody starves.
 */
#define _XOPEN_SOURCE 700
#include "table_fixture.h"

#include <pthread.h>

#include "catalog/scratch.h"

enum { WRITERS = 4, APPENDS = 8 };

typedef struct writer {
    const char *warehouse;
    int number;
    int appended;
} writer;

static frz_status open_catalog(const char *warehouse, frz_catalog **out, frz_error **err)
{
    const frz_option properties[] = {{"type", "sql"}, {"warehouse", warehouse}};
    frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    options.name = "crowd";
    options.properties = properties;
    options.property_count = 2;
    return frz_catalog_open(&options, out, err);
}

static void *append_many(void *context)
{
    writer *self = context;
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;
    frz_status status = open_catalog(self->warehouse, &catalog, NULL);
    if (status == FRZ_OK)
        status = frz_catalog_load_table(catalog, "n.t", &table, NULL);
    for (int i = 0; i < APPENDS && status == FRZ_OK; i++) {
        struct ArrowArrayStream rows = {0};
        char row[32];
        (void)snprintf(row, sizeof row, "%d:x", 1000 + self->number * 100 + i);
        status = rows_of(row, &rows, NULL);
        if (status == FRZ_OK)
            status = frz_table_append(table, &rows, NULL, NULL, NULL);
        if (status == FRZ_OK)
            self->appended++;
    }
    frz_table_free(table);
    frz_catalog_free(catalog);
    return NULL;
}

static void d012_everybody_gets_every_row_in_once(void **state)
{
    char folder[64];
    char want[4096] = "";
    frz_error *err = NULL;
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;
    writer writers[WRITERS];
    pthread_t threads[WRITERS];
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    (void)state;
    scratch_make(folder);
    CHECK_OK(open_catalog(folder, &catalog, &err), err);
    options.schema = "id long, name string";
    CHECK_OK(frz_catalog_create_table(catalog, "n.t", &options, &table, &err), err);
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (writer){folder, i, 0};
        CHECK(pthread_create(&threads[i], NULL, append_many, &writers[i]) == 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(writers[i].appended == APPENDS);
    }
    for (int i = 0; i < WRITERS * APPENDS; i++)
        (void)snprintf(want + strlen(want), sizeof want - strlen(want), "%s%d:x", i ? " " : "",
                       1000 + i / APPENDS * 100 + i % APPENDS);
    CHECK_OK(frz_table_refresh(table, &err), err);
    check_rows(table, want);
    CHECK(table->metadata->last_sequence_number == WRITERS * APPENDS);
    CHECK(table->metadata->next_row_id == WRITERS * APPENDS);
    CHECK(table->metadata->snapshot_count == WRITERS * APPENDS);
    frz_table_free(table);
    catalog_verify(catalog);
    frz_catalog_free(catalog);
    scratch_remove(folder);
}

enum { UPDATES = 5 };

/* Adds one to the same row again and again; a conflict is tried again from the new state. */
static void *count_up(void *context)
{
    writer *self = context;
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;
    frz_status status = open_catalog(self->warehouse, &catalog, NULL);
    if (status == FRZ_OK)
        status = frz_catalog_load_table(catalog, "n.t", &table, NULL);
    while (self->appended < UPDATES && (status == FRZ_OK || status == FRZ_CONFLICT)) {
        const frz_delete_mode mode =
            self->number % 2 ? FRZ_DELETE_MODE_COPY_ON_WRITE : FRZ_DELETE_MODE_MERGE_ON_READ;
        status = frz_table_update(table, "id = id + 1", "name = 'n'", mode, NULL, NULL, NULL);
        if (status == FRZ_OK)
            self->appended++;
    }
    frz_table_free(table);
    frz_catalog_free(catalog);
    return NULL;
}

/* Lost updates would leave the number too low; rows that are brought back would make two. */
static void no_update_of_a_row_is_lost(void **state)
{
    char folder[64];
    frz_error *err = NULL;
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;
    writer writers[WRITERS];
    pthread_t threads[WRITERS];
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    (void)state;
    scratch_make(folder);
    CHECK_OK(open_catalog(folder, &catalog, &err), err);
    options.schema = "id long, name string";
    CHECK_OK(frz_catalog_create_table(catalog, "n.t", &options, &table, &err), err);
    append_rows(table, "0:n 1:other");
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (writer){folder, i, 0};
        CHECK(pthread_create(&threads[i], NULL, count_up, &writers[i]) == 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(writers[i].appended == UPDATES);
    }
    CHECK_OK(frz_table_refresh(table, &err), err);
    check_selected(table, "id,name,_row_id", "1:other:1 20:n:0");
    CHECK(table->metadata->last_sequence_number == 1 + WRITERS * UPDATES);
    frz_table_free(table);
    catalog_verify(catalog);
    frz_catalog_free(catalog);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d012_everybody_gets_every_row_in_once),
        cmocka_unit_test(no_update_of_a_row_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
