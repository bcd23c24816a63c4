/*
 * Table metadata made from the texts that `frazil create` takes.
 */
#ifndef FRZ_TEST_METADATA_FIXTURE_H
#define FRZ_TEST_METADATA_FIXTURE_H

#include "harness.h"

#include "spec/ddl.h"
#include "spec/update.h"

typedef struct metadata_text {
    const char *schema;
    const char *partition; /* NULL = none */
    const char *sort;      /* NULL = none */
    const frz_property *properties;
    size_t property_count;
    int format_version; /* 0 = 3 */
} metadata_text;

/* A reference; location "s3://b/db/t". */
static inline frz_metadata *metadata_of(const metadata_text *text)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_schema *schema = NULL;
    frz_partition_spec spec = {0};
    frz_sort_order order = {0};
    frz_metadata_builder *builder = NULL;
    frz_metadata *out = NULL;
    int32_t id = 0;
    const int version = text->format_version ? text->format_version : 3;
    const char *partition = text->partition ? text->partition : "";
    const char *sort = text->sort ? text->sort : "";
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text(text->schema), &schema, &err), err);
    CHECK_OK(frz_ddl_parse_partition(frz_slice_of_text(partition), schema, &arena, &spec, &err),
             err);
    CHECK_OK(frz_ddl_parse_sort(frz_slice_of_text(sort), schema, &arena, &order, &err), err);
    CHECK_OK(frz_metadata_builder_new(NULL, version, &builder, &err), err);
    CHECK_OK(frz_update_set_location(builder, "s3://b/db/t", &err), err);
    CHECK_OK(frz_update_add_schema(builder, schema, &id, &err), err);
    CHECK_OK(frz_update_set_current_schema(builder, id, &err), err);
    CHECK_OK(frz_update_add_spec(builder, &spec, &id, &err), err);
    CHECK_OK(frz_update_set_default_spec(builder, id, &err), err);
    CHECK_OK(frz_update_add_sort_order(builder, &order, &id, &err), err);
    CHECK_OK(frz_update_set_default_sort_order(builder, id, &err), err);
    for (size_t i = 0; i < text->property_count; i++)
        CHECK_OK(frz_update_set_property(builder, text->properties[i].key,
                                         text->properties[i].value, &err),
                 err);
    CHECK_OK(frz_metadata_builder_finish(builder, NULL, 1, &out, NULL, NULL, &err), err);
    frz_metadata_builder_free(builder);
    frz_schema_unref(schema);
    frz_arena_clear(&arena);
    return out;
}

#endif
