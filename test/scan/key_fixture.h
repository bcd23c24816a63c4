/*
 * Columns of keys written down as text, as Arrow arrays of their Iceberg types.
 */
#ifndef FRZ_TEST_SCAN_KEY_FIXTURE_H
#define FRZ_TEST_SCAN_KEY_FIXTURE_H

#include "harness.h"

#include "arrow/builder.h"
#include "arrow/schema.h"
#include "scan/key_rows.h"
#include "spec/schema.h"
#include "spec/value_arrow.h"

enum { KEY_COLUMNS_MAX = 70 };

typedef struct key_columns {
    frz_arena arena;
    const frz_type *types[KEY_COLUMNS_MAX];
    struct ArrowArray arrays[KEY_COLUMNS_MAX];
    const struct ArrowArray *list[KEY_COLUMNS_MAX];
    size_t count;
    frz_key_layout layout;
} key_columns;

/* Adds a column: values apart by blanks, "-" is null. */
static inline void key_column(key_columns *columns, const char *type, const char *values)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    frz_arrow_builder *builder = NULL;
    const size_t at = columns->count++;
    CHECK_OK(frz_type_parse(frz_slice_of_text(type), &columns->arena, &columns->types[at], &err),
             err);
    const frz_field field = {.id = 1, .name = "k", .type = columns->types[at]};
    CHECK_OK(frz_type_to_arrow(&field, &schema, &err), err);
    CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
    while (*values) {
        const size_t size = strcspn(values, " ");
        frz_value value = {.form = FRZ_VALUE_NULL};
        if (*values != '-' || size > 1)
            CHECK_OK(frz_value_parse(columns->types[at],
                                     frz_slice_of(values, values[0] == '\'' ? 0 : size),
                                     &columns->arena, &value, &err),
                     err);
        frz_value_append(columns->types[at], &value, builder);
        values += size + strspn(values + size, " ");
    }
    CHECK_OK(frz_arrow_builder_finish(builder, &columns->arrays[at], &err), err);
    columns->list[at] = &columns->arrays[at];
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&schema);
}

static inline void key_layout(key_columns *columns)
{
    frz_error *err = NULL;
    CHECK_OK(
        frz_key_layout_new(columns->types, columns->count, &columns->arena, &columns->layout, &err),
        err);
}

static inline void key_columns_clear(key_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        frz_arrow_array_clear(&columns->arrays[i]);
    frz_arena_clear(&columns->arena);
    *columns = (key_columns){0};
}

#endif
