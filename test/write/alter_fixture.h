/*
 * One change of a table at a time, and what it says it did.
 */
#ifndef FRZ_TEST_ALTER_FIXTURE_H
#define FRZ_TEST_ALTER_FIXTURE_H

#include "table_fixture.h"

#include "frazil/alter.h"

/* Makes the changes that `expression` records in `changes`; the result's texts, one a line. */
static char alter_said[2048];

static inline frz_status alter_take(frz_table *table, frz_alteration *changes, frz_error **err)
{
    frz_alter_result *result = NULL;
    const frz_status status = frz_table_alter(table, changes, NULL, &result, err);
    frz_alteration_free(changes);
    alter_said[0] = '\0';
    if (status != FRZ_OK)
        return status;
    CHECK(result->committed == (result->item_count > 0));
    CHECK(result->format_version == table->metadata->format_version);
    CHECK(result->schema_id == table->metadata->current_schema_id);
    CHECK(result->spec_id == table->metadata->default_spec_id);
    CHECK(result->sort_order_id == table->metadata->default_sort_order_id);
    for (size_t i = 0; i < result->item_count; i++) {
        const size_t used = strlen(alter_said);
        (void)snprintf(alter_said + used, sizeof alter_said - used, "%s%s", i ? "\n" : "",
                       result->items[i].text);
    }
    frz_alter_result_free(result);
    return FRZ_OK;
}

static inline frz_alteration *alter_new(void)
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    return changes;
}

static frz_error *alter_error;

/* `record` is a call of frz_alter_* with `changes` and `&alter_error`. */
#define ALTER(table, want, record)                                       \
    do {                                                                 \
        frz_alteration *changes = alter_new();                           \
        CHECK_OK(record, alter_error);                                   \
        CHECK_OK(alter_take(table, changes, &alter_error), alter_error); \
        assert_string_equal(alter_said, want);                           \
    } while (0)

/* What it says matters elsewhere. */
#define ALTER_ANYHOW(table, record)                                      \
    do {                                                                 \
        frz_alteration *changes = alter_new();                           \
        CHECK_OK(record, alter_error);                                   \
        CHECK_OK(alter_take(table, changes, &alter_error), alter_error); \
    } while (0)

#define ALTER_FAILS(table, want, text, record)                                          \
    do {                                                                                \
        frz_alteration *changes = alter_new();                                          \
        CHECK_OK(record, alter_error);                                                  \
        CHECK_FAILS(alter_take(table, changes, &alter_error), want, alter_error, text); \
    } while (0)

#endif
