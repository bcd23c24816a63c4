/*
 * Schemas of tests of schema changes: made from DDL, and compared with what DDL and ids they have.
 */
#ifndef FRZ_TEST_SCHEMA_FIXTURE_H
#define FRZ_TEST_SCHEMA_FIXTURE_H

#include "harness.h"

#include "spec/ddl.h"
#include "spec/schema_update.h"

static inline frz_schema *schema_of(const char *ddl)
{
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text(ddl), &schema, &err), err);
    return schema;
}

/* An update of a table of that version whose columns are `ddl`; to be cleared. */
static inline frz_schema_update update_of(const char *ddl, int format_version)
{
    frz_schema_update update;
    frz_schema *schema = schema_of(ddl);
    frz_schema_update_open(&update, schema, frz_schema_highest_id(schema), format_version);
    frz_schema_unref(schema);
    return update;
}

/* The schema as DDL, with the id of each field: "1 id long not null, 2 a struct<...>". */
static inline void check_schema(const frz_schema_update *update, const char *want)
{
    frz_buffer text = {0};
    frz_ddl_print_schema(update->schema, &text);
    frz_buffer_append_byte(&text, 0);
    assert_string_equal((const char *)text.data, want);
    frz_buffer_clear(&text);
}

static inline int32_t id_of(const frz_schema_update *update, const char *path)
{
    const frz_field *field = frz_schema_find_name(update->schema, frz_slice_of_text(path), true);
    return field ? field->id : -1;
}

static inline frz_status add_column(frz_schema_update *update, const char *path,
                                    const char *definition, frz_error **err)
{
    int32_t id = 0;
    const frz_new_column column = {.path = path, .definition = definition};
    return frz_schema_update_add(update, &column, &id, err);
}

#endif
